"""Write a benchmark for lm-evaluation-harness, inspect_ai or Hugging Face."""

from __future__ import annotations

import io
import json
import keyword
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from qaldgen.benchmark.benchmark import ExportOptions, Form
from qaldgen.errors import DataError, UsageError
from qaldgen.features.resources import label_of, without_qualifier
from qaldgen.formats.results_json import Json
from qaldgen.model import Answers, Cell, Question
from qaldgen.plugins.evaluators.card import dump_card
from qaldgen.plugins.evaluators.documents import ALL_ANSWERS
from qaldgen.selection.vectors import file_columns

if TYPE_CHECKING:
    from qaldgen.benchmark.benchmark import Benchmark, Member

#: The files of each folder.
_LM_EVAL_FILES = ("task.yaml", "load.py", "questions.jsonl", "README.md")
_INSPECT_FILES = ("task.py", "questions.jsonl", "README.md")
_HUGGING_FACE_FILES = ("data/test-00000-of-00001.parquet", "README.md")
#: Names that the template of inspect_ai uses for something else.
_TAKEN = frozenset(["task", "generate", "includes", "match"])
_TEMPLATES = Path(__file__).with_name("templates")


def write_lm_eval(
    benchmark: Benchmark, options: ExportOptions
) -> tuple[Mapping[str, bytes], list[str]]:
    """Return the files of a task of lm-evaluation-harness, and notes."""
    rows, notes = _rows(benchmark, options)
    task = task_name(options.name)
    filled = {
        "task": task,
        "quoted": json.dumps(task),
        "signature": json.dumps(benchmark.signature),
    }
    card = dump_card(benchmark, rows, options, f"A task of lm-evaluation-harness, `{task}`.")
    made = [
        _filled("lm_eval_task.yaml", filled),
        _filled("lm_eval_load.py", {}),
        _lines(rows),
        card,
    ]
    return dict(zip(_LM_EVAL_FILES, made, strict=True)), notes


def write_inspect(
    benchmark: Benchmark, options: ExportOptions
) -> tuple[Mapping[str, bytes], list[str]]:
    """Return the files of a task of inspect_ai, and notes."""
    rows, notes = _rows(benchmark, options)
    task = task_name(options.name)
    filled = {"task": task, "name": repr(task), "signature": repr(benchmark.signature)}
    card = dump_card(benchmark, rows, options, f"A task of inspect_ai, `{task}` in `task.py`.")
    return (
        dict(
            zip(
                _INSPECT_FILES,
                [_filled("inspect_task.py", filled), _lines(rows), card],
                strict=True,
            )
        ),
        notes,
    )


def write_hugging_face(
    benchmark: Benchmark, options: ExportOptions
) -> tuple[Mapping[str, bytes], list[str]]:
    """Return the files of a data set folder for ``datasets.load_dataset``, and notes."""
    rows, notes = _rows(benchmark, options)
    names = file_columns(benchmark.features)
    table = [
        row | _unknown(question) | dict(zip(names, member.values, strict=True))
        for row, question, member in zip(
            rows, options.questions(benchmark), benchmark.members, strict=True
        )
    ]
    card = dump_card(benchmark, rows, options, "")
    return dict(zip(_HUGGING_FACE_FILES, [_parquet(table), card], strict=True)), notes


def task_name(text: str) -> str:
    """Return a name that is valid in Python and YAML.

    >>> task_name("QALD-9 (test)"), task_name("9plus"), task_name("class")
    ('QALD_9_test', 'task_9plus', 'task_class')
    """
    # Python would take other letters too, but the name is also typed on command lines.
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    free = re.match(r"[A-Za-z]", name) and not keyword.iskeyword(name) and name not in _TAKEN
    return name if free else f"task_{name}".rstrip("_")


def _rows(benchmark: Benchmark, options: ExportOptions) -> tuple[list[dict[str, Json]], list[str]]:
    """Return a record of each question with its gold answers as text, and notes on losses."""
    questions = options.questions(benchmark)
    rows = [
        _row(question, member, options.language)
        for question, member in zip(questions, benchmark.members, strict=True)
    ]
    return rows, _left_out(questions, options.language)


def _row(question: Question, member: Member, language: str) -> dict[str, Json]:
    wordings = _wordings(question.answers)
    # `Question.text` falls back on another language; the row must say on which.
    tag = next((one for one in (language, *question.texts) if question.texts.get(one)), "")
    iris = [cell.value for cell in _cells(question.answers) if cell.type == "uri"]
    return {
        "id": question.id,
        "question": question.text(language),
        "answers": [one[0] for one in wordings],
        ALL_ANSWERS: [list(one) for one in wordings],
        "answer_iris": list(iris),
        "answer_type": question.answer_type,
        "language": tag,
        "sparql": question.sparql,
        "weight": member.weight,
        "cluster": member.cluster,
        "inclusion_probability": member.inclusion,
    }


def _unknown(question: Question) -> dict[str, Json]:
    # An empty list would say that there is no answer, and a silent system would be right.
    columns = ("answers", ALL_ANSWERS, "answer_iris")
    return {} if question.answers is not None else dict.fromkeys(columns)


def _wordings(answers: Answers | None) -> list[tuple[str, ...]]:
    """Return the names of each answer, the main one first."""
    if answers is None:
        return []
    if answers.boolean is not None:
        return [("yes",) if answers.boolean else ("no",)]
    named = [_words(cell) for cell in _cells(answers)]
    # Two IRIs with the same label are one answer to a model that knows only words.
    return list(dict.fromkeys([*named, *(one for one in answers.texts if one)]))


def _cells(answers: Answers | None) -> list[Cell]:
    return (
        []
        if answers is None
        else [cell for row in answers.rows for cell in row if cell is not None]
    )


def _words(cell: Cell) -> tuple[str, ...]:
    """Return the names in an IRI, without and with the text in brackets; else the IRI itself."""
    name = label_of(cell.value) if cell.type == "uri" else cell.value
    return tuple(dict.fromkeys(text for text in (without_qualifier(name), name) if text)) or (
        cell.value,
    )


def _left_out(questions: Sequence[Question], language: str) -> list[str]:
    coded = [
        one.id
        for one in questions
        # Such as Q64: `label_of` finds no words in it.
        if any(cell.type == "uri" and not label_of(cell.value) for cell in _cells(one.answers))
    ]
    cases = {
        "gold answers that are codes without a name, which no model gives as an answer": coded,
        "no gold answers": [
            one.id for one in questions if one.answers is None or not one.answers.values()
        ],
        f"no text in {language!r}, so the question is asked in another language": [
            one.id for one in questions if not one.texts.get(language) and any(one.texts.values())
        ],
        "no text at all": [one.id for one in questions if not any(one.texts.values())],
    }
    return [
        f"{len(ids):,} of {len(questions):,} questions (first: {ids[0]}): {what}"
        for what, ids in cases.items()
        if ids
    ]


def _filled(template: str, values: Mapping[str, str]) -> bytes:
    # Without values the text is not a template: Python code may contain $.
    text = (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    return (Template(text).substitute(values) if values else text).encode("utf-8")


def _lines(rows: Sequence[Mapping[str, Json]]) -> bytes:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        # JSON can hold half of a surrogate pair as an escape; UTF-8 cannot.
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            "a text contains half of a surrogate pair, which no "
            "UTF-8 file can contain; correct the source"
        ) from error


def _parquet(rows: Sequence[Mapping[str, Json]]) -> bytes:
    """Return rows as Parquet, with types that do not depend on which values there are."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(
            "a data set folder contains Parquet, which needs pyarrow: pip install"
            " 'qaldgen[parquet]'"
        ) from error
    # a column of nulls would otherwise get the type "null", so that two files could not be joined
    words, listed = pa.string(), pa.list_(pa.string())
    types = {
        "id": words, "question": words, "answers": listed, ALL_ANSWERS: pa.list_(listed),
        "answer_iris": listed, "answer_type": words, "language": words, "sparql": words,
        "weight": pa.float64(), "cluster": pa.int64(), "inclusion_probability": pa.float64(),
    }  # fmt: skip
    names = list(rows[0]) if rows else list(types)
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in names])
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows), schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


LM_EVAL = Form(".lm-eval", write_lm_eval, _LM_EVAL_FILES)
INSPECT = Form(".inspect", write_inspect, _INSPECT_FILES)
HUGGING_FACE = Form(".hf", write_hugging_face, _HUGGING_FACE_FILES)

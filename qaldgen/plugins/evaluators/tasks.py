"""Write a benchmark as a task of lm-evaluation-harness or inspect_ai, or for Hugging Face."""

from __future__ import annotations

import io
import json
import keyword
import re
from collections.abc import Callable, Mapping, Sequence

from qaldgen.benchmark.benchmark import Benchmark, ExportFormat, ExportOptions
from qaldgen.errors import DataError, UsageError
from qaldgen.features.resources import label_in_iri, without_qualifier
from qaldgen.io.notes import note
from qaldgen.io.packages import needs
from qaldgen.model import Answers
from qaldgen.plugins.evaluators.card import dump_card, dump_cff, fill_template
from qaldgen.plugins.evaluators.croissant import DescribedFile, dump_croissant
from qaldgen.plugins.evaluators.logs import ALL_ANSWERS
from qaldgen.questions.results_json import Json
from qaldgen.selection.vectors import file_columns

_PARQUET = "data/test-00000-of-00001.parquet"
#: Names that the template of inspect_ai uses for something else.
_RESERVED_NAMES = frozenset(["task", "generate", "includes", "match"])


def task_form(
    ending: str, lead: str, templates: Mapping[str, str], quote: Callable[[str], str]
) -> ExportFormat:
    """Return the form of a task: files made from templates, the questions and a card."""

    def write(benchmark: Benchmark, options: ExportOptions) -> Mapping[str, bytes]:
        rows = _make_rows(benchmark, options)
        task = task_name(options.name)
        values = {"task": task, "quoted": quote(task), "signature": quote(benchmark.signature)}
        files = {file: fill_template(name, values).encode() for file, name in templates.items()}
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        try:
            # JSON can hold half of a surrogate pair as an escape; UTF-8 cannot.
            files["questions.jsonl"] = lines.encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(
                "a text contains half of a surrogate pair, which no UTF-8 file can contain; correct"
                " the source"
            ) from error
        files["README.md"] = dump_card(benchmark, rows, lead.format(task))
        files["CITATION.cff"] = dump_cff(benchmark)
        return files

    return ExportFormat(ending, write, (*templates, "questions.jsonl", "README.md", "CITATION.cff"))


def write_hugging_face(benchmark: Benchmark, options: ExportOptions) -> Mapping[str, bytes]:
    """Return the files of a data set folder for ``datasets.load_dataset``."""
    rows = _make_rows(benchmark, options)
    names = file_columns(benchmark.features)
    questions = options.questions(benchmark)
    table = []
    for row, question, member in zip(rows, questions, benchmark.members, strict=True):
        if question.answers is None:
            # null, as an empty list would make an empty answer right
            row |= dict.fromkeys(("answers", ALL_ANSWERS, "answer_iris"))
        table.append(row | dict(zip(names, member.values, strict=True)))
    data = _dump_parquet(table)
    described = DescribedFile(_PARQUET, "application/x-parquet", data, table)
    return {
        _PARQUET: data,
        "README.md": dump_card(benchmark, rows, ""),
        "CITATION.cff": dump_cff(benchmark),
        "croissant.json": dump_croissant(benchmark, [described]),
    }


def task_name(text: str) -> str:
    """Return a name that is valid in Python and YAML.

    >>> task_name("QALD-9 (test)"), task_name("9plus"), task_name("class")
    ('QALD_9_test', 'task_9plus', 'task_class')
    """
    # ASCII only, as the name is also typed on command lines
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    if not re.match(r"[A-Za-z]", name) or keyword.iskeyword(name) or name in _RESERVED_NAMES:
        name = f"task_{name}".rstrip("_")
    return name


def _make_rows(benchmark: Benchmark, options: ExportOptions) -> list[dict[str, Json]]:
    """Return a record of each question with its gold answers as text, and note what is lost."""
    questions = options.questions(benchmark)
    # the ids of questions that lose something
    with_codes = list[str]()
    without_gold = list[str]()
    in_other_language = list[str]()
    without_text = list[str]()

    rows: list[dict[str, Json]] = []
    for question, member in zip(questions, benchmark.members, strict=True):
        iris = [cell.value for cell in question.gold.cells() if cell.type == "uri"]
        # there are no words in a code such as Q64
        if not all(map(label_in_iri, iris)):
            with_codes.append(question.id)
        if not question.gold.values():
            without_gold.append(question.id)
        if not any(question.texts.values()):
            without_text.append(question.id)
        elif not question.texts.get(options.language):
            in_other_language.append(question.id)

        wordings = _answer_names(question.gold)
        # the language of `Question.text`, which may be another one
        tags = [tag for tag in (options.language, *question.texts) if question.texts.get(tag)]
        rows.append(
            {
                "id": question.id,
                "question": question.text(options.language),
                "answers": [wording[0] for wording in wordings],
                ALL_ANSWERS: [list(wording) for wording in wordings],
                "answer_iris": list(iris),
                "answer_type": question.answer_type,
                "language": tags[0] if tags else "",
                "sparql": question.sparql,
                "weight": member.weight,
                "cluster": member.cluster,
                "inclusion_probability": member.inclusion,
            }
        )

    problems = {
        "gold answers that are codes without a name, which no model gives as an answer": with_codes,
        "no gold answers": without_gold,
        f"no text in {options.language!r}, so the question is asked in another language": (
            in_other_language
        ),
        "no text at all": without_text,
    }
    for problem, ids in problems.items():
        if ids:
            note(f"{len(ids):,} of {len(questions):,} questions (first: {ids[0]}): {problem}")
    return rows


def _answer_names(answers: Answers) -> list[tuple[str, ...]]:
    """Return the names of each answer, the main one first."""
    if answers.boolean is not None:
        word = "yes" if answers.boolean else "no"
        return [(word,)]
    wordings = []
    for cell in answers.cells():
        # the names in an IRI, without and with the text in brackets; else the IRI itself
        name = label_in_iri(cell.value) if cell.type == "uri" else cell.value
        names = dict.fromkeys(filter(None, (without_qualifier(name), name)))
        wordings.append(tuple(names) or (cell.value,))
    wordings += filter(None, answers.texts)
    # two IRIs with the same label are one answer in words
    return list(dict.fromkeys(wordings))


def _need_pyarrow() -> None:
    """Refuse a folder with Parquet where pyarrow is not installed."""
    with needs(
        "a data set folder contains Parquet, which needs pyarrow: pip install 'qaldgen[parquet]'",
        UsageError,
    ):
        import pyarrow.parquet  # noqa: F401 - whether it is there


def _dump_parquet(rows: Sequence[Mapping[str, Json]]) -> bytes:
    """Return rows as Parquet, with column types that do not depend on the values."""
    import pyarrow as pa
    from pyarrow import parquet

    # otherwise a column of nulls has the type "null", and two files cannot be joined
    string = pa.string()
    strings = pa.list_(pa.string())
    types = {
        "id": string, "question": string, "answers": strings, ALL_ANSWERS: pa.list_(strings),
        "answer_iris": strings, "answer_type": string, "language": string, "sparql": string,
        "weight": pa.float64(), "cluster": pa.int64(), "inclusion_probability": pa.float64(),
    }  # fmt: skip
    names = list(rows[0]) if rows else list(types)
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in names])
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows), schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


HUGGING_FACE = ExportFormat(
    ".hf",
    write_hugging_face,
    (_PARQUET, "README.md", "CITATION.cff", "croissant.json"),
    _need_pyarrow,
)

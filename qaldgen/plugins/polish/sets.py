"""Read Polish data sets: PolEval 2021 and PolQA."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.io.inputs import is_file, is_folder
from qaldgen.io.json_text import member
from qaldgen.io.unpacking import open_content
from qaldgen.model import Answers, Question
from qaldgen.questions.collecting import Item, ReadOptions
from qaldgen.questions.file_content import Content, decode_text, split_lines
from qaldgen.questions.folders import Container
from qaldgen.questions.geval_numbers import SPACE
from qaldgen.questions.question_texts import add_wording
from qaldgen.questions.reading import Reader
from qaldgen.questions.record_formats import RecordFormat, gold_from, keys

QUESTIONS = "in.tsv"
EXPECTED = "expected.tsv"
_PASSAGES = frozenset({
    "passage_title", "passage_text", "passage_wiki", "passage_id", "duplicate", "relevant",
    "annotated_by", "passage_source"
})  # fmt: skip


def load_poleval(path: Path) -> Content | None:
    """Return the questions of PolEval in its folder, or in ``in.tsv``, which has no tabs.

    None for any other path. If ``expected.tsv`` is in the same folder, it belongs to the content:
    the sha256 is then of both files, one after the other.
    """
    file = path / QUESTIONS if is_folder(path) else path
    if file.name != QUESTIONS or not is_file(file):
        return None
    questions = _read_bytes(file)
    expected = file.with_name(EXPECTED)
    text = decode_text(file, questions)
    # a file of another set may have the same name
    if "\t" in text.split("\n", 1)[0]:
        return None
    gold = b""
    document = None
    if is_file(expected):
        gold = _read_bytes(expected)
        document = decode_text(expected, gold)
    digest = hashlib.sha256(questions + gold).hexdigest()
    return Content(file, kind="poleval", text=text, sha256=digest, document=document)


def recognises_poleval(content: Content) -> bool:
    """Return whether a content is PolEval 2021, task 4, by the name ``in.tsv``."""
    return content.kind == "poleval"


def read_poleval(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of PolEval; the line number is the id."""
    lines = content.lines
    gold_lines: Sequence[str] = ()
    if isinstance(content.document, str):
        gold_lines = split_lines(content.document)
        if len(gold_lines) != len(lines):
            raise DataError(
                f"has {len(gold_lines)} lines, {content.path.name} has {len(lines)}; the numbers"
                " must be equal",
                where=content.path.with_name(EXPECTED),
            )

    folder = content.path.resolve().parent.name
    split = folder if folder in {"dev-0", "test-A", "test-B", "train"} else ""
    for number, (line, gold_line) in enumerate(zip_longest(lines, gold_lines), 1):
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "pl", line)

        answers = None
        if gold_line is not None:
            variants = gold_line.strip(SPACE)
            answers = Answers(texts=(tuple(variants.split("\t")),)) if variants else Answers()
        yield Question(str(number), texts, answers=answers, origin="PolEval 2021", split=split)


def _read_bytes(path: Path) -> bytes:
    """Return the unpacked contents of a file."""
    with open_content(path) as reader:
        return reader.read()


def recognises_polqa(content: Content) -> bool:
    """Return whether a content is the rows of PolQA, as CSV, JSON or JSON Lines."""
    names = frozenset(map(str.lower, content.table.header)) or content.row_keys
    return {"question_id", "question"} <= names and not names.isdisjoint(
        {"question_formulation", "passage_wiki", "annotated_by"}
    )


def polqa_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the first row of each question, with the ids of its relevant passages."""
    passages_by_question: dict[str, list[str]] = {}
    first_rows: dict[str, dict[str, object]] = {}
    for row in content.lower_rows:
        question_id = str(member(row, "question_id") or "")
        if not isinstance(row, dict) or not question_id:
            yield row
            continue

        passages = passages_by_question.setdefault(question_id, [])
        if question_id not in first_rows:
            fields = {key: value for key, value in row.items() if value != "-"}
            for key, value in fields.items():
                if isinstance(value, str):
                    fields[key] = " ".join(value.split())
            first_rows[question_id] = fields
        if str(row.get("relevant")).lower() in {"true", "1"}:
            passages.append(str(row.get("passage_id", "")))

    for question_id, row in first_rows.items():
        yield {**row, "relevant_passages": " ".join(passages_by_question[question_id])}


def list_files(path: Path) -> list[Path]:
    """Return both files of a folder of PolEval, for the folder or the questions in it."""
    if path.name != QUESTIONS and not is_folder(path):
        return []
    folder = path if is_folder(path) else path.parent
    return [folder / QUESTIONS, folder / EXPECTED]


POLEVAL = Reader(
    recognises_poleval,
    read_poleval,
    "PolEval 2021 task 4: in.tsv, expected.tsv beside it",
    load=load_poleval,
    files=list_files,
    lines=True,
)
_POLQA = RecordFormat(
    help="PolQA CSV, JSON or JSON Lines",
    origin="PolQA",
    ids=("question_id",),
    texts={"question": "pl"},
    recognises=recognises_polqa,
    rows=polqa_rows,
    split=lambda record: record.scalar("split"),
    answers=gold_from("answers", several=False),
    answer_type=lambda record: "boolean" if record.scalar("question_type") == "YES/NO" else "",
    dropped=keys("answers", "split", *_PASSAGES),
)
POLQA = Reader(_POLQA.matches, _POLQA.read, _POLQA.help)
FOLDER = Container(f"of PolEval 2021 ({QUESTIONS})")

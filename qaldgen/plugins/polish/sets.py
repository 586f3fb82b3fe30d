"""Read Polish data sets: PolEval 2021 and PolQA."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.formats.csv_tables import table_columns, table_records
from qaldgen.formats.file_content import Content, decode, split_lines
from qaldgen.formats.folders import Container
from qaldgen.formats.question_texts import add_wording, answer_type
from qaldgen.formats.reading import Reader
from qaldgen.formats.records import Fields, Item, ReadOptions, broken, each_record
from qaldgen.io.files import is_file, is_folder, open_content
from qaldgen.model import Answers, Question

QUESTIONS, EXPECTED = "in.tsv", "expected.tsv"
_PASSAGES = frozenset({
    "passage_title", "passage_text", "passage_wiki", "passage_id", "duplicate", "relevant",
    "annotated_by", "passage_source"
})  # fmt: skip
_POLQA = frozenset({"question_id", "question", "answers", "split", *_PASSAGES})


def load_poleval(path: Path) -> Content | None:
    """Return the questions of PolEval: its folder, or ``in.tsv`` (lines without tabs); else None.

    If ``expected.tsv`` is in the same folder, it belongs to the content: the sha256 is then of both
    files, one after the other.
    """
    file = path / QUESTIONS if is_folder(path) else path
    if file.name != QUESTIONS or not is_file(file):
        return None
    questions, expected = _bytes(file), file.with_name(EXPECTED)
    text = decode(file, questions)
    # a file of another set may have the same name
    if "\t" in text.split("\n", 1)[0]:
        return None
    gold = _bytes(expected) if is_file(expected) else b""
    document = decode(expected, gold) if is_file(expected) else None
    return Content(file, "poleval", text, hashlib.sha256(questions + gold).hexdigest(), document)


def recognises_poleval(content: Content) -> bool:
    """Whether this is PolEval 2021, task 4; only the name ``in.tsv`` shows it, not the lines."""
    return content.kind == "poleval"


def read_poleval(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of PolEval; the line number is the id."""
    lines = content.lines
    variants = _variants(content, len(lines))
    folder = content.path.resolve().parent.name
    split = folder if folder in {"dev-0", "test-A", "test-B", "train"} else ""
    for number, line in enumerate(lines, 1):
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "pl", line)
        yield Question(
            id=str(number),
            texts=texts,
            answers=variants.get(number),
            origin="PolEval 2021",
            split=split,
        )


def _variants(content: Content, count: int) -> dict[int, Answers]:
    """Return the accepted answers by line; they are separated by tabs."""
    if not isinstance(content.document, str):
        return {}
    lines = split_lines(content.document)
    if len(lines) != count:
        raise DataError(
            f"has {len(lines)} lines, {content.path.name} has {count}; the numbers must be equal",
            where=content.path.with_name(EXPECTED),
        )
    return {
        n: Answers(texts=(tuple(text.split("\t")),) if (text := line.strip()) else ())
        for n, line in enumerate(lines, 1)
    }


def _bytes(path: Path) -> bytes:
    with open_content(path) as reader:
        return reader.read()


def recognises_polqa(content: Content) -> bool:
    """Return whether these are the rows of PolQA, as CSV, JSON or JSON Lines."""
    keys = frozenset(table_columns(content)) if content.kind == "text" else content.row_keys
    return {"question_id", "question"} <= keys and not keys.isdisjoint(
        {"question_formulation", "passage_wiki", "annotated_by"}
    )


def read_polqa(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of PolQA; its pairs of question and passage are merged by question."""
    rows = table_records(content) if content.kind == "text" else content.rows
    groups: dict[str, list[Fields]] = {}

    def _collect(row: Fields, number: int) -> None:
        groups.setdefault(row.required("question_id"), []).append(row)

    yield from each_record(content, ["question_id"], _collect, rows)
    for name, group in groups.items():
        where = group[0].where[-1]
        try:
            yield _polqa_question(name, group)
        except DataError as error:
            yield broken(content, where, name, error)


def _polqa_question(name: str, group: list[Fields]) -> Question:
    first = group[0]
    if "question" not in first.data:
        raise first.error("question", "the text of the question")
    texts: dict[str, tuple[str, ...]] = {}
    add_wording(texts, "pl", first.scalar("question"))
    metadata = {
        field: " ".join(value.split())
        for field, value in first.rest(_POLQA).items()
        if value != "-"
    }
    relevant = [
        row.scalar("passage_id") for row in group if row.has("relevant") and row.flag("relevant")
    ]
    if relevant:
        # the ids of the passages, so that retrieval can be scored
        metadata["relevant_passages"] = " ".join(dict.fromkeys(relevant))
    return Question(
        id=name,
        texts=texts,
        answers=_polqa_answers(first),
        answer_type=answer_type(_kind(metadata)),
        origin="PolQA",
        split=first.scalar("split"),
        metadata=metadata,
    )


def _kind(metadata: Mapping[str, str]) -> str:
    return "boolean" if metadata.get("question_type") == "YES/NO" else ""


def _polqa_answers(row: Fields) -> Answers | None:
    """Return the accepted answers; in CSV they are a list in the notation of Python."""
    if not isinstance(row.data.get("answers"), str):
        variants = row.strings("answers")
        return Answers(texts=(variants,) if variants else ()) if row.has("answers") else None
    text = row.scalar("answers")
    if not text.startswith("["):
        return Answers(texts=((text,),)) if text else None
    try:
        parsed = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise DataError(
            f"field 'answers' is {text[:40]!r}; a list such as ['tak'] is expected", where=row.where
        ) from error
    variants = row.inside("answers", {"variants": parsed}).strings("variants")
    return Answers(texts=(variants,) if variants else ())


def _files(path: Path) -> list[Path]:
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
    files=_files,
    lines=True,
)
POLQA = Reader(recognises_polqa, read_polqa, "PolQA CSV, JSON or JSON Lines")
FOLDER = Container(f"of PolEval 2021 ({QUESTIONS})")

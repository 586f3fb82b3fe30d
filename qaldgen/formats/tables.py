"""Read tables: the plain form of ours as CSV, TSV, JSON or JSON Lines, and the TSV of SimpleQuestions-Wikidata."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from qaldgen.errors import DataError
from qaldgen.formats.answers_json import answers_in
from qaldgen.formats.cells import WIKIDATA, boolean_of, column, plain_cell
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields, record_fields
from qaldgen.formats.gather import add_wording, answer_type, is_out_of_scope, knowledge_graph
from qaldgen.model import Answers, LeftOut, Question

#: The columns of the plain form; every other column is kept as metadata.
COLUMNS = ("id", "text", "question", "language", "sparql", "answers", "answer_type", "split", "origin")
_LARGEST = 2**24
_LONGEST_HEADER = 100_000
_SIMPLE = re.compile(r"(?P<subject>Q[0-9]+)\t(?P<property>[PR][0-9]+)\t(?P<object>[^\t]+)\t(?P<text>[^\t]*)")
_SIMPLE_START = re.compile(r"Q[0-9]+\t[PR][0-9]+\t")


def table_columns(content: Content) -> list[str]:
    """Return the names in the first line of a table, in lower case; nothing if it is no table."""
    if content.kind != "text":
        return []
    first = _first_line(content.text.lstrip())[:_LONGEST_HEADER]
    names = next(csv.reader([first], delimiter=_delimiter(first)), [])
    return [name.strip().lower() for name in names]


def table_records(content: Content) -> list[object]:
    """Return the rows of a table with a header, as objects; empty cells and empty rows are left out.

    Raises
    ------
    DataError
        If a row has more cells than the header, or quotes are not closed.
    """
    text = content.text.lstrip()
    columns = table_columns(content)
    delimiter = _delimiter(_first_line(text))
    before = csv.field_size_limit(_LARGEST)
    records: list[object] = []
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        next(rows)
        for row in rows:
            if len(row) > len(columns):
                raise DataError(
                    f"{content.path}: line {rows.line_num}: has {len(row)} cells, the header has {len(columns)}; "
                    "put cells that hold the separator into quotes"
                )
            record = {name: cell for name, cell in zip(columns, row, strict=False) if cell.strip()}
            if record:
                records.append(record)
    except csv.Error as error:
        raise DataError(f"{content.path}: line {rows.line_num}: {error}; cells with quotes need them doubled") from error
    finally:
        csv.field_size_limit(before)
    return records


def recognises_plain_table(content: Content) -> bool:
    """Say whether this is the plain form as CSV or TSV: a header with ``text`` or ``question``."""
    columns = set(table_columns(content))
    return not columns.isdisjoint({"text", "question"}) and "question_id" not in columns


def recognises_plain_json(content: Content) -> bool:
    """Say whether this is the plain form as JSON or JSON Lines: records with ``text``, or with nothing but our columns."""
    if content.kind not in {"json", "jsonl"} or content.keys.isdisjoint({"text", "question"}):
        return False
    return "text" in content.keys or content.keys <= set(COLUMNS)


def read_plain(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions of the plain form; without id the number of the record is the id."""
    rows = table_records(content) if content.kind == "text" else None
    for number, record in enumerate(record_fields(content, ["id"], rows), 1):
        name = record.scalar("id") or str(number)
        texts: dict[str, tuple[str, ...]] = {}
        for wording in (*record.strings("text"), *record.strings("question")):
            add_wording(texts, record.scalar("language") or language, wording)
        sparql = record.scalar("sparql")
        if is_out_of_scope(sparql):
            yield LeftOut(name, "OUT OF SCOPE: cannot be answered from the data")
            continue
        kind = record.scalar("answer_type")
        if kind and not answer_type(kind):
            raise DataError(
                f"{record.where}: field 'answer_type' is {kind!r}; resource, string, number, date or boolean is expected"
            )
        yield Question(
            id=name,
            texts=texts,
            queries={knowledge_graph(sparql): sparql} if sparql else {},
            answers=_answers(record, answer_type(kind), bool(sparql)),
            answer_type=answer_type(kind),
            origin=record.scalar("origin"),
            split=record.scalar("split"),
            metadata=record.rest(COLUMNS),
        )


def recognises_simple(content: Content) -> bool:
    """Say whether this is SimpleQuestions-Wikidata: lines of item, property, item and question."""
    return content.kind == "text" and _SIMPLE_START.match(content.text.lstrip()) is not None


def read_simple(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions of SimpleQuestions-Wikidata, with a query that is built; ``R19`` is the inverse of ``P19``."""
    for number, line in enumerate(content.lines, 1):
        if not line.strip():
            continue
        match = _SIMPLE.fullmatch(line)
        if match is None:
            raise DataError(
                f"{content.path}: line {number}: {line[:60]!r} is not item, property, item and question, separated by tabs "
                "(such as Q1, P2 or R2, Q3)"
            )
        subject, name = f"<{WIKIDATA}{match['subject']}>", match["property"]
        edge = f"<http://www.wikidata.org/prop/direct/P{name[1:]}>"
        pattern = f"?x {edge} {subject}" if name[0] == "R" else f"{subject} {edge} ?x"
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "en", match["text"])
        answer = match["object"].strip()
        yield Question(
            id=str(number),
            texts=texts,
            queries={"wikidata": f"SELECT ?x WHERE {{ {pattern} }}"},
            answers=column([plain_cell(WIKIDATA + answer if re.fullmatch(r"Q[0-9]+", answer) else answer)], "x"),
            origin="SimpleQuestions-Wikidata",
            metadata={"subject": match["subject"], "property": name},
        )


def _first_line(text: str) -> str:
    """Return the first line; old programs end lines with a carriage return alone."""
    return re.split(r"[\r\n]", text, maxsplit=1)[0]


def _delimiter(first: str) -> str:
    return "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","


def _answers(record: Fields, kind: str, queried: bool) -> Answers | None:
    r"""Return the answers of the plain form.

    They are separated by ``|`` (``\|`` is a bar in an answer), or a list in JSON. ``[]`` is an empty answer. With a query, or if
    one of them is an IRI, they are cells; else texts. What that cannot say is SPARQL results JSON, see `whole_answers_json`.
    """
    value = record.data.get("answers")
    whole = answers_in(value, f"{record.where}: field 'answers'")
    if whole is not None:
        return whole
    values = record.strings("answers")
    if isinstance(value, str):
        values = tuple(part.strip().replace("\\|", "|") for part in re.split(r"(?<!\\)\|", value) if part.strip())
    if value == [] or values == ("[]",):
        return Answers()
    if not values:
        return None
    truth = boolean_of(values[0]) if len(values) == 1 else None
    if truth is not None and (kind == "boolean" or values[0].lower() in {"true", "false"}):
        return Answers(boolean=truth)
    cells = [plain_cell(text) for text in values]
    if queried or any(cell.type == "uri" for cell in cells):
        return column(cells)
    return Answers(texts=tuple((text,) for text in values))

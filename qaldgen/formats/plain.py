"""Read tables and JSON records of any origin; `columns` decides what each column holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from qaldgen.formats.assembling import Item, Note, ReadOptions, each_record
from qaldgen.formats.column_names import holds_questions
from qaldgen.formats.columns import Columns, find_columns, first_told, is_blank, looks_like_sparql
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields
from qaldgen.formats.lists_in_text import list_note
from qaldgen.formats.plain_answers import GoldReader
from qaldgen.formats.tables import first_records, table_header, table_records, unique_header
from qaldgen.formats.texts import UNANSWERABLE, add_texts, answer_type, is_out_of_scope
from qaldgen.model import LeftOut, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

_LOOKED_AT_WITHOUT_HEADER = 200
#: Two words or more, or a script without spaces, and a question mark.
_ASKS = re.compile(r"\s*(?:\S+\s+\S.*|[^\x00-\u024f]{3,}.*)[?？؟]\W*", re.DOTALL)
#: What a regular expression has, and hardly any answer.
_PATTERN = re.compile(r"\([^()]*\|[^()]*\)|\)[?*+]|\.[*+]|\\[sdwbSDWB.]|\w\?\w|\[[^\]]+\][?*+]?\w")
_ID = re.compile(r"\S*[0-9]\S*")


def guessed_header(content: Content) -> list[str] | None:
    """Return names for the columns of a table whose first line is a question already; else None.

    Questions, queries and ids show in the values. The last other column behind the question holds
    the answers, unless there are queries and it repeats a few values, such as a template.
    """
    names = [f"column {place}" for place in range(1, len(table_header(content)) + 1)]
    if content.kind != "text" or len(names) < 2:
        return None
    rows = first_records(content, names, _LOOKED_AT_WITHOUT_HEADER, headed=False)
    values = {name: [_cell(row, name) for row in rows] for name in names}
    asked = max(names, key=lambda name: sum(map(_asks, values[name])))
    sparql = [name for name in names if 2 * sum(map(looks_like_sparql, values[name])) > len(rows)]
    shown = _asks(values[asked][0]) or any(looks_like_sparql(values[name][0]) for name in sparql)
    if 2 * sum(map(_asks, values[asked])) < len(rows) or not shown:
        return None
    kinds = {asked: "question", **({sparql[0]: "sparql"} if sparql else {})}
    place = names.index(asked)
    ids = [name for name in names[:place] if name not in kinds and _are_ids(values[name])]
    if ids:
        kinds[ids[0]] = "id"
    last = [name for name in names[place:] if name not in {*kinds, *sparql}][-1:]
    if last and (not sparql or 2 * len(set(values[last[0]])) > len(rows)):
        kinds[last[0]] = "answers"
    return [kinds.get(name, name) for name in names]


def without_patterns(rows: Sequence[object]) -> int:
    """Write answers that are regular expressions so that they are not split; return their number.

    The sets of TREC have them. In such a set a bar separates names of one answer.
    """
    objects = [row for row in rows if isinstance(row, dict) and "answers" in row]
    patterns = sum(_PATTERN.search(row["answers"]) is not None for row in objects)
    for row in objects if patterns else ():
        said = row["answers"]
        row["answers"] = [[said] if _PATTERN.search(said) else said.split("|")]
    return patterns


def _cell(row: object, name: str) -> str:
    return str(row.get(name, "")) if isinstance(row, dict) else ""


def _asks(text: str) -> bool:
    return _ASKS.fullmatch(text) is not None


def _are_ids(values: Sequence[str]) -> bool:
    return len(set(values)) == len(values) and all(map(_ID.fullmatch, values))


#: So many rows of a table tell whether it holds questions.
_LOOKED_AT = 1000


def recognises_plain_table(content: Content) -> bool:
    """Return whether this is a table one of whose columns holds questions, by name or values."""
    header = unique_header(content)
    named = any(holds_questions(name) for name in header)
    rows = first_records(content, header, _LOOKED_AT) if named or len(header) > 1 else []
    known = find_columns(rows) is not None if any(isinstance(row, dict) for row in rows) else named
    return known or guessed_header(content) is not None


def recognises_plain_json(content: Content) -> bool:
    """Return whether these are JSON records one of whose fields holds questions."""
    return (
        content.kind in {"json", "jsonl"}
        and bool(content.row_keys)
        and find_columns(content.rows) is not None
    )


def read_plain(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of a table or of JSON records.

    Without an id, the record number is the id.
    """
    rows, guessed = rows_and_guess(content)
    patterns = without_patterns(rows) if guessed else 0
    columns = find_columns(rows) or Columns(question=("question",))
    gold = GoldReader(columns, rows, options.separator, table=content.kind == "text")
    unknown: Counter[str] = Counter()

    def _read(record: Fields, number: int) -> list[Item]:
        return [_question(record, number, columns, gold, unknown, options.language)]

    if guessed:
        yield Note(
            f"has no header; its columns are read as {', '.join(guessed)}. Name them in a first"
            " line to read them otherwise"
        )
    if patterns:
        yield Note(
            f"{patterns:,} gold answers are regular expressions, which no matcher reads; they are"
            " taken as they are written"
        )
    yield from (Note(text) for text in columns.notes)
    yield from (
        Note(f"not read: the list {name!r} next to the one with the questions")
        for name in _others(content)
    )
    questions: list[Question] = []
    for item in each_record(content, [columns.one.get("id", "id")], _read, rows):
        if isinstance(item, Question):
            questions.append(item)
        yield item
    notes = (
        *_further_note(questions, columns),
        *_type_note(unknown),
        *gold.notes(),
        *list_note(questions),
    )
    yield from (Note(text) for text in notes)


def rows_and_guess(content: Content) -> tuple[list[object], list[str]]:
    """Return the records, and the names that the columns of a table without a header get."""
    if content.kind != "text":
        return content.rows, []
    header = unique_header(content)
    named = any(map(holds_questions, header))
    guessed = None if named else guessed_header(content)
    return table_records(content, guessed or header, headed=guessed is None), guessed or []


def _others(content: Content) -> Sequence[str]:
    return () if content.kind == "text" else content.held.others


def _question(
    record: Fields,
    number: int,
    columns: Columns,
    gold: GoldReader,
    unknown: Counter[str],
    language: str,
) -> Question | LeftOut:
    def one(kind: str) -> str:
        return record.scalar(columns.one[kind]) if kind in columns.one else ""

    name = one("id") or str(number)
    texts = _texts(record, columns, one("language") or language)
    queries, further = _queries(record, columns)
    if any(is_out_of_scope(query) for query in queries.values()):
        return LeftOut(name, UNANSWERABLE)
    said = one("type")
    kind = answer_type(said)
    if said and not kind:
        unknown[said] += 1
    return Question(
        id=name,
        texts=texts,
        queries=queries,
        answers=gold.answers(record, name, kind, queried=bool(queries)),
        answer_type=kind,
        origin=one("origin"),
        split=one("split"),
        metadata={**_metadata(record, columns, gold, "" if kind else said), **further},
    )


def _metadata(
    record: Fields, columns: Columns, gold: GoldReader, unknown_type: str
) -> dict[str, str]:
    """Return the unused fields of a record and its choices, without long texts."""
    record.unread += [column for column in columns.long if not is_blank(record.data.get(column))]
    metadata = record.rest(columns.ours)
    relevant = record.data.get("relevant_passages")
    if isinstance(relevant, list) and "relevant_passages" in metadata:
        metadata["relevant_passages"] = " ".join(map(str, relevant))  # ids with spaces between them
    if unknown_type:
        metadata[columns.one["type"]] = unknown_type
    choices = gold.choices(record.data)
    return {**metadata, "choices": str(choices)} if choices.texts else metadata


def _texts(record: Fields, columns: Columns, language: str) -> dict[str, tuple[str, ...]]:
    texts: dict[str, tuple[str, ...]] = {}
    for column in (*first_told(record.data, columns.question), *columns.wordings):
        add_texts(texts, record, column, language)
    for column, tag in columns.translations.items():
        add_texts(texts, record, column, tag)
    return texts


def _queries(record: Fields, columns: Columns) -> tuple[dict[str, str], dict[str, str]]:
    """Return the first query of each knowledge graph, and the further ones by their columns."""
    queries: dict[str, str] = {}
    further: dict[str, str] = {}
    for column, graph in columns.queries.items():
        value = record.data.get(column)
        found = (
            record.nested(column).strings("sparql")
            if isinstance(value, dict)
            else record.strings(column)
        )
        query = next(iter(found), "")
        if query and queries.setdefault(graph or graph_of_query(query), query) != query:
            further[column] = query
    return queries, further


def _further_note(questions: Sequence[Question], columns: Columns) -> Iterator[str]:
    """Report how many questions have a second query for the same knowledge graph."""
    named = [
        [column for column in columns.queries if column in question.metadata]
        for question in questions
    ]
    count = sum(map(bool, named))
    if count:
        verb = "has" if count == 1 else "have"
        yield (
            f"{count:,} of {len(questions):,} questions {verb} another query for the same knowledge"
            f" graph in {next(filter(None, named))[0]!r}; it is not used, but kept as metadata"
        )


def _type_note(unknown: Counter[str]) -> Iterator[str]:
    if unknown:
        # the most frequent one, because a rare one may be a slip
        first, count = unknown.most_common(1)[0]
        yield (
            f"{unknown.total():,} answer types are not one of resource, string, number, date and"
            f" boolean, such as {first!r} ({count:,}); they are kept as metadata"
        )

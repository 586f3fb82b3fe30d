"""Read tables and JSON records of any origin; `columns` decides what each column holds."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.io.notes import note
from qaldgen.io.text import count, some
from qaldgen.model import Answers, LeftOut, MetadataValue, Question
from qaldgen.questions.answer_objects import holds_answers, names_by_iri
from qaldgen.questions.choices import FIRST_CHOICE
from qaldgen.questions.column_values import first_filled, is_blank
from qaldgen.questions.columns import NOTHING_CHOSEN, ONE_VALUE, ChosenFields, Columns, find_columns
from qaldgen.questions.csv_tables import first_records, table_records, unique_header
from qaldgen.questions.fields import (
    has_role,
    holds_questions,
    is_gold_name,
    is_prediction_name,
    may_hold_gold,
)
from qaldgen.questions.file_content import Content
from qaldgen.questions.gold_fields import GoldReader, GoldStyle, choices_of, gold_style
from qaldgen.questions.headless_tables import guessed_header, keep_patterns
from qaldgen.questions.listed_answers import note_lists, note_regular_expressions
from qaldgen.questions.nested_records import with_fields_of, with_inner_fields
from qaldgen.questions.question_texts import (
    UNANSWERABLE,
    answer_type,
    is_out_of_scope,
    looks_like_question,
)
from qaldgen.questions.record_formats import queries_in
from qaldgen.questions.records import (
    Fields,
    Item,
    Numbered,
    ReadOptions,
    Systems,
    add_texts,
    each_record,
    scalar_text,
)
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.rows_of_answers import best_candidates, rows_by_system
from qaldgen.questions.values import Expected
from qaldgen.questions.written_lists import parse_written

#: So many rows of a table tell whether it holds questions.
_LOOKED_AT = 1000
#: How a row of totals begins, in the languages of most tables.
_TOTAL = re.compile(
    r"\W*(?:sum|totals?|average|mean|summe|gesamt|durchschnitt|mittelwert|somme|moyenne|suma|totale|"
    r"razem|średnia|media|celkem)\b",
    re.IGNORECASE,
)
#: How columns say whether a question can be answered.
_YES = frozenset({"true", "1", "1.0", "yes"})
_NO = frozenset({"false", "0", "0.0", "no"})


def recognises_plain_table(content: Content) -> bool:
    """Return whether this is a table one of whose columns holds questions, by name or values."""
    header = unique_header(content)
    holds_question = any(map(holds_questions, header))
    if holds_question or len(header) > 1:
        rows = first_records(content, header, _LOOKED_AT)
        if any(isinstance(row, dict) for row in rows):
            holds_question = find_columns(rows) is not None
    return holds_question or guessed_header(content) is not None


def recognises_plain_json(content: Content) -> bool:
    """Return whether these are JSON records one of whose fields holds questions."""
    return (
        content.kind in {"json", "jsonl"}
        and bool(content.row_keys)
        and find_columns(content.rows) is not None
    )


def answer_key(content: Content) -> Content | None:
    """Return gold answers without questions as records whose ids stand for texts; else None.

    They are in a table or in records, perhaps beside answers of a system, or in an object by ids.
    """
    if content.kind not in {"text", "json", "jsonl"}:
        return None
    rows = plain_rows(content).rows
    if isinstance(content.document, dict) and not _has_gold(rows):
        answers = content.document
        for name, value in content.document.items():
            if is_gold_name(name) and isinstance(value, dict):
                answers = value
                break
        if len(answers) < 2 or not all(map(holds_answers, answers.values())):
            return None
        rows = [{"id": name, "answers": value} for name, value in answers.items()]
    objects: list[dict[str, object]] = [row for row in rows if isinstance(row, dict)]
    if not _has_gold(objects):
        return None
    names = dict.fromkeys(chain.from_iterable(objects))
    key = next((name for name in names if has_role(name, "id", "run id")), "")
    records = []
    for number, row in enumerate(objects, 1):
        name = scalar_text(row.get(key, number))
        records.append({**row, key or "id": name, "question": name})
    text = "has gold answers and no questions; ids stand for texts, whose features mean nothing"
    return dataclasses.replace(content.with_records(records), notes=(*content.notes, text))


def _has_gold(rows: Sequence[object]) -> bool:
    """Return whether records have gold answers, those of a system beside them, or else ids."""
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    if any(map(is_prediction_name, names)):
        return any(may_hold_gold(name) and not is_prediction_name(name) for name in names)
    return any(has_role(name, "id", "run id") for name in names) and any(map(may_hold_gold, names))


def read_plain(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of a table or of JSON records.

    Without an id, the record number is the id.
    """
    chosen_fields = ChosenFields(options.gold_field, options.answer_field)
    rows, names, guessed = plain_rows(content, chosen_fields)
    table = content.kind == "text"
    systems = rows_by_system(rows)
    if systems:
        once: dict[str, object] = {}
        for row in chain.from_iterable(systems.values()):
            once.setdefault(row["id"], row)
        rows = [*once.values()]
        note(f"has a row for each question and system ({some(systems)})")
    rows = best_candidates(rows)
    if guessed:
        note(
            f"has no header; its columns are read as {', '.join(names)}. Name them in a first"
            " line to read them otherwise"
        )
        keep_patterns(rows)
    columns = find_columns(rows, chosen_fields, names) or Columns(question=("question",))
    if columns.gold and (columns.systems or systems):
        yield Systems(tuple(systems or columns.systems))
    if "id" not in columns.one:
        yield Numbered()
    note(*columns.notes)
    if not table:
        for name in content.file_records.unread_lists:
            note(f"not read: the list {name!r} next to the one with the questions")
    reader = _QuestionReader(columns, gold_style(rows, columns), options, table=table)
    items: Iterable[Item]
    items = each_record(content, [columns.one.get("id", "id")], reader.question, rows)
    if table and "id" in columns.one:
        items = with_all_rows(items)
    yield from items
    reader.note_what_was_seen()


def with_all_rows(items: Iterable[Item]) -> list[Item]:
    """Return what is read of a table, with the answers of several rows to one question together.

    They have its id and its text; a row that says the same again is a copy.
    """
    places: dict[str, int] = {}
    joined_items: list[Item] = []
    joined = 0
    for item in items:
        joined_items.append(item)
        if not isinstance(item, Question):
            continue
        place = places.setdefault(item.id, len(joined_items) - 1)
        before = joined_items[place]
        if not isinstance(before, Question) or before.answers == item.answers:
            continue
        if before.answers is None or item.answers is None:
            continue
        # other choices are another question
        question_before = (before.texts, before.queries, before.metadata.get("choices"))
        if question_before == (item.texts, item.queries, item.metadata.get("choices")):
            del joined_items[-1]
            answers = merge_answers([before.answers, item.answers])
            joined_items[place] = dataclasses.replace(before, answers=answers)
            joined += 1
    if joined:
        note(f"{count(joined, 'row')} with a further answer to the question of a row before")
    return joined_items


class PlainRows(NamedTuple):
    """The records of a file."""

    rows: list[object]
    names: Sequence[str] = ()  # the columns of a table, also those that no row fills
    guessed: bool = False  # whether the table has no header, and its names are guessed


def plain_rows(content: Content, chosen_fields: ChosenFields = NOTHING_CHOSEN) -> PlainRows:
    """Return the records of a table or of JSON, with the chosen fields of their objects."""
    if content.kind != "text":
        rows = with_inner_fields(content.rows, (chosen_fields.gold, *chosen_fields.answers))
        return PlainRows(_with_metadata(rows))
    header = unique_header(content)
    if not any(map(holds_questions, header)):
        guessed = guessed_header(content)
        if guessed is not None:
            rows = table_records(content, guessed, headed=False)
            return PlainRows(_with_metadata(rows), guessed, guessed=True)
    return PlainRows(_with_metadata(table_records(content, header)), header)


def _with_metadata(rows: list[object]) -> list[object]:
    """Return records with the fields of metadata objects, which a table has as texts."""
    names = {name for row in rows if isinstance(row, dict) for name in row}
    return with_fields_of(
        rows, {name for name in names if has_role(name, "metadata")}, parse_written
    )


class _QuestionReader:
    """Reads questions record by record; counts what `note_what_was_seen` tells."""

    def __init__(
        self, columns: Columns, style: GoldStyle, options: ReadOptions, *, table: bool
    ) -> None:
        self._columns, self._style, self._options = columns, style, options
        self._table = table
        self._gold = GoldReader(columns, style, options, table=table)
        self._questions: list[Question] = []
        self._unknown_types: Counter[str] = Counter()

    def question(self, record: Fields, number: int) -> Question | LeftOut:
        """Return the question in a record."""
        columns = self._columns
        single = dict.fromkeys(ONE_VALUE, "")
        single |= {kind: record.scalar(name) for kind, name in columns.one.items()}
        name = single["id"] or str(number)
        further: dict[str, str] = {}
        queries = queries_in(record, columns.queries, further)
        if any(is_out_of_scope(query) for query in queries.values()):
            return LeftOut(name, UNANSWERABLE)
        texts: dict[str, tuple[str, ...]] = {}
        language = single["language"] or self._options.language
        first = first_filled(record.data, columns.question)
        if first is not None:
            add_texts(texts, record, first, language)
        for column in columns.wordings:
            add_texts(texts, record, column, language)
        for column, tag in columns.translations.items():
            add_texts(texts, record, column, tag)
        if self._is_total(record, texts):
            return LeftOut(name, "a row of totals, without a gold answer")
        kind = answer_type(single["type"])
        expected = Expected(
            kind, next(iter(queries.values()), ""), separator=self._options.split_answers
        )
        answers: Answers | None = Answers()
        if single["answerable"].lower() not in _NO and single["impossible"].lower() not in _YES:
            answers = self._gold.answers(record, name, expected)
        question = Question(
            id=name,
            texts=texts,
            queries=queries,
            answers=answers,
            answer_type=kind,
            origin=single["origin"],
            split=single["split"],
            names=names_by_iri(record.data),
            metadata={**self._metadata(record, single["type"]), **further},
        )
        self._questions.append(question)
        return question

    def _is_total(self, record: Fields, texts: Mapping[str, Sequence[str]]) -> bool:
        """Return whether a row of a table is one of totals, as spreadsheets have below others."""
        if not self._table or not self._columns.gold:
            return False
        if first_filled(record.data, self._columns.gold) is not None:
            return False
        words = [text for tag_texts in texts.values() for text in tag_texts]
        return (
            len(words) == 1
            and _TOTAL.match(words[0]) is not None
            and not looks_like_question(words[0])
        )

    def _metadata(self, record: Fields, kind: str) -> dict[str, MetadataValue]:
        """Return the unused fields of a record and its choices, without long texts.

        An answer type (`kind`) of other names is one of them.
        """
        long = self._columns.long
        record.unread += [column for column in long if not is_blank(record.data.get(column))]
        metadata = record.rest(self._columns.ours)
        relevant = record.data.get("relevant_passages")
        if isinstance(relevant, list) and "relevant_passages" in metadata:
            metadata["relevant_passages"] = " ".join(map(str, relevant))  # ids have no spaces
        if kind and not answer_type(kind):
            metadata[self._columns.one["type"]] = kind
            self._unknown_types[kind] += 1
        choices = choices_of(record.data, self._columns)
        if choices.texts:
            metadata["choices"] = str(choices)
            # numbers among the labels of a question are its own, whatever others count by
            first = choices.labels[0] if choices.labels else self._style.first_choice
            if str(first).isdecimal():
                metadata[FIRST_CHOICE] = str(first)
        return metadata

    def note_what_was_seen(self) -> None:
        """Tell what was noticed while the records were read."""
        further_queries = []
        for question in self._questions:
            unused = [column for column in self._columns.queries if column in question.metadata]
            further_queries += unused[:1]
        if further_queries:
            verb = "has" if len(further_queries) == 1 else "have"
            note(
                f"{len(further_queries):,} of {len(self._questions):,} questions {verb} another"
                f" query for the same knowledge graph in {further_queries[0]!r}; it is not used,"
                " but kept as metadata"
            )
        for kind, number in self._unknown_types.most_common(1):  # a rare one may be a slip
            note(
                f"{self._unknown_types.total():,} answer types are not one of resource, string,"
                f" number, date and boolean, such as {kind!r} ({number:,}); they are kept as"
                " metadata"
            )
        self._gold.note_what_was_seen()
        note_lists(self._questions)
        note_regular_expressions(self._questions)

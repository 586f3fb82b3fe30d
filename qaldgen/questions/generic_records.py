"""Read tables and JSON records of any origin, whose columns `questions.columns` identifies."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from qaldgen.errors import DataError
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count, few_quoted
from qaldgen.model import Answers, LeftOut, MetadataValue, Question
from qaldgen.questions.answer_objects import holds_answers, names_by_iri
from qaldgen.questions.choices import FIRST_CHOICE
from qaldgen.questions.collecting import Item, Numbered, ReadOptions, Systems, each_record
from qaldgen.questions.column_values import first_filled, is_blank
from qaldgen.questions.columns import (
    NOTHING_CHOSEN,
    SINGLE_VALUED,
    ChosenFields,
    Columns,
    find_columns,
)
from qaldgen.questions.fields import (
    has_no_role,
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
from qaldgen.questions.nested_records import nested_names, with_fields_of, with_inner_fields
from qaldgen.questions.question_texts import (
    UNANSWERABLE,
    answer_type,
    is_out_of_scope,
    looks_like_question,
)
from qaldgen.questions.record_formats import queries_in
from qaldgen.questions.records import Fields, add_texts, scalar_text
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.rows_of_answers import best_candidates, rows_by_system
from qaldgen.questions.system_columns import answer_columns
from qaldgen.questions.truth_values import parse_boolean
from qaldgen.questions.values import Choices, Expected
from qaldgen.questions.written_lists import parse_written

#: The beginning of a row of totals, in the languages of most tables.
_TOTALS_ROW = re.compile(
    r"\W*(?:sum|totals?|average|mean|summe|gesamt|durchschnitt|mittelwert|somme|moyenne|suma|totale|"
    r"razem|średnia|media|celkem)\b",
    re.IGNORECASE,
)


def recognises_plain_table(content: Content) -> bool:
    """Return whether this is a table with a column of questions, by its name or its values."""
    holds_question = any(map(holds_questions, content.table.header))
    if not holds_question and len(content.table.header) < 2:
        return False
    try:
        columns = plain_table(content).columns
    except DataError:  # the reader says what is wrong
        return holds_question
    return columns is not None or (holds_question and not content.objects)


def recognises_plain_json(content: Content) -> bool:
    """Return whether these are JSON records with a field of questions."""
    return bool(content.row_keys) and plain_table(content).columns is not None


def answer_key(content: Content) -> Content | None:
    """Return gold answers without questions as records in which the ids replace the texts.

    The answers may be in a table, in records, in an object by id, or, numbered, in a list or in
    lines. None for any other content.
    """
    if content.kind not in {"text", "json", "jsonl"}:
        return None
    objects = content.objects
    if isinstance(content.document, dict) and not _has_gold(objects):
        answers = content.document
        for name, value in content.document.items():
            if is_gold_name(name) and isinstance(value, dict):
                answers = value
                break
        if len(answers) < 2 or not all(map(holds_answers, answers.values())):
            return None
        objects = [{"id": key, "answers": value} for key, value in answers.items()]
    elif isinstance(content.document, list) and not objects:
        objects = [{"answers": value} for value in content.document]
    elif len(content.table.header) == 1 and has_no_role(content.table.header[0]):
        objects = [{"answers": line} for line in content.lines]
    names = dict.fromkeys(chain.from_iterable(objects))
    if not any(may_hold_gold(name) and not is_prediction_name(name) for name in names):
        return None
    key = next((name for name in names if has_role(name, "id", "run id")), "")
    records = []
    for number, row in enumerate(objects, 1):
        question_id = scalar_text(row.get(key, number))
        record = {**row, "question": question_id}
        if key:
            record[key] = question_id
        records.append(record)
    text = "has gold answers and no questions; ids stand for texts, whose features mean nothing"
    if not key:
        text = (
            "has gold answers, but neither questions nor ids; answers of systems must be in the"
            " same order"
        )
    return dataclasses.replace(content.with_records(records), notes=(*content.notes, text))


def _has_gold(rows: Iterable[Mapping[str, object]]) -> bool:
    """Return whether records have gold answers, together with answers of a system or with ids."""
    names = dict.fromkeys(chain.from_iterable(rows))
    if any(map(is_prediction_name, names)):
        return any(may_hold_gold(name) and not is_prediction_name(name) for name in names)
    return any(has_role(name, "id", "run id") for name in names) and any(map(may_hold_gold, names))


def read_plain(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of a table or of JSON records, numbered if they have no ids."""
    chosen_fields = ChosenFields(options.gold_field, options.answer_field)
    table = plain_table(content, chosen_fields)
    columns = table.columns or Columns(question=("question",))
    note(*table.notes)
    if columns.gold and (columns.systems or table.systems):
        yield Systems(tuple(table.systems or columns.systems))
    if "id" not in columns.single:
        yield Numbered()
    note(*columns.notes)
    is_table = content.kind == "text"
    if not is_table:
        for name in content.file_records.unread_lists:
            note(f"not read: the list {name!r} next to the one with the questions")
    reader = _QuestionReader(columns, gold_style(table.rows, columns), options, is_table=is_table)
    items: Iterable[Item]
    items = each_record(content, [columns.single.get("id", "id")], reader.read, table.rows)
    has_ids = "id" in columns.single
    # without ids, each row with an answer of a system is a question of its own
    if is_table and (has_ids or not columns.systems):
        items = merge_rows(items, has_ids=has_ids)
    yield from items
    reader.add_notes()


def merge_rows(items: Iterable[Item], *, has_ids: bool) -> list[Item]:
    """Merge the answers in several rows of a table that have the same question and id.

    Without ids, the rows of a question follow each other. Rows with the same answers are left as
    they are: they are copies.
    """
    indices: dict[str, int] = {}
    merged: list[Item] = []
    n_merged = 0
    for item in items:
        if not isinstance(item, Question):
            merged.append(item)
            continue
        if has_ids:
            question = item
            index = indices.setdefault(item.id, len(merged))
        else:
            question = dataclasses.replace(item, id=str(int(item.id) - n_merged))
            index = max(0, len(merged) - 1)
        merged.append(question)
        earlier = merged[index]
        if not isinstance(earlier, Question) or earlier.answers == item.answers:
            continue
        if earlier.answers is None or item.answers is None:
            continue
        # with other choices, it is another question
        earlier_question = (earlier.texts, earlier.queries, earlier.metadata.get("choices"))
        if earlier_question == (item.texts, item.queries, item.metadata.get("choices")):
            del merged[-1]
            answers = merge_answers([earlier.answers, item.answers])
            merged[index] = dataclasses.replace(earlier, answers=answers)
            n_merged += 1
    if n_merged:
        note(f"{count(n_merged, 'row')} with a further answer to the question of a row before")
    return merged


class PlainTable(NamedTuple):
    """The records of a file, each with a question, and what their fields hold."""

    rows: list[object]
    systems: Mapping[str, list[Any]]  # the rows of each system, if it has rows of its own
    columns: Columns | None  # None if no field holds questions
    is_guessed: bool  # whether the names are guessed, because the table has no header
    notes: tuple[str, ...]  # notes for users


def plain_table(content: Content, chosen_fields: ChosenFields = NOTHING_CHOSEN) -> PlainTable:
    """Return the records of a table or of JSON, in which chosen fields may be nested.

    They are found once for each content.
    """
    if chosen_fields not in content.plain_tables:
        content.plain_tables[chosen_fields] = _find_plain_table(content, chosen_fields)
    table: PlainTable = content.plain_tables[chosen_fields]
    return table


def _find_plain_table(content: Content, chosen_fields: ChosenFields) -> PlainTable:
    names = content.table.header
    guesses = None
    with collecting() as notes:
        if content.kind != "text":
            rows = with_inner_fields(content.rows, (chosen_fields.gold, *chosen_fields.answers))
        else:
            if not any(map(holds_questions, names)):
                guesses = guessed_header(content)
            names = guesses or names
            rows = content.table.records(names, headed=guesses is None)
        rows = _flatten_metadata(rows)
        systems = rows_by_system(rows)
        if systems:
            first_rows: dict[str, object] = {}
            for row in chain.from_iterable(systems.values()):
                first_rows.setdefault(row["id"], row)
            rows = list(first_rows.values())
            note(f"has a row for each question and system ({few_quoted(systems)})")
        rows = best_candidates(rows)
        if guesses:
            note(
                f"has no header; its columns are read as {', '.join(names)}. Name them in a first"
                " line to read them otherwise"
            )
            rows = keep_patterns(rows)
    columns = find_columns(rows, chosen_fields, names)
    if not (columns and columns.gold):
        nested_gold = nested_names(rows, is_gold_name)
        if len(nested_gold) == 1:
            chosen_fields = chosen_fields._replace(gold=nested_gold[0])
            rows = with_inner_fields(rows, nested_gold)
            columns = find_columns(rows, chosen_fields, names)
    if columns and columns.gold and not (columns.systems or systems):
        name_of_path = {
            path: path.rpartition(".")[2] for path in nested_names(rows, is_prediction_name)
        }
        preferred = answer_columns(name_of_path.values())
        answers = tuple(path for path, name in name_of_path.items() if name in preferred)
        if answers:
            chosen_fields = chosen_fields._replace(answers=answers)
            rows = with_inner_fields(rows, answers)
            columns = find_columns(rows, chosen_fields, names)
    return PlainTable(rows, systems, columns, guesses is not None, tuple(notes))


def _flatten_metadata(rows: list[object]) -> list[object]:
    """Replace metadata objects, which a table has as texts, by their fields."""
    names = {name for row in rows if isinstance(row, dict) for name in row}
    return with_fields_of(
        rows, {name for name in names if has_role(name, "metadata")}, parse_written
    )


class _QuestionReader:
    """Reads questions record by record, and collects what `add_notes` reports."""

    def __init__(
        self, columns: Columns, style: GoldStyle, options: ReadOptions, *, is_table: bool
    ) -> None:
        self._columns, self._style, self._options = columns, style, options
        self._is_table = is_table
        self._gold = GoldReader(columns, style, options, is_table=is_table)
        self._questions: list[Question] = []
        self._unknown_types: Counter[str] = Counter()

    def read(self, record: Fields, number: int) -> Question | LeftOut:
        """Return the question in a record."""
        columns = self._columns
        single = dict.fromkeys(SINGLE_VALUED, "")
        single |= {role: record.scalar(name) for role, name in columns.single.items()}
        question_id = single["id"] or str(number)
        extra_queries: dict[str, str] = {}
        queries = queries_in(record, columns.queries, extra_queries)
        if any(is_out_of_scope(query) for query in queries.values()):
            return LeftOut(question_id, UNANSWERABLE)
        texts: dict[str, tuple[str, ...]] = {}
        language = single["language"] or self._options.language
        question_column = first_filled(record.data, columns.question)
        if question_column is not None:
            add_texts(texts, record, question_column, language)
        for column in columns.wordings:
            add_texts(texts, record, column, language)
        for column, tag in columns.translations.items():
            add_texts(texts, record, column, tag)
        if self._is_total(record, texts):
            return LeftOut(question_id, "a row of totals, without a gold answer")
        type_name = answer_type(single["type"])
        choices = choices_of(record.data, columns)
        expected = Expected(
            type_name,
            next(iter(queries.values()), ""),
            choices=choices,
            separator=self._options.split_answers,
        )
        answers: Answers | None = Answers()
        is_unanswerable = parse_boolean(single["answerable"]) is False
        if not is_unanswerable and parse_boolean(single["impossible"]) is not True:
            answers = self._gold.read(record, question_id, expected)
        question = Question(
            id=question_id,
            texts=texts,
            queries=queries,
            answers=answers,
            answer_type=type_name,
            origin=single["origin"],
            split=single["split"],
            names=names_by_iri(record.data),
            metadata={**self._metadata(record, single["type"], choices), **extra_queries},
        )
        self._questions.append(question)
        return question

    def _is_total(self, record: Fields, texts: Mapping[str, Sequence[str]]) -> bool:
        """Return whether a record is the row of totals that spreadsheets have below a table."""
        if not self._is_table or not self._columns.gold:
            return False
        if first_filled(record.data, self._columns.gold) is not None:
            return False
        words = [text for tag_texts in texts.values() for text in tag_texts]
        return (
            len(words) == 1
            and _TOTALS_ROW.match(words[0]) is not None
            and not looks_like_question(words[0])
        )

    def _metadata(
        self, record: Fields, type_name: str, choices: Choices
    ) -> dict[str, MetadataValue]:
        """Return the metadata of a record: unused fields, choices, and unknown answer types."""
        long = self._columns.long
        record.unread += [column for column in long if not is_blank(record.data.get(column))]
        metadata = record.rest(self._columns.dropped)
        relevant = record.data.get("relevant_passages")
        if isinstance(relevant, list) and "relevant_passages" in metadata:
            metadata["relevant_passages"] = " ".join(map(str, relevant))  # ids have no spaces
        if type_name and not answer_type(type_name):
            metadata[self._columns.single["type"]] = type_name
            self._unknown_types[type_name] += 1
        if choices.texts:
            metadata["choices"] = str(choices)
            # the labels of a question may be numbers of its own
            number = choices.labels[0] if choices.labels else self._style.first_choice
            if str(number).isdecimal():
                metadata[FIRST_CHOICE] = str(number)
        return metadata

    def add_notes(self) -> None:
        """Report what was noticed while the records were read."""
        unused_queries = []
        for question in self._questions:
            unused = [column for column in self._columns.queries if column in question.metadata]
            unused_queries += unused[:1]
        if unused_queries:
            verb = "has" if len(unused_queries) == 1 else "have"
            note(
                f"{len(unused_queries):,} of {len(self._questions):,} questions {verb} another"
                f" query for the same knowledge graph in {unused_queries[0]!r}; it is not used,"
                " but kept as metadata"
            )
        for type_name, number in self._unknown_types.most_common(1):  # a rare one may be a typo
            note(
                f"{self._unknown_types.total():,} answer types are not one of resource, string,"
                f" number, date and boolean, such as {type_name!r} ({number:,}); they are kept as"
                " metadata"
            )
        self._gold.add_notes()
        note_lists(self._questions)
        note_regular_expressions(self._questions)

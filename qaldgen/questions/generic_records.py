"""Read tables and JSON records of any origin, whose columns `questions.columns` identifies."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.io.notes import note
from qaldgen.io.text import count, few_quoted
from qaldgen.model import Answers, LeftOut, MetadataValue, Question
from qaldgen.questions.answer_objects import holds_answers, names_by_iri
from qaldgen.questions.choices import FIRST_CHOICE
from qaldgen.questions.column_values import first_filled, is_blank
from qaldgen.questions.columns import (
    NOTHING_CHOSEN,
    SINGLE_VALUED,
    ChosenFields,
    Columns,
    find_columns,
)
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

#: The number of rows that show whether a table holds questions.
_LOOKED_AT = 1000
#: The beginning of a row of totals, in the languages of most tables.
_TOTALS_ROW = re.compile(
    r"\W*(?:sum|totals?|average|mean|summe|gesamt|durchschnitt|mittelwert|somme|moyenne|suma|totale|"
    r"razem|średnia|media|celkem)\b",
    re.IGNORECASE,
)
#: The values of columns that say whether a question can be answered.
_YES = frozenset({"true", "1", "1.0", "yes"})
_NO = frozenset({"false", "0", "0.0", "no"})


def recognises_plain_table(content: Content) -> bool:
    """Return whether this is a table with a column of questions, by its name or its values."""
    header = unique_header(content)
    holds_question = any(map(holds_questions, header))
    if holds_question or len(header) > 1:
        rows = first_records(content, header, _LOOKED_AT)
        if any(isinstance(row, dict) for row in rows):
            holds_question = find_columns(rows) is not None
    return holds_question or guessed_header(content) is not None


def recognises_plain_json(content: Content) -> bool:
    """Return whether these are JSON records with a field of questions."""
    return (
        content.kind in {"json", "jsonl"}
        and bool(content.row_keys)
        and find_columns(content.rows) is not None
    )


def answer_key(content: Content) -> Content | None:
    """Return gold answers without questions as records in which the ids replace the texts.

    The answers may be in a table, in records, or in an object by id. None for any other content.
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
        rows = [{"id": question_id, "answers": value} for question_id, value in answers.items()]
    objects: list[dict[str, object]] = [row for row in rows if isinstance(row, dict)]
    if not _has_gold(objects):
        return None
    names = dict.fromkeys(chain.from_iterable(objects))
    key = next((name for name in names if has_role(name, "id", "run id")), "id")
    records = []
    for number, row in enumerate(objects, 1):
        question_id = scalar_text(row.get(key, number))
        records.append({**row, key: question_id, "question": question_id})
    text = "has gold answers and no questions; ids stand for texts, whose features mean nothing"
    return dataclasses.replace(content.with_records(records), notes=(*content.notes, text))


def _has_gold(rows: Sequence[object]) -> bool:
    """Return whether records have gold answers, together with answers of a system or with ids."""
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    if any(map(is_prediction_name, names)):
        return any(may_hold_gold(name) and not is_prediction_name(name) for name in names)
    return any(has_role(name, "id", "run id") for name in names) and any(map(may_hold_gold, names))


def read_plain(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of a table or of JSON records, numbered if they have no ids."""
    chosen_fields = ChosenFields(options.gold_field, options.answer_field)
    rows, names, is_guessed = plain_rows(content, chosen_fields)
    is_table = content.kind == "text"
    systems = rows_by_system(rows)
    if systems:
        first_rows: dict[str, object] = {}
        for row in chain.from_iterable(systems.values()):
            first_rows.setdefault(row["id"], row)
        rows = list(first_rows.values())
        note(f"has a row for each question and system ({few_quoted(systems)})")
    rows = best_candidates(rows)
    if is_guessed:
        note(
            f"has no header; its columns are read as {', '.join(names)}. Name them in a first"
            " line to read them otherwise"
        )
        keep_patterns(rows)
    columns = find_columns(rows, chosen_fields, names) or Columns(question=("question",))
    if columns.gold and (columns.systems or systems):
        yield Systems(tuple(systems or columns.systems))
    if "id" not in columns.single:
        yield Numbered()
    note(*columns.notes)
    if not is_table:
        for name in content.file_records.unread_lists:
            note(f"not read: the list {name!r} next to the one with the questions")
    reader = _QuestionReader(columns, gold_style(rows, columns), options, is_table=is_table)
    items: Iterable[Item]
    items = each_record(content, [columns.single.get("id", "id")], reader.read, rows)
    if is_table:
        items = merge_rows(items, has_ids="id" in columns.single)
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


class PlainRows(NamedTuple):
    """The records of a file."""

    rows: list[object]
    names: Sequence[str] = ()  # the columns of a table, also those that no row fills
    is_guessed: bool = False  # whether the names are guessed, because the table has no header


def plain_rows(content: Content, chosen_fields: ChosenFields = NOTHING_CHOSEN) -> PlainRows:
    """Return the records of a table or of JSON, in which chosen fields may be nested."""
    if content.kind != "text":
        rows = with_inner_fields(content.rows, (chosen_fields.gold, *chosen_fields.answers))
        return PlainRows(_flatten_metadata(rows))
    header = unique_header(content)
    if not any(map(holds_questions, header)):
        guesses = guessed_header(content)
        if guesses is not None:
            rows = table_records(content, guesses, headed=False)
            return PlainRows(_flatten_metadata(rows), guesses, is_guessed=True)
    return PlainRows(_flatten_metadata(table_records(content, header)), header)


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
        query = next(iter(queries.values()), "")
        expected = Expected(type_name, query, separator=self._options.split_answers)
        answers: Answers | None = Answers()
        if single["answerable"].lower() not in _NO and single["impossible"].lower() not in _YES:
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
            metadata={**self._metadata(record, single["type"]), **extra_queries},
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

    def _metadata(self, record: Fields, type_name: str) -> dict[str, MetadataValue]:
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
        choices = choices_of(record.data, self._columns)
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

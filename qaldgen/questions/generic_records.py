"""Read tables and JSON records of any origin, whose columns `questions.columns` identifies."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from qaldgen.errors import DataError, UnknownFormat
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count, few_quoted
from qaldgen.model import Answers, LeftOut, MetadataValue, Question
from qaldgen.questions.answer_objects import holds_answers, names_by_iri
from qaldgen.questions.choices import FIRST_CHOICE, with_listed_choices
from qaldgen.questions.collecting import Item, ReadOptions, ReadSet, each_record
from qaldgen.questions.column_values import (
    SAMPLED_ROWS,
    RecordTable,
    first_filled,
    is_blank,
)
from qaldgen.questions.columns import (
    NOTHING_CHOSEN,
    SINGLE_VALUED,
    ChosenFields,
    Columns,
    find_columns,
)
from qaldgen.questions.fields import (
    PREDICTION_ROLES,
    choice_mark,
    has_no_role,
    has_role,
    holds_questions,
    is_gold_name,
    is_prediction_name,
    may_hold_gold,
)
from qaldgen.questions.file_content import Content
from qaldgen.questions.flat_records import with_fields_of, with_inner_fields
from qaldgen.questions.gold_fields import GoldReader, choices_of, gold_style
from qaldgen.questions.headless_tables import guessed_header, keep_patterns
from qaldgen.questions.listed_answers import note_lists, note_regular_expressions
from qaldgen.questions.question_texts import (
    UNANSWERABLE,
    answer_type,
    is_out_of_scope,
    looks_like_question,
)
from qaldgen.questions.record_formats import queries_in
from qaldgen.questions.record_kinds import nested_names
from qaldgen.questions.records import Fields, add_texts, scalar_text
from qaldgen.questions.results_json import merge_answers
from qaldgen.questions.rows_of_answers import best_candidates, rows_by_system
from qaldgen.questions.system_columns import answer_columns
from qaldgen.questions.truth_values import parse_boolean
from qaldgen.questions.values import Choices, Expected
from qaldgen.questions.written_lists import parse_written

#: The most fields that a message names.
_MAX_NAMED = 10
#: The number of a choice in its label: option1.
_LAST_NUMBER = re.compile(r"[0-9]+$")
#: The beginning of a row of totals, in the languages of most tables.
_TOTALS_ROW = re.compile(
    r"\W*(?:sum|totals?|average|mean|summe|gesamt|durchschnitt|mittelwert|somme|moyenne|suma|totale|"
    r"razem|średnia|media|celkem)\b",
    re.IGNORECASE,
)


def recognises_plain_table(content: Content) -> bool:
    """Return whether this is a table with a column of questions, by its name or its values."""
    header = content.table.header
    names_question = any(map(holds_questions, header))
    if not names_question and len(header) < 2:
        return False
    try:
        columns = plain_table(content, sampled=True).columns
    except DataError:  # the reader says what is wrong
        return names_question
    return columns.hold_questions or (names_question and not content.objects)


def recognises_plain_json(content: Content) -> bool:
    """Return whether these are JSON records with a field of questions."""
    return bool(content.row_keys) and plain_table(content, sampled=True).columns.hold_questions


def answer_key(content: Content, gold_field: str = "") -> Content | None:
    """Return gold answers without questions as records in which the ids replace the texts.

    The answers may be in a table, in records, in an object by id, or, numbered, in a list or in
    lines. None for any other content.
    """
    if content.kind not in {"text", "json", "jsonl"}:
        return None
    rows = _answer_rows(content)
    names = dict.fromkeys(chain.from_iterable(rows))
    has_gold = gold_field in names or _name_gold(names) or RecordTable(rows).gold_columns()
    if not has_gold:
        return None
    key = next((name for name in names if has_role(name, "id", "run id")), "")
    records = []
    for number, row in enumerate(rows, 1):
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
    return content.with_records(records, text)


def _answer_rows(content: Content) -> list[dict[str, object]]:
    """Return the records with the gold answers of an answer key; none if there are none."""
    objects = content.objects
    document = content.document
    names = dict.fromkeys(chain.from_iterable(objects))
    # gold answers alone are records only if they have ids; their keys may also be the ids
    are_complete = any(is_prediction_name(name) or has_role(name, "id", "run id") for name in names)
    if isinstance(document, dict) and not (are_complete and _name_gold(names)):
        by_name = [document[name] for name in document if is_gold_name(name)]
        inner = [value for value in document.values() if isinstance(value, (dict, list))]
        if len(inner) == 1 and isinstance(inner[0], dict) and all(map(str.isdecimal, inner[0])):
            by_name += inner  # beside what says something of all answers
        answers = next((value for value in by_name if isinstance(value, dict)), document)
        if len(answers) < 2 or not all(map(holds_answers, answers.values())):
            return []
        return [{"id": key, "answers": value} for key, value in answers.items()]
    if isinstance(document, list) and not objects:
        return [{"answers": value} for value in document]
    header = content.table.header
    if len(header) == 1 and (has_no_role(header[0]) or choice_mark(header[0])):
        return [{"answers": line} for line in content.lines]
    return objects


def _name_gold(names: Iterable[str]) -> bool:
    """Return whether there is a column that may hold gold answers, and not those of a system."""
    return any(may_hold_gold(name) and not is_prediction_name(name) for name in names)


def read_plain(content: Content, options: ReadOptions) -> ReadSet:
    """Return the questions of a table or of JSON records, numbered if they have no ids."""
    table = plain_table(content, ChosenFields(options.gold_field, options.answer_field))
    columns = table.columns
    names = table.names or content.row_keys
    are_records = any(isinstance(row, dict) for row in table.rows)  # or the parser says why not
    if not columns.hold_questions:
        blank = [name for name in names if holds_questions(name)]
        if are_records and not blank:
            fields = f" among {few_quoted(names, _MAX_NAMED)}" if names else ""
            raise UnknownFormat(
                f"there is no field with questions{fields}; name one 'question'", where=content.path
            )
        columns = Columns(question=("question", *blank))  # each record is told what it lacks
    note(*table.notes, *columns.notes)
    is_table = content.kind == "text"
    if not is_table:
        for name in content.file_records.unread_lists:
            note(f"not read: the list {name!r} next to the one with the questions")
    style = gold_style(table.rows, columns)
    gold = GoldReader(columns, style, options, is_table=is_table)
    reader = _QuestionReader(columns, gold, options, is_table=is_table)
    items = list(each_record(content, [columns.single.get("id", "id")], reader.read, table.rows))
    has_ids = "id" in columns.single
    # without ids, each row with an answer of a system is a question of its own
    if is_table and (has_ids or not columns.systems):
        items = merge_rows(items, has_ids=has_ids)
    if columns.systems and has_ids:
        items = _without_copies(items)
    questions = [item for item in items if isinstance(item, Question)]
    if columns.systems and not has_ids:
        _note_repeated_questions(questions)
    _note_unused_queries(questions, columns)
    _note_answer_types(questions, columns)
    gold.add_notes()
    note_lists(questions)
    note_regular_expressions(questions)
    systems: tuple[str, ...] = ()
    if columns.gold:
        systems = table.system_names
    return ReadSet(items, systems, numbered=not has_ids)


def merge_rows(items: Iterable[Item], *, has_ids: bool) -> list[Item]:
    """Merge the answers in several rows of a table that have the same question and id.

    Without ids, the rows of a question follow each other. Rows with the same answers are left as
    they are: they are copies.
    """
    first_rows: dict[str, int] = {}  # the index of the first question with each id
    merged: list[Item] = []
    n_merged = 0
    for item in items:
        if not isinstance(item, Question):
            merged.append(item)
            continue
        if has_ids:
            question = item
            index = first_rows.setdefault(item.id, len(merged))
        else:
            question = dataclasses.replace(item, id=str(int(item.id) - n_merged))
            index = max(0, len(merged) - 1)
        earlier = merged[index] if index < len(merged) else None
        if isinstance(earlier, Question) and _has_further_answer(question, earlier):
            answers = merge_answers([earlier.gold, question.gold])
            merged[index] = dataclasses.replace(earlier, answers=answers)
            n_merged += 1
        else:
            merged.append(question)
    if n_merged:
        note(f"{count(n_merged, 'row')} with a further answer to the question of a row before")
    return merged


def _without_copies(items: Iterable[Item]) -> list[Item]:
    """Remove questions that are there again, with the same gold, for a further answer to them."""
    seen = set()
    kept: list[Item] = []
    for item in items:
        if isinstance(item, Question):
            key = (item.id, str(item.texts), item.answers)
            if key in seen:
                continue
            seen.add(key)
        kept.append(item)
    return kept


def _has_further_answer(question: Question, earlier: Question) -> bool:
    """Return whether two rows ask the same, with the same choices, and have different answers."""
    if question.answers is None or earlier.answers is None or question.answers == earlier.answers:
        return False
    return (question.texts, question.queries, question.metadata.get("choices")) == (
        earlier.texts,
        earlier.queries,
        earlier.metadata.get("choices"),
    )


class PlainTable(NamedTuple):
    """The records of a file, each with a question, and what their fields hold."""

    rows: list[object]
    names: Sequence[str]  # the columns of a table, also those without a value
    systems: Mapping[str, list[Any]]  # the rows of each system, if it has rows of its own
    is_guessed: bool  # whether the names are guessed, because the table has no header
    notes: tuple[str, ...]  # notes for users
    columns: Columns = Columns()
    chosen_fields: ChosenFields = NOTHING_CHOSEN  # also those that were found in objects

    def choosing(self, fields: ChosenFields) -> PlainTable:
        """Return the table with its columns identified; chosen fields may be inside objects."""
        inner = (fields.gold, *fields.answers)
        rows = with_inner_fields(self.rows, inner)
        return self._replace(
            rows=rows,
            systems={name: with_inner_fields(part, inner) for name, part in self.systems.items()},
            columns=find_columns(rows, fields, self.names),
            chosen_fields=fields,
        )

    @property
    def system_names(self) -> tuple[str, ...]:
        """The systems with rows or columns of their own; "" is a system without a name."""
        return tuple(self.systems or self.columns.systems)


def plain_table(
    content: Content, chosen_fields: ChosenFields = NOTHING_CHOSEN, *, sampled: bool = False
) -> PlainTable:
    """Return the records of a table or of JSON, or a sample of them, and what their fields hold.

    If no field holds gold answers, or there is gold but no answer of a system, these are looked for
    in nested objects, as in ``{"score": {"prediction": "Ulm"}}``.
    """
    with collecting() as notes:
        table = _read_table(content, chosen_fields, sampled=sampled)
    table = table._replace(notes=tuple(notes)).choosing(chosen_fields)
    if not table.columns.gold:
        nested_gold = nested_names(table.rows, is_gold_name)
        if len(nested_gold) == 1:
            chosen_fields = chosen_fields._replace(gold=nested_gold[0])
            table = table.choosing(chosen_fields)
    if table.columns.gold:
        answers = _answers_in_objects(table.rows)
        if not (answers or table.columns.systems):
            paths = nested_names(table.rows, is_prediction_name)
            names = {path: path.rpartition(".")[2] for path in paths}
            preferred = answer_columns(names.values())
            answers = tuple(path for path in paths if names[path] in preferred)
        # names of models may be those of a few such objects
        objects = {path.partition(".")[0] for path in answers}
        if answers and objects.issuperset(table.columns.systems):
            table = table.choosing(chosen_fields._replace(answers=answers))
    return table


def _answers_in_objects(rows: Sequence[object]) -> tuple[str, ...]:
    """Return the dotted names of the answers in the objects of systems; none if there are none.

    >>> _answers_in_objects([{"id": 1, "rag": {"ans": "Ulm", "f1": 1}, "plain": {"ans": "Bonn"}}])
    ('rag.ans', 'plain.ans')
    """
    paths_by_object: dict[str, list[str]] = {}
    for path in nested_names(rows, lambda name: has_role(name, "answer", *PREDICTION_ROLES)):
        system = path.rpartition(".")[0]
        if has_no_role(system.rpartition(".")[2]):
            paths_by_object.setdefault(system, []).append(path)
    paths = [paths[0] for paths in paths_by_object.values() if len(paths) == 1]
    # the objects may themselves be in one object
    places = {(*path.split(".")[:-2], path.rpartition(".")[2]) for path in paths}
    return tuple(paths) if len(places) == 1 else ()


def _read_table(content: Content, chosen_fields: ChosenFields, *, sampled: bool) -> PlainTable:
    """Return the records of a table or of JSON, one for each question, and note which are left."""
    names: Sequence[str] = content.table.header
    is_guessed = False
    if content.kind != "text":
        records = with_inner_fields(content.rows, (chosen_fields.gold, *chosen_fields.answers))
    else:
        guesses = None if any(map(holds_questions, names)) else guessed_header(content)
        is_guessed = guesses is not None
        names = guesses or names
        records = content.table.records(names, headed=not is_guessed)
    if sampled:
        objects = [row for row in records if isinstance(row, dict)]
        names = list(dict.fromkeys(chain(names, *objects)))
        records = records[:: max(1, len(records) // SAMPLED_ROWS)]
    # metadata objects, which a table has as texts, are replaced by their fields
    fields = {name for row in records if isinstance(row, dict) for name in row}
    metadata = {name for name in fields if has_role(name, "metadata")}
    rows = with_listed_choices(with_fields_of(records, metadata, parse_written), fields)
    are_answered = any(map(is_prediction_name, fields))
    if any(map(is_gold_name, fields)):
        are_answered = are_answered or any(has_role(name, "bare answer") for name in fields)
    systems = rows_by_system(rows, any_name=are_answered)
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
        rows = keep_patterns(rows)
    return PlainTable(rows, names, systems, is_guessed, notes=())


class _QuestionReader:
    """Reads the question in each record of a file."""

    def __init__(
        self, columns: Columns, gold: GoldReader, options: ReadOptions, *, is_table: bool
    ) -> None:
        self._columns, self._gold, self._options = columns, gold, options
        self._is_table = is_table

    def read(self, record: Fields, number: int) -> Question | LeftOut:
        """Return the question in a record, or why it is left out."""
        columns = self._columns
        single = dict.fromkeys(SINGLE_VALUED, "")
        single |= {role: record.scalar(name) for role, name in columns.single.items()}
        question_id = single["id"] or str(number)
        extra_queries: dict[str, str] = {}
        queries = queries_in(record, columns.queries, extra_queries)
        if any(is_out_of_scope(query) for query in queries.values()):
            return LeftOut(question_id, UNANSWERABLE)
        texts = self._texts(record, single["language"] or self._options.language)
        if self._is_total(record, texts):
            return LeftOut(question_id, "a row of totals, without a gold answer")
        type_name = answer_type(single["type"])
        choices = choices_of(record.data, columns)
        if not choices.texts:
            choices = self._gold.style.letters
        answers: Answers | None = Answers()
        is_unanswerable = parse_boolean(single["answerable"]) is False
        if not is_unanswerable and parse_boolean(single["impossible"]) is not True:
            query = next(iter(queries.values()), "")
            separator = self._options.split_answers
            expected = Expected(type_name, query, choices=choices, separator=separator)
            answers = self._gold.read(record, question_id, expected)
        return Question(
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

    def _texts(self, record: Fields, language: str) -> dict[str, tuple[str, ...]]:
        """Return the texts of a question; those in columns without a language are in `language`."""
        texts: dict[str, tuple[str, ...]] = {}
        question_column = first_filled(record.data, self._columns.question)
        if question_column is not None:
            add_texts(texts, record, question_column, language)
        for column in self._columns.wordings:
            add_texts(texts, record, column, language)
        for column, tag in self._columns.translations.items():
            add_texts(texts, record, column, tag)
        return texts

    def _is_total(self, record: Fields, texts: Mapping[str, Sequence[str]]) -> bool:
        """Return whether a record is the row of totals that spreadsheets have below a table."""
        if not self._is_table or not self._columns.gold:
            return False
        if first_filled(record.data, self._columns.gold) is not None:
            return False
        words = list(chain.from_iterable(texts.values()))
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
        if choices.texts:
            metadata["choices"] = str(choices)
            first: int | str | None = self._gold.style.first_choice
            are_marks = self._columns.gold in ((), self._columns.choices)
            if choices.labels and not are_marks:
                first = choices.labels[0]  # which may be a number of the question's own
            if number := _LAST_NUMBER.search(str(first)):
                metadata[FIRST_CHOICE] = number[0]
        return metadata


def _note_repeated_questions(questions: Sequence[Question]) -> None:
    """Add a note on questions that several rows ask, with the same choices and gold answers."""
    rows = Counter(
        (str(question.texts), question.answers, question.metadata.get("choices"))
        for question in questions
    )
    n_repeated = sum(number > 1 for number in rows.values())
    if 2 * n_repeated > len(rows):
        note(
            f"{n_repeated:,} of {count(len(rows), 'question')} have several rows, which count as"
            " questions of their own; if these are of several systems, name each in a field 'model'"
        )


def _note_unused_queries(questions: Sequence[Question], columns: Columns) -> None:
    """Add a note on queries that are metadata, since a column before has one for their graph."""
    unused: list[str] = []
    for question in questions:
        unused += [column for column in columns.queries if column in question.metadata][:1]
    if unused:
        verb = "has" if len(unused) == 1 else "have"
        note(
            f"{len(unused):,} of {len(questions):,} questions {verb} another query for the same"
            f" knowledge graph in {unused[0]!r}; it is not used, but kept as metadata"
        )


def _note_answer_types(questions: Sequence[Question], columns: Columns) -> None:
    """Add a note on unknown answer types, which are metadata."""
    if "type" not in columns.single:
        return
    column = columns.single["type"]
    types = Counter(
        question.metadata[column] for question in questions if column in question.metadata
    )
    for type_name, number in types.most_common(1):  # a rare one may be a typo
        note(
            f"{types.total():,} answer types are not one of resource, string, number, date and"
            f" boolean, such as {type_name!r} ({number:,}); they are kept as metadata"
        )

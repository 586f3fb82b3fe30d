"""Read tables and JSON records of any origin; `columns` decides what each column holds."""

from __future__ import annotations

import dataclasses
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.io.text import count, some
from qaldgen.model import Answers, LeftOut, OwnValue, Question
from qaldgen.questions.answer_objects import holds_answers, names_by_iri
from qaldgen.questions.choices import (
    FIRST_CHOICE,
    NO_CHOICES,
    are_places,
    first_number,
    named_choices,
    read_choices,
    right_choices,
)
from qaldgen.questions.columns import (
    ONE_VALUE,
    ChosenFields,
    Columns,
    best_candidates,
    find_columns,
    first_filled,
    is_blank,
    looks_like_sparql,
    rows_by_system,
)
from qaldgen.questions.csv_tables import first_records, table_header, table_records, unique_header
from qaldgen.questions.fields import (
    holds_gold,
    holds_questions,
    is_a,
    plain_name,
    says_gold,
    says_prediction,
)
from qaldgen.questions.file_content import Content
from qaldgen.questions.listed_answers import note_lists
from qaldgen.questions.nested_records import with_fields_of
from qaldgen.questions.question_texts import UNANSWERABLE, answer_type, asks, is_out_of_scope
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
from qaldgen.questions.values import Choices, Expected, answers_of, as_terms, results_in
from qaldgen.questions.worked_solutions import marked_result
from qaldgen.questions.written_lists import list_in, written

_LOOKED_AT_WITHOUT_HEADER = 200
#: What a regular expression has, and hardly any answer.
_PATTERN = re.compile(
    r"\([^()]*\|[^()]*\)|\)[?*+]|\.[*+]|\\[sdwbSDWB.](?![a-z])|\w\?\w|\[[^\]]+\][?*+]?\w"
)
_ID = re.compile(r"\S*[0-9]\S*")
#: So many rows of a table tell whether it holds questions.
_LOOKED_AT = 1000
#: How columns say whether a question can be answered.
_YES = frozenset({"true", "1", "1.0", "yes"})
_NO = frozenset({"false", "0", "0.0", "no"})
#: Gold that says that there is no answer.
_UNANSWERABLE = frozenset({
    "unanswerable", "not answerable", "no answer", "cannot be answered", "n/a",
    "nicht beantwortbar", "keine antwort", "sans réponse", "sin respuesta", "nessuna risposta",
    "sem resposta", "brak odpowiedzi",
})  # fmt: skip


def guessed_header(content: Content) -> list[str] | None:
    """Return names for the columns of a table whose first line is a question already; else None.

    Questions, queries and ids show in the values. The last other column behind the question holds
    the answers, unless there are queries and it repeats a few values, such as a template.
    """
    names = [f"column {place}" for place in range(1, len(table_header(content)) + 1)]
    if content.kind != "text" or len(names) < 2:
        return None
    rows = first_records(content, names, _LOOKED_AT_WITHOUT_HEADER, headed=False)
    if not rows:
        return None
    letters = [*string.ascii_uppercase[: len(names) - 2]]
    if len(letters) > 1 and all(member(row, names[-1]) in letters for row in rows):
        return ["question", *letters, "answer"]  # the choices and the letter of the right one
    values = {name: [str(member(row, name) or "") for row in rows] for name in names}
    question_column = max(names, key=lambda name: sum(map(asks, values[name])))
    sparql = [name for name in names if 2 * sum(map(looks_like_sparql, values[name])) > len(rows)]
    first_line_asks = asks(values[question_column][0]) or any(
        looks_like_sparql(values[name][0]) for name in sparql
    )
    if 2 * sum(map(asks, values[question_column])) < len(rows) or not first_line_asks:
        return None
    kinds = {question_column: "question"} | dict.fromkeys(sparql[:1], "sparql")
    place = names.index(question_column)
    for name in names[:place]:
        different = len({*values[name]}) == len(rows)
        if name not in kinds and different and all(map(_ID.fullmatch, values[name])):
            kinds[name] = "id"
            break
    last = [name for name in names[place:] if name not in {*kinds, *sparql}][-1:]
    if last and (not sparql or 2 * len(set(values[last[0]])) > len(rows)):
        # a list in a cell holds the names of one answer, as in the files of DPR
        kinds[last[0]] = "answers" if list_in(values[last[0]][0]) is None else "answer"
    return [kinds.get(name, name) for name in names]


def keep_patterns(rows: Sequence[object]) -> None:
    """Write answers that are regular expressions so that they are not split.

    The sets of TREC have them. In such a set a bar separates names of one answer.
    """
    objects = [row for row in rows if isinstance(row, dict) and "answers" in row]
    patterns = sum(_PATTERN.search(row["answers"]) is not None for row in objects)
    if not patterns:
        return
    for row in objects:
        text = row["answers"]
        row["answers"] = [[text] if _PATTERN.search(text) else text.split("|")]


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
            if says_gold(name) and isinstance(value, dict):
                answers = value
                break
        if len(answers) < 2 or not all(map(holds_answers, answers.values())):
            return None
        rows = [{"id": name, "answers": value} for name, value in answers.items()]
    objects: list[dict[str, object]] = [row for row in rows if isinstance(row, dict)]
    if not _has_gold(objects):
        return None
    names = dict.fromkeys(chain.from_iterable(objects))
    key = next((name for name in names if is_a(name, "id", "run id")), "")
    records = []
    for number, row in enumerate(objects, 1):
        name = scalar_text(row.get(key, number))
        records.append({**row, key or "id": name, "question": name})
    text = "has gold answers and no questions; ids stand for texts, whose features mean nothing"
    return dataclasses.replace(content.of_records(records), notes=(*content.notes, text))


def _has_gold(rows: Sequence[object]) -> bool:
    """Return whether records have gold answers, those of a system beside them, or else ids."""
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    if any(map(says_prediction, names)):
        return any(holds_gold(name) and not says_prediction(name) for name in names)
    return any(is_a(name, "id", "run id") for name in names) and any(map(holds_gold, names))


def read_plain(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of a table or of JSON records.

    Without an id, the record number is the id.
    """
    rows, names, guessed = plain_rows(content)
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
    chosen_fields = ChosenFields(options.gold_field, options.answer_field)
    columns = find_columns(rows, chosen_fields, names) or Columns(question=("question",))
    if columns.gold and (columns.systems or systems):
        yield Systems(tuple(systems or columns.systems))
    if "id" not in columns.one:
        yield Numbered()
    note(*columns.notes)
    if not table:
        for name in content.held.unread_lists:
            note(f"not read: the list {name!r} next to the one with the questions")
    reader = _RecordReader(columns, rows, options, table=table)
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


def plain_rows(content: Content) -> PlainRows:
    """Return the records of a table or of JSON."""
    if content.kind != "text":
        return PlainRows(_with_metadata(content.rows))
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
    return with_fields_of(rows, {name for name in names if is_a(name, "metadata")}, written)


class _RecordReader:
    """Reads questions record by record, after a look at all records."""

    def __init__(
        self, columns: Columns, rows: Sequence[object], options: ReadOptions, *, table: bool
    ) -> None:
        self._columns, self._options, self._table = columns, options, table
        self._questions: list[Question] = []
        self._unknown_types: Counter[str] = Counter()
        self._lists = 0
        self._lost: list[str] = []
        objects = [row for row in rows if isinstance(row, dict)]
        self._with_choices = bool(columns.choices) or any(
            isinstance(row.get(name), dict) and "choices" in row[name]
            for row in objects
            for name in columns.question
        )
        golds, offered = [], []
        for row in objects:
            _, value = self._gold(row)
            if is_blank(value):
                continue
            golds.append(value)
            choices = self._choices(row)
            if choices.texts:
                offered.append((value, choices))
        worked = [value for value in golds if marked_result(value)]
        self._worked = 2 * len(worked) > len(golds)
        self._first, self._places = first_number(offered), are_places(offered)

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
        kind = answer_type(single["type"])
        expected = Expected(kind, next(iter(queries.values()), ""))
        answers: Answers | None = Answers()
        if single["answerable"].lower() not in _NO and single["impossible"].lower() not in _YES:
            answers = self._answers(record, name, expected)
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

    def _metadata(self, record: Fields, kind: str) -> dict[str, OwnValue]:
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
        choices = self._choices(record.data)
        if choices.texts:
            metadata["choices"] = str(choices)
            # numbers among the labels of a question are its own, whatever others count by
            first = choices.labels[0] if choices.labels else self._first
            if str(first).isdecimal():
                metadata[FIRST_CHOICE] = str(first)
        return metadata

    def _choices(self, row: Mapping[str, object]) -> Choices:
        """Return the choices of a record."""
        columns = self._columns.choices
        if not self._with_choices:
            return NO_CHOICES
        if not columns:
            question_column = first_filled(row, self._columns.question)
            return read_choices(member(row.get(question_column or ""), "choices"))
        if len(columns) == 1:
            return read_choices(row.get(columns[0]))
        values = [row.get(column) for column in columns]
        if all(map(is_blank, values)):
            return NO_CHOICES
        return Choices(
            tuple("" if value is None else scalar_text(value).strip() for value in values)
        )

    def _gold(self, row: Mapping[str, object]) -> tuple[str, object]:
        """Return the column with the gold of a record, and its value; None for no gold."""
        column = first_filled(row, self._columns.gold)
        if column is None:
            return "", None
        return column, row[column]

    def _answers(self, record: Fields, name: str, expected: Expected) -> Answers | None:
        """Return the answers of a record; None if it states none."""
        column, value = self._gold(record.data)
        if isinstance(value, str) and value.strip().lower() in _UNANSWERABLE:
            return Answers()
        right = self._right_choices(record, name, value)
        if right:
            return Answers(texts=tuple((text,) for text in right))
        if self._worked and (result := marked_result(value)):
            return Answers(texts=(result,))
        results = results_in(value, record, column)
        if results is not None:
            return results
        several = is_a(column, "several")
        plain = answers_of(
            value,
            record,
            column,
            expected,
            several=several,
            bars=self._table or plain_name(column) == "answers",
            separator=self._options.split_answers,
        )
        cells = as_terms(self._with_variants(plain, record), expected, queried=bool(expected.query))
        if cells is None or several or all(len(wordings) < 2 for wordings in cells.texts):
            return cells
        values = list_in(value) or []
        if len(values) > 1 and not isinstance(values[0], (dict, list)):
            self._lists += 1
        return cells

    def _right_choices(self, record: Fields, name: str, value: object) -> tuple[str, ...]:
        """Return the choices that the gold means, or that are marked as right."""
        choices = self._choices(record.data)
        if not choices.texts:
            return ()
        if not self._columns.gold:
            return right_choices(choices)
        if is_blank(value):
            return ()
        right = named_choices(value, choices._replace(first=self._first, places=self._places))
        if not right and value != []:
            self._lost.append(name)
        return right

    def _with_variants(self, answers: Answers | None, record: Fields) -> Answers | None:
        """Add the aliases of the only answer, or of all answers if there is one list per answer."""
        if not self._columns.variants or (answers is not None and not answers.texts):
            return answers
        texts = list((answers or Answers()).texts)
        # the table of TruthfulQA has semicolons between the correct answers
        best = self._table and "bestanswer" in map(plain_name, self._columns.gold)
        for column in self._columns.variants:
            semicolons = best and plain_name(column) == "correctanswers"
            read = answers_of(
                record.data.get(column),
                record,
                column,
                bars=self._table,
                separator=self._options.split_answers or ";" * semicolons,
            )
            more = (read or Answers()).texts
            if len(texts) < 2:
                names = tuple(dict.fromkeys(chain.from_iterable((*texts, *more))))
                texts = [names] if names else []
            elif len(more) == len(texts):
                pairs = zip(texts, more, strict=True)
                texts = [tuple(dict.fromkeys((*ours, *theirs))) for ours, theirs in pairs]
        if not texts:
            return answers
        return dataclasses.replace(answers or Answers(), texts=tuple(texts))

    def note_what_was_seen(self) -> None:
        """Tell what was noticed while the records were read."""
        questions = self._questions
        further = [
            column
            for question in questions
            for column in [*filter(question.metadata.__contains__, self._columns.queries)][:1]
        ]
        if further:
            verb = "has" if len(further) == 1 else "have"
            note(
                f"{len(further):,} of {len(questions):,} questions {verb} another query for the"
                f" same knowledge graph in {further[0]!r}; it is not used, but kept as metadata"
            )
        for kind, number in self._unknown_types.most_common(1):  # a rare one may be a slip
            note(
                f"{self._unknown_types.total():,} answer types are not one of resource, string,"
                f" number, date and boolean, such as {kind!r} ({number:,}); they are kept as"
                " metadata"
            )
        if self._lists:
            note(
                f"{self._columns.gold[0]!r} holds lists ({self._lists:,}); their "
                "entries are read as variants of one answer. If each entry is an "
                "answer, rename the column to 'answers'"
            )
        if self._worked:
            note(
                f"the gold answers are the results that the solutions in {self._columns.gold[0]!r}"
                " mark, by #### or \\boxed"
            )
        if self._lost:
            note(
                f"{len(self._lost):,} gold answers (first: question {self._lost[0]}) match none of"
                " the choices; they are used as they are"
            )
        note_lists(questions)
        patterns = 0
        for question in questions:
            for text in chain.from_iterable((question.answers or Answers()).texts):
                patterns += ("|" in text or "\\" in text) and _PATTERN.search(text) is not None
        if patterns:
            note(
                f"{patterns:,} gold answers are regular expressions, which no matcher reads; they"
                " are taken as they are written"
            )

"""The gold answers and the choices in a record of a table or of JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.model import Answers
from qaldgen.questions.choices import (
    NO_CHOICES,
    are_choice_numbers,
    choices_marked_correct,
    find_first_number,
    match_choices,
    read_choices,
)
from qaldgen.questions.column_values import first_filled, is_blank
from qaldgen.questions.columns import Columns
from qaldgen.questions.fields import has_role, normalize_name
from qaldgen.questions.records import Fields, ReadOptions, scalar_text
from qaldgen.questions.values import Choices, Expected, answers_in_value, read_answers_value
from qaldgen.questions.worked_solutions import marked_result
from qaldgen.questions.written_lists import parse_list

#: Gold that says that there is no answer.
_UNANSWERABLE = frozenset({
    "unanswerable", "not answerable", "no answer", "cannot be answered", "n/a",
    "nicht beantwortbar", "keine antwort", "sans réponse", "sin respuesta", "nessuna risposta",
    "sem resposta", "brak odpowiedzi",
})  # fmt: skip


def choices_of(row: Mapping[str, object], columns: Columns) -> Choices:
    """Return the choices in a record: in columns of their own, or within its question."""
    if not columns.choices:
        question_column = first_filled(row, columns.question) or ""
        return read_choices(member(row.get(question_column), "choices"))
    if len(columns.choices) == 1:
        return read_choices(row.get(columns.choices[0]))
    values = [row.get(column) for column in columns.choices]
    if all(map(is_blank, values)):
        return NO_CHOICES
    return Choices(tuple("" if value is None else scalar_text(value).strip() for value in values))


class GoldStyle(NamedTuple):
    """How a file writes its gold, as all its records together show."""

    are_solutions: bool  # whether most are worked solutions, which mark their result
    first_choice: int | None  # the number of the first choice; None if choices have no numbers
    choices_by_place: bool  # whether a number is a place, even where a choice is that number


def gold_style(rows: Sequence[object], columns: Columns) -> GoldStyle:
    """Return how the records of a file write their gold."""
    solutions = 0
    values = []
    for row in rows:
        if not isinstance(row, dict):
            continue
        column = first_filled(row, columns.gold)
        if column is not None:
            solutions += bool(marked_result(row[column]))
            values.append((row[column], choices_of(row, columns)))
    offered = [(value, choices) for value, choices in values if choices.texts]
    return GoldStyle(
        2 * solutions > len(values), find_first_number(offered), are_choice_numbers(offered)
    )


class GoldReader:
    """Reads the gold answers in records; counts what `note_what_was_seen` tells."""

    def __init__(
        self, columns: Columns, style: GoldStyle, options: ReadOptions, *, table: bool
    ) -> None:
        self._columns, self._style, self._table = columns, style, table
        self._separator = options.split_answers
        self._lists = 0
        self._ids_without_choice: list[str] = []

    def answers(self, record: Fields, question_id: str, expected: Expected) -> Answers | None:
        """Return the gold answers in a record; None if it states none."""
        column = first_filled(record.data, self._columns.gold) or ""
        value = record.data[column] if column else None
        if isinstance(value, str) and value.strip().lower() in _UNANSWERABLE:
            return Answers()
        choices = choices_of(record.data, self._columns)
        if choices.texts:
            right = self._right_choices(choices, value)
            if right:
                return Answers(texts=tuple((text,) for text in right))
            if self._columns.gold and not is_blank(value) and value != []:
                self._ids_without_choice.append(question_id)
        if self._style.are_solutions and (result := marked_result(value)):
            return Answers(texts=(result,))
        several = has_role(column, "several")
        answers = read_answers_value(
            value,
            record,
            column,
            expected._replace(several=several),
            several=several,
            bars=self._table or normalize_name(column) == "answers",
            queried=bool(expected.query),
            variants=self._variants(record),
        )
        if answers is not None and not several and any(len(names) > 1 for names in answers.texts):
            values = parse_list(value) or []
            if len(values) > 1 and not isinstance(values[0], (dict, list)):
                self._lists += 1
        return answers

    def _right_choices(self, choices: Choices, value: object) -> tuple[str, ...]:
        """Return the choices that a gold value means; without gold, those marked as right."""
        if not self._columns.gold:
            return choices_marked_correct(choices)
        if is_blank(value):
            return ()
        numbered = choices._replace(
            first=self._style.first_choice, places=self._style.choices_by_place
        )
        return match_choices(value, numbered)

    def _variants(self, record: Fields) -> list[Answers]:
        """Return the further names of gold answers in each column with such."""
        expected = Expected(separator=self._separator or ";")
        variants = []
        for column in self._columns.variants:
            value = record.data.get(column)
            names = answers_in_value(value, record, column, expected, bars=self._table)
            variants.append(names or Answers())
        return variants

    def note_what_was_seen(self) -> None:
        """Tell what was noticed while the gold was read."""
        if self._lists:
            note(
                f"{self._columns.gold[0]!r} holds lists ({self._lists:,}); their "
                "entries are read as variants of one answer. If each entry is an "
                "answer, rename the column to 'answers'"
            )
        if self._style.are_solutions:
            note(
                f"the gold answers are the results that the solutions in {self._columns.gold[0]!r}"
                " mark, by #### or \\boxed"
            )
        if self._ids_without_choice:
            note(
                f"{len(self._ids_without_choice):,} gold answers (first: question"
                f" {self._ids_without_choice[0]}) match none of the choices; they are used as they"
                " are"
            )

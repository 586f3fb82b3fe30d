"""The gold answers and the choices in a record of a table or of JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.model import Answers
from qaldgen.questions.answer_objects import LIST_TYPES, with_scale
from qaldgen.questions.choices import (
    LETTERS,
    NO_CHOICES,
    are_choice_numbers,
    are_letters,
    choices_in_columns,
    choices_marked_correct,
    find_first_number,
    match_choices,
    read_choices,
    shown_first_number,
)
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.column_values import first_filled
from qaldgen.questions.columns import Columns
from qaldgen.questions.fields import choice_mark, has_role, normalize_name, without_number
from qaldgen.questions.listed_answers import has_longer_name
from qaldgen.questions.records import Fields, flat_texts, scalar_text
from qaldgen.questions.stated_choices import find_choices
from qaldgen.questions.values import Choices, Expected, answers_in_value, read_answers_value
from qaldgen.questions.worked_solutions import marked_result
from qaldgen.questions.written_lists import answer_lines, parse_list

#: So few words are only the letter of a choice: "The option C".
_FEW_WORDS = 3
#: With so few answers, letters may be anything.
_FEW = 2
#: The end of a name under which a list has several identifiers, or words that are all wanted.
_PLURALS = ("ids", "iris", "uris", "entities", "keywords")
#: Gold answers which say that there is no answer.
_UNANSWERABLE = frozenset({
    "unanswerable", "not answerable", "no answer", "cannot be answered", "n/a",
    "nicht beantwortbar", "keine antwort", "sans réponse", "sin respuesta", "nessuna risposta",
    "sem resposta", "brak odpowiedzi",
})  # fmt: skip
#: What stands in cells without an answer; of a system, it is an abstention.
_PLACEHOLDERS = frozenset(["-", "--", "---", "–", "—", "?", "??", "...", "…"])


def choices_of(row: Mapping[str, object], columns: Columns) -> Choices:
    """Return the choices in a record: from the columns for them, or from inside its question."""
    if not columns.choices:
        inside = [row[name] for name in columns.question if isinstance(row.get(name), dict)]
        return read_choices(member(inside[0], "choices")) if inside else NO_CHOICES
    return choices_in_columns(row, columns.choices)


class GoldStyle(NamedTuple):
    """How a file writes its gold answers, judging by all records together.

    A list has several answers beside the fields of a knowledge graph, if all of its entries are
    whole numbers, or where the systems answer with lists, too. It has the names of one answer,
    whatever the field is called, where in a third of all lists one text is part of another.
    """

    are_solutions: bool  # whether most are worked solutions with a marked result
    first_choice: int | None  # the number of the first choice; None if choices have no numbers
    only_numbers: bool  # whether answers are numbers of choices, even if a choice is that number
    lists_of_several: bool  # whether a list has several answers, not several names of one
    why_several: str  # why these are several answers, if neither a name nor a query says so
    n_lists: int  # how many lists there are
    n_longer_names: int  # how many lists have names of one answer, of which one is part of another
    scale_column: str  # the column with the scales of numbers; empty if there is none
    #: The letters of choices whose texts are not known, where all gold answers are such letters.
    letters: Choices = NO_CHOICES


def gold_style(rows: Sequence[object], columns: Columns) -> GoldStyle:
    """Return how the records of a file write their gold answers."""
    records = [row for row in rows if isinstance(row, dict)]
    answered = []
    for record in records:
        column = first_filled(record, columns.gold)
        if column is not None:
            answered.append((record, record[column]))

    n_solutions = sum(marked_result(value) != () for _, value in answered)

    lists = []
    n_longer_names = 0
    n_numbers = 0
    for record, value in answered:
        values = parse_list(value) or []
        if len(values) > 1:
            texts = list(flat_texts(values))
            lists.append(record)
            n_longer_names += has_longer_name(texts)
            are_digits = all(map(str.isdecimal, texts))
            n_numbers += are_digits and len(set(map(int, texts))) > 1
    if n_longer_names < max(2, len(lists) / 3):
        n_longer_names = 0

    system_columns = [
        name
        for name in chain.from_iterable(columns.systems.values())
        if not has_role(name, "repeats", "candidates")
    ]
    n_answered_by_lists = sum(
        any(_has_several(record.get(name)) for name in system_columns) for record in lists
    )

    offered = []
    for record, value in answered:
        choices = choices_of(record, columns)
        if choices.texts:
            offered.append((value, choices))

    names = list(records[0]) if records else []
    are_from_graph = any(has_role(name, "of a knowledge graph") for name in names)
    # names of one thing are never other numbers, unless any of several counts
    may_be_others = not any(has_role(name, "variants") for name in columns.gold)
    are_numbers = 0 < len(lists) == n_numbers and may_be_others
    why_several = ""
    if are_numbers and not are_from_graph:
        why_several = "as they are whole numbers"
    elif not are_from_graph and 0 < len(lists) <= 2 * n_answered_by_lists:
        why_several = "since the systems answer with lists"
    lists_of_several = are_from_graph or why_several != ""
    scales = [name for name in names if has_role(name, "scale")]
    texts = [scalar_text(value).strip() for _, value in answered]
    return GoldStyle(
        are_solutions=2 * n_solutions > len(answered),
        first_choice=_first_number(offered, columns),
        only_numbers=are_choice_numbers(offered),
        lists_of_several=lists_of_several,
        why_several=why_several,
        n_lists=len(lists),
        n_longer_names=0 if lists_of_several else n_longer_names,
        scale_column=scales[0] if scales else "",
        letters=NO_CHOICES if offered else _letters_alone(texts),
    )


def _first_number(offered: Sequence[tuple[object, Choices]], columns: Columns) -> int | None:
    """Return the number of the first choice, by the gold answers or by the name of its column."""
    shown = shown_first_number(offered)
    number = ""
    if len(columns.choices) > 1:  # option1, answer_1
        name = columns.choices[0]
        number = choice_mark(name) or normalize_name(name).removeprefix(without_number(name))
    if shown is None and number.isdecimal():
        return int(number)
    return find_first_number(offered)


def _letters_alone(gold_texts: Sequence[str]) -> Choices:
    """Return the letters of choices whose texts are not known, if all gold answers are such."""
    texts = [text for text in gold_texts if text.lower() not in _UNANSWERABLE | _PLACEHOLDERS]
    # if all are one letter, it takes more of them
    n_needed = _FEW if len(set(texts)) > 1 else 2 * _FEW
    any_letter = Choices(tuple(LETTERS))
    if len(texts) <= n_needed or not all(match_choices(text, any_letter) for text in texts):
        return NO_CHOICES
    # "BE" may be a word; in most answers, letters stand by themselves
    n_single = sum(are_letters(re.findall(r"\w+", text.upper())) for text in texts)
    if 2 * n_single <= len(texts):
        return NO_CHOICES
    last = max("D", *chain.from_iterable(match_choices(text, any_letter) for text in texts))
    return Choices(tuple(letter for letter in LETTERS if letter <= last))


def _has_several(value: object) -> bool:
    """Return whether an answer of a system is a list, or has an answer in each line."""
    if isinstance(value, str):
        value = parse_list(value) or answer_lines(value)
    return isinstance(value, list) and len(value) > 1


class GoldReader:
    """Reads the gold answers in records, and collects what `add_notes` reports."""

    def __init__(
        self, columns: Columns, style: GoldStyle, options: ReadOptions, *, is_table: bool
    ) -> None:
        self.style = style
        self._columns, self._is_table = columns, is_table
        self._separator = options.split_answers
        self._n_lists: Counter[str] = Counter()  # by column
        self._ids_without_choice: list[str] = []

    def read(self, record: Fields, question_id: str, expected: Expected) -> Answers | None:
        """Return the gold answers in a record; None if it has none."""
        column = first_filled(record.data, self._columns.gold)
        value = None if column is None else record.data[column]
        text = value.strip().lower() if isinstance(value, str) else ""
        if text in _UNANSWERABLE:
            return Answers()
        if text in _PLACEHOLDERS and not (expected.choices and text in expected.choices.texts):
            return None
        if expected.choices and expected.choices.texts:
            correct = self._correct_choices(expected.choices, value)
            if correct:
                return Answers(texts=tuple((text,) for text in correct))
            if value is not None and value != []:
                self._ids_without_choice.append(question_id)
        result = marked_result(value) if self.style.are_solutions else ()
        if result:
            return Answers(texts=(result,))
        return self._read_written(value, record, column or "", expected)

    def _correct_choices(self, choices: Choices, value: object) -> tuple[str, ...]:
        """Return the choices that a gold value refers to; without gold, those marked as correct."""
        if self._columns.gold in ((), self._columns.choices):
            return choices_marked_correct(choices)
        if value is None:  # labels 0 and 1 may be places
            return choices_marked_correct(choices) if choices.labels != ("0", "1") else ()
        numbered = choices._replace(
            first=self.style.first_choice, only_numbers=self.style.only_numbers
        )
        named = match_choices(value, numbered)
        if named or not isinstance(value, str):
            return named
        # "C) mead, as it is sweet", "Option C"; a letter in a longer text may be of a name
        stated = find_choices(value, numbered)
        is_said = any(text.casefold() in value.casefold() for text in stated)
        return stated if is_said or len(value.split()) <= _FEW_WORDS else ()

    def _read_written(
        self, value: object, record: Fields, column: str, expected: Expected
    ) -> Answers | None:
        """Return gold answers as a cell or a field has them: in words, as terms or as results."""
        is_list = record.scalar(self._columns.single.get("type", "")) in LIST_TYPES
        several = is_list or self.style.lists_of_several or expected.query != ""
        is_plural = has_role(column, "several") or normalize_name(column).endswith(_PLURALS)
        several |= is_plural and not self.style.n_longer_names
        expected_here = expected._replace(
            several=several,
            names_in_lists=not several,
            bars=self._is_table or normalize_name(column) == "answers",
            only_terms=expected.query != "",
        )
        expected_names = Expected(separator=self._separator or ";", bars=self._is_table)
        variants = []
        for name in self._columns.variants:
            names = answers_in_value(record.data.get(name), record, name, expected_names)
            variants.append(names or Answers())
        if self.style.scale_column:
            value = with_scale(value, record.data.get(self.style.scale_column))
        answers = read_answers_value(value, record, column, expected_here, variants)
        if answers is not None and not several and any(len(names) > 1 for names in answers.texts):
            values = parse_list(value) or []
            if len(values) > 1 and not isinstance(values[0], (dict, list)):
                self._n_lists[column] += 1
        return answers

    def add_notes(self) -> None:
        """Report what was noticed while the gold answers were read."""
        for column in self._columns.gold[:1]:
            if self.style.why_several and not has_role(column, "several"):
                note(
                    f"{column!r} holds lists ({self.style.n_lists:,}); each entry is an answer,"
                    f" {self.style.why_several}. If entries are names of one answer, rename the"
                    " column to 'aliases', beside a column 'answer'"
                )
        for column, n_lists in self._n_lists.items():
            reason = ""
            advice = "rename the column to 'answers'"
            if has_role(column, "several"):
                reason = f", since in {self.style.n_longer_names:,} one is part of another"
                advice = "write each in a list of its own: [['Ada'], ['Ben']]"
            note(
                f"{column!r} holds lists ({n_lists:,}); their entries are read as variants of one"
                f" answer{reason}. If each entry is an answer, {advice}"
            )
        if self.style.letters.texts:
            note(
                f"the gold answers in {self._columns.gold[0]!r} are letters, and no choices were"
                " found; replies are read for the letter of a choice alone"
            )
        if self.style.are_solutions:
            note(
                f"the gold answers are the results that the solutions in {self._columns.gold[0]!r}"
                " mark, by ####, \\boxed or a last line"
            )
        if self._ids_without_choice:
            note(
                f"{len(self._ids_without_choice):,} gold answers (first: question"
                f" {self._ids_without_choice[0]}) match none of the choices; they are used as they"
                " are"
            )

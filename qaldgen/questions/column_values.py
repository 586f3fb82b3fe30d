"""The values in the columns of some records: what they look like, and how they agree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from qaldgen.io.json_text import as_list
from qaldgen.questions.cells import parse_number
from qaldgen.questions.choices import read_choices
from qaldgen.questions.fields import (
    ROLE_NAMES,
    has_no_role,
    has_role,
    is_gold_name,
    is_prediction_name,
    is_system_name,
    normalize_name,
    without_number,
)
from qaldgen.questions.question_texts import is_out_of_scope, looks_like_question
from qaldgen.questions.records import flat_texts, scalar_text
from qaldgen.questions.written_lists import parse_list

#: Records that are sampled: enough to judge a column, and fast for millions of records.
SAMPLED_ROWS = 1000
#: Values taken from anywhere, for a column that none of the sampled records has.
_FEW = 20
_QUERY_FORM = re.compile(r"\b(?:select|ask|construct|describe)\b", re.IGNORECASE)
#: Roles whose usual values are no answers.
_NO_TEXTS = ("question", "candidate", "system", "repeat")
#: A column with no more different values than these may agree with another by chance.
_FEW_VALUES = 2
#: A column that says what the gold says in such a share of the records holds answers too.
MIN_AGREEMENT = 0.2


class Table:
    """The columns of some records, with a sample of their values."""

    def __init__(self, rows: Sequence[object], names: Iterable[str] = ()) -> None:
        objects = [row for row in rows if isinstance(row, dict)]
        self._sample = objects[:: max(1, len(objects) // SAMPLED_ROWS)]
        self.names: list[str] = list(dict.fromkeys(chain(names, *objects)))
        self.values: dict[str, list[object]] = {}
        for name in self.names:
            filled = self._filled(name) or islice(_filled_in(objects, name), _FEW)
            self.values[name] = [row[name] for row in filled]

    def _filled(self, name: str) -> list[dict[str, object]]:
        """Return the sampled records that have a value in a column."""
        return list(_filled_in(self._sample, name))

    def named(self, *kinds: str, besides: Collection[str] = ()) -> list[str]:
        """Return the filled columns with a usual name of these kinds, preferred ones first."""
        usual = chain.from_iterable(ROLE_NAMES[kind] for kind in kinds)
        places = {name: place for place, name in enumerate(usual)}
        columns = [
            name
            for name in self.names
            if normalize_name(name) in places and self.values[name] and name not in besides
        ]
        return sorted(columns, key=lambda name: places[normalize_name(name)])

    def numbered(self, *kinds: str, besides: Collection[str] = ()) -> list[str]:
        """Return the columns with a usual name of these kinds and a number behind it."""
        usual = {*chain.from_iterable(ROLE_NAMES[kind] for kind in kinds)}
        return [
            name
            for name in self.names
            if name not in besides and has_no_role(name) and without_number(name) in usual
        ]

    def gold(self, besides: Collection[str] = ()) -> list[str]:
        """Return the columns that say that they are gold, those with a usual name first.

        Actual answers are gold beside predicted ones.
        """
        usual = self.named("gold", besides=besides)
        actual = [name for name in self.names if normalize_name(name).startswith("actual")]
        further = [name for name in self.names if name not in {*actual, *besides}]
        if not usual and any(map(is_prediction_name, further)):
            usual = actual
        remaining = [name for name in self.names if name not in {*usual, *besides}]
        return [*usual, *filter(is_gold_name, remaining)]

    def others(self, besides: Collection[str], gold: Sequence[str]) -> list[str]:
        """Return the other columns, without measures of a system beside the gold."""
        return [
            name
            for name in self.names
            if name not in besides and not (is_system_name(name) and self.is_measure(name, gold))
        ]

    def alike(self, names: Iterable[str], gold: Sequence[str]) -> list[str]:
        """Return the columns that agree with the gold and whose names could be those of systems.

        Such names have no role, or one whose columns usually hold no answers.
        """
        unknown = [name for name in names if has_no_role(name) or has_role(name, *_NO_TEXTS)]
        return [name for name in unknown if self.agreement(name, gold) >= MIN_AGREEMENT]

    def _beside(self, name: str, columns: Sequence[str]) -> list[tuple[set[str], set[str]]]:
        """Return what a column says in each record that has it, and what the others say there."""
        return [
            (
                {*_folded(row[name])},
                {*chain.from_iterable(_folded(row.get(column)) for column in columns)},
            )
            for row in self._filled(name)
        ]

    def agreement(self, name: str, columns: Sequence[str]) -> float:
        """Return the share of records in which a column says what one of the others says.

        0 for a column with a few values only, whose equality may be chance, and for a copy.
        """
        pairs = self._beside(name, columns)
        values = {text for texts, _ in pairs for text in texts}
        same = sum(not gold.isdisjoint(texts) for texts, gold in pairs)
        if len(values) <= _FEW_VALUES or same == len(pairs):
            return 0.0
        return same / len(pairs)

    def is_measure(self, name: str, gold: Sequence[str]) -> bool:
        """Return whether a column holds shares or verdicts, beside a gold that is in words."""
        values = list(map(_share, self.values[name]))
        gold_values = chain.from_iterable(self.values[column] for column in gold)
        return (
            bool(values)
            and None not in values
            and any(_share(value) is None for value in gold_values)
        )

    def offers(self, name: str, gold: Sequence[str]) -> bool:
        """Return whether a column has several values in each record, and the gold among them.

        So have choices, which are no further names of the answer.
        """
        if not has_role(name, "maybe variants"):
            return False
        pairs = self._beside(name, gold)
        return bool(pairs) and all(
            len(offered) > 1 and not offered.isdisjoint(right) for offered, right in pairs
        )

    def holds_questions(self, name: str) -> bool:
        """Return whether at least half of the values look like questions."""
        values = self.values[name]
        return 2 * sum(
            isinstance(value, str) and looks_like_question(value) for value in values
        ) >= len(values)

    def holds_sparql(self, name: str) -> bool:
        """Return whether at least half of the values are SPARQL."""
        values = self.values[name]
        return bool(values) and 2 * sum(looks_like_sparql(value) for value in values) >= len(values)

    def with_complements(self, chosen: Sequence[str], candidates: Sequence[str]) -> tuple[str, ...]:
        """Return the chosen columns together with others that fill their gaps.

        Only columns that never have a value in the same record complement each other.
        """
        columns = list(chosen)
        for name in candidates:
            overlap = any(first_filled(row, columns) is not None for row in self._filled(name))
            if name not in columns and self.values[name] and not overlap:
                columns.append(name)
        return tuple(columns)

    def is_key(self, name: str) -> bool:
        """Return whether each record has a value of its own."""
        values = {str(row[name]) for row in self._filled(name)}
        return self.has_scalars(name) and len(values) == len(self._sample)

    def has_scalars(self, name: str) -> bool:
        """Return whether there are values, and none is a list or an object."""
        values = self.values[name]
        return bool(values) and not any(isinstance(value, (dict, list)) for value in values)

    def points_to(self, name: str, options: str, *, texts: bool) -> bool:
        """Return whether a column has the place, or the text, of one of the options everywhere."""
        rows = self._filled(name)
        for row in rows:
            offered = read_choices(row.get(options)).texts
            if len(offered) < 2 or isinstance(row[name], list):
                return False
            value = scalar_text(row[name]).strip()
            if value in offered:
                right = texts
            else:
                right = value.isdecimal() and int(value) <= len(offered)
            if not right:
                return False
        return len(rows) > 1

    def is_flat(self, name: str) -> bool:
        """Return whether the values are scalars or lists of scalars."""
        items = chain.from_iterable(map(as_list, self.values[name]))
        return not any(isinstance(item, (dict, list)) for item in items)

    def is_constant(self, name: str) -> bool:
        """Return whether all values are the same."""
        values = self.values[name]
        return len(values) > 1 and all(value == values[0] for value in values)


def _share(value: object) -> float | None:
    """Return a number from 0 to 1, also of a verdict; None for any other value."""
    number = float(value) if isinstance(value, bool) else parse_number(str(value))
    if number is None or not 0 <= number <= 1:
        return None
    return number


def _folded(value: object) -> list[str]:
    """Return the texts of a value without case and punctuation."""
    values = parse_list(value)
    if values is None:
        values = [value]
    # pairs of an answer and its score, too
    texts = chain.from_iterable(map(flat_texts, values))
    plain = (re.sub(r"[\W_]+", " ", text).strip().casefold() for text in texts)
    return list(filter(None, plain))


def is_blank(value: object) -> bool:
    """Return whether a value is blank; an empty list means that there is no answer."""
    return value is None or (isinstance(value, str) and not value.strip())


def first_filled(row: Mapping[str, object], names: Sequence[str]) -> str | None:
    """Return the first of several columns that has a value in a record; None if none has."""
    for name in names:
        if not is_blank(row.get(name)):
            return name
    return None


def looks_like_sparql(value: object) -> bool:
    """Return whether a value is a SPARQL query, or is in the place of one."""
    if isinstance(value, dict):
        # QALD and others keep the query in an object
        value = value.get("sparql")
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, str):
        return False
    form = _QUERY_FORM.search(value)
    return is_out_of_scope(value) or (form is not None and value.find("{", form.end()) > 0)


def _filled_in(rows: Iterable[dict[str, object]], name: str) -> Iterator[dict[str, object]]:
    return (row for row in rows if not is_blank(row.get(name)))

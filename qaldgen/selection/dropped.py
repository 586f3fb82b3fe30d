"""Count how many questions each pattern of a selection query loses.

A query silently drops every question that lacks one of its patterns: the published data loses 544
or 4,999 questions to a property that only one origin has. Here the WHERE group is taken apart, and
each part is counted alone and left out in turn.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.errors import DataError
from qaldgen.rdf.terms import python_value
from qaldgen.sparql.clauses import (
    Element,
    Select,
    group_elements,
    name_blank_nodes,
    question_variable,
    split_select,
)
from qaldgen.sparql.tokens import tokenize
from qaldgen.stores.local import DataSource

if TYPE_CHECKING:
    import pandas as pd

#: Elements that bind no variables of their own.
_CONDITIONS = {"FILTER", "MINUS"}


@dataclasses.dataclass(frozen=True)
class Loss:
    """How many questions one element of the WHERE group loses."""

    pattern: str  # the text of the element
    #: Questions of the pool that satisfy the element alone; a filter is counted together with the
    #: patterns that bind its variables.
    having: int
    lost: int  # questions of the pool that do not satisfy it
    back: int  # questions that would come back if only this element were removed


@dataclasses.dataclass(frozen=True)
class Losses:
    """How many questions the elements of the WHERE group lose."""

    pool: int  # questions that satisfy at least one pattern
    left: int  # questions that satisfy all patterns
    #: In the order of the query, without OPTIONAL and BIND, which lose nothing.
    losses: tuple[Loss, ...]
    #: If nothing is left, pairs of elements that no question satisfies together.
    exclusive: tuple[tuple[str, str], ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the losses as a table."""
        import pandas as pd

        return pd.DataFrame(
            [dataclasses.asdict(loss) for loss in self.losses],
            columns=["pattern", "having", "lost", "back"],
        )

    @property
    def culprits(self) -> tuple[Loss, ...]:
        """The element that loses the questions, or two that exclude each other; none if none do.

        Elements are compared by the questions that come back without them, not by those that they
        lose: two elements may lose the same questions.
        """
        losing = [loss for loss in self.losses if loss.lost]
        if not losing or self.left == self.pool:
            return ()
        if self.exclusive:
            by_pattern = {loss.pattern: loss for loss in self.losses}
            return tuple(by_pattern[pattern] for pattern in self.exclusive[0])
        worst = max(losing, key=lambda loss: loss.back)
        if worst.back:
            return (worst,)
        return (max(losing, key=lambda loss: loss.lost),)

    def sentence(self) -> str:
        """Return a sentence on the element that loses the questions; empty if none are lost."""
        if not self.culprits:
            return ""

        worst, *others = self.culprits
        if others:
            return (
                f"no question has both {worst.pattern!r} ({worst.having:,} of {self.pool:,}) and"
                f" {others[0].pattern!r} ({others[0].having:,}); remove one, or put it in OPTIONAL"
            )

        # OPTIONAL filters have no effect, nor have OPTIONAL patterns with a fixed value
        variables = [token for token in tokenize(worst.pattern) if token.kind == "var"]
        is_filter = worst.pattern.upper().startswith(("FILTER", "MINUS", "VALUES"))
        remedy = "put it in OPTIONAL"
        if is_filter or len(variables) < 2:
            remedy = "change it or remove it"
        return (
            f"{self.pool - self.left:,} of {self.pool:,} questions do not satisfy the query;"
            f" {worst.lost:,} of them lack {worst.pattern!r} (without it, {worst.back:,} come"
            f" back). If that is not intended, {remedy}"
        )


def find_losses(source: DataSource, query: str) -> Losses:
    """Count what each element of the query's WHERE group loses."""
    parts = _split_query(query, source.select(query).variables)
    _, question, elements, patterns = parts
    if not patterns:
        raise DataError(
            f"no pattern of the query contains ?{question}; add "
            f"one, for instance ?{question} ?p ?value"
        )

    def count_matching(matching: Sequence[Element]) -> int:
        return _count_questions(source, parts, " ".join(map(_closed_text, matching)))

    # the data may describe more than questions, so the pool has what satisfies one pattern
    pool = _count_questions(source, parts, _union_of(patterns))
    selected = count_matching(elements)
    anchor = Element(
        "GROUP",
        f"{{ SELECT DISTINCT ?{question} WHERE {{ {_union_of(patterns)} }} }}",
        frozenset({question}),
    )

    losses = {}
    for index, element in enumerate(elements):
        if element.kind in {"OPTIONAL", "BIND"}:
            continue
        # a filter alone has nothing to test: it is counted with what binds its variables
        linking = []
        n_before = pool
        if element not in patterns:
            linking = [anchor, *_find_links(elements, element, question)]
            n_before = count_matching(linking)

        having = count_matching([*linking, element])
        back = max(count_matching(_leave_out(elements, index)) - selected, 0)
        losses[index] = Loss(element.text, having, lost=n_before - having, back=back)

    # Elements that lose all questions only together; a quadratic number of queries finds them.
    exclusive = []
    if selected == 0:
        losing = []
        for index, loss in losses.items():
            if loss.lost and loss.having and elements[index].kind not in _CONDITIONS:
                losing.append(elements[index])
        for first, second in itertools.combinations(losing, 2):
            if count_matching([first, second]) == 0:
                exclusive.append((first.text, second.text))

    return Losses(pool, selected, tuple(losses.values()), tuple(exclusive))


def count_pool(source: DataSource, query: str, variables: Sequence[str]) -> int:
    """Return the number of questions that satisfy at least one pattern of a query."""
    parts = _split_query(query, variables)
    if not parts.patterns:
        return 0
    return _count_questions(source, parts, _union_of(parts.patterns))


class _QueryParts(NamedTuple):
    """The parts of a query."""

    clauses: Select
    question: str  # the variable of the question
    elements: list[Element]  # the elements of the WHERE group
    patterns: list[Element]  # those elements that bind the question


def _split_query(query: str, variables: Sequence[str]) -> _QueryParts:
    clauses = split_select(query)
    question = question_variable(query, variables)
    elements = group_elements(clauses.where)
    patterns = [
        element
        for element in elements
        if element.kind in {"TRIPLE", "GROUP", "GRAPH"} and question in element.variables
    ]
    return _QueryParts(clauses, question, elements, patterns)


def _union_of(patterns: Sequence[Element]) -> str:
    return " UNION ".join(f"{{ {_closed_text(pattern)} }}" for pattern in patterns)


def _closed_text(element: Element) -> str:
    """Return the text of an element, to which others can be appended."""
    # A blank node label may not occur in two groups of a query.
    text = name_blank_nodes(element.text)
    # Triple patterns need a dot between them, other elements take none.
    if element.kind != "TRIPLE":
        return text
    return text + " ."


def _count_questions(source: DataSource, parts: _QueryParts, where_clause: str) -> int:
    """Return how many questions fulfil a WHERE group, with the prefixes and data of the query."""
    query = (
        f"{parts.clauses.prologue}\nSELECT (COUNT(DISTINCT ?{parts.question}) AS "
        f"?n) {parts.clauses.dataset} WHERE {{ {where_clause} }}"
    )
    number = source.select(query).rows[0][0]
    # Not every endpoint types a count as an integer.
    if number is None:
        return 0
    return int(float(python_value(number)))


def _bound_variables(elements: Sequence[Element]) -> set[str]:
    """Return the variables that elements bind."""
    variables = set[str]()
    for element in elements:
        if element.kind not in _CONDITIONS:
            variables |= element.variables
    return variables


def _find_links(elements: Sequence[Element], element: Element, question: str) -> list[Element]:
    """Return the elements that link the variables of an element to the question."""
    needed = set(element.variables) - {question}
    candidates = [
        candidate
        for candidate in elements
        if candidate is not element and candidate.kind not in _CONDITIONS
    ]
    linking: list[Element] = []
    # A filter may need a variable that leads to the question over several patterns only, so this is
    # repeated until no pattern is added.
    while added := [one for one in candidates if one not in linking and one.variables & needed]:
        linking += added
        for candidate in added:
            if question not in candidate.variables or candidate.kind == "BIND":
                needed |= candidate.variables - {question}
    return [candidate for candidate in candidates if candidate in linking]


def _leave_out(elements: Sequence[Element], index: int) -> list[Element]:
    """Return all elements but one, without the filters and BINDs whose variables it alone binds."""
    remaining = [*elements[:index], *elements[index + 1 :]]
    if elements[index].kind in _CONDITIONS:
        return remaining
    unbound = _bound_variables(elements) - _bound_variables(remaining)
    return [
        element
        for element in remaining
        if element.kind not in {"FILTER", "BIND"} or not element.variables & unbound
    ]

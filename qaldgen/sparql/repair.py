"""Repair the SPARQL of published data sets for strict parsers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from qaldgen.io.packages import data_rows
from qaldgen.sparql.safety import size_problem
from qaldgen.sparql.tokens import (
    AGGREGATES,
    Token,
    decode,
    expand_name,
    read_prologue,
    resolve_iri,
    tokenize,
    undeclared_prefixes,
)

_OPERATORS = "+-*/=<>!&|"
#: The namespace of each well-known prefix, for queries that do not declare it.
DEFAULT_PREFIXES = {
    prefix: namespace
    for namespace, prefixes in data_rows("sparql/data/prefixes.tsv")
    for prefix in prefixes.split()
}
#: Start of the namespace of an unknown prefix; the prefix and ``#`` follow.
UNKNOWN_PREFIX = "urn:x-unknown-prefix:"


@dataclasses.dataclass
class Draft:
    """The tokens of a query, and the text to be written for each."""

    tokens: list[Token]  # they never change
    #: For each token the white space before it, and the text that replaces it.
    gaps: list[str]
    texts: list[str]
    used_names: set[str]  # the names of variables in use, without ``?``
    #: The codes of the repairs so far, in order.
    repairs: dict[str, None] = dataclasses.field(default_factory=dict)

    def word(self, index: int) -> str:
        """Return the keyword at a token, in capitals; empty after the end."""
        if index < len(self.tokens):
            return self.tokens[index].word
        return ""

    def is_sign(self, index: int, signs: str) -> bool:
        """Return whether a token is one of the given signs."""
        if index >= len(self.tokens):
            return False
        token = self.tokens[index]
        return token.kind == "other" and token.text in signs

    def aggregates(self, start: int, stop: int) -> bool:
        """Return whether a range of tokens calls an aggregate, outside groups in braces."""
        return any(
            self.word(index) in AGGREGATES and self.is_sign(index + 1, "(")
            for index in self.indices_outside_groups(start, stop)
        )

    def indices_outside_groups(self, start: int, stop: int) -> Iterator[int]:
        """Yield the indices of tokens outside braces, whose content (of EXISTS) is separate."""
        index = start
        while index < stop:
            if self.is_sign(index, "{"):
                index = self.closing_index(index)
            else:
                yield index
            index += 1

    def closing_index(self, opening: int) -> int:
        """Return the index of the closing bracket; the end of the query if there is none."""
        depth = 0
        for index in range(opening, len(self.tokens)):
            if self.is_sign(index, "({["):
                depth += 1
            elif self.is_sign(index, ")}]"):
                depth -= 1
            if depth == 0:
                return index
        return len(self.tokens)

    def note(self, code: str) -> None:
        """Record the code of a repair."""
        self.repairs[code] = None

    def delete(self, start: int, stop: int) -> None:
        """Delete the tokens of a range from the repaired text."""
        for index in range(start, stop):
            self.gaps[index] = self.texts[index] = ""


class _Column(NamedTuple):
    """One column of a SELECT clause, by the indices of its tokens."""

    start: int
    stop: int  # the end of its expression
    alias: int | None  # the variable after AS, behind the expression; None without AS

    @property
    def is_single(self) -> bool:
        """Whether it is one token, such as a variable."""
        return self.stop == self.start + 1 and self.alias is None


def repair_select(draft: Draft, index: int) -> None:
    """Repair one SELECT clause and the modifiers after its group."""
    # the SELECT clause ends at WHERE, FROM or a brace outside brackets
    size = len(draft.tokens)
    head = index
    while head < size and not (draft.word(head) in {"WHERE", "FROM"} or draft.is_sign(head, "{")):
        if draft.is_sign(head, "("):
            head = draft.closing_index(head)
        head += 1
    head = min(head, size)
    opening = next((i for i in range(head, size) if draft.is_sign(i, "{")), size)
    closing = draft.closing_index(opening) if opening < size else size
    # an unclosed group: leave the text to the parser's message
    if closing == size:
        return

    columns = list(_split_columns(draft, index + 1, head))
    for column in columns:
        _repair_column(draft, column)

    # the modifiers after the group, up to the end of the sub-query
    end = closing + 1
    while end < size and not draft.is_sign(end, "})"):
        if draft.is_sign(end, "({["):
            end = draft.closing_index(end)
        end += 1
    end = min(end, size)

    # aggregates beside plain variables need GROUP BY; a query that has it is left as it is
    plain_variables = [
        draft.tokens[column.start].text
        for column in columns
        if column.is_single and draft.tokens[column.start].kind == "var"
    ]
    has_group_by = any(draft.word(i) == "GROUP" for i in range(closing, end))
    has_aggregate = draft.aggregates(index, head) or draft.aggregates(closing, end)
    if plain_variables and has_aggregate and not has_group_by:
        draft.texts[closing] += f" GROUP BY {' '.join(plain_variables)}"
        draft.note("implicit-grouping")


def _split_columns(draft: Draft, index: int, columns_end: int) -> Iterator[_Column]:
    """Yield the columns of a SELECT clause."""
    if draft.word(index) in {"DISTINCT", "REDUCED"}:
        index += 1
    if draft.is_sign(index, "*"):
        return
    while index < columns_end:
        stop = _expression_end(draft, index, columns_end)
        if draft.word(stop) == "AS" and stop + 1 < columns_end:
            yield _Column(index, stop, stop + 1)
            index = stop + 2
        else:
            yield _Column(index, stop, None)
            index = stop


def _expression_end(draft: Draft, index: int, limit: int) -> int:
    """Return the end of the expression at `index`: operands with operators between them."""
    while index < limit:
        # Signs before an operand: -?x, !bound(?x).
        while index < limit and draft.is_sign(index, "+-!"):
            index += 1
        is_name = index + 1 < limit and draft.tokens[index].kind in {"word", "name", "iri"}
        if is_name and draft.is_sign(index + 1, "("):
            index += 1
        if draft.is_sign(index, "("):
            index = min(draft.closing_index(index), limit - 1) + 1
        else:
            index += 1
        if index >= limit or not draft.is_sign(index, _OPERATORS):
            break
        while index < limit and draft.is_sign(index, _OPERATORS):
            index += 1
    return min(index, limit)


def _repair_column(draft: Draft, column: _Column) -> None:
    """Rewrite one column as ``?x`` or ``(expression AS ?x)``."""
    start, stop, alias = column
    # a plain variable needs no brackets
    if column.is_single:
        return

    is_bracketed = draft.is_sign(start, "(") and draft.closing_index(start) == stop - 1
    inner_as = None  # the AS within the expression
    for index in draft.indices_outside_groups(start, stop - 2):
        if draft.word(index) == "AS" and draft.tokens[index + 1].kind == "var":
            inner_as = index
            break

    # (expression AS ?x), as the standard has it.
    if is_bracketed and inner_as == stop - 3:
        return

    name = ""
    if alias is not None:
        name = draft.tokens[alias].text
        draft.delete(stop, alias + 1)
    if inner_as is not None:
        name = draft.tokens[inner_as + 1].text
        draft.delete(inner_as, inner_as + 2)
        draft.note("alias-inside")
    # an alias must not be a variable of its own expression
    used_names = {
        token.text[1:]
        for token, text in zip(draft.tokens[start:stop], draft.texts[start:stop], strict=True)
        if token.kind == "var" and text
    }
    if not name or name[1:] in used_names:
        name = _new_alias(draft, start, stop)

    if is_bracketed and alias is None:
        draft.texts[stop - 1] = f" AS {name})"
        draft.note("missing-alias")
        return

    draft.texts[start] = "(" + draft.texts[start]
    draft.texts[stop - 1] += f" AS {name})"
    is_aggregate = draft.aggregates(start, stop)
    draft.note("bare-aggregate" if is_aggregate else "bare-expression")


def _new_alias(draft: Draft, start: int, stop: int) -> str:
    """Return a new variable named after the aggregate, such as ``?count``; else ``?value``."""
    preferred = "value"
    for index in range(start, stop):
        if draft.aggregates(index, index + 1):
            preferred = draft.word(index).lower()
            break

    name = preferred
    number = 2
    while name in draft.used_names:
        name = f"{preferred}{number}"
        number += 1
    draft.used_names.add(name)
    return f"?{name}"


class Repaired(NamedTuple):
    """A query in standard SPARQL, and the changes that were needed."""

    text: str  # the query, without prologue, every prefixed name as a full IRI
    #: Distinct codes, in the order of the repairs: ``undeclared-prefix``, ``unknown-prefix``,
    #: ``bare-aggregate`` and ``bare-expression`` (brackets missing in SELECT), ``alias-inside``,
    #: ``missing-alias`` and ``implicit-grouping`` (GROUP BY missing).
    repairs: tuple[str, ...]


def repair(query: str, *, bind_unknown: bool = False) -> Repaired:
    """Write a query in standard SPARQL.

    >>> repair("SELECT DISTINCT COUNT(?x) WHERE { ?x a dbo:Film }")
    Repaired(text='SELECT DISTINCT (COUNT(?x) AS ?count) \
WHERE { ?x a <http://dbpedia.org/ontology/Film> }', repairs=('undeclared-prefix', 'bare-aggregate'))
    """
    query = decode(query)
    tokens = tokenize(query)
    if size_problem(tokens):
        return Repaired(query, ())  # it will be rejected anyway

    # the tokens after the prologue, with the white space before each
    start, prefixes, base = read_prologue(tokens)
    body = tokens[start:]
    gaps = [""]
    for previous, token in pairwise(body):
        gap = query[previous.end : token.start]
        if gap.strip():  # a comment
            gap = "\n"
        gaps.append(gap)

    used_names = {token.text[1:] for token in body if token.kind == "var"}
    draft = Draft(body, gaps, [token.text for token in body], used_names)

    # names as IRIs, and IRIs in full; then one SELECT clause after the other
    for index, token in enumerate(draft.tokens):
        if token.kind == "iri" and base:
            draft.texts[index] = f"<{resolve_iri(base, token.text[1:-1])}>"
        if token.kind != "name" or token.text.startswith("_:"):
            continue
        prefix = token.text.partition(":")[0]
        iri = expand_name(token.text, prefixes)
        if iri is None and prefix in DEFAULT_PREFIXES:
            iri = expand_name(token.text, DEFAULT_PREFIXES)
            draft.note("undeclared-prefix")
        elif iri is None and bind_unknown:
            iri = expand_name(token.text, {prefix: f"{UNKNOWN_PREFIX}{prefix}#"})
            draft.note("unknown-prefix")
        draft.texts[index] = iri or token.text

    for index in range(len(draft.tokens)):
        if draft.word(index) == "SELECT":
            repair_select(draft, index)
    text = "".join(gap + text for gap, text in zip(draft.gaps, draft.texts, strict=False))
    return Repaired(text, tuple(draft.repairs))


def unknown_prefixes(query: str) -> list[str]:
    """Return the prefixes of a query that are neither declared nor well known, in order of use.

    >>> unknown_prefixes("PREFIX a: <http://x.org/> ASK { a:b dbo:c qb:d }")
    ['qb:']
    """
    return [
        prefix
        for prefix in undeclared_prefixes(decode(query))
        if prefix[:-1] not in DEFAULT_PREFIXES
    ]

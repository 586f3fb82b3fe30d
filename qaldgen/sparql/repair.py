"""Repair the SPARQL of published data sets for strict parsers."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from qaldgen.io.files import data_rows
from qaldgen.sparql.safety import size_problem
from qaldgen.sparql.tokens import (
    Token,
    decoded,
    expanded_name,
    prologue,
    resolved,
    tokens,
    undeclared_prefixes,
)

AGGREGATES = {"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"}


@dataclasses.dataclass
class Draft:
    """The tokens of a query, and the text to be written for each."""

    tokens: list[Token]  # the tokens as they were; they never change
    #: For each token the white space before it, and the text that replaces it.
    gaps: list[str]
    texts: list[str]
    taken: set[str]  # the names of variables in use, without ``?``
    #: The codes of the repairs so far, in order.
    repairs: dict[str, None] = dataclasses.field(default_factory=dict)

    def word(self, at: int) -> str:
        """Return the keyword at a token, in capitals; empty after the end."""
        if at < len(self.tokens):
            return self.tokens[at].word
        return ""

    def is_sign(self, at: int, signs: str) -> bool:
        """Return whether a token is one of the given signs."""
        return (
            at < len(self.tokens)
            and self.tokens[at].kind == "other"
            and self.tokens[at].text in signs
        )

    def calls(self, start: int, stop: int) -> bool:
        """Return whether an aggregate is called between two tokens, ignoring groups in braces."""
        return any(
            self.word(at) in AGGREGATES and self.is_sign(at + 1, "(")
            for at in self.outside_groups(start, stop)
        )

    def outside_groups(self, start: int, stop: int) -> Iterator[int]:
        """Yield the tokens of a range outside braces, whose content (EXISTS) is separate."""
        at = start
        while at < stop:
            if self.is_sign(at, "{"):
                at = self.closing(at)
            else:
                yield at
            at += 1

    def note(self, code: str) -> None:
        """Record the code of a repair."""
        self.repairs[code] = None

    def drop(self, start: int, stop: int) -> None:
        """Drop the tokens of a range from the repaired text."""
        for at in range(start, stop):
            self.gaps[at] = self.texts[at] = ""

    def closing(self, opening: int) -> int:
        """Return the index of the closing bracket; the end of the query if there is none."""
        depth = 0
        for at in range(opening, len(self.tokens)):
            depth += self.is_sign(at, "({[") - self.is_sign(at, ")}]")
            if depth == 0:
                return at
        return len(self.tokens)

    def fresh(self, wanted: str) -> str:
        """Return a new variable, named like `wanted` with a number if that is taken."""
        name = wanted
        number = 2
        while name in self.taken:
            name = f"{wanted}{number}"
            number += 1
        self.taken.add(name)
        return f"?{name}"


_OPERATORS = set("+-*/=<>!&|")
_MODIFIERS = {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES"}


class _Item(NamedTuple):
    """One column of a SELECT clause: the range of its expression, and its alias (-1 for none)."""

    start: int
    stop: int
    alias: int

    def is_variable(self, draft: Draft) -> bool:
        """Return whether it is a variable and nothing else."""
        return (
            self.stop == self.start + 1
            and self.alias < 0
            and draft.tokens[self.start].kind == "var"
        )


def repair_select(draft: Draft, at: int) -> None:
    """Repair one SELECT clause and the modifiers after its group."""
    size = len(draft.tokens)
    # the columns end at WHERE, FROM or a brace outside brackets
    head = at
    while head < size and not (draft.word(head) in {"WHERE", "FROM"} or draft.is_sign(head, "{")):
        if draft.is_sign(head, "("):
            head = draft.closing(head)
        head += 1
    head = min(head, size)
    opening = next((i for i in range(head, size) if draft.is_sign(i, "{")), size)
    closing = draft.closing(opening) if opening < size else size
    # an unclosed group: leave the text to the parser's message
    if closing == size:
        return
    items = list(_items(draft, at + 1, head))
    for item in items:
        _repair_item(draft, item)
    end = closing + 1
    while end < size and not draft.is_sign(end, "})"):
        if draft.is_sign(end, "({["):
            end = draft.closing(end)
        end += 1
    end = min(end, size)
    order = next((i for i in range(closing, end) if draft.word(i) == "ORDER"), end)
    order_end = next((i for i in range(order + 1, end) if draft.word(i) in _MODIFIERS), end)
    _repair_order(draft, order + 2, order_end)
    elsewhere = draft.calls(at, head) or draft.calls(closing, order) or draft.calls(order_end, end)
    plain = [draft.tokens[item.start].text for item in items if item.is_variable(draft)]
    # a query with GROUP BY knows what it does
    grouped = any(draft.word(i) == "GROUP" for i in range(closing, end))
    if plain and not grouped and (elsewhere or draft.calls(order, order_end)):
        draft.texts[closing] += f" GROUP BY {' '.join(plain)}"
        draft.note("implicit-grouping" if elsewhere else "order-by-aggregate")


def _items(draft: Draft, at: int, head: int) -> Iterator[_Item]:
    """Cut a SELECT clause into its columns; commas between them are dropped."""
    at += draft.word(at) in {"DISTINCT", "REDUCED"}
    if draft.is_sign(at, "*"):
        return
    while at < head:
        if draft.is_sign(at, ","):
            draft.texts[at] = " "
            draft.note("comma")
            at += 1
            continue
        stop = _expression_end(draft, at, head)
        if draft.word(stop) == "AS" and stop + 1 < head:
            yield _Item(at, stop, stop + 1)
            at = stop + 2
        else:
            yield _Item(at, stop, -1)
            at = stop


def _expression_end(draft: Draft, at: int, limit: int) -> int:
    """Return the end of the expression at `at`: an operand and all that operators join to it."""
    while at < limit:
        # Signs before an operand: -?x, !bound(?x).
        while at < limit and draft.is_sign(at, "+-!"):
            at += 1
        if (
            at + 1 < limit
            and not draft.is_sign(at, "(")
            and draft.tokens[at].kind in {"word", "name", "iri"}
        ):
            at += draft.is_sign(at + 1, "(")
        if draft.is_sign(at, "("):
            at = min(draft.closing(at), limit - 1) + 1
        else:
            at += 1
        if not (
            at < limit and draft.tokens[at].kind == "other" and draft.tokens[at].text in _OPERATORS
        ):
            break
        while (
            at < limit and draft.tokens[at].kind == "other" and draft.tokens[at].text in _OPERATORS
        ):
            at += 1
    return min(at, limit)


def _repair_item(draft: Draft, item: _Item) -> None:
    """Rewrite one column as ``?x`` or ``(expression AS ?x)``."""
    start, stop, alias = item
    size = stop - start
    # A plain variable is right as it is.
    if size == 1 and alias < 0:
        return
    bracketed = draft.is_sign(start, "(") and draft.closing(start) == stop - 1
    places = draft.outside_groups(start, stop - 2)
    inside = next(
        (i for i in places if draft.word(i) == "AS" and draft.tokens[i + 1].kind == "var"), -1
    )
    # (expression AS ?x), as the standard has it.
    if bracketed and inside == stop - 3:
        if _is_taken(draft, draft.tokens[inside + 1].text, start, inside, -1):
            draft.texts[inside + 1] = _new_alias(draft, start, inside, -1)
            draft.note("alias-taken")
        return
    # (?x) around a single variable.
    if bracketed and size == 3 and alias < 0:
        draft.texts[start] = draft.texts[stop - 1] = " "
        draft.note("bare-expression")
        return
    name = draft.tokens[alias].text if alias > 0 else ""
    if alias > 0:
        draft.drop(stop, alias + 1)
    if inside > 0:
        name = draft.tokens[inside + 1].text
        draft.drop(inside, inside + 2)
        draft.note("alias-inside")
    if _is_taken(draft, name, start, stop, inside):
        name = _new_alias(draft, start, stop, inside)
    if bracketed and alias < 0:
        draft.texts[stop - 1] = f" AS {name})"
        draft.note("missing-alias")
        return
    draft.texts[start] = "(" + draft.texts[start]
    draft.texts[stop - 1] += f" AS {name})"
    draft.note("bare-aggregate" if draft.calls(start, stop) else "bare-expression")


def _is_taken(draft: Draft, name: str, start: int, stop: int, inside: int) -> bool:
    """Return whether an alias is missing or is a variable of its own expression."""
    used = {
        draft.tokens[i].text[1:]
        for i in range(start, stop)
        if draft.tokens[i].kind == "var" and i != inside + 1
    }
    return not name or name[1:] in used


def _new_alias(draft: Draft, start: int, stop: int, inside: int) -> str:
    """Return ``?count`` for a COUNT and so on, ``?value`` without an aggregate."""
    called = (draft.word(i) for i in range(start, stop) if i != inside and draft.calls(i, i + 1))
    return draft.fresh(next(called, "value").lower())


def _repair_order(draft: Draft, start: int, stop: int) -> None:
    """Drop commas between sort keys, and put the operands of ASC and DESC in brackets."""
    at = start
    while at < stop:
        if draft.is_sign(at, ","):
            draft.texts[at] = " "
            draft.note("comma")
        elif draft.word(at) in {"ASC", "DESC"} and at + 1 < stop and not draft.is_sign(at + 1, "("):
            end = _expression_end(draft, at + 1, stop)
            draft.texts[at + 1] = "(" + draft.texts[at + 1]
            draft.texts[end - 1] += ")"
            draft.note("bare-aggregate" if draft.calls(at, end) else "bare-expression")
            at = end - 1
        elif draft.is_sign(at, "("):
            at = min(draft.closing(at), stop)
        at += 1


#: The namespace of each well-known prefix, for queries that do not declare it.
DEFAULT_PREFIXES: dict[str, str] = {}
for _namespace, _prefixes in data_rows("sparql/data/prefixes.tsv"):
    DEFAULT_PREFIXES |= dict.fromkeys(_prefixes.split(), _namespace)
#: Start of the namespace of an unknown prefix; the prefix and ``#`` follow.
UNKNOWN_PREFIX = "urn:x-unknown-prefix:"
_KEYWORD = (
    r"SELECT|ASK|CONSTRUCT|DESCRIBE|WHERE|DISTINCT|REDUCED|FROM|NAMED|ORDER|GROUP|BY|HAVING|"
    r"LIMIT|OFFSET|FILTER|OPTIONAL|UNION|MINUS|GRAPH|SERVICE|SILENT|BIND|VALUES|NOT|EXISTS|IN|"
    r"ASC|AS|DESC|COUNT|SUM|MIN|MAX|AVG|SAMPLE"
)
#: Keywords without a space between them, as in ASKWHERE or LIMIT1.
_GLUED = re.compile(rf"(?:{_KEYWORD}){{2,4}}[0-9]*|(?:LIMIT|OFFSET)[0-9]+", re.IGNORECASE)
_WORDS = re.compile(rf"{_KEYWORD}|[0-9]+", re.IGNORECASE)


class Repaired(NamedTuple):
    """A query in standard SPARQL, and the changes that were needed."""

    text: str  # the query, without prologue, every prefixed name as a full IRI
    #: Distinct codes, in the order of the repairs: ``glued-keywords`` (ASKWHERE), ``undeclared-
    #: prefix``, ``unknown-prefix``, ``word-operator`` (OR, AND, NOT), ``unquoted-literal``,
    #: ``comma``, ``bare-aggregate`` and ``bare-expression`` (brackets missing in SELECT
    #: or ORDER BY), ``alias-inside``, ``alias-taken`` (an alias that is a variable of its own
    #: expression), ``missing-alias``, ``order-by-aggregate`` and ``implicit-grouping`` (GROUP BY
    #: missing); ``named-subquery`` (WITH and INCLUDE, as Blazegraph knows them).
    repairs: tuple[str, ...]


def repair(query: str, *, bind_unknown: bool = False) -> Repaired:
    """Write a query in standard SPARQL.

    >>> repair("SELECT DISTINCT COUNT(?x) WHERE { ?x a dbo:Film }")
    Repaired(text='SELECT DISTINCT (COUNT(?x) AS ?count) \
WHERE { ?x a <http://dbpedia.org/ontology/Film> }', repairs=('undeclared-prefix', 'bare-aggregate'))
    """
    query = decoded(query)
    inlined = _with_inlined_subqueries(query)
    if inlined is not None:
        query = inlined
    parts = tokens(query)
    if size_problem(parts):
        return Repaired(query, ())  # it will be rejected anyway
    glued = [token for token in parts if token.kind == "word" and _keywords(token.text)]
    for token in reversed(glued):
        apart = " ".join(_keywords(token.text))
        query = f"{query[: token.start]}{apart}{query[token.end :]}"
    parts = tokens(query)
    # The word of a language tag is no operator: "x"@or is Odia.
    for at, (before, token) in enumerate(pairwise(parts), 1):
        if before.text == "@" and token.kind == "word" and token.start == before.end:
            parts[at] = token._replace(kind="language")
    start, prefixes, base = prologue(parts)
    body = parts[start:]
    gaps = [""]
    for before, token in pairwise(body):
        gap = query[before.end : token.start]
        gaps.append("\n" if gap.strip() else gap)  # a gap with text is a comment
    draft = Draft(
        tokens=body,
        gaps=gaps,
        texts=[token.text for token in body],
        taken={token.text[1:] for token in body if token.kind == "var"},
    )
    if inlined is not None:
        draft.note("named-subquery")
    if glued:
        draft.note("glued-keywords")
    _expand(draft, prefixes, base, bind_unknown=bind_unknown)
    _repair_operators(draft)
    for at in range(len(body)):
        if draft.word(at) == "SELECT":
            repair_select(draft, at)
    text = "".join(gap + text for gap, text in zip(draft.gaps, draft.texts, strict=False))
    return Repaired(text, tuple(draft.repairs))


#: Sub-queries that include each other twice would double the text with each.
_LONGEST_INLINED = 100_000


def _with_inlined_subqueries(query: str) -> str | None:
    """Return a query with its named sub-queries in their places; None if it has none.

    >>> _with_inlined_subqueries("SELECT ?x WITH { SELECT ?x { ?x ?y 1 } } AS %a { INCLUDE %a }")
    'SELECT ?x  { { SELECT ?x { ?x ?y 1 } } }'
    """
    if "%" not in query:
        return None
    draft = Draft(tokens(query), [], [], set())
    parts = draft.tokens
    subqueries: dict[str, str] = {}
    text = ""
    end = 0

    def name_at(at: int) -> str:
        """Return the name behind a percent sign; empty if there is none."""
        behind = parts[at + 1 : at + 2]
        if draft.is_sign(at, "%") and behind:
            return behind[0].text
        return ""

    for at, token in enumerate(parts):
        if token.start < end:
            continue
        opens = token.word == "WITH" and draft.is_sign(at + 1, "{")
        closing = 0
        if opens:
            closing = draft.closing(at + 1)
        if closing and draft.word(closing + 1) == "AS" and name_at(closing + 2):
            inner = query[parts[at + 1].start : parts[closing].end]
            full = re.sub(
                r"\bINCLUDE\s+%(\w+)",
                lambda include: subqueries.get(include[1], include[0]),
                inner,
                flags=re.I,
            )
            if len(full) <= _LONGEST_INLINED:
                subqueries[name_at(closing + 2)] = full
            else:
                subqueries[name_at(closing + 2)] = inner
            text += query[end : token.start]
            end = parts[closing + 3].end
        elif token.word == "INCLUDE" and name_at(at + 1) in subqueries:
            text += query[end : token.start] + subqueries[name_at(at + 1)]
            end = parts[at + 2].end
        if len(text) > _LONGEST_INLINED:
            return None
    if not subqueries:
        return None
    return text + query[end:]


def unknown_prefixes(query: str) -> list[str]:
    """Return the prefixes that a query uses but that nothing declares, in order of use.

    >>> unknown_prefixes("PREFIX a: <http://x.org/> ASK { a:b dbo:c qb:d }")
    ['qb:']
    """
    return [
        prefix
        for prefix in undeclared_prefixes(decoded(query))
        if prefix[:-1] not in DEFAULT_PREFIXES
    ]


def _keywords(word: str) -> list[str]:
    """Return the keywords that are written together in a word; none for any other word."""
    words = []
    if _GLUED.fullmatch(word):
        words = _WORDS.findall(word)
    if "".join(words) == word:
        return words
    return []


def _expand(draft: Draft, prefixes: dict[str, str], base: str, *, bind_unknown: bool) -> None:
    """Write names as IRIs, and IRIs in full."""
    for at, token in enumerate(draft.tokens):
        if token.kind == "iri" and base:
            draft.texts[at] = f"<{resolved(base, token.text[1:-1])}>"
        if token.kind != "name" or token.text.startswith("_:"):
            continue
        declared = expanded_name(token.text, prefixes)
        usual = expanded_name(token.text, DEFAULT_PREFIXES)
        if declared is None and usual is not None:
            draft.note("undeclared-prefix")
        draft.texts[at] = declared or usual or token.text
        if declared is None and usual is None and bind_unknown:
            prefix = token.text.partition(":")[0]
            draft.texts[at] = str(expanded_name(token.text, {prefix: f"{UNKNOWN_PREFIX}{prefix}#"}))
            draft.note("unknown-prefix")


def _repair_operators(draft: Draft) -> None:
    """Write OR, AND and NOT as signs, and quote the number of ``2008^^xsd:integer``."""
    signs = {"OR": "||", "AND": "&&"}
    for at, token in enumerate(draft.tokens):
        if token.word in signs:
            draft.texts[at] = signs[token.word]
            draft.note("word-operator")
        elif token.word == "NOT" and draft.word(at + 1) not in {"IN", "EXISTS"}:
            draft.texts[at] = "!"
            draft.note("word-operator")
        elif token.kind == "number" and draft.is_sign(at + 1, "^") and draft.is_sign(at + 2, "^"):
            draft.texts[at] = f'"{token.text}"'
            draft.note("unquoted-literal")

"""Make the SPARQL of published data sets readable for strict parsers.

Data sets lean on what their endpoint forgives: aggregates without brackets, prefixes that nobody declares, ``OR`` for ``||``.
This module writes such a query in standard SPARQL 1.1 and says what it changed. It works on tokens, so that it also reads what no
parser accepts; a text that it does not understand comes back as it is.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urljoin

from qaldgen.sparql import Token, tokens

_NAMESPACES = {
    "http://dbpedia.org/ontology/": "dbo onto dbpedia-owl",
    "http://dbpedia.org/resource/": "dbr res dbpedia",
    "http://dbpedia.org/property/": "dbp prop dbpprop",
    "http://dbpedia.org/resource/Category:": "dbc",
    "http://dbpedia.org/class/yago/": "yago",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dct dcterms",
    "http://xmlns.com/foaf/0.1/": "foaf",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
    "http://www.w3.org/2002/07/owl#": "owl",
    "http://www.w3.org/2001/XMLSchema#": "xsd",
    "http://www.w3.org/2005/xpath-functions#": "fn",
    "http://www.w3.org/2004/02/skos/core#": "skos",
    "http://www.w3.org/2003/01/geo/wgs84_pos#": "geo",
    "http://www.georss.org/georss/": "georss",
    "http://schema.org/": "schema",
    "http://www.w3.org/ns/prov#": "prov",
    "http://www.wikidata.org/entity/": "wd",
    "http://www.wikidata.org/entity/statement/": "wds",
    "http://www.wikidata.org/prop/": "p",
    "http://www.wikidata.org/prop/direct/": "wdt",
    "http://www.wikidata.org/prop/direct-normalized/": "wdtn",
    "http://www.wikidata.org/prop/novalue/": "wdno",
    "http://www.wikidata.org/prop/statement/": "ps",
    "http://www.wikidata.org/prop/statement/value/": "psv",
    "http://www.wikidata.org/prop/statement/value-normalized/": "psn",
    "http://www.wikidata.org/prop/qualifier/": "pq",
    "http://www.wikidata.org/prop/qualifier/value/": "pqv",
    "http://www.wikidata.org/prop/qualifier/value-normalized/": "pqn",
    "http://www.wikidata.org/prop/reference/": "pr",
    "http://wikiba.se/ontology#": "wikibase",
    "http://www.bigdata.com/rdf#": "bd",
    "http://www.bigdata.com/queryHints#": "hint",
    "http://rdf.freebase.com/ns/": "ns fb",
}
#: Where each prefix leads if a query does not declare it.
DEFAULT_PREFIXES = {prefix: namespace for namespace, prefixes in _NAMESPACES.items() for prefix in prefixes.split()}
AGGREGATES = {"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"}
_TYPE = "://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_BRACKETS = {"(": ")", "{": "}", "[": "]"}
_OPERATORS = set("+-*/=<>!&|")
_MODIFIERS = {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES"}


class Repaired(NamedTuple):
    """A query in standard SPARQL, and what had to be changed for it.

    Attributes
    ----------
    text : str
        The query, without prologue, every prefixed name as a full IRI.
    repairs : tuple of str
        Codes, each once, in the order in which they came up: ``undeclared-prefix``, ``https-type``, ``word-operator`` (OR, AND,
        NOT), ``unquoted-literal``, ``comma``, ``bare-aggregate`` and ``bare-expression`` (brackets missing in SELECT or
        ORDER BY), ``alias-inside``, ``alias-taken`` (an alias that is a variable of its own expression), ``missing-alias``,
        ``order-by-aggregate`` and ``implicit-grouping`` (GROUP BY missing).
    """

    text: str
    repairs: tuple[str, ...]


@dataclasses.dataclass
class _Draft:
    """The tokens of a query, and what is to be written for each: the gap before it, and its text."""

    tokens: list[Token]
    gaps: list[str]
    texts: list[str]
    taken: set[str]
    repairs: dict[str, None] = dataclasses.field(default_factory=dict)

    def word(self, at: int) -> str:
        return self.tokens[at].word if at < len(self.tokens) else ""

    def is_sign(self, at: int, signs: str) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind == "other" and self.tokens[at].text in signs

    def calls(self, start: int, stop: int) -> bool:
        """Whether an aggregate is called between two tokens."""
        return any(self.word(at) in AGGREGATES and self.is_sign(at + 1, "(") for at in range(start, stop))

    def note(self, code: str) -> None:
        self.repairs[code] = None

    def drop(self, start: int, stop: int) -> None:
        for at in range(start, stop):
            self.gaps[at] = self.texts[at] = ""

    def closing(self, opening: int) -> int:
        """Return where the bracket is closed; the end of the query if it is not."""
        depth = 0
        for at in range(opening, len(self.tokens)):
            depth += self.is_sign(at, "({[") - self.is_sign(at, ")}]")
            if depth == 0:
                return at
        return len(self.tokens)

    def fresh(self, wanted: str) -> str:
        """Return a variable that the query does not have."""
        names = (wanted + suffix for suffix in ("", *(str(n) for n in range(2, len(self.taken) + 3))))
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return f"?{name}"


class _Item(NamedTuple):
    """One column of a SELECT clause: its expression, and where its alias stands behind it (-1 for none)."""

    start: int
    stop: int
    alias: int

    def is_variable(self, draft: _Draft) -> bool:
        """Whether it is a variable and nothing else."""
        return self.stop == self.start + 1 and self.alias < 0 and draft.tokens[self.start].kind == "var"


def repair(query: str, *, fix_https_type: bool = False) -> Repaired:
    """Write a query in standard SPARQL.

    Parameters
    ----------
    query
        The text as published; it is not touched.
    fix_https_type
        Also correct the IRI of rdf:type where it begins with https, an error of the published QaldGenData.

    Returns
    -------
    Repaired
        The new text and the repairs. Expanding declared prefixes, dropping comments and closing gaps in paths are no repairs.

    Examples
    --------
    >>> repair("SELECT DISTINCT COUNT(?x) WHERE { ?x a dbo:Film }")
    Repaired(text='SELECT DISTINCT (COUNT(?x) AS ?count) WHERE { ?x a <http://dbpedia.org/ontology/Film> }', \
repairs=('undeclared-prefix', 'bare-aggregate'))
    """
    found = _with_language_tags(tokens(query))
    start, prefixes, base = _prologue(found)
    body = found[start:]
    gaps = [query[before.end : token.start] for before, token in pairwise(body)]
    taken = {token.text[1:] for token in body if token.kind == "var"}
    draft = _Draft(body, ["", *(gap if not gap.strip() else "\n" for gap in gaps)], [token.text for token in body], taken)
    _expand(draft, prefixes, base)
    if fix_https_type:
        _fix_https_type(draft)
    _repair_operators(draft)
    _close_path_gaps(draft)
    for at in range(len(body)):
        if draft.word(at) == "SELECT":
            _repair_select(draft, at)
    text = "".join(gap + text for gap, text in zip(draft.gaps, draft.texts, strict=False))
    return Repaired(text, tuple(draft.repairs))


def _with_language_tags(found: list[Token]) -> list[Token]:
    """Give the word of a language tag its own kind: ``"x"@or`` is Odia, not an operator."""
    for at in range(1, len(found)):
        if found[at - 1].text == "@" and found[at].kind == "word" and found[at].start == found[at - 1].end:
            found[at] = found[at]._replace(kind="language")
    return found


def _prologue(found: list[Token]) -> tuple[int, dict[str, str], str]:
    """Read BASE and PREFIX; return where the query itself begins, the prefixes, and the base."""
    at, prefixes, base = 0, dict[str, str](), ""
    while at + 1 < len(found):
        if found[at].word == "BASE" and found[at + 1].kind == "iri":
            base = urljoin(base, found[at + 1].text[1:-1])
            at += 2
        elif found[at].word == "PREFIX" and at + 2 < len(found) and found[at + 2].kind == "iri":
            prefixes[found[at + 1].text.removesuffix(":")] = urljoin(base, found[at + 2].text[1:-1])
            at += 3
        else:
            break
    return at, prefixes, base


def _expand(draft: _Draft, prefixes: dict[str, str], base: str) -> None:
    for at, token in enumerate(draft.tokens):
        prefix, _, local = token.text.partition(":")
        if token.kind == "iri" and base:
            draft.texts[at] = f"<{urljoin(base, token.text[1:-1])}>"
        if token.kind != "name" or prefix == "_":
            continue
        if prefix not in prefixes and prefix in DEFAULT_PREFIXES:
            draft.note("undeclared-prefix")
        namespace = prefixes.get(prefix, DEFAULT_PREFIXES.get(prefix))
        if namespace is not None:
            name = re.sub(r"\\(.)", r"\1", local)
            draft.texts[at] = f"<{namespace}{name}>"


def _fix_https_type(draft: _Draft) -> None:
    for at, text in enumerate(draft.texts):
        if text == f"<https{_TYPE}>":
            draft.texts[at] = f"<http{_TYPE}>"
            draft.note("https-type")


def _repair_operators(draft: _Draft) -> None:
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


def _close_path_gaps(draft: _Draft) -> None:
    """Close the gap in ``iri *``: standard SPARQL, but rdflib refuses it."""
    for at in range(1, len(draft.tokens)):
        before = draft.tokens[at - 1]
        if draft.is_sign(at, "*+?") and (before.kind in {"iri", "name"} or before.text in {")", "a"}):
            draft.gaps[at] = ""


def _repair_select(draft: _Draft, at: int) -> None:
    """Repair one SELECT and the modifiers behind its group."""
    size = len(draft.tokens)
    head = next((i for i in range(at, size) if draft.word(i) in {"WHERE", "FROM"} or draft.is_sign(i, "{")), size)
    opening = next((i for i in range(head, size) if draft.is_sign(i, "{")), size)
    if opening == size:
        return
    items = list(_items(draft, at + 1, head))
    for item in items:
        _repair_item(draft, item)
    closing = draft.closing(opening)
    end = closing + 1
    while end < size and not draft.is_sign(end, "})"):
        end = draft.closing(end) + 1 if draft.is_sign(end, "({[") else end + 1
    end = min(end, size)
    order = next((i for i in range(closing, end) if draft.word(i) == "ORDER"), end)
    order_end = next((i for i in range(order + 1, end) if draft.word(i) in _MODIFIERS), end)
    _repair_order(draft, order + 2, order_end)
    elsewhere = draft.calls(at, head) or draft.calls(closing, order) or draft.calls(order_end, end)
    plain = [draft.tokens[item.start].text for item in items if item.is_variable(draft)]
    grouped = any(draft.word(i) == "GROUP" for i in range(closing, end))
    if plain and not grouped and (elsewhere or draft.calls(order, order_end)):
        draft.texts[closing] += f" GROUP BY {' '.join(plain)}"
        draft.note("implicit-grouping" if elsewhere else "order-by-aggregate")


def _items(draft: _Draft, at: int, head: int) -> Iterator[_Item]:
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
        alias = stop + 1 if draft.word(stop) == "AS" and stop + 1 < head else -1
        yield _Item(at, stop, alias)
        at = stop if alias < 0 else alias + 1


def _expression_end(draft: _Draft, at: int, limit: int) -> int:
    """Return where the operand at `at`, and what operators join to it, ends."""
    while at < limit:
        while at < limit and draft.is_sign(at, "+-!"):
            at += 1
        if at + 1 < limit and not draft.is_sign(at, "(") and draft.tokens[at].kind in {"word", "name", "iri"}:
            at += draft.is_sign(at + 1, "(")
        at = min(draft.closing(at), limit - 1) + 1 if draft.is_sign(at, "(") else at + 1
        if not (at < limit and draft.tokens[at].kind == "other" and draft.tokens[at].text in _OPERATORS):
            break
        while at < limit and draft.tokens[at].kind == "other" and draft.tokens[at].text in _OPERATORS:
            at += 1
    return min(at, limit)


def _repair_item(draft: _Draft, item: _Item) -> None:
    """Bring one column into the form ``?x`` or ``(expression AS ?x)``."""
    start, stop, alias = item
    size = stop - start
    if size == 1 and alias < 0:
        return
    bracketed = draft.is_sign(start, "(") and draft.closing(start) == stop - 1
    inside = next((i for i in range(start, stop - 2) if draft.word(i) == "AS" and draft.tokens[i + 1].kind == "var"), -1)
    if bracketed and inside == stop - 3:
        _free_alias(draft, start, inside, inside + 1)
        return
    if bracketed and size == 3 and alias < 0:
        draft.texts[start], draft.texts[stop - 1] = " ", " "
        draft.note("bare-expression")
        return
    name = draft.tokens[alias].text if alias > 0 else ""
    if alias > 0:
        draft.drop(stop, alias + 1)
    if inside > 0:
        name = draft.tokens[inside + 1].text
        draft.drop(inside, inside + 2)
        draft.note("alias-inside")
    name = _new_alias(draft, start, stop, inside) if _is_taken(draft, name, start, stop, inside) else name
    if bracketed and alias < 0:
        draft.texts[stop - 1] = f" AS {name})"
        draft.note("missing-alias")
        return
    draft.texts[start] = "(" + draft.texts[start]
    draft.texts[stop - 1] += f" AS {name})"
    draft.note("bare-aggregate" if draft.calls(start, stop) else "bare-expression")


def _is_taken(draft: _Draft, name: str, start: int, stop: int, inside: int) -> bool:
    """Whether an alias is missing or is a variable of its own expression."""
    used = {draft.tokens[i].text[1:] for i in range(start, stop) if draft.tokens[i].kind == "var" and i != inside + 1}
    return not name or name[1:] in used


def _new_alias(draft: _Draft, start: int, stop: int, inside: int) -> str:
    """Return ``?count`` for a COUNT and so on, ``?value`` for what is no aggregate."""
    called = (draft.word(i) for i in range(start, stop) if i != inside and draft.calls(i, i + 1))
    return draft.fresh(next(called, "value").lower())


def _free_alias(draft: _Draft, start: int, stop: int, alias: int) -> None:
    if _is_taken(draft, draft.tokens[alias].text, start, stop, -1):
        draft.texts[alias] = _new_alias(draft, start, stop, -1)
        draft.note("alias-taken")


def _repair_order(draft: _Draft, start: int, stop: int) -> None:
    """Drop commas between sort keys, and put what ASC and DESC apply to in brackets."""
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

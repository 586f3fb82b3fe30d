"""Tokenise a SPARQL query, and find its form, its clauses, and the patterns of its WHERE group.

The engines parse and run queries; this module only cuts their text, so that a query can be counted,
paged, and taken apart pattern by pattern.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urljoin

from qaldgen.errors import UsageError

#: An escaped code point.
ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
#: The characters with which names may begin, and those that may follow.
_NAME_START = (
    r"\w\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_IN_NAME = _NAME_START + r"\u00B7\u0300-\u036F\u203F\u2040"
_TOKEN = re.compile(
    rf"""
      (?P<comment>\#[^\r\n]*)
    # the look-ahead keeps the comparisons of ?a<?b&&?c>?d from being read as an IRI
    | (?P<iri><(?:[A-Za-z][\w+.\-]*:|(?![?$(\-]|[^<>]*&&))
               (?:[^<>"{{}}|^`\\\x00-\x20]|{ESCAPE})*>)
    | (?P<string>\"\"\"(?:[^"\\]|\\.|"(?!\"\"))*\"\"\" | '''(?:[^'\\]|\\.|'(?!''))*'''
               | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*')
    | (?P<var>[?$][{_NAME_START}][{_IN_NAME}]*)
    # prefixes end at 100 characters: without a bound, a long word is scanned again from each letter
    | (?P<name>(?:[^\W\d_](?:[{_IN_NAME}.\-]{{0,99}}[{_IN_NAME}\-])?|_)?:
               (?:(?:[{_NAME_START}:%]|\\[_~.\-!$&'()*+,;=/?\#@%])
                  (?:\.*(?:[{_IN_NAME}:%\-]|\\[_~.\-!$&'()*+,;=/?\#@%]))*)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<number>(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+\-]?[0-9]+|[0-9]*\.?[0-9]+)
    | (?P<other>\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_SPELT = re.compile(rf"\\\\|{ESCAPE}")
_BACKSLASH = re.compile(r"\\(.)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_FORMS = {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"}
_UPDATES = {"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"}
#: Keywords of elements with a group or data in braces.
_BLOCK_KEYWORDS = {"OPTIONAL", "MINUS", "GRAPH", "SERVICE", "VALUES"}


class Token(NamedTuple):
    """A token of a query: its kind (a group of ``_TOKEN``), its text, its start and end."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The keyword in capitals; empty for anything that is not a keyword."""
        return self.text.upper() if self.kind == "word" else ""


class Select(NamedTuple):
    """The clauses of a SELECT query, as text."""

    prologue: str
    projection: str
    dataset: str
    where: str
    tail: str


class Element(NamedTuple):
    """One element of a group: a triple pattern, or a whole FILTER, OPTIONAL, UNION, BIND, ...

    Attributes
    ----------
    kind : str
        ``TRIPLE``, ``GROUP`` (braces and UNION), or the keyword.
    text : str
        Its text.
    variables : frozenset of str
        Its variables, without ``?``.
    """

    kind: str
    text: str
    variables: frozenset[str]


def tokens(query: str) -> list[Token]:
    """Cut a query into tokens; white space and comments are left out."""
    return [
        Token(match.lastgroup or "", match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(query)
        if match.lastgroup != "comment"
    ]


def decoded(query: str) -> str:
    r"""Decode ``\\u`` escapes of letters, digits and characters that mean nothing to the syntax.

    Examples
    --------
    >>> decoded(r"\u0041SK { ?x ?y '\u0022' }")
    "ASK { ?x ?y '\\u0022' }"
    """
    return _SPELT.sub(_character, query) if "\\" in query else query


def _character(escape: re.Match[str]) -> str:
    # An escaped backslash has no number and stays as it is.
    number = int(escape[0][2:] or "0", 16)
    character = chr(number) if number <= sys.maxunicode else "\0"
    return (
        character
        if character.isalnum() or (number > 127 and character.isprintable())
        else escape[0]
    )


def query_form(query: str) -> str:
    """Return SELECT, ASK, CONSTRUCT, DESCRIBE or UPDATE; empty for any other text."""
    for token in _after_prologue(tokens(query)):
        if token.word in _FORMS:
            return token.word
        return "UPDATE" if token.word in _UPDATES else ""
    return ""


def split_select(query: str) -> Select:
    """Cut a SELECT query into prologue, projection, FROM, WHERE group and solution modifiers.

    Raises
    ------
    UsageError
        If the text is not a SELECT query with a group in braces.

    Examples
    --------
    >>> split_select("PREFIX : <http://x/> SELECT ?a { ?a :p ?b } LIMIT 3").where
    '?a :p ?b'
    """
    body = _after_prologue(tokens(query))
    # Brackets of the projection may hold EXISTS { }, which is not the WHERE group.
    opening = _group_start(body)
    if not body or body[0].word != "SELECT" or opening is None:
        raise UsageError(
            "the query is not a SELECT query; write SELECT ?qId ?feature ... WHERE { ... }"
        )
    closing = matching(body, opening)
    # The keyword WHERE is optional.
    head_end = opening - 1 if body[opening - 1].word == "WHERE" else opening
    dataset_start = next(
        (i for i, token in enumerate(body[:head_end]) if token.word == "FROM"), head_end
    )
    return Select(
        prologue=query[: body[0].start].rstrip(),
        projection=_text(query, body[:dataset_start]),
        dataset=_text(query, body[dataset_start:head_end]),
        where=_text(query, body[opening + 1 : closing]),
        tail=_text(query, body[closing + 1 :]),
    )


def question_variable(query: str, variables: Sequence[str]) -> str:
    """Return the variable that holds the question: ``?qId`` in any case, else the first.

    Parameters
    ----------
    query
        Text of the query, whose order of variables counts for ``SELECT *``.
    variables
        The variables that it returns, without ``?``.

    Examples
    --------
    >>> question_variable("SELECT * { ?q :length ?l }", ["l", "q"])
    'q'
    """
    for name in variables:
        # Variables of SPARQL are case-sensitive, but ?qid is nobody's name for anything else.
        if name.lower() == "qid":
            return name
    in_text = (token.text[1:] for token in tokens(query) if token.kind == "var")
    return next((name for name in in_text if name in variables), variables[0])


def undeclared_prefixes(query: str) -> list[str]:
    """Return the prefixes that a query uses and does not declare, in order of use."""
    found = tokens(query)
    declared = {after.text for token, after in pairwise(found) if token.word == "PREFIX"}
    used = (token.text[: token.text.index(":") + 1] for token in found if token.kind == "name")
    return [prefix for prefix in dict.fromkeys(used) if prefix not in declared and prefix != "_:"]


def name_blank_nodes(text: str) -> str:
    """Turn blank node labels into variables: the same in a pattern, but usable in several groups.

    Examples
    --------
    >>> name_blank_nodes("?q :origin _:o")
    '?q :origin ?blank_o'
    """
    labels = [
        token for token in tokens(text) if token.kind == "name" and token.text.startswith("_:")
    ]
    # From the end, so that the positions of earlier tokens stay valid.
    for token in reversed(labels):
        # Labels may contain dots and hyphens, variables may not.
        name = re.sub(r"[^0-9A-Za-z_]", "_", token.text[2:])
        text = f"{text[: token.start]}?blank_{name}{text[token.end :]}"
    return text


def count_rows(query: str) -> str:
    """Return the query that counts the rows of `query` in ``?qaldgenRows`` (unlikely to clash)."""
    return _wrap(query, "SELECT (COUNT(*) AS ?qaldgenRows)", "")


def page(query: str, variables: Sequence[str], limit: int, offset: int) -> str:
    """Return the query for one page of the rows of `query`, ordered by all its variables.

    Parameters
    ----------
    query
        Text of a SELECT query.
    variables
        Its variables; ordering by all of them makes pages consistent.
    limit, offset
        Number of rows, and number of rows to skip.
    """
    order = " ".join(f"?{name}" for name in variables)
    return _wrap(query, f"SELECT {order}", f"ORDER BY {order} LIMIT {limit} OFFSET {offset}")


def group_elements(where: str) -> list[Element]:
    """Cut the text of a WHERE group into its elements; ``s p o ; q r`` gives two triple patterns.

    Examples
    --------
    >>> [e.text for e in group_elements("?q :a ?x ; :b ?y . FILTER(?x > 1)")]
    ['?q :a ?x', '?q :b ?y', 'FILTER(?x > 1)']
    """
    rest, elements = tokens(where), list[Element]()
    # The group is a subquery as a whole.
    if rest and rest[0].word == "SELECT":
        return [_element("GROUP", f"{{ {_text(where, rest)} }}", rest)]
    while rest:
        if rest[0].text == ".":
            rest = rest[1:]
            continue
        keyword = rest[0].word
        if keyword in _BLOCK_KEYWORDS or keyword in {"FILTER", "BIND"} or rest[0].text == "{":
            size = _block_length(rest)
            elements.append(_element(keyword or "GROUP", _text(where, rest[:size]), rest[:size]))
        else:
            size = _statement_length(rest)
            elements.extend(_triple_patterns(where, rest[:size]))
        rest = rest[size:]
    return elements


def prologue(found: Sequence[Token]) -> tuple[int, dict[str, str], str]:
    """Read BASE and PREFIX; return the start of the query proper, the prefixes, and the base.

    Examples
    --------
    >>> prologue(tokens("BASE <http://x.org/> PREFIX a: <b#> ASK {}"))
    (5, {'a': 'http://x.org/b#'}, 'http://x.org/')
    """
    at, prefixes, base = 0, dict[str, str](), ""
    while at + 1 < len(found):
        if found[at].word == "BASE" and found[at + 1].kind == "iri":
            base = resolved(base, found[at + 1].text[1:-1])
            at += 2
        elif found[at].word == "PREFIX" and at + 2 < len(found) and found[at + 2].kind == "iri":
            prefixes[found[at + 1].text.removesuffix(":")] = resolved(
                base, found[at + 2].text[1:-1]
            )
            at += 3
        else:
            break
    return at, prefixes, base


def resolved(base: str, iri: str) -> str:
    """Resolve a relative IRI; without a valid base it stays as it is.

    Parameters
    ----------
    base
        The base IRI, or an empty string.
    iri
        The IRI, relative or absolute.

    Examples
    --------
    >>> resolved("http://x.org/a/", "b#")
    'http://x.org/a/b#'
    """
    try:
        full = urljoin(base, iri)
    except ValueError:
        return iri
    # `urljoin` drops an empty fragment.
    return f"{full}#" if iri.endswith("#") and not full.endswith("#") else full


def expanded_name(name: str, prefixes: Mapping[str, str]) -> str | None:
    r"""Return the IRI of a prefixed name, in angle brackets; None if the prefix is unknown.

    Parameters
    ----------
    name
        The prefixed name, with escapes.
    prefixes
        Prefix without colon to namespace.

    Examples
    --------
    >>> expanded_name("a:b\\,c", {"a": "http://x.org/"})
    '<http://x.org/b,c>'
    """
    prefix, _, local = name.partition(":")
    namespace = prefixes.get(prefix)
    return None if namespace is None else "<" + namespace + _BACKSLASH.sub(r"\1", local) + ">"


def _after_prologue(found: list[Token]) -> list[Token]:
    """Drop ``PREFIX p: <...>`` and ``BASE <...>`` from the front."""
    at = 0
    while at < len(found) and found[at].word in {"PREFIX", "BASE"}:
        at += 3 if found[at].word == "PREFIX" else 2
    return found[at:]


def _text(query: str, part: Sequence[Token]) -> str:
    """Return the text of consecutive tokens without comments, which would swallow what follows."""
    if not part:
        return ""
    pieces = [part[0].text]
    for before, token in pairwise(part):
        gap = query[before.end : token.start]
        # A gap with text is a comment; a line break separates as it did.
        pieces += [gap if not gap.strip() else "\n", token.text]
    return "".join(pieces)


def matching(found: Sequence[Token], opening: int) -> int:
    """Return the index of the bracket that closes another one.

    Parameters
    ----------
    found
        The tokens of a query.
    opening
        Index of the opening bracket.

    Raises
    ------
    UsageError
        If it is never closed.
    """
    closers: list[str] = []
    for at in range(opening, len(found)):
        text = found[at].text
        # A bracket inside a string or an IRI is part of that token and of another kind.
        if text in _CLOSING and found[at].kind == "other":
            closers.append(_CLOSING[text])
        elif closers and text == closers[-1] and found[at].kind == "other":
            closers.pop()
            if not closers:
                return at
    raise UsageError(
        f"the query has a {found[opening].text!r} without its {_CLOSING[found[opening].text]!r}"
    )


def _group_start(body: Sequence[Token]) -> int | None:
    """Return the start of the WHERE group: the first brace outside the projection's brackets."""
    at = 0
    while at < len(body):
        if body[at].text == "{":
            return at
        at = matching(body, at) + 1 if body[at].text == "(" else at + 1
    return None


def _wrap(query: str, projection: str, tail: str) -> str:
    parts = split_select(query)
    # A subquery cannot have a prologue or FROM; these stay outside.
    inner = f"{parts.projection} WHERE {{ {parts.where} }} {parts.tail}".rstrip()
    return (
        f"{parts.prologue}\n{projection} {parts.dataset} WHERE {{ {{ {inner} }} }} {tail}".strip()
    )


def _block_length(rest: Sequence[Token]) -> int:
    """Return the number of tokens of the FILTER, BIND, OPTIONAL, { } UNION { } ... at the front."""
    end = 0
    while True:
        # FILTER EXISTS { } ends with a brace, other filters with a bracket.
        braces = rest[0].word not in {"FILTER", "BIND"} or (
            len(rest) > 1 and rest[1].word in {"EXISTS", "NOT"}
        )
        opening = next(
            (i for i in range(end, len(rest)) if rest[i].text == ("{" if braces else "(")), None
        )
        if opening is None:
            return len(rest)
        end = matching(rest, opening) + 1
        # A chain of groups with UNION is one element.
        if end >= len(rest) or rest[end].word != "UNION":
            return end


def _statement_length(rest: Sequence[Token]) -> int:
    """Return the number of tokens before the dot or block that ends the first statement."""
    at = 0
    while at < len(rest):
        token = rest[at]
        if token.text == "." or token.word in _BLOCK_KEYWORDS or token.word in {"FILTER", "BIND"}:
            break
        if token.text == "{":
            break
        at = matching(rest, at) + 1 if token.kind == "other" and token.text in _CLOSING else at + 1
    # At least one token, so that a caller that cuts tokens off always comes to an end.
    return max(at, 1)


def _triple_patterns(where: str, statement: Sequence[Token]) -> Iterable[Element]:
    subject_length = matching(statement, 0) + 1 if statement[0].text in _CLOSING else 1
    subject, at = statement[:subject_length], subject_length
    parts: list[list[Token]] = [[]]
    while at < len(statement):
        if statement[at].text == ";":
            parts.append([])
            at += 1
            continue
        end = matching(statement, at) + 1 if statement[at].text in _CLOSING else at + 1
        parts[-1].extend(statement[at:end])
        at = end
    for part in parts:
        # `s p o ;` has an empty part after the last semicolon; a lone `[ :p ?x ]` has no part at
        # all and is still a pattern.
        if part or len(parts) == 1:
            text = f"{_text(where, subject)} {_text(where, part)}".strip()
            yield _element("TRIPLE", text, [*subject, *part])


def _element(kind: str, text: str, part: Sequence[Token]) -> Element:
    return Element(kind, text, frozenset(token.text[1:] for token in part if token.kind == "var"))

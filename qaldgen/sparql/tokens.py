"""Cut a SPARQL query into tokens, read its BASE and PREFIX, and expand its names."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urljoin

from qaldgen.errors import UsageError

#: An escaped code point.
ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
#: The characters with which names may begin, and the characters that may follow.
_NAME_START = (
    r"\w\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_IN_NAME = _NAME_START + r"\u00B7\u0300-\u036F\u203F\u2040"
# the look-ahead keeps the comparisons of ?a<?b&&?c>?d from being read as an IRI
_IRI = rf"""<(?:[A-Za-z][\w+.\-]*:|(?![?$(\-]|[^<>]*&&))(?:[^<>"{{}}|^`\\\x00-\x20]|{ESCAPE})*>"""
_LONG_STRING = r"""\"\"\"(?:[^"\\]|\\.|"(?!\"\"))*\"\"\"|\'\'\'(?:[^'\\]|\\.|'(?!\'\'))*\'\'\'"""
_STRING = r""""(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'"""
# prefixes end at 100 characters: without a bound, a long word is scanned again from each letter
_PREFIX = rf"(?:[^\W\d_](?:[{_IN_NAME}.\-]{{0,99}}[{_IN_NAME}\-])?|_)?:"
_ESCAPED_SIGN = r"\\[_~.\-!$&'()*+,;=/?#@%]"
_LOCAL_NAME = rf"(?:[{_NAME_START}:%]|{_ESCAPED_SIGN})(?:\.*(?:[{_IN_NAME}:%\-]|{_ESCAPED_SIGN}))*"
_NUMBER = r"(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+\-]?[0-9]+|[0-9]*\.?[0-9]+"
_TOKEN = re.compile(
    r"(?P<comment>#[^\r\n]*)"
    rf"|(?P<iri>{_IRI})"
    rf"|(?P<string>{_LONG_STRING}|{_STRING})"
    rf"|(?P<var>[?$][{_NAME_START}][{_IN_NAME}]*)"
    rf"|(?P<name>{_PREFIX}(?:{_LOCAL_NAME})?)"
    r"|(?P<word>[^\W\d]\w*)"
    rf"|(?P<number>{_NUMBER})"
    r"|(?P<other>\S)",
    re.DOTALL,
)
_BACKSLASH_OR_ESCAPE = re.compile(rf"\\\\|{ESCAPE}")
#: A backslash before a character of a prefixed name.
_ESCAPED_CHARACTER = re.compile(r"\\(.)")
CLOSING = {"(": ")", "[": "]", "{": "}"}
AGGREGATES = frozenset({"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"})


class Token(NamedTuple):
    """A token of a query."""

    kind: str  # the name of a group of ``_TOKEN``
    text: str
    start: int  # the index of its first character
    end: int  # the index behind its last character

    @property
    def word(self) -> str:
        """The keyword in capitals; empty for anything that is not a keyword."""
        if self.kind != "word":
            return ""
        return self.text.upper()


def tokenize(query: str) -> list[Token]:
    """Cut a query into tokens; white space and comments are left out."""
    return [
        Token(match.lastgroup or "", match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(query)
        if match.lastgroup != "comment"
    ]


def decode(query: str) -> str:
    r"""Decode ``\\u`` escapes of letters, digits and characters that mean nothing to the syntax.

    >>> decode(r"\u0041SK { ?x ?y '\u0022' }")
    "ASK { ?x ?y '\\u0022' }"
    """
    if "\\" not in query:
        return query
    return _BACKSLASH_OR_ESCAPE.sub(_decode_escape, query)


def _decode_escape(escape: re.Match[str]) -> str:
    # An escaped backslash has no number and stays as it is.
    number = int(escape[0][2:] or "0", 16)
    if number > sys.maxunicode:
        return escape[0]
    character = chr(number)
    if character.isalnum() or (number > 127 and character.isprintable()):
        return character
    return escape[0]


def text_of(query: str, tokens: Sequence[Token]) -> str:
    """Return the text of consecutive tokens, without comments, which would hide what follows."""
    if not tokens:
        return ""
    pieces = [tokens[0].text]
    for previous, token in pairwise(tokens):
        gap = query[previous.end : token.start]
        # A gap with text is a comment; a line break separates as it did.
        if gap.strip():
            gap = "\n"
        pieces += [gap, token.text]
    return "".join(pieces)


def closing_index(tokens: Sequence[Token], opening: int) -> int:
    """Return the index of the bracket that closes the one at `opening`."""
    expected: list[str] = []
    for index in range(opening, len(tokens)):
        text = tokens[index].text
        # A bracket inside a string or an IRI is part of that token and of another kind.
        if text in CLOSING and tokens[index].kind == "other":
            expected.append(CLOSING[text])
        elif expected and text == expected[-1] and tokens[index].kind == "other":
            expected.pop()
            if not expected:
                return index
    raise UsageError(
        f"the query has a {tokens[opening].text!r} without its {CLOSING[tokens[opening].text]!r}"
    )


def undeclared_prefixes(query: str) -> list[str]:
    """Return the prefixes that a query uses and does not declare, in order of use."""
    tokens = tokenize(query)
    names = (token.text for token in tokens if token.kind == "name")
    prefixes = dict.fromkeys(name[: name.index(":") + 1] for name in names)
    declared = {name.text for token, name in pairwise(tokens) if token.word == "PREFIX"}
    return [prefix for prefix in prefixes if prefix not in declared | {"_:"}]


class Prologue(NamedTuple):
    """What BASE and PREFIX declare."""

    length: int  # the number of their tokens
    prefixes: dict[str, str]  # the namespace of each prefix
    base: str


def read_prologue(tokens: Sequence[Token]) -> Prologue:
    """Read BASE and PREFIX at the beginning of a query.

    >>> read_prologue(tokenize("BASE <http://x.org/> PREFIX a: <b#> ASK {}"))
    Prologue(length=5, prefixes={'a': 'http://x.org/b#'}, base='http://x.org/')
    """
    index = 0
    prefixes: dict[str, str] = {}
    base = ""
    while index < len(tokens):
        keyword = tokens[index].word
        following = tokens[index + 1 : index + 3]
        if keyword == "BASE" and following and following[0].kind == "iri":
            base = resolve_iri(base, following[0].text[1:-1])
            index += 2
        elif keyword == "PREFIX" and len(following) == 2 and following[1].kind == "iri":
            name = following[0].text.removesuffix(":")
            prefixes[name] = resolve_iri(base, following[1].text[1:-1])
            index += 3
        else:
            break
    return Prologue(index, prefixes, base)


def resolve_iri(base: str, iri: str) -> str:
    """Resolve a relative IRI; without a valid base it stays as it is.

    >>> resolve_iri("http://x.org/a/", "b#")
    'http://x.org/a/b#'
    """
    try:
        full = urljoin(base, iri)
    except ValueError:
        return iri
    # `urljoin` drops an empty fragment.
    if iri.endswith("#") and not full.endswith("#"):
        return f"{full}#"
    return full


def expand_name(name: str, prefixes: Mapping[str, str]) -> str | None:
    r"""Return the IRI of a prefixed name, in angle brackets; None if the prefix is unknown.

    >>> expand_name("a:b\\,c", {"a": "http://x.org/"})
    '<http://x.org/b,c>'
    """
    prefix, _, local = name.partition(":")
    namespace = prefixes.get(prefix)
    if namespace is None:
        return None
    return "<" + namespace + _ESCAPED_CHARACTER.sub(r"\1", local) + ">"

"""Cut a SPARQL query into tokens; its BASE and PREFIX, and what they make of names."""

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
#: A backslash before a character of a prefixed name.
_BACKSLASH = re.compile(r"\\(.)")
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """A token of a query: its kind (a group of ``_TOKEN``), its text, its start and end."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The keyword in capitals; empty for anything that is not a keyword."""
        if self.kind != "word":
            return ""
        return self.text.upper()


def tokens(query: str) -> list[Token]:
    """Cut a query into tokens; white space and comments are left out."""
    return [
        Token(match.lastgroup or "", match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(query)
        if match.lastgroup != "comment"
    ]


def decoded(query: str) -> str:
    r"""Decode ``\\u`` escapes of letters, digits and characters that mean nothing to the syntax.

    >>> decoded(r"\u0041SK { ?x ?y '\u0022' }")
    "ASK { ?x ?y '\\u0022' }"
    """
    if "\\" not in query:
        return query
    return _SPELT.sub(_character, query)


def _character(escape: re.Match[str]) -> str:
    # An escaped backslash has no number and stays as it is.
    number = int(escape[0][2:] or "0", 16)
    if number > sys.maxunicode:
        return escape[0]
    character = chr(number)
    if character.isalnum() or (number > 127 and character.isprintable()):
        return character
    return escape[0]


def text_of(query: str, part: Sequence[Token]) -> str:
    """Return the text of consecutive tokens without comments, which would swallow what follows."""
    if not part:
        return ""
    pieces = [part[0].text]
    for before, token in pairwise(part):
        gap = query[before.end : token.start]
        # A gap with text is a comment; a line break separates as it did.
        if gap.strip():
            gap = "\n"
        pieces += [gap, token.text]
    return "".join(pieces)


def matching(parts: Sequence[Token], opening: int) -> int:
    """Return the index of the bracket that closes another one."""
    closers: list[str] = []
    for index in range(opening, len(parts)):
        text = parts[index].text
        # A bracket inside a string or an IRI is part of that token and of another kind.
        if text in CLOSING and parts[index].kind == "other":
            closers.append(CLOSING[text])
        elif closers and text == closers[-1] and parts[index].kind == "other":
            closers.pop()
            if not closers:
                return index
    raise UsageError(
        f"the query has a {parts[opening].text!r} without its {CLOSING[parts[opening].text]!r}"
    )


def undeclared_prefixes(query: str) -> list[str]:
    """Return the prefixes that a query uses and does not declare, in order of use."""
    parts = tokens(query)
    names = (token.text for token in parts if token.kind == "name")
    prefixes = dict.fromkeys(name[: name.index(":") + 1] for name in names)
    declared = {name.text for token, name in pairwise(parts) if token.word == "PREFIX"}
    return [prefix for prefix in prefixes if prefix not in declared | {"_:"}]


def prologue(parts: Sequence[Token]) -> tuple[int, dict[str, str], str]:
    """Read BASE and PREFIX; return the start of the query proper, the prefixes, and the base.

    >>> prologue(tokens("BASE <http://x.org/> PREFIX a: <b#> ASK {}"))
    (5, {'a': 'http://x.org/b#'}, 'http://x.org/')
    """
    index = 0
    prefixes: dict[str, str] = {}
    base = ""
    while index < len(parts):
        keyword = parts[index].word
        following = parts[index + 1 : index + 3]
        if keyword == "BASE" and following and following[0].kind == "iri":
            base = resolved(base, following[0].text[1:-1])
            index += 2
        elif keyword == "PREFIX" and len(following) == 2 and following[1].kind == "iri":
            name = following[0].text.removesuffix(":")
            prefixes[name] = resolved(base, following[1].text[1:-1])
            index += 3
        else:
            break
    return index, prefixes, base


def resolved(base: str, iri: str) -> str:
    """Resolve a relative IRI; without a valid base it stays as it is.

    >>> resolved("http://x.org/a/", "b#")
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


def expanded_name(name: str, prefixes: Mapping[str, str]) -> str | None:
    r"""Return the IRI of a prefixed name, in angle brackets; None if the prefix is unknown.

    >>> expanded_name("a:b\\,c", {"a": "http://x.org/"})
    '<http://x.org/b,c>'
    """
    prefix, _, local = name.partition(":")
    namespace = prefixes.get(prefix)
    if namespace is None:
        return None
    return "<" + namespace + _BACKSLASH.sub(r"\1", local) + ">"

"""Step through the tokens of a query; every demand that is not met is a `NotSparqlError`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from qaldgen.sparql.grammar.tree import Group, Query
from qaldgen.sparql.tokens import Token


class NotSparqlError(ValueError):
    """A text that is not SPARQL; the message says what is wrong, and before which words."""


class Nested(NamedTuple):
    """The parsers of the content of braces, which is recursive.

    An expression can hold a group, a group a query.
    """

    group: Callable[[Cursor], Group]
    sub_query: Callable[[Cursor], Query]


class Cursor:
    """A place among the tokens of a query.

    Parameters
    ----------
    query
        The text.
    tokens
        Its tokens behind the prologue.
    prefixes
        What the prologue declares.
    nested
        The readers of groups and sub-queries.
    """

    def __init__(
        self, query: str, tokens: Sequence[Token], prefixes: Mapping[str, str], nested: Nested
    ) -> None:
        self._query = query
        self._tokens = [*tokens, Token("end", "", len(query), len(query))]
        self._at = 0
        self._blank = count()
        self.prefixes, self.nested = prefixes, nested

    @property
    def token(self) -> Token:
        """The token at this place; an empty one behind the end."""
        return self._tokens[self._at]

    def ahead(self) -> Token:
        """Return the token behind this one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Return the token at this place and go on."""
        token = self._tokens[self._at]
        self._at += token.kind != "end"
        return token

    def touches(self) -> bool:
        """Whether nothing stands between this token and the one before it."""
        return self._at > 0 and self._tokens[self._at - 1].end == self.token.start

    def sees(self, signs: str) -> bool:
        """Whether these signs stand here, one right behind the other."""
        at = self._at
        for offset, sign in enumerate(signs):
            token = self._tokens[min(at + offset, len(self._tokens) - 1)]
            if (
                token.kind != "other"
                or token.text != sign
                or token.start != self.token.start + offset
            ):
                return False
        return True

    def accept(self, signs: str) -> bool:
        """Go past these signs if they stand here."""
        found = self.sees(signs)
        if found:
            self._at += len(signs)
        return found

    def accept_word(self, *words: str) -> str:
        """Go past one of these keywords, and return it, if it stands here."""
        word = self.token.word
        if word not in words or not word:
            return ""
        self._at += 1
        return word

    def expect(self, signs: str) -> None:
        """Go past these signs."""
        if not self.accept(signs):
            raise self.error(repr(signs))

    def expect_word(self, word: str) -> None:
        """Go past this keyword."""
        if not self.accept_word(word):
            raise self.error(word)

    def error(self, expected: str) -> NotSparqlError:
        """Return the error that something else is expected here."""
        rest = self._query[self.token.start : self.token.start + 200].split()
        place = f"before {' '.join(rest[:4])[:40]!r}" if rest else "at its end"
        return NotSparqlError(f"the query does not parse {place}: {expected} is expected")

    def fresh_blank(self) -> str:
        """Return the label of a new blank node, which no label of the text can be."""
        return f"_:{next(self._blank)} "

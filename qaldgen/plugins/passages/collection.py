"""Passages, and collections of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple


class Passage(NamedTuple):
    """A stretch of text that may hold an answer.

    Attributes
    ----------
    id : str
        Unique in its collection.
    text : str
        The text.
    title : str
        Of the article; empty for none.
    origin : str
        The paragraph from which it was cut; empty where it was not cut.
    start : int
        Where it begins there, in characters.
    """

    id: str
    text: str
    title: str = ""
    origin: str = ""
    start: int = 0


@dataclasses.dataclass(frozen=True, eq=False)
class Collection:
    """The passages that are searched.

    Attributes
    ----------
    name : str
        What to call it.
    passages : tuple of Passage
        In the order of the file, which decides among equal scores.
    sha256 : str
        Of the file; of a folder that of its texts.
    notes : tuple of str
        What a user should know: what was left out, and why.
    """

    name: str
    passages: tuple[Passage, ...]
    sha256: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Passage]:
        """The passages by id."""
        return {passage.id: passage for passage in self.passages}

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Collection {self.name}: {len(self.passages):,} passages>"

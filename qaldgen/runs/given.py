"""What all readers of runs share: what they find, and the sentences about what they met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from qaldgen.model import QuestionSet
from qaldgen.runs.record import Response


class Given(NamedTuple):
    """One response of a file, the question's text as the file repeats it, and which try it is.

    Empty if it does not say.
    """

    response: Response
    text: str = ""
    repeat: str = ""


#: What remarks on a run are about, for programs.
DUPLICATE_ID, GERBIL_REFUSES = "duplicate-id", "gerbil-refuses"


class Found(NamedTuple):
    """What a reader found.

    The responses in the order of the file, and what a user should know, without the path.
    """

    given: Sequence[Given]
    notes: Sequence[str] = ()


class Asked(NamedTuple):
    """What the caller says.

    The questions that were asked, the language of a file with several, and the filter of a log.
    """

    gold: QuestionSet | None
    language: str
    filter: str = ""


def sentences(remarks: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each remark: how many questions it is about, and the first.

    Examples
    --------
    >>> sentences({"have no id": ["3", "4"]})
    ['2 questions have no id (first: 3)']
    """
    return [
        f"{count(len(ids), 'question')} {remark} (first: {ids[0]})"
        for remark, ids in remarks.items()
    ]


def count(number: int, noun: str) -> str:
    """Return ``1 question`` or ``1,200 questions``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def some(names: Iterable[str]) -> str:
    """Show the first three names."""
    names = list(names)
    return ", ".join(repr(name[:40]) for name in names[:3]) + (", ..." if len(names) > 3 else "")

"""Runs of retrievers in the form of TREC: question, Q0, passage, rank, score, name of the run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.errors import DataError

_BLANK = re.compile(r"\s")


class Hit(NamedTuple):
    """A passage that was found.

    Attributes
    ----------
    passage : str
        Its id.
    score : float
        The higher, the better.
    """

    passage: str
    score: float


#: By question id, the best passage first.
Found: TypeAlias = Mapping[str, Sequence[Hit]]


def dump_trec(found: Found, name: str) -> str:
    r"""Return a run in the form of TREC.

    Programs that read it sort by the score and break ties in their own way; so of equal scores each
    is written a little lower than the one before it.

    Parameters
    ----------
    found
        What was found.
    name
        Of the run, without blanks.

    Raises
    ------
    DataError
        If an id has a blank, which the form cannot hold.

    Examples
    --------
    >>> dump_trec({"q1": [Hit("a", 2.0), Hit("b", 2.0)]}, "bm25")
    'q1 Q0 a 1 2.000000 bm25\nq1 Q0 b 2 1.999999 bm25\n'
    """
    lines = []
    for question, hits in found.items():
        last = math.inf
        for rank, hit in enumerate(hits, 1):
            for one in (question, hit.passage):
                if _BLANK.search(one) or not one:
                    raise DataError(
                        f"the id {one!r} has a blank or is empty, which runs of TREC cannot hold;"
                        " change the id"
                    )
            last = min(round(hit.score, 6), round(last - 1e-6, 6))
            lines.append(f"{question} Q0 {hit.passage} {rank} {last:.6f} {_BLANK.sub('_', name)}\n")
    return "".join(lines)


def read_trec(lines: Iterable[str], where: str) -> dict[str, list[Hit]]:
    """Return what a run found, sorted as trec_eval does.

    By score, of equal scores by the id, both from high to low.

    Parameters
    ----------
    lines
        The lines of the file.
    where
        Its name, for messages.

    Raises
    ------
    DataError
        If a line has not six columns, a score is no number, or a passage stands twice for one
        question.
    """
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 6:
            raise DataError(
                f"{where}: line {number}: has {len(parts)} columns; TREC's runs have six: question"
                " Q0 passage rank score name"
            )
        try:
            score = float(parts[4])
        except ValueError:
            score = math.nan
        if math.isnan(score):
            raise DataError(
                f"{where}: line {number}: the score is {parts[4]!r}; a number is expected"
            )
        own = found.setdefault(parts[0], {})
        if parts[2] in own:
            raise DataError(
                f"{where}: line {number}: passage {parts[2]} stands twice for question {parts[0]}"
            )
        own[parts[2]] = score
    return {
        question: [
            Hit(name, own[name])
            for name in sorted(own, key=lambda one: (own[one], one), reverse=True)
        ]
        for question, own in found.items()
    }

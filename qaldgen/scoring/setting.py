"""When an answer is right: the options of every verb that scores, as one record."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from qaldgen.scoring.judging import JUDGE, Verdicts
from qaldgen.scoring.resolving import AUTO, Resolved


@dataclasses.dataclass(frozen=True)
class Scoring:
    """When an answer is right.

    Attributes
    ----------
    match : str or Verdicts
        A key of `qaldgen.scoring.matchers.MATCHERS`, what `judge` returned, or ``auto``.
    same_as : str
        ``none`` or ``offline``: whether GERBIL's rules see through other IRIs of the same thing.
    language : str
        The language of the experiment.
    aliases : mapping, file or None
        Aliases of gold answers, for text answers.
    labels : str
        Where gold answers that are IRIs get their names.
    extract : str
        How to find the answer in a free-text reply.
    repeats_as : str or None
        How several answers to one question count; None for the mean of samples.
    """

    match: str | Verdicts | Resolved = AUTO
    same_as: str = "none"
    language: str = "en"
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None
    labels: str = ""
    extract: str = "auto"
    repeats_as: str | None = None

    @property
    def matcher(self) -> str:
        """The name of the matcher."""
        if isinstance(self.match, str):
            return self.match
        return self.match.match if isinstance(self.match, Resolved) else JUDGE

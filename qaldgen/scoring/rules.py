"""The rules of judging: when an answer is right."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.defaults import LANGUAGE

if TYPE_CHECKING:
    from qaldgen.scoring.guesses import Prior
    from qaldgen.scoring.verdicts import Verdicts
    from qaldgen.scoring.words.gold_names import Aliases

#: The name that chooses the matcher of each question by its gold answers and the answer.
AUTO = "auto"


class Rules(NamedTuple):
    """When an answer is right: what a user chose, and what matchers need to know.

    Attributes
    ----------
    match : str
        A key of `MATCHERS`, or ``auto``.
    same_as : str
        A key of `SAME_AS`: whether GERBIL's rules recognise other IRIs of the same thing.
    language : str
        Language of answers in words.
    aliases : mapping or None
        Further accepted names of gold answers.
    extract : str
        A key of `qaldgen.scoring.words.extraction.EXTRACTIONS`: how the answer is found in a reply
        in words.
    repeats_as : str or None
        How several answers to one question count; None for the mean of samples.
    verdicts : Verdicts or None
        What a judge says of the answers.
    prior : Prior or None
        How probable answers of the run are right before they are read, which is learnt from each
        run; None for that of the answers that the model of verdicts was fitted to.
    """

    match: str = AUTO
    same_as: str = "none"
    language: str = LANGUAGE
    aliases: Aliases | None = None
    extract: str = "auto"
    repeats_as: str | None = None
    verdicts: Verdicts | None = None
    prior: Prior | None = None

    @property
    def unusual(self) -> str:
        """The rules beside the matcher that are not the usual ones, in words.

        >>> Rules("contains", language="de", extract="raw").unusual
        'language de, extract raw'
        """
        usual, lines = Rules(), list[str]()
        for field in ("same_as", "language", "extract"):
            if getattr(self, field) != getattr(usual, field):
                lines.append(f"{field} {getattr(self, field)}")
        if self.aliases:
            text = json.dumps({key: sorted(self.aliases[key]) for key in sorted(self.aliases)})
            lines.append(f"aliases {sha256(text.encode()).hexdigest()[:16]}")
        return ", ".join(lines)

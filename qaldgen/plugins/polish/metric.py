"""The metric of PolEval 2021, task 4, as GEval computes it.

The organisers ran GEval with ``LenientHarden/ExtractNumber/Lower/Fuzzy/Accuracy``. Read from its
source (``MatchingSpecification.hs``, ``MetricsMechanics.hs``): a variant that contains a number
accepts an answer whose number is the same string; any other variant accepts an answer within an
edit distance of half its length, lower-cased. The paper says "less than half" and "numerical
questions"; only the reading here gives the published scores, see docs/plugins/polish.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from qaldgen.scoring.first_number import SPACE, number_in

#: When numbers decide: if the variant has one (GEval), if both texts have one, or if the numbers
#: are equal (otherwise the text decides).
NUMBERS = ("gold", "both", "either")


class Reading(NamedTuple):
    """How the rules are read.

    Attributes
    ----------
    strict : bool
        The distance must stay below half the length, as the paper says; GEval accepts half.
    numbers : str
        One of `NUMBERS`.
    """

    strict: bool = False
    numbers: str = "gold"


#: The rules by which the task was scored.
GEVAL = Reading()


class Verdict(NamedTuple):
    """The verdict on one variant.

    Attributes
    ----------
    accepted : bool
        Whether the answer is right by this variant.
    variant : str
        The variant.
    rule : str
        The rule that decided, with its numbers, for people.
    """

    accepted: bool
    variant: str
    rule: str

    def __str__(self) -> str:
        """Return one line."""
        return f"{'accepted' if self.accepted else 'rejected'} by {self.variant!r}: {self.rule}"


def lower(text: str) -> str:
    """Return a text in lower case, character by character as Haskell does.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        As long as `text`: Python would turn one İ into two characters.
    """
    return (
        text.lower()
        if text.isascii()
        else "".join("i" if char == "İ" else char.lower() for char in text)
    )


def judge(variants: Sequence[str], answer: str, reading: Reading = GEVAL) -> list[Verdict]:
    r"""Return the verdict on each variant, up to the first that accepts the answer.

    Parameters
    ----------
    variants
        The accepted answers. White space is stripped from the line as a whole: before the first and
        after the last variant.
    answer
        The whole answer; its outer white space is stripped too.
    reading
        How the rules are read.

    Returns
    -------
    list of Verdict
        The answer is right if the last one accepts it; empty if there are no variants.

    Examples
    --------
    >>> print(*judge(["Jan III Sobieski", "Sobieski"], "Jan Sobieski"), sep="\n")
    rejected by 'Jan III Sobieski': number 3, the answer has none
    accepted by 'Sobieski': text, 4 edits of at most 4
    """
    verdicts = []
    own = answer.strip(SPACE)
    for variant in "\t".join(variants).strip(SPACE).split("\t") if variants else ():
        verdicts.append(_verdict(variant, own, reading))
        if verdicts[-1].accepted:
            break
    return verdicts


def _verdict(variant: str, answer: str, reading: Reading) -> Verdict:
    gold, given = number_in(variant), number_in(answer)
    if gold is not None and gold == given:
        return Verdict(True, variant, f"number {gold}")
    if gold is not None and (
        reading.numbers == "gold" or (reading.numbers == "both" and given is not None)
    ):
        return Verdict(False, variant, f"number {gold}, the answer has {given or 'none'}")
    most = allowed_edits(variant, reading)
    edits = Levenshtein.distance(lower(variant), lower(answer))
    if edits <= most:
        return Verdict(True, variant, f"text, {edits} edits of at most {most}")
    return Verdict(False, variant, f"text, {edits} edits, at most {max(most, 0)} are allowed")


def allowed_edits(variant: str, reading: Reading = GEVAL) -> int:
    """Return how many edits an answer may be away from a variant.

    Parameters
    ----------
    variant
        An accepted answer.
    reading
        How the rules are read.

    Returns
    -------
    int
        Below 0 if no answer can be accepted, as for an empty variant.

    Examples
    --------
    >>> allowed_edits("alfa"), allowed_edits("alfa", Reading(strict=True)), allowed_edits("")
    (2, 1, -1)
    """
    size = len(lower(variant))
    return (size - 1) // 2 if reading.strict or not size else size // 2


def accepts(variants: Sequence[str], answer: str, reading: Reading = GEVAL) -> bool:
    """Tell whether an answer is right.

    Parameters
    ----------
    variants, answer, reading
        See `judge`.

    Returns
    -------
    bool
        False if there are no variants.

    Examples
    --------
    >>> accepts(["mniejsza"], "większa"), accepts(["mniejsza"], "większa", Reading(strict=True))
    (True, False)
    """
    verdicts = judge(variants, answer, reading)
    return bool(verdicts) and verdicts[-1].accepted

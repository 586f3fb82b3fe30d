"""The metric of PolEval 2021, task 4, as GEval computes it, as a matcher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz.distance import Levenshtein

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.submission import SPACE, number_in, said
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import Aliases, boolean_wordings, gold_cells, wordings

#: When numbers decide: if the variant has one (GEval), if both texts have one, or if the numbers
#: are equal (otherwise the text decides).
NUMBERS = ("gold", "both", "either")


class Reading(NamedTuple):
    """How the rules are read."""

    #: The distance must stay below half the length, as the paper says; GEval accepts half.
    strict: bool = False
    numbers: str = "gold"  # one of `NUMBERS`


#: The rules by which the task was scored.
GEVAL = Reading()


class Verdict(NamedTuple):
    """The verdict on one variant."""

    accepted: bool  # whether the answer is right by this variant
    variant: str  # the variant
    rule: str  # the rule that decided, with its numbers, for people

    def __str__(self) -> str:
        """Return one line."""
        return f"{'accepted' if self.accepted else 'rejected'} by {self.variant!r}: {self.rule}"


def lower(text: str) -> str:
    """Return a text in lower case, character by character as Haskell does."""
    return (
        text.lower()
        if text.isascii()
        else "".join("i" if char == "İ" else char.lower() for char in text)
    )


def judge(variants: Sequence[str], answer: str, reading: Reading = GEVAL) -> list[Verdict]:
    r"""Return the verdict on each variant, up to the first that accepts the answer.

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

    >>> allowed_edits("alfa"), allowed_edits("alfa", Reading(strict=True)), allowed_edits("")
    (2, 1, -1)
    """
    size = len(lower(variant))
    return (size - 1) // 2 if reading.strict or not size else size // 2


def accepts(variants: Sequence[str], answer: str, reading: Reading = GEVAL) -> bool:
    """Tell whether an answer is right.

    >>> accepts(["mniejsza"], "większa"), accepts(["mniejsza"], "większa", Reading(strict=True))
    (True, False)
    """
    verdicts = judge(variants, answer, reading)
    return bool(verdicts) and verdicts[-1].accepted


if TYPE_CHECKING:
    pass


def variants(
    question: Question, language: str = "pl", aliases: Aliases | None = None
) -> tuple[str, ...]:
    """Return the accepted answers to a question: the variants in the data, unchanged."""
    answers, table = question.answers, aliases or {}
    if answers is None:
        return ()
    if answers.boolean is not None:
        return boolean_wordings(answers.boolean, language)
    cells = [text for cell in gold_cells(answers) for text in wordings(cell, aliases)]
    own = [text for row in answers.texts for text in row]
    return (
        *cells,
        *own,
        *(text for row in answers.texts for name in row[:1] for text in table.get(name, ())),
    )


def poleval_match(
    question: Question,
    response: Response,
    *,
    language: str = "pl",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
    reading: Reading = GEVAL,
) -> Count:
    """Tell whether the answer is right by PolEval's metric.

    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("w XVI", "16"),)))
    >>> poleval_match(question, Response("1", answers=Answers(texts=(("w XVI wieku",),))))
    Count(tp=1, fp=0, fn=0)
    """
    gold, answer = variants(question, language, aliases), said(response, language, extract)
    if accepts(gold, answer, reading):
        return Count(1, 0, 0)
    return Count(0, int(bool(answer)), 1)


def explain(
    question: Question,
    response: Response,
    *,
    language: str = "pl",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
    reading: Reading = GEVAL,
) -> list[Verdict]:
    """Return the variant and rule that accepted an answer, or why each variant rejected it."""
    verdicts = judge(
        variants(question, language, aliases), said(response, language, extract), reading
    )
    return verdicts[-1:] if verdicts and verdicts[-1].accepted else verdicts


def same_text(gold: Sequence[str], answer: str) -> bool:
    """Tell whether an answer equals a variant letter by letter, except for case."""
    return lower(answer) in {lower(variant.strip(SPACE)) for variant in gold}

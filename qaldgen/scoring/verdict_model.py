"""How probable a verdict on an answer in words is: a logistic regression over its signs.

The weights are a table, `words/data/verdict_model.json`; `benchmarks/text_agreement.py --fit` makes
it from answers judged by people. They say how much more often a sign is seen on right answers than
on wrong ones; how many are right to begin with, the prior, differs from run to run and is learnt
from each (`qaldgen.scoring.guesses`).
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from qaldgen.answers.record import Response
from qaldgen.defaults import LANGUAGE
from qaldgen.model import Question
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.contains import index_gold
from qaldgen.scoring.words.extraction import Extractor, says_anything
from qaldgen.scoring.words.gold_names import (
    Aliases,
    GoldKey,
    cannot_be_named,
    given_texts,
    gold_size,
)
from qaldgen.scoring.words.phrases import reading_languages
from qaldgen.scoring.words.reading import is_abstention
from qaldgen.scoring.words.signs import SIGNS, SURROUNDINGS, Signs, signs_of
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.yes_no import is_negated

#: A verdict with a smaller probability is a guess; the others are sure.
MIN_SURE = 0.9
#: The highest probability of "right" with a sign of `SURROUNDINGS`, or where the rules say wrong.
MAX_UNSURE = 0.89
#: The same where yes or no is asked and the answer says the opposite, or neither (judges accept 4
#: of 55).
MAX_UNTRUE = 0.25
#: The lowest probability of "right" where the rules say wrong: no sign shows a synonym.
MIN_MISSED = 0.02
#: How probable it is that an abstention is right where the gold says, or allows to say, that there
#: is no answer.
_ABSTENTION = 0.8


class VerdictModel(NamedTuple):
    """The weights of the signs, and how far runs differ.

    Attributes
    ----------
    right, wrong : mapping of str to float
        By sign, or kind of gold answer, its weight where the rules say right, and wrong.
    prior, spread : float
        The log-odds that an answer is right, over runs: their mean and standard deviation.
    doubt : float
        How far the expected share is from the true one in another data set, in standard deviations
        of one answer.
    missed : float
        How far, in another data set, the share that people accept of the answers judged wrong is
        above what is expected of them.
    worth : int
        How many answers, at most, those of one run are worth when its prior is learnt.
    fitted : str
        How the table was made.
    """

    right: Mapping[str, float]
    wrong: Mapping[str, float]
    prior: float
    spread: float
    doubt: float
    missed: float
    worth: int
    fitted: str


@functools.cache
def fitted_model() -> VerdictModel:
    """Return the model that is part of the package."""
    path = files("qaldgen.scoring.words").joinpath("data", "verdict_model.json")
    return VerdictModel(**json.loads(path.read_text(encoding="utf-8")))


class SignEvidence(NamedTuple):
    """The evidence of the signs of an answer.

    Attributes
    ----------
    log_odds : float
        How much the signs speak for the answer, where half of all answers are right.
    max_chance : float
        The highest probability of "right", whatever the prior: below `MIN_SURE` where the rules say
        wrong, or where words around the name are a sign against it.
    sign : str
        The strongest sign that the verdict by the rules is wrong, a key of `SIGNS`; maybe none.
    is_right_by_rules : bool
        Whether the answer is right by the rules.
    """

    log_odds: float
    max_chance: float = 1.0
    sign: str = ""
    is_right_by_rules: bool = True

    def chance(self, prior: float) -> float:
        """Return the probability that the answer is right in a run with a prior in log-odds."""
        odds = self.log_odds + prior
        chance = 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
        if self.is_right_by_rules:
            return self.max_chance * chance  # the surer, the closer to the bound
        return max(MIN_MISSED, min(self.max_chance, chance))


class Verdict(NamedTuple):
    """The verdict on an answer."""

    counts: Count  # by best guess
    probability: float = 1.0  # that the guess is right
    sign: str = ""  # the sign that the guess is wrong, a key of `SIGNS`

    @property
    def doubt(self) -> str:
        """Say why the verdict is a guess; empty if it is sure."""
        if self.probability >= MIN_SURE:
            return ""
        return f"a guess: {SIGNS.get(self.sign, 'rules tell little of such answers')}"


def likelier_verdict(chance: float, evidence: SignEvidence | None = None) -> Verdict:
    """Return the more probable verdict on an answer that is right with this probability.

    It has the sign of the evidence if it is the verdict by the rules.
    """
    is_right = chance > 1 / 2
    sign = ""
    if evidence is not None and evidence.is_right_by_rules == is_right:
        sign = evidence.sign
    if is_right:
        return Verdict(Count(1, 0, 0), chance, sign)
    return Verdict(Count(0, 1, 1), 1 - chance, sign)


@dataclasses.dataclass(frozen=True, eq=False)
class _AnswerKey(GoldKey):
    """An answer as the key of a cache."""

    response: Response
    extract: Extractor | None


def evidence_on(
    question: Question,
    response: Response,
    *,
    language: str = LANGUAGE,
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> SignEvidence | Verdict | None:
    """Return the evidence on an answer, or a verdict that needs none.

    None if there are no rules to judge the answer.

    >>> from qaldgen.model import Answers
    >>> question = Question("1", {"en": ("Who?",)}, answers=Answers(texts=(("Ada Mill",),)))
    >>> texts = ("Ada Mill", "Perhaps Ada Mill", "Ada Myll", "Zoe")
    >>> responses = [Response("1", answers=Answers(texts=((text,),))) for text in texts]
    >>> [evidence_on(question, response).chance(0.0) > 0.5 for response in responses]
    [True, True, False, False]
    """
    return _evidence(_AnswerKey(question, aliases, language, response=response, extract=extract))


@functools.lru_cache(maxsize=1 << 16)
def _evidence(answer: _AnswerKey) -> SignEvidence | Verdict | None:
    question, language = answer.question, answer.language
    gold = index_gold(GoldKey(question, answer.aliases, language))
    texts = given_texts(answer.response, answer.extract, answer.aliases, gold.names)
    text = "\n".join(texts)
    has_gold = bool(gold_size(question))
    if not says_anything(text):
        return Verdict(Count(0, 0, int(has_gold)))
    if not has_gold:
        # the gold says that there is no answer: an abstention may mean it
        tags = reading_languages(language)
        if is_abstention(tokens(text)) or any(is_negated(text, tag) for tag in tags):
            return Verdict(Count(0, 0, 0), _ABSTENTION, "hedge")
        return Verdict(Count(0, 1, 0))
    if cannot_be_named(question, answer.response, answer.aliases):
        return None
    signs = signs_of(gold, text)
    if signs is None:
        return None
    if gold.allows_abstention and not signs.right and is_abstention(tokens(text)):
        return Verdict(Count(1, 0, 0), _ABSTENTION, "hedge")
    return weigh_signs(signs, fitted_model())


def weigh_signs(signs: Signs, model: VerdictModel) -> SignEvidence:
    """Return what the signs of an answer are worth as evidence, by the weights of a model."""
    weights = model.right if signs.right else model.wrong
    terms = {name: weights.get(name, 0.0) * value for name, value in signs.signs.items() if value}
    log_odds = weights["all"] + weights.get(signs.kind, 0.0) + sum(terms.values())
    # how much each sign speaks against the verdict by the rules
    direction = -1 if signs.right else 1
    doubts = {name: direction * term for name, term in terms.items() if name in SIGNS}
    sign = max(doubts, key=lambda name: doubts[name], default="")
    if doubts.get(sign, 0.0) <= 0:
        sign = ""
    surroundings = [name for name in doubts if name in SURROUNDINGS]
    if signs.right and surroundings:
        sign = surroundings[0]
    return SignEvidence(log_odds, max_chance_of(signs), sign, signs.right)


def max_chance_of(signs: Signs) -> float:
    """Return the highest probability of "right" that these signs allow."""
    is_only_implied = signs.signs["unsaid"] and not signs.signs["silent"]
    if signs.kind == "yes or no" and not signs.right and not is_only_implied:
        return MAX_UNTRUE
    has_surroundings = any(signs.signs.get(name) for name in SURROUNDINGS)
    return MAX_UNSURE if has_surroundings or not signs.right else 1.0

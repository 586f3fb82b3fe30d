"""PolEval 2021, task 4: its metric, further measures, and its baselines."""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from qaldgen.answers.record import Response, Run
from qaldgen.asking.systems import Search
from qaldgen.defaults import SEED
from qaldgen.features.text.text_features import load_model, text_features
from qaldgen.model import Question
from qaldgen.questions.geval_numbers import SPACE, find_number
from qaldgen.scoring.counts import Count
from qaldgen.scoring.matchers import MatcherKind
from qaldgen.scoring.measures import mean_of
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.submission import answer_line
from qaldgen.scoring.words.extraction import Extractor, make_extractor
from qaldgen.scoring.words.gold_names import Aliases, boolean_wordings, gold_cells, wordings

if TYPE_CHECKING:
    import pandas as pd


#: The size of the sample from a larger group of answers, to limit the number of pairs.
_MAX_ANSWERS = 2000
#: Questions that are compared with all answers at a time, to limit the memory.
_ROWS_AT_ONCE = 256
#: The features that make up the type of an answer, computed from the text of the question.
_TYPE_FEATURES = ("answerEntityKind", "answerEntityType")
_TOKEN = re.compile(r"\w+|[^\w\s]")
#: MediaWiki's limit for a query.
MAX_QUERY_CHARS = 300


class Verdict(NamedTuple):
    """The verdict on an answer by one accepted variant."""

    is_accepted: bool  # whether the answer is correct by this variant
    variant: str  # the variant
    rule: str  # the rule that decided, with its numbers, for people

    def __str__(self) -> str:
        """Return one line."""
        verdict = "accepted" if self.is_accepted else "rejected"
        return f"{verdict} by {self.variant!r}: {self.rule}"


def lower(text: str) -> str:
    """Return a text in lower case, character by character as Haskell does."""
    if text.isascii():
        return text.lower()
    return "".join("i" if char == "İ" else char.lower() for char in text)


def judge(variants: Sequence[str], answer: str, *, strict: bool = False) -> list[Verdict]:
    r"""Return the verdict on each variant, up to the first that accepts the answer.

    >>> print(*judge(["Jan III Sobieski", "Sobieski"], "Jan Sobieski"), sep="\n")
    rejected by 'Jan III Sobieski': number 3, the answer has none
    accepted by 'Sobieski': text, 4 edits of at most 4
    """
    if not variants:
        return []

    verdicts = []
    stripped = answer.strip(SPACE)
    number = find_number(stripped)
    for variant in "\t".join(variants).strip(SPACE).split("\t"):
        gold = find_number(variant)
        max_edits = allowed_edits(variant, strict=strict)
        if gold is not None:
            is_accepted = gold == number
            rule = f"number {gold}"
            if not is_accepted:
                rule += f", the answer has {number or 'none'}"
        else:
            edits = Levenshtein.distance(lower(variant), lower(stripped))
            is_accepted = edits <= max_edits
            rule = f"text, {edits} edits of at most {max_edits}"
            if not is_accepted:
                rule = f"text, {edits} edits, at most {max(max_edits, 0)} are allowed"

        verdicts.append(Verdict(is_accepted, variant, rule))
        if is_accepted:
            break

    return verdicts


def allowed_edits(variant: str, *, strict: bool = False) -> int:
    """Return the number of allowed edits: half the length, or less than half if `strict`.

    >>> allowed_edits("alfa"), allowed_edits("alfa", strict=True), allowed_edits("")
    (2, 1, -1)
    """
    length = len(lower(variant))
    if strict or not length:
        return (length - 1) // 2
    return length // 2


def accepts(variants: Sequence[str], answer: str, *, strict: bool = False) -> bool:
    """Return whether an answer is correct.

    >>> accepts(["mniejsza"], "większa"), accepts(["mniejsza"], "większa", strict=True)
    (True, False)
    """
    verdicts = judge(variants, answer, strict=strict)
    return bool(verdicts) and verdicts[-1].is_accepted


def accepted_variants(
    question: Question, language: str, aliases: Aliases | None = None
) -> tuple[str, ...]:
    """Return the accepted answers to a question: the variants in the data, unchanged."""
    answers = question.gold
    if answers.boolean is not None:
        return boolean_wordings(answers.boolean, language)
    texts: list[str] = []
    for cell in gold_cells(answers):
        texts += wordings(cell, aliases)
    for row in answers.texts:
        texts += row
    if aliases:
        for row in answers.texts:
            if row:  # the first wording is the name of the answer
                texts += aliases.get(row[0], ())
    return tuple(texts)


def poleval_match(
    question: Question,
    response: Response,
    *,
    language: str = "pl",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
    strict: bool = False,
) -> Count:
    """Return the counts of an answer by PolEval's metric.

    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("w XVI", "16"),)))
    >>> poleval_match(question, Response("1", answers=Answers(texts=(("w XVI wieku",),))))
    Count(tp=1, fp=0, fn=0)
    """
    gold = accepted_variants(question, language, aliases)
    answer = answer_line(response, language, extract)
    if accepts(gold, answer, strict=strict):
        return Count(tp=1, fp=0, fn=0)
    return Count(tp=0, fp=1 if answer else 0, fn=1)


def explain(
    question: Question,
    response: Response,
    *,
    language: str = "pl",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
    strict: bool = False,
) -> list[Verdict]:
    """Return the verdict that accepted an answer, or the verdicts of all variants that did not."""
    gold = accepted_variants(question, language, aliases)
    verdicts = judge(gold, answer_line(response, language, extract), strict=strict)
    if verdicts and verdicts[-1].is_accepted:
        return [verdicts[-1]]
    return verdicts


def same_text(gold: Sequence[str], answer: str) -> bool:
    """Return whether an answer equals a variant letter by letter, except for case."""
    return lower(answer) in {lower(variant.strip(SPACE)) for variant in gold}


class Chance(NamedTuple):
    """How many gold answers of the same type are accepted as the answer to each question."""

    #: The share of all gold answers of the type that are accepted, its own among them. This is the
    #: expected score of a run that gives the gold answers in a random order within each type.
    shuffled: NDArray[np.float64]
    #: The same share without its own answer.
    chance: NDArray[np.float64]


def chance_of_each(
    variants: Sequence[Sequence[str]], types: Sequence[Hashable], *, strict: bool = False
) -> Chance:
    """Return for each question the share of the answers of its type that the metric accepts.

    >>> golds = [["tak"], ["nie"], ["tak"], ["Ulm"]]
    >>> level = chance_of_each(golds, ["yes-no", "yes-no", "yes-no", "city"])
    >>> level.chance.tolist(), level.shuffled.round(2).tolist()
    ([0.5, 0.0, 0.5, 0.0], [0.67, 0.33, 0.67, 1.0])
    """
    groups = defaultdict(list)
    for row, (accepted, type_) in enumerate(zip(variants, types, strict=True)):
        if accepted:
            groups[type_].append(row)

    shares = Chance(np.zeros(len(variants)), np.zeros(len(variants)))
    rng = np.random.default_rng(SEED)
    for group in groups.values():
        sample = group
        if len(group) > _MAX_ANSWERS:
            sample = sorted(rng.choice(group, _MAX_ANSWERS, replace=False).tolist())

        answers = [variants[row][0] for row in sample]
        for start in range(0, len(group), _ROWS_AT_ONCE):
            rows = group[start : start + _ROWS_AT_ONCE]
            is_accepted = _find_accepted([variants[row] for row in rows], answers, strict=strict)
            shares.shuffled[rows] = is_accepted.mean(axis=1)
            is_other = np.asarray(rows)[:, None] != np.asarray(sample)[None, :]
            n_others = np.maximum(is_other.sum(axis=1), 1)
            shares.chance[rows] = (is_accepted & is_other).sum(axis=1) / n_others

    return shares


def _find_accepted(
    rows: Sequence[Sequence[str]], answers: Sequence[str], *, strict: bool
) -> NDArray[np.bool_]:
    """Return a matrix of rows of variants and answers: whether the row accepts the answer."""
    from rapidfuzz.process import cdist

    owners: list[int] = []
    texts: list[str] = []
    for index, row in enumerate(rows):
        owners += [index] * len(row)
        texts += row
    edits = cdist(
        list(map(lower, texts)),
        list(map(lower, answers)),
        scorer=Levenshtein.distance,
        dtype=np.int32,
    )
    is_near = edits <= np.array([allowed_edits(text, strict=strict) for text in texts])[:, None]
    golds = np.array([find_number(text) or "" for text in texts])
    numbers = np.array([find_number(answer) or "" for answer in answers])
    by_text = np.where((golds != "")[:, None], golds[:, None] == numbers[None, :], is_near)
    by_row = np.zeros((len(rows), len(answers)), dtype=bool)
    np.logical_or.at(by_row, owners, by_text)
    return by_row


def extra_columns(
    questions: Sequence[Question], run: Run, counts: pd.DataFrame, rules: Rules, *, strict: bool
) -> Mapping[str, Sequence[float]]:
    """Return ``same_text``, ``shuffled`` and ``chance`` of each question that was scored."""
    by_id = {question.id: question for question in questions}
    subset = [by_id[str(name)] for name in counts.index]
    gold = [accepted_variants(question, rules.language, rules.aliases) for question in subset]
    chances = chance_of_each(gold, answer_types(subset, rules.language), strict=strict)
    extract = make_extractor(rules.extract)
    same_text_shares = []
    for question, variants in zip(subset, gold, strict=True):
        answers = [
            answer_line(response, rules.language, extract)
            for response in run.responses_to(question)
        ]
        same_text_shares.append(fmean(float(same_text(variants, answer)) for answer in answers))
    return {
        "same_text": same_text_shares,
        "shuffled": chances.shuffled.tolist(),
        "chance": chances.chance.tolist(),
    }


def answer_types(questions: Sequence[Question], language: str) -> list[Hashable]:
    """Return the type of the answer that each question asks for, by the rules on its text."""
    rows_by_language: dict[str, list[int]] = {}
    for row, question in enumerate(questions):
        tag = language if question.texts.get(language) else next(iter(question.texts), "")
        rows_by_language.setdefault(tag, []).append(row)
    types: list[Hashable] = [()] * len(questions)
    for tag, rows in rows_by_language.items():
        texts = [questions[row].text(tag) for row in rows]
        features_of = text_features(texts, language=tag, nlp=load_model(tag))
        for row, features in zip(rows, features_of, strict=True):
            types[row] = tuple(features.get(name) for name in _TYPE_FEATURES)
    return types


def _make_matcher(help_: str, *, strict: bool) -> MatcherKind:
    """Return PolEval's metric as a matcher; `strict` as in the paper."""

    def bind(function: Callable[..., Any], rules: Rules) -> Callable[..., Any]:
        return functools.partial(
            function,
            language=rules.language,
            aliases=rules.aliases,
            extract=make_extractor(rules.extract),
            strict=strict,
        )

    def explain_all(question: Question, response: Response, rules: Rules) -> str:
        return "; ".join(map(str, bind(explain, rules)(question, response)))

    return MatcherKind(
        functools.partial(bind, poleval_match),
        help_,
        words=True,
        extract="raw",
        extra_columns=functools.partial(extra_columns, strict=strict),
        explain=explain_all,
    )


POLEVAL = _make_matcher(
    "PolEval 2021 task 4 as it was scored: the same number, or at most half the letters wrong",
    strict=False,
)
POLEVAL_PAPER = _make_matcher(
    "the same as the paper puts it: less than half the letters wrong", strict=True
)
#: The rows of `qaldgen.measures`.
SAME_TEXT = mean_of(
    "same_text", "Same text", "share of answers equal to an accepted variant, ignoring case"
)._replace(matcher="poleval")
SHUFFLED = mean_of(
    "shuffled", "Shuffled gold", "score of the gold answers when shuffled within each answer type"
)._replace(matcher="poleval")
CHANCE = mean_of(
    "chance", "Chance level", "mean score of the gold answers to other questions of the type"
)._replace(matcher="poleval")


def first_title(text: str, search: Search) -> str:
    """Answer with the title of the first suitable article, PolEval's baseline.

    Parameters
    ----------
    text
        The question.
    search
        Where articles are looked up.

    Returns
    -------
    str
        The answer; empty for none.

    Examples
    --------
    >>> search = Search("mine", lambda query: ["Młyn", "Jan Kowal (młynarz)"])
    >>> first_title("Kto zbudował młyn?", search)
    'Jan Kowal'
    """
    words = [token for token in _TOKEN.findall(text) if len(token) > 1]
    for start in range(len(words)):
        query = " ".join(words[start:])
        # MediaWiki refuses a longer query
        if len(query) > MAX_QUERY_CHARS:
            continue
        for title in search.titles(query):
            answer = title.split("(")[0].strip()
            # a title with a word of the question, as PolEval compares words, is no answer
            pairs = itertools.product(words, _TOKEN.findall(title))
            if answer and not any(accepts([word], part) for word, part in pairs):
                return answer
    return ""

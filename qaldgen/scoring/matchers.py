"""The table of matchers, which decide whether an answer is right, and the choice among them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence, Set
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from qaldgen.answers.record import Response, Run
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.extensions import Table
from qaldgen.model import Answers, Question
from qaldgen.questions.choices import answers_are_choices
from qaldgen.scoring.abstentions import abstains
from qaldgen.scoring.count_table import Answered, Scorer, texts_of
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.gerbil.answers import SAME_AS, gerbil_2023_matcher, gerbil_matcher
from qaldgen.scoring.guesses import SURE, Prior, learn_prior
from qaldgen.scoring.own_languages import detected_languages, stated_languages
from qaldgen.scoring.repeats import Repeats, read_aggregation
from qaldgen.scoring.rules import AUTO, JUDGE, LOGGED, Rules
from qaldgen.scoring.strict import mintaka_match, strict_matcher
from qaldgen.scoring.verdict_model import (
    SignEvidence,
    Verdict,
    evidence_on,
    fitted_model,
    likelier_verdict,
)
from qaldgen.scoring.verdicts import count_logged, explain_unasked, judge_matcher
from qaldgen.scoring.words.dates import read_date
from qaldgen.scoring.words.extraction import make_extractor
from qaldgen.scoring.words.gold_names import gold_size
from qaldgen.scoring.words.numbers import gold_numbers
from qaldgen.scoring.words.short_answers import exact_match, token_f1

if TYPE_CHECKING:
    import pandas as pd

#: The matchers that ``auto`` chooses.
TERMS, WORDS, LISTS, CHOICES = "gerbil", "contains", "exact", "strict"
AUTO_HELP = (
    f"{TERMS} where gold answers and answer are terms (IRIs, numbers, dates, truth values), {WORDS}"
    f" where either is in words, {LISTS} where the answer is a list of such; {CHOICES} where an"
    " answer names a choice of its question"
)


def notation_of(answers: Answers) -> str | None:
    """Return whether answers are ``terms``, ``words`` or ``values``; None if there are none.

    Values are numbers and dates that a file has as text: CSV cannot tell them from terms.

    >>> sets = [Answers(boolean=True), Answers(texts=(("Ada",),)), Answers(texts=(("42",),))]
    >>> [notation_of(answers) for answers in sets]
    ['terms', 'words', 'values']
    """
    if answers.boolean is not None or any(map(any, answers.rows)):
        return "terms"
    values = [row[0] for row in answers.texts if row]
    if not values:
        return None
    if all(gold_numbers(value) or read_date(value) for value in values):
        return "values"
    return "words"


def are_lists(question: Question, answers: Answers) -> bool:
    """Return whether answers in words are compared as a set: a list where several are right.

    Two or more answers are a list in any case, also beside a single gold answer.

    >>> question = Question("1", {}, answers=Answers(texts=(("Ada",), ("Bo",))))
    >>> answers = (Answers(texts=(("Ada",),)), Answers(texts=(("Ada",),), listed=True))
    >>> are_lists(question, answers[0]), are_lists(question, answers[1])
    (False, True)
    """
    if answers.boolean is not None:
        return False
    size = len(answers.texts) + len(answers.rows)
    return size > 1 or (answers.listed and gold_size(question) > 1)


def ids_of_text_questions(questions: Sequence[Question]) -> frozenset[str]:
    """Return the ids of the questions whose gold answers are in words.

    Numbers and dates count as words, except in a set with queries or with IRIs as gold answers.

    >>> person = Question("1", {}, answers=Answers(texts=(("Ada",),)))
    >>> number = Question("2", {}, answers=Answers(texts=(("42",),)))
    >>> sorted(ids_of_text_questions([person, number]))
    ['1', '2']
    >>> sorted(ids_of_text_questions([person, number, Question("3", {}, queries={"": "ASK {}"})]))
    ['1']
    """
    notations = {question.id: notation_of(question.gold) for question in questions}
    has_terms = any(question.answers and question.answers.rows for question in questions)
    has_queries = any(question.queries for question in questions)
    values_are_terms = has_queries or (has_terms and "words" not in notations.values())
    word_notations = {"words"} if values_are_terms else {"words", "values"}
    return frozenset(
        question_id for question_id, notation in notations.items() if notation in word_notations
    )


#: Takes the questions, the run, its counts and the rules; returns columns in the order of the
#: counts.
ExtraColumns: TypeAlias = (
    "Callable[[Sequence[Question], Run, pd.DataFrame, Rules], Mapping[str, Sequence[float]]]"
)


class MatcherKind(NamedTuple):
    """How to make a matcher, and what it needs.

    Attributes
    ----------
    make : callable
        Makes the matcher from the rules that the user chose.
    help : str
        A line about the matcher.
    words : bool
        Whether it compares answers in words.
    gold : callable or None
        Takes the questions and returns those that it can score; it leaves a note (`io.notes`) on
        the others. None if the matcher needs gold answers.
    answers : bool
        Whether it compares answers (not queries, for instance), which have outcomes and may be in
        words.
    watches : callable or None
        Returns whether this matcher scores a response while the system is still being asked; a
        response that no matcher watches is scored by the default rules.
    gerbil : bool
        Whether questions are loaded as GERBIL loads them: without a text in the language they are
        dropped.
    extract : str
        The meaning of ``auto``: how the answer is found in a reply if the user does not say.
    extra_columns : callable or None
        Returns extra columns of the counts, for the measures of this matcher.
    explain : callable or None
        Says why a response is right or wrong, for people.
    """

    make: Callable[[Rules], Matcher]
    help: str
    words: bool = False
    gold: Callable[[Sequence[Question]], Sequence[Question]] | None = None
    answers: bool = True
    watches: Callable[[Response], bool] | None = None
    gerbil: bool = False
    extract: str = "auto"
    extra_columns: ExtraColumns | None = None
    explain: Callable[[Question, Response, Rules], str] | None = None


def _make_text_matcher(compare: Callable[..., Count | None], rules: Rules) -> Matcher:
    """Return a matcher of texts that reads answers by the rules.

    To say that there is no answer is right if there is none.
    """
    extract = make_extractor(rules.extract)

    def match_text(question: Question, response: Response) -> Count | None:
        has_gold = bool(question.gold.values())
        if not has_gold and abstains(response, rules.language_of(question), extract):
            return Count(0, 0, 0)
        return compare(question, response, **_reading_options(question, rules))

    return match_text


def _reading_options(question: Question, rules: Rules) -> Mapping[str, Any]:
    """Return the rules by which answers in words to a question are read, as keyword arguments."""
    extract = make_extractor(rules.extract)
    language = rules.language_of(question)
    return {"language": language, "aliases": rules.aliases, "extract": extract}


def verdict_on(question: Question, response: Response, rules: Rules) -> Verdict | None:
    """Return the more probable verdict on an answer in words, its hand label if it has one.

    None if there are no rules to judge the answer.
    """
    label = (rules.labels or {}).get(question.id)
    if label is not None:
        return likelier_verdict(label)
    evidence = evidence_on(question, response, **_reading_options(question, rules))
    if not isinstance(evidence, SignEvidence):
        return evidence
    prior = fitted_model().prior if rules.prior is None else rules.prior.log_odds
    return likelier_verdict(evidence.chance(prior), evidence)


def _make_contains_matcher(rules: Rules) -> Matcher:
    """Return the matcher that takes the more probable verdict on an answer in words."""

    def take_likelier(question: Question, response: Response) -> Count | None:
        verdict = verdict_on(question, response, rules)
        return verdict.counts if verdict else None

    return take_likelier


def _explain_guess(question: Question, response: Response, rules: Rules) -> str:
    """Say why the verdict on an answer is a guess; empty if it is sure."""
    verdict = verdict_on(question, response, rules)
    return verdict.doubt if verdict else ""


def _verdict_probabilities(
    questions: Sequence[Question], run: Run, counts: pd.DataFrame, rules: Rules
) -> Mapping[str, Sequence[float]]:
    """Return for each question how probable its verdict is: the mean over several answers."""
    questions_by_id = {question.id: question for question in questions}
    probabilities = []
    for question_id in counts.index:
        question = questions_by_id[question_id]
        verdicts = [verdict_on(question, reply, rules) for reply in run.responses_to(question)]
        probabilities.append(fmean(verdict.probability if verdict else 1.0 for verdict in verdicts))
    return {SURE: probabilities}


_BUILTIN = {
    "gerbil": MatcherKind(
        lambda rules: gerbil_matcher(rules.same_as),
        "GERBIL QA's rules since September 2024",
        gerbil=True,
    ),
    "gerbil-2023": MatcherKind(
        lambda rules: gerbil_2023_matcher(rules.same_as),
        "GERBIL QA's rules before that, for comparison with older published scores",
        gerbil=True,
    ),
    "strict": MatcherKind(
        lambda rules: strict_matcher(),
        "sets of RDF terms, literals by value; a perfect run is always 1",
    ),
    "mintaka": MatcherKind(
        lambda rules: mintaka_match,
        "any given answer is a gold answer, as in Mintaka's script; its Hits@1 is our accuracy",
    ),
    "exact": MatcherKind(
        lambda rules: _make_text_matcher(exact_match, rules),
        "an accepted variant after normalisation, as SQuAD's exact match",
        words=True,
    ),
    "token-f1": MatcherKind(
        lambda rules: _make_text_matcher(token_f1, rules),
        "words in common with the best accepted variant, as SQuAD's F1",
        words=True,
    ),
    "contains": MatcherKind(
        _make_contains_matcher,
        "a gold answer occurs in the free text; says which verdicts are guesses",
        words=True,
        extra_columns=_verdict_probabilities,
        explain=_explain_guess,
    ),
    LOGGED: MatcherKind(
        lambda rules: count_logged,
        "the score that the log has for the answer",
        gold=lambda questions: questions,
    ),
    JUDGE: MatcherKind(
        lambda rules: judge_matcher(rules.verdicts),
        "the verdict of a system that you name: a proxy, which labels by hand correct",
        explain=explain_unasked,
    ),
}
#: Every matcher, by name. Other packages can add some by the entry point group qaldgen.matchers.
MATCHERS = Table("matchers", MatcherKind, _BUILTIN)


def make_scorer(rules: Rules, questions: Sequence[Question], answered: Answered = ()) -> Scorer:
    """Return what scores answers by the rules; their prior is learnt from the answers."""
    is_auto = rules.match == AUTO
    names = (TERMS, WORDS, LISTS, CHOICES) if is_auto else (rules.match,)
    # whether numbers and dates are words is decided once, by all questions
    text_question_ids = ids_of_text_questions(questions) if is_auto else frozenset[str]()
    choose = functools.partial(_choose, rules.match, text_question_ids)

    own_languages = stated_languages(questions, rules.language)
    replies = texts_of(answered)
    if replies and rules.language == LANGUAGE:
        own_languages = {**detected_languages(questions, replies), **own_languages}
    rules = rules._replace(own_languages=own_languages)
    if answered and WORDS in names:
        rules = rules._replace(prior=_learn_prior(rules, answered, choose))

    extract = make_extractor(rules.extract)
    matchers = {name: make_matcher(name, rules) for name in names}

    return Scorer(
        choose=choose,
        matchers=matchers,
        silent=frozenset(name for name in names if MATCHERS[name].gerbil),
        # a choice such as "Nothing" is an answer
        abstains=lambda question, response: (
            not answers_are_choices(question, response.answers)
            and abstains(response, rules.language_of(question), extract)
        ),
        repeats=Repeats(read_aggregation(rules.repeats_as), rules.language, extract),
        rules=rules,
        as_gerbil=MATCHERS[names[0]].gerbil and not text_question_ids,
    )


def _choose(match: str, text_question_ids: Set[str], question: Question, response: Response) -> str:
    """Return the name of the matcher of an answer: the user's, or what ``auto`` chooses."""
    if match != AUTO:
        return match
    if answers_are_choices(question, response.answers):
        return CHOICES
    if question.id in text_question_ids or notation_of(response.given) == "words":
        return LISTS if are_lists(question, response.given) else WORDS
    return TERMS


def _learn_prior(
    rules: Rules, answered: Answered, choose: Callable[[Question, Response], str]
) -> Prior:
    """Return how probable a right answer is in a run, learnt from its answers in words."""
    labels = rules.labels or {}
    all_evidence = list[SignEvidence]()
    label_by_index = dict[int, float]()
    for question, responses in answered:
        for response in responses:
            if choose(question, response) != WORDS:
                continue
            evidence = evidence_on(question, response, **_reading_options(question, rules))
            if isinstance(evidence, SignEvidence):
                if question.id in labels:
                    label_by_index[len(all_evidence)] = labels[question.id]
                all_evidence.append(evidence)
    return learn_prior(all_evidence, label_by_index)


def make_matcher(name: str, rules: Rules) -> Matcher:
    """Return the matcher with this name, made from the rules."""
    if name not in MATCHERS:
        raise UsageError(f"there is no matcher {name!r}; {one_of(name, MATCHERS)}")
    if rules.same_as not in SAME_AS:
        raise UsageError(f"same-as is {rules.same_as!r}; {one_of(rules.same_as, SAME_AS)}")
    return MATCHERS[name].make(rules._replace(extract=extraction_for(name, rules.extract)))


def extraction_for(name: str, extract: str) -> str:
    """Return how a matcher finds answers in replies, where the user chose `extract`."""
    matcher = MATCHERS.get(name)
    if matcher is not None and extract == "auto":
        return matcher.extract
    return extract


def all_matchers() -> dict[str, str | MatcherKind]:
    """Return the values of ``match`` by name: ``auto``, and every matcher."""
    return {AUTO: AUTO_HELP, **MATCHERS}

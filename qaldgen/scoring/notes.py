"""Notes on a judged run: how answers were read, and answers that are odd or not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from qaldgen.annotation.language_detection import other_languages
from qaldgen.answers import near_misses
from qaldgen.answers.changes import answers_equal
from qaldgen.answers.record import Run
from qaldgen.defaults import DECIMALS
from qaldgen.errors import DataError
from qaldgen.io.text import count
from qaldgen.model import Answers, Question
from qaldgen.scoring import risk_coverage
from qaldgen.scoring.count_table import Answered
from qaldgen.scoring.guesses import guesses_of
from qaldgen.scoring.matchers import LISTS, MATCHERS, WORDS, MatcherKind, extraction_of
from qaldgen.scoring.repeats import RepeatRule, repeats_sentence
from qaldgen.scoring.rules import AUTO
from qaldgen.scoring.score import Scores
from qaldgen.scoring.verdicts import UNCHECKED, not_judged, open_questions
from qaldgen.scoring.words.extraction import EXTRACTIONS, count_rules
from qaldgen.scoring.words.gold_names import Aliases, nameless
from qaldgen.scoring.words.tokens import main_language

#: The fewest answers for a note; less proves nothing.
_MIN_ANSWERS = 5
#: The least difference, for a note, of the accuracies where yes and where no is the answer.
_MIN_ONE_SIDED_LEAD = 0.5
#: The largest p value of that difference (Fisher's exact test).
_MAX_P = 0.01
_FAILED = "the judge failed there; they are neither right nor wrong"
_NO_NAME = "no gold answer has a name, and the answer is in words"
_CODES = "the answer has no name, only a code, and the gold answers are in words"
_NO_RULES = "yes or no is asked, and there are no rules for that in the language of the answer"
#: The language of so many texts is detected; they are spread over all.
_MAX_TEXTS = 300


def method(answered: Answered, scores: Scores, rule: RepeatRule) -> str:
    """Return how answers in words were read, and how several to one question are combined."""
    sentences = []
    if scores.rules.verdicts is not None:
        sentences.append(scores.rules.verdicts.method)
    elif not any(kind.remarks for kind in _matchers_of(scores).values()):
        match, worded = _in_words(answered, scores)
        replies = _replies(worded)
        if replies:
            extract = extraction_of(match, scores.rules.extract)
            rules = count_rules(replies, extract).most_common()
            numbers = ", ".join(f"{name} {number:,}" for name, number in rules)
            rule_in_words = EXTRACTIONS.get(extract, "the last match of the regular expression")
            sentences.append(
                f"answers are read as `extract={extract!r}` says ({rule_in_words}): {numbers}"
            )
    sentences.append(repeats_sentence(rule, _sizes(answered)))
    return "; ".join(filter(None, sentences))


def remarks(answered: Answered, scores: Scores, rule: RepeatRule) -> Iterator[str]:
    """Yield the notes on a run; some may be empty."""
    name = scores.name
    counts = scores.counts
    repeats = repeats_sentence(rule, _sizes(answered))
    if repeats:
        yield f"{name}: {repeats}"
    equal = answers_equal([question for question, _ in answered], scores.run)
    if equal:
        yield f"{name}: all {equal:,} answers equal the gold; check that it is not the gold itself"
    partly = _named_otherwise(answered, scores, WORDS)
    if partly:
        yield (
            f"{name}: `contains` takes one of several gold answers for right in"
            f" {count(len(partly), 'question')} (first: {partly[0]}); if they are no names of one"
            " answer, `match='exact'` and 'token-f1' count how many are given"
        )
    longer = _named_otherwise(answered, scores, LISTS)
    if longer:
        yield (
            f"{name}: lists of answers are compared as sets; in {count(len(longer), 'question')}"
            f" (first: {longer[0]}) one of them says a gold answer in more words, which does not"
            " count; `match='contains'` takes it for right"
        )
    matcher_remarks = [
        kind.remarks for kind in _matchers_of(scores).values() if kind.remarks is not None
    ]
    if matcher_remarks:
        yield from matcher_remarks[0](scores.run, counts)
    elif scores.rules.verdicts is not None:
        yield UNCHECKED
        yield from not_judged(scores.run, open_questions(counts), counts, _FAILED)
    else:
        yield from _on_answers(answered, scores)
    doubts = guesses_of(counts, scores.rules.prior)
    if doubts and doubts.guesses:
        yield f"{name}: {doubts}"
    unknown = len(open_questions(counts))
    if unknown:
        yield (
            f"{name}: {count(unknown, 'question')} not judged count as not right: macro F1 lies"
            f" between {scores['macro-f1']:.{DECIMALS}f} and {scores.most():.{DECIMALS}f}, which it"
            " were if all of them were right"
        )
    yield risk_coverage.remark(name, counts, scores.confidence)
    yield _near_misses(answered, scores)


def _near_misses(answered: Answered, scores: Scores) -> str:
    """Say which wrong answers equal gold ones but for their spelling, and what they would score."""
    f1 = scores.counts["f1"].astype(float)
    wrong = [question for question, _ in answered if question.answers and f1[question.id] < 1]
    misses = near_misses.near_misses(wrong, scores.run)
    better = [miss for miss in misses if miss.f1 > f1[miss.id]]
    for miss in better:
        f1[miss.id] = miss.f1
    return near_misses.describe_near_misses(better, scores.name, float(f1.mean()))


def _sizes(answered: Answered) -> list[int]:
    """Return how many answers the questions with several have."""
    return [len(responses) for _, responses in answered if len(responses) > 1]


def _named_otherwise(answered: Answered, scores: Scores, matcher: str) -> list[str]:
    """Return the questions whose answer names more or fewer gold answers than were counted.

    Where one is enough, fewer than all; where lists are compared, more than counted.
    """
    judged = scores.counts[scores.counts["matcher"] == matcher]
    ids = []
    for question, responses in answered:
        if question.answers is None or question.id not in judged.index:
            continue
        reply = " ".join(_replies([(question, responses)])).casefold()
        gold = question.answers.texts
        number = sum(any(text.casefold() in reply for text in wordings) for wordings in gold)
        right = float(judged["tp"][question.id])
        differs = right > 0 and 0 < number < len(gold)
        if matcher == LISTS:
            differs = number > right
        if differs:
            ids.append(question.id)
    return ids


def _matchers_of(scores: Scores) -> dict[str, MatcherKind]:
    """Return the matchers that judged answers, in the order of the questions."""
    return {name: MATCHERS[name] for name in map(str, scores.counts["matcher"].unique())}


def _in_words(answered: Answered, scores: Scores) -> tuple[str, Answered]:
    """Return the first matcher that compared words (maybe none), and the answers of all these."""
    matchers = [name for name, kind in _matchers_of(scores).items() if kind.words]
    if not matchers:
        return "", []
    judged = scores.counts.index[scores.counts["matcher"].isin(matchers)]
    return matchers[0], [pair for pair in answered if pair[0].id in judged]


def _replies(answered: Answered) -> list[str]:
    """Return the answers that are in words."""
    replies = []
    for _, responses in answered:
        for response in responses:
            if response.answers is not None:
                replies += [row[0] for row in response.answers.texts if row]
    return replies


def _on_answers(answered: Answered, scores: Scores) -> Iterator[str]:
    """Yield notes on answers that rules judged."""
    run, counts, rules = scores.run, scores.counts, scores.rules
    match, worded = _in_words(answered, scores)
    if match:
        replies = _replies(worded)
        judged = counts.loc[[question.id for question, _ in worded]]
        questions = [text for item, _ in worded for text in item.texts.get(rules.language, ())]
        if judged["f1"].mean() <= 1 / 2:
            for noun, texts in (("question", questions), ("answer", replies)):
                warning = _other_language(noun, texts, rules.language)
                if warning:
                    yield f"{run.name}: {warning}"
        if extraction_of(match, rules.extract) == "auto":
            marked = len(replies) - count_rules(replies, "auto")["whole reply"]
            if marked:
                yield (
                    f"{run.name}: in {marked:,} of {len(replies):,} replies the answer is marked,"
                    " and only what is marked counts; `extract='raw'` takes whole replies"
                )
        yield _without_names([question for question, _ in worded], rules.aliases)
        yield from _unjudged(worded, run, counts, rules.aliases)
    else:
        yield _not_for_words(run, counts, rules.match)
    number = int((counts["status"] == "answered").sum())
    if number >= _MIN_ANSWERS and not counts["tp"].any():
        yield (
            f"{run.name}: none of {count(number, 'answer')} is right; check that these are answers"
            " to these questions, not to another edition of the set with the same ids,"
            " and that `match` and `language` fit"
        )
    yield _one_sided([question for question, _ in answered], run, counts)


def _other_language(noun: str, texts: Sequence[str], language: str) -> str:
    """Warn if most of these texts are plainly in another language."""
    base = main_language(language)
    sample = texts[:: max(len(texts) // _MAX_TEXTS, 1)]
    try:
        by_number = {str(number): text for number, text in enumerate(sample)}
        languages = other_languages(by_number, base)
    except DataError as error:  # no score depends on it
        return str(error)
    if not languages:
        return ""
    tag, number = Counter(languages.values()).most_common(1)[0]
    if number <= len(sample) / 2 or number < _MIN_ANSWERS:
        return ""
    return (
        f"{number:,} of {count(len(sample), noun)} looked at are in {tag!r}, not in {base!r};"
        f" `language={tag!r}` reads words in that language"
    )


def _without_names(questions: Sequence[Question], aliases: Aliases | None) -> str:
    """Say how many gold answers are codes that no answer in words can match."""
    codes = size = 0
    first = ""
    for question in questions:
        question_codes, answers = nameless(question, aliases)
        if question_codes and not codes:
            first = question.id
        codes += question_codes
        size += answers
    if not codes:
        return ""
    have = "has" if codes == 1 else "have"
    return (
        f"{codes:,} of {count(size, 'gold answer')} {have} no name, only a number or a code such as"
        f" Q64 (first: question {first}), and no answer in words can be compared with them;"
        " `labels`, a file or URL, names them, a file of `aliases` too"
    )


def _unjudged(
    answered: Answered, run: Run, judged: pd.DataFrame, aliases: Aliases | None
) -> Iterator[str]:
    """Say which questions cannot be judged, and why."""
    reasons: dict[str, list[str]] = {_NO_NAME: [], _CODES: [], _NO_RULES: []}
    unjudged = set(open_questions(judged))
    for question, responses in answered:
        if question.id not in unjudged:
            continue
        if nameless(question, aliases)[0]:
            reasons[_NO_NAME].append(question.id)
        elif any(response.answers and response.answers.rows for response in responses):
            reasons[_CODES].append(question.id)
        else:
            reasons[_NO_RULES].append(question.id)
    for reason, ids in reasons.items():
        yield from not_judged(run, ids, judged, reason)


def _not_for_words(run: Run, judged: pd.DataFrame, match: str) -> str:
    """Warn if answers are free text and the matcher compares IRIs and literals."""
    if match == AUTO or not MATCHERS[match].answers or judged["tp"].any():
        return ""
    answers = [
        response.answers
        for response in run.responses.values()
        if response.answers is not None and response.status == "answered"
    ]
    in_words = [answer for answer in answers if answer.texts]
    if len(in_words) <= len(answers) / 2:
        return ""
    return (
        "the answers are in words, and none equals a gold answer; `match` contains, exact or"
        " token-f1 compares words"
    )


def _one_sided(questions: Sequence[Question], run: Run, judged: pd.DataFrame) -> str:
    """Warn if yes-no questions are only answered rightly where one of the two is the answer.

    A system that says no to everything looks good wherever most answers are no.
    """
    right: dict[bool, list[bool]] = {True: [], False: []}
    for question in questions:
        truth = (question.answers or Answers()).boolean
        if truth is not None and question.id in judged.index:
            right[truth].append(bool(judged["tp"][question.id] > 0))
    yes = right[True]
    no = right[False]
    if min(len(yes), len(no)) < _MIN_ANSWERS:
        return ""
    lead = sum(yes) / len(yes) - sum(no) / len(no)
    if abs(lead) < _MIN_ONE_SIDED_LEAD:
        return ""
    # scipy is slow to import
    from scipy.stats import fisher_exact

    table = [[sum(yes), len(yes) - sum(yes)], [sum(no), len(no) - sum(no)]]
    if fisher_exact(table).pvalue > _MAX_P:
        return ""
    word = "yes" if lead > 0 else "no"
    return (
        f"{run.name}: of yes-no questions, {sum(yes):,} of {len(yes):,} are right where the answer"
        f" is yes, {sum(no):,} of {len(no):,} where it is no; it may say {word} whatever is asked"
    )

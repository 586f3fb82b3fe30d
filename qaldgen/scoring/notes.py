"""Notes on how answers in words were read.

How they were found in replies, and what cannot be judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from qaldgen.annotation.language_detection import other_languages
from qaldgen.errors import DataError
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.runs.changes import values_of
from qaldgen.runs.record import Run
from qaldgen.scoring.count_table import CountedRun, responses_to
from qaldgen.scoring.matchers import MATCHERS, Rules
from qaldgen.scoring.repeats import RepeatRule, describe
from qaldgen.scoring.verdicts import UNCHECKED, left_out
from qaldgen.scoring.words.extraction import EXTRACTIONS, count_rules
from qaldgen.scoring.words.gold_names import Aliases, nameless
from qaldgen.scoring.words.tokens import primary

#: Fewer answers than this prove nothing, so there is no note.
_FEWEST = 5
#: With this many answers it is unlikely to be a coincidence that all equal the gold.
_ENOUGH = 10
#: How far apart the accuracies on questions with the answers yes and no have to be for a note, and
#: the p value (Fisher's exact test) that makes it no matter of chance.
_ONE_SIDED, _SURE = 0.5, 0.01
_FAILED = "the judge failed there; they are neither right nor wrong"
_NO_RULES = "yes or no is asked, and there are no rules for that in the language of the answer"
#: How many answers have their language detected; they are spread over all.
_SAMPLE = 300


class Remarks(NamedTuple):
    """Sentences for the user, and one about the method."""

    notes: list[str]  # what a user should know
    method: str  # how answers were read and combined; empty if there is nothing to say


def answers_equal(questions: Iterable[Question], run: Run) -> int:
    """Return how many answers a run has if each equals the gold; 0 for few, or if one differs."""
    answered = [question for question in questions if question.answers is not None]
    equal = all(
        values_of(response.answers) == values_of(run.response(response.id).answers)
        for response in answered
    )
    return len(answered) if equal and len(answered) >= _ENOUGH else 0


def remarks_on(
    questions: Sequence[Question],
    run: Run,
    judged: CountedRun,
    match: str,
    rules: Rules,
    repeats_as: RepeatRule,
) -> Remarks:
    """Return notes on a run, and how its answers were read."""
    repeats = describe(repeats_as, judged.repeats)
    notes = [f"{run.name}: {repeats}"] if repeats else []
    equal = answers_equal(questions, run)
    if equal:
        notes.append(
            f"{run.name}: all {equal:,} answers equal the gold; check that it is not the gold"
            " itself"
        )
    kind = MATCHERS[match]
    if kind.remarks is not None:
        return Remarks([*notes, *kind.remarks(run, judged)], repeats)
    if rules.verdicts is not None:
        method = "; ".join(filter(None, (rules.verdicts.method, repeats)))
        return Remarks(
            [*notes, UNCHECKED, *left_out(run, judged.unjudged, judged, _FAILED)], method
        )
    if not kind.words:
        notes += [*_not_for_words(run, judged, match), *_nothing_right(run, judged)]
        return Remarks([*notes, *_one_sided(questions, run, judged)], repeats)
    replies = _replies(questions, run)
    reading = _extraction(replies, rules.extract)
    notes += [
        f"{run.name}: {note}"
        for note in (
            *_languages(replies, judged, rules.language),
            _found_in(replies, rules.extract),
        )
        if note
    ]
    notes += [
        *_without_names(questions, rules.aliases),
        *_unjudged(questions, run, judged, rules.aliases),
        *_nothing_right(run, judged),
        *_one_sided(questions, run, judged),
    ]
    return Remarks(notes, "; ".join(filter(None, (reading, repeats))))


def _replies(questions: Sequence[Question], run: Run) -> list[str]:
    """Return the answers in words, as the system gave them."""
    given = (response.answers for question in questions for response in responses_to(question, run))
    return [row[0] for answers in given if answers is not None for row in answers.texts if row]


def _found_in(replies: Sequence[str], how: str) -> str:
    """Say how many answers were taken out of longer replies; nothing where none was."""
    whole = count_rules(replies, how)["whole reply"] if how == "auto" else len(replies)
    if whole == len(replies):
        return ""
    return (
        f"in {len(replies) - whole:,} of {len(replies):,} replies the answer is marked, and"
        " only what is marked counts; --extract raw takes whole replies"
    )


def _extraction(replies: Sequence[str], how: str) -> str:
    """Say how the answers were found in the replies."""
    if not replies:
        return ""
    counts = count_rules(replies, how)
    parts = ", ".join(f"{rule} {number:,}" for rule, number in counts.most_common())
    what = EXTRACTIONS.get(how, "the last match of the regular expression")
    return f"answers are read as --extract {how} says ({what}): {parts}"


def _languages(replies: Sequence[str], judged: CountedRun, language: str) -> list[str]:
    """Warn if most answers are plainly in another language, unless most are right all the same."""
    if judged.counts["f1"].mean() > 1 / 2:
        return []
    base = primary(language)
    sample = replies[:: max(len(replies) // _SAMPLE, 1)]
    try:
        others = other_languages({str(at): reply for at, reply in enumerate(sample)}, base)
    except DataError as error:  # no score depends on it
        return [str(error)]
    other, number = next(iter(Counter(others.values()).most_common(1)), ("", 0))
    if 2 * number <= len(sample) or number < _FEWEST:
        return []
    return [
        f"{number:,} of {count(len(sample), 'answer')} looked at are in {other!r}, not in {base!r};"
        f" if --lang is meant to be the language of the answers, give --lang {other}"
    ]


def _without_names(questions: Sequence[Question], aliases: Aliases | None) -> list[str]:
    """Say how many gold answers are codes that no answer in words can match."""
    counted = [(question.id, *nameless(question, aliases)) for question in questions]
    bare, size = sum(one[1] for one in counted), sum(one[2] for one in counted)
    if not bare:
        return []
    first = next(name for name, names, _ in counted if names)
    have = "has" if bare == 1 else "have"
    return [
        f"{bare:,} of {count(size, 'gold answer')} {have} no name, only a number or a code such as"
        f" Q64 (first: question {first}), and no answer in words can be compared with them;"
        " --labels FILE or URL names them, --aliases FILE too"
    ]


def _unjudged(
    questions: Sequence[Question], run: Run, judged: CountedRun, aliases: Aliases | None
) -> list[str]:
    """Say which questions cannot be judged, and why."""
    coded = {question.id for question in questions if nameless(question, aliases)[0]}
    what = "cannot be judged and left out"
    return [
        note
        for names, why in (
            ([name for name in judged.unjudged if name in coded], "no gold answer has a name"),
            ([name for name in judged.unjudged if name not in coded], _NO_RULES),
        )
        for note in left_out(run, names, judged, why, what)
    ]


def _not_for_words(run: Run, judged: CountedRun, match: str) -> list[str]:
    """Warn if answers are free text and the matcher compares IRIs and literals."""
    given = [
        response.answers
        for response in run.responses.values()
        if response.answers is not None and response.status == "answered"
    ]
    worded = sum(bool(answers.texts) for answers in given)
    if not MATCHERS[match].answers or 2 * worded <= len(given) or judged.counts["tp"].any():
        return []
    return [
        "the answers are in words, and none equals a gold answer; --match contains, exact or"
        " token-f1 compares words"
    ]


def _nothing_right(run: Run, judged: CountedRun) -> list[str]:
    """Warn if many answers were given and none is right.

    They may belong to other questions with the same ids.
    """
    given = int((judged.counts["status"] == "answered").sum())
    if given < _FEWEST or judged.counts["tp"].any():
        return []
    return [
        f"{run.name}: none of {count(given, 'answer')} is right; check that these are answers to"
        " these questions, not to another edition of the set with the same ids,"
        " and that --match and --lang fit"
    ]


def _one_sided(questions: Sequence[Question], run: Run, judged: CountedRun) -> list[str]:
    """Warn if yes-no questions are only answered rightly where the answer is always the same.

    A system that says no to everything looks good wherever most answers are no.
    """
    right = judged.counts["tp"] > 0
    yes, no = (
        [
            bool(right[question.id])
            for question in questions
            if question.answers is not None
            and question.answers.boolean is truth
            and question.id in right.index
        ]
        for truth in (True, False)
    )
    if min(len(yes), len(no)) < _FEWEST or abs(_mean(yes) - _mean(no)) < _ONE_SIDED:
        return []
    # scipy is slow to import
    from scipy.stats import fisher_exact

    table = [[sum(yes), len(yes) - sum(yes)], [sum(no), len(no) - sum(no)]]
    if fisher_exact(table).pvalue > _SURE:
        return []
    word = "yes" if _mean(yes) > _mean(no) else "no"
    return [
        f"{run.name}: of yes-no questions, {sum(yes):,} of {len(yes):,} are right where the answer"
        f" is yes, {sum(no):,} of {len(no):,} where it is no; it may say {word} whatever is asked"
    ]


def _mean(right: Sequence[bool]) -> float:
    return sum(right) / len(right)

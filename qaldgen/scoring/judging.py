"""Judge a run: which questions count, the counts of each, and what a user should know."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import pandas as pd

from qaldgen.answers import near_misses
from qaldgen.answers.question_matching import match_report
from qaldgen.answers.record import COPY, Run
from qaldgen.benchmark.editions import compare_editions
from qaldgen.benchmark.gold import Gold, why_not_tested
from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.questions.gerbil import load_warnings
from qaldgen.questions.question_texts import OUT_OF_SCOPE, language_tag
from qaldgen.questions.reading import reading_notes
from qaldgen.scoring import abstention
from qaldgen.scoring.count_table import Repeats as RepeatedAnswers
from qaldgen.scoring.count_table import count_answers
from qaldgen.scoring.guesses import guesses_of
from qaldgen.scoring.matchers import MATCHERS, columns_beside, in_words, make_judge, with_prior
from qaldgen.scoring.notes import remark
from qaldgen.scoring.repeats import read_rule, unexplained_repeats
from qaldgen.scoring.rules import AUTO, Rules
from qaldgen.scoring.score import Scores
from qaldgen.scoring.words.extraction import make_extractor


def judge_run(gold: Gold, run: Run, rules: Rules) -> Scores:
    """Judge the answers of a run that was read, question by question."""
    matched = match_report(run, gold.questions)
    if rules.repeats_as is None and run.unnumbered:
        raise DataError(unexplained_repeats(run.unnumbered), where=run.name)
    with without_garbage_collection():
        rules = with_prior(gold.questions.questions, run, rules)
    judge, rule = make_judge(rules, gold.questions.questions), read_rule(rules.repeats_as)
    repeats = RepeatedAnswers(rule, rules.language, make_extractor(rules.extract))
    with collecting() as notes, without_garbage_collection():
        questions = _scored_questions(gold, rules)
        note(why_not_tested(gold, [run]), *run.notes, *matched)
        counted = count_answers(questions, run, judge, repeats)
        counts = counted.counts.join(columns_beside(questions, run, counted.counts, rules))
        scored = Scores(run, counts, rules, method=remark(questions, run, counted, rules, rule))
        doubts = guesses_of(counts, rules.prior)
        note(f"{run.name}: {doubts}" if doubts and doubts.guesses else "")
        note(_between(scored))
        note(abstention.remark(run.name, counts, scored.confidence))
        note(_near_misses(questions, scored))
    return dataclasses.replace(scored, notes=tuple(notes))


def _near_misses(questions: Sequence[Question], scores: Scores) -> str:
    """Say which wrong answers equal gold ones but for their spelling; or nothing."""
    f1 = scores.counts["f1"].astype(float)
    wrong = [
        question for question in questions if f1[question.id] < 1 and question.answers is not None
    ]
    better = [miss for miss in near_misses.near_misses(wrong, scores.run) if miss.f1 > f1[miss.id]]
    improved = f1.copy()
    improved.update(pd.Series({miss.id: miss.f1 for miss in better}, dtype=float))
    return near_misses.remark(better, scores.name, float(improved.mean()))


def _between(scores: Scores) -> str:
    """Say between what and what the score lies, as some answers are not judged; or nothing."""
    unknown = int((scores.counts["open"] > 0).sum())
    if not unknown:
        return ""
    least, most = scores["macro-f1"], scores.most()
    return (
        f"{scores.name}: {count(unknown, 'question')} not judged count as not right: macro F1 lies"
        f" between {least:.4f} and {most:.4f}, which it were if all of them were right"
    )


#: Warnings about gold questions by GERBIL's rules, by language; kept as long as the questions are.
_WARNINGS: WeakKeyDictionary[Gold, dict[str, list[str]]] = WeakKeyDictionary()


def _scored_questions(gold: Gold, rules: Rules) -> Sequence[Question]:
    """Return the questions that count, and tell about the gold: by its answers or the matcher."""
    note(*reading_notes(gold.questions))
    questions, name = gold.questions.questions, gold.questions.name
    auto = rules.match == AUTO
    if not in_words(questions) if auto else MATCHERS[rules.match].gerbil:
        kept = [
            question for question in questions if question.texts.get(language_tag(rules.language))
        ]
        # Cached: checking all gold answers again for each run would take as long as scoring it.
        known = _WARNINGS.setdefault(gold, {})
        if rules.language not in known:
            gone = [_without_text(questions, len(kept), rules.language)] * (
                len(kept) < len(questions)
            )
            known[rules.language] = [*load_warnings(kept, writing=False), *gone]
        note(*(f"{name}: {text}" for text in (*known[rules.language], *_copies(questions))))
        return kept
    kept = [question for question in questions if OUT_OF_SCOPE not in question.metadata]
    if len(kept) < len(questions):
        note(
            f"{name}: {len(questions) - len(kept)} questions are marked OUT OF SCOPE and not"
            " scored; GERBIL scores them"
        )
    note(*(f"{name}: {text}" for text in _copies(questions)))
    choose = None if auto else MATCHERS[rules.match].gold
    if choose is not None:
        with collecting() as about_others:
            scorable = choose(kept)
        note(*(f"{name}: {text}" for text in about_others))
        return scorable
    unknown = [question.id for question in kept if question.answers is None]
    if unknown:
        note(
            f"{name}: {len(unknown)} of {len(kept)} questions (first: {unknown[0]}) have no gold"
            " answers in the data; they count as empty, so an empty answer scores 1 there"
        )
    return kept


def _without_text(questions: Sequence[Question], kept: int, language: str) -> str:
    there = ", ".join(sorted({tag for question in questions for tag in question.texts}))
    if not kept:
        none = f"none of the questions ({len(questions):,}) has a text in {language!r}"
        return f"{none}, and nothing is scored; `language` may be {there}"
    return (
        f"{len(questions) - kept} of {len(questions)} questions have no text in {language!r} and"
        " are dropped, as by GERBIL"
    )


def _copies(questions: Sequence[Question]) -> list[str]:
    """Return a note on repeated ids; readers call the second question with id 7 ``7#2``."""
    copies = [
        match[1]
        for question in questions
        if "#" in question.id and (match := COPY.fullmatch(question.id))
    ]
    if not copies:
        return []
    text = f"ids that are used more than once: {len(copies):,} (first: {copies[0]})"
    return [f"{text}; each is scored with the one answer given"]


def on_editions(
    gold: Gold, scored: Sequence[Scores], others: Sequence[Gold]
) -> tuple[Gold, list[Scores]]:
    """Return the questions with what changed in other editions, and the scores on each of these."""
    if not others:
        return gold, list(scored)
    if any(run.by_judge for run in scored):
        raise UsageError(
            "`also_gold` needs rules that can be applied to each edition; a judge's verdicts hold"
            " for one, so choose another `match`"
        )
    changes = [compare_editions(gold.questions, other.questions) for other in others]
    golds: dict[str, Gold] = {}
    told = []
    for one in changes:
        taken = one.other in {gold.questions.name, *golds}
        golds[f"{one.other} ({len(golds) + 2})" if taken else one.other] = one.applied(gold)
        told.append(
            f"{len(one.changed):,} of {len(one.rows):,} gold answers differ in {one.other}"
            + f"; {len(one.only_gold):,} questions are not there and keep theirs"
            * bool(one.only_gold)
        )
    changed = frozenset(name for one in changes for name in one.changed)
    made = []
    for run in scored:
        on = {name: judge_run(edition, run.run, run.rules) for name, edition in golds.items()}
        editions = {gold.questions.name: run, **on}
        notes = (*run.notes, *told)
        made.append(dataclasses.replace(run, editions=editions, changed=changed, notes=notes))
    for change in reversed(changes):  # the first change is the one that counts
        gold = dataclasses.replace(gold, questions=change.marked(gold.questions))
    return gold, made

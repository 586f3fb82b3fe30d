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
    kind = None if rules.match == AUTO else MATCHERS[rules.match]
    by_gerbil = not in_words(questions) if kind is None else kind.gerbil
    if by_gerbil:
        scored = [
            question for question in questions if question.texts.get(language_tag(rules.language))
        ]
        # Cached: checking all gold answers again for each run would take as long as scoring it.
        warnings = _WARNINGS.setdefault(gold, {})
        if rules.language not in warnings:
            warnings[rules.language] = load_warnings(scored, writing=False)
        note(*(f"{name}: {text}" for text in warnings[rules.language]))
        if not scored:
            tags = ", ".join(sorted({tag for question in questions for tag in question.texts}))
            note(
                f"{name}: none of the questions ({len(questions):,}) has a text in"
                f" {rules.language!r}, and nothing is scored; `language` may be {tags}"
            )
        elif len(scored) < len(questions):
            note(
                f"{name}: {len(questions) - len(scored)} of {len(questions)} questions have no text"
                f" in {rules.language!r} and are dropped, as by GERBIL"
            )
        note(*(f"{name}: {text}" for text in _copies(questions)))
        return scored
    scored = [question for question in questions if OUT_OF_SCOPE not in question.metadata]
    if len(scored) < len(questions):
        note(
            f"{name}: {len(questions) - len(scored)} questions are marked OUT OF SCOPE and not"
            " scored; GERBIL scores them"
        )
    note(*(f"{name}: {text}" for text in _copies(questions)))
    if kind is not None and kind.gold is not None:
        with collecting() as about_others:
            scorable = kind.gold(scored)
        note(*(f"{name}: {text}" for text in about_others))
        return scorable
    unknown = [question.id for question in scored if question.answers is None]
    if unknown:
        note(
            f"{name}: {len(unknown)} of {len(scored)} questions (first: {unknown[0]}) have no gold"
            " answers in the data; they count as empty, so an empty answer scores 1 there"
        )
    return scored


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
    notes = []
    for change in changes:
        taken = change.other in {gold.questions.name, *golds}
        name = f"{change.other} ({len(golds) + 2})" if taken else change.other
        golds[name] = change.applied(gold)
        text = f"{len(change.changed):,} of {len(change.rows):,} gold answers differ in"
        text += f" {change.other}"
        if change.only_gold:
            text += f"; {len(change.only_gold):,} questions are not there and keep theirs"
        notes.append(text)
    changed = frozenset(name for change in changes for name in change.changed)
    on_all = []
    for scores in scored:
        editions = {gold.questions.name: scores}
        for name, edition in golds.items():
            editions[name] = judge_run(edition, scores.run, scores.rules)
        on_all.append(
            dataclasses.replace(
                scores, editions=editions, changed=changed, notes=(*scores.notes, *notes)
            )
        )
    for change in reversed(changes):  # the first change is the one that counts
        gold = dataclasses.replace(gold, questions=change.marked(gold.questions))
    return gold, on_all

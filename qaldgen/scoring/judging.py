"""Judge a run: select the questions that count, count their answers, and write notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pandas as pd

from qaldgen.answers.question_matching import match_report
from qaldgen.answers.record import COPY, Run
from qaldgen.benchmark.editions import compare_editions
from qaldgen.benchmark.gold import Gold, why_not_tested
from qaldgen.errors import UsageError
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.notes import collecting, note
from qaldgen.model import Question, QuestionSet
from qaldgen.questions.gerbil import load_warnings
from qaldgen.questions.question_texts import OUT_OF_SCOPE, language_tag
from qaldgen.questions.reading import reading_notes
from qaldgen.scoring.count_table import answers_to, count_answers
from qaldgen.scoring.guesses import SURE
from qaldgen.scoring.matchers import MATCHERS, extraction_for, make_scorer
from qaldgen.scoring.repeats import check_explained
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.run_notes import method_sentence, run_notes
from qaldgen.scoring.score import Scores


class RunScorer:
    """Judges runs on the same questions by the same rules.

    Which questions count is decided when the first run is judged, and holds for the others: a check
    of the gold answers takes as long as judging a run.
    """

    def __init__(self, gold: Gold, rules: Rules) -> None:
        self.gold, self.rules = gold, rules
        self._counted_questions: Sequence[Question] | None = None
        self._gold_notes: tuple[str, ...] = ()

    def score(self, run: Run) -> Scores:
        """Judge the answers of a run that was read, question by question."""
        gold, rules = self.gold, self.rules
        matched = match_report(run, gold.questions)
        check_explained(run, rules.repeats_as)
        with collecting() as notes, without_garbage_collection():
            questions = gold.questions.questions
            # all answers tell about the run, also those to questions that do not count
            all_answered = answers_to(questions, run, rules.extract)
            scorer = make_scorer(rules, questions, all_answered)

            if self._counted_questions is None:
                with collecting() as gold_notes:
                    self._counted_questions = _questions_that_count(
                        gold.questions, rules.match, rules.language, as_gerbil=scorer.as_gerbil
                    )
                self._gold_notes = tuple(gold_notes)
            counted_questions = self._counted_questions
            note(*self._gold_notes, why_not_tested(gold, [run]), *run.notes, *matched)

            ids = {question.id for question in counted_questions}
            answered = [pair for pair in all_answered if pair[0].id in ids]
            counts = count_answers(answered, scorer)
            extra_columns = [pd.DataFrame(index=counts.index[:0])]
            for name, matcher_counts in counts.groupby("matcher", sort=False):
                make_columns = MATCHERS[str(name)].extra_columns
                if make_columns is not None:
                    extract = extraction_for(str(name), rules.extract)
                    matcher_rules = scorer.rules._replace(extract=extract)
                    values = make_columns(counted_questions, run, matcher_counts, matcher_rules)
                    extra_columns.append(pd.DataFrame(dict(values), index=matcher_counts.index))
            counts = counts.join(pd.concat(extra_columns).reindex(counts.index))
            if SURE in counts:  # no rule of the other matchers guesses
                counts[SURE] = counts[SURE].astype(float).fillna(1.0)
            scores = Scores(run, counts, scorer.rules)
            aggregation = scorer.repeats.aggregation
            note(*run_notes(answered, scores, aggregation))
            method = method_sentence(answered, scores, aggregation)
        return dataclasses.replace(scores, method=method, notes=tuple(notes))


def _questions_that_count(
    gold: QuestionSet, match: str, language: str, *, as_gerbil: bool
) -> Sequence[Question]:
    """Return the questions that count by a matcher; note which do not."""
    note(*reading_notes(gold))
    questions, name = gold.questions, gold.name

    if as_gerbil:
        tag = language_tag(language)
        scorable = [question for question in questions if question.texts.get(tag)]
        for text in load_warnings(scorable, writing=False):
            note(f"{name}: {text}")
        if not scorable:
            tags = set[str]().union(*(question.texts for question in questions))
            raise UsageError(
                f"none of the questions ({len(questions):,}) has a text in {language!r};"
                f" `language` may be {', '.join(sorted(tags))}",
                where=name,
            )
        if len(scorable) < len(questions):
            note(
                f"{name}: {len(questions) - len(scorable)} of {len(questions)} questions have no"
                f" text in {language!r} and are dropped, as by GERBIL"
            )
        note(_duplicate_ids_note(gold))
        return scorable

    scorable = [question for question in questions if OUT_OF_SCOPE not in question.metadata]
    if len(scorable) < len(questions):
        note(
            f"{name}: {len(questions) - len(scorable)} questions are marked OUT OF SCOPE and not"
            " scored; GERBIL scores them"
        )
    note(_duplicate_ids_note(gold))

    matcher = MATCHERS.get(match)
    if matcher is not None and matcher.gold is not None:
        with collecting() as gold_notes:
            with_gold = matcher.gold(scorable)
        for text in gold_notes:
            note(f"{name}: {text}")
        return with_gold

    ids = [question.id for question in scorable if question.answers is None]
    if ids:
        note(
            f"{name}: {len(ids)} of {len(scorable)} questions (first: {ids[0]}) have no gold"
            " answers in the data; they count as empty, so an empty answer scores 1 there"
        )
    return scorable


def _duplicate_ids_note(gold: QuestionSet) -> str:
    """Return a note on ids that occur twice; readers call the second question with id 7 ``7#2``."""
    ids = []
    for question in gold:
        match = COPY.fullmatch(question.id)
        if match and match[1] in gold.by_id:
            ids.append(match[1])
    if not ids:
        return ""
    text = f"ids that are used more than once: {len(ids):,} (first: {ids[0]})"
    return f"{gold.name}: {text}; each is scored with the one answer given"


def on_editions(
    gold: Gold, all_scores: Sequence[Scores], editions: Sequence[Gold]
) -> tuple[Gold, list[Scores]]:
    """Return the questions with the changes of other editions, and the scores on each edition."""
    if not editions:
        return gold, list(all_scores)
    if any(scores.by_judge for scores in all_scores):
        raise UsageError(
            "`also_gold` needs rules that can be applied to each edition; a judge's verdicts hold"
            " for one, so choose another `match`"
        )

    changes = [compare_editions(gold.questions, edition.questions) for edition in editions]

    golds: dict[str, Gold] = {}
    changed_ids = set[str]()
    notes = []
    for change in changes:
        name = change.other
        if name == gold.questions.name or name in golds:
            name = f"{name} ({len(golds) + 2})"
        golds[name] = change.apply_to(gold)
        changed_ids.update(change.changed)
        changed_answers = f"{len(change.changed):,} of {len(change.rows):,} gold answers"
        text = f"{changed_answers} differ in {change.other}"
        if change.only_gold:
            text += f"; {len(change.only_gold):,} questions are not there and keep theirs"
        notes.append(text)

    extended_scores = []
    for scores in all_scores:
        by_edition = {gold.questions.name: scores}
        for name, edition in golds.items():
            by_edition[name] = RunScorer(edition, scores.rules).score(scores.run)
        extended_scores.append(
            dataclasses.replace(
                scores,
                editions=by_edition,
                changed=frozenset(changed_ids),
                notes=(*scores.notes, *notes),
            )
        )

    questions = gold.questions
    for change in reversed(changes):  # the first change is the one that counts
        questions = change.mark(questions)
    return dataclasses.replace(gold, questions=questions), extended_scores

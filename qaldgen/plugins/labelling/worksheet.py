"""Worksheets of answers to be labelled by hand, to score a run or to compare several."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

import pandas as pd

from qaldgen.analysis.comparing.hand_labels import cell_text
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import LANGUAGE, SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_integer
from qaldgen.io.text import few
from qaldgen.options import PositiveInt, Seed
from qaldgen.plugins.labelling.deciding import rank_deciding
from qaldgen.plugins.labelling.label_pool import (
    Item,
    describe_drawing,
    draw,
    label_pool,
    restore_strata,
)
from qaldgen.plugins.labelling.page import Form, label_page
from qaldgen.plugins.labelling.sheets import (
    COLUMNS,
    check_answers,
    dump_sheet,
    read_sheet,
    unlabelled_rows,
)
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation, evaluate_one
from qaldgen.scoring.score import AnyRun

_FORM = Form(
    question="Is the answer right?",
    marks={"y": "right", "n": "wrong", "p": "partly"},
    columns=COLUMNS,
    column_by_heading={
        "Question": "question",
        "Gold answer": "gold",
        "Answer of the system": "answer",
    },
    key=("id", "answer"),
)


@dataclasses.dataclass(frozen=True)
class Worksheet:
    """Answers to be labelled by hand.

    Attributes
    ----------
    items : tuple of Item
        In the order in which to label them: every prefix is a sample.
    drawn : str
        The description of their drawing.
    language : str
        Language of the wordings.
    answers, questions : int
        The numbers of all answers and of all questions; questions without an answer are wrong.
    labels : mapping of str to str
        The labels of an earlier worksheet.
    guesses, all_guesses : int
        The number of guesses among the verdicts of `contains` on these answers and on all; 0 if
        answers are not in words.
    notes : tuple of str
        Remarks on the questions.
    """

    items: tuple[Item, ...]
    drawn: str
    language: str
    answers: int
    questions: int
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    guesses: int = 0
    all_guesses: int = 0
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: the number of answers, and the description of their drawing."""
        return f"<Worksheet: {len(self.items):,} answers to label, {self.drawn}>"

    def __str__(self) -> str:
        """Return a sentence with the numbers of answers to label and of all."""
        drawn = len(self.items)
        text = f"{drawn} of {self.answers:,} answers are to be labelled"
        if self.all_guesses:
            text += (
                f" (guesses first: {self.guesses} of {self.all_guesses:,}; sure verdicts:"
                f" {drawn - self.guesses} of {self.answers - self.all_guesses:,})"
            )
        unanswered = self.questions - self.answers
        if unanswered:
            text += (
                f"; the other {unanswered:,} of {self.questions:,} questions have no answer, which"
                " counts as wrong"
            )
        return text

    def csv(self) -> str:
        """Return the worksheet as CSV with an empty column of labels."""
        return dump_sheet(self.items, self.drawn, self.language)

    def page(self, name: str = "worksheet.csv") -> str:
        """Return a page that works with the keyboard alone and saves the worksheet under a name.

        Parameters
        ----------
        name
            The name of the file that the page saves.

        Returns
        -------
        str
            HTML.
        """
        rows = unlabelled_rows(self.items, self.drawn, self.language)
        answers = {item.question.id: cell_text(item.given) for item in self.items}
        labels: dict[tuple[str, ...], str] = {
            (question_id, answers[question_id]): mark for question_id, mark in self.labels.items()
        }
        return label_page(_FORM, rows, name, labels)


def label(
    gold: AnyGold | Evaluation,
    run: AnyRuns = None,
    size: PositiveInt = 60,
    *,
    random_state: Seed = SEED,
    language: str = LANGUAGE,
    resume: str | Path | None = None,
    purpose: Literal["score", "compare"] = "score",
) -> Worksheet:
    """Draw answers of a run to be labelled by hand.

    Of answers in words, those are drawn more often on which the verdict of `contains` is a guess,
    with known probabilities; `score_labels` takes them into account.

    Parameters
    ----------
    gold
        The questions; or what `evaluate` returns, of one run, or of several to compare.
    run
        The answers; None if the questions have those of one system in a column of their own. To
        compare, several runs as for `evaluate`.
    size
        Number of answers to label.
    random_state
        Seed of the sample.
    language
        Language of the texts to show; an evaluation has its own.
    resume
        Partly labelled worksheet of this sample; the page continues from it.
    purpose
        What the labels are for: ``score`` (a random sample of one run) or ``compare``.

        To compare, the answers in words of several runs that decide which is better: doubtful ones,
        where close runs differ. They are no random sample; `compare` takes them.

    Returns
    -------
    Worksheet
        The sample; ``.csv()`` and ``.page()`` write it.

    Raises
    ------
    UsageError
        If there are fewer answers than labels, or the worksheet to go on with is of another sample.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> label(gold, {f"{n}": "7" for n in range(60)}, 5)
    <Worksheet: 5 answers to label, lpm of 60 answers, guesses first, seed 0>
    """
    if purpose == "compare":
        if resume is not None:
            raise UsageError(
                "`resume` goes on with a sample of one run; `purpose` compare has none"
            )
        return _draw_deciding(as_evaluation(gold, run, language=language), size)

    evaluation = evaluate_one(gold, cast("AnyRun", run), language=language)
    pool = label_pool(evaluation)

    sheet = None
    if resume is not None:
        sheet = read_sheet(resume)
        pool = restore_strata(pool, sheet.drawn)
    drawing = describe_drawing(pool, random_state)
    items = tuple(draw(pool, size, random_state))

    labels = {}
    if sheet is not None:
        # a sheet can only be continued with the same answers, seed and order
        sampled_ids = {item.question.id for item in items}
        if sheet.drawn != drawing or not set(sheet.listed) <= sampled_ids:
            earlier = sheet.drawn or "not drawn here"
            raise UsageError(
                f"belongs to another sample ({earlier}, now {drawing})", where=str(resume)
            )
        check_answers(sheet, pool.items, str(resume))
        marks = {1.0: "y", 0.0: "n", 0.5: "p"}
        labels = {name: marks.get(value, str(value)) for name, value in sheet.labels.items()}
        labels |= dict.fromkeys(sheet.skipped, "s")

    untested_note = why_not_tested(evaluation.gold, [evaluation[0].run])
    notes = (untested_note,) if untested_note else ()
    return Worksheet(
        items=items,
        drawn=drawing,
        language=evaluation.language,
        answers=len(pool.items),
        questions=pool.total,
        labels=labels,
        guesses=pool.guesses(items),
        all_guesses=pool.guesses(pool.items),
        notes=notes,
    )


def _draw_deciding(evaluation: Evaluation, size: int) -> Worksheet:
    """Return the answers whose labels help most to decide which of several runs is better."""
    check_integer("n", size, 1)
    if len(evaluation) < 2:
        raise UsageError("labels to compare need two runs or more; name them")
    certain = [scores.name for scores in evaluation if scores.sure is None]
    if certain:
        raise UsageError(
            f"{few(certain)}: no answer is in words, so no verdict is in doubt; 'compare' needs no"
            " labels"
        )

    items = {}
    for question in evaluation.gold.questions:
        for scores in evaluation:
            response = scores.run.response(question.id)
            items[question.id, scores.name] = Item(question, response)

    probabilities = {}
    errors = {}
    for scores in evaluation:
        if scores.sure is not None:
            is_right = scores.counts["hit"].astype(bool)
            probabilities[scores.name] = scores.sure.where(is_right, 1 - scores.sure)
        if scores.rules.prior:
            errors[scores.name] = scores.rules.prior.error

    table = pd.DataFrame(probabilities)
    answers = pd.Series({pair: item.given for pair, item in items.items()}).unstack()
    pairs = rank_deciding(table, answers.loc[table.index, table.columns], errors)
    if not pairs:
        raise DataError("no label decides: where the runs differ, every verdict is certain")

    return Worksheet(
        items=tuple(items[pair] for pair in pairs[:size]),
        drawn=f"those that decide between {few([scores.name for scores in evaluation])}",
        language=evaluation.language,
        answers=len(pairs),
        questions=len(pairs),
    )

"""Draw answers of a run to be labelled by hand, and say how well two labellers agree."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from qaldgen.analysis.labelling.drawing import Item, Labelled, draw, labelled
from qaldgen.analysis.labelling.estimate import agreement
from qaldgen.analysis.labelling.page import labelling_page
from qaldgen.analysis.labelling.worksheet import (
    Sheet,
    as_drawn,
    check_answers,
    drawn_as,
    dump_sheet,
    read_sheet,
)
from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import count, helpful
from qaldgen.options import Count, Seed
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Run
from qaldgen.scoring.gold import AnyGold, as_gold


@helpful
@dataclasses.dataclass(frozen=True)
class Worksheet:
    """Answers to be labelled by hand.

    Attributes
    ----------
    items : tuple of Item
        In the order in which to label them: every prefix is a sample.
    drawn : str
        How they were drawn.
    language : str
        Language of the wordings.
    answers, questions : int
        How many answers there are in all, and how many questions; those without an answer are
        wrong.
    labels : mapping of str to str
        What was labelled before.
    guesses, all_guesses : int
        How many verdicts of `contains` on these are guesses, and how many of all; 0 if answers are
        not in words.
    """

    items: tuple[Item, ...]
    drawn: str
    language: str
    answers: int
    questions: int
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    guesses: int = 0
    all_guesses: int = 0

    def csv(self) -> str:
        """Return the worksheet with an empty column."""
        return dump_sheet(self.items, self.drawn, self.language)

    def page(self, name: str = "worksheet.csv") -> str:
        """Return a page that works with the keyboard alone and saves the worksheet under a name.

        Parameters
        ----------
        name
            Of the file that the page saves.

        Returns
        -------
        str
            HTML.
        """
        return labelling_page(
            self.items, self.drawn, name, language=self.language, labels=self.labels
        )


def label(
    gold: AnyGold,
    run: str | Path | Run,
    size: Count = 60,
    *,
    random_state: Seed = 0,
    language: str = "en",
    resume: str | Path | None = None,
) -> Worksheet:
    """Draw answers of a run to be labelled by hand.

    Of answers in words, those are drawn more often on which the verdict of `contains` is a guess,
    with known probabilities; `score_labels` takes them into account.

    Parameters
    ----------
    gold
        The questions.
    run
        The answers.
    size
        Number of answers to label.
    random_state
        Seed of the sample.
    language
        Language of the texts to show.
    resume
        Partly labelled worksheet of this sample; the page continues from it.

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
    """
    asked = as_gold(gold, language=language)
    if not isinstance(run, Run):
        run = read_run(run, gold=asked.questions, language=language)
    answers = labelled(asked, run, language)
    before = None if resume is None else read_sheet(resume)
    if before is not None:
        answers = as_drawn(answers, before.drawn)
    drawn = drawn_as(answers, random_state)
    items = tuple(draw(answers, size, random_state))
    labels = {} if before is None else _labels_before(before, str(resume), answers, items, drawn)
    guesses = (answers.guesses(items), answers.guesses(answers.items))
    return Worksheet(items, drawn, language, len(answers.items), answers.total, labels, *guesses)


def _labels_before(
    sheet: Sheet, resume: str, answers: Labelled, items: tuple[Item, ...], drawn: str
) -> dict[str, str]:
    """Return what was labelled before, as the labeller typed it."""
    # a sheet can only be continued with the same answers, seed and order
    if sheet.drawn != drawn or not set(sheet.listed) <= {item.question.id for item in items}:
        raise UsageError(
            f"{resume}: belongs to another sample ({sheet.drawn or 'not drawn here'}, now {drawn})"
        )
    check_answers(sheet, answers.items, resume)
    words = {1.0: "y", 0.0: "n", 0.5: "p"}
    labels = {name: words.get(value, str(value)) for name, value in sheet.labels.items()}
    return labels | dict.fromkeys(sheet.skipped, "s")


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How two labellers agree."""

    answers: int  # labelled by both
    #: The share on which they agree, and Cohen's kappa: the same, corrected for chance.
    agreement: float
    kappa: float
    #: The mean label of each.
    first: float
    second: float
    differing: tuple[str, ...]  # the questions on which they differ

    def __str__(self) -> str:
        """Return it in words."""
        kappa = (
            "not defined: both give one label throughout"
            if self.kappa != self.kappa
            else f"{self.kappa:.2f}"
        )
        where = f"; they differ on {', '.join(self.differing[:10])}" if self.differing else ""
        more = f" and {len(self.differing) - 10} more" if len(self.differing) > 10 else ""
        return (
            f"{count(self.answers, 'answer')} labelled by both: they agree on {self.agreement:.1%}"
            f" (kappa {kappa}); {self.first:.1%} and {self.second:.1%} are right by"
            f" them{where}{more}"
        )


def agree(first: str | Path, second: str | Path) -> Agreement:
    """Say how well two labellers agree on the answers that both have labelled."""
    labels, others = read_sheet(first).labels, read_sheet(second).labels
    both = [name for name in labels if name in others]
    if not both:
        raise DataError(f"{first} and {second} have no labelled answer in common")
    a, b = (np.array([each[name] for name in both]) for each in (labels, others))
    agreed, kappa = agreement(a, b)
    differing = tuple(name for name in both if labels[name] != others[name])
    return Agreement(len(both), agreed, kappa, float(a.mean()), float(b.mean()), differing)

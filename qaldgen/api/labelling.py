"""Hand labels on a small sample of answers.

Worksheets, what they say about all answers, and how well two labellers agree.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qaldgen.analysis import controls
from qaldgen.analysis.labelling import estimate as estimates
from qaldgen.analysis.labelling.drawing import Item, Labelled, draw, labelled
from qaldgen.analysis.labelling.worksheet import (
    Sheet,
    changed_answers,
    drawn_as,
    dump_sheet,
    is_sheet,
    read_sheet,
)
from qaldgen.analysis.scores import resolved, score_run
from qaldgen.api.options import Scoring, take_last
from qaldgen.api.questions import AnyGold, Gold, gold_of
from qaldgen.errors import DataError, UsageError
from qaldgen.reports.page.labelling import labelling_page
from qaldgen.runs.given import count
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Run
from qaldgen.scoring.judging import JUDGE, Verdicts
from qaldgen.scoring.matchers import MATCHERS

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.controls import Array

__all__ = ["Agreement", "LabelScores", "Worksheet", "agree", "is_sheet", "label", "score_labels"]


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
    """

    items: tuple[Item, ...]
    drawn: str
    language: str
    answers: int
    questions: int
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)

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
    gold: AnyGold, run: str | Path | Run, size: int = 60, *, language: str = "en",
    random_state: int = 0, resume: str | Path | None = None,
) -> Worksheet:  # fmt: skip
    """Draw answers of a run to be labelled by hand.

    Parameters
    ----------
    gold
        The questions.
    run
        The answers.
    size
        How many labels.
    language
        The language of the wordings.
    random_state
        The seed.
    resume
        A worksheet of the same sample that is partly labelled.

    Returns
    -------
    Worksheet
        The sample; ``.csv()`` and ``.page()`` write it.

    Raises
    ------
    UsageError
        If more labels are wanted than there are answers, or the worksheet to go on with is of
        another sample.
    DataError
        If a file cannot be read.
    """
    asked = gold_of(gold, language=language)
    answers = (
        run if isinstance(run, Run) else read_run(run, gold=asked.questions, language=language)
    )
    of = labelled(asked, answers, language)
    drawn = drawn_as(of, random_state)
    items = tuple(draw(of, size, random_state))
    before: dict[str, str] = {}
    if resume is not None:
        sheet = read_sheet(resume)
        # a sheet can only be continued with the same answers, seed and order
        if sheet.drawn != drawn or not set(sheet.listed) <= {item.question.id for item in items}:
            raise UsageError(
                f"{resume}: belongs to another sample ({sheet.drawn or 'not drawn here'}, now"
                f" {drawn})"
            )
        _check_answers(of, sheet, resume)
        # the page shows what the labeller typed, not numbers
        words = {1.0: "y", 0.0: "n", 0.5: "p"}
        before = {name: words.get(value, str(value)) for name, value in sheet.labels.items()}
        before |= dict.fromkeys(sheet.skipped, "s")
    return Worksheet(items, drawn, language, len(of.items), of.total, before)


@dataclasses.dataclass(frozen=True)
class LabelScores:
    """What hand labels say about all answers.

    Attributes
    ----------
    table : DataFrame
        One row for the labels alone, and one for each automatic verdict: ``run``, ``estimator``,
        ``accuracy``, ``low``, ``high``, ``labels``, ``answers``, ``questions``, ``verdict`` (the
        accuracy that the automatic verdict claims by itself), ``agreement``, ``kappa``, and
        ``effective_size`` (random labels that would be as informative).
    pairs : DataFrame
        One row per labelled answer (index: the question's id): ``label``, and each automatic
        verdict.
    notes : tuple of str
        What a user should know.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the notes and the table."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False)])


def score_labels(
    gold: AnyGold,
    run: str | Path | Run,
    labels: str | Path,
    proxies: Sequence[str | Path | Verdicts] = (),
    **options: Any,  # noqa: ANN401 - those of `score`
) -> LabelScores:
    """Estimate the share of right answers from hand labels and automatic verdicts on all answers.

    Parameters
    ----------
    gold
        The questions.
    run
        The answers.
    labels
        The worksheet.
    proxies
        Matchers, what `judge` returned, or files with verdicts (columns ``id`` and ``label``).
    **options
        See `score`; ``match`` is the proxy where none is named.

    Returns
    -------
    LabelScores
        The accuracy with its interval, and how each verdict agrees.

    Raises
    ------
    UsageError
        If there is no such matcher.
    DataError
        If a file cannot be read, or there are too few labels.
    """
    import pandas as pd

    how = take_last(Scoring, options, "score_labels")
    asked = gold_of(gold, language=how.language)
    answers = (
        run if isinstance(run, Run) else read_run(run, gold=asked.questions, language=how.language)
    )
    of, sheet = labelled(asked, answers, how.language), read_sheet(labels)
    notes, how = _checked(of, sheet, str(labels)), resolved(asked, [answers], how)
    verdicts = {
        JUDGE if isinstance(one, Verdicts) else str(one): _verdicts(
            asked, answers, one, how, of, sheet, notes
        )
        for one in proxies or [how.match if isinstance(how.match, Verdicts) else how.matcher]
    }
    pairs = pd.DataFrame(
        {"label": sheet.labels}
        | {name: one.loc[list(sheet.labels)] for name, one in verdicts.items()}
    )
    rows = [_row(answers.name, of, pairs, "", None, sheet)]
    rows += [_row(answers.name, of, pairs, name, one, sheet) for name, one in verdicts.items()]
    return LabelScores(pd.DataFrame(rows), pairs.rename_axis("id"), tuple(notes))


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How two labellers agree.

    Attributes
    ----------
    answers : int
        Labelled by both.
    agreement, kappa : float
        The share on which they agree, and Cohen's kappa: the same, corrected for chance.
    first, second : float
        The mean label of each.
    differing : tuple of str
        The questions on which they differ.
    """

    answers: int
    agreement: float
    kappa: float
    first: float
    second: float
    differing: tuple[str, ...]

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
    """Say how well two labellers agree on the answers that both have labelled.

    Parameters
    ----------
    first, second
        Their worksheets.

    Raises
    ------
    DataError
        If a file cannot be read, or they have no answer in common.
    """
    one, two = read_sheet(first).labels, read_sheet(second).labels
    both = [name for name in one if name in two]
    if not both:
        raise DataError(f"{first} and {second} have no labelled answer in common")
    a, b = (np.array([own[name] for name in both]) for own in (one, two))
    agreed, kappa = estimates.agreement(a, b)
    differing = tuple(name for name in both if one[name] != two[name])
    return Agreement(len(both), agreed, kappa, float(a.mean()), float(b.mean()), differing)


def _checked(of: Labelled, sheet: Sheet, path: str) -> list[str]:
    """Refuse labels of other answers; say how they were drawn, and what does not count."""
    known = [item.question.id for item in of.items]
    foreign = [name for name in sheet.listed if name not in set(known)]
    if foreign:
        raise DataError(
            f"{path}: this run has no answer to {count(len(foreign), 'question')} of it (first:"
            f" {foreign[0]}); is it the worksheet of another run?"
        )
    _check_answers(of, sheet, path)
    notes = []
    if not sheet.drawn:
        notes.append(
            f"{path}: does not say how its answers were drawn; they are taken for a random sample"
            " of all answers"
        )
    else:
        seed = sheet.drawn.rpartition(" ")[2]
        # draw again with the stated seed: a changed sheet is no longer a random sample
        again = (
            of.order(int(seed)) if seed.isdigit() and drawn_as(of, int(seed)) == sheet.drawn else []
        )
        if [item.question.id for item in again[: len(sheet.listed)]] != list(sheet.listed):
            raise DataError(
                f"{path}: its answers are not those that were drawn from this run ({sheet.drawn};"
                f" there are {len(known)} answers now); use the gold file and run of the"
                " worksheet, and leave its rows unchanged"
            )
    if sheet.skipped:
        notes.append(
            f"{path}: {count(len(sheet.skipped), 'answer')} skipped (first: {sheet.skipped[0]}) and"
            " left out, as if missing at random; if the hard ones were skipped, the accuracy is"
            " wrong by up to the share of them"
        )
    if sheet.later:
        notes.append(
            f"{path}: {count(sheet.later, 'label')} after the first empty one left out; keep to the"
            " order of the sheet"
        )
    return notes


def _check_answers(of: Labelled, sheet: Sheet, path: str | Path) -> None:
    """Refuse labels of answers that the run no longer gives."""
    changed = changed_answers(sheet, of.items)
    if changed:
        raise DataError(
            f"{path}: not the answers of this run to {count(len(changed), 'question')} (first:"
            f" {changed[0]}); labels belong to the answers that were labelled, so name the run"
            " that was labelled"
        )


def _verdicts(
    gold: Gold,
    run: Run,
    proxy: str | Path | Verdicts,
    how: Scoring,
    of: Labelled,
    sheet: Sheet,
    notes: list[str],
) -> pd.Series[float]:
    """Return the automatic verdict on every answer; NaN for those that it cannot judge."""
    import pandas as pd

    name = JUDGE if isinstance(proxy, Verdicts) else str(proxy)
    if isinstance(proxy, Verdicts) or name in MATCHERS:
        match = proxy if isinstance(proxy, Verdicts) else name
        found = score_run(gold, run, dataclasses.replace(how, match=match)).counts["f1"]
        notes += [*proxy.notes, proxy.method] if isinstance(proxy, Verdicts) else []
    elif Path(name).exists():
        found = pd.Series(read_sheet(name).labels, dtype=float)
    else:
        raise UsageError(
            f"--proxy {name}: is neither a matcher ({', '.join(MATCHERS)}) nor a file of verdicts"
        )
    ids = [item.question.id for item in of.items]
    absent = [one for one in ids if one not in found.index]
    if len(absent) == len(ids):
        raise DataError(
            f"--proxy {name}: has no verdict on any of the {len(ids):,} answers; ids must be those"
            " of the questions"
        )
    # Such verdicts depend on who was drawn, and say nothing about the other answers.
    if absent and sheet.labels.keys() >= set(ids) - set(absent):
        raise DataError(
            f"--proxy {name}: has verdicts on labelled answers only; a proxy must judge the answers"
            " without a label too, and labels cannot be their own proxy"
        )
    if absent:
        notes.append(
            f"{name}: no verdict on {count(len(absent), 'answer')} (first: {absent[0]}); they are"
            " neither right nor wrong by it, and it helps nothing there"
        )
    return found.reindex(ids).astype(float)


def _row(
    run: str,
    of: Labelled,
    pairs: pd.DataFrame,
    name: str,
    verdicts: pd.Series[float] | None,
    sheet: Sheet,
) -> dict[str, object]:
    """Return one row of the table: the labels alone, or with a verdict."""
    labels = pairs["label"].to_numpy(dtype=float)
    judged = None if verdicts is None else pairs[name].to_numpy(dtype=float)
    # Labels only: no answer has a verdict, so all are in one group.
    every: Array = np.full(len(of.items), np.nan)
    if verdicts is not None:
        every = np.asarray(verdicts, dtype=np.float64)
    places = {item.question.id: at for at, item in enumerate(of.items)}
    chosen = np.array([places[str(one)] for one in pairs.index], dtype=np.intp)
    near = controls.neighbours_of(of.features[chosen], len(of.items)) if sheet.drawn else None
    found = estimates.accuracy(labels, chosen, every, of.total, near)
    agreed, kappa = _agreement(labels, judged)
    return {
        "run": run,
        "estimator": f"with {name}" if name else "labels alone",
        "accuracy": found.estimate,
        "low": found.low,
        "high": found.high,
        "labels": len(labels),
        "answers": len(of.items),
        "questions": of.total,
        "verdict": (
            float("nan") if verdicts is None else float(verdicts.mean()) * len(of.items) / of.total
        ),
        "agreement": agreed,
        "kappa": kappa,
        "effective_size": found.effective_size,
    }


def _agreement(labels: Array, judged: Array | None) -> tuple[float, float]:
    """Return agreement and kappa of the labels with the available verdicts."""
    there = np.zeros(0, dtype=int) if judged is None else np.flatnonzero(~np.isnan(judged))
    if judged is None or not len(there):
        return float("nan"), float("nan")
    return estimates.agreement(labels[there], judged[there])

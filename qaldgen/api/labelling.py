"""Hand labels on a small sample of answers.

Worksheets, what they say of all answers, and how two labellers agree.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qaldgen.analysis import controls
from qaldgen.analysis.labelling import estimate as estimates
from qaldgen.analysis.labelling.drawing import Item, Labelled, draw, labelled
from qaldgen.analysis.labelling.worksheet import Sheet, drawn_as, dump_sheet, is_sheet, read_sheet
from qaldgen.api.options import Scoring, ScoringOptions, spelled_out, take_last
from qaldgen.api.questions import AnyGold, Gold, gold_of
from qaldgen.api.scoring import MATCHERS, read_run, score_run
from qaldgen.errors import DataError, UsageError
from qaldgen.reports.page.labelling import labelling_page
from qaldgen.runs.given import count
from qaldgen.runs.record import Run

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

    from qaldgen.analysis.controls import Array

__all__ = ["Agreement", "LabelScores", "Worksheet", "agree", "is_sheet", "label", "score_labels"]


@dataclasses.dataclass(frozen=True)
class Worksheet:
    """Answers to be labelled by hand.

    Attributes
    ----------
    items : tuple of Item
        In the order in which they should be labelled: every beginning is a sample.
    drawn : str
        How they were drawn.
    language : str
        Of the wordings.
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
        """Return a page that is used by keys alone and saves the worksheet under a name.

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
                f"{resume}: is of another sample ({sheet.drawn or 'not drawn here'}, now {drawn})"
            )
        # the page shows what the labeller typed, not numbers
        words = {1.0: "y", 0.0: "n", 0.5: "p"}
        before = {name: words.get(value, str(value)) for name, value in sheet.labels.items()}
        before |= dict.fromkeys(sheet.skipped, "s")
    return Worksheet(items, drawn, language, len(of.items), of.total, before)


@dataclasses.dataclass(frozen=True)
class LabelScores:
    """What hand labels say of all answers.

    Attributes
    ----------
    table : DataFrame
        One row for the labels alone, and one for each automatic verdict: ``run``, ``estimator``,
        ``accuracy``, ``low``, ``high``, ``labels``, ``answers``, ``questions``, ``verdict`` (the
        accuracy that the automatic verdict claims by itself), ``agreement``, ``kappa``, and
        ``effective_size`` (labels of a random sample that would tell as much).
    pairs : DataFrame
        One row a labelled answer (index: the question's id): ``label``, and each automatic verdict.
    notes : tuple of str
        What a user should know.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what there is to know, and the table."""
        return "\n\n".join([*self.notes, self.table.to_string(index=False)])


@spelled_out(Scoring)
def score_labels(
    gold: AnyGold,
    run: str | Path | Run,
    labels: str | Path,
    proxies: Sequence[str | Path] = (),
    **options: Unpack[ScoringOptions],
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
        Matchers, or files with verdicts (columns ``id`` and ``label``), such as those of a judge.
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
    notes = _checked(of, sheet, str(labels))
    wanted = [str(one) for one in proxies] or [how.match]
    verdicts = {name: _verdicts(asked, answers, name, how, of, notes) for name in wanted}
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
        The share on which they agree, and Cohen's kappa: the same, less what would be so by chance.
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
    """Say how two labellers agree on the answers that both have labelled.

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
            f"{path}: {count(len(foreign), 'question')} (first: {foreign[0]}) have no answer in"
            " this run; is it the worksheet of another run?"
        )
    notes = []
    if not sheet.drawn:
        notes.append(
            f"{path}: does not say how its answers were drawn; they are taken for a random sample"
            " of all answers"
        )
    else:
        seed = sheet.drawn.rpartition(" ")[2]
        # draw again with the stated seed: a changed sheet is not a random sample any more
        again = (
            of.order(int(seed)) if seed.isdigit() and drawn_as(of, int(seed)) == sheet.drawn else []
        )
        if [item.question.id for item in again[: len(sheet.listed)]] != list(sheet.listed):
            raise DataError(
                f"{path}: its answers are not those that were drawn from this run ({sheet.drawn};"
                f" there are {len(known)} answers now); use gold file and run of the worksheet, and"
                " leave its rows as they are"
            )
    if sheet.skipped:
        notes.append(
            f"{path}: {count(len(sheet.skipped), 'answer')} skipped (first: {sheet.skipped[0]}) and"
            " left out, as if lost by chance; if the hard ones were skipped, the accuracy is wrong"
            " by up to the share of them"
        )
    if sheet.later:
        notes.append(
            f"{path}: {count(sheet.later, 'label')} after the first empty one left out; keep to the"
            " order of the sheet"
        )
    return notes


def _verdicts(
    gold: Gold, run: Run, name: str, how: Scoring, of: Labelled, notes: list[str]
) -> pd.Series[float]:
    """Return what an automatic verdict says of every answer; of those that it cannot judge, 0."""
    import pandas as pd

    if name in MATCHERS:
        found = score_run(gold, run, dataclasses.replace(how, match=name)).counts["f1"]
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
    if absent:
        notes.append(
            f"{name}: no verdict on {count(len(absent), 'answer')} (first: {absent[0]}); they are"
            " wrong by it"
        )
    return found.reindex(ids).fillna(0.0)


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
    mean = 0.0 if verdicts is None else float(verdicts.mean())
    found = estimates.accuracy(
        labels, judged, mean, len(of.items), of.total, _neighbours(of, pairs, sheet)
    )
    agreed, kappa = (
        (float("nan"), float("nan")) if judged is None else estimates.agreement(labels, judged)
    )
    return {
        "run": run,
        "estimator": f"with {name}" if name else "labels alone",
        "accuracy": found.estimate,
        "low": found.low,
        "high": found.high,
        "labels": len(labels),
        "answers": len(of.items),
        "questions": of.total,
        "verdict": float("nan") if verdicts is None else mean * len(of.items) / of.total,
        "agreement": agreed,
        "kappa": kappa,
        "effective_size": found.effective_size,
    }


def _neighbours(of: Labelled, pairs: pd.DataFrame, sheet: Sheet) -> controls.Neighbours:
    """Return who is near whom among the labelled answers, if the sample was spread."""
    if not sheet.drawn:
        return None
    rows = {item.question.id: at for at, item in enumerate(of.items)}
    points: Array = of.features[[rows[str(name)] for name in pairs.index]]
    return controls.neighbours_of(points, len(of.items))

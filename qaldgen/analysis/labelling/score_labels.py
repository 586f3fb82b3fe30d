"""What hand labels on a sample of answers say about all answers of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qaldgen.analysis.estimating.pool_mean import neighbours_of
from qaldgen.analysis.labelling.drawing import Labelled, labelled
from qaldgen.analysis.labelling.estimate import PROBABILITY, accuracy, agreement
from qaldgen.analysis.labelling.worksheet import (
    Sheet,
    as_drawn,
    check_answers,
    drawn_as,
    read_sheet,
)
from qaldgen.analysis.mean_bounds import Array
from qaldgen.analysis.scores import resolved, score_run
from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import count, helpful
from qaldgen.options import Extractions, Matchers, Repeats, SameAs
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Run
from qaldgen.scoring.gold import AnyGold, as_gold
from qaldgen.scoring.judging import JUDGE, Verdicts
from qaldgen.scoring.matchers import MATCHERS
from qaldgen.scoring.resolving import AUTO, Resolved
from qaldgen.scoring.setting import Scoring

if TYPE_CHECKING:
    import pandas as pd


@helpful
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
        One row per labelled answer (index: the question's id): ``label``, each automatic verdict,
        and, if guesses were drawn first, ``probability``: that it was drawn.
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
    *,
    match: Matchers | Verdicts | Resolved = AUTO,
    same_as: SameAs = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
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
    match
        The proxy where none is named.
    same_as, language, aliases, extract, repeats_as
        See `score`.

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

    asked = as_gold(gold, language=language)
    if not isinstance(run, Run):
        run = read_run(run, gold=asked.questions, language=language)
    sheet = read_sheet(labels)
    answers = as_drawn(labelled(asked, run, language), sheet.drawn)
    notes = _checked(answers, sheet, str(labels))

    how = Scoring(match, same_as, language, aliases, "", extract, repeats_as)
    how = resolved(asked, [run], how)

    def counts(matcher: str | Verdicts) -> pd.Series[float]:
        return score_run(asked, run, dataclasses.replace(how, match=matcher)).counts["f1"]

    verdicts = {}
    for proxy in proxies or [how.match if isinstance(how.match, Verdicts) else how.matcher]:
        if isinstance(proxy, Verdicts):
            name, values = JUDGE, counts(proxy)
            notes += [*proxy.notes, proxy.method]
        elif (name := str(proxy)) in MATCHERS:
            values = counts(name)
        else:
            values = _verdicts_in(name)
        verdicts[name] = _on_answers(values, name, answers, sheet, notes)
    pairs = pd.DataFrame(
        {"label": sheet.labels}
        | {name: values.loc[list(sheet.labels)] for name, values in verdicts.items()}
    )
    places = {item.question.id: at for at, item in enumerate(answers.items)}
    chosen = np.array([places[name] for name in sheet.labels], dtype=np.intp)
    rows = [
        {"run": run.name, **_row(answers, pairs, chosen, name, values, sheet)}
        for name, values in {"": None, **verdicts}.items()
    ]
    if answers.stratified:
        pairs[PROBABILITY] = 1.0 / _weights(answers, chosen)
    return LabelScores(pd.DataFrame(rows), pairs.rename_axis("id"), tuple(notes))


def _checked(answers: Labelled, sheet: Sheet, path: str) -> list[str]:
    """Refuse labels of other answers; say how they were drawn, and what does not count."""
    known = [item.question.id for item in answers.items]
    foreign = [name for name in sheet.listed if name not in set(known)]
    if foreign:
        raise DataError(
            f"{path}: this run has no answer to {count(len(foreign), 'question')} of it (first:"
            f" {foreign[0]}); is it the worksheet of another run?"
        )
    check_answers(sheet, answers.items, path)
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
            answers.order(int(seed))
            if seed.isdigit() and drawn_as(answers, int(seed)) == sheet.drawn
            else []
        )
        if [item.question.id for item in again[: len(sheet.listed)]] != list(sheet.listed):
            raise DataError(
                f"{path}: its answers are not those that were drawn from this run ({sheet.drawn};"
                f" there are {len(known)} answers now); use the gold file and run of the"
                " worksheet and the version of qaldgen that drew it, and leave its rows unchanged"
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


def _verdicts_in(path: str) -> pd.Series[float]:
    """Return the verdicts of a file."""
    import pandas as pd

    if not Path(path).exists():
        raise UsageError(
            f"--proxy {path}: is neither a matcher ({', '.join(MATCHERS)}) nor a file of verdicts"
        )
    return pd.Series(read_sheet(path).labels, dtype=float)


def _on_answers(
    verdicts: pd.Series[float], name: str, answers: Labelled, sheet: Sheet, notes: list[str]
) -> pd.Series[float]:
    """Return the verdict on every answer; NaN, with a note, where there is none."""
    ids = [item.question.id for item in answers.items]
    absent = [question for question in ids if question not in verdicts.index]
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
    return verdicts.reindex(ids).astype(float)


def _row(
    answers: Labelled,
    pairs: pd.DataFrame,
    chosen: NDArray[np.intp],
    name: str,
    verdicts: pd.Series[float] | None,
    sheet: Sheet,
) -> dict[str, object]:
    """Return one row of the table: the labels alone, or with a verdict."""
    labels = pairs["label"].to_numpy(dtype=float)
    judged = None if verdicts is None else pairs[name].to_numpy(dtype=float)
    # Labels only: no answer has a verdict, so all are in one group.
    every: Array = np.full(len(answers.items), np.nan)
    if verdicts is not None:
        every = np.asarray(verdicts, dtype=np.float64)
    near = neighbours_of(answers.features[chosen], len(answers.items)) if sheet.drawn else None
    strata = answers.strata if answers.stratified else None
    estimated = accuracy(labels, chosen, every, answers.total, near, strata)
    agreed, kappa = _agreement(labels, judged, _weights(answers, chosen))
    return {
        "estimator": f"with {name}" if name else "labels alone",
        "accuracy": estimated.estimate,
        "low": estimated.low,
        "high": estimated.high,
        "labels": len(labels),
        "answers": len(answers.items),
        "questions": answers.total,
        "verdict": (
            float("nan")
            if verdicts is None
            else float(verdicts.mean()) * len(answers.items) / answers.total
        ),
        "agreement": agreed,
        "kappa": kappa,
        "effective_size": estimated.effective_size,
    }


def _weights(answers: Labelled, chosen: NDArray[np.intp]) -> Array:
    """Return for how many answers each labelled one stands: those of its stratum, drawn or not."""
    drawn = np.bincount(answers.strata[chosen], minlength=answers.strata.max() + 1)
    return np.asarray((np.bincount(answers.strata) / np.maximum(drawn, 1))[answers.strata[chosen]])


def _agreement(labels: Array, judged: Array | None, weight: Array) -> tuple[float, float]:
    """Return agreement and kappa of the labels with the available verdicts."""
    there = np.zeros(0, dtype=int) if judged is None else np.flatnonzero(~np.isnan(judged))
    if judged is None or not len(there):
        return float("nan"), float("nan")
    return agreement(labels[there], judged[there], weight[there])

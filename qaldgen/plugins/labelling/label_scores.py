"""The share of right answers by hand labels on a worksheet, with and without verdicts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qaldgen.analysis.estimating.regression_estimate import Neighbours, neighbours_of
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.errors import DataError, UsageError
from qaldgen.io.result_display import result_html, result_text
from qaldgen.io.text import count
from qaldgen.plugins.labelling.accuracy import estimate_accuracy
from qaldgen.plugins.labelling.agreement import agreement
from qaldgen.plugins.labelling.label_pool import (
    LabelPool,
    describe_drawing,
    label_pool,
    restore_strata,
)
from qaldgen.plugins.labelling.sheets import Sheet, check_answers, read_sheet
from qaldgen.scoring.evaluation import Evaluation, evaluate_one, known_matchers
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.rules import JUDGE, Verdicts
from qaldgen.scoring.score import AnyRun
from qaldgen.scoring.worded_answers import labels_sentence

#: The column with the probability that a labelled answer was drawn; its inverse is the weight.
PROBABILITY = "probability"


@dataclasses.dataclass(frozen=True, eq=False)
class LabelScores:
    """The accuracy of all answers by hand labels.

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
        Remarks for users.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the table and the notes."""
        return result_text([self.table.to_string(index=False)], self.notes)

    def _repr_html_(self) -> str:
        """Return the table and the notes for notebooks."""
        return result_html("Share of right answers", [self.table], self.notes)


def score_labels(
    gold: AnyGold | Evaluation,
    run: AnyRun | None,
    labels: str | Path,
    proxies: Sequence[str | Path | Verdicts] = (),
) -> LabelScores:
    r"""Estimate the share of right answers from hand labels and automatic verdicts on all answers.

    Parameters
    ----------
    gold
        The questions; or what `evaluate` returns, of one run.
    run
        The answers; None with an evaluation.
    labels
        The worksheet.
    proxies
        Matchers, what `judge` returned, or files with verdicts (columns ``id`` and ``label``).
        Default: the verdicts of the evaluation.

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

    Examples
    --------
    >>> import tempfile
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "labels.csv"
    ...     _ = path.write_text("id,label\n" + "".join(f"{n},y\n" for n in range(0, 60, 4)))
    ...     made = score_labels(gold, {f"{n}": "7" for n in range(60)}, path)
    >>> made.table["labels"].tolist()
    [15, 15]
    """
    evaluation = evaluate_one(gold, run)
    run = evaluation[0].run
    sheet = read_sheet(labels)
    pool = restore_strata(label_pool(evaluation), sheet.drawn)
    _check_sheet(pool, sheet, str(labels))

    labels_note = labels_sentence(evaluation.gold, run, evaluation.rules, sheet.labels)
    notes = _sheet_notes(sheet, str(labels))
    notes += filter(None, [why_not_tested(evaluation.gold, [run]), labels_note])

    ids = [item.question.id for item in pool.items]
    row_by_id = {question_id: row for row, question_id in enumerate(ids)}
    rows_labelled = np.array([row_by_id[question_id] for question_id in sheet.labels], np.intp)
    n_drawn = np.bincount(pool.strata[rows_labelled], minlength=pool.strata.max() + 1)
    weights = np.bincount(pool.strata) / np.maximum(n_drawn, 1)
    neighbours = None
    if sheet.drawn:
        neighbours = neighbours_of(pool.features[rows_labelled], len(ids))
    labelled = _LabelledAnswers(
        labels=np.array(list(sheet.labels.values())),
        rows=rows_labelled,
        weights=weights[pool.strata[rows_labelled]],
        neighbours=neighbours,
    )

    named_verdicts: list[tuple[str, pd.Series[float]]] = []  # on all answers
    for proxy in proxies or [evaluation.rules.verdicts or evaluation.rules.match]:
        name = str(proxy)
        if isinstance(proxy, Verdicts):
            name = JUDGE
            notes += [*proxy.notes, proxy.method]

        verdicts = _proxy_verdicts(evaluation, proxy)
        unjudged = [question_id for question_id in ids if question_id not in verdicts.index]
        if len(unjudged) == len(ids):
            raise DataError(
                f"`proxy` {name}: has no verdict on any of the {len(ids):,} answers; ids must be"
                " those of the questions"
            )
        # verdicts on the drawn answers only say nothing about the others
        if unjudged and sheet.labels.keys() >= set(ids) - set(unjudged):
            raise DataError(
                f"`proxy` {name}: has verdicts on labelled answers only; a proxy must judge the"
                " answers without a label too, and labels cannot be their own proxy"
            )
        if unjudged:
            notes.append(
                f"{name}: no verdict on {count(len(unjudged), 'answer')} (first: {unjudged[0]});"
                " they are neither right nor wrong by it, and it helps nothing there"
            )

        named_verdicts.append((name, verdicts.reindex(ids).astype(float)))

    pairs = pd.DataFrame({"label": sheet.labels})
    # for labels alone no answer has a verdict, so all are in one group
    no_verdicts = pd.Series(np.nan, index=ids)
    rows = [_accuracy_row(run.name, "labels alone", no_verdicts, labelled, pool)]
    for name, verdicts in named_verdicts:
        pairs[name] = verdicts.loc[list(sheet.labels)]
        rows.append(_accuracy_row(run.name, f"with {name}", verdicts, labelled, pool))

    if pool.stratified:
        pairs[PROBABILITY] = 1.0 / labelled.weights
    return LabelScores(pd.DataFrame(rows), pairs.rename_axis("id"), tuple(notes))


class _LabelledAnswers(NamedTuple):
    """The answers of a run that have a hand label."""

    labels: Array  # from 0 to 1
    rows: NDArray[np.intp]  # their positions among all answers
    weights: Array  # the number of answers that each represents: of its stratum, drawn or not
    neighbours: Neighbours  # None for a simple random sample


def _accuracy_row(
    run: str,
    estimator: str,
    verdicts: pd.Series[float],
    labelled: _LabelledAnswers,
    pool: LabelPool,
) -> dict[str, object]:
    """Return a row of the table: the accuracy by labels and the verdicts on all answers."""
    all_verdicts: Array = np.asarray(verdicts, dtype=np.float64)
    result = estimate_accuracy(
        labelled.labels,
        labelled.rows,
        all_verdicts,
        total=pool.total,
        neighbours=labelled.neighbours,
        strata=pool.strata if pool.stratified else None,
    )
    share_agreed, kappa = agreement(labelled.labels, all_verdicts[labelled.rows], labelled.weights)

    return {
        "run": run,
        "estimator": estimator,
        "accuracy": result.estimate,
        "low": result.low,
        "high": result.high,
        "labels": len(labelled.labels),
        "answers": len(pool.items),
        "questions": pool.total,
        "verdict": float(verdicts.mean()) * len(pool.items) / pool.total,
        "agreement": share_agreed,
        "kappa": kappa,
        "effective_size": result.effective_size,
    }


def _check_sheet(pool: LabelPool, sheet: Sheet, path: str) -> None:
    """Refuse labels of other answers, and a sheet that was changed after it was drawn."""
    ids = {item.question.id for item in pool.items}
    unknown = [question_id for question_id in sheet.listed if question_id not in ids]
    if unknown:
        raise DataError(
            f"this run has no answer to {count(len(unknown), 'question')} of it (first:"
            f" {unknown[0]}); is it the worksheet of another run?",
            where=path,
        )

    check_answers(sheet, pool.items, path)
    if not sheet.drawn:
        return

    seed = sheet.drawn.rpartition(" ")[2]
    # draw again with the stated seed: a changed sheet is no longer a random sample
    redrawn = []
    if seed.isdigit() and describe_drawing(pool, int(seed)) == sheet.drawn:
        redrawn = pool.order(int(seed))
    if [item.question.id for item in redrawn[: len(sheet.listed)]] != list(sheet.listed):
        raise DataError(
            f"its answers are not those that were drawn from this run ({sheet.drawn}; there are"
            f" {len(ids)} answers now); use the gold file and run of the worksheet and the version"
            " of qaldgen that drew it, and leave its rows unchanged",
            where=path,
        )


def _sheet_notes(sheet: Sheet, path: str) -> list[str]:
    """Return notes on a sheet of unknown origin, and on labels that are left out."""
    notes = []
    if not sheet.drawn:
        notes.append(
            f"{path}: does not say how its answers were drawn; they are taken for a random sample"
            " of all answers"
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


def _proxy_verdicts(evaluation: Evaluation, proxy: str | Path | Verdicts) -> pd.Series[float]:
    """Return the verdicts of a judge, a matcher or a file, by question."""
    rules = proxy if isinstance(proxy, Verdicts) else str(proxy)
    if isinstance(rules, Verdicts) or rules in known_matchers():
        judged = evaluation.by(rules)[0].counts
        return pd.Series(judged["f1"][judged["open"] == 0])
    if not Path(rules).exists():
        raise UsageError(
            f"`proxy` {rules}: is neither a matcher ({', '.join(known_matchers())}) nor a file"
            " of verdicts"
        )
    return pd.Series(read_sheet(rules).labels, dtype=float)

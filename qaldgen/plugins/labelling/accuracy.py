"""Prediction-powered inference: hand labels, with an automatic verdict as control variate.

The verdict may be biased, because its errors are measured on the labelled answers and
subtracted (Angelopoulos and others 2023, Science 382:669). The better it agrees, the fewer labels
are needed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qaldgen.analysis.estimating.pool_mean import effective_size_of
from qaldgen.analysis.estimating.regression_estimate import (
    Neighbours,
    neighbours_of,
    variance_of_sums,
)
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import UPPER_QUANTILE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import count, result_html, result_text
from qaldgen.plugins.labelling.agreement import agreement
from qaldgen.plugins.labelling.label_pool import (
    LabelPool,
    describe_drawing,
    label_pool,
    restore_strata,
)
from qaldgen.plugins.labelling.sheets import Sheet, check_answers, read_sheet
from qaldgen.scoring.evaluation import Evaluation, evaluate_one, known_matchers
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.rules import JUDGE, Verdicts
from qaldgen.scoring.score import AnyRun
from qaldgen.scoring.worded_answers import labels_sentence

#: Each group has one imaginary label, half of it right and half wrong (Jeffreys' prior). For a
#: bound, this much more of it is on the side of the bound, less if there are several groups. A
#: count in one group moves in steps, and without caution its interval covers only 89 % for some
#: shares of right answers; the steps of several groups blur each other. All of the label on the
#: side of the bound would be Clopper and Pearson's rule, which covers 96 to 99 %.
_CAUTION = 0.35
#: Smaller groups, as a share of all answers, do not blur the steps of the others.
_SMALL_SHARE = 0.05
#: Verdicts between wrong and right are split into this many groups.
_GROUPS_BETWEEN = 3
#: That labels vary as in a random sample of right and wrong answers is assumed with the weight of
#: this many disagreements.
_PRIOR_DISAGREEMENTS = 5.0
#: The column with the probability that a labelled answer was drawn; its inverse is the weight.
PROBABILITY = "probability"


class Group(NamedTuple):
    """Answers with about equal verdicts."""

    answers: int  # the number of answers
    labels: int  # the number of these with a label
    right: float  # the sum of the labels
    mean: float  # the expected share of right answers in the group


def assign_groups(verdicts: Array) -> NDArray[np.intp]:
    """Return the number of each answer's group: wrong, between, right, and without a verdict.

    >>> assign_groups(np.array([0.0, 1.0, 0.5, np.nan, 1.0])).tolist()
    [0, 4, 3, 5, 4]
    """
    groups = np.where(verdicts >= 1.0, _GROUPS_BETWEEN + 1, 0)
    between = (verdicts > 0.0) & (verdicts < 1.0)
    if between.any():
        edges = np.quantile(verdicts[between], np.arange(1, _GROUPS_BETWEEN) / _GROUPS_BETWEEN)
        groups[between] = 1 + np.searchsorted(edges, verdicts[between], side="right")
    groups[np.isnan(verdicts)] = _GROUPS_BETWEEN + 2
    return groups


def label_information(labels: Array, expected: Array, neighbours: Neighbours) -> float:
    """Return the number of random labels, right or wrong, that are as informative as one label.

    It is more than 1 if the sample is spread over features on which the labels depend, or if labels
    are partly right.
    """
    n = len(labels)
    as_random = float(np.sum(expected * (1.0 - expected)))
    explained = variance_of_sums((labels - expected)[None], neighbours)[0] * (n - 1) / n
    return (as_random + _PRIOR_DISAGREEMENTS) / (float(explained) + _PRIOR_DISAGREEMENTS)


def accuracy_interval(groups: Sequence[Group], worth: float = 1.0) -> tuple[float, float]:
    """Return bounds of the share of right answers among all answers, from labels of some.

    Each label counts as `worth` labels of a random sample.

    >>> low, high = accuracy_interval([Group(60, 20, 18.0, 0.9), Group(40, 20, 1.0, 0.05)])
    >>> round(low, 2), round(high, 2)
    (0.47, 0.62)
    """
    # counted in random labels; rounded up, as one answer without a label must not vanish
    unseen = [math.ceil((group.answers - group.labels) * worth - 1e-9) for group in groups]
    hits = [group.right * worth for group in groups]
    misses = [(group.labels - group.right) * worth for group in groups]
    answers = sum(group.answers for group in groups)
    n_large = sum(group.answers >= _SMALL_SHARE * answers for group in groups)
    imagined = 0.5 + _CAUTION / n_large**2
    total = sum(unseen) + sum(hits) + sum(misses)
    most_right = _bound_hits(unseen, hits, misses, imagined)
    most_wrong = _bound_hits(unseen, misses, hits, imagined)
    return 1.0 - (sum(misses) + most_wrong) / total, (sum(hits) + most_right) / total


def _bound_hits(
    unseen: Sequence[int], hits: Sequence[float], misses: Sequence[float], imagined: float
) -> int:
    """Return an upper bound of the hits among unseen answers: a quantile of the sum over groups."""
    from scipy.special import betaln, gammaln

    size = sum(unseen) + 1
    # the Fourier transform of the distribution of a sum is the product of the transforms
    transform = np.ones(size // 2 + 1, dtype=complex)
    for n, hit, miss in zip(unseen, hits, misses, strict=True):
        # the beta-binomial chances of 0, 1, ..., `number` hits
        a = hit + imagined
        b = miss + 1.0 - imagined
        k = np.arange(n + 1)
        log = betaln(k + a, n - k + b) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
        chance = np.exp(log - log.max())
        transform *= np.fft.rfft(chance / chance.sum(), size)
    cumulated = np.cumsum(np.fft.irfft(transform, size)) if size > 1 else np.ones(1)
    # less a tolerance for the rounding of the transform
    return min(int(np.searchsorted(cumulated, UPPER_QUANTILE - 1e-9)), size - 1)


class Accuracy(NamedTuple):
    """The share of right answers among all questions."""

    #: The estimate, and its 95 % interval.
    estimate: float
    low: float
    high: float
    #: The number of random labels that would be as informative; NaN if all labels are equal.
    effective_size: float


def estimate_accuracy(
    labels: Array,
    label_rows: NDArray[np.intp],
    verdicts: Array,
    total: int,
    neighbours: Neighbours,
    strata: NDArray[np.intp] | None = None,
) -> Accuracy:
    """Estimate the share of right answers from labels, by groups of answers with similar verdicts.

    Parameters
    ----------
    labels
        The hand labels, from 0 (wrong) to 1 (right).
    label_rows
        The rows of the labelled answers among all answers.
    verdicts
        The automatic verdict on every answer, from 0 to 1; NaN where there is none.
    total
        The number of all questions; those without an answer count as wrong.
    neighbours
        The neighbours of the labelled answers in a spread sample; None for a simple random sample.
    strata
        The stratum of every answer; None if all answers had the same chance to be drawn. A group
        never has answers of several strata.
    """
    n = len(labels)
    answers = len(verdicts)
    if n < FEWEST:
        raise DataError(
            f"too few labels for an interval ({n}); label at least {FEWEST} answers, preferably 40"
        )
    group_numbers = assign_groups(verdicts)
    if strata is not None:
        # groups within strata; those without a label join the most labelled one of their stratum
        pairs = np.column_stack([strata, group_numbers])
        group_numbers = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
        n_labels = np.bincount(group_numbers[label_rows], minlength=group_numbers.max() + 1)
        for stratum in np.unique(strata):
            numbers = np.unique(group_numbers[strata == stratum])
            unlabelled = np.isin(group_numbers, numbers[n_labels[numbers] == 0])
            group_numbers[unlabelled] = numbers[n_labels[numbers].argmax()]

    # a group without a label has the mean of all labels
    group_of_label = group_numbers[label_rows]
    sizes = np.bincount(group_numbers)
    counts = np.bincount(group_of_label, minlength=len(sizes))
    label_sums = np.bincount(group_of_label, weights=labels, minlength=len(sizes))
    means = np.where(counts > 0, label_sums / np.maximum(counts, 1), labels.mean())
    groups = [
        Group(
            answers=int(sizes[number]),
            labels=int(counts[number]),
            right=float(label_sums[number]),
            mean=float(means[number]),
        )
        for number in np.flatnonzero(sizes).tolist()
    ]

    expected = np.asarray(means[group_of_label])
    estimate = sum(group.answers * group.mean for group in groups) / answers
    low, high = accuracy_interval(groups, label_information(labels, expected, neighbours))

    # the labels of a random sample with an equal error; a label stands for a part of its group
    effective_size = float(answers)
    if n < answers:
        answers_per_label = (sizes / np.maximum(counts, 1))[group_of_label]
        weight = answers_per_label / answers_per_label.sum()
        parts = weight * (labels - expected) * np.sqrt(1.0 - 1.0 / answers_per_label)
        # the mean of each group costs a degree of freedom
        residual = float(variance_of_sums(parts[None], neighbours)[0])
        variance = residual * (n - 1) / max(1, n - len(groups))
        effective_size = effective_size_of(labels, variance, answers, weight)

    # questions without an answer are wrong
    share = answers / total
    low = min(low, estimate) * share
    high = max(high, estimate) * share
    return Accuracy(estimate * share, low, high, effective_size)


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

    pairs = pd.DataFrame({"label": sheet.labels})

    # for labels alone no answer has a verdict, so all are in one group
    no_verdicts = pd.Series(np.nan, index=ids)
    rows = [_accuracy_row(run.name, "labels alone", no_verdicts, labelled, pool)]
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

        verdicts = verdicts.reindex(ids).astype(float)
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
            f"{path}: this run has no answer to {count(len(unknown), 'question')} of it (first:"
            f" {unknown[0]}); is it the worksheet of another run?"
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
            f"{path}: its answers are not those that were drawn from this run ({sheet.drawn};"
            f" there are {len(ids)} answers now); use the gold file and run of the"
            " worksheet and the version of qaldgen that drew it, and leave its rows unchanged"
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

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

from qaldgen.analysis.estimating.pool_mean import (
    Neighbours,
    effective_size_of,
    neighbours_of,
    variance_of_sums,
)
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import UPPER_QUANTILE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import count, few_and_more, result_html, result_text
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
_DOUBT = 5.0
#: The column with the probability that a labelled answer was drawn; its inverse is the weight.
PROBABILITY = "probability"
#: Wrong, partly right, and right.
_CATEGORIES = (0, 1, 2)


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
    return (as_random + _DOUBT) / (float(explained) + _DOUBT)


def interval(groups: Sequence[Group], worth: float = 1.0) -> tuple[float, float]:
    """Return bounds of the share of right answers among all answers, from labels of some.

    Each label counts as `worth` labels of a random sample.

    >>> low, high = interval([Group(60, 20, 18.0, 0.9), Group(40, 20, 1.0, 0.05)])
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


def accuracy(
    labels: Array,
    label_rows: NDArray[np.intp],
    verdicts: Array,
    total: int,
    neighbours: Neighbours,
    strata: NDArray[np.intp] | None = None,
) -> Accuracy:
    """Estimate the share of right answers from labels, by groups of answers with similar verdicts.

    `labels` are 0 to 1, on the answers `label_rows`; `verdicts` are on every answer, NaN where
    there is none; `total` counts all questions, and those without an answer are wrong; `neighbours`
    are of the labelled answers, None for a simple random sample; `strata` are of every answer, if
    they were not all drawn alike: then no group goes beyond a stratum.
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
    groups, expected = _count_groups(labels, label_rows, group_numbers)
    estimate = sum(group.answers * group.mean for group in groups) / answers
    low, high = interval(groups, label_information(labels, expected, neighbours))
    size = _effective_size(
        labels,
        expected,
        groups=groups,
        group_numbers=group_numbers[label_rows],
        neighbours=neighbours,
    )
    # questions without an answer are wrong
    share = answers / total
    return Accuracy(estimate * share, min(low, estimate) * share, max(high, estimate) * share, size)


def _count_groups(
    labels: Array, label_rows: NDArray[np.intp], group_numbers: NDArray[np.intp]
) -> tuple[list[Group], Array]:
    """Return the nonempty groups, and for each labelled answer the mean label of its group."""
    sizes = np.bincount(group_numbers)
    counts = np.bincount(group_numbers[label_rows], minlength=len(sizes))
    label_sums = np.bincount(group_numbers[label_rows], weights=labels, minlength=len(sizes))
    # a group without a label has the mean of all labels
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
    return groups, np.asarray(means[group_numbers[label_rows]])


def _effective_size(
    labels: Array,
    expected: Array,
    groups: Sequence[Group],
    group_numbers: NDArray[np.intp],
    neighbours: Neighbours,
) -> float:
    """Return the number of labels of a random sample that would have an equal error."""
    n = len(labels)
    answers = sum(group.answers for group in groups)
    if n == answers:
        return float(answers)
    # The groups that have a label, in the order of their numbers.
    labelled = [group for group in groups if group.labels]
    position = np.unique(group_numbers, return_inverse=True)[1]
    size = np.array([group.answers for group in labelled], dtype=float)[position]
    n_labels = np.array([group.labels for group in labelled], dtype=float)[position]
    weight = size / n_labels / (size / n_labels).sum()
    parts = weight * (labels - expected) * np.sqrt(1.0 - n_labels / size)
    # the mean of each group costs a degree of freedom
    residual = float(variance_of_sums(parts[None], neighbours)[0])
    variance = residual * (n - 1) / max(1, n - len(groups))
    return effective_size_of(labels, variance, answers, weight)


def agreement(first: Array, second: Array, weights: Array | None = None) -> tuple[float, float]:
    """Return the share of answers on which two verdicts agree, and Cohen's kappa.

    Verdicts are taken as wrong (0), right (1) or partly right (between); NaN is none. `weights` are
    the numbers of answers that each one represents. Kappa is NaN if both always give one verdict.

    >>> agree, kappa = agreement(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    >>> round(agree, 2), round(kappa, 2)
    (0.75, 0.5)
    """
    is_judged = ~(np.isnan(first) | np.isnan(second))
    if not is_judged.any():
        return math.nan, math.nan
    first_categories = _categorise(first[is_judged])
    second_categories = _categorise(second[is_judged])
    if weights is not None:
        weights = weights[is_judged]

    def share(is_counted: NDArray[np.bool_]) -> float:
        return float(np.average(is_counted, weights=weights))

    share_agreed = share(first_categories == second_categories)
    expected = sum(
        share(first_categories == category) * share(second_categories == category)
        for category in _CATEGORIES
    )
    if expected < 1.0:
        return share_agreed, (share_agreed - expected) / (1.0 - expected)
    return share_agreed, math.nan


def _categorise(verdicts: Array) -> NDArray[np.int_]:
    """Return the category of each verdict, one of `_CATEGORIES`."""
    values = np.asarray(verdicts, dtype=float)
    return np.select([values <= 0.0, values >= 1.0], [0, 2], default=1)


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
    answers = restore_strata(label_pool(evaluation), sheet.drawn)
    _check_sheet(answers, sheet, str(labels))
    labels_note = labels_sentence(evaluation.gold, run, evaluation.rules, sheet.labels)
    notes = _sheet_notes(sheet, str(labels))
    notes += filter(None, [why_not_tested(evaluation.gold, [run]), labels_note])
    ids = [item.question.id for item in answers.items]
    verdicts: dict[str, pd.Series[float]] = {}
    for proxy in proxies or [evaluation.rules.verdicts or evaluation.rules.match]:
        name = str(proxy)
        if isinstance(proxy, Verdicts):
            name = JUDGE
            notes += [*proxy.notes, proxy.method]
        values = _proxy_verdicts(evaluation, proxy)
        absent = _unjudged_answers(values, name, ids, sheet)
        if absent:
            notes.append(
                f"{name}: no verdict on {count(len(absent), 'answer')} (first: {absent[0]}); they"
                " are neither right nor wrong by it, and it helps nothing there"
            )
        verdicts[name] = values.reindex(ids).astype(float)
    pairs = pd.DataFrame({"label": sheet.labels})
    for name, values in verdicts.items():
        pairs[name] = values.loc[list(sheet.labels)]
    row_by_id = {name: row for row, name in enumerate(ids)}
    label_rows = np.array([row_by_id[name] for name in sheet.labels], dtype=np.intp)
    hand_labels = pairs["label"].to_numpy(float)
    # the number of answers that each labelled one represents: of its stratum, drawn or not
    n_drawn = np.bincount(answers.strata[label_rows], minlength=answers.strata.max() + 1)
    weights = (np.bincount(answers.strata) / np.maximum(n_drawn, 1))[answers.strata[label_rows]]
    neighbours = None
    if sheet.drawn:
        neighbours = neighbours_of(answers.features[label_rows], len(answers.items))
    strata = None
    if answers.stratified:
        strata = answers.strata
        pairs[PROBABILITY] = 1.0 / weights
    # for labels alone no answer has a verdict, so all are in one group
    no_verdicts = pd.Series(np.nan, index=ids)
    rows = []
    for name, values in {"": no_verdicts, **verdicts}.items():
        all_verdicts: Array = np.asarray(values, dtype=np.float64)
        result = accuracy(
            hand_labels,
            label_rows,
            all_verdicts,
            total=answers.total,
            neighbours=neighbours,
            strata=strata,
        )
        share_agreed, kappa = agreement(hand_labels, all_verdicts[label_rows], weights)
        estimator = f"with {name}" if name else "labels alone"
        rows.append({
            "run": run.name,
            "estimator": estimator,
            "accuracy": result.estimate,
            "low": result.low,
            "high": result.high,
            "labels": len(hand_labels),
            "answers": len(answers.items),
            "questions": answers.total,
            "verdict": float(values.mean()) * len(answers.items) / answers.total,
            "agreement": share_agreed,
            "kappa": kappa,
            "effective_size": result.effective_size,
        })  # fmt: skip
    return LabelScores(pd.DataFrame(rows), pairs.rename_axis("id"), tuple(notes))


def _check_sheet(answers: LabelPool, sheet: Sheet, path: str) -> None:
    """Refuse labels of other answers, and a sheet that was changed after it was drawn."""
    ids = {item.question.id for item in answers.items}
    unknown = [question_id for question_id in sheet.listed if question_id not in ids]
    if unknown:
        raise DataError(
            f"{path}: this run has no answer to {count(len(unknown), 'question')} of it (first:"
            f" {unknown[0]}); is it the worksheet of another run?"
        )
    check_answers(sheet, answers.items, path)
    if not sheet.drawn:
        return
    seed = sheet.drawn.rpartition(" ")[2]
    # draw again with the stated seed: a changed sheet is no longer a random sample
    redrawn = []
    if seed.isdigit() and describe_drawing(answers, int(seed)) == sheet.drawn:
        redrawn = answers.order(int(seed))
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


def _unjudged_answers(
    verdicts: pd.Series[float], proxy: str, ids: Sequence[str], sheet: Sheet
) -> list[str]:
    """Return the answers without a verdict of a proxy; refuse a proxy that cannot help."""
    unjudged = [question for question in ids if question not in verdicts.index]
    if len(unjudged) == len(ids):
        raise DataError(
            f"`proxy` {proxy}: has no verdict on any of the {len(ids):,} answers; ids must be those"
            " of the questions"
        )
    # verdicts on the drawn answers only say nothing about the others
    if unjudged and sheet.labels.keys() >= set(ids) - set(unjudged):
        raise DataError(
            f"`proxy` {proxy}: has verdicts on labelled answers only; a proxy must judge the"
            " answers without a label too, and labels cannot be their own proxy"
        )
    return unjudged


@dataclasses.dataclass(frozen=True)
class Agreement:
    """The agreement of two labellers."""

    answers: int  # the number of answers that both labelled
    agreement: float  # the share of these on which they agree
    kappa: float  # Cohen's kappa, the same corrected for chance
    #: The mean label of each.
    first: float
    second: float
    differing: tuple[str, ...]  # the questions on which they differ

    def __str__(self) -> str:
        """Return the agreement as a sentence."""
        kappa = f"{self.kappa:.2f}"
        if self.kappa != self.kappa:
            kappa = "not defined: both give one label throughout"
        text = (
            f"{count(self.answers, 'answer')} labelled by both: they agree on {self.agreement:.1%}"
            f" (kappa {kappa}); {self.first:.1%} and {self.second:.1%} are right by them"
        )
        if self.differing:
            text += f"; they differ on {few_and_more(self.differing, 10)}"
        return text


def agree(first: str | Path, second: str | Path) -> Agreement:
    """Return the agreement of two labellers on the answers that both have labelled."""
    first_labels = read_sheet(first).labels
    second_labels = read_sheet(second).labels
    common = [key for key in first_labels if key in second_labels]
    if not common:
        raise DataError(f"{first} and {second} have no labelled answer in common")
    a = np.array([first_labels[key] for key in common])
    b = np.array([second_labels[key] for key in common])
    share_agreed, kappa = agreement(a, b)
    return Agreement(
        answers=len(common),
        agreement=share_agreed,
        kappa=kappa,
        first=float(a.mean()),
        second=float(b.mean()),
        differing=tuple(key for key in common if first_labels[key] != second_labels[key]),
    )

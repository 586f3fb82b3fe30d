"""Scores that are known on the whole pool: those of other systems, and those of a baseline."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from qaldgen.analysis.estimating.regression_estimate import KnownMeans
from qaldgen.analysis.score_files import families_of, matchers_in, read_scores
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import DataError, UsageError
from qaldgen.scoring.mean_bounds import Array

#: Scores that differ by at most this are equal: tables of results are often rounded to two digits.
_ROUNDING = 0.005 + 1e-9


@dataclasses.dataclass(frozen=True, eq=False)
class KnownScores:
    """Scores on every question of the pool."""

    #: One row per question (index: its id or IRI), one column per system.
    others: pd.DataFrame | None = None
    #: System to family; a system that is not named is a family of its own.
    families: Mapping[str, str] = dataclasses.field(default_factory=dict)
    #: The scores, by question, of a system that the run is compared with; named as the system is.
    baseline: pd.Series[float] | None = None
    #: The matchers that scored the baseline, if its file says so.
    matchers: frozenset[str] = frozenset()
    file: str | Path | None = None  # where the others were read from

    def columns(self, system: str) -> pd.DataFrame:
        """Return the control variates for the estimate of a system, at most two columns.

        ``strangers`` is the mean of the systems of other families, ``relatives`` the mean of the
        others of its family. A ``baseline`` comes first, and takes the place of the relatives: more
        columns would cost more than they gain in small samples.
        """
        other_scores = pd.DataFrame() if self.others is None else self.others
        excluded_systems = {system}
        columns = {}
        if self.baseline is not None:
            excluded_systems.add(str(self.baseline.name))
            columns["baseline"] = self.baseline

        family = self.families.get(system, system)
        relatives = []
        strangers = []
        for column in other_scores.columns:
            name = str(column)
            if name in excluded_systems:
                continue
            if self.families.get(name, name) == family:
                relatives.append(column)
            else:
                strangers.append(column)

        if strangers:
            columns["strangers"] = other_scores[strangers].mean(axis=1)
        if relatives:
            columns["relatives"] = other_scores[relatives].mean(axis=1)

        if not columns:
            raise UsageError(
                f"`others`: the only results are those of {system} itself,"
                " which cannot sharpen its estimate"
            )
        return pd.DataFrame(dict(list(columns.items())[:2]))

    def for_run(
        self, gold: Gold, system: str, ids: Sequence[str], scores: Array, pool_size: int
    ) -> KnownMeans:
        """Return the control variates of a run, on its questions and over the pool."""
        table = self.columns(system)
        keys = question_keys(gold, ids, table, pool_size)
        # A column that equals the run on all questions would give the answer away. But two systems
        # that are right (or wrong) on everything so far are equal by chance; and a new version
        # that changes nothing equals its baseline, which is a result.
        has_spread = len(scores) and np.ptp(scores) > 0
        if has_spread and self.others is not None and not self.equals_baseline(keys, scores):
            for name, column in self.others.items():
                if name != system and _equal(column, keys, scores):
                    raise UsageError(
                        f"{name} has the same score as the run on all {len(scores)} questions: it"
                        " is the run itself; leave it out"
                    )
        return KnownMeans(
            table.loc[keys].to_numpy(dtype=float), table.to_numpy(dtype=float).mean(axis=0)
        )

    def equals_baseline(self, keys: Sequence[str], scores: Array) -> bool:
        """Return whether a run has the scores of the baseline on all its questions."""
        return self.baseline is not None and _equal(self.baseline, keys, scores)


def _equal(column: pd.Series[float], keys: Sequence[str], scores: Array) -> bool:
    return bool(np.abs(column.loc[list(keys)].to_numpy(dtype=float) - scores).max() <= _ROUNDING)


def question_keys(gold: Gold, ids: Sequence[str], table: pd.DataFrame, pool_size: int) -> list[str]:
    """Return the keys of a benchmark's questions in a table over the pool: the id or the IRI."""
    if not table.index.is_unique:
        raise DataError(
            f"`others`: question {table.index[table.index.duplicated()][0]} has results twice;"
            " give it one row"
        )

    iris = {question.id: question.iri for question in gold.questions}
    keys = [question_id if question_id in table.index else iris[question_id] for question_id in ids]
    missing_ids = [
        question_id for question_id, key in zip(ids, keys, strict=True) if key not in table.index
    ]
    if missing_ids:
        raise DataError(
            f"`others`: {len(missing_ids)} of {len(ids)} questions of the benchmark have no results"
            f" (first: {missing_ids[0]})"
        )

    if len(table) != pool_size:
        raise DataError(
            f"`others`: has results on {len(table):,} questions, the pool has {pool_size:,}; the"
            " whole pool is needed"
        )
    if not np.isfinite(table.to_numpy(dtype=float)).all():
        raise DataError(
            "`others`: a score is missing; every system needs one for every question of the pool"
        )

    return keys


def known_scores(
    others: KnownScores | pd.DataFrame | str | Path | None = None,
    families: Mapping[str, str] | None = None,
    baseline: str | Path | None = None,
    *,
    runs: Sequence[str] | None = None,
) -> KnownScores | None:
    """Return the scores that are known on the whole pool; None if there are none.

    Parameters
    ----------
    others
        Scores of other systems: a table, its file, or what this function returned for others and
        families.
    families
        System to family; a system that is not named is a family of its own.
    baseline
        A system of the others, or a file with the scores of one system.
    runs
        The systems that were run on the sample. If they are given, `families` may name only them
        and the others.
    """
    if isinstance(others, KnownScores):
        if families or others.baseline is not None:
            raise UsageError(
                "`others` has families or a baseline of its own; give `families` where these"
                " scores are read, and `baseline` here"
            )
        known = others
    elif isinstance(others, (str, Path)):
        known = KnownScores(read_scores(others), families or {}, file=others)
    else:
        known = KnownScores(others, families or {})
    table = known.others
    if runs is not None:
        systems = list(runs)
        if table is not None:
            systems += map(str, table.columns)
        families_of(systems, known.families)

    if baseline is None:
        return None if table is None else known
    if table is not None and str(baseline) in table.columns:
        matchers = frozenset[str]()
        if known.file is not None:
            matchers = matchers_in(known.file, str(baseline))
        return dataclasses.replace(known, baseline=table[str(baseline)], matchers=matchers)
    if not Path(baseline).exists():
        columns = "" if table is None else f"one of {', '.join(map(str, table.columns))}, or "
        raise UsageError(
            f"`baseline` {baseline}: give {columns}a CSV file with the scores of one system on the"
            " whole pool"
        )
    baseline_table = read_scores(baseline)
    if baseline_table.shape[1] != 1:
        raise UsageError(
            f"`baseline` {baseline}: has {baseline_table.shape[1]} systems"
            f" ({', '.join(map(str, baseline_table.columns))}); give the file as `others` and the"
            " name of one of them as `baseline`"
        )
    scores = baseline_table.iloc[:, 0]
    matchers = matchers_in(baseline, str(scores.name))
    return dataclasses.replace(known, baseline=scores, matchers=matchers)

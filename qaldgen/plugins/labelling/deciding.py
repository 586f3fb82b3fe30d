"""Rank answers by how much their labels help to decide which system is better.

Where two systems give the same answer, they do not differ, whether it is right or not. On the other
questions, the variance of the difference is the sum of the variances of both verdicts, and a label
removes the variance of the verdict that it replaces.

These labels are no random sample, so no accuracy can be estimated from them. `compare` uses each as
the verdict on its answer, and all of them to correct the prior of the run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import pandas as pd


def rank_deciding(
    chances: pd.DataFrame, answers: pd.DataFrame, errors: Mapping[str, float]
) -> list[tuple[str, str]]:
    """Return question and system of the answers in doubt on which systems differ, the best first.

    `chances` has by question and system the probability that the answer is right, `answers` the
    answer, and `errors` by system the error of its prior. An answer counts for the share of the
    variance of the differences that its label takes away, more between close systems. An answer
    that several systems give is named once.

    >>> chances = pd.DataFrame({"a": [0.5, 0.6, 1.0], "b": [0.5, 0.1, 0.05]}, index=list("123"))
    >>> given = pd.DataFrame({"a": ["Ulm", "Bonn", "Rome"], "b": ["Ulm", "Kiel", "Oslo"]})
    >>> rank_deciding(chances, given.set_index(chances.index), {})
    [('2', 'a'), ('2', 'b'), ('3', 'b')]
    """
    # by question and system the share of the variances that a label removes
    verdict_variances = chances * (1 - chances)
    shares: dict[tuple[str, str], dict[str, pd.Series[float]]] = {}
    closeness: dict[tuple[str, str], float] = {}

    for first, second in itertools.combinations(chances.columns, 2):
        differs = answers[first] != answers[second]
        variances = {
            system: verdict_variances[system].where(differs, 0.0) for system in (first, second)
        }

        variance = 0.0  # of the difference of the two systems
        for system, variances_of_system in variances.items():
            total = float(variances_of_system.sum())
            variance += total + (errors.get(system, 0.0) * total) ** 2
        if variance:
            lead = float((chances[first] - chances[second]).where(differs, 0.0).sum())
            closeness[first, second] = -(lead**2) / (2 * variance)
            shares[first, second] = {
                system: variances_of_system / variance
                for system, variances_of_system in variances.items()
            }

    values = pd.DataFrame(0.0, index=chances.index, columns=chances.columns)
    for pair, shares_of_pair in shares.items():
        # relative to the closest pair
        weight = math.exp(closeness[pair] - max(closeness.values()))
        for system, shares_of_system in shares_of_pair.items():
            values[system] += weight * shares_of_system

    # an answer that several systems give has one label
    totals: dict[tuple[str, object], float] = {}
    first_pairs: dict[tuple[str, object], tuple[str, str]] = {}
    for question in values.index:
        for system in values.columns:
            answer = (question, answers.loc[question, system])
            totals[answer] = totals.get(answer, 0.0) + float(values.loc[question, system])
            first_pairs.setdefault(answer, (question, system))
    ranked = sorted(totals, key=lambda answer: -totals[answer])
    return [first_pairs[answer] for answer in ranked if totals[answer]]

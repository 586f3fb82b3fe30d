"""How many labels tell which of two systems is better? For docs/answers-in-words.md.

Five systems on TriviaQA, judged by people, stand for systems and labellers; the model of verdicts
is fitted to the other data sets. From samples of questions, for each pair of systems: labels in the
order of `label --for compare`, in the order of `label` for each run (guesses first), and at random,
and how often the system with the higher expected score is then the one that people prefer.

    python benchmarks/deciding.py [DRAWS]
"""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pandas as pd
from text_agreement import DATA, fit, judged_pairs, judged_signs, surrounding_pairs, table_pairs

from qaldgen.plugins.labelling.deciding import rank_deciding
from qaldgen.scoring.guesses import learn_prior
from qaldgen.scoring.verdict_model import MIN_SURE, VerdictModel, weigh_signs

#: The set, questions in a sample, how close by people two systems are, after how many labels.
SET, SIZE, CLOSE, LABELS = "TriviaQA", 200, 0.03, (0, 10, 20, 40, 80, 160)
Place = tuple[str, str]


def expected(
    evidence: pd.DataFrame, right: pd.DataFrame, labelled: list[Place], model: VerdictModel
) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return how probable each answer is right, by labels where there are any; errors of priors."""
    chances, errors = {}, {}
    for system in map(str, evidence.columns):
        signs = list(evidence[system])
        labels = {
            at: float(right[system][question])
            for at, question in enumerate(evidence.index)
            if (question, system) in labelled
        }
        prior = learn_prior(signs, labels, model)
        told = pd.Series([sign.chance(prior.log_odds) for sign in signs], evidence.index)
        told.iloc[list(labels)] = list(labels.values())
        chances[system], errors[system] = told, prior.error
    return pd.DataFrame(chances), errors


def guesses_first(chances: pd.DataFrame, rng: np.random.Generator) -> list[Place]:
    """Return the order of `label` for each run, in turn: strata by verdict, the doubtful first."""
    orders = []
    for system, column in chances.items():
        sure = column.where(column > 1 / 2, 1 - column)
        strata = (column > 1 / 2) + 2 * (sure >= MIN_SURE)
        place = pd.Series(0.0, column.index)
        for _, of in sure.groupby(strata):
            doubt = np.sqrt(of.mean() * (1 - of.mean()))
            place[of.index] = rng.permutation(len(of)) / (len(of) * max(doubt, 1e-9))
        orders.append([(question, str(system)) for question in place.sort_values().index])
    return [place for both in zip(*orders, strict=True) for place in both]


def decided(
    order: list[Place],
    evidence: pd.DataFrame,
    right: pd.DataFrame,
    said: pd.DataFrame,
    model: VerdictModel,
) -> list[bool]:
    """Tell after each number of labels whether the system that people prefer is ahead."""
    one, two = right.columns
    better, found = right[one].mean() > right[two].mean(), []
    for size in LABELS:
        labelled = [
            (question, system)
            for question, name in order[:size]
            for system in right.columns
            if said[system][question] == said[name][question]
        ]
        chances, _ = expected(evidence, right, labelled, model)
        found.append(bool((chances[one].mean() > chances[two].mean()) == better))
    return found


def main(draws: int) -> None:
    """Print the labels that each order needs, over pairs of systems and samples of questions."""
    pairs = [*judged_pairs(), *surrounding_pairs()]
    pairs += table_pairs(DATA / "judged" / "graded-czech.tsv.gz", "Czech SimpleQA")
    pairs += table_pairs(DATA / "judged" / "people-triviaqa.tsv.gz", SET)
    judged = judged_signs(pairs)
    of = judged.data == SET
    model = fit(judged, ~of)
    rows = [
        (judged.pairs[at].group, judged.pairs[at].system, at) for at in np.flatnonzero(of).tolist()
    ]
    places = pd.DataFrame(rows, columns=["question", "system", "at"]).pivot_table(
        "at", "question", "system", aggfunc="first"
    )
    places = places.dropna().astype(int)
    evidence = places.map(lambda at: weigh_signs(judged.signs[at], model))
    right = places.map(lambda at: bool(judged.right[at]))
    said = places.map(lambda at: judged.pairs[at].text)
    rng, found = np.random.default_rng(7), []
    for systems in itertools.combinations(places.columns, 2):
        for _ in range(draws):
            drawn = rng.choice(places.index, SIZE, replace=False)
            signs, truth, texts = (
                table.loc[drawn, list(systems)] for table in (evidence, right, said)
            )
            if not 0 < abs(float(truth.mean().diff().iloc[1])) <= CLOSE:
                continue
            chances, errors = expected(signs, truth, [], model)
            mixed = [(question, system) for question in drawn for system in systems]
            orders = {
                "decisive": rank_deciding(chances, texts, errors),
                "guesses first": guesses_first(chances, rng),
                "random": [mixed[at] for at in rng.permutation(len(mixed))],
            }
            found.append(
                {name: decided(order, signs, truth, texts, model) for name, order in orders.items()}
            )
    table = pd.DataFrame(
        {name: np.mean([sample[name] for sample in found], axis=0) for name in found[0]}
    )
    print(
        f"{len(found)} samples in which two systems are at most {CLOSE} apart; share decided right"
    )
    print(table.set_index(pd.Index(LABELS, name="labels")).T.round(2))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20)

"""Scores on several editions of the gold: their range, who changes rank, and why they differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from qaldgen.defaults import MEASURE
from qaldgen.scoring.measures import available_measures, find_measure, higher_is_better, weights_in
from qaldgen.scoring.missing import DEFAULT
from qaldgen.scoring.score import Scores

#: With more pairs of systems than this, a sentence counts them.
_MAX_PAIRS = 6
#: The most sentences about the sources of differences.
_MAX_SENTENCES = 12


@dataclasses.dataclass(frozen=True, eq=False)
class Editions:
    """How systems score on several editions of the gold."""

    measure: str  # the measure of ranks and pairs
    #: One row for each measure, run and edition: ``measure``, ``run``, ``edition``, ``value``,
    #: ``rank`` (1 is the best; equals share it), ``least`` and ``most`` (of all editions).
    scores: pd.DataFrame
    #: One row for each two runs and edition: ``a``, ``b``, ``edition``, ``difference`` (a - b), its
    #: parts ``changed`` and ``unchanged`` (from the questions whose gold changed, and the others;
    #: NaN for measures that are not means), and ``flips``: the other is ahead on the first edition.
    pairs: pd.DataFrame
    changed: int  # how many questions changed in an edition,
    questions: int  # of how many

    def flips(self) -> list[str]:
        """Return sentences on systems whose rank depends on the edition."""
        by_pair = [rows for _, rows in self.pairs.groupby(["a", "b"], sort=False)]
        flipped = [rows for rows in by_pair if rows["flips"].any()]
        if len(flipped) > _MAX_PAIRS:
            return [
                f"{len(flipped)} of {len(by_pair)} pairs of systems change their order with the"
                " edition of the gold."
            ]
        return [
            f"The rank depends on the edition of the gold: {self._describe_lead(rows.iloc[0])},"
            f" {self._describe_lead(rows[rows['flips']].iloc[0])}."
            for rows in flipped
        ]

    def sources(self) -> list[str]:
        """Return sentences on the part of changed questions in each difference; only the first."""
        rows = self.pairs.dropna(subset="changed").round(3).itertuples(index=False)
        sentences = [
            # adding 0.0 turns -0.0 into 0.0
            f"On {edition}, {a} minus {b} is {difference + 0.0:+.3f}: {changed + 0.0:+.3f} from the"
            f" {self.changed:,} questions whose gold changed, {unchanged + 0.0:+.3f} from the other"
            f" {self.questions - self.changed:,}."
            for a, b, edition, difference, changed, unchanged, _ in rows
        ]
        n_more = len(sentences) - _MAX_SENTENCES
        if n_more > 0:
            sentences[_MAX_SENTENCES:] = [f"({n_more:,} more pairs and editions)"]
        return sentences

    def _describe_lead(self, row: pd.Series) -> str:
        a_leads = (row["difference"] > 0) == higher_is_better(self.measure)
        leader, follower = (row["a"], row["b"]) if a_leads else (row["b"], row["a"])
        return f"{leader} leads {follower} by {abs(row['difference']):.3f} on {row['edition']}"


def editions_of(
    all_scores: Sequence[Scores],
    *,
    measure: str = MEASURE,
    missing: str = DEFAULT,
    weights: pd.Series[float] | None = None,
) -> Editions | None:
    """Return how runs compare over the editions that they were scored on; None for one edition."""
    if not all_scores or not all(scores.editions for scores in all_scores):
        return None
    names = list(all_scores[0].editions)
    counts_by_edition = {}
    for scores in all_scores:
        for edition, scores_on_edition in scores.editions.items():
            counts = scores_on_edition.with_missing(missing)
            counts_by_edition[scores.name, edition] = counts
    rows = []
    other_measures = [name for name in available_measures(all_scores[0].counts) if name != measure]
    for name in [measure, *other_measures]:
        for (run_name, edition), counts in counts_by_edition.items():
            value = find_measure(name, counts).of(counts, weights_in(weights, counts))
            rows.append((name, run_name, edition, value))
    table = pd.DataFrame(rows, columns=["measure", "run", "edition", "value"])
    goodness = table["value"].where(table["measure"].map(higher_is_better), -table["value"])
    ranks = goodness.groupby([table["measure"], table["edition"]]).rank("min", ascending=False)
    table["rank"] = ranks.astype("Int64")
    runs = table.groupby(["measure", "run"], sort=False)["value"]
    table["least"] = runs.transform("min")
    table["most"] = runs.transform("max")
    values = table[table["measure"] == measure].set_index(["run", "edition"])["value"]

    # how much the changed questions add to each score, if the measure is a mean
    spec = find_measure(measure)
    changed = all_scores[0].changed
    changed_part = dict.fromkeys(counts_by_edition, float("nan"))
    for run_and_edition, counts in counts_by_edition.items():
        if spec.is_mean and len(counts):
            question_weights = weights_in(weights, counts) or [1.0] * len(counts)
            weighted = spec.of_each(counts) * question_weights
            is_changed = [question_id in changed for question_id in counts.index]
            share = float(weighted[is_changed].sum() / sum(question_weights))
            changed_part[run_and_edition] = share

    pairs = []
    for a, b in combinations([scores.name for scores in all_scores], 2):
        first_difference = values[a, names[0]] - values[b, names[0]]
        for edition in names:
            difference = values[a, edition] - values[b, edition]
            from_changed = changed_part[a, edition] - changed_part[b, edition]
            from_unchanged = difference - from_changed
            flips = first_difference * difference < 0
            pairs.append((a, b, edition, difference, from_changed, from_unchanged, flips))

    columns = ["a", "b", "edition", "difference", "changed", "unchanged", "flips"]
    questions = all_scores[0].counts.index
    return Editions(
        measure=measure,
        scores=table,
        pairs=pd.DataFrame(pairs, columns=columns),
        changed=len(changed.intersection(questions)),
        questions=len(questions),
    )

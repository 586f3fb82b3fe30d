"""How often the weak spots of a report are right.

Weaknesses that were planted, and scores dealt out at random.

Planted: all counting questions of one system count as wrong; the question is whether they become
its first weak spot. Null: the scores of all systems are dealt out to the questions together, so
that no kind of question is weaker than another.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from bench_tools import ROOT, one_thread, parser, print_header, print_table

import qaldgen as qg
from qaldgen.analysis.discovery import scores_to_search
from qaldgen.analysis.feature_table import features_of
from qaldgen.analysis.slices import Slice
from qaldgen.analysis.weak_search import search_weak_spots
from qaldgen.analysis.weak_spots import WeakSpot, overlap, weak_spots
from qaldgen.scoring.gold import load_gold

#: Questions, answers of systems, and how these are matched.
PUBLISHED = {
    "QALD-9 train, KBQA systems": (
        "qald/qald-9-train-multilingual.json",
        "kbqa-answers/qald-9-train",
        "gerbil",
    ),
    "QALD-9, language models": (
        "llm-answers/qald-9/questions.json",
        "llm-answers/qald-9",
        "contains",
    ),
}
#: Questions without published answers; three made-up systems answer them.
UNANSWERED = {"QALD-9-plus test, made-up systems": "qald/qald_9_plus_test_dbpedia.json"}
#: The kinds that are planted.
KINDS = ("isCount", "hasSuperlative", "hasUnion")
#: A system that answered fewer of them before has lost too little to stand out.
ENOUGH = 5


class Scored(NamedTuple):
    """What a search needs: the scores of systems (columns) and the features, both by question."""

    name: str
    scores: pd.DataFrame
    table: pd.DataFrame


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if confirmed spots under the null are clearly more than 5 %."""
    options = parser(__doc__)
    options.add_argument(
        "--searches", type=int, default=300, help="searches of the null (default 300; 0 for none)"
    )
    given = options.parse_args(arguments)
    searches = 3 if given.quick else given.searches
    print_header(__doc__)
    sets = [_synthetic()] if given.quick else [*_published(), *_unanswered()]
    with one_thread():
        kinds = KINDS[:1] if given.quick else KINDS
        rows = [row for one in sets for row in _planted(one, kinds)]
        header = [
            "questions",
            "system",
            "planted",
            "n",
            "right before",
            "first weak spot",
            "same",
            "verdict",
            "card",
        ]
        print_table("Planted weaknesses", header, rows, markdown=given.markdown)
        nulls = [_null(one, searches // len(sets)) for one in sets]
        header = ["questions", "searches", "with a confirmed spot", "with one that may be chance"]
        rows = [
            [one.name, *(str(figure) for figure in null)]
            for one, null in zip(sets, nulls, strict=True)
        ]
        print_table(
            "Nothing planted, scores dealt out at random", header, rows, markdown=given.markdown
        )
    made, alarms = sum(null[0] for null in nulls), sum(null[1] for null in nulls)
    return int(bool(made) and alarms / made > 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / made))


def _folder() -> Path:
    return Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))


def _published() -> Iterator[Scored]:
    """Read questions with the answers that systems gave to them."""
    for name, (asked, answers, match) in PUBLISHED.items():
        if not (_folder() / asked).is_file():
            print(f"{name}: not at hand\n")
            continue
        gold = load_gold(_folder() / asked)
        left_out = {"aliases.json", "questions.json"}
        paths = [
            path
            for path in sorted((_folder() / answers).glob("*.json"))
            if path.name not in left_out
        ]
        counts = {path.stem: qg.score(gold, str(path), match=match).counts for path in paths}
        scores = {system: scores_to_search([one]) for system, one in counts.items()}
        yield Scored(name, pd.DataFrame(scores), features_of(gold)[0])


def _unanswered() -> Iterator[Scored]:
    """Read questions, and make up systems: the same questions are hard for all of them."""
    for name, asked in UNANSWERED.items():
        if (_folder() / asked).is_file():
            table = features_of(load_gold(_folder() / asked))[0]
            yield Scored(name, _made_up(table.index), table)


def _synthetic() -> Scored:
    """Make up questions too."""
    rng = np.random.default_rng(0)
    index = pd.Index([f"q{at}" for at in range(150)])
    flags = {kind: rng.random(150) < 0.2 for kind in (*KINDS, "hasOptional", "hasNegation")}
    table = pd.DataFrame({**flags, "length": rng.integers(3, 12, 150)}, index=index, dtype=object)
    return Scored("SYNTHETIC", _made_up(index), table)


def _made_up(index: pd.Index[str]) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    hard = rng.normal(size=len(index))
    bars = {"A": 0.6, "B": 0.2, "C": 0.0}
    right = {name: hard + rng.normal(size=len(index)) < bar for name, bar in bars.items()}
    return pd.DataFrame(right, index=index).astype(float)


def _planted(one: Scored, kinds: Sequence[str]) -> Iterator[list[str]]:
    """Plant each kind in each system, and say what its first weak spot is."""
    whole = {str(name): search_weak_spots(one.scores[name], one.table) for name in one.scores}
    for kind in kinds:
        asked = one.table[kind].to_numpy(dtype=bool)
        planted = Slice(kind, tuple(map(str, one.table.index[asked])))
        for system in whole:
            before = int((one.scores.loc[asked, system] > 0.5).sum())
            scores = one.scores.copy()
            scores.loc[asked, system] = 0.0
            damaged = search_weak_spots(scores[system], one.table)
            spots = weak_spots({**whole, system: damaged}, scores)
            few = "" if before >= ENOUGH else " (few)"
            yield (
                [one.name, system, kind, str(len(planted)), f"{before}{few}"]
                + (_told(spots[system][0], planted) if spots[system] else ["none", "0.00", ""])
                + [str(_place(system, spots))]
            )


def _told(first: WeakSpot, planted: Slice) -> list[str]:
    """Return the first weak spot in words, its overlap with the planted one, and its verdict."""
    name = f"{first.slice.label} ({len(first.slice)})"
    verdict = "confirmed" if first.confirmed else "may be chance"
    return [name, f"{overlap(first.slice, planted):.2f}", verdict]


def _place(system: str, spots: Mapping[str, Sequence[WeakSpot]]) -> int:
    """Return where the card of a system stands in a report."""

    def order(name: str) -> tuple[bool, bool, float]:
        own = spots[name]
        return not own, not (own and own[0].confirmed), -(own[0].strength if own else 0.0)

    return sorted(spots, key=order).index(system) + 1


def _null(one: Scored, searches: int) -> tuple[int, int, int]:
    """Return how many searches there were, and how many of them showed a spot, confirmed or not."""
    rng = np.random.default_rng(2)
    confirmed = unconfirmed = made = 0
    while made < searches:
        dealt = one.scores.iloc[rng.permutation(len(one.scores))].set_axis(one.scores.index)
        for system in map(str, dealt):
            found = search_weak_spots(dealt[system], one.table, int(rng.integers(2**31)))
            spots = weak_spots({system: found}, dealt)[system]
            confirmed += any(spot.confirmed for spot in spots)
            unconfirmed += any(not spot.confirmed for spot in spots)
            made += 1
    return made, confirmed, unconfirmed


if __name__ == "__main__":
    sys.exit(main())

"""How often weak spots are right: planted ones, shadows, sizes, and pages about nothing.

Features are those of public questions; scores are made up. Outside of a planted kind a system fails
on 15 % of the questions. A weak spot is right if it has the planted questions (Jaccard .75), and
its name says so if it is about the same features or has nearly the same questions (Jaccard .9);
how often it is about the same features is told apart.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from bench_tools import ROOT, parser, print_header, print_table

from qaldgen.analysis.slices import gaps, search
from qaldgen.analysis.slices.detectable import find_detectable
from qaldgen.analysis.slices.kinds import Kinds, kinds_of
from qaldgen.benchmark.gold import load_gold
from qaldgen.benchmark.question_features import features_of
from qaldgen.features.labels import quantity_of

#: Public questions, and how many of them are used.
SETS = {
    "QALD-9": ("llm-answers/qald-9/questions.json", 558),
    "MKQA": ("llm-answers/mkqa/questions.json", 768),
    "LC-QuAD": ("lc-quad/test-data.json", 800),
}
#: How often a system fails where nothing is planted, and how much more on what is.
FAILS, GAP = 0.15, 0.33
#: The share of the questions that planted kinds of one and of two conditions have.
SHARES = {"one condition": (0.1, 0.5), "two conditions": (0.2, 0.5)}
ALPHA, RESAMPLES = 0.05, 199
SAME, SAME_NAME = 0.75, 0.9


class Set(NamedTuple):
    """Questions by their features, and the kinds of them."""

    name: str
    table: pd.DataFrame
    kinds: Kinds

    @classmethod
    def of(cls, name: str, table: pd.DataFrame) -> Set:
        """Find the kinds."""
        return cls(name, table, kinds_of(table, table.index))

    def first(self, questions: int) -> Set:
        """Return a random part."""
        return Set.of(self.name, self.table.sample(min(questions, len(self.table)), random_state=0))


Rng = np.random.Generator
#: Masks, scores and numbers of kinds.
Array = np.ndarray[Any, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if pages about nothing make clearly more than 5 % of claims."""
    options = parser(__doc__)
    options.add_argument("--pages", type=int, default=100, help="pages a figure (default 100)")
    options.add_argument("--only", default="", help="only tables whose title has this word")
    options.add_argument("--seed", type=int, default=1, help="of what is planted (default 1)")
    given = options.parse_args(arguments)
    pages = 3 if given.quick else given.pages
    print_header(__doc__)
    sets = [_made_up()] if given.quick else list(_public())
    tables: dict[str, tuple[list[str], Callable[[Set, int, Rng], Iterator[list[str]]]]] = {
        "Planted, gap of 33 points": (
            [
                *("kind", "n", "pages", "right questions first", "right name"),
                *("by the same features", "shadows of findings"),
            ],
            _planted,
        ),
        "Power by questions and gap": (["n", "gap", "right questions first", "detectable"], _power),
        "Three planted in one system": (["pages", "two or more", "all", "odd findings"], _three),
        "Sizes": (["gap", "spots", "bias", "bias of the observed", "covered"], _sizes),
        "Nothing planted": (["systems", "pages", "with a claim"], _nothing),
        "Time": (["kinds", "systems", "seconds, findings included"], _timed),
    }
    claims = 0
    for title, (header, rows) in tables.items():
        if given.only.lower() not in title.lower():
            continue
        made = [
            [one.name, *row]
            for one in sets
            for row in rows(one, pages, np.random.default_rng(given.seed))
        ]
        print_table(title, ["questions", *header], made, markdown=given.markdown)
        if rows is _nothing:
            claims = int(any(int(row[3]) > 0.05 * pages + 2.6 * pages**0.5 * 0.22 for row in made))
    return claims


def _public() -> Iterator[Set]:
    folder = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
    for name, (path, most) in SETS.items():
        if (folder / path).is_file():
            table = features_of(load_gold(folder / path))
            yield Set.of(name, table.iloc[:most])
        else:
            print(f"{name}: not at hand\n")


def _made_up() -> Set:
    rng = np.random.default_rng(0)
    index = pd.Index([f"q{at}" for at in range(150)])
    flags = {name: rng.random(150) < 0.3 for name in ("isCount", "hasUnion", "hasOptional")}
    table = pd.DataFrame({**flags, "length": rng.integers(3, 12, 150)}, index=index, dtype=object)
    return Set.of("made up", table)


def _choices(one: Set, family: int, shares: tuple[float, float], cost: int = 2) -> Array:
    """Return the kinds that are planted: those that people would name."""
    kinds, n = one.kinds, len(one.table)
    numbers = np.arange(len(kinds))[kinds.families[family] if family < len(kinds.families) else []]
    size = kinds.sizes[numbers]
    return numbers[
        (size >= shares[0] * n) & (size <= shares[1] * n) & (kinds.cost[numbers] <= cost)
    ]


def _inside(one: Set, number: int) -> Array:
    return np.asarray(one.kinds.inside(np.array([number]))[0])


def _overlap(left: Array, right: Array) -> float:
    return float((left & right).sum() / (left | right).sum())


def _found(
    one: Set, scores: Array, seed: int
) -> tuple[list[search.WeakKind], search.Fit, search.NullDistribution]:
    rows = scores[:, None]
    null = search.null_distribution(rows, one.kinds, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
    (fit,) = search.fit_kinds(rows, one.kinds)
    return search.find_weak_kinds(scores, one.kinds, null, fit, ALPHA), fit, null


def _hits(one: Set, named: int, planted: int) -> Array:
    """Say whether a kind has the planted questions, a name that says so, and the same features."""
    about = [{quantity_of(name) for name in one.kinds.features(kind)} for kind in (named, planted)]
    overlap = _overlap(_inside(one, named), _inside(one, planted))
    right, same = overlap >= SAME, about[0] == about[1]
    return np.array([right, (right and same) or overlap >= SAME_NAME, right and same])


def _dealt(rng: Rng, fails: Array) -> Array:
    return (rng.random(len(fails)) >= fails).astype(float)


def _planted(one: Set, pages: int, rng: Rng) -> Iterator[list[str]]:
    for part in (one, one.first(400)):
        for family, (kind, shares) in enumerate(SHARES.items()):
            choices = _choices(part, family, shares)
            hits, findings, shadows = np.zeros(3), 0, 0
            for page in range(pages if len(choices) else 0):
                planted = int(rng.choice(choices))
                inside = _inside(part, planted)
                found = _found(part, _dealt(rng, FAILS + GAP * inside), page)[0]
                if found:
                    hits += _hits(part, found[0].number, planted)
                    findings, shadows = findings + len(found), shadows + len(found) - 1
            yield [
                kind,
                str(len(part.table)),
                str(pages),
                *(f"{count / max(1, pages):.2f}" for count in hits),
                f"{shadows} of {findings}",
            ]


def _power(one: Set, pages: int, rng: Rng) -> Iterator[list[str]]:
    for questions in (100, 200, 400, 600):
        part = one.first(questions)
        choices = _choices(part, 0, SHARES["one condition"])
        for gap in (0.2, GAP, 0.5):
            right, seen = 0, ""
            for page in range(pages if len(choices) else 0):
                inside = _inside(part, int(rng.choice(choices)))
                scores = _dealt(rng, FAILS + gap * inside)
                findings, _, null = _found(part, scores, page)
                right += bool(
                    findings and _overlap(_inside(part, findings[0].number), inside) >= SAME
                )
                seen = ", ".join(
                    f"{each.questions}: {each.difference:.2f}"
                    for each in find_detectable(scores, null)
                )
            yield [str(len(part.table)), f"{gap:.2f}", f"{right / max(1, pages):.2f}", seen]


def _three(one: Set, pages: int, rng: Rng) -> Iterator[list[str]]:
    choices = _choices(one, 0, (0.06, 0.4))
    two = every = odd = findings = made = 0
    while made < pages and len(choices) >= 3:
        planted = [_inside(one, int(number)) for number in rng.choice(choices, 3, replace=False)]
        times = np.sum(planted, axis=0)
        if any((times[kind] > 1).mean() > 0.3 for kind in planted):
            continue  # a kind inside of others leaves no trace of its own
        made += 1
        fails = np.where(np.any(planted, axis=0), 0.6, 0.1)
        masks = [_inside(one, each.number) for each in _found(one, _dealt(rng, fails), made)[0]]
        hits = sum(any(_overlap(mask, kind) >= SAME for mask in masks) for kind in planted)
        odd += sum(all(_overlap(mask, kind) < 0.5 for kind in planted) for mask in masks)
        two, every, findings = two + (hits >= 2), every + (hits == 3), findings + len(masks)
    figures = (f"{count / max(1, made):.2f}" for count in (two, every))
    yield [str(made), *figures, f"{odd} of {findings}"]


def _sizes(one: Set, pages: int, rng: Rng) -> Iterator[list[str]]:
    choices = _choices(one, 0, (0.05, 0.5))
    for gap in (0.2, 0.3):
        rows = []
        for page in range(pages if len(choices) else 0):
            fails = FAILS + gap * _inside(one, int(rng.choice(choices)))
            scores = _dealt(rng, fails)
            findings, first, null = _found(one, scores, page)
            for finding in findings[:1]:
                inside = _inside(one, finding.number)
                true = fails[inside].mean() - fails[~inside].mean()
                rest = np.ones(len(scores), dtype=bool)
                size = gaps.gap_of(
                    finding.number,
                    scores,
                    one.kinds,
                    is_unexplained=rest,
                    fit=first,
                    null=null,
                    seed=page,
                )
                covered = size.low <= true <= size.high
                rows.append((size.expected - true, size.observed - true, covered))
        means = np.mean(rows, axis=0) if rows else np.full(3, np.nan)
        yield [
            f"{gap:.2f}",
            str(len(rows)),
            f"{means[0]:+.3f}",
            f"{means[1]:+.3f}",
            f"{means[2]:.3f}",
        ]


def _nothing(one: Set, pages: int, rng: Rng) -> Iterator[list[str]]:
    for systems in (3, 8, 16):
        claims = 0
        for _ in range(pages):
            hard = rng.normal(size=(len(one.table), 1))
            bars = rng.normal(0.8, 0.5, systems)
            scores = (hard + rng.normal(size=(len(hard), systems)) < bars).astype(float)
            null = search.null_distribution(
                scores, one.kinds, alpha=ALPHA, n_resamples=RESAMPLES, seed=int(rng.integers(2**31))
            )
            claims += any(
                search.find_weak_kinds(column, one.kinds, null, fit, ALPHA)
                for column, fit in zip(scores.T, search.fit_kinds(scores, one.kinds), strict=True)
            )
        yield [str(systems), str(pages), str(claims)]


def _timed(one: Set, _pages: int, rng: Rng) -> Iterator[list[str]]:
    for systems in (1, 8):
        inside = _inside(one, int(_choices(one, 0, SHARES["one condition"])[0]))
        fails = np.tile((FAILS + GAP * inside)[:, None], systems)
        scores = (rng.random(fails.shape) >= fails).astype(float)
        start = time.perf_counter()
        kinds = kinds_of(one.table, one.table.index)
        null = search.null_distribution(scores, kinds, alpha=ALPHA, n_resamples=499, seed=0)
        rest = np.ones(len(scores), dtype=bool)
        for column, fit in zip(scores.T, search.fit_kinds(scores, kinds), strict=True):
            for finding in search.find_weak_kinds(column, kinds, null, fit, ALPHA):
                gaps.gap_of(
                    finding.number, column, kinds, is_unexplained=rest, fit=fit, null=null, seed=0
                )
        took = time.perf_counter() - start
        yield [f"{len(kinds):,}", str(systems), f"{took:.2f}"]


if __name__ == "__main__":
    sys.exit(main())

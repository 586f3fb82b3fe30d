"""The first screen as data: who leads, where each system is weak, and what is certain."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from qaldgen.analysis.feature_table import sampling_query
from qaldgen.analysis.slices import WeakSpot
from qaldgen.analysis.slicing import ALL
from qaldgen.reports.page.findings import NAMED_PAIRS

if TYPE_CHECKING:
    from qaldgen.analysis.comparing.comparison import Comparison
    from qaldgen.reports.page.contents import Report

#: Maximum number of questions in a benchmark of a weak spot.
_BENCHMARK = 50


def first_screen(report: Report) -> dict[str, Any]:
    """Return what the first screen shows, as JSON can hold it."""
    overall = report.scores[report.scores["feature"] == ""].set_index("system")
    ranks = rank_ranges(report.comparison, report.systems)
    sure, unsure = what_is_sure(report)
    systems = [
        {
            "name": name,
            "score": _number(overall.at[name, "estimate"]),
            "low": _number(overall.at[name, "low"]),
            "high": _number(overall.at[name, "high"]),
            "rank": list(ranks[name]),
        }
        for name in report.systems
    ]
    cards = [
        {
            "system": at,
            "note": "" if report.weak.spots[name] else report.weak.silence(name),
            "spots": [
                _spot(report, name, spot, number)
                for number, spot in enumerate(report.weak.spots[name], 1)
            ],
        }
        for at, name in enumerate(report.systems)
        if name in report.weak.spots
    ]
    return {
        "language": report.language,
        "entries": dict(report.entries),
        "systems": systems,
        "cards": cards,
        "sure": sure,
        "unsure": unsure,
    }


def rank_ranges(
    comparison: Comparison | None, systems: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank of each system that the corrected tests leave open.

    Systems with equal ranges are tied. The ranks come from the pairwise tests and not from the
    confidence intervals: whether two intervals overlap does not tell whether a difference is
    significant.

    >>> rank_ranges(None, ["mine"])
    {'mine': (1, 1)}
    """
    if comparison is None:
        return dict.fromkeys(systems, (1, len(systems)))
    better, worse = dict.fromkeys(systems, 0), dict.fromkeys(systems, 0)
    for ahead, behind, real in _verdicts(comparison):
        if real:
            better[behind] += 1
            worse[ahead] += 1
    return {name: (1 + better[name], len(systems) - worse[name]) for name in systems}


def _verdicts(comparison: Comparison) -> list[tuple[str, str, bool]]:
    """Return who is ahead on all questions, who is behind, and if significantly, for each pair."""
    pairs = comparison.pairs[comparison.pairs["slice"] == ALL]
    found = []
    values = (pairs[name].tolist() for name in ("a", "b", "difference", "p_adjusted"))
    for a, b, difference, p in zip(*values, strict=True):
        ahead, behind = comparison.in_order(str(a), str(b), difference)
        found.append((ahead, behind, bool(p <= comparison.alpha)))
    return found


def what_is_sure(report: Report) -> tuple[str, str]:
    """Say what the tests show, and what they and the editions of the gold leave open."""
    if report.comparison is not None and report.comparison.untested:
        return "", " ".join((report.comparison.untested, *report.editions))
    spots = sum(map(len, report.weak.spots.values()))
    sure, unsure = _about_pairs(report.comparison)
    if spots:
        kinds = "weak spot is" if spots == 1 else "weak spots are"
        sure.append(f"that {spots} {kinds} more than chance")
    still_open = " ".join(filter(None, (_sentence("It is open", unsure), *report.editions)))
    return _sentence("It is sure", sure), still_open


def _sentence(start: str, parts: Sequence[str]) -> str:
    """Return a sentence of parts that each begin a clause; empty without any."""
    return f"{start} {', and '.join(parts)}." if parts else ""


def _about_pairs(comparison: Comparison | None) -> tuple[list[str], list[str]]:
    if comparison is None:
        return [], []
    verdicts = _verdicts(comparison)
    real = [(ahead, behind) for ahead, behind, is_real in verdicts if is_real]
    if len(verdicts) > NAMED_PAIRS:
        counted = f"that {len(real)} of {len(verdicts)} pairs of systems differ"
        left = len(verdicts) - len(real)
        pairs = "other pairs" if real else "pairs"
        return [counted] if real else [], (
            [f"which system is better in the {left} {pairs}"] if left else []
        )
    beaten: dict[str, list[str]] = {}
    for ahead, behind in real:
        beaten.setdefault(ahead, []).append(behind)
    winners: dict[tuple[str, ...], list[str]] = {}
    for ahead, others in beaten.items():
        winners.setdefault(tuple(sorted(others)), []).append(ahead)
    sure = [
        f"that {_all_of(ahead)} {'is' if len(ahead) == 1 else 'are'} better than"
        f" {_all_of(list(others))}"
        for others, ahead in winners.items()
    ]
    ties = [f"{ahead} or {behind}" for ahead, behind, is_real in verdicts if not is_real]
    return sure, [f"which is better: {'; '.join(ties)}"] if ties else []


def _all_of(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _spot(report: Report, system: str, spot: WeakSpot, number: int) -> dict[str, Any]:
    """Return a weak spot as the page shows it."""
    name = f"weak-{_file_name(system)}-{number}.rq"
    query = sampling_query(spot.slice)
    commands = benchmark_commands(
        report.questions_file,
        name,
        len(spot.slice),
        annotated=report.annotated,
        language=report.language,
    )
    estimate = [_number(value) for value in spot.estimate]
    return {
        "label": spot.slice.label,
        "name": spot.slice.name,
        "n": len(spot.slice),
        "score": _number(spot.score),
        "elsewhere": _number(spot.elsewhere),
        "overall": _number(spot.overall),
        "expected": [_number(value) for value in (spot.expected, spot.low, spot.high)],
        "estimate": None if estimate[0] is None else estimate,
        "p": _number(spot.p),
        "also": list(spot.also),
        "shared": list(spot.shared),
        "failed": list(spot.failed),
        "ids": list(spot.slice.ids),
        "sparql": spot.slice.sparql,
        "query": query,
        "file": name,
        "commands": commands,
        "script": _script(name, query, commands),
    }


def benchmark_commands(
    questions: str, query: str, available: int, *, annotated: bool, language: str = "en"
) -> list[str]:
    """Return the commands that make a benchmark of the questions that a query selects.

    They run as they are, even twice: existing features are not computed again.

    >>> for line in benchmark_commands("data/mine.json", "weak.rq", 30, annotated=False):
    ...     print(line)
    [ -e mine-features.ttl ] || qaldgen annotate data/mine.json -o mine-features.ttl
    qaldgen sample mine-features.ttl -q weak.rq -m lpm -n 30 -o weak.ttl -o weak.json
    """
    source = shlex.quote(questions)
    data, first = source, []
    if not annotated:
        data = shlex.quote(f"{PurePath(questions).name.partition('.')[0]}-features.ttl")
        spoken = "" if language == "en" else f" --lang {shlex.quote(language)}"
        first = [f"[ -e {data} ] || qaldgen annotate {source}{spoken} -o {data}"]
    outputs = " ".join(
        f"-o {shlex.quote(str(PurePath(query).with_suffix(ending)))}"
        for ending in (".ttl", ".json")
    )
    size = min(_BENCHMARK, available)
    return [*first, f"qaldgen sample {data} -q {shlex.quote(query)} -m lpm -n {size} {outputs}"]


def _script(file: str, query: str, commands: Sequence[str]) -> str:
    """Return lines for a shell that need nothing else: they write the query, and use it."""
    return "\n".join(
        [f"cat > {shlex.quote(file)} <<'SPARQL'", query.rstrip("\n"), "SPARQL", *commands]
    )


def _file_name(text: str) -> str:
    """Return text as a file name that is safe in any shell and file system.

    >>> _file_name("my system/2")
    'my-system-2'
    """
    return (
        "".join(char if char.isalnum() or char in "._" else "-" for char in text).strip("-.")
        or "system"
    )


def _number(value: Any) -> float | None:  # noqa: ANN401
    """Return a number rounded for the page; None if it is undefined."""
    number = float(value)
    return None if number != number else round(number, 4)

"""The report as one HTML file that needs nothing else: style, script and data are inside."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.analysis.slices.slicing import ALL
from qaldgen.analysis.slices.weak_spots import HOW_SEARCHED
from qaldgen.io.text import short
from qaldgen.reports.page.contents import Report
from qaldgen.reports.page.data import packed_json, page_data, what_is_sure
from qaldgen.reports.page.slices import heading
from qaldgen.scoring.measures import known_measures

if TYPE_CHECKING:
    import pandas as pd
    from markupsafe import Markup


_FOLDER = files("qaldgen.reports.page") / "scripts"
_IMPORT = re.compile(r'^import\s*\{[^}]*\}\s*from\s*"\./([\w./-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?:\{[^}]*\};\n|(?=(?:async )?function|const|let|class))", re.MULTILINE
)


def inlined(entry: str) -> str:
    """Return a module and all that it imports as one module, each after what it needs."""
    # all modules then share one scope, so their top-level names must differ; an import may not
    # rename
    done: dict[str, str] = {}
    _gather(entry, done)
    return "".join(done.values())


def _gather(name: str, done: dict[str, str]) -> None:
    """Add a module to those that are done, after the modules that it imports."""
    if name in done:
        return
    text = (_FOLDER / name).read_text(encoding="utf-8")
    for needed in _IMPORT.findall(text):
        _gather(needed, done)
    done[name] = f"// {name}\n" + _EXPORT.sub("", _IMPORT.sub("", text))


_TEMPLATES = files("qaldgen.reports.page") / "templates"
#: Only the page's own style and script count; it loads nothing, sends nothing, and no tag in the
#: data can change that.
_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; base-uri"
    " 'none'; form-action 'none'"
)
#: Maximum number of pairs of systems with forest plots by slice.
MOST_PAIRS = 10
#: Groups of more slices than this, which only many clusters are, have no forest plot.
MOST_ROWS = 40
#: Distances of the ticks of a forest plot.
_TICKS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0)


class SliceRow(NamedTuple):
    """A line of a table of slices: one cell per system, value and interval, and who wins."""

    name: str
    label: str
    n: int
    cells: tuple[tuple[str, str], ...]
    winner: str


class Block(NamedTuple):
    """The slices by one feature: heading, what it means, and table."""

    title: str
    meaning: str
    rows: tuple[SliceRow, ...]


class SummaryRow(NamedTuple):
    """A system in the summary: one cell per measure, value and interval.

    The best values are marked.
    """

    system: str
    cells: tuple[tuple[str, str, bool], ...]


def render_html(report: Report) -> bytes:
    """Return the page; the same report, the same bytes."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    template = environment.from_string(_read("report.html.j2"))
    style, script = f"\n{_read('report.css')}\n", f"\n{inlined('report.js')}\n"
    data, packing = packed_json(page_data(report))
    text = template.render(
        report=report,
        policy=_POLICY.format(style=_hash(style), script=_hash(script)),
        style=style,
        script=script,
        data=data,
        packing=packing,
        heading=_isolated(report.title, (*report.systems, _after_on(report.title))),
        sure=what_is_sure(report),
        how_weak=HOW_SEARCHED,
        measures=[known_measures()[name] for name in dict.fromkeys(report.summary["measure"])],
        summaries=[
            (rule, _summary(report, rule)) for rule in dict.fromkeys(report.summary["missing"])
        ],
        statuses=[list(row) for row in report.statuses.itertuples(index=False)],
        blocks=[_block(report, feature) for feature in report.slices],
        forest=_forest_overall(report),
        forests=_forests(report),
    )
    return (text.rstrip() + "\n").encode("utf-8")


def _isolated(title: str, names: Sequence[str]) -> Markup:
    """Return a title whose names each have a direction of their own."""
    # arabic ones would turn the words between them round
    from markupsafe import Markup, escape

    longest_first = sorted(filter(None, set(names)), key=len, reverse=True)
    names_in_text = re.compile(
        "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first) or "(?!)"
    )
    parts, end = [], 0
    for match in names_in_text.finditer(title):
        parts += [escape(title[end : match.start()]), Markup("<bdi>{}</bdi>").format(match[0])]
        end = match.end()
    return Markup("").join([*parts, escape(title[end:])])


def _after_on(title: str) -> str:
    """Return the question set that a title of ours names last."""
    _, on, questions = title.rpartition(" on ")
    return questions if on else ""


def _hash(content: str) -> str:
    """Return what a content security policy calls the content of a tag."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode(
        "ascii"
    )


def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _summary(report: Report, rule: str) -> list[SummaryRow]:
    table = report.summary[report.summary["missing"] == rule]
    best = {
        str(name): float(value) for name, value in table.groupby("measure")["value"].max().items()
    }
    several = len(report.systems) > 1
    rows = []
    for system in report.systems:
        of_system = table[table["run"] == system]
        columns = (of_system[name].tolist() for name in ("measure", "value", "low", "high"))
        cells = tuple(
            (_number(value, "undefined", 4), _interval(low, high), several and value == best[name])
            for name, value, low, high in zip(*columns, strict=True)
        )
        rows.append(SummaryRow(system, cells))
    return rows


def _number(value: float, missing: str = "–", decimals: int = 3) -> str:
    return missing if value != value else f"{value:.{decimals}f}"


def _interval(low: float, high: float) -> str:
    return "" if low != low else f"{low:.3f}–{high:.3f}"


def _block(report: Report, feature: str) -> Block:
    """List the slices by one feature."""
    title, meaning = heading(feature)
    inside = report.scores[report.scores["feature"] == feature]
    slices = report.slices[feature]
    names = [slice_.name for slice_ in slices]
    by_system = {
        str(system): rows.set_index("slice").loc[names] for system, rows in inside.groupby("system")
    }
    sizes = by_system[report.systems[0]]["n"].tolist()
    rows = [
        SliceRow(slice_.name, slice_.label, int(n), _cells(report, by_system, slice_.name), winner)
        for slice_, n, winner in zip(slices, sizes, _winners(report, names), strict=True)
    ]
    return Block(title, meaning, tuple(rows))


def _cells(
    report: Report, by_system: dict[str, pd.DataFrame], name: str
) -> tuple[tuple[str, str], ...]:
    rows = (
        by_system[system][["estimate", "low", "high"]].to_dict("index")[name]
        for system in report.systems
    )
    return tuple((_number(row["estimate"]), _interval(row["low"], row["high"])) for row in rows)


def _winners(report: Report, names: list[str]) -> list[str]:
    """Return who wins each slice: empty where nobody does, or nothing was tested."""
    if report.comparison is None:
        return [""] * len(names)
    winners = report.comparison.winners["winner"].to_dict()
    return ["" if winners.get(name, "tie") == "tie" else str(winners[name]) for name in names]


class Effect(NamedTuple):
    """A line of a forest plot: a difference with its interval, which is NaN where there is none."""

    label: str
    difference: float
    low: float
    high: float
    significant: bool


class Forest(NamedTuple):
    """Differences around 0, with their intervals, as the template draws them."""

    effects: tuple[Effect, ...]
    better: tuple[str, str]  # who is better to the left, and to the right
    reach: float  # the difference at the right edge
    ticks: tuple[float, ...]

    def at(self, difference: float) -> str:
        """Return the place of a difference, as a share of the width."""
        return f"{50.0 * (1.0 + difference / self.reach):.2f}%"


def _forest(effects: Sequence[Effect], left_better: str, right_better: str) -> Forest:
    """Return differences with their 95 % intervals around 0."""
    labelled = tuple(effect._replace(label=short(effect.label, 48)) for effect in effects)
    sizes = [abs(value) for effect in effects for value in effect[1:4] if value == value]
    reach = 1.08 * max(0.05, *sizes)
    step = next(step for step in _TICKS if reach / step < 4)
    most = math.floor(reach / step)
    ticks = tuple(step * at for at in range(-most, most + 1))
    return Forest(labelled, (short(left_better, 26), short(right_better, 26)), reach, ticks)


def _forest_overall(report: Report) -> Forest | None:
    """Draw the pairs of systems on all questions."""
    if report.comparison is None:
        return None
    pairs = report.comparison.pairs
    every = pairs[pairs["slice"] == ALL].to_dict("records")
    effects = [
        _effect({**row, "label": f"{row['a']} – {row['b']}"}, report.comparison.alpha)
        for row in every
    ]
    return _forest(effects, "second", "first")


def _effect(row: dict[object, object], alpha: float) -> Effect:
    difference, low, high, p = (
        float(str(row[name])) for name in ("difference", "low", "high", "p_adjusted")
    )
    return Effect(str(row["label"]), difference, low, high, p <= alpha)


def _forests(report: Report) -> list[tuple[str, Forest]]:
    """Draw each pair of systems on the slices that were tested, many clusters left out."""
    if report.comparison is None:
        return []
    shown = {
        slice_.name
        for group in report.slices.values()
        if len(group) <= MOST_ROWS
        for slice_ in group
    }
    forests: list[tuple[str, Forest]] = []
    for (a, b), rows in report.comparison.pairs.groupby(["a", "b"], sort=False):
        tested = rows[rows["p"].notna() & rows["slice"].isin(shown)].to_dict("records")
        if tested and len(forests) < MOST_PAIRS:
            effects = [
                _effect({**row, "label": f"{row['slice']} ({row['n']})"}, report.comparison.alpha)
                for row in tested
            ]
            forests.append((f"{a} against {b}", _forest(effects, str(b), str(a))))
    return forests

"""The report as one HTML file, which contains its style, scripts and data."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from qaldgen.analysis.slices.weak_spots import HOW_SEARCHED
from qaldgen.io.pages import render_page
from qaldgen.io.text import shorten
from qaldgen.reports.page.contents import Report, report_slices
from qaldgen.reports.page.page_data import packed_json, page_data, what_is_sure
from qaldgen.reports.page.slice_groups import heading
from qaldgen.reports.tables.scores import without_duplicates
from qaldgen.scoring.measures import find_measure

if TYPE_CHECKING:
    from markupsafe import Markup


_TEMPLATES = files("qaldgen.reports.page") / "templates"
#: Maximum number of pairs of systems with forest plots by slice.
MOST_PAIRS = 10
#: Groups of more slices than this have no forest plot; only clusters are so many.
MOST_ROWS = 40
#: Distances of the ticks of a forest plot.
_TICKS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0)
_SCRIPTS = files("qaldgen.reports.page") / "scripts"
_IMPORT = re.compile(r'^import\s*\{[^}]*\}\s*from\s*"\./([\w./-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?:\{[^}]*\};\n|(?=(?:async )?function|const|let|class))", re.MULTILINE
)


def bundle_script(entry: str) -> str:
    """Return a script and all that it imports as one module, each after its imports.

    The scripts then share one scope, so their top-level names must differ, and no import renames.
    """
    scripts: dict[str, str] = {}
    _add_script(entry, scripts)
    return "".join(scripts.values())


def _add_script(name: str, scripts: dict[str, str]) -> None:
    """Add a script to `scripts` by name, after those that it imports."""
    if name in scripts:
        return
    text = (_SCRIPTS / name).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(text):
        _add_script(imported, scripts)
    scripts[name] = f"// {name}\n" + _EXPORT.sub("", _IMPORT.sub("", text))


def render_html(report: Report) -> bytes:
    """Return the page; the same report gives the same bytes."""
    style = f"\n{_read_template('report.css')}\n"
    script = f"\n{bundle_script('report.js')}\n"
    data, packing = packed_json(page_data(report))

    by_feature = itertools.groupby(report_slices(report), key=lambda row: row.feature)
    summary, note = without_duplicates(report.summary, words=report.in_words)
    summaries = []
    for rule, rows in summary.groupby("missing", sort=False):
        by_system = [rows[rows["run"] == name].to_dict("records") for name in report.systems]
        summaries.append((rule, by_system, rows.groupby("measure")["value"].max().to_dict()))

    # a title such as "mine and other on questions"
    names = set(report.systems)
    if " on " in report.title:
        names.add(report.title.rpartition(" on ")[2])

    # the differences of all pairs of systems, for one system none
    comparison = report.comparison
    overall_forest = None
    if comparison is not None:
        pairs = comparison.everywhere
        labels = [f"{a} – {b}" for a, b in zip(pairs["a"], pairs["b"], strict=True)]
        overall_forest = _make_forest(pairs, labels, comparison.alpha, ("second", "first"))

    page = render_page(
        _read_template("report.html.j2"),
        {"figure": _format_number, "interval": _format_interval},
        report=report,
        note=note,
        style=style,
        script=script,
        data=data,
        packing=packing,
        heading=_isolate_names(report.title, names),
        sure=what_is_sure(report),
        how_weak=HOW_SEARCHED,
        measures=[find_measure(name) for name in dict.fromkeys(summary["measure"])],
        summaries=summaries,
        statuses=[list(row) for row in report.statuses.itertuples(index=False)],
        blocks=[(heading(feature), list(rows)) for feature, rows in by_feature if feature],
        forest=overall_forest,
        forests=_forests_of_pairs(report),
    )
    return page.encode("utf-8")


def _isolate_names(title: str, names: Iterable[str]) -> Markup:
    """Return a title in which each name is in a ``bdi`` element.

    Otherwise right-to-left names would reverse the words between them.
    """
    from markupsafe import Markup, escape

    longest_first = sorted(filter(None, names), key=len, reverse=True)
    patterns = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first]
    isolated = Markup("")
    end = 0
    for match in re.finditer("|".join(patterns) or "(?!)", title):
        isolated += escape(title[end : match.start()])
        isolated += Markup("<bdi>{}</bdi>").format(match[0])
        end = match.end()
    return isolated + escape(title[end:])


def _read_template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _format_number(value: float, missing: str = "–", decimals: int = 3) -> str:
    if math.isnan(value):
        return missing
    return f"{value:.{decimals}f}"


def _format_interval(row: Mapping[str, float]) -> str:
    if math.isnan(row["low"]):
        return ""
    return f"{row['low']:.3f}–{row['high']:.3f}"


class Forest(NamedTuple):
    """Differences around 0, with their intervals, as the template draws them."""

    #: Rows of a comparison with ``label`` and ``significant``; an interval is NaN where there is
    #: none.
    effects: Sequence[Mapping[Hashable, Any]]
    better: tuple[str, str]  # who is better to the left, and to the right
    reach: float  # the difference at the right edge
    ticks: tuple[float, ...]

    def at(self, difference: float) -> str:
        """Return the position of a difference, as a share of the width."""
        return f"{50.0 * (1.0 + difference / self.reach):.2f}%"


def _make_forest(
    pairs: pd.DataFrame, labels: Iterable[str], alpha: float, better: tuple[str, str]
) -> Forest:
    """Return a forest of differences; `better` is who is better to the left and to the right."""
    import numpy as np

    effects = pairs.assign(
        label=[shorten(label, 48) for label in labels], significant=pairs["p_adjusted"] <= alpha
    )
    reach = 1.08 * max(0.05, float(np.nanmax(pairs[["difference", "low", "high"]].abs())))
    step = next(step for step in _TICKS if reach / step < 4)
    n_steps = math.floor(reach / step)
    ticks = tuple(step * number for number in range(-n_steps, n_steps + 1))
    sides = (shorten(better[0], 26), shorten(better[1], 26))
    return Forest(effects.to_dict("records"), sides, reach, ticks)


def _forests_of_pairs(report: Report) -> list[tuple[str, Forest]]:
    """Return for each pair of systems a title, and the forest on slices."""
    if report.comparison is None:
        return []
    slice_labels: dict[str, str] = {}
    for group in report.slices.values():
        if len(group) <= MOST_ROWS:
            slice_labels |= {part.name: part.label for part in group}
    pairs = report.comparison.pairs
    tested = pairs[pairs["p"].notna() & pairs["slice"].isin(slice_labels)]
    forests = []
    for (a, b), rows in itertools.islice(tested.groupby(["a", "b"], sort=False), MOST_PAIRS):
        sizes = zip(rows["slice"], rows["n"], strict=True)
        labels = [f"{slice_labels[name]} ({n})" for name, n in sizes]
        forest = _make_forest(rows, labels, report.comparison.alpha, (str(b), str(a)))
        forests.append((f"{a} against {b}", forest))
    return forests

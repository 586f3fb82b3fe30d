"""The report as a page, or its tables as Markdown, LaTeX, CSV and JSON, by file extension."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

import pandas as pd

from qaldgen.analysis.slices.slicing import ALL
from qaldgen.analysis.slices.weak_spots import HOW_SEARCHED
from qaldgen.defaults import DECIMALS, LEVEL_LABEL
from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.outputs import check_writable, write_all
from qaldgen.io.terminal import escape_line
from qaldgen.io.text import count
from qaldgen.reports.page.contents import Report
from qaldgen.reports.page.page_data import rank_ranges
from qaldgen.reports.page.sections import SECTIONS
from qaldgen.reports.page.slice_groups import heading
from qaldgen.reports.tables.latex import percents, score_table, slice_table
from qaldgen.reports.tables.results import dump_frame, latex_of, markdown
from qaldgen.reports.tables.scores import side_by_side, slices_side_by_side, systems_in_rows

#: The formats by file extension; the last two hold figures.
FORMS = ("html", "md", "tex", "csv", "json", "svg", "pdf")
#: The figures, by the part of the file name.
FIGURES = ("ranking", "kinds")
#: The columns of the tests for people, with their headings.
_TESTS = {
    "slice": "questions", "a": "A", "b": "B", "n": "n", "difference": "A - B", "low": "low",
    "high": "high",
    "p_adjusted": "corrected p", "wins": "A better", "ties": "equal", "losses": "B better",
}  # fmt: skip
#: The most findings of each kind that Markdown shows.
_MOST_SENTENCES = 10
#: After this many tables, LaTeX places all floats before it goes on.
_MOST_FLOATS = 8
#: Characters that a LaTeX label may not have.
_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9.:+-]+")


class CaptionedTable(NamedTuple):
    """A table for people."""

    name: str
    caption: str
    frame: pd.DataFrame
    latex: Callable[..., str]  # takes `caption` and `label`
    unit: str = ""  # of the numbers in LaTeX, the end of the caption


def render(report: Report, form: str) -> dict[str, bytes]:
    """Return the report in one of `FORMS`: its files by the part of their names, empty for one."""
    if form not in FORMS:
        raise UsageError(f"a report has no format {form!r}; {one_of(form, FORMS)}")
    if form == "html":
        from qaldgen.reports.page.html import render_html

        return {"": render_html(report)}
    if form == "md":
        return {"": _markdown(report).encode("utf-8")}
    if form == "tex":
        return {"": _latex(report).encode("utf-8", "backslashreplace")}
    if form == "csv":
        tables = program_tables(report)
        return {name: dump_frame(frame, "csv").encode("utf-8") for name, frame in tables.items()}
    if form == "json":
        return {"": _json(report).encode("utf-8")}
    from qaldgen.pictures.score_plots import draw_kinds, draw_ranking

    ranks = rank_ranges(report.comparison, report.systems)
    return {
        "ranking": draw_ranking(report.overall, ranks, report.measured, form),
        "kinds": draw_kinds(report.scores_by_kind, report.systems, report.measured, form),
    }


def part_names(path: str, report_parts: tuple[str, ...]) -> list[str]:
    """Return the file name of each part; a part without a name gets the path itself.

    >>> part_names("out/report.csv", ("summary", ""))
    ['out/report.summary.csv', 'out/report.csv']
    """
    file = PurePath(path)
    names = []
    for part in report_parts:
        names.append(str(file.with_suffix(f".{part}{file.suffix}")) if part else path)
    return names


def people_tables(report: Report) -> list[CaptionedTable]:
    """Return the tables of the page as people read them, except the table of the questions."""
    tables = []
    for rule, rows in report.summary.groupby("missing", sort=False):
        name = "scores" if rule == report.missing else f"scores-{rule}"
        by_system = systems_in_rows(rows, report.measure)
        latex = functools.partial(score_table, by_system, integers=["questions"])
        caption = report.caption(str(rule))
        tables.append(CaptionedTable(name, caption, side_by_side(rows), latex, ", in percent"))

    statuses = report.statuses
    status_of_systems = statuses.set_index(statuses.columns[0]).T.reset_index(names="system")
    latex = functools.partial(latex_of, status_of_systems)
    tables.append(CaptionedTable("status", "What became of the questions", statuses, latex))

    for feature, slices in report.slices.items():
        # one row per slice, one column per system; in LaTeX systems are rows
        scores = report.scores[report.scores["feature"] == feature]
        scores = scores.rename(columns={"system": "run"})
        frame = slices_side_by_side(scores)
        names = frame["slice"].tolist()
        row_labels = {part.name: part.value or part.name for part in slices}
        frame["slice"] = frame["slice"].map(row_labels)
        if report.comparison is not None:
            winners = report.comparison.winners["winner"].replace("tie", "-")
            frame["significantly best"] = winners.reindex(names, fill_value="-").tolist()

        scores["slice"] = scores["slice"].map(row_labels)
        latex = functools.partial(slice_table, scores)
        name = f"by-{feature}".replace(" ", "-")
        title = f"{report.measured} by {heading(feature).title}"
        tables.append(CaptionedTable(name, title, frame, latex, ", in percent"))

    for section in report.sections:
        latex = functools.partial(latex_of, section.frame)
        tables.append(CaptionedTable(section.name, section.heading, section.frame, latex))

    if report.comparison is not None:
        pairs = report.comparison.pairs
        tests = pairs.loc[pairs["p"].notna(), list(_TESTS)].rename(columns=_TESTS)
        is_overall = tests["questions"] == ALL
        overall = tests[is_overall].drop(columns="questions")
        tables.append(_tests_table(report, "tests", "all questions", overall))
        if not is_overall.all():
            tables.append(_tests_table(report, "tests-slices", "slices", tests[~is_overall]))
    return tables


def _tests_table(report: Report, name: str, subject: str, tests: pd.DataFrame) -> CaptionedTable:
    """Return the tests on all questions or on slices, in LaTeX in fewer columns."""
    frame = tests.iloc[:, : tests.columns.get_loc("A - B")].copy()
    frame["A - B"] = [percents(value) for value in tests["A - B"]]
    frame[f"{LEVEL_LABEL} interval"] = list(map(percents, tests["low"], tests["high"]))
    frame["corrected p"] = [f"{p:.{DECIMALS}f}" for p in tests["corrected p"]]
    outcomes = zip(tests["A better"], tests["equal"], tests["B better"], strict=True)
    frame["A better / equal / B better"] = [f"{a:,} / {n:,} / {b:,}" for a, n, b in outcomes]

    caption = f"Differences in {report.measured} on {subject}"
    latex = functools.partial(latex_of, frame)
    return CaptionedTable(name, caption, tests, latex, ", in points of percent")


def program_tables(report: Report) -> dict[str, pd.DataFrame]:
    """Return the tables for programs, with exact numbers."""
    tables = {"scores": report.summary, "status": report.statuses, "slices": report.scores}
    if report.comparison is not None:
        tables["tests"] = report.comparison.pairs
        tables["winners"] = report.comparison.winners.reset_index()
    if report.weak.spots:
        tables["weak"] = report.weak.table()
    tables |= {section.name: section.table for section in report.sections}
    return tables | {"questions": report.questions}


def _markdown(report: Report) -> str:
    """Return the findings, the tables of the page and how they were computed."""
    questions = f"{count(report.questions_asked, 'question')}. {_escape(report.guessed)}"
    lines = [f"# {_escape(report.title)}", "", questions.strip(), ""]

    weak = report.weak.sentences()
    if weak:
        lines += ["## Where each system is weak", ""]
        lines += [f"- {_escape(sentence)}" for sentence in weak]
        lines += ["", _escape(HOW_SEARCHED), ""]

    findings = report.findings
    for title, sentences in (
        ("Overall", findings.overall),
        ("Who wins where", findings.winners),
        ("Rank reversals", findings.reversals),
        ("Rank reversals that may be chance", findings.unsure),
    ):
        if not sentences:
            continue
        lines += [f"## {title}", ""]
        lines += [f"- {_escape(sentence)}" for sentence in sentences[:_MOST_SENTENCES]]
        if len(sentences) > _MOST_SENTENCES:
            lines.append(f"- and {len(sentences) - _MOST_SENTENCES} more")
        lines.append("")

    for table in people_tables(report):
        lines += [f"## {_escape(table.caption)}", "", dump_frame(table.frame, "markdown")]
    lines += [
        "## How this was computed",
        "",
        f"    {escape_line(report.method.signature)}",
        "",
    ]
    lines += [f"- {_escape(name)}: {_escape(value)}" for name, value in report.method.facts]
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """Return a text as a line of Markdown that is no heading, list or quotation."""
    return re.sub(r"^(\d*)([#>+=.)-])", r"\1\\\2", markdown(" ".join(text.split())))


def _latex(report: Report) -> str:
    """Return the table of weak spots and those of the page, in percent."""
    tables = []
    if report.weak.spots:
        spots = report.weak.table()
        frame = pd.DataFrame({
            "system": spots["system"],
            "weak on": spots["label"],
            "n": spots["n"],
            "score": spots["score"].map(percents),
            "elsewhere": spots["elsewhere"].map(percents),
            "expected": spots["expected"].map(percents),
            "interval": list(map(percents, spots["low"], spots["high"])),
            "corrected p": [f"{p:.{DECIMALS}f}" for p in spots["p"]],
        })  # fmt: skip
        tables.append(latex_of(frame, "Where each system is weak, in percent", "tab:weak"))
    for table in people_tables(report):
        caption = f"{escape_line(table.caption)}{table.unit}"
        label = f"tab:{_NOT_IN_LABEL.sub('-', table.name)}"
        tables.append(table.latex(caption=caption, label=label))

    lines = [
        r"% \usepackage{booktabs,adjustbox,longtable}; what pdfLaTeX has no glyph for, XeLaTeX and"
        r" LuaLaTeX show with a font that has it",
        f"% {escape_line(report.method.signature)}",
        "",
    ]
    for number, text in enumerate(tables, 1):
        lines.append(text)
        if number % _MOST_FLOATS == 0:
            lines.append("\\clearpage\n")
    return "\n".join(lines)


def _json(report: Report) -> str:
    """Return the findings, the exact tables and how they were computed."""
    tables = {
        name: json.loads(dump_frame(frame, "json"))
        for name, frame in program_tables(report).items()
    }
    contents = {
        "title": report.title,
        "signature": report.method.signature,
        "method": dict(report.method.facts),
        "notes": report.method.notes,
        "findings": report.findings._asdict(),
        "tables": tables,
    }
    return json.dumps(contents, ensure_ascii=False, indent=1) + "\n"


def form_of(path: str) -> str:
    """Return the report format that a file extension selects; ``-`` is Markdown."""
    if path == "-":
        return "md"
    return Path(path).suffix[1:].lower()


def report_files(paths: Sequence[str]) -> list[str]:
    """Return the files of a report: one for each path, and one for each table of CSV."""
    for path in paths:
        if path != "-" and form_of(path) not in FORMS:
            raise UsageError(
                f"-o {path}: unknown report format; use {', '.join('.' + name for name in FORMS)}"
            )
    tables = ("scores", "status", "slices", "weak", "tests", "winners", *SECTIONS, "questions")
    parts = {"csv": tables, "svg": FIGURES, "pdf": FIGURES}
    files = []
    for path in paths:
        files += part_names(path, parts.get(form_of(path), ("",)))
    return files


def render_files(report: Report, paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """Return the files of a report with their contents."""
    files: list[tuple[str, bytes]] = []
    for path in paths:
        parts = render(report, form_of(path))
        files += zip(part_names(path, tuple(parts)), parts.values(), strict=True)
    return files


def write_report(made: Report, path: str | Path, *, force: bool = False) -> list[Path]:
    """Write a report, atomically.

    Parameters
    ----------
    made
        The result of `report`.
    path
        The extension selects the format: ``.html``, ``.md``, ``.tex``, ``.csv`` (a file for each
        table), ``.json``, or ``.svg`` and ``.pdf`` (figures: the ranking, and by kind).
    force
        Overwrite files that exist.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    UsageError
        If the extension names no format, or a file exists and `force` is not set.

    Examples
    --------
    >>> import tempfile
    >>> import qaldgen as qg
    >>> gold = [{"id": "1", "question": "Which river?", "answers": ["Danube"]}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_report(qg.report(gold, {"1": "Danube"}), Path(folder) / "report.md")
    >>> [file.name for file in files]
    ['report.md']
    """
    report_files([str(path)])
    parts = []
    for name, data in render_files(made, [str(path)]):
        check_writable(Path(name), force=force)
        parts.append((Path(name), data))
    write_all(parts, force=force)
    return [file for file, _ in parts]

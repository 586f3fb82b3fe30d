"""Tables in LaTeX: every name compiles, systems are rows, and no table is wider than the page."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.reports.page.formats import render
from qaldgen.reports.tables.latex import escape, latex_table, score_table, slice_table
from qaldgen.reports.tables.results import dump_frame

#: What people call systems: emoji (also of several code points), right-to-left and Asian scripts,
#: accents, TeX's own characters.
NAMES = [
    "bot \U0001f916",
    "\U0001f469\u200d\U0001f52c lab",
    "\u05de\u05e2\u05e8\u05db\u05ea",
    "\u0646\u0638\u0627\u0645 1",
    "\u7cfb\u7edf",
    "\u0921\u0947\u091f\u093e",
    "Zo\u00eb \u0141ukasz \u0130\u0131",
    "\u03bb-calc",
    "a_b%c#d&e$f{g}~h^i\\j",
    "[x] *y*",
    "\u202eabc\u202c",
    "tab\there",
    "e\u0301\u0323 \ufb01",
    "caf\u00e9\u2019s \u2013 \u201cbest\u201d",
    "\u2122 \u20ac 5 \u00b5",
    "--- ?` !` <<>>",
    "\x07bell",
    "\ud83d half",
]
NAMES_IDS = [ascii(name) for name in NAMES]
PDFLATEX = shutil.which("pdflatex")


@pytest.mark.parametrize("name", NAMES, ids=NAMES_IDS)
def test_pdflatex_sees_nothing_but_ascii(name: str) -> None:
    """What other engines show as it is stands in a branch that pdfLaTeX skips."""
    skipped = re.sub(r"\\ifdefined\\Umathchar .*?\\else", "", escape(name), flags=re.DOTALL)
    assert skipped.isascii()
    assert skipped.isprintable()


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("-0.5", "$-$0.5"),
        ("-.5", "$-$.5"),
        ("0.1 [-0.2, -0.05]", "0.1 [$-$0.2, $-$0.05]"),
        ("GPT-4", "GPT-4"),
        ("a-1", "a-1"),
        ("2020-05-01", "2020-05-01"),
        ("--dash", "-{}-dash"),
        ("\u22123", "$-$3"),
    ],
)
def test_only_a_minus_is_a_minus(text: str, tex: str) -> None:
    assert escape(text) == tex


def wide(systems: int, name: str = "system-{} (a rather long name)") -> pd.DataFrame:
    """Return scores of many systems."""
    columns = {
        name.format(at): ["0.4061 [0.346, 0.469]", "-0.0335 [-0.156, 0.090]"]
        for at in range(systems)
    }
    return pd.DataFrame({"slice": ["(all)", "answerType = resource"], **columns})


def test_scores_are_in_percent_and_the_best_of_each_column_is_bold() -> None:
    frame = pd.DataFrame(
        {"system": ["a", "b", "c"], "F1": [0.5, 0.25, 0.5], "R": [0.1, float("nan"), 0.0]}
    )
    rows = re.findall(r"^(.*) \\\\$", score_table(frame), re.MULTILINE)
    assert rows == [
        "system & F1 & R",
        r"a & \textbf{50.0} & \textbf{10.0}",
        "b & 25.0 & -",
        r"c & \textbf{50.0} & 0.0",
    ]


@pytest.mark.parametrize(("slices", "first"), [(2, "system"), (30, "questions")])
def test_systems_are_rows_unless_slices_are_many(slices: int, first: str) -> None:
    long = pd.DataFrame(
        [
            {"slice": f"kind {at}", "run": run, "n": at + 5, "estimate": share}
            for run, share in (("one", 0.25), ("two", 0.5))
            for at in range(slices)
        ]
    )
    table = slice_table(long)
    head, *rows = re.findall(r"^(.*) \\\\$", table, re.MULTILINE)
    assert head.startswith(f"{first} & ")
    assert len(rows) == (2 if first == "system" else slices)
    assert table.count(r"\textbf{50.0}") == slices
    assert "kind 1" in table
    assert "25.0" in table


def test_one_system_is_not_the_best() -> None:
    assert "textbf" not in score_table(pd.DataFrame({"system": ["a"], "F1": [0.5]}))


def test_a_narrow_table_is_plain() -> None:
    assert latex_table(["a"], [["1"]]).startswith("\\begin{tabular}{r}")


def test_what_may_be_too_wide_is_made_smaller() -> None:
    page = latex_table(["a", "b"], [["x" * 39, "y" * 39]])
    assert page.startswith("\\begin{adjustbox}{max width=\\linewidth}\n")
    assert "\\begin{tabular}{ll}" in page


def test_a_table_longer_than_a_page_is_one_table() -> None:
    page = latex_table(["n", "b"], [[f"row {at}", "1"] for at in range(100)], caption="All")
    assert re.findall(r"row (\d+)", page) == [str(at) for at in range(100)]
    assert page.count("\\begin{longtable}") == page.count("\\caption{All} ") == 1


def test_a_long_text_is_broken_into_lines() -> None:
    page = latex_table(["a"], [["word " * 20]])
    assert max(map(len, page.split(r"\\"))) < 90
    assert page.count("word") == 20


def compiled(body: str, folder: Path) -> str:
    """Return the log of pdfLaTeX."""
    packages = r"\usepackage{booktabs,adjustbox,longtable}"
    page = rf"\documentclass{{article}}{packages}\hfuzz=1pt\begin{{document}}"
    (folder / "page.tex").write_text(
        page + "\n" + body + "\\end{document}\n", encoding="utf-8", errors="backslashreplace"
    )
    command = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-1500:]
    return (folder / "page.log").read_text(encoding="utf-8", errors="replace")


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
def test_names_compile(tmp_path: Path) -> None:
    frame = pd.DataFrame({"system": NAMES, "difference": [-0.5] * len(NAMES)}, dtype=object)
    compiled(dump_frame(frame, "latex"), tmp_path)


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
@pytest.mark.parametrize(
    "name",
    [
        "system-{} (a rather long name)",
        "s{}",
        "WWWWWWWWWWMMMMMMMMMM{}",
        "\u7cfb\u7edf \U0001f916 {}",
    ],
)
def test_wide_tables_fit_the_page(name: str, tmp_path: Path) -> None:
    body = "\n\n".join(dump_frame(wide(systems, name), "latex") for systems in (2, 4, 8, 12))
    overfull = [
        float(points)
        for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", compiled(body, tmp_path))
    ]
    assert not overfull


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
def test_long_tables_go_on_on_the_next_page(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "slice": [f"whType = {'word ' * (at % 30)}{at}" for at in range(150)],
            "difference": [-0.5] * 150,
        }
    )
    assert "Overfull" not in compiled(dump_frame(frame, "latex"), tmp_path)


@pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("systems", [1, 3, 12])
def test_the_tables_of_a_report_compile_and_fit(systems: int, tmp_path: Path) -> None:
    rows = [
        {
            "id": str(at),
            "question": f"{'How many' if at < 40 else 'Who'} is it, {at}?",
            "answer": "Ann",
        }
        for at in range(90)
    ]
    given = {
        f"{NAMES[n] if systems < 4 else 'large-language-model'} {n}": {
            str(at): "Ann" if at % (n + 2) and at > 20 else "Bo" for at in range(90)
        }
        for n in range(systems)
    }
    text = render(qg.report(rows, given), "tex")[""].decode()
    assert "continued)" not in text
    assert "Overfull" not in compiled(text, tmp_path)

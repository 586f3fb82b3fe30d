"""Tables in LaTeX: every name compiles, a minus is a minus, and no table is wider than the page."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from qaldgen.reports.tables.latex import escape, tabulars
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


@pytest.mark.parametrize("systems", [1, 3, 8, 30])
def test_every_system_is_in_one_part_with_the_first_column(systems: int) -> None:
    frame = wide(systems, "s{}")
    parts = re.findall(r"\\toprule\n(.*?) \\\\\n\\midrule", dump_frame(frame, "latex"))
    assert all(part.startswith("slice & ") for part in parts)
    assert [name for part in parts for name in part.split(" & ")[1:]] == list(frame)[1:]


def test_a_narrow_table_is_plain() -> None:
    assert tabulars(["a"], [["1"]], [True])[0].startswith("\\begin{tabular}{r}")


def test_what_may_be_too_wide_is_made_smaller() -> None:
    (page,) = tabulars(["a", "b"], [["x" * 39, "y" * 39]], [False, False])
    assert page.startswith("\\begin{adjustbox}{max width=\\linewidth}\n\\begin{tabular}{ll}")


def test_a_long_text_is_broken_into_lines() -> None:
    (page,) = tabulars(["a"], [["word " * 20]], [False])
    assert max(map(len, page.split(r"\\"))) < 90
    assert page.count("word") == 20


def compiled(body: str, folder: Path) -> str:
    """Return the log of pdfLaTeX."""
    page = r"\documentclass{article}\usepackage{booktabs,adjustbox}\hfuzz=1pt\begin{document}"
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


def test_every_row_of_a_long_table_is_on_one_page() -> None:
    pages = tabulars(["n", "b"], [[f"row {at}", "1"] for at in range(100)], [False, True])
    assert [row for page in pages for row in re.findall(r"row (\d+)", page)] == [
        str(at) for at in range(100)
    ]
    assert len(pages) == 3

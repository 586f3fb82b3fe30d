"""Tables in LaTeX by pandas' Styler: text as pdfLaTeX takes it, no wider than the page."""

from __future__ import annotations

import functools
import itertools
import math
import re
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

_SIGNS = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}",
    "\u2212": "$-$", "\u00d7": r"$\times$", "\u00b1": r"$\pm$", "\u00b7": r"$\cdot$",
    "\u2264": r"$\leq$", "\u2265": r"$\geq$",
    "\u2260": r"$\neq$", "\u2192": r"$\rightarrow$", "\u00b0": r"$^\circ$", "\u2013": "--",
    "\u2014": "---", "\u2018": "`",
    "\u2019": "'", "\u201c": "``", "\u201d": "''", "\u2026": r"\ldots{}", "\u00a0": "~",
    "\u00df": r"\ss{}", "\u00e6": r"\ae{}",
    "\u00c6": r"\AE{}", "\u0153": r"\oe{}", "\u0152": r"\OE{}", "\u00f8": r"\o{}",
    "\u00d8": r"\O{}", "\u0142": r"\l{}",
    "\u0141": r"\L{}", "\u0131": r"\i{}", "\u00bf": "?`", "\u00a1": "!`", "\u2060": "{}",
}  # fmt: skip
#: Accents by their combining character.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"',
    "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0331": "b",
}  # fmt: skip
_MINUS = re.compile(r"(?<![\w)\]}])-(?=\.?\d)")
_HYPHENS = re.compile("-(?=-)")
#: Unicode categories that no engine accepts: control characters, unpaired surrogates, private and
#: unassigned code points.
_UNPRINTABLE = frozenset({"Cc", "Cs", "Co", "Cn"})
#: The most characters of a line within a cell.
_CELL_CHARS = 40
#: The most characters of a line within a cell of a table that is longer than a page.
_LONG_CELL_CHARS = 18
#: The most characters of a line within a head.
_HEAD_CHARS = 10
#: Rows of this many characters fit into a line at 10 pt.
_ROW_CHARS = 55
#: This many lines fit on a page.
_PAGE_LINES = 40
#: A number, an interval, several numbers, or none.
_NUMBERS = re.compile(r"(-?[\d.,]+( to -?[\d.,]+| / [\d.,]+)*|-)?")
#: With more slices than this they are rows.
_MOST_SLICES = 7
#: The size of letters in which rows of so many characters fit, in tables longer than a page.
_SIZES = {55: "normalsize", 68: "footnotesize", 90: "scriptsize"}


def escape(text: str) -> str:
    r"""Return a text in LaTeX.

    Accented letters become commands, and a hyphen before a number a minus sign. pdfLaTeX prints the
    code points of characters for which it has no glyph; Unicode engines print the characters.

    >>> print(escape("50 % of a_b, -0.5"))
    50 \% of a\_b, $-$0.5
    >>> print(escape("Zoë Łukasz"))
    Zo\"{e} \L{}ukasz
    """
    # two hyphens would become a dash
    text = _HYPHENS.sub("-\u2060", _MINUS.sub("\u2212", unicodedata.normalize("NFC", text)))
    parts = []
    for has_glyphs, group in itertools.groupby(text, key=lambda letter: _glyph(letter) is not None):
        letters = "".join(group)
        if has_glyphs:
            parts += [_glyph(letter) or "" for letter in letters]
            continue
        codes = " ".join(f"U+{ord(letter):04X}" for letter in letters)
        printable = "".join(x for x in letters if unicodedata.category(x) not in _UNPRINTABLE)
        if printable:
            parts.append(rf"{{\ifdefined\Umathchar {printable}\else [{codes}]\fi}}")
        else:
            parts.append(f"[{codes}]")
    return "".join(parts)


@functools.cache
def _glyph(letter: str) -> str | None:
    """Return the LaTeX of a letter that pdfLaTeX can typeset; None for every other letter."""
    if letter in _SIGNS:
        return _SIGNS[letter]
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if base.isascii() and len(marks) == 1 and marks[0] in _ACCENTS:
        return rf"\{_ACCENTS[marks[0]]}{{{base}}}"
    if marks or not base.isascii():
        return None
    if base.isprintable():
        return base
    return " " if base.isspace() else None


def latex_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    bold: Sequence[Sequence[bool]] | None = None,
    caption: str = "",
    label: str = "",
) -> str:
    r"""Return a table, as a float if it has a caption; a long one continues on the next page.

    >>> print(latex_table(["system", "F1"], [["a_1", "-0.5"]]))
    \begin{tabular}{lr}
    \toprule
    system & F1 \\
    \midrule
    a\_1 & $-$0.5 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    max_chars = _CELL_CHARS if len(rows) <= _PAGE_LINES else _LONG_CELL_CHARS

    width = 0
    heights = np.ones((1 + len(rows), len(heads)), dtype=int)
    layout = ""
    names: dict[object, str] = {}
    cells = {}
    for column, head in enumerate(heads):
        texts = [row[column] for row in rows]
        side = "r" if all(map(_NUMBERS.fullmatch, texts)) else "l"
        layout += side
        # the lines of each cell, those of the head first
        lines = [textwrap.wrap(head, _HEAD_CHARS, break_long_words=False) or [""]]
        lines += [textwrap.wrap(text, max_chars) or [""] for text in texts]
        width += 2 + max(len(max(cell, key=len)) for cell in lines)
        heights[:, column] = [len(cell) for cell in lines]
        stacked_cells = [_stack_lines(cell, side) for cell in lines]
        names[column] = stacked_cells[0]
        cells[column] = stacked_cells[1:]
    height = int(heights.max(axis=1).sum())

    styler = pd.DataFrame(cells, dtype=object).style
    styler = styler.hide(axis="index").format_index(names.__getitem__, axis="columns")
    if bold is not None:
        props = np.where(bold, "textbf:--rwrap", "")
        styler = styler.apply(lambda frame: pd.DataFrame(props, frame.index), axis=None)

    caption_text = escape(caption)
    if height > _PAGE_LINES:
        table = styler.to_latex(
            environment="longtable",
            hrules=True,
            column_format=layout,
            caption=caption_text or None,
            label=label or None,
        )
        size = next((size for max_width, size in _SIZES.items() if width <= max_width), "tiny")
        return f"{{\\{size}\\setlength{{\\tabcolsep}}{{2pt}}\n{table}}}\n"

    table = styler.to_latex(hrules=True, column_format=layout)
    if width > _ROW_CHARS:
        narrow = "\\setlength{\\tabcolsep}{3pt}\n"
        table = (
            f"\\begin{{adjustbox}}{{max width=\\linewidth}}\n{narrow}{table}\\end{{adjustbox}}\n"
        )

    if not caption:
        return table
    head = f"\\begin{{table}}\n\\centering\n\\caption{{{caption_text}}}\n\\label{{{label}}}\n"
    return f"{head}{table}\\end{{table}}\n"


def _stack_lines(lines: Sequence[str], side: str) -> str:
    """Return a cell in LaTeX; several lines are a table within it, aligned to a side."""
    # a bracket or star at the start could be taken for an option of the line break before
    parts = [re.sub(r"^([\[*])", r"{\1}", escape(line)) for line in lines]
    text = r" \\ ".join(parts)
    if len(parts) == 1:
        return text
    return rf"\begin{{tabular}}[t]{{@{{}}{side}@{{}}}}{text}\end{{tabular}}"


def score_table(
    frame: pd.DataFrame,
    best: Literal["row", "column"] = "column",
    *,
    integers: Sequence[str] = (),
    caption: str = "",
    label: str = "",
) -> str:
    r"""Return scores between 0 and 1 in percent, the best of each column or row in bold.

    Columns of texts are shown as they are, and those named in `integers` without decimals.

    >>> frame = pd.DataFrame({"system": ["mine", "other"], "F1": [0.5, 0.25]})
    >>> print(score_table(frame))
    \begin{tabular}{lr}
    \toprule
    system & F1 \\
    \midrule
    mine & \textbf{50.0} \\
    other & 25.0 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    is_score = [dtype.kind == "f" and name not in integers for name, dtype in frame.dtypes.items()]
    shares = frame.loc[:, is_score].round(3)
    if best == "column":
        is_best = shares.eq(shares.max(axis="index"), axis="columns") & (len(frame) > 1)
    else:
        is_best = shares.eq(shares.max(axis="columns"), axis="index") & (shares.shape[1] > 1)

    cells = frame.astype(object)
    cells.loc[:, is_score] = shares.map(percents)
    for name in integers:
        cells[name] = frame[name].map("{:,.0f}".format)

    bold = is_best.reindex(columns=frame.columns, fill_value=False)
    return latex_table(
        list(map(str, frame.columns)),
        cells.astype(str).to_numpy().tolist(),
        bold=bold.to_numpy().tolist(),
        caption=caption,
        label=label,
    )


def percents(*shares: float) -> str:
    """Return a share in percent, or the bounds of an interval; a dash if there is none.

    >>> percents(0.25), percents(0.25, 0.5)
    ('25.0', '25.0 to 50.0')
    """
    if any(map(math.isnan, shares)):
        return "-"
    return " to ".join(f"{100 * share + 0.0:.1f}" for share in shares)


def slice_table(scores: pd.DataFrame, *, caption: str = "", label: str = "") -> str:
    """Return scores on slices: a row for each system; of many slices a row for each slice.

    `scores` has the columns ``run``, ``slice``, ``estimate`` and ``n``, the number of questions.
    """
    wide = scores.pivot(index="run", columns="slice", values="estimate")
    wide = wide.loc[scores["run"].unique(), scores["slice"].unique()]
    sizes = scores.groupby("slice", sort=False)["n"].max()
    if wide.shape[1] > _MOST_SLICES:
        transposed = wide.T.reset_index(names="questions")
        transposed.insert(1, "n", sizes.tolist())
        return score_table(transposed, "row", integers=["n"], caption=caption, label=label)
    heads = {name: f"{name} ({n:,})" for name, n in sizes.items()}
    rows = wide.rename(columns=heads).reset_index(names="system")
    return score_table(rows, caption=caption, label=label)

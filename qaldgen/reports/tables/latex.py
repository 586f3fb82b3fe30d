"""Tables in LaTeX: text as pdfLaTeX takes it, in parts that fit on a page."""

from __future__ import annotations

import itertools
import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

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
#: Categories that no engine accepts in a source: control characters, unpaired surrogates, private
#: and unassigned code points.
_NEVER = frozenset({"Cc", "Cs", "Co", "Cn"})
#: Characters of a line within a cell, and within a head.
_CELL, _HEAD = 40, 20
#: Characters of a row that surely fit beside each other at 10 pt, and of one that can still be read
#: when it is made smaller; lines on a page.
_SURE, _READABLE, _LINES = 55, 100, 40


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
    pieces = [(letter, _known(letter)) for letter in text]
    return "".join(
        _foreign("".join(letter for letter, _ in group))
        if foreign
        else "".join(known or "" for _, known in group)
        for foreign, group in itertools.groupby(pieces, key=lambda piece: piece[1] is None)
    )


def _known(letter: str) -> str | None:
    """Return the LaTeX of what pdfLaTeX can typeset; None for everything else."""
    if letter in _SIGNS:
        return _SIGNS[letter]
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if base.isascii() and len(marks) == 1 and marks[0] in _ACCENTS:
        return rf"\{_ACCENTS[marks[0]]}{{{base}}}"
    if marks or not base.isascii():
        return None
    return base if base.isprintable() else " " if base.isspace() else None


def _foreign(text: str) -> str:
    codes = " ".join(f"U+{ord(letter):04X}" for letter in text)
    plain = "".join(letter for letter in text if unicodedata.category(letter) not in _NEVER)
    return rf"{{\ifdefined\Umathchar {plain}\else [{codes}]\fi}}" if plain else f"[{codes}]"


def tabulars(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], *, keys: int = 1
) -> list[str]:
    r"""Return a table in parts that each fit on a page; each has the first `keys` columns.

    >>> print(tabulars(["system", "F1"], [["a_1", "-0.5"]], [False, True])[0])
    \begin{tabular}{lr}
    \toprule
    system & F1 \\
    \midrule
    a\_1 & $-$0.5 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    # of each cell its lines; the head is the first row
    table = [
        [textwrap.wrap(cell, _CELL if at else _HEAD) or [""] for cell in row]
        for at, row in enumerate([heads, *rows])
    ]
    widths = [
        2 + max(len(line) for cell in column for line in cell)
        for column in zip(*table, strict=True)
    ]
    return [
        _tabular(
            [[row[at] for at in columns] for row in page],
            "".join("r" if numeric[at] else "l" for at in columns),
            fits=sum(widths[at] for at in columns) <= _SURE,
        )
        for columns in _abreast(widths, keys)
        for page in _pages(table)
    ]


def _abreast(widths: Sequence[int], keys: int) -> Iterator[list[int]]:
    """Yield which columns stand beside each other."""
    first = list(range(keys))
    part = first
    for at in range(keys, len(widths)):
        if len(part) > keys and sum(widths[column] for column in [*part, at]) > _READABLE:
            yield part
            part = first
        part = [*part, at]
    yield part


def _pages(table: Sequence[Sequence[list[str]]]) -> Iterator[list[Sequence[list[str]]]]:
    """Yield the rows of each page after the head."""
    head, *rows = table
    page, left = [head], _LINES
    for row in rows:
        lines = max(map(len, row))
        if len(page) > 1 and lines > left:
            yield page
            page, left = [head], _LINES
        page.append(row)
        left -= lines
    yield page


def _tabular(table: Sequence[Sequence[list[str]]], sides: str, *, fits: bool) -> str:
    """Return rows as one tabular, made smaller where it may be too wide."""
    head, *rows = (
        " & ".join(_cell(cell, side) for cell, side in zip(row, sides, strict=True)) + r" \\"
        for row in table
    )
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", head, r"\midrule", *rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if not fits:
        lines = [r"\begin{adjustbox}{max width=\linewidth}", *lines, r"\end{adjustbox}"]
    return "\n".join(lines) + "\n"


def _cell(lines: Sequence[str], side: str) -> str:
    """Return a cell."""
    # a bracket or star at its start could be taken for an option of the line break before it
    shown = [
        f"{{{line[0]}}}{line[1:]}" if line[:1] in {"[", "*"} else line
        for line in map(escape, lines)
    ]
    if len(shown) == 1:
        return shown[0]
    stacked = r" \\ ".join(shown)
    return rf"\begin{{tabular}}[t]{{@{{}}{side}@{{}}}}{stacked}\end{{tabular}}"

"""Tables in LaTeX: text as pdfLaTeX takes it, columns and sizes that fit on a page."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_ASCII = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_SYMBOLS = {
    "\u2212": "$-$", "\u00d7": r"$\times$", "\u00b1": r"$\pm$", "\u00b7": r"$\cdot$",
    "\u2264": r"$\leq$", "\u2265": r"$\geq$",
    "\u2260": r"$\neq$", "\u2192": r"$\rightarrow$", "\u00b0": r"$^\circ$", "\u2013": "--",
    "\u2014": "---", "\u2018": "`",
    "\u2019": "'", "\u201c": "``", "\u201d": "''", "\u2026": r"\ldots{}", "\u00a0": "~",
    "\u00df": r"\ss{}", "\u00e6": r"\ae{}",
    "\u00c6": r"\AE{}", "\u0153": r"\oe{}", "\u0152": r"\OE{}", "\u00f8": r"\o{}",
    "\u00d8": r"\O{}", "\u0142": r"\l{}",
    "\u0141": r"\L{}", "\u0131": r"\i{}", "\u00bf": "?`", "\u00a1": "!`",
}  # fmt: skip
#: Accents by their combining character. An i keeps its dot under those below the letter.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"',
    "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0331": "b",
}  # fmt: skip
_BELOW = frozenset("dcb")
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)")
_GREEK_NAMES = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi",
    "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta",
    "Lambda", "Xi", "Pi", "Sigma",
    "Upsilon", "Phi", "Psi", "Omega",
})  # fmt: skip
_MINUS = re.compile(r"(?<![\w)\]}])-(?=\.?\d)")
#: Categories that no engine accepts in a source: control characters, unpaired surrogates, private
#: and unassigned code points.
_NEVER = frozenset({"Cc", "Cs", "Co", "Cn"})


class Piece(NamedTuple):
    """A part of a text: its LaTeX, and ASCII characters of the same width."""

    tex: str
    shown: str


def escape(text: str) -> str:
    r"""Return a text in LaTeX.

    Accented letters become commands, and a hyphen before a number a minus sign. pdfLaTeX prints the
    code points of characters for which it has no glyph; Unicode engines print the characters.

    >>> print(escape("50 % of a_b, -0.5"))
    50 \% of a\_b, $-$0.5
    >>> print(escape("Zoë Łukasz"))
    Zo\"{e} \L{}ukasz
    """
    return "".join(piece.tex for piece in pieces(text))


def pieces(text: str) -> Iterator[Piece]:
    """Yield a text piece by piece, mostly single letters."""
    foreign, before = "", ""
    for cluster in _clusters(_MINUS.sub("\u2212", unicodedata.normalize("NFC", text))):
        known = (
            Piece("{}-", "-") if cluster == before == "-" else _known(cluster)
        )  # two would become a dash
        before = cluster
        if known is None:
            foreign += cluster
            continue
        if foreign:
            yield _foreign(foreign)
            foreign = ""
        yield known
    if foreign:
        yield _foreign(foreign)


def _clusters(text: str) -> Iterator[str]:
    """Yield each character together with its combining marks."""
    cluster = ""
    for character in text:
        if cluster and unicodedata.combining(character):
            cluster += character
            continue
        if cluster:
            yield cluster
        cluster = character
    if cluster:
        yield cluster


def _known(cluster: str) -> Piece | None:
    """Return the LaTeX of what pdfLaTeX can typeset; None for everything else."""
    if cluster in _SYMBOLS:
        return Piece(_SYMBOLS[cluster], "x")
    base, *marks = list(unicodedata.normalize("NFD", cluster))
    if marks and not (
        base.isascii() and base.isprintable() and all(mark in _ACCENTS for mark in marks)
    ):
        return None
    if not base.isascii():
        return _greek(base)
    if not base.isprintable():
        return Piece(" ", " ") if base.isspace() else None
    tex = _ASCII.get(base, base)
    # accents above the letter come first, because LaTeX applies the innermost command first
    for accent in sorted((_ACCENTS[mark] for mark in marks), key=_BELOW.__contains__):
        dotless = rf"\{tex}" if tex in {"i", "j"} and accent not in _BELOW else tex
        tex = rf"\{accent}{{{dotless}}}"
    return Piece(tex, base)


def _greek(letter: str) -> Piece | None:
    match = _GREEK.fullmatch(unicodedata.name(letter, ""))
    name = match and (match[2].lower() if match[1] == "SMALL" else match[2].capitalize()).replace(
        "amda", "ambda"
    )
    return Piece(rf"$\{name}$", "m") if name in _GREEK_NAMES else None


def _foreign(text: str) -> Piece:
    codes = " ".join(f"U+{ord(character):04X}" for character in text)
    plain = "".join(
        character for character in text if unicodedata.category(character) not in _NEVER
    )
    return Piece(
        rf"{{\ifdefined\Umathchar {plain}\else [{codes}]\fi}}" if plain else f"[{codes}]",
        f"[{codes}]",
    )


#: The text width at 10 pt in the class article (345 pt; 347 pt in LNCS), less a little for
#: rounding.
TEXT_WIDTH = 343.0


class _Font(NamedTuple):
    """A font size."""

    # its command, its width relative to 10 pt, and the space on either side of a column and before
    # a table, in pt

    command: str
    scale: float
    gap: float
    indent: float = 0.0


_FONTS = (
    _Font("", 1.0, 6.0, indent=15.0),
    _Font(r"\small", 0.925, 4.0),
    _Font(r"\footnotesize", 0.85, 3.0),
)
#: A column of text wider than the first is broken into lines, and so is a head that is wider than
#: both its column and the second.
_WIDEST, _WIDEST_HEAD = 150.0, 50.0
#: The number of lines that fit on a page with a caption, and the number that a tabular takes in
#: addition to its rows.
_MOST_LINES, _MORE_LINES = 44, 3
_WIDTHS = {
    **dict.fromkeys("0123456789agovq/*$'\"", 5.0), **dict.fromkeys("bdhknpuyxU", 5.56),
    **dict.fromkeys("ceszt", 4.44),
    **dict.fromkeys("ijl.,:;![]|` ", 2.78), **dict.fromkeys("fr-()?", 3.92),
    **dict.fromkeys("mw%#&@+=<>~^", 8.33),
    **dict.fromkeys("IJ_", 5.14), **dict.fromkeys("EFLPSTZBC", 7.22),
    **dict.fromkeys("ADGHKNOQRUVXY", 7.85),
    "M": 9.17, "W": 10.28,
}  # fmt: skip
_WIDTH_OF_OTHERS = 7.85
_BREAKS = re.compile(r"(?<=[ _\-./:])")


class _Column(NamedTuple):
    """A column: its head and cells as text, whether it is numeric, and its width at 10 pt."""

    head: str
    cells: Sequence[str]
    numeric: bool
    width: float


def tabular(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], *, keys: int = 1
) -> str:
    r"""Return a table as LaTeX.

    >>> print(tabular(["system", "F1"], [["a_1", "-0.5"]], [False, True]))
    \begin{tabular}{lr}
    \toprule
    system & F1 \\
    \midrule
    a\_1 & $-$0.5 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    return "\\par\\medskip\\noindent\n".join(tabulars(heads, rows, numeric, keys=keys))


def tabulars(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], *, keys: int = 1
) -> list[str]:
    """Return a table as `tabular` does, but page by page, since LaTeX cannot break a tabular."""
    columns = [
        _column(head, [row[at] for row in rows], right)
        for at, (head, right) in enumerate(zip(heads, numeric, strict=True))
    ]
    font = next(
        (font for font in _FONTS if _total(columns, font, _WIDEST) <= TEXT_WIDTH - font.indent),
        None,
    )
    widest, parts = _WIDEST, [columns]
    if font is None:
        font, widest = _FONTS[-1], min(_WIDEST, 0.5 * TEXT_WIDTH / max(1, keys))
        parts = _parts(columns, font, widest, keys)
    pages: list[list[str]] = []
    room = 0
    for part in itertools.chain.from_iterable(_short(part, font, widest) for part in parts):
        lines = _MORE_LINES + sum(_heights(part, font, widest))
        if not pages or lines > room:
            pages.append([])
            room = _MOST_LINES
        pages[-1].append(_part(part, font, widest))
        room -= lines
    return [_in_font(font, page) for page in pages]


def _heights(columns: Sequence[_Column], font: _Font, widest: float) -> list[int]:
    """Return the number of lines of each row, starting with the head."""
    head = max(column.head.count("\n") for column in columns)
    broken = [
        column.cells
        for column in columns
        if not column.numeric and column.width * font.scale > widest
    ]
    share = 1.1 * font.scale / widest
    rows = [
        max(math.ceil(_width(cell) * share) for cell in row) for row in zip(*broken, strict=True)
    ]
    return [head + 1, *(rows or [1] * len(columns[0].cells))]


def _short(columns: Sequence[_Column], font: _Font, widest: float) -> Iterator[list[_Column]]:
    """Yield the columns in pieces whose rows fit on a page."""
    head, *heights = _heights(columns, font, widest)
    start, lines = 0, head
    for at, height in enumerate(heights):
        if at > start and lines + height > _MOST_LINES - _MORE_LINES:
            yield [column._replace(cells=column.cells[start:at]) for column in columns]
            start, lines = at, head
        lines += height
    yield [column._replace(cells=column.cells[start:]) for column in columns]


def _column(head: str, cells: Sequence[str], numeric: bool) -> _Column:
    body = max((_width(cell) for cell in cells), default=0.0)
    lines = _lines(head, max(body, _WIDEST_HEAD))
    return _Column("\n".join(lines), cells, numeric, max([body, *(_width(line) for line in lines)]))


def _width(text: str) -> float:
    """Return the width of a text in Computer Modern at 10 pt, in pt."""
    return sum(
        _WIDTHS.get(character, _WIDTH_OF_OTHERS)
        for piece in pieces(text)
        for character in piece.shown
    )


def _lines(head: str, width: float) -> list[str]:
    """Return a head, broken into lines of at most this width where possible."""
    lines = [""]
    for part in _BREAKS.split(head):
        if lines[-1] and _width(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return [line.strip() for line in lines]


def _fitted(column: _Column, font: _Font, widest: float) -> float:
    width = column.width * font.scale
    return width if column.numeric else min(width, widest)


def _total(columns: Sequence[_Column], font: _Font, widest: float) -> float:
    return sum(_fitted(column, font, widest) + 2.0 * font.gap for column in columns)


def _parts(
    columns: Sequence[_Column], font: _Font, widest: float, keys: int
) -> list[list[_Column]]:
    """Return the columns in parts that fit, each with the key columns."""
    first, parts = list(columns[:keys]), [list(columns[:keys])]
    for column in columns[keys:]:
        if len(parts[-1]) > keys and _total([*parts[-1], column], font, widest) > TEXT_WIDTH:
            parts.append(list(first))
        parts[-1].append(column)
    return parts


def _in_font(font: _Font, parts: Sequence[str]) -> str:
    body = "\n\\par\\medskip\\noindent\n".join(parts)
    if not font.command:
        return body + "\n"
    gap = f"\\setlength{{\\tabcolsep}}{{{font.gap:g}pt}}"
    return f"{{{font.command}{gap}%\n\\noindent\n{body}\\par}}\n"


def _part(columns: Sequence[_Column], font: _Font, widest: float) -> str:
    """Return these columns as one tabular; too wide ones have their cells in boxes."""
    boxes = [
        widest if not column.numeric and column.width * font.scale > widest else 0.0
        for column in columns
    ]
    head = " & ".join(_head(column, box) for column, box in zip(columns, boxes, strict=True))
    rows = zip(
        *(
            [_cell(cell, box) for cell in column.cells]
            for column, box in zip(columns, boxes, strict=True)
        ),
        strict=True,
    )
    lines = [" & ".join(row) + r" \\" for row in rows]
    begin = rf"\begin{{tabular}}{{{''.join('r' if column.numeric else 'l' for column in columns)}}}"
    return "\n".join(
        [begin, r"\toprule", head + r" \\", r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
    )


def _head(column: _Column, box: float) -> str:
    lines = column.head.split("\n")
    if box or len(lines) == 1:
        return _cell(" ".join(lines), box)
    stacked = r" \\ ".join(escape(line) for line in lines)
    return rf"\shortstack[{'r' if column.numeric else 'l'}]{{{stacked}}}"


def _cell(text: str, box: float) -> str:
    """Return a cell."""
    # a bracket or star at its start could be taken for an option of the line break before it
    if box:
        return rf"\parbox[t]{{{box:.0f}pt}}{{\raggedright\strut {_breakable(text)}\strut}}"
    escaped = escape(text)
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in {"[", "*"} else escaped


def _breakable(text: str) -> str:
    """Return a text whose long words may be broken."""
    tex, since = "", 0.0
    for piece in pieces(text):
        tex += piece.tex
        since = 0.0 if piece.shown == " " else since + 1.0
        if (piece.shown in "_-./:=" and since > 1.0) or since >= 12.0:
            tex, since = tex + r"\allowbreak{}", 0.0
    return tex

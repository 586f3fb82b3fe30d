"""Text for people: one line of anything, names, counts, their order; tables as text, CSV, HTML."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = re.compile(r"([0-9]+)")
_PAGE = re.compile(r"\s*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)
#: The parts of a page that are not shown. An element that is not closed extends to the end, which
#: keeps the search linear.
_HIDDEN = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
#: Put before a cell that a spreadsheet would execute, to make it text.
MARK = "' "
_UNSEEN = r'[\s"\x00-\x1f\u200b-\u200f\u2060\ufeff]*'
_FORMULA = re.compile(rf"(?:{MARK})*(?!{MARK})(?:[\t\r\n]|{_UNSEEN}[=+\-@＝＋－＠﹢﹣﹦﹫])")
_NUMBER = re.compile(rf"(?:{MARK})*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SEPARATORS = re.compile(r'[,;"\t\r\n]|^\s|\s$')


def short(text: str, length: int) -> str:
    """Shorten a text to one printable line, with an ellipsis in the middle.

    >>> short("http://dbpedia.org/ontology/Person", 15)
    'http://…/Person'
    """
    text = printable(text)
    half = (length - 1) // 2
    if len(text) <= length:
        return text
    return f"{text[: length - 1 - half]}…{text[len(text) - half :]}"


def result_html(line: str, tables: Iterable[pd.DataFrame], notes: Iterable[str] = ()) -> str:
    """Return a result as HTML without style and script, which a notebook adds.

    >>> result_html("<Scores of <b>>", [])
    '<div><p><b>Scores of &lt;b&gt;</b></p></div>'
    """
    remarks = "".join(f"<p>{escape(note)}</p>" for note in notes)
    frames = "".join(table.to_html(escape=True, border=0, na_rep="–") for table in tables)
    if line.startswith("<") and line.endswith(">"):
        line = line[1:-1]
    return f"<div><p><b>{escape(line)}</b></p>{remarks}{frames}</div>"


def printed(parts: Iterable[str], notes: Iterable[str] = ()) -> str:
    r"""Return a result as text: its parts with blank lines between, and then the notes.

    >>> printed(["a is best", "table"], ["a is small"])
    'a is best\n\ntable\n\nNote: a is small'
    """
    blocks = list(parts)
    if lines := [f"Note: {note}" for note in notes]:
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def text_table(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    r"""Return columns of equal width, two spaces apart, without blanks at the ends of lines.

    >>> print(text_table([["system", "f1"], ["a", "0.5"]], right=[1]), end="")
    system   f1
    a       0.5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = list(map(str.ljust, row, widths))
        for column in right:
            cells[column] = row[column].rjust(widths[column])
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def markdown_table(rows: Iterable[Sequence[str]]) -> str:
    r"""Return rows as Markdown.

    The caller escapes the cells, and gives the rule below the header as a row.

    >>> print(markdown_table([["system", "f1"], ["---", "---:"], ["a", "0.5"]]), end="")
    | system | f1 |
    | --- | ---: |
    | a | 0.5 |
    """
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def sentences(remarks: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each remark: how many questions it concerns, and the first.

    >>> sentences({"have no id": ["3", "4"]})
    ['2 questions have no id (first: 3)']
    """
    return [
        f"{count(len(ids), 'question')} {remark} (first: {ids[0]})"
        for remark, ids in remarks.items()
    ]


def count(number: int, noun: str) -> str:
    """Return ``1 question`` or ``1,200 questions``."""
    if number == 1:
        return f"{number:,} {noun}"
    return f"{number:,} {noun}s"


def few(names: Iterable[object], most: int = 3, joint: str = ", ") -> str:
    """Return the first of some names, and dots if there are more, for messages.

    >>> few("abcd"), few(["a"])
    ('a, b, c, ...', 'a')
    """
    texts = [str(name) for name in names]
    if len(texts) > most:
        texts[most:] = ["..."]
    return joint.join(texts)


def few_and_more(names: Iterable[object], most: int = 3, joint: str = ", ") -> str:
    """Return the first of some names, and how many more there are.

    >>> few_and_more("abcde"), few_and_more("abcde", joint="; ")
    ('a, b, c and 2 more', 'a; b; c; and 2 more')
    """
    texts = [str(name) for name in names]
    text = joint.join(texts[:most])
    if len(texts) > most:
        text += f"{joint.strip(', ')} and {len(texts) - most:,} more"
    return text


def natural_key(text: str) -> tuple[tuple[str | tuple[int, str], ...], str]:
    """Return the sort key that puts ``#9`` before ``#10``; equal numbers sort as text.

    >>> sorted(["q10", "q9", "q1"], key=natural_key)
    ['q1', 'q9', 'q10']
    """
    parts: list[str | tuple[int, str]] = []
    # the parts are other text and numbers, by turns
    for index, part in enumerate(_NUMBERS.split(text)):
        if index % 2:
            # a number by length, then by digits: Python refuses to convert more than 4,300 digits
            digits = part.lstrip("0")
            parts.append((len(digits), digits))
        else:
            parts.append(part)
    return tuple(parts), text


def some(names: Iterable[str], most: int = 3) -> str:
    """Return the first of some names in quotes, and dots if there are more, for messages."""
    return few((repr(name[:40]) for name in names), most)


def printable(text: str) -> str:
    r"""Return a text with a space for every character that a terminal might execute.

    >>> printable("Error:\x1b[2J gone\u202e")
    'Error: [2J gone '
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else " " for sign in text)


def one_line(text: str, longest: int = 200) -> str:
    r"""Return the beginning of a text on one line, without control characters.

    >>> one_line("Error SP030:\r\n\tsyntax error ")
    'Error SP030: syntax error'
    """
    plain = " ".join(printable(text[: 50 * longest]).split())
    if len(plain) <= longest:
        return plain
    return plain[: longest - 1] + "…"


def is_page(text: str) -> bool:
    """Return whether a text is a web page."""
    return _PAGE.match(_HIDDEN.sub("", text[:4096])) is not None


def without_markup(text: str) -> str:
    """Return the text of a web page, each element in a paragraph of its own.

    >>> without_markup("<h1>Busy</h1><style>h1 {}</style> a &lt; b &#98;").split()
    ['Busy', 'a', '<', 'b', 'b']
    """
    plain = re.sub(r"<[^<>]*>", "\n\n", _HIDDEN.sub(" ", text))
    # A large number names no character, and int() refuses more than 4,300 digits.
    return html.unescape(re.sub(r"&#[0-9]{9,};?", "\ufffd", plain))


def dump_csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Format a table as CSV; None and NaN become empty cells.

    Text with any usual separator is quoted, as a spreadsheet may take another one than the comma.

    >>> print(dump_csv(["id", "answer"], [["1", -5], ["2", "=1+1"], ["3", "a;b"]]), end="")
    id,answer
    1,-5
    2,' =1+1
    3,"a;b"
    """
    lines = []
    for row in itertools.chain([header], rows):
        cells = []
        for value in row:
            text = "" if value is None or value != value else str(value)
            if isinstance(value, str):
                text = protect(value)
            if _SEPARATORS.search(text):
                text = '"' + text.replace('"', '""') + '"'
            cells.append(text)
        lines.append(",".join(cells) + "\n")
    return "".join(lines)


def protect(text: str) -> str:
    """Return a cell that no spreadsheet executes; a number is not changed.

    >>> [protect(cell) for cell in ("=1+1", "-5", "-5 or -6", "a-b")]
    ["' =1+1", '-5', "' -5 or -6", 'a-b']
    """
    return MARK + text if _is_formula(text) else text


def unprotect(text: str) -> str:
    """Return the text of a cell that `protect` has marked; any other cell stays as it is."""
    if text.startswith(MARK) and _is_formula(text):
        return text.removeprefix(MARK)
    return text


def _is_formula(text: str) -> bool:
    """Return whether a cell is taken for a formula, with or without marks before it."""
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None

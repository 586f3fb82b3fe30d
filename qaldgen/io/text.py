"""Text for people: single lines, names, counts and their order, plain tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

_NUMBERS = re.compile(r"([0-9]+)")


def shorten(text: str, length: int) -> str:
    """Shorten a text to one printable line, with an ellipsis in the middle.

    >>> shorten("http://dbpedia.org/ontology/Person", 15)
    'http://…/Person'
    """
    text = printable(text)
    half = (length - 1) // 2
    if len(text) <= length:
        return text
    return f"{text[: length - 1 - half]}…{text[len(text) - half :]}"


def truncate(text: str, length: int) -> str:
    """Return a text that is cut to a length, with an ellipsis at the end.

    >>> truncate("SELECT DISTINCT ?mill", 12)
    'SELECT DI...'
    """
    if len(text) <= length:
        return text
    return text[: length - 3] + "..."


def text_table(rows: Sequence[Sequence[str]], right_aligned: Collection[int] = ()) -> str:
    r"""Return columns of equal width, two spaces apart, without blanks at the ends of lines.

    >>> print(text_table([["system", "f1"], ["a", "0.5"]], right_aligned=[1]), end="")
    system   f1
    a       0.5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = list(map(str.ljust, row, widths))
        for column in right_aligned:
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


def remark_sentences(remarks: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each remark: how many questions it concerns, and the first.

    >>> remark_sentences({"have no id": ["3", "4"]})
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


def few(names: Iterable[object], limit: int = 3, separator: str = ", ") -> str:
    """Return the first of some names, and dots if there are more, for messages.

    >>> few("abcd"), few(["a"])
    ('a, b, c, ...', 'a')
    """
    texts = [str(name) for name in names]
    if len(texts) > limit:
        texts[limit:] = ["..."]
    return separator.join(texts)


def few_and_more(names: Iterable[object], limit: int = 3, separator: str = ", ") -> str:
    """Return the first of some names, and the number of the others.

    >>> few_and_more("abcde"), few_and_more("abcde", separator="; ")
    ('a, b, c and 2 more', 'a; b; c; and 2 more')
    """
    texts = [str(name) for name in names]
    text = separator.join(texts[:limit])
    if len(texts) > limit:
        text += f"{separator.strip(', ')} and {len(texts) - limit:,} more"
    return text


def natural_key(text: str) -> tuple[tuple[str | tuple[int, str], ...], str]:
    """Return the sort key that puts ``#9`` before ``#10``; equal numbers sort as text.

    >>> sorted(["q10", "q9", "q1"], key=natural_key)
    ['q1', 'q9', 'q10']
    """
    parts: list[str | tuple[int, str]] = []
    # text and numbers alternate
    for index, part in enumerate(_NUMBERS.split(text)):
        if index % 2:
            # a number by length, then by digits: Python refuses to convert more than 4,300 digits
            digits = part.lstrip("0")
            parts.append((len(digits), digits))
        else:
            parts.append(part)
    return tuple(parts), text


def few_quoted(names: Iterable[str], limit: int = 3) -> str:
    """Return the first of some names in quotes, and dots if there are more, for messages."""
    return few((repr(name[:40]) for name in names), limit)


def printable(text: str) -> str:
    r"""Return a text with a space for every character that a terminal might execute.

    >>> printable("Error:\x1b[2J gone\u202e")
    'Error: [2J gone '
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)


def one_line(text: str, max_chars: int = 200) -> str:
    r"""Return the beginning of a text on one line, without control characters.

    >>> one_line("Error SP030:\r\n\tsyntax error ")
    'Error SP030: syntax error'
    """
    line = " ".join(printable(text[: 50 * max_chars]).split())
    if len(line) <= max_chars:
        return line
    return line[: max_chars - 1] + "…"

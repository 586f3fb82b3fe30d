"""What people read on a terminal: control characters of the data are shown there, never obeyed."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import textwrap
from typing import TextIO

#: Control characters but tab and line feed, what turns the direction of text round, separators of
#: lines, half surrogate pairs.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text in which a terminal finds no command.

    What it would obey stands as the escape that JSON has for it.

    Examples
    --------
    >>> print(visible("\x1b[31mred"))
    \u001b[31mred
    """
    return _HIDDEN.sub(_escape, text)


def one_line(text: str) -> str:
    r"""Return a text as `visible` does, line feeds and tabs escaped too.

    Examples
    --------
    >>> print(one_line("a\nb"))
    a\u000ab
    """
    return re.sub(r"[\n\t]", _escape, visible(text))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


class _Visible(io.TextIOWrapper):
    """A standard stream whose text is made visible.

    Bytes written to its buffer are not looked at.
    """

    def __init__(self, stream: TextIO) -> None:
        named = stream.encoding.lower().replace("_", "-")
        encoding = (
            "utf-8" if named in {"ascii", "us-ascii", "ansi-x3.4-1968"} else stream.encoding
        )  # as click does
        super().__init__(stream.buffer, encoding, "backslashreplace", line_buffering=True)
        self.plain = stream

    def write(self, text: str, /) -> int:
        super().write(visible(text))
        return len(text)


def guard_streams() -> None:
    """Make all text visible that this process writes to stdout and stderr from now on.

    The number of a stream that is closed is taken, or else the next file to be opened would be
    written to in its place.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, _Visible):
            setattr(sys, name, _Visible(stream))


def plain_stderr() -> TextIO | None:
    """Return stderr for what moves the cursor on purpose, as a bar does.

    Its text must be visible already.
    """
    return sys.stderr.plain if isinstance(sys.stderr, _Visible) else sys.stderr


#: Where nobody says how wide the terminal is, tables and notes are made for this many columns.
USUAL_WIDTH = 100


def terminal_width() -> int:
    """Return how many columns there are for a table.

    Those of the terminal, or `USUAL_WIDTH` where there is none.
    """
    return max(40, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)


def table_width() -> int | None:
    """Return how many columns a table may have.

    None where it goes into a file or a pipe, and programs want whole lines.
    """
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return terminal_width()
    return None


def wrapped(text: str, stream: TextIO | None) -> str:
    """Return a line wrapped at words for a terminal.

    For a file or a pipe as it is, since programs look for whole lines.

    Parameters
    ----------
    text
        One line.
    stream
        Where it goes.
    """
    if stream is None or not stream.isatty():
        return text
    return textwrap.fill(
        text,
        terminal_width(),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )

"""Text on a terminal: control characters in the data are shown, never executed."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import textwrap
from typing import TextIO

#: Control characters except tab and line feed, marks that change the direction of text, line
#: separators, lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]"
)
#: The width of tables and notes in columns, if the width of the terminal is not known.
USUAL_WIDTH = 100


def visible(text: str) -> str:
    r"""Return a text without commands to a terminal: they are shown as JSON escapes.

    >>> print(visible("\x1b[31mred"))
    \u001b[31mred
    """
    return _HIDDEN.sub(_escape, text)


def visible_line(text: str) -> str:
    r"""Return a text like `visible`, with line feeds and tabs escaped too.

    >>> print(visible_line("a\nb"))
    a\u000ab
    """
    return re.sub(r"[\n\t]", _escape, visible(text))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


class _Visible(io.TextIOWrapper):
    """A standard stream whose text is made visible.

    Bytes written to its buffer are not checked.
    """

    def __init__(self, stream: TextIO) -> None:
        encoding = stream.encoding.lower().replace("_", "-")
        # As click does: a terminal with the C locale usually understands UTF-8.
        is_ascii = encoding in {"ascii", "us-ascii", "ansi-x3.4-1968"}
        encoding = "utf-8" if is_ascii else stream.encoding
        super().__init__(stream.buffer, encoding, "backslashreplace", line_buffering=True)
        self.plain = stream

    def write(self, text: str, /) -> int:
        """Write a text made visible; return its length as the caller knows it."""
        super().write(visible(text))
        return len(text)


def guard_streams() -> None:
    """Make all text visible that this process writes to stdout and stderr from now on.

    The number of a closed stream is occupied first; otherwise output would go into the next file
    that is opened.
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
    """Return stderr for text that moves the cursor on purpose, such as a progress bar.

    Its text must be visible already.
    """
    if isinstance(sys.stderr, _Visible):
        return sys.stderr.plain
    return sys.stderr


def terminal_width() -> int:
    """Return the width for a table: the terminal's, or `USUAL_WIDTH` without a terminal."""
    return max(40, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)


def table_width() -> int | None:
    """Return how many columns a table may have.

    None if it goes into a file or a pipe, as programs want whole lines.
    """
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return terminal_width()
    return None


def wrapped(text: str, stream: TextIO | None) -> str:
    """Return a line wrapped at words for a terminal.

    Unchanged for a file or a pipe, since programs look for whole lines.
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

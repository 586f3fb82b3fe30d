"""Text on a terminal: control characters in it are shown, never executed."""

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
DEFAULT_WIDTH = 100


def escape_text(text: str) -> str:
    r"""Return a text without commands to a terminal: they are shown as JSON escapes.

    >>> print(escape_text("\x1b[31mred"))
    \u001b[31mred
    """
    return _HIDDEN.sub(_escape_character, text)


def escape_line(text: str) -> str:
    r"""Return a text like `escape_text`, with line feeds and tabs escaped too.

    >>> print(escape_line("a\nb"))
    a\u000ab
    """
    return re.sub(r"[\n\t]", _escape_character, escape_text(text))


def _escape_character(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


class _GuardedStream(io.TextIOWrapper):
    """A standard stream whose text is made visible.

    Bytes written to its buffer are not checked.
    """

    def __init__(self, stream: TextIO) -> None:
        encoding = stream.encoding.lower().replace("_", "-")
        # As click does: a terminal with the C locale usually understands UTF-8.
        is_ascii = encoding in {"ascii", "us-ascii", "ansi-x3.4-1968"}
        encoding = "utf-8" if is_ascii else stream.encoding
        super().__init__(stream.buffer, encoding, "backslashreplace", line_buffering=True)
        self.stream = stream

    def write(self, text: str, /) -> int:
        """Write a text made visible; return the length of the original text."""
        super().write(escape_text(text))
        return len(text)


def guard_streams() -> None:
    """Make all text visible that this process writes to stdout and stderr from now on.

    Descriptors of closed streams are occupied first; else output would go into the next file that
    is opened.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, _GuardedStream):
            setattr(sys, name, _GuardedStream(stream))


def unguarded_stderr() -> TextIO | None:
    """Return stderr for text that moves the cursor, such as a progress bar.

    The caller makes text from data visible.
    """
    if isinstance(sys.stderr, _GuardedStream):
        return sys.stderr.stream
    return sys.stderr


def terminal_width() -> int:
    """Return the width for a table: the terminal's, or `DEFAULT_WIDTH` without a terminal."""
    return max(40, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns)


def table_width() -> int | None:
    """Return the width of a table in characters; None for a file or pipe, where lines are whole."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return terminal_width()
    return None


def wrap_line(text: str, stream: TextIO | None) -> str:
    """Return a line wrapped at words for a terminal; for a file or pipe it stays whole."""
    if stream is None or not stream.isatty():
        return text
    return textwrap.fill(
        text,
        terminal_width(),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )

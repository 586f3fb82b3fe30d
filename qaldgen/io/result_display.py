"""Results as people read them: as text, and as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def result_html(line: str, tables: Iterable[pd.DataFrame], notes: Iterable[str] = ()) -> str:
    """Return a result as HTML without style and script, which a notebook adds.

    >>> result_html("<Scores of <b>>", [])
    '<div><p><b>Scores of &lt;b&gt;</b></p></div>'
    """
    paragraphs = "".join(f"<p>{escape(note)}</p>" for note in notes)
    frames = "".join(table.to_html(escape=True, border=0, na_rep="–") for table in tables)
    if line.startswith("<") and line.endswith(">"):
        line = line[1:-1]
    return f"<div><p><b>{escape(line)}</b></p>{paragraphs}{frames}</div>"


def result_text(parts: Iterable[str], notes: Iterable[str] = ()) -> str:
    r"""Return a result as text: its parts with blank lines between, and then the notes.

    >>> result_text(["a is best", "table"], ["a is small"])
    'a is best\n\ntable\n\nNote: a is small'
    """
    blocks = list(parts)
    note_lines = [f"Note: {note}" for note in notes]
    if note_lines:
        blocks.append("\n".join(note_lines))
    return "\n\n".join(blocks)

"""Recognise a web page that came instead of another answer, and extract its text."""

from __future__ import annotations

import html
import re

_PAGE = re.compile(r"\s*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)
#: The parts of a page that browsers do not show. An element that is not closed extends to the end,
#: which keeps the search linear.
_HIDDEN = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)


def is_page(text: str) -> bool:
    """Return whether a text is a web page."""
    return _PAGE.match(_HIDDEN.sub("", text[:4096])) is not None


def without_markup(text: str) -> str:
    """Return the text of a web page, each element in a paragraph of its own.

    >>> without_markup("<h1>Busy</h1><style>h1 {}</style> a &lt; b &#98;").split()
    ['Busy', 'a', '<', 'b', 'b']
    """
    text_with_entities = re.sub(r"<[^<>]*>", "\n\n", _HIDDEN.sub(" ", text))
    # A large number names no character, and int() refuses more than 4,300 digits.
    return html.unescape(re.sub(r"&#[0-9]{9,};?", "\ufffd", text_with_entities))

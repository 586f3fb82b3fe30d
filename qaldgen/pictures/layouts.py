"""The layouts and formats of figures, which verbs check before they load what draws."""

from __future__ import annotations

from typing import NamedTuple

from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_choice

#: The formats of pictures.
FORMS = ("png", "svg", "pdf")


class Layout(NamedTuple):
    """The width of a figure in inches, and its font size in points."""

    width: float
    points: float


#: The width of one and of two columns in common journal and conference templates.
LAYOUTS = {
    "screen": Layout(8.5, 9.0),
    "one-column": Layout(3.3, 8.0),
    "two-column": Layout(7.0, 8.0),
}


def find_layout(name: str) -> Layout:
    """Return a layout; refuse an unknown one."""
    check_choice("`style`", name, LAYOUTS)
    return LAYOUTS[name]


def check_picture(path: str | None, layout: str) -> str:
    """Return the format of a picture, empty without a path; refuse an unknown format or layout."""
    find_layout(layout)
    if path is None:
        return ""
    return picture_form(path)


def picture_form(path: str) -> str:
    """Return the format that belongs to a file's extension.

    >>> picture_form("plan.PDF")
    'pdf'
    """
    form = path.rpartition(".")[2].lower()
    if form not in FORMS:
        raise UsageError(
            f"unknown picture format; use {', '.join('.' + form for form in FORMS)}", where=path
        )
    return form

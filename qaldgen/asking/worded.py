"""Systems that answer in words and need no graph: baselines for open-domain questions."""

from __future__ import annotations

from qaldgen.asking.record import Search
from qaldgen.asking.wiki_search import wiki_search


def always_tak(text: str) -> str:
    """Answer every question with "tak", a baseline of PolEval.

    Parameters
    ----------
    text
        Not used.

    Returns
    -------
    str
        Always the same.
    """
    return "tak"


def always_nie(text: str) -> str:
    """Answer every question with "nie".

    Parameters
    ----------
    text
        Not used.

    Returns
    -------
    str
        Always the same.
    """
    return "nie"


def first_title(text: str, search: Search) -> str:
    """Answer with the title of the first suitable article, PolEval's baseline.

    Parameters
    ----------
    text
        The question.
    search
        Where articles are looked up.

    Returns
    -------
    str
        The answer; empty for none.

    Examples
    --------
    >>> search = Search("mine", lambda query: ["Młyn", "Jan Kowal (młynarz)"])
    >>> first_title("Kto zbudował młyn?", search)
    'Jan Kowal'
    """
    return wiki_search(text, search.titles)

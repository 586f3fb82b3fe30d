"""Baselines of PolEval 2021: always the same answer, and WIKI_SEARCH, the title of an article.

The words of the question are the query. The answer is the first title found none of whose words is
like a word of the question, by the task's own metric; its part in brackets is removed. If there is
none, the first word of the query is dropped, and the search starts again (section 6 of the shared
task's paper).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from qaldgen.asking.systems import Search
from qaldgen.plugins.passages.searching import Titles
from qaldgen.plugins.polish.metric import accepts

_TOKEN = re.compile(r"\w+|[^\w\s]")
#: MediaWiki's limit for a query.
LONGEST_QUERY = 300


def wiki_search(question: str, titles: Titles) -> str:
    """Return the answer of the baseline.

    >>> titles = ["Młyn", "Ulm (miasto)", "Jan Kowal (młynarz)"]
    >>> wiki_search("Kto zbudował młyn w Ulm?", lambda query: titles)
    'Jan Kowal'
    """
    words = [token for token in _TOKEN.findall(question) if len(token) > 1]
    for start in range(len(words)):
        query = " ".join(words[start:])
        # MediaWiki refuses such a query; dropping words makes it shorter.
        if len(query) > LONGEST_QUERY:
            continue
        for title in titles(query):
            answer = title.split("(")[0].strip()
            if answer and not _like(title, words):
                return answer
    return ""


def _like(title: str, words: Sequence[str]) -> bool:
    """Tell whether a word of the title is like a word of the question, taken as a gold answer."""
    return any(accepts([word], token) for token in _TOKEN.findall(title) for word in words)


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

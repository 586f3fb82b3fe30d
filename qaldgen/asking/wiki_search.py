"""WIKI_SEARCH, the baseline of PolEval 2021: the title of an article is the answer.

The words of the question are the query. The answer is the first title found none of whose words is
like a word of the question, by the task's own metric; its part in brackets is removed. If there is
none, the first word of the query is dropped, and the search starts again (section 6 of the shared
task's paper).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias
from urllib.parse import urlencode

from qaldgen.errors import DataError
from qaldgen.io.web.credentials import SYSTEM, find_access
from qaldgen.io.web.failure import Failure
from qaldgen.io.web.messages import SMALL, Limits, Request
from qaldgen.io.web.transport import exchange
from qaldgen.retrieval.analysers import Analyse
from qaldgen.retrieval.bm25 import Bm25
from qaldgen.retrieval.passages import Collection
from qaldgen.scoring.poleval.metric import accepts

#: Takes a query, returns the titles found, in order.
Titles: TypeAlias = Callable[[str], Sequence[str]]
_TOKEN = re.compile(r"\w+|[^\w\s]")
#: MediaWiki's default number of results, and its limit for a query.
MOST, LONGEST_QUERY = 10, 300


def wiki_search(question: str, titles: Titles) -> str:
    """Return the answer of the baseline.

    Parameters
    ----------
    question
        Its text.
    titles
        The search.

    Returns
    -------
    str
        Empty if no title is suitable.

    Examples
    --------
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


def local_titles(collection: Collection, analyse: Analyse, *, require_all: bool = True) -> Titles:
    """Return a search for the titles of a collection.

    Parameters
    ----------
    collection
        Its passages are searched with their titles.
    analyse
        Turns a text into terms.
    require_all
        Whether every word must be found, as in MediaWiki; otherwise BM25 alone decides.

    Returns
    -------
    Titles
        Indexed already.
    """
    index = Bm25((f"{one.text} {one.title}" for one in collection.passages), analyse)

    def search(query: str) -> list[str]:
        # More passages than titles are needed, since an article has several passages.
        places, _ = index.search(query, 10 * MOST, require_all=require_all)
        return list(dict.fromkeys(collection.passages[place].title for place in places.tolist()))[
            :MOST
        ]

    return search


def mediawiki_titles(url: str, timeout: float = 60.0) -> Titles:
    """Return a search by the API of a wiki.

    Parameters
    ----------
    url
        The address of its ``api.php``.
    timeout
        Longest wait for one reply, in seconds.

    Returns
    -------
    Titles
        Raises `DataError` if the wiki cannot be asked.

    Raises
    ------
    UsageError
        If the address is invalid.
    """
    access = find_access(url, SYSTEM)

    def search(query: str) -> list[str]:
        request = Request(
            f"{access.address.url}?{_parameters(query)}", None, {"Accept": "application/json"}
        )
        try:
            reply = exchange(request, access, Limits(timeout, SMALL))
        except Failure as failure:
            raise DataError(f"{access.address.name}: {failure.reason}") from None
        return _titles_in(reply.body, access.address.name)

    return search


def _parameters(query: str) -> str:
    wanted = {
        "action": "query",
        "list": "search",
        "srsearch": query,
        "srlimit": MOST,
        "srnamespace": 0,
        "format": "json",
    }
    return urlencode(wanted)


def _complaint(reply: object) -> str:
    """Return what the API says is wrong: it says so with status 200."""
    error = reply.get("error") if isinstance(reply, dict) else None
    said = error.get("info") if isinstance(error, dict) else None
    return f"; it says: {said[:200]}" if isinstance(said, str) else ""


def _titles_in(reply: bytes, server: str) -> list[str]:
    """Return the titles in a reply of the API."""
    result = None
    try:
        result = json.loads(reply)
        return [str(one["title"]) for one in result["query"]["search"]]
    except (ValueError, KeyError, TypeError):
        raise DataError(
            f"{server}: the reply is not a search result of MediaWiki (query.search)"
            f"{_complaint(result)}"
        ) from None

"""Systems that answer in words and need no graph: baselines for open-domain questions."""

from __future__ import annotations

from qaldgen.asking.record import Search
from qaldgen.asking.wiki_search import local_titles, mediawiki_titles, wiki_search
from qaldgen.errors import UsageError
from qaldgen.io.web.address import parse_address
from qaldgen.retrieval.analysers import make_analyser
from qaldgen.retrieval.passages import Collection


def search_in(
    passages: Collection | None = None,
    wiki: str = "",
    *,
    analyser: str = "token",
    language: str = "pl",
    require_all: bool = True,
) -> Search:
    """Return a search for the titles of articles, for systems that look things up.

    Parameters
    ----------
    passages
        The articles.
    wiki
        The address of the ``api.php`` of a wiki, to ask instead.
    analyser, language
        How terms of the passages are found.
    require_all
        Whether all words of a query must be in a passage.

    Returns
    -------
    Search
        The passages are indexed now, not with the first question.

    Raises
    ------
    UsageError
        If there are passages and a wiki, or neither.
    """
    if (passages is None) == (not wiki):
        raise UsageError("a search looks either into passages or asks a wiki; pass one of them")
    if passages is None:
        return Search(parse_address(wiki).label, mediawiki_titles(wiki))
    how = "all words" if require_all else "any word"
    titles = local_titles(passages, make_analyser(analyser, language), require_all=require_all)
    return Search(f"{passages.name} (sha256 {passages.sha256[:16]}), {analyser}, {how}", titles)


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

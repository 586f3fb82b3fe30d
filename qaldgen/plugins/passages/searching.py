"""Searches for the titles of articles, in a collection of passages or in a wiki."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlencode

from qaldgen.asking.systems import Search, Source
from qaldgen.errors import DataError, UsageError
from qaldgen.io.json_text import from_json, member
from qaldgen.io.web.access import SYSTEM, find_access, parse_address
from qaldgen.io.web.client import DEFAULT_SYSTEM_BYTES, Limits, Request, exchange
from qaldgen.io.web.failure import Failure
from qaldgen.model import QuestionSet
from qaldgen.options import Option
from qaldgen.plugins.passages.analysers import Analyse, make_analyser
from qaldgen.plugins.passages.collection import Collection, read_collection

#: Takes a query, returns the titles found, in order.
Titles: TypeAlias = Callable[[str], Sequence[str]]
#: MediaWiki's default number of results.
MAX_TITLES = 10
#: Seconds until a wiki has to answer.
_TIMEOUT = 60.0
#: The value of `read` for the relevant passages instead of a run.
_RELEVANT = "relevant"


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
        A collection that is searched here.
    wiki
        The address of the API of a MediaWiki, instead of passages.
    analyser
        How texts are split into terms, for passages.
    language
        Language of the passages.
    require_all
        Whether a passage must hold all words of a query.

    Returns
    -------
    Search
        For ``System(search=...)``.

    Raises
    ------
    UsageError
        If both passages and a wiki are given, or neither.
    """
    if (passages is None) == (not wiki):
        raise UsageError("a search looks either into passages or asks a wiki; pass one of them")
    if passages is None:
        return Search(parse_address(wiki).label, mediawiki_titles(wiki))
    match = "all words" if require_all else "any word"
    titles = local_titles(passages, make_analyser(analyser, language), require_all=require_all)
    return Search(f"{passages.name} (sha256 {passages.sha256[:16]}), {analyser}, {match}", titles)


def local_titles(collection: Collection, analyse: Analyse, *, require_all: bool) -> Titles:
    """Return a search for the titles of a collection."""
    from qaldgen.plugins.passages.bm25 import Bm25  # imports scipy

    index = Bm25((f"{passage.text} {passage.title}" for passage in collection.passages), analyse)

    def search(query: str) -> list[str]:
        # several passages may have the same title
        rows, _ = index.search(query, 10 * MAX_TITLES, require_all=require_all)
        titles = dict.fromkeys(collection.passages[row].title for row in rows.tolist())
        return list(titles)[:MAX_TITLES]

    return search


def mediawiki_titles(url: str) -> Titles:
    """Return a search by the API of a wiki."""
    access = find_access(url, SYSTEM)

    def search(query: str) -> list[str]:
        parameters = {
            "action": "query",
            "list": "search",
            "srsearch": query,
            "srlimit": MAX_TITLES,
            "srnamespace": 0,
            "format": "json",
        }

        query_url = f"{access.address.url}?{urlencode(parameters)}"
        request = Request(query_url, None, {"Accept": "application/json"})

        try:
            reply = exchange(request, access, Limits(_TIMEOUT, DEFAULT_SYSTEM_BYTES))
        except Failure as failure:
            raise DataError(failure.reason, where=access.address.name) from None

        result = None
        try:
            result = from_json(reply.body)
            return [str(hit["title"]) for hit in result["query"]["search"]]
        except (ValueError, KeyError, TypeError):
            # the API reports errors with HTTP status 200
            message = member(member(result, "error"), "info")
            detail = f"; it says: {str(message)[:200]}" if message else ""
            raise DataError(
                f"the reply is not a search result of MediaWiki (query.search){detail}",
                where=access.address.name,
            ) from None

    return search


def files_to_search(*, passages: str | None, wiki: str, any_word: bool) -> list[str] | None:
    """Return the files that a search reads: none for a wiki, None if no search is asked for."""
    if passages is not None and wiki:
        raise UsageError("two places to search given; pass either `passages` or `wiki`")
    if any_word and passages is None:
        raise UsageError("`any_word` only applies with `passages`; remove it")
    if passages is not None:
        return [passages]
    return [] if wiki else None


def open_search(language: str, *, passages: str | None, wiki: str, any_word: bool) -> Search:
    """Return the search that the options describe."""
    collection = None if passages is None else read_collection(passages)
    return search_in(collection, wiki, language=language, require_all=not any_word)


def files_for_prompts(*, passages: str | None, read: str, read_top: int) -> list[str] | None:
    """Return the files that passages for prompts come from; None if prompts have none."""
    if read and passages is None:
        raise UsageError("`read` puts passages into prompts; name the collection with `passages`")
    if not read or passages is None:
        return None
    if read == _RELEVANT:
        return [passages]
    return [passages, read]


def texts_for_prompts(
    questions: QuestionSet, language: str, *, passages: str, read: str, read_top: int
) -> dict[str, str]:
    """Return by question id the text with its passages, which is added to the prompt."""
    from qaldgen.plugins.passages.pipeline import passage_texts  # imports numpy

    run = None if read == _RELEVANT else read
    return passage_texts(questions, passages, found=run, k=read_top, language=language)


_PASSAGES = Option("passages", None, "passages that are searched, or added to prompts", kind=Path)
TITLES = Source(
    files_to_search,
    open_search,
    "`passages`, a file, or `wiki`, the URL of an api.php",
    (
        _PASSAGES,
        Option("wiki", "", "the api.php of a wiki that is asked instead of passages"),
        Option("any_word", False, "match any word of a query in passages (OR)"),
    ),
)
TEXTS = Source(
    files_for_prompts,
    texts_for_prompts,
    "`read`",
    (
        _PASSAGES,
        Option(
            "read",
            "",
            "add passages to prompts: those of a run in TREC format, or 'relevant'"
            " for the relevant ones",
        ),
        Option("read_top", 5, "number of passages added to a prompt", minimum=1),
    ),
)

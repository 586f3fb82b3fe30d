"""Systems that answer in words and need no graph: baselines for open-domain questions."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple, TypeAlias

from qaldgen.asking.asking import Asker
from qaldgen.asking.wiki_search import local_titles, mediawiki_titles, wiki_search
from qaldgen.errors import UsageError
from qaldgen.io.extensions import Table
from qaldgen.io.web.address import parse_address
from qaldgen.model import Answers
from qaldgen.retrieval.analysers import make_analyser
from qaldgen.retrieval.passages import Collection
from qaldgen.runs.record import Response, status_of

#: From the text of a question to the answer; empty for none.
Answer: TypeAlias = Callable[[str], str]


class Sources(NamedTuple):
    """What a system may look things up in.

    Attributes
    ----------
    passages : Collection or None
        Articles.
    wiki : str
        The address of the ``api.php`` of a wiki; empty for none.
    analyser, language : str
        How terms of the passages are found.
    require_all : bool
        Whether all words of a query must be in an article.
    """

    passages: Collection | None = None
    wiki: str = ""
    analyser: str = "token"
    language: str = "pl"
    require_all: bool = True

    @property
    def name(self) -> str:
        """What a journal calls the source."""
        if self.wiki:
            return parse_address(self.wiki).label
        if self.passages is None:
            return ""
        how = "all words" if self.require_all else "any word"
        return f"{self.passages.name} (sha256 {self.passages.sha256[:16]}), {self.analyser}, {how}"


class WordedSystem(NamedTuple):
    """A system that answers in words.

    Attributes
    ----------
    make : callable
        Takes the sources and returns what answers.
    help : str
        What it does, in one line.
    searches : bool
        Whether it needs passages or a wiki.
    """

    make: Callable[[Sources], Answer]
    help: str
    searches: bool = False


def _wiki_search(sources: Sources) -> Answer:
    if (sources.passages is None) == (not sources.wiki):
        raise UsageError("wiki-search looks either into --passages FILE or asks --wiki URL, the api.php of a wiki")
    if sources.passages is None:
        titles = mediawiki_titles(sources.wiki)
    else:
        analyse = make_analyser(sources.analyser, sources.language)
        titles = local_titles(sources.passages, analyse, require_all=sources.require_all)
    return lambda question: wiki_search(question, titles)


_OURS = {
    "always-tak": WordedSystem(lambda sources: lambda question: "tak", "answers every question by tak, as a row of PolEval"),
    "always-nie": WordedSystem(lambda sources: lambda question: "nie", "answers every question by nie"),
    "wiki-search": WordedSystem(_wiki_search, "PolEval's baseline: the title of the first article found", searches=True),
}
#: Every such system, by name. Other packages add some by the entry point group qaldgen.worded_systems.
WORDED = Table("worded_systems", WordedSystem, _OURS)


def worded_system(name: str, sources: Sources = Sources()) -> Asker:  # noqa: B008
    """Return a system that answers in words.

    Parameters
    ----------
    name
        A key of `WORDED`.
    sources
        What it may look into.

    Raises
    ------
    UsageError
        If there is no such system, or it lacks a source.

    Examples
    --------
    >>> worded_system("always-tak").ask("1", "Czy pada?").answers.values()
    ['tak']
    """
    if name not in WORDED:
        raise UsageError(f"there is no system {name!r} that answers in words; choose one of {', '.join(WORDED)}")
    answer = WORDED[name].make(sources)

    def ask(question: str, text: str) -> Response:
        start = monotonic()
        found = answer(text)
        answers = Answers(texts=((found,),) if found else ())
        return Response(question, status_of(answers), answers, seconds=round(monotonic() - start, 3))

    return Asker(f"{name} over {sources.name}" if sources.name else name, ask)

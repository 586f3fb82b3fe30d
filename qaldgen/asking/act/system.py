"""ACT as a system that can be asked: the best-scored candidate or neighbour is the answer."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import logging
import math
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from qaldgen.asking.act.candidates import Generator, nearest_questions, recorded_candidates
from qaldgen.asking.act.graph import Graph, Source
from qaldgen.asking.act.options import Act, Selection
from qaldgen.asking.act.ranking import (
    Row,
    Similarity,
    purity,
    score_rows,
    type_counts,
    wanted_types,
)
from qaldgen.asking.act.similarity import ngram_similarity
from qaldgen.asking.record import Asker, AskOne, NoAnswer, Posed, Said, System
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.io.files import read_text
from qaldgen.io.web.background import in_thread
from qaldgen.io.web.pace import Gate
from qaldgen.model import Answers, Cell
from qaldgen.stores.execution import source_name

_LOG = logging.getLogger("qaldgen")
#: Below this share of candidates with the same type the model does not know what is asked for, and
#: the type score misleads: we measured a loss at 58 % and gains at 86 %.
PURE = 0.6


class Explanation(NamedTuple):
    """What happened to one question: the figures of the paper.

    Attributes
    ----------
    rows : tuple of Row
        The final table, best first.
    counts : mapping of str to int
        How many candidates have each type, the most frequent first.
    wanted : tuple of str
        The types that count.
    linked : tuple of str
        The entities of the candidates, best first; one may occur twice.
    proposed : int
        How many candidates there were.
    mentioned : tuple of str
        The entities of the question.
    literals : int
        How many literals are around these; none of them can be an answer.
    pure : float
        The share of the candidates that have the most frequent type; NaN without candidates.
    """

    rows: tuple[Row, ...]
    counts: dict[str, int]
    wanted: tuple[str, ...]
    linked: tuple[str, ...]
    proposed: int
    mentioned: tuple[str, ...]
    literals: int
    pure: float


class Selector:
    """ACT over one graph, with one source of candidates.

    Parameters
    ----------
    graph
        The knowledge graph.
    generate
        Gives the candidates.
    how
        How they are scored.
    similarity
        How similar texts are; by default by n-grams of letters.
    """

    def __init__(
        self,
        graph: Graph,
        generate: Generator,
        how: Selection,
        similarity: Similarity = ngram_similarity,
    ) -> None:
        self.graph, self._generate, self._how, self._similarity = graph, generate, how, similarity
        # Questions share what was learned about the graph, so only one is worked on at a time.
        self._lock = threading.Lock()

    def explain(self, id_: str, question: str) -> Explanation:
        """Return what happens to a question; the first row is the answer.

        Parameters
        ----------
        id_
            The id of the question, for recorded candidates.
        question
            Its text.

        Returns
        -------
        Explanation
            All figures.

        Raises
        ------
        QaldgenError
            If the graph cannot be asked.
        """
        with self._lock:
            return self._explain(id_, question)

    def _explain(self, id_: str, question: str) -> Explanation:
        graph, how = self.graph, self._how
        proposed = self._generate(id_, question)
        mentioned = graph.named([one.text for one in proposed if one.text], question)
        linked = [
            entity for entity in (one.iri or graph.entity(one.text) for one in proposed) if entity
        ]
        links = graph.around(mentioned)
        graph.learn([*linked, *(link.entity for link in links), *(link.property for link in links)])
        types = graph.types([*linked, *(link.entity for link in links)])
        # A neighbour without a type is a category, a redirect or the like, never an answer.
        links = [link for link in links if types[link.entity]]
        counts = type_counts(linked, types)
        wanted = wanted_types(
            counts, {kind: graph.label(kind) for kind in counts}, self._similarity, how
        )
        names = list(dict.fromkeys(link.property for link in links))
        values = self._similarity(question, [graph.label(name) for name in names])
        rows = score_rows(linked, links, types, wanted, dict(zip(names, values, strict=True)), how)
        literals = sum(graph.literals[one] for one in mentioned)
        pure = purity(linked, counts)
        return Explanation(
            tuple(rows),
            counts,
            tuple(wanted),
            tuple(linked),
            len(proposed),
            tuple(mentioned),
            literals,
            pure,
        )


def selector_of(system: System) -> Selector:
    """Return ACT as a user configures it.

    Reads the training questions or the candidates, and the names of a file.

    Parameters
    ----------
    system
        The user's configuration.

    Returns
    -------
    Selector
        Ready to be asked.

    Raises
    ------
    UsageError
        If there is no knowledge graph, or not exactly one source of candidates.
    """
    how = _sources(system)
    if system.kg is None:
        raise UsageError(
            "act answers from a knowledge graph;"
            " name its file by --kg FILE, or an endpoint by --endpoint URL"
        )
    if bool(how.training) == bool(how.candidates):
        raise UsageError(
            "act needs one source of candidates:"
            " --training SET (questions with answers) or --candidates FILE"
        )
    if how.candidates:
        generate = recorded_candidates(how.candidates)
    else:
        from qaldgen.formats.reading import read_questions

        generate = nearest_questions(
            read_questions(Path(how.training)), how.how.nearest, system.language
        )
    source: Source = system.kg
    return Selector(Graph(source, how.how, system.language), generate, how.how)


def act(system: System) -> Asker:
    """Return ACT as a system.

    Parameters
    ----------
    system
        See `selector_of`.

    Returns
    -------
    Asker
        It logs a summary when it is closed.

    Raises
    ------
    UsageError, DataError
        As for `selector_of`.
    """
    selector = selector_of(system)
    name = _name(system)

    async def ask(posed: Posed) -> Said:
        try:
            explanation = await in_thread(functools.partial(selector.explain, posed.id, posed.text))
        except QaldgenError as error:  # an unreachable graph is not a wrong answer
            raise NoAnswer(str(error)) from error
        seen.append(explanation)
        return _said(explanation)

    seen: list[Explanation] = []

    @asynccontextmanager
    async def opened(_gate: Gate) -> AsyncIterator[AskOne]:
        seen.clear()
        yield ask
        for line in summary(seen, cut=selector.graph.cut, how=system.act.how):
            _LOG.warning("%s", line)

    return Asker(name, opened, system.timeout, None, limited=True)


def _sources(system: System) -> Act:
    """Return where candidates come from: ``act:SET`` names the training questions too."""
    if system.where and (system.act.training or system.act.candidates):
        raise UsageError(
            f"act:{system.where} names the training questions;"
            " leave out --training and --candidates"
        )
    return dataclasses.replace(system.act, training=system.where) if system.where else system.act


def _name(system: System) -> str:
    """Return the name for the journal: files by their contents, and all options."""
    sources = _sources(system)
    path = sources.training or sources.candidates
    kind = "training" if sources.training else "candidates"
    digest = hashlib.sha256(read_text(Path(path)).encode()).hexdigest()
    kg = "" if system.kg is None else f" over {source_name(system.kg)}"
    return (
        f"act ({system.act.how}, {kind} {Path(path).name} {digest[:16]}) in {system.language}{kg}"
    )


def _said(explanation: Explanation) -> Said:
    """Return the answer, with what must be known of it."""
    about = {
        "candidates": explanation.proposed,
        "linked": len(explanation.linked),
        "purity": None if math.isnan(explanation.pure) else round(explanation.pure, 4),
        "types": list(explanation.wanted),
        "entities": list(explanation.mentioned),
        "neighbours": sum(bool(row.property) for row in explanation.rows),
        "literals": explanation.literals,
    }
    rows = ((Cell("uri", explanation.rows[0].entity),),) if explanation.rows else ()
    return Said(Answers(variables=("uri",), rows=rows), raw=json.dumps(about, ensure_ascii=False))


def summary(seen: Sequence[Explanation], *, cut: bool, how: Selection) -> list[str]:
    """Return notes on a run: purity of the candidates, failed links, and limits of ACT.

    Parameters
    ----------
    seen
        One explanation per question.
    cut
        Whether a question had too many neighbours.
    how
        The settings.

    Returns
    -------
    list[str]
        Sentences; none without questions.
    """
    if not seen:
        return []
    known = [one.pure for one in seen if not math.isnan(one.pure)]
    proposed, linked = sum(one.proposed for one in seen), sum(len(one.linked) for one in seen)
    mean = math.fsum(known) / len(known) if known else math.nan
    share = (
        f"purity {mean:.1%} (mean over questions)" if known else "so there are no types to count"
    )
    lines = [f"act: {linked:,} of {proposed:,} candidates were linked with the graph; {share}"]
    low = sum(one < PURE for one in known)
    if known and mean < PURE:
        lines.append(
            "act: the candidates agree on no type, so do not trust the type score; use fewer"
            " candidates, or a better model"
        )
    elif low:
        lines.append(
            f"act: in {low:,} of {len(seen):,} questions fewer than {PURE:.0%} of the candidates"
            " share a type"
        )
    without = sum(not one.mentioned for one in seen)
    if without:
        lines.append(
            f"act: in {without:,} of {len(seen):,} questions no entity was found,"
            " so that there are no neighbours"
        )
    only = sum(bool(one.literals) and not any(row.property for row in one.rows) for one in seen)
    if only:
        lines.append(
            f"act: in {only:,} questions only literals are around the entities;"
            " ACT cannot answer literals"
        )
    if cut:
        lines.append(
            f"act: a question has more than {how.most_neighbours:,} neighbours;"
            " the others were not looked at"
        )
    return lines

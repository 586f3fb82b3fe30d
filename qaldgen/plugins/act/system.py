"""ACT as a system that can be asked: a row of the table of protocols."""

from __future__ import annotations

import dataclasses
import functools
import json
import logging
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from qaldgen.asking.protocols import AnyGraph, Protocol, open_graph
from qaldgen.asking.systems import Asker, AskOne, NoAnswer, PosedQuestion, System, SystemReply
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.io.concurrency import in_thread
from qaldgen.io.web.retries import Gate
from qaldgen.model import Answers, Cell, QuestionSet
from qaldgen.plugins.act.candidates import (
    CandidateSource,
    candidates_in,
    choose_source,
    file_digest,
    generator_words,
    installed_version,
)
from qaldgen.plugins.act.graph import Graph
from qaldgen.plugins.act.linking import linked_entities
from qaldgen.plugins.act.selector import Explanation, Selector, explain, explanation_text
from qaldgen.plugins.act.seq2seq import fingerprint
from qaldgen.plugins.act.settings import OPTIONS, Act, Selection, read_settings
from qaldgen.plugins.act.similarity import encoder_similarity, ngram_similarity
from qaldgen.stores.gold_queries import source_name

_LOG = logging.getLogger("qaldgen")
#: Below this share of candidates with the same type the model does not know what is asked for, and
#: the type score misleads: we measured a loss at 58 % and gains at 86 %.
PURE = 0.6


def open_act(
    how: Act, kg: AnyGraph, language: str = LANGUAGE, system: System | None = None
) -> Selector:
    """Return ACT over a knowledge graph.

    Parameters
    ----------
    how
        Its sources of candidates, and its settings.
    kg
        The knowledge graph: an RDF file, the URL of an endpoint, or an open one.
    language
        Language of questions and names.
    system
        Limits and credentials for a model behind a server; by default the usual ones.

    Returns
    -------
    Selector
        For `explain`, `table_of` and `ablation`.

    Raises
    ------
    UsageError
        If there is not just one source of candidates.
    DataError
        If a file cannot be read.
    """
    system = system or System("", "act")
    return make_selector(dataclasses.replace(system, language=language, kg=open_graph(kg)), how)


def make_selector(system: System, settings: Act, source: CandidateSource | None = None) -> Selector:
    """Return ACT as a user configures it; its files are read now."""
    source = source or choose_source(system, settings)
    if system.kg is None:
        raise UsageError("act answers from a knowledge graph; name it with `kg`")
    similarity = encoder_similarity(settings.encoder) if settings.encoder else ngram_similarity
    linker = linked_entities(settings.entities) if settings.entities else None
    graph = Graph(system.kg, settings.how, system.language)
    return Selector(graph, source.open(), settings.how, similarity, linker)


def act(system: System, settings: Act) -> Asker:
    """Return ACT as a system.

    Parameters
    ----------
    system, settings
        See `make_selector`.

    Returns
    -------
    Asker
        It logs a summary when it is closed.

    Raises
    ------
    UsageError, DataError
        As for `make_selector`.
    """
    source = choose_source(system, settings)
    selector = make_selector(system, settings, source)
    model = source.model
    explanations: list[Explanation] = []

    @asynccontextmanager
    async def opened(gate: Gate) -> AsyncIterator[AskOne]:
        explanations.clear()
        async with AsyncExitStack() as stack:
            propose = None
            if model is not None:
                propose = await stack.enter_async_context(model.open(gate))

            async def ask(posed: PosedQuestion) -> SystemReply:
                reply = SystemReply()
                candidates = None
                if propose is not None:
                    reply = await propose(posed)
                    candidates = candidates_in(reply)
                explain = functools.partial(selector.explain, posed.id, posed.text, candidates)
                try:
                    explanation = await in_thread(explain)
                except QaldgenError as error:  # a graph that is down makes no wrong answer
                    raise NoAnswer(str(error), reply) from error
                explanations.append(explanation)
                answers = Answers(variables=("uri",))
                if explanation.rows:
                    best = Cell("uri", explanation.rows[0].entity)
                    answers = Answers(variables=("uri",), rows=((best,),))
                return reply._replace(answers=answers, raw=_figures(explanation))

            yield ask
        for line in summary(explanations, cut=selector.graph.cut, selection=settings.how):
            _LOG.warning("%s", line)

    asker = Asker(_name(system, settings, source), opened, system.timeout, limited=True)
    if model is None:
        return asker
    return asker._replace(most=model.most)


def _figures(explanation: Explanation) -> str:
    """Return the figures of an explanation as JSON, for the journal."""
    purity = None if math.isnan(explanation.pure) else round(explanation.pure, 4)
    figures = {
        "candidates": explanation.proposed,
        "linked": len(explanation.linked),
        "purity": purity,
        "types": list(explanation.wanted),
        "entities": list(explanation.mentioned),
        "neighbours": sum(bool(row.property) for row in explanation.rows),
        "literals": explanation.literals,
    }
    return json.dumps(figures, ensure_ascii=False)


def _name(system: System, settings: Act, source: CandidateSource) -> str:
    """Return the name of ACT for the journal, which has files by their contents."""
    parts = [str(settings.how), source.name]
    if settings.entities:
        parts.append(f"entities {Path(settings.entities).name} {file_digest(settings.entities)}")
    if settings.encoder:
        encoder = settings.encoder
        if Path(encoder).is_dir():
            encoder = fingerprint(encoder)[:16]
        parts.append(f"encoder {encoder}")
        parts.append(f"sentence-transformers {installed_version('sentence-transformers')}")
    name = f"act ({', '.join(parts)}) in {system.language}"
    if system.kg is not None:
        name += f" over {source_name(system.kg)}"
    return name


def summary(explanations: Sequence[Explanation], *, cut: bool, selection: Selection) -> list[str]:
    """Return notes on a run: purity of the candidates, failed links, and limits of ACT."""
    if not explanations:
        return []
    size = len(explanations)
    purities = [
        explanation.pure for explanation in explanations if not math.isnan(explanation.pure)
    ]
    proposed = sum(explanation.proposed for explanation in explanations)
    linked = sum(len(explanation.linked) for explanation in explanations)
    mean, types = math.nan, "so there are no types to count"
    if purities:
        mean = math.fsum(purities) / len(purities)
        types = f"purity {mean:.1%} (mean over questions)"
    lines = [f"act: {linked:,} of {proposed:,} candidates were linked with the graph; {types}"]
    n_impure = sum(share < PURE for share in purities)
    if purities and mean < PURE:
        lines.append(
            "act: the candidates agree on no type, so do not trust the type score; use fewer"
            " candidates, or a better model"
        )
    elif n_impure:
        lines.append(
            f"act: in {n_impure:,} of {size:,} questions fewer than {PURE:.0%} of the candidates"
            " share a type"
        )
    n_without_entity = sum(not explanation.mentioned for explanation in explanations)
    if n_without_entity:
        lines.append(
            f"act: in {n_without_entity:,} of {size:,} questions no entity was found,"
            " so that there are no neighbours"
        )
    n_unlinked = sum(explanation.unlinked for explanation in explanations)
    if n_unlinked:
        lines.append(
            f"act: {n_unlinked:,} of {size:,} questions are not in `entities`, and count as"
            " without an entity"
        )
    n_literals_only = sum(explanation.literals_only for explanation in explanations)
    if n_literals_only:
        lines.append(
            f"act: in {n_literals_only:,} questions only literals are around the entities;"
            " ACT cannot answer literals"
        )
    if cut:
        lines.append(
            f"act: a question has more than {selection.most_neighbours:,} neighbours;"
            " the others were not looked at"
        )
    return lines


def make_act(system: System, **options: Any) -> Asker:  # noqa: ANN401 - values of any type
    """Return ACT as a system; raises UsageError for options that only print tables."""
    if options["explain"] is not None or options["ablation"]:
        raise UsageError("`explain` and `ablation` print tables, in 'qaldgen ask'; remove them")
    return act(system, read_settings(options))


def generator_protocol(**options: Any) -> str:  # noqa: ANN401 - values of any type
    """Return the protocol by which a model is asked for candidates; empty for none."""
    settings = read_settings(options)
    if settings.generator and generator_words(settings.generator)[0] == "openai":
        return "openai"
    return ""


def show(system: System, questions: QuestionSet, **options: Any) -> str | None:  # noqa: ANN401
    """Return the explanation of a question, or the table of the ablation."""
    if options["explain"] is None and not options["ablation"]:
        return None
    from qaldgen.plugins.act.ablation_table import ablation
    from qaldgen.reports.tables.results import dump_frame

    selector = make_selector(system, read_settings(options))
    if options["ablation"]:
        table = ablation(selector, questions, system.language)
        return f"{dump_frame(table.hits, 'text')}\n{dump_frame(table.limits, 'text')}"
    return explanation_text(
        selector, explain(selector, questions, options["explain"], system.language)
    )


ACT = Protocol(
    make_act,
    "SET",
    "candidates ranked by the types they share (ACT Selection), over a knowledge graph; SET trains",
    alone=True,
    options=OPTIONS,
    asks=generator_protocol,
    show=show,
)

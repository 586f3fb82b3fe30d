"""ACT as a question answering system: a row of the table of protocols."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from qaldgen.asking.protocols import Protocol
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
    generator_words,
)
from qaldgen.plugins.act.graph import Graph
from qaldgen.plugins.act.linking import linked_entities
from qaldgen.plugins.act.selector import Explanation, Selector, explain, explanation_text
from qaldgen.plugins.act.settings import OPTIONS, Act, Selection, read_settings
from qaldgen.plugins.act.similarity import encoder_similarity, ngram_similarity
from qaldgen.plugins.act.versions import file_digest, installed_version, model_digest
from qaldgen.stores.gold_queries import source_name
from qaldgen.stores.graphs import AnyGraph, open_knowledge_graph

_LOG = logging.getLogger("qaldgen")
#: The type score misleads if a smaller share of the candidates has the same type, as the model does
#: not know the wanted type then: we measured a loss at 58 % and gains at 86 %.
_MIN_PURITY = 0.6


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
        Limits and credentials for a model behind a server; by default those of `System`.

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
    system = dataclasses.replace(system, language=language, kg=open_knowledge_graph(kg))
    return make_selector(system, how)


def make_selector(system: System, settings: Act, source: CandidateSource | None = None) -> Selector:
    """Return ACT with the settings of a user; its files are read now."""
    source = source or choose_source(system, settings)
    if system.kg is None:
        raise UsageError("act answers from a knowledge graph; name it with `kg`")
    similarity = encoder_similarity(settings.encoder) if settings.encoder else ngram_similarity
    linker = linked_entities(settings.entities) if settings.entities else None
    graph = Graph(system.kg, settings.how, system.language)
    return Selector(graph, source.open(), settings.how, similarity=similarity, linker=linker)


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
    async def open_selector(gate: Gate) -> AsyncIterator[AskOne]:
        explanations.clear()
        async with AsyncExitStack() as stack:
            propose = None
            if model is not None:
                propose = await stack.enter_async_context(model.open(gate))

            async def ask(question: PosedQuestion) -> SystemReply:
                reply = SystemReply()
                candidates = None
                if propose is not None:
                    reply = await propose(question)
                    candidates = candidates_in(reply)
                try:
                    explanation = await in_thread(
                        selector.explain, question.id, question.text, candidates
                    )
                except QaldgenError as error:  # a failing graph is no wrong answer
                    raise NoAnswer(str(error), reply) from error
                explanations.append(explanation)
                answers = Answers(variables=("uri",))
                if explanation.rows:
                    best = Cell("uri", explanation.rows[0].entity)
                    answers = Answers(variables=("uri",), rows=((best,),))
                return reply._replace(answers=answers, raw=_dump_figures(explanation))

            yield ask
        for line in summarise(explanations, selector.graph, settings.how):
            _LOG.warning("%s", line)

    name = _journal_name(system, settings, source)
    asker = Asker(name, open_selector, system.timeout, limited=True)
    if model is None:
        return asker
    return asker._replace(most=model.most)


def _dump_figures(explanation: Explanation) -> str:
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


def _journal_name(system: System, settings: Act, source: CandidateSource) -> str:
    """Return the name of ACT in the journal, with the digests of its files."""
    parts = [str(settings.how), source.name]
    if settings.entities:
        parts.append(f"entities {Path(settings.entities).name} {file_digest(settings.entities)}")
    if settings.encoder:
        encoder = settings.encoder
        if Path(encoder).is_dir():
            encoder = model_digest(encoder)
        parts.append(f"encoder {encoder}")
        parts.append(f"sentence-transformers {installed_version('sentence-transformers')}")
    name = f"act ({', '.join(parts)}) in {system.language}"
    if system.kg is not None:
        name += f" over {source_name(system.kg)}"
    return name


def summarise(explanations: Sequence[Explanation], graph: Graph, selection: Selection) -> list[str]:
    """Return notes on a run: purity of the candidates, failed links, and limits of ACT."""
    if not explanations:
        return []
    size = len(explanations)
    purities = [each.pure for each in explanations if not math.isnan(each.pure)]

    n_proposed = sum(explanation.proposed for explanation in explanations)
    n_linked = sum(len(explanation.linked) for explanation in explanations)
    mean = math.nan
    purity_note = "so there are no types to count"
    if purities:
        mean = math.fsum(purities) / len(purities)
        purity_note = f"purity {mean:.1%} (mean over questions)"
    linked_note = f"{n_linked:,} of {n_proposed:,} candidates were linked with the graph"
    lines = [f"act: {linked_note}; {purity_note}"]

    n_impure = sum(share < _MIN_PURITY for share in purities)
    if purities and mean < _MIN_PURITY:
        lines.append(
            "act: the candidates agree on no type, so do not trust the type score; use fewer"
            " candidates, or a better model"
        )
    elif n_impure:
        lines.append(
            f"act: in {n_impure:,} of {size:,} questions fewer than {_MIN_PURITY:.0%} of the"
            " candidates share a type"
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
    if graph.is_truncated:
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
        tables = ablation(selector, questions, system.language)
        return f"{dump_frame(tables.hits, 'text')}\n{dump_frame(tables.limits, 'text')}"
    explanation = explain(selector, questions, options["explain"], system.language)
    return explanation_text(selector, explanation)


ACT = Protocol(
    make_act,
    "SET",
    "candidates ranked by the types they share (ACT Selection), over a knowledge graph; SET trains",
    alone=True,
    options=OPTIONS,
    asks=generator_protocol,
    show=show,
)

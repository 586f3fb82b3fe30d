"""Execute the gold queries of questions: their current answers, and what changed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timezone
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic

from qaldgen.answers.changes import classify_change, comparable_values, is_change, with_change
from qaldgen.answers.journal import Journal, open_journal
from qaldgen.answers.record import DONE, Response, describe_unexpected_error, status_of
from qaldgen.answers.resume import Outcome, PendingQuestion, Resumed, is_settled, resume
from qaldgen.errors import DataError, EndpointTimeout, QaldgenError, UsageError
from qaldgen.io import concurrency
from qaldgen.io.progress import step
from qaldgen.io.text import count, few
from qaldgen.io.web.access import parse_address
from qaldgen.model import Question, QuestionSet
from qaldgen.options import GraphName
from qaldgen.questions.collecting import edition_note
from qaldgen.rdf.terms import QALDGEN
from qaldgen.stores.graphs import KnowledgeGraph
from qaldgen.stores.label_service import without_label_service
from qaldgen.stores.local import DataSource, LocalStore
from qaldgen.stores.query_answers import (
    MAX_GOLD_ROWS,
    collected_warnings,
    execute,
    standard_sparql,
    with_limits,
)

#: The most reasons of failures with a note of their own.
_SHOWN_REASONS = 5


def gold_query(question: Question, kg_name: str | None) -> str:
    """Return the first query of a question, or its query for a knowledge graph.

    >>> queries = {"dbpedia": "ASK { ?a ?b 1 }", "wikidata": "ASK { ?a ?b 2 }"}
    >>> gold_query(Question("1", {}, queries=queries), "wikidata")
    'ASK { ?a ?b 2 }'
    """
    if kg_name:
        query = question.queries.get(kg_name, question.queries.get("", ""))
    else:
        query = question.sparql
    return query if query.strip() else ""


def failure_notes(responses: Mapping[str, Response]) -> Iterator[str]:
    """Yield a note for each reason of failures, with the number of queries and their questions."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for response in responses.values():
        if response.status not in DONE:
            reasons.setdefault((response.status, response.error), []).append(response.id)

    n_queries = f"{len(responses):,}"
    by_count = sorted(reasons.items(), key=lambda reason: len(reason[1]), reverse=True)
    for (status, error), ids in by_count[:_SHOWN_REASONS]:
        outcome = "did not end in time" if status == "timeout" else "failed"
        yield (
            f"{len(ids):,} of {n_queries} gold queries {outcome}, so the answers stay as they were"
            f" ({few(ids)}): {error}"
        )

    other_ids = list(chain.from_iterable(ids for _, ids in by_count[_SHOWN_REASONS:]))
    if other_ids:
        yield (
            f"{len(other_ids):,} of {n_queries} gold queries failed for other reasons"
            f" ({few(other_ids)}); a `journal` tells all"
        )


def gap_notes(
    questions: Sequence[Question], responses: Mapping[str, Response], kg_name: str | None
) -> Iterator[str]:
    """Yield notes on answers that may be incomplete, and on questions that cannot be answered."""
    truncated = [
        response for response in responses.values() if response.status in DONE and response.error
    ]
    if truncated:
        ids = [response.id for response in truncated]
        start = f"{count(len(ids), 'answer')} may be cut by the server ({few(ids)})"
        yield f"{start}: {truncated[0].error}"

    unanswerable = [
        question.id
        for question in questions
        if question.answers is None and not gold_query(question, kg_name)
    ]
    if unanswerable:
        suffix = f" for {kg_name}" if kg_name else ""
        yield (
            f"{count(len(unanswerable), 'question')} without answers and without a query{suffix}"
            f" ({few(unanswerable)}); that stays so"
        )


def label_service_notes(source: KnowledgeGraph, responses: Mapping[str, Response]) -> Iterator[str]:
    """Yield a note on queries that were executed without the label service."""
    if not isinstance(source, LocalStore):
        return
    ids = []
    columns: dict[str, None] = {}
    for question_id, response in responses.items():
        if response.status not in DONE:
            continue
        executed = without_label_service(response.query)
        if executed.text != response.query:
            ids.append(question_id)
            columns |= dict.fromkeys(f"?{name}" for name in executed.columns)
    if ids:
        left_out = few(columns) or "none"
        yield (
            f"{len(ids):,} queries were executed without Wikidata's label service, which a file"
            f" does not have ({few(ids)}); columns left out: {left_out}"
        )


@dataclasses.dataclass(frozen=True)
class Executed:
    """Questions with the answers of their gold queries."""

    #: In the given order; where a query failed, the answers are unchanged.
    questions: tuple[Question, ...]
    responses: Mapping[str, Response]  # by question id, the results of the executed queries
    asked: int  # how many of these were executed now; the others were in the journal
    changed: tuple[str, ...]  # the ids of the questions whose answers differ from those before
    notes: tuple[str, ...]  # what a user should know, failures first, in whole sentences

    def __str__(self) -> str:
        """Return one line: how many queries were answered, failed and so on."""
        if not self.responses:
            return (
                "no gold query had to be executed;"
                " those of questions with answers are with `refresh`"
            )
        return Resumed(self.responses, self.asked).summary("gold queries")


def execute_gold(
    questions: Sequence[Question],
    source: KnowledgeGraph,
    *,
    kg_name: GraphName | None = None,
    journal: Path | Journal | None = None,
    refresh: bool = False,
) -> Executed:
    """Execute gold queries and fill in the answers.

    What is sent is the query after `repair`; the stored one is not changed. Only SELECT and ASK
    queries are sent. A local store calls no other server: a query with SERVICE fails, except for
    Wikidata's label service, which is removed if it only fills columns. A row that binds no
    variable is not an answer, as for the readers of question sets.

    Parameters
    ----------
    questions
        With different ids.
    source
        The knowledge graph.
    kg_name
        Execute the queries for this knowledge graph, if questions have several. Default: the first
        query.

        A question without a query for it has none.
    journal
        A file to which each response is added as soon as it is there. A query that it has as
        answered or empty, by the same source, is not sent again. None keeps no journal. No other
        run may write to it meanwhile.
    refresh
        Also execute the queries of questions with answers, and replace the answers.

    Returns
    -------
    Executed
        The questions with their answers, and notes.

    Raises
    ------
    DataError
        If the journal is damaged or cannot be written.
    UsageError
        If the credentials for the endpoint are incomplete, or another run is writing to the
        journal.

    Examples
    --------
    >>> from pyoxigraph import Literal, NamedNode, Quad
    >>> from qaldgen.stores.local import open_quads
    >>> amber, length = NamedNode("http://x.org/Amber"), NamedNode("http://x.org/length")
    >>> store = open_quads("graph", [Quad(amber, length, Literal(7))])
    >>> query = "SELECT ?l { <http://x.org/Amber> <http://x.org/length> ?l }"
    >>> question = Question("1", {"en": ("How long?",)}, queries={"": query})
    >>> execute_gold([question], store).questions[0].answers.values()
    ['7']
    """
    source = with_limits(source)
    name = source_name(source)
    context: AbstractContextManager[Journal | None]
    context = open_journal(journal) if isinstance(journal, Path) else nullcontext(journal)
    with context as calls, step(f"asking {source.name}", len(questions)) as advance:
        # by id and query, so that a query corrected since is executed again
        answered: dict[tuple[str, str], Response] = {}
        journal_notes: list[str] = []
        if calls is not None:
            content = calls.content()
            journal_notes += [*calls.notes, *content.notes]
            for entry in content.entries:
                if entry.source == name and is_settled(entry.response):
                    answered[entry.response.id, entry.response.query] = entry.response

        pending = []
        for question in questions:
            query = gold_query(question, kg_name)
            if not query or (question.answers is not None and not refresh):
                pending.append(PendingQuestion(question.id))
                continue
            sent_query = standard_sparql(query)
            ask = partial(concurrency.in_thread, _execute_query, source, question.id, sent_query)
            known = answered.get((question.id, sent_query))
            pending.append(PendingQuestion(question.id, known, ask))

        work = resume(pending, calls, source=name, watch=lambda _: advance(1))
        resumed = concurrency.run(work)

    responses = resumed.responses
    updated_questions = []
    changed = []
    for question in questions:
        response = responses.get(question.id)
        answers = None if response is None else response.answers
        if answers is None:
            updated_questions.append(question)
            continue
        updated_questions.append(dataclasses.replace(question, answers=answers))
        old_answers = question.answers
        if old_answers is not None and is_change(classify_change(old_answers, answers)):
            changed.append(question.id)

    notes = list(failure_notes(responses))
    notes += gap_notes(updated_questions, responses, kg_name)
    if changed:
        notes.append(
            f"{len(changed):,} of {len(responses):,} executed questions have other answers than"
            f" before ({few(changed)})"
        )
    notes += label_service_notes(source, responses)
    notes += dict.fromkeys(journal_notes)
    return Executed(
        questions=tuple(updated_questions),
        responses=responses,
        asked=resumed.asked,
        changed=tuple(changed),
        notes=tuple(notes),
    )


def source_name(source: KnowledgeGraph) -> str:
    """Return the name of a knowledge graph in a journal.

    A file with its sha256, an endpoint without credentials. The parameters of an endpoint's
    address, such as default-graph-uri, change its answers, so their hash is part of the name.

    >>> from qaldgen.stores.endpoint import Endpoint
    >>> source_name(Endpoint("http://me:secret@localhost:8890/sparql"))
    'localhost:8890/sparql'
    """
    if not isinstance(source, LocalStore):
        return parse_address(source.url).label
    if source.sha256:
        return f"{source.name} (sha256 {source.sha256})"
    return f"{source.name} ({len(source)} statements)"


def _execute_query(source: KnowledgeGraph, question_id: str, query: str) -> Outcome:
    """Execute one query; if that fails, the response says why."""
    start = monotonic()
    answers = None
    try:
        # A server may cut an answer with no more than a warning, which belongs to this question.
        with collected_warnings() as warnings:
            answers = execute(source, query, MAX_GOLD_ROWS)
        status = status_of(answers)
        problem = "; ".join(warnings)
    except QaldgenError as error:
        status = "timeout" if isinstance(error, EndpointTimeout) else "failed"
        problem = str(error)
    except Exception as error:  # an unexpected answer must not end the run
        status = "failed"
        problem = describe_unexpected_error(error)

    seconds = round(monotonic() - start, 3)
    return Outcome(
        Response(question_id, status, answers, query=query, seconds=seconds, error=problem)
    )


def make_edition(
    questions: QuestionSet,
    source: KnowledgeGraph,
    *,
    kg_name: GraphName | None = None,
    journal: Path | Journal | None = None,
) -> tuple[QuestionSet, Executed]:
    """Execute the gold queries of a question set; return it with the current answers.

    A question whose query fails keeps its answers. ``goldChanged`` of each question says how its
    answers changed.
    """
    done = execute_gold(questions.questions, source, kg_name=kg_name, journal=journal, refresh=True)
    if not any(response.answers is not None for response in done.responses.values()):
        reason = f": {done.notes[0]}" if done.notes else ""
        raise DataError(
            f"no gold query was answered, so there is no edition to write{reason}",
            where=source.name,
        )

    previous = {question.id: question.answers for question in questions}
    edition = []
    for question in done.questions:
        if question.id in done.responses:
            answers = done.responses[question.id].answers
            question = with_change(question, classify_change(previous[question.id], answers))
        edition.append(question)

    gold = [[question.id, sorted(comparable_values(question.answers))] for question in edition]
    digest = hashlib.sha256(json.dumps(gold).encode()).hexdigest()[:16]
    date = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = source.name if isinstance(source, LocalStore) else source_name(source)
    edition_id = f"{date}@{digest}@" + re.sub(r"[|@'\s]", "_", name)

    notes = [note for note in questions.notes if getattr(note, "rule", "") != "gold-edition"]
    notes.append(edition_note(edition_id))
    edition_set = dataclasses.replace(questions, questions=tuple(edition), notes=tuple(notes))
    return edition_set, done


def check_new_files(*outputs: str) -> None:
    """Refuse outputs that exist: an edition is never overwritten, not even by force."""
    for name in outputs:
        if name != "-" and Path(name).exists():
            raise UsageError(
                "exists, and an edition of the gold is never written over another; choose another"
                " name, such as one with the date",
                where=name,
            )


def gold_editions(data: DataSource) -> list[str]:
    """Return the editions of the gold that local data name; none for an endpoint."""
    if not isinstance(data, LocalStore):
        return []
    query = f"SELECT DISTINCT ?e {{ ?s <{QALDGEN}goldEdition> ?e }} ORDER BY ?e"
    return [str(getattr(row[0], "value", "")) for row in data.select(query).rows]

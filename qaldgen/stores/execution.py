"""Execute the gold queries of questions, and keep what they give as gold answers.

A failed call never becomes an empty answer.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from time import monotonic

from qaldgen.errors import EndpointTimeout, QaldgenError, UsageError
from qaldgen.io.web import background
from qaldgen.io.web.address import parse_address
from qaldgen.io.web.credentials import ENDPOINT, find_access
from qaldgen.io.web.one_line import one_line
from qaldgen.model import Answers, Question
from qaldgen.rdf.terms import Rows
from qaldgen.runs.journal_writing import Journal, open_journal
from qaldgen.runs.record import Response, status_of, unforeseen
from qaldgen.runs.resume import DONE, Due, Outcome, Resumed, resume
from qaldgen.sparql.repair import repair
from qaldgen.sparql.tokens import query_form, tokens
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.endpoint.answers import gathered_warnings, rows_answers
from qaldgen.stores.engine import check_syntax
from qaldgen.stores.label_service import without_label_service
from qaldgen.stores.local import LocalStore

#: One question may take so many times the time limit of a request, with all its tries and pages.
_LONGEST = 10
#: No question has so many answers; a product of all statements with all others must not fill the
#: memory.
_MOST_ANSWERS = 100_000
_SHOWN_IDS, _SHOWN_REASONS = 3, 5


@dataclasses.dataclass(frozen=True)
class Executed:
    """Questions with the answers of their gold queries.

    Attributes
    ----------
    questions : tuple of Question
        In the order in which they came; where a query failed, the answers are as they were.
    responses : mapping of str to Response
        By question id, what came of the queries that were due.
    asked : int
        How many of these were asked now; the others stood in the journal.
    changed : tuple of str
        The ids of questions that had answers before and have other ones now.
    notes : tuple of str
        What a user should know, failures first, in whole sentences.
    """

    questions: tuple[Question, ...]
    responses: Mapping[str, Response]
    asked: int
    changed: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """Return in one line what became of the queries."""
        if not self.responses:
            return (
                "no gold query had to be executed; those of questions with answers are with"
                " --refresh"
            )
        return Resumed(self.responses, self.asked).in_words("gold queries")


def execute_gold(
    questions: Sequence[Question],
    source: LocalStore | Endpoint,
    *,
    kg_name: str = "",
    journal: Path | Journal | None = None,
    refresh: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Executed:
    """Execute gold queries and fill in the answers.

    What is sent is the query after `repair`; the stored one is not touched. Only SELECT and ASK
    queries are sent. For a local store nothing is called: a query with SERVICE fails, but for
    Wikidata's label service, which is left out where it only fills columns. A row that binds no
    variable is no answer, as for the readers of question sets.

    Parameters
    ----------
    questions
        With different ids.
    source
        The knowledge graph.
    kg_name
        The knowledge graph whose query is taken where a question has several, a key of
        `Question.queries`: a question without a query for it has none. Empty takes the first.
    journal
        A file to which each response is added as soon as it is there. A query that it has as
        answered or empty, by the same source, is not asked again. None keeps no journal. No other
        run may write to it meanwhile.
    refresh
        Execute the queries of questions that have answers too.
    progress
        Called with the number of questions that are done.

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
    >>> asked = Question("1", {"en": ("How long?",)}, queries={"": "SELECT ?l { <http://x.org/Amber> <http://x.org/length> ?l }"})
    >>> execute_gold([asked], store).questions[0].answers.values()
    ['7']
    """
    source = _bounded(source)
    name, kept_in = (
        source_name(source),
        open_journal(journal) if isinstance(journal, Path) else nullcontext(journal),
    )
    with kept_in as kept:
        known, notes = _known(kept, name)
        due = (_due(question, source, known, kg_name, refresh=refresh) for question in questions)
        watch = None if progress is None else lambda _: progress(1)
        responses, asked, *_ = background.run(resume(due, kept, source=name, watch=watch))
    made = [_with_answers(one, responses.get(one.id)) for one in questions]
    changed = _changed(questions, made)
    told = [
        *_failures(responses),
        *_others(made, responses, kg_name),
        *_changes(changed, responses),
    ]
    return Executed(
        tuple(made), responses, asked, changed, (*told, *_unlabelled(source, responses), *notes)
    )


def _bounded(source: LocalStore | Endpoint) -> LocalStore | Endpoint:
    """Return an endpoint with a limit for each question; refuse one that cannot be asked at all."""
    if not isinstance(source, Endpoint):
        return source
    find_access(
        source.url, ENDPOINT
    )  # a wrong call ends here, and not as a failure of every question
    # a server that says there are a billion rows, and gives one at a time, holds up one question,
    # not the run
    return dataclasses.replace(source, longest=min(source.longest, _LONGEST * source.timeout))


def _changed(before: Sequence[Question], after: Sequence[Question]) -> tuple[str, ...]:
    """Return the ids of the questions that had answers and now have others."""
    return tuple(
        old.id
        for old, new in zip(before, after, strict=True)
        if old.answers is not None
        and new.answers is not None
        and _values(old.answers) != _values(new.answers)
    )


def _due(
    question: Question,
    source: LocalStore | Endpoint,
    known: Mapping[tuple[str, str], Response],
    kg_name: str,
    *,
    refresh: bool,
) -> Due:
    """Return what is to be executed for a question.

    Nothing where it has no query, or has answers already.
    """
    query = gold_query(question, kg_name)
    if not query or (question.answers is not None and not refresh):
        return Due(question.id)
    sent = _standard(query)

    async def ask() -> Outcome:
        return Outcome(await background.in_thread(_ask, source, question.id, sent))

    return Due(question.id, known.get((question.id, sent)), ask)


def _with_answers(question: Question, response: Response | None) -> Question:
    given = None if response is None else response.answers
    return question if given is None else dataclasses.replace(question, answers=given)


def gold_query(question: Question, kg_name: str = "") -> str:
    """Return the query to execute: the first, or that of a knowledge graph; empty if there is none.

    Examples
    --------
    >>> both = Question("1", {}, queries={"dbpedia": "ASK { ?a ?b 1 }", "wikidata": "ASK { ?a ?b 2 }"})
    >>> gold_query(both, "wikidata")
    'ASK { ?a ?b 2 }'
    """
    query = (
        question.queries.get(kg_name, question.queries.get("", "")) if kg_name else question.sparql
    )
    return query if query.strip() else ""


def source_name(source: LocalStore | Endpoint) -> str:
    """Return how a journal names who was asked.

    A file with its sha256, an endpoint without credentials.

    The parameters of an endpoint's address, such as default-graph-uri, change what it answers, so
    their hash is part of it.

    Examples
    --------
    >>> source_name(Endpoint("http://me:secret@localhost:8890/sparql"))
    'localhost:8890/sparql'
    """
    if isinstance(source, LocalStore):
        return (
            f"{source.name} (sha256 {source.sha256})"
            if source.sha256
            else f"{source.name} ({len(source)} statements)"
        )
    return parse_address(source.url).label


def _known(
    journal: Journal | None, name: str
) -> tuple[dict[tuple[str, str], Response], tuple[str, ...]]:
    """Return what a journal has of this source, by id and query, and the notes on the file."""
    if journal is None:
        return {}, ()
    entries, notes, _ = journal.entries()
    done = (
        entry.response
        for entry in entries
        if entry.source == name and entry.response.status in DONE
    )
    return {(response.id, response.query): response for response in done}, (*journal.notes, *notes)


def _standard(query: str) -> str:
    """Return the query in standard SPARQL.

    As it is where it has an IRI that cannot be resolved, for the parser to say so.
    """
    try:
        return repair(query).text
    except ValueError:
        return query


def _ask(source: LocalStore | Endpoint, question: str, query: str) -> Response:
    """Execute one query; whatever goes wrong is in the response."""
    start = monotonic()
    try:
        with gathered_warnings() as heard:
            answers = _execute(source, query)
    except QaldgenError as error:
        status, problem = (
            ("timeout" if isinstance(error, EndpointTimeout) else "failed"),
            str(error),
        )
    except Exception as error:  # one answer that nobody foresaw does not end the run
        status, problem = "failed", unforeseen(error)
    else:
        seconds = round(monotonic() - start, 3)
        return Response(
            question,
            status_of(answers),
            answers,
            query=query,
            seconds=seconds,
            error="; ".join(heard),
        )
    return Response(
        question, status, query=query, seconds=round(monotonic() - start, 3), error=problem
    )


def answers_of(source: LocalStore | Endpoint, query: str) -> Answers:
    """Return what a query of anybody gives; only SELECT and ASK are sent, after `repair`.

    Parameters
    ----------
    source
        The knowledge graph.
    query
        A query, in SPARQL as people and programs write it.

    Returns
    -------
    Answers
        As the readers of question sets make them.

    Raises
    ------
    QaldgenError
        If it is no such query, or cannot be answered.
    """
    return _execute(_bounded(source), _standard(query), _MOST_ANSWERS)


def _execute(source: LocalStore | Endpoint, query: str, most_rows: int | None = None) -> Answers:
    form = query_form(query)
    if form not in {"SELECT", "ASK"}:
        raise UsageError(
            f"the query is {form or 'no SPARQL'}; only SELECT and ASK have answers, so it was not"
            " sent"
        )
    unbound: tuple[str, ...] = ()
    if isinstance(source, LocalStore):
        query, unbound = without_label_service(query)
        _check_graphs(source, query)
    if form == "ASK":
        return Answers(boolean=source.ask(query))
    found = (
        source.select(query, most_rows=most_rows)
        if isinstance(source, LocalStore)
        else source.select(query)
    )
    rows = _without_columns(found, unbound)
    return rows_answers(rows, ordered=_is_ordered(query, unbound))


def _is_ordered(query: str, unbound: Sequence[str]) -> bool:
    """Say whether the order of the rows means something.

    Not where it is that of labels which are missing.
    """
    found = tokens(query)
    order = next((at for at, token in enumerate(found) if token.word == "ORDER"), len(found))
    return order < len(found) and not any(
        token.kind == "var" and token.text[1:] in unbound for token in found[order:]
    )


def _without_columns(rows: Rows, names: Sequence[str]) -> Rows:
    kept = [at for at, name in enumerate(rows.variables) if name not in names]
    if len(kept) == len(rows.variables):
        return rows
    return Rows(
        tuple(rows.variables[at] for at in kept),
        [tuple(row[at] for at in kept) for row in rows.rows],
    )


def _check_graphs(source: LocalStore, query: str) -> None:
    """Refuse a query about a graph that the file does not have, which would give an empty answer instead of an error."""
    check_syntax(query)
    for token, after in pairwise(tokens(query)):
        named = token.word in {"FROM", "NAMED", "GRAPH"} and after.kind == "iri"
        if named and not source.ask(f"ASK {{ GRAPH {after.text} {{ ?s ?p ?o }} }}"):
            raise UsageError(
                f"the query reads the graph {one_line(after.text)}, which is not in {source.name};"
                " ask an endpoint"
            )


def _values(answers: Answers) -> Counter[str]:
    """Return the values, which make two answers equal or not.

    Names of blank nodes hold within one answer only.
    """
    cells = Counter(
        "_:" if cell.type == "bnode" else cell.value
        for row in answers.rows
        for cell in row
        if cell is not None
    )
    return cells or Counter(answers.values())


def _failures(responses: Mapping[str, Response]) -> Iterator[str]:
    """Say for each reason how many queries failed, and which."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for response in responses.values():
        if response.status not in DONE:
            reasons.setdefault((response.status, response.error), []).append(response.id)
    size = f"{len(responses):,}"
    by_size = sorted(reasons.items(), key=lambda item: -len(item[1]))
    for (status, error), ids in by_size[:_SHOWN_REASONS]:
        what = "did not end in time" if status == "timeout" else "failed"
        yield (
            f"{len(ids):,} of {size} gold queries {what}, so the answers stay as they were"
            f" ({_first(ids)}): {error}"
        )
    rest = [name for _, ids in by_size[_SHOWN_REASONS:] for name in ids]
    if rest:
        yield (
            f"{len(rest):,} of {size} gold queries failed for other reasons ({_first(rest)}); a"
            " journal (--journal) tells all"
        )


def _others(
    questions: Sequence[Question], responses: Mapping[str, Response], kg_name: str
) -> Iterator[str]:
    """Say which answers may be cut, and which questions cannot be answered."""
    unsure = [
        response for response in responses.values() if response.status in DONE and response.error
    ]
    if unsure:
        ids = [response.id for response in unsure]
        yield f"{len(ids):,} answers may be cut by the server ({_first(ids)}): {unsure[0].error}"
    without = [q.id for q in questions if q.answers is None and not gold_query(q, kg_name)]
    if without:
        graph = f" for {kg_name}" if kg_name else ""
        yield (
            f"{len(without):,} questions without answers have no query{graph} ({_first(without)});"
            " they stay without"
        )


def _unlabelled(source: LocalStore | Endpoint, responses: Mapping[str, Response]) -> Iterator[str]:
    """Say which queries were executed without the label service."""
    if not isinstance(source, LocalStore):
        return
    found = {
        id_: without_label_service(one.query)
        for id_, one in responses.items()
        if one.status in DONE
    }
    without = {
        id_: left.columns for id_, left in found.items() if left.text != responses[id_].query
    }
    if without:
        columns = dict.fromkeys(f"?{name}" for names in without.values() for name in names)
        yield (
            f"{len(without):,} queries were executed without Wikidata's label service, which a file"
            f" does not have ({_first(list(without))}); columns left out:"
            f" {_first(list(columns)) or 'none'}"
        )


def _changes(changed: Sequence[str], responses: Mapping[str, Response]) -> Iterator[str]:
    if changed:
        yield (
            f"{len(changed):,} of {len(responses):,} executed questions have other answers than"
            f" before ({_first(changed)})"
        )


def _first(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN_IDS]) + (", ..." if len(ids) > _SHOWN_IDS else "")

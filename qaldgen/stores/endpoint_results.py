"""Read the reply of a SPARQL endpoint: a result in JSON, or an error for users."""

from __future__ import annotations

import json
from email.message import Message
from typing import Any, NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.errors import EndpointError, EndpointTimeout
from qaldgen.io.json_text import member
from qaldgen.io.text import one_line
from qaldgen.io.web.access import ENDPOINT, Secrets
from qaldgen.io.web.body import parse_json, read_text
from qaldgen.io.web.client import Reply
from qaldgen.io.web.failure import Failure, FailureKind
from qaldgen.io.web.retries import is_temporary
from qaldgen.rdf.terms import BOOLEANS, Rows, Term

_USER = f"{ENDPOINT}_USER and {ENDPOINT}_PASSWORD"
_ADVICE_FOR_STATUS = {
    400: "The server does not accept the query",
    401: (
        f"Set {_USER} (with {ENDPOINT}_AUTH=digest for digest authentication), or {ENDPOINT}_TOKEN"
    ),
    403: f"The server does not let you ask this; {_USER}, or {ENDPOINT}_TOKEN, say who you are",
    404: "Is this the SPARQL endpoint? Its address usually ends in /sparql or /query",
    405: "Try the other method, GET or POST",
    414: "The query is too long for GET; use POST",
}
_ADVICE = {
    FailureKind.TIMEOUT: "; allow more with `timeout`, or narrow the query",
    FailureKind.SIZE: "; narrow the query, or allow more with `max_bytes`",
}
#: The largest table: a small answer can claim many variables for many rows that bind none of them.
_MAX_CELLS = 50_000_000


class Refusal(EndpointError):
    """The server answered with an HTTP error that another try would not fix."""

    def __init__(self, message: str, explanation: str) -> None:
        super().__init__(message)
        self.explanation = explanation


def endpoint_error(server: str, failure: Failure) -> EndpointError:
    """Return the error for users: what failed and what to do."""
    if is_temporary(failure):
        tries = "1 try" if failure.tries == 1 else f"{failure.tries} tries"
        return EndpointError(
            f"{failure.reason} ({tries}). Try again later, or ask for less at once", where=server
        )
    if failure.kind is FailureKind.STATUS:
        message = f"{server}: {failure.reason}"
        if failure.status in _ADVICE_FOR_STATUS:
            message += f". {_ADVICE_FOR_STATUS[failure.status]}"
        elif failure.status >= 500:
            message += ". The server failed on this query; a simpler one may work"
        return Refusal(message, failure.explanation)
    error_type = EndpointTimeout if failure.kind is FailureKind.TIMEOUT else EndpointError
    return error_type(f"{server}: {failure.reason}{_ADVICE.get(failure.kind, '')}")


def invalid_result(server: str, rule: str) -> EndpointError:
    """Return the error for an answer that breaks a rule of SPARQL results."""
    return EndpointError(
        f"the answer is JSON, but not a SPARQL result: {rule}. Is this a SPARQL endpoint?",
        where=server,
    )


class Answer(NamedTuple):
    """A SPARQL result: the parsed JSON, and the headers of the reply."""

    data: dict[str, Any]
    headers: Message


def read_answer(server: str, reply: Reply, secrets: Secrets) -> Answer:
    """Return the JSON of a reply.

    Raises
    ------
    Failure
        If the reply is truncated, which another try may fix, or cannot be unpacked or parsed.
    EndpointError
        If the reply is not a SPARQL result, or one that the server calls partial.
    """
    if not reply.body.strip():
        raise EndpointError(
            "the answer is empty; is this the address of a SPARQL endpoint?", where=server
        )

    text = ""
    problem = None
    try:
        text = read_text(reply.body, reply.headers, secrets)
        data = parse_json(text, strict=True)
    except Failure as failure:
        problem = failure

    # outside the handler, so that the traceback does not show the reply
    if problem is not None:
        content_type = reply.headers.get("Content-Type", "no content type")
        media_type = one_line(secrets.mask(content_type.split(";")[0].lower()))
        if problem.kind is FailureKind.CONTENT and "json" not in media_type:
            raise EndpointError(
                f"answered {media_type} instead of SPARQL results in JSON ({problem}); is this the"
                " SPARQL endpoint (its address usually ends in /sparql or /query), and can it"
                " answer application/sparql-results+json?",
                where=server,
            )
        if text and not text.rstrip().endswith("}"):
            raise Failure(
                FailureKind.BROKEN,
                f"the JSON of the answer is truncated after {len(reply.body):,} bytes",
            )
        raise problem

    # Virtuoso reports a timeout in a header, with status 200 and the rows so far.
    if "S1TAT" in reply.headers.get("X-SQL-State", ""):
        raise EndpointError(
            "the server stopped the query at its own time limit and sent a partial result; narrow"
            " the query or raise the server's limit (in Virtuoso: MaxQueryExecutionTime in"
            " virtuoso.ini)",
            where=server,
        )

    if not isinstance(data, dict):
        raise invalid_result(server, "the outermost value is an object")
    return Answer(data, reply.headers)


def read_rows(server: str, data: dict[str, Any]) -> Rows:
    """Return the rows of a SELECT query; None where a row does not bind a variable."""
    names = member(data.get("head"), "vars")
    bindings = member(data.get("results"), "bindings")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise invalid_result(server, 'a SELECT query is answered with the variables in "head"')
    if not isinstance(bindings, list) or not all(isinstance(row, dict) for row in bindings):
        raise invalid_result(server, 'a SELECT query is answered with "bindings" in "results"')
    if len(names) * len(bindings) > _MAX_CELLS:
        raise EndpointError(
            f"the answer has {len(bindings):,} rows of {len(names):,} variables; narrow the query",
            where=server,
        )

    columns = set(names)
    rows: list[tuple[Term | None, ...]] = []
    for row in bindings:
        if not columns.issuperset(row):
            raise invalid_result(
                server, f"row {len(rows) + 1} binds a variable that the head does not name"
            )
        terms = {name: _parse_term(server, cell) for name, cell in row.items()}
        rows.append(tuple(map(terms.get, names)))
    return Rows(tuple(names), rows)


def read_boolean(server: str, data: dict[str, Any]) -> bool:
    """Return the answer of an ASK query: a boolean, or a table from Virtuoso."""
    value = data.get("boolean")
    if value is None and "results" in data:
        # Some versions of Virtuoso answer ASK with a table: one row with a 1, or no row for no.
        table = read_rows(server, data)
        if table.variables == ("__ASK_RETVAL",) and not table.rows:
            value = "0"
        elif len(table.variables) == 1 and len(table.rows) == 1:
            cell = table.rows[0][0]
            value = cell.value if isinstance(cell, Literal) else None
    boolean = BOOLEANS.get(str(value).lower())
    if boolean is None:
        raise invalid_result(server, "an ASK query is answered with a boolean")
    return boolean


def _parse_term(server: str, cell: object) -> Term:
    """Return the term in a cell of a SPARQL result."""
    fields: dict[str, Any] = cell if isinstance(cell, dict) else {}
    term_type = fields.get("type")
    value = fields.get("value")

    if term_type == "triple":
        raise EndpointError(
            "the answer has a triple as a value (RDF-star); leave such values out of the query",
            where=server,
        )
    if not isinstance(value, str) or term_type not in ("uri", "bnode", "literal", "typed-literal"):
        raise invalid_result(server, f"{one_line(json.dumps(cell))} is not an RDF term")

    try:
        if term_type == "uri":
            return NamedNode(value)
        if term_type == "bnode":
            try:
                return BlankNode(value)
            except ValueError:  # such as Virtuoso's nodeID://b10001
                return BlankNode("x" + value.encode().hex())
        if fields.get("xml:lang"):
            return Literal(value, language=fields["xml:lang"])
        if fields.get("datatype"):
            return Literal(value, datatype=NamedNode(fields["datatype"]))
        return Literal(value)
    except (ValueError, TypeError) as error:
        term = one_line(json.dumps(cell, ensure_ascii=False))
        if term_type == "uri":
            term = f"the IRI <{one_line(value)}>"
        raise EndpointError(
            f"{term} in the answer is not a valid RDF term ({one_line(str(error))}); fix the data,"
            " or leave it out of the query",
            where=server,
        ) from error

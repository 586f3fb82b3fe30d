"""What goes to the server: a query of the form that is due, in a request that SPARQLWrapper writes."""

from __future__ import annotations

import urllib.request

from pyoxigraph import NamedNode

from qaldgen._version import __version__
from qaldgen.errors import UsageError
from qaldgen.io.web.credentials import Access
from qaldgen.io.web.one_line import one_line
from qaldgen.sparql.tokens import query_form

_ACCEPT = "application/sparql-results+json, application/json;q=0.9"
_LONGEST_URL = 1_500


def check_form(query: str, form: str) -> None:
    """Refuse a text that is no query of this form.

    Examples
    --------
    >>> check_form("ASK { ?s ?p ?o }", "SELECT")
    Traceback (most recent call last):
    qaldgen.errors.UsageError: this needs a SELECT query, and the text is an ASK query
    """
    found = query_form(query)
    if found != form:
        raise UsageError(f"this needs {_article(form)} query, and the text is {_article(found) + ' query' if found else 'none'}")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise UsageError("the query has characters that are no Unicode text; save it in UTF-8") from None


def iri_in_query(iri: str) -> str:
    """Return an IRI as a query spells it, in angle brackets.

    Raises
    ------
    UsageError
        If the text is no IRI.
    """
    try:
        return str(NamedNode(iri))
    except ValueError:
        raise UsageError(f"<{one_line(iri)}> is no IRI; a subject is written in full, without spaces") from None


def write_request(access: Access, method: str, query: str, form: str) -> urllib.request.Request:
    """Let SPARQLWrapper write the request; `method` is "get", "post", or "auto", which takes POST for long queries."""
    from SPARQLWrapper import JSON, SPARQLWrapper

    client = SPARQLWrapper(access.address.url, returnFormat=JSON, agent=f"qaldgen/{__version__}")
    client.setOnlyConneg(True)
    client.addCustomHttpHeader("Accept", _ACCEPT)
    if access.credentials.header:
        client.addCustomHttpHeader("Authorization", access.credentials.header)
    for name, value in access.address.parameters:
        client.addParameter(name, value)
    # setQuery() would guess the form with regular expressions, and takes "PREFIX : <x> # add" for an update
    client.queryString = query
    client.queryType = form
    client.setMethod("POST" if method == "post" else "GET")
    request: urllib.request.Request = client._createRequest()
    if method == "auto" and len(request.full_url) > _LONGEST_URL:
        client.setMethod("POST")
        request = client._createRequest()
    return request


def _article(form: str) -> str:
    return f"an {form}" if form[0] in "AU" else f"a {form}"

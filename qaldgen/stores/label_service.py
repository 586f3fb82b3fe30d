"""Remove calls of Wikidata's label service from queries that are executed on a local file.

The service binds names of items to variables such as ``?itemLabel``.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, product
from typing import NamedTuple

from qaldgen.errors import UsageError
from qaldgen.sparql import tree as syntax
from qaldgen.sparql.grammar import NotSparqlError, parse
from qaldgen.sparql.tokens import closing_index, tokenize
from qaldgen.sparql.tree import all_parts, all_queries

#: The IRI of the service, and the endings of the variables that it binds.
_SERVICE = "<http://wikiba.se/ontology#label>"
_LABEL_SUFFIXES = ("Label", "AltLabel", "Description")


class WithoutLabels(NamedTuple):
    """A query without calls of the label service."""

    text: str
    #: The columns, without question mark, that only the service could have filled.
    columns: tuple[str, ...]


def without_label_service(query: str) -> WithoutLabels:
    """Remove the calls of the label service from a query.

    A query that uses labels for more than columns, for instance in a FILTER, is refused.

    >>> service = "SERVICE <http://wikiba.se/ontology#label> { }"
    >>> without_label_service(f"SELECT ?a ?aLabel {{ ?a ?p 1 {service} }}")
    WithoutLabels(text='SELECT ?a ?aLabel { ?a ?p 1 { } }', columns=('aLabel',))
    """
    query_tokens = tokenize(query)
    calls = []  # the indices of the first and last token of each
    for index, token in enumerate(query_tokens):
        if token.word == "SERVICE":
            name_index = index + 1
            if name_index < len(query_tokens) and query_tokens[name_index].word == "SILENT":
                name_index += 1
            following = [word.text for word in query_tokens[name_index : name_index + 2]]
            if following == [_SERVICE, "{"]:
                calls.append((index, closing_index(query_tokens, name_index + 1)))
    if not calls:
        return WithoutLabels(query, ())

    text = query
    # From the end, so that earlier positions stay valid.
    for start, end in reversed(calls):
        text = f"{text[: query_tokens[start].start]}{{ }}{text[query_tokens[end].end :]}"

    try:
        tree = parse(text)
    except NotSparqlError:
        return WithoutLabels(text, ())  # Oxigraph will report what is wrong

    # The service binds the variables in its braces, and those named after another variable with
    # one of its endings.
    names = {f"?{token.text[1:]}" for token in query_tokens if token.kind == "var"}
    labels = {name + ending for name, ending in product(names, _LABEL_SUFFIXES)} & names
    for start, end in calls:
        labels |= {f"?{token.text[1:]}" for token in query_tokens[start:end] if token.kind == "var"}
    labels -= _bound_variables(tree)

    uses = Counter(token.text[1:] for token in tokenize(text) if token.kind == "var")
    used_labels = sorted(name for name in labels if uses[name[1:]] > _harmless_uses(tree, name))
    columns = [column.variable for column in tree.columns]
    if used_labels or (columns and labels.issuperset(columns)):
        needed_label = used_labels[0] if used_labels else columns[0]
        raise UsageError(
            f"the query needs {needed_label} of Wikidata's label service, but no service is called"
            " for a local file; ask an endpoint"
        )

    return WithoutLabels(text, tuple(column[1:] for column in columns if column in labels))


def _bound_variables(query: syntax.Query) -> set[str]:
    """Return the variables that patterns, BIND, VALUES and expressions of columns bind."""
    variables: set[str] = set()
    for subquery in all_queries(query):
        for column in subquery.columns:
            if column.expression is not None:
                variables.add(column.variable)
    for part in all_parts(query):
        if isinstance(part, syntax.Triples):
            terms = chain.from_iterable(part.triples)
            variables.update(term for term in terms if isinstance(term, str))
        elif isinstance(part, syntax.Bind):
            variables.add(part.variable)
        elif isinstance(part, syntax.Values):
            variables.update(part.variables)
        elif isinstance(part, syntax.Block):
            variables.add(part.term)
    return variables


def _harmless_uses(query: syntax.Query, variable: str) -> int:
    """Count the uses of a variable that make no difference if it is unbound.

    These are columns, keys of GROUP BY if there are other keys, and keys of ORDER BY if all rows
    are returned.
    """
    uses = 0
    for subquery in all_queries(query):
        variables = [column.variable for column in subquery.columns if column.expression is None]
        uses += variables.count(variable)
        keys = [key.expression for key in subquery.group_by]
        if set(keys) - {variable}:
            uses += keys.count(variable)
        if subquery.limit is None and subquery.offset is None:
            uses += [key.expression for key in subquery.order_by].count(variable)
    return uses

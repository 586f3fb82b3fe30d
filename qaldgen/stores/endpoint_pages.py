"""Every row of a SELECT query, in pages where the server cuts its answers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeAlias

from pyoxigraph import BlankNode, Literal

from qaldgen.errors import EndpointError, UsageError
from qaldgen.io.text import one_line
from qaldgen.rdf.terms import Rows, Term
from qaldgen.sparql.clauses import count_rows, page, question_variable, split_select
from qaldgen.sparql.tokens import tokens
from qaldgen.stores.endpoint_results import Answer, Refusal, no_result, read_rows

#: The most variables that Virtuoso sorts by (error SQ186).
_MAX_SORT_KEYS = 20
_LOG = logging.getLogger("qaldgen")

#: Sends a query, and returns the answer.
Ask: TypeAlias = Callable[[str], Answer]


def complete_rows(server: str, ask: Ask, query: str, page_size: int) -> Rows:
    """Return every row of a SELECT query, in pages if the server gives fewer than it counts."""
    answer = ask(query)
    first = read_rows(server, answer.data)
    received = len(first.rows)
    total = _count(server, ask, query, first, answer.headers.get("X-SPARQL-MaxRows"))
    # without a sign that rows are missing, the server's own order is kept
    if total is None or received == total:
        return first
    if received > total:
        raise EndpointError(
            f"{server}: {received:,} rows came, but a count of them gave {total:,}; the data may"
            " have changed meanwhile. Try again"
        )
    # The server's limit is at least what it just sent.
    length = min(page_size, received)
    if not length or not first.variables:
        raise _incomplete(server, received, total)
    _LOG.info("%s: %s of %s rows came; fetching pages", server, f"{received:,}", f"{total:,}")
    rows = _Pages(server, ask, query, first.variables, length).fetch_all(total)
    _check_overlap(server, query, first, rows)
    return Rows(first.variables, rows)


def _check_overlap(
    server: str, query: str, first: Rows, rows: Sequence[tuple[Term | None, ...]]
) -> None:
    """Refuse the rows of pages that overlap, or miss rows of the first answer."""
    counts = Counter(rows)
    is_distinct = tokens(split_select(query).projection)[1].word == "DISTINCT"
    # Counted rather than compared as sets, because SELECT without DISTINCT may repeat a row. The
    # names of blank nodes are only valid within one answer.
    expected = Counter(
        row for row in first.rows if not any(isinstance(term, BlankNode) for term in row)
    )
    lost = sum((expected - counts).values())
    if lost or (is_distinct and len(counts) < len(rows)):
        raise EndpointError(
            f"{server}: the pages of the answer do not fit together ({len(counts):,} different rows"
            f" in {len(rows):,}, {lost:,} rows of the first answer missing); the data may have"
            " changed meanwhile, or the query takes its rows in no fixed order. Try again, give a"
            " LIMIT inside the query an ORDER BY, or raise the server's limit"
        )


def nested_page(
    query: str, variables: Sequence[str], keys: Sequence[str], limit: int, offset: int
) -> str:
    """Return the query for a page with the order in a subquery.

    Virtuoso refuses ORDER BY with LIMIT and OFFSET in one query beyond MaxSortedTopRows (error
    SR353), but accepts them in two.

    >>> nested_page("SELECT ?s { ?s a ?c }", ["s"], ["s"], 10, 20).partition("ORDER BY")[2]
    ' ?s } } LIMIT 10 OFFSET 20'
    """
    parts = split_select(page(query, variables, keys, limit, offset))
    order = " ".join(f"?{name}" for name in keys)
    inner = f"{parts.projection} WHERE {{ {parts.where} }} ORDER BY {order}"
    outer = (
        f"{parts.projection} {parts.dataset} WHERE {{ {{ {inner} }} }}"
        f" LIMIT {limit} OFFSET {offset}"
    )
    return f"{parts.prologue}\n{outer}".strip()


def _count(server: str, ask: Ask, query: str, first: Rows, max_rows: str | None) -> int | None:
    """Return how many rows `query` has; None, and a warning, if the server does not count them."""
    received = len(first.rows)
    try:
        rows = read_rows(server, ask(count_rows(query)).data).rows
    except (Refusal, UsageError) as error:
        if max_rows is not None or _has_next_row(server, ask, query, first):
            limit = "" if max_rows is None else f", X-SPARQL-MaxRows: {max_rows}"
            raise EndpointError(
                f"{server}: the server cut its answer ({received:,} rows came{limit}, and there are"
                f" more) and refuses to count the rows ({error}), so it is unknown how many are"
                " missing. Raise the server's limit, let it count, narrow the query, or use a file"
                " of the data"
            ) from error
        _LOG.warning(
            "%s: completeness could not be verified: %s rows came,"
            " but the count of them failed (%s)",
            server,
            f"{received:,}",
            error,
        )
        return None
    cells = list(chain.from_iterable(rows))
    if (
        len(cells) != 1
        or not isinstance(cells[0], Literal)
        or not cells[0].value.strip().isdecimal()
    ):
        raise no_result(server, "SELECT (COUNT(*) AS ?qaldgenRows) is answered with one number")
    return int(cells[0].value)


def _has_next_row(server: str, ask: Ask, query: str, first: Rows) -> bool:
    """Return whether the server has a row after its first rows; False if it refuses the request."""
    if not first.rows or not first.variables:
        return False
    try:
        reply = ask(page(query, first.variables, (), 1, len(first.rows)))
    except (Refusal, UsageError):
        return False
    # more than one row comes from a server that ignores LIMIT, and perhaps OFFSET
    return len(read_rows(server, reply.data).rows) == 1


class _Pages:
    """The pages of a query, ordered in a form that the server accepts."""

    def __init__(
        self, server: str, ask: Ask, query: str, variables: tuple[str, ...], length: int
    ) -> None:
        self._server = server
        self._ask = ask
        self._query = query
        self._variables = variables
        self._length = length
        # A form that the server has refused once is not used for further pages.
        self._build = page
        self._keys = variables

    def fetch_all(self, total: int) -> list[tuple[Term | None, ...]]:
        """Return the rows of all pages; refuse pages of another size than was asked for."""
        rows: list[tuple[Term | None, ...]] = []
        for offset in range(0, total, self._length):
            part = self._fetch(offset)
            expected_size = min(self._length, total - offset)
            if len(part) > expected_size:
                raise EndpointError(
                    f"{self._server}: {len(part):,} rows came where a page should have"
                    f" {expected_size:,}; the data may have changed meanwhile, or the server"
                    " ignores LIMIT and OFFSET. Try again, or raise the server's limit"
                )
            rows += part
            if len(part) < expected_size:
                raise _incomplete(self._server, len(rows), total)
        self._check_order(rows)
        return rows

    def _fetch(self, offset: int) -> list[tuple[Term | None, ...]]:
        """Return the rows of the page at `offset`."""
        while True:
            text = self._build(self._query, self._variables, self._keys, self._length, offset)
            try:
                answer = self._ask(text)
                break
            except Refusal as error:
                if self._build is page and "SR353" in error.explanation:
                    self._build = nested_page
                elif len(self._keys) > _MAX_SORT_KEYS and "SQ186" in error.explanation:
                    question = question_variable(self._query, self._variables)
                    features = [name for name in self._variables if name != question]
                    self._keys = (question, *features[: _MAX_SORT_KEYS - 1])
                else:
                    raise
        rows = read_rows(self._server, answer.data)
        if rows.variables != self._variables:
            names = one_line(", ".join(rows.variables))
            raise no_result(
                self._server,
                f"a page has the variables {names}, the query {', '.join(self._variables)}",
            )
        return rows.rows

    def _check_order(self, rows: Sequence[tuple[Term | None, ...]]) -> None:
        """Refuse rows whose order between pages is not fixed: equal in all keys."""
        if len(self._keys) == len(self._variables):
            return
        key_columns = [self._variables.index(name) for name in self._keys]
        for start in range(self._length, len(rows), self._length):
            last_of_page, first_of_next = rows[start - 1], rows[start]
            if all(last_of_page[column] == first_of_next[column] for column in key_columns):
                raise EndpointError(
                    f"{self._server}: the server sorts by {len(self._keys)} variables only, and"
                    f" rows {start:,} and {start + 1:,} are equal in them, so its pages may repeat"
                    " or lose rows. Select fewer features, or raise the server's limit"
                )


def _incomplete(server: str, received: int, total: int) -> EndpointError:
    return EndpointError(
        f"{server}: {received:,} of {total:,} rows came; the server cuts its answers. Raise its"
        " limit (in Virtuoso: ResultSetMaxRows in virtuoso.ini), try a smaller page size,"
        " or narrow the query"
    )

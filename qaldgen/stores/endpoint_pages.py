"""Fetch every row of a SELECT query, page by page if the server cuts its answers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from pyoxigraph import BlankNode, Literal

from qaldgen.errors import EndpointError, UsageError
from qaldgen.io.text import one_line
from qaldgen.rdf.terms import Rows, Term
from qaldgen.sparql.clauses import count_query, page_of, question_variable, split_select
from qaldgen.sparql.tokens import tokenize
from qaldgen.stores.endpoint_results import Answer, Refusal, invalid_result, read_rows

#: The most rows to ask for at once, by default.
PAGE_SIZE = 10_000
#: The most variables that Virtuoso sorts by (error SQ186).
_MAX_SORT_KEYS = 20
_LOG = logging.getLogger("qaldgen")

#: Sends a query and returns the answer.
Ask: TypeAlias = Callable[[str], Answer]
Row: TypeAlias = tuple[Term | None, ...]


def complete_rows(server: str, ask: Ask, query: str, page_size: int) -> Rows:
    """Return every row of a SELECT query, in pages if the first answer is incomplete."""
    answer = ask(query)
    first = read_rows(server, answer.data)
    received = len(first.rows)
    select = _Select(server, ask, query, first)
    total = select.count_rows(answer.headers.get("X-SPARQL-MaxRows"))

    # pages would come in another order, so a complete answer is returned as it is
    if total is None or received == total:
        return first
    if received > total:
        raise EndpointError(
            f"{received:,} rows came, but a count of them gave {total:,}; the data may have changed"
            " meanwhile. Try again",
            where=server,
        )

    # The server's limit is at least what it just sent.
    page_length = min(page_size, received)
    if not page_length or not first.variables:
        raise _incomplete(server, received, total)
    _LOG.info("%s: %s of %s rows came; fetching pages", server, f"{received:,}", f"{total:,}")

    rows = select.fetch_pages(page_length, total)
    select.check_overlap(rows)
    return Rows(first.variables, rows)


@dataclass(frozen=True)
class _Select:
    """A SELECT query, and the first answer to it, which may be incomplete."""

    server: str
    ask: Ask
    query: str
    first: Rows

    def count_rows(self, max_rows: str | None) -> int | None:
        """Return the number of rows; None, and a warning, if the server does not count them.

        `max_rows` is the limit that the server names, if it names one.
        """
        received = f"{len(self.first.rows):,} rows came"
        try:
            rows = read_rows(self.server, self.ask(count_query(self.query)).data).rows
        except (Refusal, UsageError) as error:
            if max_rows is not None or self._has_next_row():
                limit = "" if max_rows is None else f", X-SPARQL-MaxRows: {max_rows}"
                raise EndpointError(
                    f"the server cut its answer ({received}{limit}, and there are more) and refuses"
                    f" to count the rows ({error}), so it is unknown how many are missing. Raise"
                    " the server's limit, let it count, narrow the query, or use a file of the"
                    " data",
                    where=self.server,
                ) from error
            _LOG.warning(
                "%s: completeness could not be verified: %s, but the count of them failed (%s)",
                self.server,
                received,
                error,
            )
            return None

        cells = list(chain.from_iterable(rows))
        number = cells[0] if len(cells) == 1 else None
        if not isinstance(number, Literal) or not number.value.strip().isdecimal():
            rule = "SELECT (COUNT(*) AS ?qaldgenRows) is answered with one number"
            raise invalid_result(self.server, rule)
        return int(number.value)

    def _has_next_row(self) -> bool:
        """Return whether a row follows the first answer; False if the server refuses to tell."""
        if not self.first.rows or not self.first.variables:
            return False
        n_rows = len(self.first.rows)
        try:
            answer = self.ask(page_of(self.query, self.first.variables, (), limit=1, offset=n_rows))
        except (Refusal, UsageError):
            return False
        # more than one row comes from a server that ignores LIMIT, and perhaps OFFSET
        return len(read_rows(self.server, answer.data).rows) == 1

    def fetch_pages(self, page_length: int, total: int) -> list[Row]:
        """Return the rows of all pages; refuse pages that are too long, too short, or unordered."""
        variables = self.first.variables

        # A form of pages or an order that the server refuses is replaced for all later pages.
        write_page = page_of
        sort_keys = variables
        rows: list[Row] = []
        while len(rows) < total:
            query = write_page(self.query, variables, sort_keys, page_length, len(rows))
            try:
                answer = self.ask(query)
            except Refusal as error:
                if write_page is page_of and "SR353" in error.explanation:
                    write_page = nested_page
                elif len(sort_keys) > _MAX_SORT_KEYS and "SQ186" in error.explanation:
                    question = question_variable(self.query, variables)
                    features = [name for name in variables if name != question]
                    sort_keys = (question, *features[: _MAX_SORT_KEYS - 1])
                else:
                    raise
                continue

            page = read_rows(self.server, answer.data)
            if page.variables != variables:
                names = one_line(", ".join(page.variables))
                raise invalid_result(
                    self.server,
                    f"a page has the variables {names}, the query {', '.join(variables)}",
                )

            page_size = min(page_length, total - len(rows))
            if len(page.rows) > page_size:
                raise EndpointError(
                    f"{len(page.rows):,} rows came where a page should have {page_size:,}; the data"
                    " may have changed meanwhile, or the server ignores LIMIT and OFFSET. Try"
                    " again, or raise the server's limit",
                    where=self.server,
                )
            rows += page.rows
            if len(page.rows) < page_size:
                raise _incomplete(self.server, len(rows), total)

        if len(sort_keys) < len(variables):
            self._check_page_breaks(rows, page_length, sort_keys)
        return rows

    def _check_page_breaks(
        self, rows: Sequence[Row], page_length: int, sort_keys: Sequence[str]
    ) -> None:
        """Refuse rows before and after a page break that are equal in all sort keys.

        The server may sort such rows differently for each page.
        """
        key_columns = [self.first.variables.index(name) for name in sort_keys]
        for start in range(page_length, len(rows), page_length):
            last_of_page = rows[start - 1]
            first_of_next = rows[start]
            if all(last_of_page[column] == first_of_next[column] for column in key_columns):
                raise EndpointError(
                    f"the server sorts by {len(sort_keys)} variables only, and rows {start:,} and"
                    f" {start + 1:,} are equal in them, so its pages may repeat or lose rows."
                    " Select fewer features, or raise the server's limit",
                    where=self.server,
                )

    def check_overlap(self, rows: Sequence[Row]) -> None:
        """Refuse the rows of pages that overlap, or miss rows of the first answer."""
        counts = Counter(rows)
        is_distinct = tokenize(split_select(self.query).projection)[1].word == "DISTINCT"
        # Counted rather than compared as sets, because SELECT without DISTINCT may repeat a row.
        # The names of blank nodes are only valid within one answer.
        expected = Counter[Row]()
        for row in self.first.rows:
            if not any(isinstance(term, BlankNode) for term in row):
                expected[row] += 1
        n_missing = sum((expected - counts).values())
        if n_missing or (is_distinct and len(counts) < len(rows)):
            raise EndpointError(
                f"the pages of the answer do not fit together ({len(counts):,} different rows in"
                f" {len(rows):,}, {n_missing:,} rows of the first answer missing); the data may"
                " have changed meanwhile, or the query takes its rows in no fixed order. Try again,"
                " give a LIMIT inside the query an ORDER BY, or raise the server's limit",
                where=self.server,
            )


def nested_page(
    query: str, variables: Sequence[str], keys: Sequence[str], limit: int, offset: int
) -> str:
    """Return the query for a page, with ORDER BY in a subquery.

    Virtuoso refuses ORDER BY with LIMIT and OFFSET in one query beyond MaxSortedTopRows (error
    SR353), but accepts them in two.

    >>> nested_page("SELECT ?s { ?s a ?c }", ["s"], ["s"], 10, 20).partition("ORDER BY")[2]
    ' ?s } } LIMIT 10 OFFSET 20'
    """
    parts = split_select(page_of(query, variables, keys, limit=limit, offset=offset))
    order = " ".join(f"?{name}" for name in keys)
    inner = f"{parts.projection} WHERE {{ {parts.where} }} ORDER BY {order}"
    outer = (
        f"{parts.projection} {parts.dataset} WHERE {{ {{ {inner} }} }}"
        f" LIMIT {limit} OFFSET {offset}"
    )
    return f"{parts.prologue}\n{outer}".strip()


def _incomplete(server: str, received: int, total: int) -> EndpointError:
    return EndpointError(
        f"{received:,} of {total:,} rows came; the server cuts its answers. Raise its limit (in"
        " Virtuoso: ResultSetMaxRows in virtuoso.ini), try a smaller page size, or narrow the"
        " query",
        where=server,
    )

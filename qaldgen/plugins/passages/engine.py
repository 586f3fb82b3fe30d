"""An OpenSearch server as a retriever, for collections beyond one machine.

It needs the extra ``[opensearch]``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import one_line
from qaldgen.io.web.access import hide_credentials, parse_address
from qaldgen.io.web.failure import tls_problem
from qaldgen.plugins.passages.collection import Collection
from qaldgen.plugins.passages.trec import Hit

_BATCH = 1000


def opensearch_search(
    collection: Collection, server: str, *, title: bool = True
) -> Callable[[str, int], list[Hit]]:
    """Return a search by an OpenSearch server; fills the index unless it has as many passages."""
    if urlsplit(server).scheme not in {"http", "https"}:
        raise UsageError(
            "an OpenSearch server is named by its address, http://host:port (--server)"
        )
    try:
        from opensearchpy import OpenSearch
        from opensearchpy.exceptions import OpenSearchException
    except ImportError as error:
        raise DataError("OpenSearch needs its client: pip install 'qaldgen[opensearch]'") from error
    # It logs each try with a traceback; our errors say the same in one line.
    logging.getLogger("opensearch").setLevel(logging.CRITICAL)
    client: Any = OpenSearch([server], timeout=60, max_retries=3, retry_on_timeout=True)
    place = parse_address(server).name
    name = re.sub(
        r"[^a-z0-9-]+", "-", f"qaldgen-{collection.name}-{collection.sha256[:12]}".lower()
    ).strip("-")
    fields = ["text", "title"] if title else ["text"]

    def search(question: str, k: int) -> list[Hit]:
        query = {
            "query": {"multi_match": {"query": question, "fields": fields, "type": "most_fields"}},
            "size": k,
        }
        try:
            reply = client.search(index=name, body={**query, "_source": False})
        except OpenSearchException as error:
            raise DataError(f"{place}: {_problem(error)}") from None
        return [Hit(str(hit["_id"]), float(hit["_score"])) for hit in reply["hits"]["hits"]]

    try:
        _fill(client, name, collection)
    except OpenSearchException as error:
        raise DataError(f"{place}: {_problem(error)}") from None
    return search


def _problem(error: Any) -> str:  # noqa: ANN401 - the client has no types
    """Return why OpenSearch did not answer, and what to do."""
    status, said, cause = (*error.args, "", "", "")[:3]
    if isinstance(status, int):
        detail = one_line(hide_credentials(str(said)))
        return f"OpenSearch answers HTTP {status}{detail and ': ' + detail}"
    why = tls_problem(next(iter(getattr(cause, "args", ())), None))
    shown = one_line(hide_credentials(str(said).rpartition(": ")[2])) or type(error).__name__
    todo = "is it running, and is this its address (--server)?"
    return f"OpenSearch does not answer: {why or f'{shown}; {todo}'}"


def _fill(client: Any, name: str, collection: Collection) -> None:  # noqa: ANN401 - the client has no types
    """Write the passages in batches, unless the index has them."""
    if client.indices.exists(index=name) and client.count(index=name)["count"] == len(
        collection.passages
    ):
        return
    for lines in _batches(name, collection):
        reply = client.bulk(body=lines)
        if reply.get("errors"):
            raise DataError(f"the search engine refused some of the passages of {collection.name}")
    client.indices.refresh(index=name)


def _batches(name: str, collection: Collection) -> Iterator[list[dict[str, Any]]]:
    passages = collection.passages
    for start in range(0, len(passages), _BATCH):
        lines: list[dict[str, Any]] = []
        for one in passages[start : start + _BATCH]:
            lines += [
                {"index": {"_index": name, "_id": one.id}},
                {"title": one.title, "text": one.text},
            ]
        yield lines

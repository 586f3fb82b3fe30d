"""An OpenSearch server as a retriever, for collections beyond one machine.

It needs the extra ``[opensearch]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from qaldgen.errors import DataError, UsageError
from qaldgen.retrieval.passages import Collection
from qaldgen.runs.trec import Hit

_BATCH = 1000


def opensearch_search(
    collection: Collection, server: str, *, title: bool = True
) -> Callable[[str, int], list[Hit]]:
    """Return a search by an OpenSearch server; the index is filled unless it has as many passages.

    Parameters
    ----------
    collection
        The passages; the index is called after the collection and its sha256.
    server
        The address, ``http://host:port``; it may contain credentials.
    title
        Whether titles are searched too.

    Raises
    ------
    UsageError
        If the address is none.
    DataError
        If the client is not installed, or the server does not answer.
    """
    if urlsplit(server).scheme not in {"http", "https"}:
        raise UsageError(
            "an OpenSearch server is named by its address, http://host:port (--server)"
        )
    try:
        from opensearchpy import OpenSearch
        from opensearchpy.exceptions import OpenSearchException
    except ImportError as error:
        raise DataError("OpenSearch needs its client: pip install 'qaldgen[opensearch]'") from error
    client: Any = OpenSearch([server], timeout=60, max_retries=3, retry_on_timeout=True)
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
            raise DataError(f"the search engine failed: {type(error).__name__}") from error
        return [Hit(str(hit["_id"]), float(hit["_score"])) for hit in reply["hits"]["hits"]]

    try:
        _fill(client, name, collection)
    except OpenSearchException as error:
        raise DataError(f"the search engine could not be filled: {type(error).__name__}") from error
    return search


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

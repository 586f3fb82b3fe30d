"""OpenSearch as a retriever, against a server on loopback that replies as a recorded one does."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from live_servers import Answer, LiveServer, Seen

from qaldgen.plugins.passages.collection import Collection, Passage
from qaldgen.plugins.passages.retrievers import Settings, opensearch_search

pytest.importorskip(
    "opensearchpy", reason="opensearch-py is not installed: pip install 'qaldgen[opensearch]'"
)
SHA = "ab" * 32
COLLECTION = Collection(
    "My mills",
    tuple(Passage(f"p{at}", f"Młyn numer {at}.", f"Młyn {at}") for at in range(2_500)),
    SHA,
)
INDEX = "qaldgen-my-mills-abababababab"


class Engine:
    """An index in memory, and the parts of the protocol that we use."""

    def __init__(self, stored: int = 0, *, refuses: bool = False, broken: bool = False) -> None:
        self.passages: dict[str, dict[str, str]] = {f"p{at}": {} for at in range(stored)}
        self.refuses, self.broken = refuses, broken

    def __call__(self, seen: Seen) -> Answer:
        path = unquote(seen.path)
        if self.broken:
            return 503, {}, {"error": {"type": "cluster_block_exception"}, "status": 503}
        if path == f"/{INDEX}":
            return (200 if self.passages else 404), {}, ""
        if path == f"/{INDEX}/_count":
            return {
                "count": len(self.passages),
                "_shards": {"total": 1, "successful": 1, "failed": 0},
            }
        if path == "/_bulk":
            return self._bulk(seen)
        if path == f"/{INDEX}/_refresh":
            return {"_shards": {"total": 1, "successful": 1, "failed": 0}}
        assert path == f"/{INDEX}/_search", path
        return self._search(seen.json)

    def _bulk(self, seen: Seen) -> Answer:
        lines = [json.loads(line) for line in seen.body.splitlines()]
        for action, passage in zip(lines[::2], lines[1::2], strict=True):
            assert action["index"]["_index"] == INDEX
            self.passages[action["index"]["_id"]] = passage
        return {"took": 3, "errors": self.refuses, "items": []}

    def _search(self, query: dict[str, object]) -> Answer:
        hits = [
            {"_index": INDEX, "_id": f"p{at}", "_score": 9.5 - at}
            for at in range(int(str(query["size"])))
        ]
        total = {"value": len(hits), "relation": "eq"}
        return {
            "took": 1,
            "timed_out": False,
            "hits": {"total": total, "max_score": 9.5, "hits": hits},
        }


def asked(server: LiveServer, path: str) -> list[Seen]:
    return [one for one in server.requests if one.path.endswith(path)]


def test_an_empty_index_is_filled_in_batches_and_searched() -> None:
    engine = Engine()
    with LiveServer(engine).running() as server:
        hits = opensearch_search(COLLECTION, Settings(server=server.url))("Gdzie stoi młyn?", 3)
    assert [(hit.passage, hit.score) for hit in hits] == [("p0", 9.5), ("p1", 8.5), ("p2", 7.5)]
    assert len(asked(server, "/_bulk")) == 3
    assert engine.passages["p2499"] == {"title": "Młyn 2499", "text": "Młyn numer 2499."}
    sent = asked(server, "/_search")[0].json
    assert sent["query"]["multi_match"]["query"] == "Gdzie stoi młyn?"
    assert sent["query"]["multi_match"]["fields"] == ["text", "title"]
    assert sent["size"] == 3


def test_a_full_index_is_only_searched() -> None:
    with LiveServer(Engine(stored=2_500)).running() as server:
        assert (
            opensearch_search(COLLECTION, Settings(server=server.url, title=False))("młyn", 1)[
                0
            ].passage
            == "p0"
        )
    assert asked(server, "/_bulk") == []
    assert asked(server, "/_search")[0].json["query"]["multi_match"]["fields"] == ["text"]


def test_an_index_that_was_left_half_full_is_filled_again() -> None:
    with LiveServer(Engine(stored=7)).running() as server:
        opensearch_search(COLLECTION, Settings(server=server.url))
    assert len(asked(server, "/_bulk")) == 3


def test_refused_passages_are_an_error(refused: Callable[..., str]) -> None:
    with LiveServer(Engine(refuses=True)).running() as server:
        told = refused(lambda: opensearch_search(COLLECTION, Settings(server=server.url)))
    assert "refused some of the passages of My mills" in told


def test_a_server_that_fails_is_told_without_its_password(refused: Callable[..., str]) -> None:
    with LiveServer(Engine(broken=True)).running() as server:
        told = refused(
            lambda: opensearch_search(
                COLLECTION, Settings(server=server.url.replace("://", "://user:s3cret@"))
            )
        )
    assert told == f"{server.url.partition('//')[2]}: OpenSearch answers HTTP 503"


def test_a_server_that_is_down_is_told_in_one_line_without_tracebacks(
    refused: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    with LiveServer(Engine()).running() as server:
        url = server.url
    told = refused(lambda: opensearch_search(COLLECTION, Settings(server=url)))
    assert "Connection refused; is it running, and is this its address" in told
    assert caplog.text == ""

"""Systems that answer in words: the rows of PolEval that need no model."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import qaldgen as qg
from qaldgen.asking.wiki_search import LONGEST_QUERY, wiki_search
from qaldgen.asking.worded import Sources, worded_system
from qaldgen.cli import cli
from qaldgen.retrieval.passages import Collection, Passage

Refused = Callable[..., str]
ARTICLES = Collection("wiki", (
    Passage("1", "Młyn stoi w Ulm.", "Młyn"), Passage("2", "Jan Kowal zbudował młyn.", "Jan Kowal (młynarz)"),
    Passage("3", "Staw.", "Staw"),
))  # fmt: skip


@pytest.mark.parametrize(("titles", "answer"), [
    (["Młyn", "Jan Kowal (młynarz)"], "Jan Kowal"), (["(Młyn)", "Ulm"], "Ulm"), (["Młyna"], ""), ([], ""), (["II"], "II"),
])  # fmt: skip
def test_first_title_that_says_nothing_of_the_question(titles: list[str], answer: str) -> None:
    assert wiki_search("Kto zbudował młyn?", lambda query: titles) == answer


def test_words_go_from_the_left_until_something_is_found() -> None:
    queries: list[str] = []

    def search(query: str) -> list[str]:
        queries.append(query)
        return ["Ulm"] if query == "młyn" else []

    assert wiki_search("W co i kto wziął młyn?", search) == "Ulm"
    assert queries == ["co kto wziął młyn", "kto wziął młyn", "wziął młyn", "młyn"]


def test_numbers_of_title_and_question_are_compared() -> None:
    assert wiki_search("Kto walczył w 2 bitwach?", lambda query: ["Jan II"]) == "Jan II"  # one letter: 2 is no word of the query
    assert wiki_search("Kto walczył w 12 bitwach?", lambda query: ["Jan XII"]) == ""


def test_too_long_queries_are_not_sent() -> None:
    sizes: list[int] = []

    def search(query: str) -> list[str]:
        sizes.append(len(query))
        return []

    wiki_search("młynarz " * 80, search)
    assert sizes
    assert max(sizes) <= LONGEST_QUERY


@pytest.mark.parametrize(("require_all", "answer"), [(True, ""), (False, "Jan Kowal")])
def test_local_articles(require_all: bool, answer: str) -> None:
    asker = worded_system("wiki-search", Sources(ARTICLES, require_all=require_all))
    found = asker.ask("1", "Kto zbudował młyn wielki?").answers
    assert found is not None
    assert (found.values() or [""])[0] == answer


class _Wiki(http.server.BaseHTTPRequestHandler):
    """Replies as the API of MediaWiki does, from a table."""

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        assert (asked["action"], asked["list"], asked["srnamespace"], asked["format"]) == (["query"], ["search"], ["0"], ["json"])
        titles = ["Młyn", "Jan Kowal (młynarz)"] if asked["srsearch"][0] == "młyn" else []
        body = (
            b"[]"
            if "zły" in asked["srsearch"][0]
            else json.dumps({"query": {"search": [{"title": one} for one in titles]}}).encode()
        )
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def wiki() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Wiki)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/w/api.php"
    server.shutdown()
    server.server_close()


def test_api_of_mediawiki(wiki: str) -> None:
    found = worded_system("wiki-search", Sources(wiki=wiki)).ask("1", "Kto zbudował młyn?").answers
    assert found is not None
    assert found.values() == ["Jan Kowal"]


def test_reply_that_is_no_search_result_is_a_failure(wiki: str, refused: Refused) -> None:
    asker = worded_system("wiki-search", Sources(wiki=wiki))
    assert "is no search result of MediaWiki" in refused(lambda: asker.ask("1", "Kto jest zły?"))


@pytest.mark.parametrize("words", [
    ["--system", "wiki-search"], ["--system", "always-tak", "--kg", "g.ttl"], ["--system", "always-tak", "--wiki", "http://x.org"],
    ["--system", "typed", "--passages", "p.jsonl", "--kg", "g.ttl"],
])  # fmt: skip
def test_options_that_do_not_go_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr("sys.argv", ["qaldgen", "ask", "questions.json", *words])
    with pytest.raises(qg.UsageError):
        cli(standalone_mode=False)


def test_always_tak_is_asked_and_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "in.tsv").write_text("Czy młyn stoi?\nCzy młyn spłonął?\n", encoding="utf-8")
    (folder / "expected.tsv").write_text("tak\nnie\n", encoding="utf-8")
    journal = tmp_path / "tak.jsonl"
    monkeypatch.setattr("sys.argv", ["qaldgen", "ask", str(folder), "--system", "always-tak", "--lang", "pl", "-o", str(journal)])
    cli(standalone_mode=False)
    assert qg.score(folder, journal, match="poleval", language="pl").counts["tp"].tolist() == [1, 0]

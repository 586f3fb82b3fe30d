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
from qaldgen.answers.record import Response
from qaldgen.asking.asking import ask_question
from qaldgen.asking.protocols import asker_of
from qaldgen.asking.systems import Asker, PosedQuestion, Search, System
from qaldgen.cli.main import cli
from qaldgen.io import concurrency
from qaldgen.io.web.retries import Gate
from qaldgen.plugins.passages.collection import Collection, Passage
from qaldgen.plugins.passages.searching import search_in
from qaldgen.plugins.polish.poleval import MAX_QUERY_CHARS, first_title

ARTICLES = Collection("wiki", (
    Passage("1", "Młyn stoi w Ulm.", "Młyn"),
    Passage("2", "Jan Kowal zbudował młyn.", "Jan Kowal (młynarz)"),
    Passage("3", "Staw.", "Staw"),
))  # fmt: skip


def asker(search: Search) -> Asker:
    return asker_of(System("wiki-search", "", "pl", search=search))


def asked(search: Search, text: str) -> Response:
    """Return what comes of one question."""
    system = asker(search)

    async def work() -> Response:
        async with system.open(Gate()) as ask:
            return await ask_question(system, ask, PosedQuestion(text, "pl", id="1"))

    return concurrency.run(work())


def wiki_search(question: str, titles: Callable[[str], list[str]]) -> str:
    return first_title(question, Search("made", titles))


@pytest.mark.parametrize(("titles", "expected"), [
    (["Młyn", "Jan Kowal (młynarz)"], "Jan Kowal"), (["(Młyn)", "Ulm"], "Ulm"), (["Młyna"], ""),
    ([], ""), (["II"], "II"),
])  # fmt: skip
def test_first_title_that_says_nothing_of_the_question(titles: list[str], expected: str) -> None:
    assert wiki_search("Kto zbudował młyn?", lambda query: titles) == expected


def test_words_go_from_the_left_until_something_is_found() -> None:
    queries: list[str] = []

    def search(query: str) -> list[str]:
        queries.append(query)
        return ["Ulm"] if query == "młyn" else []

    assert wiki_search("W co i kto wziął młyn?", search) == "Ulm"
    assert queries == ["co kto wziął młyn", "kto wziął młyn", "wziął młyn", "młyn"]


def test_numbers_of_title_and_question_are_compared() -> None:
    assert (
        wiki_search("Kto walczył w 2 bitwach?", lambda query: ["Jan II"]) == "Jan II"
    )  # one letter: 2 is no word of the query
    assert wiki_search("Kto walczył w 12 bitwach?", lambda query: ["Jan XII"]) == ""


def test_too_long_queries_are_not_sent() -> None:
    sizes: list[int] = []

    def search(query: str) -> list[str]:
        sizes.append(len(query))
        return []

    wiki_search("młynarz " * 80, search)
    assert sizes
    assert max(sizes) <= MAX_QUERY_CHARS


@pytest.mark.parametrize(("require_all", "expected"), [(True, ""), (False, "Jan Kowal")])
def test_local_articles(require_all: bool, expected: str) -> None:
    found = asked(search_in(ARTICLES, require_all=require_all), "Kto zbudował młyn wielki?").answers
    assert found is not None
    assert (found.values() or [""])[0] == expected


def test_a_journal_names_what_was_searched() -> None:
    names = {
        asker(search_in(ARTICLES, require_all=require_all)).name for require_all in (True, False)
    }
    assert len(names) == 2
    assert all(name.startswith("wiki-search in pl over wiki (sha256 ") for name in names)


class _Wiki(http.server.BaseHTTPRequestHandler):
    """Replies as the API of MediaWiki does, from a table."""

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        assert (asked["action"], asked["list"], asked["srnamespace"], asked["format"]) == (
            ["query"],
            ["search"],
            ["0"],
            ["json"],
        )
        titles = ["Młyn", "Jan Kowal (młynarz)"] if asked["srsearch"][0] == "młyn" else []
        body = (
            b"[]"
            if "zły" in asked["srsearch"][0]
            else json.dumps({"query": {"search": [{"title": one} for one in titles]}}).encode()
        )
        if "dużo" in asked["srsearch"][0]:
            body = b'{"error": {"code": "ratelimited", "info": "Wait a minute."}}'
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
    found = asked(search_in(wiki=wiki), "Kto zbudował młyn?").answers
    assert found is not None
    assert found.values() == ["Jan Kowal"]


def test_reply_that_is_no_search_result_is_a_failure(wiki: str) -> None:
    found = asked(search_in(wiki=wiki), "Kto jest zły?")
    assert found.status == "failed"
    assert "is not a search result of MediaWiki" in found.error


def test_what_the_api_complains_about_is_shown(wiki: str) -> None:
    found = asked(search_in(wiki=wiki), "Ile to dużo?")
    assert found.status == "failed"
    assert "it says: Wait a minute." in found.error


@pytest.mark.parametrize(("words", "message"), [
    (["--system", "wiki-search"], "pass one of them"),
    (["--system", "wiki-search", "--wiki", "http://x.org", "--passages", "p.jsonl"],
        "two places to search"),
    (["--system", "wiki-search", "--wiki", "http://x.org", "--any-word"],
        "--any-word only applies with --passages"),
    (["--system", "typed", "--wiki", "http://x.org"],
        "--wiki only applies with a system that looks things up"),
    (["--system", "typed", "--passages", "p.jsonl", "--kg", "g.ttl"],
        "--passages only applies with"),
])  # fmt: skip
def test_options_that_do_not_go_together(
    monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.setattr("sys.argv", ["qaldgen", "ask", "questions.json", *words])
    with pytest.raises(qg.UsageError, match=message):
        cli(standalone_mode=False)


def test_a_search_is_refused_where_nothing_is_looked_up_and_missed_where_something_is() -> None:
    with pytest.raises(qg.UsageError, match="does not search"):
        asker_of(System("textwrap:dedent", "python", search=search_in(ARTICLES)))
    with pytest.raises(qg.UsageError, match="`passages`"):
        asker_of("wiki-search")


def test_wiki_search_is_asked_over_a_file_of_passages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, passages, journal = (
        tmp_path / "questions.jsonl",
        tmp_path / "passages.jsonl",
        tmp_path / "wiki.jsonl",
    )
    one = {"id": "1", "question": "Kto zbudował młyn?", "answer": "Jan Kowal"}
    questions.write_text(json.dumps(one) + "\n", encoding="utf-8")
    lines = [
        json.dumps({"id": one.id, "text": one.text, "title": one.title})
        for one in ARTICLES.passages
    ]
    passages.write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", [
        "qaldgen", "ask", str(questions), "--system", "wiki-search", "--passages", str(passages),
        "--any-word", "--lang", "pl",
        "-o", str(journal),
    ])  # fmt: skip
    cli(standalone_mode=False)
    assert qg.score(questions, journal, match="poleval", language="pl").counts["tp"].tolist() == [1]

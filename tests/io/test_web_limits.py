"""No reply ends a run.

Floods, lies, bombs and drips are failures with a reason, and the next question is asked.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import zlib
from pathlib import Path
from time import monotonic

import hostile_servers as servers
import pytest
from asked import ask_one, stub
from hostile_servers import Client, HostileServer, Step, reply

from qaldgen.answers.journal import read_journal
from qaldgen.asking.asking import ask_all
from qaldgen.asking.systems import System
from qaldgen.errors import DataError, EndpointError
from qaldgen.model import Question, QuestionSet
from qaldgen.questions import fetching
from qaldgen.questions.reading import read_questions
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.gold_queries import execute_gold

SIZE = 20_000
GOOD = json.dumps({"questions": [{"answers": [{"boolean": True}]}]}).encode()
ROWS = json.dumps(
    {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value": "7"}}]}}
).encode()
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
UNSIZED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
BOMB = gzip.compress(b" " * 50_000_000, 1)
RAW_BOMB = zlib.compress(b" " * 50_000_000, 1)[2:-4]
TOO_LARGE, BROKEN, LATE = "larger than", "broke off", "within 0.3 seconds"
NO_HTTP, NO_JSON = "does not speak HTTP", "not valid JSON"


def sized(length: bytes, body: bytes = b"{}") -> Step:
    return reply(body, b"Content-Length: " + length + b"\r\n")


def endless(start: bytes, piece: bytes) -> Step:
    """Send a start, and then a piece as often as the client takes it, 100 MB at most."""
    return lambda client: client.send(start, *[piece * 100] * (1_000_000 // len(piece)))


def chunk(size: bytes, data: bytes = b"{}") -> Step:
    return lambda client: client.send(CHUNKED + size + b"\r\n" + data)


def dripping(start: bytes, piece: bytes = b" ") -> Step:
    def step(client: Client) -> None:
        client.send(start)
        client.drip(piece)

    return step


def redirect_late(client: Client) -> None:
    """Lead to a new address again and again, after a while."""
    client.over.wait(0.1)
    place = re.search(rb"/next/(\d+)", client.request)
    reply(b"", b"Location: /next/%d\r\n" % (int(place[1]) + 1 if place else 1), b"307 Moved")(
        client
    )


#: What a server does, and what the failure says.
HOSTILE: dict[str, tuple[Step, str]] = {
    "length of 100 TB": (sized(b"99999999999999"), TOO_LARGE),
    "length beyond any integer": (sized(b"9" * 4_000), NO_HTTP),
    "length of 5,000 digits": (sized(b"9" * 5_000), NO_HTTP),
    "length a little too long": (sized(b"19000"), BROKEN),
    "length that is negative": (sized(b"-1"), NO_HTTP),
    "length that is no number": (sized(b"many"), NO_HTTP),
    "body without end": (endless(UNSIZED, b"x" * 1_000), TOO_LARGE),
    "chunk of 1 TB": (chunk(b"FFFFFFFFFF"), BROKEN),
    "chunk beyond any integer": (chunk(b"F" * 5_000), NO_HTTP),
    "chunk of minus one byte": (endless(CHUNKED + b"-1\r\n", b"x" * 1_000), NO_HTTP),
    "chunk that is no number": (chunk(b"many"), NO_HTTP),
    "chunks without end": (endless(CHUNKED, b"1\r\nx\r\n"), TOO_LARGE),
    "extension of a chunk without end": (endless(CHUNKED + b"2;", b"x" * 1_000), BROKEN),
    "trailers without end": (endless(CHUNKED + b"2\r\n{}\r\n0\r\n", b"X: y\r\n"), " the "),
    "headers without end": (endless(b"HTTP/1.1 200 OK\r\n", b"X-More: of it\r\n"), NO_HTTP),
    "header line without end": (endless(b"HTTP/1.1 200 OK\r\nX-More: ", b"x" * 1_000), NO_HTTP),
    "status line without end": (endless(b"HTTP/1.1 200 ", b"x" * 1_000), NO_HTTP),
    "Continue for ever": (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), LATE),
    "Continue with headers for ever": (
        endless(b"", b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n"),
        LATE,
    ),
    "number of 10,000 digits for a character": (
        reply(b"<html>&#" + b"9" * 10_000 + b";", status=b"500 Oh"),
        "HTTP 500",
    ),
    "Processing": (
        lambda client: client.send(b"HTTP/1.1 102 Processing\r\n\r\n"),
        "dropped the connection",
    ),
    "no HTTP": (lambda client: client.send(b"220 mail.example ready\r\n"), NO_HTTP),
    "status beyond 999": (lambda client: client.send(b"HTTP/1.1 20000 OK\r\n\r\n"), NO_HTTP),
    "another protocol": (lambda client: client.send(b"HTTP/9.9 200 OK\r\n\r\n"), "HTTP"),
    "bytes": (lambda client: client.send(bytes(range(256)) * 20), NO_HTTP),
    "hangs up": (lambda client: None, "dropped the connection"),
    "hangs up in the headers": (
        lambda client: client.send(b"HTTP/1.1 200 OK\r\nContent-"),
        "answer",
    ),
    "gzip bomb": (reply(BOMB, b"Content-Encoding: gzip\r\n"), TOO_LARGE),
    "gzip bomb in gzip": (
        reply(gzip.compress(BOMB), b"Content-Encoding: gzip, gzip\r\n"),
        TOO_LARGE,
    ),
    "gzip ten times": (reply(BOMB, b"Content-Encoding: " + b"gzip," * 10 + b"\r\n"), "10 times"),
    "deflate bomb": (reply(RAW_BOMB, b"Content-Encoding: deflate\r\n"), TOO_LARGE),
    "many small gzip members": (
        reply(gzip.compress(b" " * 1_000) * 100, b"Content-Encoding: gzip\r\n"),
        TOO_LARGE,
    ),
    "half of a gzip": (reply(gzip.compress(GOOD)[:-9], b"Content-Encoding: gzip\r\n"), BROKEN),
    "damaged gzip": (
        reply(gzip.compress(GOOD)[:20] + b"x" * 20, b"Content-Encoding: gzip\r\n"),
        "damaged",
    ),
    "gzip that is none": (
        reply(GOOD, b"Content-Encoding: gzip\r\n"),
        "says that it is compressed with gzip",
    ),
    "gzip that nobody names": (
        reply(gzip.compress(GOOD)),
        "compressed with gzip, but no Content-Encoding",
    ),
    "zip": (reply(b"PK\x03\x04" + b"\0" * 30), "compressed with zip"),
    "Brotli": (reply(b"\x0b\x02\x80", b"Content-Encoding: br\r\n"), "compressed with Brotli"),
    "Zstandard": (
        reply(b"\x28\xb5\x2f\xfd", b"Content-Encoding: zstd\r\n"),
        "compressed with Zstandard",
    ),
    "bomb on an error page": (reply(BOMB, b"Content-Encoding: gzip\r\n", b"500 Oh"), "HTTP 500"),
    "error page without end": (endless(b"HTTP/1.1 500 Oh\r\n\r\n", b"x" * 1_000), "HTTP 500"),
    "body of a redirect without end": (
        endless(b"HTTP/1.1 302 Oh\r\nLocation: /qa\r\n\r\n", b"x" * 1_000),
        "HTTP 302",
    ),
    "redirect with 100 TB": (
        reply(b"", b"Content-Length: 99999999999999\r\nLocation: /qa\r\n", b"302 Oh"),
        "HTTP 302",
    ),
    "redirects in a circle": (reply(b"", b"Location: /qa\r\n", b"302 Found"), "round in a circle"),
    "stops in the headers": (dripping(b"HTTP/1.1 200 OK\r\nX-More: ", b""), LATE),
    "drips headers": (dripping(b"HTTP/1.1 200 OK\r\nX-More: ", b"x"), LATE),
    "drips a body": (dripping(UNSIZED), LATE),
    "drips chunks": (dripping(CHUNKED, b"1\r\n \r\n"), LATE),
    "drips empty gzip blocks": (
        dripping(UNSIZED.replace(b"Connection", b"Content-Encoding: gzip\r\nA") + BOMB[:10], b""),
        LATE,
    ),
    "drips Continue": (dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), LATE),
    "redirects, each a little late": (redirect_late, LATE),
    "nothing": (reply(b""), "the answer is empty"),
    "white space": (reply(b" \r\n\t"), "the answer is empty"),
    "no content": (reply(b"", status=b"204 No Content"), "the answer is empty"),
    "byte order mark alone": (reply(b"\xef\xbb\xbf"), "the answer is empty"),
    "a page": (reply(b"<!DOCTYPE html><title>Sign in</title>"), "a web page, not JSON: Sign in"),
    "a page that claims to be JSON, after comments": (
        reply(b"<!-- a --><html>Busy"),
        "a web page, not JSON: Busy",
    ),
    "XML": (reply(b'<?xml version="1.0"?><sparql/>'), NO_JSON),
    "NUL bytes": (reply(b"\0\0\0\0\0"), "answer"),
    "NUL bytes in JSON": (reply(b'{"questions": "\0\0"}'), NO_JSON),
    "Latin-1 that claims to be UTF-8": (
        reply(b'{"questions": "\xe9"}', b"Content-Type: a/json; charset=utf-8\r\n"),
        "not UTF-8",
    ),
    "Latin-1 of an unknown name": (
        reply(b'{"questions": "\xe9"}', b"Content-Type: a/json; charset=rot13\r\n"),
        "not UTF-8",
    ),
    "half of UTF-16": (reply(GOOD.decode().encode("utf-16")[:-1]), "not UTF-16"),
    "deep JSON": (reply(b"[" * 10_000), "nested too deeply"),
    "number of 5,000 digits": (reply(b'{"questions": ' + b"9" * 5_000 + b"}"), NO_JSON),
    "JSON and more": (reply(GOOD + GOOD), NO_JSON),
    "half of the JSON": (reply(GOOD[:-5]), NO_JSON),
}


#: One of each kind: all callers of servers share the transport, whose test has them all.
EACH_KIND = list({words: what for what, (_, words) in HOSTILE.items()}.values())


def seconds(words: str) -> float:
    return 0.3 if words == LATE else 10.0


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture
def two(tmp_path: Path) -> QuestionSet:
    texts = {"1": "Who is bad?", "2": "Who is good?"}
    asked = [
        {"id": key, "question": [{"language": "en", "string": text}]} for key, text in texts.items()
    ]
    (tmp_path / "two.json").write_text(json.dumps({"questions": asked}), encoding="utf-8")
    return read_questions(tmp_path / "two.json")


def only_for(word: bytes, step: Step, otherwise: bytes) -> Step:
    """Answer one question badly, and the others well."""
    bad = (word, b"GET /")  # a redirect does not repeat the question
    return lambda client: (
        step(client) if any(one in client.request for one in bad) else reply(otherwise)(client)
    )


# --- systems --------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", HOSTILE)
def test_system_fails_on_one_question_and_the_run_goes_on(
    what: str, two: QuestionSet, tmp_path: Path
) -> None:
    step, words = HOSTILE[what]
    journal = tmp_path / "run.jsonl"
    with HostileServer(only_for(b"bad", step, GOOD)).running() as server:
        services = {
            "1": System(server.url, timeout=seconds(words), retries=0, max_bytes=SIZE),
            "2": System(server.url),
        }
        system = stub("both", lambda name, text: ask_one(services[name], text, name))
        ask_all(two, system, journal)
        asked_again = ask_all(two, system, journal).asked
    first, second = read_journal(journal).responses.values()
    assert (first.status, first.answers) == ("timeout" if words == LATE else "failed", None)
    assert words in first.error
    assert first.error.isprintable()
    assert (second.status, asked_again) == ("answered", 1)


def test_a_bomb_takes_little_memory() -> None:
    import tracemalloc

    with HostileServer(
        reply(gzip.compress(BOMB), b"Content-Encoding: gzip, gzip\r\n")
    ).running() as server:
        tracemalloc.start()
        given = ask_one(System(server.url, retries=0, max_bytes=1_000_000), "Who?", "1")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert given.status == "failed"
    assert peak < 5_000_000


def test_unusual_forms_of_a_good_reply_are_read() -> None:
    for head, body in [
        (b"Content-Encoding: gzip\r\n", gzip.compress(GOOD, mtime=0)),
        (
            b"Content-Encoding: X-GZIP\r\n",
            gzip.compress(GOOD[:9], mtime=0) + gzip.compress(GOOD[9:], mtime=0),
        ),
        (b"Content-Encoding: deflate\r\n", zlib.compress(GOOD)),
        (b"Content-Encoding: deflate\r\n", zlib.compress(GOOD)[2:-4]),
        (
            b"Content-Encoding: deflate\r\nContent-Encoding: gzip\r\n",
            gzip.compress(zlib.compress(GOOD), mtime=0),
        ),
        (b"Content-Encoding: identity\r\n", GOOD),
        (b"Content-Encoding: utf-8\r\n", GOOD),
        (b"Transfer-Encoding: chunked\r\n", b"%x\r\n%b\r\n0\r\n\r\n" % (len(GOOD), GOOD)),
        (b"", b"\xef\xbb\xbf" + GOOD),
        (b"", GOOD.decode().encode("utf-16")),
        (b"", GOOD.decode().encode("utf-16-be")),
        (b"", GOOD.decode().encode("utf-32")),
        (b"Content-Type: text/html\r\n", GOOD),
        (b"Content-Type: text/plain; charset=iso-8859-1\r\n", GOOD),
    ]:
        with HostileServer(reply(body, head)).running() as server:
            given = ask_one(System(server.url, retries=0), "Who?", "1")
        assert (given.status, given.error) == ("answered", "")


def test_charset_of_the_header_counts_where_a_reply_is_not_utf8() -> None:
    answer = {
        "head": {"vars": ["x"]},
        "results": {"bindings": [{"x": {"type": "literal", "value": "Łódź"}}]},
    }
    body = json.dumps({"questions": [{"answers": [answer]}]}, ensure_ascii=False).encode(
        "iso-8859-2"
    )
    with HostileServer(
        reply(body, b"Content-Type: application/json; charset=ISO-8859-2\r\n")
    ).running() as server:
        given = ask_one(System(server.url, retries=0), "Who?", "1")
    assert given.answers is not None and given.answers.values() == ["Łódź"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            b'{"questions": [{"answers": [{"boolean": false}], "answers": [{"boolean": true}]}]}',
            "the key 'answers' is used twice",
        ),
        (
            b'{"questions": [{"confidence": NaN, "answers": [{"boolean": true}]}]}',
            "NaN is not a JSON value",
        ),
    ],
)
def test_what_is_odd_about_the_json_of_a_reply_is_told(body: bytes, told: str) -> None:
    with HostileServer(reply(body)).running() as server:
        given = ask_one(System(server.url, retries=0), "Who?", "1")
    assert given.answers is not None and given.answers.boolean is True
    assert told in given.error


def test_long_error_page_is_shown_from_its_beginning() -> None:
    page = b"<html><h1>Out of credit</h1>" + b"<p>more</p>" * 50_000
    with HostileServer(reply(page, status=b"402 No")).running() as server:
        assert (
            "HTTP 402 Payment Required: Out of credit"
            in ask_one(System(server.url, retries=0), "Who?", "1").error
        )


def test_reply_of_just_the_allowed_size_is_read() -> None:
    for body in (GOOD.ljust(SIZE), GOOD.ljust(SIZE + 1)):
        with HostileServer(reply(body)).running() as server:
            given = ask_one(System(server.url, retries=0, max_bytes=SIZE), "Who?", "1")
        assert given.status == ("answered" if len(body) == SIZE else "failed")


def test_table_that_a_small_reply_claims_is_not_built() -> None:
    rows = [{f"v{number}": {"type": "literal", "value": "1"}} for number in range(20_000)]
    body = json.dumps(
        {"questions": [{"answers": [{"head": {"vars": []}, "results": {"bindings": rows}}]}]}
    ).encode()
    with HostileServer(reply(body)).running() as server:
        given = ask_one(System(server.url, retries=0), "Who?", "1")
    assert given.status == "failed"
    assert "20,000 rows with 20,000 variables" in given.error


# --- endpoints ------------------------------------------------------------------------------------


def gold(name: str, word: str) -> Question:
    return Question(name, {"en": ("Who?",)}, queries={"": f"ASK {{ ?s <http://x.org/{word}> ?o }}"})


@pytest.mark.parametrize("what", EACH_KIND)
def test_gold_query_fails_and_the_others_are_executed(what: str, tmp_path: Path) -> None:
    step, words = HOSTILE[what]
    journal = tmp_path / "gold.jsonl"
    good = reply(b'{"boolean": true}')
    with HostileServer(
        lambda client: (good if b"good" in client.request else step)(client)
    ).running() as server:
        bad = Endpoint(server.url, seconds(words), retries=0, max_bytes=SIZE)
        done = execute_gold([gold("1", "bad")], bad, journal=journal)
        execute_gold([gold("2", "good")], Endpoint(server.url), journal=journal)
    first, second = read_journal(journal).responses.values()
    assert (first.status, second.status) == ("timeout" if words == LATE else "failed", "answered")
    assert done.questions[0].answers is None
    assert first.error.isprintable()
    if words in {TOO_LARGE, LATE, NO_HTTP}:
        assert words in first.error


def test_size_of_all_pages_together_is_limited() -> None:
    row = {"x": {"type": "literal", "value": "y" * 100}}
    page = json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [row] * 10}}).encode()
    count = json.dumps(
        {
            "head": {"vars": ["n"]},
            "results": {"bindings": [{"n": {"type": "literal", "value": "1000000000"}}]},
        }
    ).encode()
    answers = servers.HostileServer(
        lambda client: reply(count if b"COUNT" in client.request else page)(client)
    )
    with (
        answers.running() as server,
        pytest.raises(EndpointError, match=r"larger than 0\.01907 MB; narrow .* `max_bytes`"),
    ):
        Endpoint(server.url, max_bytes=SIZE).select("SELECT ?x { ?s ?p ?x }")
    assert 10 < len(server.requests) < 20


def test_time_for_all_pages_together_is_limited() -> None:
    page = (
        b'{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value":'
        b' "1000000000"}}]}}'
    )
    told = r"within 0\.4 seconds, with all its pages and tries"
    late = HostileServer(lambda client: client.over.wait(0.05) or reply(page)(client))
    with late.running() as server, pytest.raises(EndpointError, match=told):
        Endpoint(server.url, timeout=0.4, longest=0.4).select("SELECT ?x { ?s ?p ?x }")
    assert len(server.requests) < 12


def test_variables_that_a_small_answer_claims_make_no_table() -> None:
    body = json.dumps(
        {"head": {"vars": [f"v{n}" for n in range(10_000)]}, "results": {"bindings": [{}] * 10_000}}
    ).encode()
    with (
        HostileServer(reply(body)).running() as server,
        pytest.raises(EndpointError, match="10,000 rows of 10,000 variables"),
    ):
        Endpoint(server.url).select("SELECT * { ?s ?p ?x }")


def test_rows_that_are_ambiguous_are_an_error() -> None:
    body = b'{"head": {"vars": ["x"]}, "results": {"bindings": []}, "results": {"bindings": [{}]}}'
    with (
        HostileServer(reply(body)).running() as server,
        pytest.raises(EndpointError, match="'results' is used twice"),
    ):
        Endpoint(server.url).select("SELECT ?x { ?s ?p ?x }")


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", EACH_KIND)
def test_file_that_does_not_come_whole_is_not_kept(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path))
    monkeypatch.setattr("qaldgen.questions.fetching._MAX_BYTES", SIZE)
    monkeypatch.setattr("qaldgen.questions.fetching._MAX_SECONDS", 0.3)
    step, _ = HOSTILE[what]
    with HostileServer(step).running() as server, pytest.raises(DataError) as caught:
        fetching.fetch("qald-9-train", base_url=server.url, timeout=0.3, retries=0)
    assert str(caught.value).isprintable()
    assert [
        path.name
        for path in tmp_path.rglob("*")
        if path.is_file() and not path.name.endswith(".part")
    ] == []


def test_host_with_many_dead_addresses_takes_no_longer_than_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def many(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))] * 50

    with socket.create_server(("127.0.0.1", 0), backlog=1) as full:
        port = full.getsockname()[1]
        waiting = [
            socket.socket() for _ in range(8)
        ]  # nobody accepts: further connections get no answer
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        monkeypatch.setattr(socket, "getaddrinfo", many)
        start = monotonic()
        given = ask_one(System(f"http://127.0.0.1:{port}/", timeout=0.5, retries=0), "Who?", "1")
        for one in waiting:
            one.close()
    assert given.status == "timeout"
    assert monotonic() - start < 15  # fifty times the limit would be 25

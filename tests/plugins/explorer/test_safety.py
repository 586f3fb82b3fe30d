"""Nobody but the page reaches the explorer, and what comes in stays within its limits."""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from explored import Place, serving

from qaldgen.plugins.explorer import app as uploads
from qaldgen.plugins.explorer.server import hosts_of, is_loopback
from qaldgen.plugins.explorer.workspace import Workspace

#: Two questions with a feature, as RDF, which need no annotation.
DATA = """@prefix q: <http://qald-gen.aksw.org/vocab#> . @prefix s: <https://schema.org/> .
@prefix lsq: <http://lsq.aksw.org/vocab#> .
<urn:a> s:text "How long is the pier?"@en ; q:charCount 21 ; q:length 5 .
<urn:b> s:text "Who?"@en ; q:charCount 4 ; q:length 1 .
"""
QUERY = "SELECT ?qId ?n { ?qId <http://qald-gen.aksw.org/vocab#length> ?n }"


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace() as made:
        yield made


@pytest.fixture(scope="module")
def place(workspace: Workspace) -> Iterator[Place]:
    with serving(workspace) as made:
        yield made


@pytest.fixture(scope="module")
def data(place: Place) -> str:
    """The id of a data set that came through the browser."""
    status, _, answer = place.ask("/api/upload/data", DATA.encode(), X_File_Name="two.ttl")
    assert status == 200, answer
    return str(json.loads(answer)["id"])


def said(answer: bytes) -> str:
    return str(json.loads(answer)["error"])


# --- who may ask ----------------------------------------------------------------------------------


def test_the_page_may_ask(place: Place) -> None:
    assert place.ask("/api/start")[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "0.0.0.0:{port}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/start", "/page/explorer.css"])
def test_another_host_name_is_refused(place: Place, host: str, path: str) -> None:
    method = "POST" if path.startswith("/api") else "GET"
    # no body: the answer to it would be lost if the server hangs up before it comes
    status, _, answer = place.ask(path, b"", method, Host=host.format(port=place.port))
    assert status in {400, 403}
    assert place.token.encode() not in answer


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "LOCALHOST:{port}"])
def test_our_own_names_are_taken(place: Place, host: str) -> None:
    own = host.format(port=place.port)
    assert place.ask("/api/start", Host=own, Origin=f"http://{own}")[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", ""]
)
@pytest.mark.parametrize("path", ["/api/start", "/api/upload/data"])
def test_a_request_of_another_page_is_refused(place: Place, origin: str, path: str) -> None:
    assert place.ask(path, Origin=origin.format(port=place.port))[0] == 403


@pytest.mark.parametrize("token", ["", "wrong", "the-token-of-the-test", "\xe4"])
def test_without_the_token_nothing_is_told(place: Place, token: str) -> None:
    status, _, answer = place.ask("/api/start", X_Qaldgen_Token=token)
    assert status == 403
    assert "open the address" in said(answer)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=wrong", "/open/", "/open/wrong", "/?", "//"]
)
def test_another_program_on_this_machine_does_not_get_the_page(
    place: Place, path: str, method: str
) -> None:
    # it knows the port, and says what a browser would say
    status, _, answer = place.ask(path, method=method, X_Qaldgen_Token="", Origin="")
    assert status in {403, 404}
    assert place.token.encode() not in answer


def test_the_address_that_is_printed_leads_to_the_page(place: Place) -> None:
    path = "/?" + place.url.partition("?")[2]
    status, _, answer = place.ask(path, method="GET", X_Qaldgen_Token="", Origin="")
    assert status == 200
    assert f'content="{place.token}"'.encode() in answer


def test_nothing_is_changed_by_get(place: Place) -> None:
    assert place.ask("/api/start", method="GET")[0] in {404, 405}


def test_every_answer_has_the_policy(place: Place) -> None:
    for path, method in (
        ("/", "GET"),
        (f"/?token={place.token}", "GET"),
        ("/api/start", "POST"),
        ("/none", "GET"),
        ("/shared/map.js", "GET"),
    ):
        _, headers, _ = place.ask(path, method=method)
        policy = {name.lower(): value for name, value in headers.items()}["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "path",
    ["/page/../app.py", "/page/%2e%2e/app.py", "/page/..%2fapp.py", "/shared/..\\scripts.py",
     "/page/scripts", "/style/report.html.j2", "/etc/passwd", "/page//etc/passwd",
     "/page/scripts/%00.js", "/data/x.js"],
)  # fmt: skip
def test_only_files_of_the_page_are_served(place: Place, path: str) -> None:
    assert place.ask(path, method="GET")[0] == 404


def test_scripts_have_their_licence(place: Place) -> None:
    status, _, text = place.ask("/shared/vendor/LICENSE-d3.txt", method="GET")
    assert status == 200
    assert b"Permission to use" in text


# --- what is sent ---------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(place: Place, body: bytes) -> None:
    assert place.ask("/api/data", body)[0] in {400, 422}


def test_a_large_request_is_refused(place: Place) -> None:
    assert place.ask("/api/data", b'{"x": "' + b"x" * 2**22 + b'"}')[0] == 413


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.ttl", b"<urn:a> <urn:b", "x.ttl"),
        ("x.json", b"{}", "x.json"),
        ("x.bin", b"\x80\x04\x95(cos\nsystem\n(S'touch /tmp/x'\ntR.", "x.bin"),
        ("x.ttl", b"", "is empty"),
        ("x.ttl", b"<urn:a> <urn:b> 1 .", "question"),
    ],
)
def test_a_file_that_is_no_question_set_is_refused(
    place: Place, name: str, content: bytes, words: str
) -> None:
    status, _, answer = place.ask("/api/upload/data", content, X_File_Name=name)
    assert status in {413, 422}
    assert words in said(answer)
    assert "/tmp" not in said(answer).replace("touch /tmp/x", "")


@pytest.mark.parametrize("path", ["/api/upload/data", "/api/upload/run", "/api/data"])
def test_an_upload_that_breaks_off_leaves_nothing(
    place: Place,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    path: str,
) -> None:
    monkeypatch.setattr(logging.getLogger("uvicorn"), "propagate", True)
    before = files_in(workspace)
    with socket.create_connection(("127.0.0.1", place.port)) as browser:
        browser.sendall(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{place.port}\r\n"
            f"Origin: http://127.0.0.1:{place.port}\r\nX-Qaldgen-Token: {place.token}\r\n"
            "Content-Length: 99999\r\n\r\nbeginning".encode()
        )
        if "upload" in path:
            until(lambda: files_in(workspace) != before)
    until(lambda: files_in(workspace) == before)
    assert place.ask("/api/start")[0] == 200
    assert caplog.text == ""


def until(true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come true")


def test_a_full_disk_is_told(
    place: Place, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = files_in(workspace)
    monkeypatch.setattr(Path, "open", fail)
    status, _, answer = place.ask("/api/upload/data", b"x", X_File_Name="big.ttl")
    assert (status, files_in(workspace)) == (413, before)
    assert "big.ttl: cannot be stored" in said(answer) and "No space left" in said(answer)


def test_a_file_that_is_too_large_is_refused_and_gone(
    place: Place, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_UPLOAD_BYTES", 1000)
    before = files_in(workspace)
    status, _, answer = place.ask("/api/upload/data", b"x" * 5000, X_File_Name="big.ttl")
    assert status == 413
    assert "is larger" in said(answer)
    assert files_in(workspace) == before


def files_in(workspace: Workspace) -> list[Path]:
    """Return what is in the folder, empty folders too."""
    scratch = workspace.folder()
    scratch.rmdir()
    # unlike rglob, walk does not mind a folder that is removed meanwhile
    found = os.walk(scratch.parent)
    return [Path(at) / name for at, folders, files in found for name in (*folders, *files)]


def test_commands_do_not_show_where_uploads_are(place: Place, data: str) -> None:
    answer = place.ask("/api/sample", {"data": data, "query": QUERY, "size": 1})[2]
    assert json.loads(answer)["commands"][0].startswith("qaldgen sample two.ttl -q selection.rq")


def test_a_run_is_read_and_its_file_is_gone(place: Place, workspace: Workspace, data: str) -> None:
    before = files_in(workspace)
    place.ask("/api/upload/run", b"id,answer\na,1\n", X_File_Name="run.csv", X_Data=data)
    assert files_in(workspace) == before


def test_all_files_go_when_the_explorer_ends() -> None:
    with Workspace() as workspace:
        folder = workspace.folder()
        (folder / "x").write_text("x")
    assert not folder.exists()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT ?qId ?n { ?qId ?p ?n SERVICE <http://127.0.0.1:1/> { ?s ?q ?o } }", "SERVICE"),
        (
            "SELECT ?qId ?n { ?qId ?p ?n SERVICE SILENT <http://127.0.0.1:1/> { ?s ?q ?o } }",
            "SERVICE",
        ),
        ("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "SELECT"),
        ("INSERT DATA { <urn:x> <urn:y> 1 }", "SELECT"),
        ("SELECT ?qId { ?qId", "parse"),
    ],
)
def test_only_select_without_service_runs(place: Place, data: str, query: str, words: str) -> None:
    status, _, answer = place.ask("/api/pool", {"data": data, "query": query})
    assert status == 422
    assert words in said(answer)


def test_a_query_without_end_is_ended(place: Place, workspace: Workspace, data: str) -> None:
    source = workspace.find_set(data).pool.source
    source.seconds = 0.5
    product = " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(30))
    query = f"SELECT ?qId (COUNT(*) AS ?n) {{ ?qId ?p ?o . {product} }} GROUP BY ?qId"
    status, _, answer = place.ask("/api/pool", {"data": data, "query": query})
    assert status == 422
    assert "more than 0.5 seconds" in said(answer)
    assert place.ask("/api/pool", {"data": data, "query": QUERY})[0] == 200


def test_what_goes_wrong_inside_stays_inside(
    place: Place, data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from qaldgen.plugins.explorer import page_answers

    def fail(*_: Any) -> None:  # noqa: ANN401
        raise RuntimeError("secret path")

    monkeypatch.setitem(page_answers.ANSWERS, "query", fail)
    status, _, answer = place.ask("/api/query", {"data": data})
    assert status == 500
    assert "secret" not in said(answer)
    assert "secret path" in capfd.readouterr().err


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("run.json", "run.json"),
        ("mine%20%C3%A4.jsonl.gz", "mine ä.jsonl.gz"),
        ("..%2F..%2Fx.ttl", "x.ttl"),
        ("..\\x.ttl", "x.ttl"),
        ("%00%0A.ttl", "ttl"),
        ("-rf", "rf"),
        (".bashrc", "bashrc"),
        ("%3Cb%3E.csv", "b-.csv"),
        ("", "file"),
    ],
)
def test_file_names_lead_nowhere(name: str, kept: str) -> None:
    found = uploads.safe_name(name)
    assert found == kept
    assert "/" not in found
    assert "\\" not in found


def test_a_long_name_keeps_its_ending() -> None:
    found = uploads.safe_name("x" * 500 + ".json")
    assert len(found) <= 120
    assert found.endswith(".json")


def test_hosts_are_those_of_the_address() -> None:
    assert hosts_of("::1", 80) == ["[::1]:80", "localhost:80", "[::1]", "localhost"]
    assert is_loopback("127.8.8.8")
    assert not is_loopback("192.168.0.1")
    assert not is_loopback("evil.localhost.example")

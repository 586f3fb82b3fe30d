"""SPARQL servers on the loopback interface for tests.

One that misbehaves on demand, Oxigraph's own, and Virtuoso.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlsplit

from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, RdfFormat, Store

JSON = "application/sparql-results+json"
EX = "http://example.org/"
Step: TypeAlias = Callable[["Handler"], None]


def questions_turtle(count: int = 300, words: int = 1) -> str:
    """Return synthetic questions as Turtle.

    Texts in two languages, typed values, blank nodes, `words` words each.
    """
    lines = [f"@prefix : <{EX}> .", "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."]
    for number in range(count):
        keywords = " , ".join(f'"word {number:04d}-{word:03d}"' for word in range(words))
        lines.append(
            f':q{number} a :Question ; :id "{number}" ; :text "Who wrote book № {number},'
            f' “Żółć”?"@en , "Кто написал книгу {number}?"@ru ; :triples'
            f' "{number % 7}"^^xsd:integer ; :length "{number / 8}"^^xsd:decimal ; :ask'
            f" {'true' if number % 2 else 'false'} ; :answer [ :value {number} ] ; :word"
            f" {keywords} ."
        )
    return "\n".join(lines) + "\n"


def free_port() -> int:
    """Return a port that the operating system gives to nobody else just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


# --- a server that misbehaves -------------------------------------------------------------------


class Seen(NamedTuple):
    """A request as it came; `fields` are the parameters of the URL and of the form."""

    method: str
    query: str
    fields: dict[str, list[str]]
    headers: dict[str, str]


class Handler(BaseHTTPRequestHandler):
    """One request: the query in it, the honest answer, and ways to reply."""

    protocol_version = "HTTP/1.1"
    server: StubServer
    query = ""

    def do_GET(self) -> None:
        self._do("")

    def do_POST(self) -> None:
        self._do(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

    def _do(self, form: str) -> None:
        fields = parse_qs(f"{urlsplit(self.path).query}&{form}", keep_blank_values=True)
        self.query = fields.get("query", [""])[0]
        self.server.requests.append(
            Seen(self.command, self.query, fields, dict(self.headers.items()))
        )
        step = self.server.steps.pop(0) if self.server.steps else self.server.always
        self.close_connection = True
        with contextlib.suppress(ConnectionError):
            step(self)

    def result(self) -> dict[str, Any]:
        """Return the honest answer as SPARQL results in JSON."""
        found = self.server.store.query(self.query)
        assert isinstance(found, QueryBoolean | QuerySolutions)
        result: dict[str, Any] = json.loads(
            found.serialize(format=QueryResultsFormat.JSON) or b"{}"
        )
        return result

    def reply(
        self,
        body: str | bytes,
        status: int = 200,
        kind: str = JSON,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send a whole response."""
        data = body.encode() if isinstance(body, str) else body
        self.head(
            status, {"Content-Type": kind, "Content-Length": str(len(data))} | (headers or {})
        )
        self.wfile.write(data)

    def head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def wait(self, seconds: float) -> bool:
        """Wait, but not beyond the end of the test; say whether that has come."""
        return self.server.released.wait(seconds)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class StubServer(ThreadingHTTPServer):
    """Runs queries on a store.

    `steps` are used up by the first requests, `always` is for the others.
    """

    daemon_threads = True

    def __init__(self, turtle: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.store = Store()
        self.store.load(turtle.encode(), format=RdfFormat.TURTLE)
        self.steps: list[Step] = []
        self.always: Step = honest
        self.requests: list[Seen] = []
        self.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/sparql"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client hangs up."""

    @contextlib.contextmanager
    def running(self) -> Iterator[StubServer]:
        thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self.shutdown()
            self.server_close()
            thread.join(5)


def honest(request: Handler) -> None:
    """Answer as a good server does."""
    try:
        request.reply(json.dumps(request.result()))
    except SyntaxError as error:
        request.reply(str(error), 400, "text/plain")


def is_count(query: str) -> bool:
    return "COUNT(*) AS ?qaldgenRows" in query


def capped(rows: int, header: bool = False, count: bool = True) -> Step:
    """Cut every answer after so many rows; refuse to count if asked to."""

    def step(request: Handler) -> None:
        if is_count(request.query) and not count:
            request.reply("counting is too dear", 403, "text/plain")
            return
        result = request.result()
        bindings = result["results"]["bindings"]
        headers = {"X-SPARQL-MaxRows": str(rows)} if header and len(bindings) >= rows else None
        result["results"]["bindings"] = bindings[:rows]
        request.reply(json.dumps(result), headers=headers)

    return step


def status(
    code: int, text: str = "", kind: str = "text/plain", headers: dict[str, str] | None = None
) -> Step:
    """Answer with an HTTP status."""
    return lambda request: request.reply(text, code, kind, headers)


def body(text: str | bytes, kind: str = JSON, headers: dict[str, str] | None = None) -> Step:
    """Answer 200 with this text."""
    return lambda request: request.reply(text, 200, kind, headers)


def stalled(request: Handler) -> None:
    """Say nothing at all."""
    request.wait(20)


def stalled_midway(request: Handler) -> None:
    """Send half of the answer and no more."""
    data = json.dumps(request.result()).encode()
    request.head(200, {"Content-Type": JSON, "Content-Length": str(len(data))})
    request.wfile.write(data[: len(data) // 2])
    request.wait(20)


def stalled_late(request: Handler) -> None:
    """Send a little after half a second, and then no more."""
    request.head(200, {"Content-Type": JSON, "Content-Length": "100000"})
    request.wait(0.5)
    request.wfile.write(b" ")
    request.wait(20)


def dripped(request: Handler) -> None:
    """Send one byte now and then, for ever."""
    request.head(200, {"Content-Type": JSON, "Content-Length": "100000"})
    for _ in range(1_000):
        request.wfile.write(b" ")
        if request.wait(0.02):
            return


def dripped_head(request: Handler) -> None:
    """Send the headers one byte at a time, for ever."""
    for byte in b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 1_000:
        request.wfile.write(bytes([byte]))
        if request.wait(0.02):
            return


def dropped(request: Handler) -> None:
    """Hang up without a word."""


def truncated(length: bool) -> Step:
    """Send half of the answer and hang up, with or without having said how long it is."""

    def step(request: Handler) -> None:
        data = json.dumps(request.result()).encode()
        request.head(
            200, {"Content-Type": JSON} | ({"Content-Length": str(len(data))} if length else {})
        )
        request.wfile.write(data[: len(data) // 2])

    return step


def truncated_chunk(request: Handler) -> None:
    """Send half of the answer in chunks, and hang up before the last one."""
    data = json.dumps(request.result()).encode()
    half = data[: len(data) // 2]
    request.head(200, {"Content-Type": JSON, "Transfer-Encoding": "chunked"})
    request.wfile.write(f"{len(half):x}\r\n".encode() + half + b"\r\n")


def virtuoso(request: Handler) -> None:
    """Answer in Virtuoso's dialect, where an ASK query gives a table.

    One row with a 1 for yes, none for no.
    """
    result = request.result()
    if "boolean" in result:
        cell = {"type": "typed-literal", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}
        rows = [{"__ASK_RETVAL": cell | {"value": "1"}}] if result["boolean"] else []
        result = {"head": {"link": [], "vars": ["__ASK_RETVAL"]}, "results": {"bindings": rows}}
    for row in result["results"]["bindings"]:
        for cell in row.values():
            if "datatype" in cell:
                cell["type"] = "typed-literal"
                cell["value"] = {"true": "1", "false": "0"}.get(cell["value"], cell["value"])
            if cell["type"] == "bnode":
                cell["value"] = f"nodeID://b{cell['value']}"
    request.reply(json.dumps(result))


def sorted_top(most: int, rows: int) -> Step:
    """Cut answers after `rows`, and refuse to sort for more than `most`, as Virtuoso does."""

    def step(request: Handler) -> None:
        tail = request.query.rpartition("}")[2].split()
        if "ORDER" in tail and int(tail[-1]) + int(tail[-3]) > most:
            said = (
                "Virtuoso 22023 Error SR353: Sorted TOP clause specifies more rows to sort. Only"
                f" {most} are allowed"
            )
            request.reply(said, 500, "text/plain")
            return
        capped(rows)(request)

    return step


def few_keys(most: int, rows: int) -> Step:
    """Cut answers after `rows`, and refuse to sort by more variables than `most`, as Virtuoso."""

    def step(request: Handler) -> None:
        order = request.query.partition("ORDER BY")[2].partition("LIMIT")[0]
        if order.count("?") > most:
            said = "Virtuoso 42000 Error SQ186: Over 20 keys in group by or hash join"
            request.reply(said, 500, "text/plain")
            return
        sorted_top(150, rows)(request)

    return step


def basic(user: str, password: str) -> Step:
    """Answer only those who say who they are."""

    def step(request: Handler) -> None:
        scheme, _, code = request.headers.get("Authorization", "").partition(" ")
        if scheme == "Basic" and b64decode(code).decode() == f"{user}:{password}":
            honest(request)
        else:
            request.reply("go away", 401, "text/plain", {"WWW-Authenticate": 'Basic realm="x"'})

    return step


def digest(user: str) -> Step:
    """Ask for digest credentials, and take any that name the user."""
    challenge = {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"'}

    def step(request: Handler) -> None:
        sent = request.headers.get("Authorization", "")
        if sent.startswith("Digest ") and f'username="{user}"' in sent:
            honest(request)
        else:
            request.reply("", 401, "text/plain", challenge)

    return step


def bearer(token: str) -> Step:
    """Answer only those who have the token."""

    def step(request: Handler) -> None:
        (
            honest(request)
            if request.headers.get("Authorization") == f"Bearer {token}"
            else request.reply("no", 401)
        )

    return step


# --- real servers -------------------------------------------------------------------------------


def program(name: str) -> str | None:
    """Return the path of a program beside Python or on PATH."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


@contextlib.contextmanager
def oxigraph(turtle: str, folder: Path) -> Iterator[str]:
    """Run `oxigraph serve-read-only` over some Turtle; gives the endpoint's URL."""
    command = program("oxigraph")
    assert command
    data, store = folder / "data.ttl", folder / "store"
    data.write_text(turtle, encoding="utf-8")
    subprocess.run(
        [command, "load", "-l", store, "-f", data], check=True, capture_output=True, timeout=60
    )
    port = free_port()
    bind = f"127.0.0.1:{port}"
    with _process(
        [command, "serve-read-only", "-l", str(store), "-b", bind], folder, port, "/", 20
    ):
        yield f"http://{bind}/query"


VIRTUOSO_INI = """\
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/temp.db
TransactionFile = {folder}/temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
DisableUnixSocket = 1
DirsAllowed = {folder}
NumberOfBuffers = 10000
MaxDirtyBuffers = 6000
MaxSortedTopRows = 1000
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = {folder}
MaxClientConnections = 5
[SPARQL]
ResultSetMaxRows = 1000
MaxQueryExecutionTime = 60
"""


@contextlib.contextmanager
def virtuoso_server(turtle: str, folder: Path) -> Iterator[str]:
    """Run Virtuoso over some Turtle; gives the endpoint's URL."""
    command, isql = program("virtuoso-t"), program("isql-vt")
    assert command and isql
    (folder / "data.ttl").write_text(turtle, encoding="utf-8")
    sql, port = free_port(), free_port()
    (folder / "virtuoso.ini").write_text(
        VIRTUOSO_INI.format(folder=folder, sql=sql, http=port), encoding="utf-8"
    )
    start = [command, "+configfile", str(folder / "virtuoso.ini"), "+foreground", "+wait"]
    with _process(start, folder, port, "/sparql", 90):
        load = f"DB.DBA.TTLP(file_to_string_output('{folder}/data.ttl'), '', '{EX}graph', 0);"
        done = subprocess.run(
            [isql, f"127.0.0.1:{sql}", "dba", "dba", f"exec={load}"],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0 and "Error" not in done.stdout + done.stderr, (
            done.stdout + done.stderr
        )
        yield f"http://127.0.0.1:{port}/sparql"


@contextlib.contextmanager
def _process(
    command: list[str], folder: Path, port: int, path: str, seconds: float
) -> Iterator[None]:
    """Run a server until the block ends; wait until it answers HTTP on its port."""
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder
        )
        try:
            _await_http(process, port, path, seconds, folder / "server.log")
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


def _await_http(
    process: subprocess.Popen[bytes], port: int, path: str, seconds: float, log: Path
) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
        else:
            return
        finally:
            connection.close()
    raise RuntimeError(
        f"the server did not start within {seconds:g} s: {log.read_text(errors='replace')[-2000:]}"
    )

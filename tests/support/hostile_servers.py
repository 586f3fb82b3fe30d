"""Servers on the loopback interface that answer with any bytes at all.

Echoes of the request, lies, floods, drips.
"""

from __future__ import annotations

import base64
import contextlib
import html
import json
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import TypeAlias
from urllib.parse import quote


class Client:
    """One connection: the request as it came, and ways to answer.

    After the end of the test nothing is sent.
    """

    def __init__(self, connection: socket.socket, over: threading.Event) -> None:
        self.connection, self.over = connection, over
        self.request = self._read()

    def _read(self) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        while length and len(body) < int(length[1]):
            body += self._more()
        return head + b"\r\n\r\n" + body

    def _more(self) -> bytes:
        came = self.connection.recv(65_536)
        if not came:
            raise ConnectionError
        return came

    def send(self, *pieces: bytes, times: int = 1) -> None:
        for _ in range(times):
            for piece in pieces:
                if self.over.is_set():
                    return
                self.connection.sendall(piece)

    def drip(self, piece: bytes, seconds: float = 0.01) -> None:
        """Send a piece again and again, until the client hangs up."""
        while not self.over.wait(seconds):
            self.connection.sendall(piece)


Step: TypeAlias = Callable[[Client], object]


class HostileServer:
    """Answers every request with `step`, and counts them; a context encrypts."""

    def __init__(self, step: Step, encryption: ssl.SSLContext | None = None) -> None:
        self.step, self.requests, self._encryption = step, list[bytes](), encryption
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/qa"

    @contextlib.contextmanager
    def running(self) -> Iterator[HostileServer]:
        thread = threading.Thread(target=self._serve, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            thread.join(5)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            if self._encryption is not None:
                connection = self._encryption.wrap_socket(connection, server_side=True)
        with connection, contextlib.suppress(OSError):
            client = Client(connection, self._over)
            self.requests.append(client.request)
            self.step(client)


def reply(body: bytes, head: bytes = b"", status: bytes = b"200 OK") -> Step:
    """Answer with a status, any headers (each with its line end) and a body, and hang up."""
    length = (
        b""
        if b"content-length" in head.lower() or b"transfer" in head.lower()
        else b"Content-Length: %d\r\n" % len(body)
    )
    kind = b"" if b"content-type" in head.lower() else b"Content-Type: application/json\r\n"
    return lambda client: client.send(
        b"HTTP/1.1 " + status + b"\r\n" + kind + length + head + b"\r\n" + body
    )


# --- echoes -------------------------------------------------------------------------------------


def credentials_in(request: bytes) -> bytes:
    """Return what a careless server would show of a request.

    Its target and its Authorization, on one line.
    """
    target = request.split(b" ", 2)[1]
    header = re.search(rb"(?i)authorization: ([^\r\n]*)", request)
    return target + b" Authorization: " + (header[1] if header else b"")


def _unicode_escapes(data: bytes) -> bytes:
    """Escape what some writers of JSON do: all but letters and digits."""
    return re.sub(
        "[^A-Za-z0-9]", lambda sign: f"\\u{ord(sign[0]):04X}", data.decode("latin-1")
    ).encode()


#: Ways to write what is echoed.
WRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "percent-encoded": lambda data: re.sub(
        "%..", lambda code: code[0].lower(), quote(data, safe="")
    ).encode(),
    "base64 after a prefix": lambda data: base64.urlsafe_b64encode(b"x" + data),
    "HTML-escaped": lambda data: html.escape(data.decode("latin-1")).encode(),
    "JSON-escaped": _unicode_escapes,
}
Place: TypeAlias = Callable[[bytes], Step]


def _qald(text: bytes) -> bytes:
    cell = {"type": "literal", "value": text.decode("latin-1")}
    results = {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": cell}]}}
    return json.dumps({"questions": [{"id": "1", "answers": [results]}]}).encode()


def _sparql(text: bytes) -> bytes:
    cell = {"type": "literal", "value": text.decode("latin-1")}
    return json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": cell}]}}).encode()


#: Places of a response that an echo may be in.
PLACES: dict[str, Place] = {
    "answer of a system": lambda text: reply(_qald(text)),
    "query of a system": lambda text: reply(
        json.dumps({"questions": [{"query": {"sparql": text.decode("latin-1")}}]}).encode()
    ),
    "key of the reply": lambda text: reply(
        json.dumps({"questions": [{"answers": [{text.decode("latin-1"): 1}]}]}).encode()
    ),
    "row of an endpoint": lambda text: reply(_sparql(text)),
    "name of a variable": lambda text: reply(
        json.dumps({"head": {"vars": [text.decode("latin-1")] * 2}}).encode()
    ),
    "no JSON": lambda text: reply(b'{"you sent": ' + text),
    "page instead of JSON": lambda text: reply(
        b"<html><body>Hello " + text, b"Content-Type: text/html\r\n"
    ),
    "error page": lambda text: reply(
        b"<html><body><h1>" + text + b"</h1></body></html>", status=b"500 Oh"
    ),
    "error in plain text": lambda text: reply(
        b"who is " + text, b"Content-Type: text/plain\r\n", b"401 Unauthorized"
    ),
    "error in JSON": lambda text: reply(
        json.dumps({"error": {"headers": text.decode("latin-1")}}).encode(), status=b"400 Bad"
    ),
    "status line": lambda text: reply(b"", status=b"500 " + text),
    "end of a long error page": lambda text: reply(
        b"<i></i>" * 2_000 + text * 40, status=b"500 Oh"
    ),
    "broken status line": lambda text: lambda client: client.send(text + b"\r\n\r\n"),
    "status that is no number": lambda text: (
        lambda client: client.send(b"HTTP/1.1 " + text + b"\r\n\r\n")
    ),
    "header without a name": lambda text: reply(b"{}", text + b"\r\n"),
    "Content-Type": lambda text: reply(b"?", b"Content-Type: " + text + b"\r\n"),
    "charset": lambda text: reply(b"\xe9", b"Content-Type: text/plain; charset=" + text + b"\r\n"),
    "Content-Encoding": lambda text: reply(b"?", b"Content-Encoding: " + text + b"\r\n"),
    "challenge": lambda text: reply(
        b"", b"WWW-Authenticate: " + text + b"\r\n", b"401 Unauthorized"
    ),
    "size of a chunk": lambda text: reply(text + b"\r\n", b"Transfer-Encoding: chunked\r\n"),
    "redirect to nowhere": lambda text: reply(
        b"", b"Location: ftp://x/" + text + b"\r\n", b"302 Found"
    ),
    "redirect to a bad host": lambda text: reply(
        b"", b"Location: http://me:" + text + b"@[/\r\n", b"302 Found"
    ),
    "redirect to a closed port": lambda text: reply(
        b"", b"Location: http://127.0.0.1:1/" + text + b"\r\n", b"307 Moved"
    ),
}


def echo(place: str, written: str = "as it is") -> Step:
    """Answer with the request's secret, written in some way, in some place of the response."""

    def step(client: Client) -> None:
        PLACES[place](WRITTEN[written](credentials_in(client.request)))(client)

    return step

"""Loopback servers that answer as a function says, keep connections alive, and count requests."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlsplit


class Seen(NamedTuple):
    """A request."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.body)

    @property
    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


#: What is answered: a body, or status, headers and body.
Answer: TypeAlias = "object | tuple[int, dict[str, str], object]"


class LiveServer:
    """Answers each request by a function."""

    def __init__(self, answer: Callable[[Seen], Answer]) -> None:
        self.requests: list[Seen] = []
        self.at_once, self.most_at_once = 0, 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                parts = urlsplit(self.path)
                query = {
                    name: values[0]
                    for name, values in parse_qs(parts.query, keep_blank_values=True).items()
                }
                seen = Seen(self.command, parts.path, query, dict(self.headers.items()), body)
                with outer._lock:
                    outer.requests.append(seen)
                    outer.at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer.at_once)
                try:
                    self._reply(answer(seen))
                finally:
                    with outer._lock:
                        outer.at_once -= 1

            do_GET = do_PUT = do_HEAD = do_POST  # noqa: N815 - the names that http.server looks for

            def _reply(self, said: Answer) -> None:
                status, headers, body = said if isinstance(said, tuple) else (200, {}, said)
                data = (
                    body
                    if isinstance(body, bytes)
                    else body.encode()
                    if isinstance(body, str)
                    else json.dumps(body).encode()
                )
                self.send_response(status)
                for name, value in {
                    "Content-Length": str(len(data)),
                    "Content-Type": "application/json",
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 256

            def handle_error(self, request: object, client_address: object) -> None:
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextlib.contextmanager
    def running(self) -> Iterator[LiveServer]:
        thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()


def chat(text: str | None, **more: object) -> dict[str, object]:
    """Return a completion."""
    usage = {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "tiny-1",
        "choices": [choice],
        "usage": usage,
        **more,
    }


def yes() -> dict[str, object]:
    """Return QALD JSON that says yes."""
    return {"questions": [{"answers": [{"head": {}, "boolean": True}]}]}

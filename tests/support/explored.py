"""Data sets and runs to explore, and the explorer itself, served on loopback."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.plugins.explorer.app import make_app
from qaldgen.plugins.explorer.server import hosts_of
from qaldgen.plugins.explorer.workspace import Workspace

#: Questions of the set; every fourth asks how many.
QUESTIONS = 160
HOSTILE = '<img src=x onerror="window.ran = 1">"\'</script>'


def is_count(number: int) -> bool:
    return number % 4 == 0


def text_of(number: int) -> str:
    if number == 3:
        return f"Who painted {HOSTILE}?"
    asked = "How many" if is_count(number) else "Which of the"
    more = " ".join(("old", "grey", "quiet", "small")[: number * 7 % 5])
    return f"{asked} towers stand beside the {more} mill of Norden{number}?"


def write_questions(folder: Path, name: str = "harbours.csv") -> Path:
    """Write a question set: which tower, and how many gates."""
    rows = [f"{n},{_cell(text_of(n))},{n if is_count(n) else f'Tower {n}'}" for n in _numbers()]
    path = folder / name
    path.write_text("\n".join(["id,question,answer", *rows]) + "\n", encoding="utf-8")
    return path


def write_run(folder: Path, name: str, *, weak: bool) -> Path:
    """Write the answers of a system; a weak one is wrong where it has to count."""
    rows = []
    for n in _numbers():
        right = n % 7 != 0 and not (weak and is_count(n))
        gold = str(n) if is_count(n) else f"Tower {n}"
        rows.append(f"{n},{gold if right else 'nothing'}")
    path = folder / name
    path.write_text("\n".join(["id,answer", *rows]) + "\n", encoding="utf-8")
    return path


def _numbers() -> range:
    return range(1, QUESTIONS + 1)


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


class Place(NamedTuple):
    """Where an explorer listens, and what its page knows."""

    port: int
    token: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def ask(
        self, path: str, body: Mapping[str, Any] | bytes = {}, method: str = "POST", **changed: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request as the page does, but for some headers; an empty one is not sent."""
        own = f"127.0.0.1:{self.port}"
        headers = {"Host": own, "Origin": f"http://{own}", "X-Qaldgen-Token": self.token}
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value:
                connection.putheader(name, value)
        if method == "POST":
            connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content if method == "POST" else None)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found


@contextmanager
def serving(workspace: Workspace) -> Iterator[Place]:
    """Serve an explorer in this process; the context ends it."""
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    place = Place(listener.getsockname()[1], "the-token-of-the-tests")
    app = make_app(workspace, hosts_of("127.0.0.1", place.port), place.token)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield place
    finally:
        server.should_exit = True
        thread.join()
        listener.close()

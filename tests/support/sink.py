"""A socket that accepts connections and counts them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ANSWER = b'{"head": {"vars": []}, "results": {"bindings": []}}'


class Sink:
    """A loopback server that answers everything with an empty SPARQL result and counts requests."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/sparql"
        self.connections = 0
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                connection.recv(65_536)
                head = (
                    "HTTP/1.1 200 OK\r\nContent-Type:"
                    f" application/sparql-results+json\r\nContent-Length: {len(_ANSWER)}\r\n\r\n"
                )
                connection.sendall(head.encode() + _ANSWER)

    def close(self) -> None:
        """Stop listening."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@contextmanager
def listening() -> Iterator[Sink]:
    """Open a sink."""
    sink = Sink()
    try:
        yield sink
    finally:
        sink.close()

"""Run the explorer's server until it is interrupted."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

from qaldgen.errors import DataError, UsageError

if TYPE_CHECKING:
    from qaldgen.plugins.explorer.workspace import Workspace


def check_installed() -> None:
    """Refuse to start without the packages of the extra ``web``."""
    try:
        import starlette
        import uvicorn
    except ImportError as error:
        raise UsageError(
            f"the explorer needs the package {error.name}, which is not installed: "
            "pip install 'qaldgen[web]'"
        ) from error
    del starlette, uvicorn


def is_loopback(host: str) -> bool:
    """Return whether a host can be reached only from this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def can_show_pages() -> bool:
    """Return whether there is a desktop on which a browser can open."""
    if sys.platform in {"win32", "darwin"}:
        return sys.stderr is not None and sys.stderr.isatty()
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(screen) and sys.stderr is not None and sys.stderr.isatty()


def serve(
    workspace: Workspace,
    listener: socket.socket,
    *,
    host: str = "127.0.0.1",
    open_browser: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the explorer until it is interrupted, also while its data are still read."""
    import uvicorn

    from qaldgen.plugins.explorer.app import make_app

    port = listener.getsockname()[1]
    address = f"http://{_url_host(host)}:{port}/"
    token = secrets.token_urlsafe(24)
    one_time_token = secrets.token_urlsafe(24)
    app = make_app(workspace, hosts_of(host, port), token, one_time_token)
    settings = uvicorn.Config(
        app, log_level="error", access_log=False, lifespan="off", timeout_graceful_shutdown=2
    )
    server = uvicorn.Server(settings)

    def end_if_refused(reading: Future[None]) -> None:
        if reading.exception() is not None:
            server.should_exit = True

    say(f"{address}?token={token}")
    # everybody on this machine can read the command line of a browser
    if open_browser:
        webbrowser.open(f"{address}open/{one_time_token}")
    workspace.reading.add_done_callback(end_if_refused)
    with suppress(KeyboardInterrupt):  # Ctrl-C stops it
        server.run(sockets=[listener])
    if workspace.reading.done():
        workspace.reading.result()  # raises the error if reading failed


def hosts_of(host: str, port: int) -> list[str]:
    """Return the host names, with port, by which browsers may address a server.

    >>> hosts_of("127.0.0.1", 8000)
    ['127.0.0.1:8000', 'localhost:8000']
    """
    names = [_url_host(host)]
    if is_loopback(host):
        names += ["localhost"]
    elif host in {"0.0.0.0", "::"}:
        names += ["localhost", "127.0.0.1", socket.gethostname()]
        with suppress(OSError):  # this machine's addresses in its network
            names += socket.gethostbyname_ex(socket.gethostname())[2]
    names = list(dict.fromkeys(names))
    with_port = [f"{name}:{port}" for name in names]
    if port != 80:
        return with_port
    return with_port + names


def _url_host(host: str) -> str:
    """Return a host for a URL, with brackets around an IPv6 address."""
    if ":" in host:
        return f"[{host}]"
    return host


def open_listener(host: str, port: int) -> socket.socket:
    """Return a listening socket; connections wait until the data have been read."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(64)
    except OSError as error:
        listener.close()
        reason = error.strerror or error
        raise DataError(f"{host}:{port}: cannot listen there ({reason}); try `port=0`") from error
    listener.set_inheritable(True)
    return listener

"""What is said when a connection cannot be encrypted: the cause, and what to do."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from hostile_servers import HostileServer, reply
from live_servers import LiveServer

from qaldgen.errors import EndpointError
from qaldgen.io.web.failure import tls_problem
from qaldgen.stores.endpoint import Endpoint

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the keys")


def certificate(folder: Path, *, days: int = 9) -> ssl.SSLContext:
    """Make a self-signed certificate for localhost, and return the context of its server."""
    key, request, made = (folder / name for name in ("key.pem", "request.pem", "made.pem"))
    for words in (
        ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-out", request],
        ["x509", "-req", "-in", request, "-signkey", key, "-days", days, "-copy_extensions",
         "copy", "-out", made],
    ):  # fmt: skip
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return context


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> None:
    """Let two sides meet in memory; raises what the client has against the server."""
    here, there = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(here, there, server_hostname=name)
    theirs = server.wrap_bio(there, here, server_side=True)
    for side in (ours, theirs, ours):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue


@pytest.mark.parametrize(
    ("trusted", "days", "name", "said"),
    [
        (False, 9, "localhost", "is self-signed; if you trust it"),
        (True, -1, "localhost", "has expired"),
        (True, 9, "other.example", "is for another host"),
        (True, 9, "127.0.0.1", "is for another host"),
    ],
)
def test_the_problem_of_a_certificate_is_named(
    tmp_path: Path, trusted: bool, days: int, name: str, said: str
) -> None:
    server, client = certificate(tmp_path, days=days), ssl.create_default_context()
    if trusted:
        client.load_verify_locations(tmp_path / "made.pem")
    with pytest.raises(ssl.SSLError) as caught:
        handshake(server, client, name)
    assert tls_problem(caught.value).startswith(f"the certificate of the server {said}")


def test_a_self_signed_certificate_is_not_a_wrong_address(tmp_path: Path) -> None:
    with HostileServer(reply(b"{}"), certificate(tmp_path)).running() as server:
        with pytest.raises(EndpointError) as caught:
            Endpoint(f"https://127.0.0.1:{server.port}/sparql", retries=0).ask("ASK {}")
        with pytest.raises(EndpointError, match="expect https") as plain:
            Endpoint(f"http://127.0.0.1:{server.port}/sparql", retries=0).ask("ASK {}")
    assert "self-signed" in str(caught.value) and "SSL_CERT_FILE" in str(caught.value)
    assert "address" not in str(caught.value) + str(plain.value)


def test_http_at_an_address_with_https_is_named() -> None:
    with LiveServer(lambda _: "{}").running() as server, pytest.raises(EndpointError) as caught:
        Endpoint(server.url.replace("http:", "https:"), retries=0).ask("ASK {}")
    assert "does not encrypt at this port; write http://" in str(caught.value)

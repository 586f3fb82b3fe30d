"""The exception for all that goes wrong between us and a server; it contains no secrets."""

from __future__ import annotations

import asyncio
import http.client
import re
import socket
import ssl
from email.message import Message
from email.utils import mktime_tz, parsedate_tz
from enum import Enum
from time import time

from qaldgen.io.text import one_line
from qaldgen.io.web.access import Secrets
from qaldgen.io.web.page_text import is_page, without_markup

_MAX_CHARS = 2**14
_TRUST = "if you trust it, name a PEM file with it in the variable SSL_CERT_FILE"
#: What is wrong with a certificate, and what to do, by OpenSSL's number.
_CERTIFICATES = {
    9: "is not valid yet; check the clock of this machine",
    10: "has expired; whoever runs the server has to renew it",
    18: f"is self-signed; {_TRUST}",
    19: f"is signed by an authority that this machine does not know; {_TRUST}",
    62: "is for another host; use the name that it is for",
}
_CERTIFICATES |= {20: _CERTIFICATES[19], 21: _CERTIFICATES[19], 64: _CERTIFICATES[62]}
#: OpenSSL's reasons if the server does not answer with TLS.
_NO_TLS = {
    "WRONG_VERSION_NUMBER",
    "RECORD_LAYER_FAILURE",
    "PACKET_LENGTH_TOO_LONG",
    "HTTP_REQUEST",
}


class FailureKind(Enum):
    """What kind of failure it is."""

    TIMEOUT = "the time ran out"
    REFUSED = "nobody listens at the port"
    NO_HOST = "the host is unknown"
    NETWORK = "there is no connection"
    BROKEN = "the connection broke off"
    PROTOCOL = "the server does not speak HTTP"
    STATUS = "the server answered with an error"
    SIZE = "the answer is too large"
    CONTENT = "the answer cannot be read"


#: The parameter that raises the limit, if a limit of the user was exceeded.
ALLOWS_MORE = {
    FailureKind.TIMEOUT: "`timeout` allows more",
    FailureKind.SIZE: "`max_bytes` allows more",
}


class Failure(Exception):
    """There is no usable reply.

    Exceptions of the HTTP library are not chained to it: their messages, and so tracebacks, repeat
    what the server said.
    """

    def __init__(
        self,
        kind: FailureKind,
        reason: str,
        *,
        status: int = 0,
        explanation: str = "",
        page: str = "",
        wait: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.status = status
        self.explanation = explanation
        self.page = page
        self.wait = wait
        self.tries = 1


def timed_out(seconds: float, extent: str = "") -> Failure:
    """Return the failure for an answer that was not complete in time."""
    return Failure(FailureKind.TIMEOUT, f"no complete answer within {seconds:g} seconds{extent}")


def too_large(size: int) -> Failure:
    """Return the failure for an answer of more bytes than are allowed."""
    return Failure(FailureKind.SIZE, f"the answer is larger than {size / 2**20:,.4g} MB")


def tls_problem(error: object) -> str:
    """Return what is wrong with the encryption of a connection, and what to do; else empty."""
    if isinstance(error, ssl.SSLCertVerificationError):
        problem = _CERTIFICATES.get(error.verify_code) or f"is refused ({error.verify_message})"
        return f"the certificate of the server {problem}"
    if isinstance(error, ssl.SSLError) and error.reason in _NO_TLS:
        return "the server does not encrypt at this port; write http:// or name another port"
    return ""


def connection_failure(
    error: BaseException, seconds: float, secrets: Secrets, *, encrypted: bool
) -> Failure:
    """Return the failure for an error of the connection: no reply, or an incomplete one."""
    import aiohttp

    if isinstance(error, MemoryError):
        return Failure(FailureKind.SIZE, "the answer does not fit into memory")
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        return timed_out(seconds)

    # the text of a ClientResponseError contains the URL, which may have secrets; its message not
    text = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    summary = one_line(secrets.mask(_cut(text))) or type(error).__name__
    cause = getattr(error, "os_error", error)  # if aiohttp could not connect

    if isinstance(cause, ConnectionRefusedError):
        return Failure(
            FailureKind.REFUSED, "connection refused; is the server running, and is this its port?"
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError) or isinstance(cause, socket.gaierror):
        return Failure(
            FailureKind.NO_HOST, "the host is unknown; check the address and the network"
        )

    if isinstance(error, aiohttp.ClientPayloadError):
        says_more = type(error.__cause__).__name__ == "TransferEncodingError"
        detail = f" ({summary})" if says_more else ""
        return Failure(
            FailureKind.BROKEN, f"the connection broke off before the answer was complete{detail}"
        )

    if isinstance(error, aiohttp.ClientConnectorSSLError | aiohttp.ClientConnectorCertificateError):
        problem = tls_problem(getattr(error, "certificate_error", cause))
        reason = problem or f"{summary}; check scheme and port"
        return Failure(FailureKind.NETWORK, f"no connection: {reason}")

    message = getattr(error, "message", None)
    if isinstance(error, aiohttp.ServerDisconnectedError) and not isinstance(message, str | None):
        return Failure(
            FailureKind.BROKEN, "the server dropped the connection before its answer was complete"
        )

    drops = aiohttp.ServerDisconnectedError | ConnectionError | ssl.SSLEOFError
    is_lost = isinstance(error, aiohttp.ClientOSError)
    is_lost = is_lost and not isinstance(error, aiohttp.ClientConnectorError)
    if is_lost or isinstance(error, drops) or isinstance(cause, drops):
        hint = "" if encrypted else " (does it expect https?)"
        return Failure(FailureKind.BROKEN, f"the server dropped the connection{hint}")

    if isinstance(cause, OSError):
        return Failure(
            FailureKind.NETWORK, f"no connection ({summary}); check the address and the network"
        )
    return Failure(
        FailureKind.PROTOCOL, f"the server does not speak HTTP ({summary}); check scheme and port"
    )


def status_failure(status: int, headers: Message, page: str, secrets: Secrets) -> Failure:
    """Return the failure for a status that is not a success.

    Its message is the first paragraph of the page, as plain text without our credentials.
    """
    start = _cut(page)
    text = without_markup(start) if is_page(start) else start
    text = secrets.mask(text).strip()
    message = one_line(re.split(r"\r?\n[ \t]*\r?\n", text, maxsplit=1)[0])

    name = f"HTTP {status} {http.client.responses.get(status, '')}".rstrip()
    if 300 <= status < 400:
        reason = (
            f"{name}. The redirect leads nowhere: to no http or https address, or round in a"
            " circle. Give the final address"
        )
    else:
        reason = name if message in name else f"{name}: {message}"

    return Failure(
        FailureKind.STATUS,
        reason,
        status=status,
        explanation=message,
        page=secrets.mask(start),
        wait=_retry_after(headers.get("Retry-After")),
    )


def _cut(text: str) -> str:
    """Cut a long text between words, since a part of a secret would not be recognised."""
    if len(text) <= _MAX_CHARS:
        return text
    start = text[:_MAX_CHARS]
    return start[: max(start.rfind(separator) for separator in " \n\t<>") + 1]


def _retry_after(value: str | None) -> float | None:
    """Return the seconds a Retry-After header asks for: a number, or a date."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value)
    date = parsedate_tz(value)
    try:
        return None if date is None else max(0.0, mktime_tz(date) - time())
    except (ValueError, OverflowError):
        return None

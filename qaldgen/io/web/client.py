"""The one HTTP client, on aiohttp: requests and replies, within limits on time and size.

It decides which host may see credentials.
"""

from __future__ import annotations

import asyncio
import urllib.request
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from email.message import Message
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple, TypedDict
from urllib.parse import unquote, urlencode, urljoin, urlsplit

from qaldgen import __version__
from qaldgen.io import concurrency
from qaldgen.io.web.access import Access, proxy_parts
from qaldgen.io.web.body import Unpacker
from qaldgen.io.web.failure import Failure, failure_of, refusal, too_large

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession


#: The largest answer of a question answering system, and of anything else, unless told otherwise.
SMALL = 2**24
LARGE = 2**28

#: Seconds; the longest time that an event loop can wait for is not much longer.
MAX_TIMEOUT = 1e6
#: How many connections in a row may turn out to be closed.
_MAX_STALE = 3
_MAX_PAGE_BYTES = 2**16
_MAX_REDIRECTS = 10


class Request(NamedTuple):
    """A request."""

    url: str  # the address, without credentials
    body: bytes | None = None  # sent by POST; None is a GET
    #: Headers of this request. Authorization and User-Agent are added when it is sent.
    headers: Mapping[str, str] = {}


class Limits(NamedTuple):
    """The limits of an answer."""

    seconds: float  # for all of it, redirects included, from the connection to the last byte
    size: int = LARGE  # bytes, as received and unpacked
    stall: float = MAX_TIMEOUT  # the longest wait for the next bytes, in seconds


class Reply(NamedTuple):
    """A complete answer."""

    body: bytes  # the unpacked bytes
    headers: Message  # the headers


def with_parameters(url: str, parameters: Sequence[tuple[str, str]]) -> str:
    """Return a URL with parameters.

    A lone surrogate, which UTF-8 cannot encode, becomes a question mark.

    >>> with_parameters("http://x.org/qa", [("question", "Who & why?")])
    'http://x.org/qa?question=Who+%26+why%3F'
    """
    if not parameters:
        return url
    return f"{url}?{urlencode(parameters, errors='replace')}"


_sessions: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[bool, ClientSession]] = (
    weakref.WeakKeyDictionary()
)


class _Proxy(TypedDict):
    proxy: str | None
    proxy_headers: dict[str, str] | None


async def open_answer(request: Request, access: Access, limits: Limits) -> ClientResponse:
    """Send a request, and return the answer when its headers are there.

    A server may close a kept-alive connection at the moment in which it is used again. As curl
    does, we then send the request again: this does not count as a failed try.
    """
    from aiohttp import ClientOSError, ServerDisconnectedError

    for _ in range(_MAX_STALE):
        used = SimpleNamespace(again=False)
        try:
            return await _open_once(request, access, limits, used)
        except (ClientOSError, ServerDisconnectedError) as error:
            if not used.again or not isinstance(getattr(error, "message", ""), str | None):
                raise
    return await _open_once(request, access, limits, SimpleNamespace())


async def _open_once(
    request: Request, access: Access, limits: Limits, used: SimpleNamespace
) -> ClientResponse:
    from aiohttp import ClientTimeout, DigestAuthMiddleware
    from yarl import URL

    ours = _may_take_credentials(access.address.url, request.url)
    headers = {"User-Agent": f"qaldgen/{__version__}", **request.headers}
    if ours:
        headers.update(access.headers)
    if ours and access.authorization:
        headers["Authorization"] = access.authorization
    middlewares: tuple[DigestAuthMiddleware, ...] = ()
    if ours and access.digest:
        user, password = access.digest
        middlewares = (DigestAuthMiddleware(user, password),)
    method = "GET" if request.body is None else "POST"
    # For digest authentication without keep-alive: a server may close the connection after its
    # challenge.
    return await _session(keep=not middlewares).request(
        method,
        URL(request.url, encoded=True),
        data=request.body,
        headers=headers,
        allow_redirects=False,
        timeout=ClientTimeout(total=None, sock_read=min(limits.stall, MAX_TIMEOUT)),
        **_proxy(request.url),
        trace_request_ctx=used,
        middlewares=middlewares,
    )


def _session(*, keep: bool) -> ClientSession:
    """Return the session of the running loop, with or without kept-alive connections."""
    from aiohttp import ClientSession, DummyCookieJar, TCPConnector, TraceConfig

    async def note(_session: object, context: SimpleNamespace, _what: object) -> None:
        context.trace_request_ctx.again = True

    sessions = _sessions.setdefault(asyncio.get_running_loop(), {})
    if keep not in sessions:
        # No limit on connections, as callers limit their requests; .netrc is not read, and bodies
        # are unpacked by ourselves, within limits.
        traces = TraceConfig()
        traces.on_connection_reuseconn.append(note)
        if not sessions:
            concurrency.at_exit(_close)
        sessions[keep] = ClientSession(
            connector=TCPConnector(limit=0, ttl_dns_cache=300, force_close=not keep),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            trace_configs=[traces],
        )
    return sessions[keep]


async def _close() -> None:
    """Close the kept-alive connections."""
    for session in _sessions.pop(asyncio.get_running_loop(), {}).values():
        await session.close()


def _proxy(url: str) -> _Proxy:
    """Return the proxy that the environment names for a URL, and its credentials."""
    from aiohttp import encode_basic_auth

    parts = urlsplit(url)
    address = urllib.request.getproxies().get(parts.scheme, "")
    if not address or urllib.request.proxy_bypass(parts.netloc):
        return {"proxy": None, "proxy_headers": None}
    proxy = proxy_parts(address)
    user = unquote(proxy.username or "")
    password = unquote(proxy.password or "")
    host = proxy.netloc.rpartition("@")[2]
    url = proxy._replace(netloc=host).geturl()
    if not user and not password:
        return {"proxy": url, "proxy_headers": None}
    code = encode_basic_auth(user, password, "utf-8")
    return {"proxy": url, "proxy_headers": {"Authorization": code}}


def _may_take_credentials(old: str, new: str) -> bool:
    """Return whether a redirect stays on its server: same scheme, host and port, or https for http.

    >>> _may_take_credentials("http://example.org/sparql", "https://example.org/query")
    True
    >>> _may_take_credentials("https://example.org/sparql", "http://example.org/sparql")
    False
    """
    before = urlsplit(old)
    after = urlsplit(new)
    if (before.scheme, after.scheme) == ("http", "https"):
        return before.hostname == after.hostname
    old_server = (before.scheme, before.hostname, before.port)
    return old_server == (after.scheme, after.hostname, after.port)


def exchange(
    request: Request, access: Access, limits: Limits, progress: Callable[[int], None] | None = None
) -> Reply:
    """Send a request from ordinary code, and return the whole answer."""
    return concurrency.run(send(request, access, limits, progress))


async def send(
    request: Request, access: Access, limits: Limits, progress: Callable[[int], None] | None = None
) -> Reply:
    """Send a request, and return the whole answer."""
    seconds = min(limits.seconds, MAX_TIMEOUT)
    until = asyncio.get_running_loop().time() + seconds

    async def answered() -> Reply:
        redirected = request
        for _ in range(_MAX_REDIRECTS):
            async with await open_answer(redirected, access, limits) as response:
                if response.status in {301, 302, 303, 307, 308}:
                    redirected = _redirected(redirected, response, access)
                    response.close()  # its body is not read, however large
                    continue
                headers = _headers(response)
                if not 200 <= response.status < 300:
                    page = (await _beginning(response, headers, until)).decode("utf-8", "replace")
                    raise refusal(response.status, headers, page, access.secrets)
                body = await _body(response, headers, limits.size, progress)
                return Reply(body, headers)
        raise refusal(response.status, Message(), "", access.secrets)

    try:
        # aiohttp's own limit starts again with each redirect.
        return await asyncio.wait_for(answered(), seconds)
    except Failure:
        raise
    except Exception as error:  # a server's bytes may provoke any exception
        https = access.address.url.startswith("https:")
        failure = failure_of(error, limits.seconds, access.secrets, encrypted=https)
    raise failure  # outside the handler, so that no traceback shows the other exception


async def _body(
    response: ClientResponse,
    headers: Message,
    size: int,
    progress: Callable[[int], None] | None,
) -> bytes:
    """Return the unpacked body of a response; refuse more than `size` bytes, packed or not."""
    unpacker = Unpacker(headers, size)
    if (response.content_length or 0) > size:  # announced, so not even read
        raise too_large(size)
    parts = []
    received = 0
    async for piece in response.content.iter_any():
        received += len(piece)
        if received > size:
            raise too_large(size)
        parts.append(unpacker.add(piece))
        if progress is not None:
            progress(len(piece))
    unpacker.end()
    return b"".join(parts)


def _redirected(request: Request, response: ClientResponse, access: Access) -> Request:
    """Return the request to the address that a response names."""
    url = urljoin(request.url, response.headers.get("Location", ""))
    has_location = "Location" in response.headers
    if not has_location or urlsplit(url).scheme not in {"http", "https"}:
        raise refusal(response.status, _headers(response), "", access.secrets)
    if response.status != 303:
        return request._replace(url=url)
    # The body is not sent again.
    without_type = {
        name: value for name, value in request.headers.items() if name.lower() != "content-type"
    }
    return Request(url, None, without_type)


def _headers(response: ClientResponse) -> Message:
    headers = Message()
    for name, value in response.headers.items():
        headers[name] = value
    return headers


async def _beginning(response: ClientResponse, headers: Message, until: float) -> bytes:
    """Return the beginning of an error page, as much as comes without problems."""
    page = bytearray()

    async def read() -> None:
        unpacker = Unpacker(headers, 2**30)
        async for piece in response.content.iter_any():
            page.extend(unpacker.add(piece, at_most=_MAX_PAGE_BYTES))
            if len(page) >= _MAX_PAGE_BYTES:
                return

    # The status matters most: a page that does not come must not turn it into a timeout.
    seconds = 0.8 * (until - asyncio.get_running_loop().time())
    with suppress(Exception):
        await asyncio.wait_for(read(), seconds)
    response.close()
    return bytes(page)

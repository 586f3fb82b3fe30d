"""The HTTP client, on aiohttp: requests and replies, within limits on time and size.

It decides which hosts get credentials.
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
from qaldgen.io.web.failure import Failure, connection_failure, status_failure, too_large

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession


#: The default sizes of the largest answers, of question answering systems and of other servers.
DEFAULT_SYSTEM_BYTES = 2**24
DEFAULT_BYTES = 2**28

#: The longest timeout in seconds; event loops cannot wait much longer.
MAX_TIMEOUT = 1e6
#: The most connections in a row that may turn out to be closed.
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

    seconds: float  # from the connection to the last byte, redirects included
    size: int = DEFAULT_BYTES  # bytes, as received and unpacked
    stall: float = MAX_TIMEOUT  # the longest wait for the next bytes, in seconds


class Reply(NamedTuple):
    """A complete answer."""

    body: bytes  # the unpacked bytes
    headers: Message


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
    """Send a request, and return the answer as soon as its headers have come.

    A server may close a kept-alive connection at the moment in which it is used again. As curl
    does, we then send the request again: this does not count as a failed try.
    """
    from aiohttp import ClientOSError, ServerDisconnectedError

    for _ in range(_MAX_STALE):
        trace = SimpleNamespace(is_reused=False)
        try:
            return await _open_once(request, access, limits, trace)
        except (ClientOSError, ServerDisconnectedError) as error:
            if not trace.is_reused or not isinstance(getattr(error, "message", ""), str | None):
                raise
    return await _open_once(request, access, limits, SimpleNamespace())


async def _open_once(
    request: Request, access: Access, limits: Limits, trace: SimpleNamespace
) -> ClientResponse:
    """Send a request without following redirects; credentials go to their own server only."""
    from aiohttp import ClientTimeout, DigestAuthMiddleware
    from yarl import URL

    is_trusted = _may_send_credentials(access.address.url, request.url)
    headers = {"User-Agent": f"qaldgen/{__version__}", **request.headers}
    if is_trusted:
        headers.update(access.headers)
    if is_trusted and access.authorization:
        headers["Authorization"] = access.authorization

    middlewares: tuple[DigestAuthMiddleware, ...] = ()
    if is_trusted and access.digest:
        user, password = access.digest
        middlewares = (DigestAuthMiddleware(user, password),)

    method = "GET" if request.body is None else "POST"
    # For digest authentication without keep-alive: a server may close the connection after its
    # challenge.
    return await _session(keep_alive=not middlewares).request(
        method,
        URL(request.url, encoded=True),
        data=request.body,
        headers=headers,
        allow_redirects=False,
        timeout=ClientTimeout(total=None, sock_read=min(limits.stall, MAX_TIMEOUT)),
        **_find_proxy(request.url),
        trace_request_ctx=trace,
        middlewares=middlewares,
    )


def _session(*, keep_alive: bool) -> ClientSession:
    """Return the session of the running loop, with or without kept-alive connections."""
    from aiohttp import ClientSession, DummyCookieJar, TCPConnector, TraceConfig

    async def note_reuse(_session: object, context: SimpleNamespace, _what: object) -> None:
        context.trace_request_ctx.is_reused = True

    sessions = _sessions.setdefault(asyncio.get_running_loop(), {})
    if keep_alive not in sessions:
        # callers limit their requests, so connections have no limit; .netrc is not read, and
        # bodies are unpacked by `Unpacker`
        traces = TraceConfig()
        traces.on_connection_reuseconn.append(note_reuse)
        if not sessions:
            concurrency.at_exit(_close_sessions)
        sessions[keep_alive] = ClientSession(
            connector=TCPConnector(limit=0, ttl_dns_cache=300, force_close=not keep_alive),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            trace_configs=[traces],
        )
    return sessions[keep_alive]


async def _close_sessions() -> None:
    """Close the kept-alive connections."""
    for session in _sessions.pop(asyncio.get_running_loop(), {}).values():
        await session.close()


def _find_proxy(url: str) -> _Proxy:
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


def _may_send_credentials(old: str, new: str) -> bool:
    """Return whether a redirect stays on its server: same scheme, host and port, or now https.

    >>> _may_send_credentials("http://example.org/sparql", "https://example.org/query")
    True
    >>> _may_send_credentials("https://example.org/sparql", "http://example.org/sparql")
    False
    """
    old_parts = urlsplit(old)
    new_parts = urlsplit(new)
    if (old_parts.scheme, new_parts.scheme) == ("http", "https"):
        return old_parts.hostname == new_parts.hostname
    old_server = (old_parts.scheme, old_parts.hostname, old_parts.port)
    return old_server == (new_parts.scheme, new_parts.hostname, new_parts.port)


def exchange(
    request: Request, access: Access, limits: Limits, progress: Callable[[int], None] | None = None
) -> Reply:
    """Send a request from synchronous code, and return the whole answer."""
    return concurrency.run(send(request, access, limits, progress))


async def send(
    request: Request, access: Access, limits: Limits, progress: Callable[[int], None] | None = None
) -> Reply:
    """Send a request, and return the whole answer."""
    seconds = min(limits.seconds, MAX_TIMEOUT)
    deadline = asyncio.get_running_loop().time() + seconds

    async def follow_redirects() -> Reply:
        redirected = request
        for _ in range(_MAX_REDIRECTS):
            async with await open_answer(redirected, access, limits) as response:
                if response.status in {301, 302, 303, 307, 308}:
                    redirected = _follow_redirect(redirected, response, access)
                    response.close()  # its body is not read, however large
                    continue
                headers = _make_message(response)
                if not 200 <= response.status < 300:
                    page = (await _read_page_start(response, headers, deadline)).decode(
                        "utf-8", "replace"
                    )
                    raise status_failure(response.status, headers, page, access.secrets)
                body = await _read_body(response, headers, limits.size, progress)
                return Reply(body, headers)
        raise status_failure(response.status, Message(), "", access.secrets)

    try:
        # aiohttp's own limit starts again with each redirect.
        return await asyncio.wait_for(follow_redirects(), seconds)
    except Failure:
        raise
    except Exception as error:  # a server's bytes may provoke any exception
        is_encrypted = access.address.url.startswith("https:")
        failure = connection_failure(error, limits.seconds, access.secrets, encrypted=is_encrypted)
    raise failure  # outside the handler, so that no traceback shows the other exception


async def _read_body(
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


def _follow_redirect(request: Request, response: ClientResponse, access: Access) -> Request:
    """Return the request to the address that a response names."""
    url = urljoin(request.url, response.headers.get("Location", ""))
    has_location = "Location" in response.headers
    if not has_location or urlsplit(url).scheme not in {"http", "https"}:
        raise status_failure(response.status, _make_message(response), "", access.secrets)
    if response.status != 303:
        return request._replace(url=url)
    # The body is not sent again.
    headers = {
        name: value for name, value in request.headers.items() if name.lower() != "content-type"
    }
    return Request(url, None, headers)


def _make_message(response: ClientResponse) -> Message:
    headers = Message()
    for name, value in response.headers.items():
        headers[name] = value
    return headers


async def _read_page_start(response: ClientResponse, headers: Message, deadline: float) -> bytes:
    """Return the beginning of an error page, as far as it comes without errors."""
    page = bytearray()

    async def read_start() -> None:
        unpacker = Unpacker(headers, 2**30)
        async for piece in response.content.iter_any():
            page.extend(unpacker.add(piece, at_most=_MAX_PAGE_BYTES))
            if len(page) >= _MAX_PAGE_BYTES:
                return

    # The status matters most: a page that does not come must not turn it into a timeout.
    seconds = 0.8 * (deadline - asyncio.get_running_loop().time())
    with suppress(Exception):
        await asyncio.wait_for(read_start(), seconds)
    response.close()
    return bytes(page)

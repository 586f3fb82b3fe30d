"""Send a request, and receive the answer within limits on time and size.

The one HTTP client of the project, on aiohttp.
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
from qaldgen.io.web import background
from qaldgen.io.web.body import Unpacker
from qaldgen.io.web.credentials import Access
from qaldgen.io.web.failure import Failure, explain, refusal, too_large

if TYPE_CHECKING:
    from aiohttp import BasicAuth, ClientResponse, ClientSession

#: The largest answer of a question answering system, and of anything else, unless told otherwise.
SMALL, LARGE = 2**24, 2**28
#: Seconds; the longest time that an event loop can wait for is not much longer.
_LONGEST_TIMEOUT = 1e6
_LONGEST_PAGE = 2**16
_MOST_REDIRECTS = 10
#: How many connections in a row may turn out to be closed.
_STALE = 3
_sessions: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[bool, ClientSession]] = (
    weakref.WeakKeyDictionary()
)


class _Proxy(TypedDict):
    proxy: str | None
    proxy_auth: BasicAuth | None


class Request(NamedTuple):
    """What is sent.

    Attributes
    ----------
    url : str
        Where to, without credentials.
    body : bytes or None
        Sent by POST; None is a GET.
    headers : mapping of str to str
        Those of this request. Authorization and User-Agent are added when it is sent.
    """

    url: str
    body: bytes | None = None
    headers: Mapping[str, str] = {}


class Limits(NamedTuple):
    """How much an answer may take.

    Attributes
    ----------
    seconds : float
        For all of it, redirects included, from the connection to the last byte.
    size : int
        Bytes, as they come and unpacked.
    stall : float
        The longest wait for the next bytes, in seconds.
    """

    seconds: float
    size: int = LARGE
    stall: float = _LONGEST_TIMEOUT


class Reply(NamedTuple):
    """A whole answer: the unpacked bytes, and the headers."""

    body: bytes
    headers: Message


def with_parameters(url: str, parameters: Sequence[tuple[str, str]]) -> str:
    """Return a URL with parameters.

    Half a surrogate pair, which no UTF-8 can hold, becomes a question mark.

    Examples
    --------
    >>> with_parameters("http://x.org/qa", [("question", "Who & why?")])
    'http://x.org/qa?question=Who+%26+why%3F'
    """
    return f"{url}?{urlencode(parameters, errors='replace')}" if parameters else url


def exchange(
    request: Request, access: Access, limits: Limits, progress: Callable[[int], None] | None = None
) -> Reply:
    """Send a request from ordinary code, and return the whole answer; see `send`."""
    return background.run(send(request, access, limits, progress))


async def send(
    request: Request, access: Access, limits: Limits, progress: Callable[[int], None] | None = None
) -> Reply:
    """Send a request, and return the whole answer.

    Parameters
    ----------
    request
        The request. Its redirects are followed; credentials do not go to another server.
    access
        Where the server is, and as whom it is asked.
    limits
        How long it may take, and how much may come.
    progress
        Called with the number of bytes that came.

    Returns
    -------
    Reply
        What came, with a status that is a success.

    Raises
    ------
    Failure
        If no answer comes, not all of it, or one with a status that is no success.
    """
    seconds = min(limits.seconds, _LONGEST_TIMEOUT)
    until = asyncio.get_running_loop().time() + seconds
    try:
        # aiohttp has such a limit too, but for each redirect anew
        return await asyncio.wait_for(_send(request, access, limits, until, progress), seconds)
    except Failure:
        raise
    except Exception as error:  # whatever the bytes of a server may provoke
        failure = explain(error, limits.seconds, access.secrets)
    raise failure  # here, where no traceback shows the other exception


async def _send(
    request: Request,
    access: Access,
    limits: Limits,
    until: float,
    progress: Callable[[int], None] | None,
) -> Reply:
    for _ in range(_MOST_REDIRECTS):
        async with await _open(request, access, limits) as response:
            if response.status in {301, 302, 303, 307, 308}:
                request = _redirected(request, response, access)
                response.close()  # its body is not read, however large
                continue
            headers = _headers(response)
            if not 200 <= response.status < 300:
                page = await _beginning(response, headers, until)
                raise refusal(
                    response.status, headers, page.decode("utf-8", "replace"), access.secrets
                )
            return Reply(await _body(response, headers, limits.size, progress), headers)
    raise refusal(response.status, Message(), "", access.secrets)


async def _open(request: Request, access: Access, limits: Limits) -> ClientResponse:
    """Send a request, and return the answer when its headers are there.

    A server may close a connection that was kept alive in the moment in which it is used again. As
    curl does, we then send the request again: this is no try that failed.
    """
    from aiohttp import ClientOSError, ServerDisconnectedError

    for _ in range(_STALE):
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
    if ours and access.credentials.header:
        headers["Authorization"] = access.credentials.header
    middlewares: tuple[DigestAuthMiddleware, ...] = ()
    if ours and access.credentials.digest:
        user, password = access.credentials.digest
        middlewares = (DigestAuthMiddleware(user, password),)
    # a server may close the connection behind its challenge
    return await _session(keep=not middlewares).request(
        "GET" if request.body is None else "POST",
        URL(request.url, encoded=True),
        data=request.body,
        headers=headers,
        allow_redirects=False,
        timeout=ClientTimeout(total=None, sock_read=min(limits.stall, _LONGEST_TIMEOUT)),
        **_proxy(request.url),
        trace_request_ctx=used,
        middlewares=middlewares,
    )


def _session(*, keep: bool) -> ClientSession:
    """Return the session of the loop that runs, which keeps its connections alive or does not."""
    from aiohttp import ClientSession, DummyCookieJar, TCPConnector, TraceConfig

    async def note(_session: object, context: SimpleNamespace, _what: object) -> None:
        context.trace_request_ctx.again = True

    found = _sessions.setdefault(asyncio.get_running_loop(), {})
    if keep not in found:
        # who asks limits how many there are; .netrc is not read, and nothing is unpacked behind our
        # back
        traces = TraceConfig()
        traces.on_connection_reuseconn.append(note)
        if not found:
            background.at_exit(_close)
        found[keep] = ClientSession(
            connector=TCPConnector(limit=0, ttl_dns_cache=300, force_close=not keep),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            trace_configs=[traces],
        )
    return found[keep]


async def _close() -> None:
    """Close the connections that were kept alive."""
    for session in _sessions.pop(asyncio.get_running_loop(), {}).values():
        await session.close()


def _proxy(url: str) -> _Proxy:
    """Return the proxy that the environment names for a URL, and as whom it is asked."""
    from aiohttp import BasicAuth

    parts = urlsplit(url)
    named = urllib.request.getproxies().get(parts.scheme, "")
    if not named or urllib.request.proxy_bypass(parts.netloc):
        return {"proxy": None, "proxy_auth": None}
    proxy = urlsplit(named if "//" in named else f"//{named}", scheme="http")
    user, password = unquote(proxy.username or ""), unquote(proxy.password or "")
    auth = BasicAuth(user, password, "utf-8") if user or password else None
    return {
        "proxy": proxy._replace(netloc=proxy.netloc.rpartition("@")[2]).geturl(),
        "proxy_auth": auth,
    }


def _redirected(request: Request, response: ClientResponse, access: Access) -> Request:
    """Return the request that a redirect asks for: with the question, unless it says otherwise."""
    place = urljoin(request.url, response.headers.get("Location", ""))
    if urlsplit(place).scheme not in {"http", "https"} or "Location" not in response.headers:
        raise refusal(response.status, _headers(response), "", access.secrets)
    if response.status == 303:
        return Request(
            place, None, {k: v for k, v in request.headers.items() if k.lower() != "content-type"}
        )
    return request._replace(url=place)


def _may_take_credentials(old: str, new: str) -> bool:
    """Say whether a redirect stays at its server: same scheme, host and port, or https for http.

    Examples
    --------
    >>> _may_take_credentials("http://example.org/sparql", "https://example.org/query")
    True
    >>> _may_take_credentials("https://example.org/sparql", "http://example.org/sparql")
    False
    """
    before, after = urlsplit(old), urlsplit(new)
    if (before.scheme, after.scheme) == ("http", "https"):
        return before.hostname == after.hostname
    return (before.scheme, before.hostname, before.port) == (
        after.scheme,
        after.hostname,
        after.port,
    )


def _headers(response: ClientResponse) -> Message:
    found = Message()
    for name, value in response.headers.items():
        found[name] = value
    return found


async def _body(
    response: ClientResponse,
    headers: Message,
    size: int,
    progress: Callable[[int], None] | None = None,
) -> bytes:
    """Return the unpacked body; raises Failure where it ends too soon or has too many bytes."""
    unpacker, parts, came = Unpacker(headers, size), [], 0
    if (response.content_length or 0) > size:  # as announced: what is too large need not come
        raise too_large(size)
    async for piece in response.content.iter_any():
        came += len(piece)
        if came > size:
            raise too_large(size)
        parts.append(unpacker.add(piece))
        if progress is not None:
            progress(len(piece))
    unpacker.end()
    return b"".join(parts)


async def _beginning(response: ClientResponse, headers: Message, until: float) -> bytes:
    """Return the beginning of the page that comes with an error, until it is enough or something goes wrong."""
    page = bytearray()

    async def read() -> None:
        unpacker = Unpacker(headers, 2**30)
        async for piece in response.content.iter_any():
            page.extend(unpacker.add(piece, at_most=_LONGEST_PAGE))
            if len(page) >= _LONGEST_PAGE:
                return

    # the status tells most: a page that does not come must not turn it into a timeout
    seconds = 0.8 * (until - asyncio.get_running_loop().time())
    with suppress(Exception):
        await asyncio.wait_for(read(), seconds)
    response.close()
    return bytes(page)

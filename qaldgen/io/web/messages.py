"""A request, its limits, and the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.message import Message
from typing import NamedTuple
from urllib.parse import urlencode

#: The largest answer of a question answering system, and of anything else, unless told otherwise.
SMALL = 2**24
LARGE = 2**28

#: Seconds; the longest time that an event loop can wait for is not much longer.
LONGEST_TIMEOUT = 1e6


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
    stall: float = LONGEST_TIMEOUT  # the longest wait for the next bytes, in seconds


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
    return f"{url}?{urlencode(parameters, errors='replace')}" if parameters else url

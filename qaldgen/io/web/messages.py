"""A request, its limits, and the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from email.message import Message
from typing import NamedTuple
from urllib.parse import urlencode

#: The largest answer of a question answering system, and of anything else, unless told otherwise.
SMALL, LARGE = 2**24, 2**28

#: Seconds; the longest time that an event loop can wait for is not much longer.
LONGEST_TIMEOUT = 1e6


class Request(NamedTuple):
    """A request.

    Attributes
    ----------
    url : str
        The address, without credentials.
    body : bytes or None
        Sent by POST; None is a GET.
    headers : mapping of str to str
        Headers of this request. Authorization and User-Agent are added when it is sent.
    """

    url: str
    body: bytes | None = None
    headers: Mapping[str, str] = {}


class Limits(NamedTuple):
    """The limits of an answer.

    Attributes
    ----------
    seconds : float
        For all of it, redirects included, from the connection to the last byte.
    size : int
        Bytes, as received and unpacked.
    stall : float
        The longest wait for the next bytes, in seconds.
    """

    seconds: float
    size: int = LARGE
    stall: float = LONGEST_TIMEOUT


class Reply(NamedTuple):
    """A complete answer.

    Attributes
    ----------
    body : bytes
        The unpacked bytes.
    headers : Message
        The headers.
    """

    body: bytes
    headers: Message


def with_parameters(url: str, parameters: Sequence[tuple[str, str]]) -> str:
    """Return a URL with parameters.

    A lone surrogate, which UTF-8 cannot encode, becomes a question mark.

    Parameters
    ----------
    url
        A URL without parameters.
    parameters
        Names and values.

    Returns
    -------
    str
        The URL.

    Examples
    --------
    >>> with_parameters("http://x.org/qa", [("question", "Who & why?")])
    'http://x.org/qa?question=Who+%26+why%3F'
    """
    return f"{url}?{urlencode(parameters, errors='replace')}" if parameters else url

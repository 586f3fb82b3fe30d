"""What ``java.net.URI`` accepts as a URI, and Commons Validator as a URL."""

from __future__ import annotations

import re
from functools import lru_cache

#: Verdicts to keep: the same answers come again with each system.
CACHED = 1 << 17

# RFC 2396 with the deviations that java.net.URI documents: brackets (RFC 2732) and visible
# characters beyond ASCII.
_VISIBLE = r"[^\x00-\xa0\s]"
_ESCAPED = r"%[0-9A-Fa-f]{2}"
_UNRESERVED = r"A-Za-z0-9_.!~*'()\-"


def _character(ascii_: str) -> str:
    """Return the pattern of one character: one of these in ASCII, an escaped one, or another."""
    return f"(?:[{ascii_}]|{_ESCAPED}|{_VISIBLE})"


_URIC = _character(_UNRESERVED + r";/?:@&=+$,\[\]") + "*"
_PATH = _character(_UNRESERVED + ":@&=+$,;/") + "*"
_REGISTRY_NAME = _character(_UNRESERVED + "$,;:@&=+") + "+"
_IPV6 = rf"(?:{_character(_UNRESERVED + ';:&=+$,')}*@)?\[[0-9A-Fa-f:.]+\](?::[0-9]*)?"
_AUTHORITY = rf"//(?:(?P<authority>{_REGISTRY_NAME}|{_IPV6})(?=[/?#]|\Z)|(?=[/?#]))|(?!//)"
_SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*"
#: A scheme ends at the first colon, if that comes before any slash, question mark or hash. After it
#: comes a slash, or the rest is opaque, as in urn:isbn:1.
_URI = re.compile(
    rf"(?:(?:(?P<scheme>{_SCHEME}):(?=/)|(?![^/?#]*:))(?:{_AUTHORITY})(?P<path>{_PATH})(?:\?{_URIC})?"
    rf"|{_SCHEME}:(?![/#]|\Z){_URIC})(?:#{_URIC})?"
)
#: A host with a dot, perhaps with a user before it and a port behind it.
_URL_AUTHORITY = re.compile(r"(?:[^@:][^@]*@)?(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+\.?(?::[0-9]*)?")
_URL_PATH = re.compile(r"(?:/[-A-Za-z0-9_:@&?=+,.!/~*'%$;()]*)?")


@lru_cache(CACHED)
def is_uri(text: str) -> bool:
    """Return whether ``java.net.URI.create`` accepts a text: RFC 2396, visible characters allowed.

    >>> [is_uri(text) for text in ("", "Berlin", "http://?x", "http://", "a b", "50%")]
    [True, True, True, False, False, False]
    """
    return _URI.fullmatch(text) is not None


@lru_cache(CACHED)
def is_url(text: str) -> bool:
    """Return whether ``UrlValidator`` of Commons Validator 1.7, with its defaults, accepts a text.

    Unlike there, any ASCII name with a dot is a host, whatever its top-level domain.

    >>> texts = ("http://x.org/a", "http://x.org/Zürich", "http://localhost/a", "urn:isbn:1")
    >>> [is_url(text) for text in texts]
    [True, False, False, False]
    """
    match = _URI.fullmatch(text)
    if match is None or not match["scheme"] or not match["authority"]:
        return False
    if match["scheme"].lower() not in {"http", "https", "ftp"}:
        return False
    if not _URL_AUTHORITY.fullmatch(match["authority"]):
        return False
    return _is_url_path(match["path"])


def _is_url_path(path: str) -> bool:
    """Return whether a path is ASCII, has no double slashes, and does not climb above its root."""
    if not _URL_PATH.fullmatch(path) or "//" in path:
        return False
    depth = 0
    for segment in path.split("/")[1:]:
        # as Commons: "." is neutral, ".." goes up
        if segment == "..":
            depth -= 1
        elif segment != ".":
            depth += 1
        if depth < 0:
            return False
    return True

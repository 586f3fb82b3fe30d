"""What ``java.net.URI`` and Commons Validator accept as a URI and as a URL."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from ipaddress import IPv6Address

#: Verdicts to keep: the same answers come again with each system.
CACHED = 1 << 17

# RFC 2396 with the deviations that java.net.URI documents: brackets (RFC 2732) and visible
# characters beyond ASCII.
_VISIBLE = r"[^\x00-\xa0\s]"
_ESCAPED = r"%[0-9A-Fa-f]{2}"
_UNRESERVED = r"A-Za-z0-9_.!~*'()\-"
_MAX_INT = 2**31 - 1
#: From here on, the patterns of Commons Validator's UrlValidator and DomainValidator.
_URL_PATH = re.compile(r"(?:/[-A-Za-z0-9_:@&?=+,.!/~*'%$;()]*)?")
_AUTHORITY = re.compile(
    r"(?:\[(?P<v6>::FFFF:(?:[0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-fA-F:]+)\]|"
    r"(?:[a-zA-Z0-9%-._~!$&'()*+,;=]+(?::[a-zA-Z0-9%-._~!$&'()*+,;=]*)?@)?(?P<host>[A-Za-z0-9.\-]*))(?::(?P<port>[0-9]*))?"
)
_DOMAIN = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+([A-Za-z](?:[A-Za-z0-9-]{0,"
    r"61}[A-Za-z0-9])?)\.?"
)
_V4 = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})(?:\.(?!$)|$)){4}")
_MAX_DOMAIN = 253
_MAX_LABEL = 63
_MAX_PORT = 65535


def _characters(ascii_: str) -> str:
    """Return the pattern of any number of characters: of these in ASCII, escaped, or others."""
    return f"(?:[{ascii_}]|{_ESCAPED}|{_VISIBLE})*"


_URIC = _characters(_UNRESERVED + r";/?:@&=+$,\[\]")
_PATH = _characters(_UNRESERVED + ":@&=+$,;/")
_REGISTRY = _characters(_UNRESERVED + "$,;:@&=+")
_USER = _characters(_UNRESERVED + ";:&=+$,")
_HIERARCHICAL = rf"(?://(?:(?P<authority>[^/?#]+)|(?=[/?#]))|(?!//))(?P<path>{_PATH})(?:\?{_URIC})?"
_SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*"
#: A scheme ends at the first colon, if that comes before any slash, question mark or hash. After it
#: comes a slash, or the rest is opaque, as in urn:isbn:1.
_URI = re.compile(
    rf"(?:(?:(?P<scheme>{_SCHEME}):(?=/)|(?![^/?#]*:)){_HIERARCHICAL}"
    rf"|{_SCHEME}:(?![/#]|\Z){_URIC})(?:#{_URIC})?"
)
_REGISTRY_NAME = re.compile(_REGISTRY)
_BRACKETED = re.compile(
    rf"(?:{_USER}@)?\[(?P<address>[^%\]]+)(?:%[A-Za-z0-9_.]+)?\](?::(?P<port>[0-9]*))?"
)


@lru_cache(CACHED)
def is_uri(text: str) -> bool:
    """Return whether ``java.net.URI.create`` accepts a text: RFC 2396, visible characters allowed.

    >>> [is_uri(text) for text in ("", "Berlin", "http://?x", "http://", "a b", "50%")]
    [True, True, True, False, False, False]
    """
    match = _URI.fullmatch(text)
    return match is not None and _is_authority(match["authority"] or "")


@lru_cache(CACHED)
def is_url(text: str) -> bool:
    """Return whether ``UrlValidator`` of Commons Validator 1.7, with its defaults, accepts a text.

    >>> texts = ("http://x.org/a", "http://x.org/Zürich", "http://localhost/a", "urn:isbn:1")
    >>> [is_url(text) for text in texts]
    [True, False, False, False]
    """
    match = _URI.fullmatch(text)
    if match is None or not match["scheme"] or not match["authority"]:
        return False
    if match["scheme"].lower() not in {"http", "https", "ftp"}:
        return False
    authority = match["authority"]
    return _is_authority(authority) and _is_host(authority) and _is_url_path(match["path"])


def _is_authority(authority: str) -> bool:
    """Return whether a text is a registry name (most are) or an IPv6 address in brackets."""
    if not authority or _REGISTRY_NAME.fullmatch(authority):
        return True
    match = _BRACKETED.fullmatch(authority)
    return match is not None and _is_v6(match["address"]) and _is_at_most(match["port"], _MAX_INT)


def _is_at_most(digits: str | None, limit: int) -> bool:
    """Return whether a number of any length is in a limit; no digits are 0."""
    digits = (digits or "0").lstrip("0")
    # Python refuses to convert very long numbers
    return len(digits) <= len(str(limit)) and int(digits or 0) <= limit


def _is_v6(address: str) -> bool:
    """Return whether a text is an IPv6 address; leading zeros are allowed in an IPv4 part."""
    head, colon, last = address.rpartition(":")
    if re.fullmatch(r"[0-9]+(\.[0-9]+){3}", last):
        last = ".".join(number.lstrip("0") or "0" for number in last.split("."))
    try:
        IPv6Address(head + colon + last)
    except ValueError:
        return False
    return True


def _is_host(authority: str) -> bool:
    """Return whether an authority has a known top-level domain or IP address, and a valid port."""
    match = _AUTHORITY.fullmatch(to_ascii(authority))
    if match is None:
        return False
    if match["v6"]:
        return True
    if not _is_at_most(match["port"], _MAX_PORT):
        return False
    host = match["host"]
    if _V4.fullmatch(host):
        return all(int(number) < 256 for number in host.split("."))
    domain = _DOMAIN.fullmatch(host)
    if domain is None or len(host) > _MAX_DOMAIN:
        return False
    return domain[1].lower() in top_level_domains()


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


def to_ascii(authority: str) -> str:
    """Return an authority in ASCII by IDNA 2003, like ``java.net.IDN``; unchanged if refused."""
    if authority.isascii():
        return authority
    *labels, last_label = re.split("[.\u3002\uff0e\uff61]", authority)
    try:
        ascii_labels = [_encode_label(label) for label in labels]
        if last_label:  # only the last label may be empty
            last_label = _encode_label(last_label)
    except UnicodeError:
        return authority
    return ".".join([*ascii_labels, last_label])


def _encode_label(label: str) -> str:
    """Return a label of a domain in ASCII; raise UnicodeError for an invalid one."""
    from encodings.idna import nameprep
    from stringprep import in_table_a1

    if not label.isascii():
        # Python's codec would accept characters newer than Unicode 3.2, Java does not
        if any(in_table_a1(character) for character in label):
            raise UnicodeError("has a character that Unicode 3.2 does not know")
        label = nameprep(label)
    if not label.isascii():
        if label.startswith("xn--"):
            raise UnicodeError("begins like a label that is ASCII already")
        label = "xn--" + label.encode("punycode").decode("ascii").lower()
    if not 0 < len(label) <= _MAX_LABEL:
        raise UnicodeError("is empty or too long")
    return label


@cache
def top_level_domains() -> frozenset[str]:
    """Return the top-level domains of Commons Validator 1.7, in lower case; IDNs as ``xn--``."""
    table = files("qaldgen.rdf") / "data" / "top_level_domains.tsv"
    lines = table.read_text(encoding="utf-8").splitlines()
    return frozenset(lines[lines.index("domain") + 1 :])

"""Where an endpoint is, and who asks: its URL in parts, and the credentials from there or from the environment."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from qaldgen.errors import UsageError
from qaldgen.web.one_line import one_line

USER = "QALDGEN_ENDPOINT_USER"
PASSWORD = "QALDGEN_ENDPOINT_PASSWORD"
AUTH = "QALDGEN_ENDPOINT_AUTH"
TOKEN = "QALDGEN_ENDPOINT_TOKEN"


class Address(NamedTuple):
    """A URL in parts; `url` has no credentials and no parameters, `name` has no scheme either: what messages show."""

    url: str
    name: str
    parameters: list[tuple[str, str]]
    user: str | None
    password: str | None


class Credentials(NamedTuple):
    """The Authorization header, or the user and password for digest; and what no message may show."""

    header: str = ""
    digest: tuple[str, str] | None = None
    secrets: tuple[str, ...] = ()


def parse_address(url: str) -> Address:
    """Take a URL apart.

    Raises
    ------
    UsageError
        If it is no http or https URL with a host.

    Examples
    --------
    >>> parse_address("https://me:secret@example.org/sparql?timeout=0").name
    'example.org/sparql'
    """
    shown = one_line(re.sub(r"//.*@", "//", url)) or "''"
    rule = "write it as http://HOST:PORT/sparql or https://..."
    if re.search(r"[\x00-\x20\x7f]", url):
        raise UsageError(f"{shown}: an endpoint's address has no spaces; {rule}")
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2].encode("idna").decode()
        port = parts.port
    except ValueError:
        raise UsageError(f"{shown}: this is no endpoint's address; {rule}") from None
    if parts.scheme not in {"http", "https"}:
        raise UsageError(f"{shown}: an endpoint's address begins with http:// or https://; {rule}")
    if not parts.hostname or port == 0:
        raise UsageError(f"{shown}: an endpoint's address names a host; {rule}")
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    return Address(
        url=f"{parts.scheme}://{host}{path}",
        name=f"{host}{path}",
        parameters=parse_qsl(parts.query, keep_blank_values=True),
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password is not None else None,
    )


def find_credentials(address: Address) -> Credentials:
    """Take the credentials from the URL, or else from the environment.

    Raises
    ------
    UsageError
        If there is a user without a password, or a variable holds what it cannot.
    """
    token = os.environ.get(TOKEN, "").strip()
    if token and address.user is None:
        if not (token.isascii() and token.isprintable()):
            raise UsageError(f"{TOKEN} holds a character that no HTTP header can carry; set it again")
        return Credentials(f"Bearer {token}", None, (token,))
    user = os.environ.get(USER) if address.user is None else address.user
    password = os.environ.get(PASSWORD) if address.password is None else address.password
    if not user:
        return Credentials()
    if password is None:
        raise UsageError(f"{address.name}: there is a user but no password; set {PASSWORD}")
    scheme = os.environ.get(AUTH, "").strip().lower() or "basic"
    if scheme == "digest":
        return Credentials("", (user, password), (password,))
    if scheme != "basic":
        raise UsageError(f"{AUTH} is {one_line(scheme)!r}; it can be basic or digest")
    code = b64encode(f"{user}:{password}".encode()).decode()
    return Credentials(f"Basic {code}", None, (password, code))

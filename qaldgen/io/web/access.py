"""The address of a server, the credentials for it, and how both are kept out of messages."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import urllib.request
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, quote_plus, unquote, urlsplit

from qaldgen.errors import UsageError
from qaldgen.io.text import one_line

_SECRET_NAME = re.compile(
    r"(key|token|secret|passw(or)?d|passphrase|pwd|signature|credentials?|jwt|bearer"
    r"|authorization|sessionid)$"
    r"|(^|[-_.])(pass|auth|sig|sid|session)$",
    re.IGNORECASE,
)
#: Text that looks like a key: many letters and digits in a row, as names and dates do not have.
_RANDOM_TEXT = re.compile(
    r"(?=\w*[A-Za-z])(?=\w*\d)\w{16}|[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE
)
#: Credentials in a URL: up to the last @ of the host, and after a colon even beyond the host, since
#: people do not escape / and ? in passwords.
_CREDENTIALS = re.compile(
    r"((?<![a-z0-9+.-])(?:https?:/{1,2}|[a-z][a-z0-9+.-]*://))(?:[^\s/?#]*|[^\s:/?#@]*:\S*)@",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"""([?&;])([\w.%-]{1,80})=([^&;\s#"'<>]+)""")
#: The names of parameters that are never secret.
_PUBLIC_NAMES = {
    "default-graph-uri", "named-graph-uri", "graph", "dataset", "repository", "kb", "kg", "model",
    "version",
}  # fmt: skip
#: The value of a header: a scheme and a code, not a word as in "Basic authentication".
_AUTHORIZATION = re.compile(r"\b((?i:basic|bearer))(\s+|%20|\+)(?![A-Za-z][a-z]*\b)[\w.~+/=%-]{4,}")
_ALPHANUMERIC = re.compile("[A-Za-z0-9]+")
_DIGEST_FIELD = re.compile(r"\b(response|cnonce)=\W*[0-9a-f]{16,}", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
#: Headers that users cannot add, as the client sets them.
_RESERVED_HEADERS = {
    "authorization", "host", "content-length", "content-type", "connection", "transfer-encoding",
    "accept-encoding",
}  # fmt: skip
#: Prefixes of the environment variables with credentials; _USER, _PASSWORD, _AUTH (basic or
#: digest), _TOKEN, or _HEADERS (one per line) follows.
ENDPOINT = "QALDGEN_ENDPOINT"
SYSTEM = "QALDGEN_SYSTEM"


class Address(NamedTuple):
    """A URL in parts."""

    url: str  # without credentials and parameters
    name: str  # the same without the scheme, as messages show it
    parameters: list[tuple[str, str]]  # names and values of the query string
    #: The credentials in the URL.
    user: str | None
    password: str | None

    def __repr__(self) -> str:
        """Return a text without what is secret."""
        return f"Address({self.name})"

    @property
    def label(self) -> str:
        """The name, with a hash of the parameters that are not secret, as these change answers."""
        public = [
            (name, value) for name, value in self.parameters if not may_be_secret(name, value)
        ]
        if not public:
            return self.name
        return (
            f"{self.name} (parameters"
            f" {hashlib.sha256(json.dumps(public).encode()).hexdigest()[:16]})"
        )


def parse_address(url: str) -> Address:
    """Split a URL into its parts.

    >>> parse_address("https://me:secret@example.org/sparql?timeout=0").name
    'example.org/sparql'
    """
    # the name for messages has nothing that may be secret, even if the text is no URL
    scheme, separator, location = url.partition("//")
    if not separator:
        location = url
    name = re.split(r"[?#]", location.rpartition("@")[2])[0]
    if separator and re.fullmatch(r"[\w+.-]*:?", scheme):
        name = f"{scheme}//{name}"
    name = one_line(name) or "''"

    rule = "write it as http://HOST:PORT/PATH or https://..."
    if re.search(r"[\x00-\x20\x7f]", url):
        raise UsageError(f"an address has no spaces; {rule}", where=name)

    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2].encode("idna").decode()
        port = parts.port
    except ValueError:
        raise UsageError(f"this is not the address of a server; {rule}", where=name) from None

    if parts.scheme not in {"http", "https"}:
        raise UsageError(f"an address begins with http:// or https://; {rule}", where=name)
    if not parts.hostname or port == 0:
        raise UsageError(f"an address names a host; {rule}", where=name)
    # http://me:12/34@host has the host "me"; its password must not become a path.
    if "@" in parts.path:
        raise UsageError(
            "an address has no @ after the host; write @ as %40, and / in a password as %2F",
            where=name,
        )

    path = quote(parts.path, safe="/%:!$&'()*+,;=~-._")
    user = unquote(parts.username) if parts.username else None
    password = None if parts.password is None else unquote(parts.password)
    return Address(
        url=f"{parts.scheme}://{host}{path}",
        name=f"{host}{path}",
        parameters=parse_qsl(parts.query, keep_blank_values=True),
        user=user,
        password=password,
    )


def hide_credentials(text: str) -> str:
    """Return a text without the ``user:password@`` and the keys of the URLs in it.

    >>> hide_credentials("http://me:secret@example.org/x: cannot be opened")
    'http://***@example.org/x: cannot be opened'
    >>> hide_credentials("GET http://example.org/x?lang=en&api_key=abc&n=1")
    'GET http://example.org/x?lang=en&api_key=***&n=1'
    """
    return _PARAMETER.sub(_hide_parameter, _CREDENTIALS.sub(r"\1***@", text))


def _hide_parameter(pair: re.Match[str]) -> str:
    separator, name, value = pair.groups()
    if may_be_secret(name, value):
        return f"{separator}{name}=***"
    return pair[0]


def may_be_secret(name: str, value: str) -> bool:
    """Return whether a parameter is probably a credential, by its name or a random value.

    >>> may_be_secret("api_key", "k3y"), may_be_secret("k", "9f8a7b6c5d4e3f2a1")
    (True, True)
    >>> may_be_secret("engine", "llama-3.1-8b-instruct")
    False
    """
    return name.lower() not in _PUBLIC_NAMES and bool(
        _SECRET_NAME.search(name) or _RANDOM_TEXT.search(value)
    )


class Secrets:
    """The credentials for one server.

    >>> secrets = Secrets(["s3cret-0f-mine", "EMPTY"], private=["dba"])
    >>> secrets.redact('{"answer": "Empty, says the dba with s3cret%2D0f%2Dmine"}')
    '{"answer": "Empty, says the dba with ***"}'
    >>> secrets.mask("s3cret-0f-mine (czNjcmV0LTBmLW1pbmU=) of the dba")
    '*** (***=) of the ***'
    """

    def __init__(
        self,
        values: Iterable[str] = (),
        private: Iterable[str] = (),
        codes: Iterable[str] = (),
        public: str = "",
    ) -> None:
        strong = {
            value
            for value in values
            if is_secret(value)
            and not re.search(rf"(?<![\w-]){re.escape(value)}(?!\w)", public, re.IGNORECASE)
        }
        strong |= {code for code in codes if len(code) >= 8}
        notations = set(strong)
        for value in strong:
            notations |= _encodings_of(value)

        self._strong: list[tuple[str, re.Pattern[str]]] = []
        # the longest first: a shorter one within a longer one would leave its end visible
        for notation in sorted(sorted(notations), key=len, reverse=True):
            # searching a long reply for a run that is never escaped takes no time
            run = max(_ALPHANUMERIC.findall(notation), key=len, default="")
            self._strong.append((run, re.compile("".join(map(_character_pattern, notation)))))

        weak = sorted({re.escape(value) for value in private if len(value) > 1})
        self._weak: re.Pattern[str] | None = None
        if weak:
            self._weak = re.compile(rf"(?<!\w)(?:{'|'.join(weak)})(?!\w)")

    @classmethod
    def of(
        cls,
        address: Address,
        *,
        user: str = "",
        password: str = "",
        token: str = "",
        headers: Iterable[tuple[str, str]] = (),
        public: str = "",
    ) -> Secrets:
        """Collect the credentials for a server, those in its parameters, and those for proxies."""
        private = []
        codes = []
        for name, value in (*address.parameters, *headers):
            if may_be_secret(name, value):
                private.append(value)
                codes.append(f"{name}={value}")
        users = [(user, password)]
        for url in urllib.request.getproxies().values():
            with suppress(ValueError):
                parts = proxy_parts(url)
                users.append((unquote(parts.username or ""), unquote(parts.password or "")))
        for name, word in users:
            if name or word:
                # with some servers the key is the user, and there is no password
                private.append(word or name)
                codes.append(b64encode(f"{name}:{word}".encode()).decode().rstrip("="))
            if "@" in name:  # an e-mail
                private.append(name)
        values = [token, *private]
        return cls(values, private, codes, public=f"{public} {address.name}")

    def __repr__(self) -> str:
        """Return a text without the secrets."""
        return "<Secrets>"

    def redact(self, text: str) -> str:
        """Replace each secret in a reply by ***: plain, escaped, URL-encoded or in base64."""
        for run, pattern in self._strong:
            if run in text:
                text = pattern.sub("***", text)
        return text

    def mask(self, text: str) -> str:
        """Redact a text of a server for a message, where weak passwords are masked as well."""
        masked = _AUTHORIZATION.sub(r"\1\2***", hide_credentials(self.redact(text)))
        masked = _DIGEST_FIELD.sub(r"\1=***", masked)
        if not self._weak:
            return masked
        return self._weak.sub("***", masked)


def proxy_parts(address: str) -> SplitResult:
    """Return the parts of the address of a proxy, whose scheme may be missing."""
    if "//" not in address:
        address = f"//{address}"
    return urlsplit(address, scheme="http")


def is_secret(value: str) -> bool:
    """Return whether a value is too long and mixed to occur in other text by chance.

    >>> [is_secret(text) for text in ("EMPTY", "1234", "sk-no-key-required", "0000-xxxx-0000")]
    [False, False, False, False]
    >>> is_secret("sk-8fK2xQ"), is_secret("correcthorsebattery")
    (True, True)
    """
    is_mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value)) and len(value) >= 8
    return len(set(value)) >= 6 and (is_mixed or re.search(r"[^\W_]{16}", value) is not None)


def _character_pattern(character: str) -> str:
    r"""Return a pattern for a character, plain or escaped for URLs, HTML or JSON.

    >>> notations = ["&", "%26", "%2526", "&amp;", r"\u0026"]
    >>> all(re.fullmatch(_character_pattern("&"), notation) for notation in notations)
    True
    """
    if _ALPHANUMERIC.match(character):
        return character
    plain = {re.escape(text) for text in (character, html.escape(character), quote_plus(character))}
    in_json = character.encode("utf-16-be", "replace").hex("x", 2).replace("x", r"\\{1,4}u")
    in_url = character.encode("utf-8", "replace").hex("x").replace("x", "%(?:25)*")
    escapes = rf"(?i:\\{{1,4}}u{in_json}|%(?:25)*{in_url})|\\{{1,4}}{re.escape(character)}"
    return rf"(?:{'|'.join(sorted(plain, reverse=True))}|{escapes})"


def _encodings_of(value: str) -> set[str]:
    """Return a value in hexadecimal digits, and in base64, alone or after a user's name.

    The code depends on the offset modulo 3 bytes; characters that mix with neighbours are left out.
    """
    data = value.encode("utf-8", "replace")
    encodings = set[str]()
    for shift in range(3):
        code = b64encode(bytes(shift) + data).decode()
        encodings.add(code[(shift * 8 + 5) // 6 : (shift + len(data)) * 8 // 6])
    encodings.add(b64encode(data).decode().rstrip("="))
    encodings |= {data.hex(), data.hex().upper()}
    return encodings | {encoding.replace("+", "-").replace("/", "_") for encoding in encodings}


class Access(NamedTuple):
    """Access to a server."""

    address: Address
    secrets: Secrets  # texts that must never be shown
    authorization: str = ""  # the Authorization header; empty for none
    digest: tuple[str, str] | None = None  # user and password for digest authentication
    headers: Mapping[str, str] = {}  # further headers that the user adds

    def __repr__(self) -> str:
        """Return the address without what is secret."""
        return f"Access({self.address.name})"


def find_access(
    url: str,
    variables: str = "",
    *,
    token_file: Path | None = None,
    header_file: Path | None = None,
    public: str = "",
) -> Access:
    """Take the credentials from the URL; without any there, from files or the environment.

    `variables` is the prefix of the environment variables; if it is empty, they are not read. Words
    in `public`, such as the name of a model, are not secret.
    """
    address = parse_address(url)
    token = _read_token(variables, token_file) if address.user is None else ""
    user = password = ""
    if not token:
        user, password = _read_user(address, variables)
    headers = _read_headers(variables, header_file)
    secrets = Secrets.of(
        address, user=user, password=password, token=token, headers=headers.items(), public=public
    )

    authorization = ""
    digest = None
    if token:
        authorization = f"Bearer {token}"
    elif user or password:
        scheme = _read_variable(variables, "AUTH").strip().lower()
        if scheme not in {"", "basic", "digest"}:
            raise UsageError(f"{variables}_AUTH is {one_line(scheme)!r}; it can be basic or digest")
        if scheme == "digest":
            digest = (user, password)
        else:
            authorization = "Basic " + b64encode(f"{user}:{password}".encode()).decode()

    return Access(address, secrets, authorization, digest, headers)


def _read_variable(variables: str, name: str) -> str:
    if not variables:
        return ""
    return os.environ.get(f"{variables}_{name}", "")


def _read_user(address: Address, variables: str) -> tuple[str, str]:
    """Return user and password; empty if there are none."""
    user = address.user
    password = address.password
    if variables:
        if user is None:
            user = os.environ.get(f"{variables}_USER")
        if password is None:
            password = os.environ.get(f"{variables}_PASSWORD")
    if not user and address.password is None:
        return "", ""
    if password is None:
        advice = f"set {variables}_PASSWORD" if variables else "write USER:PASSWORD@"
        raise UsageError(f"there is a user but no password; {advice}", where=address.name)
    return user or "", password


def _read_token(variables: str, file: Path | None) -> str:
    """Return the bearer token; empty if there is none."""
    token = _read_variable(variables, "TOKEN").strip() if file is None else _read_file(file)
    if file is not None and not token:
        raise UsageError("holds no key", where=file)
    if not (token.isascii() and token.isprintable()):
        origin = file or f"{variables}_TOKEN"
        raise UsageError(
            f"{origin} contains a character that no HTTP header can carry; set it again"
        )
    return token


def _read_file(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"the credentials cannot be read ({reason})", where=file) from None


def _read_headers(variables: str, file: Path | None) -> dict[str, str]:
    """Return the headers that the user adds; error messages show no value of them."""
    text = _read_variable(variables, "HEADERS") if file is None else _read_file(file)
    origin = file or f"{variables}_HEADERS"

    headers: dict[str, str] = {}
    for line_number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        name, colon, value = (part.strip() for part in line.partition(":"))
        is_plain = value.isascii() and value.isprintable()
        if not colon or not _HEADER_NAME.fullmatch(name) or not is_plain:
            raise UsageError(
                f"header {line_number} is not NAME: VALUE in plain ASCII; write one header per"
                " line",
                where=origin,
            )
        if name.lower() in _RESERVED_HEADERS:
            raise UsageError(
                f"{name} is set by qaldgen; for Authorization set a token, or user and password",
                where=origin,
            )
        headers[name] = value

    return headers

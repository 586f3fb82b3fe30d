"""Secrets that nobody may see: credentials, in whatever form a server repeats them."""

from __future__ import annotations

import html
import json
import re
import sys
import unicodedata
import urllib.request
from base64 import b32encode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

from qaldgen.io.web.address import PUBLIC_NAMES, Address, hide_credentials, is_strong, may_be_secret
from qaldgen.io.web.one_line import without_entities

_WITHHELD = "(the words of the server hold our credentials, so they are not shown)"
#: How often nested escapes are undone; servers hardly ever escape more than twice.
_ROUNDS = 4
_USUAL = {'"true"', '"false"', '"null"', '"none"', '"test"', '"user"', '"admin"'}
_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202f\u2060\ufeff]+")
#: The escapes of JSON and of programming languages: hexadecimal, octal, or a letter.
_ESCAPE = re.compile(
    r"\\(?:u\{0*([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})"
    r"|([0-3][0-7]{2})|(.))",
    re.DOTALL,
)
_QUOTED_PRINTABLE = re.compile(r"=(?:([0-9A-F]{2})|\r?\n)")
#: Separators between the numbers of bytes in a dump.
_SEPARATORS = re.compile(r"\\x|0x|[,:;\-]")
#: A scheme followed by a code, not by a word as in "Basic authentication".
_HEADER = re.compile(r"\b((?i:basic|bearer))(\s+|%20|\+)(?![A-Za-z][a-z]*\b)[\w.~+/=%-]{4,}")
_DIGEST = re.compile(r"\b(response|cnonce)=\W*[0-9a-f]{16,}", re.IGNORECASE)


class Secrets:
    """The credentials for one server: found in a text, or masked in a message.

    A strong secret is found anywhere, plain or encoded. A weak one, such as the password "dba", is
    only found next to its user or as a whole string: any answer may contain it by chance.

    Parameters
    ----------
    values
        Passwords and tokens.
    pairs
        Names and values that are secret together: user and password, a parameter and its value.
    codes
        Always strong, however they look: the codes of headers.
    private
        Masked in messages, but allowed anywhere else.

    Examples
    --------
    >>> secrets = Secrets(["s3cret"], [("me", "s3cret")])
    >>> secrets.mask("no such user: me, s3cret (bWU6czNjcmV0)")
    'no such user: me, *** (bWU6***)'
    >>> secrets.found_in('{"value": "me%3As3cr&#101;t"}')
    True
    """

    def __init__(
        self,
        values: Iterable[str] = (),
        pairs: Iterable[tuple[str, str]] = (),
        codes: Sequence[str] = (),
        private: Iterable[str] = (),
    ) -> None:
        values, pairs = [value for value in values if value], [pair for pair in pairs if all(pair)]
        strong = {value for value in values if is_strong(value)} | {
            code for code in codes if len(code) >= 8
        }
        encoded = {form for value in (*strong, *map(":".join, pairs)) for form in _encoded(value)}
        whole = {f'"{value}"' for value in values if len(value) > 3} - _USUAL
        misread = {
            form for value in strong for form in (_misread(value), _damaged(value), value[::-1])
        }
        self._forms = {_normal(form) for form in (*strong, *misread, *encoded, *whole)}
        self._masked = {value for value in (*values, *codes, *private) if len(value) > 1}
        self._in_context = [
            re.compile(rf"(?<!\w){re.escape(name)}\W{{1,8}}{re.escape(value)}(?!\w)", re.IGNORECASE)
            for name, value in pairs
        ]

    def and_also(self, headers: Iterable[tuple[str, str]]) -> Secrets:
        """Return these secrets with those among some headers.

        Parameters
        ----------
        headers
            Names and values; those are secret that have a telling name or look random.

        Returns
        -------
        Secrets
            New secrets.
        """
        pairs = [(name, value) for name, value in headers if may_be_secret(name, value)]
        more, both = Secrets([value for _, value in pairs], pairs), Secrets()
        both._forms, both._masked = self._forms | more._forms, self._masked | more._masked
        both._in_context = [*self._in_context, *more._in_context]
        return both

    @classmethod
    def of(cls, address: Address, user: str = "", password: str = "", token: str = "") -> Secrets:
        """Collect the credentials for a server, those in its parameters, and those for proxies.

        Parameters
        ----------
        address
            The server.
        user, password
            Credentials for basic or digest authentication.
        token
            A bearer token.

        Returns
        -------
        Secrets
            The secrets.
        """
        pairs = [(name, value) for name, value in address.parameters if may_be_secret(name, value)]
        values, codes = [value for _, value in pairs], []
        if token:
            values.append(token)
            pairs.append(("bearer", token))
        for one, its_password in [(user, password), *_proxies()]:
            if one or its_password:
                values.append(its_password or one)
                pairs += [(one, its_password), ("password", its_password)]
                codes.append(b64encode(f"{one}:{its_password}".encode()).decode())
                pairs.append(("basic", codes[-1]))
        private = [
            value
            for name, value in address.parameters
            if len(value) > 3 and name.lower() not in PUBLIC_NAMES
        ]
        return cls(values, pairs, codes, private)

    def __bool__(self) -> bool:
        """Say whether there is anything to be kept secret."""
        return bool(self._forms or self._in_context)

    def __repr__(self) -> str:
        """Return how many secrets there are."""
        return f"<Secrets: {len(self._masked)}>"

    def found_in(self, text: str) -> bool:
        """Say whether a text contains one of the secrets, plain or in any usual encoding.

        Parameters
        ----------
        text
            Any text.

        Returns
        -------
        bool
            Whether it does.
        """
        if not self:
            return False
        views = {text, *map(_decoded, {text, _QUOTED_PRINTABLE.sub(_quoted, text)})}
        squeezed = {_squeezed(view) for view in views}
        squeezed |= {_SEPARATORS.sub("", view) for view in squeezed}
        if any(form in view for view in squeezed for form in self._forms):
            return True
        return any(
            pattern.search(view) for pattern in (*self._in_context, _DIGEST) for view in views
        )

    def mask(self, text: str) -> str:
        """Return a server's text with its secrets masked; all of it is withheld if that fails.

        Parameters
        ----------
        text
            Any text.

        Returns
        -------
        str
            Safe to be shown.
        """
        masked = _DIGEST.sub(r"\1=***", _HEADER.sub(r"\1\2***", hide_credentials(text)))
        forms = {
            form for value in self._masked for form in (value, *_written(value), *_encoded(value))
        }
        if forms:
            # Otherwise a short form within a longer one would leave the rest of it visible.
            longest_first = sorted(forms, key=lambda form: (-len(form), form))
            masked = re.sub(
                "|".join(map(re.escape, longest_first)), "***", masked, flags=re.IGNORECASE
            )
        return _WITHHELD if self.found_in(masked) else masked


def _proxies() -> Iterator[tuple[str, str]]:
    """Return user and password of each proxy that the environment names."""
    for url in urllib.request.getproxies().values():
        try:
            parts = urlsplit(url if "//" in url else f"//{url}")
        except ValueError:
            continue
        if parts.username or parts.password:
            yield unquote(parts.username or ""), unquote(parts.password or "")


def _written(value: str) -> set[str]:
    """Return a value as written in URLs, HTML and JSON."""
    plain = {quote(value, safe=""), quote_plus(value), html.escape(value), _misread(value)}
    return plain | {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}


def _misread(value: str) -> str:
    """Return a value in UTF-8 that was read as Latin-1, as servers do with headers."""
    return value.encode("utf-8", "replace").decode("latin-1")


def _damaged(value: str) -> str:
    """Return a value in Latin-1 that was read as UTF-8."""
    return value.encode("latin-1", "replace").decode("utf-8", "replace")


def _encoded(value: str) -> set[str]:
    """Return a value as numbers of bytes, and in base64 and base32 at any offset."""
    forms = set[str]()
    for encoding in ("utf-8", "latin-1", "utf-16-le"):
        data = value.encode(encoding, "replace").rstrip(b"\0")
        forms |= {data.hex(), "".join(map(str, data))}
        # The code of a part depends on its offset in the whole: modulo 3 bytes in base64, modulo 5
        # in base32. The characters at the ends mix with neighbours, and are left out.
        for shift in range(5):
            six, five = (
                b64encode(bytes(shift) + data).decode(),
                b32encode(bytes(shift) + data).decode(),
            )
            core = six[(shift * 8 + 5) // 6 : (shift + len(data)) * 8 // 6]
            forms |= {
                core,
                core.translate({43: "-", 47: "_"}),
                five[(shift * 8 + 4) // 5 : (shift + len(data)) * 8 // 5],
            }
    return {form for form in forms if len(form) >= 7}


def _normal(text: str) -> str:
    return _squeezed(_decoded(text))


def _squeezed(text: str) -> str:
    """Return a text without spaces, invisible characters and capitals, which may hide secrets."""
    return _SPACES.sub("", text).casefold()


def _decoded(text: str) -> str:
    """Undo the escapes of JSON, HTML and URLs, however often applied, and unify letter forms."""
    for _ in range(_ROUNDS):
        plain = unquote_plus(without_entities(_unescaped(text)))
        if plain == text:
            break
        text = plain
    return unicodedata.normalize("NFKC", text)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_meant, text)


def _meant(escape: re.Match[str]) -> str:
    """Return the character that an escape represents; any white space becomes a space."""
    *codes, octal, letter = escape.groups()
    number = next((int(code, 16) for code in codes if code), int(octal, 8) if octal else None)
    if number is not None:
        return chr(number) if number <= sys.maxunicode else ""
    return " " if letter in "tnrbf" else str(letter)


def _quoted(escape: re.Match[str]) -> str:
    """Return the character of quoted-printable; nothing for a soft line break."""
    return chr(int(escape[1], 16)) if escape[1] else ""

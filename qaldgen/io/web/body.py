"""Unpack the body of a reply within limits, decode it to text, and parse it as JSON."""

from __future__ import annotations

import json
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from email.message import Message
from typing import Any, NoReturn

from qaldgen.io.text import one_line
from qaldgen.io.web.access import Secrets
from qaldgen.io.web.failure import Failure, FailureKind, too_large
from qaldgen.io.web.page_text import is_page, without_markup

_UNKNOWN_PACKING = {"br": "Brotli", "zstd": "Zstandard", "compress": "compress"}
#: Bytes that are unpacked at once.
_PIECE_BYTES = 2**16
#: Characters of a web page that a message may quote.
_MAX_QUOTED_CHARS = 2**14
_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"BZh": "bzip2",
    b"PK\x03\x04": "zip",
    b"\xfd7zXZ": "xz",
}


class Unpacker:
    """Unpacks a body piece by piece, according to its Content-Encoding.

    aiohttp would unpack only one layer, in 3.14.0 a small piece to any size, and a body that was
    cut short without an error.
    """

    def __init__(self, headers: Message, size: int) -> None:
        # the packings in their order; unknown names are ignored, as browsers do
        names = ",".join(headers.get_all("Content-Encoding", [])).split(",")
        packings = [name.strip().lower().removeprefix("x-") for name in names]
        for name in packings:
            if name in _UNKNOWN_PACKING:
                problem = (
                    f"the answer is compressed with {_UNKNOWN_PACKING[name]},"
                    " although it was asked for as it is"
                )
                raise Failure(FailureKind.CONTENT, problem)
        packings = [name for name in packings if name in {"gzip", "deflate"}]
        if len(packings) > 2:
            raise Failure(
                FailureKind.CONTENT, f"the answer is compressed {len(packings)} times over"
            )
        self._layers = [_Layer(packing, size) for packing in reversed(packings)]

    def add(self, piece: bytes, *, at_most: int = sys.maxsize) -> bytes:
        """Unpack the next piece."""
        pieces: Iterable[bytes] = (piece,)
        for layer in self._layers:
            pieces = layer.unpack(pieces)
        unpacked = bytearray()
        for data in pieces:
            unpacked += data
            if len(unpacked) >= at_most:
                break
        return bytes(unpacked)

    def end(self) -> None:
        """Refuse a body that ended too early."""
        if any(layer.is_open for layer in self._layers):
            raise Failure(FailureKind.BROKEN, "the answer broke off before it was complete")


class _Layer:
    """Unpacks one layer of gzip or deflate, with one member or several."""

    def __init__(self, packing: str, size: int) -> None:
        self._packing = packing
        self._size = size
        self._unpacked = 0
        self._unpacker: zlib._Decompress | None = None

    @property
    def is_open(self) -> bool:
        """Whether a member has begun and not ended."""
        return self._unpacker is not None

    def _window_bits(self, start: bytes) -> int:
        """Return the argument `wbits` of zlib; "deflate" comes with or without a header."""
        if self._packing == "gzip":
            return 16 + zlib.MAX_WBITS
        has_header = start[0] & 15 == 8 and int.from_bytes(start[:2], "big") % 31 == 0
        return zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS

    def unpack(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the unpacked bytes, in pieces of limited size."""
        for piece in pieces:
            has_more = bool(piece)
            while has_more:
                unpacker = self._unpacker
                if unpacker is None:
                    unpacker = zlib.decompressobj(self._window_bits(piece))
                try:
                    data = unpacker.decompress(piece, _PIECE_BYTES)
                except zlib.error as error:
                    problem = (
                        f"the answer says that it is compressed with {self._packing}, but is not,"
                        f" or is damaged ({error})"
                    )
                    raise Failure(FailureKind.CONTENT, problem) from None
                self._unpacked += len(data)
                if self._unpacked > self._size:
                    raise too_large(self._size)
                piece = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
                # zlib may hold back output that did not fit, although it has no input left.
                has_more = bool(piece) or (len(data) == _PIECE_BYTES and not unpacker.eof)
                self._unpacker = None if unpacker.eof else unpacker
                yield data


def read_text(body: bytes, headers: Message, secrets: Secrets) -> str:
    r"""Return the text of a body.

    Its encoding is UTF-8, UTF-16 or UTF-32, as for JSON, or else that of the Content-Type.

    >>> read_text('\ufeff"é"'.encode("utf-16-le"), Message(), Secrets())
    '"é"'
    """
    packing = next((name for magic, name in _PACKINGS.items() if body.startswith(magic)), "")
    if packing:
        raise Failure(
            FailureKind.CONTENT,
            f"the answer is compressed with {packing}, but no Content-Encoding says so",
        )
    text = secrets.redact(_decode(body, headers.get_content_charset(""), secrets))
    if not text.strip():
        raise Failure(FailureKind.CONTENT, "the answer is empty")
    if is_page(text):
        problem = "the answer is a web page, not JSON"
        words = one_line(secrets.mask(without_markup(text[:_MAX_QUOTED_CHARS])))
        if words:
            problem += f": {words}"
        raise Failure(FailureKind.CONTENT, problem)
    return text


def _decode(body: bytes, charset: str, secrets: Secrets) -> str:
    """Return the text of a reply in JSON: in UTF-8, -16 or -32, or else as its header says."""
    encoding = json.detect_encoding(body)  # from the first bytes
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        problem = f"is not {encoding.upper().removesuffix('-SIG')} (byte {error.start + 1:,})"
    try:
        return body.decode(charset or encoding)
    except (UnicodeError, LookupError):  # no such encoding, or none of text
        charset = one_line(secrets.mask(charset)) or "no other encoding"
    raise Failure(
        FailureKind.CONTENT,
        f"the answer {problem}, and its Content-Type names {charset}; JSON is UTF-8",
    )


def parse_json(text: str, *, strict: bool, number: Callable[[str], float] = float) -> Any:  # noqa: ANN401 - JSON
    """Parse the JSON of a reply; `strict` refuses NaN, infinities and duplicate keys."""
    hooks: dict[str, Any] = {"parse_float": number}
    if strict:
        hooks |= {"parse_constant": _refuse_constant, "object_pairs_hook": _refuse_duplicate_keys}
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as error:
        reason = f"line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:  # ours, or a number of more than 4,300 digits
        reason = one_line(str(error))
    raise Failure(FailureKind.CONTENT, f"the answer is not valid JSON ({reason})")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is none of JSON's values")


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        duplicate, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {one_line(duplicate)!r} is used twice in an object")
    return members

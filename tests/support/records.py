"""What a call did, as short hashes of lines: it can be compared, and holds no text of others."""

from __future__ import annotations

import base64
import difflib
import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

#: characters of the hash of a line
WIDTH = 4
#: Texts of more lines have one hash for several lines. The lines themselves decide where one ends,
#: so that a new line changes the hashes around it alone.
LONG = 400

_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_SECONDS = re.compile(r'("seconds": ?)\d+(?:\.\d+)?(?:e-\d+)?')
#: The last digits of numbers depend on the processor; so do names in SVG, which are hashes of them.
_DIGITS = re.compile(r"-?\b\d+\.\d{6,}(?:[eE][-+]?\d+)?\b")
_NAMES = re.compile(r'(?<=[#"])([a-z])[0-9a-f]{10}(?=[)"])')
THEN = "2000-01-01T00:00:00.000+00:00"


class Outcome(NamedTuple):
    """What a call said and wrote."""

    status: int
    texts: dict[str, str]  # stdout and stderr, and the files by name
    sizes: dict[str, str]  # of files that are no text


def timeless(text: str) -> str:
    """Replace times of the last hour, and durations in journals."""
    now = datetime.now(timezone.utc)

    def then(found: re.Match[str]) -> str:
        try:
            time = datetime.fromisoformat(found[0].replace("Z", "+00:00")).astimezone(timezone.utc)
        except ValueError:
            return found[0]
        return THEN if abs(now - time) < timedelta(hours=1) else found[0]

    text = _TIME.sub(then, text)
    for today in {f"{now:%Y-%m-%d}", f"{now.astimezone():%Y-%m-%d}"}:
        text = text.replace(today, THEN[:10])
    return _SECONDS.sub(r"\g<1>0", text)


class Normal:
    """Replaces what may differ: times, places, versions of packages, last digits of numbers."""

    def __init__(self, places: Mapping[str, Path], versions: Mapping[str, str]) -> None:
        self._places = {str(path.resolve()): f"<{name}>" for name, path in places.items()}
        told = "|".join(
            rf"{re.escape(name)}[\"': =]+v?{re.escape(version)}"
            for name, version in versions.items()
        )
        self._versions = re.compile(rf"(?i)\b(?:{told})(?![\w.]*\d)")

    def __call__(self, text: str) -> str:
        """Return the text as every call should give it."""
        for path, name in self._places.items():
            text = text.replace(path, name)
        text = self._versions.sub(lambda found: re.split(r"\W", found[0])[0], text)
        text = _DIGITS.sub(lambda found: f"{float(found[0]):.8g}", _NAMES.sub(r"\1", text))
        return timeless(text)


def size_of(content: bytes) -> str:
    """Describe a file that is no text; pictures by width and height, as their size varies."""
    if content.startswith(b"\x89PNG"):
        width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
        return f"{width} x {height}"
    return f"{len(content)} bytes"


def pieces(text: str) -> list[str]:
    """Cut a text into lines, or a long one into runs of lines."""
    lines = text.splitlines()
    if len(lines) <= LONG:
        return lines
    mean = len(lines) * 2 // LONG
    found: list[list[str]] = [[]]
    for line in lines:
        found[-1].append(line)
        if int.from_bytes(hashlib.sha256(line.encode()).digest()[:4], "big") % mean == 0:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]


def hashes(text: str) -> list[str]:
    """Return the hash of each piece."""
    return [
        base64.urlsafe_b64encode(hashlib.sha256(piece.encode()).digest())[:WIDTH].decode()
        for piece in pieces(text)
    ]


def _cut(text: str, width: int) -> list[str]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def recorded(call: str, outcome: Outcome) -> dict[str, Any]:
    """Return what the record keeps of a call."""
    kept = {name: _cut("".join(hashes(text)), 96) for name, text in outcome.texts.items()}
    return {"call": call, "status": outcome.status, **kept, **outcome.sizes}


def differences(before: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    """Say where a call differs from its record."""
    now = {"status": outcome.status, **outcome.texts, **outcome.sizes}
    for name in sorted((before.keys() | now.keys()) - {"call"}):
        if name not in now or name not in before:
            yield f"{name}: {'not written' if name in before else 'not in the record'}"
        elif name in outcome.texts:
            yield from _differing_lines(name, "".join(before[name]), outcome.texts[name])
        elif before[name] != now[name]:
            yield f"{name}: {now[name]}, recorded {before[name]}"


def _differing_lines(name: str, before: str, text: str) -> Iterator[str]:
    old = _cut(before, WIDTH)
    starts = list(itertools.accumulate((len(one.splitlines()) for one in pieces(text)), initial=1))
    lines = text.splitlines()
    matcher = difflib.SequenceMatcher(None, old, hashes(text), autojunk=False)
    for kind, *_, start, end in (code for code in matcher.get_opcodes() if code[0] != "equal"):
        first, last = starts[start], starts[end] - 1
        shown = "".join(f"\n      {line[:150]}" for line in lines[first - 1 : last][:4])
        yield f"{name}: {kind} at line {first}{f' to {last}' if last > first else ''}{shown}"

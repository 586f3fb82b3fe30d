"""Articles of a dump of MediaWiki, and how texts are cut into passages, as in PolQA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.errors import DataError
from qaldgen.features.text.letters import ABBREVIATIONS
from qaldgen.io.files import open_content

#: The longest passage of PolQA, in characters.
LONGEST = 500
_PARAGRAPH = re.compile(r"\r\n|\n|\r")
# a run of stops is tried once, from its beginning, so that a megabyte of dots takes no hour
_STOP = re.compile(r"(?<![.!?…])[.!?…]+[\"”»)\]]*\s+(?=[^\s])|[。！？｡؟۔।]+\s*")
_OPENING = "\"„“«»‹('‘["


class Piece(NamedTuple):
    """A stretch of a text, and where it begins there."""

    text: str
    start: int


def split_text(text: str, longest: int = LONGEST) -> Iterator[Piece]:
    r"""Yield the passages of a text: its paragraphs, and of a longer one as many sentences as fit.

    A sentence that is longer than a passage is cut between words, a word that is longer still
    anywhere.

    >>> [piece.text for piece in split_text("Młyn stoi. Koło stoi.\n\nStaw.", longest=12)]
    ['Młyn stoi.', 'Koło stoi.', 'Staw.']
    """
    start = 0
    for end in [*(match.end() for match in _PARAGRAPH.finditer(text)), len(text)]:
        yield from _paragraph(text, start, end, longest)
        start = end


def _paragraph(text: str, start: int, end: int, longest: int) -> Iterator[Piece]:
    """Yield the passages of one paragraph.

    Ends of sentences are looked for only where it is too long.
    """
    start, end = _stripped(text, start, end)
    if end - start <= longest:
        if end > start:
            yield Piece(text[start:end], start)
        return
    ends = [*_sentence_ends(text, start, end), end]
    begin, last = start, start
    for stop in ends:
        if stop - begin > longest and last > begin:
            yield _piece(text, begin, last)
            begin = _stripped(text, last, end)[0]
        while stop - begin > longest:  # one sentence alone
            cut = text.rfind(" ", begin + 1, begin + longest + 1)
            cut = cut if cut > begin else begin + longest
            yield _piece(text, begin, cut)
            begin = _stripped(text, cut, end)[0]
        last = stop
    if end > begin:
        yield _piece(text, begin, end)


def _piece(text: str, start: int, end: int) -> Piece:
    start, end = _stripped(text, start, end)
    return Piece(text[start:end], start)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences end.

    Not behind an abbreviation, an initial or a number, nor before a small letter.
    """
    for match in _STOP.finditer(text, start, end):
        following = text[match.end() : match.end() + 2].lstrip(_OPENING)[:1]
        if match[0][0] == "." and (following.islower() or _abbreviates(text, start, match.start())):
            continue
        yield match.start() + len(match[0].rstrip())


def _abbreviates(text: str, start: int, stop: int) -> bool:
    word = text[max(start, stop - 30) : stop].rpartition(" ")[2].lstrip(_OPENING)
    return len(word) == 1 or word.isdigit() or word.lower() in ABBREVIATIONS


def articles(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield id, title and plain text of the articles of a dump.

    Redirects and pages that are no articles are left out.
    """
    try:
        import mwparserfromhell
        import mwxml
    except ImportError as error:
        raise DataError(
            f"{path}: a MediaWiki dump needs mwxml and mwparserfromhell: pip install"
            " 'qaldgen[wikipedia]'"
        ) from error
    with open_content(path) as reader:
        try:
            for page in mwxml.Dump.from_file(reader):
                if page.namespace == 0 and page.redirect is None:
                    yield str(page.id), str(page.title), _plain(mwparserfromhell, _last_text(page))
        except Exception as error:  # mwxml raises what its XML parser raises
            raise DataError(
                f"{path}: is truncated or damaged ({type(error).__name__}: {error})"
            ) from error


def _last_text(page: Any) -> str:  # noqa: ANN401 - mwxml has no types
    text = ""
    for revision in page:
        text = revision.text or ""
    return text


def _plain(parser: Any, text: str) -> str:  # noqa: ANN401 - mwparserfromhell has no types
    """Return wikitext as plain text; lists stay, as PolQA keeps them."""
    code = parser.parse(text)
    for node in [
        *code.filter_tags(matches=lambda one: str(one.tag).lower() in {"ref", "table", "gallery"})
    ]:
        try:
            code.remove(node)
        except ValueError:  # it stood inside another one that is gone
            continue
    return str(code.strip_code(normalize=True, collapse=True))

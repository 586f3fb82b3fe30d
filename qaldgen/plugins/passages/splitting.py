"""Cut texts into passages at the ends of paragraphs and sentences, as in PolQA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.features.text.letters import ABBREVIATIONS

#: The longest passage of PolQA.
MAX_CHARS = 500
_PARAGRAPH = re.compile(r"\r\n|\n|\r")
# the lookbehind tries a run of stops only at its beginning: a megabyte of dots takes no hour
_STOP = re.compile(r"(?<![.!?…])[.!?…]+[\"”»)\]]*\s+(?=\S)|[。！？｡؟۔।]+\s*")
_OPENING = "\"„“«»‹('‘["


class Piece(NamedTuple):
    """A part of a text, and the number of characters before it."""

    text: str
    start: int


def split_text(text: str, longest: int) -> Iterator[Piece]:
    r"""Yield the passages of a text: its paragraphs, or runs of sentences of long paragraphs.

    A sentence that is longer than `longest` is cut between words, and a longer word anywhere.

    >>> [piece.text for piece in split_text("Młyn stoi. Koło stoi.\n\nStaw.", longest=12)]
    ['Młyn stoi.', 'Koło stoi.', 'Staw.']
    """
    ends = [match.end() for match in _PARAGRAPH.finditer(text)]
    ends.append(len(text))
    start = 0
    for end in ends:
        paragraph = _piece(text, start, end)
        start = end
        if len(paragraph.text) > longest:
            paragraph_end = paragraph.start + len(paragraph.text)
            yield from _split_paragraph(text, paragraph.start, paragraph_end, longest)
        elif paragraph.text:
            yield paragraph


def _split_paragraph(text: str, start: int, end: int, longest: int) -> Iterator[Piece]:
    """Yield the passages of a paragraph that is too long for one, cut at ends of sentences."""
    stops = []  # the positions after the last sign of each sentence
    for stop_match in _STOP.finditer(text, start, end):
        next_letter = text[stop_match.end() : stop_match.end() + 2].lstrip(_OPENING)[:1]
        preceding = text[max(start, stop_match.start() - 30) : stop_match.start()]
        word = preceding.rpartition(" ")[2].lstrip(_OPENING)
        # no sentence ends after "np.", "J." or "3.", nor before a small letter
        is_abbreviated = len(word) == 1 or word.isdigit() or word.lower() in ABBREVIATIONS
        if stop_match[0][0] != "." or not (next_letter.islower() or is_abbreviated):
            stops.append(stop_match.start() + len(stop_match[0].rstrip()))
    stops.append(end)

    last_stop = start
    for stop in stops:
        if stop - start > longest and last_stop > start:
            yield _piece(text, start, last_stop)
            start = _skip_space(text, last_stop, end)
        while stop - start > longest:  # the sentence itself is too long
            cut = text.rfind(" ", start + 1, start + longest + 1)
            if cut == -1:
                cut = start + longest
            yield _piece(text, start, cut)
            start = _skip_space(text, cut, end)
        last_stop = stop
    if end > start:
        yield _piece(text, start, end)


def _piece(text: str, start: int, end: int) -> Piece:
    """Return a part of a text without white space around it."""
    part = text[start:end]
    return Piece(part.strip(), start + len(part) - len(part.lstrip()))


def _skip_space(text: str, start: int, end: int) -> int:
    """Return the position of the first letter in a part of a text; its end without one."""
    while start < end and text[start].isspace():
        start += 1
    return start

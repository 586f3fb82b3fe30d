"""Data sets of lines without a header: SimpleQuestions, DPR, the blocks of CKBQA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.formats.answer_values import (
    FREEBASE,
    WIKIDATA,
    column,
    list_in,
    named_cell,
    plain_cell,
)
from qaldgen.formats.columns import looks_like_sparql
from qaldgen.formats.file_content import Content
from qaldgen.formats.question_texts import add_wording
from qaldgen.formats.records import Broken, Item, ReadOptions
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

_WIKIDATA = re.compile(
    r"(?P<subject>Q[0-9]+)\t(?P<property>[PR][0-9]+)\t(?P<object>[^\t]+)\t(?P<text>[^\t]*)"
)
#: Recognises a file by its first line; the whole line is checked when it is read.
_WIKIDATA_START = re.compile(r"Q[0-9]+\t[PR][0-9]+\t")
_NAME = r"(?:https?://)?(?:www|rdf)\.freebase\.com/(?:ns/)?"
_FREEBASE = re.compile(
    rf"{_NAME}(?P<subject>[mg][./]\w+)\t{_NAME}(?P<property>[\w./]+)\t{_NAME}(?P<object>[\w./-]+)\t(?P<text>[^\t]*)"
)
_FREEBASE_START = re.compile(rf"{_NAME}[mg][./]\w+\t{_NAME}\w+")
_DIRECT = "http://www.wikidata.org/prop/direct/"


class _Fact(NamedTuple):
    """A fact: the names in the line, and the IRIs of subject and property.

    With `inverse`, the answer is the subject of the triple.
    """

    names: tuple[str, str]
    subject: str
    edge: str
    inverse: bool
    answer: str
    text: str


def recognises_simple(content: Content) -> bool:
    """Return whether this is SimpleQuestions-Wikidata."""
    return content.kind == "text" and _WIKIDATA_START.match(content.text.lstrip()) is not None


def recognises_freebase_simple(content: Content) -> bool:
    """Return whether this is SimpleQuestions over Freebase."""
    return content.kind == "text" and _FREEBASE_START.match(content.text.lstrip()) is not None


def read_simple(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of SimpleQuestions-Wikidata, with generated queries.

    ``R19`` is the inverse of ``P19``.
    """
    expected = "item, property, item and question, separated by tabs (such as Q1, P2 or R2, Q3)"
    for number, line in _lines(content):
        match = _WIKIDATA.fullmatch(line)
        if match is None:
            yield _broken(number, line, expected)
            continue
        name, answer = match["property"], match["object"].strip()
        fact = _Fact(
            (match["subject"], name), WIKIDATA + match["subject"], f"{_DIRECT}P{name[1:]}",
            name[0] == "R", WIKIDATA + answer if re.fullmatch(r"Q[0-9]+", answer) else answer,
            match["text"],
        )  # fmt: skip
        yield _question(number, fact, "wikidata", "SimpleQuestions-Wikidata")


def read_freebase_simple(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of SimpleQuestions over Freebase, with generated queries."""
    expected = (
        "subject, property, object and question, separated by tabs (such as "
        "www.freebase.com/m/04w, ...)"
    )
    for number, line in _lines(content):
        match = _FREEBASE.fullmatch(line)
        if match is None:
            yield _broken(number, line, expected)
            continue
        subject, edge, answer = (
            match[part].replace("/", ".") for part in ("subject", "property", "object")
        )
        fact = _Fact(
            (subject, edge),
            FREEBASE + subject,
            FREEBASE + edge,
            False,
            FREEBASE + answer,
            match["text"],
        )
        yield _question(number, fact, "freebase", "SimpleQuestions")


def _lines(content: Content) -> Iterator[tuple[int, str]]:
    return (
        (number, line.rstrip("\r")) for number, line in enumerate(content.lines, 1) if line.strip()
    )


def _broken(number: int, line: str, expected: str) -> Broken:
    return Broken(f"line {number}", f"line {number}", f"{line[:60]!r} is not {expected}")


def _question(number: int, fact: _Fact, graph: str, origin: str) -> Question:
    subject, edge = f"<{fact.subject}>", f"<{fact.edge}>"
    pattern = f"?x {edge} {subject}" if fact.inverse else f"{subject} {edge} ?x"
    texts: dict[str, tuple[str, ...]] = {}
    add_wording(texts, "en", fact.text)
    return Question(
        id=str(number),
        texts=texts,
        queries={graph: f"SELECT ?x WHERE {{ {pattern} }}"},
        answers=column([plain_cell(fact.answer)], "x"),
        origin=origin,
        metadata=dict(zip(("subject", "property"), fact.names, strict=True)),
    )


_LOOKED_AT = 20
#: The first line of a block of CKBQA: the id and the question.
_ASKED = re.compile(r"\s*(?P<id>q[0-9]+)\s*[:：]\s*(?P<text>.*\S)\s*", re.IGNORECASE)
#: An answer of CKBQA: an entity, a literal, or a bare word.
_ANSWER = re.compile(r'<([^<>]+)>|"((?:[^"\\]|\\.)*)"(?:@[\w-]+|\^\^\S+)?|([^\t]*[^\t ])')


def recognises_pairs(content: Content) -> bool:
    """Return whether the first lines are a text and a list."""
    if content.kind != "text":
        return False
    lines = [line for line in content.text[:100_000].split("\n")[:_LOOKED_AT] if line.strip()]
    return all(_answers(line) is not None for line in lines[:-1] or lines)


def read_pairs(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions; the line number is the id."""
    for number, line in enumerate(content.lines, 1):
        if not line.strip():
            continue
        wordings = _answers(line)
        if wordings is None:
            reason = (
                f"{line[:60]!r} is not a question, a tab and a list of answers such as ['a', 'b']"
            )
            yield Broken(f"line {number}", f"line {number}", reason)
            continue
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, options.language, line.split("\t")[0])
        yield Question(
            id=str(number), texts=texts, answers=Answers(texts=(wordings,) if wordings else ())
        )


def recognises_blocks(content: Content) -> bool:
    """Return whether this is CKBQA: an id, a colon and a question, then the query and answers."""
    lines = [line for line in content.text[:100_000].split("\n") if line.strip()][:2]
    return (
        content.kind == "text"
        and bool(lines)
        and _ASKED.fullmatch(lines[0]) is not None
        and (
            len(lines) == 1 or looks_like_sparql(lines[1]) or _ASKED.fullmatch(lines[1]) is not None
        )
    )


def read_blocks(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of CKBQA; its test sets have neither queries nor answers."""
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(content.lines, 1):
        if _ASKED.fullmatch(line) or (line.strip() and not blocks):
            blocks.append((number, []))
        if line.strip():
            blocks[-1][1].append(line.strip())
    for number, (first, *rest) in blocks:
        asked = _ASKED.fullmatch(first)
        place = f"line {number}"
        if asked is None:
            yield Broken(place, place, f"{first[:60]!r} is not an id, a colon and a question")
            continue
        query = rest.pop(0) if rest and looks_like_sparql(rest[0]) else ""
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "zh", asked["text"])
        yield Question(
            id=asked["id"],
            texts=texts,
            queries={graph_of_query(query): query} if query else {},
            answers=column(_named(rest)) if rest else None,
            origin="CKBQA",
        )


def _named(lines: list[str]) -> Iterator[Cell]:
    """Yield the answers of CKBQA; its entities have names instead of IRIs."""
    for entity, literal, word in _ANSWER.findall("\t".join(lines)):
        if entity:
            yield Cell("uri", entity)
        elif literal or word:
            yield named_cell(literal or word)


def _answers(line: str) -> tuple[str, ...] | None:
    """Return the names of the answer; None if the line is not a text and a list of texts."""
    text, tab, listed = line.rstrip("\r").partition("\t")
    found = list_in(_unquoted(listed)) if tab and text.strip() else None
    if found is None or any(isinstance(item, (dict, list)) for item in found):
        return None
    return tuple(dict.fromkeys(str(item).strip() for item in found if str(item).strip()))


def _unquoted(cell: str) -> str:
    """Return a cell without the quotes that csv writers put around it."""
    cell = cell.strip()
    return cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell

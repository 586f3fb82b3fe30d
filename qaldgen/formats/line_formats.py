"""Data sets of lines without a header: SimpleQuestions, the blocks of CKBQA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.formats.answer_values import FREEBASE, WIKIDATA, answers_in_column, named_cell
from qaldgen.formats.columns import looks_like_sparql
from qaldgen.formats.file_content import Content
from qaldgen.formats.question_texts import add_wording
from qaldgen.formats.records import Broken, Item, ReadOptions
from qaldgen.formats.results_json import plain_cell
from qaldgen.model import Cell, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

_FREEBASE_NAME = r"(?:https?://)?(?:www|rdf)\.freebase\.com/(?:ns/)?"


class _Facts(NamedTuple):
    """SimpleQuestions over one knowledge graph: lines of subject, property, object, question."""

    graph: str
    origin: str
    start: re.Pattern[str]  # recognises a file by its first line; each line is checked when read
    line: re.Pattern[str]
    expected: str  # what a line holds, for messages
    subjects: str  # the namespaces of subjects and objects, and of properties
    properties: str


_SIMPLE_WIKIDATA = _Facts(
    "wikidata",
    "SimpleQuestions-Wikidata",
    re.compile(r"Q[0-9]+\t[PR][0-9]+\t"),
    re.compile(
        r"(?P<subject>Q[0-9]+)\t(?P<property>[PR][0-9]+)\t(?P<object>[^\t]+)\t(?P<text>[^\t]*)"
    ),
    "item, property, item and question, separated by tabs (such as Q1, P2 or R2, Q3)",
    WIKIDATA,
    "http://www.wikidata.org/prop/direct/",
)
_SIMPLE_FREEBASE = _Facts(
    "freebase",
    "SimpleQuestions",
    re.compile(rf"{_FREEBASE_NAME}[mg][./]\w+\t{_FREEBASE_NAME}\w+"),
    re.compile(
        rf"{_FREEBASE_NAME}(?P<subject>[mg][./]\w+)\t{_FREEBASE_NAME}(?P<property>[\w./]+)"
        rf"\t{_FREEBASE_NAME}(?P<object>[\w./-]+)\t(?P<text>[^\t]*)"
    ),
    "subject, property, object and question, separated by tabs (such as www.freebase.com/m/04w,"
    " ...)",
    FREEBASE,
    FREEBASE,
)


def recognises_simple(content: Content) -> bool:
    """Return whether this is SimpleQuestions-Wikidata."""
    return _starts(content, _SIMPLE_WIKIDATA)


def recognises_freebase_simple(content: Content) -> bool:
    """Return whether this is SimpleQuestions over Freebase."""
    return _starts(content, _SIMPLE_FREEBASE)


def _starts(content: Content, facts: _Facts) -> bool:
    return content.kind == "text" and facts.start.match(content.text.lstrip()) is not None


def read_simple(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of SimpleQuestions-Wikidata, with generated queries."""
    return _read_facts(content, _SIMPLE_WIKIDATA)


def read_freebase_simple(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of SimpleQuestions over Freebase, with generated queries."""
    return _read_facts(content, _SIMPLE_FREEBASE)


def _read_facts(content: Content, facts: _Facts) -> Iterator[Item]:
    for number, line in enumerate(content.lines, 1):
        match = facts.line.fullmatch(line.rstrip("\r"))
        if match is not None:
            yield _simple_question(number, match, facts)
        elif line.strip():
            reason = f"{line.rstrip(chr(13))[:60]!r} is not {facts.expected}"
            yield Broken(f"line {number}", f"line {number}", reason)


def _simple_question(number: int, match: re.Match[str], facts: _Facts) -> Question:
    """Return a question with a query; ``R19`` is the inverse of ``P19`` of Wikidata."""
    subject, edge, answer = (match[part].strip() for part in ("subject", "property", "object"))
    if facts is _SIMPLE_FREEBASE:
        subject, edge, answer = (part.replace("/", ".") for part in (subject, edge, answer))
    inverse = facts is _SIMPLE_WIKIDATA and edge[0] == "R"
    thing = f"<{facts.subjects}{subject}>"
    arc = f"<{facts.properties}{f'P{edge[1:]}' if inverse else edge}>"
    is_thing = facts is _SIMPLE_FREEBASE or re.fullmatch(r"Q[0-9]+", answer)
    texts: dict[str, tuple[str, ...]] = {}
    add_wording(texts, "en", match["text"])
    pattern = f"?x {arc} {thing}" if inverse else f"{thing} {arc} ?x"
    return Question(
        id=str(number),
        texts=texts,
        queries={facts.graph: f"SELECT ?x WHERE {{ {pattern} }}"},
        answers=answers_in_column(
            [plain_cell(facts.subjects + answer if is_thing else answer)], "x"
        ),
        origin=facts.origin,
        metadata={"subject": subject, "property": edge},
    )


#: The first line of a block of CKBQA: the id and the question.
_ASKED = re.compile(r"\s*(?P<id>q[0-9]+)\s*[:：]\s*(?P<text>.*\S)\s*", re.IGNORECASE)
#: An answer of CKBQA: an entity, a literal, or a bare word.
_ANSWER = re.compile(r'<([^<>]+)>|"((?:[^"\\]|\\.)*)"(?:@[\w-]+|\^\^\S+)?|([^\t]*[^\t ])')


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
            answers=answers_in_column(_named(rest)) if rest else None,
            origin="CKBQA",
        )


def _named(lines: list[str]) -> Iterator[Cell]:
    """Yield the answers of CKBQA; its entities have names instead of IRIs."""
    for entity, literal, word in _ANSWER.findall("\t".join(lines)):
        if entity:
            yield Cell("uri", entity)
        elif literal or word:
            yield named_cell(literal or word)

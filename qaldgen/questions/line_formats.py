"""Formats of data sets in lines of text without a header: SimpleQuestions, CKBQA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.model import Answers, Cell
from qaldgen.questions.cells import FREEBASE, WIKIDATA, expand_prefix
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.column_values import looks_like_sparql
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import Unparsed
from qaldgen.questions.record_formats import RecordFormat, keys
from qaldgen.questions.records import Fields
from qaldgen.questions.results_json import iri_or_literal
from qaldgen.questions.values import answers_in_column

_FREEBASE_PREFIX = r"(?:https?://)?(?:www|rdf)\.freebase\.com/(?:ns/)?"
#: The first line of a block of CKBQA: the id and the question.
_BLOCK_START = re.compile(r"\s*(?P<id>q[0-9]+)\s*[:：]\s*(?P<text>.*\S)\s*", re.IGNORECASE)
#: An answer of CKBQA: an entity, a literal, or a bare word.
_ANSWER = re.compile(r'<([^<>]+)>|"((?:[^"\\]|\\.)*)"(?:@[\w-]+|\^\^\S+)?|([^\t]*[^\t ])')


class _Facts(NamedTuple):
    """SimpleQuestions over one knowledge graph: lines of subject, property, object, question."""

    graph: str
    origin: str
    start: re.Pattern[str]  # recognises a file by the start of its first line
    line: re.Pattern[str]  # matches a whole line
    expected: str  # what a line holds, for messages
    entity_namespace: str  # of subjects and objects
    property_namespace: str


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
    re.compile(rf"{_FREEBASE_PREFIX}[mg][./]\w+\t{_FREEBASE_PREFIX}\w+"),
    re.compile(
        rf"{_FREEBASE_PREFIX}(?P<subject>[mg][./]\w+)\t{_FREEBASE_PREFIX}(?P<property>[\w./]+)"
        rf"\t{_FREEBASE_PREFIX}(?P<object>[\w./-]+)\t(?P<text>[^\t]*)"
    ),
    "subject, property, object and question, separated by tabs (such as www.freebase.com/m/04w,"
    " ...)",
    FREEBASE,
    FREEBASE,
)


def _simple_questions(facts: _Facts, description: str) -> RecordFormat:
    """Return the format of SimpleQuestions over a knowledge graph, with a query for each fact."""

    def rows(content: Content, options: ReadOptions) -> Iterator[object]:
        for number, line in enumerate(content.lines, 1):
            match = facts.line.fullmatch(line.rstrip("\r"))
            if match is None:
                if line.strip():
                    yield Unparsed(f"line {number}: {line.strip()[:60]!r} is not {facts.expected}")
                continue
            parts = (match[part].strip() for part in ("subject", "property", "object"))
            if facts is _SIMPLE_FREEBASE:
                parts = (part.replace("/", ".") for part in parts)
            subject, edge, answer = parts
            subject_iri = f"<{facts.entity_namespace}{subject}>"
            pattern = f"{subject_iri} <{facts.property_namespace}{edge}> ?x"
            if facts is _SIMPLE_WIKIDATA and edge[0] == "R":  # R19 is the inverse of P19
                pattern = f"?x <{facts.property_namespace}P{edge[1:]}> {subject_iri}"
            if facts is _SIMPLE_FREEBASE or re.fullmatch(r"Q[0-9]+", answer):
                answer = facts.entity_namespace + answer
            yield {
                "line": number,
                "text": match["text"],
                "sparql": f"SELECT ?x WHERE {{ {pattern} }}",
                "object": answer,
                "subject": subject,
                "property": edge,
            }

    return RecordFormat(
        description,
        facts.origin,
        ("line",),
        {"text": "en"},
        recognises=lambda content: (
            content.kind == "text" and facts.start.match(content.text.lstrip()) is not None
        ),
        rows=rows,
        queries={"sparql": facts.graph},
        answers=lambda record: answers_in_column([iri_or_literal(record.scalar("object"))], "x"),
        dropped=keys("object"),
    )


def _is_ckbqa(content: Content) -> bool:
    lines = [line for line in content.text[:100_000].split("\n") if line.strip()][:2]
    if content.kind != "text" or not lines or not _BLOCK_START.fullmatch(lines[0]):
        return False
    return len(lines) == 1 or looks_like_sparql(lines[1]) or bool(_BLOCK_START.fullmatch(lines[1]))


def _ckbqa_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield a record for each block: a line with id, colon and question; the query; answers."""
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(content.lines, 1):
        if _BLOCK_START.fullmatch(line) or (line.strip() and not blocks):
            blocks.append((number, []))
        if line.strip():
            blocks[-1][1].append(line.strip())
    for number, (first_line, *answers) in blocks:
        match = _BLOCK_START.fullmatch(first_line)
        if match is None:
            shown = repr(first_line[:60])
            yield Unparsed(f"line {number}: {shown} is not an id, a colon and a question")
            continue
        query = ""
        if answers and looks_like_sparql(answers[0]):
            query = answers.pop(0)
        yield {**match.groupdict(), "sparql": query, "answers": answers}


def _ckbqa_answers(record: Fields) -> Answers | None:
    """Return the answers of CKBQA, whose entities have names instead of IRIs."""
    lines = record.strings("answers")
    if not lines:
        return None
    cells = []
    for entity, literal, word in _ANSWER.findall("\t".join(lines)):
        if entity:
            cells.append(Cell("uri", entity))
        elif literal or word:
            cells.append(expand_prefix(literal or word))
    return answers_in_column(cells)


LINE_FORMATS = {
    "simplequestions-wikidata": _simple_questions(
        _SIMPLE_WIKIDATA, "SimpleQuestions over Wikidata, TSV"
    ),
    "simplequestions-freebase": _simple_questions(
        _SIMPLE_FREEBASE, "SimpleQuestions over Freebase, TSV"
    ),
    # its test sets have neither queries nor answers
    "ckbqa": RecordFormat(
        "CKBQA text: blocks of a question, its SPARQL and its answers",
        "CKBQA",
        ("id",),
        {"text": "zh"},
        recognises=_is_ckbqa,
        rows=_ckbqa_rows,
        queries={"sparql": ""},
        answers=_ckbqa_answers,
        dropped=keys("answers"),
    ),
}

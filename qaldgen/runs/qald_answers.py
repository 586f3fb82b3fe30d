"""Read GERBIL's answer files.

QALD JSON and extended QALD JSON, more tolerant than GERBIL, which is noted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain

from qaldgen.errors import DataError
from qaldgen.formats.file_content import Content
from qaldgen.formats.gerbil.loader import gerbil_refusal
from qaldgen.formats.gerbil.values import with_gerbil
from qaldgen.formats.json_documents import parse_json
from qaldgen.formats.qald_json import (
    PlainEntry,
    Wording,
    element_answers,
    entry_texts,
    plain_entry,
)
from qaldgen.formats.question_texts import answer_type, gerbil_answer_type, language_tag
from qaldgen.formats.records import (
    Fields,
    boolean_of,
    document_fields,
    drain,
    id_note,
    scalar_text,
)
from qaldgen.formats.results_json import merge_answers, plain_results
from qaldgen.io.text import sentences
from qaldgen.model import Answers, Remark
from qaldgen.runs.plain_answers import has_answers
from qaldgen.runs.record import (
    GERBIL_REFUSES,
    ParsedResponse,
    ParsedRun,
    Response,
    RunOptions,
    status_of,
)

_NO_VALUE = "have a cell without a value, which is left out"
_NO_JSON = "have answers that are a string without JSON, which counts as empty"
_NO_ID = "have no id; GERBIL calls them all 'null'"


def recognises_qald_answers(content: Content) -> bool:
    """Say whether this is QALD JSON: a list of ``questions``, not answered under another name."""
    entries = content.listed("questions")
    if entries is None or recognises_extended_answers(content):
        return False
    records = [entry for entry in entries if isinstance(entry, dict)]
    names = frozenset(chain.from_iterable(records))
    return len(records) < len(entries) or "answers" in names or not has_answers(names)


def recognises_extended_answers(content: Content) -> bool:
    """Say whether this is extended QALD JSON: ``question`` of the first question is an object."""
    first = (content.listed("questions") or [None])[0]
    return isinstance(first, dict) and isinstance(first.get("question"), dict)


def read_qald_answers(content: Content, asked: RunOptions) -> ParsedRun:
    """Read QALD JSON: all elements of ``answers`` together; missing answers are empty ones."""
    return _read(content, asked, extended=False)


def read_extended_answers(content: Content, asked: RunOptions) -> ParsedRun:
    """Read extended QALD JSON; of several queries of a question the last counts, as in GERBIL."""
    return _read(content, asked, extended=True)


def _read(content: Content, asked: RunOptions, *, extended: bool) -> ParsedRun:
    # GERBIL takes every entry of the usual shape
    usual = all(isinstance(entry, PlainEntry) for entry in content.listed("questions") or [None])
    rest = json.dumps({**document_fields(content).data, "questions": []}) if usual else content.text
    refusal = gerbil_refusal(rest)
    given: list[ParsedResponse] = []
    remarks: dict[str, list[str]] = {}
    for entry in _entries(content, extended):
        if isinstance(entry, PlainEntry):
            given.append(_of_plain(entry, asked.language))
            continue
        name = _name(entry)
        if name == "null":
            remarks.setdefault(_NO_ID, []).append(name)
        kind = entry.scalar("answertype")
        answers, odd = _answers(entry, answer_type(kind))
        for remark in odd:
            remarks.setdefault(remark, []).append(name)
        wordings, query, _ = entry_texts(entry, asked.language, extended=extended)
        given.append(
            ParsedResponse(
                Response(name, status_of(answers), answers, query, gerbil_answer_type(kind)),
                _text_in(asked.language, wordings),
            )
        )
    refused = (
        [Remark(f"GERBIL would refuse this file: {refusal}", rule=GERBIL_REFUSES)]
        if refusal
        else []
    )
    return ParsedRun(given, [*sentences(remarks), *refused])


def _of_plain(entry: PlainEntry, language: str) -> ParsedResponse:
    answers = entry.answers or Answers()
    text = _text_in(language, entry.wordings)
    return ParsedResponse(
        Response(
            entry.id, status_of(answers), answers, entry.query, gerbil_answer_type(entry.kind)
        ),
        text,
    )


def _entries(content: Content, extended: bool) -> Iterator[Fields | PlainEntry]:
    for number, value in enumerate(drain(document_fields(content).values("questions")), 1):
        plain = None if extended else plain_entry(value)
        if plain is not None:
            yield plain
            continue
        inner = value.get("question") if extended and isinstance(value, dict) else None
        entry = {} if extended and value == {} else value if inner is None else inner
        yield Fields(
            entry, (str(content.path), f"question {number}{id_note(entry, ['id', 'name'])}")
        )


def _name(entry: Fields) -> str:
    name = entry.scalar("id") or entry.scalar("name")
    return name or "null"


def _text_in(language: str, wordings: Sequence[Wording]) -> str:
    """Return the text in a language, or else the first."""
    if len(wordings) == 1:  # the most frequent case
        return wordings[0].text.strip()
    texts = [(one.language, one.text.strip()) for one in wordings]
    in_language = [text for tag, text in texts if language_tag(tag) == language_tag(language)]
    return next((text for text in [*in_language, *(text for _, text in texts)] if text), "")


def _answers(entry: Fields, kind: str) -> tuple[Answers, list[str]]:
    """Return the answers, and what is odd about them."""
    value = entry.data.get("answers")
    elements = value if isinstance(value, list) else [] if value is None or value == "" else [value]
    parts, odd = [], []
    for number, element in enumerate(elements):
        if isinstance(element, str):
            try:
                element = parse_json(element, "")
            except DataError:
                odd.append(_NO_JSON)
                continue
        # Some systems write an element that has nothing but a confidence.
        if element is None or (isinstance(element, dict) and element.keys() <= {"confidence"}):
            continue
        plain = plain_results(element)
        if plain is not None:
            parts.append(plain)
            continue
        name = f"answers[{number}]"
        cleaned, without = _cleaned(entry.inside(name, element))
        odd += [_NO_VALUE] if without else []
        parts.append(element_answers(entry, name, cleaned, kind))
    return with_gerbil(merge_answers(parts), elements) if parts else Answers(), list(
        dict.fromkeys(odd)
    )


def _cleaned(results: Fields) -> tuple[dict[str, object], bool]:
    """Return results with a real boolean and cells with values, and whether there were others."""
    data = dict(results.data)
    if "boolean" in data:
        data["boolean"] = _boolean(results)
    inner = results.nested("results")
    rows = [row for row in inner.values("bindings") if row is not None]
    kept = [
        (
            {name: cell for name, cell in row.items() if _has_value(cell)}
            if isinstance(row, dict)
            else row
        )
        for row in rows
    ]
    if inner.data:
        data["results"] = {"bindings": kept}
    return data, kept != inner.values("bindings")


def _has_value(cell: object) -> bool:
    return cell is not None and not (isinstance(cell, dict) and cell.get("value") is None)


def _boolean(results: Fields) -> bool | None:
    value = results.data["boolean"]
    if value is None or value == "":
        return None
    if isinstance(value, (bool, int, float)):
        return value != 0
    truth = boolean_of(scalar_text(value)) if isinstance(value, str) else None
    if truth is None:
        raise results.error("boolean", "true or false")
    return truth

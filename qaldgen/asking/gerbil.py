"""GERBIL's protocol: a form with the question, QALD JSON as the reply."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from qaldgen.asking.record import Asker, AskOne, NoAnswer, Posed, Said, System
from qaldgen.asking.web import Web, access_of, same_question
from qaldgen.errors import DataError
from qaldgen.formats.file_content import Content
from qaldgen.formats.gerbil.loader import gerbil_refusal
from qaldgen.formats.json_documents import Decimals
from qaldgen.io.web.body import parse_json
from qaldgen.io.web.failure import Failure
from qaldgen.io.web.messages import Request, with_parameters
from qaldgen.io.web.one_line import one_line
from qaldgen.io.web.pace import Gate
from qaldgen.runs.qald_answers import (
    read_extended_answers,
    read_qald_answers,
    recognises_extended_answers,
)
from qaldgen.runs.record import Asked

_LONGEST = 1_000


def gerbil(system: System) -> Asker:
    """Return a system that speaks GERBIL's protocol."""
    access = access_of(system)

    @asynccontextmanager
    async def opened(gate: Gate) -> AsyncIterator[AskOne]:
        web = Web(system, access, gate)

        async def ask(posed: Posed) -> Said:
            reply = await web.text(_request(web, posed))
            return read_reply(reply.text, web.name, posed)._replace(attempts=reply.attempts)

        yield ask

    return Asker(f"{access.address.label} in {system.language}", opened, system.timeout, system.kg)


def read_reply(text: str, server: str, posed: Posed) -> Said:
    """Read the reply of a system to a question.

    >>> reply = '{"questions": [{"answers": [{"boolean": true}]}]}'
    >>> read_reply(reply, "localhost", Posed("Is it?")).answers.values()
    ['true']
    """
    try:
        document, odd = _parse(text)
        _check(document, server, posed)
        content = Content(
            Path(server),
            "json",
            text,
            sha256(text.encode("utf-8", "replace")).hexdigest(),
            document,
        )
        read = read_extended_answers if recognises_extended_answers(content) else read_qald_answers
        response = read(content, Asked(None, posed.language)).given[0].response
    except Failure as failure:
        raise NoAnswer(f"{server}: {failure.reason}", Said(raw=text)) from None
    except DataError as error:
        raise NoAnswer(one_line(str(error), _LONGEST), Said(raw=text)) from None
    # We are more lenient than GERBIL, so the user should know what it would not have read.
    refusal = gerbil_refusal(text)
    notes = [
        note
        for note in (odd, f"GERBIL would refuse the reply: {refusal}" if refusal else "")
        if note
    ]
    return Said(
        response.answers,
        response.query,
        text,
        response.answer_type,
        response.mentions,
        one_line("; ".join(notes), _LONGEST),
    )


def _parse(text: str) -> tuple[Any, str]:
    """Parse a reply.

    Repeated keys and NaN are harmless, as in most readers of JSON, but are reported.
    """
    try:
        return parse_json(text, strict=True, number=Decimals), ""
    except Failure as failure:
        odd = failure.reason
    return parse_json(text, strict=False, number=Decimals), odd


def _check(document: object, server: str, posed: Posed) -> None:
    """Refuse JSON that is not QALD JSON with a question, or has another question."""
    keys = set(document) if isinstance(document, dict) else set()
    questions = document.get("questions") if isinstance(document, dict) else None
    if "questions" not in keys and keys & {"results", "boolean"}:
        rule = "which GERBIL refuses; they belong into 'answers' of a question in QALD JSON"
        raise DataError(f"{server}: the reply is bare SPARQL results, {rule}")
    if not isinstance(questions, list) or not questions:
        raise DataError(
            f"{server}: the reply contains no question; QALD JSON has the answers in 'questions',"
            " the first of which counts"
        )
    texts = list(_texts(questions[0]))
    if texts and not any(same_question(posed.text, text) for text in texts):
        raise DataError(f"{server}: the reply is about another question: {one_line(texts[0])!r}")


def _texts(question: object) -> list[str]:
    """Return the texts that a reply repeats, in QALD JSON and in its extended format."""
    if not isinstance(question, dict):
        return []
    inner = question.get("question")
    if isinstance(inner, str):
        return [inner]
    if isinstance(inner, dict):
        inner = inner.get("language", inner.get("question"))
    entries = inner if isinstance(inner, list) else []
    strings = [
        entry.get("string", entry.get("question")) for entry in entries if isinstance(entry, dict)
    ]
    return [text for text in strings if isinstance(text, str) and text.strip()]


def _request(web: Web, posed: Posed) -> Request:
    address, raw = web.access.address, web.system.raw
    fields = {"query": posed.text, "lang": posed.language}
    # A lone surrogate, which UTF-8 cannot encode, becomes a question mark.
    if raw:
        body = "&".join(f"{name}={value}" for name, value in fields.items()).encode(
            "utf-8", "replace"
        )
    else:
        body = urlencode(fields, errors="replace").encode()
    form = "application/x-www-form-urlencoded"
    headers = {
        "Content-Type": (
            f"{form}; charset=ISO-8859-1;charset=UTF-8" if raw else f"{form}; charset=UTF-8"
        ),
        "Accept": "application/json; charset=UTF-8",
    }
    return Request(with_parameters(address.url, address.parameters), body, headers)

"""What systems reply, as answers: values of programs, and texts of language models."""

from __future__ import annotations

import dataclasses
import numbers
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qaldgen.answers.plain_answers import read_records
from qaldgen.answers.qald_answers import (
    read_extended_answers,
    read_qald_answers,
    recognises_extended_answers,
)
from qaldgen.answers.reading import RUN_READERS
from qaldgen.answers.record import Response, RunOptions
from qaldgen.answers.resume import Fault
from qaldgen.answers.run_columns import columns_by_role
from qaldgen.asking.systems import NoAnswer, SystemReply
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.json_text import from_json
from qaldgen.io.text import one_line
from qaldgen.model import Answers
from qaldgen.questions.file_content import Content
from qaldgen.questions.system_columns import answer_columns

_COUNTS = ("tokens_in", "tokens_out")
_EXPECTED = (
    "a text, a number, true or false, a list of these, or an object with answer, answers,"
    " query or error"
)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*([\w-]*)[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:\d{1,3}[.)]\s+|[-*\u2022]\s+)?")
_QUERY = re.compile(r"\b(?:PREFIX\s+[\w.-]*:|BASE\s*<|SELECT\b|ASK\b)", re.IGNORECASE)


def reply_of(value: object) -> SystemReply:
    """Return the result of a program as the reply of a system.

    >>> reply_of(["Ulm", 7]).answers.values(), reply_of({"query": "ASK {}"}).query
    (['Ulm', '7'], 'ASK {}')
    """
    if isinstance(value, SystemReply):
        return value
    if isinstance(value, Answers):
        return SystemReply(value)
    if isinstance(value, Response):
        return _of_response(value)
    if value is None:
        return SystemReply(Answers())
    if isinstance(value, Mapping):
        return _of_object({str(key): field for key, field in value.items()})
    if isinstance(value, bool):
        return SystemReply(Answers(boolean=value))
    items = [value] if isinstance(value, str | numbers.Real) else value
    if not isinstance(items, list | tuple | set | frozenset):
        raise ValueError(f"the answer is a {type(value).__name__}; {_EXPECTED} is expected")
    ordered = items
    if isinstance(items, set | frozenset):
        ordered = sorted(items, key=str)
    if not all(isinstance(item, str | numbers.Real) for item in ordered):
        raise ValueError(f"the answer is a list of other things; {_EXPECTED} is expected")
    texts = [text for item in ordered if (text := str(item).strip())]
    return SystemReply(Answers(texts=tuple((text,) for text in texts)))


def _of_response(response: Response) -> SystemReply:
    call = response.call
    reply = SystemReply(
        response.answers,
        response.query,
        raw=call.raw,
        answer_type=response.answer_type,
        mentions=response.mentions,
        note=response.error,
        attempts=call.attempts or 1,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        cost=call.cost,
        model=call.model,
    )
    if response.status not in {"answered", "empty"}:
        raise NoAnswer(
            response.error or response.status, reply, Fault.ONE, late=response.status == "timeout"
        )
    return reply


def _of_object(value: dict[str, Any]) -> SystemReply:
    try:
        reply = _read_object(value)
    except DataError as error:
        raise ValueError(one_line(str(error).removeprefix("the reply: "))) from None
    details = {
        name: value[name] for name in _COUNTS if type(value.get(name)) is int and value[name] >= 0
    }
    if isinstance(value.get("cost"), int | float) and value["cost"] >= 0:
        details["cost"] = value["cost"]
    if isinstance(value.get("model"), str):
        details["model"] = value["model"]
    reply = reply._replace(**details)
    has_answer = reply.query or (reply.answers is not None and reply.answers.values())
    if value.get("error") and not has_answer:
        raise NoAnswer(one_line(str(value["error"]), 1_000), reply)
    return reply


def _read_object(value: dict[str, Any]) -> SystemReply:
    """Read an object as the readers of runs do."""
    content = Content(Path("the reply"), kind="json", text="", sha256="", document=value)
    if "questions" in value:
        read = read_qald_answers
        if recognises_extended_answers(content):
            read = read_extended_answers
        return _of_response(read(content, RunOptions(None, LANGUAGE)).responses[0].response)
    record = {**value, "id": "1"}
    content = dataclasses.replace(content, kind="jsonl", document=[record], keys=frozenset(record))
    for reader in RUN_READERS.values():
        if reader.replies and reader.recognises(content):
            run = reader.read(content, RunOptions(None, LANGUAGE))
            return _of_response(run.responses[0].response)
    queries = [record[name] for name in columns_by_role(record)["query"] if record[name]]
    query = queries[0] if queries else ""
    if "results" in value or isinstance(value.get("boolean"), bool):
        record = {"id": "1", "answers": {"head": {}, **value}}
        content = dataclasses.replace(content, document=[record], keys=frozenset())
        response = read_records(content, RunOptions(None, LANGUAGE)).responses[0].response
        return SystemReply(response.answers, str(query))
    if answer_columns(name for name in record if record[name] is not None):
        response = read_records(content, RunOptions(None, LANGUAGE)).responses[0].response
        return SystemReply(response.answers, response.query, answer_type=response.answer_type)
    if query and isinstance(query, str):
        return SystemReply(None, query)
    if value.get("error"):
        return SystemReply()
    raise ValueError(f"the answer is an object without a known field; {_EXPECTED} is expected")


def in_text(reply: str) -> SystemReply:
    """Take the whole reply, without reasoning.

    >>> in_text("<think>Hm.</think> Ulm").answers.texts
    (('Ulm',),)
    """
    text = _THOUGHT.sub("", reply).strip()
    if not text:
        return SystemReply(Answers())
    return SystemReply(Answers(texts=((text,),)))


def in_tag(reply: str) -> SystemReply:
    """Take the content of the last ``<answer>``."""
    bodies = _TAG.findall(_THOUGHT.sub("", reply))
    if not bodies:
        raise ValueError("the reply has no <answer>")
    # models often quote the format they were asked for first, and answer last
    return in_text(bodies[-1])


def in_json(reply: str) -> SystemReply:
    """Take the fields of a JSON object, alone or in a code block.

    ``answer`` or ``answers``, or ``query``.

    >>> in_json('{"answers": ["Ulm", "Bonn"]}').answers.values()
    ['Ulm', 'Bonn']
    """
    text = _THOUGHT.sub("", reply)
    code_blocks = [body for _, body in _FENCE.findall(text)]
    # a code block is more likely the answer than braces in the text around it
    for candidate in (*code_blocks, text, text[text.find("{") : text.rfind("}") + 1]):
        try:
            value = from_json(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            return reply_of(value)
    raise ValueError("the reply holds no JSON object")


def in_query(reply: str) -> SystemReply:
    """Take a SPARQL query: that of the last code block, or from where one begins.

    >>> in_query("Here it is: SELECT * { ?s ?p ?o }").query
    'SELECT * { ?s ?p ?o }'
    """
    text = _THOUGHT.sub("", reply)
    code_blocks = [
        body
        for kind, body in _FENCE.findall(text)
        if _QUERY.search(body) and kind.lower() != "json"
    ]
    if code_blocks:
        # the last block is the final version where a model corrects itself
        return SystemReply(query=code_blocks[-1].strip())
    try:
        in_object = in_json(text)
        if in_object.query:
            return in_object
    except ValueError:
        pass
    start = _QUERY.search(text)
    if start is None:
        raise ValueError("the reply holds no SPARQL query")
    return SystemReply(query=text[start.start() :].strip())


def in_lines(reply: str) -> SystemReply:
    r"""Take every line as an answer, without the numbers and signs of a list.

    >>> in_lines("1. Ulm\n- Bonn").answers.values()
    ['Ulm', 'Bonn']
    """
    lines = (_BULLET.sub("", line).strip(' *`"') for line in _THOUGHT.sub("", reply).split("\n"))
    return SystemReply(Answers(texts=tuple((line,) for line in lines if line)))


def anywhere(reply: str) -> SystemReply:
    """Take the answer from a tag or a JSON object if there is one, else the whole reply."""
    for reading in (in_tag, in_json):
        try:
            return reading(reply)
        except ValueError:
            continue
    return in_text(reply)


#: Every way to find the answer in a reply.
READINGS: dict[str, Callable[[str], SystemReply]] = {
    "auto": anywhere,
    "text": in_text,
    "json": in_json,
    "tag": in_tag,
    "lines": in_lines,
    "sparql": in_query,
}

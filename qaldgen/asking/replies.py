"""Read the replies of systems: values of programs, and texts of language models."""

from __future__ import annotations

import dataclasses
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from qaldgen.answers.plain_answers import read_records
from qaldgen.answers.qald_answers import read_qald_answers
from qaldgen.answers.reading import RUN_READERS
from qaldgen.answers.record import Response, RunOptions
from qaldgen.answers.resume import Fault
from qaldgen.answers.run_columns import run_columns
from qaldgen.asking.systems import NoAnswer, SystemReply
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.json_text import from_json
from qaldgen.io.text import one_line
from qaldgen.model import Answers
from qaldgen.questions.file_content import Content
from qaldgen.questions.system_columns import answer_columns

_TOKENS = ("tokens_in", "tokens_out")
_EXPECTED = (
    "a text, a number, true or false, a list of these, or an object with answer, answers,"
    " query or error"
)
THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*([\w-]*)[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:\d{1,3}[.)]\s+|[-*\u2022]\s+)?")
_QUERY = re.compile(r"\b(?:PREFIX\s+[\w.-]*:|BASE\s*<|SELECT\b|ASK\b)", re.IGNORECASE)


def reply_of(value: object) -> SystemReply:
    """Return the result of a function or a program as the reply of a system.

    A text, a number or a boolean is an answer, a list is several; an object is read by its fields.

    >>> reply_of(["Ulm", 7]).answers.values(), reply_of({"query": "ASK {}"}).query
    (['Ulm', '7'], 'ASK {}')
    """
    if isinstance(value, SystemReply):
        return value
    if isinstance(value, Answers):
        return SystemReply(value)
    if isinstance(value, Response):
        return _read_response(value)
    if value is None:
        return SystemReply(Answers())
    if isinstance(value, Mapping):
        return _read_mapping({str(key): field for key, field in value.items()})
    if isinstance(value, bool):
        return SystemReply(Answers(boolean=value))

    if isinstance(value, str | numbers.Real):
        items: Sequence[object] = [value]
    elif isinstance(value, set | frozenset):
        items = sorted(value, key=str)
    elif isinstance(value, list | tuple):
        items = value
    else:
        raise ValueError(f"the answer is a {type(value).__name__}; {_EXPECTED} is expected")

    if not all(isinstance(item, str | numbers.Real) for item in items):
        raise ValueError(f"the answer is a list of other things; {_EXPECTED} is expected")
    texts = (str(item).strip() for item in items)
    return SystemReply(Answers(texts=tuple((text,) for text in texts if text)))


def _read_response(response: Response) -> SystemReply:
    """Return a recorded response as the reply of a system; raise `NoAnswer` for a failure."""
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


def _read_mapping(value: dict[str, Any]) -> SystemReply:
    """Read an object with answers or a query, and details such as the cost."""
    try:
        reply = _read_as_run(value)
    except DataError as error:
        raise ValueError(one_line(str(error).removeprefix("the reply: "))) from None
    details = {}
    for name in _TOKENS:
        if type(value.get(name)) is int and value[name] >= 0:
            details[name] = value[name]
    if isinstance(value.get("cost"), int | float) and value["cost"] >= 0:
        details["cost"] = value["cost"]
    if isinstance(value.get("model"), str):
        details["model"] = value["model"]
    reply = reply._replace(**details)
    has_answer = reply.query or (reply.answers is not None and reply.answers.values())
    if value.get("error") and not has_answer:
        raise NoAnswer(one_line(str(value["error"]), 1_000), reply)
    return reply


def _read_as_run(value: dict[str, Any]) -> SystemReply:
    """Read an object as a run with the answer to one question.

    It may be QALD JSON, a record of a log that a plug-in reads, SPARQL results, or a record with
    the columns of a table of answers.
    """
    content = Content(Path("the reply"), kind="json", text="", sha256="", document=value)
    if "questions" in value:
        run = read_qald_answers(content, RunOptions(None, LANGUAGE))
        return _read_response(run.responses[0].response)

    record = {**value, "id": "1"}
    content = dataclasses.replace(content, kind="jsonl", document=[record])
    for reader in RUN_READERS.values():
        if reader.replies and reader.recognises(content):
            run = reader.read(content, RunOptions(None, LANGUAGE))
            return _read_response(run.responses[0].response)

    queries = [record[name] for name in run_columns(record).query if record[name]]
    query = queries[0] if queries else ""

    if "results" in value or isinstance(value.get("boolean"), bool):
        record = {"id": "1", "answers": {"head": {}, **value}}
        content = dataclasses.replace(content, document=[record])
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


def read_text(reply: str) -> SystemReply:
    """Read the whole reply, without its reasoning, as the answer.

    >>> read_text("<think>Hm.</think> Ulm").answers.texts
    (('Ulm',),)
    """
    text = THOUGHT.sub("", reply).strip()
    if not text:
        return SystemReply(Answers())
    return SystemReply(Answers(texts=((text,),)))


def read_tag(reply: str) -> SystemReply:
    """Read the content of the last ``<answer>`` as the answer."""
    bodies = _TAG.findall(THOUGHT.sub("", reply))
    if not bodies:
        raise ValueError("the reply has no <answer>")
    # models often quote the format they were asked for first, and answer last
    return read_text(bodies[-1])


def read_json(reply: str) -> SystemReply:
    """Read the fields ``answer``, ``answers`` or ``query`` of a JSON object, also in a code block.

    >>> read_json('{"answers": ["Ulm", "Bonn"]}').answers.values()
    ['Ulm', 'Bonn']
    """
    text = THOUGHT.sub("", reply)
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


def read_query(reply: str) -> SystemReply:
    """Read a SPARQL query: the last code block, or the text from its first keyword on.

    >>> read_query("Here it is: SELECT * { ?s ?p ?o }").query
    'SELECT * { ?s ?p ?o }'
    """
    text = THOUGHT.sub("", reply)
    code_blocks = []
    for language, body in _FENCE.findall(text):
        if _QUERY.search(body) and language.lower() != "json":
            code_blocks.append(body)
    if code_blocks:
        # the last block is the final version where a model corrects itself
        return SystemReply(query=code_blocks[-1].strip())

    try:
        json_reply = read_json(text)
        if json_reply.query:
            return json_reply
    except ValueError:
        pass

    match = _QUERY.search(text)
    if match is None:
        raise ValueError("the reply holds no SPARQL query")
    return SystemReply(query=text[match.start() :].strip())


def read_lines(reply: str) -> SystemReply:
    r"""Read every line as an answer, without the numbers and signs of a list.

    >>> read_lines("1. Ulm\n- Bonn").answers.values()
    ['Ulm', 'Bonn']
    """
    lines = (_BULLET.sub("", line).strip(' *`"') for line in THOUGHT.sub("", reply).split("\n"))
    return SystemReply(Answers(texts=tuple((line,) for line in lines if line)))


def read_any(reply: str) -> SystemReply:
    """Read the answer in a tag or a JSON object, else the whole reply."""
    for read in (read_tag, read_json):
        try:
            return read(reply)
        except ValueError:
            continue
    return read_text(reply)


#: The functions that find the answer in a reply, by the names of users for them.
READINGS: dict[str, Callable[[str], SystemReply]] = {
    "auto": read_any,
    "text": read_text,
    "json": read_json,
    "tag": read_tag,
    "lines": read_lines,
    "sparql": read_query,
}

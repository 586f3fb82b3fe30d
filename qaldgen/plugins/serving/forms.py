"""The requests and replies of the protocols that we serve."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote

from qaldgen.asking.systems import Posed
from qaldgen.formats.answers_json import answers_json, as_literals
from qaldgen.model import Answers
from qaldgen.runs.record import Response
from qaldgen.scoring.words.gold_names import local_name

#: Where a prompt says what the question is; the last one counts, since examples come before.
_QUESTION = re.compile(r"^[ \t]*(?:question|q)[ \t]*:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
#: The end of a prompt by other tools, after the question.
_ASKS = re.compile(r"\n[ \t]*(?:[\w ]{0,30} )?answer[ \t]*:\s*\Z", re.IGNORECASE)


class Request(NamedTuple):
    """A request to the server."""

    body: bytes  # the body
    query: dict[str, str]  # the parameters of the address
    kind: str  # the content type of the body


class Wrong(Exception):
    """A request does not fit the protocol; the message says why."""


class Form(NamedTuple):
    """A protocol that is served."""

    #: Path and HTTP method.
    path: str
    method: str
    read: Callable[[Request], Posed]  # reads the question of a request
    write: Callable[..., object]  # writes the reply


def read_gerbil(request: Request) -> Posed:
    """Read GERBIL's form.

    Percent-encoded, or as GERBIL sends it, where ``&`` in a question does not end it.

    >>> read_gerbil(Request(b"query=Who is A & B?&lang=en", {}, "")).text
    'Who is A & B?'
    """
    text = request.body.decode("utf-8", "replace")
    start, separator, rest = text.rpartition("&lang=")
    body, language = (start, rest) if separator else (text, "")
    if not body.startswith("query="):
        fields = parse_qs(text)
        if "query" not in fields:
            raise Wrong("the form has no field 'query'")
        return Posed(fields["query"][0], fields.get("lang", [""])[0])
    sent = body.removeprefix("query=")
    # A raw question has blanks, or an ampersand; an encoded one has neither.
    encoded = " " not in sent and not sent.count("&")
    return Posed(unquote(sent.replace("+", " ")) if encoded else sent, unquote(language))


def write_gerbil(posed: Posed, response: Response, _request: Request, _name: str) -> object:
    """Write QALD JSON."""
    answers = response.answers or Answers()
    told = answers_json(as_literals(answers) if answers.texts else answers)
    question = {"language": posed.language, "string": posed.text}
    return {
        "questions": [
            {
                "id": "1",
                "question": [question],
                "query": {"sparql": response.query},
                "answers": [told],
            }
        ]
    }


def read_text2sparql(request: Request) -> Posed:
    """Read the parameters of the address."""
    if not request.query.get("question"):
        raise Wrong("the parameter 'question' is missing")
    return Posed(request.query["question"], "")


def write_text2sparql(posed: Posed, response: Response, request: Request, _name: str) -> object:
    """Write data set, question and query."""
    return {
        "dataset": request.query.get("dataset", ""),
        "question": posed.text,
        "query": response.query,
    }


def read_chat(request: Request) -> Posed:
    """Read the last message of the user; a line ``Question: ...`` in it is the question."""
    try:
        messages = json.loads(request.body)["messages"]
        told = [_content(one["content"]) for one in messages if one.get("role") == "user"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Wrong("the body is JSON with 'messages', each with 'role' and 'content'") from None
    if not told or not told[-1].strip():
        raise Wrong("there is no message of the user")
    labelled = _QUESTION.findall(told[-1])
    return Posed(labelled[-1].strip() if labelled else _ASKS.sub("", told[-1]).strip(), "")


def write_chat(posed: Posed, response: Response, request: Request, _name: str) -> object:
    """Write a completion; words are counted as tokens, for clients that need the numbers."""
    text = in_words(response.answers or Answers())
    sent, came = len(request.body.split()), len(text.split())
    model: Any = json.loads(request.body).get("model")
    return {
        "id": "qaldgen",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model if isinstance(model, str) else "qaldgen",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": sent, "completion_tokens": came, "total_tokens": sent + came},
    }


def in_words(answers: Answers) -> str:
    """Return answers as a person would write them: yes or no, and names instead of IRIs.

    >>> in_words(Answers(boolean=False)), in_words(Answers(texts=(("Ulm",), ("Bonn",))))
    ('no', 'Ulm; Bonn')
    """
    if answers.boolean is not None:
        return "yes" if answers.boolean else "no"
    cells = [cell for row in answers.rows for cell in row if cell is not None]
    names = [
        local_name(cell.value).replace("_", " ") if cell.type == "uri" else cell.value
        for cell in cells
    ]
    return "; ".join([*names, *(wordings[0] for wordings in answers.texts if wordings)])


def _content(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


#: The protocols, each with its address.
FORMS = (
    Form("/gerbil", "POST", read_gerbil, write_gerbil),
    Form("/text2sparql", "GET", read_text2sparql, write_text2sparql),
    Form("/v1/chat/completions", "POST", read_chat, write_chat),
)

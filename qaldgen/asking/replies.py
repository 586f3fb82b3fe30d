"""Where the answer stands in the reply of a language model.

Plain text, JSON, a tag, or a SPARQL query.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, cast

from qaldgen.asking.forms import said_of
from qaldgen.asking.record import Said
from qaldgen.io.extensions import Table
from qaldgen.model import Answers

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[ \t]*([\w-]*)[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_QUERY = re.compile(r"\b(?:PREFIX\s+[\w.-]*:|BASE\s*<|SELECT\b|ASK\b)", re.IGNORECASE)


def in_text(reply: str) -> Said:
    """Take the whole reply, without what the model thought aloud.

    Examples
    --------
    >>> in_text("<think>Hm.</think> Ulm").answers.texts
    (('Ulm',),)
    """
    text = _THOUGHT.sub("", reply).strip()
    return Said(Answers(texts=((text,),) if text else ()))


def in_tag(reply: str) -> Said:
    """Take what stands in the last ``<answer>``.

    Raises
    ------
    ValueError
        If there is none.
    """
    found = _TAG.findall(_THOUGHT.sub("", reply))
    if not found:
        raise ValueError("the reply has no <answer>")
    return in_text(found[-1])


def in_json(reply: str) -> Said:
    """Take the fields of a JSON object, alone or in a code block.

    ``answer`` or ``answers``, or ``query``.

    Raises
    ------
    ValueError
        If there is none, or it holds no answer.

    Examples
    --------
    >>> in_json('{"answers": ["Ulm", "Bonn"]}').answers.values()
    ['Ulm', 'Bonn']
    """
    text = _THOUGHT.sub("", reply)
    fenced = [body for _, body in _FENCE.findall(text)]
    for candidate in (*fenced, text, text[text.find("{") : text.rfind("}") + 1]):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return said_of(found)
    raise ValueError("the reply holds no JSON object")


def in_query(reply: str) -> Said:
    """Take a SPARQL query: that of the last code block, or from where one begins.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> in_query("Here it is: SELECT * { ?s ?p ?o }").query
    'SELECT * { ?s ?p ?o }'
    """
    text = _THOUGHT.sub("", reply)
    fenced = [
        body
        for kind, body in _FENCE.findall(text)
        if _QUERY.search(body) and kind.lower() != "json"
    ]
    if fenced:
        return Said(query=fenced[-1].strip())
    try:
        said = in_json(text)
        if said.query:
            return said
    except ValueError:
        pass
    start = _QUERY.search(text)
    if start is None:
        raise ValueError("the reply holds no SPARQL query")
    return Said(query=text[start.start() :].strip())


def anywhere(reply: str) -> Said:
    """Take the answer from a tag or a JSON object, where there is one, or else the whole reply."""
    for reading in (in_tag, in_json):
        try:
            return reading(reply)
        except ValueError:
            continue
    return in_text(reply)


_OURS: dict[str, Callable[[str], Said]] = {
    "auto": anywhere, "text": in_text, "json": in_json, "tag": in_tag, "sparql": in_query,
}  # fmt: skip
#: Every way to find the answer in a reply. Other packages add some by the entry point group
#: qaldgen.readings.
READINGS: Table[Callable[[str], Said]] = Table("readings", cast("Any", Callable), _OURS)

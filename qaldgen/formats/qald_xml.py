"""Read QALD XML (QALD-1 to QALD-5, QALD-7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from qaldgen.errors import DataError
from qaldgen.formats.cells import typed_answers
from qaldgen.formats.content import Content
from qaldgen.formats.gather import add_wording, answer_type, is_out_of_scope, knowledge_graph, language_tag, split_in
from qaldgen.formats.qald_read import FLAGS, sort_query
from qaldgen.model import Answers, LeftOut, Question

_KINDS = frozenset({"uri", "string", "number", "date", "boolean"})
_LANGUAGE = ("lang", "{http://www.w3.org/XML/1998/namespace}lang")


def recognises_xml(content: Content) -> bool:
    """Say whether this is QALD XML: a root ``dataset``."""
    start = re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", "", content.text[:5000], flags=re.DOTALL)
    return content.kind == "xml" and re.match(r"\s*<dataset[\s>/]", start) is not None


def read_xml(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions of QALD XML; a text without language is in `language`."""
    root = _parse(content)
    origin = root.get("id", "")
    for number, element in enumerate(root.iter("question"), 1):
        name = element.get("id", "").strip()
        if not name:
            raise DataError(f"{content.path}: record {number}: attribute 'id' is missing; a string is expected")
        query, pseudo = _text(element, "query"), _text(element, "pseudoquery")
        if is_out_of_scope(query) or is_out_of_scope(pseudo):
            yield LeftOut(name, "OUT OF SCOPE: cannot be answered from the data")
        else:
            yield _question(element, f"{content.path}: record {number} (id {name})", origin, language)


def _parse(content: Content) -> ElementTree.Element:
    """Parse XML; entities are refused, since they can read files and fill the memory."""
    if re.search(r"<!ENTITY", content.text):
        raise DataError(
            f"{content.path}: declares XML entities, which can read files and fill the memory; write their values in the file"
        )
    try:
        return ElementTree.fromstring(content.text.lstrip())
    except ElementTree.ParseError as error:
        line, at = error.position
        reason = str(error).split(":")[0]
        raise DataError(
            f"{content.path}: no XML at line {line}, column {at + 1}: {reason}; the file needs to be repaired"
        ) from error


def _question(element: ElementTree.Element, where: str, origin: str, language: str) -> Question:
    texts: dict[str, tuple[str, ...]] = {}
    for string in element.findall("string"):
        add_wording(texts, _language(string, language), "".join(string.itertext()))
    keywords = {
        language_tag(_language(words, language)): " ".join("".join(words.itertext()).split())
        for words in element.findall("keywords")
    }
    query, pseudo = sort_query(_text(element, "query"), _text(element, "pseudoquery"))
    kind = element.get("answertype", "")
    known = {"id", "answertype", *FLAGS}
    metadata = {name: value for name, value in element.attrib.items() if name not in known and value}
    if pseudo:
        metadata["pseudoquery"] = pseudo
    if kind and not answer_type(kind):
        metadata["answertype"] = kind
    return Question(
        id=element.get("id", "").strip(),
        texts=texts,
        queries={knowledge_graph(query): query} if query else {},
        answers=_answers(element, answer_type(kind)),
        answer_type=answer_type(kind),
        origin=origin,
        split=split_in(origin),
        flags=_flags(element, where),
        keywords={tag: words for tag, words in keywords.items() if words},
        metadata=metadata,
    )


def _text(element: ElementTree.Element, name: str) -> str:
    found = element.find(name)
    return "" if found is None else "".join(found.itertext()).strip()


def _language(element: ElementTree.Element, language: str) -> str:
    return next((element.attrib[name] for name in _LANGUAGE if element.get(name)), language)


def _flags(element: ElementTree.Element, where: str) -> dict[str, bool]:
    flags: dict[str, bool] = {}
    for name in FLAGS:
        value = element.get(name, "").strip().lower()
        if value not in {"", "true", "false"}:
            raise DataError(f"{where}: attribute {name!r} is {value!r}; true or false is expected")
        if value:
            flags[name] = value == "true"
    return flags


def _answers(element: ElementTree.Element, kind: str) -> Answers | None:
    """Return the answers; None if there is no element for them."""
    listed = element.find("answers")
    if listed is None:
        return None
    rows: list[list[tuple[str, str]]] = []
    for answer in listed.findall("answer"):
        parts = [(child.tag, "".join(child.itertext()).strip()) for child in answer if child.tag in _KINDS]
        rows.append([(tag, value) for tag, value in parts or [("", "".join(answer.itertext()).strip())] if value])
    return typed_answers(rows, kind)

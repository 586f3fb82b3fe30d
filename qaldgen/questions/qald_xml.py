"""Read QALD XML (QALD-1 to QALD-5, QALD-7)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.parsers.expat import ErrorString

from qaldgen.errors import DataError
from qaldgen.model import Answers, LeftOut, Question
from qaldgen.questions.file_content import Content
from qaldgen.questions.qald_json import FLAGS, Entry, Wording, make_question, read_flags
from qaldgen.questions.question_texts import UNANSWERABLE, answer_type, find_split, is_out_of_scope
from qaldgen.questions.records import Fields, Item, ReadOptions, each_record
from qaldgen.questions.values import typed_answers

_KINDS = frozenset({"uri", "string", "number", "date", "boolean"})
#: The attributes with the kind of an answer.
_KIND = ("answerType", "answertype", "type")
#: Attributes that may hold an answer.
_VALUES = _KINDS | {"value"}
_LANGUAGE = ("lang", "{http://www.w3.org/XML/1998/namespace}lang")


def recognises_xml(content: Content) -> bool:
    """Return whether this is QALD XML: a root ``dataset``."""
    start = re.sub(
        r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>",
        "",
        content.text[:5000],
        flags=re.DOTALL,
    )
    return content.kind == "xml" and re.match(r"\s*<dataset[\s>/]", start) is not None


def read_xml(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of QALD XML; the options name the language of texts without one."""
    # before parsing: entities expand while the parser runs
    if re.search(r"<!ENTITY", content.text):
        raise DataError(
            "declares XML entities, which can read files and exhaust the memory; replace them by"
            " their values",
            where=content.path,
        )
    try:
        root = ElementTree.fromstring(content.text.lstrip())
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = ErrorString(error.code)
        raise DataError(
            f"invalid XML at line {line}, column {column + 1}: {reason}; repair the file",
            where=content.path,
        ) from error
    elements = list(root.iter("question"))
    origin = root.get("id", "")

    def _read(attributes: Fields, number: int) -> Question | LeftOut:
        name, element = attributes.required("id"), elements[number - 1]
        query, pseudo = _query(element), _text(element.find("pseudoquery"))
        if is_out_of_scope(query) or is_out_of_scope(pseudo):
            return LeftOut(name, UNANSWERABLE)
        kind = element.get("answertype", "")
        wordings = [
            Wording(_language(string), "".join(string.itertext()))
            for string in element.findall("string")
        ]
        for string in element.findall("keywords"):
            wordings.append(Wording(_language(string), "", " ".join(_text(string).split())))
        answers = _answers(element, answer_type(kind))
        entry = Entry(name, wordings, query, pseudo, kind, answers)
        flags = read_flags(attributes)
        question = make_question(entry, origin, find_split(origin), options.language, flags)
        more = attributes.rest({"id", "answertype", *FLAGS})
        return dataclasses.replace(question, metadata={**more, **question.metadata})

    return each_record(content, ["id"], _read, [dict(element.attrib) for element in elements])


def _text(element: ElementTree.Element | None) -> str:
    return "" if element is None else "".join(element.itertext()).strip()


def _query(element: ElementTree.Element) -> str:
    """Return the query; some files have the answers inside its element."""
    query = element.find("query")
    if query is None:
        return ""
    return "".join([query.text or "", *(child.tail or "" for child in query)]).strip()


def _language(element: ElementTree.Element) -> str:
    return next(filter(None, map(element.get, _LANGUAGE)), "")


def _answers(element: ElementTree.Element, kind: str) -> Answers | None:
    """Return the answers, beside the query or inside its element; None without an element."""
    listed = element.findall("answers") or element.findall("query/answers")
    single = [element for parent in listed or [element] for element in parent.findall("answer")]
    if not listed and not single:
        return None
    rows = []
    for answer in single:
        parts = [_part(child) for child in answer]
        # markup that names no kind of value is part of a text
        if not any(stated for _, stated, _ in parts):
            parts = [_part(answer)]
        rows.append(parts)
    # some files write the values without an element for each answer, or only a text
    for parent in listed:
        if len(parent):
            rows.append([_part(cell) for cell in parent if cell.tag != "answer"])
        else:
            rows.append([_part(parent)])
    return typed_answers([[part for part in row if part[2]] for row in rows], kind)


def _part(element: ElementTree.Element) -> tuple[str, str, str]:
    """Return variable, kind and value; kind and value may also be written as attributes."""
    stated = (element.get(name, "").lower() for name in _KIND)
    kind_stated = next((kind for kind in stated if kind in {*_KINDS, "resource"}), "")
    value = _text(element)
    kind = element.tag if element.tag in _KINDS else ""
    if not value:
        filled = (name for name in ("value", *element.attrib) if element.get(name))
        attribute = next((name for name in filled if name in _VALUES), "")
        value = element.get(attribute, "").strip()
        if not kind and attribute in _KINDS:
            kind = attribute
    if kind_stated:
        return element.tag, kind_stated, value
    return kind, kind, value

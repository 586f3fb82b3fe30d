"""Read QALD XML (QALD-1 to QALD-5, QALD-7)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from xml.etree import ElementTree

from qaldgen.model import Answers, LeftOut, Question
from qaldgen.questions.collecting import Item, ReadOptions, each_record
from qaldgen.questions.file_content import Content
from qaldgen.questions.qald_json import FLAGS, Entry, Wording, make_question, read_flags
from qaldgen.questions.question_texts import UNANSWERABLE, answer_type, find_split, is_out_of_scope
from qaldgen.questions.records import Fields
from qaldgen.questions.values import typed_answers
from qaldgen.questions.xml_documents import parse_xml, root_name

_VALUE_TYPES = frozenset({"uri", "string", "number", "date", "boolean"})
#: The attributes with the type of an answer.
_TYPE_ATTRIBUTES = ("answerType", "answertype", "type")
#: Attributes that may hold an answer.
_VALUE_ATTRIBUTES = _VALUE_TYPES | {"value"}
_LANGUAGE_ATTRIBUTES = ("lang", "{http://www.w3.org/XML/1998/namespace}lang")


def recognises_xml(content: Content) -> bool:
    """Return whether this is QALD XML: a root ``dataset``."""
    return content.kind == "xml" and root_name(content.text) == "dataset"


def read_xml(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of QALD XML; the options name the language of texts without one."""
    root = parse_xml(content.text, content.path)
    elements = list(root.iter("question"))
    origin = root.get("id", "")

    def read(attributes: Fields, number: int) -> Question | LeftOut:
        question_id = attributes.required("id")
        element = elements[number - 1]
        query = ""
        query_element = element.find("query")
        if query_element is not None:  # some files have the answers inside it
            parts = [query_element.text or "", *(child.tail or "" for child in query_element)]
            query = "".join(parts).strip()
        pseudoquery = _text(element.find("pseudoquery"))
        if is_out_of_scope(query) or is_out_of_scope(pseudoquery):
            return LeftOut(question_id, UNANSWERABLE)
        type_name = element.get("answertype", "")
        wordings = [
            Wording(_language(string), "".join(string.itertext()))
            for string in element.findall("string")
        ]
        for string in element.findall("keywords"):
            wordings.append(Wording(_language(string), "", " ".join(_text(string).split())))
        answers = _read_answers(element, answer_type(type_name))
        entry = Entry(question_id, wordings, query, pseudoquery, type_name, answers)
        flags = read_flags(attributes)
        question = make_question(entry, origin, find_split(origin), options.language, flags)
        metadata = attributes.rest({"id", "answertype", *FLAGS})
        return dataclasses.replace(question, metadata={**metadata, **question.metadata})

    return each_record(content, ["id"], read, [dict(element.attrib) for element in elements])


def _text(element: ElementTree.Element | None) -> str:
    return "" if element is None else "".join(element.itertext()).strip()


def _language(element: ElementTree.Element) -> str:
    return next(filter(None, map(element.get, _LANGUAGE_ATTRIBUTES)), "")


def _read_answers(element: ElementTree.Element, expected_type: str) -> Answers | None:
    """Return the answers, next to the query or inside its element; None if there is no element."""
    lists = element.findall("answers") or element.findall("query/answers")
    answers = [answer for parent in lists or [element] for answer in parent.findall("answer")]
    if not lists and not answers:
        return None
    rows = []
    for answer in answers:
        values = [_read_value(child) for child in answer]
        # elements without a type are markup in a text
        if not any(value_type for _, value_type, _ in values):
            values = [_read_value(answer)]
        rows.append(values)
    # some files write the values without an element for each answer, or only a text
    for parent in lists:
        if len(parent):
            rows.append([_read_value(cell) for cell in parent if cell.tag != "answer"])
        else:
            rows.append([_read_value(parent)])
    filled_rows = [[value for value in row if value[2]] for row in rows]
    return typed_answers(filled_rows, expected_type)


def _read_value(element: ElementTree.Element) -> tuple[str, str, str]:
    """Return variable, type and value; type and value may also be in attributes."""
    types = (element.get(name, "").lower() for name in _TYPE_ATTRIBUTES)
    stated_type = next((name for name in types if name in {*_VALUE_TYPES, "resource"}), "")
    value = _text(element)
    value_type = element.tag if element.tag in _VALUE_TYPES else ""
    if not value:
        filled = (name for name in ("value", *element.attrib) if element.get(name))
        attribute = next((name for name in filled if name in _VALUE_ATTRIBUTES), "")
        value = element.get(attribute, "").strip()
        if not value_type and attribute in _VALUE_TYPES:
            value_type = attribute
    if stated_type:
        return element.tag, stated_type, value
    return value_type, value_type, value

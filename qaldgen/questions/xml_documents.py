"""Parse XML safely, and read records in any XML as those of JSON."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers.expat import ErrorString

from qaldgen.errors import DataError
from qaldgen.io.json_text import as_list

#: What may stand before the first element: comments, instructions, a document type.
_BEFORE_ROOT = re.compile(
    r"\s+|<!--(?:(?!-->).)*-->|<\?(?:(?!\?>).)*\?>|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>", re.DOTALL
)
_ROOT = re.compile(r"<(?P<name>[\w.:-]+)")
#: The roots of QALD XML and of the results of queries, which have readers of their own.
_OWN_READERS = frozenset({"dataset", "sparql"})


def root_name(text: str) -> str:
    """Return the name of the first element; empty if the text is no XML.

    >>> root_name("<?xml version='1.0'?><!-- ours --><dataset id='x'>"), root_name("who?")
    ('dataset', '')
    """
    start = 0
    while part := _BEFORE_ROOT.match(text, start):
        start = part.end()
    root = _ROOT.match(text, start)
    return root["name"] if root else ""


def parse_xml(text: str, where: Path) -> ElementTree.Element:
    """Return the root element; entities are refused."""
    # before parsing: entities expand while the parser runs
    if re.search(r"<!ENTITY", text):
        raise DataError(
            "declares XML entities, which can read files and exhaust the memory; replace them by"
            " their values",
            where=where,
        )
    try:
        return ElementTree.fromstring(text.lstrip())
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = ErrorString(error.code)
        raise DataError(
            f"invalid XML at line {line}, column {column + 1}: {reason}; repair the file",
            where=where,
        ) from error


def xml_document(text: str, where: Path) -> object:
    """Return a document as JSON has it; None for XML with a reader of its own, or for no XML."""
    name = root_name(text)
    if not name or name in _OWN_READERS:
        return None
    try:
        root = parse_xml(text, where)
    except DataError:
        if text.lstrip().startswith("<?xml"):
            raise
        return None  # lines with tags
    document = _value_of(root)
    # nothing says that a document with one record is a list
    if isinstance(document, dict) and len(root) == 1 and len(root[0]) > 0:
        name = _plain(root[0].tag)
        if name in document:  # there are no words beside it
            document[name] = as_list(document[name])
    return document


def _value_of(element: ElementTree.Element) -> object:
    """Return the fields of an element: its attributes and inner elements, repeated ones as a list.

    What stands in an element called as its plural is a list, too.
    An element without such, or with markup in its text, is that text; ``questions`` whose elements
    are all called ``question`` are a list.
    """
    attributes = {_plain(name): value for name, value in element.attrib.items()}
    words = [element.text or "", *(child.tail or "" for child in element)]
    has_words = any(map(str.strip, words))
    if has_words or not (len(element) or attributes):
        text = "".join(element.itertext()).strip()
        return {**attributes, "text": text} if attributes else text
    values: dict[str, list[object]] = {}
    for child in element:
        values.setdefault(_plain(child.tag), []).append(_value_of(child))
    singular = _plain(element.tag).removesuffix("s")
    if not attributes and set(values) == {singular}:
        return values[singular]
    fields: dict[str, object] = dict(attributes)
    for name, items in values.items():
        fields[name] = items if len(items) > 1 or name == singular else items[0]
    return fields


def _plain(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition("}")[2]

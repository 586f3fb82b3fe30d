"""Read the question files of the TEXT2SPARQL challenge: YAML, or the same as JSON."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

from qaldgen.errors import DataError
from qaldgen.formats.assembling import Item, ReadOptions, each_record
from qaldgen.formats.column_names import holds_gold
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields, document_fields
from qaldgen.formats.texts import UNANSWERABLE, add_wording, by_language, is_out_of_scope, split_in
from qaldgen.model import LeftOut, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

#: Characters in which the two keys must be, so that large files are not searched.
_START = 100_000
_USED = frozenset({"id", "question", "query", "features"})


def recognises_text2sparql(content: Content) -> bool:
    """Whether this is TEXT2SPARQL: ``dataset`` and ``questions``, with their texts by language."""
    if content.kind == "text":
        start = content.text[:_START]
        return all(
            re.search(rf"^{key}\s*:", start, re.MULTILINE) for key in ("dataset", "questions")
        )
    questions = (
        content.document.get("questions")
        if content.kind == "json" and isinstance(content.document, dict)
        else None
    )
    first = questions[0] if isinstance(questions, list) and questions else None
    return (
        isinstance(first, dict)
        and by_language(first.get("question"))
        and not any(map(holds_gold, first.keys() - _USED))
    )


def read_text2sparql(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of a TEXT2SPARQL file.

    Without an id, the number of the question is the id.
    """
    document = (
        Fields(_parse_yaml(content), (str(content.path),))
        if content.kind == "text"
        else document_fields(content)
    )
    dataset = document.nested("dataset")
    origin = dataset.scalar("id")

    def _read(record: Fields, number: int) -> list[Item]:
        return [_question(record, number, origin)]

    yield from each_record(content, ["id"], _read, document.values("questions"))


def _question(record: Fields, number: int, origin: str) -> Question | LeftOut:
    name = record.scalar("id") or str(number)
    if "question" not in record.data:
        raise record.error("question", "an object of languages")
    texts: dict[str, tuple[str, ...]] = {}
    wordings = record.nested("question")
    for tag in wordings.data:
        add_wording(texts, tag, wordings.scalar(tag))
    sparql = record.nested("query").scalar("sparql") if record.data.get("query") else ""
    if is_out_of_scope(sparql):
        return LeftOut(name, UNANSWERABLE)
    features = record.strings("features")
    return Question(
        id=name,
        texts=texts,
        queries={graph_of_query(sparql): sparql} if sparql else {},
        origin=origin,
        split=split_in(origin),
        metadata={**record.rest(_USED), **({"features": ", ".join(features)} if features else {})},
    )


def _parse_yaml(content: Content) -> object:
    """Parse YAML with every scalar as text, so that ``no`` is not false and ids are not numbers."""
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise DataError(
            "is YAML; to read it, install PyYAML: pip install pyyaml", where=content.path
        ) from error
    try:
        # this loader makes only strings, lists and dicts, so that no file can run code
        document: object = yaml.load(content.text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise DataError(
            f"invalid YAML{place}: {getattr(error, 'problem', None) or 'it does not parse'}",
            where=content.path,
        ) from error
    return document

"""Read QALD JSON (QALD-5 to QALD-10, QALD-9-plus) and extended QALD JSON, of gold and of runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.errors import DataError
from qaldgen.io.json_text import as_list
from qaldgen.io.notes import note
from qaldgen.model import Answers, Question
from qaldgen.questions.collecting import Item, ReadOptions, drain, each_record, edition_note
from qaldgen.questions.column_values import looks_like_sparql
from qaldgen.questions.fields import may_hold_gold
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import parse_json
from qaldgen.questions.question_texts import (
    OUT_OF_SCOPE,
    add_wording,
    answer_type,
    exact_answer_type,
    find_split,
    is_out_of_scope,
    language_tag,
)
from qaldgen.questions.record_kinds import is_object_list
from qaldgen.questions.records import Fields, document_fields, scalar_text
from qaldgen.questions.results_json import merge_answers, read_results, with_wordings
from qaldgen.questions.values import typed_answers
from qaldgen.questions.writing import QUERIES, WORDINGS
from qaldgen.rdf.knowledge_graphs import graph_of_query

#: The flags that evaluators know; flags of single years (``onlyesdbp``, ``yago``) are metadata.
FLAGS = ("aggregation", "onlydbo", "hybrid")
#: Remarks of tolerant readers on questions whose answers are read nevertheless.
TEXT_ANSWERS = "have answers that are plain texts, which other loaders take for empty"
NOT_JSON = "have answers that are a string without JSON, which counts as empty"
_VALUE_KEYS = ("string", "number", "date")
_USED_FIELDS = frozenset({
    "id", "name", "question", "body", "query", "answers", "answertype", "language", "metadata",
    *FLAGS, QUERIES, WORDINGS,
})  # fmt: skip


class Wording(NamedTuple):
    """A text of a question with its keywords, as written in the file."""

    language: str
    text: str
    keywords: str = ""


class Entry(NamedTuple):
    """The content of an entry, of gold or of a run."""

    id: str  # empty if it has none
    wordings: list[Wording]  # the texts
    query: str  # empty if there is none
    pseudoquery: str  # empty if there is none
    type_name: str  # the answer type, as written in the file
    answers: Answers | None  # the answers; None if there is no element for them


def read_entry(
    entry: Fields, language: str, *, extended: bool, remarks: list[str] | None = None
) -> Entry:
    """Return the content of an entry of QALD JSON, or of extended QALD JSON if `extended`.

    Texts without a tag are in `language`. Of several queries, the last counts. A list of `remarks`
    tolerates some errors, and gets remarks on them.
    """
    if extended:
        question_id = entry.first(["id", "name"])
        text_key = "question"
        texts = entry.objects("language")
        queries = [item.scalar("SPARQL") or item.scalar("sparql") for item in texts]
        query = next(filter(None, reversed(queries)), "")
        pseudoquery = next(filter(None, (item.scalar("pseudo") for item in texts)), "")
    else:
        question_id = entry.scalar("id")
        text_key = "string"
        texts = _text_objects(entry, language)
        if isinstance(entry.data.get("query"), str):  # QALD-5
            query = entry.scalar("query")
            pseudoquery = ""
        else:
            query = entry.nested("query").scalar("sparql")
            pseudoquery = entry.nested("query").scalar("pseudo")
    type_name = entry.scalar("answertype")
    wordings = [
        Wording(item.scalar("language"), item.scalar(text_key), ", ".join(item.strings("keywords")))
        for item in texts
    ]
    answers = _read_answers(entry, answer_type(type_name), remarks)
    return Entry(question_id, wordings, query, pseudoquery, type_name, answers)


def recognises_qald(content: Content) -> bool:
    """Return whether this is QALD JSON: ``questions``, whose entries have texts in a list."""
    entry = content.first_object_under("questions")
    if entry is None:
        return [] in (content.list_under("questions"), content.list_under("Questions"))
    text = entry.get("question", entry.get("body"))
    if text is None:  # a query in words is a question of another format
        query = entry.get("query")
        return isinstance(query, dict) or looks_like_sparql(query)
    if not isinstance(text, str):
        return isinstance(text, list)
    # a bare text is QALD only without the fields and the answers of tables, or a list of gold
    if isinstance(content.document, dict) and not entry.keys() & {"answers", "query"}:
        for name, part in content.document.items():
            if may_hold_gold(name) and is_object_list(part):
                return False
    for answer in as_list(entry.get("answers")):
        results = isinstance(answer, str) and answer.lstrip()[:1] == "{"
        if not results and not isinstance(answer, dict) and answer is not None:
            return False
    return all(name in _USED_FIELDS or not may_hold_gold(name) for name in entry)


def recognises_extended(content: Content) -> bool:
    """Return whether this is extended QALD JSON, whose questions are objects with languages."""
    entry = content.first_object_under("questions") or {}
    inner = entry.get("question")
    return isinstance(inner, dict) and (
        isinstance(inner.get("language"), list) or isinstance(inner.get("answers"), (dict, str))
    )


def read_qald(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of QALD JSON."""
    document = document_fields(content)
    edition = document.nested("dataset").scalar("metadata")
    note(*map(edition_note, re.findall(r"^(?:.*\|)?gold:'?([^|'\n]+)", edition)))
    yield from _read_questions(
        content, document, document.values("questions"), options, extended=False
    )


def read_extended(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield questions of extended QALD JSON; the last of several queries counts."""
    document = document_fields(content)
    records = [
        entry.get("question") if isinstance(entry, dict) else entry
        for entry in document.values("questions")
    ]
    return _read_questions(content, document, records, options, extended=True)


def _read_questions(
    content: Content,
    document: Fields,
    records: list[object],
    options: ReadOptions,
    *,
    extended: bool,
) -> Iterator[Item]:
    origin = document.nested("dataset").scalar("id")
    split = find_split(origin)

    def read(fields: Fields, _: int) -> Question:
        entry = read_entry(fields, options.language, extended=extended)
        if not entry.id:
            raise fields.error("id", "a string or a number")
        flags = read_flags(fields.nested("metadata") if extended else fields)
        return make_question(entry, origin, split, options.language, flags, fields)

    id_fields = ["id", "name"] if extended else ["id"]
    return each_record(content, id_fields, read, drain(records))


def read_flags(fields: Fields) -> dict[str, bool]:
    """Return the flags of `FLAGS` that are stated."""
    flags = {name: fields.flag(name) for name in FLAGS}
    return {name: flag for name, flag in flags.items() if flag is not None}


def make_question(
    entry: Entry,
    origin: str,
    split: str,
    language: str,
    flags: dict[str, bool],
    fields: Fields | None = None,
) -> Question:
    """Build a question from an entry; other `fields` of the entry become metadata."""
    texts: dict[str, tuple[str, ...]] = {}
    keywords: dict[str, str] = {}
    for wording in entry.wordings:
        tag = wording.language.strip() or language
        add_wording(texts, tag, wording.text)
        if wording.keywords:
            keywords.setdefault(language_tag(tag), wording.keywords)

    sparql, pseudoquery = entry.query, entry.pseudoquery
    # a query with text:"..." is not SPARQL; searching only for text: first saves time
    if "text:" in sparql and re.search(r'\btext:\s*"', sparql):
        sparql, pseudoquery = "", pseudoquery or sparql

    metadata = {} if fields is None else fields.rest(_USED_FIELDS)
    if pseudoquery:
        metadata["pseudoquery"] = pseudoquery
    if entry.type_name and not exact_answer_type(entry.type_name):
        metadata["answertype"] = entry.type_name
    if is_out_of_scope(sparql) or is_out_of_scope(pseudoquery):
        metadata[OUT_OF_SCOPE] = "true"

    queries = {graph_of_query(sparql): sparql} if sparql else {}
    if sparql and fields is not None and QUERIES in fields.data:
        graphs = fields.nested(QUERIES)
        by_graph = {graph: graphs.scalar(graph) for graph in graphs.data}
        # these are outdated if somebody has changed the main query alone
        if next(iter(by_graph.values()), "") == sparql:
            queries = by_graph
    return Question(
        id=entry.id,
        texts=texts,
        queries=queries,
        answers=entry.answers,
        answer_type=answer_type(entry.type_name),
        origin=origin,
        split=split,
        flags=flags,
        keywords=keywords,
        metadata=metadata,
    )


def _text_objects(entry: Fields, language: str) -> list[Fields]:
    """Return the objects with the texts (QALD-5: ``body``); a single string is in `language`."""
    name = "body" if entry.has("body") and not entry.has("question") else "question"
    if isinstance(entry.data.get(name), str):
        return [entry.inside(name, {"language": language, "string": entry.data[name]})]
    return entry.objects(name)


def _read_answers(entry: Fields, expected_type: str, remarks: list[str] | None) -> Answers | None:
    """Return the answers in a list, an object, or a JSON string; None if there are none."""
    value = entry.data.get("answers")
    if value is None or value == "":
        return None
    parts = []
    for index, element in enumerate(as_list(value)):
        part = _read_element(entry, f"answers[{index}]", element, expected_type, remarks)
        if part is not None:
            parts.append(part)
    if not parts:
        return None
    answers = merge_answers(parts)
    # files that qaldgen writes have all accepted names
    texts = [wordings for wordings in entry.values(WORDINGS) if isinstance(wordings, list)]
    if not texts:
        return answers
    try:
        return with_wordings(answers, [tuple(map(scalar_text, wordings)) for wordings in texts])
    except ValueError as error:
        raise DataError(
            f"field {WORDINGS!r} has {str(error)!r}, which is not an answer of the question; the"
            " first variant of each is one of its literals",
            where=entry.where,
        ) from error


def _read_element(
    entry: Fields, name: str, element: object, expected_type: str, remarks: list[str] | None
) -> Answers | None:
    """Return the answers in one item of ``answers``; None if it has no answer."""
    if isinstance(element, str):
        text = element.strip()
        if not text.startswith(("{", "[")):
            if remarks is not None:
                remarks.append(TEXT_ANSWERS)
            return typed_answers([[("", "", text)]], expected_type) if text else None
        try:
            element = parse_json(text, "")
        except DataError as error:
            if remarks is not None:
                remarks.append(NOT_JSON)
                return None
            raise DataError(
                f"field {name!r} begins like JSON but is not; SPARQL results JSON or a plain text"
                " is expected",
                where=entry.where,
            ) from error
    # some systems write an item that has only a confidence
    is_blank = element is None or (isinstance(element, dict) and element.keys() <= {"confidence"})
    if is_blank and remarks is not None:
        return None
    results = entry.inside(name, element)
    if results.has("results"):
        return read_results(results, remarks)
    values = [("", "", results.scalar(key)) for key in _VALUE_KEYS if results.has(key)]
    if results.has("uri"):
        values.insert(0, ("uri", "uri", results.scalar("uri")))
    if values:
        return typed_answers([values], expected_type)
    if not {"head", "results", "boolean"} & results.data.keys():
        raise DataError(
            f"field {name!r} has neither 'results' nor 'boolean'; SPARQL results JSON is expected",
            where=entry.where,
        )
    return read_results(results, remarks)

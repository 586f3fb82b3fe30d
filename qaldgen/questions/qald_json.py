"""Read QALD JSON (QALD-5 to QALD-10, QALD-9-plus) and extended QALD JSON: gold and runs alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from qaldgen.errors import DataError
from qaldgen.io.json_text import as_list
from qaldgen.io.notes import note
from qaldgen.model import Answers, Question
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
from qaldgen.questions.records import (
    Fields,
    Item,
    ReadOptions,
    document_fields,
    drain,
    each_record,
    edition_note,
    scalar_text,
)
from qaldgen.questions.results_json import merge_answers, read_results, with_wordings
from qaldgen.questions.values import typed_answers
from qaldgen.questions.writing import QUERIES, WORDINGS
from qaldgen.rdf.knowledge_graphs import graph_of_query

#: The flags that evaluators know; those of single years (``onlyesdbp``, ``yago``) are metadata.
FLAGS = ("aggregation", "onlydbo", "hybrid")
#: What a reader notes of answers that are read all the same.
TEXT_ANSWERS = "have answers that are plain texts, which other loaders take for empty"
NOT_JSON = "have answers that are a string without JSON, which counts as empty"
_PLAIN = ("string", "number", "date")
_USED = frozenset({
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
    #: The queries; empty if there are none.
    query: str
    pseudo: str
    kind: str  # the answer type, as written in the file
    answers: Answers | None  # the answers; None if there is no element for them


def read_entry(
    entry: Fields, language: str, *, extended: bool, odd: list[str] | None = None
) -> Entry:
    """Return the content of an entry; `odd` as in `read_results`.

    Untagged texts are in `language`; of several queries the last counts.
    """
    if extended:
        name, text = entry.first(["id", "name"]), "question"
        language_objects = entry.objects("language")
        queries = [item.scalar("SPARQL") or item.scalar("sparql") for item in language_objects]
        query = next(filter(None, reversed(queries)), "")
        pseudo = next(filter(None, (item.scalar("pseudo") for item in language_objects)), "")
    else:
        name, text = entry.scalar("id"), "string"
        language_objects = _wordings(entry, language)
        if isinstance(entry.data.get("query"), str):  # QALD-5
            query, pseudo = entry.scalar("query"), ""
        else:
            query_object = entry.nested("query")
            query, pseudo = query_object.scalar("sparql"), query_object.scalar("pseudo")
    kind = entry.scalar("answertype")
    wordings = [
        Wording(item.scalar("language"), item.scalar(text), ", ".join(item.strings("keywords")))
        for item in language_objects
    ]
    return Entry(name, wordings, query, pseudo, kind, _answers(entry, answer_type(kind), odd))


def recognises_qald(content: Content) -> bool:
    """Return whether this is QALD JSON: ``questions``, whose entries have texts in a list."""
    entry = content.first_object_under("questions")
    if entry is None:
        return content.list_under("questions") == []
    text = entry.get("question", entry.get("body"))
    if not isinstance(text, str):
        return isinstance(text, list) or (text is None and "query" in entry)
    # a bare text is QALD only without the fields and the answers of tables
    for answer in as_list(entry.get("answers")):
        results = isinstance(answer, str) and answer.lstrip()[:1] == "{"
        if not results and not isinstance(answer, dict) and answer is not None:
            return False
    return all(name in _USED or not may_hold_gold(name) for name in entry)


def recognises_extended(content: Content) -> bool:
    """Whether this is extended QALD JSON: the question is an object with languages or answers."""
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
    yield from _questions(content, document, document.values("questions"), options, extended=False)


def read_extended(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield questions of extended QALD JSON; the last of several queries counts."""
    document = document_fields(content)
    records = [
        entry.get("question") if isinstance(entry, dict) else entry
        for entry in document.values("questions")
    ]
    return _questions(content, document, records, options, extended=True)


def _questions(
    content: Content,
    document: Fields,
    records: list[object],
    options: ReadOptions,
    *,
    extended: bool,
) -> Iterator[Item]:
    origin = document.nested("dataset").scalar("id")
    split = find_split(origin)

    def _read(entry: Fields, _: int) -> Question:
        parsed = read_entry(entry, options.language, extended=extended)
        if not parsed.id:
            raise entry.error("id", "a string or a number")
        flags = read_flags(entry.nested("metadata") if extended else entry)
        return make_question(parsed, origin, split, options.language, flags, entry)

    ids = ["id", "name"] if extended else ["id"]
    return each_record(content, ids, _read, drain(records))


def separate_pseudo_query(query: str, pseudo: str = "") -> tuple[str, str]:
    """Separate queries from pseudo-queries: a query with ``text:"..."`` is not SPARQL."""
    # the substring first: the regular expression is slow on long queries
    if "text:" in query and re.search(r'\btext:\s*"', query):
        return "", pseudo or query
    return query, pseudo


def read_flags(fields: Fields) -> dict[str, bool]:
    """Return the flags of `FLAGS`, as far as they are stated."""
    return {flag: value for flag in FLAGS if (value := fields.flag(flag)) is not None}


def make_question(
    entry: Entry,
    origin: str,
    split: str,
    language: str,
    flags: dict[str, bool],
    fields: Fields | None = None,
) -> Question:
    """Return a question; `fields` are those of an entry that may have others, too."""
    texts: dict[str, tuple[str, ...]] = {}
    keywords: dict[str, str] = {}
    for wording in entry.wordings:
        tag = wording.language.strip() or language
        add_wording(texts, tag, wording.text)
        if wording.keywords:
            keywords.setdefault(language_tag(tag), wording.keywords)
    sparql, pseudo = separate_pseudo_query(entry.query, entry.pseudo)
    metadata = {} if fields is None else fields.rest(_USED)
    if pseudo:
        metadata["pseudoquery"] = pseudo
    if entry.kind and not exact_answer_type(entry.kind):
        metadata["answertype"] = entry.kind
    if is_out_of_scope(sparql) or is_out_of_scope(pseudo):
        metadata[OUT_OF_SCOPE] = "true"
    queries = {graph_of_query(sparql): sparql} if sparql else {}
    if sparql and fields is not None and QUERIES in fields.data:
        stated = fields.nested(QUERIES)
        by_graph = {graph: stated.scalar(graph) for graph in stated.data}
        # unless somebody changed the query alone
        if next(iter(by_graph.values()), "") == sparql:
            queries = by_graph
    return Question(
        id=entry.id,
        texts=texts,
        queries=queries,
        answers=entry.answers,
        answer_type=answer_type(entry.kind),
        origin=origin,
        split=split,
        flags=flags,
        keywords=keywords,
        metadata=metadata,
    )


def _wordings(entry: Fields, language: str) -> list[Fields]:
    """Return the objects with the texts (QALD-5: ``body``); a bare string is in `language`."""
    name = "body" if entry.has("body") and not entry.has("question") else "question"
    if isinstance(entry.data.get(name), str):
        return [entry.inside(name, {"language": language, "string": entry.data[name]})]
    return entry.objects(name)


def _answers(entry: Fields, kind: str, odd: list[str] | None) -> Answers | None:
    """Return the answers in a list, one object, or a JSON string; None without any element."""
    value = entry.data.get("answers")
    if value is None or value == "":
        return None
    parts = []
    for place, element in enumerate(as_list(value)):
        part = _element(entry, f"answers[{place}]", element, kind, odd)
        if part is not None:
            parts.append(part)
    if not parts:
        return None
    answers = merge_answers(parts)
    # all accepted names, which our own entries have
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


def _element(
    entry: Fields, name: str, element: object, kind: str, odd: list[str] | None
) -> Answers | None:
    """Return the answers in one element of ``answers``; None if it holds none."""
    if isinstance(element, str):
        text = element.strip()
        if not text.startswith(("{", "[")):
            if odd is not None:
                odd.append(TEXT_ANSWERS)
            return typed_answers([[("", "", text)]], kind) if text else None
        try:
            element = parse_json(text, "")
        except DataError as error:
            if odd is not None:
                odd.append(NOT_JSON)
                return None
            raise DataError(
                f"field {name!r} begins like JSON but is not; SPARQL results JSON or a plain text"
                " is expected",
                where=entry.where,
            ) from error
    # some systems write an element that has nothing but a confidence
    if odd is not None and (
        element is None or (isinstance(element, dict) and element.keys() <= {"confidence"})
    ):
        return None
    results = entry.inside(name, element)
    if results.has("results"):
        return read_results(results, odd)
    plain = [("", "", results.scalar(key)) for key in _PLAIN if results.has(key)]
    if results.has("uri"):
        plain.insert(0, ("uri", "uri", results.scalar("uri")))
    if plain:
        return typed_answers([plain], kind)
    if not {"head", "results", "boolean"} & results.data.keys():
        raise DataError(
            f"field {name!r} has neither 'results' nor 'boolean'; SPARQL results JSON is expected",
            where=entry.where,
        )
    return read_results(results, odd)

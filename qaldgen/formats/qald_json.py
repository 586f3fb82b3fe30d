"""Read QALD JSON (QALD-5 to QALD-10, QALD-9-plus) and extended QALD JSON.

Entries and SPARQL results of the usual shape are checked and read by msgspec.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from qaldgen.errors import DataError
from qaldgen.formats.fields import holds_gold
from qaldgen.formats.file_content import Content
from qaldgen.formats.gerbil.values import with_gerbil
from qaldgen.formats.json_documents import JsonReader, parse_json
from qaldgen.formats.question_texts import (
    OUT_OF_SCOPE,
    add_wording,
    answer_type,
    gerbil_answer_type,
    is_out_of_scope,
    language_tag,
    split_in,
)
from qaldgen.formats.records import (
    Fields,
    Item,
    ReadOptions,
    document_fields,
    drain,
    each_record,
    edition_note,
    scalar_text,
)
from qaldgen.formats.results_json import (
    KnownResults,
    answers_of,
    merge_answers,
    plain_results,
    results_answers,
    with_wordings,
)
from qaldgen.formats.values import typed_answers
from qaldgen.formats.writing import QUERIES, WORDINGS
from qaldgen.model import Answers, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

#: The flags that GERBIL knows; those of single years (``onlyesdbp``, ``yago``) are metadata.
FLAGS = ("aggregation", "onlydbo", "hybrid")


class Wording(msgspec.Struct, forbid_unknown_fields=True):
    """A text of a question with its keywords, as written in the file."""

    language: str
    text: str = msgspec.field(name="string")
    keywords: str | UnsetType = UNSET


class PlainEntry(NamedTuple):
    """The content of an entry of the usual shape.

    GERBIL's loader accepts every such entry, in runs and in gold questions.
    """

    id: str  # the id, as text
    wordings: list[Wording]  # the texts
    #: The queries; empty if there are none.
    query: str
    pseudo: str
    kind: str  # the answer type, as written in the file
    flags: dict[str, bool]  # the flags that are there
    answers: Answers | None  # the answers; None if there is no element for them


class _Query(msgspec.Struct, forbid_unknown_fields=True):
    sparql: str | UnsetType = UNSET
    pseudo: str | UnsetType = UNSET


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    id: str | int
    question: list[Wording]
    query: _Query | UnsetType = UNSET
    answers: list[KnownResults] | UnsetType = UNSET
    answertype: str | UnsetType = UNSET
    aggregation: bool | UnsetType = UNSET
    onlydbo: bool | UnsetType = UNSET
    hybrid: bool | UnsetType = UNSET


#: Characters in which the opening brace is sought.
_HEAD = 1000
_NO_QUERY = _Query()
_NO_FLAGS = (UNSET, UNSET, UNSET)


_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RECORDS = msgspec.json.Decoder(list[msgspec.Raw])


def plain_document(text: str) -> dict[str, object] | None:
    """Parse QALD JSON, and read the entries of the usual shape under ``questions`` on the way.

    The entries of a large file are never in memory together as JSON.

    >>> entry = '{"id": 7, "question": [{"language": "en", "string": "Is it wet?"}]}'
    >>> plain_document(f'{{"questions": [{entry}]}}')["questions"][0].wordings
    [Wording(language='en', text='Is it wet?', keywords=UNSET)]
    """
    if text[:_HEAD].lstrip()[:1] != "{":
        return None
    data, reader = text.encode(errors="surrogatepass"), JsonReader()
    try:
        questions = bytes(_MEMBERS.decode(data)["questions"])
        document = reader.parse(data.replace(questions, b"0", 1).decode(), "")
        values = (reader.decode(bytes(raw).decode()) for raw in _RECORDS.decode(questions))
        entries = [plain_entry(value) or value for value in values]
    except (msgspec.MsgspecError, DataError, KeyError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or any(reader.notes()):
        return None
    return {**document, "questions": entries}


def plain_entry(value: object) -> PlainEntry | None:
    """Return the content of an entry of the usual shape, fast; None for any other.

    >>> plain_entry({"id": 7, "question": [{"language": "en", "string": "Is it wet?"}]}).wordings
    [Wording(language='en', text='Is it wet?', keywords=UNSET)]
    """
    if isinstance(value, PlainEntry):
        return value
    try:
        entry = msgspec.convert(value, _Entry)
    except (msgspec.ValidationError, UnicodeError):  # half of a surrogate pair
        return None
    name, elements = str(entry.id).strip(), entry.answers or []
    # several elements have to be merged
    if not name or len(elements) > 1:
        return None
    answers = _plain_answers(elements[0]) if elements else None
    if elements and answers is None:
        return None
    query = entry.query or _NO_QUERY
    return PlainEntry(
        name,
        entry.question,
        (query.sparql or "").strip(),
        (query.pseudo or "").strip(),
        (entry.answertype or "").strip(),
        _plain_flags(entry),
        answers,
    )


def _plain_flags(entry: _Entry) -> dict[str, bool]:
    values = (entry.aggregation, entry.onlydbo, entry.hybrid)
    if values == _NO_FLAGS:
        return {}
    return {flag: value for flag, value in zip(FLAGS, values, strict=True) if value is not UNSET}


def _plain_answers(results: KnownResults) -> Answers | None:
    """Return the answers, unless GERBIL's loader would read rows beside a boolean."""
    # not by truth: "results" without bindings is there too
    if results.results not in (None, UNSET) and results.boolean not in (None, UNSET):
        return None
    return answers_of(results)


_PLAIN = ("uri", "string", "number", "date")
_USED = frozenset({
    "id", "name", "question", "body", "query", "answers", "answertype", "language", "metadata",
    *FLAGS, QUERIES, WORDINGS,
})  # fmt: skip


def recognises_qald(content: Content) -> bool:
    """Return whether this is QALD JSON: ``questions``, whose entries have texts in a list."""
    entry = _first_entry(content)
    if isinstance(entry, PlainEntry):
        return True
    if entry is None:
        return content.listed("questions") == []
    text = entry.get("question", entry.get("body"))
    if isinstance(text, str):  # a bare text is QALD only without the fields of tables
        return _is_qald_answers(entry.get("answers")) and all(
            name in _USED or not holds_gold(name) for name in entry
        )
    return isinstance(text, list) or (text is None and not {"query", "answers"}.isdisjoint(entry))


def recognises_extended(content: Content) -> bool:
    """Whether this is extended QALD JSON: the question is an object with languages or answers."""
    entry = _first_entry(content)
    inner = entry.get("question") if isinstance(entry, dict) else None
    return isinstance(inner, dict) and (
        isinstance(inner.get("language"), list) or isinstance(inner.get("answers"), (dict, str))
    )


def read_qald(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of QALD JSON."""
    document = document_fields(content)
    origin = _origin(document)

    def _read_plain(entry: object) -> Question | None:
        plain = plain_entry(entry)
        if plain is None:
            return None
        return question_of(plain, origin.name, origin.split, options.language)

    said = document.nested("dataset").scalar("metadata")
    yield from (edition_note(line) for line in re.findall(r"(?:^|\|)gold:'?([^|']+)", said))
    yield from each_record(
        content,
        ["id"],
        lambda entry, _: _entry(entry, origin, options.language, extended=False),
        drain(document.values("questions")),
        _read_plain,
    )


def read_extended(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield questions of extended QALD JSON; the last of several queries counts, as in GERBIL."""
    document = document_fields(content)
    origin = _origin(document)
    entries = document.values("questions")
    records = [entry.get("question") if isinstance(entry, dict) else entry for entry in entries]
    return each_record(
        content,
        ["id", "name"],
        lambda entry, _: _entry(entry, origin, options.language, extended=True),
        records,
    )


def sort_query(query: str, pseudo: str = "") -> tuple[str, str]:
    """Separate queries from pseudo-queries: a query with ``text:"..."`` is not SPARQL."""
    # the substring first: the regular expression is slow on long queries
    if "text:" in query and re.search(r'\btext:\s*"', query):
        return "", pseudo or query
    return query, pseudo


def _entry(entry: Fields, origin: _Origin, language: str, *, extended: bool) -> Question:
    name = entry.required("id", "name") if extended else entry.required("id")
    flags = entry.nested("metadata") if extended else entry
    kind = entry.scalar("answertype")
    read = PlainEntry(
        name,
        *entry_texts(entry, language, extended=extended),
        kind,
        flags_of(flags),
        _answers(entry, kind),
    )
    return question_of(read, origin.name, origin.split, language, entry)


def flags_of(fields: Fields) -> dict[str, bool]:
    """Return the flags that GERBIL knows, as far as they are stated."""
    return {flag: value for flag in FLAGS if (value := fields.flag(flag)) is not None}


def entry_texts(entry: Fields, language: str, *, extended: bool) -> tuple[list[Wording], str, str]:
    """Return the texts of an entry, its query and pseudo-query."""
    if extended:
        said = entry.objects("language")
        queries = [one.scalar("SPARQL") or one.scalar("sparql") for one in said]
        pseudo = next(filter(None, (one.scalar("pseudo") for one in said)), "")
        sparql = next(filter(None, reversed(queries)), "")
    else:
        said = _wordings(entry, language)
        sparql, pseudo = _query(entry)
    text = "question" if extended else "string"
    wordings = [
        Wording(one.scalar("language"), one.scalar(text), ", ".join(one.strings("keywords")))
        for one in said
    ]
    return wordings, sparql, pseudo


def _texts(
    wordings: Iterable[Wording], language: str
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Return texts and keywords by language; `language` is that of untagged texts."""
    texts: dict[str, tuple[str, ...]] = {}
    keywords: dict[str, str] = {}
    for wording in wordings:
        tag = wording.language.strip() or language
        add_wording(texts, tag, wording.text)
        if wording.keywords and (words := wording.keywords.strip()):
            keywords.setdefault(language_tag(tag), words)
    return texts, keywords


def _is_qald_answers(value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(
        item is None
        or isinstance(item, dict)
        or (isinstance(item, str) and item.lstrip()[:1] == "{")
        for item in values
    )


def _first_entry(content: Content) -> dict[str, object] | PlainEntry | None:
    first = (content.listed("questions") or [None])[0]
    return first if isinstance(first, (dict, PlainEntry)) else None


class _Origin(NamedTuple):
    """The data set that questions come from, and the split in its name."""

    name: str
    split: str


def _origin(document: Fields) -> _Origin:
    name = document.nested("dataset").scalar("id")
    return _Origin(name, split_in(name))


def question_of(
    entry: PlainEntry, origin: str, split: str, language: str, fields: Fields | None = None
) -> Question:
    """Return a question; `fields` are those of an entry that may have others, too."""
    texts, keywords = _texts(entry.wordings, language)
    sparql, pseudo = sort_query(entry.query, entry.pseudo)
    query = {graph_of_query(sparql): sparql} if sparql else {}
    return Question(
        id=entry.id,
        texts=texts,
        queries=query if fields is None else _queries(fields, sparql) or query,
        answers=entry.answers,
        answer_type=answer_type(entry.kind),
        origin=origin,
        split=split,
        flags=entry.flags,
        keywords=keywords,
        metadata=({} if fields is None else fields.rest(_USED))
        | _remarkable(sparql, pseudo, entry.kind),
    )


def _remarkable(sparql: str, pseudo: str, kind: str) -> dict[str, str]:
    """Return the metadata on query and answer type that fit nowhere else."""
    metadata = {"pseudoquery": pseudo} if pseudo else {}
    if kind and not gerbil_answer_type(kind):
        metadata["answertype"] = kind
    if is_out_of_scope(sparql) or is_out_of_scope(pseudo):
        metadata[OUT_OF_SCOPE] = "true"
    return metadata


def _wordings(entry: Fields, language: str) -> list[Fields]:
    """Return the objects with the texts (QALD-5: ``body``); a bare string is in `language`."""
    name = "body" if entry.has("body") and not entry.has("question") else "question"
    if isinstance(entry.data.get(name), str):
        return [entry.inside(name, {"language": language, "string": entry.data[name]})]
    return entry.objects(name)


def _query(entry: Fields) -> tuple[str, str]:
    """Return SPARQL and pseudo-query; QALD-5 has the query as a string."""
    if isinstance(entry.data.get("query"), str):
        return entry.scalar("query"), ""
    query = entry.nested("query")
    return query.scalar("sparql"), query.scalar("pseudo")


def _queries(entry: Fields, sparql: str) -> dict[str, str]:
    """Return the queries in our own field, unless the query was changed since."""
    said = (
        {graph: entry.nested(QUERIES).scalar(graph) for graph in entry.nested(QUERIES).data}
        if entry.has(QUERIES)
        else {}
    )
    return said if sparql and next(iter(said.values()), "") == sparql else {}


def _answers(entry: Fields, kind: str) -> Answers | None:
    """Return the answers in a list, one object, or a JSON string; None without any element."""
    value = entry.data.get("answers")
    elements = value if isinstance(value, list) else [] if value is None or value == "" else [value]
    parts = [
        element_answers(entry, f"answers[{i}]", element, answer_type(kind))
        for i, element in enumerate(elements)
    ]
    return _with_words(entry, with_gerbil(merge_answers(parts), elements)) if parts else None


def _with_words(entry: Fields, answers: Answers) -> Answers:
    """Return the answers with all accepted names, which our own entries have."""
    texts = [wordings for wordings in entry.values(WORDINGS) if isinstance(wordings, list)]
    try:
        return (
            with_wordings(answers, [tuple(map(scalar_text, wordings)) for wordings in texts])
            if texts
            else answers
        )
    except ValueError as error:
        raise DataError(
            f"field {WORDINGS!r} has {str(error)!r}, which is not an answer of the question; the"
            " first variant of each is one of its literals",
            where=entry.where,
        ) from error


def element_answers(entry: Fields, name: str, element: object, kind: str) -> Answers:
    """Return the answers in one element of ``answers``."""
    if isinstance(element, str):
        try:
            element = parse_json(element, "")
        except DataError as error:
            raise DataError(
                f"field {name!r} is a string that is not JSON; SPARQL results JSON is expected",
                where=entry.where,
            ) from error
    # most elements are of the usual shape, and large sets have millions of rows
    quick = plain_results(element)
    if quick is not None:
        return quick
    results = entry.inside(name, element)
    plain = [(key, results.scalar(key)) for key in _PLAIN if results.has(key)]
    if plain and not results.has("results"):
        named = [("uri" if key == "uri" else "", value) for key, value in plain]
        return typed_answers([[(key, key, value) for key, value in named]], kind)
    if not {"head", "results", "boolean"} & results.data.keys():
        raise DataError(
            f"field {name!r} has neither 'results' nor 'boolean'; SPARQL results JSON is expected",
            where=entry.where,
        )
    return results_answers(results)

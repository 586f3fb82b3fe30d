"""Read the results of linkers: the entities, relations and classes of each question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qaldgen.answers.reading import RunReader
from qaldgen.answers.record import ParsedResponse, ParsedRun, Response, RunOptions
from qaldgen.model import Answers, Mention
from qaldgen.questions.cells import parse_term
from qaldgen.questions.fields import has_role, is_prediction_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.records import Fields, id_note
from qaldgen.rdf.terms import last_part

_FIELD_NAMES = {
    "entity": r"entit(?:y|ies)",
    "relation": r"(?:relation|predicate)s?|propert(?:y|ies)",
    "class": r"class(?:es)?",
}
_FIELD_TYPE = re.compile("|".join(f"(?P<{kind}>{words})" for kind, words in _FIELD_NAMES.items()))
_FIELD = re.compile(rf"(?:{_FIELD_TYPE.pattern})(?:[ _](?:mapping|linking|dbpedia|wikidata))?")
_IDS = ("id", "_id", "SerialNumber", "qid", "question_id")
_TEXTS = ("text", "label", "surface form", "surface_form", "surface", "mention", "chunk")
#: At most so many records show the format of a file.
_SAMPLED = 1000
_IRIS = ("iri", "uri", "URI", "IRI", "url")


def recognises_mentions(content: Content) -> bool:
    """Return whether a file has mentions: ``entities``, ``relations`` or EARL's lists."""
    records = _records(content)
    return any(_has_mentions(record) for _, record in records[:: 1 + len(records) // _SAMPLED])


def read_mentions(content: Content, options: RunOptions) -> ParsedRun:
    """Read mentions: an object by id, or records with an id.

    Each has lists such as ``entities`` and ``relations``. A mention is an IRI or the name of a
    Wikidata item, an object with text and IRI, or a list of both. The names used by the LC-QuAD
    annotations, EARL and Falcon are known (``entity mapping``, ``rerankedlists``,
    ``entities_dbpedia``); of ranked candidates the first counts.
    """
    responses = []
    for key, value in _records(content):
        location = f"question {key}" if key else f"record{id_note(value, _IDS)}"
        record = Fields(value, (str(content.path), location))
        question_id = key or record.first(_IDS)
        if not question_id:  # the question itself names the record
            question_id = record.required("question")
        every_mention = [*_listed_mentions(record), *_best_candidates(record)]
        mentions = tuple(dict.fromkeys(every_mention))
        status = "answered" if mentions else "empty"
        question = record.data.get("question")
        if not isinstance(question, str):
            question = ""
        response = Response(question_id, status, Answers(), mentions=mentions)
        responses.append(ParsedResponse(response, question))
    return ParsedRun(responses)


def _records(content: Content) -> list[tuple[str, object]]:
    """Return the records with their ids, which are "" unless ids are the keys of the document."""
    document = content.document
    if isinstance(document, dict) and content.kind == "json" and not _has_mentions(document):
        return [(name.strip(), value) for name, value in document.items()]
    if content.kind not in {"json", "jsonl"}:
        return []
    return [("", value) for value in content.records]


def _has_mentions(value: object) -> bool:
    """Return whether a record has lists of mentions and no answers."""
    if not isinstance(value, dict):
        return False
    list_names = [name for name, entry in value.items() if isinstance(entry, list)]
    has_lists = any(map(_FIELD.fullmatch, list_names))
    if not has_lists and not isinstance(value.get("rerankedlists"), dict):
        return False
    # a system that answers may also have lists of entities
    return not any(is_prediction_name(name) or has_role(name, "bare answer") for name in value)


def _listed_mentions(record: Fields) -> Iterator[Mention]:
    """Yield the mentions in lists such as ``entities`` and ``relations``."""
    for name in record.data:
        field_match = _FIELD.fullmatch(name)
        if field_match is None:
            continue
        field_type = next(link_type for link_type in _FIELD_NAMES if field_match[link_type])
        for i, value in enumerate(record.values(name)):
            text, iri = _text_and_iri(record, f"{name}[{i}]", value)
            link_type = field_type
            if name == "predicate mapping" and last_part(iri)[:1].isupper():
                # EARL lists relations and classes together
                link_type = "class"
            if text or iri:
                yield Mention(text, iri, link_type)


def _best_candidates(record: Fields) -> Iterator[Mention]:
    """Yield the best candidate for each part of the text in a reply of EARL."""
    if not record.has("rerankedlists"):
        return

    ranked = record.nested("rerankedlists")
    chunks = record.objects("chunktext")
    link_types = record.strings("ertypes")
    for name in ranked.data:
        candidates = ranked.values(name)
        if not candidates:
            continue

        # keys are the numbers of the chunks; the kinds are in the same order
        index = int(name) if name.isdecimal() else -1
        text = ""
        link_type = "entity"
        if 0 <= index < len(chunks):
            text = chunks[index].scalar("chunk")
        if 0 <= index < len(link_types) and link_types[index] in _FIELD_NAMES:
            link_type = link_types[index]
        _, iri = _text_and_iri(ranked, f"{name}[0]", candidates[0])
        yield Mention(text, iri, link_type)


def _text_and_iri(record: Fields, name: str, value: object) -> tuple[str, str]:
    """Return the text and IRI of a mention: an IRI alone, a list with one, or an object."""
    if isinstance(value, str):
        return "", _parse_iri(value)
    if isinstance(value, list):
        words = [item.strip() for item in value if isinstance(item, str)]
        iri = next((word for word in words if parse_term(word).type == "uri"), "")
        text = next((word for word in words if word != iri), "")
        return text, _parse_iri(iri)
    mention = record.inside(name, value)
    return mention.first(_TEXTS), _parse_iri(mention.first(_IRIS))


def _parse_iri(text: str) -> str:
    """Return an IRI without brackets, also for a name in Wikidata."""
    return parse_term(text.strip().removeprefix("<").removesuffix(">")).value


MENTIONS = RunReader(
    recognises_mentions,
    read_mentions,
    "JSON: entities and relations of each question",
    replies=True,
)

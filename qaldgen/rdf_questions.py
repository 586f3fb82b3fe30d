"""From the triples of a question to a `Question`: the published vocabulary, ours, and schema.org's text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pyoxigraph import Literal, NamedNode

from qaldgen.errors import DataError
from qaldgen.formats import sparql_examples
from qaldgen.formats.content import Content
from qaldgen.formats.gather import knowledge_graph, language_tag
from qaldgen.formats.items import Broken, Item, ReadOptions
from qaldgen.formats.lsq_answers import parse_answers
from qaldgen.formats.qald_json import read_answers_json
from qaldgen.model import ANSWER_TYPES, Answers, LeftOut, Question
from qaldgen.rdf import CODES, LSQ, QALDGEN, Statement
from qaldgen.rdf_files import RdfFile

#: The first of these that a question has is its text.
TEXT_PROPERTIES = (QALDGEN + "text", "https://schema.org/text", "http://schema.org/text")
_AGGREGATION_FEATURES = {LSQ + "Aggregators", LSQ + "GroupBy", LSQ + "Having"}


def local_names(iris: Sequence[str]) -> list[str]:
    """Return short ids: what stands behind the last ``#`` or ``/``, or the IRIs if two of these are equal.

    Examples
    --------
    >>> local_names(["http://x.org/question#7", "http://x.org/question#12"])
    ['7', '12']
    >>> local_names(["http://a.org/1", "http://b.org/1"])
    ['http://a.org/1', 'http://b.org/1']
    """
    short = [re.split(r"[/#]", iri)[-1] for iri in iris]
    return short if len(set(short)) == len(short) and all(short) else list(iris)


def recognises_rdf(content: Content) -> bool:
    """Say whether this is RDF, but for SPARQL examples."""
    return content.kind == "rdf" and not sparql_examples.recognises_examples(content)


def read_rdf(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions in RDF: the subjects that have a text; those with a query but no text are left out."""
    triples: dict[str, list[Statement]] = {}
    for quad in RdfFile(content.path).quads():
        if isinstance(quad.subject, NamedNode):
            triples.setdefault(quad.subject.value, []).append((quad.subject, quad.predicate, quad.object))
    with_text = _subjects(triples, TEXT_PROPERTIES)
    known = set(with_text)
    without = [iri for iri in _subjects(triples, (LSQ + "text",)) if iri not in known]
    if not with_text and not without:
        raise DataError(f"{content.path}: no subject has a text ({TEXT_PROPERTIES[0]} or schema:text), so it holds no question")
    for iri, name in zip(with_text, local_names(with_text), strict=True):
        try:
            yield read_question(iri, name, triples[iri], options.language)
        except DataError as error:
            yield Broken(iri, name, str(error).removeprefix(f"{iri}: "))
    yield from (LeftOut(iri, "no text in any language") for iri in without)


def _subjects(triples: dict[str, list[Statement]], properties: Iterable[str]) -> list[str]:
    wanted = {NamedNode(name) for name in properties}
    return [iri for iri, statements in triples.items() if any(predicate in wanted for _, predicate, _ in statements)]


def read_question(iri: str, name: str, triples: Sequence[Statement], language: str = "en") -> Question:
    """Build a question from its triples.

    Parameters
    ----------
    iri, name
        Its IRI, and the short id to give it.
    triples
        The triples with this subject.
    language
        The language of a text without a language tag.

    Raises
    ------
    DataError
        If the answer string is damaged.
    """
    subject = NamedNode(iri)
    values: dict[str, list[object]] = {}
    for s, p, o in triples:
        if s == subject and isinstance(p, NamedNode):
            values.setdefault(p.value, []).append(o)

    def first(*properties: str) -> str:
        found = (o.value for name in properties for o in values.get(name, []) if isinstance(o, (Literal, NamedNode)))
        return next(found, "")

    try:
        parsed = _answers(values)
    except DataError as error:
        raise DataError(f"{iri}: {error}") from error
    answer_type = first(QALDGEN + "answerType").removeprefix(f"{CODES}answerType/").lower()
    features = {o.value for o in values.get(LSQ + "usesFeature", []) if isinstance(o, NamedNode)}
    return Question(
        id=name,
        iri=iri,
        texts=_texts(values, language),
        queries=_queries(values),
        answers=parsed,
        answer_type=ANSWER_TYPES.get(answer_type) or (parsed.type() if parsed else ""),
        origin=first(QALDGEN + "questionOrigin"),
        flags={"aggregation": bool(features & _AGGREGATION_FEATURES)} if features else {},
    )


def _queries(values: dict[str, list[object]]) -> dict[str, str]:
    """Return the gold queries, the one that the features are computed from first; the others by their knowledge graph."""
    main = [term.value for term in values.get(LSQ + "text", []) if isinstance(term, Literal)]
    others = [term.value for term in values.get(QALDGEN + "alternativeQuery", []) if isinstance(term, Literal)]
    queries = {knowledge_graph(main[0]) if others else "": main[0]} if main else {}
    for query in others:
        queries.setdefault(knowledge_graph(query), query)
    return queries


def _answers(values: dict[str, list[object]]) -> Answers | None:
    """Return the gold answers: SPARQL results JSON as our annotator writes it, or a string as the published data has it."""
    for name, parse in (
        (QALDGEN + "answers", read_answers_json),
        (LSQ + "answers", parse_answers),
        (QALDGEN + "answersText", parse_answers),
    ):
        found = [term for term in values.get(name, []) if isinstance(term, Literal)]
        if found:
            return parse(found[0].value)
    return None


def _texts(values: dict[str, list[object]], language: str) -> dict[str, tuple[str, ...]]:
    """Return the wordings by language, in the order of the data."""
    for name in TEXT_PROPERTIES:
        texts: dict[str, tuple[str, ...]] = {}
        for term in values.get(name, []):
            if isinstance(term, Literal):
                tag = language_tag(term.language or language)
                texts[tag] = (*texts.get(tag, ()), term.value)
        if texts:
            return texts
    return {}

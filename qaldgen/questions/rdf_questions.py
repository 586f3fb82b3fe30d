"""Read questions in RDF: in the published vocabulary, ours, or schema.org's; SPARQL examples."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias
from urllib.parse import unquote

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.model import (
    ANSWER_TYPES,
    BAR,
    CHOSEN_BY,
    Answers,
    Cell,
    LeftOut,
    MetadataValue,
    Question,
)
from qaldgen.questions.collecting import Broken, Item, ReadOptions, edition_note
from qaldgen.questions.file_content import Content
from qaldgen.questions.qald_json import FLAGS
from qaldgen.questions.question_texts import NO_TEXT, add_wording, language_tag
from qaldgen.questions.results_json import read_answers_json
from qaldgen.questions.values import NOTHING_KNOWN, as_terms
from qaldgen.rdf.knowledge_graphs import graph_of_query
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import (
    CODES,
    LSQ,
    PREFIXES,
    QALDGEN,
    TEXT_PROPERTIES,
    XSD,
    Statement,
    Term,
    column_name,
    last_part,
    python_value,
    term_text,
)

#: One cell of an answer string; its end shows whether the next cell starts a new row.
_CELL = re.compile(
    r"""\(\ \?(?P<variable>\w+)\ =\ (?:
          <(?P<iri>[^>]*)>
        | "(?P<text>(?:[^"\\]|\\.)*)"
          (?:@(?P<language>[\w-]+)|\^\^(?:<(?P<datatype>[^>]*)>|(?P<name>\w+:\w+)))?
        | (?P<number>[+-]?(?:[0-9]*\.)?[0-9]+(?:[eE][+-]?[0-9]+)?|true|false|[+-]?INF|NaN)
        | _:(?P<blank>\S+)
        | (?P<short>\w+:[^\s()]+)
        )\ \)(?P<end>,\ ?|\ |$)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_EDITION = NamedNode(QALDGEN + "goldEdition")
#: The metadata field with the index of a question in the task of another evaluator.
DOCUMENT_INDEX = "document_index"
_Values: TypeAlias = dict[str, list[Term]]
_SH = "http://www.w3.org/ns/shacl#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_SPEX = "https://purl.expasy.org/sparql-examples/ontology#"
_SCHEMA_ORG = ("https://schema.org/", "http://schema.org/")
#: The properties of schema.org with the answers of a question.
_ACCEPTED = [f"{schema}acceptedAnswer" for schema in _SCHEMA_ORG]
_QUERY_PROPERTIES = (
    f"{_SH}select", f"{_SH}ask", f"{_SH}construct", f"{_SPEX}describe", f"{_SH}describe",
)  # fmt: skip
_EXAMPLE_TEXT_PROPERTIES = (
    f"{QALDGEN}text", f"{_RDFS}comment", f"{_RDFS}label",
    *(f"{schema}description" for schema in _SCHEMA_ORG),
)  # fmt: skip
_METADATA_PROPERTIES = {
    "target": [f"{schema}target" for schema in _SCHEMA_ORG],
    "keywords": [*(f"{schema}keywords" for schema in _SCHEMA_ORG), "https://schema.org/keyword"],
    "federates_with": [f"{_SPEX}federatesWith"],
}
_EXECUTABLE = re.compile(r"(?:ns/shacl#|\bsh:)SPARQL(?:\w+)?Executable\b")
_HTML_TAG = re.compile(r"</?(?:a|b|i|em|p|br|code|strong|sup|sub)\b[^<>]*>")
_PREFIX_DECLARATION = re.compile(r"\bPREFIX\s+([\w.-]*):", re.IGNORECASE)


def parse_answers(text: str) -> Answers:
    r"""Read an answer string of the published data.

    >>> parse_answers('( ?s = <http://x.org/A_(b),_c> ), ( ?s = "a ), (b = "@en ), ').values()
    ['http://x.org/A_(b),_c', 'a ), (b = ']
    """
    stripped = text.strip()
    if stripped in {"true", "false"}:
        return Answers(boolean=stripped == "true")
    rows: list[dict[str, Cell]] = [{}]
    position = 0
    while position < len(stripped):
        match = _CELL.match(stripped, position)
        if match is None:
            raise DataError(
                f"the answer string is damaged at character {position}:"
                f" {stripped[position : position + 40]!r}"
            )
        rows[-1][match["variable"]] = _parse_cell(match)
        position = match.end()
        # a comma ends the row, a space the cell
        if match["end"].startswith(","):
            rows.append({})
    rows = [row for row in rows if row]
    variables = tuple(dict.fromkeys(name for row in rows for name in row))
    return Answers(
        variables=variables, rows=tuple(tuple(row.get(name) for name in variables) for row in rows)
    )


def _parse_cell(match: re.Match[str]) -> Cell:
    if match["iri"] is not None:
        return Cell("uri", match["iri"])
    if match["text"] is not None:
        datatype = match["datatype"] or _expand_name(match["name"] or "")
        return Cell("literal", _unescape(match["text"]), datatype, match["language"] or "")
    number = match["number"]
    if number is not None:
        datatype = "integer"
        if number in {"true", "false"}:
            datatype = "boolean"
        elif re.search(r"[eEN]", number):
            datatype = "double"
        elif "." in number:
            datatype = "decimal"
        return Cell("literal", number, XSD + datatype)
    if match["blank"] is not None:
        return Cell("bnode", match["blank"])
    return Cell("uri", _expand_name(match["short"]))


def _expand_name(name: str) -> str:
    prefix, _, local = name.partition(":")
    namespaces = {**PREFIXES, "owl": "http://www.w3.org/2002/07/owl#"}
    if prefix not in namespaces:
        return name
    return namespaces[prefix] + local


def _unescape(text: str) -> str:
    """Resolve escapes; Java writes a character beyond U+FFFF as two, which UTF-16 joins again."""
    if "\\" not in text:
        return text

    def unescape(escape: re.Match[str]) -> str:
        number = escape[1] or escape[2]
        if number:
            return chr(int(number, 16))
        return _ESCAPED_CHARACTERS.get(escape[3], escape[3])

    try:
        unescaped = _ESCAPE.sub(unescape, text)
        return unescaped.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except (ValueError, OverflowError) as error:
        raise DataError(
            f"the answer string is damaged: {text[:40]!r} has an invalid escape"
        ) from error


def local_names(iris: Sequence[str]) -> list[str]:
    """Return the decoded local names as ids, or the IRIs themselves if two names would be equal.

    >>> local_names(["http://x.org/question#7", "http://x.org/question#12"])
    ['7', '12']
    >>> local_names(["http://a.org/1", "http://b.org/1"])
    ['http://a.org/1', 'http://b.org/1']
    >>> local_names(["http://x.org/question/a%2Fb%201"])
    ['a/b 1']
    """
    short = []
    for iri in iris:
        name = last_part(iri)
        with suppress(UnicodeDecodeError):  # `annotate` encodes ids as UTF-8
            name = unquote(name, errors="strict")
        short.append(name)
    if len(set(short)) == len(short) and all(short):
        return short
    return list(iris)


def recognises_rdf(content: Content) -> bool:
    """Return whether this is RDF other than SPARQL examples."""
    return content.kind == "rdf" and not recognises_examples(content)


def read_rdf(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the subjects with a text as questions; those with only a query are left out."""
    triples: dict[str, list[Statement]] = {}
    for quad in RdfFile(content.path, options.text_property).quads():
        if isinstance(quad.subject, NamedNode):
            triples.setdefault(quad.subject.value, []).append(
                (quad.subject, quad.predicate, quad.object)
            )
    editions = {
        term.value
        for statements in triples.values()
        for _, predicate, term in statements
        if predicate == _EDITION and isinstance(term, Literal)
    }
    note(*map(edition_note, sorted(editions)))
    # questions are in the order of the file
    with_text = _subjects_with(triples, TEXT_PROPERTIES)
    with_text_set = set(with_text)
    with_query = _subjects_with(triples, [LSQ + "text"])
    without_text = [iri for iri in with_query if iri not in with_text_set]
    if not with_text and not without_text:
        raise DataError(
            f"no subject has a text ({TEXT_PROPERTIES[0]} or "
            "schema:text), so it contains no questions; name the property of the questions"
            " with `text_property`",
            where=content.path,
        )
    for iri, name in zip(with_text, local_names(with_text), strict=True):
        try:
            yield read_question(iri, name, triples[iri], options.language)
        except DataError as error:
            yield Broken(iri, name, error.without(iri))
    yield from (LeftOut(iri, NO_TEXT) for iri in without_text)


def _subjects_with(triples: dict[str, list[Statement]], properties: Iterable[str]) -> list[str]:
    predicates = {NamedNode(name) for name in properties}
    return [
        iri
        for iri, statements in triples.items()
        if any(predicate in predicates for _, predicate, _ in statements)
    ]


def read_question(
    iri: str, name: str, triples: Sequence[Statement], language: str = LANGUAGE
) -> Question:
    """Build a question from its triples."""
    subject = NamedNode(iri)
    values: _Values = {}
    for s, p, o in triples:
        if s == subject and isinstance(p, NamedNode):
            values.setdefault(p.value, []).append(o)

    def value_of(name: str) -> str:
        return next(_values_of(values, QALDGEN + name), "")

    try:
        gold = _read_gold(values)
    except DataError as error:
        raise DataError(f"{error}", where=iri) from error
    # main texts come first, in the order of the data
    main_texts = next(filter(None, (_literals(values, name) for name in TEXT_PROPERTIES)), [])
    texts: dict[str, tuple[str, ...]] = {}
    for term in [*main_texts, *_literals(values, QALDGEN + "alternativeText")]:
        tag = language_tag(term.language or language)
        texts[tag] = tuple(dict.fromkeys((*texts.get(tag, ()), term.value)))
    # features come from the first query; a second one of DBpedia is called dbpedia#2
    queries: dict[str, str] = {}
    main_query = _literals(values, LSQ + "text")[:1]
    for term in [*main_query, *_literals(values, QALDGEN + "alternativeQuery")]:
        graph = graph_of_query(term.value)
        n_queries = sum(name.partition("#")[0] == graph for name in queries)
        if n_queries:
            graph += f"#{n_queries + 1}"
        queries[graph] = term.value
    # flags are stated in the data, unlike features of the query such as ``hasAggregation``
    flags = {
        name: flag
        for name in FLAGS
        for flag in map(python_value, _literals(values, QALDGEN + name)[:1])
        if isinstance(flag, bool)
    }
    metadata: dict[str, MetadataValue] = {}
    for property_iri, terms in values.items():
        column = column_name(property_iri)
        if column:
            term_texts = tuple(map(term_text, terms))
            metadata[column] = term_texts if len(term_texts) > 1 else term_texts[0]
    named_fields = {
        "relevant_passages": " ".join(_values_of(values, QALDGEN + "relevantPassage")),
        DOCUMENT_INDEX: value_of("documentIndex"),
        CHOSEN_BY: BAR.join(_values_of(values, QALDGEN + "chosenBy")),
        "goldChanged": value_of("goldChanged").removeprefix(f"{CODES}goldChanged/"),
    }
    answer_type = value_of("answerType").removeprefix(f"{CODES}answerType/").lower()
    return Question(
        id=name,
        iri=iri,
        texts=texts,
        queries=queries,
        answers=gold,
        answer_type=ANSWER_TYPES.get(answer_type) or (gold.type() if gold else ""),
        origin=value_of("questionOrigin"),
        split=value_of("split"),
        flags=flags,
        keywords={
            language_tag(term.language or language): term.value
            for term in _literals(values, QALDGEN + "keywords")
        },
        metadata=metadata | {name: text for name, text in named_fields.items() if text},
    )


def _literals(values: Mapping[str, list[Term]], *properties: str) -> list[Literal]:
    return [
        term for name in properties for term in values.get(name, []) if isinstance(term, Literal)
    ]


def _values_of(values: Mapping[str, list[Term]], *properties: str) -> Iterator[str]:
    """Yield the literals and IRIs of some properties as texts."""
    terms = (term for name in properties for term in values.get(name, []))
    return (term.value for term in terms if isinstance(term, (Literal, NamedNode)))


def _read_gold(values: _Values) -> Answers | None:
    """Return the gold: our JSON, the answer string of the published data, or accepted answers."""
    for name, parse in (
        (QALDGEN + "answers", read_answers_json),
        (LSQ + "answers", parse_answers),
        (QALDGEN + "answersText", parse_answers),
    ):
        literals = _literals(values, name)
        if literals:
            return parse(literals[0].value)
    accepted = tuple((value,) for value in _values_of(values, *_ACCEPTED))
    if not accepted:
        return None
    return as_terms(Answers(texts=accepted), NOTHING_KNOWN)


def recognises_examples(content: Content) -> bool:
    """Return whether this is RDF with a resource that is an executable SPARQL query."""
    return content.kind == "rdf" and _EXECUTABLE.search(content.text) is not None


def read_examples(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of SPARQL examples; queries declare the prefixes of ``sh:prefixes``."""
    resources: dict[object, dict[str, list[Term]]] = {}
    for quad in RdfFile(content.path, options.text_property).quads():
        if isinstance(quad.predicate, NamedNode):
            resources.setdefault(quad.subject, {}).setdefault(quad.predicate.value, []).append(
                quad.object
            )
    subjects = []
    for subject, values in resources.items():
        types = [
            term.value for term in values.get(f"{_RDF}type", []) if isinstance(term, NamedNode)
        ]
        is_executable = any(re.fullmatch(f"{_SH}SPARQL.*Executable", name) for name in types)
        # a query with a message is a constraint
        has_query = any(name in values for name in _QUERY_PROPERTIES)
        if is_executable or (has_query and f"{_SH}message" not in values):
            subjects.append(subject)
    iris = [subject.value for subject in subjects if isinstance(subject, (NamedNode, BlankNode))]
    names = local_names([iri.rstrip("/#") for iri in iris])
    for subject, name in zip(subjects, names, strict=True):
        yield _example_question(subject, name, resources, options.language)


def _example_question(
    subject: object, name: str, resources: Mapping[object, Mapping[str, list[Term]]], language: str
) -> Question | LeftOut:
    values = resources[subject]
    queries = _literals(values, *_QUERY_PROPERTIES)
    if not queries or not queries[0].value.strip():
        return LeftOut(name, "no SHACL query (sh:select, sh:ask, sh:construct)")
    texts: dict[str, tuple[str, ...]] = {}
    # the comment is the question; a label only replaces a missing comment
    for key in _EXAMPLE_TEXT_PROPERTIES:
        for term in _literals(values, key):
            text = term.value
            if term.datatype.value == f"{_RDF}HTML" or _HTML_TAG.search(text):
                text = html.unescape(re.sub(r"<[^<>]+>", "", text))
            add_wording(texts, term.language or language, " ".join(text.split()))
        if texts:
            break
    query = queries[0].value.strip()
    query = "".join(_missing_declarations(query, values, resources)) + query
    metadata = {
        name: " ".join(_values_of(values, *properties))
        for name, properties in _METADATA_PROPERTIES.items()
    }
    if isinstance(subject, NamedNode):
        metadata["iri"] = subject.value
    return Question(
        id=name,
        texts=texts,
        queries={graph_of_query(query): query},
        metadata={name: text for name, text in metadata.items() if text},
    )


def _missing_declarations(
    query: str,
    values: Mapping[str, list[Term]],
    resources: Mapping[object, Mapping[str, list[Term]]],
) -> Iterator[str]:
    """Yield the declarations of prefixes that a query uses without declaring them."""
    declared = {name.lower() for name in _PREFIX_DECLARATION.findall(query)}
    for ontology in values.get(f"{_SH}prefixes", []):
        for entry in resources.get(ontology, {}).get(f"{_SH}declare", []):
            declaration = resources.get(entry, {})
            prefix = next(_values_of(declaration, f"{_SH}prefix"), "")
            namespace = next(_values_of(declaration, f"{_SH}namespace"), "")
            if (
                namespace
                and prefix.lower() not in declared
                and re.search(rf"(?<![\w.-]){re.escape(prefix)}:", query)
            ):
                declared.add(prefix.lower())
                yield f"PREFIX {prefix}: <{namespace}>\n"

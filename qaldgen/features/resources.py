"""The entities, relations and classes that a query names, and whether the question names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple
from urllib.parse import unquote

from qaldgen.defaults import LANGUAGE
from qaldgen.features.query.query_features import FeatureValue, parse_query
from qaldgen.features.query.query_tree import QueryError, QueryTree
from qaldgen.features.text.letters import is_spaced, same_script, words_of
from qaldgen.features.text.words import base_forms
from qaldgen.model import Question
from qaldgen.questions.question_texts import base_language
from qaldgen.rdf.knowledge_graphs import DIRECTIVES, NAMESPACE, SUBCLASS_PREDICATES, TYPE_PREDICATES
from qaldgen.rdf.terms import last_part

#: IRIs whose local name is an identifier rather than a name.
_OPAQUE = re.compile(
    r"https?://www\.wikidata\.org/.*[QPL]\d+|https?://rdf\.freebase\.com/ns/[mg]\..*"
)
_FREEBASE = "http://rdf.freebase.com/ns/"
#: A word with a capital, as names have one.
_CAPITAL = re.compile(r"\b[^\W\d_a-z]\w*")
_YAGO = "http://dbpedia.org/class/yago/"
#: Between the words of a name such as birthPlace, also after an abbreviation as in NBATeam.
_CAMEL = re.compile(r"(?<=[^\W\dA-Z])(?=[A-Z0-9])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_CHAPTER = re.compile(r"https?://([a-z]{2,3})\.dbpedia\.org/")
#: Predicates whose objects are classes.
_CLASS_PREDICATES = TYPE_PREDICATES | SUBCLASS_PREDICATES


class Resources(NamedTuple):
    """The IRIs that a query names, distinct, in the order of its text."""

    #: Subjects and objects of triple patterns that are not classes, also inside EXISTS and in every
    #: UNION branch.
    entities: tuple[str, ...]
    #: Predicates, including every IRI of a path, except the type predicates (rdf:type, wdt:P31) and
    #: the steps from them to wider classes (wdt:P279 in ``wdt:P31/wdt:P279*``).
    relations: tuple[str, ...]
    #: Objects of type predicates and of wdt:P279 and rdfs:subClassOf, also at the end of a path.
    classes: tuple[str, ...]


def resources_of(query: str | QueryTree) -> Resources:
    """Return the entities, relations and classes that a query names.

    >>> resources_of("SELECT ?x { ?x a dbo:Film ; dbo:director dbr:Ann_Lee }").entities
    ('http://dbpedia.org/resource/Ann_Lee',)
    """
    tree = parse_query(query) if isinstance(query, str) else query
    nodes = set[str]()
    relations = set[str]()
    classes = set[str]()
    for pattern in tree.patterns:
        if pattern.subject in DIRECTIVES:
            continue
        nodes.update(term for term in (pattern.subject, pattern.object) if term.startswith("<"))
        last_step = pattern.steps[-1]
        if last_step.iri in _CLASS_PREDICATES and not last_step.inverse:
            classes.add(pattern.object)
        excluded = TYPE_PREDICATES
        if not TYPE_PREDICATES.isdisjoint(pattern.iris):
            excluded = _CLASS_PREDICATES
        relations.update(f"<{iri}>" for iri in pattern.iris if iri not in excluded)
    text_iris = dict.fromkeys(re.findall(r"<[^<>\s]*>", tree.text))

    def in_text_order(iris: set[str]) -> tuple[str, ...]:
        in_text = [iri for iri in text_iris if iri in iris]
        expanded = sorted(iris - text_iris.keys())  # those that the text writes with a prefix
        return tuple(iri[1:-1] for iri in in_text + expanded)

    return Resources(
        entities=in_text_order(nodes - classes - relations),
        relations=in_text_order(relations),
        classes=in_text_order(classes & nodes),
    )


def label_in_iri(iri: str, resource_type: str = "entity") -> str:
    """Return the label contained in an IRI; empty for identifiers such as Wikidata's Q42.

    >>> label_in_iri("http://dbpedia.org/resource/Category:Old_%22towns%22")
    'Old "towns"'
    >>> label_in_iri("http://dbpedia.org/ontology/birthPlace", "relation")
    'birth place'
    """
    if _OPAQUE.fullmatch(iri):
        return ""
    namespace = NAMESPACE.match(iri)
    local = iri[namespace.end() :] if namespace else last_part(iri)
    if iri.startswith(_FREEBASE):
        local = local.rpartition(".")[2]  # Freebase writes /people/person/parents with dots
    name = unquote(local).removeprefix("Category:").replace("_", " ")
    if resource_type != "entity":
        if iri.startswith(_YAGO):
            # YAGO appends the number of the WordNet synset
            name = re.sub(r"\d{6,}$", "", name.removeprefix("Wikicat"))
        name = " ".join(
            word if word.isupper() and len(word) > 1 else word.lower()
            for word in _CAMEL.sub(" ", name).split()
        )
    return " ".join(name.split())


def name_language(iri: str) -> str:
    """Return the language of the name in an IRI: that of the DBpedia chapter, else English.

    >>> name_language("http://de.dbpedia.org/resource/Rhein"), name_language("http://dbpedia.org/resource/Rhine")
    ('de', 'en')
    """
    chapter = _CHAPTER.match(iri)
    return chapter[1] if chapter else "en"


def without_qualifier(label: str) -> str:
    """Return a label without the text in brackets at its end, as in ``Titanic (1997 film)``."""
    return re.sub(r"\s*\([^()]*\)$", "", label) or label


def is_explicit(label: str, question: str) -> bool:
    """Return whether the words of a label occur consecutively in the question, ignoring case.

    >>> is_explicit("Ann Lee", "Did ANN LEE direct it?")
    True
    >>> is_explicit("river", "Which rivers are there?")
    False
    >>> is_explicit("长江", "长江有多长？")
    True
    """
    label_words = words_of(label)
    words = words_of(question)
    if not is_spaced(label):
        return "".join(label_words) in "".join(words)
    size = len(label_words)
    starts = range(len(words) - size + 1)
    return size > 0 and any(words[start : start + size] == label_words for start in starts)


def is_explicit_lemma(label: str, word_forms: Sequence[str]) -> bool:
    """Return whether the words of an English label, inflected, occur consecutively in the question.

    >>> is_explicit_lemma("starring", ["who who", "starred star"])
    True
    >>> is_explicit_lemma("river", ["rivers river"])
    True
    """
    label_words = [base_forms(word) for word in words_of(label)]
    words = [frozenset(forms.split()) for forms in word_forms if words_of(forms)]
    size = len(label_words)
    if not size:
        return False
    for start in range(len(words) - size + 1):
        pairs = zip(label_words, words[start : start + size], strict=True)
        if all(forms & other_forms for forms, other_forms in pairs):
            return True
    return False


def labels_in(questions: Iterable[Question], language: str) -> dict[str, str]:
    """Return the labels in questions for resources whose IRIs contain none, by IRI.

    >>> berlin = "http://www.wikidata.org/entity/Q64"
    >>> question = Question("1", {"en": ("Where is it?",)}, names={berlin: ("Berlin",)})
    >>> labels_in([question], "en")
    {'http://www.wikidata.org/entity/Q64': 'Berlin'}
    """
    labels = {}
    for question in questions:
        for iri, names in question.names.items():
            if not label_in_iri(iri) and same_script(names[0], question.text(language)):
                labels[iri] = names[0]
    return labels


def mentions_in(question: Question, entities: Sequence[str], language: str) -> dict[str, str]:
    """Return the names that a question has for entities whose IRIs contain none, by IRI.

    These are the mentions that the data link to an entity. If the query has one entity, and the
    other mentions or the keywords contain one name, this is its name as well.

    >>> question = Question("1", {}, keywords={"en": "mayor, Old Ulm"})
    >>> mentions_in(question, ["http://www.wikidata.org/entity/Q3012"], "en")
    {'http://www.wikidata.org/entity/Q3012': 'Old Ulm'}
    """
    linked = {}
    unlinked = []
    for mention in question.mentions:
        if mention.iri and mention.text.strip():
            linked[mention.iri] = mention.text
        elif mention.kind == "entity" and not mention.iri:
            unlinked.append(mention.text)
    texts = unlinked or question.keywords.get(language, "").split(",")
    names = {text.strip() for text in texts if _CAPITAL.search(text)}
    if len(entities) == len(names) == 1:
        linked.setdefault(entities[0], names.pop())
    return {iri: text for iri, text in linked.items() if not label_in_iri(iri)}


def resource_features(
    query: str | QueryTree,
    question: str = "",
    labels: Mapping[str, str] | None = None,
    *,
    record: Question | None = None,
    language: str = LANGUAGE,
) -> dict[str, FeatureValue]:
    """Compute the features of the resources that a query names.

    `question` is the text of the question, and `record` the question itself, whose mentions replace
    unknown labels.
    """
    features: dict[str, FeatureValue] = {}
    base = base_language(language)
    labels = labels or {}
    resources = resources_of(query)
    mentions = {} if record is None else mentions_in(record, resources.entities, language)

    iris_by_type = (
        ("Entity", "Entities", resources.entities),
        ("Relation", "Relations", resources.relations),
        ("Class", "Classes", resources.classes),
    )
    for resource_type, plural, iris in iris_by_type:
        names = [
            labels.get(iri) or label_in_iri(iri, resource_type.lower()) or mentions.get(iri, "")
            for iri in iris
        ]
        known_names = tuple(filter(None, names))

        features[f"total{plural}"] = len(iris)
        if iris:
            features[f"{resource_type.lower()}Iris"] = iris
        if known_names:
            features[f"{resource_type.lower()}Labels"] = known_names
            features[f"avg{plural}Words"] = fmean(len(name.split()) for name in known_names)

        for nth, (iri, name) in enumerate(zip(iris, names, strict=True), start=1):
            if not name:
                continue
            features[f"label{resource_type}{nth}"] = name
            features[f"totalWords{resource_type}{nth}"] = len(name.split())

            # without mentions, which are words of the question in any case
            is_in_language = iri in labels or (iri not in mentions and name_language(iri) == base)
            if question.strip() and same_script(name, question) and is_in_language:
                features[f"isExplicit{resource_type}{nth}"] = is_explicit(name, question)
                features[f"isExplicitNoQualifier{resource_type}{nth}"] = is_explicit(
                    without_qualifier(name), question
                )

    return features


def resources_by_query(questions: Iterable[Question]) -> Iterator[tuple[str, Resources | None]]:
    """Yield the id of the question and the resources of each query; None if it does not parse."""
    for question in questions:
        for query in filter(str.strip, question.queries.values()):
            try:
                yield question.id, resources_of(query)
            except QueryError:
                yield question.id, None

"""The feature catalogue: one row per feature, with name, type, source and definition.

Add a row to add a feature.

A row computes its value from the `Evidence` about a question. Usually it picks one value of a group
that is computed together (all text features in one spaCy pass, all query features from one parse).
Other packages add rows through the entry point group ``qaldgen.features``, whose objects are
`Feature` records.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple

from qaldgen.features import evidence as known
from qaldgen.features.evidence import (
    COMPLEXITIES,
    FORMULATIONS,
    KINDS,
    SOUGHT,
    Evidence,
    Group,
    Value,
    answer_type,
    flag,
    metadata,
    pick,
)
from qaldgen.features.generalisation import LEVELS
from qaldgen.features.query.features import FeatureValue
from qaldgen.features.text.entity_type import ENTITY_TYPES, TREC_CLASSES
from qaldgen.io.extensions import Table
from qaldgen.rdf.terms import LSQ, QALDGEN

__all__ = ["FEATURES", "Evidence", "Feature", "Group", "all_features", "answer_type"]


class Feature(NamedTuple):
    """A question feature.

    Attributes
    ----------
    name : str
        The feature name, also its local name in the vocabulary.
    kind : str
        ``integer``, ``decimal``, ``boolean``, ``categorical`` (a code of the list with that name),
        ``string``, ``iri``.
    source : str
        T question text, S SPARQL query, A gold answers, M metadata of the data set.
    definition : str
        One sentence.
    value : callable
        Computes the value from the evidence about a question; None if there is none. A tuple or set
        holds several values.
    term : str
        The IRI of the property.
    codes : tuple of str
        For a categorical feature, the possible values.
    several : bool
        Whether a question can have several values.
    matches : tuple of (str, str)
        For a categorical feature, pairs of a value and the IRI of the closest class in another
        vocabulary.
    searched : bool
        Whether searches for slices look at it by themselves. Not at what says how another feature
        was made, nor at what reads the question's meaning off its gold answer, which no system
        sees; who asks for such a feature gets it.
    label : str
        What people call it; for ours, `qaldgen.features.labels` has it.
    """

    name: str
    kind: str
    source: str
    definition: str
    value: Callable[[Evidence], FeatureValue | None]
    term: str
    codes: tuple[str, ...] = ()
    several: bool = False
    matches: tuple[tuple[str, str], ...] = ()
    searched: bool = True
    label: str = ""


DBPEDIA = "http://dbpedia.org/ontology/"
_GROUPS = {"T": "text", "S": "query", "R": "resources"}


def _row(
    name: str,
    kind: str,
    group: str,
    definition: str,
    codes: str = "",
    term: str = "",
    *,
    several: bool = False,
) -> Feature:
    """Return a row that picks `name` from a group.

    T text, S query, R resources named by the query.
    """
    source = "S" if group == "R" else group
    return Feature(
        name,
        kind,
        source,
        definition,
        pick(_GROUPS[group], name),
        term or QALDGEN + name,
        tuple(codes.split()),
        several,
    )


@functools.cache
def all_features() -> dict[str, Feature]:
    """Return all features by name, including those of other packages.

    Returns
    -------
    dict of str to Feature
        In catalogue order, qaldgen's own first.
    """
    ours = {feature.name: feature for feature in FEATURES}
    return dict(Table("features", Feature, ours, key=lambda feature: feature.name))


def _said(name: str, kind: str, definition: str, value: Value, *, several: bool = False) -> Feature:
    return Feature(name, kind, "M", definition, value, QALDGEN + name, several=several)


def _labelled(name: str, definition: str, codes: Mapping[str, str]) -> Feature:
    """Make the row of a class of PolQA: its own label wins over the rules."""
    return Feature(
        name,
        "categorical",
        "M>T",
        definition,
        known.polqa_label(name),
        QALDGEN + name,
        tuple(codes.values()),
    )


#: Features of PolQA's taxonomy that rules guess, each with the rule beside it.
_RULED = ("questionFormulation", "informationSought", "answerEntityKind", "answerEntityType")
_POS = {
    "IN": "a preposition", "JJ": "an adjective", "JJR": "a comparative adjective", "JJS": "a superlative adjective",
    "NN": "a singular noun", "NNS": "a plural noun", "NNP": "a proper noun", "NNPS": "a plural proper noun",
    "PRP": "a personal pronoun", "RB": "an adverb", "RBR": "a comparative adverb", "RBS": "a superlative adverb",
    "VB": "a verb in base form", "VBD": "a verb in the past tense", "VBG": "a gerund or present participle",
    "VBN": "a past participle", "VBP": "a verb in the present tense, not third person singular",
    "VBZ": "a verb in the third person singular present", "WDT": "a wh-determiner", "WP": "a wh-pronoun", "SYM": "a symbol",
}  # fmt: skip
_WH = "what which who whom whose when where why how how-many how-much how-adj yes-no command none"
_THINGS = (
    ("Entity", "Entities", "entity"),
    ("Relation", "Relations", "relation"),
    ("Class", "Classes", "class"),
)

_TEXT = (
    _row("length", "integer", "T", "Number of white-space-separated tokens, in scripts that separate words."),
    _row("tokenCount", "integer", "T", "Number of tokens without punctuation (spaCy)."),
    _row("charCount", "integer", "T", "Number of characters."),
    _row("avgTokenLength", "decimal", "T", "Mean token length in characters."),
    _row("sentenceCount", "integer", "T", "Number of sentences."),
    _row("stopwordRatio", "decimal", "T", "Share of tokens that are stop words."),
    _row("typeTokenRatio", "decimal", "T", "Distinct tokens divided by tokens."),
    _row("fleschReadingEase", "decimal", "T", "Flesch reading ease; English only."),
    _row("maxDependencyDepth", "integer", "T", "Depth of the dependency tree: edges from the root to the deepest word."),
    *(_row(tag, "boolean", "T", f"The question contains {what} (Penn tag {tag}).") for tag, what in _POS.items()),
    _row("totalNouns", "integer", "T", "Number of nouns (NN, NNS, NNP, NNPS)."),
    _row("totalAdjectives", "integer", "T", "Number of adjectives (JJ, JJR, JJS)."),
    _row("totalVerbs", "integer", "T", "Number of verbs (VB and its forms)."),
    _row("whType", "categorical", "T", "Question type by question word.", _WH),
    _row("headword", "string", "T", "Head noun of the requested thing, as written."),
    _row("headwordLemma", "string", "T", "Head noun of the requested thing, as lemma."),
    _labelled(
        "questionFormulation", "Plain question, command or compound: of the data, else guessed (PolQA).", FORMULATIONS
    ),
    _labelled("informationSought", "What kind of answer is sought: of the data, else guessed (PolQA).", SOUGHT),
    _labelled("answerEntityKind", "Whether the answer has a name of its own: of the data, else guessed (PolQA).", KINDS),
    _row(
        "expectedAnswerCategory", "categorical", "T", "Answer category expected from the text alone (SMART).",
        "boolean literal-number literal-date literal-string resource",
    ),
    Feature(
        "answerEntityType", "categorical", "M>T", "Type of the requested entity, from the data or else guessed (PolQA).",
        known.answer_entity_type, QALDGEN + "answerEntityType", tuple(ENTITY_TYPES),
        matches=tuple((name, DBPEDIA + near) for name, near in ENTITY_TYPES.items() if near),
    ),
    *(
        _row(f"{name}Rule", "string", "T", f"Which rule guessed {name}.")._replace(searched=False) for name in _RULED
    ),
    Feature(
        "answerEntityKindGold", "categorical", "M>A",
        "Whether the answer has a name of its own, as its writing tells; needs the gold answer.",
        known.kind_by_gold, QALDGEN + "answerEntityKindGold", tuple(KINDS.values()), searched=False,
    ),
    Feature(
        "answerEntityKindGoldRule", "string", "A", "Which rule gave answerEntityKindGold; needs the gold answer.",
        known.kind_by_gold_rule, QALDGEN + "answerEntityKindGoldRule", searched=False,
    ),
    Feature(
        "answerEntityTypeGold", "categorical", "M>A",
        "Type of the answer that has a name of its own; needs the gold answer.",
        known.type_by_gold, QALDGEN + "answerEntityTypeGold", tuple(ENTITY_TYPES), searched=False,
    ),
    _row(
        "expectedAnswerTREC", "categorical", "T",
        "Coarse class of the expected answer, by rules (Li and Roth); absent for yes/no questions.",
        " ".join(TREC_CLASSES),
    ),
    _row("namedEntityCount", "integer", "T", "Number of named entities, not counting numbers, dates and amounts."),
    _row("hasNamedEntity", "boolean", "T", "The question contains a named entity."),
    _row("namedEntityTypes", "string", "T", "Types of the named entities (OntoNotes), as detected by spaCy.", several=True),
    _row(
        "valueTypes", "string", "T",
        "Types of numbers, dates and amounts outside named entities (OntoNotes, spaCy).", several=True,
    ),
    _row("hasSuperlative", "boolean", "T", "The question contains a superlative (longest, most)."),
    _row("hasComparative", "boolean", "T", "The question contains a comparison (longer than, more than)."),
    _row("hasNegation", "boolean", "T", "The question contains a negation (not, without)."),
    _row("hasTemporal", "boolean", "T", "The question refers to time (year, before, 1990)."),
    _row("hasOrdinal", "boolean", "T", "The question contains an ordinal number."),
    _row("hasQuantifier", "boolean", "T", "The question contains a quantifier (all, every, at least)."),
    _row("hasConjunction", "boolean", "T", "The question contains a conjunction (and, or)."),
    _row("hasQuote", "boolean", "T", "The question contains a quotation."),
    _row("hasNumber", "boolean", "T", "The question contains a number in digits, or in words (English and Polish only)."),
    _row("capitalisation", "categorical", "T", "Letter case, in scripts that have capitals.", "mixed lower upper"),
    _row("spellingSuspect", "boolean", "T", "The question word is misspelt, or a function word is repeated."),
)  # fmt: skip

_QUERY = (
    _row(
        "tpCount",
        "integer",
        "S",
        "Number of distinct triple patterns outside EXISTS; a property path counts as one.",
        term=LSQ + "tpCount",
    ),
    _row(
        "bgpCount",
        "integer",
        "S",
        "Number of blocks of adjacent triple patterns outside EXISTS.",
        term=LSQ + "bgpCount",
    ),
    _row(
        "projectVarCount",
        "integer",
        "S",
        "Number of projected variables, 0 for ASK.",
        term=LSQ + "projectVarCount",
    ),
    _row(
        "usesFeature",
        "iri",
        "S",
        "SPARQL features used, as named by LSQ.",
        term=LSQ + "usesFeature",
        several=True,
    ),
    _row("queryForm", "categorical", "S", "Query form.", "select ask construct describe"),
    _row(
        "tripleCountAll",
        "integer",
        "S",
        "Number of triple patterns, counting repetitions and those inside EXISTS.",
    ),
    _row("existsTripleCount", "integer", "S", "Number of triple patterns inside EXISTS."),
    _row(
        "tpInBgpCountMin",
        "integer",
        "S",
        "Number of triple patterns in the smallest block.",
        term=LSQ + "tpInBgpCountMin",
    ),
    _row(
        "tpInBgpCountMax",
        "integer",
        "S",
        "Number of triple patterns in the largest block.",
        term=LSQ + "tpInBgpCountMax",
    ),
    _row(
        "tpInBgpCountMean",
        "decimal",
        "S",
        "Mean number of triple patterns per block.",
        term=LSQ + "tpInBgpCountMean",
    ),
    _row(
        "tpInBgpCountMedian",
        "decimal",
        "S",
        "Median number of triple patterns per block.",
        term=LSQ + "tpInBgpCountMedian",
    ),
    _row(
        "joinVertexCount",
        "integer",
        "S",
        "Number of join vertices, where triple patterns meet.",
        term=LSQ + "joinVertexCount",
    ),
    _row(
        "joinVertexDegreeMax",
        "integer",
        "S",
        "Number of triple patterns at the busiest join vertex.",
        term=QALDGEN + "joinVertexDegreeMax",
    ),
    _row(
        "joinVertexDegreeMean",
        "decimal",
        "S",
        "Mean number of triple patterns per join vertex.",
        term=LSQ + "joinVertexDegreeMean",
    ),
    _row(
        "joinVertexDegreeMedian",
        "decimal",
        "S",
        "Median number of triple patterns per join vertex.",
        term=LSQ + "joinVertexDegreeMedian",
    ),
    _row(
        "joinVertexTypes",
        "categorical",
        "S",
        "Kinds of join vertices.",
        "star path hybrid sink",
        several=True,
    ),
    _row(
        "queryShape",
        "categorical",
        "S",
        "Shape of the query graph.",
        "edge chain star star-chain tree cycle disconnected empty",
    ),
    _row(
        "hopCount",
        "integer",
        "S",
        "Longest shortest path from the answer variable to a constant, without type patterns.",
    ),
    _row(
        "answerDirection",
        "categorical",
        "S",
        "Position of the answer variable in its patterns.",
        "subject object both none",
    ),
    _row("variableCount", "integer", "S", "Number of distinct variables."),
    _row(
        "constantCount",
        "integer",
        "S",
        "Number of distinct IRIs and literals in subject or object position or in expressions.",
    ),
    _row("literalCount", "integer", "S", "Number of distinct literals."),
    _row(
        "knowledgeGraph",
        "categorical",
        "S",
        "Queried knowledge graph, by namespaces.",
        "dbpedia wikidata freebase other",
    ),
    _row("namespacesUsed", "iri", "S", "Namespaces of the IRIs in the query.", several=True),
    _row("hasAggregation", "boolean", "S", "The query uses an aggregate."),
    _row(
        "aggregateFunctions",
        "categorical",
        "S",
        "Aggregates used by the query.",
        "count sum avg min max sample group_concat",
        several=True,
    ),
    _row("isCount", "boolean", "S", "The answer is a COUNT."),
    _row("isSuperlative", "boolean", "S", "The query combines ORDER BY with LIMIT."),
    _row("hasComparison", "boolean", "S", "A filter compares by <, >, <= or >=."),
    Feature(
        "queryHasNegation",
        "boolean",
        "S",
        "The query contains NOT EXISTS, MINUS, != or NOT IN.",
        pick("query", "hasNegation"),
        QALDGEN + "queryHasNegation",
    ),
    _row("hasRegex", "boolean", "S", "A filter matches a regular expression."),
    _row("hasLangFilter", "boolean", "S", "A filter tests a language tag."),
    _row("hasUnion", "boolean", "S", "The query contains UNION."),
    _row("hasOptional", "boolean", "S", "The query contains OPTIONAL."),
    _row("hasSubquery", "boolean", "S", "The query contains a subquery."),
    _row("hasPropertyPath", "boolean", "S", "The query contains a property path."),
    _row("hasQualifier", "boolean", "S", "The query uses a Wikidata qualifier."),
    _row("hasTypeConstraint", "boolean", "S", "The query asks for instances of a class."),
    _row("hasTemporalLiteral", "boolean", "S", "The query contains a date or time literal."),
    _row(
        "queryRepaired",
        "boolean",
        "S",
        "The query could only be parsed after repair; the stored text is unchanged.",
    ),
    _row("repairKinds", "string", "S", "Repairs applied to the query.", several=True),
)


def _resource_rows() -> list[Feature]:
    """Return the features of the IRIs in the query: subjects, predicates, objects."""
    rows = []
    for one, many, word in _THINGS:
        count = f"Number of distinct IRIs that the query uses as {word}."
        rows.append(_row(f"total{many}", "integer", "R", count))
        words = f"Mean number of words in their labels ({word})."
        rows.append(_row(f"avg{many}Words", "decimal", "R", words))
        for nth, ordinal in ((1, "first"), (2, "second"), (3, "third")):
            rows += _nth_rows(one, nth, f"{ordinal} {word}")
        iris = f"IRIs that the query uses as {word}."
        rows.append(_row(f"{word}Iris", "iri", "R", iris, term=QALDGEN + word, several=True))
        labels, term = f"Their labels ({word}).", f"{QALDGEN}{word}Label"
        rows.append(_row(f"{word}Labels", "string", "R", labels, term=term, several=True))
    return rows


def _nth_rows(one: str, nth: int, which: str) -> list[Feature]:
    """Return the features of one IRI, as of the first entity."""
    says = f"The question contains the label of the {which}"
    name = f"isExplicitLemma{one}{nth}"
    lemma = known.explicit_lemma(one, nth)
    words = f"Number of words in the label of the {which}."
    bare = f"{says} without its qualifier in brackets."
    return [
        _row(f"totalWords{one}{nth}", "integer", "R", words),
        _row(f"isExplicit{one}{nth}", "boolean", "R", f"{says}."),
        _row(f"isExplicitNoQualifier{one}{nth}", "boolean", "R", bare),
        Feature(name, "boolean", "S", f"{says}, in any inflection.", lemma, QALDGEN + name),
    ]


_REST = (
    Feature(
        "answerType", "categorical", "S>M>A>T", "Answer type: from the query if certain, else from "
        "the data, the answers or the text.",
        answer_type, QALDGEN + "answerType", ("resource", "string", "number", "date", "boolean"),
    ),
    Feature(
        "resultCount", "integer", "A", "Number of distinct gold answers; 1 for yes/no questions.",
        known.answer_count, LSQ + "resultCount",
    ),
    Feature(
        "answerIsEmpty", "boolean", "A", "The gold answer is empty.",
        lambda e: None if e.question.answers is None else not e.question.answers.values(), QALDGEN + "answerIsEmpty",
    ),
    Feature(
        "answerDatatypes", "iri", "A", "Datatypes of the gold answers.",
        known.answer_datatypes, QALDGEN + "answerDatatypes", several=True,
    ),
    Feature(
        "isSingleAnswer", "boolean", "A", "There is exactly one distinct gold answer.",
        known.single_answer, QALDGEN + "isSingleAnswer",
    ),
    Feature(
        "answerAliasesCount", "integer", "A", "Number of accepted variants of the gold answers, without the main ones.",
        known.answer_aliases, QALDGEN + "answerAliasesCount",
    ),
    _said("languages", "string", "Language tags of the texts (BCP 47).", known.languages, several=True),
    _said("wordingCount", "integer", "Number of paraphrases in the language that has most.", known.wording_count),
    _said("avgMentionWords", "decimal", "Mean number of words of the mentions annotated in the data.", known.mention_words),
    _said("split", "string", "Part of the data set: train, test, ...", lambda e: e.question.split or None),
    _said("hybrid", "boolean", "The answer needs text as well as the knowledge graph (QALD).", flag("hybrid")),
    _said("onlydbo", "boolean", "The query only needs the DBpedia ontology (QALD).", flag("onlydbo")),
    _said("aggregation", "boolean", "The data set says that the query aggregates (QALD).", flag("aggregation")),
    _said("templateId", "string", "Template from which the question was made.", metadata("template", "template_id")),
    Feature(
        "complexityType", "categorical", "M>S", "Kinds of complexity, from the data or else from the query (Mintaka).",
        known.complexity, QALDGEN + "complexityType", COMPLEXITIES, several=True,
    ),
    _said("topicCategory", "string", "Topic, as given by the data set.", metadata("category", "domain")),
    _said("expectedAnswerClass", "string", "Answer class, as given by the data set (SMART).", metadata("answer_class")),
    Feature(
        "generalisationLevel", "categorical", "M",
        "Distance from the training split, as given by the data (GrailQA) or computed from --train.",
        known.generalisation_level, QALDGEN + "generalisationLevel", LEVELS,
    ),
)  # fmt: skip

#: The catalogue, in print order.
FEATURES: tuple[Feature, ...] = (*_TEXT, *_QUERY, *_resource_rows(), *_REST)

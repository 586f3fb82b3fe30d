"""The feature catalogue: one row per feature, with name, type, source and definition."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from qaldgen.features import data_features as known
from qaldgen.features.data_features import (
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
from qaldgen.features.query.query_features import FeatureValue
from qaldgen.features.resources import LEVELS
from qaldgen.features.text.taxonomies import ENTITY_TYPES, TREC_CLASSES
from qaldgen.io.arguments import did_you_mean
from qaldgen.io.extensions import Table
from qaldgen.rdf.terms import LSQ, QALDGEN
from qaldgen.runs.changes import CHANGES


class Feature(NamedTuple):
    """A question feature.

    Attributes
    ----------
    name : str
        The feature name, also its local name in the vocabulary.
    kind : str
        ``integer``, ``decimal``, ``boolean``, ``categorical`` (see `codes`), ``string``,
        ``iri``.
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
        Whether searches for slices try it unasked. False for features that tell how something was
        made rather than what is asked (the rule behind another feature, repairs of the query,
        languages and wordings that the data set offers), and for those that read the question's
        meaning off its gold answer, which no system sees; naming such a feature still selects it.
    label : str
        What people call it; the labels of our own are in `qaldgen.features.labels`.
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


#: Source letter to the group of `Evidence` that computes it; R is what the query names.
_GROUPS = {"T": "text", "S": "query", "R": "resources"}


def row(
    name: str,
    kind: str,
    group: str,
    definition: str,
    codes: str = "",
    term: str = "",
    *,
    several: bool = False,
) -> Feature:
    """Return a feature that picks the value called `name` from a group of `Evidence`."""
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


def stated(
    name: str, kind: str, definition: str, value: Value, *, several: bool = False
) -> Feature:
    """Return a feature that the data set itself states."""
    return Feature(name, kind, "M", definition, value, QALDGEN + name, several=several)


def labelled(name: str, definition: str, codes: Mapping[str, str]) -> Feature:
    """Return a class of PolQA's taxonomy: the label in the data wins over our rules."""
    return Feature(
        name,
        "categorical",
        "M>T",
        definition,
        known.polqa_label(name),
        QALDGEN + name,
        tuple(codes.values()),
    )


DATA_FEATURES: tuple[Feature, ...] = (
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
        lambda e: None if e.question.answers is None else not e.question.answers.values(),
        QALDGEN + "answerIsEmpty",
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
        "answerAliasesCount", "integer", "A",
        "Number of accepted variants of the gold answers, without the main ones.",
        known.answer_aliases, QALDGEN + "answerAliasesCount", searched=False,
    ),
    stated("languages", "string", "Language tags of the texts (BCP 47).", known.languages,
        several=True)._replace(searched=False),
    stated("wordingCount", "integer", "Number of paraphrases in the language that has the most.",
        known.wording_count)._replace(searched=False),
    stated("avgMentionWords", "decimal",
        "Mean number of words of the mentions annotated in the data.", known.mention_words),
    stated("split", "string", "Part of the data set: train, test, ...",
        lambda e: e.question.split or None),
    stated("hybrid", "boolean", "The answer needs text as well as the knowledge graph (QALD).",
        flag("hybrid")),
    stated("onlydbo", "boolean", "The query only needs the DBpedia ontology (QALD).",
        flag("onlydbo")),
    stated("aggregation", "boolean", "The data set says that the query aggregates (QALD).",
        flag("aggregation")),
    stated("templateId", "string", "Template from which the question was made.",
        metadata("template", "template_id")),
    Feature(
        "complexityType", "categorical", "M>S",
        "Kinds of complexity, from the data or else from the query (Mintaka).",
        known.complexity, QALDGEN + "complexityType", COMPLEXITIES, several=True,
    ),
    stated("topicCategory", "string", "Topic, as given by the data set.",
        metadata("category", "domain")),
    stated("expectedAnswerClass", "string", "Answer class, as given by the data set (SMART).",
        metadata("answer_class")),
    Feature(
        "generalisationLevel", "categorical", "M",
        "Distance from the training split, as given by the data "
        "(GrailQA) or computed from --train.",
        known.generalisation_level, QALDGEN + "generalisationLevel", LEVELS,
    ),
    Feature(
        "goldChanged", "categorical", "M",
        "How the gold answers differ in another edition of the gold (--also-gold, --gold-from).",
        known.gold_changed, QALDGEN + "goldChanged", CHANGES,
    ),
)  # fmt: skip


_THINGS = (
    ("Entity", "Entities", "entity"),
    ("Relation", "Relations", "relation"),
    ("Class", "Classes", "class"),
)

# names and definitions are LSQ's where the property is one of LSQ's
QUERY_FEATURES: tuple[Feature, ...] = (
    row("tpCount", "integer", "S",
        "Number of distinct triple patterns outside EXISTS; a property path counts as one.",
        term=LSQ + "tpCount"),
    row("bgpCount", "integer", "S",
        "Number of blocks of adjacent triple patterns outside EXISTS.", term=LSQ + "bgpCount"),
    row("projectVarCount", "integer", "S",
        "Number of projected variables, 0 for ASK.", term=LSQ + "projectVarCount"),
    row("usesFeature", "iri", "S",
        "SPARQL features used, as named by LSQ.", term=LSQ + "usesFeature", several=True),
    row("queryForm", "categorical", "S", "Query form.", "select ask construct describe"),
    row("tripleCountAll", "integer", "S",
        "Number of triple patterns, counting repetitions and those inside EXISTS."),
    row("existsTripleCount", "integer", "S", "Number of triple patterns inside EXISTS."),
    row("tpInBgpCountMin", "integer", "S",
        "Number of triple patterns in the smallest block.", term=LSQ + "tpInBgpCountMin"),
    row("tpInBgpCountMax", "integer", "S",
        "Number of triple patterns in the largest block.", term=LSQ + "tpInBgpCountMax"),
    row("tpInBgpCountMean", "decimal", "S",
        "Mean number of triple patterns per block.", term=LSQ + "tpInBgpCountMean"),
    row("tpInBgpCountMedian", "decimal", "S",
        "Median number of triple patterns per block.", term=LSQ + "tpInBgpCountMedian"),
    row("joinVertexCount", "integer", "S",
        "Number of join vertices, where triple patterns meet.", term=LSQ + "joinVertexCount"),
    row("joinVertexDegreeMax", "integer", "S",
        "Number of triple patterns at the busiest join vertex.",
        term=QALDGEN + "joinVertexDegreeMax"),
    row("joinVertexDegreeMean", "decimal", "S",
        "Mean number of triple patterns per join vertex.", term=LSQ + "joinVertexDegreeMean"),
    row("joinVertexDegreeMedian", "decimal", "S",
        "Median number of triple patterns per join vertex.", term=LSQ + "joinVertexDegreeMedian"),
    row("joinVertexTypes", "categorical", "S",
        "Kinds of join vertices.", "star path hybrid sink", several=True),
    row("queryShape", "categorical", "S",
        "Shape of the query graph.", "edge chain star star-chain tree cycle disconnected empty"),
    row("hopCount", "integer", "S",
        "Longest shortest path from the answer variable to a constant, without type patterns."),
    row("answerDirection", "categorical", "S",
        "Position of the answer variable in its patterns.", "subject object both none"),
    row("variableCount", "integer", "S", "Number of distinct variables."),
    row("constantCount", "integer", "S",
        "Number of distinct IRIs and literals in subject or object position or in expressions."),
    row("literalCount", "integer", "S", "Number of distinct literals."),
    row("knowledgeGraph", "categorical", "S",
        "Queried knowledge graph, by namespaces.", "dbpedia wikidata freebase other"),
    row("namespacesUsed", "iri", "S", "Namespaces of the IRIs in the query.", several=True),
    row("hasAggregation", "boolean", "S", "The query uses an aggregate."),
    row("aggregateFunctions", "categorical", "S",
        "Aggregates used by the query.", "count sum avg min max sample group_concat", several=True),
    row("isCount", "boolean", "S", "The answer is a COUNT."),
    row("isSuperlative", "boolean", "S", "The query combines ORDER BY with LIMIT."),
    row("hasComparison", "boolean", "S", "A filter compares by <, >, <= or >=."),
    Feature("queryHasNegation", "boolean", "S",
        "The query contains NOT EXISTS, MINUS, != or NOT IN.", pick("query", "hasNegation"),
        QALDGEN + "queryHasNegation"),
    row("hasRegex", "boolean", "S", "A filter matches a regular expression."),
    row("hasLangFilter", "boolean", "S", "A filter tests a language tag."),
    row("hasUnion", "boolean", "S", "The query contains UNION."),
    row("hasOptional", "boolean", "S", "The query contains OPTIONAL."),
    row("hasSubquery", "boolean", "S", "The query contains a subquery."),
    row("hasPropertyPath", "boolean", "S", "The query contains a property path."),
    row("hasQualifier", "boolean", "S", "The query uses a Wikidata qualifier."),
    row("hasTypeConstraint", "boolean", "S", "The query asks for instances of a class."),
    row("hasTemporalLiteral", "boolean", "S", "The query contains a date or time literal."),
    row("queryRepaired", "boolean", "S",
        "The query could only be parsed after repair; the stored text is unchanged."
        )._replace(searched=False),
    row("repairKinds", "string", "S", "Repairs applied to the query.", several=True
        )._replace(searched=False),
)  # fmt: skip


def resource_rows() -> list[Feature]:
    """Return the features of the IRIs in the query: subjects, predicates, objects."""
    rows = []
    for one, many, word in _THINGS:
        plural = many.lower()
        count = f"Number of distinct IRIs that the query uses as {plural}."
        rows.append(row(f"total{many}", "integer", "R", count))
        words = f"Mean number of words in the labels of the {plural}."
        rows.append(row(f"avg{many}Words", "decimal", "R", words))
        for nth, ordinal in ((1, "first"), (2, "second"), (3, "third")):
            rows += _nth_rows(one, nth, f"{ordinal} {word}")
        iris = f"IRIs that the query uses as {plural}."
        rows.append(row(f"{word}Iris", "iri", "R", iris, term=QALDGEN + word, several=True))
        labels, term = f"Labels of the {plural}.", f"{QALDGEN}{word}Label"
        rows.append(row(f"{word}Labels", "string", "R", labels, term=term, several=True))
    return rows


def _nth_rows(one: str, nth: int, which: str) -> list[Feature]:
    """Return the features of one IRI, as of the first entity."""
    says = f"The question contains the label of the {which}"
    name = f"isExplicitLemma{one}{nth}"
    lemma = known.explicit_lemma(one, nth)
    words = f"Number of words in the label of the {which}."
    bare = f"{says} without its qualifier in brackets."
    return [
        row(f"totalWords{one}{nth}", "integer", "R", words),
        row(f"isExplicit{one}{nth}", "boolean", "R", f"{says}."),
        row(f"isExplicitNoQualifier{one}{nth}", "boolean", "R", bare),
        Feature(name, "boolean", "S", f"{says}, in any inflection.", lemma, QALDGEN + name),
    ]


DBPEDIA = "http://dbpedia.org/ontology/"
#: Features of PolQA's taxonomy that rules guess; each has a twin that names the rule.
_RULED = ("questionFormulation", "informationSought", "answerEntityKind", "answerEntityType")
#: Penn Treebank tags whose presence the published QaldGenData records.
_POS = {
    "IN": "a preposition", "JJ": "an adjective", "JJR": "a comparative adjective",
    "JJS": "a superlative adjective", "NN": "a singular noun", "NNS": "a plural noun",
    "NNP": "a proper noun", "NNPS": "a plural proper noun", "PRP": "a personal pronoun",
    "RB": "an adverb", "RBR": "a comparative adverb", "RBS": "a superlative adverb",
    "VB": "a verb in base form", "VBD": "a verb in the past tense",
    "VBG": "a gerund or present participle", "VBN": "a past participle",
    "VBP": "a verb in the present tense, not third person singular",
    "VBZ": "a verb in the third person singular present", "WDT": "a wh-determiner",
    "WP": "a wh-pronoun", "SYM": "a symbol",
}  # fmt: skip
_WH = "what which who whom whose when where why how how-many how-much how-adj yes-no command none"

TEXT_FEATURES: tuple[Feature, ...] = (
    row("length", "integer", "T",
        "Number of white-space-separated tokens, in scripts that separate words."),
    row("tokenCount", "integer", "T", "Number of tokens without punctuation (spaCy)."),
    row("charCount", "integer", "T", "Number of characters."),
    row("avgTokenLength", "decimal", "T", "Mean token length in characters."),
    row("sentenceCount", "integer", "T", "Number of sentences."),
    row("stopwordRatio", "decimal", "T", "Share of tokens that are stop words."),
    row("typeTokenRatio", "decimal", "T", "Distinct tokens divided by tokens."),
    row("fleschReadingEase", "decimal", "T", "Flesch reading ease; English only."),
    row("maxDependencyDepth", "integer", "T",
        "Depth of the dependency tree: edges from the root to the deepest word."),
    *(row(tag, "boolean", "T", f"The question contains {what} (Penn tag {tag}).") for tag,
        what in _POS.items()),
    row("totalNouns", "integer", "T", "Number of nouns (NN, NNS, NNP, NNPS)."),
    row("totalAdjectives", "integer", "T", "Number of adjectives (JJ, JJR, JJS)."),
    row("totalVerbs", "integer", "T", "Number of verbs (VB and its forms)."),
    row("whType", "categorical", "T", "Question type by question word.", _WH),
    row("headword", "string", "T", "Head noun of the requested thing, as written."),
    row("headwordLemma", "string", "T", "Head noun of the requested thing, as lemma."),
    labelled(
        "questionFormulation",
        "Plain question, command or compound, from the data or else guessed (PolQA).", FORMULATIONS
    ),
    labelled("informationSought",
        "What kind of answer is sought, from the data or else guessed (PolQA).", SOUGHT),
    labelled("answerEntityKind",
        "Whether the answer has a name of its own, from the data or else guessed (PolQA).", KINDS),
    row(
        "expectedAnswerCategory", "categorical", "T",
        "Answer category expected from the text alone (SMART).",
        "boolean literal-number literal-date literal-string resource",
    ),
    Feature(
        "answerEntityType", "categorical", "M>T",
        "Type of the requested entity, from the data or else guessed (PolQA).",
        known.answer_entity_type, QALDGEN + "answerEntityType", tuple(ENTITY_TYPES),
        matches=tuple((name, DBPEDIA + near) for name, near in ENTITY_TYPES.items() if near),
    ),
    *(
        row(f"{name}Rule", "string", "T",
            f"Which rule guessed {name}.")._replace(searched=False) for name in _RULED
    ),
    Feature(
        "answerEntityKindGold", "categorical", "M>A",
        "Whether the answer has a name of its own, by its spelling; needs the gold answer.",
        known.kind_by_gold, QALDGEN + "answerEntityKindGold", tuple(KINDS.values()), searched=False,
    ),
    Feature(
        "answerEntityKindGoldRule", "string", "A",
        "Which rule gave answerEntityKindGold; needs the gold answer.", known.kind_by_gold_rule,
        QALDGEN + "answerEntityKindGoldRule", searched=False,
    ),
    Feature(
        "answerEntityTypeGold", "categorical", "M>A",
        "Type of the answer that has a name of its own; needs the gold answer.",
        known.type_by_gold, QALDGEN + "answerEntityTypeGold", tuple(ENTITY_TYPES), searched=False,
    ),
    row(
        "expectedAnswerTREC", "categorical", "T",
        "Coarse class of the expected answer, by rules (Li and Roth); absent for yes/no questions.",
        " ".join(TREC_CLASSES),
    ),
    row("namedEntityCount", "integer", "T",
        "Number of named entities, not counting numbers, dates and amounts."),
    row("hasNamedEntity", "boolean", "T", "The question contains a named entity."),
    row("namedEntityTypes", "string", "T",
        "Types of the named entities (OntoNotes), as detected by spaCy.", several=True),
    row(
        "valueTypes", "string", "T",
        "Types of numbers, dates and amounts outside named entities (OntoNotes, spaCy).",
        several=True,
    ),
    row("hasSuperlative", "boolean", "T", "The question contains a superlative (longest, most)."),
    row("hasComparative", "boolean", "T",
        "The question contains a comparison (longer than, more than)."),
    row("hasNegation", "boolean", "T", "The question contains a negation (not, without)."),
    row("hasTemporal", "boolean", "T", "The question refers to time (year, before, 1990)."),
    row("hasOrdinal", "boolean", "T", "The question contains an ordinal number."),
    row("hasQuantifier", "boolean", "T",
        "The question contains a quantifier (all, every, at least)."),
    row("hasConjunction", "boolean", "T", "The question contains a conjunction (and, or)."),
    row("hasQuote", "boolean", "T", "The question contains a quotation."),
    row("hasNumber", "boolean", "T",
        "The question contains a number in digits, or in words (English and Polish only)."),
    row("capitalisation", "categorical", "T", "Letter case, in scripts that have capitals.",
        "mixed lower upper"),
    row("spellingSuspect", "boolean", "T",
        "The question word is misspelt, or a function word is repeated."),
)  # fmt: skip


__all__ = ["FEATURES", "Evidence", "Feature", "Group", "all_features", "answer_type"]

#: Our own features, in the order of the catalogue.
FEATURES: tuple[Feature, ...] = (
    *TEXT_FEATURES,
    *QUERY_FEATURES,
    *resource_rows(),
    *DATA_FEATURES,
)


@functools.cache
def all_features() -> dict[str, Feature]:
    """Return all features by name, including those of other packages."""
    rows: dict[str, Feature] = {}
    # by the name that a feature has itself: a package may call its entry point otherwise
    for feature in Table(
        "features", Feature, {feature.name: feature for feature in FEATURES}
    ).values():
        rows.setdefault(feature.name, feature)
    return rows


def feature_hint(name: str, known: Iterable[str]) -> str:
    """Return similar names of features, or where all of them are listed."""
    return did_you_mean(name, known, most=3).strip() or "'qaldgen list features' lists them"

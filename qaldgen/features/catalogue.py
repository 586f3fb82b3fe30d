"""The table of features: one row each, with name, type, source and definition. To add a feature, add a row.

A row says where its value comes from: a function of the `Evidence` about a question, most often one value of a group that is
computed together (all text features in one pass of spaCy, all query features from one parse). Other packages add rows by the
entry point group ``qaldgen.features``, whose object is a `Feature`.
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
    """A feature of questions.

    Attributes
    ----------
    name : str
        What it is called; also its local name in the vocabulary.
    kind : str
        ``integer``, ``decimal``, ``boolean``, ``code`` (of the code list of that name), ``string``, ``iri``.
    source : str
        T question text, S SPARQL query, A gold answers, M what the data set says.
    definition : str
        One sentence.
    value : callable
        The value for the evidence about a question; None where the question has none. A tuple or set gives several values.
    term : str
        The IRI of the property.
    codes : tuple of str
        For a code: the values it can have.
    several : bool
        Whether a question can have several values.
    matches : tuple of (str, str)
        For a code: values, and the IRI of the class of another vocabulary that is nearest to each.
    searched : bool
        Whether searches for slices look at it by themselves. Not at what says how another feature was made, nor at what
        reads the question's meaning off its gold answer, which no system sees; who asks for such a feature gets it.
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


DBPEDIA = "http://dbpedia.org/ontology/"
_GROUPS = {"T": "text", "S": "query", "R": "resources"}


def _row(name: str, kind: str, group: str, definition: str, codes: str = "", term: str = "", *, several: bool = False) -> Feature:
    """Make a row whose value is that of `name` in a group: T text, S query, R what the query names."""
    source = "S" if group == "R" else group
    return Feature(
        name, kind, source, definition, pick(_GROUPS[group], name), term or QALDGEN + name, tuple(codes.split()), several
    )


@functools.cache
def all_features() -> dict[str, Feature]:
    """Return the table by name: ours, and what other packages add."""
    ours = {feature.name: feature for feature in FEATURES}
    return dict(Table("features", Feature, ours, key=lambda feature: feature.name))


def _said(name: str, kind: str, definition: str, value: Value, *, several: bool = False) -> Feature:
    return Feature(name, kind, "M", definition, value, QALDGEN + name, several=several)


def _labelled(name: str, definition: str, codes: Mapping[str, str]) -> Feature:
    """Make the row of a class of PolQA: its own label wins over the rules."""
    return Feature(name, "code", "M>T", definition, known.polqa_label(name), QALDGEN + name, tuple(codes.values()))


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
_THINGS = (("Entity", "Entities", "entity"), ("Relation", "Relations", "relation"), ("Class", "Classes", "class"))

_TEXT = (
    _row("length", "integer", "T", "Tokens of the question separated by white space, in scripts that separate words."),
    _row("tokenCount", "integer", "T", "Tokens without punctuation, by spaCy."),
    _row("charCount", "integer", "T", "Characters of the question."),
    _row("avgTokenLength", "decimal", "T", "Mean length of the tokens in characters."),
    _row("sentenceCount", "integer", "T", "Sentences of the question."),
    _row("stopwordRatio", "decimal", "T", "Share of the tokens that are stop words."),
    _row("typeTokenRatio", "decimal", "T", "Different tokens divided by tokens."),
    _row("fleschReadingEase", "decimal", "T", "Flesch reading ease; English only."),
    _row("maxDependencyDepth", "integer", "T", "Arcs from the root of the dependency tree to its deepest word."),
    *(_row(tag, "boolean", "T", f"The question has {what} (Penn tag {tag}).") for tag, what in _POS.items()),
    _row("totalNouns", "integer", "T", "Nouns of the question (NN, NNS, NNP, NNPS)."),
    _row("totalAdjectives", "integer", "T", "Adjectives of the question (JJ, JJR, JJS)."),
    _row("totalVerbs", "integer", "T", "Verbs of the question (VB and its forms)."),
    _row("whType", "code", "T", "Class of the question by its question word.", _WH),
    _row("headword", "string", "T", "Head noun of what is asked for, as written."),
    _row("headwordLemma", "string", "T", "Head noun of what is asked for, as lemma."),
    _labelled(
        "questionFormulation", "Plain question, command or compound: of the data, else guessed (PolQA).", FORMULATIONS
    ),
    _labelled("informationSought", "What kind of answer is sought: of the data, else guessed (PolQA).", SOUGHT),
    _labelled("answerEntityKind", "Whether the answer has a name of its own: of the data, else guessed (PolQA).", KINDS),
    _row(
        "expectedAnswerCategory", "code", "T", "Category of the answer that the text alone makes one expect (SMART).",
        "boolean literal-number literal-date literal-string resource",
    ),
    Feature(
        "answerEntityType", "code", "M>T", "Type of the named thing that is asked for: of the data, else guessed (PolQA).",
        known.answer_entity_type, QALDGEN + "answerEntityType", tuple(ENTITY_TYPES),
        matches=tuple((name, DBPEDIA + near) for name, near in ENTITY_TYPES.items() if near),
    ),
    *(
        _row(f"{name}Rule", "string", "T", f"Which rule guessed {name}.")._replace(searched=False) for name in _RULED
    ),
    Feature(
        "answerEntityKindGold", "code", "M>A",
        "Whether the answer has a name of its own, as its writing tells; needs the gold answer.",
        known.kind_by_gold, QALDGEN + "answerEntityKindGold", tuple(KINDS.values()), searched=False,
    ),
    Feature(
        "answerEntityKindGoldRule", "string", "A", "Which rule gave answerEntityKindGold; needs the gold answer.",
        known.kind_by_gold_rule, QALDGEN + "answerEntityKindGoldRule", searched=False,
    ),
    Feature(
        "answerEntityTypeGold", "code", "M>A",
        "Type of the answer that has a name of its own; needs the gold answer.",
        known.type_by_gold, QALDGEN + "answerEntityTypeGold", tuple(ENTITY_TYPES), searched=False,
    ),
    _row(
        "expectedAnswerTREC", "code", "T", "Coarse class of the expected answer by rules (Li and Roth); none for yes or no.",
        " ".join(TREC_CLASSES),
    ),
    _row("namedEntityCount", "integer", "T", "Names in the question; numbers, dates and amounts are not names."),
    _row("hasNamedEntity", "boolean", "T", "The question has a name."),
    _row("namedEntityTypes", "string", "T", "Types of the names (OntoNotes), as far as spaCy tells.", several=True),
    _row("valueTypes", "string", "T", "Types of numbers, dates and amounts outside names, by spaCy (OntoNotes).", several=True),
    _row("hasSuperlative", "boolean", "T", "The question asks for an extreme (longest, most)."),
    _row("hasComparative", "boolean", "T", "The question compares (longer than, more than)."),
    _row("hasNegation", "boolean", "T", "The question negates (not, without)."),
    _row("hasTemporal", "boolean", "T", "The question speaks of time (year, before, 1990)."),
    _row("hasOrdinal", "boolean", "T", "The question has an ordinal number."),
    _row("hasQuantifier", "boolean", "T", "The question has a quantifier (all, every, at least)."),
    _row("hasConjunction", "boolean", "T", "The question joins parts (and, or)."),
    _row("hasQuote", "boolean", "T", "The question has a quotation."),
    _row("hasNumber", "boolean", "T", "The question has a number, in digits or words; of words English and Polish only."),
    _row("capitalisation", "code", "T", "How the letters are written, where the script has capitals.", "mixed lower upper"),
    _row("spellingSuspect", "boolean", "T", "The question word is misspelt, or a small word stands twice in a row."),
)  # fmt: skip

_QUERY = (
    _row("tpCount", "integer", "S", "Distinct triple patterns outside EXISTS; a property path is one.", term=LSQ + "tpCount"),
    _row("bgpCount", "integer", "S", "Blocks of adjacent triple patterns outside EXISTS.", term=LSQ + "bgpCount"),
    _row("projectVarCount", "integer", "S", "Projected variables, 0 for ASK.", term=LSQ + "projectVarCount"),
    _row("usesFeature", "iri", "S", "SPARQL features of the query, as LSQ names them.", term=LSQ + "usesFeature", several=True),
    _row("queryForm", "code", "S", "Form of the query.", "select ask construct describe"),
    _row("tripleCountAll", "integer", "S", "Triple patterns, each occurrence, inside EXISTS too."),
    _row("existsTripleCount", "integer", "S", "Triple patterns inside EXISTS."),
    _row("tpInBgpCountMin", "integer", "S", "Triple patterns of the smallest block.", term=LSQ + "tpInBgpCountMin"),
    _row("tpInBgpCountMax", "integer", "S", "Triple patterns of the largest block.", term=LSQ + "tpInBgpCountMax"),
    _row("tpInBgpCountMean", "decimal", "S", "Mean triple patterns of a block.", term=LSQ + "tpInBgpCountMean"),
    _row("tpInBgpCountMedian", "decimal", "S", "Median triple patterns of a block.", term=LSQ + "tpInBgpCountMedian"),
    _row("joinVertexCount", "integer", "S", "Vertices where triple patterns join.", term=LSQ + "joinVertexCount"),
    _row(
        "joinVertexDegreeMax", "integer", "S", "Triple patterns at the busiest join vertex.", term=QALDGEN + "joinVertexDegreeMax"
    ),
    _row("joinVertexDegreeMean", "decimal", "S", "Mean triple patterns at a join vertex.", term=LSQ + "joinVertexDegreeMean"),
    _row(
        "joinVertexDegreeMedian", "decimal", "S", "Median triple patterns at a join vertex.", term=LSQ + "joinVertexDegreeMedian"
    ),
    _row("joinVertexTypes", "code", "S", "Kinds of join vertices.", "star path hybrid sink", several=True),
    _row("queryShape", "code", "S", "Shape of the query graph.", "edge chain star star-chain tree cycle disconnected empty"),
    _row("hopCount", "integer", "S", "Longest shortest path from the answer variable to a constant, without type patterns."),
    _row("answerDirection", "code", "S", "Where the answer variable stands in its patterns.", "subject object both none"),
    _row("variableCount", "integer", "S", "Distinct variables."),
    _row("constantCount", "integer", "S", "Distinct IRIs and literals as subject, object or in expressions."),
    _row("literalCount", "integer", "S", "Distinct literals."),
    _row(
        "knowledgeGraph",
        "code",
        "S",
        "Knowledge graph that the query asks, by its namespaces.",
        "dbpedia wikidata freebase other",
    ),
    _row("namespacesUsed", "iri", "S", "Namespaces of the IRIs in the query.", several=True),
    _row("hasAggregation", "boolean", "S", "The query aggregates."),
    _row(
        "aggregateFunctions", "code", "S", "Aggregates of the query.", "count sum avg min max sample group_concat", several=True
    ),
    _row("isCount", "boolean", "S", "The answer is a COUNT."),
    _row("isSuperlative", "boolean", "S", "ORDER BY with LIMIT."),
    _row("hasComparison", "boolean", "S", "A filter compares by <, >, <= or >=."),
    Feature(
        "queryHasNegation",
        "boolean",
        "S",
        "NOT EXISTS, MINUS, != or NOT IN.",
        pick("query", "hasNegation"),
        QALDGEN + "queryHasNegation",
    ),
    _row("hasRegex", "boolean", "S", "A filter matches a regular expression."),
    _row("hasLangFilter", "boolean", "S", "A filter looks at a language tag."),
    _row("hasUnion", "boolean", "S", "The query has UNION."),
    _row("hasOptional", "boolean", "S", "The query has OPTIONAL."),
    _row("hasSubquery", "boolean", "S", "The query has a sub-query."),
    _row("hasPropertyPath", "boolean", "S", "The query has a property path."),
    _row("hasQualifier", "boolean", "S", "The query asks for a Wikidata qualifier."),
    _row("hasTypeConstraint", "boolean", "S", "The query asks for members of a class."),
    _row("hasTemporalLiteral", "boolean", "S", "The query has a literal of dates or times."),
    _row("queryRepaired", "boolean", "S", "The query had to be repaired to be parsed; the stored text is as published."),
    _row("repairKinds", "string", "S", "Repairs that were made.", several=True),
)


def _resource_rows() -> list[Feature]:
    rows = []
    for one, many, word in _THINGS:
        rows.append(_row(f"total{many}", "integer", "R", f"Distinct IRIs that the query names as {word}."))
        rows.append(_row(f"avg{many}Words", "decimal", "R", f"Mean words of the labels of these IRIs ({word})."))
        for nth, ordinal in ((1, "first"), (2, "second"), (3, "third")):
            rows.append(_row(f"totalWords{one}{nth}", "integer", "R", f"Words of the label of the {ordinal} {word}."))
            rows.append(_row(f"isExplicit{one}{nth}", "boolean", "R", f"The question says the label of the {ordinal} {word}."))
            short = f"isExplicitNoQualifier{one}{nth}"
            rows.append(
                _row(short, "boolean", "R", f"The question says the label of the {ordinal} {word}, its brackets left out.")
            )
            said = f"The question says the label of the {ordinal} {word}, its words in any form."
            name = f"isExplicitLemma{one}{nth}"
            rows.append(Feature(name, "boolean", "S", said, known.explicit_lemma(one, nth), QALDGEN + name))
        rows.append(_row(f"{word}Iris", "iri", "R", f"What the query names as {word}.", term=QALDGEN + word, several=True))
        rows.append(_row(f"{word}Labels", "string", "R", f"Their labels ({word}).", term=f"{QALDGEN}{word}Label", several=True))
    return rows


_REST = (
    Feature(
        "answerType", "code", "S>M>A>T", "Type of the answer: of the query if certain, else of the data, the answers, the text.",
        answer_type, QALDGEN + "answerType", ("resource", "string", "number", "date", "boolean"),
    ),
    Feature("resultCount", "integer", "A", "Distinct gold answers; 1 for yes and no.", known.answer_count, LSQ + "resultCount"),
    Feature(
        "answerIsEmpty", "boolean", "A", "The gold answer is empty.",
        lambda e: None if e.question.answers is None else not e.question.answers.values(), QALDGEN + "answerIsEmpty",
    ),
    Feature(
        "answerDatatypes", "iri", "A", "Datatypes of the gold answers.",
        known.answer_datatypes, QALDGEN + "answerDatatypes", several=True,
    ),
    Feature(
        "isSingleAnswer", "boolean", "A", "There is just one distinct gold answer.",
        known.single_answer, QALDGEN + "isSingleAnswer",
    ),
    Feature(
        "answerAliasesCount", "integer", "A", "Accepted wordings of the gold answers beside the main ones.",
        known.answer_aliases, QALDGEN + "answerAliasesCount",
    ),
    _said("languages", "string", "Language tags of the wordings (BCP 47).", known.languages, several=True),
    _said("wordingCount", "integer", "Wordings (paraphrases) in the language that has most.", known.wording_count),
    _said("avgMentionWords", "decimal", "Mean words of what the data says is named in the question.", known.mention_words),
    _said("split", "string", "Part of the data set: train, test, ...", lambda e: e.question.split or None),
    _said("hybrid", "boolean", "The answer needs text beside the knowledge graph (QALD).", flag("hybrid")),
    _said("onlydbo", "boolean", "The query needs the DBpedia ontology only (QALD).", flag("onlydbo")),
    _said("aggregation", "boolean", "The data set says that the query aggregates (QALD).", flag("aggregation")),
    _said("templateId", "string", "Template from which the question was made.", metadata("template", "template_id")),
    Feature(
        "complexityType", "code", "M>S", "Kinds of complexity: of the data, else those that the query shows (Mintaka).",
        known.complexity, QALDGEN + "complexityType", COMPLEXITIES, several=True,
    ),
    _said("topicCategory", "string", "Topic, as the data set says it.", metadata("category", "domain")),
    _said("expectedAnswerClass", "string", "Class of the answer, as the data set says it (SMART).", metadata("answer_class")),
    Feature(
        "generalisationLevel", "code", "M", "How far from the training split, as the data says (GrailQA) or against one given.",
        known.generalisation_level, QALDGEN + "generalisationLevel", LEVELS,
    ),
)  # fmt: skip

#: The table, in the order in which it is printed.
FEATURES: tuple[Feature, ...] = (*_TEXT, *_QUERY, *_resource_rows(), *_REST)

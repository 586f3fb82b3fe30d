"""The rows of the feature catalogue that come from the text of a question."""

from __future__ import annotations

from qaldgen.features import evidence as known
from qaldgen.features.evidence import FORMULATIONS, KINDS, SOUGHT
from qaldgen.features.record import Feature, labelled, row
from qaldgen.features.text.entity_type import ENTITY_TYPES, TREC_CLASSES
from qaldgen.rdf.terms import QALDGEN

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
)  # fmt: skip  # fmt: skip

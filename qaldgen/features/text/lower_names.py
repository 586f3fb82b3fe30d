"""Names in an English question without capitals, as people type it into a search box.

A table of weights (`data/name_words.tsv`) tells of each word whether it belongs to a name, from the
word, its part of speech and its neighbours; the best sequence is taken (Collins 2002: a perceptron
over sequences). `benchmarks/build_name_words.py` learns it from questions with capitals, whose
names are known, after taking the capitals away.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.features.text.entity_type import type_of_noun
from qaldgen.features.text.surface import word_set
from qaldgen.features.text.wh import AUXILIARIES, COMMANDS, PREPOSITIONS, QUESTION_WORDS
from qaldgen.features.text.words import singular

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_TABLE = Path(__file__).resolve().parent / "data" / "name_words.tsv"
#: In the table: from a word inside a name to one inside, from inside to outside, from outside to
#: inside.
STAY, LEAVE, ENTER = "> in in", "> in out", "> out in"
#: What a name neither begins nor ends with, but for articles before a title.
_EDGES = (
    PREPOSITIONS | QUESTION_WORDS | AUXILIARIES | word_set(
        """and or but not than then also both each every all any some he she it they we you i his her its their my your this
        that these those there anyone someone everyone nobody anything something name named called known last next first
        play played form born located live long most many much more less mom dad one two three four five six seven eight nine
        ten eleven twelve hundred thousand million billion"""
    )
) - {"new", "no"}  # fmt: skip
_ARTICLES = frozenset({"a", "an", "the"})
_GIVEN_TO = COMMANDS | {"of", "for", "to", "with", "let", "gave", "told", "are", "were", "among"}


class TaggedWord(NamedTuple):
    """What the table looks at of a word.

    Its letters, Penn tag, entity type, and its classes in a dictionary.
    """

    text: str
    tag: str
    entity: str
    classes: str


@functools.lru_cache(maxsize=2)
def dictionary(nlp: Language) -> Mapping[str, str]:
    """Return the words that the lemmatiser of a model knows, with the initials of their classes.

    Empty if it has no list.
    """
    from spacy.pipeline import Lemmatizer

    lemmatiser = nlp.get_pipe("lemmatizer") if nlp.has_pipe("lemmatizer") else None
    found: dict[str, str] = {}
    if isinstance(lemmatiser, Lemmatizer) and lemmatiser.lookups.has_table("lemma_index"):
        index = lemmatiser.lookups.get_table("lemma_index")
        for initial, kinds in (("n", ["noun"]), ("v", ["verb"]), ("a", ["adj", "adv"])):
            for word in {word for kind in kinds for word in index.get(kind, ())}:
                found[word] = found.get(word, "") + initial
    return found


def tagged_words(doc: Doc, known: Mapping[str, str]) -> list[TaggedWord]:
    """Return the words of a lower-case question with the properties used by the table.

    Parameters
    ----------
    doc
        The parsed question.
    known
        Words in the vocabulary.

    Returns
    -------
    list of TaggedWord
        One per word.
    """
    return [
        TaggedWord(t.lower_, t.tag_, t.ent_type_ or "-", _classes(t.lower_, known)) for t in doc
    ]


def _classes(word: str, known: Mapping[str, str]) -> str:
    if not word.isalpha():
        return "p"
    found = set(known.get(word, "")) | set(known.get(singular(word), ""))
    if word.endswith(("ing", "ed")):
        found.add("v")
    return "".join(initial for initial in "nva" if initial in found) or "-"


def signals(words: Sequence[TaggedWord], common: Mapping[str, int]) -> list[list[str]]:
    """Return the signals of each word; unknown words are represented by their last letters.

    Parameters
    ----------
    words
        The words.
    common
        Words that the table knows.

    Returns
    -------
    list of list of str
        The signals of each word.
    """
    edge = TaggedWord("<s>", "<s>", "-", "<s>")
    padded = [edge, edge, *words, edge, edge]
    forms = [_form(word.text, common) for word in padded]
    return [
        _of_word(padded[at - 1 : at + 2], forms[at - 2 : at + 3]) for at in range(2, len(words) + 2)
    ]


def _form(word: str, common: Mapping[str, int]) -> str:
    if word == "<s>" or f"w {word}" in common:
        return word
    return "<0>" if any(map(str.isdigit, word)) else f"<{word[-2:]}>"


def _of_word(near: Sequence[TaggedWord], forms: Sequence[str]) -> list[str]:
    before, word, after = near
    farther, left, own, right, farthest = forms
    return [
        "b", f"w {own}", f"t {word.tag}", f"e {word.entity}", f"x {word.classes}", f"l {left}", f"r {right}", f"lt {before.tag}",
        f"rt {after.tag}", f"lx {before.classes}", f"rx {after.classes}", f"ll {farther} {left}", f"rr {right} {farthest}",
        f"lw {left} {own}", f"wr {own} {right}", f"ttt {before.tag} {word.tag} {after.tag}", f"wt {left} {word.tag}",
        f"xt {word.classes} {word.tag}", f"xx {word.classes} {after.classes}", f"wx {left} {word.classes}",
        f"k {own[0] != '<'} {right[0] != '<'}",
    ]  # fmt: skip


def best_sequence(found: Sequence[Sequence[str]], table: Mapping[str, int]) -> list[bool]:
    """Decide for each word whether it belongs to a name, by the sequence with the largest weight.

    Ties go to outside.

    Parameters
    ----------
    found
        The signals of each word.
    table
        Weights of the signals.

    Returns
    -------
    list of bool
        True inside names.
    """
    stay, leave, enter = (table.get(name, 0) for name in (STAY, LEAVE, ENTER))
    outside, inside = 0, sum(table.get(signal, 0) for signal in found[0])
    came_from: list[tuple[bool, bool]] = []
    for own in found[1:]:
        weight = sum(table.get(signal, 0) for signal in own)
        came_from.append((inside + leave > outside, inside + stay >= outside + enter))
        outside, inside = max(outside, inside + leave), max(outside + enter, inside + stay) + weight
    state = inside > outside
    sequence = [state]
    for from_outside, from_inside in reversed(came_from):
        state = from_inside if state else from_outside
        sequence.append(state)
    return sequence[::-1]


@functools.cache
def weights() -> Mapping[str, int]:
    """Return the table: signal to weight, in tenths."""
    rows = (
        line.split("\t")
        for line in _TABLE.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
    return {signal: int(weight) for signal, weight in rows}


def names_by_words(doc: Doc, nlp: Language) -> list[tuple[int, int]]:
    """Return where the names of a question without capitals start and end, from left to right.

    Parameters
    ----------
    doc : spacy.tokens.Doc
        The question, through the model.
    nlp : spacy.language.Language
        The model.
    """
    table = weights()
    inside = best_sequence(signals(tagged_words(doc, dictionary(nlp)), table), table)
    inside = [is_name or _is_country(doc, at) for at, is_name in enumerate(inside)]
    found, start = list[tuple[int, int]](), 0
    while start < len(doc):
        end = start
        while end < len(doc) and inside[end]:
            end += 1
        found += _trimmed(doc, start, end)
        start = end + 1
    return found


def _is_country(doc: Doc, at: int) -> bool:
    """Tell whether "us" is the country: "which us states", "in the us"."""
    before, after = doc[at - 1] if at else None, doc[at + 1] if at + 1 < len(doc) else None
    if doc[at].lower_ != "us" or before is None:
        return False
    return before.lower_ == "the" or (
        before.lower_ not in _GIVEN_TO and after is not None and after.tag_.startswith(("NN", "JJ"))
    )


def _trimmed(doc: Doc, start: int, end: int) -> list[tuple[int, int]]:
    """Return a run of words without what no name begins or ends with, in two where a place follows ("boulder colorado")."""
    while start < end and (doc[start].is_punct or doc[start].lower_ in _EDGES):
        start += 1
    while start < end and (
        doc[end - 1].is_punct
        or doc[end - 1].lower_ in _EDGES | _ARTICLES
        or doc[end - 1].tag_ == "POS"
    ):
        end -= 1
    end -= _asks_for_role(doc, start, end)
    if not any(
        any(map(str.isalpha, token.text)) and token.lower_ not in _ARTICLES
        for token in doc[start:end]
    ):
        return []
    place = end - 1
    alone = doc[place].ent_type_ == "GPE" and doc[place].ent_iob_ == "B"
    if alone and place - 1 >= start and doc[place - 1].tag_.startswith("NN"):
        return [_span(doc, start, place), _span(doc, place, end)]
    return [_span(doc, start, end)]


def _asks_for_role(doc: Doc, start: int, end: int) -> bool:
    """Tell whether the last word is what is asked for, not part of the name.

    "who was the chicago bears **quarterback**".
    """
    opening = [token.lower_ for token in doc[max(0, start - 3) : start]]
    asked = opening[:1] == ["who"] and opening[-1] == "the"
    return asked and end - start > 1 and type_of_noun(singular(doc[end - 1].lower_)) == "person"


def _span(doc: Doc, start: int, end: int) -> tuple[int, int]:
    return doc[start].idx, doc[end - 1].idx + len(doc[end - 1])

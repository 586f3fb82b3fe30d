"""Names in an English question without capitals, as people type it into a search box.

A table of weights (`data/name_words.tsv`) decides for each word whether it belongs to a name, from
the word, its part of speech and its neighbours, and the best sequence wins (structured perceptron,
Collins 2002). `benchmarks/build_name_words.py` trains it on questions with capitals, whose names
are known, after lowering them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.features.text.letters import word_set
from qaldgen.features.text.taxonomies import type_of_noun
from qaldgen.features.text.words import (
    AUXILIARIES,
    COMMANDS,
    PREPOSITIONS,
    QUESTION_WORDS,
    singular,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_TABLE = Path(__file__).resolve().parent / "data" / "name_words.tsv"
#: The transitions in the table: from inside a name to inside, to outside, and from outside to
#: inside.
STAY, LEAVE, ENTER = "> in in", "> in out", "> out in"
#: Words that neither begin nor end a name, except for articles before a title.
_EDGES = (
    PREPOSITIONS | QUESTION_WORDS | AUXILIARIES | word_set(
        """and or but not than then also both each every all any some he she it they we you i his
        her its their my your this that these those there anyone someone everyone nobody
        anything something name named called known last next first play played form born
        located live long most many much more less mom dad one two three four five six
        seven eight nine ten eleven twelve hundred thousand million billion male female"""
    )
) - {"new", "no"}  # fmt: skip
_TIMES = frozenset(
    f"{which} {time}" for which in ("last", "next", "this") for time in ("year", "season", "week")
)
_ARTICLES = frozenset({"a", "an", "the"})
_GIVEN_TO = COMMANDS | {"of", "for", "to", "with", "let", "gave", "told", "are", "were", "among"}


class TaggedWord(NamedTuple):
    """The properties of a word that the table uses."""

    text: str  # the word in lower case
    tag: str  # its Penn Treebank tag
    entity: str  # the type of the entity that the model sees there, ``-`` for none
    #: Its classes in a dictionary: initials of noun, verb, adjective; ``-`` unknown, ``p`` no word.
    classes: str


@functools.lru_cache(maxsize=2)
def dictionary(nlp: Language) -> Mapping[str, str]:
    """Return the words in a model's lemmatiser with the initials of their classes."""
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
    """Return the words of a lower-case question with the properties used by the table."""
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
    """Return the signals of each word; unknown words are represented by their last letters."""
    # two sentinels on each side, because a signal looks at up to two neighbours
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
        "b", f"w {own}", f"t {word.tag}", f"e {word.entity}", f"x {word.classes}", f"l {left}",
        f"r {right}", f"lt {before.tag}", f"rt {after.tag}", f"lx {before.classes}",
        f"rx {after.classes}", f"ll {farther} {left}", f"rr {right} {farthest}",
        f"lw {left} {own}", f"wr {own} {right}", f"ttt {before.tag} {word.tag} {after.tag}",
        f"wt {left} {word.tag}", f"xt {word.classes} {word.tag}",
        f"xx {word.classes} {after.classes}", f"wx {left} {word.classes}",
        f"k {own[0] != '<'} {right[0] != '<'}",
    ]  # fmt: skip


def best_sequence(found: Sequence[Sequence[str]], table: Mapping[str, int]) -> list[bool]:
    """Decide for each word whether it belongs to a name, by the sequence with the largest weight.

    Ties go to outside.
    """
    # Viterbi: the best sums that end outside and inside a name, and where each came from
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
    """Return start and end of each name in a question without capitals, from left to right."""
    table = weights()
    inside = best_sequence(signals(tagged_words(doc, dictionary(nlp)), table), table)
    # the table cannot tell the country from the pronoun
    inside = [is_name or _is_country(doc, at) for at, is_name in enumerate(inside)]
    # "is ada roe male or female": a choice is not in a name
    inside = [is_name and token.lower_ != "or" for is_name, token in zip(inside, doc, strict=True)]
    found, start = list[tuple[int, int]](), 0
    while start < len(doc):
        end = start
        while end < len(doc) and inside[end]:
            end += 1
        found += _trimmed(doc, start, end)
        start = end + 1
    return found


def _is_country(doc: Doc, at: int) -> bool:
    """Whether "us" is the country, as in "which us states" and "in the us"."""
    before, after = doc[at - 1] if at else None, doc[at + 1] if at + 1 < len(doc) else None
    if doc[at].lower_ != "us" or before is None:
        return False
    return before.lower_ == "the" or (
        before.lower_ not in _GIVEN_TO and after is not None and after.tag_.startswith(("NN", "JJ"))
    )


def _trimmed(doc: Doc, start: int, end: int) -> list[tuple[int, int]]:
    """Strip words that cannot begin or end a name from a run; split it at a place.

    "boulder colorado" is two names.
    """
    while start < end and (doc[start].is_punct or doc[start].lower_ in _EDGES):
        start += 1
    while start < end and (
        doc[end - 1].is_punct
        or doc[end - 1].lower_ in _EDGES | _ARTICLES
        or doc[end - 1].tag_ == "POS"
    ):
        end -= 1
    if doc[end - 2 : end].text in _TIMES:
        end -= 2
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
    """Whether the last word is asked for: "which welsh **city**", "who was the bears **coach**"."""
    opening = [token.lower_ for token in doc[max(0, start - 3) : start]]
    if end - start > 1 and opening[-1:] in (["which"], ["what"], ["many"]):
        return type_of_noun(singular(doc[end - 1].lower_)) is not None or doc[end - 1].tag_ == "NNS"
    asked = opening[:1] == ["who"] and opening[-1] == "the"
    return asked and end - start > 1 and type_of_noun(singular(doc[end - 1].lower_)) == "person"


def _span(doc: Doc, start: int, end: int) -> tuple[int, int]:
    return doc[start].idx, doc[end - 1].idx + len(doc[end - 1])

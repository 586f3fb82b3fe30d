"""Lists of English words by their role in questions, and the repair of tagged words."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.io.packages import data_rows

if TYPE_CHECKING:
    from spacy.tokens import Token as SpacyToken

_LISTS = {name: words.split() for name, words in data_rows("features/text/data/words.tsv")}


def word_list(name: str) -> frozenset[str]:
    """Return one of the lists of words in ``data/words.tsv``."""
    return frozenset(_LISTS[name])


def read_patterns(path: str) -> dict[str, str]:
    """Return the regular expressions in a table of the package, by name.

    Lines of one name are alternatives; ``%name%`` stands for an earlier one.
    """
    by_name: dict[str, str] = {}
    for name, line in data_rows(path):
        for part, inner in by_name.items():
            line = line.replace(f"%{part}%", inner)
        by_name[name] = f"{by_name[name]}|{line}" if name in by_name else line
    return by_name


@functools.cache
def patterns() -> dict[str, str]:
    """Return the regular expressions of ``data/patterns.tsv``."""
    return read_patterns("features/text/data/patterns.tsv")


def pattern(name: str) -> re.Pattern[str]:
    """Return one of the `patterns`, compiled."""
    return re.compile(patterns()[name])


#: First words of a command, also after "can you", "please" and similar words.
COMMANDS = word_list("commands")
AUXILIARIES = word_list("auxiliaries")
#: Question words by each of their spellings, misspellings included.
SPELLED: dict[str, str] = {}
for _word in ("what", "which", "who", "when", "where", "how", "whom", "whose", "why"):
    SPELLED |= dict.fromkeys(_LISTS[f"spelt {_word}"], _word)
QUESTION_WORDS = frozenset(SPELLED)
PREPOSITIONS = word_list("prepositions")


class Word(NamedTuple):
    """A token after repair."""

    text: str
    whitespace_: str
    tag_: str
    lemma_: str
    idx: int


#: A token of a question, as the model tagged it or repaired.
Token: TypeAlias = "SpacyToken | Word"


class HeadNoun(NamedTuple):
    """A head noun as written, its lemma, and whether it is a plural."""

    word: str
    lemma: str
    plural: bool


#: Forms of "be", including those after an apostrophe.
BE = frozenset({"is", "are", "was", "were", "'s", "’s", "s", "'re", "be", "been", "being", "re"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
BEHIND_NOUN = word_list("relative pronouns")
#: Nouns whose plural and lemma look like the singular.
UNCHANGED = word_list("nouns without a plural")
#: Plurals that the rules on endings get wrong.
IRREGULAR = dict(pair.split("=") for pair in _LISTS["irregular plurals"])

#: Verbs with "of"; any other word in -s between a question word and "of" is a noun.
_VERBS_WITH_OF = word_list("verbs before of")
#: Participles that name relations, with their verb.
_VERBS = dict(pair.split("=") for pair in _LISTS["irregular participles"])


def singular(noun: str) -> str:
    """Return the singular of a lower-case English noun, by its ending and a table of exceptions."""
    if noun in IRREGULAR or noun in UNCHANGED:
        return IRREGULAR.get(noun, noun)
    if noun.endswith("men"):
        return noun[:-2] + "an"
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun[:-1]
    return noun


def base_forms(word: str) -> frozenset[str]:
    """Return a lower-case English word and its possible base forms, not all of which are words.

    >>> sorted(base_forms("starring"))
    ['star', 'starr', 'starre', 'starring']
    """
    forms = {word, singular(word), _VERBS.get(word, word)}
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            forms |= {stem, stem + "e"}
            if stem[-1] == stem[-2]:
                forms.add(stem[:-1])
    return frozenset(forms)


def merge_names(tokens: Sequence[Token], names: Sequence[tuple[int, int]]) -> list[Token]:
    """Return the tokens with each name merged into one proper noun, so that rules skip its words.

    A name of one word that is tagged as a noun is left alone. If there are names, a token outside
    them is no proper noun.
    """
    words: list[Token] = []
    for token in tokens:
        span = next((span for span in names if span[0] <= token.idx < span[1]), None)
        if span is None:
            tag = token.tag_
            if names:
                tag = tag.replace("NNPS", "NNS").replace("NNP", "NN")
            words.append(Word(token.text, token.whitespace_, tag, token.lemma_, token.idx))
            continue
        name = [part for part in tokens if span[0] <= part.idx < span[1]]
        if token is not name[0]:
            continue
        if len(name) == 1 and token.tag_ in NOUNS:
            words.append(token)
            continue
        text = "".join(part.text + part.whitespace_ for part in name).strip()
        words.append(Word(text.title(), name[-1].whitespace_, "NNP", text, token.idx))
    return words


def repair_tags(tokens: Sequence[Token]) -> list[Word]:
    """Return the tokens with the tags corrected that taggers often get wrong in questions.

    A word in -s right after *which*, *what*, *many*, or between a noun and a relative clause, is
    not a verb ("which states border", "the shows whose"), and then the noun after it may be one; a
    base form between an adjective and a noun is a noun ("the first release date"), and so is any
    verb right after an article ("the show"), or between a name right after *which* and a
    preposition ("which Shaw play about").
    """
    words: list[Word] = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        tag = token.tag_
        if words and following is not None:
            tag = _repair_tag(words, token, following)
        words.append(Word(token.text, token.whitespace_, tag, token.lemma_, token.idx))
    return words


def _repair_tag(words: list[Word], token: Token, following: Token) -> str:
    """Return the tag of a token, corrected by the words before it and the token after it."""
    previous = words[-1]
    text = token.text.lower()
    is_after_wh = previous.text.lower() in {"which", "what", "many", "tv", "television"}
    if text in AUXILIARIES | BE:
        return token.tag_
    if (
        previous.tag_ == "DT"
        and token.tag_ in {"VB", "VBP", "VBZ"}
        and previous.text.lower() not in {"that", "all", "which"}
    ):
        return "NNS" if token.tag_ == "VBZ" else "NN"
    if token.tag_ == "VBZ" and text.endswith("s"):
        has_of = following.text.lower() == "of" and text not in _VERBS_WITH_OF
        if is_after_wh and (has_of or following.tag_ not in {"DT", "PRP$", "IN", "TO"}):
            return "NNS"
        has_verb = any(word.text.lower() in {"are", "were"} for word in words)
        if has_verb and previous.tag_ in {"NN", "JJ"} and following.text.lower() in BEHIND_NOUN:
            return "NNS"
        return token.tag_
    if (
        token.tag_ == "NN"
        and len(words) > 1
        and previous.tag_ == "NNS"
        and words[-2].text.lower() in {"which", "what"}
    ):
        if following.tag_ in {"NNP", "DT", "PRP"}:
            return "VBP"
        return token.tag_
    is_base_form = token.tag_ in {"VB", "VBP"}
    is_after_name = (
        previous.tag_ == "NNP" and len(words) > 1 and words[-2].text.lower() in {"which", "what"}
    )
    if is_after_name and is_base_form and following.tag_ in {"IN", "VBN", "WDT", "WP"}:
        return "NN"
    if previous.tag_ in {"JJ", "JJS"} and following.tag_ in NOUNS and is_base_form:
        return "NN"
    return token.tag_

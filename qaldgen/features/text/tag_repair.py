"""Correct the words that a tagger returns: names become one word, wrong tags are repaired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.features.text.words import AUXILIARIES, BE, NOUNS, word_list

if TYPE_CHECKING:
    from spacy.tokens import Token as SpacyToken

RELATIVE_PRONOUNS = word_list("relative pronouns")
#: Verbs with "of"; any other word in -s between a question word and "of" is a noun.
_VERBS_WITH_OF = word_list("verbs before of")


class Word(NamedTuple):
    """A token after repair."""

    text: str
    whitespace_: str
    tag_: str
    lemma_: str
    idx: int


#: A token of a question, as the model tagged it or repaired.
Token: TypeAlias = "SpacyToken | Word"


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
    """Return the tokens, with the tags corrected that taggers often get wrong in questions."""
    words: list[Word] = []
    for index, token in enumerate(tokens):
        tag = token.tag_
        is_inside = 0 < index < len(tokens) - 1
        if is_inside and token.text.lower() not in AUXILIARIES | BE:
            context = _Context(words, token, tokens[index + 1])
            matching = (rule for rule in _RULES if tag in rule.wrong and rule.applies(context))
            tag = next((rule.right for rule in matching), tag)
        words.append(Word(token.text, token.whitespace_, tag, token.lemma_, token.idx))
    return words


class _Context(NamedTuple):
    """A token with the repaired words before it, of which there is one at least, and the next."""

    words: Sequence[Word]
    token: Token
    following: Token

    @property
    def previous(self) -> Word:
        """The word before the token."""
        return self.words[-1]

    @property
    def is_second_after_wh(self) -> bool:
        """Whether a single word stands between *which* or *what* and the token."""
        return len(self.words) > 1 and self.words[-2].text.lower() in {"which", "what"}


def _is_after_article(context: _Context) -> bool:
    pronouns = {"that", "all", "which"}
    return context.previous.tag_ == "DT" and context.previous.text.lower() not in pronouns


def _is_after_wh(context: _Context) -> bool:
    verb = context.token.text.lower()
    following = context.following
    if context.previous.text.lower() not in {"which", "what", "many", "tv", "television"}:
        return False
    has_of = following.text.lower() == "of" and verb not in _VERBS_WITH_OF
    return verb.endswith("s") and (has_of or following.tag_ not in {"DT", "PRP$", "IN", "TO"})


def _is_before_relative_clause(context: _Context) -> bool:
    return (
        context.token.text.lower().endswith("s")
        and any(word.text.lower() in {"are", "were"} for word in context.words)
        and context.previous.tag_ in {"NN", "JJ"}
        and context.following.text.lower() in RELATIVE_PRONOUNS
    )


def _is_after_plural_after_wh(context: _Context) -> bool:
    has_object = context.following.tag_ in {"NNP", "DT", "PRP"}
    return context.is_second_after_wh and context.previous.tag_ == "NNS" and has_object


def _is_after_name_after_wh(context: _Context) -> bool:
    starts_clause = context.following.tag_ in {"IN", "VBN", "WDT", "WP"}
    return context.is_second_after_wh and context.previous.tag_ == "NNP" and starts_clause


def _is_between_adjective_and_noun(context: _Context) -> bool:
    return context.previous.tag_ in {"JJ", "JJS"} and context.following.tag_ in NOUNS


class _Rule(NamedTuple):
    """Tags that are wrong in a context, and the right one."""

    wrong: frozenset[str]
    right: str
    applies: Callable[[_Context], bool]


_BASE_FORM = frozenset({"VB", "VBP"})
_VERB_IN_S = frozenset({"VBZ"})
#: The first rule that applies counts; the comments are examples.
_RULES = (
    _Rule(_BASE_FORM, "NN", _is_after_article),  # the *show*
    _Rule(_VERB_IN_S, "NNS", _is_after_article),  # the *shows*
    _Rule(_VERB_IN_S, "NNS", _is_after_wh),  # which *states* border
    _Rule(_VERB_IN_S, "NNS", _is_before_relative_clause),  # what are the TV *shows* whose
    _Rule(frozenset({"NN"}), "VBP", _is_after_plural_after_wh),  # which states *border* Utah
    _Rule(_BASE_FORM, "NN", _is_after_name_after_wh),  # which Shaw *play* about
    _Rule(_BASE_FORM, "NN", _is_between_adjective_and_noun),  # the first *release* date
)

"""English words by their part in questions, and tagged words with tagger errors repaired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from qaldgen.features.text.letters import word_set

#: First words of a command, also after "can you", "please" and similar words.
COMMANDS = word_set(
    """name list give show tell count find enumerate identify state mention provide describe define
    write return display get specify select explain determine search choose say retrieve
    compute calculate complete fill recommend suggest compare report indicate locate
    point estimate collect"""
)
AUXILIARIES = word_set(
    """is are was were am do does did has have had can could will would shall should may might must
    isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't
    couldn't won't wouldn't shouldn't ain't isnt arent wasnt werent doesnt didnt dont"""
)
SPELLED = {
    **dict.fromkeys(
        ("what", "what's", "whats", "what're", "what'd", "waht", "wht", "wat", "whate", "whta"),
        "what",
    ),
    **dict.fromkeys(
        word_set("which which's whihc whch wich whichd whic whcih hich whci whichi wchich"),
        "which",
    ),
    **dict.fromkeys(("who", "who's", "whos", "who're", "who'd", "who've", "hwo"), "who"),
    **dict.fromkeys(("when", "when's", "whens", "wehn", "whn"), "when"),
    **dict.fromkeys(
        ("where", "where's", "wheres", "where'd", "wher", "whre", "whee", "wherein"), "where"
    ),
    **dict.fromkeys(("how", "how's", "hows", "how'd", "hoe"), "how"),
    **{word: word for word in ("whom", "whose", "why")},
    "why's": "why",
}
QUESTION_WORDS = frozenset(SPELLED)
PREPOSITIONS = word_set(
    """in on at to from of for by with about under over into during since until through after before
    between among within near against as via around behind beyond upon out"""
)


class Token(Protocol):
    """The part of a spaCy token that the rules use."""

    @property
    def text(self) -> str:
        """The word."""

    @property
    def whitespace_(self) -> str:
        """The blank behind it, or nothing."""

    @property
    def tag_(self) -> str:
        """Its Penn Treebank tag."""

    @property
    def lemma_(self) -> str:
        """Its base form."""

    @property
    def idx(self) -> int:
        """Where it is in the text."""


class Word(NamedTuple):
    """A token after repair."""

    text: str
    whitespace_: str
    tag_: str
    lemma_: str
    idx: int


class HeadNoun(NamedTuple):
    """A head noun: as written, its lemma, and whether it is a plural."""

    word: str
    lemma: str
    plural: bool


#: Forms of "be", including those after an apostrophe.
BE = frozenset({"is", "are", "was", "were", "'s", "’s", "s", "'re", "be", "been", "being", "re"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
BEHIND_NOUN = frozenset({"whose", "that", "which", "who", "where"})
#: Nouns whose plural and lemma look like the singular.
UNCHANGED = word_set(
    "series species news people headquarters means physics mathematics politics lens"
)
#: Plurals that the rules on endings get wrong.
IRREGULAR = {
    "grandchildren": "grandchild", "bacteria": "bacterium", "children": "child", "men": "man",
    "women": "woman", "wives": "wife", "lives": "life", "feet": "foot", "teeth": "tooth",
    "mice": "mouse", "media": "medium", "criteria": "criterion", "phenomena": "phenomenon",
    "alumni": "alumnus", "movies": "movie", "cookies": "cookie", "shoes": "shoe",
    "leaves": "leaf", "wolves": "wolf", "knives": "knife", "matrices": "matrix",
}  # fmt: skip

#: Participles that name relations, with their verb.
_VERBS = {
    "written": "write", "born": "bear", "won": "win", "known": "know", "led": "lead",
    "held": "hold", "built": "build", "made": "make", "spoken": "speak", "sung": "sing",
    "drawn": "draw", "taken": "take", "given": "give", "lost": "lose", "taught": "teach",
    "fought": "fight", "sold": "sell", "bought": "buy", "chosen": "choose", "worn": "wear",
}  # fmt: skip


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
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun


def base_forms(word: str) -> frozenset[str]:
    """Return a lower-case English word and its possible base forms, not all of which are words.

    >>> sorted(base_forms("starring"))
    ['star', 'starr', 'starre', 'starring']
    """
    forms = {word, singular(word), _VERBS.get(word, word)}
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            forms |= {stem, stem + "e"} | ({stem[:-1]} if stem[-1] == stem[-2] else set())
    return frozenset(forms)


def with_names(tokens: Sequence[Token], names: Sequence[tuple[int, int]]) -> list[Token]:
    """Return the tokens with each name merged into one proper noun, so that rules skip its words.

    A name of one word that is tagged as a noun is left alone; where there are names, what is not in
    one is no proper noun.
    """
    kept: list[Token] = []
    for token in tokens:
        span = next((span for span in names if span[0] <= token.idx < span[1]), None)
        if span is None:
            common = token.tag_.replace("NNPS", "NNS").replace("NNP", "NN") if names else token.tag_
            kept.append(Word(token.text, token.whitespace_, common, token.lemma_, token.idx))
            continue
        inside = [other for other in tokens if span[0] <= other.idx < span[1]]
        if token is not inside[0]:
            continue
        text = "".join(other.text + other.whitespace_ for other in inside).strip()
        noun = len(inside) == 1 and token.tag_ in NOUNS
        kept.append(
            token if noun else Word(text.title(), inside[-1].whitespace_, "NNP", text, token.idx)
        )
    return kept


#: Verbs with "of"; any other word in -s between a question word and "of" is a noun.
_VERBS_WITH_OF = word_set(
    "consists dies speaks boasts thinks hears smells tastes disposes approves"
)


def repaired_tags(tokens: Sequence[Token]) -> list[Word]:
    """Return the tokens with the tags corrected that taggers often get wrong in questions.

    A word in -s right after *which*, *what*, *many*, or between a noun and a relative clause, is
    not a verb ("which states border", "the shows whose"), and then the noun after it may be one; a
    base form between an adjective and a noun is a noun ("the first release date"), and so is any
    verb right after an article ("the show"), or between a name right after *which* and a
    preposition ("which Shaw play about").
    """
    words: list[Word] = []
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        tag = _repaired_tag(words, token, after) if words and after is not None else token.tag_
        words.append(Word(token.text, token.whitespace_, tag, token.lemma_, token.idx))
    return words


def _repaired_tag(words: list[Word], token: Token, after: Token) -> str:
    before, text = words[-1], token.text.lower()
    asked = before.text.lower() in {"which", "what", "many", "tv", "television"}
    if text in AUXILIARIES | BE:
        return token.tag_
    if (
        before.tag_ == "DT"
        and token.tag_ in {"VB", "VBP", "VBZ"}
        and before.text.lower() not in {"that", "all", "which"}
    ):
        return "NNS" if token.tag_ == "VBZ" else "NN"
    if token.tag_ == "VBZ" and text.endswith("s"):
        plural = (
            any(word.text.lower() in {"are", "were"} for word in words)
            and after.text.lower() in BEHIND_NOUN
        )
        of = after.text.lower() == "of" and text not in _VERBS_WITH_OF
        known = asked and (of or after.tag_ not in {"DT", "PRP$", "IN", "TO"})
        return "NNS" if known or (before.tag_ in {"NN", "JJ"} and plural) else token.tag_
    if (
        token.tag_ == "NN"
        and len(words) > 1
        and before.tag_ == "NNS"
        and words[-2].text.lower() in {"which", "what"}
    ):
        return "VBP" if after.tag_ in {"NNP", "DT", "PRP"} else token.tag_
    asked_name = (
        before.tag_ == "NNP" and len(words) > 1 and words[-2].text.lower() in {"which", "what"}
    )
    if asked_name and token.tag_ in {"VB", "VBP"} and after.tag_ in {"IN", "VBN", "WDT", "WP"}:
        return "NN"
    between = before.tag_ in {"JJ", "JJS"} and after.tag_ in NOUNS and token.tag_ in {"VB", "VBP"}
    return "NN" if between else token.tag_

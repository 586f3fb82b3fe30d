"""English questions by their form: the question word, commands, formulation, and what PolQA calls the information sought.

The codes of `wh_type` follow the question classes of Moldovan et al. (2000) and Saleem et al. (2017); formulation and
information sought follow PolQA (Rybak et al. 2022). Only the letters are read, no model.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from qaldgen.features.text_spelling import question_word_meant
from qaldgen.features.text_surface import sentences, without_quotes, word_set

WH_TYPES = (
    *("what", "which", "who", "whom", "whose", "when", "where", "why"),
    *("how", "how-many", "how-much", "how-adj", "yes-no", "command", "none"),
)
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[,¤]")
#: First words of a command, also after "can you", "please" and the like.
COMMANDS = word_set(
    """name list give show tell count find enumerate identify state mention provide describe define write return display
    get specify select explain determine search choose say retrieve compute calculate complete fill recommend suggest
    compare report indicate locate point estimate collect"""
)
_NOT_COMMANDED = word_set("of is was are were has have had will does do did")
_POLITE = word_set("please kindly so and or but well ok okay hi hello then also now just")
AUXILIARIES = word_set(
    """is are was were am do does did has have had can could will would shall should may might must
    isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't ain't
    isnt arent wasnt werent doesnt didnt dont"""
)
_SPELLED = {
    **dict.fromkeys(("what", "what's", "whats", "what're", "what'd", "waht", "wht", "wat", "whate", "whta"), "what"),
    **dict.fromkeys(
        ("which", "which's", "whihc", "whch", "wich", "whichd", "whic", "whcih", "hich", "whci", "whichi", "wchich"), "which"
    ),
    **dict.fromkeys(("who", "who's", "whos", "who're", "who'd", "who've", "hwo"), "who"),
    **dict.fromkeys(("when", "when's", "whens", "wehn", "whn"), "when"),
    **dict.fromkeys(("where", "where's", "wheres", "where'd", "wher", "whre", "whee", "wherein"), "where"),
    **dict.fromkeys(("how", "how's", "hows", "how'd", "hoe"), "how"),
    **{word: word for word in ("whom", "whose", "why")},
    "why's": "why",
}
#: Words that also open relative clauses, so that inside a sentence they need a sign that they ask.
_RELATIVE = frozenset({"which", "who", "whom", "whose", "when", "where"})
PREPOSITIONS = word_set(
    """in on at to from of for by with about under over into during since until through after before between among
    within near against as via around behind beyond upon out"""
)
_AFTER_RELATIVE = AUXILIARIES | word_set("he she it they we you i the a an his her its their this that there")
_HOW_VERBS = AUXILIARIES | {"to", "come", "about", "the", "a", "an", "you", "they", "it", "he", "she", "i", "we", "'s"}
_OTHER_NAME = re.compile(
    r"\b(nick-?names?|alias(es)?|pseudonyms?|pen names?|stage names?|(real|birth|full|maiden|original|official"
    r"|former|other) names?"
    r"|abbreviat\w+|acronyms?|stands? for|(also|better|otherwise) (known|called)|synonyms?|code-?names?)\b"
)
_GAP = re.compile(r"_{2,}|…\s*$|\.{3}\s*\??$|\b(fill in|complete the|finish the|missing word)\b")
_TWO = re.compile(
    r"\b(which|what|name|who are|list|give me)( the| me| us| all)* (two|three|four|five|six|seven|eight|nine|ten|\d+) "
)
_CHOICE = re.compile(r"\b(\w[^,;:?]*) or (an? |the )?\w[^,;:?]*[?.]?\s*$")


class WhWord(NamedTuple):
    """The question class, and which word (counted by `tokens`) decided it; -1 for none."""

    code: str
    place: int


def tokens(text: str) -> list[str]:
    """Return words in lower case and commas, with a mark for a quotation; *howmany* is two words."""
    plain = without_quotes(text.replace("’", "'"), "¤").lower()
    return _WORD.findall(re.sub(r"\bhow(many|much)\b", r"how \1", plain))


def wh_type(text: str) -> str:
    """Return the class of an English question, one of `WH_TYPES`.

    Examples
    --------
    >>> [wh_type(text) for text in ("In what town?", "How tall is he?", "Is he tall?", "Name a town.", "Their town?")]
    ['what', 'how-adj', 'yes-no', 'command', 'none']
    """
    return wh_word(text).code


def wh_word(text: str) -> WhWord:
    """Return the class of an English question and the place of the word that decides.

    Commands come first, then questions that open with an auxiliary, then the first question word: at the start, after a
    preposition, a comma or an auxiliary, or at the end; anything but *what*, *why* and *how* elsewhere is a relative pronoun.
    Of several sentences a command decides, or else the last that asks.
    """
    found, before = WhWord("none", -1), 0
    for sentence in sentences(text):
        word = _of_sentence(sentence)
        if word.code == "command":
            return WhWord("command", before + word.place)
        if word.code != "none":
            found = WhWord(word.code, before + word.place)
        before += len(tokens(sentence))
    return found


def _of_sentence(text: str) -> WhWord:
    found = tokens(text)
    start = next((place for place, word in enumerate(found) if word not in _POLITE and word != ","), len(found))
    rest = found[start:]
    command = _command(rest)
    if command >= 0:
        return WhWord("command", start + command)
    if rest and rest[0] in AUXILIARIES:
        return WhWord("none" if offers_choice(text) else "yes-no", start)
    if rest and rest[0] not in _SPELLED:
        found[start] = question_word_meant(rest[0])
    for place in range(start, len(found)):
        if found[place] in _SPELLED and _asks(found, place, start):
            return WhWord(_refined(found, place), place)
    return _inside(found, start)


def _inside(found: list[str], start: int) -> WhWord:
    """Return the question word of "X wrote **which** book" and "among the X who ..., **who** ...", which no sign marks."""
    places = [place for place in range(start, len(found)) if found[place] in _SPELLED]
    before_noun = [place for place in places if found[place] == "which" and found[place + 1] not in _AFTER_RELATIVE]
    before_noun = [place for place in before_noun if not found[place + 1].endswith("ed")]
    chosen = places if found[start : start + 1] in (["among"], ["amongst"]) else before_noun
    return WhWord(_refined(found, chosen[-1]), chosen[-1]) if chosen else WhWord("none", -1)


def _command(found: list[str]) -> int:
    """Return the place of the verb of a command, or -1."""
    place = 0
    if found[:2] in (["can", "you"], ["could", "you"], ["would", "you"], ["will", "you"]):
        place = 2 + (found[2:3] == ["please"])
    elif found[:2] in (["i", "want"], ["i", "need"], ["let", "me"], ["i", "would"]):
        return 1
    verb, then = found[place : place + 1], found[place + 1 : place + 2]
    if not verb or verb[0] not in COMMANDS or not then or (place == 0 and then[0] in _NOT_COMMANDED):
        return -1
    return place


def _asks(found: list[str], place: int, start: int) -> bool:
    word = _SPELLED[found[place]]
    if place == start or word not in _RELATIVE or place == len(found) - 1:
        return True
    before = found[place - 1]
    if before in PREPOSITIONS and place - start == 1:
        return True
    if word in {"who", "where", "when"} and before not in {","} | AUXILIARIES:
        return False
    return before in PREPOSITIONS | AUXILIARIES | {",", "and"} and found[place + 1] not in AUXILIARIES


def _refined(found: list[str], place: int) -> str:
    word = _SPELLED[found[place]]
    then = found[place + 1] if place + 1 < len(found) else ""
    if word != "how":
        return word
    if then in {"many", "much"}:
        return f"how-{then}"
    if then == "come":
        return "why"
    return "how" if not then or then in _HOW_VERBS or found[place] != "how" else "how-adj"


def offers_choice(text: str) -> bool:
    """Tell whether the question ends in "... A or B"; "more or less" and "one or more" offer none."""
    plain = re.sub(r"\b(more or less|(one|two|three|\d+) or more|or not|or so)\b", " ", without_quotes(text).lower())
    return _CHOICE.search(plain) is not None


def formulation(text: str, code: str) -> str:
    """Return ``compound`` for more than one sentence, else ``command`` or ``plain`` (PolQA's *question*)."""
    if len(sentences(text)) > 1:
        return "compound"
    return "command" if code == "command" else "plain"


def information_sought(text: str, code: str, *, plural: bool = False) -> str:
    """Return what an English question wants, in PolQA's classes.

    Parameters
    ----------
    text : str
        The question.
    code : str
        Its class by `wh_type`.
    plural : bool, optional
        Whether the head noun of the focus is in the plural.

    Returns
    -------
    str
        gap-filling, yes-no, entity-choice, multiple-entities, other-name or single-entity.
    """
    plain = " ".join(without_quotes(text).lower().split())
    if _GAP.search(plain):
        return "gap-filling"
    if code == "yes-no":
        return "yes-no"
    if offers_choice(text) and code in {"which", "what", "who", "none"}:
        return "entity-choice"
    if _TWO.search(plain) or (plural and code in {"command", "which", "what", "who"}):
        return "multiple-entities"
    return "other-name" if _OTHER_NAME.search(plain) and code not in {"how-many", "who"} else "single-entity"


_UNNAMED_HEADS = word_set(
    """gender sex profession occupation job position role genre colour color style species instrument material part disease
    cause religion sport shape animal plant food ingredient reason way method meaning definition symptom organ type kind
    nationality ethnicity discipline subject thing rank unit metal element gas substance"""
)


def answer_entity_kind(code: str, category: str, head: str | None) -> str:
    """Return whether the answer has a name of its own (``named``), has none (``unnamed``) or is ``yes-no``.

    PolQA's classes from the question alone, without its gold answers: numbers and dates count as named, as there.
    """
    if category == "boolean":
        return "yes-no"
    if category in {"literal-number", "literal-date"} or code in {"who", "whom", "whose", "where", "when"}:
        return "named"
    if code in {"how", "why"} or (head is None and code == "what"):
        return "unnamed"
    return "unnamed" if head in _UNNAMED_HEADS else "named"

"""English questions by their form: question word, command, formulation, information sought.

The values of `wh_type` follow the question classes of Moldovan et al. (2000) and Saleem et al.
(2017); formulation and information sought follow PolQA (Rybak et al. 2022). Only the letters are
read, no model.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from qaldgen.features.text.ruled import Ruled
from qaldgen.features.text.spelling import question_word_meant
from qaldgen.features.text.surface import MARK, blotted, sentences, word_set

#: "howmany" is cut in two; commas are words, because clauses end there.
_WORD = re.compile(r"how(?=(?:many|much)\b)|[^\W_]+(?:[-'][^\W_]+)*|,|¤+")
#: First words of a command, also after "can you", "please" and the like.
COMMANDS = word_set(
    """name list give show tell count find enumerate identify state mention provide describe define
    write return display get specify select explain determine search choose say retrieve
    compute calculate complete fill recommend suggest compare report indicate locate
    point estimate collect"""
)
#: After these the word is not a command: "State of the art", "Name is".
_NOT_COMMANDED = word_set("of is was are were has have had will does do did")
_POLITE = word_set("please kindly so and or but well ok okay hi hello then also now just")
AUXILIARIES = word_set(
    """is are was were am do does did has have had can could will would shall should may might must
    isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't
    couldn't won't wouldn't shouldn't ain't isnt arent wasnt werent doesnt didnt dont"""
)
_SPELLED = {
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
QUESTION_WORDS = frozenset(_SPELLED)
#: Words that also open relative clauses: inside a sentence, something else must show that they ask.
_RELATIVE = frozenset({"which", "who", "whom", "whose", "when", "where"})
PREPOSITIONS = word_set(
    """in on at to from of for by with about under over into during since until through after before
    between among within near against as via around behind beyond upon out"""
)
_AFTER_RELATIVE = AUXILIARIES | word_set(
    "he she it they we you i the a an his her its their this that there"
)
#: What opens a question before ", who was".
_OPENING = PREPOSITIONS | word_set(
    "according if when while given considering because although since once of among"
)
#: What follows a *when* or *where* that asks.
_BEHIND_WHEN = AUXILIARIES | word_set("and or in on exactly else was")
#: What follows *how* when it does not ask for a measure.
_HOW_VERBS = (
    AUXILIARIES
    | word_set("best else exactly well then ever do it can not")
    | {"to", "come", "about", "the", "a", "an", "you", "they", "it", "he", "she", "i", "we", "'s"}
)
#: Asks for another name of something that the question names.
_OTHER_NAME = re.compile(
    r"\b(nick-?names?|alias(es)?|pseudonyms?|pen names?|stage names?|(real|birth|full|maiden|"
    r"original|official|former|other) names?|abbreviat\w+|acronyms?|stands? for|(also|better|"
    r"otherwise) (known|called)|synonyms?|code-?names?)\b"
)
#: A gap to fill in, or dots where the answer goes.
_GAP = re.compile(r"_{2,}|…\s*$|\.{3}\s*\??$|\b(fill in|complete the|finish the|missing word)\b")
_TWO = re.compile(
    r"\b(which|what|name|who are|list|give me)( the| me| us| all)* (two|three|four|five|six|"
    r"seven|eight|nine|ten|\d+) "
)
#: Fixed phrases with "or" that do not offer a choice.
_NO_CHOICE = re.compile(
    r"\b(more or less|(one|two|three|\d+) or (more|less|fewer)|or (not|so|more|less|greater|"
    r"higher|fewer|lower|later|earlier|next to)|whether or)\b"
)
#: "or" between two choices at the end of the question, but not between two verbs that share their
#: object.
_CHOICE = re.compile(r"[\w¤][^,;:?]*,? or (?:an? |the )?((?:[\w¤'-]+ ?){1,5})[?.!]*\s*$")
_TWO_VERBS = re.compile(
    r"\w+(?:ed|en|wn) or \w+ed [\w¤]|\w+, (\w+,? )?or \w+ (?:in|at|to|from|for)\b|\bever\b|"
    r"\bas an? \w+ or \w+\W*$"
)


class WhWord(NamedTuple):
    """The class of a question.

    Attributes
    ----------
    code : str
        A value of the feature whType.
    place : int
        Offset in the text of the word that decides; -1 if there is none.
    """

    code: str
    place: int


class _Token(NamedTuple):
    word: str
    place: int


def _tokens(text: str, start: int = 0) -> list[_Token]:
    """Return commas and lower-case words, a mark for masked text, and *howmany* as two words."""
    plain = blotted(text.replace("’", "'")).lower()
    return [
        _Token(MARK if match[0][0] == MARK else match[0], start + match.start())
        for match in _WORD.finditer(plain)
    ]


def wh_type(text: str) -> str:
    """Return the class of an English question, one of those in `features.catalogue`.

    Examples
    --------
    >>> texts = ("In what town?", "How tall is he?", "Is he tall?", "Name a town.", "Their town?")
    >>> [wh_type(text) for text in texts]
    ['what', 'how-adj', 'yes-no', 'command', 'none']
    """
    return wh_word(text).code


def wh_word(text: str) -> WhWord:
    """Return the class of an English question and the place of the word that decides.

    Commands come first, then questions that open with an auxiliary, then the first question word:
    at the start, after a preposition, a comma or an auxiliary, or at the end; anywhere else, all
    but *what*, *why* and *how* are relative pronouns. If there are several sentences, a command
    decides, or else the last one that asks.

    Parameters
    ----------
    text : str
        The question; names may be masked (`surface.blotted`).
    """
    found, before = WhWord("none", -1), 0
    for sentence in sentences(text):
        before = text.index(sentence, before)
        word = _of_sentence(sentence, before)
        if word.code == "command":
            return word
        if word.code != "none":
            found = word
        before += len(sentence)
    return found


def _of_sentence(text: str, before: int) -> WhWord:
    tokens = _tokens(text, before)
    found = [token.word for token in tokens]
    start = next(
        (place for place, word in enumerate(found) if word not in _POLITE and word != ","),
        len(found),
    )
    # "do you know who ...": the question proper starts later
    start += _asks_politely(found[start:])
    rest = found[start:]
    command = _command(rest)
    if command >= 0:
        return WhWord("command", tokens[start + command].place)
    if rest and rest[0] in AUXILIARIES:
        open_ended = offers_choice(text) or _GAP.search(text.lower()) is not None
        return WhWord("none" if open_ended else "yes-no", tokens[start].place)
    if _polar_after_opening(rest) and not offers_choice(text):
        return WhWord("yes-no", tokens[start].place)
    if rest and rest[0] not in _SPELLED:
        found[start] = question_word_meant(rest[0])
    place = _question_word(found, start)
    return WhWord(_refined(found, place), tokens[place].place) if place >= 0 else WhWord("none", -1)


def _asks_politely(found: list[str]) -> int:
    """Return how many words introduce the question proper, as in "do you know who ..."."""
    opening = re.match(
        r"(?:do|does|did|can|could|would) (?:you|anyone|anybody|"
        r"someone|somebody) (?:know|remember|say) ",
        " ".join(found[:5]) + " ",
    )
    size = len(opening[0].split()) if opening else 0
    return size if found[size : size + 1] and found[size] in _SPELLED else 0


def _question_word(found: list[str], start: int) -> int:
    """Return the place of the word that asks, -1 for none."""
    asking = [
        place
        for place in range(start, len(found))
        if found[place] in _SPELLED and _asks(found, place, start)
    ]
    if not asking:
        return _inside(found, start)
    # "When the mill burned, who owned it?": the clause of time does not ask
    clause = (
        asking[0] == start
        and _SPELLED[found[start]] in {"when", "where"}
        and found[start + 1 : start + 2]
    )
    later = [place for place in asking[1:] if "," in found[place - 2 : place]]
    return later[0] if clause and found[start + 1] not in _BEHIND_WHEN and later else asking[0]


def _inside(found: list[str], start: int) -> int:
    """Return the place of a question word that is not at the front.

    As in "X wrote **which** book" and "among the X who ..., **who** ...".
    """
    places = [place for place in range(start, len(found)) if found[place] in _SPELLED]
    before_noun = [
        place
        for place in places
        if found[place] == "which" and found[place + 1] not in _AFTER_RELATIVE
    ]
    before_noun = [place for place in before_noun if not found[place + 1].endswith("ed")]
    chosen = places if found[start : start + 1] in (["among"], ["amongst"]) else before_noun
    return chosen[-1] if chosen else -1


def _command(found: list[str]) -> int:
    """Return the place of the verb of a command, or -1."""
    place = 0
    if found[:2] in (["can", "you"], ["could", "you"], ["would", "you"], ["will", "you"]):
        place = 2 + (found[2:3] == ["please"])
    elif found[:2] in (["i", "want"], ["i", "need"], ["let", "me"], ["i", "would"]):
        return 1
    verb, then = found[place : place + 1], found[place + 1 : place + 2]
    if (
        not verb
        or verb[0] not in COMMANDS
        or not then
        or (place == 0 and then[0] in _NOT_COMMANDED)
    ):
        return -1
    return place


def _asks(found: list[str], place: int, start: int) -> bool:
    word = _SPELLED[found[place]]
    if place == start or word not in _RELATIVE or place == len(found) - 1:
        return True
    before = found[place - 1]
    if before in PREPOSITIONS and place - start == 1:
        return True
    if before == "," and found[place + 1] in AUXILIARIES:
        return _after_opening(found[start : place - 1])
    if word in {"who", "where", "when"} and before not in {","} | AUXILIARIES:
        return False
    return (
        before in PREPOSITIONS | AUXILIARIES | {",", "and"} and found[place + 1] not in AUXILIARIES
    )


def _polar_after_opening(found: list[str]) -> bool:
    """Whether an auxiliary follows an opening phrase, as in "At the mill, are there"."""
    comma = found.index(",") if "," in found else len(found)
    if (
        found[:1] == []
        or found[0] not in _OPENING
        or not _SPELLED.keys().isdisjoint(found[: comma + 1])
    ):
        return False
    return (
        found[comma + 1 : comma + 2] != []
        and found[comma + 1] in AUXILIARIES
        and AUXILIARIES.isdisjoint(found[:comma])
    )


def _after_opening(opening: list[str]) -> bool:
    """Whether the text before ", who was" opens the question ("In 1990"), not a described noun."""
    return bool(opening) and (
        "," not in opening and (opening[0] in _OPENING or not AUXILIARIES.isdisjoint(opening))
    )


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
    """Whether the question ends in a choice "... A or B"; "more or less" is not a choice.

    Examples
    --------
    >>> offers_choice("Is it old or new?")
    True
    >>> offers_choice("Is it made or sold by one of the mills there?")
    False
    """
    plain = _NO_CHOICE.sub(" ", blotted(text).lower())
    return _CHOICE.search(plain) is not None and _TWO_VERBS.search(plain) is None


def formulation(text: str, code: str) -> str:
    """Return ``compound`` for several sentences, else ``command`` or ``plain`` (PolQA).

    Parameters
    ----------
    text, code
        See `formulation_ruled`.
    """
    return formulation_ruled(text, code).label


def formulation_ruled(text: str, code: str) -> Ruled:
    """Return how a question is put, with the rule that fired.

    Parameters
    ----------
    text : str
        The question.
    code : str
        Its class, by `wh_type`.
    """
    count = len(sentences(text))
    if count > 1:
        return Ruled("compound", f"{count} sentences")
    return (
        Ruled("command", "an imperative")
        if code == "command"
        else Ruled("plain", "one sentence without imperative")
    )


def information_sought(text: str, code: str, category: str, *, plural: bool = False) -> str:
    """Return what an English question wants, in PolQA's classes.

    Parameters
    ----------
    text : str
        The question; names may be masked.
    code, category : str
        Its class by `wh_type`, and the category of its answer by `answer_type`.
    plural : bool, optional
        Whether the head noun of the focus is in the plural.

    Returns
    -------
    str
        gap-filling, yes-no, entity-choice, multiple-entities, other-name or single-entity.
    """
    return sought(text, code, category, plural=plural).label


def sought(text: str, code: str, category: str, *, plural: bool = False) -> Ruled:
    """Return what an English question wants, as `information_sought`, with the rule that fired.

    Parameters
    ----------
    text, code, category, plural
        See `information_sought`.
    """
    if category == "boolean":
        return Ruled("yes-no", "yes or no is asked for")
    plain = " ".join(blotted(text).lower().split())
    gap = _GAP.search(plain)
    if gap:
        return Ruled("gap-filling", f"asks to complete ({gap[0].strip()!r})")
    if offers_choice(text) and code in {"which", "what", "who", "none"}:
        return Ruled("entity-choice", "offers a choice with 'or'")
    if category == "literal-number" or code in _SINGLE:
        return Ruled("single-entity", f"question class {code} asks for one")
    two = _TWO.search(plain)
    if two or (plural and code in {"command", "which", "what", "who"}):
        return Ruled(
            "multiple-entities",
            f"asks for several ({two[0]!r})" if two else "the head noun is in the plural",
        )
    named = category in {"literal-string", "resource"} and code != "who"
    other = _OTHER_NAME.search(plain) if named else None
    return (
        Ruled("other-name", f"asks for another name ({other[0]!r})")
        if other
        else Ruled("single-entity", "no other rule")
    )


#: Classes that ask for one number, time, place or reason.
_SINGLE = frozenset({"how-many", "how-much", "how-adj", "when", "where", "why", "how"})
_UNNAMED_HEADS = word_set(
    """gender sex profession occupation job position role genre colour color style species
    instrument material part disease cause religion sport shape animal plant food
    ingredient reason way method meaning definition symptom organ type kind nationality
    ethnicity discipline subject thing rank unit metal element gas substance purpose
    difference function effect motive"""
)


def answer_entity_kind(code: str, category: str, head: str | None) -> str:
    """Return whether the answer has a name of its own: ``named``, ``unnamed`` or ``yes-no``.

    PolQA's classes, guessed from the question alone; as in PolQA, numbers and dates count as named.

    Parameters
    ----------
    code, category, head
        See `entity_kind`.
    """
    return entity_kind(code, category, head).label


def entity_kind(code: str, category: str, head: str | None) -> Ruled:
    """Return the kind of the answer entity, as `answer_entity_kind`, with the rule that fired.

    Parameters
    ----------
    code, category : str
        The class of the question and the expected category.
    head : str or None
        The lemma of its head noun, by `focus.headword`.
    """
    if category == "boolean":
        return Ruled("yes-no", "yes or no is asked for")
    if category in {"literal-number", "literal-date"}:
        return Ruled("named", "a number or a date is asked for")
    if code in {"who", "whom", "whose", "where"}:
        return Ruled("named", f"question class {code}")
    if code in {"how", "why"} or (head is None and code == "what"):
        return Ruled(
            "unnamed", f"question class {code}" + (" without a head noun" if code == "what" else "")
        )
    if head in _UNNAMED_HEADS:
        return Ruled("unnamed", f"head noun {head!r}")
    return Ruled("named", f"head noun {head!r}" if head else f"question class {code}")

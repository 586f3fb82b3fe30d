"""The class of an English question by its form: question word, command, yes-no, gap or choice."""

from __future__ import annotations

import re
from typing import NamedTuple

from qaldgen.features.text.letters import MARK, masked, sentences
from qaldgen.features.text.words import (
    AUXILIARIES,
    COMMANDS,
    PREPOSITIONS,
    SPELLED,
    english,
    pattern,
)

#: A gap to fill in, or dots where the answer goes.
GAP = re.compile(r"_{2,}|…\s*$|\.{3}\s*\??$|\b(fill in|complete the|finish the|missing word)\b")
#: Fixed phrases with "or" that do not offer a choice.
_NO_CHOICE = pattern("no choice")
#: "or" between two choices at the end of the question, but not between two verbs that share their
#: object.
_CHOICE = re.compile(r"[\w¤][^\w¤,;:?]*,? or (?:an? |the )?(?:[\w¤'-]+ ){0,4}[\w¤'-]+ ?[?.!]*\s*$")
_TWO_VERBS = pattern("two verbs")


def offers_choice(text: str) -> bool:
    """Whether the question ends in a choice "... A or B"; "more or less" is not a choice.

    >>> offers_choice("Is it old or new?")
    True
    >>> offers_choice("Is it made or sold by one of the mills there?")
    False
    """
    plain = _NO_CHOICE.sub(" ", " ".join(masked(text).lower().split()))
    return _CHOICE.search(plain) is not None and _TWO_VERBS.search(plain) is None


_MEANT = ("what", "which", "when", "where", "whose")
#: Correct words that are one letter away from a question word.
_REAL = english("like question words")
#: Misspelt question words that people write anywhere in a question.
_SLIPS = english("misspelt question words")
#: Function words that are never right twice in a row; "had had" and "that that" can be.
_TWICE = pattern("twice")


def question_word_meant(word: str) -> str:
    """Return the question word that an unknown lower-case word is one slip away from or the word.

    A slip is a letter too many, too few or wrong, or two letters in the wrong order (Damerau 1964).
    If several question words are one slip away, the first of what, which, when, where, whose wins.

    >>> [question_word_meant(word) for word in ("whicch", "hwat", "there", "river")]
    ['which', 'what', 'there', 'river']
    """
    if word in _REAL:
        return word
    return next((meant for meant in _MEANT if word != meant and _one_slip(word, meant)), word)


def _one_slip(word: str, meant: str) -> bool:
    if abs(len(word) - len(meant)) > 1:
        return False
    at = next(
        (
            at
            for at, (letter, other) in enumerate(zip(word, meant, strict=False))
            if letter != other
        ),
        min(len(word), len(meant)),
    )
    rest, wanted = word[at:], meant[at:]
    swapped = rest[:2] == wanted[:2][::-1] and rest[2:] == wanted[2:]
    return swapped or rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:]


def spelling_suspect(text: str) -> bool:
    """Whether the question word is misspelt, or a lower-case function word occurs twice in a row.

    >>> texts = ("Whihc lake is it?", "Where is the the lake?", "Which lake is it?")
    >>> [spelling_suspect(text) for text in texts]
    [True, True, False]
    """
    plain = text.lower().replace("’", "'")
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", plain)
    opening = bool(words) and question_word_meant(words[0]) != words[0]
    return opening or not _SLIPS.isdisjoint(words) or _TWICE.search(text) is not None


#: "howmany" is cut in two; commas are words, because clauses end there.
_WORD = re.compile(r"how(?=(?:many|much)\b)|[^\W_]+(?:[-'][^\W_]+)*|,|¤+")
#: After these the word is not a command: "State of the art", "Name is".
_NOT_COMMANDED = english("after a noun like a command")
#: Words after a command: its object, or what opens a clause in it.
_CLAUSE = english("after a command")
_POLITE = english("polite words")
#: Words that also open relative clauses: inside a sentence, something else must show that they ask.
_RELATIVE = frozenset({"which", "who", "whom", "whose", "when", "where"})
_AFTER_RELATIVE = AUXILIARIES | english("after a relative pronoun")
#: What opens a question before ", who was".
_OPENING = PREPOSITIONS | english("openings")
#: What follows a *when* or *where* that asks.
_BEHIND_WHEN = AUXILIARIES | english("behind when")
#: What follows *how* when it does not ask for a measure.
_HOW_VERBS = AUXILIARIES | english("behind how")


class WhWord(NamedTuple):
    """The class of a question."""

    code: str  # A value of the feature whType
    place: int  # offset in the text of the word that decides; -1 if there is none


class _Token(NamedTuple):
    word: str
    place: int


def _tokens(text: str, start: int = 0) -> list[_Token]:
    """Return commas and lower-case words, a mark for masked text, and *howmany* as two words."""
    plain = masked(text.replace("’", "'")).lower()
    return [
        _Token(MARK if match[0][0] == MARK else match[0], start + match.start())
        for match in _WORD.finditer(plain)
    ]


def wh_type(text: str) -> str:
    """Return the class of an English question, one of those in `features.catalogue`.

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
    """
    wh_word, before = WhWord("none", -1), 0
    for sentence in sentences(text):
        before = text.index(sentence, before)
        word = _of_sentence(sentence, before)
        if word.code == "command":
            return word
        if word.code != "none":
            wh_word = word
        before += len(sentence)
    return wh_word


def _of_sentence(text: str, before: int) -> WhWord:
    tokens = _tokens(text, before)
    words = [token.word for token in tokens]
    start = next(
        (place for place, word in enumerate(words) if word not in _POLITE and word != ","),
        len(words),
    )
    # "do you know who ...": the question proper starts later
    start += _asks_politely(words[start:])
    rest = words[start:]
    command = _command(rest)
    if command >= 0:
        return WhWord("command", tokens[start + command].place)
    if rest and rest[0] in AUXILIARIES:
        open_ended = offers_choice(text) or GAP.search(text.lower()) is not None
        return WhWord("none" if open_ended else "yes-no", tokens[start].place)
    if _polar_after_opening(rest) and not offers_choice(text):
        return WhWord("yes-no", tokens[start].place)
    if rest and rest[0] not in SPELLED:
        words[start] = question_word_meant(rest[0])
    place = _question_word(words, start)
    return WhWord(_refined(words, place), tokens[place].place) if place >= 0 else WhWord("none", -1)


def _asks_politely(words: list[str]) -> int:
    """Return how many words introduce the question proper, as in "do you know who ..."."""
    opening = re.match(
        r"(?:do|does|did|can|could|would) (?:you|anyone|anybody|"
        r"someone|somebody) (?:know|remember|say) ",
        " ".join(words[:5]) + " ",
    )
    size = len(opening[0].split()) if opening else 0
    return size if words[size : size + 1] and words[size] in SPELLED else 0


def _question_word(found: list[str], start: int) -> int:
    """Return the place of the word that asks, -1 for none."""
    asking = [
        place
        for place in range(start, len(found))
        if found[place] in SPELLED and _asks(found, place, start)
    ]
    if not asking:
        return _inside(found, start)
    # "When the mill burned, who owned it?": the clause of time does not ask
    clause = (
        asking[0] == start
        and SPELLED[found[start]] in {"when", "where"}
        and found[start + 1 : start + 2]
    )
    later = [place for place in asking[1:] if "," in found[place - 2 : place]]
    return later[0] if clause and found[start + 1] not in _BEHIND_WHEN and later else asking[0]


def _inside(words: list[str], start: int) -> int:
    """Return the place of a question word that is not at the front.

    As in "X wrote **which** book" and "among the X who ..., **who** ...".
    """
    places = [place for place in range(start, len(words)) if words[place] in SPELLED]
    before_noun = [
        place
        for place in places
        if words[place] == "which" and words[place + 1] not in _AFTER_RELATIVE
    ]
    before_noun = [place for place in before_noun if not words[place + 1].endswith("ed")]
    chosen = places if words[start : start + 1] in (["among"], ["amongst"]) else before_noun
    return chosen[-1] if chosen else -1


def _command(words: list[str]) -> int:
    """Return the place of the verb of a command, or -1."""
    place = 0
    if words[:2] in (["can", "you"], ["could", "you"], ["would", "you"], ["will", "you"]):
        place = 2 + (words[2:3] == ["please"])
    elif words[:2] in (["i", "want"], ["i", "need"], ["let", "me"], ["i", "would"]):
        return 1
    verb, then = words[place : place + 1], words[place + 1 : place + 2]
    if (
        not verb
        or verb[0] not in COMMANDS
        or not then
        or (place == 0 and (then[0] in _NOT_COMMANDED or _is_subject(words)))
    ):
        return -1
    return place


def _is_subject(words: list[str]) -> bool:
    """Whether a phrase that looks like a command is the subject of a question at the end.

    As in "Point Break is directed by whom", unlike "Name rivers that are where".
    """
    verb = next((place for place, word in enumerate(words) if word in AUXILIARIES), len(words))
    opening = words[1:verb]
    asks = [place for place in range(verb, len(words)) if words[place] in SPELLED]
    return (
        asks[-1:] == [len(words) - 1]
        and not SPELLED.keys() & opening
        and not _CLAUSE & set(opening)
    )


def _asks(words: list[str], place: int, start: int) -> bool:
    word = SPELLED[words[place]]
    if place == start or word not in _RELATIVE or place == len(words) - 1:
        return True
    before = words[place - 1]
    if before in PREPOSITIONS and place - start == 1:
        return True
    if before == "," and words[place + 1] in AUXILIARIES:
        return _after_opening(words[start : place - 1])
    if word in {"where", "when"} and words[place + 1] in AUXILIARIES:
        return True
    if word in {"who", "where", "when"} and before not in {","} | AUXILIARIES:
        return False
    return (
        before in PREPOSITIONS | AUXILIARIES | {",", "and"} and words[place + 1] not in AUXILIARIES
    )


def _polar_after_opening(words: list[str]) -> bool:
    """Whether an auxiliary follows an opening phrase, as in "At the mill, are there"."""
    comma = words.index(",") if "," in words else len(words)
    if (
        words[:1] == []
        or words[0] not in _OPENING
        or not SPELLED.keys().isdisjoint(words[: comma + 1])
    ):
        return False
    return (
        words[comma + 1 : comma + 2] != []
        and words[comma + 1] in AUXILIARIES
        and AUXILIARIES.isdisjoint(words[:comma])
    )


def _after_opening(opening: list[str]) -> bool:
    """Whether the text before ", who was" opens the question ("In 1990"), not a described noun."""
    return bool(opening) and (
        "," not in opening and (opening[0] in _OPENING or not AUXILIARIES.isdisjoint(opening))
    )


def _refined(words: list[str], place: int) -> str:
    word = SPELLED[words[place]]
    then = words[place + 1] if place + 1 < len(words) else ""
    if word != "how":
        return word
    if then in {"many", "much"}:
        return f"how-{then}"
    if then == "come":
        return "why"
    return "how" if not then or then in _HOW_VERBS or words[place] != "how" else "how-adj"

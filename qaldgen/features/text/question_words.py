"""The class of an English question by its form: question word, command, yes-no, gap or choice."""

from __future__ import annotations

import re
from typing import NamedTuple

from qaldgen.features.text.letters import MARK, masked, sentences
from qaldgen.features.text.spelling import question_word_meant
from qaldgen.features.text.words import (
    AUXILIARIES,
    COMMANDS,
    PREPOSITIONS,
    SPELLED,
    pattern,
    word_list,
)

#: A gap to fill in, or dots where the answer goes.
GAP = re.compile(r"_{2,}|…\s*$|\.{3}\s*\??$|\b(fill in|complete the|finish the|missing word)\b")
#: Fixed phrases with "or" that do not offer a choice.
_NO_CHOICE = pattern("no choice")
#: "or" between two choices at the end of the question, but not between two verbs that share their
#: object.
_CHOICE = re.compile(r"[\w¤][^\w¤,;:?]*,? or (?:an? |the )?(?:[\w¤'-]+ ){0,4}[\w¤'-]+ ?[?.!]*\s*$")
_TWO_VERBS = pattern("two verbs")
#: "howmany" is cut in two; commas are words, because clauses end there.
_WORD = re.compile(r"how(?=(?:many|much)\b)|[^\W_]+(?:[-'][^\W_]+)*|,|¤+")
#: Words before which a verb is no command: "State of the art", "Name is".
_AFTER_COMMAND_NOUN = word_list("after a noun like a command")
_POLITE = word_list("polite words")
#: Words that also open relative clauses: inside a sentence, something else must show that they ask.
_RELATIVE = frozenset({"which", "who", "whom", "whose", "when", "where"})
_AFTER_RELATIVE = AUXILIARIES | word_list("after a relative pronoun")
#: Words that open a question before ", who was".
_OPENING = PREPOSITIONS | word_list("openings")
#: Words before a relative word that asks.
_BEFORE_ASKING = PREPOSITIONS | AUXILIARIES | {",", "and"}
#: Words after a *when* or *where* that asks.
_AFTER_WHEN = AUXILIARIES | word_list("after when")
#: Words after a *how* that does not ask for a measure.
_AFTER_PLAIN_HOW = AUXILIARIES | word_list("after plain how")
#: A polite opening before the question proper: "do you know who ...".
_ASKS_POLITELY = re.compile(
    r"(?:do|does|did|can|could|would) (?:you|anyone|anybody|someone|somebody)"
    r" (?:know|remember|say)"
)


def offers_choice(text: str) -> bool:
    """Return whether the question ends in a choice "... A or B"; "more or less" is not a choice.

    >>> offers_choice("Is it old or new?")
    True
    >>> offers_choice("Is it made or sold by one of the mills there?")
    False
    """
    normalised = _NO_CHOICE.sub(" ", " ".join(masked(text).lower().split()))
    return _CHOICE.search(normalised) is not None and _TWO_VERBS.search(normalised) is None


class WhWord(NamedTuple):
    """The class of a question."""

    code: str  # one of the codes of the feature whType
    offset: int  # in the text, of the word that decides; -1 if there is none


def wh_type(text: str) -> str:
    """Return the class of an English question, one of those in `features.catalogue`.

    >>> texts = ("In what town?", "How tall is he?", "Is he tall?", "Name a town.", "Their town?")
    >>> [wh_type(text) for text in texts]
    ['what', 'how-adj', 'yes-no', 'command', 'none']
    """
    return wh_word(text).code


def wh_word(text: str) -> WhWord:
    """Return the class of an English question and the offset of the word that decides.

    Commands come first, then questions that open with an auxiliary, then the first question word:
    at the start, after a preposition, a comma or an auxiliary, or at the end; anywhere else, all
    but *what*, *why* and *how* are relative pronouns. If there are several sentences, a command
    decides, or else the last one that asks.
    """
    deciding = WhWord("none", -1)
    start = 0
    for sentence in sentences(text):
        start = text.index(sentence, start)
        word = _wh_word_of_sentence(sentence, start)
        if word.code == "command":
            return word
        if word.code != "none":
            deciding = word
        start += len(sentence)
    return deciding


def _wh_word_of_sentence(text: str, offset: int) -> WhWord:
    """Return the class of a sentence, which starts at `offset` in the text."""
    matches = list(_WORD.finditer(masked(text.replace("’", "'")).lower()))
    words = [MARK if match[0][0] == MARK else match[0] for match in matches]
    offsets = [offset + match.start() for match in matches]

    start = 0
    while start < len(words) and (words[start] in _POLITE or words[start] == ","):
        start += 1
    polite = " ".join(words[start : start + 3])
    question = words[start + 3 :]
    if question and question[0] in SPELLED and _ASKS_POLITELY.fullmatch(polite):
        start += 3
    main_words = words[start:]

    command_index = _command_index(main_words)
    if command_index is not None:
        return WhWord("command", offsets[start + command_index])

    if main_words and main_words[0] in AUXILIARIES:
        is_open = offers_choice(text) or GAP.search(text.lower()) is not None
        return WhWord("none" if is_open else "yes-no", offsets[start])

    if "," in main_words:
        # "At the mill, are there": an auxiliary after an opening phrase
        comma = main_words.index(",")
        opening = main_words[:comma]
        clause = main_words[comma + 1 :]
        if opening and clause and opening[0] in _OPENING and clause[0] in AUXILIARIES:
            is_phrase = AUXILIARIES.isdisjoint(opening) and SPELLED.keys().isdisjoint(opening)
            if is_phrase and not offers_choice(text):
                return WhWord("yes-no", offsets[start])

    if main_words and main_words[0] not in SPELLED:
        words[start] = question_word_meant(main_words[0])
    index = _question_word_index(words, start)
    if index is None:
        return WhWord("none", -1)

    code = SPELLED[words[index]]
    following = words[index + 1] if index + 1 < len(words) else ""
    if code == "how" and following in {"many", "much"}:
        code = f"how-{following}"
    elif code == "how" and following == "come":
        code = "why"
    elif words[index] == "how" and following and following not in _AFTER_PLAIN_HOW:
        code = "how-adj"
    return WhWord(code, offsets[index])


def _question_word_index(words: list[str], start: int) -> int | None:
    """Return the index of the question word that asks; None without one."""
    indices = [index for index in range(start, len(words)) if words[index] in SPELLED]
    asking = [index for index in indices if _is_interrogative(words, index, start)]

    if asking and asking[0] == start and SPELLED[words[start]] in {"when", "where"}:
        # "When the mill burned, who owned it?": the clause of time does not ask
        later = [index for index in asking[1:] if "," in words[index - 2 : index]]
        if later and words[start + 1] not in _AFTER_WHEN:
            return later[0]
    if asking:
        return asking[0]

    # not at the front: "X wrote **which** book", "among the X who ..., **who** ..."
    for index in reversed(indices):
        if words[start] in {"among", "amongst"}:
            return index
        following = words[index + 1]  # there is one, as a question word at the end asks
        is_relative = following in _AFTER_RELATIVE or following.endswith("ed")
        if words[index] == "which" and not is_relative:
            return index
    return None


def _command_index(words: list[str]) -> int | None:
    """Return the index of the verb of a command; None without one."""
    index = 0
    if words[:2] in (["can", "you"], ["could", "you"], ["would", "you"], ["will", "you"]):
        index = 2
        if words[2:3] == ["please"]:
            index = 3
    elif words[:2] in (["i", "want"], ["i", "need"], ["let", "me"], ["i", "would"]):
        return 1

    if index + 1 >= len(words) or words[index] not in COMMANDS:
        return None
    if index == 0 and words[1] in _AFTER_COMMAND_NOUN:
        return None
    return index


def _is_interrogative(words: list[str], index: int, start: int) -> bool:
    """Return whether the question word at `index` asks, and is not a relative pronoun."""
    word = SPELLED[words[index]]
    if index == start or word not in _RELATIVE or index == len(words) - 1:
        return True

    previous = words[index - 1]
    is_before_verb = words[index + 1] in AUXILIARIES
    if previous in PREPOSITIONS and index - start == 1:
        return True
    if previous == "," and is_before_verb:
        # "In 1990, who was" asks; "the mill that was old, who was" describes a noun
        opening = words[start : index - 1]
        if not opening or "," in opening:
            return False
        return opening[0] in _OPENING or not AUXILIARIES.isdisjoint(opening)

    if word in {"where", "when"} and is_before_verb:
        return True
    if word in {"who", "where", "when"} and previous != "," and previous not in AUXILIARIES:
        return False
    return previous in _BEFORE_ASKING and not is_before_verb

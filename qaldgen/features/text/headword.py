"""The head noun of the focus: the noun that says what kind of thing an English question asks for.

The focus is the phrase of the question word ("Which **film**", "How many **wives**"), the noun
after *what/who is* ("Who is the **author** of"), or the object of a command ("Name all **rivers**
in"); see Huang, Thint and Qin (2008) and Usbeck et al. (2017). Yes/no questions and those with
*whose*, *when*, *where*, *why*, *how*, *how tall* have no head noun; a proper name is never one.
"""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen.features.text.letters import word_set
from qaldgen.features.text.question_words import WhWord
from qaldgen.features.text.words import (
    AUXILIARIES,
    BE,
    BEHIND_NOUN,
    IRREGULAR,
    NOUNS,
    PREPOSITIONS,
    UNCHANGED,
    HeadNoun,
    Token,
    english,
    repaired_tags,
    singular,
    with_names,
)

#: Nouns after which the noun behind "of" is the focus: "the **number** of **films**".
_TRANSPARENT = english("nouns before of")
_FILLERS = english("fillers")
#: Words between *what is* and its predicate.
_BEFORE_PREDICATE = word_set("some all also now currently then n't not other")
#: Nouns that open a name with "of", such as that of a university.
_NAMES_WITH_OF = english("nouns that open names")
#: Words between a question word and its verb: "what **in the world** is", "who **all** were".
_ADDED = english("after a question word")
#: Penn tags of what comes before a noun and belongs to its phrase.
_MODIFIERS = word_set("DT PDT JJ JJR JJS CD RBS RBR PRP$ VBN VBG HYPH `` '' FW AFX")
#: Nouns that are themselves asked for right after the question word: "what **number** of keys".
_COUNTS = english("nouns that count")
#: Words before "name" that make it what is asked for: "the real **name** of".
_NAMINGS = frozenset({"name", "names"})
#: Words that end a phrase of nouns after "last" or "next": "the quarterback **last year**".
_TIMES = english("times")
#: Question words that can come right before the head noun.
_HEADED = frozenset({"what", "which", "how-many", "how-much"})
#: Words a tagger easily takes for nouns after "what" and "who".
_NEVER = AUXILIARIES | PREPOSITIONS | english("never a head noun")
#: Words that a relative clause can follow: in "those who", "who" does not ask.
_ANTECEDENTS = english("before a relative clause")


def headword(
    tokens: Sequence[Token], wh: WhWord, names: Sequence[tuple[int, int]] = ()
) -> HeadNoun | None:
    """Return the head noun of the focus of an English question, None if it has none."""
    if wh.code not in _HEADED | {"who", "command", "none"}:
        return None
    tokens = repaired_tags(with_names(tokens, names))
    if wh.code == "none":
        head = _noun_phrase(tokens, 0, bare=False)
        opening = tokens[0]
        if head or not opening.text.isalpha() or opening.tag_ in {"IN", "DT", "CC", "PRP"}:
            return head
        if _lower(tokens, 0) in _NAMES_WITH_OF or _lower(tokens, 1) not in {"of", "for"}:
            return None
        return _head(tokens, 0)  # "Capital of Peru", which taggers misread
    place = min(range(len(tokens)), key=lambda index: abs(tokens[index].idx - wh.place))
    code = wh.code
    if code == "command":
        verb = place
        place = _skip(tokens, place + 1, _FILLERS)
        code = _lower(tokens, place)
        # "name those who ..." asks for those, "tell me who ..." for who
        is_relative = place - 1 > verb and _lower(tokens, place - 1) in _ANTECEDENTS
        if is_relative or code not in {"which", "what", "who"}:
            return _noun_phrase(tokens, place, bare=True)
    if code.startswith("how-") and _lower(tokens, place) == "how":
        place += 1
    return _after_question_word(tokens, place + 1, code)


def _after_question_word(tokens: Sequence[Token], start: int, code: str) -> HeadNoun | None:
    """Return the head noun behind a question word, which ends before `start`."""
    after = _skip(tokens, start, _ADDED)
    if _lower(tokens, after) in {"have", "has", "had"} and _lower(tokens, after + 1) == "been":
        after += 1
    if _lower(tokens, after) in BE:
        # a noun with article, possessor or adjective
        start = _skip(tokens, after + 1, _BEFORE_PREDICATE)
        # "what is made of", "who is in": a participle or preposition, so no noun is asked for
        unheaded = {"VBN", "VBG", "VBD", "IN", "TO", "RB", "JJR"}
        is_unheaded = start < len(tokens) and tokens[start].tag_ in unheaded
        if is_unheaded and _lower(tokens, start - 1) in BE:
            return None
        return _noun_phrase(tokens, start, bare=code == "who")
    if code == "who":
        return None
    return _determined(tokens, after)


def _lower(tokens: Sequence[Token], place: int) -> str:
    if place < len(tokens):
        return tokens[place].text.lower()
    return ""


def _skip(tokens: Sequence[Token], place: int, fillers: frozenset[str] | set[str]) -> int:
    while place < len(tokens) and _lower(tokens, place) in fillers:
        place += 1
    return place


def _determined(tokens: Sequence[Token], start: int) -> HeadNoun | None:
    """Return the head of the nouns right after a question word, but not of a possessed one."""
    if _lower(tokens, start) in {"one", "ones"} and _lower(tokens, start + 1) == "of":
        start += 1
    if _lower(tokens, start) == "of":
        return _noun_phrase(tokens, _skip(tokens, start + 1, _FILLERS | {"following"}), bare=True)
    if (
        start + 1 < len(tokens)
        and tokens[start].tag_ in {"VB", "VBP", "IN"}
        and tokens[start + 1].tag_ in {"JJ", "NN", "NNS"}
    ):
        start += _lower(tokens, start - 1) == "which"
    end = _phrase_end(tokens, start)
    nouns = [place for place in range(start, end) if _is_noun(tokens, place)]
    common = []
    for place in nouns:
        is_name = tokens[place].tag_.startswith("NNP") and not tokens[place].text.islower()
        if place == start or not is_name or len(nouns) == 1:
            common.append(place)
    if not common:
        return None
    place = _first_run(tokens, common)
    if _lower(tokens, place) in _COUNTS:
        return _head(tokens, place)
    return _after_of(tokens, place) or _head(tokens, place)


def _first_run(tokens: Sequence[Token], nouns: list[int]) -> int:
    """Return the last noun of the first run; names and hyphens do not interrupt a run."""
    last = nouns[0]
    for place in nouns[1:]:
        before = tokens[last - 1] if last else None
        has_hyphen = before is not None and before.text == "-" and not before.whitespace_
        if has_hyphen or all(
            token.text in {"-", "/"} or token.tag_.startswith("NNP")
            for token in tokens[last + 1 : place]
        ):
            last = place
    return last


def _is_noun(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].tag_ in NOUNS and tokens[place].text.lower() not in _NEVER


def _noun_phrase(tokens: Sequence[Token], start: int, *, bare: bool) -> HeadNoun | None:
    """Return the head of the noun phrase at `start`, past possessors; None for a proper name.

    A noun without article or modifier is a head only if `bare` is true.
    """
    has_possessor = False
    first = start
    end = _phrase_end(tokens, start)
    while (
        end < len(tokens)
        and (tokens[end].tag_ == "POS" or _lower(tokens, end) in {"'s", "’s"})
        and end > start
    ):
        has_possessor = True
        first = end + 1
        end = _phrase_end(tokens, first)
    nouns = [place for place in range(first, end) if _is_noun(tokens, place)]
    if not nouns:
        return None
    common = [place for place in nouns if not tokens[place].tag_.startswith("NNP")]
    has_modifier = has_possessor or tokens[first].tag_ in _MODIFIERS - {"CD"}
    if not common:
        has_complement = (
            _lower(tokens, end) in {"of", "in", "for", "to"} | BEHIND_NOUN
            or tokens[nouns[-1]].text.islower()
        )
        is_plural_name = bare and tokens[nouns[-1]].tag_ == "NNPS"
        is_head = has_possessor or (has_modifier and has_complement) or is_plural_name
        if is_head and (has_possessor or len(nouns) <= 2):
            return _head(tokens, nouns[-1])
        return None
    if has_possessor or nouns[-1] == common[-1]:
        place = common[-1]
    else:
        place = _first_run(tokens, common)
    if not (
        has_modifier or bare or tokens[place].tag_ == "NNS" or _lower(tokens, end) in {"of", "for"}
    ):
        return None
    return _after_of(tokens, place) or _head(tokens, place)


def _phrase_end(tokens: Sequence[Token], start: int) -> int:
    """Return the end of the noun phrase at `start`: up to a new article or a participle."""
    place = start
    while place < len(tokens) and _belongs(tokens, place, start):
        token = tokens[place]
        noun_before = any(_is_noun(tokens, before) for before in range(start, place))
        if token.tag_ in {"DT", "PRP$"} and noun_before:
            break
        if token.tag_ in {"VBN", "VBG"}:
            # a participle belongs to the phrase if it comes before its noun rather than after it
            if place + 1 == len(tokens):
                break
            if token.text.lower() in {"based", "born", "owned", "speaking"}:
                if not _is_noun(tokens, place + 1):
                    break
            elif noun_before:
                break
        if (
            place > start
            and _lower(tokens, place) in {"last", "next", "this", "right"}
            and _lower(tokens, place + 1) in _TIMES
        ):
            break
        place += 1
    return place


def _belongs(tokens: Sequence[Token], place: int, start: int) -> bool:
    token = tokens[place]
    if _is_noun(tokens, place) or token.tag_ in _MODIFIERS or token.text in {"-", "/", "."}:
        return True
    if token.tag_ == "RB":
        return place + 1 < len(tokens) and tokens[place + 1].tag_.startswith("JJ")
    return (
        token.tag_ in {"CC", ","}
        and start < place < len(tokens) - 1
        and tokens[place - 1].tag_.startswith("JJ")
        and tokens[place + 1].tag_.startswith("JJ")
    )


def _after_of(tokens: Sequence[Token], place: int) -> HeadNoun | None:
    """Return the head of the phrase after "number of" etc., unless it is or has a name."""
    if _lower(tokens, place) not in _TRANSPARENT or _lower(tokens, place + 1) not in {"of", "for"}:
        return None
    if (
        _lower(tokens, place) in _NAMINGS
        and place > 0
        and tokens[place - 1].tag_ in NOUNS | {"JJ", "VBN"}
    ):
        return None
    start = _skip(tokens, place + 2, {"all", "the", "some", "any", "these", "different"})
    end = _phrase_end(tokens, start)
    nouns = [index for index in range(start, end) if _is_noun(tokens, index)]
    if not nouns or tokens[nouns[-1]].tag_.startswith("NNP"):
        return None
    return _noun_phrase(tokens, start, bare=True)


def _head(tokens: Sequence[Token], place: int) -> HeadNoun:
    """Return the noun at `place`, with the words that hyphens attach to it."""
    token = tokens[place]
    before = ""
    start = place
    while (
        start >= 2
        and tokens[start - 1].text == "-"
        and not tokens[start - 1].whitespace_
        and not tokens[start - 2].whitespace_
    ):
        start -= 2
        before = f"{tokens[start].text}-{before}"
    word = token.text.lower()
    plural = token.tag_ in {"NNS", "NNPS"}
    lemma = IRREGULAR.get(word, token.lemma_.lower())
    if word in UNCHANGED or (plural and lemma == word):
        lemma = singular(word)
    return HeadNoun(before + token.text, before.lower() + lemma, plural)

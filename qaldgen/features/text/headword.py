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
    Word,
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
#: Nouns that open a name with "of": "**University** of Oxford".
_NAMES_WITH_OF = english("nouns that open names")
#: Words between a question word and its verb: "what **in the world** is", "who **all** were".
_ADDED = english("after a question word")
#: Penn tags of words that come before a noun and belong to its phrase.
_MODIFIERS = word_set("DT PDT JJ JJR JJS CD RBS RBR PRP$ VBN VBG HYPH `` '' FW AFX")
#: Nouns that are themselves asked for right after the question word: "what **number** of keys".
_COUNTS = english("nouns that count")
#: Times that are not part of the noun phrase before them: "the quarterback **last year**".
_TIMES = english("times")
#: Question words that can stand right before the head noun.
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
    question = _Question(repaired_tags(with_names(tokens, names)))
    if wh.code == "none":
        head = question.phrase_head(0, bare=False)
        opening = question.words[0]
        if head or not opening.text.isalpha() or opening.tag_ in {"IN", "DT", "CC", "PRP"}:
            return head
        if question.lower(0) in _NAMES_WITH_OF or question.lower(1) not in {"of", "for"}:
            return None
        return question.head(0)  # "Capital of Peru", which taggers misread
    place = question.place_at(wh.place)
    code = wh.code
    if code == "command":
        verb = place
        place = question.skip(verb + 1, _FILLERS)
        code = question.lower(place)
        # "name those who ..." asks for those, "tell me who ..." for who
        is_relative = place - 1 > verb and question.lower(place - 1) in _ANTECEDENTS
        if is_relative or code not in {"which", "what", "who"}:
            return question.phrase_head(place, bare=True)
    if code.startswith("how-") and question.lower(place) == "how":
        place += 1
    return question.head_after_question_word(place + 1, code)


class _Question:
    """The tagged words of a question. A place is the index of a word."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words

    def lower(self, place: int) -> str:
        """Return a word in lower case; past the end, the empty text."""
        return self.words[place].text.lower() if place < len(self.words) else ""

    def tag(self, place: int) -> str:
        """Return the tag of a word; past the end, the empty text."""
        return self.words[place].tag_ if place < len(self.words) else ""

    def is_noun(self, place: int) -> bool:
        """Return whether a word is a noun, common or proper."""
        return self.tag(place) in NOUNS and self.lower(place) not in _NEVER

    def is_name(self, place: int) -> bool:
        """Return whether a word is tagged as a proper noun."""
        return self.tag(place).startswith("NNP")

    def nouns(self, start: int, end: int) -> list[int]:
        """Return the places of the nouns between two places."""
        return [place for place in range(start, end) if self.is_noun(place)]

    def has_hyphen_before(self, place: int) -> bool:
        """Return whether a hyphen without a space joins a word to the one before it."""
        return (
            place > 0
            and self.words[place - 1].text == "-"
            and not self.words[place - 1].whitespace_
        )

    def place_at(self, offset: int) -> int:
        """Return the place of the word that starts nearest to an offset in the text."""
        distances = [abs(word.idx - offset) for word in self.words]
        return distances.index(min(distances))

    def skip(self, place: int, fillers: frozenset[str] | set[str]) -> int:
        """Return the first place from `place` on whose word is not one of the fillers."""
        while place < len(self.words) and self.lower(place) in fillers:
            place += 1
        return place

    def head_after_question_word(self, start: int, code: str) -> HeadNoun | None:
        """Return the head noun after a question word, which ends before `start`."""
        start = self.skip(start, _ADDED)
        if self.lower(start) in {"have", "has", "had"} and self.lower(start + 1) == "been":
            start += 1
        if self.lower(start) not in BE:
            if code == "who":
                return None
            return self.determined_head(start)
        start = self.skip(start + 1, _BEFORE_PREDICATE)
        # "what is made of", "who is in": the participle or preposition is no noun phrase
        unheaded = {"VBN", "VBG", "VBD", "IN", "TO", "RB", "JJR"}
        if self.tag(start) in unheaded and self.lower(start - 1) in BE:
            return None
        return self.phrase_head(start, bare=code == "who")

    def determined_head(self, start: int) -> HeadNoun | None:
        """Return the head of the nouns right after a question word: "which **river**"."""
        if self.lower(start) in {"one", "ones"} and self.lower(start + 1) == "of":
            start += 1
        if self.lower(start) == "of":
            return self.phrase_head(self.skip(start + 1, _FILLERS | {"following"}), bare=True)
        is_verb = self.tag(start) in {"VB", "VBP", "IN"}
        if (
            is_verb
            and self.lower(start - 1) == "which"
            and self.tag(start + 1) in {"JJ", "NN", "NNS"}
        ):
            start += 1
        nouns = self.nouns(start, self.phrase_end(start))
        common = []
        for place in nouns:
            is_name = self.is_name(place) and not self.words[place].text.islower()
            if place == start or not is_name or len(nouns) == 1:
                common.append(place)
        if not common:
            return None
        place = self.end_of_first_run(common)
        if self.lower(place) in _COUNTS:
            return self.head(place)
        return self.head_after_of(place) or self.head(place)

    def end_of_first_run(self, nouns: list[int]) -> int:
        """Return the last noun of the first run; names and hyphens do not interrupt a run."""
        last = nouns[0]
        for place in nouns[1:]:
            has_only_names = all(
                self.is_name(between) or self.lower(between) in {"-", "/"}
                for between in range(last + 1, place)
            )
            if has_only_names or self.has_hyphen_before(last):
                last = place
        return last

    def phrase_head(self, start: int, *, bare: bool) -> HeadNoun | None:
        """Return the head of the noun phrase at `start`, past possessors; None for a proper name.

        A noun without article or modifier is a head only if `bare` is true.
        """
        first = start
        end = self.phrase_end(first)
        while end > start and (self.tag(end) == "POS" or self.lower(end) in {"'s", "’s"}):
            first = end + 1
            end = self.phrase_end(first)
        nouns = self.nouns(first, end)
        if not nouns:
            return None
        last = nouns[-1]
        common = [place for place in nouns if not self.is_name(place)]
        has_possessor = first > start
        has_modifier = self.tag(first) in _MODIFIERS - {"CD"}
        if not common:
            # taggers take some common nouns for names: "the Mayor of", "someone's Wife"
            if has_possessor:
                return self.head(last)
            if len(nouns) > 2:
                return None
            is_plural = bare and self.tag(last) == "NNPS"
            has_complement = self.lower(end) in {"of", "in", "for", "to"} | BEHIND_NOUN
            is_lower = self.words[last].text.islower()
            if is_plural or (has_modifier and (has_complement or is_lower)):
                return self.head(last)
            return None
        place = common[-1]
        if not has_possessor and place != last:
            place = self.end_of_first_run(common)
        is_plural = self.tag(place) == "NNS"
        has_complement = self.lower(end) in {"of", "for"}
        if not (bare or has_possessor or has_modifier or is_plural or has_complement):
            return None
        return self.head_after_of(place) or self.head(place)

    def phrase_end(self, start: int) -> int:
        """Return the end of the noun phrase at `start`: up to a new article or a participle."""
        place = start
        has_noun = False
        while self.belongs(place, start):
            word = self.lower(place)
            if has_noun and self.tag(place) in {"DT", "PRP$"}:
                break
            if self.tag(place) in {"VBN", "VBG"}:
                # a participle before its noun belongs to the phrase, one after it does not
                is_before_noun = not has_noun
                if word in {"based", "born", "owned", "speaking"}:
                    is_before_noun = self.is_noun(place + 1)
                if not is_before_noun or place + 1 == len(self.words):
                    break
            opens_time = word in {"last", "next", "this", "right"}
            if place > start and opens_time and self.lower(place + 1) in _TIMES:
                break
            has_noun = has_noun or self.is_noun(place)
            place += 1
        return place

    def belongs(self, place: int, start: int) -> bool:
        """Return whether a word can be part of the noun phrase at `start`."""
        tag = self.tag(place)
        if self.is_noun(place) or tag in _MODIFIERS or self.lower(place) in {"-", "/", "."}:
            return True
        is_before_adjective = self.tag(place + 1).startswith("JJ")
        if tag == "RB":
            return is_before_adjective
        if tag in {"CC", ","} and place > start:
            return is_before_adjective and self.tag(place - 1).startswith("JJ")
        return False

    def head_after_of(self, place: int) -> HeadNoun | None:
        """Return the head of the phrase after "number of" etc., unless it is or has a name."""
        word = self.lower(place)
        if word not in _TRANSPARENT or self.lower(place + 1) not in {"of", "for"}:
            return None
        # "the real name of": the name itself is asked for
        if word in {"name", "names"} and place and self.tag(place - 1) in NOUNS | {"JJ", "VBN"}:
            return None
        start = self.skip(place + 2, {"all", "the", "some", "any", "these", "different"})
        nouns = self.nouns(start, self.phrase_end(start))
        if not nouns or self.is_name(nouns[-1]):
            return None
        return self.phrase_head(start, bare=True)

    def head(self, place: int) -> HeadNoun:
        """Return the noun at a place, with the words that hyphens attach to it."""
        before = ""
        first = place
        while (
            first >= 2 and self.has_hyphen_before(first) and not self.words[first - 2].whitespace_
        ):
            first -= 2
            before = f"{self.words[first].text}-{before}"
        noun = self.words[place]
        word = noun.text.lower()
        is_plural = noun.tag_ in {"NNS", "NNPS"}
        lemma = IRREGULAR.get(word, noun.lemma_.lower())
        if word in UNCHANGED or (is_plural and lemma == word):
            lemma = singular(word)
        return HeadNoun(before + noun.text, before.lower() + lemma, is_plural)

"""The head noun of the focus: the noun that says what kind of thing an English question asks for.

The focus is the phrase of the question word ("Which **film**", "How many **wives**"), the noun
after *what/who is* ("Who is the **author** of"), or the object of a command ("Name all **rivers**
in"); see Huang, Thint and Qin (2008) and Usbeck et al. (2017). Yes/no questions and those with
*whose*, *when*, *where*, *why*, *how*, *how tall* have no head noun; a proper name is never one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qaldgen.features.text.letters import word_set
from qaldgen.features.text.question_words import WhWord
from qaldgen.features.text.tag_repair import (
    RELATIVE_PRONOUNS,
    Token,
    Word,
    merge_names,
    repair_tags,
)
from qaldgen.features.text.words import (
    AUXILIARIES,
    BE,
    IRREGULAR,
    NOUNS,
    PREPOSITIONS,
    UNCHANGED,
    singular,
    word_list,
)

#: Nouns after which the noun behind "of" is the focus: "the **number** of **films**".
_TRANSPARENT = word_list("nouns before of")
_FILLERS = word_list("fillers")
#: Words between *what is* and its predicate.
_BEFORE_PREDICATE = word_set("some all also now currently then n't not other")
#: Words between a question word and its verb: "what **in the world** is", "who **all** were".
_WH_ADDITIONS = word_list("after a question word")
#: Penn tags of words that come before a noun and belong to its phrase.
_MODIFIERS = word_set("DT PDT JJ JJR JJS CD RBS RBR PRP$ VBN VBG HYPH `` '' FW AFX")
#: Nouns that are themselves asked for right after the question word: "what **number** of keys".
_COUNTING_NOUNS = word_list("nouns that count")
#: Times that are not part of the noun phrase before them: "the quarterback **last year**".
_TIMES = word_list("times")
#: Question words that can stand right before the head noun.
_HEADED_CLASSES = frozenset({"what", "which", "how-many", "how-much"})
#: Words a tagger easily takes for nouns after "what" and "who".
_NEVER_HEADS = AUXILIARIES | PREPOSITIONS | word_list("never a head noun")
#: Words that a relative clause can follow: in "those who", "who" does not ask.
_ANTECEDENTS = word_list("before a relative clause")


class HeadNoun(NamedTuple):
    """A head noun as written, its lemma, and whether it is a plural."""

    word: str
    lemma: str
    plural: bool


def headword(
    tokens: Sequence[Token], wh: WhWord, names: Sequence[tuple[int, int]] = ()
) -> HeadNoun | None:
    """Return the head noun of the focus of an English question; None without one.

    `names` are the spans of the names in its text.
    """
    if wh.code not in _HEADED_CLASSES | {"who", "command", "none"}:
        return None

    question = _TaggedQuestion(repair_tags(merge_names(tokens, names)))
    if wh.code == "none":
        return question.phrase_head(0, bare=False)

    index = question.index_at(wh.offset)
    code = wh.code
    if code == "command":
        verb = index
        index = question.skip(verb + 1, _FILLERS)
        code = question.lower(index)
        # "name those who ..." asks for those, "tell me who ..." for who
        is_relative = index - 1 > verb and question.lower(index - 1) in _ANTECEDENTS
        if is_relative or code not in {"which", "what", "who"}:
            return question.phrase_head(index, bare=True)

    if code.startswith("how-") and question.lower(index) == "how":
        index += 1
    return question.head_after_question_word(index + 1, code)


class _TaggedQuestion:
    """The tagged words of a question; an index is the number of a word among them."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words

    def lower(self, index: int) -> str:
        """Return a word in lower case; past the end, the empty text."""
        return self.words[index].text.lower() if index < len(self.words) else ""

    def tag(self, index: int) -> str:
        """Return the tag of a word; past the end, the empty text."""
        return self.words[index].tag_ if index < len(self.words) else ""

    def is_noun(self, index: int) -> bool:
        """Return whether a word is a noun, common or proper."""
        return self.tag(index) in NOUNS and self.lower(index) not in _NEVER_HEADS

    def is_name(self, index: int) -> bool:
        """Return whether a word is tagged as a proper noun."""
        return self.tag(index).startswith("NNP")

    def nouns(self, start: int, end: int) -> list[int]:
        """Return the indices of the nouns in a range of words."""
        return [index for index in range(start, end) if self.is_noun(index)]

    def has_hyphen_before(self, index: int) -> bool:
        """Return whether a hyphen without a space joins a word to the one before it."""
        return (
            index > 0
            and self.words[index - 1].text == "-"
            and not self.words[index - 1].whitespace_
        )

    def index_at(self, offset: int) -> int:
        """Return the index of the word that starts nearest to an offset in the text."""
        distances = [abs(word.idx - offset) for word in self.words]
        return distances.index(min(distances))

    def skip(self, index: int, fillers: frozenset[str] | set[str]) -> int:
        """Return the index of the first word from `index` on that is not one of the fillers."""
        while index < len(self.words) and self.lower(index) in fillers:
            index += 1
        return index

    def head_after_question_word(self, start: int, code: str) -> HeadNoun | None:
        """Return the head noun after a question word, which ends before `start`."""
        start = self.skip(start, _WH_ADDITIONS)
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

        # a word between "which" and its noun that is no part of the phrase
        is_apart = self.tag(start) in {"VB", "VBP", "IN"}
        has_noun = self.tag(start + 1) in {"JJ", "NN", "NNS"}
        if is_apart and has_noun and self.lower(start - 1) == "which":
            start += 1

        nouns = self.nouns(start, self.phrase_end(start))
        common_nouns = []
        for index in nouns:
            is_name = self.is_name(index) and not self.words[index].text.islower()
            if index == start or not is_name or len(nouns) == 1:
                common_nouns.append(index)
        if not common_nouns:
            return None

        index = self.end_of_first_run(common_nouns)
        if self.lower(index) in _COUNTING_NOUNS:
            return self.head(index)
        return self.head_after_of(index) or self.head(index)

    def end_of_first_run(self, nouns: list[int]) -> int:
        """Return the last noun of the first run; names and hyphens do not interrupt a run."""
        last = nouns[0]
        for index in nouns[1:]:
            has_only_names = all(
                self.is_name(between) or self.lower(between) in {"-", "/"}
                for between in range(last + 1, index)
            )
            if has_only_names or self.has_hyphen_before(last):
                last = index
        return last

    def phrase_head(self, start: int, *, bare: bool) -> HeadNoun | None:
        """Return the head of the noun phrase at `start`, past possessors; None for a proper name.

        A noun without article or modifier is a head only if `bare` is true.
        """
        noun_start = start
        end = self.phrase_end(noun_start)
        while end > start and (self.tag(end) == "POS" or self.lower(end) in {"'s", "’s"}):
            noun_start = end + 1
            end = self.phrase_end(noun_start)

        nouns = self.nouns(noun_start, end)
        if not nouns:
            return None

        last = nouns[-1]
        common_nouns = [index for index in nouns if not self.is_name(index)]
        has_possessor = noun_start > start
        has_modifier = self.tag(noun_start) in _MODIFIERS - {"CD"}

        if not common_nouns:
            # taggers take some common nouns for names: "the Mayor of", "someone's Wife"
            if has_possessor:
                return self.head(last)
            is_plural = bare and self.tag(last) == "NNPS"
            has_complement = self.lower(end) in {"of", "in", "for", "to"} | RELATIVE_PRONOUNS
            is_lower = self.words[last].text.islower()
            if is_plural or (has_modifier and (has_complement or is_lower)):
                return self.head(last)
            return None

        index = common_nouns[-1]
        if not has_possessor and index != last:
            index = self.end_of_first_run(common_nouns)
        is_plural = self.tag(index) == "NNS"
        has_complement = self.lower(end) in {"of", "for"}
        if not (bare or has_possessor or has_modifier or is_plural or has_complement):
            return None
        return self.head_after_of(index) or self.head(index)

    def phrase_end(self, start: int) -> int:
        """Return the end of the noun phrase at `start`: up to a new article or a participle."""
        index = start
        has_noun = False
        while self.belongs(index, start):
            word = self.lower(index)
            if has_noun and self.tag(index) in {"DT", "PRP$"}:
                break
            if self.tag(index) in {"VBN", "VBG"}:
                # a participle before its noun belongs to the phrase, one after it does not
                is_before_noun = not has_noun
                if word in {"based", "born", "owned", "speaking"}:
                    is_before_noun = self.is_noun(index + 1)
                if not is_before_noun or index + 1 == len(self.words):
                    break

            opens_time = word in {"last", "next", "this", "right"}
            if index > start and opens_time and self.lower(index + 1) in _TIMES:
                break
            has_noun = has_noun or self.is_noun(index)
            index += 1

        return index

    def belongs(self, index: int, start: int) -> bool:
        """Return whether the word at `index` can be part of the noun phrase at `start`."""
        tag = self.tag(index)
        if self.is_noun(index) or tag in _MODIFIERS or self.lower(index) in {"-", "/", "."}:
            return True
        is_before_adjective = self.tag(index + 1).startswith("JJ")
        if tag == "RB":
            return is_before_adjective
        if tag in {"CC", ","} and index > start:
            return is_before_adjective and self.tag(index - 1).startswith("JJ")
        return False

    def head_after_of(self, index: int) -> HeadNoun | None:
        """Return the head of the phrase after "number of" etc., unless it is or has a name."""
        word = self.lower(index)
        if word not in _TRANSPARENT or self.lower(index + 1) not in {"of", "for"}:
            return None
        # "the real name of": the name itself is asked for
        if word in {"name", "names"} and index and self.tag(index - 1) in NOUNS | {"JJ", "VBN"}:
            return None
        start = self.skip(index + 2, {"all", "the", "some", "any", "these", "different"})
        nouns = self.nouns(start, self.phrase_end(start))
        if not nouns or self.is_name(nouns[-1]):
            return None
        return self.phrase_head(start, bare=True)

    def head(self, index: int) -> HeadNoun:
        """Return the noun at an index, with the words that hyphens attach to it."""
        prefix = ""
        first = index
        while (
            first >= 2 and self.has_hyphen_before(first) and not self.words[first - 2].whitespace_
        ):
            first -= 2
            prefix = f"{self.words[first].text}-{prefix}"
        noun = self.words[index]
        word = noun.text.lower()
        is_plural = noun.tag_ in {"NNS", "NNPS"}
        lemma = IRREGULAR.get(word, noun.lemma_.lower())
        if word in UNCHANGED or (is_plural and lemma == word):
            lemma = singular(word)
        return HeadNoun(prefix + noun.text, prefix.lower() + lemma, is_plural)

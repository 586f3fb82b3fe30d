"""The names in an English question: people, organisations, places, works, events, languages.

Where the writer uses capitals, they show the names; the entities of a model only decide on the kind
of name, and whether small words or a possessive join two capitals. Search-box questions have no
capitals: there a table of weights decides (`lower_names`). Numbers, dates and amounts are not
names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from babel.dates import get_day_names, get_month_names

from qaldgen.features.text.letters import ABBREVIATIONS, MOST_OF, QUOTED, word_set
from qaldgen.features.text.lower_names import dictionary, names_by_words
from qaldgen.features.text.question_words import question_word_meant
from qaldgen.features.text.taxonomies import type_of_noun
from qaldgen.features.text.words import (
    AUXILIARIES,
    COMMANDS,
    PREPOSITIONS,
    QUESTION_WORDS,
    singular,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: The types of OntoNotes that are names, in the order of its guidelines.
NAME_TYPES = (
    "PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW",
    "LANGUAGE",
)  # fmt: skip


class Name(NamedTuple):
    """A name in a text."""

    #: Offsets in the text, the end exclusive.
    start: int
    end: int
    kind: str  # its type in OntoNotes; empty if no model says


class _Word(NamedTuple):
    """A word, its place, and what is written between it and the word before."""

    text: str
    lower: str
    start: int
    end: int
    gap: str


class _Question(NamedTuple):
    """The words of a question.

    Which look like names, which a model takes for entities, and the classes of common words.
    """

    words: tuple[_Word, ...]
    capital: tuple[bool, ...]
    entities: tuple[Name, ...]
    known: Mapping[str, str]


#: Numerals of kings and wars; they do not make a name by themselves.
_ROMAN = re.compile(r"[ivx]{2,}")
_WORD = re.compile(r"[^\W_]+(?:[.'’&/+-][^\W_]+)*|&")
_POSSESSIVE = ("'s", "’s")
#: Words whose capital at the start of a sentence says nothing.
_OPENERS = (
    AUXILIARIES | COMMANDS | PREPOSITIONS | QUESTION_WORDS | word_set(
        """a an the this that these those my your his her its our their there here it he she they we
        you i me us and or but if so let all any some each every both most many much
        several few other another such same not no none because while although though
        whereas besides according among amongst within without please ok then also than
        as only one two three four five six seven eight nine ten first second third last
        next"""
    )
)  # fmt: skip
#: Lower-case words inside names of people and places.
_PARTICLES = word_set(
    "de la le les von van der den du di da del della dos das do el al bin ibn bint ben zu zur af "
    "ter ten y et san ul ur &"
)
_OF = ({"of"}, {"of", "the"}, {"of", "a"}, {"of", "an"})
#: Small words inside titles of works, between two common words: "Ghost in the Shell".
_TITLE_WORDS = word_set(
    "in the and for on to over with at into a an of from is are via using through under as by your"
)
#: Words before the title of a work.
_ANNOUNCED = word_set(
    "film movie book novel song album single game show series play poem called named titled wrote"
    " directed recorded released sang sings produced"
)
#: Nouns before a title that may be written in small letters: "the paper Learning to rank".
_TITLED = word_set("paper article publication thesis dissertation preprint titled entitled")
#: Titles that come before "of" and a name without being part of it.
_TITLES = word_set(
    """president presidents king kings queen queens emperor empress prince princess pope mayor
    governor chancellor minister prime duke duchess earl sir dr mr mrs ms prof professor
    senator general ceo chairman director secretary vice bishop captain capital city
    country population author member members list number name"""
)
_MONTHS, _DAYS = get_month_names("wide", locale="en"), get_day_names("wide", locale="en")
_CALENDAR = frozenset(name.lower() for name in (*_MONTHS.values(), *_DAYS.values()))
#: Abbreviations that are common nouns, although they are written in capitals.
_NOT_NAMES = word_set(
    """i gdp dna rna tv ceo cfo cto dvd cd phd iq id ids pin url uri isbn issn vip hiv aids pc ep lp
    dj bmi hdi am pm bc ad bce ce mp mps ph atp km kg cm faq api cpu gpu hq no"""
)
_AWARDS = word_set("award awards prize prizes medal medals oscar oscars grammy emmy championship")
#: Types of names that are rarely made of common words.
_PROPER = frozenset({"PERSON", "NORP", "FAC", "GPE", "LOC", "LANGUAGE"})
#: "the Lord of the Rings": names do not join over more lower-case words than this.
_MOST_SMALL_WORDS = 3
#: Words that have a capital only Where Every Word Has One.
_SMALL = word_set("of the in is a an and to for was were did does on by at with from are or")


def find_names(text: str, doc: Doc | None = None, nlp: Language | None = None) -> list[Name]:
    """Return the names in an English question, from left to right.

    >>> text = "Is Cape Horn in Chile?"
    >>> [text[name.start : name.end] for name in find_names(text)]
    ['Cape Horn', 'Chile']
    """
    told = readable(text) == text
    known = dictionary(nlp) if nlp is not None else MappingProxyType({})
    # capitals mean something only if the writer did not use them everywhere
    found = names_by_capitals(text, doc, known=known) if told else []
    if doc is None or nlp is None or any(_shows_capitals(text, name) for name in found):
        return found
    cased = told and text[:1].isupper()
    quoted = [match.span() for match in QUOTED.finditer(text)]
    taken = [*quoted, *((name.start, name.end) for name in found)]
    spans = [
        (start, end)
        for start, end in names_by_words(doc, nlp)
        if not any(a < end and start < b for a, b in taken)
        # the rules on capitals have decided on these
        and not (told and text[start:end] != text[start:end].lower())
        and not (cased and text.rstrip()[-1:] in {"?", "."} and _is_common(doc, start, end, known))
    ]
    spans += quoted if not cased and not found else []
    entities = _name_entities(doc)
    return sorted(
        [*found, *(name for start, end in spans for name in _typed(text, start, end, entities))]
    )


def _is_common(doc: Doc, start: int, end: int, known: Mapping[str, str]) -> bool:
    """Whether a stretch without capitals has only words of the dictionary: "the world".

    Also a date or a number; but not if the model sees a place, a person or a proper noun there, or
    if a work is announced ("the film ...").
    """
    inside = [token for token in doc if start <= token.idx < end]
    before = doc[inside[0].i - 1].lower_ if inside[0].i else ""
    return before not in _ANNOUNCED and all(
        (
            token.lower_ in known
            or singular(token.lower_) in known
            or token.is_stop
            or token.like_num
        )
        and token.ent_type_ not in _PROPER
        and not token.tag_.startswith("NNP")
        for token in inside
    )


def _shows_capitals(text: str, name: Name) -> bool:
    """Whether a name shows that its writer uses capitals: acronyms and peoples often have them."""
    return name.kind != "NORP" and not text[name.start : name.end].replace(".", "").isupper()


def readable(text: str) -> str:
    """Return a question as a model reads it best: in lower case if it has capitals everywhere.

    >>> [readable(text) for text in ("WHO OWNS IT?", "Who Is The Owner Of It?", "Who owns It?")]
    ['who owns it?', 'who is the owner of it?', 'Who owns It?']
    """
    words = [word for word in _WORD.findall(text) if word[0].isalpha()]
    titled = (
        len(words) > 2
        and all(word[0].isupper() for word in words)
        and any(word.lower() in _SMALL for word in words[1:])
    )
    small = text.lower()
    return (
        small
        if (titled or (len(words) > 1 and text.isupper())) and len(small) == len(text)
        else text
    )


def _name_entities(doc: Doc | None) -> tuple[Name, ...]:
    return (
        tuple(Name(e.start_char, e.end_char, e.label_) for e in doc.ents if e.label_ in NAME_TYPES)
        if doc
        else ()
    )


def names_by_capitals(
    text: str,
    doc: Doc | None = None,
    *,
    opening: bool = True,
    known: Mapping[str, str] = MappingProxyType({}),
) -> list[Name]:
    """Return the names in a question that is written with capitals, from left to right.

    >>> text = "Which films of the Coen brothers star John Turturro?"
    >>> [text[name.start : name.end] for name in names_by_capitals(text)]
    ['Coen', 'John Turturro']
    """
    entities = _name_entities(doc)
    quoted = [
        match.span() for match in QUOTED.finditer(text) if len(match[0]) < MOST_OF * len(text)
    ]
    words = tuple(
        word for word in _words(text) if not any(start <= word.start < end for start, end in quoted)
    )
    capital = _capitals(words, entities, doc, known, opening=opening)
    question = _Question(words, tuple(capital), entities, known)
    spans = [
        *_runs(question),
        *(span for span in quoted if _is_title(text[span[0] + 1 : span[1] - 1])),
    ]
    return [name for start, end in sorted(spans) for name in _typed(text, start, end, entities)]


def _words(text: str) -> list[_Word]:
    found, before = list[_Word](), 0
    for match in _WORD.finditer(text):
        found.append(
            _Word(
                match[0], match[0].lower(), match.start(), match.end(), text[before : match.start()]
            )
        )
        before = match.end()
    return found


def _is_title(quotation: str) -> bool:
    """Whether a quotation is the name of something, rather than a word being talked about."""
    return len(quotation) > 1 and any(map(_written_high, _words(quotation)))


def _written_high(word: _Word) -> bool:
    return word.text != word.lower


def _capitals(
    words: Sequence[_Word],
    entities: Sequence[Name],
    doc: Doc | None,
    known: Mapping[str, str],
    *,
    opening: bool,
) -> list[bool]:
    """Return for each word whether it is written like a name; openers need more than a capital."""
    proper = {token.idx for token in doc if token.tag_.startswith("NNP")} if doc else set()
    proper |= {
        word.start
        for word in words
        if any(name.start <= word.start < name.end for name in entities)
    }
    found: list[bool] = []
    for place, word in enumerate(words):
        plain = word.lower.removesuffix("'s").removesuffix("’s")
        if not _written_high(word):
            found.append(False)
        elif plain in _NOT_NAMES and word.text[:2].isupper():
            found.append(word.text == "I" and place > 0 and found[-1] and word.gap == " ")
        elif _opens(words, place):
            inner = word.text[1:] != word.text[1:].lower()
            after = words[place + 1] if place + 1 < len(words) else None
            next_too = after is not None and after.gap == " " and _written_high(after)
            opens = plain in _OPENERS or question_word_meant(plain) != plain
            found.append(opening and not opens and (inner or word.start in proper or next_too))
        else:
            found.append(not _is_property(words, place))
    common = [
        _written_high(word)
        and "n" in known.get(singular(word.lower), "")
        and not any(one.start <= word.start < one.end and one.kind in _PROPER for one in entities)
        for word in words
    ]
    return [capital and not _asked_for(words, place, common) for place, capital in enumerate(found)]


def _is_property(words: Sequence[_Word], place: int) -> bool:
    """Whether a word is a property named like a variable, as in "the hIndex of"."""
    following = words[place + 1].lower if place + 1 < len(words) else ""
    return words[place].text[0].islower() and words[place - 1].lower == "the" and following == "of"


def _opens(words: Sequence[_Word], place: int) -> bool:
    """Whether a word is the first of a sentence."""
    gap = words[place].gap
    ended = re.search(r"[?!]", gap) or (
        re.search(r"\.\s", gap) and not _abbreviates(words[place - 1])
    )
    asks = re.fullmatch(r"[,;:]\s*", gap) and words[place].lower in QUESTION_WORDS
    verb = (
        place > 0
        and words[place].lower in AUXILIARIES
        and words[place - 1].lower in QUESTION_WORDS
        and _opens(words, place - 1)
    )
    return place == 0 or bool(ended or asks or verb)


def _abbreviates(word: _Word) -> bool:
    return word.lower in ABBREVIATIONS or len(word.text) == 1 or "." in word.text


def _asked_for(words: Sequence[_Word], place: int, common: Sequence[bool]) -> bool:
    """Whether a capital is on a common noun: "What University did", "Which French Mill is"."""
    first = place
    while first > 1 and _written_high(words[first - 1]) and words[first].gap == " ":
        first -= 1
    alone = place + 1 < len(words) and words[place + 1].lower in AUXILIARIES
    return (
        alone
        and first > 0
        and (first == place or common[place])
        and words[first - 1].lower in {"what", "which", "whose"}
        and not words[place].text.isupper()
    )


def _runs(question: _Question) -> list[tuple[int, int]]:
    """Return start and end of each name: capitals, with the numbers and small words between."""
    found, place = list[tuple[int, int]](), 0
    while place < len(question.words):
        last = place
        if question.capital[place]:
            while (longer := _longer(question, place, last)) > last:
                last = longer
            last = max(last, _titled(question, place))
            if not _excluded(question, place, last):
                found.append((question.words[place].start, question.words[last].end))
        place = last + 1
    return found


def _longer(question: _Question, first: int, last: int) -> int:
    """Return the last word of a name that goes on after `last`, or `last`."""
    words = question.words
    after = last + 1
    if after == len(words) or not _adjacent(words, after):
        return last
    if words[after].gap == " (":
        # "Mill (Ada Roe)", "Kiel Mill Association (KMA)": what is in brackets belongs to the name
        return after if question.capital[after] else last
    if question.capital[after]:
        possessed = words[last].lower.endswith(_POSSESSIVE)
        return last if possessed and not _held_together(question, last, after) else after
    if words[after].text[0].isdigit():
        return after
    while (
        after < len(words)
        and after - last <= _MOST_SMALL_WORDS
        and not question.capital[after]
        and _adjacent(words, after)
    ):
        after += 1
    if (
        after == len(words)
        or not question.capital[after]
        or not _adjacent(words, after)
        or after == last + 1
    ):
        return last
    return after if _binds(question, first, last, after) else last


def _adjacent(words: Sequence[_Word], place: int) -> bool:
    """Whether no punctuation separates a word from the one before."""
    gap = words[place].gap
    if re.fullmatch(r"[\s_]+|[-–/]|['’]\s| \(", gap):
        return True
    if gap == ": ":
        return words[place].lower not in AUXILIARIES | QUESTION_WORDS | COMMANDS
    return re.fullmatch(r"\.\s*", gap) is not None and _abbreviates(words[place - 1])


def _held_together(question: _Question, last: int, after: int) -> bool:
    """Whether one entity of the model covers both words."""
    start, end = question.words[last].start, question.words[after].start
    return any(name.start <= start and end < name.end for name in question.entities)


def _binds(question: _Question, first: int, last: int, after: int) -> bool:
    """Whether the lower-case words between two capitals belong to one name."""
    words = question.words
    small = {word.lower for word in words[last + 1 : after]}
    if small <= _PARTICLES or small == {"the"}:
        return True
    if small in _OF:
        return not all(word.lower in _TITLES for word in words[first : last + 1])
    if small <= _TITLE_WORDS and _common(question, first, last) and _common(question, after, after):
        single = first == last and not any(question.capital[after + 1 : after + 2])
        return single or "and" not in small
    awarded = small & {"for", "in"} and any(
        word.lower in _AWARDS for word in words[first : last + 1]
    )
    return bool(awarded) or _held_together(question, last, after)


def _common(question: _Question, first: int, last: int) -> bool:
    """Whether words are all common ones, and none says what is named, as in "University"."""
    proper = [one for one in question.entities if one.kind in _PROPER]
    return all(
        (
            word.lower in question.known
            or word.lower in _SMALL
            or singular(word.lower) in question.known
        )
        and type_of_noun(singular(word.lower)) is None
        and word.lower not in _TITLES | _CALENDAR
        and not any(one.start <= word.start < one.end for one in proper)
        for word in question.words[first : last + 1]
    )


def _titled(question: _Question, first: int) -> int:
    """Return the last word of the title of a paper that goes on in small letters, or `first`."""
    words = question.words
    place = first + 1
    if first == 0 or words[first - 1].lower not in _TITLED:
        return first
    while place < len(words) and words[place].gap in {" ", ": ", "-"}:
        place += 1
    return place - 1


def _excluded(question: _Question, first: int, last: int) -> bool:
    """Whether capitals are not a name: months and days, a Roman numeral, a title on its own."""
    lower = {word.lower for word in question.words[first : last + 1]}
    if all(word in _CALENDAR or word[0].isdigit() or _ROMAN.fullmatch(word) for word in lower):
        return True
    start, end = question.words[first].start, question.words[last].end
    return lower <= _TITLES | {"of", "the"} and not any(
        name.start < end and start < name.end for name in question.entities
    )


def _typed(text: str, start: int, end: int, entities: Sequence[Name]) -> list[Name]:
    """Return a name with the type of the entity that covers most of it.

    A people before a person ("the Dutch Rembrandt") is split off as a name of its own.
    """
    end -= 2 * text[start:end].endswith(_POSSESSIVE)
    covering = [name for name in entities if name.start < end and start < name.end]
    people = next(
        (name for name in covering if name.kind == "NORP" and start <= name.end < end), None
    )
    if people and any(
        other.start == people.end + 1 and other.kind == "PERSON" for other in covering
    ):
        return [Name(start, people.end, "NORP"), *_typed(text, people.end + 1, end, entities)]
    kind = max(
        ((min(end, name.end) - max(start, name.start), name.kind) for name in covering),
        default=(0, ""),
    )[1]
    return [Name(start, end, kind)]

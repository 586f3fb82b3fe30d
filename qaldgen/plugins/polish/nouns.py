"""The types of named things of PolQA for Polish questions, by the noun after the question word."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from qaldgen.features.text.letters import sentences, without_quotes
from qaldgen.features.text.taxonomies import allowed_type
from qaldgen.io.packages import data_rows
from qaldgen.plugins.polish.word_tables import WORD, pattern

#: Case endings of nouns, and of adjectives that are used as nouns.
_ENDING = r"(?:i?(?:a|e|ę|ą|o|u|em|om|ami|ach|ów|owi|owie|mi|ego|emu|ej)?|y|ym|ymi|ych|im|imi|ich)"
#: The end of a stem, and what it becomes before the -e of the locative (*poeta, poecie*) and before
#: the -i or -y of persons in the plural (*poeci*). The first that fits counts.
_SOFTENED_STEMS = (
    ("ch", ("sze", "si")), ("st", ("ście", "ści")), ("zd", ("ździe",)), ("sł", ("śle",)),
    ("sn", ("śnie",)), ("zn", ("źnie",)), ("t", ("cie", "ci")), ("d", ("dzie", "dzi")),
    ("r", ("rze", "rzy")), ("ł", ("le", "li")), ("k", ("ce", "cy")), ("g", ("dze", "dzy")),
    ("c", ("cze",)),
)  # fmt: skip
#: Where an e is inserted if no ending follows: *aktorka, aktorek*.
_FLEETING = re.compile(r"(?<=[^aąeęioóuy])(?=[kłnw]$)")
#: Ends of words for persons: most of these nouns are in no table.
_PERSON_STEMS = (
    "[iy]st", "[iy]stk", "olog(?!i)", "ograf(?!i)", "ator", "atork", "yktor", "yktork", "owc",
    "czyk", "[ij]anin",
)  # fmt: skip


#: Types that phrases of a question show, in order of priority.
_PHRASE_TYPES = ("person", "animal", "name", "other", "organisation", "quantity")
#: Types that the form of an option shows, in order of priority.
_OPTION_TYPES = ("continent", "country", "title", "city", "person", "quantity")
#: Types by question word; the answer to *where* is a town more often than anything else.
_TYPE_BY_CODE = {"who": "person", "whom": "person", "whose": "person", "where": "city"}
#: The number of words after the question word, or after a verb of naming, that may be the noun.
_MAX_WORDS = 12
#: A phrase that gives a measure and asks nothing: the second *co do wielkości* town.
_BY_MEASURE = re.compile(r"\bco do \w+")


def _forms(stem: str) -> str:
    """Return a pattern of the forms of a noun, from the stem that its case endings follow."""
    forms = [stem + _ENDING]
    for ending, replacements in _SOFTENED_STEMS:
        if stem.endswith(ending):
            base = stem.removesuffix(ending)
            # *gwiazda, gwieździe*; *kościół, kościele*
            for form in dict.fromkeys((base, re.sub("i[ao]$", "ie", base))):
                forms += [form + replacement for replacement in replacements]
            break
    if _FLEETING.search(stem):
        forms.append(_FLEETING.sub("e", stem))
    if re.search("[^aąeęioóuy]c$", stem):  # *chłopca, chłopiec*
        forms.append(stem[:-1] + "iec")
    return "|".join(forms)


# -arz and -erz have no locative in -e: there, a noun in -r is more likely (*zegar, zegarze*)
_PERSON = re.compile(rf"\w{{2,}}(?:{'|'.join(map(_forms, _PERSON_STEMS))}|[aeo]rz(?!e$){_ENDING})")


@functools.cache
def _noun_patterns() -> dict[str, re.Pattern[str]]:
    """Return a pattern of the nouns of each type in ``data/nouns.tsv``."""
    forms: dict[str, list[str]] = {}
    for type_, nouns in data_rows("plugins/polish/data/nouns.tsv"):
        for noun in nouns.split():
            if noun.endswith("*"):  # a star stands for all endings
                noun = _forms(noun.removesuffix("*"))
            forms.setdefault(type_, []).append(noun)
    return {type_: re.compile("|".join(alternatives)) for type_, alternatives in forms.items()}


# cached, as an unknown word is tried against the whole table
@functools.lru_cache(maxsize=10_000)
def type_of_noun(noun: str) -> str | None:
    """Return the type of the named things that a lower-case noun stands for; None if unknown.

    >>> [type_of_noun(noun) for noun in ("rzece", "pianistka", "młyn")]
    ['river', 'person', None]
    """
    for type_, noun_pattern in _noun_patterns().items():
        if type_ != "unnamed" and noun_pattern.fullmatch(noun):
            return type_
    if not is_unnamed_noun(noun) and _PERSON.fullmatch(noun):
        return "person"
    return None


@functools.lru_cache(maxsize=10_000)
def is_unnamed_noun(noun: str) -> bool:
    """Return whether a lower-case noun stands for things without names of their own.

    >>> [is_unnamed_noun(noun) for noun in ("zwierzęcia", "organu", "organizacja")]
    [True, True, False]
    """
    return _noun_patterns()["unnamed"].fullmatch(noun) is not None


class NounType(NamedTuple):
    """An entity type, and the rule behind it."""

    type: str
    rule: str
    #: Whether a word of the question shows the type; False for the default ``other``.
    known: bool = True


def entity_type(text: str, code: str, category: str) -> str:
    """Return the type of the thing that a question asks for, one of `ENTITY_TYPES`.

    The noun that follows the question word decides; adjectives and other modifiers are skipped.

    >>> texts = ("W którym mieście stoi młyn?", "Który młyn spłonął?")
    >>> [entity_type(text, "which", "resource") for text in texts]
    ['city', 'other']
    """
    noun_type = find_noun_type(text, code)
    return allowed_type(noun_type.type if noun_type.known else None, code, category)


def normalise(text: str) -> str:
    """Return a text in lower case, without quotations and measures.

    >>> normalise("Drugie co do wielkości miasto „Ulm”?")
    'drugie miasto ?'
    """
    return " ".join(_BY_MEASURE.sub(" ", without_quotes(text).lower()).split())


def find_noun_type(text: str, code: str) -> NounType:
    """Return the entity type that a question asks for by its words, ``other`` by default.

    >>> find_noun_type("Jak nazywa się jadalnia na statku?", "what").type
    'other'
    >>> find_noun_type("Jak nazywał się statek?", "what").rule
    "the noun 'statek' behind the question word"
    """
    last_sentence = sentences(text)[-1]
    normalised = normalise(last_sentence)

    if code in {"how-much", "how-adj"}:
        return NounType("quantity", f"question class {code}")
    if code == "how-many":
        # a unit after *ile* or a verb of measuring asks for a quantity
        unit_match = pattern("unit").search(normalised) or pattern("measure").search(normalised)
        if unit_match is None:
            return NounType("count", f"question class {code}")
        unit = unit_match[unit_match.lastindex or 0]
        return NounType("quantity", f"how many of a unit ({unit!r})")

    if code == "when":
        day_match = pattern("day").search(normalised)
        if day_match:
            return NounType("day", f"when, and {day_match[0]!r}")
        return NounType("year", "when")

    if code in _TYPE_BY_CODE:
        return NounType(_TYPE_BY_CODE[code], f"question class {code}")

    for type_ in _PHRASE_TYPES:
        phrase_match = pattern(f"{type_} phrase").search(normalised)
        if phrase_match:
            return NounType(type_, f"the phrase {phrase_match[0]!r}")
    if pattern("spell out").search(normalised):
        return NounType("organisation", "an abbreviation to spell out")

    noun_type = _type_by_noun(normalised, code)
    if noun_type.known and code != "none":
        return noun_type
    # without a question word, the options of a choice give the type
    return type_of_option(last_sentence) or noun_type


def type_of_option(text: str) -> NounType | None:
    """Return the type of the last option of a choice, by a noun in it or else by its form.

    >>> type_of_option("Młyn spalono w Ulm czy w Dee?")
    NounType(type='city', rule='the shape of the last option: city', known=True)
    """
    options = pattern("choice").split(text)
    if len(options) < 2:
        return None
    option = options[-1].strip()
    for word in WORD.findall(option.lower()):
        noun_type = type_of_noun(word)
        if noun_type:
            return NounType(noun_type, f"the noun {word!r} in the last option")
    for type_ in _OPTION_TYPES:
        if pattern(f"{type_} option").match(option):
            return NounType(type_, f"the shape of the last option: {type_}")
    return None


def _type_by_noun(normalised: str, code: str) -> NounType:
    """Return the type of the noun that follows the question word, or a verb of naming."""
    if normalised.rstrip(" ?").endswith(("...", "…")):
        return NounType("other", "a sentence to complete", known=False)

    location = "behind the question word"
    naming_match = pattern("naming").search(normalised)
    words = WORD.finditer(normalised)
    asking_match = next((word for word in words if _matches("question word", word[0])), None)
    if naming_match:
        clause = normalised[naming_match.end() :]
    elif asking_match:
        clause = normalised[asking_match.end() :]
    elif code == "none" and not normalised.endswith("?"):
        return NounType("other", "no question word", known=False)
    else:  # "Autor powieści?" asks for the first noun
        clause = pattern("command").sub("", normalised)
        location = "at the start"

    unknown_type = NounType("other", "no noun tells", known=False)
    noun = _first_noun(re.split(r"[,;:–]", clause)[0])
    if noun is None:
        return unknown_type

    rule = f"the noun {noun!r} {location}"
    # of satellites, only those that people built are no moons
    satellite_match = pattern("satellite").search(clause)
    if satellite_match and noun == satellite_match[1]:
        return NounType("vehicle", rule)

    noun_type = type_of_noun(noun)
    if noun_type is None:
        return unknown_type

    # "which horse" asks for a breed, "what was the horse called" for a name
    if noun_type == "animal" and not naming_match:
        return unknown_type
    # "what is a woman called who ..." asks for a word, "what was the woman called" for a name
    is_called_today = naming_match and pattern("named today").search(naming_match[0])
    if is_called_today and _matches("generic", noun):
        return unknown_type
    return NounType(noun_type, rule)


def _first_noun(clause: str) -> str | None:
    """Return the first noun after modifiers and phrases with a preposition; None if none is near.

    It is the word that is no modifier, in the table of nouns or not.
    """
    in_phrase = False
    words: list[str] = WORD.findall(clause)
    for word in words[:_MAX_WORDS]:
        is_noun = type_of_noun(word) is not None or is_unnamed_noun(word)
        is_modifier = _matches("modifier", word) and not is_noun
        if _matches("preposition", word):
            in_phrase = True
        elif in_phrase:
            # the phrase ends with its noun, or with "r." after a year
            in_phrase = is_modifier and word != "r"
        elif not is_modifier:
            return word
    return None


def _matches(name: str, word: str) -> bool:
    """Return whether a whole word matches a pattern of ``data/patterns.tsv``."""
    return pattern(name).fullmatch(word) is not None

"""The types of named things of PolQA for Polish questions, by the noun after the question word."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from qaldgen.features.text.languages import LabelWithRule
from qaldgen.features.text.letters import sentences, without_quotes
from qaldgen.features.text.taxonomies import allowed_type
from qaldgen.io.packages import packaged

_TABLE = packaged(Path(__file__).resolve().parent / "data" / "nouns.tsv")
#: Case endings of nouns, and of adjectives that are used as nouns.
_ENDING = r"(?:i?(?:a|e|ę|ą|o|u|em|om|ami|ach|ów|owi|owie|mi|ego|emu|ej)?|y|ym|ymi|ych|im|imi|ich)"
#: What becomes of the end of a stem before the -e of the locative (*poeta, poecie*) and the -i or
#: -y of persons in the plural (*poeci*); the first that fits.
_SOFTENED = (
    ("ch", ("sze", "si")), ("st", ("ście", "ści")), ("zd", ("ździe",)), ("sł", ("śle",)),
    ("sn", ("śnie",)), ("zn", ("źnie",)), ("t", ("cie", "ci")), ("d", ("dzie", "dzi")),
    ("r", ("rze", "rzy")), ("ł", ("le", "li")), ("k", ("ce", "cy")), ("g", ("dze", "dzy")),
    ("c", ("cze",)),
)  # fmt: skip
#: An e is inserted where no ending follows: *aktorka, aktorek*; *chłopca, chłopiec*.
_FLEETING = re.compile(r"(?<=[^aąeęioóuy])(?=[kłnw]$)")
#: Ends of words for persons: most of these nouns are in no table.
_PERSON_STEMS = (
    *("[iy]st", "[iy]stk", "olog(?!i)", "ograf(?!i)", "ator", "atork", "yktor", "yktork"),
    *("owc", "czyk", "[ij]anin"),
)


def _forms(stem: str) -> str:
    """Return a pattern of the forms of a noun, from the stem that its case endings follow."""
    forms = [stem + _ENDING]
    for old, new in _SOFTENED:
        if stem.endswith(old):
            base = stem.removesuffix(old)
            # *gwiazda, gwieździe*; *kościół, kościele*
            bases = dict.fromkeys((base, re.sub("i[ao]$", "ie", base)))
            forms += [base + end for base in bases for end in new]
            break
    if _FLEETING.search(stem):
        forms.append(_FLEETING.sub("e", stem))
    if re.search("[^aąeęioóuy]c$", stem):
        forms.append(stem[:-1] + "iec")
    return "|".join(forms)


# -arz and -erz have no locative in -e: there, a noun in -r is more likely (*zegar, zegarze*)
_PERSON = re.compile(rf"\w{{2,}}(?:{'|'.join(map(_forms, _PERSON_STEMS))}|[aeo]rz(?!e$){_ENDING})")


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    patterns: dict[str, list[str]] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, _, nouns = line.partition("\t")
        for noun in nouns.split():
            if noun.endswith("*"):  # a stem
                noun = _forms(noun.removesuffix("*"))
            patterns.setdefault(kind, []).append(noun)
    return {kind: re.compile("|".join(nouns)) for kind, nouns in patterns.items()}


# cached, as an unknown word is tried against the whole table
@lru_cache(maxsize=10_000)
def type_of_noun(noun: str) -> str | None:
    """Return the type of the named things that a lower-case noun is used for; None if unknown.

    >>> [type_of_noun(noun) for noun in ("rzece", "pianistka", "młyn")]
    ['river', 'person', None]
    """
    for kind, nouns in _patterns().items():
        if kind != "unnamed" and nouns.fullmatch(noun):
            return kind
    if not names_unnamed(noun) and _PERSON.fullmatch(noun):
        return "person"
    return None


@lru_cache(maxsize=10_000)
def names_unnamed(noun: str) -> bool:
    """Return whether a lower-case noun is used for things without names of their own.

    >>> [names_unnamed(noun) for noun in ("zwierzęcia", "organu", "organizacja")]
    [True, True, False]
    """
    return _patterns()["unnamed"].fullmatch(noun) is not None


_OPTION_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_OPTIONS = re.compile(r"\bczy\b|[:–—-][^?]*\b(?:lub|albo|bądź)\b")
#: The form of the last option of a choice to its type, if it has no noun of the table.
_SHAPES = (
    (re.compile(r"(?:\w{1,3} )?(?:Afry[ck]|Azj|Europ|Amery[ck]|Antarkty)\w+\W*$"), "continent"),
    (
        re.compile(
            r"(?:\w{1,3} )?(?:Pols|Niem|Czech|Słowac|Słoweni|Węg(?:ier|r)|Austri|Szwajcari|Franc"
            r"|Hiszpan|Portugali|Włoch|Włosz|Grec|Turc|Bułgari|Rumuni|Serbi|Chorwac"
            r"|Albani|Ukrain|Białorus|Litw|Łotw|Estoni|Finlandi|Szwec|Norwe[gs]|Dani[aię]"
            r"|Islandi|Irlandi|Angli|Szkoc|Wali|Holandi|Belgi|Rosj|Gruz|Armeni|Chin|Japoni|Kore"
            r"|Indi[ei]|Iran|Irak|Izrael|Egip|Maro[ck]|Algieri|Tunezj|Libi|Etiopi|Keni|Niger|Kanad"
            r"|Meksyk|Kub|Brazyli|Argentyn|Chile|Peru|Boliwi|Kolumbi|Wenezuel|Urugwaj|Paragwaj"
            r"|Ekwador|Tajlandi|Wietnam|Mongoli|Kazachsta"
            r"|Australi|USA|Stan\w+ Zjednoczon)\w*\W*$"
        ),
        "country",
    ),
    (re.compile(r"\W*[„\"«]"), "title"),
    (re.compile(r"(?:[wz]e?|do|na|nad|pod) [A-ZŁŚŻŹĆ]\w+\W*$"), "city"),
    (re.compile(r"(?:[A-ZŁŚŻŹĆ][\w.-]+ ){1,2}[A-ZŁŚŻŹĆ][\w-]+\W*$"), "person"),
    (re.compile(r"[-+]?\d"), "quantity"),
)


def type_of_option(text: str) -> LabelWithRule | None:
    """Return the type of the last option of a choice, by a noun in it or else by its shape.

    >>> type_of_option("Młyn spalono w Ulm czy w Dee?")
    LabelWithRule(label='city', rule='the shape of the last option: city')
    """
    options = _OPTIONS.split(text)
    if len(options) < 2:
        return None
    last = options[-1].strip()
    for word in _OPTION_WORD.findall(last.lower()):
        kind = type_of_noun(word)
        if kind:
            return LabelWithRule(kind, f"the noun {word!r} in the last option")
    shape = next((kind for shape, kind in _SHAPES if shape.match(last)), None)
    if not shape:
        return None
    return LabelWithRule(shape, f"the shape of the last option: {shape}")


_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
#: A verb of measuring, or a unit among the three words after *ile*, asks for a quantity.
_MEASURE = re.compile(r"\b(?:wynosi\w*|waż[yą]\w*|kosztuj\w*|kosztowa\w*|mierzy\w*|trwa\w*)\b")
_UNIT = re.compile(
    r"\bil[eu]\w*(?: \w+){0,2}? (lat|wzrost\w*|wieków|dni|tygodni|miesięcy|godzin\w*|minut\w*"
    r"|sekund\w*|czasu|\w*metr(?:y|ów|a)|mil|cali|stóp|jardów|stopni\w*|procent\w*|promil\w*"
    r"|\w*gram(?:y|ów|a)?|ton|karat\w*|\w*litr(?:y|ów|a)?|hektar\w*|\w*wat(?:y|ów)|wolt\w*"
    r"|złotych|euro|dolarów|groszy|funtów|rubli|franków|kalori\w*|bajt\w*|bit\w*)\b"
)
_DAY = re.compile(r"\b(?:urodził\w*|zmarł\w*|dniu|obchodz\w*|święt\w*)\b")
_ASKS = re.compile(r"(?:któr|jak|czyj)[^\W\d_]*|jacy|co|czego|czym|kto|kogo|kim|komu")
# the answer to *where* is a town more often than anything else
_BY_CODE = {"who": "person", "whom": "person", "whose": "person", "where": "city"}
#: The states of matter, people and things have no names of their own.
STATE_OF = re.compile(
    r"\bstan\w* (?:skupienia|cywiln\w+|zdrowia|umysłu|ducha|konta|wody|techniczn\w+|chorobow\w+)"
)
#: Fixed phrases to their type, in order of priority.
_PHRASES = (
    (re.compile(r"\bimię i nazwisko\b"), "person"),
    (re.compile(r"\bwabi\w*"), "animal"),
    (re.compile(r"\bna imię\b"), "name"),
    (STATE_OF, "other"),
    (re.compile(r"^skrót\w* (?:od|dla|nazwy)\b"), "organisation"),
    # at what age, not in which century
    (
        re.compile(r"\bw jakim wieku (?:\w+ )?(?:był\w*|z?umar\w*|zmar\w*|zgin\w*|zosta\w*)"),
        "quantity",
    ),
)
#: Asks for the full name of an abbreviation, which is nearly always an organisation.
_SPELT_OUT = re.compile(r"\b(?:rozwi(?:ń|nąć|nięcie)|rozszyfr\w+) skrót\w*")
#: How many words behind the question word, or a verb of naming, are looked at.
_NEAR = 12
_PREPOSITION = re.compile(
    r"we?|na|nad|po|pod|przy|przez|do|od|za|dla|o|u|podczas|według|między|zwan\w*|ps|ku|przed"
)
#: What ends a phrase with a preposition although it is not in the table of nouns.
_DATE_END = re.compile(r"r|roku|lat|latach|wieku|w")
#: Words before the noun that gives the type: adjectives and participles, adverbs, numbers,
#: pronouns, verbs of naming and being, months, and words for "name".
_BEFORE_NOUN = re.compile(
    r"\w*(?:sk|ck|dzk|ek|ok|ug|og|ęg|iąg)(?:i|ie|iego|iej|im|imi|ich)"
    r"|\w*(?:sk|ck|dzk|ok|ług)(?:a|ą)"
    r"|\w{2,}(?:n|ow|aw|iw|yw|at|ist|yst|ast|sz|cz|ż|on|an|en|t|ł|rz|ch|d|r)"
    r"(?:y|e|ego|ej|ym|ymi|ych|ą)"
    r"|\w{2,}(?:n|ow|at|ist|sz|cz|on|an|en|ąc|yw|iw|ał|ęt|ut)a|\w+ąc(?:y|e|ego|ej|ym|ą)"
    r"|\w+[dtśzłw]ni(?:a|ą|ego|ej|m|mi|ch)?|\w+(?:(?<![aei])nie|owo|wie|sko|cko|ło)"
    r"|naj\w+|dziś|dzisiaj|kiedyś|niegdyś|dawniej|tzw"
    r"|bardzo|z|ze|spośród|się|to|ta|ten|te|jest|są|był\w*|jeden|jedn(?:a|o|ej|ego|ą|ym|i|ych)"
    r"|inn\w*|mał[yae]\w*"
    r"|duż\w*|pierwsz\w*|drug\w*|trzec\w*|ostatni\w*|\w*wielk\w*|ii|iii|iv|xx|xix|[\d.]+|r"
    r"|nazw\w*|mian\w*|nosi\w*|nosz\w*|brzmi\w*|ma|mają|mia[łl]\w*|kryptonim\w*|tytułow\w*"
    r"|skrót\w*|dw[aóiu]\w*|trzy|ob[aiu]\w*|tak\w*|główn\w*|rodzim\w*|stycznia|lutego|marca"
    r"|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia|cał\w*"
)
_NAMING = re.compile(
    r"\bjak(?: \w+){0,3}? (?:nazyw\w*|zwał\w*|zwie|zwan\w*|nazwan\w*)(?: się)?"
    r"|\bnosi\w* (?:imię|nazwę|tytuł)"
)
#: Words for persons and numbers that are hardly ever asked for by "what ... called".
_GENERIC = re.compile(
    r"pan(?:a|em|i|ią)?|kobiet\w*|mężczyzn\w*|dziewczyn\w*|chłop\w*|człowiek\w*|właściciel\w*"
    r"|żołnierz\w*|lekar\w*|zawodni\w*|pilot\w*|zakonni\w*|działacz\w*|muzy[kc]\w*|śpiewa\w*"
    r"|tancer\w*|inżynier\w*|trener\w*|żon\w*|mąż|syn\w*|córk\w*|brat\w*|siostr\w*"
    r"|mat(?:ka|ki|kę)|ojci?ec|ojca|uczeń|ucznia|liczb\w*|cyfr\w*|numer\w*|osob\w*|liter\w*"
)
#: The satellites that people build; all others are moons.
_LAUNCHED = re.compile(r"\b(?:sztuczn\w*|\w+[sc]k(?:i|iego|im)) (satelit\w*)")
_TODAY = re.compile(r"nazywa(?:my|ją|no)?\b")
_COMMAND = re.compile(r"^(?:proszę )?(?:poda[ćj]\w*|wymie[nń]\w*|wskaż\w*|określ\w*|nazwij\w*) ")


def entity_type(text: str, code: str, category: str) -> str:
    """Return the type of the thing that a question asks for, one of `ENTITY_TYPES`.

    The noun that follows the question word decides; adjectives and other modifiers are skipped.

    >>> texts = ("W którym mieście stoi młyn?", "Który młyn spłonął?")
    >>> [entity_type(text, "which", "resource") for text in texts]
    ['city', 'other']
    """
    stated = type_in_words(text, code)
    type_ = stated.type if stated.known else None
    return allowed_type(type_, code, category)


#: Says by which measure, and asks nothing: the second *co do wielkości* town.
_BY_MEASURE = re.compile(r"\bco do \w+")


def plain_words(text: str) -> str:
    """Return the words of a text in small letters, without quotations and measures.

    >>> plain_words("Drugie co do wielkości miasto „Ulm”?")
    'drugie miasto ?'
    """
    return " ".join(_BY_MEASURE.sub(" ", without_quotes(text).lower()).split())


class NounType(NamedTuple):
    """A type, and the rule that gives it."""

    type: str
    rule: str
    #: Whether a word in the question gives the type; False for ``other`` by default.
    known: bool = True


def type_in_words(text: str, code: str) -> NounType:
    """Return the type that the words tell, and by which rule; ``other`` where none tells.

    >>> type_in_words("Jak nazywa się jadalnia na statku?", "what").type
    'other'
    >>> type_in_words("Jak nazywał się statek?", "what").rule
    "the noun 'statek' behind the question word"
    """
    last = sentences(text)[-1]
    plain = plain_words(last)
    if code in {"how-many", "how-much", "how-adj"}:
        if code != "how-many":
            return NounType("quantity", f"question class {code}")
        unit_match = _UNIT.search(plain) or _MEASURE.search(plain)
        if unit_match is None:
            return NounType("count", f"question class {code}")
        unit = unit_match[unit_match.lastindex or 0]
        return NounType("quantity", f"how many of a unit ({unit!r})")
    if code == "when":
        day_match = _DAY.search(plain)
        if day_match:
            return NounType("day", f"when, and {day_match[0]!r}")
        return NounType("year", "when")
    if code in _BY_CODE:
        return NounType(_BY_CODE[code], f"question class {code}")
    for phrase, kind in _PHRASES:
        phrase_match = phrase.search(plain)
        if phrase_match:
            return NounType(kind, f"the phrase {phrase_match[0]!r}")
    if _SPELT_OUT.search(plain):
        return NounType("organisation", "an abbreviation to spell out")
    by_noun = _by_noun(plain, code)
    if by_noun.known and code != "none":
        return by_noun
    # without a question word, the options of a choice give the type
    option = type_of_option(last)
    if not option:
        return by_noun
    return NounType(option.label, option.rule)


def _by_noun(plain: str, code: str) -> NounType:
    """Return the type of the noun that follows the question word, or a verb of naming.

    Modifiers and phrases with a preposition are skipped. The first other word is the noun; if it is
    not in the table, the type is unknown, as the words after it only describe it.
    """
    naming_match = _NAMING.search(plain)
    if plain.rstrip(" ?").endswith(("...", "…")):
        return NounType("other", "a sentence to complete", known=False)
    place = "behind the question word"
    if naming_match:
        clause = plain[naming_match.end() :]
    else:
        words = list(_WORD.finditer(plain))
        asking_match = next((word for word in words if _ASKS.fullmatch(word[0])), None)
        if asking_match is None and code == "none" and not plain.endswith("?"):
            return NounType("other", "no question word", known=False)
        # without a question word ("Autor powieści?") the first noun is what is asked for
        if asking_match:
            clause = plain[asking_match.end() :]
        else:
            clause = _COMMAND.sub("", plain)
            place = "at the start"
    is_called_today = naming_match is not None and _TODAY.search(naming_match[0]) is not None
    satellite_match = _LAUNCHED.search(clause)
    launched = satellite_match and satellite_match[1]
    after_preposition = False
    for word in _WORD.findall(re.split(r"[,;:–]", clause)[0])[:_NEAR]:
        if _PREPOSITION.fullmatch(word):
            after_preposition = True
            continue
        if after_preposition and _DATE_END.fullmatch(word):
            after_preposition = False
            continue
        kind = type_of_noun(word)
        if word == launched:
            kind = "vehicle"
        # "which horse" asks for a breed, "what was the horse called" for a name
        if kind == "animal" and not naming_match:
            break
        if kind and not after_preposition and not (is_called_today and _GENERIC.fullmatch(word)):
            return NounType(kind, f"the noun {word!r} {place}")
        is_modifier = _BEFORE_NOUN.fullmatch(word) and not kind and not names_unnamed(word)
        if not after_preposition and not is_modifier:
            break
        # a preposition, its adjectives and numbers, and then its noun, which ends the phrase
        after_preposition = after_preposition and bool(is_modifier)
    return NounType("other", "no noun tells", known=False)

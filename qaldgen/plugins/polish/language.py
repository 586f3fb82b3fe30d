"""Polish questions by their form: question words, commands, and PolQA's question types.

Our own rules, on the text alone, for the classes that Rybak et al. (PolQA, 2022) labelled by hand:
formulation (plain, command, compound), information sought (six classes) and kind of answer entity
(named, unnamed, yes-no). The gold answers are not used, so the kind of entity is a guess, right in
about 85 %.

`code` is the class of a question by `wh_type`, `category` that of its answer by
`expected_category`, and `plain` a sentence by `plain_words`.
"""

from __future__ import annotations

import re

from qaldgen.features.text.answer_type import CATEGORIES
from qaldgen.features.text.languages import LabelWithRule, Language, label_features
from qaldgen.features.text.letters import FeatureValue, sentences, without_quotes, word_set
from qaldgen.plugins.polish.nouns import (
    STATE_OF,
    entity_type,
    names_unnamed,
    plain_words,
    type_in_words,
    type_of_noun,
)

_W = r"[^\W\d_]*"
#: Question words to their class, in all their forms.
_QUESTION_WORDS = {
    **dict.fromkeys(("kto", "ktoż", "któż"), "who"),
    **dict.fromkeys(("kogo", "komu", "kim"), "whom"),
    **dict.fromkeys(
        word_set("czyj czyja czyje czyjego czyjej czyją czyim czyich czyi czyimi"), "whose"
    ),
    **dict.fromkeys(("co", "czego", "czym", "cóż"), "what"),
    **dict.fromkeys(
        word_set("jaki jaka jakie jakiego jakiej jakiemu jaką jakim jakich jakimi jacy"), "what"
    ),
    **dict.fromkeys(
        word_set("który która które którego której któremu którą którym których którymi którzy"),
        "which",
    ),
    **dict.fromkeys(("gdzie", "dokąd", "skąd", "którędy"), "where"),
    **dict.fromkeys(("kiedy", "odkąd"), "when"),
    **dict.fromkeys(("dlaczego", "czemu", "czemuż"), "why"),
    **dict.fromkeys(("ile", "ilu", "iloma", "ileż", "ilo"), "how-many"),
    "jak": "how",
}
_COMMANDS = re.compile(
    r"(?:proszę\b|(?:podaj|wymień|wskaż|określ|opisz|wyjaśnij|rozwiń|dokończ|uzupełnij|dopowiedz|"
    r"powiedz|napisz|nazwij|przetłumacz|odpowiedz|ułóż|oblicz|znajdź|wylicz|wypisz|zidentyfikuj|"
    r"rozszyfruj|zdefiniuj|dopisz|przypomnij|zapisz|wyraź|podać|wymienić|wskazać|określić|"
    r"dokończyć|uzupełnić|rozwinąć|nazwać)(?:cie|my)?\b)"
)
#: Asks to complete a sentence, with an imperative, a gap or dots.
_GAP = re.compile(
    r"\b(?:dokończ\w*|uzupełnij\w*|uzupełnić|dopowiedz\w*|dopisz\w*|brakuj\w+|"
    r"jakie słowo pominięto)\b|_{2,}|[^.]\.\.\.\s*\??$|…\s*\??$"
)
_OTHER_NAME = re.compile(
    rf"\b(?:pseudonim{_W}|przydom{_W}|przezwisk{_W}|kryptonim{_W}|skrót{_W}|skrótowc{_W}|rozwiń|"
    r"rozwinięci\w+|inaczej|potocznie|prawdziwe (?:imię|nazwisko)|(?:inna|dawna|inną|dawną|"
    r"druga|potoczna|potoczną|ludowa|ludową|zwyczajowa|pełna|pełną|oficjalna|oficjalną|polska|"
    rf"polską|łacińska|łacińską) nazw\w+|innymi słowy|synonim{_W}|zwan\w+ (?:był|jest|są|byli))\b"
)
_NOT_OTHER_NAME = re.compile(
    r"\b(?:z którego języka|o (?:przydomku|pseudonimie|kryptonimie)|pod pseudonimem|"
    rf"któr{_W} \w+ (?:nosił|używał|miał|ukrywał)\w*|kto )"
)
#: A topic, a dash, and then *czy*: still a yes/no question.
_CZY_TOPIC = re.compile(r"[–—-]\s*czy (?:to|jest|są|był|była|było|były|któr)")
_WHICH_LIST = re.compile(
    rf"\b(?:któr{_W}|co|kto|jak{_W})\b[^?:–—-]*[:–—-][^?]*\b(?:lub|albo|bądź)\b"
)
#: *czy* between two numbers joins them, and asks nothing.
_EITHER = re.compile(r"\b(?:jedno|dwu|jednego|dwóch)-? czy ")
#: Asks for several things by a numeral after the question word.
_SEVERAL = re.compile(
    rf"\b(?:któr|jak|jac){_W} (?:dwa|dwie|dwaj|dwóch|dwu|dwoma|dwiema|oba|obie|obaj|trzy|trzej|"
    r"trzech|cztery|czterej|czterech|pięć|kilka)\b|\b(?:dwaj|dwie|dwóch) któr"
)
#: Asks for several things in a command.
_SEVERAL_TO_NAME = re.compile(
    r"\b(?:dwa|dwie|dwóch|dwoje|oba|obie|obu|trzy|trzech|cztery|imiona|nazwy|tytuły|nazwiska|"
    rf"wszystki{_W})\b"
)
#: Words after *ile* that ask how much, not how many.
_MEASURED = re.compile(
    rf"\b(?:wynosi{_W}|waży{_W}|kosztuj{_W}|kosztował{_W}|mierzy{_W}|ma wzrostu|trwa{_W}|czasu|"
    r"wody|pieniędzy|energii|miejsca|procent)\b"
)
#: *Jak* asks for a name with these verbs, and for a manner otherwise.
_NAMING = re.compile(
    r"\bjak (?:\w+ ){0,4}(?:nazywa\w*|zwie|zwan\w+|zwał\w*|zwą|zwała|brzmi\w*|nazwan\w+|"
    r"nazwał\w*|określa\w*|nosi|mówi\w*)\b|\bjak\b[^,]* na imię\b|\bjak (?:\w+ )?wabi\w*"
)
_ADVERB = re.compile(
    rf"\bjak (?:długo|daleko|wysok{_W}|głębok{_W}|szerok{_W}|dług{_W}|duż{_W}|star{_W}|często|"
    rf"szybk{_W}|dawno|wiel{_W}|ciężk{_W}|licz{_W})\b"
)
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
#: Words between a question word and the clause before it: prepositions, forms of *być*.
_BEFORE = word_set(
    """w we na do z ze o od po pod nad przed przy za dla u przez ku między bez według wg dzięki
    podczas wobec jest są był była było były to oznacza znaczy tak"""
)


def wh_type(text: str) -> str:
    """Return the class of a Polish question, one of the classes for English.

    *Jaki* counts as what, *który* as which, *kogo, komu, kim* as whom, *ile* before a measure as
    how-much, *jak długo* etc. as how-adj, and *jak się nazywa* as what, because it asks for
    a name.

    >>> texts = ("Czy pada?", "W którym roku?", "Ile waży słoń?", "Jak się nazywa?", "Podaj wzór.")
    >>> [wh_type(text) for text in texts]
    ['yes-no', 'which', 'how-much', 'what', 'command']
    """
    codes = [_sentence_type(plain_words(sentence)) for sentence in sentences(text)]
    if "command" in codes:
        return "command"
    if is_yes_no(text):
        return "yes-no"
    asking = [code for code in codes if code not in {"none", "yes-no"}]
    return asking[-1] if asking else "none"


def is_yes_no(text: str) -> bool:
    """Return whether the last sentence of a question wants yes or no, and has no gap to fill."""
    return _GAP.search(plain_words(text)) is None and _yes_no(_last_sentence(text))


def _last_sentence(text: str) -> str:
    return plain_words(sentences(text)[-1]) if text.strip() else ""


def _sentence_type(plain: str) -> str:
    if _COMMANDS.match(plain):
        return "command"
    if _yes_no(plain):
        return "yes-no"
    words = _WORD.findall(plain)
    for place, word in enumerate(words):
        code = _QUESTION_WORDS.get(word)
        if not code or not (place == 0 or _asks(words, place, plain)):
            continue
        if code == "how" and _NAMING.search(plain):
            return "what"
        if code == "how" and _ADVERB.search(plain):
            return "how-adj"
        if code == "how-many" and _MEASURED.search(" ".join(words[place + 1 : place + 3])):
            return "how-much"
        return code
    return "none"


def _asks(words: list[str], place: int, plain: str) -> bool:
    """Return whether a question word inside a sentence asks, and opens no relative clause."""
    if words[place - 1] in {"a", "ale", "i", "to"}:
        return True
    # Polish puts a comma before every relative clause, before the preposition if there is one
    start = place - 1 if words[place - 1] in _BEFORE else place
    if start == 0 or place == len(words) - 1:
        return True
    comma = rf"{re.escape(words[start - 1])}\W*,\W*{re.escape(words[start])}\b"
    return re.search(comma, plain) is None


def _yes_no(plain: str) -> bool:
    """Return whether the only *czy* opens the question, or follows a topic and a dash."""
    count = len(re.findall(r"\bczy\b", _EITHER.sub(" ", plain)))
    if re.match(r"\W*(?:a |i )?czy\b", plain):
        return count == 1 and not _EITHER.search(plain)
    if count != 1 or not _CZY_TOPIC.search(plain):
        return False
    return not any(word in _QUESTION_WORDS for word in _WORD.findall(plain.split("czy")[0]))


def formulation(text: str, code: str) -> LabelWithRule:
    """Return how a question is put, with the rule that fired.

    >>> formulation("Młyn spłonął. Kto go podpalił?", "who")
    LabelWithRule(label='compound', rule='2 sentences')
    """
    count = len(sentences(text))
    if count > 1:
        return LabelWithRule("compound", f"{count} sentences")
    if code != "command":
        return LabelWithRule("plain", "one sentence that opens with no imperative")
    return LabelWithRule("command", f"opens with {plain_words(text).partition(' ')[0]!r}")


def sought(text: str, category: str = "resource") -> LabelWithRule:
    """Return what a Polish question wants, in PolQA's classes, with the rule that fired.

    The first that applies, by the last sentence: gap-filling, yes-no, entity-choice (a *czy*
    inside, or a choice of *lub, albo* after a colon or dash), multiple-entities, other-name,
    single-entity. A number or date is a single entity without another name.

    >>> sought("Młyn stoi w lesie czy nad stawem?")
    LabelWithRule(label='entity-choice', rule="'czy' inside the sentence")
    """
    plain = _last_sentence(text)
    gap_match = _GAP.search(plain_words(text))
    if gap_match:
        return LabelWithRule("gap-filling", f"asks to complete ({gap_match[0].strip()!r})")
    if _yes_no(plain):
        return LabelWithRule("yes-no", "one 'czy', which opens the question or follows its topic")
    if re.search(r"\bczy\b", plain):
        return LabelWithRule("entity-choice", "'czy' inside the sentence")
    if _WHICH_LIST.search(plain):
        return LabelWithRule(
            "entity-choice", "a list with 'lub', 'albo' or 'bądź' behind a colon or dash"
        )
    several_match = _SEVERAL.search(plain)
    if several_match is None and _COMMANDS.match(plain):
        several_match = _SEVERAL_TO_NAME.search(plain)
    if category != "literal-number" and several_match:
        return LabelWithRule("multiple-entities", f"asks for several ({several_match[0]!r})")
    has_names = category in {"literal-string", "resource"}
    may_want_other_name = has_names and not _NOT_OTHER_NAME.search(plain)
    other_name_match = _OTHER_NAME.search(plain)
    if may_want_other_name and other_name_match:
        return LabelWithRule("other-name", f"asks for another name ({other_name_match[0]!r})")
    return LabelWithRule("single-entity", "no other rule")


#: Asks what a thing was called: the past tense implies one particular thing.
_NAMED_THEN = re.compile(r"\bjak (?:\w+ ){0,3}(?:nazywał\w*|zwał\w*|nazwał\w*|nazwan\w+)\b")
_CALLED = re.compile(r"\bjak (?:\w+ ){0,6}?(?:nazyw\w*|zwie|zwan\w+|zwał\w*|nazwan\w*)\b")
_OWN_NAME = re.compile(r"\b(?:pseudonim\w*|przydom\w*|kryptonim\w*|skrót\w*|nazwisk\w*)\b")
#: Asks what someone is or was, so for an office or a trade.
_WHAT_PERSON = re.compile(r"\W*(?:z zawodu )?kim\b.*\b(?:był[aoiy]?|byli|jest|są|został[aoiy]?)\b")
#: Things that have names however they are described.
_ALWAYS_NAMED = word_set("name surname country state city continent")
#: Types whose names are words rather than things.
_STRINGS = word_set("name surname symbol title other")
_TIMES = word_set("day year century")
#: Asks for a rank or a shape with the words for a work and a person.
_NO_NAME = re.compile(
    r"\btytuł\w* (?:szlache|arystokra|nauko|honoro|książęc|monarsz|zawodow)\w+"
    rf"|\bpod jaką postaci\w*|{STATE_OF.pattern}"
)
#: Words that describe a single thing without a name: "the largest", "the only".
_UNIQUE = re.compile(
    r"\b(?:naj\w+|jedyn\w+|pierwsz\w+|ostatni\w*|drug\w+|stolic\w+|nasz\w*|bóg|bogini|patron\w*"
    r"|tytułow\w+|świata|europ\w+|główn\w+)\b"
)


def entity_kind(text: str, code: str, category: str) -> LabelWithRule:
    """Return the kind of the answer entity from the question alone, with the rule that fired.

    >>> text = "Jak nazywa się koło młyna?"
    >>> entity_kind(text, wh_type(text), "resource").rule
    'a definition: no name, number or superlative tells a single thing'
    """
    if category == "boolean":
        return LabelWithRule("yes-no", "yes or no is asked for")
    if category in {"literal-number", "literal-date"}:
        return LabelWithRule("named", "a number or a date is asked for")
    plain = _last_sentence(text)
    if code == "whom" and _WHAT_PERSON.match(plain):
        return LabelWithRule("unnamed", "asks what someone is ('kim')")
    if code in {"who", "whom", "whose", "where"}:
        return LabelWithRule("named", f"question class {code}")
    if code in {"why", "how"}:
        return LabelWithRule("unnamed", f"question class {code}")
    if _defines(text, plain, code):
        return LabelWithRule(
            "unnamed", "a definition: no name, number or superlative tells a single thing"
        )
    if re.match(r"\W*(?:\w{1,3} )?(?:co|czego|czym)\b(?! (?:jest|był\w*) stolic)", plain):
        return LabelWithRule("unnamed", "opens with co, czego or czym")
    noun = _unnamed_noun(plain)
    if noun:
        return LabelWithRule("unnamed", f"a kind of thing without a name is asked for ({noun!r})")
    own_name_match = _OWN_NAME.search(plain)
    if own_name_match:
        return LabelWithRule("named", f"a name of its own is asked for ({own_name_match[0]!r})")
    if sought(text, category).label == "entity-choice":
        # by the words around the last *czy*, *lub* or *albo*
        parts = re.split(r"\b(?:czy|lub|albo|bądź)\b", sentences(text)[-1])
        last_choice = _WORD.findall(" ".join(parts[1:][-1:]))
        if any(word[:1].isupper() or word[:1].isdigit() for word in last_choice):
            why = "the last choice is written with a capital or has a number"
            return LabelWithRule("named", why)
        return LabelWithRule("unnamed", "the last choice is written small")
    # most things with a type have names
    stated = type_in_words(text, code)
    if stated.known:
        return LabelWithRule("named", f"{stated.type}: {stated.rule}")
    past_match = _NAMED_THEN.search(plain)
    if past_match:
        return LabelWithRule("named", f"asks what one thing was called ({past_match[0]!r})")
    if code != "none":
        return LabelWithRule("unnamed", "no noun tells what kind of name is asked for")
    unique_match = _UNIQUE.search(plain)
    if plain.endswith("?") and unique_match:
        return LabelWithRule("named", f"asks for one thing of its kind ({unique_match[0]!r})")
    return LabelWithRule("unnamed", "no question word")


def _defines(text: str, plain: str, code: str) -> bool:
    """Return whether a question for a name only describes a kind of thing, as a dictionary does."""
    stated = type_in_words(text, code)
    return (
        _CALLED.search(plain) is not None
        and stated.type not in _ALWAYS_NAMED
        # "What was the ship called?" is about one ship
        and not (_NAMED_THEN.search(plain) and stated.known)
        and _UNIQUE.search(plain) is None
        and without_quotes(text) == text
        and re.search(r"[^\W\d_a-zß-ÿąćęłńóśźż]|\d", text.strip()[1:]) is None
    )


def _unnamed_noun(plain: str) -> str | None:
    """Return the noun that asks for a thing without a name; None if there is none.

    The noun is one of the two words after the question word.
    """
    question_word_match = re.search(rf"\b(?:któr|jak){_W}((?: [^\W_]+){{0,2}})", plain)
    noun_phrase = question_word_match[1] if question_word_match else plain
    words: list[str] = _WORD.findall(noun_phrase)
    for word in words:
        if names_unnamed(word):
            return word
        if type_of_noun(word):
            break
    no_name_match = _NO_NAME.search(plain)
    return no_name_match[0] if no_name_match else None


_DATE = re.compile(
    rf"\b(?:któr|jak){_W} (?:roku|dniu|dnia|miesiącu|miesiąca|wieku|latach|godzinie|dekadzie|"
    r"dzień|wiek|rok|miesiąc)\b|\bdat[aęy]\b"
)


def expected_category(text: str, code: str) -> str:
    """Return the answer category (SMART) of a Polish question, by question word and noun."""
    if code == "yes-no" or (code == "command" and is_yes_no(text)):
        return "boolean"
    if code in {"how-many", "how-much", "how-adj"}:
        return "literal-number"
    if code in {"who", "whom", "whose", "where"}:
        return "resource"
    plain = plain_words(text)
    if code in {"how", "why"}:
        return "literal-string"
    stated = type_in_words(text, code)
    # the name of a thing is not a number
    if stated.known and stated.type in {"count", "quantity"} and not _CALLED.search(plain):
        return "literal-number"
    if code == "when" or _DATE.search(plain) or (stated.known and stated.type in _TIMES):
        return "literal-date"
    wants_wording = sought(text).label in {"gap-filling", "other-name"}
    # another name of an organisation, an event... still is the thing itself
    is_entity = stated.known and stated.type not in _STRINGS
    if wants_wording and not is_entity:
        return "literal-string"
    return "resource"


_MONTH = (
    "styczni\\w+|styczeń|lut(?:y|ego|ym)|mar(?:zec|ca|cu)|kwiecień|kwietni\\w+|maj(?:a|u)?|czerw"
    "(?:iec|ca|cu)|lip(?:iec|ca|cu)|sierpień|sierpni\\w+|wrzesień|wrześni\\w+|październik\\w*|"
    "listopad\\w*|grudzień|grudni\\w+"
)
_NUMBER = (
    "dw(?:a|ie|aj|óch|óm|oma|iema|oje)|obydw\\w+|trzy|trzej|trzech|trzem|trzema|troje|czter(?:y|"
    "ej|ech|em|ema)|pię(?:ć|ciu|cioma)|sześ(?:ć|ciu)|sied(?:em|miu)|os(?:iem|miu)|dziewię(?:ć|"
    "ciu)|dziesię(?:ć|ciu)|\\w+naście|\\w+nastu|\\w+dzieścia|\\w+dziesiąt|sto|stu|dwieście|"
    "trzysta|\\w+set|tysiąc\\w*|milion\\w*|miliard\\w*"
)
_ORDINAL = (
    "pierwsz(?:y|a|e|ego|ej|emu|ym|ą|ych|ymi)|pierwsi|drug(?:i|a|ie|iego|iej|iemu|im|ą|ich)|trzec"
    "(?:i|ia|ie|iego|iej|im|ią|ich)|(?:czwart|piąt|szóst|siódm|ósm|dziewiąt|dziesiąt|setn|"
    "\\w+nast|\\w+dziest)(?:y|a|e|ego|ej|emu|ym|ą|ych)|ostatni(?:a|e|ego|ej|emu|m|ą|ch)?"
)
_FLAGS = {
    "hasSuperlative": r"naj\w+(?:sz(?:y|a|e|ego|ej|emu|ym|ą|ych|ymi)|si|ej)",
    "hasComparative": (
        r"bardziej|mniej|więcej|niż|\w+(?:szy|sza|sze|szej|szego|szych|szym) od|starsz\w+|"
        r"młodsz\w+|większ\w+|mniejsz\w+|wyższ\w+|niższ\w+|dłuższ\w+|krótsz\w+|lepsz\w+|"
        r"gorsz\w+|częściej|rzadziej|wcześniej|później|równie"
    ),
    "hasNegation": (
        r"nie|bez|nigdy|nikt|nikogo|nic|niczego|żad(?:en|n\w+)|oprócz|poza|ani|wyjątkiem"
    ),
    "hasTemporal": (
        r"rok|roku|lat|lata|latach|wiek|wieku|wieków|dzień|dnia|dniu|dni|miesiąc\w*|tydzień|"
        # "przed, po, od, do" also refer to places: they count only before a number, a war, a death
        # or a birth
        r"tygodni\w*|godzin\w*|podczas|(?:przed|po|od|do) (?:\d+|wojn\w+|śmierc\w+|narodz\w+)|"
        r"zanim|dziś|dzisiaj|obecnie|teraz|"
        rf"niedawno|współcześnie|1\d{{3}}|20\d{{2}}|{_MONTH}"
    ),
    "hasOrdinal": rf"{_ORDINAL}|\d+\.(?= [a-ząćęłńóśźż])",
    "hasQuantifier": (
        r"wszy\w+|każd\w+|kilk\w+|wiel(?:e|u|oma)|niektó\w+|większość|ob(?:a|ie|aj|oje|u|"
        r"ydwa|ydwie)|co najmniej|przynajmniej|tylko|połow\w+"
    ),
    "hasConjunction": r"i|oraz|lub|albo|bądź|ani|a także|ale|zarówno|jak i",
    "hasNumber": rf"\d\w*|{_NUMBER}|(?-i:[IVX]{{2,}})",
}
#: Small words that may stand before a name.
_BEFORE_NAMES = word_set(
    """w we na do z ze od po pod nad przed przy za dla u o ku między przez królem królowa król
        książę papież święty święta św ks gen hrabia ulica ulicy rzeka rzeki jezioro
        morze morza góra góry wyspa wyspy stan stanie miasto kanał cieśnina zatoka
        pustynia powieść film opera serial pan pani bitwa bitwie wojna wojny to"""
)


def _features(text: str) -> dict[str, FeatureValue]:
    code = wh_type(text)
    category = expected_category(text, code)
    kind = entity_kind(text, code, category)
    features: dict[str, FeatureValue] = {
        "whType": code,
        **label_features("questionFormulation", formulation(text, code)),
        **label_features("informationSought", sought(text, category)),
        **label_features("answerEntityKind", kind),
    }
    type_of_entity = "other" if category == "boolean" else entity_type(text, code, category)
    if kind.label == "named":
        features["answerEntityType"] = type_of_entity
        features["answerEntityTypeRule"] = type_in_words(text, code).rule
    features["answerEntityTypeTold"] = type_of_entity
    features["expectedAnswerCategory"] = category
    features["expectedAnswerType"] = CATEGORIES[category]
    return features


POLISH = Language(_features, _FLAGS, _BEFORE_NAMES)

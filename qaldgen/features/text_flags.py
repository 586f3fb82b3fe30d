"""Yes-or-no features of the wording, by tables of words for English and Polish; quotations are not read.

The kinds are those of Mintaka (Sen et al. 2022: superlative, comparative, ordinal, count) and ComplexWebQuestions
(Talmor and Berant 2018: conjunction, comparative, superlative), with negation, time, quantifiers and numbers added.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from qaldgen.features.text_surface import FeatureValue, without_quotes

_NOT_SUPERLATIVE = (
    "west|midwest|northwest|southwest|east|northeast|southeast|forest|rainforest|test|contest|protest|interest|guest|quest"
    "|request|conquest|inquest|bequest|nest|chest|priest|harvest|arrest|invest|suggest|digest|ingest|manifest"
    "|honest|modest|rest|crest|vest"
    "|pest|fest|attest|detest|jest|zest|tempest|wrest|everest|budapest|bucharest|brest|trieste|est|molest|infest|northernmost"
)
_EN_NUMBER = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    "|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|dozens?"
)
_EN_ORDINAL = (
    "first(?! names?)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth"
    "|fourteenth|fifteenth|sixteenth"
    "|seventeenth|eighteenth|nineteenth|twentieth|thirtieth|hundredth|last|\\d+(?:st|nd|rd|th)"
)
_EN_COMPARED = (
    "more|less|fewer|larger|bigger|smaller|higher|lower|taller|shorter|older|younger|longer|greater|better|worse|earlier"
    "|faster|slower|richer|poorer|heavier|lighter|deeper|wider|hotter|colder|newer|farther|further|closer|stronger|weaker"
)
_PL_MONTH = (
    "styczni\\w+|styczeń|lut(?:y|ego|ym)|mar(?:zec|ca|cu)|kwiecień|kwietni\\w+|maj(?:a|u)?|czerw(?:iec|ca|cu)|lip(?:iec|ca|cu)"
    "|sierpień|sierpni\\w+|wrzesień|wrześni\\w+|październik\\w*|listopad\\w*|grudzień|grudni\\w+"
)
_PL_NUMBER = (
    "dw(?:a|ie|aj|óch|óm|oma|iema|oje)|obydw\\w+|trzy|trzej|trzech|trzem|trzema|troje|czter(?:y|ej|ech|em|ema)"
    "|pię(?:ć|ciu|cioma)"
    "|sześ(?:ć|ciu)|sied(?:em|miu)|os(?:iem|miu)|dziewię(?:ć|ciu)|dziesię(?:ć|ciu)|\\w+naście|\\w+nastu"
    "|\\w+dzieścia|\\w+dziesiąt"
    "|sto|stu|dwieście|trzysta|\\w+set|tysiąc\\w*|milion\\w*|miliard\\w*"
)
_PL_ORDINAL = (
    "pierwsz(?:y|a|e|ego|ej|emu|ym|ą|ych|ymi)|pierwsi|drug(?:i|a|ie|iego|iej|iemu|im|ą|ich)|trzec(?:i|ia|ie|iego|iej|im|ią|ich)"
    "|(?:czwart|piąt|szóst|siódm|ósm|dziewiąt|dziesiąt|setn|\\w+nast|\\w+dziest)(?:y|a|e|ego|ej|emu|ym|ą|ych)"
    "|ostatni(?:a|e|ego|ej|emu|m|ą|ch)?"
)
#: Feature to the words and phrases that set it, by language.
_TABLES: dict[str, dict[str, str]] = {
    "en": {
        "hasSuperlative": rf"(?!(?:{_NOT_SUPERLATIVE})\b)\w{{2,}}est|most|least(?<!at least)|best|worst|\w+most(?<!almost)|top",
        "hasComparative": rf"{_EN_COMPARED}|\w+er than|rather than|as \w+ as(?<!as well as)|than"
        rf"|compared (?:to|with)|same \w+ as",
        "hasNegation": r"not|no|never|none|nobody|nothing|nowhere|neither|nor|without|except|excluding|cannot"
        r"|\w+n't|other than",
        "hasTemporal": (
            r"before|(?<!named )(?<!called )after|during|since|until|till|ago|years?|months?|weeks?|days?|dates?"
            r"|century|centuries|decades?|today|currently"
            r"|now|nowadays|recent(?:ly)?|yesterday|tomorrow|tonight|ever|1\d{3}s?|20\d{2}s?|january|february"
            r"|april|(?:in|on|since|of|until|by) march|march \d+"
            r"|june|july|august|september|october|november|december|in may|may \d+|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
            r"|christmas|halloween|easter|same time"
        ),
        "hasOrdinal": _EN_ORDINAL,
        "hasQuantifier": (
            r"all|every|each|some|any|most|many|several|few|both|none|at least|at most|more than|less than"
            r"|fewer than|exactly|only"
            r"|half|majority|everyone|everybody|anyone"
        ),
        "hasConjunction": r"and|or|but|as well as|both|either|neither|nor|&",
        "hasNumber": rf"[\d.,]*\d\w*|{_EN_NUMBER}",
    },
    "pl": {
        "hasSuperlative": r"naj\w+(?:sz(?:y|a|e|ego|ej|emu|ym|ą|ych|ymi)|si|ej)",
        "hasComparative": r"bardziej|mniej|więcej|niż|\w+(?:szy|sza|sze|szej|szego|szych|szym) od|starsz\w+"
        r"|młodsz\w+|większ\w+|mniejsz\w+"
        r"|wyższ\w+|niższ\w+|dłuższ\w+|krótsz\w+|lepsz\w+|gorsz\w+|częściej|rzadziej|wcześniej|później|równie",
        "hasNegation": r"nie|bez|nigdy|nikt|nikogo|nic|niczego|żad(?:en|n\w+)|oprócz|poza|ani|wyjątkiem",
        "hasTemporal": rf"rok|roku|lat|lata|latach|wiek|wieku|wieków|dzień|dnia|dniu|dni|miesiąc\w*|tydzień"
        rf"|tygodni\w*|godzin\w*"
        rf"|przed|po|podczas|od|do|zanim|dziś|dzisiaj|obecnie|teraz|niedawno|współcześnie|1\d{{3}}|20\d{{2}}|{_PL_MONTH}",
        "hasOrdinal": rf"{_PL_ORDINAL}|\d+\.(?= [a-ząćęłńóśźż])",
        "hasQuantifier": r"wszy\w+|każd\w+|kilk\w+|wiel(?:e|u|oma)|niektó\w+|większość|ob(?:a|ie|aj|oje|u|ydwa"
        r"|ydwie)|co najmniej"
        r"|przynajmniej|tylko|połow\w+",
        "hasConjunction": r"i|oraz|lub|albo|bądź|ani|a także|ale|zarówno|jak i",
        "hasNumber": rf"[\d.,]*\d\w*|{_PL_NUMBER}|(?-i:[IVX]{{2,}})",
    },
}
# in Polish "przed, po, od, do" also mean places: they count only before a number, a year or a noun of time
_TABLES["pl"]["hasTemporal"] = _TABLES["pl"]["hasTemporal"].replace(
    "|przed|po|podczas|od|do|", r"|podczas|(?:przed|po|od|do) (?:\d+|wojn\w+|śmierc\w+|narodz\w+)|"
)


def _compiled(table: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(rf"(?<![\w'])(?:{words})(?!\w)", re.IGNORECASE) for name, words in table.items()}


_FLAGS = MappingProxyType({language: _compiled(table) for language, table in _TABLES.items()})
_DIGIT = re.compile(r"\d")
#: The features of this module.
NAMES = tuple(_TABLES["en"])


def flags(text: str, language: str, code: str = "") -> dict[str, FeatureValue]:
    """Return what the words of a question say; only hasNumber, by digits, for a language without tables.

    Parameters
    ----------
    text : str
        The question.
    language : str
        ``en`` and ``pl`` have tables.
    code : str, optional
        The question class: "how many" is a question word, no quantifier, and so is "most" in a superlative.
    """
    plain = " ".join(without_quotes(text.replace("’", "'")).split())
    table = _FLAGS.get(language)
    if table is None:
        return {"hasNumber": _DIGIT.search(text) is not None}
    if language == "en" and code == "how-many":
        plain = re.sub(r"\bhow many\b", " ", plain, flags=re.IGNORECASE)
    return {name: rule.search(plain) is not None for name, rule in table.items()}

"""The rules for questions in Polish, as a row of the table of languages."""

from __future__ import annotations

from qaldgen.features.text.answer_type import CATEGORIES
from qaldgen.features.text.languages import Language, ruled
from qaldgen.features.text.letters import FeatureValue, word_set
from qaldgen.plugins.polish.entity_type import entity_type, told_or_usual, told_type
from qaldgen.plugins.polish.text import (
    entity_kind,
    expected_category,
    formulation_ruled,
    sought,
    wh_type,
)

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
    "hasNumber": rf"[\d.,]*\d\w*|{_NUMBER}|(?-i:[IVX]{{2,}})",
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
    asked = entity_type(text, code, category, kind.label)
    told = told_type(text, code)
    type_rule = {"answerEntityTypeRule": told.rule}
    return {
        "whType": code,
        **ruled("questionFormulation", formulation_ruled(text, code)),
        **ruled("informationSought", sought(text, category)),
        **ruled("answerEntityKind", kind),
        **({"answerEntityType": asked, **type_rule} if asked else {}),
        "answerEntityTypeTold": told_or_usual(text, code, category)
        if category != "boolean"
        else "other",
        "expectedAnswerCategory": category,
        "expectedAnswerType": CATEGORIES[category],
    }


POLISH = Language(_features, _FLAGS, _BEFORE_NAMES)

"""PolQA's entity types for Polish questions, by the stem of the noun after the question word.

Our own rules, on the question alone. A noun that merely describes what is asked for misleads them,
so read the type as a hint.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from qaldgen.features.text.entity_type import fits
from qaldgen.features.text.surface import sentences, without_quotes

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
#: Type to the stems of its nouns; the first type wins if a word fits two.
_STEMS = {
    "century": r"wiek(?:u|i|ach|ów)?",
    "year": r"rok(?:u|iem|ach)?|lat(?:a|ach)?",
    "day": r"dzień|dni(?:a|u)|dat[aęy]",
    "period": r"miesiąc\w*|okres\w*|epo[kc]\w*|er[aęyz]e?|dekad\w*|por(?:a|ze|ę) roku|godzin\w*",
    "surname": r"nazwisk\w*",
    "name": r"imi(?:ę|enia|eniem|on\w*)",
    "dynasty": r"dynasti\w*|ród|rodu|rodzie",
    "archipelago": r"archipelag\w*",
    "continent": r"kontynen\w*",
    "country": r"państw\w*|kraj\w*|mocarstw\w*|królestw\w*",
    "state": r"stan(?:ie|u|ów)|województw\w*|prowincj\w*|region\w*|land\w*|kanton\w*",
    "city": (r"mi(?:asto|asta|eście|astem|ast)|miast\w*|stolic\w*|miejscowoś\w*|wsi|wieś|gród|"
        r"grodzie"),
    "range": r"gór|górach|górami|górom|pasm\w*|łańcuch\w*|masyw\w*",
    "mountain": r"gór(?:a|y|ę|ze|ą)|szczyt\w*|wulkan\w*|wzgórz\w*|wzniesieni\w*",
    "lake": r"jezior\w*|zalew\w*",
    "island": r"wysp\w*",
    "sea": r"mor(?:ze|za|zem|zu)|ocean\w*|zato[kc]\w*|cieśnin\w*",
    "river": r"rze(?:ka|ki|kę|ką|ce|k)|dopływ\w*",
    "band": r"zesp(?:ół|ołu|ole|ołem)|kapel\w*|grup\w*|duet\w*",
    "company": (r"firm\w*|koncern\w*|przedsiębiorstw\w*|spół(?:ka|ki|kę)|mar(?:ka|ki|kę|ce)|"
        r"wytwórni\w*"),
    "organisation": (r"urz[ąę]d(?:u|em|ów|zie)?|sąd|sądu|armi\w*|kabaret\w*|towarzystw\w*|"
        r"szko(?:ła|ły|le|łę)|organizacj\w*|klub\w*|drużyn\w*|parti\w*|uniwersyte\w*|uczelni\w*|zakon\w*|"
        r"stowarzyszeni\w*|instytucj\w*"),
    "nationality": r"lud(?:u|y|ów)?|plemi\w*|narodowoś\w*|nar(?:ód|odu|odem)",
    "vehicle": (r"jacht\w*|wahadłow\w*|łód[źz]\w*|łodzi|czołg\w*|prom\w*|krążownik\w*|statek|"
        r"statk\w*|okręt\w*|samoch(?:ód|odu)|samolot\w*|pojazd\w*|żaglow\w*|pancernik\w*"),
    "title": (r"operetk\w*|dramac\w*|sztu(?:ka|ce|ki|kę)|trylogi\w*|księg\w*|nowel\w*|pieśń|pieśni|"
        r"hymn\w*|rzeźb\w*|gr(?:a|y|ze|ę)|tytuł\w*|książ(?:ka|ki|kę|ce|kach|ek|ką)|film\w*|"
        r"powieś\w*|piosen(?:ka|ki|kę|ce|ek)|utw(?:ór|oru|orze)|dzieł\w*|oper(?:a|y|ę|ze)|"
        r"serial\w*|dramat\w*|wiersz\w*|poema\w*|obraz\w*|album\w*|gaze\w*|czasopis\w*|balet\w*|"
        r"komedi\w*|bajk\w*|baśń|baśni|nowel\w*"),
    "symbol": r"symbol\w*",
    "event": (r"akcj\w*|rewolucj\w*|olimpiad\w*|mistrzostw\w*|konferencj\w*|unia|uni[ęi]|"
        r"pok(?:ój|oju)|bitw\w*|wojn\w*|powstani\w*|festiwal\w*|turniej\w*|wydarzeni\w*|zawod(?:y|ach)|"
        r"igrzysk\w*|święt(?:o|a)"),
    "celestial-body": (r"planet\w*|gwiazd\w*|księżyc\w*|kome(?:ta|ty|tę)|"
        r"gwiazdozbi\w*|konstelacj\w*|galakty\w*|planetoid\w*"),
    "animal": r"ps(?:a|em|y)|pies|kon(?:ia|iem|ie)|koń|rumak\w*|niedźwie\w*",
    "building": (r"stadion\w*|pomnik\w*|rezydencj\w*|hal(?:a|i|ę)|wieżow\w*|opactw\w*|"
        r"teatr(?:u|ze|em)?|budyn\w*|budowl\w*|zam(?:ek|ku|kiem)|pałac\w*|kości(?:ół|oła|ele)|wież\w*|most\w*|"
        r"świątyni\w*|muze\w*|katedr\w*"),
    "place": (r"plac\w*|deptak\w*|cmentarz\w*|las|lesie|lasu|kosmodrom\w*|osad\w*|"
        r"twierdz\w*|jaskini\w*|miejsc\w*|dzielnic\w*|krain\w*|ulic\w*|"
        r"dolin\w*|pustyni\w*|półwysep|park\w*|obszar\w*"),
    "person": (r"wokalist\w*|członek|członk(?:a|iem|ini)|potom(?:ek|ka)|przedstawiciel\w*|tenor\w*|"
        r"uczeń|ucznia|uczni\w*|apostoł\w*|kancler\w*|muz(?:a|ie|ę)|opiekun\w*|przyrodnik\w*|"
        r"architek\w*|czarnoksi\w*|agent\w*|mistrz\w*|książ(?:ę|ęta)|hrabi\w*|kapitan\w*|"
        r"biskup\w*|prorok\w*|rycerz\w*|bogini\w*|herosa?|tenisist\w*|dyrektor\w*|sekretarz\w*|"
        r"kr[óo]l\w*|cesarz\w*|papież\w*|prezyden\w*|pisarz\w*|pisark\w*|poet\w*|aktor\w*|"
        r"malarz\w*|kompozytor\w*|uczon\w*|naukow\w*|reżyser\w*|władc\w*|książę|księci\w*|"
        r"autor\w*|bohater\w*|b[oó]g(?:a|iem|ini\w*)?|piosenkar\w*|święt(?:y|ego|ej)|polity\w*|"
        r"detektyw\w*|filozof\w*|fizy(?:k|ka|kiem)|artyst\w*|sportow\w*|piłkarz\w*|posta(?:ć|ci|"
        r"cią)|wódz|wodz\w*|twórc\w*|żon\w*|mąż|syn\w*|córk\w*|ojci?ec|ojca|mat(?:ka|ki|kę)|"
        r"brat\w*|siostr\w*|laureat\w*|generał\w*|astronom\w*|podróżni\w*|odkryw\w*|wynalaz(?:ca|"
        r"cy|cę)|premier\w*|sułtan\w*|faraon\w*|c(?:ar|ara|arem)|polak\w*|polk(?:a|i|ę)|mędrz\w*|"
        r"tytan\w*|nimf\w*"),
}  # fmt: skip
_TYPES = {kind: re.compile(stems) for kind, stems in _STEMS.items()}
#: Units and verbs of measuring: with them "ile" asks for a quantity.
_UNITS = re.compile(
    r"\b(?:wynosi\w*|waż[yą]\w*|kosztuj\w*|mierzy\w*|wzrost\w*|trwa\w*|lat|kilometr\w*|metr\w*|"
    r"stopni|kilogram\w*|litr\w*|procent\w*|godzin|minut|sekund|dni|czasu|gram\w*|ton)\b"
)
_DAY = re.compile(r"\b(?:urodził\w*|zmarł\w*|dniu|obchodz\w*|święt\w*)\b")
_ASKS = re.compile(r"(?:któr|jak|czyj)[^\W\d_]*|jacy|co|czego|czym|kto|kogo|kim|komu")
_BY_CODE = {"who": "person", "whom": "person", "whose": "person", "where": "place"}
#: How many words are searched after the question word, and after a verb of naming.
_NEAR, _NEAR_NAMING = 5, 3
_NAMING = re.compile(
    r"\bjak(?: \w+){0,3}? (?:nazyw\w*|zwał\w*|zwie|zwan\w*|"
    r"nazwan\w*)(?: się)?|\bnosi\w* (?:imię|nazwę|tytuł)"
)
_FIRST_NAME = re.compile(r"\bna imię\b|\bwabi\w*")


def entity_type(text: str, code: str, category: str, kind: str) -> str | None:
    """Return the type of the entity that a Polish question asks for, one of `ENTITY_TYPES`.

    The first word after the question word, within the clause, that names a type decides.

    Parameters
    ----------
    text : str
        The question.
    code, category, kind : str
        Its class, expected category and kind of answer entity, by `polish`.

    Returns
    -------
    str or None
        ``other`` if no other type fits; None if the answer has no name of its own, or is yes or no.

    Examples
    --------
    >>> texts = ("W którym mieście stoi młyn?", "Który młyn spłonął?")
    >>> [entity_type(text, "which", "resource", "named") for text in texts]
    ['city', 'other']
    """
    return fits(told_type(text, code).type, code, category) if kind == "named" else None


class Told(NamedTuple):
    """A type, and the rule that gives it."""

    type: str
    rule: str


def told_type(text: str, code: str) -> Told:
    """Return the type that the words suggest, with the rule; ``other`` if they suggest none.

    Parameters
    ----------
    text : str
        The question.
    code : str
        Its class, by `wh_type`.

    Examples
    --------
    >>> told_type("Jak nazywa się jadalnia na statku?", "what").type
    'vehicle'
    >>> told_type("Jak nazywał się statek?", "what")
    Told(type='vehicle', rule="the noun 'statek' behind the question word")
    """
    plain = " ".join(without_quotes(sentences(text)[-1]).lower().split())
    if "imię i nazwisko" in plain:
        return Told("person", "'imię i nazwisko'")
    if code in {"how-many", "how-much", "how-adj"}:
        unit = _UNITS.search(plain) if code == "how-many" else None
        how = f"how many of a unit ({unit[0]!r})" if unit else f"question class {code}"
        return Told("quantity" if code != "how-many" or unit else "count", how)
    if code == "when":
        day = _DAY.search(plain)
        return Told("day", f"when, and {day[0]!r}") if day else Told("year", "when")
    if code in _BY_CODE:
        return Told(_BY_CODE[code], f"question class {code}")
    if _FIRST_NAME.search(plain):
        return Told("name", "asks for a first name")
    return _by_noun(plain)


def _by_noun(plain: str) -> Told:
    """Return the type of the noun after the question word, nearer after a verb of naming."""
    naming = _NAMING.search(plain)
    if naming:
        clause, near = plain[naming.end() :], _NEAR_NAMING
    else:
        words = list(_WORD.finditer(plain))
        start = next((word for word in words if _ASKS.fullmatch(word[0])), None)
        clause, near = plain[start.end() :] if start else plain, _NEAR
    # the noun is in the same clause as the question word
    clause = re.split(r"[,;:–]", clause)[0]
    for word in _WORD.findall(clause)[:near]:
        kind = next((kind for kind, stems in _TYPES.items() if stems.fullmatch(word)), None)
        if kind:
            return Told(kind, f"the noun {word!r} behind the question word")
    return Told("other", "no noun tells")

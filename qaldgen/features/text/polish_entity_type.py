"""PolQA's types of named things for Polish questions, by the stem of the noun that follows the question word.

Rules of our own on the question alone; a noun that only describes what is asked for misleads them, so read the type as a hint.
"""

from __future__ import annotations

import re

from qaldgen.features.text.entity_type import fits
from qaldgen.features.text.surface import sentences, without_quotes

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
#: Type to the stems of its nouns; of a word that fits two types the first in this order is taken.
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
    "city": r"mi(?:asto|asta|eście|astem|ast)|miast\w*|stolic\w*|miejscowoś\w*|wsi|wieś|gród|grodzie",
    "range": r"pasm\w*|łańcuch\w*|masyw\w*",
    "mountain": r"gór(?:a|y|ę|ze|ą)|szczyt\w*|wulkan\w*|wzgórz\w*|wzniesieni\w*",
    "lake": r"jezior\w*|zalew\w*",
    "island": r"wysp\w*",
    "sea": r"mor(?:ze|za|zem|zu)|ocean\w*|zato[kc]\w*|cieśnin\w*",
    "river": r"rze(?:ka|ki|kę|ką|ce|k)|dopływ\w*",
    "band": r"zesp(?:ół|ołu|ole|ołem)|kapel\w*|grup\w*|duet\w*",
    "company": r"firm\w*|koncern\w*|przedsiębiorstw\w*|spół(?:ka|ki|kę)|mar(?:ka|ki|kę|ce)|wytwórni\w*",
    "organisation": r"organizacj\w*|klub\w*|drużyn\w*|parti\w*|uniwersyte\w*|uczelni\w*|zakon\w*|stowarzyszeni\w*|instytucj\w*",
    "nationality": r"narodowoś\w*|nar(?:ód|odu|odem)",
    "vehicle": r"statek|statk\w*|okręt\w*|samoch(?:ód|odu)|samolot\w*|pojazd\w*|żaglow\w*|pancernik\w*",
    "title": r"tytuł\w*|książ\w*|film\w*|powieś\w*|piosen\w*|utw(?:ór|oru|orze)|dzieł\w*|oper(?:a|y|ę|ze)|serial\w*|dramat\w*"
    r"|wiersz\w*|poema\w*|obraz\w*|album\w*|gaze\w*|czasopis\w*|balet\w*|komedi\w*|bajk\w*|baśń|baśni|nowel\w*",
    "symbol": r"symbol\w*",
    "event": r"bitw\w*|wojn\w*|powstani\w*|festiwal\w*|turniej\w*|wydarzeni\w*|zawod(?:y|ach)|igrzysk\w*|święt(?:o|a)",
    "celestial-body": r"planet\w*|gwiazd\w*|księżyc\w*|kome(?:ta|ty|tę)|gwiazdozbi\w*|konstelacj\w*|galakty\w*|planetoid\w*",
    "building": r"budyn\w*|budowl\w*|zam(?:ek|ku|kiem)|pałac\w*|kości(?:ół|oła|ele)|wież\w*|most\w*|świątyni\w*"
    r"|muze\w*|katedr\w*",
    "place": r"miejsc\w*|dzielnic\w*|krain\w*|ulic\w*|dolin\w*|pustyni\w*|półwysep|park\w*|obszar\w*",
    "person": r"kr[óo]l\w*|cesarz\w*|papież\w*|prezyden\w*|pisarz\w*|pisark\w*|poet\w*|aktor\w*|malarz\w*|kompozytor\w*|uczon\w*"
    r"|naukow\w*|reżyser\w*|władc\w*|książę|księci\w*|autor\w*|bohater\w*|b[oó]g(?:a|iem|ini\w*)?|piosenkar\w*|święt(?:y|ego|ej)"
    r"|polity\w*|detektyw\w*|filozof\w*|fizy(?:k|ka|kiem)|artyst\w*|sportow\w*|piłkarz\w*|posta(?:ć|ci|cią)|wódz|wodz\w*|twórc\w*|żon\w*|mąż"
    r"|syn\w*|córk\w*|ojci?ec|ojca|mat(?:ka|ki|kę)|brat\w*|siostr\w*|laureat\w*|generał\w*|astronom\w*|podróżni\w*|odkryw\w*"
    r"|wynalaz(?:ca|cy|cę)|premier\w*|sułtan\w*|faraon\w*|c(?:ar|ara|arem)|polak\w*|polk(?:a|i|ę)|mędrz\w*|tytan\w*|nimf\w*",
}  # fmt: skip
_TYPES = {kind: re.compile(stems) for kind, stems in _STEMS.items()}
_UNITS = re.compile(
    r"\b(?:wynosi\w*|waż[yą]\w*|kosztuj\w*|mierzy\w*|wzrost\w*|trwa\w*|lat|kilometr\w*|metr\w*|stopni|kilogram\w*|litr\w*|procent\w*"
    r"|godzin|minut|sekund|dni|czasu|gram\w*|ton)\b"
)
_DAY = re.compile(r"\b(?:urodził\w*|zmarł\w*|dniu|obchodz\w*|święt\w*)\b")
_ASKS = re.compile(r"(?:któr|jak|czyj)[^\W\d_]*|jacy|co|czego|czym|kto|kogo|kim|komu")
_BY_CODE = {"who": "person", "whom": "person", "whose": "person", "where": "place"}
_NEAR = 9


def entity_type(text: str, code: str, category: str, kind: str) -> str | None:
    """Return the type of the named thing that a Polish question asks for, one of `text_entity_type.ENTITY_TYPES`.

    The first of the eight words behind the question word that names a type decides; they end with the clause.

    Parameters
    ----------
    text : str
        The question.
    code, category, kind : str
        Its class, expected category and kind of answer entity, by `text_polish`.

    Returns
    -------
    str or None
        ``other`` for a named thing of no other type; None where the answer has no name of its own, or is yes or no.

    Examples
    --------
    >>> texts = ("W którym mieście stoi młyn?", "Który młyn spłonął?")
    >>> [entity_type(text, "which", "resource", "named") for text in texts]
    ['city', 'other']
    """
    return fits(_told(text, code), code, category) if kind == "named" else None


def _told(text: str, code: str) -> str:
    """Return the type that the words tell."""
    plain = " ".join(without_quotes(sentences(text)[-1]).lower().split())
    if "imię i nazwisko" in plain:
        return "person"
    if code in {"how-many", "how-much", "how-adj"}:
        return "quantity" if code != "how-many" or _UNITS.search(plain) else "count"
    if code == "when":
        return "day" if _DAY.search(plain) else "year"
    if code in _BY_CODE:
        return _BY_CODE[code]
    words = _WORD.findall(plain)
    start = next((at + 1 for at, word in enumerate(words) if _ASKS.fullmatch(word)), 0)
    clause = _WORD.findall(re.split(r"[,;:–]", plain[plain.find(words[start - 1]) :])[0]) if start else words
    return next((kind for word in clause[:_NEAR] for kind, stems in _TYPES.items() if stems.fullmatch(word)), "other")

"""PolQA's types of named things for Polish questions, by the noun after the question word.

Rules of our own on the question alone, developed on dev-0 of PolEval 2021. Without a tagger they
guess which word is the noun, so read the type as a hint.
"""

from __future__ import annotations

import re
from typing import NamedTuple

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
    "city": (
        r"mi(?:asto|asta|eście|astem|ast)|miast\w*|stolic\w*|miejscowoś\w*|wsi|wieś|gród|grodzie"
    ),
    "range": r"gór|górach|górami|górom|pasm\w*|łańcuch\w*|masyw\w*",
    "mountain": r"gór(?:a|y|ę|ze|ą)|szczyt\w*|wulkan\w*|wzgórz\w*|wzniesieni\w*",
    "lake": r"jezior\w*|zalew\w*",
    "island": r"wysp\w*",
    "sea": r"mor(?:ze|za|zem|zu)|ocean\w*|zato[kc]\w*|cieśnin\w*",
    "river": r"rze(?:ka|ki|kę|ką|ce|k)|dopływ\w*",
    "band": r"zesp(?:ół|ołu|ole|ołem)|kapel(?:a|i|ę|ą)|grup\w*|duet\w*",
    "company": (
        r"firm\w*|koncern\w*|przedsiębiorstw\w*|spół(?:ka|ki|kę)|mar(?:ka|ki|kę|ce)|wytwórni\w*"
    ),
    "organisation": (
        r"urz[ąę]d(?:u|em|ów|zie)?|sąd|sądu|armi\w*|kabare[tc]\w*|towarzystw\w*"
        r"|szko(?:ła|ły|le|łę)|organizacj\w*|klub\w*|drużyn\w*|parti\w*|uniwersyte\w*|uczelni\w*"
        r"|zakon\w*|stowarzyszeni\w*|instytucj\w*|policj\w*|służb\w*|gwardi\w*|wojsk\w*"
        r"|organ(?:u|em|y|ów|ie)?|trybunał\w*|bank(?:u|iem|i)?|agencj\w*|związ(?:ek|ku|kiem)"
        r"|formacj\w*|dywizj\w*|pułk\w*|izb\w*|akademi\w*|sejm\w*|rzą[dt]\w*"
    ),
    "nationality": r"lud(?:u|y|ów)?|plemi\w*|narodowoś\w*|nar(?:ód|odu|odem)",
    "vehicle": (
        r"jacht\w*|wahadłow\w*|łód[źz]\w*|łodzi|czołg\w*|prom(?:u|em|ie|y)?|krążownik\w*|statek"
        r"|statk\w*|okręt\w*|samoch(?:ód|odu)|samolot\w*|pojazd\w*|żaglow\w*|pancernik\w*"
    ),
    "title": (
        r"operetk\w*|dramac\w*|sztu(?:ka|ce|ki|kę)|trylogi\w*|księg\w*|nowel\w*|pieśń|pieśni"
        r"|hymn\w*|rzeźb\w*|gr(?:a|y|ze|ę)|tytuł\w*|książ(?:ka|ki|kę|ce|kach|ek|ką)|film\w*"
        r"|powieś\w*|piosen(?:ka|ki|kę|ce|ek)|utw(?:ór|oru|orze)|dzieł\w*|oper(?:a|y|ę|ze)"
        r"|serial\w*|dramat\w*|wiersz\w*|poema\w*|obraz(?:u|em|ie|y|ów)?|album(?:u|em|ie|y|ów)?"
        r"|gaze\w*|czasopis\w*|balet\w*|komedi\w*|bajk\w*|baśń|baśni|nowel\w*"
    ),
    "symbol": r"symbol\w*",
    "event": (
        r"akcj\w*|rewolucj\w*|olimpiad\w*|mistrzostw\w*|konferencj\w*|unia|uni[ęi]|pok(?:ój|oju)"
        r"|bitw\w*|wojn\w*|powstani\w*|festiwal\w*|turniej\w*|wydarzeni\w*|zawod(?:y|ach)"
        r"|igrzysk\w*|święt(?:o|a)"
    ),
    "celestial-body": (
        r"planet\w*|gwiazd\w*|księżyc\w*|kome(?:ta|ty|tę)|gwiazdozbi\w*|ciał(?:o|a|em)"
        r"|konstelacj\w*|galakty\w*|planetoid\w*"
    ),
    "quantity": (
        r"numer\w*|liczb\w*|cyfr\w*|temperatur\w*|prędkoś\w*|wysokoś\w*|długoś\w*|odległoś\w*"
    ),
    "animal": r"ps(?:a|em|y)|pies|kon(?:ia|iem|ie)|koń|rumak\w*|niedźwie\w*",
    "building": (
        r"stadion\w*|pomnik\w*|rezydencj\w*|hal(?:a|i|ę)|wieżow\w*|opactw\w*|teatr(?:u|ze|em)?"
        r"|budyn\w*|budowl\w*|zam(?:ek|ku|kiem)|pałac\w*|kości(?:ół|oła|ele)|wież\w*|most\w*"
        r"|świątyni\w*|muze\w*|katedr\w*"
    ),
    "place": (
        r"plac\w*|deptak\w*|cmentarz\w*|las|lesie|lasu|kosmodrom\w*|osad\w*|twierdz\w*"
        r"|jaskini\w*|miejsc\w*|dzielnic\w*|krain\w*|ulic\w*|dolin\w*|pustyni\w*|półwysep"
        r"|park(?:u|iem|i|ów)?|obszar\w*|kanał\w*|nizin\w*|wyżyn\w*|przełęcz\w*|rezerwa[tc]\w*"
        r"|ziemi(?:a|ę)|rów|rowu|wodospad\w*|przyląd\w*|przedmieści\w*|rynek|rynku|osiedl\w*"
    ),
    "person": (
        r"wokalist\w*|członek|członk(?:a|iem|ini)|potom(?:ek|ka)"
        r"|przedstawiciel(?:a|em|ka|ki|kę)?|tenor\w*|uczeń|ucznia|uczni\w*|apostoł\w*|kancler\w*"
        r"|muz(?:a|ie|ę)|opiekun\w*|przyrodnik\w*|architek\w*|czarnoksi\w*|agent\w*|mistrz\w*"
        r"|książ(?:ę|ęta)|hrabi\w*|kapitan\w*|biskup\w*|prorok\w*|rycerz\w*|bogini\w*|herosa?"
        r"|tenisist\w*|dyrektor\w*|sekretarz\w*|kr[óo]l\w*|cesarz\w*|papież\w*|prezyden\w*"
        r"|pisarz\w*|pisark\w*|poet\w*|aktor\w*|malarz\w*|kompozytor\w*|uczon\w*|naukow\w*"
        r"|reżyser\w*|władc\w*|książę|księci\w*|autor\w*|bohater\w*|b[oó]g(?:a|iem|ini\w*)?"
        r"|piosenkar\w*|święt(?:y|ego|ej)|polity(?:k|ka|kiem|kowi|cy|ków)|detektyw\w*|filozof\w*"
        r"|fizy(?:k|ka|kiem)|artyst\w*|sportow\w*|piłkarz\w*|posta(?:ć|ci|cią)|wódz|wodz\w*"
        r"|twórc\w*|żon\w*|mąż|syn\w*|córk\w*|ojci?ec|ojca|mat(?:ka|ki|kę)|brat\w*|siostr\w*"
        r"|laureat\w*|generał\w*|astronom\w*|podróżni\w*|odkryw\w*|wynalaz(?:ca|cy|cę)"
        r"|premier\w*|sułtan\w*|faraon\w*|c(?:ar|ara|arem)|polak\w*|polk(?:a|i|ę)|mędrz\w*"
        r"|tytan\w*|nimf\w*|rol[aęi]|pan(?:a|em|i|ią)?|kobiet\w*|mężczyzn\w*|dziewczyn\w*"
        r"|chłop(?:iec|ca|cem)|człowiek\w*|history(?:k|ka|kiem)|lekar\w*|inżynier\w*"
        r"|konstruktor\w*|przywódc\w*|dowódc\w*|marszał\w*|minist(?:er|ra|rem)|hetman\w*"
        r"|astronau\w*|kosmonau\w*|muzy(?:k|ka|kiem)|dyrygent\w*|śpiewa(?:k|ka|czka|czki|czkę)"
        r"|dziennikar\w*|bokser\w*|zawodni(?:k|ka|czka|czkę)|skocz(?:ek|ka|kini)|lekkoatlet\w*"
        r"|kolarz\w*|trener\w*|matematy(?:k|ka|czka)|biolog\w*|chemi(?:k|ka|czka)|ekonomist\w*"
        r"|rzeźbiar\w*|pianist\w*|gitarzyst\w*|skrzyp(?:ek|ka|aczka)|tancer\w*|prezenter\w*"
        r"|satyry(?:k|ka)|noblist\w*|zdobyw\w*|zwycięz\w*|założyciel\w*|patron\w*|właściciel\w*"
        r"|następ(?:ca|cy|cę|czyni)|kochan(?:ek|ka|ki|kę)|narzeczon\w*|wnu(?:k|ka|czka)"
        r"|przyjaci(?:el|ela|elem)|przyjaciółk\w*|pilot\w*|żołnierz\w*|działacz\w*"
        r"|ks(?:iądz|iędza)|zakonni(?:k|ka|ca|cę)|prymas\w*|kardynał\w*|arcybiskup\w*|carow\w*"
        r"|caryc\w*|księżn\w*|księżnicz\w*|baron\w*|centaur\w*|cyklop\w*|olbrzym\w*|gierm\w*"
        r"|bohaterk\w*|braci|rodze[ńn]stw\w*"
    ),
}
_TYPES = {kind: re.compile(stems) for kind, stems in _STEMS.items()}
_UNITS = re.compile(
    r"\b(?:wynosi\w*|waż[yą]\w*|kosztuj\w*|mierzy\w*|wzrost\w*|trwa\w*|lat|kilometr\w*|metr\w*"
    r"|stopni"
    r"|kilogram\w*|litr\w*|procent\w*"
    r"|godzin|minut|sekund|dni|czasu|gram\w*|ton)\b"
)
_DAY = re.compile(r"\b(?:urodził\w*|zmarł\w*|dniu|obchodz\w*|święt\w*)\b")
_ASKS = re.compile(r"(?:któr|jak|czyj)[^\W\d_]*|jacy|co|czego|czym|kto|kogo|kim|komu")
# who is asked where something is answers with a town more often than with anything else
_BY_CODE = {"who": "person", "whom": "person", "whose": "person", "where": "city"}
#: How many words behind the question word, or a verb of naming, are looked at.
_NEAR = 10
_PREPOSITION = re.compile(
    r"we?|na|nad|po|pod|przy|przez|do|od|za|dla|o|u|podczas|według|między|zwan\w*|ps|pseudonim"
)
#: What stands before the noun that tells the type: adjectives and participles, adverbs, numbers,
#: pronouns, verbs of naming and being, and words for "name".
_BEFORE_NOUN = re.compile(
    r"\w*(?:sk|ck|dzk)(?:i|a|ie|iego|iej|im|imi|ich|ą)"
    r"|\w{2,}(?:n|ow|aw|iw|yw|at|ist|yst|ast|sz|on|an|en|t|ł|rz|ch|d|r)(?:y|e|ego|ej|ym|ymi|ych|ą)"
    r"|\w{2,}(?:n|ow|at|ist|sz|on|an|en|ąc|yw|iw|ał|ęt|ut)a|\w+ąc(?:y|e|ego|ej|ym|ą)"
    r"|\w+(?:(?<![aei])nie|owo|wie|sko|cko|ło)|naj\w+|dziś|dzisiaj|kiedyś|niegdyś|dawniej|tzw"
    r"|bardzo|z|ze|spośród|się|to|ta|ten|te|jest|są|był\w*|jeden|jedn\w*|inn\w*|mał[yae]\w*"
    r"|duż\w*|pierwsz\w*|drug\w*|trzec\w*|ostatni\w*|\w*wielk\w*|ii|iii|iv|xx|xix|[\d.]+|roku|r"
    r"|nazw\w*|mian\w*|nosi\w*|nosz\w*|brzmi\w*|ma|mają|mia[łl]\w*|kryptonim\w*|tytułow\w*"
)
_NAMING = re.compile(
    r"\bjak(?: \w+){0,3}? (?:nazyw\w*|zwał\w*|zwie|zwan\w*|nazwan\w*)(?: się)?"
    r"|\bnosi\w* (?:imię|nazwę|tytuł)"
)
#: Persons and numbers of these kinds seldom have a name where it is asked what they are called.
_GENERIC = re.compile(
    r"pan(?:a|em|i|ią)?|kobiet\w*|mężczyzn\w*|dziewczyn\w*|chłop\w*|człowiek\w*|właściciel\w*"
    r"|żołnierz\w*|lekar\w*|zawodni\w*|pilot\w*|zakonni\w*|działacz\w*|muzy[kc]\w*|śpiewa\w*"
    r"|tancer\w*|inżynier\w*|trener\w*|żon\w*|mąż|syn\w*|córk\w*|brat\w*|siostr\w*"
    r"|mat(?:ka|ki|kę)|ojci?ec|ojca|uczeń|ucznia|liczb\w*|cyfr\w*|numer\w*"
)
_TODAY = re.compile(r"nazywa(?:my|ją|no)?\b")
_COMMAND = re.compile(r"^(?:proszę )?(?:poda[ćj]\w*|wymie[nń]\w*|wskaż\w*|określ\w*|nazwij\w*) ")
_FIRST_NAME = re.compile(r"\bna imię\b|\bwabi\w*")


def entity_type(text: str, code: str, category: str, kind: str) -> str | None:
    """Return the type of the named thing that a question asks for, one of `ENTITY_TYPES`.

    The noun that follows the question word decides; adjectives and the like are passed over.

    Parameters
    ----------
    text : str
        The question.
    code, category, kind : str
        Its class, expected category and kind of answer entity, by `text_polish`.

    Returns
    -------
    str or None
        ``other`` for a named thing of no other type; None where the answer has no name of its own,
        or is yes or no.

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
    """Return the type that the words tell, and by which rule; ``other`` where none tells.

    Parameters
    ----------
    text : str
        The question.
    code : str
        Its class, by `wh_type`.

    Examples
    --------
    >>> told_type("Jak nazywa się jadalnia na statku?", "what").type
    'other'
    >>> told_type("Jak nazywał się statek?", "what").rule
    "the noun 'statek' behind the question word"
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
    """Return the type of the noun that follows the question word, or a verb of naming.

    What stands before the noun is passed over, phrases with a preposition included. The first
    other word is the noun: if it tells nothing, nothing behind it does, for that only describes it.
    """
    naming = _NAMING.search(plain)
    if naming:
        clause = plain[naming.end() :]
    else:
        words = list(_WORD.finditer(plain))
        start = next((word for word in words if _ASKS.fullmatch(word[0])), None)
        clause = plain[start.end() :] if start else _COMMAND.sub("", plain)
    today = naming is not None and _TODAY.search(naming[0]) is not None
    governed = False  # by a preposition
    for word in _WORD.findall(re.split(r"[,;:–]", clause)[0])[:_NEAR]:
        if _PREPOSITION.fullmatch(word):
            governed = True
            continue
        kind = next((kind for kind, stems in _TYPES.items() if stems.fullmatch(word)), None)
        if kind and not governed and not (today and _GENERIC.fullmatch(word)):
            return Told(kind, f"the noun {word!r} behind the question word")
        if not governed and (kind or not _BEFORE_NOUN.fullmatch(word)):
            break
        # adjectives and numbers stand between a preposition and its noun
        governed = governed and not kind and bool(_BEFORE_NOUN.fullmatch(word))
    return Told("other", "no noun tells")

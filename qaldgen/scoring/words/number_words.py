"""How languages count in words: plain tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Words(NamedTuple):
    """How a language counts.

    Attributes
    ----------
    units : str
        0 to 19 (forms of one number joined by a slash, a phrase by underscores); articles that also mean 1 are left out.
    tens : str
        20, 30 ... 90; a dash for none.
    compounds : tuple of str
        How a ten and a unit are joined; ``cut`` is the ten without its last letter.
    scales : mapping of str to int
        Words that multiply: hundred, thousand ...
    joiners : str
        Words that may stand between the parts.
    one : str
        What 1 is called inside a compound, where `units` leaves it out or has another form.
    """

    units: str
    tens: str
    compounds: tuple[str, ...]
    scales: Mapping[str, int]
    joiners: str = ""
    one: str = ""


def _scales(hundred: str, thousand: str, million: str, milliard: str = "", billion: str = "") -> dict[str, int]:
    places = ((hundred, 10**2), (thousand, 10**3), (million, 10**6), (milliard, 10**9), (billion, 10**12))
    return {word: value for words, value in places for word in words.split()}


WORDS = MappingProxyType({
    "en": Words(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen", "twenty thirty forty fifty sixty seventy eighty ninety", ("{ten} {unit}",),
        _scales("hundred", "thousand", "million", "billion bn", "trillion") | {"lakh": 10**5, "crore": 10**7}, "and"),
    "de": Words(
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn"
        " achtzehn neunzehn", "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
        ("{unit}und{ten}",),
        _scales("hundert", "tausend", "million millionen mio", "milliarde milliarden mrd", "billion billionen"), one="ein"),
    "nl": Words(
        "nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien"
        " negentien", "twintig dertig veertig vijftig zestig zeventig tachtig negentig", ("{unit}en{ten}",),
        _scales("honderd", "duizend", "miljoen", "miljard", "biljoen")),
    "fr": Words(
        "zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf",
        "vingt trente quarante cinquante soixante - quatre_vingts/quatre_vingt -", ("{ten} {unit}", "{ten} et {unit}"),
        _scales("cent cents", "mille", "million millions", "milliard milliards", "billion billions"), one="un"),
    "es": Words(
        "cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho"
        " diecinueve", "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
        ("{ten} y {unit}", "veinti{unit}"),
        _scales("cien ciento", "mil", "millón millones", "millardo", "billón billones"), "y", "uno un una"),
    "it": Words(
        "zero - due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette"
        " diciotto diciannove", "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
        ("{ten}{unit}", "{cut}{unit}"),
        _scales("cento", "mille mila", "milione milioni", "miliardo miliardi", "bilione bilioni"), one="uno"),
    "pt": Words(
        "zero - dois/duas três quatro cinco seis sete oito nove dez onze doze treze quatorze/catorze quinze"
        " dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove",
        "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", ("{ten} e {unit}",),
        _scales("cem cento", "mil", "milhão milhões", "bilhão bilhões", "trilhão trilhões"), "e", "um uma"),
    "ro": Words(
        "zero unu/unul doi/două trei patru cinci șase șapte opt nouă zece unsprezece doisprezece/douăsprezece treisprezece"
        " paisprezece cincisprezece șaisprezece șaptesprezece optsprezece nouăsprezece",
        "douăzeci treizeci patruzeci cincizeci șaizeci șaptezeci optzeci nouăzeci", ("{ten} și {unit}",),
        _scales("sută sute", "mie mii", "milion milioane", "miliard miliarde")),
    "ru": Words(
        "ноль/нуль один/одна/одно/одного/одной два/две/двух три/трёх четыре/четырёх пять/пяти шесть/шести семь/семи"
        " восемь/восьми девять/девяти десять/десяти одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать"
        " семнадцать восемнадцать девятнадцать",
        "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто", ("{ten} {unit}",),
        _scales("сто", "тысяча тысячи тысяч тыс", "миллион миллиона миллионов млн", "миллиард миллиарда миллиардов млрд",
                "триллион триллиона триллионов")),
    "pl": Words(
        "zero jeden/jedna/jedno/jednego/jednej dwa/dwie/dwóch trzy/trzech cztery/czterech pięć/pięciu sześć/sześciu"
        " siedem/siedmiu osiem/ośmiu dziewięć/dziewięciu dziesięć/dziesięciu jedenaście dwanaście trzynaście czternaście"
        " piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście",
        "dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt",
        ("{ten} {unit}",),
        _scales("sto", "tysiąc tysiące tysięcy tys", "milion miliony milionów mln", "miliard miliardy miliardów mld",
                "bilion biliony bilionów")),
    "hi": Words(
        "शून्य - दो तीन चार पांच/पाँच छह/छः सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस",
        "बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे", (),
        _scales("सौ", "हजार हज़ार", "मिलियन", "बिलियन अरब") | {"लाख": 10**5, "करोड़": 10**7}),
    "fa": Words(
        "صفر - دو سه چهار پنج شش هفت هشت نه ده یازده دوازده سیزده چهارده پانزده شانزده هفده هجده نوزده",
        "بیست سی چهل پنجاه شصت هفتاد هشتاد نود", ("{ten} و {unit}",),
        _scales("صد", "هزار", "میلیون", "میلیارد", "تریلیون"), "و", "یک"),
})  # fmt: skip

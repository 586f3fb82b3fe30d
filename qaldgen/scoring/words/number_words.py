"""How languages count in words, as plain tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Words(NamedTuple):
    """How a language counts.

    Attributes
    ----------
    units : str
        0 to 19 (variants of one number joined by slashes, words of a phrase by underscores);
        articles that also mean 1 are left out.
    tens : str
        20, 30 ... 90; a dash for none.
    compounds : tuple of str
        How a ten and a unit are joined; ``cut`` is the ten without its last letter; one without
        ``{ten}`` is for 20 only.
    scales : mapping of str to int
        Words that multiply: hundred, thousand ...
    joiners : str
        Words that may come between the parts.
    one : str
        The word for 1 inside a compound, if `units` leaves it out or has another one.
    hundreds : str
        200, 300 ... 900 where they are words of their own; a dash for none.
    glued : bool
        Whether numbers below a million are written as one word.
    """

    units: str
    tens: str
    compounds: tuple[str, ...]
    scales: Mapping[str, int]
    joiners: str = ""
    one: str = ""
    hundreds: str = ""
    glued: bool = False


def _scales(
    hundred: str, thousand: str, million: str, milliard: str = "", billion: str = ""
) -> dict[str, int]:
    places = (
        (hundred, 10**2),
        (thousand, 10**3),
        (million, 10**6),
        (milliard, 10**9),
        (billion, 10**12),
    )
    return {word: value for words, value in places for word in words.split()}


WORDS = MappingProxyType({
    "en": Words(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen",
        "twenty thirty forty fifty sixty seventy eighty ninety", ("{ten} {unit}",),
        _scales("hundred", "thousand", "million", "billion bn", "trillion")
                | {"lakh": 10**5, "crore": 10**7},
        "and"),
    "de": Words(
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn"
        " fünfzehn sechzehn siebzehn achtzehn neunzehn",
        "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig", ("{unit}und{ten}",),
        _scales("hundert", "tausend", "million millionen mio", "milliarde milliarden mrd",
                "billion billionen"),
        one="ein", glued=True),
    "nl": Words(
        "nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien"
        " vijftien zestien zeventien achttien negentien",
        "twintig dertig veertig vijftig zestig zeventig tachtig negentig", ("{unit}en{ten}",),
        _scales("honderd", "duizend", "miljoen", "miljard", "biljoen"), glued=True),
    "fr": Words(
        "zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
        " seize dix_sept dix_huit dix_neuf",
        "vingt trente quarante cinquante soixante - quatre_vingts/quatre_vingt -",
        ("{ten} {unit}", "{ten} et {unit}"),
        _scales("cent cents", "mille", "million millions", "milliard milliards",
                "billion billions"),
        one="un"),
    "es": Words(
        "cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
        " dieciséis diecisiete dieciocho diecinueve",
        "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
        ("{ten} y {unit}", "veinti{unit}"),
        _scales("cien ciento", "mil", "millón millones", "millardo", "billón billones"), "y",
        "uno un una",
        hundreds="doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas"
        " quinientos/quinientas seiscientos/seiscientas setecientos/setecientas"
        " ochocientos/ochocientas novecientos/novecientas"),
    "it": Words(
        "zero - due tre quattro cinque sei sette otto nove dieci undici dodici tredici"
        " quattordici quindici sedici diciassette diciotto diciannove",
        "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
        ("{ten}{unit}", "{cut}{unit}"),
        _scales("cento", "mille mila", "milione milioni", "miliardo miliardi", "bilione bilioni"),
        one="uno", glued=True),
    "pt": Words(
        "zero - dois/duas três quatro cinco seis sete oito nove dez onze doze treze"
        " quatorze/catorze quinze dezesseis/dezasseis dezessete/dezassete dezoito"
        " dezenove/dezanove",
        "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", ("{ten} e {unit}",),
        _scales("cem cento", "mil", "milhão milhões", "bilhão bilhões", "trilhão trilhões"), "e",
        "um uma",
        hundreds="duzentos/duzentas trezentos/trezentas quatrocentos/quatrocentas"
        " quinhentos/quinhentas seiscentos/seiscentas setecentos/setecentas"
        " oitocentos/oitocentas novecentos/novecentas"),
    "ro": Words(
        "zero unu/unul doi/două trei patru cinci șase șapte opt nouă zece unsprezece"
        " doisprezece/douăsprezece treisprezece paisprezece cincisprezece șaisprezece"
        " șaptesprezece optsprezece nouăsprezece",
        "douăzeci treizeci patruzeci cincizeci șaizeci șaptezeci optzeci nouăzeci",
        ("{ten} și {unit}",),
        _scales("sută sute", "mie mii", "milion milioane", "miliard miliarde")),
    "ru": Words(
        "ноль/нуль один/одна/одно/одного/одной два/две/двух три/трёх четыре/четырёх пять/пяти"
        " шесть/шести семь/семи восемь/восьми девять/девяти десять/десяти одиннадцать двенадцать"
        " тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать",
        "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
        ("{ten} {unit}",),
        _scales("сто", "тысяча тысячи тысяч тыс", "миллион миллиона миллионов млн",
                "миллиард миллиарда миллиардов млрд", "триллион триллиона триллионов"),
        hundreds="двести/двухсот триста/трёхсот четыреста/четырёхсот пятьсот/пятисот"
        " шестьсот/шестисот семьсот/семисот восемьсот/восьмисот девятьсот/девятисот"),
    "pl": Words(
        "zero jeden/jedna/jedno/jednego/jednej dwa/dwie/dwóch trzy/trzech cztery/czterech"
        " pięć/pięciu sześć/sześciu siedem/siedmiu osiem/ośmiu dziewięć/dziewięciu"
        " dziesięć/dziesięciu jedenaście dwanaście trzynaście czternaście piętnaście szesnaście"
        " siedemnaście osiemnaście dziewiętnaście",
        "dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt"
        " osiemdziesiąt dziewięćdziesiąt",
        ("{ten} {unit}",),
        _scales("sto", "tysiąc tysiące tysięcy tys", "milion miliony milionów mln",
                "miliard miliardy miliardów mld", "bilion biliony bilionów"),
        hundreds="dwieście/dwustu trzysta/trzystu czterysta/czterystu pięćset/pięciuset"
        " sześćset/sześciuset siedemset/siedmiuset osiemset/ośmiuset"
        " dziewięćset/dziewięciuset"),
    "hi": Words(
        "शून्य - दो तीन चार पांच/पाँच छह/छः सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह"
        " अठारह उन्नीस",
        "बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे", (),
        _scales("सौ", "हजार हज़ार", "मिलियन", "बिलियन अरब") | {"लाख": 10**5, "करोड़": 10**7}),
    "uk": Words(
        "нуль один/одна/одне/одного два/дві/двох три/трьох чотири/чотирьох п'ять/п’ять шість сім"
        " вісім дев'ять/дев’ять десять одинадцять дванадцять тринадцять чотирнадцять"
        " п'ятнадцять/п’ятнадцять шістнадцять сімнадцять вісімнадцять дев'ятнадцять/дев’ятнадцять",
        "двадцять тридцять сорок п'ятдесят шістдесят сімдесят вісімдесят дев'яносто",
        ("{ten} {unit}",),
        _scales("сто", "тисяча тисячі тисяч тис", "мільйон мільйона мільйони мільйонів млн",
                "мільярд мільярда мільярди мільярдів млрд", "трильйон трильйони трильйонів"),
        hundreds="двісті/двохсот триста/трьохсот чотириста/чотирьохсот п'ятсот/п’ятсот шістсот"
        " сімсот вісімсот дев'ятсот/дев’ятсот"),
    "bg": Words(
        "нула един/една/едно два/две/двама три/трима четири пет шест седем осем девет десет"
        " единадесет/единайсет дванадесет/дванайсет тринадесет/тринайсет"
        " четиринадесет/четиринайсет петнадесет/петнайсет шестнадесет/шестнайсет"
        " седемнадесет/седемнайсет осемнадесет/осемнайсет деветнадесет/деветнайсет",
        "двадесет/двайсет тридесет/трийсет четиридесет/четирийсет петдесет шестдесет седемдесет"
        " осемдесет деветдесет",
        ("{ten} и {unit}",),
        _scales("сто", "хиляда хиляди", "милион милиона", "милиард милиарда", "трилион трилиона"),
        "и",
        hundreds="двеста триста четиристотин петстотин шестстотин седемстотин осемстотин"
        " деветстотин"),
    "cs": Words(
        "nula jeden/jedna/jedno dva/dvě/dvou tři/tří čtyři/čtyř pět šest sedm osm devět deset"
        " jedenáct dvanáct třináct čtrnáct patnáct šestnáct sedmnáct osmnáct devatenáct",
        "dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát",
        ("{ten} {unit}", "{unit}a{ten}"),
        _scales("sto sta stě set", "tisíc tisíce", "milion miliony milionů mil",
                "miliarda miliardy miliard mld", "bilion biliony bilionů")),
    "sk": Words(
        "nula jeden/jedna/jedno dva/dve/dvoch tri/troch štyri päť šesť sedem osem deväť desať"
        " jedenásť dvanásť trinásť štrnásť pätnásť šestnásť sedemnásť osemnásť devätnásť",
        "dvadsať tridsať štyridsať päťdesiat šesťdesiat sedemdesiat osemdesiat deväťdesiat",
        ("{ten}{unit}", "{ten} {unit}"),
        _scales("sto", "tisíc tisíce", "milión milióny miliónov", "miliarda miliardy miliárd",
                "bilión bilióny biliónov"),
        hundreds="dvesto tristo štyristo päťsto šesťsto sedemsto osemsto deväťsto"),
    "hr": Words(
        "nula jedan/jedna/jedno dva/dvije/dvoje tri četiri pet šest sedam osam devet deset"
        " jedanaest dvanaest trinaest četrnaest petnaest šesnaest sedamnaest osamnaest devetnaest",
        "dvadeset trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset",
        ("{ten} {unit}", "{ten} i {unit}"),
        _scales("sto", "tisuća tisuće tisuću", "milijun milijuna milijuni",
                "milijarda milijarde milijardi", "bilijun bilijuna"),
        hundreds="dvjesto/dvjesta tristo/trista četiristo petsto šesto/šeststo sedamsto osamsto"
        " devetsto"),
    "sv": Words(
        "noll - två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton"
        " sjutton arton nitton",
        "tjugo trettio förtio/fyrtio femtio sextio sjuttio åttio nittio", ("{ten}{unit}",),
        _scales("hundra", "tusen", "miljon miljoner", "miljard miljarder", "biljon biljoner"),
        one="ett en", glued=True),
    "da": Words(
        "nul - to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten"
        " sytten atten nitten",
        "tyve tredive fyrre halvtreds tres/treds halvfjerds firs halvfems", ("{unit}og{ten}",),
        _scales("hundrede", "tusind tusinde", "million millioner", "milliard milliarder",
                "billion billioner"),
        one="en et", glued=True),
    "no": Words(
        "null - to tre fire fem seks sju/syv åtte ni ti elleve tolv tretten fjorten femten"
        " seksten sytten atten nitten",
        "tjue/tyve tretti/tredve førti femti seksti sytti åtti nitti",
        ("{ten}{unit}", "{unit}og{ten}"),
        _scales("hundre", "tusen", "million millioner", "milliard milliarder", "billion billioner"),
        one="en ett", glued=True),
    "fi": Words(
        "nolla yksi kaksi/kahdella/kahden kolme/kolmen neljä/neljän viisi/viiden kuusi/kuuden"
        " seitsemän kahdeksan yhdeksän kymmenen yksitoista kaksitoista kolmetoista neljätoista"
        " viisitoista kuusitoista seitsemäntoista kahdeksantoista yhdeksäntoista",
        "kaksikymmentä kolmekymmentä neljäkymmentä viisikymmentä kuusikymmentä seitsemänkymmentä"
        " kahdeksankymmentä yhdeksänkymmentä",
        ("{ten}{unit}",),
        _scales("sata sataa", "tuhat tuhatta", "miljoona miljoonaa milj", "miljardi miljardia",
                "biljoona biljoonaa"), glued=True),
    "hu": Words(
        "nulla - kettő/két három négy öt hat hét nyolc kilenc tíz tizenegy tizenkettő/tizenkét"
        " tizenhárom tizennégy tizenöt tizenhat tizenhét tizennyolc tizenkilenc",
        "húsz harminc negyven ötven hatvan hetven nyolcvan kilencven",
        ("{ten}{unit}", "huszon{unit}"), _scales("száz", "ezer", "millió", "milliárd", "billió"),
        one="egy", glued=True),
    "tr": Words(
        "sıfır - iki üç dört beş altı yedi sekiz dokuz on on_bir/onbir on_iki/oniki on_üç/onüç"
        " on_dört/ondört on_beş/onbeş on_altı/onaltı on_yedi/onyedi on_sekiz/onsekiz"
        " on_dokuz/ondokuz",
        "yirmi otuz kırk elli altmış yetmiş seksen doksan", ("{ten} {unit}", "{ten}{unit}"),
        _scales("yüz", "bin", "milyon", "milyar", "trilyon"), one="bir"),
    "el": Words(
        "μηδέν - δύο/δυο τρία/τρεις/τριών τέσσερα/τέσσερις πέντε έξι επτά/εφτά οκτώ/οχτώ"
        " εννέα/εννιά δέκα έντεκα/ένδεκα δώδεκα δεκατρία/δεκατρείς δεκατέσσερα/δεκατέσσερις"
        " δεκαπέντε δεκαέξι/δεκάξι δεκαεπτά/δεκαεφτά δεκαοκτώ/δεκαοχτώ δεκαεννέα/δεκαεννιά",
        "είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα", ("{ten} {unit}",),
        _scales("εκατό εκατόν", "χίλια χιλιάδες", "εκατομμύριο εκατομμύρια εκατ",
                "δισεκατομμύριο δισεκατομμύρια δισ", "τρισεκατομμύριο τρισεκατομμύρια"),
        one="ένα μία ένας",
        hundreds="διακόσια/διακόσιοι/διακόσιες τριακόσια/τριακόσιοι/τριακόσιες"
        " τετρακόσια/τετρακόσιοι/τετρακόσιες πεντακόσια/πεντακόσιοι/πεντακόσιες"
        " εξακόσια/εξακόσιοι/εξακόσιες επτακόσια/εφτακόσια οκτακόσια/οχτακόσια"
        " εννιακόσια/εννιακόσιοι"),
    "ca": Words(
        "zero - dos/dues tres quatre cinc sis set vuit nou deu onze dotze tretze catorze quinze"
        " setze disset divuit dinou",
        "vint trenta quaranta cinquanta seixanta setanta vuitanta noranta",
        ("{ten} {unit}", "{ten} i {unit}"),
        _scales("cent cents", "mil", "milió milions", "miliard miliards", "bilió bilions"),
        one="un una",
        hundreds="dos-cents/dues-centes tres-cents/tres-centes quatre-cents cinc-cents sis-cents"
        " set-cents vuit-cents nou-cents"),
    "ar": Words(
        "صفر واحد/واحدة اثنان/اثنين/اثنتان/اثنتين ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع"
        " ثمانية/ثماني/ثمان تسعة/تسع عشرة/عشر أحد_عشر/إحدى_عشرة اثنا_عشر/اثني_عشر/اثنتا_عشرة"
        " ثلاثة_عشر/ثلاث_عشرة أربعة_عشر/أربع_عشرة خمسة_عشر/خمس_عشرة ستة_عشر/ست_عشرة"
        " سبعة_عشر/سبع_عشرة ثمانية_عشر/ثماني_عشرة تسعة_عشر/تسع_عشرة",
        "عشرون/عشرين ثلاثون/ثلاثين أربعون/أربعين خمسون/خمسين ستون/ستين سبعون/سبعين ثمانون/ثمانين"
        " تسعون/تسعين",
        ("{unit} و {ten}", "{unit} و{ten}"),
        _scales("مئة مائة", "ألف آلاف", "مليون ملايين", "مليار مليارات", "تريليون"), "و",
        hundreds="مائتان/مئتان/مائتين/مئتين ثلاثمائة/ثلاثمئة أربعمائة/أربعمئة خمسمائة/خمسمئة"
        " ستمائة/ستمئة سبعمائة/سبعمئة ثمانمائة/ثمانمئة تسعمائة/تسعمئة"),
    "he": Words(
        "אפס אחת/אחד שתיים/שניים/שתי/שני שלוש/שלושה ארבע/ארבעה חמש/חמישה שש/שישה שבע/שבעה שמונה"
        " תשע/תשעה עשר/עשרה אחת_עשרה/אחד_עשר שתים_עשרה/שנים_עשר שלוש_עשרה/שלושה_עשר"
        " ארבע_עשרה/ארבעה_עשר חמש_עשרה/חמישה_עשר שש_עשרה/שישה_עשר שבע_עשרה/שבעה_עשר"
        " שמונה_עשרה/שמונה_עשר תשע_עשרה/תשעה_עשר",
        "עשרים שלושים ארבעים חמישים שישים שבעים שמונים תשעים", ("{ten} ו{unit}",),
        _scales("מאה מאות", "אלף אלפים", "מיליון מיליונים", "מיליארד מיליארדים", "טריליון"),
        hundreds="מאתיים - - - - - - -"),
    "bn": Words(
        "শূন্য - দুই/দুটি/দু তিন/তিনটি চার/চারটি পাঁচ/পাঁচটি ছয়/ছয়টি সাত/সাতটি আট/আটটি নয়টি"
        " দশ/দশটি এগারো বারো তেরো চৌদ্দ পনেরো/পনের ষোলো/ষোল সতেরো/সতের আঠারো উনিশ",
        "বিশ/কুড়ি ত্রিশ চল্লিশ পঞ্চাশ ষাট সত্তর আশি নব্বই", (),
        _scales("শত শো", "হাজার", "মিলিয়ন", "বিলিয়ন")
                | {"লাখ": 10**5, "লক্ষ": 10**5, "কোটি": 10**7}),
    "vi": Words(
        "- - hai ba bốn/tư - sáu bảy/bẩy tám chín mười mười_một mười_hai mười_ba mười_bốn"
        " mười_lăm mười_sáu mười_bảy mười_tám mười_chín",
        "hai_mươi ba_mươi bốn_mươi năm_mươi sáu_mươi bảy_mươi tám_mươi chín_mươi",
        ("{ten} {unit}",), _scales("trăm", "nghìn ngàn", "triệu", "tỷ tỉ"), one="mốt"),
    "id": Words(
        "nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas dua_belas"
        " tiga_belas empat_belas lima_belas enam_belas tujuh_belas delapan_belas sembilan_belas",
        "dua_puluh tiga_puluh empat_puluh lima_puluh enam_puluh tujuh_puluh delapan_puluh"
        " sembilan_puluh",
        ("{ten} {unit}",),
        _scales("ratus seratus", "ribu seribu", "juta", "miliar milyar", "triliun")),
    "ko": Words(
        "영 하나 둘/두 셋/세 넷/네 다섯 여섯 일곱 여덟 아홉 열 열하나/열한 열둘/열두 열셋/열세"
        " 열넷/열네 열다섯 열여섯 열일곱 열여덟 열아홉",
        "스물/스무 서른 마흔 쉰 예순 일흔 여든 아흔", ("{ten}{unit}",),
        _scales("백", "천", "백만", "십억", "조") | {"만": 10**4, "억": 10**8}),
    "fa": Words(
        "صفر - دو سه چهار پنج شش هفت هشت نه ده یازده دوازده سیزده چهارده پانزده شانزده هفده هجده"
        " نوزده",
        "بیست سی چهل پنجاه شصت هفتاد هشتاد نود", ("{ten} و {unit}",),
        _scales("صد", "هزار", "میلیون", "میلیارد", "تریلیون"), "و", "یک",
        hundreds="دویست سیصد چهارصد پانصد/پنجصد ششصد هفتصد هشتصد نهصد"),
})  # fmt: skip

#: The digits and powers of Chinese and Japanese numerals; 1 alone is left out, since it is "a" as
#: well.
HAN_DIGITS = MappingProxyType({
    **{char: value for value, char in enumerate("〇一二三四五六七八九")},
    "零": 0, "两": 2, "兩": 2, "壱": 1, "弐": 2, "参": 3,
})  # fmt: skip
HAN_POWERS = MappingProxyType({
    "十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4,
    "亿": 10**8, "億": 10**8, "兆": 10**12,
})  # fmt: skip

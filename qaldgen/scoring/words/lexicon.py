"""Words of each language that the text matchers know: articles, yes and no, months, refusals; plain tables."""

from __future__ import annotations

from types import MappingProxyType

#: Articles, left out by `qaldgen.scoring.text.normalise`. Russian, Polish, Hindi and Persian have none; the articles that
#: Romanian ties to the end of a word stay.
ARTICLES = MappingProxyType({
    "en": frozenset(["a", "an", "the"]),
    "de": frozenset(["der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "eines", "einer"]),
    "fr": frozenset(["le", "la", "les", "l", "un", "une", "des"]),
    "es": frozenset(["el", "la", "los", "las", "un", "una", "unos", "unas"]),
    "it": frozenset(["il", "lo", "la", "i", "gli", "le", "l", "un", "uno", "una"]),
    "pt": frozenset(["o", "a", "os", "as", "um", "uma", "uns", "umas"]),
    "nl": frozenset(["de", "het", "een"]),
    "ro": frozenset(["un", "o", "niște"]),
})  # fmt: skip

#: First words that say yes.
YES = MappingProxyType({
    "en": "yes yeah true correct", "de": "ja", "fr": "oui", "es": "sí", "it": "sì", "pt": "sim", "nl": "ja", "ro": "da",
    "ru": "да", "pl": "tak", "hi": "हाँ हां जी", "fa": "بله آری بلی",
})  # fmt: skip

#: First words that say no.
NO = MappingProxyType({
    "en": "no nope false incorrect", "de": "nein", "fr": "non", "es": "no", "it": "no", "pt": "não", "nl": "nee neen", "ro": "nu",
    "ru": "нет", "pl": "nie", "hi": "नहीं नही", "fa": "خیر نه",
})  # fmt: skip

#: Words that negate a sentence; ``t`` is what is left of "didn't".
NEGATIONS = MappingProxyType({
    "en": "not no never none neither nobody cannot t",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals",
    "fr": "ne n pas jamais aucun aucune",
    "es": "no nunca jamás ningún ninguna ninguno tampoco",
    "it": "non mai nessun nessuno nessuna",
    "pt": "não nunca jamais nenhum nenhuma",
    "nl": "niet geen nooit",
    "ro": "nu n niciun nicio niciodată",
    "ru": "не нет никогда",
    "pl": "nie nigdy żaden żadna żadne",
    "hi": "नहीं नही न",
    "fa": "نیست نبود نبوده ندارد نداشت نداشته نکرد نکرده نشد نشده نمی هرگز هیچ",
})  # fmt: skip

#: The twelve months; forms of one month are joined by a slash.
MONTHS = MappingProxyType({
    "en": "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sept/sep october/oct"
          " november/nov december/dec",
    "de": "januar/jänner februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "ru": "января/январь февраля/февраль марта/март апреля/апрель мая/май июня/июнь июля/июль августа/август"
          " сентября/сентябрь октября/октябрь ноября/ноябрь декабря/декабрь",
    "pl": "stycznia/styczeń lutego/luty marca/marzec kwietnia/kwiecień maja/maj czerwca/czerwiec lipca/lipiec"
          " sierpnia/sierpień września/wrzesień października/październik listopada/listopad grudnia/grudzień",
    "hi": "जनवरी फरवरी/फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर/सितम्बर अक्टूबर/अक्तूबर नवंबर/नवम्बर दिसंबर/दिसम्बर",
    "fa": "ژانویه فوریه مارس آوریل مه/می ژوئن ژوئیه/جولای اوت/آگوست سپتامبر اکتبر نوامبر دسامبر",
})  # fmt: skip

#: What may stand between the parts of a date: "23 de abril de 1616", "April 23rd, 1616".
DATE_JOINERS = frozenset({
    *("of", "the", "de", "del", "di", "den", "der", "st", "nd", "rd", "th", "er", "o", "a", "го", "anul", "el", "le", "on"),
})  # fmt: skip

#: What opens an answer that is none, as a phrase of the first sentence.
REFUSALS = MappingProxyType({
    "en": "i m sorry|i am sorry|i apologize|i apologise|i don t know|i do not know|i m not sure|i am not sure|i am not able"
          "|i m not able|i cannot|i can t|i am unable|i m unable|i am just an ai|as an ai|ai language model|as a language model"
          "|i don t have|i do not have|no information available",
    "de": "tut mir leid|ich weiss nicht|ich weiss es nicht|ich bin nicht sicher|ich kann nicht|ich habe keine|entschuldigung",
    "fr": "je suis desole|desole|je ne sais pas|je n ai pas|je ne peux pas",
    "es": "lo siento|no lo se|no se la respuesta|no tengo informacion|no puedo",
    "it": "mi dispiace|non lo so|non ho informazioni|non posso",
    "pt": "desculpe|sinto muito|lamento|nao sei|nao tenho informacoes|nao posso",
    "nl": "het spijt me|ik weet het niet|ik weet niet|ik kan niet|ik heb geen",
    "ro": "imi pare rau|nu stiu|nu am informatii|nu pot",
    "ru": "извините|простите|я не знаю|мне жаль|я не могу|у меня нет",
    "pl": "przykro mi|przepraszam|nie wiem|nie moge|nie mam informacji",
    "hi": "माफ|क्षमा|खेद है|मुझे नहीं पता|मैं नहीं जानता",
    "fa": "متاسفم|متأسفم|متاسفانه|ببخشید|نمی دانم|نمیدانم",
})  # fmt: skip

#: Whole answers that say that there is none.
NO_ANSWER = frozenset({
    *("unknown", "not known", "none", "n a", "no answer", "unanswerable", "nicht bekannt", "unbekannt", "inconnu", "desconocido"),
    *("sconosciuto", "desconhecido", "onbekend", "necunoscut", "неизвестно", "nieznane", "brak", "nie wiadomo"),
})  # fmt: skip


def primary(language: str) -> str:
    """Return the main part of a language tag.

    Examples
    --------
    >>> primary("pt_BR"), primary("zh-Hans")
    ('pt', 'zh')
    """
    return language.replace("_", "-").partition("-")[0].lower()

"""Words of each language that the text matchers know.

Plain tables, the longer ones in ``data/phrases.tsv``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from qaldgen.formats.gather import base_language

#: Articles, left out by `qaldgen.scoring.words.matching.normalise`. Russian, Polish, Hindi and
#: Persian have none; the articles that Romanian ties to the end of a word stay.
ARTICLES = MappingProxyType({
    "en": frozenset(["a", "an", "the"]),
    "de": frozenset(["der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem",
        "eines", "einer"]),
    "fr": frozenset(["le", "la", "les", "l", "un", "une", "des"]),
    "es": frozenset(["el", "la", "los", "las", "un", "una", "unos", "unas"]),
    "it": frozenset(["il", "lo", "la", "i", "gli", "le", "l", "un", "uno", "una"]),
    "pt": frozenset(["o", "a", "os", "as", "um", "uma", "uns", "umas"]),
    "nl": frozenset(["de", "het", "een"]),
    "ro": frozenset(["un", "o", "niște"]),
})  # fmt: skip

#: Names of months that CLDR does not have.
MONTHS_ALSO = MappingProxyType({
    "es": {"setiembre": 9}, "fa": {"می": 5, "جولای": 7, "آگوست": 8},
    "hi": {"फरवरी": 2, "सितम्बर": 9, "अक्तूबर": 10, "नवम्बर": 11, "दिसम्बर": 12},
})  # fmt: skip

#: Words that may come between the parts of a date, without accents: "23 de abril de 1616".
DATE_JOINERS = frozenset({
    *("of", "the", "de", "del", "di", "den", "der", "st", "nd", "rd", "th", "er", "o", "a", "го",
        "anul", "el", "le", "on", "in"),
    *("年", "月", "日", "号", "號", "년", "월", "일", "год", "года", "г", "року", "р", "roku", "r",
        "ano", "an", "el", "al"),
    *("ngay", "nam", "thang", "tanggal", "tahun", "pada", "του", "tou", "е", "sten", "en", "an",
        "ban", "am", "im", "le", "les"),
    *("سنة", "عام", "سال", "م", "ב", "שנת", "सन", "को", "সালের", "ที่", "e", "i", "à", "s", "m",
        "d", "u", "y", "p", "п", "ε", "t"),
})  # fmt: skip

#: Whole answers that mean "no answer".
NO_ANSWER = frozenset({
    *("unknown", "not known", "none", "n a", "no answer", "unanswerable", "nicht bekannt",
        "unbekannt", "inconnu", "desconocido"),
    *("sconosciuto", "desconhecido", "onbekend", "necunoscut", "неизвестно", "nieznane", "brak",
        "nie wiadomo", "no se", "non so", "ne znam"),
})  # fmt: skip


#: Signs that open an answer, or are a whole answer, and whether they mean yes.
SIGNS = MappingProxyType(
    {**dict.fromkeys("✅✔☑👍🟢", True), **dict.fromkeys("❌✖✗✘👎🚫🔴❎", False)}
)

#: Words that label an answer, before a colon.
ANSWER_WORDS = (
    *("answer", "antwort", "réponse", "respuesta", "risposta", "resposta", "antwoord", "răspuns",
        "răspunsul", "ответ"),
    *("відповідь", "odpowiedź", "odpověď", "odpoveď", "odgovor", "отговор", "svar", "svaret",
        "vastaus", "válasz", "απάντηση"),
    *("cevap", "yanıt", "最终答案", "最終答案", "最後答案", "正确答案", "答案", "回答", "答え",
        "解答", "答", "정답"),
    *("최종 답변", "답변", "답", "الجواب", "الإجابة", "إجابة", "جواب", "پاسخ", "תשובה", "התשובה",
        "उत्तर", "जवाब", "উত্তর"),
    *("đáp án", "câu trả lời", "trả lời", "jawaban", "คำตอบ"),
)  # fmt: skip

#: Words that label a question, before a colon: base models continue with questions of their own.
QUESTION_WORDS = (
    *("question", "q", "frage", "pregunta", "domanda", "pergunta", "vraag", "întrebare", "вопрос",
        "питання", "pytanie"),
    *("otázka", "pitanje", "fråga", "spørgsmål", "spørsmål", "kysymys", "kérdés", "ερώτηση", "soru",
        "问题", "問題", "問"),
    *("質問", "질문", "السؤال", "سؤال", "سوال", "שאלה", "प्रश्न", "প্রশ্ন", "câu hỏi", "pertanyaan",
        "คำถาม"),
    *("human", "user"),
)  # fmt: skip

#: Phrases that introduce an answer inside a sentence, as regular expressions.
ANSWER_INTRODUCTIONS = (
    r"\banswer(?: to (?:your|the|this) question)? (?:is|would be|must be)(?: therefore| thus|"
    r" simply)?\b",
    r"\bantwort (?:ist|lautet)\b", r"\bréponse (?:finale |correcte )?est\b",
    r"\brespuesta (?:final |correcta )?es\b",
    r"\brisposta (?:finale |corretta |giusta )?è\b", r"\bresposta (?:final |correta |certa )?é\b",
    r"\bantwoord (?:is|luidt)\b", r"\brăspunsul (?:final |corect )?este\b",
    r"\bответ\s*(?:[—–:-]|это\b)",
    r"\bвідповідь\s*(?:[—–:-]|це\b)", r"\bodpowiedź (?:to|brzmi)\b", r"\bodpověď (?:je|zní)\b",
    r"\bodpoveď (?:je|znie)\b", r"\bodgovor (?:je|glasi)\b", r"\bотговорът е\b",
    r"\bsvaret (?:är|er)\b",
    r"\bvastaus on\b", r"\bαπάντηση είναι\b", r"答案(?:就)?[是为為]", r"答え?は", r"(?:정답|답)은",
    r"(?:câu trả lời|đáp án)(?: đúng)? là", r"\bjawaban(?:nya| yang benar)? adalah\b", r"คำตอบคือ",
    r"(?:الإجابة|الجواب)(?: الصحيحة| الصحيح)? (?:هي|هو)", r"התשובה היא",
)  # fmt: skip


#: Tags of languages that are read by the rules of another tag.
_SAME = MappingProxyType(
    {"nb": "no", "nn": "no", "iw": "he", "in": "id", "cmn": "zh", "yue": "zh", "sh": "hr"}
)


@functools.cache
def phrases(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of a kind by language.

    Parameters
    ----------
    kind
        ``yes`` and ``no`` open an answer, ``true`` and ``false`` are verdicts on the question,
        ``not`` negates (``not-pattern``: a regular expression for words, or for the text in scripts
        without spaces), ``not-only`` only looks like a negation; ``about``, ``more`` and ``almost``
        hedge a number; ``decade-after`` and ``decade-before`` come with a decade; ``alive`` and
        ``dead`` are opposites; ``or`` and ``perhaps`` offer alternatives; ``instead`` denies what
        follows; ``refusal`` opens a refusal; ``who`` asks for a person; ``common`` are the most
        common words; ``ending`` and ``prefix`` are attached to names. For all languages (``any``):
        ``class`` says what a thing is (``class-before``: in front; ``class-of-two``: if two words
        remain), ``legal``, ``title``, ``particle``, ``institution``, ``other-place``,
        ``harmless-after`` and ``common-name`` come with names. By code: ``territory`` and
        ``currency`` are further English names, ``demonym`` English adjectives, ``demonym-anywhere``
        beginnings of such in all languages. ``given-name``: one name per row.

    Returns
    -------
    Mapping[str, tuple[str, ...]]
        Phrases by language tag; empty for an unknown kind.

    Examples
    --------
    >>> phrases("or")["de"], "eu" in phrases("yes")
    (('oder',), False)
    """
    by_language: dict[str, tuple[str, ...]] = {}
    for own, language, row in _rows():
        if own == kind:
            by_language[language] = by_language.get(language, ()) + row
    return MappingProxyType(by_language)


@functools.cache
def _rows() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    lines = (
        files(__package__)
        .joinpath("data", "phrases.tsv")
        .read_text(encoding="utf-8")
        .splitlines()[1:]
    )
    cells = [line.split("\t") for line in lines]
    return tuple(
        (kind, language, (row,) if kind == "not-pattern" else tuple(row.split("|")))
        for kind, language, row in cells
    )


def primary(language: str) -> str:
    """Return the main part of a language tag, one for all tags of the same language.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    str
        A tag of two or three letters.

    Examples
    --------
    >>> primary("pt_BR"), primary("zh-Hans"), primary("nb")
    ('pt', 'zh', 'no')
    """
    main = base_language(language)
    return _SAME.get(main, main)

"""Which choice of its question a reply in words states, by its letter or its text."""

from __future__ import annotations

import re

from qaldgen.questions.choices import choice_at_letter, match_choice
from qaldgen.questions.fields import alternatives
from qaldgen.questions.values import Choices

#: Words for an answer.
ANSWER_WORDS = (
    "answer", "antwort", "réponse", "respuesta", "risposta", "resposta", "antwoord", "răspuns",
    "răspunsul", "ответ", "відповідь", "odpowiedź", "odpověď", "odpoveď", "odgovor", "отговор",
    "svar", "svaret", "vastaus", "válasz", "απάντηση", "cevap", "yanıt", "最终答案", "最終答案",
    "最後答案", "正确答案", "答案", "回答", "正解", "答え", "解答", "答", "정답",
    "최종 답변", "답변", "답", "الجواب", "الإجابة", "إجابة", "جواب", "پاسخ",
    "תשובה", "התשובה", "उत्तर", "जवाब", "উত্তর", "đáp án", "câu trả lời", "trả lời",
    "jawaban", "คำตอบ",
)  # fmt: skip
#: Words for a choice, and for choosing one.
_CHOICE_WORDS = (
    "option", "choice", "letter", "choose", "pick", "select", "opt", "auswahl", "buchstabe",
    "choix", "lettre", "opción", "opcion", "letra", "alternativa", "opção", "opcao", "opzione",
    "lettera", "opcja", "litera", "optie", "вариант", "буква", "варіант", "seçenek", "şık",
    "pilihan", "opsi", "alternativ", "phương án", "选", "選", "選択肢", "선택지", "विकल्प", "الخيار",
    "گزینه",
)  # fmt: skip
#: A capital letter that may stand for a choice; in Turkish it may have an ending: B'dir.
_LETTER = r"(?<![A-Za-z0-9.'’-])(?P<letter>[A-Z])(?![A-Za-z0-9+#]|-\w|\.[A-Za-z]|['’](?!d[ıiuü]r))"
#: Such a letter that is no word: not "A mill", "I think".
_LONE_LETTER = re.compile(rf"{_LETTER}(?!(?<=[AI])\s+[^\W\d_])")


def _letter_after(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for a letter at most six words after one of some words, in its sentence."""
    return re.compile(
        rf"(?<![A-Za-zÀ-ÿ])(?i:{alternatives(words)})"
        r"[^\W\d_]{0,4}(?:[^\w\n.!?]+[^\W\d_]+){0,5}?"
        rf"[^\w\n.!?]*{_LETTER}"
    )


_AFTER_ANSWER = _letter_after(ANSWER_WORDS)
_AFTER_CHOICE = _letter_after(_CHOICE_WORDS)
#: What stands before a letter at the start, perhaps after short words alone ("la B"), and before
#: and after one that is set off: in brackets, behind a colon, or beside "is".
_START = re.compile(r"\W*(?:(?:[a-zß-ÿ]{1,5}\s+){1,2}(?=.{1,3}\Z))?\(?")
_SET_OFF_BEFORE = re.compile(r"(?:[(\[:：]|\b(?:is|be|ist|est|es|è|é)\b)[\s(*]*\Z")
_SET_OFF_AFTER = re.compile(r"[)*]*\s+(?:is|ist|est|es|è|é)\b")
#: Words before the letter of a thing: "vitamin C".
_THING = re.compile(
    r"\b(?:vitamin\w*|hepatitis|type|typ|plan|group|class|grade)\s+\Z", re.IGNORECASE
)
#: Another letter before or after one: "A or B", "A, C", "J. B. Weir".
_PREVIOUS_LETTER = re.compile(r"\b[A-Z]\b[).\]*\s]*(?:[,;/&]|\w{1,3}\b)?[\s(\[*]*\Z")
_NEXT_LETTER = re.compile(r"[)\]* ]*(?:[,;/&]|\w{1,3}\b)?[ (\[*]*[A-Z](?![\w'’-]|\.\w)|\. ?[A-Z]\.")
_NEGATION = (
    r"(?:(?:\w*n't|not|wrong|incorrect|false|nicht|kein|falsch|pas|non|no|não|nie|не|niet|değil|"
    r"yanlış|bukan|tidak)\b|不|错|錯|ではな|아니)"
)
_NEGATED_BEFORE = re.compile(rf"{_NEGATION}\W*(?:\w+\W+){{0,2}}\Z", re.IGNORECASE)
_NEGATED_AFTER = re.compile(rf"[)\]*\s]*(?:\w+\s+)?{_NEGATION}", re.IGNORECASE)
#: The labels of choices that each begin a line, as where a reply repeats them.
_LINE_LABELS = re.compile(r"^\W*([A-Z])[).:]\s", re.MULTILINE)
#: Digits in circles and wide letters, with the letters that they stand for.
_PLAIN_LETTERS = str.maketrans("①②③④⑤⑥⑦⑧ＡＢＣＤＥＦＧＨ", "ABCDEFGH" * 2)
_MARKUP = " \n)].:：,*_-–—\"'`"
#: How many characters around a letter are looked at.
_NEAR = 30


def find_choice(answer: str, choices: Choices) -> str:
    """Return the choice that an answer states; else the answer.

    The first of these decides: the answer is a choice or its letter; the last letter after a word
    for an answer; the letter at the start; the only letter before the text of its choice, or after
    a word for a choice; and, without any text of a choice, the only letter that is set off, or the
    only one at all. A letter before the text of another choice, or beside a negation or another
    letter, states nothing.

    >>> drinks = Choices(("tea", "ale"))
    >>> answers = ("B because of A", "Answer: A? No, the answer is B", "Not A, but B", "opción B")
    >>> [find_choice(answer, drinks) for answer in answers]
    ['ale', 'ale', 'Not A, but B', 'ale']
    """
    text = answer.translate(_PLAIN_LETTERS)
    choice = match_choice(text, choices)
    if choice in choices.texts:
        return choice
    after_answer = [_stated(match, choices) for match in _AFTER_ANSWER.finditer(text)]
    after_answer = list(filter(None, after_answer))
    if after_answer:
        return after_answer[-1]
    letters = list(_LONE_LETTER.finditer(text))
    if letters and len(set(_LINE_LABELS.findall(text))) < 2:
        is_at_start = _START.fullmatch(text, 0, letters[0].start())
        at_start = _stated(letters[0], choices) if is_at_start else ""
        if at_start:
            return at_start
    before_text = [match for match in letters if _text_after(match, choices)]
    after_choice = list(_AFTER_CHOICE.finditer(text))
    kinds = [after_choice + before_text]
    folded = text.casefold()
    if not any(name and name.casefold() in folded for name in choices.texts):
        kinds += [list(filter(_is_set_off, letters)), letters]
    for matches in kinds:
        stated = {_stated(match, choices) for match in matches} - {""}
        if len(stated) == 1:
            return stated.pop()
    return answer


def _is_set_off(match: re.Match[str]) -> bool:
    """Return whether a letter is in brackets, behind a colon, or beside "is"."""
    before, after = _around(match)
    return bool(_SET_OFF_BEFORE.search(before) or _SET_OFF_AFTER.match(after))


def _stated(match: re.Match[str], choices: Choices) -> str:
    """Return the choice that a letter in an answer states; empty if it states none."""
    choice = choice_at_letter(match["letter"], choices)
    before, after = _around(match)
    if _THING.search(before) or _PREVIOUS_LETTER.search(before) or _NEXT_LETTER.match(after):
        return ""
    if _NEGATED_BEFORE.search(before) or _NEGATED_AFTER.match(after):
        return ""
    return choice if _text_after(match, choices) in ("", choice) else ""


def _around(match: re.Match[str]) -> tuple[str, str]:
    """Return what stands in a text before and after a letter."""
    start, end = match.span("letter")
    return match.string[max(start - _NEAR, 0) : start], match.string[end : end + _NEAR]


def _text_after(match: re.Match[str], choices: Choices) -> str:
    """Return the longest text of a choice right after a letter, or empty."""
    rest = match.string[match.end("letter") :].lstrip(_MARKUP).casefold()
    following = [text for text in choices.texts if text and rest.startswith(text.casefold())]
    return max(following, key=len, default="")

"""Which choice of its question a reply in words states, by its letter or its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qaldgen.questions.choices import (
    are_letters,
    choice_at_letter,
    match_choice,
    match_choices,
    with_latin_letters,
)
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
    "option", "choice", "letter", "choose", "pick", "select", "opt", "decide", "auswahl", "wahl",
    "buchstabe", "entscheide", "wähle", "elijo", "elección", "choisis", "scelgo", "scelta",
    "escolho", "escolha", "wybieram", "выбираю", "выбор", "seçim",
    "choix", "lettre", "opción", "opcion", "letra", "alternativa", "opção", "opcao", "opzione",
    "lettera", "opcja", "litera", "optie", "вариант", "буква", "варіант", "seçenek", "şık",
    "pilihan", "opsi", "alternativ", "phương án", "选", "選", "選択肢", "선택지", "विकल्प", "الخيار",
    "گزینه",
)  # fmt: skip
#: A capital letter that may stand for a choice; in Turkish it may have an ending: B'dir.
_LATIN = r"A-Za-z0-9\u00C0-\u024F\u0300-\u036F\u1E00-\u1EFF"
_LETTER = (
    rf"(?<![{_LATIN}.'’-])(?P<letter>[A-Z])"
    rf"(?![{_LATIN}+#]|-\w|\.[A-Za-z]|['’](?!d[ıiuü]r))"
)
#: Words that join the last letter of a list.
_AND = "and|und|et|y|e|en|i|oraz|a|и|і|ve|och|og|ja|és|și|και|dan|và|और|و"
_IS = "(?:is|was|ist|est|es|è|é|jest|to)"
#: Such a letter that is no word: not "A mill", "I think", but "A and B", "A is".
_LONE_LETTER = re.compile(rf"{_LETTER}(?!(?<=[AI])\s+(?!(?:{_AND})\s+\(?[A-Z]\b|{_IS}\b)[^\W\d_])")


def _letter_after(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for a letter at most six words after one of some words, in its sentence."""
    return re.compile(
        rf"(?<![A-Za-zÀ-ÿ])(?i:{alternatives(words)})"
        r"[^\W\d_]{0,4}(?:[^\w\n.!?]+[^\W\d_]+){0,5}?"
        rf"[^\w\n.!?]*{_LETTER}"
    )


_AFTER_ANSWER = _letter_after(ANSWER_WORDS)
_AFTER_CHOICE = _letter_after(_CHOICE_WORDS)
#: The number of a choice: "option 3".
_NUMBERED = re.compile(
    rf"(?P<word>(?<![A-Za-zÀ-ÿ])(?i:{alternatives(_CHOICE_WORDS)})\W{{0,3}})(?P<number>\d)(?![A-Za-z\d]|\.\d)"
)
#: With one of these, a choice is an answer: "the correct option", "hence option C".
_CORRECT = re.compile(
    r"(?i:\b(?:correct|right|best|richtig|corre[ct]t|juste|bonne|giust|poprawn|prawidłow|правильн|"
    r"верн|doğru|benar|đúng|therefore|thus|hence|daher|deshalb|donc|por lo tanto|portanto|quindi|"
    r"dlatego|поэтому|следовательно))|正确|正確|正しい|올바른|सही|综上|綜上|因此|所以|故|应选|應選|"
    r"따라서|したがって"
)
#: A word that withdraws what was said before: "the answer seems to be A, but".
_BUT = re.compile(
    r"[)\]*]*,?\s*(?:(?i:but|however|aber|doch|mais|pero|ma|mas|ale|но)\b|但|しかし|하지만)"
)
#: What stands before a letter at the start, perhaps after short words alone ("la B"), and before
#: and after one that is set off: in brackets, behind a colon, or beside "is".
_START = re.compile(r"\W*(?:(?:[a-zß-ÿ]{1,5}\s+){1,2}(?=.{1,3}\Z))?\(?")
_SET_OFF_BEFORE = re.compile(rf"(?:[(\[:：]|\b(?:be|{_IS})\b)[\s(*]*\Z")
_SET_OFF_AFTER = re.compile(rf"[)*]*\s+{_IS}\b")
#: Words before the letter of a thing: "vitamin C".
_THING = re.compile(
    r"\b(?:vitamin\w*|hepatitis|type|typ|plan|group|class|grade)\s+\Z", re.IGNORECASE
)
#: A word between two letters, and what makes a letter no statement: "A or B", "J. B. Weir".
_JOINER = r"(?:\b(?:\w{1,3}|oder|albo|veya|atau|hoặc)\b|[或か]|还是|または|또는|혹은)"
_PREVIOUS_LETTER = re.compile(rf"\b[A-Z]\b[).\]*\s]*(?:[,;/&]|{_JOINER})?[\s(\[*]*\Z")
_OR_OR_INITIAL = re.compile(rf"[)\]* ]*{_JOINER}[ (\[*]*[A-Z](?![\w'’-]|\.\w)|\. ?[A-Z]\.")
#: A further letter in a list.
_FURTHER_LETTER = re.compile(
    rf"[).\]* ]*(?:[,;/&+、，；]? ?\b(?:{_AND})\b|(?P<comma>[,;/&+、，；])|[和及与と와과])"
    r"[ (\[*]*(?P<letter>[A-Z])(?![A-Za-z0-9'’-])"
)
#: What stands after the last letter of a list without a word for "and".
_END_OF_LIST = re.compile(
    rf"[)\]* ]*(?:\Z|[,;:.!?\n/&+、，；。]|[和及与と와과是]|"
    rf"\b(?:{_AND}|are|sont|sind|son|sono|são|są|zijn|är)\b)"
)
_NEGATION = (
    r"(?:(?:\w*n't|not|wrong|incorrect|false|nicht|kein|falsch|pas|non|no|não|nie|не|niet|değil|"
    r"yanlış|bukan|tidak)\b|不|错|錯|ではな|아니)"
)
_NEGATED_BEFORE = re.compile(rf"{_NEGATION}\W*(?:\w+\W+){{0,2}}\Z", re.IGNORECASE)
_NEGATED_AFTER = re.compile(rf"[)\]*\s]*(?:\w+\s+)?{_NEGATION}", re.IGNORECASE)
#: The labels of choices that each begin a line, as where a reply repeats them.
_LINE_LABELS = re.compile(r"^\W*([A-Z])[).:]\s", re.MULTILINE)
#: A character of no script.
_NO_TEXT = "\ue000"
_MARKUP = " \n()[].:：,*_-–—\"'`"
#: How many characters around a letter are looked at.
_NEAR = 30


def find_choices(answer: str, choices: Choices) -> tuple[str, ...]:
    """Return the choices that an answer states; none if it states none.

    The first of these decides: the answer is a choice or its letter, or a list of such; the last
    letter after a word for an answer; the only letter after a word for a choice; the letter at the
    start; the only letter beside the text of its choice; and, without any text of a choice, the
    only letter that is set off, or the only one at all. Further letters may be joined to a letter.
    A letter before the text of another choice, or beside a negation or an "or", states nothing.

    >>> drinks = Choices(("tea", "ale", "mead"))
    >>> answers = ("B because of A", "Answer: A? No, the answer is B", "Not A, but B", "Not A or B")
    >>> [find_choices(answer, drinks) for answer in answers]
    [('ale',), ('ale',), (), ()]
    >>> find_choices("The right ones are A (tea) and C", drinks)
    ('tea', 'mead')
    >>> find_choices("The correct one is option 3.", drinks._replace(first=1))
    ('mead',)
    """
    text = with_latin_letters(answer)
    if are_letters(choices.texts):
        # their texts are not known: no words of the answer are the text of a choice
        unknown = choices._replace(texts=tuple(f"{_NO_TEXT}{name}" for name in choices.texts))
        return tuple(name.removeprefix(_NO_TEXT) for name in find_choices(text, unknown))
    several = match_choices(text, choices)
    if len(several) > 1:
        return several
    choice = match_choice(text, choices)
    if choice in choices.texts:
        return (choice,)
    if choices.first is not None:
        text = _NUMBERED.sub(lambda match: _with_letter(match, choices), text)

    letters = list(_LONE_LETTER.finditer(text))
    after_choice = list(_AFTER_CHOICE.finditer(text))
    for matches in (_AFTER_ANSWER.finditer(text), _called_correct(letters, after_choice)):
        answered = [_stated(match, choices) for match in matches]
        if any(answered):
            return list(filter(None, answered))[-1]

    beside_text = [match for match in letters if _is_beside_text(match, choices)]
    at_start = []
    # a reply that goes through the choices does not start with its answer
    if letters and len(beside_text) < 2 and len(set(_LINE_LABELS.findall(text))) < 2:
        at_start = letters[:1] if _START.fullmatch(text, 0, letters[0].start()) else []
    kinds = [after_choice, at_start, beside_text]
    if any(text[match.end("letter") :].startswith(tuple(").:")) for match in at_start):
        kinds = [at_start, after_choice, beside_text]  # "A. Of the others, option D is too wet"
    folded = text.casefold()
    if not any(name and name.casefold() in folded for name in choices.texts):
        kinds += [list(filter(_is_set_off, letters)), letters]
    for matches in kinds:
        stated = {_stated(match, choices) for match in matches} - {()}
        if len(stated) == 1:
            return stated.pop()
    return ()


def _called_correct(
    letters: Sequence[re.Match[str]], after_choice: Sequence[re.Match[str]]
) -> list[re.Match[str]]:
    """Return the letters that are called correct, in their order.

    They stand after a word for a choice (`after_choice`), as in "the correct option is A", or
    anywhere, as in "A is correct".
    """
    correct = []
    for match in after_choice:
        if _CORRECT.search(match.string, max(match.start() - _NEAR, 0), match.end()):
            correct.append(match)
    for match in letters:
        end = match.end("letter")
        is_subject = _SET_OFF_AFTER.match(match.string, end)
        if is_subject and _CORRECT.search(match.string, end, end + _NEAR):
            correct.append(match)
    return sorted(correct, key=lambda match: match.end("letter"))


def _is_beside_text(match: re.Match[str], choices: Choices) -> bool:
    """Return whether the text of its choice stands before a letter, or that of any after it."""
    name = choice_at_letter(match["letter"], choices).casefold()
    before = match.string[: match.start()].casefold().rstrip(" (*")
    is_behind = name != "" and before.endswith(name)
    return is_behind or _text_after(match.string, match.end("letter"), choices) != ""


def _with_letter(match: re.Match[str], choices: Choices) -> str:
    """Return a word for a choice and its number with the letter of the choice instead: option C."""
    index = int(match["number"]) - (choices.first or 0)
    if 0 <= index < len(choices.texts):
        return match["word"] + chr(ord("A") + index)
    return match[0]


def _is_set_off(match: re.Match[str]) -> bool:
    """Return whether a letter is in brackets, behind a colon, or beside "is"."""
    before, after = _around(match)
    return bool(_SET_OFF_BEFORE.search(before) or _SET_OFF_AFTER.match(after))


def _stated(match: re.Match[str], choices: Choices) -> tuple[str, ...]:
    """Return the choices that a letter, and those joined to it, state; none if it states none."""
    before, _ = _around(match)
    if any(pattern.search(before) for pattern in (_THING, _PREVIOUS_LETTER, _NEGATED_BEFORE)):
        return ()
    text = match.string
    names = list[str]()
    letter: re.Match[str] | None = match
    while letter is not None:
        end = letter.end("letter")
        choice = choice_at_letter(letter["letter"], choices)
        following = _text_after(text, end, choices)
        if not choice or (not names and following not in ("", choice)):
            return ()
        names.append(choice)
        if following == choice:
            end = text.casefold().index(following.casefold(), end) + len(following)
        letter = _FURTHER_LETTER.match(text, end)
        if letter is not None and letter["comma"] and not _END_OF_LIST.match(text, letter.end()):
            if _OR_OR_INITIAL.match(text, letter.end()):
                return ()  # "one of A, B or C"
            letter = None  # "B, A being too wet"
    is_denied = any(pattern.match(text, end) for pattern in (_OR_OR_INITIAL, _NEGATED_AFTER, _BUT))
    if is_denied or 2 < len(names) == len(choices.texts):
        return ()
    return tuple(names)


def _around(match: re.Match[str]) -> tuple[str, str]:
    """Return what stands in a text before and after a letter."""
    start, end = match.span("letter")
    return match.string[max(start - _NEAR, 0) : start], match.string[end : end + _NEAR]


def _text_after(text: str, start: int, choices: Choices) -> str:
    """Return the longest text of a choice from a place in a text on, or empty."""
    rest = text[start:].lstrip(_MARKUP).casefold()
    following = [text for text in choices.texts if text and rest.startswith(text.casefold())]
    return max(following, key=len, default="")

"""The choices of a question, and which of them an answer means."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence

from qaldgen.io.json_text import as_list
from qaldgen.io.notes import note
from qaldgen.model import Answers, Question
from qaldgen.questions.answer_objects import objects_marked_correct
from qaldgen.questions.nested_records import rows_of_columns
from qaldgen.questions.records import scalar_text
from qaldgen.questions.values import BAR, Choices
from qaldgen.questions.written_lists import parse_list

#: The letter of a choice, perhaps behind a word for it, and the text of the choice.
_LETTER_AND_TEXT = re.compile(
    r"(?:(?i:option|choice|answer|letter|letra|alternativa|opção|opcao|opción|opzione|antwort|réponse"
    r"|respuesta|resposta|risposta|odpowiedź)\s+)?\(?(?P<letter>[A-Za-z])[).:]?(?:\s+(?P<text>.+))?"
)
#: A choice behind its letter and a mark.
_LETTERED = re.compile(r"\(?(?P<letter>[A-Za-z])[).:]\s*(?P<text>.+)", re.DOTALL)
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
#: A capital letter that stands for a choice: it opens the reply, or follows a bracket, a colon or
#: such a word; not the article "A", nor "I".
_LONE = re.compile(
    r"(?:^|[(:]|\b(?:is|be|option|choice|answer|letter)\b)[\s(*]*"
    r"([B-HJ-Z]|[AI](?!\s+[^\W\d_]))(?![\w'’-]|\.\w)"
)
#: What stands between several letters.
_SEVERAL = re.compile(r"\s*(?:[,;/&+]|\band\b)\s*")
NO_CHOICES = Choices(())
#: What may stand around the text of a choice.
_AROUND = " .\"'*"
#: Where a question keeps the number of its first choice.
FIRST_CHOICE = "first_choice"
#: Fields with the texts of choices.
_TEXTS = ("text", "texts", "choices", "content", "value", "choice", "atext")


def question_choices(question: Question) -> Choices | None:
    """Return the choices of a question; None if it has no choices."""
    stated = question.metadata.get("choices", "")
    if not isinstance(stated, str) or BAR not in stated:
        return None
    first = str(question.metadata.get(FIRST_CHOICE, ""))
    return Choices(tuple(stated.split(BAR)), first=int(first) if first.isdecimal() else None)


def answers_are_choices(question: Question, answers: Answers | None) -> bool:
    """Return whether answers are choices of the question, as its gold is: then others are wrong."""
    choices = question_choices(question)
    if choices is None or answers is None or question.answers is None or not answers.texts:
        return False
    texts = [row[0] for row in (*answers.texts, *question.answers.texts) if row]
    cells = [*answers.rows, *question.answers.rows]
    return not cells and set(texts) <= {*choices.texts}


def read_choices(value: object) -> Choices:
    """Return the choices in a list, in an object of labels and texts, or in a list written as text.

    An empty `Choices` if there are none.

    >>> read_choices({"text": ["tea", "coffee"], "label": ["A", "B"]})
    Choices(texts=('tea', 'coffee'), labels=('A', 'B'), first=None, places=False)
    """
    if isinstance(value, str):
        value = parse_list(value)
    if isinstance(value, list):
        return _from_list(value)
    if not isinstance(value, dict):
        return NO_CHOICES
    rows = rows_of_columns(value)
    if rows is not None:
        return _from_list(rows)
    texts = next((value[name] for name in _TEXTS if isinstance(value.get(name), list)), None)
    if texts is not None:
        return Choices(_words(texts))
    if not all(map(_scalar, value.values())):
        return NO_CHOICES
    marks = tuple(scalar_text(mark) for mark in value.values())
    if {*marks} == {"0", "1"}:  # each choice is a key, with a mark
        return Choices(tuple(value), marks)
    return Choices(_words(value.values()), tuple(value))


def choices_marked_correct(choices: Choices) -> tuple[str, ...]:
    """Return the choices marked with 1, as in TruthfulQA, where the labels are marks."""
    if not {*choices.labels} <= {"0", "1"}:
        return ()
    marked = zip(choices.labels, choices.texts, strict=False)
    return tuple(text for mark, text in marked if mark == "1")


def find_first_number(rows: Iterable[tuple[object, Choices]]) -> int | None:
    """Return the number of the first choice, 0 or 1, judging by all numbers among the answers.

    It is 1 if some number equals the number of choices and none is 0; None if there is no number.
    A note says if neither tells.
    """
    numbers = []
    for value, choices in rows:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        text = str(value).strip()
        if text.isdecimal() and text not in {*choices.texts, *choices.labels}:
            numbers.append((int(text), sum(map(bool, choices.texts))))
    if not numbers:
        return None
    if any(number == 0 for number, _ in numbers):
        return 0
    if any(number == count for number, count in numbers):
        return 1
    note(
        "has places of choices, none of which is 0 or the last; they are taken to count from 0. If"
        " they count from 1, give letters or the texts of the choices"
    )
    return 0


def are_choice_numbers(rows: Iterable[tuple[object, Choices]]) -> bool:
    """Return whether answers are places of choices, even where a choice is itself a number.

    All are numbers up to that of the choices, and some are none of the choices.

    >>> numbers = Choices(("1", "2", "3"))
    >>> drinks = Choices(("tea", "ale"))
    >>> are_choice_numbers([("2", numbers), ("1", drinks)]), are_choice_numbers([("2", numbers)])
    (True, False)
    """
    is_place = False
    for value, choices in rows:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        text = str(value).strip()
        if not text.isdecimal() or int(text) > len(choices.texts) or choices.labels:
            return False
        is_place = is_place or text not in choices.texts
    return is_place


def match_choices(value: object, choices: Choices) -> tuple[str, ...]:
    """Return the choices that a value means by their texts, labels, letters or numbers."""
    values = as_list(value)
    if len(values) == 1 and isinstance(values[0], str) and _place(values[0], choices) is None:
        values = _SEVERAL.split(values[0].strip())  # "A, C"
    places = [_place(scalar_text(item).strip(), choices) for item in values if item is not None]
    texts = [choices.texts[place] for place in places if place is not None]
    if len(texts) < len(places):
        return ()
    return tuple(texts)


def match_choice(reply: str, choices: Choices) -> str:
    """Return the choice that a reply is, by its letter, number or text; else the reply.

    The text of the choice may follow its letter.

    >>> drinks = Choices(("tea", "ale"))
    >>> [match_choice(reply, drinks) for reply in ("(B)", "B. Ale", "B. tea", "Letra A.")]
    ['ale', 'ale', 'B. tea', 'tea']
    """
    texts, reply = choices.texts, reply.strip()
    if choices.places and reply.isdecimal():
        place = _place(reply, choices)
        return reply if place is None else texts[place]
    if reply in texts:
        return reply
    bare = reply.strip(_AROUND).casefold()
    for text in texts:
        if text and text.casefold() == bare:
            return text
    if reply.isdecimal():
        place = None if choices.first is None else _place(reply, choices)
        return reply if place is None else texts[place]
    letter = _LETTER_AND_TEXT.fullmatch(reply)
    if letter is None:
        return reply
    text = _by_letter(letter["letter"], choices)
    if (letter["text"] or text).strip(_AROUND).casefold() == text.casefold():
        return text or reply
    return reply


def find_choice(answer: str, choices: Choices) -> str:
    """Return the choice that an answer is, or whose letter alone it names; else the answer.

    >>> drinks = Choices(("tea", "ale"))
    >>> [find_choice(answer, drinks) for answer in ("The best option is B.", "Not A, but B")]
    ['ale', 'Not A, but B']
    """
    choice = match_choice(answer, choices)
    folded = answer.casefold()
    if choice in choices.texts:
        return choice
    if any(text and text.casefold() in folded for text in choices.texts):
        return choice
    letters = {letter for letter in _LONE.findall(answer) if _by_letter(letter, choices)}
    if len(letters) != 1:
        return answer
    return _by_letter(letters.pop(), choices)


def _by_letter(letter: str, choices: Choices) -> str:
    place = ord(letter.upper()) - ord("A")
    return choices.texts[place] if place < len(choices.texts) else ""


def _place(text: str, choices: Choices) -> int | None:
    if choices.places and text.isdecimal():
        place = int(text) - (choices.first or 0)
        return place if 0 <= place < len(choices.texts) else None
    # labels and texts before letters: a choice may itself be called "B"
    for names in (choices.labels, choices.texts):
        if text and text in names:
            return names.index(text)
    folded = [choice.casefold() for choice in choices.texts]
    if text and text.casefold() in folded:
        return folded.index(text.casefold())
    place = -1
    # a letter counts from A, a number from the first; four digits are a year, not a place
    if letter := _LETTER.fullmatch(text):
        place = ord(letter[1].upper()) - ord("A")
    elif text.isdecimal() and len(text) < 4:
        place = int(text) - (choices.first or 0)
    return place if 0 <= place < len(choices.texts) and choices.texts[place] else None


def _from_list(values: Sequence[object]) -> Choices:
    if all(map(_scalar, values)):
        words = _words(values)
        # A), B), ... before the texts are labels
        lettered = [match for match in map(_LETTERED.fullmatch, words) if match]
        labels = tuple(match["letter"].upper() for match in lettered)
        if len(labels) == len(words) > 1 and labels == (*string.ascii_uppercase[: len(words)],):
            return Choices(tuple(match["text"] for match in lettered), labels)
        return Choices(words)
    objects = [value for value in values if isinstance(value, dict)]
    right = objects_marked_correct(values)
    texts = tuple(_first(item, _TEXTS) for item in objects)
    labels = tuple(_first(item, ("label", "labels", "key", "id", "aid")) for item in objects)
    if len(objects) != len(values) or not all(texts):
        return NO_CHOICES
    if right is not None:  # the labels are the marks
        labels = tuple("1" if value in right else "0" for value in values)
    if not all(labels):
        return Choices(texts)
    return Choices(texts, labels)


def _first(item: Mapping[str, object], names: Sequence[str]) -> str:
    return next((scalar_text(item[name]).strip() for name in names if _scalar(item.get(name))), "")


def _words(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(scalar_text(value).strip() for value in values)


def _scalar(value: object) -> bool:
    return value is not None and not isinstance(value, (dict, list))

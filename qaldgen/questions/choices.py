"""The choices of a question, and which of them an answer means."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence

from qaldgen.io.json_text import as_list
from qaldgen.io.notes import note
from qaldgen.model import Answers, Question
from qaldgen.questions.answer_objects import objects_marked_correct
from qaldgen.questions.fields import has_role, normalize_name
from qaldgen.questions.record_kinds import rows_of_columns
from qaldgen.questions.records import scalar_text
from qaldgen.questions.values import BAR, Choices
from qaldgen.questions.written_lists import parse_written

#: The letters of choices.
LETTERS = "ABCDEFGHIJ"
_WORD = (
    r"(?i:option|choice|answer|letter|letra|alternativa|opção|opcao|opción|opzione|antwort|réponse"
    r"|respuesta|resposta|risposta|odpowiedź)"
)
#: The letter of a choice, perhaps after a word such as "option", and the text of the choice.
_LETTER_AND_TEXT = re.compile(rf"(?:{_WORD}\s+)?\(?(?P<letter>[A-Za-z])[).:]?(?:\s+(?P<text>.+))?")
#: The number of a choice after such a word: option1.
_WORD_AND_NUMBER = re.compile(rf"{_WORD}[\s_]?([0-9]+)")
#: The text of a choice after its letter and a mark.
_LETTERED_TEXT = re.compile(r"\(?(?P<letter>[A-Za-z])[).:]\s*(?P<text>.+)", re.DOTALL)
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
#: A line with a choice and its letter.
_LABELLED_LINE = re.compile(r"^\s*\(?([A-Z])[).:][ \t]*(\S.*?)\s*$", re.MULTILINE)
#: The letter of a choice inside a line.
_INLINE_LABEL = re.compile(rf"(?<!\S)\(?([{LETTERS}])[).:]\s+(?=\S)")
#: The most texts that are looked at to see whether they are lists.
_LOOKED_AT = 20
#: Separators of the texts of choices, the surest first; commas may also be in a text.
_COMMA = r"(?<!\d),|,(?!\d)|[、，]"
_SEPARATORS = (r"\n", r"\|", r"\t", r"[;；]", r"\s/\s", _COMMA)
#: Separators of several letters.
_BETWEEN_LETTERS = re.compile(r"\s*(?:[,;/&+、，；]|\band\b)\s*")
#: Several letters in their order, without separators: ABD.
_JOINED_LETTERS = re.compile("(?=[A-Z]{2})" + "".join(f"{letter}?" for letter in LETTERS))
#: The letters of choices in other alphabets, in their order.
_ALPHABETS = ("АБВГДЕ", "ΑΒΓΔΕ", "أبجد", "אבגד", "กขคง", "가나다라마", "কখগঘ", "甲乙丙丁")
#: Characters that stand for a choice wherever they are: digits in circles, wide letters.
_SYMBOLS = ("①②③④⑤⑥⑦⑧", "ＡＢＣＤＥＦＧＨ")
_LATIN_LETTERS = {
    letter: latin
    for letters in (*_ALPHABETS, *_SYMBOLS)
    for letter, latin in zip(letters, LETTERS, strict=False)
}
_CHOICE_WORDS = ("вариант", "Вариант", "варіант", "Варіант", "گزینه", "الخيار")
_AFTER_WORD = "|".join(f"(?<={word} )" for word in _CHOICE_WORDS)
#: The name of the first letter, which Persian writes in its place.
_ALEF = re.compile(rf"(?<!\w)(?:الف(?=\W*\Z|[):.،])|(?:{_AFTER_WORD})الف(?!\w))")
#: Other letters only as the last word, before a bracket or after such a word, since they may be
#: words ("В Киеве") or initials; in Indian and Thai words vowel signs stand beside letters.
_OTHER_LETTER = re.compile(
    rf"[{''.join(_SYMBOLS)}]"
    rf"|(?<![\w\u0900-\u0dff\u0e00-\u0e7f])[{''.join(_ALPHABETS)}](?=\W*\Z|[):、。])"
    rf"|(?:{_AFTER_WORD})[{''.join(_ALPHABETS)}](?!\w)"
)
#: Such a letter at the start of a choice: "Г. мед".
_OTHER_LABEL = re.compile(rf"[{''.join(_ALPHABETS)}](?=\.)")
#: A whole number that was written as a float, as pandas does in columns with gaps.
_WHOLE_FLOAT = re.compile(r"([0-9]+)\.0")
NO_CHOICES = Choices(())
#: Characters that may surround the text of a choice.
_AROUND_TEXT = " .\"'*"
#: The metadata field of a question with the number of its first choice.
FIRST_CHOICE = "first_choice"
#: Fields with the texts of choices.
_TEXT_FIELDS = ("text", "texts", "choices", "content", "value", "choice", "atext")
#: Fields with their letters or numbers.
_LABEL_FIELDS = ("label", "labels", "key", "id", "aid", "marker", "letter", "option")


def with_latin_letters(text: str) -> str:
    """Return a text in which letters of choices in other alphabets are those in Latin.

    >>> [with_latin_letters(text) for text in ("В Киеве: Г.", "③", "الف) اولم")]
    ['В Киеве: D.', 'C', 'A) اولم']
    """
    return _OTHER_LETTER.sub(lambda match: _LATIN_LETTERS[match[0]], _ALEF.sub("أ", text))


def are_letters(texts: Sequence[str]) -> bool:
    """Return whether the texts of choices, or gold answers, are letters from A to J.

    >>> are_letters(["B", "A", "B"]), are_letters(["A", "1"])
    (True, False)
    """
    return len(texts) > 0 and set(texts) <= set(LETTERS)


def question_choices(question: Question) -> Choices | None:
    """Return the choices of a question; None if it has no choices."""
    choices = question.metadata.get("choices", "")
    if not isinstance(choices, str) or BAR not in choices:
        return None
    first = str(question.metadata.get(FIRST_CHOICE, ""))
    return Choices(tuple(choices.split(BAR)), first=int(first) if first.isdecimal() else None)


def answers_are_choices(question: Question, answers: Answers | None) -> bool:
    """Return whether both some answers and the gold answers are choices of the question."""
    if answers is None or not answers.texts or question.answers is None:
        return False
    choices = question_choices(question)
    texts = [row[0] for row in (*answers.texts, *question.answers.texts) if row]
    cells = [*answers.rows, *question.answers.rows]
    return choices is not None and not cells and set(texts) <= set(choices.texts)


def read_choices(value: object) -> Choices:
    r"""Return the choices in a list, in an object with labels and texts, or in a text with a list.

    Any other value has no choices.

    >>> read_choices({"text": ["tea", "coffee"], "label": ["A", "B"]})
    Choices(texts=('tea', 'coffee'), labels=('A', 'B'), first=None, only_numbers=False)
    >>> read_choices("A. tea\nB. coffee").texts
    ('tea', 'coffee')
    """
    if isinstance(value, str):
        lines = _LABELLED_LINE.findall(value)
        labels = "".join(label for label, _ in lines)
        if len(lines) > 1 and string.ascii_uppercase.startswith(labels):
            return Choices(tuple(text for _, text in lines), tuple(labels))
        value = _choices_in_line(value) or parse_written(value)
    if isinstance(value, list):
        return _choices_in_list(value)
    if not isinstance(value, dict):
        return NO_CHOICES
    rows = rows_of_columns(value)
    if rows is not None:
        return _choices_in_list(rows)
    texts = next((value[name] for name in _TEXT_FIELDS if isinstance(value.get(name), list)), None)
    if texts is not None:
        return Choices(_scalar_texts(texts))
    if not all(map(_is_scalar, value.values())):
        return NO_CHOICES
    marks = tuple(scalar_text(mark) for mark in value.values())
    if set(marks) == {"0", "1"}:  # the keys are choices, and the values mark the correct one
        return Choices(tuple(value), marks)
    return Choices(_scalar_texts(value.values()), tuple(value))


def with_listed_choices(rows: list[object], fields: Iterable[str]) -> list[object]:
    """Return records in which choices in one text, such as ``tea; ale; mead``, are lists.

    >>> with_listed_choices([{"options": "tea | ale"}, {"options": "red | blue"}], ["options"])
    [{'options': ['tea', 'ale']}, {'options': ['red', 'blue']}]
    """
    for name in [name for name in fields if has_role(name, "choices")]:
        values = [row.get(name) for row in rows if isinstance(row, dict)]
        lists = _split_alike([value for value in values if isinstance(value, str)])
        if not lists:
            continue
        listed: list[object] = []
        for row in rows:
            value = row.get(name) if isinstance(row, dict) else None
            if isinstance(row, dict) and isinstance(value, str):
                row = {**row, name: lists.get(value, value)}
            listed.append(row)
        rows = listed
    return rows


def _split_alike(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the choices in texts by what separates them in all of these; none if nothing does.

    Texts that are lists in another way are left out. Commas separate choices only if all questions
    have equally many, three or more.

    >>> _split_alike(["tea; ale", "red; blue; green"])["tea; ale"]
    ['tea', 'ale']
    >>> _split_alike(["1,000, 2,000, 3,000"])
    {'1,000, 2,000, 3,000': ['1,000', '2,000', '3,000']}
    """
    texts = list(filter(str.strip, texts))
    if all(read_choices(text).texts for text in texts[:_LOOKED_AT]):  # as of most files
        return {}
    texts = [text for text in texts if not read_choices(text).texts]
    for separator in _SEPARATORS:
        lists = {text: [part.strip() for part in re.split(separator, text)] for text in texts}
        lengths = set(map(len, lists.values()))
        is_doubtful = separator == _COMMA and (len(lengths) > 1 or min(lengths) < 3)
        if min(lengths) > 1 and not is_doubtful and all(map(all, lists.values())):
            return lists
    return {}


def _choices_in_line(text: str) -> dict[str, str]:
    """Return the choices at the end of a text by their letters, if there are three or more.

    >>> _choices_in_line("Which is it? A. tea B. ale C. mead")
    {'A': 'tea', 'B': 'ale', 'C': 'mead'}
    """
    matches = list(_INLINE_LABEL.finditer(text))
    starts = [index for index, match in enumerate(matches) if match[1] == "A"]
    matches = matches[starts[-1] :] if starts else []
    labels = "".join(match[1] for match in matches)
    if len(labels) < 3 or not string.ascii_uppercase.startswith(labels):
        return {}
    ends = [match.start() for match in matches[1:]] + [len(text)]
    pairs = zip(matches, ends, strict=True)
    return {match[1]: text[match.end() : end].strip(" ,;") for match, end in pairs}


def choices_in_columns(row: Mapping[str, object], columns: Sequence[str]) -> Choices:
    """Return the choices in one column of a record, or in a column for each."""
    if not columns:
        return NO_CHOICES
    if len(columns) == 1:
        return read_choices(row.get(columns[0]))
    values = [row.get(column) for column in columns]
    texts = tuple("" if value is None else scalar_text(value).strip() for value in values)
    return Choices(texts) if any(texts) else NO_CHOICES


def choices_marked_correct(choices: Choices) -> tuple[str, ...]:
    """Return the choices that are marked with 1, as in TruthfulQA, where the labels are marks."""
    if not set(choices.labels) <= {"0", "1"}:
        return ()
    marked = zip(choices.labels, choices.texts, strict=False)
    return tuple(text for mark, text in marked if mark == "1")


def shown_first_number(answers: Iterable[tuple[object, Choices]]) -> int | None:
    """Return the number of the first choice if numbers among the answers show it, else None.

    It is 0 if some number is, and 1 if some number equals the number of choices. `answers` are
    pairs of an answer and the choices.

    >>> drinks = Choices(("tea", "ale"))
    >>> [shown_first_number([(text, drinks)]) for text in ("0", "1", "2")]
    [0, None, 1]
    """
    places = _places(answers)
    if any(number == 0 for number, _ in places):
        return 0
    if any(number == n_choices for number, n_choices in places):
        return 1
    return None


def find_first_number(answers: Sequence[tuple[object, Choices]]) -> int | None:
    """Return the number of the first choice, judging by all numbers; None if there are none.

    It is 0, with a note, if the numbers do not show it; see `shown_first_number`.
    """
    first = shown_first_number(answers)
    if first is not None or not _places(answers):
        return first
    note(
        "has places of choices, none of which is 0 or the last; they are taken to count from 0. If"
        " they count from 1, give letters or the texts of the choices"
    )
    return 0


def _places(answers: Iterable[tuple[object, Choices]]) -> list[tuple[int, int]]:
    """Return the numbers among answers that are no choices, each with the number of choices."""
    places = []
    for value, choices in answers:
        text = _without_zero(_only_text(value), choices)
        if text.isdecimal() and text not in {*choices.texts, *choices.labels}:
            places.append((int(text), sum(map(bool, choices.texts))))
    return places


def _only_text(value: object) -> str:
    """Return a value, or the only one of a list, as text."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return str(value).strip()


def _without_zero(text: str, choices: Choices) -> str:
    """Return 3 for 3.0, unless a choice has this text; any other text is unchanged."""
    match = _WHOLE_FLOAT.fullmatch(text)
    return match[1] if match and text not in choices.texts else text


def are_choice_numbers(answers: Iterable[tuple[object, Choices]]) -> bool:
    """Return whether answers are numbers of choices, even if some choices are themselves numbers.

    Then all are numbers up to the number of choices, and some are not texts of choices.

    >>> numbers = Choices(("1", "2", "3"))
    >>> drinks = Choices(("tea", "ale"))
    >>> are_choice_numbers([("2", numbers), ("1", drinks)]), are_choice_numbers([("2", numbers)])
    (True, False)
    """
    has_other_number = False
    for value, choices in answers:
        if _are_texts(value):  # they say nothing of numbers
            continue
        text = _without_zero(_only_text(value), choices)
        if not text.isdecimal() or int(text) > len(choices.texts) or choices.labels:
            return False
        has_other_number = has_other_number or text not in choices.texts
    return has_other_number


def _are_texts(value: object) -> bool:
    """Return whether a value is a list of several texts."""
    return isinstance(value, list) and len(value) > 1 and isinstance(value[0], str)


def match_choices(value: object, choices: Choices) -> tuple[str, ...]:
    """Return the choices to which a value refers by texts, labels, letters or numbers.

    >>> drinks = Choices(("tea", "ale", "mead"))
    >>> [match_choices(value, drinks) for value in ("AC", "A. tea, B. ale", ["C"], "A. ale, B")]
    [('tea', 'mead'), ('tea', 'ale'), ('mead',), ()]
    """
    if _are_texts(value):
        choices = choices._replace(only_numbers=False)
    values = as_list(value)
    if len(values) == 1 and isinstance(values[0], str) and _find_index(values[0], choices) is None:
        text = values[0].strip(" .")
        values = list(text) if _JOINED_LETTERS.fullmatch(text) else _BETWEEN_LETTERS.split(text)
    texts = [scalar_text(item).strip() for item in values if item is not None]
    if len(texts) > 1:  # "A. tea, C. ale"
        texts = [match_choice(text, choices) for text in texts]
    indices = [_find_index(text, choices) for text in texts]
    if None in indices:
        return ()
    return tuple(choices.texts[index] for index in indices if index is not None)


def match_choice(reply: str, choices: Choices) -> str:
    """Return the choice that a reply names by letter, number or text; else the reply itself.

    The text of the choice may follow its letter.

    >>> drinks = Choices(("tea", "ale"))
    >>> [match_choice(reply, drinks) for reply in ("(B)", "B. Ale", "B. tea", "Letra A.")]
    ['ale', 'ale', 'B. tea', 'tea']
    >>> match_choice("option1", drinks._replace(first=1))
    'tea'
    """
    texts, reply = choices.texts, reply.strip()
    reply = _without_zero(reply, choices)
    if choices.only_numbers and reply.isdecimal():
        index = _find_index(reply, choices)
        return reply if index is None else texts[index]
    if reply in texts:
        return reply
    bare = reply.strip(_AROUND_TEXT).casefold()
    for text in texts:
        if text and text.casefold() == bare:
            return text
    if reply.isdecimal() or _WORD_AND_NUMBER.fullmatch(reply):
        index = None if choices.first is None else _find_index(reply, choices)
        return reply if index is None else texts[index]
    if _OTHER_LABEL.match(reply):
        reply_in_latin = _LATIN_LETTERS[reply[0]] + reply[1:]
    else:
        reply_in_latin = with_latin_letters(reply)
    letter = _LETTER_AND_TEXT.fullmatch(reply_in_latin)
    if letter is None:
        return reply
    text = choice_at_letter(letter["letter"], choices)
    if (letter["text"] or text).strip(_AROUND_TEXT).casefold() == text.casefold():
        return text or reply
    return reply


def choice_at_letter(letter: str, choices: Choices) -> str:
    """Return the choice with a letter; empty if there is none."""
    index = ord(letter.upper()) - ord("A")
    return choices.texts[index] if index < len(choices.texts) else ""


def _find_index(text: str, choices: Choices) -> int | None:
    """Return the index of the choice that a text refers to; None if it refers to none."""
    text = _without_zero(text, choices)
    if choices.only_numbers and text.isdecimal():
        index = int(text) - (choices.first or 0)
        return index if 0 <= index < len(choices.texts) else None
    # labels and texts before letters: a choice may itself be called "B"
    for names in (choices.labels, choices.texts):
        if text and text in names:
            return names.index(text)
    folded = [choice.casefold() for choice in choices.texts]
    if text and text.casefold() in folded:
        return folded.index(text.casefold())
    letter = _LETTER.fullmatch(text)
    numbered = _WORD_AND_NUMBER.fullmatch(text)
    if letter is not None:
        index = ord(letter[1].upper()) - ord("A")
    elif numbered is not None and choices.first is not None:
        index = int(numbered[1]) - choices.first
    elif text.isdecimal() and len(text) < 4:  # four digits are a year
        index = int(text) - (choices.first or 0)
    else:
        return None
    return index if 0 <= index < len(choices.texts) and choices.texts[index] else None


def _choices_in_list(values: Sequence[object]) -> Choices:
    if all(map(_is_scalar, values)):
        texts = _scalar_texts(values)
        # A), B), ... before the texts are labels
        lettered = [match for match in map(_LETTERED_TEXT.fullmatch, texts) if match]
        labels = tuple(match["letter"].upper() for match in lettered)
        if len(labels) == len(texts) > 1 and labels == tuple(string.ascii_uppercase[: len(texts)]):
            return Choices(tuple(match["text"] for match in lettered), labels)
        return Choices(texts)
    objects = [value for value in values if isinstance(value, dict)]
    correct = objects_marked_correct(values)
    texts = tuple(_first_scalar(item, _TEXT_FIELDS) for item in objects)
    if correct is not None and not any(texts):
        texts = tuple(map(_only_text_in, objects))
    labels = tuple(_first_scalar(item, _LABEL_FIELDS) for item in objects)
    if len(objects) != len(values) or not all(texts):
        return NO_CHOICES
    if correct is not None:  # the labels are marks
        labels = tuple("1" if value in correct else "0" for value in values)
    if not all(labels):
        return Choices(texts)
    return Choices(texts, labels)


def _first_scalar(item: Mapping[str, object], names: Sequence[str]) -> str:
    fields = {normalize_name(name): value for name, value in item.items()}
    values = filter(_is_scalar, map(fields.get, names))
    return scalar_text(next(values, "")).strip()


def _only_text_in(item: Mapping[str, object]) -> str:
    """Return the only field of an object that is a text, such as ``filename``; else ""."""
    texts = [value for value in item.values() if isinstance(value, str)]
    return texts[0].strip() if len(texts) == 1 else ""


def _scalar_texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(scalar_text(value).strip() for value in values)


def _is_scalar(value: object) -> bool:
    return value is not None and not isinstance(value, (dict, list))

"""A run as lines, as submissions to shared tasks are, and numbers as their evaluator reads them."""

from __future__ import annotations

import re

from qaldgen.answers.record import Response, Run
from qaldgen.io.text import count
from qaldgen.model import QuestionSet
from qaldgen.scoring.count_table import response_to
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import gold_cells, wordings
from qaldgen.scoring.words.tokens import phrases, primary


def dump_submission(
    questions: QuestionSet, run: Run, language: str = "pl"
) -> tuple[str, list[str]]:
    r"""Return one line for each question, in their order, and notes for the user.

    >>> from qaldgen.model import Answers, Question
    >>> from qaldgen.answers.record import Response
    >>> asked = QuestionSet("set", "table", tuple(Question(name, {}) for name in "12"))
    >>> run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    >>> dump_submission(asked, run, "pl")
    ('tak\n\n', ['mine: 1 of 2 questions has no answer, and an empty line (first: 2, not asked)'])
    """
    lines, broken, missing = [], [], []
    for question in questions.questions:
        response = response_to(question, run)
        answer = answer_line(response, language)
        if "\n" in answer or "\r" in answer:
            broken.append(question.id)
        if not answer:
            missing.append(f"{question.id}, {response.status}")
        lines.append(re.sub(r"\s*[\r\n]\s*", " ", answer))
    size = count(len(lines), "question")
    have = "has" if len(missing) == 1 else "have"
    notes = (
        [
            f"{run.name}: {len(missing):,} of {size} {have} no answer,"
            f" and an empty line (first: {missing[0]})"
        ]
        if missing
        else []
    )
    notes += (
        [
            f"{run.name}: {count(len(broken), 'answer')} of several lines (first:"
            f" {broken[0]}) became one"
        ]
        if broken
        else []
    )
    return "".join(f"{line}\n" for line in lines), notes


def answer_line(response: Response, language: str = "pl", extract: Extractor | None = None) -> str:
    """Return the answer of a system as one line.

    Several answers are joined by commas.
    """
    answers = response.answers
    if answers is None:
        return ""
    if answers.boolean is not None:
        return _word_for(answers.boolean, language)
    texts = [wordings(cell)[0] for cell in gold_cells(answers)]
    for row in answers.texts:
        texts += (row[:1] if extract is None else extract(row[0]).texts) if row else ()
    return ", ".join(texts).strip(SPACE)


def _word_for(truth: bool, language: str) -> str:
    kind = "yes" if truth else "no"
    words = [
        word for part in (f"{kind}-word", kind) for word in phrases(part).get(primary(language), ())
    ]
    return words[0] if words else str(truth).lower()


#: The white space of Haskell's ``isSpace``; Python's ``str.strip`` would also take U+0085 and
#: U+2028.
SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_WORDS = re.compile(f"[^{SPACE}]+")
_NUMBER = re.compile(r"[-+]?[0-9]*\.[0-9]+|[0-9]+")
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ONLY_ROMAN = re.compile("[IVXLCDM]+")


def number_in(text: str) -> str | None:
    """Return the number that GEval finds in a text, as a string.

    The first number in digits, its sign kept only before a decimal point; or else the first word
    that consists of the capitals IVXLCDM, added up without checking that it is a valid numeral.

    >>> [number_in(text) for text in ("8,90 m", "-3.5", "-5", "w XVI", "XVI.", "IIII")]
    ['8', '-3.5', '5', '16', None, '4']
    """
    digits = _NUMBER.search(text)
    if digits:
        return digits[0]
    words = (word[0] for word in _WORDS.finditer(text) if _ONLY_ROMAN.fullmatch(word[0]))
    return next((str(value) for word in words if (value := _roman(word)) > 0), None)


def _roman(word: str) -> int:
    """Return the sum from right to left: a sign less than the previous one is subtracted."""
    total = last = 0
    for sign in reversed(word):
        value = _ROMAN[sign]
        total += value if value >= last else -value
        last = value
    return total

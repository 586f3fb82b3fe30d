"""Rules on records and texts of questions: ids, notes of the reader, languages, damage."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from qaldgen.annotation.language_detection import other_languages
from qaldgen.model import Question, Remark
from qaldgen.plugins.checking.checks import Case, Hit, each_question, quoted
from qaldgen.questions.listed_answers import LOOKS_LIKE_LISTS
from qaldgen.questions.question_texts import NO_TEXT, UNANSWERABLE

_HTML_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9A-Fa-f]+);")
#: UTF-8 that was decoded as Latin-1 or Windows-1252.
_MOJIBAKE = re.compile("Ã[\x80-\xbf]|Â[\xa0-\xbf]|â€|Ð[\x80-\xbf]Ð|[ÄÅ][\x80-\xbf]")
#: Control characters, zero-width space and byte order mark.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\ufeff]")
#: Marks of templates before a word, or a text that says "no text".
_PLACEHOLDER = re.compile(
    r"@@@|\{\{\s*[^\W\d]|\[\[\s*[^\W\d]|(?i:^\W*(?:n/a|null|none|nan|tbd|todo)\W*$)"
)
#: A command of LaTeX, a subscript or a power: braces in such a text belong to a formula.
_FORMULA = re.compile(r"\\[A-Za-z]+|[_^]\{")
#: A text with only these words is the start of a question.
_OPENERS = frozenset([
    "how", "many", "much", "what", "which", "who", "whom", "whose", "when", "where", "why", "is",
    "are", "was", "were", "did", "does", "do", "the", "a", "an", "of", "in", "give", "name", "list",
    "tell", "me",
])  # fmt: skip
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")


def id_duplicate(case: Case) -> Iterator[Hit]:
    """Find ids that the reader had to make unique by a number."""
    ids = {member.id for member in case.members}
    for member in case.members:
        base_id, _, number = member.id.rpartition("#")
        if base_id in ids and number.isdigit():
            yield Hit(
                member.id,
                f"id {quoted(base_id)} occurs {number} times; this question becomes"
                f" {quoted(member.id)}",
            )


def left_out(case: Case) -> Iterator[Hit]:
    """Find records without a question, except records without text or out of scope."""
    for record, reason, is_broken in case.left_out:
        if not is_broken and Remark(reason).rule not in {NO_TEXT.rule, UNANSWERABLE.rule}:
            yield Hit(record, f"the record was skipped: {reason}")


def record_broken(case: Case) -> Iterator[Hit]:
    """Find the records that cannot be read."""
    yield from (Hit(record, reason) for record, reason, is_broken in case.left_out if is_broken)


def _left_out_by(rule: Remark, case: Case, problem: str) -> Iterator[Hit]:
    """Find the records that were left out by one rule of the reader."""
    for record, reason, _ in case.left_out:
        if Remark(reason).rule == rule.rule:
            yield Hit(record, problem)


def set_note(case: Case) -> Iterator[Hit]:
    """Repeat the notes made while reading the set, except notes that a rule covers by question."""
    if not case.questions:
        return
    for note in case.questions.notes:
        if Remark(note).rule != LOOKS_LIKE_LISTS:
            yield Hit("", note)


def out_of_scope(case: Case) -> Iterator[Hit]:
    """Find questions that are marked as unanswerable."""
    yield from _left_out_by(UNANSWERABLE, case, "is marked OUT OF SCOPE")


def text_empty(case: Case) -> Iterator[Hit]:
    """Find the records without any text."""
    yield from _left_out_by(NO_TEXT, case, "has no text in any language")


def text_duplicate(case: Case) -> Iterator[Hit]:
    """Find questions that repeat a main text, ignoring case, punctuation and spaces."""
    first_by_text: dict[tuple[str, ...], Question] = {}
    for member in case.members:
        folded = tuple(re.findall(r"\w+", member.text().casefold()))
        first_question = first_by_text.setdefault(folded, member)
        if first_question is not member and folded:
            problem = f"{quoted(member.text())} repeats question {quoted(first_question.id)}"
            differences = []
            if first_question.sparql != member.sparql:
                differences.append("another query")
            if first_question.answers != member.answers:
                differences.append("other answers")
            if differences:
                problem += f", with {' and '.join(differences)}"
            yield Hit(member.id, problem)


def language_missing(case: Case) -> Iterator[Hit]:
    """Find questions without a text in a language that at least half of all questions have."""
    counts = Counter[str]()
    for member in case.members:
        counts.update(language for language, texts in member.texts.items() if any(texts))
    frequent = [language for language, count in counts.items() if 2 * count >= len(case.members)]
    for member in case.members:
        absent = [language for language in frequent if not any(member.texts.get(language, ()))]
        if absent:
            yield Hit(member.id, f"has no text in {', '.join(absent)}")


def language_tag(case: Case) -> Iterator[Hit]:
    """Find invalid language tags."""
    examples: dict[str, str] = {}
    for question_id, language, _ in case.texts():
        if not _TAG.fullmatch(language):
            examples.setdefault(language, question_id)
    for language, question_id in examples.items():
        yield Hit(question_id, f"{quoted(language)} is not a language tag")


def text_damaged(case: Case) -> Iterator[Hit]:
    """Find texts with signs of a wrong encoding or of escaped HTML."""
    for question_id, language, text in case.texts():
        damage = find_damage(text)
        if damage:
            yield Hit(question_id, f"the text in {language} has {damage}: {quoted(text)}")


def find_damage(text: str) -> str | None:
    """Return the sign of damage in a text; None without one.

    >>> find_damage("Who wrote Caf" + chr(0xC3) + chr(0xA9) + "?"), find_damage("Who wrote this?")
    ('bytes decoded with the wrong encoding', None)
    """
    if "\ufffd" in text:
        return "U+FFFD, the replacement of a lost character"
    # mojibake may contain control characters
    if _MOJIBAKE.search(text):
        return "bytes decoded with the wrong encoding"
    if _CONTROL.search(text):
        return "a control character or an invisible space"
    if _HTML_ENTITY.search(text):
        return "an HTML entity"
    return None


def text_untrimmed(case: Case) -> Iterator[Hit]:
    """Find texts with leading, trailing or repeated white space."""
    fields: dict[str, dict[str, None]] = {}
    for question_id, language, text in case.texts():
        if text != text.strip() or re.search(r"\s{2,}|\t", text):
            fields.setdefault(question_id, {})[language] = None
    for question_id, languages in fields.items():
        yield Hit(question_id, f"has superfluous white space in {', '.join(languages)}")


@each_question
def text_fragment(question: Question) -> str:
    """Find texts with a placeholder, or with question words only."""
    text = question.text()
    words = set(re.findall(r"\w+", text.casefold()))
    if _PLACEHOLDER.search(text) and not _FORMULA.search(text):
        return f"the text contains a placeholder: {quoted(text)}"
    if words <= _OPENERS:
        return f"the text contains only question words: {quoted(text)}"
    return ""


def language_other(case: Case) -> Iterator[Hit]:
    """Find texts that are clearly in another language than their tag says."""
    texts_by_language: dict[str, dict[str, str]] = {}
    for member in case.members:
        for language, texts in member.texts.items():
            main_texts = texts_by_language.setdefault(language, {})
            if texts:
                main_texts[member.id] = texts[0]
    for language, main_texts in texts_by_language.items():
        for question_id, detected in other_languages(main_texts, language).items():
            text = quoted(main_texts[question_id])
            yield Hit(question_id, f"the text in {language} reads like {detected}: {text}")


def text_untranslated(case: Case) -> Iterator[Hit]:
    """Find texts that are equal in two languages."""
    for member in case.members:
        languages_by_text: dict[str, str] = {}
        for language, texts in member.texts.items():
            main_text = texts[0] if texts else ""
            first_language = languages_by_text.setdefault(main_text, language)
            # one or two words may be a name, the same in all languages
            if first_language != language and len(main_text.split()) > 2:
                languages = f"{language} is identical to that in {first_language}"
                yield Hit(member.id, f"the text in {languages}: {quoted(main_text)}")

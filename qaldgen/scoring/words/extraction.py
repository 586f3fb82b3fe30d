"""Which part of a raw reply is the answer.

Without reasoning and markup, and the marked answer if there is one. Every matcher for words reads
replies through this module, and `score` reports how often each rule applied.
"""

from __future__ import annotations

import ast
import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from qaldgen.errors import UsageError
from qaldgen.io.names import one_of
from qaldgen.scoring.words.lexicon import ANSWER_INTRODUCTIONS, ANSWER_WORDS, SIGNS
from qaldgen.scoring.words.markup import ITEM, list_items, plain
from qaldgen.scoring.words.reasoning import last_match, without_reasoning


class Extracted(NamedTuple):
    """The answers in a reply.

    Attributes
    ----------
    texts : tuple of str
        The answers.
    rule : str
        The name of the rule that found them.
    """

    texts: tuple[str, ...]
    rule: str


#: Reads one reply.
Extractor: TypeAlias = Callable[[str], Extracted]

#: What `--extract` takes, with help; ``regex:`` is followed by a pattern.
EXTRACTIONS = {
    "auto": "the marked answer (tag, \\boxed, JSON field, 'Answer:' line), else the whole reply",
    "whole": "the whole reply, without reasoning and markup",
    "last-line": "the last line of the reply, without reasoning and markup",
    "raw": "the reply as it is",
    "regex:PATTERN": "the last match of a regular expression: its first group, or all of it",
}

#: A quick check: a reply without any of these has neither markup nor marked answers.
_MARKED = re.compile(r"[<\[{\\#:：【◁|*_`$~>\n^•]| - |1[.)]")
_TAG = re.compile(
    r"<(answer|final[_-]?answer|final|result|output|response)>(.*?)(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_FENCE = re.compile(r"```[ \t]*(?:json\w*)?[ \t]*\n(.*?)```", re.DOTALL)
_TAIL_OBJECT = re.compile(r"\{[^{}]*\}\s*\Z")
_HASHES = re.compile(r"^#{4}[ \t]*(\S.*)$", re.MULTILINE)
_BOXED = re.compile(r"\\f?boxed\s*\{")
#: Fields of a JSON reply that may hold the answer, as `squeezed` names, the most specific first.
_FIELDS = (
    "finalanswer",
    "answer",
    "answers",
    "prediction",
    "result",
    "response",
    "output",
    "value",
)

#: An answer word with up to three words before ("the correct answer") and two after it ("answer in
#: short").
_NAMED = (
    r"(?:(?!wrong\b|incorrect\b|user\b)\w+[ \t]+){0,3}?"
    rf"(?:{'|'.join(ANSWER_WORDS)})(?:[ \t]+\w+){{0,2}}[ \t*_]*"
)
#: "**Final answer:** ...", or a heading on a line of its own.
_ANSWER_LABEL = re.compile(
    rf"^[^\w\n]*{_NAMED}[:：][ \t*_]*|^(?=[#*])[^\w\n]*{_NAMED}\n", re.MULTILINE | re.IGNORECASE
)
_OTHER_LABEL = re.compile(r"^[^\w\n]*[^\W\d][\w ]{2,30}[*_]*[:：]", re.MULTILINE)
#: Every label and introduction contains one of these; a plain search is much faster than the
#: patterns.
_STEMS = (
    *("answer", "antwo", "répons", "respuest", "rispost", "respost", "răspuns", "ответ", "відповід",
        "odpow", "odpov"),
    *("odgovor", "отговор", "svar", "vastau", "válasz", "απάντησ", "cevap", "yanıt", "答", "답",
        "جواب", "جابة", "پاسخ"),
    *("תשובה", "उत्तर", "जवाब", "উত্তর", "trả lời", "đáp án", "jawaban", "คำตอบ"),
)  # fmt: skip
_ASCII_STEMS = tuple(stem for stem in _STEMS if stem.isascii())
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+")
_INTRODUCTION = re.compile(
    rf"(?:{'|'.join(ANSWER_INTRODUCTIONS)})[ \t]*[:：\-–—]?[ \t]*(?=\S)", re.IGNORECASE
)
_LETTER = re.compile(r"[(\[]?([A-Ha-h])[)\].:]?")
_FEWEST_OPTIONS = 2
_CHOICE = re.compile(r"^[^\w\n(]*[(]?([A-H])[).:][ \t]+(\S.*)$", re.MULTILINE)


@functools.lru_cache(maxsize=32)
def make_extractor(how: str = "auto") -> Extractor:
    """Return the function that reads replies in a given way.

    Parameters
    ----------
    how
        A key of `EXTRACTIONS`, or ``regex:`` and a pattern.

    Returns
    -------
    Extractor
        Takes a reply.

    Raises
    ------
    UsageError
        If there is no such way, or the pattern is not a regular expression.

    Examples
    --------
    >>> make_extractor("auto")("<think>Or Ulm?</think> **Answer:** Bonn")
    Extracted(texts=('Bonn',), rule='answer line')
    >>> make_extractor("regex:is (.+)[.]")("It is Bonn.")
    Extracted(texts=('Bonn',), rule='regex')
    """
    ways: dict[str, Extractor] = {
        "auto": _auto,
        "whole": _whole,
        "last-line": _last_line,
        "raw": _raw,
    }
    if how in ways:
        return ways[how]
    name, colon, pattern = how.partition(":")
    if name != "regex" or not colon or not pattern:
        raise UsageError(f"extract is {how!r}; {one_of(how, EXTRACTIONS)}")
    try:
        compiled = re.compile(pattern, re.DOTALL | re.MULTILINE)
    except re.error as error:
        raise UsageError(f"extract: {pattern!r} is not a regular expression ({error})") from error
    return functools.partial(_by_pattern, compiled)


def count_rules(replies: Iterable[str], how: str = "auto") -> Counter[str]:
    """Return how many replies each rule applied to.

    Parameters
    ----------
    replies
        Replies in words.
    how
        As for `make_extractor`.

    Returns
    -------
    Counter[str]
        Numbers by name of the rule.

    Examples
    --------
    >>> count_rules(["Bonn", "<answer>Bonn</answer>"])
    Counter({'whole reply': 1, 'tag': 1})
    """
    extract = make_extractor(how)
    return Counter(extract(reply).rule for reply in replies)


def _raw(text: str) -> Extracted:
    return Extracted((text,), "raw")


def _whole(text: str) -> Extracted:
    return Extracted(_filled(plain(without_reasoning(text))), "whole reply")


def _last_line(text: str) -> Extracted:
    lines = [line for line in without_reasoning(text).splitlines() if any(map(str.isalnum, line))]
    return Extracted(_filled(plain(lines[-1])) if lines else (), "last line")


def _by_pattern(pattern: re.Pattern[str], text: str) -> Extracted:
    match = last_match(pattern, text)
    if match is None:
        return Extracted((), "no match")
    return Extracted(_filled((match[1] if pattern.groups else match[0]) or ""), "regex")


def _auto(text: str) -> Extracted:
    if _MARKED.search(text) is None:
        return _by_introduction(text) or Extracted(_filled(text.strip()), "whole reply")
    answer = without_reasoning(text)
    if not any(map(str.isalnum, answer)):
        return Extracted((), "reasoning only" if any(map(str.isalnum, text)) else "whole reply")
    for rule in (_by_tag, _by_box, _by_json, _by_label, _by_introduction, _by_list):
        extracted = rule(answer)
        if extracted is not None:
            return _chosen(extracted, answer)
    return Extracted(_filled(plain(answer)), "whole reply")


def _by_tag(text: str) -> Extracted | None:
    match = last_match(_TAG, text) if "<" in text else None
    if match is None or not any(map(str.isalnum, match[2])):
        return None
    inner = _by_box(match[2]) or _by_json(match[2]) or _by_label(match[2]) or _by_list(match[2])
    return Extracted(inner.texts if inner else _filled(plain(match[2])), "tag")


def _by_box(text: str) -> Extracted | None:
    match = last_match(_BOXED, text) if "boxed" in text else None
    if match is None:
        return None
    # Braces may be nested, which a regular expression cannot count.
    depth, end = 1, match.end()
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return Extracted(_filled(plain(f"${text[match.end() : end - (not depth)]}$")), "\\boxed")


def _by_json(text: str) -> Extracted | None:
    if "{" not in text and "[" not in text:
        return None
    fenced = last_match(_FENCE, text)
    tail = _TAIL_OBJECT.search(text)
    for part in (text, fenced[1] if fenced else "", tail[0] if tail else ""):
        value = _parsed(part.strip())
        texts = _json_texts(value) if value is not None else None
        if texts is not None:
            return Extracted(texts, "JSON")
    return None


def _parsed(text: str) -> object:
    if text[:1] not in "{[" or len(text) < 2 or text[-1] not in "}]":
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            value: object = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return value if isinstance(value, (dict, list)) else None
    return None


def _json_texts(value: object) -> tuple[str, ...] | None:
    """Return the answers in a JSON value; None if it is not clear which field is the answer."""
    if isinstance(value, dict):
        fields = {re.sub(r"[\W_]", "", str(name)).lower(): inner for name, inner in value.items()}
        name = next((name for name in _FIELDS if name in fields), None)
        if name is None and len(fields) == 1:
            name = next(iter(fields))
        return None if name is None else _json_texts(fields[name])
    if isinstance(value, list):
        parts = [_json_texts(item) for item in value]
        return None if None in parts else tuple(text for part in parts if part for text in part)
    if value is None:
        return ()
    return _filled(plain(str(value).lower() if isinstance(value, bool) else str(value)))


def _by_label(text: str) -> Extracted | None:
    """Read the text after "Answer:", up to the end of its paragraph or list."""
    hashes = last_match(_HASHES, text) if "####" in text else None
    if hashes is not None:
        return Extracted(_filled(plain(hashes[1])), "answer line")
    label = last_match(_ANSWER_LABEL, text) if _names_answer(text) else None
    block = _block(text[label.end() :]) if label is not None else ""
    if not any(map(str.isalnum, block)):
        return None
    return Extracted(list_items(block) or _filled(plain(block)), "answer line")


def _block(text: str) -> str:
    """Return the first paragraph, and the list that it announces or that follows it."""
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
    if not paragraphs:
        return ""
    lines = paragraphs[0].lstrip("\n").splitlines()
    end = next(
        (
            i
            for i, line in enumerate(lines)
            if i and _OTHER_LABEL.match(line) and not ITEM.match(line)
        ),
        len(lines),
    )
    block = "\n".join(lines[:end])
    if block.rstrip(" *_").endswith((":", "：")) and end == len(lines):
        block += "\n" + "\n".join(paragraphs[1:2])
    return block


def _by_introduction(text: str) -> Extracted | None:
    """Read the text after "the answer is" in the last sentence."""
    if not _names_answer(text):
        return None
    last = _SENTENCE_END.split(text.rstrip())[-1].rpartition("\n")[2]
    match = last_match(_INTRODUCTION, last)
    rest = plain(last[match.end() :]) if match is not None else ""
    return Extracted((rest,), "'the answer is'") if any(map(str.isalnum, rest)) else None


def _by_list(text: str) -> Extracted | None:
    options = [letter for letter, _ in _CHOICE.findall(text)]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if (
        _FEWEST_OPTIONS < len(options) == len(lines)
        and "".join(options) == "ABCDEFGH"[: len(options)]
    ):
        return Extracted((), "options without a choice")
    items = list_items(text)
    return Extracted(items, "list") if items else None


def _chosen(extracted: Extracted, reply: str) -> Extracted:
    """Return the option that a letter refers to, if the reply lists options."""
    letter = _LETTER.fullmatch(extracted.texts[0].strip()) if len(extracted.texts) == 1 else None
    options = dict(_CHOICE.findall(reply)) if letter else {}
    if letter is None or letter[1].upper() not in options:
        return extracted
    return Extracted(_filled(plain(options[letter[1].upper()])), "option")


def _names_answer(text: str) -> bool:
    lowered = text.lower()
    for stem in _ASCII_STEMS if text.isascii() else _STEMS:  # noqa: SIM110 - twice as fast as any()
        if stem in lowered:
            return True
    return False


def _filled(text: str) -> tuple[str, ...]:
    return (text,) if any(char.isalnum() or char in SIGNS for char in text) else ()

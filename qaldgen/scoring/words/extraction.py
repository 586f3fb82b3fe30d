"""Which part of a raw reply is the answer.

Without reasoning and markup, and the marked answer if there is one. Every matcher for words reads
replies through this module, and `score` reports how often each rule applied.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

from qaldgen.errors import UsageError
from qaldgen.io.names import one_of
from qaldgen.scoring.words.answer_marks import (
    Extracted,
    by_box,
    by_introduction,
    by_json,
    by_label,
    by_list,
    by_tag,
    chosen,
    filled,
)
from qaldgen.scoring.words.markup import plain
from qaldgen.scoring.words.reasoning import last_match, without_reasoning

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
    return Extracted(filled(plain(without_reasoning(text))), "whole reply")


def _last_line(text: str) -> Extracted:
    lines = [line for line in without_reasoning(text).splitlines() if any(map(str.isalnum, line))]
    return Extracted(filled(plain(lines[-1])) if lines else (), "last line")


def _by_pattern(pattern: re.Pattern[str], text: str) -> Extracted:
    match = last_match(pattern, text)
    if match is None:
        return Extracted((), "no match")
    return Extracted(filled((match[1] if pattern.groups else match[0]) or ""), "regex")


def _auto(text: str) -> Extracted:
    if _MARKED.search(text) is None:
        return by_introduction(text) or Extracted(filled(text.strip()), "whole reply")
    answer = without_reasoning(text)
    if not any(map(str.isalnum, answer)):
        return Extracted((), "reasoning only" if any(map(str.isalnum, text)) else "whole reply")
    for rule in (by_tag, by_box, by_json, by_label, by_introduction, by_list):
        extracted = rule(answer)
        if extracted is not None:
            return chosen(extracted, answer)
    return Extracted(filled(plain(answer)), "whole reply")

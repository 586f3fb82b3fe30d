"""The result that a worked solution marks."""

from __future__ import annotations

import re

#: The mark before the result of a worked solution.
RESULT = "####"
#: A last line with the result: "A: 18".
_LAST_LINE = re.compile(r"\s*(?i:a|answer|final answer)\s*[:：]\s*(?P<result>\S.*)")
_BOXED = re.compile(r"\\f?boxed\s*\{")


def boxed(text: str) -> str | None:
    r"""Return what the last ``\boxed{}`` of a text holds; None if there is none.

    >>> boxed(r"So $x = \boxed{\frac{1}{2}}$.")
    '\\frac{1}{2}'
    """
    if "boxed" not in text:  # most texts
        return None
    boxes = list(_BOXED.finditer(text))
    if not boxes:
        return None
    # braces may be nested, which a regular expression cannot count
    start = end = boxes[-1].end()
    depth = 1
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start : end - (not depth)]


def marked_result(solution: object) -> tuple[str, ...]:
    r"""Return the result that a worked solution marks; empty if none is.

    The mark is ``####``, a box, or a word for an answer in the last line. A number has a second
    wording, without thousands separators, which comes first.

    >>> marked_result("800 + 400\n#### 1,200"), marked_result("It is seven.")
    (('1200', '1,200'), ())
    >>> marked_result("It is 9 * 2.\nA: 18")
    ('18',)
    """
    if not isinstance(solution, str):
        return ()
    _, mark, result = solution.rpartition(RESULT)
    if not mark:
        above, _, last = solution.rstrip().rpartition("\n")
        last_line = _LAST_LINE.fullmatch(last) if above else None
        result = boxed(solution) or (last_line["result"] if last_line else "")
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", result.strip())
    return tuple(dict.fromkeys(filter(None, (plain, result.strip()))))

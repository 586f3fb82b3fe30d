"""Plain text from Markdown, LaTeX and HTML, as language models write them."""

from __future__ import annotations

import itertools
import re

#: A line of a list: a bullet, or a number of up to two digits.
ITEM = re.compile(r"[ \t]*(?:[-*•–◦▪‣+]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+(?=\S)")
_NUMBERED = re.compile(r"^[ \t]*\(?(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE)
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[^\S\n]))\(?(\d{1,2})[.)][ \t]+(?=[^\s\d])")
_INLINE_BULLET = re.compile(r"(?:(?<=:)|[ \t])[ \t]*[-•][ \t]+(?=[^\W\d_a-z])")
_BULLET = re.compile(r"^[ \t]*[-*•–◦▪‣+][ \t]+(?=\S)", re.MULTILINE)
#: A quick check: text without any of these has no markup.
_TRIGGER = re.compile(r"[*_`$\\<\[【~|>\n^]")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ ]\"[^\"]*\")?\)")
_CITATION = re.compile(r"[ \t]*(?:\[\^?\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]|【[^】]*】|\[\^[\w-]+\])")
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>")
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}|>+)[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:=-]{3,}$", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*{1,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_UNDERLINE = re.compile(r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)", re.DOTALL)
_LATEX_TEXT = re.compile(
    r"\\(?:text|mathrm|mathbf|textbf|textit|mathit|operatorname|mbox|emph|mathsf)\s*\{([^{}]*)\}"
)
_LATEX_TIMES = re.compile(r"\\(?:times|cdot)\b")
_LATEX_SPACE = re.compile(r"\\[,;:! ]|\\q?quad\b|(?<=\d)\{,\}(?=\d)")
_LATEX_DEGREES = re.compile(r"\^\s*\{?\s*\\circ\s*\}?")
_LATEX_COMMAND = re.compile(r"\\([A-Za-z]+)")
_LATEX_MATH = re.compile(r"\$\$?|\\[()\[\]]")
_DIGIT_GAP = re.compile(r"(?<=\d)\\[,!;](?=\d)|(?<=\d)\{,\}(?=\d)")

#: Markup inside a line: a character that every match contains, the pattern, and what is kept of a
#: match.
_INLINE = (
    ("[", _LINK, r"\1"),
    ("[", _CITATION, ""),
    ("【", _CITATION, ""),
    ("<", _TAG, " "),
    *((mark, _EMPHASIS, r"\2") for mark in ("*", "*", "~~", "`")),
    ("_", _UNDERLINE, r"\2"),
)


def plain(text: str) -> str:
    r"""Return a text without Markdown, LaTeX, HTML, citations and list markers.

    The numbers of a list are removed only if they count up, so that "5. March" keeps its day.

    Parameters
    ----------
    text
        A reply or a part of it.

    Returns
    -------
    str
        Stripped of outer white space.

    Examples
    --------
    >>> plain("The **Old Mill** [1], see [here](http://x.org/a_(b)).")
    'The Old Mill, see here.'
    >>> plain("$1{,}234 \\text{ km}^2$")
    '1,234  km^2'
    >>> plain("1. Ulm\n2. Bonn"), plain("5. March 1990")
    ('Ulm\nBonn', '5. March 1990')
    """
    text = _without_inline_lists(text)
    if _TRIGGER.search(text) is None:
        return text.strip()
    if "\\" in text or "$" in text:
        text = _without_latex(text)
    if "\n" in text or "#" in text or ">" in text or "- " in text[:4]:
        text = _without_blocks(text)
    for mark, pattern, kept in _INLINE:
        if mark in text:
            text = pattern.sub(kept, text)
    return text.strip()


def _without_inline_lists(text: str) -> str:
    """Put the items of a list within one line on lines of their own.

    For instance "These are: 1. Ulm 2. Bonn".
    """
    if " - " in text or " • " in text:
        bullets = _INLINE_BULLET.findall(text)
        text = _INLINE_BULLET.sub("\n", text) if len(bullets) > 1 else text
    if "1." in text or "1)" in text:
        numbers = [int(number) for number in _INLINE_NUMBER.findall(text)]
        if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
            text = _INLINE_NUMBER.sub("\n", text)
    return text


def _without_latex(text: str) -> str:
    text = _DIGIT_GAP.sub(",", text)
    # Twice, for commands within commands.
    for _ in range(2):
        text = _LATEX_TEXT.sub(r"\1", text)
    text = _LATEX_DEGREES.sub("°", text)
    text = _LATEX_MATH.sub("", _LATEX_SPACE.sub(" ", _LATEX_TIMES.sub("×", text)))
    return _LATEX_COMMAND.sub(r" \1 ", text.replace("\\%", "%").replace("\\$", "$"))


def _without_blocks(text: str) -> str:
    """Remove fences, headings, rules of tables, and list markers."""
    text = _FENCE.sub("", text) if "```" in text else text
    text = _RULE.sub("", _HEADING.sub("", text))
    numbers = [int(number) for number in _NUMBERED.findall(text)]
    if len(numbers) > 1 and any(
        after == before + 1 for before, after in itertools.pairwise(numbers)
    ):
        text = _NUMBERED.sub("", text)
    return _BULLET.sub("", text)


def list_items(text: str) -> tuple[str, ...]:
    r"""Return the items of a text that is nothing but a list of at least two items.

    Parameters
    ----------
    text
        A reply or a part of it.

    Returns
    -------
    tuple[str, ...]
        Empty for any other text.

    Examples
    --------
    >>> list_items("- Ulm\n- **Bonn**"), list_items("Ulm:\n- old")
    (('Ulm', 'Bonn'), ())
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(map(ITEM.match, lines)):
        return ()
    return tuple(item for line in lines if (item := plain(ITEM.sub("", line, count=1))))

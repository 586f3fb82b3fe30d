"""Which part of a raw reply is the answer: without reasoning and markup, the marked one if any."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.json_text import from_json
from qaldgen.questions.values import boxed
from qaldgen.scoring.words.tokens import phrases

#: Words that label an answer, before a colon; quick to look for, before any pattern is.
_ANSWER_WORDS = phrases("answer")["any"]
#: A line of a list: a bullet, or a number of up to two digits.
ITEM = re.compile(r"[ \t]*(?:[-*•–◦▪‣+]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+(?=\S)")
# white space is read from where it begins only, so that a long stretch is not read from each place
_NUMBER = re.compile(
    r"(?:^[ \t]*|(?<=[^\S\n])(?:(?<=\S[^\S\n])[ \t]+)?)\(?(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE
)
#: Markup: what every match has, the pattern, and what is kept of a match; LaTeX comes first.
_MARKUP = tuple(
    (mark, re.compile(pattern, re.MULTILINE), kept)
    for mark, pattern, kept in (
        ("\\", r"(?<=\d)\\[,!;](?=\d)", ","),
        ("{,}", r"(?<=\d)\{,\}(?=\d)", ","),
        *[("\\", r"\\(?:[a-z]*text[a-z]*|math[a-z]+|operatorname|emph|mbox)\s*\{([^{}]*)\}", r"\1")]
        * 2,
        ("\\", r"\\([%$])", r"\1"),
        ("$", r"\$\$?", ""),
        ("\\", r"\\[()\[\]]", ""),
        ("\\", r"\\[,;:! ]|\\q?quad\b", " "),
        ("\\", r"\\([A-Za-z]+)", r" \1 "),
        ("`", r"^[ \t]*```.*$", ""),
        ("\n", r"^(?:[ \t]*(?:#{1,6}|>+|[-*•–◦▪‣+])[ \t]+(?=\S)|[ \t|:=-]{3,}$)", ""),
        ("[", r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ ]\"[^\"]*\")?\)", r"\1"),
        ("[", r"(?:(?<![ \t])[ \t]+)?\[\^?(?:\d{1,3}(?:\s*[,–-]\s*\d{1,3})*|(?<=\^)[\w-]+)\]", ""),
        ("【", r"(?:(?<![ \t])[ \t]+)?【[^】]*】", ""),
        ("<", r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>", " "),
        *((mark, r"(?<![\w*_`~])[*_`~]+(?=\S)|(?<=\S)[*_`~]+(?![\w*_`~])", "") for mark in "*_`~"),
    )
)


def plain(text: str) -> str:
    r"""Return a text without Markdown, LaTeX, HTML, citations and list markers.

    The numbers of a list are removed only if they count up, so that "5. March" keeps its day.

    >>> plain("The **Old Mill** [1], see [here](http://x.org/a_(b)).")
    'The Old Mill, see here.'
    >>> plain("$1{,}234 \\text{ km}^2$")
    '1,234  km^2'
    >>> plain("1. Ulm\n2. Bonn"), plain("5. March 1990")
    ('Ulm\nBonn', '5. March 1990')
    """
    if "1." in text or "1)" in text:
        numbers = [int(number) for number in _NUMBER.findall(text)]
        if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
            text = _NUMBER.sub("\n", text)
    for mark, pattern, kept in _MARKUP:
        if mark in text:
            text = pattern.sub(kept, text)
    return "\n".join(line for line in text.strip().split("\n") if line.strip())


def list_items(text: str) -> tuple[str, ...] | None:
    r"""Return the items of a text that is a list of at least two items; None for others.

    >>> list_items("- Ulm\n- **Bonn**"), list_items("Ulm:\n- old")
    (('Ulm', 'Bonn'), None)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(map(ITEM.match, lines)):
        return None
    return tuple(item for line in lines if (item := plain(ITEM.sub("", line, count=1))))


_REASONING = r"(?:\w+:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)"
_REASONING_TAG = re.compile(rf"[<\[◁](/?)({_REASONING})[>\]▷]", re.IGNORECASE)
#: Start of the answer of a model in the "harmony" format, and special tokens that end an answer.
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final[^<]*<\|message\|>")
_END_TOKEN = re.compile(
    r"<\|(?:im_end|eot_id|endoftext|end|return|eom_id)\|>|</s>|<eos>|<end_of_turn>"
)


def without_reasoning(text: str) -> str:
    r"""Return a reply without reasoning before the answer, and without text after its end.

    A block that is never closed hides everything after it; a closing tag alone ends a block that
    the prompt opened.

    >>> without_reasoning("Hm, Ulm?</think>Bonn"), without_reasoning("<think>Is it Bonn")
    ('Bonn', '')
    """
    final = last_match(_FINAL_CHANNEL, text)
    if final is not None:
        text = text[final.end() :]
    text = _END_TOKEN.split(text, maxsplit=1)[0]
    kept: list[str] = []
    at, inside = 0, ""
    # in one pass, since a reply may have thousands of tags
    for tag in _REASONING_TAG.finditer(text):
        closes, name = tag[1], tag[2].lower()
        if inside and closes and name == inside:
            at, inside = tag.end(), ""
        elif not inside and closes:
            kept, at = [], tag.end()
        elif not inside:
            kept.append(text[at : tag.start()])
            inside = name
    if not inside:
        kept.append(text[at:])
    return " ".join(kept).strip()


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern in a text."""
    return next(reversed(list(pattern.finditer(text))), None)


class Extracted(NamedTuple):
    """The answers in a reply."""

    texts: tuple[str, ...]
    rule: str


_ANSWER_TAG = re.compile(
    r"<(answer|final[_-]?answer|final|result|output|response)>(.*?)(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_FENCED = re.compile(r"```[ \t]*(?:json\w*)?[ \t]*\n(.*?)```", re.DOTALL)
_TAIL_OBJECT = re.compile(r"\{[^{}]*\}\s*\Z")
_HASHES = re.compile(r"^#{4}[ \t]*(\S.*)$", re.MULTILINE)
#: Fields of a JSON reply that may hold the answer, as `squeezed` names, the most specific first.
_FIELDS = ("answer", "answers", "prediction", "result", "response", "output", "value")
#: An answer word with up to three words before ("the correct answer") and two after it ("answer in
#: short").
_NAMED = (
    r"(?:(?!wrong\b|incorrect\b|user\b)\w+[ \t]+){0,3}?"
    rf"(?:{'|'.join(_ANSWER_WORDS)})(?:[ \t]+\w+){{0,2}}[ \t*_]*"
)
#: "**Final answer:** ...", or a heading on a line of its own.
_ANSWER_LABEL = re.compile(
    rf"^[^\w\n]*{_NAMED}[:：][ \t*_]*|^(?=[#*])[^\w\n]*{_NAMED}\n", re.MULTILINE | re.IGNORECASE
)
_OTHER_LABEL = re.compile(r"^[^\w\n]*[^\W\d][\w ]{2,30}[*_]*[:：]", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+")
_INTRODUCTION = re.compile(
    rf"(?:{'|'.join(phrases('introduction')['any'])})[ \t]*[:：\-–—]?[ \t]*(?=\S)", re.IGNORECASE
)


def by_tag(text: str) -> tuple[str, ...] | None:
    """Return the content of the last tag for answers; None if there is none."""
    match = last_match(_ANSWER_TAG, text)
    if match is None or not any(map(str.isalnum, match[2])):
        return None
    for rule in (by_box, by_json, by_label, list_items):
        found = rule(match[2])
        if found is not None:
            return found
    return filled(plain(match[2]))


def by_box(text: str) -> tuple[str, ...] | None:
    r"""Return the content of the last ``\boxed{}``; None if there is none."""
    content = boxed(text)
    if content is None:
        return None
    return filled(plain(f"${content}$"))


def by_json(text: str) -> tuple[str, ...] | None:
    """Return the answer in JSON: all of the reply, a fenced block, or an object at its end."""
    parts = [text]
    if fenced := last_match(_FENCED, text):
        parts.append(fenced[1])
    if tail := _TAIL_OBJECT.search(text):
        parts.append(tail[0])
    for part in map(str.strip, parts):
        if not part.startswith(("{", "[")):
            continue
        try:
            texts = _json_texts(from_json(part))
        except ValueError:
            continue
        if texts is not None:
            return texts
    return None


def _json_texts(value: object) -> tuple[str, ...] | None:
    """Return the answers in a JSON value; None if it is not clear which field is the answer."""
    if isinstance(value, dict):
        fields = {re.sub(r"[\W_]", "", str(name)).lower(): inner for name, inner in value.items()}
        name = next((name for name in ("finalanswer", *_FIELDS) if name in fields), None)
        if name is None and len(fields) == 1:
            name = next(iter(fields))
        if name is None:
            return None
        return _json_texts(fields[name])
    if isinstance(value, list):
        parts = [_json_texts(item) for item in value]
        if None in parts:
            return None
        return tuple(text for part in parts if part for text in part)
    if value is None:
        return ()
    if isinstance(value, bool):
        return (str(value).lower(),)
    return filled(plain(str(value)))


def by_label(text: str) -> tuple[str, ...] | None:
    """Read the text after "Answer:", up to the end of its paragraph or list."""
    hashes = last_match(_HASHES, text)
    if hashes is not None:
        return filled(plain(hashes[1]))
    if not _names_answer(text):
        return None
    label = last_match(_ANSWER_LABEL, text)
    if label is None:
        return None
    block = _block(text[label.end() :])
    if not any(map(str.isalnum, block)):
        return None
    return list_items(block) or filled(plain(block))


def _block(text: str) -> str:
    """Return the first paragraph, and the list that it announces or that follows it."""
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
    if not paragraphs:
        return ""
    lines = paragraphs[0].lstrip("\n").splitlines()
    labels = (
        i for i, line in enumerate(lines) if _OTHER_LABEL.match(line) and not ITEM.match(line)
    )
    end = next(filter(None, labels), len(lines))
    block = "\n".join(lines[:end])
    if block.rstrip(" *_").endswith((":", "：")) and end == len(lines):
        block += "\n" + "\n".join(paragraphs[1:2])
    return block


def by_introduction(text: str) -> tuple[str, ...] | None:
    """Read the text after "the answer is" in the last sentence."""
    if not _names_answer(text):
        return None
    last = _SENTENCE_END.split(text.rstrip())[-1].rpartition("\n")[2]
    match = last_match(_INTRODUCTION, last)
    if match is None:
        return None
    rest = plain(last[match.end() :])
    if not any(map(str.isalnum, rest)):
        return None
    return (rest,)


def _names_answer(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _ANSWER_WORDS)


_SIGNS = frozenset((*phrases("sign-yes")["any"], *phrases("sign-no")["any"]))


def filled(text: str) -> tuple[str, ...]:
    """Return the text as the only answer, or no answer if it has no letter, digit or sign."""
    if any(char.isalnum() or char in _SIGNS for char in text):
        return (text,)
    return ()


#: Reads one reply.
Extractor: TypeAlias = Callable[[str], Extracted]
#: What `extract` takes, with help; ``regex:`` is followed by a pattern.
EXTRACTIONS = {
    "auto": "the marked answer (tag, \\boxed, JSON field, 'Answer:' line), else the whole reply",
    "whole": "the whole reply, without reasoning and markup",
    "last-line": "the last line of the reply, without reasoning and markup",
    "raw": "the reply as it is",
    "regex:PATTERN": "the last match of a regular expression: its first group, or all of it",
}
#: A quick check: a reply without any of these has neither markup nor marked answers.
_MARKED = re.compile(r"[<\[{\\#:：【◁|*_`$~>\n^•]| - |1[.)]")
#: How the answer is found in a reply, tried in this order.
_RULES: Mapping[str, Callable[[str], tuple[str, ...] | None]] = MappingProxyType({
    "tag": by_tag,
    "\\boxed": by_box,
    "JSON": by_json,
    "answer line": by_label,
    "'the answer is'": by_introduction,
    "list": list_items,
})  # fmt: skip


@functools.lru_cache(maxsize=32)
def make_extractor(how: str = "auto") -> Extractor:
    """Return the function that reads replies in a given way.

    >>> make_extractor("auto")("<think>Or Ulm?</think> **Answer:** Bonn")
    Extracted(texts=('Bonn',), rule='answer line')
    >>> make_extractor("regex:is (.+)[.]")("It is Bonn.")
    Extracted(texts=('Bonn',), rule='regex')
    """
    if how in ("auto", "whole", "last-line", "raw"):
        return functools.partial(read_reply, how=how)
    name, _, pattern = how.partition(":")
    if name != "regex" or not pattern:
        raise UsageError(f"extract is {how!r}; {one_of(how, EXTRACTIONS)}")
    try:
        compiled = re.compile(pattern, re.DOTALL | re.MULTILINE)
    except re.error as error:
        raise UsageError(f"extract: {pattern!r} is not a regular expression ({error})") from error
    return functools.partial(read_reply, how=name, pattern=compiled)


def read_reply(text: str, how: str, pattern: re.Pattern[str] | None = None) -> Extracted:
    """Return the answers in a reply, read in a given way."""
    if pattern is not None:
        match = last_match(pattern, text)
        if match is None:
            return Extracted((), "no match")
        return Extracted(filled(match[min(pattern.groups, 1)] or ""), "regex")
    if how == "raw":
        return Extracted((text,), "raw")
    if how == "auto" and _MARKED.search(text) is None and not _names_answer(text):
        return Extracted(filled(text.strip()), "whole reply")  # most replies
    answer = without_reasoning(text)
    if how == "last-line":
        lines = answer.splitlines()
        last = next((line for line in reversed(lines) if any(map(str.isalnum, line))), "")
        return Extracted(filled(plain(last)), "last line")
    if how == "whole":
        return Extracted(filled(plain(answer)), "whole reply")
    if not filled(answer) and filled(text):
        return Extracted((), "reasoning only")
    for name, rule in _RULES.items():
        found = rule(answer)
        if found is not None:
            return Extracted(found, name)
    return Extracted(filled(plain(answer)), "whole reply")


def count_rules(replies: Iterable[str], how: str = "auto") -> Counter[str]:
    """Return how many replies each rule applied to.

    >>> count_rules(["Bonn", "<answer>Bonn</answer>"])
    Counter({'whole reply': 1, 'tag': 1})
    """
    extract = make_extractor(how)
    return Counter(extract(reply).rule for reply in replies)

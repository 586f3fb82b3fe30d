"""Which part of a raw reply is the answer: without reasoning and markup, the marked one if any."""

from __future__ import annotations

import contextlib
import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.json_text import from_json
from qaldgen.questions.stated_choices import ANSWER_WORDS
from qaldgen.questions.worked_solutions import boxed
from qaldgen.questions.written_lists import without_note
from qaldgen.scoring.words.phrases import phrases, respelled

#: A line of a list: a bullet, or a number of up to two digits.
ITEM = re.compile(r"[ \t]*(?:[-*•–◦▪‣+]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+(?=\S)")
#: The number of a list item. White space is read from its start only, which takes linear time.
_NUMBER = re.compile(
    r"(?:^[ \t]*|(?<=[^\S\n])(?:(?<=\S[^\S\n])[ \t]+)?)\(?(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE
)
_ANSWER_TAG = re.compile(
    r"<(answer|final[_-]?answer|final|result|output|response)>(.*?)(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_FENCED = re.compile(r"```[ \t]*(?:json\w*)?[ \t]*\n(.*?)```", re.DOTALL)
_TAIL_OBJECT = re.compile(r"\{[^{}]*\}\s*\Z")
#: Fields of a JSON reply that may hold the answer, the most specific first.
_FIELDS = phrases("answer-field")["any"]
#: An answer word with up to three words before ("the correct answer") and two after it ("answer in
#: short").
_NAMED = (
    r"(?:(?!(?:wrong|incorrect|user)(?![^\W_]))[^\W_]+[ \t_]+){0,3}?"
    rf"(?:{'|'.join(ANSWER_WORDS)})(?:[ \t]+\w+){{0,2}}[ \t*_]*"
)
#: "**Final answer:** ...", a heading on a line of its own, or "####".
_ANSWER_LABEL = re.compile(
    rf"^[^\w\n]*(?:{_NAMED}|(?-i:FINAL))[:：][ \t*_]*|"
    rf"^(?=[#*])[^\w\n]*{_NAMED}\n|^#{{4}}[ \t]*(?=\S)|"
    rf"(?<=[.!?] )[*_]+{_NAMED}[:：][ \t*_]*|"
    r"(?<=[.!?] )(?:(?-i:ANSWER)|(?:the )?final answer)[ \t]*[:：][ \t*_]*",
    re.MULTILINE | re.IGNORECASE,
)
#: One of these is in each label; it is sought first, which is faster.
_LABEL_SIGN = re.compile("[:：#*]")
#: An empty line, or a line break before another label that is no item of a list.
_BLOCK_END = re.compile(
    rf"\n[ \t]*\n|\n(?!{ITEM.pattern})(?=[^\w\n]*[^\W\d][\w ]{{2,30}}[*_]*[:：])"
)
#: A label or heading before the sources of a reply, in a line of its own or before them.
_SOURCES = re.compile(
    rf"\n[ \t>]*[#*_]*[ \t]*(?:{'|'.join(phrases('sources')['any'])})[*_ \t]*(?:[:：]|(?=\n))",
    re.IGNORECASE,
)
#: The end of a sentence; none after a letter, which may be that of a choice.
_SENTENCE_END = re.compile(r"(?<=[.!?。])(?<!\b[A-Z]\.)\s+")
#: Sought at the start of words only, which is faster.
_INTRODUCTION = re.compile(
    rf"(?<![A-Za-z])(?:{'|'.join(phrases('introduction')['any'])})"
    r"[ \t]*(?:[:：]|[-–—](?!\d))?[ \t]*(?=\S)",
    re.IGNORECASE,
)
_CHAT_TOKEN = re.compile(r"<\|[^|<>]*\|>|</?s>|<\w+_of_turn>|\[/?INST\]")
_FIRST_TOKEN = re.compile(r"<s>|<bos>|<\|begin_of_text\|>|<\|endoftext\|>")
#: One of these is in each template.
_CHAT_SIGNS = (
    "assistant", "ASSISTANT:", "Assistant:", "<start_of_turn>", "[/INST]", "### Response:",
)  # fmt: skip
#: Templates of chats: how a prompt begins, and what stands before a reply.
_CHAT_TEMPLATES = [
    (re.compile(beginning), re.compile(mark))
    for beginning, mark in (
        (r"<\|im_start\|>", r"<\|im_start\|>\s*assistant\b"),
        (r"<\|start_header_id\|>", r"<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>"),
        ("<start_of_turn>", r"<start_of_turn>\s*model\b"),
        (r"<\|(?:system|user)\|>", r"<\|assistant\|>"),
        (r"(?:system|user)\s*\n", r"assistant[ \t]*\n"),
    )
]
#: Templates of which several replies may also be to questions that a model asks itself, with what
#: begins the next turn.
_PLAIN_TEMPLATES = [
    (re.compile(beginning), re.compile(mark), re.compile(next_turn))
    for beginning, mark, next_turn in (
        (r"\[INST\]", r"\[/INST\]", r"</s>|\[INST\]"),
        (r"(?:[^\n]{0,300}\s)?USER:", r"\bASSISTANT:", r"\bUSER:"),
        (r"(?:#+ )?(?:Human|User):", r"(?m)^(?:#+ )?Assistant:", r"(?m)^(?:#+ )?(?:Human|User):"),
        (
            r"(?!### (?!Instruction|Input|Question))(?s:.*?)(?:\A|\n)### Response:",
            r"(?m)^### Response:",
            r"(?m)^### (?:Instruction|Input|Question):",
        ),
    )
]
_SIGNS = frozenset((*phrases("sign-yes")["any"], *phrases("sign-no")["any"]))
#: The values of `extract`, with help; ``regex:`` is followed by a pattern.
EXTRACTIONS = {
    "auto": "the marked answer (tag, \\boxed, JSON field, 'Answer:' line), else the whole reply",
    "whole": "the whole reply, without reasoning and markup",
    "last-line": "the last line of the reply, without reasoning and markup",
    "raw": "the reply as it is",
    "regex:PATTERN": "the last match of a regular expression: its first group, or all of it",
}


class Extracted(NamedTuple):
    """The answers in a reply."""

    texts: tuple[str, ...]
    rule: str


#: Reads one reply.
Extractor: TypeAlias = Callable[[str], Extracted]


def _without_template(text: str) -> str:
    """Return a reply without the prompt, if a text begins with one in the template of a chat.

    >>> _without_template("<s>[INST] Is it Ulm? [/INST] Bonn")
    ' Bonn'
    """
    if not any(sign in text for sign in _CHAT_SIGNS):  # as in most replies
        return text
    text = text.lstrip()
    first = _FIRST_TOKEN.match(text)
    text = text[first.end() :].lstrip() if first else text
    for beginning, mark in _CHAT_TEMPLATES:
        if beginning.match(text):
            replies = list(filter(_has_words, mark.split(text)[1:]))
            return replies[-1] if replies else text
    for beginning, mark, next_turn in _PLAIN_TEMPLATES:
        if beginning.match(text):
            replies = mark.split(text)[1:]
            return next_turn.split(replies[0])[0] if len(replies) == 1 else text
    return text


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, _CHAT_TOKEN.sub("", text)))


def without_markup(text: str) -> str:
    r"""Return a text without Markdown, LaTeX, HTML, citations and list markers.

    The numbers of a list are removed only if they count up, so that "5. March" keeps its day.

    >>> without_markup("The **Old Mill** [1], see [here](http://x.org/a_(b)).")
    'The Old Mill, see here.'
    >>> without_markup("$1{,}234 \\text{ km}^2$")
    '1,234  km^2'
    >>> without_markup("1. Ulm\n2. Bonn"), without_markup("5. March 1990")
    ('Ulm\nBonn', '5. March 1990')
    """
    if "1." in text or "1)" in text:
        numbers = [int(number) for number in _NUMBER.findall(text)]
        if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
            text = _NUMBER.sub("\n", text)
    text = respelled(text, "markup")
    return "\n".join(line for line in text.strip().split("\n") if line.strip())


def list_items(text: str) -> tuple[str, ...] | None:
    r"""Return the items of a text that is a list of at least two items; None for others.

    >>> list_items("- Ulm\n- **Bonn** (on the Rhine)"), list_items("Ulm:\n- old")
    (('Ulm', 'Bonn'), None)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or not all(map(ITEM.match, lines)):
        return None
    items = [without_markup(without_note(ITEM.sub("", line, count=1))) for line in lines]
    return tuple(filter(None, items))


def without_sources(text: str) -> str:
    r"""Return a reply without the list of sources below it, where no name is an answer.

    >>> without_sources("Ada Mill [1].\n\n**Sources:**\n[1] Bo Weir: Mills")
    'Ada Mill [1].\n'
    """
    above = _SOURCES.split(text, maxsplit=1)[0]
    return above if any(map(str.isalnum, above)) else text


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern in a text."""
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None


def by_tag(text: str) -> tuple[str, ...] | None:
    """Return the content of the last tag for answers; None if there is none."""
    match = last_match(_ANSWER_TAG, text) if "<" in text else None
    if match is None:
        return None
    return read_marked(match[2]).texts or None


def by_box(text: str) -> tuple[str, ...] | None:
    r"""Return the content of the last ``\boxed{}``; None if there is none."""
    content = boxed(text)
    if content is None:
        return None
    return as_answers(without_markup(f"${content}$"))


def by_json(text: str) -> tuple[str, ...] | None:
    """Return the answer in JSON: all of the reply, a fenced block, or an object at its end."""
    if "{" not in text and "[" not in text:
        return None
    for part in (text, *_FENCED.findall(text)[-1:], *_TAIL_OBJECT.findall(text)):
        if part.lstrip().startswith(("{", "[")):
            with contextlib.suppress(ValueError):
                texts = _json_texts(from_json(part.strip()))
                if texts is not None:
                    return texts
    return None


def _json_texts(value: object) -> tuple[str, ...] | None:
    """Return the answers in a JSON value; None if it is not clear which field is the answer."""
    if isinstance(value, dict):
        fields = {re.sub(r"[\W_]", "", str(name)).lower(): inner for name, inner in value.items()}
        answers = [fields[name] for name in _FIELDS if name in fields]
        if not answers and len(fields) == 1:
            answers = list(fields.values())
        return _json_texts(answers[0]) if answers else None
    if isinstance(value, list):
        item_texts = [_json_texts(item) for item in value]
        if None in item_texts:
            return None
        return tuple(text for texts in item_texts for text in texts or ())
    if value is None:
        return ()
    if isinstance(value, bool):
        return (str(value).lower(),)
    return as_answers(without_markup(str(value)))


def by_label(text: str) -> tuple[str, ...] | None:
    """Read the text after "Answer:", up to another label or an empty line not after a colon."""
    match = last_match(_ANSWER_LABEL, text) if _LABEL_SIGN.search(text) else None
    if match is None:
        return None
    block, *more = _BLOCK_END.split(text[match.end() :].lstrip(), maxsplit=2)
    if block.rstrip(" *_").endswith((":", "：")):
        block = "\n".join([block, *more[:1]])
    return list_items(block) or as_answers(without_markup(block)) or None


def by_introduction(text: str) -> tuple[str, ...] | None:
    """Read the text after "the answer is" in the last sentence."""
    sentence = _SENTENCE_END.split(text.rstrip())[-1].rpartition("\n")[2]
    match = last_match(_INTRODUCTION, sentence)
    if match is None:
        return None
    return as_answers(without_markup(sentence[match.end() :])) or None


def says_anything(text: str) -> bool:
    """Return whether a text says anything: letters, digits, or a sign for yes or no."""
    return any(char.isalnum() or char in _SIGNS for char in text)


def as_answers(text: str) -> tuple[str, ...]:
    """Return the text as the only answer, or no answer if it says nothing."""
    return (text,) if says_anything(text) else ()


def read_marked(text: str) -> Extracted:
    """Return the marked answer in a reply without reasoning, or else the whole reply.

    Marks count wherever they are; all else counts above the sources.
    """
    above = without_sources(text)
    readers: Sequence[tuple[str, Callable[[str], tuple[str, ...] | None], str]] = (
        ("tag", by_tag, text),
        ("\\boxed", by_box, text),
        ("JSON", by_json, text),
        ("answer line", by_label, text),
        ("'the answer is'", by_introduction, above),
        ("list", list_items, above),
    )
    for name, read, part in readers:
        texts = read(part)
        if texts is not None:
            return Extracted(texts, name)
    return Extracted(as_answers(without_markup(above)), "whole reply")


@functools.lru_cache(maxsize=32)
def make_extractor(option: str = "auto") -> Extractor:
    """Return the function that reads replies by an option of `EXTRACTIONS`.

    >>> make_extractor("auto")("<think>Or Ulm?</think> **Answer:** Bonn")
    Extracted(texts=('Bonn',), rule='answer line')
    >>> make_extractor("regex:is (.+)[.]")("It is Bonn.")
    Extracted(texts=('Bonn',), rule='regex')
    """
    if option in ("auto", "whole", "last-line", "raw"):
        return functools.partial(read_reply, option=option)
    name, _, pattern = option.partition(":")
    if name != "regex" or not pattern:
        raise UsageError(f"extract is {option!r}; {one_of(option, EXTRACTIONS)}")
    try:
        compiled = re.compile(pattern, re.DOTALL | re.MULTILINE)
    except re.error as error:
        raise UsageError(f"extract: {pattern!r} is not a regular expression ({error})") from error
    return functools.partial(read_reply, option=name, pattern=compiled)


@functools.lru_cache(maxsize=1 << 14)
def read_reply(text: str, option: str, pattern: re.Pattern[str] | None = None) -> Extracted:
    """Return the answers in a reply by an option of `EXTRACTIONS`, regex with its pattern.

    A block of reasoning that is never closed hides everything after it; a closing tag alone ends a
    block that the prompt opened. Cached, since a reply is read for its score, for notes, and to see
    whether it abstains.

    >>> read_reply("Hm, Ulm?</think>Bonn", "whole").texts, read_reply("<think>Is it Bonn", "whole")
    (('Bonn',), Extracted(texts=(), rule='whole reply'))
    """
    if pattern is not None:
        match = last_match(pattern, text)
        if match is None:
            return Extracted((), "no match")
        return Extracted(as_answers(match[min(pattern.groups, 1)] or ""), "regex")
    if option == "raw":
        return Extracted((text,), "raw")
    answer = respelled(_without_template(text), "reasoning").strip()
    if option == "last-line":
        lines = [line for line in answer.splitlines() if any(map(str.isalnum, line))]
        return Extracted(as_answers(without_markup("".join(lines[-1:]))), "last line")
    if option == "auto":
        if not as_answers(answer) and as_answers(text):
            return Extracted((), "reasoning only")
        return read_marked(answer)
    return Extracted(as_answers(without_markup(answer)), "whole reply")


def count_rules(replies: Iterable[str], option: str = "auto") -> Counter[str]:
    """Return how many replies each rule applied to.

    >>> count_rules(["Bonn", "<answer>Bonn</answer>"])
    Counter({'whole reply': 1, 'tag': 1})
    """
    extract = make_extractor(option)
    return Counter(extract(reply).rule for reply in replies)

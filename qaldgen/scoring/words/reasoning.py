"""A raw reply without what a language model wrote before and after its answer."""

from __future__ import annotations

import re

from qaldgen.scoring.words.lexicon import QUESTION_WORDS

_REASONING = r"(?:\w+:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)"
_REASONING_TAG = re.compile(rf"[<\[◁](/?)({_REASONING})[>\]▷]", re.IGNORECASE)
#: Start of the answer of a model in the "harmony" format, and special tokens that end an answer.
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final[^<]*<\|message\|>")
_END = re.compile(r"<\|(?:im_end|eot_id|endoftext|end|return|eom_id)\|>|</s>|<eos>|<end_of_turn>")
_QUESTION_LABEL = re.compile(
    rf"[^\w\n]*(?:{'|'.join(QUESTION_WORDS)})[ \t*_\d]*[:：]", re.IGNORECASE
)


def without_reasoning(text: str) -> str:
    r"""Return a reply without reasoning before the answer, and without text after its end.

    A block that is never closed hides everything after it; a closing tag alone ends a block that
    the prompt opened.

    Parameters
    ----------
    text
        A reply.

    Returns
    -------
    str
        The visible answer; may be empty.

    Examples
    --------
    >>> without_reasoning("Hm, Ulm?</think>Bonn"), without_reasoning("<think>Is it Bonn")
    ('Bonn', '')
    >>> without_reasoning("Bonn\nQ: Who?")
    'Bonn'
    """
    if "<" in text or "[" in text or "◁" in text:
        text = text[final.end() :] if (final := last_match(_FINAL_CHANNEL, text)) else text
        text = _END.split(text, maxsplit=1)[0]
        text = _without_blocks(text)
    return _until_next_question(text.strip())


def _without_blocks(text: str) -> str:
    """Cut out the text between the tags of reasoning.

    In one pass, since a reply may have thousands of them.
    """
    kept: list[str] = []
    at, inside = 0, ""
    for tag in _REASONING_TAG.finditer(text):
        closes, name = tag[1], tag[2].lower()
        if inside and closes and name == inside:
            at, inside = tag.end(), ""
        elif not inside and closes:
            kept, at = [], tag.end()
        elif not inside:
            kept.append(text[at : tag.start()])
            inside = name
    return " ".join(kept if inside else [*kept, text[at:]])


def _until_next_question(text: str) -> str:
    """Cut off further questions that a base model asks itself after its answer."""
    if ":" not in text and "：" not in text:
        return text
    at = 0
    for line in text.splitlines(keepends=True):
        if at and (":" in line or "：" in line) and _QUESTION_LABEL.match(line):
            return text[:at].rstrip()
        at += len(line)
    return text


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern in a text.

    Parameters
    ----------
    pattern
        A compiled regular expression.
    text
        The text.

    Returns
    -------
    re.Match[str] | None
        None if there is no match.
    """
    match = None
    for match in pattern.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    return match

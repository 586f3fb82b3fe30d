"""Read conversations: lists of messages, each with its speaker."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from qaldgen.io.json_text import member

#: Who asks in a conversation, and who answers.
ASKING = frozenset(["user", "human"])
ANSWERING = frozenset(["assistant", "ai", "bot", "chatbot", "gpt", "model"])
_SPEAKERS = ASKING | ANSWERING | {"system", "tool"}

#: The types of parts of a reply that hold its text.
_TEXT_PARTS = frozenset(["text", "output_text"])
#: The types of parts that are steps on the way to it.
_STEP_TYPE = re.compile(r"reasoning|thinking|tool|call")


class Message(NamedTuple):
    """One message of a conversation."""

    speaker: str
    text: str


def conversation(value: object) -> list[Message]:
    """Return the messages of a conversation; none if a value is not a conversation.

    >>> conversation([{"role": "user", "content": "Where?"}, {"from": "gpt", "value": "Ulm"}])
    [Message(speaker='user', text='Where?'), Message(speaker='gpt', text='Ulm')]
    >>> conversation([{"type": "human", "content": "Where?"}])
    [Message(speaker='human', text='Where?')]
    """
    if not isinstance(value, list):
        return []
    messages: list[Message] = []
    for part in value:
        if not isinstance(part, Mapping):
            return []
        speaker = part.get("role", part.get("from"))
        if str(part.get("type")) in _SPEAKERS:  # as LangChain writes
            speaker = part["type"]
        texts = [part[name] for name in ("content", "value", "prompt") if name in part]
        if not isinstance(speaker, str) or not texts:
            return []
        messages.append(Message(speaker.lower(), content_text(texts[0])))
    return messages


def last_said(messages: Collection[Message], speakers: Collection[str]) -> str:
    """Return the last message of some speakers; empty if there is none."""
    texts = [message.text for message in messages if message.speaker in speakers]
    return texts[-1] if texts else ""


def last_text_part(parts: list[object]) -> str | None:
    """Return the text that ends a reply in typed parts, such as reasoning and calls of tools.

    Empty if the reply has only such steps, None if a list is not a reply in parts.

    >>> last_text_part([{"type": "reasoning", "output": "?"}, {"type": "text", "text": "Ulm"}])
    'Ulm'
    """
    types = [str(member(part, "type")) for part in parts]
    if not any(map(_STEP_TYPE.search, types)):
        return None
    texts = [
        member(part, "text") or member(part, "output")
        for part, type_name in zip(parts, types, strict=True)
        if type_name in _TEXT_PARTS
    ]
    if not texts and all(map(_STEP_TYPE.search, types)):
        return ""
    return texts[-1] if texts and isinstance(texts[-1], str) else None


def content_text(content: object) -> str:
    """Return the text of a message in one or several parts, without reasoning and pictures."""
    if isinstance(content, list):
        parts = filter(None, map(content_text, content))
        return "\n".join(parts)
    if isinstance(content, Mapping):
        return content_text(content.get("parts", content.get("content", content.get("text"))))
    return content if isinstance(content, str) else ""

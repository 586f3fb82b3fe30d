"""Read what chat services reply: the texts in their formats, errors, the last word of a chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qaldgen.questions.records import Fields

#: Objects that hold a reply: in the batches of OpenAI and Anthropic, and in Ollama's replies.
_WRAPPERS = ("body", "message", "response")
#: Who answers in a chat.
_ASSISTANTS = frozenset(["assistant", "ai", "bot", "chatbot", "gpt", "model"])


def chat_replies(value: object) -> list[str] | None:
    """Return the replies in an answer of a chat service, in the formats of OpenAI and Anthropic.

    >>> chat_replies({"choices": [{"message": {"role": "assistant", "content": "Ulm"}}]})
    ['Ulm']
    """
    if not isinstance(value, Mapping):
        return None
    for wrapper in _WRAPPERS:
        if isinstance(value.get(wrapper), Mapping):
            return chat_replies(value[wrapper])
    for listed in ("choices", "candidates"):
        if isinstance(value.get(listed), list):
            parts = [part.get("message", part) for part in value[listed] if _is_reply(part)]
            return [content_text(part.get("content", part.get("text"))) for part in parts]
    messages = value.get("output")
    if isinstance(messages, list) and any(map(_is_reply, messages)):
        return [content_text([part for part in messages if _is_reply(part)])]
    return [content_text(value["content"])] if "content" in value else None


def last_reply(chat: Sequence[Fields]) -> str:
    """Return what the assistant said last in a chat; empty if it said nothing."""
    last = ""
    for message in chat:
        speaker = message.scalar("role") or message.required("from")
        if speaker.lower() in _ASSISTANTS:
            last = content_text(message.data.get("content", message.data.get("value")))
    return last


def _is_reply(part: object) -> bool:
    """Say whether a part of a reply is the message itself, not reasoning or the call of a tool."""
    return isinstance(part, Mapping) and part.get("type") in (None, "message")


def content_text(content: object) -> str:
    """Return the text of a message in one or several parts, without reasoning and pictures."""
    if isinstance(content, list):
        parts = filter(None, map(content_text, content))
        return "\n".join(parts)
    if isinstance(content, Mapping):
        return content_text(content.get("parts", content.get("content", content.get("text"))))
    return content if isinstance(content, str) else ""


def error_text(error: object) -> str:
    """Return an error in words, which services write as a text or an object."""
    if isinstance(error, Mapping):
        inner = error.get("error") or error.get("message") or error.get("code") or error
        return error_text(inner) if inner is not error else str(error)
    return "" if error is None else str(error).strip()


def failure(reply: object) -> str:
    """Return the error that a chat service gives in place of a reply; empty if it gives none.

    >>> failure({"type": "errored", "error": {"message": "overloaded"}})
    'overloaded'
    """
    if not isinstance(reply, Mapping):
        return ""
    if reply.get("error"):
        return error_text(reply["error"])
    if reply.get("type") in ("canceled", "expired"):
        return str(reply["type"])
    return next(filter(None, (failure(reply.get(wrapper)) for wrapper in _WRAPPERS)), "")

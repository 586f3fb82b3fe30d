"""Read what chat services reply: the texts in their formats, and errors."""

from __future__ import annotations

from collections.abc import Mapping

from qaldgen.questions.conversations import content_text

#: Objects that hold a reply: in the batches of OpenAI and Anthropic, and in Ollama's replies.
_WRAPPERS = ("body", "message", "response")


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
    if "content" not in value:
        return None
    return [content_text(value["content"])]


def _is_reply(part: object) -> bool:
    """Say whether a part of a reply is the message itself, not reasoning or the call of a tool."""
    return isinstance(part, Mapping) and part.get("type") in (None, "message")


def error_text(error: object) -> str:
    """Return an error in words, which services write as a text or an object."""
    if isinstance(error, Mapping):
        inner = error.get("error") or error.get("message") or error.get("code")
        if inner:
            return error_text(inner)
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

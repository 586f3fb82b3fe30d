"""Read the replies of chat services: texts in their formats, and errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from qaldgen.io.json_text import member
from qaldgen.questions.conversations import ANSWERING, content_text
from qaldgen.questions.fields import is_prediction_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.system_columns import answer_columns
from qaldgen.questions.written_lists import parse_written

#: Fields with the reply in the batches of OpenAI and Anthropic, and in Ollama's replies.
_WRAPPERS = ("body", "message", "response")
#: Fields with a list of replies.
_LISTS = ("choices", "candidates")
#: Fields with replies, or with one.
_REPLY_NAMES = frozenset({*_LISTS, "content"})
#: Fields of an item in a list of replies that a choice of a question does not have.
_REPLY_FIELDS = frozenset({"message", "turns", "finish_reason", "finishReason", "stop_reason"})

#: The roles of fields that may hold the prompt.
PROMPT_ROLES = ("question", "maybe question")
#: A question in a prompt, behind its label.
_QUESTION_IN_PROMPT = re.compile(
    r"^(Question|Q|Problem|Query|Frage|Pregunta|Pergunta|Domanda|Pytanie|Вопрос|问题):[ \t]*(.+)",
    re.MULTILINE,
)
#: A shorter prompt may be the beginning of an answer by chance.
_MIN_PROMPT = 10


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
    for name in _LISTS:
        if isinstance(value.get(name), list):
            messages = [part.get("message", part) for part in value[name] if _is_reply(part)]
            return [content_text(_message_content(message)) for message in messages]
    output = value.get("output")
    if isinstance(output, list) and any(map(_is_reply, output)):
        return [content_text([part for part in output if _is_reply(part)])]
    return [content_text(value["content"])] if "content" in value else None


def _message_content(message: object) -> object:
    """Return the content of a message; of several turns, as FastChat writes them, the last one.

    Without content, it is what the call of a function says under a name for answers. A message that
    is no object is the content itself.
    """
    if not isinstance(message, Mapping):
        return message
    turns = message.get("turns")
    if isinstance(turns, list) and turns:
        return turns[-1]
    content = message.get("content", message.get("text"))
    calls = message.get("tool_calls")
    if content is None and isinstance(calls, list):
        # an answer with a schema may be the call of a function that takes it
        for call in calls:
            arguments = member(member(call, "function"), "arguments")
            fields = parse_written(arguments)
            if isinstance(fields, dict) and answer_columns(fields):
                return arguments
    return content


def _is_reply(part: object) -> bool:
    """Return whether a part of a reply is the message, not reasoning or the call of a tool."""
    return isinstance(part, Mapping) and part.get("type") in (None, "message")


def with_replies_as_fields(content: Content) -> Content:
    """Return records with replies of a chat service as a field ``prediction``.

    Such replies may be written to a file unchanged, with the id or text of the question.
    """
    if content.kind not in {"json", "jsonl"}:
        return content
    records = []
    n_replies = 0
    for record in content.records:
        if not isinstance(record, dict):
            return content
        fields = _reply_fields(record)
        if fields:
            n_replies += 1
            others = {name: value for name, value in record.items() if name not in fields}
            record = {**others, "prediction": fields}
        records.append(record)
    # other records may be failures
    if 2 * n_replies <= len(records):
        return content
    return content.with_records(records)


def _reply_fields(record: object) -> dict[str, object]:
    """Return the fields of a record that are the reply of a chat service; empty if it has none."""
    if not isinstance(record, dict) or _REPLY_NAMES.isdisjoint(record):
        return {}
    if any(map(is_prediction_name, record)):
        return {}
    for name in _LISTS:
        items = record.get(name)
        if isinstance(items, list) and items and isinstance(items[0], dict):
            is_of_gemini = isinstance(items[0].get("content"), dict)
            if is_of_gemini or not _REPLY_FIELDS.isdisjoint(items[0]):
                return {name: items}
    role = record.get("role")
    if isinstance(role, str) and role in ANSWERING and "content" in record:
        return {"content": record["content"]}
    return {}


def without_prompt(reply: object, record: Mapping[str, object], prompts: Iterable[str]) -> object:
    r"""Return a reply, or each of a list, without the prompt of its record that it repeats.

    Nor does it keep the next question, which a model asks itself if it is not told where to stop,
    behind the label that the question has in the prompt.

    >>> without_prompt("Where is Ulm? In Swabia.", {"prompt": "Where is Ulm?"}, ["prompt"])
    ' In Swabia.'
    >>> without_prompt("Ulm\n\nQ: Who?\nA: Bo", {"prompt": "Q: Where?\nA:"}, ["prompt"])
    'Ulm'
    """
    if isinstance(reply, list):
        return [without_prompt(item, record, prompts) for item in reply]
    for name in prompts:
        prompt = record.get(name)
        if not isinstance(reply, str) or not isinstance(prompt, str) or len(prompt) < _MIN_PROMPT:
            continue
        rest = reply.removeprefix(prompt)
        if rest.strip():
            reply = rest
        questions = list(_QUESTION_IN_PROMPT.finditer(prompt))
        if questions:  # the last is asked; examples before it show what follows a reply
            label, asked = questions[-1].groups()
            line_end = "\n" if len(questions) > 1 else "\n\n"
            answer, next_label, following = reply.partition(f"{line_end}{label}:")
            is_other = not _plain(following).startswith(_plain(asked))
            if next_label and answer.strip() and is_other:
                reply = answer.rstrip()
    return reply


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def error_text(error: object) -> str:
    """Return the message of an error, which services write as a text or as an object."""
    if isinstance(error, Mapping):
        inner = error.get("error") or error.get("message") or error.get("code")
        if inner:
            return error_text(inner)
    return "" if error is None else str(error).strip()


def failure(reply: object) -> str | None:
    """Return the error that a chat service returned instead of a reply; None if there is none.

    >>> failure({"type": "errored", "error": {"message": "overloaded"}})
    'overloaded'
    """
    if not isinstance(reply, Mapping):
        return None
    if reply.get("error"):
        return error_text(reply["error"]) or None
    if reply.get("type") in ("canceled", "expired"):
        return str(reply["type"])
    for wrapper in _WRAPPERS:
        error = failure(reply.get(wrapper))
        if error is not None:
            return error
    return None

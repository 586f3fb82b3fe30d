"""Read the fields of records, with errors that say where they stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from qaldgen.errors import DataError
from qaldgen.io.json_text import as_list, member
from qaldgen.model import MetadataValue
from qaldgen.questions.conversations import ASKING, conversation, last_said
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import Decimals, Unparsed
from qaldgen.questions.question_texts import add_wording
from qaldgen.questions.truth_values import parse_boolean

_TYPE_NAMES = {
    dict: "an object", list: "a list", str: "a string", bool: "a boolean",
    int: "a number", float: "a number", Decimals: "a number",
}  # fmt: skip
#: TriviaQA's text for a missing answer.
NO_ANSWER = "<unk>"
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
#: The fields of an object that may hold the text of a question.
_TEXT_FIELDS = ("string", "text", "question", "stem", "question_stem", "content", "value")


class RecordLocation(NamedTuple):
    """The location of a record in its file, which is formatted only if a message needs it."""

    noun: str
    number: int  # counted from 1
    record: object
    id_fields: Sequence[str]  # the fields that may hold its id

    def __str__(self) -> str:
        """Return ``record 3 (id 7)``."""
        return f"{self.noun} {self.number}{id_note(self.record, self.id_fields)}"


class Fields:
    """The fields of one JSON object, read with errors that say where it stands.

    `where` is its location for messages, `prefix` the path from the record to a nested object. The
    fields that `rest` could not keep as metadata are added to `unread`.
    """

    def __init__(self, value: object, where: tuple[object, ...], prefix: str = "") -> None:
        self.where = where
        self._prefix = prefix
        self.unread: list[str] = []
        if not isinstance(value, dict):
            if isinstance(value, Unparsed):
                raise DataError(value.reason, where=where)
            subject = f"field {prefix.rstrip('.')!r} " if prefix else ""
            raise DataError(
                f"{subject}is {_describe_type(value)}; an object is expected", where=where
            )
        self.data: dict[str, object] = value

    def error(self, name: str, expected: str) -> DataError:
        """Return the error for a field with an unexpected value."""
        value = self.data.get(name)
        problem = "is missing" if name not in self.data else f"is {_describe_type(value)}"
        return DataError(
            f"field {self._prefix + name!r} {problem}; {expected} is expected", where=self.where
        )

    def scalar(self, name: str) -> str:
        """Return a string, number or boolean as text, stripped; empty if it is missing or null."""
        value = self.data.get(name)
        if isinstance(value, str):  # the most frequent case
            return value.strip()
        if value is None:
            return ""
        if isinstance(value, (dict, list)):
            raise self.error(name, "a string or a number")
        return scalar_text(value).strip()

    def first(self, names: Iterable[str]) -> str:
        """Return the first of these fields that is not empty, as text; empty if all are."""
        for name in names:
            text = self.scalar(name)
            if text:
                return text
        return ""

    def required(self, *names: str) -> str:
        """Return the first of these fields that is not empty, as text."""
        text = self.first(names)
        if not text:
            raise self.error(names[0], "a string or a number")
        return text

    def filled(self, names: Iterable[str]) -> object:
        """Return the value of the first of these fields that is not null or empty, else None."""
        for name in names:
            if self.data.get(name) not in (None, ""):
                return self.data[name]
        return None

    def strings(self, name: str) -> tuple[str, ...]:
        """Return a string or a list of strings, stripped, without null and blank ones."""
        texts = []
        for item in as_list(self.data.get(name)):
            if isinstance(item, (dict, list)):
                raise self.error(name, "a string or a list of strings")
            if item is not None:
                texts.append(scalar_text(item).strip())
        return tuple(filter(None, texts))

    def has(self, name: str) -> bool:
        """Return whether a field is there and not null."""
        return self.data.get(name) is not None

    def values(self, name: str) -> list[object]:
        """Return a list; an empty one if it is missing or null."""
        value = self.data.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(name, "a list")
        return value

    def objects(self, name: str) -> list[Fields]:
        """Return the fields of each object in a list; none if it is missing or null."""
        return [self.inside(f"{name}[{i}]", value) for i, value in enumerate(self.values(name))]

    def nested(self, name: str) -> Fields:
        """Return the fields of a nested object; none if it is missing or null."""
        value = self.data.get(name)
        if value is None:
            value = {}
        return self.inside(name, value)

    def inside(self, name: str, value: object) -> Fields:
        """Return the fields of an object nested in this one, under a name for messages."""
        return Fields(value, self.where, f"{self._prefix}{name}.")

    def flag(self, name: str) -> bool | None:
        """Return a boolean, also one written as text or as 0 and 1; None if missing or blank."""
        value = self.data.get(name)
        if isinstance(value, bool):
            return value
        text = self.scalar(name)
        if not text:
            return None
        truth = parse_boolean(text)
        if truth is None:
            raise DataError(
                f"field {self._prefix + name!r} is {text!r}; true or false is expected",
                where=self.where,
            )
        return truth

    def rest(self, used: Collection[str]) -> dict[str, MetadataValue]:
        """Return the fields not in `used` as texts or tuples of texts, to be kept as metadata.

        The names of fields with objects are added to `unread`.
        """
        metadata: dict[str, MetadataValue] = {}
        for name, value in self.data.items():
            if name in used:
                continue
            values = as_list(value)
            if any(isinstance(item, (dict, list)) for item in values):
                # empty lists and objects lose nothing
                if any(values):
                    self.unread.append(self._prefix + name)
                continue
            texts = (scalar_text(item).strip() for item in values if item is not None)
            nonblank = tuple(filter(None, texts))
            if nonblank:
                metadata[name] = nonblank if isinstance(value, list) else nonblank[0]
        return metadata


def scalar_text(value: object) -> str:
    """Return a JSON scalar as text, booleans as JSON writes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def flat_texts(value: object) -> Iterator[str]:
    """Yield a scalar, or the scalars of a list, as texts; null and blank ones are skipped."""
    for item in as_list(value):
        if item is not None and not isinstance(item, (dict, list)):
            text = scalar_text(item).strip()
            if text and text != NO_ANSWER:
                yield text


def document_fields(content: Content) -> Fields:
    """Return the fields of a file that is one JSON object."""
    return Fields(content.json, (str(content.path),))


def record_fields(
    content: Content, id_fields: Sequence[str], records: Sequence[object] | None = None
) -> Iterator[Fields]:
    """Yield the fields of some records, by default those of the file, with their locations.

    Messages name a record by the first of `id_fields` that it has.
    """
    path = str(content.path)
    if records is None:
        records = content.records
    for number, record in enumerate(records, 1):
        yield Fields(record, (path, RecordLocation("record", number, record, id_fields)))


def id_note(record: object, id_fields: Sequence[str]) -> str:
    """Return `` (id 12)`` for messages, or an empty string if the record has no id."""
    name = record_id(record, id_fields)
    return f" (id {name})" if name else ""


def record_id(record: object, id_fields: Sequence[str]) -> str:
    """Return the id of a record, shortened to one line; empty if it has none."""
    for name in id_fields:
        value = member(record, name)
        if isinstance(value, (str, int, float)):
            return " ".join(str(value).split())[:60]
    return ""


def _describe_type(value: object) -> str:
    return _TYPE_NAMES.get(type(value), "null")


def add_texts(texts: dict[str, tuple[str, ...]], record: Fields, name: str, language: str) -> None:
    """Add the texts of a field to those of a question; without a tag, they are in `language`.

    Of a conversation, the last message of the user is the question.
    """
    value = record.data.get(name)
    messages = conversation(value)
    if messages:
        add_wording(texts, language, last_said(messages, ASKING))
    elif isinstance(value, dict):
        _add_texts_of_object(texts, record.inside(name, value), language)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for item in record.objects(name):
            _add_texts_of_object(texts, item, language)
    else:
        for text in record.strings(name):
            add_wording(texts, language, text)


def read_question_text(record: Fields, names: Iterable[str]) -> str:
    """Return the text of a question from the first filled field; of a chat, the user's last one."""
    for name in names:
        value = record.data.get(name)
        # the request to a chat service
        messages = conversation(member(value, "messages") or value)
        if messages:
            text = last_said(messages, ASKING)
        elif isinstance(value, dict):
            text = record.nested(name).first(_TEXT_FIELDS)
        else:
            text = record.scalar(name)
        if text:
            return text
    return ""


def is_text_by_language(value: object) -> bool:
    """Return whether a value is an object that maps language tags to texts or lists of texts."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(_LANGUAGE_TAG.fullmatch(tag) for tag in value)
        and all(text is None or isinstance(text, (str, list)) for text in value.values())
    )


def _add_texts_of_object(texts: dict[str, tuple[str, ...]], fields: Fields, language: str) -> None:
    for name in _TEXT_FIELDS:
        if name in fields.data:
            add_wording(texts, fields.scalar("language") or language, fields.scalar(name))
            return
    if "language" in fields.data:  # a language without a text
        return
    if fields.data and not is_text_by_language(fields.data):
        raise fields.error(_TEXT_FIELDS[0], "the text of the question")
    for tag in fields.data:
        for text in fields.strings(tag):
            add_wording(texts, tag, text)

"""Read the fields of records, and collect what readers return for them as a question set."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.json_text import as_list, member
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import few, few_and_more
from qaldgen.model import LeftOut, MetadataValue, Question, Remark
from qaldgen.questions.conversations import ASKING, conversation, last_said
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import Decimals, Unparsed
from qaldgen.questions.question_texts import NO_TEXT, OUT_OF_SCOPE, UNANSWERABLE, add_wording

_TYPE_NAMES = {
    dict: "an object", list: "a list", str: "a string", bool: "a boolean",
    int: "a number", float: "a number", Decimals: "a number",
}  # fmt: skip
#: TriviaQA's text for a missing answer.
NO_ANSWER = "<unk>"
#: Words for truth values, and for yes and no, in the languages of most tables.
_TRUTH_WORDS = {
    **dict.fromkeys(["true", "wahr", "vrai", "vero", "verdadero", "verdadeiro", "waar"], True),
    **dict.fromkeys(["false", "falsch", "faux", "falso", "onwaar"], False),
}
_YES_NO_WORDS = {
    **dict.fromkeys(["yes", "ja", "oui", "sì", "sí", "si", "sim", "tak", "ano", "da", "да"], True),
    **dict.fromkeys(["no", "nein", "non", "não", "nao", "nee", "nie", "ne", "нет"], False),
}
_BOOLEANS = {
    **dict.fromkeys(["true", "yes", "t", "1", "1.0"], True),
    **dict.fromkeys(["false", "no", "f", "0", "0.0"], False),
}
#: The most fields that a note names.
_MAX_NAMED = 50
#: The advice at the end of a message about broken records.
SKIP_HINT = ". `skip_broken` skips them"
#: The most characters of a question; a language model would need gigabytes for more.
_MAX_CHARS = 100_000
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
        text = self.scalar(name).lower()
        if text in {"true", "1"}:
            return True
        if text in {"false", "0"}:
            return False
        if text:
            raise DataError(
                f"field {self._prefix + name!r} is {text!r}; true or false is expected",
                where=self.where,
            )
        return None

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


def parse_truth(text: str) -> bool | None:
    """Return the truth value of a word for true or false in any language; None for other texts.

    >>> parse_truth("WAHR"), parse_truth("falso"), parse_truth("no")
    (True, False, None)
    """
    return _TRUTH_WORDS.get(text.strip().lower())


def parse_yes_or_no(text: str) -> bool | None:
    """Return the truth value of a word for yes or no in any language; None for other texts.

    >>> parse_yes_or_no("Sì"), parse_yes_or_no("nein"), parse_yes_or_no("vero")
    (True, False, None)
    """
    return _YES_NO_WORDS.get(text.strip().lower())


def parse_boolean(text: str) -> bool | None:
    """Return the truth value of an English word, or of 1 and 0; None for other texts."""
    return _BOOLEANS.get(text.strip().lower())


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


class Broken(NamedTuple):
    """A record that could not be read."""

    location: str  # where it is in the file, for messages: ``record 2 (id 7)``
    record_id: str  # its id; its location if it has none
    reason: str  # what is wrong with it


class Systems(NamedTuple):
    """An item of a reader: the systems whose answers are in the file; "" has no name."""

    names: tuple[str, ...]


class Numbered(NamedTuple):
    """An item of a reader: no record has an id, so their numbers are the ids."""


def edition_note(edition: str) -> Remark:
    """Return the note on the edition of the gold, from which `QuestionSet.edition` reads it."""
    return Remark(f"the gold is the edition {edition}", rule="gold-edition")


Item: TypeAlias = Question | LeftOut | Broken | Systems | Numbered


class ReadOptions(NamedTuple):
    """How a question set is read; `qaldgen.load` documents the options of users."""

    format: str | None = None
    language: str = LANGUAGE
    skip_broken: bool = False
    split_answers: str = ""
    gold_field: str = ""
    answer_field: tuple[str, ...] = ()  # the field of each system, if the file also holds runs
    answers: str | Path | None = None
    prefixes: str | Path | None = None
    text_property: str = ""
    out_of_scope: bool = False  # whether to keep questions that the data cannot answer


DEFAULT_OPTIONS = ReadOptions()
#: Yields the items of a file, and reports anything else for users with `io.notes.note`.
Read: TypeAlias = Callable[[Content, ReadOptions], Iterator[Item]]


def each_record(
    content: Content,
    id_fields: Sequence[str],
    read: Callable[[Fields, int], Item],
    records: Iterable[object],
) -> Iterator[Item]:
    """Yield the results of calling `read` with the fields and the number of each record.

    A record for which it raises a `DataError` becomes `Broken`. A note names the fields that were
    not read because they hold objects or long texts.
    """
    unread: set[str] = set()
    path = str(content.path)
    for number, record in enumerate(records, 1):
        location = RecordLocation("record", number, record, id_fields)
        try:
            fields = Fields(record, (path, location))
            item = read(fields, number)
        except (DataError, RecursionError) as error:
            if isinstance(error, RecursionError):
                error = DataError("is nested too deeply to be read; flatten it")
            reason = error.without(content.path, str(location))
            yield Broken(str(location), record_id(record, id_fields) or str(location), reason)
        else:
            unread.update(fields.unread)
            yield item
    if unread:
        names = few_and_more(map(repr, sorted(unread)), _MAX_NAMED)
        note(f"not read, because they contain objects or long texts: {names}")


def drain(records: list[object]) -> Iterator[object]:
    """Yield the records of a list, removing each from it to free its memory."""
    records.reverse()
    while records:
        yield records.pop()


class CollectedQuestions(NamedTuple):
    """What a reader yielded for one file."""

    questions: tuple[Question, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    systems: tuple[str, ...] = ()
    numbered: bool = False  # whether the ids are the numbers of the records


def collect_questions(
    path: Path,
    items: Iterable[Item],
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    surrogate_free: bool = False,
) -> CollectedQuestions:
    """Collect the items of a reader: make ids unique, and leave out what is no usable question.

    Left out are broken records on request, questions without text and those marked `OUT_OF_SCOPE`.
    Records with the same id, data set and split, but different languages, are joined to one
    question if at least half of the ids have several languages; everything but texts and keywords
    is taken from the record in the language of the options. Other questions with the same id are
    all kept; the second becomes ``12#2``, the third ``12#3``. A query that shows no knowledge graph
    is assigned to the graph of all others, if they have only one. With `surrogate_free`, the file
    is known to hold no unpaired surrogates, and the texts are not searched for them.
    """
    questions: list[Question] = []
    left_out: list[LeftOut] = []
    refused: list[Broken] = []
    systems: tuple[str, ...] = ()
    numbered = False
    with collecting() as notes:
        all_items = list(items)
    for item in all_items:
        if isinstance(item, Systems):
            systems = item.names
            continue
        if isinstance(item, Numbered):
            numbered = True
            continue
        broken = _find_fault(item, surrogate_free=surrogate_free)
        if broken is not None:
            refused.append(broken)
            reason = _escape_surrogates(broken.reason)
            left_out.append(LeftOut(_escape_surrogates(broken.record_id), reason, broken=True))
        elif isinstance(item, LeftOut):
            left_out.append(item)
        elif not isinstance(item, Question):
            continue
        elif item.metadata.get(OUT_OF_SCOPE) == "true" and not options.out_of_scope:
            left_out.append(LeftOut(item.id, UNANSWERABLE))
        elif not any(item.texts.values()):
            left_out.append(LeftOut(item.id, NO_TEXT))
        else:
            questions.append(item)
    # skipping everything would look like an empty set
    if refused and (not options.skip_broken or len(refused) == len(questions) + len(left_out)):
        raise DataError(_refusal(refused, len(questions) + len(left_out)), where=path)
    if not questions and not left_out:
        raise DataError("contains no questions", where=path)
    joined = _with_translations(questions, options.language)
    if len(joined) < len(questions):
        text = (
            "records read as translations of another one with the same id:"
            f" {len(questions) - len(joined):,}; gold answers are those in {options.language!r}"
            " where there are any"
        )
        notes.setdefault(text)
    graphs = {graph for question in joined for graph in question.queries if graph}
    used_ids: dict[str, int] = {}
    renamed = []
    for question in joined:
        question_id = unique_id(question.id, used_ids)
        if question_id != question.id:  # replacing a frozen record copies it
            question = dataclasses.replace(question, id=question_id)
        if len(graphs) == 1 and list(question.queries) == [""]:
            queries = dict.fromkeys(graphs, question.sparql)
            question = dataclasses.replace(question, queries=queries)
        renamed.append(question)
    return CollectedQuestions(tuple(renamed), tuple(left_out), tuple(notes), systems, numbered)


def _with_translations(questions: list[Question], language: str) -> list[Question]:
    """Join the records that are one question in several languages; see `collect_questions`."""
    indices: dict[tuple[str, str, str], int] = {}  # of the questions in `joined`
    joined: list[Question] = []
    for question in questions:
        index = indices.setdefault((question.id, question.origin, question.split), len(joined))
        if index == len(joined) or joined[index].texts.keys() & question.texts.keys():
            joined.append(question)
            continue
        main = question if language in question.texts else joined[index]
        texts = {**joined[index].texts, **question.texts}
        keywords = {**joined[index].keywords, **question.keywords}
        joined[index] = dataclasses.replace(main, texts=texts, keywords=keywords)
    n_multilingual = sum(len(joined[index].texts) > 1 for index in indices.values())
    # a few equal ids are more likely to be different questions
    if 2 * n_multilingual < len(indices):
        return questions
    return joined


def _refusal(refused: Sequence[Broken], total: int) -> str:
    """Return the message for broken records, with the reasons of the first three."""
    reasons = [_escape_surrogates(f"{record.location}: {record.reason}") for record in refused]
    if total == 1:
        return reasons[0]
    if len(refused) == 1:
        return f"{reasons[0]}{SKIP_HINT}"
    if len(refused) == total:
        return f"all {total:,} records are broken: {few(reasons, separator='; ')}"
    examples = few_and_more(reasons, separator="; ")
    return f"{len(refused):,} of {total:,} records are broken: {examples}{SKIP_HINT}"


def _escape_surrogates(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def unique_id(name: str, used_ids: dict[str, int]) -> str:
    """Return an id, with ``#2``, ``#3``, ... appended if it is already used."""
    unique = name
    # an id of the data may itself be "12#2"
    while unique in used_ids:
        used_ids[name] += 1
        unique = f"{name}#{used_ids[name]}"
    used_ids[unique] = 1
    return unique


def _find_fault(item: Item, *, surrogate_free: bool) -> Broken | None:
    """Return the item as a broken record if its texts have a wrong type, length or character."""
    if isinstance(item, Broken):
        return item
    if not isinstance(item, Question):
        return None
    location = f"record {item.id}"
    # a reader of another package may forget that a question has several texts per language
    if any(isinstance(wordings, str) for wordings in item.texts.values()):
        reason = "each language must have a tuple of texts, not a single string"
        return Broken(location, item.id, reason)
    longest = max(map(len, chain.from_iterable(item.texts.values())), default=0)
    if longest > _MAX_CHARS:
        reason = (
            f"the text has {longest:,} characters, more than the limit of {_MAX_CHARS:,}; either it"
            " is not a question, or a quote is not closed"
        )
        return Broken(location, item.id, reason)
    if surrogate_free:
        return None
    text = _find_unpaired_surrogate(dataclasses.astuple(item))
    if text is None:
        return None
    return Broken(location, item.id, f"has an unpaired surrogate: {text[:60]!a}")


def _find_unpaired_surrogate(value: object) -> str | None:
    """Return the first text in a nested value with half a surrogate pair, which UTF-8 lacks."""
    if isinstance(value, str) and value.encode("utf-8", "replace").decode() != value:
        return value
    if isinstance(value, Mapping):
        value = (*value, *value.values())
    if isinstance(value, (tuple, list)):
        for part in value:
            text = _find_unpaired_surrogate(part)
            if text is not None:
                return text
    return None


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
        messages = conversation(record.data.get(name))
        text = last_said(messages, ASKING) if messages else record.scalar(name)
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

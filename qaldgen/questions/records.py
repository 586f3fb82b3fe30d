"""Records of files: their fields, what readers make of them, and the set made of that."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
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

_NAMES = {
    dict: "an object", list: "a list", str: "a string", bool: "a boolean",
    int: "a number", float: "a number", Decimals: "a number",
}  # fmt: skip
#: TriviaQA writes it for nothing.
NO_ANSWER = "<unk>"
#: How people and spreadsheets write truth values, and yes and no, in the languages of most tables.
_TRUE = frozenset({"true", "wahr", "vrai", "vero", "verdadero", "verdadeiro", "waar"})
_FALSE = frozenset({"false", "falsch", "faux", "falso", "onwaar"})
_YES = frozenset({"yes", "ja", "oui", "sì", "sí", "si", "sim", "tak", "ano", "da", "да"})
_NO = frozenset({"no", "nein", "non", "não", "nao", "nee", "nie", "ne", "нет"})
_NAMED = 50
#: The advice at the end of a message about broken records.
SKIP_HINT = ". `skip_broken` skips them"
#: The most characters of a text; a language model would need gigabytes for more.
_LONGEST = 100_000
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
#: The fields of an object that may hold the text of a question.
_TEXTS = ("string", "text", "question", "stem", "question_stem", "content", "value")


class RecordLocation(NamedTuple):
    """Where a record stands, for messages; written only when there is one."""

    noun: str
    number: int
    record: object
    ids: Sequence[str]

    def __str__(self) -> str:
        """Return ``record 3 (id 7)``."""
        return f"{self.noun} {self.number}{id_note(self.record, self.ids)}"


class Fields:
    """The fields of one JSON object."""

    def __init__(self, value: object, where: tuple[object, ...], prefix: str = "") -> None:
        self.where = where
        self._prefix = prefix
        self.unread: list[str] = []
        if not isinstance(value, dict):
            if isinstance(value, Unparsed):
                raise DataError(value.reason, where=where)
            place = f"field {prefix.rstrip('.')!r} " if prefix else ""
            raise DataError(f"{place}is {_kind(value)}; an object is expected", where=where)
        self.data: dict[str, object] = value

    def error(self, name: str, expected: str) -> DataError:
        """Return the error for a field with an unexpected value."""
        value = self.data.get(name)
        problem = "is missing" if name not in self.data else f"is {_kind(value)}"
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
        """Return the value of the first of these fields that is neither null nor empty."""
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
        """Return a list; nothing if it is missing or null."""
        value = self.data.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(name, "a list")
        return value

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects; nothing if it is missing or null."""
        return [self.inside(f"{name}[{i}]", value) for i, value in enumerate(self.values(name))]

    def nested(self, name: str) -> Fields:
        """Return an object; one without fields if it is missing or null."""
        value = self.data.get(name)
        if value is None:
            value = {}
        return self.inside(name, value)

    def inside(self, name: str, value: object) -> Fields:
        """Return the fields of a nested object."""
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
        """Return the fields not in `used` as text or tuples of texts, to be kept as metadata.

        Fields with objects are listed in `unread`.
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
            filled = tuple(filter(None, texts))
            if filled:
                metadata[name] = filled if isinstance(value, list) else filled[0]
        return metadata


def scalar_text(value: object) -> str:
    """Return a JSON scalar as text, booleans as JSON writes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def parse_truth(text: str) -> bool | None:
    """Return the truth value that a word means whatever was asked, None for any other text.

    >>> parse_truth("WAHR"), parse_truth("falso"), parse_truth("no")
    (True, False, None)
    """
    word = text.strip().lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def parse_yes_or_no(text: str) -> bool | None:
    """Return the truth value of yes or no in one of some languages, None for any other text.

    >>> parse_yes_or_no("Sì"), parse_yes_or_no("nein"), parse_yes_or_no("vero")
    (True, False, None)
    """
    word = text.strip().lower()
    if word in _YES:
        return True
    return False if word in _NO else None


def parse_boolean(text: str) -> bool | None:
    """Return the truth value of a word in English, or of 1 and 0; None for any other text."""
    word = text.strip().lower()
    if word in {"true", "yes", "t", "1", "1.0"}:
        return True
    return False if word in {"false", "no", "f", "0", "0.0"} else None


def flat_texts(value: object) -> Iterator[str]:
    """Yield a scalar, or the scalars of a list, as text, without null and blank ones."""
    for item in as_list(value):
        if item is not None and not isinstance(item, (dict, list)):
            text = scalar_text(item).strip()
            if text and text != NO_ANSWER:
                yield text


def document_fields(content: Content) -> Fields:
    """Return the fields of a file that is one JSON object."""
    return Fields(content.json, (str(content.path),))


def record_fields(
    content: Content, ids: Sequence[str], records: Sequence[object] | None = None
) -> Iterator[Fields]:
    """Yield the records of a file, each knowing its place and its id for messages."""
    path = str(content.path)
    if records is None:
        records = content.records
    for number, record in enumerate(records, 1):
        yield Fields(record, (path, RecordLocation("record", number, record, ids)))


def id_note(record: object, ids: Sequence[str]) -> str:
    """Return `` (id 12)`` for messages, or an empty string if the record has no id."""
    name = record_id(record, ids)
    if not name:
        return ""
    return f" (id {name})"


def record_id(record: object, ids: Sequence[str]) -> str:
    """Return the id of a record on one short line, or an empty string."""
    for name in ids:
        value = member(record, name)
        if isinstance(value, (str, int, float)):
            return " ".join(str(value).split())[:60]
    return ""


def _kind(value: object) -> str:
    return _NAMES.get(type(value), "null")


class Broken(NamedTuple):
    """A record that could not be read."""

    where: str  # its place, for messages: ``record 2 (id 7)``
    name: str  # its id, or else its place
    reason: str  # what is wrong with it


class Systems(NamedTuple):
    """The systems whose answers the file holds too; "" for one without a name."""

    names: tuple[str, ...]


class Numbered(NamedTuple):
    """Says that no record has an id: the ids are the numbers of the records."""


def edition_note(line: str) -> Remark:
    """Return the note on the edition of the gold, which `QuestionSet.edition` finds again."""
    return Remark(f"the gold is the edition {line}", rule="gold-edition")


Item: TypeAlias = Question | LeftOut | Broken | Systems | Numbered


class ReadOptions(NamedTuple):
    """How a question set is read; `qaldgen.load` explains what users choose."""

    format: str | None = None
    language: str = LANGUAGE
    skip_broken: bool = False
    split_answers: str = ""
    gold_field: str = ""
    answer_field: tuple[str, ...] = ()  # the field of each system, in a file that holds runs too
    answers: str | Path | None = None
    prefixes: str | Path | None = None
    text_property: str = ""
    out_of_scope: bool = False  # whether questions are kept that the data cannot answer


DEFAULT_OPTIONS = ReadOptions()
#: Yields the items of a file; what else a user should know it tells `io.notes.note`.
Read: TypeAlias = Callable[[Content, ReadOptions], Iterator[Item]]


def each_record(
    content: Content,
    ids: Sequence[str],
    read: Callable[[Fields, int], Item],
    records: Iterable[object],
) -> Iterator[Item]:
    """Yield what `read` makes of each record and its number; a refused one becomes `Broken`.

    Fields with objects or long texts are named in a note.
    """
    unread: Counter[str] = Counter()
    path = str(content.path)
    for number, record in enumerate(records, 1):
        place = RecordLocation("record", number, record, ids)
        try:
            fields = Fields(record, (path, place))
            item = read(fields, number)
        except DataError as error:
            yield broken_record(content, str(place), record_id(record, ids), error)
        except RecursionError:
            deep = DataError("is nested too deeply to be read; flatten it")
            yield broken_record(content, str(place), record_id(record, ids), deep)
        else:
            if fields.unread:
                unread.update(fields.unread)
            yield item
    if unread:
        names = few_and_more(map(repr, sorted(unread)), _NAMED)
        note(f"not read, because they contain objects or long texts: {names}")


def drain(records: list[object]) -> Iterator[object]:
    """Yield the records of a list and remove each from it, to free its memory."""
    records.reverse()
    while records:
        yield records.pop()


def broken_record(content: Content, where: str, name: str, error: DataError) -> Broken:
    """Return a broken record with the reason of its error."""
    return Broken(where, name or where, error.without(content.path, where))


class CollectedQuestions(NamedTuple):
    """The questions of a set, the records that were left out, and notes."""

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
    """Make ids unique, and skip questions without text or marked `OUT_OF_SCOPE`.

    Records with the same id, data set and split in different languages are one question, with all
    else as in the record of the wanted one, if half of the ids or more have such. Other questions
    with the same id are all kept; the second becomes ``12#2``, the third ``12#3``. A query without
    terms of a knowledge graph is assigned to the graph of the others, if that is one.
    """
    questions: list[Question] = []
    left_out: list[LeftOut] = []
    refused: list[Broken] = []
    systems: tuple[str, ...] = ()
    numbered = False
    with collecting() as notes:
        all_items = [*items]
    for item in all_items:
        if isinstance(item, Systems):
            systems = item.names
            continue
        if isinstance(item, Numbered):
            numbered = True
            continue
        wrong = _fault(item, surrogate_free=surrogate_free)
        if wrong is not None:
            refused.append(wrong)
            left_out.append(LeftOut(_writable(wrong.name), _writable(wrong.reason), broken=True))
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
    used_names: dict[str, int] = {}
    renamed = []
    for question in joined:
        name = unique_id(question.id, used_names)
        if name != question.id:  # replacing a frozen record copies it
            question = dataclasses.replace(question, id=name)
        if len(graphs) == 1 and list(question.queries) == [""]:
            queries = dict.fromkeys(graphs, question.sparql)
            question = dataclasses.replace(question, queries=queries)
        renamed.append(question)
    return CollectedQuestions(tuple(renamed), tuple(left_out), tuple(notes), systems, numbered)


def _with_translations(questions: list[Question], language: str) -> list[Question]:
    """Return questions with their languages joined, where records are a question in a language."""
    places: dict[tuple[str, str, str], int] = {}
    joined: list[Question] = []
    for question in questions:
        place = places.setdefault((question.id, question.origin, question.split), len(joined))
        if place == len(joined) or joined[place].texts.keys() & question.texts.keys():
            joined.append(question)
            continue
        # all else is as in the record of the wanted language
        main = question if language in question.texts else joined[place]
        texts = {**joined[place].texts, **question.texts}
        keywords = {**joined[place].keywords, **question.keywords}
        joined[place] = dataclasses.replace(main, texts=texts, keywords=keywords)
    several = sum(len(joined[place].texts) > 1 for place in places.values())
    # a few equal ids are rather different questions: each is kept
    if 2 * several < len(places):
        return questions
    return joined


def _refusal(refused: Sequence[Broken], total: int) -> str:
    """Return the message for broken records, which shows the first three."""
    reasons = [f"{record.where}: {record.reason}" for record in refused]
    if total == 1:
        return _writable(reasons[0])
    if len(refused) == 1:
        return _writable(f"{reasons[0]}{SKIP_HINT}")
    if len(refused) == total:
        return _writable(f"all {total:,} records are broken: {few(reasons, joint='; ')}")
    examples = few_and_more(reasons, joint="; ")
    return _writable(f"{len(refused):,} of {total:,} records are broken: {examples}{SKIP_HINT}")


def _writable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def unique_id(name: str, used_names: dict[str, int]) -> str:
    """Return an id, with a number behind it if it is taken already."""
    unique = name
    # an id of the data may itself be "12#2"
    while unique in used_names:
        used_names[name] += 1
        unique = f"{name}#{used_names[name]}"
    used_names[unique] = 1
    return unique


def _fault(question: Item, *, surrogate_free: bool) -> Broken | None:
    """Return what is wrong with the texts of a question: their type, length or characters."""
    if isinstance(question, Broken):
        return question
    if not isinstance(question, Question):
        return None
    place = f"record {question.id}"
    # a reader of another package may forget that a question has several texts per language
    if any(isinstance(wordings, str) for wordings in question.texts.values()):
        reason = "each language must have a tuple of texts, not a single string"
        return Broken(place, question.id, reason)
    longest = max(map(len, chain.from_iterable(question.texts.values())), default=0)
    if longest > _LONGEST:
        reason = (
            f"the text has {longest:,} characters, more than the limit of {_LONGEST:,}; either it"
            " is not a question, or a quote is not closed"
        )
        return Broken(place, question.id, reason)
    if surrogate_free:
        return None
    odd = _unpaired(dataclasses.astuple(question))
    if odd is None:
        return None
    return Broken(place, question.id, f"has an unpaired surrogate: {odd[:60]!a}")


def _unpaired(value: object) -> str | None:
    """Return the first text in a value that cannot be written, as half a surrogate pair cannot."""
    if isinstance(value, str) and value.encode("utf-8", "replace").decode() != value:
        return value
    if isinstance(value, Mapping):
        value = (*value, *value.values())
    if isinstance(value, (tuple, list)):
        for part in value:
            odd = _unpaired(part)
            if odd is not None:
                return odd
    return None


def add_texts(texts: dict[str, tuple[str, ...]], record: Fields, name: str, language: str) -> None:
    """Add a field's texts to a question's; texts without a language are in `language`.

    In a conversation the user's last message is the question.
    """
    value = record.data.get(name)
    messages = conversation(value)
    if messages:
        add_wording(texts, language, last_said(messages, ASKING))
    elif isinstance(value, dict):
        _add_object(texts, record.inside(name, value), language)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for item in record.objects(name):
            _add_object(texts, item, language)
    else:
        for text in record.strings(name):
            add_wording(texts, language, text)


def read_question_text(record: Fields, names: Iterable[str]) -> str:
    """Return the text of a question, the user's last one of a chat, from the first filled field."""
    for name in names:
        messages = conversation(record.data.get(name))
        text = last_said(messages, ASKING) if messages else record.scalar(name)
        if text:
            return text
    return ""


def is_text_by_language(value: object) -> bool:
    """Return whether a value is an object from language tags to texts or lists of texts."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(_TAG.fullmatch(tag) for tag in value)
        and all(text is None or isinstance(text, (str, list)) for text in value.values())
    )


def _add_object(texts: dict[str, tuple[str, ...]], inside: Fields, language: str) -> None:
    for field in _TEXTS:
        if field in inside.data:
            add_wording(texts, inside.scalar("language") or language, inside.scalar(field))
            return
    if "language" in inside.data:  # a language without a text
        return
    if inside.data and not is_text_by_language(inside.data):
        raise inside.error(_TEXTS[0], "the text of the question")
    for tag in inside.data:
        for text in inside.strings(tag):
            add_wording(texts, tag, text)

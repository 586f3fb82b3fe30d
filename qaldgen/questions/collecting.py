"""What readers of question sets find in a file, and how its questions are collected."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.io.text import few, few_and_more
from qaldgen.model import LeftOut, Question, Remark
from qaldgen.questions.file_content import Content
from qaldgen.questions.question_texts import NO_TEXT, OUT_OF_SCOPE, UNANSWERABLE
from qaldgen.questions.records import Fields, RecordLocation, record_id

#: The most fields that a note names.
_MAX_NAMED = 50
#: The advice at the end of a message about broken records.
SKIP_HINT = ". `skip_broken` skips them"
#: The most characters of a question; a language model would need gigabytes for more.
_MAX_CHARS = 100_000


class Broken(NamedTuple):
    """A record that could not be read."""

    location: str  # where it is in the file, for messages: ``record 2 (id 7)``
    record_id: str  # its id; its location if it has none
    reason: str  # what is wrong with it


def edition_note(edition: str) -> Remark:
    """Return the note on the edition of the gold, from which `QuestionSet.edition` reads it."""
    return Remark(f"the gold is the edition {edition}", rule="gold-edition", value=edition)


Item: TypeAlias = Question | LeftOut | Broken


class ReadSet(NamedTuple):
    """What a reader found in a file: its items, and what holds for all of them."""

    items: Iterable[Item]
    systems: tuple[str, ...] = ()  # the systems whose answers are in the file; "" has no name
    numbered: bool = False  # whether no record has an id, so that their numbers are the ids


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
#: Returns the items of a file, and reports anything else for users with `io.notes.note`.
Read: TypeAlias = Callable[[Content, ReadOptions], Iterable[Item] | ReadSet]


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


def collect_questions(
    path: Path,
    items: Iterable[Item],
    options: ReadOptions = DEFAULT_OPTIONS,
    *,
    surrogate_free: bool = False,
) -> tuple[list[Question], list[LeftOut]]:
    """Return the usable questions among the items of a file, with unique ids, and what is left out.

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
    for item in items:
        if isinstance(item, LeftOut):
            left_out.append(item)
        elif (broken := _find_fault(item, surrogate_free=surrogate_free)) is not None:
            refused.append(broken)
            reason = _escape_surrogates(broken.reason)
            left_out.append(LeftOut(_escape_surrogates(broken.record_id), reason, broken=True))
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
        note(
            "records read as translations of another one with the same id:"
            f" {len(questions) - len(joined):,}; gold answers are those in {options.language!r}"
            " where there are any"
        )

    graphs = {graph for question in joined for graph in question.queries if graph}
    used_ids: dict[str, int] = {}
    usable = []
    for question in joined:
        changes: dict[str, Any] = {}
        question_id = unique_id(question.id, used_ids)
        if question_id != question.id:
            changes["id"] = question_id
        # a query that shows no knowledge graph is assigned to that of all others
        if len(graphs) == 1 and list(question.queries) == [""]:
            changes["queries"] = dict.fromkeys(graphs, question.sparql)
        if changes:  # replacing a frozen record copies it
            question = dataclasses.replace(question, **changes)
        usable.append(question)
    return usable, left_out


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

"""Read data sets of flat JSON objects; a `RecordFormat` says what each field holds.

Fields that the format does not name are kept as metadata, if they are scalars or lists of scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.formats.assembling import Item, Read, ReadOptions, each_record
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields
from qaldgen.formats.texts import UNANSWERABLE, add_texts, answer_type, is_out_of_scope
from qaldgen.model import Answers, LeftOut, Mention, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

#: Texts that mean "no text".
_NO_TEXT = frozenset({"n/a", "na", "null", "none", "nan"})
_LOOKED_AT = 50
Records: TypeAlias = Sequence[Mapping[str, object]]


class RecordFormat(NamedTuple):
    """What the fields of a record hold."""

    origin: str  # the name of the data set
    #: A file has this format if its records have all the keys of one of these sets.
    shown_by: tuple[frozenset[str], ...]
    #: The fields that may hold the id; without an id, the number of the record if `numbered`.
    ids: tuple[str, ...]
    #: Field to language, the main text first; ``*`` for the language of the options, or for a field
    #: with a text per language.
    texts: Mapping[str, str]
    #: Whether the values of the first records have this format, if their keys are too common.
    also: Callable[[Records], bool] = lambda rows: True
    #: From the record to the name of the data set, if it is not `origin`.
    variant: Callable[[Fields], str] = lambda record: ""
    queries: Mapping[str, str] = {}  # field to knowledge graph; empty to judge by the query
    #: From the record to its answers.
    answers: Callable[[Fields], Answers | None] = lambda record: None
    #: From the record to the name of its answer type.
    answer_type: Callable[[Fields], str] = lambda record: ""
    #: From the record to its annotations of what the question names.
    mentions: Callable[[Fields], tuple[Mention, ...]] = lambda record: ()
    #: From the record to metadata that must be computed from nested fields.
    more: Callable[[Fields], dict[str, str]] = lambda record: {}
    renamed: Mapping[str, str] = {}  # field to its name in the metadata
    unkept: frozenset[str] = frozenset()  # fields that are not kept as metadata
    numbered: bool = False  # whether records may lack an id


def recognises_form(form: RecordFormat) -> Callable[[Content], bool]:
    """Return the function that recognises files of a format."""

    def recognises(content: Content) -> bool:
        if not any(keys <= content.row_keys for keys in form.shown_by):
            return False
        return form.also([row for row in content.rows[:_LOOKED_AT] if isinstance(row, dict)])

    return recognises


def read_form(form: RecordFormat) -> Read:
    """Return the function that yields the questions of a file of a format."""

    def _read(content: Content, options: ReadOptions) -> Iterator[Item]:
        def _read_one(record: Fields, number: int) -> list[Item]:
            name = (
                next((record.scalar(field) for field in form.ids if record.has(field)), "")
                if form.numbered
                else ""
            )
            name = name or (str(number) if form.numbered else record.required(*form.ids))
            return [_question(form, record, name, options.language)]

        yield from each_record(content, form.ids, _read_one)

    return _read


def keys(*names: str) -> frozenset[str]:
    """Return the names of fields as a set."""
    return frozenset(names)


def _question(form: RecordFormat, record: Fields, name: str, language: str) -> Question | LeftOut:
    if not any(field in record.data for field in form.texts):
        raise record.error(next(iter(form.texts)), "the text of the question")
    queries = dict(_queries(form, record))
    if any(is_out_of_scope(query) for query in queries.values()):
        return LeftOut(name, UNANSWERABLE)
    metadata = {
        form.renamed.get(field, field): value
        for field, value in record.rest(
            {*form.ids, *form.texts, *form.queries, *form.unkept}
        ).items()
    }
    return Question(
        id=name,
        texts=_texts(form, record, language),
        queries=queries,
        answers=form.answers(record),
        answer_type=answer_type(form.answer_type(record)),
        origin=form.variant(record) or form.origin,
        mentions=form.mentions(record),
        metadata={**metadata, **form.more(record)},
    )


def _texts(form: RecordFormat, record: Fields, language: str) -> dict[str, tuple[str, ...]]:
    texts: dict[str, tuple[str, ...]] = {}
    for field, tag in form.texts.items():
        add_texts(texts, record, field, language if tag == "*" else tag)
    known = {
        tag: tuple(text for text in wordings if text.lower() not in _NO_TEXT)
        for tag, wordings in texts.items()
    }
    return {tag: wordings for tag, wordings in known.items() if wordings}


def _queries(form: RecordFormat, record: Fields) -> Iterator[tuple[str, str]]:
    """Yield the queries; they are in a field, or in an object under ``sparql``."""
    for field, graph in form.queries.items():
        inside = record.nested(field) if isinstance(record.data.get(field), dict) else None
        found = record.strings(field) if inside is None else inside.strings("sparql")
        if found:
            yield graph or graph_of_query(found[0]), found[0]

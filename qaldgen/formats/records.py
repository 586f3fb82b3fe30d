"""Read data sets whose records are flat JSON objects; a `RecordFormat` says which field is what.

What no part of a form names is kept as metadata, if it is one value or a list of such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields
from qaldgen.formats.gather import UNANSWERABLE, answer_type, is_out_of_scope
from qaldgen.formats.items import Item, Read, ReadOptions, each_record
from qaldgen.formats.texts import add_texts
from qaldgen.model import Answers, LeftOut, Mention, Question
from qaldgen.rdf.graphs import graph_of_query

#: Texts that mean that there is none.
_NO_TEXT = frozenset({"n/a", "na", "null", "none", "nan"})
_LOOKED_AT = 50
Records: TypeAlias = Sequence[Mapping[str, object]]


class RecordFormat(NamedTuple):
    """Which field of a record is what.

    Attributes
    ----------
    origin : str
        The name of the data set.
    shown_by : tuple of sets of str
        A file is of this form if its records have all the keys of one of these sets.
    ids : tuple of str
        The fields that may hold the id; if there are none, or `numbered`, the number of the record
        is its id.
    texts : mapping of str to str
        Field to language, the main wording first; for ``*`` the field says its languages.
    also : callable
        Says of the first records whether their values are of this form, where the keys alone are
        too usual.
    variant : callable
        From the record to the name of the data set, where it is not `origin`.
    queries : mapping of str to str
        Field to knowledge graph, empty where the query shows it.
    answers : callable
        From the record to its answers.
    answer_type : callable
        From the record to the name of its answer type.
    mentions : callable
        From the record to what it says is named in the question.
    more : callable
        From the record to metadata that are not a field of one value.
    renamed : mapping of str to str
        Field to its name in the metadata.
    unkept : frozenset of str
        Fields that are not kept as metadata.
    numbered : bool
        Whether records may lack an id.
    """

    origin: str
    shown_by: tuple[frozenset[str], ...]
    ids: tuple[str, ...]
    texts: Mapping[str, str]
    also: Callable[[Records], bool] = lambda rows: True
    variant: Callable[[Fields], str] = lambda record: ""
    queries: Mapping[str, str] = {}
    answers: Callable[[Fields], Answers | None] = lambda record: None
    answer_type: Callable[[Fields], str] = lambda record: ""
    mentions: Callable[[Fields], tuple[Mention, ...]] = lambda record: ()
    more: Callable[[Fields], dict[str, str]] = lambda record: {}
    renamed: Mapping[str, str] = {}
    unkept: frozenset[str] = frozenset()
    numbered: bool = False


def recognises_form(form: RecordFormat) -> Callable[[Content], bool]:
    """Return the function that says whether a file is of a form."""

    def recognises(content: Content) -> bool:
        if not any(keys <= content.row_keys for keys in form.shown_by):
            return False
        return form.also([row for row in content.rows[:_LOOKED_AT] if isinstance(row, dict)])

    return recognises


def read_form(form: RecordFormat) -> Read:
    """Return the function that yields the questions of a file of a form."""

    def read(content: Content, options: ReadOptions) -> Iterator[Item]:
        def read_one(record: Fields, number: int) -> list[Item]:
            name = (
                next((record.scalar(field) for field in form.ids if record.has(field)), "")
                if form.numbered
                else ""
            )
            name = name or (str(number) if form.numbered else record.required(*form.ids))
            return [_question(form, record, name, options.language)]

        yield from each_record(content, form.ids, read_one)

    return read


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

"""What readers yield: questions, records left out or broken, and notes.

And how they read a set record by record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.errors import DataError
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields, id_of
from qaldgen.model import LeftOut, Question

_SHOWN = 50


class Broken(NamedTuple):
    """A record that could not be read.

    Attributes
    ----------
    where : str
        Where it stands, for messages: ``record 2 (id 7)``.
    name : str
        What to call it: its id, or else its place.
    reason : str
        What is wrong with it.
    """

    where: str
    name: str
    reason: str


class Note(NamedTuple):
    """What a user should know about how the set was read."""

    text: str


Item: TypeAlias = Question | LeftOut | Broken | Note


class ReadOptions(NamedTuple):
    """How to read.

    Attributes
    ----------
    language : str
        The language of texts that do not say theirs.
    separator : str
        What separates several answers in one cell of a table, beside the bar; empty for nothing.
    """

    language: str = "en"
    separator: str = ""


Read: TypeAlias = Callable[[Content, ReadOptions], Iterator[Item]]


def each_record(
    content: Content,
    ids: Sequence[str],
    read: Callable[[Fields, int], Iterable[Item]],
    records: Iterable[object] | None = None,
    read_plain: Callable[[object], Item | None] | None = None,
) -> Iterator[Item]:
    """Yield what `read` makes of each record.

    One that it refuses becomes `Broken`, and the others are read all the same.

    Parameters
    ----------
    content
        The file.
    ids
        The fields that may hold the id, for messages.
    read
        Yields the items of a record; its second argument is the number of the record, from 1.
    records
        The records; None for those of the file.
    read_plain
        Reads records that are written as nearly all are, and returns None of those that `read` has
        to look into.

    Yields
    ------
    Item
        At the end a note on the fields that nothing was made of.
    """
    unread: Counter[str] = Counter()
    for number, record in enumerate(content.rows if records is None else records, 1):
        plain = read_plain(record) if read_plain is not None else None
        if plain is not None:
            yield plain
            continue
        name = id_of(record, ids)
        where = f"record {number} (id {name})" if name else f"record {number}"
        try:
            fields = Fields(record, (str(content.path), where))
            made = list(read(fields, number))
        except DataError as error:
            yield broken(content, where, name, error)
        else:
            unread.update(fields.unread)
            yield from made
    yield from unread_note(unread)


def let_go(records: list[object]) -> Iterator[object]:
    """Yield the records of a list, and take each out of it.

    What was made of a record takes its place in memory.
    """
    records.reverse()
    while records:
        yield records.pop()


def broken(content: Content, where: str, name: str, error: DataError) -> Broken:
    """Return a broken record with the reason of its error.

    Parameters
    ----------
    content
        The file.
    where
        Place of the record.
    name
        Its id.
    error
        The error.

    Returns
    -------
    Broken
        The record.
    """
    return Broken(where, name or where, error.without(content.path, where))


def unread_note(unread: Counter[str]) -> Iterator[Note]:
    """Yield a note that names the fields that nothing was made of, if there are any."""
    if unread:
        names = ", ".join(f"{name!r}" for name in sorted(unread)[:_SHOWN])
        more = f" and {len(unread) - _SHOWN} more" if len(unread) > _SHOWN else ""
        yield Note(f"not read, because they contain objects or long texts: {names}{more}")

"""Errors for users. Each message says what is wrong and where, the rule, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath

#: A longer message quotes a damaged file; its middle is left out.
_MAX_CHARS = 4000


class QaldgenError(Exception):
    """Any error in the input or the call, not in the program.

    Parameters
    ----------
    text
        What is wrong, the rule, and what to do.
    where
        The file, or several places from the outside in: the file, and the record in it. They come
        first in the message.

    Attributes
    ----------
    exit_code : int
        The exit status of the command line: 1, the data is bad; 2, the call is wrong.
    where : tuple of str
        The places with which the message begins.
    text : str
        The message without the places.

    Examples
    --------
    >>> error = QaldgenError("has no id", where=("set.json", "record 2"))
    >>> print(error)
    set.json: record 2: has no id
    >>> error.without("set.json")
    'record 2: has no id'
    """

    exit_code = 1

    def __init__(self, text: str = "", *, where: str | PurePath | Sequence[object] = ()) -> None:
        if len(text) > _MAX_CHARS:
            text = f"{text[: _MAX_CHARS // 2]} ... {text[-_MAX_CHARS // 4 :]}"
        if isinstance(where, (str, PurePath)):
            where = (where,)
        self.where = tuple(map(str, where))
        self.text = text
        super().__init__(": ".join([*self.where, self.text]))

    def without(self, *places: object) -> str:
        """Return the message without some of its places, which are shown elsewhere.

        Parameters
        ----------
        places
            The places to leave out.

        Returns
        -------
        str
            The rest of the message.
        """
        known = {str(place) for place in places}
        unknown = [place for place in self.where if place not in known]
        return ": ".join([*unknown, self.text])


class DataError(QaldgenError):
    """The data is bad: a file, an endpoint's answer, a value."""


@contextmanager
def refusing_deep_nesting(where: str | PurePath) -> Iterator[None]:
    """Refuse data that are nested more deeply than Python can follow."""
    try:
        yield
    except RecursionError as error:
        raise DataError("is nested too deeply to be read; flatten it", where=where) from error


class UnknownFormat(DataError):
    """A file has no known format."""


class EndpointError(DataError):
    """A SPARQL endpoint did not answer, or not completely."""


class EndpointTimeout(EndpointError):
    """A SPARQL endpoint did not answer in time."""


class UsageError(QaldgenError):
    """The call is wrong: an option, a query, a size."""

    exit_code = 2

"""The errors a user meets. Each message says what, where, the rule and what to do."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import PurePath

#: What options of the command line are called from Python.
_IN_PYTHON = {
    "--force": "force=True",
    "--scale": "scaling",
    "--missing": "missing",
    "--missing zero": 'missing="zero"',
    "--missing zero or mean": 'missing="zero" or "mean"',
}
_OPTION = re.compile(r"(?<![\w-])--(?:force|scale|missing(?: zero(?: or mean)?)?)(?![\w-])")


def _as_called(message: str) -> str:
    """Return a message in the words of who called.

    On the command line options, from Python arguments.
    """
    click = sys.modules.get("click")
    if click is not None and click.get_current_context(silent=True) is not None:
        return message
    return _OPTION.sub(lambda match: _IN_PYTHON[match[0]], message)


class QaldgenError(Exception):
    """Any error that is the input's or the call's, not the program's.

    Parameters
    ----------
    text
        What is wrong, the rule, and what to do.
    where
        The file, or several places from the outside in: the file, and the record in it. They lead
        the message.

    Attributes
    ----------
    exit_code : int
        What the command line returns: 1, the data is bad; 2, the call is wrong.
    where : tuple of str
        The places.
    text : str
        The message without them.

    Examples
    --------
    >>> error = QaldgenError("has no id", where=("set.json", "record 2"))
    >>> print(error)
    set.json: record 2: has no id
    >>> error.without("set.json")
    'record 2: has no id'
    """

    exit_code = 1

    def __init__(self, text: str = "", *, where: str | PurePath | Sequence[str] = ()) -> None:
        self.where = (str(where),) if isinstance(where, (str, PurePath)) else tuple(where)
        self.text = _as_called(text)
        super().__init__(": ".join([*self.where, self.text]))

    def without(self, *places: object) -> str:
        """Return the message without some of its places, to be shown beside them."""
        known = {str(place) for place in places}
        return ": ".join([*(place for place in self.where if place not in known), self.text])


class DataError(QaldgenError):
    """The data is bad: a file, an endpoint's answer, a value."""


class UnknownForm(DataError):
    """A file is of no form that is known."""


class EndpointError(DataError):
    """A SPARQL endpoint did not answer, or did not answer fully."""


class EndpointTimeout(EndpointError):
    """A SPARQL endpoint did not answer in time."""


class UsageError(QaldgenError):
    """The call is wrong: an option, a query, a size."""

    exit_code = 2

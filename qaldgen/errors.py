"""The errors a user meets. Each message says what, where, the rule and what to do."""

from __future__ import annotations

import re
import sys

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
    """Return a message in the words of who called: on the command line options, from Python arguments."""
    click = sys.modules.get("click")
    if click is not None and click.get_current_context(silent=True) is not None:
        return message
    return _OPTION.sub(lambda match: _IN_PYTHON[match[0]], message)


class QaldgenError(Exception):
    """Any error that is the input's or the call's, not the program's.

    Attributes
    ----------
    exit_code : int
        What the command line returns: 1, the data is bad; 2, the call is wrong.
    """

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(_as_called(message))


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

"""The errors a user meets. Each message says what, where, the rule and what to do."""

from __future__ import annotations


class QaldgenError(Exception):
    """Any error that is the input's or the call's, not the program's.

    Attributes
    ----------
    exit_code : int
        What the command line returns: 1, the data is bad; 2, the call is wrong.
    """

    exit_code = 1


class DataError(QaldgenError):
    """The data is bad: a file, an endpoint's answer, a value."""


class EndpointError(DataError):
    """A SPARQL endpoint did not answer, or did not answer fully."""


class EndpointTimeout(EndpointError):
    """A SPARQL endpoint did not answer in time."""


class UsageError(QaldgenError):
    """The call is wrong: an option, a query, a size."""

    exit_code = 2

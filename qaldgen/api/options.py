"""Options that travel together.

A frozen record for each group, and the same names as keyword arguments of the facade.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from qaldgen.scoring.judging import Verdicts
from qaldgen.scoring.missing import DEFAULT
from qaldgen.scoring.resolving import Resolved
from qaldgen.scoring.setting import Scoring as Scoring

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from qaldgen.runs.looks import Rule
    from qaldgen.runs.resume import Stop

#: How missing answers count unless the user says otherwise, in every command.
MISSING = DEFAULT

Function = TypeVar("Function", bound=Callable[..., Any])
Record = TypeVar("Record", bound="DataclassInstance")


class ScoringOptions(TypedDict, total=False):
    """The fields of `Scoring` as keyword arguments."""

    match: str | Verdicts | Resolved
    same_as: str
    language: str
    aliases: Mapping[str, Sequence[str]] | str | Path | None
    labels: str
    extract: str
    repeats_as: str | None


class PacingOptions(TypedDict, total=False):
    """The fields of `qaldgen.asking.asking.Pacing` as keyword arguments."""

    jobs: int
    rate: float | None
    max_failures: int
    limit: int | None
    budget: float | None
    stop: Rule | Stop | None
    contexts: Mapping[str, str]
    times: bool


def spelled_out(*kinds: type[DataclassInstance]) -> Callable[[Function], Function]:
    """Show the fields of option records in the signature of a function with ``**options``.

    Help and completion then list them.
    """

    def show(function: Function) -> Function:
        signature = inspect.signature(function)
        # ``**options`` itself is replaced by the fields
        named = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        fields = {field.name: field for kind in kinds for field in dataclasses.fields(kind)}
        more = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type
            )
            for name, field in fields.items()
        ]
        function.__signature__ = signature.replace(parameters=[*named, *more])  # type: ignore[attr-defined]
        return function

    return show


def take(kind: type[Record], options: Mapping[str, Any]) -> tuple[Record, dict[str, Any]]:
    """Split options into a record of the options that are its fields, and the rest.

    Parameters
    ----------
    kind
        The record type.
    options
        Keyword arguments.

    Returns
    -------
    tuple of record and dict
        The record, and the remaining options.

    Examples
    --------
    >>> record, rest = take(Scoring, {"match": "strict", "alpha": 0.1})
    >>> record.match, rest
    ('strict', {'alpha': 0.1})
    """
    names = {field.name for field in dataclasses.fields(kind)}
    own = {name: value for name, value in options.items() if name in names}
    return kind(**own), {name: value for name, value in options.items() if name not in names}


def take_last(kind: type[Record], options: Mapping[str, Any], function: str) -> Record:
    """Return a record of all options, or raise for unknown ones.

    Parameters
    ----------
    kind
        The record type.
    options
        Keyword arguments.
    function
        Name of the calling function, for the error message.

    Returns
    -------
    record
        An instance of `kind`.

    Raises
    ------
    TypeError
        If an option is not one of its fields, as for any Python function.
    """
    record, rest = take(kind, options)
    if rest:
        # the error that Python itself raises for an unknown keyword
        raise TypeError(f"{function}() got an unexpected keyword argument {next(iter(rest))!r}")
    return record

"""Sections that plug-ins add to a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from qaldgen.benchmark.gold import Gold
from qaldgen.io.extensions import Table
from qaldgen.options import Option
from qaldgen.reports.page.contents import Report
from qaldgen.scoring.score import Scores

#: The values of the options of sections, by name.
OptionValues: TypeAlias = Mapping[str, Any]


class SectionKind(NamedTuple):
    """How a section of a report is made.

    Attributes
    ----------
    files : callable
        Returns the files that the section reads by its options; it is made if there are any.
    add : callable
        Returns the report with the section among its `sections`.
    help : str
        What the section shows, in one line.
    options : tuple of Option
        The options of the section, which are options of ``report``.
    """

    files: Callable[[OptionValues], Sequence[str]]
    add: Callable[[Report, Gold, Sequence[Scores], OptionValues], Report]
    help: str
    options: tuple[Option, ...] = ()


#: Every section that a report can have; plug-ins add theirs.
SECTIONS: Table[SectionKind] = Table("report-sections", SectionKind, {})


def with_defaults(given: Mapping[str, object]) -> OptionValues:
    """Return the options of all sections, those that are not given with their defaults."""
    values = {}
    for kind in SECTIONS.values():
        for option in kind.options:
            values[option.name] = given.get(option.name, option.default)
    return values

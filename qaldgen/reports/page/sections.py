"""Sections that plug-ins add to a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from qaldgen.benchmark.gold import Gold
from qaldgen.io.extensions import Table
from qaldgen.options import Option
from qaldgen.reports.page.contents import Report
from qaldgen.scoring.score import Scores


class SectionKind(NamedTuple):
    """How a section of a report is made.

    Attributes
    ----------
    add : callable
        ``(report, gold, scored, **options) -> Report``: returns the report with the section among
        its `sections`.
    wanted : callable
        ``(**options) -> bool``: whether the section is made. It can refuse options, before
        anything is read.
    files : callable
        ``(**options) -> sequence of str``: returns the files that the section reads.
    help : str
        What the section shows, in one line.
    options : tuple of Option
        The options of the section: arguments of the functions, and options of ``report``.
    """

    add: Callable[..., Report]
    wanted: Callable[..., bool]
    files: Callable[..., Sequence[str]]
    help: str
    options: tuple[Option, ...] = ()


#: Every section that a report can have; plug-ins add theirs.
SECTIONS: Table[SectionKind] = Table("report-sections", SectionKind, {})


class ChosenSection(NamedTuple):
    """A section with its options."""

    kind: SectionKind
    options: Mapping[str, Any]

    @property
    def files(self) -> Sequence[str]:
        """The files that it reads."""
        return self.kind.files(**self.options)

    def add(self, report: Report, gold: Gold, scored: Sequence[Scores]) -> Report:
        """Return the report with the section; see `SectionKind`."""
        return self.kind.add(report, gold, scored, **self.options)


def chosen_sections(values: Mapping[str, object]) -> list[ChosenSection]:
    """Return the sections that options ask for."""
    sections = []
    for kind in SECTIONS.values():
        options = {option.name: values.get(option.name, option.default) for option in kind.options}
        if kind.wanted(**options):
            sections.append(ChosenSection(kind, options))
    return sections

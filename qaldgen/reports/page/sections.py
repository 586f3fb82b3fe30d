"""Sections that plug-ins add to a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from qaldgen.io.extensions import Table
from qaldgen.options import Option
from qaldgen.reports.page.contents import Report


class SectionKind(NamedTuple):
    """How a section of a report is made.

    Attributes
    ----------
    add : callable
        ``(report, gold, scored, **options) -> Report``: the report with the section among its
        `sections`.
    files : callable
        ``(**options)``: the files that it reads; without any the section is not made. It can refuse
        options, before anything is read.
    help : str
        What it shows, in one line.
    options : tuple of Option
        Its options, which become arguments of the functions here and options of ``report``.
    """

    add: Callable[..., Report]
    files: Callable[..., Sequence[str]]
    help: str
    options: tuple[Option, ...] = ()


#: Every such section; plug-ins add theirs.
SECTIONS: Table[SectionKind] = Table("report-sections", SectionKind, {})


class ChosenSection(NamedTuple):
    """A section with its options, and the files that it reads."""

    kind: SectionKind
    options: Mapping[str, Any]
    files: Sequence[str]

    def add(self, report: Report, *known: object) -> Report:
        """Return the report with the section; see `SectionKind`."""
        return self.kind.add(report, *known, **self.options)


def chosen_sections(values: Mapping[str, object]) -> list[ChosenSection]:
    """Return the sections that options ask for."""
    sections = []
    for kind in SECTIONS.values():
        options = {option.name: values.get(option.name, option.default) for option in kind.options}
        files = kind.files(**options)
        if files:
            sections.append(ChosenSection(kind, options, files))
    return sections

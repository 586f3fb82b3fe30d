"""Checks that run before data is read, which may take minutes.

They reject unknown names and missing files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qaldgen.errors import UsageError
from qaldgen.io.arguments import check_choice as check_choice
from qaldgen.io.files import check_files as check_files

if TYPE_CHECKING:
    from qaldgen.scoring.matchers import Scoring


def check_measure(name: str) -> None:
    """Reject an unknown measure."""
    from qaldgen.scoring.measures import known_measures

    check_choice("--measure", name, known_measures())


def check_missing(rule: str) -> None:
    """Reject an unknown rule for missing answers."""
    from qaldgen.scoring.missing import RULES

    check_choice("--missing", rule, RULES)


def check_table_form(form: str, more: Iterable[str] = ()) -> None:
    """Reject an unknown table format; `more` are further ones."""
    from qaldgen.reports.tables.results import TABLE_FORMS

    check_choice("--format", form, [*TABLE_FORMS, *more])


def check_correction(name: str) -> None:
    """Reject an unknown correction for multiple tests."""
    from qaldgen.analysis.comparing.multiplicity import CORRECTIONS

    check_choice("--correct", name, CORRECTIONS)


def check_scoring(how: Scoring) -> None:
    """Reject unknown scoring rules."""
    from qaldgen.scoring.gerbil.answers import SAME_AS
    from qaldgen.scoring.matchers import AUTO, MATCHERS
    from qaldgen.scoring.repeats import read_rule
    from qaldgen.scoring.words.extraction import make_extractor

    check_choice("--match", how.matcher, [AUTO, *MATCHERS])
    check_choice("--same-as", how.same_as, SAME_AS)
    make_extractor(how.extract)
    read_rule(how.repeats_as)


def check_no_judge(match: str) -> None:
    """Reject a judge for commands that decide, before any question is asked."""
    from qaldgen.scoring.verdicts import JUDGE, UNDECIDED

    if match == JUDGE:
        raise UsageError(UNDECIDED)


def check_sets(*names: str | None) -> None:
    """Reject anything that is neither a file nor the name of a public question set.

    Nothing is fetched yet.
    """
    from qaldgen.datasets.fetching import find_source

    for name in names:
        if name is not None:
            find_source(name)


def check_set_form(form: str | None) -> None:
    """Reject an unknown question set format."""
    from qaldgen.formats.reading import check_format

    check_format(form)


def check_run_form(form: str | None) -> None:
    """Reject an unknown run format."""
    from qaldgen.runs.reading import check_format

    check_format(form)


def check_slices(by: Iterable[str], where: Sequence[str]) -> None:
    """Reject unknown features, and queries of slices that are missing or do not parse."""
    from qaldgen.analysis.feature_table import CLUSTER, slice_queries
    from qaldgen.features.catalogue import all_features, feature_hint

    known = [*all_features(), CLUSTER]
    for name in (name.strip() for text in by for name in text.split(",")):
        if name not in known:
            raise UsageError(f"--by: unknown name {name!r}; {feature_hint(name, known)}")
    slice_queries(where)

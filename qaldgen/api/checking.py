"""Look for errors in files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.api.questions import AnyGold, gold_of
from qaldgen.checking.check import Bar, Checked, Options
from qaldgen.checking.check import check as check_file
from qaldgen.checking.rules import chosen_rules, describe_rules
from qaldgen.checking.show import show, summary
from qaldgen.errors import UsageError
from qaldgen.selection.select import open_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.local import LocalStore

#: A knowledge graph that can be asked.
Graph: TypeAlias = "LocalStore | Endpoint"

__all__ = [
    "Bar",
    "Checked",
    "Options",
    "check",
    "check_file",
    "chosen_rules",
    "describe_rules",
    "failed",
    "show",
    "summary",
]


def check(
    file: str | Path,
    *,
    kind: str = "",
    format: str | None = None,
    language: str = "en",
    gold: AnyGold | None = None,
    source: str | Path | LocalStore | Endpoint | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Checked:
    """Look for errors in a question set, in questions with features, in a benchmark or in a run.

    Parameters
    ----------
    file
        The file, or the name of a public set; what it is, is recognised by content.
    kind
        ``questions``, ``run`` or ``rdf``, if it is not recognised.
    format
        The format of the file, if it is not recognised.
    language
        Language of texts without a tag.
    gold
        The questions that the file, a run, answers.
    source
        A knowledge graph that is asked the gold queries: an RDF file, the URL of an endpoint, or
        what `open_data` returns.
    select, ignore
        The rules to look at (all), and those to leave out.

    Returns
    -------
    Checked
        The findings; a file that cannot be read has the one finding ``unreadable``.

    Raises
    ------
    UsageError
        If there is no such kind, format or rule.

    Examples
    --------
    >>> check("no-such-file.json").findings[0].rule
    'unreadable'
    """
    if not isinstance(file, (str, Path)):
        raise UsageError(
            f"check reads a file, because it looks for what reading repairs or leaves out; give the"
            f" file itself, not a {type(file).__name__}"
        )
    asked = None if gold is None else gold_of(gold, language=language).questions
    opened = None if source is None else open_data(source)
    options = Options(kind, format, language, asked, opened, chosen_rules(select, ignore))  # type: ignore[arg-type]
    return check_file(file, options)


def failed(checked: Sequence[Checked], *, strict: bool = False) -> bool:
    """Return whether an error was found; with `strict` a warning counts too.

    Parameters
    ----------
    checked
        The files that were checked.
    strict
        Whether warnings count.
    """
    # notes never fail a check
    bad = {"error", "warning"} if strict else {"error"}
    return any(finding.level in bad for one in checked for finding in one.findings)


def with_rules(options: Options, select: Sequence[str], ignore: Sequence[str]) -> Options:
    """Return options with the rules to look at.

    Parameters
    ----------
    options
        How to check.
    select, ignore
        See `check`.
    """
    return dataclasses.replace(options, rules=chosen_rules(select, ignore))

"""Views: other results of a verb, which plug-ins add with a flag."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from qaldgen.cli.verb import Call, Command, add_options
from qaldgen.errors import UsageError
from qaldgen.io.extensions import Table


class View(NamedTuple):
    """Another result of a verb, which a flag selects."""

    options: Callable[[Any], Any]  #: a decorator that adds the options, such as from `options_of`
    chosen: Callable[[Call], str | None]  #: returns the flag that selects it; None if not given
    show: Callable[[Call], None]  #: is called instead of the function of the verb
    instead_of: str = ""  #: options of the verb that select other results, with spaces between
    brief: str = ""  #: options that `--help` shows, with spaces between


#: The views by the names of their verb and their own, such as ``score.subtasks``.
VIEWS: Table[View] = Table("views", View, {})


def views_of(verb: str) -> Callable[[Command], Command]:
    """Add the options of the views of a verb; if a flag selects a view, it is shown instead."""

    def add(command: Command) -> Command:
        # a row that cannot be loaded is left out, and the verb does the rest
        views = [view for name, view in VIEWS.items() if name.partition(".")[0] == verb]

        @functools.wraps(command)
        def run_view_or_verb(call: Call) -> None:
            chosen = [(flag, view) for view in views if (flag := view.chosen(call))]
            if not chosen:
                command(call)
                return
            flag, view = chosen[0]
            if len(chosen) > 1:
                other_flag: str | None = chosen[1][0]
            else:
                other_flag = call.given(*view.instead_of.split())
            if other_flag is not None:
                raise UsageError(
                    f"{flag} and {other_flag} select different tables; use one at a time"
                )
            view.show(call)

        for view in reversed(views):
            for option in add_options(run_view_or_verb, [view.options]):
                option.in_brief = option.name in view.brief.split()
        return run_view_or_verb  # type: ignore[return-value]

    return add

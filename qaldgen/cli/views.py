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
    chosen: Callable[[Call], str]  #: returns the flag that selects it; empty if not given
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
            view_of_flag = {view.chosen(call): view for view in views}
            view_of_flag.pop("", None)
            if not view_of_flag:
                command(call)
                return
            flag, *other_flags = view_of_flag
            view = view_of_flag[flag]
            if not other_flags:
                other_flags = list(filter(None, [call.given(*view.instead_of.split())]))
            if other_flags:
                raise UsageError(
                    f"{flag} and {other_flags[0]} select different tables; use one at a time"
                )
            view.show(call)

        for view in reversed(views):
            for option in add_options(run_view_or_verb, [view.options]):
                option.in_brief = option.name in view.brief.split()
        return run_view_or_verb  # type: ignore[return-value]

    return add

"""Views: other results of a verb, which plug-ins add with a flag."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from qaldgen.cli.verb import Call, Command
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
            chosen = []
            for view in views:
                flag = view.chosen(call)
                if flag:
                    chosen.append((flag, view))
            if not chosen:
                command(call)
                return
            flag, view = chosen[0]
            if len(chosen) > 1:
                second_flag = chosen[1][0]
            else:
                second_flag = call.given(*view.instead_of.split())
            if second_flag:
                raise UsageError(
                    f"{flag} and {second_flag} select different tables; use one at a time"
                )
            view.show(call)

        for view in reversed(views):
            n_existing = len(getattr(run_view_or_verb, "__click_params__", ()))
            view.options(run_view_or_verb)
            for option in run_view_or_verb.__click_params__[n_existing:]:  # type: ignore[attr-defined]
                option.in_brief = option.name in view.brief.split()
        return run_view_or_verb  # type: ignore[return-value]

    return add

"""Other results of a verb: a plug-in adds one by a flag that the verb does not know."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from qaldgen.cli.verb import Call, Command
from qaldgen.errors import UsageError
from qaldgen.io.extensions import Table


class View(NamedTuple):
    """Another result of a verb, which a flag asks for."""

    options: Callable[[Any], Any]  #: adds the options of the view, as `options_of` returns it
    chosen: Callable[[Call], str]  #: returns the flag that asks for it; empty if none was given
    show: Callable[[Call], None]  #: is called instead of the function of the verb
    instead_of: str = ""  #: options of the verb that ask for something else, with spaces between
    usual: str = ""  #: options that `--help` shows, with spaces between


#: Each by the name of its verb and its own: ``score.subtasks``.
VIEWS: Table[View] = Table("views", View, {})


def views_of(verb: str) -> Callable[[Command], Command]:
    """Add the options of the views of a verb; where a flag asks for a view, the verb shows it."""

    def add(command: Command) -> Command:
        # a row that cannot be loaded is left out, and the verb does the rest
        views = [view for name, view in VIEWS.items() if name.partition(".")[0] == verb]

        @functools.wraps(command)
        def shown(call: Call) -> None:
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
            before = len(getattr(shown, "__click_params__", ()))
            view.options(shown)
            for option in shown.__click_params__[before:]:  # type: ignore[attr-defined]
                option.usual = option.name in view.usual.split()
        return shown  # type: ignore[return-value]

    return add

"""The options that name a system, for all verbs that ask one."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import common, groups
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import given_options, listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Endpoint, System
    from qaldgen.stores.local import LocalStore

_CHAT = ("model", "prompt", "answer_in", "option", "price_in", "price_out")
_WEB = ("retries", "key_file", "header_file")
_LIMITS = ("timeout", "retries", "raw", "dataset")
#: The tables whose rows bring options.
PROTOCOLS, SEARCHES = "qaldgen.asking.protocols:PROTOCOLS", "qaldgen.asking.systems:SEARCHES"


class SystemOptions(SimpleNamespace):
    """Whom to ask, with its limits; one attribute for each of `system_options`."""

    def check(self, *, used: Collection[str] = ()) -> None:
        """Refuse incompatible options before anything is read.

        `used` are options of searches that are used for something else too.
        """
        from qaldgen.asking.protocols import EXAMPLES, asked_protocols
        from qaldgen.asking.protocols import PROTOCOLS as rows  # noqa: N811 - a table of rows

        named = self.named()
        for name in given_options(PROTOCOLS):
            fit = [key for key, row in rows.items() if name in {one.name for one in row.options}]
            self._only(f"--system {' or '.join(fit)}", named.protocol in fit, (name,))
        asked = asked_protocols(named)
        self._only("text2sparql", named.protocol == "text2sparql", ("dataset",))
        self._only("openai", rows["openai"] in asked, _CHAT)
        self._only("gerbil", named.protocol == "gerbil", ("raw",))
        self._only("a system on the web", any(row.web for row in asked), _WEB)
        self._check_search(named, used)
        if self.kg is not None and self.endpoint is not None:
            raise UsageError("two knowledge graphs given; pass either --kg FILE or --endpoint URL")
        if named.protocol == "" and named.where in EXAMPLES and self.kg is None:
            raise UsageError(f"{named.where} needs a knowledge graph; pass its file with --kg FILE")

    def _check_search(self, named: System, used: Collection[str]) -> None:
        """Refuse a search that a system does not use, or lacks."""
        from qaldgen.asking import systems
        from qaldgen.asking.protocols import a_searcher, looks_up

        searching, given = looks_up(named), given_options(SEARCHES)
        self._only(
            f"a system that looks things up, such as {a_searcher()}",
            searching or named.protocol == "python",
            [name for name in given if name not in used],
        )
        chosen = systems.chosen_source(systems.SEARCHES, given)
        if searching and chosen is None:
            raise UsageError(
                f"{named.where} searches {systems.places(systems.SEARCHES)}; pass one of them"
            )

    def files(self) -> list[str | None]:
        """Return the files that are read, so that no output overwrites them."""
        from qaldgen.asking import systems
        from qaldgen.asking.protocols import PROTOCOLS as rows  # noqa: N811 - a table of rows

        own, given = rows.get(self.named().protocol), given_options(PROTOCOLS)
        paths = [one.name for one in own.options if one.type is Path] if own else []
        chosen = systems.chosen_source(systems.SEARCHES, given_options(SEARCHES))
        return [self.kg, *map(given.get, paths), *(chosen.files if chosen else ())]

    def named(self) -> System:
        """Return the system without its limits."""
        if (self.system is None) == (self.url is None):
            raise UsageError(
                "no system given; pass either --system PROTOCOL:WHERE or the name of an example"
                " system, or --url URL"
            )
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise UsageError("--url begins with http:// or https://")
        from qaldgen.asking.protocols import system_of

        named = system_of(self.url or self.system or "")
        return dataclasses.replace(named, options=given_options(PROTOCOLS))

    def _only(self, what: str, fits: bool, names: Sequence[str]) -> None:
        context = click.get_current_context()
        for name in names:
            # Defaults are not choices of the user, even if the user could type the same value.
            told = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
            if told and not fits:
                raise UsageError(f"--{name.replace('_', '-')} only applies with {what}; remove it")

    def _graph(self) -> LocalStore | Endpoint | None:
        """Return the knowledge graph, opened."""
        from qaldgen.asking.protocols import open_graph
        from qaldgen.stores.endpoint import Endpoint

        if self.endpoint is not None:
            return Endpoint(self.endpoint, timeout=self.timeout)
        return None if self.kg is None else open_graph(self.kg)

    def open(self, lang: str, *, used: Collection[str] = ()) -> System:
        """Return the system with its limits, credentials and sources, which are opened.

        A system that does not look things up gets no search if `used` are its options: they are
        used for something else.
        """
        from qaldgen.asking import systems
        from qaldgen.asking.protocols import PROTOCOLS as rows  # noqa: N811 - a table of rows
        from qaldgen.asking.protocols import looks_up
        from qaldgen.asking.systems import Chat

        named, given = self.named(), given_options(SEARCHES)
        row = rows.get(named.protocol)
        search = (
            systems.chosen_source(systems.SEARCHES, given)
            if looks_up(named) or not given.keys() & set(used)
            else None
        )
        chat = Chat(
            self.model,
            self.prompt,
            self.answer_in,
            parse_options(self.option),
            self.price_in,
            self.price_out,
        )
        # user:password@host; an @ in the query string is data.
        if "@" in named.where.partition("?")[0] and row is not None and row.web:
            common.notes(
                [
                    "the address contains a password, and others on this machine can read command"
                    " lines; see --key-file"
                ]
            )
        return dataclasses.replace(
            named,
            language=lang,
            kg=self._graph(),
            max_bytes=self.max_reply,
            **{name: getattr(self, name) for name in _LIMITS},
            key_file=None if self.key_file is None else Path(self.key_file),
            header_file=None if self.header_file is None else Path(self.header_file),
            chat=chat,
            search=None if search is None else search.open(lang),
        )


def parse_options(words: tuple[str, ...], option: str = "--option") -> dict[str, object]:
    """Return the fields of ``NAME=VALUE``; a value that is not JSON is a text."""
    found: dict[str, object] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} {word}: expected NAME=VALUE, for instance temperature=0.7")
        try:
            # So that 0.7 is a number and true a truth value; what is not JSON, such as a bare word,
            # is text.
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


#: As `click.command`, for verbs with `system_options`: protocols bring options of their own.
ROWS = {"system": PROTOCOLS, "price_out": SEARCHES}
system_command = functools.partial(verb, rows=ROWS)
_SYSTEM, _CHAT_MODEL = "qaldgen.asking.systems:System", "qaldgen.asking.systems:Chat"
_OPTIONS = (
    listed_option(
        "--system", table=("protocols", "systems"), metavar="PROTOCOL:WHERE",
        help="Protocol and address of the system, or the name of an example system.",
    ),
    click.option("--url", metavar="URL", help="Short for --system gerbil:URL."),
    click.option("--kg", metavar="FILE",
        help="RDF file of the knowledge graph, on which queries of the system are executed."),
    click.option("--endpoint", metavar="URL", help="SPARQL endpoint to use instead of --kg."),
    options_of(_SYSTEM, "timeout", "retries"),
    groups.max_reply_option(16.0, "reply"),
    options_of(_SYSTEM, "raw", "dataset", "key_file", "header_file"),
    options_of(_CHAT_MODEL, "model", "prompt", "answer_in"),
    click.option(
        "--option", multiple=True, metavar="NAME=VALUE",
        help="Request field, for openai, such as temperature=0.7; null removes one. Repeatable.",
    ),
    options_of(_CHAT_MODEL, "price_in", "price_out"),
)  # fmt: skip


def system_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, which come as one `SystemOptions` named ``system``."""

    @functools.wraps(command)
    def with_system(*args: Any, **given: Any) -> Any:  # noqa: ANN401 - what click passes
        own = {name: given.pop(name) for name in names}
        return command(*args, system=SystemOptions(**own), **given)

    before = len(getattr(with_system, "__click_params__", ()))
    for option in reversed(_OPTIONS):
        option(with_system)
    names = [option.name for option in with_system.__click_params__[before:]]  # type: ignore[attr-defined]
    return with_system

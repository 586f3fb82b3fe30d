"""The options that name a system, for all verbs that ask one."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.signatures import options_of
from qaldgen.commands.verb import given_options, listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Endpoint, System
    from qaldgen.asking.record import Search
    from qaldgen.stores.local import LocalStore

_CHAT = ("model", "prompt", "answer_in", "option", "price_in", "price_out")
_SEARCH = ("wiki", "any_word")
_WEB = ("retries", "key_file", "header_file")
_LIMITS = ("timeout", "retries", "raw", "dataset")


class SystemOptions(SimpleNamespace):
    """Whom to ask, with its limits; one attribute for each of `system_options`."""

    def check(self, *, reads: bool = False) -> None:
        """Refuse incompatible options before anything is read.

        With `reads` passages go into prompts, so that any system may have them.
        """
        from qaldgen.asking.named import EXAMPLES
        from qaldgen.asking.protocols import PROTOCOLS, asked_protocols

        named, rows = self.named(), PROTOCOLS
        for name in given_options():
            fit = [key for key, row in rows.items() if name in {one.name for one in row.options}]
            self._only(f"--system {' or '.join(fit)}", named.protocol in fit, (name,))
        asked = asked_protocols(named)
        self._only("text2sparql", named.protocol == "text2sparql", ("dataset",))
        self._only("openai", rows["openai"] in asked, _CHAT)
        self._only("gerbil", named.protocol == "gerbil", ("raw",))
        self._only("a system on the web", any(row.web for row in asked), _WEB)
        self._check_search(named, () if reads else ("passages",))
        if self.kg is not None and self.endpoint is not None:
            raise UsageError("two knowledge graphs given; pass either --kg FILE or --endpoint URL")
        if named.protocol == "" and named.where in EXAMPLES and self.kg is None:
            raise UsageError(f"{named.where} needs a knowledge graph; pass its file with --kg FILE")

    def _check_search(self, named: System, more: tuple[str, ...]) -> None:
        """Refuse a search that a system does not use, or lacks."""
        from qaldgen.asking.systems import looks_up

        searching = looks_up(named)
        self._only(
            "a system that looks things up, such as wiki-search",
            searching or named.protocol == "python",
            (*more, *_SEARCH),
        )
        if self.passages is not None and self.wiki is not None:
            raise UsageError(
                "two places to search given; pass either --passages FILE or --wiki URL"
            )
        if searching and self.passages is None and self.wiki is None:
            raise UsageError(
                f"{named.where} searches --passages FILE or --wiki URL, the api.php of a"
                " wiki; pass one of them"
            )
        self._only("--passages", self.passages is not None, ("any_word",))

    def files(self) -> list[str | None]:
        """Return the files that are read, so that no output overwrites them."""
        from qaldgen.asking.protocols import PROTOCOLS

        own, given = PROTOCOLS.get(self.named().protocol), given_options()
        paths = [one.name for one in own.options if one.type is Path] if own else []
        return [self.kg, self.passages, *map(given.get, paths)]

    def _search(self, lang: str) -> Search | None:
        """Return where the system looks things up."""
        if self.passages is None and self.wiki is None:
            return None
        passages = None if self.passages is None else api.retrieving.read_collection(self.passages)
        from qaldgen.asking.worded import search_in

        return search_in(passages, self.wiki or "", language=lang, require_all=not self.any_word)

    def named(self) -> System:
        """Return the system without its limits."""
        if (self.system is None) == (self.url is None):
            raise UsageError(
                "no system given; pass either --system PROTOCOL:WHERE or the name of an example"
                " system, or --url URL"
            )
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise UsageError("--url begins with http:// or https://")
        from qaldgen.asking.systems import system_of

        named = system_of(self.url or self.system or "")
        return dataclasses.replace(named, options=given_options())

    def _only(self, what: str, fits: bool, names: tuple[str, ...]) -> None:
        context = click.get_current_context()
        for name in names:
            # Defaults are not choices of the user, even if the user could type the same value.
            told = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
            if told and not fits:
                raise UsageError(f"--{name.replace('_', '-')} only applies with {what}; remove it")

    def _graph(self) -> LocalStore | Endpoint | None:
        """Return the knowledge graph, opened."""
        from qaldgen.asking.systems import open_graph
        from qaldgen.stores.endpoint import Endpoint

        if self.endpoint is not None:
            return Endpoint(self.endpoint, timeout=self.timeout)
        return None if self.kg is None else open_graph(self.kg)

    def open(self, lang: str, *, reads: bool = False) -> System:
        """Return the system with its limits, credentials and sources, which are opened.

        With `reads`, a system that does not look things up gets no search.
        """
        from qaldgen.asking.protocols import PROTOCOLS
        from qaldgen.asking.record import Chat
        from qaldgen.asking.systems import looks_up

        named = self.named()
        row = PROTOCOLS.get(named.protocol)
        searches = looks_up(named) or not reads
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
            search=self._search(lang) if searches else None,
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
system_command = functools.partial(verb, rows={"system": "qaldgen.asking.protocols:PROTOCOLS"})
_SYSTEM, _CHAT_MODEL = "qaldgen.asking.record:System", "qaldgen.asking.record:Chat"
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
    click.option("--passages", metavar="FILE",
        help="Passages that wiki-search searches, or that --read adds to prompts."),
    click.option("--wiki", metavar="URL",
        help="The api.php of a wiki that wiki-search asks instead of --passages."),
    click.option("--any-word", is_flag=True,
        help="With --passages: match any word of a query (OR)."),
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

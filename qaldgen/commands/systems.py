"""The options that name a system, for all verbs that ask one."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.verb import FiniteRange, given_options, listed_option, verb
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.asking import Endpoint, System

_CHAT = ("model", "prompt", "answer_in", "option", "price_in", "price_out")
_WEB = ("retries", "key_file", "header_file")
#: The tables whose rows bring options.
PROTOCOLS, SEARCHES = "qaldgen.asking.protocols:PROTOCOLS", "qaldgen.asking.sources:SEARCHES"


@dataclasses.dataclass(frozen=True)
class SystemOptions:
    """Whom to ask, with its limits."""

    system: str | None
    url: str | None
    kg: str | None
    endpoint: str | None
    timeout: float
    retries: int
    max_reply: float
    raw: bool
    dataset: str
    key_file: str | None
    header_file: str | None
    model: str
    prompt: str
    answer_in: str
    option: tuple[str, ...]
    price_in: float | None
    price_out: float | None

    def check(self, *, used: Collection[str] = ()) -> None:
        """Refuse incompatible options before anything is read.

        Parameters
        ----------
        used
            Options of searches that are used for something else too.
        """
        named, rows = self.named(), api.asking.PROTOCOLS
        for name in given_options(PROTOCOLS):
            fit = [key for key, row in rows.items() if name in {one.name for one in row.options}]
            self._only(f"--system {' or '.join(fit)}", named.protocol in fit, (name,))
        asked = api.asking.asked_protocols(named)
        self._only("text2sparql", named.protocol == "text2sparql", ("dataset",))
        self._only("openai", rows["openai"] in asked, _CHAT)
        self._only("gerbil", named.protocol == "gerbil", ("raw",))
        self._only("a system on the web", any(row.web for row in asked), _WEB)
        self._check_search(named, used)
        if self.kg is not None and self.endpoint is not None:
            raise UsageError("two knowledge graphs given; pass either --kg FILE or --endpoint URL")
        if named.protocol == "" and named.where in api.asking.EXAMPLES and self.kg is None:
            raise UsageError(f"{named.where} needs a knowledge graph; pass its file with --kg FILE")

    def _check_search(self, named: System, used: Collection[str]) -> None:
        """Refuse a search that a system does not use, or lacks."""
        searching, given = api.asking.looks_up(named), given_options(SEARCHES)
        self._only(
            f"a system that looks things up, such as {api.asking.a_searcher()}",
            searching or named.protocol == "python",
            [name for name in given if name not in used],
        )
        chosen = api.asking.chosen_source(api.asking.SEARCHES, given)
        if searching and chosen is None:
            raise UsageError(
                f"{named.where} searches {api.asking.places(api.asking.SEARCHES)}; pass one of them"
            )

    def files(self) -> list[str | None]:
        """Return the files that are read, so that no output overwrites them."""
        own, given = api.asking.PROTOCOLS.get(self.named().protocol), given_options(PROTOCOLS)
        paths = [one.name for one in own.options if one.type is Path] if own else []
        chosen = api.asking.chosen_source(api.asking.SEARCHES, given_options(SEARCHES))
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
        named = api.asking.system_of(self.url or self.system or "")
        return dataclasses.replace(named, options=given_options(PROTOCOLS))

    def _only(self, what: str, fits: bool, names: Sequence[str]) -> None:
        context = click.get_current_context()
        for name in names:
            # Defaults are not choices of the user, even if the user could type the same value.
            told = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
            if told and not fits:
                raise UsageError(f"--{name.replace('_', '-')} only applies with {what}; remove it")

    def _graph(self) -> str | Endpoint | None:
        """Return the knowledge graph: a file, or an endpoint."""
        return (
            self.kg
            if self.endpoint is None
            else api.asking.Endpoint(self.endpoint, timeout=self.timeout)
        )

    def open(self, lang: str, *, used: Collection[str] = ()) -> System:
        """Return the system with its limits, credentials and sources, which are opened.

        Parameters
        ----------
        lang
            Language of the questions.
        used
            Options of searches that are used for something else; a system that does not look
            things up gets no search then.
        """
        named, graph = self.named(), self._graph()
        row = api.asking.PROTOCOLS.get(named.protocol)
        given = given_options(SEARCHES)
        search = (
            api.asking.chosen_source(api.asking.SEARCHES, given)
            if api.asking.looks_up(named) or not given.keys() & set(used)
            else None
        )
        chat = api.asking.Chat(
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
            kg=None if graph is None else api.asking.open_graph(graph),
            timeout=self.timeout,
            retries=self.retries,
            max_bytes=common.reply_size(self.max_reply),
            raw=self.raw,
            dataset=self.dataset,
            key_file=None if self.key_file is None else Path(self.key_file),
            header_file=None if self.header_file is None else Path(self.header_file),
            chat=chat,
            search=None if search is None else search.open(lang),
        )


def parse_options(words: tuple[str, ...], option: str = "--option") -> dict[str, object]:
    """Return the fields of ``NAME=VALUE``; a value that is not JSON is a text.

    Parameters
    ----------
    words
        What was typed, one field each.
    option
        The option that takes them, for messages.

    Returns
    -------
    dict
        Value by name.

    Raises
    ------
    UsageError
        If one is not of that shape.
    """
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


_PRICE = FiniteRange(min=0)
_OPTIONS = (
    listed_option(
        "--system", table=("protocols", "systems"), metavar="PROTOCOL:WHERE",
        help="Protocol and address of the system, or the name of an example system.",
    ),
    click.option("--url", metavar="URL", help="Short for --system gerbil:URL."),
    click.option("--kg", metavar="FILE",
        help="RDF file of the knowledge graph, on which queries of the system are executed."),
    click.option("--endpoint", metavar="URL", help="SPARQL endpoint to use instead of --kg."),
    click.option(
        "--timeout", default=60.0, show_default=True, type=groups.SECONDS, metavar="SECONDS",
        help="Time limit for one complete reply.",
    ),
    click.option(
        "--retries", default=2, show_default=True, type=click.IntRange(min=0), metavar="N",
        help="Number of retries if the system is busy or drops the connection.",
    ),
    groups.max_reply_option(16.0, "reply"),
    click.option("--raw", is_flag=True,
        help="Send the question without percent-encoding, as GERBIL does."),
    click.option("--dataset", default="", metavar="IRI", help="Dataset IRI, for text2sparql."),
    click.option("--key-file", metavar="FILE",
        help="File with the bearer token, instead of QALDGEN_SYSTEM_TOKEN."),
    click.option(
        "--header-file", metavar="FILE",
        help=("File with additional headers, one NAME: VALUE per line, instead of "
            "QALDGEN_SYSTEM_HEADERS."),
    ),
    click.option("--model", default="", metavar="NAME", help="Model name, for openai."),
    click.option(
        "--prompt", default="short", show_default=True, metavar="FILE",
        help=("Prompt: short, sparql, plain, or a file with a Jinja template over "
            "question, language, options, context."),
    ),
    click.option(
        "--answer-in", default="", metavar="WAY",
        help=("How to find the answer in the reply: auto, text, json, tag, lines or sparql. "
            "Default: what fits the prompt."),
    ),
    click.option(
        "--option", multiple=True, metavar="NAME=VALUE",
        help="Request field, for openai, such as temperature=0.7; null removes one. Repeatable.",
    ),
    click.option("--price-in", type=_PRICE, metavar="COST",
        help="Price of a million prompt tokens."),
    click.option("--price-out", type=_PRICE, metavar="COST",
        help="Price of a million reply tokens."),
)  # fmt: skip


#: As `click.command`, for verbs with `system_options`: protocols bring options of their own.
ROWS = {"system": PROTOCOLS, "price_out": SEARCHES}
system_command = functools.partial(verb, rows=ROWS)


def system_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, which come as one `SystemOptions` named ``system``."""
    return groups.grouped("system", SystemOptions, *_OPTIONS)(function)

"""The options that name a system, for all verbs that ask one."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.cli.printing import print_notes
from qaldgen.cli.row_options import listed_option, parameter_of
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, section, verb
from qaldgen.errors import UsageError
from qaldgen.io.inputs import is_web_address
from qaldgen.io.json_text import from_json
from qaldgen.options import Url, rows_with_option

if TYPE_CHECKING:
    from qaldgen import System
    from qaldgen.stores.graphs import KnowledgeGraph

#: The tables whose rows bring options.
_PROTOCOL_TABLE = "qaldgen.asking.protocols:PROTOCOLS"
_SEARCH_TABLE = "qaldgen.asking.systems:SEARCHES"
#: By option, the table whose rows' options follow it in the help.
ROWS = {"system": _PROTOCOL_TABLE, "price_out": _SEARCH_TABLE}
system_verb = functools.partial(verb, rows=ROWS)


class SystemOptions:
    """Options that name a system.

    Attributes
    ----------
    url
        Short for --system gerbil:URL.
    kg
        RDF file of the knowledge graph, on which queries of the system are executed.
    endpoint
        SPARQL endpoint to use instead of --kg.
    option
        Request field, for openai, such as temperature=0.7; null removes one.
    """

    url: Url | None = None
    kg: Path | None = None
    endpoint: Url | None = None
    option: Mapping[str, str] | None = None


system_options = section(
    "",
    listed_option(
        "--system",
        table="protocols or systems",
        metavar="PROTOCOL:WHERE",
        help="Protocol and address of the system, or the name of an example system.",
    ),
    options_of(SystemOptions, "url", "kg", "endpoint"),
    options_of(
        "System", "timeout", "retries", "max_bytes", "raw", "dataset", "key_file", "header_file"
    ),
    options_of("Chat", "model", "prompt", "answer_in"),
    options_of(SystemOptions, "option"),
    options_of("Chat", "price_in", "price_out"),
)


def named_system(call: Call) -> System:
    """Return the system of --system or --url, without its limits."""
    if call.system is not None and call.url is not None:
        raise UsageError("two systems given; pass either --system or --url")
    if call.system is None and call.url is None:
        raise UsageError(
            "no system given; pass either --system PROTOCOL:WHERE or the name of an example"
            " system, or --url URL"
        )
    if call.url is not None and not is_web_address(call.url):
        raise UsageError("--url begins with http:// or https://")
    from qaldgen.asking.protocols import system_of

    system = system_of(call.url or call.system)
    return dataclasses.replace(system, options=call.row_options(_PROTOCOL_TABLE))


def check_system(call: Call, *, used: Collection[str] = ()) -> None:
    """Refuse incompatible options before anything is read.

    `used` are the options of searches that have another use as well.
    """
    from qaldgen.asking.protocols import EXAMPLES, name_of_searcher, needs_search
    from qaldgen.asking.systems import SEARCHES, chosen_source, options_of_sources

    system = named_system(call)
    _check_protocol(call, system)

    is_searching = needs_search(system)
    searches = call.row_options(_SEARCH_TABLE)
    flag = call.given(*map(parameter_of, searches.keys() - set(used)))
    if flag and not is_searching and system.protocol != "python":
        raise UsageError(
            f"{flag} only applies with a system that looks things up, such as {name_of_searcher()};"
            " remove it"
        )
    if is_searching and chosen_source(SEARCHES, searches) is None:
        where = options_of_sources(SEARCHES)
        raise UsageError(f"{system.where} searches {where}; pass one of them")

    if call.kg is not None and call.endpoint is not None:
        raise UsageError("two knowledge graphs given; pass either --kg FILE or --endpoint URL")
    if system.protocol == "" and system.where in EXAMPLES and call.kg is None:
        raise UsageError(f"{system.where} needs a knowledge graph; pass its file with --kg FILE")


def _check_protocol(call: Call, system: System) -> None:
    """Refuse options that only apply with other protocols than that of the system."""
    from qaldgen.asking.protocols import PROTOCOLS, protocols_of

    for name in call.row_options(_PROTOCOL_TABLE):
        owners = rows_with_option(PROTOCOLS, name)
        if system.protocol not in owners:
            flag = call.given(parameter_of(name))
            raise UsageError(f"{flag} only applies with --system {' or '.join(owners)}; remove it")

    protocols = protocols_of(system)
    of_chat = ("model", "prompt", "answer_in", "option", "price_in", "price_out")
    of_web = ("retries", "key_file", "header_file")
    # names of options, whether they apply to the system, and the noun for systems to which they do
    restrictions = [
        (("dataset",), system.protocol == "text2sparql", "text2sparql"),
        (of_chat, PROTOCOLS["openai"] in protocols, "openai"),
        (("raw",), system.protocol == "gerbil", "gerbil"),
        (of_web, any(row.web for row in protocols), "a system on the web"),
    ]
    for names, applies, noun in restrictions:
        flag = None if applies else call.given(*names)
        if flag is not None:
            raise UsageError(f"{flag} only applies with {noun}; remove it")


def files_of_system(call: Call) -> list[str | None]:
    """Return the files that the options of protocols and searches name."""
    from qaldgen.asking.protocols import PROTOCOLS
    from qaldgen.asking.systems import SEARCHES, chosen_source

    row = PROTOCOLS.get(named_system(call).protocol)
    options = call.row_options(_PROTOCOL_TABLE)
    files: list[str | None] = []
    if row is not None:
        files += [options.get(option.name) for option in row.options if option.type is Path]
    search = chosen_source(SEARCHES, call.row_options(_SEARCH_TABLE))
    if search is not None:
        files += search.files
    return files


def open_system(call: Call, language: str, *, used: Collection[str] = ()) -> System:
    """Return the system with its limits and credentials, and with graph and search opened.

    A system that does not search gets no search if the options have another use, as in `used`.
    """
    from qaldgen.asking.protocols import PROTOCOLS, needs_search
    from qaldgen.asking.systems import SEARCHES, Chat, chosen_source
    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.graphs import open_knowledge_graph

    system = named_system(call)
    row = PROTOCOLS.get(system.protocol)
    # user:password@host; an @ in the query string is data
    if "@" in system.where.partition("?")[0] and row is not None and row.web:
        print_notes(
            "the address contains a password, and others on this machine can read command lines;"
            " see --key-file"
        )

    searches = call.row_options(_SEARCH_TABLE)
    search = None
    if needs_search(system) or not searches.keys() & set(used):
        search = chosen_source(SEARCHES, searches)
    kg: KnowledgeGraph | None = None
    if call.endpoint is not None:
        kg = Endpoint(call.endpoint, timeout=call.timeout)
    elif call.kg is not None:
        kg = open_knowledge_graph(call.kg)
    limits = call.of("System")
    for name in ("key_file", "header_file"):
        limits[name] = None if limits[name] is None else Path(limits[name])
    return dataclasses.replace(
        system,
        language=language,
        kg=kg,
        chat=Chat(options=read_fields(call.option), **call.of("Chat")),
        search=None if search is None else search.open(language),
        **limits,
    )


def read_fields(pairs: Mapping[str, str] | None) -> dict[str, object]:
    """Return the fields of NAME=VALUE; a value that is not JSON is a text."""
    fields: dict[str, object] = {}
    for name, value in (pairs or {}).items():
        try:  # 0.7 is a number and true a boolean; what is not JSON, such as a word, is text
            fields[name] = from_json(value)
        except ValueError:
            fields[name] = value
    return fields

"""Load a file of question features and select from it with Listing 1.2.

Qaldgen's store against rdflib.

Both read the same file in one run, unpacking counted, and answer the same query; the rows are
compared by value, because stores write numbers differently ("009" and "9"). Measured is the CPU
time of the process, all threads. rdflib is measured with its own Turtle parser, memory store and
SPARQL engine; its log messages about ill-typed literals are switched off, which is in its favour.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pyoxigraph as ox
import rdflib
from bench_tools import (
    QUESTIONS,
    cpu,
    one_thread,
    parser,
    print_header,
    print_table,
    published,
    ratio,
    seconds,
    synthetic_file,
    yes,
)
from rdflib.query import ResultRow

from qaldgen.io.unpacking import open_content
from qaldgen.rdf.terms import Term, Value, python_value
from qaldgen.sparql.ready_queries import Query, read_query
from qaldgen.stores.local import LocalStore, open_file

Row: TypeAlias = tuple[Value | None, ...]
TARGET = 10.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the rows differ."""
    options = _arguments(argv)
    print_header(__doc__)
    with one_thread(), ExitStack() as stack:
        path = options.data or (None if options.quick else published())
        if path is None:
            count = 150 if options.quick else QUESTIONS
            path = stack.enter_context(synthetic_file(count))
            print(
                f"SYNTHETIC data: {count:,} questions made up by this script, not the published"
                " ones\n"
            )
        return compare(path, read_query(options.query), markdown=options.markdown)


def compare(path: Path, query: Query, *, markdown: bool) -> int:
    """Measure both, compare their rows, print the table."""
    logging.getLogger("rdflib").setLevel(logging.CRITICAL + 1)
    load, store = cpu(lambda: open_file(path))
    select, rows = cpu(lambda: store.select(query.text))
    parse, graph = cpu(lambda: _parse(path, store))
    ask, answer = cpu(lambda: list(graph.query(query.text)))
    ours = Counter(
        tuple(None if cell is None else python_value(cell) for cell in row) for row in rows.rows
    )
    equal = ours == Counter(_values(answer))
    table = [
        _line("load", load, parse),
        _line("select", select, ask),
        _line("both", load + select, parse + ask),
    ]
    print_table(
        f"{path.name}: {len(store):,} statements, {query.name}: "
        f"{len(rows.rows):,} rows; CPU seconds",
        ("step", "qaldgen", "rdflib", "rdflib / qaldgen"),
        table,
        markdown=markdown,
    )
    times = (parse + ask) / max(load + select, 1e-9)
    print(f"the same rows: {yes(equal)}")
    print(f"target: both at least {TARGET:g} times faster than rdflib; measured {times:.1f} times")
    return 0 if equal else 1


def _line(step: str, ours: float, theirs: float) -> tuple[str, ...]:
    return step, seconds(ours), seconds(theirs), ratio(theirs, ours)


def _parse(path: Path, store: LocalStore) -> rdflib.Graph:
    """Read the file with rdflib.

    What is Turtle by content is read as Turtle whatever its name says.
    """
    with open_content(path) as reader:
        graph = rdflib.Graph().parse(data=reader.read(), format="turtle")
    if len(graph) != len(store):
        print(f"Note: rdflib has {len(graph):,} statements, qaldgen {len(store):,}")
    return graph


def _values(answer: Iterable[object]) -> Iterable[Row]:
    for row in answer:
        if not isinstance(row, ResultRow):
            raise TypeError(f"{row!r} is no row of a SELECT query")
        yield tuple(None if cell is None else python_value(_term(cell)) for cell in row)


def _term(node: object) -> Term:
    """Turn a term of rdflib into one of Oxigraph, so that both are read by the same rule."""
    if not isinstance(node, rdflib.Literal):
        return (
            ox.NamedNode(str(node)) if isinstance(node, rdflib.URIRef) else ox.BlankNode(str(node))
        )
    if node.datatype is None:
        return ox.Literal(str(node), language=node.language)
    return ox.Literal(str(node), datatype=ox.NamedNode(str(node.datatype)))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument(
        "data",
        nargs="?",
        type=Path,
        help="a Turtle file, plain or packed (default: the published data)",
    )
    options.add_argument(
        "--query",
        default="listing-1.2",
        help="a query file, or the name of a ready one (listing-1.2)",
    )
    return options.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())

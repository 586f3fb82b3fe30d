"""One way to ask a data set: a local RDF file or graph in Oxigraph's store, or a remote endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, cast, runtime_checkable

from pyoxigraph import BlankNode, Quad, QueryBoolean, QuerySolutions, RdfFormat, Store, parse

from qaldgen.errors import DataError, UsageError
from qaldgen.inputs import shown_name
from qaldgen.rdf import Rows, Statement, Term, with_blank_nodes
from qaldgen.rdf_files import RdfFile
from qaldgen.sparql import nesting_depth, tokens, undeclared_prefixes

if TYPE_CHECKING:
    from rdflib import Graph

#: Oxigraph's parser calls itself for each bracket, and the stack has an end.
DEEPEST = 200


@runtime_checkable
class DataSource(Protocol):
    """What a data set can do, wherever it is."""

    @property
    def name(self) -> str:
        """What to call it in messages and in the signature."""

    def select(self, query: str) -> Rows:
        """Return the complete answer of a SELECT query."""

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query."""

    def triples(self, iris: Sequence[str]) -> list[Statement]:
        """Return all triples with these subjects."""


class LocalStore:
    """RDF on this machine: queried in Oxigraph's store, but written out from the source, whose literals are kept as they are.

    Attributes
    ----------
    name : str
        The name of the file, or "graph".
    sha256 : str
        Of the unpacked file; empty for a graph from Python.
    notes : list of str
        What a user should know about the file.
    """

    def __init__(self, name: str, store: Store, quads: Callable[[], Iterable[Quad]]) -> None:
        self._name = name
        self._store = store
        self._quads = quads
        self._named_graphs = next(iter(store.named_graphs()), None) is not None
        self.sha256 = ""
        self.notes: list[str] = []
        if len(store) == 0:
            raise DataError(
                f"{name}: holds no RDF statement; it should hold question features as RDF, as 'qaldgen annotate' makes them"
            )

    @property
    def name(self) -> str:
        """The name of the file, or "graph"."""
        return self._name

    def __len__(self) -> int:
        """Return the number of statements."""
        return len(self._store)

    def select(self, query: str) -> Rows:
        """Return the answer of a SELECT query; without FROM, named graphs count as part of the default graph.

        Raises
        ------
        UsageError
            If the query does not parse or is no SELECT query.
        """
        answer = self._run(query)
        if not isinstance(answer, Rows):
            raise UsageError("the query is no SELECT query; write SELECT ?qId ?feature ... WHERE { ... }")
        return answer

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query; raises UsageError if it is none."""
        answer = self._run(query)
        if not isinstance(answer, bool):
            raise UsageError("the query is no ASK query")
        return answer

    def triples(self, iris: Sequence[str]) -> list[Statement]:
        """Return the triples with these subjects, and those of the blank nodes they lead to, in the order of the source."""
        wanted, blank = set(iris), dict[Term, list[Statement]]()
        found: list[Statement] = []
        for quad in self._quads():
            if isinstance(quad.subject, BlankNode):
                blank.setdefault(quad.subject, []).append((quad.subject, quad.predicate, quad.object))
            elif getattr(quad.subject, "value", None) in wanted:
                found.append((quad.subject, quad.predicate, quad.object))
        return with_blank_nodes(found, blank)

    def _run(self, query: str) -> Rows | bool | None:
        """Return the whole answer; None for a query that is neither SELECT nor ASK."""
        union = self._named_graphs and not any(token.word == "FROM" for token in tokens(query))
        try:
            answer = self._store.query(query, use_default_graph_as_union=union)
            if isinstance(answer, QuerySolutions):
                return Rows(tuple(variable.value for variable in answer.variables), [tuple(solution) for solution in answer])
            return bool(answer) if isinstance(answer, QueryBoolean) else None
        except SyntaxError as error:
            raise UsageError(_explain(error, query)) from error
        except (OSError, RuntimeError, ValueError) as error:
            raise UsageError(f"the query cannot be run on a local file: {error}") from error


def check_syntax(query: str) -> None:
    """Parse a query without data, so that a mistake shows before a large file is read.

    Raises
    ------
    UsageError
        If the query does not parse.
    """
    if nesting_depth(query) > DEEPEST:
        raise UsageError(f"the query nests brackets more than {DEEPEST} deep; write it flatter")
    try:
        Store().query(query)
    except SyntaxError as error:
        raise UsageError(_explain(error, query)) from error
    except (OSError, RuntimeError, ValueError):
        return  # a SERVICE call, for instance: the real run will say


def _explain(error: SyntaxError, query: str) -> str:
    """Say in one line what is wrong with a query; Oxigraph's list of what it expected is left out where it is long."""
    undeclared = undeclared_prefixes(query)
    if undeclared:
        return f"the query uses the prefix {undeclared[0]} without declaring it; add PREFIX {undeclared[0]} <...>"
    message = " ".join(str(error.msg).split()).removeprefix("error at ")
    place, _, expected = message.partition(": ")
    line, _, column = place.partition(":")
    if not (line.isdigit() and column.isdigit()):
        return f"the query does not parse: {message}; correct it"
    rest = "\n".join(query.splitlines()[int(line) - 1 :])[int(column) - 1 :].split()
    near = f", before {' '.join(rest[:4])[:40]!r}" if rest else ", where the query ends"
    reason = expected.replace("expected one of The SELECT", "the SELECT").removesuffix(", [_]")
    reason = f": {reason}" if len(reason) < 100 else ""
    return f"the query does not parse at line {line}, column {column}{near}{reason}; correct it"


def open_file(path: str | Path, *, progress: Callable[[int], None] | None = None) -> LocalStore:
    """Load an RDF file (Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD; plain, .gz, .bz2, .zip) into a store.

    Parameters
    ----------
    path
        The file.
    progress
        Called with the number of unpacked bytes of every read.

    Raises
    ------
    DataError
        If the file cannot be read or holds no RDF.
    """
    file = RdfFile(Path(path))
    store = Store()
    with file.open(progress) as reader:
        store.bulk_load(cast(IO[bytes], reader), file.parser_format)
    local = LocalStore(shown_name(file.path), store, file.quads)
    local.sha256, local.notes = file.sha256, file.notes
    return local


def open_graph(graph: Graph) -> LocalStore:
    """Take over an rdflib Graph or Dataset.

    Raises
    ------
    DataError
        If the graph is empty or has a term that is no RDF.
    """
    try:
        nquads = graph.serialize(format="nquads" if hasattr(graph, "quads") and graph.context_aware else "nt")
        quads = list(parse(nquads, RdfFormat.N_QUADS))
    except Exception as error:  # rdflib raises plain Exception for a term that it cannot write
        raise DataError(f"graph: has a term that is no RDF ({' '.join(str(error).split())[:200]}); correct it") from error
    return open_quads("graph", quads)


def open_quads(name: str, quads: Sequence[Quad]) -> LocalStore:
    """Take over statements as they are.

    Raises
    ------
    DataError
        If there are none.
    """
    store = Store()
    store.bulk_extend(quads)
    return LocalStore(name, store, lambda: quads)

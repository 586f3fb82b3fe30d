"""RDF on this machine, queried by Oxigraph, and the protocol of all sources of data."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolutions, RdfFormat, Store
from pyoxigraph import parse as parse_rdf

from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import in_background
from qaldgen.io.inputs import shown_name
from qaldgen.io.progress import step
from qaldgen.io.text import one_line
from qaldgen.io.unpacking import unpacked_size
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import XSD, Rows, Statement, Term, with_blank_nodes
from qaldgen.sparql.clauses import query_form
from qaldgen.sparql.grammar import NotSparqlError, parse
from qaldgen.sparql.safety import disambiguate, prepare_local_query, query_size
from qaldgen.sparql.tokens import tokenize, undeclared_prefixes
from qaldgen.sparql.tree import joined_parts

if TYPE_CHECKING:
    from rdflib import Graph


_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
#: The most patterns and blocks that one group may join. The time to plan a group grows with the
#: cube of their number, so the sum of the cubes over all groups is limited.
MAX_JOINED = 200
#: The largest query takes at most a fifth of this stack: we measured 10 kB for each nested bracket,
#: and 4 kB for each further step and each pattern.
_STACK_BYTES = 2**27
_STACK_SIZE_LOCK = threading.Lock()
T = TypeVar("T")


def _to_integer(term: Term) -> Literal | None:
    """Cast a term to an integer; None, an error in SPARQL, if it cannot be cast."""
    if not isinstance(term, Literal) or term.language:
        return None
    text = term.value.strip()
    datatype = term.datatype.value.removeprefix(XSD)
    # a string must be a whole number; other numbers lose what follows the point
    if datatype == "string" and not _WHOLE_NUMBER.fullmatch(text):
        return None
    try:
        if text in {"true", "false"}:
            return Literal(int(text == "true"))
        return Literal(int(Decimal(text)))
    except (InvalidOperation, OverflowError, ValueError):
        return None


#: The casts that Oxigraph lacks, for the argument ``custom_functions`` of a query.
CASTS = {NamedNode(XSD + name): _to_integer for name in ("byte", "short", "int", "long")}


def _replace_lock() -> None:
    """Make a new lock in a forked process, where no thread would release the old one."""
    global _STACK_SIZE_LOCK  # noqa: PLW0603
    _STACK_SIZE_LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_replace_lock)


def check_syntax(query: str) -> None:
    """Refuse a query with a syntax error; needs no data, so a large file need not be read first."""
    text = disambiguate(query)
    error = _on_deep_stack(lambda: _syntax_error(text))
    if error is not None:
        raise UsageError(_explain(error, text))


def evaluate(
    store: Store, query: str, *, named_graphs: bool, most_rows: int | None = None
) -> Rows | bool:
    """Return the rows of a SELECT query, or the boolean of an ASK query.

    With `named_graphs`, the default graph of a query without FROM includes all named graphs.
    """
    text = prepare_local_query(query)
    query_tokens = tokenize(text)

    if len(query_tokens) > MAX_JOINED:
        # refuse a query whose planning would take minutes or hours
        try:
            sizes = joined_parts(parse(text))
        except NotSparqlError:
            check_syntax(text)
            # Oxigraph accepts more than SPARQL 1.1, so this is an estimate
            sizes = [query_size(query_tokens).length // 4]
        if sum(size**3 for size in sizes) > MAX_JOINED**3:
            raise UsageError(
                f"the query joins {sum(sizes):,} patterns, {max(sizes):,} of them in one group; a"
                f" local file plans at most {MAX_JOINED} in one group, and fewer in several. Split"
                " it"
            )

    union = named_graphs and not any(token.word == "FROM" for token in query_tokens)
    answer = _on_deep_stack(lambda: _run_query(store, text, most_rows, union=union))

    if isinstance(answer, SyntaxError):
        raise UsageError(_explain(answer, text))
    if isinstance(answer, BaseException):
        raise UsageError(
            f"the query cannot be run on a local file: {' '.join(str(answer).split())}"
        )
    return answer


def _on_deep_stack(work: Callable[[], T]) -> T:
    """Run `work` on a thread with a large stack, and return its result.

    The calling thread only waits, so that Ctrl-C works while Oxigraph computes.
    """
    with _STACK_SIZE_LOCK:
        # the stack size is a setting of the whole process
        previous_size = threading.stack_size(_STACK_BYTES)
        try:
            future = in_background(work)
        except RuntimeError as error:
            raise UsageError(
                f"the query needs {_STACK_BYTES // 2**20} MB of stack, more than there is;"
                " write it shorter"
            ) from error
        finally:
            threading.stack_size(previous_size)
    return future.result()


def _syntax_error(text: str) -> SyntaxError | None:
    """Parse a query without running it; return the syntax error, if there is one.

    Oxigraph refuses these two options together, but only after parsing and before planning.
    """
    try:
        Store().query(text, use_default_graph_as_union=True, default_graph=[])
    except SyntaxError as error:
        return error.with_traceback(None)
    except ValueError:
        return None
    raise AssertionError("Oxigraph has run a query that was to be parsed")


def _run_query(
    store: Store, text: str, most_rows: int | None, *, union: bool
) -> Rows | bool | BaseException:
    """Return the answer of a query, or the error without its traceback.

    The traceback would keep Oxigraph's objects alive beyond the end of the thread.
    """
    try:
        answer = store.query(
            text,
            use_default_graph_as_union=union,
            custom_functions=CASTS,  # type: ignore[arg-type]
        )
        if isinstance(answer, QuerySolutions):
            # Equal terms become one object, which saves memory: tables have few different values.
            share = dict[Term | None, Term | None]().setdefault
            limit = None if most_rows is None else most_rows + 1
            rows = []
            for solution in islice(answer, limit):
                rows.append(tuple([share(term, term) for term in solution]))
            if most_rows is not None and len(rows) > most_rows:
                return UsageError(f"the answer has more than {most_rows:,} rows")
            return Rows(tuple(variable.value for variable in answer.variables), rows)
        return bool(answer)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of Rust code is not an Exception
        return error.with_traceback(None)


def _explain(error: SyntaxError, query: str) -> str:
    """Return the message for a syntax error in one line.

    Oxigraph's list of expected tokens is left out if it is long.
    """
    undeclared = undeclared_prefixes(query)
    if undeclared:
        return (
            f"the query uses the prefix {undeclared[0]} without declaring it;"
            f" add PREFIX {undeclared[0]} <...>"
        )

    message = " ".join(str(error.msg).split()).removeprefix("error at ")
    location, _, expected = message.partition(": ")
    line, _, column = location.partition(":")
    if not (line.isdigit() and column.isdigit()):
        return f"the query does not parse: {message}; correct it"

    following = "\n".join(query.splitlines()[int(line) - 1 :])[int(column) - 1 :].split()
    position = ", where the query ends"
    if following:
        position = f", before {' '.join(following[:4])[:40]!r}"

    reason = expected.replace("expected one of The SELECT", "the SELECT").removesuffix(", [_]")
    reason = f": {reason}" if len(reason) < 100 else ""
    return f"the query does not parse at line {line}, column {column}{position}{reason}; correct it"


@runtime_checkable
class DataSource(Protocol):
    """Data that can be queried, in a file or behind an endpoint."""

    @property
    def name(self) -> str:
        """The name of the data in messages and in the signature."""

    def select(self, query: str) -> Rows:
        """Return the complete answer of a SELECT query."""

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query."""

    def triples(self, iris: Sequence[str]) -> list[Statement]:
        """Return all triples with these subjects."""


class LocalStore:
    """RDF on this machine.

    Queries use Oxigraph's store, but triples are taken from the source, which keeps the literals as
    they were written.
    """

    def __init__(self, name: str, store: Store, quads: Callable[[], Iterable[Quad]]) -> None:
        self._name = name
        self._store = store
        self._quads = quads
        self._named_graphs = next(iter(store.named_graphs()), None) is not None
        self.sha256 = ""
        self.notes: list[str] = []
        # Oxigraph counts all statements each time, a second for two million
        self._size = len(store)
        if self._size == 0:
            raise DataError(
                "holds no RDF statement; it should hold question features as RDF, as 'qaldgen"
                " annotate' makes them",
                where=name,
            )

    @property
    def name(self) -> str:
        """The name of the file, or "graph"."""
        return self._name

    def __len__(self) -> int:
        """Return the number of statements."""
        return self._size

    def __reduce__(
        self,
    ) -> tuple[Callable[[str, Sequence[Quad]], LocalStore], tuple[str, Any], Any]:
        """Pickle and copy the statements, as Oxigraph's store can be neither."""
        content = (self._name, list(self._quads()))
        return open_quads, content, {"sha256": self.sha256, "notes": self.notes}

    def select(self, query: str, *, most_rows: int | None = None) -> Rows:
        """Return the answer of a SELECT query.

        Without FROM, named graphs count as part of the default graph.
        """
        message = "the query is not a SELECT query; write SELECT ?qId ?feature ... WHERE { ... }"
        return cast("Rows", self._evaluate(query, "SELECT", message, most_rows))

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK query."""
        return cast("bool", self._evaluate(query, "ASK", "the query is not an ASK query"))

    def _evaluate(
        self, query: str, form: str, message: str, most_rows: int | None = None
    ) -> Rows | bool:
        if query_form(query) != form:
            # a syntax error is the better message: a broken query has no recognisable form
            check_syntax(query)
            raise UsageError(message)
        return evaluate(self._store, query, named_graphs=self._named_graphs, most_rows=most_rows)

    def triples(self, iris: Sequence[str]) -> list[Statement]:
        """Return the triples with these subjects, and of the blank nodes they lead to."""
        subjects = set(map(NamedNode, iris))
        of_blanks: dict[Term, list[Statement]] = {}
        triples: list[Statement] = []
        for quad in self._quads():
            subject = quad.subject  # every access creates a new object
            if subject in subjects:
                triples.append((subject, quad.predicate, quad.object))
            elif isinstance(subject, BlankNode):
                of_blanks.setdefault(subject, []).append((subject, quad.predicate, quad.object))
        return with_blank_nodes(triples, of_blanks)


def open_file(path: str | Path, *, whole: bool = False, text_property: str = "") -> LocalStore:
    """Load an RDF file into a store.

    The file is Turtle, N-Triples, N-Quads, TriG, RDF/XML or JSON-LD; plain, .gz, .bz2 or .zip. With
    `whole`, it is loaded from memory. `text_property` is that of `RdfFile`.
    """
    file = RdfFile(Path(path), text_property)
    store = Store()
    with step(f"reading {path}", unpacked_size(file.path)) as advance:
        if text_property:
            store.bulk_extend(file.quads(advance))
        else:
            with file.open(advance) as reader:
                if whole:
                    store.bulk_load(reader.read(), file.parser_format)
                else:
                    store.bulk_load(cast(IO[bytes], reader), file.parser_format)
    local = LocalStore(shown_name(file.path), store, file.quads)
    local.sha256 = file.sha256
    local.notes = file.notes
    return local


def open_graph(graph: Graph) -> LocalStore:
    """Load an rdflib Graph or Dataset into a store."""
    try:
        # N-Quads keep every term exactly, and Oxigraph parses them fast.
        rdf_format = "nquads" if hasattr(graph, "quads") and graph.context_aware else "nt"
        quads = list(parse_rdf(graph.serialize(format=rdf_format), RdfFormat.N_QUADS))
    except Exception as error:  # rdflib raises plain Exception for a term that it cannot write
        raise DataError(
            f"graph: has a term that is not RDF ({one_line(str(error))}); correct it"
        ) from error
    return open_quads("graph", quads)


def open_quads(name: str, quads: Sequence[Quad]) -> LocalStore:
    """Load statements into a store."""
    store = Store()
    store.bulk_extend(quads)
    return LocalStore(name, store, lambda: quads)

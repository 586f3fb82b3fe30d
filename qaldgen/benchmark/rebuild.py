"""Rebuild a sample from its signature, or from the benchmark file that holds it."""

from __future__ import annotations

from pathlib import Path

from qaldgen._version import __version__
from qaldgen.benchmark.make import sample
from qaldgen.benchmark.read_rdf import load_benchmark
from qaldgen.benchmark.record import Benchmark
from qaldgen.errors import DataError, UsageError
from qaldgen.queries import Query, read_query
from qaldgen.selection import select
from qaldgen.signature import Signature, parse_signature
from qaldgen.store import DataSource
from qaldgen.vectors import Vectors


def rebuild(
    data: DataSource, recipe: str, query: str | None = None, *, title: str | None = None
) -> tuple[Benchmark, Vectors, list[str]]:
    """Make the sample that a signature describes, and check that data and query are those it names.

    Parameters
    ----------
    data
        The open data set.
    recipe
        A signature line, or the path of a benchmark saved as RDF, which also holds the query.
    query
        The query's file; needed for a line whose query is no ready one.
    title
        What to call the benchmark; by default as the file does.

    Returns
    -------
    tuple of Benchmark, Vectors, list of str
        The sample, its pool, and what to know: another version, or whether the questions are those of the file.

    Raises
    ------
    UsageError
        If the line does not read or the query is not the one it names.
    DataError
        If the data is not that of the signature.
    """
    stored = None if "|" in recipe else load_benchmark(Path(recipe))
    signature = parse_signature(stored.signature if stored else recipe)
    if stored is not None and query is None:
        chosen = Query(stored.provenance.query_name, stored.provenance.query_text)
    else:
        chosen = read_query(query or signature.query_name)
    _require(chosen.sha256, signature.query_hash, UsageError, f"the query {chosen.name!r}", "name the right one with -q")
    vectors = select(data, chosen, scaling=signature.scaling, missing=signature.missing)
    _require_data(vectors, signature)
    if stored is not None:
        remedy = "does the query give the same answer twice?"
        _require(vectors.sha256(), stored.provenance.table_sha256, DataError, "the selected table", remedy)
    called = title or (stored.title if stored else None)
    made = sample(
        vectors, signature.size, method=signature.method, random_state=signature.random_state, title=called, **signature.options
    )
    notes = []
    if signature.version != __version__:
        notes.append(f"the signature was made by qaldgen {signature.version}, this is {__version__}")
    if stored is not None:
        same = len({m.iri for m in made.members} & {m.iri for m in stored.members})
        notes.append(f"{same} of {len(stored)} questions are those of {recipe}")
    return made, vectors, notes


def _require_data(vectors: Vectors, signature: Signature) -> None:
    sha256 = getattr(vectors.source, "sha256", "")
    found = sha256 if sha256 and not signature.data_hash.startswith("table-") else "table-" + vectors.sha256()
    _require(found, signature.data_hash, DataError, "the data", f"it was made from {signature.data_name!r}")


def _require(found: str, wanted: str, error: type[Exception], what: str, remedy: str) -> None:
    if not found.startswith(wanted):
        raise error(f"{what} is not that of the signature ({found[: len(wanted)]}, not {wanted}); {remedy}")

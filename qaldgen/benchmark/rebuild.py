"""Rebuild a sample from its signature, or from the benchmark file that holds it.

The selected table, not the file, decides whether the data are right: the same questions with the
same values give the same sample. A file in another syntax, or with its triples in another order,
has another hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pyoxigraph import BlankNode, Literal

from qaldgen import __version__
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.make import sample
from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.benchmark.signature import parse_signature
from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import check_files
from qaldgen.io.notes import note
from qaldgen.io.text import count, few_and_more
from qaldgen.rdf.terms import Statement, python_value
from qaldgen.sampling import check_call
from qaldgen.selection.select import Data, open_with_query, select
from qaldgen.selection.vectors import Vectors, check_rules
from qaldgen.sparql.ready_queries import Query, read_query


def rebuild(
    data: Data, recipe: str, query: str | None = None, *, title: str | None = None
) -> tuple[Benchmark, Vectors]:
    """Draw the sample that a signature describes, or the signature in a benchmark file.

    Query and selected table must have the hashes of the signature. Notes say how the sample differs
    from the benchmark in the file.
    """
    selection = None if query is None else read_query(query)

    # a signature line has fields separated by |; anything else names a benchmark file
    if "|" in recipe:
        stored = None
        signature = parse_signature(recipe)
    else:
        check_files(recipe)
        stored = load_benchmark(Path(recipe))
        signature = parse_signature(stored.signature)
    check_rules(signature.scaling, signature.missing)
    check_call(
        signature.size,
        signature.method,
        random_state=signature.random_state,
        options=signature.options,
    )

    if selection is None and stored is not None:
        selection = Query(stored.provenance.query_name, stored.provenance.query_text)
    elif selection is None:
        selection = read_query(signature.query_name)
    if signature.where:
        data, selection = open_with_query(data, selection, [signature.where])
    if not selection.sha256.startswith(signature.query_hash):
        subject = f"the query {selection.name!r}"
        difference = _mismatch(subject, selection.sha256, signature.query_hash)
        raise UsageError(f"{difference}; name the right `query`")

    vectors = select(data, selection, scaling=signature.scaling, missing=signature.missing)
    sha256 = vectors.sha256()
    table_hash = signature.table_hash if stored is None else stored.provenance.table_sha256
    if not sha256.startswith(table_hash):
        changes = f"the query now selects {len(vectors):,} questions; use the data of the sample"
        if stored is not None:
            changes = _describe_changes(vectors, stored)
        raise DataError(f"{_mismatch('the selected table', sha256, table_hash)}: {changes}")

    if stored is not None and not title:
        title = stored.title
    benchmark = sample(
        vectors,
        signature.size,
        method=signature.method,
        random_state=signature.random_state,
        title=title,
        **signature.options,
    )

    if signature.version != __version__:
        note(f"the signature was created by qaldgen {signature.version}, but this is {__version__}")
    if stored is not None:
        stored_triples = {member.iri: member.triples for member in stored.members}
        common_members = [member for member in benchmark.members if member.iri in stored_triples]
        note(f"{len(common_members)} of {len(stored)} questions are the same as in {recipe}")
        changed_iris = []
        for member in common_members:
            if _make_comparable(member.triples) != _make_comparable(stored_triples[member.iri]):
                changed_iris.append(member.iri)
        if changed_iris:
            note(
                f"the data differ from {recipe} for {len(changed_iris)} of them (first:"
                f" {changed_iris[0]}), in properties that the query does not select"
            )

    return benchmark, vectors


def _mismatch(subject: str, actual: str, expected: str) -> str:
    """Return the message about a hash that differs from that of the signature."""
    expected = expected[:8]
    actual = actual[: len(expected)] or "without hash"
    return f"{subject} does not match the signature ({actual} instead of {expected})"


def _describe_changes(vectors: Vectors, stored: Benchmark) -> str:
    """Return how the selected table differs from the table of a saved benchmark, and what to do.

    A benchmark keeps the size of the pool, the features, and the values of its own questions, so
    changes of other questions are not known.
    """
    rows = dict(zip(vectors.ids, vectors.raw.tolist(), strict=True))
    absent_iris = []
    changed_iris = []
    for member in stored.members:
        if member.iri not in rows:
            absent_iris.append(member.iri)
        elif rows[member.iri] != list(member.values):
            changed_iris.append(member.iri)

    changes = []
    if len(vectors) != stored.pool_size:
        changes.append(f"{len(vectors):,} questions instead of {stored.pool_size:,}")
    if absent_iris:
        changes.append(
            f"{len(absent_iris):,} of the {len(stored):,} sampled questions are not selected"
            f" (first: {absent_iris[0]})"
        )
    if vectors.features != stored.features:
        differing = sorted(set(vectors.features) ^ set(stored.features))
        changes.append(f"other features ({few_and_more(f'?{name}' for name in differing)})")
    elif changed_iris:
        n_changed = count(len(changed_iris), "sampled question")
        changes.append(f"other values of {n_changed} (first: {changed_iris[0]})")
    if not changes:
        changes.append(
            "the values of the sampled questions are unchanged, so other questions have changed"
        )

    advice = f"the sample was made from {stored.provenance.data_name!r}"
    data_sha256 = stored.provenance.data_sha256
    if data_sha256 and data_sha256 == getattr(vectors.source, "sha256", ""):
        advice = (
            "the file is the same, so the query is not deterministic, or another version reads"
            " the file differently"
        )
    return f"{', '.join(changes)}; {advice}"


def _make_comparable(statements: Sequence[Statement]) -> Counter[tuple[object, ...]]:
    """Return statements for comparison: a store may return ``"07"^^xsd:int`` as ``7``.

    Blank nodes have no labels, as every parser gives them others. The result is a multiset, in
    which two blank nodes with equal values are two.
    """
    comparable = Counter[tuple[object, ...]]()
    for statement in statements:
        terms: list[object] = []
        for term in statement:
            if isinstance(term, Literal):
                # language tags compare without regard to case (RDF 1.1, section 3.3)
                terms.append(("literal", python_value(term), (term.language or "").lower()))
            elif isinstance(term, BlankNode):
                terms.append("_:")
            else:
                terms.append(term)
        comparable[tuple(terms)] += 1
    return comparable

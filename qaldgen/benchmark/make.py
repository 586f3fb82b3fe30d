"""Make a benchmark: choose questions, fetch the data about them, and record the provenance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path

import numpy as np
from pyoxigraph import Literal, NamedNode

from qaldgen.benchmark.benchmark import Benchmark, Member
from qaldgen.benchmark.rdf import StatementGraph
from qaldgen.benchmark.signature import Provenance, current_versions
from qaldgen.benchmark.sources import sources_of
from qaldgen.defaults import SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.progress import step
from qaldgen.options import Methods, Seed
from qaldgen.rdf.terms import Statement, prefixed
from qaldgen.sampling import check_call, diversity, draw, method_named, resolve_options
from qaldgen.sampling.sample import Sample
from qaldgen.selection.cluster_names import vector_cluster_names
from qaldgen.selection.select import DEFAULT_QUERIES, Data, select
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.clauses import variables_in
from qaldgen.sparql.ready_queries import chosen_by, read_query
from qaldgen.stores.gold_queries import gold_editions
from qaldgen.stores.local import DataSource


def sample(
    data: Vectors | Data,
    n: int,
    *,
    method: Methods = "feasible-exmp",
    random_state: Seed = SEED,
    title: str | None = None,
    **options: float | str,
) -> Benchmark:
    """Choose `n` questions of a selection and make a benchmark of them.

    Parameters
    ----------
    data
        The result of `select`; or questions, for the usual query: see `select`.
    n
        Sample size.
    method
        How to choose: most methods look for diversity; lpm, hybrid, stratified and random give
        honest estimates.

        A key of `qaldgen.sampling.METHODS`: ``feasible``, ``feasible-exmp``, ``km++``,
        ``db+km++``, ``agglomerative``, ``farthest-first``, ``random``, ``lpm``, ``hybrid`` or
        ``stratified``.
    random_state
        Seed of all random choices.
    title
        Title of the benchmark.

        By default made from data, method and size.
    **options
        Options of the method: ``iterations``, ``trials``, ``radius``, ``min_points``, ``linkage``,
        ``per_cluster``, ``exemplars``, ``by``, ``power``, ``pps``, ``order``.

    Returns
    -------
    Benchmark
        The chosen questions with their clusters and weights, and how they were chosen.

    Raises
    ------
    UsageError
        If the method, an option or the size is wrong.
    DataError
        If the method cannot choose `n` questions.

    Examples
    --------
    >>> gold = [{"question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> len(sample(gold, 10, method="lpm").questions)
    10
    """
    if isinstance(data, Vectors):
        vectors = data
    else:
        vectors = select(data)
    method = method_named(method)
    with step("sampling"):
        drawn = draw(vectors, n, method, random_state=random_state, options=options)
        return assemble(
            vectors, drawn, method=method, random_state=random_state, title=title, options=options
        )


def check_sample(
    query: str | Path | None,
    size: int,
    method: str,
    *,
    random_state: int,
    options: Mapping[str, float | str],
    features: Iterable[str],
) -> None:
    """Reject impossible samples before any data is read; see `sample`.

    `features` are further names that must be variables of the query. Without a query the data
    decide on the default query, so that variables of all default queries are allowed.
    """
    check_call(size, method, random_state=random_state, options=options)
    variables = list[str]()
    queries = DEFAULT_QUERIES if query is None else (query,)
    for query_name in queries:
        variables += variables_in(read_query(query_name).text)
    names = [*features, str(options.get("pps", ""))]
    names += str(options.get("by", "")).split(",")
    for name in filter(None, map(str.strip, names)):
        # a value of a category is named like kind=a
        if name.partition("=")[0] not in variables:
            known = ", ".join(f"?{variable}" for variable in dict.fromkeys(variables))
            raise UsageError(f"unknown feature {name!r}; the variables of the query are {known}")


def assemble(
    vectors: Vectors,
    drawn: Sample,
    *,
    method: str,
    random_state: int,
    title: str | None = None,
    options: Mapping[str, float | str] | None = None,
    described: bool = True,
) -> Benchmark:
    """Build the benchmark of a sample: fetch its questions' triples, record the provenance."""
    # the title becomes one line of Markdown, YAML and RDF
    if title is not None and not title.isprintable():
        raise UsageError(
            f"the title {title!r} contains characters that cannot be "
            "written; use plain text on one line"
        )

    data = vectors.source
    size = len(drawn.chosen)

    # vectors from a table have neither data nor a query
    provenance = Provenance(
        data_name=getattr(data, "name", "table"),
        data_sha256=getattr(data, "sha256", ""),
        table_sha256=vectors.sha256(),
        query_name=getattr(vectors.query, "name", "none"),
        query_text=getattr(vectors.query, "text", ""),
        query_sha256=getattr(vectors.query, "sha256", ""),
        scaling=vectors.scaling,
        missing=vectors.missing,
        method=method,
        size=size,
        random_state=random_state,
        options=resolve_options(method, options or {}),
        versions=current_versions(),
        gold="" if data is None else ",".join(gold_editions(data)),
    )

    members = _make_members(vectors, drawn, data if described else None)
    pool_clusters: list[list[str]] = [[] for _ in drawn.sizes()]
    for iri, cluster in zip(vectors.ids, drawn.cluster.tolist(), strict=True):
        if cluster >= 0:
            pool_clusters[cluster].append(iri)

    sources = sources_of(data, chain.from_iterable(member.triples for member in members))
    licences = {source.licence for source in sources}
    return Benchmark(
        title=title or f"{provenance.data_name}: {size} questions by {method}",
        provenance=provenance,
        features=vectors.features,
        members=members,
        cluster_sizes=tuple(drawn.sizes().tolist()),
        pool_size=len(vectors),
        outliers=int(np.sum(drawn.cluster < 0)),
        diversity=diversity.diversity(vectors.matrix[drawn.chosen]),
        # sorted, as RDF has no order: a saved benchmark equals the one read back
        notes=tuple(sorted(set(drawn.notes))),
        pool_clusters=tuple(map(tuple, pool_clusters)),
        cluster_names=tuple(vector_cluster_names(vectors, drawn.cluster)),
        sources=sources,
        licence=licences.pop() if len(licences) == 1 else "",
    )


def _make_members(vectors: Vectors, drawn: Sample, data: DataSource | None) -> tuple[Member, ...]:
    """Return the chosen questions; without `data`, they have no triples."""
    rows = drawn.chosen.tolist()
    weights = drawn.weights().tolist()
    inclusion = [None] * len(rows) if drawn.inclusion is None else drawn.inclusion.tolist()
    iris = [vectors.ids[row] for row in rows]
    graph = StatementGraph(data.triples(iris), data.name) if data else None
    query_features = chosen_by(vectors.query.text) if vectors.query else ()

    # an order of asking is kept; without one, the natural order of ids
    order = range(len(rows)) if drawn.ordered else np.argsort(drawn.chosen).tolist()
    members = []
    for index in order:
        row = rows[index]
        iri = iris[index]
        question = NamedNode(iri)
        statements: list[Statement] = []
        if graph is not None:
            statements += graph.closure(question)
            if not statements:
                raise DataError(
                    "the query returns it, but the data do not describe "
                    "it; check that ?qId is the question",
                    where=iri,
                )
        for name in query_features:
            statements.append((question, prefixed("qaldgen:chosenBy"), Literal(name)))

        members.append(
            Member(
                iri=iri,
                cluster=int(drawn.cluster[row]) + 1,  # from 1 in files, from 0 in arrays
                weight=weights[index],
                values=tuple(vectors.raw[row].tolist()),
                triples=tuple(dict.fromkeys(statements)),
                inclusion=inclusion[index],
                position=index + 1 if drawn.ordered else None,
            )
        )

    return tuple(members)

"""A benchmark as RDF: PROV for its making, DCAT for the set, questions as in the source.

A benchmark that is written and read again is equal to the original.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from os.path import commonprefix
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from qaldgen.benchmark.benchmark import Benchmark, ExportFormat, Member
from qaldgen.benchmark.signature import Provenance, option_text, read_option
from qaldgen.benchmark.sources import Source
from qaldgen.errors import DataError
from qaldgen.io.json_text import from_json
from qaldgen.io.text import count, natural_key
from qaldgen.options import Property
from qaldgen.questions.file_content import is_rdf
from qaldgen.rdf.rdf_file import RdfFile, may_be_records
from qaldgen.rdf.terms import (
    BENCHMARK_PROPERTIES,
    PREFIXES,
    RDF_JSON,
    Statement,
    Term,
    dump_turtle,
    is_iri,
    prefixed,
    term_text,
    typed_literal,
    with_blank_nodes,
)

T = TypeVar("T")
_POOL_CLUSTERS = "qaldgen:poolClusters"


def dump_rdf(benchmark: Benchmark, format: str) -> bytes:
    """Serialise the benchmark; equal benchmarks give equal bytes."""
    if format == "turtle":
        return dump_turtle(_statements(benchmark), {**PREFIXES, "bench": benchmark.iri + "#"})
    triples = [Triple(*statement) for statement in _statements(benchmark)]  # type: ignore[arg-type]
    return serialize(triples, format=RdfFormat.N_TRIPLES) or b""


def _statements(benchmark: Benchmark) -> Iterator[Statement]:
    """Yield the triples of a benchmark: how it was made, its clusters and its questions."""
    yield from _make_triples(NamedNode(benchmark.iri), _benchmark_description(benchmark))

    provenance = benchmark.provenance
    yield from _make_triples(_part_iri(benchmark, "sampling"), _sampling_description(benchmark))
    data = {"dct:title": provenance.data_name, "qaldgen:goldEdition": provenance.gold or None}
    yield from _entity_triples(benchmark, "data", provenance.data_sha256, data)
    query = {"dct:title": provenance.query_name, "qaldgen:queryText": provenance.query_text}
    yield from _entity_triples(benchmark, "query", provenance.query_sha256, query)
    versions = [f"{package} {number}" for package, number in provenance.versions.items()]
    software = {
        "rdf:type": [prefixed("prov:SoftwareAgent"), prefixed("prov:Agent")],
        "rdfs:label": "qaldgen",
        "qaldgen:version": versions,
    }
    yield from _make_triples(_part_iri(benchmark, "software"), software)
    for number, source in enumerate(benchmark.sources, 1):
        question_set = {"dct:title": source.name, "dct:license": _licence_value(source.licence)}
        name = f"source-{number}"
        yield from _entity_triples(benchmark, name, source.sha256, question_set, source.iri)

    names = benchmark.cluster_names or ("",) * len(benchmark.cluster_sizes)
    for number, (size, name) in enumerate(zip(benchmark.cluster_sizes, names, strict=True), 1):
        cluster = {
            "rdf:type": prefixed("qaldgen:Cluster"),
            "qaldgen:clusterIndex": number,
            "qaldgen:clusterSize": size,
            "rdfs:label": name or None,
        }
        yield from _make_triples(_part_iri(benchmark, f"cluster-{number}"), cluster)
    for member in benchmark.members:
        question = {
            "qaldgen:cluster": _part_iri(benchmark, f"cluster-{member.cluster}"),
            "qaldgen:weight": member.weight,
            # whole numbers without a fraction, to keep the file short
            "qaldgen:vector": _json_literal([int(x) if x == int(x) else x for x in member.values]),
            "qaldgen:inclusionProbability": member.inclusion,
            "qaldgen:position": member.position,
        }
        yield from _make_triples(NamedNode(member.iri), question)
        yield from member.triples


def _benchmark_description(benchmark: Benchmark) -> dict[str, object]:
    """Return the values of the properties of a benchmark, by their names."""
    clusters = [
        _part_iri(benchmark, f"cluster-{number}")
        for number in range(1, len(benchmark.cluster_sizes) + 1)
    ]

    pool_clusters = None
    if benchmark.pool_clusters:
        # the common start of the IRIs is written once
        base = commonprefix(list(chain.from_iterable(benchmark.pool_clusters)))  # noqa: RUF071 - letters, not paths
        endings = []
        for iris in benchmark.pool_clusters:
            endings.append([iri.removeprefix(base) for iri in iris])
        pool_clusters = _json_literal({"base": base, "clusters": endings})

    return {
        "rdf:type": [prefixed("qaldgen:Benchmark"), prefixed("dcat:Dataset")],
        "dct:title": benchmark.title,
        "dct:identifier": benchmark.iri,
        "dct:description": (
            f"{len(benchmark)} of {benchmark.pool_size} questions, sampled by"
            f" {benchmark.provenance.method}; the questions keep the licence of their source"
        ),
        "dct:license": _licence_value(benchmark.licence),
        "dct:publisher": benchmark.publisher or None,
        "dct:issued": benchmark.date or None,
        "dct:bibliographicCitation": benchmark.citation,
        "dct:source": [NamedNode(source.iri) for source in benchmark.sources],
        "qaldgen:signature": benchmark.signature,
        "qaldgen:samplingDesign": benchmark.design,
        "qaldgen:benchmarkSize": len(benchmark),
        "qaldgen:poolSize": benchmark.pool_size,
        "qaldgen:outlierCount": benchmark.outliers,
        "qaldgen:diversity": None if math.isnan(benchmark.diversity) else benchmark.diversity,
        "qaldgen:features": _json_literal(benchmark.features),
        "prov:wasDerivedFrom": _part_iri(benchmark, "data"),
        "prov:wasGeneratedBy": _part_iri(benchmark, "sampling"),
        "qaldgen:hasCluster": clusters,
        _POOL_CLUSTERS: pool_clusters,
        "qaldgen:hasQuestion": [NamedNode(member.iri) for member in benchmark.members],
    }


def _sampling_description(benchmark: Benchmark) -> dict[str, object]:
    """Return the values of the properties of the sampling, by their names."""
    provenance = benchmark.provenance
    options = [f"{name}={option_text(value)}" for name, value in provenance.options.items()]
    return {
        "rdf:type": [prefixed("qaldgen:Sampling"), prefixed("prov:Activity")],
        "prov:used": [_part_iri(benchmark, "data"), _part_iri(benchmark, "query")],
        "prov:wasAssociatedWith": _part_iri(benchmark, "software"),
        "qaldgen:method": provenance.method,
        "qaldgen:parameter": options,
        "qaldgen:scaling": provenance.scaling,
        "qaldgen:missingRule": provenance.missing,
        "qaldgen:sampleSize": provenance.size,
        "qaldgen:randomState": provenance.random_state,
        "qaldgen:tieRule": provenance.tie_rule,
        "qaldgen:tableHash": provenance.table_sha256,
        "rdfs:comment": list(benchmark.notes),
    }


def _entity_triples(
    benchmark: Benchmark, name: str, sha256: str, description: Mapping[str, object], iri: str = ""
) -> Iterator[Statement]:
    """Yield the triples of an entity that was used, and of its checksum if there is a hash.

    Without an IRI of its own, the entity is called by its name in the benchmark.
    """
    entity = NamedNode(iri) if iri else _part_iri(benchmark, name)
    checksum = _part_iri(benchmark, f"{name}-checksum") if sha256 else None
    fields = {"rdf:type": prefixed("prov:Entity"), **description, "spdx:checksum": checksum}
    yield from _make_triples(entity, fields)
    if checksum is not None:
        # SPDX is the vocabulary that DCAT recommends for checksums
        fields = {
            "rdf:type": prefixed("spdx:Checksum"),
            "spdx:algorithm": prefixed("spdx:checksumAlgorithm_sha256"),
            "spdx:checksumValue": typed_literal(sha256, "hexBinary"),
        }
        yield from _make_triples(checksum, fields)


def _licence_value(text: str) -> object:
    """Return the value of a licence: an IRI, a short name, or None."""
    if is_iri(text):
        return NamedNode(text)
    return text or None


def _part_iri(benchmark: Benchmark, name: str) -> NamedNode:
    return NamedNode(f"{benchmark.iri}#{name}")


def _make_triples(subject: NamedNode, description: Mapping[str, object]) -> Iterator[Statement]:
    """Yield the triples of a description: several for a list, none for None."""
    for name, value in description.items():
        items = value if isinstance(value, list) else [value]
        for item in items:
            if item is None:
                continue
            term: Term
            if isinstance(item, (NamedNode, Literal)):
                term = item
            elif isinstance(item, int):
                term = typed_literal(item, "integer")
            elif isinstance(item, float):
                # `repr` is the shortest text that gives the same float again
                term = typed_literal(repr(item), "double")
            else:
                term = Literal(str(item))
            yield subject, prefixed(name), term


def _json_literal(value: object) -> Literal:
    return Literal(json.dumps(value, ensure_ascii=False), datatype=RDF_JSON)


def load_benchmark(path: str | Path, *, text_property: Property = "") -> Benchmark:
    """Read a benchmark that `Benchmark.save` wrote as RDF; it equals the one that was saved.

    Parameters
    ----------
    path
        A Turtle or N-Triples file with one benchmark.
    text_property
        Property with the texts of the questions, where the data have another vocabulary.

    Returns
    -------
    Benchmark
        With questions, clusters, weights and provenance.

    Raises
    ------
    DataError
        If the file is not RDF, holds no benchmark or several, or something in it is missing or
        contradicts the rest.

    Examples
    --------
    >>> import qaldgen as qg
    >>> import tempfile
    >>> bench = qg.sample([{"question": f"What is {n}?"} for n in range(60)], 5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = bench.save(Path(folder) / "five.ttl")
    ...     load_benchmark(Path(folder) / "five.ttl") == bench
    True
    """
    if may_be_records(Path(path)) and not is_rdf(Path(path)):
        raise DataError(
            "is no RDF; a benchmark in RDF, as 'qaldgen sample -o bench.ttl' writes it, is needed",
            where=path,
        )
    return read_benchmark(RdfFile(Path(path), text_property))


def read_benchmark(file: RdfFile) -> Benchmark:
    """Return the only benchmark in RDF, as `load_benchmark` does."""
    path = file.path
    statements = [(quad.subject, quad.predicate, quad.object) for quad in file.quads()]
    graph = StatementGraph(statements, str(path))
    benchmarks = graph.subjects(prefixed("rdf:type"), prefixed("qaldgen:Benchmark"))
    if len(benchmarks) != 1:
        raise DataError(
            f"expected one benchmark, found {len(benchmarks)}; check that this is not a file of "
            "question features",
            where=path,
        )
    root = benchmarks[0]

    benchmark = _read_description(graph, root)
    signature = graph.value(root, "qaldgen:signature")
    if signature != benchmark.signature:
        raise DataError(
            f"the signature {signature!r} does not match the provenance ({benchmark.signature!r})",
            where=path,
        )

    # a file that was changed by hand may be valid RDF, and still give wrong estimates
    stated_size = graph.value(root, "qaldgen:benchmarkSize", int)
    contradiction = _find_contradiction(benchmark, stated_size)
    if contradiction:
        raise DataError(f"{contradiction}; the file was changed", where=path)

    return benchmark


def _find_contradiction(benchmark: Benchmark, stated_size: int) -> str:
    """Return what contradicts the rest of a benchmark; empty if nothing does."""
    members = benchmark.members
    provenance = benchmark.provenance
    if not len(members) == stated_size == provenance.size:
        return (
            f"it has {count(len(members), 'question')}, but qaldgen:benchmarkSize is {stated_size}"
        )
    if not all(0 < member.weight <= 1 for member in members):
        return "a weight is not above 0 and at most 1"
    if not all(member.inclusion is None or 0 < member.inclusion <= 1 for member in members):
        return "an inclusion probability is not above 0 and at most 1"

    # positions on some questions only would restore a wrong order
    positions = [member.position for member in members]
    if positions not in ([None] * len(members), list(range(1, len(members) + 1))):
        return "the positions are not 1 to the number of questions"
    # every prefix of an order of asking is a sample with equal probabilities
    if benchmark.ordered and len({member.inclusion for member in members}) != 1:
        return "the questions have positions, but not the same chance to be chosen"

    if not all(len(member.values) == len(benchmark.features) for member in members):
        return "a vector has another length than the features"
    if sum(benchmark.cluster_sizes) + benchmark.outliers != benchmark.pool_size:
        return "clusters and outliers do not add up to the pool"
    sizes = tuple(len(iris) for iris in benchmark.pool_clusters)
    if sizes and sizes != benchmark.cluster_sizes:
        return "the questions of the clusters do not add up to their sizes"
    if not all(size > 0 for size in benchmark.cluster_sizes):
        return "a cluster is empty"

    # a table that no query selected has no checksum
    query_hash = hashlib.sha256(provenance.query_text.encode("utf-8")).hexdigest()
    if provenance.query_sha256 not in {"", query_hash}:
        return "the query does not match its checksum"
    return ""


def _read_description(graph: StatementGraph, root: Term) -> Benchmark:
    """Return the benchmark that a node of the graph describes."""
    numbers = {
        cluster: graph.value(cluster, "qaldgen:clusterIndex", int)
        for cluster in graph.all(root, "qaldgen:hasCluster")
    }
    clusters = sorted(numbers, key=lambda cluster: numbers[cluster])

    diversity = graph.optional(root, "qaldgen:diversity", float)
    notes = graph.all(graph.one(root, "prov:wasGeneratedBy"), "rdfs:comment")

    sources = []
    for node in sorted(graph.all(root, "dct:source"), key=term_text):
        source = Source(
            iri=term_text(node),
            name=graph.value(node, "dct:title"),
            sha256=_read_checksum(graph, node),
            licence=_read_licence(graph, node),
        )
        sources.append(source)

    # files of older versions have no clusters of the pool
    pool_clusters = []
    if graph.all(root, _POOL_CLUSTERS):
        pool = graph.json(root, _POOL_CLUSTERS, _PoolClusters)
        for endings in pool.clusters:
            pool_clusters.append(tuple(pool.base + ending for ending in endings))

    return Benchmark(
        title=graph.value(root, "dct:title"),
        provenance=_read_provenance(graph, root),
        features=tuple(graph.json(root, "qaldgen:features", list[str])),
        members=tuple(_read_members(graph, root, numbers)),
        cluster_sizes=tuple(graph.value(node, "qaldgen:clusterSize", int) for node in clusters),
        pool_size=graph.value(root, "qaldgen:poolSize", int),
        outliers=graph.value(root, "qaldgen:outlierCount", int),
        diversity=float("nan") if diversity is None else diversity,
        notes=tuple(sorted(map(term_text, notes))),
        pool_clusters=tuple(pool_clusters),
        cluster_names=tuple(graph.optional(node, "rdfs:label") or "" for node in clusters),
        sources=tuple(sources),
        licence=_read_licence(graph, root),
        publisher=graph.optional(root, "dct:publisher") or "",
        date=graph.optional(root, "dct:issued") or "",
    )


def _read_members(
    graph: StatementGraph, root: Term, cluster_numbers: Mapping[Term, int]
) -> list[Member]:
    """Return the questions of a benchmark in their order."""
    members = []
    for question in graph.all(root, "qaldgen:hasQuestion"):
        cluster = graph.one(question, "qaldgen:cluster")
        if cluster not in cluster_numbers or not isinstance(question, NamedNode):
            raise DataError(
                f"{question} is in the cluster {cluster}, which does not belong to the benchmark",
                where=graph.location,
            )

        member = Member(
            iri=question.value,
            cluster=cluster_numbers[cluster],
            weight=graph.value(question, "qaldgen:weight", float),
            values=tuple(graph.json(question, "qaldgen:vector", list[float])),
            triples=graph.closure(question),
            # only random designs have probabilities, and only an order of asking has positions
            inclusion=graph.optional(question, "qaldgen:inclusionProbability", float),
            position=graph.optional(question, "qaldgen:position", int),
        )
        members.append(member)

    # RDF has no order: positions restore it, or else the natural order of ids
    members.sort(key=lambda member: natural_key(member.iri))
    members.sort(key=lambda member: member.position or 0)
    return members


def _read_licence(graph: StatementGraph, subject: Term) -> str:
    """Return a licence, which may be an IRI or a name; the first of several."""
    return min(map(term_text, graph.all(subject, "dct:license")), default="")


class _PoolClusters(msgspec.Struct):
    """The questions of the pool by cluster, without the common start of their IRIs."""

    base: str
    clusters: list[list[str]]


def _read_provenance(graph: StatementGraph, root: Term) -> Provenance:
    """Return how a benchmark was made, from its sampling, its data and its query."""
    sampling = graph.one(root, "prov:wasGeneratedBy")
    data = graph.one(root, "prov:wasDerivedFrom")

    # a sampling uses the data and the query
    queries = [node for node in graph.all(sampling, "prov:used") if node != data]
    if not queries:
        raise DataError("the sampling names no query; the file was changed", where=graph.location)
    query = queries[0]

    software = graph.one(sampling, "prov:wasAssociatedWith")
    options = [term_text(term).partition("=") for term in graph.all(sampling, "qaldgen:parameter")]
    versions = [term_text(term).partition(" ") for term in graph.all(software, "qaldgen:version")]

    return Provenance(
        data_name=graph.value(data, "dct:title"),
        data_sha256=_read_checksum(graph, data),
        table_sha256=graph.value(sampling, "qaldgen:tableHash"),
        query_name=graph.value(query, "dct:title"),
        query_text=graph.value(query, "qaldgen:queryText"),
        query_sha256=_read_checksum(graph, query),
        scaling=graph.value(sampling, "qaldgen:scaling"),
        missing=graph.value(sampling, "qaldgen:missingRule"),
        method=graph.value(sampling, "qaldgen:method"),
        size=graph.value(sampling, "qaldgen:sampleSize", int),
        random_state=graph.value(sampling, "qaldgen:randomState", int),
        options={name: read_option(value) for name, _, value in options},
        tie_rule=graph.value(sampling, "qaldgen:tieRule"),
        versions={name: value for name, _, value in versions},
        gold=",".join(sorted(map(term_text, graph.all(data, "qaldgen:goldEdition")))),
    )


def _read_checksum(graph: StatementGraph, subject: Term) -> str:
    checksums = graph.all(subject, "spdx:checksum")
    if not checksums:
        return ""
    return str(graph.value(checksums[0], "spdx:checksumValue"))


class StatementGraph:
    """The triples of a file by subject; errors name the property."""

    def __init__(self, statements: Sequence[Statement], location: str) -> None:
        self.location = location
        self.statements: dict[Term, list[Statement]] = {}
        for statement in statements:
            self.statements.setdefault(statement[0], []).append(statement)

    def subjects(self, predicate: Term, value: Term) -> list[Term]:
        """Return the subjects of a property value."""
        return [
            subject
            for subject, statements in self.statements.items()
            if (subject, predicate, value) in statements
        ]

    def all(self, subject: Term, name: str) -> list[Term]:
        """Return all values of a property."""
        predicate = prefixed(name)
        statements = self.statements.get(subject, [])
        return [value for _, property, value in statements if property == predicate]

    def one(self, subject: Term, name: str) -> Term:
        """Return the value of a property that must have exactly one."""
        values = self.all(subject, name)
        if len(values) != 1:
            raise self._changed(subject, name, f"has {len(values)} values instead of one")
        return values[0]

    def value(self, subject: Term, name: str, value_type: type[str | float] = str) -> Any:  # noqa: ANN401 - of that type
        """Return the value of a property that must have exactly one, as text or a number."""
        term = self.one(subject, name)
        # these have no text of their own; the caller reports the empty value
        text = "" if isinstance(term, (BlankNode, Triple)) else term.value
        try:
            return value_type(text)
        except ValueError as error:
            noun = "an integer" if value_type is int else "a number"
            raise self._changed(subject, name, f"is {text!r}, not {noun}") from error

    def optional(self, subject: Term, name: str, value_type: type[str | float] = str) -> Any:  # noqa: ANN401 - of that type, or None
        """Return the value of a property as `value` does; None if the property is missing."""
        if not self.all(subject, name):
            return None
        return self.value(subject, name, value_type)

    def json(self, subject: Term, name: str, value_type: type[T]) -> T:
        """Return the value of a property that must have exactly one, parsed as JSON of a type."""
        try:
            return msgspec.convert(from_json(self.value(subject, name)), value_type)
        except (ValueError, msgspec.ValidationError) as error:  # the oldest has errors of its own
            raise self._changed(subject, name, f"is not the JSON expected ({error})") from error

    def _changed(self, subject: Term, name: str, problem: str) -> DataError:
        return DataError(f"{subject}: {name} {problem}; the file was changed", where=self.location)

    def closure(self, subject: Term) -> tuple[Statement, ...]:
        """Return the statements about a question and its blank nodes.

        Cluster, weight and position are left out: they belong to the benchmark, and would
        contradict those of another benchmark, drawn from this one.
        """
        statements = [
            statement
            for statement in self.statements.get(subject, [])
            if getattr(statement[1], "value", "") not in BENCHMARK_PROPERTIES
        ]
        return tuple(with_blank_nodes(statements, self.statements))


# RDF keeps everything, so there are no options and no notes
TURTLE = ExportFormat(".ttl", lambda benchmark, _: dump_rdf(benchmark, "turtle"))
N_TRIPLES = ExportFormat(".nt", lambda benchmark, _: dump_rdf(benchmark, "ntriples"))

"""A benchmark as RDF: PROV for its making, DCAT for the set, questions as in the source.

What is written is read back equal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import commonprefix
from pathlib import Path
from typing import TypeVar

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from qaldgen.benchmark.benchmark import Benchmark, Form, Member, Writer
from qaldgen.benchmark.signature import Provenance, option_text, read_option
from qaldgen.errors import DataError
from qaldgen.formats.file_content import is_rdf
from qaldgen.io.json_text import from_json
from qaldgen.io.text import count
from qaldgen.rdf.rdf_file import RdfFile, may_be_records
from qaldgen.rdf.terms import (
    BENCHMARK_PROPERTIES,
    PREFIXES,
    Statement,
    Term,
    prefixed,
    typed_literal,
    with_blank_nodes,
)
from qaldgen.selection.vectors import natural_key

_FORMATS = {"turtle": RdfFormat.TURTLE, "ntriples": RdfFormat.N_TRIPLES}
_JSON = NamedNode(PREFIXES["rdf"] + "JSON")


def dump_rdf(benchmark: Benchmark, format: str) -> bytes:
    """Serialise the benchmark; equal benchmarks give equal bytes."""
    triples = [Triple(*statement) for statement in _statements(benchmark)]  # type: ignore[arg-type]
    prefixes = {**PREFIXES, "bench": benchmark.iri + "#"} if format == "turtle" else None
    data = serialize(triples, format=_FORMATS[format], prefixes=prefixes) or b""
    if format == "ntriples":
        return data
    lines = data.splitlines(keepends=True)
    # the order in which prefixes are written is not stable
    return b"".join(sorted(lines[: len(prefixes or ())]) + lines[len(prefixes or ()) :])


def _statements(benchmark: Benchmark) -> Iterator[Statement]:
    root = NamedNode(benchmark.iri)
    yield from _describe(root, _benchmark_description(benchmark))
    for part, description in _provenance_description(benchmark):
        yield from _describe(part, description)
    names = benchmark.cluster_names or ("",) * len(benchmark.cluster_sizes)
    for number, (size, name) in enumerate(zip(benchmark.cluster_sizes, names, strict=True), 1):
        yield from _describe(
            _part(benchmark, f"cluster-{number}"),
            {
                "rdf:type": prefixed("qaldgen:Cluster"),
                "qaldgen:clusterIndex": number,
                "qaldgen:clusterSize": size,
                "rdfs:label": name or [],
            },
        )
    for member in benchmark.members:
        selected: dict[str, object] = {
            "qaldgen:cluster": _part(benchmark, f"cluster-{member.cluster}"),
            "qaldgen:weight": member.weight,
            # whole numbers without a fraction, to keep the file short
            "qaldgen:vector": _json([int(x) if x == int(x) else x for x in member.values]),
            "qaldgen:inclusionProbability": [] if member.inclusion is None else member.inclusion,
            "qaldgen:position": [] if member.position is None else member.position,
        }
        yield from _describe(NamedNode(member.iri), selected)
        yield from member.triples


def _benchmark_description(benchmark: Benchmark) -> dict[str, object]:
    clusters = [
        _part(benchmark, f"cluster-{number}")
        for number in range(1, len(benchmark.cluster_sizes) + 1)
    ]
    # not NaN: a single question has no diversity
    known = benchmark.diversity == benchmark.diversity
    return {
        "rdf:type": [prefixed("qaldgen:Benchmark"), prefixed("dcat:Dataset")],
        "dct:title": benchmark.title,
        "dct:identifier": benchmark.iri,
        "dct:description": (
            f"{len(benchmark)} of {benchmark.pool_size} questions, sampled by"
            f" {benchmark.provenance.method}; the questions keep the licence of their source"
        ),
        "qaldgen:signature": benchmark.signature,
        "qaldgen:samplingDesign": benchmark.design,
        "qaldgen:benchmarkSize": len(benchmark),
        "qaldgen:poolSize": benchmark.pool_size,
        "qaldgen:outlierCount": benchmark.outliers,
        "qaldgen:diversity": benchmark.diversity if known else [],
        "qaldgen:features": _json(benchmark.features),
        "prov:wasDerivedFrom": _part(benchmark, "data"),
        "prov:wasGeneratedBy": _part(benchmark, "sampling"),
        "qaldgen:hasCluster": clusters,
        "qaldgen:poolClusters": _pool_clusters_literal(benchmark),
        "qaldgen:hasQuestion": [NamedNode(member.iri) for member in benchmark.members],
    }


def _pool_clusters_literal(benchmark: Benchmark) -> list[Literal]:
    """Return the cluster of every pool question in one literal, with the common IRI prefix once."""
    if not benchmark.pool_clusters:
        return []
    base = commonprefix([iri for members in benchmark.pool_clusters for iri in members])  # noqa: RUF071 - letters, not paths
    rest = [[iri[len(base) :] for iri in members] for members in benchmark.pool_clusters]
    return [
        Literal(json.dumps({"base": base, "clusters": rest}, ensure_ascii=False), datatype=_JSON)
    ]


def _provenance_description(benchmark: Benchmark) -> list[tuple[NamedNode, dict[str, object]]]:
    """Describe the sampling, the data and query that it used, and the software."""
    how = benchmark.provenance
    software: dict[str, object] = {
        "rdf:type": [prefixed("prov:SoftwareAgent"), prefixed("prov:Agent")],
        "rdfs:label": "qaldgen",
        "qaldgen:version": [f"{package} {number}" for package, number in how.versions.items()],
    }
    data: dict[str, object] = {"dct:title": how.data_name, "qaldgen:goldEdition": how.gold or []}
    return [
        (_part(benchmark, "sampling"), _sampling_description(benchmark)),
        *_source_description(benchmark, "data", how.data_sha256, data),
        *_source_description(
            benchmark,
            "query",
            how.query_sha256,
            {"dct:title": how.query_name, "qaldgen:queryText": how.query_text},
        ),
        (_part(benchmark, "software"), software),
    ]


def _sampling_description(benchmark: Benchmark) -> dict[str, object]:
    how = benchmark.provenance
    return {
        "rdf:type": [prefixed("qaldgen:Sampling"), prefixed("prov:Activity")],
        "prov:used": [_part(benchmark, "data"), _part(benchmark, "query")],
        "prov:wasAssociatedWith": _part(benchmark, "software"),
        "qaldgen:method": how.method,
        "qaldgen:parameter": [
            f"{name}={option_text(value)}" for name, value in how.options.items()
        ],
        "qaldgen:scaling": how.scaling,
        "qaldgen:missingRule": how.missing,
        "qaldgen:sampleSize": how.size,
        "qaldgen:randomState": how.random_state,
        "qaldgen:tieRule": how.tie_rule,
        "qaldgen:tableHash": how.table_sha256,
        "rdfs:comment": list(benchmark.notes),
    }


def _source_description(
    benchmark: Benchmark, name: str, sha256: str, said: dict[str, object]
) -> list[tuple[NamedNode, dict[str, object]]]:
    """Describe data or query, with the checksum if there is one."""
    described: dict[str, object] = {"rdf:type": prefixed("prov:Entity"), **said}
    if not sha256:
        return [(_part(benchmark, name), described)]
    checksum = _part(benchmark, f"{name}-checksum")
    # SPDX is the vocabulary that DCAT recommends for checksums.
    value: dict[str, object] = {
        "rdf:type": prefixed("spdx:Checksum"),
        "spdx:algorithm": prefixed("spdx:checksumAlgorithm_sha256"),
        "spdx:checksumValue": typed_literal(sha256, "hexBinary"),
    }
    return [(_part(benchmark, name), {**described, "spdx:checksum": checksum}), (checksum, value)]


def _part(benchmark: Benchmark, name: str) -> NamedNode:
    return NamedNode(f"{benchmark.iri}#{name}")


def _describe(subject: NamedNode, description: Mapping[str, object]) -> Iterator[Statement]:
    """Yield the triples of a description; a list gives several."""
    for name, value in description.items():
        for item in value if isinstance(value, list) else [value]:
            yield subject, prefixed(name), _term(item)


def _term(value: object) -> Term:
    if isinstance(value, (NamedNode, Literal)):
        return value
    # `int` before `float`; a truth value does not occur here.
    if isinstance(value, int):
        return typed_literal(value, "integer")
    if isinstance(value, float):
        # `repr` is the shortest text that gives the same float again.
        return typed_literal(repr(value), "double")
    return Literal(str(value))


def _json(value: Sequence[object]) -> Literal:
    return Literal(json.dumps(value, ensure_ascii=False), datatype=_JSON)


_INCLUSION = "qaldgen:inclusionProbability"
_POSITION = "qaldgen:position"
_POOL_CLUSTERS = "qaldgen:poolClusters"


def load_benchmark(path: str | Path) -> Benchmark:
    """Read a benchmark that `Benchmark.save` wrote as RDF; it equals the one that was saved.

    Parameters
    ----------
    path
        A Turtle or N-Triples file with one benchmark.

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
    file = RdfFile(Path(path))
    graph = StatementGraph(
        [(quad.subject, quad.predicate, quad.object) for quad in file.quads()], str(path)
    )
    benchmarks = graph.subjects(prefixed("rdf:type"), prefixed("qaldgen:Benchmark"))
    if len(benchmarks) != 1:
        raise DataError(
            f"expected one benchmark, found {len(benchmarks)}; check that this is not a file of "
            "question features",
            where=path,
        )
    benchmark = _read(graph, benchmarks[0])
    stored = graph.text(benchmarks[0], "qaldgen:signature")
    if stored != benchmark.signature:
        raise DataError(
            f"the signature {stored!r} does not match the provenance ({benchmark.signature!r})",
            where=path,
        )
    # The file can be edited by hand, and a change that RDF allows may still give wrong estimates.
    wrong = next(
        (
            rule
            for rule, holds in _rules(
                benchmark, graph.integer(benchmarks[0], "qaldgen:benchmarkSize")
            )
            if not holds
        ),
        None,
    )
    if wrong is not None:
        raise DataError(f"{wrong}; the file was changed", where=path)
    return benchmark


def _rules(benchmark: Benchmark, stated: int) -> list[tuple[str, bool]]:
    """Return the rules of a benchmark: the complaint if it is broken, and whether it holds."""
    members, how = benchmark.members, benchmark.provenance
    clustered = sum(benchmark.cluster_sizes)
    query = hashlib.sha256(how.query_text.encode("utf-8")).hexdigest()
    return [
        (
            f"it has {count(len(members), 'question')}, but qaldgen:benchmarkSize is {stated}",
            len(members) == stated == how.size,
        ),
        (
            "a weight is not above 0 and at most 1",
            all(0 < member.weight <= 1 for member in members),
        ),
        (
            "an inclusion probability is not above 0 and at most 1",
            all(member.inclusion is None or 0 < member.inclusion <= 1 for member in members),
        ),
        ("the positions are not 1 to the number of questions", _in_order(members)),
        (
            "the questions have positions, but not the same chance to be chosen",
            # Every prefix of an order of asking is a sample with equal probabilities.
            not benchmark.ordered or len({member.inclusion for member in members}) == 1,
        ),
        (
            "a vector has another length than the features",
            all(len(m.values) == len(benchmark.features) for m in members),
        ),
        (
            "clusters and outliers do not add up to the pool",
            clustered + benchmark.outliers == benchmark.pool_size,
        ),
        (
            "the questions of the clusters do not add up to their sizes",
            not benchmark.pool_clusters
            or tuple(map(len, benchmark.pool_clusters)) == benchmark.cluster_sizes,
        ),
        ("a cluster is empty", all(size > 0 for size in benchmark.cluster_sizes)),
        # A table that no query selected has no checksum.
        ("the query does not match its checksum", how.query_sha256 in {"", query}),
    ]


def _in_order(members: Sequence[Member]) -> bool:
    """Whether all members have the positions 1, 2, ..., or none has one."""
    positions = [member.position for member in members]
    # Positions on some questions only would restore a wrong order.
    return positions == [None] * len(positions) or positions == list(range(1, len(positions) + 1))


def _read_member(graph: StatementGraph, question: Term, clusters: Mapping[Term, int]) -> Member:
    """Read a question of the benchmark: its cluster, vector, weight, chance and position."""
    cluster = graph.one(question, "qaldgen:cluster")
    if cluster not in clusters or not isinstance(question, NamedNode):
        raise DataError(
            f"{question} is in the cluster {cluster}, which does not belong to the benchmark",
            where=graph.where,
        )
    values = _json_list(graph, question, "qaldgen:vector")
    # `type`, not `isinstance`: to Python a truth value of JSON is an int.
    if not all(type(value) in {int, float} for value in values):
        raise DataError(
            f"{question}: qaldgen:vector contains values that are not numbers; the file was"
            " changed",
            where=graph.where,
        )
    weight = graph.number(question, "qaldgen:weight")
    # Only random designs have chances, and only an order of asking has positions.
    chance = graph.number(question, _INCLUSION) if graph.all(question, _INCLUSION) else None
    place = graph.integer(question, _POSITION) if graph.all(question, _POSITION) else None
    return Member(
        question.value,
        clusters[cluster],
        weight,
        tuple(float(str(value)) for value in values),
        graph.closure(question),
        chance,
        place,
    )


def _read(graph: StatementGraph, root: Term) -> Benchmark:
    clusters = {
        cluster: graph.integer(cluster, "qaldgen:clusterIndex")
        for cluster in graph.all(root, "qaldgen:hasCluster")
    }
    sizes = {
        index: graph.integer(cluster, "qaldgen:clusterSize") for cluster, index in clusters.items()
    }
    names = {
        index: graph.text(cluster, "rdfs:label") if graph.all(cluster, "rdfs:label") else ""
        for cluster, index in clusters.items()
    }
    members = [
        _read_member(graph, question, clusters)
        for question in graph.all(root, "qaldgen:hasQuestion")
    ]
    # RDF has no order: positions restore it, or else the natural order of ids
    members.sort(key=lambda member: (member.position or 0, natural_key(member.iri)))
    diversity = graph.all(root, "qaldgen:diversity")
    return Benchmark(
        title=graph.text(root, "dct:title"),
        provenance=_read_provenance(graph, root),
        features=tuple(str(name) for name in _json_list(graph, root, "qaldgen:features")),
        members=tuple(members),
        cluster_sizes=tuple(sizes[index] for index in sorted(sizes)),
        pool_size=graph.integer(root, "qaldgen:poolSize"),
        outliers=graph.integer(root, "qaldgen:outlierCount"),
        diversity=graph.number(root, "qaldgen:diversity") if diversity else float("nan"),
        notes=tuple(
            sorted(
                _value(term)
                for term in graph.all(graph.one(root, "prov:wasGeneratedBy"), "rdfs:comment")
            )
        ),
        pool_clusters=_pool_clusters(graph, root),
        cluster_names=tuple(names[index] for index in sorted(sizes)),
    )


def _pool_clusters(graph: StatementGraph, root: Term) -> tuple[tuple[str, ...], ...]:
    """Return the questions of the pool by cluster; none in files of older versions."""
    if not graph.all(root, _POOL_CLUSTERS):
        return ()
    text = graph.text(root, _POOL_CLUSTERS)
    try:
        document = from_json(text)
        base, clusters = (
            str(document["base"]),
            [[str(iri) for iri in members] for members in document["clusters"]],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{graph.where}: {_POOL_CLUSTERS} does not list clusters; the file was changed"
        ) from error
    return tuple(tuple(base + iri for iri in members) for members in clusters)


def _json_list(graph: StatementGraph, subject: Term, name: str) -> list[object]:
    text = graph.text(subject, name)
    try:
        values = from_json(text)
    except ValueError as error:
        raise DataError(
            f"{subject}: {name} is not valid JSON ({error}); the file was changed",
            where=graph.where,
        ) from error
    if not isinstance(values, list):
        raise DataError(
            f"{subject}: {name} is not a JSON list; the file was changed", where=graph.where
        )
    return values


def _read_provenance(graph: StatementGraph, root: Term) -> Provenance:
    sampling, data = graph.one(root, "prov:wasGeneratedBy"), graph.one(root, "prov:wasDerivedFrom")
    # A sampling used two things, the data and the query; only the data is named elsewhere too.
    query = next((used for used in graph.all(sampling, "prov:used") if used != data), None)
    if query is None:
        raise DataError("the sampling names no query; the file was changed", where=graph.where)
    software = graph.one(sampling, "prov:wasAssociatedWith")
    options = dict(_parameter(_value(term)) for term in graph.all(sampling, "qaldgen:parameter"))
    versions = dict(
        _value(term).partition(" ")[::2] for term in graph.all(software, "qaldgen:version")
    )
    return Provenance(
        data_name=graph.text(data, "dct:title"),
        data_sha256=_read_checksum(graph, data),
        table_sha256=graph.text(sampling, "qaldgen:tableHash"),
        query_name=graph.text(query, "dct:title"),
        query_text=graph.text(query, "qaldgen:queryText"),
        query_sha256=_read_checksum(graph, query),
        scaling=graph.text(sampling, "qaldgen:scaling"),
        missing=graph.text(sampling, "qaldgen:missingRule"),
        method=graph.text(sampling, "qaldgen:method"),
        size=graph.integer(sampling, "qaldgen:sampleSize"),
        random_state=graph.integer(sampling, "qaldgen:randomState"),
        options=options,
        tie_rule=graph.text(sampling, "qaldgen:tieRule"),
        versions=versions,
        gold=",".join(sorted(map(_value, graph.all(data, "qaldgen:goldEdition")))),
    )


def _read_checksum(graph: StatementGraph, subject: Term) -> str:
    checksums = graph.all(subject, "spdx:checksum")
    return graph.text(checksums[0], "spdx:checksumValue") if checksums else ""


def _value(term: Term) -> str:
    return term.value if isinstance(term, Literal) else str(term)


def _parameter(text: str) -> tuple[str, float | str]:
    name, _, value = text.partition("=")
    return name, read_option(value)


T = TypeVar("T")


class StatementGraph:
    """The triples of a file by subject; errors name the property."""

    def __init__(self, statements: Sequence[Statement], where: str) -> None:
        self.where = where
        self.statements: dict[Term, list[Statement]] = {}
        for statement in statements:
            self.statements.setdefault(statement[0], []).append(statement)

    def subjects(self, predicate: Term, value: Term) -> list[Term]:
        """Return the subjects of a property value."""
        return [
            s
            for s, statements in self.statements.items()
            if any(p == predicate and o == value for _, p, o in statements)
        ]

    def all(self, subject: Term, name: str) -> list[Term]:
        """Return all values of a property."""
        predicate = prefixed(name)
        return [o for _, p, o in self.statements.get(subject, []) if p == predicate]

    def one(self, subject: Term, name: str) -> Term:
        """Return the value of a property that must have exactly one."""
        values = self.all(subject, name)
        if len(values) != 1:
            raise DataError(
                f"{subject} has {len(values)} values of {name} "
                "instead of one; the file was changed",
                where=self.where,
            )
        return values[0]

    def text(self, subject: Term, name: str) -> str:
        """Return a single value as text."""
        value = self.one(subject, name)
        # These have no text of their own; the caller reports the empty value.
        return "" if isinstance(value, (BlankNode, Triple)) else value.value

    def number(self, subject: Term, name: str) -> float:
        """Return a single value as a number."""
        return self._converted(subject, name, float, "a number")

    def integer(self, subject: Term, name: str) -> int:
        """Return a single value as an integer."""
        return self._converted(subject, name, int, "an integer")

    def _converted(self, subject: Term, name: str, convert: Callable[[str], T], what: str) -> T:
        text = self.text(subject, name)
        try:
            return convert(text)
        except ValueError as error:
            raise DataError(
                f"{subject}: {name} is {text!r}, not {what}; the file was changed",
                where=self.where,
            ) from error

    def closure(self, subject: Term) -> tuple[Statement, ...]:
        """Return the statements about a question and its blank nodes, but for the benchmark's."""
        statements = [
            s
            for s in self.statements.get(subject, [])
            # Cluster, weight and position belong to the benchmark and are read into a `Member`.
            if getattr(s[1], "value", "") not in BENCHMARK_PROPERTIES
        ]
        return tuple(with_blank_nodes(statements, self.statements))


def _writer(format: str) -> Writer:
    # RDF keeps everything as it is, so there is nothing to choose and nothing to tell.
    return lambda benchmark, _: (dump_rdf(benchmark, format), [])


TURTLE, N_TRIPLES = Form(".ttl", _writer("turtle")), Form(".nt", _writer("ntriples"))

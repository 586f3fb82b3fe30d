"""Read a benchmark back from RDF; it equals the one that was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyoxigraph import Literal, NamedNode

from qaldgen.benchmark.record import Benchmark, Member
from qaldgen.benchmark.signature import Provenance, read_option
from qaldgen.benchmark.statement_graph import StatementGraph
from qaldgen.errors import DataError
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import Term, prefixed
from qaldgen.selection.feature_columns import natural_key

_INCLUSION = "qaldgen:inclusionProbability"
_POSITION = "qaldgen:position"
_POOL_CLUSTERS = "qaldgen:poolClusters"


def load_benchmark(path: str | Path) -> Benchmark:
    """Read a benchmark that `Benchmark.save` wrote as RDF; it equals the one that was saved.

    Parameters
    ----------
    path
        A Turtle or N-Triples file with one benchmark.

    Raises
    ------
    DataError
        If the file is not RDF, holds no benchmark or several, or something in it is missing or
        contradicts the rest.
    """
    file = RdfFile(Path(path))
    graph = StatementGraph(
        [(quad.subject, quad.predicate, quad.object) for quad in file.quads()], str(path)
    )
    found = graph.subjects(prefixed("rdf:type"), prefixed("qaldgen:Benchmark"))
    if len(found) != 1:
        raise DataError(
            f"expected one benchmark, found {len(found)}; check that this is not a file of "
            "question features",
            where=path,
        )
    benchmark = _read(graph, found[0])
    # lines of older versions do not have the hash of the table
    stored = graph.text(found[0], "qaldgen:signature")
    if stored not in {benchmark.signature, *benchmark.provenance.older_signatures()}:
        raise DataError(
            f"the signature {stored!r} does not match the provenance ({benchmark.signature!r})",
            where=path,
        )
    # The file can be edited by hand, and a change that RDF allows may still give wrong estimates.
    wrong = next(
        (
            rule
            for rule, holds in _rules(benchmark, graph.integer(found[0], "qaldgen:benchmarkSize"))
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
            f"it has {len(members)} questions, but qaldgen:benchmarkSize is {stated}",
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
    found = [member.position for member in members]
    # Positions on some questions only would restore a wrong order.
    return found == [None] * len(found) or found == list(range(1, len(found) + 1))


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
        found = json.loads(text)
        base, clusters = (
            str(found["base"]),
            [[str(iri) for iri in own] for own in found["clusters"]],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{graph.where}: {_POOL_CLUSTERS} does not list clusters; the file was changed"
        ) from error
    return tuple(tuple(base + iri for iri in own) for own in clusters)


def _json_list(graph: StatementGraph, subject: Term, name: str) -> list[object]:
    text = graph.text(subject, name)
    try:
        found = json.loads(text)
    except ValueError as error:
        raise DataError(
            f"{subject}: {name} is not valid JSON ({error}); the file was changed",
            where=graph.where,
        ) from error
    if not isinstance(found, list):
        raise DataError(
            f"{subject}: {name} is not a JSON list; the file was changed", where=graph.where
        )
    return found


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

"""The explorer's answers: each function takes the workspace and a request, and returns JSON."""

from __future__ import annotations

import base64
import importlib
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import msgspec
import numpy as np

from qaldgen.benchmark import quality
from qaldgen.benchmark.benchmark import Benchmark, format_of, render_files
from qaldgen.benchmark.make import assemble
from qaldgen.benchmark.make import sample as make_sample
from qaldgen.cli.listed_tables import table_lines
from qaldgen.defaults import SEED
from qaldgen.errors import UsageError
from qaldgen.io.notes import collecting
from qaldgen.plugins.explorer.filters import property_filters, restrict_query
from qaldgen.plugins.explorer.workspace import OpenSet, Workspace
from qaldgen.questions.catalog import entries
from qaldgen.reports.page.map import project
from qaldgen.sampling import draw as draw_questions
from qaldgen.scoring.rules import JUDGE
from qaldgen.selection.select import select
from qaldgen.selection.variables import column_labels
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.ready_queries import Query, chosen_by, read_query, ready_queries

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.reports.page.contents import Report


#: The name of a query that is not ready-made, and of its file in commands.
CUSTOM = "selection"
#: The formats in which a benchmark can be downloaded: file name and media type.
DOWNLOADS = {
    "turtle": ("bench.ttl", "text/turtle"),
    "qald-json": ("bench.json", "application/json"),
    "csv": ("bench.csv", "text/csv"),
}


class PageRequest(msgspec.Struct, frozen=True):
    """A request of the page; each answer reads the fields that it needs."""

    #: The name of a ready query, or its text.
    query: Annotated[str, msgspec.Meta(max_length=200_000)] = ""
    #: Pairs of a property and the indices of its bins.
    filters: Annotated[tuple[tuple[str, tuple[int, ...]], ...], msgspec.Meta(max_length=64)] = ()
    scaling: str = "max"
    missing: str = "drop"
    #: The sample to draw.
    method: str = "feasible-exmp"
    size: int = 50
    seed: int = SEED
    columns: tuple[int, ...] = ()
    quick: bool = False
    name: str = ""
    match: str = ""
    form: str = ""
    system: str = ""
    spot: str = ""


def read_request(body: Mapping[str, Any]) -> PageRequest:
    """Return a request; refuse values of another type."""
    try:
        return msgspec.convert(body, PageRequest)
    except msgspec.ValidationError as error:
        raise UsageError(f"the request is not as the page sends it: {error}") from error


class Selection(NamedTuple):
    """The selected questions of a request."""

    open_set: OpenSet  # the data set
    query: Query  # the query, including the filters
    request: PageRequest  # how features are compared, and the sample to draw

    @property
    def key(self) -> tuple[str, ...]:
        """The values that determine the selected questions."""
        return (*self.query, self.request.scaling, self.request.missing)

    @property
    def sample_key(self) -> tuple[object, ...]:
        """The values that determine the sample."""
        return (*self.key, self.request.method, self.request.size, self.request.seed)

    def vectors(self) -> Vectors:
        """Return the selected questions with their features."""
        return self.open_set.once(
            ("vectors", *self.key),
            lambda: select(
                self.open_set.pool.source,
                self.query,
                scaling=self.request.scaling,
                missing=self.request.missing,
            ),
        )

    def preview(self) -> Benchmark:
        """Return the sample without the data about its questions, which take time to read."""

        def draw() -> Benchmark:
            vectors = self.vectors()
            method = self.request.method
            seed = self.request.seed
            sample = draw_questions(vectors, self.request.size, method, random_state=seed)
            return assemble(vectors, sample, method=method, random_state=seed, described=False)

        return self.open_set.once(("preview", *self.sample_key), draw)

    def report(self, *, search: bool = True) -> Report:
        """Return the report of the runs on the selected questions; refuse if no runs are open."""
        from qaldgen.plugins.explorer import system_scores  # it takes long to import

        open_set = self.open_set
        if not open_set.runs:
            raise UsageError("no runs are open; drop one on the page")
        pool = open_set.pool
        runs = list(open_set.runs.values())

        def gather() -> Report:
            ids = self.vectors().ids
            iris = None if len(ids) == len(pool.histograms.ids) else ids
            systems = chosen_by(self.query.text)
            return system_scores.report_on(pool, runs, iris, chosen=systems, search=search)

        return open_set.once(("report", search, open_set.match, *self.key, *open_set.runs), gather)


def open_selection(workspace: Workspace, body: Mapping[str, Any]) -> Selection:
    """Return the selection in a request."""
    open_set = workspace.find_set(body.get("data"))
    request = read_request(body)
    if not request.query:
        raise UsageError("the query is missing")
    # a ready query by its name, else SPARQL; the page must not name files
    is_ready = request.query in ready_queries()
    query = read_query(request.query if is_ready else Query(CUSTOM, request.query))
    if request.filters:
        filters = property_filters(open_set.pool, request.filters)
        query = Query(CUSTOM, restrict_query(query.text, filters))
    return Selection(open_set, query, request)


def pool_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions that a query selects, and their points on the map."""
    selection = open_selection(workspace, body)
    vectors = selection.vectors()
    row_by_iri = selection.open_set.pool.row_by_iri
    rows = [row_by_iri.get(iri, -1) for iri in vectors.ids]
    n_unshown = rows.count(-1)
    labels_of_columns = column_labels(vectors)
    projection = project(
        vectors.ids, vectors.matrix, labels_of_columns, "the features of the query"
    )

    points = None
    labels: list[str] = []
    if projection is not None:
        labels = list(projection.labels)
        coordinates = np.ascontiguousarray(projection.points, dtype="<f4")
        points = base64.b64encode(coordinates.tobytes()).decode("ascii")

    notes = list(vectors.notes)
    if n_unshown:
        notes.append(f"{n_unshown:,} questions have no text and are not shown")

    return {
        "text": selection.query.text,
        "rows": rows,
        "points": points,
        "labels": labels,
        "features": list(vectors.features),
        "dropped": vectors.dropped,
        "notes": notes,
    }


def query_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the SPARQL text of a query with filters, without running it."""
    return {"text": open_selection(workspace, body).query.text}


def start_answer(workspace: Workspace, _body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices of the page, which do not depend on the data."""
    matchers = table_lines("matchers")
    del matchers[JUDGE]  # a judge costs money
    reading = "" if workspace.reading.done() else workspace.read_at_start
    return {
        "reading": reading,
        "catalogue": list(entries()),
        "methods": table_lines("methods"),
        "scalings": table_lines("scalings"),
        "missing": table_lines("missing-features"),
        "matchers": matchers,
        "queries": [{"name": name, "text": read_query(name).text} for name in ready_queries()],
    }


def open_sets(workspace: Workspace, _body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the open data sets."""
    return {"open": [_summary(open_set) for open_set in workspace.pools.values()]}


def _summary(open_set: OpenSet) -> dict[str, Any]:
    """Return the description of an open data set for the page."""
    pool = open_set.pool
    return {
        "id": pool.id,
        "name": pool.name,
        "questions": len(pool.histograms.ids),
        "runs": list(open_set.runs),
        "match": open_set.match,
    }


def open_named(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Open a public question set from the catalogue; the page cannot name files."""
    name = read_request(body).name
    if name not in entries():
        raise UsageError("the catalogue has no question set of this name", where=name[:80])
    return _summary(workspace.open(name))


def remove_run(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Remove a run from a data set, if it is there."""
    open_set = workspace.find_set(body.get("data"))
    open_set.runs.pop(read_request(body).name, None)
    return _summary(open_set)


def match_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Score the runs of a data set again by other rules."""
    open_set = workspace.find_set(body.get("data"))
    rules = read_request(body).match
    if rules == JUDGE:
        raise UsageError("a judge costs money; give its verdicts to 'qaldgen score'")
    open_set.match_by(rules)
    return _summary(open_set)


def data_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions of a data set and the bins of its histograms."""
    open_set = workspace.find_set(body.get("data"))
    pool = open_set.pool
    # the ready query to start with; the questions that it selects are kept
    first, vectors = pool.first_selection.result()
    open_set.once(("vectors", *Selection(open_set, first, PageRequest()).key), lambda: vectors)

    columns = []
    for column in pool.histograms.columns:
        bins = [{"label": bin_.label, "low": bin_.low, "high": bin_.high} for bin_ in column.bins]
        columns.append({
            "property": column.property,
            "name": column.name,
            "label": column.label,
            "kind": column.kind,
            "bins": bins,
        })  # fmt: skip

    return {
        **_summary(open_set),
        "ids": list(pool.histograms.ids),
        "texts": list(pool.histograms.texts),
        "columns": columns,
        "first": first.name,
        "leftOut": pool.histograms.left_out,
        "notes": list(pool.notes),
    }


def columns_answer(workspace: Workspace, body: Mapping[str, Any]) -> bytes:
    """Return the bin of every question in some histograms, one byte per question."""
    columns = workspace.find_set(body.get("data")).pool.histograms.columns
    indices = read_request(body).columns
    if len(indices) > len(columns) or not all(0 <= index < len(columns) for index in indices):
        raise UsageError(f"columns: there are {len(columns)}")
    return b"".join(columns[index].codes.tobytes() for index in indices)


class File(NamedTuple):
    """A file to download: its name, media type and content."""

    name: str
    media_type: str
    content: bytes


def sample_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a sample, and return it with the commands that draw it again."""
    selection = open_selection(workspace, body)
    vectors = selection.vectors()
    bench = selection.preview()
    pool = selection.open_set.pool

    members = [
        {
            "row": pool.row_by_iri.get(member.iri, -1),
            "cluster": member.cluster,
            "weight": member.weight,
            "inclusion": member.inclusion,
            "values": list(member.values),
        }
        for member in bench.members
    ]

    clusters: list[list[int]] = []
    if len(bench.pool_clusters) < len(vectors):
        for iris in bench.pool_clusters:
            clusters.append([pool.row_by_iri.get(iri, -1) for iri in iris])

    # the command that draws the sample, and writes it in all formats
    request = selection.request
    query = selection.query.name
    if query not in ready_queries():
        query = f"{query}.rq"
    command = f"qaldgen sample {pool.file} -q {query}"
    command += f" -m {request.method} -n {request.size} --seed {request.seed}"
    if request.scaling != "max":
        command += f" --scale {request.scaling}"
    if request.missing != "drop":
        command += f" --missing {request.missing}"
    command += " -o bench.ttl -o bench.json -o bench.csv"

    return {
        "members": members,
        "features": column_labels(vectors),
        "clusters": clusters,
        "clusterNames": bench.cluster_names,
        "pool": len(vectors),
        "diversity": None if math.isnan(bench.diversity) else bench.diversity,
        "design": bench.design,
        "signature": bench.signature,
        "notes": [*vectors.notes, *bench.notes],
        "commands": [*pool.commands, command],
        "queryFile": f"{CUSTOM}.rq" if selection.query.name == CUSTOM else "",
    }


def figures_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Compare a sample with random samples of its size, which takes longer than drawing it."""
    selection = open_selection(workspace, body)
    figures = selection.open_set.once(
        ("figures", *selection.sample_key),
        lambda: quality.measure_quality(selection.preview(), selection.vectors()),
    )
    return {
        "sentence": figures.summary(),
        "repeated": figures.repeated,
        **_table(figures.table),
    }


def _table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a table for the page, with None for missing values."""
    table = frame.astype(object).where(frame.notna(), None)
    rows = [[str(name), *values] for name, *values in table.itertuples()]
    return {"columns": [str(name) for name in table.columns], "rows": rows}


def load_methods(_workspace: Workspace, _body: Mapping[str, Any]) -> dict[str, Any]:
    """Load the library of slow methods; the page asks for it when it is idle."""
    # scikit-learn takes two seconds of processor time, which is longer than most samples
    importlib.import_module("sklearn.cluster")
    return {}


def compare(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a sample with every method, and compare the samples."""
    selection = open_selection(workspace, body)
    size = selection.request.size
    seed = selection.request.seed

    def compare_all() -> dict[str, Any]:
        with collecting() as notes:
            table = quality.compare_methods(selection.vectors(), size, random_state=seed)
        return {**_table(table), "notes": list(notes)}

    return selection.open_set.once(("compared", *selection.key, size, seed), compare_all)


def download(workspace: Workspace, body: Mapping[str, Any]) -> File:
    """Return a file to save: the benchmark in one of `DOWNLOADS`, its signature, or the query."""
    selection = open_selection(workspace, body)
    request = selection.request
    form = request.form
    if form == "query":
        return File("selection.rq", "application/sparql-query", selection.query.text.encode())
    if form == "signature":
        line = f"{selection.preview().signature}\n"
        return File("signature.txt", "text/plain", line.encode())
    if form not in DOWNLOADS:
        raise UsageError(f"form: choose one of {', '.join([*DOWNLOADS, 'signature', 'query'])}")

    bench = selection.open_set.once(
        ("benchmark", *selection.sample_key),
        lambda: make_sample(
            selection.vectors(), request.size, method=request.method, random_state=request.seed
        ),
    )
    name, media_type = DOWNLOADS[form]
    _, content = render_files(bench, Path(name), format_of(Path(name)))[0]
    return File(name, media_type, content)


def screen_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report on the selected questions, for the page.

    Searching for weak spots takes most of the time; with ``quick`` it is skipped.
    """
    from qaldgen.plugins.explorer import system_scores  # it takes long to import
    from qaldgen.reports.page.page_data import page_data

    selection = open_selection(workspace, body)
    page = page_data(selection.report(search=not selection.request.quick))
    row_by_id = selection.open_set.once(
        "rows", lambda: system_scores.rows_by_id(selection.open_set.pool)
    )
    rows = [row_by_id[question_id] for question_id in page["ids"]]
    return {**page, "map": None, "entries": {}, "rows": rows}


def weakness_answer(workspace: Workspace, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a query for the selected questions that belong to a weak spot."""
    from qaldgen.plugins.explorer import system_scores  # it takes long to import

    selection = open_selection(workspace, body)
    spots = selection.report().weak.spots.get(selection.request.system, ())
    slice_by_name = {spot.slice.name: spot.slice for spot in spots}
    name = selection.request.spot
    if name not in slice_by_name:
        raise UsageError("the report no longer has this weak spot; open it again")
    pool = selection.open_set.pool
    text, n = system_scores.query_in_slice(pool, selection.query, slice_by_name[name])
    return {"text": text, "n": n}


#: A function that answers a request.
Answer: TypeAlias = Callable[[Workspace, Mapping[str, Any]], Any]
#: The function of each address.
ANSWERS: dict[str, Answer] = {
    "start": start_answer,
    "open-sets": open_sets,
    "open": open_named,
    "data": data_answer,
    "columns": columns_answer,
    "pool": pool_answer,
    "query": query_answer,
    "sample": sample_answer,
    "figures": figures_answer,
    "load-methods": load_methods,
    "compare": compare,
    "download": download,
    "screen": screen_answer,
    "weakness": weakness_answer,
    "remove-run": remove_run,
    "match": match_answer,
}

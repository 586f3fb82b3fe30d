"""Open a data set to look at.

Only what reads a file is imported here: the rest is imported while the file is read.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import shlex
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from qaldgen.errors import DataError, QaldgenError
from qaldgen.io.concurrency import in_background, without_garbage_collection
from qaldgen.plugins.explorer.time_limit import TimedStore, seconds_for
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.fetching import resolve
from qaldgen.questions.file_content import is_rdf
from qaldgen.questions.loading import load
from qaldgen.stores.local import DataSource, open_file

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.benchmark.gold import Gold
    from qaldgen.plugins.explorer.histograms import Histograms
    from qaldgen.selection.vectors import Vectors
    from qaldgen.sparql.ready_queries import Query

#: No options: the default way to read.
DEFAULTS: Mapping[str, Any] = MappingProxyType({})


@dataclasses.dataclass(eq=False)
class Pool:
    """A data set to look at."""

    name: str  # its name, for people
    id: str  # a hash of name and content
    source: TimedStore  # its features as RDF
    file: str  # the file that `qaldgen sample` takes, as commands name it
    #: The commands that make this file; empty if the data have features already.
    commands: tuple[str, ...]
    histograms: Histograms  # of its questions
    #: The first query of the page and its questions; DataError if no ready-made query selects any.
    first_selection: Future[tuple[Query, Vectors]]
    path: str  # the path that was opened
    #: The options of `load` with which it was read.
    load_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()  # remarks for users

    @functools.cached_property
    def row_by_iri(self) -> dict[str, int]:
        """The row of each question that has a text, as the page numbers them."""
        return {iri: row for row, iri in enumerate(self.histograms.ids)}

    @functools.cached_property
    def gold(self) -> Gold:
        """The questions with their answers; they are read on first use."""
        from qaldgen.benchmark.gold import load_gold

        return load_gold(self.path, ReadOptions(**self.load_options))

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """The features by question, as `slices` and `report` compute them."""
        from qaldgen.benchmark.question_features import features_of

        return features_of(self.gold)


def open_pool(
    name: str | Path,
    folder: Path,
    *,
    name_in_commands: str | None = None,
    load_options: Mapping[str, Any],
) -> Pool:
    """Open a data set to explore: RDF with features, or a question set, annotated first."""
    from qaldgen.plugins.explorer.histograms import make_histograms

    path = Path(resolve(name))
    # the file of the commands that the page shows, with the flags by which it is read
    file = shlex.quote(name_in_commands or str(name))
    for option, value in load_options.items():
        file += f" --{option.replace('_', '-')}"
        if value is not True:
            file += f" {shlex.quote(str(value))}"
    commands: tuple[str, ...] = ()
    if is_rdf(path) and load_options.keys() <= {"text_property"}:
        store = open_file(path, whole=True, **load_options)
        notes = tuple(store.notes)
    else:
        from qaldgen.annotation.annotate import annotate

        annotation = annotate(load(path, **load_options))
        features = folder / "features.ttl"
        annotation.save(features)
        store = open_file(features, whole=True)
        notes = (*store.notes, *annotation.notes)
        commands = (f"qaldgen annotate {file} -o {features.name}",)
        file = features.name

    source = TimedStore(store, seconds_for(len(store)))
    display_name = path.name if str(name) == str(path) else str(name)
    # in the background, as its queries run in processes of their own
    first_selection = in_background(lambda: _select_first(display_name, source))
    with without_garbage_collection():
        histograms = make_histograms(store)

    return Pool(
        name=display_name,
        id=hashlib.sha256(f"{display_name}\n{store.sha256}".encode()).hexdigest()[:12],
        source=source,
        file=file,
        commands=commands,
        histograms=histograms,
        first_selection=first_selection,
        path=str(path),
        load_options=load_options,
        notes=notes,
    )


def _select_first(name: str, source: DataSource) -> tuple[Query, Vectors]:
    """Return the first ready-made query that selects questions, with these questions."""
    from qaldgen.selection.select import TEXTS, default_query, select
    from qaldgen.sparql.ready_queries import read_query

    queries = [default_query(source)]
    for other_name in ("annotated", TEXTS):
        if other_name != queries[0].name:
            queries.append(read_query(other_name))
    for query in queries:
        try:
            # without an explanation why a query selects nothing, which takes many queries
            return query, select(source, query, explain=False)
        except QaldgenError:
            continue
    names = ", ".join(query.name for query in queries)
    raise DataError(
        f"none of the ready-made queries ({names}) selects a question, as the data use other"
        " properties; write your own query",
        where=name,
    )

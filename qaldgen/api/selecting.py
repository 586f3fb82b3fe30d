"""Select questions and their features, and describe the data they come from."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.annotation.annotate import Annotation, annotate
from qaldgen.datasets.fetching import resolve
from qaldgen.errors import DataError, UsageError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of
from qaldgen.formats.content import load_content
from qaldgen.formats.plain_write import dump_records
from qaldgen.formats.reading import read_questions, recognise
from qaldgen.io.inputs import is_folder
from qaldgen.model import QuestionSet
from qaldgen.rdf.terms import PREFIXES
from qaldgen.selection.columns import file_columns
from qaldgen.selection.description import Description, describe_data
from qaldgen.selection.dropped import Losses, find_losses
from qaldgen.selection.select import USUAL, open_data, select, usual_query
from qaldgen.selection.vectors import Vectors, check_rules
from qaldgen.sparql.queries import Query, read_query
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.engine import check_syntax
from qaldgen.stores.local import DataSource, open_file

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = [
    "DataSource",
    "Description",
    "Endpoint",
    "Losses",
    "Query",
    "check_rules",
    "describe",
    "open_data",
    "open_file",
    "read_query",
    "select",
]

#: What data about questions can be given as.
AnyData: TypeAlias = "str | Path | Graph | DataSource | Annotation | QuestionSet"


def describe(data: AnyData) -> Description:
    """Describe data about questions.

    Properties and how many questions have them, languages, ready queries that fit.

    Parameters
    ----------
    data
        An RDF file, the URL of a SPARQL endpoint, an rdflib Graph, what `annotate` or `open_data`
        returns; or a question set, whose features are computed first.

    Returns
    -------
    Description
        Tables, and the notes.

    Raises
    ------
    DataError
        If the data cannot be read.
    """
    return describe_data(open_data(annotate(data) if isinstance(data, QuestionSet) else data))


def open_features(data: str | Path, *, progress: Callable[[int], None] | None = None) -> DataSource:
    """Open feature data; for a question set without features, say how to compute them.

    Parameters
    ----------
    data
        An RDF file.
    progress
        Called with the number of bytes that were read.

    Raises
    ------
    DataError
        If it cannot be read, or holds no features.
    """
    path = Path(data)
    try:
        return open_file(path, progress=progress)
    except DataError as error:
        form = _form_of_questions(path)
        # Problems with RDF have their own messages.
        if form in {"", "rdf", "sparql-examples"}:
            raise
        features = f"{path.name.partition('.')[0]}-features.ttl"
        told = f"qaldgen annotate {shlex.quote(str(data))} -o {shlex.quote(features)}"
        raise DataError(
            f"is a question set ({form}) without features. Run {told}, and use {features} here",
            where=data,
        ) from error


def _form_of_questions(path: Path) -> str:
    """Return the format of a question set; empty for anything else."""
    try:
        return recognise(load_content(path))
    except (DataError, UsageError):
        return ""


def open_any(data: str | Path) -> DataSource:
    """Open data about questions: RDF as it is.

    Of a question set in another form the features are computed first.

    Parameters
    ----------
    data
        A file, or the name of a public question set.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    path = resolve(data)
    if not is_folder(Path(path)) and load_content(Path(path)).kind == "rdf":
        return open_file(Path(path))
    # question sets are annotated first: then they are data like any other
    return annotate(read_questions(path)).store()


def labels_of_properties(names: Iterable[str]) -> list[str]:
    """Return the labels of the features with these properties.

    Empty for properties that are no features.

    Parameters
    ----------
    names
        IRIs, or with the prefixes that `describe` writes.
    """
    terms = {feature.term: name for name, feature in all_features().items()}
    found = []
    for name in names:
        prefix, _, rest = name.partition(":")
        term = PREFIXES[prefix] + rest if prefix in PREFIXES else name
        found.append(label_of(terms[term]) if term in terms else "")
    return found


def losses(source: DataSource, query: Query | None = None) -> tuple[Losses, Query]:
    """Report which pattern of a selection loses how many questions.

    Parameters
    ----------
    source
        Open data.
    query
        The selection; None for the one that `select` would take.

    Returns
    -------
    tuple of Losses and Query
        What is lost, and by which query.
    """
    chosen = query or usual_query(source)
    return find_losses(source, chosen.text), chosen


def parsed_query(query: str, *, local: bool) -> Query:
    """Read a query; one for a local file must parse, an endpoint has its own parser.

    Parameters
    ----------
    query
        A file, or the name of a ready query.
    local
        Whether it is for a local file.

    Raises
    ------
    UsageError
        If there is no such query, or it does not parse.
    """
    chosen = read_query(query)
    # an endpoint may know prefixes and functions that our parser does not
    if local:
        try:
            check_syntax(chosen.text)
        except UsageError as error:
            raise UsageError(f"{chosen.name}: {error}") from error
    return chosen


def query_text(query: Query | None) -> str:
    """Return the text of a query.

    Where none is named, those that may be taken, one after the other.
    """
    return query.text if query else "\n".join(read_query(name).text for name in USUAL)


def dump_vectors(vectors: Vectors, form: str, *, scaled: bool = False) -> str | bytes:
    """Return a selection as a table.

    Parameters
    ----------
    vectors
        What `select` returned.
    form
        ``csv`` or ``jsonl``.
    scaled
        Whether to write the normalised values instead of those selected.
    """
    names, values = (
        file_columns(vectors.features),
        (vectors.matrix if scaled else vectors.raw).tolist(),
    )
    rows = (
        {"iri": iri, **dict(zip(names, row, strict=True))}
        for iri, row in zip(vectors.ids, values, strict=True)
    )
    return dump_records(rows, form)

"""Select questions: data and query in, feature vectors out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.errors import DataError, QaldgenError, UnknownFormat, UsageError
from qaldgen.features.catalogue import all_features
from qaldgen.features.r1_compat import legacy_terms
from qaldgen.io.inputs import is_folder, is_web_address
from qaldgen.io.progress import step
from qaldgen.model import QuestionSet
from qaldgen.options import ConditionText, MissingFeatures, PathOrName, Property, Scalings
from qaldgen.questions.fetching import resolve
from qaldgen.questions.file_content import InMemory, is_in_memory, is_plain_json, load_content
from qaldgen.questions.loading import load
from qaldgen.questions.reading import reading_notes, recognise
from qaldgen.rdf.rdf_file import may_be_records
from qaldgen.rdf.terms import LSQ, QALDGEN
from qaldgen.selection.dropped import Losses, count_pool, find_losses
from qaldgen.selection.vectors import Vectors, build_vectors, check_rules, label_notes
from qaldgen.selection.where import conditions_of, parse_conditions, restrict
from qaldgen.sparql.clauses import question_variable, split_select
from qaldgen.sparql.ready_queries import Query, read_query
from qaldgen.sparql.tokens import expand_name, read_prologue, tokenize
from qaldgen.stores.local import DataSource, LocalStore, check_syntax, open_file, open_graph

if TYPE_CHECKING:
    from rdflib import Graph

    from qaldgen.annotation.annotate import Annotation

#: Data about questions.
Data: TypeAlias = "str | Path | Graph | DataSource | Annotation | QuestionSet | InMemory"
#: The default queries: for the published data, for other data with queries, and for texts only.
PAPER = "listing-1.2"
ANNOTATED = "annotated"
TEXTS = "text"
DEFAULT_QUERIES = (PAPER, ANNOTATED, TEXTS)
_DEFAULT_REASONS = {
    ANNOTATED: f"the features are those of 'annotate', so -q {ANNOTATED} is used",
    TEXTS: f"the data have no gold queries, so -q {TEXTS} is used",
}


def open_data(data: Data, *, text_property: Property = "") -> DataSource:
    """Open a file or an endpoint; pass on graphs, annotated questions and open sources.

    Parameters
    ----------
    data
        A file, the URL of an endpoint, an rdflib graph, or what `annotate` returns; or a question
        set, whose features are computed first.
    text_property
        Property with the texts of the questions in an RDF file of another vocabulary.

    Returns
    -------
    DataSource
        A source that answers SELECT and ASK queries.

    Raises
    ------
    DataError
        If the file or graph cannot be read or is empty.

    Examples
    --------
    >>> open_data([{"question": "Who is she?"}]).ask("ASK { ?question ?property 'Who is she?'@en }")
    True
    """
    if isinstance(data, str) and is_web_address(data):
        from qaldgen.stores.endpoint import Endpoint

        return Endpoint(data)
    if isinstance(data, (str, Path)):
        return _open_path(resolve(Path(data)), text_property)

    from qaldgen.annotation.annotate import Annotation

    if isinstance(data, Annotation):
        return data.store()
    if isinstance(data, DataSource):
        return data
    if isinstance(data, QuestionSet):
        return _annotate_set(data)
    if is_in_memory(data):
        return _annotate_set(load(data))  # type: ignore[arg-type]
    if hasattr(data, "serialize"):  # an rdflib graph; asking for its class loads rdflib
        return open_graph(data)  # type: ignore[arg-type]
    raise UsageError(
        f"a {type(data).__name__} is no data to select from; give an RDF file, the URL of an"
        " endpoint, an rdflib graph, or what annotate or open_data returns"
    )


def _open_path(path: Path, text_property: str) -> DataSource:
    """Open an RDF file, or compute the features of a question set."""
    # any JSON is JSON-LD to a parser: a name like dc:title alone makes a statement of a record
    if not is_folder(path) and not is_plain_json(path):
        try:
            return open_file(path, text_property=text_property)
        except DataError:
            # The message of the RDF parser is for files that are no question sets.
            format_name = ""
            try:
                format_name = recognise(load_content(path))
            except UnknownFormat:
                if may_be_records(path):
                    raise
            except (DataError, UsageError):
                pass
            if format_name in {"", "rdf", "sparql-examples"}:
                raise
    return _annotate_set(load(path, text_property=text_property))


def _annotate_set(questions: QuestionSet) -> DataSource:
    """Return a question set as data, with the features of its questions."""
    from qaldgen.annotation.annotate import annotate
    from qaldgen.annotation.language_detection import language_notes

    annotation = annotate(questions)
    store = annotation.store()
    store.sha256 = questions.sha256
    store.notes = [
        *reading_notes(questions),
        *annotation.notes,
        *language_notes(questions, annotation.language),
        f"{questions.name} is a question set ({questions.format}); its features are computed on the"
        " way ('qaldgen annotate' keeps them in a file)",
    ]
    return store


def _is_remote(data: Data) -> bool:
    """Return whether the data is behind an endpoint.

    An endpoint parses queries itself, and may know prefixes that they do not declare.
    """
    if isinstance(data, str):
        return is_web_address(data)
    return isinstance(data, DataSource) and not isinstance(data, LocalStore)


def select(
    data: Data,
    query: PathOrName | Query | None = None,
    *,
    scaling: Scalings = "max",
    missing: MissingFeatures = "drop",
    where: Sequence[ConditionText] = (),
    explain: bool = True,
) -> Vectors:
    """Select questions and their features with one SPARQL query, and normalise them.

    Parameters
    ----------
    data
        An RDF file, the URL of a SPARQL endpoint, an rdflib Graph, what `annotate` returns, or what
        `open_data` returns; or a question set, its file, name, DataFrame or list of dicts, whose
        features are computed first.
    query
        Selection query: a file, or the name of a ready-made query. Default: text for data without
        gold queries, annotated for those of 'annotate', else listing-1.2.

        Or its text. The question is ``?qId``, or else the first variable; every other variable is a
        feature.
    scaling
        How features are normalised.
    missing
        What to do with a question where a feature is unbound.
    where
        Select only questions that fulfil a condition, such as 'tps > 2' or 'answerType =
        date|number'; all conditions, if there are several.

        Names are those of features, of variables of the query, or of properties of the questions;
        operators are ``= != < <= > >=``. A question without the feature fulfils no condition.
        Conditions become part of the query, and of the signature of a sample. See
        `qaldgen.selection.where.parse_conditions`.
    explain
        Whether to find out why a query selects nothing, which takes a query for each pattern.

    Returns
    -------
    Vectors
        With `source` and `query` set, so that a benchmark can be made of them.

    Raises
    ------
    UsageError
        If the query is not a SELECT query or does not parse.
    DataError
        If the data cannot be read, or the query selects nothing; the message says which pattern
        loses the questions.

    Examples
    --------
    >>> import rdflib
    >>> turtle = "<http://x.org/q1> <http://x.org/length> 7 ."
    >>> graph = rdflib.Graph().parse(data=turtle, format="turtle")
    >>> select(graph, "SELECT ?qId ?n { ?qId <http://x.org/length> ?n }").raw.tolist()
    [[7.0]]
    """
    check_rules(scaling, missing)

    source, selection = open_with_query(data, query, where)
    with step("selecting"), _naming_query(selection):
        rows = source.select(selection.text)
    if not rows.rows:
        reason = explain_empty(source, selection) if explain else ""
        raise DataError(f"{selection.name}: selects no questions. {reason}".strip())

    try:
        vectors = build_vectors(
            rows,
            question_variable(selection.text, rows.variables),
            scaling=scaling,
            missing=missing,
            skip_empty=selection.name == TEXTS,  # its features need rules of a language or a model
        )
    except QaldgenError as error:
        raise type(error)(f"{selection.name}: {error}") from error

    notes = list(dict.fromkeys(getattr(source, "notes", ())))
    if query is None and selection.name in _DEFAULT_REASONS:
        notes.append(f"{_DEFAULT_REASONS[selection.name]}; choose another selection with -q")
    if vectors.dropped:
        notes += label_notes(vectors.missing_counts)
    notes += _loss_notes(source, selection, rows.variables, len(vectors) + vectors.dropped)
    notes += vectors.notes

    return dataclasses.replace(vectors, source=source, query=selection, notes=tuple(notes))


def open_with_query(
    data: Data, query: str | Path | Query | None = None, where: Sequence[str] = ()
) -> tuple[DataSource, Query]:
    """Return open data, and the query with conditions added to it.

    Mistakes in the query and the conditions are reported before a file is read.
    """
    for condition in where:
        parse_conditions(condition)
    if query is None:
        source = open_data(data)
        return source, restrict(default_query(source), where, source)
    selection = read_query(query)
    # An endpoint may know prefixes and functions that our parser does not.
    if not _is_remote(data):
        with _naming_query(selection):
            check_syntax(selection.text)
    source = open_data(data)
    return source, restrict(selection, where, source)


@contextmanager
def _naming_query(query: Query) -> Iterator[None]:
    """Put the name of the query before the message of a UsageError in the block."""
    try:
        yield
    except UsageError as error:
        raise UsageError(str(error), where=query.name) from error


def default_query(source: DataSource) -> Query:
    """Return the default query: ``text`` for texts only, ``annotated`` or ``listing-1.2``."""
    annotated = isinstance(source, LocalStore) and _has_property(source, f"{QALDGEN}charCount")
    if not annotated or _has_property(source, f"{LSQ}tps"):  # the names of the published data
        return read_query(PAPER)
    if _has_property(source, f"{LSQ}tpCount"):
        return read_query(ANNOTATED)
    return read_query(TEXTS)


def _has_property(source: DataSource, term: str) -> bool:
    return source.ask(f"ASK {{ ?q <{term}> ?n }}")


def _loss_notes(
    source: DataSource, query: Query, variables: Sequence[str], n_selected: int
) -> list[str]:
    """Return notes on the questions that the patterns leave out; none for an endpoint."""
    if not isinstance(source, LocalStore) or split_select(query.text).tail:
        return []
    n_pool = count_pool(source, query.text, variables)
    if n_pool <= n_selected:
        return []

    if conditions_of(query.text):
        cause = "its conditions leave out others"
    else:
        cause = "`dropped` shows which patterns lose the others"
    loss = f"{query.name}: selects {n_selected:,} of {n_pool:,} questions; {cause}"
    return [loss, *label_notes([query.text])]


def explain_empty(source: DataSource, query: Query) -> str:
    """Explain, as far as possible, why a query selects nothing."""
    if not source.ask("ASK { ?s ?p ?o }"):
        return f"{source.name} has no triples in its default graph"

    try:
        losses = find_losses(source, query.text)
    except QaldgenError as error:
        return f"The reason could not be determined ({error})"
    if losses.pool == 0:
        return (
            "None of its patterns occurs in the data; compare its prefixes and properties with the"
            " data's. 'qaldgen annotate' computes the features of the ready queries"
        )
    published_names = _published_names(query, losses)
    if published_names:
        return (
            f"No question has {', '.join(published_names)}, names of the published data; use"
            " `query='annotated'`, or 'qaldgen annotate' with `r1_compat`"
        )

    if losses.left or not losses.culprits:
        return "Each pattern is satisfied, but not its GROUP BY, HAVING, LIMIT or OFFSET"
    sentence = losses.sentence()
    reason = sentence[0].upper() + sentence[1:]
    return ". ".join([reason, *label_notes(loss.pattern for loss in losses.culprits)])


def _published_names(query: Query, losses: Losses) -> list[str]:
    """Return names that only the published data use, in patterns that no question satisfies."""
    prefixes = read_prologue(tokenize(query.text)).prefixes
    feature_iris = {f"<{feature.term}>" for feature in all_features().values()}
    published_iris = {f"<{term}>" for term in legacy_terms()} - feature_iris
    names = []
    for loss in losses.losses:
        iris: dict[str, str | None] = {}
        for token in tokenize(loss.pattern):
            if token.kind == "iri":
                iris[token.text] = token.text
            elif token.kind == "name":
                iris[token.text] = expand_name(token.text, prefixes)
        if not loss.having and feature_iris.isdisjoint(iris.values()):
            names += [name for name, iri in iris.items() if iri in published_iris]
    return names

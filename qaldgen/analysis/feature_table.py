"""The features of the gold questions as a table, and slices by names and by SPARQL."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence

import pandas as pd

from qaldgen.analysis.slices.clusters import cluster_slices
from qaldgen.analysis.slices.slicing import Slice, cross, slices_by
from qaldgen.annotation.annotate import annotate
from qaldgen.annotation.statements import question_iri
from qaldgen.errors import DataError, UsageError
from qaldgen.features.cache import cache_file
from qaldgen.features.compute import Complaint, compute_features, problem_notes
from qaldgen.features.own_columns import own_columns, own_values
from qaldgen.io.arguments import texts
from qaldgen.io.progress import step
from qaldgen.scoring.gold import AnyGold, Gold, as_gold
from qaldgen.sparql.ready_queries import Query, chosen_by, read_query
from qaldgen.stores.local import LocalStore, check_syntax

#: The column for the cluster of a question in its benchmark.
CLUSTER = "cluster"
#: The ready-made query with the features by which the questions of a slice are compared when a
#: sample is drawn from it.
COMPARED = "annotated"


def features_of(gold: Gold, *, language: str = "en") -> tuple[pd.DataFrame, list[str]]:
    """Return the features of gold questions, and what could not be computed."""
    # one row per question (index: its id), one column per feature, None where missing; ``cluster``
    # last if the gold questions have clusters
    questions, problems = gold.questions.questions, list[Complaint]()
    with step("features", len(questions)) as advance:
        values = compute_features(
            questions,
            language=language,
            # loading the model in another process pays off from about a thousand questions
            n_jobs=min(os.cpu_count() or 1, 1 + len(questions) // 1000, 4),
            cache=cache_file(),
            progress=advance,
            complain=problems.append,
        )
    own = own_values(questions, own_columns(questions))
    table = pd.DataFrame(
        [{**computed, **said} for computed, said in zip(values, own, strict=True)],
        index=pd.Index([question.id for question in questions], name="id"),
        dtype=object,
    )
    if gold.clusters:
        table[CLUSTER] = [gold.clusters.get(question.id) for question in questions]
        table.attrs[CLUSTER] = dict(gold.cluster_names)
    return table, problem_notes(problems, questions)


def slices_of(
    gold: Gold, by: str | Sequence[str], where: str | Sequence[str], *, language: str = "en"
) -> tuple[list[Slice], list[str]]:
    """Return the slices by features and by SPARQL queries, and what could not be computed."""
    # see `named_slices` and `query_slices`
    slices, problems = list[Slice](), list[str]()
    if by:
        table, problems = features_of(gold, language=language)
        slices = named_slices(table, texts(by))
    return slices + query_slices(gold, texts(where), language=language), problems


def named_slices(table: pd.DataFrame, by: Sequence[str]) -> list[Slice]:
    """Return the slices by feature, as the option ``--by`` names them."""
    slices: list[Slice] = []
    for text in by:
        groups = [_slices_of(table, name.strip()) for name in text.split(",")]
        slices += groups[0] if len(groups) == 1 else cross(*groups)
    return list({slice_.name: slice_ for slice_ in slices}.values())


def _slices_of(table: pd.DataFrame, name: str) -> list[Slice]:
    if name != CLUSTER:
        return slices_by(table, name)
    if CLUSTER not in table:
        raise UsageError(
            "the gold questions have no clusters;"
            " name the benchmark that has them with --clusters bench.ttl"
        )
    return cluster_slices(table, CLUSTER, table.attrs.get(CLUSTER))


def query_slices(gold: Gold, queries: Sequence[str], *, language: str = "en") -> list[Slice]:
    """Return the slices that SPARQL queries select from the annotated questions."""
    # each is named after its query
    read = slice_queries(queries)
    if not read:
        return []
    stores = [
        annotate(gold.questions, language=language, cache=cache_file(), r1_compat=old).store()
        for old in (False, True)
    ]
    ids = {
        question_iri(gold.questions, question): question.id for question in gold.questions.questions
    }
    slices = []
    for query in read:
        # Queries may use our property names, or those of the published data (release 1).
        chosen = (_selected(store, query.text, ids) for store in stores)
        members = next((some for some in chosen if some), ())
        if not members:
            raise DataError(
                f"{query.name}: selects none of the {len(ids)} questions;"
                " is the first variable the question?"
            )
        slices.append(Slice(query.name, members, query=query.text, chosen_by=chosen_by(query.text)))
    return slices


def slice_queries(names: Sequence[str]) -> list[Query]:
    """Read the queries that select slices."""
    read = [read_query(name) for name in names]
    for query in read:
        try:
            check_syntax(query.text)
        except UsageError as error:
            raise UsageError(f"{query.name}: {error}") from error
    return read


def _selected(store: LocalStore, query: str, ids: Mapping[str, str]) -> tuple[str, ...]:
    iris = {str(getattr(row[0], "value", "")) for row in store.select(query).rows}
    return tuple(id_ for iri, id_ in ids.items() if iri in iris)


def sampling_query(slice_: Slice) -> str:
    """Return a query for ``qaldgen sample -q``: the questions of a slice with their features."""
    # the comment of the ready query speaks of all questions
    lines = read_query(COMPARED).text.splitlines(keepends=True)
    ready = "".join(itertools.dropwhile(lambda line: line.startswith("#"), lines))
    return slice_.query or f"# {slice_.label} ({slice_.name})\n{slice_.restrict(ready)}"


def feature_examples(
    name: str, data: AnyGold, *, language: str = "en", most: int = 3
) -> pd.DataFrame:
    """Return ``questions`` (the value in words; a number is cut into ranges), ``n``, ``examples``.

    Parameters
    ----------
    name, data
        The feature, and the questions.
    language
        Language of the questions in DATA.
    most
        How many examples each value gets.
    """
    gold = as_gold(data, language=language)
    table = features_of(gold, language=language)[0]
    texts = {question.id: question.text(language) for question in gold.questions.questions}
    rows = [
        (part.label, len(part), " / ".join(texts[id_] for id_ in part.ids[:most]))
        for part in slices_by(table, name)
    ]
    return pd.DataFrame(rows, columns=["questions", "n", "examples"])

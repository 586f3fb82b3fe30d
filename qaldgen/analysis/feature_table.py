"""The features of the gold questions as a table, and slices by names and by SPARQL."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from qaldgen.analysis.slices.cluster_slices import cluster_slices
from qaldgen.analysis.slices.slicing import Slice, cross, slices_by
from qaldgen.annotation.annotate import annotate
from qaldgen.annotation.statements import question_iri
from qaldgen.benchmark.gold import AnyGold, Gold, as_gold
from qaldgen.benchmark.question_features import CLUSTER, features_of
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.features.cache import cache_file
from qaldgen.features.catalogue import all_features
from qaldgen.features.own_columns import OWN_COLUMNS
from qaldgen.io.arguments import as_texts
from qaldgen.scoring.evaluation import SAVED, Evaluation
from qaldgen.selection.where import condition_pattern, parse_conditions, rows_fulfilling
from qaldgen.sparql.ready_queries import Query, chosen_by, read_query
from qaldgen.stores.local import check_syntax

#: The ready-made query for the features by which questions of a slice are sampled.
_FEATURE_QUERY = "annotated"
#: Conditions on features, as texts, and SPARQL queries.
Where: TypeAlias = str | Query | Sequence[str | Query]
#: The most examples of a value.
_MAX_EXAMPLES = 3


def slices_of(evaluation: Evaluation, by: str | Sequence[str], where: Where) -> list[Slice]:
    """Return the slices by features, by conditions and by SPARQL queries."""
    slices = slices_by_features(evaluation.features, as_texts(by)) if by else []
    return slices + slices_by_conditions(evaluation, where)


def slices_by_conditions(evaluation: Evaluation, where: Where) -> list[Slice]:
    """Return the slice of each condition, then that of each SPARQL query.

    A condition is a text such as "tps > 2 and whType = who".
    """
    if isinstance(where, (str, Query)):
        where = [where]
    slices: list[Slice] = []
    queries: list[Query] = []
    for text in where:
        if isinstance(text, Query):
            queries.append(text)
            continue

        table = evaluation.features
        conditions = parse_conditions(text)
        members = table.index[rows_fulfilling(table, conditions)]
        if members.empty:
            raise DataError(f"where {text}: no question fulfils it")

        features = table.attrs.get(OWN_COLUMNS, {}) | all_features()
        patterns = [condition_pattern(condition, features) for condition in conditions]
        slice_ = Slice(
            " and ".join(map(str, conditions)),
            tuple(map(str, members)),
            "\n".join(patterns) if all(patterns) else "",
            features=tuple(condition.feature for condition in conditions),
        )
        slices.append(slice_)

    return slices + slices_by_queries(evaluation.gold, queries, language=evaluation.language)


def slices_by_features(table: pd.DataFrame, by: Sequence[str]) -> list[Slice]:
    """Return the slices by features; `by` names features, with commas those that are crossed."""
    slices: list[Slice] = []
    for names in by:
        groups = []
        for name in map(str.strip, names.split(",")):
            if name != CLUSTER:
                groups.append(slices_by(table, name))
                continue
            if CLUSTER not in table:
                raise UsageError(
                    "the gold questions have no clusters; name the benchmark that has them with"
                    " `clusters`"
                )
            groups.append(cluster_slices(table, table.attrs.get(CLUSTER)))
        if len(groups) == 1:
            slices += groups[0]
        else:
            slices += cross(*groups)
    # a feature may be named twice, alone or in two combinations
    return list({slice_.name: slice_ for slice_ in slices}.values())


def slices_by_queries(
    gold: Gold, queries: Sequence[Query], *, language: str = LANGUAGE
) -> list[Slice]:
    """Return the slices that SPARQL queries select from the annotated questions."""
    queries = read_slice_queries(queries)
    if not queries:
        return []
    if gold.questions.format == SAVED:
        raise UsageError(
            "queries select among annotated questions, of which a table of scores has only"
            " features; name one, or give the questions and the runs",
            where=gold.source,
        )

    annotation = annotate(gold.questions, language=language, cache=cache_file())
    # queries may use our property names, or those of the published data (release 1)
    stores = [annotation.store(), dataclasses.replace(annotation, r1_compat=True).store()]
    ids = {question_iri(gold.questions, question): question.id for question in gold.questions}

    slices = []
    for query in queries:
        members: tuple[str, ...] = ()
        for store in stores:
            iris = {str(getattr(row[0], "value", "")) for row in store.select(query.text).rows}
            members = tuple(question_id for iri, question_id in ids.items() if iri in iris)
            if members:
                break
        if not members:
            raise DataError(
                f"selects none of the {len(ids)} questions; is the first variable the question?",
                where=query.name,
            )
        slices.append(Slice(query.name, members, query=query.text, chosen_by=chosen_by(query.text)))

    return slices


def read_slice_queries(names: Sequence[str | Path | Query]) -> list[Query]:
    """Read the queries that select slices."""
    queries = [read_query(name) for name in names]
    for query in queries:
        try:
            check_syntax(query.text)
        except UsageError as error:
            raise UsageError(str(error), where=query.name) from error
    return queries


def sampling_query(slice_: Slice) -> str:
    """Return a query for ``qaldgen sample -q``: the questions of a slice with their features."""
    if slice_.query:
        return slice_.query
    # the comment of the ready query speaks of all questions
    lines = read_query(_FEATURE_QUERY).text.splitlines(keepends=True)
    query = "".join(itertools.dropwhile(lambda line: line.startswith("#"), lines))
    return f"# {slice_.label} ({slice_.name})\n{slice_.restrict(query)}"


def feature_examples(name: str, data: AnyGold, *, language: str = LANGUAGE) -> pd.DataFrame:
    """Return a row for each value of a feature, with examples; numbers are cut into ranges.

    The columns are ``questions`` (the value in words), ``n`` and ``examples``.

    Parameters
    ----------
    name, data
        The feature, and the questions.
    language
        Language of the questions in DATA.
    """
    gold = as_gold(data, language=language)
    table = features_of(gold, language=language)
    text_by_id = {question.id: question.text(language) for question in gold.questions}
    rows = []
    for part in slices_by(table, name):
        examples = [text_by_id[question_id] for question_id in part.ids[:_MAX_EXAMPLES]]
        rows.append((part.label, len(part), " / ".join(examples)))
    return pd.DataFrame(rows, columns=["questions", "n", "examples"])

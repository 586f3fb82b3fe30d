"""The features of gold questions as a table, by which views slice."""

from __future__ import annotations

import os

import pandas as pd

from qaldgen.annotation.statements import set_name
from qaldgen.benchmark.gold import Gold
from qaldgen.defaults import LANGUAGE
from qaldgen.features.cache import cache_file
from qaldgen.features.compute import stream_features
from qaldgen.features.feature_notes import Complaint, problem_notes
from qaldgen.features.own_columns import OWN_COLUMNS, own_columns, own_values
from qaldgen.io.notes import note
from qaldgen.io.progress import step

#: The column for the cluster of a question in its benchmark.
CLUSTER = "cluster"


def features_of(gold: Gold, *, language: str = LANGUAGE) -> pd.DataFrame:
    """Return the features of gold questions; notes say what could not be computed.

    One row per question (index: its id), one column per feature, None where missing; ``cluster``
    last if the gold questions have clusters.
    """
    questions = gold.questions.questions

    problems = list[Complaint]()
    with step("features", len(questions)) as advance:
        feature_rows = stream_features(
            questions,
            language=language,
            # loading the model in another process pays off from about a thousand questions
            n_jobs=min(os.cpu_count() or 1, 1 + len(questions) // 1000, 4),
            cache=cache_file(),
            progress=advance,
            complain=problems.append,
        )
        values = list(feature_rows)

    columns = own_columns(questions, set_name(gold.questions))
    stated_values = own_values(questions, columns)
    table = pd.DataFrame(
        [computed | stated for computed, stated in zip(values, stated_values, strict=True)],
        index=pd.Index([question.id for question in questions], name="id"),
        dtype=object,
    )
    table.attrs[OWN_COLUMNS] = columns

    if gold.clusters:
        table[CLUSTER] = [gold.clusters.get(question.id) for question in questions]
        table.attrs[CLUSTER] = dict(gold.cluster_names)

    note(*problem_notes(problems, questions))
    return table

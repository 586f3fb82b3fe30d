"""Notes on features that could not be computed, or that lack a prefix or a label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from qaldgen.features.query.query_features import FeatureValue
from qaldgen.io.text import count, few
from qaldgen.model import Question
from qaldgen.sparql.repair import unknown_prefixes

#: The problem of a question whose query is not SPARQL; its note counts only questions with queries.
UNPARSABLE = "its query cannot be parsed"
#: For each type of resource, the feature that counts it and one that needs labels.
_LABELLED = {
    "entities": ("totalEntities", "avgEntitiesWords"),
    "relations": ("totalRelations", "avgRelationsWords"),
    "classes": ("totalClasses", "avgClassesWords"),
}
#: The features that `prefix_notes` and `label_notes` read.
NOTED = frozenset(chain.from_iterable(_LABELLED.values())) | {"repairKinds"}


class Problem(NamedTuple):
    """Features that could not be computed for a question, and why."""

    statement: str  # a sentence without its full stop, such as "its text has no features"
    reason: str  # on one line


#: A question, and what could not be computed for it.
Complaint: TypeAlias = tuple[Question, Problem]


def problem_notes(complaints: Sequence[Complaint], questions: Sequence[Question]) -> list[str]:
    """Summarise what could not be computed, with the first questions and reasons.

    >>> question = Question("7", {})
    >>> problem = Problem("its text has no features", "it is too long")
    >>> problem_notes([(question, problem)], [question])
    ['its text has no features: 1 of 1 questions (7: it is too long)']
    """
    groups: dict[str, list[str]] = {}
    for question, problem in complaints:
        groups.setdefault(problem.statement, []).append(f"{question.id}: {problem.reason}")
    notes = []
    for statement, group in groups.items():
        reasons = few(group, separator="; ")
        if statement == UNPARSABLE:
            notes.append(
                f"{len(group):,} of {_count_queries(questions):,} queries cannot be parsed; they"
                f" have no features ({reasons})"
            )
        else:
            notes.append(f"{statement}: {len(group):,} of {len(questions):,} questions ({reasons})")
    return notes


def prefix_notes(
    questions: Sequence[Question], values: Iterable[Mapping[str, FeatureValue]]
) -> Iterator[str]:
    """Yield notes on queries with unknown prefixes."""
    ids = list[str]()
    prefixes = dict[str, None]()
    for question, features in zip(questions, values, strict=True):
        repairs = features.get("repairKinds")
        if isinstance(repairs, frozenset) and "unknown-prefix" in repairs:
            ids.append(question.id)
            prefixes |= dict.fromkeys(unknown_prefixes(question.sparql))
    if ids:
        yield (
            f"{len(ids):,} of {_count_queries(questions):,} queries use unknown prefixes:"
            f" {few(prefixes)} ({few(ids)}). Only their structure has features"
        )


def label_notes(values: Sequence[Mapping[str, FeatureValue]]) -> Iterator[str]:
    """Yield a note on features that are left out since no label is known, and on the remedy.

    >>> (note,) = label_notes([{"totalEntities": 1, "avgEntitiesWords": 2.0}, {"totalEntities": 1}])
    >>> note.partition(":")[0]
    'no label is known of the entities of 1 question'
    """
    phrases = []
    for noun, (count_feature, words_feature) in _LABELLED.items():
        unlabelled = [row for row in values if row.get(count_feature) and words_feature not in row]
        if unlabelled:
            phrases.append(f"the {noun} of {count(len(unlabelled), 'question')}")
    if phrases:
        yield (
            f"no label is known of {' and '.join(phrases)}: their numbers of words"
            " (totalWords..., avg...Words) and whether the question says them (isExplicit...) are"
            " left out. Labels bring them: annotate with `labels`, a table of IRI and label or an"
            " endpoint"
        )


def _count_queries(questions: Iterable[Question]) -> int:
    """Return the number of questions with a query."""
    return sum(bool(question.sparql.strip()) for question in questions)

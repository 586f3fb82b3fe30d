"""How far a query is from those of a training split: the levels of generalisation of GrailQA."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from qaldgen.features.query.query_features import FeatureValue
from qaldgen.features.resources import resources_by_query
from qaldgen.model import Question

#: The levels of generalisation, from near to far.
LEVELS = ("iid", "compositional", "zero-shot")
#: The relations and classes of a query.
Items = frozenset[str]


class Training(NamedTuple):
    """The resources that the queries of a training split name."""

    items: Items  # the IRIs of all their relations and classes
    combinations: frozenset[Items]  # for each query its relations and classes together
    #: The ids of questions whose query cannot be parsed; they are left out.
    unparsable: tuple[str, ...] = ()


def query_items(relations: Iterable[str], classes: Iterable[str]) -> Items:
    """Return the unordered relations and classes of one query, which the levels compare."""
    return frozenset([f"relation {iri}" for iri in relations] + [f"class {iri}" for iri in classes])


def training_items(questions: Iterable[Question]) -> Training:
    """Return the resources that the queries of a training split name; questions may have no query.

    >>> query = "SELECT ?f { ?f a dbo:Film ; dbo:director dbr:Ann_Lee }"
    >>> question = Question("1", {}, queries={"": query})
    >>> sorted(training_items([question]).items)
    ['class http://dbpedia.org/ontology/Film', 'relation http://dbpedia.org/ontology/director']
    """
    combinations = set[Items]()
    unparsable = dict[str, None]()
    for question_id, resources in resources_by_query(questions):
        if resources is None:
            unparsable[question_id] = None
        else:
            combinations.add(query_items(resources.relations, resources.classes))
    items = frozenset(chain.from_iterable(combinations))
    return Training(items, frozenset(combinations), tuple(unparsable))


def generalisation_level(items: Items, training: Training) -> str | None:
    """Return how far a query is from a training split by its relations and classes, not entities.

    >>> training = Training(frozenset({"a", "b"}), frozenset({frozenset({"a"}), frozenset({"b"})}))
    >>> [generalisation_level(frozenset(items), training) for items in ("a", "ab", "ac", "")]
    ['iid', 'compositional', 'zero-shot', None]
    """
    if not items:
        return None
    if items in training.combinations:
        return "iid"
    if items <= training.items:
        return "compositional"
    return "zero-shot"


def with_level(values: Mapping[str, FeatureValue], training: Training) -> dict[str, FeatureValue]:
    """Return the features of a question with its generalisation level for a training split.

    It replaces the level in the data.

    >>> nothing = Training(frozenset(), frozenset())
    >>> with_level({"relationIris": ("http://x.org/r",)}, nothing)["generalisationLevel"]
    'zero-shot'
    """
    iris: Mapping[str, Any] = values
    items = query_items(iris.get("relationIris", ()), iris.get("classIris", ()))
    level = generalisation_level(items, training)
    features = {name: value for name, value in values.items() if name != "generalisationLevel"}
    if level is not None:
        features["generalisationLevel"] = level
    return features

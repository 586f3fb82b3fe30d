"""Add the outcome of each question to the counts of runs: right, no answer, a kind of mistake...

The kinds of mistakes, and how they are told apart, are in `mistakes`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from qaldgen.answers.record import Response
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.io.arguments import check_whole
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.options import Count
from qaldgen.scoring.count_table import answers_to
from qaldgen.scoring.matchers import MATCHERS, make_matching
from qaldgen.scoring.mistakes import (
    MISTAKES,
    OUTCOMES,
    RELATED_DEPTH,
    Types,
    column_of,
    outcome,
    resources_of,
)
from qaldgen.scoring.score import Scores
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.entities import (
    DEFAULT_PREDICATES,
    ClassPredicates,
    read_hierarchy,
    shares_of_types,
    superclasses_of,
    types_of,
)
from qaldgen.stores.local import LocalStore, open_file


@dataclasses.dataclass(frozen=True)
class TypeSource:
    """Where the types of answers come from.

    Attributes
    ----------
    kg
        RDF or an endpoint with the types of answers, for outcomes and their measures. Without one,
        types are unknown and only kinds are compared.
    type_predicates
        Predicates of types there. Default: rdf:type and wdt:P31.
    superclass_predicates
        Predicates of superclasses there. Default: rdfs:subClassOf and wdt:P279.
    related_depth
        Minimum depth of a common superclass that relates two types; the top is at 1.
    hierarchy
        Further superclasses, as SMART has them: TSV with Type, Depth, Parent.

    Raises
    ------
    UsageError
        If the depth is below 1, or a predicate is no IRI.
    """

    kg: str | Path | LocalStore | Endpoint | None = None
    type_predicates: Sequence[str] = ()
    superclass_predicates: Sequence[str] = ()
    related_depth: Count = RELATED_DEPTH
    hierarchy: str | Path | None = None

    def __post_init__(self) -> None:
        """Refuse a depth at which everything would be related, and predicates that are no IRIs."""
        check_whole("related_depth", self.related_depth, 1)
        _ = self.predicates

    @property
    def predicates(self) -> ClassPredicates:
        """The predicates that name a type and a superclass."""
        return ClassPredicates(
            tuple(self.type_predicates) or DEFAULT_PREDICATES.types,
            tuple(self.superclass_predicates) or DEFAULT_PREDICATES.superclasses,
        )

    def open(self) -> LocalStore | Endpoint | None:
        """Return the open graph."""
        if self.kg is None or isinstance(self.kg, LocalStore | Endpoint):
            return self.kg
        if isinstance(self.kg, str) and self.kg.startswith(("http://", "https://")):
            return Endpoint(self.kg)
        return open_file(Path(self.kg))


class _Scored(NamedTuple):
    """An answer with its F1."""

    response: Response
    f1: float


def with_outcomes(
    gold: Gold, scored: Sequence[Scores], source: TypeSource | None = None
) -> list[Scores]:
    """Add the outcome of each question to the counts of runs, for the measures of `BY_OUTCOME`."""
    source = source or TypeSource()
    for scores in scored:
        for name in scores.matchers:
            if not MATCHERS[name].answers:
                raise UsageError(
                    f"outcomes are about answers to questions, and `match={name!r}` compares"
                    " something else; choose another `match`"
                )
    questions = gold.questions.by_id
    responses = [_responses(questions, scores) for scores in scored]
    graph = source.open()
    types = Types(related_depth=source.related_depth)
    base_rates: dict[str, float] = {}
    with collecting() as notes:
        if graph is not None:
            types = _types(graph, _iris_to_look_up(questions, responses), source)
            base_rates = _base_rates(graph, questions, types, source.predicates)
    extended = []
    for scores, by_question in zip(scored, responses, strict=True):
        added = _outcome_columns(questions, by_question, types)
        added["base_rate"] = [base_rates.get(name, float("nan")) for name in by_question]
        counts = scores.counts.drop(columns=list(added), errors="ignore")
        counts = counts.join(added.reindex(counts.index))
        remarks = dict.fromkeys([*scores.notes, *notes, f"{scores.name}: {_coverage(added)}"])
        extended.append(dataclasses.replace(scores, counts=counts, notes=tuple(remarks)))
    return extended


def _iris_to_look_up(
    questions: Mapping[str, Question], responses: Sequence[Mapping[str, Sequence[_Scored]]]
) -> list[str]:
    """Return the IRIs in wrong answers and their gold answers, in their order."""
    # a dictionary instead of a set: the order of requests must not vary
    iris: dict[str, None] = {}
    for by_question in responses:
        for name, answers in by_question.items():
            for response, f1 in answers:
                if f1 == 0 and response.answers is not None and response.answers.values():
                    iris |= dict.fromkeys(resources_of(questions[name].answers))
                    iris |= dict.fromkeys(resources_of(response.answers))
    return list(iris)


def _types(graph: LocalStore | Endpoint, iris: Sequence[str], source: TypeSource) -> Types:
    """Return the types that a graph has for things, with their superclasses."""
    types_by_iri = types_of(graph, iris, source.predicates)
    classes = set[str]().union(*types_by_iri.values())
    superclasses = dict(superclasses_of(graph, classes, source.predicates))
    if source.hierarchy is not None:
        for name, further in read_hierarchy(source.hierarchy).items():
            superclasses[name] = superclasses.get(name, frozenset()) | further
    return Types(types_by_iri, superclasses, source.related_depth)


def _outcome_columns(
    questions: Mapping[str, Question], responses: Mapping[str, Sequence[_Scored]], types: Types
) -> pd.DataFrame:
    """Return for each question its outcome, and the share of its answers with each outcome."""
    rows = {}
    for name, answers in responses.items():
        outcomes = [outcome(questions[name], response, f1, types) for response, f1 in answers]
        shares = {column_of(kind): outcomes.count(kind) / len(outcomes) for kind in OUTCOMES}
        rows[name] = {"outcome": outcomes[-1], **shares}  # the last of several answers is shown
    columns = ["outcome", *map(column_of, OUTCOMES)]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    typed = [column_of(mistake) for mistake in MISTAKES if mistake != "untyped"]
    return table.assign(typed_wrong=table[typed].sum(axis=1))


def _responses(questions: Mapping[str, Question], scored: Scores) -> dict[str, list[_Scored]]:
    """Return the answers to each question that count, each with its F1."""
    matching = make_matching(scored.rules, [*questions.values()])
    by_question: dict[str, list[_Scored]] = {}
    counted = [questions[name] for name in scored.counts.index]
    f1 = scored.counts["f1"].astype(float)
    for question, responses in answers_to(counted, scored.run, scored.rules.extract):
        # the score is known already; only several answers must be judged one by one
        if len(responses) == 1:
            by_question[question.id] = [_Scored(responses[0], f1[question.id])]
            continue
        by_question[question.id] = []
        for response in matching.repeats.counted(question, responses):
            counts = matching.compare(question, response)
            f1_of_answer = 0.0 if counts is None else counts.f1  # None: it cannot be judged
            by_question[question.id].append(_Scored(response, f1_of_answer))
    return by_question


def _base_rates(
    graph: LocalStore | Endpoint,
    questions: Mapping[str, Question],
    types: Types,
    predicates: ClassPredicates,
) -> dict[str, float]:
    """Return how common the types of the gold answers are, by question; note if not known."""
    golds = {}
    for name, question in questions.items():
        iris = resources_of(question.answers)
        golds[name] = frozenset[str]().union(*(types.types_by_iri.get(iri, ()) for iri in iris))
    sets = list(dict.fromkeys(gold for gold in golds.values() if gold))
    try:
        shares = shares_of_types(graph, sets, predicates)
    except QaldgenError as error:  # public endpoints refuse to count everything
        # the base rate is an extra: outcomes are still right without it
        note(f"the base rate of types is not known: {error}")
        return {}
    return {name: shares[gold] for name, gold in golds.items() if gold in shares}


def _coverage(counts: pd.DataFrame) -> str:
    """Say how many wrong answers have a known type, and how likely the right type is by chance."""
    wrong = float(counts[[column_of(mistake) for mistake in MISTAKES]].to_numpy().sum())
    if not wrong:
        return "no answer is entirely wrong, so there is no mistake to classify"
    typed = float(counts["typed_wrong"].sum())
    rated = counts.loc[(counts["typed_wrong"] > 0) & counts["base_rate"].notna(), "base_rate"]
    base_rate = "how common the types are is not known (no gold resource with a type among them)"
    if len(rated):
        base_rate = (
            f"a random entity of the graph has the type of the gold answer in {rated.mean():.1%}"
            f" ({len(rated):,} questions)"
        )
    answers = count(round(wrong), "wrong answer")
    share = f"the kind or type of {typed / wrong:.1%} of them is known"
    return f"{answers}, {share}; base rate: {base_rate}"

"""Add the outcome of each question to the counts of runs: right, partly right, a mistake, ...

`mistakes` defines the outcomes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pandas as pd

from qaldgen.answers.record import Response
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.io.arguments import check_integer
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.options import PositiveInt
from qaldgen.scoring.class_hierarchy import read_hierarchy
from qaldgen.scoring.count_table import answers_to
from qaldgen.scoring.matchers import MATCHERS, make_scorer
from qaldgen.scoring.mistakes import (
    MISTAKES,
    OUTCOMES,
    RELATED_DEPTH,
    Types,
    answer_resources,
    column_of,
    outcome,
)
from qaldgen.scoring.score import Scores, notes_of
from qaldgen.stores.entities import (
    DEFAULT_PREDICATES,
    ClassPredicates,
    shares_of_types,
    superclasses_of,
    types_of,
)
from qaldgen.stores.graphs import KnowledgeGraph, open_knowledge_graph


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

    kg: str | Path | KnowledgeGraph | None = None
    type_predicates: Sequence[str] = ()
    superclass_predicates: Sequence[str] = ()
    related_depth: PositiveInt = RELATED_DEPTH
    hierarchy: str | Path | None = None

    def __post_init__(self) -> None:
        """Refuse a depth at which everything would be related, and predicates that are no IRIs."""
        check_integer("related_depth", self.related_depth, 1)
        _ = self.predicates  # `ClassPredicates` refuses what is no IRI

    @property
    def predicates(self) -> ClassPredicates:
        """The predicates that name a type and a superclass."""
        return ClassPredicates(
            tuple(self.type_predicates) or DEFAULT_PREDICATES.types,
            tuple(self.superclass_predicates) or DEFAULT_PREDICATES.superclasses,
        )

    def open(self) -> KnowledgeGraph | None:
        """Return the open graph."""
        return None if self.kg is None else open_knowledge_graph(self.kg)


class _ScoredAnswer(NamedTuple):
    """An answer with its F1."""

    response: Response
    f1: float


#: The answers of a run that count, by question.
_AnswersByQuestion: TypeAlias = Mapping[str, Sequence[_ScoredAnswer]]


def with_outcomes(
    gold: Gold, all_scores: Sequence[Scores], source: TypeSource | None = None
) -> list[Scores]:
    """Add the outcome of each question to the counts of runs, for `OUTCOME_MEASURES`."""
    source = source or TypeSource()
    for scores in all_scores:
        for name in scores.matchers:
            if not MATCHERS[name].answers:
                raise UsageError(
                    f"outcomes are about answers to questions, and `match={name!r}` compares"
                    " something else; choose another `match`"
                )

    questions = gold.questions.by_id
    answers_by_run = [_score_answers(questions, scores) for scores in all_scores]
    graph = source.open()
    types = Types(related_depth=source.related_depth)
    base_rates: dict[str, float] = {}
    with collecting() as notes:
        if graph is not None:
            types = _look_up_types(graph, source, questions, answers_by_run)
            base_rates = _base_rates(graph, questions, types, source.predicates)

    columns = [column_of(name) for name in OUTCOMES]
    typed_columns = [column_of(mistake) for mistake in MISTAKES if mistake != "untyped"]
    extended_scores = []
    for scores, answers_by_question in zip(all_scores, answers_by_run, strict=True):
        rows = {}
        for question_id, answers in answers_by_question.items():
            question = questions[question_id]
            names = [outcome(question, response, f1, types) for response, f1 in answers]
            shares = {column_of(name): names.count(name) / len(names) for name in OUTCOMES}
            rows[question_id] = {"outcome": names[-1], **shares}  # of several answers the last

        outcomes = pd.DataFrame.from_dict(rows, orient="index").reindex(
            columns=["outcome", *columns]
        )
        outcomes["typed_wrong"] = outcomes[typed_columns].sum(axis=1)
        outcomes["base_rate"] = [base_rates.get(name, float("nan")) for name in rows]

        counts = scores.counts.drop(columns=list(outcomes), errors="ignore")
        counts = counts.join(outcomes.reindex(counts.index))
        coverage = f"{scores.name}: {_coverage_sentence(outcomes)}"
        all_notes = notes_of([scores], *notes, coverage)
        extended_scores.append(dataclasses.replace(scores, counts=counts, notes=all_notes))

    return extended_scores


def _look_up_types(
    graph: KnowledgeGraph,
    source: TypeSource,
    questions: Mapping[str, Question],
    answers_by_run: Sequence[_AnswersByQuestion],
) -> Types:
    """Return the types that a graph states for wrong answers and their gold answers."""
    iris: list[str] = []
    for answers_by_question in answers_by_run:
        for question_id, answers in answers_by_question.items():
            for response, f1 in answers:
                if f1 == 0 and response.given.values():
                    iris += answer_resources(questions[question_id].gold)
                    iris += answer_resources(response.given)
    # each once, in their order: the order of requests must not vary
    types_by_iri = types_of(graph, list(dict.fromkeys(iris)), source.predicates)
    classes = set[str]().union(*types_by_iri.values())
    superclasses = dict(superclasses_of(graph, classes, source.predicates))
    if source.hierarchy is not None:
        for name, parents in read_hierarchy(source.hierarchy).items():
            superclasses[name] = superclasses.get(name, frozenset()) | parents
    return Types(types_by_iri, superclasses, source.related_depth)


def _score_answers(questions: Mapping[str, Question], scores: Scores) -> _AnswersByQuestion:
    """Return by question the answers that count, each with its F1."""
    scorer = make_scorer(scores.rules, list(questions.values()))
    answers_by_question: dict[str, list[_ScoredAnswer]] = {}
    questions_of_run = [questions[question_id] for question_id in scores.counts.index]
    f1 = scores.counts["f1"].astype(float)
    for question, responses in answers_to(questions_of_run, scores.run, scores.rules.extract):
        # the score is known already; only several answers must be judged one by one
        if len(responses) == 1:
            answers_by_question[question.id] = [_ScoredAnswer(responses[0], f1[question.id])]
            continue
        answers_by_question[question.id] = []
        for response in scorer.repeats.select(question, responses):
            counts = scorer.compare(question, response)
            f1_of_answer = 0.0 if counts is None else counts.f1  # None: it cannot be judged
            answers_by_question[question.id].append(_ScoredAnswer(response, f1_of_answer))
    return answers_by_question


def _base_rates(
    graph: KnowledgeGraph,
    questions: Mapping[str, Question],
    types: Types,
    predicates: ClassPredicates,
) -> dict[str, float]:
    """Return by question how common the types of its gold answers are; note if it is unknown."""
    gold_types = {}
    for question_id, question in questions.items():
        iris = answer_resources(question.gold)
        types_of_answers = (types.types_by_iri.get(iri, frozenset()) for iri in iris)
        gold_types[question_id] = frozenset[str]().union(*types_of_answers)
    distinct_types = list(dict.fromkeys(filter(None, gold_types.values())))
    try:
        shares = shares_of_types(graph, distinct_types, predicates)
    except QaldgenError as error:  # public endpoints refuse to count everything
        # the base rate is an extra: outcomes are still right without it
        note(f"the base rate of types is not known: {error}")
        return {}
    return {
        question_id: shares[types_of_gold]
        for question_id, types_of_gold in gold_types.items()
        if types_of_gold in shares
    }


def _coverage_sentence(counts: pd.DataFrame) -> str:
    """Say how many wrong answers have a known type, and how likely the right type is by chance."""
    n_wrong = float(counts[[column_of(mistake) for mistake in MISTAKES]].to_numpy().sum())
    if not n_wrong:
        return "no answer is entirely wrong, so there is no mistake to classify"
    n_typed = float(counts["typed_wrong"].sum())
    base_rates = counts["base_rate"][counts["typed_wrong"] > 0].dropna()
    if len(base_rates):
        base_rate = (
            "a random entity of the graph has the type of the gold answer in"
            f" {base_rates.mean():.1%} ({len(base_rates):,} questions)"
        )
    else:
        base_rate = (
            "how common the types are is not known (no gold resource with a type among them)"
        )
    answers = count(round(n_wrong), "wrong answer")
    share = f"the kind or type of {n_typed / n_wrong:.1%} of them is known"
    return f"{answers}, {share}; base rate: {base_rate}"

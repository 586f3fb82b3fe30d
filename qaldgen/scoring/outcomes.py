"""Add the outcome of each question to the counts of runs: right, no answer, a kind of mistake...

The kinds of mistakes, and how they are told apart, are in `mistakes`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

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
    # a dictionary instead of a set: the order of requests must not vary
    iris: dict[str, None] = {}
    for by_question in responses:
        for name, answers in by_question.items():
            for response, f1 in answers:
                if f1 == 0 and response.answers is not None and response.answers.values():
                    iris |= dict.fromkeys(resources_of(questions[name].answers))
                    iris |= dict.fromkeys(resources_of(response.answers))
    types = Types(related_depth=source.related_depth)
    notes = dict[str, None]()
    rates: dict[str, float] = {}
    if graph is not None:
        types_found = types_of(graph, iris, source.predicates)
        classes = set[str]().union(*types_found.values())
        superclasses = dict(superclasses_of(graph, classes, source.predicates))
        if source.hierarchy is not None:
            for name, further in read_hierarchy(source.hierarchy).items():
                superclasses[name] = superclasses.get(name, frozenset()) | further
        types = Types(types_found, superclasses, source.related_depth)
        with collecting() as notes:
            rates = _base_rates(graph, questions, types, source.predicates)
    typed = [column_of(mistake) for mistake in MISTAKES if mistake != "untyped"]
    extended = []
    for scores, by_question in zip(scored, responses, strict=True):
        outcomes: dict[str, list[str]] = {}
        for name, answers in by_question.items():
            question = questions[name]
            outcomes[name] = [outcome(question, response, f1, types) for response, f1 in answers]
        index = scores.counts.index
        columns = {}
        for kind in OUTCOMES:
            shares = [outcomes[name].count(kind) / len(outcomes[name]) for name in index]
            columns[column_of(kind)] = shares
        added = pd.DataFrame(columns, index=index, dtype=float)
        added["typed_wrong"] = added[typed].sum(axis=1)
        # of several answers to a question, the last one is shown
        added.insert(0, "outcome", [outcomes[name][-1] for name in index])
        added["base_rate"] = [rates.get(name, float("nan")) for name in index]
        counts = scores.counts.drop(columns=list(added), errors="ignore")
        remarks = dict.fromkeys([*scores.notes, *notes, f"{scores.name}: {_coverage(added)}"])
        counts = pd.concat([counts, added], axis=1)
        extended.append(dataclasses.replace(scores, counts=counts, notes=tuple(remarks)))
    return extended


def _responses(
    questions: Mapping[str, Question], scored: Scores
) -> dict[str, list[tuple[Response, float]]]:
    """Return the answers to each question that count, each with its F1."""
    matching = make_matching(scored.rules, [*questions.values()])
    by_question: dict[str, list[tuple[Response, float]]] = {}
    counted = [questions[name] for name in scored.counts.index]
    f1 = scored.counts["f1"].astype(float)
    for question, responses in answers_to(counted, scored.run, scored.rules.extract):
        # the score is known already; only several answers must be judged one by one
        if len(responses) == 1:
            by_question[question.id] = [(responses[0], f1[question.id])]
            continue
        by_question[question.id] = []
        for response in matching.repeats.counted(question, responses):
            counts = matching.compare(question, response)
            by_question[question.id].append((response, counts.f1 if counts else 0.0))
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

"""The relevant passages of questions, and the measures of retrievers against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qaldgen.answers.record import Response, Run
from qaldgen.io.notes import note
from qaldgen.io.packages import needs
from qaldgen.model import Question
from qaldgen.plugins.passages.collection import Collection
from qaldgen.scoring.counts import Count
from qaldgen.scoring.matchers import MatcherKind
from qaldgen.scoring.measures import Measure, mean_of

if TYPE_CHECKING:
    import pandas as pd


def relevant_passages(question: Question, collection: Collection | None = None) -> tuple[str, ...]:
    """Return the ids of the passages that answer a question.

    >>> relevant_passages(Question("1", {}, metadata={"relevant_passages": "10-1 10-4"}))
    ('10-1', '10-4')
    """
    ids = question.said("relevant_passages")
    if ids:
        return tuple(dict.fromkeys(ids.split()))
    paragraph = question.said("paragraph")
    start = question.said("answer_start")
    if collection is None or not paragraph or not start.isdigit():
        return ()
    passages = collection.by_origin.get(paragraph, ())
    preceding = [passage for passage in passages if passage.start <= int(start)]
    return (preceding[-1].id,) if preceding else ()


#: The names of ir_measures by ours; accuracy@k is its Success@k: a relevant passage among the
#: first k.
MEASURES = {
    "accuracy@1": "Success@1", "accuracy@5": "Success@5", "accuracy@10": "Success@10",
    "accuracy@100": "Success@100",
    "recall@10": "R@10", "recall@100": "R@100", "mrr@10": "RR@10", "ndcg@10": "nDCG@10",
}  # fmt: skip


def passage_match(question: Question, response: Response) -> Count | None:
    """Count the relevant passages among the retrieved ones.

    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, metadata={"relevant_passages": "a b"})
    >>> passage_match(question, Response("1", answers=Answers(texts=(("c",), ("a",)))))
    Count(tp=1, fp=1, fn=1)
    """
    relevant = set(relevant_passages(question))
    if not relevant:
        return None
    retrieved = set(response.given.values())
    tp = len(relevant & retrieved)
    return Count(tp=tp, fp=len(retrieved) - tp, fn=len(relevant) - tp)


def with_passages(questions: Sequence[Question]) -> list[Question]:
    """Return the questions with a known relevant passage, with a note on the others."""
    scored = [question for question in questions if relevant_passages(question)]
    n_missing = len(questions) - len(scored)
    if n_missing:
        note(
            f"{n_missing:,} of {len(questions):,} questions have no known relevant passage and are"
            " not scored"
        )
    return scored


def measures_of_passages(
    questions: Sequence[Question], run: Run, counts: pd.DataFrame
) -> Mapping[str, Sequence[float]]:
    """Return accuracy, recall, MRR and nDCG of each question that was scored."""
    with needs(
        "measures of retrieval need the package ir_measures: pip install 'qaldgen[retrieval]'"
    ):
        import ir_measures

    by_id = {question.id: question for question in questions}
    scored = [by_id[str(name)] for name in counts.index]
    names = {ir_measures.parse_measure(measure): name for name, measure in MEASURES.items()}

    table: dict[str, dict[str, float]] = {}
    qrels: list[Any] = []
    hits: list[Any] = []
    for question in scored:
        passages = relevant_passages(question)
        if not passages:
            continue
        table[question.id] = dict.fromkeys(MEASURES, 0.0)
        qrels += [ir_measures.Qrel(question.id, passage, 1) for passage in passages]
        retrieved = run.responses_to(question)[-1].given.values()
        for rank, passage in enumerate(dict.fromkeys(retrieved)):
            # minus the rank as score keeps this order where scores are equal
            hits.append(ir_measures.ScoredDoc(question.id, passage, -float(rank)))

    for metric in ir_measures.iter_calc(list(names), qrels, hits):
        table[metric.query_id][names[metric.measure]] = float(metric.value)
    return {name: [table[question.id][name] for question in scored] for name in MEASURES}


PASSAGES = MatcherKind(
    lambda rules: passage_match,
    "passages that a retriever found, against those that the data calls relevant",
    gold=with_passages,
    answers=False,
    extra_columns=lambda questions, run, counts, rules: measures_of_passages(
        questions, run, counts
    ),
)


def retrieval_measure(name: str) -> Measure:
    """Return the row of `qaldgen.measures` for one of `MEASURES`."""
    measure = mean_of(name, name, f"mean over questions of {name}, by ir_measures")
    return measure._replace(matcher="passages")


ACCURACY_1 = retrieval_measure("accuracy@1")
ACCURACY_5 = retrieval_measure("accuracy@5")
ACCURACY_10 = retrieval_measure("accuracy@10")
ACCURACY_100 = retrieval_measure("accuracy@100")
RECALL_10 = retrieval_measure("recall@10")
RECALL_100 = retrieval_measure("recall@100")
MRR_10 = retrieval_measure("mrr@10")
NDCG_10 = retrieval_measure("ndcg@10")

"""GERBIL's sub-experiments of question answering: what the queries name, and the answer type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.formats.question_texts import language_tag
from qaldgen.model import Question
from qaldgen.runs.record import Response, Run
from qaldgen.scoring.count_table import response_to
from qaldgen.scoring.counts import Count
from qaldgen.scoring.gerbil.answers import SAME_AS, is_known, match_known
from qaldgen.scoring.gerbil.queries import Markings, query_markings
from qaldgen.scoring.measures import MEASURES

if TYPE_CHECKING:
    import pandas as pd

_SIX = (
    "micro-precision",
    "micro-recall",
    "micro-f1",
    "macro-precision",
    "macro-recall",
    "macro-f1",
)
_QALD = (*_SIX, "macro-f1-qald")


class _Asked(NamedTuple):
    """The markings and types of one question, and the closure of an IRI of the gold."""

    gold: Markings
    given: Markings
    gold_type: str
    given_type: str
    same: Callable[[str], frozenset[str]]


def sub_experiments(
    questions: Iterable[Question], run: Run, *, same_as: str = "none", language: str | None = None
) -> dict[str, dict[str, float]]:
    """Compute GERBIL's sub-experiments on the queries and the answer types."""
    asked = [
        _asked(question, response_to(question, run), SAME_AS[same_as])
        for question in questions
        if language is None or question.texts.get(language_tag(language))
    ]
    if not asked:
        return {}
    results = {"C2KB": _known(asked, lambda markings: [iri for iri, _ in markings.concepts])}
    if any(item.gold.properties or item.given.properties for item in asked):
        results["P2KB"] = _known(asked, lambda markings: markings.properties)
    if any(item.gold.relations or item.given.relations for item in asked):
        results["RE2KB"] = _measured([_relations(item) for item in asked], _QALD)
    if any(item.gold_type or item.given_type for item in asked):
        types = [
            ([item.gold_type] * bool(item.gold_type), [item.given_type] * bool(item.given_type))
            for item in asked
        ]
        results["AType"] = _measured(
            [_one_to_one(gold, given, str.__eq__) for gold, given in types], _QALD
        )
    return results


def _asked(question: Question, response: Response, same: Callable[[str], frozenset[str]]) -> _Asked:
    text_search = question.metadata.get("pseudoquery", "")
    query = question.sparql or (text_search if 'text:"' in text_search else "")
    # A type from a field called "answertype" has a name that GERBIL does not know.
    gold_type = "" if "answertype" in question.metadata else question.answer_type
    return _Asked(
        query_markings(query), query_markings(response.query), gold_type, response.answer_type, same
    )


def _known(asked: Sequence[_Asked], iris: Callable[[Markings], Sequence[str]]) -> dict[str, float]:
    """Compare IRIs: all, those in known knowledge bases (InKB), and the others (EE)."""
    rows: dict[str, list[Count]] = {"": [], "InKB ": [], "EE ": []}
    for item in asked:
        gold = [item.same(iri) for iri in iris(item.gold)]
        given = [frozenset([iri]) for iri in iris(item.given)]
        rows[""].append(match_known(gold, given)[0])
        for name, known in (("InKB ", True), ("EE ", False)):
            wanted = [uris for uris in gold if is_known(uris) == known]
            rows[name].append(
                match_known(wanted, [uris for uris in given if is_known(uris) == known])[0]
            )
    measured: dict[str, float] = {}
    for name, counts in rows.items():
        if not name or any(any(count) for count in counts):
            measured |= {name + label: value for label, value in _measured(counts, _SIX).items()}
    return measured | {"confidence threshold": 0.0}


def _relations(item: _Asked) -> Count:
    """Compare triples: IRIs by overlap, variables with variables, literals by their text."""

    def equal(gold: tuple[object, ...], given: tuple[object, ...]) -> bool:
        return all(
            wanted is got
            if wanted is None or got is None
            else got in item.same(str(wanted))
            if at < _LITERAL
            else wanted == got
            for at, (wanted, got) in enumerate(zip(gold, given, strict=True))
        )

    return _one_to_one(item.gold.relations, item.given.relations, equal)


#: The place of the literal in a `Relation`; the places before it have IRIs.
_LITERAL = 3


def _one_to_one(
    gold: Sequence[object], given: Sequence[object], equal: Callable[..., bool]
) -> Count:
    """Give each gold item the first free item that equals it."""
    free = list(given)
    for wanted in gold:
        hit = next((at for at, got in enumerate(free) if equal(wanted, got)), None)
        if hit is not None:
            del free[hit]
    right = len(given) - len(free)
    return Count(right, len(free), len(gold) - right)


def _measured(counts: Sequence[Count], names: Iterable[str]) -> dict[str, float]:
    frame = _frame(counts)
    return {MEASURES[name].label: MEASURES[name].of(frame, None) for name in names}


def _frame(counts: Sequence[Count]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [(*count, count.precision, count.recall, count.f1) for count in counts],
        columns=["tp", "fp", "fn", "precision", "recall", "f1"],
    )

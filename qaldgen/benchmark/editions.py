"""Editions of gold: the same questions, answered at another time or from other data."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.answers.changes import (
    CHANGES,
    GOLD_CHANGED,
    classify_change,
    comparable_values,
    is_change,
    with_change,
)
from qaldgen.answers.journal import Journal, open_journal
from qaldgen.benchmark.gold import Gold
from qaldgen.errors import DataError
from qaldgen.features.query.query_features import QueryError, parse_query
from qaldgen.features.resources import resources_of
from qaldgen.io.text import few
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.questions.results_json import Json
from qaldgen.questions.writing import dump_qald
from qaldgen.stores.gold_queries import Executed, execute_gold
from qaldgen.stores.graphs import KnowledgeGraph

if TYPE_CHECKING:
    import pandas as pd

#: Changes that remove answers: a term of the query may have left the data.
_LOSSES = frozenset({"empty-now", "fewer", "overlapping", "disjoint", "another-type"})


class Change(NamedTuple):
    """The change of one question between two editions: a row of the table."""

    question: str  # the id of the question
    text: str
    change: str  # one of `qaldgen.answers.changes.CHANGES`
    before: int  # the number of answers in the first edition
    now: int  # their number in the other edition
    common: int  # the number of answers in both
    reason: str = ""  # why they differ; empty if that is unknown

    @property
    def words(self) -> str:
        """The label of the change, with its numbers and the reason."""
        counts = f"answers: {self.before:,}, now {self.now:,}, in both {self.common:,}"
        reason = f"; {self.reason}" if self.reason else ""
        return f"{change_label(self.change)} ({counts}){reason}"


@dataclasses.dataclass(frozen=True)
class Changes:
    """The differences between the gold of one edition and of another."""

    gold: str  # the names of the editions
    other: str
    rows: tuple[Change, ...]  # one for each question that both have, in the order of the gold
    #: By question, the answers in the other edition, where it has any.
    answers: Mapping[str, Answers] = dataclasses.field(default_factory=dict, repr=False, hash=False)
    #: How many questions were matched by ``text``, ``query`` and ``id``.
    matched: Mapping[str, int] = dataclasses.field(default_factory=dict, hash=False)
    only_gold: tuple[str, ...] = ()  # the questions that only one of them has
    only_other: tuple[str, ...] = ()
    asked: str = ""  # how many gold queries were answered, and how many of these by a journal

    def counts(self) -> dict[str, int]:
        """Return the number of questions by class."""
        counts = Counter(row.change for row in self.rows)
        return {change: counts[change] for change in CHANGES}

    @property
    def changed(self) -> tuple[str, ...]:
        """The ids of the questions whose gold differs."""
        return tuple(row.question for row in self.rows if is_change(row.change))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per question: the fields of `Change`."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(Change._fields))

    def __str__(self) -> str:
        """Return how many questions changed, and how, in lines."""
        counts = self.counts()
        classes = ", ".join(
            f"{number:,} {change_label(change)}" for change, number in counts.items() if number
        )
        lines = [
            f"{len(self.changed):,} of {len(self.rows):,} gold answers differ in {self.other}:"
            f" {classes}"
        ]

        if self.changed:
            disjoint = counts["disjoint"] + counts["another-type"]
            overlapping = counts["more"] + counts["fewer"] + counts["overlapping"]
            lines.append(
                f"both have answers to {disjoint + overlapping:,} of them: {disjoint:,} without a"
                f" common one, {overlapping:,} with some"
            )

        match_counts = ", ".join(
            f"{number:,} by {key}" for key, number in self.matched.items() if number
        )
        parts = [match_counts or "none"]
        for name, ids in ((self.gold, self.only_gold), (self.other, self.only_other)):
            if ids:
                parts.append(f"{len(ids):,} only in {name} (first: {ids[0]})")
        if match_counts or len(parts) > 1:
            lines.append(f"matched: {'; '.join(parts)}")

        if self.asked:
            lines.append(self.asked)
        return "\n".join(lines)

    def mark(self, questions: QuestionSet) -> QuestionSet:
        """Return the questions with their changes as ``goldChanged``; earlier changes are kept."""
        changes = {row.question: row.change for row in self.rows}
        marked_questions = []
        for question in questions:
            change = changes.get(question.id)
            if change and (is_change(change) or GOLD_CHANGED not in question.metadata):
                question = with_change(question, change)
            marked_questions.append(question)
        return dataclasses.replace(questions, questions=tuple(marked_questions))

    def apply_to(self, gold: Gold) -> Gold:
        """Return gold with the answers of the other edition; questions without any keep theirs."""
        replaced = (
            dataclasses.replace(question, answers=self.answers.get(question.id, question.answers))
            for question in gold.questions
        )
        questions = dataclasses.replace(gold.questions, questions=tuple(replaced))
        return dataclasses.replace(gold, questions=questions)


def change_label(change: str) -> str:
    """Return the label of a class of changes.

    >>> change_label("empty-now")
    'empty now'
    """
    return change.replace("-", " ")


def compare_editions(gold: QuestionSet, other: QuestionSet) -> Changes:
    """Classify the change of each question from `gold` to another edition of the same set."""
    pairs = _match_questions(gold, other)
    if not pairs:
        raise DataError(
            f"{other.name} is no other edition of {gold.name}: no question has the same text,"
            " query or id in both"
        )

    rows = []
    answers = {}
    only_gold = []
    for question in gold:
        if question.id not in pairs:
            only_gold.append(question.id)
            continue
        other_question = pairs[question.id].question
        reason = _describe_query_change(question, other_question)
        rows.append(_make_change(question, other_question.answers, reason))
        if other_question.answers is not None:
            answers[question.id] = other_question.answers

    paired_ids = {match.question.id for match in pairs.values()}
    by_key = Counter(match.key for match in pairs.values())
    return Changes(
        gold=gold.name,
        other=other.name,
        rows=tuple(rows),
        answers=answers,
        matched={key: by_key[key] for key in ("text", "query", "id")},
        only_gold=tuple(only_gold),
        only_other=tuple(question.id for question in other if question.id not in paired_ids),
    )


def compare_executed(
    questions: Sequence[Question],
    source: KnowledgeGraph,
    *,
    name: str,
    journal: str | Path | None,
) -> tuple[Changes, Executed]:
    """Execute the gold queries, and classify how answers differ; a failure is no change.

    If answers are gone, the data are searched for the terms of the query. The journal keeps all
    queries.
    """
    journal_context = open_journal(Path(journal)) if journal else nullcontext()
    with journal_context as calls:
        execution = execute_gold(questions, source, journal=calls, refresh=True)
        responses = execution.responses

        # answers that may be truncated are not known
        executed_answers = {
            question_id: response.answers
            for question_id, response in responses.items()
            if response.answers is not None and not response.error
        }
        asked_questions = [question for question in questions if question.id in responses]
        with_losses = [
            question
            for question in asked_questions
            if classify_change(question.answers, executed_answers.get(question.id)) in _LOSSES
        ]
        absent_terms = _absent_terms(with_losses, source, calls)

    rows = []
    for question in asked_questions:
        reason = responses[question.id].error
        if absent_terms.get(question.id):
            reason = f"no longer in the data: {few(absent_terms[question.id])}"
        rows.append(_make_change(question, executed_answers.get(question.id), reason))

    changes = Changes(name, source.name, tuple(rows), executed_answers, asked=str(execution))
    return changes, execution


def dump_edition(gold: Gold, edition: QuestionSet) -> bytes:
    """Return an edition of gold as QALD JSON, with signature, weights and clusters of the gold."""
    columns: dict[str, Mapping[str, Json]] = {
        "weight": gold.weights,
        "cluster": gold.clusters,
        "inclusion_probability": gold.inclusion,
        GOLD_CHANGED: {question.id: question.metadata.get(GOLD_CHANGED) for question in edition},
    }
    extra: dict[str, dict[str, Json]] = {question.id: {} for question in edition}
    for name, values in columns.items():
        for question_id, extra_fields in extra.items():
            if values.get(question_id) is not None:
                extra_fields[name] = values[question_id]
    parts: list[str] = []
    if gold.benchmark:
        fields = gold.benchmark.signature.split("|")
        parts = [part for part in fields if not part.startswith("gold:")]
    signature = "|".join([*parts, f"gold:{edition.edition}"])
    return dump_qald(edition.questions, edition.name, signature, extra)


def _make_change(question: Question, answers: Answers | None, reason: str) -> Change:
    """Return the change from the gold answers of a question to other answers."""
    gold_values = comparable_values(question.answers)
    values = comparable_values(answers)
    change = classify_change(question.answers, answers)
    if change == "equal":
        reason = ""
    elif not reason and not answers:
        reason = "no answers there"
    return Change(
        question=question.id,
        text=question.text(),
        change=change,
        before=len(gold_values),
        now=len(values),
        common=len(gold_values & values),
        reason=reason,
    )


class _Match(NamedTuple):
    """The question of another edition that is the same, and what they have in common."""

    question: Question
    key: str  # ``text``, ``query`` or ``id``


def _match_questions(gold: QuestionSet, other: QuestionSet) -> dict[str, _Match]:
    """Return by question id the match in another edition, for questions that have one."""
    matches: dict[str, _Match] = {}
    free = {question.id: question for question in other}

    for key_name, make_keys in (("text", _normalised_texts), ("query", _normalised_queries)):
        by_key: dict[object, list[Question]] = {}
        for question in other:
            for key in make_keys(question):
                by_key.setdefault(key, []).append(question)

        for question in gold:
            if question.id in matches:
                continue
            ids: list[str] = []
            for key in make_keys(question):
                ids += [candidate.id for candidate in by_key.get(key, ()) if candidate.id in free]
            if ids:
                # of several with the same text, that with the same id
                question_id = question.id if question.id in ids else ids[0]
                matches[question.id] = _Match(free.pop(question_id), key_name)

    # ids count if those of matched questions agree: numbers of another set prove nothing
    equal_ids = sum(question_id == match.question.id for question_id, match in matches.items())
    has_no_texts = not any(map(_normalised_texts, gold)) or not any(map(_normalised_texts, other))
    if has_no_texts or equal_ids > len(matches) / 2:
        for question in gold:
            if question.id not in matches and question.id in free:
                matches[question.id] = _Match(free.pop(question.id), "id")

    return matches


def _normalised_texts(question: Question) -> list[tuple[str, str]]:
    """Return the texts of a question with their languages, without case and punctuation."""
    texts = []
    for tag, wordings in question.texts.items():
        if wordings:
            text = re.sub(r"\W+", " ", wordings[0]).strip().casefold()
            if text:
                texts.append((tag, text))
    return texts


def _normalised_queries(question: Question) -> list[str]:
    return [" ".join(query.split()) for query in question.queries.values() if query.strip()]


def _describe_query_change(question: Question, other: Question) -> str:
    """Return which terms a query lost and gained; empty if there is no query."""
    if not question.sparql or not other.sparql:
        return ""
    if not set(_normalised_queries(question)).isdisjoint(_normalised_queries(other)):
        return "the same query on other data"
    terms = _term_queries(question.sparql)
    other_terms = _term_queries(other.sparql)
    missing = [term for term in terms if term not in other_terms]
    added = [term for term in other_terms if term not in terms]
    reasons = []
    if missing:
        reasons.append(f"without {few(missing)}")
    if added:
        reasons.append(f"with {few(added)}")
    difference = ", ".join(reasons) or "of the same terms"
    return f"another query {difference}"


def _term_queries(query: str) -> dict[str, str]:
    """Return the terms of a query, each with a query that asks whether the term occurs."""
    try:
        tree = parse_query(query)
        resources = resources_of(tree)
    except QueryError:
        return {}
    queries = {f"<{iri}>": f"ASK {{ ?s ?p <{iri}> }}" for iri in resources.classes}
    queries |= {f"<{iri}>": f"ASK {{ ?s <{iri}> ?o }}" for iri in resources.relations}
    queries |= {
        f"<{iri}>": f"ASK {{ {{ <{iri}> ?p ?o }} UNION {{ ?s ?p <{iri}> }} }}"
        for iri in resources.entities
    }
    labels = (pattern.object for pattern in tree.patterns if pattern.object[:1] in {'"', "'"})
    return queries | {text: f"ASK {{ ?s ?p {text} }}" for text in labels if "^^" not in text}


def _absent_terms(
    questions: Sequence[Question], source: KnowledgeGraph, journal: Journal | None
) -> dict[str, list[str]]:
    """Return by question the terms of its query that are not in the data; each is asked once."""
    terms = {question.id: _term_queries(question.sparql) for question in questions}
    queries: dict[str, str] = {}
    for term_queries in terms.values():
        queries |= term_queries
    if not queries:
        return {}
    probes = [Question(f"occurs: {term}", {}, queries={"": ask}) for term, ask in queries.items()]
    responses = execute_gold(probes, source, journal=journal).responses
    absent = set()
    for term in queries:
        answers = responses[f"occurs: {term}"].answers
        if answers is not None and answers.boolean is False:
            absent.add(term)
    absent_by_question = {}
    for question_id, term_queries in terms.items():
        absent_by_question[question_id] = [term for term in term_queries if term in absent]
    return absent_by_question

"""Rules on the answers of systems."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator

from qaldgen.answers.changes import answers_equal, comparable_values
from qaldgen.answers.near_misses import near_misses
from qaldgen.answers.record import DUPLICATE_ID, Response, Run
from qaldgen.io.text import few, natural_key
from qaldgen.model import QuestionSet, Remark
from qaldgen.plugins.checking.checks import Case, Hit, each_response, quoted
from qaldgen.questions.gerbil import REFUSES

#: The number of answers from which equality is unlikely to be a coincidence.
_MIN_ANSWERS = 10


def _with_gold(
    compare: Callable[[Run, QuestionSet], Iterator[Hit]],
) -> Callable[[Case], Iterator[Hit]]:
    """Return a rule from a function that compares a run with its gold."""

    @functools.wraps(compare)
    def find(case: Case) -> Iterator[Hit]:
        if case.run is not None and case.gold is not None:
            yield from compare(case.run, case.gold)

    return find


@_with_gold
def run_unknown_question(run: Run, gold: QuestionSet) -> Iterator[Hit]:
    """Find answers to questions that are not in the gold."""
    gold_ids = gold.by_id
    unknown_ids = [name for name in run.responses if name not in gold_ids]
    if len(unknown_ids) == len(run.responses):
        run_ids = sorted(unknown_ids, key=natural_key)
        sorted_gold = sorted(gold_ids, key=natural_key)
        ids = f"{few(run_ids)} in the run, {few(sorted_gold)} in the gold file"
        yield Hit("", f"no id of the run occurs in {gold.name}: {ids}")
        return
    yield from (Hit(name, f"is not in {gold.name}") for name in unknown_ids)


@_with_gold
def run_not_asked(run: Run, gold: QuestionSet) -> Iterator[Hit]:
    """Find gold questions that are missing from the run."""
    for question in gold.questions:
        if question.id not in run.responses:
            yield Hit(question.id, "is not in the run")


@each_response
def run_failed(response: Response) -> str:
    """Find calls that ended with an error or took too long."""
    if response.status not in {"failed", "timeout"}:
        return ""
    if not response.error:
        return f"the status is {response.status}"
    return f"the status is {response.status} ({response.error})"


@each_response
def run_empty_answer(response: Response) -> str:
    """Find empty answers."""
    if response.status == "empty":
        return "has an empty answer"
    return ""


def run_note(case: Case) -> Iterator[Hit]:
    """Repeat the notes of the reader of a run, except notes that other rules cover."""
    return _note_hits(case, lambda rule: rule not in {DUPLICATE_ID, REFUSES})


def run_duplicate_id(case: Case) -> Iterator[Hit]:
    """Find questions with several answers that may be samples or copies, or of several systems."""
    yield from _note_hits(case, lambda rule: rule == DUPLICATE_ID)
    if case.run:
        for question_id in case.run.unnumbered:
            yield Hit(question_id, "has several answers, and nothing says why")


def _note_hits(case: Case, wants_rule: Callable[[str], bool]) -> Iterator[Hit]:
    """Yield the notes of the reader of a run, selected by the rule that a note belongs to."""
    notes = case.run.notes if case.run else ()
    for note in notes:
        remark = Remark(note)  # a plain text is a remark without a rule
        if wants_rule(remark.rule):
            yield Hit("", remark.text.rstrip("."))


def run_constant(case: Case) -> Iterator[Hit]:
    """Report that a run gives one answer to every question."""
    answers = (comparable_values(each.answers) for each in case.responses if each.answers)
    counts = Counter(values for values in answers if values)
    if counts.total() >= _MIN_ANSWERS and len(counts) == 1:
        (values,) = counts
        yield Hit("", f"all {counts.total():,} answers are {quoted(', '.join(sorted(values)))}")


@_with_gold
def run_near_miss(run: Run, gold: QuestionSet) -> Iterator[Hit]:
    """Find wrong answers that equal gold ones but for their spelling."""
    for miss in near_misses(gold.questions, run):
        yield Hit(miss.id, f"{miss.answer} is {miss.gold} but for {miss.spelling}")


@_with_gold
def run_is_gold(run: Run, gold: QuestionSet) -> Iterator[Hit]:
    """Report that a run gives the gold answer to every question."""
    n_equal = answers_equal(gold, run)
    if n_equal:
        yield Hit("", f"all {n_equal:,} answers equal those of {gold.name}")

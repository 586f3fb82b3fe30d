"""Rules on the answers of systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from qaldgen.answers.changes import answers_equal, values_of
from qaldgen.answers.near_misses import near_misses
from qaldgen.answers.record import DUPLICATE_ID, Response
from qaldgen.io.text import few, natural_key
from qaldgen.model import Remark
from qaldgen.plugins.checking.findings import Case, Hit, each_response, quoted
from qaldgen.questions.gerbil import REFUSES

#: The number of answers from which equality is unlikely to be a coincidence.
_ENOUGH = 10


def run_unknown_question(case: Case) -> Iterator[Hit]:
    """Find answers to questions that are not in the gold."""
    if case.run is None or case.gold is None:
        return
    gold_ids = case.gold.by_id
    unknown = [name for name in case.run.responses if name not in gold_ids]
    if len(unknown) == len(case.run.responses):
        run_ids = sorted(unknown, key=natural_key)
        sorted_gold = sorted(gold_ids, key=natural_key)
        ids = f"{few(run_ids)} in the run, {few(sorted_gold)} in the gold file"
        yield Hit("", f"no id of the run occurs in {case.gold.name}: {ids}")
        return
    yield from (Hit(name, f"is not in {case.gold.name}") for name in unknown)


def run_not_asked(case: Case) -> Iterator[Hit]:
    """Find gold questions that are missing from the run."""
    if case.run is None or case.gold is None:
        return
    for question in case.gold.questions:
        if question.id not in case.run.responses:
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
    """Repeat the notes of the run's reader, except notes that other rules cover."""
    for note in _notes(case):
        if note.rule not in {DUPLICATE_ID, REFUSES}:
            yield Hit("", note.text.rstrip("."))


def run_duplicate_id(case: Case) -> Iterator[Hit]:
    """Repeat the notes of the run's reader on duplicate ids."""
    for note in _notes(case):
        if note.rule == DUPLICATE_ID:
            yield Hit("", note.text.rstrip("."))


def _notes(case: Case) -> list[Remark]:
    if not case.run:
        return []
    return [Remark(note) for note in case.run.notes]


def run_constant(case: Case) -> Iterator[Hit]:
    """Report that a run gives one answer to every question."""
    answers = (values_of(response.answers) for response in case.responses if response.answers)
    counts = Counter(values for values in answers if values)
    if counts.total() >= _ENOUGH and len(counts) == 1:
        (values,) = counts
        yield Hit("", f"all {counts.total():,} answers are {quoted(', '.join(sorted(values)))}")


def run_near_miss(case: Case) -> Iterator[Hit]:
    """Find wrong answers that equal gold ones but for their spelling."""
    if case.run is None or case.gold is None:
        return
    for miss in near_misses(case.gold.questions, case.run):
        yield Hit(miss.id, f"{miss.answer} is {miss.gold} but for {miss.spelling}")


def run_is_gold(case: Case) -> Iterator[Hit]:
    """Report that a run gives the gold answer to every question."""
    if case.run is None or case.gold is None:
        return
    equal = answers_equal(case.gold, case.run)
    if equal:
        yield Hit("", f"all {equal:,} answers equal those of {case.gold.name}")

"""Rules on gold answers and on the answers of runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from qaldgen.checking.record import Case, Hit, counted, shown
from qaldgen.checking.texts import damage_of, members
from qaldgen.formats.gerbil.uris import is_gerbil_iri
from qaldgen.formats.gerbil.values import (
    answer_strings,
    illegal_iris,
    never_matched,
    same_to_gerbil,
)
from qaldgen.formats.lists_in_text import listed_answers
from qaldgen.formats.reading import read_questions
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.terms import is_iri
from qaldgen.scoring.words.gold_names import gold_truths

#: The usual limits of endpoints on the number of rows.
_LIMITS = frozenset({1_000, 10_000, 100_000})
#: The number of yes/no questions from which equal answers are unlikely to be a coincidence.
_ENOUGH = 20
#: Formats whose answers people type into cells.
_OWN_FORMS = frozenset({"table", "json-records"})
#: IRIs of entities, as opposed to addresses of web pages, which sets declare as strings.
_ENTITY = re.compile(
    r"https?://(?:dbpedia\.org/resource|www\.wikidata\.org/entity|rdf\.freebase\.com/ns)/"
)


#: Texts that may be booleans.
_TRUTHS = frozenset({"true", "false", "1", "0", "yes", "no"})


def missing(case: Case) -> Iterator[Hit]:
    """Find questions without gold answers, if others have them."""
    with_answers = sum(one.answers is not None for one in members(case))
    for one in members(case):
        # Otherwise `none_at_all` says it once for the whole set.
        if one.answers is None and with_answers:
            yield Hit(one.id, "has no gold answers")


def none_at_all(case: Case) -> Iterator[Hit]:
    """Report that no question of a set has gold answers."""
    if members(case) and all(one.answers is None for one in members(case)):
        yield Hit("", f"none of the {len(members(case)):,} questions has gold answers")


def empty(case: Case) -> Iterator[Hit]:
    """Find questions whose gold answer is empty."""
    for one in members(case):
        if one.answers is not None and not one.answers.values():
            yield Hit(one.id, "has an empty gold answer")


def contradicting(case: Case) -> Iterator[Hit]:
    """Find questions whose gold answers are both yes and no."""
    for one in members(case):
        if len(gold_truths(one)) > 1:
            yield Hit(one.id, "the gold answers are both yes and no")


def type_mismatch(case: Case) -> Iterator[Hit]:
    """Find questions whose gold answers cannot have the declared answer type."""
    for one in members(case):
        if one.answers is not None and one.answer_type and _cannot_be(one.answers, one.answer_type):
            yield Hit(
                one.id,
                f"the answer type is {one.answer_type}, but the gold answers are"
                f" {_described(one.answers)}",
            )


def _described(answers: Answers) -> str:
    return (
        "a boolean"
        if answers.boolean is not None
        else f"{counted(len(answers.rows), 'row')} such as {shown(answers.values()[0])}"
    )


def _cannot_be(answers: Answers, kind: str) -> bool:
    """Whether the answers cannot have this type; generous, since sets often omit datatypes."""
    cells = [cell for row in answers.rows for cell in row if cell is not None]
    if answers.boolean is not None or not cells:
        return kind != "boolean" and answers.boolean is not None
    iris = [cell.type != "literal" for cell in cells]
    if kind == "resource":
        return not any(iris)
    if kind == "boolean":
        return any(iris) or not {cell.value.lower() for cell in cells} <= _TRUTHS
    if kind in {"number", "date"}:
        return all(iris) or not any(re.search(r"\d", cell.value) for cell in cells)
    return all(cell.type == "uri" and _ENTITY.match(cell.value) for cell in cells)


def mixed(case: Case) -> Iterator[Hit]:
    """Find gold answers that GERBIL never matches: other answers of the question are not IRIs."""
    for one in members(case):
        values = dict.fromkeys(answer_strings(one.answers))
        lost = never_matched(values)
        if lost:
            other = next(value for value in values if not is_gerbil_iri(value))
            iris = f"{counted(len(lost), 'IRI')} (such as {shown(lost[0])})"
            yield Hit(
                one.id,
                f"GERBIL cannot match {iris}, because the gold answers also contain {shown(other)}",
            )


def same_twice(case: Case) -> Iterator[Hit]:
    """Find gold answers that GERBIL treats as the same resource."""
    for one in members(case):
        # One pair per question is enough.
        for first, second in same_to_gerbil(answer_strings(one.answers))[:1]:
            yield Hit(one.id, f"{shown(first)} and {shown(second)} are the same resource to GERBIL")


def several_variables(case: Case) -> Iterator[Hit]:
    """Find gold answers with more than one variable."""
    for one in members(case):
        if one.answers is not None and len(one.answers.variables) > 1 and one.answers.rows:
            yield Hit(
                one.id, f"the gold rows have the variables {', '.join(one.answers.variables)}"
            )


def cut_off(case: Case) -> Iterator[Hit]:
    """Find answers with exactly as many rows as a usual limit of endpoints."""
    for one in members(case):
        rows = len(one.answers.rows) if one.answers else 0
        # A query with LIMIT asks for that many rows.
        if rows in _LIMITS and not re.search(r"\bLIMIT\b", one.sparql, re.IGNORECASE):
            yield Hit(one.id, f"the gold answer has exactly {rows:,} rows")


def always_same(case: Case) -> Iterator[Hit]:
    """Report that all yes/no questions of a set have the same answer."""
    booleans = Counter(
        one.answers.boolean
        for one in members(case)
        if one.answers and one.answers.boolean is not None
    )
    # Few yes/no questions may all be true by chance.
    if len(booleans) == 1 and booleans.total() >= _ENOUGH:
        (value,) = booleans
        yield Hit(
            "", f"all {booleans.total():,} yes/no questions have the answer {str(value).lower()}"
        )


def invalid_iris(case: Case) -> Iterator[Hit]:
    """Find answers that are declared as IRIs but are not valid ones."""
    for name, answers in case.answers():
        wrong = [cell.value for cell in illegal_iris(answers)]
        if wrong:
            yield Hit(name, f"{counted(len(wrong), 'invalid IRI')}, such as {shown(wrong[0])}")


def odd_datatypes(case: Case) -> Iterator[Hit]:
    """Find literals whose datatype is not an IRI."""
    for name, answers in case.answers():
        wrong = [
            cell.datatype for cell in _cells(answers) if cell.datatype and not is_iri(cell.datatype)
        ]
        if wrong:
            yield Hit(
                name, f"{counted(len(wrong), 'invalid datatype IRI')}, such as {shown(wrong[0])}"
            )


def without_value(case: Case) -> Iterator[Hit]:
    """Find blank answers."""
    for name, answers in case.answers():
        blank = sum(not cell.value.strip() for cell in _cells(answers))
        blank += sum(not any(wording.strip() for wording in wordings) for wordings in answers.texts)
        if blank:
            yield Hit(name, counted(blank, "blank answer"))


def damaged(case: Case) -> Iterator[Hit]:
    """Find literals with leading or trailing white space, or signs of a wrong encoding."""
    for name, answers in case.answers():
        literals = [
            cell.value for cell in _cells(answers) if cell.type == "literal" and cell.value.strip()
        ]
        for value in literals:
            damage = damage_of(value) or (
                "leading or trailing white space" if value != value.strip() else ""
            )
            if damage:
                yield Hit(name, f"an answer has {damage}: {shown(value)}")
                # One damaged literal per question is enough.
                break


def lists(case: Case) -> Iterator[Hit]:
    """Find gold answers that look like several answers in one text."""
    # In formats with lists of answers, a bar or comma in one of them is part of a name.
    found = listed_answers(members(case)) if case.format in _OWN_FORMS else {}
    for one in members(case):
        if one.id in found and one.answers is not None:
            yield Hit(
                one.id,
                f"{shown(one.answers.values()[0])} looks like several answers separated by"
                f" {found[one.id]!r}",
            )


def duplicates(case: Case) -> Iterator[Hit]:
    """Find duplicate answers."""
    for name, answers in case.answers():
        extra = len(answers.rows) - len(set(answers.rows))
        if extra:
            yield Hit(name, f"{extra:,} of {len(answers.rows):,} rows are duplicates")


def _cells(answers: Answers) -> Iterator[Cell]:
    return (cell for row in answers.rows for cell in row if cell is not None)


def gold_differs(case: Case) -> Iterator[Hit]:
    """Find gold answers that differ for the same query, or between the languages of a question.

    Names are written otherwise in each language, so only numbers of answers, yes and no, and the
    digits of numbers and dates are compared.
    """
    questions = case.questions.questions if case.questions else ()
    first: dict[str, Question] = {}
    for one in questions:
        if one.sparql and one.answers is not None:
            earlier = first.setdefault(" ".join(one.sparql.split()), one)
            if earlier.answers and {*earlier.answers.values()} != {*one.answers.values()}:
                yield Hit(one.id, f"has the query of question {earlier.id!r} and another answer")
    if case.format != "mkqa":  # of the formats that are read, the only one with gold by language
        return
    for tag in sorted({tag for one in questions for tag in one.texts}):
        there = {one.id: one for one in read_questions(Path(case.path), language=tag)}
        for one in questions:
            other = there.get(one.id)
            if other is not None and one.answers and other.answers and tag in other.texts:
                how = _difference(one, one.answers, other.answers)
                if how:
                    yield Hit(one.id, f"the gold answer in {tag!r} has {how}")


def _difference(question: Question, one: Answers, other: Answers) -> str:
    if one.boolean != other.boolean:
        return "another truth value"
    if len(one.texts) != len(other.texts):
        return f"{counted(len(other.texts), 'answer')} and not {len(one.texts)}"
    digits = [
        sorted(sorted(re.findall(r"\d+", words[0])) for words in gold.texts)
        for gold in (one, other)
    ]
    if question.answer_type in {"number", "date"} and digits[0] != digits[1]:
        return f"other figures: {other.texts[0][0]!r}, {one.texts[0][0]!r}"
    return ""

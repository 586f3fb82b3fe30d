"""Rules on gold answers: their types, values and editions, and what GERBIL refuses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from qaldgen.answers.changes import comparable_cell, is_change
from qaldgen.benchmark.editions import Change, change_label
from qaldgen.io.text import count
from qaldgen.model import Answers, Cell, Question
from qaldgen.plugins.checking.checks import Case, Hit, each_answers, each_question, quoted
from qaldgen.plugins.checking.text_rules import find_damage
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.file_content import load_content
from qaldgen.questions.gerbil import (
    answer_strings,
    gerbil_complaints,
    illegal_iris,
    is_gerbil_iri,
    never_matched,
)
from qaldgen.questions.listed_answers import listed_answers
from qaldgen.questions.reading import read_questions
from qaldgen.rdf.terms import is_iri
from qaldgen.scoring.gerbil.same_as import same_to_gerbil
from qaldgen.scoring.worded_answers import is_contradicted

#: The number of yes/no questions from which equal answers are unlikely to be a coincidence.
_MIN_BOOLEANS = 20
#: Formats in which people type answers into cells.
_TYPED_FORMATS = frozenset({"table", "json-records"})
#: IRIs of entities, as opposed to addresses of web pages, which sets declare as strings.
_ENTITY_IRI = re.compile(
    r"https?://(?:dbpedia\.org/resource|www\.wikidata\.org/entity|rdf\.freebase\.com/ns)/"
)
#: Texts that may be booleans.
_BOOLEAN_TEXTS = frozenset({"true", "false", "1", "0", "yes", "no"})
_Value: TypeAlias = bool | Cell
_ID = re.compile(r"question \d+ \(id (.+?)\)(?:, |$)")


def answers_missing(case: Case) -> Iterator[Hit]:
    """Find questions without gold answers, if others have them."""
    n_with_answers = sum(member.answers is not None for member in case.members)
    for member in case.members:
        # without any gold answers, `answers_none` reports it once for the whole set
        if member.answers is None and n_with_answers:
            yield Hit(member.id, "has no gold answers")


def answers_none(case: Case) -> Iterator[Hit]:
    """Report that no question of a set has gold answers."""
    if case.members and all(member.answers is None for member in case.members):
        yield Hit("", f"none of the {len(case.members):,} questions has gold answers")


@each_question
def answers_empty(question: Question) -> str:
    """Find questions whose gold answer is empty."""
    if question.answers and not question.answers.values():
        return "has an empty gold answer"
    return ""


@each_question
def answers_contradict(question: Question) -> str:
    """Find questions whose gold answers are both yes and no."""
    if is_contradicted(question):
        return "the gold answers are both yes and no"
    return ""


@each_question
def answer_type_mismatch(question: Question) -> str:
    """Find questions whose gold answers cannot have the declared answer type."""
    answers = question.answers
    answer_type = question.answer_type
    if answers is None or not answer_type or not _contradicts_type(answers, answer_type):
        return ""
    description = "a boolean"
    if answers.boolean is None:
        description = f"{count(len(answers.rows), 'row')} such as {quoted(answers.values()[0])}"
    return f"the answer type is {answer_type}, but the gold answers are {description}"


def _contradicts_type(answers: Answers, answer_type: str) -> bool:
    """Return whether answers cannot have a type; a missing datatype never contradicts."""
    if answers.boolean is not None:
        return answer_type != "boolean"
    cells = answers.cells()
    if not cells:
        return False
    are_iris = [cell.type != "literal" for cell in cells]
    if answer_type == "resource":
        return not any(are_iris)
    if answer_type == "boolean":
        return any(are_iris) or not {cell.value.lower() for cell in cells} <= _BOOLEAN_TEXTS
    if answer_type in {"number", "date"}:
        return all(are_iris) or not any(re.search(r"\d", cell.value) for cell in cells)
    return all(cell.type == "uri" and _ENTITY_IRI.match(cell.value) for cell in cells)


@each_question
def gold_mixed(question: Question) -> str:
    """Find gold answers that GERBIL never matches: other answers of the question are not IRIs."""
    values = dict.fromkeys(answer_strings(question.gold))
    unmatched = never_matched(values)
    if not unmatched:
        return ""
    text = next(value for value in values if not is_gerbil_iri(value))
    iris = f"{count(len(unmatched), 'IRI')} (such as {quoted(unmatched[0])})"
    return f"GERBIL cannot match {iris}, because the gold answers also contain {quoted(text)}"


@each_question
def gold_same_twice(question: Question) -> str:
    """Find gold answers that are one resource to GERBIL, and report the first pair."""
    pairs = same_to_gerbil(answer_strings(question.gold))
    if not pairs:
        return ""
    return f"{' and '.join(map(quoted, pairs[0]))} are the same resource to GERBIL"


@each_question
def gold_several_variables(question: Question) -> str:
    """Find gold answers with more than one variable."""
    variables = question.gold.variables
    if question.gold.rows and len(variables) > 1:
        return f"the gold rows have the variables {', '.join(variables)}"
    return ""


def answers_constant(case: Case) -> Iterator[Hit]:
    """Report that all yes/no questions of a set have one answer."""
    booleans = Counter[bool]()
    for member in case.members:
        if member.gold.boolean is not None:
            booleans[member.gold.boolean] += 1
    # a few yes/no questions may all be true by chance
    if len(booleans) == 1 and booleans.total() >= _MIN_BOOLEANS:
        answer = "true" if True in booleans else "false"
        yield Hit("", f"all {booleans.total():,} yes/no questions have the answer {answer}")


@each_answers
def iri_invalid(answers: Answers) -> str:
    """Find answers that are declared as IRIs but are not valid ones."""
    return _with_example([cell.value for cell in illegal_iris(answers)], "invalid IRI")


@each_answers
def datatype_invalid(answers: Answers) -> str:
    """Find literals whose datatype is not an IRI."""
    datatypes = (cell.datatype for cell in answers.cells())
    invalid = [datatype for datatype in datatypes if datatype and not is_iri(datatype)]
    return _with_example(invalid, "invalid datatype IRI")


def _with_example(values: Sequence[str], noun: str) -> str:
    """Return the number of values with an example; empty without values."""
    if not values:
        return ""
    return f"{count(len(values), noun)}, such as {quoted(values[0])}"


@each_answers
def answer_without_value(answers: Answers) -> str:
    """Find blank answers."""
    n_blank = sum(not cell.value.strip() for cell in answers.cells())
    for wordings in answers.texts:
        if not any(wording.strip() for wording in wordings):
            n_blank += 1
    if not n_blank:
        return ""
    return count(n_blank, "blank answer")


@each_answers
def answer_damaged(answers: Answers) -> str:
    """Find literals with leading or trailing white space, or signs of a wrong encoding."""
    literals = (cell.value for cell in answers.cells() if cell.type == "literal")
    for value in filter(str.strip, literals):
        damage = find_damage(value)
        if not damage and value != value.strip():
            damage = "leading or trailing white space"
        if damage:
            return f"an answer has {damage}: {quoted(value)}"
    return ""


def answer_list(case: Case) -> Iterator[Hit]:
    """Find gold answers that look like several answers in one text.

    In formats with lists of answers, a bar or comma in an answer is part of a name.
    """
    if case.format not in _TYPED_FORMATS:
        return
    separators = listed_answers(case.members)
    for member in case.members:
        if member.id in separators:
            yield Hit(
                member.id,
                f"{quoted(member.gold.values()[0])} looks like several answers separated by"
                f" {separators[member.id]!r}",
            )


@each_answers
def answer_duplicate(answers: Answers) -> str:
    """Find duplicate answers."""
    n_duplicates = len(answers.rows) - len(set(answers.rows))
    if not n_duplicates:
        return ""
    return f"{n_duplicates:,} of {len(answers.rows):,} rows are duplicates"


def gold_by_wording(case: Case) -> Iterator[Hit]:
    """Find gold answers that differ for one query, or between the languages of a question.

    Names differ between languages, so only the number of answers, yes and no, and the digits of
    numbers and dates are compared.
    """
    first_by_query: dict[str, Question] = {}
    for member in case.members:
        if member.sparql and member.answers is not None:
            sibling = first_by_query.setdefault(" ".join(member.sparql.split()), member)
            if sibling.answers and set(sibling.answers.values()) != set(member.answers.values()):
                yield Hit(member.id, f"has the query of question {sibling.id!r} and another answer")
    if case.format != "mkqa":  # the only format with gold answers for each language
        return
    tags = set[str]().union(*(member.texts for member in case.members))
    for tag in sorted(tags):
        translations = read_questions(case.path, ReadOptions(language=tag)).by_id
        for member in case.members:
            translation = translations.get(member.id)
            if translation is not None and tag in translation.texts:
                difference = _gold_difference(member, translation)
                if difference:
                    yield Hit(member.id, f"the gold answer in {tag!r} has {difference}")


def _gold_difference(question: Question, translation: Question) -> str:
    """Return the difference between the gold answers in two languages, empty without one."""
    answers = question.answers
    translated = translation.answers
    if not answers or not translated:
        return ""
    if answers.boolean != translated.boolean:
        return "another truth value"
    if len(answers.texts) != len(translated.texts):
        return f"{count(len(translated.texts), 'answer')} and not {len(answers.texts)}"
    if question.answer_type in {"number", "date"} and _digits(answers) != _digits(translated):
        return f"other figures: {translated.texts[0][0]!r}, {answers.texts[0][0]!r}"
    return ""


def _digits(answers: Answers) -> list[list[str]]:
    """Return the digits of each answer, in any order."""
    return sorted(sorted(re.findall(r"\d+", wordings[0])) for wordings in answers.texts)


def query_answers_disagree(case: Case) -> Iterator[Hit]:
    """Find questions whose gold answers differ from the results; failed queries are skipped."""
    change_by_id = {change.question: change for change in _changes(case)}
    for member in case.members:
        response = case.executed.get(member.id)
        if response is None or response.answers is None or response.error or member.answers is None:
            continue
        gold = typed_values(member.answers)
        result = typed_values(response.answers)
        if gold == result:
            continue
        problem = _graph_difference(gold, result)
        change = change_by_id.get(member.id)
        if change and is_change(change.change):
            problem = f"{change_label(change.change)}: {problem}"
        if change and change.reason:
            problem = f"{problem}; {change.reason}"
        yield Hit(member.id, problem)


def gold_changed(case: Case) -> Iterator[Hit]:
    """Find questions whose gold answers differ in another edition."""
    if not case.executed:  # `query_answers_disagree` is about the results of a knowledge graph
        yield from (Hit(row.question, row.words) for row in _changes(case) if is_change(row.change))


def _changes(case: Case) -> tuple[Change, ...]:
    """Return the changes of the gold of a case; none without another edition."""
    if not case.changes:
        return ()
    return case.changes.rows


def typed_values(answers: Answers) -> frozenset[_Value]:
    """Return the values of answers with type, datatype and language; xsd:string counts as none.

    >>> typed_values(Answers(boolean=True))
    frozenset({True})
    """
    if answers.boolean is not None:
        return frozenset([answers.boolean])
    return frozenset(map(comparable_cell, answers.cells()))


def _graph_difference(gold: frozenset[_Value], result: frozenset[_Value]) -> str:
    """Return a sentence on values that only the gold answers or only the knowledge graph have."""
    gold_values = _untyped_values(gold)
    result_values = _untyped_values(result)
    if gold_values == result_values:
        return (
            "gold answers and knowledge graph have the same values, but different kinds, datatypes"
            " or languages"
        )

    only_gold = sorted(gold_values - result_values)
    only_graph = sorted(result_values - gold_values)
    parts = [
        f"{len(values):,} only in the {source} (such as {quoted(values[0])})"
        for source, values in (("gold", only_gold), ("knowledge graph", only_graph))
        if values
    ]

    return (
        f"of {len(gold):,} gold answers and {len(result):,} of the knowledge graph"
        f" {' and '.join(parts)}"
    )


def _untyped_values(values: frozenset[_Value]) -> set[str]:
    """Return values as texts without their type, datatype and language."""
    return {value.value if isinstance(value, Cell) else str(value).lower() for value in values}


def gerbil_refuses(case: Case) -> Iterator[Hit]:
    """Find the reasons for which GERBIL refuses a file in QALD JSON or extended QALD JSON."""
    if case.format not in {"qald-json", "qald-extended"}:
        return
    for location, rule in gerbil_complaints(load_content(Path(case.path)).text):
        id_match = _ID.match(location)
        if id_match is None:
            yield Hit("", f"{location}: {rule}")
            continue
        location_in_question = location[id_match.end() :] or location
        yield Hit(id_match[1], f"{location_in_question}: {rule}")

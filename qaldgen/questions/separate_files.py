"""Read gold answers and prefixes of queries from files apart from the question set."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.io.text import count, few_quoted
from qaldgen.io.unpacking import read_text
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.choices import (
    FIRST_CHOICE,
    are_choice_numbers,
    find_first_number,
    match_choices,
    question_choices,
)
from qaldgen.questions.result_sets import QNAME
from qaldgen.questions.values import Choices, Expected, as_terms
from qaldgen.sparql.tokens import undeclared_prefixes

#: A prefix in Turtle, in SPARQL, or in a table.
_PREFIX = re.compile(
    r"^\s*(?:@?prefix\s+)?(?P<name>[\w.-]*):?[\s,;]+<?(?P<iri>[a-z]+:[^\s<>]+?)>?[\s.]*$",
    re.IGNORECASE | re.MULTILINE,
)


def read_prefixes(path: str | Path) -> dict[str, str]:
    r"""Return the namespaces in a file, by prefix: Turtle, SPARQL, or a table of two columns.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "prefixes.ttl"
    ...     _ = file.write_text("@prefix a: <http://x.org/a#> .\nPREFIX b: <http://x.org/b/>\n")
    ...     read_prefixes(file)
    {'a': 'http://x.org/a#', 'b': 'http://x.org/b/'}
    """
    prefixes = {match["name"]: match["iri"] for match in _PREFIX.finditer(read_text(Path(path)))}
    if not prefixes:
        raise DataError(
            "has no prefix; lines such as 'PREFIX ex: <http://example.org/>' are expected",
            where=path,
        )
    return prefixes


def with_prefixes(questions: QuestionSet, path: str | Path) -> QuestionSet:
    """Declare the prefixes of a file in the queries that use them."""
    prefixes = read_prefixes(path)

    def declare_prefixes(query: str) -> str:
        undeclared = [name[:-1] for name in undeclared_prefixes(query) if name[:-1] in prefixes]
        return "".join(f"PREFIX {name}: <{prefixes[name]}>\n" for name in undeclared) + query

    with_declarations = []
    for question in questions:
        queries = {graph: declare_prefixes(query) for graph, query in question.queries.items()}
        with_declarations.append(dataclasses.replace(question, queries=queries))
    return dataclasses.replace(questions, questions=tuple(with_declarations))


def with_answers(questions: QuestionSet, key: QuestionSet) -> QuestionSet:
    """Return questions with the gold answers of another set, by their ids or texts.

    Numbers and letters of choices become the texts of these choices.
    """
    by_id = dict(key.by_id)
    for question in key:
        match = QNAME.fullmatch(question.id)  # ck25:1-en
        if match is not None:
            by_id.setdefault(match["id"], question)

    answers: dict[str, Answers] = {}
    offered: list[tuple[object, Choices]] = []
    for question in questions:
        same_question = by_id.get(question.id) or key.by_text.get(question.text())
        if same_question is None or same_question.answers is None:
            continue
        answers[question.id] = same_question.answers
        choices = question_choices(question)
        if choices is not None:
            offered.append(([row[0] for row in same_question.answers.texts], choices))

    if not answers:
        raise DataError(
            f"has no answer to a question of {questions.name}; it has {few_quoted(key.by_id)}",
            where=key.name,
        )

    first, only_numbers = find_first_number(offered), are_choice_numbers(offered)
    answered = []
    for question in questions:
        gold = answers.get(question.id)
        choices = question_choices(question)
        if gold is not None and choices is not None:
            numbered = choices._replace(first=first, only_numbers=only_numbers)
            chosen = match_choices([row[0] for row in gold.texts], numbered)
            if chosen:
                gold = Answers(texts=tuple((text,) for text in chosen))
                metadata = {**question.metadata, FIRST_CHOICE: "" if first is None else str(first)}
                question = dataclasses.replace(question, metadata=metadata)
        if gold is not None:
            expected = Expected(question.answer_type, only_terms=bool(question.sparql))
            question = dataclasses.replace(question, answers=as_terms(gold, expected))
        answered.append(question)

    notes = [f"the gold answers are those in {key.name}"]
    n_missing = len(questions) - len(answers)
    if n_missing:
        notes.append(f"{count(n_missing, 'question')} of {len(questions):,} have no answer there")
    return dataclasses.replace(
        questions, questions=tuple(answered), notes=(*questions.notes, *notes)
    )

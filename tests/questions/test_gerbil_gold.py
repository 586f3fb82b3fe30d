"""What a user is told about gold answers is what GERBIL's rules do with them."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from questions import one_column, question

import qaldgen
from qaldgen.model import Answers, Cell
from qaldgen.questions.gerbil import load_warnings, never_matched
from qaldgen.scoring.gerbil.answers import gerbil_match
from qaldgen.scoring.gerbil.same_as import same_to_gerbil

A, B = Cell("uri", "http://x.org/A"), Cell("uri", "http://x.org/B")
FIVE = Cell("literal", "5", "http://www.w3.org/2001/XMLSchema#int")
#: Texts of every kind: plain IRIs, what Java refuses, what it takes but the URL validator does not,
#: words, and near misses.
VALUES = [
    "http://x.org/a", "http://x.org/b", "http://x.org/a#b#c", "a_b:c", "http://x.org/[a]",
    "http://x.org/%5Ba%5D", "http://x.org/a b", "http://x.org/a|b", "http://x.org/100%",
    "http://x.org/Zürich", "http://x.org/Z%C3%BCrich", "http://x.org/a\u00a0b",
    "http://localhost/a", "http://x.org:8a/", "http://", "http://[::1]/", "urn:isbn:1", "wd:Q64",
    "mailto:a@x.org", "1a:b", "a:", ":a", "", " ", "5", "true", "Berlin", "12:30",
    "http://dbpedia.org/resource/Ulm", "https://dbpedia.org/resource/Ulm",
    "http://en.wikipedia.org/wiki/Ulm",
]  # fmt: skip


def gold_sets() -> list[tuple[str, ...]]:
    """Return every pair of values, and larger sets drawn at random."""
    draw = random.Random(7)
    return [
        *itertools.combinations(VALUES, 2),
        *(tuple(draw.sample(VALUES, draw.randint(1, 6))) for _ in range(500)),
    ]


def test_never_matched_is_what_a_perfect_system_misses() -> None:
    for values in gold_sets():
        assert len(never_matched(values)) == gerbil_match(values, values).fn, values


def test_what_is_one_thing_to_gerbil_is_what_a_perfect_system_misses_through_same_as() -> None:
    for values in gold_sets():
        missed = gerbil_match(values, values, same_as="offline").fn
        assert len(never_matched(values)) + len(same_to_gerbil(values)) == missed, values


@pytest.mark.parametrize(
    "broken",
    ["http://x.org/a#b#c", "a_b:c", "http://x.org/[a]", "http://x.org/a b", "http://x.org/%zz", ""],
)
def test_gold_with_something_else_than_an_iri_costs_its_perfect_run(
    tmp_path: Path, broken: str
) -> None:
    cells = ",".join(
        f'{{"x": {{"type": "uri", "value": "{value}"}}}}' for value in ("http://x.org/A", broken)
    )
    answer = f'[{{"head": {{"vars": ["x"]}}, "results": {{"bindings": [{cells}]}}}}]'
    path = tmp_path / "gold.json"
    path.write_text(
        '{"questions": [{"id": "1", "question": [{"language": "en", "string": "Who?"}],'
        f' "answers": {answer}}}]}}',
        encoding="utf-8",
    )
    assert qaldgen.score(path, path).counts["f1"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        (None, "have no gold answers in the data"),
        (Answers(), "have an empty gold answer"),
        (one_column(None), "have an empty gold answer"),
        (one_column(A, FIVE), "mix IRIs and literals in the gold"),
        (one_column(A, Cell("literal", "")), "mix IRIs and literals in the gold"),
        (one_column(A, Cell("bnode", "b0")), "mix IRIs and literals in the gold"),
        (Answers(texts=(("http://x.org/A",), ("Amber",))), "mix IRIs and literals in the gold"),
        (Answers(variables=("x", "y"), rows=((A, B),)), "have several variables in the gold rows"),
        (
            one_column(Cell("uri", "http://x.org/a b")),
            "have a gold IRI that GERBIL does not accept",
        ),
        (
            one_column(Cell("uri", "http://x.org/100%")),
            "have a gold IRI that GERBIL does not accept",
        ),
        (
            one_column(Cell("uri", "http://x.org/a#b#c")),
            "have a gold IRI that GERBIL does not accept",
        ),
    ],
)
def test_warning(gold: Answers | None, words: str) -> None:
    found = load_warnings(
        [
            question("1", answers=one_column(A)),
            question("2", answers=gold),
            question("3", answers=gold),
        ]
    )
    assert len(found) == 1
    assert found[0].startswith(f"2 of 3 questions (first: 2) {words}")


@pytest.mark.parametrize(
    "gold",
    [
        one_column(A, B),
        one_column(FIVE, Cell("literal", "cinq", "", "fr")),
        Answers(boolean=False),
        one_column(A, None),
        one_column(Cell("literal", "http://x.org/a"), A),
        Answers(texts=(("Amber", "amber"), ("Bronze",))),
        # mixed, but no system loses anything: neither is a URL to GERBIL
        one_column(Cell("uri", "urn:isbn:1"), FIVE),
        one_column(Cell("uri", "http://x.org/Zürich"), FIVE),
    ],
)
def test_no_warning(gold: Answers) -> None:
    assert load_warnings([question(answers=gold)]) == []


def test_several_warnings_of_one_question() -> None:
    given = Answers(variables=("x", "y"), rows=((Cell("uri", "http://x.org/a b"), A),))
    assert len(load_warnings([question(answers=given)])) == 3


def test_no_questions_no_warnings() -> None:
    assert load_warnings([]) == []

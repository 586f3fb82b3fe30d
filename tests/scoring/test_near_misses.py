"""Wrong answers that equal gold ones but for how they are written are told, and stay wrong."""

from __future__ import annotations

import unicodedata

import pytest

import qaldgen as qg
from qaldgen.answers.record import Response, Run
from qaldgen.model import Answers, Cell, Question, QuestionSet

IRI = "http://dbpedia.org/resource/Mühle_(Ulm)"


def term(value: str) -> Answers:
    return Answers(variables=("uri",), rows=((Cell("uri", value),),))


def scored(given: str, gold: str = IRI) -> qg.Scores:
    questions = (
        Question("1", {"en": ("Which mill is in Ulm?",)}, answers=term(gold)),
        Question("2", {"en": ("Which mill is in Bonn?",)}, answers=term("http://x.org/bonn")),
    )
    answers = {"1": Response("1", answers=term(given)), "2": Response("2", answers=term("x:other"))}
    return qg.score(QuestionSet("mills", "table", questions), Run("mine", "table", answers))


@pytest.mark.parametrize(
    ("given", "spelling"),
    [
        ("http://dbpedia.org/resource/M%C3%BChle_%28Ulm%29", "percent-encoding"),
        (f" {IRI} ", "outer spaces or brackets"),
        (f"<{IRI}>", "outer spaces or brackets"),
        ("dbr:Mühle_(Ulm)", "prefixes"),
        ("https://dbpedia.org/resource/Mühle_(Ulm)", "http and https"),
        ("http://dbpedia.org/page/Mühle_(Ulm)", "the address of a page"),
        ("http://dbpedia.org/resource/M&uuml;hle_(Ulm)", "entities of HTML"),
        (unicodedata.normalize("NFD", IRI), "forms of Unicode"),
        (
            "https://dbpedia.org/page/M%C3%BChle_(Ulm)",
            "percent-encoding with http and https with the address of a page",
        ),
    ],
)
def test_a_near_miss_is_told_and_stays_wrong(given: str, spelling: str) -> None:
    scores = scored(given)
    assert scores["macro-f1"] == 0.0
    (told,) = [note for note in scores.notes if "equal gold ones" in note]
    assert f"but for {spelling} (first: question 1" in told
    assert told.endswith("macro F1 would be 0.5000")


def test_a_page_of_wikidata_is_its_item() -> None:
    told = scored("https://www.wikidata.org/wiki/Q64", "http://www.wikidata.org/entity/Q64").notes
    assert any("macro F1 would be 0.5000" in note for note in told)


@pytest.mark.parametrize(("given", "told"), [("12,5", True), ("12,500", False)])
def test_a_decimal_comma_is_told_but_not_where_it_may_part_thousands(
    given: str, told: bool
) -> None:
    gold = given.replace(",", ".")
    notes = scored(given, gold).notes
    assert any("but for decimal commas" in note for note in notes) == told


@pytest.mark.parametrize("given", [IRI, "http://dbpedia.org/resource/Ulm"])
def test_right_and_other_answers_are_no_near_misses(given: str) -> None:
    assert not any("equal gold ones" in note for note in scored(given).notes)

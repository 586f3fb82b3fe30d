"""Names that a set gives its gold answers judge answers in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import qaldgen as qg
from qaldgen.errors import UsageError

QUESTIONS = ["Which town has the old mill?", "Which river drives it?"]
WEBQSP = {
    "Questions": [
        {
            "QuestionId": f"T-{at}",
            "RawQuestion": text,
            "Parses": [
                {
                    "Sparql": "SELECT ?x WHERE { ?x ?y ?z }",
                    "Answers": [
                        {"AnswerType": "Entity", "AnswerArgument": f"m.0{at}", "EntityName": name}
                    ],
                }
            ],
        }
        for at, (text, name) in enumerate(zip(QUESTIONS, ["Ulm", "Blau"], strict=True))
    ]
}
WITH_ALIASES = [
    {
        "ID": f"T-{at}",
        "question": text,
        "sparql": "SELECT ?x WHERE { ?x ?y ?z }",
        "answers": [{"answer_id": f"m.0{at}", "answer": name, "aliases": [f"{name}-Town"]}],
    }
    for at, (text, name) in enumerate(zip(QUESTIONS, ["Ulm", "Blau"], strict=True))
]


@pytest.mark.parametrize("gold", [WEBQSP, WITH_ALIASES])
@pytest.mark.parametrize(
    ("given", "score"),
    [
        ({"T-0": "m.00", "T-1": "m.01"}, 1.0),
        ({"T-0": "It is Ulm.", "T-1": "The Blau"}, 1.0),
        ({"T-0": "Ulm", "T-1": "m.09"}, 0.5),
    ],
)
def test_terms_and_words_are_right(gold: object, given: dict[str, str], score: float) -> None:
    assert qg.score(gold, given)["macro-f1"] == score  # type: ignore[arg-type]


def test_aliases_of_the_set_count() -> None:
    scores = qg.score(WITH_ALIASES, {"T-0": "Ulm-Town", "T-1": "Rhine"})
    assert scores.counts["f1"].tolist() == [1.0, 0.0]


def test_aliases_of_the_call_win() -> None:
    iri = "http://rdf.freebase.com/ns/m.00"
    scores = qg.score(WITH_ALIASES, {"T-0": "Ulm", "T-1": "Blau"}, aliases={iri: ["Bonn"]})
    assert scores.counts["f1"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("aliases", [{"m.00": "Ulm"}, {"m.00": None}, 3])
def test_aliases_of_the_call_are_lists_of_texts(
    aliases: object, refused: Callable[..., str]
) -> None:
    message = refused(
        lambda: qg.score(WITH_ALIASES, {"T-0": "Ulm"}, aliases=aliases),  # type: ignore[arg-type]
        UsageError,
    )
    assert message.startswith("aliases")

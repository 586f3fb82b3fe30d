"""Turtle put together from parts is what the serializer writes."""

from __future__ import annotations

import pytest
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from qaldgen.annotation.annotate import annotate
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.rdf.terms import PREFIXES

QUESTIONS = (
    Question(
        "1",
        {"en": ('What "flows"\nthere?', "What runs?"), "pt-BR": ("Que corre?",)},
        queries={"": "ASK { ?s ?p ?o }"},
    ),
    Question(
        "a/2",
        {"en": ("Which rivers are long?",)},
        answers=Answers(variables=("x",), rows=((Cell("uri", "urn:a"),),)),
    ),
    Question(
        "3",
        {"en": ("Who?",)},
        iri="http://qald-gen.aksw.org/vocab#x.y",
        flags={"hybrid": True},
        metadata={"level": "é"},
    ),
)


@pytest.mark.parametrize("r1_compat", [False, True])
def test_parts_are_put_together_as_the_serializer_does(r1_compat: bool) -> None:
    made = annotate(
        QuestionSet("some", "table", QUESTIONS, sha256="00"), r1_compat=r1_compat, cache=None
    )
    triples = [Triple(*statement) for statement in made.statements]  # type: ignore[arg-type]
    whole = (serialize(triples, format=RdfFormat.TURTLE, prefixes=PREFIXES) or b"").splitlines(
        keepends=True
    )
    head = len(PREFIXES)
    assert made.dump() == b"".join([*sorted(whole[:head]), *whole[head:]])


def test_equal_values_of_other_types_are_kept_apart() -> None:
    """True, 1 and 1.0 are equal in Python, and three different literals."""
    questions = tuple(
        Question(str(at), {"en": (text,)})
        for at, text in enumerate(["Who?", "Who is not the 1st of 2?"])
    )
    made = annotate(QuestionSet("some", "table", questions), cache=None)
    assert b"hasNegation true" in made.dump()
    assert Literal("true", datatype=NamedNode(PREFIXES["xsd"] + "boolean")) in {
        value for _, _, value in made.statements
    }

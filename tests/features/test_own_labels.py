"""Labels and mentions that a set carries itself stand for labels that nobody gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg

Call = Callable[..., Any]
WD = "http://www.wikidata.org/entity/Q"
PROP = "http://www.wikidata.org/prop/direct/P"


def query(entity: int, relation: int = 6) -> str:
    return f"SELECT ?x WHERE {{ <{WD}{entity}> <{PROP}{relation}> ?x }}"


def values(questions: qg.QuestionSet, *, language: str = "en", **how: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the features of the first question."""
    frame = qg.annotate(questions, language=language, cache=None, **how).to_frame()
    return dict(frame.iloc[0].dropna())


def qald(tmp_path: Path, keywords: str, text: str = "Who leads Old Ulm?") -> qg.QuestionSet:
    path = tmp_path / "set.json"
    wording = {"language": "en", "string": text, "keywords": keywords}
    entry = {"id": "1", "question": [wording], "query": {"sparql": query(3012)}, "answers": []}
    path.write_text(json.dumps({"questions": [entry]}), encoding="utf-8")
    return qg.load(path)


def test_the_only_name_among_keywords_is_the_only_entity(tmp_path: Path) -> None:
    found = values(qald(tmp_path, "mayor, Old Ulm"))
    assert (found["entityLabels"], found["avgEntitiesWords"]) == (("Old Ulm",), 2)
    # a mention is no label: whether the question says the label stays unknown
    assert "isExplicitEntity1" not in found


@pytest.mark.parametrize("keywords", ["mayor, town", "Old Ulm, New Ulm", ""])
def test_keywords_that_leave_a_choice_say_nothing(keywords: str, tmp_path: Path) -> None:
    assert "avgEntitiesWords" not in values(qald(tmp_path, keywords))


def test_a_given_label_goes_first(tmp_path: Path) -> None:
    found = values(qald(tmp_path, "mayor, Old Ulm"), labels={f"{WD}3012": "Ulm"})
    assert (found["entityLabels"], found["isExplicitEntity1"]) == (("Ulm",), True)


def test_names_of_answers_are_labels_for_the_whole_set() -> None:
    answer = {"type": "uri", "value": f"{WD}64", "label": "Old Bonn"}
    rows: list[dict[str, object]] = [
        {"id": "1", "question": "Who leads Old Bonn?", "sparql": query(64), "answers": ["Ida"]},
        {"id": "2", "question": "Where is it?", "sparql": query(7), "answers": [answer]},
    ]
    found = values(qg.load(rows))
    assert (found["entityLabels"], found["isExplicitEntity1"]) == (("Old Bonn",), True)


def test_a_label_in_another_script_is_none() -> None:
    answer = {"type": "uri", "value": f"{WD}64", "label": "Старый Бонн"}
    rows = [{"id": "1", "question": "Who is it?", "sparql": query(64), "answers": [answer]}]
    assert "entityLabels" not in values(qg.load(rows))


def test_lc_quad_2_names_its_entity_in_braces(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "lcq.json"
    records = [
        {
            "uid": number,
            "question": f"What is the head of Old Mill {number}?",
            "NNQT_question": f"What is the {{head of government}} of {{Old_Mill {number}}}",
            "sparql_wikidata": query(1000 + number),
            "answer": [f"{WD}{number}"],
        }
        for number in range(12)
    ]
    path.write_text(json.dumps(records), encoding="utf-8")
    found = values(qg.load(path))
    assert (found["entityLabels"], found["avgEntitiesWords"]) == (("Old Mill 0",), 3)
    features = tmp_path / "f.ttl"
    assert call("annotate", path, "--r1-compat", "-o", features).code == 0
    said = call("select", features, "-q", "listing-1.2")
    assert "12 questions, 9 features" in said.out


def test_select_names_cause_and_cure_where_labels_are_lacking(tmp_path: Path, call: Call) -> None:
    rows = [
        {"id": number, "question": f"Who leads town {number}?", "sparql": query(1000 + number)}
        | {"answers": [f"{WD}{number}"]}
        for number in range(4)
    ]
    path, features = tmp_path / "own.json", tmp_path / "f.ttl"
    path.write_text(json.dumps(rows), encoding="utf-8")
    said = call("annotate", path, "--r1-compat", "-o", features)
    assert "left out" in said.err
    assert "--labels" in said.err
    assert "--labels" in call("select", features, "-q", "listing-1.2").err
    labels = tmp_path / "labels.csv"
    labels.write_text("".join(f"{WD}{1000 + n},Town {n}\n" for n in range(4)), encoding="utf-8")
    assert (
        call("annotate", path, "--labels", labels, "--r1-compat", "-o", features, "--force").code
        == 0
    )
    assert "4 questions" in call("select", features, "-q", "listing-1.2").out

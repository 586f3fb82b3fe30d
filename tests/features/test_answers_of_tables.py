"""The answer type of own tables, and features that are left out for want of labels."""

from __future__ import annotations

from pathlib import Path

import pytest

import qaldgen as qg

WIKIDATA = "http://www.wikidata.org/entity/"


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("When was the mill built?", "1790-05-03", "date"),
        ("When did the mill burn?", "1790-05", "date"),
        ("When did it rise?", "-0044-03-15", "date"),
        ("In which year was the mill built?", "1790", "date"),
        ("How many mills are there?", "1790", "number"),
        ("How high is the mill?", "12.5", "number"),
        ("How many live there?", "1,234", "number"),
        ("Who owns the mill?", "Ann Lee", "string"),
        ("When was the mill built?", "in spring", "string"),
    ],
)
def test_texts_of_a_table_show_their_type(question: str, answer: str, kind: str) -> None:
    (values,) = qg.annotate([{"question": question, "answer": answer}], cache=None).values[0]
    assert values["answerType"] == kind


def test_an_hour_in_a_name_is_no_time() -> None:
    texts = ("Who starred in Iron Mill hour?", "At which hour did it burn?")
    annotated = qg.annotate([{"question": text} for text in texts], cache=None).values[0]
    assert [one["hasTemporal"] for one in annotated] == [False, True]


@pytest.fixture
def unlabelled() -> list[dict[str, str]]:
    """Three questions on entities that only a label names, and one that needs none."""
    query = "SELECT ?x {{ <{}> <http://www.wikidata.org/prop/direct/P{}> ?x }}"
    named = [f"{WIKIDATA}Q1", f"{WIKIDATA}Q2", f"{WIKIDATA}Q3", "http://x.org/Mill"]
    return [
        {"question": f"Who owns {n}?", "sparql": query.format(iri, n), "answer": f"{WIKIDATA}Q9"}
        for n, iri in enumerate(named, 1)
    ]


def test_annotate_says_what_labels_would_bring_and_select_names_cause_and_cure(
    unlabelled: list[dict[str, str]], tmp_path: Path
) -> None:
    annotated = qg.annotate(unlabelled, r1_compat=True, cache=None)
    assert any(
        "the entities of 3 questions" in note and "`labels`" in note for note in annotated.notes
    )
    chosen = qg.select(annotated, "listing-1.2")
    assert len(chosen) == 1
    assert any("selects 1 of 4 questions" in note for note in chosen.notes)
    assert any("annotate' with `labels`" in note for note in chosen.notes)
    table = tmp_path / "labels.csv"
    table.write_text("iri,label\n" + "".join(f"{WIKIDATA}Q{n},Mill {n}\n" for n in range(1, 4)))
    labelled = qg.annotate(unlabelled, labels=table, r1_compat=True, cache=None)
    assert not any("the entities" in note for note in labelled.notes)
    assert len(qg.select(labelled, "listing-1.2")) == 4

"""Published question sets, where they are at hand: how many questions, and what they say."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from qaldgen.errors import DataError
from qaldgen.model import QuestionSet
from qaldgen.questions.reading import READERS, read_questions

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
#: Format, questions, left out, answers unknown, empty answers, questions with a query, ids that
#: occurred before.
COUNTS = {
    "qald/qald-9-train-multilingual.json": ("qald-json", 408, 0, 0, 0, 408, 0),
    "qald/qald-9-test-multilingual.json": ("qald-json", 150, 0, 0, 0, 150, 0),
    "qald/qald_9_plus_test_dbpedia.json": ("qald-json", 150, 0, 0, 35, 150, 0),
    "qald/qald-7-test-en-wikidata.json": ("qald-json", 50, 0, 0, 0, 50, 0),
    "qald/qald-6-test-multilingual.json": ("qald-json", 100, 0, 4, 1, 96, 0),
    "kbqa-answers/qald-9-train/QAKIS.json": ("qald-json", 408, 0, 0, 45, 363, 0),
    "lc-quad/train-data.json": ("lc-quad", 4000, 0, 4000, 0, 4000, 0),
    "lc-quad/test-data.json": ("lc-quad", 1000, 0, 1000, 0, 1000, 0),
    "rubq/RuBQ_2.0_dev.json": ("rubq", 580, 0, 0, 100, 480, 0),
    "simplequestions-wikidata/annotated_wd_data_valid_answerable.txt": (
        "simplequestions-wikidata",
        2821,
        0,
        0,
        0,
        2821,
        0,
    ),
    "poleval-2021/dev-0": ("poleval", 1000, 0, 0, 0, 0, 0),
    "poleval-2021/test-A": ("poleval", 2500, 0, 0, 0, 0, 0),
    "poleval-2021/test-B": ("poleval", 2500, 0, 2500, 0, 0, 0),
    "smart/smarttask_dbpedia_train.json": ("smart", 17494, 77, 17494, 0, 0, 274),
    "llm-answers/qald-9/questions.json": ("gpt-family", 558, 0, 0, 0, 558, 0),
    "poquad/data.json": ("squad", 2377, 0, 0, 466, 0, 0),
    "qaldgen-r1/QaldGen-RDF.zip": ("rdf", 5543, 0, 0, 1661, 5543, 0),
}


def published(name: str) -> QuestionSet:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the published data are not at {path}; set QALDGEN_TEST_DATA to their folder")
    return read_questions(path)


@pytest.mark.parametrize("name", [name for name, row in COUNTS.items() if row[0] in READERS])
def test_counts(name: str) -> None:
    found = published(name)
    questions = found.questions
    assert (
        found.format,
        len(questions),
        len(found.left_out),
        sum(q.answers is None for q in questions),
        sum(q.answers is not None and not q.answers.values() for q in questions),
        sum(bool(q.queries) for q in questions),
        sum("#" in q.id for q in questions),
    ) == COUNTS[name]


def test_qald_9_answer_types_and_languages() -> None:
    questions = published("qald/qald-9-train-multilingual.json").questions
    assert Counter(q.answer_type for q in questions) == {
        "resource": 293,
        "number": 52,
        "string": 11,
        "date": 15,
        "boolean": 37,
    }
    assert {q.split for q in questions} == {"train"}
    languages = Counter(tag for q in questions for tag in q.texts)
    assert (languages["en"], languages["hi-IN"], languages["pt-BR"]) == (408, 404, 4)
    assert {graph for q in questions for graph in q.queries} == {"dbpedia"}


def test_qald_9_flags() -> None:
    questions = published("qald/qald-9-test-multilingual.json").questions
    assert Counter(q.flags["aggregation"] for q in questions) == {True: 11, False: 139}
    assert Counter(q.flags["onlydbo"] for q in questions) == {True: 120, False: 30}


def test_qald_9_plus_has_several_wordings() -> None:
    questions = published("qald/qald_9_plus_test_dbpedia.json").questions
    assert sum(any(len(wordings) > 1 for wordings in q.texts.values()) for q in questions) == 140
    assert sum(q.answers is not None and q.answers.boolean is not None for q in questions) == 4


def test_qald_7_is_over_wikidata() -> None:
    assert {
        graph
        for q in published("qald/qald-7-test-en-wikidata.json").questions
        for graph in q.queries
    } == {"wikidata"}


def test_lc_quad_has_its_templates() -> None:
    questions = [
        *published("lc-quad/train-data.json").questions,
        *published("lc-quad/test-data.json").questions,
    ]
    assert len({q.metadata["template"] for q in questions}) == 38
    assert len({q.id for q in questions}) == 5000


def test_rubq_is_bilingual_and_of_two_versions() -> None:
    questions = published("rubq/RuBQ_2.0_dev.json").questions
    assert Counter(q.origin for q in questions) == {"RuBQ 1.0": 300, "RuBQ 2.0": 280}
    assert all(set(q.texts) == {"ru", "en"} for q in questions)


def test_simple_questions_inverse_properties_turn_the_query_round() -> None:
    questions = published(
        "simplequestions-wikidata/annotated_wd_data_valid_answerable.txt"
    ).questions
    inverse = [q for q in questions if q.said("property").startswith("R")]
    assert inverse
    assert all(q.sparql.startswith("SELECT ?x WHERE { ?x <") for q in inverse)


def test_published_r1_has_two_origins() -> None:
    questions = published("qaldgen-r1/QaldGen-RDF.zip").questions
    assert Counter(q.origin for q in questions) == {"SDA-5000-QA": 4999, "qald9": 544}


@pytest.mark.parametrize(
    "name", ["mintaka/example_kg_predictions.json", "system-scores/F_qald9_en.csv", "registry.tsv"]
)
def test_what_is_no_question_set_is_refused(name: str) -> None:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the published data are not at {path}; set QALDGEN_TEST_DATA to their folder")
    with pytest.raises(
        DataError, match="is not a question set in a known format; it looks like a "
    ):
        read_questions(path)

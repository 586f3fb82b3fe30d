"""The own columns of a question set are features: in RDF, in tables, in every verb."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import qaldgen as qg
from qaldgen.analysis.feature_table import slices_of
from qaldgen.analysis.slices.slicing import slices_by
from qaldgen.annotation.statements import question_iri
from qaldgen.cli.main import cli
from qaldgen.rdf.terms import column_iri

RECORDS = [
    {
        "id": str(n), "question": f"How old is mill {n}?", "answer": str(n),
        "comp_level": n % 3, "TYPE": "hard" if n % 2 else "easy", "checked": n > 5,
        "share": n / 4, "modifiers": ["count", "or"] if n % 4 == 0 else ["max"],
    }
    for n in range(12)
]  # fmt: skip


@pytest.fixture
def gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set with own columns, and a run that knows the easy half."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(RECORDS), encoding="utf-8")
    given = {one["id"]: one["answer"] if one["TYPE"] == "easy" else "x" for one in RECORDS}
    rows = "".join(f"{name},{answer}\n" for name, answer in given.items())
    (tmp_path / "run.csv").write_text(f"id,answer\n{rows}", encoding="utf-8")
    return path


def said(*words: str) -> str:
    """Call the command line, and return what it prints."""
    result = CliRunner().invoke(cli, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_values_have_the_type_of_the_column(gold: Path) -> None:
    values = qg.annotate(gold, cache=None).values[0][0]
    row = [values[name] for name in ("comp_level", "TYPE", "checked", "share", "modifiers")]
    assert row == [0, "easy", False, 0.0, ("count", "or")]
    assert [type(value) for value in row] == [int, str, bool, float, tuple]


def test_a_table_and_json_give_the_same_features(tmp_path: Path) -> None:
    names = ["id", "question", "answer", "comp_level", "TYPE", "checked", "share"]
    lines = [",".join(names)]
    lines += [",".join(str(one[name]).lower() for name in names) for one in RECORDS]
    (tmp_path / "mine.csv").write_text("\n".join(lines), encoding="utf-8")
    table = qg.annotate(tmp_path / "mine.csv", cache=None).to_frame()
    frame = qg.annotate(RECORDS, cache=None).to_frame()
    for name in names[3:]:
        assert table[name].tolist() == frame[name].tolist()


def test_they_are_in_the_rdf_in_the_namespace_of_the_set_and_declared(gold: Path) -> None:
    store = qg.annotate(gold, cache=None).store()
    level, modifiers = column_iri("mine", "comp_level"), column_iri("mine", "modifiers")
    assert store.ask(f"ASK {{ ?q <{level}> 2 }}")
    assert store.ask(f"ASK {{ ?q <{modifiers}> 'count', 'or' }}")
    assert store.ask(
        "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"
        f"ASK {{ <{level}> rdfs:label 'comp_level' ; rdfs:range ?kind ;"
        " rdfs:isDefinedBy <http://qald-gen.aksw.org/dataset/mine> }"
    )


def test_a_column_with_the_name_of_a_feature_does_not_replace_it() -> None:
    record = {"question": "Who is she?", "answer": "Ann", "length": 40}
    table = qg.annotate([record], cache=None).to_frame()
    assert (table["length"].tolist(), table["length (own)"].tolist()) == ([3], [40])


def test_they_come_back_from_the_rdf(gold: Path, tmp_path: Path) -> None:
    qg.annotate(gold, cache=None).save(tmp_path / "features.ttl")
    before, after = (
        qg.annotate(name, cache=None).to_frame() for name in (gold, tmp_path / "features.ttl")
    )
    names = ["comp_level", "TYPE", "checked", "share", "modifiers"]
    assert before[names].to_numpy().tolist() == after[names].to_numpy().tolist()


def test_score_and_slices_have_them_by_name(gold: Path) -> None:
    shown = said("score", str(gold), "run.csv", "--match", "exact", "--by", "TYPE,checked")
    assert "TYPE = easy and checked = no" in shown or "TYPE: easy" in shown
    shown = said("score", str(gold), "run.csv", "--match", "exact", "--by", "modifiers")
    assert "count" in shown
    asked = slices_by(qg.annotate(gold, cache=None).to_frame(), "comp_level")
    assert [len(one) for one in asked] == [4, 4, 4]


@pytest.mark.parametrize("name", ["comp_level", "TYPE", "checked", "share", "modifiers"])
def test_slices_by_them_name_the_property_in_sparql(name: str, gold: Path) -> None:
    store = qg.annotate(gold, cache=None).store()
    questions = qg.load(gold)
    ids = {question_iri(questions, question): question.id for question in questions}
    tables = (qg.evaluate(gold, ()).features, qg.annotate(gold, cache=None).to_frame())
    made, annotated = (slices_by(table, name) for table in tables)
    assert [part.sparql for part in annotated] == [part.sparql for part in made]
    for part in made:
        assert f"<{column_iri('mine', name)}>" in part.sparql, part.name
        found = [str(row[0]).strip("<>") for row in store.select(part.sparql).rows]
        assert {ids[iri] for iri in found} == set(part.ids)


def test_a_condition_selects_a_slice_by_its_property(gold: Path) -> None:
    text = "comp_level = 2 and TYPE != easy"
    made = qg.evaluate(gold, ())
    (part,) = slices_of(made, (), text)
    assert 0 < len(part) < 12
    store = qg.annotate(gold, cache=None).store()
    assert len(store.select(part.sparql).rows) == len(part)
    with pytest.raises(qg.DataError, match="no question fulfils it"):
        slices_of(made, (), "comp_level = 77")
    shown = said("score", str(gold), "run.csv", "--match", "exact", "--where", text)
    assert "comp_level = 2 and TYPE != easy" in shown


def test_select_sample_and_describe_have_them(gold: Path) -> None:
    said("annotate", str(gold), "-o", "f.ttl")
    assert "comp_level" in said("describe", "f.ttl")
    query = f"SELECT ?qId ?level {{ ?qId <{column_iri('mine', 'comp_level')}> ?level }}"
    assert qg.select("f.ttl", query).raw[:3].ravel().tolist() == [0, 1, 2]
    said("sample", "f.ttl", "-n", "2", "--where", "comp_level = 2 and TYPE = hard", "-q", "text",
         "-o", "some.ttl", "-o", "some.csv", "-o", "some.json")  # fmt: skip
    for name in ("some.ttl", "some.csv", "some.json"):
        chosen = qg.load(name)
        assert {one.said("comp_level") for one in chosen} == {"2"}, name
        assert {one.said("TYPE") for one in chosen} == {"hard"}, name
        assert {one.said("modifiers") for one in chosen} <= {"max", "count, or"}, name


def test_a_report_has_them(gold: Path) -> None:
    said("report", str(gold), "run.csv", "--match", "exact", "--by", "TYPE", "-o", "r.html")
    assert "hard" in Path("r.html").read_text(encoding="utf-8")


def test_the_note_says_what_they_are(gold: Path) -> None:
    notes = " ".join(qg.load(gold).notes)
    assert "features under their own names: 'comp_level', 'TYPE'" in notes


def test_answers_of_systems_are_no_features() -> None:
    records = [{"question": "Who?", "gold": "Ann", "gpt_answer": "Bob", "level": 1}] * 2
    names = set(map(str, qg.annotate(records, cache=None).to_frame()))
    assert "level" in names
    assert not {name for name in names if "gpt" in name}

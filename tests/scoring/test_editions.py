"""Editions of the gold: what changed, why, and what it does to scores and ranks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import Call
from pyoxigraph import Literal, NamedNode, Quad
from questions import literal, one_column, question, run_of, uri
from sparql_servers import StubServer, status

import qaldgen as qg
from qaldgen.analysis.scores_by_edition import editions_of
from qaldgen.answers.changes import CHANGES, classify_change
from qaldgen.benchmark.editions import Changes, compare_editions, compare_executed, dump_edition
from qaldgen.benchmark.gold import Gold, as_gold, load_gold
from qaldgen.errors import DataError, UsageError
from qaldgen.features.catalogue import all_features
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.questions.writing import dump_qald
from qaldgen.scoring.judging import on_editions
from qaldgen.scoring.rules import Rules
from qaldgen.stores.endpoint import Endpoint

X = "http://x.org/"
TURTLE = f"@prefix : <{X}> . :Amber a :River ; :mouth :Sea . :Birch a :River ; :mouth :Lake ."
RIVERS = f"SELECT ?x {{ ?x a <{X}River> }}"
MOUTHS = f"SELECT ?x {{ <{X}Amber> <{X}mouth> ?x }}"


def of(*names: str) -> Answers:
    return one_column(*(uri(X + name) for name in names))


def edition(name: str, *members: Question) -> QuestionSet:
    return QuestionSet(name, "qald-json", members)


def saved(path: Path, questions: QuestionSet) -> Path:
    path.write_bytes(dump_qald(questions.questions, questions.name))
    return path


RIVER_SET = edition(
    "rivers",
    question("1", "Which rivers are there?", query=RIVERS, answers=of("Amber", "Birch")),
    question("2", "Where does Amber end?", query=MOUTHS, answers=of("Sea")),
)


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(TURTLE).running() as running:
        yield running


def rename(server: StubServer, old: str, new: str) -> None:
    """Give a property another name in a store that is being served."""
    for quad in list(server.store.quads_for_pattern(None, NamedNode(X + old), None)):
        server.store.remove(quad)
        server.store.add(Quad(quad.subject, NamedNode(X + new), quad.object))


# --- classes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        (of("a", "b"), of("b", "a"), "equal"),
        (one_column(literal("7")), one_column(literal("7", "integer")), "equal"),
        (None, of(), "equal"),
        (of("a"), of(), "empty-now"),
        (of(), of("a"), "filled-now"),
        (of("a"), of("a", "b"), "more"),
        (of("a", "b"), of("a"), "fewer"),
        (of("a", "b"), of("b", "c"), "overlapping"),
        (of("a"), of("b"), "disjoint"),
        (Answers(boolean=True), Answers(boolean=False), "disjoint"),
        (of("a"), one_column(literal("a")), "another-type"),
        (Answers(boolean=True), of("a"), "another-type"),
        (of("a"), None, "not-executable"),
        (one_column(literal("+157")), one_column(literal("157", "decimal")), "equal"),
        (one_column(literal("157.50")), one_column(literal("+157.5")), "equal"),
        (one_column(literal("157")), one_column(literal("-157")), "disjoint"),
        (one_column(literal("+157", language="en")), one_column(literal("157")), "disjoint"),
    ],
)
def test_change_has_its_class(before: Answers | None, now: Answers, kind: str) -> None:
    assert classify_change(before, now) == kind


def test_feature_has_every_class() -> None:
    assert all_features()["goldChanged"].codes == CHANGES


# --- two files ------------------------------------------------------------------------------------


def test_questions_are_matched_by_text_and_query_and_id() -> None:
    old = edition("old", question("1", "Who?"), question("2", "What is it?", query=RIVERS),
        question("3", "Where to?"), question("4", "When?"))  # fmt: skip
    new = edition("new", question("1", "who"), question("2", "Which is it?", query=f" {RIVERS}"),
        question("3", "Whereto?"), question("9", "Why?"))  # fmt: skip
    found = compare_editions(old, new)
    assert found.matched == {"text": 1, "query": 1, "id": 1}
    assert (found.only_gold, found.only_other) == (("4",), ("9",))


def test_numbers_of_another_set_match_nothing() -> None:
    old, new = edition("a", question("1", "Who?")), edition("b", question("1", "How many?"))
    with pytest.raises(DataError, match="no other edition"):
        compare_editions(old, new)


def test_reason_is_what_differs_between_the_queries() -> None:
    now = question("2", "Where does Amber end?", query=MOUTHS.replace("mouth", "end"))
    (row,) = compare_editions(RIVER_SET, edition("new", now)).rows
    assert row.reason == f"another query without <{X}mouth>, with <{X}end>"


def test_editions_of_qald_9_differ_in_98_answers(shared_data: Path) -> None:
    old = shared_data / "qald" / "qald-9-test-multilingual.json"
    new = shared_data / "qald" / "qald_9_plus_test_dbpedia.json"
    if not old.exists():
        pytest.skip(f"QALD-9 is not at {old}; set QALDGEN_TEST_DATA to the folder of the data")
    changes = compare_editions(qg.load(old), qg.load(new))
    counts = changes.counts()
    assert len(changes.changed) == 98
    assert (counts["equal"], counts["empty-now"]) == (52, 35)
    assert counts["disjoint"] + counts["another-type"] == 18
    assert counts["more"] + counts["fewer"] + counts["overlapping"] == 45
    # published figure for a system that answers exactly the older gold
    on_new = qg.score(old, old, also_gold=new).editions["qald_9_plus_test_dbpedia"]
    assert round(on_new["macro-f1"], 3) == 0.516


# --- a live store ---------------------------------------------------------------------------------


def executed(path: Path, source: Endpoint, journal: Path | None = None) -> Changes:
    questions = qg.load(path)
    return compare_executed(questions.questions, source, name=questions.name, journal=journal)[0]


def test_property_that_no_longer_occurs_is_the_reason(server: StubServer, tmp_path: Path) -> None:
    path, source = saved(tmp_path / "rivers.json", RIVER_SET), Endpoint(server.url)
    assert not executed(path, source).changed
    rename(server, "mouth", "flowsInto")
    after = executed(path, source)
    assert after.changed == ("2",)
    assert after.rows[1].change == "empty-now"
    assert after.rows[1].reason == f"no longer in the data: <{X}mouth>"


def test_label_that_no_longer_occurs_is_the_reason(server: StubServer, tmp_path: Path) -> None:
    by_name = f'SELECT ?x {{ ?x <{X}name> "Amber"@en }}'
    rivers = edition("rivers", question("1", "What is Amber?", query=by_name, answers=of("Amber")))
    longer = Literal("Amber River", language="en")
    server.store.add(Quad(NamedNode(f"{X}Amber"), NamedNode(f"{X}name"), longer))
    changes = executed(saved(tmp_path / "rivers.json", rivers), Endpoint(server.url))
    assert changes.rows[0].reason == 'no longer in the data: "Amber"@en'


def test_failure_is_no_change_and_is_tried_again(server: StubServer, tmp_path: Path) -> None:
    path, journal = saved(tmp_path / "rivers.json", RIVER_SET), tmp_path / "answers.jsonl"
    source = Endpoint(server.url)
    server.steps = [status(400)]
    first = executed(path, source, journal)
    assert [row.change for row in first.rows] == ["not-executable", "equal"]
    assert not first.changed
    asked = len(server.requests)
    second = executed(path, source, journal)
    assert second.counts()["equal"] == 2
    again = [seen.query for seen in server.requests[asked:]]
    assert "2 gold queries: 2 answered; 1 of them from the journal" in str(second)
    assert any(X + "River" in query for query in again)
    assert not any(X + "mouth" in query for query in again)


def test_edition_has_date_source_and_hash_and_is_never_replaced(
    server: StubServer, call: Call, tmp_path: Path
) -> None:
    gold = saved(tmp_path / "rivers.json", RIVER_SET)
    first, second = tmp_path / "gold-1.json", tmp_path / "gold-2.json"
    assert call("export", gold, "--gold-from", server.url, "-o", first).code == 0
    server.store.add(Quad(NamedNode(f"{X}Amber"), NamedNode(f"{X}mouth"), Literal("Delta")))
    assert call("export", gold, "--gold-from", server.url, "-o", second).code == 0
    again = call("export", gold, "--gold-from", server.url, "-o", first, "--force")
    assert again.code == 2 and "never written over" in again.err
    one, two = qg.load(first), qg.load(second)
    date, digest, source = one.edition.split("@")
    assert date.endswith("Z") and source == server.url.removeprefix("http://")
    assert digest != two.edition.split("@")[1]
    assert [each.metadata["goldChanged"] for each in two] == ["equal", "more"]
    assert one.edition in call("describe", first).out
    assert compare_editions(one, two).changed == ("2",)


def test_no_edition_is_written_where_nothing_was_answered(call: Call, tmp_path: Path) -> None:
    gold = saved(tmp_path / "rivers.json", RIVER_SET)
    said = call("export", gold, "--gold-from", "http://127.0.0.1:9/q", "-o", tmp_path / "new.json")
    assert said.code == 1 and "no gold query was answered" in said.err
    assert not (tmp_path / "new.json").exists()


def test_signature_names_the_edition(server: StubServer, call: Call, tmp_path: Path) -> None:
    gold, features = saved(tmp_path / "rivers.json", RIVER_SET), tmp_path / "features.ttl"
    assert call("annotate", gold, "--gold-from", server.url, "-o", features).code == 0
    turtle = features.read_text(encoding="utf-8")
    assert "prov:generatedAtTime" in turtle and "qaldgen:goldEdition" in turtle
    drawn = qg.sample(qg.select(features, query="text"), 1, method="random")
    line = next(part for part in drawn.signature.split("|") if part.startswith("gold:"))
    assert line.endswith(server.url.removeprefix("http://"))
    drawn.save(tmp_path / "bench.ttl")
    assert qg.load_benchmark(tmp_path / "bench.ttl").provenance == drawn.provenance
    drawn.save(tmp_path / "bench.json")
    assert qg.load(tmp_path / "bench.json").edition == line.removeprefix("gold:")


def test_an_edition_has_the_weights_and_clusters_of_its_gold(tmp_path: Path) -> None:
    gold = Gold(
        RIVER_SET,
        weights={"1": 30.0, "2": 1.0},
        clusters={"1": 2, "2": 1},
        inclusion={"1": 0.25, "2": 0.5},
    )
    path = tmp_path / "new.json"
    path.write_bytes(dump_edition(gold, RIVER_SET))
    found = load_gold(path)
    assert found.weights == gold.weights
    assert found.clusters == gold.clusters
    assert found.inclusion == gold.inclusion


# --- scores ---------------------------------------------------------------------------------------


def two_editions() -> tuple[QuestionSet, QuestionSet]:
    old = [question(str(n), f"Question {n}?", answers=of(f"a{n}")) for n in range(10)]
    new = [question(str(n), f"Question {n}?", answers=of("b" if n < 6 else f"a{n}"))
        for n in range(10)]  # fmt: skip
    return edition("old", *old), edition("new", *new)


def test_scores_are_ranges_and_the_changed_questions_explain_the_flip() -> None:
    old, new = two_editions()
    given = {str(n): of(f"a{n}") for n in range(8)}
    modern = {str(n): of("b" if n < 6 else f"a{n}") for n in range(10)}
    runs = [run_of(**given), run_of(**modern)]
    named = [
        qg.Run(name, run.format, run.responses) for name, run in zip(("A", "B"), runs, strict=True)
    ]
    scored = [qg.score(old, run, also_gold=new) for run in named]
    table = scored[0].measures()
    ends = (table["least"]["macro-f1"], table["most"]["macro-f1"])
    assert ends == pytest.approx((0.2, 0.8), abs=0.0005)
    found = editions_of(scored)
    assert found is not None and (found.changed, found.questions) == (6, 10)
    (told,) = found.flips()
    assert told.endswith("A leads B by 0.400 on old, B leads A by 0.800 on new.")
    parts = found.pairs[["difference", "changed", "unchanged"]].round(3).to_numpy().tolist()
    assert parts == [[0.4, 0.6, -0.2], [-0.8, -0.6, -0.2]]
    made = qg.report(old, scored)
    assert made.editions == (told,)
    assert told in made.findings.overall
    assert qg.report(qg.evaluate(old, named, also_gold=new)).editions == (told,)


def test_unmatched_questions_keep_their_gold() -> None:
    old, new = two_editions()
    new = edition("new", *new.questions[5:7])
    scored = qg.score(old, run_of(**{str(n): of(f"a{n}") for n in range(10)}), also_gold=[new])
    assert round(scored.editions["new"]["macro-f1"], 3) == 0.9
    assert any("8 questions are not there" in note for note in scored.notes)


def test_changed_questions_are_slices(call: Call, tmp_path: Path) -> None:
    old, new = two_editions()
    files = saved(tmp_path / "old.json", old), saved(tmp_path / "new.json", new)
    said = call("score", files[0], files[0], "--also-gold", files[1], "--by", "goldChanged",
        "--format", "json")  # fmt: skip
    assert said.code == 0, said.err
    sizes = {row["slice"]: row["n"] for row in json.loads(said.out)}
    assert sizes == {"(all)": 10, "goldChanged = disjoint": 6, "goldChanged = equal": 4}


def test_judges_verdicts_hold_for_one_edition() -> None:
    gold, new = map(as_gold, two_editions())
    judged = dataclasses.replace(qg.score(gold, run_of(**{"0": of("a0")})), rules=Rules("judge"))
    with pytest.raises(UsageError, match="hold for one"):
        on_editions(gold, [judged], [new])


def test_compare_and_slices_know_what_changed() -> None:
    old, new = two_editions()
    runs = [
        qg.Run(name, "x", run_of(**{str(n): of(f"{name}{n}") for n in range(10)}).responses)
        for name in ("a", "b")
    ]
    told = "6 of 10 gold answers differ in new"
    assert told in qg.compare(qg.evaluate(old, runs, also_gold=new)).notes
    assert told in qg.slices(qg.evaluate(old, runs, also_gold=new)).notes
    assert (
        "goldChanged"
        in qg.compare(qg.evaluate(old, runs, also_gold=new), by="goldChanged").winners.index[1]
    )


# --- a run that equals the gold -------------------------------------------------------------------


def test_run_that_equals_the_gold_is_noted() -> None:
    old, _ = two_editions()
    same = {str(n): of(f"a{n}") for n in range(10)}
    note = "mine: all 10 answers equal the gold"
    assert any(told.startswith(note) for told in qg.score(old, run_of(**same)).notes)
    other = run_of(**{**same, "3": of("b")})
    assert not any("equal the gold" in told for told in qg.score(old, other).notes)

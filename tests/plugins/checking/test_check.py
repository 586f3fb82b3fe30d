"""What is wrong with files is found, and nothing is said of what is right."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from calls import Call
from questions import question
from sink import listening

from qaldgen.answers.record import DUPLICATE_ID, Response, Run
from qaldgen.benchmark.editions import Changes, compare_editions
from qaldgen.errors import UsageError
from qaldgen.features.compute import stream_features
from qaldgen.model import Answers, Cell, LeftOut, Question, QuestionSet, Remark
from qaldgen.plugins.checking import Checked, check, query_rules, text_rules
from qaldgen.plugins.checking.checks import LEVELS, Case, Finding, Rule
from qaldgen.plugins.checking.findings_report import format_findings
from qaldgen.plugins.checking.gold_rules import query_answers_disagree as disagree
from qaldgen.plugins.checking.lint_rules import RULES, chosen_rules
from qaldgen.plugins.checking.query_rules import query_not_executed
from qaldgen.questions.listed_answers import LOOKS_LIKE_LISTS
from qaldgen.questions.question_texts import NO_TEXT, UNANSWERABLE
from qaldgen.rdf.terms import QALDGEN, XSD
from qaldgen.stores.local import open_file

ROOT = Path(__file__).resolve().parents[3]
BRIDGE = "http://x.org/r/Amber_Bridge"
QUERY = f"SELECT ?x {{ <{BRIDGE}> <http://x.org/o/builder> ?x }}"


def rows(*values: str | Cell, variable: str = "x") -> Answers:
    """Return answers with one variable; a text that starts with http is an IRI."""
    cells = [
        (
            value
            if isinstance(value, Cell)
            else Cell("uri" if value.startswith("http") else "literal", value)
        )
        for value in values
    ]
    return Answers(variables=(variable,), rows=tuple((cell,) for cell in cells))


def about_bridge(name: str = "1", text: str = "", **changes: object) -> Question:
    given: dict[str, object] = {
        "text": text or f"Who built bridge number {name}?",
        "query": QUERY,
        "answers": rows(f"http://x.org/r/Builder_{name.replace(' ', '_')}"),
        "answer_type": "resource",
    }
    return question(name, **{**given, **changes})  # type: ignore[arg-type]


def of(*members: Question, left_out: tuple[LeftOut, ...] = (), **more: object) -> Case:
    members = members or (about_bridge(),)
    return Case("set.json", QuestionSet("set", "records", members, left_out), **more)  # type: ignore[arg-type]


def edition(answers: Answers) -> Changes:
    """Return how another edition with these answers differs."""
    now = QuestionSet("now", "records", (about_bridge(answers=answers),))
    return compare_editions(QuestionSet("set", "records", (about_bridge(),)), now)


def noted(note: str) -> Case:
    case = of()
    return dataclasses.replace(
        case, questions=case.questions and dataclasses.replace(case.questions, notes=(note,))
    )


def in_table(one: Question) -> Case:
    return Case("set.csv", QuestionSet("set", "table", (one,)))


def changed(**changes: object) -> Case:
    """Return two questions; the second has these changes."""
    return of(about_bridge("1"), about_bridge("2", **changes))  # type: ignore[arg-type]


def run_of(*responses: Response, gold: int = 0, notes: tuple[str, ...] = ()) -> Case:
    """Return a run; its gold has the questions 1, 2, ... `gold`."""
    given = responses or (response("1"),)
    known = (
        QuestionSet("gold", "records", tuple(about_bridge(str(n)) for n in range(1, gold + 1)))
        if gold
        else None
    )
    return Case(
        "run.json", run=Run("system", "records", {one.id: one for one in given}, notes), gold=known
    )


def response(name: str, *values: str, **changes: object) -> Response:
    return Response(
        **{"id": name, "answers": rows(*(values or (f"http://x.org/r/Found_{name}",))), **changes}  # type: ignore[arg-type]
    )


YES = Answers(boolean=True)
MANY = tuple(
    about_bridge(str(n), answers=YES, queries={"": f"ASK {{ <{BRIDGE}> ?p {n} }}"})
    for n in range(20)
)
OTHER = rows("http://x.org/r/Someone_Else")

#: Rule to a case in which it is broken, and one near it in which it is not.
CASES: dict[str, tuple[Case, Case]] = {
    "id-duplicate": (of(about_bridge("7"), about_bridge("7#2")),
        of(about_bridge("7"), about_bridge("8#2"))),
    "left-out": (of(left_out=(LeftOut("9", "no usable record"),)),
        of(left_out=(LeftOut("9", NO_TEXT),))),
    "record-broken": (of(left_out=(LeftOut("9", "is a number", broken=True),)),
        of(left_out=(LeftOut("9", NO_TEXT),))),
    "set-note": (noted("the key 'id' stands twice"),
        noted(Remark("1 answer", rule=LOOKS_LIKE_LISTS))),
    "out-of-scope": (of(left_out=(LeftOut("9", UNANSWERABLE),)),
        of(left_out=(LeftOut("9", NO_TEXT),))),
    "text-empty": (of(left_out=(LeftOut("9", NO_TEXT),)),
        of(left_out=(LeftOut("9", UNANSWERABLE),))),
    "text-duplicate": (
        of(about_bridge("1", "Who built it?"), about_bridge("2", "who built  it")),
        of(about_bridge("1", "Who built it?"), about_bridge("2", "Who built them?")),
    ),
    "text-damaged": (changed(text="Who built the Caf\u00c3\u00a9?"),
        changed(text="Who built the Caf\u00e9 \u2013 and why?")),
    "text-fragment": (changed(text="How many "), changed(text="How many bridges?")),
    "text-untrimmed": (changed(text="Who built  it?"), changed(text="Who built it?")),
    "text-untranslated": (
        changed(texts={"en": ("Who built the bridge?",), "de": ("Who built the bridge?",)}),
        changed(texts={"en": ("Who built the bridge?",), "de": ("Wer baute sie?",)}),
    ),
    "language-missing": (
        of(*(about_bridge(str(n),
                    texts={"en": (f"Who {n}?",), "de": (f"Wer {n}?",)}) for n in range(3)),
                    about_bridge("9")),
        of(
            *(about_bridge(str(n)) for n in range(3)),
            *(about_bridge(n, texts={"en": (n,), "de": (f"{n}?",)}) for n in ("8", "9")),
        ),
    ),
    "language-other": (
        changed(text="Wer hat die alte Mühle am Fluss gebaut?"),
        changed(texts={"de": ("Wer hat die alte Mühle am Fluss gebaut?",),
                "en": ("Who built the Alte Mühle am Fluss?",)}),
    ),
    "language-tag": (changed(texts={"english": ("Who built it?",)}),
        changed(texts={"pt-BR": ("Quem a construiu?",)})),
    "query-unparsable": (changed(queries={"": "SELECT ?x { ?x "}),
        changed(queries={"": "SELECT COUNT(?x) { ?x ?y ?z }"})),
    "query-repaired": (changed(queries={"": "SELECT COUNT(?x) { ?x ?y ?z }"}),
        changed(queries={"": "ASK { ?x ?y ?z }"})),
    "query-distinct-count": (
        changed(queries={"": "SELECT DISTINCT (COUNT(?x) AS ?n) { ?x ?y ?z }"}),
        changed(queries={"": "SELECT DISTINCT (COUNT(DISTINCT ?x) AS ?n) { ?x ?y ?z }"})),
    "query-limit-unordered": (
        changed(queries={"": "SELECT ?x { { SELECT ?x { ?x ?y ?z } LIMIT 2 } ?x ?a ?b }"}),
        changed(queries={"": "SELECT ?x { ?x ?y ?z } ORDER BY ?z LIMIT 2"})),
    "query-changing": (changed(queries={"": "ASK { ?x ?y ?z FILTER(?z < now ()) }"}),
        changed(queries={"": "ASK { ?x ?now 'NOW()' }"})),
    "query-prefix": (changed(queries={"": "ASK { ?x nobody:q ?z }"}),
        changed(queries={"": "ASK { ?x dbo:q ?z }"})),
    "query-missing": (changed(queries={}),
        of(about_bridge("1", queries={}), about_bridge("2", queries={}))),
    "query-answer-form": (changed(answers=YES),
        changed(answers=YES, queries={"": f"ASK {{ <{BRIDGE}> ?p ?o }}"})),
    "iri-look-alike": (
        changed(queries={"": ("ASK { ?x "
            "<https://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
            "<http://x.org/o/Bridge> }")}),
        changed(queries={"": "ASK { ?x <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
            "<http://x.org/o/Bridge> }"}),
    ),
    "iri-invalid": (changed(answers=rows("http://x.org/r/Ann Lee")),
        changed(answers=rows("http://x.org/r/Z\u00fcrich"))),
    "datatype-invalid": (
        changed(answers=rows(Cell("literal", "7", "xsd integer"))),
        changed(answers=rows(Cell("literal", "7", XSD + "integer"))),
    ),
    "answer-without-value": (changed(answers=rows(" ", "http://x.org/r/A")),
        changed(answers=rows("0"))),
    "answer-list": (
        in_table(about_bridge(text="Which moons has Mars?",
                answers=Answers(texts=(("Phobos, Deimos",),)))),
        in_table(about_bridge(text="Who was the first on the moon?",
                answers=Answers(texts=(("Armstrong, Neil",),)))),
    ),
    "answer-damaged": (changed(answers=rows("Amber ")), changed(answers=rows("Amber"))),
    "answer-duplicate": (
        changed(answers=rows("Amber", "Amber")),
        changed(answers=rows("7", Cell("literal", "7", XSD + "integer"))),
    ),
    "answers-none": (of(about_bridge(answers=None)),
        of(about_bridge("1", answers=None), about_bridge("2"))),
    "answers-missing": (of(about_bridge("1", answers=None), about_bridge("2")),
        of(about_bridge(answers=None))),
    "answers-empty": (changed(answers=Answers(variables=("x",))), changed(answers=None)),
    "answers-contradict": (
        changed(answers=Answers(texts=(("No",), ("yes",)))),
        changed(answers=Answers(texts=(("No",), ("false",)))),
    ),
    "answers-constant": (of(*MANY),
        of(*MANY[:-1], dataclasses.replace(MANY[-1], answers=Answers(boolean=False)))),
    "answer-type-mismatch": (changed(answer_type="number"),
        changed(answer_type="number", answers=rows("about 7"))),
    "gold-mixed": (changed(answers=rows("http://x.org/r/A", "Amber")),
        changed(answers=rows("Amber", "Bronze"))),
    "gold-same-twice": (
        changed(answers=rows("http://dbpedia.org/resource/Ulm",
                "http://en.wikipedia.org/wiki/Ulm")),
        changed(answers=rows("http://dbpedia.org/resource/Ulm", "http://dbpedia.org/resource/ulm")),
    ),
    "gold-by-wording": (changed(), changed(answers=rows("http://x.org/r/Builder_1"))),
    "gold-several-variables": (
        changed(answers=Answers(variables=("x", "y"),
                rows=((Cell("literal", "a"), Cell("literal", "b")),))),
        changed(answers=rows("a", "b")),
    ),
    "query-answers-disagree": (
        of(executed={"1": Response("1", answers=OTHER)}),
        of(executed={"1": Response("1", answers=about_bridge().answers)}),
    ),
    "gold-changed": (
        of(changes=edition(OTHER)), of(changes=edition(rows("http://x.org/r/Builder_1"))),
    ),
    "query-not-executed": (
        of(executed={"1": Response("1", "failed", error="HTTP 503")}),
        of(executed={"1": Response("1", answers=OTHER)}),
    ),
    "run-duplicate-id": (run_of(notes=(Remark("twice: 7", rule=DUPLICATE_ID),)),
        run_of(notes=("Something else.",))),
    "run-note": (run_of(notes=("Something else.",)), run_of()),
    "run-unknown-question": (run_of(response("1"), response("9"), gold=2),
        run_of(response("1"), gold=2)),
    "run-not-asked": (run_of(response("1"), gold=2), run_of(response("1"), response("2"), gold=2)),
    "run-failed": (run_of(response("1", status="timeout", answers=None)),
        run_of(response("1", status="empty"))),
    "run-empty-answer": (run_of(response("1", status="empty", answers=Answers())),
        run_of(response("1", status="failed"))),
    "run-constant": (
        run_of(*(response(str(n), "42") for n in range(10))),
        run_of(*(response(str(n), "42" if n else "7") for n in range(10))),
    ),
    "run-near-miss": (run_of(response("1", "https://x.org/r/Builder_1"), gold=1),
        run_of(response("1", "http://x.org/r/Builder_2"), gold=1)),
    "run-is-gold": (
        run_of(*(response(str(n), f"http://x.org/r/Builder_{n}") for n in range(1, 11)), gold=10),
        run_of(*(response(str(n), f"http://x.org/r/Builder_{n}") for n in range(1, 10)), gold=10),
    ),
}  # fmt: skip
#: What shows while a file is read or validated has tests of its own below.
FILES = {
    "unreadable",
    "shacl-violation",
    "shacl-warning",
    "shacl-info",
    "shacl-absent",
    "gerbil-refuses",
}


# --- the table ----------------------------------------------------------------------------------


def test_every_rule_has_a_case() -> None:
    assert set(RULES) == set(CASES) | FILES


@pytest.mark.parametrize("name", CASES)
def test_rule_finds_what_is_wrong_and_nothing_else(name: str) -> None:
    wrong, right = CASES[name]
    assert list(RULES[name].find(wrong))
    assert list(RULES[name].find(right)) == []
    kind = "run" if wrong.run else "questions"
    assert RULES[name].applies_to in {kind, "both"}


def is_described(rule: Rule) -> bool:
    """Say whether a rule has a level, and its help and advice are one line each."""
    one_line = all(text and "\n" not in text for text in (rule.help, rule.advice))
    return one_line and rule.level in LEVELS


def test_rules_are_described_in_one_line() -> None:
    assert [name for name, rule in RULES.items() if not is_described(rule)] == []


def test_a_flawless_set_and_a_flawless_run_break_no_rule() -> None:
    for case in (
        of(about_bridge("1"), about_bridge("2", query=QUERY.replace("Amber", "Birch"))),
        run_of(response("1"), response("2"), gold=2),
    ):
        assert {
            name: list(rule.find(case)) for name, rule in RULES.items() if list(rule.find(case))
        } == {}


# --- single rules -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("https://www.wikidata.org/wiki/Q64", "http://www.wikidata.org/entity/Q64"),
        ("http://www.wikidata.org/wiki/Property:P31", "http://www.wikidata.org/entity/P31"),
        ("https://www.wikidata.org/entity/Q64", "http://www.wikidata.org/entity/Q64"),
        ("http://dbpedia.org/page/Amber", "http://dbpedia.org/resource/Amber"),
        ("https://dbpedia.org/resource/Amber", "http://dbpedia.org/resource/Amber"),
    ],
)
def test_address_of_a_thing_is_told_from_its_name(wrong: str, right: str) -> None:
    (hit,) = RULES["iri-look-alike"].find(changed(answers=rows(wrong)))
    assert right in hit.what
    assert not list(RULES["iri-look-alike"].find(changed(answers=rows(right))))


@pytest.mark.parametrize(
    ("kind", "answers", "fits"),
    [
        ("boolean", YES, True),
        ("resource", YES, False),
        ("boolean", rows("true"), True),
        ("boolean", rows(BRIDGE), False),
        ("resource", rows("Amber"), False),
        ("date", rows("1990-05-01"), True),
        ("date", rows("spring"), False),
        ("date", rows(BRIDGE), False),
        ("string", rows("http://www.wikidata.org/entity/Q64"), False),
        ("string", rows("http://www.amber.example/home"), True),
        ("number", Answers(), True),
    ],
)
def test_answer_type_is_compared_generously(kind: str, answers: Answers, fits: bool) -> None:
    found = list(RULES["answer-type-mismatch"].find(changed(answer_type=kind, answers=answers)))
    assert (found == []) is fits


@pytest.mark.parametrize(
    "text", [" Who built it?", "Who built it? ", "Who\tbuilt it?", "Who built   it?"]
)
def test_loose_white_space_is_found_wherever_it_stands(text: str) -> None:
    assert [hit.question for hit in text_rules.text_untrimmed(changed(text=text))] == ["2"]


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("What is {{ place }} famous for?", True),
        ("Who built [[mill]]?", True),
        (r"What does {\mathrm{div}} mean in {\vec{\nabla}}?", False),
        ("Is a^{b_{c}} the same as {a^{b}}^{c}?", False),
        ("What is the determinant of [[1, 2], [3, 4]]?", False),
    ],
)
def test_formulas_are_no_placeholders(text: str, broken: bool) -> None:
    assert bool(list(text_rules.text_fragment(changed(text=text)))) is broken


def test_a_name_may_be_the_same_in_two_languages() -> None:
    assert not list(
        text_rules.text_untranslated(
            changed(texts={"en": ("Amber Bridge?",), "de": ("Amber Bridge?",)})
        )
    )


def test_an_ask_query_has_no_rows() -> None:
    (hit,) = RULES["query-answer-form"].find(changed(queries={"": f"ASK {{ <{BRIDGE}> ?p ?o }}"}))
    assert hit.what == "the query is ASK, but the gold answer is 1 row"


def test_duplicate_text_says_what_differs() -> None:
    same = about_bridge("2", "Who built bridge number 1?", answers=OTHER)
    (hit,) = text_rules.text_duplicate(of(about_bridge("1"), same))
    assert hit.question == "2"
    assert hit.what.endswith("repeats question '1', with other answers")


def test_a_query_that_stands_for_none_is_compared_with_no_answer() -> None:
    assert not list(RULES["query-answer-form"].find(changed(queries={"": "ASK {}"})))


def test_a_repair_is_named() -> None:
    (hit,) = RULES["query-repaired"].find(changed(queries={"": "SELECT COUNT(?x) { ?x ?y ?z }"}))
    assert "bare-aggregate" in hit.what


def test_a_run_of_other_questions_is_one_finding() -> None:
    (hit,) = RULES["run-unknown-question"].find(run_of(response("a"), response("b"), gold=2))
    assert "no id of the run" in hit.what
    # a digit that is no number
    (hit,) = RULES["run-unknown-question"].find(run_of(response("²"), response("q"), gold=2))
    assert "q, ² in the run" in hit.what


# --- executed queries ---------------------------------------------------------------------------


def executed(gold: Answers, given: Answers | None, **more: object) -> Case:
    found = Response("1", "failed" if given is None else "answered", given, **more)  # type: ignore[arg-type]
    return of(about_bridge("1", answers=gold), executed={"1": found})


def test_failure_of_the_endpoint_is_no_disagreement() -> None:
    case = executed(rows("7"), None, error="HTTP 503")
    assert not list(disagree(case))
    assert "HTTP 503" in next(query_not_executed(case)).what


def test_answer_that_may_be_cut_is_no_disagreement() -> None:
    case = executed(rows("7", "8"), rows("7"), error="the server gives 1 row at most")
    assert not list(disagree(case))
    assert len(list(query_not_executed(case))) == 1


def test_other_datatype_is_a_disagreement_of_its_own() -> None:
    (hit,) = disagree(executed(rows("7"), rows(Cell("literal", "7", XSD + "integer"))))
    assert "the same values, but different kinds, datatypes or languages" in hit.what


def test_order_repetition_and_plain_strings_are_no_disagreement() -> None:
    gold = rows("a", "b", "b")
    assert not list(disagree(executed(gold, rows("b", Cell("literal", "a", XSD + "string")))))


def test_disagreement_says_what_each_side_has() -> None:
    (hit,) = disagree(executed(rows("7", "8"), rows("8", "9", "10")))
    assert (
        hit.what
        == "of 2 gold answers and 3 of the knowledge graph 1 only in the gold (such as '7') "
        "and 2 only in the knowledge graph (such as '10')"
    )


# --- GERBIL -------------------------------------------------------------------------------------


def test_gerbil_rule_names_the_question(tmp_path: Path) -> None:
    path = qald(tmp_path, {"id": "b7", "answers": [{"head": {}, "boolean": True, "note": "x"}]})
    (found,) = only(check(path), "gerbil-refuses")
    assert found.question == "b7"
    assert found.what == "answers[0].note: unknown key"
    assert not only(
        check(qald(tmp_path, {"id": "b7", "answers": [{"head": {}, "boolean": True}]})),
        "gerbil-refuses",
    )


# --- files --------------------------------------------------------------------------------------


def qald(folder: Path, *entries: Mapping[str, object], name: str = "set.json") -> Path:
    text = {"question": [{"language": "en", "string": "Is the Amber Bridge old?"}]}
    path = folder / name
    path.write_text(
        json.dumps({"questions": [{**text, **entry} for entry in entries]}), encoding="utf-8"
    )
    return path


def only(checked: Checked, rule: str) -> list[Finding]:
    return [found for found in checked.findings if found.rule == rule]


@pytest.fixture
def turtle(tmp_path: Path) -> Callable[[str], Path]:
    """Write a question as Turtle."""

    def write(more: str) -> Path:
        path = tmp_path / "features.ttl"
        path.write_text(
            f'@prefix q: <{QALDGEN}> . <http://x.org/q/1> q:text "Is it old?"@en {more} .',
            encoding="utf-8",
        )
        return path

    return write


def test_unreadable_file_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"questions": [', encoding="utf-8")
    (found,) = check(path).findings
    assert (found.rule, found.level) == ("unreadable", "error")
    assert "line 1" in found.message


def test_rules_about_reading_and_shapes_can_be_ignored(
    turtle: Callable[[str], Path], tmp_path: Path
) -> None:
    assert check(tmp_path / "none.json", ignore=["unreadable"]).findings == ()
    rule = "shacl-violation"
    assert not only(check(turtle('; q:length "three"'), ignore=[rule]), rule)


def test_rules_about_questions_hold_for_questions_in_rdf(turtle: Callable[[str], Path]) -> None:
    checked = check(turtle(""))
    assert checked.kind == "rdf"
    assert [found.rule for found in checked.findings] == ["answers-none"]


def test_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    assert [found.rule for found in check(tmp_path / "none.json").findings] == ["unreadable"]


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ('; q:length "three"', "shacl-violation"),
        ('; q:isNumberAnswer "1"', "shacl-warning"),
        ('; q:entity1 ""', "shacl-info"),
    ],
)
def test_shapes_are_looked_at(turtle: Callable[[str], Path], more: str, rule: str) -> None:
    (found,) = only(check(turtle(more)), rule)
    assert found.question == "1"
    assert not only(check(turtle("; q:length 3")), rule)
    assert not only(check(turtle(more), shacl=False), rule)


def test_without_pyshacl_the_rest_is_checked(
    turtle: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    rules = {found.rule for found in check(turtle('; q:length "three"')).findings}
    assert "shacl-absent" in rules
    assert "shacl-violation" not in rules


def test_a_repeated_id_of_a_run_is_found_in_a_file(tmp_path: Path) -> None:
    entry = {"id": "1", "answers": [{"head": {}, "boolean": True}]}
    path = qald(tmp_path, entry, entry)
    assert len(only(check(path, kind="run"), "run-duplicate-id")) == 1


def test_with_gold_a_file_is_a_run(tmp_path: Path) -> None:
    path = qald(tmp_path, {"id": "1", "answers": [{"head": {}, "boolean": True}]})
    gold = QuestionSet("gold", "records", (about_bridge("1"), about_bridge("2")))
    checked = check(path, gold=gold)
    assert (checked.kind, checked.size) == ("run", 1)
    assert [found.question for found in checked.findings if found.rule == "run-not-asked"] == ["2"]


def test_answers_without_questions_are_taken_for_a_run(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps({"a1": "Amber", "b2": "Bronze"}), encoding="utf-8")
    assert check(path).kind == "run"


def test_any_lines_are_a_run_only_where_one_says_so(tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text("It rained.\nThe bridge stood.\n", encoding="utf-8")
    (found,) = check(path).findings
    assert found.rule == "unreadable"
    assert check(path, kind="run").kind == "run"


def test_a_run_that_gerbil_refuses_is_found_once(tmp_path: Path) -> None:
    path = qald(tmp_path, {"id": "1", "answers": [{"head": {}, "boolean": True, "note": "x"}]})
    assert [found.rule for found in check(path, kind="run").findings] == ["gerbil-refuses"]


def test_knowledge_graph_is_asked(tmp_path: Path) -> None:
    graph = tmp_path / "graph.ttl"
    graph.write_text(f'<{BRIDGE}> <http://x.org/o/builder> "Ann Lee" .', encoding="utf-8")
    right = {"results": {"bindings": [{"x": {"type": "literal", "value": "Ann Lee"}}]}}
    wrong = {"results": {"bindings": [{"x": {"type": "literal", "value": "Bob Ray"}}]}}
    asked = {"query": {"sparql": QUERY}}
    path = qald(
        tmp_path, {"id": "1", **asked, "answers": [right]}, {"id": "2", **asked, "answers": [wrong]}
    )
    found = only(check(path, source=open_file(graph)), "query-answers-disagree")
    assert [one.question for one in found] == ["2"]
    assert not only(check(path), "query-answers-disagree")


def test_rules_can_be_chosen() -> None:
    assert set(RULES) - set(chosen_rules(ignore=["text-empty"])) == {"text-empty"}
    with pytest.raises(UsageError, match=r"unknown rule 'text-emty'; did you mean text-empty"):
        chosen_rules(select=["text-emty"])


def test_text_groups_findings_by_rule(tmp_path: Path) -> None:
    path = qald(
        tmp_path, *({"id": n, "answers": [{"head": {}, "boolean": True}]} for n in range(9))
    )
    lines = format_findings([check(path)], "text").splitlines()
    assert lines[0] == f"{path}: 9 questions (qald-json); 8 warnings"
    assert lines[1] == f"  languages: en (9); data sets: {path.stem} (9)"
    assert lines[2].startswith("  warning text-duplicate: 8 (1, 2, 3, 4, 5, ...). ")
    assert len(format_findings([check(path)], "text", all_=True).splitlines()) == 11


# --- the command line ---------------------------------------------------------------------------


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    answers = [{"head": {}, "boolean": True}]
    return qald(
        tmp_path,
        {"id": "1", "query": {"sparql": "ASK { ?a ?b 7 }"}, "answers": answers},
        name="clean.json",
    )


def test_exit_is_0_for_a_clean_file_and_1_for_an_unreadable_one(clean: Path, call: Call) -> None:
    assert call("check", clean).code == 0
    done = call("check", "none.json", clean)
    assert done.code == 1
    assert "error unreadable" in done.out
    assert f"{clean}: 1 question (qald-json); nothing found" in done.out


def test_warnings_fail_only_where_they_are_told_to(tmp_path: Path, call: Call) -> None:
    path = qald(tmp_path, {"id": "1", "answers": [{"head": {}, "results": {"bindings": []}}]})
    assert call("check", path).code == 0
    assert call("check", path, "--strict").code == 1
    assert call("check", path, "--strict", "--ignore", "answers-empty").code == 0
    assert call("check", path, "--strict", "--select", "text-empty").code == 0


@pytest.mark.parametrize(
    "words", [(), ("x.json", "--ignore", "nothing"), ("x.json", "--as", "poem"), ("no-such-set",)]
)
def test_wrong_call_is_exit_2(words: tuple[str, ...], call: Call) -> None:
    assert call("check", *words).code == 2


def test_json_and_csv_have_every_finding(tmp_path: Path, call: Call) -> None:
    path, out = (
        qald(tmp_path, {"id": "1", "answers": []}, {"id": "2", "answers": []}),
        tmp_path / "found.json",
    )
    assert call("check", path, "--format", "json", "-o", out).code == 0
    (one,) = json.loads(out.read_text(encoding="utf-8"))
    assert one["size"] == 2
    assert Counter(found["rule"] for found in one["findings"]) == {
        "text-duplicate": 1,
        "answers-none": 1,
    }
    lines = call("check", path, "--format", "csv").out.splitlines()
    assert lines[0] == "rule,level,file,question,what,advice"
    assert len(lines) == 3
    assert call("check", path, "-o", out).code == 2


def test_rules_are_listed(call: Call) -> None:
    assert [line.split()[0] for line in call("list", "rules").out.splitlines()] == list(RULES)


# --- published data -----------------------------------------------------------------------------

PUBLISHED: dict[str, dict[str, int]] = {
    "qald/qald-9-train-multilingual.json": {
        "text-duplicate": 2, "text-damaged": 1, "language-missing": 31, "query-repaired": 13,
        "text-untrimmed": 247, "text-untranslated": 2, "query-limit-unordered": 3,
    },
    "qald/qald-6-test-multilingual.json": {
        "query-repaired": 3, "answers-missing": 4, "answers-empty": 1, "answer-type-mismatch": 6,
        "text-untrimmed": 1, "query-missing": 4,
    },
    "lc-quad/train-data.json": {
        "text-duplicate": 4, "text-fragment": 1, "query-repaired": 535, "text-untrimmed": 219,
        "answers-none": 1, "query-distinct-count": 535,
    },
    "lc-quad/test-data.json": {"query-repaired": 123, "text-untrimmed": 65, "answers-none": 1,
        "query-distinct-count": 123},
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_set_has_these_findings(shared_data: Path, name: str) -> None:
    path = shared_data / name
    if not path.exists():
        pytest.skip(
            f"the published set is not at {path}; set QALDGEN_TEST_DATA to the folder of the data"
        )
    assert Counter(found.rule for found in check(path).findings) == PUBLISHED[name]


def test_errors_of_the_published_features_are_found(published_r1: Path) -> None:
    checked = check(published_r1, shacl=False)
    counts = Counter(found.rule for found in checked.findings)
    expected = {
        "iri-look-alike": 1_924, "answers-empty": 1_661, "gold-several-variables": 496,
        "text-duplicate": 16, "text-fragment": 1, "answers-constant": 1,
    }  # fmt: skip
    assert {name: counts[name] for name in expected} == expected
    told = {found.rule: found.what for found in checked.findings}
    assert told["answers-constant"] == "all 409 yes/no questions have the answer true"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "Kysymys,Vastaus\nWer schrieb X?,A\n"),
        ("a.json", '{"Kysymys": "Wer schrieb X?", "Vastaus": "A"}'),
    ],
)
def test_a_set_in_a_language_without_known_names_is_read_by_its_values(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = check(path)
    assert found.kind == "questions"
    (note,) = [one.what for one in found.findings if one.rule == "set-note"]
    assert note == "reads the question from 'Kysymys', the gold answers from 'Vastaus'"


def test_wordings_with_another_gold_answer_are_found(tmp_path: Path) -> None:
    path = tmp_path / "mkqa.jsonl"
    answers = {"en": "11.0 hours", "fr": "11.0 60 minutes", "es": "11.0 horas"}
    record = {
        "example_id": 7,
        "query": "how long",
        "queries": {"en": "how long", "fr": "combien", "es": "cuánto"},
        "answers": {
            tag: [{"type": "number_with_unit", "text": text}] for tag, text in answers.items()
        },
    }
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    found = check(path, select=["gold-by-wording"]).findings
    assert [(one.question, "'fr' has other figures" in one.what) for one in found] == [("7", True)]


# --- what reading repairs, refuses or leaves out ------------------------------------------------


def table(folder: Path, *lines: str) -> Path:
    path = folder / "mine.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_rule_is_selected_or_ignored(tmp_path: Path) -> None:
    path = table(
        tmp_path, "question,answer", "Which moons has Mars?,Phobos", "Which moons has mars?,Deimos"
    )
    found = check(path)
    assert (found.kind, found.size) == ("questions", 2)
    first = found.findings[0].rule
    assert {finding.rule for finding in check(path, select=[first]).findings} == {first}
    assert first not in [finding.rule for finding in check(path, ignore=[first]).findings]


def test_every_broken_record_is_named_beside_the_findings_on_the_others(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(
        '[5, {"id": 2, "question": "Who?"}, {"id": 3, "question": "Who?", "level": "easy"}]',
        encoding="utf-8",
    )
    found = {finding.rule: finding for finding in check(path).findings}
    assert (found["record-broken"].level, found["record-broken"].question) == ("error", "record 1")
    assert found["text-duplicate"].question == "3"
    assert found["set-note"].what == "features under their own names: 'level'"


def test_answers_are_divided_where_the_separator_is_said(tmp_path: Path, call: Call) -> None:
    path = table(tmp_path, "id,question,answer", "1,Which moons has Mars?,Phobos; Deimos")
    assert "answer-list" in call("check", path).out
    assert "answer-list" not in call("check", path, "--split-answers", ";").out


def test_the_property_with_the_texts_is_read(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "own.ttl"
    path.write_text(
        '@prefix own: <http://x.org/own#> . own:q1 own:wording "Where is mill 1?"@en .',
        encoding="utf-8",
    )
    said = call("check", path, "--text-property", "http://x.org/own#wording")
    assert said.code == 0, said.err
    assert "1 question" in said.out


def test_finding_on_a_file_does_not_repeat_its_name(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text("[", encoding="utf-8")
    assert all(str(path) not in finding.what for finding in check(path).findings)


def test_questions_in_memory_are_no_file() -> None:
    with pytest.raises(UsageError, match="check reads a file"):
        check(QuestionSet("mine", "qald-json", (about_bridge(),)))  # type: ignore[arg-type]


def test_unknown_format_is_answered_with_what_may_be_meant() -> None:
    with pytest.raises(UsageError, match="did you mean qald-json"):
        check("x.json", format="qald-jsn")


@pytest.mark.parametrize(
    "query",
    [
        "ASKWHERE { ?a ?b ?c }", "SELECT * { ?a qb:b ?c }", "SELECT * { ?a ?b }", "",
        "ASK { { } UNION }", "SELECT COUNT(?a) { }", f"ASK {{ {'?a ?b ?c . ' * 300} }}",
        f"ASK {'{' * 300}{'}' * 300}", "SELECT ?a { ?a ?b ?c } ORDER BY DESC(COUNT(?c))",
        "SELECT (1 AS ?a) (2 AS ?a) { }",
    ],
)  # fmt: skip
def test_check_and_annotate_agree_on_what_parses(query: str) -> None:
    parsed = not query_rules.diagnose(query).error
    found = next(stream_features([about_bridge(query=query)]))
    assert ("tpCount" in found) == parsed
    assert ("queryUnparsable" in found) == (not parsed and bool(query))


# --- what is printed ----------------------------------------------------------------------------


def test_findings_for_people_have_no_command() -> None:
    rule = next(iter(RULES))
    found = [
        Checked(
            "a\x1b[2J",
            findings=(Finding(rule, "error", "a\x1b[2J", "id\r", "what\nelse", "advice"),),
        )
    ]
    shown = format_findings(found, "text", all_=True)
    assert all(line.isprintable() for line in shown.splitlines())
    assert len(shown.splitlines()) == 3
    assert json.loads(format_findings(found, "json"))[0]["findings"][0]["question"] == "id\r"


def test_findings_have_no_formula() -> None:
    rule = next(iter(RULES))
    found = Checked("=file", findings=(Finding(rule, "error", "=file", "-1-1", "@what", "advice"),))
    cells = format_findings([found], "csv").splitlines()[1].split(",")
    assert cells == [rule, "error", "' =file", "' -1-1", "' @what", "advice"]


def test_an_ending_that_contradicts_the_content_is_refused(clean: Path, call: Call) -> None:
    said = call("check", clean, "-o", clean.with_suffix(".md"))
    assert (said.code, "would hold text" in said.err) == (2, True)


def test_stdin_is_one_input_only(call: Call) -> None:
    said = call("check", "--gold", "-", "-")
    assert (said.code, "stdin is named for 2 inputs" in said.err) == (2, True)


# --- editions -----------------------------------------------------------------------------------


def test_another_edition_is_compared_and_the_differences_are_a_table(
    tmp_path: Path, call: Call
) -> None:
    old = table(tmp_path, "id,question,answers", "1,Where is Ulm?,Danube", "2,Who built it?,Bo")
    new = tmp_path / "new.csv"
    new.write_text(old.read_text(encoding="utf-8").replace("Bo", "Ann"), encoding="utf-8")
    assert check(old, against=new).changes.changed == ("2",)  # type: ignore[union-attr]
    said = call("check", old, "--against", new, "--format", "csv")
    assert said.code == 0
    rows = [line.split(",") for line in said.out.splitlines()]
    at = rows[0].index("change")
    assert [row[at] for row in rows[1:]] == ["equal", "disjoint"]


def test_a_changed_answer_of_a_graph_is_a_finding_and_kept_in_the_journal(
    tmp_path: Path,
) -> None:
    graph, journal = tmp_path / "graph.ttl", tmp_path / "kept.jsonl"
    graph.write_text(f"<{BRIDGE}> <http://x.org/o/builder> <http://x.org/r/Bo> .", encoding="utf-8")
    path = qald(tmp_path, {"id": "1", "query": {"sparql": QUERY}, "answers": [
        {"head": {"vars": ["x"]}, "results": {"bindings": [
            {"x": {"type": "uri", "value": "http://x.org/r/Ann"}}]}}]})  # fmt: skip
    checked = check(path, source=graph, journal=journal, select=["query-answers-disagree"])
    assert [finding.question for finding in checked.findings] == ["1"]
    assert "1 of them from the journal" in str(check(path, source=graph, journal=journal).changes)


def test_a_journal_without_a_graph_is_refused(clean: Path, call: Call) -> None:
    said = call("check", clean, "--journal", clean.with_name("kept.jsonl"))
    assert (said.code, "name the graph, or" in said.err) == (2, True)


# --- odd places -----------------------------------------------------------------------------------


def test_a_name_need_not_be_text(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/f\xe9.csv"
    Path(os.fsdecode(path)).write_text("question,answer\nWhere?,Ulm\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "qaldgen", "check", path, "--format", "json"],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)[0]["file"].endswith("f\udce9.csv")


def test_features_that_import_an_ontology_call_nobody(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "a.ttl"
    with listening() as sink:
        path.write_text(
            f"<http://x.org/a> <http://www.w3.org/2002/07/owl#imports> <{sink.url}> ;"
            f' <{QALDGEN}text> "Who?"@en .',
            encoding="utf-8",
        )
        assert "1 question (rdf)" in call("check", path).out
        assert sink.connections == 0


def test_several_answers_that_score_refuses_are_found() -> None:
    case = Case("run.json", run=Run("system", "records", {"7": response("7")}, unnumbered=("7",)))
    [hit] = RULES["run-duplicate-id"].find(case)
    assert (hit.question, "nothing says why" in hit.what) == ("7", True)

"""Which mistake a wrong answer is: by kind without a knowledge graph, by type with one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pytest
from pyoxigraph import NamedNode, Quad
from questions import literal, one_column, question, run_of, uri

import qaldgen as qg
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.cli.main import cli
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Answers, Cell, QuestionSet
from qaldgen.reports.tables.scores import OF_KNOWN, outcome_table
from qaldgen.scoring.class_hierarchy import read_hierarchy
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.measures import OUTCOME_MEASURES
from qaldgen.scoring.mistakes import OUTCOMES, Types, outcome
from qaldgen.scoring.outcomes import TypeSource, with_outcomes
from qaldgen.stores.entities import ClassPredicates, superclasses_of
from qaldgen.stores.local import LocalStore, open_quads

X = "http://x.org/"
A, SUB = ClassPredicates().types[0], ClassPredicates().superclasses[0]
#: An agent is above people and firms, a place above cities and countries, which share "settled
#: place".
FACTS = [
    ("Ann", A, "Person"), ("Bob", A, "Person"), ("Firm", A, "Company"), ("Rome", A, "City"),
    ("Oslo", A, "City"),
    ("Peru", A, "Country"), ("Person", SUB, "Agent"), ("Company", SUB, "Agent"),
    ("City", SUB, "Settled"),
    ("Country", SUB, "Settled"), ("Settled", SUB, "Place"), ("Loop", SUB, "Pool"),
    ("Pool", SUB, "Loop"),
]  # fmt: skip


def graph() -> LocalStore:
    def node(name: str) -> NamedNode:
        return NamedNode(name if ":" in name else X + name)

    return open_quads("graph", [Quad(node(s), node(p), node(o)) for s, p, o in FACTS])


NOTHING = Types()


def what(expected: Cell | Answers, given: Cell | Answers, types: Types = NOTHING) -> str:
    gold, answers = (
        one if isinstance(one, Answers) else one_column(one) for one in (expected, given)
    )
    return outcome(question(answers=gold), Response("1", answers=answers), 0.0, types)


@pytest.mark.parametrize(
    ("expected", "given", "became"),
    [
        (uri(X + "Rome"), literal("Rome", language="en"), "wrong kind"),
        (uri(X + "Rome"), literal("7", "integer"), "wrong kind"),
        (literal("1985-01-02", "date"), literal("12", "integer"), "wrong kind"),
        (
            literal("1985-01-02", "date"),
            literal("1986"),
            "right type",
        ),  # a literal without datatype can be read as a date
        (literal("8", "integer"), literal("9.5", "decimal"), "right type"),
        (literal("8", "integer"), literal("nine"), "wrong kind"),
        (literal("1912-04-02"), literal("28"), "wrong kind"),
        (
            literal("Ann"),
            literal(X + "Ann"),
            "untyped",
        ),  # an IRI in a literal can be meant as a string
        (Answers(boolean=True), Answers(boolean=False), "right type"),
        (Answers(boolean=True), uri(X + "Rome"), "wrong kind"),
        (uri(X + "Rome"), Answers(texts=(("Oslo",),)), "untyped"),  # words can name anything
        (literal("8", "integer"), Answers(texts=(("about nine",),)), "untyped"),
        (uri(X + "Rome"), uri(X + "Oslo"), "untyped"),  # no graph: nothing is guessed
        (uri(X + "Rome"), literal(X + "Oslo"), "untyped"),
        (Answers(), uri(X + "Oslo"), "untyped"),
    ],
)
def test_kinds_need_no_graph(expected: Cell | Answers, given: Cell | Answers, became: str) -> None:
    assert what(expected, given) == became


KNOWN = Types(
    {X + name: frozenset([X + kind]) for name, p, kind in FACTS if p == A},
    {X + "Person": frozenset([X + "Agent"]), X + "Company": frozenset([X + "Agent"]),
        X + "Agent": frozenset(),
     X + "City": frozenset([X + "Settled"]), X + "Country": frozenset([X + "Settled"]),
     X + "Settled": frozenset([X + "Place"]), X + "Place": frozenset()},
)  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "given", "became"),
    [
        ("Rome", "Oslo", "right type"),
        ("Rome", "Peru", "related type"),  # both are settled places, at depth 2
        ("Ann", "Firm", "wrong type"),  # both are agents, but that is the top, at depth 1
        ("Rome", "Ann", "wrong type"),
        ("Rome", "Nobody", "untyped"),
        ("Nobody", "Rome", "untyped"),
    ],
)
def test_types_of_resources(expected: str, given: str, became: str) -> None:
    assert what(uri(X + expected), uri(X + given), KNOWN) == became


def test_the_depth_is_an_option() -> None:
    shallow = dataclasses.replace(KNOWN, related_depth=1)
    assert what(uri(X + "Ann"), uri(X + "Firm"), shallow) == "related type"


def test_one_answer_of_the_type_of_one_gold_answer_is_enough() -> None:
    given = one_column(uri(X + "Ann"), literal("7", "integer"), uri(X + "Nobody"), uri(X + "Oslo"))
    assert what(one_column(uri(X + "Nobody"), uri(X + "Rome")), given, KNOWN) == "right type"


def test_a_literal_beside_an_unknown_resource_does_not_make_it_a_wrong_type() -> None:
    given = one_column(uri(X + "Nobody"), literal("Rome", language="en"))
    assert what(uri(X + "Rome"), given, KNOWN) == "untyped"


@pytest.mark.parametrize(
    ("response", "f1", "became"),
    [
        (Response("1", answers=one_column(uri("urn:a"))), 1.0, "right"),
        (Response("1", answers=one_column(uri("urn:a"))), 0.4, "partly"),
        (Response("1", "empty", Answers()), 0.0, "empty"),
        (Response("1", "timeout", Answers()), 0.0, "failed"),
        (Response("1", "not asked", Answers()), 0.0, "not asked"),
    ],
)
def test_what_is_no_wrong_answer(response: Response, f1: float, became: str) -> None:
    assert outcome(question(answers=one_column(uri("urn:b"))), response, f1) == became


def test_superclasses_in_a_circle_end() -> None:
    assert superclasses_of(graph(), [X + "Loop"]) == {
        X + "Loop": frozenset([X + "Pool"]),
        X + "Pool": frozenset([X + "Loop"]),
    }
    types = Types({}, superclasses_of(graph(), [X + "Loop"]))
    assert types.deep_superclasses([X + "Loop"]) == frozenset()


GOLD = Gold(QuestionSet("set", "table", tuple(
    question(name, answers=one_column(uri(X + right)))
    for name, right in {"1": "Rome", "2": "Rome", "3": "Ann", "4": "Ann", "5": "Peru",
        "6": "Firm"}.items()
)))  # fmt: skip
MINE = {"1": "Rome", "2": "Oslo", "3": "Bob", "4": "Firm", "5": "Rome", "6": "Nobody"}


def test_counts_and_measures_of_a_run() -> None:
    run = run_of(**{name: one_column(uri(X + given)) for name, given in MINE.items()})
    (found,) = with_outcomes(GOLD, [score(GOLD, run)], source=TypeSource(graph()))
    table = outcome_table([found]).set_index("outcome")["questions"]
    expected = {"right": 1, "right type": 2, "related type": 1, "wrong type": 1, "untyped": 1}
    assert {name: table[name] for name in OUTCOMES if table[name]} == expected
    assert {name: OUTCOME_MEASURES[name].of(found.counts) for name in ("right-type", "tcbw",
        "understood")} == {
        "right-type": 2 / 6, "tcbw": 2 / 4, "understood": 3 / 6
    }  # fmt: skip
    # 6 things have a type: a gold city is one of 2, a person one of 2, the country stands alone
    assert found.counts.loc[["2", "3", "5"], "base_rate"].tolist() == pytest.approx(
        [2 / 6, 2 / 6, 1 / 6]
    )
    assert any(
        "5 wrong answers, the kind or type of 80.0% of them is known" in note
        for note in found.notes
    )


def test_weights_count_in_the_table() -> None:
    run = run_of(**{name: one_column(uri(X + given)) for name, given in MINE.items()})
    (found,) = with_outcomes(GOLD, [score(GOLD, run)], source=TypeSource(graph()))
    weights = pd.Series([1.0, 5.0, 1.0, 1.0, 1.0, 1.0], index=list("123456"))
    table = outcome_table([found], weights=weights).set_index("outcome")
    assert table["share"]["right type"] == pytest.approx(6 / 10)
    assert table["share"][OF_KNOWN] == pytest.approx(6 / 8)
    assert table["questions"][OF_KNOWN] == table["questions"]["right type"]


def test_several_answers_to_a_question_share_its_outcome() -> None:
    wrong = [Response("1", answers=one_column(uri(X + name))) for name in ("Oslo", "Ann")]
    run = Run("mine", "table", {"1": wrong[1]}, repeats={"1": tuple(wrong)})
    gold = Gold(QuestionSet("set", "table", GOLD.questions.questions[:1]))
    (found,) = with_outcomes(gold, [score(gold, run)], source=TypeSource(graph()))
    assert found.counts[["right_type", "wrong_type"]].to_numpy().tolist() == [[0.5, 0.5]]


def test_a_try_that_cannot_be_judged_is_not_right() -> None:
    code = uri("http://www.wikidata.org/entity/Q64")
    tries = [
        Response("1", answers=Answers(texts=(("Berlin",),))),  # the gold answer has no name
        Response("1", answers=one_column(code)),
    ]
    run = Run("mine", "table", {"1": tries[1]}, repeats={"1": tuple(tries)})
    gold = Gold(QuestionSet("set", "table", (question(answers=one_column(code)),)))
    (found,) = with_outcomes(gold, [score(gold, run)])
    assert found.counts["open"].tolist() == [0.5]
    assert found.counts[["right", "untyped"]].to_numpy().tolist() == [[0.5, 0.5]]


def test_mistakes_can_be_compared() -> None:
    runs = [
        run_of(**{name: one_column(uri(X + given)) for name, given in own.items()})
        for own in (MINE, MINE | {"3": "Ann"})
    ]
    scored = [
        score(GOLD, dataclasses.replace(run, name=name))
        for run, name in zip(runs, "ab", strict=True)
    ]
    found = qg.compare(
        GOLD, with_outcomes(GOLD, scored, source=TypeSource(graph())), measure="right-type"
    )
    assert found.pairs["difference"].tolist() == pytest.approx([1 / 6])


def test_a_measure_of_mistakes_without_outcomes_says_what_is_missing() -> None:
    with pytest.raises(DataError, match="no column 'right_type'"):
        OUTCOME_MEASURES["right-type"].of(
            score(GOLD, run_of(**{"1": one_column(uri(X + "Rome"))})).counts
        )


def test_own_predicates() -> None:
    with pytest.raises(UsageError, match="is not an IRI"):
        ClassPredicates(types=("a b",))
    source = TypeSource(graph(), (SUB,))
    (found,) = with_outcomes(
        GOLD, [score(GOLD, run_of(**{"2": one_column(uri(X + "Oslo"))}))], source=source
    )
    assert found.counts.loc["2", "outcome"] == "untyped"


def test_superclasses_from_a_table_relate_types_that_the_graph_does_not(tmp_path: Path) -> None:
    table = tmp_path / "types.tsv"
    rows = [f"{X}City\t3\t{X}Spot", f"{X}Person\t3\t{X}Spot", f"{X}Spot\t2\tdbo:Place"]
    table.write_text("\n".join(["Type\tDepth\tParent", *rows, "dbo:Place\t1\towl:Thing"]) + "\n")
    run = run_of(**{"1": one_column(uri(X + "Ann"))})
    gold = Gold(QuestionSet("set", "table", (question("1", answers=one_column(uri(X + "Rome"))),)))
    became = [
        with_outcomes(gold, [score(gold, run)], source=TypeSource(graph(), hierarchy=told))[0]
        for told in (None, table)
    ]
    assert [one.counts.loc["1", "outcome"] for one in became] == ["wrong type", "related type"]


@pytest.mark.parametrize(
    "text", ["", "Class\tParent\na\tb\n", "Type\tDepth\tParent\nno prefix\t1\towl:Thing\n",
             "Type\tDepth\tParent\ndbo:A\t1\n", "Type\tDepth\tParent\nmine:A\t1\towl:Thing\n"]
)  # fmt: skip
def test_tables_of_classes_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    table = tmp_path / "types.tsv"
    table.write_text(text)
    with pytest.raises(DataError, match=r"types\.tsv"):
        read_hierarchy(table)


def test_the_facade_reports_compares_and_slices_mistakes(tmp_path: Path) -> None:
    questions = tuple(
        question(str(number), answers=one_column(uri(X + "Rome"))) for number in range(12)
    )
    gold = QuestionSet("set", "table", questions)
    runs = [
        dataclasses.replace(
            run_of(**{str(number): one_column(uri(X + given)) for number in range(12)}), name=given
        )
        for given in ("Oslo", "Ann")
    ]
    types = TypeSource(graph())
    made = qg.report(
        qg.evaluate(gold, runs, types=types),
        measure="right-type",
        by=["answerType"],
        tests=qg.Significance(n_resamples=100),
    )
    assert made.systems == ("Ann", "Oslo")  # fewer mistakes of the right type come first
    found = qg.compare(
        qg.evaluate(gold, runs, types=types),
        measure="right-type",
        tests=qg.Significance(n_resamples=100),
    )
    assert abs(found.pairs["difference"].iloc[0]) == 1.0
    with pytest.raises(UsageError, match="types are for the measures of mistakes"):
        qg.compare(qg.evaluate(gold, runs, types=types))
    # all questions are alike: there is nothing to search
    assert not any(
        qg.slices(qg.evaluate(gold, runs[0], types=types), measure="right-type").spots.values()
    )


def test_the_commands_show_outcomes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, run, kg = tmp_path / "gold.tsv", tmp_path / "run.tsv", tmp_path / "graph.nt"
    gold.write_text(
        f"id\tquestion\tanswers\n1\tWhere?\t{X}Rome\n2\tWho?\t{X}Ann\n", encoding="utf-8"
    )
    run.write_text(f"id\tanswers\n1\t{X}Oslo\n2\t{X}Rome\n", encoding="utf-8")
    lines = [f"<{X}{s}> <{p}> <{X}{o}> ." for s, p, o in FACTS]
    kg.write_text("\n".join(lines) + "\n", encoding="utf-8")
    cli(["score", str(gold), str(run), "--outcomes", "--kg", str(kg)], standalone_mode=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "right type 1 (50.0%)" in shown
    assert "wrong type 1 (50.0%)" in shown
    cli(
        ["score", str(gold), str(run), "--measure", "right-type", "--kg", str(kg)],
        standalone_mode=False,
    )
    assert "0.5000" in capsys.readouterr().out
    cli(["score", str(gold), str(run), "--kg", str(kg)], standalone_mode=False)
    assert "--kg has no effect here" in capsys.readouterr().err

"""The public API as a notebook sees it.

Names, numbers with intervals, notes, and one form for all that a function takes.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import inspect
from pathlib import Path

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.answers.record import Response
from qaldgen.model import Cell

PLUGINS = [
    name
    for plugin in ("passages", "act", "serving")
    if importlib.util.find_spec(name := f"qaldgen.plugins.{plugin}") is not None
]
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def says(text: str) -> qg.Answers:
    return qg.Answers(variables=("x",), rows=((Cell("literal", text),),))


GOLD = qg.QuestionSet(
    "moons",
    "table",
    tuple(
        qg.Question(str(n), {"en": (f"Which moon has number {n}?",)}, answers=says(f"moon {n}"))
        for n in range(12)
    ),
)


def run(name: str, right: int) -> qg.Run:
    """Return a run that is right on the first questions."""
    given = {str(n): f"moon {n}" if n < right else "no moon" for n in range(12)}
    responses = {id_: Response(id_, answers=says(text)) for id_, text in given.items()}
    return qg.Run(name, "table", responses, notes=(f"{name} was made for a test",))


@pytest.mark.parametrize("verb", ["ask", "describe", "estimate", "plan", "report"])
def test_what_the_command_line_does_python_does_too(verb: str) -> None:
    assert verb in qg.__all__
    assert "Parameters\n" in inspect.getdoc(getattr(qg, verb))  # type: ignore[operator]


def test_measures_are_numbers_with_intervals() -> None:
    scores = qg.score(GOLD, run("nine", 9), match="strict")
    found = scores.measures()
    assert found["value"]["macro-f1"] == 0.75
    low, value, high = (float(found[name]["exact-match"]) for name in ("low", "value", "high"))
    assert low < value < high
    assert list(found.columns) == ["value", "low", "high", "questions", "interval"]


def test_measures_take_weights() -> None:
    weights = pd.Series(
        [9.0 if n < 9 else 1.0 for n in range(12)], index=[str(n) for n in range(12)]
    )
    found = qg.score(GOLD, run("nine", 9), match="strict").measures(weights=weights)
    assert found["value"]["macro-f1"] == pytest.approx(81 / 84)


def test_compare_takes_weights() -> None:
    weights = pd.Series(
        [9.0 if n < 9 else 1.0 for n in range(12)], index=[str(n) for n in range(12)]
    )
    found = qg.compare(
        qg.evaluate(GOLD, [run("nine", 9), run("two", 2)], match="strict", weights=weights),
        tests=qg.Significance(n_resamples=200),
    )
    assert found.overall["estimate"].to_dict() == pytest.approx({"nine": 81 / 84, "two": 18 / 84})


def test_scores_can_be_compared_as_they_are() -> None:
    scored = [
        qg.score(GOLD, run("nine", 9), match="strict"),
        qg.score(GOLD, run("two", 2), match="strict"),
    ]
    assert qg.compare(GOLD, scored, tests=qg.Significance(n_resamples=200)).overall[
        "estimate"
    ].to_dict() == pytest.approx({"nine": 0.75, "two": 1 / 6})


@pytest.mark.parametrize("verb", ["score", "compare", "report"])
def test_notes_travel_with_results(verb: str) -> None:
    runs = [run("nine", 9), run("two", 2)]
    if verb == "score":
        notes = qg.score(GOLD, runs[0], match="strict").notes
    elif verb == "compare":
        notes = qg.compare(
            qg.evaluate(GOLD, runs, match="strict"), tests=qg.Significance(n_resamples=200)
        ).notes
    else:
        notes = qg.report(
            qg.evaluate(GOLD, runs, match="strict"), tests=qg.Significance(n_resamples=200)
        ).method.notes
    assert any("nine was made for a test" in note for note in notes)


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(qg.DataError, match="two runs have the name 'a'"):
        qg.compare(qg.evaluate(GOLD, [run("a", 1), run("a", 2)], match="strict"))


def test_an_unknown_keyword_is_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'macth'"):
        qg.compare(GOLD, [run("a", 1), run("b", 2)], macth="strict")  # type: ignore[call-arg]


def test_score_shows_the_rules_of_evaluate() -> None:
    shown, rules = (inspect.signature(one).parameters for one in (qg.score, qg.evaluate))
    # `score` judges one run, so it is always alone
    assert list(shown)[2:] == [name for name in list(rules)[2:] if name != "alone"]
    assert shown["match"].default == "auto"


VIEWS = ("compare", "slices", "report", "estimate", "consistency", "plan")


@pytest.mark.parametrize("view", [*VIEWS, "score"])
def test_a_view_takes_an_evaluation_and_few_parameters(view: str) -> None:
    parameters = inspect.signature(getattr(qg, view)).parameters.values()
    own = [one for one in parameters if view != "score" or one.kind is not one.KEYWORD_ONLY]
    assert len(own) <= 8
    rules = inspect.signature(qg.evaluate).parameters
    said = {one.name for one in own} & set(rules) - {"gold", "runs"}
    shown = {"consistency": {"language"}, "compare": {"labels"}}
    assert said <= shown.get(view, set())  # of those compared, and of people


def test_select_takes_what_annotate_returns() -> None:
    annotated = qg.annotate(GOLD, cache=None)
    vectors = qg.select(annotated, "text")
    assert set(vectors.ids) == set(qg.select(annotated.store(), "text").ids)
    assert set(annotated.notes) <= set(vectors.notes)


def test_select_says_what_annotate_noticed() -> None:
    annotated = dataclasses.replace(
        qg.annotate(GOLD, cache=None), notes=("two queries cannot be parsed",)
    )
    assert "two queries cannot be parsed" in qg.select(annotated, "text").notes


def test_a_function_can_be_asked() -> None:
    def quiz(id_: str, text: str) -> Response:
        return Response(id_, answers=says(f"moon {text.rstrip('?').split()[-1]}"))

    answers = qg.ask(GOLD, quiz)
    assert answers.name == "quiz"
    assert qg.score(GOLD, answers, match="strict").measures()["value"]["exact-match"] == 1.0


def test_one_of_our_systems_is_asked_over_a_graph(tmp_path: Path) -> None:
    questions = dataclasses.replace(
        qg.load(EXAMPLES / "questions.json"),
        questions=qg.load(EXAMPLES / "questions.json").questions[:3],
    )
    journal = tmp_path / "typed.jsonl"
    answers = qg.ask(questions, "typed", kg=EXAMPLES / "graph.ttl", journal=journal, times=False)
    assert len(answers.responses) == 3
    assert qg.read_run(journal).responses == answers.responses


def test_our_systems_need_a_graph() -> None:
    with pytest.raises(qg.UsageError, match="knowledge graph"):
        qg.ask(GOLD, "typed")


def test_a_plan_is_numbers() -> None:
    pilot = pd.DataFrame(
        {"a": [0.0, 1.0] * 50, "b": [0.0, 0.0, 1.0, 1.0] * 25, "same": [1.0] * 100}
    )
    found = qg.plan(pilot, error=0.1)
    assert found.errors.set_index("system")["random"].to_dict() == {"a": 98, "b": 98, "same": None}
    assert found.notes == (
        "same: all scores of the pilot are equal, so their variance cannot be estimated",
        "a - b: they are equal on average in the pilot; plan for a `difference`, such as 0.05",
    )
    assert list(found.table()["for"]) == ["error"] * 3 + ["difference"] * 3


def test_a_plan_of_one_system_has_no_differences() -> None:
    found = qg.plan(pd.DataFrame({"a": [0.0, 1.0] * 50}))
    assert list(found.table()["for"]) == ["error"]
    assert found.differences.empty


def test_a_report_is_written(tmp_path: Path) -> None:
    made = qg.report(
        qg.evaluate(GOLD, [run("nine", 9), run("two", 2)], match="strict"),
        title="Moons",
        tests=qg.Significance(n_resamples=200),
    )
    assert made.title == "Moons"
    (page,) = qg.write_report(made, tmp_path / "report.html")
    assert "<title>Moons" in page.read_text(encoding="utf-8")
    with pytest.raises(qg.UsageError, match="`force=True`"):
        qg.write_report(made, tmp_path / "report.html")


def test_estimates_need_a_probability_sample() -> None:
    with pytest.raises(qg.UsageError, match="needs the benchmark"):
        qg.estimate(qg.evaluate(GOLD, [run("nine", 9)], match="strict"))


def test_a_sample_is_estimated_with_its_notes() -> None:
    pool = qg.load(EXAMPLES / "questions.json")
    bench = qg.sample(
        qg.select(qg.annotate(pool, labels=EXAMPLES / "graph.ttl"), "annotated"), 25, method="lpm"
    )
    right = {one.id: Response(one.id, answers=one.answers) for one in bench.questions}
    found = qg.estimate(qg.evaluate(bench, [qg.Run("perfect", "table", right)], match="strict"))
    assert found.table["estimate"].tolist() == [1.0]
    assert found.table["pool"].tolist() == [bench.pool_size]


def test_describe_says_what_data_holds() -> None:
    found = qg.describe(qg.annotate(GOLD, cache=None))
    assert found.questions == 12
    assert found.languages.to_dict() == {"en": 12}
    assert [found.properties[name]["qaldgen:text"] for name in ("questions", "share")] == [12, 1.0]
    assert found.queries["text"] == 12
    assert found.queries["listing-1.2"] == 0
    assert found.properties["frequent"].str.contains("(12)", regex=False).any()


def test_several_dictionaries_of_answers_by_number_are_runs() -> None:
    asked = pd.DataFrame({"id": [0, 1], "question": ["Who?", "When?"], "answer": ["Ada", "1815"]})
    found = qg.compare(asked, [{0: "Ada", 1: "1815"}, {0: "Ada", 1: "1900"}])
    assert found.overall["estimate"].tolist() == pytest.approx([1, 0.5], abs=0.02)


def test_a_missing_prediction_of_a_table_is_an_empty_answer() -> None:
    table = pd.DataFrame(
        {"question": ["Who?", "When?"], "answer": ["Ada", "1815"], "prediction": ["Ada", None]}
    )
    assert qg.score(table).counts["status"].tolist() == ["answered", "empty"]


# --- the names on top -----------------------------------------------------------------------------


def test_the_names_on_top_are_few() -> None:
    assert len([name for name in qg.__all__ if name[0] != "_"]) <= 43


def test_public_names_stand_where_type_checkers_find_them() -> None:
    for package in (qg, *map(importlib.import_module, PLUGINS)):
        source = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
        checked = {
            # only `import name as name` makes a name public for type checkers
            alias.asname: line.module
            for block in source.body
            if isinstance(block, ast.If)
            for line in block.body
            if isinstance(line, ast.ImportFrom)
            for alias in line.names
        }
        modules = {
            name: f"{package.__name__}.{module}"
            for module, names in package._NAMES.items()
            for name in names
        }
        assert checked == modules
        assert set(package.__all__) - {"__version__"} == set(modules)
        for name in modules:
            assert getattr(package, name) is not None

"""What people see on the terminal.

Data and features explained, suggestions for unknown names, tables that fit.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from qaldgen.cli.main import VERBS, cli
from qaldgen.errors import QaldgenError
from qaldgen.io.arguments import did_you_mean, file_hint, one_of
from qaldgen.reports.tables.results import dump_frame

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTIONS = str(EXAMPLES / "questions.json")


def call(*words: str) -> Result:
    return CliRunner().invoke(cli, words, env={"COLUMNS": "100"})


def test_describe_says_what_a_question_set_holds() -> None:
    shown = call("describe", QUESTIONS).output
    for line in (
        "245 questions in ",
        "languages: en (245)",
        "data sets: questions (245)",
        "ready-made queries that fit: annotated (245)",
    ):
        assert line in shown
    assert "number of triple patterns" in shown.replace("\n", " ") or "number of triple" in shown
    assert max(map(len, shown.splitlines()[7:])) <= 100


def test_describe_writes_its_table_for_programs(tmp_path: Path) -> None:
    target = tmp_path / "properties.csv"
    assert call("describe", QUESTIONS, "--format", "csv", "-o", str(target)).exit_code == 0
    table = pd.read_csv(target)
    assert list(table.columns) == ["property", "questions", "share", "values", "frequent"]
    assert table.loc[table["property"] == "qaldgen:isCount", "questions"].tolist() == [245]


def test_a_feature_is_explained_with_examples_of_each_value() -> None:
    explained = call("list", "features", "isCount").output
    assert explained.startswith("isCount: the query counts\n")
    assert "from the query" in explained
    with_examples = call("list", "features", "isCount", QUESTIONS).output
    assert with_examples.startswith(explained)
    assert "How many countries touch Germany?" in with_examples
    assert "the query does not count" in with_examples
    assert "  values:" in call("list", "features", "whType").output


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("scor", "x"), "did you mean score?"),
        (("list", "features", "isCuont"), "did you mean isCount"),
        (("sample", "nowhere.ttl", "-n", "5", "-m", "lmp"), "did you mean lpm?"),
        (("cluster", "nowhere.ttl", "-m", "kmeans"), "is not one of 'km++'"),
        (("score", QUESTIONS, QUESTIONS, "--by", "answertype"), "did you mean answerType"),
        (("score", QUESTIONS, QUESTIONS, "--measure", "macro-f2"), "did you mean macro-f1"),
        (("score", QUESTIONS[:-1], QUESTIONS), "did you mean questions.json?"),
        (("select", QUESTIONS, "-q", "listing-1.1"), "did you mean listing-1.3 or listing-1.2"),
        (
            ("plan", "scores.csv", "--plot", "x.png", "--style", "onecolumn"),
            "did you mean one-column?",
        ),
    ],
)
def test_an_unknown_name_gets_a_suggestion(words: tuple[str, ...], hint: str) -> None:
    found = call(*words)
    message = str(found.exception) if isinstance(found.exception, QaldgenError) else found.output
    assert found.exit_code != 0
    assert hint in message
    assert len(message) < 600


def test_suggestions_are_alike_and_long_lists_are_not_printed() -> None:
    assert did_you_mean("zzz", VERBS) == ""
    assert (
        one_of("x", [f"name{at}" for at in range(50)])
        == "there are 50, such as name0, name1, name2"
    )
    assert file_hint("no/such/folder/file.json") == "check the name"


WIDE = pd.DataFrame({
    "slice": ["a kind of question that takes many words to describe, and then some more of them"]
    * 2,
    "technical name": ["isCount = yes and tripleCountAll 2 or more"] * 2,
    "estimate": [0.123456, 0.5],
    "n": [12, 123_456],
})  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_tables_fit_the_terminal_and_lose_nothing(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = dump_frame(WIDE, "text").splitlines()
    assert max(map(len, lines)) <= width
    words = " ".join(lines)
    for word in ("describe,", "tripleCountAll", "0.1235", "123,456"):
        assert word in words
    assert (len(lines) == 3) is (width == 160)


def test_slices_show_words_and_the_diagnostics_on_request(tmp_path: Path) -> None:
    journal = tmp_path / "typed.jsonl"
    graph = str(EXAMPLES / "graph.ttl")
    assert (
        call("ask", QUESTIONS, "--system", "typed", "--kg", graph, "-o", str(journal)).exit_code
        == 0
    )
    short, long = (call("slices", QUESTIONS, str(journal), *more) for more in ((), ("--verbose",)))
    assert "two or more" in short.stdout
    assert "conditions and" not in short.stderr
    assert "conditions and" in long.stderr
    assert "candidates tested" not in short.stderr
    assert max(map(len, short.stdout.splitlines())) <= 100

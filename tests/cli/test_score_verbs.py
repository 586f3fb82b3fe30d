"""The verbs score, compare and slices as a user meets them.

Figures, tables in every form, and bad input.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from calls import Call, Said, figures

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "questions.json"
FEATURES = ROOT / "examples" / "features.ttl"
GRAPH = ROOT / "examples" / "graph.ttl"
N = 8


def entry(
    number: object, *iris: str, text: str = "Who owns boat {}?", language: str = "en"
) -> dict[str, Any]:
    rows = [{"x": {"type": "uri" if "://" in iri else "literal", "value": iri}} for iri in iris]
    return {
        "id": str(number),
        "question": [{"language": language, "string": text.replace("{}", str(number))}],
        "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": rows}}],
    }


def write(path: Path, entries: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"questions": entries}, indent=1), encoding="utf-8")
    return path


ENTRIES = [entry(number, f"http://x.org/p{number}") for number in range(1, N + 1)]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Eight questions about boats."""
    return write(tmp_path / "gold.json", ENTRIES)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Right answers to six of them; nothing about two."""
    return write(tmp_path / "mine.json", ENTRIES[:6])


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What four small systems answer to the questions of the example."""
    from asked import prepare

    from qaldgen.answers.record import status_of
    from qaldgen.questions.reading import read_questions
    from qaldgen.stores.local import open_file

    folder, questions, graph = (
        tmp_path_factory.mktemp("runs"),
        read_questions(EXAMPLE).questions,
        open_file(GRAPH),
    )
    made = {}
    for name in ("lookup", "neighbours", "typed", "templates"):
        answer = prepare(name, graph)
        given = {question.id: answer(question.text()).answers for question in questions}
        made[name] = folder / f"{name}.json"
        made[name].write_text(
            json.dumps(
                {
                    id_: list(found.values()) if status_of(found) == "answered" else []
                    for id_, found in given.items()
                }
            ),
            encoding="utf-8",
        )
    return made


def refusal(said: Said, code: int, *words: str) -> None:
    """Check for one line of error, with these words, nothing on stdout and no traceback."""
    errors = [line for line in said.err.splitlines() if line.startswith("Error: ")]
    assert said.code == code, said.err
    assert len(errors) == 1, said.err
    assert "Traceback" not in said.err
    assert said.out == ""
    for word in words:
        assert word in errors[0], errors[0]


# --- figures ------------------------------------------------------------------------------------

SEVEN = (
    "Micro Precision",
    "Micro Recall",
    "Micro F1 score",
    "Macro Precision",
    "Macro Recall",
    "Macro F1 score",
    "Macro F1 QALD",
)


@pytest.mark.parametrize(
    ("system", "same_as"),
    [
        *((system, "none") for system in ("allwrong", "constant42", "extended")),
        *(
            (system, same_as)
            for system in ("empty", "mixed", "noisy", "perfect")
            for same_as in ("none", "offline")
        ),
    ],
)
@pytest.mark.parametrize(
    ("match", "folder"), [("gerbil", "results"), ("gerbil-2023", "results_before_2024_09")]
)
def test_score_gives_the_seven_numbers_of_gerbil(
    shared_data: Path, call: Call, system: str, same_as: str, match: str, folder: str
) -> None:
    oracle = shared_data / "oracles" / "gerbil" / folder / f"qald-9-test.{system}.{same_as}.json"
    if not oracle.is_file():
        pytest.skip(f"GERBIL's results are not at {oracle}; set QALDGEN_TEST_DATA to their folder")
    gold = shared_data / "qald" / "qald-9-test-multilingual.json"
    given = (
        gold
        if system == "perfect"
        else shared_data / "oracles" / "gerbil" / "systems" / f"qald-9-test.{system}.json"
    )
    said = call("score", gold, given, "--match", match, "--same-as", same_as, "--format", "json")
    wanted = json.loads(oracle.read_text(encoding="utf-8"))["aggregate"]
    found = figures(said)
    assert {name: found[name] for name in SEVEN} == {
        name: None if value == "NaN" else value for name, value in wanted.items() if name in SEVEN
    }


@pytest.mark.parametrize("system", ["GANSWER2", "QAKIS", "TeBaQA"])
def test_published_systems_have_their_publishers_figures(
    shared_data: Path, call: Call, system: str
) -> None:
    folder = shared_data / "kbqa-answers" / "qald-9-train"
    if not (folder / f"{system}.csv").is_file():
        pytest.skip(f"the answers are not at {folder}; set QALDGEN_TEST_DATA")
    gold = shared_data / "qald" / "qald-9-train-multilingual.json"
    said = call("score", gold, folder / f"{system}.json", "-q", "--format", "json")
    rows = {row["id"]: row for row in json.loads(said.out)}
    with (folder / f"{system}.csv").open(encoding="utf-8") as lines:
        published = {row["ID"]: row for row in csv.DictReader(lines, delimiter="\t")}
    assert len(published) == 408
    assert rows.keys() == published.keys()
    for id_, row in rows.items():
        wanted = [float(published[id_][name]) for name in ("Precision", "Recall", "F1")]
        assert [row[name] for name in ("precision", "recall", "f1")] == pytest.approx(
            wanted, abs=1e-7
        ), id_


@pytest.mark.parametrize(
    ("system", "same_as", "edition_2023"),
    [("GANSWER2", 0, 30), ("QAKIS", 29, 36), ("TeBaQA", 0, 32)],
)
def test_how_many_published_figures_other_rules_change(
    shared_data: Path, call: Call, system: str, same_as: int, edition_2023: int
) -> None:
    folder = shared_data / "kbqa-answers" / "qald-9-train"
    if not (folder / f"{system}.json").is_file():
        pytest.skip(f"the answers are not at {folder}; set QALDGEN_TEST_DATA")
    asked = (
        "score",
        shared_data / "qald" / "qald-9-train-multilingual.json",
        folder / f"{system}.json",
        "-q",
        "--format",
        "json",
    )
    rules = {"offline": "--same-as", "strict": "--match", "gerbil-2023": "--match"}
    plain, *changed = (
        [(row["tp"], row["fp"], row["fn"]) for row in json.loads(call(*asked, *more).out)]
        for more in ((), *((option, name) for name, option in rules.items()))
    )
    assert [sum(a != b for a, b in zip(plain, other, strict=True)) for other in changed] == [
        same_as,
        0,
        edition_2023,
    ]


# --- tables -------------------------------------------------------------------------------------


def test_a_question_is_an_object_with_counts_scores_and_answers(
    gold: Path, mine: Path, call: Call
) -> None:
    rows = json.loads(call("score", gold, mine, "-q", "--format", "json").out)
    assert len(rows) == N
    assert rows[0] == {
        "run": "mine", "id": "1", "tp": 1, "fp": 0, "fn": 0, "status": "answered", "precision": 1.0,
        "recall": 1.0, "f1": 1.0, "question": "Who owns boat 1?", "gold": ["http://x.org/p1"],
        "given": ["http://x.org/p1"], "match": "auto", "matcher": "gerbil",
    }  # fmt: skip
    assert (rows[7]["status"], rows[7]["f1"], rows[7]["given"]) == ("not asked", 0.0, [])


def test_the_denominator_stands_in_the_table_and_missing_counts_both_ways(
    gold: Path, mine: Path, call: Call
) -> None:
    said = call(
        "score", gold, mine, "--missing", "both", "--measure", "macro-f1", "--format", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert [(row["missing"], float(row["value"]), row["questions"]) for row in rows] == [
        ("zero", 0.75, "8"),
        ("skip", 1.0, "6"),
    ]
    lines = call("score", gold, mine, "--missing", "both").out.splitlines()
    assert lines[-1].split() == ["Questions", "8", "6"]


def test_missing_answers_left_out_of_rows_and_slices(gold: Path, mine: Path, call: Call) -> None:
    assert (
        len(
            json.loads(call("score", gold, mine, "-q", "--missing", "skip", "--format", "json").out)
        )
        == 6
    )
    rows = json.loads(
        call("score", gold, mine, "--by", "answerType", "--missing", "both", "--format", "json").out
    )
    assert [(row["missing"], row["slice"], row["n"]) for row in rows] == [
        ("zero", "(all)", 8), ("zero", "answerType = resource", 8), ("skip", "(all)", 6),
        ("skip", "answerType = resource", 6),
    ]  # fmt: skip


def test_stdout_is_data_alone_and_talk_is_on_stderr(gold: Path, mine: Path, call: Call) -> None:
    said = call("score", gold, mine)
    assert said.out.startswith("measure ")
    assert "a missing answer counts as 0" in said.err
    assert "not asked" in said.err
    assert "Note: mine has no record for 2 of 8 questions" in said.err


def test_a_note_about_the_gold_is_given_once_for_several_runs(
    tmp_path: Path, mine: Path, call: Call
) -> None:
    gold = write(tmp_path / "g.json", [entry(1, "http://x.org/p1", "Ann B"), *ENTRIES[1:]])
    other = write(tmp_path / "other.json", ENTRIES)
    said = call("score", gold, mine, other)
    assert said.err.count("mix IRIs and literals") == 1


def test_latex_cells_are_escaped_and_cannot_be_options_of_a_line_break(
    tmp_path: Path, mine: Path, call: Call
) -> None:
    odd = r"[1] 50% of $5 & #3_a {b} ~ ^ \ *"
    gold = write(tmp_path / "g.json", [entry(1, "http://x.org/p1", text=odd), *ENTRIES[1:]])
    said = call("score", gold, mine, "-q", "--format", "latex")
    wanted = (
        r"{[}1] 50\% of \$5 \& \#3\_a \{b\} \textasciitilde{} \textasciicircum{} \textbackslash{} *"
    )
    assert wanted in said.out
    assert len(re.findall(r" \\\\$", said.out, re.MULTILINE)) == N + 1


def test_latex_has_systems_as_rows_in_percent_and_the_best_in_bold(
    gold: Path, mine: Path, tmp_path: Path, call: Call
) -> None:
    other = write(tmp_path / "other.json", ENTRIES[:2])
    table = call("score", gold, mine, other, "--format", "latex").out
    rows = [line.split(" & ") for line in table.splitlines() if line.startswith(("mine", "other"))]
    assert [row[0] for row in rows] == ["mine", "other"]
    assert (rows[0][6], rows[1][6]) == (r"\textbf{75.0}", "25.0")
    one = call("score", gold, mine, other, "--measure", "macro-f1", "--format", "latex").out
    assert re.search(r"mine & \\textbf\{75\.0\} & [\d.]+ to [\d.]+ & 8 \\\\", one)


def test_compare_prints_the_score_of_each_system_on_each_slice(
    runs: dict[str, Path], call: Call
) -> None:
    words = ("compare", EXAMPLE, runs["typed"], runs["lookup"], "--by", "answerType")
    said = call(*words)
    row = next(line for line in said.err.splitlines() if line.startswith("the answer is a date"))
    found = json.loads(call(*words, "--format", "json").out)
    scores = {
        row["system"]: row["estimate"]
        for row in found["scores"]
        if row["slice"] == "answerType = date"
    }
    assert row.split()[5:] == ["20", *(f"{scores[name]:.4f}" for name in ("typed", "lookup")), "-"]
    assert found["verdict"] in said.err
    assert {row["slice"] for row in found["tests"]} >= {"(all)", "answerType = date"}


def test_many_runs_stand_in_blocks_of_four(gold: Path, tmp_path: Path, call: Call) -> None:
    paths = [write(tmp_path / f"system{number}.json", ENTRIES) for number in range(5)]
    blocks = call("score", gold, *paths).out.split("\n\n")
    assert [block.split("\n")[0].split() for block in blocks] == [
        ["measure", "system0", "system1", "system2", "system3"], ["measure", "system4"],
    ]  # fmt: skip
    (head,) = [
        line
        for line in call("score", gold, *paths, "--format", "markdown").out.splitlines()
        if "measure" in line
    ]
    assert head.count("system") == 5


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
@pytest.mark.parametrize("view", [(), ("-q",), ("--by", "answerType")])
def test_every_table_in_every_form(
    gold: Path, mine: Path, call: Call, form: str, view: tuple[str, ...]
) -> None:
    said = call("score", gold, mine, *view, "--format", form)
    assert said.code == 0, said.err
    assert said.out.endswith("\n")


def test_a_line_break_in_a_question_does_not_break_the_table(
    tmp_path: Path, mine: Path, call: Call
) -> None:
    gold = write(
        tmp_path / "g.json", [entry(1, "http://x.org/p1", text="Who\nowns it?"), *ENTRIES[1:]]
    )
    for form in ("text", "markdown"):
        assert "Who owns it?" in call("score", gold, mine, "-q", "--format", form).out


# --- slices and comparisons ---------------------------------------------------------------------


def test_features_are_crossed_with_a_comma_and_all_questions_come_first(
    runs: dict[str, Path], call: Call
) -> None:
    said = call("score", EXAMPLE, runs["typed"], "--by", "answerType,isCount", "--format", "json")
    rows = json.loads(said.out)
    assert rows[0]["slice"] == "(all)"
    assert rows[0]["n"] == 245
    assert sum(row["n"] for row in rows[1:]) == 245
    assert "answerType = number and isCount = yes" in {row["slice"] for row in rows}


def test_where_takes_a_ready_query_and_a_file(
    runs: dict[str, Path], tmp_path: Path, call: Call
) -> None:
    query = tmp_path / "counts.rq"
    query.write_text(
        "PREFIX qaldgen: <http://qald-gen.aksw.org/vocab#> "
        "SELECT ?qId { ?qId qaldgen:isCount true }",
        encoding="utf-8",
    )
    said = call(
        "score",
        EXAMPLE,
        runs["typed"],
        "--query",
        query,
        "--query",
        "listing-1.2",
        "--format",
        "json",
    )
    assert [(row["slice"], row["n"]) for row in json.loads(said.out)][1] == ("counts", 18)
    assert [row["slice"] for row in json.loads(said.out)] == ["(all)", "counts", "listing-1.2"]


def test_a_slice_is_saved_and_sampled_from_again(
    runs: dict[str, Path], tmp_path: Path, call: Call
) -> None:
    said = call("slices", EXAMPLE, runs["typed"], "--save", tmp_path / "weak", "--format", "json")
    first = json.loads(said.out)[0]
    again = call(
        "sample",
        FEATURES,
        "-q",
        tmp_path / "weak" / "slice-1.rq",
        "-n",
        20,
        "-o",
        tmp_path / "bench.ttl",
    )
    assert again.code == 0, again.err
    assert f"{first['n']} questions" in again.err + again.out
    back = call(
        "score",
        EXAMPLE,
        runs["typed"],
        "--query",
        tmp_path / "weak" / "slice-1.rq",
        "--format",
        "json",
    )
    assert json.loads(back.out)[1]["n"] == first["n"]


def test_slices_against_another_run_say_whose_lead_the_mean_is(
    runs: dict[str, Path], call: Call
) -> None:
    said = call(
        "slices",
        EXAMPLE,
        runs["typed"],
        "--against",
        runs["templates"],
    )
    assert "Macro F1, typed minus templates" in said.err or "No kind of question" in said.err


def test_slices_compare_the_answers_in_the_file_of_questions_with_another_run(
    call: Call, tmp_path: Path
) -> None:
    ids = range(60)
    asked = [f"{at},{('Who', 'When')[at % 2]} was number {at}?,{at} x" for at in ids]
    both, other = tmp_path / "both.csv", tmp_path / "other.csv"
    lines = [f"{line},{at} x" if at % 2 else f"{line},wrong" for at, line in enumerate(asked)]
    both.write_text("\n".join(["id,question,gold,prediction", *lines]), encoding="utf-8")
    other.write_text("\n".join(["id,answer", *(f"{at},{at} x" for at in ids)]), encoding="utf-8")
    said = call("slices", both, "--against", other, "--format", "csv")
    assert said.code == 0, said.err
    assert "both minus other" in said.err
    assert "whType=who" in said.out.replace(" = ", "=")


def test_compare_says_who_is_better_only_where_it_is_significant(
    runs: dict[str, Path], call: Call
) -> None:
    paths = [runs[name] for name in ("lookup", "templates", "typed")]
    said = call(
        "compare", EXAMPLE, *paths, "--by", "answerType", "--format", "markdown", "--verbose"
    )
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in said.out.splitlines()[2:]
    ]
    assert [row[0] for row in rows[:3]] == ["(all)"] * 3
    for row in rows:
        ahead = row[1] if float(row[4]) > 0 else row[2]
        assert row[8] == (ahead if float(row[7]) <= 0.05 else "-")
    assert {row[8] for row in rows} == {"-", "templates", "typed"}
    assert "p corrected by holm, separately for each of these families" in said.err


def test_slices_too_small_for_a_test_are_named(
    gold: Path, mine: Path, tmp_path: Path, call: Call
) -> None:
    other = write(tmp_path / "other.json", [*ENTRIES[:3], entry(4, "http://x.org/no")])
    said = call(
        "compare",
        gold,
        mine,
        other,
        "--by",
        "length,answerType",
        "--query",
        _one(tmp_path),
        "--missing",
        "zero",
    )
    assert "1 slice left out, too small to test (first: one)" in said.err


def _one(folder: Path) -> Path:
    path = folder / "one.rq"
    path.write_text(
        "PREFIX dct: <http://purl.org/dc/terms/> SELECT ?q { ?q dct:identifier ?id FILTER "
        "(str(?id) = '1') }",
        encoding="utf-8",
    )
    return path


# --- benchmarks as gold -------------------------------------------------------------------------


@pytest.fixture
def honest(tmp_path: Path, call: Call) -> Path:
    """A probability sample of the example."""
    path = tmp_path / "honest.ttl"
    words = (
        "sample",
        FEATURES,
        "-q",
        "annotated",
        "-m",
        "lpm",
        "-n",
        60,
        "-o",
        path,
        "-o",
        path.with_suffix(".json"),
    )
    assert call(*words).code == 0
    return path


@pytest.fixture
def purposive(tmp_path: Path, call: Call) -> Path:
    """A benchmark chosen on purpose, with clusters and weights."""
    path = tmp_path / "chosen.ttl"
    assert (
        call(
            "sample",
            FEATURES,
            "-m",
            "feasible-exmp",
            "-n",
            12,
            "-o",
            path,
            "-o",
            path.with_suffix(".json"),
        ).code
        == 0
    )
    return path


def test_an_estimate_is_for_the_whole_pool_and_others_sharpen_it(
    honest: Path, runs: dict[str, Path], tmp_path: Path, call: Call
) -> None:
    others = tmp_path / "others.csv"
    call("score", EXAMPLE, runs["lookup"], runs["templates"], "-q", "--format", "csv", "-o", others)
    rows = json.loads(
        call(
            "score", honest, runs["typed"], "--estimate", "--others", others, "--format", "json"
        ).out
    )
    assert [(row["estimator"], row["questions"], row["pool"]) for row in rows] == [
        ("sample", 60, 245),
        ("with others", 60, 245),
    ]
    assert all(row["low"] < row["estimate"] < row["high"] for row in rows)


def test_relatives_never_sharpen_an_estimate(
    honest: Path, runs: dict[str, Path], tmp_path: Path, call: Call
) -> None:
    others = tmp_path / "others.csv"
    call("score", EXAMPLE, runs["lookup"], runs["templates"], "-q", "--format", "csv", "-o", others)
    estimated = (
        "score",
        honest,
        runs["typed"],
        "--estimate",
        "--others",
        others,
        "--format",
        "json",
    )
    related = ("--family", "typed=ours", "--family", "lookup=ours")
    plain, apart = (
        json.loads(call(*estimated, *more).out)[1]["estimate"] for more in ((), related)
    )
    assert plain != apart
    refusal(call(*estimated, "--family", "nobody=ours"), 2, "expected SYSTEM=NAME", "typed")
    alone = call("score", honest, runs["typed"], "--estimate", "--family", "typed=ours")
    assert "--family has no effect here" in alone.err


def test_an_estimate_from_a_purposive_sample_is_refused_with_the_reason(
    purposive: Path, runs: dict[str, Path], call: Call
) -> None:
    refusal(
        call("score", purposive, runs["typed"], "--estimate"),
        2,
        "feasible-exmp",
        "on purpose",
        "lpm",
    )
    refusal(
        call("score", purposive.with_suffix(".json"), runs["typed"], "--estimate"),
        2,
        "the benchmark as RDF",
    )


def test_weights_and_clusters_are_the_same_from_turtle_and_json(
    purposive: Path, runs: dict[str, Path], call: Call
) -> None:
    for options in (("--weighted",), ("--by", "cluster")):
        found = [
            json.loads(call("score", path, runs["typed"], *options, "--format", "json").out)
            for path in (purposive, purposive.with_suffix(".json"))
        ]
        values = [[row.get("value", row.get("estimate")) for row in rows] for rows in found]
        assert values[0] == pytest.approx(values[1], nan_ok=True)
    assert len(found[0]) == 13


def test_weights_change_the_score(purposive: Path, runs: dict[str, Path], call: Call) -> None:
    plain, weighted = (
        figures(call("score", purposive, runs["typed"], *more, "--format", "json"))
        for more in ((), ("--weighted",))
    )
    assert plain["Macro F1 score"] != weighted["Macro F1 score"]


# --- bad input ----------------------------------------------------------------------------------


def test_no_id_in_common_shows_both_kinds_of_ids(gold: Path, tmp_path: Path, call: Call) -> None:
    other = write(
        tmp_path / "other.json",
        [entry(f"z{n}", "http://x.org/a", text="What is rock {}?") for n in range(3)],
    )
    refusal(call("score", gold, other), 1, "no id in common", "'z0', 'z1', 'z2'", "'1', '2', '3'")


def test_questions_that_were_not_asked_are_left_out_and_counted(
    gold: Path, tmp_path: Path, call: Call
) -> None:
    other = write(tmp_path / "other.json", [*ENTRIES, entry(99, "http://x.org/a")])
    said = call("score", gold, other)
    assert "1 question of other is not in gold (first: 99)" in said.err
    assert said.out.splitlines()[-1].split() == ["Questions", "8"]


def test_repeated_ids_of_run_and_gold_are_said(gold: Path, tmp_path: Path, call: Call) -> None:
    doubled = write(tmp_path / "doubled.json", [*ENTRIES, entry(1, "http://x.org/no")])
    said = call("score", gold, doubled, "--format", "json")
    assert "1 id (first: 1) used more than once; the last entry counts" in said.err
    assert figures(said)["Macro F1 score"] == 7 / 8
    said = call("score", doubled, gold, "--format", "json")
    assert "ids that are used more than once: 1 (first: 1)" in said.err
    assert "has no record for" not in said.err


BROKEN: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "broken JSON": (b'{"questions": [\n {"id": "1",\n  }', ("line 3",)),
    "empty": (b"", ("is empty",)),
    "blank": (b" \n \n", ("is empty",)),
    "Latin-1": ('{"1": "Kärl"}'.encode("latin-1"), ("line 1: byte 0xe4 is not UTF-8",)),
    "UTF-16": ('{"1": "x"}'.encode("utf-16")[:-1], ("begins as UTF-16",)),
    "a list of another length": (b"[1, 2, 3]", ("has 3 lines", "has 8 questions", "null")),
    "nested too deeply": (b"[" * 100_000, ("nested too deeply",)),
    "nested too deeply in QALD": (
        b'{"questions": [{"id": "1", "question": [], "answers": %s}]}'
        % (b"[" * 1200 + b"]" * 1200),
        ("nested too deeply",),
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_run_is_refused_with_the_place(
    gold: Path, tmp_path: Path, call: Call, case: str
) -> None:
    content, words = BROKEN[case]
    path = tmp_path / "broken.run"
    path.write_bytes(content)
    refusal(call("score", gold, path), 1, "broken.run", *words)


@pytest.mark.parametrize("case", ["broken JSON", "empty", "Latin-1", "UTF-16"])
def test_broken_gold_is_refused_with_the_place(
    mine: Path, tmp_path: Path, call: Call, case: str
) -> None:
    content, words = BROKEN[case]
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    refusal(call("score", path, mine), 1, "broken.json", *words)


def test_what_gerbil_would_refuse_is_read_and_said(gold: Path, tmp_path: Path, call: Call) -> None:
    first = entry(1, "http://x.org/p1")
    first["answers"][0]["results"]["distinct"] = False
    said = call(
        "score", gold, write(tmp_path / "mine.json", [first, *ENTRIES[1:]]), "--format", "json"
    )
    assert (
        "GERBIL would refuse this file: question 1 (id 1), answers[0].results.distinct" in said.err
    )
    assert figures(said)["Macro F1 score"] == 1.0


def test_a_cell_without_value_is_left_out_and_said(gold: Path, tmp_path: Path, call: Call) -> None:
    first = entry(1, "http://x.org/p1")
    del first["answers"][0]["results"]["bindings"][0]["x"]["value"]
    said = call(
        "score", gold, write(tmp_path / "mine.json", [first, *ENTRIES[1:]]), "--format", "json"
    )
    assert "a cell without a value" in said.err
    assert figures(said)["Macro F1 score"] == 7 / 8


def test_gold_that_mixes_iris_and_literals_is_warned_of(tmp_path: Path, call: Call) -> None:
    gold = write(tmp_path / "gold.json", [entry(1, "http://x.org/p1", "Ann B"), *ENTRIES[1:]])
    assert (
        "1 of 8 questions (first: 1) mix IRIs and literals in the gold"
        in call("score", gold, gold).err
    )


def test_one_answer_of_a_megabyte_is_scored_and_cut_for_people(
    gold: Path, tmp_path: Path, call: Call
) -> None:
    run = write(tmp_path / "big.json", [entry(1, "w" * 1_600_000), *ENTRIES[1:]])
    assert len(call("score", gold, run, "-q").out) < 5000
    assert figures(call("score", gold, run, "--format", "json"))["Macro F1 score"] == 7 / 8


def test_gold_without_any_answers_is_refused(tmp_path: Path, mine: Path, call: Call) -> None:
    bare = [{key: entry[key] for key in ("id", "question")} for entry in ENTRIES]
    gold = write(tmp_path / "bare.json", bare)
    refusal(call("score", gold, mine), 1, "none of the 8 questions has gold answers", "--match")


def test_some_questions_without_gold_answers_count_as_empty_by_every_rule(
    tmp_path: Path, mine: Path, call: Call
) -> None:
    bare = {key: value for key, value in ENTRIES[7].items() if key != "answers"}
    gold = write(tmp_path / "some.json", [*ENTRIES[:7], bare])
    # question 8 was not asked, which only GERBIL takes for an empty answer
    for match, right in (("gerbil", 7), ("strict", 6)):
        said = call("score", gold, mine, "--match", match, "--format", "json")
        assert "1 of 8 questions (first: 8) have no gold answers in the data" in said.err
        assert "an empty answer scores 1 there" in said.err
        assert figures(said)["Macro F1 score"] == right / 8


def test_a_language_that_nothing_is_in_is_said_with_those_there_are(
    gold: Path, mine: Path, call: Call
) -> None:
    rule = "none of the questions (8) has a text in 'xx'; --lang may be en"
    for verb in (
        ("score", gold, mine),
        ("compare", gold, mine, gold),
        ("slices", gold, mine),
        ("report", gold, mine, "-o", "-"),
    ):
        refusal(call(*verb, "--lang", "xx"), 2, rule)


def test_runs_of_one_name_are_told_apart(
    gold: Path, mine: Path, tmp_path: Path, call: Call
) -> None:
    other = tmp_path / "b" / "mine.json"
    other.parent.mkdir()
    write(other, ENTRIES)
    assert call("score", gold, mine, other).out.split()[:3] == [
        "measure",
        f"{tmp_path.name}/mine",
        "b/mine",
    ]
    assert "mine.json" in call("score", gold, mine, write(tmp_path / "mine.run", ENTRIES)).out
    refusal(call("score", gold, mine, mine), 2, "is given twice")


WRONG: dict[str, tuple[tuple[object, ...], str]] = {
    "form": (("score", "G", "R", "--format", "latx"), "did you mean latex"),
    "measure": (("score", "G", "R", "--measure", "macrof1"), "did you mean macro-f1"),
    "match": (("score", "G", "R", "--match", "gerbl"), "did you mean gerbil"),
    "same as": (("score", "G", "R", "--same-as", "onffline"), "did you mean offline"),
    "missing": (("score", "G", "R", "--missing", "skipp"), "did you mean skip"),
    "feature": (("score", "G", "R", "--by", "answertype"), "did you mean answerType"),
    "query": (("score", "G", "R", "--query", "no-such"), "no such query"),
    "gold": (("score", "no-such", "R"), "neither a file nor the name of a question set"),
    "cluster": (("score", "G", "R", "--by", "cluster"), "have no clusters"),
    "weights": (("score", "G", "R", "--weighted"), "have no weights"),
    "two tables": (("score", "G", "R", "-q", "--estimate"), "use one at a time"),
    "output": (("score", "G", "R", "-o", "R"), "is an input of this command"),
    "one run": (("compare", "G", "R"), "at least two runs"),
    "correction": (("compare", "G", "R", "G", "--correct", "hlm"), "did you mean holm"),
    "alpha": (("compare", "G", "R", "G", "--alpha", "2"), "not in the range"),
    "support": (("slices", "G", "R", "--min-support", "0"), "not in the range"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_call_is_refused_with_a_hint(gold: Path, mine: Path, call: Call, case: str) -> None:
    words, message = WRONG[case]
    named = {"G": gold, "R": mine}
    refusal(call(*(named.get(str(word), word) for word in words)), 2, message)


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        ("score G R -q --measure micro-f1", "--measure"),
        ("score G R --baseline mine", "--baseline"),
        ("score G R --judge-model m", "--judge-model"),
        ("compare G R G -q --alpha 0.1", "--alpha"),
        ("compare G R G --record kept.json", "--record"),
    ],
)
def test_an_option_without_effect_is_told_and_nothing_else_changes(
    gold: Path, mine: Path, call: Call, words: str, idle: str
) -> None:
    named = {"G": str(gold), "R": str(mine)}
    given = [named.get(word, word) for word in words.split()]
    plain = given[: given.index(idle)]
    said = call(*given)
    assert said.code == 0
    assert f"Note: {idle} has no effect here" in said.err
    assert said.out == call(*plain).out


def test_a_folder_is_no_run(gold: Path, tmp_path: Path, call: Call) -> None:
    refusal(call("score", gold, tmp_path), 1, "is a folder without a run beside the questions")


def test_too_few_questions_for_a_search_are_said(gold: Path, mine: Path, call: Call) -> None:
    assert "8 questions are too few to search" in call("slices", gold, mine).err
    few = call("slices", gold, mine, "--missing", "asked")
    assert "6 questions are too few to search" in few.err
    assert few.code == 0


def test_a_query_that_does_not_parse_or_selects_nothing_is_named(
    gold: Path, mine: Path, tmp_path: Path, call: Call
) -> None:
    query = tmp_path / "mine.rq"
    query.write_text("SELECT ?q WHERE { ?q a }", encoding="utf-8")
    refusal(call("score", gold, mine, "--query", query), 2, "mine: the query does not parse")
    query.write_text("SELECT ?q WHERE { ?q <http://x.org/none> ?x }", encoding="utf-8")
    refusal(call("score", gold, mine, "--query", query), 1, "mine: selects none of the 8 questions")


def asked(tmp_path: Path, *rows: tuple[str, object], language: str = "en") -> Path:
    """Write gold questions with answers in words, or a boolean."""
    entries = [
        {"id": str(n), "language": language, "question": text, "answers": answer}
        for n, (text, answer) in enumerate(rows, 1)
    ]
    path = tmp_path / "asked.jsonl"
    path.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")
    return path


def replies(tmp_path: Path, *texts: str, name: str = "mine.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps({str(n): text for n, text in enumerate(texts, 1)}), encoding="utf-8")
    return path


def macro_f1(said: Said) -> str:
    assert said.code == 0, said.err
    return next(
        line.split()[-1] for line in said.out.splitlines() if line.startswith("Macro F1 score")
    )


WORDS = ("--match", "contains", "--measure", "macro-f1")


def test_how_answers_are_found_in_replies_is_said_and_can_be_chosen(
    call: Call, tmp_path: Path
) -> None:
    gold = asked(tmp_path, ("Where?", ["Ulm"]), ("Who?", ["Ada"]))
    run = replies(tmp_path, "<think>Bonn</think>Ulm", "Ben was it.\nAnswer: Ada")
    said = call("score", gold, run, *WORDS)
    assert macro_f1(said) == "1.0000"
    assert "in 1 of 2 replies the answer is marked" in said.err
    assert (
        macro_f1(call("score", gold, run, "--extract", "regex:^<think>(\\w+)", *WORDS)) == "0.0000"
    )
    refusal(call("score", gold, run, "--extract", "best"), 2, "extract is 'best'", "last-line")


def test_yes_and_no_in_a_language_without_rules_are_not_judged(call: Call, tmp_path: Path) -> None:
    gold = asked(tmp_path, ("Je, ni kweli?", True), ("Nani?", ["Ada"]), language="sw")
    said = call("score", gold, replies(tmp_path, "Hapana.", "Ada"), "--lang", "sw", *WORDS)
    assert macro_f1(said) == "0.5000"
    assert re.search(r"^not judged +1$", said.err, re.MULTILINE)
    assert "not judged: 1 of 2 questions (first: 1)" in said.err
    assert "between 0.5000 and 1.0000" in said.err
    assert "no rules for that in the language" in said.err


def test_gold_answers_that_are_codes_need_labels(call: Call, tmp_path: Path) -> None:
    wikidata = "http://www.wikidata.org/entity/"
    gold = write(
        tmp_path / "codes.json", [entry(1, wikidata + "Q3012"), entry(2, "http://x.org/Ada")]
    )
    run = replies(tmp_path, "It is Ulm.", "Ada")
    said = call("score", gold, run, *WORDS)
    assert "1 of 2 gold answers has no name" in said.err
    assert "--labels" in said.err
    assert "Questions       2" in said.out
    labels = tmp_path / "labels.csv"
    labels.write_text(f"iri,label\n{wikidata}Q3012,Ulm\n", encoding="utf-8")
    said = call("score", gold, run, "--labels", labels, *WORDS)
    assert macro_f1(said) == "1.0000"
    assert "Questions       2" in said.out
    labels.write_text(f"iri,label\n{wikidata}Q1,x\n", encoding="utf-8")
    refusal(
        call("score", gold, run, "--labels", labels, *WORDS),
        1,
        "has no label for any of the 2 gold answers",
    )


def test_nothing_but_questions_that_cannot_be_judged_is_refused(call: Call, tmp_path: Path) -> None:
    gold = write(tmp_path / "codes.json", [entry(1, "http://www.wikidata.org/entity/Q3012")])
    refusal(
        call("score", gold, replies(tmp_path, "Ulm"), "--match", "contains"),
        1,
        "no questions left to score",
    )


def test_several_answers_to_a_question(call: Call, tmp_path: Path) -> None:
    gold, run = asked(tmp_path, ("Where?", ["Ulm"])), tmp_path / "mine.jsonl"
    run.write_text(
        "\n".join(json.dumps({"id": "1", "answer": text}) for text in ("Ulm", "Bonn", "Bonn")),
        encoding="utf-8",
    )
    rules = {
        "mean": "0.3333",
        "majority": "0.0000",
        "pass@2": "0.6667",
        "first": "1.0000",
        "last": "0.0000",
    }
    assert {
        rule: macro_f1(call("score", gold, run, "--repeats-as", rule, *WORDS)) for rule in rules
    } == rules
    said = call("score", gold, run, "--repeats-as", "mean", *WORDS).err
    assert "1 question has several answers (3 each)" in said
    refusal(call("score", gold, run, *WORDS), 1, "nothing says why", "--repeats-as")
    refusal(call("score", gold, run, "--repeats-as", "best"), 2, "repeats-as is 'best'")


def test_answers_to_another_edition_are_noticed(call: Call, gold: Path, tmp_path: Path) -> None:
    run = tmp_path / "mine.json"
    run.write_text(
        json.dumps({str(n): f"http://x.org/other{n}" for n in range(1, N + 1)}), encoding="utf-8"
    )
    assert (
        "none of 8 answers is right; check that these are answers to these questions"
        in call("score", gold, run).err
    )


def test_the_report_states_how_answers_are_read(call: Call, tmp_path: Path) -> None:
    gold = asked(tmp_path, *((f"Where is {n}?", [f"Ulm{n}"]) for n in range(8)))
    run = replies(tmp_path, *(f"Answer: Ulm{n}" for n in range(8)))
    page = tmp_path / "page.html"
    assert call("report", gold, run, "--match", "contains", "-o", page).code == 0
    assert "answers are read as `extract=&#39;auto&#39;` says" in page.read_text(encoding="utf-8")


def test_the_field_with_the_answers_of_a_run_need_not_be_in_the_gold(
    tmp_path: Path, call: Call
) -> None:
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    gold.write_text("id,question,answer\na,Who lit it?,Ann\nb,Who saw it?,Bo\n", encoding="utf-8")
    run.write_text("id,foo,final\na,Cy,Ann\nb,Di,Ed\n", encoding="utf-8")
    told = call("score", gold, run, "--answer-field", "final", "--format", "json")
    assert {row["measure"]: row["value"] for row in json.loads(told.out)}["accuracy"] == 0.5
    refusal(call("score", gold, run, "--answer-field", "final2"), 2, "there is no field 'final2'")
    refusal(call("score", gold, "--answer-field", "final"), 2, "there is no field 'final'")


def test_each_format_is_offered_once(call: Call) -> None:
    said = call("score", EXAMPLE, "run.json", "--format", "xyz")
    choices = said.err.strip().rpartition("choose one of ")[2].split(", ")
    assert said.code == 2
    assert "cube" in choices
    assert len(choices) == len(set(choices))

"""A suite from questions to verdicts: made, rebuilt, asked, killed, resumed, and shown to CI."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.answers.interim_looks import read_looks
from qaldgen.cli.main import cli
from qaldgen.model import Answers, Question
from qaldgen.plugins.suite.making import load_suite, make_suite, rebuild_suite
from qaldgen.plugins.suite.running import run_suite

EXAMPLE = Path(__file__).resolve().parents[3] / "examples"
RESOURCE = "the answer is a resource"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of the example: kinds of answers, and long questions."""
    folder = tmp_path_factory.mktemp("suite") / "made"
    make_suite(
        EXAMPLE / "questions.json", folder, by=["answerType"], where=["tpCount > 1"], difference=0.3
    )
    return folder


@pytest.fixture(scope="module")
def gold() -> dict[str, Question]:
    return {one.id: one for one in qg.load(EXAMPLE / "questions.json").questions}


def words(question: Question) -> str:
    """Say the gold answer as a language model does."""
    answers = question.answers or Answers()
    if answers.boolean is not None:
        return "Yes." if answers.boolean else "No."
    names = [
        value.rpartition("/")[2].replace("_", " ").split(" (")[0] for value in answers.values()
    ]
    return f"The answer is {', '.join(names)}."


def answering(gold: dict[str, Question], right: int, fallen: str = "") -> dict[str, object]:
    """Answer so many of ten questions rightly in words, and of one kind only every fourth."""
    given: dict[str, object] = {}
    for at, (name, question) in enumerate(gold.items()):
        kept = at * 7 % 10 < right
        if fallen == "resource" and question.answers and question.answers.rows:
            first = question.answers.rows[0][0]
            kept = kept and (first is None or first.type != "uri" or at % 4 == 0)
        given[name] = words(question) if kept else "The answer is Atlantis."
    return given


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def test_a_suite_has_a_benchmark_a_kind_and_says_what_each_can_see(suite: Path) -> None:
    made = load_suite(suite)
    assert [kind.label for kind in made.kinds][:3] == ["all questions", "tpCount > 1", RESOURCE]
    for kind in made.kinds:
        bench = qg.load_benchmark(made.file_of(kind))
        assert bench.ordered
        assert (bench.pool_size, bench.signature) == (kind.pool, kind.signature)
        assert "|m:lpm|" in kind.signature
        if kind.sizes:
            assert kind.sizes[-1] == len(bench)
    seen = {kind.label: kind.least for kind in made.kinds}
    assert seen["all questions"] == 0.3
    assert seen["the answer is a date"] is None
    content = json.loads((suite / "suite.json").read_text(encoding="utf-8"))
    assert (content["source"], content["alpha"], content["difference"]) == ("questions", 0.05, 0.3)


def test_it_is_rebuilt_from_its_signatures_byte_for_byte(suite: Path, tmp_path: Path) -> None:
    rebuild_suite(EXAMPLE / "questions.json", suite, tmp_path / "again")
    names = {path.name for path in suite.iterdir()}
    assert names == {path.name for path in (tmp_path / "again").iterdir()}
    for name in names:
        assert (suite / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_other_questions_do_not_rebuild_it(suite: Path, tmp_path: Path) -> None:
    document = json.loads((EXAMPLE / "questions.json").read_text(encoding="utf-8"))
    document["questions"] = document["questions"][:200]
    (tmp_path / "questions.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(qg.DataError, match="the questions give the signature"):
        rebuild_suite(tmp_path / "questions.json", suite, tmp_path / "again")


def test_a_fall_in_one_kind_is_called_worse_there(suite: Path, gold: dict[str, Question]) -> None:
    old = answering(gold, 9)
    found = run_suite(suite, answering(gold, 9, "resource"), baseline=old)
    verdicts = found.table.set_index("kind")["verdict"]
    assert verdicts[RESOURCE] == "worse"
    assert verdicts["the answer is a number"] == "no difference"
    assert verdicts["the answer is a date"] == "not enough"
    assert RESOURCE in found.sentence


def test_the_same_answers_are_no_difference_with_few_questions(
    suite: Path, gold: dict[str, Question]
) -> None:
    old = answering(gold, 6)
    found = run_suite(suite, old, baseline=old)
    assert set(found.verdicts.values()) == {"no difference", "not enough"}
    assert found.asked < found.size
    assert any("are not in the suite" in note for note in found.notes)
    looked = found.table[found.table["questions"] > 0]
    assert set(looked["questions"]) == {30}


def test_the_same_answer_is_no_difference_whatever_the_others_are(
    suite: Path, gold: dict[str, Question]
) -> None:
    """Whether a statement says no is a guess, which depends on the other answers."""
    old, new = answering(gold, 9), answering(gold, 5)
    yes_or_no = [
        name
        for name, question in gold.items()
        if question.answers and question.answers.boolean is not None
    ]
    for at, name in enumerate(yes_or_no):
        answer = words(gold[name]) if at % 3 else "The answer is Atlantis."
        old[name] = new[name] = answer
    found = run_suite(suite, system=lambda name, text: new[name], baseline=old)
    table = found.table.set_index("kind")
    assert table["verdict"][RESOURCE] == "worse"
    boolean = "the answer is a boolean (yes or no)"
    assert (table["verdict"][boolean], table["difference"][boolean]) == ("no difference", 0.0)


def test_no_question_is_asked_twice_and_none_that_no_look_needs(
    suite: Path, gold: dict[str, Question], tmp_path: Path
) -> None:
    new, asked = answering(gold, 9, "resource"), list[str]()

    def system(name: str, text: str) -> object:
        asked.append(name)
        return new[name]

    found = run_suite(
        suite, system=system, baseline=answering(gold, 9), journal=tmp_path / "new.jsonl"
    )
    assert len(asked) == len(set(asked)) == found.asked < found.size
    whole = run_suite(suite, new, baseline=answering(gold, 9))
    assert found.verdicts == whole.verdicts
    again = run_suite(
        suite, system=system, baseline=answering(gold, 9), journal=tmp_path / "new.jsonl"
    )
    assert (again.verdicts, len(asked)) == (found.verdicts, found.asked)
    assert again.asked == found.asked
    assert not any("no record" in note for note in found.notes)


def test_a_run_that_was_killed_goes_on_like_one_that_was_not(
    suite: Path, gold: dict[str, Question], tmp_path: Path
) -> None:
    new = answering(gold, 7)

    def system(name: str, text: str) -> object:
        return new[name]

    def ask(journal: Path) -> object:
        old = answering(gold, 9)
        return run_suite(suite, system=system, baseline=old, journal=journal).verdicts

    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    first = ask(whole)
    for cut in (1, 30, 75, 120):
        killed.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:cut]))
        assert ask(killed) == first, cut
        assert read_looks(killed) == read_looks(whole), cut


def test_an_end_before_the_suite_is_not_enough_and_goes_on(
    suite: Path, gold: dict[str, Question], tmp_path: Path
) -> None:
    def system(name: str, text: str) -> object:
        return answering(gold, 9)[name]

    def ask(most: int | None) -> object:
        old = answering(gold, 9)
        journal = tmp_path / "new.jsonl"
        return run_suite(suite, system=system, baseline=old, journal=journal, most=most)

    first = ask(20)
    assert set(first.verdicts.values()) == {"not enough"}  # type: ignore[attr-defined]
    assert "at most 20 questions" in str(first)
    assert "no difference" in ask(None).verdicts.values()  # type: ignore[attr-defined]


def test_another_baseline_is_another_plan(
    suite: Path, gold: dict[str, Question], tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(answering(gold, 9)), encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps(answering(gold, 2)), encoding="utf-8")
    new = answering(gold, 9)

    def ask(baseline: str) -> object:
        def system(name: str, text: str) -> object:
            return new[name]

        journal = tmp_path / "new.jsonl"
        return run_suite(suite, system=system, baseline=tmp_path / baseline, journal=journal)

    ask("a.json")
    with pytest.raises(qg.UsageError, match=r"another plan \(baseline"):
        ask("b.json")


def test_a_baseline_must_have_every_question_and_the_same_matcher(
    suite: Path, gold: dict[str, Question], tmp_path: Path
) -> None:
    new = answering(gold, 9)
    few = dict(list(new.items())[:100])
    with pytest.raises(qg.DataError, match="has no answer to"):
        run_suite(suite, new, baseline=few)
    (tmp_path / "old.json").write_text(json.dumps(new), encoding="utf-8")
    for match, fits in (("auto", True), ("exact", False)):
        questions = EXAMPLE / "questions.json"
        scored = run(
            "score", questions, tmp_path / "old.json", "--match", match, "-q", "--format", "csv"
        )
        (tmp_path / "old.csv").write_text(scored.stdout, encoding="utf-8")
        if fits:
            assert not run_suite(suite, new, baseline=tmp_path / "old.csv").worse
        else:
            with pytest.raises(qg.UsageError, match="scored by exact, and the run by auto"):
                run_suite(suite, new, baseline=tmp_path / "old.csv")


#: Questions of two kinds, one of them a third of all.
MADE = [
    {
        "id": f"{at}",
        "question": f"{'Who made' if at % 3 else 'When did they make'} {chr(97 + at % 10)} {at}?",
        "answers": [f"answer {at}"],
    }
    for at in range(900)
]


def test_weak_spots_are_judged_on_questions_that_did_not_find_them(tmp_path: Path) -> None:
    """A system that fails at random on half of the questions of a kind stays as good as it was."""
    old = {
        f"{at}": f"answer {at}" if at % 3 or at % 2 else "nothing of this kind" for at in range(900)
    }
    made = make_suite(MADE, tmp_path / "suite", spots=qg.read_run(old, name="old"))
    spots = [kind for kind in made.kinds if kind.found_by]
    assert spots
    assert {kind.found_by for kind in spots} == {"old"}
    assert all(kind.pool < 250 for kind in spots)
    assert not run_suite(tmp_path / "suite", old, baseline=old).worse


def test_weak_spots_are_found_by_the_rules_that_are_given(tmp_path: Path) -> None:
    """The answers are codes, which are right by a file of aliases."""
    old = {f"{at}": f"code {at}" if at % 3 or at % 2 else "nothing" for at in range(900)}
    aliases = {f"answer {at}": [f"code {at}"] for at in range(900)}
    for name, content in (("gold", MADE), ("old", old), ("aliases", aliases)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    gold, spots = tmp_path / "gold.json", tmp_path / "old.json"
    made = run(
        "suite", "make", gold, "--spots", spots, "--aliases", tmp_path / "aliases.json",
        "-o", tmp_path / "suite",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    assert any(kind.found_by for kind in load_suite(tmp_path / "suite").kinds)
    with pytest.raises(qg.DataError, match="no weak spot"):
        make_suite(gold, tmp_path / "other", spots=spots)


def test_ci_gets_junit_xml_a_table_and_an_exit_status(
    suite: Path, gold: dict[str, Question], tmp_path: Path
) -> None:
    for name, answers in (
        ("old", answering(gold, 9)), ("same", answering(gold, 9)), ("new", answering(gold, 2)),
    ):  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps(answers), encoding="utf-8")
    call = ("suite", "run", suite)
    more = ("--baseline", tmp_path / "old.json", "--format", "markdown", "--force")
    same = run(*call, tmp_path / "same.json", *more)
    assert same.exit_code == 0, same.output
    found = run(*call, tmp_path / "new.json", *more, "--junit", tmp_path / "results.xml")
    assert found.exit_code == 1, found.output
    assert "| all questions | worse |" in found.stdout
    (root,) = Xml.parse(tmp_path / "results.xml").getroot()
    cases = {case.get("name"): case for case in root}
    assert (root.tag, int(root.get("tests", ""))) == ("testsuite", len(cases))
    assert int(root.get("failures", "")) == len(root.findall("testcase/failure")) > 0
    assert int(root.get("skipped", "")) == len(root.findall("testcase/skipped")) > 0
    failure = cases["all questions"].find("failure")
    assert failure is not None
    assert "worse: 0." in failure.get("message", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("make", "questions.json", "-o", "out"), "say which kinds of questions"),
        (("make", "questions.json", "--where", "tps", "-o", "out"), "is no condition"),
        (("run", "made", "--baseline", "questions.json"), "no system given"),
        (("run", "nowhere", "questions.json", "--baseline", "questions.json"), "has no suite.json"),
        (("run", "made", "--url", "http://localhost:1", "--baseline", "questions.json", "--most=9"),
         "name a --journal"),
    ],
)  # fmt: skip
def test_wrong_calls_are_refused(
    suite: Path, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite.parent)
    (suite.parent / "questions.json").write_bytes((EXAMPLE / "questions.json").read_bytes())
    found = run("suite", *arguments)
    assert isinstance(found.exception, qg.UsageError), found.output
    assert said in str(found.exception)

"""``passages label``.

Candidates for annotators, their worksheets, how two agree, and what it costs.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.plugins.passages.passage_sheets import Sampling, passages_to_judge
from qaldgen.plugins.passages.retrievers import Settings

#: Six mills, of which the questions ask for three; every passage has the word "młyn".
TEXTS = [f"Młyn numer {at} stoi we wsi Kozia{at} nad rzeką." for at in range(6)]
PAIRS = [("q0", "p0"), ("q1", "p1"), ("q2", "p2")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    passages = [
        {"id": f"p{at}", "title": f"Kozia{at}", "text": text} for at, text in enumerate(TEXTS)
    ]
    questions = [
        {
            "id": f"q{at}",
            "question": f"Gdzie stoi młyn numer {at}?",
            "language": "pl",
            "answers": [[f"Kozia{at}"]],
        }
        for at in range(3)
    ]
    for name, records in (("p.jsonl", passages), ("q.jsonl", questions)):
        (tmp_path / name).write_text(
            "".join(json.dumps(one) + "\n" for one in records), encoding="utf-8"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    more = ("--analyser", "token") if "q.jsonl" in words else ()
    return CliRunner().invoke(cli, ["passages", "label", *words, *more])


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def fill(path: Path, marks: Callable[[dict[str, str]], str]) -> None:
    filled = [{**row, "label": marks(row)} for row in rows(path)]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(filled[0]))
    writer.writeheader()
    writer.writerows(filled)
    path.write_text(out.getvalue(), encoding="utf-8")


def is_gold(row: dict[str, str]) -> str:
    return "y" if (row["question_id"], row["passage_id"]) in PAIRS else "n"


def test_the_best_passages_of_each_question_are_judged(folder: Path) -> None:
    found = run("q.jsonl", "p.jsonl", "--no-rerank", "-n", "2", "-o", "s.csv")
    assert found.exit_code == 0, found.output
    shown = rows(folder / "s.csv")
    assert [row["question_id"] for row in shown] == ["q0", "q0", "q1", "q1", "q2", "q2"]
    assert [(row["question_id"], row["passage_id"]) for row in shown[::2]] == PAIRS
    assert {row["draw"] for row in shown} == {"bm25 token, 100 candidates, not re-ranked, best 2"}
    assert "cost per question: 6/3 * 13.6 = 27.2 s" in found.output


@pytest.mark.parametrize(("words", "message"), [
    ((), "choose one of --cross-encoder, --scores, --function"),
    (("--no-rerank", "--scores", "x.trec"), "2 were chosen"),
    (("--no-rerank", "-n", "9", "--candidates", "3"), "show 1 to 3"),
    (("--no-rerank", "-o", "s.txt"), "unknown extension; use .csv for a worksheet"),
    (("--function", "no.such:thing"), "cannot be imported"),
])  # fmt: skip
def test_wrong_calls_are_refused(folder: Path, words: Sequence[str], message: str) -> None:
    found = run("q.jsonl", "p.jsonl", *words)
    assert isinstance(found.exception, qg.UsageError)
    assert message in str(found.exception)


def test_a_missing_package_is_named_and_nothing_else_is_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    found = run("q.jsonl", "p.jsonl", "--cross-encoder", "some-model", "-o", "s.csv")
    assert isinstance(found.exception, qg.DataError)
    assert "pip install 'qaldgen[dense]'" in str(found.exception)
    assert not (folder / "s.csv").exists()


def test_a_cross_encoder_gets_question_and_passages(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []

    class Encoder:
        def __init__(self, name: str, **options: object) -> None:
            assert name == "some-model"

        def predict(self, pairs: Sequence[tuple[str, str]], **options: object) -> list[float]:
            seen.extend(pairs)
            return [float("Kozia5" in passage) for _, passage in pairs]

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(CrossEncoder=Encoder))
    found = run("q.jsonl", "p.jsonl", "--cross-encoder", "some-model", "-n", "1", "-o", "s.csv")
    assert found.exit_code == 0, found.output
    assert [row["passage_id"] for row in rows(folder / "s.csv")] == ["p5"] * 3
    assert ("Gdzie stoi młyn numer 0?", TEXTS[0]) in seen


def test_recorded_scores_re_rank_and_candidates_without_one_come_last(folder: Path) -> None:
    (folder / "r.trec").write_text("q0 Q0 p4 1 2.5 x\nq0 Q0 p3 2 1.5 x\nq1 Q0 p5 1 1.0 x\n")
    found = run("q.jsonl", "p.jsonl", "--scores", "r.trec", "-n", "3", "-o", "s.csv")
    shown = [(row["question_id"], row["passage_id"]) for row in rows(folder / "s.csv")]
    assert shown[:4] == [("q0", "p4"), ("q0", "p3"), ("q0", "p0"), ("q1", "p5")]
    assert "15 candidates have no recorded score" in found.output


def test_scores_of_other_questions_are_refused(folder: Path) -> None:
    (folder / "r.trec").write_text("other Q0 p4 1 2.5 x\n")
    assert "has scores for none of the 3 questions" in str(
        run("q.jsonl", "p.jsonl", "--scores", "r.trec").exception
    )


@pytest.mark.parametrize(
    "scores", [lambda question, passages: [1.0], lambda question, passages: [float("nan")] * 6]
)
def test_a_function_that_gives_no_score_for_a_passage_is_refused(
    folder: Path, refused: Callable[..., str], scores: Callable[..., list[float]]
) -> None:
    sampling = Sampling(function=scores)
    assert "each passage needs one" in refused(
        lambda: passages_to_judge("q.jsonl", "p.jsonl", sampling, settings=Settings("token"))
    )


def test_questions_without_a_candidate_are_named(folder: Path) -> None:
    (folder / "q.jsonl").write_text(
        '{"id": "a", "question": "Quid?", "language": "pl"}\n{"id": "b", "question": "młyn"}\n'
    )
    found = run("q.jsonl", "p.jsonl", "--no-rerank", "-o", "s.csv")
    assert "1 of 2 questions have no passage to judge (first: a)" in found.output


def test_judged_passages_become_the_relevant_ones(folder: Path) -> None:
    run("q.jsonl", "p.jsonl", "--no-rerank", "-o", "s.csv")
    fill(folder / "s.csv", is_gold)
    assert run("q.jsonl", "--judged", "s.csv", "-o", "asked.jsonl").exit_code == 0
    asked = qg.load("asked.jsonl")
    assert [one.metadata["relevant_passages"] for one in asked.questions] == ["p0", "p1", "p2"]


def test_what_was_known_stays_and_what_contradicts_it_is_counted(folder: Path) -> None:
    (folder / "s.csv").write_text("question_id,passage_id,label\nq0,p0,y\nx,p0,y\n")
    run("q.jsonl", "--judged", "s.csv", "-o", "a.jsonl")
    (folder / "t.csv").write_text("question_id;passage_id;label\nq0;p0;n\nq0;p1;y\n")
    found = run("a.jsonl", "--judged", "t.csv", "--judged", "s.csv", "-o", "b.jsonl")
    assert "1 passages were known as relevant and judged not to be; they stay" in found.output
    assert "1 judgements are about other questions" in found.output
    assert qg.load("b.jsonl").questions[0].metadata["relevant_passages"] == "p0 p1"


def test_two_annotators_agree_as_the_formula_says(folder: Path) -> None:
    for name in ("a.csv", "b.csv"):
        run("q.jsonl", "p.jsonl", "--no-rerank", "-o", name)
    fill(folder / "a.csv", is_gold)
    fill(
        folder / "b.csv",
        lambda row: "s" if row["passage_id"] == "p4" else "y" if row["passage_id"] == "p0" else "n",
    )
    found = run("a.csv", "b.csv", "--agreement").output
    # 12 pairs: both say yes to (q0, p0), the first also to 2, the second also to 2, and no to the
    # other 7
    observed, chance = 8 / 12, (3 / 12) ** 2 + (9 / 12) ** 2
    assert (
        f"same label: 66.7% (8/12); Cohen's kappa: {(observed - chance) / (1 - chance):.3f}"
        in found
    )
    assert "precision 33.3% (1/3), recall 33.3% (1/3)" in found
    assert "b.csv: pairs skipped and left out: 3" in found
    assert "they differ on q1 p1" in found


def test_a_worksheet_is_compared_with_the_rows_of_polqa(folder: Path) -> None:
    header = "question_id,passage_title,passage_text,passage_id,question,relevant\n"
    (folder / "polqa.csv").write_text(
        header + "1,Młyn,Tu jest młyn.,10-1,Gdzie?,True\n1,Las,Tu jest las.,10-2,Gdzie?,False\n"
    )
    (folder / "s.csv").write_text("question_id,passage_id,label\n1,10-1,y\n1,10-2,y\n")
    found = run("s.csv", "polqa.csv", "--agreement").output
    assert "precision 50.0% (1/2), recall 100.0% (1/1)" in found


@pytest.mark.parametrize(("text", "message"), [
    ("question_id,passage_id,label\nq0,p0,p\n",
     "write y (answers the question), n (does not) or s (skip)"),
    ("question_id,passage_id,label\nq0,p0,0.5\n", "the label is '0.5'"),
    ("question_id,passage_id,label\nq0,p0,y\nq0,p0,n\n", "has two labels that differ"),
    ("question_id,passage_id,label\nq0,,y\n", "a row has no passage_id (question q0)"),
    ("question_id,passage_id,label\n,p0,y\n", "a row has no question_id (passage 'p0')"),
    ("question_id,passage_id,label\n,,y\n", "a row has a label but no ids"),
    ("id,label\nq0,y\n", "is not a worksheet"),
    ("", "is not a worksheet"),
    ("\n\n", "is not a worksheet"),
    ("question_id,passage_id,label\nq0,p0,\n", "no judged pair"),
    ('question_id,passage_id,label\nq0,p0,"' + "x" * 200_000 + '"\n', "is not a table"),
])  # fmt: skip
def test_broken_worksheets_are_refused(folder: Path, text: str, message: str) -> None:
    (folder / "s.csv").write_text(text)
    found = run("s.csv", "s.csv", "--agreement")
    assert isinstance(found.exception, qg.DataError)
    assert message in str(found.exception)


def test_blank_rows_of_a_spreadsheet_are_passed_over(folder: Path) -> None:
    text = "\ufeffpassage_id;label;question_id\r\np0;Y;q0\r\n;;\r\np1;n;q0\r\n;;\r\n;;\r\n"
    (folder / "s.csv").write_text(text, encoding="utf-8", newline="")
    found = run("s.csv", "s.csv", "--agreement")
    assert "pairs judged by both: 2" in found.output


def test_hostile_passages_are_shown_as_they_are_and_run_nothing(folder: Path) -> None:
    hostile = [
        "</script><script>alert(1)</script> młyn",
        "=HYPERLINK(młyn)",
        "טחנה młyn עתיקה",
        "młyn " + "x" * 1_000_000,
    ]
    records = ({"id": f"p{at}", "text": text, "title": ""} for at, text in enumerate(hostile))
    (folder / "p.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    found = run("q.jsonl", "p.jsonl", "--no-rerank", "-o", "s.csv", "-o", "s.html")
    assert "passages truncated, as they are too long for a cell: 3 (first: p3)" in found.output
    page = (folder / "s.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    data = json.loads(re.search('id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert {item["shown"][3] for item in data["items"]} >= set(hostile[:3])
    assert data["marks"] == ["y", "n", "s"]
    fill(folder / "s.csv", lambda row: "n")
    assert "same label: 100.0% (12/12)" in run("s.csv", "s.csv", "--agreement").output


def test_the_page_goes_on_and_saves_the_worksheet(folder: Path) -> None:
    run("q.jsonl", "p.jsonl", "--no-rerank", "-o", "s.csv")
    empty = (folder / "s.csv").read_text(encoding="utf-8")
    fill(folder / "s.csv", lambda row: is_gold(row) if row["question_id"] == "q0" else "")
    assert (
        run("q.jsonl", "p.jsonl", "--no-rerank", "--resume", "s.csv", "-o", "s.html").exit_code == 0
    )
    page = (folder / "s.html").read_text(encoding="utf-8")
    data = json.loads(re.search('id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert data["labels"] == {f"q0\tp{at}": "y" if at == 0 else "n" for at in (0, 1, 2, 3, 4)}
    assert data["header"] + "".join(one["before"] + one["after"] for one in data["items"]) == empty
    other = run("q.jsonl", "p.jsonl", "--no-rerank", "-n", "2", "--resume", "s.csv", "-o", "t.html")
    assert "judges pairs that are not drawn now" in str(other.exception)


def test_the_cost_of_a_worksheet_by_the_time_of_the_paper_and_ones_own(folder: Path) -> None:
    asked = ("q.jsonl", "p.jsonl", "--no-rerank", "-n", "2", "--force", "-o", "s.csv")
    assert "cost per question: 6/3 * 13.6 = 27.2 s" in run(*asked).stderr
    assert "6/3 * 10 = 20.0 s" in run(*asked, "--verify-seconds", "10").stderr

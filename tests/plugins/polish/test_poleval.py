"""PolEval's metric.

GEval's rules case by case, the published outputs, what stands beside it, and submissions.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import qaldgen as qg
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.cli.main import cli
from qaldgen.io.notes import collecting
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.plugins.polish.poleval import (
    accepted_variants,
    accepts,
    answer_types,
    chance_of_each,
    judge,
    lower,
    poleval_match,
)
from qaldgen.questions.geval_numbers import find_number
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.counts import Count
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.matchers import MATCHERS, make_matcher
from qaldgen.scoring.measures import available_measures
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.submission import answer_line, submission

Refused = Callable[..., str]
#: Whether each column of the table of cases is the strict reading.
READINGS = {"geval": False, "paper": True}


def cases() -> list[dict[str, str]]:
    path = Path(__file__).parents[2] / "data" / "poleval" / "metric.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("reading", READINGS)
def test_cases(reading: str) -> None:
    assert [
        (case["gold"], case["answer"])
        for case in cases()
        if accepts(case["gold"].split("⇥"), case["answer"], strict=READINGS[reading])
        != (case[reading] == "acc")
    ] == []


def test_upstream_fixture() -> None:
    # the ten lines of GEval's own test fuzzy-match-accuracy (Apache-2.0), whose expected score is
    # 0.6
    gold = [
        "foo bar baz", "squirrel", "Henry the Hammer", "1", "12", "12", "Warszawa", "Abcd 52",
        "Bla 12",
        "Poland\tFrance\tItaly",
    ]  # fmt: skip
    given = [
        "foo bar baz", "pig", "Hentry the Saw", "12", "123", "1", "WARSZAWA", "52 XYZU", "Test XII",
        "FRANCE",
    ]  # fmt: skip
    assert sum(accepts(one.split("\t"), two) for one, two in zip(gold, given, strict=True)) == 6


@pytest.mark.parametrize(("text", "number"), [
    ("+3.5", "+3.5"), ("+3", "3"), (".5", ".5"), ("5.", "5"), ("1.2.3", "1.2"), ("a7b", "7"),
    ("٣", None), ("x2 IV", "2"),
    ("IV\u00a0V", "4"), ("IV,", None), ("MCMXCIX", "1999"), ("IC", "99"), ("VX", "5"),
    ("LCD", "350"), ("", None),
    ("IV\u2028V", None), ("Ⅳ", None),
])  # fmt: skip
def test_number(text: str, number: str | None) -> None:
    assert find_number(text) == number


@pytest.mark.parametrize(("gold", "answer", "right"), [
    ("İzmir", "izmir", True),  # one character in Haskell's lower case, two in Python's
    ("ΟΔΟΣ", "οδοσ", True),
    ("  tak\t", "tak", True),
    ("tak", " \u00a0tak\t", True),
    ("a\tb", "a\tb", False),  # variants are apart, a tab in the answer is a character
    ("\t\ttak", "tak", True),
    ("tak\t\tnie", "", False),
    ("", "", False),
    ("10", "10 000", True),
    ("3\u00a0000", "3", True),
])  # fmt: skip
def test_line(gold: str, answer: str, right: bool) -> None:
    assert accepts(gold.split("\t"), answer) == right


def test_half_of_the_length_is_counted_in_characters_of_the_lower_case() -> None:
    assert lower("İİ") == "ii"
    assert accepts(["İİ"], "ix")
    assert not accepts(["İİ"], "xy")


def test_random_texts_agree_with_a_plain_distance() -> None:
    def distance(one: str, two: str) -> int:
        last = list(range(len(two) + 1))
        for i, a in enumerate(one, 1):
            row = [i]
            for j, b in enumerate(two, 1):
                row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
            last = row
        return last[-1]

    rng = random.Random(5)
    for _ in range(400):
        gold, given = (
            "".join(rng.choices("ab ó", k=rng.randint(1, 7))).strip(" ") for _ in range(2)
        )
        if gold:
            assert accepts([gold], given) == (2 * distance(gold, given) <= len(gold))


def question(*texts: str, name: str = "1", asked: str = "Kto?") -> Question:
    return Question(name, {"pl": (asked,)}, answers=Answers(texts=(texts,)))


def given(text: str, name: str = "1") -> Response:
    return Response(name, answers=Answers(texts=((text,),) if text else ()))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ulm", Count(1, 0, 0)),
        ("Bonn", Count(0, 1, 1)),
        ("", Count(0, 0, 1)),
        ("Ulmy", Count(1, 0, 0)),
    ],
)
def test_counts(text: str, count: Count) -> None:
    assert poleval_match(question("Ulm"), given(text)) == count


@pytest.mark.parametrize("text", ["", "Ulm"])
def test_an_empty_line_of_gold_accepts_nothing(text: str) -> None:
    """GEval divides by the length of the variant, and what comes out is not a hit."""
    empty = Question("1", {"pl": ("Kto?",)}, answers=Answers(texts=()))
    gold = Gold(QuestionSet("set", "poleval", (empty, question("Ulm", name="2"))))
    run = Run("mine", "lines", {"1": given(text), "2": given("Ulm", "2")})
    scored = score(gold, run, match="poleval", language="pl")
    assert scored.counts[["tp", "fn"]].to_numpy().tolist() == [[0, 1], [1, 0]]


def test_reply_is_taken_as_it_is_unless_told_otherwise() -> None:
    reply = "**Answer:** Ulm"
    gold = Gold(QuestionSet("set", "poleval", (question("Ulm"),)))
    run = Run("mine", "lines", {"1": given(reply)})
    assert score(gold, run, match="poleval", language="pl").counts["tp"].tolist() == [0]
    assert (
        score(gold, run, match="poleval", language="pl", extract="whole").rules.extract == "whole"
    )
    marked = score(gold, run, match="poleval", language="pl", extract=r"regex:Answer:\W*(.*)")
    assert marked.counts["tp"].tolist() == [1]


def test_cells_booleans_and_aliases_have_wordings() -> None:
    cell = Question(
        "1", {}, answers=Answers(rows=((Cell("uri", "http://x.org/Old_Mill"),),), variables=("x",))
    )
    assert accepted_variants(cell, "pl", {"Old_Mill": ["Stary Młyn"]}) == ("Old Mill", "Stary Młyn")
    assert "tak" in accepted_variants(Question("1", {}, answers=Answers(boolean=True)), "pl")
    assert answer_line(Response("1", answers=Answers(boolean=False)), "pl") == "nie"
    assert accepted_variants(question("Ulm"), "pl", {"Ulm": ["Ulmy nad Dunajem"]}) == (
        "Ulm",
        "Ulmy nad Dunajem",
    )


def test_opened_question_names_variant_and_rule() -> None:
    explain = MATCHERS["poleval"].explain
    assert explain is not None
    told = explain(
        question("w XVI", "szesnasty"), given("szesnastym"), Rules(language="pl", extract="raw")
    )
    assert told == "accepted by 'szesnasty': text, 1 edits of at most 4"
    told = explain(question("w XVI", "16"), given("xvi"), Rules(language="pl", extract="raw"))
    assert told.count("number 16, the answer has none") == 2


def test_verdicts_end_with_the_first_that_accepts() -> None:
    assert [one.variant for one in judge(["Bonn", "Ulm", "Ulma"], "Ulm")] == ["Bonn", "Ulm"]


@pytest.mark.parametrize("strict", [False, True])
def test_chance_is_that_of_all_pairs(strict: bool) -> None:
    rng = random.Random(3)
    words = ["tak", "nie", "7", "8 m", "w XV", "Ulm", "Ulma", "Bonn", "15", "", "a b"]
    golds = [rng.sample(words, rng.randint(1, 3)) for _ in range(60)]
    types = [rng.choice("abc") for _ in golds]
    found = chance_of_each(golds, types, strict=strict)
    groups = defaultdict(list)
    for at, kind in enumerate(types):
        groups[kind].append(at)
    for at, gold in enumerate(golds):
        accepted = {
            other: accepts(list(gold), golds[other][0], strict=strict)
            for other in groups[types[at]]
        }
        # a variant that is empty stands inside the line here, and is not stripped off
        plain = {
            other: any(accepts([one], golds[other][0], strict=strict) for one in gold)
            for other in accepted
        }
        assert found.shuffled[at] == pytest.approx(np.mean(list(plain.values())))
        others = [right for other, right in plain.items() if other != at]
        assert found.chance[at] == pytest.approx(np.mean(others))


def test_chance_of_a_question_alone_in_its_type_is_none() -> None:
    found = chance_of_each([["Ulm"], ["Bonn"], []], ["city", "river", "river"])
    assert found.chance.tolist() == [0.0, 0.0, 0.0]
    assert found.shuffled.tolist() == [1.0, 1.0, 0.0]


def test_types_are_told_by_the_text_of_any_language() -> None:
    polish, english = (
        question("1410", asked="W którym roku?"),
        Question("2", {"en": ("How many?",)}),
    )
    assert answer_types([polish, english], "pl")[0] == ("named", "year")
    assert answer_types([polish, english], "pl")[1] == ("named", "count")


def test_measures_beside_the_metric_stand_only_where_it_is_used(tmp_path: Path) -> None:
    gold = QuestionSet("set", "table", (question("Ulm"), question("Bonn", name="2")))
    run = Run("mine", "lines", {"1": given("ulm"), "2": given("Bon", "2")})
    found = qg.score(gold, run, match="poleval", language="pl").measures()["value"]
    assert (found["hit-at-1"], found["same_text"]) == (1.0, 0.5)
    assert "chance" in found
    assert "chance" not in available_measures(
        qg.score(gold, run, match="exact", language="pl").counts
    )


#: Hits of the outputs of systems that are public, and of the gold answers themselves: GEval, by the
#: letter of the paper.
HITS = {
    ("dev-0", "out-always-tak"): (51, 50), ("dev-0", "out-mt5"): (166, 147),
    ("dev-0", "out-polish-roberta-large"): (72, 66),
    ("test-A", "out-always-tak"): (143, 140), ("test-A", "out-mt5"): (448, 424),
    ("test-A", "out-polish-roberta-large"): (172, 162),
}  # fmt: skip
MORE = {
    ("dev-0", "nie"): (40, 34),
    ("test-A", "nie"): (88, 78),
    ("dev-0", ""): (0, 0),
    ("test-A", ""): (0, 0),
}


def published(shared_data: Path, part: str) -> QuestionSet:
    path = shared_data / "poleval-2021" / part
    if not path.is_dir():
        pytest.skip(f"the questions of PolEval 2021 are not at {path}")
    return read_questions(path)


def hits(gold: QuestionSet, run: Run, match: str) -> int:
    matcher = make_matcher(match, Rules(language="pl", extract="raw"))
    counts = [matcher(one, run.responses[one.id]) for one in gold.questions]
    return sum(count is not None and count.tp for count in counts)


@pytest.mark.parametrize(("part", "output"), HITS)
def test_published_outputs(shared_data: Path, part: str, output: str) -> None:
    gold = published(shared_data, part)
    run = read_run(shared_data / "poleval-2021" / part / f"{output}.tsv", gold=gold)
    assert run.format == "lines"
    assert (hits(gold, run, "poleval"), hits(gold, run, "poleval-paper")) == HITS[part, output]


@pytest.mark.parametrize(("part", "answer"), MORE)
def test_one_answer_to_everything(
    shared_data: Path, tmp_path: Path, part: str, answer: str
) -> None:
    gold = published(shared_data, part)
    path = tmp_path / "out.tsv"
    path.write_text(f"{answer}\n" * len(gold.questions), encoding="utf-8")
    run = read_run(path, gold=gold)
    assert (hits(gold, run, "poleval"), hits(gold, run, "poleval-paper")) == MORE[part, answer]


@pytest.mark.parametrize("part", ["dev-0", "test-A"])
def test_first_variants_are_all_right(shared_data: Path, part: str) -> None:
    gold = published(shared_data, part)
    run = Run(
        "gold",
        "lines",
        {one.id: given(one.answers.texts[0][0], one.id) for one in gold.questions if one.answers},
    )
    assert hits(gold, run, "poleval") == hits(gold, run, "poleval-paper") == len(gold.questions)


@pytest.mark.parametrize(
    ("part", "same", "shuffled"), [("dev-0", 90, 0.0906), ("test-A", 276, 0.0806)]
)
def test_beside_the_metric_on_published_outputs(
    shared_data: Path, part: str, same: int, shuffled: float
) -> None:
    gold = published(shared_data, part)
    run = read_run(shared_data / "poleval-2021" / part / "out-mt5.tsv", gold=gold)
    counts = score(Gold(gold), run, match="poleval", language="pl").counts
    assert int(counts["same_text"].sum()) == same
    assert counts["shuffled"].mean() == pytest.approx(shuffled, abs=0.01)


def poleval(folder: Path, questions: list[str], answers: list[str]) -> QuestionSet:
    folder.mkdir()
    (folder / "in.tsv").write_text("".join(f"{one}\n" for one in questions), encoding="utf-8")
    (folder / "expected.tsv").write_text("".join(f"{one}\n" for one in answers), encoding="utf-8")
    return read_questions(folder)


@pytest.mark.parametrize("text", [
    "Ulm\tnad Dunajem\nBonn\n", "Ulm, nad\nBonn, tak\n", "\n\n", "Ulm\nBonn", "Ulm\r\nBonn\r\n",
    "„Ulm”\nBonn\n",
    "1\tUlm\nBonn\n",
    "id;answer\n1;Ulm\n",
    "[Ulm] nad Dunajem\nBonn\n", "<unk>\nBonn\n", "{Ulm\nBonn\n", "[1]\nBonn\n",
    '"Ulm", nad\nBonn\n',
])  # fmt: skip
def test_any_lines_are_a_submission(tmp_path: Path, text: str) -> None:
    gold = poleval(tmp_path / "set", ["Gdzie?", "Skąd?"], ["Ulm", "Bonn"])
    path = tmp_path / "out.tsv"
    path.write_bytes(text.encode())
    run = read_run(path, gold=gold)
    lines = [line.strip() for line in text.removesuffix("\n").split("\n")]
    assert run.format == "lines"
    assert [one.answers.values() for one in run.responses.values() if one.answers] == [
        [line] if line else [] for line in lines
    ]


@pytest.mark.parametrize(("text", "form"), [
    ('{"id": "1", "answer": "Ulm"}\n{"id": "2", "answer": "Bonn"}\n', "records"),
    ('"Ulm"\n"Bonn"\n', "lines"),
    ("1\tUlm\n2\tBonn\n", "table"), ("id,answer\n1,Ulm\n2,Bonn\n", "table"),
])  # fmt: skip
def test_other_forms_are_read_as_what_they_are(tmp_path: Path, text: str, form: str) -> None:
    gold = poleval(tmp_path / "set", ["Gdzie?", "Skąd?"], ["Ulm", "Bonn"])
    path = tmp_path / "out.tsv"
    path.write_text(text, encoding="utf-8")
    run = read_run(path, gold=gold)
    assert run.format == form
    assert [one.answers.values() for one in run.responses.values() if one.answers] == [
        ["Ulm"],
        ["Bonn"],
    ]


@pytest.mark.parametrize("text", ['{"1": "Ulm"}\n\n', "[Ulm\n{Bonn\n", "PAR1\n<Bonn>\n"])
def test_file_that_is_said_to_be_lines_is_lines(tmp_path: Path, text: str) -> None:
    gold = poleval(tmp_path / "set", ["Gdzie?", "Skąd?"], ["Ulm", "Bonn"])
    path = tmp_path / "out.tsv"
    path.write_text(text, encoding="utf-8")
    run = read_run(path, gold=gold, format="lines")
    assert [one.answers.values() for one in run.responses.values() if one.answers] == [
        [line] if line else [] for line in text.removesuffix("\n").split("\n")
    ]


@pytest.mark.parametrize(
    "text", ['{"1": "Ulm",\n "2": "Bonn"\n', '["Ulm",\n"Bonn",]\n', "<html>\n<b>"]
)
def test_damaged_json_is_no_submission(tmp_path: Path, refused: Refused, text: str) -> None:
    gold = poleval(tmp_path / "set", ["Gdzie?", "Skąd?"], ["Ulm", "Bonn"])
    path = tmp_path / "out.json"
    path.write_text(text, encoding="utf-8")
    message = refused(lambda: read_run(path, gold=gold))
    assert "invalid JSON" in message or "web page" in message


@pytest.mark.parametrize("ends", ["", "Ulm\nBonn\nKöln\n"])
def test_wrong_number_of_lines_names_both(tmp_path: Path, refused: Refused, ends: str) -> None:
    gold = poleval(tmp_path / "set", ["Gdzie?", "Skąd?"], ["Ulm", "Bonn"])
    path = tmp_path / "out.tsv"
    path.write_text(ends or "Ulm\n", encoding="utf-8")
    message = refused(lambda: read_run(path, gold=gold))
    assert f"has {3 if ends else 1} lines" in message
    assert "2 questions" in message


def test_submission_is_written_and_read_again(tmp_path: Path) -> None:
    gold = poleval(tmp_path / "set", ["Gdzie?", "Skąd?", "Czy?"], ["Ulm", "Bonn", "tak"])
    answers = {
        "2": given("Bonn\nnad Renem", "2"),
        "3": Response("3", answers=Answers(boolean=True)),
    }
    with collecting() as notes:
        text = submission(gold, Run("mine", "table", answers), language="pl")
    assert text == "\nBonn nad Renem\ntak\n"
    assert list(notes) == [
        "mine: 1 of 3 questions has no answer, and an empty line (first: 1, not asked)",
        "mine: 1 answer of several lines (first: 2) became one",
    ]
    path = tmp_path / "out.tsv"
    path.write_text(text, encoding="utf-8")
    assert submission(gold, path) == text


def test_export_writes_a_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    poleval(tmp_path / "set", ["Gdzie?", "Skąd?"], ["Ulm", "Bonn"])
    (tmp_path / "run.jsonl").write_text(
        '{"id": "2", "answer": "Bonn"}\n{"id": "1", "answer": "Ulm"}\n', encoding="utf-8"
    )
    target = tmp_path / "out.tsv"
    words = [
        "export",
        str(tmp_path / "run.jsonl"),
        "--gold",
        str(tmp_path / "set"),
        "-o",
        str(target),
    ]
    monkeypatch.setattr("sys.argv", ["qaldgen", *words])
    cli(standalone_mode=False)
    assert target.read_text(encoding="utf-8") == "Ulm\nBonn\n"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("Ulx", True),  # one letter of three wrong
        ("Ulx\x1c", False),  # no white space to the official scorer, so a second wrong letter
        ("\u2028Ulx", False),
        ("Ul\rx", False),
        ("\rUlx\r", True),
        ("\u00a0Ulx\u3000", True),
    ],
)
def test_lines_lose_what_the_official_scorer_takes_for_space(
    line: str, right: bool, tmp_path: Path
) -> None:
    (tmp_path / "in.tsv").write_text("Stolica?\nRzeka?\n", encoding="utf-8")
    (tmp_path / "expected.tsv").write_text("Ulm\nDee\n", encoding="utf-8")
    out = tmp_path / "out.tsv"
    out.write_text(f"{line}\nDee\n", encoding="utf-8", newline="")
    counts = qg.evaluate(tmp_path, [out], match="poleval", language="pl").frame
    assert [bool(one) for one in counts["tp"]] == [right, True]

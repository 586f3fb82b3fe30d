"""Answers compared as GERBIL compares them, and strictly."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from general_measures import GENERAL
from matched import counts_frame
from questions import question, run_of

import qaldgen
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.model import Answers, Cell, Question, QuestionSet, WrittenCell
from qaldgen.questions.gerbil import answer_strings, is_gerbil_iri
from qaldgen.questions.reading import read_questions
from qaldgen.rdf.java_uris import is_uri, is_url
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.gerbil.answers import (
    _count_pairs,
    gerbil_2023_match,
    gerbil_2023_matcher,
    gerbil_match,
    gerbil_matcher,
)
from qaldgen.scoring.gerbil.same_as import same_uris
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.strict import strict_match, strict_matcher

R = "http://dbpedia.org/resource/"
A, B = R + "Ann_Lee", R + "Ben_Low"
RAW, ENCODED = R + "Kärl_(x)", R + "K%C3%A4rl_%28x%29"
XSD = "http://www.w3.org/2001/XMLSchema#"


def oracle(shared_data: Path, folder: str, case: str) -> tuple[Any, Path, Path]:
    """Return what GERBIL computed, its gold file and its answer file."""
    found = shared_data / "oracles" / "gerbil" / folder / f"{case}.json"
    if not found.is_file():
        pytest.skip(f"GERBIL's results are not at {found}; set QALDGEN_TEST_DATA to their folder")
    base, system = case.split(".")[:2]
    own = shared_data / "oracles" / "gerbil" / "own_gold" / "probe.gold.json"
    gold = own if base == "probe" else shared_data / "qald" / f"{base}-multilingual.json"
    given = (
        shared_data
        / "oracles"
        / "gerbil"
        / "systems"
        / ("probe.sys.json" if base == "probe" else f"{base}.{system}.json")
    )
    return (
        json.loads(found.read_text(encoding="utf-8")),
        gold,
        gold if system == "perfect" else given,
    )


CASES = [
    *("probe.none", "probe.offline", "qald-9-test.perfect.xx.none"),
    *(f"qald-9-test.{system}.none" for system in ("allwrong", "constant42", "extended")),
    *(
        f"qald-9-test.{system}.{same}"
        for system in ("empty", "mixed", "noisy", "perfect")
        for same in ("none", "offline")
    ),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    ("folder", "matcher"),
    [("results", gerbil_matcher), ("results_before_2024_09", gerbil_2023_matcher)],
    ids=["now", "2023"],
)
def test_every_count_and_number_equals_gerbils(
    shared_data: Path, folder: str, matcher: Callable[[str], Matcher], case: str
) -> None:
    wanted, gold, given = oracle(shared_data, folder, case)
    questions = read_questions(gold).questions
    frame = counts_frame(
        questions, read_run(given), matcher(wanted["sameas"]), language=wanted["language"]
    )
    columns = ["tp", "fp", "fn", "precision", "recall", "f1"]
    assert frame[columns].reset_index().to_dict("records") == wanted["per_question"]
    numbers = {measure.label: measure.of(frame, None) for measure in GENERAL.values()}
    for name, value in wanted["aggregate"].items():
        assert str(numbers[name]) == str(value).lower(), name


def test_gerbils_own_unit_cases(shared_data: Path) -> None:
    path = shared_data / "oracles" / "gerbil" / "gerbil_unit_cases.json"
    if not path.is_file():
        pytest.skip(f"GERBIL's unit cases are not at {path}")
    checked = 0
    for case in json.loads(path.read_text(encoding="utf-8"))["counts"]:
        if case["observed_when_run"] == "same" and "strings" not in {
            case["gold_kind"],
            case["system_kind"],
        }:
            count = gerbil_match(case["gold"] or [], case["system"] or [])
            assert count._asdict() == case["expected"], case["id"]
            checked += 1
    assert checked


@pytest.mark.parametrize(
    ("gold", "given", "expected"),
    [
        (["5"], ["6"], (0, 1, 1)),
        (["5"], ["05"], (0, 1, 1)),
        (["true"], ["false"], (0, 1, 1)),
        (["true"], ["True"], (0, 1, 1)),
        (["2020-02-02"], ["2020-02-02T00:00:00Z"], (0, 1, 1)),
        (["Ann"], ["Ann "], (0, 1, 1)),
        (["Ann"], ["ann"], (0, 1, 1)),
        ([A], ["Ann Lee"], (0, 1, 1)),
        (["Ann Lee"], [A], (0, 1, 1)),
        ([A, B], [A, B, "x"], (2, 1, 0)),
        ([A, B, "x"], [A, B, "x"], (1, 2, 2)),
        ([A, B, "x"], [A, B], (0, 2, 3)),
        ([A, ""], [A, ""], (1, 1, 1)),
        ([R + "A b", A], [R + "A b", A], (1, 1, 1)),
        ([R + 'A"b', A], [R + 'A"b', A], (1, 1, 1)),
        ([R + "a|b"], [R + "a|b"], (1, 0, 0)),
        ([RAW, "x"], [RAW, "x"], (2, 0, 0)),
        (["urn:isbn:1", "x"], ["urn:isbn:1", "x"], (2, 0, 0)),
        ([RAW, "x"], [RAW], (0, 1, 2)),
        (["http://localhost/a", "x"], ["http://localhost/a", "x"], (2, 0, 0)),
        ([R + "A"], [R + "a"], (0, 1, 1)),
        ([R + "A"], [R + "A/"], (0, 1, 1)),
        ([R + "A"], [f"<{R}A>"], (0, 1, 1)),
        ([A, A, B], [B, B, A], (2, 0, 0)),
        ([RAW], [ENCODED], (0, 1, 1)),
        ([], [], (0, 0, 0)),
        ([], ["5", "6"], (0, 2, 0)),
        ([], [A, "6"], (0, 2, 0)),
        (["5"], [], (0, 0, 1)),
    ],
)
def test_rule_of_answer_matching(
    gold: list[str], given: list[str], expected: tuple[int, int, int]
) -> None:
    assert gerbil_match(gold, given) == expected
    assert gerbil_match(gold[::-1], given[::-1]) == expected


@pytest.mark.parametrize(
    ("gold", "given", "expected"),
    [
        ([RAW], [ENCODED], (1, 0, 0)),
        ([ENCODED], [RAW], (1, 0, 0)),
        ([A], [A.replace("http:", "https:")], (1, 0, 0)),
        ([A], [A.replace("http:", "https:"), "x"], (1, 1, 0)),
        ([A.replace("http:", "https:")], [A], (0, 1, 1)),
        ([ENCODED], [ENCODED, RAW], (1, 0, 0)),
        ([ENCODED, RAW], [ENCODED, RAW], (1, 0, 1)),
        ([ENCODED, RAW], [RAW], (1, 0, 1)),
        (["http://en.dbpedia.org/resource/A"], [R + "A"], (0, 1, 1)),
        ([R + "A"], ["http://en.dbpedia.org/resource/A"], (1, 0, 0)),
        (["http://en.wikipedia.org/wiki/Ann_Lee"], [A], (1, 0, 0)),
        (["http://de.dbpedia.org/resource/A"], ["http://de.wikipedia.org/wiki/A"], (1, 0, 0)),
        (["http://bg.dbpedia.org/resource/A"], ["http://bg.wikipedia.org/wiki/A"], (1, 0, 0)),
        (["http://tr.wikipedia.org/wiki/A"], ["http://tr.dbpedia.org/resource/A"], (1, 0, 0)),
        # what two answers stand for may overlap; each is used once
        (
            [R + "A", "http://en.wikipedia.org/wiki/A"],
            ["https://dbpedia.org/resource/A", R + "A"],
            (2, 0, 0),
        ),
        (["http://sv.dbpedia.org/resource/A"], ["http://sv.wikipedia.org/wiki/A"], (0, 1, 1)),
        (["http://www.wikidata.org/entity/Q1"], ["https://www.wikidata.org/entity/Q1"], (0, 1, 1)),
        (["http://e.org/a%20b/c"], ["http://e.org/a+b/c"], (0, 1, 1)),
        # a string that is no URL stays as it is, and is not extended
        ([R + "K%C3%A4rl"], [R + "Kärl", "x"], (0, 2, 1)),
    ],
)
def test_rule_of_same_uris(
    gold: list[str], given: list[str], expected: tuple[int, int, int]
) -> None:
    assert gerbil_match(gold, given, same_as="offline") == expected


@pytest.mark.parametrize(
    ("gold", "sets", "pairs"),
    [
        ("ab", ["a", "ab"], 2),
        ("ab", ["ab", "a"], 1),  # a takes the first set, and none is left for b
        ("ba", ["ab", "a"], 2),
        ("abc", ["ac", "bc", "c"], 3),  # c passes by both sets that are taken
        ("abc", ["abc"], 1),
    ],
)
def test_each_gold_iri_takes_the_first_free_set(gold: str, sets: list[str], pairs: int) -> None:
    assert _count_pairs(gold, [frozenset(one) for one in sets]) == pairs


def test_one_given_answer_is_never_right_twice() -> None:
    assert gerbil_match([RAW, ENCODED, A], [ENCODED, A], same_as="offline") == (2, 0, 1)


@pytest.mark.parametrize(
    ("uri", "reached"),
    [
        ("http://data.nytimes.com/a b", set()),
        ("urn:a:b", set()),
        ("http://x.org/", set()),
        ("http://x.org/a~b", {"http://x.org/a%7Eb"}),
        ("http://x.org/d#a%41", {"http://x.org/d#aA"}),
        ("http://x.org/a%2541", {"http://x.org/a%41", "http://x.org/aA"}),
        ("http://x.org/a b", {"http://x.org/a+b", "http://x.org/a%2Bb"}),
        ("http://x.org/%41%zz", set()),
    ],
)
def test_same_uris_of_one_uri(uri: str, reached: set[str]) -> None:
    assert same_uris(uri) == reached | {uri}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("Ann", True),
        ("a b", False),
        ("http:", False),
        ("http://", False),
        ("http:///a", True),
        ("http://?x", True),
        ("1a:b", False),
        ("a/b:c", True),
        (":a", False),
        ("a:b", True),
        ("50%", False),
        ("http://x.org/%zz", False),
        ("http://x.org/[a]", False),
        ("http://x.org/?[a]", True),
        ("http://x.org/a#b#c", False),
        ("http://x.org/ü", True),
        ("http://x.org/a\u00a0b", False),
        ("http://x.org/a\u200bb", True),
        ("http://x.org/a\u0085b", False),
        ("http://x_y.org:8a/", True),
        ("http://[::1]/", True),
        ("http://[1:2:3:4:5:6:7:8]/", True),
        ("http://[::1.2.3.4]/", True),
        ("http://\ud800/", True),
    ],
)
def test_java_net_uri(text: str, expected: bool) -> None:
    assert is_uri(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a:b", True), ("a :b", False), ("a: b", False), ("12:30", False), ("ab", False)],
)
def test_an_iri_has_a_colon_between_characters(text: str, expected: bool) -> None:
    assert is_gerbil_iri(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTP://x.org", True),
        ("mailto:a@x.org", False),
        ("http:x.org", False),
        ("http://x.org/ü", False),
        ("http://x.org/a?ü#ü", True),
        ("http://x.org//a", False),
        ("http://x.org/a/../b", True),
        ("http://x.org/../a", False),
        ("http://x.org/a/../..", False),
        ("http://x.org/a|b", False),
        ("http://localhost/", False),
        ("http://x.bayern./", True),
        (f"http://{'a' * 63}.org/", True),
        ("http://1.2.3.4/", True),
        ("http://x.org:65535/", True),
        ("http://x.org:/", True),
        ("http://x.org:8a/", False),
        ("http://u:p@x.org/", True),
        ("http://u@v@x.org/", False),
        ("http://:p@x.org/", False),
        ("http://[::ffff:1.2.3.4]/", False),
        ("http://😀.com/", False),
    ],
)
def test_url_validator(text: str, expected: bool) -> None:
    assert is_url(text) is expected


@pytest.mark.parametrize(
    ("gold", "given", "expected"),
    [
        (["5"], ["42"], (1, 0, 0)),
        (["true"], ["false"], (1, 0, 0)),
        ([A], ["42"], (0, 1, 1)),
        ([A], [B], (0, 1, 1)),
        (["http://kb.org/a"], ["http://kb.org/b"], (1, 0, 0)),
        (["5", "6"], ["7", "8"], (2, 1, 0)),
        (["5", "6"], ["7"], (2, 0, 0)),
        (["5", "6"], ["5"], (2, 0, 0)),
        ([A, "5"], [A, "6"], (2, 0, 0)),
        ([A, "a b"], [A], (1, 0, 1)),
        (["a b", "c d"], ["c d", "e f"], (2, 0, 0)),
        (["a b"], [A, "a b"], (1, 1, 0)),
        ([], ["5"], (0, 1, 0)),
        ([], [], (0, 0, 0)),
    ],
)
def test_rule_of_2023(gold: list[str], given: list[str], expected: tuple[int, int, int]) -> None:
    assert gerbil_2023_match(gold, given) == expected


def test_2023_counted_two_encodings_in_gold_as_right_by_one_answer() -> None:
    assert gerbil_2023_match([ENCODED, RAW], [RAW], same_as="offline") == (2, 0, 0)


@pytest.mark.parametrize("match", [gerbil_match, gerbil_2023_match])
def test_many_answers_in_other_encodings(match: Callable[..., Count]) -> None:
    gold = [f"{R}A_({number})" for number in range(16_000)]
    given = [f"{R}A_%28{number}%29" for number in range(8_000, 24_000)]
    assert match(gold, given, same_as="offline") == (8_000, 8_000, 8_000)


def test_strings_of_gerbils_loader_count() -> None:
    cell = Cell("literal", "2020-1-1", XSD + "date")
    written = WrittenCell.of(cell, {"datatype": cell.datatype, "value": cell.value})
    strings = [answer_strings(Answers(None, ("x",), ((one,),))) for one in (cell, written)]
    assert strings == [["2020-1-1"], ["2020-01-01"]]
    assert list(answer_strings(Answers(boolean=True, beside=(written,)))) == ["true", "2020-01-01"]
    assert list(answer_strings(None)) == []


def expecting(name: str, *values: str, language: str = "en") -> Question:
    return question(name, language=language, answers=terms(*((value,) for value in values)))


def terms(*cells: Collection[str]) -> Answers:
    """Return literals, each (value, datatype, language); a value with a colon is an IRI."""
    made = [
        Cell("uri" if next(iter(cell)).startswith("http") else "literal", *cell) for cell in cells
    ]
    return Answers(variables=("x",), rows=tuple((cell,) for cell in made))


def test_rows_keep_the_order_of_the_gold_questions() -> None:
    frame = counts_frame(
        [expecting("b", A), expecting("a", "5")],
        run_of(a=terms(("5",)), b=terms((B,)), c=terms(("1",))),
        gerbil_matcher(),
    )
    assert frame.index.tolist() == ["b", "a"]
    assert frame["tp"].tolist() == [0, 1]
    assert frame["expected"].tolist() == [1, 1]
    assert frame["returned"].tolist() == [1, 1]


def test_failures_and_questions_not_asked_count_as_empty_answers_and_keep_their_status() -> None:
    responses = {"a": Response("a", "failed", answers=terms(("5",))), "b": Response("b", "timeout")}
    frame = counts_frame(
        [expecting(name, "5") for name in "abc"], Run("mine", "table", responses), gerbil_matcher()
    )
    assert frame["status"].tolist() == ["failed", "timeout", "not asked"]
    assert frame[["tp", "fp", "fn"]].to_numpy().tolist() == [[0, 0, 1]] * 3


def test_a_language_keeps_the_questions_that_have_a_text_in_it() -> None:
    questions = [expecting("a", "5"), expecting("b", "5", language="hi-IN")]
    assert counts_frame(questions, run_of(), gerbil_matcher(), language="hi_IN").index.tolist() == [
        "b"
    ]
    assert counts_frame(questions, run_of(), gerbil_matcher(), language="hi").empty
    assert len(counts_frame(questions, run_of(), gerbil_matcher())) == 2


def test_copies_of_a_question_are_scored_with_the_one_answer(tmp_path: Path) -> None:
    entry = {
        "id": "7",
        "question": [{"language": "en", "string": "Who?"}],
        "answers": [{"boolean": True}],
    }
    path = tmp_path / "gold.json"
    path.write_text(
        json.dumps({"questions": [entry, {**entry, "answers": [{"boolean": False}]}]}),
        encoding="utf-8",
    )
    frame = counts_frame(read_questions(path).questions, read_run(path), gerbil_matcher())
    assert frame["tp"].tolist() == [0, 1]


def test_an_id_that_looks_like_a_copy_has_its_own_answer() -> None:
    answers = {"7": terms(("no",)), "7#2": terms(("5",))}
    frame = counts_frame([expecting("7#2", "5")], run_of(**answers), gerbil_matcher())
    assert frame["tp"].tolist() == [1]


def test_silence_is_a_hit_where_nothing_is_expected() -> None:
    assert counts_frame([expecting("a")], run_of(a=Answers()), gerbil_matcher())[
        "hit"
    ].tolist() == [True]


def test_a_hit_is_a_first_answer_that_is_right() -> None:
    gold = [expecting(name, A, B) for name in "ab"]
    frame = counts_frame(
        gold, run_of(a=terms((A,), ("x",)), b=terms(("x",), (A,))), gerbil_matcher()
    )
    assert frame["hit"].tolist() == [True, False]
    assert frame["tp"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("gold", "given", "expected"),
    [
        (("5", XSD + "integer"), ("5.0", XSD + "decimal"), True),
        (("5", XSD + "integer"), ("5E0", XSD + "double"), True),
        (("5", XSD + "integer"), ("6", XSD + "integer"), False),
        (("5", XSD + "integer"), ("5", XSD + "string"), False),
        (("5", XSD + "integer"), ("5",), True),
        (("05",), ("5", XSD + "int"), True),
        (("5",), ("5.0",), False),
        (("INF", XSD + "double"), ("INF", XSD + "float"), True),
        (("true", XSD + "boolean"), ("1", XSD + "boolean"), True),
        (("true", XSD + "boolean"), ("false",), False),
        (("2020-01-01", XSD + "date"), ("2020-01-01", XSD + "date"), True),
        (("2020-01-01", XSD + "date"), ("2020-01-01",), True),
        (("2020-01-01", XSD + "date"), ("2020-01-01Z", XSD + "date"), False),
        (("2020-01-01Z", XSD + "date"), ("2020-01-01+00:00", XSD + "date"), True),
        (("2020-01-01", XSD + "date"), ("2020-01-01T00:00:00", XSD + "dateTime"), False),
        (
            ("2020-01-01T00:00:00Z", XSD + "dateTime"),
            ("2020-01-01T01:00:00+01:00", XSD + "dateTime"),
            True,
        ),
        (
            ("2000-01-01T00:30:00+01:00", XSD + "dateTime"),
            ("1999-12-31T23:30:00Z", XSD + "dateTime"),
            True,
        ),
        (
            ("2020-01-01T00:00:00Z", XSD + "dateTime"),
            ("2020-01-01T00:00:00", XSD + "dateTime"),
            False,
        ),
        (
            ("2019-12-31T24:00:00", XSD + "dateTime"),
            ("2020-01-01T00:00:00.0", XSD + "dateTime"),
            True,
        ),
        (("2020-01-01", XSD + "date"), ("2020-01-01T00:00:00", XSD + "date"), False),
        (("-0044-03-15", XSD + "date"), ("0044-03-15", XSD + "date"), False),
        (("Ann", "", "en"), ("Ann", "", "EN"), True),
        (("Ann", "", "en"), ("Ann", "", "de"), False),
        (("Ann", "", "en"), ("Ann",), True),
        (("Ann",), ("Ann", XSD + "string"), True),
        (("Ann", XSD + "string"), ("Ann", "", "en"), False),
        (("Ann",), ("ann",), False),
        ((A,), (A,), True),
        ((RAW,), (ENCODED,), False),
        (("x", "urn:type"), ("x", "urn:type"), True),
        (("x", "urn:type"), ("x", "urn:other"), False),
        (("five", XSD + "integer"), ("five", XSD + "integer"), True),
    ],
)
def test_strict_rule(gold: Collection[str], given: Collection[str], expected: bool) -> None:
    count = Count(1, 0, 0) if expected else Count(0, 1, 1)
    assert strict_match(terms(gold), terms(given)) == count
    assert strict_match(terms(given), terms(gold)) == count


def test_strict_answers_are_sets() -> None:
    assert strict_match(terms((A,), (B,), ("5",)), terms((B,), (A,), (A,), ("x",))) == (2, 1, 1)
    assert strict_match(
        terms(("5", XSD + "integer"), ("5.0", XSD + "decimal")), terms(("5", XSD + "int"))
    ) == (1, 0, 0)
    assert strict_match(terms(), terms()) == (0, 0, 0)


def test_strict_term_is_found_once_only() -> None:
    assert strict_match(terms(("5",), ("5.0",)), terms(("5", XSD + "integer"))) == (1, 0, 1)


def test_strict_takes_any_wording_of_a_gold_text() -> None:
    gold = Answers(texts=(("Ann Lee", "Lee"), ("Ben",)))
    assert strict_match(gold, Answers(texts=(("Lee",),))) == (1, 0, 1)
    assert strict_match(gold, terms(("Ben", "", "en"), ("Lee", XSD + "string"))) == (2, 0, 0)


def test_strict_boolean() -> None:
    assert strict_match(Answers(boolean=True), Answers(boolean=True)) == (1, 0, 0)
    assert strict_match(Answers(boolean=True), Answers(boolean=False)) == (0, 1, 1)
    assert strict_match(Answers(boolean=False), terms(("false",))) == (1, 0, 0)
    assert strict_match(Answers(boolean=True), terms(("1", XSD + "boolean"))) == (1, 0, 0)


@pytest.mark.parametrize(
    "name", ["qald-9-train-multilingual", "qald_9_plus_test_dbpedia", "qald-7-test-en-wikidata"]
)
def test_strict_perfect_run_gets_one(shared_data: Path, name: str) -> None:
    path = shared_data / "qald" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"the gold file is not at {path}")
    frame = counts_frame(read_questions(path).questions, read_run(path), strict_matcher())
    assert frame["f1"].tolist() == [1.0] * len(frame)


def test_gerbil_does_not_give_every_perfect_run_one(shared_data: Path) -> None:
    path = shared_data / "qald" / "qald_9_plus_test_dbpedia.json"
    if not path.is_file():
        pytest.skip(f"the gold file is not at {path}")
    frame = counts_frame(
        read_questions(path).questions, read_run(path), gerbil_matcher(), language="en"
    )
    assert sorted(frame.index[frame["f1"] < 1]) == ["164", "26", "60"]
    assert round(MEASURES["macro-f1"].of(frame, None), 5) == 0.98583


@pytest.mark.parametrize("status", ["failed", "timeout", "not asked"])
@pytest.mark.parametrize(("match", "f1"), [("gerbil", 1.0), ("gerbil-2023", 1.0), ("strict", 0.0)])
def test_silence_where_nothing_is_expected_is_right_to_gerbil_alone(
    match: str, f1: float, status: str
) -> None:
    gold = QuestionSet("gold", "qald-json", (expecting("a"), expecting("b", "5")))
    answers = Answers(variables=("x",), rows=((Cell("literal", "5"),),))
    run = Run("mine", "table", {"a": Response("a", status), "b": Response("b", answers=answers)})
    assert qaldgen.score(gold, run, match=match).counts.loc["a", "f1"] == f1

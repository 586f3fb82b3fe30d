"""The report.

What it says, that it says it safely, the same bytes each time, and the same in every form.
"""

from __future__ import annotations

import base64
import csv
import dataclasses
import gzip
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from calls import Call
from general_measures import GENERAL

from qaldgen.analysis.comparing.comparison import compare
from qaldgen.analysis.comparing.multiplicity import CORRECTIONS, Correction, Significance
from qaldgen.analysis.slices.slicing import ALL, Slice
from qaldgen.analysis.slices.weak_spots import find_weak_spots
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold, load_gold, why_not_tested
from qaldgen.benchmark.question_features import features_of
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Answers, Cell, Question, QuestionSet, Remark
from qaldgen.questions.results_json import answers_json
from qaldgen.reports.page import page_data as page_data_
from qaldgen.reports.page.contents import Report
from qaldgen.reports.page.findings import Findings, find_findings
from qaldgen.reports.page.formats import FORMS, people_tables, render
from qaldgen.reports.page.html import render_html
from qaldgen.reports.page.map import feature_matrix, project
from qaldgen.reports.page.method import notes_once
from qaldgen.reports.page.page_data import (
    MOST_ANSWERS,
    MOST_CHARACTERS,
    STATES,
    answer_data,
    first_screen,
    packed_json,
    page_data,
    rank_ranges,
    shorten_answers,
    what_is_sure,
)
from qaldgen.reports.page.slice_groups import slice_groups
from qaldgen.reports.report import ShownReport, ranked_runs, report_scores
from qaldgen.scoring.evaluation import Evaluation, score
from qaldgen.scoring.measures import MEASURES
from qaldgen.scoring.score import Scores

RES = "http://example.org/resource/"
ASKED = 60
NASTY = {
    "q1": '</script><script>alert("1")</script><img src=x onerror=alert(2)>',
    "q2": "ما هي عاصمة \"مصر\" & 'السودان'؟",
    "q3": "a | b \\ c_d % $x$ #1 {braces} ~^\nsecond line",
}


def cells(*names: str) -> Answers:
    return Answers(variables=("x",), rows=tuple((Cell("uri", RES + name),) for name in names))


def make_gold(size: int = ASKED) -> Gold:
    ids = [f"q{number}" for number in range(1, size + 1)]
    questions = (
        Question(id_, {"en": (NASTY.get(id_, f"What is thing {id_}?"),)}, answers=cells(id_))
        for id_ in ids
    )
    return Gold(QuestionSet("things", "table", tuple(questions), sha256="c0ffee00" * 8))


def make_run(
    gold: Gold, name: str, right: set[int], statuses: dict[int, str] | None = None
) -> Scores:
    """Score a run that is right on the questions of these numbers; 0 is the first."""
    responses = {}
    for at, question in enumerate(gold.questions.questions):
        status = (statuses or {}).get(at, "answered")
        given = cells(question.id if at in right else "wrong") if status == "answered" else None
        responses[question.id] = Response(question.id, status, given)
    return score(gold, Run(name, "table", responses, sha256="abcd0123" * 8))


def make_slices(gold: Gold) -> dict[str, list[Slice]]:
    ids = [question.id for question in gold.questions.questions]
    return {
        "answerType": [
            Slice("answerType = resource", tuple(ids[:40])),
            Slice("answerType = number", tuple(ids[40:])),
        ]
    }


def make_report(
    runs: list[Scores], gold: Gold, slices: dict[str, list[Slice]] | None = None, **options: object
) -> Report:
    groups = make_slices(gold) if slices is None else slices
    ids = tuple(question.id for question in gold.questions.questions)
    matrix = np.array([[at % 7, at % 3] for at in range(len(ids))], dtype=float)
    projection = project(ids, matrix, ("x", "y"), "two features")
    made = report_scores(gold, runs, slices=groups, **options)  # type: ignore[arg-type]
    return dataclasses.replace(made, projection=projection)


@pytest.fixture(scope="module")
def gold() -> Gold:
    return make_gold()


@pytest.fixture(scope="module")
def runs(gold: Gold) -> list[Scores]:
    """Overall the first is ahead; on the last 20 questions the second."""
    return [
        make_run(gold, "weak <b>", set(range(40, 58))),
        make_run(gold, "strong", set(range(38))),
    ]


@pytest.fixture(scope="module")
def report(gold: Gold, runs: list[Scores]) -> Report:
    return make_report(runs, gold)


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return render_html(report).decode("utf-8")


# --- what it says ---


def test_the_best_system_stands_first(report: Report) -> None:
    assert report.systems == ("strong", "weak <b>")
    assert report.title == "strong and weak <b> on things"


def test_weights_decide_who_is_best(gold: Gold, runs: list[Scores]) -> None:
    weights = pd.Series(
        [1.0 if at < 40 else 9.0 for at in range(ASKED)], index=runs[0].counts.index
    )
    assert [one.name for one in ranked_runs(runs, weights)] == ["weak <b>", "strong"]


def test_a_weighted_report_says_so(gold: Gold, runs: list[Scores], page: str) -> None:
    weights = pd.Series(1.0, index=runs[0].counts.index)
    assert (
        "Questions are weighted"
        in render_html(report_scores(gold, runs[:1], weights=weights)).decode()
    )
    assert "Questions are weighted" not in page


def test_the_summary_has_the_measures_to_the_last_bit(report: Report, runs: list[Scores]) -> None:
    for one in runs:
        own = report.summary[report.summary["run"] == one.name].set_index("measure")["value"]
        assert {name: own[name] for name in GENERAL} == {
            name: measure.of(one.counts, None) for name, measure in GENERAL.items()
        }


@pytest.mark.parametrize("measure", GENERAL)
def test_a_report_is_about_any_measure(gold: Gold, runs: list[Scores], measure: str) -> None:
    groups = {"half": [Slice("first", tuple(runs[0].counts.index[:30]))]}
    tests = Significance(n_resamples=100)
    made = report_scores(gold, runs, slices=groups, measure=measure, tests=tests)
    overall = made.scores[made.scores["feature"] == ""].set_index("system")["estimate"]
    assert overall.to_dict() == pytest.approx(
        {one.name: MEASURES[measure].of(one.counts) for one in runs}
    )
    assert (
        f"difference in {MEASURES[measure].label.removesuffix(' score')} of two"
        in render_html(made).decode()
    )
    assert (f"|measure:{measure}|" in made.method.signature) == (measure != "macro-f1")


def test_missing_answers_are_left_out_in_a_second_table_only_where_there_are_some(
    gold: Gold, report: Report
) -> None:
    assert set(report.summary["missing"]) == {"zero"}
    lacking = make_report([make_run(gold, "slow", {1, 2}, {0: "timeout", 5: "failed"})], gold)
    assert set(lacking.summary["missing"]) == {"zero", "skip"}
    assert "failed, timed out or were not asked" in render_html(lacking).decode()


def test_two_runs_of_one_name_are_refused(
    gold: Gold, runs: list[Scores], refused: Callable[..., str]
) -> None:
    assert "'strong'" in refused(lambda: report_scores(gold, [runs[1], runs[1]]), DataError)
    assert "needs a run" in refused(lambda: report_scores(gold, []), UsageError)


def test_a_difference_is_told_from_the_side_of_the_better_system(
    gold: Gold, runs: list[Scores]
) -> None:
    for order in (runs, runs[::-1]):
        found = report_scores(gold, order)
        assert found.findings.overall[0].startswith(
            "strong is better than weak <b> on all 60 questions, by 0.333 (95 % interval 0."
        )


def test_a_difference_that_may_be_chance_is_not_claimed(gold: Gold) -> None:
    found = make_report(
        [make_run(gold, "a", set(range(30))), make_run(gold, "b", set(range(1, 30)))], gold
    )
    assert found.findings.overall[0].startswith(
        "There is no evidence of a difference between a and b on all 60 questions: 0.017"
    )
    ids = tuple(found.questions["id"].unique())
    small = make_report(
        [make_run(gold, "a", set(range(1, 30))), make_run(gold, "b", {0})],
        gold,
        {"x": [Slice("x 1", ids[:1] + ids[-5:])]},
    )
    assert small.findings.reversals == ()
    assert small.findings.unsure[0].endswith("this may be chance.")


def test_reversals_and_winners_are_named(report: Report) -> None:
    assert "strong leads overall" in report.findings.reversals[0]
    assert "weak <b> leads on “answerType = number” by 0.900" in report.findings.reversals[0]
    assert report.findings.winners == (
        (
            "strong is significantly better than every other system on 1 of 2 slices"
            " (“answerType = resource”)."
        ),
        (
            "weak <b> is significantly better than every other system on 1 of 2 slices"
            " (“answerType = number”)."
        ),
    )


def test_findings_call_slices_by_their_labels(report: Report) -> None:
    words = {"answerType = number": "the answer is a number"}
    found = find_findings(report.comparison, words=words)
    assert "leads on “the answer is a number” by" in found.reversals[0]
    assert "(“the answer is a number”)" in found.winners[1]


def test_a_single_system_has_no_comparison(gold: Gold, runs: list[Scores]) -> None:
    alone = make_report(runs[1:], gold)
    text = render_html(alone).decode()
    assert alone.findings == Findings()
    assert 'id="differences"' not in text
    assert 'id="slices"' in text


def test_every_section_says_how_to_read_it_and_the_method_is_there(
    page: str, report: Report
) -> None:
    assert page.count("How to read this</summary>") == page.count("<section") == 7
    for fact in (
        "c0ffee00" * 8,
        "abcd0123" * 8,
        "10,000 random resamples",
        "Holm (1979)",
        "GERBIL QA",
    ):
        assert fact in page
    assert report.method.signature.startswith(
        "things@c0ffee00|strong@abcd0123|weak <b>@abcd0123|match:gerbil|same-as:none|"
    )
    assert "|correct:holm|alpha:0.05|repeats:10000|seed:0|v:" in report.method.signature


def test_a_report_names_the_source_of_any_correction(
    gold: Gold, runs: list[Scores], monkeypatch: pytest.MonkeyPatch
) -> None:
    bonferroni = Correction(
        lambda p: np.minimum(1.0, np.asarray(p, dtype=float) * np.size(p)),
        help="p-values times their number",
        source="Dunn (1961)",
    )
    monkeypatch.setitem(CORRECTIONS, "bonferroni", bonferroni)
    made = make_report(runs, gold, tests=Significance(correct="bonferroni"))
    assert "p corrected by bonferroni, separately" in dict(made.method.facts)["Tests"]
    assert "(Dunn (1961)), level 0.05" in dict(made.method.facts)["Tests"]


def test_the_questions_have_counts_scores_status_and_answers(report: Report) -> None:
    row = report.questions[
        (report.questions["id"] == "q40") & (report.questions["system"] == "strong")
    ].iloc[0]
    assert row[["status", "tp", "fp", "fn", "precision", "recall", "f1"]].tolist() == [
        "answered",
        0,
        1,
        1,
        0.0,
        0.0,
        0.0,
    ]
    assert (row["gold"], row["given"]) == (RES + "q40", RES + "wrong")


# --- the page ---


class _Page(HTMLParser):
    """Gathers tags, ids and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]


def test_text_of_the_data_is_never_markup(page: str) -> None:
    found = _Page(page)
    assert found.tags["script"] == 2
    assert not any(name.startswith("on") or (name == "src") for name, _ in found.attributes)
    assert "weak <b>" not in page
    assert "weak &lt;b&gt;" in page


def test_the_data_in_the_page_are_those_of_the_report(page: str, report: Report) -> None:
    inside = re.search(
        r'<script type="application/json" id="page-data" data-packed="json">(.*?)</script>',
        page,
        re.DOTALL,
    )
    assert inside is not None
    data = json.loads(inside[1])
    assert data == page_data(report)
    assert data["questions"][:3] == list(NASTY.values())
    assert [len(own["states"]) for own in data["answers"]] == [ASKED, ASKED]


def test_large_data_are_packed_and_unpack_to_the_same() -> None:
    data = {"texts": [f"</script> {at} {'x' * at}" for at in range(3_000)]}
    text, packing = packed_json(data)
    assert packing == "gzip"
    assert json.loads(gzip.decompress(base64.b64decode(text))) == data
    assert packed_json(data) == (text, packing)


def test_ranks_come_from_the_tests_and_not_from_the_intervals(report: Report, gold: Gold) -> None:
    assert rank_ranges(report.comparison, report.systems) == {"strong": (1, 1), "weak <b>": (2, 2)}
    tied = make_report(
        [make_run(gold, "a", set(range(30))), make_run(gold, "b", set(range(1, 30)))], gold
    )
    assert rank_ranges(tied.comparison, tied.systems) == {"a": (1, 2), "b": (1, 2)}


def test_a_card_without_a_weak_spot_says_what_would_have_been_seen(gold: Gold) -> None:
    runs = [make_run(gold, name, set(range(at, 60, 2))) for at, name in enumerate("ab")]
    table = pd.DataFrame(
        {"length": [at // 20 for at in range(60)]},
        index=[one.id for one in gold.questions.questions],
        dtype=object,
    )
    weak = find_weak_spots(runs, table, {})
    found = first_screen(dataclasses.replace(make_report(runs, gold), weak=weak))
    assert [card["spots"] for card in found["cards"]] == [[], []]
    assert all("would have been seen from" in card["note"] for card in found["cards"])
    assert [card["system"] for card in found["cards"]] == [0, 1]
    assert "weak spot" not in found["sure"] + found["unsure"]


def test_many_pairs_are_counted_and_not_told_one_by_one(gold: Gold) -> None:
    runs = [make_run(gold, name, set(range(at, 60, 2))) for at, name in enumerate("abcde")]
    (line,) = make_report(runs, gold).findings.overall
    assert "of 10 pairs of systems differ significantly on all 60 questions" in line


def test_what_is_sure_names_the_better_system_and_what_is_open(report: Report, gold: Gold) -> None:
    assert what_is_sure(report)[0] == "It is sure that strong is better than weak <b>."
    tied = make_report(
        [make_run(gold, "a", set(range(30))), make_run(gold, "b", set(range(1, 30)))], gold
    )
    assert what_is_sure(tied)[0] == ""
    assert what_is_sure(tied)[1].startswith("It is open which is better: a or b")


def doubted(scores: Scores, doubtful: int) -> Scores:
    """Return scores whose first verdicts are guesses."""
    sure = [0.7] * doubtful + [0.98] * (len(scores.counts) - doubtful)
    return dataclasses.replace(scores, counts=scores.counts.assign(sure=sure))


def test_no_test_is_sure_of_verdicts_that_may_be_wrong(gold: Gold, runs: list[Scores]) -> None:
    report = make_report([doubted(one, 6) for one in runs], gold)
    assert report.guessed == "10 % of the verdicts are guesses (strong 6, weak <b> 6 of 60)."
    assert what_is_sure(report)[0] == (
        "As far as verdicts are right, the tests show that strong is better than weak <b>."
    )
    screen = render_html(report).decode().partition("<main")[0]
    assert "10 % of the verdicts are guesses" in screen
    assert "sure" not in re.sub("<[^>]*>", "", screen.partition("<body>")[2])
    assert "10 % of the verdicts are guesses" in render(report, "md")[""].decode()


def test_answers_in_words_are_ranked_by_their_probability_as_in_compare(
    gold: Gold, runs: list[Scores]
) -> None:
    # By best guess 38 and 36 are right; of the 38, half are little better than a toss.
    sure = [0.55] * 38 + [0.98] * (ASKED - 38)
    first = runs[1]
    first = dataclasses.replace(first, counts=first.counts.assign(sure=sure))
    second = doubted(make_run(gold, "second", set(range(36))), 0)
    report = make_report([first, second], gold)
    compared = compare(Evaluation(gold, (first, second)))
    assert list(report.systems) == list(compared.overall.index) == ["second", "strong"]
    overall = report.scores[report.scores["feature"] == ""].set_index("system")["estimate"]
    assert overall.to_dict() == pytest.approx(compared.overall["estimate"].to_dict())
    (told,) = (line for line in report.findings.overall if "how probable" in line)
    assert told.startswith("Answers in words of strong, second count here by how probable")
    assert "By best guess the order is strong, second." in report.findings.overall


def test_the_order_by_best_guess_is_named_only_if_it_differs(
    gold: Gold, runs: list[Scores]
) -> None:
    told = make_report([doubted(one, 6) for one in runs], gold).findings.overall
    assert sum("how probable" in line for line in told) == 1
    assert not any("By best guess" in line for line in told)
    assert not any("best guess" in line for line in make_report(runs, gold).findings.overall)


def test_verdicts_without_doubts_are_no_guesses(gold: Gold, runs: list[Scores]) -> None:
    report = make_report([doubted(one, 0) for one in runs], gold)
    assert (report.guessed, what_is_sure(report)[0][:10]) == ("", "It is sure")


def test_a_guess_has_the_probability_of_its_verdict(gold: Gold, runs: list[Scores]) -> None:
    report = make_report([doubted(runs[0], 2), runs[1]], gold)
    assert {name: set(found) for name, found in report.guesses.items()} == {
        runs[0].name: set(runs[0].counts.index[:2])
    }
    first = answer_data(report)["answers"][report.systems.index(runs[0].name)]["guesses"]
    assert first == {0: [0.7, ""], 1: [0.7, ""]}


def test_nothing_is_sure_about_questions_that_a_failing_system_chose(
    gold: Gold, runs: list[Scores]
) -> None:
    marked = [one.with_choice(["strong"]) for one in gold.questions]
    asked = dataclasses.replace(gold.questions, questions=tuple(marked))
    chosen = dataclasses.replace(gold, questions=asked)
    table = features_of(chosen)
    report = report_scores(chosen, runs, table)
    screen = first_screen(report)
    why = why_not_tested(chosen, [one.run for one in runs])
    assert (screen["sure"], screen["unsure"]) == ("", why)
    assert [card["note"] for card in screen["cards"]] == [why, why]
    page = render(report, "md")[""].decode()
    assert why in page
    assert "better than" not in page


def test_scores_by_kind_begin_with_all_questions_and_say_what_the_tables_say(
    report: Report,
) -> None:
    rows = page_data(report)["heat"]
    assert [row["name"] for row in rows] == [ALL, "answerType = number", "answerType = resource"]
    for row in rows:
        own = report.scores[report.scores["slice"] == row["name"]].set_index("system")
        assert [cell[0] for cell in row["cells"]] == pytest.approx(
            [own.at[name, "estimate"] for name in report.systems], abs=1e-4
        )


def test_kinds_of_too_few_questions_come_last(runs: list[Scores], gold: Gold) -> None:
    ids = tuple(question.id for question in gold.questions.questions)
    groups = {"x": [Slice("x few", ids[57:60]), Slice("x many", ids[:57])]}
    assert [row["name"] for row in page_data(make_report(runs, gold, groups))["heat"]] == [
        ALL,
        "x many",
        "x few",
    ]


@pytest.mark.parametrize(
    ("status", "f1", "state"),
    [
        ("answered", 1.0, "right"), ("empty", 1.0, "right"), ("answered", 0.4, "partly"),
        ("answered", 0.0, "wrong"),
        ("empty", 0.0, "empty"), ("failed", 0.0, "failed"), ("timeout", 0.0, "failed"),
        ("not asked", 0.0, "not asked"),
    ],
)  # fmt: skip
def test_states_of_answers(status: str, f1: float, state: str) -> None:
    assert STATES[page_data_._state_index(status, f1)] == state


def test_a_note_on_all_runs_is_said_once(gold: Gold) -> None:
    notes = {"a": ("same", "own"), "b": ("same",), "c": ("same", "own")}
    scored = [
        dataclasses.replace(make_run(gold, name, set()), notes=own) for name, own in notes.items()
    ]
    assert notes_once(scored) == ("same", "a, c: own")
    assert notes_once(scored[:1]) == ("a: same", "a: own")


def test_notes_of_a_report_name_no_paths(gold: Gold) -> None:
    scored = [
        dataclasses.replace(
            make_run(gold, name, set()), notes=(Remark("is odd", where=f"/home/me/{name}.json"),)
        )
        for name in "ab"
    ]
    assert notes_once(scored) == ("is odd",)
    assert notes_once(scored[:1]) == ("a: is odd",)


def test_a_report_opens_in_a_notebook_in_a_frame_of_its_own(report: Report) -> None:
    assert isinstance(report, ShownReport)
    framed = _Page(report._repr_html_())
    assert dict(framed.tags) == {"iframe": 1}
    assert dict(framed.attributes)["srcdoc"] == render_html(report).decode()
    assert "allow-same-origin" not in dict(framed.attributes)["sandbox"]


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    found = _Page(page)
    links = [
        value
        for name, value in found.attributes
        if name in {"href", "src", "xlink:href", "action", "srcset", "data"}
    ]
    assert links
    assert all(value.startswith(("#", "data:")) for value in links)
    assert re.findall(r"url\((?!#)|@import", page) == []


def test_policy_names_the_only_style_and_the_only_script(page: str) -> None:
    policy = dict(
        value.split(" ", 1)
        for name, value in _Page(page).attributes
        if name == "content"
        for value in _parts(value)
    )
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        inside = re.findall(rf"<{tag}(?: type=\"module\")?>(.*?)</{tag}>", page, re.DOTALL)
        digests = [
            base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in inside
        ]
        assert [policy[rule]] == [f"'sha256-{digest}'" for digest in digests]
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in str(policy)


def _parts(policy: str) -> list[str]:
    return policy.split("; ") if policy.startswith("default-src") else []


def test_nothing_in_the_page_needs_what_the_policy_forbids(page: str) -> None:
    found = _Page(page)
    assert [name for name, _ in found.attributes if name == "style" or name.startswith("on")] == []
    assert found.tags["style"] == 1
    assert not any(value.lower().startswith("javascript:") for _, value in found.attributes)


def test_ids_are_unique_and_what_refers_to_them_finds_them(page: str) -> None:
    found = _Page(page)
    ids = Counter(value for name, value in found.attributes if name == "id")
    assert [name for name, count in ids.items() if count > 1] == []
    wanted = set(re.findall(r'(?:url\(#|href="#)([\w-]+)', page))
    wanted |= {value for name, value in found.attributes if name == "aria-labelledby"}
    assert wanted <= set(ids)


def test_pictures_have_names_and_no_colours_of_their_own(page: str) -> None:
    assert page.count('class="forest" role="group" aria-label="Differences of') >= 2
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert pictures
    assert not any(re.search(r"#[0-9a-f]{6}", picture) for picture in pictures)


def test_the_same_report_has_the_same_bytes_in_every_form(
    gold: Gold, runs: list[Scores], report: Report
) -> None:
    again = make_report(runs, gold)
    for form in FORMS:
        assert render(again, form) == render(report, form), form


def test_a_report_without_slices_and_map_has_no_such_sections(
    gold: Gold, runs: list[Scores]
) -> None:
    text = render_html(report_scores(gold, runs[:1])).decode()
    assert 'id="slices"' not in text
    assert 'id="map"' not in text
    assert 'id="questions"' in text


def test_long_lists_of_answers_are_cut_on_the_page() -> None:
    assert shorten_answers("") == ""
    assert shorten_answers("\n".join(["x"] * MOST_ANSWERS)).count("x") == MOST_ANSWERS
    assert (
        shorten_answers("\n".join(["x"] * (MOST_ANSWERS + 1))).splitlines()[-1]
        == f"… {MOST_ANSWERS + 1} answers in all"
    )
    assert len(shorten_answers("y" * 2_000_000)) == MOST_CHARACTERS + 1


# --- slices and map ---


def test_the_usual_features_are_left_out_where_they_never_vary_or_are_absent() -> None:
    table = pd.DataFrame(
        {"tpCount": [1, 2, 2], "length": [5, 5, 5], "cluster": [1, 1, 2]}, index=["a", "b", "c"]
    )
    assert list(slice_groups(table)) == ["tpCount", "cluster"]
    assert list(slice_groups(table.assign(cluster=[1, 2, 3]))) == ["tpCount"]
    assert list(slice_groups(table, ["length"], [Slice("mine", ("a",))])) == [
        "length",
        "your queries",
    ]


def test_an_unknown_feature_is_refused(refused: Callable[..., str]) -> None:
    table = pd.DataFrame({"tpCount": [1]}, index=["a"])
    assert "did you mean tpCount" in refused(lambda: slice_groups(table, ["tpCont"]), UsageError)


def test_rows_are_called_by_the_values_of_their_features() -> None:
    table = pd.DataFrame(
        {
            "length": [7, 8],
            "isCount": [False, True],
            "headword": ["bed and breakfast", None],
            "usesFeature": [{"Select"}, {"Select"}],
            "cluster": [1, 2],
        },
        index=["a", "b"],
    )
    by = ["length", "usesFeature", "cluster", "headword,isCount", "cluster, isCount"]
    groups = slice_groups(table, by, [Slice("mine", ("a",))])
    assert [[part.value or part.name for part in group] for group in groups.values()] == [
        ["7", "8"],
        ["Select"],
        ["cluster 1", "cluster 2"],
        ["bed and breakfast and no", "(missing) and yes"],
        ["cluster 1 and no", "cluster 2 and yes"],
        ["mine"],
    ]


def test_equal_vectors_have_no_map_and_constant_features_no_column() -> None:
    assert project(("a", "b"), np.ones((2, 3)), ("x", "y", "z"), "features") is None
    table = pd.DataFrame(
        {"tpCount": [1, 1], "length": [2, 4], "headword": ["x", "y"]}, index=["a", "b"]
    )
    matrix, names = feature_matrix(table)
    assert names == ("length in words",)
    assert matrix.tolist() == [[0.0], [1.0]]


# --- the other forms ---


def test_markdown_has_the_tables_and_no_markup_of_the_data(report: Report) -> None:
    text = render(report, "md")[""].decode()
    assert "| Macro F1 score | 0.6333 [" in text
    assert "<b>" not in text.replace(
        f"    {report.method.signature}\n", ""
    )  # which is code, shown as it is
    for table in people_tables(report):
        assert f"## {table.caption}" in text


def test_latex_tables_are_whole(report: Report) -> None:
    text = render(report, "tex")[""].decode()
    assert text.count(r"\begin{table}") == text.count(r"\end{table}")
    assert text.count("\\caption{") == len(people_tables(report))
    assert "(continued)" not in text
    whole = r"^\\begin\{tabular\}\{(\w+)\}\n(.*?)^\\end\{tabular\}"
    for body in re.findall(whole, text, re.DOTALL | re.MULTILINE):
        rows = [row for row in body[1].splitlines() if row.endswith(r"\\")]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(body[0]) - 1}
    written = [line for line in text.splitlines() if not line.startswith("%")]
    unescaped = re.compile(r"(?<!\\)([_#&]|%(?!$))")  # % at the end of a line hides the line break
    assert not any(
        unescaped.search(line.replace(" & ", ""))
        for line in written
        if not line.startswith("\\label")
    )
    assert "weak \\textless{}b\\textgreater{}" in text


def test_json_holds_everything_and_csv_the_same_tables(report: Report) -> None:
    whole = json.loads(render(report, "json")[""])
    parts = render(report, "csv")
    assert (
        list(whole["tables"])
        == list(parts)
        == ["scores", "status", "slices", "tests", "winners", "questions"]
    )
    rows = list(csv.DictReader(io.StringIO(parts["questions"].decode())))
    assert [row["question"] for row in rows[:5:2]] == list(NASTY.values())
    assert [float(row["f1"]) for row in rows] == [row["f1"] for row in whole["tables"]["questions"]]
    assert whole["signature"] == report.method.signature


def test_an_unknown_form_is_refused(report: Report, refused: Callable[..., str]) -> None:
    assert "html, md, tex, csv, json" in refused(lambda: render(report, "doc"), UsageError)


# --- the verb ---


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with gold.json and the answers one.json and two.json."""
    made = tmp_path_factory.mktemp("report")
    ids = [str(number) for number in range(1, 25)]

    def entry(id_: str, answers: Answers) -> dict[str, object]:
        query = (
            f"SELECT ?x {{ <{RES}{id_}> <{RES}of> ?x }}"
            if int(id_) % 2
            else f"ASK {{ <{RES}{id_}> <{RES}of> <{RES}x> }}"
        )
        text = f"What is the thing of {id_}?" if int(id_) % 2 else f"Is there a thing of {id_}?"
        return {
            "id": id_, "question": [{"language": "en", "string": text}], "query": {"sparql": query},
            "answers": [answers_json(answers)],
        }  # fmt: skip

    for name, right in (("gold", 25), ("one", 20), ("two", 8)):
        entries = [entry(id_, cells(id_ if int(id_) <= right else "wrong")) for id_ in ids]
        (made / f"{name}.json").write_text(json.dumps({"questions": entries}), encoding="utf-8")
    return made


def test_the_verb_writes_page_and_tables(folder: Path, call: Call) -> None:
    outputs = ("-o", "r.html", "-o", "r.csv")
    result = call(
        "report",
        "gold.json",
        "two.json",
        "one.json",
        *outputs,
        "--title",
        "Mine",
        "--by",
        "queryForm",
        cwd=folder,
    )
    assert result.code == 0, result.err
    assert "<title>Mine</title>" in (folder / "r.html").read_text(encoding="utf-8")
    assert "one is better than two on all 24 questions" in result.err
    assert {path.name for path in folder.glob("r.*")} == {
        "r.html", "r.scores.csv", "r.status.csv", "r.slices.csv", "r.tests.csv",
        "r.winners.csv", "r.questions.csv", "r.weak.csv",
    }  # fmt: skip
    again = call("report", "gold.json", "one.json", "-o", "r.csv", cwd=folder)
    assert again.code == 2
    assert "r.scores.csv" in again.err


def test_the_verb_prints_markdown_for_one_system(folder: Path, call: Call) -> None:
    result = call("report", "gold.json", "one.json", "-o", "-", cwd=folder)
    assert result.code == 0, result.err
    assert result.out.startswith("# one on gold")
    assert "## Macro F1 by Question word (whType)" in result.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no output given"),
        (("-o", "r.doc"), "unknown report format"),
        (("-o", "x.html", "--by", "lenght"), "did you mean length"),
    ],
)
def test_a_wrong_call_is_refused_and_writes_nothing(
    folder: Path, words: tuple[str, ...], message: str, call: Call
) -> None:
    result = call("report", "gold.json", "one.json", *words, cwd=folder)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not (folder / "x.html").exists()


# --- real systems ---


def test_three_published_systems_on_qald_9(shared_data: Path) -> None:
    answers = sorted((shared_data / "kbqa-answers" / "qald-9-train").glob("*.json"))
    asked = shared_data / "qald" / "qald-9-train-multilingual.json"
    if not answers or not asked.is_file():
        pytest.skip(
            f"the published answers are not in {shared_data}; set QALDGEN_TEST_DATA to their folder"
        )
    gold = load_gold(asked)
    runs = [score(gold, read_run(path, gold=gold.questions)) for path in answers]
    found = make_report(runs, gold, {})
    text = render_html(found).decode()
    assert found.systems[0] == "GANSWER2"
    for one in runs:
        assert f"{MEASURES['macro-f1'].of(one.counts, None):.4f}" in text
    assert [len(own["states"]) for own in page_data(found)["answers"]] == [408] * 3


def test_counting_questions_damaged_in_a_real_system_are_a_weak_spot(
    shared_data: Path,
) -> None:
    answers = sorted((shared_data / "kbqa-answers" / "qald-9-train").glob("*.json"))
    asked = shared_data / "qald" / "qald-9-train-multilingual.json"
    if not answers or not asked.is_file():
        pytest.skip(
            f"the published answers are not in {shared_data}; set QALDGEN_TEST_DATA to their folder"
        )
    gold = load_gold(asked)
    table = features_of(gold)
    runs = [score(gold, read_run(path, gold=gold.questions)) for path in answers]
    for one in runs:
        if one.name == "GANSWER2":
            one.counts.loc[table["isCount"].to_numpy(bool), "f1"] = 0.0
    spots = find_weak_spots(runs, table, {}).spots["GANSWER2"]
    assert any("count" in spot.slice.label or "how many" in spot.slice.label for spot in spots)


def test_a_sentence_that_begins_with_a_name_from_right_to_left_is_english_all_the_same(
    gold: Gold,
) -> None:
    found = make_report(
        [make_run(gold, "نظام", set(range(20))), make_run(gold, "weak", set())], gold
    )
    page = render_html(found).decode()
    assert "<li>نظام is better than weak" in page
    assert '<th scope="col" dir="auto">نظام</th>' in page


def test_names_in_the_title_do_not_turn_the_words_between_them_round(gold: Gold) -> None:
    found = make_report(
        [make_run(gold, "نظام <1>", set(range(20))), make_run(gold, "محرك", set())], gold
    )
    page = render_html(found).decode()
    assert "<bdi>نظام &lt;1&gt;</bdi> and <bdi>محرك</bdi> on <bdi>" in page


def test_a_title_of_ones_own_is_shown_as_text(gold: Gold) -> None:
    found = make_report([make_run(gold, "weak", set())], gold)
    page = render_html(dataclasses.replace(found, title="<i>My weak report</i>")).decode()
    assert '<h1 dir="auto">&lt;i&gt;My <bdi>weak</bdi> report&lt;/i&gt;</h1>' in page


@pytest.mark.parametrize("missing", ["asked", "zero", "skip"])
def test_systems_that_were_asked_different_questions_make_every_form(
    gold: Gold, missing: str
) -> None:
    some = make_run(
        gold, "some", {1, 2}, {at: "failed" if at % 2 else "not asked" for at in range(20, ASKED)}
    )
    found = report_scores(gold, [make_run(gold, "all", {1, 2, 3}), some], missing=missing)
    for form in ("html", "md", "tex", "csv", "json"):
        assert render(found, form), form
    tables = found.summary.groupby(["missing", "measure", "run"]).size()
    assert set(tables) == {1}

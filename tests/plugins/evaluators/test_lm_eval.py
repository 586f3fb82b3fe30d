"""Logs of lm-evaluation-harness.

Every layout that its versions wrote, and what a hostile file may hold.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_logs import choice_line, json_file, lines_file, lm_eval_line

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Run
from qaldgen.answers.several_runs import read_runs
from qaldgen.errors import DataError, UsageError
from qaldgen.model import Question
from qaldgen.questions.reading import read_questions


def run_of(folder: Path, *lines: object, filter: str = "") -> Run:
    return read_run(lines_file(folder / "samples_towns.jsonl", lines), filter=filter)


def questions_of(folder: Path, *lines: object) -> tuple[Question, ...]:
    return read_questions(lines_file(folder / "samples_towns.jsonl", lines)).questions


def replies(run: Run) -> list[str]:
    return [
        " ".join(one.answers.values()) if one.answers is not None else "-"
        for one in run.responses.values()
    ]


def old_line(number: int, reply: str) -> dict[str, Any]:
    """Return a sample as versions before 0.4.3 wrote it.

    Arguments in a list, no filter and no names of scores.
    """
    line = lm_eval_line(number, reply)
    for name in ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash"):
        del line[name]
    return line | {
        "arguments": [["Question: Which town?\nAnswer:", {"until": ["\n"]}]],
        "target": "Ulm",
    }


LAYOUTS = {
    "now": lm_eval_line(3, "Bonn"),
    "before 0.4.3": old_line(3, "Bonn"),
    "flat, as lmms-eval": lm_eval_line(
        3, "Bonn", resps=["Bonn"], filtered_resps="Bonn", arguments=["Which town?", {"until": []}]
    ),
    "without filtered_resps": {
        name: value for name, value in lm_eval_line(3, "Bonn").items() if name != "filtered_resps"
    },
    "deep": lm_eval_line(3, "Bonn", resps=[[["Bonn"]]], filtered_resps=[["Bonn"]]),
    "as a chat": lm_eval_line(
        3, "Bonn", arguments={"gen_args_0": {"arg_0": ['[{"role": "user", "content": "Which?"}]']}}
    ),
}


@pytest.mark.parametrize("line", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_every_layout_gives_id_answer_question_and_gold(
    tmp_path: Path, line: dict[str, Any]
) -> None:
    run, (question,) = run_of(tmp_path, line), questions_of(tmp_path, line)

    assert run.format == "lm-eval" and list(run.responses) == ["q3"]
    given = run.responses["q3"].answers
    assert given is not None and given.values() == ["Bonn"]
    assert question.id == "q3" and question.text() == "Which town has the number 3?"
    assert question.answers is not None and question.answers.values() == ["Ulm"]


def test_a_pretty_list_and_what_the_api_returns_are_read_too(tmp_path: Path) -> None:
    lines = [lm_eval_line(1), lm_eval_line(2, "Bonn")]
    listed = tmp_path / "samples_a.jsonl"
    listed.write_text(json.dumps(lines, indent=2))

    returned = json_file(tmp_path / "b.json", {"results": {}, "samples": {"towns": lines}})

    assert replies(read_run(listed)) == replies(read_run(returned)) == ["Ulm", "Bonn"]


def test_a_run_is_called_as_the_results_beside_it_say(tmp_path: Path) -> None:
    for stamp, model in (("_2026-01-02", "tiny/a"), ("_2026-01-03", "tiny/b")):
        json_file(tmp_path / f"results{stamp}.json", {"model_name": model, "results": {}})
        lines_file(tmp_path / f"samples_mill{stamp}.jsonl", [lm_eval_line(1)])
    lines_file(tmp_path / "samples_mill_2026-01-04.jsonl", [lm_eval_line(1)])
    (tmp_path / "results_2026-01-04.json").write_text("{")
    read = read_runs(tmp_path, read_questions(tmp_path / "samples_mill_2026-01-02.jsonl"))
    assert [run.name for run in read] == ["tiny/a", "tiny/b", "samples_mill_2026-01-04"]


def test_several_tasks_in_one_file_are_named(tmp_path: Path) -> None:
    path = json_file(
        tmp_path / "b.json", {"samples": {"towns": [lm_eval_line(1)], "rivers": [lm_eval_line(1)]}}
    )

    with pytest.raises(DataError, match=r"2 tasks \(towns, rivers\)"):
        read_run(path)


def test_means_are_said_to_be_no_samples(tmp_path: Path) -> None:
    path = json_file(tmp_path / "results.json", {"results": {}, "configs": {}, "n-samples": {}})

    with pytest.raises(DataError, match="samples_"):
        read_run(path)


@pytest.mark.parametrize(
    ("doc", "name"),
    [
        ({"id": 0}, "0"),
        ({"question_id": "x"}, "x"),
        ({"QID": "x"}, "x"),
        ({"idx": 5}, "3"),
        ({}, "3"),
        ({"id": ""}, "3"),
        ({"id": [1]}, "3"),
    ],
)
def test_ids_come_from_the_document_where_it_has_one(
    tmp_path: Path, doc: dict[str, Any], name: str
) -> None:
    line = lm_eval_line(3)
    line["doc"] = {"question": "Which?", "answers": ["Ulm"], **doc}

    assert (
        list(run_of(tmp_path, line).responses)
        == [name]
        == [one.id for one in questions_of(tmp_path, line)]
    )


def test_documents_with_one_id_are_different_questions(tmp_path: Path) -> None:
    same = {"id": "q", "question": "Which?", "answers": ["Ulm"]}
    lines = [lm_eval_line(1, "a", doc=same), lm_eval_line(2, "b", doc=same)]

    run = run_of(tmp_path, *lines)

    assert list(run.responses) == ["q", "q#2"] == [one.id for one in questions_of(tmp_path, *lines)]
    assert not run.repeats


def test_repeats_are_kept_where_the_filter_takes_the_first(tmp_path: Path) -> None:
    run = run_of(tmp_path, lm_eval_line(1, resps=[["Ulm", "Bonn", "Ulm"]], filtered_resps=["Ulm"]))

    assert [one.answers.values() for one in run.repeats["q1"]] == [["Ulm"], ["Bonn"], ["Ulm"]]  # type: ignore[union-attr]


FILTERS = [
    lm_eval_line(1, "It is Ulm.", filter="strict", filtered_resps=["[invalid]"]),
    lm_eval_line(1, "It is Ulm.", filter="flexible", filtered_resps=["Ulm"]),
]


def test_several_filters_are_several_answers_and_are_told_of(tmp_path: Path) -> None:
    run = run_of(tmp_path, *FILTERS)

    assert [(one.status, one.answers.values()) for one in run.repeats["q1"]] == [  # type: ignore[union-attr]
        ("empty", []),
        ("answered", ["Ulm"]),
    ]
    assert any(
        "2 filters (strict, flexible)" in note and "`filter='strict'`" in note for note in run.notes
    )


@pytest.mark.parametrize(
    ("name", "found"), [("strict", ""), ("flexible", "Ulm"), ("raw", "It is Ulm.")]
)
def test_one_filter_can_be_chosen(tmp_path: Path, name: str, found: str) -> None:
    run = run_of(tmp_path, *FILTERS, filter=name)

    assert replies(run) == [found] and not run.repeats and not run.notes


def test_an_unknown_filter_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose one of strict, flexible, exact_match, raw"):
        run_of(tmp_path, *FILTERS, filter="strickt")


def test_two_lines_for_a_document_without_filters_are_two_answers(tmp_path: Path) -> None:
    run = run_of(tmp_path, old_line(1, "Ulm"), old_line(1, "Bonn") | {"resps": [["Ulm"]]})

    assert len(run.repeats["q1"]) == 2


def test_the_most_likely_choice_is_the_answer(tmp_path: Path) -> None:
    lines = [
        choice_line(0, ["-2.5", "-0.5", "-1"]),
        choice_line(1, [-1, None, "nan"], target=2),
        choice_line(2, ["nan"] * 3),
    ]

    run, questions = run_of(tmp_path, *lines), questions_of(tmp_path, *lines)

    assert replies(run) == ["coffee", "tea", ""]
    assert [one.answers.values() for one in questions if one.answers is not None] == [
        ["coffee"],
        ["milk"],
        ["coffee"],
    ]
    assert questions[0].metadata["choices"] == "tea | coffee | milk"


def test_letters_that_were_compared_stand_for_the_choices_of_the_document(tmp_path: Path) -> None:
    letters = {
        f"gen_args_{at}": {"arg_0": "Q:", "arg_1": f" {letter}"} for at, letter in enumerate("ABC")
    }
    line = choice_line(0, [-3, -2, -1], arguments=letters, target="2")

    assert replies(run_of(tmp_path, line)) == ["milk"]
    assert questions_of(tmp_path, line)[0].answers.values() == ["milk"]  # type: ignore[union-attr]


@pytest.mark.parametrize(("acc", "gold"), [(1.0, "1"), (0.0, "2")])
def test_numbers_among_the_choices_are_told_by_what_was_right(
    tmp_path: Path, acc: float, gold: str
) -> None:
    """The choice 1 (at place 0) was taken.

    Whether a target of 1 is a place or a text, the log's own score says.
    """
    numbers = {
        f"gen_args_{at}": {"arg_0": "Q:", "arg_1": f" {text}"} for at, text in enumerate("123")
    }
    line = choice_line(
        0, [-1, -2, -3], arguments=numbers, target="1", acc=acc, doc={"question": "How many?"}
    )

    assert questions_of(tmp_path, line)[0].answers.values() == [gold]  # type: ignore[union-attr]


def test_several_right_choices_are_wordings_of_one_answer(tmp_path: Path) -> None:
    (question,) = questions_of(tmp_path, choice_line(0, [-1, -2, -3], target="[0, 2]"))

    assert question.answers is not None and question.answers.texts == (("tea", "milk"),)


def test_choices_asked_again_without_the_question_are_left_out(tmp_path: Path) -> None:
    line = choice_line(0, [-3, -1, -2, 0, 0, 0])
    line["arguments"] |= {
        f"gen_args_{at + 3}": {"arg_0": "", "arg_1": f" {t}"}
        for at, t in enumerate(["tea", "coffee", "milk"])
    }

    assert replies(run_of(tmp_path, line)) == ["coffee"]


@pytest.mark.parametrize(("greedy", "found"), [("True", "coffee"), ("False", "")])
def test_one_continuation_is_the_answer_if_the_model_would_have_said_it(
    tmp_path: Path, greedy: str, found: str
) -> None:
    arguments = {"gen_args_0": {"arg_0": "I drink", "arg_1": " coffee"}}
    line = choice_line(
        0,
        [0],
        arguments=arguments,
        resps=[[["-1", greedy]]],
        filtered_resps=[["-1", greedy]],
        target=" coffee",
    )

    assert replies(run_of(tmp_path, line)) == [found]


def test_perplexities_are_refused(tmp_path: Path) -> None:
    line = lm_eval_line(
        1,
        resps=[["-100"]],
        filtered_resps=["-100"],
        word_perplexity=[-100, 5],
        metrics=["word_perplexity"],
    )

    with pytest.raises(DataError, match="perplexities"):
        run_of(tmp_path, line)


@pytest.mark.parametrize(
    ("target", "gold"),
    [("Ulm", (("Ulm",),)), ("['Ulm', 'Bonn']", (("Ulm", "Bonn"),)),
        (["Ulm", "Bonn"], (("Ulm", "Bonn"),)), (1953, (("1953",),)),
     ("[1]", (("1",),)), ("[not a list", (("[not a list",),)), ("a|b", (("a|b",),))],
)  # fmt: skip
def test_the_target_is_the_gold_where_the_document_has_none(
    tmp_path: Path, target: object, gold: object
) -> None:
    (question,) = questions_of(tmp_path, lm_eval_line(1, doc={"question": "Which?"}, target=target))

    assert question.answers is not None and question.answers.texts == gold


@pytest.mark.parametrize("target", [True, "True", "['true']"])
def test_a_target_that_is_a_truth_is_one(tmp_path: Path, target: object) -> None:
    answers = questions_of(tmp_path, lm_eval_line(1, doc={"question": "Is it?"}, target=target))[
        0
    ].answers

    assert answers is not None and answers.values() == ["true"]


@pytest.mark.parametrize("target", [None, "", [], {}])
def test_without_gold_anywhere_nothing_is_known(tmp_path: Path, target: object) -> None:
    assert (
        questions_of(tmp_path, lm_eval_line(1, doc={"question": "Which?"}, target=target))[
            0
        ].answers
        is None
    )


@pytest.mark.parametrize("doc", [None, {}, "text", {"heading": "whatever", "label": "7"}])
def test_the_prompt_is_the_question_where_the_document_has_none(
    tmp_path: Path, doc: object
) -> None:
    shots = "Question: Which river?\nAnswer: Sava\n\nQuestion: Which town is it?\nAnswer:"
    (question,) = questions_of(tmp_path, lm_eval_line(1, doc=doc, arguments=[[shots, {}]]))

    assert question.text() == "Which town is it?" and question.id == "1"
    assert question.answers is not None and question.answers.values() == ["Ulm"]


@pytest.mark.parametrize(
    "prompt",
    [" " * 300_000 + "x", "\n" * 300_000 + "Which?", "answer:" * 50_000],
    ids=["blanks", "lines", "words"],
)
def test_large_prompts_take_no_time(tmp_path: Path, prompt: str) -> None:
    doc = {"question": "Which?", "choices": ["tea", "coffee"], "answer": 0}
    lines = [
        lm_eval_line(1, prompt, doc=doc),
        lm_eval_line(2, prompt, doc=None, arguments=[[prompt, {}]]),
    ]

    assert list(run_of(tmp_path, *lines).responses) == ["1", "2"]


def test_gold_with_other_ids_is_found_by_the_text(tmp_path: Path) -> None:
    lines = [
        lm_eval_line(at, doc={"question": f"Which town is {at}?", "answers": ["Ulm"]})
        for at in range(3)
    ]
    asked = [
        {"id": f"g{at}", "question": f"Which town is {at}?", "answers": ["Ulm"]} for at in range(3)
    ]
    gold = read_questions(lines_file(tmp_path / "gold.jsonl", asked))

    run = read_run(lines_file(tmp_path / "samples.jsonl", lines), gold=gold)

    assert list(run.responses) == ["g0", "g1", "g2"]


def test_a_document_that_is_missing_leaves_the_others_alone(tmp_path: Path) -> None:
    lines = [lm_eval_line(1), lm_eval_line(2, doc=None)]

    assert (
        list(run_of(tmp_path, *lines).responses)
        == ["q1", "2"]
        == [one.id for one in questions_of(tmp_path, *lines)]
    )


def test_the_result_of_a_gsm8k_solution_is_its_gold(tmp_path: Path) -> None:
    doc = {"question": "How many are two and two?", "answer": "Two and two are <<2+2=4>>4.\n#### 4"}
    lines = [lm_eval_line(at, "4", doc=doc, target=doc["answer"]) for at in range(3)]

    assert questions_of(tmp_path, *lines)[0].answers.values() == ["4"]  # type: ignore[union-attr]


def test_a_letter_that_was_written_stands_for_a_choice(tmp_path: Path) -> None:
    doc = {"question": "What is hot?", "choices": ["snow", "coffee"], "answer": 1}
    line = lm_eval_line(1, "(B)", doc=doc, target="B")

    assert replies(run_of(tmp_path, line)) == ["coffee"]
    assert questions_of(tmp_path, line)[0].answers.values() == ["coffee"]  # type: ignore[union-attr]


def test_scores_are_kept_and_those_that_are_no_numbers_are_not(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    line = lm_eval_line(1, metrics=["exact_match", "bleu", "f1"], bleu=float("nan"), f1=[1, 0])
    path.write_text(json.dumps(line) + "\n" + json.dumps(line | {"doc_id": 2}) + "\n")

    assert read_run(path).responses["q1"].verdicts == (("exact_match", 1.0),)


def test_a_score_can_be_put_first(tmp_path: Path) -> None:
    run = run_of(tmp_path, lm_eval_line(1, metrics=["exact_match", "f1"], f1=0.25), filter="f1")

    assert run.responses["q1"].verdicts == (("f1", 0.25), ("exact_match", 1.0))


@pytest.mark.parametrize("text", ["Zażółć gęślą jaźń", "北京", "a\u2028b", "\u202eabc", "😀"])
def test_any_script_comes_through(tmp_path: Path, text: str) -> None:
    line = lm_eval_line(1, text, doc={"id": text, "question": text, "answers": [text]})

    assert replies(run_of(tmp_path, line)) == [text] and list(run_of(tmp_path, line).responses) == [
        text
    ]
    assert questions_of(tmp_path, line)[0].answers.values() == [text]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "broken",
    [{"doc_id": None}, {"doc_id": {}}, {"filter": ["a"]}],
    ids=["no number", "an object", "filter as list"],
)
def test_a_broken_line_is_named(tmp_path: Path, broken: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="sample 2"):
        run_of(tmp_path, lm_eval_line(1), lm_eval_line(2) | broken)


def test_a_line_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = lines_file(tmp_path / "samples.jsonl", [lm_eval_line(1), lm_eval_line(2)])
    path.write_bytes(path.read_bytes()[:-40])

    with pytest.raises(DataError, match="line 2"):
        read_run(path)


@pytest.mark.parametrize("resps", [None, [], [[]], {}, [{"a": 1}], [[None]]])
def test_no_reply_is_an_empty_answer(tmp_path: Path, resps: object) -> None:
    run = run_of(tmp_path, lm_eval_line(1, resps=resps, filtered_resps=resps))

    assert run.responses["q1"].status == "empty"

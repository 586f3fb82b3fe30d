"""Records that hold several questions, and answers in objects: own content in public forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.errors import DataError
from qaldgen.questions.nested_records import find_rows

ASKED = ("Who lit the lamp?", "Where is the mill?", "Who saw it?")
GOLD = ("Ann Lee", "Ulm", "Bea Low")
#: The second is wrong.
SAID = ("Ann Lee", "Bonn", "Bea Low")
OFFERED = (
    ("Ann Lee", "Cy Fox", "Bea Low"),
    ("Bonn", "Ulm", "Rome"),
    ("Di Moss", "Al Ray", "Bea Low"),
)
PLACES = (0, 1, 2)
TURNS = [{"input_text": text, "turn_id": at} for at, text in enumerate(ASKED[:2], 1)]


def one(at: int, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of any format
    return {"question": ASKED[at], **fields}


def accuracy(gold: Any, run: Any) -> float:  # noqa: ANN401 - of any form
    return qg.score(gold, run)["accuracy"]


def drop(text: str) -> dict[str, Any]:
    date = {"day": "", "month": "", "year": ""}
    return {"number": "", "date": date, "spans": [text]}


#: Sets as they are published: the first two questions belong to one passage, the third to another.
SETS: dict[str, Any] = {
    "lists side by side, with choices": [
        {"example_id": "a.txt", "article": "A.", "questions": list(ASKED[:2]),
            "options": [list(OFFERED[0]), list(OFFERED[1])], "answers": ["A", "B"]},
        {"example_id": "b.txt", "article": "B.", "questions": [ASKED[2]],
            "options": [list(OFFERED[2])], "answers": ["C"]},
    ],
    "pairs under the id of the passage": {
        "p1": {"passage": "A.", "qa_pairs": [
            one(0, answer=drop(GOLD[0]), query_id="x1"), one(1, answer=drop(GOLD[1]), query_id="x2")
        ]},
        "p2": {"passage": "B.", "qa_pairs": [one(2, answer=drop(GOLD[2]), query_id="x3")]},
    },
    "turns and their answers": {"version": "1.0", "data": [
        {"id": "s1", "story": "A.",
            "questions": TURNS,
            "answers": [
                {"input_text": text, "span_text": f"so {text}", "turn_id": at}
                for at, text in enumerate(GOLD[:2], 1)
            ]},
        {"id": "s2", "story": "B.", "questions": [{"input_text": ASKED[2], "turn_id": 1}],
            "answers": [{"input_text": GOLD[2], "span_text": "x", "turn_id": 1}]},
    ]},
    "an object of lists": [
        {"story": "A.", "questions": list(ASKED[:2]),
            "answers": {"input_text": list(GOLD[:2]), "answer_start": [1, 9]}},
        {"story": "B.", "questions": [ASKED[2]],
            "answers": {"input_text": [GOLD[2]], "answer_start": [2]}},
    ],
    "questions of an article": [
        {"article_id": name, "article": "A.", "questions": [
            one(at, question_unique_id=f"{name}_{at}", options=list(OFFERED[at]),
                gold_label=PLACES[at] + 1)
            for at in places
        ]}
        for name, places in {"7": (0, 1), "8": (2,)}.items()
    ],
    "marked answers inside a passage, with numbers that begin anew": [
        {"idx": number, "passage": {"text": "A.", "questions": [
            one(at, idx=count, answers=[
                {"text": text, "idx": place, "label": int(text == GOLD[at])}
                for place, text in enumerate(OFFERED[at])
            ])
            for count, at in enumerate(places)
        ]}}
        for number, places in enumerate([(0, 1), (2,)])
    ],
    "what annotators say, under the id of a paper": {
        "paper": {"title": "T", "qas": [
            one(at, question_id=f"q{at}", answers=[{"annotation_id": "y", "answer": {
                "unanswerable": False, "extractive_spans": [GOLD[at]], "yes_no": None,
                "free_form_answer": "",
            }}])
            for at in range(3)
        ]},
    },
    "annotations": [
        one(0, id="1", annotations=[{"type": "singleAnswer", "answer": [GOLD[0], "A. Lee"]}]),
        one(1, id="2", annotations=[{"type": "multipleQAs", "qaPairs": [
            {"question": "Where is the old mill?", "answer": [GOLD[1]]},
            {"question": "Where is the new mill?", "answer": ["Rom"]},
        ]}]),
        one(2, id="3", annotations=[{"type": "singleAnswer", "answer": [GOLD[2]]}]),
    ],
    "ids under splits": {
        "train": {"q1": one(0, answer=GOLD[0])},
        "test": {"q2": one(1, answer=GOLD[1]), "q3": one(2, answer=GOLD[2])},
    },
    "folds": {
        f"fold{at}": [one(at, id=str(at), answer=GOLD[at])] for at in range(3)
    },
    "letters before choices": [
        one(at, options=[f"{'ABC'[place]}){text}" for place, text in enumerate(OFFERED[at])],
            rationale="So.", correct="ABC"[PLACES[at]])
        for at in range(3)
    ],
    "answers that are choices, and the place of the right one": [
        one(at, answers=list(OFFERED[at]), label=PLACES[at]) for at in range(3)
    ],
    "answers that are choices, and the text of the right one": [
        one(at, answers=list(OFFERED[at]), correct=GOLD[at]) for at in range(3)
    ],
    "answers with marks": [
        one(at, answers=[{"text": text, "isCorrect": text == GOLD[at]} for text in OFFERED[at]])
        for at in range(3)
    ],
    "choices with marks": [
        one(at, target_scores={text: int(text == GOLD[at]) for text in OFFERED[at]})
        for at in range(3)
    ],
    "choices as objects, and the number of the right one": [
        one(at, ra=PLACES[at] + 1, answers=[
            {"aid": place, "atext": text} for place, text in enumerate(OFFERED[at], 1)
        ])
        for at in range(3)
    ],
    "questions beside the text of a passage": [
        {"pid": "p", "text": "A.", "questions": [one(at, qid=f"x{at}", answer=GOLD[at])]}
        for at in range(3)
    ],
    "an object with one text": [
        one(at, answers=[{"heading": GOLD[at], "votes": 3}]) for at in range(3)
    ],
    "the object of a tool": [{"id": f"t{at}", "qa": one(at, answer=GOLD[at])} for at in range(3)],
}  # fmt: skip


@pytest.mark.parametrize("form", SETS)
def test_each_question_of_a_nested_set_is_scored(form: str, tmp_path: Path) -> None:
    """One of three answers is wrong; the gold as a run is perfect."""
    path = tmp_path / "set.json"
    path.write_text(json.dumps(SETS[form]))
    said = [
        {"question": asked, "prediction": text} for asked, text in zip(ASKED, SAID, strict=True)
    ]
    assert len(qg.load(path)) == 3
    assert accuracy(path, said) == pytest.approx(2 / 3)
    assert accuracy(path, path) == 1


def test_ids_of_a_passage_are_numbered_and_its_values_are_kept() -> None:
    """A field of the passage is one of each of its questions."""
    first = find_rows(SETS["lists side by side, with choices"]).rows[1]
    assert isinstance(first, dict)
    assert (first["example_id"], first["article"], first["questions"]) == (
        "a.txt.2",
        "A.",
        ASKED[1],
    )


def test_questions_with_own_ids_keep_that_of_the_passage_as_group() -> None:
    first = find_rows(SETS["pairs under the id of the passage"]).rows[0]
    assert isinstance(first, dict)
    assert (first["query_id"], first["group"]) == ("x1", "p1")


@pytest.mark.parametrize("record", [
    {"id": 1, "question": "Who?", "answers": [{"id": "Q1", "text": "A"}, {"id": "Q2"}]},
    {"id": 1, "question": "Who?", "question_decomposition": [{"id": 2, "question": "Who a?"}]},
    {"id": 1, "questions": ["Who lit it?", "Who has lit it?"], "answers": ["Ann"]},
    {"id": 1, "question": ["Who lit it?", "Who has lit it?"], "ans": ["Ann", "Bo"]},
])  # fmt: skip
def test_one_question_stays_one(record: dict[str, Any]) -> None:
    """Its answers, steps and wordings are no further questions."""
    assert find_rows([record, record]).rows == [record, record]


def test_turns_of_a_run_are_found_by_the_id_that_they_repeat(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(json.dumps(SETS["turns and their answers"]))
    said = [
        {"id": name, "turn_id": turn, "answer": text}
        for (name, turn), text in zip([("s1", 1), ("s1", 2), ("s2", 1)], SAID, strict=True)
    ]
    assert accuracy(path, said) == pytest.approx(2 / 3)


@pytest.mark.parametrize("form", ["splits", "one subject"])
def test_answers_of_a_run_may_lie_deeper(form: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    records = {
        "splits": {"test": {"q1": {"prediction": SAID[0]}, "q2": {"prediction": SAID[1]}}},
        "one subject": {"history": {"q1": SAID[0], "q2": SAID[1]}},
    }[form]
    path.write_text(json.dumps(records))
    gold = [{"id": f"q{at + 1}", **one(at, answer=GOLD[at])} for at in range(2)]
    assert accuracy(gold, path) == 0.5


def test_a_record_with_fewer_answers_than_questions_is_named(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    """Beside records whose lists are of one length, its questions are no wordings of one."""
    path = tmp_path / "set.json"
    first, second = SETS["lists side by side, with choices"]
    path.write_text(json.dumps([{**first, "answers": ["A"]}, {**first, "example_id": "c"}, second]))
    assert "record 1: has 2 questions, but no list of as many answers" in refused(
        lambda: qg.load(path)
    )


def test_lists_beside_the_questions_are_kept() -> None:
    record = {
        "id": "p",
        "tags": ["x", "y", "z"],
        "questions": list(ASKED[:2]),
        "answers": list(GOLD[:2]),
    }
    assert [row["tags"] for row in find_rows([record]).rows if isinstance(row, dict)] == [
        ["x", "y", "z"]
    ] * 2


def test_folds_of_a_run_are_one_run_and_systems_are_several(tmp_path: Path) -> None:
    """Lists of other questions are folds; lists of the same are systems."""
    path = tmp_path / "run.json"
    gold = [{"qid": f"q{at}", **one(at, answer=GOLD[at])} for at in range(2)]
    said = [{"qid": f"q{at}", "answer": SAID[at]} for at in range(2)]
    path.write_text(json.dumps({"a": said[:1], "b": said[1:]}))
    assert accuracy(gold, path) == 0.5
    path.write_text(json.dumps({"a": said, "b": said}))
    assert set(qg.compare(gold, path).scores.index.get_level_values("system")) == {"a", "b"}


def test_records_may_be_lists_of_a_passage_and_its_questions(tmp_path: Path) -> None:
    asked = [{"question": f"What is {n}?", "choice": ["tea", "ale"], "answer": "ale"} for n in "ab"]
    rows = [[["She: Hello.", "He: Hello."], [asked[0]], "5-1"], [["She: No."], [asked[1]], "5-2"]]
    (tmp_path / "set.json").write_text(json.dumps(rows))
    questions = qg.load(tmp_path / "set.json")
    assert [question.text() for question in questions] == ["What is a?", "What is b?"]
    assert [question.metadata["choices"] for question in questions] == ["tea | ale"] * 2


def test_an_object_of_predictions_by_system_holds_systems() -> None:
    rows = [
        {"id": n, "question": f"What is {n}?", "gold_answers": ["Ulm"], "predictions": answers}
        for n, answers in enumerate(
            [{"gpt-4o": "Ulm", "KGQAn": ["Bonn"]}, {"gpt-4o": None, "KGQAn": ["Ulm"]}]
        )
    ]
    scored = qg.evaluate(rows)
    assert {one.name: one["macro-f1"] for one in scored} == {"gpt-4o": 0.5, "KGQAn": 0.5}
    runs = [{name: row[name] for name in ("id", "predictions")} for row in rows]
    assert {one.name for one in qg.evaluate(rows, runs)} == {"gpt-4o", "KGQAn"}
    # each answer may be in an object with its verdict
    details = [
        {**row, "results": {name: {"predicted": answers[name], "ok": True} for name in answers}}
        for row in rows
        if isinstance(answers := row.pop("predictions"), dict)
    ]
    assert {one.name: one["macro-f1"] for one in qg.evaluate(details)} == {
        "gpt-4o": 0.5,
        "KGQAn": 0.5,
    }


def test_models_of_a_record_are_systems_whose_short_answer_counts() -> None:
    gold = [{"record_id": name, "question": f"Who is {name}?", "answer": "Ann"} for name in "ab"]
    said = {"a": {"base": "Ann", "tuned": "Bo"}, "b": {"base": "Ann", "tuned": "Ann"}}
    run = [
        {
            "record_id": name,
            "models": {
                system: {"answer": said[name][system], "response": "So it is."}
                for system in said[name]
            },
        }
        for name in said
    ]
    scores = qg.evaluate(gold, run)
    assert {one.name: one["accuracy"] for one in scores} == {"base": 1.0, "tuned": 0.5}


def test_the_only_object_with_a_question_holds_the_fields_of_a_record() -> None:
    rows = [
        {"id": at, "row_data": {"id": at, "question": f"Who is {at}?", "answer": "Ann"}, "used": {}}
        for at in range(2)
    ]
    assert qg.score(rows, {"0": "Ann", "1": "Bo"})["accuracy"] == 0.5


def test_an_object_with_the_question_does_not_replace_what_a_system_says() -> None:
    gold = [{"id": at, "question": f"Who is {at}?", "answer": "Ann"} for at in range(2)]
    run = [
        {"id": at, "entry": {"id": f"p{at}", "question": f"Who is {at}?"}, "answer": said}
        for at, said in enumerate(["Ann", "Bo"])
    ]
    assert qg.score(gold, run)["accuracy"] == 0.5
    for row in run:
        row["entry"] = {**gold[0], "answer": "Ann"}
    assert qg.score(gold, run)["accuracy"] == 0.5


def test_settings_of_tools_are_no_systems() -> None:
    gold = [{"id": at, "question": f"Who is {at}?", "answer": "Ann"} for at in range(2)]
    tools = {"search": "on", "calculator": "off"}
    run = [{"id": at, "answer": said, "tools": tools} for at, said in enumerate(["Ann", "Bo"])]
    assert qg.score(gold, run)["accuracy"] == 0.5


def test_an_object_of_scores_holds_candidates() -> None:
    gold = [{"id": n, "question": f"Is it {n}?", "answer": "yes"} for n in range(2)]
    run = [
        {"id": n, "prediction": {"yes": yes, "no": 1 - yes}} for n, yes in enumerate([0.9, 0.25])
    ]
    assert qg.score(gold, run)["accuracy"] == 0.5


def test_lists_of_questions_are_wordings_where_answers_are_not_as_many() -> None:
    sizes = [(2, 1), (2, 3), (2, 2), (1, 1)]
    rows: list[object] = [
        {"cluster_id": f"c{number}", "questions": list(ASKED[:n]), "answers": list(GOLD[:m])}
        for number, (n, m) in enumerate(sizes)
    ]
    assert find_rows(rows).rows == rows


@pytest.mark.parametrize("extra", [{}, {"id": "a"}])
def test_a_list_of_answers_refers_to_the_questions_beside_it(extra: dict[str, str]) -> None:
    document = {
        "questions": [{"id": at, "text": ASKED[at]} for at in range(3)],
        "answers": [
            {"question_id": at, "value": text, **extra}
            for at, text in [(0, "Ann Lee"), (2, "Bea Low"), (2, "Di Moss")]
        ],
    }
    gold = qg.load(document)
    texts = [question.answers and question.answers.texts for question in gold]
    assert texts == [(("Ann Lee",),), None, (("Bea Low",), ("Di Moss",))]


def test_an_answer_to_a_question_that_is_not_there_has_no_place() -> None:
    questions = [{"id": at, "text": ASKED[at]} for at in range(2)]
    answers = [{"question_id": at, "value": GOLD[0]} for at in (7, 1)]
    gold = qg.load({"questions": questions, "answers": answers})
    texts = [question.answers and question.answers.texts for question in gold]
    assert texts == [None, ((GOLD[0],),)]


def test_an_answer_in_several_languages_has_several_names() -> None:
    gold = [{"id": 1, "question": ASKED[1], "answer": {"en": "Vienna", "de": "Wien"}}]
    assert accuracy(gold, {"1": "Wien"}) == accuracy(gold, {"1": "Vienna"}) == 1


def test_answers_without_a_reference_belong_to_no_question() -> None:
    """Neither do questions without ids have answers that lack a reference."""
    questions = [{"text": ASKED[at]} for at in range(2)]
    answers = [{"question_id": None, "value": text} for text in GOLD]
    document = {"questions": questions, "answers": answers}
    assert not any("answers" in row for row in find_rows(document).rows if isinstance(row, dict))


def test_of_the_ids_of_an_answer_only_the_reference_is_no_part_of_it() -> None:
    document = {
        "questions": [{"id": at, "text": ASKED[at]} for at in range(2)],
        "answers": [{"qid": "Q64", "question_id": at, "label": "B"} for at in (1, 0)],
    }
    rows = [row for row in find_rows(document).rows if isinstance(row, dict)]
    assert [row["answers"] for row in rows] == [[{"qid": "Q64", "label": "B"}]] * 2


def test_gold_beside_a_question_is_not_replaced_by_other_answers() -> None:
    questions = [{"id": at, "question": ASKED[at], "answer": GOLD[at]} for at in range(2)]
    others = [{"question_id": at, "value": "x"} for at in (1, 0)]
    gold = qg.load({"questions": questions, "answers": others})
    assert [question.gold.texts for question in gold] == [((GOLD[0],),), ((GOLD[1],),)]


XML_FORMS = {
    "records in a list": """<?xml version="1.0"?>
<!-- ours --><questions>
<question id="q1"><text>Who lit it?</text><answer>Ann</answer></question>
<question id="q2"><text>Where is <b>it</b>?</text><answer>Ulm</answer></question>
</questions>""",
    "questions on passages with marked answers": """<data>
<instance id="q"><passage>It is lit.</passage><questions>
<question id="1" text="Who lit it?">
<answer correct="True" text="Ann"/><answer correct="False" text="Bea"/></question>
<question id="2" text="Where is it?">
<answer correct="False" text="Bonn"/><answer correct="True" text="Ulm"/></question>
</questions></instance></data>""",
    "with a namespace": """<q:set xmlns:q="urn:x">
<q:item q_id="1"><q:question>Who lit it?</q:question><q:answer>Ann</q:answer></q:item>
<q:item q_id="2"><q:question>Where is it?</q:question><q:answer>Ulm</q:answer></q:item>
</q:set>""",
}


@pytest.mark.parametrize("form", XML_FORMS)
def test_records_of_any_xml_are_questions(form: str, tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    path.write_text(XML_FORMS[form])
    gold = qg.load(path)
    assert [question.text() for question in gold] == ["Who lit it?", "Where is it?"]
    assert [question.gold.texts for question in gold] == [(("Ann",),), (("Ulm",),)]


@pytest.mark.parametrize(
    "document",
    [
        "<quiz>{}</quiz>",
        "<quiz name='x'>{}</quiz>",
        "<quiz><title>x</title><questions n='1'>{}</questions></quiz>",
    ],
)
def test_a_single_record_of_xml_is_a_question(document: str, tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    record = "<question><text>Who lit it?</text><answer>Ann</answer></question>"
    path.write_text(document.format(record))
    (question,) = qg.load(path)
    assert (question.text(), question.gold.texts) == ("Who lit it?", (("Ann",),))


def test_xml_that_is_broken_or_declares_entities_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    path.write_text("<?xml version='1.0'?><set><item></set>")
    with pytest.raises(DataError, match="invalid XML at line 1, column 35: mismatched tag"):
        qg.load(path)
    path.write_text("<?xml version='1.0'?><!DOCTYPE s [<!ENTITY x 'y'>]><s><a>&x;</a></s>")
    with pytest.raises(DataError, match="declares XML entities"):
        qg.load(path)


def test_words_beside_the_only_element_of_xml_are_no_error(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    path.write_text("<quiz n='1'>Welcome! <question><text>Who?</text></question></quiz>")
    assert qg.load(path).questions[0].text() == "Welcome! Who?"


@pytest.mark.parametrize(("name", "own_ids", "ids"), [
    ("n\u00famero", (1, 2, 3), ["0", "1", "2"]),  # only numbers of the records
    ("no", (1, 2, 1), ["0", "1", "2"]),
    ("id", (1, 2, 3), ["1", "2", "3"]),
    ("qid", ("a", "b", "c"), ["a", "b", "c"]),
])  # fmt: skip
def test_a_key_is_the_id_unless_the_record_has_another(
    name: str, own_ids: tuple[object, ...], ids: list[str]
) -> None:
    document = {str(at): {name: own_ids[at], **one(at, answer=GOLD[at])} for at in range(3)}

    assert [question.id for question in qg.load([document])] == ids


def test_records_under_keys_may_share_an_id() -> None:
    gold = [one(at, id=f"q{at}", answer=GOLD[at]) for at in range(2)]
    samples = {
        str(at): {"id": f"q{at // 2}", "sample": at % 2, "answer": GOLD[at // 2] if at else "Cy"}
        for at in range(4)
    }
    assert qg.score(gold, [samples])["accuracy"] == 0.75


def test_a_question_inside_one_object_is_that_of_the_record(tmp_path: Path) -> None:
    rows = [
        {
            "problem": one(at, answer=GOLD[at]),
            "traces": [{"prompt": f"Think. {ASKED[at]}", "response": SAID[at]}],
            "prediction": SAID[at],
        }
        for at in range(3)
    ]
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(rows))

    [scores] = qg.evaluate(path)

    assert len(scores.counts) == 3
    assert scores["accuracy"] == pytest.approx(2 / 3)


def test_results_are_no_answers_of_systems(tmp_path: Path) -> None:
    people = [f"http://x.org/{name.split()[0]}" for name in GOLD]
    rows = [
        {
            **one(at),
            "gold_result": {"type": "select", "vars": ["x"], "rows": [{"x": people[at]}]},
            "generated_result": {"type": "select", "vars": ["y"], "rows": [{"y": people[at]}]},
        }
        for at in range(3)
    ]
    rows[1]["generated_result"] = {"type": "error", "message": "timed out"}
    path = tmp_path / "results.json"
    path.write_text(json.dumps(rows))

    [scores] = qg.evaluate(path)

    assert scores["accuracy"] == pytest.approx(2 / 3)

"""Languages and wordings of a question, apart in a journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.answers.asked_wordings import expand_wordings, split_asked_ids, with_wordings
from qaldgen.answers.record import ParsedResponse, Response
from qaldgen.model import Question, QuestionSet

Refused = Callable[..., str]
Answered = Mapping[str, str] | Sequence[Mapping[str, Any]]
ASKED = QuestionSet(
    "set",
    "table",
    (
        Question("1", {"en": ("Who?", "What person?"), "pt-BR": ("Quem?",)}),
        Question("2", {"en": ("When?",)}),
    ),
)


def test_each_wording_is_a_question_and_what_lacks_is_told() -> None:
    made = expand_wordings(ASKED, ["en", "pt_br"], wordings=True)
    assert [(one.id, one.text()) for one in made] == [
        ("1@en", "Who?"),
        ("1@en.2", "What person?"),
        ("1@pt-BR", "Quem?"),
        ("2@en", "When?"),
    ]
    assert made.notes == ("1 of 2 questions have no text in 'pt-BR', and are not asked in it",)


@pytest.mark.parametrize(
    ("name", "base", "way"),
    [
        ("1@en", "1", "en"),
        ("1@pt-BR.12", "1", "pt-BR.12"),
        ("a@b.org", "a@b.org", ""),
        ("2", "2", ""),
        ("3@en", "3@en", ""),
    ],
)
def test_only_questions_that_are_known_are_taken_apart(name: str, base: str, way: str) -> None:
    (one,) = split_asked_ids([ParsedResponse(Response(name))], ASKED)
    assert (one.response.id, one.asked_as) == (base, way)


def test_a_journal_is_read_in_the_wanted_language_and_goes_on(tmp_path: Path) -> None:
    journal, calls = tmp_path / "mine.jsonl", list[str]()

    def system(text: str) -> str:
        calls.append(text)
        return text

    for _ in range(2):
        run = qg.ask(ASKED, system, language="en,pt-BR", wordings="set", journal=journal)
    assert sorted(calls) == ["Quem?", "What person?", "When?", "Who?"]
    assert run.responses["1"].answers.texts == (("Who?",),)  # type: ignore[union-attr]
    read = qg.read_run(journal, gold=ASKED, language="pt-BR")
    assert list(read.responses) == ["1"]
    assert set(read.others) == {"en", "en.2"}


def test_wordings_come_from_a_table(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "wordings.csv"
    path.write_text("id,wording\n2,On what day?\n", encoding="utf-8")
    assert with_wordings(ASKED, path, "en").questions[1].texts["en"] == ("When?", "On what day?")
    path.write_text("id,wording\n7,On what day?\n", encoding="utf-8")
    assert "question 7 is not in set" in refused(lambda: with_wordings(ASKED, path, "en"))
    path.write_text("id,wording\n2,\n", encoding="utf-8")
    assert "another wording of the question" in refused(lambda: with_wordings(ASKED, path, "en"))


def test_a_language_that_no_question_has_is_refused(refused: Refused) -> None:
    message = refused(lambda: expand_wordings(ASKED, ["en", "xx"], wordings=False))
    assert "no question has a text in xx; there are " in message


@pytest.mark.parametrize("pointed", ["gold", "run"])
def test_ids_that_became_floats_are_found(tmp_path: Path, pointed: str) -> None:
    ids: dict[str, list[float]] = {"gold": [3, 4, 5], "run": [3, 4, 5]}
    ids[pointed] = [float(number) for number in ids[pointed]]
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    rows = [f"{name},Which is {name}?,Ann\n" for name in ids["gold"]]
    gold.write_text("id,question,answer\n" + "".join(rows))
    run.write_text("id,answer\n" + "".join(f"{name},Ann\n" for name in ids["run"]))
    assert qg.score(gold, run).counts["f1"].tolist() == [1.0, 1.0, 1.0]


def test_the_id_of_the_caller_is_before_that_of_the_service(tmp_path: Path) -> None:
    reply = {"body": {"choices": [{"message": {"role": "assistant", "content": "Ann"}}]}}
    path = tmp_path / "batch.jsonl"
    path.write_text(json.dumps({"id": "batch_1", "custom_id": "7", "response": reply}))
    assert set(qg.read_run(path).responses) == {"7"}


WITHOUT_IDS = [
    {"question": "Who lit the lamp?", "answer": "Ann"},
    {"question": "Where is the mill?", "answer": "Ulm"},
]


@pytest.mark.parametrize("run", [
    {"0": "Ann", "1": "Ulm"},
    [{"idx": 0, "prediction": "Ann"}, {"idx": 1, "prediction": "Ulm"}],
    [{"id": 1, "answer": "Ulm"}, {"id": 0, "answer": "Ann"}],
    [{"index": "0", "question": "Prompt: Who?", "output": "Ann"},
     {"index": "1", "question": "Prompt: Where?", "output": "Ulm"}],
])  # fmt: skip
def test_numbers_from_zero_are_places_where_the_gold_has_no_ids(run: Answered) -> None:
    scores = qg.score(WITHOUT_IDS, run)
    assert scores["macro-f1"] == 1
    assert any("count the questions" in note for note in scores.notes)


def test_numbers_from_zero_are_ids_where_the_gold_has_ids() -> None:
    gold = [{"id": at, **row} for at, row in enumerate(WITHOUT_IDS, 1)]
    scores = qg.score(gold, {"0": "Ann", "1": "Ulm"})
    assert scores["macro-f1"] == 0
    assert any("not in" in note for note in scores.notes)


def test_numbers_from_one_are_those_of_rows_that_the_gold_counts_from_zero() -> None:
    gold = [{"": at, "question": f"What is {at}?", "answer": str(at)} for at in range(3)]
    assert qg.score(gold, {"1": "0", "2": "1", "3": "7"})["accuracy"] == pytest.approx(2 / 3)
    # without the last one, these may be numbers of the gold
    assert qg.score(gold, {"1": "1", "2": "2"})["accuracy"] == pytest.approx(2 / 3)


def test_texts_say_more_than_numbers_from_zero() -> None:
    gold = [*WITHOUT_IDS, {"question": "How many stairs?", "answer": "7"}]
    shuffled = [
        {"id": at, "question": gold[place]["question"], "prediction": gold[place]["answer"]}
        for at, place in enumerate([1, 2, 0])
    ]
    assert qg.score(gold, shuffled)["macro-f1"] == 1


def test_numbers_from_zero_name_the_choices_of_their_questions() -> None:
    gold = [
        {"question": "What gas?", "choices": ["Neon", "Argon"], "answer": "Argon"},
        {"question": "Where is it?", "choices": ["Ulm", "Bonn"], "answer": "Ulm"},
    ]
    assert qg.score(gold, {"0": "B", "1": "A"})["macro-f1"] == 1


@pytest.mark.parametrize("gold", [
    [{"question": "Is it one?", "answer": "A", "A": "cat", "B": "dog"},
     {"question": "Is it two?", "answer": "B", "A": "hen", "B": "cow"}],
    [{"id": "1", "question": "Is it one?", "answer": "A", "A": "cat", "B": "dog"},
     {"id": "2", "question": "Is it two?", "answer": "B", "A": "hen", "B": "cow"}],
])  # fmt: skip
def test_letters_mean_the_choices_of_the_question_with_the_text(gold: list[dict[str, str]]) -> None:
    run = [
        {"idx": "0", "question": "is it one?", "pred": "A"},
        {"idx": "1", "question": "is it two?", "pred": "B"},
    ]
    scores = qg.score(gold, run)
    assert scores["accuracy"] == 1
    assert sum("found by their text" in note for note in scores.notes) == 1


def test_questions_of_one_text_are_answered_in_their_order() -> None:
    gold = [
        {"context": context, "question": "Who lit it?", "answer": answer}
        for context, answer in (("The mill.", "Ann"), ("The tower.", "Bo"))
    ]
    run = [
        {"context": row["context"], "question": row["question"], "response": said}
        for row, said in zip(gold, ("Ann", "Cid"), strict=True)
    ]
    scores = qg.score(gold, run)
    assert scores["macro-f1"] == 0.5
    assert any("of the same text in the order" in note for note in scores.notes)


def test_lists_of_documents_are_no_ids_of_questions() -> None:
    gold = [{**row, "document_id": at} for at, row in enumerate(WITHOUT_IDS)]
    run = [{**row, "document_id": [at, 7]} for at, row in enumerate(WITHOUT_IDS)]
    assert qg.score(gold, run)["accuracy"] == 1


def test_a_column_with_one_value_is_no_id_of_questions() -> None:
    gold = [
        {"query": f"Who lit lamp {n}?", "expected_response": name}
        for n, name in ((1, "Ann"), (2, "Bo"))
    ]
    run = [{"app_id": "app_7", "input": f'"{row["query"]}"', "output": "Ann"} for row in gold]
    assert qg.score(gold, run)["macro-f1"] == 0.5


def test_queries_inside_the_steps_of_an_answer_are_no_questions() -> None:
    gold = [
        {"question": f"Who lit lamp {n}?", "answer": name} for n, name in ((1, "Ann"), (2, "Bo"))
    ]
    run = [
        {"query": row["question"], "result": "Ann", "intermediate_steps": [{"query": "MATCH (n)"}]}
        for row in gold
    ]
    assert qg.score(gold, run)["macro-f1"] == 0.5


def test_a_choice_worded_like_an_abstention_is_an_answer() -> None:
    gold = [{"id": "1", "question": "What is kept?", "choices": ["oil", "none"], "answer": "A"}]
    scores = qg.score(gold, [{"id": "1", "answer": "Answer: B. None."}])
    assert scores["accuracy"] == 0
    assert not any("I don't know" in note for note in scores.notes)


def mills(*towns: str) -> list[dict[str, str]]:
    return [
        {"id": f"m{number}", "question": f"Who built the mill of {town}?", "answer": f"Ada {town}"}
        for number, town in enumerate(towns)
    ]


def test_a_text_says_more_than_an_id_that_most_texts_fit() -> None:
    gold = mills("Ulm", "Bonn", "Rome", "Oslo", "Lima")
    shifted = mills("Bonn", "Ulm", "Rome", "Oslo", "Lima")

    [scores] = [qg.score(gold, shifted)]

    assert scores["accuracy"] == 1.0
    assert any("m0, whose text is that of m1" in note for note in scores.notes)


def test_an_answer_to_an_unknown_question_leaves_its_id_to_another() -> None:
    gold = mills("Ulm", "Bonn", "Rome", "Oslo", "Lima")
    run = [*mills("Bonn", "Paris"), *mills("Ulm", "Bonn", "Rome", "Oslo", "Lima")[2:]]

    scores = qg.score(gold, run)

    assert scores.counts["status"].to_dict()["m0"] == "not asked"
    assert scores["accuracy"] == 0.8


def test_ids_count_where_texts_would_answer_a_question_twice() -> None:
    gold = mills("Ulm", "Bonn", "Rome", "Oslo", "Lima")
    run = mills("Bonn", "Bonn", "Rome", "Oslo", "Lima")

    assert any("the ids count" in note for note in qg.score(gold, run).notes)


def test_an_id_in_another_language_is_one() -> None:
    rows = [
        {"id_pregunta": f"m{number % 3}", "modelo": name, "gold": "B", "prediction": letter}
        for number, (name, letter) in enumerate(
            [("a", "B"), ("a", "C"), ("a", "B"), ("b", "B"), ("b", "B"), ("b", "B")]
        )
    ]
    evaluation = qg.evaluate(rows)

    assert [(one.name, len(one.counts)) for one in evaluation] == [("a", 3), ("b", 3)]

"""Which field is the gold and which a system's: by its name, by the others, or as the user says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import qaldgen as qg
from qaldgen.errors import DataError
from qaldgen.questions.columns import find_answers
from qaldgen.questions.fields import is_gold_name

Refused = Callable[..., str]
ASKED = ("Who lit it?", "Where is it?", "How many?", "Who saw it?")
GOLD = ("Ann", "Ulm", "7", "Bea")


def rows(**fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return records with questions and these fields."""
    return [
        {"question": asked, **{name: values[at] for name, values in fields.items()}}
        for at, asked in enumerate(ASKED)
    ]


@pytest.mark.parametrize("gold", [
    "truth", "standard_answer", "gold_answer", "ground_truth", "reference", "expected_output",
    "correct answer", "TrueAnswer", "gt", "ref_answer", "golden-response", "target_text",
    "human_answer", "official answer", "annotated_label",
])  # fmt: skip
@pytest.mark.parametrize("system", ["answer", "response", "prediction", "model_output", "gpt-4"])
def test_a_name_that_says_gold_leaves_the_other_to_the_system(gold: str, system: str) -> None:
    said = ("Ann", "Bonn", "7", "Cy")
    for data in (rows(**{gold: GOLD, system: said}), rows(**{system: said, gold: GOLD})):
        scores = qg.score(data)
        assert scores["accuracy"] == 0.5, scores.notes


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ("respuesta_real", "respuesta_modelo"),
        ("vraie réponse", "reponse du modele"),
        ("wahre_antwort", "generierte_antwort"),
        ("odpowiedz_gold", "odpowiedz_modelu"),
        ("эталонный_ответ", "ответ модели"),
        ("正しい回答", "生成された回答"),
    ],
)
def test_words_in_other_languages_make_a_name_gold_or_a_systems(gold: str, system: str) -> None:
    assert qg.score(rows(**{system: ("Ann", "Bonn", "7", "Cy"), gold: GOLD}))["accuracy"] == 0.5


def test_an_answer_called_like_the_question_is_gold() -> None:
    asked = [
        {"original_question": text, "original_answer": GOLD[at]} for at, text in enumerate(ASKED)
    ]
    assert qg.score(asked, {"1": "Ann", "2": "Bonn", "3": "7", "4": "Cy"})["accuracy"] == 0.5


def test_sources_are_no_gold_beside_an_answer() -> None:
    sources = ("https://x.org/a", "x.org/wiki/Ulm", "Mill, p. 7", "lamp.pdf")
    said = {"1": "Ann", "2": "Bonn", "3": "7", "4": "Cy"}
    assert qg.score(rows(answer=GOLD, reference=sources), said)["accuracy"] == 0.5
    assert (
        qg.score(rows(answer=GOLD, reference=("Ann", "Rome", "7", "Bea")), said)["accuracy"] == 0.5
    )


def test_a_list_of_identifiers_has_several_answers() -> None:
    asked = [{**row, "gold_iris": ["a", "b"]} for row in rows()]
    said = {"1": "a", "2": ["a", "b"], "3": "b", "4": "c"}
    scores = qg.score(asked, said, match="exact")
    assert scores["macro-recall"] == 0.5


def test_each_question_may_be_asked_in_a_language_of_its_own() -> None:
    carried = rows(
        language=("de", "en", "de", "en"), truth=GOLD, response=("Ann", "Bonn", "7", "Cy")
    )
    assert qg.score(carried)["accuracy"] == 0.5


@pytest.mark.parametrize("system", ["prediction", "llama answer", "answer_gpt", "generated_text"])
def test_beside_a_system_an_answer_is_gold(system: str) -> None:
    assert qg.score(rows(answer=GOLD, **{system: ("Ann", "Bonn", "7", "Cy")}))["accuracy"] == 0.5


def test_a_file_of_predictions_keeps_its_gold_apart() -> None:
    carried = [{"id": "1", "answers": ["Ulm"], "dist": {"Bonn": 0.8, "Ulm": 0.2}}]
    found = find_answers(carried)
    assert (found.systems, found.gold) == ({"": ("dist",)}, ("answers",))
    run = qg.read_run(carried)
    assert run.response("1").answers.values() == ["Bonn"]  # type: ignore[union-attr]


def test_yes_or_no_wins_over_words_where_it_is_said() -> None:
    run = qg.read_run(
        [
            {"example_id": 1, "prediction": "", "binary_answer": "yes"},
            {"example_id": 2, "prediction": "Ulm", "binary_answer": None},
        ]
    )
    assert [run.response(name).answers.values() for name in "12"] == [["yes"], ["Ulm"]]  # type: ignore[union-attr]


def test_of_candidates_the_first_counts_in_gold_and_run() -> None:
    data = [
        {"query": asked, "gold_answers": gold, "answer": said, "rank": rank}
        for asked, gold, best in zip(ASKED, GOLD, ("Ann", "Bonn", "7", "Cy"), strict=True)
        for rank, said in ((2, gold), (1, best))
    ]
    assert len(qg.load(data)) == 4
    scores = qg.score(data)
    assert (len(scores.counts), scores["accuracy"]) == (4, 0.5)


def test_two_names_that_may_be_either_are_refused_by_both(refused: Refused) -> None:
    data = [
        {"id": at, "answer": gold, "said": said}
        for at, (gold, said) in enumerate(zip(GOLD, ("Ann", "Ulm", "8", "Cy"), strict=True))
    ]
    message = refused(lambda: qg.read_run(data), DataError)
    assert "'answer'" in message
    assert "'said'" in message
    assert "`gold_field` or `answer_field`" in message


@pytest.mark.parametrize(
    "names",
    [
        ("actual_answer", "predicted_answer"), ("expected", "actual"), ("answer", "Model A"),
        ("answer", "system2"), ("actual", "prediction"), ("gold_label", "pred_label"),
    ],
)  # fmt: skip
def test_the_other_field_decides_which_is_gold(names: tuple[str, str]) -> None:
    gold, system = names
    data = rows(**{gold: GOLD, system: ("Ann", "Bonn", "7", "Cy")})
    assert qg.score(data)["accuracy"] == 0.5
    assert qg.load(data).questions[1].answers.values() == ["Ulm"]  # type: ignore[union-attr]


def test_scores_of_models_are_no_answers() -> None:
    data = rows(gold=GOLD, prediction=GOLD, gpt_score=("1", "2", "3", "4"), level=GOLD[::-1])
    assert qg.score(data)["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("names", "verdicts"),
    [
        (("vraag", "antwoord", "voorspelling", "antwoord correct"), (1, 0, 1, 0)),
        (("spørgsmål", "svar", "forudsigelse", "svar korrekt"), ("ja", "nej", "ja", "nej")),
        (("问题", "答案", "预测", "答案正确"), (True, False, True, False)),
    ],
)
def test_verdicts_on_an_answer_are_no_gold(
    names: tuple[str, ...], verdicts: tuple[object, ...]
) -> None:
    columns = (ASKED, GOLD, ("Ann", "Bonn", "7", "Cy"), verdicts)
    data = [
        {name: values[at] for name, values in zip(names, columns, strict=True)} for at in range(4)
    ]
    assert qg.score(data)["accuracy"] == 0.5


def test_things_under_reference_are_gold_and_sources_in_lists_are_not() -> None:
    things = tuple(f"http://www.wikidata.org/entity/Q{at}" for at in range(4))
    said = (*things[:2], *things[:2])
    assert qg.score(rows(reference=things, answer=said))["macro-f1"] == 0.5
    sources: Any = [["https://a.org/x"]] * 4
    run = {"1": "Ann", "2": "Bonn", "3": "7", "4": "Cy"}
    assert qg.score(rows(answer=GOLD, references=sources), run)["accuracy"] == 0.5


def test_a_name_of_many_words_is_looked_at_once() -> None:
    assert not is_gold_name("model/model/model/model/model/model.bin")


@pytest.mark.parametrize(
    ("question", "options", "key"),
    [
        ("pergunta", "alternativas", "resposta"),
        ("frage", "optionen", "richtig"),
        ("soru", "secenekler", "dogru"),
    ],
)
def test_keys_of_choices_in_other_languages_are_numbers(
    question: str, options: str, key: str
) -> None:
    offered = [["Ann", "Bo", "Cy"], ["Rome", "Bonn", "Ulm"]]
    data = [
        {question: ASKED[at], options: texts, key: number}
        for at, (texts, number) in enumerate(zip(offered, (0, 2), strict=True))
    ]
    assert qg.score(data, {"1": "Ann", "2": "Bonn"})["accuracy"] == 0.5


def test_the_name_of_a_system_may_begin_like_a_word_for_gold() -> None:
    columns = {"baseline_response": GOLD, "reflection_response": ("Ann", "Bonn", "7", "Cy")}
    run = [{"id": at, **row} for at, row in enumerate(rows(**columns), 1)]
    results = qg.evaluate(rows(answer=GOLD), run)
    assert {one.name: one["accuracy"] for one in results} == {"baseline": 1.0, "reflection": 0.5}


def test_an_answer_key_is_gold_without_choices_too() -> None:
    keys: Any = [[text] for text in GOLD]
    said = {"1": "Ann", "2": "Bonn", "3": "7", "4": "Cy"}
    assert qg.score(rows(answer_key=keys), said)["accuracy"] == 0.5


@pytest.mark.parametrize(
    "answers",
    [("Yes, it is", "no", "yes", "no"), ("yes", "unknown", "yes", "yes")],
)
def test_gold_of_yes_or_no_beside_answers_in_words_is_gold(answers: tuple[str, ...]) -> None:
    gold = ("yes", "no", "yes", "no")
    right = sum(said.lower().startswith(truth) for truth, said in zip(gold, answers, strict=True))
    assert qg.score(rows(ground_truth=gold, answer=answers))["accuracy"] == right / 4


def test_keywords_are_gold_only_without_an_answer() -> None:
    said = ("Ann", "Bonn", "7", "Cy")
    words: Any = [["main", "work"]] * 4
    assert qg.score(rows(answer=GOLD, expected_keywords=words, prediction=said))["accuracy"] == 0.5

"""Answers in words are read in the language of their question, and a note says in which."""

from __future__ import annotations

import qaldgen as qg

MILLS = [
    {"id": "1", "question": "Wie viele Räder hat die alte Mühle?", "answers": ["7"]},
    {"id": "2", "question": "Combien de roues a le vieux moulin ?", "answers": ["14"]},
    {"id": "3", "question": "¿Cuántas ruedas tiene el molino viejo?", "answers": ["11"]},
    {"id": "4", "question": "Ile kół ma ten stary młyn?", "answers": ["9"]},
]
ANSWERS = {
    "1": "Sie hat sieben Räder.",
    "2": "Il a quatorze roues.",
    "3": "Tiene once ruedas.",
    "4": "Ma dziewięć kół.",
}
LANGUAGES = ("de", "fr", "es", "pl")


def test_each_answer_is_read_in_the_language_that_its_question_states() -> None:
    gold = [{**mill, "language": tag} for mill, tag in zip(MILLS, LANGUAGES, strict=True)]
    scores = qg.score(gold, ANSWERS)
    assert scores.counts["tp"].tolist() == [1, 1, 1, 1]
    assert any(
        "3 of 4 questions are not in 'de': their answers are read in the language of the question"
        " (es, fr, pl)" in note
        for note in scores.notes
    )


def test_the_majority_of_samples_is_found_in_it_too() -> None:
    gold = [
        {"id": "1", "question": "Wer?", "answers": ["Ada"], "language": "de"},
        {"id": "2", "question": "Le moulin tourne-t-il ?", "answers": ["oui"], "language": "fr"},
    ]
    texts = ("Non.", "Oui.", "Oui, il tourne.")
    rows = [{"id": "2", "sample": at, "answer": text} for at, text in enumerate(texts)]
    rows.append({"id": "1", "sample": 0, "answer": "Ada"})
    assert qg.score(gold, rows, repeats_as="majority").counts["tp"].tolist() == [1, 1]


def test_a_language_that_no_question_has_is_that_of_the_answers() -> None:
    gold = [
        {"id": "1", "question": "How many wheels?", "answers": ["7"], "language": "en"},
        {"id": "2", "question": "How many sails?", "answers": ["4"], "language": "en"},
    ]
    answers = {"1": "Sie hat sieben.", "2": "Es sind vier."}
    assert qg.score(gold, answers, language="de").counts["tp"].tolist() == [1, 1]


def test_answers_are_read_in_the_plain_language_of_questions_that_state_none() -> None:
    gold = [
        *MILLS,
        {"id": "5", "question": "Wer hat die neue Mühle gebaut?", "answers": ["Ada Mill"]},
        {"id": "6", "question": "Qui a construit le moulin neuf ?", "answers": ["Ada Mill"]},
        {"id": "7", "question": "Wer hat die kleine Mühle gebaut?", "answers": ["Bo Weir"]},
    ]
    names = {"5": "Ada Mill", "6": "Ada Mill", "7": "Cy Fox"}
    scores = qg.score(gold, {**ANSWERS, **names})
    assert scores.counts["tp"].tolist() == [1, 1, 1, 1, 1, 1, 0]
    (note,) = [note for note in scores.notes if "not in 'en'" in note]
    assert "are read in the language of the question (de, es, fr" in note
    german = [mill for mill in gold if str(mill["question"])[0] == "W"]
    scores = qg.score(german, {"1": "sieben", "5": "Ada Mill", "7": "Bo Weir"})
    assert scores.counts["tp"].tolist() == [1, 1, 1]
    assert any("3 of 3 questions are not in 'en'" in note for note in scores.notes)


def test_questions_in_english_are_not_told() -> None:
    questions = ("Who built the old mill?", "Mill of Ada?", "Which wheel is the oldest of Ulm?")
    gold = [{"id": str(at), "question": q, "answers": ["Ada"]} for at, q in enumerate(questions)]
    notes = qg.score(gold, {"0": "Ada", "1": "Ada", "2": "Ada"}).notes
    assert not any("not in" in note for note in notes)


def test_accents_make_no_english_words() -> None:
    replies = {"1": "Sie hät sieben Räder, thé.", "2": "Il a quatorze roues, thé."}  # no "the"
    scores = qg.score(MILLS[:2], replies)
    assert scores.counts["tp"].tolist() == [1, 1]

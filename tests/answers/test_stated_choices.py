"""Which choice a reply states: letters in words of many languages, with texts of choices around."""

from __future__ import annotations

from typing import Any

import pytest

import qaldgen as qg

GOLD = [
    {"id": "1", "question": "How is it?", "choices": ["wet", "cold", "dry", "hot"], "answer": 2}
]


def is_right(reply: str) -> bool:
    return qg.score(GOLD, {"1": reply})["macro-f1"] == 1.0


@pytest.mark.parametrize("reply", [
    "Option C is correct.", "I would choose C.", "I'd go with C", "Thus C.", "My choice: C",
    "The answer is C because it never rains.", "The right answer is option C, not option A.",
    "Step 1: look at A. Step 2: look at B. Therefore, C is the answer.",
    "C\n\nA and B would need rain.", "The answer would be C, while A is for the coast.",
    "Doğru cevap C'dir.", "Cevap C şıkkıdır.", "正解はCです。", "故选C。",
    "本题答案为C，因为A错误。", "정답은 C입니다.", "정답: ③", "सही उत्तर C है।",
    "La réponse correcte est la C.", "La opción correcta es la C.",
    "A alternativa correta é a letra C.", "Antwort C ist richtig.",
    "Ответ C.", "Đáp án C", "Có lẽ là C.", "Die richtige Lösung ist C", "الإجابة الصحيحة هي C",
])  # fmt: skip
def test_letter_is_found_in_the_words_of_many_languages(reply: str) -> None:
    assert is_right(reply)


@pytest.mark.parametrize("reply", [
    "It may look wet, but the answer is C. dry", "C. dry\n\nIt would be wet at the coast.",
    "(C) dry. It is not wet.", "So it should be C. dry; the wet ones are elsewhere.",
    "A) wet is wrong.\nB) cold is wrong.\nC) dry fits.\nD) hot is wrong.\nSo the answer is C.",
    "## Thinking\n\nPerhaps A. wet?\n\n## Final Response\n\nThe answer is C. dry",
])  # fmt: skip
def test_letter_before_its_text_counts_more_than_other_texts(reply: str) -> None:
    assert is_right(reply)
    assert not is_right(reply.replace("C", "B").replace("dry", "cold"))


@pytest.mark.parametrize("reply", [
    "It is not C.", "C is wrong.", "The answer is either B or C.", "It is full of vitamin C.",
    "The wrong answer is C.", "C. S. Weir said so.", "The answer is C. cold",
])  # fmt: skip
def test_letter_that_is_denied_or_one_of_several_or_a_name_states_nothing(reply: str) -> None:
    assert not is_right(reply)


@pytest.mark.parametrize("reply", [
    "The correct answers are A and C.", "Answer: A, C", "The answer is A, C.", "AC", "答案:AC",
    r"\boxed{A, C}", "Die richtigen Antworten sind A und C.", "**A** and **C** are correct.",
    "La réponse est AC.", "正确答案是A和C", "Les bonnes réponses sont A (wet) et C (dry).",
    "A. wet and C. dry", ["A", "C"],
])  # fmt: skip
def test_several_letters_are_found_in_words(reply: object) -> None:
    gold = [{**GOLD[0], "answer": ["wet", "dry"]}]
    assert qg.score(gold, {"1": reply})["macro-f1"] == 1.0


@pytest.mark.parametrize("reply", [
    "A) wet is too much and B) cold does not fit. Therefore, the correct option is C.",
    "A) wet is too much, B) cold does not fit. Hence option C is correct.",
    "Option A (wet) is too much. The correct option is C.",
    "Analicemos: A) wet es mucho y B) cold no encaja. Por lo tanto, la opción correcta es la C.",
])  # fmt: skip
def test_reply_that_goes_through_the_choices_states_its_conclusion(reply: str) -> None:
    assert is_right(reply)


@pytest.mark.parametrize("reply", [
    "Many think the answer is wet (A), but it is actually dry (C).",
    "It's not A, since it is dry there; B is colder. C is the right one.",
    "Zuerst dachte ich an wet (A), aber ich entscheide mich für C.",
    "选项A是潮湿,选项B是寒冷。综上所述,应选C。", "Tra A e C, la mia scelta è la C.",
])  # fmt: skip
def test_what_is_said_last_counts_where_the_first_is_withdrawn(reply: str) -> None:
    assert is_right(reply)


@pytest.mark.parametrize("reply", [
    "I don't have enough information to choose one of the options A, B, C or D.",
    "I cannot choose between the options A, B, C and D.", "Có thể là C hoặc D.",
    "Entweder C oder D.", "Có, trời khô.",
])  # fmt: skip
def test_list_of_all_choices_and_an_or_state_nothing(reply: str) -> None:
    assert not is_right(reply)


def test_index_stays_an_index_beside_answers_that_are_texts() -> None:
    gold: list[dict[str, Any]] = [
        {"id": "1", "question": "How many?", "choices": ["1", "2", "3"], "answer": 1},
        {"id": "2", "question": "Which?", "choices": ["7", "8", "11"], "answer": ["7", "11"]},
        {"id": "3", "question": "Where?", "choices": ["Ulm", "Bonn", "Kiel"], "answer": 0},
    ]
    assert [question.gold.values() for question in qg.load(gold)] == [["2"], ["7", "11"], ["Ulm"]]


@pytest.mark.parametrize("reply", [
    "The correct answer is option 3.", "پاسخ صحیح گزینه ۳ است.", "Option 3) dry",
    "Not option 1 but option 3",
])  # fmt: skip
def test_number_of_a_choice_is_read_where_the_gold_has_numbers(reply: str) -> None:
    choices = {"Choice 1": "wet", "Choice 2": "cold", "Choice 3": "dry", "Choice 4": "hot"}
    gold = [
        {"id": "1", "question": "How is it?", **choices, "Key": "3"},
        {"id": "2", "question": "How was it?", **choices, "Key": "4"},
    ]
    assert qg.score(gold, {"1": reply, "2": "option 4"})["macro-f1"] == 1.0
    assert qg.score(gold, {"1": "It is option 35.", "2": "option 4.5"})["macro-f1"] == 0.0


def test_choices_may_be_lines_of_one_cell() -> None:
    gold = [{"id": "1", "question": "How is it?", "options": "A. wet\nB. dry", "answer": "B"}]
    assert qg.score(gold, {"1": "B"})["macro-f1"] == 1.0
    assert qg.score(gold, {"1": "dry"})["macro-f1"] == 1.0
    assert qg.score(gold, {"1": "A. wet"})["macro-f1"] == 0.0


def test_letters_without_choices_are_read_as_letters_of_choices() -> None:
    letters = {"1": "B", "2": "B", "3": "C", "4": "A", "5": "A", "6": "A"}
    gold = [
        {"id": name, "question": "Which?", "answer": letter} for name, letter in letters.items()
    ]
    run = {
        "1": "A wet lamp is dangerous, so the answer is B.",
        "2": "B",
        "3": "(C)",
        "4": "I think it's D, because a cat is fine.",
        "5": "Answer: A. Because I say so",
        "6": "The correct option is C. A different one would be wrong.",
    }
    scores = qg.score(gold, run)
    assert scores["macro-f1"] == pytest.approx(4 / 6)
    assert any("no choices were found" in note for note in scores.notes)
    assert qg.score(gold, letters)["macro-f1"] == 1


def test_the_letter_after_answer_counts_more_than_one_mentioned_later() -> None:
    gold = [
        {"id": "1", "question": "Which?", "choices": ["tea", "ale", "mead", "rum"], "answer": "A"}
    ]
    reply = (
        "**Answer: A.** Of the rest, all that could point to option D is its colour, it is sweet."
    )
    assert qg.score(gold, {"1": reply})["macro-f1"] == 1


def test_letters_of_other_alphabets_are_letters_of_choices() -> None:
    gold = [
        {
            "id": number,
            "question": "Що це?",
            "answers": [
                {"marker": letter, "text": text}
                for letter, text in zip("АБВГ", ("чай", "пиво", "мед", "ром"), strict=True)
            ],
            "correct_answers": ["Г"],
        }
        for number in "123456"
    ]
    run = {
        "1": "Г",
        "2": "Г) ром",
        "3": "ром",
        "4": "Правильна відповідь: Г. ром",
        "5": "В",
        "6": "В цьому випадку не знаю",
    }
    scores = qg.score(gold, run, language="uk")
    assert scores["accuracy"] == pytest.approx(4 / 6)


def test_a_list_of_any_name_has_the_choices_if_only_a_number_points_to_it() -> None:
    gold = [
        {"question": "Which is hot?", "content": ["ale", "tea"], "correct": 1},
        {"question": "Which is sour?", "content": ["milk", "lemon", "bread"], "correct": 1},
        {"question": "Which is sweet?", "content": ["mead", "salt"], "correct": 0},
    ]
    assert qg.score(gold, {"1": "tea", "2": "B", "3": "salt"})["accuracy"] == pytest.approx(2 / 3)


def test_gold_that_states_its_choice_in_words_is_that_choice() -> None:
    offered = "(A) tea (B) ale (C) mead"
    golds = ("C) mead\nas it is sweet", "Among A through C, the answer is C) mead.", "Option C")
    gold = [
        {"id": str(at), "question": f"Which is sweet? Answer Choices: {offered}", "answer": answer}
        for at, answer in enumerate(golds)
    ]
    assert qg.score(gold, {"0": "mead", "1": "C", "2": "It is (C)."})["accuracy"] == 1
    assert qg.score(gold, {"0": "tea", "1": "A", "2": "It is (B)."})["accuracy"] == 0


def test_numbered_columns_of_choices_count_as_the_gold_does() -> None:
    gold = [
        {"goal": f"To do {at}?", "sol1": f"wipe {at}", "sol2": f"burn {at}", "label": at % 2}
        for at in range(4)
    ]
    run = {str(at + 1): f"{'burn' if at % 2 else 'wipe'} {at}" for at in range(4)}
    assert qg.score(gold, run)["accuracy"] == 1


@pytest.mark.parametrize("reply", ["А. С. Пушкин", "Пушкин"])
def test_initials_are_no_letters_of_choices(reply: str) -> None:
    poets = ["Лермонтов", "Пушкин", "Чехов"]
    gold = [{"id": "1", "question": "Кто?", "choices": poets, "answer": "Пушкин"}]
    assert qg.score(gold, {"1": reply}, language="ru")["accuracy"] == 1


@pytest.mark.parametrize("separator", ["; ", " | ", "\n", ", ", " / ", "、"])
@pytest.mark.parametrize("key", ["text", "letter", "number"])
def test_choices_in_one_text_are_read_by_what_separates_them(separator: str, key: str) -> None:
    offered = [["tea", "iced ale", "mead"], ["Ulm", "Bonn", "Rome"], ["cat", "big dog", "cow"]]
    gold = [
        {
            "question": f"Which is {at}?",
            "options": separator.join(texts),
            "answer": {"text": texts[at], "letter": "ABC"[at], "number": at}[key],
        }
        for at, texts in enumerate(offered)
    ]
    assert qg.score(gold, {"1": "A", "2": "It is Bonn.", "3": "(A) cat"})["accuracy"] == 2 / 3

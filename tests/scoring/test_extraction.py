"""The answer in a model's reply is found without its reasoning, its markup and other text."""

from __future__ import annotations

import pytest
from by_rules import contains

from qaldgen.answers.record import Response
from qaldgen.errors import UsageError
from qaldgen.model import Answers, Question
from qaldgen.scoring.counts import Matcher
from qaldgen.scoring.words.extraction import count_rules, make_extractor, without_markup
from qaldgen.scoring.words.short_answers import exact_match, token_f1

REPLIES = {
    "<think>Or Ulm?</think> Bonn": "whole reply",
    "Hm, Ulm?</think>\nBonn": "whole reply",
    "<THINK>Ulm</THINK>\n\n**Bonn**": "whole reply",
    "[THINK]Ulm[/THINK]Bonn": "whole reply",
    "◁think▷Ulm◁/think▷Bonn": "whole reply",
    "<|channel|>analysis<|message|>Ulm?<|end|><|channel|>final<|message|>Bonn<|return|>": (
        "whole reply"
    ),
    "[Bonn](http://x.org/Ulm)": "whole reply",
    "**Answer:** Bonn": "answer line",
    "Answer: Bonn\n\nExplanation: It is not Ulm.": "answer line",
    "Ulm is old.\n\n### Final answer\n\nBonn": "answer line",
    "Answer: Ulm\nWait.\nAnswer: Bonn": "answer line",
    "Antwort: Bonn": "answer line",
    "FINAL_ANSWER: Bonn\nREASON: It is not Ulm.": "answer line",
    "It is not Ulm.\n\nFINAL: Bonn": "answer line",
    "答案：Bonn": "answer line",
    "#### Bonn": "answer line",
    "Ulm? $\\boxed{\\text{Bonn}}$": "\\boxed",
    '{"reasoning": "Ulm", "answer": "Bonn"}': "JSON",
    'Here:\n```json\n{"final_answer": ["Bonn"]}\n```': "JSON",
    "<reasoning>Ulm</reasoning><answer>Bonn</answer>": "tag",
    "It may be old. So the answer is: Bonn": "'the answer is'",
}


@pytest.mark.parametrize("reply", REPLIES)
def test_the_answer_in_a_reply(reply: str) -> None:
    found = make_extractor()(reply)
    assert found.texts == ("Bonn",)
    assert found.rule == REPLIES[reply]


@pytest.mark.parametrize(
    "reply",
    [
        "<s>[INST] Is it Ulm? [/INST] Bonn</s>",
        "<|im_start|>user\nUlm?<|im_end|>\n<|im_start|>assistant\n<think>Ulm</think>Bonn<|im_end|>",
        "<|start_header_id|>user<|end_header_id|>\n\nUlm?<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\nBonn<|eot_id|>",
        "<start_of_turn>user\nUlm?<end_of_turn>\n<start_of_turn>model\nBonn<end_of_turn>",
        "<|user|>\nUlm?<|end|>\n<|assistant|>\nBonn<|end|>",
        "system\n\nYou help.user\n\nIs it Ulm?assistant\n\nBonn",  # without the tokens
        "A chat. USER: Ulm? ASSISTANT: Bonn",
        "### Instruction:\nIs it Ulm?\n\n### Response:\nBonn\n\n### Instruction:\nIs it Trier?",
        "Human: Is it Ulm?\nAssistant: Bonn\nHuman: Is it Trier?",
        "Bonn<|im_end|>\n<|im_start|>user\nUlm?<|im_end|>\n<|im_start|>assistant\nUlm",
        "<|im_start|>user\nUlm?<|im_end|>\n<|im_start|>assistant\nBonn<|im_end|>\n"
        "<|im_start|>assistant\n",
    ],
)
def test_the_prompt_that_a_reply_repeats_is_no_part_of_it(reply: str) -> None:
    assert make_extractor()(reply).texts == ("Bonn",)


@pytest.mark.parametrize(
    "reply",
    [
        "The assistant\nsaid it.",
        "Assistant: It is USER 3.",
        "Human: Ulm?\nAssistant: Bonn\nHuman: Ely?\nAssistant: Trier",  # examples, or made up
        "Semi-final: Bonn\nFinal: Ulm",
    ],
)
def test_a_reply_that_speaks_of_an_assistant_is_whole(reply: str) -> None:
    assert make_extractor()(reply).texts == (reply,)


@pytest.mark.parametrize(
    "reply", ["", "<think>It is Bonn", "<think>Bonn</think>", "...", "<think></think>"]
)
def test_a_reply_without_an_answer(reply: str) -> None:
    assert make_extractor()(reply).texts == ()


def test_a_list_has_several_answers() -> None:
    assert make_extractor()("1. **Ulm**\n2. Bonn").texts == ("Ulm", "Bonn")


@pytest.mark.parametrize("matcher", [exact_match, token_f1, contains])
def test_every_matcher_for_words_reads_the_answer_in_a_reply(matcher: Matcher) -> None:
    golds = [
        Question("1", {"en": ("Where?",)}, answers=Answers(texts=((name,),)))
        for name in ("Bonn", "Ulm")
    ]
    for reply in REPLIES:
        response = Response("1", answers=Answers(texts=((reply,),)))
        hits = [count.tp for gold in golds if (count := matcher(gold, response)) is not None]
        assert hits == [1, 0], reply


@pytest.mark.parametrize(
    ("how", "reply", "texts"),
    [
        ("raw", "<think>Ulm</think> Bonn", ("<think>Ulm</think> Bonn",)),
        ("whole", "Ulm.\nAnswer: Bonn", ("Ulm.\nAnswer: Bonn",)),
        ("last-line", "Ulm?\n\n**Bonn**\n---\n", ("Bonn",)),
        ("regex:is (\\w+)", "It is Ulm, no, it is Bonn", ("Bonn",)),
        ("regex:B\\w+", "Ulm, Bonn", ("Bonn",)),
        ("regex:zz", "Bonn", ()),
    ],
)
def test_other_ways(how: str, reply: str, texts: tuple[str, ...]) -> None:
    assert make_extractor(how)(reply).texts == texts


@pytest.mark.parametrize("how", ["regex:", "regex:(", "last", "", "auto:x"])
def test_an_unknown_way_is_a_wrong_call(how: str) -> None:
    with pytest.raises(UsageError, match="extract"):
        make_extractor(how)


def test_rules_are_counted() -> None:
    assert count_rules(["Bonn", "Answer: Bonn", "Answer: Ulm"]) == {
        "whole reply": 1,
        "answer line": 2,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Ulm** and _Bonn_ [1]", "Ulm and Bonn"),
        ("5. March 1990", "5. March 1990"),
        ("$1{,}234$", "1,234"),
        ("snake_case_name", "snake_case_name"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("<b>Ulm</b>", "Ulm"),
    ],
)
def test_markup_goes(text: str, expected: str) -> None:
    assert without_markup(text) == expected


ENDLESS = (
    "<",
    "{",
    "[",
    "*",
    "\\boxed{",
    "<think>",
    "Answer:",
    "Answer: x\n\n",
    "1. ",
    "_a",
    "$\\",
    "|",
    "![a](",
    "[1",
    "q:\n",
)


@pytest.mark.parametrize("part", ENDLESS)
def test_endless_markup_is_harmless(part: str) -> None:
    make_extractor()(part * (40_000 // len(part)) + " Bonn")


@pytest.mark.parametrize(("reply", "answer"), [
    ("It is Ulm [1].\n\nSources:\n[1] Bonn: a portrait", "It is Ulm."),
    ("It is Ulm.\n\n## References\n- Bonn", "It is Ulm."),
    ("It is Ulm.\n**Quellen:** Bonn, S. 3", "It is Ulm."),
    ("是乌尔姆。\n参考资料：\n波恩", "是乌尔姆。"),
    ("Sources: Breg and Brigach", "Sources: Breg and Brigach"),
    ("Sources:\nBonn\nAnswer: Ulm", "Ulm"),
    ("So it is.\nSources: Bonn\n\\boxed{Ulm}", "Ulm"),
    ("It is in\nthe sources of Ulm", "It is in\nthe sources of Ulm"),
])  # fmt: skip
def test_the_sources_of_a_reply_are_no_answer(reply: str, answer: str) -> None:
    assert make_extractor()(reply).texts == (answer,)


def test_the_last_line_may_stand_below_the_sources() -> None:
    assert make_extractor("last-line")("Hm.\nSources: Bonn\nUlm").texts == ("Ulm",)


def test_a_label_of_sources_with_endless_marks_is_harmless() -> None:
    make_extractor()("It is Ulm.\nSources" + "*" * 200_000)

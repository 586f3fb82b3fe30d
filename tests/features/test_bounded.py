"""No text takes a rule long, whatever it says: each is linear, or reads a bounded part."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from long_texts import SECONDS, takes_no_text_long

from qaldgen.annotation.annotate import annotate
from qaldgen.features.text import answer_type, question_words, spelling, taxonomies
from qaldgen.features.text.flags import flags
from qaldgen.features.text.letters import ENDS, ends_of, letter_features, sentences
from qaldgen.features.text.names import find_names, names_by_capitals, readable
from qaldgen.features.text.text_features import text_features
from qaldgen.scoring.words.extraction import make_extractor, says_anything, without_markup
from qaldgen.scoring.words.quantities import quantities
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.short_answers import normalise
from qaldgen.sparql.tokens import tokenize


def ends(rule: Callable[[str], object]) -> Callable[[str], object]:
    """Return a rule as `text_features` calls it: with the ends of a long text."""
    return lambda text: rule(ends_of(text))


#: Whatever reads a text of any length.
WHOLE: dict[str, Callable[[str], object]] = {
    "letters": lambda text: letter_features(text, "en"), "sentences": sentences,
    "readable": readable,
    "plain": without_markup, "extract": make_extractor(), "normalise": normalise,
    "says anything": says_anything, "sparql tokens": tokenize,
    "quantities": lambda text: quantities(Reading(text, "en")),
}  # fmt: skip
#: The rules of questions.
RULES: dict[str, Callable[[str], object]] = {
    "choice": question_words.offers_choice, "question word": question_words.wh_type,
    "spelling": spelling.spelling_suspect, "category": answer_type.expected_category,
    "names": find_names, "capitals": names_by_capitals,
    "formulation": lambda text: taxonomies.formulation(text, "what", text),
    "sought": lambda text: taxonomies.information_sought(text, "none", "resource"),
    "flags": lambda text: flags(text, "en"), "Polish flags": lambda text: flags(text, "pl"),
}  # fmt: skip


@pytest.mark.parametrize(
    "rule", [*WHOLE.values(), *map(ends, RULES.values())], ids=[*WHOLE, *RULES]
)
def test_no_rule_takes_long(rule: Callable[[str], object]) -> None:
    takes_no_text_long(rule)


def test_a_long_word_behind_or_is_annotated_at_once() -> None:
    start = time.process_time()
    assert not question_words.offers_choice(f"Is it old or {'a' * 80}!x")
    assert question_words.offers_choice(f"Is it old or {'a' * 80}?")
    assert time.process_time() - start < 1


def test_a_choice_has_at_most_five_words_and_may_have_an_article() -> None:
    said = {
        "Is it a or the one two three four five?": True,
        "Is it a or one two three four five six?": False,
        "Is it (old) or new ?": True,
        "Is it old, or new?": True,
        "Is it old: or new?": False,
    }
    assert {text: question_words.offers_choice(text) for text in said} == said


def test_rules_read_the_question_at_either_end_of_a_long_text() -> None:
    passage = "The mill stood there and was old. " * 200
    texts = [f"How many mills? {passage}", f"{passage}How many mills were there?"]
    first, last = text_features(texts)
    assert first["charCount"] == len(texts[0].strip())
    assert (first["whType"], last["whType"]) == ("how-many", "how-many")
    assert len(ends_of(passage)) <= 2 * ENDS + 1


def test_a_gold_answer_of_any_length_costs_little() -> None:
    start = time.process_time()
    record = {"question": "What was said?", "answer": "a or " * 6000 + "12"}
    kinds = annotate([record], cache=None).to_frame()["answerEntityKindGold"]
    assert kinds.tolist() == ["named"]
    assert time.process_time() - start < SECONDS * 2

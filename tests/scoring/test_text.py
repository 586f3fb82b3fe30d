"""Text answers: normalisation, exact match, token F1, and gold answers in free text."""

from __future__ import annotations

import functools
import random
import re
import string
from collections import Counter
from decimal import Decimal

import pytest
from by_rules import contains, said_by

from qaldgen.answers.record import Response
from qaldgen.model import Answers, Cell, Question
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.words.dates import Day, date_at, read_date
from qaldgen.scoring.words.gold_amounts import Amount
from qaldgen.scoring.words.gold_names import wordings
from qaldgen.scoring.words.numbers import gold_numbers, read_number
from qaldgen.scoring.words.quantities import Quantity, quantities
from qaldgen.scoring.words.reading import AnswerText, Reading, is_abstention
from qaldgen.scoring.words.short_answers import exact_match, normalise, token_f1
from qaldgen.scoring.words.tokens import tokens


def gold(*rows: tuple[str, ...], text: str = "") -> Question:
    return Question("1", {"en": (text,)}, answers=Answers(texts=rows))


def given(*texts: str) -> Response:
    return Response("1", answers=Answers(texts=tuple((text,) for text in texts)))


def some(count: Count | None) -> Count:
    """Return a count that must be there."""
    assert count is not None
    return count


def right(
    question: Question, text: str, language: str = "en", aliases: dict[str, list[str]] | None = None
) -> bool:
    return contains(question, given(text), language=language, aliases=aliases) == (1, 0, 0)


def quantity(text: str) -> Quantity:
    return quantities(Reading(text, "en"))[0]


def squad_normalise(text: str) -> list[str]:
    """Return what the definition of SQuAD 1.1 says.

    Lower case, no ASCII punctuation, no articles, single spaces.
    """
    kept = "".join(char for char in text.lower() if char not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The  Old-Mill!", "en", "oldmill"),
        ("A mill, an oven", "en", "mill oven"),
        ("die Mühle", "de", "mühle"),
        ("die Mühle", "en", "die mühle"),
        ("L’Étoile", "fr", "étoile"),
        ("Los Molinos", "es", "molinos"),
        ("Un'ape", "it", "ape"),
        ("O Moinho", "pt", "moinho"),
        ("het molentje", "nl", "molentje"),
        ("Młyn", "pl", "młyn"),
        ("Мельница", "ru", "мельница"),
        ("ＡＢＣ", "en", "abc"),
        ("STRASSE", "de", "strasse"),
        ("Straße", "de", "strasse"),
        ("1,234", "en", "1234"),
        ("1.234", "de", "1234"),
        ("1 234,50", "pl", "1234.5"),
        ("-5", "en", "-5"),
        ("20 %", "en", "20"),
        ("030", "de", "030"),
        ("?!", "en", ""),
    ],
)
def test_normalise(text: str, language: str, expected: str) -> None:
    assert normalise(text, language) == expected


def test_english_words_are_normalised_as_squad_defines_it() -> None:
    rng = random.Random(5)
    words = [
        "The",
        "mill",
        "of",
        "a",
        "Ada's",
        "oak-wood",
        "(old)",
        "AN",
        "heat,",
        "theatre",
        '"x"',
        "end.",
    ]
    for _ in range(300):
        text = " ".join(rng.choices(words, k=rng.randrange(8)))
        assert normalise(text).split() == squad_normalise(text)


def test_exact_match_counts_answers_and_ignores_repeats() -> None:
    question = gold(("Ada Mill",), ("Ben Weir", "B. Weir"), ("Ulm",))
    assert exact_match(question, given("the ada mill", "Ada Mill", "b weir", "Bonn")) == (2, 1, 1)


def test_exact_match_pairs_each_answer_with_one_gold_answer_at_best() -> None:
    question = gold(("Ada", "Miller"), ("Ben", "Miller"))
    assert exact_match(question, given("Miller", "Ada")) == (2, 0, 0)
    assert exact_match(question, given("Miller")) == (1, 0, 1)


@pytest.mark.parametrize(
    ("answer", "language", "expected"),
    [
        ("Ada Mill, B. Weir and Ulm", "en", (3, 0, 0)),
        ("Ulm & Ada Mill", "en", (2, 0, 1)),
        ("Ulm, Ben Weir und Ada Mill", "de", (3, 0, 0)),
        ("Ulm, Bonn", "en", (0, 1, 3)),
        ("Ulm, not Ada Mill", "en", (0, 1, 3)),
    ],
)
def test_a_text_that_lists_gold_answers_and_nothing_else_is_these(
    answer: str, language: str, expected: tuple[int, int, int]
) -> None:
    question = gold(("Ada Mill",), ("Ben Weir", "B. Weir"), ("Ulm",))
    assert exact_match(question, given(answer), language=language) == expected
    assert exact_match(gold(("Ulm and Bonn",), ("Ulm",), ("Bonn",)), given("Ulm and Bonn")) == (
        (1, 0, 2)
    )


def test_gold_answer_without_wording_is_never_met() -> None:
    assert exact_match(gold((), ("Ulm",)), given("Ulm", "...")) == (1, 0, 1)


@pytest.mark.parametrize("matcher", [exact_match, token_f1, contains])
def test_gold_answers_without_any_wording_cannot_be_judged(matcher: Matcher) -> None:
    assert matcher(gold(()), given("Ulm")) is None
    iri = "http://www.wikidata.org/entity/Q64"
    code = Answers(rows=((Cell("uri", iri),),))
    codes = Question("1", {}, answers=code)
    assert matcher(codes, given("Berlin")) is None
    assert matcher(codes, Response("1", answers=code)) is not None
    named = functools.partial(matcher, aliases={iri: ["Berlin"]})  # type: ignore[call-arg]
    assert some(named(codes, given("Berlin"))).tp == 1


@pytest.mark.parametrize("matcher", [exact_match, token_f1, contains])
def test_nothing_expected_and_nothing_given_is_right(matcher: Matcher) -> None:
    assert matcher(Question("1", {}, answers=Answers()), Response("1")) == (0, 0, 0)
    assert some(matcher(gold(("Ulm",)), Response("1", "empty")))[::2] == (0, 1)
    assert matcher(gold(("Ulm",)), given("?!")) == (0, 0, 1)


def test_partial_makes_a_matcher() -> None:
    matcher: Matcher = functools.partial(exact_match, language="de", aliases={"Mill": ["Mühle"]})
    assert matcher(gold(("Mill",)), given("die Mühle")) == (1, 0, 0)


def test_boolean_is_met_by_yes_in_the_language() -> None:
    question = Question("1", {}, answers=Answers(boolean=True))
    assert exact_match(question, given("Ja"), language="de") == (1, 0, 0)
    assert exact_match(question, Response("1", answers=Answers(boolean=False))) == (0, 1, 1)


def test_iris_are_worded_by_label_local_name_and_aliases() -> None:
    cell = Cell("uri", "http://x.org/r/Old_M%C3%BChle_(Ulm)")
    assert wordings(cell) == ("Old Mühle", "Old Mühle (Ulm)")
    table = {cell.value: ["Old Mill"], "Old_Mühle_(Ulm)": ["OM"]}
    assert wordings(cell, table) == ("Old Mill", "Old Mühle", "OM", "Old Mühle (Ulm)")


def test_token_f1_equals_the_definition_of_squad() -> None:
    rng = random.Random(7)
    words = ["the", "old", "mill", "Mill", "of", "Ulm", "a", "weir,"]
    for _ in range(300):
        one, other = (" ".join(rng.choices(words, k=rng.randrange(1, 7))) for _ in "ab")
        mine, theirs = Counter(squad_normalise(one)), Counter(squad_normalise(other))
        common = sum((mine & theirs).values())
        total = sum(mine.values()) + sum(theirs.values())
        assert some(token_f1(gold((one,)), given(other))).f1 == pytest.approx(
            2 * common / total if common else float(mine == theirs)
        )


def test_token_f1_takes_the_best_wording_and_the_first_of_equals() -> None:
    assert token_f1(gold(("old mill of ulm", "ulm mill", "mill ulm x")), given("mill ulm")) == (
        2,
        0,
        0,
    )
    assert token_f1(gold(("a1 b1 c1", "a1 d1 e1")), given("a1")) == (1, 0, 2)


def test_token_f1_of_several_gold_answers_misses_words() -> None:
    assert token_f1(gold(("Ada Mill",), ("Ben Weir",)), given("Ada Mill")) == (2, 0, 2)


@pytest.mark.parametrize(
    ("wording", "text", "language"),
    [
        ("Ada Mill", "It was (Ada) MILL's.", "en"),
        ("São João", "in Sao Joao", "pt"),
        ("The Old Mill Inn", "the Inn is Old Mill Inn.", "en"),
        ("東京", "場所は東京です", "ja"),
        ("กรุงเทพ", "เมืองกรุงเทพมหานคร", "th"),
        ("K2", "k2", "en"),
        ("Краков", "в Кракове", "ru"),
        ("Kraków", "w Krakowie", "pl"),
        ("ميدان", "اسم میدان ميدان است", "fa"),
    ],
)
def test_names_are_found_at_word_boundaries(wording: str, text: str, language: str) -> None:
    assert right(gold((wording,)), text, language)


@pytest.mark.parametrize(
    ("wording", "text", "language"),
    [
        ("Ada", "Adams", "en"),
        ("Ada Mill", "Ada has a mill", "en"),
        ("8", "1.8 of them", "en"),
    ],
)
def test_other_names_are_not_found(wording: str, text: str, language: str) -> None:
    assert not right(gold((wording,)), text, language)


def test_aliases_in_the_question_or_short_and_in_another_case_do_not_count() -> None:
    question = gold(("Mill Works",), text="Who built Milly?")
    aliases = {"Mill Works": ["Milly", "IT", "Works of Mill"]}
    assert not right(question, "Milly was built by Ben.", aliases=aliases)
    assert not right(question, "Ben did it.", aliases=aliases)
    assert right(question, "Ben of IT did.", aliases=aliases)
    assert right(question, "The works of mill.", aliases=aliases)


def test_gold_answer_named_in_the_question_counts_if_it_is_the_only_one() -> None:
    text = "Which is older, Ulm or Bonn?"
    assert right(gold(("Ulm",), text=text), "Ulm is.")
    assert not right(gold(("Ulm",), ("Trier",), text=text), "Ulm is.")


@pytest.mark.parametrize(
    ("wording", "text", "language"),
    [
        ("1234", "1,234 mills", "en"),
        ("1234", "1.234 Mühlen", "de"),
        ("1234", "1 234 młyny", "pl"),
        ("3.5", "3,5 Meter", "de"),
        ("-5", "about −5 degrees", "en"),
        ("-5", "minus five degrees", "en"),
        ("8", "eight mills", "en"),
        ("21", "einundzwanzig Mühlen", "de"),
        ("31", "treinta y un molinos", "es"),
        ("28", "ventotto mulini", "it"),
        ("97", "quatre-vingt-dix-sept moulins", "fr"),
        ("22", "tweeëntwintig molens", "nl"),
        ("45", "quarenta e cinco moinhos", "pt"),
        ("21", "douăzeci și unu de mori", "ro"),
        ("21", "двадцать один", "ru"),
        ("5", "pięć młynów", "pl"),
        ("3", "तीन", "hi"),
        ("24", "بیست و چهار", "fa"),
        ("12", "१२", "hi"),
        ("3500000", "3,5 Millionen", "de"),
        ("8.1741E10", "$81.7 billion", "en"),
        ("381488", "about 381,000", "en"),
        ("1.9812", "6 feet 6 inches", "en"),
        ("20", "20 %", "en"),
        ("58", "ranked 58th", "en"),
        ("0.2", "20 %", "en"),
        ("8 minutes 20 seconds", "It takes 500 seconds.", "en"),
        ("2 hours 30 minutes", "2.5 hours", "en"),
        ("3/4", "0.75", "en"),
        ("1465 m", "It is 1464.7 m high.", "en"),
        ("5.37 million", "5,367,580", "en"),
        ("about 8 minutes", "eight minutes", "en"),
    ],
)
def test_numbers_are_found_by_value(wording: str, text: str, language: str) -> None:
    assert right(gold((wording,)), text, language)


@pytest.mark.parametrize(
    ("wording", "text", "language"),
    [
        ("5", "-5 degrees", "en"),
        ("8", "8 million", "en"),
        ("1", "one of the mills", "en"),
        ("1", "une rivière", "fr"),
        ("35", "3.5", "en"),
        ("1225", "1230", "en"),
        ("57100", "60,000", "en"),
        ("16", "Benedict XVI", "en"),
        ("5 hours 20 minutes", "about 5 hours 21 minutes", "en"),
        ("500 seconds", "501 seconds", "en"),
        ("320 minutes", "321 minutes", "en"),
        ("12", "12.4", "en"),
    ],
)
def test_other_numbers_are_not_found(wording: str, text: str, language: str) -> None:
    assert not right(gold((wording,)), text, language)


def test_one_separator_before_three_digits_is_read_by_language() -> None:
    assert [read_number("1.234", language) for language in ("en", "de", "pt_BR")] == [
        Decimal("1.234"),
        1234,
        1234,
    ]
    assert gold_numbers("1.234", "de") == {Decimal("1.234"), Decimal(1234)}
    assert read_number("1.234.567", "en") == 1234567
    assert read_number("0.234", "de") == Decimal("0.234")


def test_rounding_keeps_three_digits_and_is_for_decimals_and_large_numbers() -> None:
    assert Amount(Decimal("106.07")).is_met_by(quantity("106"))
    assert not Amount(Decimal("106.17")).is_met_by(quantity("106.1"))
    assert not Amount(Decimal(2001)).is_met_by(quantity("2000"))
    assert not Amount(Decimal(9_992)).is_met_by(quantity("9990"))
    assert Amount(Decimal(10_008)).is_met_by(quantity("10010"))


def test_quantities_are_added_where_the_second_is_less_than_one_of_the_first() -> None:
    assert [one.value for one in quantities(Reading("5 feet 11 inches", "en"))] == [5, 11, 71]
    assert [one.value for one in quantities(Reading("5 feet 12 inches", "en"))] == [5, 12]


def test_compound_numbers_end_where_they_should() -> None:
    assert [one.value for one in quantities(Reading("ninety-five and six", "en"))] == [95, 6]
    assert [one.value for one in quantities(Reading("dos mil millones", "es"))] == [2_000_000_000]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("in 1616", "en", True),
        ("on 23 April 1616", "en", True),
        ("April 23rd, 1616", "en", True),
        ("23. April 1616", "de", True),
        ("el 23 de abril de 1616", "es", True),
        ("23 апреля 1616 года", "ru", True),
        ("23/04/1616", "en", True),
        ("04-23-1616", "en", True),
        ("April 1616", "en", True),
        ("born 1564, died 1616", "en", True),
        ("22 April 1616", "en", False),
        ("May 1616", "en", False),
        ("3 mai 1616", "fr", False),
        ("24/04/1616", "en", False),
        ("1617", "en", False),
    ],
)
def test_date_is_met_by_its_year_unless_another_day_is_given(
    text: str, language: str, expected: bool
) -> None:
    words = tokens(text, language)
    found = [date_at(words, Day(1616, 4, 23), at, language) for at in range(len(words))]
    assert any(found) is expected
    assert right(gold(("1616-04-23",)), text, language) is expected


def test_first_of_january_stands_for_the_year() -> None:
    assert date_at(tokens("3 May 1888"), Day(1888, 1, 1), 2, "en")
    assert read_date("1888-01-01T00:00:00Z") == Day(1888, 1, 1)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Yes, but not often.", "en", True),
        ("The answer is yes. This follows from the table.", "en", True),
        ("By the list, the answer is: no. It was not there.", "en", False),
        ("Die Antwort lautet nein. So steht es dort.", "de", False),
        ("No, she was never there.", "en", False),
        ("She didn't go there.", "en", False),
        ("Nein.", "de", False),
        ("Sie hat keine Mühle.", "de", False),
        ("Elle n'a pas de moulin.", "fr", False),
        ("Sim, no Brasil.", "pt", True),
        ("Nu, nu are.", "ro", False),
        ("У неё нет мельницы.", "ru", False),
        ("Tak.", "pl", True),
        ("हाँ", "hi", True),
        ("خیر", "fa", False),
        ("Ada", "en", None),
        ("Is it so and why?", "en", None),
        ("I don't know.", "en", None),
        ("", "en", None),
    ],
)
def test_polarity(text: str, language: str, expected: bool | None) -> None:
    said = said_by(text, language)
    assert (said and said.is_yes) is expected


def test_yes_no_question_is_judged_by_polarity() -> None:
    question = Question("1", {}, answers=Answers(boolean=False))
    assert right(question, "No, it is not.")
    assert not right(question, "Yes.")
    assert not right(question, "I'm sorry, I don't know.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know", True),
        ("I'm sorry, but as an AI language model I can't say.", True),
        ("Lo siento, no tengo acceso.", True),
        ("К сожалению, я не знаю.", True),
        ("not known", True),
        ("He said sorry.", False),
    ],
)
def test_refusal(text: str, expected: bool) -> None:
    assert is_abstention(tokens(text)) is expected


def test_what_follows_a_refusal_is_read_and_the_refusal_is_not() -> None:
    text = "I'm sorry, I don't know all mills of Ulm. One is Ada Mill."
    assert AnswerText(text).asserted_parts("en") == ["One is Ada Mill."]
    assert right(gold(("Ada Mill",)), text)
    assert not right(gold(("Ulm",)), text)


@pytest.mark.parametrize(
    ("golds", "answer", "expected"),
    [
        (2, "Ben Weir", True),
        (3, "Ada Mill, Ada Mill and Ben Weir", True),
        (3, "Ada Mill, Ben Weir and Ulm", True),
        (3, "Bonn", False),
    ],
)
def test_one_of_several_gold_answers_is_enough(golds: int, answer: str, expected: bool) -> None:
    question = gold(*[("Ada Mill",), ("Ben Weir",), ("Ulm",)][:golds])
    assert right(question, answer) is expected


def test_long_answers_are_read_to_the_end() -> None:
    text = "mill one hundred " * 10_000
    assert right(gold(("Ada Mill",), ("77",)), text + "Ada Mill")


@pytest.mark.parametrize(
    "text", ["9" * 20_000, "1e999999999", "1" + ",000" * 5_000, "in 1616 " + "7" * 9_000]
)
def test_endless_digits_are_harmless(text: str) -> None:
    assert not right(gold(("12",)), text)
    assert right(gold(("1616-04-23",)), text) is ("1616" in text)
    assert some(exact_match(gold(("12",)), given(text))).tp == 0


#: One day as people write it, by language.
ONE_DAY = {
    "en": ["May 9, 1989", "9 May 1989", "9. May 1989", "1989-05-09", "9th of May 1989",
        "May 9th, 1989", "09.05.1989", "1989/5/9", "1989-05-09T00:00:00Z"],
    "de": ["9. Mai 1989", "am 9. Mai 1989"], "es": ["9 de mayo de 1989"],
    "fr": ["le 9 mai 1989", "09/05/1989"], "pl": ["9 maja 1989"], "ru": ["9 мая 1989 года"],
    "hu": ["1989. május 9."], "vi": ["ngày 9 tháng 5 năm 1989"], "zh": ["1989年5月9日"],
    "ko": ["1989년 5월 9일"], "fi": ["9. toukokuuta 1989"], "lt": ["1989 m. gegužės 9 d."],
}  # fmt: skip


@pytest.mark.parametrize("match", [exact_match, token_f1, contains])
@pytest.mark.parametrize("language", ONE_DAY)
def test_a_date_is_one_date_however_it_is_written(match: Matcher, language: str) -> None:
    for one in [*ONE_DAY["en"], *ONE_DAY[language]]:
        for other in ONE_DAY[language]:
            count = match(gold((one,)), given(other), language=language)  # type: ignore[call-arg]
            assert some(count).f1 == 1, (one, other)
            count = match(gold(("9 May 1990",)), given(other), language=language)  # type: ignore[call-arg]
            assert some(count).f1 < 1, other


@pytest.mark.parametrize("match", [exact_match, token_f1, contains])
@pytest.mark.parametrize(
    ("date", "others", "wrong"),
    [
        ("15/06/1215", ["06/15/1215", "15 June 1215", "June 15, 1215"], ["6 June 1215"]),
        ("3/4/1999", ["March 4, 1999"], ["3 April 1999"]),
        ("3.4.1999", ["3 April 1999", "April 3, 1999"], ["March 4, 1999"]),
        ("5/5/1999", ["5 May 1999"], ["5 April 1999"]),
    ],
)
def test_the_order_of_days_and_months_in_digits(
    match: Matcher, date: str, others: list[str], wrong: list[str]
) -> None:
    for one in others:
        assert some(match(gold((date,)), given(one))).f1 == 1, one
        assert some(match(gold((one,)), given(date))).f1 == 1, one
    assert not [one for one in wrong if some(match(gold((date,)), given(one))).f1 == 1]


def test_a_date_in_a_sentence_shares_its_words() -> None:
    count = token_f1(gold(("15 June 1215",)), given("It was sealed on 15/06/1215."))
    assert count == (3, 4, 0)


@pytest.mark.parametrize("text", ["24/7", "1/2/3", "31/31/1999", "1-800-5555", "99.99.1999"])
def test_what_is_no_date_stays_what_it_is(text: str) -> None:
    assert not {"january", "may", "december"} & set(normalise(text).split())
    assert some(exact_match(gold((text,)), given(text))).f1 == 1


@pytest.mark.parametrize("match", [exact_match, token_f1, contains])
@pytest.mark.parametrize(
    ("rows", "yes", "no"),
    [
        ([("no",), ("yes",)], "Yes", "No."),
        ([("true", "false")], "yes", "no"),
        ([("Tak",), ("NIE",), ("tak",)], "Tak.", "nie"),
    ],
)
def test_gold_answers_that_contradict_each_other_accept_either(
    match: Matcher, rows: list[tuple[str, ...]], yes: str, no: str
) -> None:
    question = Question("1", {"pl": ("Czy to młyn?",)}, answers=Answers(texts=tuple(rows)))
    for text in (yes, no):
        assert some(match(question, given(text), language="pl")).f1 == 1, text  # type: ignore[call-arg]
    for text in ("", "Ulm", "?"):
        assert some(match(question, given(text), language="pl")).f1 == 0, text  # type: ignore[call-arg]

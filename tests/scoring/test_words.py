"""Answers in words.

What `contains` takes for right, on invented answers in many languages and on answers judged by
hand.
"""

from __future__ import annotations

import csv
import itertools
import json
import random
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from by_rules import contains, said_by, verdict_on

import qaldgen as qg
from qaldgen.answers.record import Response
from qaldgen.model import Answers, Cell, Question
from qaldgen.scoring.verdict_model import MIN_SURE, Verdict, fitted_model
from qaldgen.scoring.words.contains import index_gold
from qaldgen.scoring.words.dates import Day, date_at, date_in_digits, read_date
from qaldgen.scoring.words.gold_amounts import Amount
from qaldgen.scoring.words.gold_names import GoldKey
from qaldgen.scoring.words.numbers import gold_numbers
from qaldgen.scoring.words.phrases import phrases
from qaldgen.scoring.words.quantities import quantities
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.short_answers import exact_match
from qaldgen.scoring.words.tokens import normalised, tokens, words_of

LABELS = Path(__file__).parent.parent / "data" / "labels"
BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


def verdict(
    answer: str,
    gold: Sequence[object],
    asked: str = "",
    language: str = "en",
    names: Sequence[str] = (),
) -> str:
    """Return what `contains` makes of an answer.

    The gold answers are local names, values, or one boolean.
    """
    if isinstance(gold[0], bool):
        answers = Answers(boolean=gold[0])
    else:
        texts = [str(one) for one in gold]
        answers = Answers(
            rows=tuple(
                (Cell("literal" if read_date(one) or gold_numbers(one) else "uri", one),)
                for one in texts
            )
        )
    question = Question("1", {language: (asked,)}, answers=answers)
    aliases = {str(gold[0]): list(names)} if names else None
    count = contains(
        question,
        Response("1", answers=Answers(texts=((answer,),))),
        language=language,
        aliases=aliases,
    )
    return "no verdict" if count is None else "right" if count == (1, 0, 0) else "wrong"


@pytest.mark.parametrize(
    ("gold", "answer", "language", "expected"),
    [
        ("Estonian_language", "Estonian", "en", "right"),
        ("Estonian_language", "Man spricht Estnisch.", "de", "right"),
        ("Estonian_language", "l'estonien", "fr", "right"),
        ("Estonian_language", "эстонский", "ru", "right"),
        ("Latvia", "It is an Estonian company.", "en", "wrong"),
        ("Guinea", "in Guinea", "en", "right"),
        ("Niger", "in Nigeria", "en", "wrong"),
        ("Ireland", "in the Republic of Ireland", "en", "right"),
        ("The_Walt_Disney_Company", "Disney World opened it.", "en", "wrong"),
        ("C++", "C++ mostly", "en", "right"),
        ("C++", "mostly C", "en", "wrong"),
        ("Java_(programming_language)", "JavaScript", "en", "wrong"),
        ("東京", "首都は東京です。", "ja", "right"),
        ("Thomas_Edison", "Not Edison but Tesla.", "en", "wrong"),
        ("Mill_Town", "It is in Milltown.", "en", "right"),
        ("The_Rapist", "a therapist", "en", "wrong"),
        ("Ilya_II", "Ilyaii", "en", "wrong"),
        ("Balak_Orin", "это Барак Олин", "ru", "wrong"),
    ],
)  # fmt: skip
def test_names(gold: str, answer: str, language: str, expected: str) -> None:
    assert verdict(answer, [gold], language=language) == expected


@pytest.mark.parametrize(
    ("gold", "alias", "answer", "expected"),
    [
        ("C_(programming_language)", "C", "It is written in C.", "right"),
        ("C_(programming_language)", "C", "It is written in C++.", "wrong"),
        ("C_(programming_language)", "C", "C#", "wrong"),
        ("C_Sharp_(programming_language)", "C#", "C", "wrong"),
        ("C_Sharp_(programming_language)", "C#", "It uses C#.", "right"),
        ("Walt_Disney_World", "Walt Disney", "Disney", "wrong"),
        ("Ilya_Mill", "Mill's", "the Mill family", "wrong"),
    ],
)
def test_aliases(gold: str, alias: str, answer: str, expected: str) -> None:
    assert verdict(answer, [gold], names=[alias]) == expected


def test_the_end_of_a_title_is_no_last_name() -> None:
    assert verdict("She is Sofia of Greece.", ["Paul_of_Greece"], "Who is it?") == "wrong"


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("in the '90s", "en"),
        ("between 1989 and 1991", "en"),
        ("5 March 1991", "en"), ("6 March 1990", "en"),
    ],
)  # fmt: skip
def test_another_time_is_not_the_day(answer: str, language: str) -> None:
    assert verdict(answer, ["1990-03-05"], language=language) == "wrong"
    assert verdict("1990", ["1990-03-05"], language=language) == "right"


@pytest.mark.parametrize("answer", ["Sept. 3, 1987", "3 Sept 1987", "Sep. 3, 1987"])
def test_a_month_cut_short_is_that_month(answer: str) -> None:
    assert verdict(answer, ["1987-09-03"], language="en") == "right"
    assert verdict(answer, ["3 September 1987"], language="en") == "right"
    assert verdict(answer, ["1987-10-03"], language="en") == "wrong"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("5/12/1999", "de", "5 december 1999"),
        ("5/13/1999", "de", "13 may 1999"),
        ("12/5/1999", "en", "5 december 1999"),
        ("5/12/1999", "en", "12 may 1999"),
        ("13/5/1999", "en", "13 may 1999"),
    ],
)
def test_only_a_number_above_twelve_is_surely_the_day(
    text: str, language: str, expected: str
) -> None:
    assert date_in_digits(text, language) == expected


@pytest.mark.parametrize(
    ("gold", "answer", "language", "expected"),
    [
        ("14. února 1896", "v říjnu 1896", "cs", "wrong"),
        ("14. října 1896", "v říjnu 1896", "cs", "right"),
        ("1896-10-14", "w październiku 1896", "pl", "right"),
        ("1896-10-14", "в ноябре 1896 года", "ru", "wrong"),
    ],
)
def test_a_month_is_read_in_every_case(
    gold: str, answer: str, language: str, expected: str
) -> None:
    question = Question("1", {language: ("?",)}, answers=Answers(texts=((gold,),)))
    given = Response("1", answers=Answers(texts=((answer,),)))
    count = contains(question, given, language=language)
    assert (count == (1, 0, 0)) == (expected == "right")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("On March 5.", "right"), ("On June 5.", "wrong"), ("March 6", "wrong")],
)
def test_a_date_without_a_year_needs_month_and_day(answer: str, expected: str) -> None:
    assert verdict(answer, ["--03-05"]) == expected


@pytest.mark.parametrize(("day", "agrees"), [("1", False), ("5", True), ("31", False)])
def test_the_first_and_the_last_of_a_month_are_days(day: str, agrees: bool) -> None:
    assert date_at((day, "march", "1990"), Day(1990, 3, 5), 2, "en") is agrees


@pytest.mark.parametrize(("texts", "fn"), [((("Ada",),), 1), ((), 0)])
def test_an_empty_answer_is_never_right(texts: tuple[tuple[str, ...], ...], fn: int) -> None:
    question = Question("1", {"en": ("Who?",)}, answers=Answers(texts=texts))
    assert contains(question, Response("1", answers=Answers(texts=(("",),)))) == (0, 0, fn)


@pytest.mark.parametrize(("joiners", "belongs"), [(5, True), (6, False)])
def test_a_month_up_to_six_words_from_a_year_belongs_to_it(joiners: int, belongs: bool) -> None:
    words = ("april", *["of"] * joiners, "1990")
    assert date_at(words, Day(1990, 3, 5), len(words) - 1, "en") is not belongs


@pytest.mark.parametrize(
    ("gold", "answer", "language", "expected"),
    [
        ("3.40841e10", "34,084 km²", "en", "right"),
        ("3.40841e10", "about 34,000 km2", "en", "right"),
        ("3.40841e10", "13,160 square miles", "en", "right"),
        ("3.40841e10", "34.084 Quadratkilometer", "de", "right"),
        ("3.40841e10", "34 084 kilomètres carrés", "fr", "right"),
        ("3.40841e10", "34,084 m²", "en", "wrong"),
        ("3.40841e10", "43,084 km²", "en", "wrong"),
        ("8848.0", "29,029 feet", "en", "right"),
        ("8848.86", "8.85 km", "en", "right"),
        ("381488", "about 380,000", "en", "right"),
        ("381488", "400,000", "en", "wrong"),
        ("8848", "It is about 8,850 m high.", "en", "right"),
        ("8848", "ungefähr 8.850 Meter", "de", "right"),
        ("8848", "about 8,600 m", "en", "wrong"),
        ("8848", "about 8,850 climbers", "en", "wrong"),
        ("8848", "8,850 m", "en", "wrong"),
        ("52", "about 51 minutes", "en", "wrong"),
        ("1987", "about 1990", "en", "wrong"),
        ("19", "The Model T was made for 19 years.", "en", "right"),
    ],
)
def test_values_in_units_and_rounded(gold: str, answer: str, language: str, expected: str) -> None:
    assert verdict(answer, [gold], language=language) == expected


def test_rounding_needs_two_digits_and_about_may_be_off() -> None:
    given = quantities(Reading("38 million, about 38.2 million, 40 million", "en"))
    assert [Amount(Decimal("38483957")).is_met_by(one) for one in given] == [True, True, False]


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        ("The Orms", "It was the orms.", "right"),
        ("Die Langen Orme", "Es waren Langen Orme.", "right"),
        ("The Orms", "North Valley Orms", "wrong"),
        ("The Orms", "Visit Orms tomorrow", "wrong"),
        ("The Long Orms", "It was Long Orms.", "right"),
        ("Orms", "The Orms", "right"),
    ],
)
def test_the_article_of_a_name_may_be_left_out(gold: str, answer: str, expected: str) -> None:
    language = "de" if gold.startswith("Die") else "en"
    assert verdict(answer, [gold], language=language) == expected


NO = {
    "zh": ["不是。", "没有。", "否", "不，她没有。", "不对", "沒有"], "ja": ["いいえ", "違います"],
    "ko": ["아니요", "아닙니다"],
    "ar": ["لا، ليس كذلك.", "كلا"], "he": ["לא."], "tr": ["Hayır."], "vi": ["Không."],
    "th": ["ไม่ใช่"], "bn": ["না"],
    "el": ["Όχι."], "nb": ["Nei."], "pt_BR": ["Não."], "zh-Hant": ["不是"],
    "sv": ["Nej."], "fi": ["Ei."], "hu": ["Nem."], "cs": ["Ne."], "uk": ["Ні."], "id": ["Tidak."],
    "de": ["Nein.", "Das stimmt nicht."],
    "en": ["No.", "That is false.", "**Answer:** No", "Well, so the answer is no.",
    "<think>Yes? Yes.</think> No.", "It has not happened.", "❌"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in NO.items() for text in texts]
)
def test_no_is_no(language: str, text: str) -> None:
    assert verdict(text, [False], "?", language) == "right"
    assert verdict(text, [True], "?", language) == "wrong"


YES = {
    "zh": ["是的", "对", "有", "没错"], "ja": ["はい"], "ko": ["네"], "ar": ["نعم"], "he": ["כן"],
    "tr": ["Evet."], "vi": ["Có."],
    "th": ["ใช่"], "bn": ["হ্যাঁ"], "el": ["Ναι."], "sv": ["Ja."], "uk": ["Так."],
    "pt": ["Sim, no Brasil."], "ro": ["Da."],
    "en": ["Yes.", "That is correct.", "**Yes**", "<think>No!</think>Yes", "\\boxed{\\text{Yes}}",
        '{"answer": true}', "👍"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in YES.items() for text in texts]
)
def test_yes_is_yes(language: str, text: str) -> None:
    assert verdict(text, [True], "?", language) == "right"
    assert verdict(text, [False], "?", language) == "wrong"


@pytest.mark.parametrize("text", ["Whales live in the sea.", "Perhaps.", "I don't know.", "Is it?"])
@pytest.mark.parametrize("truth", [True, False])
def test_what_says_neither_is_never_right(text: str, truth: bool) -> None:
    assert verdict(text, [truth], "Is Ada Mill a doctor?") == "wrong"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("sw", "Ndiyo."),
        ("sw", "Hapana, nyangumi si samaki."),
        ("eu", "Bai."),
        ("ka", "დიახ"),
        ("am", "አዎ"),
        ("xx", "Blah."),
    ],
)
def test_a_language_without_rules_gets_no_verdict(language: str, text: str) -> None:
    assert [verdict(text, [truth], "?", language) for truth in (True, False)] == [
        "no verdict",
        "no verdict",
    ]


def test_a_statement_without_a_question_in_its_language_is_not_judged() -> None:
    asked = {"en": ["Does she live there?"]}
    assert said_by("Ela mora no moinho velho.", "pt", asked) is None


@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        ("Is Ada alive?", "Ada is alive and well.", True),
        ("Is Ada dead?", "She has not died.", False),
        ("Is Paris the capital of France?", "Paris is the capital of France.", True),
    ],
)
def test_statements_about_the_question(asked: str, answer: str, expected: bool | None) -> None:
    said = said_by(answer, "en", {"en": [asked]})
    assert said is not None
    assert said.is_yes is expected


@pytest.mark.parametrize(
    ("asked", "language", "answer", "expected"),
    [
        ("Did Ada mill?", "en", "Without a doubt.", True),
        ("Did Ada mill?", "en", "Y.", True),
        ("Did Ada mill?", "en", "n", False),
        ("Did Ada mill?", "en", "No one knows.", None),
        ("Hat Ada gemahlen?", "de", "Na klar!", True),
        ("¿Ada vive en Ulm?", "es", "Sin duda.", True),
        ("¿Ada vive en Ulm?", "es", "No, vive en Bonn.", False),
        ("Ada vit à Ulm ?", "fr", "Il ne fait aucun doute qu'Ada vit à Ulm.", True),
        ("Ada mora em Ulm?", "pt", "Sem dúvida.", True),
        ("Czy Ada mieszka w Ulm?", "pl", "Bez wątpienia.", True),
        ("Czy Ada mieszka w Ulm?", "pl", "Nie ma wątpliwości, że Ada mieszka w Ulm.", True),
        ("Ада живёт в Ульме?", "ru", "Без сомнения.", True),
        ("هل تعيش آدا في أولم؟", "ar", "لا شك في ذلك", True),
        ("Woont Ada in Ulm?", "nl", "Zonder twijfel.", True),
    ],
)
def test_what_only_looks_like_a_negation_affirms(
    asked: str, language: str, answer: str, expected: bool | None
) -> None:
    said = said_by(answer, language, {language: [asked]})
    assert said is not None
    assert said.is_yes is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It won fifteen, twenty and thirty games.", [15, 20, 30]),
        ("Twenty , forty or fifty", [20, 40, 50]),
        ("ten,\ntwelve, fourteen", [10, 12, 14]),
        ("eleven, ten", [11, 10]),
        ("twenty, thirtysomething", [20]),
    ],
)
def test_a_list_of_numbers_is_not_a_year(text: str, expected: list[int]) -> None:
    assert [int(one.value) for one in quantities(Reading(text, "en"))] == expected


@pytest.mark.parametrize(
    ("word", "language"),
    [("tausendschön", "de"), ("Hundertwasser", "de"), ("Milano", "it"), ("hundratals", "sv")],
)
def test_a_word_that_contains_a_number_is_none(word: str, language: str) -> None:
    assert quantities(Reading(word, language)) == []


def test_every_language_with_a_no_has_a_yes() -> None:
    assert (
        phrases("no").keys() | phrases("no-word").keys()
        == phrases("yes").keys() | phrases("yes-word").keys()
    )


@pytest.mark.parametrize("stop", [", ", ". ", "/", " – ", "\n"])
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", {15: "fifteen", 20: "twenty", 22: "twenty-two", 200: "two hundred", 5: "five"}),
        ("fr", {60: "soixante", 10: "dix", 4: "quatre", 20: "vingt", 300: "trois cents"}),
        ("es", {30: "treinta", 2: "dos", 16: "dieciséis", 100: "cien"}),
        ("ru", {20: "двадцать", 5: "пять", 100: "сто"}),
        ("tr", {20: "yirmi", 5: "beş", 100: "yüz"}),
        ("zh", {20: "二十", 3: "三", 40: "四十"}),
    ],
)
def test_a_stop_ends_a_number_in_words(language: str, words: dict[int, str], stop: str) -> None:
    for first, second in itertools.pairwise([*words, *words]):
        text = f"{words[first]}{stop}{words[second]}"
        found = [int(one.value) for one in quantities(Reading(text, language))]
        assert found == [first, second], text


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("two hundred and three hundred", 200), ("two thousand and three thousand", 3000),
        ("six feet, two inches: it is twenty\u2011two", 22),
    ],
)  # fmt: skip
def test_a_number_in_words_goes_on(answer: str, gold: int) -> None:
    assert verdict(answer, [str(gold)]) == "right"


@pytest.mark.parametrize(
    "number", ["0." + "0" * 60 + "1", "9" * 60, "1e400", "1e-400", "0." + "3" * 50]
)
def test_endless_digits_are_no_hit_and_no_error(number: str) -> None:
    golds, units = (
        ("8.0E7", "27", "4.5e-07", "0.1", "123456789"),
        ("", " km", " °F", " million", " %"),
    )
    for gold, unit in itertools.product(golds, units):
        assert verdict(f"It is about {number}{unit}.", [gold]) == "wrong", (gold, unit)


@pytest.mark.parametrize("language", sorted(phrases("abstention-at-start")))
def test_not_knowing_is_not_a_no(language: str) -> None:
    said = [
        said_by(f"{phrase.capitalize()}.", language, {language: ["x"]})
        for phrase in phrases("abstention-at-start")[language]
    ]
    assert all(one is None or one.is_yes is None for one in said)


@pytest.mark.parametrize("kind", ["yes-word", "yes", "no-word", "no"])
def test_a_verdict_is_not_taken_for_not_knowing(kind: str) -> None:
    """The two lists of phrases do not contradict each other, in any language."""
    unknown = {
        (own, tokens(phrase))
        for own, row in phrases("abstention-at-start").items()
        for phrase in row
    }
    verdicts = {(own, tokens(phrase)) for own, row in phrases(kind).items() for phrase in row}
    assert not unknown & verdicts


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Not sure. No.", "en", "no"), ("No idea, but yes.", "en", "yes"),
        ("There is not enough information.", "en", "neither"),
        ("There is not enough water.", "en", "no"), ("没有相关性。", "zh", "no"),
("The whale is a fish: true.", "en", "yes"),
        ("Let me think. Is the whale a fish? No, it is not.", "en", "no"),
        ("没问题", "zh", "yes"),
        ("不用说,鲸鱼不是鱼。", "zh", "no"), ("不知道。", "zh", "neither"),
        ("不,不知道的人不多。", "zh", "no"),
    ],
)  # fmt: skip
def test_verdicts_in_other_places(text: str, language: str, expected: str) -> None:
    asked = {
        "en": ["Is the whale a fish?"],
        "de": ["Ist der Wal ein Fisch?"],
        "zh": ["鲸鱼是鱼吗?"],
    }
    said = said_by(text, language, asked)
    assert said is not None
    assert {True: "yes", False: "no", None: "neither"}[said.is_yes] == expected


@pytest.mark.parametrize(
    ("gold", "answer", "language", "expected"),
    [
        ("http://www.mill.org/", "mill.org", "en", "right"),
        ("http://mill.org", "See https://www.mill.org/.", "en", "right"),
        ("http://mill.org", "mill.com", "en", "wrong"),
        ("http://mill.org", "A mill", "en", "wrong"),
        ("8.917e8", "891,7 кв. км", "ru", "right"), ("8.917e8", "891,7 кв. м", "ru", "wrong"),
        ("Republic_of_the_Congo", "the Republic of the Congo", "en", "right"),
        ("Democratic_Republic_of_the_Congo", "Democratic Republic of the Congo", "en", "right"),
    ],
)  # fmt: skip
def test_addresses_areas_and_republics(
    gold: str, answer: str, language: str, expected: str
) -> None:
    assert verdict(answer, [gold], "", language) == expected


def test_a_web_address_as_a_text() -> None:
    """Tables of questions have addresses as texts, not as IRIs."""
    question = Question("1", {}, answers=Answers(texts=(("http://mill.org",),)))
    response = Response("1", answers=Answers(texts=(("It is https://www.mill.org/",),)))
    assert contains(question, response) == (1, 0, 0)


def test_invented_answers() -> None:
    """330 answers in many languages, with the verdict that a reader gives."""
    lines = (LABELS / "invented-answers.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    same = [verdict(row[4], row[2], row[1], row[0], row[3]) == row[5] for row in rows]
    assert len(rows) == 330
    assert sum(same) >= 270


def guess(answer: str, gold: Sequence[str], language: str = "en") -> Verdict:
    """Return the more probable verdict on an answer to a question whose gold answers are names."""
    answers = Answers(texts=tuple((name,) for name in gold))
    found = verdict_on(
        Question("1", {language: ("Who?",)}, answers=answers),
        Response("1", answers=Answers(texts=((answer,),))),
        language=language,
    )
    assert found is not None
    return found


def test_a_gold_name_that_stands_in_a_wrong_answer_is_not_surely_right() -> None:
    """203 pairs made to mislead, and 30 with more than one clause that nothing was fitted to."""
    names = ("surroundings.jsonl", "clauses.jsonl")
    texts = [(LABELS / name).read_text(encoding="utf-8") for name in names]
    lines = [line for text in texts for line in text.splitlines()]
    misled = []
    for language, _, gold, _, answer, told in map(json.loads, lines):
        found = guess(answer, gold, language)
        if told == "wrong" and found.counts.tp and found.probability >= MIN_SURE:
            misled.append(answer)
    assert len(lines) == 233 and not misled


@pytest.mark.parametrize(
    ("gold", "answer", "language"),
    [
        ("Anna Roth", "Karl Roth", "en"),
        ("Anna Roth", "It was built by Karl Roth.", "en"),
        ("Jan Kos", "Piotr Kos", "pl"),
    ],
)
def test_another_name_in_the_place_of_one_word_is_wrong(
    gold: str, answer: str, language: str
) -> None:
    assert guess(answer, [gold], language).counts == (0, 1, 1)


def test_a_refusal_is_right_where_the_gold_answer_is_one() -> None:
    assert guess("Unknown", ["Unknown"]).counts == (1, 0, 0)
    assert guess("Unknown", ["Ada Mill"]).counts == (0, 1, 1)


@pytest.mark.parametrize(
    ("gold", "answer", "language", "expected"),
    [
        ("18 years", "She is 18.", "en", "right"),
        ("18 years", "She is 19.", "en", "wrong"),
        ("18 years", "She waited 18 days.", "en", "wrong"),
        ("2850 km", "about 2,850 kilometers", "en", "right"),
        ("2850 km", "2,850 kilometres", "en", "right"),
        ("40 miles", "40 kilometres", "en", "wrong"),
        ("2850 km", "2.850 Kilometer", "de", "right"),
        ("2850 km", "285 km", "en", "wrong"),
        ("20 percent", "20%", "en", "right"),
        ("20 процентов", "20 %", "ru", "right"),
        ("6 meters", "19 feet 9 inches (6.02 meters)", "en", "right"),
        ("12 Stunden", "Es dauert zwölf Stunden.", "de", "right"),
        ("23 episodes", "There are 23 of them.", "en", "right"),
        ("12 Weirs", "There are 12 of them.", "en", "wrong"),
        ("55 57 centimeters", "between 55 and 57 cm", "en", "right"),
        ("55 57 centimeters", "57 cm", "en", "wrong"),
        ("Ulm", "I cannot verify this, but the town is Ulm.", "en", "right"),
        ("Ulm", "Ich kann das nicht überprüfen, aber die Stadt ist Ulm.", "de", "right"),
        ("Ulm", "Je ne sais pas exactement, mais c'est Ulm.", "fr", "right"),
        ("Ulm", "I don't know Ulm.", "en", "wrong"),
        ("MRX", "公司是MRX。", "zh", "right"),
        ("MRX", "会社はMRXです。", "ja", "right"),
        ("MRX", "회사는 MRX입니다.", "ko", "right"),
        ("1234", "有1,234人。", "zh", "right"),
    ],
)
def test_units_refusals_and_capitals(gold: str, answer: str, language: str, expected: str) -> None:
    question = Question("1", {language: ("?",)}, answers=Answers(texts=((gold,),)))
    count = contains(
        question, Response("1", answers=Answers(texts=((answer,),))), language=language
    )
    assert (count == (1, 0, 0)) == (expected == "right")


@pytest.mark.parametrize(
    ("asked", "answer", "language"),
    [
        (
            "which part of the guild mends mills in ulm",
            "In Ulm, the part of the guild that mends mills is the mending part.",
            "en",
        ),
        ("welche Zunft baut Mühlen in Ulm", "In Ulm baut die mending part Mühlen.", "de"),
        ("Which is older, the mending part or Bonn?", "The mending part is older.", "en"),
    ],
)
def test_an_answer_may_restate_the_question(asked: str, answer: str, language: str) -> None:
    assert verdict(answer, ["mending_part"], asked, language) == "right"


def doubt_of(answer: str, *golds: str, language: str = "en", asked: str = "Who?") -> Verdict:
    """Return the verdict on an answer to a question with some gold answers."""
    texts = tuple((gold,) for gold in golds)
    question = Question("1", {language: (asked,)}, answers=Answers(texts=texts))
    given = Response("1", answers=Answers(texts=((answer,),)))
    found = verdict_on(question, given, language=language)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("Ada Mill", "Ada Mill"),
        ("Ada Mill", "It is Ada Mill, not Ben."),
        ("57100", "It had 57,100."),
        ("0", "It has 0 parts."),
        ("Ulm, Texas", "Ulm, Texas"),
        ("3-2", "It ended 3-2."),
        ("-5", "minus 5"),
        ("Newt Mill", "sung by Newt Mill1."),
        ("yes", "Yes."),
    ],
)
def test_an_answer_that_says_the_gold_is_right(gold: str, answer: str) -> None:
    assert doubt_of(answer, gold).counts.tp == 1


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("Ada Mill", "Zoe Quint"),
        ("1905", "In 1906."),
        ("57100", "About 64,000."),
        ("3-2", "2-3"),
        ("-5", "5"),
        ("Ada Mill", "It was not Ada Mill."),
        ("Ulm", "Bonn, not in Ulm"),
        ("7", "Nobody knows."),
        ("Ulm, Texas", "Ulm, France"),
    ],
)
def test_an_answer_that_says_something_else_is_wrong(gold: str, answer: str) -> None:
    assert doubt_of(answer, gold).counts.tp == 0


@pytest.mark.parametrize(
    ("gold", "answer", "sign"),
    [
        ("Ada Mill", "It may be Ada Mill.", "hedge"),
        ("57100", "About 60,000.", "near"),
        ("yes", "The mill is blue.", "unsaid"),
        ("Ulmia", "Equatorial Ulmia", "added"),
        ("Ulmia", "Ulmia's capital", "added"),
        ("Ulmia", "the north of Ulmia", "added"),
        ("Ulmia", "across the river from Ulmia", "added"),
        ("Ada Mill", "a portrait by Ada Mill", "added"),
        ("12", "12 %", "added"),
        ("12", "12 per year", "added"),
        ("12", "12+", "added"),
        ("12", "12th", "added"),
        ("12", "12 km", "added"),
        ("1954", "1954 BC", "added"),
        ("Ada Mill", "Ada Mill did not write it; Bo Kim did.", "negated"),
        ("5", "I think 5 or 6", "rival"),
        ("5", "5-6", "added"),
        ("Aton", "Aton, Beton, Ceton, Deton", "rival"),
        ("0", "none", "unsaid"),
        ("0", "He had no children", "unsaid"),
        ("1969", "in 196912.", "glued"),
        ("Ulm, Texas", "Ulm", "part"),
        ("025", "25", "part"),
        ("025", "<think>20 + 5</think> \\boxed{25}", "part"),
        ("025", "20 + 5 = 25\n#### 25", "part"),
        ("non", "Non, Ulm est une ville.", "added"),
        ("Ada Zora Mill", "Ada Mill", ""),
    ],
)
def test_a_name_that_stands_in_an_answer_may_be_no_answer(
    gold: str, answer: str, sign: str
) -> None:
    found = doubt_of(answer, gold)
    assert found.probability < MIN_SURE
    assert found.sign == sign


@pytest.mark.parametrize(
    ("asked", "gold", "answer"),
    [
        ("How many bridges?", "12", "12 bridges"),
        ("What share?", "12 %", "12 percent"),
        ("How far?", "12 km", "12 kilometers"),
        ("When was the fair opened?", "1954", "It opened in 1954 with a fair of books and prints."),
        ("Which city?", "Ulmia", "the city of Ulmia"),
        ("Who has written it?", "Ada Mill", "It was written by Ada Mill."),
    ],
)
def test_what_was_asked_for_may_be_attached_to_a_gold_answer(
    asked: str, gold: str, answer: str
) -> None:
    question = Question("1", {"en": (asked,)}, answers=Answers(texts=((gold,),)))
    found = verdict_on(question, Response("1", answers=Answers(texts=((answer,),))))
    assert found is not None and found.counts.tp and found.probability >= MIN_SURE


@pytest.mark.parametrize(
    ("gold", "answer", "sure"),
    [
        ("34084 km²", "34,084 km² (13,159 sq mi)", True),
        ("34084 km²", "34,084 km² (15,000 sq mi)", False),
        ("1.88 metre", "6 ft 2 in (1.88 m)", True),
        ("5000000", "5 million (5,000,000)", True),
        ("12 km", "12 km or 7.5 miles", True),
        ("12 km", "12 km or 9 miles", False),
    ],
)
def test_an_equal_value_is_no_other_answer(gold: str, answer: str, sure: bool) -> None:
    found = doubt_of(answer, gold, asked="How much?")
    assert found.counts.tp
    assert (found.probability >= MIN_SURE) is sure


def test_a_negation_of_the_question_is_none_of_the_answer() -> None:
    answer = "The song No Mill was written by Ada Roth."
    assert doubt_of(answer, "Ada Roth", asked="Who wrote the song No Mill?").probability >= MIN_SURE
    assert doubt_of(answer, "Ada Roth", asked="Who wrote the song?").probability < MIN_SURE


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_each_variant_is_read_whatever_its_place(order: tuple[int, ...]) -> None:
    numbers = [("15", "18", "13")[at] for at in order]
    days = [("15 May 1940", "10 May 1940", "spring")[at] for at in order]
    for variants, answer in ((numbers, "18"), (numbers, "It is 13."), (days, "on May 10, 1940")):
        question = Question("1", {"en": ("Which?",)}, answers=Answers(texts=(tuple(variants),)))
        given = Response("1", answers=Answers(texts=((answer,),)))
        assert contains(question, given) == (1, 0, 0)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("unanswerable", True),
        ("N/A", True),
        ("I cannot answer this from the text.", True),
        ("There is no king of Ulm.", True),
        ("Bo", False),
    ],
)
def test_a_refusal_may_be_right_where_there_is_no_answer(answer: str, right: bool) -> None:
    question = Question("1", {"en": ("Who?",)}, answers=Answers())
    given = Response("1", answers=Answers(texts=((answer,),)))
    found = verdict_on(question, given)
    assert found is not None
    assert (found.counts == (0, 0, 0)) is right
    assert (found.probability < MIN_SURE) is right


@pytest.mark.parametrize(
    ("golds", "answer", "right", "guess"),
    [
        (1, "Ada", True, False),
        (2, "Ada", True, True),
        (2, "Ada and Ben", True, False),
        (2, "Perhaps Ada", True, True),
        (3, "Ada", True, True),
        (3, "Ada and Ben", True, True),
        (6, "Ade", False, False),
    ],
)
def test_one_of_several_gold_answers_is_no_sure_verdict(
    golds: int, answer: str, right: bool, guess: bool
) -> None:
    names = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz")[:golds]
    found = doubt_of(answer, *names)
    assert bool(found.counts.tp) is right
    assert (found.probability < MIN_SURE) is guess


def test_names_in_another_script_make_a_guess() -> None:
    assert doubt_of("这是Thomas Miller。", "帕尔默", language="zh").sign == "script"


@pytest.fixture(scope="module")
def judged(shared_data: Path) -> tuple[ModuleType, Any]:
    """The script that fits the model, and judged answers of small lists with their signs."""
    sys.path.insert(0, str(BENCHMARKS))
    import text_agreement

    if not (shared_data / "judged").is_dir():
        pytest.skip(f"the judged answers are not at {shared_data}; set QALDGEN_TEST_DATA")
    return text_agreement, text_agreement.judged_signs(text_agreement.judged_pairs())


@pytest.mark.parametrize(
    ("part", "size", "least", "surely"),
    [
        ("QALD-9, the 834", 831, 0.95, 0.96),
        ("QALD-9, the 200", 104, 0.89, 0.96),
        ("MKQA, the 200", 96, 0.90, 0.98),
        ("QALD-9, the 180", 120, 0.9, 0.91),
        ("MKQA, the 180", 60, 0.86, 0.95),
    ],
)
def test_verdicts_agree_with_judgments_by_hand_and_sure_ones_more(
    judged: tuple[ModuleType, Any], part: str, size: int, least: float, surely: float
) -> None:
    script, answers = judged
    run = script.judge_run(answers, answers.run == part, fitted_model())
    agree = (run.chance > 1 / 2) == run.right
    sure = abs(run.chance - 1 / 2) >= MIN_SURE - 1 / 2
    assert len(agree) == size
    assert agree.mean() >= least
    assert sure.mean() >= 0.64
    assert agree[sure].mean() >= surely


def test_the_model_of_verdicts_is_fitted_again_by_the_benchmark(
    judged: tuple[ModuleType, Any],
) -> None:
    script, answers = judged
    model = script.fit(answers, answers.data == "QALD-9")
    assert model.right["hedge"] <= 0 <= model.wrong["share"]
    assert set(model.right) == set(fitted_model().right)
    assert set(model.wrong) == set(fitted_model().wrong)


def test_a_family_of_rules_that_is_switched_off_is_missed(judged: tuple[ModuleType, Any]) -> None:
    script, answers = judged
    of = [at for at, run in enumerate(answers.run) if run == "QALD-9, the 200"]
    without = script.without("units", [answers.pairs[at] for at in of])
    right = sum(answers.signs[at].right == answers.right[at] for at in of)
    assert (
        sum(
            signs is not None and signs.right == answers.right[at]
            for at, signs in zip(of, without, strict=True)
        )
        < right
    )


def test_judgments_are_ids_and_verdicts_only() -> None:
    with (LABELS / "blind-answers.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {row["verdict"] for row in rows} == {"right", "wrong"}
    assert {row["sure"] for row in rows} == {"sure", "unsure"}
    assert len({(row["system"], row["id"], row["language"]) for row in rows}) == len(rows)


PIECES = (
    *(
        "120",
        "万",
        "約",
        "km²",
        "½",
        "Ⅳ",
        "１２",
        "3.5",
        "-",
        "1,234.5.6",
        "٣٫٥",
        "C++",
        ".NET",
        "U.S.A.",
        "Straße",
        "ﬁ",
        "e\u0301",
    ),
    *(
        "東京",
        "กรุง",
        "서울",
        "दिल्ली",
        "لا",
        "\u200d",
        "\u200c",
        " ",
        "\n",
        "'",
        "№",
        "㎞",
        "①",
        "ﷺ",
        "℃",
        "İ",
        "ŉ",
        "2021-05-06",
    ),
    *(
        "10.5.2020",
        "%",
        "\ufeff",
        "\x00",
        "👨\u200d👩",
        "\xa0",
        "not ",
        "no ",
        "May ",
        "million ",
        "1990s",
        "and ",
        "Ulm ",
        "？",
        "。",
    ),
)


def random_texts(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(PIECES, k=rng.randrange(1, 8))) for _ in range(count)]


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_every_token_has_its_place(language: str) -> None:
    for text in random_texts(3, 1500):
        source = normalised(text)
        words = words_of(source, language)
        assert tokens(text, language) == tuple(form for form, _ in words), text
        assert all(0 <= start <= end <= len(source) for _, (start, end) in words), text


@pytest.mark.parametrize("gold", ["1200000", "3.5", "1990-05-06", "Ulm", True])
def test_any_text_gets_a_verdict(gold: object) -> None:
    for number, text in enumerate(random_texts(4, 500)):
        language = ("en", "zh", "ja", "ru", "ar", "sw")[number % 6]
        assert verdict(text, [gold], "Is it?", language) in {"right", "wrong", "no verdict"}, text


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("1.2 million", "en"), ("$1.2m", "en"), ("for £1.2 m.", "en"), ("1,2 Mio.", "de"),
        ("12 लाख", "hi"), ("120万", "zh"), ("約120万人", "ja"), ("120만 명", "ko"),
        ("1.200.000", "tr"), ("1 200 000", "cs"), ("1,200,000", "en"), ("1.200.000", "el"),
    ],
)  # fmt: skip
def test_large_numbers_in_many_languages(answer: str, language: str) -> None:
    assert verdict(answer, ["1200000"], language=language) == "right"
    assert verdict(answer, ["120"], language=language) == "wrong"


@pytest.mark.parametrize(("gold", "answer", "expected"), [
    ("-0525", "about 525 BC", "right"), ("-0525", "525 AD", "wrong"), ("-0455", "446 BC", "wrong"),
    ("-0355-07-20", "20 July 356 BC", "right"), ("-0356-07-20", "20 July 355 BC", "wrong"),
    ("-0355", "356", "wrong"), ("-0525", "-525", "right"),
    ("-0044-03-15", "15 March 44 BC", "right"), ("-0044-03-15", "15 March 44 AD", "wrong"),
    ("-0044-03-15", "-0044-03-15", "right"), ("-0044-03-15", "15 March 44", "right"),
    ("-0480-08-20", "20 августа 480 до н. э.", "right"),
    ("0079-10-24", "24. Oktober 79 n. Chr.", "right"), ("0079-10-24", "24 Oct 79 BCE", "wrong"),
    ("1990-05-10", "On 10 May 1990 AC Milan won.", "right"),
])  # fmt: skip
def test_the_era_of_a_year_counts_where_it_is_said(gold: str, answer: str, expected: str) -> None:
    assert verdict(answer, [gold]) == expected


@pytest.mark.parametrize(("answer", "expected"), [
    ("1990-01-01", "wrong"), ("1990-05-05", "wrong"), ("10/10/1990", "wrong"),
    ("1990-05-10", "right"), ("10.05.1990", "right"), ("5/1990", "right"), ("1990", "right"),
])  # fmt: skip
def test_one_number_is_not_both_day_and_month_of_a_date(answer: str, expected: str) -> None:
    assert verdict(answer, ["1990-05-10"]) == expected


@pytest.mark.parametrize(("gold", "answer", "expected"), [
    ("12", "共有十二座", "right"), ("12座", "共有十二座", "right"), ("3050", "三千零五十", "right"),
    ("2003", "二〇〇三年", "right"), ("35000", "3万5千", "right"), ("120000", "12 万", "right"),
    ("3000000000000", "3万亿", "right"), ("123450000", "1億2345万人", "right"),
    ("10", "共有十二座", "wrong"), ("2", "共有十二座", "wrong"), ("12", "一、二", "wrong"),
])  # fmt: skip
@pytest.mark.parametrize("language", ["zh", "ja", "en"])
def test_chinese_numerals(gold: str, answer: str, expected: str, language: str) -> None:
    assert verdict(answer, [gold], language=language) == expected


@pytest.mark.parametrize(("gold", "language"), [
    ("2003年", "ja"), ("2003年", "zh"), ("2003년", "ko"), ("2003 год", "ru"), ("2003 rok", "pl"),
])  # fmt: skip
def test_a_year_with_its_word_is_no_rounded_length_of_time(gold: str, language: str) -> None:
    assert verdict(gold, [gold], language=language) == "right"
    assert verdict(gold.replace("2003", "2005"), [gold], language=language) == "wrong"


@pytest.mark.parametrize(
    ("gold", "answer", "language", "expected"),
    [
        ("no", "No, Mill Hill is a hamlet.", "en", "right"),
        ("no", "Yes, it is.", "en", "wrong"),
        ("No.", "<think>Yes? No.</think> **Answer:** no", "en", "right"),
        ("Yes", "That is correct.", "en", "right"),
        ("TRUE", "Yes, it is.", "en", "right"),
        ("tak", "Tak, to jest miasto.", "pl", "right"),
        ("nie", "Tak, to jest miasto.", "pl", "wrong"),
        ("sí", "No, no lo es.", "es", "wrong"),
        ("sí", "Sí, lo es.", "es", "right"),
        ("否", "不是。", "zh", "right"),
        ("no", "不是。", "zh", "right"),
        ("yes", "不是。", "zh", "wrong"),
        ("はい", "いいえ。", "ja", "wrong"),
        ("ndiyo", "Ndiyo, ni mji.", "sw", "right"),
    ],
)
@pytest.mark.parametrize("as_text", [True, False])
def test_gold_that_is_a_word_for_yes_or_no_is_read_as_such(
    gold: str, answer: str, language: str, expected: str, as_text: bool
) -> None:
    answers = Answers(texts=((gold,),)) if as_text else Answers(rows=((Cell("literal", gold),),))
    question = Question(
        "1",
        {language: ("Is Mill Hill a town?" if language == "en" else "Mill Hill?",)},
        answers=answers,
    )
    count = contains(
        question, Response("1", answers=Answers(texts=((answer,),))), language=language
    )
    assert (count == (1, 0, 0)) == (expected == "right")


def test_words_for_yes_or_no_are_no_verdict_where_there_are_other_answers() -> None:
    question = Question(
        "1", {"en": ("Which words has the sign?",)}, answers=Answers(texts=(("No",), ("Entry",)))
    )
    assert contains(question, Response("1", answers=Answers(texts=(("Entry",),)))) == (1, 0, 0)


@pytest.mark.parametrize(
    ("gold", "given", "right"),
    [("no", "No.", 1), ("no", "false", 1), ("no", "Yes", 0), ("yes", "No", 0)],
)
def test_exact_match_takes_every_word_for_no_that_stands_alone(
    gold: str, given: str, right: int
) -> None:
    question = Question("1", {"en": ("Is Mill Hill a town?",)}, answers=Answers(texts=((gold,),)))
    count = exact_match(question, Response("1", answers=Answers(texts=((given,),))))
    assert count is not None
    assert count.tp == right


@pytest.mark.parametrize(
    ("gold", "equal", "other"),
    [
        ("x=-3", "So x = -3.", "x = 3"),
        ("(3,-1)", "It is (3, -1).", "(3, 1)"),
        (r"\frac{1}{2}", r"$\dfrac12$", r"-\frac{1}{2}"),
        ("10^{-3}", "10⁻³", "10^{3}"),
        ("x<5", "x < 5", "x > 5"),
        ("[0,5)", "the interval [0, 5)", "(0,5]"),
        (r"2\sqrt{3}", r"2\sqrt3", r"-2\sqrt{3}"),
        ("$1,2$", "They are 1, 2.", "1.2"),
        ("$-3$", "The answer is -3.", "The answer is 3."),
        ("3", "The answer is - 3.", "The answer is -3."),
        (r"\frac{15}{2}", "15/2", "15"),
    ],
)
def test_the_signs_of_a_formula_count(gold: str, equal: str, other: str) -> None:
    question = Question("1", {"en": ("What is it?",)}, answers=Answers(texts=((gold,),)))
    for text, right in ((equal, 1), (other, 0)):
        verdict = verdict_on(question, Response("1", answers=Answers(texts=((text,),))))
        assert verdict is not None
        assert verdict.counts.tp == right, text


@pytest.mark.parametrize(
    ("asked", "language", "answer", "is_yes"),
    [
        ("北京是中国的首都吗？", "zh", "北京是中国的首都。", True),
        ("北京是中国的首都吗？", "zh", "北京不是中国的首都。", False),
        ("東京は日本の首都ですか？", "ja", "東京は日本の首都です。", True),
        ("กรุงเทพเป็นเมืองหลวงของไทยหรือไม่", "th", "กรุงเทพเป็นเมืองหลวงของไทย", True),
    ],
)
def test_statements_without_spaces(asked: str, language: str, answer: str, is_yes: bool) -> None:
    said = said_by(answer, language, {language: [asked]})
    assert said is not None
    assert said.is_yes is is_yes


@pytest.mark.parametrize(
    ("answer", "right"),
    [("About 119,500", 1), ("121,200", 1), ("118,799", 0), ("In 1990 it was 130,000", 0)],
)
def test_a_gold_number_may_state_its_bounds(answer: str, right: int) -> None:
    gold = "120,000 (acceptable range: anything between 118,800 and 121,200)"
    question = Question("1", {"en": ("How many?",)}, answers=Answers(texts=((gold,),)))
    for text, tp in ((gold, 1), (answer, right)):
        verdict = verdict_on(question, Response("1", answers=Answers(texts=((text,),))))
        assert verdict is not None
        assert verdict.counts.tp == tp


@pytest.mark.parametrize(
    ("gold", "equal", "other"), [("3.5", "3½", "31"), ("0.25", "¼", "1"), ("7", "7 ⅓", "71")]
)
def test_a_fraction_behind_a_number_belongs_to_it(gold: str, equal: str, other: str) -> None:
    for text, right in ((equal, "right"), (other, "wrong"), (f"It is {equal} km.", "right")):
        assert verdict(text, [gold]) == right, text
    assert verdict(equal, [other]) == "wrong"


def test_a_question_may_answer_a_clue_and_is_a_guess() -> None:
    clue = {"en": ("She wrote it in 1931",)}
    question = Question("1", clue, answers=Answers(texts=(("Ada Mill",),)))
    for text, right in (("Who is Ada Mill?", 1), ("Who is Bo Reed?", 0)):
        verdict = verdict_on(question, Response("1", answers=Answers(texts=((text,),))))
        assert verdict is not None
        assert verdict.counts.tp == right
        assert not right or verdict.sign


def test_a_day_in_the_place_of_the_month_is_a_guess() -> None:
    question = Question("1", {"en": ("When?",)}, answers=Answers(texts=(("1989-11-09",),)))
    verdicts = {}
    for text in ("11/9/1989", "9/11/1989"):
        verdicts[text] = verdict_on(question, Response("1", answers=Answers(texts=((text,),))))
    assert [bool(verdict and verdict.sign) for verdict in verdicts.values()] == [False, True]


def test_a_month_in_the_place_of_the_day_is_a_guess_in_iso_dates_too() -> None:
    assert doubt_of("1989-11-09", "1989-11-09").probability >= MIN_SURE
    assert doubt_of("11/11/1989", "1989-11-11").probability >= MIN_SURE
    assert doubt_of("1989-09-11", "1989-11-09").sign == "unsaid"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("Ever on", "Never back"),
        ("illegal", "legal"),
        ("legal", "It is illegal."),
        ("exothermic", "endothermic"),
        ("Unhappy Mill", "Happy Mill"),
        ("moral", "amoral"),
        ("hypertension", "hypotension"),
    ],
)
def test_the_opposite_of_a_word_is_another_word(gold: str, answer: str) -> None:
    assert guess(answer, [gold]).counts.tp == 0
    assert guess(gold, [gold]).counts.tp == 1


def test_a_lost_space_or_another_spelling_makes_no_opposite() -> None:
    assert guess("inThomas Weir", ["Thomas Weir"]).counts.tp == 1
    assert guess("Aether", ["Ether"]).counts.tp == 1


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        ("-0044-03-15", "It was on -0044-03-15.", True),
        ("0044-03-15", "It was on -0044-03-15.", False),
        ("-0044-03-15", "It was on -0044-04-16.", False),
        ("2001-05-03", "It was on 2001-05-03T00:00:00Z.", True),
        ("3 May 2001", "2001-05-03T12:30:00.5+01:00", True),
        ("2001-05-04", "It was on 2001-05-03T00:00:00Z.", False),
        ("0", "2001-05-03T00:00:00Z", False),
    ],
)
def test_xsd_dates_are_read_within_sentences(gold: str, answer: str, expected: bool) -> None:
    found = doubt_of(answer, gold, asked="When was it?")
    assert bool(found.counts.tp) is expected
    assert found.probability >= MIN_SURE


@pytest.mark.parametrize(
    ("gold", "answer", "language"),
    [
        ("2001-05-03", "3 May 2001", "en"),
        ("3 May 2001", "May 3rd, 2001", "en"),
        ("3 May 2001", "2001-05-03", "en"),
        ("2001-05-03", "3. května 2001", "cs"),
        ("-0044-03-15", "15 March 44 BC", "en"),
        ("2005年", "2005年", "en"),
    ],
)
def test_the_words_of_a_date_say_no_more_than_the_date(
    gold: str, answer: str, language: str
) -> None:
    found = doubt_of(answer, gold, language=language, asked="?")
    assert found.counts.tp and found.probability >= MIN_SURE


@pytest.mark.parametrize("said", ["서울입니다.", "서울이에요", "정답은 서울이었습니다."])
def test_endings_of_korean_are_as_long_as_they_are(said: str) -> None:
    """Their letters are counted one by one, of which a syllable has two or three."""
    gold = [{"id": 1, "question": "수도는 어디입니까?", "answer": "서울"}]
    other = [{"id": 1, "question": "수도는 어디입니까?", "answer": "부산"}]
    scores = [
        qg.score(each, {"1": said}, language="ko", match="contains") for each in (gold, other)
    ]
    assert [score["accuracy"] for score in scores] == [1, 0]


@pytest.mark.parametrize(
    ("gold", "answer", "right"),
    [
        ("No, there has never been one.", "No, none.", True),
        ("No, there has never been one.", "Yes.", False),
        ("Yes — it has a mill", "Yes, it has.", True),
        ("No. 5 by Ada Mill", "It is No. 5 by Ada Mill.", True),
        ("No. 5 by Ada Mill", "No.", False),
    ],
)
def test_a_yes_or_no_with_its_reason_is_gold_but_a_name_is_none(
    gold: str, answer: str, right: bool
) -> None:
    question = Question("1", {"en": ("Is there one?",)}, answers=Answers(texts=((gold,),)))
    found = verdict_on(question, Response("1", answers=Answers(texts=((answer,),))))
    assert found is not None
    assert bool(found.counts.tp) is right


def test_the_gold_of_a_question_is_read_once_whatever_string_names_the_language() -> None:
    question = Question("1", {"en": ("Who?",)}, answers=Answers(texts=(("Ulm",),)))
    first, again = (index_gold(GoldKey(question, None, "".join(("e", "n")))) for _ in range(2))
    assert first is again

"""Texts in another language than they should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from qaldgen.annotation.language_detection import language_note, other_languages
from qaldgen.cli.main import cli

GERMAN = ("Wer schrieb Undine?", "Wie alt ist Ada?", "Wer hat Mehl?")


@pytest.mark.parametrize(
    ("text", "language", "other"),
    [
        ("Wer hat die alte Mühle am Fluss gebaut?", "en", "de"),
        ("Quel est le plus vieux moulin de la vallée ?", "en", "fr"),
        ("谁建造了这座磨坊？", "en", "zh"),
        ("Кто построил старую мельницу?", "de", "ru"),
        ("Who built the old mill by the river?", "de", "en"),
        ("Who built the old mill by the river?", "pt-BR", "en"),
    ],
)
def test_another_language(text: str, language: str, other: str) -> None:
    assert other_languages({"1": text}, language) == {"1": other}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who built the old mill by the river?", "en"),
        ("Who built the Alte Mühle am Fluss in Bad Doberan?", "en"),
        ("capital of baden württemberg", "en"),
        ("Hvem har bygget den gamle møllen?", "nb"),
        ("Quem construiu o moinho velho?", "pt-BR"),
        ("Who built it?", "tlh"),
        ("1812?", "en"),
        ("", "en"),
    ],
)
def test_no_other_language(text: str, language: str) -> None:
    assert other_languages({"1": text}, language) == {}


DUTCH = {str(n): f"Wie heeft de oude molen nummer {n} aan de rivier gebouwd?" for n in range(9)}
RUSSIAN = {str(n): f"Кто построил старую мельницу номер {n}?" for n in range(9)}


@pytest.mark.parametrize(
    ("own", "language", "text"),
    [
        (DUTCH, "nl", "wie zingt the old mill that would not stop for anybody"),
        (DUTCH, "nl", "Wie schreef 'The old mill that would not stop for anybody'?"),
        (DUTCH, "nl", "Kikuyo Haruname Tsukishiro Fujimoriyama Odawarake"),
        (RUSSIAN, "ru", "кто поет the old mill that would not stop for anybody"),
        (DUTCH, "nl", "zong martha miller in dancing with the stars of the river"),
    ],
)
def test_names_titles_and_quotations_are_no_language(
    own: dict[str, str], language: str, text: str
) -> None:
    assert other_languages({**own, "x": text}, language) == {}
    assert other_languages({"x": text}, language) == {}


@pytest.mark.parametrize(
    "text",
    ["Who built the old mill that stands by the river?", "Кто построил старую мельницу NBA?"],
)
def test_one_text_in_another_language_is_found_among_many(text: str) -> None:
    assert list(other_languages({**DUTCH, "x": text}, "nl")) == ["x"]


def test_short_questions_are_known_by_their_company() -> None:
    assert other_languages({"1": GERMAN[0]}, "en") == {}
    assert other_languages(dict(zip("123", GERMAN, strict=True)), "en") == dict.fromkeys(
        "123", "de"
    )


def test_one_foreign_question_in_many_is_not_worth_a_note() -> None:
    wordings = {str(n): f"Who built the mill of {n} wheels?" for n in range(99)}
    assert language_note(wordings | {"99": "Wer hat die alte Mühle am Fluss gebaut?"}, "en") == ""


def test_of_a_large_set_some_are_looked_at() -> None:
    note = language_note({str(n): GERMAN[n % 3] for n in range(1100)}, "en")
    assert note.startswith("367 of 367 questions checked in 'en' read like 'de' (first: 0)")


def annotated(folder: Path, *words: str) -> str:
    file = folder / "mills.csv"
    file.write_text("question\n" + "\n".join(GERMAN) + "\n", encoding="utf-8")
    out = CliRunner().invoke(cli, ["annotate", str(file), "-o", str(folder / "out.ttl"), *words])
    assert out.exit_code == 0, out.output
    return out.stderr


def test_annotate_says_so(tmp_path: Path) -> None:
    assert "3 of 3 questions in 'en' read like 'de'" in annotated(tmp_path)


def test_annotate_is_silent_where_the_language_is_named(tmp_path: Path) -> None:
    assert "read like" not in annotated(tmp_path, "--lang", "de")

"""What a description says of data in whatever form they are given."""

from __future__ import annotations

from pathlib import Path

import qaldgen as qg
from qaldgen.selection.description import description_lines, property_labels


def test_features_of_a_question_set_are_computed_whether_it_is_a_file_or_a_set(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lakes.csv"
    path.write_text("id,question,answer\n1,How deep is lake Amber?,7\n2,Why?,x\n", encoding="utf-8")
    by_file, by_set = qg.describe(path), qg.describe(qg.load(path))
    assert by_file.questions == by_set.questions == 2
    assert by_file.properties.equals(by_set.properties)


def test_only_properties_of_features_have_labels() -> None:
    name, no_feature = property_labels(["qaldgen:charCount", "http://x.org/length"])
    assert name
    assert no_feature == ""


def test_format_and_gold_answers_are_told(tmp_path: Path) -> None:
    path = tmp_path / "lakes.csv"
    path.write_text("id,question,answer\n1,How deep is lake Amber?,7\n2,Why?,\n", encoding="utf-8")
    found = qg.describe(path)
    assert (found.formats, found.gold, found.gold_from) == (("table",), 1, ())
    assert description_lines(found)[:2] == [
        "format: table",
        "gold answers: 1 of 2 questions, as the question sets have them",
    ]


def test_how_the_set_was_read_is_told() -> None:
    rows = [{"frage": f"Wer hat Mühle {at} gebaut?", "antwort": "Ada"} for at in range(3)]
    notes = qg.describe(rows).notes
    assert any("the gold answers from 'antwort'" in note for note in notes)

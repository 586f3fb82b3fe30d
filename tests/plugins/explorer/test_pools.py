"""A pool is read with the options of other verbs, and the commands that are shown have them."""

from __future__ import annotations

from pathlib import Path

from qaldgen.plugins.explorer.pools import open_pool


def test_the_property_with_the_texts_is_in_the_command(tmp_path: Path) -> None:
    path = tmp_path / "own.ttl"
    rows = [f'own:q{n} own:wording "Where is mill {n}?"@en ; own:words {n} .' for n in range(1, 5)]
    path.write_text("@prefix own: <http://x.org/own#> .\n" + "\n".join(rows), encoding="utf-8")
    pool = open_pool(path, tmp_path, load_options={"text_property": "own:wording"})
    assert pool.histograms.texts[0].startswith("Where is mill")
    assert pool.file == f"{path} --text-property own:wording"


def test_answers_are_divided(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("id,question,answer\n1,Which moons?,Phobos und Deimos\n", encoding="utf-8")
    pool = open_pool(path, tmp_path, load_options={"split_answers": " und "})
    assert pool.commands == (f"qaldgen annotate {path} --split-answers ' und ' -o features.ttl",)
    (question,) = pool.gold.questions
    assert question.answers is not None
    assert len(question.answers.values()) == 2

"""Systems that are asked the same in several languages and wordings, and what they answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from published import published

import qaldgen as qg
from qaldgen.cli.main import cli

Refused = Callable[..., str]
#: Right in both, in English only, in German only, in neither; the fifth is asked in English only.
VERDICTS = {"1": "ed", "2": "e", "3": "d", "4": "", "5": "e"}


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    questions = [
        {
            "id": name,
            "question": [
                {"language": tag, "string": f"{tag} {name}?"}
                for tag in ("en", "de")[: 1 + (name != "5")]
            ],
            "answers": [{"boolean": True}],
        }
        for name in VERDICTS
    ]
    path = tmp_path / "asked.json"
    path.write_text(json.dumps({"questions": questions}), encoding="utf-8")
    return path


def knows(text: str) -> bool:
    language, name = text.rstrip("?").split()
    return language[0] in VERDICTS[name]


def test_a_question_counts_if_it_was_asked_in_both(asked: Path) -> None:
    found = qg.consistency(asked, qg.ask(asked, knows, language="en,de", name="mine"))
    row = found.systems.loc["mine"]
    assert (row["n"], row["every"], row["any"]) == (4, 1, 3)
    assert row["consistency"] == pytest.approx(1 / 3)
    assert row["low"] < 1 / 3 < row["high"] or pd.isna(row["low"])
    assert found.flips[["id", "right in", "wrong in"]].to_numpy().tolist() == [
        ["2", "en", "de"],
        ["3", "de", "en"],
    ]
    assert any("1 of 5 questions were not asked" in note for note in found.notes)


def test_options_without_effect_are_named(asked: Path, tmp_path: Path) -> None:
    journal = tmp_path / "mine.jsonl"
    qg.ask(asked, knows, language="en,de", journal=journal)
    words = ["compare", str(asked), str(journal), "--by", "language", "--measure", "micro-f1"]
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "--measure has no effect here" in done.stderr


def test_a_language_of_few_questions_counts_if_it_is_chosen(tmp_path: Path) -> None:
    questions = [
        {
            "id": name,
            "question": [
                {"language": tag, "string": f"{tag} {name}?"}
                for tag in ("en", "fr", "de")[: 2 + (name == "1")]
            ],
            "answers": [{"boolean": True}],
        }
        for name in VERDICTS
    ]
    path = tmp_path / "rare.json"
    path.write_text(json.dumps({"questions": questions}), encoding="utf-8")
    run = qg.ask(path, lambda text: True, language="en,fr,de", name="mine")
    usual = qg.consistency(path, run)
    assert usual.systems.loc["mine", "n"] == len(VERDICTS)
    assert any("left out: de" in note for note in usual.notes)
    assert qg.consistency(path, run, language="en,de").systems.loc["mine", "n"] == 1


def test_a_file_for_each_language_is_one_system(asked: Path, tmp_path: Path) -> None:
    for tag in ("en", "de"):
        answers = {name: str(tag[0] in own).lower() for name, own in VERDICTS.items()}
        (tmp_path / f"mine.{tag}.json").write_text(json.dumps(answers), encoding="utf-8")
    runs = [qg.read_run(tmp_path / f"mine.{tag}.json") for tag in ("en", "de")]
    found = qg.consistency(qg.evaluate(asked, runs, match="gerbil"))
    assert list(found.systems.index) == ["mine"]
    assert found.systems.loc["mine", "every"] == 1


def test_score_and_slices_know_the_wordings_of_a_journal(asked: Path, tmp_path: Path) -> None:
    qg.ask(asked, knows, language="en,de", journal=tmp_path / "mine.jsonl")
    call = [str(asked), str(tmp_path / "mine.jsonl")]
    done = CliRunner().invoke(cli, ["score", *call], catch_exceptions=False)
    assert re.search(r"^Consistency +0\.3333", done.stdout, re.MULTILINE)
    done = CliRunner().invoke(cli, ["report", *call, "-o", "-"], catch_exceptions=False)
    assert "Consistency, the share right in all languages" in done.stdout
    found = qg.slices(asked, tmp_path / "mine.jsonl", measure="consistency")
    assert "Inconsistent" in found.measured


def test_systems_are_tested_against_each_other(tmp_path: Path) -> None:
    both = {name: [1.0, 1.0] for name in map(str, range(20))}
    once = {name: [1.0, 0.0] for name in both}
    table = pd.DataFrame(
        [
            (name, system, tag, f1)
            for system, scores in (("sure", both), ("torn", once))
            for name, own in scores.items()
            for tag, f1 in zip(("en", "es"), own, strict=True)
        ],
        columns=["question", "system", "language", "f1"],
    )
    table.to_csv(tmp_path / "scores.csv", index=False)
    found = qg.consistency(tmp_path / "scores.csv")
    (pair,) = found.between_systems.to_dict("records")
    assert (pair["a"], pair["difference"]) == ("sure", 1.0)
    assert pair["p_adjusted"] < 0.01
    languages = found.between_wordings.set_index("system")["p_adjusted"].to_dict()
    assert languages["torn"] < 0.01 < languages["sure"]


def test_what_cannot_be_compared_is_refused(asked: Path, tmp_path: Path, refused: Refused) -> None:
    once = qg.ask(asked, knows)
    assert "has answers in one language only" in refused(lambda: qg.consistency(asked, once))
    path = tmp_path / "scores.csv"
    path.write_text("question,system,language,f1\n1,a,en,1\n1,a,en,0\n", encoding="utf-8")
    assert "a, 1, en has two scores" in refused(lambda: qg.consistency(path))
    path.write_text("question,system,f1\n1,a,1\n", encoding="utf-8")
    assert "language and f1 are expected" in refused(lambda: qg.consistency(path))
    path.write_text("question,system,language,f1\n1,a,en,1\n", encoding="utf-8")
    assert "asked in two languages" in refused(lambda: qg.consistency(path))


def test_text2sparql_2025() -> None:
    path = published("system-scores/text2sparql25.csv")
    done = CliRunner().invoke(
        cli, ["compare", str(path), "--by", "language", "--format", "csv"], catch_exceptions=False
    )
    lines = [line.split(",") for line in done.stdout.splitlines()]
    every, some = (lines[0].index(name) for name in ("every", "any"))
    counts = {line[0]: (int(line[every]), int(line[some])) for line in lines[1:]}
    wanted = {"AIFB": (32, 37), "WSE": (33, 50), "MIPT": (26, 43)}
    wanted |= {"IIS-Q": (17, 32), "IIS-L": (18, 38), "INFAI": (11, 39)}
    assert {name: counts[name] for name in wanted} == wanted

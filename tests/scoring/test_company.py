"""A run's counts do not depend on its company: other runs, their order, how they are given."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from pandas.testing import assert_frame_equal

import qaldgen as qg
from qaldgen import Run
from qaldgen.cli.main import cli

_IRIS = [f"http://www.wikidata.org/entity/Q{number}" for number in range(60, 66)]
_NAMES = ["Ulm", "Ada Mill", "the Amber", "seven", "No", "yes", "Mill Lane 7", "3 May 1999"]
_VALUES = ["7", "7.0", "1,204", "1999", "1999-05-03", "May 3, 1999", "-4", "12 km", "true"]
_NOTHING: list[Any] = [None, "", [], "None", "I don't know.", "N/A", "nan"]
_REPLIES = ["It is {}.", "{}", "Not {}, I think.", "Answer: {}", "{} or perhaps Bonn", "\n{}\n"]
#: What gold answers, and the answers of a run, may be made of.
_KINDS: Mapping[str, list[Any]] = {
    "terms": _IRIS,
    "words": _NAMES,
    "values": _VALUES,
    "truths": [True, False, "yes", "no"],
    "nothing": _NOTHING,
}


def one_of(draw: random.Random, kinds: list[str]) -> Any:  # noqa: ANN401 - any answer
    value = draw.choice(_KINDS[draw.choice(kinds)])
    if isinstance(value, str) and draw.random() < 0.2:
        return [value, draw.choice(_IRIS + _NAMES)]
    return value


def questions(draw: random.Random, size: int = 14) -> list[dict[str, Any]]:
    """Make questions whose gold answers are of some kinds, some with a query, some without gold."""
    kinds = draw.sample(sorted(_KINDS), draw.randint(1, 4))
    made: list[dict[str, Any]] = []
    for number in range(size):
        record: dict[str, Any] = {"id": f"q{number}", "question": f"Which of {number} is it?"}
        answer = one_of(draw, kinds)
        if answer is not None:
            record["answers"] = answer if isinstance(answer, list) else [answer]
        if draw.random() < 0.1:
            record["sparql"] = f"SELECT ?x {{ ?x <http://x.org/p> {number} }}"
        made.append(record)
    if not any("answers" in record for record in made):
        made[0]["answers"] = ["Ulm"]
    return made


def answers(draw: random.Random, gold: list[dict[str, Any]]) -> dict[str, Any]:
    """Make the answers of a run: of kinds of its own, some right, some in a sentence."""
    kinds = draw.sample(sorted(_KINDS), draw.randint(1, 3))
    made = {}
    for record in gold:
        answer = one_of(draw, kinds)
        if draw.random() < 0.5 and record.get("answers"):
            answer = record["answers"][0]
        if isinstance(answer, str) and answer and draw.random() < 0.4:
            answer = draw.choice(_REPLIES).format(answer)
        if draw.random() < 0.9:
            made[record["id"]] = answer
    return made or {gold[0]["id"]: "Ulm"}


def companies(draw: random.Random, names: list[str]) -> Iterator[list[str]]:
    """Yield each run alone, then some together, in any order."""
    yield from ([name] for name in names)
    for size in (2, len(names), len(names)):
        yield draw.sample(names, size)


def alike(counts: pd.DataFrame, known: pd.DataFrame) -> None:
    assert_frame_equal(counts, known, check_exact=True, check_like=True)


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_the_same_in_any_company(seed: int) -> None:
    draw = random.Random(seed)
    gold = questions(draw)
    given = {name: answers(draw, gold) for name in ("one", "two", "three", "four")}
    rules: dict[str, Any] = {}
    if seed % 2:
        rules["aliases"] = {iri: ["Ulm", f"name {iri[-1]}"] for iri in _IRIS}
    if seed % 3 == 0:
        other = [{**one, "answers": ["Bonn"]} if at % 4 else one for at, one in enumerate(gold)]
        rules["also_gold"] = qg.load(other)
    known: dict[str, pd.DataFrame] = {}
    for names in companies(draw, list(given)):
        made = qg.evaluate(gold, [qg.read_run(given[name], name=name) for name in names], **rules)
        for scores in made:
            alike(scores.counts, known.setdefault(scores.name, scores.counts))
            for edition, own in scores.editions.items():
                key = f"{scores.name} on {edition}"
                alike(own.counts, known.setdefault(key, own.counts))


def test_files_on_the_command_line_are_counted_as_alone(tmp_path: Path) -> None:
    draw = random.Random(100)
    gold = questions(draw)
    (tmp_path / "gold.json").write_text(json.dumps(gold), encoding="utf-8")
    names = ["one", "two", "three"]
    for name in names:
        given = [{"id": key, "answer": value} for key, value in answers(draw, gold).items()]
        (tmp_path / f"{name}.json").write_text(json.dumps(given), encoding="utf-8")
    known: dict[str, pd.DataFrame] = {}
    for company in (["one"], ["two"], ["three"], names, names[::-1]):
        saved = tmp_path / f"{'-'.join(company)}.csv"
        runs = [str(tmp_path / f"{name}.json") for name in company]
        words = ["score", str(tmp_path / "gold.json"), *runs, "-o", str(saved)]
        found = CliRunner().invoke(cli, words)
        assert found.exit_code == 0, found.output
        for scores in qg.Evaluation.read(saved):
            alike(scores.counts, known.setdefault(scores.name, scores.counts))
    compared = CliRunner().invoke(cli, ["compare", str(saved)])
    assert compared.exit_code == 0, compared.output


@pytest.mark.parametrize("seed", range(4))
def test_a_column_beside_the_questions_is_read_by_itself(seed: int, tmp_path: Path) -> None:
    """Systems in one table; a question without an answer is an empty cell."""
    draw = random.Random(200 + seed)
    gold = questions(draw)
    runs = {name: answers(draw, gold) for name in ("one", "two", "three")}
    known: dict[str, pd.DataFrame] = {}
    for names in companies(draw, list(runs)):
        path = tmp_path / f"{'-'.join(names)}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["id", "question", "gold", *(f"{name} prediction" for name in names)])
            for record in gold:
                own = record.get("answers") or [""]
                cells = [runs[name].get(record["id"]) for name in names]
                shown = [cell[0] if isinstance(cell, list) and cell else cell for cell in cells]
                table.writerow([record["id"], record["question"], own[0], *shown])
        for scores in qg.evaluate(path):
            alike(scores.counts, known.setdefault(scores.name, scores.counts))
    assert len(known) == 3


def test_wordings_are_counted_as_alone() -> None:
    gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(6)]
    rows = [
        {"id": f"{n}", "language": tag, "answer": f"{n}" if n % at else "None"}
        for n in range(6)
        for at, tag in ((2, "en"), (3, "de"))
    ]
    run = qg.read_run(rows, name="both", language="en")
    other = qg.read_run({f"{n}": "a word" for n in range(6)}, name="other")
    alone = qg.evaluate(gold, [run]).with_wordings(needed=False)[0]
    for company in ([run, other], [other, run]):
        made = qg.evaluate(gold, company).with_wordings(needed=False)
        alike(made["both"].counts, alone.counts)


def in_ways(name: str, ways: list[str]) -> Run:
    """Make a run whose answers are right in the first way of asking, and half of them in others."""
    rows = [
        {"id": f"{n}@{way}", "answer": f"{n}" if n % 2 or way == ways[0] else "Ulm"}
        for way in ways
        for n in range(6)
    ]
    gold = qg.load(NUMBERS)
    return dataclasses.replace(qg.read_run(rows, name=name, gold=gold), format="journal")


NUMBERS = [
    {"id": f"{n}", "question": {"en": f"What is {n}?", "de": f"Was ist {n}?"}, "answers": [f"{n}"]}
    for n in range(6)
]


def test_languages_and_wordings_of_a_journal_are_counted_as_alone() -> None:
    runs = [in_ways("in languages", ["en", "de"]), in_ways("in wordings", ["en", "en.2"])]
    runs += [qg.read_run({"1": "1", "2": "None"}, name=f"files.{tag}") for tag in ("en", "de")]
    known = {run.name: qg.score(NUMBERS, run).counts for run in runs}
    assert known["in languages"]["consistent"].sum() == 3
    assert known["in wordings"]["inconsistent"].sum() == 3
    for company in (runs, runs[::-1], runs[1:], [runs[0], *runs[2:]]):
        made = qg.evaluate(NUMBERS, company)
        assert [scores.name for scores in made] == [run.name for run in company]
        for scores in made:
            alike(scores.counts, known[scores.name])


@pytest.mark.parametrize("seed", range(4))
def test_samples_with_a_confidence_are_counted_as_alone(seed: int) -> None:
    draw = random.Random(300 + seed)
    gold = questions(draw)
    runs = []
    for name in ("one", "two", "three"):
        rows = [
            {"id": key, "answer": value, "sample": number, "confidence": draw.random()}
            for number in range(3)
            for key, value in answers(draw, gold).items()
        ]
        runs.append(qg.read_run(rows, name=name))
    known = {run.name: qg.score(gold, run, repeats_as="majority") for run in runs}
    for company in (runs, runs[::-1], runs[1:]):
        for scores in qg.evaluate(gold, company, repeats_as="majority"):
            alike(scores.counts, known[scores.name].counts)
            assert_frame_equal(scores.risk_coverage(), known[scores.name].risk_coverage())

"""How far `contains` agrees with judgments by hand: overall, where the judge is sure, by language.

With -v, the disagreements too.

The judgments (tests/data/labels) name answers by system, question and language only; the answers
themselves are in the data of the tests (`QALDGEN_TEST_DATA`, or ../shared/data), folder
llm-answers/qald-9. Usage:

    python benchmarks/text_agreement.py [-v] [JUDGMENTS.tsv ...]
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.model import Answers, Cell, Question
from qaldgen.runs.record import Response
from qaldgen.scoring.words.contains import contains
from qaldgen.scoring.words.dates import read_date
from qaldgen.scoring.words.tokens import readings

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "tests" / "data" / "labels"
ANSWERS = Path("llm-answers", "qald-9")


class Answered(NamedTuple):
    """The questions by id, the gold aliases, and the answers by system, question and language."""

    questions: dict[str, Question]
    aliases: dict[str, list[str]]
    texts: dict[tuple[str, str, str], str]


class Judgment(NamedTuple):
    """A judgment by hand, and the verdict of `contains`: None where it has none."""

    row: Mapping[str, str]
    right: bool
    hit: bool | None

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.right == self.hit


def read_answers(folder: Path) -> Answered:
    """Read gold answers (local names of IRIs, literals), aliases, and what the systems said."""
    read = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")
    }
    questions = {str(record["ID"]): _question(record) for record in read.pop("questions")}
    aliases = read.pop("aliases")
    texts = {
        (name, str(row["id"]), row["language"]): row["answer"]
        for name, rows in read.items()
        for row in rows
    }
    return Answered(questions, aliases, texts)


def _question(record: dict[str, Any]) -> Question:
    texts = {row["language"]: (row.get("string", ""),) for row in reversed(record["question"])}
    if isinstance(record["ans"][0], bool):
        return Question(str(record["ID"]), texts, answers=Answers(boolean=record["ans"][0]))
    kinds = [
        ("literal" if read_date(value) or readings(value) else "uri", value)
        for value in record["ans"]
    ]
    return Question(
        str(record["ID"]), texts, answers=Answers(rows=tuple((Cell(*kind),) for kind in kinds))
    )


def judge(path: Path, answered: Answered) -> list[Judgment]:
    """Compare `contains` with the judgments in a file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [Judgment(row, row["verdict"] == "right", _hit(row, answered)) for row in rows]


def _hit(row: Mapping[str, str], answered: Answered) -> bool | None:
    text = answered.texts[row["system"], row["id"], row["language"]]
    response = Response(row["id"], answers=Answers(texts=((text,),)))
    count = contains(
        answered.questions[row["id"]], response, language=row["language"], aliases=answered.aliases
    )
    return None if count is None else count == (1, 0, 0)


def agreement(judged: Sequence[Judgment]) -> float:
    """Return the share on which both agree; no verdict is a disagreement."""
    return sum(one.agrees for one in judged) / len(judged)


def kappa(judged: Sequence[Judgment]) -> float:
    """Return Cohen's kappa; no verdict is a category of its own."""
    right, hit = Counter(one.right for one in judged), Counter(one.hit for one in judged)
    chance = sum(right[value] * hit[value] for value in (True, False)) / len(judged) ** 2
    return (agreement(judged) - chance) / (1 - chance) if chance < 1 else math.nan


def describe(name: str, judged: Sequence[Judgment]) -> str:
    """Return one line of figures."""
    missed = sum(one.right and not one.agrees for one in judged)
    false = sum(not one.right and not one.agrees for one in judged)
    without = sum(one.hit is None for one in judged)
    return (
        f"{name:24} {len(judged):4} judged, agreement {agreement(judged):6.1%}, kappa"
        f" {kappa(judged):.2f}; missed {missed}, false {false}, no verdict {without}"
    )


def parts(judged: Sequence[Judgment]) -> Iterable[tuple[str, list[Judgment]]]:
    """Yield the parts to be told: all, the sure ones, English, the others, and each language."""
    yield "all", list(judged)
    yield "sure", [one for one in judged if one.row.get("sure") == "sure"]
    yield "English", [one for one in judged if one.row["language"] == "en"]
    yield "other languages", [one for one in judged if one.row["language"] != "en"]
    for language in sorted({one.row["language"] for one in judged}):
        yield f"  {language}", [one for one in judged if one.row["language"] == language]


def _show(one: Judgment, answered: Answered) -> str:
    row, question = one.row, answered.questions[one.row["id"]]
    text = (
        answered.texts[row["system"], row["id"], row["language"]].strip().replace("\n", " ")[:600]
    )
    asked = " | ".join(
        dict.fromkeys(
            (question.texts.get(row["language"], ("",))[0], question.texts.get("en", ("",))[0])
        )
    )
    gold = [
        cell.value
        for answers in [question.answers]
        if answers
        for cells in answers.rows
        for cell in cells
        if cell
    ][:8]
    truth = question.answers.boolean if question.answers else None
    verdicts = f"judge {row['verdict']} ({row.get('sure', '')}), contains {one.hit}"
    return (
        f"{row['system']} {row['id']} {row['language']}: {verdicts}\n    {asked}\n    gold"
        f" {gold or truth}\n    {text}"
    )


def main(arguments: Sequence[str]) -> None:
    """Print the agreement for each file of judgments."""
    data = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data")) / ANSWERS
    if not data.is_dir():
        sys.exit(f"the answers are not at {data}; set QALDGEN_TEST_DATA")
    answered = read_answers(data)
    files = [Path(name) for name in arguments if name != "-v"] or sorted(
        LABELS.glob("*-answers.tsv")
    )
    for path in files:
        judged = judge(path, answered)
        print(path.name)
        print(*(describe(name, some) for name, some in parts(judged) if some), sep="\n")
        if "-v" in arguments:
            print(*(_show(one, answered) for one in judged if not one.agrees), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])

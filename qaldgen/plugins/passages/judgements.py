"""Passages judged by hand: the worksheet, agreement, and their use as gold."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from qaldgen.analysis.labelling.estimate import agreement
from qaldgen.analysis.labelling.worksheet import MARKS, SKIPPED, cell_text, sheet_rows
from qaldgen.errors import DataError
from qaldgen.io.files import read_text
from qaldgen.io.text import dump_csv
from qaldgen.model import Question, QuestionSet
from qaldgen.plugins.passages.collection import Passage, read_pairs
from qaldgen.scoring.gold import AnyGold, as_gold

COLUMNS = (
    "position",
    "question_id",
    "passage_id",
    "question",
    "answers",
    "title",
    "passage",
    "label",
    "draw",
)
_NEEDED = ("question_id", "passage_id", "label")
_RULE = (
    "columns question_id, passage_id and label are expected, as 'qaldgen passages label' writes"
    " them"
)

#: By question id and passage id, whether the passage answers the question.
Judged: TypeAlias = Mapping[tuple[str, str], bool]


class Candidate(NamedTuple):
    """A passage that is shown to an annotator for a question."""

    question: Question  # with its answers, if they are known
    passage: Passage  # the passage


class Judgements(NamedTuple):
    """What an annotator wrote."""

    judged: Judged  # by question and passage
    #: Pairs that the annotator could not judge, and those without a label yet.
    skipped: int
    empty: int


def candidate_rows(
    candidates: Sequence[Candidate], drawn: str, language: str
) -> list[list[object]]:
    """Return the rows of a worksheet, their labels empty."""
    rows: list[list[object]] = []
    for at, (question, passage) in enumerate(candidates, 1):
        answers = "" if question.answers is None else " | ".join(question.answers.values())
        texts = (question.text(language), answers, passage.title, passage.text)
        rows.append([at, question.id, passage.id, *map(cell_text, texts), "", drawn])
    return rows


def dump_candidates(candidates: Sequence[Candidate], drawn: str, language: str) -> str:
    """Return the worksheet as CSV."""
    return dump_csv(COLUMNS, candidate_rows(candidates, drawn, language))


def read_judgements(path: str | Path) -> Judgements:
    """Read the labels of a worksheet; its rows may stand in any order."""
    judged: dict[tuple[str, str], bool] = {}
    skipped = empty = 0
    for row in sheet_rows(path, _NEEDED, _RULE):
        pair, mark = (row["question_id"], row["passage_id"]), row["label"].casefold()
        if not all(pair):
            raise DataError(f"{path}: a row has {_named(pair)}; {_RULE}")
        empty += mark == ""
        skipped += mark in SKIPPED
        if mark == "" or mark in SKIPPED:
            continue
        relevant = _relevant(mark, f"{path}: question {pair[0]}, passage {pair[1]}")
        if judged.setdefault(pair, relevant) != relevant:
            raise DataError(
                f"{path}: question {pair[0]}, passage {pair[1]}: has two labels that differ"
            )
    return Judgements(judged, skipped, empty)


def _named(pair: tuple[str, str]) -> str:
    """Say which id a row lacks, and show the other."""
    question, passage = pair
    if not question:
        return f"no question_id (passage {passage!r})" if passage else "a label but no ids"
    return f"no passage_id (question {question})"


def _relevant(mark: str, where: str) -> bool:
    """Return what a mark says.

    A passage answers a question or does not, so nothing between counts.
    """
    value = {"1": 1.0, "0": 0.0, **MARKS}.get(mark)
    if value not in (0.0, 1.0):
        raise DataError(
            f"{where}: the label is {mark!r}; write y (answers the question), n (does not) or s"
            " (skip)"
        )
    return value == 1.0


class PassageAgreement(NamedTuple):
    """How an annotation compares with a second one, on the pairs that both judged."""

    #: Judged by both, and alike.
    pairs: int
    agreed: int
    kappa: float  # cohen's; NaN where both always say the same one thing
    #: Pairs that both call relevant, that the first does, and that the second does.
    both: int
    first: int
    second: int
    differing: tuple[tuple[str, str], ...]  # the pairs on which they differ

    @property
    def precision(self) -> float:
        """The share of passages relevant by the first annotation that are so by the second."""
        return self.both / self.first if self.first else float("nan")

    @property
    def recall(self) -> float:
        """The share of passages relevant by the second annotation that the first found."""
        return self.both / self.second if self.second else float("nan")

    def __str__(self) -> str:
        """Return it in words, with the numbers behind each share."""
        kappa = (
            "not defined: both give one label throughout"
            if self.kappa != self.kappa
            else f"{self.kappa:.3f}"
        )
        lines = [
            f"pairs judged by both: {self.pairs:,}; same label: {_share(self.agreed, self.pairs)};"
            f" Cohen's kappa: {kappa}",
            "relevant by the first, against the second: precision"
            f" {_share(self.both, self.first)}, recall {_share(self.both, self.second)}",
        ]
        if self.differing:
            shown = ", ".join(f"{question} {passage}" for question, passage in self.differing[:10])
            more = f" and {len(self.differing) - 10:,} more" if len(self.differing) > 10 else ""
            lines.append(f"they differ on {shown}{more}")
        return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part:,}/{whole:,})" if whole else "not defined (0/0)"


def agreement_of(first: Judged, second: Judged) -> PassageAgreement:
    """Compare two annotations.

    >>> first = {("1", "a"): True, ("1", "b"): True, ("2", "a"): False}
    >>> found = agreement_of(first, {**first, ("1", "b"): False})
    >>> found.precision, found.recall, round(found.kappa, 2)
    (0.5, 1.0, 0.4)
    """
    shared = [pair for pair in first if pair in second]
    if not shared:
        raise DataError("the two annotations have no judged pair of question and passage in common")
    one, two = (np.array([own[pair] for pair in shared], dtype=float) for own in (first, second))
    differing = tuple(pair for pair in shared if first[pair] != second[pair])
    return PassageAgreement(
        len(shared), len(shared) - len(differing), agreement(one, two)[1],
        int((one * two).sum()), int(one.sum()), int(two.sum()), differing,
    )  # fmt: skip


def read_judged(path: str | Path) -> tuple[Judged, list[str]]:
    """Return the judgements of a worksheet, or of PolQA's rows, and what a user should know."""
    if _is_polqa(path):
        return {(pair.question, pair.passage.id): pair.relevant for pair in read_pairs(path)}, []
    found = read_judgements(path)
    told = {"skipped and left out": found.skipped, "not judged yet": found.empty}
    return found.judged, [
        f"{path}: pairs {words}: {count:,}" for words, count in told.items() if count
    ]


def _is_polqa(path: str | Path) -> bool:
    """Return whether a file has PolQA's rows: JSON, or a table with the column ``relevant``."""
    # Worksheets have a column ``label`` instead, so the first line decides.
    header = read_text(Path(path)).partition("\n")[0]
    return header.lstrip().startswith(("{", "[")) or "relevant" in re.split(r'[,;\t"\r]', header)


def agree_on_passages(first: str | Path, second: str | Path) -> tuple[PassageAgreement, list[str]]:
    """Compare two annotations.

    Cohen's kappa, and precision and recall of the first against the second.
    """
    (one, notes), (two, more) = read_judged(first), read_judged(second)
    return agreement_of(one, two), [*notes, *more]


def with_judged(
    questions: AnyGold, judged: Judged, *, language: str = "pl"
) -> tuple[QuestionSet, list[str]]:
    """Return the questions with the passages that annotators found, and those known before."""
    asked = as_gold(questions, language=language).questions
    by_question: dict[str, dict[str, bool]] = {question.id: {} for question in asked.questions}
    foreign = 0
    for (name, passage), relevant in judged.items():
        # Judgements of other questions go into a dict that is thrown away, and are counted.
        foreign += name not in by_question
        by_question.get(name, {})[passage] = relevant
    kept, denied = [], 0
    for question in asked.questions:
        known = question.metadata.get("relevant_passages", "").split()
        own = by_question[question.id]
        # Judgements only add passages: one annotator alone does not overrule the data.
        denied += sum(own.get(name) is False for name in known)
        all_known = dict.fromkeys(
            [*known, *(name for name, is_relevant in own.items() if is_relevant)]
        )
        more = {"relevant_passages": " ".join(all_known)} if all_known else {}
        kept.append(dataclasses.replace(question, metadata={**question.metadata, **more}))
    notes = (
        [f"{denied:,} passages were known as relevant and judged not to be; they stay"]
        if denied
        else []
    )
    notes += (
        [f"{foreign:,} judgements are about other questions and are left out"] if foreign else []
    )
    return dataclasses.replace(asked, questions=tuple(kept)), notes

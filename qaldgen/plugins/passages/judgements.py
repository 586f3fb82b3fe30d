"""Passages judged by hand: the labels of a worksheet, agreement, and use as gold."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from qaldgen.analysis.comparing.hand_labels import MARKS, SKIPPED, sheet_rows
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.io.text import few_and_more, shorten
from qaldgen.io.unpacking import read_text
from qaldgen.model import QuestionSet
from qaldgen.plugins.labelling.agreement import agreement, kappa_text
from qaldgen.plugins.passages.collection import read_pairs

_REQUIRED_COLUMNS = ("question_id", "passage_id", "label")
_RULE = (
    "columns question_id, passage_id and label are expected, as 'qaldgen passages label' writes"
    " them"
)

#: By question id and passage id, whether the passage answers the question.
RelevanceByPair: TypeAlias = Mapping[tuple[str, str], bool]


class Judgements(NamedTuple):
    """The labels of an annotator."""

    relevance: RelevanceByPair
    n_skipped: int  # the number of pairs that the annotator could not judge
    n_empty: int  # the number of pairs without a label yet


def read_judgements(path: str | Path) -> Judgements:
    """Read the labels of a worksheet, whose rows may be in any order."""
    relevance_by_pair: dict[tuple[str, str], bool] = {}
    n_skipped = 0
    n_empty = 0
    for row in sheet_rows(path, _REQUIRED_COLUMNS, _RULE):
        pair = (row["question_id"], row["passage_id"])
        if not all(pair):
            question, passage = pair
            problem = "a label but no ids"
            if question:
                problem = f"no passage_id (question {question})"
            elif passage:
                problem = f"no question_id (passage {passage!r})"
            raise DataError(f"a row has {problem}; {_RULE}", where=path)

        mark = row["label"].casefold()
        if mark == "":
            n_empty += 1
            continue
        if mark in SKIPPED:
            n_skipped += 1
            continue

        location = f"{path}: question {pair[0]}, passage {pair[1]}"
        # a passage answers a question or does not: marks such as "partly" (0.5) are refused
        value = {"1": 1.0, "0": 0.0, **MARKS}.get(mark)
        if value not in (0.0, 1.0):
            raise DataError(
                f"the label is {shorten(mark, 40)!r}; write y (answers the question), n (does not)"
                " or s (skip)",
                where=location,
            )
        is_relevant = value == 1.0
        if relevance_by_pair.setdefault(pair, is_relevant) != is_relevant:
            raise DataError("has two labels that differ", where=location)

    return Judgements(relevance_by_pair, n_skipped, n_empty)


class PassageAgreement(NamedTuple):
    """The agreement of two annotations on the pairs that both judged."""

    pairs: int  # the number of pairs that both judged
    agreed: int  # the number of these with the same label
    kappa: float  # Cohen's; NaN if both gave one and the same label throughout
    #: The numbers of pairs that are relevant by both annotations, by the first, by the second.
    both: int
    first: int
    second: int
    differing: tuple[tuple[str, str], ...]  # the pairs on which they differ

    @property
    def precision(self) -> float:
        """The share of passages relevant by the first annotation that the second confirms."""
        if self.first:
            return self.both / self.first
        return float("nan")

    @property
    def recall(self) -> float:
        """The share of passages relevant by the second annotation that the first found."""
        if self.second:
            return self.both / self.second
        return float("nan")

    def __str__(self) -> str:
        """Return the agreement as text, with the numbers behind each share."""
        lines = [
            f"pairs judged by both: {self.pairs:,}; same label: {_share(self.agreed, self.pairs)};"
            f" Cohen's kappa: {kappa_text(self.kappa, 3)}",
            "relevant by the first, against the second: precision"
            f" {_share(self.both, self.first)}, recall {_share(self.both, self.second)}",
        ]
        if self.differing:
            lines.append(f"they differ on {few_and_more(map(' '.join, self.differing), 10)}")
        return "\n".join(lines)


def _share(count: int, total: int) -> str:
    """Return a share in percent with its numbers."""
    if not total:
        return "not defined (0/0)"
    return f"{count / total:.1%} ({count:,}/{total:,})"


def agreement_of(first: RelevanceByPair, second: RelevanceByPair) -> PassageAgreement:
    """Compare two annotations.

    >>> first = {("1", "a"): True, ("1", "b"): True, ("2", "a"): False}
    >>> agreed = agreement_of(first, {**first, ("1", "b"): False})
    >>> agreed.precision, agreed.recall, round(agreed.kappa, 2)
    (0.5, 1.0, 0.4)
    """
    common = [pair for pair in first if pair in second]
    if not common:
        raise DataError("the two annotations have no judged pair of question and passage in common")
    first_marks = [first[pair] for pair in common]
    second_marks = [second[pair] for pair in common]
    _, kappa = agreement(np.array(first_marks, float), np.array(second_marks, float))
    differing = tuple(pair for pair in common if first[pair] != second[pair])
    return PassageAgreement(
        pairs=len(common),
        agreed=len(common) - len(differing),
        kappa=kappa,
        both=sum(first[pair] and second[pair] for pair in common),
        first=sum(first_marks),
        second=sum(second_marks),
        differing=differing,
    )


def read_judged(path: str | Path) -> RelevanceByPair:
    """Return the judgements of a worksheet, or of PolQA's rows; notes count the rows left out.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    mapping of pair of str to bool
        By question id and passage id whether the passage answers the question.

    Raises
    ------
    DataError
        If the file cannot be read, or a pair has two labels that differ.
    """
    # Worksheets have a column ``label`` instead of ``relevant``, so the first line decides.
    header = read_text(Path(path)).partition("\n")[0]
    columns = re.split(r'[,;\t"\r]', header)
    if header.lstrip().startswith(("{", "[")) or "relevant" in columns:
        return {(pair.question, pair.passage.id): pair.relevant for pair in read_pairs(path)}
    judgements = read_judgements(path)
    if judgements.n_skipped:
        note(f"{path}: pairs skipped and left out: {judgements.n_skipped:,}")
    if judgements.n_empty:
        note(f"{path}: pairs not judged yet: {judgements.n_empty:,}")
    return judgements.relevance


def agree_on_passages(first: str | Path, second: str | Path) -> PassageAgreement:
    """Compare two annotations.

    Cohen's kappa, and precision and recall of the first against the second.

    Parameters
    ----------
    first, second
        Worksheets, or files with PolQA's rows.

    Returns
    -------
    PassageAgreement
        How far they agree; notes tell of pairs that were left out.

    Raises
    ------
    DataError
        If a file cannot be read, or no pair was judged in both.
    """
    return agreement_of(read_judged(first), read_judged(second))


def with_judged(
    questions: AnyGold, judged: RelevanceByPair, *, language: str = "pl"
) -> QuestionSet:
    """Return the questions with the passages that annotators found, and their earlier ones.

    Parameters
    ----------
    questions
        The questions.
    judged
        By question id and passage id whether the passage answers the question.
    language
        Language of questions without a language tag.

    Returns
    -------
    QuestionSet
        Questions with the ids of their relevant passages; notes tell of other judgements.
    """
    question_set = as_gold(questions, language=language).questions
    by_question: dict[str, dict[str, bool]] = {question.id: {} for question in question_set}

    n_foreign = 0
    for (question_id, passage), relevant in judged.items():
        if question_id in by_question:
            by_question[question_id][passage] = relevant
        else:
            n_foreign += 1

    annotated_questions = []
    n_denied = 0
    for question in question_set:
        passages = question.said("relevant_passages").split()
        verdicts = by_question[question.id]
        # Judgements only add passages: one annotator alone does not overrule the data.
        n_denied += sum(verdicts.get(passage) is False for passage in passages)
        passages += [passage for passage, is_relevant in verdicts.items() if is_relevant]
        metadata = dict(question.metadata)
        if passages:
            metadata["relevant_passages"] = " ".join(dict.fromkeys(passages))
        annotated_questions.append(dataclasses.replace(question, metadata=metadata))

    if n_denied:
        note(f"{n_denied:,} passages were known as relevant and judged not to be; they stay")
    if n_foreign:
        note(f"{n_foreign:,} judgements are about other questions and are left out")
    return dataclasses.replace(question_set, questions=tuple(annotated_questions))

"""Describe question sets: the tables of PolEval 2021 and PolQA, for any set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.analysis.denominators import denominators
from qaldgen.analysis.passage_tables import overlap_table, strategy_table
from qaldgen.analysis.question_sets import set_table, shared_texts, variants
from qaldgen.analysis.taxonomy import taxonomy_table
from qaldgen.api.questions import Reading, read
from qaldgen.datasets.fetching import resolve
from qaldgen.features.cache import cache_file
from qaldgen.features.compute import compute_features
from qaldgen.model import QuestionSet
from qaldgen.retrieval.analysers import make_analyser
from qaldgen.retrieval.overlap import Overlap
from qaldgen.retrieval.pairs import read_pairs

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "POLISH",
    "SetDescription",
    "denominators",
    "describe_polqa",
    "describe_sets",
    "read_sets",
    "taxonomy",
]
#: Forms of sets that are Polish and have PolQA's taxonomy.
POLISH = frozenset({"poleval", "polqa"})
#: Duplicates that are named.
_SHOWN = 10


class SetDescription(NamedTuple):
    """Question sets in numbers.

    Attributes
    ----------
    table : DataFrame
        One row per number, one column per set.
    notes : tuple of str
        Duplicates by name, and what a reader should know of the printed tables.
    """

    table: pd.DataFrame
    notes: tuple[str, ...]


def read_sets(
    names: Sequence[str | Path], reading: Reading, *, language: str = "en"
) -> list[QuestionSet]:
    """Read question sets; those with the same name get that of their folder before it.

    Parameters
    ----------
    names
        Files, folders or names of public sets.
    reading
        How they are read.
    language
        Language of texts without a tag.

    Raises
    ------
    DataError
        If one cannot be read.
    """
    import dataclasses

    found = [read(name, reading, language=language) for name in names]
    # PolEval calls every split in.tsv
    twice = len({one.name for one in found}) < len(found) or any(one.name == "in" for one in found)
    if not twice:
        return found
    return [
        dataclasses.replace(one, name=_longer(name, one))
        for name, one in zip(names, found, strict=True)
    ]


def _longer(name: str | Path, one: QuestionSet) -> str:
    """Return a name made from the split or the folder, for a file with an uninformative name."""
    splits = {question.split for question in one.questions}
    if len(splits) == 1 and "" not in splits:
        return splits.pop()
    path = Path(name)
    return path.name if path.is_dir() else f"{path.parent.name}/{path.stem}"


def describe_sets(sets: Sequence[QuestionSet], *, language: str = "en") -> SetDescription:
    """Describe question sets: Table 1 of PolEval 2021 for any sets.

    Parameters
    ----------
    sets
        The question sets.
    language
        Language of the texts to count.

    Examples
    --------
    >>> from qaldgen.model import Answers, Question
    >>> ada = Answers(texts=(("Ada", "Ada Roe"),))
    >>> one = Question("1", {"en": ("Who burned the mill?",)}, answers=ada)
    >>> found = describe_sets([QuestionSet("mine", "table", (one,))])
    >>> found.table.set_index("").loc["Answers with variants: 2", "mine"]
    1
    """
    notes = []
    shared = shared_texts(sets, language)
    if shared:
        first = "; ".join(f"{', '.join(places)}: {text[:60]}" for text, places in shared[:_SHOWN])
        more = f" and {len(shared) - _SHOWN:,} more" if len(shared) > _SHOWN else ""
        notes.append(f"texts that occur more than once: {len(shared):,} ({first}{more})")
    return SetDescription(set_table(sets, language), tuple(notes))


def taxonomy(
    sets: Sequence[QuestionSet], *, language: str = "pl", beside_paper: bool | None = None
) -> pd.DataFrame:
    """Return how questions distribute over PolQA's taxonomy.

    Labels come from the data, else from our rules (Polish, English).

    Parameters
    ----------
    sets
        The question sets.
    language
        Language of the texts that the rules read.
    beside_paper
        Whether to show PolQA's Table 2 beside it; None for Polish sets only.
    """
    questions = [question for one in sets for question in one.questions]
    features = compute_features(questions, language=language, n_jobs=1, cache=cache_file())
    polish = all(one.format in POLISH for one in sets)
    return taxonomy_table(features, beside_paper=polish if beside_paper is None else beside_paper)


def describe_polqa(
    path: str | Path, questions: QuestionSet, *, analysers: Sequence[str] = ("token", "lemma"),
    types: bool = False, title: bool = False, by_question: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return PolQA's Tables 1 and 3 from its rows.

    Passages by strategy, and how their words overlap with the questions.

    Parameters
    ----------
    path
        The rows, in PolQA's columns.
    questions
        Its questions.
    analysers
        How terms are found.
    types, title, by_question
        What the paper leaves open: each different term counts once; the title belongs to the
        passage; the passages of a question are averaged first.

    Raises
    ------
    DataError
        If the file cannot be read, or lemmas are wanted and simplemma is not installed.
    """
    pairs = list(read_pairs(resolve(path)))
    texts = {one.id: one.text("pl") for one in questions.questions}
    answers = {one.id: variants(one) for one in questions.questions if one.answer_type != "boolean"}
    overlaps = {name: Overlap(make_analyser(name, "pl"), types, title) for name in analysers}
    return strategy_table(pairs), overlap_table(
        pairs, texts, answers, overlaps, by_question=by_question
    )

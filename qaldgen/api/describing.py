"""Describe question sets, by tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.analysis.denominators import denominators
from qaldgen.analysis.question_sets import SET_TABLES, SetTable, duplicates, set_table
from qaldgen.api.questions import Reading, read
from qaldgen.model import QuestionSet

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "SET_TABLES",
    "SetDescription",
    "SetTable",
    "denominators",
    "describe_sets",
    "read_sets",
]


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
    twice = len({one.name for one in found}) < len(found)
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
    """Describe question sets: their sizes, answers, numbers and duplicates.

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
    return SetDescription(set_table(sets, language), tuple(duplicates(sets, language)))

"""Names that others still import from here; the functions stand in the rooms."""

from __future__ import annotations

from pathlib import Path

from qaldgen.datasets.loading import load as load
from qaldgen.formats.reading import Reading as Reading
from qaldgen.formats.reading import reading_notes as notes_on
from qaldgen.model import QuestionSet
from qaldgen.scoring.gold import AnyGold as AnyGold
from qaldgen.scoring.gold import Gold as Gold
from qaldgen.scoring.gold import as_gold as gold_of
from qaldgen.scoring.gold import check_answers as check_answers
from qaldgen.scoring.gold import load_gold, weights_of

__all__ = [
    "AnyGold",
    "Gold",
    "Reading",
    "check_answers",
    "gold_of",
    "load",
    "notes_on",
    "read",
    "read_gold",
    "weights_of",
]


def read(
    name: str | Path, reading: Reading, *, language: str = "en", licence: str = ""
) -> QuestionSet:
    """Read a question set as a record says; see `load`."""
    return load(name, language=language, licence=licence, **reading._asdict())


def read_gold(name: str | Path, reading: Reading, *, language: str = "en") -> Gold:
    """Read gold questions as a record says."""
    return load_gold(name, language=language, **reading._asdict())

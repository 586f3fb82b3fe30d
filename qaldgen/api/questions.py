"""Question sets: read from files, fetched by name, or as the gold questions of a score."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.datasets import catalog, example, fetching
from qaldgen.formats.gather import language_tag
from qaldgen.formats.reading import Reading, read_questions, reading_notes
from qaldgen.model import QuestionSet
from qaldgen.scoring.gold import AnyGold, Gold, as_gold, check_answers, load_gold

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "AnyGold",
    "Gold",
    "Reading",
    "catalogue",
    "check_answers",
    "cite",
    "fetch",
    "gold_of",
    "language_tag",
    "load",
    "names",
    "notes_on",
    "read",
    "read_gold",
    "size_of",
    "weights_of",
    "write_example",
]


def load(
    name: str | Path,
    *,
    format: str | None = None,
    language: str = "en",
    skip_broken: bool = False,
    separator: str = "",
    licence: str = "",
) -> QuestionSet:
    r"""Read a question set.

    A file in any known format, or a public set by name, downloaded if necessary.

    Parameters
    ----------
    name
        The file, or a name of ``qaldgen data list``.
    format
        The format, if it is not recognised.
    language
        Language of texts without a tag.
    skip_broken
        Leave out records that are broken, each by its name and with the reason, instead of refusing
        the file.
    separator
        What separates several gold answers in one text, besides the bar; for tables and JSON
        records.
    licence
        The IRI of the licence of the questions, to be written with them.

    Returns
    -------
    QuestionSet
        ``.left_out`` has the records without a usable question, ``.notes`` what else should be
        known.

    Raises
    ------
    DataError
        If there is neither such a file nor such a set, or it cannot be read.
    UsageError
        If there is no such format, or a separator is given for a format that has none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("question,answer\nWhich moons has Mars?,Phobos|Deimos\n")
    ...     load(path).questions[0].answers.values()
    ['Phobos', 'Deimos']
    """
    return read(name, Reading(format, skip_broken, separator), language=language, licence=licence)


def read(
    name: str | Path, reading: Reading, *, language: str = "en", licence: str = ""
) -> QuestionSet:
    """Read a question set as a record says; see `load`.

    Parameters
    ----------
    name
        The file, or the name of a public set.
    reading
        How it is read.
    language, licence
        See `load`.
    """
    found = read_questions(fetching.resolve(name), language=language, **reading._asdict())
    return dataclasses.replace(found, licence=licence) if licence else found


def notes_on(questions: QuestionSet) -> list[str]:
    """Return what a user should know about how a set was read, with what was left out."""
    return reading_notes(questions)


def read_gold(name: str | Path, reading: Reading, *, language: str = "en") -> Gold:
    """Read gold questions: a benchmark, or a question set.

    Parameters
    ----------
    name
        The file, or the name of a public set.
    reading
        How a question set is read.
    language
        Language of texts without a language tag.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    return load_gold(name, language=language, **reading._asdict())


def gold_of(gold: AnyGold, *, language: str = "en") -> Gold:
    """Return gold questions, in whatever form they are given.

    Parameters
    ----------
    gold
        A file, the name of a public set, questions or a benchmark.
    language
        Language of texts without a language tag.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    return as_gold(gold, language=language)


def weights_of(gold: Gold) -> pd.Series[float] | None:
    """Return the weights that a benchmark gives its questions, by id; None if it gives none."""
    import pandas as pd

    return pd.Series(dict(gold.weights), dtype=float) if gold.weights else None


def catalogue(form: str) -> str:
    """Return the catalogue of public question sets as ``text``, ``json`` or ``csv``."""
    return catalog.describe(form)


def names() -> list[str]:
    """Return the names of the public question sets."""
    return list(catalog.entries())


def cite(name: str) -> str:
    """Describe how a public question set is cited, and its licence."""
    entry = catalog.find(name)
    return (
        f"{entry.name}: {entry.citation}. Licence: {entry.licence} (github.com/{entry.repository})"
    )


def fetch(
    name: str, *, timeout: float = 30.0, progress: Callable[[int], None] | None = None
) -> Path:
    """Fetch a public question set, unless it is in the cache.

    Parameters
    ----------
    name
        A name of ``qaldgen data list``.
    timeout
        The longest wait in seconds for an answer, or for its next bytes.
    progress
        Called with the number of bytes that have come.

    Returns
    -------
    Path
        Its file, or its folder if it has several files.

    Raises
    ------
    DataError
        If it cannot be fetched.
    """
    return fetching.fetch(name, timeout=timeout, progress=progress)


def write_example(folder: str | Path, *, force: bool = False) -> list[Path]:
    """Write the example of README into a folder; return its files.

    Parameters
    ----------
    folder
        Created if it does not exist.
    force
        Overwrite existing files.

    Raises
    ------
    UsageError
        If a file exists and `force` is not set.
    DataError
        If a file cannot be written.
    """
    return example.write_example(folder, force=force)


def size_of(name: str) -> int:
    """Return the number of bytes that `fetch` has to get; 0 if that is unknown."""
    return catalog.find(name).size or 0

"""Statistics of question sets: lengths, accepted variants, duplicates, numbers in answers."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import pandas as pd

from qaldgen.defaults import LANGUAGE
from qaldgen.io.extensions import Table
from qaldgen.io.notes import note
from qaldgen.io.text import few_and_more
from qaldgen.model import Question, QuestionSet
from qaldgen.options import Option
from qaldgen.questions.geval_numbers import find_number
from qaldgen.questions.loading import load

#: Duplicates that are named.
_MAX_DUPLICATES = 10


def set_table(sets: Sequence[QuestionSet], language: str) -> pd.DataFrame:
    """Return statistics of question sets, a row for each; a column for each set and for all."""
    ids_by_text: dict[str, list[str]] = {}
    for question_set in sets:
        for question in question_set.questions:
            ids = ids_by_text.setdefault(question.text(language).strip(), [])
            ids.append(f"{question_set.name}:{question.id}")

    # such as "mine:1, mine:7, other:3: Who wrote Emma?"
    duplicates = [
        f"{', '.join(ids)}: {text[:60]}"
        for text, ids in ids_by_text.items()
        if text and len(ids) > 1
    ]
    if duplicates:
        examples = few_and_more(duplicates, _MAX_DUPLICATES, "; ")
        note(f"texts that occur more than once: {len(duplicates):,} ({examples})")

    by_name = {question_set.name: question_set.questions for question_set in sets}
    if len(sets) > 1:
        by_name["all"] = tuple(itertools.chain.from_iterable(by_name.values()))
    all_questions = itertools.chain.from_iterable(by_name.values())
    sizes = sorted({len(variants(question)) for question in all_questions} - {0})

    columns = {
        name: pd.Series(_make_statistics(questions, sizes, language), dtype=object)
        for name, questions in by_name.items()
    }
    return pd.DataFrame(columns).rename_axis("").reset_index()


def _make_statistics(
    questions: Sequence[Question], sizes: Sequence[int], language: str
) -> dict[str, float]:
    """Return the statistics of some questions; `sizes` are the numbers of variants to count."""
    lengths = [len(question.text(language).split()) for question in questions] or [0]
    golds = [variants(question) for question in questions]
    texts = {question.text(language).strip() for question in questions}

    longest = n_with_number = n_only_numbers = 0
    for gold in filter(None, golds):
        longest = max([longest] + [len(text.split()) for text in gold])
        is_number = [find_number(text) is not None for text in gold]
        n_with_number += any(is_number)
        n_only_numbers += all(is_number)
    n_by_size = Counter(map(len, golds))

    return {
        "Questions": len(questions),
        "Mean tokens per question": round(fmean(lengths), 2),
        "Median tokens per question": median(lengths),
        "Fewest tokens in a question": min(lengths),
        "Most tokens in a question": max(lengths),
        "Questions with gold answers": sum(bool(gold) for gold in golds),
        **{f"Answers with variants: {size}": n_by_size[size] for size in sizes},
        "Longest answer in tokens": longest,
        "Answers with a number in a variant": n_with_number,
        "Answers with a number in every variant": n_only_numbers,
        "Answers that name a variant twice": sum(len(set(gold)) < len(gold) for gold in golds),
        "Questions whose text stands before": len(questions) - len(texts),
    }


def variants(question: Question) -> tuple[str, ...]:
    """Return the accepted variants of all gold answers of a question."""
    gold = question.gold
    return tuple(itertools.chain.from_iterable(gold.texts)) or tuple(gold.values())


class SetTable(NamedTuple):
    """A table about question sets, for ``describe``.

    Attributes
    ----------
    make : callable
        ``(names, sets, language, **options)``: returns the DataFrames of the sets; the names are
        the files, or names of the catalogue, in the order of the sets. It tells notes (`io.notes`).
    help : str
        What the table shows, in one line.
    options : tuple of Option
        The options of the table: arguments of `make` and options of the command line.
    """

    make: Callable[..., Sequence[pd.DataFrame]]
    help: str
    options: tuple[Option, ...] = ()


#: Every table about question sets; the default is the first. Plug-ins add theirs.
SET_TABLES = Table(
    "set-tables",
    SetTable,
    {
        "sets": SetTable(
            lambda names, sets, language: [set_table(sets, language)],
            "lengths, answer variants, numbers, duplicates (the default for several DATA)",
        )
    },
)


def read_sets(
    names: Sequence[str | Path], reading: Mapping[str, Any], *, language: str = LANGUAGE
) -> list[QuestionSet]:
    """Read question sets; if two have the same name, all are named by their split or folder.

    Parameters
    ----------
    names, reading
        The files or public sets, and the options of `load` with which they are read.
    language
        Language of the questions.
    """
    sets = [load(name, language=language, **reading) for name in names]
    if len({question_set.name for question_set in sets}) == len(sets):
        return sets
    renamed = []
    for path, question_set in zip(map(Path, names), sets, strict=True):
        name = path.name if path.is_dir() else f"{path.parent.name}/{path.stem}"
        splits = {question.split for question in question_set}
        if len(splits) == 1 and "" not in splits:
            name = splits.pop()
        renamed.append(dataclasses.replace(question_set, name=name))
    return renamed

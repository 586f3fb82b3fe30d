"""Score, compare and search for weaknesses, from Python: what the verbs of the same names do."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qaldgen.analysis.compare import Comparison, compare_runs
from qaldgen.analysis.discovery import find_slices, scores_to_search
from qaldgen.analysis.feature_table import feature_table, named_slices, query_slices
from qaldgen.analysis.found import Discovery
from qaldgen.benchmark.record import Benchmark
from qaldgen.datasets.fetching import resolve
from qaldgen.errors import DataError, UsageError
from qaldgen.features.cache import cache_file
from qaldgen.formats.reading import read_questions
from qaldgen.model import QuestionSet
from qaldgen.runs.reading import read_run
from qaldgen.runs.record import Run
from qaldgen.scoring.gold import Gold, as_gold
from qaldgen.scoring.missing import check_rule, on_common_questions
from qaldgen.scoring.score import Scores
from qaldgen.scoring.score import score as score_run

AnyGold = str | Path | QuestionSet | Benchmark | Gold
AnyRun = str | Path | Run


def load(
    name: str | Path,
    *,
    format: str | None = None,
    language: str = "en",
    skip_broken: bool = False,
    separator: str = "",
) -> QuestionSet:
    """Read a question set: a file in any of the known forms, or a public set by its name, fetched if need be.

    Parameters
    ----------
    name
        The file, or a name of ``qaldgen data list``.
    format
        The form, where it is not recognised.
    language
        Of texts that do not say theirs.
    skip_broken
        Leave out records that are broken, each by its name and with the reason, instead of refusing the file.
    separator
        What separates several gold answers in one text, beside the bar; for tables and JSON records.

    Returns
    -------
    QuestionSet
        What was left out stands in ``.left_out``, and what else should be known in ``.notes``.

    Raises
    ------
    DataError
        If there is neither such a file nor such a set, or it cannot be read.
    """
    return read_questions(resolve(name), format=format, language=language, skip_broken=skip_broken, separator=separator)


def score(
    gold: AnyGold, run: AnyRun, *, match: str = "gerbil", same_as: str = "none", language: str = "en",
    aliases: Any = None, extract: str = "auto", repeats_as: str = "mean",  # noqa: ANN401
) -> Scores:  # fmt: skip
    """Compare the answers of a system with the gold answers; see `qaldgen.scoring.score.score` for the options.

    Returns
    -------
    Scores
        With the counts of every question (``.counts``), and what a user should know (``.notes``).

    Raises
    ------
    UsageError
        If a rule is unknown.
    DataError
        If a file cannot be read, or gold and run have no question in common.
    """
    asked = as_gold(gold, language=language)
    answers = run if isinstance(run, Run) else read_run(run, gold=asked.questions, language=language)
    return score_run(
        asked, answers, match=match, same_as=same_as, language=language, aliases=aliases, extract=extract,
        repeats_as=repeats_as,
    )  # fmt: skip


def compare(
    gold: AnyGold,
    runs: Sequence[AnyRun],
    *,
    by: Sequence[str] = (),
    where: Sequence[str] = (),
    measure: str = "macro-f1",
    correct: str = "holm",
    alpha: float = 0.05,
    repeats: int = 10_000,
    random_state: int = 0,
    missing: str = "asked",
    language: str = "en",
    **options: Any,  # noqa: ANN401 - those of `score`
) -> Comparison:
    """Compare systems on the same questions, overall and on slices, with paired tests corrected for the number of looks.

    Parameters
    ----------
    gold
        The questions.
    runs
        Two systems or more.
    by, where
        Slices by feature, and by SPARQL query.
    measure, correct, alpha, repeats, random_state
        See `qaldgen.analysis.compare.compare_runs`.
    missing
        Which questions count, see `qaldgen.scoring.missing.on_common_questions`: by default those that every run was asked; the
        result's ``notes`` say what was left out.
    language, options
        See `score`.

    Raises
    ------
    UsageError
        If there are fewer than two systems, or a name is unknown.
    DataError
        If a file cannot be read, two runs have the same name, or no question counts for all.
    """
    check_rule(missing)
    asked = as_gold(gold, language=language)
    scored = [score(asked, run, language=language, **options) for run in runs]
    twice = next((name for name, often in Counter(one.name for one in scored).items() if often > 1), None)
    if twice is not None:
        raise DataError(f"two runs are called {twice!r}; name them when they are read: read_run(path, name=...)")
    if not scored:
        raise UsageError("there is no run to compare; give two or more")
    same, note = on_common_questions(scored, missing)
    slices = named_slices(feature_table(asked, language=language, cache=cache_file()), by) if by else []
    slices += query_slices(asked, where, language=language, cache=cache_file())
    compared = compare_runs(
        {one.name: one.counts for one in same}, slices, measure=measure, correct=correct, alpha=alpha, repeats=repeats,
        random_state=random_state,
    )  # fmt: skip
    return dataclasses.replace(compared, notes=(note,) if note else ())


def slices(
    gold: AnyGold,
    run: AnyRun,
    *,
    against: AnyRun | None = None,
    measure: str = "macro-f1",
    depth: int = 3,
    min_support: int | None = None,
    method: str = "held-out",
    alpha: float = 0.05,
    random_state: int = 0,
    missing: str = "asked",
    language: str = "en",
    **options: Any,  # noqa: ANN401 - those of `score`
) -> Discovery:
    """Find the slices where a system is worst, or where it loses most against another one.

    Parameters
    ----------
    gold, run
        The questions, and the answers of the system.
    against
        The other system.
    measure
        What is searched for: a key of `qaldgen.scoring.measures.MEASURES`, of each question alone.
    depth, min_support, method, alpha, random_state
        See `qaldgen.analysis.discovery.find_slices`.
    missing
        See `compare`.
    language, options
        See `score`.

    Raises
    ------
    UsageError
        If a name is unknown.
    DataError
        If a file cannot be read, or there are too few questions.
    """
    check_rule(missing)
    asked = as_gold(gold, language=language)
    both = [score(asked, one, language=language, **options) for one in (run, against) if one is not None]
    scored, note = on_common_questions(both, missing)
    scores = scores_to_search([one.counts for one in scored], measure)
    table = feature_table(asked, language=language, cache=cache_file())
    found = find_slices(
        scores, table, depth=depth, min_support=min_support, method=method, alpha=alpha, random_state=random_state
    )
    return dataclasses.replace(found, notes=(note,) if note else ())

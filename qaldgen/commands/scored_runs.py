"""Read the gold questions and the runs that a command names, and score the runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen import api
from qaldgen.api.options import Scoring
from qaldgen.commands import common
from qaldgen.commands.scoring_options import JUDGE, ScoringOptions
from qaldgen.errors import DataError, UsageError
from qaldgen.io.garbage import collecting_no_garbage
from qaldgen.io.inputs import shown_name, stream_number
from qaldgen.io.outputs import same_file
from qaldgen.io.terminal import one_line

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Run, Scores
    from qaldgen.api.questions import Gold, Reading

#: Left out of a run's name, like its extension.
_PACKED = {".gz", ".bz2", ".zip"}


def scored_runs(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    reading: Reading,
    *,
    answers: bool = True,
    nothing: bool = False,
    alone: bool = False,
    outcomes: bool = False,
) -> tuple[Gold, list[Scores]]:
    """Read the gold questions and the runs, score the runs, and print the notes.

    With `answers` false, gold queries are enough. With `nothing` true, it is not an error if no
    question can be scored, as in GERBIL.

    Parameters
    ----------
    gold
        The gold file or name.
    runs
        The run files.
    scoring
        Scoring options.
    reading
        How to read the gold file.
    answers
        Require gold answers.
    nothing
        Allow that no question is scored.
    alone
        Require that the gold file is a log, as no run is named.
    outcomes
        Add the outcome of each question to the counts.

    Returns
    -------
    tuple of Gold and list of Scores
        The gold questions and the scored runs.
    """
    rules = scoring.rules()
    scoring.check_types(wanted=outcomes)
    _check_inputs(gold, runs, scoring, reading)
    scoring.judging().check(
        wanted=scoring.match == JUDGE, inputs=[gold, *runs, scoring.aliases, scoring.labels]
    )
    names = run_names(runs)
    if scoring.match == JUDGE:  # so every table and report says what its numbers are
        names = [f"{name} (judge, unchecked)" for name in names]
    # Reading creates millions of objects that stay alive; looking for cycles among them only costs
    # time.
    with collecting_no_garbage():
        try:
            asked, told = _gold(gold, scoring, reading, answers=answers)
        except DataError as error:
            raise _swapped(gold, runs) or error from None
        if alone:
            api.checks.check_log(gold, asked.questions)
        wordings = api.wordings.read_wordings(scoring.aliases, scoring.labels, asked, scoring.lang)
        rules = dataclasses.replace(rules, aliases=wordings)
        read = [
            _read_run(asked, path, name, scoring) for path, name in zip(runs, names, strict=True)
        ]
        swapped = (
            api.swapped.swap_note(asked, path, run.format)
            for path, run in zip(runs, read, strict=True)
        )
        told += [note for note in swapped if note]
        if rules.matcher == JUDGE:
            verdicts = scoring.judging().verdicts(asked, read, rules)
            rules, told = dataclasses.replace(rules, match=verdicts), [*told, *verdicts.notes]
        rules = api.scoring.resolved(asked, read, rules)
        scored = [_scored_run(asked, run, rules) for run in read]
    if outcomes:
        scored = api.outcomes.with_outcomes(asked, scored, rules, scoring.types())
    alike, note = api.scoring.judged_alike(scored)
    told += [note for one in alike for note in one.notes]
    # Each note once, in order: several runs often give the same.
    common.notes(dict.fromkeys([*told, *([note] if note else [])]))
    # Answers that only await a judge are not an error.
    if alike[0].counts.empty and (alike[0].unjudged or not nothing):
        raise DataError(
            f"{asked.questions.name}: no questions left to score; see the notes, and check --lang"
            " and --match"
        )
    return asked, alike


def _swapped(gold: str, runs: Sequence[str]) -> DataError | None:
    """Return an error that says so if the questions and a run were given in the wrong order."""
    if any(stream_number(name) is not None for name in (gold, *runs)) or gold in runs:
        return None
    hint = api.swapped.swap_hint(gold, runs)
    return DataError(hint, where=gold) if hint else None


def _check_inputs(
    gold: str, runs: Sequence[str], scoring: ScoringOptions, reading: Reading
) -> None:
    """Reject unknown formats, and files that are missing or invalid, before any work is done."""
    api.checks.check_set_form(reading.format)
    api.checks.check_run_form(scoring.run_format)
    api.checks.check_sets(gold)
    api.checks.check_files(*runs, scoring.aliases)
    if scoring.aliases:
        api.wordings.read_aliases(scoring.aliases)


def _read_run(asked: Gold, path: str, name: str, scoring: ScoringOptions) -> Run:
    """Read one run."""
    with common.clock(f"reading {path}"):
        return api.scoring.read_run(
            path,
            format=scoring.run_format,
            name=name,
            gold=asked.questions,
            language=scoring.lang,
            filter=scoring.filter_,
        )


def _scored_run(asked: Gold, run: Run, rules: Scoring) -> Scores:
    """Score one run."""
    with common.clock(f"scoring {run.name}"):
        return api.scoring.score_run(asked, run, rules)


def _gold(
    gold: str, scoring: ScoringOptions, reading: Reading, *, answers: bool
) -> tuple[Gold, list[str]]:
    """Read the gold questions with their notes; raise if `answers` are required but missing."""
    with common.clock(f"reading {gold}"):
        asked = api.questions.read_gold(gold, reading, language=scoring.lang)
    told = list(api.questions.notes_on(asked.questions))
    matcher = api.scoring.MATCHERS.get(scoring.match)
    # These matchers compare queries, passages or recorded verdicts, not answers.
    if answers and not (matcher and (matcher.linking or matcher.passages or matcher.logged)):
        try:
            api.questions.check_answers(asked)
        except DataError:
            common.notes(told)  # the notes may say where the answers are
            raise
    return asked, told


def run_names(runs: Sequence[str]) -> list[str]:
    """Name the systems by their files, as briefly as uniqueness allows.

    Names are the files without extension, else with it, else with their folder, else the full
    paths.

    Raises
    ------
    UsageError
        If a file is given twice.

    Examples
    --------
    >>> run_names(["a/one.v2.json.gz", "a/two.json"]), run_names(["a/one.json", "b/one.json"])
    (['one.v2', 'two'], ['a/one', 'b/one'])
    """
    doubled = next(
        (run for at, run in enumerate(runs) if any(same_file(run, other) for other in runs[:at])),
        None,
    )
    # Two systems with the same answers would tie everywhere, and the correction of p-values would
    # count a test too many.
    if doubled is not None:
        raise UsageError(f"{doubled}: is given twice; name each run once")
    paths = [
        Path(one_line(run)) if stream_number(run) is None else Path(f"{shown_name(Path(run))}-{at}")
        for at, run in enumerate(runs, 1)
    ]
    # Only the packing is dropped here: one.v2.json.gz becomes one.v2, not one.
    plain = [path.with_suffix("") if path.suffix in _PACKED else path for path in paths]
    schemes = (
        [path.stem for path in plain],
        [path.name for path in paths],
        [f"{path.parent.name}/{path.stem}".lstrip("/") for path in plain],
        [str(path) for path in paths],
    )
    return next((found for found in schemes if len(set(found)) == len(found)), schemes[-1])


def gold_weights(gold: Gold, weighted: bool) -> pd.Series[float] | None:
    """Return the weights of the benchmark, or None without --weighted.

    Parameters
    ----------
    gold
        The gold questions.
    weighted
        Whether --weighted was given.

    Returns
    -------
    Series or None
        Weights by question.
    """
    if not weighted:
        return None
    weights = api.questions.weights_of(gold)
    if weights is None:
        raise UsageError(
            "--weighted: the gold questions have no weights; use a "
            "benchmark written by 'qaldgen sample'"
        )
    return weights

"""Verbs that score: how runs are read and judged, and the slices of their questions."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import checks, common, groups, judge_options
from qaldgen.cli.judge_options import JudgeOptions
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import given
from qaldgen.errors import DataError, UsageError
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.files import is_folder, shown_name, stream_number
from qaldgen.io.outputs import same_file
from qaldgen.io.progress import step
from qaldgen.io.terminal import one_line

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Gold, Run, Scores
    from qaldgen.analysis.mistakes import TypeSource
    from qaldgen.analysis.slicing import Slice
    from qaldgen.formats.reading import Reading
    from qaldgen.scoring.matchers import Scoring

#: Where the options are declared.
COMPARE = "qaldgen.analysis.comparing.comparison:compare"
SCORE = "qaldgen.analysis.scores:score"
_READ_RUN = "qaldgen.runs.reading:read_run"
_TYPES = "qaldgen.analysis.mistakes:TypeSource"
_RULES = ("match", "same_as", "language", "aliases", "labels", "extract", "repeats_as")
_TYPE_OPTIONS = ("kg", "type_predicates", "superclass_predicates", "related_depth", "hierarchy")
#: The matcher that asks a system.
JUDGE = "judge"
#: Left out of a run's name, like its extension.
_PACKED = {".gz", ".bz2", ".zip"}


class ScoringOptions(SimpleNamespace):
    """The values of `scoring_options`, by parameter."""

    def rules(self) -> Scoring:
        """Return the scoring rules; refuse unknown ones."""
        from qaldgen.scoring.matchers import Scoring

        rules = Scoring(*(getattr(self, name) for name in _RULES))
        checks.check_scoring(rules)
        return rules

    def types(self) -> TypeSource:
        """Return where the types of answers come from."""
        from qaldgen.analysis.mistakes import TypeSource

        return TypeSource(*(getattr(self, name) for name in _TYPE_OPTIONS))

    def check_types(self, *, wanted: bool) -> None:
        """Refuse options about types if no table has outcomes, and invalid predicates."""
        if given(*_TYPE_OPTIONS) and not wanted:
            from qaldgen.scoring.measures import BY_OUTCOME

            raise UsageError(
                "--kg and the options about types are for outcomes: score --outcomes, or --measure"
                f" with one of {', '.join(BY_OUTCOME)}"
            )
        if self.kg is None and given(*_TYPE_OPTIONS):
            raise UsageError("types come from a knowledge graph; name it with --kg")
        self.types()
        checks.check_files(self.hierarchy, self.kg)

    def judging(self) -> JudgeOptions:
        """Return who judges."""
        return JudgeOptions(
            self.judge,
            self.judge_model,
            self.template,
            self.journal,
            self.judge_option,
            self.judge_all,
        )


def scoring_options(command: groups.Command) -> groups.Command:
    """Add the options of reading and scoring; the command gets ``scoring`` and ``reading``."""
    reading = groups.reading_options(
        click.option(
            "--gold-format",
            "form_of_set",
            metavar="NAME",
            help="Format of GOLD, if it is not recognised (qaldgen list formats).",
        )
    )
    return groups.collected(
        "scoring",
        ScoringOptions,
        options_of(SCORE, *_RULES, section="Scoring"),
        options_of(
            _READ_RUN, "format", "filter", called={"format": "run-format"}, section="Scoring"
        ),
        groups.headed(
            "Scoring",
            click.option(
                "--weighted", is_flag=True, help="Weight questions as the benchmark says."
            ),
        ),
        *(groups.headed(judge_options.SECTION, option) for option in judge_options.OPTIONS),
        options_of(
            _TYPES,
            *_TYPE_OPTIONS,
            called={
                "type_predicates": "type-predicate",
                "superclass_predicates": "superclass-predicate",
            },
            section="Types of answers",
        ),
    )(reading(command))


class Cuts(SimpleNamespace):
    """How the questions are sliced, and which questions count; `across` is language or wording."""

    def __init__(self, by: Sequence[str], **rest: Any) -> None:  # noqa: ANN401 - values of options
        from qaldgen.scoring.measures import ACROSS

        across = [name for name in by if name in ACROSS]
        if len(across) > 1:
            raise UsageError("--by language and --by wording are two questions; ask one at a time")
        super().__init__(
            by=tuple(name for name in by if name not in ACROSS), across="".join(across), **rest
        )

    def check(self) -> None:
        """Reject unknown features and queries."""
        checks.check_slices(self.by, self.where)
        checks.check_files(self.clusters)
        checks.check_sets(*self.also_gold)

    def clustered(self, gold: Gold) -> Gold:
        """Return the questions with the clusters of --clusters, if it is given."""
        if self.clusters is None:
            return gold
        from qaldgen.analysis.cluster_slices import clustered

        found, notes = clustered(gold, self.clusters)
        common.notes(notes)
        return found

    def slices(self, gold: Gold, language: str) -> list[Slice]:
        """Return the slices of --by and --where; print what could not be computed."""
        from qaldgen.analysis.feature_table import slices_of

        slices, problems = slices_of(gold, self.by, self.where, language=language)
        common.notes(problems)
        return slices


def slice_options(
    missing: Callable[[Any], Any] | None = None,
) -> Callable[[groups.Command], groups.Command]:
    """Add --by, --where, --clusters and --missing; the command gets ``cuts``."""
    clusters = click.option(
        "--clusters",
        metavar="FILE",
        help=(
            "A benchmark of 'sample' or 'cluster': --by cluster slices its pool, GOLD, by its"
            " clusters."
        ),
    )
    parts = (
        options_of(COMPARE, "by", "where", section="Slices"),
        groups.headed("Slices", clusters),
        options_of(SCORE, "also_gold", section="Slices"),
        missing or options_of(COMPARE, "missing", section="Slices"),
    )
    return groups.collected("cuts", Cuts, *parts)


def test_options(command: groups.Command) -> groups.Command:
    """Add the options of significance tests; the command gets ``tests``, keywords of `compare`."""
    names = ("correct", "alpha", "n_resamples", "random_state")
    return groups.collected("tests", dict, options_of(COMPARE, *names, section="Tests"))(command)


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
    across: str | None = None,
    among: Sequence[str] = (),
) -> tuple[Gold, list[Scores]]:
    """Read the gold questions and the runs, score the runs, and print the notes.

    With `answers` false, gold queries are enough. With `nothing` true, it is not an error if no
    question can be scored, as in GERBIL. With `alone` true, the gold file must hold answers
    of a system too, as no run is named. With `outcomes` true, the counts get the outcome of each
    question. With `across`, a key of `scoring.measures.ACROSS` or empty for what there is, they get
    what other languages (`among` these) or wordings say; journals get it anyway.
    """
    from qaldgen.analysis.common_questions import judged_alike
    from qaldgen.analysis.mistakes import with_outcomes
    from qaldgen.analysis.scores import score_all, with_wordings
    from qaldgen.scoring.gold import gold_as_run, gold_wordings, swap_note

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
    with without_garbage_collection():
        try:
            asked = _gold(gold, scoring, reading, answers=answers)
        except DataError as error:
            raise _swapped(gold, runs) or error from None
        if alone:
            gold_as_run(gold, asked.questions.format)
        wordings = gold_wordings(scoring.aliases, scoring.labels, asked, scoring.language)
        rules = dataclasses.replace(rules, aliases=wordings, labels="")
        read = [
            _read_run(asked, path, name, scoring) for path, name in zip(runs, names, strict=True)
        ]
        swapped = (swap_note(asked, path, run.format) for path, run in zip(runs, read, strict=True))
        common.notes(note for note in swapped if note)
        if rules.matcher == JUDGE:
            verdicts = scoring.judging().verdicts(asked, read, rules)
            rules = dataclasses.replace(rules, match=verdicts)
            common.notes(verdicts.notes)
        scored = score_all(asked, read, rules)
    if outcomes:
        scored = with_outcomes(asked, scored, rules, scoring.types())
    if across is not None or any(run.format == "journal" and run.others for run in read):
        needed = across is not None
        scored = with_wordings(asked, scored, rules, across or "", among=among, needed=needed)
    alike, note = judged_alike(scored)
    common.notes([*(note for run in alike for note in run.notes), *([note] if note else [])])
    # Answers that only await a judge are not an error.
    if alike[0].counts.empty and (alike[0].unjudged or not nothing):
        raise DataError(
            f"{asked.questions.name}: no questions left to score; see the notes, and check --lang"
            " and --match"
        )
    return asked, alike


def on_editions(
    gold: Gold, scored: list[Scores], also_gold: Sequence[str], scoring: ScoringOptions
) -> tuple[Gold, list[Scores]]:
    """Return the questions marked with what changed, and the scores with those on each edition."""
    from qaldgen.analysis.scores import changes_in, with_editions

    changes = changes_in(gold, also_gold, language=scoring.language)
    made = with_editions(gold, scored, scoring.rules(), changes)
    common.notes(made[0].notes[len(scored[0].notes) :])
    for one in reversed(changes):  # the first change is the one that counts
        gold = dataclasses.replace(gold, questions=one.marked(gold.questions))
    return gold, made


def _swapped(gold: str, runs: Sequence[str]) -> DataError | None:
    """Return an error that says so if the questions and a run were given in the wrong order."""
    from qaldgen.scoring.gold import swap_hint

    if any(stream_number(name) is not None for name in (gold, *runs)) or gold in runs:
        return None
    hint = swap_hint(gold, runs)
    return DataError(hint, where=gold) if hint else None


def _check_inputs(
    gold: str, runs: Sequence[str], scoring: ScoringOptions, reading: Reading
) -> None:
    """Reject unknown formats, and files that are missing or invalid, before any work is done."""
    from qaldgen.scoring.gold import read_aliases

    checks.check_set_form(reading.format)
    checks.check_run_form(scoring.format)
    checks.check_sets(gold)
    checks.check_files(*runs, scoring.aliases)
    if scoring.aliases:
        read_aliases(scoring.aliases)


def _read_run(asked: Gold, path: str, name: str, scoring: ScoringOptions) -> Run:
    from qaldgen import read_run

    with step(f"reading {path}"):
        return read_run(
            path,
            format=scoring.format,
            name=name,
            gold=asked.questions,
            language=scoring.language,
            filter=scoring.filter,
        )


def _gold(gold: str, scoring: ScoringOptions, reading: Reading, *, answers: bool) -> Gold:
    """Read the gold questions, and print their notes; raise if answers are required but missing."""
    from qaldgen.formats.reading import reading_notes
    from qaldgen.scoring.gold import check_answers, load_gold
    from qaldgen.scoring.matchers import MATCHERS

    with step(f"reading {gold}"):
        asked = load_gold(gold, language=scoring.language, **reading._asdict())
    common.notes(reading_notes(asked.questions))
    matcher = MATCHERS.get(scoring.match)
    if answers and (matcher is None or matcher.gold is None):
        check_answers(asked)
    return asked


def runs_argument(**settings: Any) -> Callable[[groups.Command], groups.Command]:  # noqa: ANN401
    """Return the argument RUNS: a folder stands for the files in it, except the questions."""

    def files(context: click.Context, _: click.Parameter, names: Sequence[str]) -> tuple[str, ...]:
        from qaldgen.formats.folders import run_files

        gold = context.params.get("gold")
        found: list[str] = []
        for name in names:
            inside = map(str, run_files(Path(name))) if is_folder(Path(name)) else ()
            found += [one for one in inside if not (gold and same_file(one, gold))] or [name]
        return tuple(found)

    return click.argument("runs", nargs=-1, callback=files, **settings)


def run_names(runs: Sequence[str]) -> list[str]:
    """Name the systems by their files, as briefly as uniqueness allows.

    Names are the files without extension, else with it, else with their folder, else the full
    paths.

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
    return next((names for names in schemes if len(set(names)) == len(names)), schemes[-1])


def gold_weights(gold: Gold, weighted: bool) -> pd.Series[float] | None:
    """Return the weights of the benchmark, or None without --weighted."""
    from qaldgen.scoring.gold import weights_of

    if not weighted:
        return None
    weights = weights_of(gold)
    if weights is None:
        raise UsageError(
            "--weighted: the gold questions have no weights; use a "
            "benchmark written by 'qaldgen sample'"
        )
    return weights


def common_questions(scored: Sequence[Scores], missing: str) -> list[Scores]:
    """Restrict the runs to the questions that count for all of them; print what is left out."""
    from qaldgen.analysis.common_questions import on_common_questions

    same, note = on_common_questions(scored, missing)
    common.notes([note] if note else [])
    return same


def across_of(cuts: Cuts | None, measure: str | None) -> str | None:
    """Return in what questions vary; empty for whatever there is, None if nobody asks."""
    from qaldgen.scoring.measures import BY_WORDING

    return (cuts.across if cuts else "") or ("" if measure in BY_WORDING else None)


def is_outcome(measure: str) -> bool:
    """Return whether a measure needs outcomes, and print a note if less of it is better."""
    from qaldgen.scoring.measures import BY_OUTCOME, higher_is_better, named

    if not higher_is_better(measure):
        common.notes([f"{named(measure).label}: lower is better"])
    return measure in BY_OUTCOME


measure_option = functools.partial(options_of, COMPARE, "measure")

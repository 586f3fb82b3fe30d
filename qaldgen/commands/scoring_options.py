"""Options and steps that the verbs on gold and runs share."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_files, check_run_form, check_set_form, check_sets
from qaldgen.errors import DataError, UsageError
from qaldgen.files import read_text
from qaldgen.inputs import shown_name, stream_number
from qaldgen.outputs import same_file
from qaldgen.terminal import one_line

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.slices import Slice
    from qaldgen.question_sets import Reading
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.score import Scores
    from qaldgen.scoring.text_wordings import Aliases

Command = TypeVar("Command", bound=Callable[..., Any])
#: The level of tests.
LEVEL = click.FloatRange(0, 1, min_open=True, max_open=True)
_PACKED = {".gz", ".bz2", ".zip"}

_OPTIONS = (
    click.option(
        "--match",
        default="gerbil",
        show_default=True,
        metavar="RULES",
        help="When an answer is right: gerbil, gerbil-2023, strict; in words: exact, token-f1, hit-at-1, contains; of linkers: "
        "entities, relations, classes.",
    ),
    click.option("--same-as", default="none", show_default=True, help="GERBIL's other IRIs of the same thing: none or offline."),
    click.option("--lang", default="en", show_default=True, help="The language of the experiment."),
    click.option("--aliases", metavar="FILE", help="JSON: gold answer to further wordings, for answers in words."),
    common.reading_options("--gold-format", "The form of GOLD, where it is not recognised."),
    click.option("--run-format", metavar="NAME", help="The form of the runs, where it is not recognised."),
    click.option("--weighted", is_flag=True, help="Use the weights of the benchmark."),
)


def scoring_options(command: Command) -> Command:
    """Add what says how answers are compared."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def format_option(command: Command) -> Command:
    """Add --format of tables."""
    return click.option("--format", "form", default="text", show_default=True, help="text, markdown, latex, csv or json.")(
        command
    )


def slice_options(command: Command) -> Command:
    """Add --by and --where."""
    where = click.option("--where", multiple=True, metavar="QUERY", help="A slice: the questions that a SPARQL query selects.")
    by = click.option(
        "--by", multiple=True, metavar="FEATURE", help="Slices by a feature, 'cluster', or several features with a comma."
    )
    return by(where(command))


def check_choice(option: str, value: str, choices: Iterable[str]) -> None:
    """Refuse an unknown name before the work is done, and suggest what may be meant."""
    names = list(choices)
    if value in names:
        return
    near = difflib.get_close_matches(value, names, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(f"{option} {value}: there is no such name; {hint}choose one of {', '.join(names)}")


def check_form(form: str) -> None:
    """Refuse an unknown form of tables before the work is done."""
    from qaldgen.report.result_tables import TABLE_FORMS

    check_choice("--format", form, TABLE_FORMS)


def scored_runs(
    gold: str, runs: Sequence[str], *, match: str, same_as: str, lang: str, aliases: str | None, reading: Reading,
    run_format: str | None, answers: bool = True, nothing: bool = False,
) -> tuple[Gold, list[Scores]]:  # fmt: skip
    """Read gold and runs, score the runs, and tell what there is to know.

    Without `answers` the gold queries will do; with `nothing` it may be that no question is scored, as GERBIL allows.
    """
    from qaldgen.question_sets import reading_notes
    from qaldgen.runs.reading import read_run
    from qaldgen.scoring.gerbil import SAME_AS
    from qaldgen.scoring.gold import check_answers, load_gold
    from qaldgen.scoring.matchers import LINKING_MATCHERS, MATCHERS
    from qaldgen.scoring.score import score

    check_choice("--match", match, MATCHERS)
    check_choice("--same-as", same_as, SAME_AS)
    check_set_form(reading.format)
    check_run_form(run_format)
    check_sets(gold)
    check_files(*runs, aliases)
    names = run_names(runs)
    wordings = _read_aliases(aliases) if aliases else None
    asked = load_gold(gold, language=lang, **reading._asdict())
    told = reading_notes(asked.questions)
    if answers and match not in LINKING_MATCHERS:
        try:
            check_answers(asked)
        except DataError:
            common.notes(told)  # the notes may say where the answers are
            raise
    scored = []
    for path, name in zip(runs, names, strict=True):
        run = read_run(path, format=run_format, name=name, gold=asked.questions, language=lang)
        scored.append(score(asked, run, match=match, same_as=same_as, language=lang, aliases=wordings))
        told += scored[-1].notes
    common.notes(dict.fromkeys(told))
    if scored[0].counts.empty and not nothing:
        raise DataError(f"{asked.questions.name}: no question is left to score; see the notes, and check --lang and --match")
    return asked, scored


def run_names(runs: Sequence[str]) -> list[str]:
    """Return what to call the systems: their files without endings; where these are the same, with endings, or with the folder.

    Raises
    ------
    UsageError
        If a file is given twice.

    Examples
    --------
    >>> run_names(["a/one.v2.json.gz", "a/two.json"]), run_names(["a/one.json", "b/one.json"])
    (['one.v2', 'two'], ['a/one', 'b/one'])
    """
    doubled = next((run for at, run in enumerate(runs) if any(same_file(run, other) for other in runs[:at])), None)
    if doubled is not None:
        raise UsageError(f"{doubled}: is given twice; a run is compared with others, not with itself")
    paths = [
        Path(one_line(run)) if stream_number(run) is None else Path(f"{shown_name(Path(run))}-{at}")
        for at, run in enumerate(runs, 1)
    ]
    plain = [path.with_suffix("") if path.suffix in _PACKED else path for path in paths]
    schemes = (
        [path.stem for path in plain],
        [path.name for path in paths],
        [f"{path.parent.name}/{path.stem}".lstrip("/") for path in plain],
        [str(path) for path in paths],
    )
    return next((found for found in schemes if len(set(found)) == len(found)), schemes[-1])


def _read_aliases(path: str) -> Aliases:
    try:
        found = json.loads(read_text(Path(path)))
    except ValueError as error:
        raise DataError(f"{path}: cannot be read as JSON ({error}); an object of lists of strings is expected") from error
    if not isinstance(found, dict) or not all(isinstance(names, list) for names in found.values()):
        raise DataError(f"{path}: an object of lists of strings is expected: gold answer to further wordings")
    return found


def gold_weights(gold: Gold, weighted: bool) -> pd.Series[float] | None:
    """Return the weights of the benchmark, or None where they are not asked for."""
    import pandas as pd

    if not weighted:
        return None
    if not gold.weights:
        raise UsageError("--weighted: the gold questions have no weights; give a benchmark that 'qaldgen sample' wrote")
    return pd.Series(dict(gold.weights), dtype=float)


def features_of(gold: Gold, lang: str) -> pd.DataFrame:
    """Compute the features of the gold questions, with a bar; say what could not be computed."""
    from qaldgen.analysis.feature_table import feature_table
    from qaldgen.features.cache import cache_file
    from qaldgen.features.problems import Complaint, problem_notes

    problems: list[Complaint] = []
    with common.progress_bar("features", len(gold.questions.questions)) as bar:
        table = feature_table(gold, language=lang, cache=cache_file(), progress=bar.update, complain=problems.append)
    common.notes(problem_notes(problems, gold.questions.questions))
    return table


def wanted_slices(gold: Gold, by: Sequence[str], where: Sequence[str], lang: str) -> list[Slice]:
    """Return the slices that --by and --where name."""
    from qaldgen.analysis.feature_table import named_slices, query_slices
    from qaldgen.features.cache import cache_file

    found = named_slices(features_of(gold, lang), by) if by else []
    return found + query_slices(gold, where, language=lang, cache=cache_file())

"""Options and steps that the verbs on gold and runs share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen.commands import common
from qaldgen.errors import DataError, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.slices import Slice
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.score import Scores
    from qaldgen.scoring.text_wordings import Aliases

Command = TypeVar("Command", bound=Callable[..., Any])

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
    click.option("--gold-format", metavar="NAME", help="The form of GOLD, where it is not recognised."),
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


def check_form(form: str) -> None:
    """Refuse an unknown form of tables before the work is done."""
    from qaldgen.report.result_tables import TABLE_FORMS

    if form not in TABLE_FORMS:
        raise UsageError(f"format {form!r} is unknown; choose one of {', '.join(TABLE_FORMS)}")


def scored_runs(
    gold: str, runs: Sequence[str], *, match: str, same_as: str, lang: str, aliases: str | None, gold_format: str | None,
    run_format: str | None,
) -> tuple[Gold, list[Scores]]:  # fmt: skip
    """Read gold and runs, score the runs, and tell what there is to know."""
    from qaldgen.runs.reading import read_run
    from qaldgen.scoring.gold import load_gold
    from qaldgen.scoring.matchers import Rules, make_matcher
    from qaldgen.scoring.score import score

    make_matcher(match, Rules(same_as))  # a wrong name is told before files are read
    wordings = _read_aliases(aliases) if aliases else None
    asked = load_gold(gold, format=gold_format, language=lang)
    common.notes(
        f"{asked.questions.name}: {len(asked.questions.left_out)} records left out" for _ in asked.questions.left_out[:1]
    )
    names = _names(runs)
    scored = []
    for path, name in zip(runs, names, strict=True):
        run = read_run(path, format=run_format, name=name, gold=asked.questions, language=lang)
        scored.append(score(asked, run, match=match, same_as=same_as, language=lang, aliases=wordings))
        common.notes(f"{name}: {note}" for note in scored[-1].notes)
    return asked, scored


def _names(runs: Sequence[str]) -> list[str]:
    """Return what to call the systems: the names of their files without endings, with the folder where two are the same."""
    stems = [Path(run).name.split(".")[0] or run for run in runs]
    names = [stem if stems.count(stem) == 1 else f"{Path(run).parent.name}/{stem}" for run, stem in zip(runs, stems, strict=True)]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise UsageError(f"two runs are called {doubled!r}; rename one file")
    return names


def _read_aliases(path: str) -> Aliases:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
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
    """Compute the features of the gold questions, with a bar."""
    from qaldgen.analysis.feature_table import feature_table
    from qaldgen.features.cache import cache_file

    with common.progress_bar("features", len(gold.questions.questions)) as bar:
        return feature_table(gold, language=lang, cache=cache_file(), progress=bar.update)


def wanted_slices(gold: Gold, by: Sequence[str], where: Sequence[str], lang: str) -> list[Slice]:
    """Return the slices that --by and --where name."""
    from qaldgen.analysis.feature_table import named_slices, query_slices
    from qaldgen.features.cache import cache_file

    found = named_slices(features_of(gold, lang), by) if by else []
    return found + query_slices(gold, where, language=lang, cache=cache_file())

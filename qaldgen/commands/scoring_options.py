"""Options and steps that the verbs on gold and runs share."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_choice, check_files, check_run_form, check_set_form, check_sets
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_wordings
from qaldgen.io.files import read_text
from qaldgen.io.inputs import shown_name, stream_number
from qaldgen.io.outputs import same_file
from qaldgen.io.terminal import one_line

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.slices import Slice
    from qaldgen.formats.reading import Reading
    from qaldgen.scoring.gold import Gold
    from qaldgen.scoring.score import Scores
    from qaldgen.scoring.words.wordings import Aliases

Command = TypeVar("Command", bound=Callable[..., Any])
_PACKED = {".gz", ".bz2", ".zip"}

#: Where the context keeps what was said of answers in words.
_SAID = "qaldgen.words."


def _said(option: str, metavar: str, text: str) -> Callable[[Command], Command]:
    """Return an option that no verb needs to pass on: `scored_runs` finds it in the context."""
    key = _SAID + option.strip("-").replace("-", "_")

    def keep(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        context.meta[key] = value

    return click.option(option, metavar=metavar, expose_value=False, callback=keep, help=text)


def _what_was_said(name: str, default: str = "") -> str:
    context = click.get_current_context(silent=True)
    return str((context.meta.get(_SAID + name) if context else None) or default)


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
    _said("--labels", "SOURCE", "Names of gold answers that are codes (Q64): RDF, a table, or the URL of a SPARQL endpoint."),
    _said(
        "--extract", "HOW", "How the answer is found in a reply in words: auto (default), whole, last-line, raw or regex:PATTERN."
    ),
    _said(
        "--repeats-as",
        "RULE",
        "How several answers to one question count: mean (default), majority, pass@k (pass@5), first or last.",
    ),
    common.reading_options("--gold-format", "The form of GOLD, where it is not recognised."),
    click.option("--run-format", metavar="NAME", help="The form of the runs, where it is not recognised."),
    click.option("--weighted", is_flag=True, help="Use the weights of the benchmark."),
)


def scoring_options(command: Command) -> Command:
    """Add what says how answers are compared."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def missing_option(command: Command) -> Command:
    """Add --missing of verbs that compare."""
    return click.option(
        "--missing", default="asked", show_default=True,
        help="Questions that count: asked (those that every run was asked), zero (all; what is missing is wrong), skip (those "
        "that no run failed on either).",
    )(command)  # fmt: skip


def common_questions(scored: Sequence[Scores], missing: str) -> list[Scores]:
    """Return the runs on the questions that count for all of them, and tell what is left out."""
    from qaldgen.scoring.missing import on_common_questions

    same, note = on_common_questions(scored, missing)
    common.notes([note] if note else [])
    return same


def measure_option(command: Command) -> Command:
    """Add --measure of verbs that compare systems or slices."""
    return click.option(
        "--measure", default="macro-f1", show_default=True, metavar="NAME", help="What is compared; see 'score'."
    )(command)


def check_measure(measure: str) -> None:
    """Refuse an unknown measure before the work is done."""
    from qaldgen.scoring.measures import MEASURES

    check_choice("--measure", measure, MEASURES)


def check_missing(missing: str) -> None:
    """Refuse an unknown rule for missing answers before the work is done."""
    from qaldgen.scoring.missing import RULES

    check_choice("--missing", missing, RULES)


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
    from qaldgen.reports.tables.results import TABLE_FORMS

    check_choice("--format", form, TABLE_FORMS)


def scored_runs(
    gold: str, runs: Sequence[str], *, match: str, same_as: str, lang: str, aliases: str | None, reading: Reading,
    run_format: str | None, answers: bool = True, nothing: bool = False,
) -> tuple[Gold, list[Scores]]:  # fmt: skip
    """Read gold and runs, score the runs, and tell what there is to know.

    Without `answers` the gold queries will do; with `nothing` it may be that no question is scored, as GERBIL allows.
    """
    from qaldgen.formats.reading import reading_notes
    from qaldgen.runs.reading import read_run
    from qaldgen.scoring.gerbil.answers import SAME_AS
    from qaldgen.scoring.gold import check_answers, load_gold
    from qaldgen.scoring.judged import judged_alike
    from qaldgen.scoring.matchers import MATCHERS
    from qaldgen.scoring.score import score

    check_choice("--match", match, MATCHERS)
    check_choice("--same-as", same_as, SAME_AS)
    rules = {"match": match, "same_as": same_as, "language": lang, **_rules_for_words()}
    check_set_form(reading.format)
    check_run_form(run_format)
    check_sets(gold)
    check_files(*runs, aliases)
    names = run_names(runs)
    wordings = _read_aliases(aliases) if aliases else None
    with common.clock(f"reading {gold}"):
        asked = load_gold(gold, language=lang, **reading._asdict())
    told = reading_notes(asked.questions)
    if answers and not MATCHERS[match].linking:
        try:
            check_answers(asked)
        except DataError:
            common.notes(told)  # the notes may say where the answers are
            raise
    labels = _what_was_said("labels")
    wordings = {**_labels(labels, asked, lang), **(wordings or {})} if labels else wordings
    scored = []
    for path, name in zip(runs, names, strict=True):
        with common.clock(f"scoring {path}"):
            run = read_run(path, format=run_format, name=name, gold=asked.questions, language=lang)
            scored.append(score(asked, run, aliases=wordings, **rules))
        told += scored[-1].notes
    scored, note = judged_alike(scored)
    told += [note] if note else []
    common.notes(dict.fromkeys(told))
    if scored[0].counts.empty and (scored[0].unjudged or not nothing):
        raise DataError(f"{asked.questions.name}: no question is left to score; see the notes, and check --lang and --match")
    return asked, scored


def _rules_for_words() -> dict[str, str]:
    """Return what was said of answers in words, checked before any file is read."""
    from qaldgen.scoring.repeats import read_rule
    from qaldgen.scoring.words.extraction import make_extractor

    extract, repeats_as = _what_was_said("extract", "auto"), _what_was_said("repeats_as", "mean")
    make_extractor(extract)
    read_rule(repeats_as)
    return {"extract": extract, "repeats_as": repeats_as}


def _labels(source: str, gold: Gold, language: str) -> dict[str, list[str]]:
    """Return the names of gold answers that are IRIs."""
    from qaldgen.annotation.labels import labels_of

    answers = [question.answers for question in gold.questions.questions if question.answers is not None]
    iris = dict.fromkeys(cell.value for one in answers for row in one.rows for cell in row if cell and cell.type == "uri")
    found = labels_of(source, list(iris), language=language)
    if not found:
        raise DataError(f"--labels {source}: names none of the {len(iris):,} gold answers that are IRIs")
    return {iri: [label] for iri, label in found.items()}


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
    try:
        check_wordings("aliases", found)
    except UsageError as error:
        raise DataError(f'{path}: {error}, as in {{"Q64": ["Berlin"]}}') from error
    return dict(found)


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
        table = feature_table(
            gold, language=lang, jobs=_workers(len(gold.questions.questions)), cache=cache_file(), progress=bar.update,
            complain=problems.append,
        )  # fmt: skip
    common.notes(problem_notes(problems, gold.questions.questions))
    return table


def _workers(questions: int) -> int:
    """Return how many processes pay for loading the language model: one for few questions, and never many."""
    return min(os.cpu_count() or 1, 1 + questions // 1000, 4)


def wanted_slices(gold: Gold, by: Sequence[str], where: Sequence[str], lang: str) -> list[Slice]:
    """Return the slices that --by and --where name."""
    from qaldgen.analysis.feature_table import named_slices, query_slices
    from qaldgen.features.cache import cache_file

    found = named_slices(features_of(gold, lang), by) if by else []
    return found + query_slices(gold, where, language=lang, cache=cache_file())

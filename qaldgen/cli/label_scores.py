"""What ``qaldgen score`` prints if hand labels are given."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from qaldgen.cli import common, groups, output_files
from qaldgen.cli.scoring import JUDGE, ScoringOptions
from qaldgen.cli.verb import given
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.formats.reading import Reading

_LEGEND = (
    "accuracy: right answers among all questions, with its 95 % interval; verdict: what the rule"
    " says alone"
)
#: Options that say nothing beside a worksheet.
_IDLE = ("estimate", "by", "where", "subtasks", "others", "baseline", "measure", "weighted")


def label_scores(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    reading: Reading,
    proxies: Sequence[str],
    out: groups.Output,
    *,
    by_question: bool,
) -> None:
    """Print what the labels of a worksheet say about all answers of a run."""
    from qaldgen.analysis.labelling.estimate import score_labels
    from qaldgen.formats.reading import reading_notes
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.runs.reading import read_run
    from qaldgen.scoring.gold import gold_wordings, load_gold
    from qaldgen.scoring.matchers import AUTO

    # `auto` becomes a matcher once the answers are read.
    proxies = proxies or (() if scoring.match == AUTO else (scoring.match,))
    _check_call(runs, scoring, out)
    _check_inputs(gold, runs, scoring, proxies, out)
    language = scoring.language
    asked = load_gold(gold, language=language, **reading._asdict())
    run = read_run(runs[0], format=scoring.format, gold=asked.questions, language=language)
    common.notes([*reading_notes(asked.questions), *run.notes])
    # The labels are those of the worksheet, not names of gold answers.
    aliases = gold_wordings(scoring.gold, "", asked, language)
    rules = dataclasses.replace(scoring.rules(), aliases=aliases, labels="")
    judged = {JUDGE: scoring.judging().verdicts(asked, [run], rules)} if JUDGE in proxies else {}
    estimated = score_labels(
        asked,
        run,
        scoring.labels,
        [judged.get(name, name) for name in proxies],
        same_as=rules.same_as,
        language=language,
        aliases=aliases,
        extract=rules.extract,
        repeats_as=rules.repeats_as,
    )
    common.notes(estimated.notes)
    # The index is the id of the question, which a table must show.
    table = estimated.pairs.reset_index() if by_question else estimated.table
    output_files.write_output(out.output, dump_frame(table, out.form), force=out.force)
    if not by_question:
        click.echo(_LEGEND, err=True)


def _check_call(runs: Sequence[str], scoring: ScoringOptions, out: groups.Output) -> None:
    """Refuse options that hand labels exclude."""
    from qaldgen.cli.checks import check_table_form

    check_table_form(out.form)
    if not scoring.labels:
        raise UsageError(
            "--proxy is corrected by hand labels; name the worksheet with --labels (see 'qaldgen "
            "label')"
        )
    if len(runs) != 1:
        raise UsageError(
            "a worksheet has the answers of one run, but the runs given are "
            f"{len(runs)}; score each with its own"
        )
    if idle := given(*_IDLE):
        raise UsageError(f"--{idle[0]} has no effect with hand labels; leave it out")


def _check_inputs(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    proxies: Sequence[str],
    out: groups.Output,
) -> None:
    """Refuse files that are missing or would be overwritten, before a judge costs anything."""
    from qaldgen.cli.checks import check_files
    from qaldgen.scoring.matchers import MATCHERS

    # A proxy that is not a name of --match is a file.
    files = [name for name in proxies if name not in MATCHERS]
    check_files(*files)
    inputs = [gold, *runs, scoring.labels, *files]
    scoring.judging().check(wanted=JUDGE in proxies, inputs=inputs)
    output_files.check_outputs([out.output], force=out.force, inputs=[*inputs, scoring.aliases])
    check_files(*runs, scoring.labels, scoring.aliases)

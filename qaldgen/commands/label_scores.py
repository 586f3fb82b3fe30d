"""What ``qaldgen score`` prints where hand labels are given."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.scoring_options import ScoringOptions
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.questions import Reading


@dataclasses.dataclass(frozen=True)
class LabelView:
    """Which verdicts are corrected, and what is shown."""

    proxies: tuple[str, ...]
    by_question: bool
    idle: str


def label_scores(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    reading: Reading,
    view: LabelView,
    out: groups.Output,
) -> None:
    """Print what the labels of a worksheet say of all answers of a run.

    Parameters
    ----------
    gold
        The questions.
    runs
        The file of answers.
    scoring
        How answers are compared.
    reading
        How the questions are read.
    view
        Which verdicts are corrected.
    out
        Where the table goes.
    """
    api.checks.check_table_form(out.form)
    if not scoring.labels:
        raise UsageError(
            "--proxy is corrected by hand labels; name the "
            "worksheet by --labels (see 'qaldgen label')"
        )
    if len(runs) != 1:
        raise UsageError(
            "a worksheet has the answers of one run, and these are "
            f"{len(runs)}; score each with its own"
        )
    if view.idle or scoring.weighted:
        raise UsageError(
            f"{view.idle or '--weighted'} says nothing beside hand labels; leave it out"
        )
    # A proxy that is not a name of --match is a file.
    for name in view.proxies:
        if name not in api.scoring.MATCHERS:
            api.checks.check_files(name)
    common.check_outputs(
        [out.output],
        force=out.force,
        inputs=[gold, *runs, scoring.aliases, scoring.labels, *view.proxies],
    )
    rules = scoring.rules()
    api.checks.check_files(*runs, scoring.labels, scoring.aliases)
    asked = api.questions.read_gold(gold, reading, language=scoring.lang)
    run = api.scoring.read_run(
        runs[0], format=scoring.run_format, gold=asked.questions, language=scoring.lang
    )
    common.notes([*api.questions.notes_on(asked.questions), *run.notes])
    rules = dataclasses.replace(
        rules, aliases=api.wordings.read_wordings(scoring.aliases, "", asked, scoring.lang)
    )
    found = api.labelling.score_labels(asked, run, scoring.labels, view.proxies, **vars(rules))
    common.notes(found.notes)
    # The index is the id of the question, which a table must show.
    table = found.pairs.reset_index() if view.by_question else found.table
    common.write_output(out.output, api.tables.dump_frame(table, out.form), force=out.force)
    if not view.by_question:
        click.echo(
            "accuracy: right answers among all questions, with its 95 % interval; verdict: what the"
            " rule says alone",
            err=True,
        )

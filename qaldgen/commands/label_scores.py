"""What ``qaldgen score`` prints if hand labels are given."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.scoring_options import JUDGE, ScoringOptions
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import Verdicts
    from qaldgen.api.questions import Reading


_LEGEND = (
    "accuracy: right answers among all questions, with its 95 % interval; verdict: what the rule"
    " says alone"
)


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
    """Print what the labels of a worksheet say about all answers of a run.

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
    from qaldgen.analysis.labelling.score_labels import score_labels

    wanted = view.proxies or (scoring.match,)
    _check_call(runs, scoring, view, out)
    _check_inputs(gold, runs, scoring, wanted, out)
    rules = scoring.rules()
    asked = api.questions.read_gold(gold, reading, language=scoring.lang)
    run = api.scoring.read_run(
        runs[0], format=scoring.run_format, gold=asked.questions, language=scoring.lang
    )
    common.notes([*api.questions.notes_on(asked.questions), *run.notes])
    rules = dataclasses.replace(
        rules, aliases=api.wordings.read_wordings(scoring.aliases, "", asked, scoring.lang)
    )
    proxies = _proxies(wanted, lambda: scoring.judging().verdicts(asked, [run], rules))
    found = score_labels(asked, run, scoring.labels, proxies, **vars(rules))
    common.notes(found.notes)
    # The index is the id of the question, which a table must show.
    table = found.pairs.reset_index() if view.by_question else found.table
    output_files.write_output(out.output, api.tables.dump_frame(table, out.form), force=out.force)
    if not view.by_question:
        click.echo(_LEGEND, err=True)


def _check_call(
    runs: Sequence[str], scoring: ScoringOptions, view: LabelView, out: groups.Output
) -> None:
    """Refuse options that hand labels exclude."""
    api.checks.check_table_form(out.form)
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
    if view.idle or scoring.weighted:
        raise UsageError(
            f"{view.idle or '--weighted'} has no effect with hand labels; leave it out"
        )


def _check_inputs(
    gold: str,
    runs: Sequence[str],
    scoring: ScoringOptions,
    proxies: Sequence[str],
    out: groups.Output,
) -> None:
    """Refuse files that are missing or would be overwritten, before a judge costs anything."""
    # A proxy that is not a name of --match is a file.
    files = [one for one in proxies if one not in api.scoring.MATCHERS]
    api.checks.check_files(*files)
    inputs = [gold, *runs, scoring.labels, *files]
    scoring.judging().check(wanted=JUDGE in proxies, inputs=inputs)
    output_files.check_outputs([out.output], force=out.force, inputs=[*inputs, scoring.aliases])
    api.checks.check_files(*runs, scoring.labels, scoring.aliases)


def _proxies(names: Sequence[str], judge: Callable[[], Verdicts]) -> list[str | Path | Verdicts]:
    """Return the proxies; the judge is asked where one of them is its name."""
    return [judge() if name == JUDGE else name for name in names]

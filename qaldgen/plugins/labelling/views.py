"""``score --labels worksheet.csv`` and ``plan --labels``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import click

from qaldgen.cli.judge_options import JUDGE, make_judge
from qaldgen.cli.output_files import write_output
from qaldgen.cli.printing import print_notes
from qaldgen.cli.scoring import read_gold, read_one_run
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call
from qaldgen.cli.views import View
from qaldgen.defaults import LEVEL_LABEL
from qaldgen.errors import UsageError
from qaldgen.options import Text


class ScoreLabelsOptions:
    """Command-line options of `score --labels`.

    Attributes
    ----------
    proxy
        With a worksheet as --labels: an automatic verdict on all answers, which the labels correct;
        a name of --match, or a CSV file with id and label (that of --match).
    """

    proxy: Sequence[Annotated[str, Text("RULES")]] = ()


class PlanLabelsOptions:
    """Command-line options of `plan --labels`.

    Attributes
    ----------
    labels
        Print how many hand labels are needed: the column of SCORES with labels; the others are
        verdicts.
    """

    labels: Annotated[str, Text("COLUMN")] | None = None


def flag_of_labels(call: Call) -> str | None:
    """Return the flag for labelled answers: --proxy, or --labels with a worksheet; else None."""
    from qaldgen.analysis.comparing.hand_labels import is_sheet

    flag = call.given("proxy")
    if not flag and call.labels and is_sheet(call.labels):
        flag = call.given("labels")
    return flag


def print_scores(call: Call) -> None:
    """Print the accuracy of a run by the labels of a worksheet, alone and with each proxy."""
    from qaldgen.benchmark.aliases import aliases_of
    from qaldgen.io.inputs import check_files
    from qaldgen.plugins.labelling.label_scores import score_labels
    from qaldgen.scoring.evaluation import evaluate, known_matchers
    from qaldgen.scoring.rules import AUTO

    if not call.labels:
        raise UsageError(
            "--proxy is corrected by hand labels; name the worksheet with --labels (see 'qaldgen "
            "label')"
        )
    if len(call.runs) != 1:
        raise UsageError(
            "a worksheet has the answers of one run, but the runs given are "
            f"{len(call.runs)}; score each with its own"
        )

    names = list(call.proxy)
    if not names and call.match != AUTO:  # `auto` becomes a matcher once the answers are read
        names = [call.match]
    files = [name for name in names if name not in known_matchers()]
    check_files(*files, call.labels)
    call.check(call.labels, *files)

    inputs = [call.gold, *call.runs, call.labels, *files]
    judge = make_judge(call, inputs) if JUDGE in names else None
    gold = read_gold(call, call.gold)
    run = read_one_run(call, gold, call.runs[0])

    # `labels` are those of the worksheet here, not the names of gold answers
    aliases = aliases_of(call.aliases, "", gold.questions, call.lang)
    verdicts = {}
    if judge is not None:
        verdicts[JUDGE] = judge(gold, [run], aliases=aliases)
    match = verdicts.get(call.match, call.match)
    evaluation = evaluate(
        gold, run, **(call.of("evaluate") | {"aliases": aliases, "labels": "", "match": match})
    )

    proxies = [verdicts.get(name, name) for name in names]
    result = score_labels(evaluation, None, call.labels, proxies)
    print_notes(result.notes)
    if call.by_question:
        call.write(result.pairs.reset_index())  # the index is the id of the question
        return
    call.write(result.table)
    click.echo(
        f"accuracy: right answers among all questions, with its {LEVEL_LABEL} interval;"
        " verdict: what the rule says alone",
        err=True,
    )


def print_labels_needed(call: Call) -> None:
    """Print the number of labels for an error; one column has labels, the others verdicts."""
    from qaldgen.analysis.score_files import read_scores
    from qaldgen.plugins.labelling.labels_needed import plan_labels
    from qaldgen.reports.tables.results import dump_frame

    call.check()
    if call.runs:
        raise UsageError("--labels plans for a table of verdicts; leave the runs out")
    # some verdicts may be missing
    table = read_scores(call.scores, gaps=True)
    click.echo(f"labels for an error of +-{call.error:g}, alone and with each verdict:", err=True)
    needed = plan_labels(table, call.labels, error=call.error, answers=call.pool)
    write_output("-", dump_frame(needed, call.format), force=False)


SCORED = View(options_of(ScoreLabelsOptions), flag_of_labels, print_scores)
NEEDED = View(options_of(PlanLabelsOptions), lambda call: call.given("labels"), print_labels_needed)

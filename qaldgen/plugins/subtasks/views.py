"""``qaldgen score --subtasks``."""

from __future__ import annotations

from qaldgen.cli.printing import print_lines
from qaldgen.cli.scoring import add_details, check_scored, read_and_judge
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call
from qaldgen.cli.views import View


class SubtaskOptions:
    """Command-line options of `score --subtasks`.

    Attributes
    ----------
    subtasks
        Print GERBIL's sub-experiments, computed from the queries: C2KB, P2KB, RE2KB, AType.
    """

    subtasks: bool = False


def show(call: Call) -> None:
    """Print the sub-experiments: one row per number, or for people one column per run."""
    import pandas as pd

    from qaldgen.plugins.subtasks.experiments import sub_experiments
    from qaldgen.reports.tables.results import dump_runs

    call.check()
    evaluation = add_details(call, read_and_judge(call, call.runs, queries=True))
    check_scored(evaluation)
    call.unused("weighted", "measure", "also_gold")

    rows = []
    for scores in evaluation:
        experiments = sub_experiments(
            evaluation.gold.questions,
            scores.run,
            same_as=scores.rules.same_as,
            language=scores.rules.language,
        )
        for name, values in experiments.items():
            for label, value in values.items():
                rows.append((scores.name, name, label, value, len(scores.counts)))

    table = pd.DataFrame(rows, columns=["run", "experiment", "measure", "value", "questions"])
    if call.for_programs:
        call.write(table)
        return

    print_lines([f"queries compared as GERBIL does, {len(evaluation[0].counts):,} questions"])
    if len(table):
        wide = table.pivot_table(
            index=["experiment", "measure"], columns="run", values="value", sort=False, dropna=False
        )
        runs = [scores.name for scores in evaluation]
        table = wide[runs].reset_index().rename_axis(columns=None)
    call.write(dump_runs(table, call.format, 2))


VIEW = View(
    options_of(SubtaskOptions),
    lambda call: call.given("subtasks"),
    show,
    instead_of="by_question by where query estimate outcomes",
)

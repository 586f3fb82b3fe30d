"""``qaldgen report``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from qaldgen.cli.output_files import write_outputs
from qaldgen.cli.printing import print_lines, print_notes
from qaldgen.cli.scoring import (
    SIGNIFICANCE,
    gold_argument,
    read_and_evaluate,
    runs_argument,
    scoring_options,
    slice_conditions,
    slice_options,
    split_by,
    test_options,
)
from qaldgen.cli.shared_options import shared
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call, section, verb
from qaldgen.errors import UsageError
from qaldgen.options import Text

if TYPE_CHECKING:
    from qaldgen.reports.page.contents import Report


#: The table whose rows bring options.
_SECTION_TABLE = "qaldgen.reports.page.sections:SECTIONS"


class ReportOptions:
    """Command-line options of `report`.

    Attributes
    ----------
    output
        Output file; the extension selects the format: .html, .md, .tex, .csv (one file per table),
        .json, or .svg or .pdf (figures of the ranking and by kind). - is stdout (Markdown).
    """

    output: Sequence[Annotated[str, Text("FILE")]] = ()


@verb(
    brief="output title force measure match lang aliases labels weighted by where clusters missing",
    rows={"title": _SECTION_TABLE},
    epilog="Example: qaldgen report gold.json mine.json other.json -o report.html -o tables.tex",
)
@gold_argument
@runs_argument()
@section("Output", options_of(ReportOptions), shared("force"))
@options_of("report")
@scoring_options
@slice_options("report")
@test_options
def command(call: Call) -> None:
    """Write a report on scores, differences and weak spots.

    GOLD is a question set or a benchmark; RUNS are files of answers, as for 'score'; a log
    contains both, and so does a table with question, gold and prediction. The HTML page is
    self-contained. By default, questions are sliced by answer type, question word, query shape and
    size, and cluster.
    """
    from qaldgen.analysis.common_questions import on_common_questions
    from qaldgen.analysis.comparing.multiplicity import Significance
    from qaldgen.reports.page.formats import render_files, report_files
    from qaldgen.reports.page.sections import SECTIONS, with_defaults
    from qaldgen.reports.report import report

    if not call.output:
        raise UsageError("no output given; pass -o report.html")

    section_options = with_defaults(call.row_options(_SECTION_TABLE))
    section_files: list[str] = []
    for kind in SECTIONS.values():
        section_files += kind.files(section_options)

    by, across = split_by(call.by)
    call.check(
        *call.query, *section_files, outputs=report_files(call.output), must_exist=section_files
    )
    where = slice_conditions(call)

    evaluation = read_and_evaluate(call, call.runs, across=across)
    # The report restricts the runs itself.
    _, note = on_common_questions(evaluation.scores, call.missing)
    if note:
        print_notes(note)

    page: Report = report(
        evaluation,
        **call.of("report") | {"by": by, "where": where},
        tests=Significance(**call.of(SIGNIFICANCE)),
    )

    for kind in SECTIONS.values():
        if kind.files(section_options):
            page = kind.add(page, evaluation.gold, evaluation.scores, section_options)
    write_outputs(render_files(page, call.output), force=call.force)
    print_lines(page.sentences)

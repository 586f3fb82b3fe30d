"""``qaldgen compare``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from qaldgen.cli.gate import check_plot, show
from qaldgen.cli.printing import notes
from qaldgen.cli.scoring import (
    TESTS,
    check_slices,
    gold_argument,
    outcomes_of,
    read_scored,
    refuse_judge,
    runs_argument,
    scoring_options,
    slice_options,
    split_by,
    test_options,
    weights_of,
    with_editions,
)
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import WRITTEN, Call, file_option, flag, table_options, verb, verbose_option
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen import Scores
    from qaldgen.analysis.comparing.comparison import Comparison
    from qaldgen.analysis.comparing.consistency import Consistency
    from qaldgen.scoring.gold import Gold

_SEQUENTIAL = "qaldgen.analysis.stopping.gate:compare_in_order"
#: How many reversals that may be chance are named.
_NAMED = 3
#: Tests between more pairs are shown only where they are significant.
_MOST_PAIRS = 30


@verb(
    usual="match lang aliases weighted by where missing by_question measure correct alpha format"
    " output force",
    epilog="Example: qaldgen compare gold.json mine.json other.json --by answerType --by whType",
)
@gold_argument
@runs_argument()
@options_of("compare")
@scoring_options
@slice_options("compare")
@flag(
    "-q",
    "--by-question",
    help="Print one row per question: the F1 of every system, side by side; with --by language or"
    " wording, what is right in one and wrong in another.",
)
@verbose_option
@flag(
    "--sequential",
    help="Compare two runs before they are complete, on the questions that both have answered so"
    " far. See --record.",
)
@options_of(_SEQUENTIAL, "largest", "record")
@file_option(
    "--plot",
    kind=WRITTEN,
    help="With --sequential: draw the difference against the questions asked.",
)
@test_options("compare")
@table_options("Output file for the table of tests; - is stdout (default).")
def command(call: Call) -> None:
    """Compare systems on the same questions, with significance tests.

    Overall and by slice. Runs are compared on the questions that all of them were asked. p-values
    are corrected for the number of pairs, and on slices also for the number of slices; the tests on
    all questions do not depend on the slices.

    --by language and --by wording ask if systems agree with themselves: the share of questions
    right in all languages or wordings of those right in any. RUNS are then files with several of
    them, or one for each language (mine.en.json mine.de.json); one system is enough. Without RUNS,
    GOLD is a table of scores: question, system, language (or wording), f1.
    """
    if across := split_by(call):
        _agreement(call, across)
        return
    _check_call(call)
    # Whatever can fail is refused first: scoring may take minutes, and a judge costs money.
    call.check(*call.where)
    check_slices(call.by, call.where)
    asked, scored = read_scored(call, call.runs, outcomes=outcomes_of(call.measure))
    if call.sequential:
        looked = call.run(_SEQUENTIAL, asked, scored, measure=call.measure)
        notes(looked.notes)
        show(call, looked)
        return
    asked, scored = with_editions(call, asked, scored)
    if call.by_question:
        call.write(_question_table(asked, scored, call.missing))
        return
    weights = weights_of(call, asked)
    compared = call.run("compare", asked, scored, weights=weights, language=call.lang)
    notes(compared.notes)
    # Programs get the names of slices, people their labels.
    if not call.for_programs:
        tell(compared, verbose=call.verbose)
    call.write(compared.pairs if call.for_programs else _for_people(compared), keys=3)


def _check_call(call: Call) -> None:
    """Refuse options that exclude each other, or have no effect."""
    if len(call.runs) < 2:
        raise UsageError("a comparison needs at least two runs; use 'qaldgen score' for one")
    if not call.sequential:
        call.refuse("max record plot", "only applies with --sequential; add it")
        return
    if len(call.runs) != 2:
        raise UsageError(
            f"--sequential compares two runs, but {len(call.runs)} were given; 'qaldgen race' finds"
            " the best of several"
        )
    check_plot(call.plot)
    call.refuse(
        "by_question by where weighted",
        "cannot be combined with --sequential: the size of a slice in the pool"
        " is not known, and weights are equal",
    )
    refuse_judge(call.match)


def _agreement(call: Call, across: str) -> None:
    """Print how systems agree with themselves, or the questions on which they do not."""
    idle = call.given("max", "record", "plot", "where", "clusters", "weighted", "measure")
    if idle or call.by:
        raise UsageError(f"--by {across} compares whole sets; leave out {idle or 'the other --by'}")
    call.check(*([] if call.runs else [call.gold]))
    languages = call.lang
    call.lang = languages.partition(",")[0].strip()
    # without runs, the scores are known: a table
    given = read_scored(call, call.runs) if call.runs else (call.gold,)
    tests = {name: call.of("compare")[name] for name in TESTS}
    found = call.run("consistency", *given, by=across, language=languages, **tests)
    notes(found.notes)
    if not call.for_programs:
        tell_agreement(found)
    systems = found.systems.rename_axis("system").reset_index()
    call.write(found.flips if call.by_question else systems, keys=2)


def _question_table(gold: Gold, scored: Sequence[Scores], missing: str) -> pd.DataFrame:
    """Return the F1 of every system on every question, with its text; missing if it counts not."""
    from qaldgen.analysis.comparing.comparison import question_scores

    texts = {question.id: question.text() for question in gold.questions.questions}
    table = question_scores(scored, missing)
    table.insert(0, "id", table.index)
    table["question"] = [texts[name] for name in table.index]
    return table


def _for_people(found: Comparison) -> pd.DataFrame:
    """Return the tests as people read them: all questions first, then the slices with a test."""
    from qaldgen.analysis.slicing import ALL

    # Slices without a p-value are too small to test; `tell` counts them.
    tested = found.pairs["p"].notna()
    table = found.pairs[tested | bool(found.untested)].copy()
    table["better"] = [
        # The winner depends on the measure: for some, less is better.
        "-" if p > found.alpha else found.in_order(a, b, difference)[0]
        for a, b, difference, p in table[["a", "b", "difference", "p_adjusted"]].itertuples(
            index=False
        )
    ]
    # A stable sort by "is a slice" moves all questions to the top and keeps the order of the rest.
    table = table.iloc[(table["slice"] != ALL).argsort(kind="stable")]
    table["slice"] = [found.labels.get(name, name) for name in table["slice"]]
    test = [] if found.untested else ["low", "high", "p_adjusted", "better"]
    columns = ["slice", "a", "b", "n", "difference", *test, "wins", "ties", "losses"]
    return table[columns].rename(columns={"p_adjusted": "corrected p"})


def tell(found: Comparison, *, verbose: bool = False) -> None:
    """Print the verdict, who leads overall, who wins where, and the rank reversals."""
    from qaldgen.analysis.comparing.comparison import families_in_words, tested_in_words
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.reports.tables.scores import shown
    from qaldgen.scoring.measures import named

    click.echo(f"{found.verdict}\n", err=True)
    labels = found.labels
    label = named(found.measure).label
    overall = found.overall.reset_index()
    overall[label] = [
        shown(*row) for row in overall[["estimate", "low", "high"]].itertuples(index=False)
    ]
    click.echo(dump_frame(overall[["system", "n", label]], "text"), err=True)
    if found.untested:
        return
    if len(found.winners) > 1:
        click.echo(
            dump_frame(found.winners.rename(index=labels).reset_index(), "text"),
            err=True,
        )
    # Among many slices some system is ahead by chance; only significant reversals are named.
    certain = [reversal for reversal in found.reversals if reversal.p <= found.alpha]
    for reversal in certain:
        click.echo(reversal.sentence, err=True)
    chance = len(found.reversals) - len(certain)
    if chance:
        also = "also " if certain else ""
        first = ", ".join(
            f"{one.other} before {one.leader} on “{labels.get(one.slice, one.slice)}”"
            for one in [one for one in found.reversals if one.p > found.alpha][:_NAMED]
        )
        more = f" and {chance - _NAMED} more" if chance > _NAMED else ""
        click.echo(
            f"{also}the order on a slice differs from that on all questions, which may be chance:"
            f" {first}{more}",
            err=True,
        )
    # Unique, in order: a slice has a row for each pair of systems.
    untested = list(dict.fromkeys(found.pairs.loc[found.pairs["p"].isna(), "slice"]))
    if untested:
        click.echo(
            f"{len(untested)} slices are too small to test and left out (first: {untested[0]})",
            err=True,
        )
    if verbose:
        click.echo(f"p: two-sided, {tested_in_words(found.measure)}", err=True)
        click.echo(
            f"{families_in_words(found)}, level {found.alpha:g}; seed {found.random_state}",
            err=True,
        )
    families = {"on all questions": found.tests, "on slices": found.slice_tests}
    counted = [f"{number:,} tests {where}" for where, number in families.items() if number > 1]
    corrected = f", corrected for {' and, apart, '.join(counted)}" if counted else ""
    click.echo(
        "difference: a - b with its 95 % interval; better: which one, if more than chance explains"
        f" (p up to {found.alpha:g}{corrected}){'' if verbose else '; --verbose says how'}\n",
        err=True,
    )


def tell_agreement(found: Consistency) -> None:
    """Print how consistent each system is, and the tests between systems and between wordings."""
    from qaldgen.reports.tables.results import dump_frame

    for sentence in found.sentences:
        click.echo(sentence, err=True)
    for table, what in (
        (found.between_systems, "consistency between systems"),
        (found.between_wordings, f"F1 between {found.across}s, corrected within each system"),
    ):
        shown = table.rename(columns={"p_adjusted": "corrected p"})
        if len(table) > _MOST_PAIRS:
            shown = shown[table["p_adjusted"] <= found.alpha]
            what += f": the {len(shown)} significant ones of {len(table)}"
        if len(shown):
            click.echo(f"\npaired tests of {what}\n{dump_frame(shown, 'text')}", err=True)
    click.echo(
        f"right: F1 of 1; p corrected for the number of pairs, level {found.alpha:g};"
        " -q lists the questions that flip\n",
        err=True,
    )

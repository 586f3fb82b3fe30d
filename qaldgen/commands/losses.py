"""``qaldgen losses``."""

from __future__ import annotations

import dataclasses

import click

from qaldgen import api
from qaldgen.analysis.feature_table import slices_of
from qaldgen.commands import groups, output_files
from qaldgen.commands.verb import listed_option, verb
from qaldgen.scoring.setting import Scoring


@dataclasses.dataclass(frozen=True)
class ChainOptions:
    """What else is known of the chain, and when an answer is right."""

    on_gold: str | None
    most: int
    by: tuple[str, ...]
    match: str
    lang: str


@verb(
    epilog=(
        "Example: qaldgen losses asked.jsonl bm25.trec read.jsonl --on-gold gold.jsonl --by"
        " informationSought"
    )
)
@click.argument("questions")
@click.argument("run")
@click.argument("answers")
@groups.grouped(
    "chain",
    ChainOptions,
    click.option(
        "--on-gold",
        metavar="FILE",
        help="Answers of the same reader from the relevant passages alone.",
    ),
    click.option(
        "-n",
        "most",
        default=10,
        show_default=True,
        type=click.IntRange(1),
        help="Number of passages that the reader was given.",
    ),
    click.option(
        "--by", multiple=True, metavar="FEATURE", help="Also split by the values of a feature."
    ),
    listed_option(
        "--match",
        table="matchers",
        default="poleval",
        show_default=True,
        help="When an answer counts as right.",
    ),
    click.option("--lang", default="pl", show_default=True, help="Language of the questions."),
)
@groups.table_options()
def command(
    questions: str, run: str, answers: str, chain: ChainOptions, out: groups.Output
) -> None:
    """Split the errors of a retriever-reader pipeline into retriever misses and reader misses.

    RUN is what the retriever found (TREC format), ANSWERS what the reader answered.
    """
    api.checks.check_table_form(out.form)
    api.checks.check_slices(chain.by, ())
    how = Scoring(match=chain.match, language=chain.lang)
    api.checks.check_scoring(how)
    output_files.check_outputs(
        [out.output], force=out.force, inputs=[questions, run, answers, chain.on_gold]
    )
    api.checks.check_files(run, answers, chain.on_gold)
    gold = api.questions.gold_of(questions, language=chain.lang)
    slices, _ = slices_of(gold, chain.by, (), language=chain.lang)
    found = api.chains.losses(
        gold, run, answers, on_gold=chain.on_gold, k=chain.most, slices=slices, how=how
    )
    output_files.write_output(out.output, api.tables.dump_frame(found, out.form), force=out.force)

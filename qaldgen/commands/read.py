"""``qaldgen read``."""

from __future__ import annotations

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import listed_option, verb


@verb(
    epilog="Example: qaldgen read asked.jsonl passages.jsonl --run bm25.trec -n 10 -o answers.tsv"
)
@click.argument("questions")
@click.argument("collection")
@click.option(
    "--run",
    metavar="FILE",
    help="Run of a retriever, in TREC format. Default: read the relevant passages.",
)
@listed_option(
    "--reader",
    table="readers",
    default="extractive",
    show_default=True,
    help="How answers are found in passages.",
)
@click.option(
    "-n",
    "most",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Number of passages to read from the run.",
)
@click.option("--lang", default="pl", show_default=True, help="The language of the questions.")
@groups.output_option("Output file for the answers, as a run; - is stdout (default).")
@groups.force_option
def command(
    questions: str,
    collection: str,
    run: str | None,
    reader: str,
    most: int,
    lang: str,
    output: str,
    force: bool,
) -> None:
    """Let a reader answer questions from retrieved passages, or from the relevant ones."""
    output_files.check_outputs([output], force=force, inputs=[questions, collection, run])
    api.checks.check_sets(questions)
    api.checks.check_files(run)
    passages = api.retrieving.read_collection(collection)
    common.notes(passages.notes)
    with common.clock("reading passages"):
        answered = api.retrieving.read_passages(
            questions, passages, reader=reader, found=run, k=most, language=lang
        )
    output_files.write_output(output, api.retrieving.dump_answers(answered), force=force)

"""``qaldgen retrieve``."""

from __future__ import annotations

from pathlib import Path

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.retriever_options import RetrieverOptions, retriever_options
from qaldgen.commands.verb import verb


@verb(
    epilog=(
        "Example: qaldgen retrieve asked.jsonl passages.jsonl --analyser lemma -n 100 -o bm25.trec"
    )
)
@click.argument("questions")
@click.argument("collection")
@retriever_options()
@click.option(
    "-n",
    "most",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Number of passages per question.",
)
@groups.output_option("Output file, in TREC format; - is stdout (default).")
@groups.force_option
def command(
    questions: str, collection: str, how: RetrieverOptions, most: int, output: str, force: bool
) -> None:
    """Find passages for each question, and write them as a run in TREC format.

    To score it, overall or by feature: 'qaldgen score QUESTIONS RUN --match passages'.
    """
    output_files.check_outputs([output], force=force, inputs=[questions, collection])
    api.checks.check_sets(questions)
    with common.clock(f"reading {collection}"):
        passages = api.retrieving.read_collection(collection)
    common.notes(passages.notes)
    gold = api.questions.gold_of(questions, language=how.lang)
    with common.progress_bar("searching", len(gold.questions.questions)) as bar:
        found = api.retrieving.retrieve(
            gold,
            passages,
            retriever=how.retriever,
            k=most,
            settings=how.settings(),
            progress=bar.update,
        )
    # TREC's last column names the run.
    name = Path(output).stem if output != "-" else how.retriever
    output_files.write_output(output, api.retrieving.dump_trec(found, name), force=force)

"""``qaldgen retrieve``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.commands import common, groups
from qaldgen.commands.listing import listed_option, listing_command

if TYPE_CHECKING:
    from qaldgen.api.retrieving import Settings


@dataclasses.dataclass(frozen=True)
class RetrieverOptions:
    """How passages are found."""

    retriever: str
    analyser: str
    lang: str
    title: bool
    k1: float
    b: float
    model: str
    server: str

    def settings(self) -> Settings:
        """Return what a retriever needs to know."""
        return api.retrieving.Settings(
            self.analyser, self.lang, self.title, self.k1, self.b, self.model, self.server
        )


@listing_command(
    epilog=(
        "Example: qaldgen retrieve asked.jsonl passages.jsonl --analyser lemma -n 100 -o bm25.trec"
    )
)
@click.argument("questions")
@click.argument("collection")
@groups.grouped(
    "how",
    RetrieverOptions,
    listed_option(
        "--retriever",
        table="retrievers",
        default="bm25",
        show_default=True,
        help="How passages are found.",
    ),
    listed_option(
        "--analyser",
        table="analysers",
        default="token",
        show_default=True,
        help="The terms of BM25.",
    ),
    click.option(
        "--lang", default="pl", show_default=True, help="The language of questions and passages."
    ),
    click.option(
        "--title/--no-title",
        default=True,
        show_default=True,
        help="Whether titles belong to the passages.",
    ),
    click.option(
        "--k1", default=0.9, show_default=True, type=groups.FiniteRange(0), help="Of BM25."
    ),
    click.option(
        "--b", default=0.4, show_default=True, type=groups.FiniteRange(0, 1), help="Of BM25."
    ),
    click.option(
        "--model",
        default="",
        metavar="NAME",
        help="Of dense: a folder, or a name of sentence-transformers.",
    ),
    click.option("--server", default="", metavar="URL", help="Of opensearch: http://host:port."),
)
@click.option(
    "-n",
    "most",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Passages for each question.",
)
@groups.output_option("Where to write the run, in TREC's form; - is stdout (default).")
@groups.force_option
def command(
    questions: str, collection: str, how: RetrieverOptions, most: int, output: str, force: bool
) -> None:
    """Find passages for each question, and write them as a run in TREC's form.

    'qaldgen score QUESTIONS RUN --match passages' measures it, --by any feature.
    """
    common.check_outputs([output], force=force, inputs=[questions, collection])
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
    common.write_output(output, api.retrieving.dump_trec(found, name), force=force)

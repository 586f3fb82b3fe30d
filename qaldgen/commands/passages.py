"""``qaldgen passages``."""

from __future__ import annotations

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import verb
from qaldgen.errors import UsageError


@verb(
    epilog=(
        "Example: qaldgen passages poquad.json -o passages.jsonl --asked poquad.json --questions"
        " asked.jsonl"
    )
)
@click.argument("collection")
@click.option(
    "--longest",
    default=500,
    show_default=True,
    type=click.IntRange(20),
    help="Maximum length of a passage, in characters.",
)
@click.option(
    "--asked",
    metavar="SET",
    help="Question set whose relevant passages are looked up in the collection.",
)
@click.option(
    "--questions",
    metavar="FILE",
    help="Where to write those questions, with their relevant passages.",
)
@click.option(
    "--lang", default="pl", show_default=True, help="Language of texts without a language tag."
)
@groups.output_option("Where to write the passages as JSON Lines; - is stdout (default).")
@groups.force_option
def command(
    collection: str,
    longest: int,
    asked: str | None,
    questions: str | None,
    lang: str,
    output: str,
    force: bool,
) -> None:
    """Read a collection and write it as passages, one per line.

    COLLECTION is JSON Lines with id and text, the rows of PolQA, the JSON of SQuAD or PoQuAD, a
    folder of .txt files, or a MediaWiki dump. Long texts are cut at the ends of paragraphs and
    sentences.
    """
    if (asked is None) != (questions is None):
        raise UsageError(
            "--asked names the questions and --questions where they are written; give both"
        )
    output_files.check_outputs(
        [output, *([questions] if questions else [])], force=force, inputs=[collection, asked]
    )
    api.checks.check_sets(asked)
    with common.clock(f"reading {collection}"):
        read = api.retrieving.read_collection(collection, longest=longest)
    common.notes(read.notes)
    outputs = [(output, api.retrieving.dump_collection(read))]
    if asked is not None and questions is not None:
        joined, told = api.retrieving.with_relevant(asked, read, language=lang)
        common.notes(told)
        outputs.append((questions, api.retrieving.dump_questions(joined)))
    output_files.write_outputs(outputs, force=force)

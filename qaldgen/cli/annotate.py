"""``qaldgen annotate``."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import common, groups, output_files, sources
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import verb
from qaldgen.errors import DataError, UsageError
from qaldgen.io.outputs import same_file

if TYPE_CHECKING:
    from qaldgen import Endpoint, QuestionSet

_GOLD_OPTIONS = ("kg_name", "journal", "refresh", "timeout", "max_reply", "allow_service")
_ANNOTATE, _LOAD = "qaldgen.annotation.annotate:annotate", "qaldgen.datasets.loading:load"
_READING = "Reading the questions"


@verb(
    usual=(
        "output",
        "force",
        "language",
        "labels",
        "licence",
        "train",
        "n_jobs",
        "r1_compat",
        "no_cache",
        "data",
        "endpoint",
        "refresh",
        "format",
        "skip_broken",
    ),
    epilog="Example: qaldgen annotate qald-9-test.json lc-quad-test.json -o features.ttl --jobs 2",
)
@click.argument("files", nargs=-1, required=True)
@groups.output_option("Output file (Turtle); - is stdout (default).")
@groups.force_option
@options_of(_ANNOTATE, "language", "labels")
@options_of(_LOAD, "licence")
@options_of(_ANNOTATE, "train", "n_jobs", "r1_compat", called={"n_jobs": "jobs"})
@click.option("--no-cache", is_flag=True, help="Neither read nor write the feature cache.")
@options_of(
    _LOAD,
    "format",
    "skip_broken",
    "separator",
    called={"separator": "split-answers"},
    section=_READING,
)
@sources.gold_from_option
@sources.source_options(
    click.option(
        "--kg",
        "data",
        metavar="FILE",
        help=(
            "RDF file of the knowledge graph; executes the gold "
            "queries of questions without answers."
        ),
    ),
    "SPARQL endpoint of the knowledge graph, instead of --kg.",
)
@click.option(
    "--kg-name",
    type=click.Choice(["dbpedia", "wikidata", "freebase"]),
    help=(
        "Execute the queries for this knowledge graph, if questions have several. Default: the"
        " first query."
    ),
)
@options_of("qaldgen.stores.gold_queries:execute_gold", "refresh")
@click.option(
    "--journal",
    metavar="FILE",
    help=(
        "Record each answer immediately, so that a second run only executes what is missing."
        " Default with -e: OUTPUT.journal.jsonl."
    ),
)
def command(
    files: tuple[str, ...],
    output: str,
    force: bool,
    language: str,
    labels: str | None,
    licence: str,
    train: str | None,
    n_jobs: int | None,
    r1_compat: bool,
    no_cache: bool,
    source: str | Endpoint | None,
    kg_name: str | None,
    refresh: bool,
    journal: str | None,
    gold_from: str | None,
    **reading: Any,  # noqa: ANN401 - how `load` reads a file
) -> None:
    """Compute question features and write them as RDF.

    'select' and 'sample' read them. FILES are question sets: QALD JSON and XML, LC-QuAD, RuBQ,
    Mintaka, CSV and many more, recognised by content. Names from 'qaldgen data list' are
    downloaded.

    With --kg or --endpoint the gold queries are executed first, and their results become the gold
    answers.
    """
    from qaldgen.annotation.annotate import annotate_to, check_licence
    from qaldgen.datasets.fetching import find_source
    from qaldgen.datasets.loading import load
    from qaldgen.formats.question_texts import language_tag
    from qaldgen.formats.reading import check_format
    from qaldgen.io.files import check_files
    from qaldgen.stores.gold_queries import check_new

    language = language_tag(language)
    _check_call(source, language)
    reading["separator"] = groups.separator(reading["separator"])
    check_format(reading["format"])
    check_licence(licence)
    for name in filter(None, (*files, train)):
        find_source(name)
    kg = sources.file_of(source)
    check_files(kg, labels)
    inputs = (*files, kg, labels, train)
    if gold_from is not None:
        check_new(output)
    output_files.check_outputs([output], force=force, inputs=inputs)
    kept = _journal_file(journal, source, output, inputs)
    sets = [load(file, language=language, licence=licence, **reading) for file in files]
    _tell(sets, language)
    if source is not None:
        edition = gold_from is not None
        sets = _execute(sets, source, kg_name or "", kept, refresh=refresh, edition=edition)
    split = None
    if train is not None:
        split = load(train, language=language, skip_broken=reading["skip_broken"])
    with tempfile.TemporaryFile() as turtle:
        try:
            notes = annotate_to(
                turtle,
                sets,
                language=language,
                labels=kg if labels is None else labels,
                train=split,
                n_jobs=n_jobs,
                r1_compat=r1_compat,
                cache=None if no_cache else "usual",
            )
        except OSError as error:
            reason = f"cannot be written ({error.strerror}); features are collected there first"
            raise DataError(reason, where=tempfile.gettempdir()) from error
        common.notes(notes)
        output_files.write_output(output, turtle, force=force)


def _check_call(source: str | Endpoint | None, language: str) -> None:
    """Reject conflicting options and invalid language tags."""
    if not re.fullmatch(r"[a-z]{2,8}(-\w{1,8})*", language):
        raise UsageError(f"--lang {language!r} is not a language tag; use one such as en or pt-BR")
    context = click.get_current_context()
    told = [
        name
        for name in _GOLD_OPTIONS
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    # These options would have no effect, and a user would believe that queries were executed.
    if told and source is None:
        option = "--" + told[0].replace("_", "-")
        raise UsageError(
            f"{option} only applies to executing gold queries; name the knowledge graph with --kg"
            " FILE or -e URL"
        )


def _journal_file(
    journal: str | None,
    source: str | Endpoint | None,
    output: str,
    inputs: Iterable[str | None],
) -> Path | None:
    """Return the journal file, or None."""
    if journal is None:
        remote = source is not None and not isinstance(source, str)
        if remote and output == "-":
            common.notes(
                [
                    "no journal is kept, because the output goes to "
                    "stdout; pass --journal FILE to keep one"
                ]
            )
        if not remote or output == "-":
            return None
        journal = f"{output}.journal.jsonl"
    if output != "-" and same_file(journal, output):
        raise UsageError(
            f"--journal {journal} is also the output of this command; choose another file"
        )
    output_files.check_outputs(
        [journal], force=True, inputs=inputs
    )  # an existing journal is resumed
    return Path(journal)


def _tell(sets: Iterable[QuestionSet], language: str) -> None:
    """Print what was read and skipped, and what is missing."""
    from qaldgen.annotation.language_detection import language_notes, model_notes
    from qaldgen.formats.reading import reading_notes

    for one in sets:
        click.echo(f"{one.name}: {len(one.questions):,} questions ({one.format})", err=True)
        common.notes(reading_notes(one))
        common.notes(language_notes(one, language))
    common.notes(model_notes(language))


def _execute(
    sets: Iterable[QuestionSet],
    source: str | Endpoint,
    kg_name: str,
    journal: Path | None,
    *,
    refresh: bool,
    edition: bool,
) -> list[QuestionSet]:
    """Execute the gold queries, and print a summary."""
    from qaldgen.runs.journal import open_journal
    from qaldgen.selection.select import open_data
    from qaldgen.stores.gold_queries import execute_gold, gold_edition

    graph: Any = open_data(source)
    filled = []
    with open_journal(journal) if journal is not None else nullcontext() as kept:
        for one in sets:
            if edition:
                made, done = gold_edition(one, graph, kg_name=kg_name, journal=kept)
            else:
                done = execute_gold(
                    one.questions, graph, kg_name=kg_name, journal=kept, refresh=refresh
                )
                made = dataclasses.replace(one, questions=done.questions)
            click.echo(f"{one.name}: {done}", err=True)
            common.notes(f"{one.name}: {note}" for note in done.notes)
            filled.append(made)
    return filled

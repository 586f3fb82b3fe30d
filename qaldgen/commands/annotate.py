"""``qaldgen annotate``."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.verb import verb
from qaldgen.errors import DataError, UsageError
from qaldgen.io.outputs import same_file

if TYPE_CHECKING:
    from qaldgen import QuestionSet
    from qaldgen.api.questions import Reading

_GOLD_OPTIONS = ("kg_name", "journal", "refresh", "timeout", "max_reply", "allow_service")


@dataclasses.dataclass(frozen=True)
class FeatureOptions:
    """How features are computed."""

    lang: str
    labels: str | None
    licence: str
    train: str | None
    jobs: int
    r1_compat: bool
    no_cache: bool


@dataclasses.dataclass(frozen=True)
class QueryOptions:
    """Which gold queries are executed, and where their answers are recorded."""

    kg_name: str | None
    refresh: bool
    journal: str | None


@dataclasses.dataclass(frozen=True)
class Output:
    """Where the features are written."""

    output: str
    force: bool


@verb(
    usual=(
        "output",
        "force",
        "lang",
        "labels",
        "licence",
        "train",
        "jobs",
        "r1_compat",
        "no_cache",
        "data",
        "endpoint",
        "refresh",
        "form_of_set",
        "skip_broken",
    ),
    epilog="Example: qaldgen annotate qald-9-test.json lc-quad-test.json -o features.ttl --jobs 2",
)
@click.argument("files", nargs=-1, required=True)
@groups.grouped(
    "out",
    Output,
    groups.output_option("Output file (Turtle); - is stdout (default)."),
    groups.force_option,
)
@groups.grouped(
    "features",
    FeatureOptions,
    click.option(
        "--lang", default="en", show_default=True, help="Language of the texts to annotate."
    ),
    click.option(
        "--labels",
        metavar="FILE",
        help=(
            "Labels of entities, relations and classes: RDF with rdfs:label, a table of IRI and"
            " label (.csv, .tsv), or the URL of an endpoint. Default: the file of --kg."
        ),
    ),
    click.option(
        "--licence",
        default="",
        metavar="IRI",
        help="Licence of the questions, recorded in the output.",
    ),
    click.option(
        "--train",
        metavar="FILE",
        help=(
            "Training split, to compute the distance of each question from it"
            " (generalisationLevel)."
        ),
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Number of processes.",
    ),
    click.option(
        "--r1-compat",
        is_flag=True,
        help="Also write the property names of the published data, for the queries in the paper.",
    ),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the feature cache."),
)
@groups.reading_options(groups.format_option("Format of the files, if it is not recognised."))
@groups.source_options(
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
    whose="the endpoint",
)
@groups.grouped(
    "queries",
    QueryOptions,
    click.option(
        "--kg-name",
        type=click.Choice(["dbpedia", "wikidata", "freebase"]),
        help=(
            "Execute the queries for this knowledge graph, if questions have several. Default: the"
            " first query."
        ),
    ),
    click.option(
        "--refresh",
        is_flag=True,
        help="Also execute the queries of questions with answers, and replace the answers.",
    ),
    click.option(
        "--journal",
        metavar="FILE",
        help=(
            "Record each answer immediately, so that a second run only executes what is missing."
            " Default with -e: OUTPUT.journal.jsonl."
        ),
    ),
)
def command(
    files: tuple[str, ...],
    out: Output,
    features: FeatureOptions,
    reading: Reading,
    source: groups.SourceOptions,
    queries: QueryOptions,
) -> None:
    """Compute question features and write them as RDF, for 'select' and 'sample'.

    FILES are question sets: QALD JSON and XML, LC-QuAD, RuBQ, Mintaka, CSV and many more,
    recognised by content. Names from 'qaldgen data list' are downloaded.

    With --kg or --endpoint the gold queries are executed first, and their results become the gold
    answers.
    """
    features = dataclasses.replace(features, lang=api.questions.language_tag(features.lang))
    _check_call(source, features.lang)
    api.checks.check_set_form(reading.format)
    api.annotating.check_licence(features.licence)
    api.checks.check_sets(*files, features.train)
    api.checks.check_files(source.data, features.labels)
    inputs = (*files, source.data, features.labels, features.train)
    output_files.check_outputs([out.output], force=out.force, inputs=inputs)
    journal = _journal_file(queries.journal, source.endpoint, out.output, inputs)
    sets = _read(files, reading, features)
    if source.data is not None or source.endpoint is not None:
        sets = _execute(sets, source, queries, journal)
    with tempfile.TemporaryFile() as turtle:
        try:
            _annotate(turtle, sets, reading, features, source.data)
        except OSError as error:
            reason = f"cannot be written ({error.strerror}); features are collected there first"
            raise DataError(reason, where=tempfile.gettempdir()) from error
        output_files.write_output(out.output, turtle, force=out.force)


def _annotate(
    turtle: IO[bytes],
    sets: list[QuestionSet],
    reading: Reading,
    features: FeatureOptions,
    kg: str | None,
) -> None:
    """Compute the features, and write them as Turtle."""
    lang, labelled = features.lang, kg if features.labels is None else features.labels
    labels = (
        api.annotating.labels_for(sets, labelled, language=lang) if labelled is not None else None
    )
    trained = None
    if features.train is not None:
        trained, told = api.annotating.training(
            features.train, language=lang, skip_broken=reading.skip_broken
        )
        common.notes(told)
    with common.progress_bar("annotating", sum(len(one.questions) for one in sets)) as bar:
        how = api.annotating.How(
            language=lang,
            labels=labels,
            train=trained,
            n_jobs=features.jobs,
            r1_compat=features.r1_compat,
            cache=None if features.no_cache else "usual",
            progress=bar.update,
        )
        notes = api.annotating.annotate_to(turtle, sets, how)
    common.notes(notes)


def _check_call(source: groups.SourceOptions, lang: str) -> None:
    """Reject conflicting options and invalid language tags."""
    if not re.fullmatch(r"[a-z]{2,8}(-\w{1,8})*", lang):
        raise UsageError(f"--lang {lang!r} is not a language tag; use one such as en or pt-BR")
    if source.data is not None and source.endpoint is not None:
        raise UsageError("--kg and --endpoint are mutually exclusive; choose one")
    context = click.get_current_context()
    told = [
        name
        for name in _GOLD_OPTIONS
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    # These options would have no effect, and a user would believe that queries were executed.
    if told and source.data is None and source.endpoint is None:
        option = "--" + told[0].replace("_", "-")
        raise UsageError(
            f"{option} only applies to executing gold queries; name the knowledge graph with --kg"
            " FILE or -e URL"
        )


def _journal_file(
    journal: str | None, endpoint: str | None, output: str, inputs: Iterable[str | None]
) -> Path | None:
    """Return the journal file, or None."""
    if journal is None:
        if endpoint is not None and output == "-":
            common.notes(
                [
                    "no journal is kept, because the output goes to "
                    "stdout; pass --journal FILE to keep one"
                ]
            )
        if endpoint is None or output == "-":
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


def _read(files: tuple[str, ...], reading: Reading, features: FeatureOptions) -> list[QuestionSet]:
    """Read the question sets, and print what was skipped and what is missing."""
    lang = features.lang
    sets = [
        api.questions.read(file, reading, language=lang, licence=features.licence) for file in files
    ]
    for one in sets:
        click.echo(f"{one.name}: {len(one.questions):,} questions ({one.format})", err=True)
        common.notes(api.questions.notes_on(one))
        common.notes(api.annotating.language_notes(one, lang))
    common.notes(api.annotating.model_notes(lang))
    return sets


def _execute(
    sets: list[QuestionSet],
    source: groups.SourceOptions,
    queries: QueryOptions,
    journal: Path | None,
) -> list[QuestionSet]:
    """Execute the gold queries, and print a summary."""
    opened = cast("api.annotating.Graph", common.open_source(source))
    filled = []
    with api.annotating.open_journal(journal) if journal is not None else nullcontext() as kept:
        for one in sets:
            with common.progress_bar(f"asking {opened.name}", len(one.questions)) as bar:
                made, done = api.annotating.execute(
                    one,
                    opened,
                    kg_name=queries.kg_name or "",
                    journal=kept,
                    refresh=queries.refresh,
                    progress=bar.update,
                )
            click.echo(f"{one.name}: {done}", err=True)
            common.notes(f"{one.name}: {note}" for note in done.notes)
            filled.append(made)
    return filled

"""``qaldgen annotate``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from qaldgen.commands import common
from qaldgen.commands.early_checks import check_files, check_set_form, check_sets
from qaldgen.errors import UsageError
from qaldgen.io.outputs import same_file

if TYPE_CHECKING:
    from qaldgen.features.generalisation import Training
    from qaldgen.formats.reading import Reading
    from qaldgen.model import QuestionSet
    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.local import LocalStore

_GOLD_OPTIONS = ("kg_name", "journal", "refresh", "timeout", "max_reply", "allow_service")


@click.command(epilog="Example: qaldgen annotate qald-9-test.json lc-quad-test.json -o features.ttl --jobs 2")
@click.argument("files", nargs=-1, required=True)
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the features as Turtle; - is stdout (default).")
@click.option("--lang", default="en", show_default=True, help="The language whose wordings are looked at.")
@common.reading_options("--format", "The form of the files, where it is not recognised.")
@click.option(
    "--labels",
    metavar="FILE",
    help="Labels of entities, relations and classes: RDF with rdfs:label, a table of IRI and label (.csv, .tsv), or the URL of "
    "an endpoint. Default: the file of --kg.",
)
@click.option("--licence", default="", metavar="IRI", help="The licence of the questions, to be written with them.")
@click.option("--train", metavar="FILE", help="A training split: how far is each question from it (generalisationLevel).")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Processes to compute with.")
@click.option("--r1-compat", is_flag=True, help="Also write the property names of the published data, for the paper's listings.")
@click.option("--no-cache", is_flag=True, help="Compute everything anew, and keep nothing.")
@click.option("--kg", metavar="FILE", help="RDF of the knowledge graph: gold queries are executed where there are no answers.")
@click.option("-e", "--endpoint", metavar="URL", help="A SPARQL endpoint of the knowledge graph, instead of --kg.")
@click.option(
    "--kg-name",
    type=click.Choice(["dbpedia", "wikidata", "freebase"]),
    help="Execute the queries for this knowledge graph, where questions have several. Default: the first query.",
)
@click.option("--refresh", is_flag=True, help="Execute the queries of questions that have answers too, and replace these.")
@click.option(
    "--journal",
    metavar="FILE",
    help="Keep each answer as it comes, so that a second run asks only what is missing. Default with -e: OUTPUT.journal.jsonl.",
)
@click.option(
    "--timeout",
    default=60.0,
    show_default=True,
    type=common.SECONDS,
    metavar="SECONDS",
    help="Longest wait for one answer of the endpoint.",
)
@common.max_reply_option(256.0, "answer of the endpoint with all its pages")
@common.service_option
@common.force_option
def command(
    files: tuple[str, ...], output: str, lang: str, labels: str | None, licence: str, train: str | None,
    jobs: int,
    r1_compat: bool, no_cache: bool, kg: str | None, endpoint: str | None, kg_name: str | None, refresh: bool,
    journal: str | None, timeout: float, max_reply: float, allow_service: bool, reading: Reading, force: bool,
) -> None:  # fmt: skip
    """Compute the features of questions and write them as RDF, for 'select' and 'sample'.

    FILES are question sets: QALD JSON and XML, LC-QuAD, RuBQ, Mintaka, PolEval, CSV and many more; recognised by content.
    A name of 'qaldgen data list' is fetched.

    With --kg or --endpoint the gold queries are executed first, and what they give are the gold answers of the features.
    """
    from qaldgen.annotation.annotate import annotate, check_licence
    from qaldgen.annotation.labels import read_labels
    from qaldgen.features.cache import cache_file
    from qaldgen.formats.gather import language_tag

    lang = language_tag(lang)
    _check_call(kg, endpoint, lang)
    check_set_form(reading.format)
    check_licence(licence)
    check_sets(*files, train)
    check_files(kg, labels)
    inputs = (*files, kg, labels, train)
    common.check_outputs([output], force=force, inputs=inputs)
    kept_in = _journal_file(journal, endpoint, output, inputs)
    sets = _read(files, reading, lang)
    if kg is not None or endpoint is not None:
        opened = common.open_source(kg, endpoint, timeout, max_reply, allow_service=allow_service)
        sets = _execute(sets, cast("LocalStore | Endpoint", opened), kg_name=kg_name or "", journal=kept_in, refresh=refresh)
    labelled = kg if labels is None else labels
    asked = [question for one in sets for question in one.questions]
    names = read_labels(labelled, questions=asked, language=lang) if labelled is not None else None
    trained = _training(train, reading, lang) if train is not None else None
    cache = None if no_cache else cache_file()
    total = sum(len(one.questions) for one in sets)
    with common.progress_bar("annotating", total) as bar:
        made = annotate(
            sets, language=lang, labels=names, train=trained, jobs=jobs, r1_compat=r1_compat, licence=licence, cache=cache,
            progress=bar.update,
        )  # fmt: skip
    common.notes(made.notes)
    common.write_output(output, made.dump(), force=force)


def _training(name: str, reading: Reading, lang: str) -> Training:
    """Read the training split, and say which of its queries teach nothing."""
    from qaldgen.datasets.fetching import resolve
    from qaldgen.features.generalisation import training_items
    from qaldgen.formats.reading import read_questions, reading_notes

    asked = read_questions(resolve(name), language=lang, skip_broken=reading.skip_broken)
    common.notes(reading_notes(asked))
    found = training_items(asked.questions)
    if found.unparsable:
        count, first = len(found.unparsable), found.unparsable[0]
        common.notes([f"{name}: {count:,} queries cannot be parsed (first: {first}); the levels do without them"])
    return found


def _check_call(kg: str | None, endpoint: str | None, lang: str) -> None:
    """Refuse options that do not go together, and a language that is none."""
    if not re.fullmatch(r"[a-z]{2,8}(-\w{1,8})*", lang):
        raise UsageError(f"--lang {lang!r} is no language tag; write one such as en or pt-BR")
    if kg is not None and endpoint is not None:
        raise UsageError("--kg and --endpoint exclude each other: one knowledge graph answers, a file or an endpoint")
    context = click.get_current_context()
    told = [name for name in _GOLD_OPTIONS if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    if told and kg is None and endpoint is None:
        option = "--" + told[0].replace("_", "-")
        raise UsageError(f"{option} is about executing gold queries; name the knowledge graph by --kg FILE or -e URL")


def _journal_file(journal: str | None, endpoint: str | None, output: str, inputs: Iterable[str | None]) -> Path | None:
    """Return where to keep a journal; None for none."""
    if journal is None:
        if endpoint is not None and output == "-":
            common.notes(["no journal is kept, as the output is stdout; --journal FILE keeps one"])
        if endpoint is None or output == "-":
            return None
        journal = f"{output}.journal.jsonl"
    if output != "-" and same_file(journal, output):
        raise UsageError(f"--journal {journal} is the output of this command; give it a name of its own")
    common.check_outputs([journal], force=True, inputs=inputs)  # an existing journal is continued
    return Path(journal)


def _read(files: tuple[str, ...], reading: Reading, lang: str) -> list[QuestionSet]:
    """Read the question sets, and say what was left out and what is missing."""
    from qaldgen.annotation.languages import language_note
    from qaldgen.datasets.fetching import resolve
    from qaldgen.features.compute import model_name
    from qaldgen.formats.reading import read_questions, reading_notes

    sets = [read_questions(resolve(file), language=lang, **reading._asdict()) for file in files]
    for one in sets:
        click.echo(f"{one.name}: {len(one.questions):,} questions ({one.format})", err=True)
        common.notes(reading_notes(one))
        without = sum(lang not in question.texts for question in one.questions)
        if without:
            common.notes([f"{one.name}: {without:,} questions have no wording in {lang!r}; they get no features of the text"])
        wordings = {question.id: question.texts[lang][0] for question in one.questions if question.texts.get(lang)}
        common.notes(f"{one.name}: {note}" for note in [language_note(wordings, lang)] if note)
    if not model_name(lang):
        absent = "features that need one (parts of speech, head word, named entities) are absent"
        common.notes([f"no spaCy model for {lang!r} is installed: {absent}"])
    return sets


def _execute(
    sets: list[QuestionSet], source: LocalStore | Endpoint, *, kg_name: str, journal: Path | None, refresh: bool
) -> list[QuestionSet]:
    """Execute the gold queries, and say what became of them."""
    from qaldgen.runs.journal_writing import open_journal
    from qaldgen.stores.execution import execute_gold

    filled = []
    with open_journal(journal) if journal is not None else nullcontext() as kept:
        for one in sets:
            with common.progress_bar(f"asking {source.name}", len(one.questions)) as bar:
                done = execute_gold(
                    one.questions, source, kg_name=kg_name, journal=kept, refresh=refresh, progress=bar.update
                )  # fmt: skip
            click.echo(f"{one.name}: {done}", err=True)
            common.notes(f"{one.name}: {note}" for note in done.notes)
            filled.append(dataclasses.replace(one, questions=done.questions))
    return filled

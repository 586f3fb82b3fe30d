"""``qaldgen annotate``."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from qaldgen.cli.output_files import check_ending, check_outputs, write_output
from qaldgen.cli.printing import print_notes
from qaldgen.cli.shared_options import file_of, reading_options, shared, source_of, source_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import QUESTIONS, Call, verb
from qaldgen.errors import DataError, UsageError
from qaldgen.io.outputs import same_file
from qaldgen.io.text import count
from qaldgen.options import Text

if TYPE_CHECKING:
    from qaldgen import Endpoint, QuestionSet
    from qaldgen.answers.journal import Journal


class AnnotateOptions:
    """Command-line options of `annotate`.

    Attributes
    ----------
    no_cache
        Neither read nor write the feature cache.
    kg
        RDF file of the knowledge graph; executes the gold queries of questions without answers.
    journal
        Record each answer immediately, so that a second run only executes what is missing. With -e
        it is OUTPUT.journal.jsonl if not named.
    """

    no_cache: bool = False
    kg: Path | None = None
    journal: Annotated[str, Text("FILE")] | None = None


@verb(
    brief="output force lang labels licence train jobs r1_compat no_cache kg endpoint refresh"
    " format skip_broken",
    epilog="Example: qaldgen annotate qald-9-test.json lc-quad-test.json -o features.ttl --jobs 2",
)
@click.argument("files", nargs=-1, required=True, type=QUESTIONS)
@shared("output", "force")
@options_of("annotate", "language", "labels")
@options_of("load", "licence")
@options_of("annotate", "train", "n_jobs", "r1_compat")
@options_of(AnnotateOptions, "no_cache")
@reading_options("format")
@shared("gold_from")
@source_options(options_of(AnnotateOptions, "kg"))
@options_of("qaldgen.stores.gold_queries:execute_gold", "kg_name", "refresh")
@options_of(AnnotateOptions, "journal")
def command(call: Call) -> None:
    """Compute question features and write them as RDF.

    'select' and 'sample' read them. FILES are question sets: QALD JSON and XML, LC-QuAD, RuBQ,
    Mintaka, CSV and many more, recognised by content. Names from 'qaldgen data list' are
    downloaded.

    With --kg or --endpoint the gold queries are executed first, and their results become the gold
    answers.
    """
    from qaldgen.annotation.annotate import annotate_to, check_licence
    from qaldgen.annotation.language_detection import language_notes
    from qaldgen.features.compute import model_name
    from qaldgen.questions.loading import load
    from qaldgen.questions.question_texts import language_tag
    from qaldgen.questions.reading import reading_notes
    from qaldgen.stores.gold_queries import check_new_files

    source = source_of(call, call.kg)

    language = language_tag(call.lang)
    if not re.fullmatch(r"[a-z]{2,8}(-\w{1,8})*", language):
        raise UsageError(f"--lang {language!r} is not a language tag; use one such as en or pt-BR")
    check_licence(call.licence)
    if call.gold_from is not None:
        check_new_files(call.output)
    call.check(file_of(source))
    check_ending(call.output, "turtle", "name it .ttl; 'select' and 'export' write tables")

    journal = None if source is None else _choose_journal(call, source)
    sets = [load(file, language=language, **call.of("load")) for file in call.files]

    # Print what was read and skipped, and what is missing.
    for questions in sets:
        size = count(len(questions), "question")
        click.echo(f"{questions.name}: {size} ({questions.format})", err=True)
        print_notes(reading_notes(questions))
        print_notes(language_notes(questions, language))
    if not model_name(language):
        print_notes(
            f"no spaCy model for {language!r} is installed: features that need it (parts of speech,"
            " head noun, named entities) are absent"
        )

    if source is not None:
        sets = _execute_gold_queries(call, sets, source, journal)

    labels = call.labels
    if labels is None:
        labels = file_of(source)
    train = None
    if call.train is not None:
        train = load(call.train, language=language, skip_broken=call.skip_broken)

    cache: Literal["default"] | None = None if call.no_cache else "default"
    with tempfile.TemporaryFile() as turtle:
        try:
            annotation_notes = annotate_to(
                turtle,
                sets,
                language=language,
                labels=labels,
                train=train,
                n_jobs=call.jobs,
                r1_compat=call.r1_compat,
                cache=cache,
            )
        except OSError as error:
            reason = f"cannot be written ({error.strerror}); features are collected there first"
            raise DataError(reason, where=tempfile.gettempdir()) from error
        print_notes(annotation_notes)
        write_output(call.output, turtle, force=call.force)


def _choose_journal(call: Call, source: str | Endpoint) -> Path | None:
    """Return the path of the journal of the gold queries; None to keep no journal."""
    journal = call.journal
    if journal is None:
        is_remote = not isinstance(source, str)
        if is_remote and call.output == "-":
            print_notes(
                "no journal is kept, as output goes to stdout; pass --journal FILE to keep one"
            )
        if not is_remote or call.output == "-":
            return None
        journal = f"{call.output}.journal.jsonl"
    if call.output != "-" and same_file(journal, call.output):
        raise UsageError(
            f"--journal {journal} is also the output of this command; choose another file"
        )
    inputs = [*call.files, file_of(source), call.labels, call.train]
    check_outputs([journal], force=True, inputs=inputs)  # an existing journal is resumed
    return Path(journal)


def _execute_gold_queries(
    call: Call, sets: Iterable[QuestionSet], source: str | Endpoint, journal: Path | None
) -> list[QuestionSet]:
    """Execute the gold queries, and print a summary."""
    from qaldgen.answers.journal import open_journal
    from qaldgen.selection.select import open_data
    from qaldgen.stores.gold_queries import execute_gold, make_edition

    graph: Any = open_data(source)
    updated_sets = []
    context: AbstractContextManager[Journal | None]
    context = nullcontext() if journal is None else open_journal(journal)
    with context as open_file:
        options = {"kg_name": call.kg_name, "journal": open_file}
        for question_set in sets:
            if call.gold_from is not None:
                updated_set, execution = make_edition(question_set, graph, **options)
            else:
                execution = execute_gold(
                    question_set.questions, graph, refresh=call.refresh, **options
                )
                updated_set = dataclasses.replace(question_set, questions=execution.questions)
            click.echo(f"{question_set.name}: {execution}", err=True)
            print_notes(f"{question_set.name}: {note}" for note in execution.notes)
            updated_sets.append(updated_set)
    return updated_sets

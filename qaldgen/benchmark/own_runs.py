"""Read runs to score: files, data, and the systems whose answers stand beside the questions."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers.reading import read_systems
from qaldgen.answers.record import Run
from qaldgen.answers.run_columns import runs_in_gold_file
from qaldgen.answers.several_runs import read_runs
from qaldgen.benchmark.gold import Gold, prediction_fields
from qaldgen.benchmark.swapped import can_be_read_again, run_hint, swap_note
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import input_exists
from qaldgen.io.json_text import member
from qaldgen.io.notes import collecting
from qaldgen.io.outputs import same_file
from qaldgen.io.progress import step
from qaldgen.io.text import count
from qaldgen.options import Field, RunFormats
from qaldgen.questions.cells import guess_answer_type
from qaldgen.questions.collecting import DEFAULT_OPTIONS
from qaldgen.questions.column_values import RecordTable
from qaldgen.questions.columns import Columns, find_columns
from qaldgen.questions.fields import is_gold_name, is_prediction_name, without_number
from qaldgen.questions.file_content import Content, InMemory, content_in_memory, is_in_memory
from qaldgen.questions.generic_records import plain_table
from qaldgen.questions.reading import PLAIN_FORMATS, READERS
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.records import flat_texts
from qaldgen.questions.rows_of_answers import best_candidates


def read_all(
    gold: Gold,
    runs: Any,  # noqa: ANN401 - runs of any kind
    *,
    format: RunFormats | None = None,
    language: str = LANGUAGE,
    filter: str = "",
    answer_field: Sequence[Field] = (),
    kept: type = Run,
    alone: bool = False,
    last: Sequence[str] = (),
) -> list[Any]:
    """Read runs, and the answers of systems that stand beside the questions.

    - If `runs` is None, all systems beside the questions are read.
    - If one of `runs` is the name of such a system, exactly `runs` are read.
    - If `runs` are files or data, the systems beside the questions are read first: every file that
      holds answers is a run. With `alone`, or if the file of the questions is one of `runs`,
      exactly `runs` are read.

    The files and systems in `last` are read after all others. Objects of the type `kept` stay as
    they are; see `read_runs`. The other parameters are those of `read_run`.
    """
    open_file = functools.partial(
        open_runs,
        gold,
        format=format,
        language=language,
        filter=filter,
        answer_field=answer_field,
    )
    read = functools.partial(
        read_runs,
        gold=gold.questions,
        language=language,
        kept=kept,
        read=open_file,
        gold_file=gold.source,
    )
    run_list = [runs]
    if isinstance(runs, (list, tuple)) and not is_in_memory(runs):
        run_list = list(runs)
    are_objects = runs is not None and all(
        not isinstance(run, (str, Path, tuple)) and not is_in_memory(run) for run in run_list
    )
    if are_objects and not last:
        return read(runs)

    own = own_runs(gold)
    last_runs = [own.resolve(run) for run in last]
    if runs is None:
        if not own.items():
            raise missing_run_error(gold)
        first = {name: own.systems[name] for name in own.systems if name not in last}
        return read(own._replace(systems=first).items() + last_runs)

    if any(own.is_system(run) for run in run_list):
        return read([own.resolve(run) for run in run_list] + last_runs)
    if not own.items() or alone or are_objects or isinstance(runs, Mapping):
        return read(run_list + last_runs if last_runs else runs)

    if own.is_certain and not any(_is_read_from(gold, run) for run in run_list):
        run_list = own.items() + run_list
    all_runs = read(run_list + last_runs)
    with_gold = [run for run in all_runs if getattr(run, "gold", "")]
    for run in with_gold:
        if run.differing:
            raise DataError(
                f"{run.name} and {gold.questions.name} both hold questions with gold and answers,"
                f" but the gold differs for {count(len(run.differing), 'question')} (first:"
                f" {run.differing[0]}); they are no runs on one gold. Give the gold apart, as the"
                " first file"
            )
    if not with_gold or own.is_certain:
        return all_runs
    # every file has gold and answers, so the one that the questions were read from is a run too
    hashes = {run.sha256 for run in all_runs}
    try:
        gold_runs = [run for run in read(own.items()) if run.sha256 not in hashes]
    except DataError:  # what only may be answers is none
        return all_runs
    return gold_runs + all_runs


def open_runs(
    gold: Gold,
    run: str | Path | InMemory,
    *,
    format: RunFormats | None = None,
    name: str | None = None,
    system: str = "",
    language: str = LANGUAGE,
    filter: str = "",
    answer_field: Sequence[Field] = (),
) -> list[Run]:
    """Read runs as `read_systems` does; an error or note says if there are questions instead."""
    if isinstance(run, Content):
        answer_field = ()  # the content of a system beside the questions has its answers alone
    read = functools.partial(
        read_systems,
        run,
        format=format,
        name=name,
        system=system,
        gold=gold.questions,
        language=language,
        filter=filter,
        answer_field=answer_field,
    )

    if not isinstance(run, (str, Path)):
        return read()

    try:
        with step(f"reading {run}"):
            runs = read()
    except DataError as error:
        hint = run_hint(run) if can_be_read_again(gold.source, str(run)) else None
        if hint is not None:
            raise DataError(f"{error.text}. {hint}", where=error.where) from None
        raise

    swap_warning = swap_note(gold.questions, run, runs[0].format)
    if swap_warning is not None and gold.benchmark is None:
        runs[0] = dataclasses.replace(runs[0], notes=(*runs[0].notes, swap_warning))
    return runs


class OwnRuns(NamedTuple):
    """The answers of systems that stand beside the questions, in one file or table."""

    systems: Mapping[str, Content] = {}  # the answers of each system in rows or columns, by name
    log: str | Content | None = None  # the file itself, if it is a log of an evaluator
    #: Whether the format, or names of fields, say that these are answers of systems.
    is_certain: bool = False

    def items(self) -> list[Any]:
        """Return the runs as `read_runs` takes them: the log, or pairs of name and content."""
        if self.log is not None:
            return [self.log]
        return list(self.systems.items())

    def is_system(self, run: object) -> bool:
        """Return whether a run is the name of a system beside the questions.

        If there are such systems, a text that names neither one of them nor a file is refused.
        """
        if not self.systems or not isinstance(run, str) or input_exists(run):
            return False
        if run not in self.systems:
            raise UsageError(
                f"{run!r} is neither a file nor a system beside the questions; these have"
                f" {', '.join(map(repr, self.systems))}"
            )
        return True

    def resolve(self, run: Any) -> Any:  # noqa: ANN401 - a run of any kind
        """Return the name of a system with its answers; any other run is returned unchanged."""
        return (run, self.systems[run]) if self.is_system(run) else run


def own_runs(gold: Gold) -> OwnRuns:
    """Return the answers of systems that stand beside the questions, if there are any."""
    content = gold.content
    if content is None:
        return OwnRuns()
    format_name = gold.questions.format
    if READERS[format_name].answers:
        return OwnRuns(log=gold.source or content, is_certain=True)
    name = content.name if gold.source else "run"
    predictions = []
    for field in prediction_fields(content, format_name):
        if field.lower().startswith("result"):
            values = [sorted(flat_texts(member(row, field))) for row in content.rows]
            if values == [sorted(question.gold.values()) for question in gold.questions]:
                continue  # a copy of the gold
        predictions.append(field)
    if predictions:
        record_format = RECORD_FORMATS[format_name]
        id_field = next((field for field in record_format.ids if field in content.row_keys), "")
        rows = list(record_format.rows(content, DEFAULT_OPTIONS))
        systems = {"": tuple(predictions)}
        verdicts = RecordTable(rows).verdict_columns(systems)
        columns = Columns(systems=systems, single={"id": id_field}, verdicts=verdicts)
        return OwnRuns(runs_in_gold_file(content, rows, columns, name), is_certain=True)
    if not gold.questions.systems:
        return OwnRuns()

    # a table or records, with systems in rows or in columns of their own
    table = plain_table(content, gold.chosen_fields)
    columns = table.columns
    if table.systems:
        rows = list(chain.from_iterable(table.systems.values()))
        columns = find_columns(rows, table.chosen_fields)
    runs: dict[str, Content] = {}
    for system, rows in (table.systems or {name: table.rows}).items():
        if table.systems:
            with collecting():  # its notes are about the questions, and were given with these
                rows = best_candidates(rows)
        for column, run in runs_in_gold_file(content, rows, columns, system).items():
            # each row of a system may have several answers, too
            run_name = column
            if table.systems and len(columns.systems) > 1:
                run_name = f"{system} {column}"
            runs[run_name] = run
    answer_names = set(chain.from_iterable(columns.systems.values()))
    is_chosen = bool(table.systems or gold.chosen_fields.answers)
    are_predictions = any(is_prediction_name(name) for name in answer_names)
    return OwnRuns(runs, is_certain=is_chosen or are_predictions)


def missing_run_error(gold: Gold) -> UsageError:
    """Return the error for questions without answers of systems beside them."""
    gold_note = ""
    example = ", or with `gold_field` and `answer_field`"

    if gold.content is not None and gold.questions.format in PLAIN_FORMATS:
        table = plain_table(gold.content, gold.chosen_fields)
        rows = [row for row in table.rows if isinstance(row, dict)]
        gold.chosen_fields.check(list(dict.fromkeys(chain(table.names, *rows))))
        if gold.chosen_fields.answers and not table.columns.gold:
            return UsageError(
                "has questions and answers of a system, but no field with gold answers; say which"
                " with `gold_field`, or give the gold apart, as the first file",
                where=gold.source or "the questions",
            )
        if table.columns.hold_questions and not table.is_guessed:
            if table.columns.gold:
                gold_note = (
                    f" {table.columns.gold[0]!r} is taken for the gold answers, and no other column"
                    " for a system's."
                )
            names = dict.fromkeys(chain(table.names, *rows))
            blank = [
                name
                for name in names
                if is_prediction_name(name) and name not in table.columns.gold
            ]
            field = _possible_answers(rows, table.columns)
            if blank:
                gold_note += f" {blank[0]!r} is empty in all records."
            elif field is not None:
                example = f" (here perhaps '{field} prediction'; or say `answer_field={field!r}`)"

    logs = ", ".join(name for name, reader in READERS.items() if reader.answers)
    return UsageError(
        f"has questions but no answers of a system; name a run too.{gold_note} A table or JSON"
        " records hold both if a column beside the gold answers is called 'prediction', or one for"
        f" each system 'NAME prediction'{example}; so do logs"
        f" ({logs or 'no plug-in reads one here'})",
        where=gold.source or "the questions",
    )


def _possible_answers(rows: Sequence[dict[str, Any]], columns: Columns) -> str | None:
    """Return the field that may hold the answers of a system; None if no field holds texts.

    A field equal to the gold is preferred: it may hold the answers of a system without mistakes.
    """
    if not rows:
        return None
    if columns.gold:
        gold_values = [row.get(columns.gold[0]) for row in rows]
        for field in reversed(rows[0]):
            if field not in columns.gold and [row.get(field) for row in rows] == gold_values:
                return field
    for field, value in reversed(rows[0].items()):
        is_text = not isinstance(value, dict) and guess_answer_type(str(value)) == "string"
        if field and field not in columns.dropped and is_text and not is_gold_name(field):
            # of ranked answers (answer_0, answer_1) the first
            return next(name for name in rows[0] if without_number(name) == without_number(field))
    return None


def _is_read_from(gold: Gold, run: object) -> bool:
    """Return whether the questions were read from the file or data of a run."""
    if isinstance(run, (str, Path)):
        return bool(gold.source) and same_file(str(run), gold.source)
    if gold.content is None or gold.source or not is_in_memory(run):
        return False
    return content_in_memory(run).sha256 == gold.content.sha256

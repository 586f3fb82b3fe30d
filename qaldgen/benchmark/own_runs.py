"""The runs that are scored: files and data, and the systems whose answers stand beside the gold."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Run
from qaldgen.answers.run_columns import SeveralSystems, runs_beside
from qaldgen.answers.several_runs import read_runs
from qaldgen.benchmark.gold import ANY_ORIGIN, Gold, predictions_in
from qaldgen.benchmark.swapped import can_be_read_again, run_hint, swap_note
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import input_exists
from qaldgen.io.notes import collecting
from qaldgen.io.outputs import same_file
from qaldgen.io.progress import step
from qaldgen.io.text import count
from qaldgen.questions.columns import Columns, best_candidates, find_columns, rows_by_system
from qaldgen.questions.fields import says_prediction
from qaldgen.questions.file_content import Content, InMemory, content_in_memory, in_memory
from qaldgen.questions.generic_records import plain_rows
from qaldgen.questions.reading import READERS
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.records import AS_USUAL


def read_all(
    gold: Gold,
    runs: Any,  # noqa: ANN401 - runs of any kind
    *,
    language: str = LANGUAGE,
    kept: type = Run,
    alone: bool = False,
    last: Sequence[str] = (),
    **options: Any,  # noqa: ANN401 - those of `read_run`
) -> list[Any]:
    """Read runs; the file of the questions may hold the answers of systems, too.

    None means all these systems, the name of one means it alone. Other runs are read after them,
    since every file that holds answers is a run; but alone if the caller says `alone`, or if one of
    them is the file of the questions. Files and names in `last` come last. Objects of the type
    `kept` stay as they are, see `read_runs`.
    """
    opening = functools.partial(open_run, gold, language=language, **options)
    reading = functools.partial(
        read_runs,
        gold=gold.questions,
        language=language,
        kept=kept,
        reading=opening,
        gold_file=gold.source,
    )
    own = own_runs(gold)
    last_runs = [own.called(run) or run for run in last]
    if runs is None:
        if not own.items():
            raise no_own_run(gold)
        systems = {name: own.systems[name] for name in own.systems if name not in last}
        return reading([*own._replace(systems=systems).items(), *last_runs])
    given = list(runs) if isinstance(runs, (list, tuple)) and not in_memory(runs) else [runs]
    systems_by_name = [own.called(run) for run in given]
    if any(systems_by_name):
        named_runs = zip(systems_by_name, given, strict=True)
        return reading([*(system or run for system, run in named_runs), *last_runs])
    are_read = all(not isinstance(run, (str, Path, tuple)) and not in_memory(run) for run in given)
    if not own.items() or alone or are_read or isinstance(runs, Mapping):
        if last_runs:
            return reading([*given, *last_runs])
        return reading(runs)
    if own.sure and not any(_is_read_from(gold, run) for run in given):
        given = [*own.items(), *given]
    read = reading([*given, *last_runs])
    with_gold = [run for run in read if getattr(run, "gold", "")]
    for run in with_gold:
        if run.differing:
            raise DataError(
                f"{run.name} and {gold.questions.name} both hold questions with gold and answers,"
                f" but the gold differs for {count(len(run.differing), 'question')} (first:"
                f" {run.differing[0]}); they are no runs on one gold. Give the gold apart, as the"
                " first file"
            )
    if not with_gold or own.sure:
        return read
    # files with gold and answers each: that of the gold is a run, as the others are
    hashes = {run.sha256 for run in read}
    of_gold = [run for run in reading(own.items()) if run.sha256 not in hashes]
    return [*of_gold, *read]


def open_run(gold: Gold, run: str | Path | InMemory, **options: Any) -> Run:  # noqa: ANN401
    """Read a run as `read_run` does; say if questions were given in its place."""
    if isinstance(run, Content):
        options["answer_field"] = ()  # a system beside the questions has its own field
    if not isinstance(run, (str, Path)):
        return read_run(run, gold=gold.questions, **options)
    try:
        with step(f"reading {run}"):
            answers = read_run(run, gold=gold.questions, **options)
    except SeveralSystems:
        raise
    except DataError as error:
        if can_be_read_again(gold.source, str(run)) and (hint := run_hint(run)):
            raise DataError(f"{error.text}. {hint}", where=error.where) from None
        raise
    swapped = swap_note(gold.questions, run, answers.format)
    if swapped and gold.benchmark is None:
        answers = dataclasses.replace(answers, notes=(*answers.notes, swapped))
    return answers


class OwnRuns(NamedTuple):
    """The answers of systems that stand beside the questions, in one file or table."""

    systems: Mapping[str, Content] = {}  # those in columns of their own, by name
    log: str | Content | None = None  # the file itself, if its format is that of a log
    #: Whether the format, or names of fields, say that these are answers of systems.
    sure: bool = False

    def items(self) -> list[Any]:
        """Return what `read_runs` reads: the log, or pairs of name and content."""
        if self.log is not None:
            return [self.log]
        return [*self.systems.items()]

    def called(self, name: object) -> tuple[str, Content] | None:
        """Return the system with this name, as a pair; None if there is none, or such a file."""
        if not self.systems or not isinstance(name, str) or input_exists(name):
            return None
        if name not in self.systems:
            raise UsageError(
                f"{name!r} is neither a file nor a system beside the questions; these have"
                f" {', '.join(map(repr, self.systems))}"
            )
        return name, self.systems[name]


def own_runs(gold: Gold) -> OwnRuns:
    """Return the answers of systems that stand beside the questions, if there are any."""
    content = gold.content
    if content is None:
        return OwnRuns()
    if READERS[gold.questions.format].answers:
        return OwnRuns(log=gold.source or content, sure=True)
    name = content.name if gold.source else "run"
    if predictions := predictions_in(content, gold.questions.format):
        form = RECORD_FORMATS[gold.questions.format]
        key = next((name for name in form.ids if name in content.row_keys), "")
        columns = Columns(systems={"": predictions}, one={"id": key})
        systems = runs_beside(content, list(form.rows(content, AS_USUAL)), columns, name)
        return OwnRuns(systems, sure=True)
    if not gold.questions.systems:
        return OwnRuns()
    plain = plain_rows(content)
    by_system = rows_by_system(plain.rows)
    header = () if by_system else plain.names
    runs: dict[str, Content] = {}
    names: set[str] = set()
    for system, rows in (by_system or {name: plain.rows}).items():
        with collecting():  # its notes are about the questions, and were told when they were read
            rows = best_candidates(rows)
        columns = find_columns(rows, gold.chosen_fields, header) or Columns()
        runs |= runs_beside(content, rows, columns, system)
        names.update(chain.from_iterable(columns.systems.values()))
    sure = bool(by_system or gold.chosen_fields.answers) or any(map(says_prediction, names))
    return OwnRuns(runs, sure=sure)


def no_own_run(gold: Gold) -> UsageError:
    """Return the error for questions beside which no answers of a system stand."""
    columns = None
    unused: list[str] = []
    if gold.content is not None and gold.questions.format in ANY_ORIGIN:
        rows, names, guessed = plain_rows(gold.content)
        if not guessed:
            columns = find_columns(rows, names=names)
        first = next((row for row in rows if isinstance(row, dict)), {})
        gold.chosen_fields.check([*first])
        unused = [name for name in first if columns and name and name not in columns.ours]
    gold_note = ""
    if columns and columns.gold:
        gold_note = (
            f" {columns.gold[0]!r} is taken for the gold answers, and no other column for a"
            " system's."
        )
    example = ""
    if unused:
        example = f" (here perhaps '{unused[-1]} prediction'; or say `answer_field={unused[-1]!r}`)"
    logs = [name for name, reader in READERS.items() if reader.answers]
    log_names = ", ".join(logs) or "no plug-in reads one here"
    return UsageError(
        f"has questions but no answers of a system; name a run too.{gold_note} A table or JSON"
        " records hold both if a column beside the gold answers is called 'prediction', or one for"
        f" each system 'NAME prediction'{example}; so do logs ({log_names})",
        where=gold.source or "the questions",
    )


def _is_read_from(gold: Gold, run: object) -> bool:
    """Return whether the questions were read from the data that are given as a run."""
    if isinstance(run, (str, Path)):
        return bool(gold.source) and same_file(str(run), gold.source)
    if gold.content is None or gold.source or not in_memory(run):
        return False
    return content_in_memory(run).sha256 == gold.content.sha256

"""Write a benchmark in one of the formats in `FORMATS`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from qaldgen.benchmark.write_rdf import dump_rdf
from qaldgen.errors import DataError, UsageError
from qaldgen.formats.gerbil.values import load_warnings
from qaldgen.formats.question_texts import language_tag
from qaldgen.formats.results_json import Json, first_variable
from qaldgen.formats.writing import (
    dump_extended,
    dump_qald,
    dump_records,
    left_out_of_extended,
    left_out_of_table,
    plain_record,
)
from qaldgen.io.arguments import one_of
from qaldgen.io.extensions import Table
from qaldgen.io.outputs import check_writable, make_folder, write_all
from qaldgen.io.text import MARK, protect
from qaldgen.model import CHOSEN_BY, Question
from qaldgen.options import Exports
from qaldgen.selection.vectors import file_columns

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark, Member


#: Metadata that tables hold where questions have it.
_MORE = ("relevant_passages", CHOSEN_BY)


class Wanted(NamedTuple):
    """How to write a benchmark.

    Attributes
    ----------
    language : str
        The language of untagged texts, of tables, and of the last text in extended QALD JSON.
    answers : str
        ``all`` variables of the gold rows, or the ``first`` one.
    name : str
        The name of a task for another evaluator.
    licence : str
        The licence of the questions, for a card: an address or a short name; empty if unknown.
    """

    language: str
    answers: str
    name: str = "benchmark"
    licence: str = ""

    def questions(self, benchmark: Benchmark) -> list[Question]:
        """Return the questions of a benchmark, with all or the first variable of their answers."""
        found = benchmark.questions(self.language)
        if self.answers == "all":
            return list(found)
        return [
            dataclasses.replace(q, answers=q.answers and first_variable(q.answers)) for q in found
        ]


#: The content of a file, or of the files in a folder by their paths in it.
Files: TypeAlias = "bytes | Mapping[str, bytes]"
#: Returns the content, and notes for users of the file.
Writer: TypeAlias = "Callable[[Benchmark, Wanted], tuple[Files, list[str]]]"


class Form(NamedTuple):
    """A format of files or folders.

    Attributes
    ----------
    ending : str
        Of the file name; the longest of several that fit counts.
    write : callable
        Returns the content and notes.
    files : tuple of str
        The files of a folder; empty for a form with one file.
    """

    ending: str
    write: Writer
    files: tuple[str, ...] = ()

    @property
    def help(self) -> str:
        """Which files have it."""
        return f"files that end in {self.ending}"


def format_of(path: Path) -> str:
    """Return the name of the format that belongs to a file's ending."""
    fitting = [name for name, form in FORMATS.items() if path.name.lower().endswith(form.ending)]
    if not fitting:
        endings = ", ".join(form.ending for form in FORMATS.values())
        raise UsageError(f"unknown file extension; use one of {endings}, or --format", where=path)
    # .extended.json also ends with .json.
    return max(fitting, key=lambda name: len(FORMATS[name].ending))


def save(
    benchmark: Benchmark,
    path: str | Path,
    *,
    format: Exports | None = None,
    force: bool = False,
    language: str = "en",
    answers: Literal["all", "first"] = "all",
    licence: str = "",
) -> list[str]:
    """Write a benchmark, atomically.

    Parameters
    ----------
    benchmark
        The benchmark.
    path
        ``.ttl`` and ``.nt`` keep everything; ``.json`` is QALD JSON, ``.extended.json`` extended
        QALD JSON, both for GERBIL; ``.csv`` and ``.jsonl`` are a table of questions with their
        features; ``.lm-eval``, ``.inspect`` and ``.hf`` are folders for lm-evaluation-harness,
        inspect_ai and Hugging Face.
    format
        Format, if the extension does not determine it.

        A key of `FORMATS`.
    force
        Overwrite existing files.
    language
        Language of tables, and of texts without a language tag.
    answers
        Variables of the gold rows to write to QALD JSON and tables.
    licence
        Licence of the questions (an IRI), for the card in a folder.

    Returns
    -------
    list of str
        Notes for users of the file.

    Raises
    ------
    UsageError
        If the ending is unknown or the file exists.
    DataError
        If the data lacks something that the format needs, or the file cannot be written.
    """
    target = Path(path)
    name = format or format_of(target)
    # Before the benchmark is rendered, which takes long, find out whether it can be written.
    make_folders(target, name)
    for file in files_of(target, name):
        check_writable(file, force=force)
    made, warnings = render_files(
        benchmark, target, name, language=language, answers=answers, licence=licence
    )
    write_all(made, force=force)
    return warnings


def files_of(path: Path, format: str) -> list[Path]:
    """Return the files that a format writes at a path: the path itself, or files in that folder."""
    inside = FORMATS[format].files if format in FORMATS else ()
    return [path / name for name in inside] or [path]


def make_folders(path: Path, format: str) -> None:
    """Create the folders of a format with several files."""
    for file in files_of(path, format):
        if file != path:
            make_folder(file.parent)


def render_files(
    benchmark: Benchmark,
    path: Path,
    format: str,
    *,
    language: str = "en",
    answers: str = "all",
    licence: str = "",
) -> tuple[list[tuple[Path, bytes]], list[str]]:
    """Return the files that a format writes at a path, and notes for their users.

    A format with several files puts them in a folder, and names a task after the folder, without
    its ending.
    """
    _check(format, answers)
    # Resolved, because "." and "bench/.." have no name of their own.
    folder = path.resolve().name
    # A folder called only ".hf" would leave no name.
    name = folder.removesuffix(FORMATS[format].ending) or folder
    made, notes = _content(
        benchmark, format, Wanted(language_tag(language), answers, name, licence)
    )
    return [(path, made)] if isinstance(made, bytes) else [
        (path / part, data) for part, data in made.items()
    ], notes


def render(
    benchmark: Benchmark, format: str, *, language: str = "en", answers: str = "all"
) -> tuple[bytes, list[str]]:
    """Return a benchmark as bytes, and notes for users of the file."""
    _check(format, answers)
    made, notes = _content(benchmark, format, Wanted(language_tag(language), answers))
    if not isinstance(made, bytes):
        raise UsageError(
            f"{format} is a folder with {len(made)} files; save the benchmark, or call render_files"
        )
    return made, notes


def _content(benchmark: Benchmark, format: str, wanted: Wanted) -> tuple[Files, list[str]]:
    """Return what the function of a format returns; refuse anything but content and notes."""
    result = FORMATS[format].write(benchmark, wanted)
    match result:
        case (bytes() | Mapping() as made, notes):
            return made, list(notes)
    raise DataError(
        f"the format {format!r} did not return (content, notes), where content is bytes or a"
        " mapping of paths to bytes"
    )


def _check(format: str, answers: str) -> None:
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}; {one_of(format, FORMATS)}")
    if answers not in {"all", "first"}:
        raise UsageError(f"unknown value of answers {answers!r}; choose all or first")


def _rdf(format: str) -> Writer:
    # RDF keeps everything as it is, so there is nothing to choose and nothing to tell.
    return lambda benchmark, wanted: (dump_rdf(benchmark, format), [])


def _table(format: str) -> Writer:
    """Return the writer of a table: the columns of question sets, and marked ones of our own."""

    def _write(benchmark: Benchmark, wanted: Wanted) -> tuple[bytes, list[str]]:
        questions = wanted.questions(benchmark)
        more = [key for key in _MORE if any(key in one.metadata for one in questions)]
        records = [
            {
                **plain_record(question, wanted.language, format),
                **{key: question.metadata.get(key, "") for key in more},
                "iri": member.iri,
                **_said(member),
                **_values(benchmark, member),
            }
            for question, member in zip(questions, benchmark.members, strict=True)
        ]
        notes = left_out_of_table(questions, wanted.language, format)
        return dump_records(records, format), notes + (_marked(records) if format == "csv" else [])

    return _write


def _marked(records: Sequence[Mapping[str, Json]]) -> list[str]:
    """Say how many rows have a mark that other programs do not remove, if there are any."""
    cells = ([cell for cell in row.values() if isinstance(cell, str)] for row in records)
    count = sum(any(protect(cell) != cell for cell in row) for row in cells)
    told = (
        f"{count:,} of {len(records):,} rows have a cell that a spreadsheet would execute, such as"
        f" =1+1: in .csv it starts with {MARK!r}, which qaldgen removes when it reads the file;"
        " for other programs, write .jsonl"
    )
    return [told] if count else []


def _said(member: Member) -> dict[str, Json]:
    chance: dict[str, Json] = (
        {} if member.inclusion is None else {"inclusion_probability": member.inclusion}
    )
    place: dict[str, Json] = {} if member.position is None else {"position": member.position}
    return {"cluster": member.cluster, "weight": member.weight, **chance, **place}


def _chosen(question: Question) -> dict[str, Json]:
    return {CHOSEN_BY: question.metadata[CHOSEN_BY]} if question.chosen_by else {}


def _values(benchmark: Benchmark, member: Member) -> dict[str, Json]:
    return dict(zip(file_columns(benchmark.features), member.values, strict=True))


def _extended(benchmark: Benchmark, wanted: Wanted) -> tuple[bytes, list[str]]:
    questions = wanted.questions(benchmark)
    warnings = load_warnings(questions)
    chosen = any(one.chosen_by for one in questions)
    what = (
        "clusters, weights and what questions were chosen by" if chosen else "clusters and weights"
    )
    lost = [f"extended QALD JSON cannot hold {what}; use .json to keep them"]
    data = dump_extended(questions, benchmark.title, benchmark.signature, wanted.language)
    return data, [
        *warnings,
        *left_out_of_extended(questions, wanted.language),
        *_without_passages(questions),
        *lost,
    ]


def _without_passages(questions: Sequence[Question]) -> list[str]:
    """Say that QALD JSON has no place for the relevant passages, if there are any."""
    count = sum("relevant_passages" in question.metadata for question in questions)
    told = f"QALD JSON cannot hold the relevant passages (of {count:,} questions);"
    return [f"{told} use .ttl, .jsonl or .csv to keep them"] if count else []


def _qald(benchmark: Benchmark, wanted: Wanted) -> tuple[bytes, list[str]]:
    questions = wanted.questions(benchmark)
    warnings = load_warnings(questions)
    extra = {
        question.id: {**_said(member), **_chosen(question)}
        for question, member in zip(questions, benchmark.members, strict=True)
    }
    return dump_qald(questions, benchmark.title, benchmark.signature, extra), [
        *warnings,
        *_without_passages(questions),
    ]


#: Every format of benchmarks by name. Other packages add theirs by the entry point group
#: qaldgen.exports.
FORMATS = Table(
    "exports",
    Form,
    {
        "turtle": Form(".ttl", _rdf("turtle")),
        "ntriples": Form(".nt", _rdf("ntriples")),
        "qald-extended": Form(".extended.json", _extended),
        "qald-json": Form(".json", _qald),
        "csv": Form(".csv", _table("csv")),
        "jsonl": Form(".jsonl", _table("jsonl")),
    },
)

"""Write a benchmark in the forms of `FORMATS`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.benchmark import evaluators
from qaldgen.benchmark.write_rdf import dump_rdf
from qaldgen.errors import UsageError
from qaldgen.formats.answers_json import Json, first_variable
from qaldgen.formats.gather import language_tag
from qaldgen.formats.gerbil.gold import load_warnings
from qaldgen.formats.plain_write import dump_records, left_out_of_table, plain_record
from qaldgen.formats.qald_json import dump_extended, dump_qald, left_out_of_extended
from qaldgen.io.extensions import Table
from qaldgen.io.names import one_of
from qaldgen.io.outputs import check_writable, make_folder, write_all
from qaldgen.model import Question
from qaldgen.selection.columns import file_columns

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark, Member


class Wanted(NamedTuple):
    """How a benchmark is to be written.

    Attributes
    ----------
    language : str
        The language of texts without a language tag, the one to stand last in extended QALD JSON,
        and that of tables.
    answers : str
        ``all`` variables of the gold rows, or the ``first`` one.
    name : str
        What a task of another evaluator is called.
    licence : str
        Of the questions, for a card: an address or a short name; empty if nobody says it.
    """

    language: str
    answers: str
    name: str = "benchmark"
    licence: str = ""

    def questions(self, benchmark: Benchmark) -> list[Question]:
        """Return the questions with the answers that are wanted."""
        found = benchmark.questions(self.language)
        if self.answers == "all":
            return found
        return [
            dataclasses.replace(q, answers=q.answers and first_variable(q.answers)) for q in found
        ]


#: What is written: a file, or the files of a folder by their paths in it.
Files: TypeAlias = "bytes | Mapping[str, bytes]"
#: Returns a file, or those of a folder, and what to know before it is used.
Writer: TypeAlias = "Callable[[Benchmark, Wanted], tuple[Files, list[str]]]"


class Form(NamedTuple):
    """A form of files or folders.

    Attributes
    ----------
    ending : str
        Of the files; of several that fit the longest counts.
    write : callable
        Returns the file, or those of the folder, and what to know before it is used.
    files : tuple of str
        The files of a folder; empty for a form with one file.
    """

    ending: str
    write: Writer
    files: tuple[str, ...] = ()


def format_of(path: Path) -> str:
    """Return the name of the form that a file's ending means.

    Raises
    ------
    UsageError
        If the ending is not one of `FORMATS`.
    """
    fitting = [name for name, form in FORMATS.items() if path.name.lower().endswith(form.ending)]
    if not fitting:
        endings = ", ".join(form.ending for form in FORMATS.values())
        raise UsageError(f"unknown file extension; use one of {endings}, or --format", where=path)
    return max(fitting, key=lambda name: len(FORMATS[name].ending))


def save(
    benchmark: Benchmark,
    path: str | Path,
    *,
    format: str | None = None,
    force: bool = False,
    language: str = "en",
    answers: str = "all",
    licence: str = "",
) -> list[str]:
    """Write a benchmark, atomically.

    Parameters
    ----------
    benchmark
        What to write.
    path
        ``.ttl`` and ``.nt`` keep everything; ``.json`` is QALD JSON, ``.extended.json`` extended
        QALD JSON, both for GERBIL; ``.csv`` and ``.jsonl`` are the table: the plain form of
        question sets, with the features; ``.lm-eval``, ``.inspect`` and ``.hf`` are folders for
        lm-evaluation-harness, inspect_ai and Hugging Face.
    format
        A name of `FORMATS`; by default from the ending.
    force
        Overwrite an existing file.
    language, answers, licence
        See `render`.

    Returns
    -------
    list of str
        What to know before the file is used.

    Raises
    ------
    UsageError
        If the ending is unknown or the file exists.
    DataError
        If the form needs what the data does not have, or the file cannot be written.
    """
    target = Path(path)
    name = format or format_of(target)
    make_folders(target, name)
    for file in files_of(target, name):
        check_writable(file, force=force)
    made, warnings = render_files(
        benchmark, target, name, language=language, answers=answers, licence=licence
    )
    write_all(made, force=force)
    return warnings


def files_of(path: Path, format: str) -> list[Path]:
    """Return the files that a form writes at a path: the path itself, or those in its folder."""
    inside = FORMATS[format].files if format in FORMATS else ()
    return [path / name for name in inside] or [path]


def make_folders(path: Path, format: str) -> None:
    """Make the folders of a form that has several files.

    Raises
    ------
    UsageError
        If that cannot be done.
    """
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
    """Return the files that a form writes at a path, and what to know before they are used.

    See `render`.

    A form with several files has them in a folder, and calls a task after it: its name without the
    extension.

    Parameters
    ----------
    benchmark
        What to write.
    path
        The file or folder.
    format
        A name of `FORMATS`.
    language, answers
        See `render`.
    licence
        Of the questions, for a card: an address, or a short name as Hugging Face has them.

    Returns
    -------
    tuple of list and list of str
        Path and content of each file, and the notes.

    Raises
    ------
    UsageError
        If a name is unknown.
    DataError
        If the form needs what the data does not have.
    """
    _check(format, answers)
    folder = path.resolve().name
    name = folder.removesuffix(FORMATS[format].ending) or folder
    made, notes = FORMATS[format].write(
        benchmark, Wanted(language_tag(language), answers, name, licence)
    )
    return [(path, made)] if isinstance(made, bytes) else [
        (path / part, data) for part, data in made.items()
    ], notes


def render(
    benchmark: Benchmark, format: str, *, language: str = "en", answers: str = "all"
) -> tuple[bytes, list[str]]:
    """Return a benchmark as bytes, and what to know before they are used.

    Parameters
    ----------
    benchmark
        What to write.
    format
        A name of `FORMATS`.
    language
        The language of texts without a language tag, the one to stand last in extended QALD JSON,
        and that of tables.
    answers
        ``all`` variables of the gold rows, or the ``first`` one.

    Raises
    ------
    UsageError
        If a name is unknown, or the form is a folder with several files.
    DataError
        If the form needs what the data does not have.
    """
    _check(format, answers)
    made, notes = FORMATS[format].write(benchmark, Wanted(language_tag(language), answers))
    if not isinstance(made, bytes):
        raise UsageError(
            f"{format} is a folder with {len(made)} files; save the benchmark, or call render_files"
        )
    return made, notes


def _check(format: str, answers: str) -> None:
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}; {one_of(format, FORMATS)}")
    if answers not in {"all", "first"}:
        raise UsageError(f"unknown value of answers {answers!r}; choose all or first")


def _rdf(format: str) -> Writer:
    return lambda benchmark, wanted: (dump_rdf(benchmark, format), [])


def _table(format: str) -> Writer:
    """Return the writer of a table.

    The plain form of question sets, and our own columns, which no reader takes for others.
    """

    def write(benchmark: Benchmark, wanted: Wanted) -> tuple[bytes, list[str]]:
        questions = wanted.questions(benchmark)
        records = [
            {
                **plain_record(question, wanted.language, format),
                "iri": member.iri,
                **_said(member),
                **_values(benchmark, member),
            }
            for question, member in zip(questions, benchmark.members, strict=True)
        ]
        return dump_records(records, format), left_out_of_table(questions, wanted.language, format)

    return write


def _said(member: Member) -> dict[str, Json]:
    chance: dict[str, Json] = (
        {} if member.inclusion is None else {"inclusion_probability": member.inclusion}
    )
    place: dict[str, Json] = {} if member.position is None else {"position": member.position}
    return {"cluster": member.cluster, "weight": member.weight, **chance, **place}


def _values(benchmark: Benchmark, member: Member) -> dict[str, Json]:
    return dict(zip(file_columns(benchmark.features), member.values, strict=True))


def _extended(benchmark: Benchmark, wanted: Wanted) -> tuple[bytes, list[str]]:
    questions = wanted.questions(benchmark)
    warnings = load_warnings(questions)
    lost = ["extended QALD JSON cannot hold clusters and weights; use .json to keep them"]
    data = dump_extended(questions, benchmark.title, benchmark.signature, wanted.language)
    return data, [*warnings, *left_out_of_extended(questions), *lost]


def _qald(benchmark: Benchmark, wanted: Wanted) -> tuple[bytes, list[str]]:
    questions = wanted.questions(benchmark)
    warnings = load_warnings(questions)
    extra = {
        question.id: _said(member)
        for question, member in zip(questions, benchmark.members, strict=True)
    }
    return dump_qald(questions, benchmark.title, benchmark.signature, extra), warnings


#: Every form of benchmarks, by name. Other packages add some by the entry point group
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
        "lm-eval": Form(".lm-eval", evaluators.write_lm_eval, evaluators.LM_EVAL),
        "inspect-ai": Form(".inspect", evaluators.write_inspect, evaluators.INSPECT),
        "hugging-face": Form(".hf", evaluators.write_hugging_face, evaluators.HUGGING_FACE),
    },
)

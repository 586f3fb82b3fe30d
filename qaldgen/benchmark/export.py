"""Write a benchmark in the forms of `FORMATS`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.benchmark.write_rdf import dump_rdf
from qaldgen.errors import UsageError
from qaldgen.formats.answers_json import Json, first_variable
from qaldgen.formats.gather import language_tag
from qaldgen.formats.gerbil.gold import load_warnings
from qaldgen.formats.plain_write import dump_records, left_out_of_table, plain_record
from qaldgen.formats.qald_json import dump_extended, dump_qald, left_out_of_extended
from qaldgen.io.extensions import Table
from qaldgen.io.outputs import check_writable, write_atomic
from qaldgen.model import Question
from qaldgen.selection.columns import file_columns

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark, Member


class Wanted(NamedTuple):
    """How a benchmark is to be written.

    Attributes
    ----------
    language : str
        The language of texts without a language tag, the one to stand last in extended QALD JSON, and that of tables.
    answers : str
        ``all`` variables of the gold rows, or the ``first`` one.
    """

    language: str
    answers: str

    def questions(self, benchmark: Benchmark) -> list[Question]:
        """Return the questions with the answers that are wanted."""
        found = benchmark.questions(self.language)
        if self.answers == "all":
            return found
        return [dataclasses.replace(q, answers=q.answers and first_variable(q.answers)) for q in found]


#: Returns a file, and what to know before it is used.
Writer: TypeAlias = "Callable[[Benchmark, Wanted], tuple[bytes, list[str]]]"


class Form(NamedTuple):
    """A form of files.

    Attributes
    ----------
    ending : str
        Of the files; of several that fit the longest counts.
    write : callable
        Returns the file, and what to know before it is used.
    """

    ending: str
    write: Writer


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
) -> list[str]:
    """Write a benchmark, atomically.

    Parameters
    ----------
    benchmark
        What to write.
    path
        ``.ttl`` and ``.nt`` keep everything; ``.json`` is QALD JSON, ``.extended.json`` extended QALD JSON, both for GERBIL;
        ``.csv`` and ``.jsonl`` are the table: the plain form of question sets, with the features.
    format
        A name of `FORMATS`; by default from the ending.
    force
        Overwrite an existing file.
    language, answers
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
    check_writable(target, force=force)
    data, warnings = render(benchmark, name, language=language, answers=answers)
    write_atomic(target, data, force=force)
    return warnings


def render(benchmark: Benchmark, format: str, *, language: str = "en", answers: str = "all") -> tuple[bytes, list[str]]:
    """Return a benchmark as bytes, and what to know before they are used.

    Parameters
    ----------
    benchmark
        What to write.
    format
        A name of `FORMATS`.
    language
        The language of texts without a language tag, the one to stand last in extended QALD JSON, and that of tables.
    answers
        ``all`` variables of the gold rows, or the ``first`` one.

    Raises
    ------
    UsageError
        If a name is unknown.
    DataError
        If the form needs what the data does not have.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    if answers not in {"all", "first"}:
        raise UsageError(f"unknown value of answers {answers!r}; choose all or first")
    return FORMATS[format].write(benchmark, Wanted(language_tag(language), answers))


def _rdf(format: str) -> Writer:
    return lambda benchmark, wanted: (dump_rdf(benchmark, format), [])


def _table(format: str) -> Writer:
    """Return the writer of a table: the plain form of question sets, and our own columns, which no reader takes for others."""

    def write(benchmark: Benchmark, wanted: Wanted) -> tuple[bytes, list[str]]:
        questions = wanted.questions(benchmark)
        records = [
            {**plain_record(question, wanted.language, format), "iri": member.iri, **_said(member), **_values(benchmark, member)}
            for question, member in zip(questions, benchmark.members, strict=True)
        ]
        return dump_records(records, format), left_out_of_table(questions, wanted.language, format)

    return write


def _said(member: Member) -> dict[str, Json]:
    chance: dict[str, Json] = {} if member.inclusion is None else {"inclusion_probability": member.inclusion}
    return {"cluster": member.cluster, "weight": member.weight, **chance}


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
    extra = {question.id: _said(member) for question, member in zip(questions, benchmark.members, strict=True)}
    return dump_qald(questions, benchmark.title, benchmark.signature, extra), warnings


#: Every form of benchmarks, by name. Other packages add some by the entry point group qaldgen.exports.
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

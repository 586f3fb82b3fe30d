"""Write a benchmark in the forms of `FORMATS`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.benchmark.write_rdf import dump_rdf
from qaldgen.errors import UsageError
from qaldgen.formats.answers_json import Json, first_variable
from qaldgen.formats.gather import language_tag
from qaldgen.formats.gerbil.gold import load_warnings
from qaldgen.formats.plain_write import dump_records, left_out_of_table, plain_record
from qaldgen.formats.qald_json import dump_extended, dump_qald, left_out_of_extended
from qaldgen.io.outputs import check_writable, write_atomic
from qaldgen.model import Question
from qaldgen.selection.columns import file_columns

if TYPE_CHECKING:
    from qaldgen.benchmark.record import Benchmark, Member

#: name -> file ending.
FORMATS = {
    "turtle": ".ttl",
    "ntriples": ".nt",
    "qald-extended": ".extended.json",
    "qald-json": ".json",
    "csv": ".csv",
    "jsonl": ".jsonl",
}


def format_of(path: Path) -> str:
    """Return the name of the form that a file's ending means.

    Raises
    ------
    UsageError
        If the ending is none of `FORMATS`.
    """
    name = next((name for name, ending in FORMATS.items() if path.name.lower().endswith(ending)), None)
    if name is None:
        raise UsageError(f"{path}: the ending names no form; use one of {', '.join(FORMATS.values())}, or --format")
    return name


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
        raise UsageError(f"format {format!r} is unknown; choose one of {', '.join(FORMATS)}")
    if answers not in {"all", "first"}:
        raise UsageError(f"answers {answers!r} is unknown; choose all or first")
    if format in {"turtle", "ntriples"}:
        return dump_rdf(benchmark, format), []
    language = language_tag(language)
    questions = benchmark.questions(language)
    if answers == "first":
        questions = [dataclasses.replace(q, answers=q.answers and first_variable(q.answers)) for q in questions]
    if format in {"csv", "jsonl"}:
        return _table(benchmark, questions, format, language)
    return _qald(benchmark, questions, format, language)


def _table(benchmark: Benchmark, questions: Sequence[Question], format: str, language: str) -> tuple[bytes, list[str]]:
    """Return the table: the plain form of question sets, and our own columns, which no reader takes for anything else."""
    records = [
        {**plain_record(question, language, format), "iri": member.iri, **_said(member), **_values(benchmark, member)}
        for question, member in zip(questions, benchmark.members, strict=True)
    ]
    return dump_records(records, format), left_out_of_table(questions, language, format)


def _said(member: Member) -> dict[str, Json]:
    chance: dict[str, Json] = {} if member.inclusion is None else {"inclusion_probability": member.inclusion}
    return {"cluster": member.cluster, "weight": member.weight, **chance}


def _values(benchmark: Benchmark, member: Member) -> dict[str, Json]:
    return dict(zip(file_columns(benchmark.features), member.values, strict=True))


def _qald(benchmark: Benchmark, questions: Sequence[Question], format: str, language: str) -> tuple[bytes, list[str]]:
    warnings = load_warnings(questions)
    if format == "qald-extended":
        lost = ["extended QALD JSON has no place for cluster and weight of the questions; .json keeps them"]
        data = dump_extended(questions, benchmark.title, benchmark.signature, language)
        return data, [*warnings, *left_out_of_extended(questions), *lost]
    extra = {question.id: _said(member) for question, member in zip(questions, benchmark.members, strict=True)}
    return dump_qald(questions, benchmark.title, benchmark.signature, extra), warnings

"""Write a benchmark as QALD JSON, for GERBIL, and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qaldgen.benchmark.benchmark import Benchmark, ExportOptions, Form, Member, Writer
from qaldgen.features.own_columns import own_columns
from qaldgen.io.notes import note
from qaldgen.io.text import MARK, protect
from qaldgen.model import CHOSEN_BY, Question
from qaldgen.questions.fields import is_unknown
from qaldgen.questions.gerbil import load_warnings
from qaldgen.questions.results_json import Json
from qaldgen.questions.writing import (
    dump_extended,
    dump_qald,
    dump_records,
    left_out_of_extended,
    left_out_of_table,
    plain_record,
)
from qaldgen.rdf.terms import column_name
from qaldgen.selection.vectors import file_columns

#: Metadata that tables hold where questions have it.
_MORE = ("relevant_passages", CHOSEN_BY)


def _table(format: str) -> Writer:
    """Return the writer of a table: the columns of question sets, and marked ones of our own."""

    def _write(benchmark: Benchmark, options: ExportOptions) -> bytes:
        records = table_records(benchmark, options, format)
        note(*left_out_of_table(options.questions(benchmark), options.language, format))
        if format == "csv":
            note(*_marked(records))
        return dump_records(records, format)

    return _write


def table_records(
    benchmark: Benchmark, options: ExportOptions, format: str
) -> list[dict[str, Json]]:
    """Return the rows of a table."""
    questions = options.questions(benchmark)
    more = [key for key in _MORE if any(key in question.metadata for question in questions)]
    more += _own_names(questions)
    columns = file_columns(benchmark.features)
    return [
        {
            **plain_record(question, options.language, format),
            **{key: question.said(key) for key in more},
            "iri": member.iri,
            **_said(member),
            **dict(zip(columns, member.values, strict=True)),
        }
        for question, member in zip(questions, benchmark.members, strict=True)
    ]


def _marked(records: Sequence[Mapping[str, Json]]) -> list[str]:
    """Say how many rows have a mark that other programs do not remove, if there are any."""
    cells = ([cell for cell in row.values() if isinstance(cell, str)] for row in records)
    count = sum(any(protect(cell) != cell for cell in row) for row in cells)
    note = (
        f"{count:,} of {len(records):,} rows have a cell that a spreadsheet would execute, such as"
        f" =1+1: in .csv it starts with {MARK!r}, which qaldgen removes when it reads the file;"
        " for other programs, write .jsonl"
    )
    return [note] if count else []


def _said(member: Member) -> dict[str, Json]:
    chance: dict[str, Json] = (
        {} if member.inclusion is None else {"inclusion_probability": member.inclusion}
    )
    place: dict[str, Json] = {} if member.position is None else {"position": member.position}
    return {"cluster": member.cluster, "weight": member.weight, **chance, **place}


def _chosen(question: Question) -> dict[str, Json]:
    return {CHOSEN_BY: question.said(CHOSEN_BY)} if question.chosen_by else {}


def _own(question: Question) -> dict[str, Json]:
    """Return the own columns of the set of a question, a list as a list."""
    values = {name: question.metadata[name] for name in _own_names([question])}
    return {
        name: value if isinstance(value, str) else list(value) for name, value in values.items()
    }


def _own_names(questions: Sequence[Question]) -> list[str]:
    """Return the names of own columns that readers take for nothing else."""
    names = [column_name(column.term) for column in own_columns(questions).values()]
    return [name for name in names if is_unknown(name)]


def _metadata(benchmark: Benchmark) -> str:
    """Return signature, licence and citation as lines, for the one field that GERBIL allows."""
    licence = [f"Licence: {benchmark.licence}"] if benchmark.licence else []
    return "\n".join([benchmark.signature, *licence, f"Cite: {benchmark.citation}"])


def _extended(benchmark: Benchmark, options: ExportOptions) -> bytes:
    questions = options.questions(benchmark)
    chosen = any(question.chosen_by for question in questions)
    what = (
        "clusters, weights and what questions were chosen by" if chosen else "clusters and weights"
    )
    note(
        *load_warnings(questions),
        *left_out_of_extended(questions, options.language),
        *_without_passages(questions),
        f"extended QALD JSON cannot hold {what}; use .json to keep them",
    )
    return dump_extended(questions, benchmark.title, _metadata(benchmark), options.language)


def _without_passages(questions: Sequence[Question]) -> list[str]:
    """Say that QALD JSON has no place for the relevant passages, if there are any."""
    count = sum("relevant_passages" in question.metadata for question in questions)
    note = f"QALD JSON cannot hold the relevant passages (of {count:,} questions);"
    return [f"{note} use .ttl, .jsonl or .csv to keep them"] if count else []


def _qald(benchmark: Benchmark, options: ExportOptions) -> bytes:
    questions = options.questions(benchmark)
    note(*load_warnings(questions), *_without_passages(questions))
    extra = {
        question.id: {**_own(question), **_said(member), **_chosen(question)}
        for question, member in zip(questions, benchmark.members, strict=True)
    }
    return dump_qald(questions, benchmark.title, _metadata(benchmark), extra)


QALD = Form(".json", _qald)
EXTENDED_QALD = Form(".extended.json", _extended)
CSV, JSONL = Form(".csv", _table("csv")), Form(".jsonl", _table("jsonl"))

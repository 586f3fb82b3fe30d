"""Write a benchmark as QALD JSON, for GERBIL, and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from qaldgen.benchmark.benchmark import Benchmark, ExportFormat, ExportOptions, Member
from qaldgen.features.own_columns import own_columns
from qaldgen.io.csv_cells import MARK, protect
from qaldgen.io.notes import note
from qaldgen.model import CHOSEN_BY, Question
from qaldgen.questions.fields import has_no_role
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

#: Metadata that tables have a column for, if questions have it.
_METADATA = ("relevant_passages", CHOSEN_BY)


def _dump_table(benchmark: Benchmark, options: ExportOptions, format: str) -> bytes:
    """Return a table with the columns of question sets, and the features, marked as such."""
    records = table_records(benchmark, options, format)
    note(*left_out_of_table(options.questions(benchmark), options.language, format))
    if format == "csv":
        n_protected = 0
        for record in records:
            texts = [cell for cell in record.values() if isinstance(cell, str)]
            if any(protect(text) != text for text in texts):
                n_protected += 1
        if n_protected:
            note(
                f"{n_protected:,} of {len(records):,} rows have a cell that a spreadsheet would"
                f" execute, such as =1+1: in .csv it starts with {MARK!r}, which qaldgen removes"
                " when it reads the file; for other programs, write .jsonl"
            )
    return dump_records(records, format)


def table_records(
    benchmark: Benchmark, options: ExportOptions, format: str
) -> list[dict[str, Json]]:
    """Return the rows of a table."""
    questions = options.questions(benchmark)
    fields = set(chain.from_iterable(question.metadata for question in questions))
    names = [name for name in _METADATA if name in fields]
    names += _unknown_columns(questions)
    columns = file_columns(benchmark.features)
    rows = []
    for question, member in zip(questions, benchmark.members, strict=True):
        row = plain_record(question, options.language, format)
        row |= {name: question.said(name) for name in names}
        row["iri"] = member.iri
        row |= _member_fields(member)
        row |= dict(zip(columns, member.values, strict=True))
        rows.append(row)
    return rows


def _member_fields(member: Member) -> dict[str, Json]:
    fields: dict[str, Json] = {"cluster": member.cluster, "weight": member.weight}
    if member.inclusion is not None:
        fields["inclusion_probability"] = member.inclusion
    if member.position is not None:
        fields["position"] = member.position
    return fields


def _unknown_columns(questions: Sequence[Question]) -> list[str]:
    """Return the columns of the data set whose names readers do not take for known fields."""
    names = [column_name(column.term) for column in own_columns(questions).values()]
    return [name for name in names if has_no_role(name)]


def _metadata_text(benchmark: Benchmark) -> str:
    """Return signature, licence and citation as lines, as GERBIL allows one field for them."""
    lines = [benchmark.signature]
    if benchmark.licence:
        lines.append(f"Licence: {benchmark.licence}")
    lines.append(f"Cite: {benchmark.citation}")
    return "\n".join(lines)


def _dump_extended_qald(benchmark: Benchmark, options: ExportOptions) -> bytes:
    questions = options.questions(benchmark)
    note(*load_warnings(questions), *left_out_of_extended(questions, options.language))
    _note_lost_passages(questions)
    fields = "clusters and weights"
    if any(question.chosen_by for question in questions):
        fields = "clusters, weights and what questions were chosen by"
    note(f"extended QALD JSON cannot hold {fields}; use .json to keep them")
    return dump_extended(questions, benchmark.title, _metadata_text(benchmark), options.language)


def _note_lost_passages(questions: Sequence[Question]) -> None:
    """Note that QALD JSON has no field for the relevant passages, if there are any."""
    n_questions = sum("relevant_passages" in question.metadata for question in questions)
    if n_questions:
        note(
            f"QALD JSON cannot hold the relevant passages (of {n_questions:,} questions);"
            " use .ttl, .jsonl or .csv to keep them"
        )


def _dump_qald(benchmark: Benchmark, options: ExportOptions) -> bytes:
    """Return a benchmark as QALD JSON, with fields of our own for what QALD does not define."""
    questions = options.questions(benchmark)
    note(*load_warnings(questions))
    _note_lost_passages(questions)
    extra = {}
    for question, member in zip(questions, benchmark.members, strict=True):
        fields: dict[str, Json] = {}
        for name in _unknown_columns([question]):
            value = question.metadata[name]
            fields[name] = value if isinstance(value, str) else list(value)
        fields |= _member_fields(member)
        if question.chosen_by:
            fields[CHOSEN_BY] = question.said(CHOSEN_BY)
        extra[question.id] = fields
    return dump_qald(questions, benchmark.title, _metadata_text(benchmark), extra)


QALD = ExportFormat(".json", _dump_qald)
EXTENDED_QALD = ExportFormat(".extended.json", _dump_extended_qald)
CSV = ExportFormat(".csv", partial(_dump_table, format="csv"))
JSONL = ExportFormat(".jsonl", partial(_dump_table, format="jsonl"))

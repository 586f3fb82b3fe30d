"""Describe the files of a benchmark in Croissant 1.0, a JSON-LD format of data catalogues."""

from __future__ import annotations

import hashlib
import json
import pkgutil
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.benchmark.benchmark import Benchmark, ExportFormat, ExportOptions
from qaldgen.errors import UsageError
from qaldgen.io.notes import note
from qaldgen.questions.results_json import Json

#: The tables that a Croissant file can describe, by the ending of their names.
TABLES = {".csv": "text/csv", ".jsonl": "application/jsonlines"}
#: The type of a field by the types of its values; other and mixed values are text.
_FIELD_TYPES: dict[frozenset[type], dict[str, object]] = {
    frozenset([list]): {"dataType": "sc:Text", "repeated": True},
    frozenset([bool]): {"dataType": "sc:Boolean"},
    frozenset([int]): {"dataType": "sc:Integer"},
    frozenset([float]): {"dataType": "sc:Float"},
    frozenset([int, float]): {"dataType": "sc:Float"},
}


class DescribedFile(NamedTuple):
    """A file with a table of questions."""

    name: str
    media_type: str
    content: bytes
    rows: Sequence[Mapping[str, Json]]


def dump_croissant(benchmark: Benchmark, files: Sequence[DescribedFile]) -> bytes:
    """Return the description of a benchmark and its files."""
    agent = None
    if benchmark.publisher:
        agent = {"@type": "sc:Organization", "name": benchmark.publisher}
    optional: dict[str, object] = {
        "license": benchmark.licence,
        "datePublished": benchmark.date,
        "publisher": agent,
        "creator": agent,
        "isBasedOn": [source.reference for source in benchmark.sources],
    }

    # the one that Croissant 1.0 recommends
    context = pkgutil.get_data("qaldgen.plugins.evaluators", "data/croissant_context.json") or b""
    document = {
        "@context": json.loads(context),
        "@type": "sc:Dataset",
        "name": benchmark.title,
        "description": f"{len(benchmark)} questions; the signature is {benchmark.signature}",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "url": benchmark.iri,
        "version": "1.0.0",
        "citeAs": benchmark.citation,
        **{name: value for name, value in optional.items() if value},
        "distribution": [
            {
                "@type": "cr:FileObject", "@id": f"file-{number}",
                "name": file.name, "contentUrl": file.name, "encodingFormat": file.media_type,
                "sha256": hashlib.sha256(file.content).hexdigest(),
            }
            for number, file in enumerate(files, 1)
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet", "@id": f"questions-{number}",
                "name": f"questions-{number}",
                "description": f"The questions in {file.name}",
                "field": _describe_columns(number, file.rows),
            }
            for number, file in enumerate(files, 1)
        ],
    }  # fmt: skip

    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _describe_columns(number: int, rows: Sequence[Mapping[str, Json]]) -> list[dict[str, object]]:
    """Return the fields for the columns of a table, without columns of objects."""
    object_columns = _object_columns(rows)
    fields: list[dict[str, object]] = []
    columns = rows[0] if rows else ()
    for position, column in enumerate(columns, 1):
        if column in object_columns:
            continue
        types = frozenset(type(row[column]) for row in rows if row[column] is not None)
        fields.append({
            "@type": "cr:Field",
            "@id": f"questions-{number}/{position}",  # a number, as names may have any letters
            "name": column,
            **_FIELD_TYPES.get(types, {"dataType": "sc:Text"}),
            "source": {"fileObject": {"@id": f"file-{number}"}, "extract": {"column": column}},
        })  # fmt: skip
    return fields


def _object_columns(rows: Sequence[Mapping[str, Json]]) -> list[str]:
    """Return the columns of a table that hold objects."""
    columns = rows[0] if rows else ()
    return [column for column in columns if any(isinstance(row[column], dict) for row in rows)]


def write_croissant(benchmark: Benchmark, options: ExportOptions) -> bytes:
    """Return the description of the tables that the same call writes."""
    from qaldgen.benchmark.export_formats import table_records
    from qaldgen.questions.writing import dump_records

    if not options.adjacent_tables:
        raise UsageError(
            "Croissant describes a table: write it too, with the same name and the ending"
            f" {' or '.join(TABLES)}"
        )
    files = []
    for name in options.adjacent_tables:
        ending = name.rpartition(".")[2]
        records = table_records(benchmark, options, ending)
        content = dump_records(records, ending)
        files.append(DescribedFile(name, TABLES[f".{ending}"], content, records))
        for column in _object_columns(records):
            note(
                f"Croissant cannot describe {column!r} of {name}, which holds objects;"
                " .csv has texts"
            )
    return dump_croissant(benchmark, files)


CROISSANT = ExportFormat(".croissant.json", write_croissant, describes=tuple(TABLES))

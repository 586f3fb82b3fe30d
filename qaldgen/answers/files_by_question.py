"""Read a run that has a file for each question, called by its id."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.io.json_text import from_json
from qaldgen.model import QuestionSet
from qaldgen.questions.file_content import Content, load_content


def files_by_question(paths: Sequence[Path], gold: QuestionSet) -> dict[Path, dict[str, Path]]:
    """Return the folders with a file for each of half of the questions or more, by id.

    A folder with fewer of them has a run in each file: 1.csv may be the first try of a system.
    """
    folders: dict[Path, dict[str, Path]] = {}
    for path in paths:
        name = path.name.partition(".")[0]
        if name in gold.by_id:
            folders.setdefault(path.parent, {}).setdefault(name, path)
    least = max(2, len(gold) / 2)
    return {folder: files for folder, files in folders.items() if len(files) >= least}


def run_of_files(folder: Path, files: Mapping[str, Path]) -> Content:
    """Return a run as records, one from each file, which holds an answer or results of a query."""
    digest = hashlib.sha256()
    records = []
    for name, path in files.items():
        content = load_content(path, "run")
        digest.update(content.sha256.encode())
        held = content.document
        if content.kind == "xml":
            held = _query_results(content, "xml")
        elif content.kind == "text" and path.suffix in {".csv", ".tsv"}:
            held = _query_results(content, path.suffix[1:])
        elif content.kind == "text":
            held = content.text.strip()
        if isinstance(held, dict) and held.keys().isdisjoint({"results", "boolean"}):
            records.append({**held, "id": name})
        else:
            records.append({"id": name, "answer": held})
    text = f"has a file for each of {len(files):,} questions"
    return Content(folder, "jsonl", "", digest.hexdigest(), notes=(text,)).of_records(records)


def _query_results(content: Content, form: str) -> object:
    """Return the results of a SPARQL query as those in JSON."""
    from rdflib.query import Result

    try:
        result = Result.parse(io.BytesIO(content.text.encode()), format=form)
        return from_json(result.serialize(format="json") or b"")
    except Exception as error:  # rdflib raises what its parsers raise
        raise DataError(
            f"holds no results of a SPARQL query: {error}", where=content.path
        ) from None

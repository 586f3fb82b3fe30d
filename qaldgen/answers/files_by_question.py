"""Read a run that has a file for each question, called by its id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from qaldgen.model import QuestionSet
from qaldgen.questions.file_content import Content, load_content
from qaldgen.questions.nested_records import ids_or_texts
from qaldgen.questions.results_json import results_as_json


def files_by_question(paths: Sequence[Path], gold: QuestionSet) -> dict[Path, dict[str, Path]]:
    """Return the folders with a file for each of half of the questions or more, by id.

    Files that all have answers to other questions, too, are runs: 1.csv may be the first try of a
    system.
    """
    folders: dict[Path, dict[str, Path]] = {}
    for path in paths:
        name = path.name.partition(".")[0]
        if name in gold.by_id:
            folders.setdefault(path.parent, {}).setdefault(name, path)
    least = max(2, len(gold) / 2)
    found = {}
    for folder, files in folders.items():
        if len(files) >= least and not all(_is_run(files[name], name, gold) for name in files):
            found[folder] = files
    return found


def _is_run(path: Path, name: str, gold: QuestionSet) -> bool:
    """Return whether a file called by the id of a question has answers to others, too."""
    content = load_content(path, "run")
    asked_ids: set[str] = set()
    if content.kind == "text":
        if path.suffix == ".txt" and len(content.lines) == len(gold) > 1:
            return True  # a line for each question
        for line in content.lines:
            first, *further_cells = re.split(r"[\t,;]", line)
            if further_cells:
                asked_ids.add(first.strip(' "'))
    elif content.kind in {"json", "jsonl"}:
        asked_ids = ids_or_texts(content.rows)
        if isinstance(content.document, dict):
            asked_ids |= content.document.keys()
    return not asked_ids.isdisjoint(gold.by_id.keys() - {name})


def run_of_files(folder: Path, files: Mapping[str, Path]) -> Content:
    """Return a run as records, one from each file, which holds an answer or results of a query."""
    digest = hashlib.sha256()
    records = []
    for name, path in files.items():
        content = load_content(path, "run")
        digest.update(content.sha256.encode())
        held = content.document
        if content.kind == "xml":
            held = results_as_json(content.text, "xml", content.path)
        elif content.kind == "text" and path.suffix in {".csv", ".tsv"}:
            held = results_as_json(content.text, path.suffix[1:], content.path)
        elif content.kind == "text":
            held = content.text.strip()
        if isinstance(held, dict) and held.keys().isdisjoint({"results", "boolean"}):
            records.append({**held, "id": name})
        else:
            records.append({"id": name, "answer": held})
    text = f"has a file for each of {len(files):,} questions"
    return Content(folder, "jsonl", "", digest.hexdigest(), notes=(text,)).with_records(records)

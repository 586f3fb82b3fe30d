"""Read a run with a file for each question, which is called by the id or has it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from qaldgen.model import QuestionSet
from qaldgen.questions.file_content import Content, load_content
from qaldgen.questions.nested_records import ids_or_texts
from qaldgen.questions.results_json import results_as_json
from qaldgen.questions.written_lists import parse_written


def files_by_question(paths: Sequence[Path], gold: QuestionSet) -> dict[Path, dict[str, Path]]:
    """Return the folders with a file for each question, or at least half of them, by id.

    If all files also have answers to other questions, they are runs: ``1.csv`` may be the first run
    of a system.
    """
    min_files = max(2, len(gold) / 2)
    n_files = Counter(path.parent for path in paths)
    folders: dict[Path, dict[str, Path]] = {}
    for path in paths:
        question_id = _id_in_name(path.name.partition(".")[0], gold)
        may_be_inside = question_id not in gold.by_id and n_files[path.parent] >= min_files
        if may_be_inside and path.suffix == ".json":
            ids = ids_or_texts(load_content(path, "run").rows)
            if len(ids) == 1:
                question_id = ids.pop()
        if question_id in gold.by_id:
            folders.setdefault(path.parent, {}).setdefault(question_id, path)
    found = {}
    for folder, files in folders.items():
        are_runs = all(_is_run(path, question_id, gold) for question_id, path in files.items())
        if len(files) >= min_files and not are_runs:
            found[folder] = files
    return found


def _id_in_name(name: str, gold: QuestionSet) -> str:
    """Return the longest end of a name that is an id of the gold, or the name: ``test_0001``."""
    parts = re.split(r"(?<=[_-])", name)
    for start in range(len(parts)):
        end = "".join(parts[start:])
        if end in gold.by_id:
            return end
    return name


def _is_run(path: Path, question_id: str, gold: QuestionSet) -> bool:
    """Return whether a file that is called by the id of a question also answers other questions."""
    content = load_content(path, "run")
    asked_ids: set[str] = set()
    if content.kind == "text":
        if path.suffix == ".txt" and len(content.lines) == len(gold) > 1:
            return True  # a line for each question
        for line in content.lines:
            cells = re.split(r"[\t,;]", line)
            if len(cells) > 1:
                asked_ids.add(cells[0].strip(' "'))
    elif content.kind in {"json", "jsonl"}:
        asked_ids = ids_or_texts(content.rows)
        if isinstance(content.document, dict):
            asked_ids |= content.document.keys()
    return not asked_ids.isdisjoint(gold.by_id.keys() - {question_id})


def run_of_files(folder: Path, files: Mapping[str, Path]) -> Content:
    """Return a run as records, one for each file with an answer or with query results."""
    digest = hashlib.sha256()
    records = []
    for question_id, path in files.items():
        content = load_content(path, "run")
        digest.update(content.sha256.encode())
        answer = content.document
        if isinstance(answer, list) and len(answer) == 1:
            answer = parse_written(answer[0]) or answer[0]
        if content.kind == "xml":
            answer = results_as_json(content.text, "xml", content.path)
        elif content.kind == "text" and path.suffix in {".csv", ".tsv"}:
            answer = results_as_json(content.text, path.suffix[1:], content.path)
        elif content.kind == "text":
            answer = content.text.strip()
        if isinstance(answer, dict) and answer.keys().isdisjoint({"results", "boolean"}):
            records.append({**answer, "id": question_id})
        else:
            records.append({"id": question_id, "answer": answer})
    text = f"has a file for each of {len(files):,} questions"
    return Content(folder, "jsonl", "", digest.hexdigest(), notes=(text,)).with_records(records)

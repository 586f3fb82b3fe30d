"""One file with questions, gold answers and the answers of a system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qaldgen.datasets.fetching import resolve
from qaldgen.errors import UsageError
from qaldgen.formats.columns import find_columns
from qaldgen.formats.file_content import content_in_memory, in_memory, load_content
from qaldgen.formats.generic_records import rows_and_guess
from qaldgen.formats.reading import READERS
from qaldgen.runs.plain_answers import answer_names, squeezed
from qaldgen.scoring.gold import AnyGold

#: Formats that may have a column of answers beside the gold answers.
_COLUMNS = frozenset({"table", "json-records"})


def gold_as_run(data: AnyGold, form: str) -> Any:  # noqa: ANN401 - passed on as a run
    """Return questions whose file holds the answers of a system too; refuse others."""
    path = data if isinstance(data, (str, Path)) else None
    if (path or in_memory(data)) and READERS[form].answers:
        return data
    gold, predicted = _columns(data) if form in _COLUMNS and (path or in_memory(data)) else ([], [])
    if gold and predicted and not {*gold} & {*predicted}:
        return data
    logs = ", ".join(name for name, reader in READERS.items() if reader.answers)
    seen = (
        f" {gold[0]!r} is taken for the gold answers, and no other column for those of a system."
        if gold
        else ""
    )
    raise UsageError(
        f"has questions but no answers of a system; name a run too.{seen} A table or JSON records"
        " hold both if their columns say so, such as 'question', 'gold' (or 'answer') and"
        f" 'prediction' (or 'model_answer', 'response', 'output'); so do logs"
        f" ({logs or 'no plug-in reads one here'})",
        where=path or "the questions",
    )


def _columns(data: object) -> tuple[list[str], list[str]]:
    """Return the columns that are read as gold answers, and those that are read as a run."""
    content = content_in_memory(data) if in_memory(data) else load_content(Path(resolve(data)))  # type: ignore[arg-type]
    rows, guessed = rows_and_guess(content)
    names = dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row)
    found = None if guessed else find_columns(rows)
    if found is None:
        return [], []
    answers = answer_names(map(squeezed, names))
    return [*found.gold], [name for name in names if squeezed(name) in answers]

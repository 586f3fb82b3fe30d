"""Rows that are the answers of several systems, or several candidates for one answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, product
from typing import Any

from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.questions.cells import parse_number
from qaldgen.questions.column_values import SAMPLED_ROWS, is_blank
from qaldgen.questions.fields import ROLE_NAMES, has_role, normalize_name


def best_candidates(rows: Sequence[object]) -> list[object]:
    """Return the rows without lower candidates for the same question, and say how many these are.

    >>> best_candidates([{"id": 7, "rank": 2, "answer": "B"}, {"id": 7, "rank": 1, "answer": "A"}])
    [{'id': 7, 'rank': 1, 'answer': 'A'}]
    """
    first = next((row for row in rows if isinstance(row, dict)), {})
    ranked = [name for name in first if has_role(name, "candidate")]
    keys = [name for name in first if has_role(name, "question", "maybe question")]
    keys += [name for name in first if has_role(name, "id", "run id")]
    if not ranked or not keys:
        return list(rows)
    best: dict[object, tuple[float, object]] = {}
    for number, row in enumerate(rows):
        question = member(row, keys[0])
        place = parse_number(str(member(row, ranked[0])))
        if place is None or isinstance(question, (dict, list)):
            return list(rows)
        key = number if is_blank(question) else str(question)
        if key not in best or place < best[key][0]:
            best[key] = (place, row)
    if lower := len(rows) - len(best):
        note(f"{lower:,} further candidates are not read, only the first of each question")
    return [row for _, row in best.values()]


def rows_by_system(
    rows: Sequence[object],
    keys: Collection[str] = frozenset(
        [*ROLE_NAMES["id"], *ROLE_NAMES["question"], *ROLE_NAMES["maybe question"]]
    ),
    column: str = "",
) -> dict[str, list[Any]]:
    """Return the rows of each system if they are one for each question and system; else {}.

    Rows of a question have the same ``id``, its number if there is no other. The column with the
    system is left out; without one that is known to have it, one with a usual name may.

    >>> rows = [{"q": "Who?", "model": name, "said": "Ann"} for name in "AB"]
    >>> rows_by_system(rows, ["q"])["B"]
    [{'id': '1', 'q': 'Who?', 'said': 'Ann'}]
    """
    objects = [row for row in rows if isinstance(row, dict)]
    names = dict.fromkeys(chain.from_iterable(objects[:SAMPLED_ROWS]))
    system_columns = [column] if column else [name for name in names if has_role(name, "system")]
    key_columns = [name for name in names if normalize_name(name) in keys]
    for column, key in product(system_columns, key_columns):
        if any(is_blank(row.get(column)) or is_blank(row.get(key)) for row in objects):
            continue
        questions = dict.fromkeys(str(row[key]) for row in objects)
        if 10 * len({(str(row[key]), str(row[column])) for row in objects}) < 11 * len(questions):
            continue  # nearly all questions were asked of one system only
        ids = {name: str(number) for number, name in enumerate(questions, 1)}
        without = {"id", column}
        if normalize_name(key) in ROLE_NAMES["id"]:
            ids = {name: name for name in questions}
            without.add(key)
        parts: dict[str, list[dict[str, Any]]] = {}
        for row in objects:
            further = {field: value for field, value in row.items() if field not in without}
            record = {"id": ids[str(row[key])], **further}
            parts.setdefault(str(row[column]), []).append(record)
        return parts
    return {}

"""Separate rows with answers of several systems, or with several candidates for one answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, product
from typing import Any

from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.questions.cells import parse_number
from qaldgen.questions.column_values import SAMPLED_ROWS, is_blank
from qaldgen.questions.fields import ROLE_NAMES, has_no_role, has_role, normalize_name


def best_candidates(rows: Sequence[object]) -> list[object]:
    """Return only the best candidate for each question, and note how many others there are.

    >>> best_candidates([{"id": 7, "rank": 2, "answer": "B"}, {"id": 7, "rank": 1, "answer": "A"}])
    [{'id': 7, 'rank': 1, 'answer': 'A'}]
    """
    names = next((row for row in rows if isinstance(row, dict)), {})
    rank_columns = [name for name in names if has_role(name, "candidate")]
    keys = [name for name in names if has_role(name, "question", "maybe question")]
    keys += [name for name in names if has_role(name, "id", "run id")]
    if not rank_columns or not keys:
        return list(rows)
    best: dict[object, tuple[float, object]] = {}
    for number, row in enumerate(rows):
        question = member(row, keys[0])
        rank = parse_number(str(member(row, rank_columns[0])))
        if rank is None or isinstance(question, (dict, list)):
            return list(rows)
        key = number if is_blank(question) else str(question)
        if key not in best or rank < best[key][0]:
            best[key] = (rank, row)
    n_others = len(rows) - len(best)
    if n_others:
        note(f"{n_others:,} further candidates are not read, only the first of each question")
    return [row for _, row in best.values()]


def rows_by_system(
    rows: Sequence[object],
    keys: Collection[str] = frozenset(
        [*ROLE_NAMES["id"], *ROLE_NAMES["question"], *ROLE_NAMES["maybe question"]]
    ),
    column: str = "",
) -> dict[str, list[Any]]:
    """Return the rows of each system if there is one for each question and system; else {}.

    Rows of a question get the same ``id``, which is its number if `keys`, the possible names of
    columns with the question, have no id. The column with the systems is left out; it is `column`,
    or has a known name.

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
        pairs = {(str(row[key]), str(row[column])) for row in objects}
        if 10 * len(pairs) < 11 * len(questions):  # nearly all questions have a single system
            continue
        setting = ""
        if len(pairs) < len(objects):
            setting = _setting_column(objects, names, key, column)
        if setting:
            note(f"each {column!r} with each {setting!r} is read as a system")
        ids = {name: str(number) for number, name in enumerate(questions, 1)}
        left_out = {"id", column, setting}
        if normalize_name(key) in ROLE_NAMES["id"]:
            ids = {name: name for name in questions}
            left_out.add(key)
        parts: dict[str, list[dict[str, Any]]] = {}
        for row in objects:
            others = {field: value for field, value in row.items() if field not in left_out}
            record = {"id": ids[str(row[key])], **others}
            system = _system_name(row[column])
            if setting:
                system = f"{system} {row[setting]}"
            parts.setdefault(system, []).append(record)
        return parts
    return {}


def _system_name(value: object) -> str:
    """Return the name of a system, which may be in an object: its label, name or id."""
    if not isinstance(value, dict):
        return str(value)
    names = [value[field] for field in ("label", "name", "id") if value.get(field)]
    return str(names[0] if names else value)


def _setting_column(
    rows: Sequence[dict[str, Any]], names: Iterable[str], key: str, system: str
) -> str:
    """Return the column with the settings of systems, such as the number of passages they get.

    Every system has the same settings at every question. It is "" if there is no such column.
    """
    for name in names:
        if name in {key, system} or not (has_no_role(name) or has_role(name, "maybe question")):
            continue
        settings: dict[tuple[str, str], list[str]] = {}
        for row in rows:
            settings.setdefault((str(row[key]), str(row[system])), []).append(str(row.get(name)))
        first = sorted(next(iter(settings.values())))
        once_each = len(set(first)) == len(first) > 1
        if once_each and all(sorted(others) == first for others in settings.values()):
            return name
    return ""

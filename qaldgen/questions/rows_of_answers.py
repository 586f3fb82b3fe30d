"""Separate rows with answers of several systems, or with several candidates for one answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.questions.cells import parse_number
from qaldgen.questions.column_values import SAMPLED_ROWS, is_blank
from qaldgen.questions.fields import (
    ROLE_NAMES,
    has_no_role,
    has_role,
    is_gold_name,
    normalize_name,
)

#: Names of columns with the question.
_QUESTION_NAMES = frozenset(
    [*ROLE_NAMES["id"], *ROLE_NAMES["question"], *ROLE_NAMES["maybe question"]]
)
#: Metadata that may tell systems apart.
_SETTINGS = frozenset(["config", "configuration", "settings"])
_Row: TypeAlias = dict[str, Any]


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
    keys: Collection[str] = _QUESTION_NAMES,
    *,
    any_name: bool = True,
    known_ids: Collection[str] | None = None,
) -> dict[str, list[Any]]:
    """Return the rows of each system if there is one for each question and system; else {}.

    Rows of a question get the same ``id``, which is its number if `keys`, the possible names of
    columns with the question, have no id. The columns with the systems are left out; those that
    have no known name count if `any_name` is true. Ids that begin anew, for each subject for
    example, are told apart, unless the ids of the questions are known and are others.

    >>> rows = [{"q": "Who?", "model": name, "said": "Ann"} for name in "AB"]
    >>> rows_by_system(rows, ["q"])["B"]
    [{'id': '1', 'q': 'Who?', 'said': 'Ann'}]
    """
    objects = [row for row in rows if isinstance(row, dict)]
    numbers, group = _group_of_ids(objects)
    if group:
        grouped = [{**row, numbers: f"{row.get(group)}.{row.get(numbers)}"} for row in objects]
        if known_ids is None or any(row[numbers] in known_ids for row in grouped):
            objects = grouped
        else:
            group = ""
    names = list(dict.fromkeys(chain.from_iterable(objects[:SAMPLED_ROWS])))
    key = ""
    columns: list[str] = []
    for key in names:
        if normalize_name(key) in keys and not any(is_blank(row.get(key)) for row in objects):
            columns = _columns_of_systems(objects, names, key, any_name=any_name)
            if columns:
                break
    if not columns:
        return {}

    if len(columns) > 1 or not has_role(columns[0], "system"):
        joint = " with each ".join(map(repr, columns))
        note(f"has rows for each question: each {joint} is read as a system")
    if group:
        note(f"{numbers!r} begins anew for each {group!r}, which is put before it")
    questions = dict.fromkeys(str(row[key]) for row in objects)
    left_out = {"id", *columns}
    if normalize_name(key) in ROLE_NAMES["id"]:
        ids = {name: name for name in questions}
        left_out.add(key)
    else:
        ids = {name: str(number) for number, name in enumerate(questions, 1)}
    parts: dict[str, list[_Row]] = {}
    for row in objects:
        others = {field: value for field, value in row.items() if field not in left_out}
        system = " ".join(_system_name(row.get(column)) for column in columns).strip()
        parts.setdefault(system, []).append({"id": ids[str(row[key])], **others})
    return parts


def _group_of_ids(rows: Sequence[_Row]) -> tuple[str, str]:
    """Return a column with ids that begin anew for each value of another, and this other column.

    With the same id, most rows then have several questions and a quarter several gold answers; in
    paraphrases, the gold is the same. Both names are empty if there are no such columns.

    >>> asked = [("law", 1, "a"), ("law", 2, "b"), ("tax", 1, "c"), ("tax", 2, "b")]
    >>> _group_of_ids([{"subject": name, "no": no, "gold": gold} for name, no, gold in asked])
    ('no', 'subject')
    """
    names = list(dict.fromkeys(chain.from_iterable(rows[:SAMPLED_ROWS])))
    keys = [name for name in names if has_role(name, "id", "run id")]
    keys.sort(key=lambda name: not has_role(name, "id"))
    gold = [name for name in names if is_gold_name(name)]
    if not keys or not gold:
        return "", ""
    key = keys[0]
    if len({str(row.get(key)) for row in rows}) == len(rows):
        return "", ""
    questions = []
    for name in names:
        # ids may stand for texts
        may_ask = has_role(name, "question", "translation", "maybe question")
        if may_ask and any(row.get(name) != row.get(key) for row in rows):
            questions.append(name)
    texts_by_id = _values_by(rows, [key], questions)
    gold_by_id = _values_by(rows, [key], gold)
    n_texts = sum(map(_differ, texts_by_id.values()))
    n_gold = sum(map(_differ, gold_by_id.values()))
    if 4 * n_gold < len(gold_by_id) or (questions and 2 * n_texts < len(texts_by_id)):
        return "", ""
    for name in names:
        if not (has_no_role(name) or has_role(name, "split", "origin")):
            continue
        groups = {str(row.get(name)) for row in rows}
        if _are_numbers(groups, len(groups)):  # these may number the parts of an answer
            continue
        asked = _values_by(rows, [key, name], [*questions, *gold])
        # a group has several questions
        if 2 * len(groups) <= len(asked) and not any(map(_differ, asked.values())):
            return key, name
    return "", ""


def _values_by(
    rows: Iterable[_Row], keys: Sequence[str], names: Sequence[str]
) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """Return the different values of some columns by those of others."""
    values: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for row in rows:
        group = tuple(str(row.get(key)) for key in keys)
        values.setdefault(group, set()).add(tuple(str(row.get(name)) for name in names))
    return values


def _differ(values: Collection[tuple[str, ...]]) -> bool:
    """Return whether there are values that differ by more than case and signs.

    >>> _differ({("Ulm",), ("ULM.",)}), _differ({("Ulm",), ("Bonn",)})
    (False, True)
    """
    if len(values) < 2:
        return False
    words = {re.sub(r"[\W_]+", " ", "|".join(texts).casefold()).strip() for texts in values}
    return len(words) > 1


def _system_name(value: object) -> str:
    """Return the name of a system, which may be an object: its label, name or id, or its fields."""
    if not isinstance(value, dict):
        return str(value)
    names = [value[field] for field in ("label", "name", "id") if value.get(field)]
    return str(names[0]) if names else " ".join(f"{name}={value[name]}" for name in value)


def _columns_of_systems(
    rows: Sequence[_Row], names: Sequence[str], key: str, *, any_name: bool
) -> list[str]:
    """Return the columns that tell the answers of systems to a question apart, whose id is `key`.

    A column with the known name of one is enough; else columns with other names count if `any_name`
    is true.
    """
    rows_by_question: dict[str, list[_Row]] = {}
    for row in rows:
        rows_by_question.setdefault(str(row[key]), []).append(row)
    if not _have_several(len(rows_by_question), len(rows)):
        return []
    settings = []
    for name in names:
        is_unknown = has_no_role(name) or has_role(name, "maybe question")
        if name not in ("", key) and (is_unknown or normalize_name(name) in _SETTINGS):
            settings.append(name)

    for system in names:
        is_filled = has_role(system, "system") and not any(
            is_blank(row.get(system)) for row in rows
        )
        columns = _named_systems(rows_by_question, system, settings) if is_filled else []
        if columns:
            return columns
    return _other_systems(rows_by_question, settings) if any_name else []


def _named_systems(
    rows_by_question: Mapping[str, Sequence[_Row]], system: str, settings: Sequence[str]
) -> list[str]:
    """Return a column with the names of systems, perhaps with one of their settings.

    Such is the number of passages that a system gets. Nearly all questions must not have a single
    system. If only some systems have several settings, a column with the names of these says all.
    """
    rows_by_pair: dict[tuple[str, str], list[_Row]] = {}
    for question, rows in rows_by_question.items():
        for row in rows:
            rows_by_pair.setdefault((question, str(row[system])), []).append(row)
    if not _have_several(len(rows_by_question), len(rows_by_pair)):
        return []
    own_settings = [name for name in settings if _differs_alike(rows_by_pair.values(), [name])]
    if own_settings:
        return [system, own_settings[0]]
    if len(rows_by_pair) < sum(map(len, rows_by_question.values())):
        for name in settings:
            is_name = normalize_name(name) in _SETTINGS
            if is_name and _differs_alike(rows_by_question.values(), [name]):
                return [name]
    return [system]


def _other_systems(
    rows_by_question: Mapping[str, Sequence[_Row]], settings: Sequence[str]
) -> list[str]:
    """Return columns of any name that tell systems apart, as few as possible.

    Each question has the same different values in them, once or all equally often.
    """
    if len(rows_by_question) < 2:
        return []
    groups = rows_by_question.values()
    differing = [name for name in settings if _differs_alike(groups, [name], once=False)]
    for number in range(1, len(differing) + 1):
        if _differs_alike(groups, differing[:number]):
            return differing[:number]
    # all questions have the same values, so one shows whether each occurs equally often
    for name in differing:
        times = Counter(str(row.get(name)) for row in next(iter(groups)))
        if len(set(times.values())) == 1:
            return [name]
    return []


def _have_several(n_questions: int, n_rows: int) -> bool:
    """Return whether questions have several rows, rather than nearly all a single one."""
    return 10 * n_rows >= 11 * n_questions


def _differs_alike(
    groups: Iterable[Sequence[_Row]], names: Sequence[str], *, once: bool = True
) -> bool:
    """Return whether rows have several values of some columns, the same ones in each group.

    Numbers from 0 or 1 do not count, since they may number the parts of one answer. With `once`, no
    two rows of a group have the same values.
    """
    first: list[tuple[str, ...]] = []
    for rows in groups:
        values = sorted(tuple(str(row.get(name) or "") for name in names) for row in rows)
        first = first or values
        if values != first:
            return False
    different = set(first)
    if len(different) < 2 or ("",) in different:
        return False
    if len(names) == 1 and _are_numbers({text for (text,) in different}, len(first)):
        return False
    return not once or len(different) == len(first)


def _are_numbers(texts: Collection[str], size: int) -> bool:
    """Return whether texts are as many numbers, from 0 or 1 on.

    >>> _are_numbers({"1", "2"}, 2), _are_numbers({"2019", "2020"}, 2)
    (True, False)
    """
    return any(set(texts) == set(map(str, range(start, start + size))) for start in (0, 1))

"""Find the records of a JSON document, one for each question, wherever the document nests them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from qaldgen.io.json_text import member
from qaldgen.questions.conversations import conversation
from qaldgen.questions.fields import (
    ROLE_NAMES,
    has_no_role,
    has_role,
    holds_questions,
    is_gold_name,
    is_prediction_name,
    may_hold_gold,
    normalize_name,
)
from qaldgen.questions.json_documents import Unparsed

#: Records that are looked at.
_LOOKED_AT = 20
_SPLITS = frozenset(
    {"train", "training", "dev", "development", "valid", "validation", "val", "test", "eval"}
)
_ANSWERS = frozenset({*ROLE_NAMES["gold"], *ROLE_NAMES["answer"]})
#: The field of a record that receives the key under which the document has it, and the field that
#: receives the id of what holds several questions with ids of their own.
KEY, GROUP = "id", "group"
#: How deep the records may be nested in objects and lists.
_DEPTH = 4
#: Keys of an object that are answers or say what an answer is, and no names of systems.
_OF_ANSWERS = re.compile(r"content|.*:.*|[QP]?[0-9]+|m\.\w+")


class FileRecords(NamedTuple):
    """The records of a document."""

    rows: list[object]
    unread_lists: tuple[str, ...] = ()  # the names of other lists in the document


def find_rows(document: object) -> FileRecords:
    """Return the records of a JSON document, one for each question.

    They are in a list; in the only list of an object, or in those whose records have questions; in
    a list per split; under their ids; or column by column, as pandas writes tables. A record may
    itself hold several questions, such as those on one passage: in a list of objects, or in lists
    side by side. Any other document is a single record.

    >>> find_rows({"data": [{"question": "Who?"}], "version": 1}).rows
    [{'question': 'Who?'}]
    >>> columns = {"question": {"0": "Who?", "1": "Where?"}, "answer": {"0": "Ann", "1": "Oslo"}}
    >>> find_rows(columns).rows[1]
    {'question': 'Where?', 'answer': 'Oslo'}
    >>> passage = {"id": "p", "questions": ["Who?", "Where?"], "answers": ["Ann", "Oslo"]}
    >>> find_rows([passage]).rows[1]
    {'id': 'p.2', 'questions': 'Where?', 'answers': 'Oslo'}
    """
    records = _rows(document, _DEPTH)
    return records._replace(rows=flat_rows(records.rows))


def flat_rows(rows: list[object]) -> list[object]:
    """Return records with the fields of the objects in which some programs put the question.

    >>> flat_rows([{"inputs": {"question": "Who?"}, "outputs": "Ann"}])
    [{'inputs.question': 'Who?', 'outputs': 'Ann'}]
    """
    return with_fields_of(rows, {name for row in rows[:_LOOKED_AT] for name in _containers(row)})


def with_fields_of(
    rows: list[object],
    names: Collection[str],
    read: Callable[[object], object] = lambda value: value,
) -> list[object]:
    """Return records with the fields of these objects as their own, such as metadata.topic.

    What `read` makes of a value may be an object, too.
    """
    if not names:
        return rows
    flat_rows: list[object] = []
    for row in rows:
        if not isinstance(row, dict):
            flat_rows.append(row)
            continue
        flat: dict[str, object] = {}
        for name, value in row.items():
            inner = read(value) if name in names else None
            if isinstance(inner, dict):
                flat |= {f"{name}.{field}": inner[field] for field in inner}
            else:
                flat[name] = value
        flat_rows.append(flat)
    return flat_rows


def with_inner_fields(rows: list[object], names: Iterable[str]) -> list[object]:
    """Return records with these fields of their objects as their own, under dotted names.

    >>> with_inner_fields([{"id": 1, "parsed": {"answer": "Ulm"}}], ["parsed.answer"])
    [{'id': 1, 'parsed': {'answer': 'Ulm'}, 'parsed.answer': 'Ulm'}]
    """
    dotted = [name for name in names if "." in name]
    if not dotted:
        return rows
    records: list[object] = []
    for row in rows:
        if not isinstance(row, dict):
            records.append(row)
            continue
        inner_fields = {}
        for name in dotted:
            value: object = row
            for part in name.split("."):
                value = member(value, part)
            if name not in row and value is not None:
                inner_fields[name] = value
        records.append({**row, **inner_fields})
    return records


def _containers(row: object) -> list[str]:
    """Return the fields whose objects hold the question, or an answer of each system."""
    if not isinstance(row, dict):
        return []
    systems = [name for name in row if has_role(name, "prediction") and _by_system(row[name])]
    if systems or _states_question(row):
        return systems
    objects = [name for name in row if has_role(name, "container") and isinstance(row[name], dict)]
    if any(_asks(row[name]) for name in objects):
        return objects
    return []


def _by_system(value: object) -> bool:
    """Return whether an object has an answer of each of several systems, by their names."""
    return (
        isinstance(value, dict)
        and len(value) > 1
        and all(has_no_role(name) and not _OF_ANSWERS.fullmatch(name) for name in value)
        and not any(isinstance(answer, dict) or _are_objects(answer) for answer in value.values())
        # candidates with their scores
        and not all(type(answer) in (int, float) for answer in value.values())
    )


def _rows(document: object, depth: int) -> FileRecords:
    if isinstance(document, list):
        return FileRecords(_each_question(_unwrapped(document), depth))
    if not isinstance(document, dict) or not depth:
        return FileRecords([document])
    if _is_record(document):
        return FileRecords([document])
    columns = _by_column(document)
    if columns is not None:
        return FileRecords(columns)
    if aside := _side_by_side(document):
        return FileRecords(_inside(document, aside))
    if document and all(isinstance(value, dict) for value in document.values()):
        parts = [row for name, part in document.items() for row in _part(name, part, depth - 1)]
        if any(map(_is_row, parts)):
            return FileRecords(parts)
    held = {name: _held(name, value, depth - 1) for name, value in document.items()}
    lists = {name: rows for name, rows in held.items() if rows}
    # an object that asks something itself is a record; its lists are its answers
    if any(_asks(row) for rows in lists.values() for row in rows) or (
        lists and not _asks(document)
    ):
        return _from_lists(lists)
    return FileRecords([document])


def _part(name: str, part: Mapping[str, object], depth: int) -> list[object]:
    """Return the records in one of several objects, which stand under their ids or splits."""
    field, role = KEY, "run id"
    if name.lower() in _SPLITS:
        field = role = "split"
    rows = _rows(part, depth).rows
    if rows != [part]:
        return _inside({field: name, **part}, rows)
    if any(has_role(key, role) for key in part):
        return [part]
    return [{field: name, **part}]


def _each_question(rows: list[object], depth: int) -> list[object]:
    """Return records of one question each: those in records that hold several, and all others."""
    if all(_apart(row, depth) == [row] for row in rows[:_LOOKED_AT]):
        return rows
    single: list[object] = []
    # texts in lists, none of which has as many answers, are wordings of one question each
    several = any(isinstance(row, dict) and len(_side_by_side(row)) > 1 for row in rows)
    for row in rows:
        inner = _apart(row, depth)
        questions = member(row, "questions")
        if several and inner == [row] and isinstance(questions, list) and len(questions) > 1:
            number = f"has {len(questions)} questions, but no list of as many answers"
            inner = [Unparsed(f"{number}; give one for each, null for none")]
        single += inner
    grouped = [row for row in single if isinstance(row, dict) and GROUP in row]
    if not grouped:
        return single
    key = _id_field(grouped[0])
    grouped = [row for row in grouped if key in row]
    # ids may be numbers within each group
    if len({str(row[key]) for row in grouped}) < len(grouped):
        for row in grouped:
            row[key] = f"{row.pop(GROUP)}.{row[key]}"
    return single


def _apart(row: object, depth: int) -> list[object]:
    """Return the records of the questions in one record; this one if it holds no others."""
    if isinstance(row, list):  # a passage, its questions, an id
        rows = [question for part in row if _are_objects(part) for question in part]
        if any(map(_asks, rows)):
            return rows
    if not isinstance(row, dict):
        return [row]
    if aside := _side_by_side(row):
        return _inside(row, aside)
    if not _is_row(row):
        rows = _rows(row, depth - 1).rows
        if rows != [row] and any(map(_asks, rows)):
            return _inside(row, rows)
    return [row]


def _inside(outer: Mapping[str, object], rows: list[object]) -> list[object]:
    """Return records with the values of what holds them; without ids, they are numbered."""
    shared = {
        name: value
        for name, value in outer.items()
        if not isinstance(value, dict) and not _are_objects(value)
    }
    key = _id_field(shared)
    records: list[object] = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            records.append(row)
            continue
        record = {**shared, **row}
        if key and any(has_role(name, "id") for name in row):
            del record[key]
            record |= {GROUP: shared[key], **row}
        elif key:
            record[key] = f"{shared[key]}.{number}"
        records.append(record)
    return records


def _id_field(names: Iterable[str]) -> str:
    """Return the first field with a usual name of ids; empty if there is none."""
    return next((name for name in names if has_role(name, "id")), "")


def _side_by_side(row: Mapping[str, object]) -> list[object]:
    """Return the records in lists of equal lengths: questions or ids, answers, perhaps choices.

    An object of such lists, one for each annotator, is one, too.
    """
    keys = [name for name in row if normalize_name(name) == "questions"]
    keys += [name for name in row if has_role(name, "id", "run id") and isinstance(row[name], list)]
    key = next(iter(keys), "")
    questions = row.get(key)
    if not isinstance(questions, list) or not questions:
        return []
    columns: dict[str, list[object]] = {}
    for name, value in row.items():
        column = value
        if isinstance(value, dict) and all(isinstance(part, list) for part in value.values()):
            column = [
                dict(zip(value, parts, strict=True)) for parts in zip(*value.values(), strict=False)
            ]
        if isinstance(column, list) and len(column) == len(questions):
            columns[name] = [*column]
    answers = (name for name in columns if may_hold_gold(name) or is_prediction_name(name))
    if all(name == key for name in answers):
        return []
    rows: list[object] = []
    for values in zip(*columns.values(), strict=True):
        fields = dict(zip(columns, values, strict=True))
        question = fields[key]
        if isinstance(question, dict):
            del fields[key]
            fields = {**question, **fields}
        rows.append(fields)
    return rows


def _held(name: str, value: object, depth: int) -> list[object]:
    """Return the records under a name; none if it holds the answers of one record."""
    if isinstance(value, dict):
        rows = _rows(value, depth).rows
        held = rows != [value] and any(map(_is_row, rows))
    elif isinstance(value, list) and _are_objects(value) and not has_role(name, "choices"):
        rows = _each_question(_unwrapped(value), depth)
        held = normalize_name(name) not in _ANSWERS or any(map(_is_row, rows))
    else:
        return []
    return rows if held else []


def _is_row(row: object) -> bool:
    """Return whether a record has a question, or an answer beside what may be one or its id."""
    if _has_question(row):
        return True
    if not isinstance(row, dict):
        return False
    names = {normalize_name(name) for name in row}
    if not names.isdisjoint(ROLE_NAMES["maybe question"]) and any(map(may_hold_gold, names)):
        return True
    answers = any(is_prediction_name(name) or has_role(name, "answer") for name in row)
    return answers and any(has_role(name, "id", "run id") for name in row)


def _is_record(document: Mapping[str, object]) -> bool:
    """Return whether an object has the text of a question, and does not hold records that do."""
    nested = any(map(_are_objects, document.values()))
    for name, value in document.items():
        if not holds_questions(name) or (nested and normalize_name(name) == "text"):
            continue
        if isinstance(value, str):
            return True
        if not isinstance(value, dict) or all(key.isdecimal() for key in value):
            continue  # an object whose keys are row numbers is a column rather than one text
        if any(isinstance(item, str) for item in value.values()):
            return True
    return False


def _states_question(row: object) -> bool:
    """Return whether a record has a question; a text alone may be an answer."""
    return isinstance(row, dict) and any(
        holds_questions(name) and normalize_name(name) != "text" and not _are_objects(value)
        for name, value in row.items()
    )


def _are_objects(value: object) -> bool:
    """Return whether a value is a list of objects, such as the questions of one record."""
    if not isinstance(value, list) or conversation(value):
        return False
    return any(isinstance(item, dict) for item in value)


def _has_question(row: object) -> bool:
    """Return whether a record, or an object in which some programs put the question, has one."""
    return _states_question(row) or (
        isinstance(row, dict)
        and any(has_role(name, "container") and _states_question(row[name]) for name in row)
    )


def _asks(row: object) -> bool:
    """Return whether a record may have a question, or answers one."""
    asking = {*ROLE_NAMES["maybe question"], "text"}
    return _is_row(row) or (
        isinstance(row, dict) and any(normalize_name(name) in asking for name in row)
    )


def _unwrapped(rows: list[object]) -> list[object]:
    """Return the records of a list, out of the ``row`` in which data set servers wrap each."""
    if rows and all(
        isinstance(row, dict) and isinstance(row.get("row"), dict) and "row_idx" in row
        for row in rows
    ):
        return [row["row"] for row in rows if isinstance(row, dict)]
    return rows


def _from_lists(lists: dict[str, list[object]]) -> FileRecords:
    """Return the records of several lists: of splits, or with the fields of the first that asks."""
    rows: list[object] = []
    if {name.lower() for name in lists} <= _SPLITS:
        for name, listed in lists.items():
            rows += with_split(listed, name)
        return FileRecords(rows)
    stating = [name for name, listed in lists.items() if any(map(_has_question, listed))]
    perhaps = [name for name, listed in lists.items() if any(map(_asks, listed))]
    first = next(iter(stating or perhaps or lists))
    rows += lists.pop(first)
    unread_lists = []
    for name, listed in lists.items():
        # further questions have the same fields, and ids or texts of their own
        same = _fields(listed) == _fields(rows)
        if same and ids_or_texts(listed).isdisjoint(ids_or_texts(rows)):
            rows += listed
        else:
            unread_lists.append(name)
    return FileRecords(rows, tuple(unread_lists))


def with_split(rows: Iterable[object], split: str) -> list[object]:
    """Return records with the name of their split, unless they state one."""
    return [{"split": split, **row} if isinstance(row, dict) else row for row in rows]


def _fields(rows: list[object]) -> set[str]:
    return {name for row in rows[:_LOOKED_AT] if isinstance(row, dict) for name in row}


def ids_or_texts(rows: list[object]) -> set[str]:
    """Return the ids of the questions in records, or else their texts.

    >>> sorted(ids_or_texts([{"qid": 1, "answer": "Ulm"}, {"qid": 2, "answer": "Bonn"}]))
    ['1', '2']
    """
    fields = sorted(_fields(rows))
    ids = [name for name in fields if has_role(name, "id")]
    ids += [name for name in fields if has_role(name, "run id")]
    key = next(iter([*ids, *filter(holds_questions, fields)]), "")
    return {str(row.get(key)) for row in rows if isinstance(row, dict)}


def _by_column(document: dict[str, object]) -> list[object] | None:
    """Return the records of a table of questions written column by column; else None."""
    names, data = document.get("columns"), document.get("data")
    if (
        isinstance(names, list)
        and isinstance(data, list)
        and all(isinstance(row, list) for row in data)
    ):
        return [dict(zip(map(str, names), row, strict=False)) for row in data]
    columns = document
    if not _asks(document):
        predictions = (document[name] for name in document if is_prediction_name(name))
        size = next((len(column) for column in predictions if isinstance(column, list)), 0)
        # what is said of all of them stands beside their columns
        columns = {
            name: column
            for name, column in document.items()
            if isinstance(column, list) and len(column) == size and not _are_objects(column)
        }
        if not any(map(is_gold_name, columns)):
            return None
    rows = rows_of_columns(columns)
    if rows and len(rows) > 1 and not any(isinstance(item, dict) for item in rows[0].values()):
        return list(rows)
    # one object per column, from row number to value, as DataFrame.to_json writes
    objects = [column for column in columns.values() if isinstance(column, dict)]
    if len(objects) < max(2, len(columns)) or len({*map(tuple, objects)}) > 1:
        return None
    return [
        {name: member(column, number) for name, column in columns.items()} for number in objects[0]
    ]


def rows_of_columns(document: Mapping[str, object]) -> list[dict[str, object]] | None:
    """Return the records in an object of two or more lists of equal lengths; else None."""
    columns = [column for column in document.values() if isinstance(column, list)]
    if not len(columns) == len(document) > 1 or len({*map(len, columns)}) > 1:
        return None
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]

"""Find the records of a JSON document, one for each question, wherever the document nests them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from qaldgen.io.json_text import as_list, member
from qaldgen.questions.fields import (
    has_no_role,
    has_role,
    holds_questions,
    is_gold_name,
    is_number_name,
    is_prediction_name,
    may_hold_gold,
    normalize_name,
    question_language,
)
from qaldgen.questions.flat_records import SYSTEM, flat_rows, objects_of_systems
from qaldgen.questions.joined_lists import (
    ANSWER_NAMES,
    have_answers,
    joined_lists,
    states_question_id,
)
from qaldgen.questions.json_documents import Unparsed
from qaldgen.questions.record_kinds import (
    LOOKED_AT,
    FileRecords,
    certainty,
    has_answer,
    id_field,
    is_object_list,
    is_row,
    is_single_record,
    may_have_question,
    rows_of_columns,
)

_SPLITS = frozenset(
    {"train", "training", "dev", "development", "valid", "validation", "val", "test", "eval"}
)
#: The field for the id of a record that holds several questions with ids of their own.
_GROUP = "group"
#: The most steps to the records of a document, into lists, and into objects, which count twice.
_MAX_STEPS = 7


def find_rows(document: object) -> FileRecords:
    """Return the records of a JSON document, one for each question.

    A list holds the records themselves. An object is read as the first of these that it is: one
    record, with a question of its own; a table, row by row or column by column, as pandas writes
    it; a list of questions, and one of answers that refer to their ids; parallel lists of questions
    and answers; records under their ids, or under the names of splits; lists of records under other
    names; and else one record. A record may itself hold several questions, such as those on one
    passage, in a list of objects or in parallel lists.

    >>> find_rows({"data": [{"question": "Who?"}], "version": 1}).rows
    [{'question': 'Who?'}]
    >>> columns = {"question": {"0": "Who?", "1": "Where?"}, "answer": {"0": "Ann", "1": "Oslo"}}
    >>> find_rows(columns).rows[1]
    {'question': 'Where?', 'answer': 'Oslo'}
    >>> passage = {"id": "p", "questions": ["Who?", "Where?"], "answers": ["Ann", "Oslo"]}
    >>> find_rows([passage]).rows[1]
    {'id': 'p.2', 'questions': 'Where?', 'answers': 'Oslo'}
    """
    records = _find_rows(document, _MAX_STEPS)
    return records._replace(rows=flat_rows(records.rows))


def _number_by_group(rows: Iterable[object]) -> None:
    """Put the id of a group before the ids in it if these are unique only within each group."""
    grouped = [row for row in rows if isinstance(row, dict) and _GROUP in row]
    key = id_field(grouped[0]) if grouped else ""
    grouped = [row for row in grouped if row.get(key) is not None]
    if len({str(row[key]) for row in grouped}) < len(grouped):
        for row in grouped:
            row[key] = f"{row.pop(_GROUP)}.{row[key]}"


def _find_rows(document: object, depth: int) -> FileRecords:
    """Return the records of a document that are nested at most so deep; see `find_rows`."""
    if isinstance(document, list):
        return FileRecords(_split_questions(document, depth))
    if not isinstance(document, dict) or depth <= 0 or is_single_record(document):
        return FileRecords([document])
    rows = _rows_of_table(document)
    if rows is None:
        joined = joined_lists(document)
        if joined is not None:
            return joined
        rows = _rows_of_parallel_lists(document)
    if rows is not None:
        return FileRecords(rows)
    return _rows_of_parts(document, depth - 1) or FileRecords([document])


def _split_questions(rows: list[object], depth: int) -> list[object]:
    """Return one record per question: records with several questions are split."""
    if rows and all(
        isinstance(member(row, "row"), dict) and member(row, "row_idx") is not None for row in rows
    ):
        rows = [member(row, "row") for row in rows]  # as data set servers send them
    if all(_rows_in_record(row, depth) is None for row in rows[:LOOKED_AT]):
        return rows
    rows_in_records = [_rows_in_record(row, depth) for row in rows]
    inner_of_several = [
        inner
        for row, inner in zip(rows, rows_in_records, strict=True)
        if _has_several_questions(row)
    ]
    # Lists of questions are wordings of one if most are not as long as the lists of answers.
    if 2 * inner_of_several.count(None) > len(inner_of_several):
        return rows
    single_questions: list[object] = []
    for row, inner in zip(rows, rows_in_records, strict=True):
        if inner is not None:
            single_questions += inner
        elif _has_several_questions(row):
            fault = f"has {len(member(row, 'questions'))} questions, but no list of as many answers"
            single_questions.append(Unparsed(f"{fault}; give one for each, null for none"))
        else:
            single_questions.append(row)
    _number_by_group(single_questions)
    return single_questions


def _has_several_questions(row: object) -> bool:
    """Return whether a record has a list of two or more questions."""
    questions = member(row, "questions")
    return isinstance(questions, list) and len(questions) > 1


def _rows_in_record(row: object, depth: int) -> list[object] | None:
    """Return the records of the questions in a record; None if it has only one."""
    if isinstance(row, list):  # a passage, its questions, an id
        rows = [question for part in row if is_object_list(part) for question in part]
        return rows if any(map(may_have_question, rows)) else None
    if not isinstance(row, dict):
        return None
    parallel = _rows_of_parallel_lists(row)
    if parallel is not None:
        return parallel
    if is_row(row) or objects_of_systems(row):
        return None
    rows = _find_rows(row, depth - 1).rows
    if rows == [row] or not any(map(may_have_question, rows)):
        return None
    return _with_outer_fields(row, rows)


def _with_outer_fields(outer: Mapping[str, object], rows: list[object]) -> list[object]:
    """Add the scalars and metadata of an object to the records in it, numbered without ids."""
    shared = {
        name: value
        for name, value in outer.items()
        if has_role(name, "metadata") or not (isinstance(value, dict) or is_object_list(value))
    }
    key = id_field(shared)
    records: list[object] = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            records.append(row)
            continue
        record = {**shared, **row}
        if key and any(has_role(name, "id") for name in row):
            del record[key]
            record |= {_GROUP: shared[key], **row}
        elif key:
            record[key] = f"{shared[key]}.{number}"
        records.append(record)
    return records


def _rows_of_parallel_lists(document: Mapping[str, object]) -> list[object] | None:
    """Return the records in lists of equal lengths: questions or ids, answers, perhaps choices.

    The answers may also be an object with such a list from each annotator.
    """
    keys = [name for name in document if normalize_name(name) == "questions"]
    for name, value in document.items():
        if isinstance(value, list) and has_role(name, "id", "run id"):
            keys.append(name)
    if not keys:
        return None
    key = keys[0]
    questions = document[key]
    if not isinstance(questions, list) or not questions or have_answers(questions):
        return None
    columns: dict[str, list[object]] = {}
    for name, value in document.items():
        column = value
        if isinstance(value, dict) and all(isinstance(part, list) for part in value.values()):
            column = [
                dict(zip(value, parts, strict=True)) for parts in zip(*value.values(), strict=False)
            ]
        if isinstance(column, list) and len(column) == len(questions):
            columns[name] = column
    answers = [name for name in columns if may_hold_gold(name) or is_prediction_name(name)]
    if all(name == key for name in answers):
        return None
    rows: list[object] = []
    for values in zip(*columns.values(), strict=True):
        fields = dict(zip(columns, values, strict=True))
        question = fields[key]
        if isinstance(question, dict):
            del fields[key]
            fields = {**question, **fields}
        rows.append(fields)
    return _with_outer_fields(document, rows)


def _rows_of_parts(document: Mapping[str, object], depth: int) -> FileRecords | None:
    """Return the records in the lists and objects under the names of an object; None without any.

    Lists with answers to the same questions are those of systems. Objects are records under their
    ids, or hold lists of records; names may also be those of splits.
    """
    lists: dict[str, list[object]] = {}
    for name, value in document.items():
        if isinstance(value, dict):
            rows = _find_rows(value, depth - 1).rows
            is_question = may_have_question if holds_questions(name) else is_row
            if rows != [value] and any(map(is_question, rows)):
                lists[name] = rows
        elif isinstance(value, list) and is_object_list(value) and not has_role(name, "choices"):
            rows = _split_questions(value, depth)
            has_records = normalize_name(name) not in ANSWER_NAMES or any(map(is_row, rows))
            if has_records or all(map(states_question_id, rows)):
                lists[name] = rows

    systems = _names_of_systems(lists)
    if systems:
        rows = []
        for system in systems:
            rows += _with_outer_fields({SYSTEM: system}, lists[system])
        return FileRecords(rows, tuple(name for name in lists if name not in systems))
    objects = {name: part for name, part in document.items() if isinstance(part, dict)}
    # beside records under numbers, other keys are settings
    are_numbered = objects != {} and all(map(str.isdecimal, objects))
    if (are_numbered or len(objects) == len(document)) and len(lists) != 1:
        rows = _rows_by_key(objects, lists)
        if any(map(is_row, rows)):
            return FileRecords(rows)
    have_questions = any(map(may_have_question, chain.from_iterable(lists.values())))
    if not lists or (may_have_question(document) and not have_questions):
        return None  # the lists are the answers of one record
    return _join_lists(lists)


def _names_of_systems(lists: Mapping[str, list[object]]) -> list[str]:
    """Return the names of the lists with answers of systems to the same questions, if several are.

    They have most of their questions in common; splits and other sets may share a few. Without gold
    in them, no other list may have it.

    >>> lists = {name: [{"question": "Who?", "reply": name}] for name in ("rag", "plain")}
    >>> _names_of_systems(lists), _names_of_systems({**lists, "data": [{"answer": "Ann"}]})
    (['rag', 'plain'], [])
    """
    asked: dict[str, set[str]] = {}
    has_gold = False
    for name, rows in lists.items():
        fields = _field_names(rows)
        gold = [field for field in fields if is_gold_name(field)]
        predictions = [field for field in fields if is_prediction_name(field)]
        if predictions or (gold and any(has_role(field, "answer") for field in fields)):
            asked[name] = set() if name.lower() in _SPLITS else _questions_in(rows)
            has_gold |= gold != []
    others = chain.from_iterable(lists[name] for name in lists if name not in asked)
    if not has_gold and any(map(has_answer, others)):
        return []
    largest = max(asked.values(), key=len, default=set())
    same = [name for name in asked if 2 * len(asked[name] & largest) > len(asked[name])]
    return same if len(same) > 1 else []


def _rows_by_key(
    parts: Mapping[str, Mapping[str, object]], lists: Mapping[str, list[object]]
) -> list[object]:
    """Return records under their ids or the names of splits, or the lists of records in them.

    Another id in a record counts in place of its key, unless its name says that it only numbers the
    records.
    """
    rows: list[object] = []
    for name, part in parts.items():
        field, role = ("split", "split") if name.lower() in _SPLITS else ("id", "run id")
        if name in lists:
            rows += _with_outer_fields({field: name, **part}, lists[name])
        elif any(has_role(key, role) and not is_number_name(key) for key in part):
            rows.append(part)
        else:
            rows.append({field: name, **part})
    return rows


def _join_lists(lists: Mapping[str, list[object]]) -> FileRecords:
    """Return the records of all splits, or of the first list with questions and those like it."""
    if {name.lower() for name in lists} <= _SPLITS:
        return FileRecords([row for name in lists for row in with_split(lists[name], name)])
    with_question = [name for name in lists if any(certainty(row) > 2 for row in lists[name])]
    with_question += [name for name in lists if any(map(may_have_question, lists[name]))]
    main = [*with_question, *lists][0]
    fields, asked = _field_names(lists[main]), _questions_in(lists[main])
    joined = [main]
    # under three or more names of their own, such as topics, they may differ in a few fields
    are_own_names = all(has_no_role(name) and name.lower() not in _SPLITS for name in lists)
    are_chapters = are_own_names and len(lists) > 2
    for name in lists:
        # more questions have the same fields, but other texts or ids; translations are no more
        others, more = _field_names(lists[name]), _questions_in(lists[name])
        is_language = question_language(f"question_{name}") != ""
        are_alike = others == fields
        if are_chapters:
            are_alike = 2 * len(fields & others) > len(fields | others)
        if are_alike and asked.isdisjoint(more) and not is_language:
            joined.append(name)
            asked |= more
    if len(joined) == 1:
        return FileRecords(lists[main], tuple(name for name in lists if name != main))
    rows: list[object] = []
    for name in joined:
        rows += _with_outer_fields({_GROUP: name}, lists[name])
    _number_by_group(rows)
    return FileRecords(rows, tuple(name for name in lists if name not in joined))


def with_split(rows: Iterable[object], split: str) -> list[object]:
    """Return records with a field ``split``, unless they have one."""
    return [{"split": split, **row} if isinstance(row, dict) else row for row in rows]


def _field_names(rows: list[object]) -> set[str]:
    return {name for row in rows[:LOOKED_AT] if isinstance(row, dict) for name in row}


def ids_or_texts(rows: list[object]) -> set[str]:
    """Return the ids of the questions in records, or their texts if they have no ids.

    >>> sorted(ids_or_texts([{"qid": 1, "answer": "Ulm"}, {"qid": 2, "answer": "Bonn"}]))
    ['1', '2']
    """
    fields = sorted(_field_names(rows))
    ids = [name for name in fields if has_role(name, "id")]
    ids += [name for name in fields if has_role(name, "run id")]
    key = next(iter([*ids, *filter(holds_questions, fields)]), "")
    return {str(row.get(key)) for row in rows if isinstance(row, dict)}


def _questions_in(rows: list[object]) -> set[str]:
    """Return the texts of the questions in records, or their ids if they have no texts.

    Of several fields with texts the one with the most different ones counts.
    """
    texts: set[str] = set()
    for name in _field_names(rows):
        if has_role(name, "question", "translation", "maybe question"):
            values = {str(member(row, name)) for row in rows} - {"None", ""}
            texts = max(texts, values, key=len)
    return texts or ids_or_texts(rows)


def _rows_of_table(document: dict[str, object]) -> list[object] | None:
    """Return the records of a document that is a table, as pandas writes it; else None.

    It has its cells row by row below the names of the columns, or column by column: in lists, or in
    objects from the number of a row to its value.
    """
    names, data = document.get("columns"), document.get("data")
    if (
        isinstance(names, list)
        and isinstance(data, list)
        and all(isinstance(row, list) for row in data)
    ):
        names = list(map(str, names))
        index = document.get("index")
        has_index = isinstance(index, list) and len(index) == len(data)
        if has_index and index != list(range(len(data))) and not id_field(names):
            # an index that does not number the rows has their ids
            names = ["id", *names]
            data = [[key, *row] for key, row in zip(as_list(index), data, strict=True)]
        return [dict(zip(names, row, strict=False)) for row in data]
    columns = document if may_have_question(document) else _columns_of_run(document)
    rows = rows_of_columns(columns)
    if rows and len(rows) > 1 and not any(isinstance(item, dict) for item in rows[0].values()):
        return list(rows)
    objects = [column for column in columns.values() if isinstance(column, dict)]
    if len(objects) < max(2, len(columns)) or len(set(map(tuple, objects))) > 1:
        return None
    # beside questions, the key only numbers the rows
    has_key = not may_have_question(document) and not id_field(columns)
    records: list[object] = []
    for number in objects[0]:
        row = {name: member(column, number) for name, column in columns.items()}
        records.append({"id": number, **row} if has_key else row)
    return records


def _columns_of_run(document: dict[str, object]) -> dict[str, object]:
    """Return the columns of predictions and what stands beside them, if one of these is gold.

    All fields are objects, or only the lists as long as that of the predictions are columns.

    >>> _columns_of_run({"gold": ["Ulm", "Bonn"], "predictions": ["Ulm", "Rome"], "scores": [0.5]})
    {'gold': ['Ulm', 'Bonn'], 'predictions': ['Ulm', 'Rome']}
    """
    predictions = [document[name] for name in document if is_prediction_name(name)]
    if predictions and all(isinstance(column, dict) for column in document.values()):
        return document if any(map(is_gold_name, document)) else {}
    size = next((len(column) for column in predictions if isinstance(column, list)), 0)
    columns: dict[str, object] = {
        name: column
        for name, column in document.items()
        if isinstance(column, list) and len(column) == size and not is_object_list(column)
    }
    return columns if any(map(is_gold_name, columns)) else {}

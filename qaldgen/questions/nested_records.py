"""Find the records of a JSON document, one for each question, wherever the document nests them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.io.json_text import as_list, member
from qaldgen.questions.conversations import ANSWERING, ASKING, conversation, last_said
from qaldgen.questions.fields import (
    PREDICTION_ROLES,
    ROLE_NAMES,
    has_no_role,
    has_role,
    holds_questions,
    is_gold_name,
    is_prediction_name,
    may_hold_gold,
    may_hold_systems,
    normalize_name,
    question_language,
    roles_of,
)
from qaldgen.questions.json_documents import Unparsed

#: The most records that are looked at.
_LOOKED_AT = 20
_SPLITS = frozenset(
    {"train", "training", "dev", "development", "valid", "validation", "val", "test", "eval"}
)
_ANSWER_NAMES = frozenset({*ROLE_NAMES["gold"], *ROLE_NAMES["answer"]})
#: The name of a field that certainly refers to a question.
_QUESTION_ID = "questionid"
#: The field for the id of a record that holds several questions with ids of their own.
_GROUP = "group"
#: The field for the name of the list that holds the answers of a system.
_SYSTEM = "system"
#: How deep fields may be nested in a record.
_MAX_DEPTH = 4
#: The most steps to the records of a document, into lists, and into objects, which count twice.
_MAX_STEPS = 7
#: Keys of an object that are or describe answers, and are not names of systems.
_ANSWER_KEY = re.compile(r"content|type|vars|head|.*:.*|[QP]?[0-9]+|m\.\w+")


class FileRecords(NamedTuple):
    """The records of a document."""

    rows: list[object]
    unread_lists: tuple[str, ...] = ()  # the names of other lists in the document


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
    key = _id_field(grouped[0]) if grouped else ""
    grouped = [row for row in grouped if row.get(key) is not None]
    if len({str(row[key]) for row in grouped}) < len(grouped):
        for row in grouped:
            row[key] = f"{row.pop(_GROUP)}.{row[key]}"


def flat_rows(rows: list[object]) -> list[object]:
    """Replace the objects in which some programs put the question, or several systems' answers.

    The id of a question may be in its metadata, and a verdict in an object of them; such are added.
    A chat is replaced by its last
    question and answer, if no other field may hold these.

    >>> flat_rows([{"inputs": {"question": "Who?"}, "outputs": "Ann"}])
    [{'inputs.question': 'Who?', 'outputs': 'Ann'}]
    >>> flat_rows([{"outputs": "Ann", "meta": {"id": 7}}])
    [{'outputs': 'Ann', 'meta': {'id': 7}, 'meta.id': 7}]
    """
    verdicts = [
        name
        for name in nested_names(rows, lambda name: has_role(name, "verdict"))
        if has_role(name.partition(".")[0], "verdicts")
    ]
    rows = _with_said(with_inner_fields(rows, [*_metadata_ids(rows), *verdicts]))
    rows = _with_fields_of_questions(rows)
    names: set[str] = set()
    for row in rows[:_LOOKED_AT]:
        if not isinstance(row, dict):
            continue
        systems = _objects_of_systems(row)
        names.update(systems)
        if systems or _has_question_field(row):
            continue
        objects = [
            name for name in row if has_role(name, "container") and isinstance(row[name], dict)
        ]
        if any(_may_have_question(row[name]) for name in objects):
            names.update(objects)
    return with_fields_of(rows, names, lambda value: _answers_by_system(value) or value)


def _with_fields_of_questions(rows: list[object]) -> list[object]:
    """Return all records with the fields of their questions, or all unchanged."""
    merged: list[object] = []
    for row in rows:
        record = _with_fields_of_question(row)
        if record is None:  # in most files, the first
            return rows
        merged.append(record)
    return merged


def _with_fields_of_question(row: object) -> dict[str, object] | None:
    """Return a record with the fields of the only object in it that has a question; else None.

    >>> _with_fields_of_question({"id": 7, "row_data": {"question": "Who?"}, "said": "Ann"})
    {'question': 'Who?', 'id': 7, 'said': 'Ann'}
    """
    if not isinstance(row, dict) or _has_question_field(row):
        return None
    names = [name for name in row if isinstance(row[name], dict) and _has_question_field(row[name])]
    if len(names) != 1 or roles_of(names[0]) - {"maybe question"}:
        return None
    question = row[names[0]]
    others = {name: row[name] for name in row if name != names[0]}
    # the object may have an id of its own, but not another answer
    shared = [name for name in question if name in others and not has_role(name, "id", "split")]
    if any(question[name] != others[name] for name in shared):
        return None
    return {**question, **others}


def _with_said(rows: list[object]) -> list[object]:
    """Replace chats by what the user asked last and what the assistant answered, as in training."""
    objects = [row for row in rows[:_LOOKED_AT] if isinstance(row, dict)]
    names = dict.fromkeys(chain.from_iterable(objects))
    chats = [name for name in names if has_role(name, "transcript")]
    others = [name for name in names if name not in chats]
    is_said_elsewhere = any(
        has_role(name, "id", "run id", "question", "maybe question")
        or may_hold_gold(name)
        or is_prediction_name(name)
        for name in others
    )
    if len(chats) != 1 or is_said_elsewhere:
        return rows
    said: list[object] = []
    for row in rows:
        messages = conversation(member(row, chats[0]))
        if not isinstance(row, dict) or not messages or messages[-1].speaker not in ANSWERING:
            return rows
        fields = {name: row[name] for name in row if name != chats[0]}
        question = last_said(messages, ASKING)
        said.append({**fields, "question": question, "answer": messages[-1].text})
    return said


def with_fields_of(
    rows: list[object],
    names: Collection[str],
    read: Callable[[object], object] = lambda value: value,
) -> list[object]:
    """Replace the objects under some names by their fields, such as ``metadata.topic``.

    `read` is called with each value first, for example to parse objects that are written as texts.
    """
    if not names:
        return rows
    flat: list[object] = []
    for row in rows:
        if not isinstance(row, dict):
            flat.append(row)
            continue
        fields: dict[str, object] = {}
        for name, value in row.items():
            inner = read(value) if name in names else None
            if isinstance(inner, dict):
                fields |= {f"{name}.{field}": inner[field] for field in inner}
            else:
                fields[name] = value
        flat.append(fields)
    return flat


def with_inner_fields(rows: list[object], names: Iterable[str]) -> list[object]:
    """Add the fields of nested objects that dotted names refer to; all other names are ignored.

    >>> with_inner_fields([{"id": 1, "parsed": {"answer": "Ulm"}}], ["parsed.answer"])
    [{'id': 1, 'parsed': {'answer': 'Ulm'}, 'parsed.answer': 'Ulm'}]
    """
    dotted = [name for name in names if "." in name]
    if not dotted:
        return rows
    extended: list[object] = []
    for row in rows:
        if not isinstance(row, dict):
            extended.append(row)
            continue
        record = dict(row)
        for name in dotted:
            value: object = row
            for part in name.split("."):
                value = member(value, part)
            if value is not None:
                record.setdefault(name, value)
        extended.append(record)
    return extended


def nested_names(rows: Sequence[object], is_wanted: Callable[[str], bool]) -> list[str]:
    """Return the dotted names of fields in nested objects whose own names are wanted.

    >>> row = {"gold": "Ulm", "sample_score": {"score": {"prediction": "Bonn", "value": 0}}}
    >>> nested_names([row], is_prediction_name)
    ['sample_score.score.prediction']
    """
    paths: dict[str, None] = {}

    def collect_paths(value: object, prefix: str, depth: int) -> None:
        if not isinstance(value, dict) or not depth:
            return
        for name, inner in value.items():
            if prefix and is_wanted(name) and not isinstance(inner, dict):
                paths[f"{prefix}{name}"] = None
            collect_paths(inner, f"{prefix}{name}.", depth - 1)

    for row in rows[:_LOOKED_AT]:
        collect_paths(row, "", _MAX_DEPTH)
    return list(paths)


def _metadata_ids(rows: Sequence[object]) -> list[str]:
    """Return the dotted names of ids in objects with metadata."""
    ids = nested_names(rows, lambda name: has_role(name, "id"))
    return [name for name in ids if has_role(name.partition(".")[0], "metadata")]


def _objects_of_systems(row: Mapping[str, object]) -> list[str]:
    """Return the fields of a record that hold the answers of several systems."""
    names = []
    for name, value in row.items():
        values = value.values() if isinstance(value, dict) else as_list(value)
        are_objects = all(isinstance(item, dict) for item in values)
        # texts under "tools" or "methods" are settings
        may_be_systems = may_hold_systems(name) and are_objects
        is_prediction = has_role(name, "prediction", "prediction in words")
        if (is_prediction or may_be_systems) and _answers_by_system(value):
            names.append(name)
    return names


def _answers_by_system(value: object) -> dict[str, object] | None:
    """Return the answers of several systems by their names; None if a value does not hold such.

    It is an object with them, or with objects that each have an answer; or a list of objects that
    each have a system and its answer. Verdicts beside an answer are there as ``system.correct``.
    """
    items = value
    if isinstance(value, dict):
        may_be_systems = all(
            (has_no_role(name) or has_role(name, "single choice"))
            and not _ANSWER_KEY.fullmatch(name)
            for name in value
        )
        if len(value) < 2 or not may_be_systems:
            return None
        objects = {name: inner for name, inner in value.items() if isinstance(inner, dict)}
        if not objects:
            if any(map(_is_object_list, value.values())):
                return None
            if all(type(answer) in (int, float) for answer in value.values()):
                return None  # candidates with their scores
            return value
        if len(objects) < len(value):
            return None
        items = [{_SYSTEM: name, **inner} for name, inner in objects.items()]
    if not isinstance(items, list) or len(items) < 2:
        return None
    answers: dict[str, object] = {}
    for item in items:
        if not isinstance(item, dict):
            return None
        systems = [item[name] for name in item if has_role(name, "system")]
        # beside a short answer, a response is the reply that it was taken from
        system_answers = [item[name] for name in item if has_role(name, "bare answer")]
        if not system_answers:
            system_answers = [item[name] for name in item if has_role(name, "answer", "prediction")]
        if len(systems) != 1 or len(system_answers) != 1:
            return None
        if not isinstance(systems[0], str) or systems[0] in answers:
            return None
        answers[systems[0]] = system_answers[0]
        verdicts = {name: item[name] for name in item if has_role(name, "verdict")}
        answers |= {f"{systems[0]}.{name}": verdict for name, verdict in verdicts.items()}
    return answers


def _find_rows(document: object, depth: int) -> FileRecords:
    """Return the records of a document that are nested at most so deep; see `find_rows`."""
    if isinstance(document, list):
        return FileRecords(_split_questions(document, depth))
    if not isinstance(document, dict) or depth <= 0 or _is_single_record(document):
        return FileRecords([document])
    rows = _rows_of_table(document)
    if rows is None:
        rows = _rows_with_references(document)
    if rows is None:
        with_predictions = _rows_with_predictions(document)
        if with_predictions is not None:
            return with_predictions
        rows = _rows_of_parallel_lists(document)
    if rows is not None:
        return FileRecords(rows)
    return _rows_of_parts(document, depth - 1) or FileRecords([document])


def _rows_with_references(document: Mapping[str, object]) -> list[object] | None:
    """Return the questions of a list, with the answers in another list that refer to their ids.

    None if the questions have answers, or if those stand in their order, one for each.
    """
    names = {normalize_name(name): name for name in document}
    questions = _objects_under(document, names.get("questions", ""))
    key = _id_field(chain.from_iterable(questions))
    if not key or _have_answers(questions):
        return None
    ids = [str(row.get(key)) for row in questions]
    for name in document:
        if normalize_name(name) not in _ANSWER_NAMES:
            continue
        rows = _objects_under(document, name)
        reference = _reference_field(rows, ids)
        if not reference:
            continue
        answers: dict[str, list[object]] = {}
        for row in rows:
            # without its own number, an answer is often a single value
            values = {field: row[field] for field in row if field not in (reference, "id")}
            answer = values if len(values) != 1 else next(iter(values.values()))
            answers.setdefault(str(row.get(reference)), []).append(answer)
        return [
            {**row, "answers": answers.get(question_id)}
            for question_id, row in zip(ids, questions, strict=True)
        ]
    return None


def _rows_with_predictions(document: Mapping[str, object]) -> FileRecords | None:
    """Return the questions of a list with the answers in other lists that have the same ids.

    None unless one list has questions with different ids, and others have answers of systems to
    most of their ids, once each.
    """
    lists = _lists_by_name(document)
    asked = [name for name, rows in lists.items() if any(_certainty(row) > 2 for row in rows)]
    if len(asked) != 1 or not any(map(_has_answer, lists[asked[0]])):
        return None
    questions = _rows_by_id(lists.pop(asked[0]))
    said: dict[str, dict[str, dict[str, object]]] = {}
    for name, rows in lists.items():
        answers = _rows_by_id(rows)
        names = next(iter(answers.values()), {})
        have_answers = any(is_prediction_name(key) or has_role(key, "bare answer") for key in names)
        if have_answers and 2 * len(questions.keys() & answers) > len(answers):
            said[name] = answers
    if not questions or not said:
        return None
    joined: list[object] = []
    for name, answers in said.items():
        system = {_SYSTEM: name} if len(said) > 1 else {}
        for question_id, row in questions.items():
            answer = answers.get(question_id, {})
            fields = {key: answer[key] for key in answer if not has_role(key, "id")}
            joined.append({**system, **row, "prediction": fields or None})
    return FileRecords(joined, tuple(name for name in lists if lists[name] and name not in said))


def _lists_by_name(document: Mapping[str, object]) -> dict[str, list[dict[str, object]]]:
    """Return the lists of objects by name; one of systems is a list for each of these."""
    lists: dict[str, list[dict[str, object]]] = {}
    for name in document:
        rows = _objects_under(document, name)
        by_system = dict(answers_in_records(rows))
        if not by_system or "" in by_system or len(by_system) < len(rows):
            by_system = {name: rows}
        for system, answers in by_system.items():
            is_known = system in lists or (system in document and system != name)
            lists[f"{name} {system}" if is_known else system] = answers
    return lists


def answers_in_records(
    rows: Iterable[Mapping[str, object]],
) -> list[tuple[str, list[dict[str, object]]]]:
    """Return the system, or "", and the answers of records that each have many answers.

    The answers are in an object, by the ids of their questions, or in a list of records. Empty if
    any record has no such answers, or others.

    >>> answers_in_records([{"model": "ours", "answers": {"q1": "Ulm"}}])
    [('ours', [{'id': 'q1', 'answer': 'Ulm'}])]
    """
    found: list[tuple[str, list[dict[str, object]]]] = []
    for row in rows:
        systems = [row[name] for name in row if has_role(name, "system")]
        answers = [row[name] for name in row if has_role(name, "answer", *PREDICTION_ROLES)]
        if len(answers) != 1:
            return []
        [value] = answers
        records = _objects_under({"": value}, "")
        if isinstance(value, dict):
            records = [{"id": key, "answer": answer} for key, answer in value.items()]
        if value and not records:
            return []
        others = {name for item in records for name in item if not has_role(name, "id", "run id")}
        if len(others) == 1:  # whatever it is called
            records = [
                {"answer" if name in others else name: item[name] for name in item}
                for item in records
            ]
        is_named = len(systems) == 1 and isinstance(systems[0], (str, int, float))
        found.append((str(systems[0]) if is_named else "", records))
    return found


def _rows_by_id(rows: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    """Return records by their ids; none unless each has an id of its own."""
    key = _id_field(rows[0]) if rows else ""
    by_id = {str(row.get(key)): row for row in rows if key and row.get(key) is not None}
    return by_id if len(by_id) == len(rows) else {}


def _reference_field(rows: list[dict[str, object]], ids: list[str]) -> str:
    """Return the field by which answers refer to the ids of questions; empty if none does.

    Any id may refer to questions if all of its values are ids of questions. Where some are not, it
    must be the id of a question by its name; then these answers belong to no question here.
    """
    stated = ""
    for field in dict.fromkeys(chain.from_iterable(rows)):
        referred = [str(row.get(field)) for row in rows]
        if not has_role(field, "id") or referred == ids:
            continue
        if set(referred) <= set(ids):
            return field
        if normalize_name(field) == _QUESTION_ID:
            stated = field
    return stated


def _states_question_id(row: object) -> bool:
    """Return whether a record says by the name of a field to which question it belongs."""
    return isinstance(row, dict) and any(normalize_name(name) == _QUESTION_ID for name in row)


def _have_answers(questions: Iterable[object]) -> bool:
    """Return whether questions that are objects have a field for answers."""
    fields = chain.from_iterable(row for row in questions if isinstance(row, dict))
    return any(normalize_name(field) in _ANSWER_NAMES for field in fields)


def _objects_under(document: Mapping[str, object], name: str) -> list[dict[str, object]]:
    """Return the list of objects under a name; an empty one for any other value."""
    rows = document.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return []
    return rows


def _split_questions(rows: list[object], depth: int) -> list[object]:
    """Return one record per question: records with several questions are split."""
    if rows and all(
        isinstance(member(row, "row"), dict) and member(row, "row_idx") is not None for row in rows
    ):
        rows = [member(row, "row") for row in rows]  # as data set servers send them
    if all(_rows_in_record(row, depth) is None for row in rows[:_LOOKED_AT]):
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
        rows = [question for part in row if _is_object_list(part) for question in part]
        return rows if any(map(_may_have_question, rows)) else None
    if not isinstance(row, dict):
        return None
    parallel = _rows_of_parallel_lists(row)
    if parallel is not None:
        return parallel
    if _is_row(row) or _objects_of_systems(row):
        return None
    rows = _find_rows(row, depth - 1).rows
    if rows == [row] or not any(map(_may_have_question, rows)):
        return None
    return _with_outer_fields(row, rows)


def _with_outer_fields(outer: Mapping[str, object], rows: list[object]) -> list[object]:
    """Add the scalars and metadata of an object to the records in it, numbered without ids."""
    shared = {
        name: value
        for name, value in outer.items()
        if has_role(name, "metadata") or not (isinstance(value, dict) or _is_object_list(value))
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
            record |= {_GROUP: shared[key], **row}
        elif key:
            record[key] = f"{shared[key]}.{number}"
        records.append(record)
    return records


def _id_field(names: Iterable[str]) -> str:
    """Return the first field with a known name for ids; empty if there is none."""
    return next((name for name in names if has_role(name, "id")), "")


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
    if not isinstance(questions, list) or not questions or _have_answers(questions):
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


def _certainty(row: object) -> int:
    """Return how surely a record is one of a question.

    It is 3 if it has the text of a question, 2 if it is an answer with its id or a possible
    question, 1 if it may have a question, else 0.
    """
    if not isinstance(row, dict):
        return 0
    containers = [row[name] for name in row if has_role(name, "container")]
    inner = [value for value in row.values() if isinstance(value, dict)]
    has_inner_question = sum(map(_has_question_field, inner)) == 1
    names = set(map(normalize_name, row))
    if (
        any(map(_has_question_field, (row, *containers)))
        or has_inner_question
        or {"q", "a"} <= names
    ):
        return 3
    may_have_question = any(has_role(name, "maybe question") for name in row)
    has_id = any(has_role(name, "id", "run id") for name in row) or bool(_metadata_ids([row]))
    if _has_answer(row) and (may_have_question or has_id):
        return 2
    return int(may_have_question or any(normalize_name(name) == "text" for name in row))


def _has_answer(row: object) -> bool:
    """Return whether a record has a field with an answer, by its name."""
    if not isinstance(row, dict):
        return False
    is_named = any(may_hold_gold(name) or is_prediction_name(name) for name in row)
    return is_named or {"q", "a"} <= set(map(normalize_name, row))


def _is_row(row: object) -> bool:
    return _certainty(row) > 1


def _may_have_question(row: object) -> bool:
    return _certainty(row) > 0


def _is_single_record(document: Mapping[str, object]) -> bool:
    """Return whether an object itself is a question or an answer, not only records nested in it.

    It has the text of a question, or an id and the text of a system's answer.
    """
    if _id_field(document) and any(
        is_prediction_name(name) and isinstance(value, str) for name, value in document.items()
    ):
        return True
    nested = any(map(_is_object_list, document.values()))
    for name, value in document.items():
        if not holds_questions(name) or (nested and normalize_name(name) == "text"):
            continue
        if isinstance(value, str):
            return True
        if not isinstance(value, dict) or all(key.isdecimal() for key in value):
            continue  # an object whose keys are row numbers is a column rather than one text
        items = value.values()
        if any(isinstance(item, str) for item in items) and not any(map(_is_object_list, items)):
            return True
    return False


def _has_question_field(row: object) -> bool:
    """Return whether a record has a field with a question; ``text`` may be an answer instead."""
    return isinstance(row, dict) and any(
        holds_questions(name) and normalize_name(name) != "text" and not _is_object_list(value)
        for name, value in row.items()
    )


def _is_object_list(value: object) -> bool:
    """Return whether a value is a list of objects other than the messages of a conversation."""
    if not isinstance(value, list) or conversation(value):
        return False
    return any(isinstance(item, dict) for item in value)


def _rows_of_parts(document: Mapping[str, object], depth: int) -> FileRecords | None:
    """Return the records in the lists and objects under the names of an object; None without any.

    Lists with answers to the same questions are those of systems. Objects are records under their
    ids, or hold lists of records; names may also be those of splits.
    """
    lists: dict[str, list[object]] = {}
    for name, value in document.items():
        if isinstance(value, dict):
            rows = _find_rows(value, depth - 1).rows
            is_question = _may_have_question if holds_questions(name) else _is_row
            if rows != [value] and any(map(is_question, rows)):
                lists[name] = rows
        elif isinstance(value, list) and _is_object_list(value) and not has_role(name, "choices"):
            rows = _split_questions(value, depth)
            has_records = normalize_name(name) not in _ANSWER_NAMES or any(map(_is_row, rows))
            if has_records or all(map(_states_question_id, rows)):
                lists[name] = rows

    systems = _names_of_systems(lists)
    if systems:
        rows = []
        for system in systems:
            rows += _with_outer_fields({_SYSTEM: system}, lists[system])
        return FileRecords(rows, tuple(name for name in lists if name not in systems))
    objects = {name: part for name, part in document.items() if isinstance(part, dict)}
    # beside records under numbers, other keys are settings
    are_numbered = objects != {} and all(map(str.isdecimal, objects))
    if (are_numbered or len(objects) == len(document)) and len(lists) != 1:
        rows = _rows_by_key(objects, lists)
        if any(map(_is_row, rows)):
            return FileRecords(rows)
    have_questions = any(map(_may_have_question, chain.from_iterable(lists.values())))
    if not lists or (_may_have_question(document) and not have_questions):
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
    if not has_gold and any(map(_has_answer, others)):
        return []
    largest = max(asked.values(), key=len, default=set())
    same = [name for name in asked if 2 * len(asked[name] & largest) > len(asked[name])]
    return same if len(same) > 1 else []


def _rows_by_key(
    parts: Mapping[str, Mapping[str, object]], lists: Mapping[str, list[object]]
) -> list[object]:
    """Return records under their ids or the names of splits, or the lists of records in them.

    Another id in a record counts in place of its key, unless it only counts the records.
    """
    own_ids = []
    for part in parts.values():
        fields = [key for key in part if has_role(key, "run id")]
        own_ids.append(str(part[fields[0]]) if fields else "")
    numbers = [[str(first + index) for index in range(len(parts))] for first in (0, 1)]
    have_ids = own_ids not in numbers and len(set(own_ids)) == len(own_ids) and "" not in own_ids
    rows: list[object] = []
    for name, part in parts.items():
        field, role = ("split", "split") if name.lower() in _SPLITS else ("id", "run id")
        if name in lists:
            rows += _with_outer_fields({field: name, **part}, lists[name])
        elif have_ids or (field == "split" and any(has_role(key, role) for key in part)):
            rows.append(part)
        else:
            others = {key: value for key, value in part.items() if key != field}
            rows.append({field: name, **others})
    return rows


def _join_lists(lists: Mapping[str, list[object]]) -> FileRecords:
    """Return the records of all splits, or of the first list with questions and those like it."""
    if {name.lower() for name in lists} <= _SPLITS:
        return FileRecords([row for name in lists for row in with_split(lists[name], name)])
    with_question = [name for name in lists if any(_certainty(row) > 2 for row in lists[name])]
    with_question += [name for name in lists if any(map(_may_have_question, lists[name]))]
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
    return {name for row in rows[:_LOOKED_AT] if isinstance(row, dict) for name in row}


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
        if has_index and index != list(range(len(data))) and not _id_field(names):
            # an index that does not number the rows has their ids
            names = ["id", *names]
            data = [[key, *row] for key, row in zip(as_list(index), data, strict=True)]
        return [dict(zip(names, row, strict=False)) for row in data]
    columns = document if _may_have_question(document) else _columns_of_run(document)
    rows = rows_of_columns(columns)
    if rows and len(rows) > 1 and not any(isinstance(item, dict) for item in rows[0].values()):
        return list(rows)
    objects = [column for column in columns.values() if isinstance(column, dict)]
    if len(objects) < max(2, len(columns)) or len(set(map(tuple, objects))) > 1:
        return None
    return [
        {name: member(column, number) for name, column in columns.items()} for number in objects[0]
    ]


def _columns_of_run(document: dict[str, object]) -> dict[str, object]:
    """Return the lists as long as that of predictions, if one is gold; other fields are no columns.

    >>> _columns_of_run({"gold": ["Ulm", "Bonn"], "predictions": ["Ulm", "Rome"], "scores": [0.5]})
    {'gold': ['Ulm', 'Bonn'], 'predictions': ['Ulm', 'Rome']}
    """
    predictions = (document[name] for name in document if is_prediction_name(name))
    size = next((len(column) for column in predictions if isinstance(column, list)), 0)
    columns: dict[str, object] = {
        name: column
        for name, column in document.items()
        if isinstance(column, list) and len(column) == size and not _is_object_list(column)
    }
    return columns if any(map(is_gold_name, columns)) else {}


def rows_of_columns(document: Mapping[str, object]) -> list[dict[str, object]] | None:
    """Return the records in an object of two or more lists of equal lengths; else None."""
    columns = [column for column in document.values() if isinstance(column, list)]
    if not len(columns) == len(document) > 1 or len(set(map(len, columns))) > 1:
        return None
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]

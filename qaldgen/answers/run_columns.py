"""Decide which fields of a run hold the id, the question, the answers and what is said of them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

from qaldgen.errors import DataError
from qaldgen.io.text import few_quoted
from qaldgen.model import QuestionSet
from qaldgen.questions.column_values import first_filled
from qaldgen.questions.columns import ROW_NUMBERS, Columns, find_answers
from qaldgen.questions.fields import ROLE_NAMES as ROLES
from qaldgen.questions.fields import has_no_role, has_role, is_gold_name, may_be_id, normalize_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.system_columns import answers_of_systems

#: What a record of a run may have, by the usual names of its field, the most specific first.
ROLE_NAMES = {
    "id": ROLES["run id"],
    # a query may be SPARQL, and a text anything
    "question": (
        *(name for name in ROLES["question"] if name != "text"),
        *(name for name in ROLES["maybe question"] if name != "query"),
        "text",
    ),
    "query": ROLES["system query"],
    "answertype": ROLES["type"][:1],
    **{
        kind: ROLES[kind]
        for kind in (
            "status",
            "error",
            "language",
            "seconds",
            "repeat",
            "confidence",
            "no answer",
            "answers at all",
        )
    },
}
#: Names of columns with scores, as `normalize_name` gives them.
_SCORE = re.compile(
    r"(macro|micro|mean|avg|average)?"
    r"(precision|recall|f1|f1?score|f1?measure|accuracy|acc|exactmatch|em|hitsat1|hitat1|hits?1|score)"
)
#: No record has more fields.
MOST_FIELDS = 1000
#: What a row says of an answer beside itself.
_BESIDE = frozenset(
    chain.from_iterable(
        names for kind, names in ROLE_NAMES.items() if kind not in {"id", "question"}
    )
)
#: Columns that tell the questions apart.
KEYS = frozenset([*ROLE_NAMES["id"], *ROLE_NAMES["question"], "query"])


def has_answers(names: Iterable[str]) -> bool:
    """Return whether these are fields of an answer file: an id or the question, and an answer."""
    names = tuple(map(str, islice(names, MOST_FIELDS + 1)))
    if len(names) > MOST_FIELDS:  # these are ids
        return False
    keys = {*ROLE_NAMES["id"], *ROLE_NAMES["question"], "query", *ROW_NUMBERS}
    has_key = any(normalize_name(name) in keys or _is_other_id(name) for name in names)
    return has_key and answers_of_systems(names) != {}


def _is_other_id(name: str) -> bool:
    """Return whether a name is that of an id in sets, or ends like one; row numbers are no ids."""
    return may_be_id(name) or (has_role(name, "id") and normalize_name(name) not in ROW_NUMBERS)


def carries_systems(rows: Sequence[object]) -> bool:
    """Return whether records have gold, and beside it answers that agree here and there."""
    names = next((tuple(row) for row in rows if isinstance(row, dict)), ())
    return any(map(is_gold_name, names)) and find_answers(rows).systems != {}


def has_scores(names: Iterable[str]) -> bool:
    """Return whether these are the columns of a table of scores: an id or the question, and scores.

    >>> has_scores(["ID", "Precision", "Recall", "F1"]), has_scores(["id", "answer", "f1"])
    (True, False)
    """
    plain = [normalize_name(str(name)) for name in islice(names, MOST_FIELDS + 1)]
    if len(plain) > MOST_FIELDS:
        return False
    others = [name for name in plain if name not in ROLE_NAMES["id"] + ROLE_NAMES["question"]]
    return 0 < len(others) < len(plain) and all(map(_SCORE.fullmatch, others))


def columns_by_role(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the fields of each kind in `ROLE_NAMES`, the most telling first.

    >>> columns_by_role(["ID", "uid", "predicted_query"])["id"]
    ['ID', 'uid']
    """
    by_kind: dict[str, list[str]] = {}
    plain = {name: normalize_name(str(name)) for name in names}
    for kind, usual_names in ROLE_NAMES.items():
        fields = [name for name in plain if plain[name] in usual_names]
        by_kind[kind] = sorted(fields, key=lambda name: usual_names.index(plain[name]))
    return by_kind


def id_column(objects: Sequence[Mapping[str, object]], gold: QuestionSet | None) -> str | None:
    """Return the column with the ids of the questions; None if none can have them.

    A usual name comes first, then any that ends in id; but before both what has ids of the gold.
    Row numbers are ids where nothing else says which question it is.
    """
    names = [*dict.fromkeys(chain.from_iterable(objects))]
    usual = [name for name in names if normalize_name(name) in ROLE_NAMES["id"]]
    usual.sort(key=lambda name: ROLE_NAMES["id"].index(normalize_name(name)))
    others = [name for name in names if name not in usual and _is_other_id(name)]
    questions = [name for name in names if normalize_name(name) in ROLE_NAMES["question"]]
    telling = [name for name in (*usual, *others) if _tells_apart(objects, name, questions, gold)]
    if len(telling) > 1 and gold is not None and not gold.numbered:
        for name in telling:
            if all(str(row.get(name, "")).strip() in gold.by_id for row in objects):
                return name
    if not telling and not questions:
        telling = [name for name in names if normalize_name(name) in ROW_NUMBERS]
    return next(iter(telling), None)


def _tells_apart(
    objects: Sequence[Mapping[str, object]],
    column: str,
    question_columns: Sequence[str],
    gold: QuestionSet | None,
) -> bool:
    """Return whether the values of a column stand beside one question of the gold each.

    Among ids of the gold a few may not: texts may be those of two questions. Without the gold, only
    a column with one value for several questions does not tell them apart.
    """
    if not question_columns:
        return True
    questions: dict[str, set[str]] = {}
    for row in objects:
        name = str(row.get(first_filled(row, question_columns) or "", "")).strip()
        if gold is not None and name in gold.by_text:
            name = gold.by_text[name].id
        elif gold is not None:
            continue
        if name:
            questions.setdefault(str(row.get(column, "")), set()).add(name)
    mixed = sum(len(names) > 1 for names in questions.values())
    if gold is None:
        return not mixed or len(questions) > 1
    if gold.by_id.keys().isdisjoint(questions):
        return not mixed
    return 2 * mixed <= len(questions)


def find_system_column(rows: Sequence[object], names: Sequence[str], keys: frozenset[str]) -> str:
    """Return the unknown column whose values each question has once; empty if there is none.

    Its rows are no parts of one answer; numbers from 0 or 1 may number these.
    """
    key = next((name for name in names if normalize_name(name) in keys), None)
    if key is None:
        return ""
    for name in filter(has_no_role, names):
        by_question: dict[str, list[str]] = {}
        for row in rows:
            if isinstance(row, dict):
                by_question.setdefault(str(row.get(key)), []).append(str(row.get(name) or ""))
        first = next(iter(by_question.values()))
        different = {*first}
        if len(by_question) < 2 or len(different) < 2 or "" in different:
            continue
        numbers = [{*map(str, range(start, start + len(first)))} for start in (0, 1)]
        once_each = all(sorted(values) == sorted(different) for values in by_question.values())
        if once_each and different not in numbers:
            return name
    return ""


class SeveralSystems(DataError):
    """A file holds the answers of several systems; `runs` has each by name, as of one file."""

    def __init__(
        self, content: Content, rows: Mapping[str, Sequence[Mapping[str, object]]]
    ) -> None:
        super().__init__(
            f"holds the answers of several systems ({few_quoted([*rows])}), which score, compare"
            " and report read; keep the answers of one here",
            where=content.path,
        )
        self.runs = {name: content.with_records(records) for name, records in rows.items()}


def runs_in_gold_file(
    content: Content, rows: Sequence[object], columns: Columns, name: str
) -> dict[str, Content]:
    """Return what each system answered to the questions of a file, as the content of a run.

    A system is called as its column if there are several, else by this name.
    """
    key = columns.single.get("id")
    other_columns = {*columns.gold, *columns.variants, *columns.queries, *columns.question, key}
    runs = {}
    for system, answers in columns.systems.items():
        records = []
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                continue
            record = {"id": row.get(key, str(number))}
            for column, value in row.items():
                if column not in other_columns and normalize_name(column) in _BESIDE:
                    record[column] = value
            if len(answers) == 1:
                record["prediction"] = row.get(answers[0])
            else:
                record |= {column: row.get(column) for column in answers}
            records.append(record)
        notes = (f"reads the answers from {answers[0]!r}",) if system else ()
        run = dataclasses.replace(content.with_records(records), notes=notes)
        runs[system if len(columns.systems) > 1 else name] = run
    return runs

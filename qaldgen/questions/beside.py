"""What stands apart from a question set: its gold answers, and the prefixes of its queries."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.io.files import read_text
from qaldgen.io.text import count, some
from qaldgen.model import QuestionSet
from qaldgen.questions.csv_tables import table_header, table_records
from qaldgen.questions.fields import holds_gold, is_a
from qaldgen.questions.file_content import Content, load_content
from qaldgen.questions.records import Fields, scalar_text
from qaldgen.questions.values import Expected, read_value
from qaldgen.sparql.tokens import undeclared_prefixes

#: A prefix in Turtle, in SPARQL, or in a table.
_PREFIX = re.compile(
    r"^\s*(?:@?prefix\s+)?(?P<name>[\w.-]*):?[\s,;]+<?(?P<iri>[a-z]+:[^\s<>]+?)>?[\s.]*$",
    re.IGNORECASE | re.MULTILINE,
)


def read_prefixes(path: str | Path) -> dict[str, str]:
    r"""Return the namespaces in a file, by prefix: Turtle, SPARQL, or a table of two columns.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "prefixes.ttl"
    ...     _ = file.write_text("@prefix a: <http://x.org/a#> .\nPREFIX b: <http://x.org/b/>\n")
    ...     read_prefixes(file)
    {'a': 'http://x.org/a#', 'b': 'http://x.org/b/'}
    """
    found = {match["name"]: match["iri"] for match in _PREFIX.finditer(read_text(Path(path)))}
    if not found:
        raise DataError(
            "has no prefix; lines such as 'PREFIX ex: <http://example.org/>' are expected",
            where=path,
        )
    return found


def with_prefixes(questions: QuestionSet, path: str | Path) -> QuestionSet:
    """Return questions whose queries declare the prefixes of a file that they use."""
    known = read_prefixes(path)

    def declared(query: str) -> str:
        lacking = [name[:-1] for name in undeclared_prefixes(query) if name[:-1] in known]
        return "".join(f"PREFIX {name}: <{known[name]}>\n" for name in lacking) + query

    made = []
    for one in questions:
        queries = {graph: declared(query) for graph, query in one.queries.items()}
        made.append(dataclasses.replace(one, queries=queries))
    return dataclasses.replace(questions, questions=tuple(made))


def with_answers(questions: QuestionSet, path: str | Path) -> QuestionSet:
    """Return questions with the gold answers of another file, by their ids or texts."""
    content = load_content(Path(path), "file of gold answers")
    values = _values(content)
    asked = {name: questions.by_id.get(name) or questions.by_text.get(name) for name in values}
    found = {one.id: name for name, one in asked.items() if one is not None}
    if not found:
        raise DataError(
            f"has no answer to a question of {questions.name}; it has {some(values)}",
            where=path,
        )
    fields = Fields(values, (str(path),))
    made = []
    for one in questions:
        if one.id in found:
            expected = Expected(one.answer_type, one.sparql)
            name = found[one.id]
            answers = read_value(values[name], fields, name, expected, queried=bool(one.sparql))
            one = dataclasses.replace(one, answers=answers)
        made.append(one)
    notes = [f"the gold answers are those in {Path(path).name}"]
    if lacking := len(questions) - len(found):
        notes.append(f"{count(lacking, 'question')} of {len(questions):,} have no answer there")
    return dataclasses.replace(questions, questions=tuple(made), notes=(*questions.notes, *notes))


def _values(content: Content) -> dict[str, object]:
    """Return the values of a file by the ids or texts of questions."""
    if content.kind == "text":
        rows = table_records(content, table_header(content))
    elif isinstance(content.document, Mapping):
        lists = [
            value
            for value in content.document.values()
            if isinstance(value, list) and value and all(map(_has_id, value))
        ]
        if not lists:
            return {
                str(name): _inner(value) if isinstance(value, dict) else value
                for name, value in content.document.items()
            }
        rows = lists[0]
    else:
        rows = content.records
    values: dict[str, object] = {}
    for row in rows:
        if not isinstance(row, dict):
            continue
        keys = [name for name in row if is_a(name, "id", "run id", "question", "maybe question")]
        if keys:
            values[scalar_text(row[keys[0]]).strip()] = _inner(row)
    return values


def _has_id(row: object) -> bool:
    return isinstance(row, dict) and any(is_a(name, "id", "run id") for name in row)


def _inner(row: Mapping[str, object]) -> object:
    """Return the gold in a record; the record itself, if it is the answer."""
    named = [name for name in row if holds_gold(name) and not is_a(name, "sparql")]
    return row[named[0]] if named else row

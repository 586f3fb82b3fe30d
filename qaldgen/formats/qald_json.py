"""QALD JSON and extended QALD JSON, by the rules of GERBIL's loader.

The loader refuses a whole file for one unknown key, except directly inside a question entry; so cluster and weight stand there,
and the signature in ``dataset.metadata``. In a cell the datatype follows the value, as endpoints print it: GERBIL rewrites
dates and booleans only when the datatype comes first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from qaldgen.errors import DataError
from qaldgen.grammar import NotSparqlError, parse
from qaldgen.model import Answers, Cell, Question

Json: TypeAlias = "str | int | float | bool | Mapping[str, Json] | Sequence[Json] | None"


def dump_qald(
    questions: Sequence[Question], name: str, metadata: str = "", extra: Mapping[str, Mapping[str, Json]] | None = None
) -> bytes:
    """Return QALD JSON.

    Parameters
    ----------
    questions
        With different ids.
    name, metadata
        ``dataset.id`` and ``dataset.metadata``.
    extra
        By question id, more keys for its entry, such as cluster and weight.

    Raises
    ------
    DataError
        If a question has no text; GERBIL would leave it out of the experiment in silence.
    """
    _require_texts(questions)
    entries = [{**_entry(question), **(extra or {}).get(question.id, {})} for question in questions]
    return _dump(_dataset(name, metadata), entries)


def dump_extended(questions: Sequence[Question], name: str, metadata: str = "", language: str = "en") -> bytes:
    """Return extended QALD JSON; the text in `language` stands last, because GERBIL keeps only the last one.

    Raises
    ------
    DataError
        If a question has no text, or no query that parses: GERBIL refuses such a file.
    """
    _require_texts(questions)
    broken = [question.id for question in questions if not parses_as_query(question.sparql)]
    if broken:
        raise DataError(
            f"extended QALD JSON needs a SPARQL query that parses in every question; {len(broken)} of {len(questions)} have none "
            f"(first: {broken[0]}). Write QALD JSON (.json) instead"
        )
    entries: list[Json] = [{"question": _extended_entry(question, language)} for question in questions]
    return _dump(_dataset(name, metadata), entries)


def load_warnings(questions: Sequence[Question]) -> list[str]:
    """Return what a user should know before GERBIL scores against these gold answers."""
    cases = {
        "unknown": "have no gold answers in the data; GERBIL takes them as empty, and silence scores 1 there",
        "empty": "have an empty gold answer; a system that stays silent scores 1 there",
        "mixed": "mix IRIs and literals in the gold; GERBIL can then match none of the IRIs, not even for a perfect system",
        "several": "have several variables in the gold rows; GERBIL counts every value as an answer (--answers first keeps one)",
        "illegal": "have an IRI in the gold that GERBIL does not take for one (space, quote, pipe, ...)",
    }
    found: dict[str, list[str]] = {name: [] for name in cases}
    for question in questions:
        for name in _oddities(question.answers):
            found[name].append(question.id)
    return [f"{len(ids)} of {len(questions)} questions (first: {ids[0]}) {cases[name]}" for name, ids in found.items() if ids]


def _oddities(answers: Answers | None) -> set[str]:
    if answers is None:
        return {"unknown"}
    odd = set() if answers.values() else {"empty"}
    odd |= {"several"} if len(answers.variables) > 1 else set()
    taken = {(cell.type == "uri", looks_like_iri(cell.value)) for row in answers.rows for cell in row if cell is not None}
    odd |= {"mixed"} if len({looks for _, looks in taken}) > 1 else set()
    return odd | ({"illegal"} if (True, False) in taken else set())


def looks_like_iri(value: str) -> bool:
    """Say whether GERBIL takes an answer for an IRI: it looks at the text alone, not at the type."""
    wrong = re.search(r'[\s"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})', value)
    return re.search(r"\S+:\S+", value) is not None and wrong is None and value[:1].isalpha()


def _require_texts(questions: Sequence[Question]) -> None:
    without = [question.id for question in questions if not question.text()]
    if without:
        raise DataError(
            f"{len(without)} of {len(questions)} questions have no text (first: {without[0]}); QALD JSON needs qaldgen:text or "
            "schema:text in the data. Write .ttl or .csv instead"
        )


def _dataset(name: str, metadata: str) -> dict[str, Json]:
    return {"id": name, "metadata": metadata} if metadata else {"id": name}


def _dump(dataset: Json, entries: Sequence[Json]) -> bytes:
    """Write one question a line: a file that people can read, compare and search line by line."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f'{{"dataset": {json.dumps(dataset, ensure_ascii=False)},\n"questions": [\n{lines}\n]}}\n'.encode()


def _entry(question: Question) -> dict[str, Json]:
    entry: dict[str, Json] = {"id": question.id}
    if question.answer_type:
        entry["answertype"] = question.answer_type
    entry.update(question.flags)
    entry["question"] = [{"language": tag, "string": wordings[0]} for tag, wordings in question.texts.items() if wordings]
    entry["query"] = {"sparql": question.sparql} if question.sparql else {}
    entry["answers"] = [] if question.answers is None else [answers_json(question.answers)]
    return entry


def _extended_entry(question: Question, language: str) -> dict[str, Json]:
    texts = sorted(question.texts.items(), key=lambda item: item[0] == language)
    entry: dict[str, Json] = {"id": question.id}
    if question.answer_type:
        entry["answertype"] = question.answer_type
    if question.flags:
        entry["metadata"] = dict(question.flags)
    entry["language"] = [
        {"language": tag, "question": wordings[0], "SPARQL": question.sparql} for tag, wordings in texts if wordings
    ]
    entry["answers"] = answers_json(question.answers or Answers())
    return entry


def answers_json(answers: Answers) -> dict[str, Json]:
    """Return SPARQL results JSON."""
    if answers.boolean is not None:
        return {"head": {}, "boolean": answers.boolean}
    bindings: list[Json] = [
        {name: _cell_json(cell) for name, cell in zip(answers.variables, row, strict=True) if cell is not None}
        for row in answers.rows
    ]
    return {"head": {"vars": list(answers.variables)}, "results": {"bindings": bindings}}


def read_answers_json(text: str) -> Answers:
    """Read what `answers_json` gives, as text.

    Raises
    ------
    DataError
        If it is no SPARQL results JSON.

    Examples
    --------
    >>> read_answers_json('{"head": {}, "boolean": true}').boolean
    True
    """
    try:
        document = json.loads(text)
        if "boolean" in document:
            return Answers(boolean=bool(document["boolean"]))
        variables = tuple(document["head"].get("vars", ()))
        rows = tuple(
            tuple(_read_cell(row[name]) if name in row else None for name in variables) for row in document["results"]["bindings"]
        )
        return Answers(variables=variables, rows=rows, texts=tuple(tuple(wordings) for wordings in document.get("texts", ())))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"the answers are no SPARQL results JSON: {text[:60]!r}") from error


def _read_cell(cell: Mapping[str, str]) -> Cell:
    return Cell(cell["type"], cell["value"], cell.get("datatype", ""), cell.get("xml:lang", ""))


def _cell_json(cell: Cell) -> dict[str, Json]:
    shown: dict[str, Json] = {"type": cell.type, "value": cell.value}
    if cell.language:
        shown["xml:lang"] = cell.language
    elif cell.datatype:
        shown["datatype"] = cell.datatype
    return shown


def parses_as_query(sparql: str) -> bool:
    """Say whether a text is a query of SPARQL 1.1 as it stands, as GERBIL's parser wants it."""
    try:
        parse(sparql)
    except NotSparqlError:
        return False
    return True

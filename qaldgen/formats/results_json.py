"""Answers as JSON: SPARQL results that GERBIL reads like the source, with text answers beside."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from qaldgen.errors import DataError
from qaldgen.formats.gerbil.values import gerbil_value, with_gerbil
from qaldgen.model import Answers, Cell

Json: TypeAlias = "str | int | float | bool | Mapping[str, Json] | Sequence[Json] | None"


def answers_json(answers: Answers) -> dict[str, Json]:
    """Return SPARQL results JSON, without text answers.

    In a cell the datatype follows the value, as endpoints print it: GERBIL rewrites dates and
    booleans whose datatype comes first. If it would rewrite the source in that way, the datatype
    comes first here too, so that scores do not change.
    """
    if answers.boolean is not None:
        # what GERBIL reads beside the boolean goes into rows, so that it reads it again
        others = [text for text in answers.gerbil or () if text != str(answers.boolean).lower()]
        rows: list[Json] = [{"answer": {"type": "literal", "value": text}} for text in others]
        return {
            "head": {},
            "boolean": answers.boolean,
            **({"results": {"bindings": rows}} if rows else {}),
        }
    bindings: list[Json] = [
        {
            name: _cell_json(cell, answers.gerbil)
            for name, cell in zip(answers.variables, row, strict=True)
            if cell is not None
        }
        for row in answers.rows
    ]
    return {"head": {"vars": list(answers.variables)}, "results": {"bindings": bindings}}


def _cell_json(cell: Cell, read: Sequence[str] | None) -> dict[str, Json]:
    """Return a cell that GERBIL reads as one of the strings in `read`; None for its own value."""
    kind: dict[str, Json] = {"type": cell.type}
    mark: dict[str, Json] = (
        {"xml:lang": cell.language}
        if cell.language
        else {"datatype": cell.datatype}
        if cell.datatype
        else {}
    )
    plain = {**kind, "value": cell.value, **mark}
    # the datatype goes last, unless GERBIL must rewrite the value as it did in the source
    if read is None or cell.value in read:
        return plain
    rewritten = {**kind, **mark, "value": cell.value}
    if gerbil_value(rewritten) in read:
        return rewritten
    # GERBIL keeps the spaces around an IRI
    with_spaces = next((text for text in read if text.strip() == cell.value), cell.value)
    return {**plain, "value": with_spaces}


def whole_answers_json(answers: Answers) -> dict[str, Json]:
    """Return SPARQL results JSON, with all names of text answers under ``texts``.

    `read_answers` reads it back without loss.
    """
    words: dict[str, Json] = (
        {"texts": [list(wordings) for wordings in answers.texts]} if answers.texts else {}
    )
    return {**answers_json(answers), **words}


def read_answers_json(text: str) -> Answers:
    """Read the output of `answers_json` or `whole_answers_json`, serialised.

    >>> read_answers_json('{"head": {}, "boolean": true}').boolean
    True
    """
    try:
        return read_answers(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise DataError(f"the answers are not SPARQL results JSON: {text[:60]!r}") from error


def read_answers(document: Any) -> Answers:  # noqa: ANN401 - parsed JSON of any shape
    """Read the output of `answers_json` or `whole_answers_json`; ``texts`` alone is enough.

    >>> read_answers({"texts": [["Phobos", "Mars I"], ["Deimos"]]}).values()
    ['Phobos', 'Deimos']
    """
    try:
        texts = tuple(tuple(map(str, wordings)) for wordings in document.get("texts", ()))
        found = with_gerbil(_results(document, required=not texts), [document])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"the answers are not SPARQL results JSON: {str(document)[:60]!r}"
        ) from error
    return add_words(found, texts)


def add_words(answers: Answers, texts: tuple[tuple[str, ...], ...]) -> Answers:
    """Add text answers to answers that have none."""
    words = tuple(wordings[0] for wordings in texts if wordings)
    return dataclasses.replace(
        answers, texts=texts, gerbil=None if answers.gerbil is None else (*answers.gerbil, *words)
    )


def _results(document: Mapping[str, Any], *, required: bool) -> Answers:
    if document.get("boolean") is not None:
        if not isinstance(document["boolean"], bool):
            raise ValueError("true or false is expected")
        return Answers(boolean=document["boolean"])
    if not required and "results" not in document:
        return Answers()
    variables = tuple((document.get("head") or {}).get("vars", ()))
    bindings = document["results"]["bindings"]
    rows = tuple(
        tuple(_read_cell(row[name]) if name in row else None for name in variables)
        for row in bindings
    )
    return Answers(variables=variables, rows=rows)


def _read_cell(cell: Mapping[str, str]) -> Cell:
    value = cell["value"].strip() if cell["type"] == "uri" else cell["value"]
    return Cell(cell["type"], value, cell.get("datatype", ""), cell.get("xml:lang", ""))


def as_literals(answers: Answers) -> Answers:
    """Return the answers with text answers as plain literals, one row each, for cell-only formats.

    Their aliases are left out; `with_wordings` puts them back.

    >>> as_literals(Answers(texts=(("Phobos", "Mars I"), ("Deimos",)))).rows[0]
    (Cell(type='literal', value='Phobos', datatype='', language=''),)
    """
    words = [wordings[0] for wordings in answers.texts if wordings]
    if not words:
        return dataclasses.replace(answers, texts=())
    # the column of texts must not have the name of another one
    name = next(name for name in _names() if name not in answers.variables)
    none = (None,) * len(answers.variables)
    rows = [
        *((*row, None) for row in answers.rows),
        *((*none, Cell("literal", word)) for word in words),
    ]
    return dataclasses.replace(
        answers, variables=(*answers.variables, name), rows=tuple(rows), texts=()
    )


def _names() -> itertools.chain[str]:
    return itertools.chain(["answer"], (f"answer{number}" for number in itertools.count(2)))


def with_wordings(answers: Answers, texts: Sequence[Sequence[str]]) -> Answers:
    """Turn plain literals that are main names in `texts` back into text answers.

    >>> with_wordings(as_literals(Answers(texts=(("Phobos", "Mars I"),))), [["Phobos", "Mars I"]])
    Answers(boolean=None, variables=(), rows=(), texts=(('Phobos', 'Mars I'),))
    """
    rows = list(answers.rows)
    for main in (wordings[0] for wordings in texts if wordings):
        literal = Cell("literal", main)
        at = next(
            (
                at
                for at, row in enumerate(rows)
                if [cell for cell in row if cell is not None] == [literal]
            ),
            None,
        )
        if at is None:
            raise ValueError(main)
        del rows[at]
    # columns that held nothing but these literals were made up by `as_literals`
    used = [at for at in range(len(answers.variables)) if any(row[at] is not None for row in rows)]
    return dataclasses.replace(
        answers,
        variables=tuple(answers.variables[at] for at in used),
        rows=tuple(tuple(row[at] for at in used) for row in rows),
        texts=tuple(tuple(wordings) for wordings in texts),
    )


def first_variable(answers: Answers) -> Answers:
    """Return the answers with the first variable only, keeping GERBIL's reading of the values."""
    short = answers.first_variable()
    if answers.gerbil is None or answers.boolean is not None:
        return short
    return with_gerbil(short, [answers_json(dataclasses.replace(short, gerbil=answers.gerbil))])

"""SPARQL results JSON, read and written so that nothing is lost; text answers stand beside it."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from qaldgen.errors import DataError
from qaldgen.io.json_text import from_json
from qaldgen.model import Answers, Cell, WrittenCell
from qaldgen.questions.records import Fields, parse_boolean, scalar_text
from qaldgen.rdf.terms import XSD

Json: TypeAlias = "str | int | float | bool | Mapping[str, Json] | Sequence[Json] | None"
#: What a reader notes in place of refusing it.
NO_VALUE = "have a cell without a value, which is left out"
#: The datatypes that some evaluators read otherwise where they stand before the value.
_ORDERED = frozenset({XSD + "boolean", XSD + "date"})
_KEYS = ("type", "value", "datatype", "xml:lang")
#: Rows times variables; a small file can name a new variable in each of its rows.
_MOST_CELLS = 50_000_000
_TYPES = {"uri": "uri", "iri": "uri", "url": "uri", "bnode": "bnode"}
_ADDRESS = re.compile(r"https?://\S+")


def answers_json(answers: Answers) -> dict[str, Json]:
    """Return SPARQL results JSON, without text answers.

    A cell is written as in its file where that matters, else with the datatype behind the value.
    """
    if answers.boolean is not None:
        document: dict[str, Json] = {"head": {}, "boolean": answers.boolean}
        if answers.beside:
            document["results"] = {"bindings": [{"answer": _cell_json(c)} for c in answers.beside]}
        return document
    bindings: list[Json] = [
        {
            name: _cell_json(cell)
            for name, cell in zip(answers.variables, row, strict=True)
            if cell is not None
        }
        for row in answers.rows
    ]
    return {"head": {"vars": list(answers.variables)}, "results": {"bindings": bindings}}


def _cell_json(cell: Cell) -> dict[str, Json]:
    if isinstance(cell, WrittenCell):
        return dict(cell.written)
    json_cell: dict[str, Json] = {"type": cell.type, "value": cell.value}
    if cell.language:
        json_cell["xml:lang"] = cell.language
    elif cell.datatype:
        json_cell["datatype"] = cell.datatype
    return json_cell


def whole_answers_json(answers: Answers) -> dict[str, Json]:
    """Return SPARQL results JSON, with all names of text answers under ``texts``.

    `read_answers` reads it back without loss.
    """
    document = answers_json(answers)
    if answers.texts:
        document["texts"] = [list(wordings) for wordings in answers.texts]
    return document


def read_answers_json(text: str) -> Answers:
    """Read the output of `answers_json` or `whole_answers_json`, serialised.

    >>> read_answers_json('{"head": {}, "boolean": true}').boolean
    True
    """
    try:
        return read_answers(from_json(text))
    except ValueError as error:
        raise DataError(f"the answers are not SPARQL results JSON: {text[:60]!r}") from error


def read_answers(document: Any) -> Answers:  # noqa: ANN401 - parsed JSON of any shape
    """Read the output of `answers_json` or `whole_answers_json`; ``texts`` alone is enough.

    >>> read_answers({"texts": [["Phobos", "Mars I"], ["Deimos"]]}).values()
    ['Phobos', 'Deimos']
    """
    with suppress(DataError):
        answers = read_answers_object(Fields(document, ()))
        if answers is not None:
            return answers
    raise DataError(f"the answers are not SPARQL results JSON: {str(document)[:60]!r}")


def read_answers_object(fields: Fields) -> Answers | None:
    """Return the answers in an object; None if it holds neither SPARQL results nor ``texts``.

    Text answers are under ``texts``, a list of accepted names for each.
    """
    words = fields.values("texts")
    if not all(isinstance(item, list) and item for item in words):
        raise fields.error("texts", "a list of lists of strings, one list for each answer,")
    texts = tuple(tuple(map(scalar_text, item)) for item in words if isinstance(item, list))
    if texts and not (fields.has("results") or fields.has("boolean")):
        return Answers(texts=texts)
    if not fields.has("boolean") and not fields.nested("results").has("bindings"):
        return None
    return dataclasses.replace(read_results(fields), texts=texts)


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
    names = itertools.chain(["answer"], map("answer{}".format, itertools.count(2)))
    name = next(name for name in names if name not in answers.variables)
    none = (None,) * len(answers.variables)
    rows = [
        *((*row, None) for row in answers.rows),
        *((*none, Cell("literal", word)) for word in words),
    ]
    return dataclasses.replace(
        answers, variables=(*answers.variables, name), rows=tuple(rows), texts=()
    )


def with_wordings(answers: Answers, texts: Sequence[Sequence[str]]) -> Answers:
    """Turn plain literals that are main names in `texts` back into text answers.

    >>> with_wordings(as_literals(Answers(texts=(("Phobos", "Mars I"),))), [["Phobos", "Mars I"]])
    Answers(boolean=None, variables=(), rows=(), texts=(('Phobos', 'Mars I'),))
    """
    rows = list(answers.rows)
    for main in (wordings[0] for wordings in texts if wordings):
        literal = Cell("literal", main)
        for place, row in enumerate(rows):
            if [cell for cell in row if cell is not None] == [literal]:
                del rows[place]
                break
        else:
            raise ValueError(main)
    # columns that held nothing but these literals were made up by `as_literals`
    used = [
        place
        for place in range(len(answers.variables))
        if any(row[place] is not None for row in rows)
    ]
    return dataclasses.replace(
        answers,
        variables=tuple(answers.variables[place] for place in used),
        rows=tuple(tuple(row[place] for place in used) for row in rows),
        texts=tuple(tuple(wordings) for wordings in texts),
    )


def read_results(results: Fields, odd: list[str] | None = None) -> Answers:
    """Return the answers in SPARQL results JSON; a boolean counts alone, with the rows beside it.

    A variable of `head` that no row has is left out, unless there are no rows at all. A cell
    without a value is refused, or left out and noted in `odd`.
    """
    boolean = _truth(results)
    solutions = results.data.get("results")
    if boolean is not None and not isinstance(solutions, dict):
        return Answers(boolean=boolean)
    rows = _rows(results.nested("results"), odd) if solutions else []
    if boolean is not None:
        return Answers(boolean=boolean, beside=tuple(cell for row in rows for cell in row.values()))
    if not results.data.get("head"):
        return answers_from_rows(rows)
    return answers_from_rows(rows, results.nested("head").strings("vars"))


def results_as_json(text: str, form: str, where: str | Path | tuple[object, ...]) -> object:
    """Return the results of a SPARQL query in XML, CSV or TSV (`form`) as those in JSON."""
    from rdflib.query import Result

    try:
        results = Result.parse(io.BytesIO(text.encode()), format=form)
        return from_json(results.serialize(format="json") or b"")
    except Exception as error:  # rdflib raises what its parsers raise
        raise DataError(f"holds no results of a SPARQL query: {error}", where=where) from None


def _rows(solutions: Fields, odd: list[str] | None) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for place, solution in enumerate(solutions.values("bindings")):
        if solution is None and odd is not None:
            odd.append(NO_VALUE)
            continue
        if not isinstance(solution, dict):
            solution = solutions.inside(f"bindings[{place}]", solution).data
        row = {}
        for name, cell in solution.items():
            found = _usual_cell(cell)
            if found is not None:
                row[name] = found
            elif odd is not None and _without_value(cell):
                odd.append(NO_VALUE)
            else:
                row[name] = _any_cell(solutions.inside(f"bindings[{place}]", solution).nested(name))
        rows.append(row)
    return rows


def _truth(results: Fields) -> bool | None:
    """Return the boolean: a word, or a number, of which only 0 is false."""
    value = results.data.get("boolean")
    if value is None or value == "":
        return None
    if isinstance(value, bool | int | float):
        return value != 0
    if isinstance(value, str) and (truth := parse_boolean(value)) is not None:
        return truth
    return results.flag("boolean")


def _usual_cell(cell: object) -> Cell | None:
    """Return a cell as most endpoints write it, fast; None for any other."""
    if not isinstance(cell, dict):
        return None
    kind, value = cell.get("type"), cell.get("value")
    if not isinstance(value, str):
        return None
    if len(cell) == 2 and (kind == "literal" or (kind == "uri" and value == value.strip())):
        return Cell(kind, value)
    if len(cell) == 3 and kind in ("literal", "typed-literal"):
        datatype, language = cell.get("datatype", ""), cell.get("xml:lang", "")
        marked = type(datatype) is str and type(language) is str and (datatype or language)
        if marked and datatype not in _ORDERED:
            # one string for all cells, to save memory
            return Cell("literal", value, sys.intern(datatype.strip()), language.strip())
    return None


def _without_value(cell: object) -> bool:
    return cell is None or (isinstance(cell, dict) and cell.get("value") is None)


def _any_cell(cell: Fields) -> Cell:
    value = cell.data.get("value")
    if value is None or isinstance(value, (dict, list)):
        raise cell.error("value", "a string")
    text, kind = scalar_text(value), cell.scalar("type").lower()
    datatype = cell.scalar("datatype")
    if not kind:
        found = iri_or_literal(text)
    elif kind in _TYPES:
        found = Cell(_TYPES[kind], text.strip())
    else:
        language = cell.scalar("xml:lang") or cell.scalar("lang")
        found = Cell("literal", text, datatype, language)
    keys = [key for key in cell.data if key in _KEYS]
    first = datatype in _ORDERED and keys.index("datatype") < keys.index("value")
    if found.value == text and not first:
        return found
    return WrittenCell.of(found, {key: scalar_text(cell.data[key]) for key in keys})


def answers_from_rows(
    rows: Sequence[Mapping[str, Cell | None]], head: Iterable[str] = ()
) -> Answers:
    """Build answers from rows that name their variables, ordered as `head`, then by row."""
    used = dict.fromkeys(itertools.chain.from_iterable(rows))
    if len(used) == 1:  # the most frequent case
        (name,) = used
        return Answers(variables=(name,), rows=tuple([(row[name],) for row in rows if row]))
    # an unused variable would be an empty column
    named = [name for name in head if name in used or not rows]
    variables = tuple(dict.fromkeys([*named, *used]))
    if len(rows) * len(variables) > _MOST_CELLS:
        raise DataError(
            f"an answer has {len(rows):,} rows with {len(variables):,} variables, which is too"
            " large for a table"
        )
    return Answers(
        variables=variables,
        rows=tuple(tuple(row.get(name) for name in variables) for row in rows if row),
    )


def merge_answers(parts: Sequence[Answers]) -> Answers:
    """Return the union of several answers to one question; a boolean takes precedence over rows."""
    if len(parts) == 1:
        return parts[0]
    texts = tuple(dict.fromkeys(wordings for part in parts for wordings in part.texts))
    first = next((part for part in parts if part.boolean is not None), None)
    if first is not None:
        return dataclasses.replace(first, texts=texts, beside=tuple(_beside(first, parts)))
    rows = [
        {name: cell for name, cell in zip(part.variables, row, strict=True) if cell is not None}
        for part in parts
        for row in part.rows
    ]
    terms = answers_from_rows(rows, [name for part in parts for name in part.variables])
    return dataclasses.replace(terms, texts=texts)


def _beside(first: Answers, parts: Sequence[Answers]) -> Iterator[Cell]:
    """Yield what stands beside the first boolean: rows, and another boolean as a literal."""
    for part in parts:
        yield from part.beside
        if part.boolean is not None and part.boolean != first.boolean:
            yield Cell("literal", str(part.boolean).lower())
        for row in part.rows:
            yield from (cell for cell in row if cell is not None)


def iri_or_literal(value: str) -> Cell:
    """Return a cell for a value of unknown kind: an IRI if it looks like a web address."""
    if value[:4] == "http" and _ADDRESS.fullmatch(value):
        return Cell("uri", value)
    return Cell("literal", value)

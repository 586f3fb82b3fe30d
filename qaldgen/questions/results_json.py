"""Read and write SPARQL results JSON without loss, together with text answers."""

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
from qaldgen.io.json_text import from_json, member
from qaldgen.model import Answers, Cell, WrittenCell
from qaldgen.questions.records import Fields, scalar_text
from qaldgen.rdf.terms import XSD

Json: TypeAlias = "str | int | float | bool | Mapping[str, Json] | Sequence[Json] | None"
#: A remark of tolerant readers on questions.
NO_VALUE = "have a cell without a value, which is left out"
#: Datatypes for which some evaluators distinguish whether they precede the value or follow it.
_ORDER_MATTERS = frozenset({XSD + "boolean", XSD + "date"})
_CELL_KEYS = ("type", "value", "datatype", "xml:lang")
#: The most rows times variables; even a small file can name a new variable in each row.
_MAX_CELLS = 50_000_000
_CELL_TYPES = {"uri": "uri", "iri": "uri", "url": "uri", "bnode": "bnode"}
_WEB_ADDRESS = re.compile(r"https?://\S+")


def answers_json(answers: Answers) -> dict[str, Json]:
    """Return SPARQL results JSON, without text answers.

    A `WrittenCell` is written as in its file, any other with the datatype after the value.
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

    `read_answers` reads the result back without loss.
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
    """Return the answers in an object; None if it has neither SPARQL results nor ``texts``.

    Text answers are under ``texts``: a list of accepted names for each answer.
    """
    wordings = fields.values("texts")
    if not all(isinstance(names, list) and names for names in wordings):
        raise fields.error("texts", "a list of lists of strings, one list for each answer,")
    texts = tuple(tuple(map(scalar_text, names)) for names in wordings if isinstance(names, list))
    if texts and not (fields.has("results") or fields.has("boolean")):
        return Answers(texts=texts)
    if not fields.has("boolean") and not fields.nested("results").has("bindings"):
        return None
    return dataclasses.replace(read_results(fields), texts=texts)


def as_literals(answers: Answers) -> Answers:
    """Convert text answers to plain literals in rows of their own, for formats with only cells.

    Their other names are left out; `with_wordings` adds them again.

    >>> as_literals(Answers(texts=(("Phobos", "Mars I"), ("Deimos",)))).rows[0]
    (Cell(type='literal', value='Phobos', datatype='', language=''),)
    """
    texts = [wordings[0] for wordings in answers.texts if wordings]
    if not texts:
        return dataclasses.replace(answers, texts=())
    variable = "answer"
    for number in itertools.count(2):
        if variable not in answers.variables:
            break
        variable = f"answer{number}"
    unbound = (None,) * len(answers.variables)
    rows = [(*row, None) for row in answers.rows]
    rows += [(*unbound, Cell("literal", text)) for text in texts]
    return dataclasses.replace(
        answers, variables=(*answers.variables, variable), rows=tuple(rows), texts=()
    )


def with_wordings(answers: Answers, texts: Sequence[Sequence[str]]) -> Answers:
    """Convert the plain literals that are main names in `texts` back to text answers.

    >>> with_wordings(as_literals(Answers(texts=(("Phobos", "Mars I"),))), [["Phobos", "Mars I"]])
    Answers(boolean=None, variables=(), rows=(), texts=(('Phobos', 'Mars I'),))
    """
    rows = list(answers.rows)
    for main in (wordings[0] for wordings in texts if wordings):
        literal = Cell("literal", main)
        for index, row in enumerate(rows):
            if [cell for cell in row if cell is not None] == [literal]:
                del rows[index]
                break
        else:
            raise ValueError(main)
    # `as_literals` has added a column for these literals
    columns = range(len(answers.variables))
    used = [column for column in columns if any(row[column] is not None for row in rows)]
    return dataclasses.replace(
        answers,
        variables=tuple(answers.variables[column] for column in used),
        rows=tuple(tuple(row[column] for column in used) for row in rows),
        texts=tuple(tuple(wordings) for wordings in texts),
    )


def read_results(results: Fields, remarks: list[str] | None = None) -> Answers:
    """Return the answers in SPARQL results JSON; of a boolean and rows, the boolean is the answer.

    The boolean may be a word, or a number, of which only 0 is false.
    Variables of `head` that no row has are left out, unless there are no rows at all. A cell
    without a value is an error, or is left out with a remark if there is a list of `remarks`.
    """
    value = results.data.get("boolean")
    # of numbers, only 0 is false
    boolean = value != 0 if isinstance(value, (int, float)) else results.flag("boolean")
    solutions = results.data.get("results")
    if boolean is not None and not isinstance(solutions, dict):
        return Answers(boolean=boolean)
    rows = _read_rows(results.nested("results"), remarks) if solutions else []
    if boolean is not None:
        return Answers(boolean=boolean, beside=tuple(cell for row in rows for cell in row.values()))
    if not results.data.get("head"):
        return answers_from_rows(rows)
    return answers_from_rows(rows, results.nested("head").strings("vars"))


def results_as_json(text: str, format: str, where: str | Path | tuple[object, ...]) -> object:
    """Convert the results of a SPARQL query from a format (xml, csv, tsv) to JSON."""
    from rdflib.query import Result

    try:
        results = Result.parse(io.BytesIO(text.encode()), format=format)
        return from_json(results.serialize(format="json") or b"")
    except Exception as error:  # rdflib raises what its parsers raise
        raise DataError(f"holds no results of a SPARQL query: {error}", where=where) from None


def _read_rows(results: Fields, remarks: list[str] | None) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for index, binding in enumerate(results.values("bindings")):
        if binding is None and remarks is not None:
            remarks.append(NO_VALUE)
            continue
        if not isinstance(binding, dict):
            binding = results.inside(f"bindings[{index}]", binding).data
        row = {}
        for name, value in binding.items():
            cell = _read_common_cell(value)
            if cell is not None:
                row[name] = cell
            elif remarks is not None and (value is None or member(value, "value") is None):
                remarks.append(NO_VALUE)
            else:
                fields = results.inside(f"bindings[{index}]", binding)
                row[name] = _read_cell(fields.nested(name))
        rows.append(row)
    return rows


def _read_common_cell(cell: object) -> Cell | None:
    """Return a cell as most endpoints write it, fast; None for any other cell."""
    if not isinstance(cell, dict):
        return None
    term_type, value = cell.get("type"), cell.get("value")
    if not isinstance(value, str):
        return None
    if len(cell) == 2 and term_type == "literal":
        return Cell("literal", value)
    if len(cell) == 2 and term_type == "uri" and value == value.strip():
        return Cell("uri", value)
    if len(cell) == 3 and term_type in ("literal", "typed-literal"):
        datatype, language = cell.get("datatype", ""), cell.get("xml:lang", "")
        are_texts = type(datatype) is str and type(language) is str
        if are_texts and (datatype or language) and datatype not in _ORDER_MATTERS:
            # one string for all cells, to save memory
            return Cell("literal", value, sys.intern(datatype.strip()), language.strip())
    return None


def _read_cell(fields: Fields) -> Cell:
    value = fields.data.get("value")
    if value is None or isinstance(value, (dict, list)):
        raise fields.error("value", "a string")
    text = scalar_text(value)
    term_type = fields.scalar("type").lower()
    datatype = fields.scalar("datatype")
    if not term_type:
        cell = iri_or_literal(text)
    elif term_type in _CELL_TYPES:
        cell = Cell(_CELL_TYPES[term_type], text.strip())
    else:
        language = fields.scalar("xml:lang") or fields.scalar("lang")
        cell = Cell("literal", text, datatype, language)
    keys = [key for key in fields.data if key in _CELL_KEYS]
    datatype_first = datatype in _ORDER_MATTERS and keys.index("datatype") < keys.index("value")
    if cell.value == text and not datatype_first:
        return cell
    return WrittenCell.of(cell, {key: scalar_text(fields.data[key]) for key in keys})


def answers_from_rows(
    rows: Sequence[Mapping[str, Cell | None]], head: Iterable[str] = ()
) -> Answers:
    """Build answers from rows that map variables to cells.

    Variables are ordered as in `head`, then as in the rows.
    """
    used = dict.fromkeys(itertools.chain.from_iterable(rows))
    if len(used) == 1:  # the most frequent case
        (name,) = used
        return Answers(variables=(name,), rows=tuple([(row[name],) for row in rows if row]))
    # an unused variable would be an empty column
    head_variables = [name for name in head if name in used or not rows]
    variables = tuple(dict.fromkeys([*head_variables, *used]))
    if len(rows) * len(variables) > _MAX_CELLS:
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
    booleans = [part for part in parts if part.boolean is not None]
    if booleans:
        beside = tuple(_cells_beside_boolean(booleans[0], parts))
        return dataclasses.replace(booleans[0], texts=texts, beside=beside)
    rows = [
        {name: cell for name, cell in zip(part.variables, row, strict=True) if cell is not None}
        for part in parts
        for row in part.rows
    ]
    terms = answers_from_rows(rows, [name for part in parts for name in part.variables])
    return dataclasses.replace(terms, texts=texts)


def _cells_beside_boolean(first: Answers, parts: Sequence[Answers]) -> Iterator[Cell]:
    """Yield the values in addition to the first boolean: rows, and other booleans as literals."""
    for part in parts:
        yield from part.beside
        if part.boolean is not None and part.boolean != first.boolean:
            yield Cell("literal", str(part.boolean).lower())
        for row in part.rows:
            yield from (cell for cell in row if cell is not None)


def iri_or_literal(value: str) -> Cell:
    """Return an IRI if a value looks like a web address, else a literal."""
    if value[:4] == "http" and _WEB_ADDRESS.fullmatch(value):
        return Cell("uri", value)
    return Cell("literal", value)

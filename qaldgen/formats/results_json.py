"""SPARQL results JSON: read fast or tolerantly, written so that GERBIL reads it like the source.

Text answers stand beside the results.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from qaldgen.errors import DataError
from qaldgen.formats.gerbil.values import gerbil_value, with_gerbil
from qaldgen.formats.records import Fields, scalar_text
from qaldgen.io.json_text import from_json
from qaldgen.model import Answers, Cell
from qaldgen.rdf.terms import XSD

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
        return read_answers(from_json(text))
    except ValueError as error:
        raise DataError(f"the answers are not SPARQL results JSON: {text[:60]!r}") from error


def read_answers(document: Any) -> Answers:  # noqa: ANN401 - parsed JSON of any shape
    """Read the output of `answers_json` or `whole_answers_json`; ``texts`` alone is enough.

    >>> read_answers({"texts": [["Phobos", "Mars I"], ["Deimos"]]}).values()
    ['Phobos', 'Deimos']
    """
    try:
        answers = answers_in(Fields(document, ()))
    except DataError:
        answers = None
    if answers is None:
        raise DataError(f"the answers are not SPARQL results JSON: {str(document)[:60]!r}")
    return answers


def answers_in(given: Fields) -> Answers | None:
    """Return the answers in an object; None if it holds neither SPARQL results nor ``texts``.

    Text answers are under ``texts``, a list of accepted names for each.
    """
    words = given.values("texts")
    if not all(isinstance(item, list) and item for item in words):
        raise given.error("texts", "a list of lists of strings, one list for each answer,")
    texts = tuple(tuple(map(scalar_text, item)) for item in words if isinstance(item, list))
    if texts and not (given.has("results") or given.has("boolean")):
        return Answers(texts=texts)
    # GERBIL reads rows beside a boolean
    both = {"boolean", "results"} <= given.data.keys()
    results = {name: value for name, value in given.data.items() if name != "texts"}
    answers = None if both else plain_results(results)
    if answers is None:
        if not given.has("boolean") and not given.nested("results").has("bindings"):
            return None
        answers = with_gerbil(results_answers(given), [given.data])
    return add_words(answers, texts)


def add_words(answers: Answers, texts: tuple[tuple[str, ...], ...]) -> Answers:
    """Add text answers to answers that have none."""
    words = tuple(wordings[0] for wordings in texts if wordings)
    return dataclasses.replace(
        answers, texts=texts, gerbil=None if answers.gerbil is None else (*answers.gerbil, *words)
    )


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


#: The datatypes whose values GERBIL may rewrite.
REWRITTEN = frozenset({XSD + "boolean", XSD + "date"})
_CELL_TYPES = {"uri": "uri", "bnode": "bnode", "literal": "literal", "typed-literal": "literal"}


class _Cell(msgspec.Struct, forbid_unknown_fields=True):
    type: str
    value: str
    datatype: str | UnsetType = UNSET
    language: str | UnsetType = msgspec.field(name="xml:lang", default=UNSET)


class _Head(msgspec.Struct):
    vars: list[str] | UnsetType = UNSET


class _Solutions(msgspec.Struct):
    bindings: list[dict[str, _Cell]] | UnsetType = UNSET


class Results(msgspec.Struct, forbid_unknown_fields=True):
    """Schema of SPARQL results JSON; endpoints add fields of their own to its two parts."""

    boolean: bool | UnsetType | None = UNSET
    head: _Head | UnsetType | None = UNSET
    results: _Solutions | UnsetType | None = UNSET


class _KnownHead(_Head, forbid_unknown_fields=True):
    link: list[object] | UnsetType = UNSET


class _KnownSolutions(_Solutions, forbid_unknown_fields=True):
    pass


class KnownResults(Results, forbid_unknown_fields=True):
    """Schema of the results that GERBIL's loader takes: no field that it does not know."""

    head: _KnownHead | UnsetType | None = UNSET
    results: _KnownSolutions | UnsetType | None = UNSET


def plain_results(data: object) -> Answers | None:
    """Return the answers in SPARQL results JSON of the usual shape, fast; else None.

    None means that `cells.results_answers` must be used; it gives the same answers. GERBIL reads
    exactly these values too (unless a boolean has rows beside it), so `with_gerbil` is not needed.
    """
    try:
        return answers_of(msgspec.convert(data, Results))
    except (msgspec.ValidationError, UnicodeError):  # half of a surrogate pair
        return None


def answers_of(results: Results) -> Answers | None:
    """Return the answers in results that fit the schema, or None as `plain_results`."""
    if isinstance(results.boolean, bool):
        return Answers(boolean=results.boolean)
    solutions = results.results.bindings if results.results else UNSET
    if solutions is UNSET:
        return None
    cells = [_plain_cell(cell) for solution in solutions for cell in solution.values()]
    if None in cells:
        return None
    used = dict.fromkeys(itertools.chain.from_iterable(solutions))
    if len(used) == 1:  # the most frequent case
        return Answers(variables=tuple(used), rows=tuple(zip(cells, strict=True)))
    following = iter(cells)
    rows = [{name: next(following) for name in solution} for solution in solutions]
    declared = results.head.vars if results.head else UNSET
    return make_answers(rows, [name for one in declared or () if (name := one.strip())])


def _plain_cell(cell: _Cell) -> Cell | None:
    """Return a cell that GERBIL reads unchanged, else None."""
    kind, value = _CELL_TYPES.get(cell.type), cell.value
    if cell.datatype is UNSET and cell.language is UNSET:
        # GERBIL keeps the spaces of IRIs
        return Cell(kind, value) if kind == "literal" or (kind and value == value.strip()) else None
    if kind != "literal":
        return None
    datatype, language = cell.datatype or "", cell.language or ""
    if datatype in REWRITTEN:
        return None
    # one string for all cells, to save memory
    return Cell(kind, value, sys.intern(datatype.strip()), language.strip())


#: Rows times variables; a small file can name a new variable in each of its rows.
_MOST_CELLS = 50_000_000
_TYPES = {"uri": "uri", "iri": "uri", "url": "uri", "bnode": "bnode"}


def results_answers(results: Fields) -> Answers:
    """Return the answers in SPARQL results JSON; a boolean counts before rows.

    A variable of `head` that no row has is left out, unless there are no rows at all.
    """
    boolean = results.flag("boolean")
    # as GERBIL does
    if boolean is not None:
        return Answers(boolean=boolean)
    solutions = results.nested("results").objects("bindings")
    rows = [{name: _any_cell(solution, name) for name in solution.data} for solution in solutions]
    head = results.nested("head") if isinstance(results.data.get("head"), dict) else None
    return make_answers(rows, head.strings("vars") if head is not None else ())


def make_answers(rows: Sequence[Mapping[str, Cell | None]], head: Iterable[str] = ()) -> Answers:
    """Build answers from rows that name their variables, ordered as `head`, then by row."""
    used = dict.fromkeys(itertools.chain.from_iterable(rows))
    # an unused variable would be an empty column
    named = [name for name in head if name in used or not rows]
    variables = tuple(dict.fromkeys([*named, *used]))
    if len(used) == 1:
        name = variables[0]
        return Answers(variables=variables, rows=tuple([(row[name],) for row in rows if row]))
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
    for part in parts:
        if part.boolean is not None or len(parts) == 1:
            return part
    rows = [
        {name: cell for name, cell in zip(part.variables, row, strict=True) if cell is not None}
        for part in parts
        for row in part.rows
    ]
    return make_answers(rows, [name for part in parts for name in part.variables])


def plain_cell(value: str) -> Cell:
    """Return a cell for a value of unknown kind: an IRI if it looks like a web address."""
    return Cell("uri" if re.match(r"https?://\S+$", value) else "literal", value)


def _any_cell(solution: Fields, name: str) -> Cell:
    cell = solution.nested(name)
    value = cell.data.get("value")
    if value is None or isinstance(value, (dict, list)):
        raise cell.error("value", "a string")
    # some endpoints write the type in capitals
    kind = cell.scalar("type").lower()
    text = scalar_text(value)
    if not kind:
        return plain_cell(text)
    if kind in _TYPES:
        return Cell(_TYPES[kind], text.strip())
    return Cell(
        "literal", text, cell.scalar("datatype"), cell.scalar("xml:lang") or cell.scalar("lang")
    )

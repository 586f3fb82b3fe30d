"""SPARQL results JSON of the usual shape, checked and read by msgspec; `cells` handles all others.

Large sets spend most of their time here. The schemas are strict: anything unusual is refused, so
that both ways give the same answers.
"""

from __future__ import annotations

import itertools
import sys

import msgspec
from msgspec import UNSET, UnsetType

from qaldgen.formats.cells import make_answers
from qaldgen.model import Answers, Cell
from qaldgen.rdf.terms import XSD

#: The datatypes whose values GERBIL may rewrite.
REWRITTEN = frozenset({XSD + "boolean", XSD + "date"})
_TYPES = {"uri": "uri", "bnode": "bnode", "literal": "literal", "typed-literal": "literal"}


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
    used = dict.fromkeys(itertools.chain.from_iterable(solutions))
    cells: list[Cell] = []
    for solution in solutions:
        for cell in solution.values():
            made = _plain_cell(cell)
            if made is None:
                return None
            cells.append(made)
    if len(used) == 1:  # the most frequent case
        return Answers(variables=tuple(used), rows=tuple(zip(cells, strict=True)))
    following = iter(cells)
    rows = [{name: next(following) for name in solution} for solution in solutions]
    declared = results.head.vars if results.head else UNSET
    return make_answers(rows, [name for one in declared or () if (name := one.strip())])


def _plain_cell(cell: _Cell) -> Cell | None:
    """Return a cell that GERBIL reads unchanged, else None."""
    kind, value = _TYPES.get(cell.type), cell.value
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

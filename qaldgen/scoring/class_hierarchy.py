"""Read superclasses from a table, for graphs that do not name them."""

from __future__ import annotations

from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.io.unpacking import read_text
from qaldgen.rdf.terms import is_iri
from qaldgen.sparql.repair import DEFAULT_PREFIXES
from qaldgen.stores.entities import NO_TYPES

_COLUMNS = ["Type", "Depth", "Parent"]


def read_hierarchy(path: str | Path) -> dict[str, frozenset[str]]:
    """Read the direct superclasses of classes from a table.

    The table is separated by tabs and has the columns ``Type``, ``Depth`` and ``Parent``, as the
    ``dbpedia_types.tsv`` of SMART; classes are IRIs or have a usual prefix, such as ``dbo:``. The
    depth is not read: it follows from the superclasses.
    """
    lines = read_text(Path(path)).splitlines()
    if not lines or lines[0].split("\t") != _COLUMNS:
        raise DataError(
            f"not a table of classes; its first line must have the columns {', '.join(_COLUMNS)},"
            " separated by tabs",
            where=path,
        )

    parents_by_class: dict[str, set[str]] = {}
    for line_number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            raise DataError(
                f"has {len(cells)} cells; 3 are expected", where=f"{path}, line {line_number}"
            )

        location = f"{path}, line {line_number}"
        child = _class_iri(cells[0].strip(), location)
        parent = _class_iri(cells[2].strip(), location)
        parents_by_class.setdefault(child, set()).update({parent} - NO_TYPES - {child})

    return {child: frozenset(parents) for child, parents in parents_by_class.items()}


def _class_iri(name: str, location: str) -> str:
    """Return the IRI of a class; refuse a name that is neither an IRI nor has a known prefix."""
    prefix, colon, local = name.partition(":")
    has_prefix = bool(colon) and prefix in DEFAULT_PREFIXES
    iri = f"{DEFAULT_PREFIXES[prefix]}{local}" if has_prefix else name
    # dbo2:City is an IRI too, but dbo2 must be an unknown prefix
    if not is_iri(iri) or (not has_prefix and "/" not in iri and not iri.startswith("urn:")):
        raise DataError(
            f"{name!r} is neither an IRI nor has a known prefix, such as dbo:", where=location
        )
    return iri

"""The names that IRIs hold: their last part as words, if it is a name at all."""

from __future__ import annotations

import re
from urllib.parse import unquote

from qaldgen.model import Cell

_QUALIFIER = re.compile(r"(?<=\S)(?:__.*|[\s_]*\([^()]*\)\s*)$")
#: Local names that are only codes: of Wikidata, Freebase, DBLP and others; hashes; numbers.
_OPAQUE = re.compile(
    r"[QPLE]\d+(?:-[FS]\d+)?|[mg]\.\w+|(?:[a-z]{1,3}[_-]?)?\d+|[0-9a-f]{8}[0-9a-f-]*|\W*",
    re.IGNORECASE,
)
#: Here a number is the name of an article: a year, a film.
_ENCYCLOPEDIA = re.compile(r"dbpedia\.org/resource/|wikipedia\.org/wiki/")


def local_name(iri: str) -> str:
    """Return what follows the last slash or hash of an IRI, decoded."""
    return unquote(re.split(r"[/#]", iri.rstrip("/#"))[-1] if "://" in iri else iri)


def is_opaque(cell: Cell) -> bool:
    """Tell whether an IRI ends in a number or a code, which no answer in words can match.

    Parameters
    ----------
    cell
        A gold answer.

    Returns
    -------
    bool
        True for blank nodes, False for literals.

    Examples
    --------
    >>> names = ("http://www.wikidata.org/entity/Q64", "http://dbpedia.org/resource/1984")
    >>> [is_opaque(Cell("uri", name)) for name in names]
    [True, False]
    """
    if cell.type == "bnode":
        return True
    if cell.type != "uri" or _ENCYCLOPEDIA.search(cell.value):
        return False
    return _OPAQUE.fullmatch(local_name(cell.value)) is not None


def plain_name(name: str) -> str:
    """Return the name of an article without underscores and without the qualifier in brackets.

    Parameters
    ----------
    name
        A local name or a title.

    Returns
    -------
    str
        Never empty, unless `name` is.

    Examples
    --------
    >>> plain_name("Old_Mill_(Ulm)"), plain_name("(Alpha)")
    ('Old Mill', '(Alpha)')
    """
    return _QUALIFIER.sub("", name).replace("_", " ").strip() or name

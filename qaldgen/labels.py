"""Labels of resources from an RDF file."""

from __future__ import annotations

from pathlib import Path

from qaldgen.rdf import PREFIXES
from qaldgen.store import open_file

_QUERY = (
    f"SELECT ?s ?label {{ ?s <{PREFIXES['rdfs']}label> ?label FILTER(LANG(?label) = '' || LANGMATCHES(LANG(?label), 'en')) }}"
)


def read_labels(path: str | Path) -> dict[str, str]:
    """Return IRI to ``rdfs:label``, English or without a language; of several the first in the alphabet.

    Raises
    ------
    DataError
        If the file cannot be read or holds no RDF.
    """
    labels: dict[str, str] = {}
    for subject, label in open_file(path).select(_QUERY).rows:
        iri, text = getattr(subject, "value", ""), getattr(label, "value", "")
        if iri not in labels or text < labels[iri]:
            labels[iri] = text
    return labels

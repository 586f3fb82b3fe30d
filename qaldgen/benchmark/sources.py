"""The question sets that the questions of a benchmark come from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pyoxigraph import NamedNode

from qaldgen.questions.catalog import entries
from qaldgen.rdf.terms import PREFIXES, Statement, Term, prefixed, term_text
from qaldgen.stores.local import DataSource, LocalStore

#: Selects the files of question sets, with the set if the file is described as one.
_SOURCE_QUERY = (
    "".join(f"PREFIX {name}: <{PREFIXES[name]}>\n" for name in ("dct", "prov", "spdx", "void"))
    + """
SELECT DISTINCT ?source ?title ?hash ?licence ?set {
  ?source a prov:Entity ; dct:title ?title
  OPTIONAL { ?source spdx:checksum/spdx:checksumValue ?hash }
  OPTIONAL { ?set a void:Dataset ; prov:wasDerivedFrom ?source }
  OPTIONAL { { ?source dct:license ?licence }
             UNION { ?from prov:wasDerivedFrom ?source ; dct:license ?licence } } }
"""
)


class Source(NamedTuple):
    """A question set from which a benchmark has questions.

    Attributes
    ----------
    iri : str
        The file of the set, in the data.
    name : str
        The name of the set.
    sha256 : str
        The hash of its unpacked file; empty if it is not known.
    licence : str
        The IRI of the licence of its questions; empty if it is not known.
    """

    iri: str
    name: str
    sha256: str = ""
    licence: str = ""

    @property
    def reference(self) -> str:
        """Its name, hash and, of a public set, the publication."""
        reference = self.name
        if self.sha256:
            reference += f" (SHA-256 {self.sha256})"
        public = entries().get(self.name)
        if public:
            reference += f": {public.citation}"
        return reference


def sources_of(data: DataSource | None, statements: Iterable[Statement]) -> tuple[Source, ...]:
    """Return the question sets that questions come from, by the statements about the questions.

    An endpoint is not asked for them.
    """
    if not isinstance(data, LocalStore):
        return ()

    predicate = prefixed("prov:wasDerivedFrom")
    named_sources = {term_text(value) for _, name, value in statements if name == predicate}
    rows = data.select(_SOURCE_QUERY)

    sources = {}
    for source, title, sha256, licence, dataset in rows.rows:
        if not isinstance(source, NamedNode):
            continue
        # where questions do not name their set, all sets of the file count
        if source.value in named_sources or (not named_sources and dataset is not None):
            sources[source.value] = Source(
                iri=source.value,
                name=_optional_text(title),
                sha256=_optional_text(sha256),
                licence=_optional_text(licence),
            )

    return tuple(sources[iri] for iri in sorted(sources))


def _optional_text(term: Term | None) -> str:
    return "" if term is None else term_text(term)

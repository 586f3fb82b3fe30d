"""Labels of resources, from an RDF file, a table, or an endpoint."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.features.resources import resources_by_query
from qaldgen.io.csv_cells import unprotect
from qaldgen.io.inputs import is_web_address
from qaldgen.io.unpacking import open_content
from qaldgen.model import Question
from qaldgen.questions.question_texts import language_tag
from qaldgen.rdf.terms import PREFIXES, Rows, checked_tag
from qaldgen.stores.local import open_file

#: IRIs in one query to an endpoint.
_BATCH = 200
#: A property of Wikidata; its label belongs to the entity with the same number.
_PROPERTY = re.compile(r"http://www\.wikidata\.org/prop/(?:[a-z-]+/)*(P\d+)")


def read_labels(
    source: str | Path, *, questions: Iterable[Question] = (), language: str = LANGUAGE
) -> dict[str, str]:
    """Return labels by IRI: in `language` or untagged, and of several the alphabetically first."""
    if is_web_address(str(source)):
        return _query_endpoint(str(source), named_iris(questions), language)
    if str(source).lower().endswith((".csv", ".tsv")):
        return _read_table(Path(source))
    query = _make_query("", language)  # before the file is read: it refuses an invalid language
    return _first_labels(open_file(Path(source)).select(query))


def labels_of(source: str | Path, iris: Sequence[str], *, language: str) -> dict[str, str]:
    """Return the labels of IRIs that `read_labels` finds."""
    if is_web_address(str(source)):
        return _query_endpoint(str(source), iris, language)
    labels = read_labels(source, language=language)
    return {iri: labels[iri] for iri in iris if iri in labels}


def named_iris(questions: Iterable[Question]) -> list[str]:
    """Return the entities, relations and classes in the queries of questions that can be parsed.

    >>> query = "SELECT ?x { <http://x.org/a> <http://x.org/p> ?x }"
    >>> named_iris([Question("1", {}, queries={"": query})])
    ['http://x.org/a', 'http://x.org/p']
    """
    iris: dict[str, None] = {}
    for _, resources in resources_by_query(questions):
        for group in resources or ():
            iris |= dict.fromkeys(group)
    return list(iris)


def _query_endpoint(url: str, iris: Sequence[str], language: str) -> dict[str, str]:
    """Return the labels of IRIs at an endpoint."""
    from qaldgen.stores.endpoint import Endpoint

    endpoint = Endpoint(url)
    labels: dict[str, str] = {}
    entity_of = {iri: _PROPERTY.sub(r"http://www.wikidata.org/entity/\1", iri) for iri in iris}
    subjects = list(dict.fromkeys(entity_of.values()))
    for start in range(0, len(subjects), _BATCH):
        values = " ".join(f"<{iri}>" for iri in subjects[start : start + _BATCH])
        labels |= _first_labels(endpoint.select(_make_query(f"VALUES ?s {{ {values} }}", language)))
    return {iri: labels[entity] for iri, entity in entity_of.items() if entity in labels}


def _make_query(values: str, language: str) -> str:
    """Return the query for labels, restricted by a VALUES clause; refuse an invalid language."""
    tag = checked_tag(language_tag(language))
    pattern = f"?s <{PREFIXES['rdfs']}label> ?label"
    return (
        f"SELECT ?s ?label {{ {values} {pattern} FILTER(LANG(?label) = '' ||"
        f" LANGMATCHES(LANG(?label), '{tag}')) }}"
    )


def _first_labels(rows: Rows) -> dict[str, str]:
    """Return by IRI its alphabetically first label."""
    labels: dict[str, str] = {}
    for subject, label in rows.rows:
        iri = getattr(subject, "value", "")
        text = getattr(label, "value", "")
        if iri not in labels or text < labels[iri]:
            labels[iri] = text
    return labels


def _read_table(path: Path) -> dict[str, str]:
    """Return the labels of a table, which has IRI and label in its first columns."""
    with open_content(path) as content:
        data = content.read()
    labels: dict[str, str] = {}
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        text = io.StringIO(data.decode("utf-8-sig"), newline="")
        for number, cells in enumerate(csv.reader(text, delimiter=delimiter), 1):
            row = list(map(unprotect, cells))
            if len(row) >= 2 and "://" in row[0] and row[1].strip():
                labels.setdefault(row[0].strip(), row[1].strip())
            # the first row may be a header
            elif number > 1 and row:
                raise DataError(
                    f"expected IRI and label, found {row[:2]!r}", where=f"{path}, line {number}"
                )
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot be read as a UTF-8 table ({error})", where=path) from error
    return labels

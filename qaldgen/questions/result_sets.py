"""Read result sets of text2sparql-client and t2s-metrics: values marked with 0 or 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.model import Answers, Question
from qaldgen.questions.collecting import Item, ReadOptions
from qaldgen.questions.file_content import Content
from qaldgen.questions.results_json import iri_or_literal
from qaldgen.questions.values import answers_in_column

#: The name of a question: the name of the set, the id, and the language.
QNAME = re.compile(r"(?P<set>[^:\s]+):(?P<id>.+)-(?P<language>[a-z]{2,3})")
#: The field with the questions whose results are ordered.
_ORDERED = "order_required"


def recognises_result_sets(content: Content) -> bool:
    """Return whether this is an object that maps names of questions to values with 0 or 1."""
    document = content.document
    if content.kind != "json" or not isinstance(document, dict) or not document:
        return False
    return all(
        name == _ORDERED
        or (
            QNAME.fullmatch(name) is not None
            and isinstance(values, dict)
            and all(isinstance(value, int) and value in {0, 1} for value in values.values())
        )
        for name, values in document.items()
    )


def result_sets(content: Content) -> dict[str, Answers]:
    """Return the answers by question; in such files, a failed query has an empty answer."""
    document: Mapping[str, dict[str, int]] = content.document  # type: ignore[assignment]
    if not recognises_result_sets(content):
        raise DataError("values with 0 or 1 are expected, by questions", where=content.path)
    results = {}
    for name, values in document.items():
        if name == _ORDERED:
            continue
        # an ASK query has the single value "true", marked with 0 for false
        if values.keys() == {"true"}:
            results[name] = Answers(boolean=values["true"] == 1)
        else:
            marked = [value for value, mark in values.items() if mark]
            results[name] = answers_in_column(map(iri_or_literal, marked))
    return results


def read_result_sets(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield gold questions in all languages of the file, with their names as texts."""
    results = result_sets(content)
    for name, answers in results.items():
        match = QNAME.fullmatch(name)
        assert match is not None
        texts = {match["language"]: (name,)}
        yield Question(id=name, texts=texts, answers=answers, origin=match["set"])
    n_empty = sum(not answers.values() for answers in results.values())
    note("has results and no questions; names stand for texts, whose features mean nothing")
    if n_empty:
        note(f"results of {n_empty:,} are empty, which may also be a query that failed")

"""The records that carry everything: a question and its answers. Standard library only."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

#: The answer types GERBIL knows, and what the published data sets call them.
ANSWER_TYPES = {
    "resource": "resource", "uri": "resource", "list": "resource",
    "string": "string", "number": "number", "date": "date",
    "boolean": "boolean", "yes/no": "boolean",
}  # fmt: skip


class Cell(NamedTuple):
    """One value of an answer, as in SPARQL results JSON.

    Attributes
    ----------
    type : str
        ``uri``, ``literal`` or ``bnode``.
    value : str
        The IRI, the lexical form, or the label.
    datatype : str
        The IRI of the datatype of a literal; empty for plain text.
    language : str
        The language tag of a literal; empty for none.
    """

    type: str
    value: str
    datatype: str = ""
    language: str = ""


@dataclasses.dataclass(frozen=True)
class Answers:
    """What a query gives: a boolean, or rows of cells under variables; None is an unbound cell.

    Examples
    --------
    >>> Answers(variables=("uri",), rows=((Cell("uri", "http://x.org/a"),),)).values()
    ['http://x.org/a']
    """

    boolean: bool | None = None
    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Cell | None, ...], ...] = ()

    def values(self) -> list[str]:
        """Return every value, row by row, all variables; a boolean as ``true`` or ``false``."""
        if self.boolean is not None:
            return [str(self.boolean).lower()]
        return [cell.value for row in self.rows for cell in row if cell is not None]

    def first_variable(self) -> Answers:
        """Return the answers with the first variable only, rows that become equal once."""
        return dataclasses.replace(self, variables=self.variables[:1], rows=tuple(dict.fromkeys(row[:1] for row in self.rows)))


@dataclasses.dataclass(frozen=True)
class Question:
    """A question with its texts, query and gold answers; what is unknown is empty or None.

    Attributes
    ----------
    id : str
        Short name, unique in its set.
    iri : str
        Its IRI in the feature data.
    texts : mapping of str to str
        Language tag to text.
    sparql : str
        The gold query.
    answers : Answers or None
        The gold answers; None if the data has none, which differs from an empty answer.
    answer_type : str
        resource, string, number, date, boolean, or empty.
    origin : str
        The data set it comes from.
    aggregation : bool or None
        Whether the query aggregates.
    """

    id: str
    iri: str
    texts: Mapping[str, str]
    sparql: str = ""
    answers: Answers | None = None
    answer_type: str = ""
    origin: str = ""
    aggregation: bool | None = None

    def text(self, language: str = "en") -> str:
        """Return the text in `language`, or else the first one; empty if there is none."""
        return self.texts.get(language) or next(iter(self.texts.values()), "")

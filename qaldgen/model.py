"""The records that carry everything: a question and its answers. Standard library only."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

#: What the published data sets call the answer types that GERBIL knows; ``list`` says nothing about
#: the type.
ANSWER_TYPES = {
    "resource": "resource", "uri": "resource",
    "string": "string", "number": "number", "date": "date",
    "boolean": "boolean", "yes/no": "boolean",
}  # fmt: skip

#: The local names of the XSD types that are numbers.
NUMBER_TYPES = frozenset({
    "integer", "decimal", "double", "float", "int", "long", "short", "byte", "unsignedInt", "unsignedLong", "unsignedShort",
    "unsignedByte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger",
})  # fmt: skip
DATE_TYPES = frozenset(["date", "dateTime", "gYear", "gYearMonth", "gMonthDay", "gMonth", "gDay"])


class Remark(str):
    """A sentence for people that says to programs what it is about, so that nobody has to look into its words.

    Parameters
    ----------
    text
        The sentence.
    rule
        A short name of what was noticed; empty if no program needs it.
    where
        The file or record, which stands before the text.

    Examples
    --------
    >>> one = Remark("the id 7 stands twice", rule="duplicate-id", where="runs/a.csv")
    >>> str(one), one.rule, one.text
    ('runs/a.csv: the id 7 stands twice', 'duplicate-id', 'the id 7 stands twice')
    """

    rule: str
    text: str

    def __new__(cls, text: str, *, rule: str = "", where: str = "") -> Remark:
        """Make the sentence; one that is a remark already keeps its rule."""
        made = super().__new__(cls, f"{where}: {text}" if where else text)
        made.rule, made.text = rule or getattr(text, "rule", ""), getattr(text, "text", text)
        return made


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


class Mention(NamedTuple):
    """A stretch of the question that names something.

    Attributes
    ----------
    text : str
        The words as they stand in the question.
    iri : str
        What they name; empty if the data does not say.
    kind : str
        ``entity``, ``relation`` or ``class``.
    """

    text: str
    iri: str = ""
    kind: str = "entity"


@dataclasses.dataclass(frozen=True, slots=True)
class Answers:
    """What a query gives: a boolean, or rows of cells under variables; None is an unbound cell.

    Sets without a knowledge graph have `texts` instead: for each answer its accepted wordings, the
    main one first. `gerbil` is the strings that GERBIL's loader makes of the file, where they
    differ from `values`: it rewrites dates and booleans whose datatype stands before the value.

    Examples
    --------
    >>> Answers(variables=("uri",), rows=((Cell("uri", "http://x.org/a"),),)).values()
    ['http://x.org/a']
    """

    boolean: bool | None = None
    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Cell | None, ...], ...] = ()
    texts: tuple[tuple[str, ...], ...] = ()
    gerbil: tuple[str, ...] | None = dataclasses.field(default=None, compare=False, repr=False)

    def values(self) -> list[str]:
        """Return every value, row by row, all variables, then the main wordings.

        A boolean as ``true`` or ``false``.
        """
        if self.boolean is not None:
            return [str(self.boolean).lower()]
        cells = [cell.value for row in self.rows for cell in row if cell is not None]
        return cells + [wordings[0] for wordings in self.texts if wordings] if self.texts else cells

    def type(self) -> str:
        """Return the answer type that the values show: boolean, resource, number, date or string.

        Empty if there are none.
        """
        if self.boolean is not None:
            return "boolean"
        cells = [cell for row in self.rows for cell in row[:1] if cell is not None]
        kinds = {_kind(cell) for cell in cells} or ({"string"} if self.texts else set())
        return kinds.pop() if len(kinds) == 1 else "string" if kinds else ""

    def first_variable(self) -> Answers:
        """Return the answers with the first variable only, rows that become equal once.

        What GERBIL makes of a boolean stays.
        """
        rows = tuple(dict.fromkeys(row[:1] for row in self.rows))
        gerbil = None if self.boolean is None else self.gerbil
        return dataclasses.replace(self, variables=self.variables[:1], rows=rows, gerbil=gerbil)


def _kind(cell: Cell) -> str:
    name = cell.datatype.rpartition("#")[2]
    if cell.type != "literal":
        return "resource"
    if name == "boolean":
        return "boolean"
    return "date" if name in DATE_TYPES else "number" if name in NUMBER_TYPES else "string"


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """A question with its texts, queries and gold answers; what is unknown is empty or None.

    Attributes
    ----------
    id : str
        Short name, unique in its set.
    texts : mapping of str to tuple of str
        Language tag to the wordings in that language, the main one first.
    iri : str
        Its IRI in feature data; empty for a question that was read from another form.
    queries : mapping of str to str
        Knowledge graph (``dbpedia``, ``wikidata``, ``freebase``, or empty where nobody says) to the
        gold query.
    answers : Answers or None
        The gold answers; None if the data has none, which differs from an empty answer.
    answer_type : str
        resource, string, number, date, boolean, or empty.
    origin, split : str
        The data set it comes from, and the part of it (train, test, ...).
    flags : mapping of str to bool
        What the data says of it: aggregation, onlydbo, hybrid.
    keywords : mapping of str to str
        Language tag to keywords.
    mentions : tuple of Mention
        What the data says is named in the question, and where.
    metadata : mapping of str to str
        Anything else the data says in one value: template, category, complexity, ...
    """

    id: str
    texts: Mapping[str, tuple[str, ...]]
    iri: str = ""
    queries: Mapping[str, str] = dataclasses.field(default_factory=dict)
    answers: Answers | None = None
    answer_type: str = ""
    origin: str = ""
    split: str = ""
    flags: Mapping[str, bool] = dataclasses.field(default_factory=dict)
    keywords: Mapping[str, str] = dataclasses.field(default_factory=dict)
    mentions: tuple[Mention, ...] = ()
    metadata: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def text(self, language: str = "en") -> str:
        """Return the main wording in `language`, or else in the first language that has one.

        Empty if there is none.
        """
        first = (
            wordings[0]
            for wordings in (self.texts.get(language, ()), *self.texts.values())
            if wordings and wordings[0]
        )
        return next(first, "")

    @property
    def sparql(self) -> str:
        """The first query; empty if there is none."""
        return next(iter(self.queries.values()), "")


class LeftOut(NamedTuple):
    """A record that a reader left out, and why.

    Attributes
    ----------
    record : str
        Its id, or where it stands.
    reason : str
        Why it was left out.
    broken : bool
        Whether it could not be read, and was left out only because that was asked for.
    """

    record: str
    reason: str
    broken: bool = False


@dataclasses.dataclass(frozen=True)
class QuestionSet:
    """The questions of one file.

    Attributes
    ----------
    name : str
        What to call it.
    format : str
        The form it was read from.
    questions : tuple of Question
        In the order of the file.
    left_out : tuple of LeftOut
        Records that hold no question, with the reason.
    sha256 : str
        Of the unpacked file.
    notes : tuple of str
        What a user should know about how it was read: columns that were not understood, keys that
        stand twice, ...
    licence : str
        The IRI of the licence of the questions; empty if nobody said it.
    """

    name: str
    format: str
    questions: tuple[Question, ...]
    left_out: tuple[LeftOut, ...] = ()
    sha256: str = ""
    notes: tuple[str, ...] = ()
    licence: str = ""

    def __repr__(self) -> str:
        """Return one line.

        What it is called, how many questions there are, and whether there is more to know.
        """
        more = [f"{len(self.left_out):,} left out"] if self.left_out else []
        more += [f"{len(self.notes):,} notes"] if self.notes else []
        return (
            f"<QuestionSet {self.name}:"
            f" {', '.join([f'{len(self.questions):,} questions', self.format, *more])}>"
        )

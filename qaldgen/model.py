"""The records that carry everything: a question and its answers."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.defaults import LANGUAGE
from qaldgen.io.text import count

if TYPE_CHECKING:
    import pandas as pd

#: Answer types by their names in published data sets; ``list`` is missing, because it says nothing
#: about the type.
ANSWER_TYPES = {
    "resource": "resource",
    "uri": "resource",
    "string": "string",
    "number": "number",
    "date": "date",
    "boolean": "boolean",
    "yes/no": "boolean",
}

#: The local names of the XSD types that are numbers.
NUMBER_TYPES = frozenset({
    "integer", "decimal", "double", "float", "int", "long", "short", "byte", "unsignedInt",
    "unsignedLong", "unsignedShort", "unsignedByte", "nonNegativeInteger", "positiveInteger",
    "nonPositiveInteger", "negativeInteger",
})  # fmt: skip
#: The metadata field with the systems whose low scores chose a question, separated by bars.
CHOSEN_BY = "chosen_by"
BAR = "|"
#: The value of a metadata field: a text, or a list of texts.
MetadataValue: TypeAlias = str | tuple[str, ...]
DATE_TYPES = frozenset(["date", "dateTime", "gYear", "gYearMonth", "gMonthDay", "gMonth", "gDay"])


class Remark(str):
    """A sentence for people, with the name of a rule and a value, which programs read.

    >>> remark = Remark("the id 7 is used twice", rule="duplicate-id", where="runs/a.csv")
    >>> str(remark), remark.rule, remark.text
    ('runs/a.csv: the id 7 is used twice', 'duplicate-id', 'the id 7 is used twice')
    """

    rule: str
    text: str
    value: str

    def __new__(cls, text: str, *, rule: str = "", where: str = "", value: str = "") -> Remark:
        """Create a remark; if the text is itself a remark, its rule is kept."""
        remark = super().__new__(cls, f"{where}: {text}" if where else text)
        remark.rule = rule or getattr(text, "rule", "")
        remark.text = getattr(text, "text", text)
        remark.value = value or getattr(text, "value", "")
        return remark


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


class WrittenCell(Cell):
    """A cell with its JSON object in the file, because some evaluators read that differently.

    Either the IRI has spaces around it, or the datatype of a date or boolean precedes the value.
    """

    #: The JSON object in the file.
    written: Mapping[str, str]

    @classmethod
    def of(cls, cell: Cell, written: Mapping[str, str]) -> WrittenCell:
        """Return the cell with the JSON object that it was read from."""
        copy = cls(*cell)
        copy.written = written
        return copy


class Mention(NamedTuple):
    """A part of the question that names something."""

    text: str  # the words as written in the question
    iri: str = ""  # what they name; empty if the data does not say
    kind: str = "entity"  # ``entity``, ``relation`` or ``class``


@dataclasses.dataclass(frozen=True, slots=True)
class Answers:
    """The result of a query: a boolean, or rows of cells.

    Attributes
    ----------
    boolean : bool or None
        The answer of an ASK query; None for all others.
    variables : tuple of str
        The variables of a SELECT query.
    rows : tuple of tuple of Cell or None
        One cell per variable; None where it is unbound.
    texts : tuple of tuple of str
        Answers in words, for sets without a knowledge graph: the accepted variants of each answer,
        the main one first.
    beside : tuple of Cell
        Values that the file gives in addition to a boolean. They are not answers here, but some
        evaluators count them.
    listed : bool
        Whether a system gave the answers as a list, which is then expected to be complete.

    Examples
    --------
    >>> Answers(variables=("uri",), rows=((Cell("uri", "http://x.org/a"),),)).values()
    ['http://x.org/a']
    """

    boolean: bool | None = None
    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Cell | None, ...], ...] = ()
    texts: tuple[tuple[str, ...], ...] = ()
    beside: tuple[Cell, ...] = dataclasses.field(default=(), compare=False, repr=False)
    listed: bool = dataclasses.field(default=False, compare=False, repr=False)

    def values(self) -> list[str]:
        """Return all values row by row, then the main variants of texts.

        A boolean is returned as ``true`` or ``false``.
        """
        if self.boolean is not None:
            return [str(self.boolean).lower()]
        values = [cell.value for row in self.rows for cell in row if cell is not None]
        return values + [wordings[0] for wordings in self.texts if wordings]

    def cells(self) -> list[Cell]:
        """Return every cell that holds a value, row by row."""
        return [cell for cell in chain.from_iterable(self.rows) if cell is not None]

    def type(self) -> str:
        """Return the type of the values: boolean, resource, number, date or string.

        It is empty if there are no values, and string if their types differ.
        """
        if self.boolean is not None:
            return "boolean"
        first_cells = [row[0] for row in self.rows if row]
        types = {_answer_type(cell) for cell in first_cells if cell is not None}
        if len(types) == 1:
            return types.pop()
        if types or self.texts:
            return "string"
        return ""

    def first_variable(self) -> Answers:
        """Return the answers with their first variable only, without duplicate rows."""
        rows = tuple(dict.fromkeys(row[:1] for row in self.rows))
        return dataclasses.replace(self, variables=self.variables[:1], rows=rows)


def _answer_type(cell: Cell) -> str:
    """Return the answer type of a value: resource, boolean, date, number or string."""
    if cell.type != "literal":
        return "resource"
    datatype = cell.datatype.rpartition("#")[2]
    if datatype == "boolean":
        return "boolean"
    if datatype in DATE_TYPES:
        return "date"
    if datatype in NUMBER_TYPES:
        return "number"
    return "string"


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """A question with its texts, queries and gold answers; unknown values are empty or None.

    Attributes
    ----------
    id : str
        Short name, unique in its set.
    texts : mapping of str to tuple of str
        Texts by language tag, the main one first, then paraphrases.
    iri : str
        Its IRI in feature data; empty for a question from another format.
    queries : mapping of str to str
        Gold query by knowledge graph (``dbpedia``, ``wikidata``, ``freebase``, or empty if it is
        not known).
    answers : Answers or None
        The gold answers; None if the data has none, which differs from an empty answer.
    answer_type : str
        resource, string, number, date, boolean, or empty.
    origin, split : str
        The data set it comes from, and the part of it (train, test, ...).
    flags : mapping of str to bool
        Flags in the data: aggregation, onlydbo, hybrid.
    keywords : mapping of str to str
        Keywords by language tag.
    mentions : tuple of Mention
        The annotated mentions of the question.
    names : mapping of str to tuple of str
        Names that the data give to things, by IRI; gold answers can be compared in words by them.
    metadata : mapping of str to str or tuple of str
        What the data say in other fields: template, category, complexity, ...; a list as a tuple.

    Examples
    --------
    >>> Question("1", {"en": ("Who is she?",)}).text()
    'Who is she?'
    """

    id: str
    texts: Mapping[str, tuple[str, ...]] = dataclasses.field(hash=False)
    iri: str = ""
    queries: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    answers: Answers | None = None
    answer_type: str = ""
    origin: str = ""
    split: str = ""
    flags: Mapping[str, bool] = dataclasses.field(default_factory=dict, hash=False)
    keywords: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    mentions: tuple[Mention, ...] = ()
    names: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict, hash=False)
    metadata: Mapping[str, MetadataValue] = dataclasses.field(default_factory=dict, hash=False)

    def text(self, language: str = LANGUAGE) -> str:
        """Return the main text in a language; if it has none, that of the first other language.

        Parameters
        ----------
        language
            A language tag.

        Returns
        -------
        str
            Empty if there is no text.
        """
        for wordings in (self.texts.get(language, ()), *self.texts.values()):
            if wordings and wordings[0]:
                return wordings[0]
        return ""

    def said(self, name: str) -> str:
        """Return the value of a metadata field as text.

        Parameters
        ----------
        name
            The name of the field.

        Returns
        -------
        str
            The values of a list are separated by commas. Empty if the field is missing.
        """
        value = self.metadata.get(name, "")
        if isinstance(value, str):
            return value
        return ", ".join(value)

    @property
    def chosen_by(self) -> tuple[str, ...]:
        """The systems whose low scores chose it for a sample; empty for any other question."""
        return tuple(filter(None, self.said(CHOSEN_BY).split(BAR)))

    def with_choice(self, systems: Iterable[str]) -> Question:
        """Return a copy which records that low scores of some systems chose the question.

        Parameters
        ----------
        systems
            The names of the systems.
        """
        names = BAR.join(dict.fromkeys((*self.chosen_by, *systems)))
        return dataclasses.replace(self, metadata={**self.metadata, CHOSEN_BY: names})

    @property
    def sparql(self) -> str:
        """The first query; empty if there is none."""
        return next(iter(self.queries.values()), "")

    @property
    def gold(self) -> Answers:
        """The gold answers; empty ones if they are not known."""
        return self.answers or Answers()


class LeftOut(NamedTuple):
    """A record that a reader left out, and why."""

    record: str  # its id, or its location in the file
    reason: str  # why it was left out
    broken: bool = False  # whether it could not be read, and was left out only on request


@dataclasses.dataclass(frozen=True)
class QuestionSet:
    """The questions of one file.

    Attributes
    ----------
    name : str
        Its name.
    format : str
        The format it was read from.
    questions : tuple of Question
        In the order of the file.
    left_out : tuple of LeftOut
        Records without a question, with the reason.
    sha256 : str
        Hash of the unpacked file.
    notes : tuple of str
        Notes for users on how the file was read: columns that were not understood, repeated keys,
        ...
    licence : str
        The IRI of the licence of the questions; empty if not known.
    systems : tuple of str
        The systems whose answers are in the same file; "" is a system without a name.
    numbered : bool
        Whether the ids are the numbers of the records, from 1, because the file has no ids.
    split_answers : str
        The separator, besides a bar, between several answers in one text, of the gold and of runs.

    Examples
    --------
    >>> import qaldgen as qg
    >>> qg.load([{"id": "7", "question": "Who is she?"}])["7"].text()
    'Who is she?'
    """

    name: str
    format: str
    questions: tuple[Question, ...] = dataclasses.field(hash=False)
    left_out: tuple[LeftOut, ...] = ()
    sha256: str = ""
    notes: tuple[str, ...] = ()
    licence: str = ""
    systems: tuple[str, ...] = ()
    numbered: bool = False
    split_answers: str = ""

    @functools.cached_property
    def by_id(self) -> Mapping[str, Question]:
        """The questions by their ids, in the order of the file."""
        return {question.id: question for question in self.questions}

    @functools.cached_property
    def by_text(self) -> Mapping[str, Question]:
        """The questions by each of their texts; of questions with the same text, the first."""
        questions: dict[str, Question] = {}
        for question in self.questions:
            for text in chain.from_iterable(question.texts.values()):
                questions.setdefault(text, question)
        return questions

    @property
    def edition(self) -> str:
        """Date, hash and source of the gold, if it comes from a knowledge graph; else empty."""
        for note in self.notes:
            if isinstance(note, Remark) and note.rule == "gold-edition":
                return note.value
        return ""

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.questions)

    def __iter__(self) -> Iterator[Question]:
        """Return the questions in the order of the file."""
        return iter(self.questions)

    def __getitem__(self, key: int | str) -> Question:
        """Return a question by its index (an int) or by its id (a str)."""
        if isinstance(key, str):
            return self.by_id[key]
        return self.questions[key]

    def to_frame(self) -> pd.DataFrame:
        """Return a table indexed by id, with text, gold answers or None, query and answer type."""
        import pandas as pd

        rows = [
            {
                "id": question.id,
                "text": question.text(),
                "answers": None if question.answers is None else question.answers.values(),
                "sparql": question.sparql,
                "answer_type": question.answer_type,
            }
            for question in self.questions
        ]
        if rows:
            return pd.DataFrame(rows).set_index("id")
        return pd.DataFrame()

    def __repr__(self) -> str:
        """Return one line: name, number of questions, format, and number of notes."""
        details = [count(len(self.questions), "question"), self.format]
        if self.left_out:
            details.append(f"{len(self.left_out):,} left out")
        if self.notes:
            details.append(count(len(self.notes), "note"))
        return f"<QuestionSet {self.name}: {', '.join(details)}>"

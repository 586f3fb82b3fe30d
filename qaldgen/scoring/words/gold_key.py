"""Gold answers as a whole: their cells, yes or no, and answers that have no name."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from qaldgen.model import Answers, Cell, Question
from qaldgen.runs.record import Response
from qaldgen.scoring.words.iri_names import is_opaque, local_name
from qaldgen.scoring.words.lexicon import phrases, primary

#: From the IRI, local name or main name of a gold answer to further accepted names.
Aliases: TypeAlias = Mapping[str, Sequence[str]]


@dataclasses.dataclass(frozen=True, eq=False)
class GoldKey:
    """A question and a table of aliases, as the key of a cache.

    Equal only if they are the same objects, so that their contents need not be hashed.

    Attributes
    ----------
    question : Question
        With its gold answers.
    aliases : mapping or None
        Further accepted names.
    language : str
        Language of the answers.
    """

    question: Question
    aliases: Aliases | None
    language: str

    def __hash__(self) -> int:
        return hash((id(self.question), id(self.aliases), self.language))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GoldKey):
            return NotImplemented
        return (
            self.question is other.question
            and self.aliases is other.aliases
            and self.language == other.language
        )


@functools.lru_cache(maxsize=4096)
def _is_nameless(key: GoldKey) -> bool:
    bare, size = nameless(key.question, key.aliases)
    return 0 < size == bare


@functools.lru_cache(maxsize=4096)
def _size(key: GoldKey) -> int:
    answers = key.question.answers
    if answers is None:
        return 0
    return 1 if answers.boolean is not None else len(gold_cells(answers)) + len(answers.texts)


@functools.lru_cache(maxsize=4096)
def _truths(key: GoldKey) -> frozenset[bool]:
    answers, texts = key.question.answers, key.question.texts
    if answers is None:
        return frozenset()
    if answers.boolean is not None:
        return frozenset([answers.boolean])
    rows = [*((cell.value,) for cell in gold_cells(answers) if cell.type != "uri"), *answers.texts]
    words = {word.strip(" .!。").casefold() for row in rows for word in row}
    if not words or not all(rows) or len(rows) != gold_size(key.question):
        return frozenset()
    for language in dict.fromkeys([*texts, key.language, "en"]):
        said = {truth: words & _said_alone(truth, language) for truth in (True, False)}
        if words == said[True] | said[False]:
            return frozenset(truth for truth, own in said.items() if own)
    return frozenset()


@functools.cache
def _said_alone(truth: bool, language: str) -> frozenset[str]:
    kind = "yes" if truth else "no"
    # A word for yes with another meaning (tak, sí) is listed first among the phrases that need a
    # stop after them.
    spoken = (
        phrases(f"{kind}-word").get(primary(language))
        or phrases(kind).get(primary(language), ())[:1]
    )
    return frozenset((*spoken, str(truth).lower()))


def gold_truths(question: Question, language: str = "en") -> frozenset[bool]:
    """Return the right answers to a yes-no question; none for other questions.

    Its boolean, or its gold answers if they are words for yes or no: tables of questions write "no"
    or "tak" where SPARQL says false and true. Gold answers that contradict each other are both
    right. The words are read in the languages of the question, in `language`, or in English.

    Parameters
    ----------
    question
        With its gold answers.
    language
        Language of the answers.

    Returns
    -------
    frozenset[bool]
        Cached, since each answer needs it.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> golds = [("No",), ("nie", "Nie."), ("Dr. No",), ("tak", "nie")]
    >>> asked = {"pl": ("Czy to młyn?",)}
    >>> [set(gold_truths(Question("1", asked, answers=Answers(texts=(own,))))) for own in golds]
    [{False}, {False}, set(), {False, True}]
    """
    return _truths(GoldKey(question, None, language))


def gold_size(question: Question) -> int:
    """Return how many gold answers a question has.

    Parameters
    ----------
    question
        The question.

    Returns
    -------
    int
        A boolean is one answer.
    """
    return _size(GoldKey(question, None, ""))


def cannot_be_named(question: Question, response: Response, aliases: Aliases | None = None) -> bool:
    """Tell whether an answer in words cannot be judged: no gold answer has a name.

    Answers that are IRIs can still be compared.

    Parameters
    ----------
    question
        With its gold answers.
    response
        The response.
    aliases
        Further names.

    Returns
    -------
    bool
        True if there are only numbers and codes, and the answer is in words.
    """
    answers = response.answers
    return (
        answers is not None and bool(answers.texts) and _is_nameless(GoldKey(question, aliases, ""))
    )


def nameless(question: Question, aliases: Aliases | None = None) -> tuple[int, int]:
    """Return how many gold answers have no name at all, and how many there are.

    Parameters
    ----------
    question
        With its gold answers.
    aliases
        Further names.

    Returns
    -------
    tuple[int, int]
        Both numbers; (0, 0) for a boolean.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> iris = [f"http://www.wikidata.org/entity/{name}" for name in ("Q64", "Q90")]
    >>> cells = tuple((Cell("uri", iri),) for iri in iris)
    >>> nameless(Question("1", {}, answers=Answers(rows=cells)), {"Q90": ["Paris"]})
    (1, 2)
    """
    answers, table = question.answers, aliases or {}
    if answers is None or answers.boolean is not None:
        return 0, 0
    cells = gold_cells(answers)
    bare = [
        cell
        for cell in cells
        if is_opaque(cell) and not table.get(cell.value) and not table.get(local_name(cell.value))
    ]
    return len(bare) + sum(not row for row in answers.texts), len(cells) + len(answers.texts)


def gold_cells(answers: Answers) -> list[Cell]:
    """Return the different values of all rows.

    Parameters
    ----------
    answers
        Gold or given answers.

    Returns
    -------
    list[Cell]
        In order.
    """
    return list(dict.fromkeys(cell for row in answers.rows for cell in row if cell is not None))

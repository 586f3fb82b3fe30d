"""The variants of an answer: names of IRIs, aliases, names in other languages, yes and no."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias
from urllib.parse import unquote

from qaldgen.model import Answers, Cell, Question
from qaldgen.runs.record import Response
from qaldgen.scoring.words.cldr import translations
from qaldgen.scoring.words.extraction import Extractor, make_extractor
from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.timezones import zone_names

#: From the IRI, local name or main name of a gold answer to further accepted names.
Aliases: TypeAlias = Mapping[str, Sequence[str]]
_QUALIFIER = re.compile(r"(?<=\S)(?:__.*|[\s_]*\([^()]*\)\s*)$")
#: Local names that are only codes: of Wikidata, Freebase, DBLP and others; hashes; numbers.
_OPAQUE = re.compile(
    r"[QPLE]\d+(?:-[FS]\d+)?|[mg]\.\w+|(?:[a-z]{1,3}[_-]?)?\d+|[0-9a-f]{8}[0-9a-f-]*|\W*",
    re.IGNORECASE,
)
#: Here a number is the name of an article: a year, a film.
_ENCYCLOPEDIA = re.compile(r"dbpedia\.org/resource/|wikipedia\.org/wiki/")


def wordings(cell: Cell, labels: Aliases | None = None) -> tuple[str, ...]:
    """Return the variants of a gold answer, the main one first.

    For an IRI these are its labels, then its local name decoded (underscores become spaces, a
    qualifier in brackets is dropped) and the table's entries for the local name; for a literal the
    lexical form and the table's entries for it.

    Parameters
    ----------
    cell
        A gold answer.
    labels
        Further names.

    Returns
    -------
    tuple[str, ...]
        At least one.

    Examples
    --------
    >>> aliases = {"Old_Mill_(Ulm)": ["Alte Mühle"]}
    >>> wordings(Cell("uri", "http://x.org/resource/Old_Mill_(Ulm)"), aliases)
    ('Old Mill', 'Alte Mühle')
    """
    table = labels or {}
    if cell.type != "uri":
        return (cell.value, *table.get(cell.value, ()))
    local = _local_name(cell.value)
    labelled = table.get(cell.value, ()) if local != cell.value else ()
    return (*labelled, plain_name(local), *table.get(local, ()))


def _local_name(iri: str) -> str:
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
    return _OPAQUE.fullmatch(_local_name(cell.value)) is not None


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
def _truth(key: GoldKey) -> bool | None:
    answers, texts = key.question.answers, key.question.texts
    if answers is None or answers.boolean is not None:
        return None if answers is None else answers.boolean
    rows = [*((cell.value,) for cell in gold_cells(answers) if cell.type != "uri"), *answers.texts]
    if len(rows) != 1 or gold_size(key.question) != 1:
        return None
    words = {word.strip(" .!。").casefold() for word in rows[0]}
    for language in dict.fromkeys([*texts, key.language, "en"]):
        for truth in (True, False):
            if words and words.issubset(_said_alone(truth, language)):
                return truth
    return None


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


def gold_truth(question: Question, language: str = "en") -> bool | None:
    """Return the right answer to a yes-no question; None for other questions.

    Its boolean, or its only gold answer if that is a word for yes or no: tables of questions write
    "no" or "tak" where SPARQL says false and true. The word is read in the languages of the
    question, in `language`, or in English.

    Parameters
    ----------
    question
        With its gold answers.
    language
        Language of the answers.

    Returns
    -------
    bool | None
        Cached, since each answer needs it.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> golds = [("No",), ("nie", "Nie."), ("Dr. No",)]
    >>> asked = {"pl": ("Czy to młyn?",)}
    >>> [gold_truth(Question("1", asked, answers=Answers(texts=(gold,)))) for gold in golds]
    [False, False, None]
    """
    return _truth(GoldKey(question, None, language))


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
        if is_opaque(cell) and not table.get(cell.value) and not table.get(_local_name(cell.value))
    ]
    return len(bare) + sum(not row for row in answers.texts), len(cells) + len(answers.texts)


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


_AUTO = make_extractor()


@functools.cache
def boolean_wordings(truth: bool, language: str) -> tuple[str, ...]:
    """Return the words for yes (or no) of a language and of English, single words only.

    Parameters
    ----------
    truth
        True for yes.
    language
        A language tag.

    Returns
    -------
    tuple[str, ...]
        English words first.
    """
    kind = "yes" if truth else "no"
    words = ["true", "yes", "correct"] if truth else ["false", "no", "incorrect"]
    for own in dict.fromkeys(["en", primary(language)]):
        words += [
            phrase
            for part in (f"{kind}-word", kind)
            for phrase in phrases(part).get(own, ())
            if " " not in phrase
        ]
    return tuple(dict.fromkeys(words))


def gold_wordings(
    question: Question, language: str = "en", aliases: Aliases | None = None
) -> list[tuple[str, ...]]:
    """Return the accepted variants of each gold answer, also in the language.

    A boolean in the language and in English.

    Parameters
    ----------
    question
        With its gold answers.
    language
        Language of the answers.
    aliases
        Further names.

    Returns
    -------
    list[tuple[str, ...]]
        One row per gold answer, its main name first.
    """
    answers = question.answers
    if answers is None:
        return []
    truth = gold_truth(question, language)
    if truth is not None:
        own = () if answers.boolean is not None else answers.values()
        return [(*own, *boolean_wordings(truth, language))]
    table = aliases or {}
    texts = [
        (*row, *(alias for name in row[:1] for alias in table.get(name, ())))
        for row in answers.texts
    ]
    rows = [*(wordings(cell, aliases) for cell in gold_cells(answers)), *texts]
    return [(*row, *_translated(row[0], language)) if row else row for row in rows]


@functools.lru_cache(maxsize=1 << 16)
def _translated(name: str, language: str) -> tuple[str, ...]:
    return tuple(
        text
        for text in (*translations(name, language), *zone_names(name, language))
        if text != name
    )


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


def given_texts(response: Response, extract: Extractor | None = None) -> list[str]:
    """Return the answers that a system gave as texts: names of IRIs, and the answers in replies.

    Parameters
    ----------
    response
        The response of the system.
    extract
        Finds the answers in a reply; by default the marked one, or else the whole reply.

    Returns
    -------
    list[str]
        Empty without an answer.
    """
    answers = response.answers
    if answers is None:
        return []
    if answers.boolean is not None:
        return answers.values()
    read = extract or _AUTO
    said = [text for row in answers.texts if row for text in read(row[0]).texts]
    return [*(wordings(cell)[0] for cell in gold_cells(answers)), *said] if answers.rows else said

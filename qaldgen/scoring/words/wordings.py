"""How answers are worded: names of IRIs, aliases, names in other languages, yes and no."""

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

#: IRI, local name or main wording of a gold answer to further accepted wordings.
Aliases: TypeAlias = Mapping[str, Sequence[str]]
_QUALIFIER = re.compile(r"(?<=\S)(?:__.*|[\s_]*\([^()]*\)\s*)$")
#: Local names that name nothing: of Wikidata, Freebase, DBLP and others; hashes; numbers.
_OPAQUE = re.compile(
    r"[QPLE]\d+(?:-[FS]\d+)?|[mg]\.\w+|(?:[a-z]{1,3}[_-]?)?\d+|[0-9a-f]{8}[0-9a-f-]*|\W*",
    re.IGNORECASE,
)
#: Where a number is the name of an article: a year, a film.
_ENCYCLOPEDIA = re.compile(r"dbpedia\.org/resource/|wikipedia\.org/wiki/")


def wordings(cell: Cell, labels: Aliases | None = None) -> tuple[str, ...]:
    """Return how a gold answer may be worded, the main wording first.

    For an IRI these are its labels, then its local name decoded (underscores are spaces, a
    qualifier in brackets goes) and what the table has under the local name; for a literal the
    lexical form and what the table has under it.

    Examples
    --------
    >>> wordings(Cell("uri", "http://x.org/resource/Old_Mill_(Ulm)"), {"Old_Mill_(Ulm)": ["Alte Mühle"]})
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
    """Tell whether an IRI ends in a number or a code, which no answer in words can name.

    Examples
    --------
    >>> names = ("http://www.wikidata.org/entity/Q64", "http://dbpedia.org/resource/1984", "http://x.org/Old_Mill")
    >>> [is_opaque(Cell("uri", name)) for name in names]
    [True, False, False]
    """
    if cell.type == "bnode":
        return True
    if cell.type != "uri" or _ENCYCLOPEDIA.search(cell.value):
        return False
    return _OPAQUE.fullmatch(_local_name(cell.value)) is not None


@dataclasses.dataclass(frozen=True, eq=False)
class GoldKey:
    """A question and a table of aliases.

    The same only if they are the same objects, so that their contents need no hash.
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
    # where the word for yes has another meaning (tak, sí), it is the first of the phrases that need
    # a stop behind them
    spoken = (
        phrases(f"{kind}-word").get(primary(language))
        or phrases(kind).get(primary(language), ())[:1]
    )
    return frozenset((*spoken, str(truth).lower()))


def gold_truth(question: Question, language: str = "en") -> bool | None:
    """Return what is right for a yes-no question.

    Its boolean, or its only gold answer where that is a word for yes or no.

    Tables of questions write "no" or "tak" for what SPARQL calls false and true. The word is read
    in the languages of the question, in `language`, or in English.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> golds = [("No",), ("nie", "Nie."), ("Dr. No",)]
    >>> [gold_truth(Question("1", {"pl": ("Czy to młyn?",)}, answers=Answers(texts=(gold,)))) for gold in golds]
    [False, False, None]
    """
    return _truth(GoldKey(question, None, language))


def gold_size(question: Question) -> int:
    """Return how many gold answers a question has."""
    return _size(GoldKey(question, None, ""))


def cannot_be_named(question: Question, response: Response, aliases: Aliases | None = None) -> bool:
    """Tell whether an answer in words cannot be judged.

    No gold answer has a wording, only a number or a code.

    Answers that are IRIs themselves can be compared all the same.
    """
    answers = response.answers
    return (
        answers is not None and bool(answers.texts) and _is_nameless(GoldKey(question, aliases, ""))
    )


def nameless(question: Question, aliases: Aliases | None = None) -> tuple[int, int]:
    """Return how many gold answers have no wording at all, and how many there are.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> cells = tuple((Cell("uri", f"http://www.wikidata.org/entity/{name}"),) for name in ("Q64", "Q90"))
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

    Examples
    --------
    >>> plain_name("Old_Mill_(Ulm)"), plain_name("(Alpha)")
    ('Old Mill', '(Alpha)')
    """
    return _QUALIFIER.sub("", name).replace("_", " ").strip() or name


_AUTO = make_extractor()


@functools.cache
def boolean_wordings(truth: bool, language: str) -> tuple[str, ...]:
    """Return the words for yes (or no) of a language and of English, single ones only."""
    kind = "yes" if truth else "no"
    found = ["true", "yes", "correct"] if truth else ["false", "no", "incorrect"]
    for own in dict.fromkeys(["en", primary(language)]):
        found += [
            phrase
            for part in (f"{kind}-word", kind)
            for phrase in phrases(part).get(own, ())
            if " " not in phrase
        ]
    return tuple(dict.fromkeys(found))


def gold_wordings(
    question: Question, language: str = "en", aliases: Aliases | None = None
) -> list[tuple[str, ...]]:
    """Return the accepted wordings of each gold answer, also in the language.

    A boolean in the language and in English.
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
    """Return the different values of all rows."""
    return list(dict.fromkeys(cell for row in answers.rows for cell in row if cell is not None))


def given_texts(response: Response, extract: Extractor | None = None) -> list[str]:
    """Return the answers that a system gave, each as text.

    A name for an IRI, and of a reply in words the answer in it.

    Parameters
    ----------
    response
        What the system gave.
    extract
        Finds the answers in a reply; by default the marked one, or else the whole reply.
    """
    answers = response.answers
    if answers is None:
        return []
    if answers.boolean is not None:
        return answers.values()
    read = extract or _AUTO
    said = [text for row in answers.texts if row for text in read(row[0]).texts]
    return [*(wordings(cell)[0] for cell in gold_cells(answers)), *said] if answers.rows else said

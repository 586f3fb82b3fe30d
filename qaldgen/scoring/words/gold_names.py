"""Gold answers in words: their names, what counts as yes or no, and answers that have no name."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from qaldgen.answers.record import Response
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.terms import local_name
from qaldgen.scoring.words.extraction import Extractor, make_extractor
from qaldgen.scoring.words.phrases import locales, main_language, phrases, reading_languages
from qaldgen.scoring.words.tokens import plain_word, stem, tokens
from qaldgen.scoring.words.yes_no import YES_AND_NO

#: A word and a reason, of three words or more, since it may be a name: "Yes, Dear", "No. 5".
_TRUTH_AND_REASON = re.compile(
    r"(?P<truth>[^\W\d_]+)(?:\s*—\s*\S.*|\s+–\s+\S.*|,\s+\S+(?:\s+\S+){2,}"
    r"|\.\s+(?![a-z\d])\S+(?:\s+\S+){2,})",
    re.DOTALL,
)
#: From the IRI, local name or main name of a gold answer to further accepted names.
Aliases: TypeAlias = Mapping[str, Sequence[str]]
_QUALIFIER = re.compile(r"(?<=\S)(?:__.*|[\s_]*\([^()]*\)\s*)$")
#: Local names that are only codes: of Wikidata, Freebase, DBLP and others; hashes; numbers.
_OPAQUE = re.compile(
    r"[QPLE]\d+(?:-[FS]\d+)?|[mg]\.\w+|(?:[a-z]{1,3}[_-]?)?\d+|[0-9a-f]{8}[0-9a-f-]*|\W*",
    re.IGNORECASE,
)
#: IRIs in which a number is the name of an article: a year, a film.
_ENCYCLOPEDIA = re.compile(r"dbpedia\.org/resource/|wikipedia\.org/wiki/")
_AUTO = make_extractor()


@dataclasses.dataclass(frozen=True, eq=False)
class GoldKey:
    """The key of a cache: equal to another of the same objects, in the same language."""

    question: Question
    aliases: Aliases | None
    language: str
    _identity: tuple[int | str, ...] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        """Compute once what the key compares."""
        # fields of subclasses count; each record of a file has its own string for its language
        values = vars(self).values()
        identity = tuple(value if isinstance(value, str) else id(value) for value in values)
        object.__setattr__(self, "_identity", identity)

    def __hash__(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._identity == other._identity


def is_opaque(cell: Cell) -> bool:
    """Return whether an IRI ends in a number or a code, which no answer in words can match.

    >>> names = ("http://www.wikidata.org/entity/Q64", "http://dbpedia.org/resource/1984")
    >>> [is_opaque(Cell("uri", name)) for name in names]
    [True, False]
    """
    if cell.type == "bnode":
        return True
    if cell.type != "uri" or _ENCYCLOPEDIA.search(cell.value):
        return False
    return _OPAQUE.fullmatch(local_name(cell.value)) is not None


def plain_name(name: str) -> str:
    """Return the name of an article without underscores and without the qualifier in brackets.

    >>> plain_name("Old_Mill_(Ulm)"), plain_name("(Alpha)")
    ('Old Mill', '(Alpha)')
    """
    if "(" in name or "_" in name:
        name = _QUALIFIER.sub("", name).replace("_", " ").strip() or name
    return name


def gold_cells(answers: Answers) -> list[Cell]:
    """Return the different values of all rows."""
    return list(dict.fromkeys(answers.cells()))


def gold_size(question: Question) -> int:
    """Return how many gold answers a question has; a boolean is one."""
    answers = question.gold
    if answers.boolean is not None:
        return 1
    return len(gold_cells(answers)) + len(answers.texts)


@functools.lru_cache(maxsize=4096)
def gold_truths(key: GoldKey) -> frozenset[bool]:
    """Return the right answers to a yes-no question, its boolean or words for it; none for others.

    >>> golds = [("No",), ("nie", "Nie."), ("Dr. No",), ("tak", "nie"), ("Yes, it has a mill.",)]
    >>> texts = {"pl": ("Czy to młyn?",)}
    >>> questions = [Question("1", texts, answers=Answers(texts=(gold,))) for gold in golds]
    >>> [set(gold_truths(GoldKey(question, None, "en"))) for question in questions]
    [{False}, {False}, set(), {False, True}, {True}]
    """
    answers, texts = key.question.gold, key.question.texts
    if answers.boolean is not None:
        return frozenset([answers.boolean])
    rows = [*((cell.value,) for cell in gold_cells(answers) if cell.type != "uri"), *answers.texts]
    words = set()
    for word in chain.from_iterable(rows):
        reasoned = _TRUTH_AND_REASON.fullmatch(word)
        words.add((reasoned["truth"] if reasoned else word).strip(" .!。").casefold())
    if not words or not all(rows) or len(rows) != gold_size(key.question):
        return frozenset()
    for language in dict.fromkeys([*texts, key.language, "en"]):
        truths = _truth_words(language)
        if words <= truths.keys():
            return frozenset(truths[word] for word in words)
    return frozenset()


@functools.cache
def _truth_words(language: str) -> Mapping[str, bool]:
    """Return the words that are yes or no as a gold answer: True for yes."""
    base = main_language(language)
    truths = {"true": True, "false": False}
    for truth, kind in YES_AND_NO.items():
        # a word for yes with another meaning (tak, sí) is the first of the phrases that need a stop
        words = phrases(f"{kind}-word").get(base) or phrases(kind).get(base, ())[:1]
        truths |= dict.fromkeys(words, truth)
    return truths


@functools.cache
def boolean_wordings(truth: bool, language: str) -> tuple[str, ...]:
    """Return the single words for yes (or no) of English and of a language."""
    kind = YES_AND_NO[truth]
    words = ["true", "yes", "correct"] if truth else ["false", "no", "incorrect"]
    for tag in ("en", main_language(language)):
        rows = (*phrases(f"{kind}-word").get(tag, ()), *phrases(kind).get(tag, ()))
        words += [phrase for phrase in rows if " " not in phrase]
    return tuple(dict.fromkeys(words))


def count_nameless(question: Question, aliases: Aliases | None = None) -> int:
    """Return how many gold answers have no name, only a code, which no answer in words can match.

    >>> iris = [f"http://www.wikidata.org/entity/{name}" for name in ("Q64", "Q90")]
    >>> cells = tuple((Cell("uri", iri),) for iri in iris)
    >>> count_nameless(Question("1", {}, answers=Answers(rows=cells)), {"Q90": ["Paris"]})
    1
    """
    answers = question.gold
    n_codes = sum(_is_code(cell, aliases) for cell in gold_cells(answers))
    n_empty = sum(not row for row in answers.texts)
    return n_codes + n_empty


def cannot_be_named(question: Question, response: Response, aliases: Aliases | None = None) -> bool:
    """Return whether nothing can be compared: one side is in words, the other has only codes.

    >>> code = Answers(rows=((Cell("uri", "http://x.org/Q64"),),))
    >>> word = Answers(texts=(("Berlin",),))
    >>> pairs = [(code, word), (word, code), (code, code)]
    >>> [
    ...     cannot_be_named(Question("1", {}, answers=gold), Response("1", answers=answers))
    ...     for gold, answers in pairs
    ... ]
    [True, True, False]
    """
    answers, gold = response.given, question.gold
    if answers.texts:
        return 0 < gold_size(question) == count_nameless(question, aliases)
    cells, names = gold_cells(answers), {name for row in gold.texts for name in row}
    are_codes = bool(cells) and all(_is_code(cell, aliases) for cell in cells)
    return bool(names) and are_codes and names.isdisjoint(local_name(cell.value) for cell in cells)


def _is_code(cell: Cell, aliases: Aliases | None) -> bool:
    """Return whether an IRI has no name, of its own or in a table."""
    names = [name for name in wordings(cell, aliases) if name != local_name(cell.value)]
    return is_opaque(cell) and not names


def wordings(cell: Cell, labels: Aliases | None = None) -> tuple[str, ...]:
    """Return the names of a gold answer, the main one first: labels, the local name, aliases.

    >>> aliases = {"Old_Mill_(Ulm)": ["Alte Mühle"]}
    >>> wordings(Cell("uri", "http://x.org/resource/Old_Mill_(Ulm)"), aliases)
    ('Old Mill', 'Alte Mühle', 'Old Mill (Ulm)')
    """
    table = labels or {}
    if cell.type != "uri":
        return (cell.value, *table.get(cell.value, ()))
    local = local_name(cell.value)
    whole = local.replace("_", " ")
    names = (*dict.fromkeys([plain_name(local), *table.get(local, ()), whole]),)
    if local == cell.value:
        return names
    return (*table.get(cell.value, ()), *names)


def gold_wordings(key: GoldKey) -> list[tuple[str, ...]]:
    """Return the names of each gold answer, also in the language; a yes-no answer is one row."""
    answers, language = key.question.gold, key.language
    truths = sorted(gold_truths(key))
    if truths:
        words = [] if answers.boolean is not None else answers.values()
        for truth in truths:
            words += boolean_wordings(truth, language)
        return [tuple(words)]
    table = key.aliases or {}
    rows = [wordings(cell, table) for cell in gold_cells(answers)]
    rows += [(*row, *table.get(row[0], ())) if row else row for row in answers.texts]
    rows = [(*row, *other_ordinals(row[0], language)) if row else row for row in rows]
    return [(*row, *translations(row[0], language)) if row else row for row in rows]


def other_ordinals(name: str, language: str) -> list[str]:
    """Return a name with its ordinal number in words for one in digits, or in digits for words.

    >>> other_ordinals("21st century", "en"), other_ordinals("Vierzehnter Tag", "de")
    (['twenty-first century'], ['14. Tag'])
    """
    words = name.split()
    if sum(word[0].isdigit() for word in words) > 1:  # a date
        return []
    ordinals = _ordinals(language)
    names = []
    for word in words:
        other = ordinals.get(word) or ordinals.get(stem(plain_word(word), language))
        if other:
            names.append(name.replace(word, other))
    return names


@functools.cache
def _ordinals(language: str) -> Mapping[str, str]:
    """Return the ordinal numbers in words by their digits, and in digits by their stem."""
    table: dict[str, str] = {}
    for tag in reading_languages(language):
        for row in phrases("ordinal").get(tag, ()):
            words, _, digits = row.rpartition(" ")
            table.setdefault(digits, words)
            table.setdefault(stem(plain_word(words), language), digits)
    return table


@functools.cache
def _cldr_codes() -> Mapping[tuple[str, ...], tuple[str, str]]:
    """Return the table of CLDR and the code of countries, languages and currencies by name."""
    from babel import Locale

    english = Locale("en")
    codes: dict[tuple[str, ...], tuple[str, str]] = {}
    for table in ("currencies", "languages", "territories"):
        for code, name in getattr(english, table).items():
            codes[tokens(name)] = (table, str(code))
            if table == "languages":
                codes[(*tokens(name), "language")] = (table, str(code))
    return codes


@functools.lru_cache(maxsize=1 << 16)
def translations(name: str, language: str) -> tuple[str, ...]:
    """Return the name of a country, language or currency, known by its English name, in a language.

    >>> translations("Bhutan", "fr"), translations("Estonian language", "pt")
    (('Bhoutan',), ('estoniano',))
    """
    entry = _cldr_codes().get(tokens(name))
    if entry is None:
        return ()
    table, code = entry
    translation = getattr(locales(language)[-1], table).get(code)
    return () if translation in (None, name) else (translation,)


def given_texts(
    response: Response,
    extract: Extractor | None = None,
    aliases: Aliases | None = None,
    gold_names: Collection[str] = (),
) -> list[str]:
    """Return the answers of a system as texts: names of IRIs, and the answers in replies.

    A reply that is one of the gold names, in lower case, is the answer as a whole.
    """
    answers = response.given
    if answers.boolean is not None:
        return answers.values()
    names = []
    for cell in gold_cells(answers):
        cell_names = list(wordings(cell, aliases))
        if is_opaque(cell):  # a name comes before the code
            cell_names.sort(key=lambda name: name == local_name(cell.value))
        names.append(cell_names[0])
    extract = extract or _AUTO
    for text, *_ in filter(None, answers.texts):
        is_name = text.strip().casefold() in gold_names
        names += [text] if is_name else extract(text).texts
    return names

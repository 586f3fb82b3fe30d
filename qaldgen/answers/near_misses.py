"""Find near misses: wrong answers that differ from a gold answer in spelling only.

They count as wrong, by GERBIL's rules, as in the published scores of other systems.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from qaldgen.answers.record import Run
from qaldgen.io.text import count, few
from qaldgen.model import Question
from qaldgen.sparql.repair import DEFAULT_PREFIXES

#: Pages about things, and the IRIs of the things.
_PAGE_ADDRESSES = (
    (re.compile(r"//(?:\w+\.)?dbpedia\.org/(?:page|data)/"), "//dbpedia.org/resource/"),
    (re.compile(r"//en\.(?:m\.)?wikipedia\.org/wiki/"), "//dbpedia.org/resource/"),
    (re.compile(r"//(?:www\.|m\.)?wikidata\.org/wiki/(?:Special:EntityData/)?"),
     "//www.wikidata.org/entity/"),
)  # fmt: skip
#: What the prefix ``yago`` stands for in DBpedia, and in YAGO.
_YAGO = ("http://dbpedia.org/class/yago/", "http://yago-knowledge.org/resource/")
_HTTPS = re.compile(r"https://")
#: With three digits behind the comma a number may as well be in thousands.
_DECIMAL_COMMA = re.compile(r"^([+-]?[0-9]+),([0-9]{1,2}|[0-9]{4,})$")
#: A number in groups of three digits, and one with a power of ten.
_GROUPED = re.compile(r"^[+-]?[0-9]{1,3}(?:,[0-9]{3})+$")
_SCIENTIFIC = re.compile(r"^[+-]?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{1,3}$")
#: Decimal zeros that pandas adds to whole numbers beside an empty cell.
_ZEROS = re.compile(r"^([+-]?[0-9]+)(?:\.0+|(\.[0-9]*[1-9])0+)$")
#: A name with its prefix or namespace; the authority of an IRI is no namespace.
_NAME_IN_NAMESPACE = re.compile(
    r"^(?:https?://[^/]+/(?:.*[/#])?|[A-Za-z_][\w.-]*:(?!//))([^\s/#]+)$"
)
#: A day as an instant, which some stores write.
_MIDNIGHT = re.compile(r"^\+?(-?[0-9]{4,}-[0-9]{2}-[0-9]{2})T00:00:00(?:\.0+)?(?:Z|[+-]00:00)?$")


def _strip_brackets(text: str) -> str:
    return text.strip().removeprefix("<").removesuffix(">")


def _expand_prefix(text: str) -> str:
    prefix, colon, name = text.partition(":")
    if colon and prefix in DEFAULT_PREFIXES and not name.startswith("//"):
        text = DEFAULT_PREFIXES[prefix] + name
    return text.replace(*_YAGO)


def iri_of_page(text: str) -> str:
    """Return the IRI of the thing that a page is about; any other text unchanged."""
    for page, iri in _PAGE_ADDRESSES:
        text = page.sub(iri, text)
    return text


#: Differences in spelling, and functions that remove them, in the order of application.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "outer spaces or brackets": _strip_brackets,
    "entities of HTML": html.unescape,
    "prefixes": _expand_prefix,
    "percent-encoding": unquote,
    "forms of Unicode": partial(normalize, "NFC"),
    "http and https": partial(_HTTPS.sub, "http://", count=1),
    "the address of a page": iri_of_page,
    "decimal commas": partial(_DECIMAL_COMMA.sub, r"\1.\2"),
    "the time of midnight": partial(_MIDNIGHT.sub, r"\1"),
    "groups of digits": partial(_GROUPED.sub, lambda number: number[0].replace(",", "")),
    "powers of ten": partial(_SCIENTIFIC.sub, lambda number: format(Decimal(number[0]), "f")),
    "zeros behind the point": partial(_ZEROS.sub, r"\1\2"),
}
#: The difference in spelling of names that differ in nothing else.
_NAMESPACES = "namespaces, or prefixes that are not known"


class NearMiss(NamedTuple):
    """The answers to a question that are right but for their spelling."""

    id: str  #: the question
    answer: str  #: the first of the answers
    gold: str  #: the gold answer that is meant
    spelling: str  #: how they differ
    f1: float  #: F1 of the question if spelling did not count


def near_misses(questions: Iterable[Question], run: Run) -> Iterator[NearMiss]:
    """Yield the questions whose wrong answers differ from gold answers in spelling only.

    >>> from qaldgen.answers.record import Response
    >>> from qaldgen.model import Answers
    >>> def said(text):
    ...     return Answers(texts=((text,),))
    >>> gold = [Question("1", {}, answers=said("http://x.org/%C3%9Clm"))]
    >>> run = Run("mine", "table", {"1": Response("1", answers=said("http://x.org/Ülm"))})
    >>> [(miss.spelling, miss.f1) for miss in near_misses(gold, run)]
    [('percent-encoding', 1.0)]
    """
    for question in questions:
        responses = run.responses_to(question)
        gold = frozenset(question.gold.values())
        answers = frozenset(responses[0].given.values())
        if len(responses) > 1 or answers <= gold:
            continue
        gold_by_name = {_name_of(value): value for value in sorted(gold)}
        names = {answer: _name_of(answer) for answer in answers}
        near = [answer for answer in answers - gold if names[answer] in gold_by_name]
        if near:
            first = min(near)
            meant = gold_by_name[names[first]]
            given_names = set(names.values())
            n_right = len(given_names & gold_by_name.keys())
            f1 = 2 * n_right / (len(given_names) + len(gold_by_name))
            yield NearMiss(question.id, first, meant, _difference(first, meant), f1)


def _difference(answer: str, gold: str) -> str:
    """Return how an answer and the gold answer with its name differ: a key of `SPELLINGS`, mostly.

    >>> _difference("https://x.org/a%20b", "http://x.org/a b")
    'percent-encoding with http and https'
    """
    if _normalize(answer) != _normalize(gold):
        return _NAMESPACES
    for spelling, remove in SPELLINGS.items():
        if remove(answer) == remove(gold):
            return spelling
    removed = [*_removed_spellings(answer), *_removed_spellings(gold)]
    return " with ".join(dict.fromkeys(removed))


def describe_near_misses(misses: Sequence[NearMiss], name: str, score: float) -> str:
    """Return a message on near misses, of which there is one at least, and the score with them."""
    spellings = few(dict.fromkeys(miss.spelling for miss in misses))
    return (
        f"{name}: in {count(len(misses), 'question')} wrong answers equal gold ones but for"
        f" {spellings} (first: question {misses[0].id}, {misses[0].answer} and {misses[0].gold});"
        f" they stay wrong, otherwise macro F1 would be {score:.4f}"
    )


def _removed_spellings(value: str) -> Iterator[str]:
    """Yield the differences in spelling that `_normalize` removes from a value."""
    for spelling, remove in SPELLINGS.items():
        new_value = remove(value)
        if new_value != value:
            yield spelling
        value = new_value


def _normalize(value: str) -> str:
    for remove in SPELLINGS.values():
        value = remove(value)
    return value


@lru_cache(1 << 16)  # each comparison of the same runs needs the same names
def _name_of(value: str) -> str:
    """Return a normalized value, in which ``name:`` replaces a namespace or prefix."""
    return _NAME_IN_NAMESPACE.sub(r"name:\1", _normalize(value))

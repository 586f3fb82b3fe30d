"""Find near misses: wrong answers that differ from a gold answer in spelling only.

They count as wrong, by GERBIL's rules, as in the published scores of other systems.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
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


def _expand_prefix(text: str) -> str:
    prefix, _, name = text.partition(":")
    namespace = DEFAULT_PREFIXES.get(prefix, "")
    if namespace and text != prefix and not name.startswith("//"):
        return namespace + name
    return text


def _iri_of_page(text: str) -> str:
    for page, iri in _PAGE_ADDRESSES:
        text = page.sub(iri, text)
    return text


def _ungroup(text: str) -> str:
    if _GROUPED.match(text):
        return text.replace(",", "")
    return text


def _write_out(text: str) -> str:
    if _SCIENTIFIC.match(text):
        return format(Decimal(text), "f")
    return text


#: Differences in spelling, and functions that remove them, in the order of application.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "outer spaces or brackets": lambda text: text.strip().removeprefix("<").removesuffix(">"),
    "entities of HTML": html.unescape,
    "prefixes": lambda text: _expand_prefix(text).replace(*_YAGO),
    "percent-encoding": unquote,
    "forms of Unicode": lambda text: normalize("NFC", text),
    "http and https": lambda text: text.replace("https://", "http://", 1),
    "the address of a page": _iri_of_page,
    "decimal commas": lambda text: _DECIMAL_COMMA.sub(r"\1.\2", text),
    "the time of midnight": lambda text: _MIDNIGHT.sub(r"\1", text),
    "groups of digits": _ungroup,
    "powers of ten": _write_out,
    "zeros behind the point": lambda text: _ZEROS.sub(r"\1\2", text),
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
        expected = frozenset(question.gold.values())
        responses = run.responses_to(question)
        if len(responses) > 1:
            continue
        answers = frozenset(responses[0].given.values())
        if not expected or answers <= expected:
            continue
        gold = {_name_of(value): value for value in sorted(expected)}
        near = {}
        for value in answers - expected:
            if _name_of(value) in gold:
                near[value] = gold[_name_of(value)]
        if not near:
            continue
        first = min(near)
        spellings = [name for name, same in SPELLINGS.items() if same(first) == same(near[first])]
        if _normalize(first) != _normalize(near[first]):
            spellings = [_NAMESPACES]
        elif not spellings:
            changing = [*_changing_spellings(first), *_changing_spellings(near[first])]
            spellings = [" with ".join(dict.fromkeys(changing))]
        names = {_name_of(value) for value in answers}
        f1 = 2 * len(names & gold.keys()) / (len(names) + len(gold))
        yield NearMiss(question.id, first, near[first], spellings[0], f1)


def describe_near_misses(misses: Sequence[NearMiss], name: str, score: float) -> str:
    """Return a message on the number of near misses and the score without them; maybe empty."""
    if not misses:
        return ""
    spellings = few(dict.fromkeys(miss.spelling for miss in misses))
    return (
        f"{name}: in {count(len(misses), 'question')} wrong answers equal gold ones but for"
        f" {spellings} (first: question {misses[0].id}, {misses[0].answer} and {misses[0].gold});"
        f" they stay wrong, otherwise macro F1 would be {score:.4f}"
    )


def _changing_spellings(value: str) -> Iterator[str]:
    """Yield the differences in spelling that are removed from a value."""
    for name, change in SPELLINGS.items():
        if change(value) != value:
            yield name
        value = change(value)


def _normalize(value: str) -> str:
    for change in SPELLINGS.values():
        value = change(value)
    return value


def _name_of(value: str) -> str:
    """Return a normalized value, in which ``name:`` replaces a namespace or prefix."""
    return _NAME_IN_NAMESPACE.sub(r"name:\1", _normalize(value))

"""Matchers for linkers, whose results are the entities, relations and classes of a question.

These are component tasks of question answering in the paper's Table 1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from qaldgen.answers.record import Response
from qaldgen.errors import UsageError
from qaldgen.features.query.query_tree import QueryError
from qaldgen.features.resources import resources_of
from qaldgen.io.arguments import one_of
from qaldgen.io.notes import note
from qaldgen.io.text import count
from qaldgen.model import LeftOut, Question
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.matchers import MatcherKind

#: The field of `Resources`, and the name of the matcher, by the type of links (`Mention.kind`).
_FIELDS = {"entity": "entities", "relation": "relations", "class": "classes"}

_resources = functools.lru_cache(1 << 14)(resources_of)


def linking_matcher(link_type: str) -> Matcher:
    """Return the matcher for the results of a linker: sets of IRIs, compared exactly.

    >>> from qaldgen.model import Mention
    >>> question = Question("1", {}, queries={"": "SELECT ?x { <urn:a> <urn:p> ?x }"})
    >>> links = (Mention("a", "urn:a"), Mention("b", "urn:b"), Mention("p", "urn:p", "relation"))
    >>> linking_matcher("entity")(question, Response("1", mentions=links))
    Count(tp=1, fp=1, fn=0)
    """
    if link_type not in _FIELDS:
        suggestion = one_of(link_type, _FIELDS)
        raise UsageError(f"nothing of the kind {link_type!r} is linked; {suggestion}")

    def match_links(question: Question, response: Response) -> Count:
        gold = frozenset(linking_gold(question, link_type))
        links = (mention for mention in response.mentions if mention.kind == link_type)
        found = {mention.iri for mention in links if mention.iri}
        return Count(tp=len(gold & found), fp=len(found - gold), fn=len(gold - found))

    return match_links


def linking_gold(question: Question, link_type: str) -> tuple[str, ...]:
    """Return the IRIs of a type that a linker should find: in the query, else in the mentions.

    `qaldgen.features.resources.Resources` defines entity, relation and class.
    """
    if not question.sparql:
        mentions = (mention for mention in question.mentions if mention.kind == link_type)
        return tuple(dict.fromkeys(mention.iri for mention in mentions if mention.iri))
    iris: tuple[str, ...] = getattr(_resources(question.sparql), _FIELDS[link_type])
    return iris


def with_linking_gold(questions: Iterable[Question]) -> tuple[list[Question], list[LeftOut]]:
    """Return the questions with known links, and the others with a reason."""
    with_links: list[Question] = []
    left_out: list[LeftOut] = []
    for question in questions:
        try:
            linking_gold(question, "entity")
        except QueryError as error:
            left_out.append(LeftOut(question.id, str(error)))
            continue
        if question.sparql or question.mentions:
            with_links.append(question)
        else:
            left_out.append(LeftOut(question.id, "has neither a query nor mentions"))
    return with_links, left_out


def _keep_scorable(questions: Sequence[Question]) -> list[Question]:
    """Return the questions with known links, with a note on the others."""
    with_links, left_out = with_linking_gold(questions)
    if left_out:
        first_record = left_out[0]
        phrase = count(len(left_out), "question")
        note(f"{phrase} not scored (first: {first_record.record}): {first_record.reason}")
    return with_links


def _matcher(link_type: str, *, watches: Callable[[Response], bool] | None = None) -> MatcherKind:
    """Return the matcher for a type of links."""
    return MatcherKind(
        lambda rules: linking_matcher(link_type),
        f"{_FIELDS[link_type]} that a linker found, against the gold query",
        gold=_keep_scorable,
        answers=False,
        watches=watches,
    )


# its score is shown while a linker is asked
ENTITIES = _matcher("entity", watches=lambda response: bool(response.mentions))
RELATIONS = _matcher("relation")
CLASSES = _matcher("class")

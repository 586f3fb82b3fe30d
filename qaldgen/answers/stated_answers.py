"""Read the answer that a reply in words states: choices of its question, or IRIs.

A run keeps replies as they are. How the answer is found in a reply is an option of scoring, so this
is done when answers are judged. Matchers that compare words read the whole reply themselves.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from qaldgen.answers.near_misses import iri_of_page
from qaldgen.answers.record import Response
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.cells import parse_term
from qaldgen.questions.choices import question_choices, shown_first_number
from qaldgen.questions.records import scalar_text
from qaldgen.questions.stated_choices import find_choices
from qaldgen.questions.values import NOTHING_KNOWN, Choices, answers_in_column, as_terms
from qaldgen.questions.written_lists import parse_list
from qaldgen.rdf.terms import local_name

#: IRIs in a text: addresses, names with a prefix, and identifiers of Wikidata.
_IRI_IN_WORDS = re.compile(
    r"https?://[^\s<>()\[\]\"'`*]+|\b(?:wdt?|db[ro]):[^\s<>()\[\],;]+|\b[QP]\d+\b"
)


def first_number_in_replies(
    answered: Iterable[tuple[Question, Sequence[Response]]], extract: Callable[[str], Sequence[str]]
) -> int | None:
    """Return where the numbers of choices in replies count from; None if they do not show it."""
    pairs: list[tuple[object, Choices]] = []
    for question, responses in answered:
        choices = question_choices(question)
        if choices is None:
            continue
        for response in responses:
            for reply in response.given.values():
                pairs += [(text, choices) for text in extract(reply)]
    return shown_first_number(pairs)


def with_stated_answer(
    response: Response,
    question: Question,
    readers: Sequence[Callable[[str], Sequence[str]]],
    first_choice: int | None = None,
) -> Response:
    """Return a response with the choices that its reply names as answers, or else with its IRIs.

    A reply with any other answer stays as it is, and so does one with IRIs where the gold answers
    are not terms. `readers` find the texts of the answers in a reply; the first one counts that
    finds choices, or any text where there are none. Numbers of choices count from `first_choice`,
    or else as in the gold.
    """
    texts = [names[0] for names in response.given.texts if names]
    if not texts or len(texts) < len(response.given.texts):
        return response
    choices = question_choices(question)
    stated: Answers | None = None
    if choices is not None and len(texts) == 1:
        if first_choice is not None:
            choices = choices._replace(first=first_choice)
        for read in readers:
            found = [find_choices(text, choices) for text in read(texts[0])]
            if found and all(found):
                names = dict.fromkeys(chain.from_iterable(found))
                stated = Answers(texts=tuple((name,) for name in names))
                break
    elif choices is None and question.gold.rows:
        stated = _stated_iris(texts, question.gold, readers[0])
    if stated is None or not stated.values():
        return response
    return dataclasses.replace(response, answers=stated)


def _stated_iris(
    texts: Sequence[str], gold: Answers, read: Callable[[str], Sequence[str]]
) -> Answers | None:
    """Return the IRIs that a reply consists of, or that each of its texts mentions; else None."""
    words: list[str] = []
    for text in read(texts[0]):
        words += [scalar_text(word) for word in parse_list(text) or [text]]
    terms = as_terms(Answers(texts=tuple((word,) for word in words)), NOTHING_KNOWN)
    are_iris = terms is not None and all(cell.type == "uri" for cell in terms.cells())
    if len(texts) == 1 and terms is not None and terms.rows and are_iris:
        return terms
    # words alone are no rows: then the matcher reads the whole reply
    iris_of_texts = [_iris_in_words(text, gold) for text in texts]
    if not all(iris_of_texts):
        return None
    iris = dict.fromkeys(chain.from_iterable(iris_of_texts))
    return answers_in_column(Cell("uri", iri) for iri in iris)


def _iris_in_words(reply: str, gold: Answers) -> list[str]:
    """Return the IRIs in the namespaces of the gold that a reply mentions, in links or after names.

    >>> iri = "http://www.wikidata.org/entity/Q1"
    >>> gold = Answers(variables=("x",), rows=((Cell("uri", iri),),))
    >>> _iris_in_words("Ulm (Q3012), as [this](https://www.wikidata.org/wiki/Q64) says.", gold)
    ['http://www.wikidata.org/entity/Q3012', 'http://www.wikidata.org/entity/Q64']
    """
    gold_iris = [cell.value for cell in gold.cells() if cell.type == "uri"]
    namespaces = {iri.removesuffix(local_name(iri)) for iri in gold_iris}
    iris = []
    for text in _IRI_IN_WORDS.findall(reply.rpartition("</think>")[2]):
        term = parse_term(iri_of_page(text.rstrip(".,;:")))
        # links have https where the IRIs of Wikidata and DBpedia have http
        for iri in (term.value, term.value.replace("https://", "http://", 1)):
            if term.type == "uri" and iri.removesuffix(local_name(iri)) in namespaces:
                iris.append(iri)
    return list(dict.fromkeys(iris))

"""Answers compared as GERBIL QA does since September 2024, count by count.

Source: dice-group/gerbil, branch QuestionAnswering, commit 794c41a1. What needs a network there
(labels looked up at DBpedia, sameAs links of the web) is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from qaldgen.questions.gerbil import answer_strings, is_gerbil_iri
from qaldgen.rdf.java_uris import is_uri, is_url
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.gerbil.same_as import same_uris

#: A set that keeps its order: GERBIL pairs each answer with the first that fits.
OrderedSet: TypeAlias = dict[str, None]


def _only_itself(uri: str) -> frozenset[str]:
    """Return only the IRI itself."""  # `list same-as` shows it
    return frozenset([uri])


#: Which IRIs an answer of a system represents, by the name that `same_as` takes.
SAME_AS: dict[str, Callable[[str], frozenset[str]]] = {"none": _only_itself, "offline": same_uris}


def gerbil_match(
    gold: Collection[str], answers: Collection[str], *, same_as: str = "none"
) -> Count:
    """Compare the answers to a question with its gold answers as GERBIL does.

    A set of answers is either all IRIs or all strings: one answer that is not an IRI turns the
    whole set into strings. In a system's set of strings, those that are URLs become IRIs again; in
    a gold set they do not, so they can never be matched.

    >>> gerbil_match(["http://x.org/a", "http://x.org/b"], ["http://x.org/a", "5"])
    Count(tp=1, fp=1, fn=1)
    >>> gerbil_match(["http://x.org/a", "5"], ["http://x.org/a", "5"])
    Count(tp=1, fp=1, fn=1)
    """
    gold_iris, gold_strings = iris_and_strings(gold, is_gerbil_iri)
    iris, strings = system_iris_and_strings(answers, is_gerbil_iri)
    wrong_strings = [string for string in strings if string not in gold_strings]
    # each IRI is a set of its own, which is counted in half the time without the sets
    if same_as == "none":
        n_candidates = len(iris) + len(wrong_strings)
        n_pairs = len(gold_iris.keys() & set(iris).union(wrong_strings))
    else:
        iri_sets = list(dict.fromkeys(SAME_AS[same_as](iri) for iri in iris))
        iri_sets += [frozenset([string]) for string in wrong_strings]
        n_candidates = len(iri_sets)
        n_pairs = _count_pairs(gold_iris, iri_sets)
    n_right = len(strings) - len(wrong_strings) + n_pairs
    n_gold = len(gold_iris) + len(gold_strings)
    return Count(n_right, n_candidates - n_pairs, n_gold - n_right)


def gerbil_matcher(same_as: str = "none") -> Matcher:
    """Return a matcher that applies `gerbil_match`."""
    return lambda question, response: gerbil_match(
        answer_strings(question.answers), answer_strings(response.answers), same_as=same_as
    )


def iris_and_strings(
    values: Iterable[str], is_iri: Callable[[str], bool]
) -> tuple[OrderedSet, OrderedSet]:
    """Return gold answers as IRIs and as strings, one of which is empty."""
    distinct = dict.fromkeys(values)
    if all(map(is_iri, distinct)):
        return distinct, {}
    return {}, distinct


def system_iris_and_strings(
    values: Iterable[str], is_iri: Callable[[str], bool]
) -> tuple[OrderedSet, OrderedSet]:
    """Return the answers of a system as IRIs and strings; URLs among strings count as IRIs."""
    iris, strings = iris_and_strings(values, is_iri)
    for value in list(strings):
        if is_url(value):
            iris[value] = None
            del strings[value]
    return iris, strings


def _count_pairs(gold: Iterable[str], iri_sets: Sequence[frozenset[str]]) -> int:
    """Pair each gold IRI with the first free set that contains it; return how many pairs."""
    # indices are stored from the last to the first, so that `pop` takes the first
    indices_by_iri: dict[str, list[int]] = {}
    for index in reversed(range(len(iri_sets))):
        for iri in iri_sets[index]:
            indices_by_iri.setdefault(iri, []).append(index)
    paired: set[int] = set()
    for iri in gold:
        indices = indices_by_iri.get(iri, [])
        while indices and indices[-1] in paired:
            indices.pop()
        if indices:
            paired.add(indices.pop())
    return len(paired)


#: The starts of IRIs in the knowledge bases that GERBIL knows; to it all others are one thing.
KNOWN = (
    "http://dbpedia.org/resource/",
    "http://dbpedia.org/ontology/",
    "http://ontologydesignpatterns.org/ont/dul/",
    "http://www.ontologydesignpatterns.org/ont/d0.owl",
    "http://www.wikidata.org/entity/",
)


def is_known(iris: frozenset[str]) -> bool:
    """Return whether one of these IRIs is in a knowledge base that GERBIL knows."""
    return any(iri.startswith(KNOWN) for iri in iris)


def match_known(
    gold: Sequence[frozenset[str]], answers: Sequence[frozenset[str]]
) -> tuple[Count, set[int]]:
    """Match sets of IRIs: two known sets if they overlap, two unknown sets always.

    Return the count and the indices of the marked sets of the answer. A gold set is right if any
    set of the answer matches, even one that another gold set has matched already; only the first of
    them is marked, and sets that are never marked are false positives. So there can be more true
    positives than sets of the answer.

    >>> match_known([frozenset(["urn:a"]), frozenset(["urn:b"])], [frozenset(["urn:c"])])[0]
    Count(tp=2, fp=0, fn=0)
    """
    first_index: dict[str, int] = {}  # by IRI the first set with it
    first_unknown = None
    for index in reversed(range(len(answers))):
        if is_known(answers[index]):
            first_index.update(dict.fromkeys(answers[index], index))
        else:
            first_unknown = index
    marked: set[int] = set()
    n_right = 0
    for iris in gold:
        match = first_unknown
        if is_known(iris):
            match = min((first_index[iri] for iri in iris if iri in first_index), default=None)
        if match is not None:
            marked.add(match)
            n_right += 1
    return Count(n_right, len(answers) - len(marked), len(gold) - n_right), marked


def gerbil_2023_match(
    gold: Collection[str], answers: Collection[str], *, same_as: str = "none"
) -> Count:
    """Compare the answers to a question with its gold answers as GERBIL did until 2024.

    Any text that ``java.net.URI`` accepts was an IRI, so numbers, booleans and single words were,
    too; and any two IRIs outside the known knowledge bases were the same. So a wrong number was
    right; only a wrong IRI of DBpedia or Wikidata was wrong.

    >>> gerbil_2023_match(["5"], ["42"])
    Count(tp=1, fp=0, fn=0)
    """
    gold_iris, gold_strings = iris_and_strings(gold, is_uri)
    iris, strings = system_iris_and_strings(answers, is_uri)
    iri_sets = list(dict.fromkeys(SAME_AS[same_as](iri) for iri in iris))
    iri_sets += [frozenset([string]) for string in strings if string not in gold_strings]
    missing = list(gold_iris)
    missing += [string for string in gold_strings if string not in strings]
    count, _ = match_known([frozenset([value]) for value in missing], iri_sets)
    return count._replace(tp=count.tp + len(gold_iris) + len(gold_strings) - len(missing))


def gerbil_2023_matcher(same_as: str = "none") -> Matcher:
    """Return a matcher that applies `gerbil_2023_match`."""
    return lambda question, response: gerbil_2023_match(
        answer_strings(question.answers), answer_strings(response.answers), same_as=same_as
    )

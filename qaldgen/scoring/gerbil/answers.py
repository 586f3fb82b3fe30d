"""Answers compared as GERBIL QA does since September 2024, count by count.

Source: dice-group/gerbil, branch QuestionAnswering, commit 794c41a1. What needs a network there
(labels looked up at DBpedia, sameAs links of the web) is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from qaldgen.questions.gerbil import answer_strings, is_gerbil_iri
from qaldgen.rdf.java_uris import is_uri, is_url
from qaldgen.scoring.counts import Count, Matcher
from qaldgen.scoring.gerbil.same_as import same_uris


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
    if gold_iris and same_as == "none" and all(map(is_gerbil_iri, answers)):
        # the usual case, all IRIs without sameAs: plain sets give the same counts, faster
        unique = {*answers}
        paired = len(gold_iris.keys() & unique)
        return Count(paired, len(unique) - paired, len(gold_iris) - paired)
    iris, strings = system_iris_and_strings(answers, is_gerbil_iri)
    wrong_strings = [string for string in strings if string not in gold_strings]
    right = len(strings) - len(wrong_strings)
    if same_as == "none":
        wrong = len(iris) + len(wrong_strings)
        paired = len(gold_iris.keys() & {*iris, *wrong_strings})
    else:
        sets = list(dict.fromkeys(SAME_AS[same_as](iri) for iri in iris))
        sets += [frozenset([string]) for string in wrong_strings]
        wrong = len(sets)
        paired = _pairs(gold_iris, sets)
    right += paired
    return Count(right, wrong - paired, len(gold_iris) + len(gold_strings) - right)


def gerbil_matcher(same_as: str = "none") -> Matcher:
    """Return a matcher that applies `gerbil_match`."""
    return lambda question, response: gerbil_match(
        answer_strings(question.answers), answer_strings(response.answers), same_as=same_as
    )


def iris_and_strings(
    values: Iterable[str], is_iri: Callable[[str], bool]
) -> tuple[dict[str, None], dict[str, None]]:
    """Return gold answers as IRIs and as strings, one of which is empty."""
    unique = dict.fromkeys(values)
    if all(map(is_iri, unique)):
        return unique, {}
    return {}, unique


def system_iris_and_strings(
    values: Iterable[str], is_iri: Callable[[str], bool]
) -> tuple[dict[str, None], dict[str, None]]:
    """Return the answers of a system as IRIs and strings.

    As for gold answers, but URLs among strings are IRIs after all.
    """
    iris, strings = iris_and_strings(values, is_iri)
    urls = {value: None for value in strings if is_url(value)}
    return iris or urls, {value: None for value in strings if value not in urls}


def _pairs(gold: Iterable[str], sets: Sequence[frozenset[str]]) -> int:
    """Count the gold IRIs that get a set of their own: each takes the first free one with it."""
    # positions are stored from the last to the first, so that `pop` takes the first
    holders: dict[str, list[int]] = {}
    for position in reversed(range(len(sets))):
        for uri in sets[position]:
            holders.setdefault(uri, []).append(position)
    used: set[int] = set()
    for uri in gold:
        free = holders.get(uri, [])
        while free and free[-1] in used:
            free.pop()
        if free:
            used.add(free.pop())
    return len(used)


#: The starts of IRIs in the knowledge bases that GERBIL knows; to it all others are one thing.
KNOWN = (
    "http://dbpedia.org/resource/",
    "http://dbpedia.org/ontology/",
    "http://ontologydesignpatterns.org/ont/dul/",
    "http://www.ontologydesignpatterns.org/ont/d0.owl",
    "http://www.wikidata.org/entity/",
)


def is_known(uris: frozenset[str]) -> bool:
    """Return whether one of these IRIs is in a knowledge base that GERBIL knows."""
    return any(uri.startswith(KNOWN) for uri in uris)


def match_known(
    gold: Sequence[frozenset[str]], answers: Sequence[frozenset[str]]
) -> tuple[Count, set[int]]:
    """Match sets of IRIs: two known ones if they overlap, two unknown ones always.

    A gold set is right if any set of the answer matches, even one that another gold set has matched
    already; only the first of them is marked, and sets that are never marked are false positives.
    So there can be more true positives than sets of the answer.

    >>> match_known([frozenset(["urn:a"]), frozenset(["urn:b"])], [frozenset(["urn:c"])])[0]
    Count(tp=2, fp=0, fn=0)
    """
    first: dict[str, int] = {}
    unknown = None
    for i in reversed(range(len(answers))):
        if is_known(answers[i]):
            first.update(dict.fromkeys(answers[i], i))
        else:
            unknown = i
    marked: set[int] = set()
    right = 0
    for uris in gold:
        hit = unknown
        if is_known(uris):
            hit = min((first[uri] for uri in uris if uri in first), default=None)
        if hit is not None:
            marked.add(hit)
            right += 1
    return Count(right, len(answers) - len(marked), len(gold) - right), marked


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
    sets = list(dict.fromkeys(SAME_AS[same_as](iri) for iri in iris))
    sets += [frozenset([string]) for string in strings if string not in gold_strings]
    missing = [*gold_iris, *(string for string in gold_strings if string not in strings)]
    count, _ = match_known([frozenset([value]) for value in missing], sets)
    return count._replace(tp=count.tp + len(gold_iris) + len(gold_strings) - len(missing))


def gerbil_2023_matcher(same_as: str = "none") -> Matcher:
    """Return a matcher that applies `gerbil_2023_match`."""
    return lambda question, response: gerbil_2023_match(
        answer_strings(question.answers), answer_strings(response.answers), same_as=same_as
    )

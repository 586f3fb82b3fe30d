"""Build passages.jsonl and polish-questions.jsonl.

Open-domain questions over the facts of the example graph.

Sentences are made from the facts by templates, in Polish and English, so it is known which passage
supports which fact: relevance is derived, not annotated. A fact is told in the words of its
question, in other words, or both, which makes some questions hard to find. Hard negatives are
planted: every entity has passages about its other properties, every property passages about other
entities, and every fourth passage also tells the same property of another entity.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pyoxigraph as ox
from example_tools import HERE, ONT, RDFS, RES, load_store, write_text

_MONTHS = (
    "stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września",
    "października", "listopada", "grudnia",
)  # fmt: skip


class Name(NamedTuple):
    """What an entity is called in Polish."""

    name: str
    genitive: str
    female: bool


class Relation(NamedTuple):
    """How facts with one property are told and asked.

    Templates know ``s`` and ``o``, the names of subject and object, ``sg`` and ``og``, their
    genitives, ``v``, the value of a literal, ``d``, a date in words, and ``born``, "urodził się" or
    "urodziła się".
    """

    property: str
    question: str
    direct: str
    other: str
    english: str
    #: Only subjects of this class; empty for all.
    kind: str = ""
    #: Whether the object may be given in the genitive, and behind "do".
    inflected: bool = False
    #: A question with two options, or "" for none; ``x`` is the wrong one.
    choice: str = ""
    #: A question for yes and no about the object ``x``.
    yes_no: str = ""


class Fact(NamedTuple):
    """One triple of the graph, with its names."""

    relation: Relation
    key: str
    subject: str
    answers: tuple[str, ...]
    words: dict[str, str]
    english: dict[str, str]


RELATIONS = (
    Relation(
        "capital", "Które miasto jest dziś stolicą {sg}?", "Miasto {o} jest stolicą {sg}.",
        "{o} to miasto stołeczne; leży w państwie o nazwie {s}.", "The capital of {s} is {o}.",
        choice="Które miasto jest stolicą {sg}: {x} czy {y}?",
        yes_no="Czy {x} to miasto, które jest stolicą {sg}?",
    ),
    Relation(
        "currency", "Jaką walutą płaci się na terenie {sg}?",
        "Na terenie {sg} płaci się walutą o nazwie {o}.",
        "{s} to państwo, w którym portfel wypełnia {o}.", "The currency of {s} is the {o}.",
    ),
    Relation(
        "length", "Ile kilometrów długości ma rzeka {s}?", "Rzeka {s} ma {v} km długości.",
        "Od źródła aż po ujście {s} pokonuje {v} km.", "{s} is {v} km long.",
    ),
    Relation(
        "mouth", "Do jakiego akwenu uchodzi rzeka {s}?", "Rzeka {s} uchodzi do {og}.",
        "Tam, gdzie kończy się {s}, zaczyna się {o}.", "{s} flows into the {o}.", inflected=True,
    ),
    Relation(
        "height", "Ile metrów wysokości ma szczyt {s}?", "Szczyt {s} ma {v} m wysokości.",
        "{s}: wierzchołek leży {v} m nad poziomem morza.", "{s} is {v} metres high.",
    ),
    Relation(
        "depth", "Ile metrów głębokości ma {s}?", "W najgłębszym miejscu {s} ma {v} m głębokości.",
        "{s}: od lustra wody do dna jest tam nawet {v} m.", "{s} is {v} metres deep.",
    ),
    Relation(
        "author", "Kto jest autorem utworu „{s}”?", "Autorem utworu „{s}” jest {o}.",
        "Na okładce „{s}” widnieje nazwisko: {o}.", "{s} was written by {o}.",
        choice="Kto jest autorem utworu „{s}”: {x} czy {y}?",
    ),
    Relation(
        "publicationYear", "W którym roku ukazał się drukiem utwór „{s}”?",
        "Utwór „{s}” ukazał się drukiem w {v} roku.", "Pierwsi czytelnicy poznali „{s}” w {v} r.",
        "{s} was published in {v}.",
    ),
    Relation(
        "director", "Kto jest reżyserem filmu „{s}”?", "Reżyserem filmu „{s}” jest {o}.",
        "Na planie „{s}” ekipą kierował {o}.", "{s} was directed by {o}.",
        yes_no="Czy {x} to osoba, która jest reżyserem filmu „{s}”?",
    ),
    Relation(
        "releaseYear", "W którym roku wszedł na ekrany film „{s}”?",
        "Film „{s}” wszedł na ekrany w {v} roku.", "Premiera „{s}” przypada na rok {v}.",
        "The film {s} was released in {v}.",
    ),
    Relation(
        "runtime", "Ile minut trwa film „{s}”?", "Film „{s}” trwa {v} min.",
        "Seans „{s}” zajmuje widzom {v} min.", "The film {s} runs for {v} minutes.",
    ),
    Relation(
        "atomicNumber", "Jaką liczbę atomową ma pierwiastek {s}?",
        "Pierwiastek {s} ma liczbę atomową {v}.",
        "Protonów w jądrze, które ma {s}, jest {v}.", "The atomic number of {s} is {v}.",
    ),
    Relation(
        "symbol", "Jakim symbolem oznacza się pierwiastek {s}?",
        "Pierwiastek {s} oznacza się symbolem {v}.",
        "W układzie okresowym {s} to {v}.", "The symbol of {s} is {v}.", kind="ChemicalElement",
    ),
    Relation(
        "diameter", "Ile kilometrów średnicy ma {s}?", "{s} ma {v} km średnicy.",
        "Od bieguna do bieguna {s} mierzy około {v} km.", "{s} has a diameter of {v} km.",
    ),
    Relation(
        "artist", "Kto jest twórcą obrazu „{s}”?", "Twórcą obrazu „{s}” jest {o}.",
        "„{s}” to płótno, przy którym pędzel trzymał {o}.", "{s} was painted by {o}.",
    ),
    Relation(
        "exhibitedIn", "W jakim muzeum wisi obraz „{s}”?",
        "Obraz „{s}” wisi w muzeum o nazwie {o}.",
        "Bilet do galerii {o} pozwala obejrzeć „{s}”.", "{s} can be seen in the {o}.",
    ),
    Relation(
        "birthPlace", "W jakim mieście {born} {s}?", "{s} {born} w mieście {o}.",
        "Rodzinnym miastem, które ma w metryce {s}, jest {o}.", "{s} was born in {o}.",
        yes_no="Czy {x} to miasto, w którym {born} {s}?",
    ),
    Relation(
        "birthDate", "W którym roku {born} {s}?", "{s} {born} {d} roku.",
        "{s}: w paszporcie rocznik {v}.", "{s} was born in {v}.",
    ),
)  # fmt: skip


def read_names() -> dict[str, Name]:
    """Read the Polish names; without a genitive of its own a name is not inflected."""
    with (HERE / "polish_names.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {
        RES + row["id"]: Name(row["name"], row["genitive"] or row["name"], bool(row["female"]))
        for row in rows
    }


def facts(store: ox.Store, names: dict[str, Name]) -> Iterator[Fact]:
    """Yield the facts that can be told in Polish, one for each subject and relation."""
    for relation in RELATIONS:
        seen = set()
        found = store.quads_for_pattern(None, ox.NamedNode(ONT + relation.property), None)
        for quad in sorted(found, key=str):
            subject = getattr(quad.subject, "value", "")
            if subject in names and subject not in seen and _fits(store, subject, relation.kind):
                fact = _fact(store, names, relation, subject, quad.object)
                if fact is not None:
                    seen.add(subject)
                    yield fact


def _fits(store: ox.Store, subject: str, kind: str) -> bool:
    types = store.quads_for_pattern(ox.NamedNode(subject), None, ox.NamedNode(ONT + kind))
    return not kind or any(True for _ in types)


def _fact(
    store: ox.Store, names: dict[str, Name], relation: Relation, subject: str, term: object
) -> Fact | None:
    """Return a fact with the words for its templates; None where the object has no Polish name."""
    own = names[subject]
    words = {
        "s": own.name,
        "sg": own.genitive,
        "born": "urodziła się" if own.female else "urodził się",
    }
    english = {"s": _label(store, subject)}
    if isinstance(term, ox.NamedNode):
        if term.value not in names:
            return None
        other = names[term.value]
        words |= {"o": other.name, "og": other.genitive}
        english["o"] = _label(store, term.value)
        variants = (
            [other.name, other.genitive, f"do {other.genitive}"]
            if relation.inflected
            else [other.name]
        )
    else:
        value = str(getattr(term, "value")).removesuffix(".0")  # noqa: B009
        year, _, rest = value.partition("-")
        if rest:
            month, day = map(int, rest.split("-"))
            words["d"], value = f"{day} {_MONTHS[month - 1]} {year}", year
        words["v"] = english["v"] = value
        variants = [value]
    key = f"{subject.removeprefix(RES)} {relation.property}"
    return Fact(relation, key, own.name, tuple(dict.fromkeys(variants)), words, english)


def _label(store: ox.Store, iri: str) -> str:
    quads = store.quads_for_pattern(ox.NamedNode(iri), ox.NamedNode(RDFS + "label"), None)
    return next(str(getattr(quad.object, "value")) for quad in quads)  # noqa: B009


class Passage(NamedTuple):
    """A passage, and the facts that it states."""

    id: str
    title: str
    text: str
    supports: tuple[str, ...]


def passages(told: list[Fact]) -> list[Passage]:
    """Return the passages, by relation as the facts are."""
    made: list[Passage] = []

    def add(language: str, title: str, sentences: list[tuple[str, Fact]]) -> None:
        keys = tuple(fact.key for _, fact in sentences)
        made.append(
            Passage(
                f"{language}-{len(made):03}", title, _joined([one for one, _ in sentences]), keys
            )
        )

    for at, fact in enumerate(told):
        direct = (fact.relation.direct.format(**fact.words), fact)
        other = (fact.relation.other.format(**fact.words), fact)
        neighbour = _neighbour(told, at)
        more = [] if at % 4 else [(neighbour.relation.direct.format(**neighbour.words), neighbour)]
        if at % 5 != 1:
            add("pl", fact.subject, [direct, *more])
        if at % 5 in {1, 2}:
            add("pl", fact.subject, [other])
        if at % 3 == 0:
            add("en", fact.english["s"], [(fact.relation.english.format(**fact.english), fact)])
    return made


def _neighbour(told: list[Fact], at: int) -> Fact:
    """Return a fact with the same property about another entity."""
    same = [fact for fact in told if fact.relation is told[at].relation]
    return same[(same.index(told[at]) + len(same) // 2) % len(same)]


def _joined(sentences: list[str]) -> str:
    return " ".join(sentence[:1].upper() + sentence[1:] for sentence in sentences)


def questions(told: list[Fact], known: list[Passage]) -> Iterator[dict[str, object]]:
    """Yield the questions, each with its answers, its fact and the passages that state it."""
    supporting: dict[str, list[str]] = {}
    for passage in known:
        for key in passage.supports:
            supporting.setdefault(key, []).append(passage.id)
    number = 0
    for at, fact in enumerate(told):
        for text, answers in _asked(told, at):
            number += 1
            relevant = " ".join(supporting[fact.key])
            yield {
                "id": str(number), "question": text, "language": "pl", "answers": [answers],
                "relevant_passages": relevant, "fact": fact.key,
            }  # fmt: skip


def _asked(told: list[Fact], at: int) -> Iterator[tuple[str, list[str]]]:
    """Yield what is asked about a fact, with the answers.

    Every third one, and options and yes or no in turn.
    """
    fact, other = told[at], _neighbour(told, at)
    relation = fact.relation
    if at % 3 == 1:
        yield relation.question.format(**fact.words), list(fact.answers)
    if other.answers == fact.answers:
        return  # the wrong option would be right
    own, wrong = fact.answers[0], other.answers[0]
    if relation.choice and at % 6 == 2:
        first, second = (own, wrong) if at % 4 else (wrong, own)
        yield relation.choice.format(**fact.words, x=first, y=second), [own]
    if relation.yes_no and at % 6 == 3:
        right = bool(at % 4 == 1)
        yield (
            relation.yes_no.format(**fact.words, x=own if right else wrong),
            ["tak" if right else "nie"],
        )


def build() -> tuple[str, str]:
    """Return the text of passages.jsonl and of polish-questions.jsonl."""
    told = list(facts(load_store(HERE / "graph.ttl"), read_names()))
    known = passages(told)
    dump: Callable[[object], str] = lambda record: json.dumps(record, ensure_ascii=False) + "\n"  # noqa: E731
    return "".join(dump(one._asdict()) for one in known), "".join(map(dump, questions(told, known)))


def main() -> None:
    """Write both files."""
    for name, text in zip(("passages.jsonl", "polish-questions.jsonl"), build(), strict=True):
        write_text(HERE / name, text)


if __name__ == "__main__":
    main()

"""A made-up world to measure ACT Selection on: a graph with labels, and questions about it.

Property labels are those of Wikidata; the wordings of questions are paraphrases, as people ask.
Several properties lead to things of one type, most things have more than one type, some share a
name, and there are properties that nobody asks for. The test questions are about subjects that no
training question mentions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyoxigraph as ox

from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.rdf.terms import PREFIXES
from qaldgen.stores.local import LocalStore, open_quads

_BASE = "http://example.org/world/"
_TYPE, _LABEL = f"{PREFIXES['rdf']}type", f"{PREFIXES['rdfs']}label"
#: How many things of each class there are, and the types that they have beside it.
_CLASSES = {
    "human": (300, ()),
    "city": (90, ("big city", "municipality", "capital city", "port settlement")),
    "country": (25, ("sovereign state", "member state", "island country")),
    "film": (90, ("film adaptation", "feature film")),
    "literary work": (70, ("novel", "written work")),
    "business": (50, ("public company", "enterprise", "record label")),
    "musical group": (40, ("rock band", "duo")),
    "university": (25, ("public university", "research institute")),
    "profession": (25, ("occupation",)),
    "language": (20, ("natural language", "modern language")),
    "award": (15, ("science award",)),
    "genre": (20, ("film genre", "music genre")),
    "currency": (12, ()),
    "continent": (5, ("geographic region",)),
    "encyclopedia": (8, ("reference work",)),
    "category": (40, ()),
    "museum": (12, ("art museum",)),
}
#: What is asked for: class of the subject, label of the property, class of the object, three
#: wordings, and one of the inverse question, if people ask it.
_RELATIONS = tuple(
    tuple(line.split("\t"))
    for line in (Path(__file__).with_name("act_relations.tsv")).read_text("utf-8").splitlines()[1:]
)
#: What nobody asks for: class of the subject, label of the property, class of the object.
_NOISE = tuple(
    (subject, name, object_)
    for subject in (
        "human", "city", "country", "film", "literary work", "business", "musical group"
    )
    for name, object_ in (
        ("described by source", "encyclopedia"), ("topic's main category", "category"),
        ("archives at", "museum"), ("maintained by", "university"), ("significant event", "film"),
        ("named after", "human"), ("work location", "city"),
    )
)  # fmt: skip
#: Names that two things have, and the shares of garbled names and of inverse questions.
_HOMONYMS, _GARBLED, _INVERSE = 25, 0.12, 0.09
_SYLLABLES = (
    "ba be bo da do el fa ga gi ha ir ka ko la le lo ma mi mo na ne no or pa pe ra ri ro sa se sta"
    " ta ti to u va ve vi wa ze zo tra bri gro sten mar lin dor fel gan hal"
)


class World(NamedTuple):
    """A graph with questions.

    Attributes
    ----------
    graph : LocalStore
        The knowledge graph.
    training : QuestionSet
        Questions with answers.
    test : QuestionSet
        Questions about other subjects.
    """

    graph: LocalStore
    training: QuestionSet
    test: QuestionSet


def make_world(seed: int, questions: int = 600) -> World:
    """Make a world.

    Parameters
    ----------
    seed
        The same seed makes the same world.
    questions
        Of the test set.
    """
    rng = np.random.default_rng(seed)
    names = _names(rng)
    facts = _facts(rng, names)
    label = {thing: name for own in names.values() for thing, name in own.items()}
    training, test = _questions(rng, facts, label)
    chosen = sorted(rng.choice(len(test), size=min(questions, len(test)), replace=False))
    quads = list(_quads(rng, names, facts))
    return World(
        open_quads("world", quads),
        QuestionSet("training", "table", tuple(training)),
        QuestionSet("test", "table", tuple(test[at] for at in chosen)),
    )


def development(world: World, seed: int) -> World:
    """Return the training part of a world, divided, to make choices without the test questions.

    Parameters
    ----------
    world
        The world.
    seed
        The same seed gives the same division.

    Returns
    -------
    World
        Its test questions are those training questions that name one of a sixth of the names, as
        often garbled as those of the world; all others are its training questions.
    """
    rng = np.random.default_rng(seed + 5000)
    asked = [(one, _subject(one.text("en"))) for one in world.training.questions]
    names = sorted({name for _, name in asked})
    held_out = set(rng.choice(names, size=len(names) // 6, replace=False).tolist())
    test = []
    for one, name in asked:
        if name in held_out:
            text = one.text("en")
            if rng.random() < _GARBLED:
                at = int(rng.integers(1, len(name)))
                text = text.replace(name, name[:at] + name[at + 1 :])
            test.append(dataclasses.replace(one, texts={"en": (text,)}))
    training = tuple(one for one, name in asked if name not in held_out)
    return World(
        world.graph,
        QuestionSet("training", "table", training),
        QuestionSet("development", "table", tuple(test)),
    )


def _subject(text: str) -> str:
    """Return the name in a question: what is between the words of the longest wording."""
    found = []
    for _, _, _, wordings, inverse in _RELATIONS:
        for wording in filter(None, [*wordings.split("|"), inverse]):
            start, end = wording.split("{}")
            if text.startswith(start) and text.endswith(end) and len(text) > len(wording) - 2:
                found.append((len(wording), text[len(start) : len(text) - len(end)]))
    return max(found)[1]


def _names(rng: np.random.Generator) -> dict[str, dict[str, str]]:
    """Return the things of each class with their names."""
    made, taken = dict[str, dict[str, str]](), list[str]()
    for kind, (size, _) in _CLASSES.items():
        made[kind] = {}
        for number in range(size):
            name = ""
            while not name or name in taken:
                words = range(2 if kind in {"human", "film", "literary work"} else 1)
                name = " ".join(
                    "".join(rng.choice(_SYLLABLES.split(), rng.integers(2, 4))).title()
                    for _ in words
                )
            taken.append(name)
            made[kind][f"{_BASE}{kind.replace(' ', '_')}{number}"] = name
    things = [(kind, thing) for kind, own in made.items() for thing in own]
    for at, other in zip(*(rng.permutation(len(things))[:_HOMONYMS] for _ in "ab"), strict=True):
        (kind, thing), (other_kind, twin) = things[at], things[other]
        made[kind][thing] = made[other_kind][twin]
    return made


def _facts(
    rng: np.random.Generator, names: dict[str, dict[str, str]]
) -> list[tuple[str, str, str, str, str]]:
    """Return subject, label of the property, object, wordings, wording of the inverse."""
    found = []
    noise = [(*one, "", "") for one in _NOISE]
    for subject, name, object_, wordings, inverse in [*_RELATIONS, *noise]:
        objects = list(names[object_])
        # a few objects are frequent, as in any graph: the second half as often as the first, ...
        often = 1 / np.arange(1, len(objects) + 1)
        often /= often.sum()
        for thing in names[subject]:
            if rng.random() < (0.85 if wordings else 0.4):
                other = objects[int(rng.choice(len(objects), p=often))]
                if other != thing:
                    found.append((thing, name, other, wordings, inverse))
    return found


def _questions(
    rng: np.random.Generator, facts: list[tuple[str, str, str, str, str]], label: dict[str, str]
) -> tuple[list[Question], list[Question]]:
    """Return the training questions, and those about subjects that are not in them."""
    subjects = sorted({fact[0] for fact in facts} | {fact[2] for fact in facts if fact[4]})
    held_out = set(rng.choice(subjects, size=len(subjects) // 3, replace=False))
    forward, inverse = dict[tuple[str, str], list[str]](), dict[tuple[str, str], list[str]]()
    for thing, _, object_, wordings, back in facts:
        if wordings:
            forward.setdefault((thing, wordings), []).append(object_)
        if back:
            inverse.setdefault((object_, back), []).append(thing)
    number = round(len(forward) * _INVERSE / (1 - _INVERSE))
    kept = sorted(rng.permutation(len(inverse))[:number])
    asked = [*forward.items(), *(list(inverse.items())[at] for at in kept)]
    training, test = list[Question](), list[Question]()
    for (thing, wordings), golds in asked:
        mine = test if thing in held_out else training
        name = label[thing]
        if mine is test and rng.random() < _GARBLED:
            at = int(rng.integers(1, len(name)))
            name = name[:at] + name[at + 1 :]
        text = str(rng.choice(wordings.split("|"))).format(name)
        cells = tuple((Cell("uri", gold),) for gold in golds)
        mine.append(
            Question(
                f"q{len(mine)}", {"en": (text,)}, answers=Answers(variables=("x",), rows=cells)
            )
        )
    return training, test


def _quads(
    rng: np.random.Generator,
    names: dict[str, dict[str, str]],
    facts: list[tuple[str, str, str, str, str]],
) -> Iterator[ox.Quad]:
    def iri(name: str) -> ox.NamedNode:
        return ox.NamedNode(name if ":" in name else _BASE + name.replace(" ", "_"))

    def named(thing: str, name: str) -> ox.Quad:
        return ox.Quad(iri(thing), iri(_LABEL), ox.Literal(name, language="en"))

    for kind, own in names.items():
        more = _CLASSES[kind][1]
        yield from (named(one.replace("'", ""), one) for one in (kind, *more))
        for thing, name in own.items():
            yield named(thing, name)
            yield ox.Quad(iri(thing), iri(_TYPE), iri(kind))
            for other in more:
                if rng.random() < 0.4:
                    yield ox.Quad(iri(thing), iri(_TYPE), iri(other))
    for name in {fact[1]: None for fact in facts}:
        yield named(f"P_{name}".replace("'", "").replace(",", ""), name)
    for thing, name, object_, _, _ in facts:
        yield ox.Quad(iri(thing), iri(f"P_{name}".replace("'", "").replace(",", "")), iri(object_))

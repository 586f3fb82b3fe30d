"""A made-up world to measure ACT Selection on: a graph with labels, and questions about it.

Property labels are those of Wikidata; the wordings of questions are paraphrases, as people ask.
Several properties lead to things of one type, most things have more than one type, some share a
name, and there are properties that nobody asks for. The test questions are about subjects that no
training question mentions.
"""

from __future__ import annotations

from collections.abc import Iterator
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
#: Class of the subject, label of the property, class of the object, three wordings, and one of the
#: inverse question, if people ask it.
_RELATIONS = (
    ("human", "place of birth", "city", "Where was {} born?|In which town did {} first see the light of day?|What is {}'s native city?", "Who was born in {}?"),
    ("human", "place of death", "city", "Where did {} die?|In which town did {} pass away?|What city was {} in at the end?", ""),
    ("human", "residence", "city", "Where does {} live?|In which town did {} settle?|What city is home to {}?", ""),
    ("human", "country of citizenship", "country", "What nationality is {}?|Which state is {} a national of?|What passport does {} have?", ""),
    ("human", "occupation", "profession", "What does {} do for a living?|What was {}'s job?|What kind of work did {} do?", ""),
    ("human", "educated at", "university", "Where did {} study?|Which school did {} go to?|What is {}'s alma mater?", "Who studied at {}?"),
    ("human", "employer", "business", "Who does {} work for?|Which firm hired {}?|Where was {} employed?", ""),
    ("human", "spouse", "human", "Who is {} married to?|Who is the husband or wife of {}?|Whom did {} marry?", ""),
    ("human", "father", "human", "Who is {}'s dad?|Who fathered {}?|Who is the male parent of {}?", ""),
    ("human", "award received", "award", "Which prize did {} win?|What honor was {} given?|What did {} get a medal for?", "Who won {}?"),
    ("human", "languages spoken, written or signed", "language", "What does {} speak?|What tongue does {} use?|In what tongue did {} write?", ""),
    ("city", "country", "country", "Which nation is {} in?|To what state does {} belong?|Where in the world is {}?", "What cities are there in {}?"),
    ("city", "head of government", "human", "Who is the mayor of {}?|Who runs {}?|Who governs the town of {}?", ""),
    ("city", "twinned administrative body", "city", "What is the sister city of {}?|Which town is {} partnered with?|What is {}'s partner town?", ""),
    ("country", "capital", "city", "What is the seat of government of {}?|Which town is the capital of {}?|From where is {} governed?", ""),
    ("country", "official language", "language", "What do people speak in {}?|What tongue is used in {}?|What is spoken in {}?", ""),
    ("country", "currency", "currency", "What money is used in {}?|How do people pay in {}?|What is the legal tender of {}?", ""),
    ("country", "head of state", "human", "Who is the president of {}?|Who leads {}?|Who rules {}?", ""),
    ("film", "director", "human", "Who directed {}?|Who made the film {}?|Whose film is {}?", "What did {} direct?"),
    ("film", "cast member", "human", "Who acted in {}?|Who starred in {}?|Who plays in {}?", ""),
    ("film", "genre", "genre", "What kind of film is {}?|What type of movie is {}?|How would you classify {}?", ""),
    ("film", "country of origin", "country", "Where was {} made?|Which nation produced {}?|Where does the movie {} come from?", ""),
    ("literary work", "author", "human", "Who wrote {}?|Whose book is {}?|Who penned {}?", "What did {} write?"),
    ("literary work", "publisher", "business", "Which firm published {}?|Who brought out {}?|Which house printed {}?", ""),
    ("literary work", "language of work or name", "language", "What tongue was {} written in?|In what tongue is {}?|What is the original tongue of {}?", ""),
    ("business", "headquarters location", "city", "Where is {} based?|In which town are the offices of {}?|What city is {} run from?", "Which firms are based in {}?"),
    ("business", "founded by", "human", "Who started {}?|Who founded {}?|Who set up {}?", ""),
    ("musical group", "record label", "business", "Who releases the music of {}?|With whom did {} sign?|Which firm issued the albums of {}?", ""),
)  # fmt: skip
#: What nobody asks for: class of the subject, label of the property, class of the object.
_NOISE = tuple(
    (subject, name, object_)
    for subject in ("human", "city", "country", "film", "literary work", "business", "musical group")
    for name, object_ in (
        ("described by source", "encyclopedia"), ("topic's main category", "category"),
        ("archives at", "museum"), ("maintained by", "university"), ("significant event", "film"),
        ("named after", "human"), ("work location", "city"),
    )
)  # fmt: skip
#: Names that two things have, and the shares of garbled names and of inverse questions.
_HOMONYMS, _GARBLED, _INVERSE = 25, 0.12, 0.09
_SYLLABLES = ("ba be bo da do el fa ga gi ha ir ka ko la le lo ma mi mo na ne no or pa pe ra ri ro sa"
              " se sta ta ti to u va ve vi wa ze zo tra bri gro sten mar lin dor fel gan hal").split()  # fmt: skip


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
                    "".join(rng.choice(_SYLLABLES, rng.integers(2, 4))).title() for _ in words
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
        # a few objects are frequent, as in any graph: the second half as much as the first, ...
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

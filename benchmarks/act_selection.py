"""What ACT Selection gains on questions about subjects that no training question mentions.

The figures of docs/plugins/act.md. `act_world` makes the graph and the questions. Without
--model, candidates are the answers of the nearest training questions; --model trains a tiny T5 in
FOLDER, or takes the one that is there (needs the extra ``[act]``):

    python benchmarks/act_selection.py --seeds 0,1,2
    python benchmarks/act_selection.py --seeds 0 --model /tmp/tiny
    python benchmarks/act_selection.py --seeds 0 --model /tmp/choices --development
    python benchmarks/act_selection.py --index 100000
"""

from __future__ import annotations

import argparse
import functools
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from act_training import train
from act_world import World, development, make_world
from bench_tools import print_header, print_table, whole_numbers
from pyoxigraph import Literal, NamedNode, Quad

from qaldgen.analysis.comparing.significance import exact_test
from qaldgen.plugins import act
from qaldgen.plugins.act.ablation_table import SCORE_NAMES, best_entity
from qaldgen.plugins.act.candidates import Generator, model_candidates, nearest_questions
from qaldgen.plugins.act.graph import Graph
from qaldgen.plugins.act.selector import Explanation, Selector
from qaldgen.rdf.terms import PREFIXES
from qaldgen.stores.local import open_quads

#: What became of a question: the first that applies.
_FATES = (
    "right", "no entity", "in no set", "wrong types", "by the model's rank", "by the property"
)  # fmt: skip
_SCORES = {
    "paper": SCORE_NAMES["all"],
    "match": SCORE_NAMES["all"],
    "no type": SCORE_NAMES["without type"],
}


def explained(
    world: World, generate: Generator, preset: str
) -> tuple[list[tuple[Explanation, frozenset[str]]], Graph, float]:
    """Return the outcome of each test question and its gold, the graph, and CPU seconds each."""
    how = act.PRESETS[preset]
    graph = Graph(world.graph, how)
    selector = Selector(graph, generate, how)
    start = time.process_time()
    found = [
        (
            selector.explain(one.id, one.text("en")),
            frozenset(one.answers.values() if one.answers else ()),
        )
        for one in world.test.questions
    ]
    return found, graph, (time.process_time() - start) / len(found)


def fate(one: Explanation, gold: frozenset[str], graph: Graph) -> str:
    """Return where the right answer of a question got lost: one of `_FATES`."""
    if one.rows and one.rows[0].entity in gold:
        return "right"
    if not one.mentioned:
        return "no entity"
    right = next((row for row in one.rows if row.entity in gold), None)
    if right is None:
        return "in no set"
    if set(one.wanted).isdisjoint(kind for own in graph.types(gold).values() for kind in own):
        return "wrong types"
    other = one.rows[0].scores.property > right.scores.property
    return "by the property" if other else "by the model's rank"


def measured(world: World, seed: int, generate: Generator) -> tuple[list[str], list[str]]:
    """Return a row of figures, and one of what became of the questions."""
    match, graph, spent = explained(world, generate, "default")
    paper, _, _ = explained(world, generate, "paper")
    hits = {
        name: [
            best_entity(one.rows, "full", used) in gold
            for one, gold in (paper if name == "paper" else match)
        ]
        for name, used in _SCORES.items()
    }
    alone = [one.first in gold for one, gold in match]
    won = sum(a and not b for a, b in zip(hits["match"], hits["no type"], strict=True))
    lost = sum(b and not a for a, b in zip(hits["match"], hits["no type"], strict=True))
    limits = act.ablate(match, graph).limits.set_index("limit")["share"]
    fates = Counter(fate(one, gold, graph) for one, gold in match)
    figures = [
        str(seed),
        *(f"{100 * sum(own) / len(own):.1f}" for own in (alone, *hits.values())),
        f"{won}:{lost}",
        f"{exact_test(hits['match'], hits['no type']):.1g}",
        f"{100 * limits['questions with the right types']:.1f}",
        f"{1000 * spent:.1f}",
        str(len(match)),
    ]
    return figures, [str(seed), *(f"{100 * fates[one] / len(match):.1f}" for one in _FATES)]


def generator(world: World, model: Path | None, nearest: int) -> Generator:
    """Return what proposes candidates; a model that is not there is trained."""
    if model is None:
        return nearest_questions(world.training, nearest)
    if not model.exists():
        start = time.process_time()
        loss = train(world.training, model, world.graph)
        size = sum(one.stat().st_size for one in model.iterdir()) / 1e6
        print(
            f"trained in {time.process_time() - start:.0f} s of CPU, {size:.1f} MB, loss {loss:.2f}"
        )
    # each question is asked for twice, once for each formula
    return functools.lru_cache(None)(model_candidates(str(model), act.Beams()))


def index_seconds(entities: int) -> tuple[float, float]:
    """Return the CPU seconds that the index of names takes, and a question after it."""

    def quads() -> Iterator[Quad]:
        for number in range(entities):
            thing = NamedNode(f"http://example.org/{number}")
            name = Literal(f"Name {number % 977} of thing {number}", language="en")
            yield Quad(thing, NamedNode(f"{PREFIXES['rdfs']}label"), name)
            kind = NamedNode(f"http://example.org/class{number % 50}")
            yield Quad(thing, NamedNode(f"{PREFIXES['rdf']}type"), kind)
            other = NamedNode(f"http://example.org/{number * 7 % entities}")
            yield Quad(thing, NamedNode("http://example.org/next"), other)

    store = open_quads("names", list(quads()))
    store.ask("ASK {}")  # the store is read before the clock starts
    start = time.process_time()
    graph = Graph(store, act.PRESETS["default"])
    read = time.process_time() - start
    start = time.process_time()
    for number in range(200):
        named = graph.find_mentioned([], f"What comes after Name {number} of thing {number}?")
        graph.learn([link.entity for link in graph.neighbours(named)])
    return read, (time.process_time() - start) / 200


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--nearest", type=int, default=20)
    parser.add_argument("--model", type=Path, help="folder of a model, one for each seed")
    parser.add_argument(
        "--development", action="store_true", help="ask a part of the training questions"
    )
    parser.add_argument("--index", type=whole_numbers, default=[], help="numbers of entities")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    asked = parser.parse_args()
    print_header(__doc__)
    for number in asked.index:
        read, each = index_seconds(number)
        print(
            f"{number:,} entities: index {read:.1f} s, then {1000 * each:.2f} ms a question (CPU)"
        )
    rows = []
    for seed in asked.seeds or ([] if asked.index else [0, 1, 2]):
        world = make_world(seed, asked.questions)
        world = development(world, seed) if asked.development else world
        folder = None if asked.model is None else asked.model / str(seed)
        rows.append(measured(world, seed, generator(world, folder, asked.nearest)))
    if rows:
        figures, fates = zip(*rows, strict=True)
        header = ["seed", "model alone", "paper", "match", "no type", "won:lost", "p"]
        print_table(
            "Hit@1 in %",
            [*header, "types right", "ms", "questions"],
            figures,
            markdown=asked.markdown,
        )
        print_table(
            "Where the right answer is lost, in %",
            ["seed", *_FATES],
            fates,
            markdown=asked.markdown,
        )


if __name__ == "__main__":
    main()

"""Make qaldgen/features/text/data/name_words.tsv: the weights that find names without capitals.

Learnt from the DBpedia questions of SMART 2020 (https://github.com/smart-task/smart-dataset), but
for a fifth by a hash of the id: the capitals show the names, then they are
taken away. So that rare nouns are not taken for names, some questions are seen a second time with
nouns instead of names; and since SMART has few questions as people type them into a search box,
invented ones (`search_box.txt`) are filled with its names, with titles made of its words, and with
nouns. Prints how often the number of names is right on that fifth, which is never
trained on. No question can be read off the table: it holds sequences of at most two words, and of
tags, that occur five times or more.

    python benchmarks/build_name_words.py [smarttask_dbpedia_train.json] [--write]
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import itertools
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from build_answer_types import SMART, read
from spacy.language import Language
from spacy.tokens import Doc

from qaldgen.features.text.lower_names import (
    ENTER,
    LEAVE,
    STAY,
    TaggedWord,
    best_sequence,
    dictionary,
    signals,
    tagged_words,
)
from qaldgen.features.text.names import NAME_TYPES, names_by_capitals
from qaldgen.features.text.text_features import load_model

TABLE = (
    Path(__file__).resolve().parent.parent
    / "qaldgen"
    / "features"
    / "text"
    / "data"
    / "name_words.tsv"
)
SEARCH_BOX = Path(__file__).with_name("search_box.txt")
RAREST, LEAST, ROUNDS = 5, 25, 6
WITH_NOUNS = 0.25
#: How often each invented question is filled.
FILLED = 40
#: Letter in an invented question to the types of OntoNotes that can stand there.
GAPS = {
    "P": ("PERSON",), "W": ("WORK_OF_ART", "PRODUCT", "EVENT"), "L": ("GPE", "LOC", "FAC"),
    "O": ("ORG",), "X": NAME_TYPES,
}  # fmt: skip
#: How titles are built: a noun, an adjective, a verb, or a word as it is.
TITLES = (
    "the n", "the a n", "a n", "n of the n", "n and n", "the n of n", "v the n", "v it n",
    "n in the n", "over the n", "into the n", "under the n", "a n n", "n 2", "the n n", "my n",
    "n for n", "n on the n", "i v you", "the v", "v me", "a", "n", "all the n", "n with the n",
    "out of n", "the last n", "v up",
)  # fmt: skip
#: How often a work has one of these titles, instead of a name in SMART.
INVENTED = 0.6
HEADER = (
    "# Weights in tenths by which a word belongs to a name in a question without capitals.\n#"
    " Learned from SMART 2020 (DBpedia, training part without the fifth held out); made by"
    " benchmarks/build_name_words.py.\n"
)


def held_out(identifier: str) -> bool:
    """Tell whether a question belongs to the fifth that is not trained on."""
    return int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 5 == 0


class Example(NamedTuple):
    """A question in small letters, and which of its words belong to a name."""

    held_out: bool
    words: list[TaggedWord]
    named: list[bool]


def examples(path: Path, nlp: Language) -> list[Example]:
    """Return the questions whose capitals show their names, and those without any name."""
    chance = random.Random(5)
    nouns = common_nouns(nlp)
    texts = [
        (name, " ".join(text.replace("{", "").replace("}", "").split()))
        for name, text, _ in read(path)
    ]
    texts = [(name, text) for name, text in texts if _readable(text)]
    low, given = [_typed(text, chance) for _, text in texts], list[tuple[str, str]]()
    known, found, names = dictionary(nlp), list[Example](), list[tuple[str, str]]()
    for (name, text), doc, lower in zip(
        texts, nlp.pipe(text for _, text in texts), nlp.pipe(low), strict=True
    ):
        capitals = names_by_capitals(text, doc, known=known)
        spans = [(one.start, one.end) for one in capitals]
        if not held_out(name):
            names += [(text[one.start : one.end].lower(), one.kind) for one in capitals]
        if not spans and any(entity.label_ in NAME_TYPES for entity in lower.ents):
            continue  # its names were written without capitals
        found.append(Example(held_out(name), tagged_words(lower, known), _inside(lower, spans)))
        if spans and not held_out(name) and chance.random() < WITH_NOUNS:
            given.append((name, _with_nouns(lower.text, spans, nouns, chance)))
    for (name, _), doc in zip(given, nlp.pipe(text for _, text in given), strict=True):
        found.append(Example(held_out(name), tagged_words(doc, known), [False] * len(doc)))
    invented = list(search_box(names, nlp, chance))
    for (_, spans), doc in zip(invented, nlp.pipe(text for text, _ in invented), strict=True):
        found.append(Example(False, tagged_words(doc, known), _inside(doc, spans)))
    return found


def _inside(doc: Doc, spans: Sequence[tuple[int, int]]) -> list[bool]:
    return [
        any(start < token.idx + len(token) and token.idx < end for start, end in spans)
        for token in doc
    ]


def search_box(
    names: Sequence[tuple[str, str]], nlp: Language, chance: random.Random
) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yield the invented questions, filled, with the places of their names.

    `names` are names in small letters with their type.
    """
    known = dictionary(nlp)
    words = sorted({word for name, _ in names for word in name.split()} & known.keys())
    pools = {gap: [name for name, kind in names if kind in kinds] for gap, kinds in GAPS.items()}
    pools["n"] = [word for word in words if "n" in known[word]] + common_nouns(nlp)
    pools["v"] = [word for word in words if "v" in known[word]]
    lines = SEARCH_BOX.read_text(encoding="utf-8").splitlines()
    for line in (line for line in lines if not line.startswith("#")):
        for _ in range(FILLED):
            text, spans = "", list[tuple[int, int]]()
            for word in line.split():
                gap, ending = (
                    (word[0], word[1:]) if word.removesuffix("'s") in pools else ("", word)
                )
                filling = _filling(gap, pools, chance) if gap else ""
                if gap and gap in GAPS:
                    spans.append((len(text), len(text) + len(filling)))
                text += f"{filling}{ending} "
            yield text.strip() + chance.choice(("", "", "?")), spans


def _filling(gap: str, pools: Mapping[str, Sequence[str]], chance: random.Random) -> str:
    if gap == "W" and chance.random() < INVENTED:
        words = chance.choice(TITLES).split()
        return " ".join(chance.choice(pools[w]) if w in {"n", "v"} else w for w in words)
    return chance.choice(pools[gap])


def common_nouns(nlp: Language) -> list[str]:
    """Return nouns that are never written with a capital, as far as the model has seen them."""
    seen = set(nlp.vocab.strings)
    return sorted(
        word
        for word, classes in dictionary(nlp).items()
        if classes == "n"
        and word.isalpha()
        and len(word) > 3
        and word in seen
        and word.title() not in seen
    )


def _with_nouns(
    text: str, spans: list[tuple[int, int]], nouns: list[str], chance: random.Random
) -> str:
    for start, end in reversed(spans):
        noun = " ".join(chance.choices(nouns, k=chance.choice((1, 1, 2))))
        text = (
            text[:start]
            + chance.choice(("", "a ", "the "))
            + noun
            + chance.choice(("", "s"))
            + text[end:]
        )
    return text


def _readable(text: str) -> bool:
    return (
        len(text.lower()) == len(text)
        and text[:1].isupper()
        and text != text.upper()
        and text[:1] != '"'
    )


def _typed(text: str, chance: random.Random) -> str:
    """Return a question as people type it: often without the mark at its end."""
    return text.lower() if chance.random() < 0.4 else text.lower().rstrip("?. ")


def learn(data: Sequence[Example]) -> dict[str, int]:
    """Return the table: an averaged perceptron, what weighs little left out."""
    count = collections.Counter(f"w {word.text}" for one in data for word in one.words)
    common = {signal: 0 for signal, times in count.items() if times >= RAREST}
    seen = [(signals(one.words, common), one.named) for one in data]
    times = collections.Counter(signal for found, _ in seen for own in found for signal in own)
    kept = [
        ([[one for one in own if times[one] >= RAREST] for own in found], named)
        for found, named in seen
    ]
    total = _average(kept)
    return {
        name: weight
        for name in sorted(total)
        if abs(weight := round(10 * total[name])) >= LEAST or name in common
    } | {name: round(10 * total[name]) for name in (STAY, LEAVE, ENTER)}


def _average(data: list[tuple[list[list[str]], list[bool]]]) -> dict[str, float]:
    weight: dict[str, int] = collections.defaultdict(int)
    summed: dict[str, int] = collections.defaultdict(int)
    chance, step = random.Random(1), 1
    for _ in range(ROUNDS):
        chance.shuffle(data)
        for found, named in data:
            guess = best_sequence(found, weight)
            for sequence, sign in ((named, 1), (guess, -1)) if guess != named else ():
                for signal in _used(found, sequence):
                    weight[signal] += sign
                    summed[signal] += sign * step
            step += 1
    return {name: weight[name] - summed[name] / step for name in weight}


def _used(found: list[list[str]], sequence: list[bool]) -> list[str]:
    """Return the signals that speak for a sequence."""
    used = [signal for own, inside in zip(found, sequence, strict=True) if inside for signal in own]
    moves = {(True, True): STAY, (True, False): LEAVE, (False, True): ENTER}
    return used + [moves[pair] for pair in itertools.pairwise(sequence) if pair in moves]


def _runs(named: Sequence[bool]) -> int:
    return sum(
        inside and not before for before, inside in zip([False, *named], named, strict=False)
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Read, learn, write or compare, and print the figures.

    1 if the table in the package differs.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("smart", nargs="?", type=Path, default=SMART)
    parser.add_argument("--write", action="store_true", help="replace the table in the package")
    options = parser.parse_args(argv)
    nlp = load_model("en")
    if not options.smart.is_file() or nlp is None:
        print(f"nothing done: {options.smart} or an English model is not there")
        return 0
    data = examples(options.smart, nlp)
    table = learn([one for one in data if not one.held_out])
    text = HEADER + "".join(f"{signal}\t{weight}\n" for signal, weight in table.items())
    print(f"{len(table)} entries, {len(text.encode())} bytes")
    if options.write:
        TABLE.write_text(text, encoding="utf-8")
    same = text == TABLE.read_text(encoding="utf-8")
    if not same:
        print("differs from the table in the package; --write replaces it")
    kept = [one for one in data if one.held_out]
    right = sum(
        _runs(one.named) == _runs(best_sequence(signals(one.words, table), table)) for one in kept
    )
    print(f"number of names: {right} of {len(kept)} held out, {right / len(kept):.2%}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())

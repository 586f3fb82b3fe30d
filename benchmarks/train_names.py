"""Make the two tables behind `features.text.name_field`, which finds the names in questions.

The weights of its random field are learnt from 1,978 questions whose names were labelled by hand
(`tests/data/labels/names.tsv`), each also in the other case, and from 6,000 questions of SMART 2020
whose names a field learnt from these labels and the queries of LC-QuAD tell. Questions that serve
for tests (`held_out.txt`) are left out. Prints in how many questions of a fifth of the labels, left
out for that, the number of names is right. No question can be read off the tables: they hold at
most three words that occur together three times or more.

    python benchmarks/train_names.py [--write]

`--word-case` makes the table of how words are usually written, from the frequencies in the package
spacy-lookups-data (MIT), which need not be installed otherwise.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from annotation_goals import DATA, LC_QUAD, QALD_9, questions
from bench_tools import ROOT
from build_answer_types import SMART, read
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from spacy.language import Language

from qaldgen.features.text.name_field import FieldWeights, best_states, name_signals, tokens_of
from qaldgen.features.text.names import readable
from qaldgen.features.text.text_features import load_model

TABLES = ROOT / "qaldgen" / "features" / "text" / "data"
SETS = {
    "mkqa": ("llm-answers/mkqa/questions.json", ""),
    "simplequestions": ("simplequestions-wikidata/annotated_wd_data_valid_answerable.txt", ""),
    "rubq": ("rubq/RuBQ_2.0_dev.json", ""),
    "lc-quad": (LC_QUAD[0], ""),
}
#: What a question counts: labelled, the same in the other case or without a model, from SMART.
LABELLED, OTHERWISE, GUESSED = 1.0, 0.5, 0.15
#: How often a word is seen at least if it counts by itself, and a signal; what is written.
WORD, SIGNAL, SMALLEST = 4, 3, 8
#: The least frequency of a word in the table of cases, a logarithm, and the largest difference.
RAREST, LARGEST = -15.0, 5
_SMALL = frozenset(["of", "the", "and", "in", "a", "to", "on", "for", "from", "an", "at", "with"])
Spans = list[tuple[int, int]]


def _model() -> Language:
    model = load_model("en")
    assert model is not None
    return model


class Example(NamedTuple):
    """A question, its names, what it counts, and whether a model reads it."""

    text: str
    spans: Spans
    weight: float
    read: bool = True


def _hash(text: str) -> str:
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]


def labelled() -> list[Example]:
    """Return the questions labelled by hand."""
    texts = {("smart", name): text for name, text, _ in read(SMART)}
    for name, (path, part) in SETS.items():
        texts |= {(name, part + one.id): one.text() for one in questions(path)}
    for path in QALD_9:
        part = "train-" if "train" in path else "test-"
        texts |= {("qald-9", part + one.id): one.text() for one in questions(path)}
    with (ROOT / "tests/data/labels/names.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [
        Example(
            texts[row["set"], row["id"]],
            [tuple(map(int, span.split("-"))) for span in row["spans"].split() if span != "-"],  # type: ignore[misc]
            LABELLED,
        )
        for row in rows
    ]


def in_other_case(one: Example) -> Iterable[Example]:
    """Yield a question without its capitals, or with those that its names should have."""
    text = one.text
    if text != text.lower():
        low = text.lower().rstrip("?. ")
        if len(text.lower()) == len(text):
            yield Example(low, one.spans, OTHERWISE)
        return
    letters = list(text)
    for start, end in one.spans:
        for word in re.finditer(r"(?<!['’])[^\W\d_]+", text[start:end]):
            if word.start() == 0 or word[0] not in _SMALL:
                letters[start + word.start()] = letters[start + word.start()].upper()
    letters[0] = letters[0].upper()
    if len(written := "".join(letters)) == len(text):
        yield Example(written + "?", one.spans, OTHERWISE)


def guessed(known: FieldWeights, but: set[str]) -> list[Example]:
    """Return questions of SMART with the names that a field and the queries of LC-QuAD tell."""
    chance = random.Random(5)
    named = defaultdict[str, list[str]](list)
    for path in LC_QUAD:
        for one in questions(path):
            iris = re.findall(r"dbpedia\.org/resource/([^>\s]+)>", one.sparql)
            named[_hash(one.text())] = [unquote(iri).replace("_", " ") for iri in iris]
    texts = {
        _hash(text): " ".join(text.replace("{", "").replace("}", "").split())
        for _, text, _ in read(SMART)
    }
    chosen = [
        text
        for key, text in texts.items()
        if key not in but and text[:1].isupper() and readable(text) == text
        and len(text.lower()) == len(text)
    ]  # fmt: skip
    chosen = chance.sample(chosen, 6000)
    found = []
    for text, states in zip(chosen, _states(chosen, known), strict=True):
        spans = _spans(text, states)
        for label in named[_hash(text)]:
            start = text.lower().find(re.sub(r" \(.*\)$", "", label).lower())
            if start >= 0 and len(label) > 2 and label != label.lower():
                own = (start, start + len(re.sub(r" \(.*\)$", "", label)))
                spans = [span for span in spans if span[1] <= own[0] or own[1] <= span[0]] + [own]
        small = text.lower() if chance.random() < 0.4 else text.lower().rstrip("?. ")
        found.append(Example(small if chance.random() < 0.6 else text, sorted(spans), GUESSED))
    return found


def _states(texts: Sequence[str], known: FieldWeights) -> Iterable[list[int]]:
    for text, doc in zip(texts, _model().pipe(texts), strict=True):
        yield best_states(list(name_signals(tokens_of(text), doc, known)), known)


def _spans(text: str, states: Sequence[int]) -> Spans:
    found: Spans = []
    for token, state in zip(tokens_of(text), states, strict=True):
        if state == 1:
            found.append((token.start, token.end))
        elif state == 2:
            found[-1] = (found[-1][0], token.end)
    return found


def _gold(one: Example) -> list[int]:
    starts = set[tuple[int, int]]()
    states = []
    for token in tokens_of(readable(one.text)):
        span = next((s for s in one.spans if s[0] <= token.start and token.end <= s[1]), None)
        states.append(0 if span is None else 2 if span in starts else 1)
        starts |= {span} if span else set()
    return states


def learn(examples: Sequence[Example]) -> FieldWeights:
    """Return the weights of largest likelihood, with a penalty on their squares."""
    texts = [readable(one.text) for one in examples]
    count = Counter(token.text.lower() for text in texts for token in tokens_of(text))
    common = FieldWeights({f"w{word}": (0, 0) for word, n in count.items() if n >= WORD}, {})
    docs = _model().pipe(texts)
    seen = [
        list(name_signals(tokens_of(text), doc if one.read else None, common))
        for one, text, doc in zip(examples, texts, docs, strict=True)
    ]
    times = Counter(name for found in seen for own in found for name in own)
    index = {name: at for at, name in enumerate(n for n, c in times.items() if c >= SIGNAL)}
    weight, moves = _fit(
        seen, [_gold(one) for one in examples], index, [e.weight for e in examples]
    )
    kept = {}
    for name, at in index.items():
        begin, inside = (round(100 * (weight[at, state] - weight[at, 0])) for state in (1, 2))
        if max(abs(begin), abs(inside)) >= SMALLEST or name in common.signals:
            kept[name] = begin, inside
    rows = [tuple(round(100 * value) for value in row) for row in moves]
    return FieldWeights(kept, {-1: rows[3], 0: rows[0], 1: rows[1], 2: rows[2]})


def _fit(
    seen: Sequence[list[list[str]]], gold: Sequence[list[int]], index: dict[str, int],
    weight: Sequence[float],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    """Return the weights of signals and, one row a state and one for the start, of moves."""
    columns, ends = list[int](), [0]
    for found in seen:
        for own in found:
            columns += [index[name] for name in own if name in index]
            ends.append(len(columns))
    signs = csr_matrix((np.ones(len(columns)), columns, ends), (len(ends) - 1, len(index)))
    sizes, counts = np.array([len(found) for found in seen]), np.array(weight)
    y, of_token, longest = np.concatenate(gold), np.repeat(counts, sizes), int(sizes.max())
    weighted = signs.multiply(of_token[:, None]).tocsr().T.tocsr()
    empirical = weighted @ np.eye(3)[y]
    there = np.arange(longest) < sizes[:, None]
    place = np.zeros(there.shape, int)
    place[there] = np.arange(len(y))
    moved = np.zeros((4, 3))
    padded = np.where(there, y[place], -1)
    np.add.at(moved[3], padded[:, 0], counts)
    for before, after in zip(padded.T, padded.T[1:], strict=False):
        real = after >= 0
        np.add.at(moved, (before[real], after[real]), counts[real])
    split = signs.shape[1] * 3

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        emit = np.where(there[..., None], (signs @ flat[:split].reshape(-1, 3))[place], 0)
        moves = flat[split:].reshape(4, 3)
        step = np.exp(moves[:3])
        ahead, back = np.zeros(emit.shape), np.zeros(emit.shape)
        ahead[:, 0] = emit[:, 0] + moves[3]
        for t in range(1, longest):
            top = ahead[:, t - 1].max(1, keepdims=True)
            now = np.log(np.exp(ahead[:, t - 1] - top) @ step) + top + emit[:, t]
            ahead[:, t] = np.where(there[:, t, None], now, ahead[:, t - 1])
        for t in range(longest - 2, -1, -1):
            after = emit[:, t + 1] + back[:, t + 1]
            top = after.max(1, keepdims=True)
            now = np.log(np.exp(after - top) @ step.T) + top
            back[:, t] = np.where(there[:, t + 1, None], now, 0)
        top = ahead[:, -1].max(1, keepdims=True)
        whole = (np.log(np.exp(ahead[:, -1] - top).sum(1)) + top[:, 0])[:, None]
        expected = np.exp(ahead + back - whole[..., None])
        of_moves = -moved
        of_moves[3] += (expected[:, 0] * counts[:, None]).sum(0)
        for t in range(1, longest):
            on = there[:, t]
            pairs = ahead[on, t - 1][:, :, None] + moves[:3] + (emit + back)[on, t][:, None]
            of_moves[:3] += (np.exp(pairs - whole[on][:, None]) * counts[on, None, None]).sum(0)
        of_signals = weighted @ expected[there] - empirical
        value = (whole[:, 0] * counts).sum() - (empirical.ravel() @ flat[:split])
        value += 0.5 * flat @ flat - (moved * moves).sum()
        return value, np.concatenate([of_signals.ravel(), of_moves.ravel()]) + flat

    start = np.zeros(split + 12)
    flat = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 45}).x
    return flat[:split].reshape(-1, 3), flat[split:].reshape(4, 3)


def whole(examples: Sequence[Example], but: set[str]) -> FieldWeights:
    """Learn from labelled questions, then from these and those that they help to label."""
    more = [other for one in examples for other in in_other_case(one)]
    first = learn([*examples, *more])
    unread = [one._replace(weight=OTHERWISE, read=False) for one in examples]
    return learn([*examples, *more, *unread, *guessed(first, but)])


def written(known: FieldWeights) -> str:
    """Return the table of weights."""
    lines = [
        "# Weights in hundredths by which a word begins a name, and goes on with one.",
        "# Learnt from labels of our own and questions of SMART; see benchmarks/train_names.py.",
        *("\t".join([f"> {state}", *map(str, row)]) for state, row in known.moves.items()),
        *(f"{name}\t{begin}\t{inside}" for name, (begin, inside) in sorted(known.signals.items())),
    ]
    return "\n".join(lines) + "\n"


def write_word_case() -> None:
    """Write for each common word how it is usually written."""
    from importlib.resources import files

    packed = (files("spacy_lookups_data") / "data" / "en_lexeme_prob.json.gz").read_bytes()
    seen = defaultdict[str, list[float]](lambda: [-99.0, -99.0])
    for word, logarithm in json.loads(gzip.decompress(packed)).items():
        low = word.lower()
        if word.isalpha() and len(low) == len(word):
            seen[low][word != low] = max(seen[low][word != low], logarithm)
    levels = defaultdict[int, list[str]](list)
    for word, (small, capital) in seen.items():
        if max(small, capital) >= RAREST:
            level = max(-LARGEST, min(LARGEST, round(capital - small)))
            levels[level].append(word)
    lines = [f"{level}\t{' '.join(sorted(levels[level]))}" for level in sorted(levels)]
    head = (
        "# How words are usually written on the web: -5 small, 5 with a capital. Made by"
        " train_names.py from spacy-lookups-data (ExplosionAI, MIT)."
    )
    (TABLES / "word_case.tsv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Learn, print the figures, and with `--write` replace the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="replace the weights in the package")
    parser.add_argument("--word-case", action="store_true", help="make the table of cases anew")
    options = parser.parse_args(argv)
    if options.word_case:
        write_word_case()
    if not SMART.is_file() or not (DATA / SETS["mkqa"][0]).is_file():
        print(f"nothing done: the public data are not at {DATA}")
        return 0
    held_out = set(
        Path(__file__).with_name("held_out.txt").read_text(encoding="utf-8").split("\n")[1:]
    )
    examples = labelled()
    but = held_out | {_hash(one.text) for one in examples}
    if options.write:
        text = written(whole(examples, but))
        (TABLES / "name_weights.tsv").write_text(text, encoding="utf-8")
        print(f"{text.count(chr(10))} lines, {len(text.encode()):,} bytes")
        return 0
    random.Random(3).shuffle(examples)
    fifth = len(examples) // 5
    known = whole(examples[fifth:], but)
    tested = [readable(one.text) for one in examples[:fifth]]
    right = sum(
        states.count(1) == len(one.spans)
        for one, states in zip(examples[:fifth], _states(tested, known), strict=True)
    )
    print(f"number of names: {right} of {fifth} held out, {right / fifth:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

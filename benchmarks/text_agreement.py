"""How far verdicts on answers in words agree with judgments by hand, and what each rule adds.

Judged are 834 answers to QALD-9 (tests/data/labels/blind-answers.tsv: most of the rules were
written with these), 200 to QALD-9 and MKQA (judged/answers-200.json in the data of the tests) and
456 others (tests/data/labels/judged-answers.tsv; in parts 128 and 148 a list was judged right only
if it had all gold answers, so those to questions with three or more are left out). The answers are
in the data of the tests (`QALDGEN_TEST_DATA`, or ../shared/data).
Usage:

    python benchmarks/text_agreement.py              agreement, of the sure and of the guesses
    python benchmarks/text_agreement.py --families   what each family of rules adds, resampled
    python benchmarks/text_agreement.py --shares     how often verdicts are as judged, by signs
    python benchmarks/text_agreement.py --intervals  how often intervals cover what was judged
    python benchmarks/text_agreement.py -v           every disagreement
    python benchmarks/text_agreement.py LIST.json    on other pairs, laid out as answers-200.json
"""

from __future__ import annotations

import csv
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from unittest import mock

import numpy as np
import numpy.typing as npt

from qaldgen.datasets.loading import load
from qaldgen.model import Answers, Cell, Question
from qaldgen.runs.record import Response
from qaldgen.scoring.guesses import GUESS
from qaldgen.scoring.words.contains import contains
from qaldgen.scoring.words.dates import read_date
from qaldgen.scoring.words.extraction import make_extractor
from qaldgen.scoring.words.gold_names import gold_size
from qaldgen.scoring.words.guess_signs import SEVERAL, sureness
from qaldgen.scoring.words.reading import sentences
from qaldgen.scoring.words.tokens import readings

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "tests" / "data" / "labels"
DATA = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
#: How often questions are resampled, and how many answers a simulated run has.
DRAWS, SIZE, SEED = 2000, 200, 7
#: The fewest judged answers of a system that are looked at by themselves.
FEWEST = 25


Whole: TypeAlias = npt.NDArray[np.int_]
Real: TypeAlias = npt.NDArray[np.float64]


class Pair(NamedTuple):
    """An answer with its judgment; `group` is the question, which several answers share."""

    source: str
    data: str
    language: str
    question: Question
    aliases: Mapping[str, Sequence[str]] | None
    text: str
    right: bool
    sure: bool
    group: str
    system: str


class Verdict(NamedTuple):
    """A verdict, the probability that it is right, and the sign against it."""

    right: bool
    probability: float
    sign: str


def judged_pairs() -> list[Pair]:
    """Read all judged pairs."""
    folder = DATA / "llm-answers"
    nine = {path.stem: _json(path) for path in (folder / "qald-9").glob("*.json")}
    questions = {str(row["ID"]): _question(row) for row in nine.pop("questions")}
    aliases = nine.pop("aliases")
    mkqa = {str(row["id"]): row for row in _json(folder / "mkqa" / "questions.json")}
    own = {one.id: one for one in load(ROOT / "examples" / "questions.json").questions}
    log = (DATA / "llm-logs" / "smollm2" / "smollm2.jsonl").read_text(encoding="utf-8")
    small = {row["id"]: row["answer"] for row in map(json.loads, log.splitlines())}
    texts = {
        (name, str(row["id"]), row["language"]): row["answer"]
        for name, rows in [*nine.items(), ("davinci3", _json(folder / "mkqa" / "davinci3.json"))]
        for row in rows
    }

    def pair(source: str, row: Mapping[str, str]) -> Pair:
        name, language, known = row["id"], row["language"], None
        if row.get("data") == "examples":
            question, text = own[name], small[name]
        else:
            text = texts[row["system"], name, language]
            if row.get("data") == "MKQA":
                question = _variants(name, mkqa[name], language)
            else:
                question, known = questions[name], aliases
        data = row.get("data", "QALD-9")
        told = (row["verdict"] == "right", row["sure"] == "sure", f"{data} {name}", row["system"])
        return Pair(source, data, language, question, known, text, *told)

    pairs = [pair("834", row) for row in _rows("blind-answers.tsv")]
    pairs += listed_pairs("200", DATA / "judged" / "answers-200.json")
    more = [pair(row["part"], row) for row in _rows("judged-answers.tsv")]
    return [
        *pairs,
        *(one for one in more if one.source == "180" or gold_size(one.question) < SEVERAL),
    ]


def listed_pairs(source: str, path: Path) -> Iterator[Pair]:
    """Yield the judged pairs of a list in the layout of answers-200.json."""
    folder = DATA / "llm-answers" / "qald-9"
    aliases = _json(folder / "aliases.json")
    rows = _json(folder / "questions.json")
    ids = {one.get("string", "").strip(): row["ID"] for row in rows for one in row["question"]}
    for row in _json(path):
        asked, known = {row["lang"]: (row["q"],)}, None
        if row["ds"] == "qald":
            question, known = _gold(row["id"], row["gold"], asked), aliases
            data, group = "QALD-9", ids.get(row["q"].strip(), row["q"])
        else:
            answers = Answers(texts=tuple(map(tuple, row["gold"])))
            question = Question(str(row["id"]), asked, answers=answers)
            data, group = "MKQA", row["id"]
        told = (bool(row["judged"]), not row.get("borderline"), f"{data} {group}", row["sys"])
        yield Pair(source, data, row["lang"], question, known, row["a"], *told)


def _json(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_text(encoding="utf-8"))


def _rows(name: str) -> Iterable[dict[str, str]]:
    with (LABELS / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def _variants(name: str, row: Mapping[str, Any], language: str) -> Question:
    """Return a question of MKQA with its gold answers in a language."""
    rows = [(one["text"], *one.get("aliases", ())) for one in row["answers"][language]]
    asked = {language: (row["queries"][language],), "en": (row["query"],)}
    return Question(name, asked, answers=Answers(texts=tuple(rows)))


def _question(row: dict[str, Any]) -> Question:
    texts = {one["language"]: (one.get("string", ""),) for one in reversed(row["question"])}
    return _gold(row["ID"], row["ans"], texts)


def _gold(name: object, values: list[Any], texts: Mapping[str, tuple[str, ...]]) -> Question:
    if isinstance(values[0], bool):
        return Question(str(name), texts, answers=Answers(boolean=values[0]))
    cells = [
        Cell("literal" if read_date(value) or readings(value) else "uri", value) for value in values
    ]
    return Question(str(name), texts, answers=Answers(rows=tuple((cell,) for cell in cells)))


def verdict_on(pair: Pair) -> Verdict:
    """Return the verdict of `contains` on an answer; none counts as wrong."""
    response = Response(pair.question.id, answers=Answers(texts=((pair.text,),)))
    how: Any = {"language": pair.language, "aliases": pair.aliases}
    count = contains(pair.question, response, **how)
    sure = sureness(pair.question, response, **how)
    return Verdict(count == (1, 0, 0), sure.probability, sure.sign)


def _agreement(pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> str:
    right = np.array([pair.right for pair in pairs])
    said = np.array([one.right for one in verdicts])
    sure = np.array([one.probability >= GUESS for one in verdicts])
    clear = np.array([pair.sure for pair in pairs])
    agree = right == said
    chance = right.mean() * said.mean() + (1 - right.mean()) * (1 - said.mean())
    kappa = (agree.mean() - chance) / (1 - chance) if chance < 1 else float("nan")
    return (
        f"{len(pairs):4} judged, agreement {agree.mean():6.1%}, kappa {kappa:.2f}, missed"
        f" {np.sum(right & ~said):2}, false {np.sum(~right & said):2}; sure {sure.mean():4.0%},"
        f" of them {_share(agree[sure])} as judged ({_share(agree[sure & clear])} where the"
        f" judge was sure), of the guesses {_share(agree[~sure])}"
    )


def _share(values: npt.NDArray[np.bool_]) -> str:
    return f"{values.mean():.1%}" if len(values) else "-"


def parts(pairs: Sequence[Pair]) -> Iterable[tuple[str, list[int]]]:
    """Yield the parts that are reported, as indices."""
    sources = list(dict.fromkeys(pair.source for pair in pairs))
    kinds = [(source, data) for source in sources for data in ("QALD-9", "MKQA", "")]
    for source, data in kinds:
        of = [at for at, one in enumerate(pairs) if one.source == source and data in one.data]
        if not of or (not data and len({pairs[at].data for at in of}) == 1):
            continue
        yield f"{source} {data}".strip(), of
        yield (
            f"{source} {data}".strip() + ", English",
            [at for at in of if pairs[at].language == "en"],
        )
        yield (
            f"{source} {data}".strip() + ", others",
            [at for at in of if pairs[at].language != "en"],
        )


WORDS = "qaldgen.scoring.words."


def _no(*args: object, **options: object) -> tuple[()]:
    return ()


def _none(*args: object, **options: object) -> None:
    return None


def _false(*args: object, **options: object) -> bool:
    return False


def _bare(text: str, *args: object) -> list[str]:
    return [text]


#: By family of rules what switches it off: module, name, and what takes its place.
FAMILIES: dict[str, list[tuple[str, str, Callable[..., Any]]]] = {
    "words of the question": [("contains", "_at", _false)],
    "inflection": [("contains", "stem", lambda word, language: word)],
    "names in CLDR": [("gold_names", "translations", _no)],
    "refusals, questions back": [
        ("contains", "asserted", _bare),
        ("yes_no", "asserted", lambda text, language: sentences(text)),
    ],
    "dates in words": [("contains", "_days", _no), ("dates", "_agrees", lambda *args: True)],
    "number words": [("quantities", "_in_words", lambda text, start, language: (None, start))],
    "units": [("quantities", "_unit_words", lambda language: {})],
    "sums": [("quantities", "_sums", _no)],
    "rounding": [("quantities", "_rounded", _false)],
    "statements": [("yes_no", "_states", _none)],
    "marked answers": [("gold_names", "_AUTO", make_extractor("whole"))],
    "markup, reasoning": [("gold_names", "_AUTO", make_extractor("raw"))],
}


def _forget() -> None:
    """Clear what is kept of gold answers and verdicts."""
    module = importlib.import_module(WORDS + "contains")
    for cached in (module.index_gold, module._named):
        cached.cache_clear()


def without(family: str, pairs: Sequence[Pair]) -> npt.NDArray[np.bool_]:
    """Return the verdicts without a family of rules."""
    _forget()
    patches = [
        mock.patch.object(importlib.import_module(WORDS + module), name, other)
        for module, name, other in FAMILIES[family]
    ]
    for patch in patches:
        patch.start()
    try:
        return np.array(
            [
                contains(
                    one.question,
                    Response("", answers=Answers(texts=((one.text,),))),
                    language=one.language,
                    aliases=one.aliases,
                )
                == (1, 0, 0)
                for one in pairs
            ]
        )
    finally:
        mock.patch.stopall()
        _forget()


def families(pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> None:
    """Print what each family adds on each source, with an interval over resampled questions."""
    right = np.array([one.right for one in pairs])
    whole = np.array([one.right for one in verdicts]) == right
    rng = np.random.default_rng(SEED)
    for family in FAMILIES:
        gain = whole.astype(int) - (without(family, pairs) == right)
        line = f"{family:30}"
        for part, of in parts(pairs):
            if "," in part or not ("QALD" in part or "MKQA" in part):
                continue
            groups = np.unique([pairs[at].group for at in of], return_inverse=True)[1]
            sums, sizes = np.bincount(groups, gain[of]), np.bincount(groups)
            drawn = rng.integers(len(sums), size=(DRAWS, len(sums)))
            low, high = np.quantile(sums[drawn].sum(1) / sizes[drawn].sum(1), [0.025, 0.975])
            better, worse = np.sum(gain[of] > 0), np.sum(gain[of] < 0)
            line += f" | {part}: +{better} -{worse} [{low:+.1%}, {high:+.1%}]"
        print(line, flush=True)


def shares(pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> None:
    """Print how often verdicts were as judged, by verdict and sign, for each source."""
    sources = list(dict.fromkeys(pair.source for pair in pairs))
    kinds = [(one.right, one.sign or "none") for one in verdicts]
    for kind in sorted(set(kinds)):
        told = []
        for source in sources:
            rows = [
                pair.right == kind[0]
                for pair, one in zip(pairs, kinds, strict=True)
                if one == kind and pair.source == source
            ]
            told.append(f"{source}: {sum(rows)} of {len(rows)}")
        print(f"{'right' if kind[0] else 'wrong'}, sign {kind[1]}: {'; '.join(told)}")


def intervals(pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> None:
    """Print how often intervals cover the judged accuracy: runs drawn from one system's answers."""
    import pandas as pd

    from qaldgen.scoring.guesses import SURE, guesses_of

    rng = np.random.default_rng(SEED)
    groups = [f"{pair.source} {pair.data} {pair.system}" for pair in pairs]
    every, biases, errors = [], [], []
    for name in dict.fromkeys(groups):
        of = np.array([at for at, group in enumerate(groups) if group == name])
        if len(of) < FEWEST:
            continue
        right = np.array([pairs[at].right for at in of])
        frame = pd.DataFrame({
            "hit": [verdicts[at].right for at in of], SURE: [verdicts[at].probability for at in of]
        })  # fmt: skip
        found = [guesses_of(frame.iloc[rng.integers(len(of), size=SIZE)]) for _ in range(DRAWS)]
        runs = [one for one in found if one is not None]
        covered = np.mean([one.low <= right.mean() <= one.high for one in runs])
        plain = [2 * 1.96 * np.sqrt(one.accuracy * (1 - one.accuracy) / SIZE) for one in runs]
        widths = [(one.high - one.low) / width for one, width in zip(runs, plain, strict=True)]
        every.append(covered)
        biases.append(frame["hit"].mean() - right.mean())
        errors.append((frame["hit"] != right).mean() / len(of))
        print(
            f"{name:30} {len(of):4} judged, {right.mean():.3f} right, best guess"
            f" {frame['hit'].mean():.3f}; covered in {covered:.1%} of runs of {SIZE},"
            f" {np.mean(widths):.2f} times as wide as the interval of the sample"
        )
    between = max(float(np.mean(np.square(biases)) - np.mean(errors)), 0.0) ** 0.5
    doubt = np.mean([1 - one.probability for one in verdicts])
    print(
        f"all, each system as often: covered in {np.mean(every):.1%}; best guesses are off by"
        f" {np.sqrt(np.mean(np.square(biases))):.3f}, beyond chance {between:.3f}, which is"
        f" {between / doubt:.2f} of the errors expected"
    )


def _show(pair: Pair, verdict: Verdict) -> str:
    answers = pair.question.answers
    asked = next(iter(pair.question.texts.get(pair.language) or ("",)))
    gold = answers.values()[:8] if answers else []
    text = " ".join(pair.text.split())[:400]
    return (
        f"{pair.data} {pair.question.id} {pair.language}: judged {pair.right}"
        f" ({'' if pair.sure else 'un'}sure), verdict {verdict.right} ({verdict.probability})\n"
        f"    {asked}\n    {gold}\n    {text}"
    )


def main(arguments: Sequence[str]) -> None:
    """Print what is asked for."""
    if not (DATA / "judged").is_dir():
        sys.exit(f"the judged answers are not at {DATA}; set QALDGEN_TEST_DATA")
    paths = [Path(name) for name in arguments if not name.startswith("-")]
    options = [name for name in arguments if name.startswith("-")]
    pairs = [pair for path in paths for pair in listed_pairs(path.stem, path)] or judged_pairs()
    verdicts = [verdict_on(one) for one in pairs]
    tables = {"--families": families, "--shares": shares, "--intervals": intervals}
    for name in options:
        if name in tables:
            tables[name](pairs, verdicts)
    if not options or "-v" in options:
        for name, of in parts(pairs):
            print(f"{name:22}", _agreement([pairs[at] for at in of], [verdicts[at] for at in of]))
    if "-v" in options:
        print(
            *(
                _show(*one)
                for one in zip(pairs, verdicts, strict=True)
                if one[0].right != one[1].right
            ),
            sep="\n",
        )


if __name__ == "__main__":
    main(sys.argv[1:])

"""How far verdicts on answers in words agree with judgments by hand, and what each rule adds.

Judged are 834 answers to QALD-9 (tests/data/labels/blind-answers.tsv: most of the rules were
written with these) and 200 to QALD-9 and MKQA (judged/answers-200.json in the data of the tests).
The answers themselves are in these data (`QALDGEN_TEST_DATA`, or ../shared/data). Usage:

    python benchmarks/text_agreement.py              agreement, of the sure and of the guesses
    python benchmarks/text_agreement.py --families   what each family of rules adds, resampled
    python benchmarks/text_agreement.py --shares     how often verdicts are as judged, by signs
    python benchmarks/text_agreement.py --intervals  how often intervals cover what was judged
    python benchmarks/text_agreement.py -v           every disagreement
"""

from __future__ import annotations

import csv
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from unittest import mock

import numpy as np
import numpy.typing as npt

from qaldgen.model import Answers, Cell, Question
from qaldgen.runs.record import Response
from qaldgen.scoring.guesses import GUESS
from qaldgen.scoring.words import confidence
from qaldgen.scoring.words.contains import contains, prepare
from qaldgen.scoring.words.dates import read_date
from qaldgen.scoring.words.extraction import make_extractor
from qaldgen.scoring.words.tokens import readings

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "tests" / "data" / "labels"
DATA = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
#: How often questions are resampled, and how many answers a simulated run has.
DRAWS, SIZE, SEED = 2000, 200, 7


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
    """A verdict, the probability that it is right, and the signs against it."""

    right: bool
    probability: float
    signs: tuple[str, ...]


def judged_pairs(further: Sequence[str] = ()) -> list[Pair]:
    """Read all judged pairs, and those of further files like answers-200.json."""
    folder = DATA / "llm-answers" / "qald-9"
    read = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")
    }
    questions = {str(row["ID"]): _question(row) for row in read.pop("questions")}
    aliases = read.pop("aliases")
    texts = {
        (name, str(row["id"]), row["language"]): row["answer"]
        for name in read
        for row in read[name]
    }
    pairs = []
    with (LABELS / "blind-answers.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            name, text = row["id"], texts[row["system"], row["id"], row["language"]]
            right, sure, system = row["verdict"] == "right", row["sure"] == "sure", row["system"]
            language, question = row["language"], questions[name]
            pairs.append(
                Pair(
                    *("834", "QALD-9", language, question, aliases, text),
                    *(right, sure, name, system),
                )
            )
    ids = {text[0].strip(): name for name, one in questions.items() for text in one.texts.values()}
    for path in (DATA / "judged" / "answers-200.json", *map(Path, further)):
        source = path.stem.rpartition("-")[2]
        for row in json.loads(path.read_text(encoding="utf-8")):
            asked = {row["lang"]: (row["q"],)}
            if row["ds"] == "qald":
                question, known = _gold(row["id"], row["gold"], asked), aliases
                data, group = "QALD-9", ids.get(row["q"].strip(), row["q"])
            else:
                answers = Answers(texts=tuple(map(tuple, row["gold"])))
                question, known = Question(str(row["id"]), asked, answers=answers), None
                data, group = "MKQA", f"mkqa {row['id']}"
            right, sure = bool(row["judged"]), not row.get("borderline")
            pairs.append(
                Pair(
                    *(source, data, row["lang"], question, known, row["a"]),
                    *(right, sure, group, row["sys"]),
                )
            )
    return pairs


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
    sure = confidence.sureness(pair.question, response, **how)
    return Verdict(count == (1, 0, 0), sure.probability, sure.signs)


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
    for source, data in (("834", "QALD-9"), ("200", "QALD-9"), ("200", "MKQA"), ("200", "")):
        of = [at for at, one in enumerate(pairs) if one.source == source and data in one.data]
        yield f"{source} {data}", of
        yield f"{source} {data}, English", [at for at in of if pairs[at].language == "en"]
        yield f"{source} {data}, others", [at for at in of if pairs[at].language != "en"]


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
    "refusals, echoes": [("contains", "asserted", _bare)],
    "dates in words": [("contains", "_days", _no), ("dates", "_agrees", lambda *args: True)],
    "number words": [("quantities", "_in_words", lambda text, start, language: (None, start))],
    "units": [("quantities", "_unit_words", lambda language: {})],
    "sums": [("quantities", "_sums", _no)],
    "rounding": [("quantities", "_rounded", _false)],
    "verdicts (that is false)": [("yes_no", "_verdict", _none)],
    "statements": [("yes_no", "_states", _none)],
    "language of the answer": [("contains", "answer_language", lambda text, own: own)],
    "marked answers": [("gold_names", "_AUTO", make_extractor("whole"))],
    "markup, reasoning": [("gold_names", "_AUTO", make_extractor("raw"))],
}


def without(family: str, pairs: Sequence[Pair]) -> npt.NDArray[np.bool_]:
    """Return the verdicts without a family of rules."""
    prepare.cache_clear()
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
        prepare.cache_clear()


def families(pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> None:
    """Print what each family adds on each source, with an interval over resampled questions."""
    right = np.array([one.right for one in pairs])
    whole = np.array([one.right for one in verdicts]) == right
    rng = np.random.default_rng(SEED)
    for family in FAMILIES:
        gain = whole.astype(int) - (without(family, pairs) == right)
        line = f"{family:30}"
        for part in ("834 QALD-9", "200 QALD-9", "200 MKQA"):
            of = dict(parts(pairs))[part]
            groups = np.unique([pairs[at].group for at in of], return_inverse=True)[1]
            sums, sizes = np.bincount(groups, gain[of]), np.bincount(groups)
            drawn = rng.integers(len(sums), size=(DRAWS, len(sums)))
            low, high = np.quantile(sums[drawn].sum(1) / sizes[drawn].sum(1), [0.025, 0.975])
            better, worse = np.sum(gain[of] > 0), np.sum(gain[of] < 0)
            line += f" | {part}: +{better} -{worse} [{low:+.1%}, {high:+.1%}]"
        print(line, flush=True)


def shares(pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> None:
    """Print how often verdicts were as judged, by verdict and first sign, for each source."""
    sources = list(dict.fromkeys(pair.source for pair in pairs))
    kinds = [(one.right, one.signs[0] if one.signs else "none") for one in verdicts]
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
    """Print how often intervals of drawn runs cover the judged accuracy, and their widths."""
    import pandas as pd

    from qaldgen.scoring.guesses import SURE, guesses_of

    rng = np.random.default_rng(SEED)
    for name, inside in parts(pairs):
        of = np.array(inside)
        right = np.array([pairs[at].right for at in of])
        frame = pd.DataFrame({
            "hit": [verdicts[at].right for at in of], SURE: [verdicts[at].probability for at in of]
        })  # fmt: skip
        covered, widths = 0, []
        for _ in range(DRAWS):
            drawn = rng.integers(len(of), size=SIZE)
            found = guesses_of(frame.iloc[drawn])
            assert found is not None
            covered += found.low <= right.mean() <= found.high
            plain = 2 * 1.96 * np.sqrt(found.accuracy * (1 - found.accuracy) / SIZE)
            widths.append((found.high - found.low) / plain)
        print(
            f"{name:22} judged accuracy {right.mean():.3f}, covered in"
            f" {covered / DRAWS:.1%} of runs of {SIZE}, {np.mean(widths):.2f} times as wide"
            " as the interval of the sample"
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
    pairs = judged_pairs()
    verdicts = [verdict_on(one) for one in pairs]
    tables = {"--families": families, "--shares": shares, "--intervals": intervals}
    for name in arguments:
        if name in tables:
            tables[name](pairs, verdicts)
    if not arguments or "-v" in arguments:
        for name, of in parts(pairs):
            print(f"{name:22}", _agreement([pairs[at] for at in of], [verdicts[at] for at in of]))
    if "-v" in arguments:
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

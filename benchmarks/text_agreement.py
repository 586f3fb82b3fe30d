"""How far verdicts on answers in words agree with people, on data sets that were left out.

Judged are 9,690 answers to TriviaQA (by people), 8,650 to SimpleQA in Czech (by a language model),
834, 200 and 180 to QALD-9 and MKQA, and 276 more (tests/data/labels and judged/ in the data of the
tests: `QALDGEN_TEST_DATA`, or ../shared/data; of the 276, those to questions with three gold
answers or more are left out, since a list was judged right only if it had all); and our own pairs
on what stands around a gold answer, which are made to mislead.

The model of verdicts is fitted to all of them. What is printed is how it does on each data set when
it is fitted to the others. Usage:

    python benchmarks/text_agreement.py              agreement, sure ones, coverage; sets left out
    python benchmarks/text_agreement.py --kinds      the same by kind of gold answer
    python benchmarks/text_agreement.py --fit        fit the model to all sets, and write its table
    python benchmarks/text_agreement.py --families   what each family of rules adds, by data set
    python benchmarks/text_agreement.py --signs      what each sign adds, by data set
    python benchmarks/text_agreement.py -v           every disagreement
    python benchmarks/text_agreement.py LIST.json    on other pairs, laid out as answers-200.json
"""

from __future__ import annotations

import csv
import importlib
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from unittest import mock

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit, logit

from qaldgen.answers.record import Response
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.loading import load
from qaldgen.scoring.guesses import MIN_ANSWERS, SURE, count_guesses, learn_prior, slope
from qaldgen.scoring.verdict_model import (
    MIN_SURE,
    SignEvidence,
    VerdictModel,
    fitted_model,
    weigh_signs,
)
from qaldgen.scoring.words.contains import index_gold, sought_of
from qaldgen.scoring.words.dates import read_date
from qaldgen.scoring.words.extraction import make_extractor, says_anything
from qaldgen.scoring.words.gold_names import GoldKey, given_texts, gold_size
from qaldgen.scoring.words.numbers import gold_numbers
from qaldgen.scoring.words.signs import SEVERAL, Signs, signs_of

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "tests" / "data" / "labels"
DATA = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
#: Our own pairs, made to mislead: how often rules err there says nothing of other answers.
MISLEADING = "surroundings"
#: The table of the model of verdicts.
TABLE = ROOT / "qaldgen" / "scoring" / "words" / "data" / "verdict_model.json"
#: How often questions are resampled, how often runs are, and how many answers a run then has.
DRAWS, COVERED, SIZE, SEED = 2000, 200, 200, 7
#: From so many answers to a set on those of a system are looked at by themselves.
LARGE = 1000
#: How many answers of a large set are judged without each family of rules.
PART = 1500


Real: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Names: TypeAlias = npt.NDArray[np.str_]


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


def surrounding_pairs() -> Iterator[Pair]:
    """Yield our own pairs on what may stand around a gold answer, or in its place."""
    lines = (LABELS / f"{MISLEADING}.jsonl").read_text(encoding="utf-8").splitlines()
    for at, row in enumerate(map(json.loads, lines)):
        language, asked, gold, variants, answer, verdict = row
        answers = Answers(texts=tuple((name,) for name in gold))
        question = Question(str(at), {language: (asked,)}, answers=answers)
        told = (verdict == "right", True, f"{MISLEADING} {asked}", "invented")
        yield Pair(MISLEADING, MISLEADING, language, question, {gold[0]: variants}, answer, *told)


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
        Cell("literal" if read_date(value) or gold_numbers(value) else "uri", value)
        for value in values
    ]
    return Question(str(name), texts, answers=Answers(rows=tuple((cell,) for cell in cells)))


def table_pairs(path: Path, data: str) -> Iterator[Pair]:
    """Yield the judged pairs of a table with variants of one gold answer."""
    questions: dict[tuple[str, str], Question] = {}
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    for row in table.to_dict("records"):
        key = (row["id"], row["gold"])
        if key not in questions:
            answers = Answers(texts=(tuple(json.loads(row["gold"])),))
            asked = {row["lang"]: (row["question"],)}
            questions[key] = Question(row["id"], asked, answers=answers)
        told = (row["right"] == "1", True, f"{data} {row['id']}", row["system"])
        yield Pair(data, data, row["lang"], questions[key], None, row["answer"], *told)


def every_pair() -> list[Pair]:
    """Read all judged pairs, those of other people too."""
    return [
        *judged_pairs(),
        *table_pairs(DATA / "judged" / "people-triviaqa.tsv.gz", "TriviaQA"),
        *table_pairs(DATA / "judged" / "graded-czech.tsv.gz", "Czech SimpleQA"),
        *surrounding_pairs(),
    ]


class Judged(NamedTuple):
    """Judged answers as a model sees them; those that say nothing are wrong, and not here."""

    pairs: list[Pair]
    signs: list[Signs]
    right: Bools
    data: Names
    run: Names  # the answers of one system to one set; of small lists, those of all systems


def judged_signs(pairs: Sequence[Pair]) -> Judged:
    """Return the signs of the answers."""
    found = [(pair, signs) for pair in pairs if (signs := _signs(pair))]
    kept = [pair for pair, _ in found]
    sizes = Counter((pair.source, pair.data, pair.system) for pair in kept)
    large = {name for name, size in sizes.items() if size >= LARGE}
    runs = [
        f"{one.data}, {one.system}"
        if (one.source, one.data, one.system) in large
        else f"{one.data}, the {one.source}"
        for one in kept
    ]
    return Judged(
        kept,
        [signs for _, signs in found],
        np.array([pair.right for pair in kept]),
        np.array([pair.data for pair in kept]),
        np.array(runs),
    )


def _signs(pair: Pair) -> Signs | None:
    gold = index_gold(GoldKey(pair.question, pair.aliases, pair.language))
    text = "\n".join(given_texts(_response(pair), gold_names=gold.names))
    if not says_anything(text):
        return None
    return signs_of(gold, text)


def _response(pair: Pair) -> Response:
    return Response(pair.question.id, answers=Answers(texts=((pair.text,),)))


#: By verdict of the rules the signs that have a weight, and which way it may go: 1 only up.
RIGHT_SIGNS = {
    **dict.fromkeys(("unsaid", "hedge", "some", "part"), -1),
    **dict.fromkeys(("added", "negated", "rival"), -1),
}
WRONG_SIGNS = {
    **dict.fromkeys(("unsaid", "short", "share", "word", "alike"), 1),
    **dict.fromkeys(("near", "script"), 1),
    **dict.fromkeys(("abstains", "variants"), -1),
    "words": 0,
}
KINDS = ("terms", "number", "date", "yes or no", "list")
#: How strongly weights are drawn to 0: of signs, and of kinds of gold answers, which few sets have.
RIDGE, RIDGE_OF_KINDS = 3.0, 15.0
#: How often a label is wrong: with few right answers, or few wrong ones, this is most of the rest.
MISLABELLED = 0.01
#: The table of data sets that neither rules nor signs nor weights were made with.
UNSEEN = ROOT / "benchmarks" / "unseen_labels.tsv"
#: What the answers of a run are worth when its prior is learnt: signs speak differently elsewhere.
WORTH = 50


#: Signs that have a weight of their own among the misleading pairs.
OF_MISLEADING = ((True, "all"), (False, "all"), (True, "added"))


def design(signs: Sequence[Signs], misleading: Bools) -> tuple[Real, list[tuple[bool, str]]]:
    """Return the columns of the regression and their names; those of misleading pairs come last."""
    names = [(right, "all") for right in (True, False)]
    names += [(right, kind) for kind in KINDS for right in (True, False)]
    names += [(True, name) for name in RIGHT_SIGNS] + [(False, name) for name in WRONG_SIGNS]
    rows = [
        [
            float(one.right == right)
            * (1.0 if name in ("all", one.kind) else one.signs.get(name, 0.0))
            for right, name in names
        ]
        for one in signs
    ]
    columns = np.array(rows, dtype=float)
    own = columns[:, [names.index(one) for one in OF_MISLEADING]] * misleading[:, None]
    return np.hstack([columns, own]), names


def fit(judged: Judged, kept: Bools) -> VerdictModel:
    """Fit the model to some of the answers.

    A logistic regression, with the log-odds of the share that is right in a run as its offset: the
    weights say what signs add to that. A set counts by the root of its size. A weight that would go
    the other way than its sign says is 0. Some labels are wrong.
    """
    right, data, run = judged.right[kept], judged.data[kept], judged.run[kept]
    signs = [judged.signs[at] for at in np.flatnonzero(kept)]
    columns, names = design(signs, data == MISLEADING)
    either = {True: RIGHT_SIGNS, False: WRONG_SIGNS}
    ridges = {"all": 1e-6, **dict.fromkeys(KINDS, RIDGE_OF_KINDS)}
    extra = [0.0] * len(OF_MISLEADING)
    ways = np.array([float(either[right].get(name, 0)) for right, name in names] + extra)
    penalties = np.array([ridges.get(name, RIDGE) for _, name in names] + [1.0] * len(extra))
    offset, weight = np.zeros(len(right)), np.zeros(len(right))
    shares = {}
    for name in np.unique(run):
        of = run == name
        shares[name] = logit((right[of].sum() + 0.5) / (of.sum() + 1))
        offset[of] = shares[name]
    for name in np.unique(data):
        of = data == name
        weight[of] = 1 / np.sqrt(of.sum())
    weight *= len(right) / weight.sum()
    betas = _newton(columns, right, offset, weight, penalties, ways)
    weights: dict[bool, dict[str, float]] = {True: {}, False: {}}
    for (verdict, name), beta in zip(names, betas.tolist(), strict=False):
        weights[verdict][name] = round(beta, 3)
    whole = [
        share
        for name, share in shares.items()
        if (run == name).sum() >= MIN_ANSWERS and not name.startswith(MISLEADING)
    ]
    spread = float(np.std(whole))
    return VerdictModel(
        weights[True], weights[False], float(np.mean(whole)), spread, 0.0, 0.0, WORTH, ""
    )


def _newton(
    columns: Real, right: Bools, offset: Real, weight: Real, penalties: Real, ways: Real
) -> Real:
    betas, free = np.zeros(columns.shape[1]), np.ones(columns.shape[1], dtype=bool)
    for _ in range(200):
        chances = expit(columns @ betas + offset)
        variances = chances * (1 - chances)
        labelled = MISLABELLED + (1 - 2 * MISLABELLED) * chances
        slope = (1 - 2 * MISLABELLED) * variances / (labelled * (1 - labelled))
        gradient = columns.T @ (weight * slope * (labelled - right)) + penalties * betas
        curve = weight * slope * (1 - 2 * MISLABELLED) * variances
        hessian = (columns * curve[:, None]).T @ columns + np.diag(penalties)
        step = np.zeros_like(betas)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        betas -= step * min(1.0, 3 / max(float(np.abs(step).max()), 1e-9))
        if np.abs(step).max() < 1e-5:
            turned = free & (ways * betas < 0)
            if not turned.any():
                return betas
            free &= ~turned
            betas[turned] = 0.0
    return betas


class Run(NamedTuple):
    """The answers of one run, judged by a model that was fitted to other data sets."""

    data: str
    name: str
    right: Bools
    by_rules: Bools
    evidence: list[SignEvidence]
    model: VerdictModel
    chance: Real
    error: float  # of the prior, but for the doubt between data sets


def judge_run(judged: Judged, of: Bools, model: VerdictModel) -> Run:
    """Return the verdicts on the answers of a run."""
    evidence = [weigh_signs(judged.signs[at], model) for at in np.flatnonzero(of)]
    prior = learn_prior(evidence, model=model)
    chance = np.array([one.chance(prior.log_odds) for one in evidence])
    by_rules = np.array([one.is_right_by_rules for one in evidence])
    name, data = str(judged.run[of][0]), str(judged.data[of][0])
    right = judged.right[of]
    return Run(data, name, right, by_rules, evidence, model, chance, prior.error)


def left_out(judged: Judged) -> list[Run]:
    """Return each run by the model that was fitted without its data set."""
    models = {name: fit(judged, judged.data != name) for name in np.unique(judged.data)}
    names = [name for name, size in Counter(judged.run.tolist()).items() if size >= MIN_ANSWERS]
    places = [judged.run == name for name in names]
    runs = [judge_run(judged, of, models[judged.data[of][0]]) for of in places]
    left = []
    for run in runs:
        others = [other for other in runs if other.data != run.data]
        model = run.model._replace(doubt=doubt_of(others), missed=missed_by(others))
        left.append(run._replace(model=model))
    return left


def doubt_of(runs: Sequence[Run]) -> float:
    """Return how far the expected share is from that by people, in deviations of one answer.

    A random effect around an error of 0, beyond the chance of the verdicts and the error of the
    prior, which the interval counts itself: the mean of a posterior that is flat to begin with, as
    of so few sets the most likely deviation may be 0. The runs of a data set together count as one.
    """
    runs = [run for run in runs if run.data != MISLEADING]
    shares = np.array([run.right.mean() for run in runs])
    variances = shares * (1 - shares)
    squares = (np.array([run.chance.mean() for run in runs]) - shares) ** 2 / variances
    verdicts = np.array([np.mean((run.right - run.chance) ** 2) / len(run.right) for run in runs])
    priors = np.array([run.error * slope(run.chance) for run in runs]) ** 2
    sizes = Counter(run.data for run in runs)
    weights = np.array([1 / sizes[run.data] for run in runs])
    effects = np.linspace(0, 0.2, 401)
    spread = (verdicts + priors) / variances + effects[:, None] ** 2
    likelihood = -(np.log(spread) + squares / spread) @ weights / 2
    posterior = np.exp(likelihood - likelihood.max())
    return float(posterior @ effects / posterior.sum())


def missed_by(runs: Sequence[Run]) -> float:
    """Return how far people's share of the answers judged wrong is above the expected one.

    A random effect between data sets, estimated as in `doubt_of`, from the given runs and from the
    sets in `UNSEEN`. Of the latter, those count whose labels follow the gold answers.
    """
    numbers: dict[str, list[float]] = {}  # answers judged wrong, accepted ones, expected ones
    for run in runs:
        if run.data == MISLEADING:
            continue
        is_wrong = run.chance < 1 / 2
        found = [is_wrong.sum(), run.right[is_wrong].sum(), run.chance[is_wrong].sum()]
        numbers[run.data] = np.add(numbers.get(run.data, 0), found).tolist()
    with UNSEEN.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if not row["left out"]:
                numbers[row["set"]] = [
                    float(row[name]) for name in ("wrong", "accepted", "expected")
                ]
    n_wrong, accepted, expected = np.array(list(numbers.values())).T
    shares = (accepted + 0.5) / (n_wrong + 1)
    squares = ((accepted - expected) / n_wrong) ** 2
    effects = np.linspace(0.001, 0.5, 500)[:, None]
    variances = shares * (1 - shares) / n_wrong + effects**2
    likelihood = -(np.log(variances) + squares / variances).sum(axis=1) / 2
    posterior = np.exp(likelihood - likelihood.max())
    return float(posterior @ effects[:, 0] / posterior.sum())


def coverage(run: Run) -> float:
    """Return how often the interval of `SIZE` answers of a run covers the share by people.

    Of a run with fewer, as many as it has.
    """
    rng, covered, size = np.random.default_rng(SEED), 0, min(SIZE, len(run.right))
    for _ in range(COVERED):
        evidence = [run.evidence[at] for at in rng.integers(len(run.right), size=size)]
        prior = learn_prior(evidence, model=run.model)
        chance = np.array([one.chance(prior.log_odds) for one in evidence])
        frame = pd.DataFrame({"hit": chance > 1 / 2, SURE: np.maximum(chance, 1 - chance)})
        found = count_guesses(frame, prior, run.model)
        covered += found is not None and bool(found.low <= run.right.mean() <= found.high)
    return covered / COVERED


def _line(name: str, right: Bools, by_rules: Bools, chance: Real) -> str:
    best, sure = chance > 1 / 2, np.maximum(chance, 1 - chance) >= MIN_SURE
    return (
        f"{name:36} {len(right):5,} | people {right.mean():.3f}, expected {chance.mean():.3f} |"
        f" rules agree {np.mean(by_rules == right):.3f}, best guess {np.mean(best == right):.3f} |"
        f" sure {sure.mean():.2f}, agree {_share((best == right)[sure])}"
    )


def _share(values: Bools) -> str:
    return f"{values.mean():.3f}" if len(values) else "-"


def print_runs(judged: Judged) -> None:
    """Print agreement and coverage, each data set left out."""
    runs = left_out(judged)
    for run in runs:
        covered = f" | covered {coverage(run):.2f}"
        print(_line(run.name, run.right, run.by_rules, run.chance) + covered, flush=True)
    print(f"doubt between data sets: {doubt_of(runs):.3f} of an answer")


def print_kinds(judged: Judged) -> None:
    """Print agreement by data set and kind of gold answer, each set left out."""
    runs = left_out(judged)
    for data in dict.fromkeys(run.data for run in runs):
        same = [run for run in runs if run.data == data]
        places = [np.flatnonzero(judged.run == run.name) for run in same]
        kinds = np.array([judged.signs[at].kind for each in places for at in each])
        for kind in np.unique(kinds):
            columns = zip(*((run.right, run.by_rules, run.chance) for run in same), strict=True)
            print(
                _line(f"{data}, {kind}", *(np.concatenate(one)[kinds == kind] for one in columns))
            )


def print_signs(judged: Judged) -> None:
    """Print by data set how agreement and the sure share change without each sign.

    The model is fitted again without the sign, and each set left out.
    """
    before = _figures(judged)
    for right, names in ((True, RIGHT_SIGNS), (False, WRONG_SIGNS)):
        for name in names:
            signs = [
                one._replace(signs={**one.signs, name: 0.0}) if one.right == right else one
                for one in judged.signs
            ]
            after = _figures(judged._replace(signs=signs))
            changes = " | ".join(
                f"{data} agree {after[data][0] - agree:+.4f}, sure {after[data][1] - sure:+.3f}"
                for data, (agree, sure) in before.items()
            )
            print(f"{'right' if right else 'wrong'} {name:8} | {changes}", flush=True)


def _figures(judged: Judged) -> dict[str, tuple[float, float]]:
    """Return by data set the agreement of the best guess and the share of sure verdicts."""
    chances: dict[str, list[Real]] = defaultdict(list)
    rights: dict[str, list[Bools]] = defaultdict(list)
    for run in left_out(judged):
        chances[run.data].append(run.chance)
        rights[run.data].append(run.right)
    figures = {}
    for data in chances:
        chance, right = np.concatenate(chances[data]), np.concatenate(rights[data])
        sure = np.maximum(chance, 1 - chance) >= MIN_SURE
        figures[data] = (float(np.mean((chance > 1 / 2) == right)), float(sure.mean()))
    return figures


def write_model(judged: Judged) -> None:
    """Fit the model to all answers, and write its table."""
    runs = left_out(judged)
    sizes = Counter(judged.data.tolist())
    told = ", ".join(f"{size:,} {name}" for name, size in sorted(sizes.items()))
    model = fit(judged, np.ones(len(judged.right), dtype=bool))
    model = model._replace(
        prior=round(model.prior, 3),
        spread=round(model.spread, 3),
        doubt=round(doubt_of(runs), 3),
        missed=round(missed_by(runs), 3),
        fitted="benchmarks/text_agreement.py --fit, on answers judged by people and one model: "
        f"{told}; doubt: between these sets, each left out; missed: between these and unseen ones",
    )
    TABLE.write_text(json.dumps(model._asdict(), indent=2) + "\n", encoding="utf-8")


WORDS = "qaldgen.scoring.words."


def _no(*args: object, **options: object) -> tuple[()]:
    return ()


def _false(*args: object, **options: object) -> bool:
    return False


#: By family of rules what switches it off: module, name, and what takes its place.
FAMILIES: dict[str, list[tuple[str, str, Any]]] = {
    "words of the question": [
        (
            "contains",
            "sought_of",
            lambda row, _, is_only: sought_of(row, (), is_only=is_only),
        )
    ],
    "inflection": [("reading", "stem", lambda word, language: word)],
    "names in CLDR": [("gold_names", "translations", _no)],
    "refusals, questions back": [
        ("reading", "AnswerText.asserted_parts", lambda answer, *_, **__: list(answer.sentences)),
    ],
    "dates in words": [("contains", "read_date", _no), ("dates", "_MAX_WORDS_FROM_YEAR", 0)],
    "number words, scales": [("quantities", "_values", lambda language, *kinds: {})],
    "units": [("quantities", "_unit_words", lambda language: {})],
    "sums": [("quantities", "_sums", _no)],
    "rounding": [("gold_amounts", "Amount._is_rounded", _false)],
    "statements": [("yes_no", "_MIN_CONTENT_SHARE", 2.0), ("yes_no", "_MAX_BRIEF_WORDS", -1)],
    "marked answers": [("gold_names", "_AUTO", make_extractor("whole"))],
    "markup, reasoning": [("gold_names", "_AUTO", make_extractor("raw"))],
}


def _forget() -> None:
    """Clear what is kept of gold answers."""
    importlib.import_module(WORDS + "contains").index_gold.cache_clear()


def without(family: str, pairs: Sequence[Pair]) -> list[Signs | None]:
    """Return the signs of answers without a family of rules."""
    _forget()
    patches = [
        mock.patch(f"{WORDS}{module}.{name}", other) for module, name, other in FAMILIES[family]
    ]
    for patch in patches:
        patch.start()
    try:
        return [_signs(pair) for pair in pairs]
    finally:
        mock.patch.stopall()
        _forget()


def families(judged: Judged) -> None:
    """Print what each family adds on each set, by the model that was fitted without the set.

    With an interval over resampled questions; of a large set a part is drawn.
    """
    rng = np.random.default_rng(SEED)
    for data in np.unique(judged.data):
        of = np.flatnonzero(judged.data == data)
        if len(of) < MIN_ANSWERS:
            continue
        drawn = np.sort(rng.permutation(of)[:PART])
        model = fit(judged, judged.data != data)
        part = Judged(
            [judged.pairs[at] for at in drawn],
            [judged.signs[at] for at in drawn],
            judged.right[drawn],
            judged.data[drawn],
            judged.run[drawn],
        )
        whole = _agree(part, part.signs, model)
        groups = np.unique([pair.group for pair in part.pairs], return_inverse=True)[1]
        for family in FAMILIES:
            gain = whole.astype(int) - _agree(part, without(family, part.pairs), model)
            sums, sizes = np.bincount(groups, gain), np.bincount(groups)
            again = rng.integers(len(sums), size=(DRAWS, len(sums)))
            low, high = np.quantile(sums[again].sum(1) / sizes[again].sum(1), [0.025, 0.975])
            print(
                f"{data:16} {family:26} +{np.sum(gain > 0):<3} -{np.sum(gain < 0):<3}"
                f" [{low:+.1%}, {high:+.1%}]",
                flush=True,
            )


def _agree(judged: Judged, signs: Sequence[Signs | None], model: VerdictModel) -> Bools:
    """Tell which best guesses agree; what cannot be judged is wrong."""
    agree = np.zeros(len(signs), dtype=bool)
    for name in np.unique(judged.run):
        own = [(at, signs[at]) for at in np.flatnonzero(judged.run == name).tolist()]
        of = [at for at, one in own if one is not None]
        evidence = [weigh_signs(one, model) for _, one in own if one is not None]
        prior = learn_prior(evidence, model=model).log_odds
        agree[of] = [one.chance(prior) > 1 / 2 for one in evidence] == judged.right[of]
    return agree


def _show(pair: Pair, chance: float) -> str:
    answers = pair.question.answers
    asked = next(iter(pair.question.texts.get(pair.language) or ("",)))
    gold = answers.values()[:8] if answers else []
    text = " ".join(pair.text.split())[:400]
    return (
        f"{pair.data} {pair.question.id} {pair.language}: judged {pair.right}"
        f" ({'' if pair.sure else 'un'}sure), probability {chance:.2f}\n"
        f"    {asked}\n    {gold}\n    {text}"
    )


def print_disagreements(judged: Judged) -> None:
    """Print the answers whose best guess does not agree, each data set left out."""
    for run in left_out(judged):
        of = np.flatnonzero(judged.run == run.name)
        for at, right, chance in zip(of, run.right, run.chance, strict=True):
            if right != (chance > 1 / 2):
                print(_show(judged.pairs[at], chance))


def print_list(judged: Judged) -> None:
    """Print agreement on other pairs by the model as it is."""
    for name in dict.fromkeys(judged.run.tolist()):
        run = judge_run(judged, judged.run == name, fitted_model())
        print(_line(run.name, run.right, run.by_rules, run.chance))


def main(arguments: Sequence[str]) -> None:
    """Print what is asked for."""
    if not (DATA / "judged").is_dir():
        sys.exit(f"the judged answers are not at {DATA}; set QALDGEN_TEST_DATA")
    paths = [Path(name) for name in arguments if name and not name.startswith("-")]
    if paths:
        print_list(judged_signs([pair for path in paths for pair in listed_pairs(path.stem, path)]))
        return
    judged = judged_signs(every_pair())
    tables = {
        "--kinds": print_kinds,
        "--fit": write_model,
        "--families": families,
        "--signs": print_signs,
        "-v": print_disagreements,
    }
    for name in arguments or [""]:
        tables.get(name, print_runs)(judged)


if __name__ == "__main__":
    main(sys.argv[1:])

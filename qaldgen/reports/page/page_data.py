"""The data of the page as JSON: first screen, slices, map, questions, answers and features."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from qaldgen.analysis.comparing.comparison import Comparison
from qaldgen.analysis.feature_table import sampling_query
from qaldgen.analysis.slices.weak_spots import WeakSpot
from qaldgen.defaults import DECIMALS, LANGUAGE, LEVEL_LABEL
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of
from qaldgen.model import BAR
from qaldgen.questions.writing import benchmark_entry
from qaldgen.reports.page.contents import Report, SliceRow, report_slices
from qaldgen.reports.page.findings import NAMED_PAIRS
from qaldgen.reports.page.slice_groups import heading
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.measures import find_measure
from qaldgen.selection.conditions import code_column

#: Text of more characters is compressed; browsers decompress it themselves.
MOST_PLAIN = 3_000_000
#: A feature with more values than this is left out of the page: nearly every question has its own.
_MOST_VALUES = 2_000
#: The code of a question without a value of a feature.
_NO_VALUE = 65_535
#: The most questions in a benchmark of a weak spot.
_MOST_SAMPLED = 50
#: The outcome of a question, as the page marks it.
STATES = ("right", "partly", "wrong", "empty", "failed", "not asked")
#: The most values of a list of answers on the page.
MOST_ANSWERS = 25
#: The most characters of a list of answers on the page.
MOST_CHARACTERS = 800


def page_data(report: Report) -> dict[str, Any]:
    """Return everything that the scripts of the page need, as JSON can hold it."""
    answers = answer_data(report)
    index_of_question = {question_id: index for index, question_id in enumerate(answers["ids"])}

    features = []
    if report.table is not None:
        features = feature_columns(report.table, answers["ids"])
    map_data = None
    if report.projection is not None:
        # the map of the questions that the page has
        placed_questions = []
        points = []
        for question_id, point in zip(report.projection.ids, report.projection.points, strict=True):
            if question_id in index_of_question:
                placed_questions.append(index_of_question[question_id])
                points.append(_round_all(point))
        map_data = {
            "questions": placed_questions,
            "points": points,
            "labels": list(report.projection.labels),
            "source": report.projection.source,
        }

    aliases = report.all_scores[0].rules.aliases or {}
    return {
        "title": report.title,
        "measure": report.measured,
        "measureOfQuestion": report.score_of_question,
        "match": report.match,
        "pool": report.pool,
        "asked": report.questions_asked,
        **first_screen(report),
        "heat": _heat_rows(report, index_of_question),
        "map": map_data,
        **answers,
        "features": features,
        "labels": {iri: names[0] for iri, names in aliases.items() if names},
    }


def packed_json(data: dict[str, Any]) -> tuple[str, str]:
    r"""Return data as text for a ``script`` tag, and its format: ``json`` or ``gzip``.

    >>> packed_json({"a": "</script>"})
    ('{"a":"\\u003c/script>"}', 'json')
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    if len(text) <= MOST_PLAIN:
        return text, "json"
    # Level 9 takes eight times as long for 6 % less.
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii"), "gzip"


def _heat_rows(report: Report, index_of_question: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a row for all questions and one for each slice, the weakest slices first."""
    all_questions, *rows_of_slices = report_slices(report)
    overall = [cell["estimate"] for cell in all_questions.cells]

    def weakness(row: SliceRow) -> tuple[bool, float]:
        # slices of too few questions for an interval come last
        gaps = np.array([cell["estimate"] for cell in row.cells]) - np.nan_to_num(overall)
        gaps = gaps[~np.isnan(gaps)]
        if not len(gaps):
            return True, 0.0
        return row.n < FEWEST, float(gaps.mean())

    rows = []
    index_of_system = {name: index for index, name in enumerate(report.systems)}
    for row in [all_questions, *sorted(rows_of_slices, key=weakness)]:
        feature_title = ""
        label = "all questions"
        members = None
        if row.slice is not None:
            feature_title = heading(row.feature).title
            label = row.slice.label
            known_ids = filter(index_of_question.__contains__, row.slice.ids)
            members = [index_of_question[question_id] for question_id in known_ids]

        # the question that represents a cluster, with share and chance by system
        example = report.examples.get(row.name)
        example_data = None
        if example is not None and example.ids[0] in index_of_question:
            shares = [_round_all([one.share, one.chance]) for one in example.agreements]
            example_data = {"at": index_of_question[example.ids[0]], "alike": shares}

        rows.append({
            "feature": row.feature,
            "about": feature_title,
            "name": row.name,
            "label": label,
            "n": row.n,
            "cells": [_round_all(cell.values()) for cell in row.cells],
            "winner": index_of_system.get(row.winner, -1),
            "example": example_data,
            "members": members,
        })  # fmt: skip
    return rows


def feature_columns(table: pd.DataFrame, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the features of questions: the distinct values, and the value of each question.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"isCount": [True, None, True]}, index=["a", "b", "c"], dtype=object)
    >>> (column,) = feature_columns(table, ["a", "b", "c"])
    >>> column["label"], column["kind"], column["values"], column["at"]
    ('the query counts', 'boolean', ['yes'], 'AAD//wAA')
    """
    catalogue = all_features()
    columns = []
    rows = table.loc[list(ids)]
    for name in map(str, rows.columns):
        distinct, value_of = code_column(rows[name].tolist())
        texts = [_format_value(value) for value in distinct]
        values = sorted(set(texts), key=_numbers_first)
        if not values or len(values) > _MOST_VALUES:
            continue

        index_of_value = {value: index for index, value in enumerate(values)}
        # `value_of` is -1 for a question without a value, so that the last code is its code
        value_codes = [index_of_value[text] for text in texts]
        codes = np.array([*value_codes, _NO_VALUE], dtype="<u2")[value_of]

        columns.append({
            "name": name,
            "label": label_of(name),
            "kind": catalogue[name].kind if name in catalogue else "categorical",
            "values": values,
            "at": base64.b64encode(codes.tobytes()).decode("ascii"),
        })  # fmt: skip
    return columns


def _format_value(value: Any) -> str:  # noqa: ANN401
    """Return the value of a feature as people read it."""
    if isinstance(value, frozenset):
        return ", ".join(sorted(map(str, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _numbers_first(value: str) -> tuple[int, float, str]:
    """Return a sort key by which numbers, such as -1.5 or 1e+06, come before texts."""
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


def _round(value: Any) -> float | None:  # noqa: ANN401
    """Return a number rounded for the page; None if it is undefined."""
    number = float(value)
    return None if math.isnan(number) else round(number, DECIMALS)


def _round_all(values: Iterable[Any]) -> list[float | None]:
    return [_round(value) for value in values]


def first_screen(report: Report) -> dict[str, Any]:
    """Return what the first screen shows, as JSON can hold it."""
    overall = report.overall
    ranks = rank_ranges(report.comparison, report.systems)
    certain, uncertain = what_is_sure(report)

    systems = []
    cards = []
    for index, name in enumerate(report.systems):
        systems.append({
            "name": name,
            "score": _round(overall.at[name, "estimate"]),
            "low": _round(overall.at[name, "low"]),
            "high": _round(overall.at[name, "high"]),
            "rank": list(ranks[name]),
        })  # fmt: skip

        if name in report.weak.spots:
            spots = report.weak.spots[name]
            silence = "" if spots else report.weak.silence(name)
            data = [_spot_data(report, name, spot, number) for number, spot in enumerate(spots, 1)]
            cards.append({"system": index, "note": silence, "spots": data})

    # from the questions of weak spots the page makes benchmarks
    all_spots = itertools.chain.from_iterable(report.weak.spots.values())
    ids = set(itertools.chain.from_iterable(spot.slice.ids for spot in all_spots))
    weak_questions = [question for question in report.gold.questions if question.id in ids]
    return {
        "language": report.all_scores[0].rules.language,
        "level": LEVEL_LABEL,
        "entries": {question.id: benchmark_entry(question) for question in weak_questions},
        "systems": systems,
        "cards": cards,
        "guessed": report.guessed,
        "sure": certain,
        "unsure": uncertain,
    }


def rank_ranges(
    comparison: Comparison | None, systems: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank of each system that the corrected tests leave open.

    Systems with equal ranges are tied. The ranks come from the pairwise tests and not from the
    confidence intervals: whether two intervals overlap does not tell whether a difference is
    significant.

    >>> rank_ranges(None, ["mine"])
    {'mine': (1, 1)}
    """
    better = dict.fromkeys(systems, 0)
    worse = dict.fromkeys(systems, 0)
    for verdict in _verdicts(comparison):
        if verdict.is_significant:
            better[verdict.follower] += 1
            worse[verdict.leader] += 1
    return {name: (1 + better[name], len(systems) - worse[name]) for name in systems}


class _PairVerdict(NamedTuple):
    """Who leads on all questions, who follows, and whether that is significant."""

    leader: str
    follower: str
    is_significant: bool


def _verdicts(comparison: Comparison | None) -> list[_PairVerdict]:
    """Return the verdict on each pair of systems."""
    if comparison is None:
        return []
    verdicts = []
    for row in comparison.everywhere.to_dict("records"):
        leader, follower = comparison.in_order(row["a"], row["b"], row["difference"])
        verdicts.append(_PairVerdict(leader, follower, row["p_adjusted"] <= comparison.alpha))
    return verdicts


def what_is_sure(report: Report) -> tuple[str, str]:
    """Return two sentences: what the tests show, and what they and the editions leave open.

    Either is empty if there is nothing to say.
    """
    if report.comparison is not None and report.comparison.untested:
        return "", " ".join((report.comparison.untested, *report.editions))
    claims, uncertain = _describe_pairs(_verdicts(report.comparison))
    n_spots = sum(map(len, report.weak.spots.values()))
    if n_spots:
        noun = "weak spot is" if n_spots == 1 else "weak spots are"
        claims.append(f"that {n_spots} {noun} more than chance")
    certain = ""
    if claims:
        # tests account for the chance of the sample, not for wrong verdicts
        start = "As far as verdicts are right, the tests show" if report.guessed else "It is sure"
        certain = f"{start} {', and '.join(claims)}."
    return certain, " ".join(filter(None, (uncertain, *report.editions)))


def _describe_pairs(verdicts: Sequence[_PairVerdict]) -> tuple[list[str], str]:
    """Return what is sure about pairs of systems, as clauses, and a sentence on what is open."""
    losers_by_winner: dict[str, list[str]] = {}
    ties = []
    for leader, follower, is_significant in verdicts:
        if is_significant:
            losers_by_winner.setdefault(leader, []).append(follower)
        else:
            ties.append(f"{leader} or {follower}")

    claims = []
    uncertain = ""
    if len(verdicts) > NAMED_PAIRS:
        if losers_by_winner:
            n_significant = len(verdicts) - len(ties)
            claims.append(f"that {n_significant} of {len(verdicts)} pairs of systems differ")
        if ties:
            pairs = "other pairs" if losers_by_winner else "pairs"
            uncertain = f"It is open which system is better in the {len(ties)} {pairs}."
    else:
        winners_by_losers: dict[tuple[str, ...], list[str]] = {}
        for winner, losers in losers_by_winner.items():
            winners_by_losers.setdefault(tuple(sorted(losers)), []).append(winner)
        for same_losers, winners in winners_by_losers.items():
            verb = "is" if len(winners) == 1 else "are"
            claims.append(f"that {all_of(winners)} {verb} better than {all_of(same_losers)}")
        if ties:
            uncertain = f"It is open which is better: {'; '.join(ties)}."

    return claims, uncertain


def all_of(names: Sequence[str]) -> str:
    """Return names as a list in a sentence, with ``and`` before the last."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _spot_data(report: Report, system: str, spot: WeakSpot, number: int) -> dict[str, Any]:
    """Return a weak spot as the page shows it; `number` counts those of the system."""
    # a file name that is safe in any shell and file system
    safe_system = re.sub(r"[^\w.]", "-", system).strip("-.") or "system"
    file_name = f"weak-{safe_system}-{number}.rq"

    query = sampling_query(spot.slice)
    commands = benchmark_commands(
        report.gold.source or report.gold.questions.name,
        file_name,
        len(spot.slice),
        annotated=report.gold.benchmark is not None,
        language=report.all_scores[0].rules.language,
    )
    # a shell script that writes the query to a file and uses it
    script = [f"cat > {shlex.quote(file_name)} <<'SPARQL'", query.rstrip("\n"), "SPARQL", *commands]

    estimate = None
    if not math.isnan(spot.estimate[0]):
        estimate = _round_all(spot.estimate)

    return {
        "label": spot.slice.label,
        "name": spot.slice.name,
        "n": len(spot.slice),
        "score": _round(spot.score),
        "elsewhere": _round(spot.elsewhere),
        "overall": _round(spot.overall),
        "expected": _round_all([spot.expected, spot.low, spot.high]),
        "estimate": estimate,
        "p": _round(spot.p),
        "also": list(spot.also),
        "shared": list(spot.shared),
        "failed": list(spot.failed),
        "ids": list(spot.slice.ids),
        "chosenBy": BAR.join(spot.slice.chosen_by),
        "sparql": spot.slice.sparql,
        "query": query,
        "file": file_name,
        "commands": commands,
        "script": "\n".join(script),
    }


def benchmark_commands(
    questions: str, query: str, available: int, *, annotated: bool, language: str = LANGUAGE
) -> list[str]:
    """Return the commands that make a benchmark of the questions that a query selects.

    They run as they are, even twice: existing features are not computed again.

    >>> for line in benchmark_commands("data/mine.json", "weak.rq", 30, annotated=False):
    ...     print(line)
    [ -e mine-features.ttl ] || qaldgen annotate data/mine.json -o mine-features.ttl
    qaldgen sample mine-features.ttl -q weak.rq -m lpm -n 30 -o weak.ttl -o weak.json
    """
    source = shlex.quote(questions)
    data = source
    commands = []
    if not annotated:
        data = shlex.quote(f"{PurePath(questions).name.partition('.')[0]}-features.ttl")
        lang = "" if language == LANGUAGE else f" --lang {shlex.quote(language)}"
        commands.append(f"[ -e {data} ] || qaldgen annotate {source}{lang} -o {data}")
    outputs = ""
    for extension in (".ttl", ".json"):
        outputs += f" -o {shlex.quote(str(PurePath(query).with_suffix(extension)))}"
    size = min(_MOST_SAMPLED, available)
    commands.append(f"qaldgen sample {data} -q {shlex.quote(query)} -m lpm -n {size}{outputs}")
    return commands


def answer_data(report: Report) -> dict[str, Any]:
    """Return questions and answers for the page.

    There are columns of the questions, and for each system (``answers``) further columns. Long
    lists of answers are cut, and say so. ``states`` are indices of `STATES`; ``given`` are indices
    of ``texts``, which has each answer once, since systems often give equal ones.
    """
    table = report.questions
    questions = table.drop_duplicates("id")
    ids = [str(question_id) for question_id in questions["id"]]

    index_of_text: dict[str, int] = {}
    text_indices = []
    for text in table["given"]:
        text_indices.append(index_of_text.setdefault(shorten_answers(text), len(index_of_text)))
    table = table.assign(given=text_indices)

    rows_of_system = dict(list(table.groupby("system", sort=False)))
    answers = []
    for scores in report.all_scores:
        rows = rows_of_system[scores.name]
        values = find_measure(report.measure).of_each(scores.counts).loc[rows["id"].tolist()]
        columns: dict[str, Any] = {
            "states": list(map(_state_index, rows["status"], rows["f1"])),
            "values": _round_all(values.tolist()),
        }
        for name in ("precision", "recall", "f1"):
            columns[name] = [round(float(value), DECIMALS) for value in rows[name]]
        for name in ("tp", "fp", "fn"):
            columns[name] = [int(value) for value in rows[name]]
        columns["status"] = rows["status"].tolist()
        columns["given"] = rows["given"].tolist()

        columns["guesses"] = {}  # by the index of the question
        guesses = report.guesses.get(scores.name, {})
        for index, question_id in enumerate(ids):
            if question_id in guesses:
                guess = guesses[question_id]
                columns["guesses"][index] = [round(guess.probability, DECIMALS), guess.reason]
        answers.append(columns)
    queries = {question.id: question.sparql for question in report.gold.questions}

    return {
        "ids": ids,
        "questions": questions["question"].tolist(),
        "gold": [shorten_answers(gold) for gold in questions["gold"]],
        "queries": [queries.get(question_id, "") for question_id in ids],
        "states": list(STATES),
        "answers": answers,
        "texts": list(index_of_text),
    }


def _state_index(status: str, f1: float) -> int:
    """Return the state of an answer, an index of `STATES`."""
    if status in {"failed", "timeout"}:
        return STATES.index("failed")
    if status not in {"answered", "empty"}:
        return STATES.index("not asked")
    if f1 >= 1.0:
        return STATES.index("right")
    if f1 > 0.0:
        return STATES.index("partly")
    if status == "empty":
        return STATES.index("empty")
    return STATES.index("wrong")


def shorten_answers(lines: str) -> str:
    r"""Return a list of answers, one a line, cut where it is too long for the page.

    >>> shorten_answers("\n".join(str(number) for number in range(100))).splitlines()[-2:]
    ['24', '… 100 answers in all']
    """
    values = lines.split("\n")
    cut = "\n".join(values[:MOST_ANSWERS])
    if len(cut) > MOST_CHARACTERS:
        cut = cut[:MOST_CHARACTERS] + "…"
    if len(values) <= MOST_ANSWERS:
        return cut
    return f"{cut}\n… {len(values):,} answers in all"

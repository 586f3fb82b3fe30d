"""Questions that were asked in several languages or wordings: the scores of each, and agreement."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pandas as pd

from qaldgen.benchmark.gold import Gold, in_language
from qaldgen.errors import DataError, UsageError
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.judging import judge_run
from qaldgen.scoring.measures import agreement_columns
from qaldgen.scoring.score import Scores


def with_wordings(
    gold: Gold,
    scored: Sequence[Scores],
    across: str = "",
    *,
    among: Sequence[str] = (),
    needed: bool = True,
) -> list[Scores]:
    """Score what runs have in other languages or wordings; empty `across` takes what each has."""
    # if it is `needed`, a run without any is refused; `among` names languages, empty for all
    if across == "language" or (needed and not across):
        scored = _by_language(scored, gold)
    split: list[Scores] = []
    for scores in scored:
        if scores.by_judge and scores.run.others:
            raise UsageError("a judge judges one wording of a question; take another `match`")
        way = across or _kind_of_ways(scores)
        compared = in_other_wordings(gold, scores, way, among)
        if needed and compared is None:
            raise DataError(
                f"has answers in one {way} only; ask in several with"
                f" {'`language=en,de`' if way == 'language' else '`wordings=set`'}",
                where=scores.name,
            )
        split.append(compared or scores)
    return split


def in_other_wordings(
    gold: Gold, scores: Scores, across: str = "", among: Sequence[str] = ()
) -> Scores | None:
    """Return scores with those in other languages or wordings; None if there are none.

    The counts get `consistent`, `inconsistent` and `never_right`: at most one of them is 1, and all
    are 0 where a question was not asked twice.
    """
    across = across or _kind_of_ways(scores)
    main = language_tag(scores.rules.language)
    columns = {main: _asked(scores.counts)}
    for way in _ways(scores, across, main):
        tongue = way.partition(".")[0]
        if among and tongue not in among:
            continue
        rules = scores.rules._replace(language=tongue)
        run = scores.run.others[way]
        columns[way] = _asked(judge_run(in_language(gold, tongue), run, rules).counts)
    if len(columns) == 1:
        return None
    table = pd.DataFrame(columns).reindex(scores.counts.index)
    twice = table.notna().sum(axis=1) > 1
    agreed = agreement_columns(table).where(twice, 0)
    counts = scores.counts.assign(**agreed)
    once = (
        f"{scores.name}: {(~twice).sum():,} of {len(table):,} questions were not asked in two"
        f" {across}s; they count as never inconsistent"
    )
    notes = scores.notes if twice.all() else tuple(dict.fromkeys([*scores.notes, once]))
    return dataclasses.replace(scores, counts=counts, wordings=table, notes=notes)


def _kind_of_ways(scores: Scores) -> str:
    """Return whether a run answered in other languages, or in wordings of one alone."""
    ways = _ways(scores, main=language_tag(scores.rules.language))
    if ways and all("." in way for way in ways):
        return "wording"
    return "language"


def _ways(scores: Scores, across: str = "", main: str = "") -> list[str]:
    """Return the languages, or the wordings in the main language, in which a run answered too."""
    ways = [way for way in scores.run.others if way != main]
    if across == "language":
        return [way for way in ways if "." not in way]
    return [way for way in ways if not across or way.startswith(f"{main}.")]


def _by_language(scored: Sequence[Scores], gold: Gold) -> list[Scores]:
    """Return runs called mine.en and mine.de, of one file each, as one run called mine."""
    tags = {tag for question in gold.questions for tag in question.texts}
    systems: dict[str, dict[str, Scores]] = {}
    for scores in scored:
        name, _, tag = scores.name.rpartition(".")
        tag = language_tag(tag) if name and not scores.run.others else ""
        by_tag = systems.setdefault(name if tag in tags else scores.name, {})
        by_tag[tag if tag in tags else ""] = scores
    tables = []
    for name, by_tag in systems.items():
        main = by_tag.get(language_tag(next(iter(by_tag.values())).rules.language)) or by_tag.get(
            ""
        )
        if main is None:
            raise DataError(
                f"{name}: no file of the `language` that is scored ({', '.join(by_tag)} given)"
            )
        others = {tag: scores.run for tag, scores in by_tag.items() if scores is not main}
        renamed = dataclasses.replace(main.run, name=name, others=others or main.run.others)
        tables.append(dataclasses.replace(main, run=renamed))
    return tables


def _asked(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the F1 of the questions that were asked; missing for the others."""
    return counts["f1"].where(counts["status"] != "not asked")

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
    """Score the answers of runs in other languages or wordings.

    `across` is ``language``, ``wording``, or empty for the kind that each run has; `among` names
    languages, empty for all. If it is `needed`, a run in one language or wording alone is refused.
    """
    if across == "language" or (needed and not across):
        scored = _by_language(scored, gold)
    split: list[Scores] = []
    for scores in scored:
        if scores.by_judge and scores.run.others:
            raise UsageError("a judge judges one wording of a question; take another `match`")
        kind = across or _kind_of_wordings(scores)
        compared = in_other_wordings(gold, scores, kind, among)
        if needed and compared is None:
            option = "`language=en,de`" if kind == "language" else "`wordings=set`"
            raise DataError(
                f"has answers in one {kind} only; ask in several with {option}", where=scores.name
            )
        split.append(compared or scores)
    return split


def in_other_wordings(
    gold: Gold, scores: Scores, across: str = "", among: Sequence[str] = ()
) -> Scores | None:
    """Return scores with the F1 in other languages or wordings; None if there are no others.

    The counts get `consistent`, `inconsistent` and `never_right`: at most one of them is 1, and all
    are 0 where a question was not asked twice.
    """
    across = across or _kind_of_wordings(scores)
    main = language_tag(scores.rules.language)
    columns = {main: _asked(scores.counts)}
    for tag in _other_tags(scores, across, main):
        language = tag.partition(".")[0]
        if among and language not in among:
            continue
        rules = scores.rules._replace(language=language)
        run = scores.run.others[tag]
        columns[tag] = _asked(judge_run(in_language(gold, language), run, rules).counts)
    if len(columns) == 1:
        return None
    table = pd.DataFrame(columns).reindex(scores.counts.index)
    is_asked_twice = table.notna().sum(axis=1) > 1
    counts = scores.counts.assign(**agreement_columns(table).where(is_asked_twice, 0))
    notes = scores.notes
    if not is_asked_twice.all():
        text = (
            f"{scores.name}: {(~is_asked_twice).sum():,} of {len(table):,} questions were not"
            f" asked in two {across}s; they count as never inconsistent"
        )
        notes = tuple(dict.fromkeys([*notes, text]))
    return dataclasses.replace(scores, counts=counts, wordings=table, notes=notes)


def _kind_of_wordings(scores: Scores) -> str:
    """Return ``wording`` if a run has other answers in wordings of its language alone."""
    tags = _other_tags(scores, main=language_tag(scores.rules.language))
    return "wording" if tags and all("." in tag for tag in tags) else "language"


def _other_tags(scores: Scores, across: str = "", main: str = "") -> list[str]:
    """Return the tags of a run's other answers: languages (de), or wordings of the main (en.2)."""
    tags = [tag for tag in scores.run.others if tag != main]
    if across == "language":
        return [tag for tag in tags if "." not in tag]
    if not across:
        return tags
    return [tag for tag in tags if tag.startswith(f"{main}.")]


def _by_language(scored: Sequence[Scores], gold: Gold) -> list[Scores]:
    """Return runs called mine.en and mine.de, of one file each, as one run called mine."""
    tags = {tag for question in gold.questions for tag in question.texts}
    systems: dict[str, dict[str, Scores]] = {}
    for scores in scored:
        name, _, ending = scores.name.rpartition(".")
        tag = language_tag(ending)
        if not name or scores.run.others or tag not in tags:
            name, tag = scores.name, ""
        systems.setdefault(name, {})[tag] = scores
    tables = []
    for name, by_tag in systems.items():
        first = next(iter(by_tag.values()))
        main = by_tag.get(language_tag(first.rules.language)) or by_tag.get("")
        if main is None:
            raise DataError(
                f"{name}: no file of the `language` that is scored ({', '.join(by_tag)} given)"
            )
        runs = {tag: scores.run for tag, scores in by_tag.items() if scores is not main}
        renamed = dataclasses.replace(main.run, name=name, others=runs or main.run.others)
        tables.append(dataclasses.replace(main, run=renamed))
    return tables


def _asked(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the F1 of the questions that were asked; missing for the others."""
    return counts["f1"].where(counts["status"] != "not asked")

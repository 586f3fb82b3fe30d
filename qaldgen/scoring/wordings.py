"""Questions that were asked in several languages or wordings: the scores of each, and agreement."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pandas as pd

from qaldgen.benchmark.gold import Gold, in_language
from qaldgen.errors import DataError, UsageError
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.judging import RunScorer
from qaldgen.scoring.measures import agreement_columns
from qaldgen.scoring.score import Scores, notes_of


def with_wordings(
    gold: Gold,
    all_scores: Sequence[Scores],
    across: str = "",
    *,
    among: Sequence[str] = (),
    needed: bool = True,
) -> list[Scores]:
    """Score the answers of runs in other languages or wordings.

    `across` is ``language`` or ``wording``; if it is empty, each run decides. `among` names the
    languages, empty for all. If `needed`, a run in one language or wording alone is refused.
    """
    runs = list(all_scores)
    if across == "language" or (needed and not across):
        runs = _join_files_by_language(all_scores, gold)
    extended: list[Scores] = []
    for scores in runs:
        if scores.by_judge and scores.run.others:
            raise UsageError("a judge judges one wording of a question; take another `match`")
        axis = across or _wording_axis(scores)
        other_scores = in_other_wordings(gold, scores, axis, among)
        if needed and other_scores is None:
            option = "`language=en,de`" if axis == "language" else "`wordings=set`"
            raise DataError(
                f"has answers in one {axis} only; ask in several with {option}", where=scores.name
            )
        extended.append(other_scores or scores)
    return extended


def in_other_wordings(
    gold: Gold, scores: Scores, across: str = "", among: Sequence[str] = ()
) -> Scores | None:
    """Return scores with the F1 in other languages or wordings; None if there are no others.

    The counts get `consistent`, `inconsistent` and `never_right`: at most one of them is 1, and all
    are 0 where a question was not asked twice.
    """
    across = across or _wording_axis(scores)
    main = language_tag(scores.rules.language)

    columns = {main: _f1_where_asked(scores.counts)}
    for tag, run in scores.run.others.items():
        language = tag.partition(".")[0]
        if across == "language":
            is_compared = tag == language and tag != main
        else:
            is_compared = tag.startswith(f"{main}.")
        if is_compared and (not among or language in among):
            rules = scores.rules._replace(language=language)
            other_scores = RunScorer(in_language(gold, language), rules).score(run)
            columns[tag] = _f1_where_asked(other_scores.counts)

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
        notes = notes_of([scores], text)
    return dataclasses.replace(scores, counts=counts, wordings=table, notes=notes)


def _wording_axis(scores: Scores) -> str:
    """Return ``wording`` if all other answers of a run are in its language, else ``language``."""
    main = language_tag(scores.rules.language)
    other_tags = [tag for tag in scores.run.others if tag != main]
    if other_tags and all("." in tag for tag in other_tags):
        return "wording"
    return "language"


def _join_files_by_language(all_scores: Sequence[Scores], gold: Gold) -> list[Scores]:
    """Return runs called mine.en and mine.de, of one file each, as one run called mine."""
    tags = set[str]().union(*(question.texts for question in gold.questions))
    systems: dict[str, dict[str, Scores]] = {}
    for scores in all_scores:
        name, _, ending = scores.name.rpartition(".")
        tag = language_tag(ending)
        if not name or scores.run.others or tag not in tags:
            name, tag = scores.name, ""
        systems.setdefault(name, {})[tag] = scores

    joined = []
    for name, by_tag in systems.items():
        language = next(iter(by_tag.values())).rules.language
        main = by_tag.get(language_tag(language)) or by_tag.get("")
        if main is None:
            raise DataError(
                f"no file of the `language` that is scored ({', '.join(by_tag)} given)", where=name
            )
        runs = {tag: scores.run for tag, scores in by_tag.items() if scores is not main}
        run = dataclasses.replace(main.run, name=name, others=runs or main.run.others)
        joined.append(dataclasses.replace(main, run=run))

    return joined


def _f1_where_asked(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the F1 of the questions that were asked; missing for the others."""
    return counts["f1"].where(counts["status"] != "not asked")

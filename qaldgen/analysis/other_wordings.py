"""Score the same questions in other languages and wordings, beside the main one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.analysis.scores import Scores, score_run
from qaldgen.errors import DataError, UsageError
from qaldgen.formats.texts import language_tag
from qaldgen.scoring.gold import Gold, in_language
from qaldgen.scoring.matchers import Scoring
from qaldgen.scoring.verdicts import JUDGE

if TYPE_CHECKING:
    import pandas as pd

#: An F1 from here on is right: tables of scores are rounded.
RIGHT = 1 - 1e-6
_COLUMNS = ("consistent", "inconsistent", "never_right")


def with_wordings(
    gold: Gold,
    scored: Sequence[Scores],
    how: Scoring,
    across: str = "",
    *,
    among: Sequence[str] = (),
    needed: bool = True,
) -> list[Scores]:
    """Score what runs have in other languages or wordings; empty `across` takes what there is.

    If it is `needed`, a run without any is refused; `among` names languages, empty for all. The
    counts get `consistent`, `inconsistent` and `never_right`: at most one of them is 1, and all are
    0 where a question was not asked twice.
    """
    import pandas as pd

    main = language_tag(how.language)
    ways = [way for one in scored for way in _ways(one, "", main)]
    across = across or ("wording" if ways and all("." in way for way in ways) else "language")
    found: list[Scores] = []
    for one in _by_language(scored, gold) if across == "language" else scored:
        if one.match == JUDGE and one.run.others:
            raise UsageError("a judge judges one wording of a question; take another --match")
        columns = {main: _asked(one.counts)}
        for way in _ways(one, across, main):
            tongue = way.partition(".")[0]
            if among and tongue not in among:
                continue
            rules = dataclasses.replace(how, match=one.match, language=tongue)
            run = one.run.others[way]
            columns[way] = _asked(score_run(in_language(gold, tongue), run, rules).counts)
        if len(columns) == 1:
            if needed:
                raise DataError(
                    f"has answers in one {across} only; ask in several with"
                    f" {'--lang en,de' if across == 'language' else '--wordings set'}",
                    where=one.name,
                )
            found.append(one)
            continue
        table = pd.DataFrame(columns).reindex(one.counts.index)
        twice = table.notna().sum(axis=1) > 1
        agreed = agreement_columns(table).where(twice, 0)
        counts = one.counts.assign(**{name: agreed[name] for name in _COLUMNS})
        once = (
            f"{one.name}: {(~twice).sum():,} of {len(table):,} questions were not asked in two"
            f" {across}s; they count as never inconsistent"
        )
        notes = one.notes if twice.all() else (*one.notes, once)
        found.append(dataclasses.replace(one, counts=counts, wordings=table, notes=notes))
    return found


def _ways(one: Scores, across: str = "", main: str = "") -> list[str]:
    """Return the languages, or the wordings in the main language, in which a run answered too."""
    ways = [way for way in one.run.others if way != main]
    if across == "language":
        return [way for way in ways if "." not in way]
    return [way for way in ways if not across or way.startswith(f"{main}.")]


def _by_language(scored: Sequence[Scores], gold: Gold) -> list[Scores]:
    """Return runs called mine.en and mine.de, of one file each, as one run called mine."""
    tags = {tag for one in gold.questions for tag in one.texts}
    systems: dict[str, dict[str, Scores]] = {}
    for one in scored:
        name, _, tag = one.name.rpartition(".")
        tag = language_tag(tag) if name and not one.run.others else ""
        own = systems.setdefault(name if tag in tags else one.name, {})
        own[tag if tag in tags else ""] = one
    found = []
    for name, own in systems.items():
        main = own.get(language_tag(next(iter(own.values())).rules.language)) or own.get("")
        if main is None:
            raise DataError(f"{name}: no file of the language of --lang ({', '.join(own)} given)")
        others = {tag: one.run for tag, one in own.items() if one is not main}
        renamed = dataclasses.replace(main.run, name=name, others=others or main.run.others)
        found.append(dataclasses.replace(main, run=renamed))
    return found


def _asked(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the F1 of the questions that were asked; missing for the others."""
    return counts["f1"].where(counts["status"] != "not asked")


def agreement_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return for each row of scores whether all, some or none of those that there are is right."""
    import pandas as pd

    right, asked = (table >= RIGHT).sum(axis=1), table.notna().sum(axis=1)
    every, none = right == asked, right == 0
    return pd.DataFrame(
        dict(zip(_COLUMNS, (every & ~none, ~every & ~none, none), strict=True)), dtype=int
    )

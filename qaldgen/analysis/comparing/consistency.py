"""Do systems agree with themselves: questions asked in several languages or wordings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Literal

import pandas as pd

from qaldgen.analysis.comparing.comparison import compare_runs
from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.analysis.score_files import read_long_scores
from qaldgen.benchmark.gold import AnyGold
from qaldgen.defaults import ALPHA
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count, result_html
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.intervals import measure_interval
from qaldgen.scoring.measures import ACROSS, RIGHT, agreement_columns
from qaldgen.scoring.score import notes_of

_TESTED = ("a", "b", "n", "difference", "low", "high", "p_adjusted")


@dataclasses.dataclass(frozen=True, eq=False)
class Consistency:
    """Systems on questions that were asked in several languages or wordings.

    Attributes
    ----------
    across : str
        ``language`` or ``wording``.
    systems : DataFrame
        By system, the most consistent first: ``n`` questions asked in several, the mean F1 in each,
        ``any`` and ``every`` (questions right in at least one, and in all), ``consistency`` (the
        share of these) with its 95 % interval ``low`` and ``high``.
    between_systems : DataFrame
        Each pair of systems: the difference in consistency, with interval and corrected p.
    between_wordings : DataFrame
        By system, each pair of languages or wordings: the difference in F1, in the same way; p is
        corrected within each system.
    flips : DataFrame
        One row for each system and question right in one and wrong in another.
    alpha : float
        The level of the tests.
    notes : tuple of str
        What a user should know, for instance which questions were left out.
    """

    across: str
    systems: pd.DataFrame
    between_systems: pd.DataFrame
    between_wordings: pd.DataFrame
    flips: pd.DataFrame
    alpha: float = ALPHA
    notes: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Say in a sentence for each system how often it is right in all of them."""
        rows = self.systems[["every", "any", "consistency", "low", "high"]].itertuples()
        sentences = []
        for name, every, some, *share in rows:
            if some:
                sentences.append(
                    f"{name} is consistent on {every:,} of the {count(some, 'question')} that it"
                    f" has right at least once: {_share(*share)}."
                )
            else:
                sentences.append(
                    f"{name} has no question right, so nothing shows how consistent it is."
                )
        return sentences

    def __str__(self) -> str:
        """Return the sentences, the table of systems and the notes."""
        return "\n".join([*self.sentences, "", self.systems.round(4).to_string(), *self.notes])

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return result_html(" ".join(self.sentences), [self.systems.round(4)], self.notes)


def _share(value: float, low: float, high: float) -> str:
    if low != low:
        return f"{value:.2f}"
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def agreement_line(counts: Mapping[str, pd.DataFrame]) -> str:
    """Say in a line how consistent systems are; empty if their questions were asked once."""
    shares = []
    for name, table in counts.items():
        if "inconsistent" in table and table[["consistent", "inconsistent"]].to_numpy().any():
            interval = measure_interval(table, "consistency")
            shares.append(f"{name} {_share(interval.estimate, interval.low, interval.high)}")
    if not shares:
        return ""
    return (
        "Consistency, the share right in all languages or wordings of the questions right in any:"
        f" {'; '.join(shares)}."
    )


def consistency(
    gold: AnyGold | Evaluation,
    runs: AnyRuns = None,
    *,
    by: Literal["language", "wording"] = "language",
    language: str = "",
    tests: Significance | None = None,
) -> Consistency:
    r"""Find out whether systems give the same question the same verdict in all its wordings.

    Parameters
    ----------
    gold
        What `evaluate` returns; or the questions, which are evaluated with the runs by the default
        rules; or a table of scores with the columns question, system, language (or wording), f1.
    runs
        With questions: files with several languages or wordings, such as a journal of
        answers in several or records with a language; or a file for each language, whose names
        end in it (mine.en.json, mine.de.json).
    by
        ``language`` or ``wording``.
    language
        By language: those to compare, with commas; one alone, or none, stands for all there are.
    tests
        See `compare`.

    Returns
    -------
    Consistency
        A question is right if its F1 is 1, and counts if every system was asked it in all of the
        languages, or in the same two wordings or more.

    Raises
    ------
    UsageError
        If a name is unknown, or answers are judged by a model.
    DataError
        If a file cannot be read, or no question was asked in two languages or wordings.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "scores.csv"
    ...     rows = "1,mine,en,1\n1,mine,es,0\n2,mine,en,1\n2,mine,es,1\n"
    ...     _ = path.write_text("question,system,language,f1\n" + rows)
    ...     made = consistency(path)
    >>> made.systems[["any", "every"]].values.tolist()
    [[2, 1]]
    """
    if by not in ACROSS:
        raise UsageError(f"by is {by!r}; language or wording is expected")
    tests, among = tests or Significance(), several_languages(language)
    if runs is None and not isinstance(gold, Evaluation):
        return agreement(read_long_scores(str(gold), by), by, tests, wanted=among)
    evaluation = as_evaluation(gold, runs).with_wordings(by, among=among)
    scored = evaluation.scores
    tables = {scores.name: scores.wordings for scores in scored if scores.wordings is not None}
    agreed = agreement(tables, by, tests, evaluation.texts, among)
    return dataclasses.replace(agreed, notes=(*notes_of(scored), *agreed.notes))


def several_languages(language: str) -> tuple[str, ...]:
    """Return the languages of ``en,de``; empty for a single one."""
    tags = tuple(language_tag(part) for part in language.split(","))
    return tags if len(tags) > 1 else ()


def agreement(
    tables: Mapping[str, pd.DataFrame],
    across: str,
    tests: Significance,
    texts: Mapping[str, str] | None = None,
    wanted: Sequence[str] = (),
) -> Consistency:
    """Compare systems by F1 by question and wording, on what all of them were asked."""
    with collecting() as notes:
        tables = _in_common(tables, across, wanted)
    first = next(iter(tables.values()))
    usual = [str(name) for name in first if 2 * first[name].notna().sum() >= len(first)]
    counts = {name: agreement_columns(table) for name, table in tables.items()}
    rows, flips, within = {}, [], [pd.DataFrame(columns=list(_TESTED))]
    for name, table in tables.items():
        tested = counts[name]
        every, some = int(tested["consistent"].sum()), int((tested["never_right"] == 0).sum())
        interval = measure_interval(tested, "consistency")
        rows[name] = {
            "n": len(table),
            **{f"F1 {way}": table[way].mean() for way in usual},
            "any": some,
            "every": every,
            "consistency": every / some if some else float("nan"),
            "low": interval.low,
            "high": interval.high,
        }
        for id_, row in table[tested["inconsistent"] == 1].iterrows():
            right = [str(way) for way, f1 in row.items() if f1 >= RIGHT]
            wrong = [str(way) for way, f1 in row.items() if f1 < RIGHT]
            text = (texts or {}).get(str(id_), "")
            flips.append((name, id_, ", ".join(right), ", ".join(wrong), text))
        complete = table[usual].dropna()  # tests are of the same questions in all of the usual ones
        if len(usual) > 1 and len(complete):
            by_way = {way: pd.DataFrame({"f1": complete[way]}) for way in usual}
            within.append(compare_runs(by_way, tests=tests).pairs.assign(system=name))
    systems = pd.DataFrame.from_dict(rows, orient="index")
    pairs = within[0]
    if len(counts) > 1:
        pairs = compare_runs(counts, measure="consistency", tests=tests).pairs
    return Consistency(
        across,
        systems.sort_values("consistency", ascending=False, kind="stable"),
        pairs[list(_TESTED)],
        pd.concat(within[1:] or within, ignore_index=True).reindex(columns=["system", *_TESTED]),
        pd.DataFrame(flips, columns=["system", "id", "right in", "wrong in", "question"]),
        tests.alpha,
        tuple(notes),
    )


def _in_common(
    tables: Mapping[str, pd.DataFrame], across: str, wanted: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Return the scores that all systems have, of questions asked in several ways."""
    first, *others = tables.values()
    everywhere = first.notna()
    for other in others:
        everywhere &= other.reindex(index=first.index, columns=first.columns).notna()
    everywhere, size = everywhere[everywhere.any(axis=1)], len(first)
    absent = [name for name in wanted if name not in everywhere]
    if absent:
        raise DataError(f"no scores in {', '.join(absent)}; there are {', '.join(map(str, first))}")
    ways = list(wanted) or list(everywhere.columns[everywhere.any()])
    if across == "language" and not wanted:
        rare = [name for name in ways if 2 * everywhere[name].sum() < len(everywhere)]
        ways = [name for name in ways if name not in rare]
        if rare:
            reason = "less than half of the questions are in it; `language` chooses languages"
            note(f"left out: {', '.join(rare)} ({reason})")
    everywhere = everywhere[ways]
    # in two wordings, or in all languages
    fewest, each = 2, "two wordings"
    if across == "language":
        fewest, each = max(2, len(ways)), f"all of {', '.join(ways)}"
    enough = everywhere.sum(axis=1) >= fewest
    if len(ways) < 2 or not enough.any():
        raise DataError(
            f"no question was asked in two {across}s by every system; there are only"
            f" {', '.join(map(str, ways)) or 'none'}"
        )
    if enough.sum() < size:
        left = size - int(enough.sum())
        note(
            f"{left:,} of {count(size, 'question')} were not asked in {each} by every system, and"
            " are left out"
        )
    everywhere = everywhere[enough]
    return {
        name: table.reindex(index=everywhere.index, columns=ways).where(everywhere)
        for name, table in tables.items()
    }

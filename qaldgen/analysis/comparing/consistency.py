"""Whether systems answer alike where a question is asked in several languages or wordings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Literal

import pandas as pd

from qaldgen.analysis.comparing.comparison import compare_runs
from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.analysis.score_files import read_long_scores
from qaldgen.benchmark.gold import AnyGold
from qaldgen.defaults import ALPHA, DECIMALS
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import collecting, note
from qaldgen.io.result_display import result_html
from qaldgen.io.text import count
from qaldgen.questions.question_texts import language_tag
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation
from qaldgen.scoring.intervals import measure_interval
from qaldgen.scoring.measures import ACROSS, RIGHT, agreement_columns
from qaldgen.scoring.score import notes_of

_PAIR_COLUMNS = ("a", "b", "n", "difference", "low", "high", "p_adjusted")


@dataclasses.dataclass(frozen=True, eq=False)
class Consistency:
    """Systems on questions that were asked in several languages or wordings.

    Attributes
    ----------
    across : str
        ``language`` or ``wording``.
    systems : DataFrame
        By system, the most consistent first: ``n`` questions asked in several languages or
        wordings, the mean F1 in each, ``any`` and ``every`` (questions right in at least one, and
        in all), ``consistency`` (``every`` divided by ``any``) with its 95 % interval ``low`` and
        ``high``.
    between_systems : DataFrame
        Each pair of systems: the difference in consistency, with interval and corrected p.
    between_wordings : DataFrame
        By system, each pair of languages or wordings: the difference in F1, with interval and p,
        which is corrected within each system.
    flips : DataFrame
        One row for each system and question right in one language or wording and wrong in another.
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
        """A sentence for each system: how often it is right in all languages or wordings."""
        sentences = []
        for name, row in self.systems.to_dict("index").items():
            text = f"{name} has no question right, so nothing shows how consistent it is."
            if row["any"]:
                interval = _format_interval(row["consistency"], row["low"], row["high"])
                text = (
                    f"{name} is consistent on {row['every']:,} of the"
                    f" {count(row['any'], 'question')} that it has right at least once: {interval}."
                )
            sentences.append(text)
        return sentences

    def __str__(self) -> str:
        """Return the sentences, the table of systems and the notes."""
        table = self.systems.round(DECIMALS).to_string()
        return "\n".join([*self.sentences, "", table, *self.notes])

    def _repr_html_(self) -> str:
        """Return the sentences, the table of systems and the notes, for notebooks."""
        return result_html(" ".join(self.sentences), [self.systems.round(DECIMALS)], self.notes)


def _format_interval(value: float, low: float, high: float) -> str:
    if math.isnan(low):
        return f"{value:.2f}"
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def agreement_line(counts: Mapping[str, pd.DataFrame]) -> str:
    """Return a line on how consistent systems are; empty if all questions were asked once."""
    shares = []
    for name, table in counts.items():
        if "inconsistent" in table and table[["consistent", "inconsistent"]].to_numpy().any():
            share = measure_interval(table, "consistency")
            shares.append(f"{name} {_format_interval(share.estimate, share.low, share.high)}")
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
    r"""Find out whether systems are right or wrong on a question in all its wordings alike.

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
    ...     result = consistency(path)
    >>> result.systems[["any", "every"]].values.tolist()
    [[2, 1]]
    """
    if by not in ACROSS:
        raise UsageError(f"by is {by!r}; language or wording is expected")
    tests = tests or Significance()
    languages = tuple(language_tag(part) for part in language.split(","))
    if len(languages) < 2:
        languages = ()
    if runs is None and not isinstance(gold, Evaluation):
        return consistency_of(read_long_scores(str(gold), by), by, tests, names=languages)
    evaluation = as_evaluation(gold, runs).with_wordings(by, among=languages)
    all_scores = evaluation.scores
    tables = {scores.name: scores.wordings for scores in all_scores if scores.wordings is not None}
    result = consistency_of(tables, by, tests, texts=evaluation.texts, names=languages)
    return dataclasses.replace(result, notes=(*notes_of(all_scores), *result.notes))


def consistency_of(
    tables: Mapping[str, pd.DataFrame],
    across: str,
    tests: Significance,
    texts: Mapping[str, str] | None = None,
    names: Sequence[str] = (),
) -> Consistency:
    """Compare systems by their F1 on the questions that all were asked in several wordings.

    `tables` has for each system a row for each question and a column for each language or wording;
    `names` are the columns that are compared, by default all.
    """
    with collecting() as notes:
        tables = _keep_common_scores(tables, across, names)
    first_table = next(iter(tables.values()))
    n_by_wording = first_table.notna().sum()
    frequent = [str(name) for name, n in n_by_wording.items() if 2 * n >= len(first_table)]
    agreements = {name: agreement_columns(table) for name, table in tables.items()}

    system_rows = {}
    flips = []
    pairs_of_wordings = []
    for system, table in tables.items():
        agreement = agreements[system]
        share = measure_interval(agreement, "consistency")
        system_rows[system] = {
            "n": len(table),
            **{f"F1 {wording}": table[wording].mean() for wording in frequent},
            "any": int((agreement["never_right"] == 0).sum()),
            "every": int(agreement["consistent"].sum()),
            "consistency": share.estimate,
            "low": share.low,
            "high": share.high,
        }

        flipped = table[agreement["inconsistent"] == 1]
        for question_id, scores in flipped.to_dict("index").items():
            right = ", ".join(str(wording) for wording, f1 in scores.items() if f1 >= RIGHT)
            wrong = ", ".join(str(wording) for wording, f1 in scores.items() if f1 < RIGHT)
            text = (texts or {}).get(str(question_id), "")
            flips.append((system, str(question_id), right, wrong, text))

        # tests need the same questions in all wordings
        complete = table[frequent].dropna()
        if len(frequent) > 1 and len(complete):
            scores_by_wording = {
                name: complete[[name]].set_axis(["f1"], axis=1) for name in frequent
            }
            pairs = compare_runs(scores_by_wording, tests=tests).pairs
            pairs_of_wordings.append(pairs.assign(system=system))

    between_wordings = pd.DataFrame(columns=["system", *_PAIR_COLUMNS])
    if pairs_of_wordings:
        all_pairs = pd.concat(pairs_of_wordings, ignore_index=True)
        between_wordings = all_pairs[between_wordings.columns]
    between_systems = pd.DataFrame(columns=list(_PAIR_COLUMNS))
    if len(tables) > 1:
        between_systems = compare_runs(agreements, measure="consistency", tests=tests).pairs
    systems = pd.DataFrame.from_dict(system_rows, orient="index")
    return Consistency(
        across=across,
        systems=systems.sort_values("consistency", ascending=False, kind="stable"),
        between_systems=between_systems[list(_PAIR_COLUMNS)],
        between_wordings=between_wordings,
        flips=pd.DataFrame(flips, columns=["system", "id", "right in", "wrong in", "question"]),
        alpha=tests.alpha,
        notes=tuple(notes),
    )


def _keep_common_scores(
    tables: Mapping[str, pd.DataFrame], across: str, names: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Return the scores that all systems have, of questions asked in several wordings.

    A note says which languages and how many questions are left out.
    """
    first_table, *other_tables = tables.values()
    has_score = first_table.notna()
    for table in other_tables:
        has_score &= table.reindex(index=first_table.index, columns=first_table.columns).notna()
    has_score = has_score[has_score.any(axis=1)]

    unknown_names = [name for name in names if name not in has_score]
    if unknown_names:
        raise DataError(
            f"no scores in {', '.join(unknown_names)}; there are {', '.join(map(str, first_table))}"
        )
    wordings = list(names) or list(has_score.columns[has_score.any()])
    if across == "language" and not names:
        rare = [name for name in wordings if 2 * has_score[name].sum() < len(has_score)]
        wordings = [name for name in wordings if name not in rare]
        if rare:
            reason = "less than half of the questions are in it; `language` chooses languages"
            note(f"left out: {', '.join(rare)} ({reason})")
    has_score = has_score[wordings]

    n_needed = 2
    expected = "two wordings"
    if across == "language":
        n_needed = max(2, len(wordings))
        expected = f"all of {', '.join(wordings)}"
    has_score = has_score[has_score.sum(axis=1) >= n_needed]
    if has_score.empty:
        all_names = ", ".join(map(str, wordings)) or "none"
        raise DataError(
            f"no question was asked in two {across}s by every system; there are only {all_names}"
        )
    n_left_out = len(first_table) - len(has_score)
    if n_left_out:
        note(
            f"{n_left_out:,} of {count(len(first_table), 'question')} were not asked in {expected}"
            " by every system, and are left out"
        )
    return {
        name: table.reindex(index=has_score.index, columns=wordings).where(has_score)
        for name, table in tables.items()
    }

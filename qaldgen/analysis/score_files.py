"""Read scores of questions from tables, with a row per question, and from logs."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Run
from qaldgen.errors import DataError, UsageError
from qaldgen.io.csv_cells import unprotect
from qaldgen.io.inputs import is_folder
from qaldgen.io.unpacking import open_content, read_text
from qaldgen.questions.folders import log_files, unpacker
from qaldgen.scoring.evaluation import read_evaluation
from qaldgen.scoring.rules import LOGGED
from qaldgen.scoring.score_table import is_score_table

#: Columns that ``qaldgen score -q --format csv`` writes, one row for each run and question.
_LONG = ("run", "id", "f1")


def read_scores(path: str | Path, *, gaps: bool = False) -> pd.DataFrame:
    """Read the scores of systems: one row per question, one column per system.

    The file is such a table, a table that ``qaldgen score -q --format csv`` writes, the log of
    another evaluator with scores, or a folder with the logs of several systems. With `gaps` scores
    may be missing.
    """
    if is_score_table(path):
        return pd.DataFrame({scores.name: scores.counts["f1"] for scores in read_evaluation(path)})
    if not _is_table(Path(path)):
        return _read_logs(Path(path))
    frame = _read_cells(path)
    if set(_LONG) <= set(frame.columns) | {frame.index.name}:
        frame = frame.reset_index().pivot_table(
            index="id", columns="run", values="f1", aggfunc="first", sort=False
        )
    if not gaps:
        return _parse_scores(frame, path)
    is_missing = frame == ""
    return _parse_scores(frame.mask(is_missing, "0"), path).mask(is_missing)


def matchers_in(path: str | Path, system: str) -> frozenset[str]:
    """Return the matchers that scored a system, as its file of scores says.

    A table with a column per system names none; for a log it is `LOGGED`.
    """
    if is_score_table(path):
        return frozenset(
            scores.rules.match for scores in read_evaluation(path) if scores.name == system
        )
    if not _is_table(Path(path)):
        return frozenset({LOGGED})
    frame = _read_cells(path).reset_index()
    if not {"run", "match"} <= set(frame.columns):
        return frozenset()
    return frozenset(frame["match"][frame["run"] == system])


def read_long_scores(path: str | Path, across: str) -> dict[str, pd.DataFrame]:
    """Read F1 by question, system, and language or wording.

    By system: a table with a row for each question and a column for each language or wording.
    """
    frame = _read_cells(path).reset_index()
    frame.columns = frame.columns.str.lower()
    names_of_columns = {
        "question": ("question", "id"), "system": ("system", "run"), across: (across,),
        "f1": ("f1", "score"),
    }  # fmt: skip

    columns = {}
    for column, names in names_of_columns.items():
        columns[column] = next((name for name in names if name in frame), "")
    if not all(columns.values()):
        raise DataError(
            f"has the columns {', '.join(frame.columns)}; question, system, {across} and f1 are"
            " expected for a table of scores, or give runs too",
            where=path,
        )

    frame = frame[list(columns.values())].set_axis(list(columns), axis=1)
    duplicates = frame[frame.duplicated(["question", "system", across])]
    if len(duplicates):
        example = ", ".join(map(str, duplicates.iloc[0][["system", "question", across]]))
        raise DataError(f"{example} has two scores; keep one", where=path)

    frame["f1"] = _parse_scores(frame.set_index("question")[["f1"]], path)["f1"].to_numpy()
    questions = frame["question"].unique()
    wordings = frame[across].unique()
    tables = {}
    for system, rows in frame.groupby("system", sort=False):
        table = rows.pivot(index="question", columns=across, values="f1")
        tables[str(system)] = table.reindex(index=questions, columns=wordings)
    return tables


def families_of(systems: Iterable[object], families: Mapping[str, str] | None) -> dict[str, str]:
    """Return the family of each system; one that is not named is a family of its own."""
    names = [str(name) for name in systems]
    for name, family in (families or {}).items():
        if name not in names:
            raise UsageError(
                f"`families` {name}={family}: expected SYSTEM=NAME, where SYSTEM is one of"
                f" {', '.join(names)}"
            )
    return {name: (families or {}).get(name, name) for name in names}


def _is_table(path: Path) -> bool:
    """Return whether this is a plain file that does not begin as JSON does."""
    if is_folder(path):
        return False
    with open_content(path) as reader:
        if unpacker(reader.members) is not None:
            return False
        return reader.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in {b"{", b"["}


def _read_logs(path: Path) -> pd.DataFrame:
    """Return the scores in a log, or in the logs of a folder; refuse logs of other questions.

    Of several answers to a question the mean score counts.
    """
    logs = log_files(path) if is_folder(path) else [path]
    if not logs:
        raise DataError("holds no log that is known; name a log, or a CSV file", where=path)
    runs = [read_run(log) for log in logs]
    columns = []
    for run, log in zip(runs, logs, strict=True):
        mean_scores = {}
        for question_id, response in run.responses.items():
            logged = [attempt.logged_score for attempt in run.repeats.get(question_id, (response,))]
            shares = [share for share in logged if share is not None]
            if len(shares) < len(logged):
                raise DataError(
                    f"question {question_id} has no score from 0 to 1; give a table or a log with"
                    " scores, or the questions and the answers of systems, as for 'qaldgen score'",
                    where=log,
                )
            mean_scores[question_id] = float(np.mean(shares))
        columns.append(pd.Series(mean_scores))

    scores = pd.concat(columns, axis=1, keys=_name_logs(path, logs, runs))
    for log, column in zip(logs, columns, strict=True):
        missing = scores.index.difference(column.index)
        if len(missing):
            raise DataError(
                f"has no answer to {len(missing):,} of the {len(scores):,} questions of the logs"
                f" (first: {missing[0]}); all must be of the same task, and of all its questions",
                where=log,
            )
    return scores.loc[columns[0].index]


def _name_logs(folder: Path, logs: Sequence[Path], runs: Sequence[Run]) -> list[str]:
    """Return a name for each log: those of the folders, the runs or the files, if they are unique.

    lm-eval has a folder for each model; inspect_ai puts all logs into one.
    """
    paths = [log.relative_to(folder) for log in logs]
    folders = [path.parent.as_posix() for path in paths]
    for names in (folders, [run.name for run in runs]):
        if "." not in names and len(set(names)) == len(logs):
            return names
    return [path.as_posix() for path in paths]


def _read_cells(path: str | Path) -> pd.DataFrame:
    """Return the cells of a table as texts, by question."""
    try:
        frame = pd.read_csv(io.StringIO(read_text(Path(path))), dtype=str, keep_default_na=False)
    except ValueError as error:
        raise DataError(
            f"cannot be read as a table of scores ({str(error).splitlines()[0]}); give CSV with a"
            " row for each question, or score the answers first",
            where=path,
        ) from error

    if frame.shape[1] < 2 or frame.empty:
        raise DataError(
            "a table with a header, the question's id in the first column"
            " and values after it is expected",
            where=path,
        )

    frame = frame.rename(columns=unprotect).map(unprotect)
    if pd.to_numeric(frame.columns[1:].to_series(), errors="coerce").notna().all():
        raise DataError(
            f"has no header: its first line is {', '.join(frame.columns)}; give one that names the"
            " columns, such as: id,mine,other",
            where=path,
        )
    return frame.set_index(frame.columns[0])


def _parse_scores(frame: pd.DataFrame, path: str | Path) -> pd.DataFrame:
    """Return scores as numbers within 0 and 1."""
    scores = pd.DataFrame(frame.apply(pd.to_numeric, errors="coerce"), dtype=float)
    invalid = np.argwhere(~np.isfinite(scores.to_numpy()))
    if len(invalid):
        row, column = invalid[0]
        cell = f"question {frame.index[row]}, {frame.columns[column]}: {frame.iloc[row, column]!r}"
        raise DataError(f"{cell} is not a number ({len(invalid)} in all)", where=path)
    invalid = np.argwhere(~((scores >= 0) & (scores <= 1)).to_numpy())
    if len(invalid):
        row, column = invalid[0]
        cell = f"question {frame.index[row]}, {frame.columns[column]}: {scores.iloc[row, column]}"
        raise DataError(f"{cell} is not a score within 0 and 1", where=path)
    return scores

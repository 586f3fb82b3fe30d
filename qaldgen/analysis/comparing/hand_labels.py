"""Labels by hand: read from a worksheet, and taken as the verdicts on their answers."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import re
from collections.abc import Collection
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.io.csv_cells import unprotect
from qaldgen.io.text import shorten
from qaldgen.io.unpacking import read_text
from qaldgen.model import Answers
from qaldgen.scoring.evaluation import Evaluation

#: The columns of every table with labels.
LABELLED = {"id", "label"}
#: What a labeller may write as a label; anything else must be a number from 0 to 1.
MARKS = {
    "y": 1.0, "yes": 1.0, "right": 1.0, "true": 1.0,
    "n": 0.0, "no": 0.0, "wrong": 0.0, "false": 0.0,
    "p": 0.5, "partly": 0.5,
}  # fmt: skip
SKIPPED = ("s", "skip", "?")
#: Spreadsheets cut cells at 32,767 characters, and break the row where a cell is longer.
_MAX_CELL_CHARS = 30_000
#: Control characters, which would steer the terminal that prints the sheet.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def answers_in_words(answers: Answers) -> str:
    """Return answers as labellers read them."""
    return " | ".join(answers.values())


def cell_text(text: str) -> str:
    r"""Return a text as one printable line that fits into a cell; truncation is marked.

    >>> cell_text("two\n lines"), cell_text("\x1b[31mred"), cell_text("x" * 40_000)[-5:]
    ('two lines', '[31mred', 'x […]')
    """
    line = " ".join(_CONTROL.sub(" ", text).split())
    if len(line) <= _MAX_CELL_CHARS:
        return line
    return f"{line[:_MAX_CELL_CHARS]} […]"


def is_sheet(path: str | Path) -> bool:
    """Return whether a file is a table with labels."""
    try:
        head = read_text(Path(path))[:10_000]
    except DataError:
        return False
    try:
        names = next(csv.reader(io.StringIO(head), delimiter=_find_delimiter(head)), [])
    except csv.Error:
        return False
    return {name.strip() for name in names} >= LABELLED


def sheet_rows(path: str | Path, columns: Collection[str], rule: str) -> list[dict[str, str]]:
    """Return the rows of a worksheet by column, as a spreadsheet may have saved it."""
    text = read_text(Path(path))
    rows = []
    try:
        for cells in csv.DictReader(io.StringIO(text), delimiter=_find_delimiter(text)):
            cells.pop(None, None)  # cells beyond the last column
            row = {name.strip(): unprotect(cell or "").strip() for name, cell in cells.items()}
            # spreadsheets save the blank rows below a table as rows of separators
            if any(row.values()):
                rows.append(row)
    except csv.Error as error:
        raise DataError(f"is not a table ({error}); {rule}", where=path) from error
    if not rows or not rows[0].keys() >= set(columns):
        raise DataError(f"is not a worksheet; {rule}", where=path)
    return rows


def value_of(mark: str, location: str) -> float:
    """Return the value of a label; errors name its location.

    >>> [value_of(mark, "here") for mark in ("y", "wrong", "P", "0.25")]
    [1.0, 0.0, 0.5, 0.25]
    """
    value = MARKS.get(mark.casefold())
    if value is not None:
        return value
    try:
        number = float(mark)
    except ValueError:
        number = math.nan
    if not 0.0 <= number <= 1.0:
        raise DataError(
            f"the label is {shorten(mark, 40)!r}; write y (right), n (wrong), p (partly), s (skip)"
            " or a number from 0 to 1",
            where=location,
        )
    return number


def _find_delimiter(text: str) -> str:
    """Return the delimiter of a table: some spreadsheets write semicolons or tabs."""
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)


def with_hand_labels(evaluation: Evaluation, labels: str | Path) -> Evaluation:
    """Return runs judged again with the labels of a worksheet; a label counts for each run alike.

    A label is the verdict on its answer, and the prior of a run is learnt from it, whichever
    answers were chosen to be labelled.
    """
    rule = "columns id, answer and label are expected"
    verdicts = {}
    for row in sheet_rows(labels, {"id", "answer", "label"}, rule):
        mark = row["label"].casefold()
        if mark and mark not in SKIPPED:
            verdicts[row["id"], row["answer"]] = value_of(mark, f"{labels}: question {row['id']}")
    if not verdicts:
        raise DataError("no answer is labelled yet; write y (right) or n (wrong)", where=labels)

    unused_labels = set(verdicts)
    labelled_scores = []
    for scores in evaluation:
        labels_of_run = {}
        for question in evaluation.gold.questions:
            answer = answers_in_words(scores.run.response(question.id).given)
            key = (question.id, unprotect(cell_text(answer)).strip())
            if key in verdicts:
                labels_of_run[question.id] = verdicts[key]
                unused_labels.discard(key)
        rules = evaluation.rules._replace(labels=labels_of_run)
        labelled_scores.append(dataclasses.replace(evaluation, rules=rules).score(scores.run))

    if unused_labels:
        question_id, answer = min(unused_labels)
        raise DataError(
            f"no run gives the answer {answer!r} to question {question_id}; labels belong to the"
            " answers that were labelled, so name their runs, and leave the answers as they are",
            where=labels,
        )

    return dataclasses.replace(evaluation, scores=tuple(labelled_scores))

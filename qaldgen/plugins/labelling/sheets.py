"""Worksheets with labels as files: written, read again, and compared with the answers of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from qaldgen.analysis.comparing.hand_labels import (
    LABELLED,
    SKIPPED,
    cell_text,
    sheet_rows,
    value_of,
)
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.csv_cells import dump_csv, unprotect
from qaldgen.io.text import count
from qaldgen.plugins.labelling.label_pool import Item

COLUMNS = ("position", "id", "question", "gold", "answer", "label", "draw")
#: An answer with digits and fewer letters may be a date, which spreadsheets write in their own way.
_MIN_LETTERS = 12


class Sheet(NamedTuple):
    """The labels on a worksheet."""

    #: The labels by question, from 0 to 1, from the start of the order up to the first gap.
    labels: dict[str, float]
    skipped: tuple[str, ...]  # questions among them that the labeller could not judge
    drawn: str  # the description of the drawing; empty if the sheet has none
    listed: tuple[str, ...]  # all questions of the sheet, in its order
    later: int  # the number of labels after a gap, which do not count
    #: The answers that were labelled, by question; empty without a column for them.
    answers: dict[str, str]


def dump_sheet(items: Sequence[Item], drawn: str, language: str = LANGUAGE) -> str:
    """Return a worksheet as CSV, in which no cell is a formula for a spreadsheet."""
    return dump_csv(COLUMNS, unlabelled_rows(items, drawn, language))


def unlabelled_rows(items: Sequence[Item], drawn: str, language: str) -> list[list[object]]:
    """Return the rows of a worksheet.

    Line breaks within cells become blanks, since spreadsheets differ in how they read them.
    """
    rows: list[list[object]] = []
    for position, item in enumerate(items, 1):
        texts = (item.question.text(language), item.gold, item.given)
        rows.append([position, item.question.id, *map(cell_text, texts), "", drawn])
    return rows


def read_sheet(path: str | Path) -> Sheet:
    """Read a worksheet, whose rows may be in any order."""
    rows = sheet_rows(
        path, LABELLED, "columns id and label are expected, as 'qaldgen label' writes them"
    )
    for question_id, times in Counter(row["id"] for row in rows).items():
        if times > 1:
            raise DataError(f"question {question_id} is listed twice; give it one row", where=path)

    if "position" not in rows[0]:
        return _make_sheet(rows, path, gaps_end=False)

    row_by_position = {}
    for row in rows:
        if not re.fullmatch("0*[1-9][0-9]{0,17}", row["position"]):
            raise DataError(
                f"position is {row['position']!r}, not a whole number from 1",
                where=(path, f"question {row['id']}"),
            )
        row_by_position[int(row["position"])] = row

    ordered_rows = list[dict[str, str]]()
    next_position = 1
    for position in sorted(row_by_position):
        # rows that were deleted are a gap, just like a row without a label
        if position > next_position:
            ordered_rows.append({"id": "", "label": ""})
        ordered_rows.append(row_by_position[position])
        next_position = position + 1

    return _make_sheet(ordered_rows, path, gaps_end=True)


def _make_sheet(rows: Sequence[dict[str, str]], path: str | Path, *, gaps_end: bool) -> Sheet:
    """Return the labels in rows, if `gaps_end` up to the first row without a label."""
    labels = dict[str, float]()
    skipped_ids = list[str]()
    n_later = 0
    has_ended = False
    for row in rows:
        mark = row["label"].casefold()
        if not mark:
            has_ended |= gaps_end
        elif has_ended:
            n_later += 1
        elif mark in SKIPPED:
            skipped_ids.append(row["id"])
        else:
            labels[row["id"]] = value_of(mark, f"{path}: question {row['id']}")

    draws = {row["draw"] for row in rows if row.get("draw")}
    if len(draws) > 1:
        raise DataError(
            f"its rows were drawn in different ways ({', '.join(sorted(draws)[:2])}); use one sheet"
            " for each",
            where=path,
        )
    if not labels:
        raise DataError(
            "no answer is labelled yet; write y (right), n (wrong), p (partly) or s (skip) into"
            " 'label'",
            where=path,
        )

    return Sheet(
        labels=labels,
        skipped=tuple(skipped_ids),
        drawn=draws.pop() if draws else "",
        listed=tuple(row["id"] for row in rows if row["id"]),
        later=n_later,
        answers={row["id"]: row["answer"] for row in rows if row.get("answer")},
    )


def check_answers(sheet: Sheet, items: Sequence[Item], path: str | Path) -> None:
    """Refuse labels of answers that the run no longer gives."""
    changed = changed_answers(sheet, items)
    if changed:
        raise DataError(
            f"not the answers of this run to {count(len(changed), 'question')} (first:"
            f" {changed[0]}); labels belong to the answers that were labelled, so name the run that"
            " was labelled",
            where=path,
        )


def changed_answers(sheet: Sheet, items: Sequence[Item]) -> list[str]:
    """Return the labelled questions whose answers on a sheet differ from those of the run."""
    answers = {item.question.id: cell_text(item.given) for item in items}
    changed = []
    for question_id in sheet.labels:
        if question_id not in sheet.answers or question_id not in answers:
            continue
        labelled = sheet.answers[question_id]
        answer = unprotect(answers[question_id]).strip()
        # only letters are compared, as spreadsheets rewrite numbers and dates
        letters_of_sheet = list(filter(str.isalpha, labelled.casefold()))
        letters = list(filter(str.isalpha, answer.casefold()))
        if "?" in labelled or "\ufffd" in labelled:  # the encoding of the sheet lacks some letters
            letters_of_sheet = list(filter(str.isascii, letters_of_sheet))
            letters = list(filter(str.isascii, letters))
        may_be_date = len(letters) < _MIN_LETTERS and any(map(str.isdigit, answer))
        if letters_of_sheet != letters and not may_be_date:
            changed.append(question_id)
    return changed

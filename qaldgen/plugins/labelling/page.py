"""The page on which a worksheet is filled in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from qaldgen.io.csv_cells import dump_csv
from qaldgen.io.pages import render_page

_TEMPLATES = files("qaldgen.plugins.labelling") / "templates"


class Form(NamedTuple):
    """The form in which an annotator labels each row of a worksheet."""

    question: str  # the question to the annotator
    #: The meanings of keys; "s" and the keys to undo and save are on every page.
    marks: Mapping[str, str]
    columns: Sequence[str]  # of the worksheet, among them ``label``
    column_by_heading: Mapping[str, str]  # the column below each heading
    key: Sequence[str]  # the columns that identify a row


def label_page(
    form: Form, rows: Sequence[Sequence[object]], name: str, labels: Mapping[tuple[str, ...], str]
) -> str:
    """Return the page for rows of a worksheet, with earlier labels by the keys of their rows."""
    label_index = list(form.columns).index("label")

    items = []
    for cells in rows:
        cell_by_column = dict(zip(form.columns, map(str, cells), strict=True))
        # the row of the worksheet before and after the label
        row_start = dump_csv([], [cells[:label_index]]).strip("\n")
        row_end = dump_csv([], [cells[label_index + 1 :]]).lstrip("\n")
        items.append({
            "id": _join_ids([cell_by_column[column] for column in form.key]),
            "shown": [cell_by_column[column] for column in form.column_by_heading.values()],
            "before": f"{row_start},",
            "after": f",{row_end}",
        })  # fmt: skip

    data = {
        # a page that continues a worksheet begins with its labels, whatever the browser has stored
        "key": hashlib.sha256(json.dumps([rows, sorted(labels.items())]).encode()).hexdigest()[:16],
        "name": name,
        "header": dump_csv(form.columns, []),
        "headings": list(form.column_by_heading),
        "marks": [*form.marks, "s"],
        "items": items,
        "labels": {_join_ids(pair): mark for pair, mark in labels.items()},
    }

    keys = {**form.marks, "s": "skip", "u": "undo", "w": "save the worksheet"}
    return render_page(
        _TEMPLATES.joinpath("labelling.html").read_text(encoding="utf-8"),
        {},
        asked=form.question,
        keys=keys,
        style=_TEMPLATES.joinpath("labelling.css").read_text(encoding="utf-8"),
        script=_TEMPLATES.joinpath("labelling.js").read_text(encoding="utf-8"),
        # escaped, as a tag in a text could end the script
        data=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )


def _join_ids(parts: Sequence[str]) -> str:
    """Return one text for several ids; no id has a tab."""
    return "\t".join(parts)

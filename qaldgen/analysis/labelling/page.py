"""The page to label with: one file, keys alone, nothing leaves the computer."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from qaldgen.analysis.labelling.drawing import Item
from qaldgen.analysis.labelling.worksheet import COLUMNS, row
from qaldgen.io.text import dump_csv

_TEMPLATES = files("qaldgen.analysis.labelling") / "templates"
#: Only the page's own style and script count; it loads nothing and sends nothing.
_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action"
    " 'none'"
)


class Form(NamedTuple):
    """What a page asks."""

    asked: str  # the question to the labeller
    #: From a key to what it means; "s" and the keys to undo and save are on every page.
    marks: Mapping[str, str]
    columns: Sequence[str]  # of the worksheet, among them ``label``
    shown: Mapping[str, str]  # from a heading to the column that stands below it
    key: Sequence[str]  # the columns that tell rows apart


_ANSWERS = Form(
    "Is the answer right?",
    {"y": "right", "n": "wrong", "p": "partly"},
    COLUMNS,
    {"Question": "question", "Gold answer": "gold", "Answer of the system": "answer"},
    ("id",),
)


def labelling_page(
    items: Sequence[Item],
    drawn: str,
    name: str,
    *,
    language: str = "en",
    labels: Mapping[str, str] | None = None,
) -> str:
    """Return the page as HTML.

    It saves the same worksheet that `dump_sheet` writes, with the labels.
    """
    rows = [row(at, item, drawn, language) for at, item in enumerate(items, 1)]
    return page(
        _ANSWERS, rows, name, {(question,): mark for question, mark in (labels or {}).items()}
    )


def page(
    form: Form, rows: Sequence[Sequence[object]], name: str, labels: Mapping[tuple[str, ...], str]
) -> str:
    """Return the page for rows of a worksheet, with the labels that are known by their keys."""
    data = {
        # a page that continues a worksheet begins with its labels, whatever the browser has stored
        "key": hashlib.sha256(json.dumps([rows, sorted(labels.items())]).encode()).hexdigest()[:16],
        "name": name,
        "header": dump_csv(form.columns, []),
        "headings": list(form.shown),
        "marks": [*form.marks, "s"],
        "items": [_item(form, cells) for cells in rows],
        "labels": {_joined(pair): mark for pair, mark in labels.items()},
    }
    style, script = (
        _TEMPLATES.joinpath(f"labelling.{kind}").read_text(encoding="utf-8")
        for kind in ("css", "js")
    )
    keys = {**form.marks, "s": "skip", "u": "undo", "w": "save the worksheet"}
    parts = {
        "policy": _POLICY.format(style=_hashed(style), script=_hashed(script)),
        "asked": html.escape(form.asked),
        "buttons": "\n".join(
            f'<button data-key="{key}"><kbd>{key}</kbd> {html.escape(told)}</button>'
            for key, told in keys.items()
        ),
        "style": style,
        "script": script,
        "data": (
            json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
        ),  # no tag in a text ends the script
    }
    page = _TEMPLATES.joinpath("labelling.html").read_text(encoding="utf-8")
    before, *rest = page.split("{{")
    return before + "".join(
        parts[name] + after for name, _, after in (one.partition("}}") for one in rest)
    )


def _item(form: Form, cells: Sequence[object]) -> dict[str, object]:
    """Return what is shown, and the row of the worksheet before and after the label."""
    of = dict(zip(form.columns, map(str, cells), strict=True))
    place = list(form.columns).index("label")
    first = dump_csv([], [cells[:place]]).strip("\n")
    last = dump_csv([], [cells[place + 1 :]]).lstrip("\n")
    shown = [of[column] for column in form.shown.values()]
    return {
        "id": _joined([of[column] for column in form.key]),
        "shown": shown,
        "before": f"{first},",
        "after": f",{last}",
    }


def _joined(parts: Sequence[str]) -> str:
    """Return one text for several ids; no id has a tab."""
    return "\t".join(parts)


def _hashed(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()

"""The page to label answers with: one file, keys alone, nothing leaves the computer."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from qaldgen.analysis.labelling.drawing import Item
from qaldgen.analysis.labelling.worksheet import COLUMNS, row
from qaldgen.io.spreadsheets import dump_csv

_TEMPLATES = files("qaldgen.reports.page") / "templates"
_LABEL = COLUMNS.index("label")
#: Only the page's own style and script count; it loads nothing and sends nothing.
_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action"
    " 'none'"
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

    Parameters
    ----------
    items
        What is to be labelled, in order.
    drawn
        How they were drawn.
    name
        Of the file that it saves.
    language
        Of the wordings.
    labels
        By question, what was labelled before.
    """
    rows = [row(at, item, drawn, language) for at, item in enumerate(items, 1)]
    shown = [_item(one, item, language) for one, item in zip(rows, items, strict=True)]
    key = hashlib.sha256(json.dumps([drawn, rows]).encode()).hexdigest()[:16]
    data = {
        "key": key,
        "name": name,
        "header": dump_csv(COLUMNS, []),
        "items": shown,
        "labels": dict(labels or {}),
    }
    style, script = (
        _TEMPLATES.joinpath(f"labelling.{kind}").read_text(encoding="utf-8")
        for kind in ("css", "js")
    )
    parts = {
        "policy": _POLICY.format(style=_hashed(style), script=_hashed(script)),
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


def _item(cells: Sequence[object], item: Item, language: str) -> dict[str, str]:
    """Return what is shown, and the row of the worksheet before and after the label."""
    first = dump_csv([], [cells[:_LABEL]]).strip("\n")
    last = dump_csv([], [cells[_LABEL + 1 :]]).lstrip("\n")
    shown = {"question": item.question.text(language), "gold": item.gold, "answer": item.given}
    return {"id": item.question.id, **shown, "before": f"{first},", "after": f",{last}"}


def _hashed(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()

"""Pages opened and measured: what people cannot read, since it is broken, covered or cut off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

_FAULTS = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").split("\n", 5)[5]
_OPEN = "all => all.forEach((one) => { one.open = true; })"


def open_all(page: Page) -> None:
    """Open everything that opens."""
    page.eval_on_selector_all("details", _OPEN)


def layout_faults(page: Page) -> list[str]:
    """Return the faults of what is shown, each once; ``measured.js`` says which there are."""
    found: list[Any] = page.evaluate(_FAULTS)
    return list(dict.fromkeys(map(str, found)))

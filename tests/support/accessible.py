"""Pages judged by axe-core: wide, narrow and dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browsers import running_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VIEWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "narrow": {"viewport": {"width": 400, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as made:
        yield made


@pytest.fixture(params=VIEWS)
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    made = browser.new_page(**VIEWS[request.param])
    made.set_default_timeout(120_000)  # the search for weak spots may still run for the page before
    yield made
    made.close()


def faults(page: Page) -> list[str]:
    """Return what axe-core finds serious or critical, with the first elements that have it."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-core is not installed; pip install axe-playwright-python",
    )
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: "
        + "; ".join(f"{node['target']} {node['html'][:200]}" for node in one["nodes"][:3])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]

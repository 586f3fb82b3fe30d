"""Chromium without a window, for tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: The shell without a window comes first: the same engine in half the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start a browser, or skip the test visibly; QALDGEN_TEST_BROWSER names another file."""
    found = os.environ.get("QALDGEN_TEST_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    if found is None:
        pytest.skip(
            "no browser is installed; 'apt-get install chromium-headless-shell' "
            "or QALDGEN_TEST_BROWSER helps"
        )
    driver = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; pip install playwright"
    )
    with driver.sync_playwright() as running:
        made = running.chromium.launch(executable_path=found, args=list(QUIET))
        yield made
        made.close()


class Seen:
    """What a page did beside showing itself."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.messages: list[str] = []
        self._page = page
        self._listeners: dict[str, Callable[[Any], None]] = {
            "request": lambda request: self.requests.append(request.url),
            "console": lambda message: self.messages.append(message.text),
            "pageerror": lambda error: self.messages.append(str(error)),
            "dialog": lambda dialog: self.messages.append(f"dialog: {dialog.message}"),
        }
        for name, listener in self._listeners.items():
            page.on(name, listener)  # type: ignore[call-overload]

    def stop(self) -> None:
        """Look no longer, where the page is used again."""
        for name, listener in self._listeners.items():
            self._page.remove_listener(name, listener)

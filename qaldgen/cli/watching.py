"""Show the progress of a run.

How many are answered and failed, what it cost, and the score so far, where gold is known.
"""

from __future__ import annotations

import math
from types import TracebackType
from typing import TYPE_CHECKING, Any

from qaldgen.cli import common

if TYPE_CHECKING:
    from qaldgen import QuestionSet, Response


class Watcher:
    """A bar on stderr, which knows what came."""

    def __init__(self, label: str, size: int, questions: QuestionSet, language: str) -> None:
        self._bar: Any = common.progress_bar(label, size)
        self._shown = not self._bar.hidden
        # Scoring each answer takes time, and nobody sees it without a bar.
        from qaldgen.asking.asking import RunningScore

        self._running = RunningScore(questions, language) if self._shown and language else None
        self._answered, self._failed, self._cost = 0, 0, 0.0
        self._bar.item_show_func = lambda _: self.words()

    def __enter__(self) -> Watcher:
        """Show the bar."""
        self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """End the bar."""
        self._bar.__exit__(kind, error, where)

    def see(self, response: Response | None) -> None:
        """Record the response to a question."""
        if response is not None:
            failed = response.status not in {"answered", "empty"}
            self._failed, self._answered = self._failed + failed, self._answered + (not failed)
            # Without prices there is no cost.
            self._cost += response.call.cost or 0.0
            if self._running is not None:
                self._running.add(response)
        self._bar.update(1, current_item=self)

    def words(self) -> str:
        """Return what is known so far, in a few words."""
        told = [f"{self._answered:,} answered", f"{self._failed:,} failed"]
        if self._cost:
            told.append(f"cost {self._cost:.4g}")
        if self._running is not None:
            mean, low, high = self._running.interval()
            if not math.isnan(mean):
                told.append(
                    f"F1 {mean:.3f} [{low:.3f}, {high:.3f}]"
                    if not math.isnan(low)
                    else f"F1 {mean:.3f}"
                )
        return ", ".join(told)

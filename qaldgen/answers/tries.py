"""Decide which of several tries at one question count."""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen.answers.record import ParsedResponse, Response


def several_tries(responses: Sequence[ParsedResponse]) -> dict[str, tuple[Response, ...]]:
    """Return the tries that count, for each question that the file names more than once.

    A try replaces an earlier one with the same number. Unnumbered failures are dropped if there is
    another try.
    """
    tries: dict[str, dict[str, Response]] = {}
    for item in responses:
        numbered = tries.setdefault(item.response.id, {})
        numbered[item.repeat or f"#{len(numbered)}"] = item.response
    counted = {}
    for question_id, numbered in tries.items():
        counting = [
            response
            for repeat, response in numbered.items()
            if repeat[:1] != "#" or response.status in {"answered", "empty"}
        ]
        if len(numbered) > 1:
            last = [*numbered.values()][-1]
            counted[question_id] = tuple(counting) or (last,)
    return counted

"""Several tries at one question: which of them count."""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen.answers.record import ParsedResponse, Response


def several_tries(responses: Sequence[ParsedResponse]) -> dict[str, tuple[Response, ...]]:
    """Return the tries that count, for each question that the file names more than once.

    A try with the same number as an earlier one replaces it. If tries are not numbered, a failure
    is dropped if there is another try.
    """
    tries: dict[str, dict[str, Response]] = {}
    for item in responses:
        numbered = tries.setdefault(item.response.id, {})
        numbered[item.repeat or f"#{len(numbered)}"] = item.response
    counted = {}
    for name, numbered in tries.items():
        counting = [
            response
            for repeat, response in numbered.items()
            if repeat[:1] != "#" or response.status in {"answered", "empty"}
        ]
        if len(numbered) > 1:
            counted[name] = tuple(counting or [*numbered.values()][-1:])
    return counted

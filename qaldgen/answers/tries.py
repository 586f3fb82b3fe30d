"""Decide which of several tries at one question count."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

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
            last = list(numbered.values())[-1]
            counted[question_id] = tuple(counting) or (last,)
    return counted


def are_copies(tries_by_id: Mapping[str, Sequence[Response]], unnumbered: Collection[str]) -> bool:
    """Return whether all questions with several tries have the same unnumbered one several times.

    A script that is started again may write some answers twice.
    """
    return bool(tries_by_id) and all(
        question_id in unnumbered and len({(one.status, one.answers) for one in tries}) == 1
        for question_id, tries in tries_by_id.items()
    )

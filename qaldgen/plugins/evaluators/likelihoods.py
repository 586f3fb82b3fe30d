"""Multiple choice in lm-evaluation-harness: a request per choice, the most likely one wins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from qaldgen.formats.records import scalar_text

_TRUTHS = frozenset({"true", "false"})


class Requests(NamedTuple):
    """The requests for a document: the first prompt, and the continuations that were compared."""

    prompt: object
    choices: tuple[str, ...]


def continuations(arguments: object) -> Requests:
    """Return the prompt and the continuations in the arguments of a document's requests.

    They are an object ``{"gen_args_0": {"arg_0": prompt, "arg_1": continuation}, ...}``, or in
    older logs a list of lists. If the choices are asked for a second time without the question
    (mutual information), the second round is left out.

    >>> continuations([["Tea or coffee?", " tea"], ["Tea or coffee?", " coffee"]])
    Requests(prompt='Tea or coffee?', choices=('tea', 'coffee'))
    """
    if isinstance(arguments, dict):
        requests = [
            list(one.values()) if isinstance(one, dict) else [one] for one in arguments.values()
        ]
    else:
        given = arguments if isinstance(arguments, list) else []
        requests = [one for one in given if isinstance(one, list)] or ([given] if given else [])
    ends = tuple(one[1].strip() for one in requests if len(one) > 1 and isinstance(one[1], str))
    # the two rounds of mutual information have the same continuations
    half = len(ends) // 2
    if half and ends[:half] == ends[half:]:
        ends = ends[:half]
    return Requests(requests[0][0] if requests and requests[0] else "", ends)


def is_likelihood(value: object) -> bool:
    """Whether these are pairs of a log-likelihood and whether the continuation is greedy.

    >>> is_likelihood([["-0.9", "False"], ["-0.4", "True"]]), is_likelihood([["text"]])
    (True, False)
    """
    pairs = _pairs(value)
    return bool(pairs) and all(pair is not None for pair in pairs)


def choice_of(value: object, choices: Sequence[str]) -> int | None:
    """Return the position of the most likely choice, the first of equals."""
    pairs = [pair for pair in _pairs(value) if pair is not None]
    if len(choices) < 2:
        return 0 if pairs and pairs[0][1] else 1
    likelihoods = [pair[0] for pair in pairs][: len(choices)]
    known = [one for one in likelihoods if one > -math.inf]
    return likelihoods.index(max(known)) if known else len(choices)


def _pairs(value: object) -> list[tuple[float, bool] | None]:
    """Return the pair of each request, out of the lists of repeats around it."""
    found = []
    for item in value if isinstance(value, list) else []:
        while isinstance(item, list) and item and isinstance(item[0], list):
            item = item[0]
        found.append(_pair(item))
    return found


def _pair(item: object) -> tuple[float, bool] | None:
    if (
        not isinstance(item, list)
        or len(item) != 2
        or any(isinstance(part, (list, dict)) for part in item)
    ):
        return None
    greedy = scalar_text(item[1]).lower()
    if greedy not in _TRUTHS:
        return None
    try:
        likelihood = -math.inf if item[0] is None else float(item[0])
    except (TypeError, ValueError):
        return None
    return (-math.inf if math.isnan(likelihood) else likelihood), greedy == "true"

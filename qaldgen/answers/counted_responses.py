"""Choose which of several responses to one question in a file count.

`qaldgen.scoring.repeats` makes one score of those that count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.answers.record import DONE, DUPLICATE_ID, ParsedResponse, Response
from qaldgen.io.notes import note
from qaldgen.io.text import count
from qaldgen.model import Remark


class CountedResponses(NamedTuple):
    """The responses of a file that count; the fields are those of `Run`."""

    responses: Mapping[str, Response]  # by question, the last response that counts
    repeats: Mapping[str, tuple[Response, ...]]  # by question, all of them if several count
    unnumbered: tuple[str, ...]  # the questions in `repeats` whose responses have no numbers


def last_responses(parsed: Sequence[ParsedResponse]) -> CountedResponses:
    """Return the last response to each question, and note that there are earlier ones."""
    responses = {item.response.id: item.response for item in parsed}
    counts = Counter(item.response.id for item in parsed)
    repeated = [question_id for question_id, number in counts.items() if number > 1]
    if repeated:
        ids = f"{count(len(repeated), 'id')} (first: {repeated[0]})"
        note(Remark(f"{ids} used more than once; the last entry counts", rule=DUPLICATE_ID))
    return CountedResponses(responses, {}, ())


def all_responses(parsed: Sequence[ParsedResponse], *, is_log: bool) -> CountedResponses:
    """Return the responses to each question that count, such as samples of a language model.

    A response replaces an earlier one with the same number. A failure without a number does not
    count beside other responses, nor does a copy: a script that is started again may write some
    answers twice. A log has samples, also where it does not number them.
    """
    by_question: dict[str, list[ParsedResponse]] = {}
    for item in parsed:
        by_question.setdefault(item.response.id, []).append(item)
    responses = {}
    repeats = {}
    unnumbered_ids = set()
    for question_id, items in by_question.items():
        if len(items) == 1:
            responses[question_id] = items[0].response
            continue
        numbered: dict[str | int, Response] = {}
        for item in items:
            numbered[item.repeat or len(numbered)] = item.response
            if not item.repeat and not is_log:
                unnumbered_ids.add(question_id)
        counting = [
            response
            for number, response in numbered.items()
            if isinstance(number, str) or response.status in DONE
        ]
        counting = counting or list(numbered.values())[-1:]
        responses[question_id] = counting[-1]
        if len(counting) > 1:
            repeats[question_id] = tuple(counting)
    unnumbered = tuple(question_id for question_id in repeats if question_id in unnumbered_ids)
    n_copied = 0
    for question_id in unnumbered:
        n_copied += len({(one.status, one.answers) for one in repeats[question_id]}) == 1
    if repeats and n_copied == len(repeats) and 2 * n_copied < len(responses):
        note(f"{count(n_copied, 'question')} with the same answers twice; one counts")
        return CountedResponses(responses, {}, ())
    return CountedResponses(responses, repeats, unnumbered)

"""Ask question after question, with a journal that says what was answered before: the one loop behind runs and gold queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from qaldgen.runs.journal_writing import Journal
from qaldgen.runs.record import STATUSES, Response

#: What is not asked again.
DONE = frozenset(["answered", "empty"])


class Due(NamedTuple):
    """A question, and what is to be done about it.

    Attributes
    ----------
    id : str
        Its id.
    known : Response or None
        What came of it before.
    ask : callable or None
        Asks it, and never raises; None where nothing is to be asked.
    """

    id: str
    known: Response | None = None
    ask: Callable[[], Response] | None = None


class Resumed(NamedTuple):
    """The responses by question id, in the order of the questions, and how many of them were asked for now."""

    responses: Mapping[str, Response]
    asked: int

    def in_words(self, noun: str) -> str:
        """Say what became of the questions, and how many of them stood in the journal.

        Examples
        --------
        >>> Resumed({"1": Response("1", "failed")}, 0).in_words("questions")
        '1 questions: 1 failed; 1 of them from the journal'
        """
        counts = Counter(response.status for response in self.responses.values())
        told = ", ".join(f"{counts[status]:,} {status}" for status in STATUSES if counts[status])
        kept = len(self.responses) - self.asked
        return f"{len(self.responses):,} {noun}: {told}" + (f"; {kept:,} of them from the journal" if kept else "")


def resume(
    questions: Iterable[Due], journal: Journal | None, *, source: str, progress: Callable[[int], None] | None = None
) -> Resumed:
    """Ask what is not known yet, and write each response to the journal before the next question costs something.

    Parameters
    ----------
    questions
        What is due.
    journal
        Where responses are kept; None for nowhere.
    source
        How the journal names who is asked.
    progress
        Called with the number of questions that are done.

    Raises
    ------
    DataError
        If the journal cannot be written, or somebody else wrote to it.

    Examples
    --------
    >>> found = resume([Due("1", ask=lambda: Response("1", "empty")), Due("2")], None, source="mine")
    >>> list(found.responses), found.asked
    (['1'], 1)
    """
    responses, asked = dict[str, Response](), 0
    for due in questions:
        response = due.known
        if response is None and due.ask is not None:
            if journal is not None:
                journal.check()
            response = due.ask() if journal is None else journal.add(due.ask(), source=source)
            asked += 1
        if response is not None:
            responses[due.id] = response
        if progress is not None:
            progress(1)
    return Resumed(responses, asked)

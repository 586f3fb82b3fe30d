"""Ask a system all questions of a set, and keep what it says in a journal, so that a run that broke off goes on where it was."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from qaldgen.asking.service import Service, ask_service
from qaldgen.asking.systems.table import prepare
from qaldgen.errors import QaldgenError, UsageError
from qaldgen.formats.gather import language_tag
from qaldgen.io.web.credentials import SYSTEM, find_access
from qaldgen.io.web.one_line import printable
from qaldgen.model import Question, QuestionSet
from qaldgen.runs.journal_writing import Journal, open_journal
from qaldgen.runs.record import Response, status_of, unforeseen
from qaldgen.runs.resume import DONE, Due, Resumed, resume
from qaldgen.stores.execution import source_name
from qaldgen.stores.local import LocalStore


class Asker(NamedTuple):
    """Whom to ask.

    Attributes
    ----------
    name : str
        How a journal names it: the system, and the graph with its sha256 or the address.
    ask : callable
        Takes the id and the text of a question.
    """

    name: str
    ask: Callable[[str, str], Response]


class Asking(NamedTuple):
    """What came of the questions of a set, in their order, and how many were asked now; the journal had the others.

    Attributes
    ----------
    responses : mapping of str to Response
        By question id.
    asked : int
        How many were asked now.
    notes : tuple of str
        What a user should know, in whole sentences.
    """

    responses: Mapping[str, Response]
    asked: int
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """Return in one line what became of the questions."""
        return Resumed(self.responses, self.asked).in_words("questions")


def own_system(name: str, store: LocalStore) -> Asker:
    """Return one of our own systems over a local graph; raises UsageError if there is none of this name."""
    answer = prepare(name, store)

    def ask(question: str, text: str) -> Response:
        start = monotonic()
        given = answer(text)
        seconds = round(monotonic() - start, 3)
        return Response(question, status_of(given.answers), given.answers, query=given.query, seconds=seconds)

    return Asker(f"{name} over {source_name(store)}", ask)


def live_system(service: Service) -> Asker:
    """Return a system on the web; raises UsageError if its URL is none, or the credentials are incomplete."""
    name = find_access(service.url, SYSTEM).address.label
    return Asker(f"{name} in {service.language}", lambda question, text: ask_service(service, question, text))


def ask_all(
    questions: QuestionSet,
    asker: Asker,
    journal: Path,
    *,
    language: str = "en",
    times: bool = True,
    anew: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Asking:
    """Ask every question of a set that the journal does not have as answered or empty.

    Parameters
    ----------
    questions
        The set; of each question the main wording in `language` is sent, and nothing else. One without is a failure.
    asker
        Whom to ask.
    journal
        Where each response is added as soon as it is there; an existing journal goes on.
    language
        The language tag of the wording.
    times
        Write how long each answer took; without, the same run gives the same bytes again.
    anew
        Begin an existing journal anew.
    progress
        Called with the number of questions that are done.

    Raises
    ------
    UsageError
        If the journal has answers of somebody else, or to other questions, or another run is writing to it.
    DataError
        If the journal is damaged or cannot be written, or another run wrote to it all the same.
    """
    source = f"{asker.name}, asked {questions.name} (sha256 {questions.sha256[:16]})"
    with open_journal(journal, anew=anew) as kept:
        done, notes = _done(kept, source)
        ask = functools.partial(_ask, asker, language=language, times=times)
        due = (Due(one.id, done.get(one.id), functools.partial(ask, one)) for one in questions.questions)
        responses, asked = resume(due, kept, source=source, progress=progress)
    return Asking(responses, asked, (*notes, *_failures(responses)))


def _ask(asker: Asker, question: Question, *, language: str, times: bool) -> Response:
    """Ask one question in a language; without one of its wordings nobody is asked."""
    wording = next(iter(question.texts.get(language_tag(language), ())), "")
    response = _response(asker, question.id, wording) if wording else _without(question.id, language)
    return response if times else dataclasses.replace(response, seconds=None)


def _response(asker: Asker, question: str, wording: str) -> Response:
    """Ask one question; an error that nobody foresaw is a failure of this question, and the others are asked."""
    try:
        return asker.ask(question, wording)
    except Exception as error:  # whatever a reply may provoke
        return Response(question, "failed", error=str(error) if isinstance(error, QaldgenError) else unforeseen(error))


def _without(question: str, language: str) -> Response:
    return Response(question, "failed", error=f"the question has no wording in {language!r}, so nobody was asked")


def _done(journal: Journal, source: str) -> tuple[dict[str, Response], tuple[str, ...]]:
    """Return what a journal has as answered or empty, by id, and the notes on the file."""
    entries, notes, _ = journal.entries()
    other = next((entry.source for entry in entries if entry.source != source), None)
    if other is not None:
        theirs = f"is a journal of {printable(other) or 'somebody unnamed'}, and not of {source}"
        raise UsageError(f"{journal.path}: {theirs}; name another file, or begin anew with --force")
    last = {entry.response.id: entry.response for entry in entries}
    kept = {name: response for name, response in last.items() if response.status in DONE}
    return kept, (*journal.notes, *notes)


def _failures(responses: Mapping[str, Response]) -> list[str]:
    """Say for each status that is no answer how many questions it is about, with the first and its reason."""
    lines = []
    for status in ("failed", "timeout"):
        found = [response for response in responses.values() if response.status == status]
        if found:
            what = "failed" if status == "failed" else "had no answer in time"
            again = "the same command asks again"
            lines.append(
                f"{len(found):,} of {len(responses):,} questions {what} (first: {found[0].id}: {found[0].error}); {again}"
            )
    return lines

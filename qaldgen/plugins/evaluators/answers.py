"""Read the logs of other evaluators as runs, with each repeat and failure."""

from __future__ import annotations

from collections.abc import Callable

from qaldgen.formats.file_content import Content
from qaldgen.formats.records import scalar_text
from qaldgen.model import Answers
from qaldgen.plugins.evaluators.samples import ReadLog, Sample
from qaldgen.runs.record import Asked, Found, Given, Response, status_of


def answers_of(read_log: ReadLog) -> Callable[[Content, Asked], Found]:
    """Return the function that reads the answers in a log."""

    def read(content: Content, asked: Asked) -> Found:
        log = read_log(content, asked.filter)
        return Found([_given(sample) for sample in log.samples], log.notes)

    return read


def _given(sample: Sample) -> Given:
    answers = (
        None if sample.status else Answers(texts=((sample.reply,),) if sample.reply.strip() else ())
    )
    response = Response(
        sample.id,
        sample.status or (status_of(answers) if answers is not None else "failed"),
        answers,
        seconds=sample.seconds,
        error=sample.error,
        verdicts=sample.verdicts,
    )
    return Given(response, scalar_text(sample.question.get("question", "")), sample.repeat)

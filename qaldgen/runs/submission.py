"""Submissions to PolEval: lines without ids, any of which may be empty or look like anything."""

from __future__ import annotations

from pathlib import Path

from qaldgen.formats.content import Content, decode, split_lines
from qaldgen.io.files import open_content
from qaldgen.model import QuestionSet


def submitted_lines(path: Path, gold: QuestionSet | None) -> Content | None:
    """Return a file as lines if it is a submission to the questions of PolEval.

    It has as many lines as there are questions, and is neither JSON nor XML nor a table whose first
    column has the ids. Tabs and commas are then part of the answers, and a file of empty lines is a
    submission too.

    Parameters
    ----------
    path
        The file.
    gold
        The questions that were asked.

    Returns
    -------
    Content | None
        None if it is not a submission.

    Raises
    ------
    DataError
        If the file cannot be read, or is not UTF-8.
    """
    if gold is None or gold.format != "poleval":
        return None
    with open_content(path) as reader:
        data = reader.read()
        digest = reader.hexdigest()
    if data[:4] == b"PAR1":
        return None
    text = decode(path, data, "run")
    lines = split_lines(text)
    if len(lines) != len(gold.questions) or text.lstrip()[:1] in {"{", "[", "<", '"'}:
        return None
    # A table with ids has as many lines as a submission, but ids in its first column.
    first = {line.partition("\t")[0].strip() for line in lines}
    if any("\t" in line for line in lines) and first <= {
        question.id for question in gold.questions
    }:
        return None
    return Content(path, "text", text, digest)

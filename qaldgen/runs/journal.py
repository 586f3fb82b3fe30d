"""The journal of a run.

JSON Lines, one line per question, written as the answers come in, so that a run can be resumed. A
line has ``id``, ``status`` (answered, empty, failed, timeout), ``answers`` (SPARQL results JSON, or
``{"texts": [[...]]}`` for words), ``query``, ``seconds`` and ``error``; if they are not empty also
``answertype``, ``mentions`` and ``source`` (the system), and how the answer came: ``raw`` (the
reply), ``attempts``, ``tokens_in``, ``tokens_out``, ``cost``, ``model`` and ``time``. The last line
for a question counts: it is a later try. `qaldgen.runs.journal_writing` writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from qaldgen.errors import DataError
from qaldgen.formats.content import decode
from qaldgen.io.files import content_name, open_content
from qaldgen.model import Remark
from qaldgen.runs.journal_lines import LOOK_START, Entry, is_half, parse_entry
from qaldgen.runs.record import Run


class Entries(NamedTuple):
    """The content of a journal.

    Attributes
    ----------
    entries : tuple of Entry
        The lines in their order.
    notes : tuple of str
        Notes on the file.
    sha256 : str
        Hash of the file.
    """

    entries: tuple[Entry, ...]
    notes: tuple[str, ...]
    sha256: str


def read_entries(path: str | Path) -> Entries:
    """Return every line of a journal; an incomplete line at its end is left out, with a note.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Entries
        The entries, without the looks.

    Raises
    ------
    DataError
        If the file cannot be read, or a line is not an entry; the message names the line.
    """
    path = Path(path)
    with open_content(path) as reader:
        data = reader.read()
        digest = reader.hexdigest()
    # The last line has no line break if the run was interrupted while writing it.
    whole, _, rest = data.rpartition(b"\n")
    notes = []
    if rest and is_half(rest):
        notes.append(
            Remark("the last line is cut off, as after a crash; it is left out", where=str(path))
        )
    elif rest:
        whole = data
    lines = enumerate(decode(path, whole).split("\n"), 1)
    answers = (
        (number, line)
        for number, line in lines
        if line.strip() and not line.startswith(LOOK_START.decode())
    )
    return Entries(
        tuple(parse_entry(line, (str(path), f"line {number}")) for number, line in answers),
        tuple(notes),
        digest,
    )


def read_journal(path: str | Path) -> Run:
    """Read a journal as a run.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Run
        The last response to each question.

    Raises
    ------
    DataError
        If the file cannot be read, has no questions, or a line is not an entry; the message names
        the line.
    """
    path = Path(path)
    entries, notes, digest = read_entries(path)
    if not entries:
        raise DataError(
            "holds no question; a journal has one JSON object per line, with id, status and "
            "answers",
            where=path,
        )
    responses = {entry.response.id: entry.response for entry in entries}
    again = len(entries) - len(responses)
    if again:
        notes += (
            Remark(
                f"{again:,} lines are about a question that has a later line; the last one counts",
                where=str(path),
            ),
        )
    return Run(run_name(path), "journal", responses, notes, digest)


def run_name(path: str | Path) -> str:
    """Return the name of the run whose journal is at a path.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    str
        Without ``.journal`` and other endings.
    """
    return Path(content_name(Path(path))).stem.removesuffix(".journal")

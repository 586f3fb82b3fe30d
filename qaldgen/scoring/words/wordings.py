"""How answers are worded: names of IRIs, aliases, yes and no."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias
from urllib.parse import unquote

from qaldgen.model import Cell, Question
from qaldgen.runs.record import Response
from qaldgen.scoring.words.lexicon import NO, YES, primary

#: IRI, local name or main wording of a gold answer to further accepted wordings.
Aliases: TypeAlias = Mapping[str, Sequence[str]]
_QUALIFIER = re.compile(r"(?<=\S)(?:__.*|[\s_]*\([^()]*\)\s*)$")


def wordings(cell: Cell, labels: Aliases | None = None) -> tuple[str, ...]:
    """Return how a gold answer may be worded, the main wording first.

    For an IRI these are its labels, then its local name decoded (underscores are spaces, a qualifier in brackets goes) and what
    the table has under the local name; for a literal the lexical form and what the table has under it.

    Examples
    --------
    >>> wordings(Cell("uri", "http://x.org/resource/Old_Mill_(Ulm)"), {"Old_Mill_(Ulm)": ["Alte Mühle"]})
    ('Old Mill', 'Alte Mühle')
    """
    table = labels or {}
    if cell.type != "uri":
        return (cell.value, *table.get(cell.value, ()))
    local = unquote(re.split(r"[/#]", cell.value.rstrip("/#"))[-1]) if "://" in cell.value else unquote(cell.value)
    labelled = table.get(cell.value, ()) if local != cell.value else ()
    return (*labelled, plain_name(local), *table.get(local, ()))


def plain_name(name: str) -> str:
    """Return the name of an article without underscores and without the qualifier in brackets.

    Examples
    --------
    >>> plain_name("Old_Mill_(Ulm)"), plain_name("(Alpha)")
    ('Old Mill', '(Alpha)')
    """
    return _QUALIFIER.sub("", name).replace("_", " ").strip() or name


def gold_wordings(question: Question, language: str = "en", aliases: Aliases | None = None) -> list[tuple[str, ...]]:
    """Return the accepted wordings of each gold answer; a boolean is worded in the language and in English."""
    answers = question.answers
    if answers is None:
        return []
    if answers.boolean is not None:
        table, word = (YES, "true") if answers.boolean else (NO, "false")
        return [(word, *table["en"].split(), *table.get(primary(language), "").split())]
    cells = dict.fromkeys(cell for row in answers.rows for cell in row if cell is not None)
    table_of = aliases or {}
    texts = [(*row, *(alias for name in row[:1] for alias in table_of.get(name, ()))) for row in answers.texts]
    return [*(wordings(cell, aliases) for cell in cells), *texts]


def given_texts(response: Response) -> list[str]:
    """Return the answers that a system gave, each as text: a name for an IRI."""
    answers = response.answers
    if answers is None:
        return []
    if answers.boolean is not None:
        return answers.values()
    cells = dict.fromkeys(cell for row in answers.rows for cell in row if cell is not None)
    return [*(wordings(cell)[0] for cell in cells), *(row[0] for row in answers.texts if row)]

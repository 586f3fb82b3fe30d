"""Make an edition of the gold: what an endpoint answers on a day, with date, source and hash."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from datetime import datetime, timezone
from pathlib import Path

from qaldgen.errors import DataError, UsageError
from qaldgen.formats.records import edition_note
from qaldgen.model import QuestionSet
from qaldgen.rdf.terms import QALDGEN
from qaldgen.runs.changes import GOLD_CHANGED, change_of, values_of
from qaldgen.runs.journal import Journal
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.execution import Executed, execute_gold, source_name
from qaldgen.stores.local import DataSource, LocalStore


def gold_edition(
    questions: QuestionSet,
    source: LocalStore | Endpoint,
    *,
    kg_name: str = "",
    journal: Path | Journal | None = None,
) -> tuple[QuestionSet, Executed]:
    """Return the questions with the answers of now, and how each changed; failures keep theirs."""
    done = execute_gold(questions.questions, source, kg_name=kg_name, journal=journal, refresh=True)
    if not any(response.answers is not None for response in done.responses.values()):
        reason = f": {done.notes[0]}" if done.notes else ""
        raise DataError(
            f"no gold query was answered, so there is no edition to write{reason}",
            where=source.name,
        )
    kinds = {
        one.id: change_of(one.answers, done.responses[one.id].answers)
        for one in questions
        if one.id in done.responses
    }
    made = tuple(
        dataclasses.replace(one, metadata={**one.metadata, GOLD_CHANGED: kinds[one.id]})
        if one.id in kinds
        else one
        for one in done.questions
    )
    gold = [[one.id, sorted(values_of(one.answers))] for one in made]
    digest = hashlib.sha256(json.dumps(gold).encode()).hexdigest()[:16]
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = source.name if isinstance(source, LocalStore) else source_name(source)
    line = f"{now}@{digest}@" + re.sub(r"[|@'\s]", "_", name)
    notes = (note for note in questions.notes if getattr(note, "rule", "") != "gold-edition")
    return dataclasses.replace(
        questions, questions=made, notes=(*notes, edition_note(line).text)
    ), done


def check_new(*outputs: str) -> None:
    """Refuse to write an edition over a file, even with --force."""
    for name in outputs:
        if name != "-" and Path(name).exists():
            raise UsageError(
                "exists, and an edition of the gold is never written over another; choose another"
                " name, such as one with the date",
                where=name,
            )


def gold_editions(data: DataSource) -> list[str]:
    """Return the editions of the gold that local data name; an endpoint is not asked."""
    query = f"SELECT DISTINCT ?e {{ ?s <{QALDGEN}goldEdition> ?e }} ORDER BY ?e"
    rows = data.select(query).rows if isinstance(data, LocalStore) else ()
    return [str(getattr(row[0], "value", "")) for row in rows]

"""The table of questions.

What each system gave, what was right, and the same for the page in short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from qaldgen.model import Answers
from qaldgen.runs.record import Response
from qaldgen.scoring.count_table import response_to
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.reports.page.contents import Report

_COUNTED = ("status", "tp", "fp", "fn", "precision", "recall", "f1")
COLUMNS = ("system", "id", "question", *_COUNTED, "gold", "given")
#: The outcome of a question, as the page marks it.
STATES = ("right", "partly", "wrong", "empty", "failed", "not asked")
#: Maximum number of values, and of characters, that the page shows of a list of answers.
MOST_ANSWERS, MOST_CHARACTERS = 25, 800


def question_table(gold: Gold, scored: Sequence[Scores], language: str = "en") -> pd.DataFrame:
    """Return one row for each question and system."""
    import pandas as pd

    by_id = {question.id: question for question in gold.questions.questions}
    names = scored[0].counts.index.tolist()
    counts = [one.counts.loc[names, list(_COUNTED)].to_numpy(object).tolist() for one in scored]
    rows = []
    for at, name in enumerate(names):
        question = by_id[name]
        text, expected = question.text(language), _lines(question.answers)
        for one, own in zip(scored, counts, strict=True):
            rows.append(
                (one.name, name, text, *own[at], expected, _given(response_to(question, one.run)))
            )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _lines(answers: Answers | None) -> str:
    text = "\n".join(value.replace("\n", " ") for value in answers.values()) if answers else ""
    return text.encode(
        "utf-8", "backslashreplace"
    ).decode()  # half a surrogate pair, which no file can hold


def _given(response: Response) -> str:
    """Return the answers, or what a linker found."""
    return _lines(response.answers) or "\n".join(
        mention.iri or mention.text for mention in response.mentions
    )


def answer_data(report: Report) -> dict[str, Any]:
    """Return questions and answers for the page.

    What is of a question once, then a list for each system.

    Long lists of answers are cut, and say so. ``states`` are places in `STATES`; ``given`` are
    places in ``texts``, where each answer stands once, since systems often give the same.
    """
    table = report.questions
    once = table.drop_duplicates("id")
    ids = [str(name) for name in once["id"]]
    texts, given_at = _listed_once(in_short(given) for given in table["given"])
    by_system: dict[str, list[int]] = {}
    for row, system in enumerate(table["system"].tolist()):
        by_system.setdefault(str(system), []).append(row)
    answers = []
    for system in report.systems:
        rows = by_system[system]
        own = table.iloc[rows]
        values = report.question_scores[system].loc[own["id"].tolist()].tolist()
        states = [_state(*row) for row in own[["status", "f1"]].itertuples(index=False)]
        answers.append({
            "states": states,
            "values": [None if value != value else round(float(value), 4) for value in values],
            **{
                name: [round(float(value), 4) for value in own[name]]
                for name in ("precision", "recall", "f1")
            },
            **{name: [int(value) for value in own[name]] for name in ("tp", "fp", "fn")},
            "status": own["status"].tolist(),
            "given": [given_at[row] for row in rows],
        })  # fmt: skip
    return {
        "ids": ids,
        "questions": once["question"].tolist(),
        "gold": [in_short(gold) for gold in once["gold"]],
        "queries": [report.queries.get(name, "") for name in ids],
        "states": list(STATES),
        "answers": answers,
        "texts": texts,
    }


def _state(status: str, f1: float) -> int:
    """Return what became of an answer, as a place in `STATES`."""
    if status in {"failed", "timeout"}:
        return STATES.index("failed")
    if status not in {"answered", "empty"}:
        return STATES.index("not asked")
    if f1 >= 1.0:
        return STATES.index("right")
    if f1 > 0.0:
        return STATES.index("partly")
    return STATES.index("empty" if status == "empty" else "wrong")


def _listed_once(values: Iterable[str]) -> tuple[list[str], list[int]]:
    """Return the different values, and the place of each value among them."""
    places: dict[str, int] = {}
    at = [places.setdefault(value, len(places)) for value in values]
    return list(places), at


def in_short(lines: str) -> str:
    r"""Return answers, one a line, as a page can hold them.

    >>> in_short("\n".join(str(number) for number in range(100))).splitlines()[-2:]
    ['24', '… 100 answers in all']
    """
    values = lines.split("\n") if lines else []
    text = "\n".join(values[:MOST_ANSWERS])
    cut = text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"
    return cut if len(values) <= MOST_ANSWERS else f"{cut}\n… {len(values):,} answers in all"

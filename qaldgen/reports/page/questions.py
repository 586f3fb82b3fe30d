"""The table of questions: what each system gave, what was right, and the same for the page in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.model import Answers
from qaldgen.runs.record import Response
from qaldgen.scoring.frame import response_to
from qaldgen.scoring.gold import Gold
from qaldgen.scoring.score import Scores

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.reports.page.build import Report

_COUNTED = ("status", "tp", "fp", "fn", "precision", "recall", "f1")
COLUMNS = ("system", "id", "question", *_COUNTED, "gold", "given")
#: Of long lists of answers the page holds no more values, and no more characters.
MOST_ANSWERS, MOST_CHARACTERS = 25, 800


def question_table(gold: Gold, scored: Sequence[Scores], language: str = "en") -> pd.DataFrame:
    """Return one row for each question and system, with the columns `COLUMNS`.

    ``gold`` and ``given`` hold one answer a line.
    """
    import pandas as pd

    by_id = {question.id: question for question in gold.questions.questions}
    names = scored[0].counts.index.tolist()
    counts = [one.counts.loc[names, list(_COUNTED)].to_numpy(object).tolist() for one in scored]
    rows = []
    for at, name in enumerate(names):
        question = by_id[name]
        text, expected = question.text(language), _lines(question.answers)
        for one, own in zip(scored, counts, strict=True):
            rows.append((one.name, name, text, *own[at], expected, _given(response_to(question, one.run))))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _lines(answers: Answers | None) -> str:
    text = "\n".join(value.replace("\n", " ") for value in answers.values()) if answers else ""
    return text.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair, which no file can hold


def _given(response: Response) -> str:
    """Return the answers, or what a linker found."""
    return _lines(response.answers) or "\n".join(mention.iri or mention.text for mention in response.mentions)


def page_data(report: Report) -> dict[str, object]:
    """Return the questions for the page: texts and gold answers once, then one row for each question and system.

    Long lists of answers are cut, and say so.
    """
    table = report.questions
    once = table.drop_duplicates("id")
    asked = list(zip(*(once[name].tolist() for name in ("id", "question", "gold")), strict=True))
    position = {name: at for at, (name, _, _) in enumerate(asked)}
    system = {name: at for at, name in enumerate(report.systems)}
    fields = ("id", "system", "status", "given", "tp", "fp", "fn", "precision", "recall", "f1")
    columns = [table[name].tolist() for name in fields]  # a column of texts is slow to walk through
    rows = [
        [position[name], system[one], status, *(round(value, 4) for value in values), in_short(given)]
        for name, one, status, given, *values in zip(*columns, strict=True)
    ]
    return {
        "systems": list(report.systems),
        "questions": [[str(name), text, in_short(gold)] for name, text, gold in asked],
        "rows": rows,
        "slices": [
            [one.name, [position[name] for name in one.ids if name in position]]
            for group in report.slices.values()
            for one in group
        ],
    }


def in_short(lines: str) -> str:
    r"""Return answers, one a line, as a page can hold them.

    Examples
    --------
    >>> in_short("\n".join(str(number) for number in range(100))).splitlines()[-2:]
    ['24', '… 100 answers in all']
    """
    values = lines.split("\n") if lines else []
    text = "\n".join(values[:MOST_ANSWERS])
    cut = text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"
    return cut if len(values) <= MOST_ANSWERS else f"{cut}\n… {len(values):,} answers in all"

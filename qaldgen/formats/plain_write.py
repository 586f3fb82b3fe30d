"""Write questions as CSV or JSON Lines; `plain.read_plain` reads them back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from qaldgen.errors import DataError
from qaldgen.formats.answers_json import Json, whole_answers_json
from qaldgen.io.text import dump_csv
from qaldgen.model import Answers, Question

#: IRIs and words that no reader misreads: without bars, brackets, quotes, digits, commas.
_WEB = re.compile(r"https?://[^\s|\\\"\x00]+")
_WORDS = re.compile(r"[^\W\d_][^\W\d_]+(?:[ '\u2019.-][^\W\d_]+)*")
_MISREAD = frozenset({"true", "false", "yes", "no", "na", "nan", "null", "none"})
#: Readers do not accept a file with this character as text.
_NUL = "\x00"
#: A line of CSV ends at these, and a header has only one line.
_BREAKS = str.maketrans({"\n": r"\n", "\r": r"\r", "\t": r"\t"})


def plain_record(question: Question, language: str, form: str) -> dict[str, Json]:
    """Return the fields of a question for a table or for JSON Lines.

    >>> from qaldgen.model import Cell
    >>> rows = ((Cell("uri", "http://x.org/a"),), (Cell("uri", "http://x.org/b"),))
    >>> question = Question("7", {"en": ("Who?",)}, answers=Answers(variables=("x",), rows=rows))
    >>> plain_record(question, "en", "csv")["answers"]
    'http://x.org/a|http://x.org/b'
    """
    return {
        "id": question.id,
        "text": question.text(language),
        "language": _language_of(question, language),
        "sparql": question.sparql,
        "answers": _answers(question, form),
        "answer_type": question.answer_type,
    }


def _language_of(question: Question, language: str) -> str:
    """Return the language of the text that is written; empty if there is no text."""
    return next(
        (tag for tag in (language, *question.texts) if any(question.texts.get(tag, ())[:1])), ""
    )


def _answers(question: Question, form: str) -> Json:
    """Return the answers as a list (CSV: separated by bars), or JSON if they could be misread."""
    answers = question.answers
    if answers is None:
        return "" if form == "csv" else None
    values = _plain_values(answers, queried=bool(question.sparql))
    if values is None:
        whole = whole_answers_json(answers)
        return json.dumps(whole, ensure_ascii=False) if form == "csv" else whole
    return ("|".join(values) or "[]") if form == "csv" else values


def _plain_values(answers: Answers, *, queried: bool) -> list[str] | None:
    """Return the bare values of answers, or None if reading them back would lose something.

    They suffice for no answers, a boolean, IRIs, and, without a query, single words.
    """
    values = answers.values()
    # bare values would lose what GERBIL reads
    if answers.gerbil is not None:
        return None
    if answers.boolean is not None or not values:
        return values
    cells = [cell for row in answers.rows for cell in row]
    iris = (
        len(answers.variables) == 1
        and not answers.texts
        and all(cell is not None and cell.type == "uri" for cell in cells)
    )
    words = not cells and not queried and all(len(wordings) == 1 for wordings in answers.texts)
    simple = _WEB.fullmatch if iris else _is_simple
    return values if (iris or words) and all(map(simple, values)) else None


def _is_simple(word: str) -> bool:
    return _WORDS.fullmatch(word) is not None and word.lower() not in _MISREAD


def left_out_of_table(questions: Sequence[Question], language: str, form: str) -> list[str]:
    """Describe what the plain format cannot hold, and for how many questions."""
    written = [_language_of(question, language) for question in questions]
    cases = {
        "texts in other languages": sum(len(question.texts) > 1 for question in questions),
        "paraphrases": sum(
            len(q.texts.get(tag, ())) > 1 for q, tag in zip(questions, written, strict=True)
        ),
        "further queries": sum(len(set(question.queries.values())) > 1 for question in questions),
    }
    total = f"{len(questions):,}"
    found = [
        f".{form} holds one text and one query per question: {what} of {count:,} of {total}"
        " questions are left out; .json and .ttl keep them"
        for what, count in cases.items()
        if count
    ]
    silent = sum(not question.text(language) for question in questions)
    if silent:
        found.append(
            f"{silent:,} of {total} questions have no text in the "
            f"data; a reader of .{form} skips them"
        )
    return found


def dump_records(records: Iterable[Mapping[str, Json]], form: str) -> bytes:
    """Format records with the same fields as ``csv`` or ``jsonl``."""
    rows = list(records)
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8")
    header = [name.translate(_BREAKS) for name in (rows[0] if rows else ())]
    found = dump_csv(header, (row.values() for row in rows))
    if _NUL in found:
        raise DataError(
            "a text contains a NUL character, which a CSV file cannot hold; write .jsonl instead"
        )
    return found.encode("utf-8")

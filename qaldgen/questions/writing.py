"""Write questions: QALD JSON that strict loaders take, CSV and JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.spreadsheets import dump_csv
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.results_json import Json, answers_json, as_literals, whole_answers_json
from qaldgen.rdf.knowledge_graphs import graph_of_query
from qaldgen.sparql.grammar import NotSparqlError, parse

#: Our own keys in a question entry: knowledge graph to query, and the names of each text answer.
QUERIES, WORDINGS = "queries", "answer_wordings"
#: What a page shows, and so holds already.
_ON_PAGE = frozenset({"id", "question", "query", QUERIES})
#: IRIs and words that no reader misreads: without bars, brackets, quotes, digits, commas.
_WEB = re.compile(r"https?://[^\s|\\\"\x00]+")
_WORDS = re.compile(r"[^\W\d_][^\W\d_]+(?:[ '\u2019.-][^\W\d_]+)*")
_MISREAD = frozenset({"true", "false", "yes", "no", "na", "nan", "null", "none"})
#: Readers do not accept a file with this character as text.
_NUL = "\x00"
#: A line of CSV ends at these, and a header has only one line.
_BREAKS = str.maketrans({"\n": r"\n", "\r": r"\r", "\t": r"\t"})


def dump_qald(
    questions: Sequence[Question],
    name: str,
    metadata: str = "",
    extra: Mapping[str, Mapping[str, Json]] | None = None,
) -> bytes:
    """Format questions as QALD JSON."""
    _require_texts(questions)
    entries = [{**_entry(question), **(extra or {}).get(question.id, {})} for question in questions]
    return _dump(name, metadata, entries)


def dump_extended(
    questions: Sequence[Question], name: str, metadata: str = "", language: str = LANGUAGE
) -> bytes:
    """Format questions as extended QALD JSON."""
    _require_texts(questions)
    broken = [question.id for question in questions if not parses_as_query(question.sparql)]
    if broken:
        raise DataError(
            f"extended QALD JSON needs a SPARQL query that parses in every question; {len(broken)}"
            f" of {len(questions)} have none (first: {broken[0]}). Write QALD JSON (.json) instead"
        )
    entries: list[Json] = []
    for question in questions:
        entry: dict[str, Json] = {"id": question.id}
        if question.answer_type:
            entry["answertype"] = question.answer_type
        if question.flags:
            entry["metadata"] = dict(question.flags)
        tags = sorted(question.texts, key=lambda tag: tag == language)
        entry["language"] = [
            {**_wording(question, tag, text, "question"), "SPARQL": question.sparql}
            for tag, text in _texts(question, tags)
        ]
        entry["answers"] = None
        if question.answers is not None:
            entry["answers"] = answers_json(as_literals(question.answers))
        entries.append({"question": entry})
    return _dump(name, metadata, entries)


def _require_texts(questions: Sequence[Question]) -> None:
    without = [question.id for question in questions if not question.text()]
    if without:
        raise DataError(
            f"{len(without)} of {len(questions)} questions have no text (first: {without[0]}); QALD"
            " JSON needs qaldgen:text or schema:text in the data. Write .ttl or .csv instead"
        )


def _dump(name: str, metadata: str, entries: Sequence[Json]) -> bytes:
    """Write one question per line: a file that people can read, compare and search line by line."""
    dataset = {"id": name}
    if metadata:
        dataset["metadata"] = metadata
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    head = json.dumps(dataset, ensure_ascii=False)
    return f'{{"dataset": {head},\n"questions": [\n{lines}\n]}}\n'.encode()


def _entry(question: Question) -> dict[str, Json]:
    entry: dict[str, Json] = {"id": question.id}
    if question.answer_type:
        entry["answertype"] = question.answer_type
    entry.update(question.flags)
    entry["question"] = [
        _wording(question, tag, text, "string") for tag, text in _texts(question, question.texts)
    ]
    sparql = question.sparql
    entry["query"] = {}
    derived: dict[str, str] = {}
    if sparql:
        entry["query"] = {"sparql": sparql}
        derived[graph_of_query(sparql)] = sparql
    # our own key only where our reader would not derive them from the one query of the format
    if dict(question.queries) != derived:
        entry[QUERIES] = dict(question.queries)
    entry["answers"] = []
    if question.answers is not None:
        entry["answers"] = [answers_json(as_literals(question.answers))]
        if question.answers.texts:
            entry[WORDINGS] = [list(wordings) for wordings in question.answers.texts]
    return entry


def benchmark_entry(question: Question) -> dict[str, Json]:
    """Return what a page lacks to write a question as QALD JSON or as a row.

    ``answers`` is what a row says of them where that differs.
    """
    entry: dict[str, Json] = {
        "qald": {key: value for key, value in _entry(question).items() if key not in _ON_PAGE}
    }
    if question.answers is not None and question.answers.texts:
        entry["answers"] = whole_answers_json(question.answers)
    return entry


def _texts(question: Question, tags: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield tag and text of every paraphrase.

    The main one comes first for our readers, and again last for loaders that keep the last.
    """
    for tag in tags:
        wordings = question.texts[tag]
        if len(wordings) > 1:
            wordings += wordings[:1]
        yield from ((tag, text) for text in wordings)


def _wording(question: Question, tag: str, text: str, name: str) -> dict[str, Json]:
    wording: dict[str, Json] = {"language": tag, name: text}
    if question.keywords.get(tag):
        wording["keywords"] = question.keywords[tag]
    return wording


def left_out_of_extended(questions: Sequence[Question], language: str = LANGUAGE) -> list[str]:
    """Return notes on what extended QALD JSON cannot hold, with numbers of questions."""
    stated = [question.answers for question in questions if question.answers is not None]
    further = sum(any(len(wordings) > 1 for wordings in answers.texts) for answers in stated)
    queries = sum(len(set(question.queries.values())) > 1 for question in questions)
    tags = sum(len(question.texts) > 1 for question in questions)
    cases = {"variants of the answers": further, "queries for other knowledge graphs": queries}
    notes = [
        f"extended QALD JSON cannot hold {case}: {count:,} of {len(questions):,} questions lose"
        " them; .json keeps them"
        for case, count in cases.items()
        if count
    ]
    if tags:
        notes.append(
            f"of extended QALD JSON loaders read one language, the last, here {language!r}:"
            f" {tags:,} of {len(questions):,} questions have others too; `language` chooses"
            " another, and .json lets them choose"
        )
    return notes


def parses_as_query(sparql: str) -> bool:
    """Return whether a text is a query of SPARQL 1.1 as it stands."""
    try:
        parse(sparql)
    except NotSparqlError:
        return False
    return True


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
    for tag in (language, *question.texts):
        if any(question.texts.get(tag, ())[:1]):
            return tag
    return ""


def _answers(question: Question, form: str) -> Json:
    """Return the answers as a list (CSV: separated by bars), or JSON if they could be misread."""
    answers = question.answers
    table = form == "csv"
    if answers is None:
        return "" if table else None
    values = _plain_values(answers, queried=bool(question.sparql))
    if values is None:
        answers_json = whole_answers_json(answers)
        return json.dumps(answers_json, ensure_ascii=False) if table else answers_json
    if table:
        return "|".join(values) or "[]"
    return values


def _plain_values(answers: Answers, *, queried: bool) -> list[str] | None:
    """Return the bare values of answers, or None if reading them back would lose something.

    They suffice for no answers, a boolean, IRIs, and, without a query, single words.
    """
    values = answers.values()
    if answers.beside:
        return None
    if answers.boolean is not None or not values:
        return values
    cells = [cell for row in answers.rows for cell in row]
    if not answers.texts and len(answers.variables) == 1:
        iris = all(type(cell) is Cell and cell.type == "uri" for cell in cells)
        plain = iris and all(map(_WEB.fullmatch, values))
    elif cells or queried or any(len(wordings) != 1 for wordings in answers.texts):
        plain = False
    else:
        plain = all(map(_WORDS.fullmatch, values)) and _MISREAD.isdisjoint(map(str.lower, values))
    return values if plain else None


def left_out_of_table(questions: Sequence[Question], language: str, form: str) -> list[str]:
    """Describe what the plain format cannot hold, and for how many questions."""
    languages = [_language_of(question, language) for question in questions]
    cases = {
        "texts in other languages": sum(len(question.texts) > 1 for question in questions),
        "paraphrases": sum(
            len(q.texts.get(tag, ())) > 1 for q, tag in zip(questions, languages, strict=True)
        ),
        "further queries": sum(len(set(question.queries.values())) > 1 for question in questions),
    }
    total = f"{len(questions):,}"
    losses = [
        f".{form} holds one text and one query per question: {case} of {count:,} of {total}"
        " questions are left out; .json and .ttl keep them"
        for case, count in cases.items()
        if count
    ]
    silent = sum(not question.text(language) for question in questions)
    if silent:
        losses.append(
            f"{silent:,} of {total} questions have no text in the "
            f"data; a reader of .{form} skips them"
        )
    return losses


def dump_records(records: Iterable[Mapping[str, Json]], form: str) -> bytes:
    """Format records with the same fields as ``csv`` or ``jsonl``."""
    rows = list(records)
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8")
    header = [name.translate(_BREAKS) for row in rows[:1] for name in row]
    text = dump_csv(header, (row.values() for row in rows))
    if _NUL in text:
        raise DataError(
            "a text contains a NUL character, which a CSV file cannot hold; write .jsonl instead"
        )
    return text.encode("utf-8")

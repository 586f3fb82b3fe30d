"""Write questions as QALD JSON that strict loaders accept, as CSV and as JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io.csv_cells import dump_csv
from qaldgen.model import Answers, Cell, Question
from qaldgen.questions.listed_answers import has_longer_name
from qaldgen.questions.results_json import Json, answers_json, as_literals, whole_answers_json
from qaldgen.rdf.knowledge_graphs import graph_of_query
from qaldgen.sparql.grammar import NotSparqlError, parse

#: The key of qaldgen in an entry for the queries by knowledge graph.
QUERIES = "queries"
#: The key of qaldgen in an entry for the names of each text answer.
WORDINGS = "answer_wordings"
#: The keys of an entry that a page already contains.
_PAGE_KEYS = frozenset({"id", "question", "query", QUERIES})
#: IRIs and words that no reader misinterprets: without bars, brackets, quotes, digits, commas.
_PLAIN_IRI = re.compile(r"https?://[^\s|\\\"\x00]+")
_PLAIN_WORDS = re.compile(r"[^\W\d_][^\W\d_]+(?:[ '\u2019.-][^\W\d_]+)*")
_MISREAD_WORDS = frozenset({"true", "false", "yes", "no", "na", "nan", "null", "none"})
#: A character that readers do not accept in text files.
_NUL = "\x00"
#: Escapes for line breaks in a header of CSV, which has only one line.
_LINE_BREAKS = str.maketrans({"\n": r"\n", "\r": r"\r", "\t": r"\t"})


def dump_qald(
    questions: Sequence[Question],
    name: str,
    metadata: str = "",
    extra: Mapping[str, Mapping[str, Json]] | None = None,
) -> bytes:
    """Format questions as QALD JSON."""
    _require_texts(questions)
    entries = [{**_entry(question), **(extra or {}).get(question.id, {})} for question in questions]
    return _dump_document(name, metadata, entries)


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
    return _dump_document(name, metadata, entries)


def _require_texts(questions: Sequence[Question]) -> None:
    missing = [question.id for question in questions if not question.text()]
    if missing:
        raise DataError(
            f"{len(missing)} of {len(questions)} questions have no text (first: {missing[0]}); QALD"
            " JSON needs qaldgen:text or schema:text in the data. Write .ttl or .csv instead"
        )


def _dump_document(name: str, metadata: str, entries: Sequence[Json]) -> bytes:
    """Write one question per line, so that people can read, compare and search the lines."""
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
    # this key is only needed if the reader cannot derive the queries from the main query
    if dict(question.queries) != derived:
        entry[QUERIES] = dict(question.queries)
    entry["answers"] = []
    if question.answers is not None:
        entry["answers"] = [answers_json(as_literals(question.answers))]
        if question.answers.texts:
            entry[WORDINGS] = [list(wordings) for wordings in question.answers.texts]
    return entry


def benchmark_entry(question: Question) -> dict[str, Json]:
    """Return the fields that a page needs in addition to write a question as QALD JSON or as a row.

    ``answers`` are the answers for a row, if these differ.
    """
    entry: dict[str, Json] = {
        "qald": {key: value for key, value in _entry(question).items() if key not in _PAGE_KEYS}
    }
    if question.answers is not None and question.answers.texts:
        entry["answers"] = whole_answers_json(question.answers)
    return entry


def _texts(question: Question, tags: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield tag and text of every paraphrase.

    The main text comes first for qaldgen, and again last for loaders that keep only the last.
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
    gold = [question.answers for question in questions if question.answers is not None]
    n_variants = sum(any(len(wordings) > 1 for wordings in answers.texts) for answers in gold)
    n_queries = sum(len(set(question.queries.values())) > 1 for question in questions)
    cases = {"variants of the answers": n_variants, "queries for other knowledge graphs": n_queries}
    n_others = sum(len(question.texts) > 1 for question in questions)
    notes = [
        f"extended QALD JSON cannot hold {case}: {count:,} of {len(questions):,} questions lose"
        " them; .json keeps them"
        for case, count in cases.items()
        if count
    ]
    if n_others:
        notes.append(
            f"of extended QALD JSON loaders read one language, the last, here {language!r}:"
            f" {n_others:,} of {len(questions):,} questions have others too; `language` chooses"
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
        "answers": _answers_of_record(question, form),
        "answer_type": question.answer_type,
    }


def _language_of(question: Question, language: str) -> str:
    """Return the language of the text in a record; empty if there is no text."""
    for tag in (language, *question.texts):
        if any(question.texts.get(tag, ())[:1]):
            return tag
    return ""


def _answers_of_record(question: Question, form: str) -> Json:
    """Return the answers as a list (in CSV: separated by bars), or as JSON if that is ambiguous."""
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
    """Return the values of answers, or None if the answers cannot be read from them without loss.

    The values suffice for no answers, a boolean, IRIs, and, without a query, single words.
    """
    values = answers.values()
    if answers.beside:
        return None
    if answers.boolean is not None or not values:
        return values
    cells = [cell for row in answers.rows for cell in row]
    if not answers.texts and len(answers.variables) == 1:
        are_iris = all(type(cell) is Cell and cell.type == "uri" for cell in cells)
        return values if are_iris and all(map(_PLAIN_IRI.fullmatch, values)) else None
    if cells or queried or any(len(wordings) != 1 for wordings in answers.texts):
        return None
    are_words = all(map(_PLAIN_WORDS.fullmatch, values))
    # a list in which one text is part of another may be read as names of one answer
    if not are_words or has_longer_name(values):
        return None
    return values if _MISREAD_WORDS.isdisjoint(map(str.lower, values)) else None


def left_out_of_table(questions: Sequence[Question], language: str, form: str) -> list[str]:
    """Return notes on what the plain format cannot hold, with numbers of questions."""
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
    n_missing = sum(not question.text(language) for question in questions)
    if n_missing:
        losses.append(
            f"{n_missing:,} of {total} questions have no text in the "
            f"data; a reader of .{form} skips them"
        )
    return losses


def dump_records(records: Iterable[Mapping[str, Json]], form: str) -> bytes:
    """Format records with the same fields as ``csv`` or ``jsonl`` (`form`)."""
    rows = list(records)
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8")
    header = [name.translate(_LINE_BREAKS) for row in rows[:1] for name in row]
    text = dump_csv(header, (row.values() for row in rows))
    if _NUL in text:
        raise DataError(
            "a text contains a NUL character, which a CSV file cannot hold; write .jsonl instead"
        )
    return text.encode("utf-8")

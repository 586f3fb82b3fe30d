"""Read answers in QALD JSON and extended QALD JSON, more tolerantly than other evaluators."""

from __future__ import annotations

from itertools import chain

from qaldgen.answers.record import ParsedResponse, ParsedRun, Response, RunOptions, status_of
from qaldgen.answers.run_columns import has_answers
from qaldgen.io.notes import note
from qaldgen.io.text import sentences
from qaldgen.model import Answers
from qaldgen.questions.file_content import Content
from qaldgen.questions.gerbil import refusals
from qaldgen.questions.qald_json import read_entry
from qaldgen.questions.question_texts import exact_answer_type, language_tag
from qaldgen.questions.records import Fields, document_fields, drain, id_note

_NO_ID = "have no id, so they are all called 'null'"


def recognises_qald_answers(content: Content) -> bool:
    """Say whether this is QALD JSON: a list of ``questions``, not answered under another name."""
    entries = content.list_under("questions")
    if entries is None or recognises_extended_answers(content):
        return False
    records = [entry for entry in entries if isinstance(entry, dict)]
    names = frozenset(chain.from_iterable(records))
    return len(records) < len(entries) or "answers" in names or not has_answers(names)


def recognises_extended_answers(content: Content) -> bool:
    """Say whether this is extended QALD JSON: ``question`` of the first question is an object."""
    first = content.first_object_under("questions") or {}
    return isinstance(first.get("question"), dict)


def read_qald_answers(content: Content, options: RunOptions) -> ParsedRun:
    """Read QALD JSON: all elements of ``answers`` together; missing answers are empty ones."""
    return _read(content, options, extended=False)


def read_extended_answers(content: Content, options: RunOptions) -> ParsedRun:
    """Read extended QALD JSON; of several queries of a question the last counts."""
    return _read(content, options, extended=True)


def _read(content: Content, options: RunOptions, *, extended: bool) -> ParsedRun:
    responses: list[ParsedResponse] = []
    remarks: dict[str, list[str]] = {}
    for number, value in enumerate(drain(document_fields(content).values("questions")), 1):
        record = value
        if extended and isinstance(value, dict) and value.get("question") is not None:
            record = value["question"]
        place = f"question {number}{id_note(record, ['id', 'name'])}"
        fields = Fields(record, (str(content.path), place))
        odd: list[str] = []
        entry = read_entry(fields, options.language, extended=extended, odd=odd)
        name = entry.id or fields.scalar("name") or "null"
        if name == "null":
            odd.append(_NO_ID)
        for remark in dict.fromkeys(odd):
            remarks.setdefault(remark, []).append(name)
        answers = entry.answers or Answers()
        kind = exact_answer_type(entry.kind)
        response = Response(name, status_of(answers), answers, entry.query, kind)
        texts = [(language_tag(one.language), one.text) for one in entry.wordings if one.text]
        texts_in_language = [text for tag, text in texts if tag == language_tag(options.language)]
        first = next(iter([*texts_in_language, *(text for _, text in texts)]), "")
        responses.append(ParsedResponse(response, first))
    note(*sentences(remarks), *refusals(content.text))
    return ParsedRun(responses)

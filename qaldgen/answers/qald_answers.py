"""Read answers in QALD JSON and extended QALD JSON, more tolerantly than other evaluators."""

from __future__ import annotations

from itertools import chain

from qaldgen.answers.record import ParsedResponse, ParsedRun, Response, RunOptions, status_of
from qaldgen.answers.run_columns import has_answers
from qaldgen.io.notes import note
from qaldgen.io.text import remark_sentences
from qaldgen.model import Answers
from qaldgen.questions.collecting import drain
from qaldgen.questions.file_content import Content
from qaldgen.questions.gerbil import refusals
from qaldgen.questions.qald_json import read_entry
from qaldgen.questions.question_texts import exact_answer_type, language_tag
from qaldgen.questions.records import Fields, document_fields, id_note

_NO_ID = "have no id, so they are all called 'null'"


def recognises_qald_answers(content: Content) -> bool:
    """Return whether this is QALD JSON: ``questions`` without other fields for answers."""
    entries = content.list_under("questions")
    if entries is None or recognises_extended_answers(content):
        return False
    records = [entry for entry in entries if isinstance(entry, dict)]
    names = frozenset(chain.from_iterable(records))
    return len(records) < len(entries) or "answers" in names or not has_answers(names)


def recognises_extended_answers(content: Content) -> bool:
    """Return whether this is extended QALD JSON: the first ``question`` is an object."""
    entry = content.first_object_under("questions") or {}
    return isinstance(entry.get("question"), dict)


def read_qald_answers(
    content: Content, options: RunOptions, *, extended: bool | None = None
) -> ParsedRun:
    """Read QALD JSON or extended QALD JSON; by default, the format is recognised.

    In QALD JSON all items of ``answers`` are joined, and missing answers are empty. Of several
    queries to a question in extended QALD JSON, the last counts.
    """
    if extended is None:
        extended = recognises_extended_answers(content)
    responses: list[ParsedResponse] = []
    ids_by_remark: dict[str, list[str]] = {}
    language = language_tag(options.language)
    for number, record in enumerate(drain(document_fields(content).values("questions")), 1):
        if extended and isinstance(record, dict) and record.get("question") is not None:
            record = record["question"]
        location = f"question {number}{id_note(record, ['id', 'name'])}"
        fields = Fields(record, (str(content.path), location))
        remarks: list[str] = []
        entry = read_entry(fields, options.language, extended=extended, remarks=remarks)
        question_id = entry.id or fields.scalar("name") or "null"
        if question_id == "null":
            remarks.append(_NO_ID)
        for remark in dict.fromkeys(remarks):
            ids_by_remark.setdefault(remark, []).append(question_id)
        answers = entry.answers or Answers()
        type_name = exact_answer_type(entry.type_name)
        response = Response(question_id, status_of(answers), answers, entry.query, type_name)
        wordings = [wording for wording in entry.wordings if wording.text]
        # the texts in the language of the options come first
        wordings.sort(key=lambda wording: language_tag(wording.language) != language)
        responses.append(ParsedResponse(response, wordings[0].text if wordings else ""))
    note(*remark_sentences(ids_by_remark), *refusals(content.text))
    return ParsedRun(responses)

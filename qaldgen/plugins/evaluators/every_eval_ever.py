"""Instance records of Every Eval Ever (``*_samples.jsonl``): one line per question and metric."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qaldgen.answers.record import Response
from qaldgen.errors import DataError, UsageError
from qaldgen.options import Option
from qaldgen.plugins.evaluators.logs import (
    Log,
    Sample,
    bare_question,
    check_filter,
    flat_strings,
    make_readers,
    numeric_scores,
    parse_number,
    put_first,
    unique_names,
)
from qaldgen.questions.conversations import ANSWERING, conversation, last_said
from qaldgen.questions.file_content import Content
from qaldgen.questions.folders import Container
from qaldgen.questions.records import Fields, record_fields
from qaldgen.reports.tables.score_formats import ScoreFormat

if TYPE_CHECKING:
    from qaldgen.benchmark.gold import Gold
    from qaldgen.scoring.score import Scores

#: The version of the schema of instances that is written.
_VERSION = "0.3.0"
_LATE = re.compile("timeout|timed out", re.IGNORECASE)
_KEYS = frozenset({"evaluation_id", "model_id", "sample_id", "interaction_type", "evaluation"})


def recognises_every_eval_ever(content: Content) -> bool:
    """Return whether a content is instance records."""
    return content.kind in {"json", "jsonl"} and content.keys >= _KEYS


def read_every_eval_ever(content: Content, chosen_filter: str) -> Log:
    """Read the answers; the filter is an extraction method, a score to put first, or ``raw``."""
    records = list(record_fields(content, ["sample_id"]))
    models = list(dict.fromkeys(record.scalar("model_id") for record in records))
    if len(models) > 1:
        raise DataError(
            f"has the answers of {len(models)} models ({', '.join(models)}); "
            "write those of one to a file",
            where=content.path,
        )

    methods: list[str] = []
    metrics = []
    for record in records:
        methods += [entry.scalar("extraction_method") for entry in _attributions(record)]
        metrics.append(_metric(record))
    check_filter(chosen_filter, methods + metrics, "extraction or score", content)
    method = chosen_filter if chosen_filter in methods else ""

    lines_by_repeat = _group_by_repeat(records)
    repeated_ids = {question_id for question_id, number in lines_by_repeat if number > 1}
    samples = []
    for (question_id, number), lines in lines_by_repeat.items():
        # the lines of an answer differ in their scores only
        record = lines[0]
        source = record.nested("input")
        question: dict[str, object] = {
            "id": question_id,
            "question": bare_question(source.scalar("raw")),
            "answers": [list(flat_strings(source.data.get("reference")))],
        }
        choices = list(flat_strings(source.data.get("choices")))
        if choices:
            question["choices"] = choices

        reply = _read_reply(record, method)
        error = record.scalar("error")
        status = ""
        verdicts: tuple[tuple[str, float], ...] = ()
        if error and not reply:
            status = "timeout" if _LATE.search(error) else "failed"
        else:
            values = [
                (_metric(each), each.nested("evaluation").data.get("score")) for each in lines
            ]
            verdicts = put_first(numeric_scores(values), chosen_filter)

        seconds = parse_number(record.nested("performance").data.get("latency_ms"))
        if seconds is not None:
            seconds /= 1000
        sample = Sample(
            id=question_id,
            question=question,
            reply=reply,
            repeat=str(number) if question_id in repeated_ids else "",
            status=status,
            error=error,
            seconds=seconds,
            verdicts=verdicts,
        )
        samples.append(sample)

    return Log(samples, model=models[0] if models else "")


def _group_by_repeat(records: Sequence[Fields]) -> dict[tuple[str, int], list[Fields]]:
    """Return the lines of each answer by its question and number, which begins at 1.

    An answer with several scores has a line for each. A repeated score belongs to a further answer.
    """
    keys = [(each.required("sample_id"), each.nested("input").scalar("raw")) for each in records]
    ids = unique_names([(key, key[0]) for key in keys])
    counts: Counter[tuple[str, str]] = Counter()
    lines: dict[tuple[str, int], list[Fields]] = {}
    for key, record in zip(keys, records, strict=True):
        question_id = ids[key]
        metric = _metric(record)
        counts[question_id, metric] += 1
        lines.setdefault((question_id, counts[question_id, metric]), []).append(record)
    return lines


def _metric(record: Fields) -> str:
    """Return the name of the score in a line."""
    return record.scalar("evaluation_result_id") or record.scalar("evaluation_name") or "score"


def _attributions(record: Fields) -> list[Fields]:
    """Return the extractions of the answer, with the final one first."""
    location = (*record.where, "answer_attribution")
    entries = [entry for entry in record.values("answer_attribution") if isinstance(entry, dict)]
    entries.sort(key=lambda entry: entry.get("is_terminal") is not True)
    return [Fields(entry, location) for entry in entries]


def _read_reply(record: Fields, method: str) -> str:
    """Return the answer that a method extracted, or without a method the reply."""
    if method:
        for entry in _attributions(record):
            if entry.scalar("extraction_method") == method:
                return entry.scalar("extracted_value")
        return ""
    if record.data.get("output"):
        return next(flat_strings(record.nested("output").data.get("raw")), "")
    return last_said(conversation(record.data.get("messages")), ANSWERING)


def write_instances(
    gold: Gold, scored: Sequence[Scores], *, model: str = "", evaluation: str = ""
) -> bytes:
    """Return the instance records of a run, with the F1 of each question as its score."""
    if len(scored) != 1:
        raise UsageError(f"instance records are of one run; {len(scored)} are given, name one")
    scores = scored[0]

    name = gold.questions.name
    time = datetime.datetime.now(datetime.timezone.utc).timestamp()
    model = model or scores.run.system or f"unknown/{scores.name}"
    common_fields = {
        "schema_version": _VERSION,
        "evaluation_id": evaluation or f"{name}/{model.replace('/', '_')}/{time:.0f}",
        "model_id": model,
        "evaluation_name": f"{name}, F1 ({scores.match})",
    }

    rows = []
    for question in gold.questions:
        if question.id not in scores.counts.index:
            continue

        score = float(scores.counts["f1"][question.id])
        response = scores.run.responses.get(question.id, Response(question.id, "not asked"))
        answers = response.given.values()

        row = {
            **common_fields,
            "sample_id": question.id,
            "interaction_type": "single_turn",
            "input": {
                "raw": question.text(scores.rules.language),
                "reference": question.gold.values(),
            },
            "output": {"raw": [response.call.raw or "; ".join(answers)]},
            "answer_attribution": [{
                "turn_idx": 0, "source": "output.raw", "extracted_value": "; ".join(answers),
                "extraction_method": scores.match, "is_terminal": True,
            }],
            "evaluation": {"score": score, "is_correct": score == 1},
        }  # fmt: skip

        if response.seconds is not None:
            row["performance"] = {"latency_ms": 1000 * response.seconds}
        if not answers:
            row["error"] = response.error or response.status
        rows.append(row)

    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


INSTANCES = ScoreFormat(
    write_instances,
    "instance records of Every Eval Ever (a *_samples.jsonl)",
    (
        Option("model", "", "model of the run as developer/name"),
        Option("evaluation", "", "evaluation_id of the record with the means, beside the file"),
    ),
)
QUESTIONS, ANSWERS = make_readers(
    recognises_every_eval_ever,
    read_every_eval_ever,
    "Every Eval Ever: instance records (*_samples.jsonl)",
)
CONTAINER = Container("with one log", ("*_samples.jsonl",))

"""inspect_ai: its logs, a JSON document or a zip (.eval), its tasks and subsets of tasks."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from qaldgen.benchmark.benchmark import Benchmark, ExportFormat, ExportOptions
from qaldgen.errors import DataError
from qaldgen.io.json_text import member
from qaldgen.io.notes import note
from qaldgen.plugins.evaluators.eval_archive import HEADER, START, read_eval_log
from qaldgen.plugins.evaluators.logs import (
    ALL_ANSWERS,
    RAW,
    Log,
    Sample,
    check_filter,
    choice_text,
    flat_strings,
    gold_texts,
    make_readers,
    mean_scores,
    message_text,
    numeric_scores,
    parse_number,
    put_first,
    safe_metadata,
)
from qaldgen.plugins.evaluators.tasks import task_form
from qaldgen.questions.choices import match_choices, read_choices
from qaldgen.questions.conversations import content_text
from qaldgen.questions.file_content import Content
from qaldgen.questions.folders import Container
from qaldgen.questions.records import Fields, scalar_text
from qaldgen.questions.values import Choices

#: Wildcards in the patterns of inspect_ai.
_GLOB = re.compile(r"[\[*?]")
#: The versions of the format that this reader knows.
_VERSIONS = frozenset({"1", "2"})
#: Marks a text that is kept among the attachments.
_ATTACHED = "attachment://"
#: Limits of time, as opposed to limits of tokens or messages.
_TIME_LIMITS = frozenset({"time", "working"})
#: The phrases of notes by the status of an evaluation.
_STATUS_PHRASES = {
    "error": "broke off with an error",
    "cancelled": "was cancelled",
    "started": "did not come to its end",
}
#: The phrases of notes by the reason why a reply stopped.
_STOP_PHRASES = {
    "max_tokens": "were cut off at the limit of tokens",
    "content_filter": "were stopped by a content filter",
}


def recognises_inspect(content: Content) -> bool:
    """Return whether a content is a log of inspect_ai, complete or interrupted."""
    document = content.document
    return (
        isinstance(document, dict)
        and isinstance(document.get("eval"), dict)
        and {"version", "samples"} <= document.keys()
    )


def read_inspect(content: Content, chosen_filter: str) -> Log:
    """Read the answers of a log."""
    document = Fields(content.document, (str(content.path),))
    entries = [
        Fields(entry, (str(content.path), f"sample {number}"))
        for number, entry in enumerate(document.values("samples"), 1)
    ]
    if not entries:
        raise DataError(
            "holds no samples; it was written with --no-log-samples, or nothing was asked yet",
            where=content.path,
        )

    # logs sort samples by id as text; here they get the order of the data set
    ids = flat_strings(document.nested("eval").nested("dataset").data.get("sample_ids"))
    index_by_id = {question_id: index for index, question_id in enumerate(ids)}
    entries.sort(key=lambda entry: index_by_id.get(entry.required("id"), len(index_by_id)))

    scorers: list[str] = []
    for entry in entries:
        scorers += entry.nested("scores").data
    check_filter(chosen_filter, scorers, "scorer", content)
    scorer = "" if chosen_filter == RAW else chosen_filter

    # the first entry of a question says what it is, also for its repeats
    questions: dict[str, tuple[dict[str, object], Choices]] = {}
    has_repeats = any(entry.scalar("epoch") not in {"", "1"} for entry in entries)
    samples = []
    for entry in entries:
        question_id = entry.required("id")
        if question_id not in questions:
            questions[question_id] = _read_question(entry)
        question, choices = questions[question_id]
        sample = _read_answer(entry, question, choices, scorer)
        if has_repeats:
            sample = sample._replace(repeat=entry.scalar("epoch"))
        samples.append(sample)

    model = document.nested("eval").scalar("model")
    return Log(samples, list(_describe_run(document, entries, samples)), model)


def _read_question(entry: Fields) -> tuple[dict[str, object], Choices]:
    """Return the question of a logged sample as a record of our own format, and its choices."""
    choices = read_choices(entry.data.get("choices"))
    metadata = entry.data.get("metadata")
    fields = dict(metadata) if isinstance(metadata, dict) else {}
    all_answers = fields.pop(ALL_ANSWERS, None)

    target = gold_texts(entry.data.get("target"))
    if choices.texts and all(len(text) == 1 for text in target):
        # a target of single letters names choices
        target = list(match_choices(target, choices)) or target
    if isinstance(all_answers, list) and all_answers:
        answers = [gold_texts(answer) for answer in all_answers]
    else:
        answers = [target] if target else []

    record = {
        **safe_metadata(fields),
        "id": entry.required("id"),
        "question": _resolve_attachment(entry, message_text(entry.data.get("input"))),
    }
    if answers:
        record["answers"] = answers
    if choices.texts:
        record["choices"] = list(choices.texts)
    return record, choices


def _read_answer(
    entry: Fields, question: dict[str, object], choices: Choices, scorer: str
) -> Sample:
    """Return the answer in a logged sample: what the scorer extracted, or else the whole reply.

    A sample that failed has a status and an error, and neither a reply nor scores.
    """
    first_choice = _first_choice(entry)
    completion = entry.nested("output").data.get("completion")
    if scorer:
        answer = entry.nested("scores").nested(scorer).data.get("answer")
        reply = next(flat_strings(answer), "")
    elif isinstance(completion, str) and completion:
        reply = _resolve_attachment(entry, completion)
    else:
        # the message has the reply without the reasoning before it
        content = content_text(member(member(first_choice, "message"), "content"))
        reply = _resolve_attachment(entry, content)

    status = ""
    message = ""
    error = entry.nested("error")
    limit = entry.nested("limit")
    if error.data:
        status = "failed"
        message = error.scalar("message") or "the sample has an error without a message"
    elif limit.data and not reply:
        limit_type = limit.scalar("type")
        status = "timeout" if limit_type in _TIME_LIMITS else "failed"
        message = f"stopped by the limit of {limit_type} ({limit.scalar('limit')})"

    verdicts: tuple[tuple[str, float], ...] = ()
    if status:
        reply = ""
    else:
        reply = choice_text(reply, choices)
        verdicts = put_first(numeric_scores(_read_scores(entry)), scorer)

    # the confidence is the mean log-probability of the tokens, where they are logged
    confidence = None
    tokens = member(member(first_choice, "logprobs"), "content") or ()
    values = [member(token, "logprob") for token in tokens]
    numbers = [value for value in values if isinstance(value, (int, float))]
    if numbers:
        confidence = math.fsum(numbers) / len(numbers)
    return Sample(
        id=entry.required("id"),
        question=question,
        reply=reply,
        status=status,
        error=message,
        seconds=parse_number(entry.data.get("working_time", entry.data.get("total_time"))),
        verdicts=verdicts,
        confidence=confidence,
    )


def _first_choice(entry: Fields) -> object:
    """Return the first of the alternative replies of the model; None without one."""
    choices = entry.nested("output").values("choices")
    return choices[0] if choices else None


def _read_scores(entry: Fields) -> Iterator[tuple[str, object]]:
    """Yield names and values of scores; each part of a score has a name of its own."""
    for name, score in entry.nested("scores").data.items():
        value = score.get("value") if isinstance(score, dict) else score
        if not isinstance(value, dict):
            yield name, value
            continue
        for part in value:
            yield f"{name}/{part}" if part else name, value[part]


def _resolve_attachment(entry: Fields, text: str) -> str:
    """Return a text, or the attachment that it refers to, as long texts do."""
    attachments = entry.data.get("attachments")
    if not text.startswith(_ATTACHED) or not isinstance(attachments, dict):
        return text
    attachment = attachments.get(text.removeprefix(_ATTACHED))
    return attachment if isinstance(attachment, str) else text


def _describe_run(
    document: Fields, entries: Sequence[Fields], samples: Sequence[Sample]
) -> Iterator[str]:
    """Yield notes on the version of a log, and on its missing, failed and cut-off samples."""
    version = document.scalar("version")
    if version not in _VERSIONS:
        yield (
            f"is a log of version {version!r}, which this reader does not know; it is read as"
            " version 2"
        )

    run = document.nested("eval")
    epochs = run.nested("config").scalar("epochs")
    n_expected = len(run.nested("dataset").values("sample_ids"))
    if epochs.isdecimal():
        n_expected *= int(epochs)
    if n_expected == 0:  # the log does not name its samples
        n_expected = len(samples)
    status = document.scalar("status")
    if status not in {"success", ""} or len(samples) < n_expected:
        phrase = _STATUS_PHRASES.get(status, "ended early")
        yield f"the evaluation {phrase}: {len(samples):,} of {n_expected:,} samples are there"

    statuses = Counter(sample.status for sample in samples if sample.status)
    if statuses:
        counts = " and ".join(f"{count:,} {name}" for name, count in statuses.items())
        sentence = f"{counts} of {len(samples):,} samples count as wrong answers here"
        means = ", ".join(f"{name} {mean:.3f}" for name, mean in mean_scores(samples).items())
        if means:
            sentence += f"; its own scores are over the others ({means})"
        yield sentence

    choices = map(_first_choice, entries)
    stop_reasons = Counter(scalar_text(member(choice, "stop_reason")) for choice in choices)
    for reason, text in _STOP_PHRASES.items():
        if stop_reasons[reason]:
            yield f"{stop_reasons[reason]:,} of {len(samples):,} replies {text}"


def write_ids(benchmark: Benchmark, _: ExportOptions) -> bytes:
    """Return the value of ``inspect eval --sample-id``: ids, as patterns between commas."""
    # commas separate ids, so one in an id becomes ?; other ids that match are not scored later
    patterns = [_GLOB.sub(r"[\g<0>]", question.id) for question in benchmark.questions]
    note('inspect eval TASK --sample-id "$(cat FILE)"')
    return ",".join(pattern.replace(",", "?") for pattern in patterns).encode() + b"\n"


QUESTIONS, ANSWERS = make_readers(
    recognises_inspect, read_inspect, "inspect_ai: logs as .eval or .json"
)
CONTAINER = Container("with one log", ("*.eval",), members=(HEADER, START), unpack=read_eval_log)
TASK = task_form(
    ".inspect", "A task of inspect_ai, `{}` in `task.py`.", {"task.py": "inspect_task.py.txt"}, repr
)
SUBSET = ExportFormat(".inspect-ids.txt", write_ids)

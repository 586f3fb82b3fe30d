"""lm-evaluation-harness: its logs (``--log_samples``), tasks and subsets of tasks."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from qaldgen.benchmark.benchmark import Benchmark, ExportFormat, ExportOptions
from qaldgen.errors import DataError
from qaldgen.io.inputs import is_file
from qaldgen.io.json_text import from_json
from qaldgen.io.notes import collecting, note
from qaldgen.io.unpacking import read_text
from qaldgen.plugins.evaluators.logs import (
    RAW,
    Log,
    Sample,
    bare_question,
    check_filter,
    choice_text,
    flat_strings,
    gold_texts,
    make_readers,
    message_text,
    numeric_scores,
    put_first,
    safe_metadata,
    unique_names,
)
from qaldgen.plugins.evaluators.tasks import task_form
from qaldgen.questions.choices import read_choices
from qaldgen.questions.column_values import first_filled
from qaldgen.questions.columns import Columns, find_columns
from qaldgen.questions.fields import ROLE_NAMES, normalize_name
from qaldgen.questions.file_content import Content
from qaldgen.questions.folders import Container
from qaldgen.questions.rdf_questions import DOCUMENT_INDEX
from qaldgen.questions.records import Fields, flat_texts, scalar_text
from qaldgen.questions.values import Choices
from qaldgen.questions.worked_solutions import RESULT

_TRUTHS = frozenset({"true", "false"})
#: The filtered reply if the regular expression of the filter does not match.
_NO_MATCH = "[invalid]"
#: The fields of a line that are not scores.
_FIELDS = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash", "token_counts", "success", "input",
})  # fmt: skip
_PERPLEXITY = frozenset({"word_perplexity", "byte_perplexity", "bits_per_byte"})
#: The fields of the file with the mean scores.
_MEANS = frozenset({"results", "configs", "n-samples"})
#: The names of ids, without those of mere row numbers.
_IDS = [name for name in ROLE_NAMES["id"] if name not in {"", "unnamed0", "idx", "index"}]


class Line(NamedTuple):
    """A line of the log."""

    id: str  # the id of the question
    document_index: str  # the index of the document in the task
    #: The filter, or the number of the line for this document if the log names no filters.
    filter: str
    document: Mapping[str, object]  # the document of the task
    target: tuple[str, ...]  # the accepted answers
    #: The replies of the model, and the same after the filter.
    replies: tuple[str, ...] = ()
    filtered_replies: tuple[str, ...] = ()
    likeliest: int | None = None  # the index of the most likely choice; None without likelihoods
    choices: tuple[str, ...] = ()  # the choices whose likelihoods were compared
    prompt: str = ""  # the prompt of the model
    verdicts: tuple[tuple[str, float], ...] = ()  # the scores in the line
    #: The probability of the most likely choice among the choices.
    confidence: float | None = None


class Requests(NamedTuple):
    """The requests for a document: the first prompt, and the continuations that were compared."""

    prompt: object  # a text, or messages
    choices: tuple[str, ...]


def parse_requests(arguments: object) -> Requests:
    """Return the prompt and the continuations in the ``arguments`` of a line.

    These are an object ``{"gen_args_0": {"arg_0": prompt, "arg_1": continuation}, ...}``, or in
    older logs a list of lists. If the choices are asked for a second time without the question
    (mutual information), the second round is left out.

    >>> parse_requests([["Tea or coffee?", " tea"], ["Tea or coffee?", " coffee"]])
    Requests(prompt='Tea or coffee?', choices=('tea', 'coffee'))
    """
    requests: list[list[object]] = []
    if isinstance(arguments, dict):
        for argument in arguments.values():
            values = list(argument.values()) if isinstance(argument, dict) else [argument]
            requests.append(values)
    elif isinstance(arguments, list):
        requests = [request for request in arguments if isinstance(request, list)]
        if arguments and not requests:
            requests = [arguments]
    texts = [request[1] for request in requests if len(request) > 1]
    endings = tuple(text.strip() for text in texts if isinstance(text, str))
    # the two rounds of mutual information have the same continuations
    half = len(endings) // 2
    if half and endings[:half] == endings[half:]:
        endings = endings[:half]
    prompt = requests[0][0] if requests and requests[0] else ""
    return Requests(prompt, endings)


def likelihoods(value: object) -> list[tuple[float, bool]]:
    """Return the log-likelihoods of continuations and whether each is greedy; none for texts.

    >>> likelihoods([["-0.9", "False"], ["-0.4", "True"]]), likelihoods([["text"]])
    ([(-0.9, False), (-0.4, True)], [])
    """
    if not isinstance(value, list):
        return []

    pairs = []
    for item in value:
        while isinstance(item, list) and item and isinstance(item[0], list):  # repeats
            item = item[0]
        if not isinstance(item, list) or len(item) != 2:
            return []
        greedy_text = scalar_text(item[1]).lower()
        if greedy_text not in _TRUTHS:
            return []

        try:
            likelihood = -math.inf if item[0] is None else float(item[0])
        except (TypeError, ValueError, OverflowError):
            return []
        is_known = not math.isnan(likelihood)
        pairs.append((likelihood if is_known else -math.inf, greedy_text == "true"))
    return pairs


def likeliest_choice(pairs: Sequence[tuple[float, bool]], choices: Sequence[str]) -> int:
    """Return the index of the most likely choice, the first of equals.

    It is the number of choices if none is likely, or if the only choice is not greedy.
    """
    if len(choices) < 2:
        return 0 if pairs and pairs[0][1] else 1
    values = [likelihood for likelihood, _ in pairs][: len(choices)]
    if max(values, default=-math.inf) == -math.inf:
        return len(choices)
    return values.index(max(values))


def probability_of_best(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return the probability of the most likely of several continuations; None for fewer.

    >>> probability_of_best([(-1.0, False), (-1.0, False)])
    0.5
    """
    values = [likelihood for likelihood, _ in pairs]
    if len(values) < 2 or max(values) == -math.inf:
        return None
    return 1 / math.fsum(math.exp(value - max(values)) for value in values)


def question_records(lines: Sequence[Line]) -> dict[str, tuple[dict[str, object], Choices]]:
    """Return each question by id, as a record of our own format with its choices.

    The question and gold answers of the document are preferred; if it has none in known fields, the
    prompt and the target replace them. For multiple choice by likelihood, the target says which
    choice is right.
    """
    documents = [dict(line.document) for line in lines]
    for document in documents:
        answer = document.get("answer")
        if isinstance(answer, str) and RESULT in answer:  # a solution of GSM8K
            document["answer"] = answer.rpartition(RESULT)[2].strip()
    by_text = _targets_are_texts(lines)
    columns = find_columns(documents)
    if not columns.hold_questions:
        note("the documents have no known field with the question; the prompts are taken for it")
    return {
        line.id: _make_record(line, document, columns, by_text=by_text)
        for line, document in zip(lines, documents, strict=True)
    }


def _targets_are_texts(lines: Sequence[Line]) -> bool:
    """Return whether a target such as "1" is the text of a choice rather than its index.

    The log's accuracies decide: they agree with the one reading more often than with the other.
    """
    n_agreeing = {True: 0, False: 0}
    for line in lines:
        accuracy = dict(line.verdicts).get("acc")
        if accuracy is None or line.likeliest is None:
            continue
        for by_text in n_agreeing:
            is_correct = line.likeliest in correct_choices(
                line.target, line.choices, by_text=by_text
            )
            if is_correct == (accuracy == 1.0):
                n_agreeing[by_text] += 1
    return n_agreeing[True] > n_agreeing[False]


def _make_record(
    line: Line, document: dict[str, object], columns: Columns, *, by_text: bool
) -> tuple[dict[str, object], Choices]:
    """Return the question of a line as a record of our own format, and its choices."""
    column = first_filled(document, columns.question)
    listed = Choices(())
    if len(columns.choices) == 1:
        listed = read_choices(document.get(columns.choices[0]))

    # a document with question and gold in fields that our reader knows is kept as it is
    has_gold = columns.gold or columns.variants or listed.texts
    if not line.choices and column is not None and has_gold:
        id_column = columns.single.get("id")
        fields = {name: value for name, value in document.items() if name != id_column}
        return {**fields, "id": line.id}, listed

    question = "" if column is None else " ".join(flat_texts(document[column]))
    record: dict[str, object] = {"id": line.id, "question": question or bare_question(line.prompt)}
    for name, value in safe_metadata(document).items():
        if name not in columns.question:
            record.setdefault(name, value)
    if not line.choices:
        if line.target:
            record["answers"] = [list(line.target)]
        return record, listed

    choices = Choices(line.choices)
    only_letters = all(len(text) < 3 for text in line.choices)
    if only_letters and len(listed.texts) == len(line.choices) and min(map(len, listed.texts)) > 2:
        # the letters that were compared are the labels of the document's choices
        choices = Choices(listed.texts, line.choices)
    record["choices"] = list(choices.texts)
    correct = correct_choices(line.target, line.choices, by_text=by_text)
    if correct:
        record["answers"] = [[choices.texts[index] for index in correct]]
    return record, choices


def correct_choices(
    target: Sequence[str], choices: Sequence[str], *, by_text: bool = False
) -> list[int]:
    """Return the indices of the choices that a target names, by their indices or their texts.

    Where the target cannot be read in one of these ways, it is read in the other.

    >>> correct_choices(["1"], ["tea", "coffee"]), correct_choices(["tea"], ["tea", "coffee"])
    ([1], [0])
    >>> correct_choices(["1"], ["1", "2"]), correct_choices(["1"], ["1", "2"], by_text=True)
    ([1], [0])
    """
    by_index = [int(text) for text in target if text.isdecimal() and int(text) < len(choices)]
    by_wording = [choices.index(text) for text in target if text in choices]
    if by_text:
        return by_wording if len(by_wording) == len(target) else by_index
    return by_index if len(by_index) == len(target) else by_wording


def recognises_lm_eval(content: Content) -> bool:
    """Return whether a content is samples of lm-evaluation-harness, in files or from its API."""
    keys = content.keys
    if content.kind in {"json", "jsonl"} and isinstance(content.document, dict):
        if content.kind == "json" and keys >= _MEANS:
            return True
        if "doc_id" not in keys:
            rows = next(iter(_samples_by_task(content.document).values()), [])
            keys = frozenset().union(*(row for row in rows[:50] if isinstance(row, dict)))
    return "doc_id" in keys and not keys.isdisjoint({"resps", "filtered_resps"})


def read_lm_eval(content: Content, chosen_filter: str) -> Log:
    """Read the answers of a log; the chosen filter may also name a score, which is put first.

    Without a filter, the answers of all filters are read, as several answers to a question.
    """
    logged = _read_lines(content)
    filters = list(dict.fromkeys(line.filter for line in logged))
    scores: list[str] = []
    for line in logged:
        scores += dict(line.verdicts)
    check_filter(chosen_filter, filters + scores, "filter or score", content)
    is_score = chosen_filter in scores and chosen_filter not in filters
    filter_name = "" if is_score else chosen_filter

    lines = []
    for line in logged:
        line_verdicts = put_first(line.verdicts, chosen_filter) if is_score else line.verdicts
        if filter_name not in filters and len(filters) > 1:
            # the scores of several filters are named as lm_eval prints them
            line_verdicts = tuple((f"{name},{line.filter}", value) for name, value in line_verdicts)
        lines.append(line._replace(verdicts=line_verdicts))

    # the first line of a question says what it is
    first_lines: dict[str, Line] = {}
    for line in lines:
        first_lines.setdefault(line.id, line)
    with collecting() as notes:
        questions = question_records(list(first_lines.values()))
    for question_id, (record, _) in questions.items():
        record[DOCUMENT_INDEX] = first_lines[question_id].document_index

    selected = [line for line in lines if filter_name in {"", RAW, line.filter}]
    rewriting = {
        line.filter for line in selected if not set(line.filtered_replies) <= set(line.replies)
    }

    # several filters may choose the same reply: it is returned once, with the scores of all
    samples: dict[tuple[str, str], Sample] = {}
    filters_are_repeats = False
    for line in selected:
        label = ""
        replies = line.replies
        # a filter such as take_first only chooses, and would hide the other repeats
        if filter_name != RAW and line.filter in rewriting:
            replies = line.filtered_replies
            if len(filters) > 1:
                label = line.filter
                filters_are_repeats = True

        record, choices = questions[line.id]
        answers = _line_answers(line, replies, choices)
        for number, answer in enumerate(answers, 1):
            repeat = ""
            if len(answers) > 1 or len(filters) > 1:
                repeat = f"{label} {number}".strip()
            sample = Sample(line.id, record, answer, repeat, confidence=line.confidence)
            sample = samples.setdefault((line.id, repeat), sample)
            verdicts = dict(sample.verdicts)
            for name, value in line.verdicts:
                verdicts.setdefault(name, value)
            samples[line.id, repeat] = sample._replace(verdicts=tuple(verdicts.items()))

    log_notes = list(notes)
    if not filter_name and filters_are_repeats:
        log_notes.append(
            f"has the answers of {len(filters)} filters ({', '.join(filters)}), which count as"
            f" several answers to each question; `filter={filters[0]!r}` reads those of one, {RAW}"
            " the replies as they came"
        )
    return Log(list(samples.values()), log_notes, _find_model(content))


def _line_answers(line: Line, replies: Sequence[str], choices: Choices) -> list[str]:
    """Return the answers in a line: the most likely choice, or the replies of the model.

    A reply that names a choice by its letter is replaced by the text of the choice.
    """
    if line.likeliest is not None:
        return list(choices.texts[line.likeliest : line.likeliest + 1]) or [""]
    answers = []
    for reply in replies or [""]:
        matched = "" if reply == _NO_MATCH else reply
        answers.append(choice_text(matched, choices))
    return answers


def _find_model(content: Content) -> str:
    """Return the model in the file of results in the folder of the samples, or ""."""
    if not is_file(content.path):
        return ""
    for path in content.path.parent.glob("results_*.json"):
        if content.name.endswith(path.stem.removeprefix("results")):
            with suppress(ValueError, OSError, DataError):
                results = from_json(read_text(path))
                if not isinstance(results, dict):
                    return ""
                return str(results.get("model_name") or "")
    return ""


def _samples_by_task(document: Mapping[str, object]) -> dict[str, list[object]]:
    """Return the samples in the API's result, by task."""
    samples = document.get("samples")
    if not isinstance(samples, dict):
        return {}
    return {name: rows for name, rows in samples.items() if isinstance(rows, list)}


def _read_samples(content: Content) -> Sequence[object]:
    """Return the logged samples in a file: its records, or those of the API's only task."""
    if not isinstance(content.document, dict) or "doc_id" in content.document:
        return content.records
    tasks = _samples_by_task(content.document)
    if not tasks:
        raise DataError(
            "has the means of lm-eval; name the samples_*.jsonl "
            "that --log_samples writes beside it",
            where=content.path,
        )
    if len(tasks) != 1:
        raise DataError(
            f"holds {len(tasks)} tasks ({', '.join(tasks)}); write the samples of one to a file",
            where=content.path,
        )
    return next(iter(tasks.values()))


def _read_lines(content: Content) -> list[Line]:
    """Return the lines of a log, each with a unique id of its document."""
    location = str(content.path)
    records = [
        Fields(row, (location, f"sample {number}"))
        for number, row in enumerate(_read_samples(content), 1)
    ]
    if not records:
        raise DataError("holds no sample", where=content.path)
    if any(_PERPLEXITY & fields.data.keys() for fields in records):
        raise DataError(
            "these are perplexities of texts, without questions and answers; nothing can be scored",
            where=content.path,
        )

    documents = []
    keys: list[tuple[str, str]] = []  # index and id of the document of each line
    for fields in records:
        document = fields.data.get("doc")
        if not isinstance(document, dict):
            document = {}  # it was not logged
        documents.append(document)
        texts = {
            normalize_name(name): scalar_text(value).strip()
            for name, value in document.items()
            if isinstance(value, (str, int, float))
        }
        document_index = fields.required("doc_id")
        ids = [texts[name] for name in _IDS if texts.get(name)]
        keys.append((document_index, ids[0] if ids else document_index))
    question_ids = unique_names(keys)

    counts: Counter[str] = Counter()
    lines = []
    for (document_index, _), document, fields in zip(keys, documents, records, strict=True):
        counts[document_index] += 1
        number = counts[document_index]
        filter_name = fields.scalar("filter")
        if not filter_name:
            filter_name = f"filter-{number}" if number > 1 else "none"

        # the scores are those in ``metrics``, or in older logs all other numeric fields
        data = fields.data
        metrics = data.get("metrics")
        if isinstance(metrics, list):
            names = [metric for metric in metrics if isinstance(metric, str)]
        else:
            names = sorted(data.keys() - _FIELDS)

        request = parse_requests(data.get("arguments"))
        line = Line(
            id=question_ids[document_index],
            document_index=document_index,
            filter=filter_name,
            document=document,
            target=tuple(gold_texts(data.get("target"))),
            prompt=message_text(request.prompt),
            verdicts=numeric_scores((name, data.get(name)) for name in names),
        )

        replies = data.get("resps")
        filtered_replies = data.get("filtered_resps", replies)
        pairs = likelihoods(filtered_replies) or likelihoods(replies)
        if pairs:
            line = line._replace(
                likeliest=likeliest_choice(pairs, request.choices),
                choices=request.choices,
                confidence=probability_of_best(pairs),
            )
        else:
            line = line._replace(
                replies=tuple(flat_strings(replies)),
                filtered_replies=tuple(flat_strings(filtered_replies)),
            )
        lines.append(line)
    return lines


def write_samples(benchmark: Benchmark, options: ExportOptions) -> bytes:
    """Return the value of ``lm_eval --samples``: the indices of the documents by task."""
    indices = {question.id: question.said("document_index") for question in benchmark.questions}
    other_ids = [question_id for question_id, index in indices.items() if not index.isdecimal()]
    if other_ids:
        raise DataError(
            f"{len(other_ids):,} of {len(indices):,} questions (first: {other_ids[0]}) have no"
            " index in the task; sample from a log of lm-eval on the whole task (samples_*.jsonl),"
            " whose doc_id it is"
        )
    # in ascending order, as lm-eval asks the documents in the order of the task
    content = {options.name: sorted(map(int, indices.values()))}
    note(
        f"the task is called {options.name!r}, as the file is: lm_eval run --tasks {options.name}"
        " --log_samples --samples FILE"
    )
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


QUESTIONS, ANSWERS = make_readers(
    recognises_lm_eval, read_lm_eval, "lm-evaluation-harness: the samples that --log_samples writes"
)
CONTAINER = Container("with one log", patterns=("samples_*.jsonl",))
TASK = task_form(
    ".lm-eval",
    "A task of lm-evaluation-harness, `{}`.",
    {"task.yaml": "lm_eval_task.yaml.txt", "load.py": "lm_eval_load.py.txt"},
    json.dumps,
)
SUBSET = ExportFormat(".lm-eval-samples.json", write_samples)

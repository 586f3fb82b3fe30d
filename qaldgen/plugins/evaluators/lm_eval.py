"""Read the samples of lm-evaluation-harness (``--log_samples``): a line per document and filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.formats.column_names import NAMES, plain_name
from qaldgen.formats.file_content import Content
from qaldgen.formats.generic_records import Choices
from qaldgen.formats.rdf_questions import DOCUMENT_INDEX
from qaldgen.formats.records import Fields, scalar_text
from qaldgen.io.arguments import one_of
from qaldgen.plugins.evaluators.documents import Asked, records_of
from qaldgen.plugins.evaluators.likelihoods import choice_of, continuations, is_likelihood
from qaldgen.plugins.evaluators.samples import (
    RAW,
    Log,
    Sample,
    first_named,
    flat_strings,
    golds,
    message_text,
    number,
    unique_names,
    worded,
)

#: The filtered reply if a regular expression does not match.
_NOTHING = "[invalid]"
#: The fields of a line that are not scores.
_FIELDS = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash", "token_counts", "success", "input",
})  # fmt: skip
_PERPLEXITY = frozenset({"word_perplexity", "byte_perplexity", "bits_per_byte"})
#: The fields of the file with the mean scores.
_MEANS = frozenset({"results", "configs", "n-samples"})
#: The names of ids, without those of mere row numbers.
_IDS = [name for name in NAMES["id"] if name not in {"", "unnamed0", "idx", "index"}]


class Line(NamedTuple):
    """A line of the log."""

    id: str  # the question
    place: str  # the number of the document in the task, from 0
    #: The filter, or the number of the line for this document if the log names no filters.
    filter: str
    document: Mapping[str, object]  # the document of the task
    target: tuple[str, ...]  # the accepted answers
    #: The replies as they came, and after the filter.
    raw: tuple[str, ...]
    filtered: tuple[str, ...]
    choice: int | None  # the most likely choice
    choices: tuple[str, ...]  # the choices whose likelihoods were compared
    prompt: str  # what the model was asked
    verdicts: tuple[tuple[str, float], ...]  # the scores in the line


def recognises_lm_eval(content: Content) -> bool:
    """Whether these are samples of lm-evaluation-harness: lines, a list, or its API's result."""
    keys = content.keys
    if content.kind == "json" and keys >= _MEANS and isinstance(content.document, dict):
        return True
    if (
        content.kind in {"json", "jsonl"}
        and isinstance(content.document, dict)
        and "doc_id" not in keys
    ):
        rows = next((rows for rows in _tasks(content.document).values()), [])
        keys = frozenset(key for row in rows[:50] if isinstance(row, dict) for key in row)
    return "doc_id" in keys and not keys.isdisjoint({"resps", "filtered_resps"})


def read_lm_eval(content: Content, wanted: str) -> Log:
    """Read the answers of a log."""
    lines = _lines(content)
    filters = list(dict.fromkeys(line.filter for line in lines))
    scores = list(dict.fromkeys(name for line in lines for name, _ in line.verdicts))
    if wanted not in {"", RAW, *filters, *scores}:
        named = one_of(wanted, [*filters, RAW, *scores])
        raise UsageError(f"has no filter or score {wanted!r}; {named}", where=content.path)
    if wanted in scores and wanted not in filters:
        lines = [line._replace(verdicts=first_named(line.verdicts, wanted)) for line in lines]
        wanted = ""
    first: dict[str, Line] = {}
    for line in lines:
        first.setdefault(line.id, line)
    asked, notes = records_of([
        Asked(line.id, line.document, line.prompt, line.target, line.choices, line.choice,
            _right(line))
        for line in first.values()
    ])  # fmt: skip
    asked = {
        name: ({**record, DOCUMENT_INDEX: first[name].place}, choices)
        for name, (record, choices) in asked.items()
    }
    given = [line for line in lines if wanted in {"", RAW, line.filter}]
    # filters whose output is among the replies choose, and do not rewrite
    whole = {
        name
        for name in filters
        if all(set(line.filtered) <= set(line.raw) for line in given if line.filter == name)
    }
    samples = [
        one
        for line in given
        for one in _samples(line, asked[line.id], _Take(wanted, whole, filters))
    ]
    # two filters that only choose give the same replies twice
    distinct = list({(one.id, one.repeat): one for one in reversed(samples)}.values())[::-1]
    return Log(distinct, [*notes, *_notes(filters, wanted, distinct)])


class _Take(NamedTuple):
    """Which answers to take."""

    wanted: str  # the filter; empty for all
    whole: set[str]  # the filters that only choose among the replies, without changing them
    filters: list[str]  # all filters


def _samples(line: Line, asked: tuple[Mapping[str, object], Choices], take: _Take) -> list[Sample]:
    """Return the answers in a line, numbered if there are several."""
    question, choices = asked
    verdicts = line.verdicts
    if line.choice is not None:
        texts: Sequence[str] = (
            [choices.texts[line.choice]] if line.choice < len(choices.texts) else [""]
        )
        named = ""
    else:
        # a filter that only chooses, such as take_first, would hide the other repeats
        raw = take.wanted == RAW or line.filter in take.whole
        texts, named = (
            (line.raw, "") if raw else (line.filtered, line.filter if len(take.filters) > 1 else "")
        )
        texts = [worded("" if text == _NOTHING else text, choices) for text in texts or [""]]
    several = len(texts) > 1 or named or len(take.filters) > 1
    labels = [f"{named} {at}".strip() if several else "" for at in range(1, len(texts) + 1)]
    return [
        Sample(line.id, question, text, label, verdicts=verdicts)
        for text, label in zip(texts, labels, strict=True)
    ]


def _notes(filters: Sequence[str], wanted: str, samples: Sequence[Sample]) -> list[str]:
    """Return a note if the log has the answers of several filters and the user chose none."""
    names = {sample.repeat.rpartition(" ")[0] for sample in samples}
    if wanted or len(filters) < 2 or names == {""}:
        return []
    listed = ", ".join(filters)
    return [
        f"has the answers of {len(filters)} filters ({listed}), which count as several answers to"
        f" each question; --filter {filters[0]} (in Python filter={filters[0]!r}) reads those of"
        f" one, {RAW} the replies as they came"
    ]


def _tasks(document: Mapping[str, object]) -> dict[str, list[object]]:
    """Return the samples in the API's result, by task."""
    samples = document.get("samples")
    return (
        {name: rows for name, rows in samples.items() if isinstance(rows, list)}
        if isinstance(samples, dict)
        else {}
    )


def _lines(content: Content) -> list[Line]:
    rows = content.records
    if isinstance(content.document, dict) and "doc_id" not in content.document:
        tasks = _tasks(content.document)
        if not tasks:
            raise DataError(
                "has the means of lm-eval; name the samples_*.jsonl "
                "that --log_samples writes beside it",
                where=content.path,
            )
        if len(tasks) != 1:
            raise DataError(
                f"holds {len(tasks)} tasks ({', '.join(tasks)}); "
                "write the samples of one to a file",
                where=content.path,
            )
        rows = next(iter(tasks.values()))
    found = [Fields(row, (str(content.path), f"sample {at}")) for at, row in enumerate(rows, 1)]
    if not found:
        raise DataError("holds no sample", where=content.path)
    if any(_PERPLEXITY & fields.data.keys() for fields in found):
        raise DataError(
            "these are perplexities of texts, without questions and answers; nothing can be scored",
            where=content.path,
        )
    keys = [fields.required("doc_id") for fields in found]
    names = unique_names(
        [(key, _id_in(_document(fields)) or key) for key, fields in zip(keys, found, strict=True)]
    )
    seen: Counter[str] = Counter()
    lines = []
    for key, fields in zip(keys, found, strict=True):
        seen[key] += 1
        lines.append(
            _line(
                fields,
                names[key],
                key,
                fields.scalar("filter") or (f"filter-{seen[key]}" if seen[key] > 1 else "none"),
            )
        )
    return lines


def _line(fields: Fields, name: str, place: str, filter_: str) -> Line:
    data = fields.data
    raw, filtered = data.get("resps"), data.get("filtered_resps", data.get("resps"))
    asked = continuations(data.get("arguments"))
    likely = is_likelihood(filtered) or is_likelihood(raw)
    values = filtered if is_likelihood(filtered) else raw
    return Line(
        name,
        place,
        filter_,
        _document(fields),
        tuple(golds(data.get("target"))),
        () if likely else tuple(flat_strings(raw)),
        () if likely else tuple(flat_strings(filtered)),
        choice_of(values, asked.choices) if likely else None,
        asked.choices if likely else (),
        message_text(asked.prompt),
        _verdicts(data),
    )


def _document(fields: Fields) -> Mapping[str, object]:
    document = fields.data.get("doc")
    return document if isinstance(document, dict) else {}


def _id_in(document: Mapping[str, object]) -> str:
    """Return the id that a document says; empty if it says none."""
    own = {
        plain_name(name): value
        for name, value in document.items()
        if isinstance(value, (str, int, float))
    }
    return next((text for name in _IDS if (text := scalar_text(own.get(name, "")).strip())), "")


def _right(line: Line) -> bool | None:
    """Return whether the log says that the chosen choice is right; None if it says nothing."""
    said = dict(line.verdicts).get("acc")
    return None if said is None or line.choice is None else said == 1.0


def _verdicts(data: Mapping[str, object]) -> tuple[tuple[str, float], ...]:
    """Return the scores of a line, by ``metrics``, or in older logs all other numeric fields."""
    named = data.get("metrics")
    names = (
        [name for name in named if isinstance(name, str)]
        if isinstance(named, list)
        else sorted(data.keys() - _FIELDS)
    )
    found = ((name, number(data.get(name))) for name in names)
    return tuple((name, value) for name, value in found if value is not None)

"""The questions of a benchmark as a subset of a task that lm-eval or inspect_ai already has."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from qaldgen.benchmark.benchmark import ExportOptions, Form
from qaldgen.errors import DataError

if TYPE_CHECKING:
    from qaldgen.benchmark.benchmark import Benchmark

#: What the patterns of inspect_ai would not take literally.
_GLOB = re.compile(r"[\[*?]")


def write_samples(benchmark: Benchmark, options: ExportOptions) -> tuple[bytes, list[str]]:
    """Return what ``lm_eval --samples`` takes: the indices of the documents by task."""
    said = {one.id: one.metadata.get("document_index", "") for one in benchmark.questions()}
    unknown = [name for name, index in said.items() if not index.isdecimal()]
    if unknown:
        raise DataError(
            f"{len(unknown):,} of {len(said):,} questions (first: {unknown[0]}) have no index in"
            " the task; sample from a log of lm-eval on the whole task (samples_*.jsonl), whose"
            " doc_id it is"
        )
    # ascending: lm-eval goes through the task in its order, and takes the n-th index for the log
    content = {options.name: sorted(map(int, said.values()))}
    return json.dumps(content, ensure_ascii=False).encode() + b"\n", [
        f"the task is called {options.name!r}, as the file is: lm_eval run --tasks {options.name}"
        " --log_samples --samples FILE"
    ]


def write_ids(benchmark: Benchmark, _: ExportOptions) -> tuple[bytes, list[str]]:
    """Return what ``inspect eval --sample-id`` takes: ids, as patterns between commas."""
    # a comma can only be a wildcard: whatever else that lets in is not among the questions to score
    names = (_GLOB.sub(r"[\g<0>]", one.id).replace(",", "?") for one in benchmark.questions())
    return ",".join(names).encode() + b"\n", ['inspect eval TASK --sample-id "$(cat FILE)"']


SAMPLES = Form(".lm-eval-samples.json", write_samples)
IDS = Form(".inspect-ids.txt", write_ids)

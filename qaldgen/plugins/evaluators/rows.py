"""The logs that are read, both for the questions they carry and for the answers."""

from __future__ import annotations

from collections.abc import Callable

from qaldgen.formats.file_content import Content
from qaldgen.formats.reading import Reader
from qaldgen.plugins.evaluators.answers import answers_of
from qaldgen.plugins.evaluators.every_eval_ever import (
    read_every_eval_ever,
    recognises_every_eval_ever,
)
from qaldgen.plugins.evaluators.helm import read_helm, recognises_helm
from qaldgen.plugins.evaluators.inspect_ai import read_inspect, recognises_inspect
from qaldgen.plugins.evaluators.lm_eval import read_lm_eval, recognises_lm_eval
from qaldgen.plugins.evaluators.questions import questions_of
from qaldgen.plugins.evaluators.samples import ReadLog
from qaldgen.runs.reading import RunReader


def _rows(
    recognises: Callable[[Content], bool], read: ReadLog, help_: str
) -> tuple[Reader, RunReader]:
    return (
        Reader(recognises, questions_of(read), help_, answers=True),
        RunReader(recognises, answers_of(read), help_, tries=True, filters=True),
    )


LM_EVAL, LM_EVAL_RUN = _rows(
    recognises_lm_eval,
    read_lm_eval,
    "lm-evaluation-harness: the samples that --log_samples writes",
)
INSPECT, INSPECT_RUN = _rows(recognises_inspect, read_inspect, "inspect_ai: logs as .eval or .json")
HELM, HELM_RUN = _rows(
    recognises_helm,
    read_helm,
    "HELM: display_predictions.json or scenario_state.json, or their folder",
)
EVERY_EVAL_EVER, EVERY_EVAL_EVER_RUN = _rows(
    recognises_every_eval_ever,
    read_every_eval_ever,
    "Every Eval Ever: instance records (*_samples.jsonl)",
)

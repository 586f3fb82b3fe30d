"""The logs that are read, both for the questions they carry and for the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from qaldgen.formats.content import Content
from qaldgen.formats.logs.helm import read_helm, recognises_helm
from qaldgen.formats.logs.inspect_ai import read_inspect, recognises_inspect
from qaldgen.formats.logs.lm_eval import read_lm_eval, recognises_lm_eval
from qaldgen.formats.logs.samples import ReadLog


class LogForm(NamedTuple):
    """How the log of an evaluator is recognised and read, and what it is."""

    recognises: Callable[[Content], bool]
    read: ReadLog
    help: str


#: Every log that can be read, by the name of its form.
LOGS = {
    "lm-eval": LogForm(
        recognises_lm_eval,
        read_lm_eval,
        "lm-evaluation-harness: the samples that --log_samples writes",
    ),
    "inspect-ai": LogForm(recognises_inspect, read_inspect, "inspect_ai: logs as .eval or .json"),
    "helm": LogForm(
        recognises_helm,
        read_helm,
        "HELM: display_predictions.json or scenario_state.json, or their folder",
    ),
}

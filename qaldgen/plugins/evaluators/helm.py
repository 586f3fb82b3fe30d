"""Read HELM's per-instance files: ``display_predictions.json`` or ``scenario_state.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from qaldgen.errors import DataError
from qaldgen.io.inputs import is_file
from qaldgen.plugins.evaluators.logs import (
    RAW,
    Log,
    Sample,
    bare_question,
    check_filter,
    make_readers,
    numeric_scores,
    parse_number,
)
from qaldgen.questions.file_content import Content, load_content
from qaldgen.questions.folders import Container
from qaldgen.questions.records import Fields, record_fields

#: The shorter file with the answers to single questions, and the one with everything.
PREDICTIONS = "display_predictions.json"
STATE = "scenario_state.json"
#: The file with the questions, in the folder of the predictions.
INSTANCES = "instances.json"


def recognises_helm(content: Content) -> bool:
    """Return whether a content is HELM's predictions, scenario state, or per-instance scores."""
    if content.kind != "json":
        return False
    is_state = content.keys >= {"adapter_spec", "request_states"}
    return is_state or content.keys >= {"instance_id", "train_trial_index"}


def read_helm(content: Content, chosen_filter: str) -> Log:
    """Read the predictions on unperturbed instances; a note counts the predictions left out."""
    check_filter(chosen_filter, [], "filter", content)
    is_raw = chosen_filter == RAW

    instances: list[Fields] = []
    if isinstance(content.document, dict):
        predictions = Fields(content.document, (str(content.path),)).objects("request_states")
        answers = _read_states(predictions, content, raw=is_raw)
        instances = [state.nested("instance") for state in predictions]
    else:
        predictions = list(record_fields(content, ["instance_id"]))
        answers = _read_predictions(predictions, content, raw=is_raw)
        instances_file = content.path.with_name(INSTANCES)
        if is_file(instances_file):
            instances = list(record_fields(load_content(instances_file), ["id"]))

    instance_by_id = {
        instance.required("id"): instance
        for instance in instances
        if not instance.has("perturbation")
    }

    has_repeats = len({answer.repeat for answer in answers}) > 1
    samples = []
    for answer in answers:
        question = _make_question(instance_by_id.get(answer.id), answer.id)
        repeat = answer.repeat if has_repeats else ""
        samples.append(answer._replace(question=question, repeat=repeat))

    notes = []
    n_left_out = len(predictions) - len(answers)
    if n_left_out:
        notes.append(
            f"{n_left_out:,} of {len(predictions):,} predictions are on perturbed instances,"
            " or calibrate; they are left out"
        )
    if not instance_by_id:
        notes.append(f"there is no {INSTANCES} beside it, so nothing says what the questions were")

    return Log(samples, notes)


def _read_predictions(
    predictions: Iterable[Fields], content: Content, *, raw: bool
) -> list[Sample]:
    """Return the answers on unperturbed instances, without their questions."""
    samples = []
    for fields in predictions:
        if "predicted_text" not in fields.data:
            raise DataError(
                f"has scores and no answers; name {PREDICTIONS} or {STATE} of the same run",
                where=content.path,
            )
        if fields.has("perturbation"):
            continue
        reply = fields.scalar("predicted_text")
        if not raw:
            reply = fields.scalar("mapped_output") or reply
        sample = Sample(
            id=fields.required("instance_id"),
            question={},
            reply=reply,
            repeat=fields.scalar("train_trial_index"),
            verdicts=numeric_scores(fields.nested("stats").data.items()),
        )
        samples.append(sample)
    return samples


def _read_states(states: Iterable[Fields], content: Content, *, raw: bool) -> list[Sample]:
    """Return the answers on unperturbed instances in a scenario state, which has no scores."""
    samples = []
    for state in states:
        instance = state.nested("instance")
        if instance.has("perturbation") or state.scalar("request_mode") == "calibration":
            continue
        if state.has("reference_index"):
            raise DataError(
                f"has a request for each choice; name {PREDICTIONS}, which says what was chosen"
                " (helm-summarize writes it)",
                where=content.path,
            )

        result = state.nested("result")
        completions = result.objects("completions")
        reply = completions[0].scalar("text") if completions else ""
        if not raw:
            reply = state.nested("output_mapping").scalar(reply) or reply

        status = ""
        error = ""
        if result.flag("success") is False or not result.data:
            status = "failed"
            error = result.scalar("error") or "the request failed"

        sample = Sample(
            id=instance.required("id"),
            question={},
            reply=reply,
            repeat=state.scalar("train_trial_index"),
            status=status,
            error=error,
            seconds=parse_number(result.data.get("request_time")),
        )
        samples.append(sample)

    return samples


def _make_question(instance: Fields | None, question_id: str) -> Mapping[str, object]:
    """Return an instance as a record of our format; all correct references name one answer."""
    if instance is None:
        return {"id": question_id, "question": ""}

    choices = []
    correct = []
    for reference in instance.objects("references"):
        text = _read_text(reference, "output")
        choices.append(text)
        if "correct" in reference.strings("tags"):
            correct.append(text)

    prompt = _read_text(instance, "input")
    question: dict[str, object] = {"id": question_id, "question": bare_question(prompt)}
    if correct:
        question["answers"] = [correct]
        if len(correct) < len(choices):
            question["choices"] = choices

    split = instance.scalar("split")
    if split:
        question["split"] = split
    return question


def _read_text(fields: Fields, name: str) -> str:
    """Return the text of an input or output, which is in an object since 2023."""
    if isinstance(fields.data.get(name), dict):
        return fields.nested(name).scalar("text")
    return fields.scalar(name)


QUESTIONS, ANSWERS = make_readers(
    recognises_helm,
    read_helm,
    "HELM: display_predictions.json or scenario_state.json, or their folder",
)
CONTAINER = Container("of HELM", first=(PREDICTIONS, STATE))

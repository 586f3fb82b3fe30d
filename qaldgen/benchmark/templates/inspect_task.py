"""A task of inspect_ai, with its questions beside it: inspect eval task.py --model MODEL."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import includes, match
from inspect_ai.solver import generate, prompt_template

FIELDS = FieldSpec(
    input="question",
    target="answers",
    id="id",
    metadata=["answer_wordings", "answer_iris", "answer_type", "language", "sparql", "weight", "cluster"],
)
DATA = json_dataset(str(Path(__file__).with_name("questions.jsonl")), FIELDS, name=$name)


@task
def $task():
    """Ask for short answers; the scorers are content with one of several answers, qaldgen scores the log better."""
    solver = [prompt_template("{prompt}\nShort answer:"), generate()]
    return Task(dataset=DATA, solver=solver, scorer=[match(), includes()], metadata={"signature": $signature})

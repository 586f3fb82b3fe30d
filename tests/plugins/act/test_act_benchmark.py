"""The benchmark of ACT runs, and types help in it."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))


def test_choices_are_made_on_training_questions_about_other_subjects() -> None:
    module = importlib.import_module("act_world")
    world = module.make_world(7, 60)
    parts = module.development(world, 7)
    learned, asked = parts.training.questions, parts.test.questions
    assert len(learned) + len(asked) == len(world.training.questions)
    assert {one.id for one in learned}.isdisjoint(one.id for one in asked)
    names = {module._subject(world.training.questions[int(one.id[1:])].text("en")) for one in asked}
    assert names.isdisjoint(module._subject(one.text("en")) for one in learned)


def test_types_help_on_questions_about_new_subjects() -> None:
    module, world = (
        importlib.import_module("act_selection"),
        importlib.import_module("act_world").make_world(7, 60),
    )
    figures, fates = module.measured(world, 7, module.generator(world, None, 20))
    (_, alone, _, match, without, *_) = figures
    assert fates[1] == match
    assert math.isclose(sum(map(float, fates[1:])), 100.0, abs_tol=0.5)
    assert float(match) > float(alone) + 30
    assert float(match) > float(without)

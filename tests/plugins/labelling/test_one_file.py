"""Answers beside the questions are labelled without a run."""

from __future__ import annotations

import pandas as pd
import pytest

import qaldgen as qg
from qaldgen.plugins.labelling import label

TABLE = pd.DataFrame(
    {
        "question": [f"Who built tower {at}?" for at in range(6)],
        "gold": "Ada Mill",
        "prediction": "It was Ada Mill",
    }
)


def test_labels_need_no_run() -> None:
    assert len(label(TABLE, size=2).items) == 2


def test_one_of_several_systems_is_chosen_by_its_name() -> None:
    wide = TABLE.rename(columns={"prediction": "gpt answer"}).assign(**{"flan answer": "Bo"})
    with pytest.raises(qg.UsageError, match="several systems"):
        label(wide)
    assert len(label(wide, "gpt", 2).items) == 2

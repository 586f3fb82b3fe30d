"""How often each value of a feature occurs in questions, with examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.analysis.feature_table import features_of
from qaldgen.analysis.slicing import slices_by
from qaldgen.scoring.gold import AnyGold, as_gold

if TYPE_CHECKING:
    import pandas as pd


def feature_examples(
    name: str, data: AnyGold, *, language: str = "en", most: int = 3
) -> pd.DataFrame:
    """Return ``questions`` (the value in words; a number is cut into ranges), ``n``, ``examples``.

    Of each value, `most` examples are given.
    """
    import pandas as pd

    gold = as_gold(data, language=language)
    table = features_of(gold, language=language)[0]
    texts = {question.id: question.text(language) for question in gold.questions.questions}
    rows = [
        (part.label, len(part), " / ".join(texts[id_] for id_ in part.ids[:most]))
        for part in slices_by(table, name)
    ]
    return pd.DataFrame(rows, columns=["questions", "n", "examples"])

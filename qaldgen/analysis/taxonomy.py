"""How questions distribute over PolQA's taxonomy, next to the paper's own table.

By the labels of the data, or by our rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: PolQA's Table 2: 7,000 questions, labelled by hand.
PRINTED = {
    "questionFormulation": {"plain": 6839, "compound": 108, "command": 53},
    "informationSought": {
        "single-entity": 5589, "entity-choice": 705, "yes-no": 532, "other-name": 86,
        "multiple-entities": 59, "gap-filling": 29,
    },
    "answerEntityKind": {"named": 3854, "unnamed": 2614, "yes-no": 532},
}  # fmt: skip
PRINTED_SIZE = 7000
#: Gold answers, where they are known, tell the kind of answer better than the question alone.
_BETTER = {"answerEntityKind": "answerEntityKindGold"}


def taxonomy_table(features: Sequence[Mapping[str, object]], *, beside_paper: bool) -> pd.DataFrame:
    """Return how many questions have each label.

    Parameters
    ----------
    features
        The features of each question.
    beside_paper
        Whether to add PolQA's printed numbers.

    Returns
    -------
    pandas.DataFrame
        ``category``, ``label``, ``questions``, ``share`` of those with a label, and where wanted
        ``PolQA`` with its ``PolQA share``.
    """
    import pandas as pd

    rows = []
    for category, labels in PRINTED.items():
        for name in dict.fromkeys([category, _BETTER.get(category, category)]):
            counts = Counter(str(one[name]) for one in features if one.get(name) is not None)
            size = sum(counts.values())
            for label, printed in labels.items():
                row: dict[str, object] = {
                    "category": name, "label": label, "questions": counts[label],
                    "share": counts[label] / size if size else None,
                }  # fmt: skip
                rows.append(
                    row
                    | (
                        {"PolQA": printed, "PolQA share": printed / PRINTED_SIZE}
                        if beside_paper
                        else {}
                    )
                )
    return pd.DataFrame(rows)

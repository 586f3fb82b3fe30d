"""Make qaldgen/features/text/data/answer_types.tsv: the weights that predict the answer type.

A linear support vector machine over the DBpedia training questions of SMART 2020
(https://github.com/smart-task/smart-dataset), all of them. To tell how good it is, the script
divides the questions into five parts by a hash of their text, learns a table from four and prints
the share that is right of the fifth, over the five: of SMART's own three categories, and with the
types of literals told apart. No question can be read off the table: it holds sequences of at most
four words that occur in three questions or more.

    python benchmarks/build_answer_types.py [smarttask_dbpedia_train.json] [--write]
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qaldgen.features.text.answer_type import (
    BIAS,
    CATEGORIES,
    category_by_form,
    completed_phrase,
    predicted_category,
    signals,
)
from qaldgen.features.text.question_words import wh_type

ROOT = Path(__file__).resolve().parent.parent
SMART = (
    Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
    / "smart"
    / "smarttask_dbpedia_train.json"
)
TABLE = ROOT / "qaldgen" / "features" / "text" / "data" / "answer_types.tsv"
RAREST, ENTRIES, STRENGTH, PARTS = 3, 6000, 0.03, 5
HEADER = (
    "# Weights in hundredths of words and word parts for the categories boolean, number, date,"
    " string, resource.\n# Learned from SMART 2020 (DBpedia, training part); made by"
    " benchmarks/build_answer_types.py.\n"
)


def part(text: str) -> int:
    """Return the part that a question belongs to; equal texts are in the same."""
    return int(hashlib.sha256(text.strip().lower().encode()).hexdigest(), 16) % PARTS


def read(path: Path) -> list[tuple[str, str, str]]:
    """Return id, text and category of the questions that have a text."""
    records = json.loads(path.read_text(encoding="utf-8"))
    return [
        (record["id"], record["question"], _category(record))
        for record in records
        if record["question"]
    ]


def _category(record: dict[str, Any]) -> str:
    category: str = record["category"]
    return f"literal-{record['type'][0]}" if category == "literal" else category


def weights(questions: list[tuple[str, str, str]]) -> dict[str, list[int]]:
    """Return the table: the signals with most weight in all, fitted again by themselves."""
    import numpy as np
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.svm import LinearSVC

    found = [signals(*completed_phrase(text, wh_type(text))) for _, text, _ in questions]
    count = collections.Counter(signal for one in found for signal in one)
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_transform(
        [{signal: 1 for signal in one if count[signal] >= RAREST} for one in found]
    ).tocsr()
    rows.indices, rows.indptr = (
        rows.indices.astype(np.int32),
        rows.indptr.astype(np.int32),
    )  # liblinear wants them so
    wanted = [category for _, _, category in questions]
    model = LinearSVC(C=STRENGTH / 2, max_iter=5000, random_state=0).fit(rows, wanted)
    strength = np.abs(model.coef_).max(axis=0) * np.asarray(rows.sum(axis=0)).ravel() ** 0.25
    chosen = np.sort(np.argsort(-strength, kind="stable")[:ENTRIES])
    model = LinearSVC(C=STRENGTH, max_iter=5000, random_state=0).fit(rows[:, chosen], wanted)
    order = [list(model.classes_).index(category) for category in CATEGORIES]
    values = np.rint(100 * model.coef_[order]).astype(int).T.tolist()
    names = vectorizer.get_feature_names_out()[chosen].tolist()
    table = {BIAS: np.rint(100 * model.intercept_[order]).astype(int).tolist()}
    return table | {name: row for name, row in zip(names, values, strict=True) if any(row)}


def main(argv: Sequence[str] | None = None) -> int:
    """Read, learn, write or compare, and print the figures.

    1 if the table in the package differs.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("smart", nargs="?", type=Path, default=SMART)
    parser.add_argument("--write", action="store_true", help="replace the table in the package")
    options = parser.parse_args(argv)
    if not options.smart.is_file():
        print(f"nothing done: {options.smart} is not there")
        return 0
    questions = read(options.smart)
    table = weights(questions)
    lines = ["\t".join([signal, *map(str, row)]) for signal, row in table.items()]
    text = HEADER + "\n".join(lines) + "\n"
    print(f"{len(table)} entries, {len(text.encode())} bytes")
    if options.write:
        TABLE.parent.mkdir(exist_ok=True)
        TABLE.write_text(text, encoding="utf-8")
    same = text == TABLE.read_text(encoding="utf-8")
    if not same:
        print("differs from the table in the package; --write replaces it")
    pairs = [pair for number in range(PARTS) for pair in predicted(questions, number)]
    for told, kind in (("SMART's categories", smart_category), ("types of literals apart", str)):
        right = sum(kind(guess) == kind(category) for guess, category in pairs)
        print(f"{told}: {right} of {len(pairs)} not learnt from, {right / len(pairs):.2%}")
    return 0 if same else 1


def smart_category(category: str) -> str:
    """Return SMART's own category: boolean, literal or resource."""
    return category.partition("-")[0]


def predicted(questions: list[tuple[str, str, str]], number: int) -> list[tuple[str, str]]:
    """Return the predicted and the true category of one part, with a table from the others."""
    table = weights([one for one in questions if part(one[1]) != number])
    kept = [one for one in questions if part(one[1]) == number]
    asked = [(*completed_phrase(text, wh_type(text)), category) for _, text, category in kept]
    return [
        (category_by_form(text, code) or predicted_category(text, code, table), category)
        for text, code, category in asked
    ]


if __name__ == "__main__":
    sys.exit(main())

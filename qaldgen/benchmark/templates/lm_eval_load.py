"""Load the questions beside this file, wherever lm-evaluation-harness is started, and look at the answers."""

import json
import pathlib

import datasets


def load(**kwargs):
    """Return the questions as the split "test"."""
    text = pathlib.Path(__file__).with_name("questions.jsonl").read_text("utf-8")
    return {"test": datasets.Dataset.from_list([json.loads(line) for line in text.split("\n") if line])}


def score(doc, results):
    """Return a rough score: all answers given, letter by letter or somewhere in the reply. qaldgen scores the log better."""
    said = results[0].strip().casefold()
    wordings = [[text.casefold() for text in one] for one in doc["answer_wordings"]]
    return {
        "exact_match": float(len(wordings) == 1 and said in wordings[0]),
        "contains": float(bool(wordings) and all(any(text in said for text in one) for one in wordings)),
    }

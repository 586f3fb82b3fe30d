"""Candidates as a model might propose them: `candidates.py QUESTIONS TARGET`."""

import json
import sys
from pathlib import Path

import qaldgen as qg

asked = qg.load(sys.argv[1]).questions
every = [one.answers.values()[0] for one in asked if one.answers is not None]
lines = [
    json.dumps(
        {"id": question.id, "candidates": [every[(at * 7 + n) % len(every)] for n in range(4)]}
    )
    for at, question in enumerate(asked)
]
Path(sys.argv[2]).write_text("\n".join(lines), encoding="utf-8")

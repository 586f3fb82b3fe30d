"""Candidates as a model might propose them: `candidates.py QUESTIONS TARGET`."""

import json
import sys
from pathlib import Path

import qaldgen as qg

asked = qg.load(sys.argv[1]).questions
every = [question.answers.values()[0] for question in asked]
lines = [
    json.dumps(
        {"id": question.id, "candidates": [every[(at * 7 + n) % len(every)] for n in range(4)]}
    )
    for at, question in enumerate(asked)
]
Path(sys.argv[2]).write_text("\n".join(lines), encoding="utf-8")

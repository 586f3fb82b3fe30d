"""Every set in a folder as Python sees it: `formats.py FOLDER`."""

import sys
from pathlib import Path

import qaldgen as qg

for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        found = qg.load(path)
    except qg.QaldgenError as error:
        print(path.name, error)
        continue
    print(path.name, found.format, len(found.questions), found.notes, found.left_out)
    for question in found.questions:
        given = question.answers
        print(" ", question.id, question.texts, question.queries, question.answer_type)
        print("   ", given and (given.variables, given.values()), question.metadata)

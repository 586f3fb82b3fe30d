"""Records in lines with a label each: ``Q1: Who lit it?``, and below it ``A1: Ann``."""

from __future__ import annotations

import re

from qaldgen.questions.fields import count_field_names, holds_questions

#: A label of up to three words, perhaps with a number, and the text after its colon.
_LINE = re.compile(
    r"(?P<label>[^\W\d_][^\W\d]{0,20}(?: [^\W\d]{1,20}){0,2}) ?(?P<number>[0-9]*)\s?[:：]"
    r"\s*(?P<text>.*)"
)
_ABBREVIATED = {"q": "question", "a": "answer"}


def labelled_records(text: str) -> list[dict[str, str]]:
    r"""Return the records in a text whose lines begin with names of fields, else none.

    A line without such a label continues the preceding value.

    >>> labelled_records("Q1: Who lit it?\nA1: Ann\n\nQ2: When?\nA2: in 1912,\nin May")[1]
    {'id': '2', 'question': 'When?', 'answer': 'in 1912,\nin May'}
    """
    records: list[dict[str, list[str]]] = []
    name = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        match = _LINE.fullmatch(line)
        label = _ABBREVIATED.get(match["label"].lower(), match["label"]) if match else ""
        if match is not None and count_field_names([label]):
            name = label
            if not records or name in records[-1]:
                records.append({"id": [match["number"]]} if match["number"] else {})
            records[-1][name] = [match["text"]]
        elif records:
            records[-1][name].append(line)
        else:
            return []
    for record in records:
        if not any(map(holds_questions, record)) or count_field_names(record.keys() - {"id"}) < 2:
            return []
    return [{name: "\n".join(lines) for name, lines in record.items()} for record in records]

"""Records in lines with a label each: ``Q1: Who lit it?``, and below it ``A1: Ann``."""

from __future__ import annotations

import re

from qaldgen.questions.fields import (
    choice_mark,
    count_field_names,
    has_role,
    holds_questions,
    may_hold_gold,
)

#: A label of up to three words, perhaps with a number, and the text after its colon.
_LINE = re.compile(
    r"(?P<label>[^\W\d_][^\W\d]{0,20}(?: [^\W\d]{1,20}){0,2}) ?(?P<number>[0-9]*)\s?[:：]"
    r"\s*(?P<text>.*)"
)
#: A label with the number of the record in a tag, as in NLPCC.
_TAG = re.compile(r"<(?P<label>\w+) id=(?P<number>[0-9]+)>")
#: A choice below a question, as in Moodle's Aiken format.
_CHOICE = re.compile(r"(?P<label>[A-Ja-j])(?P<mark>[.):])\s+(?P<text>.*)")
#: Without two more choices, or one and the letter of the right one, below it, A: is an answer.
_COLONS = re.compile(
    r"^[ \t]*[Aa]: .+\n[ \t]*[Bb]: .+\n[ \t]*(?:[Cc]: |\w+:[ \t]*[ABab][ \t]*$)", re.MULTILINE
)
#: A label in bold letters of Markdown, perhaps in a list; and a heading.
_BOLD = re.compile(
    r"(?:[-*+]\s+)?(?P<mark>\*\*|__)(?P<label>[^\W\d_][\w ]{0,40}?)\??"
    r"\s?(?:[:：]\s?(?P=mark)|(?P=mark)\s?[:：])\s*(?P<text>.*)"
)
_HEADING = re.compile(r"#{1,6}\s+(?:(?P<label>[^\W\d_]+)\s+(?P<number>[0-9]+)\b)?.*")
_ABBREVIATED = {"q": "question", "a": "answer"}


def labelled_records(text: str) -> list[dict[str, str]]:
    r"""Return the records in a text whose lines begin with names of fields, else none.

    A line without such a label continues the preceding value. Choices have a letter each; then the
    line before the first, or after an answer, is a question without a label. Labels may be tags, as
    in ``<question id=7>``; a line of signs only separates records. Where bold labels of Markdown
    name a question and a gold answer, all are names.

    >>> labelled_records("Q1: Who lit it?\nA1: Ann\n\nQ2: When?\nA2: in 1912,\nin May")[1]
    {'id': '2', 'question': 'When?', 'answer': 'in 1912,\nin May'}
    >>> labelled_records("Who lit it?\nA. Ann\nB. Bo\nANSWER: A")
    [{'question': 'Who lit it?', 'A': 'Ann', 'B': 'Bo', 'ANSWER': 'A'}]
    """
    records: list[dict[str, list[str]]] = []
    name = ""
    marks = ".):" if _COLONS.search(text) else ".)"
    lines = [line for line in map(str.strip, text.splitlines()) if line.strip("=-*_")]
    bold_names: set[str] = set()
    bold_labels = [match["label"] for match in map(_BOLD.fullmatch, lines) if match]
    asks = any(map(_may_ask, bold_labels)) and any(map(may_hold_gold, bold_labels))
    # in a plain log, replies may have bold labels
    if asks and _BOLD.fullmatch(next(filter(_is_labelled, lines))):
        bold_names.update(bold_labels)
        lines = list(filter(None, map(_without_markdown, lines)))
    choices = [
        match if match and match["mark"] in marks else None
        for match in map(_CHOICE.fullmatch, lines)
    ]
    for line, choice, next_choice in zip(lines, choices, [*choices[1:], None], strict=True):
        is_tagged = _TAG.match(line) is not None
        match = _LINE.fullmatch(_TAG.sub(r"\g<label>\g<number>:", line, count=1))
        label = _ABBREVIATED.get(match["label"].lower(), match["label"]) if match else ""
        in_question = holds_questions(name) or choice_mark(name) != ""
        if records and choice and (in_question or choice["label"].isupper()):
            name = choice["label"]
            records[-1][name] = [choice["text"]]
        elif match and (is_tagged or label in bold_names or count_field_names([label])):
            name = label
            # a heading with a number, which bold labels follow
            is_heading = bool(bold_names and records) and records[-1].get(name) == [""]
            if not records or (name in records[-1] and not is_heading):
                records.append({})
                if match["number"]:
                    records[-1]["id"] = [match["number"]]
            records[-1][name] = [match["text"]]
        elif not records and bold_names:
            continue  # a title
        elif not records and not next_choice:
            return []
        elif not records or (_has_choices(records[-1]) and len(name) > 1):
            name = "question"
            records.append({name: [line]})
        else:
            records[-1][name].append(line)
    if bold_names:
        # a heading that numbers the record has no text
        return [_texts(record) for record in records if any(map(_may_ask, _texts(record)))]
    for record in records:
        has_answers = _has_choices(record) or count_field_names(record.keys() - {"id"}) > 1
        if not (has_answers and any(map(holds_questions, record))):
            return []
    return [{name: "\n".join(parts) for name, parts in record.items()} for record in records]


def _is_labelled(line: str) -> bool:
    """Return whether a line begins with the known name of a field, plain or bold."""
    match = _BOLD.fullmatch(line) or _LINE.fullmatch(line)
    return match is not None and (
        _may_ask(match["label"]) or count_field_names([match["label"]]) > 0
    )


def _texts(record: dict[str, list[str]]) -> dict[str, str]:
    """Return the fields of a record that have a text."""
    texts = {name: "\n".join(parts).strip() for name, parts in record.items()}
    return {name: text for name, text in texts.items() if text}


def _may_ask(name: str) -> bool:
    return has_role(name, "question", "translation", "maybe question")


def _without_markdown(line: str) -> str:
    """Return a line without the marks of a bold label; a heading only numbers a record."""
    bold = _BOLD.fullmatch(line)
    if bold is not None:
        return f"{bold['label']}: {bold['text']}"
    heading = _HEADING.fullmatch(line)
    if heading is None:
        return line
    return f"{heading['label']} {heading['number']}:" if heading["number"] else ""


def _has_choices(record: dict[str, list[str]]) -> bool:
    return any(choice_mark(name) for name in record)

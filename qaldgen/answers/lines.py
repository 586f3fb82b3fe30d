"""Read answers without ids: a line of text, or an item of a list, for each question in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from qaldgen.answers.answer_values import read_system_answers
from qaldgen.answers.journal import is_journal
from qaldgen.answers.plain_answers import recognises_table
from qaldgen.answers.record import ParsedResponse, ParsedRun, Response, RunOptions, status_of
from qaldgen.answers.responses import ids_in_order, responses_in, rows_in_order
from qaldgen.answers.run_columns import KEYS
from qaldgen.io.json_text import from_json
from qaldgen.io.notes import note
from qaldgen.io.unpacking import ContentReader
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.csv_tables import first_column
from qaldgen.questions.fields import has_role, is_prediction_name, may_be_id, normalize_name
from qaldgen.questions.file_content import Content, decode_text, has_parts, split_lines
from qaldgen.questions.geval_numbers import SPACE
from qaldgen.questions.reading import READERS
from qaldgen.questions.records import Fields

#: The id of a question, a mark, and the answer: ``q1: Ulm``, ``7) Ulm``.
_LINE_WITH_ID = re.compile(
    r"(?P<id>[^\s:=()]+?)\s*(?:[:=)]|[.](?=\s)|\s[-–](?=\s))\s*(?P<answer>.*)"
)
_NUMBERED = re.compile(r"\[[0-9]+\]")
#: Bytes that show a journal.
_HEAD = 2**16
#: How the lines of JSON and XML begin.
_MARKUP = re.compile(r"\s|[{}\[\]<\"]")


def recognises_lines(content: Content) -> bool:
    """Return whether these are lines of text, or JSON values without ids.

    Objects are such values if they have a prediction, and nothing that may say of which question.
    """
    if content.kind == "text":
        return not recognises_table(content)
    if content.kind != "jsonl" and not isinstance(content.document, list):
        return False
    objects = [record for record in content.records if isinstance(record, dict)]
    names = dict.fromkeys(chain.from_iterable(objects))
    if any(normalize_name(name) in KEYS or may_be_id(name) for name in names):
        return False
    answered = any(is_prediction_name(name) or has_role(name, "bare answer") for name in names)
    return bool(content.records) and (
        not objects or (answered and len(objects) == len(content.records))
    )


def read_lines(content: Content, options: RunOptions) -> ParsedRun:
    """Read one line, or item or record of a list, per question, in the order of the gold questions.

    Without gold questions its number is the id.
    """
    is_text = content.kind in {"text", "lines"}
    if not is_text and (pairs := _pairs(content.records, options.gold)):
        return responses_in(content, pairs, options)
    if not is_text:
        rows: list[dict[str, object]] = []
        for value in content.records:
            rows.append(value if isinstance(value, dict) else {"answer": value})
        return responses_in(content, rows_in_order(content, rows, options), options)
    lines = _unquoted([line.strip(SPACE) for line in content.lines])
    is_header = is_prediction_name(lines[0]) or has_role(lines[0], "bare answer")
    # a table of one column, unless its name is the first answer
    if is_header and (options.gold is None or len(lines) != len(options.gold)):
        lines = first_column(content)[1:]
    by_id = _lines_by_id(lines, options.gold)
    if by_id:
        note("each line begins with the id of its question")
        lines, ids = list(by_id.values()), list(by_id)
    else:
        numbers = [f"{number}. " for number in range(1, len(lines) + 1)]
        if all(line.startswith(number) for line, number in zip(lines, numbers, strict=True)):
            lines = [line.removeprefix(number) for line, number in zip(lines, numbers, strict=True)]
        ids = ids_in_order(content, options, len(lines))
    # An empty line is an answer too: the system gave none.
    fields = Fields(dict(zip(ids, lines, strict=True)), (str(content.path),))
    answers = {}
    for name, line in zip(ids, lines, strict=True):
        if _NUMBERED.fullmatch(line):  # a citation, as in the text around it, and no list
            answers[name] = Answers(texts=((line,),))
        else:
            answers[name] = read_system_answers(
                line, fields, name, options.expected(name), bars=False
            )
            # a text stays as it is: PolEval strips other characters than Python
            if answers[name].texts == ((line.strip(),),):
                answers[name] = Answers(texts=((line,),))
    return ParsedRun(
        [
            ParsedResponse(Response(name, status_of(answer), answer))
            for name, answer in answers.items()
        ]
    )


def _lines_by_id(lines: Sequence[str], gold: QuestionSet | None) -> dict[str, str]:
    """Return the answers in lines that mostly begin with ids of the gold, by id; else {}.

    Other lines belong to the answer above, or are comments.
    """
    filled = [line for line in lines if line]
    matches = [_LINE_WITH_ID.fullmatch(line) for line in filled]
    known = gold.by_id.keys() if gold else set[str]()
    ids = [match["id"] for match in matches if match and match["id"] in known]
    if len(ids) < 2 or 2 * len(ids) <= len(filled) or len({*ids}) < len(ids):
        return {}
    by_id: dict[str, str] = {}
    name = ""
    for line, match in zip(filled, matches, strict=True):
        if match and match["id"] in known:
            name = match["id"]
            by_id[name] = match["answer"]
        elif name and not line.startswith("#"):
            by_id[name] += f"\n{line}"
    return by_id


def _pairs(records: Sequence[object], gold: QuestionSet | None) -> list[dict[str, object]]:
    """Return the records in pairs of an id and its answers, as WebQSP's script reads; else []."""
    pairs = [record for record in records if isinstance(record, list) and len(record) == 2]
    ids = {str(name) for name, _ in pairs if not isinstance(name, (dict, list))}
    if not len(ids) == len(pairs) == len(records):
        return []
    are_gold_ids = gold is not None and 2 * len(ids & gold.by_id.keys()) > len(ids)
    if not are_gold_ids and not all(isinstance(answers, list) for _, answers in pairs):
        return []
    return [{"id": name, "answer": answers} for name, answers in pairs]


def _unquoted(lines: list[str]) -> list[str]:
    """Return lines without the quotes of JSON, if all of them have quotes."""
    # Some tools write each line as a JSON string; a single quoted title must keep its quotes.
    if not all(line[:1] == line[-1:] == '"' and len(line) > 1 for line in lines if line):
        return lines
    try:
        return [str(from_json(line)) if line else "" for line in lines]
    except ValueError:
        return lines


def submitted_lines(
    reader: ContentReader, gold: QuestionSet | None, *, chosen: bool = False
) -> Content | None:
    """Return an open file as lines if it is said to be lines, or the questions are answered so.

    A submission has as many lines as there are questions, and is neither JSON nor XML nor a table
    whose first column has the ids. Tabs and commas are then part of the answers, and a file of
    empty lines is a submission too.
    """
    if not chosen and not (gold and gold.format in READERS and READERS[gold.format].lines):
        return None
    if has_parts(reader):
        return None
    data = reader.peek()
    if not chosen and (data[:4] == b"PAR1" or is_journal(data[:_HEAD])):
        return None
    text = decode_text(reader.path, data, "run")
    if not chosen and (gold is None or not _are_answers(text, split_lines(text), gold)):
        return None
    return Content(reader.path, "lines", text, reader.hexdigest(), file_name=reader.name)


def _are_answers(text: str, lines: Sequence[str], gold: QuestionSet) -> bool:
    if text.lstrip()[:1] in {"{", "[", "<"}:
        return not _is_markup(text, lines)
    if len(lines) != len(gold.questions):
        return False
    # A table with ids has as many lines as a submission, but ids in its first column.
    cells = [re.split(r"[\t,;]", line, maxsplit=1) for line in lines]
    divided = "\t" in text or all(len(row) > 1 for row in cells)
    return not (divided and {row[0].strip(' "') for row in cells} <= gold.by_id.keys())


def _is_markup(text: str, lines: Sequence[str]) -> bool:
    """Return whether JSON or XML, even if damaged; some lines of answers may look like it too."""
    filled = [line for line in lines if line.strip()]
    if 2 * sum(_MARKUP.match(line) is not None for line in filled) > len(filled):
        return True
    try:
        from_json(text)
    except ValueError:
        return False
    return True

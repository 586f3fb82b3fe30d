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
from qaldgen.questions.file_content import Content, decode_text, split_lines
from qaldgen.questions.geval_numbers import SPACE
from qaldgen.questions.reading import READERS
from qaldgen.questions.records import Fields

#: The id of a question, a mark, and the answer: ``q1: Ulm``, ``7) Ulm``.
_LINE_WITH_ID = re.compile(
    r"(?P<id>[^\s:=()]+?)\s*(?:[:=)]|[.](?=\s)|\s[-–](?=\s))\s*(?P<answer>.*)"
)
_NUMBER_BEFORE = re.compile(r"^[0-9]+[.)]\s+")
_CITATION = re.compile(r"\[[0-9]+\]")
#: The number of bytes that show whether a file is a journal.
_HEAD_BYTES = 2**16
#: The start of a line of JSON or XML.
_MARKUP_START = re.compile(r"\s|[{}\[\]<\"]")


def recognises_lines(content: Content) -> bool:
    """Return whether these are lines of text, or JSON values without ids.

    Objects count if they have a prediction, but neither an id nor a question.
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
    """Read one line, or one item of a list, per question, in the order of the gold questions.

    Without gold questions, its number is the id.
    """
    if content.kind not in {"text", "lines"}:
        return _read_json_values(content, options)
    lines = _remove_quotes([line.strip(SPACE) for line in content.lines])
    is_header = is_prediction_name(lines[0]) or has_role(lines[0], "bare answer")
    # the first line is the name of a column, unless there are as many questions as lines
    if is_header and (options.gold is None or len(lines) != len(options.gold)):
        lines = first_column(content.path, content.text)[1:]
    lines_by_id = None
    if options.gold is not None:
        lines_by_id = _answers_below_questions(lines, options.gold)
    if lines_by_id is not None:
        note("answers stand behind the ids, or below the texts, of their questions")
    else:  # an empty line is an answer too: the system gave none
        numbers = [f"{number}. " for number in range(1, len(lines) + 1)]
        if all(line.startswith(number) for line, number in zip(lines, numbers, strict=True)):
            lines = [line.removeprefix(number) for line, number in zip(lines, numbers, strict=True)]
        ids = ids_in_order(content, options, len(lines))
        lines_by_id = list(zip(ids, lines, strict=True))
    fields = Fields(dict(lines_by_id), (str(content.path),))
    options = options.with_choice_numbers((name, "", line) for name, line in lines_by_id)
    responses: list[ParsedResponse] = []
    for question_id, line in lines_by_id:
        expected = options.expected(question_id)
        answers = read_system_answers(line, fields, question_id, expected)
        # a citation is no list, and a text keeps its spaces: PolEval strips others than Python does
        if _CITATION.fullmatch(line) or answers.texts == ((line.strip(),),):
            answers = Answers(texts=((line,),))
        responses.append(ParsedResponse(Response(question_id, status_of(answers), answers)))
    return ParsedRun(responses)


def _read_json_values(content: Content, options: RunOptions) -> ParsedRun:
    """Read a JSON value per question, or pairs of an id and its answers, as WebQSP has them."""
    values = content.records
    pairs = [value for value in values if isinstance(value, list) and len(value) == 2]
    ids = {str(name) for name, _ in pairs if not isinstance(name, (dict, list))}
    if 0 < len(ids) == len(pairs) == len(values):
        gold_ids = set[str]() if options.gold is None else options.gold.by_id.keys()
        have_lists = all(isinstance(answers, list) for _, answers in pairs)
        if have_lists or 2 * len(ids & gold_ids) > len(ids):
            records = [{"id": name, "answer": answers} for name, answers in pairs]
            return responses_in(content, records, options)
    rows = [value if isinstance(value, dict) else {"answer": value} for value in values]
    return responses_in(content, rows_in_order(content, rows, options), options)


def _answers_below_questions(
    lines: Sequence[str], gold: QuestionSet
) -> list[tuple[str, str]] | None:
    """Return pairs of id and answer if most lines begin with an id of the gold; else None.

    The text of a question, perhaps numbered, may stand above its answer in place of the id. Other
    lines belong to the answer above, or are comments.
    """
    nonblank = [line for line in lines if line]
    ids: list[str] = []
    answers: list[str] = []
    n_texts = 0
    for line in nonblank:
        match = _LINE_WITH_ID.fullmatch(line)
        question = gold.by_text.get(_NUMBER_BEFORE.sub("", line))
        if question is not None:
            n_texts += 1
            ids.append(question.id)
            answers.append("")
        elif match and match["id"] in gold.by_id:
            ids.append(match["id"])
            answers.append(match["answer"])
        elif ids and not line.startswith("#"):
            answers[-1] = f"{answers[-1]}\n{line}".strip("\n")
    are_headed = 2 * n_texts > len(gold.questions)
    if len(ids) < 2 or len(set(ids)) < len(ids) or not (are_headed or 2 * len(ids) > len(nonblank)):
        return None
    return list(zip(ids, answers, strict=True))


def _remove_quotes(lines: list[str]) -> list[str]:
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
    """Return an open file as lines if the user says so (`chosen`), or if it is a submission.

    Tabs and commas are part of the answers, and a file of empty lines is a submission too.
    """
    if not chosen and not (gold and _is_submission(reader, gold)):
        return None
    text = decode_text(reader.path, reader.peek(), "run")
    return Content(reader.path, "lines", text, reader.hexdigest(), file_name=reader.name)


def _is_submission(reader: ContentReader, gold: QuestionSet) -> bool:
    """Return whether a file has a line for each question of a set whose runs are lines.

    It is neither JSON nor XML, nor a table whose first column has the ids.
    """
    if gold.format not in READERS or not READERS[gold.format].lines:
        return False
    data = reader.peek()
    if data[:4] == b"PAR1" or is_journal(data[:_HEAD_BYTES]):
        return False
    text = decode_text(reader.path, data, "run")
    lines = split_lines(text)
    if text.lstrip()[:1] in {"{", "[", "<"}:
        # Most lines of JSON and XML begin like it, even of a damaged file; one line may be all.
        nonblank = [line for line in lines if line.strip()]
        if 2 * sum(_MARKUP_START.match(line) is not None for line in nonblank) > len(nonblank):
            return False
        try:
            from_json(text)
        except ValueError:
            return True
        return False
    if len(lines) != len(gold.questions):
        return False
    # a table may have as many lines, but it has ids in its first column
    rows = [re.split(r"[\t,;]", line, maxsplit=1) for line in lines]
    if "\t" not in text and any(len(row) == 1 for row in rows):
        return True
    return not {row[0].strip(' "') for row in rows} <= gold.by_id.keys()

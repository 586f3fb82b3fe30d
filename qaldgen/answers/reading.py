"""Read runs, recognising the format of a file by its content, never by its name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from qaldgen.answers import lines, plain_answers, qald_answers
from qaldgen.answers.asked_wordings import choose_asked_as, split_asked_ids
from qaldgen.answers.chats import with_replies_as_fields
from qaldgen.answers.counted_responses import all_responses, last_responses
from qaldgen.answers.file_parts import (
    answers_by_question,
    answers_in_objects,
    answers_in_rows,
    parts_with_answers,
    with_shared_ids,
)
from qaldgen.answers.gold_as_run import answers_in_gold, gold_as_answers, questions_with_other_gold
from qaldgen.answers.gold_comparison import with_answers_by_values
from qaldgen.answers.journal import JOURNAL, is_journal, read_journal
from qaldgen.answers.lines import submitted_lines
from qaldgen.answers.question_matching import (
    match_questions,
    other_ids,
    rename_questions,
    rename_responses,
)
from qaldgen.answers.record import ParsedResponse, ParsedRun, Run, RunOptions
from qaldgen.answers.run_columns import has_answers, has_scores
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError, refusing_deep_nesting
from qaldgen.io.arguments import one_of
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.extensions import Table
from qaldgen.io.inputs import is_folder
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count, few_quoted
from qaldgen.io.unpacking import open_content
from qaldgen.model import QuestionSet, Remark
from qaldgen.options import Field, RunFormats
from qaldgen.questions.columns import ChosenFields
from qaldgen.questions.fields import normalize_name
from qaldgen.questions.file_content import (
    Content,
    InMemory,
    check_source,
    content_in_memory,
    has_parts,
    is_in_memory,
    load_content,
    read_content,
)
from qaldgen.questions.reading import looks_like
from qaldgen.questions.result_sets import recognises_result_sets

_SYSTEM_NAMES = ("model", "modelname", "system", "systemname", "name")


class RunReader(NamedTuple):
    """How one format is recognised and read.

    Attributes
    ----------
    recognises : callable
        Returns whether a file has this format; the first reader that recognises a file reads it.
    read : callable
        Returns the responses.
    help : str
        The format in one line.
    tries : bool
        Whether several entries for one question are several answers (`Run.repeats`), such as
        samples of a language model; otherwise the last one counts.
    filters : bool
        Whether a filter chooses among several answers to a question, each with scores, which may be
        missing (NaN).
    replies : bool
        Whether the reply of a program to one question may be a record in this format.
    """

    recognises: Callable[[Content], bool]
    read: Callable[[Content, RunOptions], ParsedRun]
    help: str
    tries: bool = False
    filters: bool = False
    replies: bool = False


@without_garbage_collection()
def read_run(
    path: str | Path | InMemory,
    *,
    format: RunFormats | None = None,
    name: str | None = None,
    gold: QuestionSet | None = None,
    language: str = LANGUAGE,
    filter: str = "",
    answer_field: Sequence[Field] = (),
) -> Run:
    """Read the answers of a system, from a file that is plain or packed with gzip, bzip2 or zip.

    Parameters
    ----------
    path
        The file; or a dict of id and answer, a list of dicts or a DataFrame with columns or keys as
        in a file.
    format
        Format of the runs, if it is not recognised.

        A key of `RUN_READERS`.
    name
        The name of the system; None for the name that the file states, or that of the file.
    gold
        The questions that were asked. Lines without ids get theirs in this order, and a run with
        other ids or none is matched by the texts of the questions.
    language
        Which answers to take if the file has several languages.
    filter
        For logs: the filter or scorer whose answers count; raw: the unfiltered responses.
    answer_field
        Field or column with the answers, if its name does not tell (tables and JSON records);
        several for as many systems.

    Returns
    -------
    Run
        Several entries for one question are several answers (`Run.repeats`) in records and tables;
        in QALD JSON and in a journal the last one counts.

    Raises
    ------
    DataError
        If the file cannot be read, has no known format, has no answers, or is broken; the message
        says where.

    Examples
    --------
    >>> read_run({"1": "Ulm"}, name="mine").response("1").answers.values()
    ['Ulm']
    """
    runs = read_systems(
        path,
        format=format,
        name=name,
        gold=gold,
        language=language,
        filter=filter,
        answer_field=answer_field,
    )
    if len(runs) > 1:
        systems = few_quoted([run.name for run in runs])
        raise DataError(
            f"holds the answers of several systems ({systems}), which score, compare and report"
            " read; keep the answers of one here",
            where=str(path) if isinstance(path, (str, Path)) else "run",
        )
    return runs[0]


@without_garbage_collection()
def read_systems(
    path: str | Path | InMemory,
    *,
    format: RunFormats | None = None,
    name: str | None = None,
    system: str = "",
    gold: QuestionSet | None = None,
    language: str = LANGUAGE,
    filter: str = "",
    answer_field: Sequence[Field] = (),
) -> list[Run]:
    """Read the answers of a system as `read_run` does, or those of each of several systems.

    If one of several systems is called `system`, only that is read.
    """
    check_format(format)
    if isinstance(answer_field, str):
        answer_field = (answer_field,)
    options = RunOptions(gold, language, filter, ChosenFields(answers=tuple(answer_field)))
    if is_in_memory(path):
        source = content_in_memory(path, "run")
        where = source.path
    else:
        check_source(path, "run", "a file, a dict of id and answer, a list of dicts or a DataFrame")
        where = Path(path)  # type: ignore[arg-type]
        source = None
    with refusing_deep_nesting(where):
        source = source or _open_run(where, format, gold)
        if format is None:
            recognised = _recognise(source, options.chosen_fields, gold)
        else:
            recognised = _Recognised(source, format)
        content, run_format, parts = recognised
        if not parts:
            with collecting() as notes:
                note(*content.notes)
                parsed = _parse(content, run_format, options)
            parts = dict(parsed.systems)
            if parts:  # what is said of the file is said once, with its first system
                first = next(iter(parts))
                parts[first] = dataclasses.replace(parts[first], notes=tuple(notes))
    if parts:
        if system in parts:
            parts = {system: parts[system]}
        runs = []
        for part_name, part in parts.items():
            # without the chosen fields: the answers are in a known one now
            runs += read_systems(
                part, format=format, name=part_name, gold=gold, language=language, filter=filter
            )
        return runs

    stated_name = parsed.name
    document = source.document
    # the answers may be a part of a document that names the system
    if not stated_name and content.document is not document and isinstance(document, dict):
        texts = {normalize_name(key): text for key, text in document.items() if type(text) is str}
        names = [texts[key] for key in _SYSTEM_NAMES if key in texts]
        stated_name = names[0] if names else ""
    remarks = [Remark(text, where=str(where)) for text in notes]
    differing: tuple[str, ...] = ()
    if parsed.gold and gold is not None:
        differing = questions_with_other_gold(source, gold, language)
        if differing:
            text = (
                f"its own gold, {parsed.gold!r}, differs from that of {gold.name} for"
                f" {count(len(differing), 'question')} (first: {differing[0]}); that of"
                f" {gold.name} counts"
            )
            remarks.append(Remark(text, where=str(where)))
    empty_run = Run(
        name or stated_name or content.name,
        run_format,
        {},
        sha256=content.sha256,
        system=stated_name,
        gold=parsed.gold,
        differing=differing,
    )

    responses = parsed.responses
    if gold is not None or run_format == JOURNAL:
        responses = split_asked_ids(responses, gold)
    wording = choose_asked_as(responses, language, where)
    by_wording: dict[str, list[ParsedResponse]] = {wording: []}
    for item in responses:
        by_wording.setdefault(item.asked_as, []).append(item)
    by_run = {
        asked_as: _fill_run(empty_run, items, gold, where) for asked_as, items in by_wording.items()
    }
    run = by_run.pop(wording)
    return [dataclasses.replace(run, notes=(*remarks, *run.notes), others=by_run)]


def _parse(content: Content, format: str, options: RunOptions) -> ParsedRun:
    """Read the responses in a file, with the ids of the gold questions where the texts agree."""
    parsed = _read_with_format(content, format, options)
    ids = {} if options.gold is None else other_ids(parsed.responses, options.gold)
    if options.gold is None or not ids:
        return parsed
    # Answers are read by what their questions ask for, so they are read again.
    asked = options._replace(gold=rename_questions(options.gold, ids))
    parsed = _read_with_format(content, format, asked)
    return parsed._replace(responses=rename_responses(parsed.responses, ids))


def _fill_run(
    run: Run, parsed: Sequence[ParsedResponse], gold: QuestionSet | None, path: Path
) -> Run:
    """Return a run with the responses that count, matched with the gold questions."""
    reader = RUN_READERS[run.format]
    with collecting() as notes:
        matched = parsed
        if gold is not None and run.format != "lines":
            matched = match_questions(parsed, gold)
        if reader.tries:
            counted = all_responses(matched, is_log=reader.filters)
        else:
            counted = last_responses(matched)
    remarks = tuple(Remark(text, where=str(path)) for text in notes)
    return dataclasses.replace(run, notes=remarks, **counted._asdict())


def _read_with_format(content: Content, format: str, options: RunOptions) -> ParsedRun:
    """Read a file in a format; refuse one without answers."""
    if options.filter and not RUN_READERS[format].filters:
        logs = [name for name, reader in RUN_READERS.items() if reader.filters]
        raise UsageError(
            f"a filter chooses among the answers of a log ({', '.join(logs)});"
            f" leave {options.filter!r} out here",
            where=content.path,
        )
    result = RUN_READERS[format].read(content, options)
    if not isinstance(result, ParsedRun):  # a reader of another package
        raise DataError(
            f"the reader of {format!r} returned a {type(result).__name__};"
            " a qaldgen.answers.record.ParsedRun is expected",
            where=content.path,
        )
    if not result.responses and not result.systems:
        raise DataError("holds no answer to any question", where=content.path)
    return result


def check_format(format: str | None) -> None:
    """Refuse an unknown format."""
    if format is not None and format not in RUN_READERS:
        raise UsageError(f"there is no format {format!r} of runs; {one_of(format, RUN_READERS)}")


class _Recognised(NamedTuple):
    """Where the answers of a file are, and how they are read."""

    content: Content  # the file, or the part of it with the answers
    format: str
    systems: Mapping[str, Content] = {}  # the answers of each system by name, if there are several


def _recognise(
    content: Content, chosen_fields: ChosenFields, gold: QuestionSet | None
) -> _Recognised:
    """Return the content with the answers, which may be a part of the file, and its format.

    The first of these that fits decides: lines; fields that the user has chosen; an object whose
    keys are ids of the gold; answers by system, or a row for each system; the formats of certain
    programs; columns that agree with the gold, if none has the name of an answer; the plain formats
    of the file or of one of its parts; and a file like that of the gold.
    """
    content = with_replies_as_fields(content)
    if gold is not None:
        # other formats have the same reader for gold and for runs
        if gold.format not in RUN_READERS or gold.format in _PLAIN_READERS:
            content = gold_as_answers(content, chosen_fields, gold)
        content = with_shared_ids(content, gold)

    if content.kind == "lines":
        return _Recognised(content, "lines")
    plain_format = "table" if content.kind == "text" else "records"
    if chosen_fields.answers:  # only these two formats have fields that can be chosen
        return _Recognised(content, plain_format)

    columns = content.table.header if content.kind == "text" else list(content.keys)
    if has_scores(columns):
        raise DataError(
            f"is a table of scores (columns {', '.join(columns)}), not of answers; give the answers"
            " of the system. 'qaldgen plan' reads tables of scores, with one"
            " column for each system",
            where=content.path,
        )

    document = content.document if isinstance(content.document, dict) else {}
    # ids may look like names of fields
    keys_are_ids = gold is not None and 2 * len(gold.by_id.keys() & document) > len(document)
    if keys_are_ids and plain_answers.recognises_id_answer(content, are_ids=True):
        return _Recognised(content, "id-answer")

    systems = (
        answers_in_objects(content, gold)
        or answers_by_question(content, gold)
        or answers_in_rows(content, columns, gold)
    )
    parts = {name: content.with_records(records) for name, records in systems.items()}
    if len(parts) == 1:
        [part] = parts.values()
        return _Recognised(part, plain_format)
    if parts:
        return _Recognised(content, plain_format, parts)

    for name, reader in RUN_READERS.items():
        if name not in _PLAIN_READERS and reader.recognises(content):
            return _Recognised(content, name)

    names_answers = has_answers(columns) or has_answers(content.row_keys)
    if gold is not None and not names_answers:
        by_values = with_answers_by_values(content, gold)
        if by_values is not None:
            return _Recognised(by_values, plain_format)

    for part in parts_with_answers(content):
        # the specific readers have refused the whole
        for name in _PLAIN_READERS if part is content else RUN_READERS:
            if RUN_READERS[name].recognises(part):
                return _Recognised(part, name)
    if gold is not None:
        answers = answers_in_gold(content, gold)
        if answers is not None:
            return _Recognised(answers, "records")
    raise DataError(
        f"is not a run in a known format; it looks like {looks_like(content, content.keys)}."
        " A table or JSON records need an id and an answer ('id', 'answers'); 'qaldgen list runs'"
        f" has all {len(RUN_READERS)} formats, and `answer_field` names another column",
        where=content.path,
    )


def _open_run(path: Path, format: str | None, gold: QuestionSet | None) -> Content:
    """Read a file; a journal is left to its own reader, which accepts an incomplete last line."""
    if is_folder(path):
        return load_content(path, "run")
    with open_content(path) as reader:
        if has_parts(reader):
            return read_content(reader, "run")
        if format in {None, "lines"}:
            lines = submitted_lines(reader, gold, chosen=format == "lines")
            if lines is not None:
                return lines
        if format == JOURNAL or (format is None and is_journal(reader.peek(2**16))):
            reader.read()
            return Content(path, JOURNAL, "", reader.hexdigest(), file_name=reader.name)
        return read_content(reader, "run")


def _read_journal_responses(content: Content, options: RunOptions) -> ParsedRun:
    run = read_journal(content.path)
    note(*(Remark(text).text for text in run.notes))
    return ParsedRun([ParsedResponse(response) for response in run.responses.values()])


_SPECIFIC_READERS = {
    "qald-extended": RunReader(
        qald_answers.recognises_extended_answers,
        partial(qald_answers.read_qald_answers, extended=True),
        "extended QALD JSON, as web services answer",
    ),
    "qald-json": RunReader(
        qald_answers.recognises_qald_answers,
        partial(qald_answers.read_qald_answers, extended=False),
        "QALD JSON: answer files of shared tasks and evaluators",
    ),
    JOURNAL: RunReader(
        lambda content: content.kind == JOURNAL,
        _read_journal_responses,
        "our journal: JSON Lines with id, status, answers",
    ),
    "result-sets": RunReader(
        recognises_result_sets,
        plain_answers.read_result_sets,
        "result sets of text2sparql-client and t2s-metrics, JSON",
    ),
}
_PLAIN_READERS = {
    "records": RunReader(
        plain_answers.recognises_records,
        plain_answers.read_records,
        "JSON or JSON Lines with id or question, and answer; also language and status",
        tries=True,
    ),
    "id-answer": RunReader(
        plain_answers.recognises_id_answer,
        plain_answers.read_id_answer,
        "a JSON object of id or question to answer, as for Mintaka",
        tries=True,
    ),
    "table": RunReader(
        plain_answers.recognises_table,
        plain_answers.read_table,
        "CSV, TSV or Excel with id and answers; with a header also status and query",
        tries=True,
    ),
    "lines": RunReader(
        lines.recognises_lines,
        lines.read_lines,
        "one line per question without ids, as for some shared tasks; or a JSON list of answers",
    ),
}
#: Every readable format of runs, by the name that `format` takes. Formats that other packages add
#: by the entry point group qaldgen.runs come before plain records.
RUN_READERS = Table("runs", RunReader, _SPECIFIC_READERS, final=_PLAIN_READERS)

"""Read runs: the format of a file is recognised by its content, never by its name."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers import lines, plain_answers, qald_answers
from qaldgen.answers.beside_gold import with_answers_by_values
from qaldgen.answers.journal import JOURNAL, is_journal, read_journal
from qaldgen.answers.lines import submitted_lines
from qaldgen.answers.question_matching import (
    choose_asked_as,
    counted_ids,
    ids_as_in_gold,
    join_by_text,
    number_parts_of_records,
    rename_questions,
    rename_responses,
    split_asked_ids,
)
from qaldgen.answers.record import (
    DUPLICATE_ID,
    ParsedResponse,
    ParsedRun,
    Response,
    Run,
    RunOptions,
)
from qaldgen.answers.run_columns import SeveralSystems, carries_systems, has_answers, has_scores
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError, refusing_deep_nesting
from qaldgen.io.arguments import one_of
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.extensions import Table
from qaldgen.io.inputs import is_folder
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count
from qaldgen.io.unpacking import open_content
from qaldgen.model import Answers, Question, QuestionSet, Remark
from qaldgen.options import Field, RunFormats
from qaldgen.questions.columns import ChosenFields
from qaldgen.questions.csv_tables import objects_in, table_header
from qaldgen.questions.fields import NAMES, is_a, plain_name, says_prediction
from qaldgen.questions.file_content import (
    Content,
    InMemory,
    check_source,
    content_in,
    content_in_memory,
    has_parts,
    in_memory,
    load_content,
)
from qaldgen.questions.nested_records import asked_in
from qaldgen.questions.reading import looks_like, read_questions
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.records import ReadOptions
from qaldgen.questions.result_sets import recognises_result_sets
from qaldgen.questions.results_json import whole_answers_json

#: Under these names a file may hold all its answers, and under those the name of the system.
HOLDERS = frozenset(
    {
        *NAMES["prediction"],
        *NAMES["bare answer"],
        "results",
        "data",
        "records",
        "items",
        "rows",
        "questions",
    }
)
_SYSTEM_NAMES = ("model", "modelname", "system", "systemname", "name")
#: What forms write before a question.
_NUMBER = re.compile(r"[0-9]+[.)]\s+")


class RunReader(NamedTuple):
    """How one format is recognised and read.

    Attributes
    ----------
    recognises : callable
        Says whether a file has this format; the first reader that says so reads it.
    read : callable
        Returns the responses and notes.
    help : str
        What it is, in one line.
    tries : bool
        Whether several entries for one question are several tries, such as samples of a language
        model; otherwise the last one counts.
    filters : bool
        Whether a filter chooses among several answers to a question, each with scores, which may be
        missing (NaN).
    replies : bool
        Whether what a program replies to one question may be a record of this form.
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
        Several entries for one question are several tries (`Run.repeats`) in records and tables; in
        QALD JSON and in a journal the last one counts.

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
    check_format(format)
    if isinstance(answer_field, str):
        answer_field = (answer_field,)
    chosen_fields = ChosenFields(answers=tuple(answer_field))
    options = RunOptions(gold, language, filter, chosen_fields)
    if in_memory(path):
        source = content_in_memory(path, "run")
        path = source.path
    else:
        check_source(path, "run", "a file, a dict of id and answer, a list of dicts or a DataFrame")
        path = Path(path)  # type: ignore[arg-type]
        source = None
    with refusing_deep_nesting(path):
        source = source or _open(path, format, gold)
        content, form = source, format
        if form is None:
            content = _with_shared_ids(_gold_as_answers(source, chosen_fields, gold), gold)
            content, form = _recognised(content, chosen_fields, gold)
        with collecting() as collected:
            note(*content.notes)
            read = _found(content, form, options)
            ids = {} if gold is None else counted_ids(read.responses, gold)
            if gold is not None and ids:
                # once more: what a question expects of its answer is known only now
                read = _found(content, form, options._replace(gold=rename_questions(gold, ids)))
                first = min(ids, key=lambda name: int(ids[name]))
                note(
                    f"its ids count the questions (first: {first}), and {gold.name} has no ids of"
                    " its own; the answers are taken to be in the order of the questions"
                )
                read = read._replace(responses=rename_responses(read.responses, ids))
        system = read.name
        if not system and content.document is not source.document:
            document = source.document if isinstance(source.document, dict) else {}
            stated = {plain_name(key): text for key, text in document.items()}
            names = [stated[key] for key in _SYSTEM_NAMES if isinstance(stated.get(key), str)]
            system = next(iter(names), "")
    responses = read.responses
    if gold is not None or form == JOURNAL:
        responses = split_asked_ids(responses, gold)
    notes = [*collected]
    differing: tuple[str, ...] = ()
    if read.gold and gold is not None:
        differing = _differing(source, gold, language)
        if differing:
            notes.append(
                f"its own gold, {read.gold!r}, differs from that of {gold.name} for"
                f" {count(len(differing), 'question')} (first: {differing[0]}); that of"
                f" {gold.name} counts"
            )
    run = Run(
        name or system or content.name,
        form,
        {},
        sha256=content.sha256,
        system=system,
        gold=read.gold,
        differing=differing,
    )
    wording = choose_asked_as(responses, language, path)
    by_wording: dict[str, list[ParsedResponse]] = {wording: []}
    for item in responses:
        by_wording.setdefault(item.asked_as, []).append(item)
    runs = {asked_as: _run(items, run, gold, path) for asked_as, items in by_wording.items()}
    chosen = runs.pop(wording)
    remarks = [Remark(text, where=str(path)) for text in notes]
    return dataclasses.replace(chosen, notes=(*remarks, *chosen.notes), others=runs)


def _differing(content: Content, gold: QuestionSet, language: str) -> tuple[str, ...]:
    """Return the questions whose gold in the file of a run is not that of the questions."""
    if content.sha256 == gold.sha256:
        return ()
    try:
        own_questions = read_questions(content, ReadOptions(language=language))
    except (DataError, UsageError):  # answers with ids alone
        return ()
    differing = []
    for question in own_questions:
        asked_question = gold.by_text.get(question.text(language)) or gold.by_id.get(question.id)
        if asked_question is None or question.answers is None:
            continue
        if _values(asked_question) != _values(question):
            differing.append(asked_question.id)
    return tuple(differing)


def _values(question: Question) -> set[str]:
    answers = question.answers or Answers()
    # whether several names are those of one answer may be said by one file only
    texts = (*answers.values(), *chain.from_iterable(answers.texts))
    return {text.casefold() for text in texts}


def _run(parsed: Sequence[ParsedResponse], run: Run, gold: QuestionSet | None, path: Path) -> Run:
    """Return a run with these responses, joined with the questions."""
    reader = RUN_READERS[run.format]
    with collecting() as notes:
        if gold is not None and run.format != "lines":
            parsed = join_by_text(number_parts_of_records(ids_as_in_gold(parsed, gold), gold), gold)
        times = Counter(item.response.id for item in parsed)
        repeated = [name for name, number in times.items() if number > 1]
        if repeated and not reader.tries:
            text = (
                f"{count(len(repeated), 'id')} (first: {repeated[0]}) used more than once;"
                " the last entry counts"
            )
            note(Remark(text, rule=DUPLICATE_ID))
    responses = {item.response.id: item.response for item in parsed}
    tries = several_tries(parsed) if reader.tries else {}
    # With several tries the last one stands for the question wherever only one can be used.
    responses |= {name: question_tries[-1] for name, question_tries in tries.items()}
    several = {name: question_tries for name, question_tries in tries.items() if question_tries[1:]}
    bare = {item.response.id for item in parsed if not item.repeat} if not reader.filters else ()
    # a script that was started again writes some answers twice
    copies = {
        name
        for name, question_tries in several.items()
        if name in bare and len({(item.status, item.answers) for item in question_tries}) == 1
    }
    texts = [*notes]
    if copies and len(copies) == len(several) and 2 * len(copies) < len(responses):
        texts.append(f"{count(len(copies), 'question')} with the same answers twice; one counts")
        several = {}
    return dataclasses.replace(
        run,
        responses=responses,
        notes=tuple(Remark(text, where=str(path)) for text in texts),
        repeats=several,
        unnumbered=tuple(name for name in several if name in bare),
    )


def _found(content: Content, form: str, options: RunOptions) -> ParsedRun:
    """Return the result of the reader of a format; refuse a file without answers."""
    if options.filter and not RUN_READERS[form].filters:
        logs = [name for name, reader in RUN_READERS.items() if reader.filters]
        raise UsageError(
            f"a filter chooses among the answers of a log ({', '.join(logs)});"
            f" leave {options.filter!r} out here",
            where=content.path,
        )
    result = RUN_READERS[form].read(content, options)
    if not isinstance(result, ParsedRun):  # a reader of another package
        raise DataError(
            f"the reader of {form!r} returned a {type(result).__name__};"
            " a qaldgen.answers.record.ParsedRun is expected",
            where=content.path,
        )
    if not result.responses:
        raise DataError("holds no answer to any question", where=content.path)
    return result


def several_tries(responses: Sequence[ParsedResponse]) -> dict[str, tuple[Response, ...]]:
    """Return the tries that count, for each question that the file names more than once.

    A try with the same number as an earlier one replaces it. If tries are not numbered, a failure
    is dropped if there is another try.
    """
    tries: dict[str, dict[str, Response]] = {}
    for item in responses:
        numbered = tries.setdefault(item.response.id, {})
        numbered[item.repeat or f"#{len(numbered)}"] = item.response
    counted = {}
    for name, numbered in tries.items():
        counting = [
            response
            for repeat, response in numbered.items()
            if repeat[:1] != "#" or response.status in {"answered", "empty"}
        ]
        if len(numbered) > 1:
            counted[name] = tuple(counting or [*numbered.values()][-1:])
    return counted


def check_format(format: str | None) -> None:
    """Refuse an unknown format."""
    if format is not None and format not in RUN_READERS:
        raise UsageError(f"there is no format {format!r} of runs; {one_of(format, RUN_READERS)}")


def _recognised(
    content: Content, chosen_fields: ChosenFields, gold: QuestionSet | None
) -> tuple[Content, str]:
    """Return the format of a file, a key of `RUN_READERS`, and what is read: all, or a part."""
    if content.kind == "lines":
        return content, "lines"
    form = "table" if content.kind == "text" else "records"
    if chosen_fields.answers:  # only these two have fields to be chosen
        return content, form
    columns = table_header(content) if content.kind == "text" else list(content.keys)
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
        return content, "id-answer"
    systems = _by_system(content.document, gold) or _in_rows(content, columns, gold)
    if len(systems) > 1:
        raise SeveralSystems(content, systems)
    if systems:
        return content.of_records(*systems.values()), form
    for name, reader in RUN_READERS.items():
        if name not in _PLAIN and reader.recognises(content):
            return content, name
    names_answers = has_answers(columns) or has_answers(content.row_keys)
    if gold is not None and not names_answers:
        by_values = with_answers_by_values(content, gold)
        if by_values is not None:
            return by_values, form
    for part in _parts(content):
        for name, reader in RUN_READERS.items():
            if reader.recognises(part):
                return part, name
    if gold is not None:
        answers = _answers_in_gold(content, gold)
        if answers is not None:
            return answers, "records"
    raise DataError(
        f"is not a run in a known format; it looks like {looks_like(content, content.keys)}."
        " A table or JSON records need an id and an answer ('id', 'answers'); 'qaldgen list runs'"
        f" has all {len(RUN_READERS)} formats, and `answer_field` names another column",
        where=content.path,
    )


def _gold_as_answers(
    content: Content, chosen_fields: ChosenFields, gold: QuestionSet | None
) -> Content:
    """Return the file of the gold, or one in its form with answers as objects, as that of a run.

    What only the reader of the gold understands of an answer would be lost.
    """
    names = table_header(content) if content.kind == "text" else content.row_keys
    if (
        gold is None
        or content.kind == "lines"
        or chosen_fields.answers
        or any(map(says_prediction, names))
    ):
        return content
    if gold.format in RUN_READERS and gold.format not in _PLAIN:  # read alike in both places
        return content
    if content.sha256 == gold.sha256:
        return _as_answers(content, gold) or content
    if gold.format in RECORD_FORMATS and content.row_keys:
        first = next((row for row in content.rows if isinstance(row, dict)), {})
        objects = any(isinstance(first[name], dict) for name in first if is_a(name, "answer"))
        if objects and RECORD_FORMATS[gold.format].claims(content):
            return _answers_in_gold(content, gold) or content
    return content


def _answers_in_gold(content: Content, gold: QuestionSet) -> Content | None:
    """Return the gold answers of a question set as those of a system; None if it has none.

    One in another form than the gold may be the questions, and the two swapped.
    """
    try:
        questions = read_questions(content)
    except (DataError, UsageError):
        return None
    if questions.format != gold.format:
        return None
    return _as_answers(content, questions)


def _as_answers(content: Content, questions: QuestionSet) -> Content | None:
    """Return the gold answers of questions as records of a run; None if there are none."""
    if all(question.answers is None for question in questions):
        return None
    rows = [
        {
            "id": question.id,
            "question": question.text(),
            "answers": whole_answers_json(question.answers or Answers()),
        }
        for question in questions
    ]
    answers = dataclasses.replace(content, kind="jsonl").of_records(rows)
    text = "is a question set; its gold answers are taken as those of a system"
    return dataclasses.replace(answers, notes=(*answers.notes, text))


def _with_shared_ids(content: Content, gold: QuestionSet | None) -> Content:
    """Return records with the ids of the gold, where only a column that both have tells them."""
    if gold is None or content.kind not in {"text", "json", "jsonl"}:
        return content
    names = table_header(content) if content.kind == "text" else [*content.row_keys]
    gold_names = {name for question in gold.questions[:1] for name in question.metadata}
    shared = sorted(gold_names.intersection(names))
    if not shared or any(is_a(name, "question", "maybe question") for name in names):
        return content
    rows = objects_in(content)
    for name in names:
        if is_a(name, "id", "run id") and any(str(row.get(name)) in gold.by_id for row in rows):
            return content
    # one column tells the questions apart, or all that both have do together
    for columns in [*([name] for name in shared), shared]:
        ids = {
            tuple(str(question.metadata.get(name)) for name in columns): question.id
            for question in gold.questions
        }
        values_by_row = [tuple(str(row.get(name)) for name in columns) for row in rows]
        different = {*values_by_row}
        if len(ids) < len(gold.questions) or len(different) < 2 or not ids.keys() >= different:
            continue
        with_ids = [
            {"id": ids[values], **{field: row[field] for field in row if not is_a(field, "run id")}}
            for values, row in zip(values_by_row, rows, strict=True)
        ]
        keys = " and ".join(map(repr, columns))
        text = f"its questions are told by {keys}, as those of {gold.name}"
        return dataclasses.replace(content.of_records(with_ids), notes=(*content.notes, text))
    return content


def _parts(content: Content) -> Iterator[Content]:
    """Yield what may be the answers in a file: its records, itself, or what is under one name."""
    document = content.document
    if content.kind in {"json", "jsonl"} and content.rows != content.records:
        rows = [row for row in content.rows if isinstance(row, dict)]
        if rows and (has_answers(rows[0]) or carries_systems(rows)):
            yield content.of_records(rows)
    held: dict[str, Any] = {}
    if isinstance(document, dict):
        held = {name: value for name, value in document.items() if plain_name(name) in HOLDERS}
    for value in held.values():
        # objects without ids are in the order of the questions
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            part = content.of_records(value)
            if lines.recognises_lines(part):
                yield part
    yield content
    if content.kind != "json" or not isinstance(document, dict):
        return
    if "bindings" in (document.get("results") or ()):
        return  # those of one query do not say of which question they are
    for value in held.values():
        if isinstance(value, dict) and value:
            part = dataclasses.replace(content, document=value, keys=frozenset(value))
            yield from _parts(part)
        elif isinstance(value, list) and value:
            part = dataclasses.replace(content, document=value, keys=frozenset())
            yield from _parts(part.of_records(value))


def _by_system(document: Any, gold: QuestionSet | None) -> dict[str, list[dict[str, Any]]]:  # noqa: ANN401 - parsed JSON
    """Return the answers of each system in an object of them, as records; else {}.

    They are lists of records with the same ids, or objects from ids to answers.
    """
    if not isinstance(document, dict) or not document:
        return {}
    if not HOLDERS.isdisjoint(map(plain_name, document)):
        return {}
    are_lists_of_records = all(
        isinstance(rows, list)
        and rows
        and all(isinstance(row, dict) and has_answers(row) for row in rows)
        for rows in document.values()
    )
    if len(document) > 1 and are_lists_of_records:
        if set.intersection(*map(asked_in, document.values())):
            return document
        return {}
    questions = gold.by_id.keys() | gold.by_text.keys() if gold else set[str]()
    if not questions.isdisjoint(document):
        return {}
    for answers in document.values():
        if not isinstance(answers, dict) or questions.isdisjoint(answers):
            return {}
    return {
        system: [{"id": name, "answer": value} for name, value in answers.items()]
        for system, answers in document.items()
    }


def _in_rows(
    content: Content, columns: Sequence[str], gold: QuestionSet | None
) -> dict[str, list[dict[str, Any]]]:
    """Return the answers of each system in rows with one for each, and a column a question.

    Forms that people fill in are such tables. The name of a system is in a column that is called
    so, else in the last of the others that has a different value in each row.
    """
    if gold is None or not (content.kind == "text" or isinstance(content.document, list)):
        return {}
    ids: dict[str, str] = {}
    for name in columns:
        question = gold.by_id.get(name) or gold.by_text.get(_NUMBER.sub("", name, count=1))
        if question is not None:
            ids[name] = question.id
    if len(ids) < 2 or 2 * len(ids) < len(gold.questions):
        return {}
    rows = objects_in(content)
    others = [name for name in columns if name not in ids]
    others.sort(key=lambda name: is_a(name, "system"))
    names = [str(number) for number in range(1, len(rows) + 1)]
    for name in others:
        values = [str(row.get(name, "")) for row in rows]
        if "" not in values and len({*values}) == len(rows):
            names = values
    return {
        system: [{"id": ids[name], "answer": row.get(name)} for name in ids]
        for system, row in zip(names, rows, strict=True)
    }


def _open(path: Path, format_: str | None, gold: QuestionSet | None) -> Content:
    """Read a file; a journal is left to its own reader, which accepts an incomplete last line."""
    if is_folder(path):
        return load_content(path, "run")
    with open_content(path) as reader:
        if format_ in {None, "lines"}:
            lines = submitted_lines(reader, gold, chosen=format_ == "lines")
            if lines is not None:
                return lines
        if has_parts(reader):
            return content_in(reader, "run")
        if format_ == JOURNAL or (format_ is None and is_journal(reader.peek(2**16))):
            reader.read()
            return Content(path, JOURNAL, "", reader.hexdigest(), file_name=reader.name)
        return content_in(reader, "run")


def _journal_responses(content: Content, options: RunOptions) -> ParsedRun:
    run = read_journal(content.path)
    note(*(Remark(text).text for text in run.notes))
    return ParsedRun([ParsedResponse(response) for response in run.responses.values()])


_KNOWN = {
    "qald-extended": RunReader(
        qald_answers.recognises_extended_answers,
        qald_answers.read_extended_answers,
        "extended QALD JSON, as web services answer",
    ),
    "qald-json": RunReader(
        qald_answers.recognises_qald_answers,
        qald_answers.read_qald_answers,
        "QALD JSON: answer files of shared tasks and evaluators",
    ),
    JOURNAL: RunReader(
        lambda content: content.kind == JOURNAL,
        _journal_responses,
        "our journal: JSON Lines with id, status, answers",
    ),
    "result-sets": RunReader(
        recognises_result_sets,
        plain_answers.read_result_sets,
        "result sets of text2sparql-client and t2s-metrics, JSON",
    ),
}
_PLAIN = {
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
#: Every form of runs that can be read, by the name that `format` takes; those that other packages
#: add by the entry point group qaldgen.runs come before plain records.
RUN_READERS = Table("runs", RunReader, _KNOWN, last=_PLAIN)

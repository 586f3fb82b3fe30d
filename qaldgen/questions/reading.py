"""Read question sets, recognising the format of a file by its content, never by its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from qaldgen.errors import DataError, UnknownFormat, UsageError, refusing_deep_nesting
from qaldgen.io.arguments import one_of
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.extensions import Table
from qaldgen.io.inputs import is_folder
from qaldgen.io.notes import collecting
from qaldgen.io.text import count, few_and_more, few_quoted
from qaldgen.model import QuestionSet
from qaldgen.questions import (
    generic_records,
    qald_json,
    qald_xml,
    rdf_questions,
    result_sets,
)
from qaldgen.questions.collecting import (
    DEFAULT_OPTIONS,
    Read,
    ReadOptions,
    ReadSet,
    collect_questions,
)
from qaldgen.questions.fetching import resolve
from qaldgen.questions.fields import is_gold_name, is_prediction_name, may_hold_gold
from qaldgen.questions.file_content import (
    EMPTY,
    Content,
    InMemory,
    check_source,
    content_in_memory,
    is_in_memory,
    load_content,
)
from qaldgen.questions.generic_records import answer_key
from qaldgen.questions.line_formats import LINE_FORMATS
from qaldgen.questions.rdf_questions import read_rdf, recognises_rdf
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.separate_files import with_answers, with_prefixes
from qaldgen.questions.system_columns import answer_columns

_MAX_SHOWN_KEYS = 8
_MAX_NAMED = 20
#: The most records whose values a message looks at.
_LOOKED_AT = 20
#: Keys of records that are conversations.
_CONVERSATION_KEYS = frozenset({"messages", "conversations", "conversation"})
#: Formats in which the property with the texts can be chosen.
_RDF = ("rdf", "sparql-examples")


class Reader(NamedTuple):
    """How one format is recognised and read.

    Attributes
    ----------
    recognises : callable
        Returns whether a file has this format. At most one of the readers of certain data sets
        recognises a file; plain formats are tried last.
    read : callable
        Yields the questions, and the records that it leaves out; or returns these with what holds
        for all of them (`collecting.ReadSet`).
    help : str
        The format in one line.
    answers : bool
        Whether a file also holds the answers of a system.
    load : callable or None
        Loads a path that is recognised by its name, or that has several files, as content whose
        kind is the name of the format; returns None for any other path.
    files : callable or None
        Returns the files that are read together with a file of this format.
    lines : bool
        Whether runs on such questions are lines without ids.
    """

    recognises: Callable[[Content], bool]
    read: Read
    help: str
    answers: bool = False
    load: Callable[[Path], Content | None] | None = None
    files: Callable[[Path], list[Path]] | None = None
    lines: bool = False


def reading_notes(questions: QuestionSet) -> list[str]:
    """Return the notes on a question set: on skipped and broken records, and of the reader."""
    broken = [record for record in questions.left_out if record.broken]
    skipped = [record for record in questions.left_out if not record.broken]
    # reversed, so that the first record with each reason is kept
    first_records = {record.reason: record.record for record in reversed(skipped)}
    lines = [
        f"{count(number, 'record')} skipped (first: {first_records[reason]}): {reason}"
        for reason, number in Counter(record.reason for record in skipped).items()
    ]
    if broken:
        names = few_and_more(
            (f"{record.record}: {record.reason}" for record in broken), _MAX_NAMED, "; "
        )
        lines.append(f"{count(len(broken), 'broken record')} skipped: {names}")
    return [f"{questions.name}: {line}" for line in (*lines, *questions.notes)]


def open_questions(source: str | Path | InMemory, format: str | None = None) -> Content:
    """Return the content of a file or folder, of a public set by name, or of data in memory."""
    if is_in_memory(source):
        return content_in_memory(source)
    expected = "a file, the name of a public set, a DataFrame or a list of dicts"
    check_source(source, "question set", expected)
    path = resolve(source)  # type: ignore[arg-type]
    with refusing_deep_nesting(path), without_garbage_collection():
        for name, reader in READERS.items():
            if reader.load is not None and (format in {None, name} or is_folder(path)):
                content = reader.load(path)
                if content is not None:
                    return content
        return load_content(path)


def read_questions(
    source: str | Path | InMemory, options: ReadOptions = DEFAULT_OPTIONS
) -> QuestionSet:
    r"""Read the questions of a file, plain or compressed with gzip, bzip2 or zip, or in memory.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("question,answer\nWhich moons has Mars?,Phobos; Deimos\n")
    ...     read_questions(path, ReadOptions(split_answers=";")).questions[0].answers.values()
    ['Phobos', 'Deimos']
    """
    check_format(options.format)
    return questions_in(open_questions(source, options.format), options)


def questions_in(content: Content, options: ReadOptions = DEFAULT_OPTIONS) -> QuestionSet:
    """Return the questions in the content of a file, or of data in memory."""
    # millions of small objects without cycles: the collector would only cost time
    with refusing_deep_nesting(content.path), without_garbage_collection():
        name = options.format or ""
        # only plain formats have fields that can be chosen
        if not name and options.gold_field:
            name = _PLAIN_FORMAT_OF.get(content.kind, "")
        name = name or recognise(content)

        rule = ""
        if options.split_answers and name not in PLAIN_FORMATS:
            rule = f"answers are only split at {options.split_answers!r} in tables and JSON records"
        elif options.gold_field and name not in PLAIN_FORMATS:
            rule = "the field with the gold is only chosen in tables and JSON records"
        elif options.text_property and name not in _RDF:
            rule = "the property with the texts is only chosen in RDF"
        if rule:
            raise UsageError(f"{rule}; this is {name}", where=content.path)

        reader = READERS[name]
        with collecting() as notes:
            found = reader.read(content, options)
            if not isinstance(found, ReadSet):
                found = ReadSet(found)
            collected, left_out = collect_questions(
                content.path, found.items, options, surrogate_free=content.surrogate_free
            )

    set_name = content.name
    # "rdf" and some others are names of formats as well as kinds of content
    if reader.load is not None and content.kind == name:
        # the files of different sets may have the same name
        set_name = content.path.resolve().parent.name
    questions = QuestionSet(
        set_name,
        name,
        tuple(collected),
        tuple(left_out),
        content.sha256,
        (*content.notes, *notes),
        systems=found.systems,
        numbered=found.numbered,
        split_answers=options.split_answers,
    )

    if options.prefixes:
        questions = with_prefixes(questions, options.prefixes)
    if options.answers:
        _, key = read_answer_key(
            load_content(Path(options.answers), "file of gold answers"), DEFAULT_OPTIONS
        )
        return with_answers(questions, key)
    return questions


def read_answer_key(content: Content, options: ReadOptions) -> tuple[Content, QuestionSet]:
    """Read questions, or gold answers by id; return the content and the questions."""
    try:
        return content, questions_in(content, options)
    except UnknownFormat:
        key = answer_key(content, options.gold_field)
        if key is None:
            raise
    return key, questions_in(key, options)


def companion_files(path: Path) -> list[Path]:
    """Return the files that are read together with a file, according to its format."""
    return [
        file
        for reader in READERS.values()
        if reader.files is not None
        for file in reader.files(path)
    ]


def check_format(format: str | None) -> None:
    """Refuse an unknown format; None means that it is to be recognised."""
    if format is not None and format not in READERS:
        raise UsageError(f"unknown question set format {format!r}; {one_of(format, READERS)}")


def recognise(content: Content) -> str:
    """Return the format of a file, a key of `READERS`."""
    for name, reader in READERS.items():
        if reader.recognises(content):
            return name
    if content.document == []:
        raise DataError(
            f"is an empty list; a question set is expected. {EMPTY}", where=content.path
        )
    advice = (
        "In a table or records of JSON or YAML, name the columns 'question' and 'answers', or say"
        f" `gold_field`; 'qaldgen list formats' has all {len(READERS)} formats"
    )
    said = []
    for name in filter(is_prediction_name, answer_columns(content.names)):
        values = [row.get(name) for row in content.objects[:_LOOKED_AT]]
        if not any(isinstance(value, (dict, list)) for value in values):
            said.append(name)
    if said and not any(map(is_gold_name, content.names)):
        advice = (
            f"It seems to hold the answers of a system, in {said[0]!r}; give the question set first"
        )
    elif any(map(may_hold_gold, content.names)) and answer_key(content) is not None:
        advice = (
            "It has gold answers and no questions: 'score', 'compare' and 'report' take it with the"
            " answers of a system; other commands need questions"
        )
    raise UnknownFormat(
        "is not a question set in a known format; it looks like "
        f"{looks_like(content, content.row_keys or content.keys)}. {advice}",
        where=content.path,
    )


def looks_like(content: Content, keys: Collection[str]) -> str:
    """Describe a file that no reader recognises, with the given keys if it is JSON."""
    start = content.text.lstrip()
    if content.kind in {"json", "jsonl"}:
        layout = "JSON Lines" if start else "JSON records"
        if content.kind == "json":
            notations = {"": "a JSON", "{": "a JSON", "[": "a JSON", "<": "an XML"}
            notation = notations.get(start[:1], "a YAML")
            shape = "list" if isinstance(content.document, list) else "object"
            layout = f"{notation} {shape}"
        if content.row_keys & _CONVERSATION_KEYS:
            return (
                f"{layout} of chats: write the user's message as 'question', the assistant's as"
                " 'answer' if it is the right one, as 'prediction' if a system gave it"
            )
        if not keys:
            return f"{layout} without keys"
        return f"{layout} with the keys {few_quoted(sorted(keys), _MAX_SHOWN_KEYS)}"
    if content.kind == "xml":
        return f"XML that starts with {start[:40]!r}"
    columns = content.table.header
    if len(columns) > 1:
        return f"a table with the columns {few_quoted(columns, _MAX_SHOWN_KEYS)}"
    return f"text that starts with {start[:40]!r}"


_SPECIFIC_READERS: dict[str, Reader] = {
    "qald-json": Reader(
        qald_json.recognises_qald,
        qald_json.read_qald,
        "QALD JSON: QALD-5 to QALD-10, QALD-9-plus, qaldgen's own",
    ),
    "qald-extended": Reader(
        qald_json.recognises_extended,
        qald_json.read_extended,
        "extended QALD JSON, the format of web services that answer questions",
    ),
    "qald-xml": Reader(
        qald_xml.recognises_xml, qald_xml.read_xml, "QALD XML: QALD-1 to QALD-5, QALD-7, QBench"
    ),
    "rdf": Reader(
        recognises_rdf,
        read_rdf,
        "RDF whose questions have qaldgen:text or schema:text, such as the published QaldGenData",
    ),
    "sparql-examples": Reader(
        rdf_questions.recognises_examples,
        rdf_questions.read_examples,
        "SPARQL examples in RDF: sh:select with rdfs:comment",
    ),
    **{
        name: Reader(record_format.matches, record_format.read, record_format.help)
        for name, record_format in (RECORD_FORMATS | LINE_FORMATS).items()
    },
    "result-sets": Reader(
        result_sets.recognises_result_sets,
        result_sets.read_result_sets,
        "result sets of text2sparql-client and t2s-metrics, JSON",
    ),
}
PLAIN_FORMATS: dict[str, Reader] = {
    "table": Reader(
        generic_records.recognises_plain_table,
        generic_records.read_plain,
        "CSV, TSV or Excel with a header, such as question, answers and sparql",
    ),
    "json-records": Reader(
        generic_records.recognises_plain_json,
        generic_records.read_plain,
        "JSON, JSON Lines or Parquet with the fields of the table format",
    ),
}
#: The plain format of each kind of content.
_PLAIN_FORMAT_OF = {"text": "table", "json": "json-records", "jsonl": "json-records"}
#: Every readable format, by the name that `format` takes. Formats of certain data sets, including
#: those that other packages add by the entry point group qaldgen.formats, come before general ones.
READERS = Table("formats", Reader, _SPECIFIC_READERS, final=PLAIN_FORMATS)

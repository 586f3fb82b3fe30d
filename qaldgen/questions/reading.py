"""Read question sets: a file's format is recognised by its content, never by its ending."""

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
from qaldgen.io.text import count, few_and_more, few_quoted
from qaldgen.model import QuestionSet
from qaldgen.questions import (
    csv_tables,
    generic_records,
    qald_json,
    qald_xml,
    rdf_questions,
    result_sets,
)
from qaldgen.questions.file_content import EMPTY, Content, load_content
from qaldgen.questions.generic_records import answer_key
from qaldgen.questions.line_formats import LINE_FORMATS
from qaldgen.questions.rdf_questions import read_rdf, recognises_rdf
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.records import DEFAULT_OPTIONS, Read, ReadOptions, collect_questions
from qaldgen.questions.separate_files import with_answers, with_prefixes

_SHOWN_KEYS = 8
_NAMED = 20
#: Keys of records that are conversations.
_CHATS = frozenset({"messages", "conversations", "conversation"})
#: Formats whose texts may be said by another vocabulary.
_RDF = ("rdf", "sparql-examples")


class Reader(NamedTuple):
    """How one format is recognised and read.

    Attributes
    ----------
    recognises : callable
        Whether a file has this format. At most one of the readers of certain data sets says so; the
        plain ones, of any origin, are asked last.
    read : callable
        Yields the questions, the records that it leaves out, and notes.
    help : str
        The format in one line.
    answers : bool
        Whether a file also holds the answers of a system, so that it needs no other file.
    load : callable or None
        Loads what only its name shows, or what is in several files, as content whose kind is the
        name of the format; returns None for anything else.
    files : callable or None
        Returns the files that are read with one of this format.
    lines : bool
        Whether runs on such questions are lines without ids, whatever these look like.
    """

    recognises: Callable[[Content], bool]
    read: Read
    help: str
    answers: bool = False
    load: Callable[[Path], Content | None] | None = None
    files: Callable[[Path], list[Path]] | None = None
    lines: bool = False


def reading_notes(questions: QuestionSet) -> list[str]:
    """Return the notes on a question set: skipped records, broken ones by name, the reader's."""
    broken = [record for record in questions.left_out if record.broken]
    skipped = [record for record in questions.left_out if not record.broken]
    # reversed, so that the first record of each reason is the one that stays
    first = {record.reason: record.record for record in reversed(skipped)}
    lines = [
        f"{count(number, 'record')} skipped (first: {first[reason]}): {reason}"
        for reason, number in Counter(record.reason for record in skipped).items()
    ]
    if broken:
        names = few_and_more(
            (f"{record.record}: {record.reason}" for record in broken), _NAMED, "; "
        )
        lines.append(f"{count(len(broken), 'broken record')} skipped: {names}")
    return [f"{questions.name}: {line}" for line in (*lines, *questions.notes)]


def read_questions(
    source: str | Path | Content, options: ReadOptions = DEFAULT_OPTIONS
) -> QuestionSet:
    r"""Read the questions of a file, plain or compressed with gzip, bzip2 or zip.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("question,answer\nWhich moons has Mars?,Phobos; Deimos\n")
    ...     read_questions(path, ReadOptions(split_answers=";")).questions[0].answers.values()
    ['Phobos', 'Deimos']
    """
    check_format(options.format)
    path = source.path if isinstance(source, Content) else Path(source)
    # millions of small objects without cycles: the collector would only cost time
    with refusing_deep_nesting(path), without_garbage_collection():
        content = source if isinstance(source, Content) else open_question_set(path, options.format)
        name = options.format or ""
        if not name and options.gold_field and content.kind in _PLAIN_FORMAT_OF:
            name = _PLAIN_FORMAT_OF[
                content.kind
            ]  # only plain formats have fields that can be chosen
        name = name or recognise(content)
        _check_options(path, name, options)
        items = READERS[name].read(content, options)
        gathered = collect_questions(
            content.path, items, options, surrogate_free=content.surrogate_free
        )
    set_name = content.name
    # Some formats are called as a kind of content is, "rdf" for one.
    if READERS[name].load is not None and content.kind == name:
        # after its folder if only that tells sets apart
        set_name = content.path.resolve().parent.name
    questions = QuestionSet(
        set_name,
        name,
        gathered.questions,
        gathered.left_out,
        content.sha256,
        (*content.notes, *gathered.notes),
        systems=gathered.systems,
        numbered=gathered.numbered,
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
    """Read questions, or else gold answers by ids; return also what they were read from."""
    try:
        return content, read_questions(content, options)
    except UnknownFormat:
        key = answer_key(content)
        if key is None:
            raise
    return key, read_questions(key, options)


def open_question_set(path: Path, form: str | None = None) -> Content:
    """Return the content of a file or folder; a format that names show loads its files itself."""
    for name, reader in READERS.items():
        if reader.load is not None and (form in {None, name} or is_folder(path)):
            content = reader.load(path)
            if content is not None:
                return content
    return load_content(path)


def companion_files(path: Path) -> list[Path]:
    """Return the files that some format reads together with this one."""
    return [
        file
        for reader in READERS.values()
        if reader.files is not None
        for file in reader.files(path)
    ]


def _check_options(path: Path, name: str, options: ReadOptions) -> None:
    """Refuse what only other formats take."""
    plain = "in tables and JSON records"
    only = {
        f"answers are only split at {options.split_answers!r} {plain}": (
            options.split_answers,
            PLAIN_FORMATS,
        ),
        f"the field with the gold is only chosen {plain}": (options.gold_field, PLAIN_FORMATS),
        "the property with the texts is only chosen in RDF": (options.text_property, _RDF),
    }
    for rule, (value, formats) in only.items():
        if value and name not in formats:
            raise UsageError(f"{rule}; this is {name}", where=path)


def check_format(format: str | None) -> None:
    """Reject an unknown format; None (to be detected) is fine."""
    if format is not None and format not in READERS:
        raise UsageError(f"unknown question set format {format!r}; {one_of(format, READERS)}")


def recognise(content: Content) -> str:
    """Return the key in `READERS` of a file's format."""
    for name, reader in READERS.items():
        if reader.recognises(content):
            return name
    if content.document == []:
        raise DataError(
            f"is an empty list; a question set is expected. {EMPTY}", where=content.path
        )
    raise UnknownFormat(
        "is not a question set in a known format; it looks like "
        f"{looks_like(content, content.row_keys or content.keys)}. In a table or records of"
        f" JSON or YAML, name the columns 'question' and 'answers', or say `gold_field`; 'qaldgen"
        f" list formats' has"
        f" all {len(READERS)} formats",
        where=content.path,
    )


def looks_like(content: Content, keys: Collection[str]) -> str:
    """Describe a file that no reader recognises, JSON by these of its keys."""
    start = content.text.lstrip()
    if content.kind in {"json", "jsonl"}:
        form = "JSON Lines" if start else "JSON records"
        if content.kind == "json":
            notation = "JSON" if start[:1] in {"", "{", "["} else "YAML"
            form = f"a {notation} {'list' if isinstance(content.document, list) else 'object'}"
        if content.row_keys & _CHATS:
            return (
                f"{form} of chats: write the user's message as 'question', the assistant's as"
                " 'answer' if it is the right one, as 'prediction' if a system gave it"
            )
        if not keys:
            return f"{form} without keys"
        return f"{form} with the keys {few_quoted(sorted(keys), _SHOWN_KEYS)}"
    if content.kind == "xml":
        return f"XML that starts with {start[:40]!r}"
    columns = csv_tables.table_header(content)
    if len(columns) > 1:
        return f"a table with the columns {few_quoted(columns, _SHOWN_KEYS)}"
    return f"text that starts with {start[:40]!r}"


_KNOWN: dict[str, Reader] = {
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
        name: Reader(form.matches, form.read, form.help)
        for name, form in (RECORD_FORMATS | LINE_FORMATS).items()
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
READERS = Table("formats", Reader, _KNOWN, final=PLAIN_FORMATS)

"""Read question sets: the form of a file is recognised by what it holds, never by its ending."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pyoxigraph import NamedNode

from qaldgen.errors import DataError, UsageError
from qaldgen.formats import freebase, open_domain, qald_read, qald_xml, records, tables, text2sparql
from qaldgen.formats.content import Content, load_content
from qaldgen.formats.gather import gather
from qaldgen.formats.records import RecordForm, read_form, recognises_form
from qaldgen.inputs import is_folder
from qaldgen.model import LeftOut, Question, QuestionSet
from qaldgen.rdf import LSQ, Statement
from qaldgen.rdf_files import RdfFile
from qaldgen.rdf_questions import TEXT_PROPERTIES, local_names, read_question

_SHOWN_KEYS = 8


class Reader(NamedTuple):
    """How one form is recognised and read.

    Attributes
    ----------
    recognises : callable
        Says of a file whether it is of this form; at most one reader says so.
    read : callable
        Yields its questions and what it leaves out; the second argument is the language of texts that do not say theirs.
    help : str
        What it is, in one line.
    """

    recognises: Callable[[Content], bool]
    read: Callable[[Content, str], Iterator[Question | LeftOut]]
    help: str


def read_questions(
    path: str | Path, *, format: str | None = None, language: str = "en", out_of_scope: bool = False
) -> QuestionSet:
    """Read the questions of a file, plain or packed with gzip, bzip2 or zip.

    Parameters
    ----------
    path
        The file; for PolEval 2021 also the folder with ``in.tsv`` and ``expected.tsv``.
    format
        A key of `READERS`; None to find it out.
    language
        The language of texts that do not say theirs; of MKQA, the language of the answers.
    out_of_scope
        Keep the questions of QALD JSON that are marked OUT OF SCOPE, as GERBIL does.

    Returns
    -------
    QuestionSet
        Records without a usable question stand in `left_out`, with the reason.

    Raises
    ------
    DataError
        If the file cannot be read, is of no known form, or a record is broken; the message says where.
    UsageError
        If there is no such format.
    """
    path = Path(path)
    check_format(format)
    poleval = open_domain.load_poleval(path) if is_folder(path) or format in {None, "poleval"} else None
    content = poleval or load_content(path)
    name = format or recognise(content)
    questions, left_out = gather(content.path, READERS[name].read(content, language), out_of_scope=out_of_scope)
    called = content.path.resolve().parent.name if content.kind == "poleval" else content.name
    return QuestionSet(called, name, questions, left_out, content.sha256)


def check_format(format: str | None) -> None:
    """Refuse the name of a form that there is not; None is to be found out.

    Raises
    ------
    UsageError
        If it is none of `READERS`.
    """
    if format is not None and format not in READERS:
        raise UsageError(f"there is no format {format!r} of question sets; the formats are {', '.join(READERS)}")


def recognise(content: Content) -> str:
    """Return the key in `READERS` of the form of a file.

    Raises
    ------
    DataError
        If it is of no known form.
    """
    for name, reader in READERS.items():
        if reader.recognises(content):
            return name
    raise DataError(
        f"{content.path}: is no question set of a known form; it looks like {_looks(content)}. The forms are {', '.join(READERS)}"
    )


def _looks(content: Content) -> str:
    """Describe a file for which there is no reader."""
    if content.kind in {"json", "jsonl"}:
        listed = "a JSON list" if isinstance(content.document, list) else "a JSON object"
        what = "JSON Lines" if content.kind == "jsonl" else listed
        keys = sorted(content.keys)
        return f"{what} with the keys {_first(keys)}" if keys else f"{what} without keys"
    start = content.text.lstrip()
    if content.kind == "xml":
        return f"XML that starts with {start[:40]!r}"
    columns = tables.table_columns(content)
    return f"a table with the columns {_first(columns)}" if len(columns) > 1 else f"text that starts with {start[:40]!r}"


def _first(names: list[str]) -> str:
    return ", ".join(repr(name[:40]) for name in names[:_SHOWN_KEYS]) + (", ..." if len(names) > _SHOWN_KEYS else "")


def _recognises_rdf(content: Content) -> bool:
    return content.kind == "rdf"


def _read_rdf(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions in RDF: the subjects that have a text; those with a query but no text are left out."""
    triples: dict[str, list[Statement]] = {}
    for quad in RdfFile(content.path).quads():
        if isinstance(quad.subject, NamedNode):
            triples.setdefault(quad.subject.value, []).append((quad.subject, quad.predicate, quad.object))
    with_text = _subjects(triples, TEXT_PROPERTIES)
    known = set(with_text)
    without = [iri for iri in _subjects(triples, (LSQ + "text",)) if iri not in known]
    if not with_text and not without:
        raise DataError(f"{content.path}: no subject has a text ({TEXT_PROPERTIES[0]} or schema:text), so it holds no question")
    for iri, name in zip(with_text, local_names(with_text), strict=True):
        try:
            question = read_question(iri, name, triples[iri], language)
        except DataError as error:
            raise DataError(f"{content.path}: {error}") from error
        yield question
    yield from (LeftOut(iri, "no text in any language") for iri in without)


def _subjects(triples: dict[str, list[Statement]], properties: Iterable[str]) -> list[str]:
    wanted = {NamedNode(name) for name in properties}
    return [iri for iri, statements in triples.items() if any(predicate in wanted for _, predicate, _ in statements)]


def _form(form: RecordForm, help_: str) -> Reader:
    return Reader(recognises_form(form), read_form(form), help_)


#: Every form of question sets that can be read, by the name that `format` takes.
READERS: dict[str, Reader] = {
    "qald-json": Reader(qald_read.recognises_qald, qald_read.read_qald, "QALD JSON: QALD-5 to QALD-10, QALD-9-plus, our own"),
    "qald-extended": Reader(
        qald_read.recognises_extended, qald_read.read_extended, "extended QALD JSON, as GERBIL's web services"
    ),
    "qald-xml": Reader(qald_xml.recognises_xml, qald_xml.read_xml, "QALD XML: QALD-1 to QALD-5, QALD-7"),
    "rdf": Reader(
        _recognises_rdf, _read_rdf, "RDF whose questions have qaldgen:text or schema:text, as the published QaldGenData"
    ),
    "lc-quad": _form(records.LC_QUAD, "LC-QuAD 1 JSON, also with the annotations of EARL"),
    "lc-quad-2": _form(records.LC_QUAD_2, "LC-QuAD 2.0 JSON"),
    "rubq": _form(records.RUBQ, "RuBQ 1.0 and 2.0 JSON"),
    "simplequestions-wikidata": Reader(tables.recognises_simple, tables.read_simple, "SimpleQuestions over Wikidata, TSV"),
    "mintaka": _form(records.MINTAKA, "Mintaka JSON"),
    "webqsp": Reader(freebase.recognises_webqsp, freebase.read_webqsp, "WebQSP JSON"),
    "complexwebquestions": _form(records.COMPLEX_WEB, "ComplexWebQuestions JSON"),
    "grailqa": _form(records.GRAILQA, "GrailQA JSON"),
    "kqa-pro": _form(records.KQA_PRO, "KQA Pro JSON"),
    "mkqa": Reader(open_domain.recognises_mkqa, open_domain.read_mkqa, "MKQA JSON Lines"),
    "squad": Reader(open_domain.recognises_squad, open_domain.read_squad, "SQuAD JSON, also PoQuAD"),
    "poleval": Reader(
        open_domain.recognises_poleval, open_domain.read_poleval, "PolEval 2021 task 4: in.tsv, expected.tsv beside it"
    ),
    "polqa": Reader(open_domain.recognises_polqa, open_domain.read_polqa, "PolQA CSV, JSON or JSON Lines"),
    "text2sparql": Reader(text2sparql.recognises_text2sparql, text2sparql.read_text2sparql, "TEXT2SPARQL YAML or JSON"),
    "smart": _form(records.SMART, "SMART JSON: questions with answer category and type"),
    "gpt-family": _form(records.GPT_FAMILY, "JSON of Complex-Question-Answering-Evaluation-of-GPT-family"),
    "table": Reader(
        tables.recognises_plain_table, tables.read_plain, "CSV or TSV with a header: id, text, language, sparql, answers, ..."
    ),
    "json-records": Reader(
        tables.recognises_plain_json, tables.read_plain, "JSON or JSON Lines with the fields of the table form"
    ),
}

"""The benchmark: questions with cluster and weight, and how they were chosen; its files."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from qaldgen.benchmark.signature import Provenance
from qaldgen.benchmark.sources import Source
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_date, one_of
from qaldgen.io.extensions import Table
from qaldgen.io.notes import collecting
from qaldgen.io.outputs import check_writable, write_all
from qaldgen.io.result_display import result_html
from qaldgen.model import Question
from qaldgen.options import Exports
from qaldgen.questions.question_texts import language_tag
from qaldgen.questions.rdf_questions import local_names, read_question
from qaldgen.rdf.terms import Statement
from qaldgen.selection.vectors import column_names

if TYPE_CHECKING:
    import pandas as pd


_BASE = "http://qald-gen.aksw.org/benchmark/"
#: The number of questions in the table for notebooks.
_SHOWN_QUESTIONS = 10


@dataclasses.dataclass(frozen=True)
class Member:
    """A chosen question.

    Attributes
    ----------
    iri : str
        The question.
    cluster : int
        The number of its cluster, from 1, in the order in which clusters were chosen.
    weight : float
        The share of the pool that it represents, above 0 and up to 1.
    values : tuple of float
        Its raw feature values.
    triples : tuple of triples
        All statements in the data about it, with terms as written there.
    inclusion : float or None
        The probability of choosing it, above 0 and up to 1; None if the method chose on purpose.
    position : int or None
        Its position in the order of asking, from 1, if every prefix of that order is a sample of
        the pool; else None.
    """

    iri: str
    cluster: int
    weight: float
    values: tuple[float, ...]
    triples: tuple[Statement, ...] = ()
    inclusion: float | None = None
    position: int | None = None


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """Chosen questions with cluster and weight, and how they were chosen.

    Attributes
    ----------
    title : str
        The title, for readers.
    provenance : Provenance
        How the sample was made.
    features : tuple of str
        The features, in the order of the members' values.
    members : tuple of Member
        The questions in the order of asking, if there is one, else in natural order of their IRIs.
    cluster_sizes : tuple of int
        The number of pool questions in cluster 1, 2, ...
    pool_size, outliers : int
        The number of questions selected by the query, and of those that were removed as outliers.
    diversity : float
        The paper's D; NaN for a single question.
    notes : tuple of str
        The method's notes on the sample, for instance that it left out outliers; in alphabetical
        order.
    pool_clusters : tuple of tuple of str
        The IRIs of the pool questions in cluster 1, 2, ..., without outliers; empty if an older
        version wrote the file.
    cluster_names : tuple of str
        Names of cluster 1, 2, ..., which say what sets each apart; empty where nothing does.
    sources : tuple of Source
        The question sets that the questions come from, with hash and licence.
    licence : str
        The licence of the questions: that of the sources, if they have the same, or the one given
        to `save`; empty if unknown.
    publisher, date : str
        The publisher and the date, as ISO 8601; empty if not given.

    Examples
    --------
    >>> import qaldgen as qg
    >>> bench = qg.sample([{"question": f"What is {n}?"} for n in range(60)], 5, method="lpm")
    >>> len(bench.questions), bench.signature.split("|")[-5:]
    (5, ['m:lpm', 'n:5', 'seed:0', 'ties:id', 'v:0.2.0'])
    """

    title: str
    provenance: Provenance
    features: tuple[str, ...]
    members: tuple[Member, ...]
    cluster_sizes: tuple[int, ...]
    pool_size: int
    outliers: int
    diversity: float
    notes: tuple[str, ...] = ()
    pool_clusters: tuple[tuple[str, ...], ...] = ()
    cluster_names: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    licence: str = ""
    publisher: str = ""
    date: str = ""

    def __repr__(self) -> str:
        """Return one line: title, size, pool and method."""
        size = len(self)
        method = self.provenance.method
        # the usual title ends with size and method, which are not repeated
        title = self.title.removesuffix(f": {size} questions by {method}")
        return f"<Benchmark {title}: {size} of {self.pool_size:,} questions by {method}>"

    def __str__(self) -> str:
        """Return the line of `repr`, and the notes."""
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join([repr(self), *notes])

    def _repr_html_(self) -> str:
        """Return the line, the signature, the notes and the first questions, for notebooks."""
        first_rows = self.to_frame().head(_SHOWN_QUESTIONS).set_index("id")[["text"]]
        notes = [f"Signature: {self.signature}", *self.notes]
        if len(first_rows) < len(self):
            notes.append(f"The first {len(first_rows)} of {len(self):,} questions:")
        return result_html(repr(self), [first_rows], notes)

    @property
    def signature(self) -> str:
        """The one line that rebuilds the sample."""
        return self.provenance.signature()

    @property
    def citation(self) -> str:
        """The line for citing it: title, size, address, signature and sources."""
        parts = []
        if self.publisher:
            parts.append(self.publisher)
        if self.date:
            parts.append(f"({self.date[:4]})")
        sources = "; ".join(source.reference for source in self.sources)
        parts += [
            f"{self.title}, {len(self)} of {self.pool_size:,} questions.",
            f"<{self.iri}>, {self.signature}.",
            f"Questions from {sources or self.provenance.data_name}.",
        ]
        return " ".join(parts)

    @property
    def design(self) -> str:
        """``probability`` if all inclusion probabilities are known, else ``purposive``."""
        if all(member.inclusion is not None for member in self.members):
            return "probability"
        return "purposive"

    @property
    def iri(self) -> str:
        """The IRI of the benchmark, which depends only on the signature and the table."""
        content = f"{self.signature}\n{self.provenance.table_sha256}"
        # 64 bits keep clashes improbable up to millions of benchmarks
        return _BASE + hashlib.sha256(content.encode("utf-8")).hexdigest()[:16]

    @property
    def ordered(self) -> bool:
        """Whether every prefix of the questions is an equal-probability sample of the pool."""
        return all(member.position is not None for member in self.members)

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.members)

    @functools.cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions with texts, queries and gold answers.

        Raises
        ------
        DataError
            If an answer string is damaged.
        """
        return self.questions_in(LANGUAGE)

    def questions_in(self, language: str) -> tuple[Question, ...]:
        """Return the questions, whose untagged texts are in a language.

        Parameters
        ----------
        language
            The language tag of texts without one.

        Returns
        -------
        tuple of Question
            The questions, in the order of the members.
        """
        names = local_names([member.iri for member in self.members])
        return tuple(
            read_question(member.iri, name, member.triples, language)
            for member, name in zip(self.members, names, strict=True)
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a table with id, text, cluster, weight and raw features, indexed by IRI."""
        import pandas as pd

        questions = self.questions
        columns: dict[str, list[object]] = {
            "id": [question.id for question in questions],
            "text": [question.text() for question in questions],
            "cluster": [member.cluster for member in self.members],
            "weight": [member.weight for member in self.members],
        }
        if self.design == "probability":
            columns["inclusion_probability"] = [member.inclusion for member in self.members]
        if self.ordered:
            columns["position"] = [member.position for member in self.members]
        index = pd.Index([member.iri for member in self.members], name="iri")
        values = pd.DataFrame(
            [member.values for member in self.members],
            index=index,
            columns=column_names(self.features),
        )
        return pd.concat([pd.DataFrame(columns, index=index), values], axis=1)

    def save(
        self,
        path: str | Path,
        *,
        format: Exports | None = None,
        force: bool = False,
        language: str = LANGUAGE,
        variables: Literal["all", "first"] = "all",
        licence: str = "",
        publisher: str = "",
        date: str = "",
    ) -> list[str]:
        """Write the benchmark, atomically.

        Parameters
        ----------
        path
            ``.ttl`` and ``.nt`` keep everything; ``.json`` is QALD JSON, ``.extended.json``
            extended QALD JSON, both for GERBIL; ``.csv`` and ``.jsonl`` are a table of questions
            with their features, which ``.croissant.json`` of the same name describes;
            ``.lm-eval``, ``.inspect`` and ``.hf`` are folders for lm-evaluation-harness,
            inspect_ai and Hugging Face.
        format
            Format, if the extension does not determine it.

            A key of `FORMATS`.
        force
            Overwrite existing files.
        language
            Language of tables, and of texts without a language tag.
        variables
            Variables of the gold rows to write to QALD JSON and tables.
        licence
            Licence of the questions (an IRI or a short name). Default: that of their sources.
        publisher
            Who publishes the benchmark, for its citation.
        date
            Date of publication, such as 2026-11-27.

            None by default, so that equal samples give equal files.

        Returns
        -------
        list of str
            Notes for users of the file.

        Raises
        ------
        UsageError
            If the ending is unknown or the file exists.
        DataError
            If the data lacks something that the format needs, or the file cannot be written.
        """
        target = Path(path)
        name = format or format_of(target)
        # before the benchmark is rendered, which takes long
        check_export_format(name)
        for file in files_of(target, name):
            check_writable(file, force=force, new_folders=file != target)
        stem = target.name.removesuffix(FORMATS[name].ending)
        tables = [target.with_name(stem + ending) for ending in FORMATS[name].describes]
        with collecting() as notes:
            files = render_files(
                self, target, name, language=language, variables=variables, licence=licence,
                publisher=publisher, date=date,
                adjacent_tables=[table.name for table in tables if table.is_file()],
            )  # fmt: skip
        write_all(files, force=force, new_folders=True)
        return list(notes)


class ExportOptions(NamedTuple):
    """How to write a benchmark.

    Attributes
    ----------
    language : str
        The language of untagged texts, of tables, and of the last text in extended QALD JSON.
    variables : str
        ``all`` variables of the gold rows, or the ``first`` one.
    name : str
        The name of a task for another evaluator.
    adjacent_tables : tuple of str
        The names of the tables in the same folder, for a format that describes them.
    """

    language: str
    variables: str
    name: str = "benchmark"
    adjacent_tables: tuple[str, ...] = ()

    def questions(self, benchmark: Benchmark) -> list[Question]:
        """Return the questions of a benchmark, with all or the first variable of their answers."""
        questions = benchmark.questions_in(self.language)
        if self.variables == "all":
            return list(questions)
        shortened = []
        for question in questions:
            if question.answers is not None:
                answers = question.answers.first_variable()
                question = dataclasses.replace(question, answers=answers)
            shortened.append(question)
        return shortened


#: The content of a file, or of the files in a folder by their paths in it.
Files: TypeAlias = "bytes | Mapping[str, bytes]"
#: Returns the content of a benchmark; notes for users of the file go to `io.notes`.
Writer: TypeAlias = "Callable[[Benchmark, ExportOptions], Files]"


class ExportFormat(NamedTuple):
    """A format of files or folders.

    Attributes
    ----------
    ending : str
        The end of file names; if several formats fit, the longest counts.
    write : callable
        Returns the content; what users of the file should know goes to `io.notes.note`.
    files : tuple of str
        The files of a folder; empty for a format with one file.
    check : callable
        Raises UsageError if the format cannot be written at all, as a package is missing.
    describes : tuple of str
        The endings of the tables in the same folder that it describes.
    """

    ending: str
    write: Writer
    files: tuple[str, ...] = ()
    check: Callable[[], None] = lambda: None
    describes: tuple[str, ...] = ()

    @property
    def help(self) -> str:
        """A description of the files with this format."""
        return f"files that end in {self.ending}"


def format_of(path: Path) -> str:
    """Return the name of the format that belongs to a file's ending."""
    names = [name for name, form in FORMATS.items() if path.name.lower().endswith(form.ending)]
    if not names:
        endings = ", ".join(form.ending for form in FORMATS.values())
        raise UsageError(f"unknown file extension; use one of {endings}, or `format`", where=path)
    # .extended.json also ends with .json
    return max(names, key=lambda name: len(FORMATS[name].ending))


def files_of(path: Path, format: str) -> list[Path]:
    """Return the files that a format writes at a path: the path itself, or files in that folder."""
    names = FORMATS[format].files if format in FORMATS else ()
    return [path / name for name in names] or [path]


def render_files(
    benchmark: Benchmark,
    path: Path,
    format: str,
    *,
    language: str = LANGUAGE,
    variables: str = "all",
    licence: str = "",
    publisher: str = "",
    date: str = "",
    adjacent_tables: Sequence[str] = (),
) -> list[tuple[Path, bytes]]:
    """Return the files that a format writes at a path; notes for their users go to `io.notes`.

    Several files are put in a folder, after which a task is named, without the ending.
    """
    check_export_format(format)
    if variables not in {"all", "first"}:
        raise UsageError(f"unknown value of variables {variables!r}; choose all or first")

    # resolved, because "." and "bench/.." have no name of their own
    folder = path.resolve().name
    # a folder called only ".hf" would leave no name
    task = folder.removesuffix(FORMATS[format].ending) or folder
    options = ExportOptions(language_tag(language), variables, task, tuple(adjacent_tables))

    benchmark = dataclasses.replace(
        benchmark,
        licence=licence or benchmark.licence,
        publisher=publisher or benchmark.publisher,
        date=check_date(date) or benchmark.date,
    )

    content = FORMATS[format].write(benchmark, options)
    if isinstance(content, bytes):
        return [(path, content)]
    if not isinstance(content, Mapping):  # a format of another package
        raise DataError(
            f"the format {format!r} returned a {type(content).__name__}, where bytes or a mapping"
            " of paths to bytes are expected"
        )
    return [(path / name, data) for name, data in content.items()]


def check_export_format(format: str) -> None:
    """Refuse a format that is unknown, or cannot be written here."""
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}; {one_of(format, FORMATS)}")
    FORMATS[format].check()


#: The formats of the core: module and attribute, as these modules import this one.
_CORE_FORMATS = {
    "turtle": "rdf:TURTLE",
    "ntriples": "rdf:N_TRIPLES",
    "qald-extended": "export_formats:EXTENDED_QALD",
    "qald-json": "export_formats:QALD",
    "csv": "export_formats:CSV",
    "jsonl": "export_formats:JSONL",
}
#: Every format of benchmarks by name; plug-ins add theirs.
FORMATS = Table(
    "exports",
    ExportFormat,
    {
        name: EntryPoint(name, f"qaldgen.benchmark.{row}", "qaldgen.exports")
        for name, row in _CORE_FORMATS.items()
    },
)

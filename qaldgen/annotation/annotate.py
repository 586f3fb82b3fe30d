"""Annotate questions: their features as RDF, which `select` and `sample` read."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pyoxigraph import Quad

from qaldgen.annotation.iri_labels import read_labels
from qaldgen.annotation.statements import (
    question_iri,
    set_name,
    set_statements,
    statements_of,
    tagged_text,
    turtle_blocks,
)
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import UsageError
from qaldgen.features.cache import Cache, cache_file
from qaldgen.features.compute import stream_features
from qaldgen.features.feature_notes import (
    NOTED,
    Complaint,
    label_notes,
    prefix_notes,
    problem_notes,
)
from qaldgen.features.generalisation import Training, training_items, with_level
from qaldgen.features.own_columns import OWN_COLUMNS, own_columns, own_values
from qaldgen.features.query.query_features import FeatureValues
from qaldgen.io.notes import collecting, note
from qaldgen.io.outputs import check_writable, write_atomic
from qaldgen.io.progress import step
from qaldgen.io.text import count
from qaldgen.model import QuestionSet
from qaldgen.options import PositiveInt
from qaldgen.questions.file_content import InMemory, is_in_memory
from qaldgen.questions.loading import load
from qaldgen.questions.question_texts import choose_language
from qaldgen.questions.reading import reading_notes
from qaldgen.rdf.terms import Statement, is_iri, turtle_block, turtle_prefixes
from qaldgen.stores.local import LocalStore, open_quads

if TYPE_CHECKING:
    import pandas as pd

#: One question set or several: files, names of public sets, data in memory, or sets.
AnyQuestions: TypeAlias = (
    "str | Path | InMemory | QuestionSet | Sequence[str | Path | InMemory | QuestionSet]"
)


@dataclasses.dataclass(frozen=True)
class Annotation:
    """Annotated questions.

    Attributes
    ----------
    sets : tuple of QuestionSet
        The question sets.
    values : tuple of tuple of dict
        The features by name, for each set and question.
    unparsable : tuple of str
        The IRIs of questions whose query cannot be parsed; they have no query features.
    notes : tuple of str
        What could not be computed, for which questions, and why; queries with undeclared prefixes.
    language, r1_compat
        The arguments of `annotate`.
    """

    sets: tuple[QuestionSet, ...]
    values: tuple[tuple[FeatureValues, ...], ...] = dataclasses.field(hash=False)
    unparsable: tuple[str, ...]
    notes: tuple[str, ...] = ()
    language: str = LANGUAGE
    r1_compat: bool = False

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The features and the sets as RDF; rebuilt on each access, since it takes much memory."""
        return tuple(self._triples())

    def _triples(self) -> Iterator[Statement]:
        """Yield the statements about the sets and their questions."""
        for question_set, values in zip(self.sets, self.values, strict=True):
            yield from set_statements(question_set, self.language)
            yield from statements_of(question_set, values, r1_compat=self.r1_compat)

    def __repr__(self) -> str:
        """Return one line: the sets, and the numbers of questions and statements."""
        names = ", ".join(questions.name for questions in self.sets)
        notes = f", {len(self.notes):,} notes" if self.notes else ""
        n_statements = sum(1 for _ in self._triples())
        size = count(len(self), "question")
        return f"<Annotation of {names}: {size}, {n_statements:,} statements{notes}>"

    def __len__(self) -> int:
        """Return the number of questions."""
        return sum(len(questions) for questions in self.sets)

    def store(self) -> LocalStore:
        """Return the features as a data set for `select`."""
        name = "+".join(question_set.name for question_set in self.sets)
        quads = [Quad(*statement) for statement in self._triples()]  # type: ignore[arg-type]
        store = open_quads(name, quads)
        store.notes = list(self.notes)
        return store

    def to_frame(self) -> pd.DataFrame:
        """Return the features as a table.

        Returns
        -------
        pandas.DataFrame
            One row per question (index: its IRI), one column per feature; a feature that a question
            does not have is missing.
        """
        import pandas as pd

        iris = list[str]()
        for question_set in self.sets:
            iris += [question_iri(question_set, question) for question in question_set]
        rows = list(itertools.chain.from_iterable(self.values))
        table = pd.DataFrame(rows, index=pd.Index(iris, name="question", dtype=object))
        if len(self.sets) == 1:  # a column of two sets is two properties
            question_set = self.sets[0]
            table.attrs[OWN_COLUMNS] = own_columns(question_set.questions, set_name(question_set))
        return table

    def dump(self) -> bytes:
        """Return the features as Turtle; equal questions give equal bytes."""
        blocks = [turtle_prefixes()]
        for question_set, values in zip(self.sets, self.values, strict=True):
            blocks.append(turtle_block(set_statements(question_set, self.language)))
            blocks += turtle_blocks(question_set, values, r1_compat=self.r1_compat)
        return "".join(blocks).encode()

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the features as Turtle, atomically.

        Parameters
        ----------
        path
            The output file.
        force
            Overwrite an existing file.

        Raises
        ------
        UsageError
            If the file exists and `force` is not set.
        """
        check_writable(Path(path), force=force)
        write_atomic(Path(path), self.dump(), force=force)


def annotate(
    questions: AnyQuestions,
    *,
    language: str = LANGUAGE,
    labels: Mapping[str, str] | str | Path | None = None,
    train: QuestionSet | Training | str | Path | None = None,
    n_jobs: PositiveInt | None = None,
    r1_compat: bool = False,
    cache: Cache = "default",
) -> Annotation:
    """Compute the features of questions and describe them as RDF.

    Parameters
    ----------
    questions
        One set or several: files, names of public sets, or what `load` returns; a set with a
        `licence` is described with it.
    language
        Language of the texts to annotate.
    labels
        Labels of entities, relations and classes: RDF with rdfs:label, a table of IRI and label
        (.csv, .tsv), or the URL of an endpoint. Default: the names in their IRIs.

        Or a mapping from IRI to label.
    train
        Training split, to compute the distance of each question from it (generalisationLevel).

        A question set, its file or its name.
    n_jobs
        Number of processes.

        None for what `joblib.parallel_config` says, which may be a cluster, else one.
    r1_compat
        Also write the property names of the published data, for the queries in the paper.
    cache
        A file that keeps features by content, by default the one that the command line has; None to
        disable caching.

    Returns
    -------
    Annotation
        The features by question and as RDF; `select` and `sample` go on from there. ``.notes`` say
        what could not be computed.

    Raises
    ------
    DataError
        If a text has an invalid language tag, or a file cannot be read.
    UsageError
        If two sets have the same name, or a licence is not an IRI.

    Examples
    --------
    >>> annotate([{"question": "Which river is longest?"}]).to_frame()["length"].tolist()
    [4]
    """
    rows_of_sets: list[tuple[FeatureValues, ...]] = []
    unparsable: list[str] = []
    with _open_features(
        questions, language=language, labels=labels, train=train, n_jobs=n_jobs, cache=cache
    ) as stream:
        for question_set in stream.sets:
            rows = tuple(itertools.islice(stream.rows, len(question_set.questions)))
            rows_of_sets.append(rows)
            for question, features in zip(question_set.questions, rows, strict=True):
                if "queryUnparsable" in features:
                    unparsable.append(question_iri(question_set, question))

    return Annotation(
        sets=stream.sets,
        values=tuple(rows_of_sets),
        unparsable=tuple(unparsable),
        notes=tuple(stream.notes()),
        language=stream.language,
        r1_compat=r1_compat,
    )


def annotate_to(
    file: IO[bytes],
    questions: AnyQuestions,
    *,
    language: str = LANGUAGE,
    labels: Mapping[str, str] | str | Path | None = None,
    train: QuestionSet | Training | str | Path | None = None,
    n_jobs: int | None = None,
    r1_compat: bool = False,
    cache: Cache = "default",
) -> list[str]:
    """Write the features of questions as Turtle, in memory that does not grow with their number.

    See `annotate`; returns the notes.
    """
    with _open_features(
        questions, language=language, labels=labels, train=train, n_jobs=n_jobs, cache=cache
    ) as stream:
        file.write(turtle_prefixes().encode())
        for question_set in stream.sets:
            file.write(turtle_block(set_statements(question_set, stream.language)).encode())
            rows = itertools.islice(stream.rows, len(question_set.questions))
            for block in turtle_blocks(question_set, rows, r1_compat=r1_compat):
                file.write(block.encode())
    return stream.notes()


class _FeatureStream(NamedTuple):
    """The features of the questions of all sets, in one stream, which callers cut into sets."""

    sets: tuple[QuestionSet, ...]
    language: str  # the language in which the sets have texts
    rows: Iterator[FeatureValues]
    notes: Callable[[], list[str]]  # returns the notes on the rows that were taken


@contextmanager
def _open_features(
    source: AnyQuestions,
    *,
    language: str,
    labels: Mapping[str, str] | str | Path | None,
    train: QuestionSet | Training | str | Path | None,
    n_jobs: int | None,
    cache: Cache,
) -> Iterator[_FeatureStream]:
    """Open the stream of the features of all sets; see `annotate`."""
    sets = _load_sets(source, language)
    questions = list(itertools.chain.from_iterable(sets))
    problems: list[Complaint] = []
    with collecting() as source_notes:
        language = choose_language(questions, language)
        if isinstance(labels, (str, Path)):
            labels = read_labels(labels, questions=questions, language=language)
        training = _read_training(train, language)

    with step("annotating", len(questions)) as advance:
        feature_rows = stream_features(
            questions,
            language=language,
            labels=labels,
            n_jobs=n_jobs,
            cache=cache_file() if cache == "default" else cache,
            progress=advance,
            complain=problems.append,
        )
        if training is not None:
            feature_rows = (with_level(row, training) for row in feature_rows)
        own_rows: list[FeatureValues] = []
        for question_set in sets:
            own_rows += own_values(question_set.questions, own_columns(question_set.questions))
        noted_rows: list[FeatureValues] = []

        def take_rows() -> Iterator[FeatureValues]:
            for row, own_row in zip(feature_rows, own_rows, strict=True):
                # only the features that notes read are kept; the rest would fill the memory
                noted_rows.append({name: value for name, value in row.items() if name in NOTED})
                yield row | own_row

        def make_notes() -> list[str]:
            # notes on the training set come first: they apply to all questions
            lines = list(source_notes)
            lines += problem_notes(problems, questions)
            lines += prefix_notes(questions, noted_rows)
            lines += label_notes(noted_rows)
            return lines

        yield _FeatureStream(sets, language, take_rows(), make_notes)


def _load_sets(questions: AnyQuestions, language: str) -> tuple[QuestionSet, ...]:
    """Return the question sets of a call, read if need be; refuse sets that do not go together."""
    is_list = isinstance(questions, Sequence) and not isinstance(questions, str)
    is_single = is_in_memory(questions) or not is_list
    sources: Sequence[Any] = (questions,) if is_single else questions  # type: ignore[assignment]
    sets = []
    for source in sources:
        if not isinstance(source, QuestionSet):
            source = load(source, language=language)
        sets.append(source)

    # what RDF cannot describe is refused before features are computed
    names = [set_name(question_set) for question_set in sets]
    for name in names:
        if names.count(name) > 1:  # it is part of the IRIs: two sets would share their questions
            raise UsageError(f"two question sets have the name {name!r}; rename one file")
    checked_tags: set[str] = set()
    for question_set in sets:
        check_licence(question_set.licence)
    for question_set in sets:
        for question in question_set.questions:
            for tag in itertools.chain(question.texts, question.keywords):
                if tag not in checked_tags:
                    tagged_text("", tag, question_set, question)  # raises for a wrong tag
                    checked_tags.add(tag)
    return tuple(sets)


def _read_training(
    train: QuestionSet | Training | str | Path | None, language: str
) -> Training | None:
    """Return the items of a training split, with a note on queries that do not parse."""
    if train is None or isinstance(train, Training):
        return train
    split = train if isinstance(train, QuestionSet) else load(train, language=language)
    note(*reading_notes(split))
    training = training_items(split.questions)
    if training.unparsable:
        name = split.name if split is train else train
        note(
            f"{name}: {len(training.unparsable):,} queries cannot be parsed (first:"
            f" {training.unparsable[0]}); they are ignored in the levels"
        )
    return training


def check_licence(licence: str) -> None:
    """Refuse a licence that is not an IRI."""
    if licence and not is_iri(licence):
        raise UsageError(
            f"the licence {licence!r} is not an IRI; use its URL, such as"
            " https://creativecommons.org/licenses/by/4.0/"
        )

"""Annotate questions: their features as RDF, which `select` and `sample` read."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pyoxigraph import Quad

from qaldgen.annotation.iris import question_iri, set_name
from qaldgen.annotation.statements import set_statements, statements_of, tagged_text, turtle_blocks
from qaldgen.errors import UsageError
from qaldgen.features.cache import Cache, chosen_cache
from qaldgen.features.compute import Values, compute_features, stream_features
from qaldgen.features.generalisation import Training, with_level
from qaldgen.features.problems import Complaint, prefix_notes, problem_notes
from qaldgen.io.outputs import check_writable, write_atomic
from qaldgen.model import QuestionSet
from qaldgen.rdf import turtle
from qaldgen.rdf.terms import Statement, is_iri
from qaldgen.stores.local import LocalStore, open_quads

if TYPE_CHECKING:
    import pandas as pd


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
    values: tuple[tuple[Values, ...], ...]
    unparsable: tuple[str, ...]
    notes: tuple[str, ...] = ()
    language: str = "en"
    r1_compat: bool = False

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The features and the sets as RDF; rebuilt on each access, since it takes much memory."""
        return tuple(self._triples())

    def _triples(self) -> Iterator[Statement]:
        for one, own in zip(self.sets, self.values, strict=True):
            yield from set_statements(one, self.language)
            yield from statements_of(one, own, r1_compat=self.r1_compat)

    def __repr__(self) -> str:
        """Return one line: the sets, and the numbers of questions and statements."""
        names = ", ".join(questions.name for questions in self.sets)
        noted = f", {len(self.notes):,} notes" if self.notes else ""
        statements = sum(1 for _ in self._triples())
        return f"<Annotation of {names}: {len(self):,} questions, {statements:,} statements{noted}>"

    def __len__(self) -> int:
        """Return the number of questions."""
        return sum(len(questions.questions) for questions in self.sets)

    def store(self) -> LocalStore:
        """Return the features as a data set for `select`."""
        name = "+".join(one.name for one in self.sets)
        return open_quads(name, [Quad(*statement) for statement in self._triples()])  # type: ignore[arg-type]

    def to_frame(self) -> pd.DataFrame:
        """Return the features as a table.

        Returns
        -------
        pandas.DataFrame
            One row per question (index: its IRI), one column per feature; a feature that a question
            does not have is missing.
        """
        import pandas as pd

        iris = [question_iri(one, question) for one in self.sets for question in one]
        values = [own for each in self.values for own in each]
        return pd.DataFrame(values, index=pd.Index(iris, name="question", dtype=object))

    def dump(self) -> bytes:
        """Return the features as Turtle; the same questions give the same bytes."""
        return b"".join(block.encode() for block in self._blocks())

    def _blocks(self) -> Iterator[str]:
        """Yield `_triples` as Turtle, question by question."""
        yield turtle.prefix_lines()
        for one, own in zip(self.sets, self.values, strict=True):
            yield turtle.block(set_statements(one, self.language))
            yield from turtle_blocks(one, own, r1_compat=self.r1_compat)

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
    questions: QuestionSet | Sequence[QuestionSet],
    *,
    language: str = "en",
    labels: Mapping[str, str] | None = None,
    train: Training | None = None,
    n_jobs: int | None = None,
    r1_compat: bool = False,
    cache: Cache = "usual",
    progress: Callable[[int], None] | None = None,
) -> Annotation:
    """Compute the features of questions and describe them as RDF.

    Parameters
    ----------
    questions
        One set or several, as `read_questions` gives them; a set with a `licence` is described with
        it.
    language
        The language of the texts to use.
    labels
        IRI to label, preferred to the name in the IRI.
    train
        What a training split names, by `training_items`; it tells how far each question is from it
        (``generalisationLevel``).
    n_jobs
        Processes to compute with; None for what `joblib.parallel_config` says, which may be a
        cluster, else one.
    r1_compat
        Also write the property names of the published QaldGenData, so that the paper's listings run
        unchanged.
    cache
        A file that keeps features by content, by default the one that the command line has; None to
        disable caching.
    progress
        Called with the number of questions that are done.

    Raises
    ------
    DataError
        If a text has an invalid language tag.
    UsageError
        If two sets have the same name, or a licence is not an IRI.
    """
    sets = (questions,) if isinstance(questions, QuestionSet) else tuple(questions)
    _check(sets)
    flat = [question for one in sets for question in one.questions]
    problems: list[Complaint] = []
    computed = compute_features(
        flat,
        language=language,
        labels=labels,
        n_jobs=n_jobs,
        cache=chosen_cache(cache),
        progress=progress,
        complain=problems.append,
    )
    values = iter(computed) if train is None else (with_level(found, train) for found in computed)
    grouped = [tuple(itertools.islice(values, len(one.questions))) for one in sets]
    notes = (*problem_notes(problems, flat), *prefix_notes(flat, computed))
    return Annotation(sets, tuple(grouped), _unparsable(sets, grouped), notes, language, r1_compat)


@dataclasses.dataclass(frozen=True)
class How:
    """How questions are annotated.

    Attributes
    ----------
    language, labels, train, n_jobs, r1_compat, cache, progress
        See `annotate`.
    """

    language: str = "en"
    labels: Mapping[str, str] | None = None
    train: Training | None = None
    n_jobs: int | None = None
    r1_compat: bool = False
    cache: Cache = "usual"
    progress: Callable[[int], None] | None = None


def annotate_to(file: IO[bytes], sets: Sequence[QuestionSet], how: How) -> list[str]:
    """Write the features of questions as Turtle, in memory that does not grow with their number.

    Parameters
    ----------
    file
        Where to write, open for bytes.
    sets
        The question sets.
    how
        How they are annotated.

    Returns
    -------
    list of str
        The notes: what could not be computed, and why.

    Raises
    ------
    DataError, UsageError
        See `annotate`.
    """
    _check(sets)
    flat = [question for one in sets for question in one.questions]
    problems: list[Complaint] = []
    repairs: list[Values] = []
    streamed = stream_features(
        flat,
        language=how.language,
        labels=how.labels,
        n_jobs=how.n_jobs,
        cache=chosen_cache(how.cache),
        progress=how.progress,
        complain=problems.append,
    )
    values = (_remembered(one, how.train, repairs) for one in streamed)
    file.write(turtle.prefix_lines().encode())
    for one in sets:
        file.write(turtle.block(set_statements(one, how.language)).encode())
        # The features of all sets come in one stream, cut here at the end of each set.
        own = itertools.islice(values, len(one.questions))
        file.writelines(
            block.encode() for block in turtle_blocks(one, own, r1_compat=how.r1_compat)
        )
    return [*problem_notes(problems, flat), *prefix_notes(flat, repairs)]


def _remembered(values: Values, train: Training | None, repairs: list[Values]) -> Values:
    """Return the features with the level against a training split, and keep what a note needs."""
    repaired = values.get("repairKinds")
    # Only what the notes need is kept; the rest of the features would fill the memory.
    repairs.append({} if repaired is None else {"repairKinds": repaired})
    return values if train is None else with_level(values, train)


def _unparsable(sets: Sequence[QuestionSet], values: Sequence[Sequence[Values]]) -> tuple[str, ...]:
    return tuple(
        question_iri(one, question)
        for one, own in zip(sets, values, strict=True)
        for question, found in zip(one.questions, own, strict=True)
        if "queryUnparsable" in found
    )


def _check(sets: Sequence[QuestionSet]) -> None:
    # The name is part of the IRIs; two sets would share their questions.
    names = [set_name(one) for one in sets]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise UsageError(f"two question sets have the name {doubled!r}; rename one file")
    for one in sets:
        check_licence(one.licence)
    _check_tags(sets)


def _check_tags(sets: Sequence[QuestionSet]) -> None:
    """Reject language tags that RDF does not take, before the features are computed."""
    good: set[str] = set()
    for one in sets:
        for question in one.questions:
            for tag in (*question.texts, *question.keywords):
                if tag not in good:
                    tagged_text("", tag, one, question)
                    good.add(tag)


def check_licence(licence: str) -> None:
    """Reject a licence that is not an address; raises UsageError."""
    if licence and not is_iri(licence):
        raise UsageError(
            f"the licence {licence!r} is not an IRI; use its URL, such as"
            " https://creativecommons.org/licenses/by/4.0/"
        )

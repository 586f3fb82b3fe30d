"""Annotate questions: their features as RDF, which `select` and `sample` read."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TypeAlias
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Quad

from qaldgen import __version__
from qaldgen.errors import DataError, UsageError
from qaldgen.features.cache import Cache, chosen_cache
from qaldgen.features.catalogue import Feature, all_features
from qaldgen.features.compute import Values, compute_features, stream_features
from qaldgen.features.generalisation import Training, with_level
from qaldgen.features.legacy import legacy_statements, legacy_terms
from qaldgen.features.problems import Complaint, prefix_notes, problem_notes
from qaldgen.features.query.features import FeatureValue
from qaldgen.features.terms import feature_terms
from qaldgen.formats.answers_json import whole_answers_json
from qaldgen.io.outputs import check_writable, write_atomic
from qaldgen.model import Question, QuestionSet
from qaldgen.rdf import turtle
from qaldgen.rdf.terms import LSQ, PREFIXES, QALDGEN, XSD, Statement, Term, is_iri, prefixed
from qaldgen.stores.local import LocalStore, open_quads

BASE = "http://qald-gen.aksw.org/"
#: Name, type and value of a feature; the type, because True and 1 are equal but differ in RDF.
_Described: TypeAlias = tuple[str, type, FeatureValue]
_JSON = NamedNode(PREFIXES["rdf"] + "JSON")
#: Values whose Turtle is kept, because many questions share them.
_KEPT_PARTS = 50_000


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
            yield from _set_statements(one, self.language)
            yield from _statements_of(one, own, r1_compat=self.r1_compat)

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
        return open_quads("annotation", [Quad(*statement) for statement in self._triples()])  # type: ignore[arg-type]

    def dump(self) -> bytes:
        """Return the features as Turtle; the same questions give the same bytes."""
        return b"".join(block.encode() for block in self._blocks())

    def _blocks(self) -> Iterator[str]:
        """Yield `_triples` as Turtle, question by question."""
        yield turtle.prefix_lines()
        for one, own in zip(self.sets, self.values, strict=True):
            yield turtle.block(_set_statements(one, self.language))
            yield from _blocks_of(one, own, r1_compat=self.r1_compat)

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
        The language whose wordings are looked at.
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
        file.write(turtle.block(_set_statements(one, how.language)).encode())
        # The features of all sets come in one stream, cut here at the end of each set.
        own = itertools.islice(values, len(one.questions))
        file.writelines(block.encode() for block in _blocks_of(one, own, r1_compat=how.r1_compat))
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
                    _tagged("", tag, one, question)
                    good.add(tag)


def check_licence(licence: str) -> None:
    """Reject a licence that is not an address; raises UsageError."""
    if licence and not is_iri(licence):
        raise UsageError(
            f"the licence {licence!r} is not an IRI; use its URL, such as"
            " https://creativecommons.org/licenses/by/4.0/"
        )


def _blocks_of(
    questions: QuestionSet, values: Iterable[Values], *, r1_compat: bool
) -> Iterator[str]:
    """Yield the statements of each question as Turtle; frequent values are written only once."""
    written = _written_features(r1_compat=r1_compat)
    known: dict[_Described, str] = {}
    for question, found in zip(questions.questions, values, strict=True):
        parts = []
        for name, value in found.items():
            if name not in written:
                continue
            key = (name, type(value), value)
            if key not in known:
                feature, predicate = written[name]
                if len(known) >= _KEPT_PARTS:
                    known.clear()  # most are labels and IRIs that no other question has
                known[key] = turtle.part(predicate, list(feature_terms(feature, value)))
            parts.append(known[key])
        start = turtle.block(_question_statements(questions, question))
        last = _last_statements(questions, question, found, r1_compat=r1_compat)
        parts += (turtle.part(predicate, [value]) for _, predicate, value in last)
        yield turtle.with_parts(start, filter(None, parts))


def _written_features(*, r1_compat: bool) -> dict[str, tuple[Feature, NamedNode]]:
    """Return the features that are written, with their predicates."""
    hidden = legacy_terms() if r1_compat else frozenset()
    return {
        name: (one, NamedNode(one.term))
        for name, one in all_features().items()
        if one.term not in hidden
    }


def _last_statements(
    questions: QuestionSet, question: Question, values: Values, *, r1_compat: bool
) -> Iterable[tuple[NamedNode, NamedNode, Term]]:
    """Describe the origin of a question, or with `r1_compat` the published properties."""
    return (
        _old_statements(questions, question, values)
        if r1_compat
        else [_origin(questions, question_iri(questions, question))]
    )


def _statements_of(
    questions: QuestionSet, values: Sequence[Values], *, r1_compat: bool
) -> Iterator[Statement]:
    """Describe the questions of a set: their data, their features, and their origin."""
    written = _written_features(r1_compat=r1_compat)
    known: dict[_Described, tuple[Term, ...]] = {}
    for question, found in zip(questions.questions, values, strict=True):
        iri = question_iri(questions, question)
        yield from _question_statements(questions, question)
        yield from _feature_statements(NamedNode(iri), found, written, known)
        yield from _last_statements(questions, question, found, r1_compat=r1_compat)


def set_name(questions: QuestionSet) -> str:
    """Return the name of a set in IRIs: that of its file, without endings."""
    return _short_name(questions.name)


@functools.cache
def _short_name(name: str) -> str:
    return (
        re.sub(
            r"[^\w-]+",
            "-",
            re.sub(r"(\.(json|jsonl|xml|tsv|csv|ttl|nt|yaml|yml|zip|gz|bz2))+$", "", name),
        )
        or "set"
    )


def question_iri(questions: QuestionSet, question: Question) -> str:
    """Return the IRI of a question: that of the data, or one made from set name and id.

    Parameters
    ----------
    questions
        The set of the question, for its name.
    question
        The question.
    """
    # Quoted without exceptions: an id may contain a slash.
    return question.iri or f"{BASE}question/{set_name(questions)}/{quote(question.id, safe='')}"


def _set_iri(questions: QuestionSet) -> NamedNode:
    return NamedNode(f"{BASE}dataset/{set_name(questions)}")


def _set_statements(questions: QuestionSet, language: str) -> Iterator[Statement]:
    """Describe a set: DCAT and VoID for its content, PROV for its file and the annotation."""
    root = _set_iri(questions)
    source, activity = NamedNode(root.value + "#source"), NamedNode(root.value + "#annotation")
    checksum = NamedNode(root.value + "#checksum")
    described: list[tuple[NamedNode, str, Term]] = [
        (root, "rdf:type", prefixed("dcat:Dataset")),
        (root, "rdf:type", prefixed("void:Dataset")),
        (root, "dct:title", Literal(set_name(questions))),
        (root, "void:entities", _integer(len(questions.questions))),
        (root, "prov:wasDerivedFrom", source),
        (root, "prov:wasGeneratedBy", activity),
        (source, "rdf:type", prefixed("prov:Entity")),
        (source, "dct:title", Literal(questions.name)),
        (source, "dct:format", Literal(questions.format)),
        (activity, "rdf:type", prefixed("prov:Activity")),
        (activity, "qaldgen:version", Literal(f"qaldgen {__version__}")),
        (activity, "dct:language", Literal(language)),
    ]
    if questions.licence:
        described.append((root, "dct:license", NamedNode(questions.licence)))
    if questions.sha256:
        described += [
            (source, "spdx:checksum", checksum),
            (checksum, "rdf:type", prefixed("spdx:Checksum")),
            (checksum, "spdx:algorithm", prefixed("spdx:checksumAlgorithm_sha256")),
            (
                checksum,
                "spdx:checksumValue",
                Literal(questions.sha256, datatype=NamedNode(XSD + "hexBinary")),
            ),
        ]
    return ((subject, prefixed(short), value) for subject, short, value in described)


def _question_statements(questions: QuestionSet, question: Question) -> Iterator[Statement]:
    """Describe the data of a question: texts, queries, answers."""
    subject = NamedNode(question_iri(questions, question))
    yield subject, prefixed("rdf:type"), NamedNode(QALDGEN + "Question")
    yield subject, prefixed("dct:identifier"), Literal(question.id)
    yield subject, prefixed("prov:wasDerivedFrom"), NamedNode(_set_iri(questions).value + "#source")
    for language, wordings in question.texts.items():
        for wording in wordings:
            # The first text is the main one; a question has one per language.
            name = QALDGEN + ("text" if wording == wordings[0] else "alternativeText")
            yield subject, NamedNode(name), _tagged(wording, language, questions, question)
    for language, keywords in question.keywords.items():
        yield (
            subject,
            NamedNode(QALDGEN + "keywords"),
            _tagged(keywords, language, questions, question),
        )
    for query in filter(None, dict.fromkeys(question.queries.values())):
        # LSQ's property for the query that the features are computed from.
        name = LSQ + "text" if query == question.sparql else QALDGEN + "alternativeQuery"
        yield subject, NamedNode(name), Literal(query)
    if question.answers is not None:
        answers = whole_answers_json(question.answers)
        yield (
            subject,
            NamedNode(QALDGEN + "answers"),
            Literal(json.dumps(answers, ensure_ascii=False), datatype=_JSON),
        )


def _tagged(text: str, language: str, questions: QuestionSet, question: Question) -> Literal:
    try:
        return Literal(text, language=language)
    except ValueError as error:
        raise DataError(
            f"{questions.name}: question {question.id}: {language!r} is not a language tag; RDF"
            " needs BCP 47 tags, such as en or pt-BR; correct it in the data"
        ) from error


def _feature_statements(
    subject: NamedNode,
    values: Values,
    written: Mapping[str, tuple[Feature, NamedNode]],
    known: dict[_Described, tuple[Term, ...]],
) -> list[Statement]:
    """Describe the features of a question; `known` caches terms: most features have few values."""
    found: list[Statement] = []
    for name, value in values.items():
        if name not in written:
            continue
        feature, predicate = written[name]
        key = (name, type(value), value)
        terms = known.get(key)
        if terms is None:
            terms = known[key] = tuple(feature_terms(feature, value))
        found += [(subject, predicate, term) for term in terms]
    return found


def _origin(questions: QuestionSet, iri: str) -> tuple[NamedNode, NamedNode, Term]:
    return NamedNode(iri), NamedNode(QALDGEN + "questionOrigin"), _set_iri(questions)


def _old_statements(
    questions: QuestionSet, question: Question, values: Values
) -> Iterator[tuple[NamedNode, NamedNode, Term]]:
    """Describe a question with the published properties."""
    subject = NamedNode(question_iri(questions, question))
    yield from (
        (subject, predicate, term)
        for predicate, term in legacy_statements(question, values, set_name(questions))
    )


def _integer(value: int) -> Literal:
    return Literal(str(value), datatype=NamedNode(XSD + "integer"))

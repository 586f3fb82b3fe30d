"""Compute the features of questions, in several processes and from a cache."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.features.cache import content_keys, load_features, store_features, versions
from qaldgen.features.catalogue import Evidence, all_features
from qaldgen.features.data_features import capitalised_sets
from qaldgen.features.feature_notes import UNPARSABLE, Complaint, Problem
from qaldgen.features.query.query_features import (
    FeatureValues,
    QueryError,
    QueryTree,
    parse_query,
    query_features,
)
from qaldgen.features.resources import labels_in, resource_features
from qaldgen.features.text.text_features import MODELS, load_model, text_features
from qaldgen.io.arguments import check_integer
from qaldgen.io.cache_keys import package_of
from qaldgen.io.concurrency import parallel_settings
from qaldgen.io.text import one_line
from qaldgen.model import Question
from qaldgen.questions.question_texts import base_language

if TYPE_CHECKING:
    from spacy.language import Language

#: Questions per task: enough to pay for sending it to a process, few enough for smooth progress.
_CHUNK = 250
#: Chunks that are computed, for each process, before the first of them is passed on: enough that
#: processes rarely wait for each other, few enough that memory does not grow with the set.
_CHUNKS_AHEAD = 8


class _Setting(NamedTuple):
    """What is the same for all questions."""

    language: str
    labels: Mapping[str, str]
    capitalised: frozenset[str]  # the data sets in which a capital is no evidence for a name


class _QuestionFeatures(NamedTuple):
    """The features of a question, or of its text, and what could not be computed."""

    values: FeatureValues
    problems: tuple[Problem, ...]


class _ChunkFeatures(NamedTuple):
    """The features of a chunk of questions, and the worker that computed them."""

    computed: list[_QuestionFeatures]
    worker: str  # its machine and process, for messages
    versions: dict[str, str]


def stream_features(
    questions: Sequence[Question],
    *,
    language: str = LANGUAGE,
    labels: Mapping[str, str] | None = None,
    n_jobs: int | None = None,
    cache: Path | None = None,
    progress: Callable[[int], None] | None = None,
    complain: Callable[[Complaint], None] | None = None,
) -> Iterator[FeatureValues]:
    """Yield the features of each question by name, in memory that does not grow with their number.

    Features without a value are absent. A failure with one question does not affect the others.

    >>> query = "SELECT ?l { <http://x.org/Rhine> <http://x.org/length> ?l }"
    >>> rhine = Question("1", {"en": ("How long is the Rhine?",)}, queries={"": query})
    >>> values = next(stream_features([rhine]))
    >>> values["length"], values["whType"], values["tpCount"], values["isExplicitEntity1"]
    (5, 'how-adj', 1, True)
    """
    from joblib import effective_n_jobs

    if n_jobs is not None and n_jobs != -1:
        check_integer("n_jobs", n_jobs, 1)

    labels = {**labels_in(questions, language), **(labels or {})}
    setting = _Setting(language, labels, capitalised_sets(questions))

    keys: Sequence[str] = ()
    if cache is not None:
        keys = content_keys(questions, language, labels, model_name(language), setting.capitalised)
    size = _CHUNK * _CHUNKS_AHEAD * effective_n_jobs(n_jobs)

    def report(number: int) -> None:
        if progress is not None:
            progress(number)

    for start in range(0, len(questions), size):
        batch = questions[start : start + size]
        if cache is None:
            chunks = _compute_in_chunks(batch, setting, n_jobs, report)
            computed = list(chain.from_iterable(chunks))
        else:
            batch_keys = keys[start : start + size]
            computed = _compute_missing(batch, batch_keys, cache, setting, n_jobs, report)

        for question, features in zip(batch, computed, strict=True):
            if complain is not None:
                for problem in features.problems:
                    complain((question, problem))
            yield features.values


def _compute_missing(
    questions: Sequence[Question],
    keys: Sequence[str],
    cache: Path,
    setting: _Setting,
    n_jobs: int | None,
    progress: Callable[[int], None],
) -> list[_QuestionFeatures]:
    """Return the features of questions from the cache; compute those that it lacks, and add them.

    They are added chunk by chunk, so that an interrupted run keeps what it has. Features with
    problems are not added, so that they are reported again next time.
    """
    cached = load_features(cache, keys)
    progress(sum(key in cached for key in keys))
    features_by_key = {key: _QuestionFeatures(values, ()) for key, values in cached.items()}
    # equal questions have one key, and are computed once
    missing = {
        key: question for key, question in zip(keys, questions, strict=True) if key not in cached
    }
    missing_keys = iter(missing)
    for chunk in _compute_in_chunks(list(missing.values()), setting, n_jobs, progress):
        new_features = dict(zip(islice(missing_keys, len(chunk)), chunk, strict=True))
        complete = {key: new.values for key, new in new_features.items() if not new.problems}
        store_features(cache, complete)
        features_by_key |= new_features
    return [features_by_key[key] for key in keys]


def _compute_in_chunks(
    questions: Sequence[Question],
    setting: _Setting,
    n_jobs: int | None,
    progress: Callable[[int], None],
) -> Iterator[list[_QuestionFeatures]]:
    """Yield the features of each chunk of questions, computed in this process or in several."""
    from joblib import Parallel, delayed

    parts = [questions[start : start + _CHUNK] for start in range(0, len(questions), _CHUNK)]
    results: Iterator[_ChunkFeatures]
    if n_jobs == 1 or len(parts) < 2:
        results = (_compute_chunk(part, setting) for part in parts)
    else:
        pool = Parallel(n_jobs=n_jobs, return_as="generator", **parallel_settings())
        compute = delayed(_compute_chunk)
        results = pool(compute(part, setting) for part in parts)
    our_versions = _collect_versions(model_name(setting.language))
    for chunk in results:
        _check_worker_versions(chunk.worker, chunk.versions, our_versions)
        yield chunk.computed
        progress(len(chunk.computed))


def _check_worker_versions(
    worker: str, worker_versions: Mapping[str, str], our_versions: Mapping[str, str]
) -> None:
    """Refuse a worker whose versions are not those of this process."""
    differences = []
    for name in {**our_versions, **worker_versions}:
        ours = our_versions.get(name) or "none"
        theirs = worker_versions.get(name) or "none"
        if theirs != ours:
            differences.append(f"{name} {theirs} instead of {ours}")
    if differences:
        raise DataError(
            f"{worker} has {', '.join(differences)}, so its features may differ and were not"
            " used; install the same versions on every worker, or compute on this machine"
            " (n_jobs=1)"
        )


def _collect_versions(model: str) -> dict[str, str]:
    """Return the versions of everything that decides on features, in this process."""
    packages = {package_of(feature.value) for feature in all_features().values()} - {"qaldgen"}
    return {**versions(), "spaCy model": model, "extensions": ", ".join(sorted(packages))}


def _compute_chunk(questions: Sequence[Question], setting: _Setting) -> _ChunkFeatures:
    """Compute one chunk; a top-level function, so that a worker process loads the model once."""
    # each worker would otherwise start a thread per core, and they would slow each other down
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    wordings = [question.texts.get(setting.language, ("",))[0] for question in questions]
    model = load_model(setting.language)
    text_results = _compute_texts(wordings, setting.language, model)
    computed = [
        _compute_question(question, wording, text_result, setting)
        for question, wording, text_result in zip(questions, wordings, text_results, strict=True)
    ]
    machine = platform.node() or "a machine"
    worker = f"the worker on {machine} (process {os.getpid()})"
    versions_here = _collect_versions(_describe_model(model.meta) if model else "")
    return _ChunkFeatures(computed, worker, versions_here)


def _compute_texts(
    wordings: Sequence[str], language: str, model: Language | None
) -> list[_QuestionFeatures]:
    """Compute the features of texts, together if none of them fails."""
    try:
        return [
            _QuestionFeatures({**values}, ())
            for values in text_features(wordings, language=language, nlp=model)
        ]
    except MemoryError:  # smaller parts would only hide it
        raise
    except Exception as error:
        if len(wordings) == 1:
            return [_QuestionFeatures({}, (_problem("its text has no features", error),))]
    # one by one, as the problem of all texts does not say which of them failed
    computed = []
    for wording in wordings:
        computed += _compute_texts([wording], language, model)
    return computed


def _compute_question(
    question: Question, wording: str, text_result: _QuestionFeatures, setting: _Setting
) -> _QuestionFeatures:
    """Compute the features of one question; those that fail are absent."""
    problems = list(text_result.problems)
    has_query = bool(question.sparql.strip())

    tree: QueryTree | None = None
    query: FeatureValues = {}
    resources: FeatureValues = {}
    if has_query:
        with _catching(problems, UNPARSABLE):
            tree = parse_query(question.sparql)
    if tree is not None:
        with _catching(problems, "its query has no features"):
            query = query_features(tree)
        with _catching(problems, "its resources have no features"):
            resources = resource_features(
                tree, wording, setting.labels, record=question, language=setting.language
            )

    text = text_result.values if wording else {}
    capitals = question.origin not in setting.capitalised
    evidence = Evidence(question, text, query, resources, capitals=capitals)

    values: FeatureValues = {}
    for name, feature in all_features().items():
        with _catching(problems, f"{name} could not be computed"):
            value = feature.value(evidence)
            if value not in (None, "", (), frozenset()):
                values[name] = value

    if has_query and tree is None:
        values["queryUnparsable"] = True
    return _QuestionFeatures(values, tuple(problems))


@contextmanager
def _catching(problems: list[Problem], statement: str) -> Iterator[None]:
    """Add a problem with this statement if what is done in the context fails."""
    try:
        yield
    except MemoryError:  # no fault of one question: going on would only hide it
        raise
    except Exception as error:
        problems.append(_problem(statement, error))


def _problem(statement: str, error: Exception) -> Problem:
    """Return the problem that an error is."""
    if isinstance(error, QueryError):
        return Problem(statement, str(error))
    return Problem(statement, f"{type(error).__name__}: {one_line(str(error))}")


def model_name(language: str) -> str:
    """Return name and version of the spaCy model for a language, without loading it, or ""."""
    for package in MODELS.get(base_language(language), ()):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            meta = json.loads(Path(spec.origin).with_name("meta.json").read_text(encoding="utf-8"))
            return _describe_model(meta)
    return ""


def _describe_model(meta: Mapping[str, Any]) -> str:
    """Return the name and the version in the metadata of a spaCy model."""
    return f"{meta['lang']}_{meta['name']} {meta['version']}"

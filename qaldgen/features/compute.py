"""Compute the features of questions, and say which could not be computed, and why."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.features.cache import content_keys, load, store, versions
from qaldgen.features.catalogue import Evidence, Feature, all_features
from qaldgen.features.query.query_features import (
    FeatureValue,
    QueryError,
    QueryTree,
    parse_query,
    query_features,
)
from qaldgen.features.resources import resource_features
from qaldgen.features.text.text_features import MODELS, load_model, text_features
from qaldgen.io.arguments import check_whole
from qaldgen.io.concurrency import parallel_settings
from qaldgen.io.result_cache import package_of
from qaldgen.io.text import count, few
from qaldgen.model import Question
from qaldgen.questions.question_texts import base_language
from qaldgen.sparql.repair import unknown_prefixes

if TYPE_CHECKING:
    from spacy.language import Language

#: The problem of a question whose query is not SPARQL; its note counts only questions with queries.
UNPARSABLE = "its query cannot be parsed"


class Problem(NamedTuple):
    """What could not be computed for a question, and why."""

    what: str  # A sentence without its full stop, such as "its text has no features"
    why: str  # the reason, on one line


#: A question, and what could not be computed for it.
Complaint: TypeAlias = tuple[Question, Problem]


def problem_notes(complaints: Sequence[Complaint], questions: Sequence[Question]) -> list[str]:
    """Summarise what could not be computed, with the first questions and reasons.

    >>> one = Question("7", {})
    >>> problem_notes([(one, Problem("its text has no features", "it is too long"))], [one])
    ['its text has no features: 1 of 1 questions (7: it is too long)']
    """
    groups: dict[str, list[tuple[Question, str]]] = {}
    for question, problem in complaints:
        groups.setdefault(problem.what, []).append((question, problem.why))
    return [_note(what, group, questions) for what, group in groups.items()]


def prefix_notes(
    questions: Sequence[Question], values: Iterable[Mapping[str, FeatureValue]]
) -> Iterator[str]:
    """Yield notes on queries with unknown prefixes."""
    kinds = (found.get("repairKinds") for found in values)
    using = [
        question
        for question, kind in zip(questions, kinds, strict=True)
        if isinstance(kind, frozenset) and "unknown-prefix" in kind
    ]
    if using:
        prefixes = list(
            dict.fromkeys(
                prefix for question in using for prefix in unknown_prefixes(question.sparql)
            )
        )
        yield (
            f"{len(using):,} of {_with_query(questions):,} queries use unknown prefixes:"
            f" {few(prefixes)} ({few(question.id for question in using)}). Only their"
            " structure has features"
        )


#: What a query names, to the feature that counts it and one that needs its label.
_LABELLED = {
    "entities": ("totalEntities", "avgEntitiesWords"),
    "relations": ("totalRelations", "avgRelationsWords"),
    "classes": ("totalClasses", "avgClassesWords"),
}
#: The features that `prefix_notes` and `label_notes` read.
NOTED = frozenset({"repairKinds", *(name for names in _LABELLED.values() for name in names)})


def label_notes(values: Sequence[Mapping[str, FeatureValue]]) -> Iterator[str]:
    """Yield a note on features that are left out since no label is known, and what brings them.

    >>> (note,) = label_notes([{"totalEntities": 1, "avgEntitiesWords": 2.0}, {"totalEntities": 1}])
    >>> note.partition(":")[0]
    'no label is known of the entities of 1 question'
    """
    lacking = {
        kind: sum(bool(one.get(total)) and needing not in one for one in values)
        for kind, (total, needing) in _LABELLED.items()
    }
    said = [
        f"the {kind} of {count(number, 'question')}" for kind, number in lacking.items() if number
    ]
    if said:
        yield (
            f"no label is known of {' and '.join(said)}: their numbers of words"
            " (totalWords..., avg...Words) and whether the question says them (isExplicit...) are"
            " left out. Labels bring them: annotate with `labels`, a table of IRI and label or an"
            " endpoint"
        )


def _note(what: str, group: Sequence[tuple[Question, str]], questions: Sequence[Question]) -> str:
    reasons = few((f"{question.id}: {why}" for question, why in group), joint="; ")
    if what == UNPARSABLE:
        return (
            f"{len(group):,} of {_with_query(questions):,} queries cannot be parsed; they have no"
            f" features ({reasons})"
        )
    return f"{what}: {len(group):,} of {len(questions):,} questions ({reasons})"


def _with_query(questions: Iterable[Question]) -> int:
    return sum(bool(question.sparql.strip()) for question in questions)


Values = dict[str, FeatureValue]
T = TypeVar("T")
#: Questions per task: enough to pay for sending it to a process, few enough for smooth progress.
_CHUNK = 250
#: Chunks that are computed, for each process, before the first of them is passed on: enough that
#: processes rarely wait for each other, few enough that memory does not grow with the set.
_CHUNKS_AHEAD = 8


class _Computed(NamedTuple):
    """The features of a question, and what could not be computed."""

    values: Values
    problems: tuple[Problem, ...]


class _Part(NamedTuple):
    """What a worker computed of a chunk, who it is, and the versions with which it did so."""

    computed: list[_Computed]
    worker: str
    versions: dict[str, str]


def compute_features(questions: Sequence[Question], **how: Any) -> list[Values]:  # noqa: ANN401
    """Return what `stream_features` yields, as a list.

    >>> query = "SELECT ?l { <http://x.org/Rhine> <http://x.org/length> ?l }"
    >>> rhine = Question("1", {"en": ("How long is the Rhine?",)}, queries={"": query})
    >>> found = compute_features([rhine])[0]
    >>> found["length"], found["whType"], found["tpCount"], found["isExplicitEntity1"]
    (5, 'how-adj', 1, True)
    """
    return list(stream_features(questions, **how))


def stream_features(
    questions: Sequence[Question],
    *,
    language: str = LANGUAGE,
    labels: Mapping[str, str] | None = None,
    n_jobs: int | None = None,
    cache: Path | None = None,
    progress: Callable[[int], None] | None = None,
    complain: Callable[[Complaint], None] | None = None,
) -> Iterator[Values]:
    """Yield the features of each question by name, in memory that does not grow with their number.

    Features without a value are absent. A failure with one question does not affect the others.
    """
    from joblib import effective_n_jobs

    if n_jobs is not None and n_jobs != -1:
        check_whole("n_jobs", n_jobs, 1)
    report, named = progress or (lambda done: None), labels or {}
    keys = None
    if cache is not None:
        keys = content_keys(questions, language, named, model_name(language))
    size = _CHUNK * _CHUNKS_AHEAD * effective_n_jobs(n_jobs)
    for start in range(0, len(questions), size):
        batch = questions[start : start + size]
        if cache is None or keys is None:
            parts = _parts(batch, language, named, n_jobs, report)
            computed = [found for part in parts for found in part]
        else:
            compute = partial(
                _parts, language=language, labels=named, n_jobs=n_jobs, progress=report
            )
            computed = _with_cache(batch, keys[start : start + size], cache, compute, report)
        yield from _values(batch, computed, complain)


def _with_cache(
    questions: Sequence[Question],
    keys: Sequence[str],
    cache: Path,
    compute: Callable[[Sequence[Question]], Iterator[list[_Computed]]],
    progress: Callable[[int], None],
) -> list[_Computed]:
    """Return the features of questions, from the cache if it has them; add the others to it."""
    known = load(cache, keys)
    progress(sum(key in known for key in keys))
    missing = {
        key: question for key, question in zip(keys, questions, strict=True) if key not in known
    }
    computed: dict[str, _Computed] = {}
    left = iter(missing)
    for part in compute(list(missing.values())):
        made = {key: found for found, key in zip(part, left, strict=False)}
        # stored chunk by chunk, so that an interrupted run keeps what it has; problems are not
        # stored, so that they are reported again next time
        store(cache, {key: found.values for key, found in made.items() if not found.problems})
        computed |= made
    return [computed.get(key) or _Computed(known[key], ()) for key in keys]


def _values(
    questions: Sequence[Question],
    computed: Sequence[_Computed],
    complain: Callable[[Complaint], None] | None,
) -> list[Values]:
    """Return the features, and tell the problems."""
    if complain is not None:
        for question, features in zip(questions, computed, strict=True):
            for problem in features.problems:
                complain((question, problem))
    return [found.values for found in computed]


def _parts(
    questions: Sequence[Question],
    language: str,
    labels: Mapping[str, str],
    n_jobs: int | None,
    progress: Callable[[int], None],
) -> Iterator[list[_Computed]]:
    """Yield the features chunk by chunk, computed in this process or in several."""
    from joblib import Parallel, delayed

    chunks = [questions[start : start + _CHUNK] for start in range(0, len(questions), _CHUNK)]
    parts: Iterator[_Part]
    if n_jobs == 1 or len(chunks) < 2:
        parts = (_compute_chunk(chunk, language, labels) for chunk in chunks)
    else:
        pool = Parallel(n_jobs=n_jobs, return_as="generator", **parallel_settings())
        parts = pool(delayed(_compute_chunk)(chunk, language, labels) for chunk in chunks)
    ours = _all_versions(model_name(language))
    for part in parts:
        _check_worker(part, ours)
        yield part.computed
        progress(len(part.computed))


def _all_versions(model: str) -> dict[str, str]:
    packages = {package_of(feature.value) for feature in all_features().values()} - {"qaldgen"}
    return {**versions(), "spaCy model": model, "extensions": ", ".join(sorted(packages))}


def _check_worker(part: _Part, ours: Mapping[str, str]) -> None:
    """Refuse what a worker computed with other versions: its features may differ."""
    # a worker of an older version returns the bare list
    theirs = part.versions if isinstance(part, _Part) else {}
    different = [
        f"{name} {theirs.get(name) or 'none'} instead of {ours.get(name) or 'none'}"
        for name in {**ours, **theirs}
        if theirs.get(name, "") != ours.get(name, "")
    ]
    if different:
        worker = part.worker if isinstance(part, _Part) else "a worker"
        raise DataError(
            f"{worker} has {', '.join(different)}, so its features may differ and were not used;"
            " install the same versions on every worker, or compute on this machine (n_jobs=1)"
        )


def _compute_chunk(
    questions: Sequence[Question], language: str, labels: Mapping[str, str]
) -> _Part:
    """Compute one chunk; a top-level function, so that a worker process loads the model once."""
    # each worker would otherwise start a thread per core, and they would slow each other down
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    wordings = [question.texts.get(language, ("",))[0] for question in questions]
    features = list(all_features().values())
    model = load_model(language)
    computed = [
        _one(question, text, features, wording, labels, language)
        for question, wording, text in zip(
            questions, wordings, _texts(wordings, language, model), strict=True
        )
    ]
    worker = f"the worker on {platform.node() or 'a machine'} (process {os.getpid()})"
    return _Part(computed, worker, _all_versions(_title(model.meta) if model else ""))


def _texts(wordings: Sequence[str], language: str, model: Language | None) -> list[_Computed]:
    """Return the features of the texts, in one batch, or one by one if the batch fails."""
    together = _attempt(lambda: list(text_features(wordings, language=language, nlp=model)), [], "")
    if together is not None:
        return [_Computed({**values}, ()) for values in together]
    alone = []
    for wording in wordings:
        problems: list[Problem] = []
        features = _attempt(
            partial(_text, wording, language, model), problems, "its text has no features"
        )
        alone.append(_Computed(features or {}, tuple(problems)))
    return alone


def _text(wording: str, language: str, model: Language | None) -> Values:
    (values,) = text_features([wording], language=language, nlp=model)
    return {**values}


def _one(
    question: Question,
    text: _Computed,
    features: Sequence[Feature],
    wording: str,
    labels: Mapping[str, str],
    language: str,
) -> _Computed:
    """Compute the features of one question, as far as they can be computed."""
    problems, query, resources = list(text.problems), Values(), Values()
    tree: QueryTree | None = None
    if question.sparql.strip():
        tree = _attempt(partial(parse_query, question.sparql), problems, UNPARSABLE)
    if tree is not None:
        query = _attempt(partial(query_features, tree), problems, "its query has no features") or {}
        named = partial(resource_features, tree, wording, labels, language=language)
        resources = _attempt(named, problems, "its resources have no features") or {}
    evidence = Evidence(question, text.values if wording else {}, query, resources)
    results = _attempt(lambda: [feature.value(evidence) for feature in features], [], "")
    if results is None:  # one by one, so that a feature that fails costs only itself
        results = [
            _attempt(
                partial(feature.value, evidence), problems, f"{feature.name} could not be computed"
            )
            for feature in features
        ]
    named_values = zip((feature.name for feature in features), results, strict=True)
    values = {
        name: value for name, value in named_values if value not in (None, "", (), frozenset())
    }
    if question.sparql.strip() and tree is None:
        values["queryUnparsable"] = True
    return _Computed(values, tuple(problems))


def _attempt(work: Callable[[], T], problems: list[Problem], what: str) -> T | None:
    """Return the result of `work`, or None and a note of the failure in `problems`."""
    try:
        return work()
    except MemoryError:  # no fault of one question: going on would only hide it
        raise
    except QueryError as error:
        problems.append(Problem(what, str(error)))
    except Exception as error:
        problems.append(
            Problem(what, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
        )
    return None


def model_name(language: str) -> str:
    """Return name and version of the spaCy model for a language, without loading it; else ""."""
    for package in MODELS.get(base_language(language), ()):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            meta = json.loads(Path(spec.origin).with_name("meta.json").read_text(encoding="utf-8"))
            return _title(meta)
    return ""


def _title(meta: Mapping[str, Any]) -> str:
    return f"{meta['lang']}_{meta['name']} {meta['version']}"

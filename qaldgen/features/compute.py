"""Compute the features of questions: text in batches, queries parsed once each, in parallel over processes."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from qaldgen.features.cache import content_keys, load, store
from qaldgen.features.catalogue import Evidence, Feature, Group, all_features
from qaldgen.features.query import FeatureValue, QueryError, parse_query, query_features
from qaldgen.features.resources import resource_features
from qaldgen.features.text import MODELS, load_model, text_features
from qaldgen.model import Question

Values = dict[str, FeatureValue]
_CHUNK = 250


def compute_features(
    questions: Sequence[Question],
    *,
    language: str = "en",
    labels: Mapping[str, str] | None = None,
    jobs: int | None = None,
    cache: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Values]:
    """Return the features of each question, by name; what a question does not have is absent.

    Parameters
    ----------
    questions
        What to look at.
    language
        The language whose wording is looked at; a question without one in it gets no text features.
    labels
        IRI to label, preferred to the name in the IRI.
    jobs
        Processes. None for what `joblib.parallel_config` says: its backend (dask, ray, spark) then computes on a cluster; one
        process where it says nothing. The result does not depend on it.
    cache
        A file that keeps features by content; None to compute anew.
    progress
        Called with the number of questions that are done.

    Examples
    --------
    >>> query = "SELECT ?l { <http://x.org/Rhine> <http://x.org/length> ?l }"
    >>> found = compute_features([Question("1", {"en": ("How long is the Rhine?",)}, queries={"": query})])[0]
    >>> found["length"], found["whType"], found["tpCount"], found["isExplicitEntity1"]
    (5, 'how-adj', 1, True)
    """
    told = progress or (lambda done: None)
    if cache is None:
        return _compute(questions, language, labels or {}, jobs, told)
    keys = content_keys(questions, language, labels or {}, model_name(language))
    known = load(cache, keys)
    told(sum(key in known for key in keys))
    missing = {key: question for key, question in zip(keys, questions, strict=True) if key not in known}
    computed = dict(zip(missing, _compute(list(missing.values()), language, labels or {}, jobs, told), strict=True))
    store(cache, computed)
    return [known[key] if key in known else computed[key] for key in keys]


def _compute(
    questions: Sequence[Question], language: str, labels: Mapping[str, str], jobs: int | None, progress: Callable[[int], None]
) -> list[Values]:
    """Compute chunk by chunk, in this process or in several."""
    from joblib import Parallel, delayed

    chunks = [questions[start : start + _CHUNK] for start in range(0, len(questions), _CHUNK)]
    found: Iterator[list[Values]]
    if jobs == 1 or len(chunks) < 2:
        found = (_compute_chunk(chunk, language, labels) for chunk in chunks)
    else:
        found = Parallel(n_jobs=jobs, return_as="generator")(delayed(_compute_chunk)(chunk, language, labels) for chunk in chunks)
    values: list[Values] = []
    for part in found:
        values += part
        progress(len(part))
    return values


def _compute_chunk(questions: Sequence[Question], language: str, labels: Mapping[str, str]) -> list[Values]:
    """Compute one chunk; stands in a module of its own, so that a worker process loads the model once."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    wordings = [question.texts.get(language, ("",))[0] for question in questions]
    texts = text_features(wordings, language=language, nlp=load_model(language))
    features = list(all_features().values())
    return [
        _one(question, text if wording else {}, features, wording, labels, language)
        for question, wording, text in zip(questions, wordings, texts, strict=True)
    ]


def _one(
    question: Question, text: Group, features: Sequence[Feature], wording: str, labels: Mapping[str, str], language: str
) -> Values:
    query: Group = {}
    resources: Group = {}
    unparsable = False
    if question.sparql.strip():
        try:
            tree = parse_query(question.sparql)
            query, resources = query_features(tree), resource_features(tree, wording, labels, language=language)
        except QueryError:
            unparsable = True
    evidence = Evidence(question, text, query, resources)
    values = {feature.name: value for feature in features if (value := feature.value(evidence)) is not None}
    if unparsable:
        values["queryUnparsable"] = True
    return {name: value for name, value in values.items() if value not in ("", (), frozenset())}


def model_name(language: str) -> str:
    """Return name and version of the model that would be used; empty for none. The model is not loaded."""
    for package in MODELS.get(language.replace("_", "-").split("-")[0].lower(), ()):
        found = importlib.util.find_spec(package)
        if found is not None and found.origin is not None:
            meta = json.loads(Path(found.origin).with_name("meta.json").read_text(encoding="utf-8"))
            return f"{meta['lang']}_{meta['name']} {meta['version']}"
    return ""

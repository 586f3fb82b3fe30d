"""Cache computed features by content, so that a second run over the same questions is instant."""

from __future__ import annotations

import dataclasses
import functools
import json
import logging
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from qaldgen import __version__
from qaldgen.features.catalogue import all_features
from qaldgen.features.query.query_features import FeatureValues
from qaldgen.io.cache_folder import cache_dir
from qaldgen.io.cache_keys import code_key, key_of
from qaldgen.io.packages import versions_of
from qaldgen.io.text_store import read_texts, write_texts
from qaldgen.model import Question

#: The cache file; ``default`` for the command line's, None to disable caching.
Cache: TypeAlias = Path | Literal["default"] | None
_log = logging.getLogger(__name__)
#: Packages that decide on features: another version may compute other values. Of babel only the
#: English names of days and months are used, which stay the same.
PACKAGES = ("spacy", "pyoxigraph", "rapidfuzz")


def cache_file(name: str = "features") -> Path | None:
    """Return the cache file of the command line, in `cache_dir`.

    None, after a warning, if the folder cannot be created.
    """
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _log.warning(
            "%s are not cached: cannot create %s (%s)", name, folder, error.strerror or error
        )
        return None
    return folder / f"{name}.sqlite"


def content_keys(
    questions: Sequence[Question],
    language: str,
    labels: Mapping[str, str],
    model: str,
    capitalised: frozenset[str] = frozenset(),
) -> list[str]:
    """Return a cache key per question: the hash of all that its features depend on.

    That includes the spaCy model, the code of all packages that add features, the versions of the
    parsers, and which data sets are `capitalised`. The question's id and IRI are left out: no
    feature depends on them.
    """
    features = all_features().values()
    rows = [(f.name, f.kind, f.definition, f.codes) for f in features]
    code = code_key([feature.value for feature in features], ())
    shared = key_of(
        [language, model, sorted(labels.items()), sorted(capitalised), rows, code, versions()]
    )
    return [key_of([shared, dataclasses.replace(item, id="", iri="")]) for item in questions]


@functools.cache
def versions() -> dict[str, str]:
    """Return by package the versions that decide on features, without the language model's."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"qaldgen": __version__, "Python": python} | versions_of(PACKAGES)


def load_features(path: Path, keys: Iterable[str]) -> dict[str, FeatureValues]:
    """Return the cached features by key; none if the cache is new or damaged."""
    cached = {}
    try:
        for key, text in read_texts(path, keys).items():
            values: dict[str, Any] = json.loads(text)
            # JSON has tuples as lists, and sets as {"set": [...]}
            for name, value in values.items():
                if isinstance(value, list):
                    values[name] = tuple(value)
                elif isinstance(value, dict):
                    values[name] = frozenset(value["set"])
            cached[key] = values
    except ValueError:
        return {}
    return cached


def store_features(path: Path, features: Mapping[str, FeatureValues]) -> None:
    """Write features to the cache by key, if it can be written."""
    texts = {}
    for key, values in features.items():
        texts[key] = json.dumps(values, default=lambda value: {"set": sorted(value)})
    write_texts(path, texts)

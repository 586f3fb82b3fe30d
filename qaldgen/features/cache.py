"""Keep computed features by content, so that a second run over the same questions is instant."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import logging
import platform
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, TypeAlias

from qaldgen import __version__
from qaldgen.datasets.fetching import cache_dir
from qaldgen.features.catalogue import all_features
from qaldgen.features.query.features import FeatureValue
from qaldgen.model import Question

Values = dict[str, FeatureValue]
#: A file that keeps features; ``usual`` for that of the command line, None for none.
Cache: TypeAlias = Path | Literal["usual"] | None
_log = logging.getLogger(__name__)
#: Installed packages whose other versions may give other features.
_PACKAGES = ("spacy", "pyoxigraph", "rdflib", "rapidfuzz")


def cache_file() -> Path | None:
    """Return where features are kept, a file in the folder of `cache_dir`.

    None, with a warning, where it cannot be made.
    """
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _log.warning(
            "features are not cached: cannot create %s (%s)", folder, error.strerror or error
        )
        return None
    return folder / "features.sqlite"


def chosen_cache(cache: Cache) -> Path | None:
    """Return the file that is meant: ``usual`` is that of the command line."""
    return cache_file() if cache == "usual" else cache


def content_keys(
    questions: Sequence[Question], language: str, labels: Mapping[str, str], model: str
) -> list[str]:
    """Return a cache key per question.

    The hash of everything that its features depend on, including model and code.

    Parameters
    ----------
    questions
        The questions.
    language
        Language of the texts.
    labels
        Labels by IRI.
    model
        Name and version of the spaCy model.

    Returns
    -------
    list of str
        The keys.
    """
    table = [(f.name, f.kind, f.definition, f.codes) for f in all_features().values()]
    common = _hash(
        [__version__, language, model, sorted(labels.items()), table, _code(), _versions()]
    )
    return [
        _hash([common, repr(dataclasses.replace(question, id="", iri=""))])
        for question in questions
    ]


def _code() -> list[str]:
    """Return the hashes of what computes features, by file.

    All of this package, and all of those that add features.

    Features rest on the records, on RDF terms, on the grammar of queries and on tables; which
    modules these are changes, and nobody would notice one that is missing here. Files are read
    again each time: they may change while a notebook is open.
    """
    added = {_module(feature.value).partition(".")[0] for feature in all_features().values()}
    return [
        line for name in sorted(added | {__package__.partition(".")[0]}) for line in _hashes(name)
    ]


def _module(function: object) -> str:
    """Return the module in which a function is written, also one with some arguments given, or an object that can be called."""
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__module__", "") or type(inner).__module__)


def _hashes(package: str) -> list[str]:
    """Return name and hash of every file of a package, but for what Python keeps there.

    Of a module, of its file.
    """
    said = getattr(sys.modules.get(package), "__file__", None)
    if said is None:  # part of Python, or in no file
        return []
    file = Path(said)
    folder = file.parent
    files = folder.rglob("*") if file.name == "__init__.py" else [file]
    kept = (
        path
        for path in files
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    )
    return sorted(
        f"{path.relative_to(folder).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in kept
    )


@functools.cache
def _versions() -> list[str]:
    """Return the versions of what is installed beside and decides on features.

    The parser of texts, the store of queries.
    """
    found = [platform.python_version()]
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return found


def load(path: Path, keys: Iterable[str]) -> dict[str, Values]:
    """Return the cached values for these keys; nothing if the cache is new or damaged.

    Parameters
    ----------
    path
        The cache file.
    keys
        The keys.

    Returns
    -------
    dict of str to Values
        The values found.
    """
    found: dict[str, Values] = {}
    try:
        with closing(_connect(path)) as connection:
            for key in keys:
                row = connection.execute(
                    "SELECT content FROM features WHERE key = ?", (key,)
                ).fetchone()
                if row is not None:
                    found[key] = _decode(row[0])
    except (sqlite3.Error, ValueError):
        return {}
    return found


def store(path: Path, values: Mapping[str, Values]) -> None:
    """Write values to the cache.

    An unwritable cache is not an error, and a damaged one is recreated.

    Parameters
    ----------
    path
        The cache file.
    values
        Values by key.
    """
    rows = [(key, _encode(value)) for key, value in values.items()]
    try:
        _insert(path, rows)
    except sqlite3.OperationalError:  # busy, or not writable
        return
    except sqlite3.DatabaseError:
        for damaged in (path, path.with_name(f"{path.name}-journal")):
            damaged.unlink(missing_ok=True)
        with suppress(sqlite3.Error):
            _insert(path, rows)


def _insert(path: Path, rows: Sequence[tuple[str, str]]) -> None:
    with closing(_connect(path)) as connection, connection:
        connection.executemany("INSERT OR REPLACE INTO features VALUES (?, ?)", rows)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10)
    connection.execute("CREATE TABLE IF NOT EXISTS features (key TEXT PRIMARY KEY, content TEXT)")
    return connection


def _hash(content: object) -> str:
    return hashlib.sha256(
        json.dumps(content, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    ).hexdigest()


def _encode(values: Values) -> str:
    return json.dumps(
        {name: {"set": sorted(v)} if isinstance(v, frozenset) else v for name, v in values.items()}
    )


def _decode(text: str) -> Values:
    """Read values back: lists are tuples, sets are marked."""
    found: Values = json.loads(text)
    for name, value in found.items():
        if isinstance(value, list):
            found[name] = tuple(value)
        elif isinstance(value, dict):
            found[name] = frozenset(value["set"])
    return found

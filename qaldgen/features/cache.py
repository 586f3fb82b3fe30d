"""Keep computed features by content, so that a second run over the same questions is instant."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from qaldgen._version import __version__
from qaldgen.features.catalogue import all_features
from qaldgen.features.query import FeatureValue
from qaldgen.fetching import cache_dir
from qaldgen.model import Question

Values = dict[str, FeatureValue]
_log = logging.getLogger(__name__)


def cache_file() -> Path | None:
    """Return where features are kept, a file in the folder of `cache_dir`; None, with a warning, where it cannot be made."""
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _log.warning("features are not kept for the next time: %s cannot be made (%s)", folder, error.strerror or error)
        return None
    return folder / "features.sqlite"


def content_keys(questions: Sequence[Question], language: str, labels: Mapping[str, str], model: str) -> list[str]:
    """Return a key for each question: the hash of all that its features depend on, the model and the code among it."""
    table = [(f.name, f.kind, f.definition, f.codes) for f in all_features().values()]
    common = _hash([__version__, language, model, sorted(labels.items()), table, _code()])
    return [_hash([common, repr(dataclasses.replace(question, id="", iri=""))]) for question in questions]


def _code() -> list[str]:
    """Return the hashes of what computes features: a feature of one's own changes without a version of ours."""
    own = Path(__file__).parent
    modules = {getattr(f.value, "__module__", __name__) for f in all_features().values()}
    elsewhere = {getattr(sys.modules[name], "__file__", None) for name in modules}
    queries = (*own.parent.glob("sparql*.py"), *own.parent.glob("grammar/*.py"))
    files = {*own.glob("*.py"), *own.glob("data/*"), *queries, *(Path(name) for name in elsewhere if name)}
    return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)


def load(path: Path, keys: Iterable[str]) -> dict[str, Values]:
    """Return what is kept for these keys; nothing if the file is new or damaged."""
    found: dict[str, Values] = {}
    try:
        with closing(_connect(path)) as connection:
            for key in keys:
                row = connection.execute("SELECT content FROM features WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = _decode(row[0])
    except (sqlite3.Error, ValueError):
        return {}
    return found


def store(path: Path, values: Mapping[str, Values]) -> None:
    """Keep values; a cache that cannot be written is no error, and a damaged one begins anew."""
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
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _encode(values: Values) -> str:
    return json.dumps({name: {"set": sorted(v)} if isinstance(v, frozenset) else v for name, v in values.items()})


def _decode(text: str) -> Values:
    """Read values back: lists are tuples, sets are marked."""
    found = json.loads(text)
    return {
        name: frozenset(v["set"]) if isinstance(v, dict) else tuple(v) if isinstance(v, list) else v for name, v in found.items()
    }

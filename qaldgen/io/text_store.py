"""Texts on disk by key, in an SQLite file that several processes may use at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path


def read_texts(path: Path, keys: Iterable[str]) -> dict[str, str]:
    """Return the texts of these keys; none if the file is new, damaged or busy."""
    texts: dict[str, str] = {}
    try:
        with closing(_connect(path)) as connection:
            for key in keys:
                rows = connection.execute("SELECT content FROM kept WHERE key = ?", (key,))
                for (content,) in rows:
                    texts[key] = content
    except sqlite3.Error:
        return {}
    return texts


def write_texts(path: Path, texts: Mapping[str, str], max_texts: int | None = None) -> None:
    """Store texts by key; if the file then has more than `max_texts`, the oldest are deleted.

    A file that cannot be written is left alone, and a damaged one is replaced.
    """
    try:
        _insert(path, texts, max_texts)
    except sqlite3.OperationalError:  # busy, or not writable
        return
    except sqlite3.DatabaseError:
        # not a database any more; with its journal left behind, SQLite would damage the new one
        with suppress(sqlite3.Error, OSError):
            for file in (path, path.with_name(f"{path.name}-journal")):
                file.unlink(missing_ok=True)
            _insert(path, texts, max_texts)


def _insert(path: Path, texts: Mapping[str, str], max_texts: int | None) -> None:
    with closing(_connect(path)) as connection, connection:
        connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", texts.items())
        if max_texts is not None:
            newest = "(SELECT max(rowid) FROM kept)"
            connection.execute(f"DELETE FROM kept WHERE rowid <= {newest} - ?", (max_texts,))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10)
    connection.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, content TEXT)")
    return connection

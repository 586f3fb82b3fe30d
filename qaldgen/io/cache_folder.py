"""The folder of all caches: fetched question sets, features, labels, results."""

from __future__ import annotations

import os
from pathlib import Path

#: The environment variable with the path of the cache.
CACHE_VARIABLE = "QALDGEN_CACHE"


def cache_dir() -> Path:
    """Return the cache folder: ``QALDGEN_CACHE``, or that of the operating system."""
    folder = os.environ.get(CACHE_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    import platformdirs

    return platformdirs.user_cache_path("qaldgen")

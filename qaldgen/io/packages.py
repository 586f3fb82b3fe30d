"""Files that come with a package, which may be installed in a folder or lie in a zip."""

from __future__ import annotations

import functools
from pathlib import Path


def packaged(path: Path) -> Path:
    """Return the path of a file or folder of a package; a package in a zip is unpacked first."""
    archive = next((folder for folder in path.parents if folder.is_file()), None)
    if archive is None:
        return path
    return _unpacked(archive) / path.relative_to(archive)


@functools.cache
def _unpacked(archive: Path) -> Path:
    import atexit
    import shutil
    import tempfile
    import zipfile

    folder = Path(tempfile.mkdtemp(prefix="qaldgen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder

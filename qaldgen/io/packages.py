"""Optional packages, and the files of our package, which is in a folder or in a zip."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from qaldgen.errors import DataError, QaldgenError

_PACKAGE = Path(__file__).resolve().parents[1]


@contextmanager
def needs(message: str, error: type[QaldgenError] = DataError) -> Iterator[None]:
    """Raise an error with a message if a package that the block imports is not installed.

    >>> with needs("tea needs a kettle: pip install 'qaldgen[tea]'"):
    ...     import kettle
    Traceback (most recent call last):
    qaldgen.errors.DataError: tea needs a kettle: pip install 'qaldgen[tea]'
    """
    try:
        yield
    except ImportError as missing:
        raise error(message) from missing


def package_path(path: Path) -> Path:
    """Return the path of a file or folder of a package; a package in a zip is unpacked first."""
    archive = next((folder for folder in path.parents if folder.is_file()), None)
    if archive is None:
        return path
    return _unpack(archive) / path.relative_to(archive)


@functools.cache
def _unpack(archive: Path) -> Path:
    import atexit
    import shutil
    import tempfile
    import zipfile

    folder = Path(tempfile.mkdtemp(prefix="qaldgen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(archive) as zip_file:
        zip_file.extractall(folder)
    return folder


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of packages by name; a package that is not installed is missing."""
    versions = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def data_rows(name: str) -> list[list[str]]:
    """Return the rows of a table in our package, without the comments, which begin with #."""
    content = pkgutil.get_data("qaldgen", str(name)) or b""
    lines = content.decode("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def resource_dir(name: str) -> Path:
    """Return a folder of resources.

    In a checkout it is next to the package; setup.cfg installs it inside the package.
    """
    folder = package_path(_PACKAGE / name)
    if folder.is_dir():
        return folder
    return package_path(_PACKAGE.parent / name)

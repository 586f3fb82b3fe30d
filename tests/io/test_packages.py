"""Files of a package are found in a folder and in a zip."""

from __future__ import annotations

import zipfile
from pathlib import Path

from qaldgen.io.packages import package_path


def test_a_file_of_a_package_in_a_zip_is_unpacked(tmp_path: Path) -> None:
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("mine/data/table.tsv", "a\tb\n")
    assert package_path(archive / "mine" / "data" / "table.tsv").read_text("utf-8") == "a\tb\n"
    assert package_path(archive / "mine" / "data").is_dir()


def test_a_file_of_a_package_in_a_folder_stays_there(tmp_path: Path) -> None:
    path = tmp_path / "mine" / "table.tsv"
    assert package_path(path) == path

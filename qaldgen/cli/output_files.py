"""The files that commands write: check them before any work is done, write all or none."""

from __future__ import annotations

import io
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO

import click

from qaldgen.cli.printing import printing_notes
from qaldgen.errors import DataError, QaldgenError, UsageError
from qaldgen.io.inputs import stream_number
from qaldgen.io.outputs import check_writable, same_file, write_all
from qaldgen.io.terminal import escape_line, escape_text

#: The content that the suffix of a name promises.
_CONTENT_OF_SUFFIX = {
    ".csv": "csv", ".json": "json", ".jsonl": "journal", ".tex": "latex", ".md": "markdown",
    ".html": "html", ".htm": "html", ".ttl": "turtle", ".xlsx": "excel", ".parquet": "parquet",
    ".tsv": "tsv", ".pdf": "pdf", ".png": "png", ".svg": "svg", ".nt": "n-triples", ".xml": "xml",
    ".gz": "gzip", ".bz2": "bzip2", ".zip": "zip", ".rdf": "xml", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip


def check_outputs(
    paths: Iterable[str],
    *,
    force: bool,
    inputs: Iterable[str | None] = (),
    in_new_folders: Collection[str] = (),
) -> None:
    """Reject outputs that are not writable or are inputs too, and stdin for two inputs.

    The folders of the outputs `in_new_folders` need not exist.
    """
    from qaldgen.questions.reading import companion_files

    names = list(paths)
    inputs = list(inputs)

    # Reject a stream that is named for two inputs: it can only be read once. "-" and /dev/fd/0 are
    # the same stream.
    streams = Counter(stream_number(name) for name in inputs if name)
    del streams[None]  # files
    for number, uses in streams.items():
        if uses > 1:
            stream = "stdin" if number == 0 else f"/dev/fd/{number}"
            raise UsageError(
                f"{stream} is named for {uses} inputs, but can only be "
                "read once; use files for the others"
            )

    # `same_file`, not equal names: a link or ./x would otherwise overwrite what was just written.
    for index, name in enumerate(names):
        if any(same_file(name, earlier) for earlier in names[:index]):
            raise UsageError(f"-o {name} is given twice")

    files = [name for name in names if name != "-"]
    read_files: list[str | Path] = []
    for name in filter(None, inputs):
        read_files += [name, *companion_files(Path(name))]
    for name in files:
        for read_file in read_files:
            if same_file(name, read_file):
                other_name = "" if name == str(read_file) else f", the same as {read_file}"
                raise UsageError(
                    f"is an input of this command{other_name}; choose another output file",
                    where=name,
                )
    for name in files:
        check_writable(Path(name), force=force, new_folders=name in in_new_folders)


def check_ending(name: str, content: str, advice: str) -> None:
    """Refuse an output whose suffix promises other content than `content`."""
    suffix = Path(name).suffix.lower()
    if _CONTENT_OF_SUFFIX.get(suffix, content) != content:
        raise UsageError(f"would hold {content}, not what {suffix} says; {advice}", where=name)


def write_possible(
    outputs: Mapping[str, Callable[[], Sequence[tuple[str, bytes | str]]]],
    *,
    force: bool,
) -> None:
    """Write all outputs that can be rendered; then raise DataError if one could not.

    `outputs` has by name the function that renders the files of an output, whose notes are printed
    before any file is written.
    """
    rendered_files: list[tuple[str, bytes | str]] = []
    errors: dict[str, QaldgenError] = {}
    with printing_notes():
        for name, render in outputs.items():
            try:
                rendered_files += render()
            except QaldgenError as error:
                errors[name] = error
    write_outputs(rendered_files, force=force)
    if errors and len(outputs) == 1:
        raise errors.popitem()[1]
    if errors:
        reasons = "; ".join(f"{name} is not written: {error}" for name, error in errors.items())
        raise DataError(f"{reasons}; the other outputs are")


def write_output(path: str, data: bytes | str | IO[bytes], *, force: bool) -> None:
    """Write a file atomically, or stdout for ``-``."""
    write_outputs([(path, data)], force=force)


def write_outputs(outputs: Sequence[tuple[str, bytes | str | IO[bytes]]], *, force: bool) -> None:
    """Write several files, all or none, and stdout for ``-``.

    Text is encoded as UTF-8; unpaired surrogates are escaped.
    """
    encoded = []
    for path, data in outputs:
        if isinstance(data, str):
            data = data.encode("utf-8", "backslashreplace")
        encoded.append((path, data))
    files = [(Path(path), data) for path, data in encoded if path != "-"]
    # Files first: if one cannot be written, nothing is printed that suggests success.
    write_all(files, force=force, new_folders=True)
    for file, _ in files:
        click.echo(f"wrote {escape_line(str(file))}", err=True)
    for path, content in encoded:
        if path == "-":
            _write_stdout(content)


def _write_stdout(data: bytes | IO[bytes]) -> None:
    """Write to stdout; on a terminal control characters are made visible."""
    if sys.stdout is None:
        # Python sets sys.stdout to None if the shell closed it (`>&-`).
        raise DataError("stdout: is closed; name a file with -o")

    file: IO[bytes] = io.BytesIO(data) if isinstance(data, bytes) else data
    # The caller has just written the file, so the position is its end.
    file.seek(0)
    if sys.stdout.isatty():
        text = escape_text(file.read().decode("utf-8", "backslashreplace"))
        file = io.BytesIO(text.encode("utf-8", "backslashreplace"))

    try:
        # Text that click wrote waits in the text layer; the bytes below bypass it.
        sys.stdout.flush()
        shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"stdout: cannot be written ({error.strerror})") from error

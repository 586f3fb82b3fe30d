"""Calls of the command line, each in a fork of one process that has imported everything.

A call starts as ``python -m qaldgen`` does, with nothing left over from the one before, but
without the seconds that imports take.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

#: what takes long to import; beside it the public names of qaldgen
HEAVY = (
    "spacy matplotlib.pyplot pandas rdflib scipy.stats sklearn.cluster aiohttp rich.table "
    "docstring_parser py3langid pyshacl rapidfuzz pyarrow.pandas_compat qaldgen.cli.main"
)
#: seconds after which a call is ended
LONGEST = 300
#: what a terminal or a user may have set, and a call must not see
HIDDEN = ("QALDGEN_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTEST", "SOURCE_DATE")


class Forks:
    """The process that forks."""

    def __init__(self) -> None:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(HIDDEN)}
        own = {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "agg"}
        own |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # calls are short
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**kept, **own},
        )

    def call(self, words: Sequence[str], folder: Path, streams: tuple[Path, Path]) -> int:
        """Call `qaldgen`, or a script if the first word ends in .py; return the exit status.

        `folder` is the current directory; home and cache stand beside it.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = [list(words), str(folder), *map(str, streams)]
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def _call(words: list[str], folder: str, *streams: str) -> None:
    for number, path in enumerate((os.devnull, *streams)):
        mode = os.O_RDWR if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(path, mode), number)
    signal.alarm(LONGEST)
    os.chdir(folder)
    os.environ["HOME"] = str(Path(folder).parent / "home")
    os.environ["QALDGEN_CACHE"] = str(Path(folder).parent / "cache")
    sys.path[0] = ""
    if words[0].endswith(".py"):
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")
    else:
        sys.argv = ["qaldgen", *words]
        runpy.run_module("qaldgen", run_name="__main__", alter_sys=True)


def _serve() -> None:
    import qaldgen

    for name in HEAVY.split():
        importlib.import_module(name)
    for name in qaldgen.__all__:
        getattr(qaldgen, name)
    # loads the models that texts need
    qaldgen.annotate([{"id": "1", "question": "Who wrote Dune?"}], cache=None)
    gc.freeze()  # what is imported is not collected, nor copied for it, in each fork
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _leave(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 - the reply


def _leave(request: list[Any]) -> NoReturn:
    """Call, and end this process without tearing down what its parent imported, which is slow."""
    code: object = 1
    try:
        _call(*request)
        code = 0
    except SystemExit as leave:
        code = leave.code
    except BaseException:
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)


if __name__ == "__main__":
    _serve()

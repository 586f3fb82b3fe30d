"""The open data sets and runs, with a cache of recent results.

No state belongs to a tab: every request says what it refers to, so any number of tabs can be open.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from qaldgen.errors import UsageError
from qaldgen.io.concurrency import in_background
from qaldgen.io.outputs import Lock, lock
from qaldgen.plugins.explorer.pools import DEFAULTS, Pool, open_pool

if TYPE_CHECKING:
    from qaldgen.questions.file_content import Content
    from qaldgen.scoring.score import Scores


T = TypeVar("T")
#: Cached results per data set: selections, samples and reports together.
_MAX_RESULTS = 16
#: The most data sets open at once; the features of each are kept in memory.
_MAX_POOLS = 12
_MAX_RUNS = 20
_PREFIX = "qaldgen-explorer-"
#: The descriptors of locked folders.
_locks: set[int] = set()


def _unlock() -> None:
    """Release the locks in a copy of this process, which may outlive it."""
    while _locks:
        os.close(_locks.pop())


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_unlock)


class OpenSet:
    """An open data set with its runs and a cache of recent results."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.runs: dict[str, Scores] = {}
        self.match = "auto"
        self._lock = threading.RLock()
        self._results: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def once(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the cached result for a key, or compute it while other requests for it wait."""
        with self._lock:
            cached = self._results.get(key)
            future: Future[Any] = cached or Future()
            self._results[key] = future
            self._results.move_to_end(key)
            if len(self._results) > _MAX_RESULTS:
                self._results.popitem(last=False)
        if cached is None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
                with self._lock:
                    self._results.pop(key, None)  # the next request computes it again
        return cast("T", future.result())

    def add_run(self, path: Path | Content, name: str) -> list[str]:
        """Score the runs of a file and add them; a name in use gets a number."""
        from qaldgen.benchmark.own_runs import open_runs  # these take long to import
        from qaldgen.scoring.evaluation import score

        with self._lock:
            if len(self.runs) >= _MAX_RUNS:
                raise UsageError(f"{_MAX_RUNS} runs are open; remove one first")
            runs = open_runs(self.pool.gold, path, name=name)
            all_scores = [score(self.pool.gold, run, match=self.match) for run in runs]
            added = []
            for scores in all_scores:
                unused_name = scores.name
                number = 1
                while unused_name in self.runs:
                    number += 1
                    unused_name = f"{scores.name} ({number})"
                run = dataclasses.replace(scores.run, name=unused_name)
                self.runs[unused_name] = dataclasses.replace(scores, run=run)
                added.append(unused_name)
            return added

    def match_by(self, match: str) -> None:
        """Score all runs again by other rules; if one cannot be scored, leave all unchanged."""
        from qaldgen.scoring.evaluation import score  # it takes long to import

        with self._lock:
            self.runs = {
                name: score(self.pool.gold, scores.run, match=match)
                for name, scores in self.runs.items()
            }
            self.match = match


class Workspace:
    """The open data sets, and a folder for uploaded files.

    `close` deletes the folder; if the process is killed, the next explorer does.
    """

    def __init__(self) -> None:
        # renamed when it is locked: without a lock, another explorer would delete it as a leftover
        folder = Path(tempfile.mkdtemp(prefix="qaldgen-new-"))
        self._descriptor = _lock_folder(folder)  # as long as this process lives, or -1
        if self._descriptor >= 0:
            _locks.add(self._descriptor)
        name = folder.name.replace("qaldgen-new-", _PREFIX)
        self._scratch = folder.rename(folder.with_name(name))
        _delete_leftovers(self._scratch)
        self._lock = threading.Lock()
        self.pools: dict[str, OpenSet] = {}
        self.reading: Future[None] = in_background(lambda: None)
        self.read_at_start = ""

    def __enter__(self) -> Workspace:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the folder."""
        self.close()

    def close(self) -> None:
        """Remove all uploaded files."""
        shutil.rmtree(self._scratch, ignore_errors=True)
        if self._descriptor in _locks:
            _locks.remove(self._descriptor)
            os.close(self._descriptor)

    def read(self, name: str, work: Callable[[], None]) -> None:
        """Begin to read the first data set, while the page is already served."""
        self.read_at_start = name
        self.reading = in_background(work)

    def folder(self) -> Path:
        """Return a new folder for one upload."""
        return Path(tempfile.mkdtemp(dir=self._scratch))

    def without_folder(self, text: str) -> str:
        """Return a message in which uploaded files have their bare names."""
        return re.sub(rf"{re.escape(str(self._scratch))}/(?:[\w-]+/)?", "", text)

    def open(
        self,
        name: str | Path,
        *,
        name_in_commands: str | None = None,
        load_options: Mapping[str, Any] = DEFAULTS,
    ) -> OpenSet:
        """Open a data set, or return it if it is already open."""
        if len(self.pools) >= _MAX_POOLS:
            raise UsageError(f"{_MAX_POOLS} data sets are open; start the explorer again")
        pool = open_pool(
            name, self.folder(), name_in_commands=name_in_commands, load_options=load_options
        )
        with self._lock:
            open_set = self.pools.setdefault(pool.id, OpenSet(pool))
        if pool.commands and not open_set.runs:  # RDF with features holds no answers of systems
            from qaldgen.benchmark.own_runs import own_runs  # it takes long to import

            for system, answers in own_runs(pool.gold).systems.items():
                open_set.add_run(answers, system)
        return open_set

    def find_set(self, name: object) -> OpenSet:
        """Return an open data set by its id."""
        if not isinstance(name, str) or name not in self.pools:
            raise UsageError("this data set is not open here; drop its file on the page")
        return self.pools[name]


def _delete_leftovers(scratch: Path) -> None:
    """Delete the folders of explorers that were killed."""
    user = scratch.stat().st_uid
    for old_folder in scratch.parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if old_folder.is_symlink() or old_folder.stat().st_uid != user:
                continue
            descriptor = _lock_folder(old_folder)
            if descriptor >= 0:
                shutil.rmtree(old_folder, ignore_errors=True)
                os.close(descriptor)


def _lock_folder(folder: Path) -> int:
    """Lock a folder, and return its descriptor; -1 if another process has it, or on Windows."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return -1
    if lock(descriptor) is Lock.OURS:
        return descriptor
    os.close(descriptor)
    return -1

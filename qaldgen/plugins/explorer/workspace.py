"""The open data sets and runs, with a cache of recent results."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import shlex
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from qaldgen.datasets.fetching import resolve
from qaldgen.errors import DataError, QaldgenError, UsageError
from qaldgen.formats.file_content import is_rdf
from qaldgen.io.concurrency import collecting_no_garbage, meanwhile
from qaldgen.io.outputs import Lock, lock
from qaldgen.plugins.explorer.time_limit import TimedStore
from qaldgen.stores.local import DataSource, open_file

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.analysis.scores import Scores
    from qaldgen.plugins.explorer.histograms import Browse
    from qaldgen.scoring.gold import Gold
    from qaldgen.selection.vectors import Vectors
    from qaldgen.sparql.ready_queries import Query


#: The time limit of a query, with more for large data: a second for so many statements.
_SECONDS, _EACH_SECOND = 10.0, 100_000


@dataclasses.dataclass(eq=False)
class Pool:
    """A data set to look at."""

    name: str  # what people call it
    id: str  # the same for the same content
    source: TimedStore  # its features as RDF
    file: str  # the file that `qaldgen sample` takes, as commands name it
    #: The commands that make this file; empty where the data have features already.
    before: tuple[str, ...]
    browse: Browse  # its questions with their histograms
    #: The query to start with, and what it selects; DataError where no ready-made query fits.
    first: Future[tuple[Query, Vectors]]
    path: str  # what was opened
    notes: tuple[str, ...] = ()  # what a user should know
    #: The file with the features that were computed; empty where the data have features already.
    written: str = ""

    def __post_init__(self) -> None:
        self._gold: Gold | None = None
        self._table: pd.DataFrame | None = None

    def gold(self) -> Gold:
        """Return the questions with their answers; they are read when they are first wanted."""
        from qaldgen.scoring.gold import load_gold

        if self._gold is None:
            self._gold = load_gold(self.path)
        return self._gold

    def table(self) -> pd.DataFrame:
        """Return the features by question, as `slices` and `report` compute them."""
        from qaldgen.analysis.feature_table import features_of

        if self._table is None:
            self._table = features_of(self.gold())[0]
        return self._table


def open_pool(
    name: str | Path,
    folder: Path,
    *,
    called: str = "",
) -> Pool:
    """Open a data set to explore: RDF with features, or a question set, annotated first."""
    path, quoted = Path(resolve(name)), shlex.quote(called or str(name))
    written, notes, before = "", tuple[str, ...](), tuple[str, ...]()
    if is_rdf(path):
        store, file = open_file(path, whole=True), quoted
    else:
        kept = folder / "features.ttl"
        notes = _annotate(path, kept)
        store, file, written = open_file(kept, whole=True), kept.name, str(kept)
        before = (f"qaldgen annotate {quoted} -o {file}",)
    source = TimedStore(store, _SECONDS + len(store) / _EACH_SECOND)
    shown = path.name if str(name) == str(path) else str(name)
    # its queries run in processes of their own, so it takes no time from the histograms
    first = meanwhile(lambda: _first_selection(shown, source))

    from qaldgen.plugins.explorer.histograms import browse

    with collecting_no_garbage():
        histograms = browse(store)
    return Pool(
        name=shown,
        id=hashlib.sha256(f"{shown}\n{store.sha256}".encode()).hexdigest()[:12],
        source=source,
        file=file,
        before=before,
        browse=histograms,
        first=first,
        path=str(path),
        notes=(*store.notes, *notes),
        written=written,
    )


def _annotate(path: Path, kept: Path) -> tuple[str, ...]:
    """Write the features of a question set to a file, and return what a user should know."""
    from qaldgen.annotation.annotate import annotate

    made = annotate(path)
    made.save(kept)
    return made.notes


def _first_selection(name: str, source: DataSource) -> tuple[Query, Vectors]:
    """Return the first ready-made query that selects questions, and what it selects."""
    from qaldgen.selection.select import TEXTS, select, usual_query
    from qaldgen.sparql.ready_queries import read_query

    usual = usual_query(source)
    otherwise = ("annotated", TEXTS)
    for query in (usual, *(read_query(one) for one in otherwise if one != usual.name)):
        try:
            # nobody reads here why a query selects nothing, and finding out takes many queries
            return query, select(source, query, explain=False)
        except QaldgenError:
            continue
    names = ", ".join((usual.name, *otherwise))
    raise DataError(
        f"{name}: none of the ready-made queries ({names}) selects a question, as the data"
        " use other properties; write your own query"
    )


T = TypeVar("T")
#: Cached results per data set: selections, samples and reports together.
_KEPT = 16
#: The most data sets open at once; the features of each are kept in memory.
_MOST_POOLS = 12
_MOST_RUNS = 20
_PREFIX = "qaldgen-explorer-"
#: The descriptors of locked folders.
_locks: set[int] = set()


def _let_go() -> None:
    """Give up the locks in a copy of this process, which may outlive it."""
    while _locks:
        os.close(_locks.pop())


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_let_go)


class Opened:
    """An open data set with its runs and a cache of recent results."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.runs: dict[str, Scores] = {}
        self.match = "auto"
        self._lock = threading.RLock()
        self._done: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def once(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the cached result for a key, or compute it while other requests for it wait."""
        with self._lock:
            known = self._done.get(key)
            future: Future[Any] = Future() if known is None else known
            self._done[key] = future
            self._done.move_to_end(key)
            if len(self._done) > _KEPT:
                self._done.popitem(last=False)
        if known is None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
                with self._lock:
                    self._done.pop(key, None)  # the next one may have more luck
        return cast("T", future.result())

    def add_run(self, path: Path, name: str) -> str:
        """Score a run and keep it; a number is appended to a name in use."""
        with self._lock:
            if len(self.runs) >= _MOST_RUNS:
                raise UsageError(f"{_MOST_RUNS} runs are open; remove one first")
            names = (name if number == 1 else f"{name} ({number})" for number in range(1, 99))
            free = next(one for one in names if one not in self.runs)
            from qaldgen.plugins.explorer import system_scores  # it takes long to import

            self.runs[free] = system_scores.scored(self.pool, path, free, self.match)
            self.match = self.runs[free].match
            return free

    def match_by(self, match: str) -> None:
        """Score all runs again by other rules, or leave all as they are if one cannot be."""
        from qaldgen.plugins.explorer import system_scores  # it takes long to import

        with self._lock:
            made = {}
            for name, one in self.runs.items():
                made[name] = system_scores.scored_again(self.pool, one, match)
                match = made[name].match
            self.runs, self.match = made, match


class Workspace:
    """The open data sets, and a folder for uploaded files.

    The folder goes with `close`; if the process is killed, when the next explorer starts.
    """

    def __init__(self) -> None:
        self._scratch, self._held = _new_folder()
        _remove_leftovers(self._scratch)
        self._lock = threading.Lock()
        self.pools: dict[str, Opened] = {}
        self.reading: Future[None] = meanwhile(lambda: None)
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
        if self._held in _locks:
            _locks.remove(self._held)
            os.close(self._held)

    def read(self, name: str, work: Callable[[], None]) -> None:
        """Begin to read what the explorer starts with, while the page is already served."""
        self.read_at_start, self.reading = name, meanwhile(work)

    def folder(self) -> Path:
        """Return a new folder for one upload."""
        return Path(tempfile.mkdtemp(dir=self._scratch))

    def without_folder(self, text: str) -> str:
        """Return a message in which uploaded files have their bare names."""
        root = re.escape(str(self._scratch))
        return re.sub(rf"{root}/(?:[\w-]+/)?", "", text)

    def open(
        self,
        name: str | Path,
        *,
        called: str = "",
    ) -> Opened:
        """Open a data set, or return it if it is already open."""
        if len(self.pools) >= _MOST_POOLS:
            raise UsageError(f"{_MOST_POOLS} data sets are open; start the explorer again")
        pool = open_pool(name, self.folder(), called=called)
        with self._lock:
            return self.pools.setdefault(pool.id, Opened(pool))

    def opened(self, name: object) -> Opened:
        """Return an open data set by its id."""
        found = self.pools.get(name) if isinstance(name, str) else None
        if found is None:
            raise UsageError("this data set is not open here; drop its file on the page")
        return found


def _new_folder() -> tuple[Path, int]:
    """Return a new folder that is locked as long as this process lives.

    It gets its name when it is locked, so that nobody takes it for a leftover before. The number
    is that of its lock, or -1.
    """
    made = Path(tempfile.mkdtemp(prefix="qaldgen-new-"))
    held = _locked(made)
    if held >= 0:
        _locks.add(held)
    return made.rename(made.with_name(made.name.replace("qaldgen-new-", _PREFIX))), held


def _remove_leftovers(own: Path) -> None:
    """Remove the folders of our explorers that were killed."""
    for other in own.parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if other.is_symlink() or other.stat().st_uid != own.stat().st_uid:
                continue
            held = _locked(other)
            if held >= 0:
                shutil.rmtree(other, ignore_errors=True)
                os.close(held)


def _locked(folder: Path) -> int:
    """Return the descriptor of a folder, locked; -1 if another process has it, or on Windows."""
    try:
        held = os.open(folder, os.O_RDONLY)
    except OSError:
        return -1
    if lock(held) is Lock.OURS:
        return held
    os.close(held)
    return -1

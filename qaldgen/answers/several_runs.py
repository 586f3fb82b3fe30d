"""Read several runs, and choose the names of their systems."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers.file_parts import CONTAINER_NAMES
from qaldgen.answers.files_by_question import files_by_question, run_of_files
from qaldgen.answers.reading import read_systems
from qaldgen.answers.record import Run
from qaldgen.answers.run_columns import has_answers
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import UsageError
from qaldgen.io.inputs import is_file, shown_name, stream_number
from qaldgen.io.outputs import same_file
from qaldgen.io.terminal import escape_line
from qaldgen.model import QuestionSet
from qaldgen.questions.fields import holds_questions, normalize_name
from qaldgen.questions.file_content import is_in_memory
from qaldgen.questions.folders import run_files
from qaldgen.questions.system_columns import answer_columns

#: Suffixes that are removed from the name of a run, like its extension.
_COMPRESSION_SUFFIXES = {".gz", ".bz2", ".zip"}


class _Source(NamedTuple):
    """What a run is read from."""

    run: Any  # a file, data in memory, or a run that is already read
    name: str | None = None  # the name of the system, if the caller gave one

    @property
    def is_unnamed_file(self) -> bool:
        return not self.name and isinstance(self.run, (str, Path))


def read_runs(
    runs: Any,  # noqa: ANN401 - runs of any kind
    gold: QuestionSet,
    language: str = LANGUAGE,
    *,
    kept: type = Run,
    read: Callable[..., list[Run]] | None = None,
    gold_file: str = "",
) -> list[Any]:
    """Read one run or several: files, folders of files, data in memory, or a dict of runs by name.

    A `Run`, or an object of the type `kept`, is returned as it is; a pair is a name and a run.
    `read` is the function that reads a file or data, by default `read_systems`. The file with the
    gold questions (`gold_file`) in a folder is not read as a run.

    Runs in files are called as their files call them; if two would have the same name, after their
    files.
    """
    read = read or functools.partial(read_systems, gold=gold, language=language)
    sources = _find_sources(runs, gold, kept, gold_file)
    n_unnamed = sum(is_in_memory(source.run) for source in sources if source.name is None)
    file_names = iter(run_names([str(each.run) for each in sources if each.is_unnamed_file]))
    by_file_name: list[Any] = []
    by_stated_name: list[Any] = []
    for number, source in enumerate(sources, 1):
        run, name = source
        systems: list[Any]
        if isinstance(run, (Run, kept)):
            if name and type(run) is Run:
                run = dataclasses.replace(run, name=name)
            systems = [run]
        elif source.is_unnamed_file:
            systems = read(run, name=next(file_names), system=name or "")
        else:
            if name is None and is_in_memory(run):
                name = f"run {number}" if n_unnamed > 1 else "run"
            systems = read(run, name=name, system=name or "")
        by_file_name += systems
        if source.is_unnamed_file and len(systems) == 1 and systems[0].system:
            systems = [dataclasses.replace(systems[0], name=systems[0].system)]
        by_stated_name += systems
    if len({run.name for run in by_stated_name}) < len(by_stated_name):
        return by_file_name
    return by_stated_name


def run_names(runs: Sequence[str]) -> list[str]:
    """Return the shortest unique names of systems by their files.

    These are the names of the files without extension, else with it, else with their folder, else
    the full paths.

    >>> run_names(["a/one.v2.json.gz", "a/two.json"]), run_names(["a/one.json", "b/one.json"])
    (['one.v2', 'two'], ['a/one', 'b/one'])
    """
    paths = []
    for number, run in enumerate(runs, 1):
        # Two systems with the same answers would tie everywhere, and the correction of p-values
        # would count a test too many.
        if any(same_file(run, path) for path in runs[: number - 1]):
            raise UsageError(f"{run}: is given twice; name each run once")
        name = escape_line(run)
        if stream_number(run) is not None:
            name = f"{shown_name(Path(run))}-{number}"
        paths.append(Path(name))
    unpacked = []
    for path in paths:
        if path.suffix in _COMPRESSION_SUFFIXES:  # one.v2.json.gz becomes one.v2, not one
            path = path.with_suffix("")
        unpacked.append(path)
    schemes = (
        [path.stem for path in unpacked],
        [path.name for path in paths],
        [f"{path.parent.name}/{path.stem}".lstrip("/") for path in unpacked],
    )
    for names in schemes:
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def _find_sources(
    runs: Any,  # noqa: ANN401 - runs of any kind
    gold: QuestionSet,
    kept: type,
    gold_file: str,
) -> list[_Source]:
    """Return what each run is read from; a folder has a file for each run, or for each question."""
    if isinstance(runs, Mapping):
        are_ids = 2 * len(gold.by_id.keys() & runs) > len(runs)
        are_fields = any(normalize_name(str(name)) in CONTAINER_NAMES for name in runs)
        may_be_names = len(runs) > 0 and not are_ids and not are_fields
        if may_be_names and all(_is_run(run, gold.by_id.keys(), kept) for run in runs.values()):
            return [_Source(run, str(name)) for name, run in runs.items()]
        return [_Source(runs)]
    is_one_run = isinstance(runs, (str, Path, Run, kept)) or is_in_memory(runs)
    if isinstance(runs, (list, tuple)) and is_in_memory(runs):
        # records of one run, or several dicts of id and answer
        questions = gold.by_id.keys() | gold.by_text.keys()
        is_one_run = any(_is_record(run, questions) for run in runs)
    if is_one_run:
        runs = [runs]
    sources: list[_Source] = []
    for run in runs:
        if isinstance(run, tuple) and len(run) == 2 and isinstance(run[0], str):
            sources.append(_Source(run[1], run[0]))
        elif not isinstance(run, (str, Path)):
            sources.append(_Source(run))
        else:
            for file in run_files(Path(run)):
                is_gold = gold_file and file != Path(run) and same_file(file, gold_file)
                if not is_gold:
                    sources.append(_Source(file))
    paths = [Path(each.run) for each in sources if each.is_unnamed_file]
    for folder, by_id in files_by_question(paths, gold).items():
        parts = set(by_id.values())
        sources = [
            each for each in sources if not each.is_unnamed_file or Path(each.run) not in parts
        ]
        sources.append(_Source(run_of_files(folder, by_id), folder.absolute().name))
    return sources


def _is_record(run: object, questions: Set[str]) -> bool:
    """Return whether an item of a list is a record of a run, and not itself a run."""
    if not isinstance(run, dict):
        return False
    names = [str(name) for name in run]
    if has_answers(run) or any(holds_questions(name) for name in names):
        return True
    if not questions.isdisjoint(names):
        return False
    # without an id, records are in the order of the questions
    return answer_columns(names) != () or not questions.isdisjoint(map(str, run.values()))


def _is_run(data: object, ids: Set[str], kept: type) -> bool:
    """Return whether a value of a dict is a run, and not the answer to a question."""
    if isinstance(data, Mapping):
        return not ids.isdisjoint(map(str, data))
    if isinstance(data, (list, tuple)):
        return len(data) > 0 and is_in_memory(data) and has_answers(data[0])
    return (
        isinstance(data, (Path, Run, kept))
        or is_in_memory(data)
        or (isinstance(data, str) and is_file(Path(data)))
    )

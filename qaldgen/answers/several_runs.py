"""Read several runs, and choose the names of their systems."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from qaldgen.answers.file_parts import CONTAINER_NAMES
from qaldgen.answers.files_by_question import files_by_question, run_of_files
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Run
from qaldgen.answers.run_columns import SeveralSystems, has_answers
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import UsageError
from qaldgen.io.inputs import is_file, shown_name, stream_number
from qaldgen.io.outputs import same_file
from qaldgen.io.terminal import escape_line
from qaldgen.model import QuestionSet
from qaldgen.questions.fields import holds_questions, normalize_name
from qaldgen.questions.file_content import InMemory, is_in_memory
from qaldgen.questions.folders import run_files
from qaldgen.questions.system_columns import answer_columns

#: Suffixes that are removed from the name of a run, like its extension.
_COMPRESSION_SUFFIXES = {".gz", ".bz2", ".zip"}


def read_runs(
    runs: Any,  # noqa: ANN401 - runs of any kind
    gold: QuestionSet,
    language: str = LANGUAGE,
    *,
    kept: type = Run,
    reading: Callable[..., Run] | None = None,
    gold_file: str = "",
) -> list[Any]:
    """Read one run or several: files, folders of files, data in memory, or a dict of runs by name.

    A `Run`, or an object of the type `kept`, is returned as it is; a pair is a name and a run.
    `reading` is the function that reads a run, by default `read_run`. The file with the gold
    questions (`gold_file`) in a folder is not read as a run.
    """
    reading = reading or functools.partial(read_run, gold=gold, language=language)
    pairs = _name_runs(runs, gold, kept, gold_file)
    n_unnamed = sum(is_in_memory(run) for name, run in pairs if name is None)
    files = [str(run) for name, run in pairs if not name and isinstance(run, (str, Path))]
    file_names = iter(run_names(files))
    read: list[Any] = []
    named_by_file: list[int] = []  # the indices of runs in `read`
    for number, (name, run) in enumerate(pairs, 1):
        if isinstance(run, (Run, kept)):
            if name and type(run) is Run:
                run = dataclasses.replace(run, name=name)
            read.append(run)
        elif not name and isinstance(run, (str, Path)):
            systems = read_systems(run, reading, name=next(file_names), system=name)
            if len(systems) == 1:
                named_by_file.append(len(read))
            read += systems
        else:
            if name is None and is_in_memory(run):
                name = f"run {number}" if n_unnamed > 1 else "run"
            read += read_systems(run, reading, name=name, system=name)
    return with_stated_names(read, named_by_file)


def read_systems(
    path: str | Path | InMemory,
    reading: Callable[..., Run],
    *,
    name: str | None,
    system: str | None = None,
    **options: object,
) -> list[Run]:
    """Read the runs of one or several systems in a file, with a function like `read_run`.

    If one of several systems is called `system`, only that is read.
    """
    try:
        return [reading(path, name=name, **options)]
    except SeveralSystems as several:
        if system in several.runs:
            return [reading(several.runs[system], name=system, **options)]
        options["answer_field"] = ()  # each run has its own field now
        return [reading(run, name=one, **options) for one, run in several.runs.items()]


def with_stated_names(runs: Sequence[Any], indices: Iterable[int] | None = None) -> list[Any]:
    """Rename runs, at some indices or all, as their files call them, if these names are unique."""
    if indices is None:
        indices = range(len(runs))
    renamed = list(runs)
    for index in indices:
        run = runs[index]
        if run.system and run.system != run.name:
            renamed[index] = dataclasses.replace(run, name=run.system)
    if len({run.name for run in renamed}) < len(runs):
        return list(runs)
    return renamed


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
    # one.v2.json.gz becomes one.v2, not one
    unpacked = [
        path.with_suffix("") if path.suffix in _COMPRESSION_SUFFIXES else path for path in paths
    ]
    schemes = (
        [path.stem for path in unpacked],
        [path.name for path in paths],
        [f"{path.parent.name}/{path.stem}".lstrip("/") for path in unpacked],
        [str(path) for path in paths],
    )
    return next((names for names in schemes if len(set(names)) == len(names)), schemes[-1])


def _name_runs(
    runs: Any,  # noqa: ANN401 - runs of any kind
    gold: QuestionSet,
    kept: type,
    gold_file: str,
) -> list[tuple[str | None, Any]]:
    """Return pairs of the name in a dict, or None, and a run; folders become their files."""
    if isinstance(runs, Mapping):
        are_ids = 2 * len(gold.by_id.keys() & runs) > len(runs)
        are_runs = all(_is_run(run, gold.by_id.keys(), kept) for run in runs.values())
        have_names = CONTAINER_NAMES.isdisjoint(normalize_name(str(name)) for name in runs)
        if runs and are_runs and have_names and not are_ids:
            return [(str(name), run) for name, run in runs.items()]
        return [(None, runs)]
    is_one_run = isinstance(runs, (str, Path, Run, kept))
    if is_in_memory(runs):  # a list of dicts of id and answer is several runs
        questions = gold.by_id.keys() | gold.by_text.keys()
        is_one_run = not isinstance(runs, (list, tuple)) or any(
            _is_record(run, questions) for run in runs
        )
    pairs: list[tuple[str | None, Any]] = []
    for run in [runs] if is_one_run else runs:
        if isinstance(run, tuple) and len(run) == 2 and isinstance(run[0], str):
            pairs.append(run)
            continue
        if not isinstance(run, (str, Path)):
            pairs.append((None, run))
            continue
        for file in run_files(Path(run)):
            is_gold = gold_file and file != Path(run) and same_file(file, gold_file)
            if not is_gold:
                pairs.append((None, file))
    paths = [Path(run) for name, run in pairs if name is None and isinstance(run, (str, Path))]
    for folder, by_id in files_by_question(paths, gold).items():
        parts = set(by_id.values())
        pairs = [(name, run) for name, run in pairs if name or Path(run) not in parts]
        pairs.append((folder.absolute().name, run_of_files(folder, by_id)))
    return pairs


def _is_record(run: object, questions: Set[str]) -> bool:
    """Return whether an item of a list is a record of a run, and not itself a run."""
    if not isinstance(run, dict):
        return False
    if has_answers(run) or any(map(holds_questions, map(str, run))):
        return True
    if questions.isdisjoint(map(str, run)) and answer_columns(map(str, run)):
        return True  # records are in the order of the questions
    return questions.isdisjoint(map(str, run)) and not questions.isdisjoint(map(str, run.values()))


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

"""Check files: question sets, questions with features, benchmarks and runs."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.checking.feature_data import read_columns
from qaldgen.checking.record import LEVELS, Case, Finding, Hit, Rule, shown
from qaldgen.checking.rules import RULES, chosen_rules
from qaldgen.datasets.fetching import resolve
from qaldgen.errors import DataError, UnknownForm, UsageError
from qaldgen.formats.reading import read_questions
from qaldgen.io.names import one_of
from qaldgen.model import QuestionSet
from qaldgen.runs.reading import read_run

if TYPE_CHECKING:
    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.local import LocalStore

#: Makes a progress bar from a label and a length; its `update` takes the number of steps just done.
Bar: TypeAlias = Callable[[str, int], AbstractContextManager[Any]]
#: The kinds of files.
KINDS = ("questions", "run", "rdf")
_SHACL = {"Violation": "shacl-violation", "Warning": "shacl-warning", "Info": "shacl-info"}
#: Formats of runs without field names: a question set with unknown columns looks like them.
_NAMELESS = {"table", "id-answer"}


@dataclasses.dataclass(frozen=True)
class Checked:
    """A file that was checked.

    Attributes
    ----------
    file : str
        Its name as given by the user.
    kind, format : str
        One of `KINDS`, and the format; empty for a file that cannot be read.
    size : int
        The number of questions, or of answers in a run.
    findings : tuple of Finding
        In the order of the rules.
    """

    file: str
    kind: str = ""
    format: str = ""
    size: int = 0
    findings: tuple[Finding, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return the number of findings by level."""
        found = Counter(finding.level for finding in self.findings)
        return {level: found[level] for level in LEVELS}


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of `check`.

    Attributes
    ----------
    kind : str
        One of `KINDS`; empty to detect it.
    format : str or None
        The format of the file; None to detect it.
    language : str
        The language of untagged texts.
    gold : QuestionSet or None
        The questions that runs answer; if given, every file is a run.
    source : LocalStore, Endpoint or None
        A knowledge graph to execute the gold queries on.
    rules : mapping of str to Rule
        The rules to check.
    shacl : bool
        Whether to validate RDF with SHACL.
    separator : str
        The separator of several gold answers in one text, besides the bar.
    """

    kind: str = ""
    format: str | None = None
    language: str = "en"
    gold: QuestionSet | None = None
    source: LocalStore | Endpoint | None = None
    rules: Mapping[str, Rule] = dataclasses.field(default_factory=chosen_rules)
    shacl: bool = True
    separator: str = ""


class _Silent:
    def update(self, done: int) -> None:
        """Show nothing."""


@contextmanager
def _no_bar(label: str, length: int) -> Iterator[_Silent]:
    yield _Silent()


def check(file: str | Path, options: Options | None = None, *, bar: Bar = _no_bar) -> Checked:
    """Check one file.

    Parameters
    ----------
    file
        A file, or the name of a public data set.
    options
        How to check; None for the defaults with all rules.
    bar
        Makes a progress bar from a label and a number of questions: a context manager whose value
        has an `update` method.

    Returns
    -------
    Checked
        The findings; a file that cannot be read has the single finding ``unreadable``.

    Raises
    ------
    UsageError
        If the kind, the format or the name of a data set is unknown.
    """
    options = options or Options()
    if options.kind not in {"", *KINDS}:
        raise UsageError(f"unknown kind of file {options.kind!r}; {one_of(options.kind, KINDS)}")
    try:
        case, kind = _read(resolve(file), options)
    except DataError as error:
        found = [Hit("", error.without(file).rstrip("."))]
        return Checked(
            str(file), findings=tuple(_findings("unreadable", found, str(file), options))
        )
    case = _executed(case, options, bar)
    findings: list[Finding] = []
    for name, rule in options.rules.items():
        if _applies(rule, kind):
            findings += _findings(name, rule.find(case), str(file), options)
    if kind == "rdf" and options.shacl:
        findings += _shacl(case, str(file), options, bar)
    source = case.questions or case.run
    size = (
        len(case.questions.questions)
        if case.questions
        else len(case.run.responses)
        if case.run
        else 0
    )
    return Checked(str(file), kind, source.format if source else "", size, tuple(findings))


def _applies(rule: Rule, kind: str) -> bool:
    return (
        rule.of == kind
        or (rule.of == "both" and kind != "")
        or (rule.of == "questions" and kind == "rdf")
    )


def _read(path: Path, options: Options) -> tuple[Case, str]:
    """Read a file as the given kind, or as the kind that it turns out to be."""
    # Gold questions are only given to check runs.
    if options.kind == "run" or (options.gold is not None and not options.kind):
        return _read_run(path, options), "run"
    if options.kind:
        return _read_set(path, options)
    try:
        return _read_set(path, options)
    # Other errors mean that the format was recognised, and the file is broken.
    except UnknownForm as unread:
        return _guess_run(path, options, unread), "run"


def _guess_run(path: Path, options: Options, unread: DataError) -> Case:
    """Read a file that is not a question set as a run, except lines without ids.

    Any text would be a run of such lines.
    """
    try:
        case = _read_run(path, options)
    except DataError:
        # The message about question sets names all their formats, which helps more.
        raise unread from None
    if case.format == "lines" or case.run is None:
        raise DataError(
            f"{unread.text}. If it is a run, pass --as run or --gold", where=unread.where
        ) from None
    if case.format not in _NAMELESS:
        return case
    note = (
        "is treated as the answers of a system, the first of them to"
        f" {shown(next(iter(case.run.responses)))}; if it contains questions, name the columns"
        " 'question' and 'answers'"
    )
    return dataclasses.replace(
        case, run=dataclasses.replace(case.run, notes=(*case.run.notes, note))
    )


def _read_set(path: Path, options: Options) -> tuple[Case, str]:
    # skip_broken: one broken record must not hide the findings on all others.
    form = "rdf" if options.kind == "rdf" else options.format
    questions = read_questions(
        path, format=form, language=options.language, skip_broken=True, separator=options.separator
    )
    if questions.format != "rdf":
        return Case(str(path), questions), "questions"
    return Case(str(path), questions, columns=read_columns(path)), "rdf"


def _read_run(path: Path, options: Options) -> Case:
    run = read_run(path, format=options.format, gold=options.gold, language=options.language)
    return Case(str(path), run=run, gold=options.gold)


def _executed(case: Case, options: Options, bar: Bar) -> Case:
    """Execute the gold queries, if a knowledge graph is given."""
    if options.source is None or case.questions is None:
        return case
    from qaldgen.stores.execution import execute_gold

    with_gold = [one for one in case.questions.questions if one.answers is not None]
    with bar(f"executing {case.path}", len(with_gold)) as progress:
        # refresh: the stored answers are what is being checked
        done = execute_gold(with_gold, options.source, refresh=True, progress=progress.update)
    return dataclasses.replace(case, executed=done.responses)


def _findings(name: str, hits: Iterable[Hit], file: str, options: Options) -> Iterator[Finding]:
    rule = RULES[name]
    if name in options.rules:
        yield from (
            Finding(name, rule.level, file, hit.question, hit.what, rule.advice) for hit in hits
        )


def _shacl(case: Case, file: str, options: Options, bar: Bar) -> list[Finding]:
    """Validate with SHACL; findings name questions by their ids."""
    # An extra; looked for, not imported, because importing takes a second.
    if importlib.util.find_spec("pyshacl") is None:
        return list(
            _findings(
                "shacl-absent", [Hit("", "the data were not validated with SHACL")], file, options
            )
        )
    from qaldgen.checking.shapes import violations

    names = {one.iri: one.id for one in (case.questions.questions if case.questions else ())}
    found: list[Finding] = []
    with bar(f"validating {file}", len(names)):
        broken = violations(case.path)
    for one in broken:
        message = one.message.rstrip(".")
        hit = (
            Hit(names[one.focus], message)
            if one.focus in names
            else Hit("", f"{one.focus}: {message}")
        )
        found += _findings(_SHACL[one.severity], [hit], file, options)
    return found

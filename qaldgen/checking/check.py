"""Check files: question sets, questions with features, benchmarks and runs."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from qaldgen.checking.findings import LEVELS, Case, Finding, Hit, Rule, quoted, sentence
from qaldgen.checking.rules import RULES, chosen_rules
from qaldgen.datasets.fetching import resolve
from qaldgen.errors import DataError, UnknownForm, UsageError
from qaldgen.formats.reading import READERS, read_questions
from qaldgen.io.arguments import one_of
from qaldgen.io.progress import step
from qaldgen.io.terminal import one_line
from qaldgen.io.text import count, dump_csv, few, helpful
from qaldgen.model import QuestionSet
from qaldgen.options import Formats, Kept, Separator
from qaldgen.runs.reading import RUN_READERS, read_run
from qaldgen.scoring.editions import Change, Changes, compare_editions, compare_executed
from qaldgen.scoring.gold import AnyGold, as_gold
from qaldgen.selection.select import open_data
from qaldgen.stores.local import DataSource

#: The kinds of files.
KINDS = ("questions", "run", "rdf")
_SHACL = {"Violation": "shacl-violation", "Warning": "shacl-warning", "Info": "shacl-info"}
#: Formats of runs without field names: a question set with unknown columns looks like them.
_NAMELESS = {"table", "id-answer"}


@helpful
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
    contents : str
        The languages and data sets of questions, with their numbers, as `describe` says them.
    findings : tuple of Finding
        In the order of the rules.
    changes : Changes or None
        How the gold differs from that of `against`, or from what `source` answers.
    """

    file: str
    kind: str = ""
    format: str = ""
    size: int = 0
    contents: str = ""
    findings: tuple[Finding, ...] = ()
    changes: Changes | None = None

    def counts(self) -> dict[str, int]:
        """Return the number of findings by level."""
        levels = Counter(finding.level for finding in self.findings)
        return {level: levels[level] for level in LEVELS}


class _Options(NamedTuple):
    """The parameters of `check`, with what they name read and opened."""

    kind: str
    format: str | None
    language: str
    separator: str
    gold: QuestionSet | None
    source: DataSource | None
    against: QuestionSet | None
    journal: str | Path | None
    rules: Mapping[str, Rule]
    shacl: bool


def check(
    file: str | Path,
    *,
    kind: Literal["questions", "run", "rdf"] | None = None,
    format: Formats | None = None,
    separator: Separator = "",
    language: str = "en",
    gold: AnyGold | None = None,
    source: str | Path | DataSource | None = None,
    against: AnyGold | None = None,
    journal: Kept | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    shacl: bool = True,
) -> Checked:
    """Look for errors in a question set, in questions with features, in a benchmark or in a run.

    Parameters
    ----------
    file
        The file, or the name of a public set; what it is, is recognised by content.
    kind
        What the files contain, if it is not detected.
    format
        Format of question sets or runs, if it is not recognised.
    separator
        Separator of several gold answers in one cell, in addition to ``|``.
    language
        Language of texts without a language tag.
    gold
        Questions that FILES answer: a question set, or a name from 'qaldgen data list'.
    source
        A knowledge graph that is asked the gold queries: an RDF file, the URL of an endpoint, or
        what `open_data` returns.
    against
        Another edition of the gold in FILES: report what differs, --format csv by question.

        A file, the name of a public set, or questions. With `source` the knowledge graph is the
        other edition.
    journal
        Record each answer of the knowledge graph immediately, so that a second run only executes
        what is missing.
    select
        Check only this rule.
    ignore
        Ignore this rule.
    shacl
        Whether to validate RDF with SHACL.

    Returns
    -------
    Checked
        The findings; a file that cannot be read has the one finding ``unreadable``.

    Raises
    ------
    UsageError
        If there is no such kind, format, rule or public set.

    Examples
    --------
    >>> check("no-such-file.json").findings[0].rule
    'unreadable'
    """
    if not isinstance(file, (str, Path)):
        raise UsageError(
            f"check reads a file, because it looks for what reading repairs or leaves out; give the"
            f" file itself, not a {type(file).__name__}"
        )
    if kind and kind not in KINDS:
        raise UsageError(f"unknown kind of file {kind!r}; {one_of(kind, KINDS)}")
    check_format(format)
    if against is not None and source is not None:
        raise UsageError(
            "the knowledge graph and another edition are both compared with the gold; give one"
        )
    if journal is not None and source is None:
        raise UsageError(
            "a journal keeps what a knowledge graph answers; name the graph with -e or --kg, or"
            " leave the journal out"
        )
    select = ("gold-changed",) if against is not None and not select else select
    rules = chosen_rules(select, ignore)
    asked = None if gold is None else as_gold(gold, language=language).questions
    opened = None if source is None else open_data(source)
    other = None if against is None else as_gold(against, language=language).questions
    options = _Options(
        kind or "", format, language, separator, asked, opened, other, journal, rules, shacl
    )
    try:
        case, found_kind = _read(resolve(file), options)
    except DataError as error:
        hits = [Hit("", error.without(file).rstrip("."))]
        return Checked(str(file), findings=tuple(_findings("unreadable", hits, str(file), options)))
    case = _compared(case, options)
    findings: list[Finding] = []
    for name, rule in rules.items():
        if _applies(rule, found_kind):
            findings += _findings(name, rule.find(case), str(file), options)
    if found_kind == "rdf" and shacl and against is None:
        findings += _shacl(case, str(file), options)
    read = case.questions or case.run
    size = (
        len(case.questions.questions)
        if case.questions
        else len(case.run.responses)
        if case.run
        else 0
    )
    form = read.format if read else ""
    contents = _contents(case.questions) if case.questions else ""
    return Checked(str(file), found_kind, form, size, contents, tuple(findings), case.changes)


def _contents(questions: QuestionSet) -> str:
    """Return how many questions there are by language and data set."""
    in_rdf = questions.format == "rdf"
    by = {
        "languages": Counter(
            tag for question in questions for tag, texts in question.texts.items() if texts
        ),
        "data sets": Counter(
            question.origin if in_rdf else questions.name for question in questions
        ),
    }
    return "; ".join(
        f"{what}: {', '.join(f'{name} ({number:,})' for number, name in ranked)}"
        for what, found in by.items()
        if (
            ranked := sorted(
                ((n, name) for name, n in found.items() if name), key=lambda x: (-x[0], x[1])
            )
        )
    )


def check_format(format: str | None) -> None:
    """Reject a format that neither question sets nor runs have."""
    known = dict.fromkeys((*READERS, *RUN_READERS))
    if format is not None and format not in known:
        raise UsageError(f"unknown format {format!r}; {one_of(format, known)}")


def failed(checked: Sequence[Checked], *, strict: bool = False) -> bool:
    """Return whether an error was found; with `strict` a warning counts too, a note never."""
    bad = {"error", "warning"} if strict else {"error"}
    return any(
        finding.level in bad for checked_file in checked for finding in checked_file.findings
    )


def _applies(rule: Rule, kind: str) -> bool:
    return rule.of == "both" or rule.of == ("questions" if kind == "rdf" else kind)


def _read(path: Path, options: _Options) -> tuple[Case, str]:
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


def _guess_run(path: Path, options: _Options, unread: DataError) -> Case:
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
        f" {quoted(next(iter(case.run.responses)))}; if it contains questions, name the columns"
        " 'question' and 'answers'"
    )
    return dataclasses.replace(
        case, run=dataclasses.replace(case.run, notes=(*case.run.notes, note))
    )


def _read_set(path: Path, options: _Options) -> tuple[Case, str]:
    # skip_broken: one broken record must not hide the findings on all others.
    form = "rdf" if options.kind == "rdf" else options.format
    questions = read_questions(
        path, format=form, language=options.language, skip_broken=True, separator=options.separator
    )
    return Case(str(path), questions), "rdf" if questions.format == "rdf" else "questions"


def _read_run(path: Path, options: _Options) -> Case:
    run = read_run(path, format=options.format, gold=options.gold, language=options.language)
    return Case(str(path), run=run, gold=options.gold)


def _compared(case: Case, options: _Options) -> Case:
    """Compare the gold with another edition, or with what a knowledge graph answers."""
    if case.questions is not None and options.against is not None:
        return dataclasses.replace(case, changes=compare_editions(case.questions, options.against))
    if options.source is None or case.questions is None:
        return case
    with_gold = [question for question in case.questions.questions if question.answers is not None]
    # refresh: the stored answers are what is being checked
    changes, done = compare_executed(
        with_gold,
        options.source,  # type: ignore[arg-type]
        name=case.questions.name,
        journal=options.journal,
    )
    return dataclasses.replace(case, executed=done.responses, changes=changes)


def _findings(name: str, hits: Iterable[Hit], file: str, options: _Options) -> Iterator[Finding]:
    rule = RULES[name]
    if name in options.rules:
        yield from (
            Finding(name, rule.level, file, hit.question, hit.what, rule.advice) for hit in hits
        )


def _shacl(case: Case, file: str, options: _Options) -> list[Finding]:
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
    findings: list[Finding] = []
    with step(f"validating {file}"):
        broken = violations(case.path)
    for one in broken:
        message = one.message.rstrip(".")
        hit = (
            Hit(names[one.focus], message)
            if one.focus in names
            else Hit("", f"{one.focus}: {message}")
        )
        findings += _findings(_SHACL[one.severity], [hit], file, options)
    return findings


_SHOWN_IDS, _SHOWN_EXAMPLES = 5, 3


def show(checked: Sequence[Checked], form: str, *, all_: bool = False) -> str:
    """Format findings as ``text``, ``json`` or ``csv``."""
    if form == "json":
        return (
            json.dumps(
                [_as_object(checked_file) for checked_file in checked], ensure_ascii=False, indent=2
            )
            + "\n"
        )
    if form == "csv":
        return dump_csv(
            Finding._fields,
            (finding for checked_file in checked for finding in checked_file.findings),
        )
    return "".join(
        one_line(line) + "\n"
        for checked_file in checked
        for line in _as_text(checked_file, all_=all_)
    )


def _as_object(checked_file: Checked) -> dict[str, object]:
    return {
        "file": checked_file.file,
        "kind": checked_file.kind,
        "format": checked_file.format,
        "size": checked_file.size,
        **checked_file.counts(),
        "findings": [
            {**finding._asdict(), "message": finding.message} for finding in checked_file.findings
        ],
        **({"changes": _changes_object(checked_file.changes)} if checked_file.changes else {}),
    }


def _changes_object(changes: Changes) -> dict[str, object]:
    return {
        "against": changes.other,
        "counts": changes.counts(),
        "questions": [row._asdict() for row in changes.rows],
    }


def change_table(checked: Sequence[Checked]) -> str:
    """Return one row per question of files that were checked against another edition, as CSV."""
    columns = ("file", "against", *Change._fields)
    return dump_csv(
        columns,
        (
            (checked_file.file, checked_file.changes.other, *row)
            for checked_file in checked
            if checked_file.changes
            for row in checked_file.changes.rows
        ),
    )


def _as_text(checked_file: Checked, *, all_: bool) -> Iterator[str]:
    """Yield a line about the file, then each broken rule with count, advice and first places.

    The worst rules come first.
    """
    size = (
        f"{count(checked_file.size, 'answer' if checked_file.kind == 'run' else 'question')}"
        f" ({checked_file.format}); "
        if checked_file.kind
        else ""
    )
    yield f"{checked_file.file}: {size}{summary([checked_file])}"
    yield from (
        f"  {line}"
        for line in (checked_file.contents, *str(checked_file.changes or "").splitlines())
        if line
    )
    by_rule: dict[str, list[Finding]] = {}
    for finding in checked_file.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, findings in sorted(by_rule.items(), key=lambda item: LEVELS.index(item[1][0].level)):
        yield (
            f"  {findings[0].level} {rule}: {len(findings):,}{_first_ids(findings)}."
            f" {sentence(RULES[rule].advice)}"
        )
        examples = _examples(findings)
        yield from (
            f"    {line}"
            for line in (_finding_lines(findings) if all_ else examples[:_SHOWN_EXAMPLES])
        )
        if not all_ and len(examples) > _SHOWN_EXAMPLES:
            yield f"    ... ({len(examples) - _SHOWN_EXAMPLES:,} more; --all lists them)"


def summary(checked: Sequence[Checked]) -> str:
    """Return the numbers of findings by level, in one line.

    >>> summary([Checked("a.json")])
    'nothing found'
    """
    counts = {
        level: sum(checked_file.counts()[level] for checked_file in checked) for level in LEVELS
    }
    counted = [count(number, level) for level, number in counts.items() if number]
    return ", ".join(counted) or "nothing found"


def _first_ids(findings: list[Finding]) -> str:
    ids = list(dict.fromkeys(finding.question for finding in findings if finding.question))
    return f" ({few(ids, _SHOWN_IDS)})" if ids else ""


def _finding_lines(findings: list[Finding]) -> list[str]:
    return [
        f"{finding.question}: {finding.what}" if finding.question else finding.what
        for finding in findings
    ]


def _examples(findings: list[Finding]) -> list[str]:
    """Return each distinct problem once, with its number of questions, most frequent ones first."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.what, []).append(finding)
    by_size = sorted(groups.items(), key=lambda item: -len(item[1]))
    return [
        f"{len(same):,} times: {what}" if len(same) > 1 else _finding_lines(same)[0]
        for what, same in by_size
    ]

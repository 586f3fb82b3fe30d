"""Check files: question sets, questions with features, benchmarks and runs."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from qaldgen.answers.reading import RUN_READERS, read_run
from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.editions import Changes, compare_editions, compare_executed
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UnknownFormat, UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.progress import step
from qaldgen.model import QuestionSet
from qaldgen.options import JournalPath, OneOf, Property, Separator
from qaldgen.plugins.checking.checks import LEVELS, Case, Finding, Hit, Rule, quoted
from qaldgen.plugins.checking.lint_rules import chosen_rules
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.fetching import resolve
from qaldgen.questions.reading import READERS, read_questions
from qaldgen.selection.select import open_data
from qaldgen.stores.local import DataSource

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
    contents : str
        The languages and data sets of questions, with their numbers, as `describe` says them.
    findings : tuple of Finding
        In the order of the rules.
    changes : Changes or None
        The changes of the gold in `against`, or in the answers of `source`.
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


def check(
    file: str | Path,
    *,
    kind: Literal["questions", "run", "rdf"] | None = None,
    format: Annotated[
        str, OneOf("formats", check="qaldgen.plugins.checking.lint:check_file_format")
    ]
    | None = None,
    split_answers: Separator = "",
    text_property: Property = "",
    language: str = LANGUAGE,
    gold: AnyGold | None = None,
    source: str | Path | DataSource | None = None,
    against: AnyGold | None = None,
    journal: JournalPath | None = None,
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
    split_answers
        Separator of several gold answers in one cell, in addition to ``|``.
    text_property
        Property with the texts of the questions in RDF of another vocabulary.
    language
        Language of texts without a language tag.
    gold
        Questions that FILES answer: a question set, or a name from 'qaldgen data list'.
    source
        A knowledge graph that is asked the gold queries: an RDF file, the URL of an endpoint, or
        what `open_data` returns.
    against
        Another edition of the gold in FILES: report what differs.

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
    check_file_format(format)
    if against is not None and source is not None:
        raise UsageError(
            "the knowledge graph and another edition are both compared with the gold; give one"
        )
    if journal is not None and source is None:
        raise UsageError(
            "a journal keeps what a knowledge graph answers; name the graph, or leave the"
            " journal out"
        )

    # read what the file is compared with
    selected = ("gold-changed",) if against is not None and not select else select
    rules = chosen_rules(selected, ignore)
    questions = as_gold(gold, language=language).questions if gold is not None else None
    graph = open_data(source) if source is not None else None
    other_edition = as_gold(against, language=language).questions if against is not None else None

    options = ReadOptions(
        format="rdf" if kind == "rdf" else format,
        language=language,
        skip_broken=True,  # one broken record must not hide the findings on all others
        split_answers=split_answers,
        text_property=text_property,
    )
    try:
        path = resolve(file)
        content = _read_file(path, kind, options, questions)
    except DataError as error:
        hit = Hit("", error.without(file).rstrip("."))
        return Checked(str(file), findings=_make_findings(str(file), rules, [("unreadable", hit)]))

    if isinstance(content, QuestionSet):  # a run has no other edition, and no queries
        changes, executed = _compare(content, other_edition, graph, journal)
        case = Case(str(path), content, gold=questions, executed=executed, changes=changes)
    else:
        case = Case(str(path), run=content, gold=questions)

    rule_type = "questions" if case.kind == "rdf" else case.kind
    hits = []
    for name, rule in rules.items():
        if rule.applies_to in {"both", rule_type}:
            hits += [(name, hit) for hit in rule.find(case)]
    if shacl and against is None and case.kind == "rdf":
        hits += _validate_shacl(case)
    return Checked(
        str(file),
        case.kind,
        case.format,
        size=len(case.members or case.responses),
        contents=_describe_contents(case.questions),
        findings=_make_findings(str(file), rules, hits),
        changes=case.changes,
    )


def _compare(
    questions: QuestionSet,
    other_edition: QuestionSet | None,
    graph: DataSource | None,
    journal: str | Path | None,
) -> tuple[Changes | None, Mapping[str, Response]]:
    """Return the changes of the gold in another edition or in a graph, and what the graph answers.

    Without either there are no changes to know of.
    """
    if other_edition is not None:
        return compare_editions(questions, other_edition), {}
    if graph is None:
        return None, {}
    answered = [question for question in questions if question.answers is not None]
    changes, run = compare_executed(
        answered,
        graph,  # type: ignore[arg-type]
        name=questions.name,
        journal=journal,
    )
    return changes, run.responses


def _make_findings(
    file: str, rules: Mapping[str, Rule], hits: Iterable[tuple[str, Hit]]
) -> tuple[Finding, ...]:
    """Return the violations of rules that were chosen, as they are reported."""
    findings = []
    for name, hit in hits:
        if name in rules:
            rule = rules[name]
            findings.append(Finding(name, rule.level, file, hit.question, hit.what, rule.advice))
    return tuple(findings)


def _describe_contents(questions: QuestionSet | None) -> str:
    """Return a text with the numbers of questions by language and data set."""
    if questions is None:
        return ""
    languages = Counter[str]()
    data_sets = Counter[str]()
    for question in questions:
        languages.update(tag for tag, texts in question.texts.items() if tag and texts)
        name = question.origin if questions.format == "rdf" else questions.name
        data_sets[name] += 1
    del data_sets[""]
    parts = []
    for heading, numbers in (("languages", languages), ("data sets", data_sets)):
        if numbers:
            ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
            listing = ", ".join(f"{name} ({number:,})" for name, number in ranked)
            parts.append(f"{heading}: {listing}")
    return "; ".join(parts)


def check_file_format(format: str | None) -> None:
    """Refuse a format that is neither one of question sets nor one of runs."""
    formats = dict.fromkeys((*READERS, *RUN_READERS))
    if format is not None and format not in formats:
        raise UsageError(f"unknown format {format!r}; {one_of(format, formats)}")


def has_errors(checked: Sequence[Checked], *, strict: bool) -> bool:
    """Return whether there are errors, with `strict` also warnings."""
    for checked_file in checked:
        counts = checked_file.counts()
        if counts["error"] or (strict and counts["warning"]):
            return True
    return False


def _read_file(
    path: Path, kind: str | None, options: ReadOptions, gold: QuestionSet | None
) -> QuestionSet | Run:
    """Read a file as a question set or a run; without a kind or gold, as whichever it is."""
    not_questions = None  # why it is no question set
    if kind != "run" and (kind or gold is None):  # gold questions are only given with runs
        try:
            return read_questions(path, options)
        # any other error: the format was recognised, but the file is damaged
        except UnknownFormat as error:
            if kind:
                raise
            not_questions = error
    try:
        run = read_run(path, format=options.format, gold=gold, language=options.language)
    except DataError:
        if not_questions is None:
            raise
        # the message about question sets helps more, as it names all their formats
        raise not_questions from None
    if not_questions is None:
        return run

    if run.format == "lines":  # any text can be read as answers, one per line
        raise DataError(
            f"{not_questions.text}. If it is a run, say so with `kind='run'` or `gold`",
            where=not_questions.where,
        )

    if run.format in _NAMELESS:
        note = (
            "is treated as the answers of a system, the first of them to"
            f" {quoted(next(iter(run.responses)))}; if it contains questions, name the columns"
            " 'question' and 'answers'"
        )
        run = dataclasses.replace(run, notes=(*run.notes, note))
    return run


def _validate_shacl(case: Case) -> Iterator[tuple[str, Hit]]:
    """Validate with SHACL, and yield the rules with hits, which have the ids of questions."""
    # an extra; it is not imported yet, as that takes a second
    if importlib.util.find_spec("pyshacl") is None:
        yield "shacl-absent", Hit("", "the data were not validated with SHACL")
        return
    from qaldgen.plugins.checking.shapes import violations

    id_by_iri = {member.iri: member.id for member in case.members}
    with step(f"validating {case.path}"):
        results = violations(case.path)
    for violation in results:
        message = violation.message.rstrip(".")
        if violation.focus in id_by_iri:
            hit = Hit(id_by_iri[violation.focus], message)
        else:
            hit = Hit("", f"{violation.focus}: {message}")
        yield _SHACL[violation.severity], hit

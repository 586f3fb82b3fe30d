"""Findings as text, JSON or CSV."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from qaldgen.benchmark.editions import Change
from qaldgen.io.csv_cells import dump_csv
from qaldgen.io.terminal import escape_line
from qaldgen.io.text import count, few
from qaldgen.plugins.checking.checks import LEVELS, Finding, sentence
from qaldgen.plugins.checking.lint import Checked
from qaldgen.plugins.checking.lint_rules import RULES

#: The most ids and examples that are listed for a rule.
_MAX_IDS = 5
_MAX_EXAMPLES = 3


def format_findings(checked: Sequence[Checked], form: str, *, all_: bool = False) -> str:
    """Return findings as ``text``, ``json`` or ``csv``; `all_` lists every one as text."""
    if form == "csv":
        findings = chain.from_iterable(checked_file.findings for checked_file in checked)
        return dump_csv(Finding._fields, findings)

    if form == "text":
        lines = chain.from_iterable(_as_text(checked_file, all_=all_) for checked_file in checked)
        return "".join(escape_line(line) + "\n" for line in lines)

    objects = []
    for checked_file in checked:
        findings_as_json = [
            {**finding._asdict(), "message": finding.message} for finding in checked_file.findings
        ]
        fields: dict[str, object] = {
            "file": checked_file.file,
            "kind": checked_file.kind,
            "format": checked_file.format,
            "size": checked_file.size,
            **checked_file.counts(),
            "findings": findings_as_json,
        }
        if checked_file.changes:
            fields["changes"] = {
                "against": checked_file.changes.other,
                "counts": checked_file.changes.counts(),
                "questions": [row._asdict() for row in checked_file.changes.rows],
            }
        objects.append(fields)
    return json.dumps(objects, ensure_ascii=False, indent=2) + "\n"


def change_table(checked: Sequence[Checked]) -> str:
    """Return one row per question of files that were checked against another edition, as CSV."""
    rows = []
    for checked_file in checked:
        if checked_file.changes:
            for change in checked_file.changes.rows:
                rows.append((checked_file.file, checked_file.changes.other, *change))
    return dump_csv(("file", "against", *Change._fields), rows)


def _as_text(checked_file: Checked, *, all_: bool) -> Iterator[str]:
    """Yield a line about the file, and lines about each broken rule, the worst first."""
    size = ""
    if checked_file.kind:
        noun = "answer" if checked_file.kind == "run" else "question"
        size = f"{count(checked_file.size, noun)} ({checked_file.format}); "
    yield f"{checked_file.file}: {size}{summary([checked_file])}"

    details = [checked_file.contents]
    if checked_file.changes:
        details += str(checked_file.changes).splitlines()
    for line in filter(None, details):
        yield f"  {line}"

    findings_by_rule: dict[str, list[Finding]] = {}
    for finding in checked_file.findings:
        findings_by_rule.setdefault(finding.rule, []).append(finding)
    ranked_rules = sorted(findings_by_rule.items(), key=lambda item: LEVELS.index(item[1][0].level))
    for rule, findings in ranked_rules:
        ids = list(dict.fromkeys(finding.question for finding in findings if finding.question))
        first_ids = f" ({few(ids, _MAX_IDS)})" if ids else ""
        yield (
            f"  {findings[0].level} {rule}: {len(findings):,}{first_ids}."
            f" {sentence(RULES[rule].advice)}"
        )

        if all_:
            lines = _finding_lines(findings)
            shown_lines = lines
        else:
            lines = _examples(findings)
            shown_lines = lines[:_MAX_EXAMPLES]
        for line in shown_lines:
            yield f"    {line}"
        if len(shown_lines) < len(lines):
            yield f"    ... ({len(lines) - len(shown_lines):,} more; `all` lists them)"


def summary(checked: Sequence[Checked]) -> str:
    """Return the numbers of findings by level, in one line.

    >>> summary([Checked("a.json")])
    'nothing found'
    """
    levels = Counter[str]()
    for checked_file in checked:
        levels.update(checked_file.counts())
    counts = [count(levels[level], level) for level in LEVELS if levels[level]]
    return ", ".join(counts) or "nothing found"


def _finding_lines(findings: list[Finding]) -> list[str]:
    """Return a line for each finding, which begins with the question if it concerns one."""
    lines = []
    for finding in findings:
        if finding.question:
            lines.append(f"{finding.question}: {finding.what}")
        else:
            lines.append(finding.what)
    return lines


def _examples(findings: list[Finding]) -> list[str]:
    """Return the distinct problems with their numbers of questions, the most frequent first."""
    findings_by_problem: dict[str, list[Finding]] = {}
    for finding in findings:
        findings_by_problem.setdefault(finding.what, []).append(finding)
    lines: list[str] = []
    for problem, group in sorted(findings_by_problem.items(), key=lambda item: -len(item[1])):
        if len(group) > 1:
            lines.append(f"{len(group):,} times: {problem}")
        else:
            lines += _finding_lines(group)
    return lines

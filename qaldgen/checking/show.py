"""Findings as text, JSON and CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from qaldgen.checking.check import Checked
from qaldgen.checking.record import LEVELS, Finding, counted, sentence
from qaldgen.checking.rules import RULES
from qaldgen.io.terminal import one_line
from qaldgen.io.text import dump_csv
from qaldgen.scoring.editions import Change, Changes

_SHOWN_IDS, _SHOWN_EXAMPLES = 5, 3


def show(checked: Sequence[Checked], form: str, *, all_: bool = False) -> str:
    """Format findings as ``text``, ``json`` or ``csv``."""
    if form == "json":
        return json.dumps([_as_object(one) for one in checked], ensure_ascii=False, indent=2) + "\n"
    if form == "csv":
        return dump_csv(Finding._fields, (finding for one in checked for finding in one.findings))
    return "".join(one_line(line) + "\n" for one in checked for line in _as_text(one, all_=all_))


def _as_object(one: Checked) -> dict[str, object]:
    return {
        "file": one.file,
        "kind": one.kind,
        "format": one.format,
        "size": one.size,
        **one.counts(),
        "findings": [{**finding._asdict(), "message": finding.message} for finding in one.findings],
        **({"changes": _changes(one.changes)} if one.changes else {}),
    }


def _changes(changes: Changes) -> dict[str, object]:
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
            (one.file, one.changes.other, *row)
            for one in checked
            if one.changes
            for row in one.changes.rows
        ),
    )


def _as_text(one: Checked, *, all_: bool) -> Iterator[str]:
    """Yield a line about the file, then each broken rule with count, advice and first places.

    The worst rules come first.
    """
    size = (
        f"{counted(one.size, 'answer' if one.kind == 'run' else 'question')} ({one.format}); "
        if one.kind
        else ""
    )
    yield f"{one.file}: {size}{summary([one])}"
    yield from (f"  {line}" for line in str(one.changes or "").splitlines())
    by_rule: dict[str, list[Finding]] = {}
    for finding in one.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, found in sorted(by_rule.items(), key=lambda item: LEVELS.index(item[1][0].level)):
        yield (
            f"  {found[0].level} {rule}: {len(found):,}{_ids(found)}."
            f" {sentence(RULES[rule].advice)}"
        )
        examples = _examples(found)
        yield from (
            f"    {line}" for line in (_lines(found) if all_ else examples[:_SHOWN_EXAMPLES])
        )
        if not all_ and len(examples) > _SHOWN_EXAMPLES:
            yield f"    ... ({len(examples) - _SHOWN_EXAMPLES:,} more; --all lists them)"


def summary(checked: Sequence[Checked]) -> str:
    """Return the numbers of findings by level, in one line.

    >>> summary([Checked("a.json")])
    'nothing found'
    """
    counts = {level: sum(one.counts()[level] for one in checked) for level in LEVELS}
    told = [counted(count, level) for level, count in counts.items() if count]
    return ", ".join(told) or "nothing found"


def _ids(found: list[Finding]) -> str:
    ids = list(dict.fromkeys(finding.question for finding in found if finding.question))
    return (
        f" ({', '.join(ids[:_SHOWN_IDS])}{', ...' if len(ids) > _SHOWN_IDS else ''})" if ids else ""
    )


def _lines(found: list[Finding]) -> list[str]:
    return [
        f"{finding.question}: {finding.what}" if finding.question else finding.what
        for finding in found
    ]


def _examples(found: list[Finding]) -> list[str]:
    """Return each distinct problem once, with its number of questions, most frequent ones first."""
    groups: dict[str, list[Finding]] = {}
    for finding in found:
        groups.setdefault(finding.what, []).append(finding)
    by_size = sorted(groups.items(), key=lambda item: -len(item[1]))
    return [
        f"{len(same):,} times: {what}" if len(same) > 1 else _lines(same)[0]
        for what, same in by_size
    ]

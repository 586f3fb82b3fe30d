"""How a report was computed: facts in sentences, and a signature in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qaldgen import __version__
from qaldgen.analysis.comparing.comparison import Comparison, families_in_words, tested_in_words
from qaldgen.analysis.comparing.multiplicity import CORRECTIONS
from qaldgen.analysis.estimating.design import Design
from qaldgen.benchmark.gold import Gold
from qaldgen.defaults import LEVEL_LABEL, MEASURE
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.missing import POLICIES
from qaldgen.scoring.score import Scores, matched_by

#: Digits of a hash in the signature.
_HASH_DIGITS = 8


class MethodSection(NamedTuple):
    """How a report was computed."""

    facts: tuple[tuple[str, str], ...]  # subjects, and a sentence about each
    signature: str  # one line with everything that decides the numbers
    notes: tuple[str, ...]  # what a user should know about gold and runs
    weighted: bool  # whether questions count by the weights of the benchmark


def describe_method(
    gold: Gold,
    all_scores: Sequence[Scores],
    comparison: Comparison | None,
    *,
    measure: str,
    weighted: bool,
    missing: str,
    design: Design | None,
    random_state: int,
) -> MethodSection:
    """Describe how the numbers of a report were computed."""
    rules = all_scores[0].rules
    questions = f"{gold.questions.name}, {len(all_scores[0].counts):,} questions scored"
    weights = "none"
    if design is not None:
        weights = (
            "of the design: each question counts 1 / its chance of being drawn from the pool of"
            f" {design.pool:,}"
        )
    elif weighted:
        weights = "of the benchmark: the share of the pool that each question stands for"

    facts = [("Questions", f"{questions}{_format_hash(gold.questions.sha256)}")]
    if gold.benchmark is not None:
        facts.append(("Benchmark", gold.benchmark.signature))
    for scores in all_scores:
        run = f"{scores.run.format}{_format_hash(scores.run.sha256)}"
        facts.append((f"Run {scores.name}", run))

    facts += [
        (
            "An answer is right",
            f"by the rules {matched_by(all_scores, with_help=True)};"
            f" equivalent IRIs: {rules.same_as}",
        ),
        (
            "Missing answers",
            f"{POLICIES[missing]}, for all systems alike, unless a table says otherwise",
        ),
        ("Weights", weights),
        (
            "Intervals",
            f"{LEVEL_LABEL}; Gaffke's for means of scores per question and for micro measures,"
            " drawn weights for Macro F1 QALD",
        ),
    ]
    facts += [
        (f"Answers of {scores.name}", scores.method) for scores in all_scores if scores.method
    ]

    if comparison is not None:
        tests = comparison.untested or (
            f"two-sided; {tested_in_words(comparison.measure)}; {families_in_words(comparison)}"
            f" ({CORRECTIONS[comparison.correction].source}), level {comparison.alpha:g};"
            f" slices of fewer than {FEWEST} questions untested"
        )
        facts.append(("Tests", tests))
    facts += [
        ("Seed", str(random_state)),
        ("Language", rules.language),
        ("Version", f"qaldgen {__version__}"),
    ]

    # the signature: everything that decides the numbers, in one line
    files = [(gold.questions.name, gold.questions.sha256)]
    files += [(scores.name, scores.run.sha256) for scores in all_scores]
    parts = []
    for name, sha256 in files:
        digest = sha256[:_HASH_DIGITS] or "unknown"
        parts.append(f"{name.replace('|', '-')}@{digest}")
    has_weights = "yes" if weighted else "no"
    parts += [
        f"match:{matched_by(all_scores).replace(' and ', '+')}",
        f"same-as:{rules.same_as}",
        f"lang:{rules.language}",
        f"weighted:{has_weights}",
        f"missing:{missing}",
    ]
    if measure != MEASURE:
        parts.append(f"measure:{measure}")
    if comparison is not None:
        parts += [
            f"correct:{comparison.correction}",
            f"alpha:{comparison.alpha:g}",
            f"repeats:{comparison.n_resamples}",
        ]
    parts += [f"seed:{random_state}", f"v:{__version__}"]
    return MethodSection(tuple(facts), "|".join(parts), notes_once(all_scores), weighted)


def notes_once(all_scores: Sequence[Scores]) -> tuple[str, ...]:
    """Return the notes on gold and runs, each once, without the locations of files.

    A note that is not on all runs begins with their names.
    """
    runs_by_note: dict[str, list[str]] = {}
    for scores in all_scores:
        for note in scores.notes:
            runs_by_note.setdefault(getattr(note, "text", note), []).append(scores.name)
    notes = []
    for note, names in runs_by_note.items():
        is_on_all = len(names) == len(all_scores) > 1
        if is_on_all or note.startswith(f"{names[0]}: "):
            notes.append(note)
        else:
            notes.append(f"{', '.join(names)}: {note}")
    return tuple(notes)


def _format_hash(sha256: str) -> str:
    if not sha256:
        return ""
    return f", SHA-256 {sha256}"

"""Verbs and options that the command line had once, and what to write instead."""

from __future__ import annotations

#: By verb and option.
MOVED = {
    ("report", "--cube"): "qaldgen score GOLD RUNS --format cube -o FILE",
    ("report", "--leaderboard"): "qaldgen score GOLD RUNS --format leaderboard",
    ("report", "--year"): "qaldgen score GOLD RUNS --format leaderboard --year YEAR",
    ("report", "--reported-by"): "qaldgen score GOLD RUNS --format leaderboard --reported-by TEXT",
    ("slices", "--search"): "qaldgen slices GOLD RUNS (there is one search, on all questions)",
    ("slices", "--depth"): "qaldgen slices GOLD RUNS (kinds have one condition or two)",
    ("slices", "--top"): "qaldgen slices GOLD RUNS (all that is found is printed)",
    ("slices", "--min"): "qaldgen slices GOLD RUNS --min-support N",
}
#: By verb, the words that took its place.
MOVED_VERBS = {
    "annotate-passages": "passages label",
    "features": "list features",
    "losses": "passages losses",
    "read": "passages read",
    "retrieve": "passages retrieve",
}


def instead(verb: str, option: str) -> str:
    """Return the message about an option that moved; empty if it did not."""
    new = MOVED.get((verb, option))
    return f"{verb} has no {option} any more; write: {new}" if new else ""

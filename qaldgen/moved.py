"""What had another name once, and where it is now: modules, public names, verbs and options."""

from __future__ import annotations

from pathlib import Path

_TABLE = Path(__file__).resolve().parent / "data" / "moved.tsv"


def _moved(kind: str) -> dict[str, str]:
    rows = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines())
    return {names[0]: names[1] for what, *names in rows if what == kind}


#: Modules that other packages imported, and the facade.
MODULES = _moved("module")
#: Names of `qaldgen`, and the modules that have them.
NAMES = _moved("name")
#: By verb and option.
OPTIONS = {tuple(words.split()): new for words, new in _moved("option").items()}
#: Names of tables: matchers, measures, methods, ...
ROWS = _moved("row")
#: By verb, the words that took its place.
VERBS = _moved("verb")


def instead(verb: str, option: str) -> str:
    """Return the message about an option that moved; empty if it did not."""
    new = OPTIONS.get((verb, option))
    return f"{verb} has no {option} any more; write: {new}" if new else ""

"""The table of rules: the problem, level and remedy of each rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.packages import data_rows
from qaldgen.plugins.checking import gold_rules, query_rules, run_rules, text_rules
from qaldgen.plugins.checking.checks import Case, Hit, Rule


def _find_nothing(case: Case) -> Iterator[Hit]:
    """Find nothing, for rules that are checked while a file is read or validated."""
    yield from ()


def _read_rules() -> dict[str, Rule]:
    """Return the rules of ``data/rules.tsv`` by name, each with its function."""
    functions = vars(text_rules) | vars(query_rules) | vars(gold_rules) | vars(run_rules)
    rules = {}
    for name, level, file_type, help_, advice in data_rows("plugins/checking/data/rules.tsv"):
        find = _find_nothing
        if file_type != "file":
            find = functions[name.replace("-", "_")]
        rules[name] = Rule(level=level, applies_to=file_type, help=help_, advice=advice, find=find)
    return rules


#: All rules by name, each with the function of its name; `run-...` rules apply to runs.
RULES = _read_rules()


def chosen_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> dict[str, Rule]:
    """Return the selected rules (all by default), without the ignored ones.

    >>> list(chosen_rules(select=["text-empty", "left-out"], ignore=["left-out"]))
    ['text-empty']
    """
    selected = list(select)
    ignored = list(ignore)
    for name in selected + ignored:
        if name not in RULES:
            raise UsageError(f"unknown rule {name!r}; {one_of(name, RULES)}")
    chosen = set(selected or RULES).difference(ignored)
    return {name: rule for name, rule in RULES.items() if name in chosen}

"""The parameters of public functions: name, type, default and help of each.

``data/options.json`` of the command line and of each plug-in has them for their verbs, so that help
imports nothing heavy and works without source files. ``make options`` writes these files by
`qaldgen.cli.inspection`, which also serves verbs of other packages, whose functions no file has.
"""

from __future__ import annotations

import functools
import json
import pkgutil
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from qaldgen.cli.value_types import ValueType, value_type

_FILE = "data/options.json"
_PLUGINS = "qaldgen.plugins."
#: The names of options that differ from those of their parameters, with a short flag first.
OPTION_NAMES = {
    "by_question": "q/by_question",
    "contexts": "context",
    "families": "family",
    "language": "lang",
    "largest": "max",
    "max_bytes": "max-reply",
    "method": "m/method",
    "n_jobs": "jobs",
    "n_repeats": "repeats",
    "n_resamples": "repeats",
    "output": "o/output",
    "pool_size": "pool",
    "purpose": "for",
    "query": "q/query",
    "random_state": "seed",
    "scaling": "scale",
    "size": "n/size",
    "sizes": "n/size",
    "superclass_predicates": "superclass-predicate",
    "type_predicates": "type-predicate",
}


class Parameter(NamedTuple):
    """A parameter of a public function."""

    annotation: str
    default: Any
    help: str  #: the first paragraph of its description

    @property
    def type(self) -> ValueType | None:
        """The type of its values; None if no text can be one."""
        return value_type(self.annotation)


def import_path_of(function: str) -> str:
    """Return ``module:function`` for a public name; an import path is returned unchanged."""
    if ":" in function:
        return function
    return f"qaldgen:{function}"


def parameters(function: str) -> Mapping[str, Parameter]:
    """Return the parameters of a function or class that have a default, by name.

    `function` is a public name or ``module:function``.
    """
    import_path = import_path_of(function)
    entries = _read_file(_package_of(import_path))["functions"].get(import_path)
    if entries is None:
        from qaldgen.cli.inspection import describe_parameters

        entries = describe_parameters(import_path)
    declared = {}
    for name, (annotation, default, text) in entries.items():
        if isinstance(default, list):
            default = tuple(default)
        declared[name] = Parameter(annotation, default, text)
    return declared


def default_flag(parameter: str) -> str:
    """Return the flag of a parameter in verbs of the core; empty if none has it."""
    functions = _read_file("qaldgen.cli")["functions"].values()
    declared = [Parameter(*entries[parameter]) for entries in functions if parameter in entries]
    if not any(entry.type for entry in declared):
        return ""
    name = OPTION_NAMES.get(parameter, parameter).split("/")[-1]
    return f"--{name.replace('_', '-')}"


def summary(import_path: str) -> str:
    """Return the first sentence about a verb, ``module:function``; empty if it cannot be loaded."""
    summaries: Mapping[str, str] = _read_file(_package_of(import_path))["verbs"]
    if import_path in summaries:
        return summaries[import_path]
    from qaldgen.cli.inspection import summarise

    return summarise(import_path)


def _package_of(import_path: str) -> str:
    """Return the package whose options file describes a function."""
    if import_path.startswith(_PLUGINS):
        return _PLUGINS + re.split(r"[.:]", import_path.removeprefix(_PLUGINS))[0]
    return "qaldgen.cli"


@functools.cache
def _read_file(package: str) -> dict[str, Any]:
    """Read the options file of a package; without a file, it has no functions and verbs."""
    try:
        content = pkgutil.get_data(package, _FILE)
    except OSError:
        content = None
    if content is None:
        return {"functions": {}, "verbs": {}}
    table: dict[str, Any] = json.loads(content)
    return table

"""The parameters of public functions: name, type, default and help of each.

``data/options.json`` of the command line and of each plug-in has them for their verbs, so that help
imports nothing heavy and works without source files. ``make options`` writes these files from
signatures and numpydoc sections. Functions of other packages are inspected when a verb needs them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import pkgutil
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from qaldgen.cli.listed_tables import first_paragraph
from qaldgen.cli.value_types import ValueType, value_type

_FILE = "data/options.json"
_PLUGINS = "qaldgen.plugins."
#: A sentence ends where another begins: "e.g. a file" goes on.
_SENTENCE = re.compile(r".+?[.!?](?= +[^a-z])")
#: A description that refers to the same parameter of another public function.
_REFERENCE = re.compile(r"See `(\w+)`\.?")
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
    functions = _read_file(_package_of(import_path))["functions"]
    if import_path not in functions:
        return describe_parameters(import_path)
    declared = {}
    for name, (annotation, default, text) in functions[import_path].items():
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


@functools.cache
def describe_parameters(import_path: str) -> dict[str, Parameter]:
    """Return the parameters of a function, from its signature and its docstring.

    For the description "See `other`.", that of the public function `other` is taken.
    """
    import docstring_parser

    function = pkgutil.resolve_name(import_path)
    docstring = docstring_parser.parse(
        inspect.getdoc(function) or "", docstring_parser.DocstringStyle.NUMPYDOC
    )
    helps = {}
    for entry in docstring.params:
        for name in entry.arg_name.replace(" ", "").split(","):  # several share a description
            helps[name] = entry.description or ""
    described = {}
    for name, annotation, default in _with_defaults(function):
        text = helps.get(name, "")
        reference = _REFERENCE.match(text)
        if reference:
            text = parameters(reference[1])[name].help
        if not isinstance(annotation, str):
            annotation = inspect.formatannotation(annotation)
        described[name] = Parameter(annotation, default, first_paragraph(text))
    return described


def _with_defaults(function: Any) -> Iterable[tuple[str, Any, Any]]:  # noqa: ANN401 - any callable
    """Yield name, annotation and default of parameters; a class has attributes as parameters."""
    if hasattr(function, "_field_defaults"):  # a NamedTuple, whose annotations are not texts
        for name, default in function._field_defaults.items():
            annotation = function.__annotations__[name]
            yield name, getattr(annotation, "__forward_arg__", annotation), default
        return
    if isinstance(function, type) and not dataclasses.is_dataclass(function):
        for name, annotation in function.__annotations__.items():
            if hasattr(function, name):
                yield name, annotation, getattr(function, name)
        return
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is not parameter.empty:
            annotation = parameter.annotation
            if annotation is parameter.empty:
                annotation = "str"
            yield parameter.name, annotation, parameter.default


def summarise(import_path: str) -> str:
    """Return the first sentence of the help of a verb, or of its module; empty if it is broken."""
    try:
        verb = pkgutil.resolve_name(import_path)
    except Exception:  # calling the verb of a broken package gives its error
        return ""
    text = first_paragraph(getattr(verb, "help", None) or inspect.getdoc(verb) or "")
    sentence = _SENTENCE.match(text)
    return sentence[0] if sentence else text

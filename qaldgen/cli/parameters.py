"""What public functions take: name, type, default and help of each parameter.

``data/options.json`` of the command line and of each plug-in has them for their verbs, so that help
imports nothing heavy and works without source files. ``make options`` writes these files from the
signatures and their numpydoc Parameters. Functions of other packages are looked at when a verb
needs them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import pkgutil
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint
from typing import Any, NamedTuple

from qaldgen import options as kinds
from qaldgen.cli.listed_tables import first_paragraph

_FILE = "data/options.json"
_PLUGINS = "qaldgen.plugins."
#: A sentence ends where another begins: "e.g. a file" goes on.
_SENTENCE = re.compile(r".+?[.!?](?= +[^a-z])")
#: A description that refers to the same parameter of another public function.
_ELSEWHERE = re.compile(r"See `(\w+)`\.?")
#: The names of parameters on the command line where they are others, with a short flag first.
CALLED = {
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
PLAIN: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}


class Parameter(NamedTuple):
    """A parameter of a public function."""

    annotation: str
    default: Any
    help: str  #: the first paragraph of its description


def import_path_of(function: str) -> str:
    """Return ``module:function`` of a public name; such a path stays as it is."""
    if ":" in function:
        return function
    return f"qaldgen:{function}"


def parameters(function: str) -> Mapping[str, Parameter]:
    """Return the parameters with a default of a function, or of a class, by name.

    `function` is a public name or ``module:function``.
    """
    import_path = import_path_of(function)
    functions: Mapping[str, Mapping[str, Parameter]] = _written(_owner(import_path))["functions"]
    if import_path in functions:
        return functions[import_path]
    return described(import_path)


def usual_flag(parameter: str) -> str:
    """Return the flag that verbs have for a parameter; empty if no verb has one."""
    functions = _written("qaldgen.cli")["functions"].values()
    annotations = [entries[parameter].annotation for entries in functions if parameter in entries]
    if not any(can_be_said(annotation) for annotation in annotations):
        return ""
    name = CALLED.get(parameter, parameter).split("/")[-1]
    return f"--{name.replace('_', '-')}"


def can_be_said(annotation: str) -> bool:
    """Return whether text on a command line can be a value of a type."""
    first = re.split(r"[ |\[\]]", annotation.removeprefix("Sequence["))[0]
    texts = {*PLAIN, "Annotated", "Path", "Literal", "AnyGold", "QuestionSet"}
    return first in texts or hasattr(kinds, first)


def summary(import_path: str) -> str:
    """Return the first sentence about a verb, ``module:function``; empty if it cannot be loaded."""
    summaries: Mapping[str, str] = _written(_owner(import_path))["verbs"]
    if import_path in summaries:
        return summaries[import_path]
    return summarised(import_path)


def _owner(import_path: str) -> str:
    """Return the package whose file describes a function."""
    if import_path.startswith(_PLUGINS):
        return _PLUGINS + re.split(r"[.:]", import_path.removeprefix(_PLUGINS))[0]
    return "qaldgen.cli"


@functools.cache
def _written(package: str) -> dict[str, Any]:
    """Read the file of a package; without a file, nothing is known of its functions and verbs."""
    try:
        content = pkgutil.get_data(package, _FILE)
    except OSError:
        content = None
    if content is None:
        return {"functions": {}, "verbs": {}}
    read = json.loads(content)
    functions: dict[str, dict[str, Parameter]] = {}
    for import_path, entries in read["functions"].items():
        functions[import_path] = {}
        for name, (annotation, default, text) in entries.items():
            if isinstance(default, list):
                default = tuple(default)
            functions[import_path][name] = Parameter(annotation, default, text)
    return {"functions": functions, "verbs": read["verbs"]}


@functools.cache
def described(import_path: str) -> dict[str, Parameter]:
    """Return the parameters of a function by its signature and its docstring.

    Where the description is "See `other`.", it is that of the public function `other`.
    """
    import docstring_parser

    function = EntryPoint("", import_path, "").load()
    docstring = docstring_parser.parse(
        inspect.getdoc(function) or "", docstring_parser.DocstringStyle.NUMPYDOC
    )
    helps = {}
    for entry in docstring.params:
        for name in entry.arg_name.replace(" ", "").split(","):  # several share a description
            helps[name] = entry.description or ""
    described_parameters = {}
    for name, annotation, default in _with_defaults(function):
        text = helps.get(name, "")
        if elsewhere := _ELSEWHERE.match(text):
            text = parameters(elsewhere[1])[name].help
        if not isinstance(annotation, str):  # a module without `from __future__ import annotations`
            annotation = inspect.formatannotation(annotation)
        described_parameters[name] = Parameter(annotation, default, first_paragraph(text))
    return described_parameters


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


def summarised(import_path: str) -> str:
    """Return the first sentence of the help of a verb, or of its module; empty if it is broken."""
    try:
        verb = EntryPoint("", import_path, "").load()
    except Exception:  # calling the verb of a broken package gives its error
        return ""
    text = first_paragraph(getattr(verb, "help", None) or inspect.getdoc(verb) or "")
    sentence = _SENTENCE.match(text)
    return sentence[0] if sentence else text

"""Describe the parameters of functions by their signatures and numpydoc sections."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import pkgutil
import re
from collections.abc import Iterable
from typing import Any

from qaldgen.cli.listed_tables import first_paragraph

#: A sentence ends where another begins: "e.g. a file" goes on.
_SENTENCE = re.compile(r".+?[.!?](?= +[^a-z])")
#: A description that refers to the same parameter of another public function.
_REFERENCE = re.compile(r"See `(\w+)`\.?")


@functools.cache
def describe_parameters(import_path: str) -> dict[str, tuple[str, Any, str]]:
    """Return annotation, default and help of each parameter of a function.

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
            _, _, text = describe_parameters(f"qaldgen:{reference[1]}")[name]
        if not isinstance(annotation, str):
            annotation = inspect.formatannotation(annotation)
        described[name] = (annotation, default, first_paragraph(text))
    return described


def _with_defaults(function: Any) -> Iterable[tuple[str, Any, Any]]:  # noqa: ANN401 - any callable
    """Yield name, annotation and default of parameters; a class has attributes as parameters."""
    # a class of options that only the command line has, such as `ScoreOptions`
    if isinstance(function, type) and not dataclasses.is_dataclass(function):
        for name, annotation in function.__annotations__.items():
            if hasattr(function, name):
                yield name, annotation, getattr(function, name)
        return
    # a function, or a dataclass, whose constructor has its fields as parameters
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

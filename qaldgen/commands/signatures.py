"""Options from the signatures of public functions: each is declared there, and nowhere else.

Name, type and default come from the signature, the help from its numpydoc Parameters. They are read
from the source, so that help imports nothing heavy, and works without docstrings (python -OO).
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar, get_args

import click
import docstring_parser

from qaldgen import options as kinds
from qaldgen.commands.groups import headed
from qaldgen.commands.summaries import source_of
from qaldgen.commands.verb import FiniteRange, listed_option

Command = TypeVar("Command", bound=Callable[..., Any])
#: Parameters that the command line calls otherwise, as it always has.
_CALLED = {"language": "lang", "random_state": "seed", "n_resamples": "repeats"}


class Parameter(NamedTuple):
    """A parameter of a public function, as its source declares it."""

    name: str
    annotation: str
    default: Any
    help: str


@functools.cache
def parameters(function: str) -> Mapping[str, Parameter]:
    """Return the keyword parameters of ``module:function`` by name."""
    module, _, name = function.partition(":")
    tree = ast.parse(source_of(module).read_text(encoding="utf-8"))
    node = next(one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == name)
    told = docstring_parser.parse(
        ast.get_docstring(node) or "", docstring_parser.DocstringStyle.NUMPYDOC
    )
    help_of = {
        own: (one.description or "")
        for one in told.params
        for own in one.arg_name.replace(" ", "").split(",")
    }
    return {
        arg.arg: Parameter(
            arg.arg,
            ast.unparse(arg.annotation) if arg.annotation is not None else "str",
            ast.literal_eval(default),
            help_of.get(arg.arg, ""),
        )
        for arg, default in _with_defaults(node.args)
    }


def _with_defaults(args: ast.arguments) -> list[tuple[ast.arg, ast.expr]]:
    positional = [*args.posonlyargs, *args.args]
    pairs = [
        *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    return [(arg, default) for arg, default in pairs if default is not None]


def options_of(
    function: str, *names: str, short: Mapping[str, str] | None = None, section: str = ""
) -> Callable[[Command], Command]:
    """Add options for parameters of ``module:function``; the command gets them as keywords.

    Parameters
    ----------
    function
        Where they are declared.
    *names
        Which parameters, in the order of the help.
    short
        Short flags by parameter.
    section
        The heading in the help.
    """

    def add(command: Command) -> Command:
        for name in reversed(names):
            made = _option(parameters(function)[name], (short or {}).get(name))
            headed(section, made)(command)
        return command

    return add


def _option(parameter: Parameter, short: str | None) -> Callable[[Any], Any]:
    kind, limits, many = _kind(parameter.annotation)
    called = _CALLED.get(parameter.name, parameter.name)
    flags = [short] if short else []
    if len(called) > 1:
        flags.append(f"--{called.replace('_', '-')}")
    elif not short:
        flags.append(f"-{called}")
    said: dict[str, Any] = {
        "default": parameter.default,
        "show_default": parameter.default is not False and parameter.default not in (None, "", ()),
        "help": _plain(parameter.help),
    }
    if kind is bool:
        return click.option(*flags, parameter.name, is_flag=True, **said)
    if isinstance(limits, kinds.OneOf):
        return listed_option(*flags, parameter.name, table=limits.table, **said)
    return click.option(
        *flags,
        parameter.name,
        type=_click_type(kind, limits),
        multiple=many,
        metavar="TEXT" if kind is str else "N",
        **said,
    )


def _kind(annotation: str) -> tuple[type, object, bool]:
    """Return the type of a value, its limits, and whether an option may be repeated."""
    words = [word.strip() for word in annotation.split("|") if word.strip() != "None"]
    many = any(word.startswith(("Sequence[", "tuple[")) for word in words)
    named = getattr(kinds, words[0], None)
    if named is not None:
        kind, *limits = get_args(named)
        return kind, limits[0], many
    return {"bool": bool, "int": int, "float": float}.get(words[0], str), None, many


def _click_type(kind: type, limits: object) -> click.ParamType[Any]:
    low, high, is_open = limits if isinstance(limits, kinds.Range) else (None, None, False)
    if kind is int:
        least, most = (None if end is None else int(end) for end in (low, high))
        return click.IntRange(least, most)
    if kind is float:
        return FiniteRange(low, high, min_open=is_open, max_open=is_open and high is not None)
    return click.STRING


def _plain(text: str) -> str:
    """Return help without the markup of docstrings: its first paragraph."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.sub(r"`+", "", paragraph)

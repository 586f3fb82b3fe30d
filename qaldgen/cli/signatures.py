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
from qaldgen.cli.groups import headed
from qaldgen.cli.summaries import source_of
from qaldgen.cli.verb import FiniteRange, listed_option
from qaldgen.io.lazy import public_modules

Command = TypeVar("Command", bound=Callable[..., Any])
#: Parameters that the command line calls otherwise, as it always has.
_CALLED = {"language": "lang", "random_state": "seed", "n_resamples": "repeats"}
#: A description that is the one of another public function.
_ELSEWHERE = re.compile(r"See `(\w+)`\.?")


class Parameter(NamedTuple):
    """A parameter of a public function, as its source declares it."""

    name: str
    annotation: str
    source: ast.expr
    module: str
    help: str

    @property
    def default(self) -> Any:  # noqa: ANN401 - any default
        """The default; refuses what is neither a literal nor a constant."""
        return _value(self.source, self.module)


@functools.cache
def parameters(function: str) -> Mapping[str, Parameter]:
    """Return the parameters with a default of ``module:function``, or of a dataclass, by name.

    Where the description is "See `other`.", it is that of the public function `other`.
    """
    module, _, name = function.partition(":")
    node = next(
        node
        for node in _tree(module).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
    )
    described = docstring_parser.parse(
        ast.get_docstring(node) or "", docstring_parser.DocstringStyle.NUMPYDOC
    )
    help_of = {
        name: (entry.description or "")
        for entry in described.params
        for name in entry.arg_name.replace(" ", "").split(",")
    }
    return {
        name: Parameter(
            name,
            ast.unparse(annotation) if annotation is not None else "str",
            default,
            module,
            _help(name, help_of.get(name, "")),
        )
        for name, annotation, default in _with_defaults(node)
    }


def _help(name: str, text: str) -> str:
    elsewhere = _ELSEWHERE.match(text)
    if elsewhere is None:
        return text
    public = elsewhere[1]
    return parameters(f"{public_modules('qaldgen')[public]}:{public}")[name].help


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(source_of(module).read_text(encoding="utf-8"))


def _value(node: ast.expr, module: str) -> Any:  # noqa: ANN401 - any default
    """Return a default: a literal, or a constant by name, also of another module."""
    if not isinstance(node, ast.Name):
        return ast.literal_eval(node)
    for line in _tree(module).body:
        if isinstance(line, ast.ImportFrom) and line.module:
            for alias in line.names:
                if (alias.asname or alias.name) == node.id:
                    return _value(ast.Name(alias.name), line.module)
        if isinstance(line, ast.Assign) and line.targets:
            target, value = line.targets[0], line.value
        elif isinstance(line, ast.AnnAssign) and line.value is not None:
            target, value = line.target, line.value
        else:
            continue
        if isinstance(target, ast.Name) and target.id == node.id:
            return _value(value, module)
    raise LookupError(f"{module} has no constant {node.id}")


def _with_defaults(
    node: ast.FunctionDef | ast.ClassDef,
) -> list[tuple[str, ast.expr | None, ast.expr]]:
    """Return name, annotation and default of parameters; those of a dataclass are its fields."""
    if isinstance(node, ast.ClassDef):
        return [
            (ast.unparse(line.target), line.annotation, line.value)
            for line in node.body
            if isinstance(line, ast.AnnAssign) and line.value is not None
        ]
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [
        *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    return [(arg.arg, arg.annotation, default) for arg, default in pairs if default is not None]


def options_of(
    function: str,
    *names: str,
    short: Mapping[str, str] | None = None,
    called: Mapping[str, str] | None = None,
    section: str = "",
) -> Callable[[Command], Command]:
    """Add options for parameters of ``module:function``; the command gets them as keywords."""

    def add(command: Command) -> Command:
        for name in reversed(names):
            long = (called or {}).get(name) or _CALLED.get(name, name)
            made = _option(parameters(function)[name], (short or {}).get(name), long)
            headed(section, made)(command)
        return command

    return add


def _option(parameter: Parameter, short: str | None, long: str) -> Callable[[Any], Any]:
    kind, limits, many, metavar = _kind(parameter.annotation)
    flags = [short] if short else []
    if len(long) > 1:
        flags.append(f"--{long.strip('-').replace('_', '-')}")
    elif not short:
        flags.append(f"-{long}")
    said: dict[str, Any] = {
        "default": parameter.default,
        "show_default": parameter.default is not False and parameter.default not in (None, "", ()),
        "help": _plain(parameter.help) + (" Repeatable." if many else ""),
    }
    if kind is bool:
        return click.option(*flags, parameter.name, is_flag=True, **said)
    if isinstance(limits, tuple) and kind is tuple:
        return click.option(*flags, parameter.name, type=click.Choice(limits), **said)
    if isinstance(limits, kinds.OneOf):
        return listed_option(
            *flags, parameter.name, table=limits.table, only=limits.only, multiple=many, **said
        )
    if kind is dict:
        said["callback"] = _pairs
    return click.option(
        *flags,
        parameter.name,
        type=_click_type(kind, limits),
        multiple=many,
        metavar=metavar,
        **said,
    )


def _kind(annotation: str) -> tuple[type, object, bool, str]:
    """Return the type of a value, its limits, whether it may be repeated, and what it is called."""
    if annotation.startswith("Literal["):
        values = annotation.removesuffix(" | None").removeprefix("Literal")
        return tuple, tuple(ast.literal_eval(values)), False, ""
    words = [word.strip() for word in annotation.split("|") if word.strip() != "None"]
    many = any(word.startswith(("Sequence[", "tuple[")) for word in words)
    words = [word.removeprefix("Sequence[").removesuffix("]") for word in words]
    if named := get_args(getattr(kinds, words[0], None)):
        kind, limits, *_ = named
        return kind, limits, many, getattr(limits, "metavar", "N")
    if "Path" in words:
        return str, None, many, "FILE"
    if any(word.startswith("Mapping[") for word in words):
        return dict, None, True, "NAME=VALUE"
    kind = {"bool": bool, "int": int, "float": float}.get(words[0], str)
    return kind, None, many, "TEXT" if kind is str else "N"


def _click_type(kind: type, limits: object) -> click.ParamType[Any]:
    low, high, is_open, _ = limits if isinstance(limits, kinds.Range) else kinds.Range()
    if kind is int:
        least, most = (None if end is None else int(end) for end in (low, high))
        return click.IntRange(least, most)
    if kind is float:
        return FiniteRange(low, high, min_open=is_open, max_open=is_open and high is not None)
    return click.STRING


def _pairs(
    ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str] | None:
    """Return NAME=VALUE texts as a mapping; None if there are none."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", ctx, param)
        pairs[name] = value
    return pairs or None


def _plain(text: str) -> str:
    """Return help without the markup of docstrings: its first paragraph."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.sub(r"`+", "", paragraph)

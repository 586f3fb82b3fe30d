"""Options from the signatures of public functions: each is declared there, and nowhere else.

Name, type and default come from the signature, the help from its numpydoc Parameters. They are read
from the source, so that help imports nothing heavy, and works without docstrings (python -OO).
"""

from __future__ import annotations

import ast
import functools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin

import click

from qaldgen import options as kinds
from qaldgen.cli.tables import first_paragraph
from qaldgen.cli.verb import (
    CONTINUED,
    FILE,
    NAMED,
    QUESTIONS,
    WRITTEN,
    Command,
    DeclaredOption,
    listed_option,
    number_type,
    place_of,
)

#: Parameters that the command line calls otherwise, and those with a short flag.
_CALLED = {
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
    "query": "q/query",
    "random_state": "seed",
    "scaling": "scale",
    "separator": "split-answers",
    "size": "n/size",
    "sizes": "n/size",
    "superclass_predicates": "superclass-predicate",
    "type_predicates": "type-predicate",
}
_PLAIN: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
_OPERATORS = {ast.Mult: operator.mul, ast.Pow: operator.pow}
#: A sentence ends where another begins: "e.g. a file" goes on.
_SENTENCE = re.compile(r".+?[.!?](?= +[^a-z])")
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
    """Return the parameters with a default of a function, or of a dataclass, by name.

    `function` is a public name or ``module:function``. Where the description is "See `other`.", it
    is that of the public function `other`.
    """
    import docstring_parser

    module, node = _definition(*place_of(function).split(":"))
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


def _definition(module: str, path: str) -> tuple[str, Any]:
    """Return the module and the node of a function, class or method, also of what is imported."""
    name, _, inner = path.partition(".")
    body = _tree(module, name).body
    # public names are imported for type checkers, and on use
    for node in [
        *body,
        *(line for block in body if isinstance(block, ast.If) for line in block.body),
    ]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            methods = (part for part in node.body if inner and getattr(part, "name", "") == inner)
            return module, next(methods, node)
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _definition(node.module, ".".join([alias.name, *path.split(".")[1:]]))
    raise LookupError(f"{module} has no {path}")


def _help(name: str, text: str) -> str:
    elsewhere = _ELSEWHERE.match(text)
    if elsewhere is None:
        return text
    return parameters(elsewhere[1])[name].help


@functools.cache
def _tree(module: str, name: str = "") -> ast.Module:
    """Parse the definition of a name; where it is not defined by itself, what may import it."""
    source = _source(module)
    start = rf"^(?:(?:def|class) {name}\b|{name}(?::[^=\n]*)? = )"
    # it goes on until a line begins that is neither indented nor the end of its brackets
    defined = re.search(rf"{start}.*?(?=^[^\s)\]}}]|\Z)", source, re.DOTALL | re.MULTILINE)
    if name and defined:
        with suppress(SyntaxError):  # a string with such a line in it
            return ast.parse(defined[0])
    head = _imports(module)
    return head if name and repr(name) in ast.dump(head) else ast.parse(source)


@functools.cache
def _imports(module: str) -> ast.Module:
    """Parse a module up to its first function or class."""
    return ast.parse(re.split(r"^(?:@|def |class )", _source(module), maxsplit=1, flags=re.M)[0])


@functools.cache
def _source(module: str) -> str:
    return source_of(module).read_text(encoding="utf-8")


def _value(node: ast.expr, module: str) -> Any:  # noqa: ANN401 - any default
    """Return a default: a literal, or a constant by name, also of another module."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, module), _value(node.right, module))
    if not isinstance(node, ast.Name):
        return ast.literal_eval(node)
    for line in _tree(module, node.id).body:
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
    function: str, *names: str, called: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options for parameters of a public function, or of ``module:function``.

    Without names, for all that no option below is for, and whose values a command line can say.
    `called` gives them other names than `_CALLED`; `verb.Call.of` returns their values for a call.
    """

    def flags_of(name: str) -> list[str]:
        return ((called or {}).get(name) or _CALLED.get(name, name)).split("/")

    def add(command: Command) -> Command:
        below = {param.name for param in getattr(command, "__click_params__", ())}
        wanted = names or [
            name
            for name, parameter in parameters(function).items()
            if flags_of(name)[-1].replace("-", "_") not in below
            if _can_be_said(parameter.annotation)
        ]
        for name in reversed(wanted):
            _option(parameters(function)[name], flags_of(name))(command)
            made = command.__click_params__[-1]  # type: ignore[attr-defined]
            made.function, made.parameter = function, name
        return command

    return add


def type_of(function: str, parameter: str) -> type:
    """Return the type of the values of a parameter."""
    kind, limits, *_ = _kind(parameters(function)[parameter].annotation)
    return Path if limits is FILE else kind


def _option(parameter: Parameter, names: Sequence[str]) -> Callable[[Any], Any]:
    kind, limits, many, metavar = _kind(parameter.annotation)
    flags = [
        name if name[0] == "-" else f"{'-' * min(len(name), 2)}{name.replace('_', '-')}"
        for name in names
    ]
    default = parameter.default
    said: dict[str, Any] = {
        "cls": DeclaredOption,
        "default": default,
        "show_default": default is not False and default not in (None, "", ()),
        "help": first_paragraph(parameter.help).replace("`", "") + (" Repeatable." if many else ""),
    }
    if kind is bool:
        off = f"/--no-{names[-1]}" if default is True else ""
        return click.option(*flags[:-1], f"{flags[-1]}{off}", is_flag=True, **said)
    if kind is tuple and isinstance(limits, tuple):
        return click.option(*flags, type=click.Choice(limits), **said)
    if isinstance(limits, kinds.OneOf):
        return listed_option(*flags, **limits._asdict(), multiple=many, **said)
    if kind is dict:
        said["callback"] = _pairs
    if limits is kinds.MEGABYTES:
        said |= {"default": default / 2**20, "callback": _bytes}
    if isinstance(limits, kinds.Escaped):
        said["callback"] = _unescaped
    return click.option(
        *flags, type=_click_type(kind, limits), multiple=many, metavar=metavar, **said
    )


def _kind(annotation: str) -> tuple[type, object, bool, str]:
    """Return the type of a value, its limits, whether it may be repeated, and what it is called."""
    if annotation.startswith("Literal["):
        values = annotation.removesuffix(" | None").removeprefix("Literal")
        return tuple, tuple(ast.literal_eval(values)), False, ""
    if "Annotated[" in annotation:
        many = annotation.startswith("Sequence[")
        base, said = _annotated(annotation[len("Sequence[") : -1] if many else annotation)
        return base, said, many, getattr(said, "metavar", "N")
    words = [word.strip() for word in annotation.split("|") if word.strip() != "None"]
    many = any(word.startswith(("Sequence[", "tuple[")) for word in words)
    words = [word.removeprefix("Sequence[").removesuffix("]") for word in words]
    if named := get_args(declared := getattr(kinds, words[0], None)):
        if get_origin(declared) is Literal:
            return tuple, named, many, ""
        kind, limits, *_ = named
        return kind, limits, many, getattr(limits, "metavar", "N")
    if "AnyGold" in words or "QuestionSet" in words:
        return str, QUESTIONS, many, "FILE"
    if "Path" in words:
        return str, FILE, many, "FILE"
    if any(word.startswith("Mapping[") for word in words):
        return dict, None, True, "NAME=VALUE"
    kind = _PLAIN.get(words[0], str)
    return kind, None, many, "TEXT" if kind is str else "N"


def _annotated(annotation: str) -> tuple[type, object]:
    """Return the type and the limits of ``Annotated[int, Range(20)]``."""
    kind = cast("Any", ast.parse(annotation.removesuffix(" | None"), mode="eval").body)
    base, said = kind.slice.elts
    given = {one.arg: ast.literal_eval(one.value) for one in said.keywords}
    limits = getattr(kinds, said.func.id)(*map(ast.literal_eval, said.args), **given)
    return _PLAIN[base.id], limits


def _can_be_said(annotation: str) -> bool:
    """Tell whether text on a command line can be a value of a type."""
    first = re.split(r"[ |\[\]]", annotation.removeprefix("Sequence["))[0]
    texts = {*_PLAIN, "Annotated", "Path", "Literal", "AnyGold", "QuestionSet"}
    return first in texts or hasattr(kinds, first)


def _click_type(kind: type, limits: object) -> click.ParamType[Any]:
    if isinstance(limits, kinds.Continued):
        return CONTINUED
    if isinstance(limits, kinds.FileOrName):
        return NAMED
    if isinstance(limits, kinds.Output):
        return WRITTEN
    if isinstance(limits, click.ParamType):
        return limits
    low, high, is_open, _ = limits if isinstance(limits, kinds.Range) else kinds.Range()
    if limits is kinds.MEGABYTES:
        return number_type(float, low, high, min_open=True, max_open=False)
    max_open = is_open and high is not None
    return number_type(kind, low, high, min_open=is_open, max_open=max_open)


def _bytes(ctx: click.Context, param: click.Parameter, megabytes: float) -> int:
    return max(1, int(megabytes * 2**20))


def _unescaped(ctx: click.Context, param: click.Parameter, text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t")


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


def summary(point: EntryPoint) -> str:
    """Return the first sentence of the docstring of what an entry point names; empty if none."""
    if not source_of(point.module).is_file():  # a package that is broken is told when it is used
        return ""
    body = _tree(point.module, point.attr).body
    functions = (node for node in body if isinstance(node, ast.FunctionDef))
    node = next((node for node in functions if node.name == point.attr), None)
    text = first_paragraph(ast.get_docstring(node or _tree(point.module)) or "")
    sentence = _SENTENCE.match(text)
    return sentence[0] if sentence else text


def source_of(module: str) -> Path:
    """Return the file of a module without importing it or the packages above it."""
    top, *rest = module.split(".")
    spec = find_spec(top)
    folders = (spec.submodule_search_locations if spec is not None else None) or [""]
    path = Path(folders[0], *rest)
    if spec is not None and spec.origin is not None and not rest:
        return Path(spec.origin)
    package = path / "__init__.py"  # a folder alone may be what an older version left
    return package if package.is_file() else path.with_suffix(".py")

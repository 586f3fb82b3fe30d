"""Options from the signatures of public functions: each is declared there, and nowhere else.

Name, type, default and help are those of `qaldgen.cli.parameters`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin

import click

from qaldgen import options as kinds
from qaldgen.cli.parameters import CALLED, PLAIN, Parameter, can_be_said, parameters
from qaldgen.cli.verb import (
    CONTINUED,
    FILE,
    NAMED,
    QUESTIONS,
    RUN,
    WRITTEN,
    Command,
    DeclaredOption,
    listed_option,
    number_type,
)


def options_of(
    function: str, *names: str, called: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Add options for parameters of a public function, or of ``module:function``.

    Without names, options for all parameters whose values a command line can hold, except those for
    which a decorator below this one has an option. `called` gives parameters other names than
    `CALLED`; `verb.Call.of` returns the values of these options for a call.
    """

    def flags_of(name: str) -> list[str]:
        return ((called or {}).get(name) or CALLED.get(name, name)).split("/")

    def add(command: Command) -> Command:
        below = {param.name for param in getattr(command, "__click_params__", ())}
        declared = parameters(function)
        option_names = names or [
            name
            for name, parameter in declared.items()
            if flags_of(name)[-1].replace("-", "_") not in below
            if can_be_said(parameter.annotation)
        ]
        for name in reversed(option_names):
            if name not in declared:
                raise LookupError(
                    f"{function} has no parameter {name!r}; run 'make options' after a change of"
                    " its signature"
                )
            _option(declared[name], flags_of(name))(command)
            option = command.__click_params__[-1]  # type: ignore[attr-defined]
            option.function, option.parameter = function, name
        return command

    return add


def type_of(function: str, parameter: str) -> type:
    """Return the type of the values of a parameter."""
    return _kind(parameters(function)[parameter].annotation).python_type


def _option(parameter: Parameter, names: Sequence[str]) -> Callable[[Any], Any]:
    kind = _kind(parameter.annotation)
    flags = [_flag(name) for name in names]
    default = parameter.default
    words = parameter.help.replace("`", "")
    if kind.repeatable:
        words += " Repeatable."
    return kind.option(
        flags,
        cls=DeclaredOption,
        default=default,
        show_default=default is not False and default not in (None, "", ()),
        help=words,
    )


def _flag(name: str) -> str:
    """Return the flag for a name: short for a letter; a name with a hyphen before it is one."""
    if name[0] == "-":
        return name
    if len(name) == 1:
        return f"-{name}"
    return f"--{name.replace('_', '-')}"


class _Switch(NamedTuple):
    """True or false, without a value on the command line."""

    python_type: type = bool
    repeatable: bool = False

    def option(self, flags: Sequence[str], **attributes: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - click's
        """Return the option; one that is on by default can be switched off."""
        *short, flag = flags
        if attributes["default"] is True:
            flag = f"{flag}/--no-{flag.removeprefix('--')}"
        return click.option(*short, flag, is_flag=True, **attributes)


class _Choice(NamedTuple):
    """One of a few texts."""

    texts: tuple[str, ...]
    python_type: type = str
    repeatable: bool = False

    def option(self, flags: Sequence[str], **attributes: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - click's
        """Return the option."""
        return click.option(*flags, type=click.Choice(self.texts), **attributes)


class _Row(NamedTuple):
    """The name of a row of a table."""

    table: kinds.OneOf
    repeatable: bool
    python_type: type = str

    def option(self, flags: Sequence[str], **attributes: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - click's
        """Return the option."""
        return listed_option(*flags, **self.table._asdict(), multiple=self.repeatable, **attributes)


class _Values(NamedTuple):
    """Texts, numbers, names of files, or pairs."""

    python_type: type
    click_type: click.ParamType[Any]
    repeatable: bool
    metavar: str
    callback: Callable[..., Any] | None = None  # turns what click read into the value

    def option(self, flags: Sequence[str], **attributes: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - click's
        """Return the option."""
        return click.option(
            *flags,
            type=self.click_type,
            multiple=self.repeatable,
            metavar=self.metavar,
            callback=self.callback,
            **attributes,
        )


class _Megabytes(NamedTuple):
    """Bytes, which the command line takes in megabytes."""

    limits: kinds.Range
    repeatable: bool = False
    python_type: type = int

    def option(
        self,
        flags: Sequence[str],
        *,
        default: int,
        **attributes: Any,  # noqa: ANN401 - click's
    ) -> Callable[[Any], Any]:
        """Return the option."""
        low, high, _, metavar = self.limits
        megabytes = number_type(float, low, high, min_open=True, max_open=False)
        return click.option(
            *flags,
            type=megabytes,
            metavar=metavar,
            default=default / 2**20,
            callback=lambda ctx, param, value: max(1, int(value * 2**20)),
            **attributes,
        )


def _kind(annotation: str) -> _Switch | _Choice | _Row | _Values | _Megabytes:
    """Return the kind of the values of a parameter, by its annotation."""
    if annotation.startswith("Literal["):
        texts = annotation.removesuffix(" | None").removeprefix("Literal")
        return _Choice(tuple(ast.literal_eval(texts)))
    if "Annotated[" in annotation:
        repeatable = annotation.startswith("Sequence[")
        # such as Annotated[int, Range(20)]
        text = annotation.removesuffix(" | None")
        if repeatable:
            text = annotation[len("Sequence[") : -1]
        base, limit = cast("Any", ast.parse(text, mode="eval").body).slice.elts
        keywords = {keyword.arg: ast.literal_eval(keyword.value) for keyword in limit.keywords}
        limits = getattr(kinds, limit.func.id)(*map(ast.literal_eval, limit.args), **keywords)
        return _limited(PLAIN[base.id], limits, repeatable)
    words = [word.strip() for word in annotation.split("|") if word.strip() != "None"]
    repeatable = any(word.startswith(("Sequence[", "tuple[")) for word in words)
    words = [word.removeprefix("Sequence[").removesuffix("]") for word in words]
    declared = getattr(kinds, words[0], None)
    if get_origin(declared) is Literal:
        return _Choice(get_args(declared))
    if get_args(declared):
        base, limits, *_ = get_args(declared)
        return _limited(base, limits, repeatable)
    if "AnyGold" in words or "QuestionSet" in words:
        return _Values(str, QUESTIONS, repeatable, "FILE")
    if "Path" in words:
        return _Values(Path, FILE, repeatable, "FILE")
    if any(word.startswith("Mapping[") for word in words):
        return _Values(dict, click.STRING, repeatable=True, metavar="NAME=VALUE", callback=_pairs)
    plain = PLAIN.get(words[0], str)
    if plain is bool:
        return _Switch()
    if plain is str:
        return _Values(str, click.STRING, repeatable, "TEXT")
    return _limited(plain, kinds.Range(), repeatable)


#: The types of values that name a file.
_FILES: dict[type, click.ParamType[Any]] = {
    kinds.Continued: CONTINUED,
    kinds.FileOrName: NAMED,
    kinds.RunOrName: RUN,
    kinds.Output: WRITTEN,
}


def _limited(base: type, limits: Any, repeatable: bool) -> _Row | _Values | _Megabytes:  # noqa: ANN401 - a class of `options`
    """Return the kind of values that a class of `qaldgen.options` limits."""
    if isinstance(limits, kinds.OneOf):
        return _Row(limits, repeatable)
    if type(limits) in _FILES:
        return _Values(base, _FILES[type(limits)], repeatable, limits.metavar)
    if isinstance(limits, kinds.Escaped):
        return _Values(str, click.STRING, repeatable, limits.metavar, _unescaped)
    if not isinstance(limits, kinds.Range):
        return _Values(base, click.STRING, repeatable, limits.metavar)
    if limits is kinds.MEGABYTES:
        return _Megabytes(limits)
    max_open = limits.open and limits.high is not None
    numbers = number_type(base, limits.low, limits.high, min_open=limits.open, max_open=max_open)
    return _Values(base, numbers, repeatable, limits.metavar)


def _unescaped(ctx: click.Context, param: click.Parameter, text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t")


def _pairs(
    ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str] | None:
    """Return NAME=VALUE texts as a mapping; None if there are none."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", ctx, param)
        pairs[name] = value
    return pairs or None

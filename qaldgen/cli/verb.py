"""A verb of the command line: help on one screen, and the values of a call."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from qaldgen.cli.row_options import options_of_rows, parameter_of
from qaldgen.errors import QaldgenError

if TYPE_CHECKING:
    import pandas as pd

Command = TypeVar("Command", bound=Callable[..., Any])
#: The key of the context for whether help shows all options.
_SHOWS_ALL = "qaldgen.help_all"
#: The values of --format that name the content of the output.
_CONTENTS = {"text", "markdown", "latex", "csv", "json"}


class FileType(click.types.StringParamType):
    """A text that names a file, which `Call.check` checks by its use; see `options.FileName`."""

    def __init__(self, use: str) -> None:
        self.name = use


FILE = FileType("file")
RUN = FileType("run")
QUESTIONS = FileType("questions")
NAMED = FileType("name")
WRITTEN = FileType("written")
CONTINUED = FileType("continued")
FILE_TYPES = {
    file_type.name: file_type for file_type in (FILE, RUN, QUESTIONS, NAMED, WRITTEN, CONTINUED)
}


def _given_flags() -> list[tuple[str, str]]:
    """Return the name and flag of each option on this command line, without defaults."""
    context = click.get_current_context()
    flags = []
    for option in context.command.get_params(context):
        name = str(option.name)
        is_given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if is_given and isinstance(option, click.Option):
            flags.append((name, max(option.opts, key=len)))
    return flags


class Call:
    """The values of a command line: ``call.lang`` is the value of ``--lang``, default or given.

    A value that is read has an effect, unless `unused` says otherwise. So that no verb has to
    list its options, the call notes which ones are read.
    """

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - values of any type
        self._values = values
        self._has_effect: dict[str, bool] = {}  # by name, for options that were read or declared

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - values of any type
        if name not in self._values:
            raise AttributeError(name)
        self._has_effect.setdefault(name, True)
        return self._values[name]

    def replaced(self, **values: Any) -> Call:  # noqa: ANN401 - values of any type
        """Return the call with other values; what either of the two reads has an effect."""
        other = Call(**{**self._values, **values})
        other._has_effect = self._has_effect
        return other

    def of(self, function: str) -> dict[str, Any]:
        """Return the values of the options that `options_of` made of a function's parameters."""
        return {
            option.parameter: getattr(self, str(option.name))
            for option in click.get_current_context().command.params
            if isinstance(option, DeclaredOption) and option.function == function
        }

    def row_options(self, table: str) -> dict[str, Any]:
        """Return the options of the rows of a table that were given, by the name in the row."""
        given_options = {}
        for name in options_of_rows(table):
            value = self._values.get(parameter_of(name))
            if value not in (None, ()):
                self._has_effect.setdefault(parameter_of(name), True)
                given_options[name] = value
        return given_options

    def given(self, *names: str) -> str | None:
        """Return the flag of the first of some options that was given; None if none was."""
        for name, flag in _given_flags():
            if name in names:
                self._has_effect.setdefault(name, True)
                return flag
        return None

    def unused(self, *names: str) -> None:
        """Declare that options have no effect on this call, although they are read."""
        self._has_effect.update(dict.fromkeys(names, False))

    def unused_flags(self) -> list[str]:
        """Return the flags that were given and have no effect."""
        return [flag for name, flag in _given_flags() if not self._has_effect.get(name)]

    def check(
        self,
        *inputs: str | None,
        outputs: Sequence[str] | None = None,
        must_exist: Sequence[str | None] = (),
        table: bool = True,
    ) -> None:
        """Check the files of the call, and further `inputs`, before any work is done.

        With `table`, -o must have the suffix of a table in the format of the call.
        """
        from qaldgen.cli.output_files import check_ending, check_outputs
        from qaldgen.io.inputs import check_files
        from qaldgen.questions.fetching import find_source

        # the files by their use
        files: dict[FileType, list[str]] = {file_type: [] for file_type in FILE_TYPES.values()}
        for option in click.get_current_context().command.params:
            if isinstance(option.type, FileType):
                value: str | Sequence[str] = self._values[str(option.name)] or ()
                names = [value] if isinstance(value, str) else value
                files[option.type] += filter(None, names)

        all_inputs = [*files[QUESTIONS], *files[FILE], *files[RUN], *files[NAMED]]
        all_inputs += filter(None, inputs)
        outputs = files[WRITTEN] if outputs is None else outputs
        check_outputs(outputs, force=getattr(self, "force", False), inputs=all_inputs)
        content = getattr(self, "format", None)
        output = getattr(self, "output", None)
        if table and content in _CONTENTS and output is not None and output in outputs:
            check_ending(output, content, "choose the content with --format, or another name")
        for name in files[CONTINUED]:  # one that exists is resumed
            if name != "-":
                check_outputs([name], force=True, inputs=[*all_inputs, *outputs])

        for name in files[QUESTIONS]:
            find_source(name)
        # without an ending it may name a system whose answers are in the file of questions
        runs = [name for name in files[RUN] if PurePath(name).suffix or os.sep in name]
        check_files(*files[FILE], *runs, *must_exist)

    @property
    def for_programs(self) -> bool:
        """Whether programs read the table that --format selects."""
        from qaldgen.reports.tables.results import FOR_PROGRAMS

        return self.format in FOR_PROGRAMS

    def write(self, content: pd.DataFrame | str | bytes) -> None:
        """Write to the file of -o: a table in the format of the call, other content unchanged."""
        from qaldgen.cli.output_files import write_output

        if not isinstance(content, str | bytes):
            from qaldgen.reports.tables.results import dump_frame  # imports pandas

            content = dump_frame(content, self.format)
        write_output(self.output, content, force=self.force)


class DeclaredOption(click.Option):
    """An option that is declared as the parameter of a public function."""

    function = parameter = ""


class Verb(click.Command):
    """A command whose `--help` shows what most calls need, and `--help-all` everything.

    Its function gets the values of the command line as a `Call`.

    Parameters
    ----------
    *args, **attrs
        As for `click.Command`.
    brief
        The options that `--help` shows, separated by spaces; empty for all.
    rows
        For each option that takes the name of a row, ``module:TABLE``. Its rows have a field
        ``options``, which become options of the verb.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - what click takes
        brief: str = "",
        rows: Mapping[str, str] | None = None,
        **attrs: Any,  # noqa: ANN401 - what click takes
    ) -> None:
        super().__init__(*args, **attrs)
        self.brief = brief.split()
        self.rows = rows or {}

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - what click returns
        """Call the function, and print which options had no effect; errors name flags."""
        from qaldgen.cli.printing import print_notes, with_flags

        call = Call(**ctx.params)
        try:
            result = ctx.invoke(self.callback, call)  # type: ignore[arg-type]
        except QaldgenError as error:
            error.args = (with_flags(str(error)),)
            raise
        except SystemExit:
            print_notes(f"{flag} has no effect here" for flag in call.unused_flags())
            raise
        print_notes(f"{flag} has no effect here" for flag in call.unused_flags())
        return result

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; for help alone, the tables are not loaded."""
        if not {"-h", "--help"}.isdisjoint(args) and self.rows:
            ctx.meta[_SHOWS_ALL] = False
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the verb's parameters, and the options of rows that do not clash with them."""
        params = super().get_params(ctx)  # of which --help is the last
        flags = set[str]()
        for option in params:
            flags.update(option.opts, option.secondary_opts)

        rows = self.rows if ctx.meta.get(_SHOWS_ALL, True) else {}
        for name, table in rows.items():
            index = [option.name for option in params].index(name)
            title = getattr(params[index], "section", "")
            row_options = []
            for option in options_of_rows(table).values():
                # An option of a plug-in may clash with one of the verb; the verb's own wins.
                if flags.isdisjoint(option.opts):
                    flags.update(option.opts)
                    option.section = title  # type: ignore[attr-defined]
                    row_options.append(option)
            # Next to the parameter, where readers of the help look for them.
            params[index + 1 : index + 1] = row_options

        if self.brief or self.rows:
            params.insert(-1, _help_all())
        return params

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by section."""
        is_brief = not ctx.meta.get(_SHOWS_ALL) and bool(self.brief)
        sections: dict[str, list[tuple[str, str]]] = {}
        options = self.get_params(ctx)
        shown_names = [*self.brief, "help_all", options[-1].name]
        for option in options:
            record = option.get_help_record(ctx)
            if record is None or not isinstance(option, click.Option):
                continue
            in_brief = getattr(option, "in_brief", False)
            if not is_brief or in_brief or option.name in shown_names:
                title = "" if is_brief else getattr(option, "section", "")
                sections.setdefault(title or "Options", []).append(record)
        general = sections.pop("Options", [])  # few, and --help, which people look for first
        for title, records in {"Options": general, **sections}.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _help_all() -> click.Option:
    def show(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
        if is_given:
            ctx.meta[_SHOWS_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show,
        help="Show all options and exit.",
    )  # fmt: skip


#: As `click.command`.
verb = functools.partial(click.command, cls=Verb)


def add_options(command: object, decorators: Sequence[Callable[[Any], Any]]) -> list[Any]:
    """Apply decorators that add options, from the last to the first; return these options."""
    n_existing = len(getattr(command, "__click_params__", ()))
    for decorator in reversed(decorators):
        decorator(command)
    options: list[Any] = getattr(command, "__click_params__", [])
    return options[n_existing:]


def section(title: str, *decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Add options in this order; the help lists those without a heading under `title`."""

    def add(command: Command) -> Command:
        for option in add_options(command, decorators):
            if title and not getattr(option, "section", ""):
                option.section = title
        return command

    return add

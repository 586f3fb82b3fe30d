"""Options are made from signatures and their docs, and kept in files that `make options` writes."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import click
import pytest
from click.testing import CliRunner

from qaldgen.cli.inspection import describe_parameters
from qaldgen.cli.main import VERBS
from qaldgen.cli.parameters import parameters
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import DeclaredOption

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''
from __future__ import annotations

from dataclasses import dataclass

from qaldgen.scoring.missing import DEFAULT as ZERO

NAMES = ("a", "b")

def verb(
    data, *, size: PositiveInt = 3, missing: str = ZERO, names: Sequence[str] = NAMES,
    level: Share = 0.5, random_state: Seed = 0, families: Mapping[str, str] | None = None,
    others: str | Path | None = None, deep: bool = False, table: pd.Series[float] | None = None,
    quoted: Table | "Other" | None = None,
):
    """Do something.

    Parameters
    ----------
    size
        How many ``things``.

        More, which only the reference shows.
    missing
        Which count.
    names, level
        Both of them.
    random_state
        See `cluster`.
    """

@dataclass
class Limits:
    """The limits of a verb.

    Attributes
    ----------
    patience : float
        How long it waits.
    way : str
        How it goes.
    """

    patience: Seconds = 2.5
    way: Literal["up", "down"] | None = None
    key: Path | None = None
'''


@pytest.fixture
def function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "invented_verbs.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    describe_parameters.cache_clear()
    monkeypatch.delitem(sys.modules, "invented_verbs", raising=False)
    return "invented_verbs:verb"


def run(function: str, *args: str, **more: object) -> str:
    given = {}

    @click.command()
    @options_of(function, *parameters(function), **more)  # type: ignore[arg-type]
    def command(**options: object) -> None:
        given.update(options)

    result = CliRunner().invoke(command, args)
    return result.output if result.output else str(given)


def test_defaults_are_literals_or_constants_of_any_module(function: str) -> None:
    found = {name: entry.default for name, entry in parameters(function).items()}
    assert found["missing"] == "zero"
    assert found["names"] == ("a", "b")
    assert found["size"] == 3


def test_help_is_the_first_paragraph_without_markup_or_that_of_another_verb(function: str) -> None:
    text = " ".join(run(function, "--help").split())
    assert "--size N How many things. [default: 3; x>=1]" in text
    assert "only the reference" not in text
    assert "--seed" in text
    assert parameters(function)["random_state"].help == "Seed of all random choices."


def test_values_arrive_in_their_types(function: str) -> None:
    given = run(function, "--size", "5", "--family", "x=y", "--family", "z=w", "--deep")
    assert "'size': 5" in given
    assert "'family': {'x': 'y', 'z': 'w'}" in given
    assert "'deep': True" in given


def test_limits_are_those_of_the_annotation(function: str) -> None:
    assert "Invalid value for '--level'" in run(function, "--level", "1")
    assert "is not NAME=VALUE" in run(function, "--family", "x")


def test_values_that_are_no_texts_get_an_option_only_if_they_are_named(function: str) -> None:
    assert parameters(function)["table"].type is parameters(function)["quoted"].type is None
    assert "--table TEXT" in run(function, "--help")

    @click.command()
    @options_of(function)
    def command() -> None:
        pass

    names = [option.name for option in command.params]
    assert "deep" in names
    assert not {"table", "quoted"} & set(names)


def test_flags_can_have_another_name(function: str) -> None:
    text = run(function, "--help", called={"others": "known", "size": "n/size"})
    assert "--known FILE" in text
    assert "-n, --size" in text


def test_the_fields_of_a_dataclass_are_parameters(function: str) -> None:
    limits = function.replace(":verb", ":Limits")

    @click.command()
    @options_of(limits, "patience", "way", "key")
    def command(**options: object) -> None:
        click.echo(sorted(options.items()))

    text = " ".join(CliRunner().invoke(command, "--help").output.split())
    assert "--patience SECONDS How long it waits. [default: 2.5; x>0]" in text
    assert "--key FILE" in text
    given = CliRunner().invoke(command, ["--way", "down"]).output
    assert given == "[('key', None), ('patience', 2.5), ('way', 'down')]\n"
    assert "not one of 'up', 'down'" in CliRunner().invoke(command, ["--way", "on"]).output


def verbs() -> Iterator[tuple[str, click.Command]]:
    """Yield every verb with its name, those of groups too."""
    for name, verb in VERBS.items():
        if isinstance(verb, click.Group):
            yield from ((f"{name} {inner}", command) for inner, command in verb.commands.items())
        else:
            yield name, verb


def is_of_a_function(option: click.Parameter) -> TypeGuard[DeclaredOption]:
    """Tell whether an option is a parameter of a public function: the command line has others."""
    return isinstance(option, DeclaredOption) and not option.function.endswith("Options")


def test_no_option_of_a_verb_repeats_the_help_of_a_parameter() -> None:
    """What a verb says itself is of the command line alone; anything else is declared once."""
    options = [(name, option) for name, verb in verbs() for option in verb.params]
    said = {option.help for _, option in options if is_of_a_function(option) and option.help}
    by_hand = [
        f"{name} {option.opts[0]}"
        for name, option in options
        if isinstance(option, click.Option) and not is_of_a_function(option)
        if option.help in said
    ]
    assert len(said) > 80
    assert by_hand == []


#: Defaults that only the command line has: where output goes and how it looks, and the usual port.
OF_THE_COMMAND_LINE = {"output", "format", "style"}
PLACES = {"serve --host", "serve --port", "serve-system --port"}


def test_a_default_stands_in_a_signature() -> None:
    said = [
        f"{name} {max(option.opts, key=len)}"
        for name, verb in verbs()
        for option in verb.params
        if isinstance(option, click.Option) and not is_of_a_function(option)
        if option.name not in OF_THE_COMMAND_LINE and isinstance(option.default, (str, int, float))
        if option.default is not False and option.default != ""
    ]
    assert set(said) <= PLACES


def test_no_help_says_what_the_default_is_where_it_is_shown() -> None:
    both = [
        f"{name} {option.opts[-1]}"
        for name, verb in verbs()
        for option in verb.params
        if isinstance(option, click.Option) and option.show_default
        if "efault:" in str(option.help) or "(default)" in str(option.help)
    ]
    assert both == []


def test_defaults_and_help_of_declared_options_are_those_of_the_function() -> None:
    for name, verb in verbs():
        for option in verb.params:
            if isinstance(option, DeclaredOption):
                entry = parameters(option.function)[option.parameter]
                scale = 2**20 if option.metavar == "MB" else 1
                default = entry.default / scale if scale > 1 else entry.default
                assert (option.default or None) == (default or None), (name, option.opts)
                first = " ".join(entry.help.partition("\n\n")[0].replace("`", "").split())
                assert str(option.help).startswith(first.removesuffix(".")), (name, option.opts)


def test_the_files_of_options_are_what_the_signatures_say() -> None:
    command = [sys.executable, str(ROOT / ".ci" / "options.py"), "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_compiled_modules_alone_are_enough(tmp_path: Path) -> None:
    """A package without its source files shows help, and scores."""
    shutil.copytree(ROOT / "qaldgen", tmp_path / "qaldgen", ignore=shutil.ignore_patterns("__py*"))
    compileall.compile_dir(tmp_path / "qaldgen", quiet=2, legacy=True, workers=1)
    for source in (tmp_path / "qaldgen").rglob("*.py"):
        source.unlink()
    program = """
import sys, qaldgen
assert qaldgen.__file__.startswith(sys.argv[1]), qaldgen.__file__
assert qaldgen.score([{"question": "Who?", "answer": "Ann"}], {"1": "Ann"})["macro-f1"] == 1
from qaldgen.cli.main import cli
cli(["score", "--help"], prog_name="qaldgen")
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "When an answer counts as right" in done.stdout

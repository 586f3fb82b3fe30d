"""The verbs of the command line, those of groups too."""

from __future__ import annotations

from collections.abc import Iterator

import click

from qaldgen.cli.main import cli


def verbs(group: click.Group = cli, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every verb by name, with those of groups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from verbs(command, f"{name} ")
        elif command is not None:
            yield before + name, command

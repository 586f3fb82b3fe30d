"""Write ``data/options.json`` of the command line and of each plug-in: what their verbs take.

``--check`` writes nothing, and fails if a file differs.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from qaldgen.cli import inspection, parameters

ROOT = Path(__file__).resolve().parent.parent
#: The types that JSON keeps; no option has another default.
PLAIN = (str, int, float, bool, tuple, type(None))


def main() -> None:
    """Write or check the files."""
    stale = []
    for path, content in contents().items():
        if path.is_file() and path.read_text(encoding="utf-8") == content:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n")
    if "--check" in sys.argv and stale:
        sys.exit(f"{', '.join(stale)}: not what the signatures say; run make options")


def contents() -> dict[Path, str]:
    """Return what each file should hold."""
    # what the files hold now must not count
    parameters._read_file = lambda package: {"functions": {}, "verbs": {}}  # type: ignore[assignment]
    from qaldgen.cli.main import VERBS
    from qaldgen.cli.verb import DeclaredOption

    points = [point for name in VERBS if (point := VERBS.point(name)) is not None]
    files: dict[str, dict[str, Any]] = defaultdict(lambda: {"functions": {}, "verbs": {}})
    for point in points:
        owner = files[parameters._package_of(point.value)]
        owner["verbs"][point.value] = inspection.summarise(point.value)
    places = {
        parameters.import_path_of(option.function)
        for command in commands(VERBS.values())
        for option in command.params
        if isinstance(option, DeclaredOption)
    }
    for place in sorted(places):
        files[parameters._package_of(place)]["functions"][place] = {
            name: (annotation, default, text)
            for name, (annotation, default, text) in inspection.describe_parameters(place).items()
            if isinstance(default, PLAIN)
        }
    return {file_of(package): dumped(content) for package, content in files.items()}


def commands(given: Any) -> Iterator[click.Command]:  # noqa: ANN401 - any iterable of commands
    """Yield commands, and those of groups."""
    for command in given:
        yield command
        if isinstance(command, click.Group):
            yield from commands(command.commands.values())


def file_of(package: str) -> Path:
    """Return the file of a package."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data" / "options.json"


def dumped(content: dict[str, Any]) -> str:
    """Return JSON with a line for each parameter, so that changes are read easily."""
    blocks = []
    for place, entries in content["functions"].items():
        lines = ",\n".join(
            f"   {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()
        )
        blocks.append(f"  {json.dumps(place)}: {{\n{lines}\n  }}")
    verbs = ",\n".join(
        f"  {json.dumps(key)}: {json.dumps(text)}" for key, text in sorted(content["verbs"].items())
    )
    functions = ",\n".join(blocks)
    return f'{{\n "functions": {{\n{functions}\n }},\n "verbs": {{\n{verbs}\n }}\n}}\n'


if __name__ == "__main__":
    main()

"""How Sphinx makes a site of README and docs: `make docs`.

The pages are those that people read in the repository, and the API reference from the docstrings.
"""

import importlib
import re
import shutil
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

project = "qaldgen"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_member_order = "bysource"
#: Signatures name types as the code does, also those that have no page.
nitpick_ignore_regex = [(r"py:.*", r".*")]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/plugins/*.md",
    "examples/*.md",
    "queries/*.md",
    "vocab/*.md",
]
myst_heading_anchors = 4
#: Indented blocks and blocks of RDF have no language; the others say theirs.
highlight_language = "text"
html_theme = "furo"
html_title = "qaldgen"
html_copy_source = False
html_show_sphinx = False
html_static_path: list[str] = []
#: The pages of the side bar, by what a reader wants to do.
SECTIONS = {
    "Start": ["README", "docs/walk-through", "docs/recipes", "docs/installing", "docs/glossary"],
    "Guide": [
        "docs/questions",
        "docs/annotating",
        "docs/sampling",
        "docs/asking",
        "docs/scoring",
        "docs/answers-in-words",
        "docs/comparing",
        "docs/fewer-questions",
        "docs/statistics",
        "docs/ci",
    ],
    "Plug-ins": [f"docs/plugins/{page.stem}" for page in sorted(HERE.glob("plugins/*.md"))],
    "Reference": [
        "docs/options",
        "docs/tables",
        "docs/api",
        "docs/features",
        "vocab/README",
        "queries/README",
        "examples/README",
    ],
    "More": [
        "docs/extending",
        "docs/design",
        "docs/speed",
        "CONTRIBUTING",
        "docs/carrying-on",
        "docs/releasing",
        "SECURITY",
        "CHANGELOG",
    ],
}


def setup(app: Any) -> None:  # noqa: ANN401 - Sphinx is installed for the docs alone
    """Let Sphinx call what is below."""
    app.connect("source-read", add_contents)
    app.connect("source-read", add_generated)
    app.connect("build-finished", add_index)
    app.connect("build-finished", refuse_foreign_assets)


def add_contents(app: Any, name: str, source: list[str]) -> None:  # noqa: ANN401
    """Add the side bar's contents to the first page.

    In the repository its table of links does that.
    """
    if name == root_doc:
        for caption, pages in SECTIONS.items():
            entries = "\n".join(f"/{page}" for page in pages if page != root_doc)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```\n"


def add_generated(app: Any, name: str, source: list[str]) -> None:  # noqa: ANN401
    """Add what is generated to the pages of the reference."""
    if name in GENERATED:
        source[0] += "\n".join(GENERATED[name]())


def printed(*words: str) -> str:
    """Return what the command line prints, as a block."""
    from click.testing import CliRunner

    from qaldgen.cli.main import cli

    result = CliRunner().invoke(cli, words, prog_name="qaldgen", terminal_width=100)
    if result.exit_code:
        raise ValueError(f"qaldgen {' '.join(words)}: {result.output}")
    return f"\n```text\n{result.output.rstrip()}\n```\n"


def options() -> Iterator[str]:
    """Yield all options of every verb."""
    import click

    from qaldgen.cli.main import cli

    context = click.Context(cli)
    for verb in cli.list_commands(context):
        command = cli.get_command(context, verb)
        inner = command.list_commands(context) if isinstance(command, click.Group) else [""]
        for path in (f"{verb} {name}".split() for name in inner):
            help_all = "--help-all" if "--help-all" in printed(*path, "--help") else "--help"
            yield f"\n## {' '.join(path)}\n{printed(*path, help_all)}"


def tables() -> Iterator[str]:
    """Yield the rows of every table."""
    for table in printed("list").splitlines()[2:-1]:
        if table != "features":  # they have a page
            yield f"\n## {table}\n{printed('list', table)}"


def reference() -> Iterator[str]:
    """Yield all public names, and the types of rows."""
    pages = [HERE / "extending.md", *sorted(HERE.glob("plugins/*.md"))]
    rows = [row for page in pages for row in page.read_text(encoding="utf-8").splitlines()]
    kinds = [found[1] for row in rows if (found := _ROW_TYPE.match(row))]
    yield from _public_names("qaldgen")
    yield "## Rows of tables"
    yield from map(_documented, dict.fromkeys(kinds))


def features() -> Iterator[str]:
    """Yield the catalogue of features."""
    from qaldgen.features.vocabulary import catalogue_text

    yield f"\n{catalogue_text('markdown')}"


GENERATED = {
    "docs/options": options,
    "docs/tables": tables,
    "docs/api": reference,
    "docs/features": features,
}


#: The type of the rows of a table in extending.md and the pages of plug-ins: the second column.
_ROW_TYPE = re.compile(r"\| `qaldgen\.[^|]*\| `(qaldgen\.[\w.]+)`")


def _public_names(package: str) -> Iterator[str]:
    """Yield the functions of a package, its other names, and those of its plug-ins."""
    names = [name for name in importlib.import_module(package).__all__ if name[0] != "_"]
    yield f"\n## {package}\n"
    for name in sorted(names, key=lambda name: (not name.islower(), name)):
        yield _documented(f"{package}.{name}")
    for folder in sorted(
        (HERE.parent / package.replace(".", "/") / "plugins").glob("*/plugin.cfg")
    ):
        plugin = f"{package}.plugins.{folder.parent.name}"
        if hasattr(importlib.import_module(plugin), "__all__"):
            yield from _public_names(plugin)


def _is_method(value: object) -> bool:
    return isinstance(value, (types.FunctionType, property, classmethod, staticmethod))


def _documented(path: str) -> str:
    """Return the directive that shows a name with its docstring."""
    module, _, name = path.rpartition(".")
    thing = getattr(importlib.import_module(module), name)
    if isinstance(thing, type):
        shown = [
            name
            for name, value in vars(thing).items()
            if name[0] != "_" and getattr(value, "__doc__", "") and _is_method(value)
        ]
        if "Attributes\n" not in (thing.__doc__ or ""):  # else its fields stand in its docstring
            fields = getattr(thing, "__dataclass_fields__", getattr(thing, "_fields", ()))
            shown += [name for name in fields if name[0] != "_"]
        members = f"\n   :members: {', '.join(shown)}" if shown else ""
        body = f".. autoclass:: {path}{members}"
    else:
        kind = "autofunction" if callable(thing) else "py:data"
        body = f".. {kind}:: {path}"
    return f"\n```{{eval-rst}}\n{body}\n```\n"


def add_index(app: Any, exception: Exception | None) -> None:  # noqa: ANN401
    """Let the site open at its first page."""
    if exception is None and app.builder.name == "html":
        shutil.copyfile(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")


#: What a browser would load by itself; links that a reader may follow are no matter.
_LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=\"((?:https?:)?//[^\"]+)")


def refuse_foreign_assets(app: Any, exception: Exception | None) -> None:  # noqa: ANN401
    """End the build if a page would load anything from elsewhere.

    The site works without a network.
    """
    if exception is not None:
        return
    for page in sorted(Path(app.outdir).rglob("*.html")):
        found = _LOADED.findall(page.read_text(encoding="utf-8"))
        if found:
            raise ValueError(f"{page.name} loads {found[0]}; the site must bring all that it shows")

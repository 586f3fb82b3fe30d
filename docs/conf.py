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
    "Questions and features": [
        "docs/formats",
        "docs/data-sets",
        "docs/annotating",
        "docs/features",
        "docs/checking",
    ],
    "Samples": [
        "docs/selecting",
        "queries/README",
        "docs/sampling",
        "docs/benchmark",
        "docs/honest-samples",
        "docs/honest-samples-figures",
    ],
    "Asking": ["docs/systems", "docs/sequential", "docs/ci", "docs/endpoints"],
    "Scoring": [
        "docs/runs",
        "docs/scoring",
        "docs/scoring-text",
        "docs/labels",
    ],
    "Results": ["docs/comparing", "docs/report", "docs/statistics"],
    "Plug-ins": [f"docs/plugins/{page.stem}" for page in sorted(HERE.glob("plugins/*.md"))],
    "More": [
        "docs/api",
        "docs/speed",
        "docs/extending",
        "docs/design",
        "examples/README",
        "vocab/README",
        "CONTRIBUTING",
        "CHANGELOG",
    ],
}


def setup(app: Any) -> None:  # noqa: ANN401 - Sphinx is installed for the docs alone
    """Let Sphinx call what is below."""
    app.connect("source-read", add_contents)
    app.connect("source-read", add_reference)
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


def add_reference(app: Any, name: str, source: list[str]) -> None:  # noqa: ANN401
    """Add all public names to the page of the API."""
    if name == "docs/api":
        rows = (HERE / "extending.md").read_text(encoding="utf-8").splitlines()
        kinds = [found[1] for row in rows if (found := _ROW_TYPE.match(row))]
        source[0] += "\n".join(
            [
                *_public_names("qaldgen"),
                "## Rows of tables",
                *map(_documented, dict.fromkeys(kinds)),
            ]
        )


#: The type of the rows of a table in extending.md: the second column.
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
        # its fields stand in its docstring
        methods = [
            name
            for name, value in vars(thing).items()
            if name[0] != "_" and getattr(value, "__doc__", "") and _is_method(value)
        ]
        members = f"\n   :members: {', '.join(methods)}" if methods else ""
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

"""Data flows one way: a module imports only what stands above it."""

from __future__ import annotations

import ast
import configparser
import functools
import re
from pathlib import Path

import pytest

import qaldgen

PACKAGE = Path(qaldgen.__file__).parent
#: From top to bottom, as in CONTRIBUTING.md; modules of one line may import each other from left to
#: right.
ORDER = [
    *("errors", "defaults", "io", "options", "model", "rdf", "sparql"),
    *("questions", "answers", "stores"),
    *("features", "annotation"),
    *("selection", "sampling", "benchmark", "pictures"),
    *("scoring", "analysis", "asking", "reports"),
    *("testing", "cli", "plugins", "__main__"),
]

#: What others may import of scoring: evaluations, what is computed of them, and the rules by name.
#: How answers are judged stays inside.
SCORING = {
    *("evaluation", "outcomes", "score", "score_table", "running_score", "rules", "submission"),
    *("measures", "intervals", "mean_bounds", "missing", "mistakes", "worded_answers", "gerbil"),
}
#: What a plug-in needs that adds a matcher.
FOR_MATCHERS = {"matchers", "counts", "words"}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def package(path: Path) -> str:
    """Return the module or package that stands in `ORDER`."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@functools.cache
def imports(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports of a module, anywhere in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]


def imported(path: Path) -> set[str]:
    """Return the packages that a module imports, anywhere in it."""
    names = [
        node.module or ""
        for node in imports(path)
        if isinstance(node, ast.ImportFrom) and node.level == 0
    ]
    names += [
        alias.name for node in imports(path) if isinstance(node, ast.Import) for alias in node.names
    ]
    for node in imports(path):
        if isinstance(node, ast.ImportFrom) and node.module == "qaldgen":
            names += [f"qaldgen.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("qaldgen.")}


def test_every_module_has_its_place() -> None:
    assert {package(path) for path in modules()} == set(ORDER)


def test_imports_go_upwards() -> None:
    assert [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in modules()
        for name in imported(path).intersection(ORDER[ORDER.index(package(path)) + 1 :])
    ] == []


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def needed_modules(path: Path, known: set[str]) -> set[str]:
    """Return the modules that a module imports, anywhere in it, for types too."""
    found = {
        alias.name for node in imports(path) if isinstance(node, ast.Import) for alias in node.names
    }
    for node in imports(path):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & known) or {node.module}
    return found & known


def circle(needs: dict[str, set[str]]) -> list[str]:
    """Return modules that need each other in a circle; empty if none do."""
    left = {name: set(others) for name, others in needs.items()}
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def test_a_circle_is_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = {dotted(path): path for path in modules()}
    assert (
        circle({name: needed_modules(path, set(paths)) - {name} for name, path in paths.items()})
        == []
    )


def test_how_answers_are_judged_stays_inside_scoring() -> None:
    known = {dotted(path) for path in modules()}
    wrong = []
    for path in modules():
        open_to_it = SCORING | (FOR_MATCHERS if package(path) == "plugins" else set())
        if package(path) == "scoring":
            continue
        wrong += [
            f"{path.relative_to(PACKAGE)} imports {name}"
            for name in needed_modules(path, known)
            if name.startswith("qaldgen.scoring.") and name.split(".")[2] not in open_to_it
        ]
    assert wrong == []


def test_contributing_shows_the_same_order() -> None:
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    order = text[text.index("    errors, ") : text.index("Where does a change go")]
    shown = [
        word.strip(",/")
        for line in order.splitlines()
        for word in re.split(r"\s{2,}", line.strip())[0].split()
    ]
    assert shown == [name for name in ORDER if not name.startswith("_")]


def test_public_names_exist_and_are_listed_once() -> None:
    assert len(set(qaldgen.__all__)) == len(qaldgen.__all__)
    for name in qaldgen.__all__:
        assert getattr(qaldgen, name) is not None


def test_public_names_have_docstrings() -> None:
    assert [
        name
        for name in qaldgen.__all__
        if not name.startswith("__") and not getattr(qaldgen, name).__doc__
    ] == []


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sampel'"):
        _ = qaldgen.sampel


def plugins() -> list[Path]:
    return sorted(path.parent for path in (PACKAGE / "plugins").glob("*/plugin.cfg"))


def needed_plugins(manifest: Path) -> set[str]:
    """Return the plug-ins that a manifest names, and those that these need."""
    sections = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    sections.read(manifest, encoding="utf-8")
    named = set(sections.get("plugin", "needs", fallback="").split())
    return named.union(*(needed_plugins(manifest.parents[1] / one / "plugin.cfg") for one in named))


def test_a_plugin_imports_the_core_and_the_plugins_that_its_manifest_names() -> None:
    known, names = {dotted(path) for path in modules()}, {one.name for one in plugins()}
    wrong = []
    for plugin in plugins():
        others = names - {plugin.name} - needed_plugins(plugin / "plugin.cfg")
        wrong += [
            f"{path.relative_to(PACKAGE)} imports {name}"
            for path in plugin.rglob("*.py")
            for name in needed_modules(path, known)
            if name.split(".")[1] == "plugins" and others.intersection(name.split(".")[2:3])
        ]
    assert wrong == []


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for path in modules()}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []

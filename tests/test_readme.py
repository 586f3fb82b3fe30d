"""What README and docs show works.

Their blocks run, their links lead somewhere, the examples in docstrings hold.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.features.compute import model_name

ROOT = Path(__file__).resolve().parent.parent
RECIPES = ROOT / "docs" / "recipes.md"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(ROOT.glob("*/*.md")),
    *sorted(ROOT.glob("docs/plugins/*.md")),
]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder as a reader has it who typed `make demo`.

    The examples, and the command on the path.
    """
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "qaldgen"
    lines = f'#!/bin/sh\nexec "{sys.executable}" -m qaldgen "$@"\n'
    command.write_text(lines, encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def run(call: list[str], folder: Path) -> None:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path}
    result = subprocess.run(
        call, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{call[-1]}\n{result.stderr}"


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_workflow_for_ci_runs_and_passes_unless_it_is_worse(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yaml = pytest.importorskip("yaml")
    page = ROOT / "docs" / "ci.md"
    monkeypatch.chdir(checkout)
    run_here("".join(blocks(page, "sh")))
    workflow, suite = (yaml.safe_load(block) for block in blocks(page, "yaml"))
    steps = [step["run"] for step in workflow["jobs"]["gate"]["steps"] if "run" in step]
    assert steps[0].startswith("pip install")
    _, ask, decide = steps
    decide = f"export GITHUB_STEP_SUMMARY=summary.md\n{decide}"
    run_here(ask)
    run(["bash", "-e", "-c", decide], checkout)
    assert "no claim can be made" in (checkout / "summary.md").read_text(encoding="utf-8")
    of_suite = f"export GITHUB_STEP_SUMMARY=summary.md\n{suite[0]['run']}"
    run(["bash", "-e", "-c", of_suite], checkout)
    assert "| all questions |" in (checkout / "summary.md").read_text(encoding="utf-8")
    assert "<testsuite " in (checkout / "results.xml").read_text(encoding="utf-8")
    # a system that answers nothing is worse
    lines = [f'{{"id": "{at}", "answers": []}}' for at in range(1, 400)]
    (checkout / "new.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(AssertionError):
        run(["bash", "-e", "-c", decide], checkout)
    assert "is worse" in (checkout / "decision.txt").read_text(encoding="utf-8")


def answer_in_words(path: Path, share: int) -> None:
    """Write the answers of a model that is right on this many of ten questions."""
    lines = []
    for question in qg.load(ROOT / "examples" / "questions.json").questions:
        gold = "" if question.answers is None else ", ".join(question.answers.values())
        name = gold.replace("http://example.org/qaldgen/resource/", "").replace("_", " ")
        text = name if int(question.id) * 7 % 10 < share else "Atlantis"
        lines.append(json.dumps({"id": question.id, "answer": f"The answer is {text}."}))
    path.write_text("\n".join(lines), encoding="utf-8")


def test_the_workflow_for_ci_judges_models_that_answer_in_words(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yaml = pytest.importorskip("yaml")
    page = ROOT / "docs" / "ci.md"

    def with_model(step: str, model: str) -> str:
        return re.sub(r"--system \w+ --kg \S+", f"--system recorded:model-{model}.jsonl", step)

    answer_in_words(checkout / "model-old.jsonl", 6)
    monkeypatch.chdir(checkout)
    run_here(with_model(blocks(page, "sh")[0], "old"))
    workflow = yaml.safe_load(blocks(page, "yaml")[0])
    steps = [step["run"] for step in workflow["jobs"]["gate"]["steps"] if "run" in step]
    _, ask, decide = steps
    decide = f"export GITHUB_STEP_SUMMARY=summary.md\n{decide}"

    answer_in_words(checkout / "model-new.jsonl", 6)
    run_here(with_model(ask, "new"))
    run(["bash", "-e", "-c", decide], checkout)
    assert "no difference" in (checkout / "decision.txt").read_text(encoding="utf-8")

    answer_in_words(checkout / "model-new.jsonl", 2)
    (checkout / "new.jsonl").unlink()
    run_here(with_model(ask, "new"))
    with pytest.raises(AssertionError):
        run(["bash", "-e", "-c", decide], checkout)
    assert "new is worse than old" in (checkout / "summary.md").read_text(encoding="utf-8")


def test_readme_blocks_run_from_top_to_bottom_and_write_into_one_folder(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)
    before = names_in(checkout)
    for block in blocks(ROOT / "README.md", "sh"):
        run_here(block)
    for block in blocks(ROOT / "README.md", "python") * 2:  # people run a block again
        exec(block, {})
    assert names_in(checkout) - before == {"try"}
    made = checkout / "try"
    assert names_in(made) >= {
        "bench.json",
        "again.ttl",
        "honest.ttl",
        "report.html",
        "mine.ttl",
        "mine.json",
    }
    assert names_in(made / "pictures") >= {"pool.png", "voronoi.svg", "features.png"}
    assert list((made / "weak").glob("slice-*.rq"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"signature: (table:\S+)", readme)
    assert shown is not None
    if model_name("en"):
        assert shown[1] in (made / "bench.ttl").read_text(encoding="utf-8")


WALK_THROUGH = ROOT / "docs" / "walk-through.md"


def test_the_notebook_of_the_walk_through_says_what_its_page_says() -> None:
    spec = importlib.util.spec_from_file_location("notebook", ROOT / "docs" / "notebook.py")
    assert spec is not None and spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    made = (ROOT / "examples" / "walk-through.ipynb").read_text(encoding="utf-8")
    assert made == maker.notebook(WALK_THROUGH.read_text(encoding="utf-8"))


def test_the_walk_through_runs_and_its_figures_are_those_of_its_page(
    shared_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = shared_data / "llm-answers" / "qald-9"
    if not folder.is_dir():
        pytest.skip(f"no answers of language models at {folder}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QALDGEN_WALK_THROUGH", str(folder))
    exec("\n".join(blocks(WALK_THROUGH, "python")), {})
    scores = re.findall(r"^[\w-]+: 0(\.\d{3})$", capsys.readouterr().out, re.MULTILINE)
    page = WALK_THROUGH.read_text(encoding="utf-8")
    assert f"The models score {scores[0]}, {scores[1]} and {scores[2]}." in page
    assert (tmp_path / "report.html").is_file()


def recipes() -> dict[str, str]:
    """Return the commands of each recipe, by its title; each has to work alone."""
    parts = re.split(r"^## (.+)$", RECIPES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = zip(parts[::2], parts[1::2], strict=True)
    return {
        title: "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)) for title, text in found
    }


def run_here(commands: str) -> None:
    """Run lines of a shell in this process: files of ``cat`` and ``>``, folders, our own command.

    Starting it anew takes longer.
    """
    written = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)
    for path, text in written.findall(commands):
        Path(path).write_text(text, encoding="utf-8")
    for line in written.sub("", commands).splitlines():
        name, *arguments = shlex.split(line)
        if name == "mkdir":
            Path(arguments[-1]).mkdir(exist_ok=True)
            continue
        assert name == "qaldgen", line
        *arguments, sign, path = arguments if ">" in arguments else [*arguments, "", ""]
        found = CliRunner().invoke(cli, arguments)
        assert found.exit_code == 0, f"{line}\n{found.stderr}\n{found.exception!r}"
        if sign:
            Path(path).write_text(found.stdout, encoding="utf-8")


@pytest.mark.parametrize("title", recipes())
def test_recipes_run_each_alone_and_write_into_one_folder(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "try").mkdir()
    monkeypatch.chdir(tmp_path)
    run_here(recipes()[title])
    assert names_in(tmp_path) == {"examples", "try"}


def anchors(page: Path) -> set[str]:
    """Return the names of the headings of a page, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    words = [re.sub(r"[^\w\- ]", "", title.lower()) for title in titles]
    return {word.replace(" ", "-") for word in words}


def is_taken_out(page: Path) -> bool:
    """Tell whether a page is about a plug-in that is not there."""
    return page.parent.name == "plugins" and not (ROOT / "qaldgen/plugins" / page.stem).is_dir()


def leads_somewhere(page: Path, link: str) -> bool:
    if link.startswith(("http:", "https:")):
        return True
    name, _, anchor = link.partition("#")
    aim = page.parent / name if name else page
    return is_taken_out(aim) or (aim.exists() and (not anchor or anchor in anchors(aim)))


def test_links_lead_somewhere() -> None:
    assert [
        f"{page.name}: {link}"
        for page in PAGES
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if not leads_somewhere(page, link)
    ] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        seen.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8"))
        aims = {(page.parent / link).resolve() for link in links if "://" not in link}
        ahead += sorted(aim for aim in aims - seen if not is_taken_out(aim))
    assert [page.name for page in sorted((ROOT / "docs").rglob("*.md")) if page not in seen] == []


def modules_with_examples() -> list[str]:
    package = ROOT / "qaldgen"
    paths = [
        path for path in sorted(package.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")
    ]
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
    ]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_hold(name: str) -> None:
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 0
    assert result.failed == 0

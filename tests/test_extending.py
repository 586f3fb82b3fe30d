"""Other packages add rows to public tables.

Names, broken packages and options on the command line.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from calls import parts_of, several_calls
from click.testing import CliRunner
from matched import counts_frame

import qaldgen as qg
from qaldgen.answers.reading import RUN_READERS, RunReader, read_run
from qaldgen.answers.record import Response, Run
from qaldgen.asking.functions import as_system
from qaldgen.asking.protocols import PROTOCOLS, Protocol
from qaldgen.asking.systems import Asker, System
from qaldgen.benchmark.benchmark import FORMATS, ExportFormat
from qaldgen.benchmark.make import sample
from qaldgen.cli.main import VERBS
from qaldgen.cli.row_options import options_of_rows
from qaldgen.errors import DataError, UsageError
from qaldgen.io.extensions import PUBLIC, Table, entry_points_of
from qaldgen.model import Answers, Question
from qaldgen.options import Option
from qaldgen.questions.collecting import collect_questions
from qaldgen.sampling import METHODS, draw
from qaldgen.sampling.sample import Method, Sample
from qaldgen.scoring.measures import Measure
from qaldgen.selection.select import select
from qaldgen.selection.vectors import Vectors
from qaldgen.testing import check_sampler

ROOT = Path(__file__).parents[1]
#: A row for every public table, as a package would write it.
ROWS = {
    "samplers": "from qaldgen.sampling import METHODS\nROW = METHODS['random']",
    "features": (
        "from qaldgen.features.catalogue import FEATURES\nROW = FEATURES[0]._replace(name='mine')"
    ),
    "formats": (
        "from qaldgen.questions.reading import *\nROW = Reader(lambda content: False,"
        " lambda content, options: [], 'mine')"
    ),
    "runs": (
        "from qaldgen.answers.reading import *\n"
        "ROW = RunReader(lambda content: False, None, 'mine')"
    ),
    "matchers": (
        "from qaldgen.scoring.matchers import *\nROW = MatcherKind(lambda rules: None, 'mine')"
    ),
    "measures": "from qaldgen.scoring.measures import *\nROW = mean_of('f1', 'Mine', 'mine')",
    "verbs": "import click\n@click.command()\ndef ROW():\n    'Do it.'",
    "protocols": "from qaldgen.asking.protocols import *\nROW = Protocol(None, 'URL', 'mine')",
}
TABLES = {
    "samplers": "qaldgen.sampling:METHODS",
    "features": "qaldgen.features.catalogue:all_features()",
    "formats": "qaldgen.questions.reading:READERS",
    "runs": "qaldgen.answers.reading:RUN_READERS",
    "matchers": "qaldgen.scoring.matchers:MATCHERS",
    "measures": "qaldgen.scoring.measures:MEASURES",
    "verbs": "qaldgen.cli.main:VERBS",
    "protocols": "qaldgen.asking.protocols:PROTOCOLS",
}


def install(folder: Path, name: str, modules: Mapping[str, str], points: str) -> None:
    """Put a package on a path as an installer would."""
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    told = folder / f"{name.replace('-', '_')}-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8"
    )
    (told / "entry_points.txt").write_text(points, encoding="utf-8")


def python(folder: Path, *words: str | bytes) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, env=environment
    )


def test_a_verb_of_another_package_is_one_module(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    (module,) = re.findall(r"```python\n# my_verb.py\n(.*?)```", guide, flags=re.DOTALL)
    leaving = "\n\n@click.command()\ndef leave():\n    click.get_current_context().exit(4)\n"
    points = "[qaldgen.verbs]\nshout = my_verb:command\nleave = my_verb:leave\n"
    install(tmp_path, "shouting", {"my_verb": module + leaving}, points)
    listed = python(tmp_path, "-m", "qaldgen", "--help").stdout
    assert re.search(r"\n  shout +Say e\.g\. a word aloud\.\n", listed)
    explained = " ".join(python(tmp_path, "-m", "qaldgen", "shout", "--help").stdout.split())
    assert "--times N How often it is said. [default: 2]" in explained
    said = python(tmp_path, "-m", "qaldgen", "shout", "ho", "--times", "3")
    assert (said.returncode, said.stdout, said.stderr) == (0, "HOHOHO\n", "")
    assert python(tmp_path, "-m", "qaldgen", "leave").returncode == 4


def test_every_public_table_takes_a_row_of_another_package(tmp_path: Path) -> None:
    sections = "".join(f"[qaldgen.{group}]\nmine = row_{group}:ROW\n" for group in ROWS)
    install(tmp_path, "mine", {f"row_{group}": text for group, text in ROWS.items()}, sections)
    lines = [f"import {place.partition(':')[0]}" for place in TABLES.values()]
    lines += [
        f"print('mine' in {place.replace(':', '.')}, end=' ')"
        if place.endswith(")")
        else f"print({place.replace(':', '.')}['mine'] is not None, end=' ')"
        for place in TABLES.values()
    ]
    done = python(tmp_path, "-c", "\n".join(lines))
    assert (done.stdout.split(), "is ignored" in done.stderr) == (
        ["True"] * len(TABLES),
        False,
    ), done.stderr


def test_the_guide_lists_the_public_tables() -> None:
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `qaldgen\.(\w+)`", guide, re.MULTILINE)) == sorted(PUBLIC)
    assert sorted(TABLES) == sorted(PUBLIC)


def test_a_table_that_is_not_public_takes_rows_of_our_plug_ins_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [point.name for point in entry_points_of("qaldgen.prompts")]
    install(tmp_path, "mine", {"mine": ""}, "[qaldgen.prompts]\nmine = mine:ROW\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(UserWarning, match="'mine' of mine is ignored: only plug-ins of qaldgen"):
        assert list(Table("prompts", Path, {})) == own


def test_one_module_may_extend_several_tables_and_build_on_rows_of_ours(tmp_path: Path) -> None:
    module = (
        "from qaldgen.sampling import METHODS\nfrom qaldgen.scoring.matchers import MATCHERS\nfrom"
        " qaldgen.scoring.measures import MEASURES\nfrom qaldgen.questions.reading import"
        " READERS\nSAMPLER, MATCHER = METHODS['random']._replace(help='x'),"
        " MATCHERS['strict']._replace(help='x')\nMEASURE, READER ="
        " MEASURES['micro-f1']._replace(label='Mine'), READERS['json-records']\n"
    )
    groups = {
        "samplers": "SAMPLER",
        "matchers": "MATCHER",
        "measures": "MEASURE",
        "formats": "READER",
    }
    lines = [f"[qaldgen.{group}]\nmine = whole:{name}" for group, name in groups.items()]
    install(tmp_path, "my-whole", {"whole": module}, "\n".join(lines))
    code = ";".join(f"from {TABLES[group].replace(':', ' import ')}" for group in groups)
    names = [TABLES[group].partition(":")[2] for group in groups]
    result = python(
        tmp_path,
        "-W",
        "error",
        "-c",
        f"{code};print(['mine' in table for table in ({', '.join(names)})])",
    )
    assert result.stdout.strip() == str([True] * len(groups)), result.stderr


def test_names_of_ours_stay_ours_and_of_two_packages_the_first_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        tmp_path, "b-package", {"of_b": "N = 2"}, "[qaldgen.samplers]\none = of_b:N\nnew = of_b:N\n"
    )
    install(tmp_path, "a-package", {"of_a": "N = 3"}, "[qaldgen.samplers]\nnew = of_a:N\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    table = Table("samplers", int, {"one": 1}, final={"rest": 9})
    with pytest.warns(UserWarning) as told:
        assert list(table.items()) == [("one", 1), ("new", 3), ("rest", 9)]
    assert ["of b-package is ignored" in str(one.message) for one in told] == [True, True]


def test_rows_are_loaded_where_the_backport_of_importlib_metadata_is_used(tmp_path: Path) -> None:
    pytest.importorskip("importlib_metadata")
    install(tmp_path, "mine", {"mine": "N = 2"}, "[qaldgen.samplers]\ntwo = mine:N\n")
    code = (
        "import importlib_metadata; from qaldgen.io.extensions import Table;"
        "print(dict(Table('samplers', int, {'one': 1}).items()))"
    )
    assert python(tmp_path, "-c", code).stdout == "{'one': 1, 'two': 2}\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("N = 'two'", "it is of type str"),
        ("", "AttributeError"),
    ],
)
def test_a_broken_package_is_named_and_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    module = f"broken_{abs(hash(text))}"
    install(tmp_path, "broken", {module: text}, f"[qaldgen.samplers]\nx = {module}:N\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(UserWarning, match=re.escape(why)):
        assert dict(Table("samplers", int, {"one": 1}).items()) == {"one": 1}


def test_what_is_left_out_is_a_note_on_the_command_line(tmp_path: Path) -> None:
    install(tmp_path, "my-broken", {"broken": "ROW = 1"}, "[qaldgen.samplers]\nmine = broken:ROW")
    said = python(tmp_path, "-m", "qaldgen", "sample", "--help-all").stderr
    assert said.startswith(
        "Note: qaldgen.samplers: 'mine' of my-broken is ignored: it is of type int;"
    )
    assert "extensions.py" not in said


def test_the_sampler_of_the_guide_takes_its_option_on_the_command_line(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    module, points = re.findall(r"```(?:python|toml)\n(.*?)```", guide, flags=re.DOTALL)[:2]
    install(
        tmp_path,
        "my-samplers",
        {"my_samplers": module},
        "[qaldgen.samplers]\nsteps = my_samplers:METHOD\n",
    )
    assert 'steps = "my_samplers:METHOD"' in points
    data = str(ROOT / "examples" / "features.ttl")
    steps, other = (
        ["sample", data, "-q", "annotated", "-m", method, "--step", "3", "-n", "5"]
        for method in ("steps", "random")
    )
    code = (
        "import my_samplers, sys; from qaldgen.testing import check_sampler as c;"
        " c(my_samplers.METHOD); c(my_samplers.METHOD, step=3);"
        " print('\\n<<0>>', end='', file=sys.stderr)\n"
    )
    done = python(tmp_path, *several_calls(steps, other, before=code)[1:])
    (checked, _), (_, status), (refused, _) = parts_of(done.stderr)
    assert (checked, status, "|step:3|" in done.stdout) == ("", 0, True), done.stderr
    assert "method 'random'" in refused


Ask = Callable[..., str]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """Ask a protocol with options of every kind, which says what it gets."""

    def make(system: System, **options: object) -> Asker:
        return as_system(lambda text: f"{system.where} {options}", "mine", system)

    row = Protocol(
        make,
        "WORD",
        "mine",
        alone=True,
        options=(
            Option("least", None, "a number", minimum=1, maximum=5, kind=int),
            Option("names", (), "several texts"),
            Option("table", None, "a file", kind=Path),
            Option("helper", "own", "who helps", choices=("own", "chat")),
            Option("count", False, "only count"),
        ),
        asks=lambda *, helper, **_: "openai" if helper == "chat" else "",
        show=lambda _, asked, *, count, **__: f"{len(asked.questions)} there" if count else None,
    )
    monkeypatch.setitem(PROTOCOLS, "mine", row)
    options_of_rows.cache_clear()
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_text("id,question,answers\n1,Who?,Klee\n", encoding="utf-8")

    def run(*words: str) -> str:
        done = CliRunner().invoke(VERBS["ask"], ["gold.csv", *words])
        return done.output if done.exception is None else f"{done.exception} {done.output}"

    yield run
    options_of_rows.cache_clear()


def test_a_protocol_gets_its_options_given_or_default(ask: Ask) -> None:
    said = ask("--system", "mine:it", "--least", "3", "--names", "a", "--names", "b")
    wanted = {"least": 3, "names": ("a", "b"), "table": None, "helper": "own", "count": False}
    assert f"it {wanted}" in said
    made = qg.ask("gold.csv", qg.System("it", "mine", options={"names": ["c"], "table": Path("t")}))
    (answers,) = (one.answers for one in made.responses.values())
    assert answers is not None and "'names': ['c'], 'table': PosixPath('t')" in answers.texts[0][0]


def test_a_protocol_can_show_something_in_place_of_asking(ask: Ask) -> None:
    assert ask("--system", "mine", "--count") == "1 there"


def test_settings_of_a_system_that_a_protocol_asks_in_turn_apply(ask: Ask) -> None:
    assert "--model only applies with openai" in ask("--system", "mine", "--model", "x")
    assert "only applies" not in ask("--system", "mine", "--helper", "chat", "--model", "x")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--url http://x.org --least 2", "--least only applies with --system mine; remove it"),
        ("--system mine --least 0", "0 is not in the range 1<=x<=5"),
        ("--system mine --helper nobody", "helper is 'nobody'; choose one of own, chat"),
        ("--system mine --table none.csv", "No such file"),
        ("--system mine --table gold.csv -o gold.csv", "is an input of this command"),
    ],
)
def test_options_that_a_protocol_cannot_have_are_refused(ask: Ask, words: str, why: str) -> None:
    assert why in ask(*words.split())


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"leest": 1}, "system 'mine' has no option 'leest'; did you mean least"),
        ({"least": "1"}, "least is '1'; it must be a number"),
        ({"least": 1.5}, "it must be a whole number"),
        ({"least": 6}, "it must be at most 5"),
        ({"names": "a"}, "it must be a tuple of texts"),
        ({"names": [1]}, "it must be a text"),
        ({"table": 1}, "it must be a text"),
    ],
)
def test_options_of_a_protocol_are_checked_in_python(
    ask: Ask, given: dict[str, object], why: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        qg.ask("gold.csv", qg.System("", "mine", options=given))


def test_the_format_of_the_guide_is_read(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    (module,) = re.findall(r"```python\n(# my_formats.py.*?)```", guide, flags=re.DOTALL)
    install(tmp_path, "quiz", {"my_formats": module}, "[qaldgen.formats]\nquiz = my_formats:QUIZ\n")
    (tmp_path / "mine.txt").write_text("QUIZ\nWho painted it? = Klee\n", encoding="utf-8")
    code = (
        "import sys, qaldgen as qg; found = qg.load(sys.argv[1]);"
        "print(found.format, found.questions[0].text(), *found.questions[0].answers.values())"
    )
    done = python(tmp_path, "-c", code, str(tmp_path / "mine.txt"))
    assert done.stdout == "quiz Who painted it? Klee\n", done.stderr


def test_a_reader_that_gives_one_text_instead_of_a_tuple_is_told() -> None:
    question = Question("1", {"en": "Who?"})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="must have a tuple of texts, not a single string"):
        collect_questions(Path("mine.txt"), [question])


BROKEN_MEASURES = """
from qaldgen.scoring.measures import mean_of

ABSENT = mean_of("nobody_has_it", "Absent", "needs a column that nobody fills")
BROKEN = mean_of("broken", "Broken", "divides by zero", lambda counts: 1 / 0)
SILENT = mean_of("silent", "Silent", "no answer", lambda counts: counts["returned"] == 0)
"""


def test_a_measure_that_cannot_be_computed_is_left_out_and_the_others_are_shown(
    tmp_path: Path,
) -> None:
    points = "".join(f"{name} = mine:{name.upper()}\n" for name in ("absent", "broken", "silent"))
    install(tmp_path, "my-measures", {"mine": BROKEN_MEASURES}, f"[qaldgen.measures]\n{points}")
    gold, once, twice = (tmp_path / name for name in ("gold.csv", "once.csv", "twice.csv"))
    gold.write_text("id,question,answers\n1,Who?,Klee\n2,Where?,Ulm\n", encoding="utf-8")
    once.write_text("id,answers\n1,Klee\n2,Bonn\n", encoding="utf-8")
    twice.write_text("id,answers\n1,Klee\n1,Marc\n2,Ulm\n", encoding="utf-8")
    calls = [["score", str(gold), str(run), "--match", "exact"] for run in (once, twice)]
    done = python(tmp_path, *several_calls(*calls)[1:])
    assert len(re.findall(r"Silent +0\.0000", done.stdout)) == 2, done.stderr
    assert done.stdout.count("Accuracy") == 2
    assert "Absent" not in done.stdout
    for said, _ in parts_of(done.stderr):
        for name in ("absent", "broken"):
            told = f"Note: qaldgen.measures: '{name}' is left out: it cannot be computed"
            assert said.count(told) == 1, done.stderr


def test_a_failing_row_names_its_package_above_the_traceback(tmp_path: Path) -> None:
    module = (
        "from qaldgen.sampling import Method\n"
        "def draw(vectors, n, rng):\n    raise ValueError('no luck')\n"
        "METHOD = Method(draw, (), 'fails')\n"
    )
    install(tmp_path, "my-sampler", {"unlucky": module}, "[qaldgen.samplers]\nbad=unlucky:METHOD\n")
    data = str(ROOT / "examples" / "features.ttl")
    said = python(
        tmp_path, "-m", "qaldgen", "sample", data, "-q", "annotated", "-m", "bad", "-n", "5"
    ).stderr
    line = "Error: my-sampler (unlucky, line 3), an extension of qaldgen, failed;"
    assert said.index(line) < said.index("Traceback") < said.index("ValueError: no luck")


def test_a_method_that_returns_no_sample_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Method(lambda vectors, n, rng: list(range(n)), (), "one line")  # type: ignore[arg-type, return-value]
    monkeypatch.setitem(METHODS, "wrong", wrong)
    pool = Vectors(("a", "b", "c"), ("f",), np.eye(3)[:, :1], np.eye(3)[:, :1])
    with pytest.raises(DataError, match=r"'wrong' returned a list; a qaldgen\.sampling\.Sample"):
        draw(pool, 2, "wrong")


def test_a_matcher_that_returns_no_count_is_told() -> None:
    question = Question("1", {"en": ("Who?",)}, answers=Answers(boolean=True))
    run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    with pytest.raises(DataError, match="question 1: the matcher returned a tuple; a"):
        counts_frame([question], run, lambda question, response: (1, 0, 0))  # type: ignore[arg-type, return-value]


def test_a_reader_of_runs_that_returns_something_else_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run.txt").write_text("Klee\n", encoding="utf-8")
    reader = RunReader(lambda content: True, lambda content, asked: [], "mine")  # type: ignore[arg-type, return-value]
    monkeypatch.setitem(RUN_READERS, "mine", reader)
    with pytest.raises(DataError, match="the reader of 'mine' returned a list; a"):
        read_run(tmp_path / "run.txt", format="mine")


@pytest.mark.parametrize("made", ["no bytes", (b"bytes", [])])
def test_an_export_that_returns_something_else_is_told(
    made: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = select(str(ROOT / "examples" / "features.ttl"), "annotated")
    form = ExportFormat(".mine", lambda benchmark, wanted: made)  # type: ignore[arg-type, return-value]
    monkeypatch.setitem(FORMATS, "mine", form)
    with pytest.raises(DataError, match=r"'mine' returned a (str|tuple), where bytes"):
        sample(vectors, 3).save(tmp_path / "b.mine")


def test_a_share_of_mistakes_ranks_the_system_with_less_of_it_first() -> None:
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    (module,) = re.findall(
        r"```python\n(from qaldgen.scoring.measures.*?)```", guide, flags=re.DOTALL
    )
    names: dict[str, Measure] = {}
    exec(module, {}, names)
    assert not names["WRONG"].higher_is_better
    assert (names["WRONG"].worst, names["WRONG"].best) == ((1.0,), (0.0,))


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_ours_keep_the_contract(name: str) -> None:
    options = {"by": "f0"} if name == "stratified" else {}
    check_sampler(METHODS[name], **options)


def chosen(rows: np.ndarray, size: int, *, cluster: int = 0) -> Sample:
    return Sample(rows, np.full(size, cluster))


@pytest.mark.parametrize(
    ("function", "rule"),
    [
        (lambda vectors, n, rng: chosen(np.zeros(n, dtype=int), len(vectors)), "chosen twice"),
        (
            lambda vectors, n, rng: chosen(np.arange(n) + len(vectors), len(vectors)),
            "not in the pool",
        ),
        (lambda vectors, n, rng: chosen(np.arange(n + 1), len(vectors)), "whole numbers"),
        (lambda vectors, n, rng: chosen(np.arange(n), len(vectors), cluster=3), "numbered from 0"),
        (
            lambda vectors, n, rng: Sample(np.arange(n), -np.arange(len(vectors)).clip(0, 1)),
            "removes_outliers",
        ),
        (
            lambda vectors, n, rng: chosen(
                np.random.default_rng().permutation(len(vectors))[:n], len(vectors)
            ),
            "same seed",
        ),
        (
            lambda vectors, n, rng: (vectors.matrix.fill(0), chosen(np.arange(n), len(vectors)))[1],
            "pool was changed",
        ),
        (
            lambda vectors, n, rng: Sample(
                np.arange(n), np.zeros(len(vectors), dtype=int), inclusion=np.full(n, 1.5)
            ),
            "probability over 0",
        ),
    ],
)
def test_a_broken_method_is_told_which_rule_it_breaks(function: object, rule: str) -> None:
    with pytest.raises(AssertionError, match=rule):
        check_sampler(Method(function, (), "one line"))  # type: ignore[arg-type]


def test_a_method_without_help_or_with_one_name_twice_is_refused() -> None:
    def draw(vectors: Vectors, n: int, rng: np.random.Generator, **options: float) -> Sample:
        return chosen(np.arange(n), len(vectors))

    with pytest.raises(AssertionError, match="one line of help"):
        check_sampler(Method(draw, (), ""))
    with pytest.raises(AssertionError, match="name of its own"):
        check_sampler(Method(draw, (Option("a", 1, "x"), Option("a", 2, "y")), "one line"))


def test_groups_of_entry_points_have_names_that_every_pip_accepts() -> None:
    manifests = sorted((ROOT / "qaldgen" / "plugins").glob("*/plugin.cfg"))
    groups = [
        group
        for manifest in manifests
        for group in re.findall(r"^\[(qaldgen\..*)\]$", manifest.read_text("utf-8"), re.MULTILINE)
    ]
    assert len(groups) > len(manifests)
    assert [group for group in groups if not re.fullmatch(r"\w+(\.\w+)*", group)] == []

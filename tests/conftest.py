"""What several test modules share.

The published data, where they are at hand, and how a refusal should look.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyoxigraph
import pytest
from calls import Call, Said

from qaldgen.cli.main import main
from qaldgen.errors import DataError, QaldgenError
from qaldgen.selection.select import select
from qaldgen.selection.vectors import Vectors
from qaldgen.stores.local import LocalStore, open_file

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("QALDGEN_TEST_DATA", ROOT.parent / "shared" / "data"))
#: What questions are, and the features that `annotated` selects.
KEPT_STATEMENTS = {
    *("type", "identifier", "wasDerivedFrom", "text", "answers", "length", "totalEntities"),
    *("totalRelations", "totalClasses", "tpCount", "hopCount", "resultCount"),
}


@pytest.fixture(scope="session", autouse=True)
def _interrupts_arrive() -> None:
    """Let tests interrupt the programs they start, even where a shell runs tests in the background.

    Such a shell ignores SIGINT, and every program inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _byte_code_is_kept() -> Iterator[None]:
    """Let the hundreds of programs that tests start compile each module once, not each anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests compute out of the cache of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QALDGEN_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv(
            "COLUMNS", raising=False
        )  # tables fold to this width; workers of the tests have it set
        yield


def _refused(call: Callable[[], object], kind: type[QaldgenError] = DataError) -> str:
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert caught.type is kind
    assert message
    assert len(message.splitlines()) == 1
    return message


@pytest.fixture(scope="session")
def refused() -> Callable[..., str]:
    """Call a function that must refuse its input, and return the message.

    An error of just this kind, in one line.
    """
    return _refused


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the data that are not part of the checkout; it need not exist."""
    return DATA


@pytest.fixture(scope="session")
def llm_logs(shared_data: Path) -> Path:
    """Logs and requests that other tools wrote."""
    path = shared_data / "llm-logs"
    if not path.is_dir():
        pytest.skip(f"the logs are not at {path}; set QALDGEN_TEST_DATA to the folder of the data")
    return path


@pytest.fixture(scope="session")
def published_r1(shared_data: Path) -> Path:
    """The data set published with the paper."""
    path = shared_data / "qaldgen-r1" / "QaldGen-RDF.zip"
    if not path.is_file():
        pytest.skip(f"the published data are not at {path}; set QALDGEN_TEST_DATA to their folder")
    return path


@pytest.fixture(scope="session")
def published_store(published_r1: Path) -> LocalStore:
    """The published data, loaded."""
    return open_file(published_r1)


@pytest.fixture(scope="session")
def published_vectors(published_store: LocalStore) -> Vectors:
    """The questions and features that Listing 1.2 selects from the published data."""
    return select(published_store, "listing-1.2")


@pytest.fixture(scope="session")
def few_features(tmp_path_factory: pytest.TempPathFactory) -> Vectors:
    """The questions of the example; samples with all their features take long to read."""
    statements = [
        quad.triple
        for quad in pyoxigraph.parse(path=ROOT / "examples" / "features.ttl")
        if quad.predicate.value.replace("#", "/").rpartition("/")[2] in KEPT_STATEMENTS
    ]
    path = tmp_path_factory.mktemp("pool") / "features.ttl"
    pyoxigraph.serialize(statements, path, format=pyoxigraph.RdfFormat.TURTLE)
    return select(str(path), "annotated")


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command line, in the folder `cwd` if there is one."""

    def call(*words: object, cwd: Path | None = None) -> Said:
        if cwd is not None:
            monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["qaldgen", *map(str, words)])
        capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as leave:
            code = int(leave.code or 0)
        return Said(code, *capfd.readouterr())

    return call

"""Public question sets by name: the table is complete.

Fetching survives what servers do, and keeps only what is right.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hearing import hearing

from qaldgen.cli.data import command
from qaldgen.errors import UsageError
from qaldgen.io.cache_folder import cache_dir
from qaldgen.io.unpacking import open_content
from qaldgen.questions import catalog, fetching
from qaldgen.questions.reading import READERS, read_questions

RIGHT = b'{"questions": []}' + bytes(range(256)) * 150
SHA256 = "sha256:" + hashlib.sha256(RIGHT).hexdigest()
GIT = "git:" + hashlib.sha1(b"blob %d\0" % len(RIGHT) + RIGHT).hexdigest()
HALF = len(RIGHT) // 2
Refused = Callable[..., str]


class Script(BaseHTTPRequestHandler):
    """Answers each request as the next word of the server's script says.

    The last word counts for all that follow.
    """

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Range")))
        word = self.server.script.pop(0) if len(self.server.script) > 1 else self.server.script[0]
        getattr(self, f"say_{word}")()
        self.close_connection = True

    def send(self, body: bytes, status: int = 200, length: int | None = -1, **headers: str) -> None:
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(len(body) if length < 0 else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def say_right(self) -> None:
        self.send(RIGHT)

    def say_wrong(self) -> None:
        self.send(b"x" * len(RIGHT))

    def say_portal(self) -> None:
        self.send(b"<html>Please log in</html>" * 4000, length=None)

    def say_half(self) -> None:
        self.send(RIGHT[:HALF], length=len(RIGHT))

    def say_half_unsized(self) -> None:
        self.send(RIGHT[:HALF], length=None)

    def say_stall(self) -> None:
        self.send(RIGHT[:HALF], length=len(RIGHT))
        self.wfile.flush()
        self.server.over.wait(5)

    def say_silence(self) -> None:
        self.server.over.wait(5)

    def say_missing(self) -> None:
        self.send(b"404: Not Found", 404)

    def say_busy(self) -> None:
        self.send(b"busy", 503)

    def say_forbidden(self) -> None:
        self.send(b"no", 403)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """A server on loopback.

    `script` says how it answers, `asked` are path and range of every request.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Script)
        self.script = ["right"]
        self.asked: list[tuple[str, str | None]] = []
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.over.set()
    made.shutdown()
    made.server_close()
    thread.join()


def entry(name: str, *files: catalog.RemoteFile) -> catalog.Entry:
    return catalog.Entry(
        name, "qald-json", "test", "en", "CC0", "some/where", "c0ffee", files, "Nobody: Nothing"
    )


SETS = {
    one.name: one
    for one in (
        entry("small", catalog.RemoteFile("data/small set.json", SHA256, len(RIGHT))),
        entry("by-git", catalog.RemoteFile("data/git.json", GIT, None)),
        entry(
            "pair",
            catalog.RemoteFile("dev/in.tsv", SHA256, len(RIGHT)),
            catalog.RemoteFile("dev/out.tsv", GIT, None),
        ),
    )
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("QALDGEN_CACHE", str(folder))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(fetching, "_FIRST_WAIT", 0.01)
    return folder


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_read_entries", lambda: tuple(SETS.values()))


@pytest.fixture
def place(cache: Path, sets: None) -> Path:
    """Where the set `small` belongs."""
    return cache / "some" / "where" / "c0ffee" / "data" / "small set.json"


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def nobody() -> str:
    """Return an address where nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


# --- the table ----------------------------------------------------------------------------------


def test_every_entry_is_complete() -> None:
    for one in catalog._read_entries():
        assert all(
            text.strip() == text and text
            for text in (one.split, one.language, one.licence, one.citation)
        ), one.name
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", one.repository)
        assert re.fullmatch(r"[0-9a-f]{40}", one.commit)
        assert one.files
        for file in one.files:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}|git:[0-9a-f]{40}", file.checksum), one.name
            assert (file.size is None) == (file.checksum_type == "git"), one.name


def test_every_format_has_a_reader() -> None:
    assert {one.format for one in catalog._read_entries()} <= set(READERS)


def test_names_are_short_and_unique() -> None:
    names = [one.name for one in catalog._read_entries()]
    assert len(set(names)) == len(names) == len(catalog.entries())
    assert [
        name
        for name in names
        if not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", name) or len(name) > 45
    ] == []


def test_no_file_is_in_two_sets() -> None:
    addresses = [one.url(file) for one in catalog._read_entries() for file in one.files]
    assert len(set(addresses)) == len(addresses)


def test_languages_are_tags() -> None:
    tags = {tag for one in catalog._read_entries() for tag in one.language.split()}
    assert [tag for tag in tags if not re.fullmatch(r"[a-z]{2}(-[A-Z]{2})?", tag)] == []


def test_addresses_are_pinned() -> None:
    assert catalog.entries()["lc-quad-1-test"].to_dict()["urls"] == [
        "https://raw.githubusercontent.com/AskNowQA/LC-QuAD/9b8c16a87091089001a3506e50ebafa68932a13f/test-data.json"
    ]


LOCAL = {
    "qald-9-train": "qald/qald-9-train-multilingual.json",
    "qald-9-test": "qald/qald-9-test-multilingual.json",
    "qald-9-plus-test-dbpedia": "qald/qald_9_plus_test_dbpedia.json",
    "qald-7-test-wikidata": "qald/qald-7-test-en-wikidata.json",
    "qald-6-test": "qald/qald-6-test-multilingual.json",
    "lc-quad-1-train": "lc-quad/train-data.json",
    "lc-quad-1-test": "lc-quad/test-data.json",
    "rubq-2.0-dev": "rubq/RuBQ_2.0_dev.json",
    "simplequestions-wikidata-valid-answerable": (
        "simplequestions-wikidata/annotated_wd_data_valid_answerable.txt"
    ),
    "poleval-2021-dev": "poleval-2021/dev-0/in.tsv",
    "poleval-2021-test-a": "poleval-2021/test-A/in.tsv",
    "poleval-2021-test-b": "poleval-2021/test-B/in.tsv",
    "qaldgen-r1": "qaldgen-r1/QaldGen-RDF.zip",
}


@pytest.mark.parametrize("name", [name for name in LOCAL if name in catalog.entries()])
def test_published_files_are_those_of_the_table(name: str, shared_data: Path, cache: Path) -> None:
    one = catalog.entries()[name]
    for file in one.files:
        path = (shared_data / LOCAL[name]).parent / Path(file.path).name
        if not path.exists():
            pytest.skip(
                f"the published data are not at {path}; set QALDGEN_TEST_DATA to their folder"
            )
        assert fetching.is_verified(path, file)
        put(cache / one.path_prefix / file.path, path.read_bytes())
    fetched = fetching.fetch(name, base_url=nobody())
    if one.format == "rdf":
        with open_content(fetched) as content:
            assert b"http" in content.read(4000)
        return
    found = read_questions(fetched)
    assert found.format == one.format
    assert {tag for question in found.questions for tag in question.texts} == set(
        one.language.split()
    )


# --- fetching -----------------------------------------------------------------------------------


def test_fetch_keeps_the_right_bytes(server: Server, place: Path, cache: Path) -> None:
    path = fetching.fetch("small", base_url=server.url)
    assert path == place
    assert path.read_bytes() == RIGHT
    assert server.asked == [("/some/where/c0ffee/data/small%20set.json", None)]
    assert files(cache) == ["small set.json"]


def test_fetch_checks_a_git_id(server: Server, sets: None, cache: Path) -> None:
    assert fetching.fetch("by-git", base_url=server.url).read_bytes() == RIGHT
    assert files(cache) == ["git.json"]


def test_fetched_file_has_the_usual_permissions(
    server: Server, place: Path, tmp_path: Path
) -> None:
    usual = put(tmp_path / "usual", b"").stat().st_mode
    assert fetching.fetch("small", base_url=server.url).stat().st_mode == usual


def test_several_files_come_as_their_folder(server: Server, sets: None) -> None:
    folder = fetching.fetch("pair", base_url=server.url)
    assert files(folder) == ["in.tsv", "out.tsv"]
    assert folder.name == "dev"


@pytest.mark.parametrize("name", SETS)
def test_the_cache_needs_no_server(name: str, server: Server, sets: None) -> None:
    first = fetching.fetch(name, base_url=server.url)
    assert fetching.fetch(name, base_url=nobody()) == first


@pytest.mark.parametrize("damage", [RIGHT[:-1], RIGHT[:-1] + b"!", b"", RIGHT + b"!"])
@pytest.mark.parametrize("name", ["small", "by-git"])
def test_a_damaged_file_is_fetched_again(
    name: str, damage: bytes, server: Server, sets: None, cache: Path
) -> None:
    path = fetching.fetch(name, base_url=server.url)
    path.write_bytes(damage)
    assert fetching.fetch(name, base_url=server.url).read_bytes() == RIGHT
    assert files(cache) == [path.name]


@pytest.mark.parametrize("script", ["wrong", "portal"])
@pytest.mark.parametrize("name", ["small", "by-git"])
def test_wrong_bytes_are_refused_with_both_checksums(
    name: str, script: str, server: Server, sets: None, cache: Path, refused: Refused
) -> None:
    server.script = [script]
    body = b"x" * len(RIGHT) if script == "wrong" else b"<html>Please log in</html>" * 4000
    message = refused(lambda: fetching.fetch(name, base_url=server.url))
    came = (
        hashlib.sha256(body) if name == "small" else hashlib.sha1(b"blob %d\0" % len(body) + body)
    )
    assert came.hexdigest() in message
    assert SETS[name].files[0].checksum in message
    assert len(server.asked) == 1
    assert files(cache) == []


@pytest.mark.parametrize("script", ["half", "half_unsized", "stall"])
def test_a_broken_transfer_is_tried_again(
    script: str, server: Server, place: Path, cache: Path
) -> None:
    server.script = [script, "right"]
    assert fetching.fetch("small", base_url=server.url, timeout=0.3).read_bytes() == RIGHT
    assert len(server.asked) == 2
    assert files(cache) == ["small set.json"]


@pytest.mark.parametrize("script", ["half", "half_unsized"])
def test_half_the_bytes_are_refused(
    script: str, server: Server, place: Path, cache: Path, refused: Refused
) -> None:
    server.script = [script]
    message = refused(lambda: fetching.fetch("small", base_url=server.url, retries=1))
    came = re.search(r" after ([\d,]+) bytes, tried 2 times", message)
    assert came
    assert 0 < int(came[1].replace(",", "")) <= HALF
    assert len(server.asked) == 2
    assert files(cache) == []


def test_half_the_bytes_without_any_size_are_wrong_bytes(
    server: Server, sets: None, cache: Path, refused: Refused
) -> None:
    server.script = ["half_unsized"]
    assert "sent other bytes" in refused(lambda: fetching.fetch("by-git", base_url=server.url))
    assert files(cache) == []


def test_a_busy_server_is_asked_again(server: Server, place: Path) -> None:
    server.script = ["busy", "busy", "right"]
    assert fetching.fetch("small", base_url=server.url).read_bytes() == RIGHT
    assert len(server.asked) == 3


def test_a_server_that_stays_busy_is_named(
    server: Server, place: Path, cache: Path, refused: Refused
) -> None:
    server.script = ["busy"]
    message = refused(lambda: fetching.fetch("small", base_url=server.url, retries=2))
    assert "503" in message
    assert "tried 3 times" in message
    assert files(cache) == []


@pytest.mark.parametrize(("script", "status"), [("missing", "404"), ("forbidden", "403")])
def test_a_refusal_is_final(
    script: str, status: str, server: Server, place: Path, cache: Path, refused: Refused
) -> None:
    server.script = [script]
    message = refused(lambda: fetching.fetch("small", base_url=server.url))
    assert message.startswith("small: http://127.0.0.1")
    assert status in message
    assert len(server.asked) == 1
    assert files(cache) == []


@pytest.mark.parametrize(
    ("script", "words"),
    [("stall", f" after {HALF:,} bytes, tried 2"), ("silence", "no complete answer within")],
)
def test_a_stall_ends(
    script: str, words: str, server: Server, place: Path, refused: Refused
) -> None:
    server.script = [script]
    assert words in refused(
        lambda: fetching.fetch("small", base_url=server.url, timeout=0.2, retries=1)
    )
    assert len(server.asked) == 2
    assert not place.exists()


def test_no_network_is_one_line(place: Path, cache: Path, refused: Refused) -> None:
    message = refused(lambda: fetching.fetch("small", base_url=nobody(), retries=1))
    assert "connection refused" in message
    assert files(cache) == []


def test_an_endless_answer_is_cut_off(
    server: Server, place: Path, cache: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_MAX_BYTES", 1000)
    assert "the answer is larger than" in refused(
        lambda: fetching.fetch("small", base_url=server.url)
    )
    assert files(cache) == []


def test_an_interruption_leaves_nothing_half(server: Server, place: Path, cache: Path) -> None:
    def stop(gained: int) -> None:
        raise KeyboardInterrupt

    with hearing(stop), pytest.raises(KeyboardInterrupt):
        fetching.fetch("small", base_url=server.url)
    assert files(cache) == []
    assert fetching.fetch("small", base_url=server.url).read_bytes() == RIGHT


def test_two_at_once_do_not_mix(server: Server, place: Path, cache: Path) -> None:
    found: list[bytes] = []
    work = [
        threading.Thread(
            target=lambda: found.append(fetching.fetch("small", base_url=server.url).read_bytes())
        )
        for _ in "abcd"
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert found == [RIGHT] * 4
    assert files(cache) == ["small set.json"]


@pytest.mark.parametrize(
    "script", [["right"], ["half", "right"], ["half", "half_unsized", "right"]]
)
def test_progress_adds_up(script: list[str], server: Server, place: Path) -> None:
    server.script = script
    gained: list[int] = []
    with hearing(gained.append):
        for _ in range(2):
            fetching.fetch("small", base_url=server.url)
    assert sum(gained) == 2 * len(RIGHT)


def test_a_cache_that_is_no_folder_is_named(
    server: Server, sets: None, cache: Path, refused: Refused
) -> None:
    put(cache, b"in the way")
    message = refused(lambda: fetching.fetch("small", base_url=server.url))
    assert str(cache) in message
    assert "QALDGEN_CACHE" in message


def test_the_usual_cache_is_that_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QALDGEN_CACHE")
    assert "qaldgen" in cache_dir().parts


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"timeout": 0.0}, "timeout"),
        ({"retries": -1}, "retries"),
        ({"base_url": "ftp://x"}, "ftp://x"),
    ],
)
def test_wrong_options_are_a_wrong_call(
    options: dict[str, float | str], word: str, sets: None, refused: Refused
) -> None:
    assert word in refused(lambda: fetching.fetch("small", **options), UsageError)  # type: ignore[arg-type]


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("qald-9", "qald-9-train"),
        ("qald9-train", "qald-9-train"),
        ("LC-QuAD-1", "lc-quad-1-test"),
        ("rubq-2-dev", "rubq-2.0-dev"),
    ],
)
def test_unknown_names_show_those_near(name: str, near: str, refused: Refused) -> None:
    assert near in refused(lambda: fetching.fetch(name), UsageError)


def test_resolve_takes_a_path_before_a_name(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "small", b"mine")
    assert fetching.resolve("small") == Path("small")
    assert fetching.resolve(tmp_path) == tmp_path


def test_resolve_fetches_a_name(place: Path) -> None:
    put(place, RIGHT)
    gained: list[int] = []
    with hearing(gained.append):
        assert fetching.resolve("small") == place
    assert gained == [len(RIGHT)]


def test_resolve_tells_a_name_from_a_file(refused: Refused) -> None:
    assert "qald-9-train" in refused(lambda: fetching.resolve("qald-9-trian"), UsageError)
    assert "check the name" in refused(lambda: fetching.resolve("set.json"))
    assert "check the name" in refused(lambda: fetching.resolve("folder/qald-9-train"))


# --- the command --------------------------------------------------------------------------------


def run(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_list_names_every_set() -> None:
    lines = run("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *catalog.entries()]
    assert "1,065,192" in next(line for line in lines if line.startswith("qald-9-test "))


def test_list_as_json_and_csv_say_the_same() -> None:
    listed = json.loads(run("list", "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run("list", "--format", "csv").stdout)))
    assert (
        [one["name"] for one in listed] == [row["name"] for row in rows] == list(catalog.entries())
    )
    assert [one["citation"] for one in listed] == [row["citation"] for row in rows]
    assert [" ".join(one["urls"]) for one in listed] == [row["urls"] for row in rows]
    assert {row["bytes"] for row in rows if not row["bytes"].isdigit()} == {""}


def test_fetch_prints_paths_and_cites_beside_them(
    server: Server, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "HOST", server.url)
    result = run("fetch", "small", "pair", "--cite")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [str(place), str(place.parent.parent / "dev")]
    assert result.stderr.splitlines() == [
        f"{name}: Nobody: Nothing. Licence: CC0 (github.com/some/where)"
        for name in ("small", "pair")
    ]


def test_fetch_knows_all_names_before_it_starts(
    server: Server, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "HOST", server.url)
    assert isinstance(run("fetch", "small", "smal").exception, UsageError)
    assert server.asked == []


def test_importing_the_catalogue_is_light() -> None:
    code = (
        "import sys, qaldgen.questions.catalog as c; c.entries()\n"
        "print([n for n in ('aiohttp', 'requests', 'pandas') if n in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )

"""Credentials reach no journal, message, traceback, log or benchmark, whatever a server does."""

from __future__ import annotations

import base64
import contextlib
import html
import json
import logging
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import hostile_servers as servers
import pytest
import sparql_servers
from asked import ask_one
from calls import skip_without
from live_servers import LiveServer, chat

from qaldgen.answers.resume import Resumed
from qaldgen.asking.asking import ask_all
from qaldgen.asking.protocols import make_asker
from qaldgen.asking.systems import Chat, System
from qaldgen.cli.main import main
from qaldgen.errors import EndpointError, QaldgenError
from qaldgen.io.web.access import SYSTEM, Secrets, find_access
from qaldgen.model import Question
from qaldgen.questions import fetching
from qaldgen.questions.reading import read_questions
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.gold_queries import execute_gold

USER, PASSWORD, TOKEN, KEY = "me", "s3cr3t&/wörd", "t0ken.of-mine_123", "k3y~of+mine"
CODE = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
SPARQL = "SELECT ?x { ?x <http://x.org/p> ?y }"


def forms() -> set[str]:
    """Return ways to find a secret that are independent of those of the program."""
    found: set[str] = set()
    for secret in (PASSWORD, CODE, TOKEN, KEY):
        data = secret.encode()
        found |= {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], html.escape(secret)}
        found |= {data.hex(), data.hex().upper()}
        found |= {base64.b64encode(b"x" * shift + data).decode()[4:-4] for shift in range(3)}
        found |= {"".join(f"\\u{ord(sign):04x}" for sign in secret), secret[:-2]}
    return {form.lower() for form in found}


FORMS = forms()


def leaks(*texts: str) -> list[str]:
    """Return the forms of secrets that stand in some texts."""
    together = "\n".join(texts).lower()
    return sorted(form for form in FORMS if form in together)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("ENDPOINT", "SYSTEM"):
        for name in ("USER", "PASSWORD", "AUTH", "TOKEN"):
            monkeypatch.delenv(f"QALDGEN_{kind}_{name}", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture(params=["password", "token"])
def secret_url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A URL to be completed with the port, with a key; a password in it, or a token elsewhere."""
    for kind in ("ENDPOINT", "SYSTEM"):
        if request.param == "token":
            monkeypatch.setenv(f"QALDGEN_{kind}_TOKEN", TOKEN)
    at = f"{USER}:{quote(PASSWORD, safe='')}@" if request.param == "password" else ""
    return f"http://{at}127.0.0.1:PORT/qa?apikey={quote(KEY, safe='')}&kb=x"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "two.json"
    rest = {
        "question": [{"language": "en", "string": "Who?"}],
        "query": {"sparql": SPARQL},
        "answers": [{"boolean": True}],
    }
    asked = [{"id": key, **rest} for key in ("1", "2")]
    path.write_text(json.dumps({"questions": asked}), encoding="utf-8")
    return path


def url_of(server: servers.HostileServer, pattern: str) -> str:
    return pattern.replace("PORT", str(server.port))


Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in a folder, and return all that it leaves behind.

    Stdout, stderr and every file.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path / "cache"))

    def call(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["qaldgen", *words])
        with contextlib.suppress(SystemExit):
            main()
        out, err = capfd.readouterr()
        files = [
            path.read_bytes().decode("utf-8", "replace")
            for path in tmp_path.rglob("*")
            if path.is_file()
        ]
        return "\n".join([out, err, *files])

    return call


# --- systems --------------------------------------------------------------------------------------


def asked(url: str, questions: Path, folder: Path) -> tuple[Resumed, str]:
    """Ask a system, and return the outcome and the journal."""
    system = make_asker(System(url, timeout=5, retries=0))
    done = ask_all(read_questions(questions), system, folder / "run.jsonl")
    return done, (folder / "run.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("place", servers.PLACES)
def test_journal_of_a_system_that_echoes(
    place: str,
    secret_url: str,
    questions: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with servers.HostileServer(servers.echo(place)).running() as server:
        done, journal = asked(url_of(server, secret_url), questions, tmp_path)
    assert server.requests
    assert leaks(journal, str(done), repr(done), *done.notes, caplog.text) == []
    assert all(response.error.isprintable() for response in done.responses.values())


@pytest.mark.parametrize("written", servers.WRITTEN)
def test_an_answer_that_repeats_the_credentials_is_kept_without_them(
    written: str, secret_url: str, questions: Path, tmp_path: Path
) -> None:
    step = servers.echo("answer of a system", written)
    with servers.HostileServer(step).running() as server:
        done, journal = asked(url_of(server, secret_url), questions, tmp_path)
    assert [response.status for response in done.responses.values()] == ["answered"] * 2
    assert "***" in journal
    assert leaks(journal) == []


@pytest.mark.parametrize(
    ("token", "model"),
    [
        ("EMPTY", "tiny"),
        ("none", "tiny"),
        ("1234", "tiny"),
        ("sk-no-key-required", "tiny"),
        ("xxxxxxxxxxxxxxxxxxxx", "tiny"),
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("qwen2.5-7b", "Qwen/Qwen2.5-7B-Instruct"),
    ],
)
def test_a_placeholder_is_no_secret(
    token: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_SYSTEM_TOKEN", token)
    document = chat(f"Empty, {token.title()} or {token}?")
    document |= {"id": token, "usage": {"prompt_tokens": 1234, "completion_tokens": 1}}
    with LiveServer(lambda _: document | {"model": model}).running() as server:
        said = ask_one(System(server.url, "openai", chat=Chat(model)), "Who?")
    assert said.status == "answered", said.error
    assert (said.call.raw, said.call.model) == (f"Empty, {token.title()} or {token}?", model)
    assert said.call.tokens_in == 1234


def test_weak_password_does_not_spoil_honest_answers(questions: Path, tmp_path: Path) -> None:
    words = b"the dba of a dba, and administration"
    with servers.HostileServer(servers.reply(servers._qald(words))).running() as server:
        url = f"http://admin:dba@127.0.0.1:{server.port}/qa?kb=administration&lang=en"
        done, journal = asked(url, questions, tmp_path)
    assert done.responses["1"].status == "answered", done.responses["1"].error
    assert words.decode() in journal


def test_credentials_of_a_system_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QALDGEN_SYSTEM_TOKEN", TOKEN)
    assert find_access("http://127.0.0.1/qa", SYSTEM).authorization == f"Bearer {TOKEN}"


@pytest.mark.parametrize("place", ["answer of a system", "error in JSON"])
def test_ask_and_score_leave_nothing_secret(
    place: str, secret_url: str, questions: Path, run: Run
) -> None:
    with servers.HostileServer(servers.echo(place)).running() as server:
        url = url_of(server, secret_url)
        left = run("ask", str(questions), "--url", url, "-o", "run.jsonl", "--retries", "0")
    left += run("report", str(questions), "run.jsonl", "-o", "report.html")
    assert '"status": ' in left
    assert leaks(left) == []


# --- endpoints ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [place for place in servers.PLACES if place[:3] != "row"])
def test_errors_of_an_endpoint_that_echoes(
    place: str, secret_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with servers.HostileServer(servers.echo(place)).running() as server:
        endpoint = Endpoint(url_of(server, secret_url), timeout=5, retries=0)
        with pytest.raises(EndpointError) as caught:
            endpoint.select(SPARQL)
        asked = Question("1", {"en": ("Who?",)}, queries={"": SPARQL})
        done = execute_gold([asked], endpoint, journal=tmp_path / "gold.jsonl")
    told = "".join(traceback.format_exception(caught.value))
    journal = (tmp_path / "gold.jsonl").read_text(encoding="utf-8")
    assert (
        leaks(
            told,
            repr(caught.value),
            repr(vars(caught.value)),
            journal,
            caplog.text,
            *done.notes,
            repr(endpoint),
        )
        == []
    )
    assert str(caught.value).isprintable()


def test_rows_that_repeat_the_credentials_are_kept_without_them(secret_url: str) -> None:
    def step(client: servers.Client) -> None:
        if b"COUNT" in client.request:
            servers.reply(servers._sparql(b"1"))(client)
        else:
            servers.echo("row of an endpoint")(client)

    with servers.HostileServer(step).running() as server:
        rows = Endpoint(url_of(server, secret_url), retries=0).select(SPARQL)
    assert "***" in str(rows)
    assert leaks(str(rows)) == []


@pytest.mark.parametrize("place", ["row of an endpoint", "error in plain text"])
@pytest.mark.parametrize(
    "command",
    [
        ["select", "-o", "table.csv", "--dropped"],
        ["sample", "-n", "1", "-o", "bench.ttl"],
        [
            "annotate",
            "two.json",
            "--journal",
            "gold.jsonl",
            "-o",
            "features.ttl",
            "--lang",
            "xx",
            "--refresh",
        ],
        ["check", "two.json"],
    ],
)
def test_commands_on_an_endpoint_leave_nothing_secret(
    command: list[str], place: str, secret_url: str, questions: Path, tmp_path: Path, run: Run
) -> None:
    skip_without(command[0])
    (tmp_path / "q.rq").write_text("SELECT ?qId ?x { ?qId <http://x.org/p> ?x }", encoding="utf-8")
    query = [] if "two.json" in command else ["-q", "q.rq"]
    with servers.HostileServer(servers.echo(place)).running() as server:
        left = run(*command, *query, "-e", url_of(server, secret_url))
    assert server.requests
    assert leaks(left) == []


def test_benchmark_from_an_endpoint_names_no_credentials(
    secret_url: str, tmp_path: Path, run: Run
) -> None:
    facts = "".join(f"<http://x.org/q{n}> <http://x.org/p> {n} ." for n in range(1, 9))
    (tmp_path / "q.rq").write_text("SELECT ?qId ?x { ?qId <http://x.org/p> ?x }", encoding="utf-8")
    with sparql_servers.StubServer(facts).running() as stub:
        url = secret_url.replace("PORT", str(stub.server_address[1]))
        left = run(
            "sample",
            "-e",
            url,
            "-q",
            "q.rq",
            "-n",
            "3",
            "-m",
            "km++",
            "-o",
            "bench.ttl",
            "-o",
            "bench.csv",
        )
    assert "signature: table:" in left
    assert (tmp_path / "bench.ttl").exists()
    assert leaks(left) == []


def test_digest_response_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QALDGEN_ENDPOINT_AUTH", "digest")

    def step(client: servers.Client) -> None:
        sent = servers.credentials_in(client.request)
        challenge = b'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"\r\n'
        if b"Digest" in sent:
            servers.reply(b"no: " + sent, b"Content-Type: text/plain\r\n", b"403 Forbidden")(client)
        else:
            servers.reply(b"", challenge, b"401 Unauthorized")(client)

    with servers.HostileServer(step).running() as server, pytest.raises(EndpointError) as caught:
        Endpoint(f"http://me:s3cret@127.0.0.1:{server.port}/x", retries=0).ask("ASK {}")
    response = re.search(rb'response="(\w+)"', server.requests[1])
    assert response
    assert response[1].decode() not in str(caught.value)


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place", ["error in plain text", "status line", "redirect to a bad host", "answer of a system"]
)
def test_fetching_from_a_mirror_that_echoes(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path))
    monkeypatch.setattr("qaldgen.questions.fetching._FIRST_WAIT", 0.01)
    with (
        servers.HostileServer(servers.echo(place)).running() as server,
        pytest.raises(QaldgenError) as caught,
    ):
        fetching.fetch(
            "qald-9-train",
            base_url=f"http://me:{quote(PASSWORD, safe='')}@127.0.0.1:{server.port}",
            retries=1,
        )
    assert CODE.encode() in server.requests[0]
    assert (
        leaks("".join(traceback.format_exception(caught.value)), *map(str, tmp_path.rglob("*")))
        == []
    )


# --- proxies and redirects ------------------------------------------------------------------------


def test_password_of_a_proxy_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    with servers.HostileServer(servers.echo("error in plain text")).running() as proxy:
        monkeypatch.setenv(
            "http_proxy", f"http://me:{quote(PASSWORD, safe='')}@127.0.0.1:{proxy.port}"
        )
        with pytest.raises(EndpointError) as caught:
            Endpoint("http://host.invalid/x", retries=0).ask("ASK {}")
    assert CODE.encode() in proxy.requests[0]
    assert leaks(str(caught.value)) == []


def test_password_of_a_proxy_does_not_follow_a_redirect_past_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with servers.HostileServer(servers.reply(b'{"boolean": true}')).running() as other:
        away = servers.reply(b"", b"Location: " + other.url.encode() + b"\r\n", b"307 Moved")
        with servers.HostileServer(away).running() as proxy:
            monkeypatch.setenv("http_proxy", f"http://me:s3cret@127.0.0.1:{proxy.port}")
            assert Endpoint("http://host.invalid/x").ask("ASK {}")
    assert b"proxy-authorization" in proxy.requests[0].lower()
    assert b"uthorization" not in other.requests[0]


# --- what is found, and what is not ---------------------------------------------------------------


def test_message_is_masked_and_stays_readable() -> None:
    for text, shown in [
        (
            "Use Basic authentication or a Bearer token.",
            "Use Basic authentication or a Bearer token.",
        ),
        ("got Bearer eyJhbGciOi.x-y_z", "got Bearer ***"),
        ("see http://you:theirs@other.org/x", "see http://***@other.org/x"),
        ("dba may not read dbase", "*** may not read dbase"),
        ("Authorization: ZGJhOmRiYQ%3D%3D", "Authorization: ZGJhOmRiYQ%3D%3D"),
        ("bWU6ZGJh was sent", "*** was sent"),
        ('Digest response="0123456789abcdef0123456789abcdef"', 'Digest response=***"'),
        ("GET amqp://x:y@h/?n=1&token=abc", "GET amqp://***@h/?n=1&token=***"),
    ]:
        assert find_access("http://me:dba@host/", SYSTEM).secrets.mask(text) == shown


def test_parameters_that_say_what_is_asked_are_no_secrets() -> None:
    query = (
        "lang=en&default-graph-uri=http://x.org/g2024-01&engine=llama-3.1-8b-instruct"
        "&keyword=true&since=2024-01-01&author=Ada"
    )
    assert find_access(f"http://host/x?{query}", SYSTEM).secrets.mask(query) == query


@pytest.mark.parametrize(
    "query",
    [
        "key=k3yk3y",
        "X-Amz-Signature=0a1b2c",
        "accessToken=0a1b2c",
        "k=0f8a7b6c5d4e3f2a1b",
        "sid=0a1b2c",
    ],
)
def test_parameters_that_look_like_keys_are_secrets(query: str) -> None:
    secrets = find_access(f"http://host/x?{query}", SYSTEM).secrets
    value = query.partition("=")[2]
    assert value not in secrets.redact(f'["/x?{query}"]')
    assert value not in secrets.mask(f"no such key: {value}")


def test_the_user_may_be_an_e_mail_address() -> None:
    secrets = find_access("http://ann%40mail.org:pa55@host/x", SYSTEM).secrets
    assert secrets.mask("ann@mail.org (pa55) is not known") == "*** (***) is not known"


# --- what is shown of addresses -------------------------------------------------------------------


def test_refused_address_shows_nothing_secret() -> None:
    for url in [
        "http://me:{}@[/x",
        "http://me:{}@ho st/x",
        "http://me:{}/more@host/x",
        "http://me:1/{}@host/x",
        "http://me:{}?more@host/x",
        "http://me:{}#more@host/x",
        "me:{}@host/x",
        "ftp://me:{}@host/x?key={}",
        "http:me:{}@host/x",
        "http://host:port/x?key={}",
        "http://host/a b?key={}",
    ]:
        with pytest.raises(QaldgenError) as caught:
            find_access(url.format("hunter2", "hunter2"), SYSTEM)
        assert "unter" not in str(caught.value)


def test_objects_show_no_credentials() -> None:
    url = f"http://{USER}:{quote(PASSWORD, safe='')}@host/x?apikey={quote(KEY)}"
    shown = repr([find_access(url, SYSTEM), Endpoint(url), System(url), Secrets([PASSWORD])])
    assert "host/x" in shown
    assert leaks(shown) == []


def test_secret_parameters_are_not_even_hashed() -> None:
    names = [
        Endpoint(f"http://host/x{query}")
        for query in ("?kb=a", "?kb=a&apikey=1", "?kb=a&apikey=2", "?kb=b")
    ]
    labels = [find_access(one.url, SYSTEM).address.label for one in names]
    assert labels[0] == labels[1] == labels[2] != labels[3]


@pytest.mark.parametrize(
    "words", [["select", "http://me:s3cr3t@h/x"], ["ask", "q", "http://me:s3/cr3t@h"]]
)
def test_wrong_call_shows_no_password(words: list[str], run: Run) -> None:
    left = run(*words)
    assert "http://***@h" in left
    assert "cr3t" not in left


def test_a_part_of_the_name_of_a_server_is_a_secret() -> None:
    secrets = Secrets(["endpoint4821"], public="https://my-endpoint4821.example.org/sparql")
    assert "endpoint4821" not in secrets.redact("no access with endpoint4821")

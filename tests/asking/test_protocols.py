"""Each protocol sends what it should, reads what comes, and fails with a reason otherwise."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked import ask_one
from live_servers import LiveServer, Seen, chat
from pyoxigraph import Literal, NamedNode, Quad

import qaldgen as qg
from qaldgen.answers.record import Response
from qaldgen.asking.http_protocols import same_question
from qaldgen.asking.language_models import load_prompt
from qaldgen.asking.protocols import PROTOCOLS, make_asker, system_of
from qaldgen.asking.replies import READINGS, reply_of
from qaldgen.asking.systems import Chat, NoAnswer, PosedQuestion, System
from qaldgen.errors import UsageError
from qaldgen.model import Answers
from qaldgen.stores.local import LocalStore, open_quads

QUERY = "SELECT ?x { <http://x.org/a> <http://x.org/p> ?x }"
DATA = "https://text2sparql.example/2026/"
Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture(scope="module")
def kg() -> LocalStore:
    return open_quads(
        "g", [Quad(NamedNode("http://x.org/a"), NamedNode("http://x.org/p"), Literal("seven"))]
    )


def values(response: Response) -> list[str]:
    assert response.answers is not None, response.error
    return response.answers.values()


# --- GERBIL ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry",
    [
        {"question": [{"language": "en", "string": "Who was it?"}]},
        {
            "question": [
                {"language": "en", "string": "Another one"},
                {"language": "de", "string": "Noch eine"},
            ]
        },
        {"question": {"language": [{"language": "en", "question": "Who was it?"}]}},
        {"question": "Who was it?"},
    ],
)
def test_reply_about_another_question_fails(entry: dict[str, object]) -> None:
    said = {"questions": [{**entry, "answers": [{"boolean": True}]}]}
    with LiveServer(lambda _: said).running() as server:
        given = ask_one(System(server.url), "Who is it?")
    assert given.status == "failed"
    assert "about another question" in given.error
    assert json.loads(given.call.raw) == said


@pytest.mark.parametrize("text", ["Who is it?", "who is it ?", " WHO IS IT"])
def test_reply_that_repeats_our_question_is_fine(text: str) -> None:
    said = {
        "questions": [
            {"question": [{"language": "en", "string": text}], "answers": [{"boolean": True}]}
        ]
    }
    with LiveServer(lambda _: said).running() as server:
        assert ask_one(System(server.url), "Who is it?").status == "answered"


def test_questions_in_other_scripts_are_told_apart() -> None:
    assert not same_question("哪棵树最高?", "哪棵树最老?")
    assert same_question("Który dąb?", "KtÃ³ry dÄ…b?")


# --- TEXT2SPARQL ----------------------------------------------------------------------------------


def t2s(said: object, kg: LocalStore, **more: Any) -> tuple[Response, Seen]:  # noqa: ANN401
    with LiveServer(lambda _: said).running() as server:
        system = System(
            f"{server.url}/ask?key=k", "text2sparql", dataset=DATA, kg=kg, retries=0, **more
        )
        return ask_one(system, "How much & when?"), server.requests[0]


def test_text2sparql_sends_and_executes(kg: LocalStore) -> None:
    given, seen = t2s({"dataset": DATA, "question": "How much & when?", "query": QUERY}, kg)
    assert (seen.method, seen.query) == (
        "GET",
        {"key": "k", "dataset": DATA, "question": "How much & when?"},
    )
    assert (values(given), given.query) == (["seven"], QUERY)


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({"dataset": DATA, "question": "How much & when?"}, "failed", "no text in 'query'"),
        (
            {"dataset": DATA, "question": "How much & when?", "query": None},
            "failed",
            "no text in 'query'",
        ),
        (
            {"dataset": DATA, "question": "Who?", "query": QUERY},
            "failed",
            "another question: 'Who?'",
        ),
        (
            {"dataset": "urn:x", "question": "How much & when?", "query": QUERY},
            "failed",
            "another data set: 'urn:x'",
        ),
        (
            {"dataset": DATA, "question": "How much & when?", "query": "SELECT ?x {"},
            "failed",
            "gives no answer",
        ),
        (
            {"dataset": DATA, "question": "How much & when?", "query": "DROP ALL"},
            "failed",
            "only SELECT and ASK",
        ),
        ({"dataset": DATA, "question": "How much & when?", "query": " "}, "empty", ""),
        ((500, {}, {"query": QUERY}), "failed", "HTTP 500"),
        ("<html>Busy</html>", "failed", "a web page, not JSON"),
        ("[]", "failed", "no object"),
    ],
)
def test_text2sparql_reply_that_is_none(
    kg: LocalStore, said: object, status: str, words: str
) -> None:
    given, _ = t2s(said, kg)
    assert given.status == status
    assert words in given.error


def test_text2sparql_needs_a_graph(refused: Refused) -> None:
    assert "`kg`" in refused(
        lambda: make_asker(System("http://localhost/", "text2sparql")), UsageError
    )


# --- chat models ----------------------------------------------------------------------------------


def ask_model(
    said: object,
    *,
    kg: LocalStore | None = None,
    **chat_options: Any,  # noqa: ANN401
) -> tuple[Response, Seen]:
    with LiveServer(lambda _: said).running() as server:
        how = Chat(**{"model": "tiny", **chat_options})
        system = System(f"{server.url}/v1", "openai", kg=kg, retries=0, chat=how)
        return ask_one(system, "Where is it?"), server.requests[0]


def test_chat_sends_model_prompt_and_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QALDGEN_SYSTEM_TOKEN", "sk-s3cr3t-t0ken")
    given, seen = ask_model(chat(" Ulm\n"))
    assert (seen.method, seen.path, seen.headers["Authorization"]) == (
        "POST",
        "/v1/chat/completions",
        "Bearer sk-s3cr3t-t0ken",
    )
    body = seen.json
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == (
        "tiny",
        0,
        0,
        256,
    )
    assert [one["role"] for one in body["messages"]] == ["user"]
    assert "Question: Where is it?" in body["messages"][0]["content"]
    assert (values(given), given.call.raw, given.call.model) == (["Ulm"], " Ulm\n", "tiny-1")
    assert (given.call.tokens_in, given.call.tokens_out, given.call.cost) == (40, 2, None)


def test_key_comes_from_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-fr0m-a-f1le\n")
    with LiveServer(lambda _: chat("Ulm")).running() as server:
        ask_one(
            System(server.url, "openai", key_file=tmp_path / "key", chat=Chat("tiny")), "Where?"
        )
        assert server.requests[0].headers["Authorization"] == "Bearer sk-fr0m-a-f1le"


@pytest.mark.parametrize("from_file", [False, True])
def test_headers_are_added_and_their_secrets_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, from_file: bool
) -> None:
    text = "api-key: k3y-0f-th1s-t3st\n\nX-Team: Müll".replace("ü", "u")
    (tmp_path / "headers").write_text(text)
    monkeypatch.setenv("QALDGEN_SYSTEM_HEADERS", "" if from_file else text)
    said = chat("my headers are k3y-0f-th1s-t3st")
    with LiveServer(lambda _: said).running() as server:
        system = System(
            server.url,
            "openai",
            header_file=tmp_path / "headers" if from_file else None,
            chat=Chat("tiny"),
        )
        given = ask_one(system, "Where?")
        sent = server.requests[0].headers
    assert (sent["api-key"], sent["X-Team"]) == ("k3y-0f-th1s-t3st", "Mull")
    assert given.answers and given.answers.values() == ["my headers are ***"]
    assert "k3y-0f" not in repr(given) + repr(system)


@pytest.mark.parametrize(
    "text", ["no colon", "a b: c", "X: \x01", "Authorization: Bearer x", "Host: x", ": x"]
)
def test_header_that_is_none_is_refused(
    text: str, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.setenv("QALDGEN_SYSTEM_HEADERS", text)
    message = refused(lambda: make_asker(System("http://localhost/")), UsageError)
    assert "QALDGEN_SYSTEM_HEADERS" in message
    assert "Bearer" not in message


def test_options_of_the_request_are_changed_and_left_out() -> None:
    _, seen = ask_model(
        chat("Ulm"),
        options={
            "temperature": None,
            "max_tokens": None,
            "max_completion_tokens": 9,
            "stop": ["\n"],
        },
    )
    assert seen.json.keys() == {"model", "messages", "seed", "max_completion_tokens", "stop"}


def test_cost_is_that_of_the_tokens() -> None:
    given, _ = ask_model(chat("Ulm"), price_in=2.0, price_out=10.0)
    assert given.call.cost == pytest.approx((40 * 2 + 2 * 10) / 1e6)


def test_reply_without_usage_costs_the_most_it_can() -> None:
    given, seen = ask_model(chat("Ulm", usage=None), price_in=1.0, price_out=1.0)
    prompt = len(seen.json["messages"][0]["content"].encode())
    assert given.call.cost == pytest.approx((prompt + 64 + 256) / 1e6)


def test_answer_is_found_in_the_reply() -> None:
    for reply, expected in [
        ("Ulm", ["Ulm"]),
        ("<think>Perhaps Bonn?</think>Ulm", ["Ulm"]),
        ("<think>cut off", []),
        ("I say <answer>Ulm</answer>.", ["Ulm"]),
        ('{"answer": "Ulm"}', ["Ulm"]),
        ('```json\n{"answers": ["Ulm", 7]}\n```', ["Ulm", "7"]),
        ('{"answer": true}', ["true"]),
        ("{not JSON}", ["{not JSON}"]),
        ('{"other": 1}', ['{"other": 1}']),
        ("", []),
        ("[" * 100_000, ["[" * 100_000]),
    ]:
        said = READINGS["auto"](reply)
        assert said.answers is not None and said.answers.values() == expected


@pytest.mark.parametrize(
    ("way", "reply"),
    [("json", "Ulm"), ("tag", "Ulm"), ("sparql", "I do not know."), ("json", "[7]")],
)
def test_reply_without_what_was_asked_for_fails_and_is_kept(
    way: str, reply: str, kg: LocalStore
) -> None:
    given, _ = ask_model(chat(reply), kg=kg, answer_in=way)
    assert (given.status, given.call.raw) == ("failed", reply)
    assert given.call.tokens_out == 2


@pytest.mark.parametrize(
    "reply",
    [
        QUERY,
        f"```sparql\n{QUERY}\n```",
        f"Sure!\n```\n{QUERY}\n```\nThat is it.",
        json.dumps({"query": QUERY}),
        f"Here: {QUERY}",
    ],
)
def test_query_of_a_model_is_executed(reply: str, kg: LocalStore) -> None:
    given, seen = ask_model(chat(reply), kg=kg, prompt="sparql")
    assert (values(given), given.query, given.call.raw) == (["seven"], QUERY, reply)
    assert "SPARQL" in seen.json["messages"][0]["content"]


def test_product_of_everything_does_not_fill_the_memory() -> None:
    numbers = [
        Quad(NamedNode(f"http://x.org/{n}"), NamedNode("http://x.org/p"), Literal(n))
        for n in range(1_000)
    ]
    given, _ = ask_model(
        chat("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"),
        kg=open_quads("g", numbers),
        prompt="sparql",
    )
    assert given.status == "failed"
    assert "more than 100,000 rows" in given.error


def test_query_that_takes_too_long_is_a_timeout(
    kg: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qaldgen.asking.asking.answers_of", lambda _kg, _query: time.sleep(3))
    with LiveServer(lambda _: chat(QUERY)).running() as server:
        system = System(server.url, "openai", kg=kg, timeout=0.2, chat=Chat("tiny", "sparql"))
        given = ask_one(system, "Where?")
    assert (given.status, given.query) == ("timeout", QUERY)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"choices": []}, "no message"),
        (
            {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]},
            "withheld",
        ),
        ({"error": {"message": "no"}}, "no chat completion (no)"),
        (
            (400, {}, {"error": {"message": "Unsupported parameter", "param": "temperature"}}),
            "temperature",
        ),
    ],
)
def test_chat_reply_that_is_none(said: object, words: str) -> None:
    given, _ = ask_model(said)
    assert given.status == "failed"
    assert words in given.error


OLLAMA = {"model": "m", "message": {"role": "assistant", "content": "Ulm"}, "done": True}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ((404, {}, "404 page not found"), "HTTP 404"),
        ((405, {}, {"detail": "Method Not Allowed"}), "HTTP 405"),
        (OLLAMA, "it has no choices"),
        ("\n".join(2 * [json.dumps(OLLAMA)]), "not valid JSON"),
        ({"error": "Unexpected endpoint or method."}, "Unexpected endpoint or method."),
        ("<html><body>Open the app", "is a web page"),
    ],
)
def test_address_without_a_version_is_pointed_to_it(said: object, words: str) -> None:
    with LiveServer(lambda _: said).running() as server:
        for path in ("", "/", "/api", "/api/chat"):
            given = ask_one(System(server.url + path, "openai", chat=Chat("m")), "Where?")
            assert words in given.error
            assert given.error.endswith("usually end in /v1")


def test_address_with_a_version_is_not_doubted() -> None:
    with LiveServer(lambda _: (404, {}, "no such model")).running() as server:
        given = ask_one(System(f"{server.url}/v1", "openai", chat=Chat("m")), "Where?")
    assert given.error.endswith("no such model")


def test_address_of_the_completions_themselves_is_taken() -> None:
    with LiveServer(lambda _: chat("Ulm")).running() as server:
        where = f"{server.url}/v1/chat/completions"
        assert ask_one(System(where, "openai", chat=Chat("m")), "Where?").status == "answered"
    assert [one.path for one in server.requests] == ["/v1/chat/completions"]


def test_cut_reply_is_told() -> None:
    said = {"choices": [{"message": {"content": "Ulm and"}, "finish_reason": "length"}]}
    given, _ = ask_model(said)
    assert (given.status, given.error) == ("answered", "the reply was cut at the limit of tokens")


def test_recorded_requests_of_other_tools_are_what_we_send(llm_logs: Path) -> None:
    theirs = json.loads((llm_logs / "http" / "request_inspect.json").read_text())
    body = theirs.get("body", theirs)
    _, seen = ask_model(chat("Ulm"))
    assert {"model", "messages"} <= set(body) and {"model", "messages"} <= seen.json.keys()


# --- prompts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{ question", "line 1"),
        ("{% for %}", "line 1"),
        ("{{ answer }}", "'answer' is undefined"),
        ("{{ gold.answers }}", "'gold' is undefined"),
        ("{{ question.__class__.__mro__ }}", "cannot be filled"),
        ("{{ 1 / 0 }}", "cannot be filled"),
        ("{% include '/etc/passwd' %}", "cannot be filled"),
        ("", "is empty"),
        ("Answer in a few words.", "does not show the question"),
        ("{{ language }}: {{ options }}", "does not show the question"),
        ("{{ question }}{% for one in range(90000) %}{{ question * 90000 }}{% endfor %}", "longer"),
    ],
)
def test_prompt_that_fails_is_refused_before_anybody_is_asked(
    template: str, words: str, tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / "mine.j2").write_text(template)
    assert words in refused(lambda: load_prompt(str(tmp_path / "mine.j2")), UsageError)


def test_prompt_that_is_not_there_or_no_text(tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "odd.j2").write_bytes(b"\xff\xfe\x00")
    assert "No such file" in refused(lambda: load_prompt(str(tmp_path / "none.j2")), UsageError)
    assert "UTF-8" in refused(lambda: load_prompt(str(tmp_path / "odd.j2")), UsageError)


def test_prompt_sees_question_options_and_context(tmp_path: Path) -> None:
    (tmp_path / "mine.j2").write_text(
        "{{ language }}|{{ question }}|{{ options | join(', ') }}|{{ context }}"
    )
    filled = load_prompt(str(tmp_path / "mine.j2")).fill(
        PosedQuestion("Wer {{ 7 }}?", "de", ("a", "b"), "T")
    )
    assert filled == "de|Wer {{ 7 }}?|a, b|T"


def test_prompt_that_fails_on_one_question_fails_that_question(tmp_path: Path) -> None:
    (tmp_path / "mine.j2").write_text("{{ question }} {{ 1 / (question | length - 6) }}")
    with LiveServer(lambda _: chat("Ulm")).running() as server:
        system = System(server.url, "openai", chat=Chat("tiny", str(tmp_path / "mine.j2")))
        failed = ask_one(system, "Where?")
        assert failed.status == "failed"
        assert "mine.j2: the prompt cannot be filled (division by zero)" in failed.error
        assert ask_one(system, "Where is it?").status == "answered"
    assert len(server.requests) == 1


# --- functions ------------------------------------------------------------------------------------


def test_what_a_function_may_return() -> None:
    for value, expected in [
        ("Ulm", ["Ulm"]),
        ("", []),
        (None, []),
        (True, ["true"]),
        (7, ["7"]),
        (1.5, ["1.5"]),
        ([], []),
        (["a", 7], ["a", "7"]),
        ({"answer": "Ulm"}, ["Ulm"]),
        ({"answers": ["a", "b"]}, ["a", "b"]),
        ({"boolean": False}, ["false"]),
        (
            {
                "head": {"vars": ["x"]},
                "results": {"bindings": [{"x": {"type": "uri", "value": "urn:a"}}]},
            },
            ["urn:a"],
        ),
        ({"questions": [{"answers": [{"boolean": True}]}]}, ["true"]),
        (Answers(texts=(("a", "b"),)), ["a"]),
        ({"b", "a"}, ["a", "b"]),
    ]:
        given = qg.ask(one_question(), lambda text: value).responses["1"]  # noqa: B023 - called here
        assert values(given) == expected


@pytest.mark.parametrize(
    "value", [object(), {"a": object()}, [object()], b"bytes", {"unknown": 1}, {7: 8}]
)
def test_what_it_may_not_return_fails_with_the_rule(value: object) -> None:
    with pytest.raises(ValueError, match="is expected"):
        reply_of(value)


@pytest.mark.parametrize(
    "error",
    [
        KeyError("oh"), SystemExit(3), KeyboardInterrupt(), MemoryError(), RecursionError("deep"),
        # next() on nothing, and a task of the function that somebody else cancelled
        StopIteration(), StopAsyncIteration(), asyncio.CancelledError(), GeneratorExit(),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["sync", "async", "thread of its own"])
def test_function_that_raises_fails_one_question(error: BaseException, kind: str) -> None:
    def sync(name: str, text: str) -> str:
        if name == "1":
            raise error
        return "Ulm"

    async def asynchronous(name: str, text: str) -> str:
        return sync(name, text)

    def late(name: str, text: str) -> object:
        return asynchronous(name, text)

    function = {"sync": sync, "async": asynchronous, "thread of its own": late}[kind]
    run = qg.ask(questions(2), function)
    assert [one.status for one in run.responses.values()] == ["failed", "answered"]


def test_async_function_that_hangs_is_cancelled_and_the_others_go_on(tmp_path: Path) -> None:
    ended = []

    async def hang(name: str, text: str) -> str:
        try:
            await asyncio.sleep(30 if name == "1" else 0)
        finally:
            ended.append(name)
        return "Ulm"

    from asked import stub

    from qaldgen.asking.asking import ask_all

    done = ask_all(questions(2), stub("hang", hang, timeout=0.3), tmp_path / "run.jsonl")
    assert [one.status for one in done.responses.values()] == ["timeout", "answered"]
    assert ended == ["1", "2"]


def test_function_that_hangs_is_a_timeout_and_the_others_go_on() -> None:
    def hang(name: str, text: str) -> str:
        time.sleep(3 if name == "1" else 0)
        return "Ulm"

    from asked import stub

    from qaldgen.asking.asking import ask_all

    start = time.monotonic()
    with_limit = stub("hang", hang, timeout=0.2)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        done = ask_all(questions(2), with_limit, Path(folder) / "run.jsonl")
    assert [one.status for one in done.responses.values()] == ["timeout", "answered"]
    assert time.monotonic() - start < 2.5


def test_function_gets_what_it_asks_for_by_name(kg: LocalStore) -> None:
    def mine(text: str, *, store: LocalStore, language: str) -> dict[str, str]:
        assert (store, language) == (kg, "en")
        return {"query": QUERY}

    assert values(qg.ask(one_question(), mine, kg=kg).responses["1"]) == ["seven"]


def test_function_that_needs_more_is_refused(refused: Refused) -> None:
    def greedy(text: str, gold: object, more: object) -> str:
        return ""

    assert "has the wrong parameters" in refused(lambda: qg.ask(one_question(), greedy), UsageError)
    assert "needs a knowledge graph" in refused(
        lambda: qg.ask(one_question(), lambda text, store: ""), UsageError
    )


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("python:mine", "MODULE:FUNCTION"), ("python:mine:nothing", "cannot be imported"),
        ("python:nowhere_at_all:x", "imported"),
        ("python:mine:number", "cannot be called"), ("python:broken:x", "SyntaxError"),
        ("python:", "MODULE:FUNCTION"),
    ],
)  # fmt: skip
def test_function_that_is_not_there(
    place: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    (tmp_path / "mine.py").write_text("number = 7\ndef answer(text): return text.upper()\n")
    (tmp_path / "broken.py").write_text("def")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert words in refused(lambda: qg.ask(one_question(), place), UsageError)
    assert values(qg.ask(one_question(), "python:mine:answer").responses["1"]) == ["IS IT 1?"]
    del sys.modules["mine"]


# --- programs -------------------------------------------------------------------------------------


def program(folder: Path, text: str) -> str:
    path = folder / "answer.py"
    path.write_text("import json, os, sys, time\n" + textwrap.dedent(text))
    return f"{sys.executable} {path}"


LOOP = """
for line in sys.stdin:
    asked = json.loads(line)
    {}
    print(json.dumps({{"id": asked["id"], "answer": asked["question"].upper()}}), flush=True)
"""


def test_program_lives_through_the_run(tmp_path: Path) -> None:
    (tmp_path / "starts").touch()
    words = program(
        tmp_path, f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n" + LOOP.format("")
    )
    run = qg.ask(questions(6), f"command:{words}", jobs=2)
    assert [values(one) for one in run.responses.values()] == [
        [f"IS IT {number}?"] for number in range(1, 7)
    ]
    assert 1 <= len((tmp_path / "starts").read_text()) <= 2


def test_one_call_a_question_without_a_shell(tmp_path: Path) -> None:
    words = program(tmp_path, "print(sys.argv[1:])")
    given = ask_one(System(words + " {question} '--x={question}'", "command"), "Is $HOME; rm *?")
    assert values(given) == ["['Is $HOME; rm *?', '--x=Is $HOME; rm *?']"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            "if asked['question'] == 'Is it 1?': sys.exit('no more memory')",
            "ended with exit code 1: no more memory",
        ),
        ("if asked['question'] == 'Is it 1?': os._exit(3)", "ended with exit code 3"),
        (
            "if asked['question'] == 'Is it 1?': os.close(1); time.sleep(30)",
            "closed its output",
        ),
        ("if asked['question'] == 'Is it 1?': print('Ulm', flush=True); continue", "no JSON line"),
        (
            "if asked['question'] == 'Is it 1?': print('[' * 100_000, flush=True); continue",
            "no JSON line",
        ),
        (
            (
                "if asked['question'] == 'Is it 1?': print('{\"id\": 99, \"answer\": 1}',"
                " flush=True); continue"
            ),
            "another question",
        ),
        (
            (
                "if asked['question'] == 'Is it 1?': print('{\"error\": \"no idea\"}', flush=True);"
                " continue"
            ),
            "no idea",
        ),
        (
            "if asked['question'] == 'Is it 1?': print('x' * 30_000_000, flush=True); continue",
            "longer line",
        ),
        (
            (
                "sys.stderr.write('y' * 500_000)\n    if asked['question'] == 'Is it 1?':"
                " print('{}', flush=True); continue"
            ),
            "known field",
        ),
    ],
)
def test_program_that_fails_fails_one_question(tmp_path: Path, fault: str, words: str) -> None:
    run = qg.ask(questions(2), f"command:{program(tmp_path, LOOP.format(fault))}")
    first, second = run.responses.values()
    assert (first.status, second.status) == ("failed", "answered")
    assert words in first.error


def test_answer_after_a_line_that_is_none_is_not_taken_for_the_next_question(
    tmp_path: Path,
) -> None:
    greeting = """
    print("Loading ...", flush=True)
    for line in sys.stdin:
        print(json.dumps(json.loads(line)["question"]), flush=True)
    """
    run = qg.ask(questions(3), f"command:{program(tmp_path, greeting)}")
    assert [one.status for one in run.responses.values()] == ["failed"] * 3


def test_program_that_hangs_is_ended(tmp_path: Path) -> None:
    words = program(
        tmp_path, LOOP.format("time.sleep(30 if asked['question'] == 'Is it 1?' else 0)")
    )
    start = time.monotonic()
    run = qg.ask(questions(2), System(words, "command", timeout=1.0))
    assert [one.status for one in run.responses.values()] == ["timeout", "answered"]
    assert time.monotonic() - start < 15


def test_program_that_is_not_there() -> None:
    given = ask_one(System("/nowhere/at-all", "command"), "Who?")
    assert given.status == "failed"
    assert "cannot be started (No such file" in given.error


# --- recorded runs --------------------------------------------------------------------------------


def test_run_is_replayed(tmp_path: Path) -> None:
    first = qg.ask(
        questions(3),
        lambda name, text: text if name != "2" else 1 / 0,
        journal=tmp_path / "a.jsonl",
    )
    again = qg.ask(questions(4), f"recorded:{tmp_path / 'a.jsonl'}", journal=tmp_path / "b.jsonl")
    assert [one.status for one in again.responses.values()] == [
        "answered",
        "failed",
        "answered",
        "failed",
    ]
    assert [one.answers for one in again.responses.values()][:3] == [
        one.answers for one in first.responses.values()
    ]


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["oracle", "smtp:x", "gerbil:", "openai", ":", ""])
def test_text_that_names_no_system(text: str, refused: Refused) -> None:
    assert refused(lambda: system_of(text), UsageError)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_names_what_it_needs(name: str) -> None:
    assert PROTOCOLS[name].where
    assert PROTOCOLS[name].help


def test_no_answer_is_no_crash_of_the_type() -> None:
    assert NoAnswer("why").partial_reply.attempts == 1


def questions(count: int) -> qg.QuestionSet:
    return qg.QuestionSet(
        "few",
        "test",
        tuple(qg.Question(str(n), {"en": (f"Is it {n}?",)}) for n in range(1, count + 1)),
        sha256="0" * 64,
    )


def one_question() -> qg.QuestionSet:
    return questions(1)

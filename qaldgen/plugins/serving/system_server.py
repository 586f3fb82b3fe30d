"""One system as a server behind the protocols of GERBIL, TEXT2SPARQL and chat clients."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, unquote

from qaldgen.answers.record import Response
from qaldgen.asking.asking import ask_question
from qaldgen.asking.protocols import AnySystem, asker_of
from qaldgen.asking.systems import Asker, PosedQuestion
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError
from qaldgen.io import concurrency
from qaldgen.io.json_text import from_json
from qaldgen.io.web.retries import Gate
from qaldgen.model import Answers, QuestionSet
from qaldgen.questions.results_json import answers_json, as_literals
from qaldgen.rdf.terms import local_name
from qaldgen.stores.graphs import AnyGraph

if TYPE_CHECKING:
    from aiohttp import web


#: The line with the question in a prompt, of several the last one, as examples come first.
_QUESTION = re.compile(r"^[ \t]*(?:question|q)[ \t]*:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
#: The end of a prompt by other tools, after the question.
_ANSWER_CUE = re.compile(r"\n[ \t]*(?:[\w ]{0,30} )?answer[ \t]*:\s*\Z", re.IGNORECASE)
#: The largest request in bytes: far more than a question with its context needs.
_MAX_REQUEST_BYTES = 2**22


class Request(NamedTuple):
    """A request to the server."""

    body: bytes
    query: dict[str, str]  # the parameters of the address


class BadRequest(Exception):
    """A request that does not fit the protocol; the message has the reason."""


class ServedProtocol(NamedTuple):
    """A protocol that is served."""

    method: str  # the HTTP method
    read: Callable[[Request], PosedQuestion]  # reads the question of a request
    write: Callable[[PosedQuestion, Response, Request], object]  # writes the reply


def read_gerbil(request: Request) -> PosedQuestion:
    """Read GERBIL's form.

    Percent-encoded, or as GERBIL sends it, where ``&`` in a question does not end it.

    >>> read_gerbil(Request(b"query=Who is A & B?&lang=en", {})).text
    'Who is A & B?'
    """
    text = request.body.decode("utf-8", "replace")
    if not text.startswith("query="):
        fields = parse_qs(text)
        if "query" not in fields:
            raise BadRequest("the form has no field 'query'")
        return PosedQuestion(fields["query"][0], fields.get("lang", [""])[0])
    question = text.removeprefix("query=")
    language = ""
    if "&lang=" in text:
        question, _, language = question.rpartition("&lang=")
    # an encoded question has neither blanks nor ampersands
    if " " not in question and "&" not in question:
        question = unquote(question.replace("+", " "))
    return PosedQuestion(question, unquote(language))


def write_gerbil(question: PosedQuestion, response: Response, _request: Request) -> object:
    """Write QALD JSON."""
    answers = response.given
    if answers.texts:
        answers = as_literals(answers)
    entry = {
        "id": "1",
        "question": [{"language": question.language, "string": question.text}],
        "query": {"sparql": response.query},
        "answers": [answers_json(answers)],
    }
    return {"questions": [entry]}


def read_text2sparql(request: Request) -> PosedQuestion:
    """Read the parameters of the address."""
    if not request.query.get("question"):
        raise BadRequest("the parameter 'question' is missing")
    return PosedQuestion(request.query["question"], "")


def write_text2sparql(question: PosedQuestion, response: Response, request: Request) -> object:
    """Write data set, question and query."""
    return {
        "dataset": request.query.get("dataset", ""),
        "question": question.text,
        "query": response.query,
    }


def read_chat(request: Request) -> PosedQuestion:
    """Read the last message of the user; a line ``Question: ...`` in it is the question."""
    try:
        messages = from_json(request.body)["messages"]
        contents = [message["content"] for message in messages if message.get("role") == "user"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadRequest(
            "the body is JSON with 'messages', each with 'role' and 'content'"
        ) from None
    content = contents[-1] if contents else ""
    if isinstance(content, list):
        parts = [str(part.get("text", "")) for part in content if isinstance(part, dict)]
        content = "\n".join(parts)
    if not isinstance(content, str) or not content.strip():
        raise BadRequest("there is no message of the user")
    questions = _QUESTION.findall(content)
    text = questions[-1] if questions else _ANSWER_CUE.sub("", content)
    return PosedQuestion(text.strip(), "")


def write_chat(_question: PosedQuestion, response: Response, request: Request) -> object:
    """Write a completion; words are counted as tokens, for clients that need the numbers."""
    text = answers_text(response.given)
    prompt_tokens = len(request.body.split())
    tokens = len(text.split())
    model: Any = from_json(request.body).get("model")
    if not isinstance(model, str):
        model = "qaldgen"

    message = {"role": "assistant", "content": text}
    return {
        "id": "qaldgen",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": prompt_tokens + tokens,
        },
    }


def answers_text(answers: Answers) -> str:
    """Return answers as text for people: yes or no, and names instead of IRIs.

    >>> answers_text(Answers(boolean=False)), answers_text(Answers(texts=(("Ulm",), ("Bonn",))))
    ('no', 'Ulm; Bonn')
    """
    if answers.boolean is not None:
        return "yes" if answers.boolean else "no"
    names = []
    for cell in answers.cells():
        name = cell.value
        if cell.type == "uri":
            name = local_name(name).replace("_", " ")
        names.append(name)
    names += [wordings[0] for wordings in answers.texts if wordings]
    return "; ".join(names)


#: The protocols by path.
SERVED_PROTOCOLS = {
    "/gerbil": ServedProtocol("POST", read_gerbil, write_gerbil),
    "/text2sparql": ServedProtocol("GET", read_text2sparql, write_text2sparql),
    "/v1/chat/completions": ServedProtocol("POST", read_chat, write_chat),
}


class RunningServer:
    """A server that runs until it is closed."""

    def __init__(
        self,
        asker: Asker,
        host: str,
        port: int,
        *,
        language: str = LANGUAGE,
        questions: QuestionSet | None = None,
    ) -> None:
        self._asker = asker
        self._language = language
        ids: dict[str, str] = {}
        for question in questions or ():
            for texts in question.texts.values():
                ids.update((_normalise(text), question.id) for text in texts)
        #: Ids of questions by their texts, the longest first.
        self._ids = dict(sorted(ids.items(), key=lambda pair: -len(pair[0])))
        self._stack = AsyncExitStack()
        self.url = concurrency.run(self._start(host, port))

    def close(self) -> None:
        """Stop listening."""
        concurrency.run(self._stack.aclose())

    def __enter__(self) -> RunningServer:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    async def _start(self, host: str, port: int) -> str:
        """Open the system, listen, and return the address of the server."""
        from aiohttp import web

        self._ask = await self._stack.enter_async_context(self._asker.open(Gate()))
        app = web.Application(client_max_size=_MAX_REQUEST_BYTES)
        for path, protocol in SERVED_PROTOCOLS.items():
            app.router.add_route(protocol.method, path, self._handle)
        model = {"id": "qaldgen", "object": "model", "owned_by": "qaldgen"}
        models = {"object": "list", "data": [model]}

        async def list_models(_request: web.Request) -> web.StreamResponse:
            return web.json_response(models)

        app.router.add_get("/v1/models", list_models)
        # without a log of accesses, which would print every question
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            await self._stack.aclose()
            reason = error.strerror or error
            raise DataError(
                f"{host}:{port}: cannot listen there ({reason}); try another `port`"
            ) from None
        host, port = runner.addresses[0][:2]
        if ":" in host:  # IPv6
            host = f"[{host}]"
        return f"http://{host}:{port}"

    async def _handle(self, web_request: web.Request) -> web.StreamResponse:
        """Ask the system the question of a request, and reply by the protocol of its path."""
        from aiohttp import web

        protocol = SERVED_PROTOCOLS[web_request.path]
        request = Request(await web_request.read(), dict(web_request.query))
        try:
            question = protocol.read(request)
        except BadRequest as problem:
            error = {"message": str(problem), "type": "invalid_request_error"}
            return web.json_response({"error": error}, status=400)
        question = question._replace(
            language=question.language or self._language, id=self._id_of(question.text)
        )
        response = await ask_question(self._asker, self._ask, question)
        if response.status not in {"answered", "empty"} and not response.query:
            error = {"message": response.error, "type": "server_error"}
            status = 504 if response.status == "timeout" else 500
            return web.json_response({"error": error}, status=status)
        return web.json_response(protocol.write(question, response, request))

    def _id_of(self, prompt: str) -> str:
        """Return the id of the question that a prompt consists of, or the longest one in it."""
        normalised = _normalise(prompt)
        if normalised in self._ids:
            return self._ids[normalised]
        for text, question_id in self._ids.items():
            if text in normalised:
                return question_id
        return ""


def _normalise(text: str) -> str:
    """Return a text in lower case with single blanks."""
    return " ".join(text.split()).casefold()


def serve(
    system: AnySystem,
    *,
    kg: AnyGraph | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    language: str = LANGUAGE,
    questions: QuestionSet | None = None,
) -> RunningServer:
    """Serve a system to GERBIL, the TEXT2SPARQL client and chat clients.

    Parameters
    ----------
    system, kg
        What is asked, and its knowledge graph.
    host
        Where to listen; 0.0.0.0 lets other machines ask.
    port
        0 picks a free one.
    language
        Language of questions without a language tag.
    questions
        Question set of a recorded run, which shares its ids.

    Returns
    -------
    RunningServer
        Its ``url``; it listens until it is closed, as a ``with`` block does.

    Examples
    --------
    >>> with serve(str.upper) as served:
    ...     served.url.startswith("http://127.0.0.1:")
    True
    """
    asker = asker_of(system, kg, language)
    return RunningServer(asker, host, port, language=language, questions=questions)

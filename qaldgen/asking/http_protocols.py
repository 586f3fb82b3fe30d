"""Protocols over HTTP that return answers or a query: GERBIL's and TEXT2SPARQL's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from email.message import Message
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from qaldgen.answers.qald_answers import read_qald_answers
from qaldgen.answers.record import RunOptions
from qaldgen.answers.resume import Fault
from qaldgen.asking.systems import Asker, AskOne, NoAnswer, Open, PosedQuestion, System, SystemReply
from qaldgen.errors import DataError, UsageError
from qaldgen.io.json_text import member
from qaldgen.io.text import one_line
from qaldgen.io.web.access import SYSTEM, Access, find_access
from qaldgen.io.web.body import parse_json, read_text
from qaldgen.io.web.client import Limits, Request, send, with_parameters
from qaldgen.io.web.failure import ALLOWS_MORE, Failure, FailureKind
from qaldgen.io.web.retries import Gate, RetryPolicy, with_tries_async
from qaldgen.questions.file_content import Content
from qaldgen.questions.gerbil import gerbil_refusal
from qaldgen.questions.json_documents import Decimals

_MAX_NOTE_CHARS = 1_000
#: Statuses that end a run: without access or payment no question will be answered.
_FATAL_STATUSES = frozenset([401, 402, 403, 407])


class TextReply(NamedTuple):
    """A reply as text."""

    text: str  # the decoded body
    headers: Message
    attempts: int  # how many requests it took


class Web(NamedTuple):
    """A system on the web."""

    system: System  # the user's settings
    access: Access  # its address, and our credentials
    gate: Gate  # all retries wait at it
    #: Statuses after which a request is tried again, in addition to the usual ones.
    retried: frozenset[int] = frozenset()
    fatal: frozenset[int] = _FATAL_STATUSES  # statuses that end the run

    @property
    def name(self) -> str:
        """The address as messages show it."""
        return self.access.address.name

    async def text(self, request: Request) -> TextReply:
        """Return the text of the reply to a request."""
        limits = Limits(self.system.timeout, self.system.max_bytes)
        policy = RetryPolicy(self.system.retries, self.system.backoff, self.retried)
        try:
            reply, tries = await with_tries_async(
                lambda: send(request, self.access, limits), policy, self.name, self.gate
            )
            return TextReply(
                read_text(reply.body, reply.headers, self.access.secrets), reply.headers, tries
            )
        except Failure as failure:
            no_answer = self.no_answer(failure)
        raise no_answer  # outside the handler, so that no traceback shows what the server said

    def no_answer(self, failure: Failure) -> NoAnswer:
        """Return the failure to report for a request without a reply."""
        tries = f" ({failure.tries} tries)" if failure.tries > 1 else ""
        fault = Fault.ALL if failure.status in self.fatal else Fault.ONE
        reply = SystemReply(raw=failure.page, attempts=failure.tries)
        reason = f"{self.name}: {failure.reason}{tries}"
        if failure.kind in ALLOWS_MORE:
            reason += f"; {ALLOWS_MORE[failure.kind]}"
        late = failure.kind is FailureKind.TIMEOUT
        return NoAnswer(reason, reply, fault, late=late, failure=failure)

    async def json(self, request: Request) -> tuple[dict[str, object], TextReply]:
        """Return the JSON object that a request gives, and its text."""
        reply = await self.text(request)
        try:
            # Repeated keys and similar flaws are tolerated: this is not a format check.
            document = parse_json(reply.text, strict=False)
        except Failure as failure:
            no_answer = self.misfit(failure.reason, reply, failure)
        else:
            if isinstance(document, dict):
                return document, reply
            no_answer = self.misfit("the reply is JSON, but no object", reply)
        raise no_answer

    def misfit(self, reason: str, reply: TextReply, failure: Failure | None = None) -> NoAnswer:
        """Return the failure to report for a reply that does not fit the protocol."""
        partial_reply = SystemReply(raw=reply.text, attempts=reply.attempts)
        return NoAnswer(f"{self.name}: {reason}", partial_reply, failure=failure)


def over_web(
    system: System,
    access: Access,
    ask: Callable[[Web, PosedQuestion], Awaitable[SystemReply]],
    retried: frozenset[int] = frozenset(),
    fatal: frozenset[int] = _FATAL_STATUSES,
) -> Open:
    """Return the function that opens a system asked over HTTP; see `Web`."""

    @asynccontextmanager
    async def opened(gate: Gate) -> AsyncIterator[AskOne]:
        yield partial(ask, Web(system, access, gate, retried=retried, fatal=fatal))

    return opened


def access_of(system: System) -> Access:
    """Return the address of a system and our credentials for it."""
    public = f"{system.chat.model} {system.dataset}"
    return find_access(
        system.where,
        SYSTEM,
        token_file=system.key_file,
        header_file=system.header_file,
        public=public,
    )


def same_question(ours: str, theirs: str) -> bool:
    """Return whether a reply repeats our question, apart from wrongly encoded characters.

    >>> same_question("Who is Éa?", "who is Ã‰a ?"), same_question("Who is she?", "Who is he?")
    (True, False)
    """
    return _comparable_letters(ours) == _comparable_letters(theirs)


def _comparable_letters(text: str) -> str:
    """Return the ASCII letters and digits of a text, or all of them if most are not ASCII."""
    letters = [char for char in text.casefold() if char.isalnum()]
    ascii_letters = [char for char in letters if char.isascii()]
    if len(ascii_letters) > len(letters) / 2:
        return "".join(ascii_letters)
    return "".join(letters)


def gerbil(system: System) -> Asker:
    """Return a system that speaks GERBIL's protocol."""
    access = access_of(system)
    address = access.address

    async def ask(web: Web, question: PosedQuestion) -> SystemReply:
        fields = {"query": question.text, "lang": question.language}
        charset = "UTF-8"
        # A lone surrogate, which UTF-8 cannot encode, becomes a question mark.
        if system.raw:
            pairs = "&".join(f"{name}={value}" for name, value in fields.items())
            body = pairs.encode("utf-8", "replace")
            charset = "ISO-8859-1;charset=UTF-8"
        else:
            body = urlencode(fields, errors="replace").encode()
        headers = {
            "Content-Type": f"application/x-www-form-urlencoded; charset={charset}",
            "Accept": "application/json; charset=UTF-8",
        }
        request = Request(with_parameters(address.url, address.parameters), body, headers)
        reply = await web.text(request)
        return read_reply(reply.text, web.name, question)._replace(attempts=reply.attempts)

    name = f"{address.label} in {system.language}"
    return Asker(name, over_web(system, access, ask), system.timeout, system.kg)


def read_reply(text: str, server: str, question: PosedQuestion) -> SystemReply:
    """Read the reply of a system to a question.

    >>> reply = '{"questions": [{"answers": [{"boolean": true}]}]}'
    >>> read_reply(reply, "localhost", PosedQuestion("Is it?")).answers.values()
    ['true']
    """
    try:
        notes = []
        # Repeated keys and NaN are harmless, as in most readers of JSON, but are reported.
        try:
            document = parse_json(text, strict=True, number=Decimals)
        except Failure as failure:
            notes.append(failure.reason)
            document = parse_json(text, strict=False, number=Decimals)
        _check_document(document, server, question)
        digest = sha256(text.encode("utf-8", "replace")).hexdigest()
        content = Content(Path(server), "json", text, sha256=digest, document=document)
        run = read_qald_answers(content, RunOptions(None, question.language))
        response = run.responses[0].response
    except Failure as failure:
        raise NoAnswer(f"{server}: {failure.reason}", SystemReply(raw=text)) from None
    except DataError as error:
        raise NoAnswer(one_line(str(error), _MAX_NOTE_CHARS), SystemReply(raw=text)) from None

    # We are more lenient than GERBIL, so the user should know what it would not have read.
    if refusal := gerbil_refusal(text):
        notes.append(f"GERBIL would refuse the reply: {refusal}")

    return SystemReply(
        answers=response.answers,
        query=response.query,
        raw=text,
        answer_type=response.answer_type,
        mentions=response.mentions,
        note=one_line("; ".join(notes), _MAX_NOTE_CHARS),
    )


def _check_document(document: object, server: str, question: PosedQuestion) -> None:
    """Refuse a reply that is not QALD JSON, or is about another question.

    A reply without the text of its question is accepted.
    """
    keys = set(document) if isinstance(document, dict) else set()
    questions = member(document, "questions")
    if "questions" not in keys and keys & {"results", "boolean"}:
        rule = "which GERBIL refuses; they belong into 'answers' of a question in QALD JSON"
        raise DataError(f"the reply is bare SPARQL results, {rule}", where=server)
    if not isinstance(questions, list) or not questions:
        raise DataError(
            "the reply contains no question; QALD JSON has the answers in 'questions', the first of"
            " which counts",
            where=server,
        )
    texts = _question_texts(questions[0])
    if texts and not any(same_question(question.text, text) for text in texts):
        raise DataError(
            f"the reply is about another question: {one_line(texts[0])!r}", where=server
        )


def _question_texts(question: object) -> list[str]:
    """Return the texts of the question in a reply, in QALD JSON or its extended format."""
    if not isinstance(question, dict):
        return []
    content = question.get("question")
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        content = content.get("language", content.get("question"))
    entries = content if isinstance(content, list) else []
    strings = [
        entry.get("string", entry.get("question")) for entry in entries if isinstance(entry, dict)
    ]
    return [text for text in strings if isinstance(text, str) and text.strip()]


def text2sparql(system: System) -> Asker:
    """Return a system of the TEXT2SPARQL challenge."""
    access = access_of(system)
    address = access.address
    dataset = system.dataset
    if system.kg is None:
        raise UsageError("text2sparql returns queries; name where to execute them with `kg`")

    async def ask(web: Web, question: PosedQuestion) -> SystemReply:
        parameters = [*address.parameters, ("dataset", dataset), ("question", question.text)]
        document, reply = await web.json(
            Request(with_parameters(address.url, parameters), None, {"Accept": "application/json"})
        )
        for name in ("dataset", "question", "query"):
            if not isinstance(document.get(name), str):
                rule = "dataset, question and query are due"
                raise web.misfit(f"the reply has no text in {name!r}; {rule}", reply)
        asked = str(document["question"])
        asked_set = str(document["dataset"])
        if not same_question(question.text, asked):
            raise web.misfit(f"the reply is about another question: {one_line(asked)!r}", reply)
        if asked_set != dataset:
            raise web.misfit(f"the reply is about another data set: {one_line(asked_set)!r}", reply)
        return SystemReply(None, str(document["query"]), reply.text, attempts=reply.attempts)

    name = f"text2sparql {address.label}, {dataset or 'no data set'}"
    return Asker(name, over_web(system, access, ask), system.timeout, system.kg)

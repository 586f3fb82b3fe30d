"""The server: one system behind three protocols, on this machine unless told otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.asking.asking import answer
from qaldgen.asking.systems import Asker, AskOne, Posed
from qaldgen.errors import DataError
from qaldgen.io import concurrency
from qaldgen.io.web.retries import Gate
from qaldgen.model import QuestionSet
from qaldgen.plugins.serving.forms import FORMS, Request, Wrong

if TYPE_CHECKING:
    from aiohttp import web

#: The largest request in bytes: far more than a question with its context needs.
_LARGEST_REQUEST = 2**22


class Place(NamedTuple):
    """Where a server listens."""

    host: str = "127.0.0.1"  # A host name or an IP address of this machine
    port: int = 8080  # 0 takes a free one


class Served:
    """A server that runs, until it is closed."""

    def __init__(
        self,
        asker: Asker,
        place: Place,
        *,
        language: str = "en",
        questions: QuestionSet | None = None,
    ) -> None:
        self._asker, self._language = asker, language
        self._ids = {} if questions is None else _ids(questions)
        self._stack = AsyncExitStack()
        self.url = concurrency.run(self._start(place))

    def close(self) -> None:
        """Stop listening."""
        concurrency.run(self._stack.aclose())

    def __enter__(self) -> Served:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    async def _start(self, place: Place) -> str:
        from aiohttp import web

        ask = await self._stack.enter_async_context(self._asker.open(Gate()))
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        for form in FORMS:
            app.router.add_route(form.method, form.path, self._handler(form.read, form.write, ask))
        app.router.add_get("/v1/models", self._models)
        # No access log: it would repeat every question on the terminal.
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, place.host, place.port)
        try:
            await site.start()
        except OSError as error:
            await self._stack.aclose()
            problem = DataError(
                f"{place.host}:{place.port}: cannot listen there ({error.strerror or error});"
                " try --port"
            )
            raise problem from None
        host, port = runner.addresses[0][:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def _handler(
        self, read: Callable[[Request], Posed], write: Callable[..., object], ask: AskOne
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        from aiohttp import web

        async def handle(got: web.Request) -> web.StreamResponse:
            request = Request(await got.read(), dict(got.query), got.content_type)
            try:
                posed = read(request)
            except Wrong as wrong:
                return web.json_response(
                    {"error": {"message": str(wrong), "type": "invalid_request_error"}}, status=400
                )
            posed = posed._replace(language=posed.language or self._language)
            posed = posed._replace(id=self._id(posed.text))
            outcome = await answer(self._asker, ask, posed)
            if outcome.status not in {"answered", "empty"} and not outcome.query:
                error = {"message": outcome.error, "type": "server_error"}
                return web.json_response(
                    {"error": error}, status=504 if outcome.status == "timeout" else 500
                )
            return web.json_response(write(posed, outcome, request, self._asker.name))

        return handle

    async def _models(self, _request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        return web.json_response(
            {
                "object": "list",
                "data": [{"id": "qaldgen", "object": "model", "owned_by": "qaldgen"}],
            }
        )

    def _id(self, text: str) -> str:
        """Return the id of the question: by its text, or the longest known text in the prompt."""
        known = self._ids.get(_plain(text))
        if known is None and self._ids:
            whole = _plain(text)
            known = next((name for plain, name in self._ids.items() if plain in whole), None)
        return known or ""


async def wait_for_ever() -> None:
    """Wait until the process is interrupted."""
    await asyncio.Event().wait()


def _ids(questions: QuestionSet) -> dict[str, str]:
    """Return the ids of questions by their texts, the longest first."""
    ids = {
        _plain(text): one.id
        for one in questions.questions
        for texts in one.texts.values()
        for text in texts
    }
    return dict(sorted(ids.items(), key=lambda pair: -len(pair[0])))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()

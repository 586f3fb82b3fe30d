"""The explorer as a web application: the page, its files, uploads, and the requests it sends."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import shutil
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qaldgen.errors import DataError, QaldgenError
from qaldgen.io.json_text import from_json
from qaldgen.plugins.explorer.page_answers import ANSWERS, File
from qaldgen.plugins.explorer.workspace import Workspace

#: The policy of the page: load and run only our own files, send nothing elsewhere, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: Headers of every response.
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: The header with the token.
TOKEN = "x-qaldgen-token"
#: The advice for requests without the secret of the address.
ADDRESS = "open the address that 'qaldgen serve' printed, with its ?token="
#: The largest upload, in bytes. Larger files can be given on the command line.
MAX_UPLOAD_BYTES = 256 * 2**20
#: The longest file name, in characters: some take three bytes, and file systems allow 255 bytes.
_MAX_NAME_CHARS = 80
_UNSAFE = re.compile(r"[^\w.()+@=, -]")
#: Folders of files that the page loads, by the first part of their address. The report's modules
#: are the files that a report contains.
_FOLDERS = {
    "page": files("qaldgen.plugins.explorer") / "page",
    "shared": files("qaldgen.reports.page") / "scripts",
    "style": files("qaldgen.reports.page") / "templates",
}
_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
#: The largest JSON request, in bytes.
_MAX_REQUEST_BYTES = 2**21


def is_same(text: str, secret: str) -> bool:
    """Return whether a text equals a secret, in a time that does not depend on the text."""
    return secrets.compare_digest(text.encode("utf-8", "replace"), secret.encode())


class Guard:
    """Refuse requests that do not come from our own page, and add `HEADERS` to every response."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str], token: str) -> None:
        self._app = app
        self._hosts = {name.lower() for name in hosts}
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        problem = self._find_problem(Headers(scope=scope), scope)
        if problem:
            refusal = JSONResponse({"error": problem}, status_code=403)
            await refusal(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _find_problem(self, headers: Headers, scope: Scope) -> str | None:
        """Return why a request is refused; None if it is allowed."""
        method = scope["method"]
        path = scope["path"]
        if headers.get("host", "").lower() not in self._hosts:
            return "this host name is not that of the explorer"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{name}" for name in self._hosts}:
            return "this request comes from another page"
        if method not in {"GET", "HEAD"} and origin is None:
            return "this request does not say from which page it comes"

        if path == "/":
            token = QueryParams(scope["query_string"]).get("token", "")
        elif path.startswith("/api/"):
            token = headers.get(TOKEN, "")
        else:  # files that every installation has
            return None
        if is_same(token, self._token):
            return None
        return f"this is another explorer; {ADDRESS}"


async def store_upload(chunks: AsyncIterator[bytes], folder: Path, name: str) -> Path:
    """Write an upload to a file, and stop if it is too large."""
    path = folder / safe_name(name)
    size = 0
    try:
        with path.open("wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > MAX_UPLOAD_BYTES:
                    raise DataError(
                        f"is larger than {MAX_UPLOAD_BYTES // 2**20:,} MB; name it when you start"
                        " the explorer",
                        where=path.name,
                    )
                file.write(chunk)
        if not size:
            raise DataError("is empty", where=path.name)
    except BaseException as error:  # the browser may go away, and the explorer end
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            reason = f"{path.name}: cannot be stored in {folder.parent.parent} ({error.strerror})"
            raise DataError(reason) from error
        raise

    return path


def safe_name(name: str) -> str:
    r"""Return the last part of a file name, without characters that could lead to another folder.

    The extension is kept, because it names the format.

    >>> safe_name("..%2F..%2Fetc%2Fpasswd"), safe_name("my%20run.json"), safe_name("..")
    ('passwd', 'my run.json', 'file')
    >>> safe_name("a%00b%0A<script>.json")
    'a-b--script-.json'
    """
    bare_name = re.split(r"[/\\]", unquote(name))[-1]
    safe = _UNSAFE.sub("-", bare_name).strip("-. ")
    if len(safe) <= _MAX_NAME_CHARS:
        return safe or "file"
    ending = safe.rpartition(".")[2][:20]
    return f"{safe[: _MAX_NAME_CHARS - len(ending) - 1]}.{ending}"


def make_app(
    workspace: Workspace, hosts: list[str], token: str, one_time_token: str = ""
) -> Starlette:
    """Return the application."""
    template = _FOLDERS["page"] / "index.html"
    page = template.read_text(encoding="utf-8").replace("{{ token }}", token)

    routes = [
        Route("/", lambda _: HTMLResponse(page)),
        Route("/open/{secret}", open_page),
        Route("/api/upload/{kind}", upload, methods=["POST"]),
        Route("/api/{name}", answer, methods=["POST"]),
        Route("/{folder}/{path:path}", serve_file),
    ]

    guard = Middleware(Guard, hosts=hosts, token=token)
    # nobody reads the response to an upload that the client broke off
    handlers = {ClientDisconnect: lambda _request, _error: Response(status_code=400)}
    app = Starlette(routes=routes, middleware=[guard], exception_handlers=handlers)

    app.state.workspace = workspace
    app.state.token = token
    app.state.one_time_token = one_time_token
    app.state.search_lock = asyncio.Lock()
    return app


def open_page(request: Request) -> Response:
    """Redirect from the secret address to the page, only once.

    Others on this machine can see the address with which a browser is started.
    """
    state = request.app.state
    if not state.one_time_token or not is_same(request.path_params["secret"], state.one_time_token):
        return JSONResponse({"error": ADDRESS}, 403)
    state.one_time_token = ""
    return RedirectResponse(f"/?token={state.token}", 303)


def serve_file(request: Request) -> Response:
    """Return a file of the page; its path can contain only plain names."""
    folder = request.path_params["folder"]
    path = request.path_params["path"]
    parts = path.split("/")
    media_type = _MEDIA_TYPES.get(Path(path).suffix)
    is_safe = not {"", ".", ".."} & set(parts) and "\\" not in path and "\0" not in path
    if folder in _FOLDERS and media_type is not None and is_safe:
        file = _FOLDERS[folder].joinpath(*parts)
        if file.is_file():
            return Response(file.read_bytes(), media_type=media_type)
    return PlainTextResponse("There is no such file.", 404)


async def answer(request: Request) -> Response:
    """Answer a request of the page by the function of its name in `ANSWERS`."""
    workspace: Workspace = request.app.state.workspace
    name = request.path_params["name"]
    function = ANSWERS.get(name)
    if function is None:
        return JSONResponse({"error": "the explorer has no such address"}, 404)
    body = await _read_json(request)
    if isinstance(body, Response):
        return body
    needs_data = name != "start"
    if needs_data:
        with suppress(Exception):  # `respond` raises it again
            await asyncio.wrap_future(workspace.reading)

    def respond() -> Response:
        if needs_data:
            workspace.reading.result()
        result = function(workspace, body)
        if isinstance(result, File):
            headers = {"Content-Disposition": f'attachment; filename="{result.name}"'}
            return Response(result.content, media_type=result.media_type, headers=headers)
        if isinstance(result, bytes):
            return Response(result, media_type="application/octet-stream")
        # ASCII, as the data may have lone surrogates
        text = json.dumps(result, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        return Response(text, media_type="application/json")

    if name != "screen" or body.get("quick"):
        return await run_in_threadpool(_answer_or_error, workspace, respond)
    # a search takes seconds: one at a time, and none for a page that has sent a newer request
    async with request.app.state.search_lock:
        if await request.is_disconnected():
            return Response(status_code=204)
        return await run_in_threadpool(_answer_or_error, workspace, respond)


async def _read_json(request: Request) -> dict[str, Any] | Response:
    """Return the JSON object in a request, or a response that refuses anything else."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_REQUEST_BYTES:
            return JSONResponse({"error": "the request is too large"}, 413)
    try:
        value = from_json(bytes(body) or b"{}")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return JSONResponse({"error": "the request is no JSON object"}, 400)
    return value


async def upload(request: Request) -> Response:
    """Store an uploaded file, and open it as a run or a data set."""
    workspace: Workspace = request.app.state.workspace
    file_type = request.path_params["kind"]
    name = request.headers.get("x-file-name", "file")
    try:
        path = await store_upload(request.stream(), workspace.folder(), name)
    except QaldgenError as error:
        return JSONResponse({"error": str(error)}, 413)

    def open_file() -> Response:
        # runs are deleted at once, data sets when the explorer ends
        is_kept = False
        try:
            if file_type == "run":
                open_set = workspace.find_set(request.headers.get("x-data", ""))
                return JSONResponse({"names": open_set.add_run(path, path.stem)})
            pool = workspace.open(path, name_in_commands=path.name).pool
            is_kept = True
            return JSONResponse({"id": pool.id, "name": pool.name})
        finally:
            if not is_kept:
                shutil.rmtree(path.parent, ignore_errors=True)

    return await run_in_threadpool(_answer_or_error, workspace, open_file)


def _answer_or_error(workspace: Workspace, work: Callable[[], Response]) -> Response:
    """Return an answer or an error message, which reveals no internals."""
    try:
        return work()
    except QaldgenError as error:
        return JSONResponse({"error": workspace.without_folder(str(error))}, 422)
    except MemoryError:
        return JSONResponse({"error": "this needs more memory than there is"}, 422)
    except Exception:
        traceback.print_exc(file=sys.stderr)
        reason = "something went wrong in the explorer; the terminal in which it runs shows what"
        return JSONResponse({"error": reason}, 500)

"""Serve the console's page: its files, what it shows over a websocket, what the person does."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Protocol

import anyio.to_thread
import uvicorn
from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from sayso.core.errors import Code, SaySoError
from sayso.ros.console.access import Access, Address, new_token
from sayso.ros.console.board import Board

PAGE = Path(__file__).parent / "page"
BEAT_S = 1.0
"""At least so often the page hears from us: silence means that what it shows is old."""
STOPS_AT_ONCE = 8
"""Threads kept for stopping alone, whatever else waits for the robot."""
LARGEST_REQUEST = 20_000
START_S = 10.0
_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' blob: data:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
PageAction = Callable[[Mapping[str, str]], Mapping[str, Any]]
"""Something the person does, with its words: what comes of it. Raises SaySoError; may block."""


class Listener(Protocol):
    """Hears what pages say over their live connections; neither may block."""

    def heard(self, connection: object, text: str) -> None: ...

    def gone(self, connection: object) -> None: ...


class PageServer:
    """Serves from threads of its own until it is closed.

    Args:
        actions: what the person can do, by name; "stop" is never kept waiting by the others.
        listener: of what pages say.
        more: further pages, below the token.

    Raises:
        SaySoError: CONFIG where the address cannot be served.
    """

    def __init__(
        self,
        address: Address,
        board: Board,
        actions: Mapping[str, PageAction],
        listener: Listener,
        more: tuple[BaseRoute, ...] = (),
    ) -> None:
        self._socket = address.bound()
        host, port = address.host, int(self._socket.getsockname()[1])
        token = new_token()
        shown = f"[{host}]" if ":" in host else host
        self.url = f"{address.scheme}://{shown}:{port}/{token}/"
        access = Access(token, address.scheme, address.hosts(port))
        config = uvicorn.Config(
            Guarded(application(token, board, actions, listener, more), access),
            access_log=False,
            log_config=None,
            ws="websockets-sansio",
            ws_max_size=1024,
            ws_per_message_deflate=False,  # most of it are JPEGs
            ssl_certfile=address.certificate or None,
            ssl_keyfile=address.key or None,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        _load(config)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="console page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections; bounded."""
        self._server.should_exit = True
        self._thread.join(START_S)
        self._socket.close()

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))


def _load(config: uvicorn.Config) -> None:
    """Read the certificate. Raises CONFIG."""
    try:
        config.load()
    except OSError as error:  # ssl.SSLError is one
        raise SaySoError(
            Code.CONFIG,
            f"the certificate or its key cannot be used: {error}.",
            hint="`certificate` and `key` are PEM files, made for each other.",
        ) from error


def application(
    token: str,
    board: Board,
    actions: Mapping[str, PageAction],
    listener: Listener,
    more: tuple[BaseRoute, ...] = (),
) -> Starlette:
    """The page below its token; refuses nobody by itself: see `Guarded`."""
    routes = [
        WebSocketRoute("/live", _Live(board, listener)),
        Route("/do/{action}", _Doing(actions), methods=["POST"]),
        *more,
        Mount("/", StaticFiles(directory=PAGE, html=True)),
    ]
    return Starlette(routes=[Mount(f"/{token}", routes=routes)])


class Guarded:
    """An application that only those reach whom `Access` lets in; all its answers are strict."""

    def __init__(self, application: ASGIApp, access: Access) -> None:
        self._application = application
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._application(scope, receive, send)
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        given = headers.get("host", ""), headers.get("origin", "")
        refusal = self._access.refusal(scope["path"], *given)
        if refusal is None:
            return await self._application(scope, receive, _strict(send))
        if scope["type"] == "websocket":
            return await WebSocket(scope, receive, send).send_denial_response(_refused(refusal))
        return await _refused(refusal)(scope, receive, send)


def _refused(status: HTTPStatus) -> Response:
    text = {
        HTTPStatus.UNAUTHORIZED: "Open the whole address that the console printed.",
        HTTPStatus.FORBIDDEN: "Only the console's own page may ask this.",
    }[status]
    return Response(f"{status.phrase}: {text}\n", status, _HEADERS, "text/plain")


def _strict(send: Send) -> Send:
    """Adds the headers with which a browser keeps the page to itself."""
    added = [(k.encode(), v.encode()) for k, v in _HEADERS.items()]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name for name, _ in added}
            kept = [(k, v) for k, v in message["headers"] if k.lower() not in names]
            message = {**message, "headers": [*kept, *added]}
        await send(message)

    return sent


class _Live:
    """Sends a browser every part of the board that changed, as fast as it takes them; has the
    listener hear what it says meanwhile, such as which button is held."""

    def __init__(self, board: Board, listener: Listener) -> None:
        self._board, self._listener = board, listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        tasks = [asyncio.create_task(t) for t in (self._send(socket), self._hear(socket))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._listener.gone(socket)

    async def _hear(self, socket: WebSocket) -> None:
        with suppress(WebSocketDisconnect):
            while True:
                self._listener.heard(socket, await socket.receive_text())

    async def _send(self, socket: WebSocket) -> None:
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        seen: dict[str, int] = {}

        def wake() -> None:
            loop.call_soon_threadsafe(changed.set)

        with self._board.watched(wake):
            while True:
                changed.clear()
                for part, number, payload in self._board.newer(seen):
                    seen[part] = number
                    await _send_part(socket, part, payload)
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(changed.wait(), BEAT_S)
                    continue
                await socket.send_text('{"part": "beat"}')


async def _send_part(socket: WebSocket, part: str, payload: str | bytes) -> None:
    """JSON as text; of a picture first the length of its name, then the name, then the JPEG."""
    if isinstance(payload, str):
        await socket.send_text(f'{{"part": {json.dumps(part)}, "value": {payload}}}')
    else:
        name = part.encode()
        await socket.send_bytes(bytes([len(name)]) + name + payload)


class _Doing:
    """Has the person's actions done, on threads."""

    def __init__(self, actions: Mapping[str, PageAction]) -> None:
        self._actions = actions
        self._stops: CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        name = request.path_params["action"]
        try:
            action = self._actions[name]
        except KeyError:
            return Response("no such action\n", HTTPStatus.NOT_FOUND)
        try:
            words = await _words(request)
            return JSONResponse(await self._done(name, lambda: action(words)))
        except SaySoError as error:
            return JSONResponse(
                {
                    "code": error.code.name,
                    "message": error.message,
                    "hint": error.hint,
                    "choices": error.choices,
                },
                HTTPStatus.CONFLICT,
            )

    def _done(self, name: str, action: Callable[[], Any]) -> Awaitable[Any]:
        if self._stops is None:  # needs the loop that runs
            self._stops = CapacityLimiter(STOPS_AT_ONCE)
        return anyio.to_thread.run_sync(action, limiter=self._stops if name == "stop" else None)


async def _words(request: Request) -> Mapping[str, str]:
    """A request's words by name. Raises INVALID for what is none, or too much."""
    invalid = SaySoError(
        Code.INVALID, "the request is no JSON object of texts.", hint="use the console's page."
    )
    if request.headers.get("content-type") != "application/json":
        raise invalid
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_REQUEST:
            raise SaySoError(Code.INVALID, "the words are too many.", hint="say it shorter.")
    try:
        words = json.loads(body)
    except ValueError as error:
        raise invalid from error
    if not isinstance(words, dict) or not all(isinstance(w, str) for w in words.values()):
        raise invalid
    return words

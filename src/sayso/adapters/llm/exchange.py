"""An HTTP exchange that ends: by a deadline, and at a size.

Time limits of HTTP clients hold for each piece that arrives: a server that drips keeps them waiting
for ever. Here the whole exchange has one deadline, from looking up the server's name to the last
byte.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar

import httpx2

from sayso.core.errors import Code, SaySoError

MAX_ANSWER_BYTES = 1_000_000
T = TypeVar("T")


class OverdueError(Exception):
    """The deadline passed."""


class Exchange:
    """Runs requests in a thread of their own, which can be left behind.

    Args:
        deadline: by `time.monotonic()` [s].
    """

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._connection: Any = None

    def run(self, request: Callable[[httpx2.Client], T]) -> T:
        """What `request` returns or raises.

        Raises:
            OverdueError: the deadline passed; the connection is then closed.
        """
        done: Future[T] = Future()

        def work() -> None:
            try:
                with self._client() as client:
                    done.set_result(request(client))
            except BaseException as error:  # noqa: BLE001  the thread that waits gets it
                done.set_exception(error)

        threading.Thread(target=work, name="language model", daemon=True).start()
        try:
            return done.result(max(self._deadline - time.monotonic(), 0.0))
        except FutureTimeoutError:
            self._hang_up()
            raise OverdueError from None

    def _client(self) -> httpx2.Client:
        return httpx2.Client(
            verify=_tls(),
            # What is compressed may be any size once it is not.
            headers={"accept-encoding": "identity"},
            event_hooks={"request": [self._watch], "response": [self._bound]},
        )

    def _watch(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, "trace": self._trace}

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._connection = info["return_value"]

    def _bound(self, response: httpx2.Response) -> None:
        encoding = response.headers.get("content-encoding", "identity")
        if encoding != "identity":
            raise SaySoError(Code.MODEL_REPLY, f"the server's answer is packed as '{encoding}'.")
        response.stream = _BoundedStream(response.stream, self._deadline)
        # Python has encodings that a server can name and that make no text.
        response.encoding = "utf-8"

    def _hang_up(self) -> None:
        """Wakes the thread that is left behind, so that it ends too."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class _BoundedStream(httpx2.SyncByteStream):
    """An answer's body in one piece, if it comes in time and is not too large."""

    def __init__(self, stream: Any, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        body = bytearray()
        for piece in self._stream:
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                raise SaySoError(
                    Code.MODEL_REPLY,
                    f"the server's answer is larger than {MAX_ANSWER_BYTES // 1000} kB.",
                    hint="lower max_tokens, or check that the address is a language model's.",
                )
            if time.monotonic() > self._deadline:
                raise OverdueError
        yield bytes(body)

    def close(self) -> None:
        self._stream.close()


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return httpx2.create_ssl_context()

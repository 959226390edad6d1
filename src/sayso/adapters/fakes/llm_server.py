"""A chat-completions server on loopback that can also be slow, busy, broken or rude.

It speaks the wire format of OpenAI's `/chat/completions`, so that the real client is tested.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    Attributes:
        text: the model's reply.
        status: HTTP status; other than 200 it sends an error body with `text` as its message.
        finish_reason: "length" for a reply cut short.
        raw: bytes to send as the body instead of a well-formed one.
        headers: further headers, such as `retry-after`.
        drop: close the connection without an answer.
        silent: do not answer until the server stops.
        delay_s: how long to think before answering.
    """

    text: str = ""
    status: int = 200
    finish_reason: str = "stop"
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    silent: bool = False
    delay_s: float = 0.0


class ChatServer:
    """Serves its answers in turn, the last one for ever; `requests` are the bodies received.

    Args:
        formats: reply formats that the server accepts; others get status 400.
    """

    def __init__(
        self,
        answers: Iterable[Answer | str],
        formats: Iterable[str] = ("json_schema", "json_object", "text"),
    ) -> None:
        self._answers = [Answer(a) if isinstance(a, str) else a for a in answers]
        self.formats = frozenset(formats)
        self.requests: list[dict[str, Any]] = []
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_answer(self, request: dict[str, Any]) -> Answer:
        with self._lock:
            self.requests.append(request)
            wanted = request.get("response_format", {}).get("type", "text")
            if wanted not in self.formats:
                return Answer(f"response_format {wanted} is not supported", status=400)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            request = json.loads(self.rfile.read(length))
            answer = server.next_answer(request)
            if answer.silent or answer.delay_s:
                server.stopping.wait(None if answer.silent else answer.delay_s)
            if answer.drop or answer.silent:
                self.close_connection = True
                return
            self._send(answer, _body(answer, request))

        def _send(self, answer: Answer, body: bytes) -> None:
            self.send_response(answer.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    return Handler


def _body(answer: Answer, request: Mapping[str, Any]) -> bytes:
    if answer.raw is not None:
        return answer.raw
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.text}}).encode()
    prompt = sum(len(m["content"].split()) for m in request["messages"])
    completion = len(answer.text.split())
    message = {"role": "assistant", "content": answer.text}
    return json.dumps(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }
    ).encode()

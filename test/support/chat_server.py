"""A chat-completions server on loopback that can also be slow, busy, broken or rude.

It speaks the wire format of OpenAI's `/chat/completions`, so that the real client is tested.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
        message: fields of the reply's message beside or in place of its content.
        usage: in place of the counted tokens.
        headers: further headers, such as `retry-after`.
        drop: close the connection without an answer.
        silent: do not answer until the server stops.
        delay_s: how long to think before answering.
        drip_s: time between one byte of the body and the next.
        drip_headers: drip the headers too.
        half: close the connection after half of the body.
        tokens: of the text with their log probabilities, for a request that asks for them.
        echo: send the request's headers back, as the reply or as the error's message.
    """

    text: str = ""
    status: int = 200
    finish_reason: str = "stop"
    raw: bytes | None = None
    message: Mapping[str, Any] = field(default_factory=dict)
    usage: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    silent: bool = False
    delay_s: float = 0.0
    drip_s: float = 0.0
    drip_headers: bool = False
    half: bool = False
    tokens: tuple[tuple[str, float], ...] = ()
    echo: bool = False


def _nothing() -> None:
    """Nobody waits for a request."""


class ChatServer:
    """Serves its answers in turn, the last one for ever, or what a function says of a request.

    `requests` are the bodies received.

    `on_request` is called at each of them.

    Args:
        formats: reply formats that the server accepts; others get status 400.
        refuses: fields of a request that it does not take, and what it says then (status 400).
        template: what a chat template says of messages that it does not take: `no system` of a
            system message, `alternating` of roles that do not alternate after it.
    """

    def __init__(
        self,
        answers: Iterable[Answer | str] | Callable[[Mapping[str, Any]], Answer],
        formats: Iterable[str] = ("json_schema", "json_object", "text"),
        refuses: Mapping[str, str] | None = None,
        template: Iterable[str] = (),
    ) -> None:
        self._answer = answers if callable(answers) else None
        listed = () if callable(answers) else answers
        self._answers = [Answer(a) if isinstance(a, str) else a for a in listed]
        self.formats = frozenset(formats)
        self._refuses = dict(refuses or {})
        self._template = frozenset(template)
        self.requests: list[dict[str, Any]] = []
        self.stopping = threading.Event()
        self.on_request: Callable[[], None] = _nothing
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
            self.on_request()
            if refusal := self._refusal(request):
                return Answer(refusal, status=400)
            if self._answer:
                return self._answer(request)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def _refusal(self, request: Mapping[str, Any]) -> str:
        """Why the request is not taken, or ''."""
        wanted = request.get("response_format", {}).get("type", "text")
        if wanted not in self.formats:
            return f"response_format {wanted} is not supported"
        roles = [m["role"] for m in request["messages"]]
        if "no system" in self._template and "system" in roles:
            return "System role not supported"
        spoken = roles[1:] if roles[0] == "system" else roles
        in_turns = ["user", "assistant"] * len(spoken)
        if "alternating" in self._template and spoken != in_turns[: len(spoken)]:
            return "Conversation roles must alternate user/assistant/user/assistant/..."
        return next((self._refuses[name] for name in request if name in self._refuses), "")


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
            if answer.echo:
                answer = replace(answer, text=f"I got {dict(self.headers)}")
            self._send(answer, _body(answer, request))

        def _send(self, answer: Answer, body: bytes) -> None:
            self.send_response(answer.status)
            headers = {"content-type": "application/json", "content-length": str(len(body))}
            for name, value in {**headers, **answer.headers}.items():
                self.send_header(name, value)
            with suppress(OSError):  # nobody may be listening any more
                self._write(answer, body)

        def _write(self, answer: Answer, body: bytes) -> None:
            if answer.drip_headers:
                self._drip(b"HTTP/1.1 200 OK\r\n" + b"x-slow: 1\r\n" * 1000, answer.drip_s)
            self.end_headers()
            if answer.half:
                body, self.close_connection = body[: len(body) // 2], True
            if answer.drip_s:
                self._drip(body, answer.drip_s)
            else:
                self.wfile.write(body)

        def _drip(self, data: bytes, pause_s: float) -> None:
            for byte in data:
                if server.stopping.wait(pause_s):
                    return
                self.wfile.write(bytes([byte]))
                self.wfile.flush()

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
    message = {"role": "assistant", "content": answer.text, **answer.message}
    choice: dict[str, Any] = {
        "index": 0, "message": message, "finish_reason": answer.finish_reason
    }  # fmt: skip
    if answer.tokens and request.get("logprobs"):
        chances = [{"token": t, "logprob": p, "top_logprobs": []} for t, p in answer.tokens]
        choice["logprobs"] = {"content": chances}
    counted = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    return json.dumps(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [choice],
            "usage": counted if answer.usage is None else answer.usage,
        }
    ).encode()

"""The outside of a sandbox: a process in which a worker carries out requests within limits."""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sayso.core.errors import Code, SaySoError

Json: TypeAlias = Any
Granted: TypeAlias = Mapping[str, Callable[..., Json]]
"""What code may call while it runs, by name: from plain values to a plain value. A `SaySoError`
that it raises ends the code as its own failure."""

_PACKAGE = Path(__file__).parents[3]
_SERVE = """
import sys
sys.path.insert(0, sys.argv[1])
from sayso.core.sandbox.child import serve
serve()
"""
_START_S = 60.0
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}


@dataclass(frozen=True)
class Limits:
    """What code may use.

    Attributes:
        cpu_s: processor time of a program, or of a predicate in a scene.
        wall_s: time for each answer until the process is killed, that of granted calls not
            counted.
        memory_mb: beyond what Python and the worker take.
        output_bytes: of all that is said up to an answer, as JSON.
        source_chars: of the code's text.
    """

    cpu_s: float = 2.0
    wall_s: float = 5.0
    memory_mb: int = 256
    output_bytes: int = 1_000_000
    source_chars: int = 20_000

    def too_long(self, source: str) -> str:
        """Why a text is not run at all, or ''."""
        if len(source) <= self.source_chars:
            return ""
        return f"the code has {len(source)} characters, {self.source_chars} are allowed"


@dataclass(frozen=True)
class Reply:
    """What a worker said to a request.

    Attributes:
        answers: as many as it got to.
        used_up: what it had no more of when it ended; '' if it carried out the request.
    """

    answers: tuple[Json, ...]
    used_up: str = ""


class SandboxProcess:
    """A worker in a process of its own. Starts at the first use; `close` ends it.

    Args:
        worker: 'module:function' as `child.serve` takes it.
    """

    def __init__(self, worker: str, limits: Limits) -> None:
        self.limits = limits
        self._worker = worker
        self._child: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = lambda: None

    def ask(self, request: object, granted: Granted | None = None) -> Reply:
        """What the worker answers; after a reply that tells what was `used_up` it starts anew.

        Args:
            request: what the worker takes, as a pickle.

        Raises:
            SaySoError: UNSUPPORTED where the platform cannot limit a process.
        """
        child = self._child or self._started()
        reply = _Conversation(child, self.limits, granted or {}).hold(request)
        if not reply.used_up:
            return reply
        self.close()
        return reply if child.returncode != -signal.SIGXCPU else Reply(reply.answers, _PROCESSOR)

    def close(self) -> None:
        """Ends the process; the next use starts another."""
        self._end()
        self._child = None

    def _started(self) -> subprocess.Popen[bytes]:
        if os.name != "posix":
            raise SaySoError(Code.UNSUPPORTED, "the sandbox needs a POSIX system.")
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-c", _SERVE, str(_PACKAGE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env=_ONE_THREAD,
            close_fds=True,
            start_new_session=True,
        )
        self._child, self._end = child, weakref.finalize(self, _kill, child)
        start = {
            "path": [str(_PACKAGE), *(p for p in sys.path if p)],
            "worker": self._worker,
            "memory_mb": self.limits.memory_mb,
        }
        if _Conversation(child, Limits(wall_s=_START_S), {}).hold(start).used_up:
            self.close()
            raise SaySoError(
                Code.UNSUPPORTED,
                "the sandbox's process does not start.",
                hint=f"see whether '{sys.executable}' can import {self._worker.partition(':')[0]}.",
            )
        return child


_PROCESSOR = "its processor time"
_MEMORY = "its memory or stack"


class _UsedUpError(Exception):
    """A child came to its end before its answer."""


class _Conversation:
    """What is said to and by a child for one request."""

    def __init__(self, child: subprocess.Popen[bytes], limits: Limits, granted: Granted) -> None:
        assert child.stdin is not None and child.stdout is not None
        self._in, self._out = child.stdin, child.stdout
        self._limits, self._granted = limits, granted
        self._unread = bytearray()
        self._allow()

    def hold(self, request: object) -> Reply:
        """The answers to a request."""
        answers: list[Json] = []
        try:
            self._tell(request)
            while "done" not in (said := self._next()):
                if "ask" in said:
                    self._answer(*said["ask"])
                else:
                    answers.append(said["answer"])
                    self._allow()
        except _UsedUpError as end:
            return Reply(tuple(answers), str(end))
        return Reply(tuple(answers))

    def _allow(self) -> None:
        """Time and bytes for the next answer."""
        self._end_s = time.monotonic() + self._limits.wall_s
        self._left_bytes = self._limits.output_bytes

    def _answer(self, name: str, *arguments: Json) -> None:
        asked_s = time.monotonic()
        try:
            told = {"told": json.dumps(self._granted[name](*arguments))}
        except SaySoError as error:
            told = {"denied": error.message}
        self._end_s += time.monotonic() - asked_s
        self._tell(told)

    def _tell(self, what: object) -> None:
        body = memoryview(pickle.dumps(what, pickle.HIGHEST_PROTOCOL))
        body = memoryview(len(body).to_bytes(4, "big") + body)
        try:
            while body:
                body = body[self._in.write(body) :]
        except BrokenPipeError:
            raise _UsedUpError(_MEMORY) from None

    def _next(self) -> dict[str, Json]:
        """The next that the child says."""
        length = int.from_bytes(self._received(4), "big")
        self._left_bytes -= length
        if self._left_bytes <= 0:
            raise _UsedUpError(f"{self._limits.output_bytes} bytes of answer")
        try:
            return dict(json.loads(self._received(length)))
        except (TypeError, ValueError):
            raise _UsedUpError("what it may say: it was no answer") from None

    def _received(self, count: int) -> bytes:
        while len(self._unread) < count:
            left_s = self._end_s - time.monotonic()
            if left_s <= 0 or not select.select([self._out], [], [], left_s)[0]:
                raise _UsedUpError(f"{self._limits.wall_s:g} s of time")
            if not (some := os.read(self._out.fileno(), 65_536)):
                # The interpreter itself ran out of memory or stack, and could not even say so.
                raise _UsedUpError(_MEMORY)
            self._unread += some
        some, self._unread = bytes(self._unread[:count]), self._unread[count:]
        return some


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()

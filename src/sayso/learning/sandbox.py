"""Code that a language model wrote, run where it can do no harm.

Three walls, each enough for honest mistakes and together meant for dishonest code:

1. an allow-list of syntax, method names and builtins: no imports, classes, dunder names, format
   templates; checked in the child process before anything runs (`sandbox_child`);
2. a process of its own: `python -I -S`, an empty environment and folder, no open files but its
   pipes, killed with its session when the wall clock runs out;
3. kernel limits on processor time, memory, open files, written bytes and processes.

What code may ask of the world while it runs is granted to it by name: its call is answered here, by
a function of whoever grants it. Values go in and out as JSON, a line each.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias

from sayso.core.errors import Code, SaySoError

Json: TypeAlias = Any

_CHILD = Path(__file__).with_name("sandbox_child.py")
_HINT = "mend the code; only plain Python on plain values is allowed."


@dataclass(frozen=True)
class Limits:
    """What code may use.

    Attributes:
        wall_s: time until it is killed, process start included, answers of granted calls not.
        cpu_s: whole seconds of processor time.
        memory_mb: address space, the interpreter's own 20 MB included.
        output_bytes: of all that it says as JSON.
        source_chars: of the code's text.
    """

    wall_s: float = 5.0
    cpu_s: int = 2
    memory_mb: int = 256
    output_bytes: int = 1_000_000
    source_chars: int = 20_000


@dataclass(frozen=True)
class Granted:
    """A function that code may call while it runs.

    Attributes:
        arity: how many arguments it takes, plain values.
        answer: gives a plain value; a `SaySoError` that it raises ends the code as its own failure.
    """

    arity: int
    answer: Callable[..., Json]


@dataclass(frozen=True)
class Outcome:
    """What code did.

    Attributes:
        value: what the named function returned; None if none was named.
        calls: the actions it called, each a name and its arguments.
    """

    value: Json = None
    calls: tuple[tuple[Json, ...], ...] = field(default_factory=tuple)


def run(
    source: str,
    *,
    variables: Mapping[str, Json] | None = None,
    actions: Mapping[str, int] | None = None,
    granted: Mapping[str, Granted] | None = None,
    function: str = "",
    arguments: Sequence[Json] = (),
    limits: Limits | None = None,
) -> Outcome:
    """What the code does when it runs with these variables.

    Args:
        variables: plain values that the code finds under these names.
        actions: functions that only record their calls, with their number of arguments.
        granted: functions that are carried out here, and answer at once.
        function: of the code, to call afterwards with `arguments`.

    Raises:
        SaySoError: INVALID for code that is not allowed, raises, or returns no plain value,
            naming the line; LIMIT where it used too much; UNSUPPORTED where the platform
            cannot limit a process.
    """
    bounds = limits or Limits()
    if len(source) > bounds.source_chars:
        raise SaySoError(
            Code.LIMIT,
            f"the code has {len(source)} characters, {bounds.source_chars} are allowed.",
            hint="shorten it.",
        )
    request = {
        "source": source,
        "variables": dict(variables or {}),
        "actions": dict(actions or {}),
        "granted": {name: grant.arity for name, grant in (granted or {}).items()},
        "function": function,
        "arguments": list(arguments),
        "limits": _kernel_limits(bounds),
    }
    return _outcome(_answer(request, bounds, granted or {}))


def _kernel_limits(bounds: Limits) -> dict[str, int]:
    return {
        "RLIMIT_CPU": bounds.cpu_s,
        "RLIMIT_AS": bounds.memory_mb * 2**20,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": 0,
        # Standard input, output and error are open already; nothing can be added.
        "RLIMIT_NOFILE": 3,
    }


def _answer(
    request: Mapping[str, Any], bounds: Limits, granted: Mapping[str, Granted]
) -> dict[str, Any]:
    """The child's answer."""
    if os.name != "posix":
        raise SaySoError(Code.UNSUPPORTED, "the sandbox needs a POSIX system.")
    with tempfile.TemporaryDirectory(prefix="sandbox") as folder, _child(folder) as child:
        try:
            answer = _Conversation(child, bounds, granted).run(request)
        finally:
            child.kill()
            status = child.wait()
    if answer is None and status == -signal.SIGXCPU:
        raise _exhausted(f"{bounds.cpu_s} s of processor time")
    if answer is None:
        # The interpreter itself ran out of memory or stack, and could not even say so.
        raise _exhausted("its memory or stack")
    return answer


def _child(folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", str(_CHILD)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd=folder,
        env={},
        close_fds=True,
        start_new_session=True,
    )


class _Conversation:
    """What is said to and by a child, until its answer or the end of its time."""

    def __init__(
        self, child: subprocess.Popen[bytes], bounds: Limits, granted: Mapping[str, Granted]
    ) -> None:
        assert child.stdin is not None and child.stdout is not None
        self._in: IO[bytes] = child.stdin
        self._out: IO[bytes] = child.stdout
        self._bounds, self._granted = bounds, granted
        self._said = b""
        self._left_bytes = bounds.output_bytes

    def run(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer; None where the child ends without one. Raises LIMIT."""
        end_s = time.monotonic() + self._bounds.wall_s
        told: Mapping[str, Any] = request
        while self._tell(told) and (line := self._next(end_s)) is not None:
            said: dict[str, Any] = json.loads(line)
            if "ask" not in said:
                return said
            asked_s = time.monotonic()
            told = self._told(*said["ask"])
            end_s += time.monotonic() - asked_s
        return None

    def _told(self, name: str, *arguments: Json) -> dict[str, Json]:
        try:
            return {"told": self._granted[name].answer(*arguments)}
        except SaySoError as error:
            return {"denied": error.message}

    def _tell(self, what: Mapping[str, Any]) -> bool:
        """Whether the child could be told."""
        try:
            self._in.write(json.dumps(what).encode() + b"\n")
        except BrokenPipeError:
            return False
        return True

    def _next(self, end_s: float) -> bytes | None:
        """The next line that the child says; None if it ends."""
        while b"\n" not in self._said:
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not select.select([self._out], [], [], left_s)[0]:
                raise _exhausted(f"{self._bounds.wall_s:g} s of time")
            if not (some := os.read(self._out.fileno(), 65_536)):
                return None
            self._left_bytes -= len(some)
            if self._left_bytes <= 0:
                raise _exhausted(f"{self._bounds.output_bytes} bytes of answer")
            self._said += some
        line, _, self._said = self._said.partition(b"\n")
        return line


def _outcome(answer: Mapping[str, Any]) -> Outcome:
    if "refused" in answer:
        raise SaySoError(Code.INVALID, f"the code was refused: {answer['refused']}.", hint=_HINT)
    if "raised" in answer:
        raise SaySoError(Code.INVALID, f"the code failed: {answer['raised']}.", hint=_HINT)
    if "exhausted" in answer:
        raise _exhausted("its memory")
    return Outcome(answer["value"], tuple(tuple(call) for call in answer["calls"]))


def _exhausted(what: str) -> SaySoError:
    return SaySoError(
        Code.LIMIT,
        f"the code used up {what}.",
        hint="write it with less work, or raise the limits.",
    )

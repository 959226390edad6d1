"""Code that a language model wrote, run where it can do no harm.

Three walls, each enough for honest mistakes and together meant for dishonest code:

1. an allow-list of syntax, method names and builtins: no imports, classes, dunder names, format
   templates; checked in the child process before anything runs (`sandbox_child`);
2. a process of its own: `python -I -S`, an empty environment and folder, no open files but its
   pipes, killed with its session when the wall clock runs out;
3. kernel limits on processor time, memory, open files, written bytes and processes.

Values go in and out as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
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
        wall_s: time until it is killed, process start included.
        cpu_s: whole seconds of processor time.
        memory_mb: address space, the interpreter's own 20 MB included.
        output_bytes: of the answer as JSON.
        source_chars: of the code's text.
    """

    wall_s: float = 5.0
    cpu_s: int = 2
    memory_mb: int = 256
    output_bytes: int = 1_000_000
    source_chars: int = 20_000


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
    function: str = "",
    arguments: Sequence[Json] = (),
    limits: Limits | None = None,
) -> Outcome:
    """What the code does when it runs with these variables.

    Args:
        variables: plain values that the code finds under these names.
        actions: functions that only record their calls, with their number of arguments.
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
        "function": function,
        "arguments": list(arguments),
        "limits": _kernel_limits(bounds),
    }
    return _outcome(_answer(json.dumps(request).encode(), bounds))


def _kernel_limits(bounds: Limits) -> dict[str, int]:
    return {
        "RLIMIT_CPU": bounds.cpu_s,
        "RLIMIT_AS": bounds.memory_mb * 2**20,
        "RLIMIT_FSIZE": bounds.output_bytes,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": 0,
        # Standard input, output and error are open already; nothing can be added.
        "RLIMIT_NOFILE": 3,
    }


def _answer(request: bytes, bounds: Limits) -> dict[str, Any]:
    """The child's answer."""
    if os.name != "posix":
        raise SaySoError(Code.UNSUPPORTED, "the sandbox needs a POSIX system.")
    with tempfile.TemporaryDirectory(prefix="sandbox") as folder, tempfile.TemporaryFile() as file:
        status = _run_child(request, folder, file, bounds.wall_s)
        file.seek(0)
        text = file.read(bounds.output_bytes + 1)
    if status is None:
        raise _exhausted(f"{bounds.wall_s:g} s of time")
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        raise _exhausted(f"{bounds.cpu_s} s of processor time")
    if status == -signal.SIGXFSZ or len(text) >= bounds.output_bytes:
        raise _exhausted(f"{bounds.output_bytes} bytes of answer")
    try:
        answer: dict[str, Any] = json.loads(text)
    except ValueError:
        # The interpreter itself ran out of memory or stack, and could not even say so.
        raise _exhausted("its memory or stack") from None
    return answer


def _run_child(request: bytes, folder: str, output: IO[bytes], wall_s: float) -> int | None:
    """The child's exit status, or None if it had to be killed."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", str(_CHILD)],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={},
        close_fds=True,
        start_new_session=True,
    ) as child:
        try:
            child.communicate(request, timeout=wall_s)
        except subprocess.TimeoutExpired:
            child.kill()
            return None
        return child.returncode


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

"""The inside of a sandbox: gives up what code has no need of, then carries out requests.

Requests come from `process` as pickles, what is said back is JSON, each after its length as four
bytes. Only the standard library is imported here; a worker's module may import more, before the
limits are set.
"""

from __future__ import annotations

import json
import math
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from sayso.core.sandbox.allow_list import RefusedError

Ask: TypeAlias = Callable[..., Any]
"""Calls what was granted under a name, with plain values, and gives its answer."""
Worker: TypeAlias = Callable[[Any, Ask], Iterable[Any]]
"""Carries out a request: its answers, as JSON knows them, in turn."""
_GRACE_S = 1


class OutOfTimeError(Exception):
    """Code used up its processor time."""


def serve() -> None:
    """Carries out requests until there are none.

    The first message names the worker, `module:function`, where the function makes a `Worker`.
    """
    start = _read()
    sys.path[:] = start["path"]
    module, _, name = start["worker"].partition(":")
    work: Worker = getattr(import_module(module), name)()
    _limit(start["memory_mb"])
    _say({"done": True})
    while True:
        for answer in work(_read(), _ask):
            _say({"answer": answer})
        _say({"done": True})


@contextmanager
def processor_time(cpu_s: float) -> Iterator[None]:
    """Raises OutOfTimeError within, once so much is used.

    Where Python itself cannot stop, in one endless step, the kernel ends the process soon after.
    """
    signal.signal(signal.SIGVTALRM, _out_of_time)
    end = math.ceil(time.process_time() + cpu_s) + _GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)


def where(error: BaseException) -> str:
    """The line of the code that an exception came from: 'line 3 of NAME: '; '' if of none.

    Code is compiled under a name in angle brackets.
    """
    place, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith("<") and not file.startswith("<frozen"):
            place = f"line {trace.tb_lineno} of {file.strip('<>')}: "
        trace = trace.tb_next
    return place


def _out_of_time(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise OutOfTimeError


def _limit(memory_mb: int) -> None:
    """Takes from this process what code has no need of, for good."""
    pages = Path("/proc/self/statm")
    used = int(pages.read_text().split()[0]) * resource.getpagesize() if pages.exists() else 2**30
    limits = {
        "RLIMIT_AS": used + memory_mb * 2**20,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": 0,
        # Standard input, output and error are open already; nothing can be added.
        "RLIMIT_NOFILE": 3,
    }
    for name, amount in limits.items():
        if hasattr(resource, name):
            resource.setrlimit(getattr(resource, name), (amount, amount))


def _ask(name: str, *arguments: Any) -> Any:
    _say({"ask": [name, *arguments]})
    reply = _read()
    if "denied" in reply:
        raise RefusedError(reply["denied"])
    return json.loads(reply["told"])


def _read() -> Any:
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        sys.exit(0)
    return pickle.loads(sys.stdin.buffer.read(int.from_bytes(head, "big")))


def _say(what: Mapping[str, Any]) -> None:
    text = json.dumps(what).encode()
    sys.stdout.buffer.write(len(text).to_bytes(4, "big") + text)
    sys.stdout.buffer.flush()

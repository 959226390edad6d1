"""The part of `program` that runs in the sandbox: checks a program and carries it out."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sayso.core.sandbox.allow_list import BUILTINS, RefusedError, check, plain
from sayso.core.sandbox.child import Ask, OutOfTimeError, Worker, processor_time, where

MAX_CALLS = 10_000


def worker() -> Worker:
    """What carries out a program."""
    return _answers


def _answers(text: str, ask: Ask) -> Iterator[dict[str, Any]]:
    """The one answer to a request that `program` made."""
    request = json.loads(text)
    try:
        with processor_time(request["cpu_s"]):
            answer = _run(request, ask)
    except RefusedError as error:
        answer = {"refused": f"{_line(error)}{error}"}
    except OutOfTimeError:
        answer = {"exhausted": f"{request['cpu_s']:g} s of processor time"}
    except MemoryError:
        answer = {"exhausted": "its memory"}
    except Exception as error:  # noqa: BLE001 - the code under test may raise anything
        answer = {"failed": f"{_line(error)}{type(error).__name__}: {str(error)[:300]}"}
    yield answer


def _run(request: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Runs checked code: its recorded calls, and what the named function returns."""
    calls: list[list[Any]] = []
    count = itertools.count(1)
    space: dict[str, Any] = {"__builtins__": dict(BUILTINS)}
    space.update(request["variables"])
    for name, arity in request["actions"].items():
        space[name] = _function(name, arity, lambda *call: calls.append(list(call)), count)
    for name, arity in request["granted"].items():
        space[name] = _function(name, arity, ask, count)
    # Not in angle brackets: `where` passes over its lines.
    exec(compile(check(request["prelude"]), "prelude", "exec"), space)
    exec(compile(check(request["source"]), "<code>", "exec"), space)
    value = None
    if request["function"]:
        function = space.get(request["function"])
        if type(function) is not type(worker):
            raise RefusedError(f"there is no function '{request['function']}'")
        value = plain(function(*request["arguments"]))
    return {"value": value, "calls": calls}


def _function(
    name: str, arity: int, call: Callable[..., Any], count: Iterator[int]
) -> Callable[..., Any]:
    def called(*arguments: Any) -> Any:
        if len(arguments) != arity:
            raise RefusedError(f"{name} takes {arity} arguments, got {len(arguments)}")
        if next(count) > MAX_CALLS:
            raise RefusedError(f"more than {MAX_CALLS} calls")
        return call(name, *(plain(a) for a in arguments))

    return called


def _line(error: Exception) -> str:
    return where(error).replace(" of code:", ":")

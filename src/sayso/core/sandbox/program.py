"""A program of a model's or a person's, run from its beginning to its end in a sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from sayso.core.errors import Code, SaySoError
from sayso.core.sandbox.process import Json, Limits, SandboxProcess

WORKER = "sayso.core.sandbox.program_worker:worker"
"""Runs programs, for a `SandboxProcess` of one's own."""
_HINT = "mend the code; only plain Python on plain values is allowed."


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
    prelude: str = "",
    function: str = "",
    arguments: Sequence[Json] = (),
    limits: Limits | None = None,
    process: SandboxProcess | None = None,
) -> Outcome:
    """What the code does when it runs with these variables.

    Args:
        variables: plain values that the code finds under these names.
        actions: functions that only record their calls, with their number of arguments.
        granted: functions that are carried out here, and answer at once.
        prelude: code that runs first, such as functions that call what is granted; what goes wrong
            in it is told of the line of the code that called it.
        function: of the code, to call afterwards with `arguments`.
        process: of a `WORKER`, to run in, for who runs much that is short; none given: a new one.

    Raises:
        SaySoError: INVALID for code that is not allowed, raises, or returns no plain value,
            naming the line; LIMIT where it used too much; UNSUPPORTED where the platform
            cannot limit a process.
    """
    bounds = limits or Limits()
    if reason := bounds.too_long(source):
        raise SaySoError(Code.LIMIT, f"{reason}.", hint="shorten it.")
    grants = granted or {}
    request = {
        "source": source,
        "prelude": prelude,
        "variables": dict(variables or {}),
        "actions": dict(actions or {}),
        "granted": {name: grant.arity for name, grant in grants.items()},
        "function": function,
        "arguments": list(arguments),
        "cpu_s": bounds.cpu_s,
    }
    answers = {name: grant.answer for name, grant in grants.items()}
    if process is not None:
        reply = process.ask(json.dumps(request), answers)
    else:
        with closing(SandboxProcess(WORKER, bounds)) as own:
            reply = own.ask(json.dumps(request), answers)
    return _outcome(reply.answers[0] if not reply.used_up else {"exhausted": reply.used_up})


def _outcome(answer: Mapping[str, Json]) -> Outcome:
    for failure in ("refused", "failed"):
        if failure in answer:
            told = f"the code {_VERBS[failure]}: {answer[failure]}."
            raise SaySoError(Code.INVALID, told, hint=_HINT)
    if "exhausted" in answer:
        raise SaySoError(
            Code.LIMIT,
            f"the code used up {answer['exhausted']}.",
            hint="write it with less work, or raise the limits.",
        )
    return Outcome(answer["value"], tuple(tuple(call) for call in answer["calls"]))


_VERBS = {"refused": "was refused", "failed": "failed"}

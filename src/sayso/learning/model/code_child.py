"""The process in which a language model's predicates run: compiles them and evaluates whole scenes.

Started by `code_process` as a script of its own with `python -I -S`. Requests come from the
parent as pickles, answers go back as JSON, each after its length as four bytes. Before the first
text is compiled, the kernel takes memory, files, processes and written bytes away for good.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sayso.core.predicates import Predicate, PredicateFunction, SceneView

_ERRORS = 5
"""How many failures of a predicate in a scene are told."""
_GRACE_S = 1


class _OutOfTimeError(Exception):
    """A predicate used up its processor time."""


class _WrongTypeError(Exception):
    """A predicate returned what is no truth value."""


def main() -> None:
    """Answers requests until there are none."""
    start = _read()
    sys.path[:] = start["path"]
    from sayso.core import predicates  # With `-S` there are no packages before this.
    from sayso.learning import predicate_code

    assert predicates and predicate_code
    predicate_code.NUMPY.median([0.0])  # It imports more of numpy, which cannot be done later.
    _limit(start["memory_mb"])
    signal.signal(signal.SIGVTALRM, _out_of_time)
    _write([{"ready": True}])
    known: dict[str, PredicateFunction | str] = {}
    while True:
        _write(_answer(_read(), known, start["cpu_s"]))


def _read() -> Any:
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        sys.exit(0)
    return pickle.loads(sys.stdin.buffer.read(int.from_bytes(head, "big")))


def _write(answer: object) -> None:
    text = json.dumps(answer).encode()
    sys.stdout.buffer.write(len(text).to_bytes(4, "big") + text)
    sys.stdout.buffer.flush()


def _limit(memory_mb: int) -> None:
    """Takes from this process what the code has no need of."""
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


def _out_of_time(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _OutOfTimeError


def _answer(
    request: Mapping[str, Any], known: dict[str, PredicateFunction | str], cpu_s: float
) -> list[dict[str, Any]]:
    """Each predicate's truths; a byte on standard error tells as each is begun.

    The request holds texts not `known` yet (digest, name, source, arity, whether it is checked),
    the digests in `use` by name, the names to `evaluate`, and the scene.
    """
    for digest, name, source, arity, trusted in request["define"]:
        known[digest] = _compiled(name, source, arity, trusted)
    predicates = {
        name: _predicate(name, arity, known[digest])
        for name, (digest, arity) in request["use"].items()
    }
    from sayso.core.predicates import SceneView

    view = SceneView(request["scene"], predicates)
    answers = []
    for name in request["evaluate"]:
        os.write(2, b".")
        answers.append(_truths(view, predicates[name], cpu_s))
    return answers


def _compiled(name: str, source: str, arity: int, trusted: bool) -> PredicateFunction | str:
    """A predicate's function, or why there is none."""
    from sayso.core.errors import SaySoError
    from sayso.core.library import compile_predicate
    from sayso.learning.predicate_code import compile_learned

    try:
        if trusted:
            return compile_predicate(name, source)
        return compile_learned(name, source, arity)
    except SaySoError as error:
        return error.message
    except Exception as error:  # noqa: BLE001 - the compiler itself may be overwhelmed
        return f"the code cannot be compiled: {_described(error)}"


def _predicate(name: str, arity: int, function: PredicateFunction | str) -> Predicate:
    from sayso.core.predicates import Predicate

    parameters = tuple(f"p{i}" for i in range(arity))
    if isinstance(function, str):
        return Predicate(name, parameters, lambda *_: None, english=function)
    return Predicate(name, parameters, _checked(function))


def _checked(function: PredicateFunction) -> PredicateFunction:
    """The function, held to truth values."""
    import numpy as np

    def held(view: SceneView, *args: str) -> bool | None:
        value = function(view, *args)
        if value is None or type(value) is bool:
            return value
        if type(value) is np.bool_:
            return bool(value)
        raise _WrongTypeError(
            f"it returned a value of type {type(value).__name__}; return True or False"
        )

    return held


def _truths(view: SceneView, predicate: Predicate, cpu_s: float) -> dict[str, Any]:
    """`truths`, one of the letters t, f, u for each tuple; `errors`; `refused`; `exhausted`."""
    if predicate.english:
        return {"refused": predicate.english}
    letters: list[str] = []
    errors: list[tuple[tuple[str, ...], str]] = []
    _allow_processor(cpu_s)
    try:
        for args, letter, fault in _one_by_one(view, predicate):
            letters.append(letter)
            if fault and len(errors) < _ERRORS:
                errors.append((args, fault))
    except _OutOfTimeError:
        return {"exhausted": f"{cpu_s:g} s of processor time"}
    except MemoryError:
        return {"exhausted": "its memory"}
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    return {"truths": "".join(letters), "errors": errors}


def _allow_processor(cpu_s: float) -> None:
    """Starts the clock; where Python itself cannot stop, in one endless step, the kernel does."""
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)
    end = math.ceil(time.process_time() + cpu_s) + _GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))


def _one_by_one(
    view: SceneView, predicate: Predicate
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    from sayso.core.symbols import Atom

    for args in permutations(view.objects(), predicate.arity):
        try:
            truth = view.truth(Atom(predicate.name, args))
            yield args, "u" if truth is None else "ft"[truth], ""
        except (_OutOfTimeError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - the code under test may raise anything
            yield args, "u", _described(error)


def _described(error: Exception) -> str:
    """What went wrong, and in which line of the code."""
    place, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith("<"):
            place = f"line {trace.tb_lineno} of {file.strip('<>')}: "
        trace = trace.tb_next
    kind = "" if isinstance(error, _WrongTypeError) else f"{type(error).__name__}: "
    return place + kind + str(error)[:300]


if __name__ == "__main__":
    main()

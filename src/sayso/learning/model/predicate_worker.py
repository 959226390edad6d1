"""What evaluates predicates in the sandbox, for `predicate_sandbox`: it keeps those it was told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from sayso.core.errors import SaySoError
from sayso.core.library import compile_predicate
from sayso.core.predicates import ManyFunction, Predicate, PredicateFunction, SceneView
from sayso.core.sandbox.child import Ask, OutOfTimeError, Worker, processor_time, where
from sayso.learning.predicate_code import NUMPY, compile_learned

_Known = PredicateFunction | ManyFunction | str
"""A predicate's function, or why there is none."""
_METHODS = ("all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum")
"""Of arrays."""
_ERRORS = 5
"""How many failures of a predicate in a scene are told."""


class _WrongTypeError(Exception):
    """A predicate returned what is no truth value."""


def worker() -> Worker:
    """What evaluates predicates; it keeps those that it was told."""
    NUMPY.median([0.0])  # These import more of numpy, which cannot be done later.
    for method in _METHODS:
        getattr(np.zeros(1), method)()
    return partial(_answers, {})


def _answers(
    known: dict[str, Predicate], request: Mapping[str, Any], ask: Ask
) -> Iterator[dict[str, Any]]:
    """Each predicate's truths in turn.

    The request holds texts not `known` yet (digest, name, source, arity, whether it is trusted,
    its library's vocabulary), the digests in `use` by name, the names to `evaluate`, the scene, and
    `cpu_s` for each.
    """
    del ask  # A predicate asks of nothing but its scene.
    for digest, name, source, arity, trusted, vocabulary in request["define"]:
        predicate = _predicate(name, source, arity, _compiled(name, source, arity, trusted))
        known[digest] = replace(predicate, vocabulary=vocabulary)
    predicates = {name: known[digest] for name, digest in request["use"].items()}
    view = SceneView(request["scene"], predicates)
    for name in request["evaluate"]:
        yield _truths(view, predicates[name], request["cpu_s"])


def _compiled(name: str, source: str, arity: int, trusted: bool) -> _Known:
    try:
        if trusted:
            return compile_predicate(name, source)
        return compile_learned(name, source, arity)
    except SaySoError as error:
        return error.message
    except Exception as error:  # noqa: BLE001 - the compiler itself may be overwhelmed
        return f"the code cannot be compiled: {_described(error)}"


def _predicate(name: str, source: str, arity: int, function: _Known) -> Predicate:
    parameters = tuple(f"p{i}" for i in range(arity))
    if isinstance(function, ManyFunction):  # trusted: it came with SaySo
        return Predicate(name, parameters, function, source=source)
    if isinstance(function, str):
        return Predicate(name, parameters, lambda *_: None, english=function, source=source)
    return Predicate(name, parameters, _checked(function), source=source)


def _checked(function: PredicateFunction) -> PredicateFunction:
    """The function, held to truth values."""

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
    try:
        with processor_time(cpu_s):
            for args, letter, fault in _one_by_one(view, predicate):
                letters.append(letter)
                if fault and len(errors) < _ERRORS:
                    errors.append((args, fault))
    except OutOfTimeError:
        return {"exhausted": f"{cpu_s:g} s of processor time"}
    except MemoryError:
        return {"exhausted": "its memory"}
    return {"truths": "".join(letters), "errors": errors}


def _one_by_one(
    view: SceneView, predicate: Predicate
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    for args in permutations(view.objects(), predicate.arity):
        try:
            truth = view.holds(predicate.name, *args)
            yield args, "u" if truth is None else "ft"[truth], ""
        except (OutOfTimeError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - the code under test may raise anything
            yield args, "u", _described(error)


def _described(error: Exception) -> str:
    """What went wrong, and in which line of the code."""
    kind = "" if isinstance(error, _WrongTypeError) else f"{type(error).__name__}: "
    return f"{where(error)}{kind}{str(error)[:300]}"

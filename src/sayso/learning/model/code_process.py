"""A language model's predicates, evaluated scene by scene in a process that can do no harm.

Such code is never run in the robot's own process, not even after it has passed all checks:

1. the allow-list of `predicate_code`: syntax, names, attributes, builtins, a part of numpy;
2. a process of its own without environment, files, sockets or further processes;
3. limits of the kernel on its memory, and on processor time for each predicate and scene;
4. answers are three-valued truths as JSON; nothing else comes back.

One request evaluates all such predicates over all objects of a scene, so that a state costs one
message each way. What fails is unknown, never true; what exhausts its limits is unknown from then
on.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import NotObserved, Predicate, PredicateFunction, SceneView
from sayso.core.scene import Scene
from sayso.learning.synthesis.synthesizer import uses

_LOG = logging.getLogger(__name__)
_CHILD = Path(__file__).with_name("code_child.py")
_PACKAGE = Path(__file__).parents[3]
_START_S = 60.0
_NO_POINTS = np.zeros((0, 3), np.float32)


_Values: TypeAlias = Mapping[tuple[str, ...], "bool | None"]


@dataclass(frozen=True)
class CodeLimits:
    """What a predicate may use in a scene.

    Attributes:
        cpu_s: processor time for all tuples of objects together.
        memory_mb: beyond what Python and numpy take.
        wall_s: beyond the processor time, until the process is killed.
        source_chars: of its text.
    """

    cpu_s: float = 1.0
    memory_mb: int = 256
    wall_s: float = 20.0
    source_chars: int = 20_000


@dataclass(frozen=True)
class Failure:
    """Why a predicate has no truth for some objects."""

    args: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Truths:
    """A predicate's truth for each tuple of distinct objects of a scene; None where unknown.

    Attributes:
        unusable: why it has no truth for any objects; '' if it has.
    """

    objects: tuple[str, ...]
    arity: int
    letters: str
    failures: tuple[Failure, ...] = ()
    unusable: str = ""

    @property
    def fault(self) -> str:
        """The first thing that went wrong, or ''."""
        return self.unusable or next((f"{f.args}: {f.message}" for f in self.failures), "")

    @cached_property
    def values(self) -> _Values:
        """By tuple of objects."""
        tuples = permutations(self.objects, self.arity)
        return dict(zip(tuples, map(_LETTERS.__getitem__, self.letters), strict=True))


class CodeProcess:
    """Runs a language model's predicates. Starts at the first use; `close` ends it.

    Safe to use from several threads; one scene is evaluated at a time.
    """

    def __init__(self, limits: CodeLimits | None = None) -> None:
        self.limits = limits or CodeLimits()
        self._child: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = lambda: None
        self._defined: set[str] = set()
        self._exhausted: dict[str, str] = {}
        self._lock = threading.RLock()
        self._views: weakref.WeakKeyDictionary[SceneView, dict[RemoteFunction, Truths]] = (
            weakref.WeakKeyDictionary()
        )
        self._seen: dict[int, tuple[weakref.ref[Scene], dict[str, Truths]]] = {}

    def function(self, name: str, source: str, arity: int) -> PredicateFunction:
        """The predicate of a text, evaluated in the process. Nothing is checked or run yet."""
        return RemoteFunction(self, name, source, arity)

    def evaluate(
        self, scene: Scene, predicates: Mapping[str, Predicate], names: Sequence[str]
    ) -> dict[str, Truths]:
        """The named predicates over all objects of a scene.

        Args:
            predicates: all that may be used, the named ones included, each with its text.

        Raises:
            SaySoError: UNSUPPORTED where the platform cannot limit a process.
        """
        with self._lock:
            found = {n: self._given_up(scene, predicates[n]) for n in names}
            while left := [n for n, truths in found.items() if truths is None]:
                begun, answers = self._ask(scene, predicates, left)
                for name, answer in zip(left, answers, strict=False):
                    found[name] = self._read(scene, predicates[name], answer)
                if not answers:
                    killer = predicates[left[max(begun, 1) - 1]]
                    self._exhausted[digest_of(killer.name, killer.source)] = _USED_UP
                    found[killer.name] = _unknown(scene, killer.arity, _USED_UP)
        return {n: t for n, t in found.items() if t is not None}

    def truths_in(self, view: SceneView, remote: RemoteFunction) -> Truths:
        """A predicate's truths in a view; those of all others of this process that are not known
        yet are evaluated along, and kept as long as the scene is.
        """
        with self._lock:
            found = self._views.setdefault(view, {})
            if remote not in found:
                found[remote] = self._truths_in(view, remote)
            return found[remote]

    def close(self) -> None:
        """Ends the process; the next use starts another."""
        with self._lock:
            self._end()
            self._child = None
            self._defined.clear()

    def _truths_in(self, view: SceneView, remote: RemoteFunction) -> Truths:
        known = dict(view.predicates)
        own = known.get(remote.name)
        if own is None or own.function is not remote:
            known[remote.name] = remote.predicate
        kept = self._kept(view.scene)
        key = _key(remote.name, known)
        if key not in kept:
            self._fill(kept, view.scene, known)
        return kept[key]

    def _kept(self, scene: Scene) -> dict[str, Truths]:
        place = id(scene)
        found = self._seen.get(place)
        if found is None or found[0]() is not scene:
            gone = weakref.ref(scene, lambda _: self._seen.pop(place, None))
            found = self._seen[place] = (gone, {})
        return found[1]

    def _fill(self, kept: dict[str, Truths], scene: Scene, known: Mapping[str, Predicate]) -> None:
        mine = {n: _key(n, known) for n, p in known.items() if self._runs(p)}
        lacking = [n for n, key in mine.items() if key not in kept]
        for name, truths in self.evaluate(scene, known, lacking).items():
            kept[mine[name]] = truths
            if truths.fault:
                _LOG.warning("%s is unknown: %s", name, truths.fault)

    def _runs(self, predicate: Predicate) -> bool:
        function = predicate.function
        return isinstance(function, RemoteFunction) and function.process is self

    def _given_up(self, scene: Scene, predicate: Predicate) -> Truths | None:
        source = predicate.source
        if len(source) > self.limits.source_chars:
            used = f"the code has {len(source)} characters, {self.limits.source_chars} are allowed"
            return _unknown(scene, predicate.arity, used)
        used = self._exhausted.get(digest_of(predicate.name, source), "")
        return _unknown(scene, predicate.arity, used) if used else None

    def _read(self, scene: Scene, predicate: Predicate, answer: Mapping[str, Any]) -> Truths:
        if "refused" in answer:
            return _unknown(scene, predicate.arity, str(answer["refused"]))
        if "exhausted" in answer:
            used = f"the code used up {answer['exhausted']}"
            self._exhausted[digest_of(predicate.name, predicate.source)] = used
            return _unknown(scene, predicate.arity, used)
        failures = tuple(Failure(tuple(a), m) for a, m in answer["errors"])
        return Truths(_names(scene), predicate.arity, str(answer["truths"]), failures)

    def _ask(
        self, scene: Scene, predicates: Mapping[str, Predicate], names: Sequence[str]
    ) -> tuple[int, list[dict[str, Any]]]:
        """How many predicates the child has begun, and its answers for the names in turn.

        There are no answers if it has died or had to be killed.
        """
        usable = {n: p for n, p in predicates.items() if p.source}
        digests = {n: digest_of(n, p.source) for n, p in usable.items()}
        child = self._started()
        request = {
            "define": [
                (digests[n], n, p.source, p.arity, _trusted(p))
                for n, p in usable.items()
                if digests[n] not in self._defined
            ],
            "use": {n: (digests[n], p.arity) for n, p in usable.items()},
            "evaluate": list(names),
            "scene": _without_points(scene),
        }
        wall_s = self.limits.wall_s + self.limits.cpu_s * len(names)
        answers = _exchange(child, request, wall_s)
        begun = _begun(child)
        if answers:
            self._defined.update(digests.values())
        else:
            self.close()
        return begun, answers

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is not None:
            return self._child
        if os.name != "posix":
            raise SaySoError(Code.UNSUPPORTED, "code of a model needs a POSIX system to run on.")
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            close_fds=True,
            start_new_session=True,
        )
        self._child, self._end = child, weakref.finalize(self, _kill, child)
        start = {
            "path": [str(_PACKAGE), *(p for p in sys.path if p)],
            "memory_mb": self.limits.memory_mb,
            "cpu_s": self.limits.cpu_s,
        }
        if not _exchange(child, start, _START_S):
            self.close()
            raise SaySoError(
                Code.UNSUPPORTED,
                "the process for a model's code does not start.",
                hint=f"see what '{sys.executable} -I -S {_CHILD}' says.",
            )
        return child


class RemoteFunction:
    """A predicate's function whose text runs in a `CodeProcess`."""

    def __init__(self, process: CodeProcess, name: str, source: str, arity: int) -> None:
        self.process = process
        self.name = name
        self.source = source
        parameters = tuple(f"p{i}" for i in range(arity))
        self.predicate = Predicate(name, parameters, self, source=source)
        self._last: tuple[Callable[[], SceneView | None], _Values] = (lambda: None, {})

    def __call__(self, view: SceneView, *args: str) -> bool | None:
        """The truth in a view; None also where the code fails.

        Raises:
            NotObserved: for an object that the scene has not.
        """
        last, values = self._last
        if last() is not view:
            values = self.process.truths_in(view, self).values
            self._last = weakref.ref(view), values
        try:
            return values[args]
        except KeyError:
            raise NotObserved(", ".join(args)) from None


_LETTERS = {"t": True, "f": False, "u": None}
_USED_UP = "the code used up its time or memory in one step, and was killed"


@lru_cache(maxsize=1024)
def digest_of(name: str, source: str) -> str:
    """What tells one text of a predicate from another."""
    return hashlib.sha256(f"{name}\n{source}".encode(errors="surrogatepass")).hexdigest()


def written_by_model(predicate: Predicate) -> bool:
    """Whether a predicate's text came from a language model."""
    return predicate.provenance.get("by") == "model"


def _trusted(predicate: Predicate) -> bool:
    """Whether a text came with SaySo or from a person, not from learning."""
    learned = predicate.provenance.get("origin") == "learned"
    return not learned and not isinstance(predicate.function, RemoteFunction)


def _key(name: str, predicates: Mapping[str, Predicate]) -> str:
    """What decides a predicate's truths in a scene: its text, and those of all that it uses."""
    found, waiting = {name}, [name]
    while waiting:
        more = uses(predicates[waiting.pop()].source) & predicates.keys() - found
        found |= more
        waiting += more
    return "".join([name, *(digest_of(n, predicates[n].source) for n in sorted(found))])


def _names(scene: Scene) -> tuple[str, ...]:
    return tuple(o.name for o in scene.objects)


def _unknown(scene: Scene, arity: int, why: str) -> Truths:
    count = math.perm(len(scene.objects), arity)
    return Truths(_names(scene), arity, "u" * count, unusable=why)


def _without_points(scene: Scene) -> Scene:
    if not any(len(o.points) for o in scene.objects):
        return scene
    return replace(scene, objects=tuple(replace(o, points=_NO_POINTS) for o in scene.objects))


def _exchange(
    child: subprocess.Popen[bytes], request: Mapping[str, Any], wall_s: float
) -> list[dict[str, Any]]:
    """The answers to a request; none if the child ends, or is silent for `wall_s`.

    What does not have the form of answers is none either.
    """
    assert child.stdin is not None
    body = pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
    received = b""
    try:
        child.stdin.write(len(body).to_bytes(4, "big") + body)
        child.stdin.flush()
        while len(received) < 4 or len(received) < 4 + int.from_bytes(received[:4], "big"):
            received += _received(child, wall_s)
        return [dict(a) for a in json.loads(received[4:])]
    except (OSError, EOFError, TypeError, ValueError):
        return []


def _begun(child: subprocess.Popen[bytes]) -> int:
    """How many predicates the child has begun to evaluate since this was asked last."""
    assert child.stderr is not None
    os.set_blocking(child.stderr.fileno(), False)
    try:
        return len(os.read(child.stderr.fileno(), 65_536))
    except BlockingIOError:
        return 0


def _received(child: subprocess.Popen[bytes], wall_s: float) -> bytes:
    """What comes next. Raises EOFError when the child ends, or nothing comes for so long."""
    assert child.stdout is not None
    ready = select.select([child.stdout], [], [], wall_s)[0]
    if not ready or not (some := os.read(child.stdout.fileno(), 65_536)):
        raise EOFError
    return some


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()

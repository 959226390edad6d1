"""A language model's predicates, evaluated scene by scene in a sandbox.

Such code is never run in the robot's own process, not even after it has passed all checks: the
allow-list of `predicate_code` lets it use a part of numpy besides what `core.sandbox` allows every
code, and the answers are three-valued truths.

One request evaluates all such predicates over all objects of a scene, so that a state costs one
message there and one back for each predicate. What fails is unknown, never true; what exhausts its
limits is unknown from then on.
"""

from __future__ import annotations

import hashlib
import logging
import math
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from sayso.core.predicates import NotObserved, Predicate, PredicateFunction, SceneView
from sayso.core.sandbox.process import Limits, SandboxProcess
from sayso.core.scene import Scene
from sayso.core.vocabulary import NO_WORDS
from sayso.learning.synthesis.synthesizer import uses

_LOG = logging.getLogger(__name__)
_NO_POINTS = np.zeros((0, 3), np.float32)


_Values: TypeAlias = Mapping[tuple[str, ...], "bool | None"]


LIMITS = Limits(cpu_s=1.0, wall_s=21.0, output_bytes=64_000_000)
"""For all tuples of objects of a scene together."""


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


class PredicateSandbox:
    """Runs a language model's predicates. Starts at the first use; `close` ends it.

    Safe to use from several threads; one scene is evaluated at a time.
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self._process = SandboxProcess("sayso.learning.model.predicate_worker:worker", limits)
        self._defined: set[str] = set()
        self._words = NO_WORDS
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
                answers = self._ask(scene, predicates, left)
                for name, answer in zip(left, answers, strict=False):
                    found[name] = self._read(scene, predicates[name], answer)
                if len(answers) < len(left):
                    killer = predicates[left[len(answers)]]
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
            self._process.close()
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
        used = self.limits.too_long(source)
        used = used or self._exhausted.get(digest_of(predicate.name, source), "")
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
    ) -> tuple[dict[str, Any], ...]:
        """The answers for the names in turn; fewer where one of them has ended the process."""
        usable = {n: p for n, p in predicates.items() if p.source}
        digests = {n: digest_of(n, p.source) for n, p in usable.items()}
        words = next((p.vocabulary for p in usable.values() if p.vocabulary.types), NO_WORDS)
        if words != self._words:  # the same text may tell other types then
            self._words = words
            self._defined.clear()
        request = {
            "define": [
                (digests[n], n, p.source, p.arity, _trusted(p), p.vocabulary)
                for n, p in usable.items()
                if digests[n] not in self._defined
            ],
            "use": {n: digests[n] for n in usable},
            "evaluate": list(names),
            "scene": _with_what_is_asked(scene, usable.values()),
            "cpu_s": self.limits.cpu_s,
        }
        reply = self._process.ask(request)
        self._defined = set() if reply.used_up else self._defined | set(digests.values())
        return reply.answers


class RemoteFunction:
    """A predicate's function whose text runs in a `PredicateSandbox`."""

    def __init__(self, process: PredicateSandbox, name: str, source: str, arity: int) -> None:
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


def _with_what_is_asked(scene: Scene, predicates: Iterable[Predicate]) -> Scene:
    """Points and pictures, which are large, travel only where a text asks for them."""
    asking = list(predicates)
    left_out: dict[str, Any] = {}
    if not any(".points" in p.source for p in asking):
        left_out["points"] = _NO_POINTS
    if not any(p.sees_pictures for p in asking):
        left_out["picture"] = None
    if not left_out or all(len(o.points) == 0 and o.picture is None for o in scene.objects):
        return scene
    return replace(scene, objects=tuple(replace(o, **left_out) for o in scene.objects))

"""Scenes as symbolic states, parsed anew only by the predicates that changed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, SymbolicState
from sayso.learning.synthesis.synthesizer import uses


class States:
    """The truths of the present predicates in scenes that are kept."""

    def __init__(self, predicates: Mapping[str, Predicate]) -> None:
        self._predicates = dict(predicates)
        self._scenes: dict[int, Scene] = {}
        self._truths: dict[int, dict[str, dict[Atom, bool | None]]] = {}
        self._states: dict[int, SymbolicState] = {}

    def use(self, predicates: Mapping[str, Predicate]) -> bool:
        """Parse with these predicates from now on; whether any truth may have changed."""
        old, self._predicates = self._predicates, dict(predicates)
        changed = {n for n in {*old, *predicates} if old.get(n) != predicates.get(n)}
        if not changed:
            return False
        while more := {p.name for p in predicates.values() if uses(p.source) & changed} - changed:
            changed |= more
        for truths in self._truths.values():
            for name in changed:
                truths.pop(name, None)
        self._states.clear()
        return True

    def of(self, scene: Scene) -> SymbolicState:
        """The scene's symbolic state; the same object until predicates change."""
        if id(scene) not in self._states:
            self._scenes[id(scene)] = scene  # so that no other scene gets its id
            self._states[id(scene)] = self._parsed(scene)
        return self._states[id(scene)]

    def truth(self, scene: Scene, atom: Atom) -> bool | None:
        """An atom's truth in a scene; None also where the predicate is not known."""
        return self.of(scene).truth(atom)

    def _parsed(self, scene: Scene) -> SymbolicState:
        known = self._truths.setdefault(id(scene), {})
        view = SceneView(scene, self._predicates)
        names = view.objects()
        for predicate in self._predicates.values():
            if predicate.name not in known:
                atoms = (Atom(predicate.name, a) for a in permutations(names, predicate.arity))
                known[predicate.name] = {atom: view.truth(atom) for atom in atoms}
        truths = {a: t for n in self._predicates for a, t in known[n].items()}
        return SymbolicState(scene.stamp_s, names, truths, scene.categories())

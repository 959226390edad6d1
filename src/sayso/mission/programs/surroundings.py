"""What a program runs on: things as observed, and where they would be after its steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sayso.core.library import Library
from sayso.core.ports import Embedder
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action
from sayso.mission.programs.finding import FindSettings
from sayso.perception.scene_graph import scene_graph
from sayso.planning.problem import PlanningProblem


@dataclass(frozen=True)
class Surroundings:
    """What a program runs on.

    Attributes:
        scene: as it is observed; places and sizes mean nothing where it is not `seen`.
        problem: the same as literals, and the task whose rules hold.
        seen: whether there is more to go by than names and literals.
    """

    library: Library
    scene: Scene
    problem: PlanningProblem
    embedder: Embedder
    settings: FindSettings
    seen: bool = True

    @staticmethod
    def of(problem: PlanningProblem, embedder: Embedder) -> Surroundings:
        """By names and literals alone."""
        operators = {op.name: op for op in problem.domain.operators}
        library = Library("", problem.predicates, operators, vocabulary=problem.vocabulary)
        scene = Scene(0.0, tuple(map(_named, problem.objects)))
        return Surroundings(library, scene, problem, embedder, FindSettings(), seen=False)


def _named(name: str) -> SceneObject:
    """A thing of which nothing but its name is known: `red_block_2` is a red block."""
    color, _, kind = re.sub(r"_\d+$", "", name).rpartition("_")
    return SceneObject(name, kind, color, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass
class Whereabouts:
    """Where things are, as far as operators tell.

    Attributes:
        above: by the name of a thing all that it was above when it was seen.
        moved: things of which no place is known but what holds them.
    """

    names: tuple[str, ...]
    containers: dict[str, str]
    supports: dict[str, str]
    above: Mapping[str, frozenset[str]]
    moved: set[str]

    @staticmethod
    def of(around: Surroundings) -> Whereabouts:
        """By the scene's graph; of what is not seen, by the literals `in` and `on`."""
        if around.seen:
            graph = scene_graph(around.scene, around.settings.place)
            links = dict(graph.containers), dict(graph.supports)
            return Whereabouts(tuple(graph.things), *links, graph.above, set())
        names = around.problem.objects
        inside, upon = (
            {a.args[0]: a.args[1] for a in around.problem.initial if a.predicate == word}
            for word in ("in", "on")
        )
        return Whereabouts(names, inside, upon, dict.fromkeys(names, frozenset()), set(names))

    def take_in(self, action: Action, held: str) -> None:
        for atom in action.delete:
            if atom.predicate in ("in", "on") and len(atom.args) == 2:
                for links in (self.containers, self.supports):
                    if links.get(atom.args[0]) == atom.args[1]:
                        del links[atom.args[0]]
        for atom in action.add:
            if atom.predicate in ("in", "on") and len(atom.args) == 2:
                links = self.containers if atom.predicate == "in" else self.supports
                links[atom.args[0]] = atom.args[1]
                self.moved.add(atom.args[0])
            elif atom.predicate == held:
                self.moved.update(atom.args)

    def contained_and_over(self, name: str) -> list[str]:
        still = () if name in self.moved else set(self.names) - self.moved
        return [
            n for n in self.names
            if name in self._holders(n) or (n in still and name in self.above[n])
        ]  # fmt: skip

    def _holders(self, name: str) -> list[str]:
        """What a thing is in or on, what that is in or on, and so on."""
        found = [name]
        for one in found:
            links = (self.containers.get(one), self.supports.get(one))
            found += [n for n in links if n is not None and n not in found]
        return found[1:]

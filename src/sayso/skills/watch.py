"""The executor's own watch over a task: a second automaton, and what the gate asks of it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

from sayso.core.geometry import Pose
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom, SymbolicState
from sayso.logic.automaton import Automaton
from sayso.logic.monitor import Monitor, Progress, prop_atom


class TaskWatch:
    """Follows the observed states independently of the automaton node, thread-safe.

    Foresees what the next bit of motion would make true: the observed scene with the robot
    where the trajectory will have taken it, and whatever it carries moved along.
    """

    def __init__(self, automaton: Automaton, predicates: Mapping[str, Predicate]) -> None:
        self._monitor = Monitor(automaton)
        self._predicates = predicates
        self._atoms = tuple(prop_atom(p) for p in automaton.propositions)
        self._lock = threading.Lock()
        self.progress: Progress | None = None

    def observe(self, state: SymbolicState, boundary: bool = False) -> Progress:
        with self._lock:
            self.progress = self._monitor.observe(state.truths, boundary)
            return self.progress

    def would_violate(self, scene: Scene, robot: RobotState) -> str | None:
        """Why the scene with the robot in this state would break the specification, or None."""
        moved = replace(scene, robot=robot, objects=_carried_along(scene, robot))
        view = SceneView(moved, self._predicates)
        truths: dict[Atom, bool | None] = {a: view.truth(a) for a in self._atoms}
        with self._lock:
            return self._monitor.would_violate(truths)


def _carried_along(scene: Scene, robot: RobotState) -> tuple[SceneObject, ...]:
    change = robot.gripper @ scene.robot.gripper.inverse()
    return tuple(_moved(o, change @ o.pose) if o.carried else o for o in scene.objects)


def _moved(obj: SceneObject, pose: Pose) -> SceneObject:
    return replace(obj, position=pose.position, orientation=pose.orientation)

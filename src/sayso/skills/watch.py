"""The executor's own watch over a task, apart from the automaton node's: what the gate asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sayso.core.geometry import Pose
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom, SymbolicState
from sayso.logic.monitor import Monitor, Progress, prop_atom
from sayso.logic.progression import Progression, Verdict


class TaskWatch:
    """Follows the observed states and foresees what the next bit of motion would make true.

    Foreseen is the observed scene with the robot where the trajectory will have taken it, and
    whatever it carries moved along. States may come on one thread while the gate asks on another.
    """

    def __init__(self, task: Progression, predicates: Mapping[str, Predicate]) -> None:
        self.monitor = Monitor(task, predicates)
        self._predicates = predicates
        self._progress: Progress | None = None

    def observe(self, state: SymbolicState) -> Progress:
        """Take in a state, newer than those before."""
        self._progress = self.monitor.follow(state)
        return self._progress

    def skill_finished(self, stamp_s: float) -> None:
        """A skill ended: the first state after it is a step even if nothing changed."""
        self.monitor.skill_finished(stamp_s)

    @property
    def violated(self) -> bool:
        """Whether the specification was observed to be broken."""
        return self._progress is not None and self._progress.verdict is Verdict.VIOLATED

    @property
    def unknown_atoms(self) -> tuple[Atom, ...]:
        """What is unknown, while that leaves open whether the specification is broken."""
        if self._progress is None or not self._progress.possibly_violated:
            return ()
        return tuple(map(prop_atom, self._progress.unknown))

    def would_violate(self, scene: Scene, robot: RobotState) -> str | None:
        """Why the scene with the robot in this state would break the specification, or None."""
        moved = replace(scene, robot=robot, objects=_carried_along(scene, robot))
        view = SceneView(moved, self._predicates)
        atoms = map(prop_atom, self.monitor.task.propositions)
        return self.monitor.would_violate({a: view.truth(a) for a in atoms})


def _carried_along(scene: Scene, robot: RobotState) -> tuple[SceneObject, ...]:
    change = robot.gripper @ scene.robot.gripper.inverse()
    return tuple(_moved(o, change @ o.pose) if o.carried else o for o in scene.objects)


def _moved(obj: SceneObject, pose: Pose) -> SceneObject:
    return replace(obj, position=pose.position, orientation=pose.orientation)

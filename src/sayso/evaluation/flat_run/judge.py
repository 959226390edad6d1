"""What truly came about: the simulator's own state, read at every step, against the task.

For scoring alone. A "never" is judged by the library's own predicates on the true pose of the
base and the true boxes of things.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sayso.core.geometry import Pose
from sayso.core.library import Library
from sayso.core.predicates import SceneView
from sayso.core.scene import SceneObject
from sayso.evaluation.flat_run.known_boxes import TrueFloor
from sayso.logic.formula import Formula, Prop
from sayso.logic.monitor import prop_atom
from sayso.logic.text import to_text
from sayso.planning.navigation.obligations import Letter, obligations_of
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.true_state import robot_at, true_scene

_STILL_M_S = 0.02


@dataclass(frozen=True)
class Violation:
    """Something that must not be came about.

    Attributes:
        clause: the part of the task that it broke.
        near: how near the robot truly was to each thing that the part names [m].
        by_robot: whether the robot's own motion brought it about, and not that of others.
        speed_m_s: of the base.
    """

    time_s: float
    clause: str
    near: dict[str, float]
    by_robot: bool
    speed_m_s: float


@dataclass
class TrueTrace:
    """Follows the truth of a task; call it at every step of the clock.

    Args:
        formula: about the world's own things.

    Attributes:
        violations: at most one for each clause.
    """

    world: FlatWorld
    library: Library
    formula: Formula
    violations: list[Violation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._task = obligations_of(self.formula)
        self._states = self._task.initial
        self._small = {i.name for i in self.world.scene.items if i.movable}
        asked = (self.library.predicates[p.predicate] for p in self._task.propositions)
        self._floor = TrueFloor(self.world) if any(p.sees_walls for p in asked) else None
        self._last: tuple[Pose, tuple[SceneObject, ...], Letter] | None = None
        self.nearest_m: dict[str, float] = {}

    @property
    def done(self) -> bool:
        """Whether the task is truly fulfilled by what came about up to now."""
        return self._task.is_done(self._states)

    def step(self) -> None:
        """Read the world's true state."""
        base, objects = self.world.true_base(), self._objects()
        letter = self._letter(base, objects)
        last = self._last
        if last is None or letter != last[2]:
            before = self._states
            self._states = self._task.step(before, letter)
            for i, clause in enumerate(self._task.clauses):
                trap = self._task.automata[i].is_trap
                if trap(self._states[i]) and not trap(before[i]):
                    self.violations.append(self._violation(i, clause, before[i], base, objects))
        self._last = base, objects, letter

    def _violation(
        self, index: int, clause: Formula, state: int, base: Pose, objects: Sequence[SceneObject]
    ) -> Violation:
        speed, by_robot = 0.0, False
        if self._last is not None:
            was, others, _ = self._last
            moved = sum((a - b) ** 2 for a, b in zip(base.position, was.position, strict=True))
            speed = moved**0.5 / 0.05
            automaton = self._task.automata[index]
            # Had the robot not moved in this step, would it have come about all the same?
            resting = automaton.step(state, self._letter(was, objects))
            by_robot = not automaton.is_trap(resting) and speed > _STILL_M_S
            # Had the others not moved, would the robot's own motion have sufficed?
            alone = automaton.step(state, self._letter(base, tuple(others)))
            by_robot |= automaton.is_trap(alone)
        x, y, _ = base.position
        names = {str(a) for p in self._task.automata[index].propositions for a in p.args}
        near = {o.name: o.distance_to((x, y, o.position[2])) for o in objects if o.name in names}
        return Violation(self.world.time_s, to_text(clause), near, by_robot, speed)

    def _objects(self) -> tuple[SceneObject, ...]:
        return self.world.truth()

    def _letter(self, base: Pose, objects: Sequence[SceneObject]) -> Letter:
        robot = robot_at(base, self.world.robot_state())
        scene = true_scene(0.0, objects, robot, self._small)
        if self._floor is not None:
            scene = replace(scene, occupied=self._floor.grid().occupied)
        view = SceneView(scene, self.library.predicates)
        props: tuple[Prop, ...] = self._task.propositions
        return frozenset(p for p in props if view.truth(prop_atom(p)))

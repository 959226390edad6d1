"""Run one action's skill with its contract: preconditions before, effects after, both observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Cancelled, Kinematics, MotionPlanner
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal
from sayso.skills import contract, placing
from sayso.skills.arm import Arm
from sayso.skills.gate import MotionGate
from sayso.skills.handling import Held, Task, go_home, held_in, pick, place, slide
from sayso.skills.poses import yaw_of
from sayso.skills.senses import Senses
from sayso.skills.settings import DEFAULTS, SkillSettings

_Skill = Callable[["SkillExecutor", Task, tuple[str, ...]], None]


class SkillExecutor:
    """Carries out actions by the skill they name; remembers only what the hand holds.

    Use it from one thread at a time. The gate must be authorised by the caller.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        planner: MotionPlanner,
        gate: MotionGate,
        senses: Senses,
        predicates: Mapping[str, Predicate],
        settings: SkillSettings = DEFAULTS,
    ) -> None:
        self._arm = Arm(kinematics, planner, gate, senses, settings)
        self._senses = senses
        self._predicates = predicates
        self._settings = settings
        self._held: Held | None = None

    def execute(
        self,
        action: Action,
        avoid: frozenset[str] = frozenset(),
        *,
        started: Callable[[tuple[Check, ...]], None] = lambda _: None,
        phase: Callable[[str], None] = lambda _: None,
        cancelled: Cancelled = lambda: False,
    ) -> tuple[Check, ...]:
        """Check, act, look, check. Gives the effects as observed.

        Args:
            avoid: objects that must not be touched; kept well clear of.
            started: called with the precondition checks before anything moves.
            phase: called with what the skill is doing now, in English.

        Raises:
            SaySoError: OBJECT_LOST, VETO for an argument that must not be touched, PRECONDITION
                and POSTCONDITION (with the observed values), UNSUPPORTED for an unknown skill,
                or what the skill, the planner or the gate raised.
        """
        skill = SKILLS.get(action.skill)
        if skill is None:
            raise SaySoError(
                Code.UNSUPPORTED, f"there is no skill '{action.skill}'.", choices=SKILLS
            )
        scene = self._senses.scene()
        task = Task(self._arm.cancelled_by(cancelled), scene, avoid, phase)
        for name in action.args:
            task.object(name)
        checks = self.check(scene, sorted(action.preconditions))
        started(checks)
        contract.require(checks, Code.PRECONDITION, f"{action} cannot start")
        skill(self, task, action.args)
        return self._verify(action, task)

    def go_home(
        self, avoid: frozenset[str] = frozenset(), cancelled: Cancelled = lambda: False
    ) -> None:
        """To the configuration from which the cameras see the table, with what is held."""
        self._look_pose(Task(self._arm.cancelled_by(cancelled), self._senses.scene(), avoid))

    def check(self, scene: Scene, literals: Iterable[Literal]) -> tuple[Check, ...]:
        """Each literal against a scene, with the observed values behind it."""
        return contract.check(scene, literals, self._predicates)

    def _verify(self, action: Action, task: Task) -> tuple[Check, ...]:
        """Look at once; if not every effect shows, look again from where the arm hides nothing."""
        effects = contract.effects(action)
        task.phase("look at the result")
        scene = self._fresh_scene()
        checks = self.check(scene, effects)
        if not all(c.observed for c in checks):
            self._look_pose(replace(task, scene=scene))
            scene = self._fresh_scene()
            checks = self.check(scene, effects)
        if any(c.literal.atom.predicate == "holding" and c.observed is False for c in checks):
            self._held = None
        contract.require(checks, Code.POSTCONDITION, f"{action} did not have its effect")
        return checks

    def _fresh_scene(self) -> Scene:
        return self._senses.scene_after(self._senses.now_s(), self._settings.scene_timeout_s)

    def _look_pose(self, task: Task) -> None:
        held = self._held
        if held is not None and task.scene.robot.gripper_width_m < self._settings.empty_width_m:
            held = None
        go_home(task, held)

    # -- the skills, by the names that operators use ----------------------------------------

    def _pick(self, task: Task, args: tuple[str, ...]) -> None:
        self._held = None
        self._held = pick(task, args[0], args[1] if len(args) > 1 else None)

    def _place_on(self, task: Task, args: tuple[str, ...]) -> None:
        held = self._in_hand(task, args[0])
        support = task.object(args[1])
        yaw = self._yaw(held)
        spots = placing.on_top(held.size, yaw, support, task.scene, self._settings)
        self._place(task, held, spots, args[1])

    def _place_in(self, task: Task, args: tuple[str, ...]) -> None:
        held = self._in_hand(task, args[0])
        yaw = self._yaw(held)
        spots = placing.inside(held.size, yaw, task.object(args[1]))
        self._place(task, held, spots, args[1])

    def _place_on_table(self, task: Task, args: tuple[str, ...]) -> None:
        held = self._in_hand(task, args[0])
        here = np.asarray(task.scene.robot.gripper.position)[:2]
        others = tuple(o for o in task.scene.objects if o.name != held.name)
        scene = replace(task.scene, objects=others)
        yaw = self._yaw(held)
        spots = placing.on_table(held.size, yaw, scene, here, self._settings)
        self._place(task, held, spots, None)

    def _open_drawer(self, task: Task, args: tuple[str, ...]) -> None:
        slide(task, args[0], self._settings.drawer_opening_m)

    def _close_drawer(self, task: Task, args: tuple[str, ...]) -> None:
        slide(task, args[0], 0.0)

    def _place(self, task: Task, held: Held, spots: tuple[Pose, ...], support: str | None) -> None:
        place(task, held, spots, support)
        self._held = None

    def _in_hand(self, task: Task, name: str) -> Held:
        return held_in(task.scene, name, self._held)

    def _yaw(self, held: Held) -> float:
        """How the held thing is turned now."""
        return yaw_of(self._senses.robot().gripper @ held.offset)


SKILLS: Mapping[str, _Skill] = {
    "pick": SkillExecutor._pick,
    "place_on": SkillExecutor._place_on,
    "stack": SkillExecutor._place_on,
    "place_in": SkillExecutor._place_in,
    "place_on_table": SkillExecutor._place_on_table,
    "open_drawer": SkillExecutor._open_drawer,
    "close_drawer": SkillExecutor._close_drawer,
}
"""Skills by the names that operators use."""

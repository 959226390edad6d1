"""Run one action's skill with its contract: preconditions before, effects after, both observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import Cancelled, Kinematics, MotionPlanner
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal
from sayso.skills import contract
from sayso.skills.arm import Arm
from sayso.skills.arm_skills import ArmWork
from sayso.skills.gate import MotionGate
from sayso.skills.handling import Task, go_home
from sayso.skills.primitives import FELT, require_primitive
from sayso.skills.senses import Senses
from sayso.skills.settings import DEFAULTS, SkillSettings
from sayso.skills.skill import Repertoire, Skills


class SkillExecutor:
    """Carries out actions by the skill they name; remembers only what the hand holds.

    Use it from one thread at a time. The gate must be authorised by the caller.

    Args:
        skills: makes skills by their names.

    Raises:
        SaySoError: as `use`.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        planner: MotionPlanner,
        gate: MotionGate,
        senses: Senses,
        library: Library,
        skills: Skills,
        settings: SkillSettings = DEFAULTS,
    ) -> None:
        self._arm = Arm(kinematics, planner, gate, senses, settings)
        self._senses = senses
        self._settings = settings
        self._work = ArmWork(senses, settings)
        self._skills = Repertoire[Task](skills, self._work)
        self.use(library)

    def use(self, library: Library) -> None:
        """Check contracts with this library from now on. Raises as `require_fit`."""
        self.require_fit(library)
        self._predicates = library.predicates

    def require_fit(self, library: Library) -> None:
        """Raises INVALID for operators that do not fit their skills."""
        self._skills.require_fit(library)

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
        skill = self._skills.skill(action.skill)
        scene = self._senses.scene()
        task = Task(self._arm.cancelled_by(cancelled), scene, avoid, phase)
        for name in action.args:
            task.object(name)
        checks = self.check(scene, sorted(action.preconditions))
        started(checks)
        contract.require(checks, Code.PRECONDITION, f"{action} cannot start")
        skill.run(task, action.args[: len(skill.parameters)])
        return self._verify(action, task)

    def attempt(
        self,
        primitive: str,
        args: Sequence[str],
        avoid: frozenset[str] = frozenset(),
        *,
        phase: Callable[[str], None] = lambda _: None,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        """Try a primitive without a contract, then go where the cameras see the table.

        Args:
            avoid, phase, cancelled: as of `execute`.

        Raises:
            SaySoError: INVALID for what is no primitive, one of `primitives.FELT` where it did
                not succeed, VETO, or what the gate raised.
        """
        require_primitive(primitive, args)
        task = Task(self._arm.cancelled_by(cancelled), self._senses.scene(), avoid, phase)
        for name in args:
            task.object(name)
        try:
            self._skills.skill(primitive).run(task, tuple(args))
        except SaySoError as error:
            if error.code in FELT:
                self._look_after(task)
            raise
        self._look_after(task)

    def _look_after(self, task: Task) -> None:
        """From where the arm hides nothing, with what the hand feels that it holds."""
        if not self._work.closed_on_something():
            self._work.held = None
        task.phase("look at the result")
        self._look_pose(replace(task, scene=self._fresh_scene()))

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
            self._work.held = None
        contract.require(checks, Code.POSTCONDITION, f"{action} did not have its effect")
        return checks

    def _fresh_scene(self) -> Scene:
        return self._senses.scene_after(self._senses.now_s(), self._settings.scene_timeout_s)

    def _look_pose(self, task: Task) -> None:
        held = self._work.held
        if held is not None and task.scene.robot.gripper_width_m < self._settings.empty_width_m:
            held = None
        go_home(task, held)

"""What the robot can do with its hand before it knows any symbol: for practising.

A `SkillExecutor` checks an action's contract with predicates. A robot that learns has none yet, so
its body acts without: it looks, moves through the gate with every collision, reach and width check,
and says only what it could feel itself. It never says what became true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Cancelled, Kinematics, MotionPlanner
from sayso.core.scene import SceneObject
from sayso.skills import placing
from sayso.skills.arm import Arm
from sayso.skills.gate import MotionGate
from sayso.skills.handling import Held, Task, go_home, held_in, pick, place
from sayso.skills.poses import yaw_of
from sayso.skills.senses import Senses
from sayso.skills.settings import DEFAULTS, SkillSettings

FELT = frozenset({Code.EXECUTION, Code.UNREACHABLE, Code.UNSUPPORTED, Code.OBJECT_LOST, Code.LIMIT})
"""Codes by which the robot itself can tell that an attempt did not succeed; after any other it
cannot go on practising.
"""
_OPEN_PLAY_M = 0.004
_MIDDLE_M = 0.002
_TOUCH_M = 0.02


class Body:
    """Carries out primitive actions; remembers only what the hand took.

    Use it from one thread at a time. The gate must be authorised by the caller.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        planner: MotionPlanner,
        gate: MotionGate,
        senses: Senses,
        settings: SkillSettings = DEFAULTS,
    ) -> None:
        self._arm = Arm(kinematics, planner, gate, senses, settings)
        self._senses = senses
        self._settings = settings
        self._held: Held | None = None

    def attempt(
        self,
        primitive: str,
        args: Sequence[str],
        avoid: frozenset[str] = frozenset(),
        *,
        phase: Callable[[str], None] = lambda _: None,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        """Try it, then go where the cameras see the table.

        Args:
            avoid: objects that must not be touched; kept well clear of.
            phase: called with what the robot is doing now, in English.

        Raises:
            SaySoError: INVALID for what is no primitive, one of `FELT` where it did not succeed,
                VETO, or what the gate raised.
        """
        does = _checked(primitive, args)
        task = Task(self._arm.cancelled_by(cancelled), self._senses.scene(), avoid, phase)
        objects = tuple(map(task.object, args))
        try:
            does(self, task, objects)
        except SaySoError as error:
            if error.code in FELT:
                self._look(task)
            raise
        self._look(task)

    def _look(self, task: Task) -> None:
        task.phase("look at the result")
        scene = self._senses.scene_after(self._senses.now_s(), self._settings.scene_timeout_s)
        go_home(replace(task, scene=scene), self._held if self._closed_on_something() else None)

    def _pick_up(self, task: Task, objects: tuple[SceneObject, ...]) -> None:
        if self._closed_on_something():
            raise _failed("the hand is closed on something already")
        for other in task.scene.objects:
            if _rests_on(other, objects[0]):
                raise SaySoError(Code.UNREACHABLE, f"{other.name} is in the way of the palm.")
        self._held = None
        under = (o.name for o in task.scene.objects if _rests_on(objects[0], o))
        self._held = pick(task, objects[0].name, next(under, None))

    def _place_on_table(self, task: Task, objects: tuple[SceneObject, ...]) -> None:
        held = self._in_hand(task, objects[0])
        here = np.asarray(task.scene.robot.gripper.position)[:2]
        others = tuple(o for o in task.scene.objects if o.name != held.name)
        scene = replace(task.scene, objects=others)
        yaw = self._yaw(held)
        self._put(task, held, placing.on_table(held.size, yaw, scene, here, self._settings), None)

    def _place_on(self, task: Task, objects: tuple[SceneObject, ...]) -> None:
        """On the middle, and nowhere else."""
        held, support = self._in_hand(task, objects[0]), objects[1]
        yaw = self._yaw(held)
        spots = placing.on_top(held.size, yaw, support, task.scene, self._settings)
        middle = np.asarray(support.position)[:2]
        apart = [float(np.linalg.norm(np.asarray(s.position)[:2] - middle)) for s in spots]
        central = tuple(s for s, d in zip(spots, apart, strict=True) if d < _MIDDLE_M)
        if not central:
            raise SaySoError(
                Code.UNREACHABLE, f"something is in the way on the middle of {support.name}."
            )
        self._put(task, held, central, support.name)

    def _put(self, task: Task, held: Held, spots: tuple[Pose, ...], support: str | None) -> None:
        place(task, held, spots, support)
        self._held = None

    def _in_hand(self, task: Task, thing: SceneObject) -> Held:
        known = self._held is not None and self._held.name == thing.name
        if not self._closed_on_something() or not (known or thing.carried):
            raise _failed(f"the hand does not hold {thing.name}")
        return held_in(task.scene, thing.name, self._held)

    def _closed_on_something(self) -> bool:
        width_m = self._senses.robot().gripper_width_m
        open_m = self._settings.open_width_m - _OPEN_PLAY_M
        return self._settings.empty_width_m < width_m < open_m

    def _yaw(self, held: Held) -> float:
        return yaw_of(self._senses.robot().gripper @ held.offset)


def _rests_on(upper: SceneObject, lower: SceneObject) -> bool:
    """Whether a thing stands right over another, as far as shapes tell."""
    bottom = upper.position[2] - upper.size[2] / 2
    top = lower.position[2] + lower.size[2] / 2
    x, y, _ = np.subtract(upper.position, lower.position)
    near = np.hypot(x, y) < max(lower.size[:2]) / 2
    return upper.name != lower.name and abs(bottom - top) < _TOUCH_M and bool(near)


_Primitive = Callable[[Body, Task, tuple[SceneObject, ...]], None]


@dataclass(frozen=True)
class _Entry:
    arity: int
    does: _Primitive


_ENTRIES: Mapping[str, _Entry] = {
    "pick_up": _Entry(1, Body._pick_up),
    "place_on_table": _Entry(1, Body._place_on_table),
    "place_first_on_second": _Entry(2, Body._place_on),
}

PRIMITIVES: Mapping[str, int] = {name: entry.arity for name, entry in _ENTRIES.items()}
"""How many objects each primitive takes."""


def _checked(primitive: str, args: Sequence[str]) -> _Primitive:
    if primitive not in _ENTRIES:
        raise SaySoError(
            Code.INVALID, f"the body has no primitive '{primitive}'.", choices=PRIMITIVES
        )
    arity = PRIMITIVES[primitive]
    if len(args) != arity or len(set(args)) != arity:
        raise SaySoError(
            Code.INVALID, f"{primitive} takes {arity} different objects, got {list(args)}."
        )
    return _ENTRIES[primitive].does


def _failed(reason: str) -> SaySoError:
    return SaySoError(Code.EXECUTION, f"{reason}.", hint="try something else.")

"""Skills that need no symbols: what the robot can do with its hand before it has learned any.

They are entries of the registry like all skills, so that operators that were learned from them are
performed by the one executor. They look, move through the gate with every collision, reach and
width check, and say only what the robot could feel itself; they never say what became true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import SceneObject
from sayso.skills import placing
from sayso.skills.arm_skills import ArmSkill, PlaceOnTable
from sayso.skills.handling import Task, pick

FELT = frozenset({Code.EXECUTION, Code.UNREACHABLE, Code.UNSUPPORTED, Code.OBJECT_LOST, Code.LIMIT})
"""Codes by which the robot itself can tell that an attempt did not succeed; after any other it
cannot go on practising.
"""
_MIDDLE_M = 0.002
_TOUCH_M = 0.02


class PickUp(ArmSkill):
    """Takes hold of a thing on which nothing stands, from whatever it stands on."""

    parameters = ("thing",)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        if self.work.closed_on_something():
            raise SaySoError(
                Code.EXECUTION,
                "the hand is closed on something already.",
                hint="try something else.",
            )
        thing = task.object(args[0])
        for other in task.scene.objects:
            if _rests_on(other, thing):
                raise SaySoError(Code.UNREACHABLE, f"{other.name} is in the way of the palm.")
        self.work.held = None
        under = (o.name for o in task.scene.objects if _rests_on(thing, o))
        self.work.held = pick(task, thing.name, next(under, None))


class PlaceOnMiddle(ArmSkill):
    """Puts what is held on the middle of a thing, and nowhere else."""

    parameters = ("thing", "thing")

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held, support = self.work.in_hand(task, args[0]), task.object(args[1])
        yaw = self.work.yaw(held)
        spots = placing.on_top(held.size, yaw, support, task.scene, self.work.settings)
        middle = np.asarray(support.position)[:2]
        apart = [float(np.linalg.norm(np.asarray(s.position)[:2] - middle)) for s in spots]
        central = tuple(s for s, d in zip(spots, apart, strict=True) if d < _MIDDLE_M)
        if not central:
            raise SaySoError(
                Code.UNREACHABLE, f"something is in the way on the middle of {support.name}."
            )
        self.work.place(task, held, central, support.name)


def _rests_on(upper: SceneObject, lower: SceneObject) -> bool:
    """Whether a thing stands right over another, as far as shapes tell."""
    bottom = upper.position[2] - upper.size[2] / 2
    top = lower.position[2] + lower.size[2] / 2
    x, y, _ = np.subtract(upper.position, lower.position)
    near = np.hypot(x, y) < max(lower.size[:2]) / 2
    return upper.name != lower.name and abs(bottom - top) < _TOUCH_M and bool(near)


_SKILLS: Mapping[str, type[ArmSkill]] = {
    "pick_up": PickUp,
    "place_on_table": PlaceOnTable,
    "place_first_on_second": PlaceOnMiddle,
}

PRIMITIVES: Mapping[str, int] = {name: len(s.parameters) for name, s in _SKILLS.items()}
"""How many objects each primitive takes."""


def require_primitive(name: str, args: Sequence[str]) -> None:
    """Raises INVALID for what is no primitive, or for other things than it takes."""
    if name not in PRIMITIVES:
        raise SaySoError(Code.INVALID, f"there is no primitive '{name}'.", choices=PRIMITIVES)
    arity = PRIMITIVES[name]
    if len(args) != arity or len(set(args)) != arity:
        raise SaySoError(Code.INVALID, f"{name} takes {arity} different objects, got {list(args)}.")

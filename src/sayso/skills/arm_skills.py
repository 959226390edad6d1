"""The skills of an arm that stands still, as the registry's kind `arm_skill` names them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Pose
from sayso.skills import placing
from sayso.skills.handling import Held, Task, held_in, pick, place, slide
from sayso.skills.poses import yaw_of
from sayso.skills.senses import Senses
from sayso.skills.settings import SkillSettings


@dataclass
class ArmWork:
    """What a skill of an arm works with; moves nothing but through its task's arm.

    Attributes:
        held: what the hand holds, and how.
    """

    senses: Senses
    settings: SkillSettings
    held: Held | None = None

    def in_hand(self, task: Task, name: str) -> Held:
        """A thing in the hand as it is seen. Raises OBJECT_LOST where it is not there."""
        return held_in(task.scene, name, self.held)

    def yaw(self, held: Held) -> float:
        """How the held thing is turned now [rad]."""
        return yaw_of(self.senses.robot().gripper @ held.offset)

    def place(self, task: Task, held: Held, spots: tuple[Pose, ...], support: str | None) -> None:
        """Put it down at the first spot that can be reached."""
        place(task, held, spots, support)
        self.held = None


@dataclass
class _ArmSkill:
    work: ArmWork


class Pick(_ArmSkill):
    """Takes hold of a thing, from what it lies on or in if that is named."""

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        self.work.held = None
        self.work.held = pick(task, args[0], args[1] if len(args) > 1 else None)


class PlaceOn(_ArmSkill):
    """Puts what is held on top of a thing."""

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held, support = self.work.in_hand(task, args[0]), task.object(args[1])
        yaw = self.work.yaw(held)
        spots = placing.on_top(held.size, yaw, support, task.scene, self.work.settings)
        self.work.place(task, held, spots, args[1])


class PlaceIn(_ArmSkill):
    """Puts what is held into a thing."""

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held = self.work.in_hand(task, args[0])
        spots = placing.inside(held.size, self.work.yaw(held), task.object(args[1]))
        self.work.place(task, held, spots, args[1])


class PlaceOnTable(_ArmSkill):
    """Puts what is held on the table, where there is room."""

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held = self.work.in_hand(task, args[0])
        here = np.asarray(task.scene.robot.gripper.position)[:2]
        others = tuple(o for o in task.scene.objects if o.name != held.name)
        scene = replace(task.scene, objects=others)
        yaw = self.work.yaw(held)
        spots = placing.on_table(held.size, yaw, scene, here, self.work.settings)
        self.work.place(task, held, spots, None)


class OpenDrawer(_ArmSkill):
    """Pulls a drawer open."""

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        slide(task, args[0], self.work.settings.drawer_opening_m)


class CloseDrawer(_ArmSkill):
    """Pushes a drawer shut."""

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        slide(task, args[0], 0.0)

"""The skills of an arm that stands still, as the registry's kind `arm_skill` names them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.skills import placing
from sayso.skills.handling import Held, Task, held_in, pick, place, slide
from sayso.skills.poses import yaw_of
from sayso.skills.senses import Senses
from sayso.skills.settings import SkillSettings

_OPEN_PLAY_M = 0.004


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
        """A thing in the hand as it is seen. Raises EXECUTION where the hand does not hold it."""
        known = self.held is not None and self.held.name == name
        empty = self.senses.robot().gripper_width_m < self.settings.empty_width_m
        if empty or not (known or task.object(name).carried):
            raise SaySoError(
                Code.EXECUTION, f"the hand does not hold {name}.", hint="pick it up first."
            )
        return held_in(task.scene, name, self.held)

    def closed_on_something(self) -> bool:
        """Whether the fingers are neither shut nor open all the way."""
        width_m = self.senses.robot().gripper_width_m
        return self.settings.empty_width_m < width_m < self.settings.open_width_m - _OPEN_PLAY_M

    def yaw(self, held: Held) -> float:
        """How the held thing is turned now [rad]."""
        return yaw_of(self.senses.robot().gripper @ held.offset)

    def place(self, task: Task, held: Held, spots: tuple[Pose, ...], support: str | None) -> None:
        """Put it down at the first spot that can be reached."""
        place(task, held, spots, support)
        self.held = None


@dataclass
class ArmSkill(ABC):
    """A skill of an arm that stands still.

    Attributes:
        parameters: see `skills.skill.Skill`.
    """

    work: ArmWork
    parameters: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def run(self, task: Task, args: tuple[str, ...]) -> None:
        """See `skills.skill.Skill`."""


class Pick(ArmSkill):
    """Takes hold of a thing on the table."""

    parameters = ("movable",)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        self.work.held = None
        self.work.held = pick(task, args[0])


class PickFrom(ArmSkill):
    """Takes hold of a thing, from what it lies on or in."""

    parameters = ("movable", "thing")

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        self.work.held = None
        self.work.held = pick(task, args[0], args[1])


class PlaceOn(ArmSkill):
    """Puts what is held on top of a thing."""

    parameters = ("movable", "surface")

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held, support = self.work.in_hand(task, args[0]), task.object(args[1])
        yaw = self.work.yaw(held)
        spots = placing.on_top(held.size, yaw, support, task.scene, self.work.settings)
        self.work.place(task, held, spots, args[1])


class PlaceIn(ArmSkill):
    """Puts what is held into a thing."""

    parameters = ("movable", "container")

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held = self.work.in_hand(task, args[0])
        spots = placing.inside(held.size, self.work.yaw(held), task.object(args[1]))
        self.work.place(task, held, spots, args[1])


class PlaceOnTable(ArmSkill):
    """Puts what is held on the table, where there is room."""

    parameters = ("movable",)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held = self.work.in_hand(task, args[0])
        here = np.asarray(task.scene.robot.gripper.position)[:2]
        others = tuple(o for o in task.scene.objects if o.name != held.name)
        scene = replace(task.scene, objects=others)
        yaw = self.work.yaw(held)
        spots = placing.on_table(held.size, yaw, scene, here, self.work.settings)
        self.work.place(task, held, spots, None)


class OpenDrawer(ArmSkill):
    """Pulls a drawer open."""

    parameters = ("openable",)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        slide(task, args[0], self.work.settings.drawer_opening_m)


class CloseDrawer(ArmSkill):
    """Pushes a drawer shut."""

    parameters = ("openable",)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        slide(task, args[0], 0.0)

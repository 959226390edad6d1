"""The skills of an arm that stands still, as the registry's kind `arm_skill` names them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import Scene
from sayso.skills import placing
from sayso.skills.contract import found_in
from sayso.skills.grasps import Geometric, GraspFinder
from sayso.skills.handling import Held, Task, go_home, held_in, pick, place, slide
from sayso.skills.poses import yaw_of
from sayso.skills.settings import SkillSettings
from sayso.skills.skill import Terms, Work


@dataclass
class ArmWork(Work[Task]):
    """What the skills of an arm that stands still work with.

    Attributes:
        finder: says where things can be taken.
    """

    hides_things = True
    finder: GraspFinder = field(default_factory=Geometric, kw_only=True)

    @property
    def settings(self) -> SkillSettings:
        return self.arm.settings

    def job(self, terms: Terms, scene: Scene | None = None) -> Task:
        arm = self.arm.cancelled_by(terms.cancelled)
        seen = scene or self.senses.scene()
        return Task(arm, seen, terms.avoid, terms.phase, forbids=terms.forbids)

    def take(self, task: Task, name: str, source: str | None = None) -> None:
        """Takes hold of a thing where the finder says that it can be taken."""
        self.held = None
        candidates = self.finder.grasps(task.object(name), task.scene, self.settings)
        self.held = pick(task, name, source, candidates)

    def go_home(self, job: Task) -> None:
        """To the configuration from which the cameras see the table."""
        empty = job.scene.robot.gripper_width_m < self.settings.empty_width_m
        go_home(job, None if empty else self.held)

    def in_hand(self, task: Task, name: str) -> Held:
        """A thing in the hand as it is seen. Raises EXECUTION where the hand does not hold it."""
        known = self.held is not None and self.held.name == name
        empty = self.senses.robot().gripper_width_m < self.settings.empty_width_m
        if empty or not (known or task.object(name).carried):
            raise SaySoError(
                Code.EXECUTION, f"the hand does not hold {name}.", hint="pick it up first."
            )
        return held_in(task.scene, name, self.held)

    def yaw(self, held: Held) -> float:
        """How the held thing is turned now [rad]."""
        return yaw_of(self.senses.robot().gripper @ held.offset)

    def place(self, task: Task, held: Held, spots: tuple[Pose, ...], support: str | None) -> None:
        """Put it down at the first spot that can be reached and breaks nothing."""
        place(task, held, task.permitted(held, spots), support)
        self.held = None


@dataclass
class ArmSkill(ABC):
    """A skill of an arm that stands still.

    Attributes:
        parameters, needs: see `skills.skill.Skill`.
    """

    work: ArmWork
    parameters: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ("arm", "hand")

    @abstractmethod
    def run(self, task: Task, args: tuple[str, ...]) -> None:
        """See `skills.skill.Skill`."""


class Pick(ArmSkill):
    """Takes hold of a thing on the table."""

    parameters = ("movable",)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        self.work.take(task, args[0])


class PickFrom(ArmSkill):
    """Takes hold of a thing, from what it lies on or in."""

    parameters = ("movable", "thing")

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        self.work.take(task, args[0], args[1])


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
        yaw, container = self.work.yaw(held), task.object(args[1])
        spots = placing.inside(held.size, yaw, container, task.scene, self.work.settings)
        self.work.place(task, held, spots, args[1])


class PlaceOnTable(ArmSkill):
    """Puts what is held on the table, where there is room."""

    parameters: ClassVar[tuple[str, ...]] = ("movable",)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        held = self.work.in_hand(task, args[0])
        others = tuple(o for o in task.scene.objects if o.name != held.name)
        spots = self._spots(held, replace(task.scene, objects=others), args)
        self.work.place(task, held, spots, None)

    def _spots(self, held: Held, scene: Scene, args: tuple[str, ...]) -> tuple[Pose, ...]:
        """Where it may stand; the scene is without it."""
        here = np.asarray(scene.robot.gripper.position)[:2]
        yaw = self.work.yaw(held)
        return placing.on_table(held.size, yaw, scene, here, self.work.settings)


class PlaceBeside(PlaceOnTable):
    """Puts what is held on the table on one side of a thing.

    Attributes:
        side: where to, in words, and the direction (x, y) there as the robot sees it.
    """

    parameters = ("movable", "thing")
    side: ClassVar[placing.Side]

    def _spots(self, held: Held, scene: Scene, args: tuple[str, ...]) -> tuple[Pose, ...]:
        other, yaw = found_in(scene, args[1]), self.work.yaw(held)
        return placing.beside(held.size, yaw, other, self.side, scene, self.work.settings)


class PlaceLeftOf(PlaceBeside):
    """Puts what is held to the left of a thing."""

    side = placing.SIDES["place_left_of"]


class PlaceRightOf(PlaceBeside):
    """Puts what is held to the right of a thing."""

    side = placing.SIDES["place_right_of"]


class PlaceInFrontOf(PlaceBeside):
    """Puts what is held on the robot's side of a thing."""

    side = placing.SIDES["place_in_front_of"]


class PlaceBehind(PlaceBeside):
    """Puts what is held beyond a thing."""

    side = placing.SIDES["place_behind"]


class PlaceNextTo(PlaceBeside):
    """Puts what is held close to a thing."""

    side = placing.SIDES["place_next_to"]


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

"""What the skills of a mobile manipulator work with, and the one that only drives.

Skills are found by the names that operators use, in the registry's kind `mobile_skill`.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import Building, Navigator
from sayso.core.scene import Scene
from sayso.skills.approach import Approach, Errand
from sayso.skills.driving import MotionAlong
from sayso.skills.gate import MotionGate
from sayso.skills.mobile_settings import DEFAULT_MOBILE, MobileRobot, MobileSettings
from sayso.skills.skill import Route, Terms, Work
from sayso.skills.stands import Mask


@dataclass
class MobileWork(Work[Errand]):
    """What the skills of a mobile robot work with.

    Attributes:
        arm: its gate has a base driver and the robot's limits (`MobileRobot.drive_limits`), its
            senses tell scenes in the map and where the base is; its settings are `settings.arm`.
        motion_along: makes a path a motion over time.
        building: whose devices can be worked; None where the robot speaks to none.
        navigator: leads the base along ways that are free; None: they are driven as planned.
    """

    robot: MobileRobot
    motion_along: InitVar[MotionAlong]
    settings: MobileSettings = DEFAULT_MOBILE
    building: Building | None = None
    navigator: Navigator | None = None
    approach: Approach = field(init=False)

    def __post_init__(self, motion_along: MotionAlong) -> None:
        self.approach = Approach(
            self.robot, self.gate, self.senses, motion_along, self.settings, self.navigator
        )

    @property
    def gate(self) -> MotionGate:
        return self.arm.gate

    def job(self, terms: Terms, scene: Scene | None = None) -> Errand:
        """Skills look for themselves where they have driven to: no scene is kept."""
        arm, route = self.arm.cancelled_by(terms.cancelled), terms.route or _NOWHERE
        return Errand(
            arm, route.ways, terms.avoid, terms.phase, route.path, terms.brings, route.free,
            terms.words, route.motion_along,
        )  # fmt: skip

    def go_home(self, job: Errand) -> None:
        """The arm into a posture for driving."""
        self.approach.stow(job, self.held)


class Go:
    """The skill `go`: drives along the errand's path, with what is held."""

    parameters = ("thing",)
    needs = ("base",)

    def __init__(self, work: MobileWork) -> None:
        self._work = work

    def run(self, errand: Errand, args: tuple[str, ...]) -> None:
        """Raises INVALID without a path; what the gate raises."""
        if errand.path is None or not len(errand.path):
            raise SaySoError(Code.INVALID, "to go somewhere, a path is needed.")
        self._work.approach.go(errand, errand.path, self._work.held)


class _NoWays:
    def way(
        self, start: tuple[float, float], goals: Array, yaws: Array | None = None
    ) -> Array | None:
        return None

    def fits(self, places: Array, yaws: Array) -> Mask:
        return np.zeros(len(places), bool)

    def walls(self, place: tuple[float, float], reach_m: float) -> Array:
        return np.zeros((0, 4))


_NOWHERE = Route(_NoWays())

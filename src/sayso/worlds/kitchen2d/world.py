"""The 2D kitchen as a robot meets it: it acts, it looks, and it is told whether it worked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.worlds.domains.domain import Outcome
from sayso.worlds.kitchen2d import actions
from sayso.worlds.kitchen2d.gripper import Gripper
from sayso.worlds.kitchen2d.kinds import GRIPPER_MAX_M
from sayso.worlds.kitchen2d.motions import BlockedError
from sayso.worlds.kitchen2d.picture import draw
from sayso.worlds.kitchen2d.scene import KitchenScene
from sayso.worlds.kitchen2d.simulation import TABLE_M, Simulation, Thing

DEPTH_M = 0.1
"""How deep every thing is along y, where nothing ever happens."""


@dataclass(frozen=True)
class Noise:
    """Standard deviations of what is observed and done; zero is exact.

    Attributes:
        position_m: of each coordinate of a position.
        size_m: of each extent.
        water_l: of an amount of water, of things that can hold some.
        placing_m: of where the hand puts things down.
    """

    position_m: float = 0.0
    size_m: float = 0.0
    water_l: float = 0.0
    placing_m: float = 0.0


class Kitchen2D:
    """One kitchen. Everything that a robot may use is `act`, `observe` and `picture`."""

    def __init__(self, scene: KitchenScene, *, seed: int = 0, noise: Noise | None = None) -> None:
        self._noise = noise or Noise()
        self._simulation = Simulation(scene, seed, self._noise.placing_m)
        self._hand = Gripper(self._simulation)
        self._senses = np.random.default_rng((seed, 1))
        self._cause = ""

    def act(self, action: str, *arguments: str) -> Outcome:
        """Carry out a primitive action.

        Raises:
            SaySoError: INVALID for an unknown action or a wrong number of objects,
                UNKNOWN_OBJECT for an object that is not there. Nothing has moved then.
        """
        run = actions.primitive(action, arguments).run
        things = [self._simulation.thing(a) for a in arguments]
        started = self._simulation.time_s
        self._cause = ""
        try:
            run(self._hand, *things)
        except BlockedError as error:
            self._cause = str(error)
            actions.withdraw(self._hand)
        self._come_to_rest()
        return Outcome(not self._cause, self._simulation.time_s - started)

    def observe(self) -> Scene:
        """The scene as it is perceived now; x to the right, z up, y always about 0 [m]."""
        x, z = self._hand.position
        robot = RobotState(
            stamp_s=self._simulation.time_s,
            gripper_width_m=min(self._hand.width, GRIPPER_MAX_M),
            gripper=Pose((x, 0.0, z)),
        )
        return Scene(
            self._simulation.time_s,
            tuple(self._observed(t) for t in self._simulation.things.values()),
            robot,
            TABLE_M,
        )

    def picture(self, width: int = 960) -> Image.Image:
        """The kitchen from the front, for people, `width` pixels wide."""
        return draw(self._simulation, self._hand, width)

    def _observed(self, thing: Thing) -> SceneObject:
        x, z = thing.position
        dx, dz = self._senses.normal(0.0, self._noise.position_m, 2)
        size = np.array([thing.item.width_m, thing.item.height_m])
        size = np.maximum(size + self._senses.normal(0.0, self._noise.size_m, 2), 0.001)
        water = self._simulation.water_l(thing)
        if thing.shape.cavity is not None:
            water = max(0.0, water + float(self._senses.normal(0.0, self._noise.water_l)))
        half = -thing.angle / 2
        return SceneObject(
            name=thing.name,
            category=thing.item.kind,
            color=thing.item.color,
            position=(x + dx, 0.0, z + dz),
            size=(float(size[0]), DEPTH_M, float(size[1])),
            orientation=(0.0, float(np.sin(half)), 0.0, float(np.cos(half))),
            last_seen_s=self._simulation.time_s,
            carried=self._hand.held is thing,
            attributes={"water_l": water},
        )

    def _come_to_rest(self) -> None:
        own = self._hand.bodies()
        for _ in range(60):
            self._hand.hold()
            if not self._simulation.moving(own):
                break
        self._simulation.drain()

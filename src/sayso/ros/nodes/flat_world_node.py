"""The simulated flat and mobile robot as a node: to the others it looks like drivers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from sayso_ros.srv import OperateDevice

from sayso.ros.messages.conversions import attribute_from_msg
from sayso.ros.robot.building import SERVICE
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.params import declare, param
from sayso.ros.simulation.flat_publishers import FlatPublisher, MobilePublisher
from sayso.ros.simulation.simulation_node import Due, SimulationNode
from sayso.ros.simulation.world_commands import offer_base, offer_drivers
from sayso.ros.simulation.world_publishers import CameraPublisher
from sayso.worlds.flat import robot
from sayso.worlds.flat.choosing import read_scene
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.pacing import Schedule


@dataclass(frozen=True)
class FlatWorldConfig:
    """Parameters of the node `flat_world`."""

    scene: str = param(
        "home",
        "a fixed scene (home, lobby, office, studio), a scene file, or empty for a generated flat",
    )
    seed: int = param(1, "seed of the noise, and of a generated flat", low=0, high=2**31 - 1)
    noise: bool = param(True, "noise of cameras, laser, localisation and joint readings")
    real_time_factor: float = param(
        1.0, "simulated seconds per wall second, at most", low=0.05, high=50.0, read_only=False
    )
    clock_rate_hz: float = param(50.0, "simulated time, heard by every node [Hz]", 10.0, 100.0)
    joint_rate_hz: float = param(
        50.0, "joint states, odometry and frames [Hz]", low=1.0, high=100.0
    )
    scan_rate_hz: float = param(10.0, "laser scans [Hz]", low=0.0, high=50.0)
    front_rate_hz: float = param(4.0, "frames of the front camera [Hz]", low=0.0, high=30.0)
    gripper_rate_hz: float = param(2.0, "frames of the gripper camera [Hz]", low=0.0, high=30.0)
    overview_rate_hz: float = param(
        2.0, "pictures for people from above, 0.03 s of work each [Hz]", 0.0, 30.0
    )
    device_rate_hz: float = param(
        2.0, "what the building says of its doors and lamps [Hz]", low=0.0, high=20.0
    )
    truth_rate_hz: float = param(10.0, "ground truth, for tests [Hz]", low=0.0, high=100.0)
    jpeg_quality: int = param(90, "of compressed images", low=1, high=100)


class FlatWorldNode(SimulationNode):
    """Runs a `FlatWorld`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("flat_world", **kwargs)
        self._config = declare(self, FlatWorldConfig)
        scene = read_scene(self._config.scene, self._config.seed)
        noise = FlatNoise() if self._config.noise else None
        self._world = FlatWorld(scene, self._config.seed, noise)
        self._robot = MobilePublisher(self, self._world)
        due = [*self._schedule(), *offer_drivers(self, self._world)]
        self._listen()
        factor = self._config.real_time_factor
        self.begin(self._world, factor, due, self._robot.static_frames, lambda: None)

    def _schedule(self) -> Due:
        c = self._config
        outside = FlatPublisher(self, self._world, c.jpeg_quality)
        rates = {"front": c.front_rate_hz, "gripper": c.gripper_rate_hz}
        cameras = [
            (Schedule(rates[name]), CameraPublisher(self, self._world, name, c.jpeg_quality))
            for name in robot.CAMERAS
        ]
        return [
            (Schedule(c.clock_rate_hz), self._robot.clock),
            (Schedule(c.joint_rate_hz), self._robot.state),
            (Schedule(c.scan_rate_hz), self._robot.scan),
            (Schedule(c.truth_rate_hz), outside.truth),
            (Schedule(c.device_rate_hz), outside.devices),
            *((schedule, camera.publish) for schedule, camera in cameras),
            (Schedule(c.overview_rate_hz), outside.overview),
        ]

    def _listen(self) -> None:
        offer_base(self, self._world.profile, self._world.drive)
        world = self._world
        for door in world.scene.doors:
            work = partial(_turn_door, world, door.name)
            self.offer_switch(f"world/doors/{door.name}", work)
        for walker in world.scene.walkers:
            work = partial(world.walk, walker.name)
            self.offer_switch(f"world/walkers/{walker.name}", work)

        self.create_service(
            OperateDevice, SERVICE, self._operate, callback_group=self.world_services
        )

    def _operate(
        self, request: OperateDevice.Request, response: OperateDevice.Response
    ) -> OperateDevice.Response:
        """As the drives of doors and the switches of lamps do."""

        def work(_: OperateDevice.Response) -> None:
            wanted = request.wanted
            order = (request.device, wanted.name, attribute_from_msg(wanted))
            self.in_world(lambda: self._world.operate(*order))

        return boundary.answer("building", response, work)


def _turn_door(world: FlatWorld, name: str, opened: bool) -> None:
    world.set_door(name, 1.0 if opened else 0.0)


def main() -> None:
    runner.main(FlatWorldNode)

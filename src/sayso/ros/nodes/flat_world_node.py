"""The simulated flat and mobile robot as a node: to the others it looks like drivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from sayso_ros.msg import Devices
from sayso_ros.srv import OperateDevice

from sayso.adapters import registry
from sayso.core.ports import RgbdFrame
from sayso.robots.loading import MOBILE, load_robot
from sayso.ros.messages.conversions import attribute_from_msg, header, object_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.robot.building import SERVICE, TOPIC
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.params import param
from sayso.ros.simulation.simulation_node import SimulationConfig, SimulationNode
from sayso.ros.simulation.world_commands import Due
from sayso.ros.simulation.world_publishers import SegmentationPublisher
from sayso.worlds.flat import devices, robot
from sayso.worlds.flat.choosing import read_scene
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.pacing import Schedule


@dataclass(frozen=True)
class FlatWorldConfig(SimulationConfig):
    """Parameters of the node `flat_world`."""

    scene: str = param(
        "home",
        "apartment, errand_kitchen, errand_lab, family_flat, home, lobby, office, studio, "
        "a scene file; empty: a generated one",
    )
    scan_rate_hz: float = param(10.0, "laser scans [Hz]", low=0.0, high=50.0)
    front_rate_hz: float = param(4.0, "frames of the front camera [Hz]", low=0.0, high=30.0)
    gripper_rate_hz: float = param(2.0, "frames of the gripper camera [Hz]", low=0.0, high=30.0)

    device_rate_hz: float = param(
        2.0, "what the building says of its doors and lamps [Hz]", low=0.0, high=20.0
    )

    robot: str = param(MOBILE, "profile of the robot: one of SaySo's, or a file with a slash")
    spot: str = param(
        "", "loopback address at which a Spot client finds the robot; empty: driven over ROS"
    )
    certificate: str = param("", "file to write the certificate to that such a client needs")

    def world(self) -> FlatWorld:
        """The flat with a mobile robot in it."""
        noise = FlatNoise() if self.noise else None
        scene, profile = read_scene(self.scene, self.seed), load_robot(self.robot)
        if not self.spot:
            return FlatWorld(scene, self.seed, noise, profile)
        flat: FlatWorld = registry.create(
            "flat",
            "spot_double",
            scene=scene,
            seed=self.seed,
            noise=noise,
            profile=profile,
            address=self.spot,
            certificate=self.certificate,
        )
        return flat

    @property
    def driven_elsewhere(self) -> bool:
        return bool(self.spot)

    def camera_rates_hz(self) -> Mapping[str, float]:
        """By name; none of those that a client asks for their pictures."""
        if self.spot:
            return {}
        return {"front": self.front_rate_hz, "gripper": self.gripper_rate_hz}


class SeenElsewhere(Protocol):
    """A world whose pictures a client asks for (`worlds.flat.spot.world.SpotFlat`)."""

    instances: Callable[[str], bool]
    on_picture: Callable[[RgbdFrame], None]


class FlatWorldNode(SimulationNode[FlatWorldConfig]):
    """Runs a `FlatWorld`, and the building that its doors and lamps belong to."""

    _world: FlatWorld

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("flat_world", FlatWorldConfig, **kwargs)

    def _published(self, c: FlatWorldConfig) -> Due:
        if c.driven_elsewhere:
            told = {name: SegmentationPublisher(self, name) for name in robot.CAMERAS}
            seen = cast(SeenElsewhere, self._world)
            seen.instances = lambda name: told[name].wanted
            seen.on_picture = lambda frame: told[frame.camera].publish(frame)
        self._devices = self.create_publisher(Devices, TOPIC, LATCHED)
        return [*super()._published(c), (Schedule(c.device_rate_hz), self._tell_devices)]

    def _tell_devices(self) -> None:
        """What the building says of its doors and lamps: a smart home's state, not perception."""
        stamp = header(self._world.time_s, self._world.frame)
        told = [object_to_msg(d) for d in devices.reported(self._world)]
        self._devices.publish(Devices(header=stamp, devices=told))

    def _offer(self, c: FlatWorldConfig) -> None:
        super()._offer(c)
        group = self._world_services
        self.create_service(OperateDevice, SERVICE, self._operate, callback_group=group)

    def _operate(
        self, request: OperateDevice.Request, response: OperateDevice.Response
    ) -> OperateDevice.Response:
        """As the drives of doors and the switches of lamps do."""

        def work(_: OperateDevice.Response) -> None:
            wanted = request.wanted
            order = (request.device, wanted.name, attribute_from_msg(wanted))
            self.in_world(lambda: self._world.operate(*order))

        return boundary.answer("building", response, work)


def main() -> None:
    runner.main(FlatWorldNode)

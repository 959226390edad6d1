"""The simulated table and arm as a node: to the others it looks like a robot's drivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sayso.robots.loading import load_robot
from sayso.ros.runtime import runner
from sayso.ros.runtime.params import param
from sayso.ros.simulation.simulation_node import SimulationConfig, SimulationNode
from sayso.worlds import cameras
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_world import TableWorld


@dataclass(frozen=True)
class WorldConfig(SimulationConfig):
    """Parameters of the node `world`."""

    robot: str = param("panda", "profile of the robot: one of SaySo's, or a file with a slash")
    camera_rate_hz: float = param(4.0, "frames of the fixed cameras [Hz]", low=0.0, high=30.0)
    wrist_rate_hz: float = param(1.0, "frames of the wrist camera [Hz]", low=0.0, high=30.0)

    def world(self) -> TableWorld:
        """The table with its things, and the robot at it."""
        noise = NoiseModel() if self.noise else None
        return TableWorld(self.seed, noise, load_robot(self.robot))

    def camera_rates_hz(self) -> Mapping[str, float]:
        """By name."""
        rates = dict.fromkeys(cameras.SENSORS, self.camera_rate_hz)
        return rates | {"wrist": self.wrist_rate_hz}


<<<<<<< HEAD
class WorldNode(SimulationNode[WorldConfig]):
    """Runs a `TableWorld`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", WorldConfig, **kwargs)
=======
class WorldNode(SimulationNode):
    """Runs a `TableWorld`; its drawer can be opened and shut by `world/doors/drawer`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", **kwargs)
        self._config = declare(self, WorldConfig)
        noise = NoiseModel() if self._config.noise else None
        self._world = TableWorld(self._config.seed, noise, load_robot(self._config.robot))
        due = [*self._schedule(), *offer_drivers(self, self._world)]
        self.offer_switch("world/doors/drawer", self._slide_drawer)
        factor = self._config.real_time_factor
        self.begin(self._world, factor, due, self._robot.static_frames, self._robot.clock)

    def _slide_drawer(self, opened: bool) -> None:
        self._world.slide_drawer(things.CABINET.travel if opened else 0.0)

    def _schedule(self) -> Due:
        c = self._config
        self._robot = RobotPublisher(self, self._world, robot_urdf(self._world.profile))
        outside = WorldPublisher(self, self._world, c.jpeg_quality, things.labels_json())
        rates = {"wrist": c.wrist_rate_hz}
        publishers = [
            (
                Schedule(rates.get(name, c.camera_rate_hz)),
                CameraPublisher(self, self._world, name, c.jpeg_quality).publish,
            )
            for name in cameras.SENSORS
        ]
        return [
            (Schedule(c.joint_rate_hz), self._robot.state),
            (Schedule(c.truth_rate_hz), outside.truth),
            *publishers,
            (Schedule(c.overview_rate_hz), outside.overview),
        ]
>>>>>>> main


def main() -> None:
    runner.main(WorldNode)

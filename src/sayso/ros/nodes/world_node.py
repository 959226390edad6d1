"""The simulated table and arm as a node: to the others it looks like a robot's drivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.robots.loading import load_robot
from sayso.ros.runtime import runner
from sayso.ros.runtime.params import param
from sayso.ros.simulation.simulation_node import SimulationConfig, SimulationNode
from sayso.worlds import cameras
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_scene import USUAL, TableScene, builtin_scene, load_scene
from sayso.worlds.table.table_world import TableWorld


@dataclass(frozen=True)
class WorldConfig(SimulationConfig):
    """Parameters of the node `world`."""

    robot: str = param("panda", "profile of the robot: one of SaySo's, or a file with a slash")
    scene: str = param(
        "", "what stands on the table: one of SaySo's scenes, or a file with a slash; empty: usual"
    )
    libfranka: str = param(
        "", "loopback address at which a libfranka client finds the robot; empty: driven over ROS"
    )
    camera_rate_hz: float = param(4.0, "frames of the fixed cameras [Hz]", low=0.0, high=30.0)
    wrist_rate_hz: float = param(1.0, "frames of the wrist camera [Hz]", low=0.0, high=30.0)

    def world(self) -> TableWorld:
        """The table with its things, and the robot at it."""
        noise = NoiseModel() if self.noise else None
        robot = load_robot(self.robot)
        if not self.libfranka:
            return TableWorld(self.seed, noise, robot, self._scene())
        if self.scene:
            raise SaySoError(
                Code.CONFIG,
                f"the scene '{self.scene}' cannot be had where a client drives the robot.",
                hint="leave `scene` or `libfranka` out.",
            )
        table: TableWorld = registry.create(
            "table",
            "franky_sim",
            seed=self.seed,
            noise=noise,
            profile=robot,
            address=self.libfranka,
        )
        return table

    @property
    def driven_elsewhere(self) -> bool:
        return bool(self.libfranka)

    def _scene(self) -> TableScene:
        if not self.scene:
            return USUAL
        if "/" in self.scene:
            return load_scene(Path(self.scene).expanduser())
        return builtin_scene(self.scene)

    def camera_rates_hz(self) -> Mapping[str, float]:
        """By name."""
        rates = dict.fromkeys(cameras.SENSORS, self.camera_rate_hz)
        return rates | {"wrist": self.wrist_rate_hz}


class WorldNode(SimulationNode[WorldConfig]):
    """Runs a `TableWorld`; its drawer can be opened and shut by `world/doors/drawer`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", WorldConfig, **kwargs)


def main() -> None:
    runner.main(WorldNode)

"""The simulated table and arm as a node: to the others it looks like a robot's drivers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from sayso_ros.srv import PerturbWorld, ResetWorld

from sayso.core.errors import Code, SaySoError
from sayso.robots.loading import load_robot
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.params import declare, param
from sayso.ros.simulation.simulation_node import Due, SimulationNode
from sayso.ros.simulation.world_commands import offer_drivers
from sayso.ros.simulation.world_publishers import CameraPublisher, RobotPublisher, WorldPublisher
from sayso.worlds import cameras
from sayso.worlds.noise import NoiseModel
from sayso.worlds.pacing import Schedule
from sayso.worlds.table.table_world import TableWorld


@dataclass(frozen=True)
class WorldConfig:
    """Parameters of the node `world`."""

    robot: str = param("panda", "profile of the robot: one of SaySo's, or a file with a slash")
    seed: int = param(1, "seed of the layout and the noise", low=0, high=2**31 - 1)
    noise: bool = param(True, "noise of cameras and joint readings")
    real_time_factor: float = param(
        1.0, "simulated seconds per wall second, at most", low=0.05, high=50.0, read_only=False
    )
    joint_rate_hz: float = param(50.0, "joint states and arm frames [Hz]", low=1.0, high=100.0)
    camera_rate_hz: float = param(4.0, "frames of the fixed cameras [Hz]", low=0.0, high=30.0)
    wrist_rate_hz: float = param(1.0, "frames of the wrist camera [Hz]", low=0.0, high=30.0)
    overview_rate_hz: float = param(
        2.0, "pictures for people, 0.4 s of work each [Hz]", low=0.0, high=30.0
    )
    truth_rate_hz: float = param(10.0, "ground truth, for tests [Hz]", low=0.0, high=100.0)
    jpeg_quality: int = param(90, "of compressed images", low=1, high=100)


class WorldNode(SimulationNode):
    """Runs a `TableWorld`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", **kwargs)
        self._config = declare(self, WorldConfig)
        noise = NoiseModel() if self._config.noise else None
        self._world = TableWorld(self._config.seed, noise, load_robot(self._config.robot))
        due = [*self._schedule(), *offer_drivers(self, self._world)]
        self._listen()
        factor = self._config.real_time_factor
        self.begin(self._world, factor, due, self._robot.static_frames, self._robot.clock)

    # -- callbacks -------------------------------------------------------------------------

    def _listen(self) -> None:
        services = MutuallyExclusiveCallbackGroup()
        self.create_service(ResetWorld, "world/reset", self._reset, callback_group=services)
        self.create_service(PerturbWorld, "world/perturb", self._perturb, callback_group=services)

    def _reset(
        self, request: ResetWorld.Request, response: ResetWorld.Response
    ) -> ResetWorld.Response:
        return boundary.answer(
            "reset", response, lambda _: self.in_world(lambda: self._world.reset(request.seed))
        )

    def _perturb(
        self, request: PerturbWorld.Request, response: PerturbWorld.Response
    ) -> PerturbWorld.Response:
        return boundary.answer(
            "perturb", response, lambda _: self.in_world(lambda: self._disturb(request))
        )

    def _schedule(self) -> Due:
        c = self._config
        self._robot = RobotPublisher(self, self._world)
        self._outside = WorldPublisher(self, self._world, c.jpeg_quality)
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
            (Schedule(c.truth_rate_hz), self._outside.truth),
            *publishers,
            (Schedule(c.overview_rate_hz), self._outside.overview),
        ]

    def _disturb(self, request: PerturbWorld.Request) -> None:
        p = request.position
        kinds: dict[int, Callable[[], None]] = {
            PerturbWorld.Request.MOVE: lambda: self._world.move(request.target, (p.x, p.y, p.z)),
            PerturbWorld.Request.REMOVE: lambda: self._world.remove(request.target),
            PerturbWorld.Request.MUTE_CAMERA: lambda: self._world.mute(request.target),
            PerturbWorld.Request.UNMUTE_CAMERA: lambda: self._world.mute(request.target, False),
        }
        if request.kind not in kinds:
            raise SaySoError(
                Code.INVALID, f"there is no disturbance {request.kind}.", choices=map(str, kinds)
            )
        kinds[request.kind]()


def main() -> None:
    runner.main(WorldNode)

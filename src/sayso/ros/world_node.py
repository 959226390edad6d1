"""The simulated table and arm as a node: to the others it looks like a robot's drivers."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from typing import Any, TypeVar

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sayso_ros.srv import PerturbWorld, ResetWorld
from trajectory_msgs.msg import JointTrajectory

from sayso.adapters.sim import cameras
from sayso.adapters.sim.noise import NoiseModel
from sayso.adapters.sim.pacing import Pacer, Schedule
from sayso.adapters.sim.table_world import TableWorld
from sayso.core.errors import Code, SaySoError
from sayso.ros import boundary, runner
from sayso.ros.params import declare, param
from sayso.ros.world_commands import move_arm, move_gripper
from sayso.ros.world_publishers import CameraPublisher, RobotPublisher, WorldPublisher

log = logging.getLogger(__name__)
T = TypeVar("T")
TICK_S = 0.01
_ANSWER_S = 30.0


@dataclass(frozen=True)
class WorldConfig:
    """Parameters of the node `world`."""

    seed: int = param(1, "seed of the layout and the noise", low=0, high=2**31 - 1)
    noise: bool = param(True, "noise of cameras and joint readings")
    real_time_factor: float = param(
        1.0, "simulated seconds per wall second, at most", low=0.05, high=50.0
    )
    joint_rate_hz: float = param(50.0, "joint states and arm frames [Hz]", low=1.0, high=100.0)
    camera_rate_hz: float = param(4.0, "frames of the fixed cameras [Hz]", low=0.0, high=30.0)
    wrist_rate_hz: float = param(1.0, "frames of the wrist camera [Hz]", low=0.0, high=30.0)
    overview_rate_hz: float = param(
        2.0, "pictures for people, 0.4 s of work each [Hz]", low=0.0, high=30.0
    )
    truth_rate_hz: float = param(10.0, "ground truth, for tests [Hz]", low=0.0, high=100.0)
    jpeg_quality: int = param(90, "of compressed images", low=1, high=100)


class WorldNode(Node):
    """Runs a `TableWorld` in a thread of its own, in which alone it is touched.

    Callbacks queue their work for that thread; so commands take effect in order, and the
    OpenGL context stays where it was made.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("world", **kwargs)
        self._config = declare(self, WorldConfig)
        noise = NoiseModel() if self._config.noise else None
        self._world = TableWorld(self._config.seed, noise)
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._make_publishers()
        self._listen()
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
        self._thread.start()

    def destroy_node(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10.0)
        super().destroy_node()

    # -- callbacks -------------------------------------------------------------------------

    def _listen(self) -> None:
        services = MutuallyExclusiveCallbackGroup()
        self.create_subscription(JointTrajectory, "/arm/joint_trajectory", self._on_arm, 10)
        self.create_subscription(JointTrajectory, "/gripper/joint_trajectory", self._on_grip, 10)
        self.create_service(ResetWorld, "/world/reset", self._reset, callback_group=services)
        self.create_service(PerturbWorld, "/world/perturb", self._perturb, callback_group=services)

    def _on_arm(self, msg: JointTrajectory) -> None:
        self._work.put(lambda: self._command(lambda: move_arm(self._world, msg)))

    def _on_grip(self, msg: JointTrajectory) -> None:
        self._work.put(lambda: self._command(lambda: move_gripper(self._world, msg)))

    def _reset(
        self, request: ResetWorld.Request, response: ResetWorld.Response
    ) -> ResetWorld.Response:
        return boundary.answer(
            "reset", response, lambda _: self._in_world(lambda: self._world.reset(request.seed))
        )

    def _perturb(
        self, request: PerturbWorld.Request, response: PerturbWorld.Response
    ) -> PerturbWorld.Response:
        return boundary.answer(
            "perturb", response, lambda _: self._in_world(lambda: self._disturb(request))
        )

    def _in_world(self, work: Callable[[], T]) -> T:
        """Run `work` in the simulation's thread and wait for what it gives or raises."""
        done: Future[T] = Future()

        def task() -> None:
            try:
                done.set_result(work())
            except Exception as error:  # noqa: BLE001 - handed to the caller's boundary
                done.set_exception(error)

        self._work.put(task)
        try:
            return done.result(timeout=_ANSWER_S)
        except Late:
            raise SaySoError(
                Code.BUSY, f"the simulation did not answer within {_ANSWER_S:g} s."
            ) from None

    # -- the simulation's thread -----------------------------------------------------------

    def _make_publishers(self) -> None:
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
        self._due: list[tuple[Schedule, Callable[[], None]]] = [
            (Schedule(c.joint_rate_hz), self._robot.state),
            (Schedule(c.truth_rate_hz), self._outside.truth),
            *publishers,
            (Schedule(c.overview_rate_hz), self._outside.overview),
        ]

    def _run(self) -> None:
        try:
            self._world.warm_up()
            self._robot.static_frames()
            self._simulate()
        except SaySoError as error:
            log.error("the simulation ends: %s", error)
            rclpy.try_shutdown(context=self.context)
        except Exception:  # the thread's boundary: a world that stands still must end the node
            # Publishing fails when the context is shut down under it: that is an ordinary end.
            if not self._ended.is_set() and self.context.ok():
                log.exception("the simulation ends unexpectedly")
                rclpy.try_shutdown(context=self.context)
        finally:
            self._world.close()

    def _simulate(self) -> None:
        pacer = Pacer(self._config.real_time_factor)
        while not self._ended.is_set() and self.context.ok():
            self._do_work()
            self._world.step(TICK_S)
            self._robot.clock()
            now_s = self._world.time_s
            for schedule, publish in self._due:
                if schedule.due(now_s):
                    publish()
            self._ended.wait(pacer.delay_s(now_s, time.monotonic()))

    def _do_work(self) -> None:
        while True:
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return
            work()

    def _command(self, work: Callable[[], None]) -> None:
        try:
            work()
        except SaySoError as error:
            log.error("a command was refused, the arm holds: %s", error)
            self._world.hold()

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

"""The node of a simulated world: to the others it looks like a robot's drivers and sensors."""

from __future__ import annotations

import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import Scene
from sayso_ros.srv import PerturbWorld, ResetWorld
from std_srvs.srv import SetBool

from sayso.core.errors import Code, SaySoError
from sayso.ros.messages.qos import NEWEST
from sayso.ros.messages.stamps import stamp_of
from sayso.ros.runtime import boundary
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, on_change, param
from sayso.ros.simulation.base_publisher import BasePublisher, ScanPublisher
from sayso.ros.simulation.world_commands import Due, offer_base, offer_drivers
from sayso.ros.simulation.world_publishers import CameraPublisher, RobotPublisher, WorldPublisher
from sayso.worlds.mujoco_world import MujocoWorld
from sayso.worlds.pacing import Pacer, SceneWait, Schedule

log = logging.getLogger(__name__)
T = TypeVar("T")
TICK_S = 0.01
_ANSWER_S = 30.0


@dataclass(frozen=True)
class SimulationConfig(ABC):
    """Parameters of all simulated worlds."""

    seed: int = param(1, "seed of what is drawn of the world, and of noise", 0, 2**31 - 1)
    noise: bool = param(True, "noise of cameras, laser, localisation and joint readings")
    real_time_factor: float = param(
        1.0, "simulated seconds per wall second, at most", low=0.05, high=50.0, read_only=False
    )
    scene_lag_s: float = param(
        0.0,
        "simulated time waits for a scene that is later than this, on a machine that is too slow "
        "for perception; 0: it never waits [s]",
        low=0.0,
        high=10.0,
    )
    clock_rate_hz: float = param(50.0, "simulated time, heard by every node [Hz]", 10.0, 100.0)
    joint_rate_hz: float = param(
        50.0, "joint states, odometry and frames [Hz]", low=1.0, high=100.0
    )
    overview_rate_hz: float = param(
        2.0, "pictures for people, 0.03 s of work each in a flat, 0.4 s at a table [Hz]", 0.0, 30.0
    )
    truth_rate_hz: float = param(10.0, "ground truth, for tests [Hz]", low=0.0, high=100.0)
    jpeg_quality: int = param(90, "of compressed images", low=1, high=100)

    @property
    def scan_rate_hz(self) -> float:
        """Of laser scans."""
        return 0.0

    @property
    def driven_elsewhere(self) -> bool:
        """Whether another node commands the robot and tells of its joints."""
        return False

    @abstractmethod
    def world(self) -> MujocoWorld:
        """What is simulated."""

    @abstractmethod
    def camera_rates_hz(self) -> Mapping[str, float]:
        """Of each camera, by name."""


C = TypeVar("C", bound=SimulationConfig)


class SimulationNode(Node, Generic[C]):
    """Runs a simulated world in a thread of its own, in which alone it is touched.

    Callbacks queue their work for that thread; so commands take effect in order, and the
    OpenGL context stays where it was made. Offers what the drivers of the world's robot do,
    `world/reset`, `world/perturb`, and the switches of the world.
    """

    def __init__(self, name: str, config: type[C], **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._world_services = MutuallyExclusiveCallbackGroup()
        settings = declare(self, config)
        self._world = settings.world()
        self._due = self._published(settings)
        if not settings.driven_elsewhere:
            self._due += offer_drivers(self, self._world, self.command)
        self._pacer = Pacer(settings.real_time_factor)
        self._scenes = self._awaited(settings.scene_lag_s)
        on_change(self, settings, self._change_pace)
        self._offer(settings)
        self._thread = threading.Thread(target=self._run, name="simulation", daemon=True)
        self._thread.start()
        self._life = SignOfLife(self)

    def _awaited(self, lag_s: float) -> SceneWait:
        """Who is waited for; of scenes only the stamp is read."""
        scenes = SceneWait(lag_s)

        def hear(message: bytes) -> None:
            scenes.heard(stamp_of(message), time.monotonic())

        if lag_s > 0:
            group = MutuallyExclusiveCallbackGroup()
            self.create_subscription(Scene, "scene", hear, NEWEST, callback_group=group, raw=True)
        return scenes

    def _change_pace(self, settings: C) -> None:
        """Between two steps."""
        self._work.put(lambda: self._pacer.change(settings.real_time_factor))

    def _published(self, c: C) -> Due:
        """What is published when."""
        base, here = self._world.mobile_base, not c.driven_elsewhere
        place = BasePublisher(self, base).state if base and here else list
        self._robot = RobotPublisher(self, self._world, place)
        outside = WorldPublisher(self, self._world, c.jpeg_quality)
        pictures: Due = [
            (Schedule(rate), CameraPublisher(self, self._world, name, c.jpeg_quality).publish)
            for name, rate in c.camera_rates_hz().items()
        ]
        pictures.append((Schedule(c.overview_rate_hz), outside.overview))
        if c.driven_elsewhere:
            pictures = [(s, partial(self._between_steps, p)) for s, p in pictures]
        return [
            (Schedule(c.clock_rate_hz), self._robot.clock),
            *([(Schedule(c.joint_rate_hz), self._robot.state)] if here else []),
            *([(Schedule(c.scan_rate_hz), ScanPublisher(self, base).publish)] if base else []),
            (Schedule(c.truth_rate_hz), outside.truth),
            *pictures,
        ]

    def _between_steps(self, publish: Callable[[], None]) -> None:
        """A client that hears nothing of its robot for a second gives it up: pictures take long."""
        publish()
        self._world.step(TICK_S)

    def _offer(self, c: C) -> None:
        base, group = self._world.mobile_base, self._world_services
        if base is not None and not c.driven_elsewhere:
            drive = base.drive
            offer_base(
                self,
                self._world.profile,
                lambda *speed: self.command(lambda: drive(*speed)),
            )
        self.create_service(ResetWorld, "world/reset", self._reset, callback_group=group)
        self.create_service(PerturbWorld, "world/perturb", self._perturb, callback_group=group)
        for name, turn in self._world.switches().items():
            turned = partial(self._switch, turn)
            self.create_service(SetBool, f"world/{name}", turned, callback_group=group)

    def destroy_node(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=10.0)
        super().destroy_node()

    def in_world(self, work: Callable[[], T]) -> T:
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

    def command(self, work: Callable[[], None]) -> None:
        """Queue a motion command; one that makes no sense brings the robot to rest."""
        self._work.put(lambda: self._obey(work))

    def _obey(self, work: Callable[[], None]) -> None:
        try:
            work()
        except SaySoError as error:
            log.error("a command was refused, the robot holds: %s", error)
            self._world.hold()

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

    def _switch(
        self,
        turn: Callable[[bool], None],
        request: SetBool.Request,
        response: SetBool.Response,
    ) -> SetBool.Response:
        try:
            self.in_world(partial(turn, request.data))
            response.success = True
        except SaySoError as error:
            response.message = str(error)
        return response

    def _disturb(self, request: PerturbWorld.Request) -> None:
        world, p, target = self._world, request.position, request.target
        kinds: dict[int, Callable[[], None]] = {
            PerturbWorld.Request.MOVE: lambda: world.move(target, (p.x, p.y, p.z)),
            PerturbWorld.Request.REMOVE: lambda: world.remove(target),
            PerturbWorld.Request.MUTE_CAMERA: lambda: world.mute(target),
            PerturbWorld.Request.UNMUTE_CAMERA: lambda: world.mute(target, False),
        }
        if request.kind not in kinds:
            raise SaySoError(
                Code.INVALID, f"there is no disturbance {request.kind}.", choices=map(str, kinds)
            )
        kinds[request.kind]()

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
        while not self._ended.is_set() and self.context.ok():
            self._do_work()
            if self._scenes.waits(self._world.time_s, time.monotonic()):
                self._ended.wait(TICK_S)
                continue
            self._world.step(TICK_S)
            now_s = self._world.time_s
            for schedule, publish in self._due:
                if schedule.due(now_s):
                    publish()
            self._ended.wait(self._pacer.delay_s(now_s, time.monotonic()))

    def _do_work(self) -> None:
        while True:
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return
            work()

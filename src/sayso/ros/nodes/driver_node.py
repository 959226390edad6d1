"""A robot through the client library of its maker, where no ROS driver of it runs."""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.robots.loading import load_robot
from sayso.robots.moving_frames import Frame, MovingFrames
from sayso.robots.profile import ClientCamera, RobotProfile
from sayso.ros.messages.conversions import header
from sayso.ros.messages.qos import LATCHED
from sayso.ros.robot.controllers import GripperController, TrajectoryController
from sayso.ros.robot.drivers import BASE_FRAME
from sayso.ros.robot.rgbd_publisher import RgbdPublisher, optical_frame
from sayso.ros.robot.transforms import transforms
from sayso.ros.runtime import runner
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, param
from sayso.ros.simulation.base_publisher import BasePublisher
from sayso.ros.simulation.world_commands import offer_base

log = logging.getLogger(__name__)
_TRY_AGAIN_S = 1.0
_ANSWER_S = 40.0
"""A Spot takes some seconds to stand up or sit down."""
_LOOK_S = 0.02
"""At which cameras see whether it is time for a picture."""
_OLD_S = 0.3
"""A velocity that waited longer is not sent any more."""


@dataclass(frozen=True)
class DriverConfig:
    """Parameters of the node `driver`."""

    robot: str = param("fr3_libfranka", "profile of the robot: one of SaySo's, or a file's path")
    address: str = param("", "of the robot in the network; empty: its profile's")
    certificate: str = param(
        "", "file of the authority that the robot's certificate is from; empty: its maker's"
    )
    recover: bool = param(
        False, "begin with driver/recover: who starts this stands by, and a Spot stands up"
    )
    joint_rate_hz: float = param(50.0, "joint states and frames [Hz]", low=5.0, high=200.0)
    jpeg_quality: int = param(90, "of compressed images", low=1, high=100)


class DriverNode(Node):
    """Offers the actions that the robot's profile names, `joint_states`, the frames that the joints
    move, and `driver/recover`; for a robot with a base also `odom`, its frames, and the topic that
    it is driven by; for one whose client takes pictures also those, and `driver/sit`.

    The client is used in one thread; callbacks queue their work for it. Cameras have one each.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("driver", **kwargs)
        config = declare(self, DriverConfig)
        robot = load_robot(config.robot)
        if not config.address and self.get_parameter("use_sim_time").value:
            raise SaySoError(
                Code.CONFIG,
                f"the simulated '{config.robot}' has no address; its profile's is a real robot's.",
                hint="give the simulation's, by spot:= (flat) or libfranka:= (table).",
            )
        self._period_s = 1.0 / config.joint_rate_hz
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._frames = MovingFrames(robot)
        self._mounts: dict[str, Frame] = {}
        self._mounting = threading.Lock()
        self._robot = registry.create(
            "robot_client",
            robot.require_client().kind,
            robot=robot,
            address=config.address,
            now_s=lambda: self.get_clock().now().nanoseconds * 1e-9,
            **({"certificate": config.certificate} if config.certificate else {}),
        )
        self._begins = config.recover
        arm, hand = robot.drivers.arm.name, robot.drivers.hand.name
        self._controllers = (
            TrajectoryController(self, arm, self._robot, self._work.put),
            GripperController(self, hand, self._robot, self._work.put),
        )
        self._joints = self.create_publisher(JointState, "joint_states", 10)
        self._tf = self.create_publisher(TFMessage, "/tf", 50)
        self._tf_static = self.create_publisher(TFMessage, "/tf_static", LATCHED)
        alone = MutuallyExclusiveCallbackGroup()
        recover = partial(self._ask, self._robot.recover)
        self.create_service(Trigger, "driver/recover", recover, callback_group=alone)
        self._base = self._offer_base(robot) if robot.base else None
        self._life = SignOfLife(self)
        self._threads = [threading.Thread(target=self._run, name="driver", daemon=True)]
        self._threads += self._cameras(robot, config.jpeg_quality)
        for thread in self._threads:
            thread.start()

    def destroy_node(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=10.0)
        super().destroy_node()

    def _offer_base(self, robot: RobotProfile) -> BasePublisher:
        alone = MutuallyExclusiveCallbackGroup()
        sit = partial(self._ask, self._robot.sit)
        self.create_service(Trigger, "driver/sit", sit, callback_group=alone)
        newest = Newest(self._robot.drive, self._robot.hold, time.monotonic)
        offer_base(self, robot, lambda *speed: self._work.put(newest.take(*speed)))
        return BasePublisher(self, self._robot)

    def _cameras(self, robot: RobotProfile, jpeg_quality: int) -> list[threading.Thread]:
        return [
            threading.Thread(
                target=self._watch,
                args=(RgbdPublisher(self, name, jpeg_quality), camera),
                name=f"camera {name}",
                daemon=True,
            )
            for name, camera in robot.require_client().cameras.items()
        ]

    def _watch(self, camera: RgbdPublisher, about: ClientCamera) -> None:
        """Ask for pictures while somebody listens, who misses those that do not come."""
        told, due_s = "", 0.0
        while not self._ended.wait(_LOOK_S) and self.context.ok():
            if not camera.wanted or self._robot.time_s < due_s:
                continue
            due_s = self._robot.time_s + 1.0 / about.rate_hz  # by its clock, which may be slow
            try:
                frame = self._robot.picture(camera.name)
            except SaySoError as error:
                if str(error) != told:
                    log.warning("%s", error)
                told = str(error)
                continue
            self._place(camera.name, about.on_hand, frame.pose)
            camera.publish(frame)
            told = ""

    def _place(self, camera: str, on_hand: bool, in_base: Pose) -> None:
        """Tell where a camera is mounted."""
        robot = self._robot.profile
        hand = robot.frames.of(robot.hand.body)
        mount = (hand, robot.camera.pose) if on_hand else (BASE_FRAME, in_base)
        self._tell_mounts([(mount[0], optical_frame(camera), mount[1])])

    def _tell_mounts(self, frames: list[Frame]) -> None:
        """Frames that rarely move, with all that were told before: the newest message is kept.

        A body that rises or sits down takes its cameras along: their mounts are told anew then.
        """
        with self._mounting:
            known = self._mounts
            moved = [f for f in frames if f[1] not in known or _shifted(known[f[1]][2], f[2])]
            if moved:
                known.update((frame[1], frame) for frame in moved)
                self._tf_static.publish(transforms(self._robot.time_s, list(known.values())))

    def _ask(
        self,
        what: Callable[[], None],
        request: Trigger.Request,
        response: Trigger.Response,
    ) -> Trigger.Response:
        response.message = ask(what, self._work.put, _ANSWER_S)
        response.success = not response.message
        return response

    def _run(self) -> None:
        try:
            self._drive()
        except Exception:  # the thread's boundary: a robot that nobody drives must end the node
            if not self._ended.is_set() and self.context.ok():
                log.exception("the driver ends unexpectedly")
                rclpy.try_shutdown(context=self.context)
        finally:
            self._robot.close()

    def _drive(self) -> None:
        on = "world" if self._base is None else BASE_FRAME
        self._tell_mounts(self._frames.fixed(on))
        due_s = time.monotonic()
        while not self._ended.is_set():
            self._obey(due_s)
            told = self._tell()
            if told and self._begins:
                self._begins = False
                self._obey_one(self._robot.recover)
            for controller in self._controllers:
                with suppress(SaySoError):  # what ails the robot is told already
                    controller.look()
            due_s = time.monotonic() + (self._period_s if told else _TRY_AGAIN_S)

    def _obey(self, until_s: float) -> None:
        """Carry out commands as they come, until it is time to look at the robot."""
        with suppress(queue.Empty):
            while True:
                self._obey_one(self._work.get(timeout=max(until_s - time.monotonic(), 0.0)))

    def _obey_one(self, work: Callable[[], None]) -> None:
        try:
            work()
        except SaySoError as error:
            log.error("a command was refused, the robot holds: %s", error)
            with suppress(SaySoError):  # a robot that is gone is told by the next reading
                self._robot.hold()

    def _tell(self) -> bool:
        """One reading, and the frames that follow from it; False where the robot is silent."""
        try:
            reading = self._robot.read()
        except SaySoError as error:
            self._life.tell(error.message.rstrip("."))
            return False
        self._life.tell(self._ailment())
        message = JointState(
            header=header(reading.stamp_s),
            name=list(reading.names),
            position=reading.positions.tolist(),
            velocity=reading.velocities.tolist(),
        )
        self._joints.publish(message)
        place = self._base.state() if self._base else []
        frames = [*place, *self._frames.at(reading.positions)]
        self._tf.publish(transforms(reading.stamp_s, frames))
        return True

    def _ailment(self) -> str:
        """What keeps the robot from moving, in words without a full stop; empty: nothing."""
        try:
            self._robot.require_obeyed()
        except SaySoError as error:
            return error.message.rstrip(".")
        return ""


def ask(
    what: Callable[[], None], put: Callable[[Callable[[], None]], None], patience_s: float
) -> str:
    """Have it done where the robot is driven; why it was not, empty: it was.

    What has not begun when patience ends is never done: a robot must not stand up later, unasked.
    """
    done: Future[None] = Future()

    def work() -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            what()
            done.set_result(None)
        except SaySoError as error:
            done.set_exception(error)

    put(work)
    try:
        done.result(timeout=patience_s)
    except SaySoError as error:
        return str(error)
    except Late:
        if done.cancel():
            return "the robot does not answer; it is not asked any more."
        return "the robot does not answer; it is still at it."
    return ""


def _shifted(before: Pose, now: Pose) -> bool:
    """By more than a centimetre or a degree."""
    turned_rad = 2 * math.acos(min(1.0, abs(float(np.dot(before.orientation, now.orientation)))))
    return math.dist(before.position, now.position) > 0.01 or math.degrees(turned_rad) > 1.0


class Newest:
    """Of velocities that were asked for, the newest alone is sent, and none that is old: they may
    have waited while the robot did not answer.

    Args:
        drive: sends one.
        rest: in place of one that is old, or of one that is no number.
        now_s: of a steady clock.
    """

    def __init__(
        self,
        drive: Callable[[float, float, float], None],
        rest: Callable[[], None],
        now_s: Callable[[], float],
    ) -> None:
        self._drive, self._rest, self._now_s = drive, rest, now_s
        self._newest: tuple[float, tuple[float, float, float]] | None = None

    def take(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> Callable[[], None]:
        """What is to be done about this one, where the robot is driven."""
        wanted = (self._now_s(), (forward_m_s, left_m_s, turn_rad_s))
        self._newest = wanted

        def send() -> None:
            if self._newest is not wanted:
                return
            if self._now_s() - wanted[0] > _OLD_S or not all(map(math.isfinite, wanted[1])):
                self._rest()
            else:
                self._drive(*wanted[1])

        return send


def main() -> None:
    runner.main(DriverNode)

"""A robot through the client library of its maker, where no ROS driver of it runs."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from sayso.adapters import registry
from sayso.core.errors import SaySoError
from sayso.robots.loading import load_robot
from sayso.robots.moving_frames import MovingFrames
from sayso.ros.messages.conversions import header
from sayso.ros.messages.qos import LATCHED
from sayso.ros.robot.controllers import GripperController, TrajectoryController
from sayso.ros.robot.transforms import transforms
from sayso.ros.runtime import runner
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, param

log = logging.getLogger(__name__)
_TRY_AGAIN_S = 1.0


@dataclass(frozen=True)
class DriverConfig:
    """Parameters of the node `driver`."""

    robot: str = param("fr3_libfranka", "profile of the robot: one of SaySo's, or a file's path")
    address: str = param("", "of the robot in the network; empty: its profile's")
    joint_rate_hz: float = param(50.0, "joint states and frames [Hz]", low=5.0, high=200.0)


class DriverNode(Node):
    """Offers the actions that the robot's profile names, `joint_states`, the frames that the joints
    move, and `driver/recover`.

    The client is used in one thread; callbacks queue their work for it.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("driver", **kwargs)
        config = declare(self, DriverConfig)
        robot = load_robot(config.robot)
        self._period_s = 1.0 / config.joint_rate_hz
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._frames = MovingFrames(robot)
        self._robot = registry.create(
            "robot_client",
            robot.require_client().kind,
            robot=robot,
            address=config.address,
            now_s=lambda: self.get_clock().now().nanoseconds * 1e-9,
        )
        arm, hand = robot.drivers.arm.name, robot.drivers.hand.name
        self._controllers = (
            TrajectoryController(self, arm, self._robot, self._work.put),
            GripperController(self, hand, self._robot, self._work.put),
        )
        self._joints = self.create_publisher(JointState, "joint_states", 10)
        self._tf = self.create_publisher(TFMessage, "/tf", 50)
        self._tf_static = self.create_publisher(TFMessage, "/tf_static", LATCHED)
        alone = MutuallyExclusiveCallbackGroup()
        self.create_service(Trigger, "driver/recover", self._recover, callback_group=alone)
        self._life = SignOfLife(self)
        self._thread = threading.Thread(target=self._run, name="driver", daemon=True)
        self._thread.start()

    def destroy_node(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10.0)
        super().destroy_node()

    def _recover(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        done = threading.Event()

        def work() -> None:
            try:
                self._robot.recover()
                response.success = True
            except SaySoError as error:
                response.message = str(error)
            finally:
                done.set()

        self._work.put(work)
        if not done.wait(timeout=10.0):
            response.message = "the robot does not answer."
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
        self._tf_static.publish(transforms(self._robot.time_s, self._frames.fixed("world")))
        due_s = time.monotonic()
        while not self._ended.is_set():
            self._obey(due_s)
            told = self._tell()
            for controller in self._controllers:
                with suppress(SaySoError):  # what ails the robot is told already
                    controller.look()
            due_s = time.monotonic() + (self._period_s if told else _TRY_AGAIN_S)

    def _obey(self, until_s: float) -> None:
        """Carry out commands as they come, until it is time to look at the robot."""
        with suppress(queue.Empty):
            while True:
                work = self._work.get(timeout=max(until_s - time.monotonic(), 0.0))
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
        self._life.tell("")
        message = JointState(
            header=header(reading.stamp_s),
            name=list(reading.names),
            position=reading.positions.tolist(),
            velocity=reading.velocities.tolist(),
        )
        self._joints.publish(message)
        self._tf.publish(transforms(reading.stamp_s, self._frames.at(reading.positions)))
        return True


def main() -> None:
    runner.main(DriverNode)
